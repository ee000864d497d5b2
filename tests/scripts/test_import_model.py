"""The command import_model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from badacost.detector.detector import Detector
from badacost.scripts.import_model import main


def test_binary_detector_becomes_a_model_with_the_view_named(shared: Path, tmp_path: Path) -> None:
    source = shared / "reference/acf/models/AcfInria.mat"
    output = tmp_path / "pedestrians.npz"
    assert main([str(source), "--output", str(output), "--views", "pedestrian", "--quiet"]) == 0
    detector = Detector.load(output)
    assert detector.name == "pedestrians"
    assert detector.view_names == ("pedestrian",)
    assert detector.provenance["imported_from"]["file"] == "AcfInria.mat"


def test_features_are_quantised_on_request(shared: Path, tmp_path: Path) -> None:
    source = shared / "reference/acf/models/AcfInria.mat"
    output = tmp_path / "pedestrians.npz"
    for options, dtype in (([], np.float32), (["--quantize"], np.uint8)):
        assert main([str(source), "--output", str(output), "--quiet", *options]) == 0
        assert Detector.load(output).cascade.threshold.dtype == dtype


def test_detectors_of_one_view_each_become_as_many_models(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = shared / "reference/acf/models/SubcatFaces.mat"
    assert main([str(source), "--output", str(tmp_path / "subcat.npz"), "--verbose"]) == 0
    paths = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert len(paths) == 5
    assert paths[0].name == "subcat_left_profile.npz"
    assert {Detector.load(path).view_names[0] for path in paths} == {
        path.stem.removeprefix("subcat_") for path in paths
    }


def test_unusable_input_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "model.npz"
    (tmp_path / "text.mat").write_text("no model")
    for name in ("text.mat", "missing.mat"):
        assert main([str(tmp_path / name), "--output", str(output)]) == 2
        assert f"badacost-import-model: {tmp_path / name}: " in capsys.readouterr().err
    assert not output.exists()
    with pytest.raises(SystemExit) as stop:
        main([str(tmp_path / "text.mat"), "--output", "model.txt"])
    assert stop.value.code == 2
