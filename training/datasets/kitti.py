"""KITTI's object data set (Geiger, Lenz, Urtasun, CVPR 2012): vehicles with the angle they are seen from.

Filters, ignored classes and views are those of the BAdaCost paper's experiments: cars of at least 25 pixels,
at most partly occluded and 30 % truncated (the level `moderate`); what else looks like a car is ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...detector.kitti_format import NO_ANGLE, KittiObject, parse_kitti_line
from ..views import ring_view_name
from .annotated_image import AnnotatedBox, AnnotatedImage, DatasetError
from .locations import find_folder, first_folder, read_lines

LABEL_FOLDERS = ("label_2", "training/label_2")
IMAGE_FOLDERS = ("image_2", "training/image_2")
IMAGE_SUFFIXES = (".png", ".jpg")
EASY_MIN_HEIGHT, EASY_MAX_OCCLUDED, EASY_MAX_TRUNCATED = 40.0, 0, 0.15


@dataclass(frozen=True, kw_only=True)
class KittiOptions:
    """Which labels of KITTI become objects.

    Parameters
    ----------
    classes : tuple of str
        Types to detect.
    ignored_classes : tuple of str
        Types that are neither objects nor background. The authors' four, and Misc, which holds trailers and
        the like.
    n_views : int
        Views around the object; 0: no views.
    min_height : float
        Pixels; lower objects are ignored.
    max_occluded : int
        0 visible, 1 partly, 2 largely occluded, 3 unknown; more occluded objects are ignored.
    max_truncated : float
        Objects of which a larger share is outside the image are ignored.
    frames : tuple of str or None
        Frames to read; None: all, sorted.
    """

    classes: tuple[str, ...] = ("Car",)
    ignored_classes: tuple[str, ...] = ("Van", "Truck", "Tram", "Misc", "DontCare")
    n_views: int = 20
    min_height: float = 25.0
    max_occluded: int = 1
    max_truncated: float = 0.3
    frames: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not self.classes:
            raise ValueError("classes of KittiOptions must name at least one type, found none")
        both = sorted(set(self.classes) & set(self.ignored_classes))
        if both:
            raise ValueError(
                f"ignored_classes of KittiOptions must not hold one of classes, found {both[0]!r}"
            )
        if self.n_views < 0 or self.n_views % 2:
            raise ValueError(f"n_views of KittiOptions must be 0 (no views) or even, found {self.n_views}")


def read_kitti(folder: Path, options: KittiOptions | None = None) -> Iterator[AnnotatedImage]:
    """Yield the frames of KITTI.

    Objects beyond the filters are ignored, other types than `classes` and `ignored_classes` are background.

    Parameters
    ----------
    folder : Path
        Holds ``training/label_2`` and ``training/image_2``, or these two directly.
    options : KittiOptions, optional

    Raises
    ------
    DatasetError
        If labels are not found, or a line is malformed.
    """
    options = options or KittiOptions()
    labels = find_folder(folder, LABEL_FOLDERS, "KITTI labels")
    images = first_folder(folder, IMAGE_FOLDERS)
    frames = options.frames
    if frames is None:
        frames = tuple(sorted(path.stem for path in labels.glob("*.txt")))
        if not frames:
            raise DatasetError(f"{labels}: holds no label file, expected NNNNNN.txt a frame")
    for frame in frames:
        candidates = [images / (frame + suffix) for suffix in IMAGE_SUFFIXES]
        image = next((path for path in candidates if path.is_file()), candidates[0])
        boxes = (_annotated_box(label, options) for label in read_kitti_labels(labels / f"{frame}.txt"))
        yield AnnotatedImage(image, tuple(box for box in boxes if box is not None))


def read_kitti_labels(path: Path) -> list[KittiObject]:
    """Read one label file.

    Raises
    ------
    DatasetError
        If it cannot be read, or a line is malformed.
    """
    labels = []
    for number, line in enumerate(read_lines(path), start=1):
        if line:
            try:
                labels.append(parse_kitti_line(line, scored=False))
            except ValueError as error:
                raise DatasetError(f"{path}:{number}: {error}") from error
    return labels


def _annotated_box(label: KittiObject, options: KittiOptions) -> AnnotatedBox | None:
    corners = (label.x1, label.y1, label.x2, label.y2)
    if label.type in options.ignored_classes:
        return AnnotatedBox(*corners, view=None, ignore=True)
    if label.type not in options.classes:
        return None
    view = None
    if options.n_views and label.alpha != NO_ANGLE:
        view = ring_view_name(math.degrees(label.alpha), options.n_views)
    ignore = (
        label.y2 - label.y1 < options.min_height
        or label.occluded > options.max_occluded
        or label.truncated > options.max_truncated
    )
    return AnnotatedBox(*corners, view=view, ignore=ignore, clearly_seen=_is_easy(label))


def _is_easy(label: KittiObject) -> bool:
    """Whether a label belongs to the level `easy`."""
    return (
        label.y2 - label.y1 >= EASY_MIN_HEIGHT
        and label.occluded <= EASY_MAX_OCCLUDED
        and label.truncated <= EASY_MAX_TRUNCATED
    )
