"""Channels: the fused passes against the composition of single steps, both against the reference."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import badacost.features
from badacost.features.channel_bands import is_fused
from badacost.features.channels import (
    ChannelOptions,
    channels_of_converted,
    composed_channels,
    compute_channels,
)
from badacost.features.color import convert_color

PEDESTRIAN, BADACOST = ChannelOptions.pedestrian(), ChannelOptions.badacost()
OTHERS = {
    "hard orientations": ChannelOptions(soft_bin=-1),
    "hard bins": ChannelOptions(soft_bin=-2, shrink=2),
    "full turn": ChannelOptions(full_orientation=True, orientations=9),
    "one plane": ChannelOptions(color_plane=0),
    "wide smoothing": ChannelOptions(color_smooth=2),
    "hog": ChannelOptions(hog="hog", soft_bin=1, shrink=8, orientations=9),
    "fhog": ChannelOptions(hog="fhog", soft_bin=-1, shrink=8, orientations=9, color_space="gray"),
    "own bins": ChannelOptions(bin_size=8, shrink=4),
    "one orientation": ChannelOptions(orientations=1),
    "no normalisation": ChannelOptions(normalization_radius=0),
}


def random_image(seed, height, width):
    """Blurred noise: gradients of natural size, and none of exactly equal strength in two planes."""
    random = np.random.default_rng(seed)
    image = random.integers(0, 256, (height + 2, width + 2, 3)).astype(float)
    image = (image[:-2, :-2] + image[1:-1, 1:-1] + image[2:, 2:]) / 3
    return image.astype(np.uint8)


def assert_same_channels(channels, expected):
    """Equal up to rounding, but where two planes are equally strong up to rounding either may win."""
    assert channels.shape == expected.shape
    error = np.abs(channels - expected)
    assert np.mean(error > 3e-5) < 2e-3
    assert error.max(initial=0) < 0.5


@pytest.mark.parametrize("name", ["astro", "cof", "chel"])
@pytest.mark.parametrize(("key", "options"), [("chns_default", PEDESTRIAN), ("chns_bada", BADACOST)])
def test_channels_of_the_references_luv_are_the_references(name, key, options, reference_steps):
    """What remains is its table of arccosines, whose error near 0 moves weight between two bins."""
    steps = reference_steps(name)
    error = np.abs(channels_of_converted(steps["luv"], options) - steps[key])
    assert error[:3].max() < 2e-6
    assert error[3].max() < 8e-4
    assert error[3].mean() < 6e-5
    assert error[4:].max() < 0.015
    assert error[4:].mean() < 2e-4


@pytest.mark.parametrize("name", ["astro", "cof", "chel", "odd"])
@pytest.mark.parametrize(("key", "options"), [("chns_default", PEDESTRIAN), ("chns_bada", BADACOST)])
def test_channels_of_an_image_are_the_references(name, key, options, reference_images, reference_steps):
    """The reference's U and V are off by up to 7e-4: in flat places the strongest plane changes."""
    steps = reference_steps(name)
    error = np.abs(compute_channels(reference_images[name], options) - steps[key])
    assert error[:3].max() < 7e-4
    assert error[:3].mean() < 1e-4
    assert error[3:].mean() < 3e-3
    assert np.quantile(error[3:], 0.9) < 8e-3


def test_channels_of_a_gray_image_are_the_references(reference_images, reference_steps):
    channels = compute_channels(reference_images["gray"], ChannelOptions(color_space="gray"))
    error = np.abs(channels - reference_steps("gray")["chns_gray"])
    assert error[0].max() < 2e-6
    assert error.max() < 8e-3
    assert error.mean() < 1e-4


@pytest.mark.parametrize("options", [PEDESTRIAN, BADACOST], ids=["pedestrian", "badacost"])
@pytest.mark.parametrize("name", ["astro", "odd", "gray"])
def test_the_fused_passes_are_the_composition(options, name, reference_images):
    planes = convert_color(reference_images[name], "luv")
    assert is_fused(options)
    assert_same_channels(channels_of_converted(planes, options), composed_channels(planes, options))


@given(
    size=st.tuples(st.integers(1, 45), st.integers(1, 45)),
    # Few of these: the kernels are compiled for every combination.
    sizes=st.sampled_from([(4, 0, "luv", 5), (2, 1, "luv", 5), (3, 1, "gray", 2), (1, 1, "hsv", 12)]),
    color_smooth=st.sampled_from([0, 0.5, 1]),
    orientations=st.integers(2, 9),
    constant=st.sampled_from([0.005, 0.1]),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_the_fused_passes_are_the_composition_for_all_their_options(
    size, sizes, color_smooth, orientations, constant, seed
):
    shrink, soft_bin, color_space, radius = sizes
    options = ChannelOptions(
        shrink=shrink,
        color_space=color_space,
        color_smooth=color_smooth,
        normalization_radius=radius,
        normalization_constant=constant,
        orientations=orientations,
        soft_bin=soft_bin,
    )
    assert is_fused(options)
    planes = convert_color(random_image(seed, *size), color_space)
    channels = channels_of_converted(planes, options)
    assert channels.shape == (options.n_channels, size[0] // shrink, size[1] // shrink)
    if channels.size:
        assert_same_channels(channels, composed_channels(planes, options))


@pytest.mark.parametrize("options", [PEDESTRIAN, BADACOST], ids=["pedestrian", "badacost"])
def test_the_number_of_threads_does_not_matter(options):
    image = random_image(1, 301, 90)
    alone = compute_channels(image, options)
    for threads in (2, 5, 0):
        np.testing.assert_array_equal(compute_channels(image, options, threads=threads), alone)


@pytest.mark.parametrize("options", [PEDESTRIAN, BADACOST, *OTHERS.values()])
@pytest.mark.parametrize("size", [(1, 1), (3, 40), (40, 3), (0, 0), (0, 9), (8, 8), (9, 23), (5, 6), (2, 2)])
def test_any_size_has_finite_channels(options, size):
    channels = compute_channels(random_image(2, *size), options)
    assert channels.shape == (options.n_channels, size[0] // options.shrink, size[1] // options.shrink)
    assert channels.dtype == np.float32
    assert channels.flags.c_contiguous
    assert np.isfinite(channels).all()


@pytest.mark.parametrize("options", [PEDESTRIAN, BADACOST, *OTHERS.values()])
def test_a_flat_image_has_colors_and_nothing_else(options):
    channels = compute_channels(np.full((32, 40, 3), 90, np.uint8), options)
    n_color = options.n_color_channels
    assert np.ptp(channels[:n_color], axis=(1, 2)).max() < 1e-6
    np.testing.assert_allclose(channels[n_color:], 0, atol=1e-3)  # HOG magnifies the least gradient


@pytest.mark.parametrize("options", [PEDESTRIAN, BADACOST], ids=["pedestrian", "badacost"])
def test_flat_parts_beside_strong_edges_stay_flat(options):
    """The running sums of the normalisation leave rounding errors behind: they must not matter."""
    image = np.full((200, 64, 3), 60, np.uint8)
    image[:40:2] = 255
    quiet = compute_channels(image, options)[3:, 60 // options.shrink :]
    assert np.abs(quiet).max() < 1e-6
    tiny = ChannelOptions(shrink=options.shrink, normalization_constant=1e-7, soft_bin=options.soft_bin)
    channels = compute_channels(image, tiny)
    assert np.isfinite(channels).all()
    assert channels.min() >= -1e-6
    assert channels[3].max() <= 36  # a pixel is 1/36 of its own neighbourhood


def test_rows_and_columns_beyond_the_last_cell_do_not_count():
    image = random_image(3, 47, 38)
    np.testing.assert_array_equal(
        compute_channels(image, PEDESTRIAN), compute_channels(image[:44, :36], PEDESTRIAN)
    )


@pytest.mark.parametrize("options", [PEDESTRIAN, BADACOST], ids=["pedestrian", "badacost"])
def test_a_mirrored_image_has_mirrored_channels(options):
    image = random_image(4, 64, 48)
    channels, mirrored = compute_channels(image, options), compute_channels(image[:, ::-1], options)
    bins = np.array([4, *range(9, 4, -1)])  # an angle a becomes pi - a
    assert_same_channels(mirrored[:, :, ::-1], channels[[0, 1, 2, 3, *bins]])


@pytest.mark.parametrize("options", [PEDESTRIAN, BADACOST], ids=["pedestrian", "badacost"])
def test_a_gray_image_is_one_of_equal_colors(options):
    gray = random_image(5, 40, 40)[:, :, 0]
    np.testing.assert_array_equal(
        compute_channels(gray, options), compute_channels(np.dstack([gray] * 3), options)
    )


def test_bins_sum_to_the_magnitude():
    channels = compute_channels(random_image(6, 64, 64), PEDESTRIAN)
    np.testing.assert_allclose(channels[4:].sum(axis=0), channels[3], rtol=1e-5)


def test_the_planes_are_left_alone():
    planes = convert_color(random_image(7, 24, 24), "luv")
    before = planes.copy()
    for options in (PEDESTRIAN, BADACOST, *OTHERS.values()):
        if options.color_space == "luv":
            channels_of_converted(planes, options)[:] = 0
    np.testing.assert_array_equal(planes, before)


def test_own_bins_are_resampled_to_the_cells():
    image = random_image(8, 64, 48)
    coarse = compute_channels(image, OTHERS["own bins"])
    exact = compute_channels(image, ChannelOptions(shrink=8))
    assert coarse.shape == (10, 16, 12)
    assert coarse[4:].mean(axis=(1, 2)) == pytest.approx(exact[4:].mean(axis=(1, 2)), rel=0.05)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"shrink": 0}, "shrink of ChannelOptions must be a whole number >= 1, got 0"),
        ({"shrink": 2.5}, "shrink .* got 2.5"),
        ({"color_space": "lab"}, "color_space .* got 'lab'"),
        ({"color_smooth": -1}, "color_smooth .* got -1"),
        ({"color_smooth": 1.5}, "color_smooth .* got 1.5"),
        ({"color_smooth": float("inf")}, "color_smooth .* got inf"),
        ({"color_smooth": float("nan")}, "color_smooth .* got nan"),
        ({"color_plane": 3}, r"color_plane .* None or in \[0, 3\), got 3"),
        ({"color_plane": 1, "color_space": "gray"}, "color_plane .* got 1"),
        ({"normalization_radius": 0.5}, "normalization_radius .* got 0.5"),
        ({"normalization_constant": 0}, "normalization_constant .* got 0"),
        ({"normalization_constant": float("nan")}, "normalization_constant .* got nan"),
        ({"orientations": 0}, "orientations .* got 0"),
        ({"soft_bin": 0.5}, "soft_bin .* got 0.5"),
        ({"bin_size": 0}, "bin_size .* got 0"),
        ({"hog": "dpm"}, "hog .* got 'dpm'"),
        ({"hog_clip": 0}, "hog_clip .* got 0"),
    ],
)
def test_options_out_of_range_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        ChannelOptions(**values)


@pytest.mark.parametrize(
    ("planes", "message"),
    [
        (np.zeros((2, 8, 8), np.float32), r"must be \(3, H, W\) .* got shape \(2, 8, 8\)"),
        (np.zeros((8, 8), np.float32), r"got shape \(8, 8\)"),
    ],
)
def test_planes_of_another_color_space_are_refused(planes, message):
    with pytest.raises(ValueError, match=message):
        channels_of_converted(planes, PEDESTRIAN)


def test_the_options_count_their_channels():
    counts = {name: options.n_channels for name, options in OTHERS.items()}
    assert PEDESTRIAN.n_channels == BADACOST.n_channels == 10
    assert ChannelOptions(color_space="gray").n_channels == 8
    assert (counts["hog"], counts["fhog"]) == (40, 34)


def test_the_facade_offers_its_names_and_refuses_others():
    assert badacost.features.compute_channels is compute_channels
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = badacost.features.nothing


def test_importing_the_package_loads_no_compiler():
    code = (
        "import sys; from badacost.features import ChannelOptions, compute_channels;"
        " print([m for m in ('numba', 'cv2', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
