"""Evaluate detections with FDDB's discrete and continuous ROC curves."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
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
    from badacost.eval.fddb_faces import FddbDetections, FddbImage
    from badacost.eval.fddb_result import RocCurve
    from badacost.eval.input_records import BadRecords

DESCRIPTION = """\
Discrete and continuous ROC curves of FDDB, with the rules of the official program and an exact assignment.

Rectangles are evaluated as they are unless --as-ellipses names a conversion, which must be fitted on other
images (--fit-ellipses), or is `folds`: each fold is converted by what is fitted on the other nine.

examples:
  badacost-evaluate-fddb --ground-truth FDDB-folds --image-sizes sizes.txt --detections detections.txt
  badacost-evaluate-fddb --ground-truth FDDB-folds --model faces --images originalPics --as-ellipses folds
"""
RECTANGLES, FOLD_BY_FOLD = "none", "folds"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for wrong arguments or unusable input, 130 if interrupted."""
    return run_evaluation("evaluate_fddb", _evaluate, _parse(argv))


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=command_name("evaluate_fddb"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--ground-truth",
        type=Path,
        required=True,
        metavar="PATH",
        help="an ellipse list, or the folder of FDDB-fold-NN-ellipseList.txt",
    )
    add_detection_arguments(
        parser, "FDDB's list (rectangles or ellipses), our JSON (.json, .jsonl) or csv of boxes"
    )
    parser.add_argument(
        "--image-sizes", type=Path, metavar="FILE", help="`name width height` a line, in place of --images"
    )
    parser.add_argument(
        "--as-ellipses",
        default=RECTANGLES,
        metavar="FILE",
        help="conversion of rectangles: a file of --fit-ellipses, `folds`, or `none`; default: none",
    )
    parser.add_argument(
        "--fit-ellipses",
        type=Path,
        metavar="FILE",
        help="fit a conversion to this ground truth and these rectangles, and write it",
    )
    parser.add_argument(
        "--published",
        type=Path,
        nargs="+",
        default=[],
        metavar="PREFIX",
        help="official curves PREFIXDiscROC.txt and PREFIXContROC.txt, for the table and the plot",
    )
    add_output_arguments(parser, "the ROC curves")
    arguments = parser.parse_args(argv)
    check_arguments(parser, arguments)
    if arguments.images is None and arguments.image_sizes is None:
        parser.error("the sizes of the images are needed: --images DIR or --image-sizes FILE")
    return arguments


def _evaluate(arguments: argparse.Namespace, bad: BadRecords) -> None:
    from badacost.eval.ellipse_conversion import fit_ellipse_conversion
    from badacost.eval.fddb import evaluate_fddb
    from badacost.eval.fddb_files import read_fddb_annotations
    from badacost.eval.fddb_result import format_roc_table, save_roc_comparison
    from badacost.eval.input_records import EvaluationError
    from badacost.eval.reporting import check_writable
    from badacost.eval.views import FACE_VIEWS

    check_outputs(arguments)
    if arguments.fit_ellipses is not None:
        check_writable(arguments.fit_ellipses)
    published = {path.name.rstrip("_"): _published_curves(path) for path in arguments.published}
    images = read_fddb_annotations(arguments.ground_truth, _image_sizes(arguments, bad), bad)
    if not images:
        raise EvaluationError(f"{arguments.ground_truth}: holds no image, expected at least one")
    if arguments.verbose:
        n_faces = sum(len(image.ellipses) for image in images)
        print(f"{arguments.ground_truth}: {len(images)} images, {n_faces} faces", file=sys.stderr)
    found: dict[str, FddbDetections] = {}
    paths = list(arguments.compare)
    if arguments.model is not None:
        found[Path(arguments.model).stem] = _run_model(arguments, images, bad)
    else:
        paths.insert(0, arguments.detections)
    for name, path in zip(detector_names(paths), paths, strict=True):
        found[name if name not in found else str(path)] = _read_detections(arguments, path, images, bad)
    if arguments.fit_ellipses is not None:
        fit_ellipse_conversion(images, next(iter(found.values())), FACE_VIEWS).save(arguments.fit_ellipses)
    results = {
        name: evaluate_fddb(images, _as_ellipses(arguments.as_ellipses, images, detections))
        for name, detections in found.items()
    }

    print_tables({name: result.table() for name, result in results.items()})
    for name, curves in published.items():
        print(format_roc_table(curves, f"{name}, published"))
    report_skipped(bad)
    result = next(iter(results.values()))
    if arguments.json is not None:
        result.save_json(arguments.json)
    if arguments.csv is not None:
        result.save_csv(arguments.csv)
    if arguments.plot is not None:
        curves_by_name = {name: each.curves() for name, each in results.items()}
        save_roc_comparison(arguments.plot, {**curves_by_name, **published})


def _published_curves(prefix: Path) -> dict[str, RocCurve]:
    from badacost.eval.fddb_result import read_official_curve

    return {
        kind: read_official_curve(prefix.with_name(f"{prefix.name}{file}"))
        for kind, file in (("discrete", "DiscROC.txt"), ("continuous", "ContROC.txt"))
    }


def _image_sizes(arguments: argparse.Namespace, bad: BadRecords) -> Callable[[str], tuple[int, int] | None]:
    """Return where image sizes come from: the list if there is one, otherwise the images themselves."""
    from badacost.detector.image_size import image_size
    from badacost.detector.images import ImageError
    from badacost.eval.fddb_files import read_image_sizes, size_lookup
    from badacost.eval.image_names import ImageFiles
    from badacost.eval.input_records import EvaluationError

    if arguments.image_sizes is not None:
        return size_lookup(read_image_sizes(arguments.image_sizes, bad))
    if not arguments.images.is_dir():
        raise EvaluationError(f"{arguments.images}: no such folder")
    files = ImageFiles(arguments.images)

    def size_of(name: str) -> tuple[int, int] | None:
        path = files.find(name)
        if path is None:
            return None
        try:
            return image_size(path)
        except ImageError as error:
            bad.add(path, None, str(error))
            return None

    return size_of


def _read_detections(
    arguments: argparse.Namespace, path: Path, images: Sequence[FddbImage], bad: BadRecords
) -> FddbDetections:
    from badacost.eval.fddb_files import read_fddb_detections
    from badacost.eval.views import FACE_VIEWS

    # Views matter to the conversion only; without it a detector of any views can be evaluated.
    converting = arguments.as_ellipses != RECTANGLES or arguments.fit_ellipses is not None
    names = [image.name for image in images]
    detections, unlisted = read_fddb_detections(path, names, FACE_VIEWS if converting else None, bad)
    if not arguments.quiet:
        warn_of_unlisted(path, unlisted, len(images), "faces")
    return detections if arguments.min_score is None else detections.at_least(arguments.min_score)


def _run_model(arguments: argparse.Namespace, images: Sequence[FddbImage], bad: BadRecords) -> FddbDetections:
    from badacost.eval.detection_table import DetectionTable
    from badacost.eval.fddb_faces import FddbDetections
    from badacost.eval.input_records import EvaluationError
    from badacost.eval.views import FACE_VIEWS

    converting = arguments.as_ellipses != RECTANGLES or arguments.fit_ellipses is not None
    index = {image.name: number for number, image in enumerate(images)}
    found = run_model(arguments, list(index), bad)
    try:
        table = DetectionTable.from_detections(
            ((index[name], detections) for name, detections in found), FACE_VIEWS if converting else None
        )
    except ValueError as error:
        raise EvaluationError(f"{arguments.model}: {error}") from error
    return FddbDetections.from_boxes(table, len(images))


def _as_ellipses(conversion: str, images: Sequence[FddbImage], detections: FddbDetections) -> FddbDetections:
    from badacost.eval.ellipse_conversion import EllipseConversion, convert_fold_by_fold
    from badacost.eval.views import FACE_VIEWS

    if conversion == RECTANGLES:
        return detections
    if conversion == FOLD_BY_FOLD:
        return convert_fold_by_fold(images, detections, FACE_VIEWS)
    fitted = EllipseConversion.load(Path(conversion))
    fitted.check_not_fitted_on([image.name for image in images])
    return fitted.apply(detections, FACE_VIEWS)


if __name__ == "__main__":
    sys.exit(main())
