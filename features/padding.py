"""Padding and cropping of planes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Border = Literal["replicate", "symmetric", "circular"]
_NUMPY_MODES = {"replicate": "edge", "symmetric": "symmetric", "circular": "wrap"}


def pad(
    planes: NDArray, amounts: tuple[int, int] | tuple[int, int, int, int], border: Border | float = 0.0
) -> NDArray:
    """Pad planes at their four sides; negative amounts crop.

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
        For an unknown border, or when nothing is left.
    """
    if len(amounts) == 2:
        amounts = (amounts[0], amounts[0], amounts[1], amounts[1])
    top, bottom, left, right = amounts
    height, width = planes.shape[-2:]
    if height + top + bottom < 0 or width + left + right < 0:
        raise ValueError(f"amounts of pad must leave planes of {height} x {width} something, found {amounts}")
    planes = planes[..., max(-top, 0) : height - max(-bottom, 0), max(-left, 0) : width - max(-right, 0)]
    widths = [(0, 0)] * (planes.ndim - 2) + [(max(top, 0), max(bottom, 0)), (max(left, 0), max(right, 0))]
    if not isinstance(border, str):
        return np.pad(planes, widths, constant_values=border)
    if border not in _NUMPY_MODES:
        raise ValueError(f"border of pad must be {', '.join(_NUMPY_MODES)} or a number, found {border!r}")
    return np.pad(planes, widths, mode=_NUMPY_MODES[border])  # type: ignore[call-overload, no-any-return]
