"""Write the results of a command in one of the formats, to a file or to standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from .formats import coco_results, csv_text, fddb_text, json_document, json_image, kitti_text, text_lines
from .image_result import ImageResult


class ResultWriter:
    """Receives results in order; the file appears under its name when the last one is written.

    Parameters
    ----------
    path : Path, optional
        None writes to standard output.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._temporary = None if path is None else path.with_name(f".{path.name}.{os.getpid()}.tmp")
        self._stream: TextIO = sys.stdout

    def __enter__(self) -> Self:
        if self._temporary is not None:
            self._temporary.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._temporary.open("w", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            if self._temporary is not None and self.path is not None:
                self._stream.close()
                if kind is None:
                    self._temporary.replace(self.path)
                else:
                    self._temporary.unlink(missing_ok=True)
            else:
                self._stream.flush()

    def emit(self, text: str) -> None:
        """Write text to the file or standard output."""
        self._stream.write(text)

    def write(self, result: ImageResult) -> None:
        """Take one image's result."""
        raise TypeError(f"{type(self).__name__} does not say how a result is written")

    def finish(self) -> None:
        """Write what can only be written at the end."""


class TextWriter(ResultWriter):
    """Lines for people."""

    def write(self, result: ImageResult) -> None:
        self.emit("".join(f"{line}\n" for line in text_lines(result)))


class JsonLinesWriter(ResultWriter):
    """A JSON object a line and image."""

    def write(self, result: ImageResult) -> None:
        self.emit(json.dumps(json_image(result)) + "\n")


class CsvWriter(ResultWriter):
    """A row a detection."""

    def __enter__(self) -> Self:
        super().__enter__()
        self.emit(csv_text([]))
        return self

    def write(self, result: ImageResult) -> None:
        self.emit(csv_text([result], header=False))


class FddbWriter(ResultWriter):
    """FDDB's detection list."""

    def write(self, result: ImageResult) -> None:
        if result.detections is not None:
            self.emit(fddb_text(result))


class JsonWriter(ResultWriter):
    """One JSON document."""

    def __init__(self, path: Path | None, model: str, model_sha256: str | None) -> None:
        super().__init__(path)
        self._model, self._sha256 = model, model_sha256
        self._results: list[ImageResult] = []

    def write(self, result: ImageResult) -> None:
        self._results.append(result)

    def finish(self) -> None:
        self.emit(json_document(self._results, model=self._model, model_sha256=self._sha256))


class CocoWriter(ResultWriter):
    """COCO's results array."""

    def __init__(self, path: Path | None, view_names: Sequence[str], class_agnostic: bool) -> None:
        super().__init__(path)
        self._view_names, self._class_agnostic = view_names, class_agnostic
        self._results: list[ImageResult] = []

    def write(self, result: ImageResult) -> None:
        self._results.append(result)

    def finish(self) -> None:
        rows = coco_results(self._results, self._view_names, class_agnostic=self._class_agnostic)
        self.emit(json.dumps(rows) + "\n")


class KittiWriter(ResultWriter):
    """A result file an image, in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(None)
        self._folder = folder

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self

    def write(self, result: ImageResult) -> None:
        if result.detections is None:
            return
        path = self._folder / f"{Path(result.file).stem}.txt"
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        temporary.write_text(kitti_text(result), encoding="utf-8")
        temporary.replace(path)


def open_writer(
    name: str,
    path: Path | None,
    *,
    model: str,
    model_sha256: str | None,
    view_names: Sequence[str],
    class_agnostic: bool,
) -> ResultWriter:
    """Return the writer of a format.

    Parameters
    ----------
    name : {"text", "json", "jsonl", "csv", "coco", "kitti", "fddb"}
    path : Path, optional
        File, or folder for "kitti"; None is standard output.
    model, model_sha256 : str
        Named in the JSON document.
    view_names : sequence of str
        Categories of COCO.
    class_agnostic : bool
        One category in COCO.

    Raises
    ------
    ValueError
        For an unknown format, or "kitti" without a folder.
    """
    simple = {"text": TextWriter, "jsonl": JsonLinesWriter, "csv": CsvWriter, "fddb": FddbWriter}
    if name in simple:
        return simple[name](path)
    if name == "json":
        return JsonWriter(path, model, model_sha256)
    if name == "coco":
        return CocoWriter(path, view_names, class_agnostic)
    if name == "kitti" and path is not None:
        return KittiWriter(path)
    raise ValueError(f"name of open_writer must be a format, and kitti needs a folder; found {name!r}")


def flat_name(name: str) -> str:
    """Return a file name for what belongs to a source image: its path with the separators replaced."""
    path = Path(name)
    parts = [part for part in path.with_suffix("").parts if part not in (path.anchor, "..")]
    number = name.rpartition("#")[2] if "#" in name else ""
    return "_".join(parts) + (f"_{number}" if number else "")
