"""What a command reports of one image: its detections, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass

from .detections import Detections


@dataclass(frozen=True)
class ImageResult:
    """Outcome of one image.

    Parameters
    ----------
    file : str
        As the user named it.
    detections : Detections, optional
        None when the image failed.
    error : str, optional
        Why it failed.
    """

    file: str
    detections: Detections | None
    error: str | None = None

    @property
    def width(self) -> int | None:
        """Width of the image in pixels, None when it failed."""
        return self._size(1)

    @property
    def height(self) -> int | None:
        """Height of the image in pixels, None when it failed."""
        return self._size(0)

    def _size(self, axis: int) -> int | None:
        if self.detections is None or self.detections.image_size is None:
            return None
        return self.detections.image_size[axis]
