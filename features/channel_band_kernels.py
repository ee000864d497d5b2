"""The two fused kernels of the channels; each works on a band of rows of cells.

`gradient_band` goes from converted planes to the colour channels and to magnitude and orientation per pixel;
`histogram_band` normalises the magnitude and goes on to the other channels. What lies between exists only in
windows of rows: row y of the image is row ``y - top`` of a window, and so are the channels' rows of cells.

Sizes that loops must know at compile time to become vector code (planes, pixels of a cell, taps) arrive as
the lengths of tuples, which are part of a tuple's type. Loops are split so that each one is vector code, and
few, and rows are copied by loops: slice assignments cost seconds of compilation. Memory for the kernels' own use
is an argument: what allocates takes longer to compile, and to load once compiled.
"""

from __future__ import annotations

import numpy as np

from .compilation import fast_kernel

# Minimax polynomial of the arctangent on [0, 1], odd, degree 11: off by at most 1.8e-6 rad in float32.
ARCTANGENT = tuple(
    np.float32(c) for c in (0.99997722, -0.33262283, 0.19354037, -0.11642648, 0.05264735, -0.01171913)
)


@fast_kernel
def gradient_band(  # type: ignore[no-untyped-def]
    planes,
    planes_top,
    height,
    smooth,
    center,
    plane_count,
    cell,
    n_bins,
    channels,
    channels_top,
    gradients,
    top,
    first,
    last,
    rows,
    line,
):
    """Smooth the planes, average them over cells, and take the gradient of the strongest one.

    Parameters
    ----------
    planes : (C, rows, columns) float32
    planes_top : int
    height : int
        Rows of the image that whole cells cover.
    smooth : bool
        Whether to filter by [1 center 1] / (2 + center) along both axes first.
    center : float32
    plane_count, cell : tuples of length C and shrink
    n_bins : float32
        Orientation bins of a half turn, the unit of angles.
    channels : (n, rows, width / shrink) float32
        Output, the first C of them.
    channels_top : int
    gradients : (2, rows, width) float32
        Output: magnitude, and angle in [0, n_bins].
    top : int
        Of `gradients`.
    first, last : int
        The band: rows of cells.
    rows, line : (C, shrink + 2, width + 2), (width + 2,) float32
        For this function's own use. Rows y - 1 .. y + shrink of every plane for the cells from row y on, with a
        column to either side.
    """
    n_planes, shrink, width = len(plane_count), len(cell), gradients.shape[2]
    half, one, two = np.float32(0.5), np.float32(1), np.float32(2)
    scale = one / ((two + center) * (two + center)) if smooth else one
    mean = one / np.float32(shrink * shrink)
    tiny = np.float32(1e-30)
    a1, a3, a5, a7, a9, a11 = ARCTANGENT
    unit = n_bins / np.float32(np.pi)
    quarter_turn, half_turn = n_bins * half, n_bins

    for cell_row in range(first, last):
        y = cell_row * shrink
        kept = 2 if cell_row > first else 0
        for plane in range(n_planes):
            for k in range(kept):
                for x in range(width + 2):
                    rows[plane, k, x] = rows[plane, shrink + k, x]
            for k in range(kept, shrink + 2):
                row = min(max(y - 1 + k, 0), height - 1)
                here = planes[plane, row - planes_top]
                if smooth:
                    above = planes[plane, max(row - 1, 0) - planes_top]
                    below = planes[plane, min(row + 1, height - 1) - planes_top]
                    for x in range(width):
                        line[x + 1] = (above[x] + below[x]) + center * here[x]
                    line[0] = line[1]
                    line[width + 1] = line[width]
                    for x in range(width):
                        rows[plane, k, x + 1] = scale * ((line[x] + line[x + 2]) + center * line[x + 1])
                else:
                    for x in range(width):
                        rows[plane, k, x + 1] = here[x]
                # Continued linearly, so that the centred difference becomes one-sided at the border.
                inner = min(2, width)
                rows[plane, k, 0] = two * rows[plane, k, 1] - rows[plane, k, inner]
                inner = width + 1 - inner
                rows[plane, k, width + 1] = two * rows[plane, k, width] - rows[plane, k, inner]

            for x in range(width):
                total = np.float32(0)
                for k in range(len(cell)):
                    total += rows[plane, k + 1, x + 1]
                line[x] = total
            for x in range(channels.shape[2]):
                total = np.float32(0)
                for k in range(len(cell)):
                    total += line[x * len(cell) + k]
                channels[plane, cell_row - channels_top, x] = mean * total

        for k in range(shrink):
            row = y + k
            # Beyond the border rows repeat the outermost one: a difference over one row counts double.
            stretch = two if row == 0 or row == height - 1 else one
            for x in range(width):
                best = np.float32(-1)
                dx = np.float32(0)
                dy = np.float32(0)
                for plane in range(len(plane_count)):
                    across = rows[plane, k + 1, x + 2] - rows[plane, k + 1, x]
                    down = stretch * (rows[plane, k + 2, x + 1] - rows[plane, k, x + 1])
                    squared = across * across + down * down
                    wins = squared > best
                    dx = across if wins else dx
                    dy = down if wins else dy
                    best = squared if wins else best
                gradients[0, row - top, x] = half * np.sqrt(best)
                opposite = dx * dy < 0
                dx, dy = abs(dx), abs(dy)
                steep = dy > dx
                t = (dx if steep else dy) / max(dy if steep else dx, tiny)
                z = t * t
                turn = unit * t * (a1 + z * (a3 + z * (a5 + z * (a7 + z * (a9 + z * a11)))))
                turn = quarter_turn - turn if steep else turn
                gradients[1, row - top, x] = half_turn - turn if opposite else turn


@fast_kernel
def histogram_band(  # type: ignore[no-untyped-def]
    gradients,
    top,
    source_rows,
    source_columns,
    weight,
    taps,
    constant,
    cell,
    support,
    shares,
    channels,
    channels_top,
    first,
    last,
    scratch,
):
    """Normalise the magnitude; average it, and its parts by orientation, over cells.

    The linear interpolation between neighbouring orientation bins gives bin b the hat function
    max(0, 1 - |angle - b|), a second difference of ramps: ramp(b-1) - 2 ramp(b) + ramp(b+1) with
    ramp(b) = max(0, angle - b). Ramps are summed over the cells, and differences taken of the sums.

    Parameters
    ----------
    gradients : (2, rows, W) float32
        From `gradient_band`: radius + margin + 2 rows more than the band's on either side. Those beyond the
        border of the image are without influence, but must be finite.
    top : int
    source_rows, source_columns : (H + 2 radius + 4,), (W + 2 radius) int64
        The pixel shown at each position of the mirrored image, from -radius - 2 and from -radius on.
    weight : (2 radius + 1,) float32
        Taps of the triangle along a row, divided by those of both axes.
    taps : tuple of length 2 radius + 1
    constant : float32
        Added to the smoothed magnitude.
    cell, support : tuples
        Of length shrink, and shrink + 2 margin: the pixels along each axis that add to a cell's histogram.
    shares : (2, 4 ceil(len(support) / 4)) float32
        The weights of these pixels along each axis, for the histogram and for the mean magnitude.
    channels : (1 + orientations, rows, W / shrink) float32
        Output: mean magnitude, histogram.
    channels_top : int
    first, last : int
        The band: rows of cells.
    scratch : tuple of 2-d float32 arrays of zeros
        For this function's own use: see `histogram_scratch`.
    """
    width = gradients.shape[2]
    n_columns = channels.shape[2]
    n_bins = channels.shape[0] - 1
    shrink, size = len(cell), shares.shape[1]
    margin = (len(support) - shrink) // 2
    radius = len(taps) // 2
    height = source_rows.size - 2 * radius - 4
    zero, one, two = np.float32(0), np.float32(1), np.float32(2)
    side = np.float32(radius + 1)
    center_share = one / (side * side)
    mean = one / np.float32(shrink * shrink)

    # The smoothed magnitude by running sums down the columns: `total` is the triangle sum around a row,
    # `slope` what it gains until the next row. They start anew in every band.
    running, padded_row, rows, weighted, sums, cells = scratch
    total, slope, padded = running[0], running[1], padded_row[0]

    next_row = max(first * shrink - margin, 0)
    for k in range(-radius, radius + 2):
        tap = np.float32(radius + 1 - abs(k))
        sign = one if k > 0 else -one
        row = source_rows[next_row + k + radius + 2] - top
        for x in range(width):
            total[x] += tap * gradients[0, row, x]
            slope[x] += sign * gradients[0, row, x]

    for cell_row in range(first, last):
        y = cell_row * shrink - margin
        kept = 2 * margin if cell_row > first else 0
        for k in range(len(support)):
            row = y + k
            if k < kept or row < 0 or row >= height:
                inside = one if k < kept else zero
                for x in range(width):
                    rows[k, x] = inside * rows[(k + shrink) % size, x]
                continue
            for x in range(width):
                padded[radius + x] = total[x]
            for x in range(radius):
                padded[x] = total[source_columns[x]]
                padded[radius + width + x] = total[source_columns[radius + width + x]]
            for x in range(width):
                smoothed = zero
                for tap_index in range(len(taps)):
                    smoothed += weight[tap_index] * padded[x + tap_index]
                here = gradients[0, row - top, x]
                rows[k, x] = here / (max(smoothed, center_share * here) + constant)
            leaving = source_rows[row + 2] - top
            turning = source_rows[row + radius + 3] - top
            entering = source_rows[row + 2 * radius + 4] - top
            for x in range(width):
                total[x] += slope[x]
                ends = gradients[0, entering, x] + gradients[0, leaving, x]
                slope[x] += ends - two * gradients[0, turning, x]

        for kind in range(2):
            for x in range(width):
                column_sum = zero
                for k in range(len(support)):
                    column_sum += shares[kind, k] * rows[k, x]
                sums[n_bins + kind, margin + x] = column_sum
        for k in range(size):
            for x in range(width):
                weighted[k, x] = shares[0, k] * rows[k, x]
        for group in range(0, size, 4):
            old = one if group else zero
            for b in range(n_bins):
                start = np.float32(b)
                for x in range(width):
                    column_sum = old * sums[b, margin + x]
                    for k in range(4):
                        ramp = max(gradients[1, y + group + k - top, x] - start, zero)
                        column_sum += weighted[group + k, x] * ramp
                    sums[b, margin + x] = column_sum

        for b in range(n_bins + 2):
            kind = b // (n_bins + 1)
            target = b + 1
            for x in range(n_columns):
                cell_sum = zero
                for k in range(len(support)):
                    cell_sum += shares[kind, k] * sums[b, x * len(cell) + k]
                cells[target, x] = mean * cell_sum
        for x in range(n_columns):
            channels[0, cell_row - channels_top, x] = cells[n_bins + 2, x]
            cells[0, x] = cells[1, x] + cells[n_bins, x] + cells[n_bins + 1, x]
            cells[n_bins + 1, x] = zero
        for b in range(n_bins):
            for x in range(n_columns):
                hat = cells[b, x] - two * cells[b + 1, x] + cells[b + 2, x]
                channels[1 + b, cell_row - channels_top, x] = max(hat, zero)
