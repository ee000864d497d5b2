"""Unusable input of train_detector: named with file and line, exit status 2, and no run begun.

A traceback would end these tests as an exception.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from badacost.scripts.train_detector import main

from ..training.synthetic_objects import VIEWS, write_dataset

COMMAND = "badacost-train-detector"
HEADER = "image,x,y,w,h,view"
ONE_TREE = ("--set", "boosting.rounds=[1]")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad_input") / "objects"
    write_dataset(folder, n_images=4, n_negatives=1)
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which holds a small data set: train.csv, images, negatives, tiny.toml."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def train(*others: str) -> int:
    """Run the command on the current folder; later options replace earlier ones."""
    return main(
        [
            "--dataset", "csv", "--data", ".", "--negatives", "negatives", "--views", ",".join(VIEWS),
            "--config", "tiny.toml", "--output", "run", "--jobs", "1", "--threads", "1", "--quiet", *others,
        ]
    )  # fmt: skip


def refused(capsys: pytest.CaptureFixture[str], *others: str) -> str:
    """What the command says to input that it refuses; without a model, or a run in the way of the next try."""
    assert train(*others) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"{COMMAND}: ")
    assert printed.err.count("\n") == 1
    assert not list(Path("run").glob("[nr]*_*.np[yz]"))
    assert not Path("run/model.npz").exists()
    return printed.err.removeprefix(f"{COMMAND}: ")


# The csv file

BAD_ROWS = {
    "images/00.png,97,10,8,8,left": "x=97 y=10 w=8 h=8 lies wholly outside images/00.png, which has 96x96 pixels",
    "images/00.png,10,10,0,8,left": "w and h are 0 and 8, expected positive numbers",
    "images/00.png,nan,10,8,8,left": "x is 'nan', expected a finite number",
    "images/00.png,10,10,8,,left": "h is '', expected a finite number",
    "images/01.png,10,10,8,8,rear": "view is 'rear', expected left, frontal, right or ignore",
    "images/01.png,10,10,8": "the row has another number of fields than the header",
    ",10,10,8,8,left": "image is empty, expected the name of an image file",
    "images/99.png,10,10,8,8,left": "images/99.png: cannot be read (No such file or directory)",
}


@pytest.fixture
def with_bad_rows(folder: Path) -> Callable[..., int]:
    """Adds rows to train.csv and returns the line of the first one."""

    def add(*rows: str) -> int:
        text = Path("train.csv").read_text().replace(",note", "").replace(",\n", "\n")
        Path("train.csv").write_text(text + "".join(f"{row}\n" for row in rows))
        return text.count("\n") + 1

    return add


@pytest.mark.parametrize("row", BAD_ROWS)
def test_a_bad_row_is_named_with_its_line(
    row: str, with_bad_rows: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    line = with_bad_rows(row)
    message = refused(capsys)
    assert message.startswith(f"train.csv:{line}: ")
    assert BAD_ROWS[row] in message


def test_bad_rows_are_counted_and_skipped_only_where_allowed(
    with_bad_rows: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    line = with_bad_rows(*BAD_ROWS)
    message = refused(capsys, *ONE_TREE)
    assert message.startswith(f"train.csv:{line}: ")
    assert message.endswith(f"(and {len(BAD_ROWS) - 1} more bad rows)\n")
    assert train("--skip-bad", *ONE_TREE) == 0
    printed = capsys.readouterr()
    *reported, count = printed.err.splitlines()
    assert count == f"{len(BAD_ROWS)} records skipped"
    for number, (told, reason) in enumerate(zip(reported, BAD_ROWS.values(), strict=True), start=line):
        assert told.startswith(f"skipped: train.csv:{number}: ")
        assert reason in told
    assert Path("run/model.npz").is_file()


@pytest.mark.parametrize("column", HEADER.split(","))
def test_a_missing_column_is_named(column: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("train.csv")
    path.write_text(path.read_text().replace(f"{column},", "other,", 1))
    for flags in ([], ["--skip-bad"]):
        assert refused(capsys, *flags).startswith(f"train.csv:1: column {column!r} is missing, found ")


def test_csv_files_that_are_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "images/train.csv: cannot be read (No such file" in refused(capsys, "--data", "images")
    assert "nowhere: cannot be read (No such file" in refused(capsys, "--data", "nowhere")
    assert "column 'image' is missing" in refused(capsys, "--data", "tiny.toml")
    assert "images/00.png: not a CSV file in UTF-8" in refused(capsys, "--data", "images/00.png")
    Path("train.csv").write_text(f"{HEADER}\n")
    assert "train.csv: no usable row found" in refused(capsys)
    Path("train.csv").write_text("")
    assert "train.csv:1: column 'image' is missing, found none" in refused(capsys)


def test_nothing_but_ignored_objects(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.csv").write_text(f"{HEADER}\nimages/00.png,10,10,8,8,ignore\n")
    for flags in ([], ["--views", "single"]):
        message = refused(capsys, *flags)
        assert (
            message == ".: holds no object with a view in the 1 images to train on, expected at least one\n"
        )


def test_one_name_of_a_view_is_as_strict_as_several(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for names in ("frontal", "frontal,left"):
        message = refused(capsys, "--views", names)
        assert message.startswith("train.csv:")
        assert f"expected {names.replace(',', ', ')} or ignore" in message
    rows = [f"images/0{number}.png,30,30,16,16,frontal" for number in range(4)]
    Path("train.csv").write_text("\n".join([HEADER, *rows]).replace(",view", ",kind"))
    assert "train.csv:1: column 'view' is missing" in refused(capsys, "--views", "frontal")
    Path("train.csv").write_text("\n".join([HEADER, *rows]))
    assert train("--views", "frontal", *ONE_TREE) == 0


# Images


@pytest.mark.parametrize("name", ["images/02.png", "negatives/0.png"])
def test_damaged_images_are_found_before_the_training(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_bytes(Path(name).read_bytes()[:1000])
    shutil.copy(name, "negatives/other.png")
    message = refused(capsys)
    assert message.startswith(f"{name}: the image is truncated (its end marker is missing) (nor 1 others)")
    assert message.endswith("--skip-bad leaves such images out\n")
    assert train("--skip-bad", *ONE_TREE) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"skipped: {name}: the image is truncated (its end marker is missing)",
        "skipped: negatives/other.png: the image is truncated (its end marker is missing)",
        "2 images skipped",
    ]


def test_negatives_that_are_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    Path("texts").mkdir()
    Path("texts/a.txt").write_text("dear diary")
    for name in ("empty", "texts"):
        message = refused(capsys, "--negatives", name)
        assert message == f"{name}: no image found, expected photographs without objects\n"
    assert "nowhere: no such folder of negatives" in refused(capsys, "--negatives", "nowhere")
    message = refused(capsys, "--negatives", "images")
    assert message == "images/00.png: is among the negatives, but the data set has objects in it\n"


def test_splits_that_fit_no_image(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "list.txt: cannot be read (No such file" in refused(capsys, "--split", "list.txt")
    Path("list.txt").write_text("00\n44\n")
    assert "list.txt: the data set has no image '44'" in refused(capsys, "--split", "list.txt")


# Options


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("sede=3", "option 'sede' is unknown, expected one of "),
        ("boosting.tree.depth=3", "option 'boosting.tree.depth' is unknown, expected one of max_depth, "),
        ("seed=1.5", "seed is 1.5, expected a whole number"),
        ("mirror=yes", "mirror is 'yes', expected true or false"),
        ("boosting.rounds=64", "boosting.rounds is 64, expected a list, each a whole number"),
        ("costs.kind=dogs", "costs.kind is 'dogs', expected 'faces' or 'ring'"),
        ("boosting=3", "boosting is 3, expected a table"),
        ("seed", "has no '=', expected key=value"),
        ("boosting.rounds=[1,", "not TOML"),
        ("calibration.lost=1.0", "calibration.lost must be in [0, 1), found 1.0"),
        ("costs.missed=-1", "costs.missed must be positive, found -1.0"),
        ("window.object_height=30", "window.object_height must be at least 1 and at most"),
        ("pyramid.pad=[3, 3]", "pyramid.pad must be a multiple of the cells' 2 pixels"),
    ],
)
def test_settings_that_cannot_be(
    setting: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, "--set", setting)
    assert f"setting {setting!r}" in told
    assert message in told


def test_configurations_that_cannot_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content, message in (
        ("seed = = 1\n", "mine.toml: not TOML (Invalid value (at line 1, column 8))"),
        (
            "[boosting]\nround = [3]\n",
            "mine.toml: option 'boosting.round' is unknown, expected one of rounds",
        ),
        ("[costs]\nmissed = 'much'\n", "mine.toml: costs.missed is 'much', expected a number"),
        ("[jitter]\nshift = 1.5\n", "mine.toml: jitter.shift must be in [0, 1), found 1.5"),
    ):
        Path("mine.toml").write_text(content)
        assert refused(capsys, "--config", "mine.toml").startswith(message)
    message = refused(capsys, "--config", "none.toml")
    assert message == "none.toml: cannot be read (No such file or directory)\n"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--threads", "-1"], "--threads must be 0 (all cores) or more, found -1"),
        (["--jobs", "0"], "--jobs must be positive, or -1 for all cores, found 0"),
        (["--jobs", "-7"], "--jobs must be positive, or -1 for all cores, found -7"),
        (["--scheduler", "tcp://a:1"], "--scheduler needs --backend dask, found loky"),
        (["--seed", "-1"], "--seed must be 0 or more, found -1"),
        (["--hold-out", "1.5"], "--hold-out must lie in [0, 1), found 1.5"),
        (["--hold-out", "nan"], "--hold-out must lie in [0, 1), found nan"),
        (["--hold-out", "0.2", "--hold-out-group", "("], "--hold-out-group must be a regular expression"),
        (["--hold-out-group", "person"], "--hold-out-group needs --hold-out"),
        (["--views", ","], "--views must be a number, names or single, found ','"),
        (["--views", "left,left"], "--views must be different names, found 'left,left'"),
        (["--views", "3"], "--views must be 5, or even and at least 2, found 3"),
        (["--views", "-3"], "--views must be 5, or even and at least 2, found -3"),
        (["--dataset", "fddb"], "FDDB has no views, expected a single one for all objects, found left, "),
        (
            ["--dataset", "fddb", "--views", "face"],
            "FDDB has no views, expected a single one for all objects",
        ),
        (["--dataset", "voc"], ".: holds no .xml file"),
        (["--output", "train.csv"], "train.csv: is a file, expected a folder for the run"),
        (["--output", "train.csv/run"], "train.csv/run: nothing can be written there (Not a directory)"),
        (["--output", "/proc/run"], "/proc/run: nothing can be written there (No such file or directory)"),
    ],
)
def test_arguments_that_cannot_be(
    flags: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, *flags)


@pytest.mark.parametrize(
    "flags",
    [["--hold-out", "2"], ["--hold-out", "0.2", "--hold-out-group", "("], ["--output", "/proc/run"]],
)
def test_simple_arguments_are_checked_before_the_data_are_read(
    flags: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "nowhere" not in refused(capsys, "--data", "nowhere", *flags)
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--dataset", "csv", "--data", ".", "--quiet", "--verbose"], "not allowed with argument --quiet"),
        (["--data", "."], "the following arguments are required: --dataset"),
        (["--dataset", "csv"], "the following arguments are required: --data"),
        (["--dataset", "imagenet", "--data", "."], "argument --dataset: invalid choice: 'imagenet'"),
        (["--dataset", "csv", "--data", ".", "--jobs", "two"], "argument --jobs: invalid int value: 'two'"),
        (["--dataset", "csv", "--data", ".", "--threads", ""], "argument --threads: invalid int value: ''"),
        (["--dataset", "csv", "--data", ".", "--seed", "1.5"], "argument --seed: invalid int value: '1.5'"),
        (
            ["--dataset", "csv", "--data", ".", "--preset", "dogs"],
            "argument --preset: invalid choice: 'dogs'",
        ),
        (["--dataset", "csv", "--data", ".", "--backend", "mpi"], "argument --backend: invalid choice"),
        (["--dataset", "csv", "--data", ".", "--rounds", "3"], "unrecognized arguments: --rounds 3"),
    ],
)
def test_wrong_arguments(flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(flags)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


# The run folder


def test_a_run_is_neither_overwritten_nor_mixed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(*ONE_TREE) == 0
    model = Path("run/model.npz").read_bytes()
    capsys.readouterr()

    def told(*flags: str) -> str:
        assert train(*ONE_TREE, *flags) == 2
        assert Path("run/model.npz").read_bytes() == model
        return capsys.readouterr().err

    assert "run: a training run is there already; add --resume or choose another --output" in told()
    assert "run/options.toml: the run was started with other options" in told("--resume", "--seed", "9")
    Path("list.txt").write_text("00\n01\n")
    assert "the run was started with other images" in told("--resume", "--split", "list.txt")
    assert train(*ONE_TREE, "--resume") == 0
    assert Path("run/model.npz").read_bytes() == model


@pytest.mark.parametrize("name", ["round_1.npz", "features.npz", "negatives_1.npy", "negatives_1.json"])
def test_a_damaged_checkpoint_is_named(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(*ONE_TREE) == 0
    model = Path("run/model.npz").read_bytes()
    path = Path("run", name)
    path.write_bytes(path.read_bytes()[:60])
    capsys.readouterr()
    assert train(*ONE_TREE, "--resume") == 2
    told = capsys.readouterr().err
    assert told.startswith(f"{COMMAND}: run/{name}: ")
    assert "--resume makes it anew" in told
    path.with_suffix(".npy" if "negatives" in name else ".npz").unlink()  # as it says
    assert train(*ONE_TREE, "--resume") == 0
    assert Path("run/model.npz").read_bytes() == model
