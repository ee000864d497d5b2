"""Properties of KITTI's evaluation, and its equality with a slow, plain twin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.detector.kitti_format import KittiObject
from badacost.eval.kitti import evaluate_kitti, recall_thresholds
from badacost.eval.kitti_objects import KittiObjects
from badacost.eval.kitti_result import KittiResult
from badacost.eval.kitti_rules import KITTI_CLASSES, KITTI_LEVELS, KittiClass, KittiLevel, KittiVersion

Frame = tuple[list[KittiObject], list[KittiObject]]


@dataclass
class Counts:
    """Outcomes at one threshold, summed over frames."""

    tp: int = 0
    fp: int = 0
    fn: int = 0


def box_overlap(a: KittiObject, b: KittiObject, *, of_first: bool = False) -> float:
    """Intersection over union, or over the area of the first box."""
    width = min(a.x2, b.x2) - max(a.x1, b.x1)
    height = min(a.y2, b.y2) - max(a.y1, b.y1)
    if width <= 0 or height <= 0:
        return 0.0
    area_a, area_b = (a.x2 - a.x1) * (a.y2 - a.y1), (b.x2 - b.x1) * (b.y2 - b.y1)
    return width * height / (area_a if of_first else area_a + area_b - width * height)


def label_part(label: KittiObject, of_class: KittiClass, level: KittiLevel) -> str:
    """Return valid, ignored or other."""
    name = label.type.lower()
    if name == of_class.neighbour:
        return "ignored"
    if name != of_class.name:
        return "other"
    hard = (
        label.y2 - label.y1 < level.min_height
        or label.occluded > level.max_occluded
        or label.truncated > level.max_truncated
    )
    return "ignored" if hard else "valid"


def detection_part(found: KittiObject, of_class: KittiClass, level: KittiLevel, version: str) -> str:
    """Return valid, ignored or other."""
    if version == "current" and int(abs(found.y2 - found.y1)) < level.min_height:
        return "ignored"
    return "valid" if found.type.lower() == of_class.name else "other"


def first_pass(
    frames: list[Frame],
    of_class: KittiClass,
    level: KittiLevel,
    version: str,
) -> list[float]:
    """Return the scores of the true positives, highest first."""
    scores = []
    for labels, detections in frames:
        free = list(range(len(detections)))
        for label in labels:
            part = label_part(label, of_class, level)
            if part == "other":
                continue
            candidates = [
                k
                for k in free
                if detection_part(detections[k], of_class, level, version) != "other"
                and box_overlap(detections[k], label) > of_class.overlap
            ]
            if candidates:
                best = max(candidates, key=lambda k: detections[k].score)  # the first of equals
                free.remove(best)
                if part == detection_part(detections[best], of_class, level, version) == "valid":
                    scores.append(detections[best].score)
    return sorted(scores, reverse=True)


def second_pass(
    frames: list[Frame],
    of_class: KittiClass,
    level: KittiLevel,
    version: str,
    threshold: float,
) -> Counts:
    """Return the outcomes of all detections that reach a threshold."""
    counts = Counts()
    for labels, all_detections in frames:
        detections = [found for found in all_detections if found.score >= threshold]
        parts = [detection_part(found, of_class, level, version) for found in detections]
        free = [k for k, part in enumerate(parts) if part != "other"]
        for label in labels:
            part = label_part(label, of_class, level)
            if part == "other":
                continue
            over = [k for k in free if box_overlap(detections[k], label) > of_class.overlap]
            valid = [k for k in over if parts[k] == "valid"]
            taken = None
            if valid:
                taken = max(valid, key=lambda k: box_overlap(detections[k], label))
            elif over:
                taken = over[0]
            if taken is None:
                counts.fn += part == "valid"
                continue
            free.remove(taken)
            counts.tp += part == parts[taken] == "valid"
        regions = [label for label in labels if label.type.lower() == "dontcare"]
        counts.fp += sum(
            parts[k] == "valid"
            and not any(
                box_overlap(detections[k], region, of_first=True) > of_class.overlap for region in regions
            )
            for k in free
        )
    return counts


corners = st.integers(0, 12).map(lambda step: 8.0 * step)
sizes = st.sampled_from([16.0, 24.0, 25.0, 32.0, 40.0, 41.5])
types = st.sampled_from(["Car", "Car", "Van", "Truck", "DontCare", "Pedestrian", "Cyclist"])
alphas = st.floats(-3.1, 3.1)


@st.composite
def kitti_objects(draw: st.DrawFn, *, scored: bool) -> KittiObject:
    left, top = draw(corners), draw(corners)
    width, height = draw(sizes), draw(sizes)
    name = draw(types.filter(lambda value: not scored or value not in ("DontCare", "Van", "Truck")))
    truncated = draw(st.sampled_from([0.0, 0.15, 0.3, 0.31, 0.6]))
    score = draw(st.integers(-3, 3)) / 2 if scored else math.nan
    return KittiObject(
        name,
        truncated,
        draw(st.integers(0, 3)),
        draw(alphas),
        left,
        top,
        left + width,
        top + height,
        score,
    )


@st.composite
def kitti_frames(draw: st.DrawFn) -> list[Frame]:
    """Frames whose detections mostly lie on labels, with ties, duplicates and boxes at the size limits."""
    frames = []
    for _ in range(draw(st.integers(1, 4))):
        labels = draw(st.lists(kitti_objects(scored=False), max_size=5))
        detections = draw(st.lists(kitti_objects(scored=True), max_size=3))
        for label in labels:
            for shift in draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=3)):
                name = draw(st.sampled_from(["Car", "Car", "Pedestrian"]))
                score = draw(st.integers(-3, 3)) / 2
                detections.append(
                    label._replace(type=name, x1=label.x1 + shift, y1=label.y1 + shift, score=score)
                )
        frames.append((labels, draw(st.permutations(detections))))
    return frames


def evaluate_frames(frames: list[Frame], version: KittiVersion = "current") -> KittiResult:
    labels = KittiObjects.from_frames([labels for labels, _ in frames])
    detections = KittiObjects.from_frames([detections for _, detections in frames])
    return evaluate_kitti(labels, detections, version)


@settings(max_examples=80, deadline=None)
@given(frames=kitti_frames(), version=st.sampled_from(["current", "pre2017"]))
def test_equals_the_slow_twin(frames: list[Frame], version: KittiVersion) -> None:
    result = evaluate_frames(frames, version)
    for of_class in KITTI_CLASSES:
        levels = result.classes[of_class.name]
        named = any(found.type.lower() == of_class.name for _, detections in frames for found in detections)
        assert (levels is not None) == named
        for level in KITTI_LEVELS if levels is not None else ():
            assert levels is not None
            curve = levels[level.name]
            scores = first_pass(frames, of_class, level, version)
            assert curve.thresholds.tolist() == recall_thresholds(np.array(scores), curve.n_valid).tolist()
            for step, threshold in enumerate(curve.thresholds):
                counts = second_pass(frames, of_class, level, version, threshold)
                found = (
                    curve.true_positives[step],
                    curve.false_positives[step],
                    curve.false_negatives[step],
                )
                assert found == (counts.tp, counts.fp, counts.fn)


def assert_equal_averages(first: KittiResult, second: KittiResult) -> None:
    assert [name for name, levels in first.classes.items() if levels] == [
        name for name, levels in second.classes.items() if levels
    ]
    for (_, _, a), (_, _, b) in zip(first.curves(), second.curves(), strict=True):
        assert a.precision == pytest.approx(b.precision, abs=1e-12)
        assert a.orientation == pytest.approx(b.orientation, abs=1e-12)
        assert a.voc_ap == pytest.approx(b.voc_ap, abs=1e-10)


@settings(max_examples=60, deadline=None)
@given(frames=kitti_frames())
def test_order_of_frames_and_monotone_scores_change_nothing(frames: list[Frame]) -> None:
    result = evaluate_frames(frames)
    assert_equal_averages(result, evaluate_frames(frames[::-1]))
    bent = [
        (labels, [found._replace(score=math.exp(3 * found.score) - 7) for found in detections])
        for labels, detections in frames
    ]
    assert_equal_averages(result, evaluate_frames(bent))


@settings(max_examples=60, deadline=None)
@given(frames=kitti_frames(), added=kitti_objects(scored=True))
def test_a_detection_of_lowest_score_leaves_higher_thresholds_alone(
    frames: list[Frame], added: KittiObject
) -> None:
    lowest = added._replace(score=-100.0)
    more = [(frames[0][0], [*frames[0][1], lowest]), *frames[1:]]
    before, after = evaluate_frames(frames), evaluate_frames(more)
    for class_name, level, curve in before.curves():
        levels = after.classes[class_name]
        assert levels is not None
        new = levels[level]
        shared_steps = int(np.count_nonzero(new.thresholds > -100.0))
        old = {
            score: (tp, fp)
            for score, tp, fp in zip(
                curve.thresholds, curve.true_positives, curve.false_positives, strict=True
            )
        }
        for step in range(shared_steps):
            score = new.thresholds[step]
            if score in old:
                assert (new.true_positives[step], new.false_positives[step]) == old[score]
