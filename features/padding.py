"""Padding and cropping of planes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Border = Literal["replicate", "symmetric", "circular"]

_NUMPY_MODES: dict[str, Literal["edge", "symmetric", "wrap"]] = {
    "replicate": "edge",
    "symmetric": "symmetric",
    "circular": "wrap",
}


def pad(
    planes: NDArray, amounts: tuple[int, int] | tuple[int, int, int, int], border: Border | float = 0.0
) -> NDArray:
    """Pad planes at their four sides; negative amounts crop, before any padding.

    Parameters
    ----------
    planes : (..., H, W) array
    amounts : (rows, columns) or (top, bottom, left, right)
        Cells to add.
    border : {"replicate", "symmetric", "circular"} or float
        How the new cells are filled, or their value. "symmetric" repeats the outermost cell.

    Returns
    -------
    (..., H', W') array of the same type

    Raises
    ------
    ValueError
        If there are neither two nor four whole amounts, the border is unknown, or cropping leaves nothing.

    Examples
    --------
    >>> pad(np.array([[1, 2]]), (0, 0, 1, 2), "replicate")
    array([[1, 1, 2, 2, 2]])
    """
    if len(amounts) not in (2, 4) or any(amount != int(amount) for amount in amounts):
        raise ValueError(f"amounts of pad must be two or four whole numbers, found {amounts}")
    if isinstance(border, str) and border not in _NUMPY_MODES:
        raise ValueError(f"border of pad must be {', '.join(_NUMPY_MODES)} or a number, found {border!r}")
    if len(amounts) == 2:
        amounts = (amounts[0], amounts[0], amounts[1], amounts[1])
    top, bottom, left, right = (int(amount) for amount in amounts)
    height, width = planes.shape[-2:]
    planes = planes[..., max(-top, 0) : height - max(-bottom, 0), max(-left, 0) : width - max(-right, 0)]
    if 0 in planes.shape[-2:]:
        raise ValueError(f"amounts of pad must leave planes of {height} x {width} something, found {amounts}")
    margins = [(0, 0)] * (planes.ndim - 2) + [(max(top, 0), max(bottom, 0)), (max(left, 0), max(right, 0))]
    if isinstance(border, str):
        return np.pad(planes, margins, mode=_NUMPY_MODES[border])
    return np.pad(planes, margins, constant_values=border)
