"""The detector: an immutable trained model that finds objects in images and names their view."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..features.pyramid import PyramidOptions
from ..features.threads import map_in_order
from .binary_cascade import BinaryCascade
from .cascade import Cascade
from .detections import Detections
from .detector_model import DetectorModel
from .feature_levels import FeatureLevel
from .images import as_rgb, read_image
from .model_file import load_model, save_model
from .scan import Windows, scan_level
from .suppression import suppress
from .window_boxes import object_boxes

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Detector(DetectorModel):
    """A trained multi-view detector.

    Immutable, so it may be used from several threads at once; `with_options` gives another one.

    Examples
    --------
    >>> detector = Detector.load("faces")                            # doctest: +SKIP
    >>> detections = detector.with_options(min_size=24).detect("photo.jpg")   # doctest: +SKIP
    >>> for detection in detections:                                 # doctest: +SKIP
    ...     print(detection.box, detection.score, detection.view)
    """

    def __repr__(self) -> str:
        views = ", ".join(self.view_names)
        return f"<Detector {self.name}: {self.cascade.n_trees} trees, views {views}>"

    @classmethod
    def load(cls, name_or_path: str | Path) -> Detector:
        """Load a shipped model by name, or a model file by path.

        Raises
        ------
        ModelError
            When there is none, or the file is damaged, of another version or no detector.
        """
        model = load_model(name_or_path)
        return cls(**{each.name: getattr(model, each.name) for each in fields(model)})

    def save(self, path: str | Path) -> None:
        """Write the model file (``.npz``), under a temporary name first."""
        save_model(self, path)

    def with_options(self, **changes: Any) -> Detector:
        """Return a detector with other detection options.

        Parameters
        ----------
        **changes
            Fields of `DetectionOptions`, or ``nms_overlap`` for the overlap of its suppression; 1 switches
            suppression off, its second pass too.
        """
        if "nms_overlap" in changes:
            suppression = changes.get("suppression", self.options.suppression)
            overlap = changes.pop("nms_overlap")
            contained = None if overlap == 1 else suppression.contained_overlap
            changes["suppression"] = replace(suppression, overlap=overlap, contained_overlap=contained)
        if changes.get("views") is not None:
            changes["views"] = tuple(changes["views"])
        return replace(self, options=replace(self.options, **changes))

    @cached_property
    def scanned_cascade(self) -> Cascade | BinaryCascade:
        """The cascade with the slack of the options."""
        return self.cascade.with_slack(self.options.cascade_slack)

    @property
    def scanned_pyramid(self) -> PyramidOptions:
        """The pyramid that covers the object sizes of the options."""
        own = float(self.window.object_height)
        smallest, largest = self.options.min_size, self.options.max_size
        pyramid = self.pipeline.pyramid
        if smallest is not None:
            pyramid = replace(pyramid, octaves_up=math.log2(own / smallest))
        if largest is not None:
            pyramid = replace(pyramid, min_scale=own / largest)
        return pyramid

    def levels(self, image: NDArray[np.uint8]) -> Iterator[FeatureLevel]:
        """Yield the feature levels that `detect` scans, one at a time and whole.

        Parameters
        ----------
        image : (H, W, 3) uint8 RGB
        """
        return self.pipeline.levels(image, pyramid=self.scanned_pyramid, threads=self.options.threads)

    def map_levels(
        self, function: Callable[[FeatureLevel, int], Result], image: NDArray[np.uint8]
    ) -> list[Result]:
        """Apply a function of a level and a number of threads to the levels of an image; see `FeaturePipeline`.

        Parameters
        ----------
        function : callable
        image : (H, W, 3) uint8 RGB

        Returns
        -------
        list
            A result a level, or strip of a level, largest first.
        """
        return self.pipeline.map_levels(
            function,
            image,
            pyramid=self.scanned_pyramid,
            window_rows=self.cascade.window_shape[1],
            threads=self.options.threads,
        )

    def detect(self, image: NDArray | str | Path) -> Detections:
        """Find objects in an image.

        Parameters
        ----------
        image : (H, W, 3) uint8 RGB, what `as_rgb` accepts, or a path

        Returns
        -------
        Detections
            Best score first, boxes in pixels of the image as shown, not clipped.

        Raises
        ------
        ImageError
            When the image cannot be read.
        """
        pixels = read_image(image) if isinstance(image, str | Path) else as_rgb(image)
        found = self._merged(self.map_levels(self._found_in, pixels), pixels.shape[:2])
        found = found[suppress(found.boxes, found.scores, self.options.suppression)]
        if self.options.views is not None:
            found = found[np.isin(found.views, self.options.views)]
        if self.options.max_detections is not None:
            found = found[: self.options.max_detections]
        return found

    def detect_many(self, images: Iterable[NDArray | str | Path], *, jobs: int = 1) -> Iterator[Detections]:
        """Yield the detections of each image in order, `jobs` images at a time.

        Raises
        ------
        ImageError
            At the image that cannot be read.
        """
        yield from map_in_order(self.detect, images, jobs)

    def boxes_of_windows(self, level: FeatureLevel, windows: Windows) -> NDArray[np.float32]:
        """Object boxes of a level's windows in the image, each of its view's aspect ratio."""
        if not len(windows.scores):  # of most small levels
            return np.empty((0, 4), np.float32)
        ratio = np.array([view.aspect_ratio for view in self.views])[windows.labels.astype(np.int64) - 1]
        return object_boxes(level, windows.rows, windows.columns, ratio, self.pipeline, self.window)

    def _found_in(self, level: FeatureLevel, threads: int) -> tuple[NDArray, NDArray, NDArray]:
        """Boxes, scores and views of a level's windows."""
        windows = scan_level(level.features, self.scanned_cascade, threads=threads)
        windows = windows.from_score(self.options.min_score)
        return self.boxes_of_windows(level, windows), windows.scores, windows.labels.astype(np.int64) - 1

    def _merged(
        self, found: Sequence[tuple[NDArray, NDArray, NDArray]], image_size: tuple[int, ...]
    ) -> Detections:
        boxes, scores, view_indices = ([part[field] for part in found] for field in range(3))
        return Detections(
            np.concatenate([np.empty((0, 4), np.float32), *boxes]),
            np.concatenate([np.empty(0, np.float32), *scores]),
            np.concatenate([np.empty(0, np.int64), *view_indices]),
            self.view_names,
            self.view_angles,
            (int(image_size[0]), int(image_size[1])),
        )
