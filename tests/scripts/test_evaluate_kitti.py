"""The command evaluate_kitti: official numbers, files it writes, exit status for unusable input."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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


def test_wrong_arguments(case: Path) -> None:
    for arguments in ([], ["--ground-truth", str(case / "gt")], [*folders(case), "--version", "2018"]):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2
    assert main(["--ground-truth", str(case / "gt"), "--detections", str(case / "nowhere")]) == 2


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
