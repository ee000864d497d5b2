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
def resample_plane(
    plane, first_row, row_weights, first_column, column_weights, rows_from, rows_to, mixed, target, top
):
    """Fill rows [rows_from, rows_to) of the resampled plane; row y goes to ``target[y - top]``.

    Parameters
    ----------
    plane : (H, W) float32
    mixed : (4, W) float32, for this function's own use
    """
    for y in range(rows_from, rows_to, ROWS):
        count = min(ROWS, rows_to - y)
        for row in range(count):
            mix_rows(plane, first_row[y + row], row_weights[y + row], mixed[row])
        # At the end, where fewer than four rows are left, the last one stands in for those that miss.
        a, b, c = min(1, count - 1), min(2, count - 1), min(3, count - 1)
        t = y - top
        mix_columns(
            mixed[0],
            mixed[a],
            mixed[b],
            mixed[c],
            first_column,
            column_weights,
            target[t],
            target[t + a],
            target[t + b],
            target[t + c],
        )


@fast_kernel
def resample_rows(source, first_row, row_weights, first_column, column_weights, rows_from, rows_to, target):
    """Fill rows [rows_from, rows_to) of all target planes.

    Parameters
    ----------
    source : (C, H, W) float32
    first_row : (h,) int64
        First source row of each target row.
    first_column : (w,) uint64
    row_weights, column_weights : (h, taps), (w, taps) float32
    target : (C, h, w) float32, written
    """
    mixed = np.empty((ROWS, source.shape[2]), np.float32)
    for c in range(len(source)):
        resample_plane(
            source[c],
            first_row,
            row_weights,
            first_column,
            column_weights,
            rows_from,
            rows_to,
            mixed,
            target[c],
            0,
        )


@fast_kernel
def smooth_and_pad_plane(
    plane, top, height, gain, center, replicate, margin_rows, margin_columns, first, last, line, target
):
    """Fill rows [first, last) of a padded plane: smooth, multiply by `gain`, pad.

    Parameters
    ----------
    plane : (rows, w) float32
        The rows from `top` on of a plane of `height` rows.
    center : float32
        Filter [1 center 1] / (2 + center) in both directions, the outermost cell repeated; negative for none.
    replicate : bool
        Repeat the outermost cell in the margins, which are zero otherwise.
    line : (w + 2,) float32, for this function's own use
    target : (height + 2 margin_rows, w + 2 margin_columns) float32, written
    """
    width = plane.shape[1]
    scale = gain / ((np.float32(2) + center) * (np.float32(2) + center))
    for y in range(first, last):
        out = target[y]
        row = y - margin_rows
        if not replicate and (row < 0 or row >= height):
            out[:] = 0
            continue
        row = min(max(row, 0), height - 1)
        here = plane[row - top]
        inner = out[margin_columns : margin_columns + width]
        if center < 0:
            for x in range(width):
                inner[x] = gain * here[x]
        else:
            above, below = plane[max(row - 1, 0) - top], plane[min(row + 1, height - 1) - top]
            for x in range(width):
                line[x + 1] = above[x] + center * here[x] + below[x]
            line[0], line[width + 1] = line[1], line[width]
            for x in range(width):
                inner[x] = scale * (line[x] + center * line[x + 1] + line[x + 2])
        left, right = np.float32(0), np.float32(0)
        if replicate:
            left, right = inner[0], inner[width - 1]
        for x in range(margin_columns):
            out[x] = left
            out[margin_columns + width + x] = right


@fast_kernel
def smooth_and_pad_rows(channels, center, n_replicated, margin_rows, margin_columns, first, last, target):
    """Fill rows [first, last) of a level from its channels.

    Parameters
    ----------
    channels : (C, h, w) float32
    n_replicated : int
        The margins of so many first channels repeat the outermost cell; those of the others are zero.
    target : (C, h + 2 margin_rows, w + 2 margin_columns) float32, written
    """
    n_channels, height, width = channels.shape
    line = np.empty(width + 2, np.float32)
    for c in range(n_channels):
        smooth_and_pad_plane(
            channels[c],
            0,
            height,
            np.float32(1),
            center,
            c < n_replicated,
            margin_rows,
            margin_columns,
            first,
            last,
            line,
            target[c],
        )


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
    """Fill rows [first, last) of a level from the channels of another scale; see `smooth_and_pad_rows`.

    The resampled rows of one channel, and the two around them that smoothing needs, stay in the cache.

    Parameters
    ----------
    source : (C, H, W) float32
    gains : (C,) float32
    """
    height, width = len(first_row), len(first_column)
    lowest = min(max(first - margin_rows, 0), height - 1)
    highest = min(max(last - 1 - margin_rows, 0), height - 1)
    rows_from, rows_to = max(lowest - 1, 0), min(highest + 2, height)
    resampled = np.empty((rows_to - rows_from, width), np.float32)
    mixed = np.empty((ROWS, source.shape[2]), np.float32)
    line = np.empty(width + 2, np.float32)
    for c in range(len(source)):
        resample_plane(
            source[c],
            first_row,
            row_weights,
            first_column,
            column_weights,
            rows_from,
            rows_to,
            mixed,
            resampled,
            rows_from,
        )
        smooth_and_pad_plane(
            resampled,
            rows_from,
            height,
            gains[c],
            center,
            c < n_replicated,
            margin_rows,
            margin_columns,
            first,
            last,
            line,
            target[c],
        )
