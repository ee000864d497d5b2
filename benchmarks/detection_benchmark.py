"""Whole detections of faces in a 640x480 photograph, against dlib's HOG detector and OpenCV's Haar cascade.

python -m benchmarks.detection_benchmark [--repetitions 20] [--image FILE] [--toolbox-model FILE.mat]

Peers take part where they are installed: dlib (``pip install badacost[bench]``), and OpenCV's cascade with OpenCV 4,
since OpenCV 5 has none (``pip install "opencv-python<5"`` in an environment of its own). All look for faces of the same
smallest size. Processor time of one thread; only the last table, of threads, is wall time. Freed memory is kept for all
of them, as `badacost-detect` does.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import cv2
import numpy as np
from numpy.typing import NDArray

from badacost.detector.detector import Detector
from badacost.features.threads import available_threads
from badacost.scripts.freed_memory import keep_freed_memory
from benchmarks.harness import Timing, format_table, measure

DLIB_SIZE = 80  # pixels; the smallest face of dlib's detector without upsampling
HAAR_SIZE = 40


def against_dlib(image: NDArray[np.uint8], *, repetitions: int) -> list[Timing]:
    """Time the shipped model and dlib's HOG detector, faces from 80 pixels; ratios are to the latter."""
    detector = Detector.load("faces").with_options(min_size=DLIB_SIZE, threads=1)
    variants: dict[str, Callable[[], object]] = {"shipped faces": lambda: detector.detect(image)}
    if find_spec("dlib"):
        import dlib

        peer = dlib.get_frontal_face_detector()
        variants = {"dlib HOG, no upsampling": lambda: peer(image, 0)} | variants
    return measure(variants, repetitions=repetitions)


def against_haar(image: NDArray[np.uint8], *, repetitions: int) -> list[Timing]:
    """Time the shipped model and OpenCV's frontal cascade, faces from 40 pixels; ratios are to the latter."""
    detector = Detector.load("faces").with_options(min_size=HAAR_SIZE, threads=1)
    variants: dict[str, Callable[[], object]] = {"shipped faces": lambda: detector.detect(image)}
    if hasattr(cv2, "CascadeClassifier"):
        peer = cv2.CascadeClassifier(cv2.data.haarcascades + "haarcascade_frontalface_default.xml")
        size = (HAAR_SIZE, HAAR_SIZE)

        def run() -> object:
            gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
            return peer.detectMultiScale(gray, scaleFactor=1.1, minNeighbors=3, minSize=size)

        variants = {"OpenCV Haar frontal, scale factor 1.1": run} | variants
    return measure(variants, repetitions=repetitions)


def toolbox_model(image: NDArray[np.uint8], path: str, *, repetitions: int) -> list[Timing]:
    """Time a detector of the original toolbox; several in one file take part one by one."""
    from badacost.detector.toolbox_import import import_toolbox_detectors

    variants: dict[str, Callable[[], object]] = {}
    for index, detector in enumerate(import_toolbox_detectors(path)):
        one_thread = detector.with_options(threads=1)
        variants[f"{detector.name} {index}"] = lambda one_thread=one_thread: one_thread.detect(image)
    return measure(variants, repetitions=repetitions)


def thread_scaling(image: NDArray[np.uint8], *, repetitions: int) -> list[Timing]:
    """Wall time of the shipped model with one, two and all threads, interleaved; ratios are to one thread."""
    counts = sorted({1, 2, available_threads()})
    detectors = {
        f"shipped faces, {count} threads": Detector.load("faces").with_options(threads=count)
        for count in counts
    }
    seconds: dict[str, list[float]] = {name: [] for name in detectors}
    for detector in detectors.values():
        detector.detect(image)
    for _ in range(repetitions):
        for name, detector in detectors.items():
            start = time.perf_counter()
            detector.detect(image)
            seconds[name].append(time.perf_counter() - start)
    medians = {name: 1e3 * float(np.median(values)) for name, values in seconds.items()}
    reference = next(iter(medians.values()))
    return [
        Timing(name, medians[name], 1e3 * float(np.quantile(values, 0.1)), medians[name] / reference)
        for name, values in seconds.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=20, help="rounds, every variant once in each")
    parser.add_argument("--image", help="file to use instead of the photograph that scikit-image ships")
    parser.add_argument("--size", default="640x480", help="WIDTHxHEIGHT to which the image is resized")
    parser.add_argument(
        "--toolbox-model", metavar="FILE.mat", help="time a detector of the original toolbox too"
    )
    arguments = parser.parse_args(argv)
    width, height = (int(side) for side in arguments.size.split("x"))
    if arguments.image:
        image = cv2.cvtColor(cv2.imread(arguments.image), cv2.COLOR_BGR2RGB)
    else:
        from skimage.data import astronaut

        image = astronaut()
    image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    cv2.setNumThreads(1)
    keep_freed_memory()
    repetitions = arguments.repetitions
    tables = {
        f"Faces from {DLIB_SIZE} pixels, {width}x{height}": against_dlib(image, repetitions=repetitions),
        f"Faces from {HAAR_SIZE} pixels, {width}x{height}": against_haar(image, repetitions=repetitions),
    }
    if arguments.toolbox_model:
        timings = toolbox_model(image, arguments.toolbox_model, repetitions=repetitions)
        tables[f"Toolbox detector, {width}x{height}"] = timings
    timings = thread_scaling(image, repetitions=repetitions)
    tables[f"Threads, wall time, faces from the model's own size, {width}x{height}"] = timings
    print("\n\n".join(format_table(title, rows) for title, rows in tables.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
