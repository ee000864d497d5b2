"""Kernels that filter planes, average 2 x 2 results and quantise them in one pass.

The kernel of the filter and the 2 x 2 mean are folded into one of (s + 1) x (s + 1) at stride 2. Even and odd
columns lie apart, so that a row of results needs contiguous loads only.
"""

from __future__ import annotations

import numpy as np

from .compilation import fast_kernel


@fast_kernel
def add_three_rows(first, second, third, weights, total):
    """Add three source rows, filtered by three rows of a 6 x 6 kernel, to a row of results.

    Three rows at a time: fewer would load and store the results more often, for more rows LLVM gives up
    checking that none overlaps the results, and does not vectorise.
    """
    e0, o0, e1, o1, e2, o2 = first[0], first[1], second[0], second[1], third[0], third[1]
    a0, a1, a2, a3, a4, a5 = (
        weights[0, 0],
        weights[0, 1],
        weights[0, 2],
        weights[0, 3],
        weights[0, 4],
        weights[0, 5],
    )
    b0, b1, b2, b3, b4, b5 = (
        weights[1, 0],
        weights[1, 1],
        weights[1, 2],
        weights[1, 3],
        weights[1, 4],
        weights[1, 5],
    )
    c0, c1, c2, c3, c4, c5 = (
        weights[2, 0],
        weights[2, 1],
        weights[2, 2],
        weights[2, 3],
        weights[2, 4],
        weights[2, 5],
    )
    for x in range(len(total)):
        total[x] += (
            (a0 * e0[x] + a1 * o0[x] + a2 * e0[x + 1] + a3 * o0[x + 1] + a4 * e0[x + 2] + a5 * o0[x + 2])
            + (b0 * e1[x] + b1 * o1[x] + b2 * e1[x + 1] + b3 * o1[x + 1] + b4 * e1[x + 2] + b5 * o1[x + 2])
            + (c0 * e2[x] + c1 * o2[x] + c2 * e2[x + 1] + c3 * o2[x + 1] + c4 * e2[x + 2] + c5 * o2[x + 2])
        )


@fast_kernel
def add_filtered_row(even, odd, weights, total):
    """Add one source row, filtered by one row of a kernel of any size, to a row of results."""
    for tap in range(0, len(weights), 2):
        w0, w1 = weights[tap], weights[tap + 1]
        shift = tap // 2
        for x in range(len(total)):
            total[x] += w0 * even[x + shift] + w1 * odd[x + shift]


@fast_kernel
def filtered_row(phases, kernel, y, total):
    """Compute one row of results from a channel's phases."""
    total[:] = 0
    top = 2 * y
    if len(kernel) == 6:
        add_three_rows(phases[top], phases[top + 1], phases[top + 2], kernel[:3], total)
        add_three_rows(phases[top + 3], phases[top + 4], phases[top + 5], kernel[3:], total)
    else:
        for row in range(len(kernel)):
            add_filtered_row(phases[top + row, 0], phases[top + row, 1], kernel[row], total)


@fast_kernel
def filter_and_halve(phases, folded, first, last, filtered):
    """Fill rows [first, last) of the filtered planes.

    Parameters
    ----------
    phases : (C, h + s - 1, 2, columns) float32
        Even and odd columns, with a border of zeros.
    folded : (n_filters, C, s + 1, s + 1) float32
    filtered : (n_filters * C, h / 2, w / 2) float32, written
    """
    n_filters, n_channels, _, _ = folded.shape
    for channel in range(n_channels):
        for y in range(first, last):
            for index in range(n_filters):
                filtered_row(
                    phases[channel], folded[index, channel], y, filtered[index * n_channels + channel, y]
                )


@fast_kernel
def quantize_row(values, scale, offset, quantized):
    """Map a row to uint8, rounding to nearest."""
    for x in range(len(quantized)):
        value = (values[x] - offset) * scale
        value = max(np.float32(0), min(np.float32(255), value)) + np.float32(0.5)
        quantized[x] = np.uint8(np.int32(value))


@fast_kernel
def filter_halve_and_quantize(phases, folded, scale, offset, first, last, filtered):
    """Fill rows [first, last) of the filtered planes as uint8; see `filter_and_halve`."""
    n_filters, n_channels, _, _ = folded.shape
    total = np.empty(filtered.shape[2], np.float32)
    for channel in range(n_channels):
        for y in range(first, last):
            for index in range(n_filters):
                plane = index * n_channels + channel
                filtered_row(phases[channel], folded[index, channel], y, total)
                quantize_row(total, scale[plane], offset[plane], filtered[plane, y])
