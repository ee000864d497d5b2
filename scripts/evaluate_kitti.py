"""Evaluate detections with KITTI's 2D object benchmark."""

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
    print_tables,
    report_skipped,
    run_evaluation,
    run_model,
)

if TYPE_CHECKING:
    from badacost.eval.input_records import BadRecords
    from badacost.eval.kitti_objects import KittiObjects

DESCRIPTION = """\
Average precision (AP11, AP40) and average orientation similarity (AOS) of cars, pedestrians and cyclists at
the levels easy, moderate and hard, with the rules of KITTI's official program.

example:
  badacost-evaluate-kitti --ground-truth label_2 --split val.txt --detections results --plot curves.png
"""
JSON_SUFFIXES = (".json", ".jsonl")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for wrong arguments or unusable input, 130 if interrupted."""
    return run_evaluation("evaluate_kitti", _evaluate, _parse(argv))


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=command_name("evaluate_kitti"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--ground-truth", type=Path, required=True, metavar="DIR", help="folder of label files, NNNNNN.txt"
    )
    add_detection_arguments(parser, "folder of result files, or our JSON (.json, .jsonl)")
    parser.add_argument(
        "--version", choices=("current", "pre2017"), default="current", help="default: current"
    )
    parser.add_argument(
        "--split", type=Path, metavar="FILE", help="frame names, one a line: evaluate only these"
    )
    parser.add_argument("--object-type", help="type of all detections of --model or our JSON; default: Car")
    parser.add_argument(
        "--views", type=int, default=20, metavar="N", help="bins to compare angles of cars in; default: 20"
    )
    add_output_arguments(parser, "the precision-recall curves")
    arguments = parser.parse_args(argv)
    check_arguments(parser, arguments)
    if arguments.views < 2:
        parser.error(f"--views must be at least 2, found {arguments.views}")
    results = [arguments.detections] if arguments.detections is not None else []
    if (
        arguments.object_type is not None
        and arguments.model is None
        and not any(path.suffix.lower() in JSON_SUFFIXES for path in (*results, *arguments.compare))
    ):
        parser.error(
            "--object-type needs --model or our JSON: KITTI's result files name the types themselves"
        )
    arguments.object_type = arguments.object_type or "Car"
    return arguments


def _evaluate(arguments: argparse.Namespace, bad: BadRecords) -> None:
    from badacost.eval.kitti import evaluate_kitti
    from badacost.eval.kitti_files import read_kitti_labels, read_split
    from badacost.eval.kitti_result import save_kitti_comparison

    check_outputs(arguments)
    wanted = read_split(arguments.split, bad) if arguments.split is not None else None
    frames, labels = read_kitti_labels(arguments.ground_truth, wanted, bad)
    if arguments.verbose:
        print(f"{arguments.ground_truth}: {len(frames)} frames, {len(labels)} labels", file=sys.stderr)
    found: dict[str, KittiObjects] = {}
    paths = list(arguments.compare)
    if arguments.model is not None:
        found[Path(arguments.model).stem] = _run_model(arguments, frames, bad)
    else:
        paths.insert(0, arguments.detections)
    for path in paths:
        name = _name(path) if _name(path) not in found else str(path)
        found[name] = _read_detections(arguments, path, frames, bad)
    results = {
        name: evaluate_kitti(
            labels, _scored(detections, arguments), arguments.version, n_views=arguments.views
        )
        for name, detections in found.items()
    }

    print_tables({name: result.table() for name, result in results.items()})
    result = next(iter(results.values()))
    if not arguments.quiet:
        for warning in result.warnings():
            print(f"warning: {warning}", file=sys.stderr)
    report_skipped(bad)
    if arguments.json is not None:
        result.save_json(arguments.json)
    if arguments.csv is not None:
        result.save_csv(arguments.csv)
    if arguments.plot is not None and len(results) == 1:
        result.save_plot(arguments.plot)
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
    if path.suffix.lower() in JSON_SUFFIXES:
        others = frame_names(arguments.ground_truth) if arguments.split is not None else ()
        return read_kitti_json(path, frames, bad, object_type=arguments.object_type, other_frames=others)
    return read_kitti_detections(path, frames, bad, others_allowed=arguments.split is not None)


def _run_model(arguments: argparse.Namespace, frames: Sequence[str], bad: BadRecords) -> KittiObjects:
    from badacost.eval.kitti_detections import kitti_objects_of
    from badacost.eval.kitti_objects import KittiObjects

    found = {
        name: kitti_objects_of(detections, arguments.object_type)
        for name, detections in run_model(arguments, frames, bad)
    }
    return KittiObjects.from_frames([found.get(name, []) for name in frames])


def _scored(detections: KittiObjects, arguments: argparse.Namespace) -> KittiObjects:
    """Return the detections that reach the least score of the arguments."""
    if arguments.min_score is None:
        return detections
    return detections.chosen(detections.scores >= arguments.min_score)


if __name__ == "__main__":
    sys.exit(main())
