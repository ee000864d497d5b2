"""Several cascades for different views, run over one pyramid, with one suppression over all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .detection_options import View
from .detections import Detections
from .detector import Detector
from .feature_levels import FeatureLevel
from .images import as_rgb, read_image
from .model_file import ModelError
from .scan import Windows, scan_level
from .suppression import suppress

# Of a run folder, the model of each view in the order of the views, counted from 1.
MODEL_OF_VIEW = "view_{number}/model.npz"


class ScanFigures(NamedTuple):
    """What the scan of an image took: windows of the pyramid, and trees evaluated for them together."""

    n_windows: int
    n_evaluations: int


@dataclass(frozen=True, eq=False)
class SubcategoryDetector:
    """Detectors of different views, usually of a single one each, which share features and window.

    A window may be found by several of them; the suppression over all keeps the best. Scores of different detectors
    are compared as they are, like in the papers.

    Parameters
    ----------
    name : str
    detectors : tuple of Detector
        The first one's options hold for all but the cascade's slack, which is each one's own.

    Raises
    ------
    ValueError
        If there is none, two have the same view, or they differ in features or window.
    """

    name: str
    detectors: tuple[Detector, ...]

    def __post_init__(self) -> None:
        if not self.detectors:
            raise ValueError("detectors of SubcategoryDetector must not be empty")
        first = self.detectors[0]
        for detector in self.detectors:
            same_shape = detector.cascade.window_shape == first.cascade.window_shape
            if not (detector.window == first.window and same_shape and _same_features(detector, first)):
                raise ValueError(
                    f"detectors of SubcategoryDetector must share window and features, found others in {detector.name}"
                )
        if len(set(self.view_names)) < len(self.view_names):
            raise ValueError("detectors of SubcategoryDetector must be of different views")

    @classmethod
    def load(cls, folder: str | Path) -> SubcategoryDetector:
        """Load the detectors of a run folder.

        Raises
        ------
        ModelError
            When the folder holds none, or one of them cannot be read.
        """
        folder = Path(folder).resolve()
        parts: list[Detector] = []
        while (path := folder / MODEL_OF_VIEW.format(number=len(parts) + 1)).is_file():
            parts.append(Detector.load(path))
        if not parts:
            raise ModelError(
                f"{folder}: holds no detectors of views, expected {MODEL_OF_VIEW.format(number=1)}"
            )
        return cls(folder.name, tuple(parts))

    def with_options(self, **changes: Any) -> SubcategoryDetector:
        """Return a detector with other detection options; see `Detector.with_options`."""
        return replace(self, detectors=tuple(detector.with_options(**changes) for detector in self.detectors))

    @property
    def views(self) -> tuple[View, ...]:
        """The views of all detectors."""
        return tuple(view for detector in self.detectors for view in detector.views)

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views."""
        return tuple(view.name for view in self.views)

    @property
    def view_angles(self) -> tuple[float, ...]:
        """Angles of the views in degrees."""
        return tuple(view.angle_deg for view in self.views)

    def detect(self, image: NDArray | str | Path) -> Detections:
        """Find objects in an image; see `Detector.detect`."""
        return self.detect_counting(image)[0]

    def detect_counting(self, image: NDArray | str | Path) -> tuple[Detections, ScanFigures]:
        """Find objects, and tell what their scan took; windows of the pyramid count once for all detectors."""
        pixels = read_image(image) if isinstance(image, str | Path) else as_rgb(image)
        options = self.detectors[0].options
        boxes, scores, views = [np.empty((0, 4), np.float32)], [np.empty(0, np.float32)], []
        n_windows = n_evaluations = 0
        for found_by_detector in self.detectors[0].map_levels(self._found_in, pixels):
            first_view = 0
            for detector, (level_boxes, windows) in zip(self.detectors, found_by_detector, strict=True):
                boxes.append(level_boxes)
                scores.append(windows.scores)
                views.append(windows.labels.astype(np.int64) - 1 + first_view)
                n_windows += windows.n_windows if first_view == 0 else 0
                first_view += len(detector.views)
                n_evaluations += windows.n_evaluations
        height, width = pixels.shape[:2]
        found = Detections(
            np.concatenate(boxes),
            np.concatenate(scores),
            np.concatenate([np.empty(0, np.int64), *views]),
            self.view_names,
            self.view_angles,
            (height, width),
        )
        found = found[suppress(found.boxes, found.scores, options.suppression)]
        if options.views is not None:
            found = found[np.isin(found.views, options.views)]
        return found[: options.max_detections], ScanFigures(n_windows, n_evaluations)

    def _found_in(self, level: FeatureLevel, threads: int) -> list[tuple[NDArray[np.float32], Windows]]:
        """Boxes and windows of a level, for each detector."""
        found = []
        for detector in self.detectors:
            windows = scan_level(level.features, detector.scanned_cascade, threads=threads)
            windows = windows.from_score(detector.options.min_score)
            found.append((detector.boxes_of_windows(level, windows), windows))
        return found


def _same_features(one: Detector, other: Detector) -> bool:
    """Whether two pipelines give the same features: options, filters and quantisation."""
    a, b = one.pipeline, other.pipeline
    if (a.channels, a.pyramid) != (b.channels, b.pyramid):
        return False
    arrays = [
        (x.filters.filters if x.filters is not None else None,
         x.quantization.offset if x.quantization is not None else None,
         x.quantization.scale if x.quantization is not None else None)
        for x in (a, b)
    ]  # fmt: skip
    return all(
        (left is None) == (right is None) and (left is None or right is None or np.array_equal(left, right))
        for left, right in zip(*arrays, strict=True)
    )
