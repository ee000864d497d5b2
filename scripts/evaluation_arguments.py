"""Arguments that the commands for face benchmarks share, and what follows from them."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from badacost.scripts.command_name import command_name
from badacost.scripts.standard_error import reason_of

if TYPE_CHECKING:
    from badacost.detector.detections import Detections
    from badacost.eval.input_records import BadRecords


def finite_number(text: str) -> float:
    """Return the number of an argument; argparse reports any other text."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a finite number")
    return value


def add_detection_arguments(parser: argparse.ArgumentParser, formats: str) -> None:
    """Add where detections come from: files in one of `formats`, or a model run over images."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--detections", type=Path, metavar="FILE", help=formats)
    source.add_argument("--model", help="name or path of a model to run over --images")
    parser.add_argument("--images", type=Path, metavar="DIR", help="folder of the images, for --model")
    parser.add_argument(
        "--compare",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="detections of further detectors, for the table and the plot",
    )
    parser.add_argument(
        "--min-score", type=finite_number, metavar="SCORE", help="leave out detections below it"
    )


def add_output_arguments(parser: argparse.ArgumentParser, curve: str) -> None:
    """Add the files to write and the flags that all commands have; `curve` is what the plot shows."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write averages and curves")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the curves, one row a point")
    parser.add_argument("--plot", type=Path, metavar="FILE", help=f"draw {curve}")
    parser.add_argument(
        "--skip-bad", action="store_true", help="count and report malformed records instead of stopping"
    )
    parser.add_argument("--threads", type=int, default=0, help="of --model; 0 = all cores; default: 0")
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("--quiet", action="store_true", help="no progress, no warnings")
    loudness.add_argument("--verbose", action="store_true", help="say what is read")


def check_arguments(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """End with the parser's error if the shared arguments do not fit together."""
    if arguments.model is not None and arguments.images is None:
        parser.error("--model needs --images")
    if arguments.threads < 0:
        parser.error(f"--threads must be 0 (all) or more, found {arguments.threads}")


def check_outputs(arguments: argparse.Namespace) -> None:
    """Raise `EvaluationError` if a file to be written cannot be, before anything is computed."""
    from badacost.eval.curve_figure import check_figure_format
    from badacost.eval.reporting import check_writable

    for path in (arguments.json, arguments.csv, arguments.plot):
        if path is not None:
            check_writable(path)
    if arguments.plot is not None:
        check_figure_format(arguments.plot)


def run_evaluation(
    module: str, evaluate: Callable[[argparse.Namespace, BadRecords], None], arguments: argparse.Namespace
) -> int:
    """Evaluate; return 0, 2 for unusable input, or 130 if interrupted from the keyboard.

    Messages begin with the name that the command in `module` was called by.
    """
    from badacost.eval.input_records import BadRecords, EvaluationError

    command = command_name(module)
    try:
        evaluate(arguments, BadRecords(skip=arguments.skip_bad))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except EvaluationError as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{command}: {reason_of(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        return 130
    return 0


def warn_of_unlisted(path: Path, unlisted: Sequence[str], n_images: int, objects: str) -> None:
    """Say on stderr that a file of detections leaves images out, whose `objects` count as missed."""
    if unlisted:
        print(
            f"warning: {path} does not list {len(unlisted)} of the {n_images} images, "
            f"first {unlisted[0]}; their {objects} count as missed",
            file=sys.stderr,
        )


def run_model(
    arguments: argparse.Namespace, names: Sequence[str], bad: BadRecords
) -> list[tuple[str, Detections]]:
    """Run the model of the arguments over the named images, and return the detections by name.

    Images that are missing or cannot be read are bad records, and have no detections.
    """
    from badacost.detector.detector import Detector
    from badacost.detector.model_file import ModelError
    from badacost.eval.image_names import find_image_files
    from badacost.eval.input_records import EvaluationError
    from badacost.eval.model_run import detect_in_files

    options = {} if arguments.min_score is None else {"min_score": arguments.min_score}
    try:
        detector = Detector.load(arguments.model).with_options(threads=arguments.threads, **options)
    except ModelError as error:
        raise EvaluationError(str(error)) from error
    if not arguments.images.is_dir():
        raise EvaluationError(f"{arguments.images}: no such folder")
    files, missing = find_image_files(arguments.images, names)
    for name in missing:
        bad.add(arguments.images, None, f"image {name!r} is not there")
    return [
        (name, detections)
        for name, detections in detect_in_files(detector, files, bad, quiet=arguments.quiet)
        if detections is not None
    ]


def detector_names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each file of detections: the end of its path that no other file has."""
    names = []
    for path in paths:
        ends = [path.stem, f"{path.parent.name}/{path.stem}"]
        others = [other for other in paths if other is not path]
        taken = {other.stem for other in others} | {f"{other.parent.name}/{other.stem}" for other in others}
        names.append(next((end for end in ends if end not in taken), str(path)))
    return names


def print_tables(tables: dict[str, str]) -> None:
    """Print the table of each detector, under its name if there are several."""
    for name, table in tables.items():
        print(table if len(tables) == 1 else f"{name}\n{table}\n")


def report_skipped(bad: BadRecords) -> None:
    """Say on stderr which records were left out."""
    for message in bad.messages:
        print(f"skipped: {message}", file=sys.stderr)
    if bad.count:
        print(f"{bad.count} bad record{' was' if bad.count == 1 else 's were'} skipped", file=sys.stderr)
