"""Evaluate detections with COCO's metrics, class-agnostic and with views as categories."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from badacost.scripts.command_name import command_name
from badacost.scripts.evaluation_arguments import (
    add_detection_arguments,
    add_output_arguments,
    check_arguments,
    check_outputs,
    detector_names,
    print_tables,
    report_skipped,
    run_evaluation,
    run_model,
    warn_of_unlisted,
)

if TYPE_CHECKING:
    from badacost.eval.coco_files import CocoDetections, CocoGroundTruth
    from badacost.eval.input_records import BadRecords
    from badacost.eval.views import ViewSet

DESCRIPTION = """\
COCO's twelve numbers, computed by pycocotools: for boxes alone, and with the views as categories.

example:
  badacost-evaluate-coco --ground-truth instances.json --detections results.json --json numbers.json
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for wrong arguments or unusable input, 130 if interrupted."""
    return run_evaluation("evaluate_coco", _evaluate, _parse(argv))


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=command_name("evaluate_coco"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--ground-truth", type=Path, required=True, metavar="FILE", help="COCO's instances JSON"
    )
    add_detection_arguments(
        parser, "COCO's results array, our JSON (.json, .jsonl), csv, or lines `image score x1 y1 x2 y2`"
    )
    parser.add_argument(
        "--class-agnostic",
        action="store_true",
        help="compare boxes only: for detectors whose views are not the categories of the ground truth",
    )
    add_output_arguments(parser, "the precision-recall curves at an overlap of a half")
    arguments = parser.parse_args(argv)
    check_arguments(parser, arguments)
    return arguments


def _evaluate(arguments: argparse.Namespace, bad: BadRecords) -> None:
    from badacost.eval.coco import evaluate_coco
    from badacost.eval.coco_files import read_coco_ground_truth
    from badacost.eval.coco_result import save_coco_comparison
    from badacost.eval.input_records import EvaluationError

    check_outputs(arguments)
    truth = read_coco_ground_truth(arguments.ground_truth, bad)
    if not truth.image_ids:
        raise EvaluationError(f"{arguments.ground_truth}: holds no image, expected at least one")
    if arguments.verbose:
        n_images, n_objects = len(truth.image_ids), len(truth.annotations)
        print(f"{arguments.ground_truth}: {n_images} images, {n_objects} annotations", file=sys.stderr)
    found: dict[str, CocoDetections] = {}
    paths = list(arguments.compare)
    if arguments.model is not None:
        found[Path(arguments.model).stem] = _run_model(arguments, truth, bad)
    else:
        paths.insert(0, arguments.detections)
    for name, path in zip(detector_names(paths), paths, strict=True):
        found[name if name not in found else str(path)] = _read_detections(arguments, path, truth, bad)
    results = {name: evaluate_coco(truth, detections) for name, detections in found.items()}
    for name, result in results.items():
        if result.views_as_categories is None and not arguments.class_agnostic and not arguments.quiet:
            print(f"warning: {name} has detections without a view: only boxes are compared", file=sys.stderr)

    print_tables({name: result.table() for name, result in results.items()})
    report_skipped(bad)
    result = next(iter(results.values()))
    if arguments.json is not None:
        result.save_json(arguments.json)
    if arguments.csv is not None:
        result.save_csv(arguments.csv)
    if arguments.plot is not None:
        save_coco_comparison(arguments.plot, results)


def _categories(arguments: argparse.Namespace, truth: CocoGroundTruth) -> ViewSet | None:
    """Return the categories as views that detections may name; None where views do not matter."""
    from badacost.eval.coco import category_order

    if arguments.class_agnostic or len(truth.category_names) < 2:
        return None
    return category_order(truth.category_names)


def _read_detections(
    arguments: argparse.Namespace, path: Path, truth: CocoGroundTruth, bad: BadRecords
) -> CocoDetections:
    from badacost.eval.box_files import read_detections
    from badacost.eval.coco import coco_detections
    from badacost.eval.coco_files import is_coco_results, read_coco_results

    if path.suffix.lower() == ".json" and is_coco_results(path):
        found = read_coco_results(path, truth, bad, class_agnostic=arguments.class_agnostic)
        unlisted = [] if len(found) else list(truth.image_names)
    else:
        table, unlisted = read_detections(path, truth.image_names, _categories(arguments, truth), bad)
        found = coco_detections(table, truth, class_agnostic=arguments.class_agnostic)
    if not arguments.quiet:
        warn_of_unlisted(path, unlisted, len(truth.image_names), "objects")
    return found if arguments.min_score is None else found.at_least(arguments.min_score)


def _run_model(arguments: argparse.Namespace, truth: CocoGroundTruth, bad: BadRecords) -> CocoDetections:
    from badacost.eval.coco import coco_detections
    from badacost.eval.detection_table import DetectionTable
    from badacost.eval.input_records import EvaluationError

    found = run_model(arguments, truth.image_names, bad)
    index = {name: number for number, name in enumerate(truth.image_names)}
    try:
        table = DetectionTable.from_detections(
            ((index[name], detections) for name, detections in found), _categories(arguments, truth)
        )
    except ValueError as error:
        raise EvaluationError(f"{arguments.model}: {error}; --class-agnostic compares boxes only") from error
    return coco_detections(table, truth, class_agnostic=arguments.class_agnostic)


if __name__ == "__main__":
    sys.exit(main())
