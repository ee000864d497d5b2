"""Kernels of separable resampling, alone and fused with the smoothing and padding of a pyramid's level.

Rows are mixed first, which vectorises; then columns of four rows at once, so that each position and weight is
loaded once for four results.
"""

from __future__ import annotations

import numpy as np

from .compilation import fast_kernel

# Rows whose columns are mixed together.
ROWS = 4


@fast_kernel
def mix_rows(plane, first, weights, mixed):
    """Add the weighted rows of a plane from row `first` on; the usual two or three in one pass."""
    taps = len(weights)
    row0, a = plane[first], weights[0]
    if taps == 1:
        for x in range(len(mixed)):
            mixed[x] = a * row0[x]
        return
    row1, b = plane[first + 1], weights[1]
    if taps == 2 or weights[2] == 0:
        for x in range(len(mixed)):
            mixed[x] = a * row0[x] + b * row1[x]
        return
    row2, c = plane[first + 2], weights[2]
    for x in range(len(mixed)):
        mixed[x] = a * row0[x] + b * row1[x] + c * row2[x]
    for tap in range(3, taps):
        if weights[tap] != 0:
            row0, a = plane[first + tap], weights[tap]
            for x in range(len(mixed)):
                mixed[x] += a * row0[x]


@fast_kernel
def mix_columns(m0, m1, m2, m3, first_column, weights, t0, t1, t2, t3):
    """Add the weighted columns of four rows m; positions are unsigned, which saves the test for negative ones."""
    one, two = np.uint64(1), np.uint64(2)
    taps = weights.shape[1]
    if taps == 2:
        for x in range(len(t0)):
            i = first_column[x]
            j = i + one
            a, b = weights[x, 0], weights[x, 1]
            t0[x] = a * m0[i] + b * m0[j]
            t1[x] = a * m1[i] + b * m1[j]
            t2[x] = a * m2[i] + b * m2[j]
            t3[x] = a * m3[i] + b * m3[j]
    elif taps == 3:
        for x in range(len(t0)):
            i = first_column[x]
            j, k = i + one, i + two
            a, b, c = weights[x, 0], weights[x, 1], weights[x, 2]
            t0[x] = a * m0[i] + b * m0[j] + c * m0[k]
            t1[x] = a * m1[i] + b * m1[j] + c * m1[k]
            t2[x] = a * m2[i] + b * m2[j] + c * m2[k]
            t3[x] = a * m3[i] + b * m3[j] + c * m3[k]
    else:
        for x in range(len(t0)):
            i = first_column[x]
            s0 = s1 = s2 = s3 = np.float32(0)
            for tap in range(taps):
                a = weights[x, tap]
                s0 += a * m0[i]
                s1 += a * m1[i]
                s2 += a * m2[i]
                s3 += a * m3[i]
                i = i + one
            t0[x], t1[x], t2[x], t3[x] = s0, s1, s2, s3


@fast_kernel
def resample_rows(
    source, first_row, row_weights, first_column, column_weights, rows_from, rows_to, target, top
):
    """Compute rows [rows_from, rows_to) of all resampled planes.

    Parameters
    ----------
    source : (C, H, W) float32
    first_row : (h,) int64
        First source row of each target row.
    first_column : (w,) uint64
    row_weights, column_weights : (h, taps), (w, taps) float32
    target : (C, rows, w) float32, written
    top : int
        Row y of the resampled planes is row y - top of `target`.
    """
    mixed = np.empty((ROWS, source.shape[2]), np.float32)
    for c in range(len(source)):
        for y in range(rows_from, rows_to, ROWS):
            count = min(ROWS, rows_to - y)
            for row in range(count):
                mix_rows(source[c], first_row[y + row], row_weights[y + row], mixed[row])
            # At the end, where fewer than four rows are left, the last one stands in for those that miss.
            i, j, k = min(1, count - 1), min(2, count - 1), min(3, count - 1)
            t = y - top
            mix_columns(
                mixed[0],
                mixed[i],
                mixed[j],
                mixed[k],
                first_column,
                column_weights,
                target[c, t],
                target[c, t + i],
                target[c, t + j],
                target[c, t + k],
            )


@fast_kernel
def smooth_and_pad_rows(
    channels, top, height, gains, center, n_replicated, margin_rows, margin_columns, first, last, target
):
    """Fill rows [first, last) of a level: smooth channels, multiply them by gains, pad.

    Parameters
    ----------
    channels : (C, rows, w) float32
        The rows from `top` on of channels of `height` rows.
    gains : (C,) float32
    center : float32
        Filter [1 center 1] / (2 + center) in both directions, the outermost cell repeated; negative for none.
    n_replicated : int
        The margins of so many first channels repeat the outermost cell; those of the others are zero.
    target : (C, height + 2 margin_rows, w + 2 margin_columns) float32, written
    """
    n_channels, _, width = channels.shape
    line = np.empty(width + 2, np.float32)
    for c in range(n_channels):
        gain = gains[c]
        scale = gain / ((np.float32(2) + center) * (np.float32(2) + center))
        for y in range(first, last):
            out = target[c, y]
            row = y - margin_rows
            if c >= n_replicated and (row < 0 or row >= height):
                for x in range(len(out)):
                    out[x] = 0
                continue
            row = min(max(row, 0), height - 1)
            here = channels[c, row - top]
            inner = out[margin_columns:]
            if center < 0:
                for x in range(width):
                    inner[x] = gain * here[x]
            else:
                above, below = channels[c, max(row - 1, 0) - top], channels[c, min(row + 1, height - 1) - top]
                for x in range(width):
                    line[x + 1] = above[x] + center * here[x] + below[x]
                line[0], line[width + 1] = line[1], line[width]
                for x in range(width):
                    inner[x] = scale * (line[x] + center * line[x + 1] + line[x + 2])
            left, right = np.float32(0), np.float32(0)
            if c < n_replicated:
                left, right = inner[0], inner[width - 1]
            for x in range(margin_columns):
                out[x] = left
                inner[width + x] = right


@fast_kernel
def resample_smooth_and_pad_rows(
    source,
    first_row,
    row_weights,
    first_column,
    column_weights,
    gains,
    center,
    n_replicated,
    margin_rows,
    margin_columns,
    first,
    last,
    target,
):
    """Fill rows [first, last) of a level from the channels of another scale; see the two functions above.

    The resampled rows of one channel, and the two around them that smoothing needs, stay in the cache.
    """
    height, width = len(first_row), len(first_column)
    lowest = min(max(first - margin_rows, 0), height - 1)
    highest = min(max(last - 1 - margin_rows, 0), height - 1)
    rows_from, rows_to = max(lowest - 1, 0), min(highest + 2, height)
    resampled = np.empty((1, rows_to - rows_from, width), np.float32)
    for c in range(len(source)):
        resample_rows(
            source[c : c + 1],
            first_row,
            row_weights,
            first_column,
            column_weights,
            rows_from,
            rows_to,
            resampled,
            rows_from,
        )
        smooth_and_pad_rows(
            resampled,
            rows_from,
            height,
            gains[c : c + 1],
            center,
            1 if c < n_replicated else 0,
            margin_rows,
            margin_columns,
            first,
            last,
            target[c : c + 1],
        )
