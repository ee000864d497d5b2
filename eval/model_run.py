"""Running a detector over the images of a benchmark, with a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .input_records import BadRecords

if TYPE_CHECKING:
    from ..detector.detections import Detections
    from ..detector.detector import Detector


def detect_in_files(
    detector: Detector, files: Mapping[str, Path], bad_records: BadRecords, *, quiet: bool = False
) -> Iterator[tuple[str, Detections | None]]:
    """Yield each image's name and its detections, in order.

    Parameters
    ----------
    detector : Detector
    files : mapping of image name to Path
    bad_records : BadRecords
        Receives images that cannot be read; their detections are None.
    quiet : bool
        No progress bar; there is none either where stderr is no terminal.
    """
    from tqdm import tqdm

    from ..detector.images import ImageError

    hidden = quiet or not sys.stderr.isatty()
    for name, path in tqdm(files.items(), desc="detecting", unit="image", disable=hidden):
        try:
            found: Detections | None = detector.detect(path)
        except ImageError as error:
            bad_records.add(path, None, str(error))
            found = None
        yield name, found
