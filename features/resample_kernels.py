"""Kernel of separable resampling."""

from __future__ import annotations

import numpy as np

from .compilation import fast_kernel


@fast_kernel
def resample_rows(source, first_row, row_weights, first_column, column_weights, rows_from, rows_to, target):
    """Fill rows [rows_from, rows_to) of all target planes: rows are mixed first, then columns.

    Parameters
    ----------
    source : (C, H, W) float32
    first_row, first_column : (h,), (w,) int64
        First source cell of each target cell.
    row_weights, column_weights : (h, taps), (w, taps) float32
    target : (C, h, w) float32, written
    """
    n_planes, _, source_width = source.shape
    width = target.shape[2]
    row_taps, column_taps = row_weights.shape[1], column_weights.shape[1]
    mixed = np.empty(source_width, np.float32)
    for c in range(n_planes):
        for y in range(rows_from, rows_to):
            row = source[c, first_row[y]]
            weight = row_weights[y, 0]
            for x in range(source_width):
                mixed[x] = weight * row[x]
            for tap in range(1, row_taps):
                weight = row_weights[y, tap]
                if weight != 0:
                    row = source[c, first_row[y] + tap]
                    for x in range(source_width):
                        mixed[x] += weight * row[x]
            out = target[c, y]
            if column_taps == 1:
                for x in range(width):
                    out[x] = column_weights[x, 0] * mixed[first_column[x]]
            elif column_taps == 2:
                for x in range(width):
                    k = first_column[x]
                    out[x] = column_weights[x, 0] * mixed[k] + column_weights[x, 1] * mixed[k + 1]
            elif column_taps == 3:
                for x in range(width):
                    k = first_column[x]
                    out[x] = (
                        column_weights[x, 0] * mixed[k]
                        + column_weights[x, 1] * mixed[k + 1]
                        + column_weights[x, 2] * mixed[k + 2]
                    )
            else:
                for x in range(width):
                    total = np.float32(0)
                    for tap in range(column_taps):
                        total += column_weights[x, tap] * mixed[first_column[x] + tap]
                    out[x] = total
