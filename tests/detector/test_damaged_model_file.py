"""Damaged and forged model files: each is a ModelError when it is loaded, none a crash or a hang later."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from badacost.detector.detector import Detector
from badacost.detector.model_archive import LARGEST_SIZE, archive_of_arrays
from badacost.detector.model_file import ModelError
from badacost.features.pyramid import PyramidOptions

from .square_detector import square_detector
from .test_model_file import changed, full_detector, with_header

HUGE = 1e308


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a detector with every optional part."""
    full_detector().save(tmp_path / "model.npz")
    return tmp_path / "model.npz"


def header_of(path: Path) -> dict[str, Any]:
    with np.load(path) as archive:
        header: dict[str, Any] = json.loads(archive["header"].tobytes())
    return header


def refused(path: Path, reason: str) -> None:
    with pytest.raises(ModelError, match=rf"model\.npz: .*{reason}"):
        Detector.load(path)


def test_flipped_bits_are_refused_or_without_effect(path: Path) -> None:
    content = path.read_bytes()
    expected = Detector.load(path)
    random = np.random.default_rng(0)
    n_refused = 0
    for place in random.integers(0, 8 * len(content), 600):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        try:
            found = Detector.load(path)
        except ModelError:
            n_refused += 1
        else:
            np.testing.assert_array_equal(found.cascade.feature, expected.cascade.feature)
            assert found.options == expected.options
    assert n_refused > 500


def test_random_bytes_and_other_archives_are_refused(path: Path) -> None:
    path.write_bytes(np.random.default_rng(0).bytes(5000))
    refused(path, "not a model file, expected an .npz archive")
    np.save(path.with_suffix(".npy"), np.zeros(3))
    path.write_bytes(path.with_suffix(".npy").read_bytes())
    refused(path, "not a model file, expected an .npz archive")


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("detection.cascade_slack", None, "must be a number in .*, found None"),
        ("detection.cascade_slack", 0, "must be positive, found 0"),
        ("detection.suppression.overlap", None, "must be a number in .*, found None"),
        ("detection.suppression.kind", 3, "must be one of 'maxg', 'max', found 3"),
        ("detection.suppression", 1, "must be an object, found 1"),
        ("detection.max_detections", HUGE, r"must be a whole number in .*, found 1e\+308"),
        ("detection.max_detections", 1.5, "must be a whole number in .*, found 1.5"),
        ("detection.views", "frontal", "must be a list, found 'frontal'"),
        ("detection.views", [7], r"detection.views\[0\] must be of type str, found 7"),
        ("detection.min_score", HUGE, "must be a number that float32 holds"),
        ("detection.min_size", "x" * 200, "must be a number in .*, found 'x+\\.\\.\\."),
        ("detection.min_size", 1e-9, r"must be a number in \[1, 1e\+06\], found 1e-09"),
        ("channels.shrink", HUGE, r"must be a whole number in \[1, 64\], found 1e\+308"),
        ("channels.orientations", HUGE, "must be a whole number in"),
        ("channels.normalization_radius", HUGE, "must be a whole number in"),
        ("channels.normalization_constant", 1e-300, "must be a number in"),
        ("channels.color_smooth", HUGE, "must be a number in"),
        ("channels.color_smooth", float("nan"), "must be a number in"),
        ("channels.bin_size", HUGE, "must be a whole number in"),
        ("channels.soft_bin", HUGE, "must be a whole number in"),
        ("channels.full_orientation", -1, "must be of type bool, found -1"),
        ("channels.full_orientation", "zz", "must be of type bool, found 'zz'"),
        ("channels.hog_clip", "0.2", "must be a number in .*, found '0.2'"),
        ("channels.shade", 1, r"must have no other fields than .*, found \['shade'\]"),
        ("pyramid.octaves_up", HUGE, "must be a number in"),
        ("pyramid.octaves_up", 7, r"must be a number in \[-16, 4\], found 7"),
        ("pyramid.per_octave", HUGE, "must be a whole number in"),
        ("pyramid.per_octave", True, "must be a whole number in"),
        ("pyramid.smooth", HUGE, "must be a number in"),
        ("pyramid.pad", [4], "must be a list of 2, found"),
        ("pyramid.multiple", 3, "must be a multiple of channels.shrink 2, found 3"),
        ("window.window_height", 10**30, "must be a whole number in"),
        ("window.window_height", 25, None),
        ("window.window_height", 40, "window_shape must be"),
        ("window_shape", [40, 6], "must be a list of 3"),
        ("window_shape", [20, 12, 6], r"window_shape must be \(40, 6, 6\)"),
        ("views", {}, "must be of type list"),
        ("views", [1, 2], r"views\[0\] must be an object, found 1"),
        ("name", None, "must be of type str, found None"),
        ("cascade", "cubic", "must be one of multi-class, binary, found 'cubic'"),
        ("cascade", [], "must be of type str"),
        ("provenance", 5, "must be of type dict, found 5"),
    ],
)
def test_header_fields_of_other_types_and_ranges(
    path: Path, field: str, value: Any, rule: str | None
) -> None:
    header = header_of(path)
    *parents, last = field.split(".")
    place = header
    for parent in parents:
        place = place[parent]
    place[last] = value
    with_header(path, **header)
    if rule is None:
        Detector.load(path)  # a remainder below a cell is cut off
    else:
        refused(path, f"the model is damaged: .*{rule}")


def test_missing_parts_are_named(path: Path) -> None:
    header = header_of(path)
    for field in ("views", "channels", "window_shape"):
        without = {name: value for name, value in header.items() if name != field}
        changed(path, header=np.frombuffer(json.dumps(without).encode(), np.uint8))
        refused(path, f"{field} is missing")
    with_header(path, **header)
    changed(path, quantization_scale=None)
    refused(path, "quantization_scale is missing")


def test_header_that_is_no_json(path: Path) -> None:
    for text in (b"{", b"\xff", b"[" * 100_000, b"[]", b'"badacost-detector"'):
        changed(path, header=np.frombuffer(text, np.uint8))
        refused(path, "header")


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("beta", lambda a: a[:-1], "beta of Cascade must have shape"),
        ("beta", lambda a: a * np.nan, "beta must hold numbers of at most"),
        ("beta", lambda a: a + 1e300, "beta must hold numbers of at most"),
        ("beta", lambda a: a.astype(np.float32), "beta must have 1 dimensions of float64, found float32"),
        ("rejection", lambda a: a * np.float32(np.nan), "rejection must hold numbers, found nan"),
        ("rejection", lambda a: a.astype(">f4"), "must be an array as numpy writes it"),
        ("feature", lambda a: a + 10**6, "feature of Cascade must lie in a window"),
        ("feature", lambda a: np.asfortranarray(a), "must be an array as numpy writes it"),
        (
            "threshold",
            lambda a: a.astype(np.float32),
            "threshold must be of the type of the quantized features",
        ),
        ("cost_matrix", lambda a: a[:1, :1], "Cascade must be below the number of classes|views of Detector"),
        ("filters", lambda a: a[:, :9], "filters must be for the 10 channels, found 9"),
        ("filters", lambda a: a[:3], r"window_shape must be \(30, 6, 6\)"),
        ("filters", lambda a: a[..., :4, :4], "with s odd"),
        ("quantization_scale", lambda a: a[1:], "vectors of one length"),
    ],
)
def test_arrays_that_do_not_fit(path: Path, name: str, change: Callable, reason: str) -> None:
    with np.load(path) as archive:
        array = change(archive[name])
    changed(path, **{name: array})
    refused(path, f"the model is damaged.*({reason})")


def rewritten(path: Path, name: str, content: bytes) -> None:
    """Replace, or add, a member of an archive."""
    with zipfile.ZipFile(path) as archive:
        members = {entry: archive.read(entry) for entry in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, kept in (members | {name: content}).items():
            archive.writestr(entry, kept)


def test_sizes_are_checked_before_memory_is_taken(path: Path) -> None:
    whole = path.read_bytes()
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)})
    rewritten(path, "beta.npy", head.getvalue())
    refused(path, "beta must have the size of its shape")
    path.write_bytes(whole)
    rewritten(path, "zeros.npy", b"\0" * 1000)
    refused(path, "members must be among header, .*, found 'zeros' 1 times")
    path.write_bytes(whole)
    rewritten(path, "header.npy", bytes(LARGEST_SIZE))
    refused(path, f"arrays must have at most {LARGEST_SIZE} bytes together")
    with path.open("wb") as stream:
        stream.truncate(LARGEST_SIZE + 1)
    refused(path, "not a model file: it has")


def test_members_given_twice_or_packed_otherwise(path: Path) -> None:
    whole = path.read_bytes()
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("beta.npy", archive.read("beta.npy"))
    refused(path, "each once, found 'beta' 2 times")
    path.write_bytes(whole)
    with zipfile.ZipFile(path) as archive:
        members = {entry: archive.read(entry) for entry in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        for entry, kept in members.items():
            archive.writestr(entry, kept)
    refused(path, "must be stored or deflated, found method 12")


def test_detector_that_could_not_be_loaded_is_not_written(tmp_path: Path) -> None:
    plain = square_detector()
    pipeline = replace(plain.pipeline, pyramid=PyramidOptions(octaves_up=40.0))
    with pytest.raises(ModelError, match=r"not written, since it could not be loaded .*pyramid\.octaves_up"):
        replace(plain, pipeline=pipeline).save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


def test_archive_is_what_numpy_reads() -> None:
    arrays = {"beta": np.arange(3.0), "feature": np.zeros((0, 3), np.int32)}
    with np.load(io.BytesIO(archive_of_arrays(arrays))) as archive:
        for name, array in arrays.items():
            np.testing.assert_array_equal(archive[name], array)
