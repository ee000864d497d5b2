"""The container of a model: known arrays of known types, of a bounded size together, and nothing else."""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGEST_SIZE = 1 << 28  # bytes; models that detectors are made of need some hundred thousand
LARGEST_NUMBER = 1e9  # of what is added up; sums of all trees then stay within float32
_FLOAT32, _FLOAT64, _UINT8 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint8)


class _Kind(NamedTuple):
    """Which arrays may stand under a name."""

    types: tuple[np.dtype, ...]
    n_dimensions: int
    may_be_infinite: bool = False


ARRAYS: Mapping[str, _Kind] = {
    "header": _Kind((_UINT8,), 1),
    "feature": _Kind((np.dtype(np.int32),), 2),
    "threshold": _Kind((_UINT8, _FLOAT32), 2, may_be_infinite=True),
    "rejection": _Kind((_FLOAT32,), 1, may_be_infinite=True),
    "leaf_label": _Kind((_UINT8,), 2),
    "leaf_value": _Kind((_FLOAT32,), 2),
    "beta": _Kind((_FLOAT64,), 1),
    "cost_matrix": _Kind((_FLOAT64,), 2),
    "filters": _Kind((_FLOAT32,), 4),
    "quantization_offset": _Kind((_FLOAT32,), 1),
    "quantization_scale": _Kind((_FLOAT32,), 1),
}
# Format 1.0 of numpy: magic, length of the description, which ends at a newline; then the numbers.
_NPY_HEAD = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype>[<|][fiu][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<shape>[0-9, ]*)\), \} *\n",
    re.DOTALL,
)
# What the standard library raises at an archive that is no more what it was.
_SIGNS_OF_DAMAGE = (
    *(ValueError, OSError, EOFError, LookupError, RuntimeError, OverflowError),
    *(zipfile.BadZipFile, zlib.error, struct.error),
)


def archive_of_arrays(arrays: Mapping[str, NDArray]) -> bytes:
    """Return an ``.npz`` whose bytes depend on the arrays alone (`numpy.savez` writes the time of day)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content.getvalue())
    return buffer.getvalue()


def arrays_of_archive(content: bytes) -> dict[str, NDArray]:
    """Read the arrays of a model's archive.

    Sizes are checked before anything is unpacked, so that a file cannot claim more memory than its content takes.

    Parameters
    ----------
    content : bytes
        Of the whole file.

    Raises
    ------
    ValueError
        With the reason: no archive, damaged, members of other names, types or sizes, numbers that are none.
    """
    if not zipfile.is_zipfile(io.BytesIO(content)):
        is_cut = content.startswith(b"PK")
        raise ValueError("the model is truncated" if is_cut else "not a model file, expected an .npz archive")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _arrays(archive)
    except _SIGNS_OF_DAMAGE as error:
        raise ValueError(f"the model is damaged ({error})") from error


def _arrays(archive: zipfile.ZipFile) -> dict[str, NDArray]:
    entries = archive.infolist()
    names = [entry.filename.removesuffix(".npy") for entry in entries]
    if "header" not in names:
        raise ValueError("no header; expected a file written by Detector.save")
    for name in names:
        if name not in ARRAYS or names.count(name) > 1:
            raise ValueError(
                f"members must be among {', '.join(ARRAYS)}, each once, found {name[:80]!r} {names.count(name)} times"
            )
    size = sum(entry.file_size for entry in entries)
    if size > LARGEST_SIZE:
        raise ValueError(f"arrays must have at most {LARGEST_SIZE} bytes together, found {size}")
    return {name: _array(archive, entry, name) for name, entry in zip(names, entries, strict=True)}


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> NDArray:
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} must be stored or deflated, found method {entry.compress_type} of zip")
    content = archive.read(entry)
    head = _NPY_HEAD.match(content)
    if head is None:
        raise ValueError(f"{name} must be an array as numpy writes it, found {content[:20]!r}")
    dtype = np.dtype(head["dtype"].decode())
    shape = tuple(int(side) for side in head["shape"].split(b",") if side.strip())
    kind = ARRAYS[name]
    if dtype not in kind.types or len(shape) != kind.n_dimensions:
        expected = " or ".join(str(allowed) for allowed in kind.types)
        raise ValueError(
            f"{name} must have {kind.n_dimensions} dimensions of {expected}, found {dtype}, shape {shape}"
        )
    numbers = memoryview(content)[head.end() :]
    if math.prod(shape) * dtype.itemsize != len(numbers):
        raise ValueError(
            f"{name} must have the size of its shape {shape}, found {len(numbers)} bytes of {dtype}"
        )
    array = np.frombuffer(numbers, dtype).reshape(shape)
    if dtype.kind == "f":
        _check_numbers(name, array, kind)
    return array


def _check_numbers(name: str, array: NDArray, kind: _Kind) -> None:
    if kind.may_be_infinite:
        if np.isnan(array).any():
            raise ValueError(f"{name} must hold numbers, found nan")
    elif not np.all(np.abs(array) <= LARGEST_NUMBER):
        raise ValueError(f"{name} must hold numbers of at most {LARGEST_NUMBER:g}, found others")
