"""Results written one by one, to standard output, a file, or a file for each image."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from .atomic_write import make_writable_folder, open_atomic
from .formats import TextFormat
from .image_result import ImageResult

Write = Callable[[ImageResult], None]


@contextmanager
def open_results(text_format: TextFormat, output: Path | None) -> Iterator[Write]:
    """Yield a function that takes the results in order; the document is complete when the block ends.

    Parameters
    ----------
    text_format : TextFormat
    output : Path or None
        File that appears when the block ends; a folder gets a file ``detections``. None is standard output.
        With a format of a file per image it is the folder of these files; images that failed have none.
    """
    if text_format.file_per_image:
        if output is None:
            raise ValueError(
                "output of open_results must be a folder for a format of a file per image, found None"
            )
        make_writable_folder(output)
        yield lambda result: _write_file(text_format, output, result)
    elif output is None:
        yield from _written_to(sys.stdout, text_format)
    else:
        path = output / f"detections{text_format.suffix}" if output.is_dir() else output
        with open_atomic(path) as stream:
            yield from _written_to(stream, text_format)


def _written_to(stream: TextIO, text_format: TextFormat) -> Iterator[Write]:
    is_first = True

    def write(result: ImageResult) -> None:
        nonlocal is_first
        text = text_format.image(result)
        if text:
            stream.write(text if is_first else text_format.separator + text)
            stream.flush()  # whoever reads along sees each image at once
            is_first = False

    stream.write(text_format.head)
    yield write
    stream.write(text_format.tail)
    stream.flush()


def _write_file(text_format: TextFormat, folder: Path, result: ImageResult) -> None:
    if result.detections is not None:
        with open_atomic(folder / f"{result.output_name}{text_format.suffix}") as stream:
            stream.write(text_format.head + text_format.image(result) + text_format.tail)
