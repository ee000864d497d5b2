"""Describe a model: its card, where it looks, how its cascade works and how fast it is."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from badacost.scripts.command_name import command_name
from badacost.scripts.standard_error import package_notes, reason_of, silent_libraries

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DESCRIPTION = """\
Describe a model: classes, sizes, trees, options and provenance; the cells of the window that its trees look at, by
channel. Further on demand: how many look at each cell, a figure of these maps and of the cascade, and the time of each
stage of a detection.

examples:
  badacost-inspect-model faces
  badacost-inspect-model model.npz --plot model.png --image photo.jpg
  badacost-inspect-model faces --speed photo.jpg --threads 1
  badacost-inspect-model --environment
"""
PACKAGES = (
    "badacost", "numpy", "numba", "llvmlite", "opencv-python", "opencv-python-headless", "scikit-image", "scipy",
    "matplotlib", "scikit-learn", "imbalanced-learn", "joblib", "tqdm", "pycocotools",
)  # fmt: skip
N_TRACES = 20


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for wrong arguments or unusable input, 130 if interrupted."""
    arguments = _parse(argv)
    command = command_name("inspect_model")
    bad_input: tuple[type[Exception], ...] = ()
    if arguments.model is not None:
        from badacost.detector.images import ImageError
        from badacost.detector.model_file import ModelError

        bad_input = (ModelError, ImageError)
    try:
        with silent_libraries(), package_notes(logging.ERROR if arguments.quiet else logging.INFO):
            if arguments.environment:
                print(_environment())
            if arguments.model is not None:
                _inspect(arguments)
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except bad_input as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{command}: {reason_of(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        return 130
    return 0


def _inspect(arguments: argparse.Namespace) -> None:
    from badacost.detector.atomic_write import make_writable_folder
    from badacost.detector.detector import Detector
    from badacost.detector.images import read_image
    from badacost.detector.model_card import feature_maps, model_card

    if arguments.plot is not None:
        make_writable_folder(arguments.plot.parent)
    detector = Detector.load(arguments.model).with_options(threads=arguments.threads)
    images = {path: read_image(path) for path in (arguments.image, arguments.speed) if path is not None}
    print(model_card(detector), end="")
    maps = feature_maps(detector)
    n_nodes = sum(int(counts.sum()) for counts in maps.values())
    print("feature maps (split nodes that look at each channel; the cell of the window that most look at):")
    for name, counts in maps.items():
        print(f"  {name}: {counts.sum()}{'' if arguments.quiet else _where(counts, n_nodes)}")
        if arguments.feature_maps:
            for row in counts:
                print("    " + " ".join(f"{count:4}" for count in row))
    if arguments.plot is not None:
        from badacost.detector.model_figure import plot_model
        from badacost.detector.window_traces import best_window_traces

        traces = None
        if arguments.image is not None:
            traces = best_window_traces(detector, images[arguments.image], N_TRACES)
        plot_model(detector, arguments.plot, traces=traces)
        print(f"drawn to {arguments.plot}", file=sys.stderr)
    if arguments.speed is not None:
        from badacost.detector.stage_times import stage_times

        height, width, _ = images[arguments.speed].shape
        print(f"time of a detection, {width}x{height} pixels, milliseconds (median, fastest):")
        for time in stage_times(detector, images[arguments.speed], repetitions=arguments.repetitions):
            print(f"  {time.stage:26}{time.median_ms:9.1f}{time.fastest_ms:9.1f}")


def _where(counts: NDArray[np.int64], n_nodes: int) -> str:
    """Share of all nodes, and the cell that most of a channel's look at, counted from 1 at the top left."""
    if not counts.any():
        return ""
    row, column = divmod(int(counts.argmax()), counts.shape[1])
    share = 100 * counts.sum() / n_nodes
    return f", {share:.1f} % of all, most ({counts.max()}) in row {row + 1}, column {column + 1}"


def _environment() -> str:
    """Versions for a bug report."""
    import os
    import platform
    from importlib.metadata import PackageNotFoundError, version

    lines = [
        f"python {platform.python_version()} ({platform.python_implementation()})",
        f"platform {platform.platform()}, {os.cpu_count()} cores",
    ]
    for package in PACKAGES:
        try:
            lines.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            lines.append(f"{package} not installed")
    return "\n".join(lines)


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=command_name("inspect_model"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("model", nargs="?", metavar="MODEL", help="shipped model's name or a model file")
    add("--plot", type=_figure, metavar="FILE", help="draw the feature maps and the cascade's thresholds")
    add("--image", type=Path, help="with --plot: draw the traces of this image's best windows too")
    add(
        "--feature-maps",
        action="store_true",
        help="print how many nodes look at each cell, channel by channel",
    )
    add("--speed", type=Path, metavar="IMAGE", help="time each stage of a detection in this image")
    add("--repetitions", type=_count, default=5, metavar="N", help="of --speed; default: 5")
    add("--threads", type=_count_or_all, default=1, metavar="N", help="0 = all cores; default: 1")
    add("--environment", action="store_true", help="print versions for a bug report")
    add("--quiet", action="store_true", help="of the feature maps only how many nodes look at each channel")
    arguments = parser.parse_args(argv)
    if arguments.quiet and arguments.feature_maps:
        parser.error("--feature-maps is what --quiet leaves out")
    if arguments.model is None and not arguments.environment:
        parser.error("name a MODEL, or give --environment")
    if arguments.model is None and (
        arguments.plot or arguments.speed or arguments.image or arguments.feature_maps
    ):
        parser.error("--plot, --image, --speed and --feature-maps need a MODEL")
    if arguments.image is not None and arguments.plot is None:
        parser.error("--image needs --plot")
    return arguments


def _figure(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in (".png", ".pdf", ".svg", ".jpg"):
        raise argparse.ArgumentTypeError(f"must end with .png, .pdf, .svg or .jpg, found {text}")
    return path


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


_count.__name__ = _count_or_all.__name__ = "whole number"


if __name__ == "__main__":
    sys.exit(main())
