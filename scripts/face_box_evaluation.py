"""What evaluate_afw and evaluate_boxes have in common: arguments, reading, scoring, writing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from badacost.scripts.evaluation_arguments import (
    add_detection_arguments,
    add_output_arguments,
    check_arguments,
    check_outputs,
    detector_names,
    finite_number,
    print_tables,
    report_skipped,
    run_evaluation,
    run_model,
    warn_of_unlisted,
)

if TYPE_CHECKING:
    from badacost.eval.detection_table import DetectionTable
    from badacost.eval.ground_truth import FaceGroundTruth
    from badacost.eval.input_records import BadRecords
    from badacost.eval.views import ViewSet

DETECTION_FORMATS = (
    "our JSON (.json, .jsonl), csv (file or image, a box, score, view), or lines `image score x1 y1 x2 y2`"
)


def add_face_box_arguments(parser: argparse.ArgumentParser, ground_truth: str) -> None:
    """Add all arguments that both commands have; `ground_truth` names the formats of that file."""
    parser.add_argument("--ground-truth", type=Path, required=True, metavar="FILE", help=ground_truth)
    add_detection_arguments(parser, DETECTION_FORMATS)
    parser.add_argument(
        "--scale-csv",
        type=Path,
        metavar="FILE",
        help="image,scale_from_original: sizes of resized copies; the size limits follow them",
    )
    parser.add_argument(
        "--views-from",
        type=Path,
        metavar="FILE",
        help="second annotation (AFW's anno.mat, or csv) that knows the views of the same faces",
    )
    parser.add_argument(
        "--max-roll",
        type=finite_number,
        metavar="DEG",
        help="leave the view of faces that are rolled more unknown; the BAdaCost paper's 35; default: keep",
    )
    parser.add_argument("--no-views", action="store_true", help="compare boxes only")
    parser.add_argument(
        "--ignore-csv",
        type=Path,
        metavar="FILE",
        help="csv of boxes to ignore: the face that a box overlaps by more than a half, else the box itself",
    )
    parser.add_argument(
        "--min-face",
        type=finite_number,
        default=30.0,
        metavar="PX",
        help="ignore faces with a shorter side, in original pixels; 0 counts all; default: 30",
    )
    parser.add_argument(
        "--refine-boxes", action="store_true", help="also after box refinement (the Mathias protocol)"
    )
    parser.add_argument(
        "--bootstrap",
        type=int,
        default=0,
        metavar="N",
        help="standard error of AP from N drawings of the images, for example 200; default: none",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of --bootstrap; default: 0")
    add_output_arguments(parser, "the precision-recall curves")
    parser.set_defaults(squares=False, image_list=None)


def check_face_box_arguments(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """End with the parser's error if arguments do not fit together."""
    check_arguments(parser, arguments)
    if not arguments.min_face >= 0:
        parser.error(f"--min-face must be at least 0, found {arguments.min_face}")
    if arguments.bootstrap < 0 or arguments.bootstrap == 1:
        parser.error(f"--bootstrap must be 0 or at least 2, found {arguments.bootstrap}")
    if arguments.seed is not None and not arguments.bootstrap:
        parser.error("--seed needs --bootstrap, whose drawings it decides")
    if arguments.seed is not None and arguments.seed < 0:
        parser.error(f"--seed must be 0 or more, found {arguments.seed}")
    if arguments.squares and arguments.ground_truth.suffix.lower() != ".txt":
        parser.error(f"--squares needs WIDER FACE's .txt as --ground-truth, found {arguments.ground_truth}")
    if arguments.max_roll is not None and not arguments.max_roll > 0:
        parser.error(f"--max-roll must be positive, found {arguments.max_roll}")


def run_face_box_command(module: str, arguments: argparse.Namespace) -> int:
    """Evaluate; return the exit status, see `run_evaluation`."""
    return run_evaluation(module, _evaluate, arguments)


def _evaluate(arguments: argparse.Namespace, bad: BadRecords) -> None:
    from badacost.eval.face_boxes import FaceBoxOptions, evaluate_face_boxes
    from badacost.eval.face_boxes_result import save_face_box_comparison
    from badacost.eval.views import FACE_VIEWS, UNKNOWN_VIEW

    check_outputs(arguments)
    view_set = None if arguments.no_views else FACE_VIEWS
    images = _read_ground_truth(arguments, bad)
    if arguments.verbose:
        n_faces = sum(len(image) for image in images)
        print(f"{arguments.ground_truth}: {len(images)} images, {n_faces} faces", file=sys.stderr)
    options = FaceBoxOptions(
        min_face=arguments.min_face,
        refine=arguments.refine_boxes,
        resampling_draws=arguments.bootstrap,
        random_state=arguments.seed or 0,
    )
    tables: dict[str, DetectionTable] = {}
    paths = list(arguments.compare)
    if arguments.model is not None:
        tables[Path(arguments.model).stem] = _run_model(arguments, images, view_set, bad)
    else:
        paths.insert(0, arguments.detections)
    for name, path in zip(detector_names(paths), paths, strict=True):
        tables[name if name not in tables else str(path)] = _read_detections(
            arguments, path, images, view_set, bad
        )
    results = {name: evaluate_face_boxes(images, table, options) for name, table in tables.items()}
    for name, table in tables.items():
        without_view = int((table.view_indices == UNKNOWN_VIEW).sum())
        if 0 < without_view < len(table) and not arguments.quiet:
            print(
                f"warning: {without_view} of the {len(table)} detections of {name} have no view: "
                "only boxes are compared",
                file=sys.stderr,
            )

    print_tables({name: result.table() for name, result in results.items()})
    report_skipped(bad)
    result = next(iter(results.values()))
    if arguments.json is not None:
        result.save_json(arguments.json)
    if arguments.csv is not None:
        result.save_csv(arguments.csv)
    if arguments.plot is not None and len(results) == 1:
        result.save_plot(arguments.plot, next(iter(results)))
    elif arguments.plot is not None:
        save_face_box_comparison(arguments.plot, results)


def _read_ground_truth(arguments: argparse.Namespace, bad: BadRecords) -> list[FaceGroundTruth]:
    """Read the faces with everything that other files say about them."""
    from badacost.eval.annotations_csv import (
        read_image_list,
        read_scales,
        with_images_beside,
        with_listed_images,
    )
    from badacost.eval.box_files import read_annotations
    from badacost.eval.input_records import EvaluationError
    from badacost.eval.second_annotation import with_ignored_boxes, with_scales, with_views_of
    from badacost.eval.views import FACE_VIEWS

    images = read_annotations(
        arguments.ground_truth,
        FACE_VIEWS,
        bad,
        squares=arguments.squares,
        max_roll_deg=arguments.max_roll,
    )
    if arguments.image_list is None and arguments.ground_truth.suffix.lower() == ".csv":
        images = with_images_beside(images, arguments.ground_truth.with_name("images.txt"))
    elif arguments.image_list is not None:
        images = with_listed_images(images, read_image_list(arguments.image_list))
    if not images:
        raise EvaluationError(f"{arguments.ground_truth}: holds no image, expected at least one")
    if arguments.scale_csv is not None:
        images = with_scales(images, read_scales(arguments.scale_csv, bad))
    if arguments.views_from is not None:
        posed = read_annotations(arguments.views_from, FACE_VIEWS, bad, max_roll_deg=arguments.max_roll)
        images = with_views_of(images, posed)
    if arguments.ignore_csv is not None:
        images = with_ignored_boxes(images, read_annotations(arguments.ignore_csv, FACE_VIEWS, bad))
    return images


def _read_detections(
    arguments: argparse.Namespace,
    path: Path,
    images: list[FaceGroundTruth],
    view_set: ViewSet | None,
    bad: BadRecords,
) -> DetectionTable:
    from badacost.eval.box_files import read_detections

    table, unlisted = read_detections(path, [image.name for image in images], view_set, bad)
    if not arguments.quiet:
        warn_of_unlisted(path, unlisted, len(images), "faces")
    return table if arguments.min_score is None else table[table.scores >= arguments.min_score]


def _run_model(
    arguments: argparse.Namespace,
    images: list[FaceGroundTruth],
    view_set: ViewSet | None,
    bad: BadRecords,
) -> DetectionTable:
    from badacost.eval.detection_table import DetectionTable
    from badacost.eval.input_records import EvaluationError

    found = run_model(arguments, [image.name for image in images], bad)
    index = {image.name: number for number, image in enumerate(images)}
    try:
        return DetectionTable.from_detections(
            ((index[name], detections) for name, detections in found), view_set
        )
    except ValueError as error:
        raise EvaluationError(f"{arguments.model}: {error}; --no-views compares boxes only") from error
