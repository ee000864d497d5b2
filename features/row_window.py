"""Rows of an image that are made in order and needed for a short while only."""

from __future__ import annotations

import numpy as np


class RowWindow:
    """Memory for some consecutive rows of planes, moved down the image.

    A stage that works in such a window instead of whole planes stays in the processor's cache.

    Parameters
    ----------
    n_planes, capacity, width : int
        The window holds `capacity` rows at most.

    Attributes
    ----------
    rows : (n_planes, capacity, width) float32
        Row y of the image is ``rows[:, y - first]``. Finite everywhere from the beginning.
    first : int
        The image's row at the top of the window; may lie above the image.
    """

    def __init__(self, n_planes: int, capacity: int, width: int) -> None:
        self.rows = np.zeros((n_planes, capacity, width), np.float32)
        self.first = 0
        self._end: int | None = None

    def slide(self, first: int, end: int) -> int:
        """Move the window to rows `first` to `end` of the image; neither may decrease from call to call.

        Returns
        -------
        int
            The first of these rows that was not in the window before: the caller makes them from there on.
        """
        kept = 0 if self._end is None else max(self._end - first, 0)
        start = first - self.first
        if kept and start:
            self.rows[:, :kept] = self.rows[:, start : start + kept]
        self.first, self._end = first, end
        return first + kept
