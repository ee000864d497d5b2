"""The model file: what is saved is loaded, and what is no model is refused with a reason."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from badacost.detector.detector import Detector
from badacost.detector.feature_levels import Quantization
from badacost.detector.model_file import ModelError, shipped_models
from badacost.features.decorrelation import DecorrelationFilters

from .random_cascade import random_cascade
from .square_detector import picture, square_detector


def full_detector() -> Detector:
    """A detector with every optional part."""
    plain = square_detector()
    random = np.random.default_rng(0)
    pipeline = replace(
        plain.pipeline,
        filters=DecorrelationFilters(random.random((4, 10, 5, 5)).astype(np.float32)),
        quantization=Quantization(random.random(40).astype(np.float32), np.ones(40, np.float32)),
    )
    cascade = random_cascade(depth=2, n_trees=50, n_classes=3, window_shape=(40, 6, 6))
    return replace(plain, pipeline=pipeline, cascade=cascade, provenance={"seed": 3})


def test_saved_detector_finds_the_same_when_loaded(tmp_path: Path) -> None:
    detector = square_detector()
    image = picture((20, 30, (230, 60, 60)))
    detector.save(tmp_path / "model.npz")
    loaded = Detector.load(tmp_path / "model.npz")
    expected, found = detector.detect(image), loaded.detect(image)
    assert len(expected) == 1
    np.testing.assert_array_equal(expected.boxes, found.boxes)
    assert expected.views.tolist() == found.views.tolist()


def test_every_part_survives_the_round_trip(tmp_path: Path) -> None:
    detector = full_detector()
    detector.save(tmp_path / "model.npz")
    loaded = Detector.load(tmp_path / "model.npz")
    for name in ("name", "window", "views", "options", "provenance"):
        assert getattr(loaded, name) == getattr(detector, name)
    assert loaded.pipeline.channels == detector.pipeline.channels
    assert loaded.pipeline.pyramid == detector.pipeline.pyramid
    np.testing.assert_array_equal(loaded.pipeline.filters.filters, detector.pipeline.filters.filters)  # type: ignore[union-attr]
    np.testing.assert_array_equal(loaded.cascade.beta, detector.cascade.beta)
    assert loaded.sha256 is not None


def test_same_detector_gives_the_same_bytes(tmp_path: Path) -> None:
    full_detector().save(tmp_path / "one.npz")
    full_detector().save(tmp_path / "other.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.npz", "other.npz"]


def changed(path: Path, **arrays: NDArray | None) -> None:
    """Rewrite a model file with other arrays; None leaves one out."""
    with np.load(path) as archive:
        kept = {name: archive[name] for name in archive.files} | arrays
    np.savez(path, **{name: array for name, array in kept.items() if array is not None})


def with_header(path: Path, **changes: object) -> None:
    """Rewrite a model file with other header fields."""
    with np.load(path) as archive:
        header = json.loads(archive["header"].tobytes()) | changes
    changed(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8))


def test_unknown_version_and_foreign_format_are_named(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    square_detector().save(path)
    with_header(path, version=99)
    with pytest.raises(ModelError, match=r"model\.npz: model format version 99 .* expected 1"):
        Detector.load(path)
    with_header(path, format="other")
    with pytest.raises(ModelError, match="expected a header with format 'badacost-detector'"):
        Detector.load(path)


def test_truncated_foreign_and_missing_files_are_refused(tmp_path: Path) -> None:
    whole = tmp_path / "whole.npz"
    square_detector().save(whole)
    content = whole.read_bytes()
    for size in (0, 10, len(content) // 2, len(content) - 1):
        (tmp_path / "cut.npz").write_bytes(content[:size])
        with pytest.raises(ModelError, match=r"cut\.npz"):
            Detector.load(tmp_path / "cut.npz")
    (tmp_path / "text.npz").write_text("no model")
    with pytest.raises(ModelError, match=r"text\.npz: not a model file, expected an \.npz archive$"):
        Detector.load(tmp_path / "text.npz")
    with zipfile.ZipFile(tmp_path / "zip.npz", "w") as archive:
        buffer = io.BytesIO()
        np.save(buffer, np.zeros(3))
        archive.writestr("weights.npy", buffer.getvalue())
    with pytest.raises(ModelError, match="no header; expected"):
        Detector.load(tmp_path / "zip.npz")
    with pytest.raises(ModelError, match=r"neither a file nor a shipped model; shipped: .*faces"):
        Detector.load("no_such_model")


@pytest.mark.parametrize("name", sorted(shipped_models()))
def test_shipped_model_loads_and_has_a_card_with_its_checksum(name: str) -> None:
    detector = Detector.load(name)
    card = shipped_models()[name].with_suffix(".md").read_text()
    assert detector.name == name
    assert str(detector.sha256) in card
