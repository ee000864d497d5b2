"""Turning a detector's rectangles into ellipses like FDDB's, by numbers fitted on other images.

FDDB annotates ellipses, and even a perfect rectangle around one overlaps it by pi / 4 only. The upright ellipse that
replaces a rectangle is described by four numbers a view, medians over matched detections. Fitted on the images that
are evaluated, they would tell the detector how the test set is annotated; that is why a conversion remembers its
images, and `check_not_fitted_on` refuses them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .fddb_faces import FddbDetections, FddbImage
from .fddb_matching import MATCH_OVERLAP, best_assignment
from .fddb_regions import region_overlaps
from .input_records import EvaluationError, reason
from .reporting import write_json
from .views import ViewSet

FORMAT, VERSION = "badacost-ellipse-conversion", 1
FEWEST_FACES = 20


@dataclass(frozen=True, kw_only=True)
class UprightEllipse:
    """An upright ellipse relative to a rectangle.

    Parameters
    ----------
    shift_x, shift_y : float
        From the rectangle's centre to the ellipse's, in widths and heights.
    vertical_radius, horizontal_radius : float
        In heights and widths; positive.
    """

    shift_x: float
    shift_y: float
    vertical_radius: float
    horizontal_radius: float

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise ValueError(f"{name} of UprightEllipse must be a finite number, found {value!r}")
            if name.endswith("radius") and value <= 0:
                raise ValueError(f"{name} of UprightEllipse must be positive, found {value!r}")

    def apply(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the ellipses, (n, 5), of boxes ``x1, y1, x2, y2``."""
        sides = boxes[:, 2:] - boxes[:, :2]
        centres = (boxes[:, :2] + boxes[:, 2:]) / 2 + sides * (self.shift_x, self.shift_y)
        radii = sides[:, ::-1] * (self.vertical_radius, self.horizontal_radius)
        return np.hstack((radii, np.full((len(boxes), 1), np.pi / 2), centres))


@dataclass(frozen=True, kw_only=True)
class EllipseConversion:
    """How rectangles become ellipses.

    Parameters
    ----------
    default : UprightEllipse
        For detections without a view, and views with too few faces to fit.
    views : mapping of view name to UprightEllipse
    fitted_images : frozenset of str
        Names of the images it was fitted on.
    """

    default: UprightEllipse
    views: Mapping[str, UprightEllipse] = field(default_factory=dict)
    fitted_images: frozenset[str] = frozenset()

    def apply(self, detections: FddbDetections, view_set: ViewSet) -> FddbDetections:
        """Return the detections with ellipses in place of rectangles.

        Raises
        ------
        EvaluationError
            If the detections are ellipses already.
        """
        regions = [
            self._ellipses(boxes, views, view_set)
            for boxes, views in zip(detections.regions, detections.view_indices, strict=True)
        ]
        return replace(detections, regions=regions)

    def _ellipses(
        self, boxes: NDArray[np.float64], views: NDArray[np.int64], view_set: ViewSet
    ) -> NDArray[np.float64]:
        if boxes.shape[1] != 4:
            raise EvaluationError("the detections are ellipses already: only rectangles can be converted")
        ellipses = self.default.apply(boxes)
        for view, name in enumerate(view_set.names):
            if name in self.views:
                rows = views == view
                ellipses[rows] = self.views[name].apply(boxes[rows])
        return ellipses

    def check_not_fitted_on(self, names: Collection[str]) -> None:
        """Raise `EvaluationError` if any of the named images was used to fit the conversion."""
        shared = sorted(self.fitted_images.intersection(names))
        if shared:
            raise EvaluationError(
                f"the ellipse conversion was fitted on {len(shared)} of the evaluated images, first {shared[0]!r}: "
                "fit it on other images"
            )

    def save(self, path: Path) -> None:
        """Write the conversion as JSON."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "default": asdict(self.default),
            "views": {name: asdict(ellipse) for name, ellipse in self.views.items()},
            "fitted_images": sorted(self.fitted_images),
        }
        write_json(path, content)

    @classmethod
    def load(cls, path: Path) -> EllipseConversion:
        """Read what `save` wrote.

        Raises
        ------
        EvaluationError
            If the file is missing, of another format or version, or malformed.
        """
        try:
            content: Any = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(content, dict) or content.get("format") != FORMAT:
                raise ValueError(f'expected an object with "format": "{FORMAT}"')
            if content.get("version") != VERSION:
                raise ValueError(f"found version {content.get('version')!r}, expected {VERSION}")
            return cls(
                default=UprightEllipse(**content["default"]),
                views={name: UprightEllipse(**numbers) for name, numbers in content["views"].items()},
                fitted_images=frozenset(content["fitted_images"]),
            )
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise EvaluationError(f"{path}: is no ellipse conversion ({reason(error)})") from error


def fit_ellipse_conversion(
    images: Sequence[FddbImage], detections: FddbDetections, view_set: ViewSet
) -> EllipseConversion:
    """Fit the conversion: medians over the detections that find a face, for each predicted view.

    Parameters
    ----------
    images : sequence of FddbImage
    detections : FddbDetections
        Rectangles, in the order of `images`.
    view_set : ViewSet

    Raises
    ------
    EvaluationError
        If fewer than 20 faces are found.
    """
    return _median_conversion(images, _found_faces(images, detections), view_set)


def convert_fold_by_fold(
    images: Sequence[FddbImage], detections: FddbDetections, view_set: ViewSet
) -> FddbDetections:
    """Convert the rectangles of each fold by what is fitted on all other folds.

    Raises
    ------
    EvaluationError
        If the images do not come in at least two folds.
    """
    folds = {image.fold for image in images}
    if len(folds) < 2 or None in folds:
        raise EvaluationError("the ground truth has no folds: give the folder of the fold lists")
    found = _found_faces(images, detections)
    regions = list(detections.regions)
    for fold in folds:
        inside = [index for index, image in enumerate(images) if image.fold == fold]
        outside = [index for index, image in enumerate(images) if image.fold != fold]
        conversion = _median_conversion(
            [images[index] for index in outside], [found[index] for index in outside], view_set
        )
        converted = conversion.apply(detections.of_images(inside), view_set)
        for index, ellipses in zip(inside, converted.regions, strict=True):
            regions[index] = ellipses
    return replace(detections, regions=regions)


class _FoundFaces(NamedTuple):
    """The four numbers of `UprightEllipse`, (n, 4), and the predicted view of each face found in an image."""

    numbers: NDArray[np.float64]
    view_indices: NDArray[np.int64]


def _found_faces(images: Sequence[FddbImage], detections: FddbDetections) -> list[_FoundFaces]:
    found = []
    for image, boxes, views in zip(images, detections.regions, detections.view_indices, strict=True):
        if boxes.shape[1] != 4:
            raise EvaluationError("the detections are ellipses already: only rectangles can be converted")
        overlaps = region_overlaps(image.ellipses, boxes, image.height, image.width)
        rows, columns = best_assignment(overlaps)
        hits = overlaps[rows, columns] > MATCH_OVERLAP
        numbers = _relative_ellipses(image.ellipses[rows[hits]], boxes[columns[hits]])
        found.append(_FoundFaces(numbers, views[columns[hits]]))
    return found


def _median_conversion(
    images: Sequence[FddbImage], found: Sequence[_FoundFaces], view_set: ViewSet
) -> EllipseConversion:
    numbers = np.concatenate([np.zeros((0, 4)), *(faces.numbers for faces in found)])
    views = np.concatenate([np.zeros(0, np.int64), *(faces.view_indices for faces in found)])
    if len(numbers) < FEWEST_FACES:
        raise EvaluationError(
            f"only {len(numbers)} faces are found: too few to fit ellipses, expected {FEWEST_FACES} or more"
        )
    per_view = {
        name: _median_ellipse(numbers[views == view])
        for view, name in enumerate(view_set.names)
        if np.count_nonzero(views == view) >= FEWEST_FACES
    }
    return EllipseConversion(
        default=_median_ellipse(numbers),
        views=per_view,
        fitted_images=frozenset(image.name for image in images),
    )


def _relative_ellipses(ellipses: NDArray[np.float64], boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the four numbers of `UprightEllipse` for matched ellipses and boxes, (n, 4)."""
    sides = boxes[:, 2:] - boxes[:, :2]
    shifts = (ellipses[:, 3:] - (boxes[:, :2] + boxes[:, 2:]) / 2) / sides
    upright = np.abs(np.sin(ellipses[:, 2])) >= math.sqrt(
        0.5
    )  # otherwise the second axis is the vertical one
    radii = np.where(upright[:, None], ellipses[:, :2], ellipses[:, 1::-1])
    return np.hstack((shifts, radii / sides[:, ::-1]))


def _median_ellipse(numbers: NDArray[np.float64]) -> UprightEllipse:
    shift_x, shift_y, vertical, horizontal = np.median(numbers, axis=0).tolist()
    return UprightEllipse(
        shift_x=shift_x, shift_y=shift_y, vertical_radius=vertical, horizontal_radius=horizontal
    )
