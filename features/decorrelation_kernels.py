"""Kernels that filter planes, halve the result and quantise it in one pass.

Where both sides are even, a result is the mean of 2 x 2 filtered cells, which is the filter applied to the means of
2 x 2 cells: these are made once for all filters, so that a result costs one filter instead of four. Even and odd
columns of them lie apart, so that a run of results needs contiguous loads only, and four filters share each load.
Elsewhere the rows are mixed by the weights of the resampling along with the filter, and the columns are left to the
resampling itself.
"""

from __future__ import annotations

import numpy as np

from .compilation import fast_kernel

# Filters applied together.
GROUP = 4
# Results of a row computed together: their sums and the source rows that they need stay in the L1 cache.
TILE = 160
# Columns of either parity kept for a tile; room for filters of up to 15 taps. A constant, so that LLVM knows how far
# apart the rows are and need not check at run time that none overlaps another.
PARITY = TILE + 8


@fast_kernel
def sum_two_rows(plane, y, margin, line):
    """Write the sum of rows y and y + 1 of a plane, which is zero outside, to ``line[margin : margin + width]``."""
    height, width = plane.shape
    inner = line[margin:]
    if 0 <= y < height - 1:
        above, below = plane[y], plane[y + 1]
        for x in range(width):
            inner[x] = above[x] + below[x]
    elif y in (-1, height - 1):
        row = plane[max(y, 0)]
        for x in range(width):
            inner[x] = row[x]
    else:
        for x in range(width):
            inner[x] = 0


@fast_kernel
def sum_neighbours(line, even, odd):
    """Sum neighbouring columns of a line; even and odd results apart."""
    for pair in range(len(even)):
        a, b, c = line[2 * pair], line[2 * pair + 1], line[2 * pair + 2]
        even[pair] = a + b
        odd[pair] = b + c


@fast_kernel
def sum_blocks(plane, first_row, first_column, n_pairs, margin, line, block):
    """Sum the 2 x 2 cells whose upper left ones are in a part of a plane; even and odd columns apart.

    Parameters
    ----------
    plane : (h, w) float32
        With a border of zeros.
    first_row, first_column : int
        Upper left cell of the part, counted with `margin` columns of the border.
    n_pairs : int
        Pairs of columns of the part.
    line : (w + 2 margin + 2,) float32
        For this function's own use; zero in the margins.
    block : (rows, 2, PARITY) float32, written
    """
    for row in range(len(block)):
        sum_two_rows(plane, first_row + row, margin, line)
        sum_neighbours(line[first_column:], block[row, 0, :n_pairs], block[row, 1, :n_pairs])


@fast_kernel
def add_row_of_five(row, taps, totals, count):
    """Add a row of block sums, filtered by a row of five taps, to `count` results of four filters.

    Parameters
    ----------
    row : (2, PARITY) float32
        Even and odd columns.
    taps : (4, 5) float32
    totals : (4, TILE) float32, added to
    """
    even, odd = row[0], row[1]
    t0, t1, t2, t3 = totals[0], totals[1], totals[2], totals[3]
    a0, a1, a2, a3, a4 = taps[0, 0], taps[0, 1], taps[0, 2], taps[0, 3], taps[0, 4]
    b0, b1, b2, b3, b4 = taps[1, 0], taps[1, 1], taps[1, 2], taps[1, 3], taps[1, 4]
    c0, c1, c2, c3, c4 = taps[2, 0], taps[2, 1], taps[2, 2], taps[2, 3], taps[2, 4]
    d0, d1, d2, d3, d4 = taps[3, 0], taps[3, 1], taps[3, 2], taps[3, 3], taps[3, 4]
    for x in range(count):
        u0, u1, u2, u3, u4 = even[x], odd[x], even[x + 1], odd[x + 1], even[x + 2]
        t0[x] += a0 * u0 + a1 * u1 + a2 * u2 + a3 * u3 + a4 * u4
        t1[x] += b0 * u0 + b1 * u1 + b2 * u2 + b3 * u3 + b4 * u4
        t2[x] += c0 * u0 + c1 * u1 + c2 * u2 + c3 * u3 + c4 * u4
        t3[x] += d0 * u0 + d1 * u1 + d2 * u2 + d3 * u3 + d4 * u4


@fast_kernel
def add_row(row, taps, totals, count):
    """Add a row like `add_row_of_five`, for any number of taps."""
    for index in range(GROUP):
        total = totals[index]
        for tap in range(taps.shape[1]):
            weight, columns = taps[index, tap], row[tap % 2]
            shift = tap // 2
            for x in range(count):
                total[x] += weight * columns[x + shift]


@fast_kernel
def quantize_row(values, scale, offset, quantized):
    """Map a row to uint8: ``clip(rint((x - offset) * scale), 0, 255)``."""
    for x in range(len(quantized)):
        value = min(max((values[x] - offset) * scale, np.float32(0)), np.float32(255))
        quantized[x] = np.uint8(np.int32(np.rint(value)))


@fast_kernel
def filter_and_halve(channels, taps, n_filters, first, last, filtered, scale, offset, quantized):
    """Fill rows [first, last) of the filtered planes, as they are or quantised.

    Parameters
    ----------
    channels : (C, h, w) float32
        Sides are even.
    taps : (groups, C, 4, s, s) float32
        All filters, flipped and divided by 4; zero ones beyond the last.
    filtered : (n_filters * C, h / 2, w / 2) float32, written
    scale, offset : (n_filters * C,) float32
    quantized : (n_filters * C, h / 2, w / 2) uint8, written instead of `filtered` unless it has no planes
    """
    n_groups, n_channels, _, side, _ = taps.shape
    margin = side // 2
    block = np.empty((2 * (last - first) + side - 2, 2, PARITY), np.float32)
    totals = np.empty((GROUP, TILE), np.float32)
    line = np.zeros(channels.shape[2] + 2 * margin + 2, np.float32)
    width = channels.shape[2] // 2
    for c in range(n_channels):
        for left in range(0, width, TILE):
            count = min(TILE, width - left)
            sum_blocks(channels[c], 2 * first - margin, 2 * left, count + margin, margin, line, block)
            for y in range(last - first):
                for group in range(n_groups):
                    for index in range(GROUP):
                        for x in range(count):
                            totals[index, x] = 0
                    for row in range(side):
                        if side == 5:
                            add_row_of_five(block[2 * y + row], taps[group, c, :, row], totals, count)
                        else:
                            add_row(block[2 * y + row], taps[group, c, :, row], totals, count)
                    for index in range(min(GROUP, n_filters - group * GROUP)):
                        plane = (group * GROUP + index) * n_channels + c
                        if len(quantized):
                            out = quantized[plane, first + y, left : left + count]
                            quantize_row(totals[index], scale[plane], offset[plane], out)
                        else:
                            row_out = filtered[plane, first + y, left : left + count]
                            for x in range(count):
                                row_out[x] = totals[index, x]


@fast_kernel
def filter_and_mix_rows(channels, correlation, first_row, row_weights, first, last, mixed):
    """Filter planes of any size, and mix the filtered rows that rows [first, last) of the result are made of.

    Parameters
    ----------
    channels : (C, h, w) float32
    correlation : (n_filters, C, s, s) float32
        The filters, flipped.
    first_row : (rows,) int64
        First filtered row of each row of the result.
    row_weights : (rows, taps) float32
    mixed : (n_filters * C, last - first, w) float32, written
    """
    n_filters, n_channels, side, _ = correlation.shape
    _, height, width = channels.shape
    margin = side // 2
    taps = row_weights.shape[1]
    bottom, top = first_row[last - 1] + taps + margin, first_row[first] - margin
    padded = np.zeros((bottom - top, width + 2 * margin), np.float32)
    kernel = np.empty((side + taps - 1, side), np.float32)
    for c in range(n_channels):
        for row in range(max(top, 0), min(bottom, height)):
            padded[row - top, margin : margin + width] = channels[c, row]
        for y in range(first, last):
            start = first_row[y] - margin - top
            for index in range(n_filters):
                kernel[:] = 0
                for tap in range(taps):
                    for row in range(side):
                        for column in range(side):
                            kernel[tap + row, column] += (
                                row_weights[y, tap] * correlation[index, c, row, column]
                            )
                total = mixed[index * n_channels + c, y - first]
                total[:] = 0
                for row in range(side + taps - 1):
                    source = padded[start + row]
                    if side == 5:
                        k = kernel[row]
                        a, b, d, e, f = k[0], k[1], k[2], k[3], k[4]
                        for x in range(width):
                            total[x] += (
                                a * source[x]
                                + b * source[x + 1]
                                + d * source[x + 2]
                                + e * source[x + 3]
                                + f * source[x + 4]
                            )
                    else:
                        for column in range(side):
                            weight = kernel[row, column]
                            for x in range(width):
                                total[x] += weight * source[x + column]


@fast_kernel
def quantize_rows(planes, scale, offset, first, last, quantized):
    """Fill rows [first, last) of the planes as uint8.

    Parameters
    ----------
    planes : (C, h, w) float32
    scale, offset : (C,) float32
    quantized : (C, h, w) uint8, written
    """
    for c in range(len(planes)):
        for y in range(first, last):
            quantize_row(planes[c, y], scale[c], offset[c], quantized[c, y])
