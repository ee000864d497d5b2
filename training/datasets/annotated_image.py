"""What every data set reader yields: an image file and the boxes annotated in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class DatasetError(ValueError):
    """A data set cannot be used; the message names the file, and the line where there is one."""


@dataclass(frozen=True)
class AnnotatedBox:
    """One annotated object.

    Parameters
    ----------
    x1, y1, x2, y2 : float
        Corners in pixels of the image as shown; they may stick out of it.
    view : str, optional
        None where the view is unknown.
    ignore : bool
        Neither a positive nor background.
    clearly_seen : bool
        False where a data set knows that the object is small, partly hidden or cut off, so that the proportions of
        its box are not to be trusted.
    """

    x1: float
    y1: float
    x2: float
    y2: float
    view: str | None = None
    ignore: bool = False
    clearly_seen: bool = True

    @property
    def aspect_ratio(self) -> float:
        """Width / height."""
        return (self.x2 - self.x1) / (self.y2 - self.y1)


@dataclass(frozen=True)
class AnnotatedImage:
    """An image file with its annotated objects.

    Parameters
    ----------
    path : Path
    boxes : tuple of AnnotatedBox
    """

    path: Path
    boxes: tuple[AnnotatedBox, ...] = ()

    def corners(self, *, ignored: bool) -> NDArray[np.float32]:
        """Return the (n, 4) corners of the ignored, or of the other objects."""
        rows = [(box.x1, box.y1, box.x2, box.y2) for box in self.boxes if box.ignore == ignored]
        return np.array(rows, np.float32).reshape(-1, 4)


@dataclass(frozen=True)
class Dataset:
    """Images of a data set, and what was left out of it.

    Parameters
    ----------
    images : sequence of AnnotatedImage
    n_skipped : int
        Records that were left out because they are malformed.
    messages : tuple of str
        A reason for each.
    """

    images: Sequence[AnnotatedImage]
    n_skipped: int = 0
    messages: tuple[str, ...] = ()
