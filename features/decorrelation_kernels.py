"""Kernels that filter planes, halve the result and quantise it in one pass.

Filter and halving commute where all cells of an axis have the same weights: then the planes are halved first, once for
all filters, and a result costs one filter instead of four.

Where both sides are even, a result is the mean of 2 x 2 filtered cells, which is the filter applied to the means of
2 x 2 cells. Even and odd columns of them lie apart, so that a run of results needs contiguous loads only, and four
filters share each load.

Where a side is odd, a result mixes three cells of the axis by weights that depend on its place. For each tap of the
filter the plane is mixed anew: columns once a row of the plane, rows once a row of results.
"""

from __future__ import annotations

import numpy as np

from .compilation import fast_kernel

# Filters applied together.
GROUP = 4
# Results of a row computed together: their sums and the source rows that they need stay in the L1 cache.
TILE = 160
# Columns of either parity kept for a tile; room for filters of up to 61 taps.
PARITY = TILE + 32
# Results that a vectorised loop makes at once: runs are rounded up to it, so that none are left for a slow end.
CHUNK = 32
# Rows of scratch lie at constant distances in flat arrays, so that LLVM knows that they do not overlap: with more than
# a few checks of that at run time it would not vectorise a loop. They are arguments: what allocates takes longer to
# compile, and to load once compiled.


@fast_kernel
def sum_two_rows(plane, y, first, line):
    """Write the sum of rows y and y + 1 of a plane, from column `first` on; outside, the plane is zero."""
    height, width = plane.shape
    left, right = max(-first, 0), min(width - first, len(line))
    line[:left] = 0
    line[right:] = 0
    inner = line[left:right]
    if 0 <= y < height - 1:
        above, below = plane[y, first + left :], plane[y + 1, first + left :]
        for x in range(len(inner)):
            inner[x] = above[x] + below[x]
    elif y in (-1, height - 1):
        row = plane[max(y, 0), first + left :]
        for x in range(len(inner)):
            inner[x] = row[x]
    else:
        inner[:] = 0


@fast_kernel
def sum_neighbours(line, parted, count):
    """Sum neighbouring columns of a line; even results first, odd ones from `PARITY` on."""
    for pair in range(count):
        a, b, c = line[2 * pair], line[2 * pair + 1], line[2 * pair + 2]
        parted[pair] = a + b
        parted[PARITY + pair] = b + c


@fast_kernel
def add_row_of_five(parted, taps, totals, count):
    """Add a row of block sums, filtered by a row of five taps, to `count` results of four filters.

    Parameters
    ----------
    parted : (2 * PARITY,) float32
        Even columns, then odd ones.
    taps : (4, 5) float32
    totals : (4 * TILE,) float32, added to
    """
    a0, a1, a2, a3, a4 = taps[0, 0], taps[0, 1], taps[0, 2], taps[0, 3], taps[0, 4]
    b0, b1, b2, b3, b4 = taps[1, 0], taps[1, 1], taps[1, 2], taps[1, 3], taps[1, 4]
    c0, c1, c2, c3, c4 = taps[2, 0], taps[2, 1], taps[2, 2], taps[2, 3], taps[2, 4]
    d0, d1, d2, d3, d4 = taps[3, 0], taps[3, 1], taps[3, 2], taps[3, 3], taps[3, 4]
    for x in range(count):
        u0, u1, u2, u3, u4 = (
            parted[x],
            parted[PARITY + x],
            parted[x + 1],
            parted[PARITY + x + 1],
            parted[x + 2],
        )
        totals[x] += a0 * u0 + a1 * u1 + a2 * u2 + a3 * u3 + a4 * u4
        totals[TILE + x] += b0 * u0 + b1 * u1 + b2 * u2 + b3 * u3 + b4 * u4
        totals[2 * TILE + x] += c0 * u0 + c1 * u1 + c2 * u2 + c3 * u3 + c4 * u4
        totals[3 * TILE + x] += d0 * u0 + d1 * u1 + d2 * u2 + d3 * u3 + d4 * u4


@fast_kernel
def add_row(parted, taps, totals, count):
    """Add a row like `add_row_of_five`, for any number of taps."""
    for index in range(GROUP):
        total = totals[index * TILE : (index + 1) * TILE]
        for tap in range(taps.shape[1]):
            weight, columns = taps[index, tap], parted[(tap % 2) * PARITY + tap // 2 :]
            for x in range(count):
                total[x] += weight * columns[x]


@fast_kernel
def quantize_row(values, scale, offset, quantized):
    """Map a row to uint8: ``clip(rint((x - offset) * scale), 0, 255)``."""
    for x in range(len(quantized)):
        value = min(max((values[x] - offset) * scale, np.float32(0)), np.float32(255))
        quantized[x] = np.uint8(np.int32(np.rint(value)))


@fast_kernel
def write_row(totals, plane, y, left, filtered, scale, offset, quantized):
    """Write results to their row of a plane, as they are or quantised."""
    if len(quantized):
        quantize_row(totals, scale[plane], offset[plane], quantized[plane, y, left : left + len(totals)])
    else:
        row = filtered[plane, y, left : left + len(totals)]
        for x in range(len(row)):
            row[x] = totals[x]


@fast_kernel
def filter_and_halve(
    channels, taps, n_filters, first, last, filtered, scale, offset, quantized, sums, line, totals
):  # fmt: skip
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
    sums : (rows, 2 * PARITY) float32
        Of 2 x 2 cells; rows are a power of two and at least s. For the function's own use, zero at first, as are
    line : (2 * PARITY + 2,) float32
    totals : (4 * TILE,) float32
    """
    n_groups, n_channels, _, side, _ = taps.shape
    margin = side // 2
    ring = len(sums)
    width = channels.shape[2] // 2
    for c in range(n_channels):
        for left in range(0, width, TILE):
            count = min(TILE, width - left)
            run = -(-count // CHUNK) * CHUNK
            pairs = count + margin
            made = 2 * first
            for y in range(first, last):
                while made < 2 * y + side:
                    sum_two_rows(channels[c], made - margin, 2 * left - margin, line[: 2 * pairs + 1])
                    sum_neighbours(line, sums[made & (ring - 1)], pairs)
                    made += 1
                for group in range(n_groups):
                    totals[:] = 0
                    for row in range(side):
                        parted = sums[(2 * y + row) & (ring - 1)]
                        if side == 5:
                            add_row_of_five(parted, taps[group, c, :, row], totals, run)
                        else:
                            add_row(parted, taps[group, c, :, row], totals, run)
                    for index in range(min(GROUP, n_filters - group * GROUP)):
                        plane = (group * GROUP + index) * n_channels + c
                        result = totals[index * TILE : index * TILE + count]
                        write_row(result, plane, y, left, filtered, scale, offset, quantized)


@fast_kernel
def part_columns(plane, y, first, parted, count):
    """Write row y of a plane, from column `first` on: even columns, and odd ones from `PARITY` on; zero outside."""
    height, width = plane.shape
    for parity in range(2):
        row, start = parted[parity * PARITY : parity * PARITY + count], first + parity
        begin = max(0, (1 - start) // 2)
        end = min(count, (width - start + 1) // 2) if 0 <= y < height else begin
        end = max(end, begin)
        row[:begin] = 0
        row[end:] = 0
        for x in range(begin, end):
            row[x] = plane[y, start + 2 * x]


@fast_kernel
def mix_columns(parted, weights, tap, mixed, count):
    """Mix three neighbouring columns for each result, from tap `tap` on.

    Parameters
    ----------
    parted : (2 * PARITY,) float32
        Even columns, then odd ones.
    weights : (3 * TILE,) float32
        Of the first, second and third column at each place.
    mixed : (TILE,) float32, written
    """
    shifted = parted[tap // 2 :]
    if tap % 2:
        for x in range(count):
            a, b, c = shifted[PARITY + x], shifted[x + 1], shifted[PARITY + x + 1]
            mixed[x] = weights[x] * a + weights[TILE + x] * b + weights[2 * TILE + x] * c
    else:
        for x in range(count):
            a, b, c = shifted[x], shifted[PARITY + x], shifted[x + 1]
            mixed[x] = weights[x] * a + weights[TILE + x] * b + weights[2 * TILE + x] * c


@fast_kernel
def mix_rows(over, level, under, weights, mixed):
    """Mix three rows by a weight each."""
    weight_over, weight_level, weight_under = weights[0], weights[1], weights[2]
    for x in range(len(mixed)):
        mixed[x] = weight_over * over[x] + weight_level * level[x] + weight_under * under[x]


@fast_kernel
def add_mixed_five(mixed, taps, totals, count):
    """Add five rows, (5 * count,), each multiplied by its tap of each of four filters, (4, 5), to their totals."""
    a0, a1, a2, a3, a4 = taps[0, 0], taps[0, 1], taps[0, 2], taps[0, 3], taps[0, 4]
    b0, b1, b2, b3, b4 = taps[1, 0], taps[1, 1], taps[1, 2], taps[1, 3], taps[1, 4]
    c0, c1, c2, c3, c4 = taps[2, 0], taps[2, 1], taps[2, 2], taps[2, 3], taps[2, 4]
    d0, d1, d2, d3, d4 = taps[3, 0], taps[3, 1], taps[3, 2], taps[3, 3], taps[3, 4]
    for x in range(count):
        u0, u1, u2 = mixed[x], mixed[count + x], mixed[2 * count + x]
        u3, u4 = mixed[3 * count + x], mixed[4 * count + x]
        totals[x] += a0 * u0 + a1 * u1 + a2 * u2 + a3 * u3 + a4 * u4
        totals[TILE + x] += b0 * u0 + b1 * u1 + b2 * u2 + b3 * u3 + b4 * u4
        totals[2 * TILE + x] += c0 * u0 + c1 * u1 + c2 * u2 + c3 * u3 + c4 * u4
        totals[3 * TILE + x] += d0 * u0 + d1 * u1 + d2 * u2 + d3 * u3 + d4 * u4


@fast_kernel
def add_mixed(mixed, taps, totals, count):
    """Add rows like `add_mixed_five`, for any number of taps."""
    for index in range(GROUP):
        total = totals[index * TILE : (index + 1) * TILE]
        for tap in range(taps.shape[1]):
            weight, columns = taps[index, tap], mixed[tap * count : (tap + 1) * count]
            for x in range(count):
                total[x] += weight * columns[x]


@fast_kernel
def filter_and_halve_weighted(
    channels, taps, n_filters, row_weights, column_weights, first, last, filtered, scale, offset, quantized,
    parted, weights, columns, mixed, totals,
):  # fmt: skip
    """Fill rows [first, last) of filtered planes whose halves are no whole cells, as they are or quantised.

    Parameters
    ----------
    channels : (C, h, w) float32
    taps : (groups, C, 4, s, s) float32
        All filters, flipped; zero ones beyond the last.
    row_weights, column_weights : (rows, 3), (3, columns) float32
        Weights of the cells 2 i - 1, 2 i and 2 i + 1 in result `i`, along either axis.
    filtered, scale, offset, quantized
        As in `filter_and_halve`.
    parted : (2 * PARITY,) float32
        A row of a plane. For the function's own use, zero at first, as are
    weights : (3 * TILE,) float32
        Of the columns of a tile.
    columns : (rows, s * TILE) float32
        Mixed, for each tap; rows are a power of two and at least s + 2.
    mixed : (s * TILE,) float32
    totals : (4 * TILE,) float32
    """
    n_groups, n_channels, _, side, _ = taps.shape
    margin = side // 2
    ring = len(columns)
    width = column_weights.shape[1]
    for c in range(n_channels):
        for left in range(0, width, TILE):
            count = min(TILE, width - left)
            run = -(-count // CHUNK) * CHUNK
            for cell in range(3):
                for x in range(count):
                    weights[cell * TILE + x] = column_weights[cell, left + x]
            made = 2 * first
            for y in range(first, last):
                while made < 2 * y + side + 2:
                    part_columns(
                        channels[c], made - margin - 1, 2 * left - margin - 1, parted, count + margin + 1
                    )
                    for tap in range(side):
                        mix_columns(parted, weights, tap, columns[made & (ring - 1), tap * run :], run)
                    made += 1
                for group in range(n_groups):
                    totals[:] = 0
                    for row in range(side):
                        over = columns[(2 * y + row) & (ring - 1)]
                        level = columns[(2 * y + row + 1) & (ring - 1)]
                        under = columns[(2 * y + row + 2) & (ring - 1)]
                        mix_rows(over, level, under, row_weights[y], mixed[: side * run])
                        if side == 5:
                            add_mixed_five(mixed, taps[group, c, :, row], totals, run)
                        else:
                            add_mixed(mixed, taps[group, c, :, row], totals, run)
                    for index in range(min(GROUP, n_filters - group * GROUP)):
                        plane = (group * GROUP + index) * n_channels + c
                        result = totals[index * TILE : index * TILE + count]
                        write_row(result, plane, y, left, filtered, scale, offset, quantized)


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
