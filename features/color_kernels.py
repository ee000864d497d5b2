"""Kernels of colour conversion: rows of interleaved 8-bit pixels to planes."""

from __future__ import annotations

import numpy as np

from .compilation import kernel


@kernel
def luv_rows(pixels, table, chroma, index, planes, top, first, last):  # type: ignore[no-untyped-def]
    """Convert rows [first, last) to L*u*v* of gamma-compressed RGB.

    Without fast-math: the luminance, whose floor picks the entry of the table, is then the same everywhere,
    and every lightness the reference's to the bit.

    Parameters
    ----------
    pixels : (H, 3 W) uint8
        Red, green, blue, red, ...: indexed by ``3 * x + channel``, a stride that the compiler knows.
    table : (1025,) float32
        Scaled lightness of the luminances k / 1024.
    chroma, index : (2, W) float32, (W,) uint32
        For this function's own use.
    planes : (3, rows, W) float32
        Output: row y goes to row ``y - top``. May have fewer columns than the image.
    """
    width = planes.shape[2]
    one = np.float32(1)
    scale = one / np.float32(255)
    x_red, x_green, x_blue = (
        np.float32(0.430574) * scale,
        np.float32(0.341550) * scale,
        np.float32(0.178325) * scale,
    )
    y_red, y_green, y_blue = (
        np.float32(0.222015) * scale,
        np.float32(0.706655) * scale,
        np.float32(0.071330) * scale,
    )
    z_red, z_green, z_blue = (
        np.float32(0.020183) * scale,
        np.float32(0.129553) * scale,
        np.float32(0.939180) * scale,
    )
    white_u = np.float32(13 * 0.197833)
    white_v = np.float32(13 * 0.468331)
    offset_u = np.float32(88 / 270)
    offset_v = np.float32(134 / 270)
    steps = np.float32(1024)
    relative_u, relative_v = chroma[0], chroma[1]

    # Three loops: the table look-up cannot be vectorised, the arithmetic before and after it is.
    for row in range(first, last):
        for column in range(width):
            red = np.float32(pixels[row, 3 * column])
            green = np.float32(pixels[row, 3 * column + 1])
            blue = np.float32(pixels[row, 3 * column + 2])
            x = x_red * red + x_green * green + x_blue * blue
            y = y_red * red + y_green * green + y_blue * blue
            z = z_red * red + z_green * green + z_blue * blue
            inverse = one / (x + np.float32(15) * y + np.float32(3) * z + np.float32(1e-35))
            relative_u[column] = np.float32(52) * x * inverse - white_u
            relative_v[column] = np.float32(117) * y * inverse - white_v
            index[column] = np.uint32(np.int32(y * steps))
        for column in range(width):
            planes[0, row - top, column] = table[index[column]]
        for column in range(width):
            lightness = planes[0, row - top, column]
            planes[1, row - top, column] = lightness * relative_u[column] + offset_u
            planes[2, row - top, column] = lightness * relative_v[column] + offset_v


@kernel
def hsv_rows(pixels, planes, first, last):  # type: ignore[no-untyped-def]
    """Convert rows [first, last) to hue, saturation and value in [0, 1] (hue of gray: 0)."""
    width = planes.shape[2]
    for row in range(first, last):
        for column in range(width):
            red = np.float32(pixels[row, 3 * column])
            green = np.float32(pixels[row, 3 * column + 1])
            blue = np.float32(pixels[row, 3 * column + 2])
            value = max(red, max(green, blue))
            spread = value - min(red, min(green, blue))
            hue = np.float32(0)
            if spread > 0:
                if value == red:
                    hue = (green - blue) / spread
                    if hue < 0:
                        hue += np.float32(6)
                elif value == green:
                    hue = np.float32(2) + (blue - red) / spread
                else:
                    hue = np.float32(4) + (red - green) / spread
            planes[0, row, column] = hue * np.float32(1 / 6)
            planes[1, row, column] = spread / value if value > 0 else np.float32(0)
            planes[2, row, column] = value * np.float32(1 / 255)
