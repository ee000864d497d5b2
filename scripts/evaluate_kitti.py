"""Evaluate detections with KITTI's 2D object benchmark."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from badacost.eval.input_records import BadRecords
    from badacost.eval.kitti_objects import KittiObjects

DESCRIPTION = """\
Average precision (AP11, AP40) and average orientation similarity (AOS) of cars, pedestrians and cyclists at
the levels easy, moderate and hard, with the rules of KITTI's official program.

example:
  badacost-evaluate-kitti --ground-truth label_2 --split val.txt --detections results --plot curves.png
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 for wrong arguments or unusable input."""
    arguments = _parse(argv)

    from badacost.eval.input_records import BadRecords, EvaluationError

    bad = BadRecords(skip=arguments.skip_bad)
    try:
        _evaluate(arguments, bad)
    except (EvaluationError, OSError) as error:
        print(f"evaluate_kitti: {error}", file=sys.stderr)
        return 2
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="evaluate_kitti", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ground-truth", type=Path, required=True, help="folder of label files, NNNNNN.txt")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--detections", type=Path, help="folder of result files, or a .json / .jsonl file of badacost-detect"
    )
    source.add_argument("--model", help="name or path of a model to run over --images")
    parser.add_argument("--images", type=Path, help="folder of the frames' images, for --model")
    parser.add_argument(
        "--version", choices=("current", "pre2017"), default="current", help="default: current"
    )
    parser.add_argument("--split", type=Path, help="file of frame names, one a line: evaluate only these")
    parser.add_argument(
        "--object-type", default="Car", help="type of all detections of --model or a .json file; default: Car"
    )
    parser.add_argument(
        "--compare",
        type=Path,
        nargs="+",
        default=[],
        metavar="PATH",
        help="detections of further detectors, for the table and the plot",
    )
    parser.add_argument(
        "--views", type=int, default=20, metavar="N", help="bins to compare angles of cars in; default: 20"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write averages and curves")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the curves, one place a row")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the precision-recall curves")
    parser.add_argument(
        "--skip-bad", action="store_true", help="count and report malformed records instead of stopping"
    )
    parser.add_argument("--threads", type=int, default=0, help="of --model; 0 = all cores; default: 0")
    parser.add_argument("--quiet", action="store_true", help="no progress, no warnings")
    parser.add_argument("--verbose", action="store_true", help="log what is read")
    arguments = parser.parse_args(argv)
    if (arguments.model is None) != (arguments.images is None):
        parser.error("--model and --images go together")
    if arguments.threads < 0:
        parser.error(f"--threads must be 0 (all) or more, found {arguments.threads}")
    if arguments.views < 2:
        parser.error(f"--views must be at least 2, found {arguments.views}")
    return arguments


def _evaluate(arguments: argparse.Namespace, bad: BadRecords) -> None:
    from badacost.eval.curve_figure import check_figure_format
    from badacost.eval.kitti import evaluate_kitti
    from badacost.eval.kitti_files import read_kitti_labels, read_split
    from badacost.eval.kitti_result import save_kitti_comparison
    from badacost.eval.reporting import check_folder_of

    for path in (arguments.json, arguments.csv, arguments.plot):
        if path is not None:
            check_folder_of(path)
    if arguments.plot is not None:
        check_figure_format(arguments.plot)
    wanted = read_split(arguments.split, bad) if arguments.split is not None else None
    frames, labels = read_kitti_labels(arguments.ground_truth, wanted, bad)
    if arguments.verbose:
        print(f"{arguments.ground_truth}: {len(frames)} frames, {len(labels)} labels", file=sys.stderr)
    results = {}
    detection_paths = list(arguments.compare)
    if arguments.model is not None:
        detections = _run_model(arguments, frames, bad)
        results[Path(arguments.model).stem] = evaluate_kitti(
            labels, detections, arguments.version, n_views=arguments.views
        )
    else:
        detection_paths.insert(0, arguments.detections)
    for path in detection_paths:
        detections = _read_detections(arguments, path, frames, bad)
        name = _name(path) if _name(path) not in results else str(path)
        results[name] = evaluate_kitti(labels, detections, arguments.version, n_views=arguments.views)

    for name, result in results.items():
        print(result.table() if len(results) == 1 else f"{name}\n{result.table()}")
    main_result = next(iter(results.values()))
    if not arguments.quiet:
        for warning in main_result.warnings():
            print(f"warning: {warning}", file=sys.stderr)
    _report_skipped(bad)
    if arguments.json is not None:
        main_result.save_json(arguments.json)
    if arguments.csv is not None:
        main_result.save_csv(arguments.csv)
    if arguments.plot is not None and len(results) == 1:
        main_result.save_plot(arguments.plot)
    elif arguments.plot is not None:
        save_kitti_comparison(arguments.plot, results)


def _name(path: Path) -> str:
    """Return a detector's name; KITTI's results stand in `data` of a folder with that name."""
    return path.resolve().parent.name if path.name == "data" else path.stem


def _read_detections(
    arguments: argparse.Namespace, path: Path, frames: Sequence[str], bad: BadRecords
) -> KittiObjects:
    from badacost.eval.input_records import EvaluationError
    from badacost.eval.kitti_detections import read_kitti_json
    from badacost.eval.kitti_files import frame_names, read_kitti_detections

    if not path.exists():
        raise EvaluationError(f"{path}: no such file or folder")
    if path.suffix.lower() in (".json", ".jsonl"):
        others = frame_names(arguments.ground_truth) if arguments.split is not None else ()
        return read_kitti_json(path, frames, bad, object_type=arguments.object_type, other_frames=others)
    return read_kitti_detections(path, frames, bad, others_allowed=arguments.split is not None)


def _run_model(arguments: argparse.Namespace, frames: Sequence[str], bad: BadRecords) -> KittiObjects:
    from badacost.detector.detector import Detector
    from badacost.detector.model_file import ModelError
    from badacost.eval.image_names import find_image_files
    from badacost.eval.input_records import EvaluationError
    from badacost.eval.kitti_detections import kitti_objects_of
    from badacost.eval.kitti_objects import KittiObjects
    from badacost.eval.model_run import detect_in_files

    try:
        detector = Detector.load(arguments.model).with_options(threads=arguments.threads)
    except ModelError as error:
        raise EvaluationError(str(error)) from error
    files, missing = find_image_files(arguments.images, frames)
    for name in missing:
        bad.add(arguments.images, None, f"frame {name!r} has no image")
    objects = {
        name: kitti_objects_of(detections, arguments.object_type)
        for name, detections in detect_in_files(detector, files, bad, quiet=arguments.quiet)
        if detections is not None
    }
    return KittiObjects.from_frames([objects.get(name, []) for name in frames])


def _report_skipped(bad: BadRecords) -> None:
    for message in bad.messages:
        print(f"skipped: {message}", file=sys.stderr)
    if bad.count:
        print(f"{bad.count} bad record{' was' if bad.count == 1 else 's were'} skipped", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
