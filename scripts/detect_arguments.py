"""The arguments of the command that finds objects."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from badacost.scripts.command_name import command_name

DESCRIPTION = """\
Find objects (faces by default) in images and name the view they are seen from.

Prints a line for each detection: view, score (higher is surer) and box in pixels of the image as
shown. Without output flags, a single image is also written with its detections drawn, as NAME.detected.jpg in
the current folder.

examples:
  badacost-detect photo.jpg
  badacost-detect holiday/ --min-size 24 --output faces.json --draw drawn/
  find . -name '*.png' | badacost-detect - --format csv --jobs 2
"""
EPILOG = """\
exit status: 0 done, 1 some inputs failed (each is named on standard error) and the others were done,
2 wrong arguments or no usable input
"""
LARGEST_NUMBER = 3e38  # what float32 holds
FORMATS = ("text", "json", "jsonl", "csv", "coco", "kitti", "fddb")
FORMAT_OF_SUFFIX = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".txt": "text", "": "text"}


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the arguments, and end with the parser's error where they do not fit together."""
    parser = argparse.ArgumentParser(
        prog=command_name("detect"),
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "sources", nargs="+", metavar="SOURCE",
        help="image file; folder, searched recursively for images (but hidden files and *.detected.jpg); "
        "glob pattern; video file or camera number, whose frames are named FILE#NUMBER; - for a list of "
        "files, one a line, on standard input. A file named twice is searched once",
    )  # fmt: skip
    add("--model", default="faces", help="shipped model's name or a model file; default: faces")

    add = parser.add_argument_group("what is looked for").add_argument
    add("--min-score", type=_number, metavar="X", help="least score to report; default: the model's own")
    add(
        "--nms-overlap",
        type=_share,
        metavar="X",
        help="overlap above which the weaker of two boxes goes, 0..1; 1 keeps all boxes",
    )
    add(
        "--min-size", type=_pixels, metavar="PX",
        help="smallest height of an object; below the model's own size (40 for faces, 48 for cars) the "
        "picture is enlarged; default: the model's own size",
    )  # fmt: skip
    add("--max-size", type=_pixels, metavar="PX", help="largest height of an object; default: no limit")
    add(
        "--cascade-slack", type=_positive, metavar="X",
        help="multiplies the cascade's thresholds: 1 = as trained, larger = slower and more complete",
    )  # fmt: skip
    add("--views", type=_names, metavar="A,B", help="report these views only")
    add("--max-detections", type=_count, metavar="N", help="report the best N of an image")

    add = parser.add_argument_group("output").add_argument
    add(
        "--format", choices=FORMATS,
        help="default: by the ending of --output (.json, .jsonl, .csv, .txt), else text",
    )  # fmt: skip
    add(
        "--output", type=_path, metavar="FILE_OR_FOLDER",
        help="write there instead of to standard output, in an existing folder to detections.txt, .json, .jsonl or "
        ".csv; kitti needs a folder",
    )  # fmt: skip
    add("--draw", type=_path, metavar="FOLDER", help="write the images with their detections drawn")
    add("--save-crops", type=_path, metavar="FOLDER", help="write the part of the image in each box")
    add("--clip", action="store_true", help="cut boxes at the image's borders")
    add("--class-agnostic", action="store_true", help="coco: one category for all views")
    add(
        "--object-type", metavar="NAME",
        help="kitti: type of all objects; default: Car if the model learnt cars, else it must be given",
    )  # fmt: skip

    group = parser.add_argument_group("running")
    add = group.add_argument
    add("--jobs", type=_count, default=1, metavar="N", help="images at a time; default: 1")
    add(
        "--threads", type=_count_or_all, metavar="N",
        help="threads of an image, 0 = all; default: all, with --jobs 1. Results do not depend on it",
    )  # fmt: skip
    add = group.add_mutually_exclusive_group().add_argument
    add("--quiet", action="store_true", help="only results and failures: no progress, no notes")
    add("--verbose", action="store_true", help="name the model, and what was found in each image")
    arguments = parser.parse_args(argv)
    _settle_output(parser, arguments)
    if arguments.min_size and arguments.max_size and arguments.min_size > arguments.max_size:
        parser.error(
            f"--min-size must not exceed --max-size, found {arguments.min_size:g} > {arguments.max_size:g}"
        )
    if arguments.threads is None:
        arguments.threads = 0 if arguments.jobs == 1 else 1
    return arguments


def _settle_output(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Choose the format, and end with the parser's error where an option would be without effect."""
    output: Path | None = arguments.output
    if arguments.format is None:
        suffix = "" if output is None or output.is_dir() else output.suffix.lower()
        if suffix not in FORMAT_OF_SUFFIX:
            parser.error(f"--output ends with {suffix}, which names no format: choose one with --format")
        arguments.format = FORMAT_OF_SUFFIX[suffix]
    if arguments.format == "kitti" and output is None:
        parser.error("--format kitti writes a file for each image: name a folder with --output")
    if arguments.class_agnostic and arguments.format != "coco":
        parser.error(f"--class-agnostic is of --format coco only, found {arguments.format}")
    if arguments.object_type is not None:
        if arguments.format != "kitti":
            parser.error(f"--object-type is of --format kitti only, found {arguments.format}")
        if len(arguments.object_type.split()) != 1:
            parser.error(f"--object-type must be one word, found {arguments.object_type!r}")


def _number(text: str) -> float:
    value = float(text)
    if not abs(value) <= LARGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"must be a number of at most {LARGEST_NUMBER:g}, found {text}")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be positive, found {text}")
    return value


def _pixels(text: str) -> float:
    value = _number(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1 pixel, found {text}")
    return value


def _share(text: str) -> float:
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must lie in [0, 1], found {text}")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, found {text}")
    return value


def _count_or_all(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be 0 (all) or more, found {text}")
    return value


def _path(text: str) -> Path:
    if text in ("", "-"):
        raise argparse.ArgumentTypeError(
            f"must name a file or folder, found {text!r}; without --output results go to standard output"
        )
    return Path(text)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise argparse.ArgumentTypeError(f"must name views, found {text!r}")
    return names


# The words argparse uses when a conversion fails: "invalid number value: 'x'".
_number.__name__ = _positive.__name__ = _pixels.__name__ = _share.__name__ = "number"
_count.__name__ = _count_or_all.__name__ = "whole number"
