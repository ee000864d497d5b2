"""Kernels that filter planes, halve the result and quantise it in one pass.

Where both sides are even, the filter and the mean over 2 x 2 cells are folded into one kernel of (s + 1) x (s + 1)
taps at stride 2. Even and odd columns are split first, so that a run of results needs contiguous loads only, and
four filters share each load. Elsewhere the rows are mixed by the weights of the resampling along with the filter,
and its columns are left to the resampling itself.
"""

from __future__ import annotations

import numpy as np

from .compilation import fast_kernel

# Filters applied together.
GROUP = 4
# Results of a row computed together: their sums and the six source rows that they need stay in the L1 cache.
TILE = 160
# Columns of either parity kept for a tile; room for filters of up to 15 taps. A constant, so that LLVM knows how far
# apart the rows are and need not check at run time that none overlaps another.
PARITY = TILE + 8


@fast_kernel
def split_columns(row, even, odd):
    """Split a row into its even and odd columns."""
    for x in range(len(even)):
        even[x] = row[2 * x]
        odd[x] = row[2 * x + 1]


@fast_kernel
def split_edge(source, first_column, pair_from, pair_to, even, odd):
    """Split those pairs of columns that lie partly or wholly outside of a row, which is zero there."""
    for pair in range(pair_from, pair_to):
        x = first_column + 2 * pair
        even[pair] = source[x] if 0 <= x < len(source) else np.float32(0)
        odd[pair] = source[x + 1] if 0 <= x + 1 < len(source) else np.float32(0)


@fast_kernel
def split_tile(plane, first_row, first_column, n_rows, n_pairs, block):
    """Split a part of a plane, which is zero outside, into even and odd columns.

    Parameters
    ----------
    plane : (h, w) float32
    first_row, first_column : int
        May be negative.
    n_rows, n_pairs : int
        Size of the part, in rows and pairs of columns.
    block : (rows, 2, PARITY) float32, written
    """
    height, width = plane.shape
    inside_from = max((1 - first_column) // 2, 0)
    inside_to = max(min((width - first_column) // 2, n_pairs), inside_from)
    for row in range(n_rows):
        even, odd = block[row, 0], block[row, 1]
        y = first_row + row
        if y < 0 or y >= height:
            even[:n_pairs] = 0
            odd[:n_pairs] = 0
            continue
        source = plane[y]
        start = first_column + 2 * inside_from
        split_columns(
            source[start : first_column + 2 * inside_to],
            even[inside_from:inside_to],
            odd[inside_from:inside_to],
        )
        split_edge(source, first_column, 0, inside_from, even, odd)
        split_edge(source, first_column, inside_to, n_pairs, even, odd)


@fast_kernel
def twelve_taps(taps):
    """Two rows of six taps as a tuple, which LLVM keeps in registers."""
    return (
        taps[0, 0],
        taps[0, 1],
        taps[0, 2],
        taps[0, 3],
        taps[0, 4],
        taps[0, 5],
        taps[1, 0],
        taps[1, 1],
        taps[1, 2],
        taps[1, 3],
        taps[1, 4],
        taps[1, 5],
    )


@fast_kernel
def inner_product(a, b):
    """Inner product of two tuples of twelve."""
    return (
        a[0] * b[0]
        + a[1] * b[1]
        + a[2] * b[2]
        + a[3] * b[3]
        + a[4] * b[4]
        + a[5] * b[5]
        + a[6] * b[6]
        + a[7] * b[7]
        + a[8] * b[8]
        + a[9] * b[9]
        + a[10] * b[10]
        + a[11] * b[11]
    )


@fast_kernel
def add_two_rows(rows, taps, totals, count):
    """Add two source rows, filtered by two rows of six taps, to `count` results of four filters.

    Parameters
    ----------
    rows : (2, 2, PARITY) float32
        Even and odd columns of either row.
    taps : (4, 2, 6) float32
    totals : (4, TILE) float32, added to
    """
    e0, o0, e1, o1 = rows[0, 0], rows[0, 1], rows[1, 0], rows[1, 1]
    t0, t1, t2, t3 = totals[0], totals[1], totals[2], totals[3]
    w0, w1, w2, w3 = twelve_taps(taps[0]), twelve_taps(taps[1]), twelve_taps(taps[2]), twelve_taps(taps[3])
    for x in range(count):
        cells = (
            e0[x],
            o0[x],
            e0[x + 1],
            o0[x + 1],
            e0[x + 2],
            o0[x + 2],
            e1[x],
            o1[x],
            e1[x + 1],
            o1[x + 1],
            e1[x + 2],
            o1[x + 2],
        )
        t0[x] += inner_product(w0, cells)
        t1[x] += inner_product(w1, cells)
        t2[x] += inner_product(w2, cells)
        t3[x] += inner_product(w3, cells)


@fast_kernel
def add_row(row, taps, totals, count):
    """Add one source row, filtered by one row of any even number of taps, to `count` results of four filters."""
    even, odd = row[0], row[1]
    for index in range(GROUP):
        total = totals[index]
        for pair in range(taps.shape[1] // 2):
            a, b = taps[index, 2 * pair], taps[index, 2 * pair + 1]
            for x in range(count):
                total[x] += a * even[x + pair] + b * odd[x + pair]


@fast_kernel
def filter_tile_row(rows, taps, totals, count):
    """Compute `count` results of four filters from s + 1 source rows.

    Parameters
    ----------
    rows : (s + 1, 2, PARITY) float32
    taps : (4, s + 1, s + 1) float32
    totals : (4, TILE) float32, written
    """
    totals[:, :count] = 0
    n_rows = taps.shape[1]
    if n_rows == 6:
        for row in range(0, 6, 2):
            add_two_rows(rows[row : row + 2], taps[:, row : row + 2], totals, count)
    else:
        for row in range(n_rows):
            add_row(rows[row], taps[:, row], totals, count)


@fast_kernel
def quantize_row(values, scale, offset, quantized):
    """Map a row to uint8: ``clip(rint((x - offset) * scale), 0, 255)``."""
    for x in range(len(quantized)):
        value = min(max((values[x] - offset) * scale, np.float32(0)), np.float32(255))
        quantized[x] = np.uint8(np.int32(np.rint(value)))


@fast_kernel
def filter_and_halve(channels, folded, n_filters, first, last, filtered):
    """Fill rows [first, last) of the filtered planes.

    Parameters
    ----------
    channels : (C, h, w) float32
        Sides are even.
    folded : (groups, C, 4, s + 1, s + 1) float32
        Folded kernels of all filters, zero ones beyond the last.
    filtered : (n_filters * C, h / 2, w / 2) float32, written
    """
    n_groups, n_channels, _, side, _ = folded.shape
    margin = side // 2 - 1
    n_rows = 2 * (last - first) + side - 2
    block = np.zeros((n_rows, 2, PARITY), np.float32)
    totals = np.zeros((GROUP, TILE), np.float32)
    width = filtered.shape[2]
    for c in range(n_channels):
        for left in range(0, width, TILE):
            count = min(TILE, width - left)
            split_tile(
                channels[c], 2 * first - margin, 2 * left - margin, n_rows, count + side // 2 - 1, block
            )
            for y in range(last - first):
                for group in range(n_groups):
                    filter_tile_row(block[2 * y : 2 * y + side], folded[group, c], totals, count)
                    for index in range(min(GROUP, n_filters - group * GROUP)):
                        plane = (group * GROUP + index) * n_channels + c
                        filtered[plane, first + y, left : left + count] = totals[index, :count]


@fast_kernel
def filter_halve_and_quantize(channels, folded, n_filters, scale, offset, first, last, filtered):
    """Fill rows [first, last) of the filtered planes as uint8; see `filter_and_halve`."""
    n_groups, n_channels, _, side, _ = folded.shape
    margin = side // 2 - 1
    n_rows = 2 * (last - first) + side - 2
    block = np.zeros((n_rows, 2, PARITY), np.float32)
    totals = np.zeros((GROUP, TILE), np.float32)
    width = filtered.shape[2]
    for c in range(n_channels):
        for left in range(0, width, TILE):
            count = min(TILE, width - left)
            split_tile(
                channels[c], 2 * first - margin, 2 * left - margin, n_rows, count + side // 2 - 1, block
            )
            for y in range(last - first):
                for group in range(n_groups):
                    filter_tile_row(block[2 * y : 2 * y + side], folded[group, c], totals, count)
                    for index in range(min(GROUP, n_filters - group * GROUP)):
                        plane = (group * GROUP + index) * n_channels + c
                        out = filtered[plane, first + y, left : left + count]
                        quantize_row(totals[index], scale[plane], offset[plane], out)


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
