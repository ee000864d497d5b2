"""Patches of objects: where they lie, and that they look as the pyramid's levels do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from badacost.detector.feature_levels import FeaturePipeline
from badacost.detector.images import read_image
from badacost.detector.window import WindowOptions
from badacost.detector.window_boxes import object_boxes
from badacost.features.channel_options import ChannelOptions
from badacost.features.decorrelation import DecorrelationFilters
from badacost.features.pyramid import PyramidOptions
from badacost.training.datasets.annotated_image import AnnotatedBox
from badacost.training.options import JitterOptions
from badacost.training.patches import Placement, cut_patch, with_brightness

WINDOW = WindowOptions(object_height=20, object_width=20, window_height=32, window_width=32)


def ramp(height: int = 120, width: int = 160) -> NDArray[np.uint8]:
    """Columns in red, rows in green: every pixel tells where it was."""
    y, x = np.mgrid[:height, :width]
    return np.stack([x, y, np.zeros_like(x)], axis=2).astype(np.uint8)


def test_an_object_of_the_models_size_is_copied() -> None:
    image = np.random.default_rng(0).integers(0, 256, (120, 160, 3), dtype=np.uint8)
    patch = cut_patch(image, Placement(60, 50, 20), WINDOW, 4)
    np.testing.assert_array_equal(patch, image[50 - 20 : 50 + 20, 60 - 20 : 60 + 20])


@given(
    x=st.floats(40, 120), y=st.floats(40, 80), height=st.floats(10, 40), rotation=st.sampled_from([0.0, 8.0])
)
def test_the_object_lies_in_the_centre_at_the_models_scale(
    x: float, y: float, height: float, rotation: float
) -> None:
    patch = cut_patch(ramp(), Placement(x, y, height, rotation), WINDOW, 4).astype(float)
    assert patch.shape == (40, 40, 3)
    # Pixel i spans [i, i + 1): the mean of the four central ones lies at the centre, in the image's pixels.
    center = patch[19:21, 19:21, :2].mean(axis=(0, 1)) + 0.5
    np.testing.assert_allclose(center, [x, y], atol=1.1)
    step = (patch[20, 25:30, 0] - patch[20, 10:15, 0]).mean() / 15
    np.testing.assert_allclose(step, height / 20 * np.cos(np.radians(rotation)), atol=0.12)


def test_an_object_that_leans_is_set_upright() -> None:
    image = np.zeros((200, 200, 3), np.uint8)
    y, x = np.mgrid[:200, :200] - 99.5
    image[np.abs(x * np.cos(0.1745) + y * np.sin(0.1745)) < 3] = 255  # a bar, turned by ten degrees
    turned = {angle: cut_patch(image, Placement(100, 100, 40, angle), WINDOW, 0) for angle in (-10.0, 10.0)}
    spread = {angle: (patch[..., 0] > 127).any(axis=0).sum() for angle, patch in turned.items()}
    assert min(spread.values()) <= 4  # upright for one sense of rotation,
    assert max(spread.values()) >= 12  # at twenty degrees for the other


def test_beyond_the_border_its_pixels_are_repeated() -> None:
    patch = cut_patch(ramp(), Placement(0, 0, 20), WINDOW, 0)
    np.testing.assert_array_equal(patch[:16, :16], 0)
    np.testing.assert_array_equal(patch[20, 16:, 0], np.arange(16))
    rotated = cut_patch(ramp(), Placement(0, 0, 20, 5), WINDOW, 0)
    np.testing.assert_array_equal(rotated[:10, :10], 0)


def test_an_object_far_smaller_than_a_pixel_still_gives_a_patch() -> None:
    image = np.full((3, 3, 3), 9, np.uint8)
    np.testing.assert_array_equal(
        cut_patch(image, Placement(1, 1, 0.01), WINDOW, 0), np.full((32, 32, 3), 9, np.uint8)
    )


def test_a_box_counts_by_its_centre_and_height() -> None:
    assert Placement.of_box(AnnotatedBox(10, 20, 40, 80)) == Placement(25, 50, 60)


@given(seed=st.integers(0, 10**6))
def test_jitter_stays_within_its_limits(seed: int) -> None:
    options = JitterOptions(shift=0.1, size=0.2, rotation_deg=7)
    altered = Placement(100, 50, 40).jittered(options, np.random.default_rng(seed))
    assert abs(altered.center_x - 100) <= 4
    assert abs(altered.center_y - 50) <= 4
    assert 32 <= altered.height <= 48
    assert abs(altered.rotation_deg) <= 7


def test_jitter_of_nothing_alters_nothing() -> None:
    placement = Placement(100, 50, 40)
    none = JitterOptions(shift=0, size=0, rotation_deg=0)
    assert placement.jittered(none, np.random.default_rng(0)) == placement


@given(seed=st.integers(0, 10**6), amount=st.floats(0, 0.5))
def test_brightness_multiplies_each_colour(seed: int, amount: float) -> None:
    patch = np.full((4, 5, 3), 100, np.uint8)
    changed = with_brightness(patch, amount, np.random.default_rng(seed))
    assert (changed == changed[0, 0]).all()
    limit = np.exp(1.5 * amount)
    assert 100 / limit - 1 <= changed.min() <= changed.max() <= 100 * limit + 1


@pytest.mark.parametrize("filtered", [False, True])
def test_features_of_a_patch_agree_with_the_pyramid(shared: Path, filtered: bool) -> None:
    """What is learnt from patches must be there when levels are scanned.

    A window of a level stands for a box of the image; the patch cut there has the same features, but for the
    rounding of the patch to pixels of the image and of its values to bytes, and for the order of resampling
    and colour conversion; none of them matters at scale 1.
    """
    image = read_image(shared / "data" / "faces" / "test_afw" / "images" / "1004109301.jpg")[:400, :400]
    window = WindowOptions()
    filters = None
    if filtered:
        random = np.random.default_rng(0)
        filters = DecorrelationFilters(random.normal(0, 0.2, (2, 10, 5, 5)).astype(np.float32))
    pipeline = FeaturePipeline(
        ChannelOptions.badacost(),
        PyramidOptions(
            n_approximate=0, pad=(16, 16), min_size=(40, 40), per_octave=4, octaves_up=0.5, multiple=4
        ),
        filters,
    )
    rows, columns = window.cells(pipeline.shrink)
    border = 32 // pipeline.shrink  # padding differs from what a patch repeats beyond the image's border
    correlations, differences = [], []
    for level in pipeline.levels(image):
        _, height, width = level.features.shape
        for row in range(border, height - rows - border + 1, 2 * rows):
            for column in range(border, width - columns - border + 1, 2 * columns):
                box = object_boxes(level, np.array([row]), np.array([column]), 1.0, pipeline, window)[0]
                placement = Placement.of_box(AnnotatedBox(*map(float, box)))
                patch = cut_patch(image, placement, window, 16)
                cut = pipeline.window_of_patch(patch, rows, columns)
                expected = level.features[:, row : row + rows, column : column + columns]
                correlations.append(np.corrcoef(cut.ravel(), expected.ravel())[0, 1])
                differences.append(np.abs(cut - expected).mean() / expected.std())
                if level.scale == 1:
                    np.testing.assert_allclose(cut, expected, atol=1e-5)
    assert len(correlations) >= 30
    assert min(correlations) > 0.985
    assert np.mean(correlations) > 0.995
    assert np.mean(differences) < 0.06
