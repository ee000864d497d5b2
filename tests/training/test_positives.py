"""Positive windows: which objects, which copies, which views."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from badacost.detector.feature_levels import FeaturePipeline, Quantization
from badacost.features.channel_options import ChannelOptions
from badacost.features.pyramid import PyramidOptions
from badacost.training.datasets.annotated_image import AnnotatedBox, AnnotatedImage
from badacost.training.options import FilterOptions, JitterOptions, TrainingOptions
from badacost.training.parallel_map import Workers
from badacost.training.positives import channel_windows, object_patches, positive_windows
from badacost.training.views import face_views, named_views

VIEWS = face_views()
FACES = (
    AnnotatedBox(30, 30, 90, 90, "half_right"),
    AnnotatedBox(100, 20, 160, 80, "frontal"),
    AnnotatedBox(0, 0, 50, 50, ignore=True),
    AnnotatedBox(10, 90, 60, 140),  # of unknown view
    AnnotatedBox(120, 80, 200, 160, "left_profile"),  # sticks out
)
OPTIONS = TrainingOptions(filters=FilterOptions(count=0), jitter=JitterOptions(copies=2), seed=5)
PIPELINE = FeaturePipeline(
    ChannelOptions.badacost(),
    PyramidOptions(n_approximate=0, pad=(16, 16), min_size=(40, 40)),
    None,
    Quantization(np.full(10, -0.1, np.float32), np.full(10, 200, np.float32)),
)


@pytest.fixture(scope="module")
def image() -> NDArray[np.uint8]:
    coarse = np.random.default_rng(1).integers(0, 256, (24, 30, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(coarse, (180, 144), interpolation=cv2.INTER_CUBIC), np.uint8)


@pytest.fixture(scope="module")
def annotated(image: NDArray[np.uint8], tmp_path_factory: pytest.TempPathFactory) -> AnnotatedImage:
    path = tmp_path_factory.mktemp("photographs") / "three_faces.png"
    assert cv2.imwrite(str(path), image[..., ::-1])
    return AnnotatedImage(path, FACES)


def patches_of(
    image: NDArray[np.uint8], annotated: AnnotatedImage, number: int = 0, options: TrainingOptions = OPTIONS
) -> tuple[list[NDArray[np.uint8]], list[int]]:
    pairs = list(object_patches(image, annotated, number, options, VIEWS))
    return [patch for patch, _ in pairs], [view for _, view in pairs]


def test_every_object_with_a_view_gives_itself_and_its_copies_and_their_mirror_images(
    image: NDArray[np.uint8], annotated: AnnotatedImage
) -> None:
    patches, views = patches_of(image, annotated)
    assert views == 3 * [1, 3] + 3 * [2, 2] + 3 * [4, 0]
    for patch, mirrored in zip(patches[::2], patches[1::2], strict=True):
        assert patch.shape == (64 + 2 * 16, 64 + 2 * 16, 3)
        np.testing.assert_array_equal(patch[:, ::-1], mirrored)
    originals, copies = patches[::6], patches[2::6]
    assert all((a != b).any() for a, b in zip(originals, copies, strict=True))


def test_without_mirror_and_copies_each_object_gives_one_patch(
    image: NDArray[np.uint8], annotated: AnnotatedImage
) -> None:
    plain = replace(OPTIONS, mirror=False, jitter=JitterOptions(copies=0))
    patches, views = patches_of(image, annotated, options=plain)
    assert views == [1, 2, 4]
    with_copies, _ = patches_of(image, annotated)
    np.testing.assert_array_equal(patches, with_copies[::6])


def test_a_mirror_image_of_no_view_is_left_out(image: NDArray[np.uint8], annotated: AnnotatedImage) -> None:
    one = replace(annotated, boxes=FACES[:2])
    views = named_views(("frontal", "half_right"))
    found = [view for _, view in object_patches(image, one, 0, OPTIONS, views)]
    assert found == 3 * [1] + 3 * [0, 0]


def test_copies_depend_on_seed_image_box_and_copy_only(
    image: NDArray[np.uint8], annotated: AnnotatedImage
) -> None:
    patches, _ = patches_of(image, annotated)
    np.testing.assert_array_equal(patches, patches_of(image, annotated)[0])
    # The number of copies does not change the first one.
    fewer, _ = patches_of(image, annotated, options=replace(OPTIONS, jitter=JitterOptions(copies=1)))
    np.testing.assert_array_equal(fewer[2], patches[2])
    for other in (
        patches_of(image, annotated, number=1)[0],
        patches_of(image, annotated, options=replace(OPTIONS, seed=6))[0],
    ):
        np.testing.assert_array_equal(other[0], patches[0])
        assert (other[2] != patches[2]).any()
    assert (patches[2] != patches[4]).any()


def test_brightness_changes_copies_only(image: NDArray[np.uint8], annotated: AnnotatedImage) -> None:
    still = JitterOptions(copies=1, shift=0, size=0, rotation_deg=0, brightness=0.3)
    patches, _ = patches_of(image, annotated, options=replace(OPTIONS, jitter=still))
    plain, _ = patches_of(image, annotated, options=replace(OPTIONS, jitter=JitterOptions(copies=0)))
    np.testing.assert_array_equal(patches[0], plain[0])
    assert abs(patches[2].mean() / plain[0].mean() - 1) > 0.01
    assert np.corrcoef(patches[2].ravel(), plain[0].ravel())[0, 1] > 0.8


def test_windows_are_in_order_and_the_same_for_any_number_of_workers(annotated: AnnotatedImage) -> None:
    images = [annotated, replace(annotated, boxes=FACES[2:3]), replace(annotated, boxes=FACES[:1])]
    alone = positive_windows(images, PIPELINE, OPTIONS, VIEWS, Workers(jobs=1))
    assert alone.features.shape == (24, 10 * 32 * 32)
    assert alone.features.dtype == np.uint8
    assert alone.labels.tolist() == 3 * [2, 4] + 3 * [3, 3] + 3 * [5, 1] + 3 * [2, 4]
    together = positive_windows(images, PIPELINE, OPTIONS, VIEWS, Workers(jobs=2, backend="threading"))
    np.testing.assert_array_equal(alone.features, together.features)
    np.testing.assert_array_equal(alone.labels, together.labels)


def test_a_mirrored_window_has_mirrored_features(annotated: AnnotatedImage) -> None:
    plain = replace(OPTIONS, jitter=JitterOptions(copies=0))
    windows = positive_windows([annotated], PIPELINE, plain, VIEWS, Workers(jobs=1)).features
    window, mirrored = windows[:2].reshape(2, 10, 32, 32).astype(int)
    color_and_magnitude = slice(0, 4)
    difference = np.abs(window[color_and_magnitude, :, ::-1] - mirrored[color_and_magnitude])
    assert difference.max() <= 1
    # Orientation i of a half turn becomes -i.
    orientations = [4, 9, 8, 7, 6, 5]
    assert np.abs(window[orientations, :, ::-1] - mirrored[4:]).mean() < 2


def test_windows_for_the_filters_are_neither_filtered_nor_quantised(annotated: AnnotatedImage) -> None:
    windows = channel_windows([annotated], PIPELINE, OPTIONS, VIEWS, Workers(jobs=1))
    assert windows.shape == (18, 10, 32, 32)
    assert windows.dtype == np.float32
    quantised = positive_windows([annotated], PIPELINE, OPTIONS, VIEWS, Workers(jobs=1)).features
    np.testing.assert_array_equal(
        np.clip(np.rint((windows + 0.1) * 200), 0, 255), quantised.reshape(windows.shape)
    )


def test_images_without_objects_are_an_error(annotated: AnnotatedImage) -> None:
    with pytest.raises(ValueError, match="must hold an object with a view, found none"):
        positive_windows([replace(annotated, boxes=FACES[2:4])], PIPELINE, OPTIONS, VIEWS, Workers(jobs=1))


def test_an_image_that_is_gone_is_named(annotated: AnnotatedImage) -> None:
    gone = replace(annotated, path=Path("no_such_photograph.jpg"))
    with pytest.raises(ValueError, match="no_such_photograph"):
        positive_windows([gone], PIPELINE, OPTIONS, VIEWS, Workers(jobs=1))
