"""Pyramids against the reference's, level by level, and against levels composed of single steps."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from badacost.features import pyramid_levels
from badacost.features.channel_kinds import kind_of_channel
from badacost.features.channel_options import ChannelOptions
from badacost.features.channels import channels_of_converted
from badacost.features.color import convert_color
from badacost.features.padding import pad
from badacost.features.pyramid import PyramidOptions, compute_pyramid, iterate_pyramid
from badacost.features.resample import resample
from badacost.features.scales import nearest_computed
from badacost.features.smoothing import convolve_triangle

PEDESTRIAN, BADACOST = ChannelOptions.pedestrian(), ChannelOptions.badacost()
GRAY = replace(PEDESTRIAN, color_space="gray")
PADDED = PyramidOptions(octaves_up=1, pad=(16, 12), min_size=(40, 40))
CROPS = {
    "pastro": ("astronaut", slice(0, 256), slice(100, 356)),
    "odd": ("coffee", slice(31, 262), slice(101, 274)),
    "astro": ("astronaut", slice(10, 170), slice(160, 280)),
    "gray": ("gray", slice(None), slice(None)),
}
CASES = {
    "default_pastro": ("pastro", PEDESTRIAN, PyramidOptions()),
    "default_odd": ("odd", PEDESTRIAN, PyramidOptions()),
    "exact_up_pad_astro": ("astro", PEDESTRIAN, replace(PADDED, n_approximate=0)),
    "approx_up_pad_astro": ("astro", PEDESTRIAN, replace(PADDED, lambdas=(0, 0.1158, 0.1158))),
    "bada_astro": (
        "astro",
        BADACOST,
        replace(PADDED, per_octave=10, pad=(4, 4), lambdas=(0, 0.1766, 0.1778)),
    ),
    "gray": ("gray", GRAY, PyramidOptions()),
}


@pytest.mark.parametrize("case", CASES)
def test_scales_lambdas_and_levels_are_those_of_the_reference(
    reference_images: dict[str, NDArray], shared: Path, case: str
) -> None:
    crop, channels, options = CASES[case]
    name, rows, columns = CROPS[crop]
    golden = np.load(shared / f"reference/acf/pyr_{case}.npz")
    pyramid = compute_pyramid(reference_images[name][rows, columns], channels, options)
    np.testing.assert_allclose([v.scale for v in pyramid.levels], golden["scales"].ravel(), atol=1e-12)
    np.testing.assert_allclose(
        [(v.scale_y, v.scale_x) for v in pyramid.levels], golden["scaleshw"].reshape(-1, 2), atol=1e-12
    )
    if pyramid.lambdas is not None:
        np.testing.assert_allclose(pyramid.lambdas, golden["lambdas"].ravel(), atol=1e-4)
    # The reference's LUV uses an approximate reciprocal, unless the number of pixels is odd.
    mean = 3e-4 if case in ("default_odd", "gray") else 1.5e-3
    for number in golden["stored"].ravel().astype(int):
        expected = golden[f"data_{number:02d}"].transpose(2, 0, 1)
        found = pyramid.levels[number].channels
        assert found.shape == expected.shape
        assert np.abs(found - expected).mean(axis=(1, 2)).max() < mean
    means = np.array([v.channels.mean(axis=(1, 2)) for v in pyramid.levels])
    np.testing.assert_allclose(means, golden["chn_mean"].reshape(means.shape), atol=3e-4)


@pytest.mark.parametrize("case", [case for case in CASES if case.endswith("astro") and "pastro" not in case])
def test_levels_made_of_the_colours_of_the_reference_are_close_to_its_own(
    shared: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    planes = np.load(shared / "reference/acf/prim_astro.npz")["luv"].transpose(2, 0, 1)
    monkeypatch.setattr(pyramid_levels, "convert_color", lambda *_, **__: np.ascontiguousarray(planes))
    golden = np.load(shared / f"reference/acf/pyr_{case}.npz")
    _, channels, options = CASES[case]
    levels = compute_pyramid(np.zeros((160, 120, 3), np.uint8), channels, options).levels
    for number in golden["stored"].ravel().astype(int):
        error = np.abs(levels[number].channels - golden[f"data_{number:02d}"].transpose(2, 0, 1))
        assert error.mean(axis=(1, 2)).max() < 2e-4
        assert error[:3].max() < 2e-6


@pytest.fixture(scope="module")
def noise() -> NDArray[np.uint8]:
    """A photograph-like image: noise of several sizes."""
    random = np.random.default_rng(0)
    layers = [
        np.kron(random.integers(0, 80, (-(-120 // size), -(-150 // size), 3)), np.ones((size, size, 1)))
        for size in (1, 5, 30)
    ]
    return sum(layer[:120, :150] for layer in layers).astype(np.uint8)


def levels_step_by_step(
    image: NDArray[np.uint8], channel_options: ChannelOptions, options: PyramidOptions, sizes: list
) -> list[NDArray]:
    """Every step on whole arrays: resample, channels, power law, smooth, pad."""
    planes = convert_color(image, channel_options.color_space)
    near = nearest_computed(len(sizes), options.computed_every)
    half = next((size for scale, size in sizes if scale == 0.5 and options.computed_every > 1), None)
    half_planes = None if half is None else resample(planes, *half)
    shrink, n_color = channel_options.shrink, channel_options.n_color_channels
    computed = {}
    for index in sorted(set(near.tolist())):
        scale, size = sizes[index]
        source = planes if half_planes is None or scale > 0.5 else half_planes
        resized = source if source.shape[1:] == size else resample(source, *size)
        computed[index] = channels_of_converted(resized, channel_options)
    kinds = kind_of_channel(channel_options)
    levels = []
    for index, (scale, size) in enumerate(sizes):
        channels = computed[near[index]]
        if near[index] != index:
            channels = resample(channels, size[0] // shrink, size[1] // shrink)
            ratio = scale / sizes[near[index]][0]
            channels = channels * (ratio ** -np.array(options.lambdas)[kinds, None, None])
        channels = convolve_triangle(channels.astype(np.float32), options.smooth)
        margins = -(-options.pad[0] // shrink), -(-options.pad[1] // shrink)
        color = pad(channels[:n_color], margins, "replicate")
        levels.append(np.concatenate([color, pad(channels[n_color:], margins)]))
    return levels


@pytest.mark.parametrize("channel_options", [PEDESTRIAN, BADACOST, GRAY])
@pytest.mark.parametrize(
    "changes",
    [
        {"n_approximate": 0},
        {"n_approximate": 0, "smooth": 0},
        {"smooth": 0.5, "pad": (3, 10)},
        {"smooth": 2, "pad": (8, 8), "octaves_up": 0.7},
        {"smooth": 0, "n_approximate": 2},
        {"octaves_up": 1, "per_octave": 3, "multiple": 8},
        {"per_octave": 1, "pad": (100, 0)},
    ],
)
def test_levels_are_those_of_single_steps(
    noise: NDArray[np.uint8], channel_options: ChannelOptions, changes: dict[str, Any]
) -> None:
    options = PyramidOptions(**{"lambdas": (0.01, 0.2, 0.3), **changes})
    levels = compute_pyramid(noise, channel_options, options).levels
    sizes = [
        (level.scale, (round(level.scale_y * noise.shape[0]), round(level.scale_x * noise.shape[1])))
        for level in levels
    ]
    expected = levels_step_by_step(noise, channel_options, options, sizes)
    for level, channels in zip(levels, expected, strict=True):
        np.testing.assert_allclose(level.channels, channels, atol=3e-6)


@pytest.mark.parametrize(
    "changes", [{}, {"n_approximate": 0, "octaves_up": 0.7}, {"octaves_up": 1, "smooth": 0}, {"smooth": 2}]
)
def test_number_of_threads_changes_no_bit(noise: NDArray[np.uint8], changes: dict[str, Any]) -> None:
    options = PyramidOptions(**changes, pad=(16, 16))
    one, more = (compute_pyramid(noise, BADACOST, options, threads=threads) for threads in (1, 3))
    assert one.lambdas == more.lambdas
    for level, other in zip(one.levels, more.levels, strict=True):
        np.testing.assert_array_equal(level.channels, other.channels)


def test_iterating_gives_the_same_levels_and_holds_few_of_them() -> None:
    image = np.random.default_rng(0).integers(0, 256, (400, 400, 3)).astype(np.uint8)
    options = PyramidOptions(n_approximate=0)

    def peak_of(make_levels: Any) -> int:
        tracemalloc.start()
        make_levels()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    whole = compute_pyramid(image, BADACOST, options).levels
    for level, other in zip(whole, iterate_pyramid(image, BADACOST, options), strict=True):
        np.testing.assert_array_equal(level.channels, other.channels)
    total = sum(level.channels.nbytes for level in whole)
    planes = 3 * 4 * image[..., 0].size
    peak = peak_of(lambda: [None for _ in iterate_pyramid(image, BADACOST, options)])
    assert peak < 2 * planes + 3 * whole[0].channels.nbytes < total


def test_one_scale_an_octave_gives_the_computed_levels_of_a_fast_pyramid(noise: NDArray[np.uint8]) -> None:
    image = noise[:112, :144]  # halves to whole cells: smaller scales are made from the half
    fast = compute_pyramid(image, PEDESTRIAN, PyramidOptions(per_octave=4)).levels
    octaves = compute_pyramid(image, PEDESTRIAN, PyramidOptions(per_octave=1)).levels
    for level, other in zip(octaves, fast[::4], strict=True):
        assert level.scale == other.scale
        np.testing.assert_array_equal(level.channels, other.channels)


def test_multiple_makes_all_levels_even(noise: NDArray[np.uint8]) -> None:
    for n_approximate in (0, None):
        options = PyramidOptions(n_approximate=n_approximate, pad=(16, 16), multiple=4)
        for level in iterate_pyramid(noise, BADACOST, options):
            assert level.channels.shape[1] % 2 == level.channels.shape[2] % 2 == 0
            np.testing.assert_allclose(level.channels.shape[1] * 2 - 32, 120 * level.scale_y)


@pytest.mark.parametrize("n_approximate", [0, None])
@pytest.mark.parametrize("octaves_up", [0, 1])
@pytest.mark.parametrize(
    "limits", [(0.5, None), (None, 0.7), (0.3, 0.6), (0.5, 0.5), (3, None), (None, 0.01)]
)
def test_limits_leave_levels_of_the_whole_pyramid(
    noise: NDArray[np.uint8], n_approximate: int | None, octaves_up: float, limits: tuple
) -> None:
    options = PyramidOptions(n_approximate=n_approximate, octaves_up=octaves_up)
    whole = compute_pyramid(noise, PEDESTRIAN, options).levels
    smallest, largest = limits
    some = compute_pyramid(noise, PEDESTRIAN, replace(options, min_scale=smallest, max_scale=largest)).levels
    expected = [
        level
        for level in whole
        if (smallest is None or level.scale > smallest * 0.9576)
        and (largest is None or level.scale < largest * 1.0443)
    ]
    for level, other in zip(some, expected, strict=True):
        assert (level.scale, level.scale_y, level.scale_x) == (other.scale, other.scale_y, other.scale_x)
        np.testing.assert_array_equal(level.channels, other.channels)


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 900, 3), (15, 15, 3), (15, 15), (0, 40, 3)])
def test_image_smaller_than_the_window_has_no_level(shape: tuple[int, ...]) -> None:
    pyramid = compute_pyramid(np.zeros(shape, np.uint8), PEDESTRIAN, PyramidOptions())
    assert pyramid.levels == ()
    assert pyramid.lambdas is None


@pytest.mark.parametrize("size", [16, 17, 20, 24, 31])
def test_image_too_small_for_two_computed_scales_has_finite_levels(
    noise: NDArray[np.uint8], size: int
) -> None:
    for octaves_up in (0, 1):
        pyramid = compute_pyramid(noise[:size, :size], PEDESTRIAN, PyramidOptions(octaves_up=octaves_up))
        assert len(pyramid.levels) >= 1
        assert all(np.isfinite(level.channels).all() for level in pyramid.levels)


def test_image_of_one_colour_has_no_gradient_on_any_level() -> None:
    pyramid = compute_pyramid(np.full((90, 90, 3), 77, np.uint8), PEDESTRIAN, PyramidOptions())
    assert pyramid.lambdas is not None
    for level in pyramid.levels:
        assert np.ptp(level.channels[:3], axis=(1, 2)).max() < 1e-5
        assert level.channels[3:].max() < 1e-4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"per_octave": 0}, "per_octave of PyramidOptions must be a whole number >= 1, found 0"),
        ({"per_octave": 2.5}, "per_octave"),
        ({"octaves_up": float("inf")}, "octaves_up"),
        ({"n_approximate": -1}, "n_approximate of PyramidOptions must be None or a whole number >= 0"),
        ({"pad": (-1, 0)}, "pad of PyramidOptions must be two whole numbers >= 0"),
        ({"pad": (4,)}, "pad"),
        ({"min_size": (0, 16)}, "min_size"),
        ({"min_scale": -0.5}, "min_scale"),
        ({"max_scale": float("nan")}, "max_scale"),
        ({"min_scale": 1, "max_scale": 0.5}, "max_scale of PyramidOptions must be at least min_scale, 1"),
        ({"smooth": 1.5}, "smooth"),
        ({"lambdas": (0, 1)}, "lambdas"),
        ({"lambdas": (0, float("nan"), 0)}, "lambdas"),
        ({"multiple": 0}, "multiple"),
    ],
)
def test_impossible_options_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PyramidOptions(**changes)


def test_multiple_that_splits_cells_and_images_of_another_type_are_refused(noise: NDArray[np.uint8]) -> None:
    with pytest.raises(ValueError, match="multiple of the channels' shrink 4, found 6"):
        compute_pyramid(noise, PEDESTRIAN, PyramidOptions(multiple=6))
    with pytest.raises(ValueError, match="uint8"):
        compute_pyramid(noise.astype(np.float32), PEDESTRIAN, PyramidOptions())  # type: ignore[arg-type]
