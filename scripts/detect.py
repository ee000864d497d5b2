"""Find objects in images and name their view."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from badacost.detector.detector import Detector
    from badacost.detector.image_result import ImageResult
    from badacost.detector.image_sources import SourceImage

DESCRIPTION = """\
Find objects (faces by default) in images and name the view they are seen from.

Without flags, a line a detection is printed, and a single image is also written with the detections drawn,
as NAME.detected.jpg in the current folder.

examples:
  badacost-detect photo.jpg
  badacost-detect holiday/ --min-size 24 --format json --output faces.json --draw drawn/
"""
FORMATS = ("text", "json", "jsonl", "csv", "coco", "kitti", "fddb")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 when some images failed, 2 for wrong arguments or unusable input."""
    arguments = _parse(argv)

    from badacost.detector.detector import Detector
    from badacost.detector.image_sources import SourceError, is_video, source_images
    from badacost.detector.model_file import ModelError

    _limit_opencv_threads(arguments.threads)
    try:
        detector = _with_options(Detector.load(arguments.model), arguments)
        images = source_images(arguments.sources)
    except (ModelError, SourceError, ValueError) as error:
        print(f"detect: {error}", file=sys.stderr)
        return 2
    single = (
        len(arguments.sources) == 1
        and Path(arguments.sources[0]).is_file()
        and not is_video(arguments.sources[0])
    )
    draw_single = (
        single and arguments.output is None and arguments.draw is None and arguments.format == "text"
    )
    try:
        return _run(detector, images, arguments, Path() if draw_single else None)
    except (OSError, SourceError) as error:
        print(f"detect: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("detect: interrupted", file=sys.stderr)
        return 1


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="detect", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "sources", nargs="+", metavar="SOURCE",
        help="image file, folder (searched recursively), glob pattern, video file, camera number, or - for a list "
        "of files on standard input",
    )  # fmt: skip
    parser.add_argument(
        "--model", default="faces", help="shipped model's name or a model file; default: faces"
    )
    wanted = parser.add_argument_group("what is looked for")
    wanted.add_argument("--min-score", type=_number, help="least score to report; default: the model's own")
    wanted.add_argument("--nms-overlap", type=_share, help="overlap above which the weaker of two boxes goes")
    wanted.add_argument(
        "--min-size", type=_positive, metavar="PX",
        help="smallest height of an object; below the model's own size the picture is enlarged; default: that size",
    )  # fmt: skip
    wanted.add_argument(
        "--max-size", type=_positive, metavar="PX", help="largest height of an object; default: none"
    )
    wanted.add_argument(
        "--cascade-slack", type=_positive, metavar="X",
        help="multiplies the cascade's thresholds: 1 = as calibrated, larger = slower and more complete",
    )  # fmt: skip
    wanted.add_argument("--views", type=_names, metavar="A,B", help="report these views only")
    wanted.add_argument("--max-detections", type=_count, metavar="N", help="report the best N of an image")
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    output.add_argument(
        "--output", type=Path, metavar="FILE_OR_FOLDER",
        help="write there instead of to standard output; a folder for kitti",
    )  # fmt: skip
    output.add_argument(
        "--draw", type=Path, metavar="FOLDER", help="write each image with its detections drawn"
    )
    output.add_argument(
        "--save-crops", type=Path, metavar="FOLDER", help="write each detection's part of the image"
    )
    output.add_argument("--clip", action="store_true", help="cut boxes at the image's borders")
    output.add_argument("--class-agnostic", action="store_true", help="one category for all views, in coco")
    running = parser.add_argument_group("running")
    running.add_argument("--jobs", type=_count, default=1, help="images at a time; default: 1")
    running.add_argument(
        "--threads", type=_threads, default=0, help="threads of an image; 0 = all cores; default: 0"
    )
    running.add_argument("--quiet", action="store_true", help="no progress bar")
    running.add_argument(
        "--verbose", action="store_true", help="name the model and count images on standard error"
    )
    arguments = parser.parse_args(argv)
    if arguments.format == "kitti" and arguments.output is None:
        parser.error("--format kitti writes a file an image: give a folder with --output")
    if arguments.min_size and arguments.max_size and arguments.min_size > arguments.max_size:
        parser.error(
            f"--min-size must not exceed --max-size, found {arguments.min_size:g} > {arguments.max_size:g}"
        )
    return arguments


def _with_options(detector: Detector, arguments: argparse.Namespace) -> Detector:
    names = (
        "min_score",
        "nms_overlap",
        "min_size",
        "max_size",
        "cascade_slack",
        "views",
        "max_detections",
        "threads",
    )
    changes = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    return detector.with_options(**changes)


def _run(
    detector: Detector, images: list[Iterator[SourceImage]], arguments: argparse.Namespace, drawn: Path | None
) -> int:
    """Process all images and write what was asked for."""
    from itertools import chain

    from badacost.detector.result_writers import open_writer

    for folder in (arguments.draw, arguments.save_crops):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    writer = open_writer(
        arguments.format,
        arguments.output,
        model=detector.name,
        model_sha256=detector.sha256,
        view_names=detector.view_names,
        class_agnostic=arguments.class_agnostic,
    )
    done = failed = 0
    with writer:
        for result in _results(detector, chain.from_iterable(images), arguments, drawn):
            done += 1
            if result.error is not None:
                failed += 1
                print(f"detect: {result.error}", file=sys.stderr)
            writer.write(result)
    if arguments.verbose:
        print(
            f"detect: model {detector.name} ({detector.sha256}), {done} images, {failed} failed",
            file=sys.stderr,
        )
    return 1 if failed else 0


def _results(
    detector: Detector, images: Iterator[SourceImage], arguments: argparse.Namespace, drawn: Path | None
) -> Iterator[ImageResult]:
    """Yield the outcome of every image in order, with a progress bar if somebody watches."""
    from badacost.detector.image_result import ImageResult
    from badacost.detector.images import ImageError
    from badacost.features.threads import map_in_order

    def process(source: SourceImage) -> ImageResult:
        try:
            image = source.load()
        except ImageError as error:
            return ImageResult(source.name, None, str(error))
        detections = detector.detect(image)
        if arguments.clip:
            detections = detections.clipped()
        _write_pictures(source.name, image, detections, arguments, drawn)
        return ImageResult(source.name, detections)

    results = map_in_order(process, images, arguments.jobs)
    if (
        arguments.quiet
        or not sys.stderr.isatty()
        or not (arguments.output or arguments.draw or arguments.save_crops)
    ):
        return results
    from tqdm import tqdm

    return iter(tqdm(results, unit="image", file=sys.stderr))


def _write_pictures(name: str, image, detections, arguments: argparse.Namespace, drawn: Path | None) -> None:  # type: ignore[no-untyped-def]
    from badacost.detector.drawing import crop, draw_detections, write_image
    from badacost.detector.result_writers import flat_name

    if drawn is not None:
        write_image(drawn / f"{Path(name).stem}.detected.jpg", draw_detections(image, detections))
    if arguments.draw is not None:
        write_image(arguments.draw / f"{flat_name(name)}.jpg", draw_detections(image, detections))
    if arguments.save_crops is not None:
        for number, detection in enumerate(detections, 1):
            part = crop(image, detection.box)
            if part.size:
                write_image(arguments.save_crops / f"{flat_name(name)}_{number}_{detection.view}.jpg", part)


def _limit_opencv_threads(threads: int) -> None:
    import cv2

    cv2.setNumThreads(threads or cv2.getNumberOfCPUs())


def _number(text: str) -> float:
    value = float(text)
    if value != value:
        raise ValueError(text)
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


def _threads(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be 0 (all) or more, found {text}")
    return value


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


if __name__ == "__main__":
    sys.exit(main())
