"""Kernels of separable resampling, alone and fused with the smoothing and padding of a pyramid's level.

Rows are mixed first, two at a time, which vectorises; then columns of four rows at once, so that each position and
weight is loaded once for four results.

Memory for the kernels' own use is an argument: what allocates takes longer to compile, and to load once compiled.
"""

from __future__ import annotations

import numpy as np

from .compilation import fast_kernel

# Rows whose columns are mixed together.
ROWS = 4


@fast_kernel
def resample_rows(
    source, first_row, row_weights, first_column, column_weights, rows_from, rows_to, mixed, target, top
):
    """Compute rows [rows_from, rows_to) of all resampled planes.

    One function, since each function that another one calls is compiled twice.

    Parameters
    ----------
    source : (C, H, W) float32
    first_row : (h,) int64
        First source row of each target row.
    first_column : (w,) uint64
        Unsigned, which saves the test for negative positions.
    row_weights, column_weights : (h, taps), (w, taps) float32
    mixed : (4, W) float32
        For this function's own use; finite.
    target : (C, rows, w) float32, written
    top : int
        Row y of the resampled planes is row y - top of `target`.
    """
    row_taps, column_taps = row_weights.shape[1], column_weights.shape[1]
    zero, one, two = np.float32(0), np.uint64(1), np.uint64(2)
    for c in range(len(source)):
        for y in range(rows_from, rows_to, ROWS):
            count = min(ROWS, rows_to - y)
            for row in range(count):
                total, first, weights = mixed[row], first_row[y + row], row_weights[y + row]
                for tap in range(0, row_taps, 2):
                    last = min(tap + 1, row_taps - 1)
                    old, a, b = np.float32(tap > 0), weights[tap], weights[last] if last > tap else zero
                    above, below = source[c, first + tap], source[c, first + last]
                    for x in range(len(total)):
                        total[x] = old * total[x] + a * above[x] + b * below[x]
            # At the end, where fewer than four rows are left, the last one stands in for those that miss.
            i, j, k = min(1, count - 1), min(2, count - 1), min(3, count - 1)
            m0, m1, m2, m3 = mixed[0], mixed[i], mixed[j], mixed[k]
            t = y - top
            t0, t1, t2, t3 = target[c, t], target[c, t + i], target[c, t + j], target[c, t + k]
            if column_taps == 3:  # down to half the size
                for x in range(len(t0)):
                    p = first_column[x]
                    q, r = p + one, p + two
                    a, b, d = column_weights[x, 0], column_weights[x, 1], column_weights[x, 2]
                    t0[x] = a * m0[p] + b * m0[q] + d * m0[r]
                    t1[x] = a * m1[p] + b * m1[q] + d * m1[r]
                    t2[x] = a * m2[p] + b * m2[q] + d * m2[r]
                    t3[x] = a * m3[p] + b * m3[q] + d * m3[r]
                continue
            for x in range(len(t0)):
                p = first_column[x]
                s0 = s1 = s2 = s3 = zero
                for tap in range(column_taps):
                    a = column_weights[x, tap]
                    s0 += a * m0[p]
                    s1 += a * m1[p]
                    s2 += a * m2[p]
                    s3 += a * m3[p]
                    p = p + one
                t0[x], t1[x], t2[x], t3[x] = s0, s1, s2, s3


@fast_kernel
def smooth_and_pad_rows(
    channels,
    top,
    height,
    gains,
    center,
    n_replicated,
    margin_rows,
    margin_columns,
    first,
    last,
    line,
    target,
    target_top,
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
    line : (w + 2,) float32
        For this function's own use.
    target : (C, rows, w + 2 margin_columns) float32, written
    target_top : int
        Row y of the level, of height + 2 margin_rows rows, is row y - target_top of `target`.
    """
    n_channels, _, width = channels.shape
    for c in range(n_channels):
        gain = gains[c]
        scale = gain / ((np.float32(2) + center) * (np.float32(2) + center))
        for y in range(first, last):
            out = target[c, y - target_top]
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
    mixed,
    line,
    resampled,
    target,
    target_top,
):
    """Fill rows [first, last) of a level from the channels of another scale; see the two functions above.

    The rows of one channel, and the two around them that smoothing needs, stay in the cache in `resampled`,
    (1, last - first + 2, w) float32, which is for this function's own use.
    """
    height = len(first_row)
    lowest = min(max(first - margin_rows, 0), height - 1)
    highest = min(max(last - 1 - margin_rows, 0), height - 1)
    rows_from, rows_to = max(lowest - 1, 0), min(highest + 2, height)
    for c in range(len(source)):
        resample_rows(
            source[c : c + 1],
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
            line,
            target[c : c + 1],
            target_top,
        )
