"""COCO's detection metrics (Lin et al., ECCV 2014), computed by pycocotools.

A detector of several views is read in two ways: class-agnostic, where only boxes count, and with views as categories,
where a right box of the wrong view is a false positive, and its object is missed unless found again.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace
from typing import Any

import numpy as np

from .coco_files import NO_CATEGORY, CocoDetections, CocoGroundTruth
from .coco_result import CATEGORY_NUMBERS, NUMBERS, CocoReading, CocoResult
from .detection_table import DetectionTable
from .greedy_matching import GreedyRule
from .ground_truth import FaceGroundTruth, has_views
from .input_records import EvaluationError
from .view_metrics import ViewMetrics, view_metrics
from .views import FACE_VIEWS, ViewSet

# Boxes are positions between pixels here, not pixels.
COCO_VIEW_RULE = GreedyRule(pixel_offset=0.0)
ANY_CATEGORY = "object"


def evaluate_coco(truth: CocoGroundTruth, detections: CocoDetections) -> CocoResult:
    """Compute COCO's twelve numbers in both readings, and the view metrics.

    Parameters
    ----------
    truth : CocoGroundTruth
    detections : CocoDetections
        Without categories only the class-agnostic reading is computed.

    Raises
    ------
    EvaluationError
        If no annotated object counts.
    """
    if not np.any(~truth.annotations.crowd):
        raise EvaluationError("the ground truth holds no object that counts: rates are undefined")
    has_categories = bool(np.all(detections.categories != NO_CATEGORY))
    return CocoResult(
        n_images=len(truth.image_ids),
        n_objects=int(np.count_nonzero(~truth.annotations.crowd)),
        n_detections=len(detections),
        class_agnostic=_reading(_without_categories(truth), _without_category(detections)),
        views_as_categories=_reading(truth, detections) if has_categories else None,
        views=_views(truth, detections) if has_categories else None,
    )


def category_order(names: tuple[str, ...]) -> ViewSet:
    """Return categories as views without angles, in their own order."""
    return ViewSet(names, (np.nan,) * len(names), tuple(np.arange(1.0, len(names)).tolist()))


def coco_detections(
    table: DetectionTable, truth: CocoGroundTruth, *, class_agnostic: bool = False
) -> CocoDetections:
    """Return a table's detections, whose views are numbered in `category_order`, in COCO's form.

    A ground truth of one category lends it to all detections, unless they shall be `class_agnostic`.
    """
    categories = table.view_indices
    if len(truth.category_names) == 1 and not class_agnostic:
        categories = np.zeros_like(categories)
    return CocoDetections(
        image_indices=table.image_indices,
        categories=categories,
        boxes=np.hstack((table.boxes[:, :2], table.boxes[:, 2:] - table.boxes[:, :2])),
        scores=table.scores,
    )


def _without_categories(truth: CocoGroundTruth) -> CocoGroundTruth:
    annotations = replace(truth.annotations, categories=np.zeros_like(truth.annotations.categories))
    return replace(truth, category_ids=(1,), category_names=(ANY_CATEGORY,), annotations=annotations)


def _without_category(detections: CocoDetections) -> CocoDetections:
    return replace(detections, categories=np.zeros_like(detections.categories))


def _reading(truth: CocoGroundTruth, detections: CocoDetections) -> CocoReading:
    """Run pycocotools on arrays; ids are counted from 1, since it takes an annotation with the id 0 for none."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    images = [{"id": index + 1} for index in range(len(truth.image_ids))]
    categories = [{"id": index + 1} for index in range(len(truth.category_ids))]
    annotations, found = truth.annotations, detections
    annotated: list[dict[str, Any]] = [
        {
            "id": number,
            "image_id": image + 1,
            "category_id": category + 1,
            "bbox": box,
            "area": area,
            "iscrowd": crowd,
        }
        for number, (image, category, box, area, crowd) in enumerate(
            zip(
                annotations.image_indices.tolist(),
                annotations.categories.tolist(),
                annotations.boxes.tolist(),
                annotations.areas.tolist(),
                annotations.crowd.astype(int).tolist(),
                strict=True,
            ),
            start=1,
        )
    ]
    results: list[dict[str, Any]] = [
        {
            "id": number,
            "image_id": image + 1,
            "category_id": category + 1,
            "bbox": box,
            "area": box[2] * box[3],
            "score": score,
        }
        for number, (image, category, box, score) in enumerate(
            zip(
                found.image_indices.tolist(),
                found.categories.tolist(),
                found.boxes.tolist(),
                found.scores.tolist(),
                strict=True,
            ),
            start=1,
        )
    ]
    with contextlib.redirect_stdout(io.StringIO()):  # it prints its progress and its table
        indexed = []
        for objects in (annotated, results):
            data_set = COCO()
            content: Any = {"images": images, "categories": categories, "annotations": objects}
            data_set.dataset = content
            data_set.createIndex()
            indexed.append(data_set)
        evaluation = COCOeval(*indexed, iouType="bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    # Axes: overlap, recall, category, size of object, detections an image. -1 where nothing is annotated.
    precision = evaluation.eval["precision"][:, :, :, 0, -1]
    valid = np.flatnonzero((precision > -1).all(axis=(0, 1)))
    return CocoReading(
        numbers=dict(zip(NUMBERS, (float(value) for value in evaluation.stats), strict=True)),
        overlaps=np.asarray(evaluation.params.iouThrs, dtype=np.float64),
        recalls=np.asarray(evaluation.params.recThrs, dtype=np.float64),
        precision=precision[:, :, valid].mean(axis=2),
        categories={
            truth.category_names[index]: dict(
                zip(
                    CATEGORY_NUMBERS,
                    (float(precision[:, :, index].mean()), float(precision[0, :, index].mean())),
                    strict=True,
                )
            )
            for index in valid.tolist()
        },
    )


def _views(truth: CocoGroundTruth, detections: CocoDetections) -> ViewMetrics | None:
    """Compare categories as views; None where there is only one."""
    if len(truth.category_names) < 2:
        return None
    names = truth.category_names
    view_set = FACE_VIEWS if set(names) <= set(FACE_VIEWS.names) else category_order(names)
    view_of = np.array([view_set.index_of(name) for name in names], dtype=np.int64)
    annotations = truth.annotations
    images = []
    for index, name in enumerate(truth.image_names):
        rows = annotations.image_indices == index
        images.append(
            FaceGroundTruth.create(
                name,
                annotations.corners[rows],
                ignored=annotations.crowd[rows],
                view_indices=view_of[annotations.categories[rows]],
            )
        )
    table = DetectionTable.create(
        detections.image_indices, detections.corners, detections.scores, view_of[detections.categories]
    )
    return view_metrics(images, table, view_set, COCO_VIEW_RULE) if has_views(images) else None
