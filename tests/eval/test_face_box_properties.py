"""What must hold of the box protocol for any boxes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.eval.box_overlap import box_overlaps
from badacost.eval.detection_table import DetectionTable
from badacost.eval.face_boxes import FaceBoxOptions, evaluate_face_boxes
from badacost.eval.greedy_matching import MATHIAS_RULE, VOC_DEVKIT_RULE, GreedyRule, match_greedily
from badacost.eval.ground_truth import FaceGroundTruth

ALL_SIZES = FaceBoxOptions(min_face=0)
Case = tuple[list[FaceGroundTruth], DetectionTable]


@st.composite
def cases(draw: st.DrawFn, *, ties: bool = False) -> Case:
    """Images with faces, and detections near them; scores all different unless `ties`."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    images, indices, boxes = [], [], []
    for index in range(draw(st.integers(1, 5))):
        n_faces = int(rng.integers(0, 5))
        places, sides = rng.integers(0, 120, (n_faces, 2)), rng.integers(5, 60, (n_faces, 2))
        faces = np.hstack((places, places + sides)).astype(float)
        ignored = rng.random(n_faces) < 0.25
        if index == 0:
            faces, ignored = np.vstack((faces, [10.0, 10.0, 50.0, 60.0])), np.append(ignored, False)
        images.append(FaceGroundTruth.create(f"{index}", faces, ignored=ignored))
        for _ in range(int(rng.integers(0, 7))):
            near = faces[rng.integers(len(faces))] if len(faces) else np.array([0.0, 0.0, 40.0, 40.0])
            moved = np.sort((near + rng.integers(-8, 9, 4)).reshape(2, 2), axis=0).ravel()
            indices.append(index)
            boxes.append(moved)
    scores = rng.permutation(len(boxes)) // (3 if ties else 1)
    return images, DetectionTable.create(indices, boxes, scores.astype(float))


@given(cases(), st.sampled_from([np.exp, np.cbrt, lambda scores: scores * 3 - 100]))
def test_ap_depends_on_the_order_of_scores_only(case: Case, change: np.ufunc) -> None:
    images, table = case
    changed = DetectionTable.create(table.image_indices, table.boxes, change(table.scores))
    before, after = (evaluate_face_boxes(images, each, ALL_SIZES) for each in (table, changed))
    assert before.ap == after.ap
    np.testing.assert_array_equal(before.raw.curve.precision, after.raw.curve.precision)


@given(cases(), st.integers(0, 2**32 - 1))
def test_order_of_images_and_rows_changes_nothing(case: Case, seed: int) -> None:
    images, table = case
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(images))
    rows = rng.permutation(len(table))
    place = np.argsort(order)
    moved = DetectionTable.create(place[table.image_indices[rows]], table.boxes[rows], table.scores[rows])
    options = FaceBoxOptions(min_face=0, refine=True)
    before = evaluate_face_boxes(images, table, options)
    after = evaluate_face_boxes([images[index] for index in order], moved, options)
    assert before.ap == after.ap
    np.testing.assert_allclose(before.refined.curve.recall, after.refined.curve.recall)  # type: ignore[union-attr]


@given(cases(), st.integers(0, 2**32 - 1))
def test_a_worse_detection_changes_no_better_row(case: Case, seed: int) -> None:
    images, table = case
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 100, 2)
    added = DetectionTable.create(
        np.append(table.image_indices, rng.integers(len(images))),
        np.vstack((table.boxes, np.concatenate((corner, corner + rng.integers(1, 60, 2))))),
        np.append(table.scores, -1.0),
    )
    before = evaluate_face_boxes(images, table, ALL_SIZES).raw.curve
    after = evaluate_face_boxes(images, added, ALL_SIZES).raw.curve
    np.testing.assert_array_equal(after.precision[:-1], before.precision)
    np.testing.assert_array_equal(after.recall[:-1], before.recall)


@given(cases())
def test_perfect_detections_give_100_percent(case: Case) -> None:
    images, _ = case
    # Of faces with the same box only one can be found: later ones take detections of earlier ones.
    images = [
        FaceGroundTruth.create(image.name, np.unique(image.boxes[~image.ignored], axis=0)) for image in images
    ]
    indices = np.repeat(np.arange(len(images)), [len(image) for image in images])
    boxes = np.concatenate([image.boxes for image in images])
    result = evaluate_face_boxes(
        images,
        DetectionTable.create(indices, boxes, np.arange(len(boxes))),
        FaceBoxOptions(min_face=0, refine=True),
    )
    assert result.ap == 100.0
    assert result.ap_refined == 100.0


def match_one_by_one(
    images: list[FaceGroundTruth], table: DetectionTable, rule: GreedyRule
) -> tuple[list[bool], list[bool]]:
    """The protocol as its definition reads."""
    taken: set[tuple[int, int]] = set()
    is_true, is_false = [], []
    for row in sorted(range(len(table)), key=lambda row: -table.scores[row]):
        image_index = int(table.image_indices[row])
        image = images[image_index]
        best, best_overlap = -1, 0.0
        for face in range(len(image)):
            overlap = float(box_overlaps(table.boxes[row][None], image.boxes[face][None], 1.0)[0, 0])
            better = overlap >= best_overlap if rule.equal_overlaps == "last" else overlap > best_overlap
            if better and overlap > 0:
                best, best_overlap = face, overlap
        enough = best_overlap >= rule.overlap if rule.reached_is_enough else best_overlap > rule.overlap
        neutral = enough and bool(image.ignored[best])
        is_true.append(enough and not neutral and (image_index, best) not in taken)
        is_false.append(not neutral and not is_true[-1])
        if is_true[-1]:
            taken.add((image_index, best))
    return is_true, is_false


@settings(max_examples=60)
@given(cases(ties=True), st.sampled_from([MATHIAS_RULE, VOC_DEVKIT_RULE]))
def test_matching_equals_its_definition(case: Case, rule: GreedyRule) -> None:
    images, table = case
    matches = match_greedily(images, table, rule)
    is_true, is_false = match_one_by_one(images, table, rule)
    assert matches.is_true.tolist() == is_true
    assert matches.is_false.tolist() == is_false


@given(cases())
def test_overlap_is_symmetric_and_bounded(case: Case) -> None:
    images, table = case
    for image in images:
        overlaps = box_overlaps(table.boxes, image.boxes)
        assert ((overlaps >= 0) & (overlaps <= 1)).all()
        np.testing.assert_allclose(overlaps, box_overlaps(image.boxes, table.boxes).T)
