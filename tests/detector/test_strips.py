"""Large images are searched strip by strip: the same features and detections, in little memory."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from skimage import data

from badacost.detector import feature_levels
from badacost.detector.detector import Detector
from badacost.features import pyramid_strips
from badacost.features.channel_options import ChannelOptions
from badacost.features.channels import compute_channels
from badacost.features.decorrelation import DecorrelationFilters
from badacost.features.pyramid import PyramidOptions

WINDOW_ROWS = 5
OPTIONS = {"pad": (4, 4), "min_size": (16, 16), "per_octave": 3, "n_approximate": 0}


@pytest.fixture
def small_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_levels, "LARGEST_WHOLE", 1000)
    monkeypatch.setattr(feature_levels, "PIXELS_OF_STRIP", 6000)
    monkeypatch.setattr(pyramid_strips, "PIXELS_OF_STRIP", 5000)


@pytest.fixture(scope="module")
def image() -> NDArray[np.uint8]:
    return np.ascontiguousarray(data.astronaut()[20:230, 120:300])


def pipelines() -> dict[str, feature_levels.FeaturePipeline]:
    rng = np.random.default_rng(0)
    filters = DecorrelationFilters(rng.standard_normal((4, 10, 5, 5)).astype(np.float32))
    quantization = feature_levels.Quantization(np.full(40, -8, np.float32), np.full(40, 15, np.float32))
    badacost, pedestrian = ChannelOptions.badacost(), ChannelOptions.pedestrian()
    plain = PyramidOptions(**OPTIONS)
    return {
        "filters": feature_levels.FeaturePipeline(
            badacost, PyramidOptions(**OPTIONS, multiple=4), filters, quantization
        ),
        "odd halves": feature_levels.FeaturePipeline(badacost, plain, filters),
        "channels": feature_levels.FeaturePipeline(badacost, plain),
        "smoothed colours": feature_levels.FeaturePipeline(pedestrian, plain),
        "enlarged": feature_levels.FeaturePipeline(
            pedestrian, PyramidOptions(**OPTIONS, octaves_up=0.7, smooth=0)
        ),
    }


@pytest.mark.usefixtures("small_strips")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", list(pipelines()))
def test_strips_are_parts_of_the_levels(name: str, threads: int, image: NDArray[np.uint8]) -> None:
    pipeline = pipelines()[name]
    whole = {level.scale: level for level in pipeline.levels(image)}
    strips = list(pipeline.levels(image, window_rows=WINDOW_ROWS, threads=threads))
    rows: dict[float, list[int]] = {}
    for strip in strips:
        level = whole[strip.scale]
        n_rows = strip.features.shape[1]
        np.testing.assert_array_equal(strip.features, level.features[:, strip.top : strip.top + n_rows])
        assert (strip.scale_y, strip.scale_x) == (level.scale_y, level.scale_x)
        rows.setdefault(strip.scale, []).extend(range(strip.top, strip.top + n_rows - WINDOW_ROWS + 1))
    assert {scale: len(found) for scale, found in rows.items()} == {
        scale: max(level.features.shape[1] - WINDOW_ROWS + 1, 0) for scale, level in whole.items()
    }
    assert all(found == list(range(len(found))) for found in rows.values())
    assert name == "odd halves" or len(strips) > 2 * len(whole)


@pytest.mark.usefixtures("small_strips")
def test_strips_of_fast_pyramids_are_those_of_computed_ones(image: NDArray[np.uint8]) -> None:
    computed = pipelines()["channels"]
    fast = replace(computed, pyramid=PyramidOptions(**{**OPTIONS, "n_approximate": 2}))
    for one, other in zip(
        *(pipeline.levels(image, window_rows=WINDOW_ROWS) for pipeline in (computed, fast)), strict=True
    ):
        np.testing.assert_array_equal(one.features, other.features)


@pytest.mark.parametrize("n_approximate", [0, 2])
@pytest.mark.parametrize("largest_for_a_thread", [0, 6000, 2**20])
@pytest.mark.parametrize("name", ["filters", "enlarged"])
def test_levels_side_by_side_are_those_one_after_another(
    name: str,
    largest_for_a_thread: int,
    n_approximate: int,
    image: NDArray[np.uint8],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feature_levels, "LARGEST_FOR_A_THREAD", largest_for_a_thread)
    pipeline = pipelines()[name]
    pyramid = replace(pipeline.pyramid, n_approximate=n_approximate)
    used = pipeline.map_levels(
        lambda level, threads: (level.scale, level.features, threads),
        *(image,),
        pyramid=pyramid,
        window_rows=WINDOW_ROWS,
        threads=2,
    )
    expected = list(pipeline.levels(image, pyramid=pyramid))
    for (scale, features, _), level in zip(used, expected, strict=True):
        assert scale == level.scale
        np.testing.assert_array_equal(features, level.features)
    threads = [threads for _, _, threads in used]
    assert threads == sorted(threads, reverse=True)
    assert {0: {2}, 6000: {1, 2}, 2**20: {1}}[largest_for_a_thread] == set(threads)


def without_approximation(detector: Detector) -> Detector:
    pyramid = replace(detector.pipeline.pyramid, n_approximate=0)
    return replace(detector, pipeline=replace(detector.pipeline, pyramid=pyramid))


def test_detections_of_strips_are_those_of_the_whole(
    image: NDArray[np.uint8], request: pytest.FixtureRequest
) -> None:
    detector = without_approximation(Detector.load("faces"))
    detector = detector.with_options(min_score=-100, nms_overlap=1, cascade_slack=10)
    whole = detector.detect(image)
    request.getfixturevalue("small_strips")
    strips = detector.detect(image)
    assert len(whole) > 20
    for name in ("boxes", "scores", "view_indices"):
        np.testing.assert_array_equal(getattr(strips, name), getattr(whole, name))


def test_memory_is_that_of_a_strip(image: NDArray[np.uint8], monkeypatch: pytest.MonkeyPatch) -> None:
    detector = Detector.load("faces")
    large = np.tile(image, (8, 6, 1))
    detector.detect(image)

    def peak() -> int:
        tracemalloc.start()
        detector.detect(large)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    whole = peak()
    monkeypatch.setattr(feature_levels, "LARGEST_WHOLE", 1000)
    monkeypatch.setattr(feature_levels, "PIXELS_OF_STRIP", 2**16)
    monkeypatch.setattr(pyramid_strips, "PIXELS_OF_STRIP", 2**16)
    assert peak() < whole / 4


def test_channels_of_rows_scale_the_borders_of_the_image_only(image: NDArray[np.uint8]) -> None:
    options, pyramid = ChannelOptions.badacost(), PyramidOptions(pad=(0, 0), smooth=0, n_approximate=0)
    level = next(pyramid_strips.iterate_level_rows(image, options, pyramid))
    whole = compute_channels(image, options)
    parts = [level.channels(first, min(first + 7, len(whole[0]))) for first in range(0, len(whole[0]), 7)]
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)
