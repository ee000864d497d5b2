"""AFW's and PASCAL Faces' MATLAB files.

`Annotations` (struct array with `imgname` and `objects`) holds the corrected boxes of Mathias et al. with an
ignore flag in column 6, or PASCAL Faces' first version with four columns. `anno` (cell array) is AFW as
published by Zhu and Ramanan (CVPR 2012): boxes with yaw, pitch and roll in degrees.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .ground_truth import FaceGroundTruth
from .input_records import BadRecords, EvaluationError, reason


def read_matlab_annotations(
    path: Path, bad: BadRecords, *, max_roll_deg: float | None = None
) -> list[FaceGroundTruth]:
    """Read either kind of file.

    Parameters
    ----------
    path : Path
    bad : BadRecords
        Receives images that cannot be used.
    max_roll_deg : float, optional
        Leave the view unknown where the roll is not in ``[-max_roll_deg, max_roll_deg)``; the BAdaCost
        paper's 35.

    Raises
    ------
    EvaluationError
        If the file is no such MATLAB file, or an image in it is malformed (see `BadRecords`).
    """
    from scipy.io import loadmat

    try:
        content = loadmat(path)
    except Exception as error:  # SciPy raises errors of many kinds on damaged files and other formats
        raise EvaluationError(f"{path}: not a readable MATLAB 5 file ({reason(error)})") from error
    if "Annotations" in content and {"imgname", "objects"} <= set(content["Annotations"].dtype.names or ()):
        return _read_all(path, content["Annotations"].ravel(), _read_corrected, bad)
    if "anno" in content and content["anno"].ndim == 2 and content["anno"].shape[1] >= 3:
        return _read_all(path, content["anno"], lambda row: _read_posed(row, max_roll_deg), bad)
    found = ", ".join(sorted(key for key in content if not key.startswith("__"))) or "nothing"
    raise EvaluationError(
        f"{path}: found {found}, "
        "expected the struct array Annotations (imgname, objects) or the cell array anno (N x 4)"
    )


def _read_all(
    path: Path, records: Any, read: Callable[[Any], FaceGroundTruth], bad: BadRecords
) -> list[FaceGroundTruth]:
    images = []
    seen: set[str] = set()
    for number, record in enumerate(records, start=1):
        try:
            image = read(record)
            if image.name in seen:
                raise ValueError(f"image {image.name!r} occurs twice")
        except (ValueError, IndexError, TypeError) as error:
            bad.add(path, None, f"image {number}: {error}")
            continue
        seen.add(image.name)
        images.append(image)
    return images


def _read_corrected(record: Any) -> FaceGroundTruth:
    name = str(record["imgname"].ravel()[0])
    # Files hold integers of any width, whose differences would wrap.
    objects = np.asarray(record["objects"], dtype=np.float64)
    if objects.size == 0:
        return FaceGroundTruth.create(name, [])
    if objects.ndim != 2 or objects.shape[1] not in (4, 6):
        raise ValueError(f"objects of {name!r} must have 4 or 6 columns, found shape {objects.shape}")
    _check_boxes(name, objects[:, :4])
    ignored = objects[:, 5] == 1 if objects.shape[1] == 6 else None
    return FaceGroundTruth.create(name, objects[:, :4], ignored=ignored)


def _read_posed(row: Any, max_roll_deg: float | None) -> FaceGroundTruth:
    name = str(row[0].ravel()[0])
    boxes = [np.asarray(box, dtype=np.float64).reshape(4) for box in row[1].ravel()]
    poses = [np.asarray(pose, dtype=np.float64).reshape(3) for pose in row[2].ravel()]
    if len(boxes) != len(poses):
        raise ValueError(f"{name!r} has {len(boxes)} boxes, but {len(poses)} poses")
    _check_boxes(name, np.asarray(boxes).reshape(-1, 4))
    yaws = np.array([pose[0] for pose in poses])
    if max_roll_deg is not None:
        rolls = np.array([pose[2] for pose in poses])
        yaws = np.where((rolls >= -max_roll_deg) & (rolls < max_roll_deg), yaws, np.nan)
    return FaceGroundTruth.create(name, boxes, yaws_deg=yaws)


def _check_boxes(name: str, boxes: np.ndarray[Any, Any]) -> None:
    if not np.isfinite(boxes).all():
        raise ValueError(f"{name!r} has a box that is not finite")
    if not (boxes[:, 2:] > boxes[:, :2]).all():
        raise ValueError(f"{name!r} has a box without width or height: {boxes.tolist()}")
