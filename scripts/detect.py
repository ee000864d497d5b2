"""Find objects in images and name the view they are seen from."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from badacost.scripts.command_name import command_name
from badacost.scripts.detect_arguments import parse_arguments
from badacost.scripts.standard_error import package_notes, reason_of, say, silent_libraries

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from badacost.detector.detections import Detections
    from badacost.detector.detector import Detector
    from badacost.detector.image_result import Detect, ImageResult
    from badacost.detector.image_sources import ImageSource

log = logging.getLogger("badacost.detect")

# Pixels above which an enlarged image is worth a note.
LARGE_IMAGE = 8_000_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 if some inputs failed, 2 for wrong arguments or unusable input."""
    arguments = parse_arguments(argv)
    # File names that are not in the system's encoding come in and go out as the bytes they are.
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="surrogateescape")
    try:
        silence = nullcontext() if arguments.verbose else silent_libraries()
        with silence, package_notes(logging.ERROR if arguments.quiet else logging.INFO):
            return _detect(arguments)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _stop(reason_of(error))
    except KeyboardInterrupt:
        _stop("interrupted")
        return 130


def _detect(arguments: argparse.Namespace) -> int:
    from badacost.detector.image_sources import find_sources
    from badacost.detector.model_file import ModelError

    sources = find_sources(arguments.sources, sys.stdin if "-" in arguments.sources else ())
    if not sources:
        return _stop("the list on standard input is empty")
    if all(source.error is not None for source in sources):
        return _stop(*(source.error for source in sources))
    if arguments.format == "coco" and (same := _sources_of_one_id(sources)) is not None:
        return _stop(
            f"{same[0]} and {same[1]} would have the same image_id in COCO's format, "
            "which is the number or name of a file without its folder"
        )
    try:
        with _without_collection():
            _be_quiet_about_images(arguments)
            detector = _with_options(arguments)
    except ModelError as error:
        return _stop(error)
    if arguments.format == "kitti" and arguments.object_type is None:
        if not str(detector.provenance.get("preset")).startswith("cars"):
            return _stop(
                "--format kitti: name the type of the objects with --object-type, for instance Car or Face"
            )
        arguments.object_type = "Car"
    from badacost.detector.atomic_write import make_writable_folder
    from badacost.scripts.freed_memory import keep_freed_memory

    keep_freed_memory()
    for folder in (arguments.draw, arguments.save_crops):
        if folder is not None:
            make_writable_folder(folder)
    return _run(detector, sources, arguments)


def _sources_of_one_id(sources: Sequence[ImageSource]) -> tuple[str, str] | None:
    """Return the names of the first two sources that COCO's format would not tell apart."""
    from badacost.detector.formats import coco_image_id

    name_of_id: dict[int | str, str] = {}
    for source in sources:
        image_id = coco_image_id(source.name, source.output_name if source.kind == "image" else "")
        other = name_of_id.setdefault(image_id, source.name)
        if source.error is None and other != source.name:
            return other, source.name
    return None


def _stop(*messages: object) -> int:
    for message in messages:
        print(f"{command_name('detect')}: {message}", file=sys.stderr)
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
        message = str(error)
        for name in names:
            message = message.replace(f"{name} of DetectionOptions", f"--{name.replace('_', '-')}")
        raise ModelError(f"model {detector.name}: {message}") from error


def _run(detector: Detector, sources: Sequence[ImageSource], arguments: argparse.Namespace) -> int:
    """Search all sources and write what was asked for."""
    from itertools import chain

    from badacost.detector.formats import text_format
    from badacost.detector.frames import iterate_frames
    from badacost.detector.image_result import search_frames
    from badacost.detector.result_writer import open_results

    frames = chain.from_iterable(map(iterate_frames, sources))
    results = search_frames(_search(detector, arguments.clip), frames, jobs=arguments.jobs)
    is_single = len(sources) == 1 and sources[0].kind == "image"
    form = text_format(
        arguments.format,
        model=detector.name,
        model_sha256=detector.sha256,
        class_agnostic=arguments.class_agnostic,
        object_type=arguments.object_type or "",
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
                    say(f"{command_name('detect')}: {error}")
                elif result.detections is not None and (arguments.verbose or _is_silent(result, arguments)):
                    say(f"{result.file}: {len(result.detections) or 'nothing'} found")
        except KeyboardInterrupt:
            if not any(source.kind == "camera" for source in sources):
                raise  # a camera has no other end: keep what it gave
    if not n_done:
        return 2
    return 1 if n_failed else 0


def _search(detector: Detector, clip: bool) -> Detect:
    """Return the search of one image, which says once that images are much enlarged."""
    factor = max(1.0, 2**detector.scanned_pyramid.octaves_up)
    noted: list[str] = []

    def search(pixels: NDArray[np.uint8]) -> Detections:
        height, width = (round(factor * side) for side in pixels.shape[:2])
        if factor > 1 and height * width > LARGE_IMAGE and not noted:
            noted.append(f"enlarged {factor:.3g} times, to {width}x{height} pixels: --min-size asks for it")
            log.info("%s", noted[0])
        found = detector.detect(pixels)
        return found.clipped() if clip else found

    return search


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
        return f"{result.file}: {reason_of(error)}"
    return None


if __name__ == "__main__":
    sys.exit(main())
