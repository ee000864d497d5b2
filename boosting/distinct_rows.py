"""Rows that are alike, so that random draws treat a repeated row and a row of that weight the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def group_equal_rows(rows: NDArray[Any], codes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct (class, row) pairs in their sorted order.

    Parameters
    ----------
    rows : (n, F) array
    codes : (n,) int or bool
        Class of every row.

    Returns
    -------
    groups : (n,) int64
        Number of each row's pair.
    codes_of_groups : (n_groups,) int64
    """
    distinct, groups = np.unique(np.column_stack([codes, rows]), axis=0, return_inverse=True)
    return groups.ravel(), distinct[:, 0].astype(np.int64)
