"""The command evaluate_kitti: official numbers, files it writes, exit status for unusable input."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.detections import Detections
from badacost.detector.detector import Detector
from badacost.detector.images import ImageError
from badacost.scripts.evaluate_kitti import main


@pytest.fixture
def case(shared: Path, tmp_path: Path) -> Path:
    """A folder with `gt` and `det` of a reference case that has cars only."""
    with zipfile.ZipFile(shared / "reference" / "kitti" / "s10_car_only.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path


def folders(case: Path) -> list[str]:
    return ["--ground-truth", str(case / "gt"), "--detections", str(case / "det")]


@pytest.mark.parametrize("version", ["current", "pre2017"])
def test_writes_official_numbers(
    shared: Path, case: Path, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    outputs = ["--json", str(case / "r.json"), "--csv", str(case / "r.csv"), "--plot", str(case / "r.png")]
    assert main([*folders(case), "--version", version, *outputs]) == 0
    expected = json.loads((shared / "reference" / "kitti" / "expected.json").read_text())
    wanted = expected["s10_car_only"]["results"][version]["car"]
    found = json.loads((case / "r.json").read_text())
    assert found["version"] == version
    assert found["classes"]["pedestrian"] is None
    for level, curve in found["classes"]["car"].items():
        assert curve["ap11"] == pytest.approx(wanted[level]["AP11"], abs=1e-6)
        assert curve["aos40"] == pytest.approx(wanted[level]["AOS40"], abs=1e-6)
        assert curve["n_valid"] == wanted[level]["n_gt"]
    printed = capsys.readouterr()
    assert f"{wanted['easy']['AP11']:.2f}" in printed.out
    assert ("valid labels" in printed.err) == any(level["n_gt"] < 41 for level in wanted.values())
    assert (case / "r.csv").read_text().startswith("class,level,place,threshold")
    assert (case / "r.png").read_bytes().startswith(b"\x89PNG")


def test_malformed_line_stops_with_file_and_line(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = sorted((case / "det").glob("*.txt"))[0]
    path.write_text(path.read_text() + "Car 1 2 3\n")
    number = len(path.read_text().splitlines())
    assert main(folders(case)) == 2
    printed = capsys.readouterr()
    assert f"{path}:{number}: a KITTI result line has 16 fields, found 4" in printed.err
    assert printed.out == ""
    assert main([*folders(case), "--skip-bad"]) == 0
    assert f"skipped: {path}:{number}:" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["missing", "unknown"])
def test_missing_and_unknown_frames_stop(case: Path, capsys: pytest.CaptureFixture[str], change: str) -> None:
    if change == "missing":
        next((case / "det").glob("*.txt")).unlink()
    else:
        (case / "det" / "999999.txt").write_text("")
    assert main(folders(case)) == 2
    assert main([*folders(case), "--skip-bad"]) == 0
    assert "1 bad record was skipped" in capsys.readouterr().err


def test_split_limits_the_frames(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = sorted(path.stem for path in (case / "gt").glob("*.txt"))
    split = case / "val.txt"
    split.write_text("\n".join(names[::2]))
    assert main([*folders(case), "--split", str(split), "--json", str(case / "r.json")]) == 0
    assert json.loads((case / "r.json").read_text())["frames"] == len(names[::2])
    assert "only" not in capsys.readouterr().out
    split.write_text(f"{names[0]}\n999999\n")
    assert main([*folders(case), "--split", str(split)]) == 2
    assert "frame '999999' has no label file" in capsys.readouterr().err


def test_least_score(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = []
    kept = []
    for threshold in (-100.0, 0.5):
        assert main([*folders(case), "--min-score", str(threshold), "--json", str(case / "r.json")]) == 0
        tables.append(capsys.readouterr().out)
        curve = json.loads((case / "r.json").read_text())["classes"]["car"]["hard"]
        kept.append(min(curve["thresholds"]))
    assert tables[0] != tables[1]
    assert kept[0] < 0.5 <= kept[1]


def test_several_detectors_share_a_figure(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weak = case / "weak" / "data"
    weak.mkdir(parents=True)
    for path in (case / "det").glob("*.txt"):
        (weak / path.name).write_text("\n".join(path.read_text().splitlines()[:1]))
    assert main([*folders(case), "--compare", str(weak), "--plot", str(case / "both.pdf")]) == 0
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line in ("det", "weak")] == ["det", "weak"]
    assert (case / "both.pdf").stat().st_size > 0


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--plot", "curve.docx"], "cannot draw a figure in the format 'docx'"),
        (["--json", "no/such/folder/r.json"], "its folder does not exist"),
        (["--split", "no_such_split.txt"], "cannot be read"),
    ],
)
def test_unusable_outputs_and_inputs(
    case: Path, capsys: pytest.CaptureFixture[str], extra: list[str], message: str
) -> None:
    assert main([*folders(case), *extra]) == 2
    assert message in capsys.readouterr().err


class OneCarDetector:
    """Finds the same car in every image."""

    def with_options(self, *, threads: int) -> OneCarDetector:
        assert threads == 1
        return self

    def detect(self, path: Path) -> Detections:
        if path.stat().st_size == 0:
            raise ImageError(f"{path}: is empty")
        box = np.array([[10, 20, 90, 80]], dtype=np.float32)
        return Detections(box, np.ones(1, np.float32), np.zeros(1, np.int64), ("6",), (-90.0,))


def test_runs_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Detector, "load", lambda name: OneCarDetector())
    labels, images = tmp_path / "label_2", tmp_path / "image_2"
    labels.mkdir()
    images.mkdir()
    for frame in range(42):
        box = "10.00 20.00 90.00 80.00"
        (labels / f"{frame:06d}.txt").write_text(f"Car 0 0 -1.57 {box} 1.5 1.6 4.0 1.0 1.5 20.0 0.1")
        (images / f"{frame:06d}.png").write_bytes(b"an image")
    arguments = ["--ground-truth", str(labels), "--model", "cars", "--images", str(images), "--threads", "1"]
    assert main([*arguments, "--json", str(tmp_path / "r.json")]) == 0
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["classes"]["car"]["easy"]["ap40"] == pytest.approx(100)
    assert result["classes"]["car"]["easy"]["aos40"] == pytest.approx(100, abs=0.01)
    assert result["views"]["accuracy"] == 1

    (images / "000003.png").write_bytes(b"")
    (images / "000004.png").unlink()
    assert main(arguments) == 2
    assert main([*arguments, "--skip-bad"]) == 0
    printed = capsys.readouterr().err
    assert "image '000004' is not there" in printed
    assert "000003.png: is empty" in printed
    assert "2 bad records were skipped" in printed


def test_wrong_arguments(case: Path) -> None:
    for arguments in (
        [],
        ["--ground-truth", str(case / "gt")],
        [*folders(case), "--version", "2018"],
        [*folders(case), "--views", "1"],
    ):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2
    with pytest.raises(SystemExit):
        main(["--ground-truth", str(case / "gt"), "--model", "cars"])
    assert main(["--ground-truth", str(case / "gt"), "--detections", str(case / "nowhere")]) == 2
    assert main(["--ground-truth", str(case / "gt"), "--model", "nothing", "--images", str(case)]) == 2


def test_help_shows_an_example_without_heavy_imports() -> None:
    program = (
        "import sys\n"
        "from badacost.scripts.evaluate_kitti import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'matplotlib', 'scipy', 'cv2'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "example:" in done.stdout
    assert done.stdout.rstrip().endswith("[]")
