"""Detectors trained by the ACF toolbox (ACF, LDCF) or its successors (SubCat, BAdaCost) as detectors of ours."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .binary_cascade import BinaryCascade
from .cascade import Cascade
from .detection_options import DetectionOptions, View
from .detector import Detector
from .toolbox_file import ToolboxFileError, read_toolbox_file
from .toolbox_options import (
    cascade_threshold,
    feature_pipeline,
    least_score,
    suppression_options,
    window_options,
)
from .toolbox_trees import CompleteTrees, complete_trees

# Classes of the authors' face detectors after background. They trained on AFLW, whose yaw has the opposite sign:
# their first view, yaw below -60 degrees, is what the other data sets, and we, call the left profile.
FACE_VIEWS = (
    ("left_profile", 75.0), ("half_left", 40.0), ("frontal", 0.0), ("half_right", -40.0), ("right_profile", -75.0)
)  # fmt: skip
N_CAR_VIEWS = 20


def import_toolbox_detectors(
    path: str | Path, *, name: str | None = None, view_names: Sequence[str] | None = None
) -> list[Detector]:
    """Read all detectors of a toolbox file.

    Parameters
    ----------
    path : path of a ``.mat`` file
    name : str, optional
        Of the model; None is the file's name. Where there are several, the view's name is appended.
    view_names : sequence of str, optional
        Other names for the views, in the order of the classes or, in a file of several binary detectors, one a
        detector. They have no angles.

    Returns
    -------
    list of Detector
        Several only from a file that holds a cell of detectors, as SubCat has one a view.

    Raises
    ------
    ToolboxFileError
        Naming the file, what was found and what was expected.

    Notes
    -----
    Views have these names when none are given: those of the faces' five yaw views and of the cars' twenty
    viewpoints if the file's label says so, "object" for a binary detector, else numbers from 1.
    """
    path = Path(path)
    structs = read_toolbox_file(path)
    name = path.stem if name is None else name
    source = {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    try:
        if len(structs) == 1:
            return [_detector(structs[0], name, _views(structs[0], view_names), source)]
        return _one_a_view(structs, name, view_names, source)
    except (KeyError, TypeError, ValueError) as error:
        raise ToolboxFileError(f"{path}: the detector cannot be imported ({error})") from error


def _one_a_view(
    structs: Sequence[Mapping[str, Any]],
    name: str,
    view_names: Sequence[str] | None,
    source: Mapping[str, str],
) -> list[Detector]:
    """Binary detectors of one view each, named by the number in their label (``Face01``)."""
    if any(_is_multi_class(struct) for struct in structs):
        raise ValueError("a cell of detectors must hold binary ones")
    views = _named_views(view_names, len(structs))
    if views is None:
        number = [re.search(r"(\d+)$", _label(struct)) for struct in structs]
        order = [int(found[1]) - 1 if found else place for place, found in enumerate(number)]
        known = _known_views(re.sub(r"\d+$", "", _label(structs[0])), len(structs))
        if sorted(order) != list(range(len(structs))):
            raise ValueError(
                f"labels must be numbered from 1 to {len(structs)}, found {', '.join(map(_label, structs))}"
            )
        views = tuple(known[place] for place in order)
    return [
        _detector(struct, f"{name}_{view.name}", (view,), source)
        for struct, view in zip(structs, views, strict=True)
    ]


def _detector(
    struct: Mapping[str, Any], name: str, views: tuple[View, ...], source: Mapping[str, str]
) -> Detector:
    options, classifier = struct["opts"], struct["clf"]
    window = window_options(options)
    pipeline = feature_pipeline(options, window)
    window_shape = (pipeline.n_features, *window.cells(pipeline.shrink))
    trees = complete_trees(classifier, window_shape)
    rejection = np.full(len(trees.feature), cascade_threshold(options), np.float32)
    cascade: Cascade | BinaryCascade
    if _is_multi_class(struct):
        cascade = _multi_class_cascade(classifier, trees, rejection, window_shape)
        ratios = _aspect_ratios(classifier, len(views))
        smallest = 0.0
    else:
        cascade = BinaryCascade(trees.feature, trees.threshold, rejection, window_shape, trees.leaf)
        ratios = [window.object_width / window.object_height]
        smallest = cascade_threshold(options)
    return Detector(
        name=name,
        cascade=cascade,
        pipeline=pipeline,
        window=window,
        views=tuple(replace(view, aspect_ratio=ratio) for view, ratio in zip(views, ratios, strict=True)),
        options=DetectionOptions(
            min_score=max(smallest, least_score(options) or smallest),
            suppression=suppression_options(options),
        ),
        provenance={"imported_from": dict(source), "toolbox_name": str(options.get("name", ""))}
        | {"training": _training_options(options)},
    )


def _multi_class_cascade(
    classifier: Mapping[str, Any],
    trees: CompleteTrees,
    rejection: NDArray[np.float32],
    window_shape: tuple[int, int, int],
) -> Cascade:
    """Trees that vote: leaves hold labels from 1 (background), and weights and costs are in the struct."""
    n_classes = int(classifier["num_classes"])
    labels = trees.leaf
    if np.any((labels != np.rint(labels)) | (labels < 1) | (labels > n_classes)):
        raise ValueError(f"hs must hold labels from 1 to {n_classes} in leaves")
    scatter = np.asarray(classifier["Cprime"], np.float64)
    if scatter.shape != (n_classes, n_classes):
        raise ValueError(f"Cprime must be {n_classes}x{n_classes}, found shape {scatter.shape}")
    if not np.allclose(scatter.sum(axis=1), 0, atol=1e-9):
        raise ValueError("rows of Cprime must sum to 0")
    codes = np.asarray(classifier["Y"], np.float64)
    expected = np.where(np.eye(n_classes, dtype=bool), 1.0, -1 / (n_classes - 1))
    if codes.shape != expected.shape or not np.allclose(codes, expected):
        raise ValueError("Y must hold the margin vectors of the classes: 1 and -1/(K-1)")
    beta = np.asarray(classifier["wl_weights"], np.float64).ravel()
    return Cascade(
        feature=trees.feature,
        threshold=trees.threshold,
        rejection=rejection,
        window_shape=window_shape,
        leaf_label=(labels - 1).astype(np.uint8),
        beta=beta,
        cost_matrix=np.where(np.eye(n_classes, dtype=bool), 0.0, scatter),
    )


def _aspect_ratios(classifier: Mapping[str, Any], n_views: int) -> list[float]:
    if int(classifier.get("aRatioFixedWidth", 0)):
        raise ValueError("aRatioFixedWidth must be 0: boxes keep their height")
    ratios = np.asarray(classifier["aRatio"], np.float64).ravel()
    if len(ratios) != n_views or not np.all(ratios > 0):
        raise ValueError(f"aRatio must be {n_views} positive numbers, found {ratios.tolist()}")
    return [float(ratio) for ratio in ratios]


def _is_multi_class(struct: Mapping[str, Any]) -> bool:
    return "num_classes" in struct["clf"]


def _views(struct: Mapping[str, Any], names: Sequence[str] | None) -> tuple[View, ...]:
    """Views of a single detector, in the order of its classes."""
    count = int(struct["clf"]["num_classes"]) - 1 if _is_multi_class(struct) else 1
    return _named_views(names, count) or _known_views(_label(struct), count)


def _named_views(names: Sequence[str] | None, count: int) -> tuple[View, ...] | None:
    if names is None:
        return None
    if len(names) != count or len(set(names)) != count:
        raise ValueError(f"expected {count} different names of views (--views), found {', '.join(names)}")
    return tuple(View(name=name) for name in names)


def _known_views(label: str, count: int) -> tuple[View, ...]:
    if label == "Face" and count == len(FACE_VIEWS):
        return tuple(View(name=name, angle_deg=angle) for name, angle in FACE_VIEWS)
    if label == "Car" and count == N_CAR_VIEWS:
        # Viewpoints of KITTI: bin b has its centre at -(b - 1) * 18 degrees.
        angles = [(180 - bin_ * 360 / count) % 360 - 180 for bin_ in range(count)]
        return tuple(View(name=str(bin_ + 1), angle_deg=angle) for bin_, angle in enumerate(angles))
    if count == 1:
        return (View(name="object", angle_deg=math.nan),)
    return tuple(View(name=str(number + 1)) for number in range(count))


def _label(struct: Mapping[str, Any]) -> str:
    """Label of the objects that the detector was trained on, empty if there was none or several."""
    loading = struct["opts"].get("pLoad")
    label = loading.get("lbls", "") if isinstance(loading, Mapping) else ""
    return label if isinstance(label, str) else ""


def _training_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers and words that say how the detector was trained."""
    wanted = ("nWeak", "pBoost", "seed", "nPos", "nNeg", "nPerNeg", "nAccNeg", "pJitter", "cascCal")
    return {name: _plain(options[name]) for name in wanted if name in options}


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
