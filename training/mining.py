"""Negative windows: random ones for the first round, then the current detector's strongest mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..detector.boxes import box_overlaps
from ..detector.detector import Detector
from ..detector.feature_levels import FeatureLevel, FeaturePipeline
from ..detector.images import read_image
from ..detector.scan import Windows, scan_level
from ..detector.suppression import suppress
from ..detector.window import WindowOptions
from ..detector.window_boxes import object_boxes
from .datasets.annotated_image import AnnotatedImage
from .options import MiningOptions


@dataclass(frozen=True, eq=False)
class MinedWindows:
    """Negative windows of one image.

    Parameters
    ----------
    features : (n, C, rows, columns) uint8, or float32 of a pipeline that does not quantise
        Strongest first.
    scores : (n,) float32
    n_windows, n_evaluations : int
        Windows scanned and trees evaluated for them.
    """

    features: NDArray
    scores: NDArray[np.float32]
    n_windows: int = 0
    n_evaluations: int = 0


def may_be_negative(
    boxes: NDArray[np.float32], annotated: AnnotatedImage, options: MiningOptions
) -> NDArray[np.bool_]:
    """Tell which boxes overlap the annotated objects so little that they are background.

    Parts of an object (a mouth, half a face) and boxes far too large count as background: without them
    nothing teaches the detector that they are no objects. Ignored objects are left alone: neither they nor
    parts of them are mined.

    Parameters
    ----------
    boxes : (n, 4) float32
    annotated : AnnotatedImage
    options : MiningOptions

    Returns
    -------
    (n,) bool
    """
    allowed = np.ones(len(boxes), np.bool_)
    objects, ignored = annotated.corners(ignored=False), annotated.corners(ignored=True)
    if len(objects):
        allowed &= box_overlaps(boxes, objects).max(axis=1) < options.object_overlap
    if len(ignored):
        allowed &= box_overlaps(boxes, ignored).max(axis=1) < options.ignored_overlap
        allowed &= box_overlaps(boxes, ignored, "first").max(axis=1) <= options.ignored_coverage
    return allowed


def mine_image(
    detector: Detector, annotated: AnnotatedImage, options: MiningOptions, seed: Sequence[int]
) -> MinedWindows:
    """Find the strongest false positives of a detector in one image.

    The image is enlarged by a random factor first, so that rounds see the same background at other scales.

    Parameters
    ----------
    detector : Detector
    annotated : AnnotatedImage
    options : MiningOptions
    seed : sequence of int
        Of this image and round; the result depends on nothing else.
    """
    random = np.random.default_rng(seed)
    image = read_image(annotated.path)
    pyramid = replace(
        detector.pipeline.pyramid,
        per_octave=options.scales_per_octave,
        octaves_up=max(
            0.0, float(np.log2(options.start_scale) - random.random() / options.scales_per_octave)
        ),
        n_approximate=0,
    )
    cascade = detector.cascade.with_slack(options.cascade_slack)
    floor = options.score_share * float(cascade.rejection[-1])
    found: list[tuple[FeatureLevel, Windows]] = []
    boxes, scores, origin = [], [], []
    n_windows = n_evaluations = 0
    for level in detector.pipeline.levels(image, pyramid=pyramid):
        windows = scan_level(level.features, cascade)
        n_windows += windows.n_windows
        n_evaluations += windows.n_evaluations
        level_boxes = detector.boxes_of_windows(level, windows)
        kept = np.flatnonzero((windows.scores > floor) & may_be_negative(level_boxes, annotated, options))
        if not len(kept):
            continue
        boxes.append(level_boxes[kept])
        scores.append(windows.scores[kept])
        origin += [(len(found), int(index)) for index in kept]
        found.append((level, windows))
    window_shape, dtype = detector.cascade.window_shape, detector.cascade.threshold.dtype
    if not found:
        return MinedWindows(
            np.empty((0, *window_shape), dtype), np.empty(0, np.float32), n_windows, n_evaluations
        )
    all_scores = np.concatenate(scores)
    best = suppress(np.concatenate(boxes), all_scores, options.suppression)[: options.per_image]
    features = np.empty((len(best), *window_shape), dtype)
    for target, index in zip(features, best, strict=True):
        source, window = origin[index]
        level, windows = found[source]
        target[:] = _window(level, int(windows.rows[window]), int(windows.columns[window]), window_shape)
    return MinedWindows(features, all_scores[best], n_windows, n_evaluations)


def random_windows(
    pipeline: FeaturePipeline,
    window: WindowOptions,
    window_shape: tuple[int, int, int],
    annotated: AnnotatedImage,
    options: MiningOptions,
    seed: Sequence[int],
) -> MinedWindows:
    """Draw background windows of one image at random positions and scales, for the first round.

    Levels are drawn in proportion to the square root of their windows: sizes all occur, small ones more often.
    """
    random = np.random.default_rng(seed)
    image = read_image(annotated.path)
    pyramid = replace(pipeline.pyramid, per_octave=options.scales_per_octave, octaves_up=0.0, n_approximate=0)
    levels = list(pipeline.levels(image, pyramid=pyramid))
    _, rows, columns = window_shape
    counts = np.array(
        [max(0, v.features.shape[1] - rows + 1) * max(0, v.features.shape[2] - columns + 1) for v in levels]
    )
    features: list[NDArray] = []
    if counts.sum():
        share = np.sqrt(counts) / np.sqrt(counts).sum()
        # More than asked for, because some fall on objects.
        for index in random.choice(len(levels), size=2 * options.per_image, p=share):
            level = levels[index]
            row = random.integers(level.features.shape[1] - rows + 1, size=1)
            column = random.integers(level.features.shape[2] - columns + 1, size=1)
            box = object_boxes(
                level, row, column, window.object_width / window.object_height, pipeline, window
            )
            if may_be_negative(box, annotated, options)[0]:
                features.append(_window(level, int(row[0]), int(column[0]), window_shape))
            if len(features) == options.per_image:
                break
    dtype = levels[0].features.dtype if levels else np.uint8
    stacked = np.array(features, dtype).reshape(-1, *window_shape)
    return MinedWindows(stacked, np.zeros(len(stacked), np.float32))


def _window(level: FeatureLevel, row: int, column: int, window_shape: tuple[int, int, int]) -> NDArray:
    return level.features[:, row : row + window_shape[1], column : column + window_shape[2]]
