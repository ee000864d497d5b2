"""Find objects in images and name the view they are seen from."""

from __future__ import annotations

import argparse
import gc
import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from badacost.detector.detector import Detector
    from badacost.detector.image_result import ImageResult
    from badacost.detector.image_sources import ImageSource

DESCRIPTION = """\
Find objects (faces by default) in images and name the view they are seen from.

Prints a line for each detection: view, score (a margin: higher is surer) and box in pixels of the image as
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
FORMATS = ("text", "json", "jsonl", "csv", "coco", "kitti", "fddb")
FORMAT_OF_SUFFIX = {".json": "json", ".jsonl": "jsonl", ".csv": "csv"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 if some inputs failed, 2 for wrong arguments or unusable input."""
    arguments = _parse(argv)

    from badacost.detector.image_sources import find_sources
    from badacost.detector.model_file import ModelError

    # File names that are not in the system's encoding come in and go out as the bytes they are.
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="surrogateescape")
    try:
        sources = find_sources(arguments.sources, sys.stdin if "-" in arguments.sources else ())
        if not sources:
            return _stop("the list on standard input is empty")
        if all(source.error is not None for source in sources):
            return _stop(*(source.error for source in sources))
        with _without_collection():
            _be_quiet_about_images(arguments)
            detector = _with_options(arguments)
        return _run(detector, sources, arguments)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ModelError, OSError) as error:
        return _stop(error)
    except KeyboardInterrupt:
        _stop("interrupted")
        return 130


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="detect",
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
        help="overlap above which the weaker of two boxes goes, 0..1",
    )
    add(
        "--min-size", type=_positive, metavar="PX",
        help="smallest height of an object; below the model's own size (40 for faces, 48 for cars) the "
        "picture is enlarged; default: the model's own size",
    )  # fmt: skip
    add("--max-size", type=_positive, metavar="PX", help="largest height of an object; default: no limit")
    add(
        "--cascade-slack", type=_positive, metavar="X",
        help="multiplies the cascade's thresholds: 1 = as trained, larger = slower and more complete",
    )  # fmt: skip
    add("--views", type=_names, metavar="A,B", help="report these views only")
    add("--max-detections", type=_count, metavar="N", help="report the best N of an image")

    add = parser.add_argument_group("output").add_argument
    add(
        "--format", choices=FORMATS,
        help="default: by the ending of --output (.json, .jsonl, .csv), else text",
    )  # fmt: skip
    add(
        "--output", type=Path, metavar="FILE_OR_FOLDER",
        help="write there instead of to standard output; kitti needs a folder",
    )  # fmt: skip
    add("--draw", type=Path, metavar="FOLDER", help="write the images with their detections drawn")
    add("--save-crops", type=Path, metavar="FOLDER", help="write the part of the image in each box")
    add("--clip", action="store_true", help="cut boxes at the image's borders")
    add("--class-agnostic", action="store_true", help="coco: one category for all views")
    add("--object-type", default="Car", metavar="NAME", help="kitti: type of all objects; default: Car")

    add = parser.add_argument_group("running").add_argument
    add("--jobs", type=_count, default=1, metavar="N", help="images at a time; default: 1")
    add(
        "--threads", type=_count_or_all, metavar="N",
        help="threads of an image, 0 = all; default: all, with --jobs 1. Results do not depend on it",
    )  # fmt: skip
    add("--quiet", action="store_true", help="only results and failures: no progress, no notes")
    add("--verbose", action="store_true", help="name the model, and what was found in each image")
    arguments = parser.parse_args(argv)
    if arguments.format is None:
        suffix = arguments.output.suffix.lower() if arguments.output is not None else ""
        arguments.format = FORMAT_OF_SUFFIX.get(suffix, "text")
    if arguments.format == "kitti" and arguments.output is None:
        parser.error("--format kitti writes a file for each image: name a folder with --output")
    if arguments.min_size and arguments.max_size and arguments.min_size > arguments.max_size:
        parser.error(
            f"--min-size must not exceed --max-size, found {arguments.min_size:g} > {arguments.max_size:g}"
        )
    if not arguments.object_type or len(arguments.object_type.split()) != 1:
        parser.error(f"--object-type must be one word, found {arguments.object_type!r}")
    if arguments.threads is None:
        arguments.threads = 0 if arguments.jobs == 1 else 1
    return arguments


def _stop(*messages: object) -> int:
    for message in messages:
        print(f"detect: {message}", file=sys.stderr)
    return 2


@contextmanager
def _without_collection() -> Iterator[None]:
    """Import and load without the garbage collector, and have it pass over what was loaded: that stays to the end.

    It would search all of it several times, the last time at exit, which takes a quarter of a short run.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _be_quiet_about_images(arguments: argparse.Namespace) -> None:
    """Keep OpenCV's decoders from telling what we tell ourselves, and to the wanted number of threads."""
    import cv2

    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    cv2.setNumThreads(arguments.threads or cv2.getNumberOfCPUs())


def _with_options(arguments: argparse.Namespace) -> Detector:
    from badacost.detector.detector import Detector
    from badacost.detector.model_file import ModelError

    names = ("min_score", "nms_overlap", "min_size", "max_size", "cascade_slack", "views", "max_detections")
    changes = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    detector = Detector.load(arguments.model)
    try:
        return detector.with_options(threads=arguments.threads, **changes)
    except ValueError as error:
        raise ModelError(f"model {detector.name}: {error}") from error


def _run(detector: Detector, sources: Sequence[ImageSource], arguments: argparse.Namespace) -> int:
    """Search all sources and write what was asked for."""
    from itertools import chain

    from badacost.detector.formats import text_format
    from badacost.detector.frames import iterate_frames
    from badacost.detector.image_result import search_frames
    from badacost.detector.result_writer import open_results

    frames = chain.from_iterable(map(iterate_frames, sources))
    detect = (lambda pixels: detector.detect(pixels).clipped()) if arguments.clip else detector.detect
    results = search_frames(detect, frames, jobs=arguments.jobs)
    is_single = len(sources) == 1 and sources[0].kind == "image"
    form = text_format(
        arguments.format,
        model=detector.name,
        model_sha256=detector.sha256,
        class_agnostic=arguments.class_agnostic,
        object_type=arguments.object_type,
    )
    if arguments.verbose:
        print(f"model {detector.name}, sha256 {detector.sha256}", file=sys.stderr)
    n_done = n_failed = 0
    with open_results(form, arguments.output) as write:
        try:
            for result in _with_progress(results, sources, arguments):
                write(result)
                error = result.error or _write_pictures(result, arguments, is_single)
                n_done += result.error is None
                n_failed += error is not None
                if error is not None:
                    _say(f"detect: {error}")
                elif result.detections is not None and (arguments.verbose or _is_silent(result, arguments)):
                    _say(f"{result.file}: {len(result.detections) or 'nothing'} found")
        except KeyboardInterrupt:
            if not any(source.kind == "camera" for source in sources):
                raise  # a camera has no other end: keep what it gave
    if not n_done:
        return 2
    return 1 if n_failed else 0


def _say(message: str) -> None:
    """Print to standard error, above the progress bar if there is one."""
    if "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.write(message, file=sys.stderr)
    else:
        print(message, file=sys.stderr)


def _is_silent(result: ImageResult, arguments: argparse.Namespace) -> bool:
    """Tell whether nothing on the screen would say that an image was searched."""
    return not (result.detections or arguments.quiet or arguments.output) and arguments.format == "text"


def _with_progress(
    results: Iterator[ImageResult], sources: Sequence[ImageSource], arguments: argparse.Namespace
) -> Iterator[ImageResult]:
    """Show a bar if somebody watches, and its line is not torn by results."""
    torn = arguments.output is None and sys.stdout.isatty()
    if arguments.quiet or arguments.verbose or torn or not sys.stderr.isatty() or len(sources) < 2:
        return results
    from tqdm import tqdm

    count = len(sources) if all(source.kind == "image" for source in sources) else None
    return iter(tqdm(results, total=count, desc="detecting", unit="image"))


def _write_pictures(result: ImageResult, arguments: argparse.Namespace, is_single: bool) -> str | None:
    """Write drawings and crops of an image; return what went wrong."""
    from badacost.detector.drawing import crop, draw_detections, write_image
    from badacost.detector.image_sources import DRAWING_SUFFIX

    if result.pixels is None or result.detections is None:
        return None
    drawings = [] if arguments.draw is None else [arguments.draw / f"{result.output_name}{DRAWING_SUFFIX}"]
    is_plain = not (arguments.draw or arguments.save_crops or arguments.output) and arguments.format == "text"
    if is_single and is_plain:
        drawings.append(Path(f"{result.output_name}{DRAWING_SUFFIX}"))
    try:
        for path in drawings:
            write_image(path, draw_detections(result.pixels, result.detections))
            if is_plain and not arguments.quiet:
                print(f"drawn to {path}", file=sys.stderr)
        if arguments.save_crops is not None:
            for number, detection in enumerate(result.detections, start=1):
                view = "".join(letter if letter.isalnum() else "_" for letter in detection.view)
                path = arguments.save_crops / f"{result.output_name}_{number:03d}_{view}.jpg"
                pixels = crop(result.pixels, detection.box)
                if pixels.size:
                    write_image(path, pixels)
    except OSError as error:
        return f"{result.file}: {error}"
    return None


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must be a number, found {text}")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be positive, found {text}")
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


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise argparse.ArgumentTypeError(f"must name views, found {text!r}")
    return names


# The words argparse uses when a conversion fails: "invalid number value: 'x'".
_number.__name__ = _positive.__name__ = _share.__name__ = "number"
_count.__name__ = _count_or_all.__name__ = "whole number"


if __name__ == "__main__":
    sys.exit(main())
