"""What a detector is, in words and numbers."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .binary_cascade import BinaryCascade
from .cascade import Cascade
from .detector import Detector

COLOR_PLANE_NAMES = {
    "luv": ("L", "U", "V"),
    "rgb": ("R", "G", "B"),
    "hsv": ("H", "S", "V"),
    "gray": ("gray",),
}


def model_card(detector: Detector) -> str:
    """Describe a detector: classes, sizes, trees, options, provenance."""
    cascade, pipeline, window = detector.cascade, detector.pipeline, detector.window
    split = is_split(cascade)
    n_splits = split.sum(axis=1)
    _, rows, columns = cascade.window_shape
    used = len(np.unique(cascade.feature[split]))
    size = math.prod(cascade.window_shape)
    rejection = cascade.rejection
    lines = [
        ("name", detector.name),
        ("sha256", detector.sha256 or "not saved"),
        ("kind", "binary" if isinstance(cascade, BinaryCascade) else f"{cascade.n_classes} classes with background"),
        ("object", f"{window.object_height}x{window.object_width} pixels (height x width)"),
        ("window", f"{window.window_height}x{window.window_width} pixels, {rows}x{columns} cells of {pipeline.shrink}"),
        ("features", f"{size} ({cascade.window_shape[0]} planes, {cascade.threshold.dtype}), {used} in use"),
        ("trees", f"{cascade.n_trees} of up to {cascade.depth} split levels"),
        ("split nodes", _range(n_splits, "a tree") + f", {int(n_splits.sum())} in all" if len(n_splits) else "none"),
        ("rejection", f"trace at or below {rejection.min():g} to {rejection.max():g}" if len(rejection) else "none"),
    ]  # fmt: skip
    text = [f"{title + ':':13}{value}" for title, value in lines]
    text += ["views:"]
    for view in detector.views:
        angle = "" if math.isnan(view.angle_deg) else f", {view.angle_deg:g} degrees"
        text.append(f"  {view.name}: width / height {view.aspect_ratio:.3f}{angle}")
    if isinstance(cascade, Cascade):
        text += ["costs (rows: truth, columns: decision, background first):"]
        text += ["  " + " ".join(f"{cost:6.3f}" for cost in row) for row in cascade.cost_matrix]
    for title, options in (
        ("channels", asdict(pipeline.channels)),
        ("pyramid", asdict(pipeline.pyramid)),
        ("detection", asdict(detector.options)),
    ):
        text += [f"{title}:", *_listed(options)]
    if pipeline.filters is not None:
        n_filters, _, side, _ = pipeline.filters.filters.shape
        text += [f"{'filters:':13}{n_filters} of {side}x{side} cells a channel"]
    if detector.provenance:
        text += ["provenance:", *_listed(detector.provenance)]
    return "\n".join(text) + "\n"


def is_split(cascade: Cascade | BinaryCascade) -> NDArray[np.bool_]:
    """Tell which nodes of the complete trees are split, (T, 2**D - 1)."""
    lowest = 0 if cascade.threshold.dtype == np.uint8 else -np.inf
    return cascade.threshold > lowest


def feature_maps(detector: Detector) -> dict[str, NDArray[np.int64]]:
    """Count the split nodes that look at each cell of the window, by channel.

    The maps of a channel's filters are added up.

    Returns
    -------
    dict of channel name to (rows, columns) int64
    """
    cascade, channels = detector.cascade, detector.pipeline.channels
    counts = np.bincount(cascade.feature[is_split(cascade)], minlength=math.prod(cascade.window_shape))
    _, rows, columns = cascade.window_shape
    by_channel = counts.reshape(-1, channels.n_channels, rows, columns).sum(axis=0)
    return dict(zip(channel_names(detector), by_channel.astype(np.int64), strict=True))


def channel_names(detector: Detector) -> list[str]:
    """Name the channels of a detector, in their order."""
    channels = detector.pipeline.channels
    names = [*COLOR_PLANE_NAMES[channels.color_space], "magnitude"]
    if channels.hog is not None:
        return names + [f"{channels.hog} {number}" for number in range(channels.n_histogram_channels)]
    step = (360 if channels.full_orientation else 180) / channels.orientations
    return names + [f"gradient {number * step:g}°" for number in range(channels.orientations)]


def _range(numbers: NDArray[np.int64], of: str) -> str:
    return f"{numbers.min()} to {numbers.max()} {of}, mean {numbers.mean():.1f}"


def _listed(options: Any) -> list[str]:
    return [f"  {name}: {json.dumps(value, default=str)}" for name, value in options.items()]
