"""Options of the ACF toolbox's detectors (``opts``) as ours; what is left out has the toolbox's default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..features.channel_options import ChannelOptions
from ..features.decorrelation import DecorrelationFilters
from ..features.pyramid import PyramidOptions
from .feature_levels import FeaturePipeline
from .suppression import SuppressionOptions
from .window import WindowOptions

COLOR_SPACES = {"luv": "luv", "hsv": "hsv", "gray": "gray", "orig": "rgb", "rgb": "rgb"}
HOG_KINDS = {0: None, 1: "hog", 2: "fhog"}


def window_options(options: Mapping[str, Any]) -> WindowOptions:
    """Object and window of a detector (``modelDs``, ``modelDsPad``).

    Raises
    ------
    ValueError
        When they are no whole numbers.
    """
    height, width = _pair(options, "modelDs", (100, 41))
    window_height, window_width = _pair(options, "modelDsPad", (128, 64))
    return WindowOptions(
        object_height=height, object_width=width, window_height=window_height, window_width=window_width
    )


def feature_pipeline(options: Mapping[str, Any], window: WindowOptions) -> FeaturePipeline:
    """Channels, pyramid and filters of a detector.

    Raises
    ------
    ValueError
        When an option has a value that has no counterpart here.
    """
    pyramid = _struct(options, "pPyramid")
    channels = channel_options(_struct(pyramid, "pChns"))
    pipeline = FeaturePipeline(channels, pyramid_options(pyramid, channels.shrink, window), _filters(options))
    if pipeline.filters is not None and pipeline.filters.filters.shape[1] != channels.n_channels:
        raise ValueError(
            f"filters must be for {channels.n_channels} channels, found {pipeline.filters.filters.shape[1]}"
        )
    stride = _number(options, "stride", 4)
    if stride > pipeline.shrink:
        raise ValueError(
            f"stride must be at most the size of a cell, {pipeline.shrink} pixels, found {stride:g}"
        )
    return pipeline


def channel_options(options: Mapping[str, Any]) -> ChannelOptions:
    """Channel options (``pChns``)."""
    color, magnitude, histogram = (_struct(options, name) for name in ("pColor", "pGradMag", "pGradHist"))
    for name, part in (("pColor", color), ("pGradMag", magnitude), ("pGradHist", histogram)):
        if not _number(part, "enabled", 1):
            raise ValueError(f"{name}.enabled must be 1, found 0: all three kinds of channels are needed")
    if not _is_empty(options.get("pCustom")):
        raise ValueError("pCustom must be empty: channels by functions of MATLAB cannot be computed")
    space = str(color.get("colorSpace", "luv"))
    plane = int(_number(magnitude, "colorChn", 0))
    bin_size = histogram.get("binSize")
    return ChannelOptions(
        shrink=int(_number(options, "shrink", 4)),
        color_space=_one_of("colorSpace", space, COLOR_SPACES),
        color_smooth=_number(color, "smooth", 1),
        color_plane=plane - 1 if plane else None,
        normalization_radius=int(_number(magnitude, "normRad", 5)),
        normalization_constant=_number(magnitude, "normConst", 0.005),
        full_orientation=bool(_number(magnitude, "full", 0)),
        orientations=int(_number(histogram, "nOrients", 6)),
        soft_bin=int(_number(histogram, "softBin", 0)),
        bin_size=None if _is_empty(bin_size) else int(_number(histogram, "binSize", 0)),
        hog=_one_of("useHog", int(_number(histogram, "useHog", 0)), HOG_KINDS),
        hog_clip=_number(histogram, "clipHog", 0.2),
    )


def pyramid_options(options: Mapping[str, Any], shrink: int, window: WindowOptions) -> PyramidOptions:
    """Pyramid options (``pPyramid``); padding and smallest size follow from the window where left out."""
    sizes = ((window.window_height, window.object_height), (window.window_width, window.object_width))
    pad_rows, pad_columns = (-(-(outer - inner) // (2 * shrink)) * shrink for outer, inner in sizes)
    n_approximate = int(_number(options, "nApprox", -1))
    lambdas = options.get("lambdas")
    return PyramidOptions(
        per_octave=int(_number(options, "nPerOct", 8)),
        octaves_up=_number(options, "nOctUp", 0),
        n_approximate=None if n_approximate < 0 else n_approximate,
        pad=_pair(options, "pad", (pad_rows, pad_columns)),
        min_size=_pair(options, "minDs", (window.object_height, window.object_width)),
        smooth=_number(options, "smooth", 1),
        lambdas=None if _is_empty(lambdas) else _lambdas(lambdas),
    )


def suppression_options(options: Mapping[str, Any]) -> SuppressionOptions:
    """Options of suppression (``pNms``)."""
    if _is_empty(options.get("pNms")):
        return SuppressionOptions(kind="maxg", overlap=0.65, denominator="min")
    suppression = _struct(options, "pNms")
    kind = str(suppression.get("type", "max"))
    if _number(suppression, "separate", 0) or not _is_empty(suppression.get("resize")):
        raise ValueError(
            "pNms.separate and pNms.resize must be left out or 0: boxes are suppressed as they are"
        )
    if np.isfinite(_number(suppression, "maxn", np.inf)):
        raise ValueError("pNms.maxn must be left out or infinite: boxes are not sampled before suppression")
    if kind == "none":
        return SuppressionOptions(overlap=1.0)
    if kind not in ("max", "maxg"):
        raise ValueError(f"pNms.type must be max, maxg or none, found {kind!r}")
    denominator = str(suppression.get("ovrDnm", "union"))
    if denominator not in ("union", "min"):
        raise ValueError(f"pNms.ovrDnm must be union or min, found {denominator!r}")
    return SuppressionOptions(
        kind="maxg" if kind == "maxg" else "max",
        overlap=_number(suppression, "overlap", 0.5),
        denominator="union" if denominator == "union" else "min",
    )


def cascade_threshold(options: Mapping[str, Any]) -> float:
    """Trace at or below which a window is given up after any tree (``cascThr``)."""
    return _number(options, "cascThr", -1)


def least_score(options: Mapping[str, Any]) -> float | None:
    """Score below which boxes go before suppression (``pNms.thr``), if there is one."""
    threshold = -np.inf if _is_empty(options.get("pNms")) else _number(options["pNms"], "thr", -np.inf)
    return threshold if np.isfinite(threshold) else None


def _filters(options: Mapping[str, Any]) -> DecorrelationFilters | None:
    """Filters (``filters``, size x size x channels x filters)."""
    filters = options.get("filters")
    if _is_empty(filters):
        return None
    array = np.asarray(filters, np.float32)
    array = array[..., None] if array.ndim == 3 else array  # a single filter a channel
    if array.ndim != 4:
        raise ValueError(f"filters must have 4 dimensions, found shape {array.shape}")
    return DecorrelationFilters(array.transpose(3, 2, 0, 1))


def _struct(options: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = options.get(name)
    if _is_empty(value):
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be a struct, found {type(value).__name__}")
    return value


def _is_empty(value: Any) -> bool:
    return value is None or (not np.isscalar(value) and len(value) == 0)


def _number(options: Mapping[str, Any], name: str, default: float) -> float:
    value = options.get(name, default)
    try:
        number = float(np.asarray(value).reshape(()))
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, found {value!r}") from None
    if np.isnan(number):
        raise ValueError(f"{name} must be a number, found NaN")
    return number


def _pair(options: Mapping[str, Any], name: str, default: tuple[int, int]) -> tuple[int, int]:
    value = options.get(name)
    pair = np.asarray(default if _is_empty(value) else value, np.float64).ravel()
    if len(pair) != 2 or np.any(pair != np.rint(pair)):
        raise ValueError(f"{name} must be two whole numbers, rows and columns, found {pair.tolist()}")
    return int(pair[0]), int(pair[1])


def _lambdas(value: Any) -> tuple[float, float, float]:
    numbers = np.asarray(value, np.float64).ravel() + 0.0  # no -0
    if len(numbers) != 3:
        raise ValueError(f"lambdas must be three numbers, found {len(numbers)}")
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def _one_of(name: str, value: Any, known: Mapping[Any, Any]) -> Any:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(str, known))}, found {value!r}")
    return known[value]
