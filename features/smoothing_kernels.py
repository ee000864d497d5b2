"""Kernels of the separable smoothing filters."""

from __future__ import annotations

import numpy as np

from .compilation import kernel


@kernel
def three_taps(planes, center, result):  # type: ignore[no-untyped-def]
    """Filter by [1 center 1] / (2 + center) along both axes; the outermost pixel is repeated outside."""
    n_planes, height, width = planes.shape
    scale = np.float32(1) / ((np.float32(2) + center) * (np.float32(2) + center))
    line = np.empty(width + 2, np.float32)
    for plane in range(n_planes):
        for row in range(height):
            above = planes[plane, max(row - 1, 0)]
            here = planes[plane, row]
            below = planes[plane, min(row + 1, height - 1)]
            for column in range(width):
                line[column + 1] = above[column] + center * here[column] + below[column]
            line[0] = line[1]
            line[width + 1] = line[width]
            for column in range(width):
                result[plane, row, column] = scale * (
                    line[column] + center * line[column + 1] + line[column + 2]
                )


@kernel
def box_columns(planes, source, length, twice, result):  # type: ignore[no-untyped-def]
    """Average down the columns by a box of `length` taps, or by that box applied twice (a triangle).

    Running sums: `lead` covers the last `length` rows, `lag` the `length` rows before those, and `total`
    sums the successive differences of the two, which makes a triangle. Double precision, so that they do
    not drift.

    Parameters
    ----------
    planes : (n, H, W) float32
    source : (H + margins,) int64
        The row shown at each position of the padded image.
    """
    n_planes, height, width = planes.shape
    n_source = source.size
    skipped = n_source - height
    scale = 1.0 / (length * length) if twice else 1.0 / length
    lead = np.empty(width, np.float64)
    lag = np.empty(width, np.float64)
    total = np.empty(width, np.float64)
    for plane in range(n_planes):
        lead[:] = 0
        lag[:] = 0
        total[:] = 0
        for step in range(n_source):
            entering = planes[plane, source[step]]
            leaving = planes[plane, source[max(step - length, 0)]]
            gone = planes[plane, source[max(step - 2 * length, 0)]]
            has_leaving = 1.0 if step >= length else 0.0
            has_gone = 1.0 if step >= 2 * length else 0.0
            for column in range(width):
                leaves = has_leaving * leaving[column]
                lead[column] += entering[column] - leaves
                lag[column] += leaves - has_gone * gone[column]
                total[column] += lead[column] - lag[column]
            if step >= skipped:
                kept = total if twice else lead
                for column in range(width):
                    result[plane, step - skipped, column] = np.float32(scale * kept[column])


@kernel
def box_rows(planes, source, length, twice, result):  # type: ignore[no-untyped-def]
    """Average along the rows: see `box_columns`."""
    n_planes, height, width = planes.shape
    n_source = source.size
    skipped = n_source - width
    scale = 1.0 / (length * length) if twice else 1.0 / length
    line = np.zeros(n_source + 2 * length, np.float64)
    for plane in range(n_planes):
        for row in range(height):
            pixels = planes[plane, row]
            for step in range(n_source):
                line[step + 2 * length] = pixels[source[step]]
            lead = 0.0
            lag = 0.0
            total = 0.0
            for step in range(n_source):
                leaves = line[step + length]
                lead += line[step + 2 * length] - leaves
                lag += leaves - line[step]
                total += lead - lag
                if step >= skipped:
                    result[plane, row, step - skipped] = np.float32(scale * (total if twice else lead))
