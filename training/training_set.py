"""The images that a detector is trained on."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .datasets.annotated_image import AnnotatedBox, AnnotatedImage
from .views import ViewSet


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Images to learn from.

    Parameters
    ----------
    annotated : sequence of AnnotatedImage
        Their objects are the positives, their background gives negatives. An object without a view is neither.
    negatives : sequence of AnnotatedImage
        Images without objects.
    views : ViewSet

    Raises
    ------
    ValueError
        If an object has a view that is not among the views, or no area; the message names the image.
    """

    annotated: Sequence[AnnotatedImage]
    negatives: Sequence[AnnotatedImage]
    views: ViewSet

    def __post_init__(self) -> None:
        for image, box in self._objects():
            problem = self._problem(box)
            if problem:
                raise ValueError(f"{image.path}: {problem}")

    @property
    def mined(self) -> list[AnnotatedImage]:
        """All images that negatives are looked for in."""
        return [*self.negatives, *self.annotated]

    @property
    def n_objects(self) -> int:
        """Number of objects with a view, the positives."""
        return sum(box.view is not None for _, box in self._objects())

    def views_without_objects(self, *, mirror: bool) -> list[str]:
        """Names of the views that no object has, nor with `mirror` the mirror image of one."""
        index = {name: position for position, name in enumerate(self.views.names)}
        seen: set[int | None] = {index[box.view] for _, box in self._objects() if box.view is not None}
        if mirror:
            seen |= {self.views.mirrored[view] for view in seen if view is not None}
        return [name for name, position in index.items() if position not in seen]

    def fingerprint(self) -> str:
        """Digest of the views, the images' names and their boxes, in order; their folders do not count."""
        digest = hashlib.sha256(repr((self.views.names, self.views.mirrored)).encode())
        for image in self.mined:
            boxes = [
                (*map(float, (box.x1, box.y1, box.x2, box.y2)), box.view, box.ignore, box.clearly_seen)
                for box in image.boxes
            ]
            digest.update(repr((image.path.name, boxes)).encode())
        return digest.hexdigest()

    def _objects(self) -> Iterator[tuple[AnnotatedImage, AnnotatedBox]]:
        for image in self.annotated:
            for box in image.boxes:
                if not box.ignore:
                    yield image, box

    def _problem(self, box: AnnotatedBox) -> str:
        corners = (box.x1, box.y1, box.x2, box.y2)
        if not all(map(math.isfinite, corners)) or box.x2 <= box.x1 or box.y2 <= box.y1:
            return f"the box has the corners {corners}, expected x1 < x2 and y1 < y2"
        if box.view is not None and box.view not in self.views.names:
            return f"the view is {box.view!r}, expected one of {', '.join(self.views.names)}"
        return ""
