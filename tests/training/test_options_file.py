"""Options in TOML: what is written is read back, the later setting wins, mistakes are named."""

from __future__ import annotations

import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from badacost.boosting.trees.tree_options import TreeOptions
from badacost.detector.suppression import SuppressionOptions
from badacost.training.options import (
    BoostingOptions,
    CalibrationOptions,
    CostOptions,
    FinishedOptions,
    JitterOptions,
    MiningOptions,
    TrainingOptions,
)
from badacost.training.options_file import (
    OptionsError,
    dump_options,
    load_options,
    options_of_file,
    preset_names,
    with_keys_named,
)


def read_back(options: TrainingOptions, tmp_path: Path, start: TrainingOptions) -> TrainingOptions:
    path = tmp_path / "options.toml"
    path.write_text(dump_options(options), encoding="utf-8")
    return options_of_file(start, path)


@pytest.mark.parametrize("other", ["faces", "cars"])
@pytest.mark.parametrize("preset", preset_names())
def test_resolved_options_are_read_back_whatever_the_preset(preset: str, other: str, tmp_path: Path) -> None:
    options = load_options(preset)
    path = tmp_path / "options.toml"
    path.write_text(dump_options(options))
    assert load_options(other, path) == options


def test_presets() -> None:
    assert preset_names() == (
        "cars", "cars_samme", "cars_subcat", "faces", "faces_samme", "faces_subcat",
    )  # fmt: skip
    assert load_options("faces").window == TrainingOptions().window
    assert load_options("cars").window.object_width == 84
    assert load_options("cars").costs.kind == "ring"


@st.composite
def training_options(draw: st.DrawFn) -> TrainingOptions:
    share = st.floats(0, 1, exclude_min=True, exclude_max=True)
    suppression = st.builds(
        SuppressionOptions,
        kind=st.sampled_from(["maxg", "max"]),
        overlap=share,
        denominator=st.sampled_from(["union", "min"]),
        contained_overlap=st.none() | share,
    )
    tree = st.builds(
        TreeOptions,
        max_depth=st.integers(1, 15),
        max_features=st.none() | st.integers(1, 10**6) | st.floats(1e-9, 1.0),
        feature_sampling=st.sampled_from(["tree", "parent", "node"]),
        threshold=st.sampled_from(["middle", "lowest"]),
        min_gain=st.floats(0, 1e300),
    )
    return TrainingOptions(
        mirror=draw(st.booleans()),
        jitter=JitterOptions(copies=draw(st.integers(0, 9)), shift=draw(share)),
        costs=draw(
            st.builds(
                CostOptions,
                kind=st.sampled_from(["faces", "ring"]),
                missed=st.floats(1e-300, 1e300),
                first_round_missed=st.none() | st.floats(1e-9, 1e9),
            )
        ),
        boosting=BoostingOptions(
            rounds=draw(st.lists(st.integers(1, 10**9), min_size=1).map(tuple)),
            learning_rate=draw(share),
            tree=draw(tree),
        ),
        mining=MiningOptions(per_round=draw(st.integers(1, 10**12)), suppression=draw(suppression)),
        calibration=CalibrationOptions(
            kind=draw(st.sampled_from(["constant", "per_tree", "authors"])), lost=draw(share)
        ),
        finished=FinishedOptions(min_score=draw(st.floats(allow_nan=False)), suppression=draw(suppression)),
        seed=draw(st.integers(0, 2**63)),
    )


@settings(max_examples=30)
@given(options=training_options())
def test_any_options_are_read_back(
    options: TrainingOptions, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    for start in (TrainingOptions(), load_options("cars")):
        again = read_back(options, folder, start)
        assert again == options
        assert dump_options(again) == dump_options(options)
        assert _types(again) == _types(options)  # 1 and 1.0 are equal, but mean different numbers of features


def _types(options: Any) -> list[Any]:
    values = [getattr(options, field.name) for field in fields(options)]
    return [_types(value) if is_dataclass(value) else type(value) for value in values]


def test_every_option_is_written() -> None:
    def keys(options: Any) -> dict[str, Any]:
        values = {field.name: getattr(options, field.name) for field in fields(options)}
        return {name: keys(value) if is_dataclass(value) else None for name, value in values.items()}

    def written(table: dict[str, Any]) -> dict[str, Any]:
        return {name: written(value) if isinstance(value, dict) else None for name, value in table.items()}

    assert written(tomllib.loads(dump_options(TrainingOptions()))) == keys(TrainingOptions())


def test_the_later_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("seed = 3\nboosting.rounds = [4, 5]\n[costs]\nmissed = 2\nfirst_round_missed = 'none'\n")
    assert load_options("faces").seed == 0
    options = load_options("faces", path, ["boosting.rounds=[6]", "costs.kind=ring", "boosting.rounds = [7]"])
    assert options.seed == 3
    assert options.boosting.rounds == (7,)
    assert options.costs == CostOptions(kind="ring", missed=2.0, first_round_missed=None)
    assert options.boosting.learning_rate == load_options("faces").boosting.learning_rate


def test_options_that_need_one_another_come_together() -> None:
    """Neither of them is possible alone: the window is 64 pixels."""
    options = load_options("faces", None, ["window.object_height=80", "window.window_height=96"])
    assert (options.window.object_height, options.window.window_height) == (80, 96)


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        ("mirror=false", False),
        ("costs.first_round_missed=none", None),
        ('costs.first_round_missed="none"', None),
        ("costs.first_round_missed=2", 2.0),
        ("boosting.tree.max_features=1", 1),
        ("boosting.tree.max_features=1.0", 1.0),
        ("boosting.tree={max_depth=3}", 3),
        ("calibration.kind=per_tree", "per_tree"),
        ("pyramid.pad=[4, 8]", (4, 8)),
        ("finished.min_score=-inf", float("-inf")),
        ("memory_limit=1_000_000", 1_000_000),
    ],
)
def test_values_of_the_command_line(setting: str, found: Any) -> None:
    value: Any = load_options("faces", None, [setting])
    for name in setting.split("=")[0].split("."):
        value = getattr(value, name)
    value = value.max_depth if isinstance(value, TreeOptions) else value
    assert value == found
    assert type(value) is type(found)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("seed", "setting 'seed' has no '=', expected key=value"),
        ("seed=", "setting 'seed=': not TOML"),
        ("=3", "setting '=3': not TOML"),
        ("boosting.rounds=[1,", "not TOML"),
        ("sede=3", "option 'sede' is unknown, expected one of .*seed"),
        ("boosting.tree.depth=3", "option 'boosting.tree.depth' is unknown, expected one of max_depth"),
        ("seed.value=3", r"seed is \{'value': 3\}, expected a whole number"),
        ("boosting=3", "boosting is 3, expected a table"),
        ("seed=3.0", "seed is 3.0, expected a whole number"),
        ("seed=true", "seed is True, expected a whole number"),
        ("mirror=1", "mirror is 1, expected true or false"),
        ("costs.missed=high", "costs.missed is 'high', expected a number"),
        ("costs.missed=true", "costs.missed is True, expected a number"),
        ("boosting.rounds=64", "boosting.rounds is 64, expected a list, each a whole number"),
        ("boosting.rounds=[64, 2.5]", "boosting.rounds is 2.5, expected a whole number"),
        ("pyramid.pad=[4]", r"pyramid.pad is \[4\], expected a list of 2"),
        ("channels.color_space=3", "channels.color_space is 3, expected text"),
        ("costs.kind=dogs", "costs.kind is 'dogs', expected 'faces' or 'ring'"),
        ("costs.first_round_missed=few", "costs.first_round_missed is 'few', expected a number or 'none'"),
        ("boosting.rounds=[]", "boosting.rounds must be positive numbers of trees"),
        ("boosting.rounds=[8, 0]", "boosting.rounds must be positive numbers of trees"),
        ("boosting.learning_rate=nan", r"boosting.learning_rate must be in \(0, 1\]"),
        ("boosting.tree.max_features=0", "boosting.tree.max_features must be"),
        ("calibration.lost=1", r"calibration.lost must be in \[0, 1\)"),
        ("window.object_height=80", "window.object_height must be at least 1 and at most"),
        ("patch_margin=15", ": patch_margin must be a multiple of 4"),
        ("pyramid.pad=[16, 18]", "pyramid.pad must be a multiple of the cells' 4 pixels"),
        ("filters.size=4", "filters.size must be odd and positive"),
        ("window.window_width=2", "window.object_width must"),
        ("mining.suppression.overlap=2", r"mining.suppression.overlap must lie in \[0, 1\]"),
        ("finished.suppression.overlap=2", r"finished.suppression.overlap must lie in \[0, 1\]"),
        ("seed=-1", ": seed must be 0 or more"),
    ],
)
def test_settings_that_cannot_be(setting: str, message: str) -> None:
    with pytest.raises(OptionsError, match=message) as error:
        load_options("faces", None, [setting])
    assert str(error.value).startswith(f"setting {setting!r}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"seed = = 3\n", r"not TOML \(Invalid value \(at line 1, column 8\)\)"),
        (b"seed = 1\nseed = 2\n", "not TOML"),
        (b"[boosting]\nround = [3]\n", "option 'boosting.round' is unknown, expected one of rounds"),
        (b"\xff\xfe", "cannot be read"),
        (b"costs = 'ring'\n", "costs is 'ring', expected a table"),
        (b"[jitter]\nshift = 1.5\n", r"jitter.shift must be in \[0, 1\), found 1.5"),
    ],
)
def test_files_that_cannot_be(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(OptionsError, match=message) as error:
        load_options("faces", path)
    assert str(error.value).startswith(f"{path}: ")


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match=r"none\.toml: cannot be read .*No such file"):
        load_options("faces", tmp_path / "none.toml")
    with pytest.raises(OptionsError, match="preset 'dogs' is unknown, expected cars, cars_samme"):
        load_options("dogs")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("rounds of BoostingOptions must be positive", "boosting.rounds must be positive"),
        ("seed of TrainingOptions must be 0 or more", "seed must be 0 or more"),
        (
            "window_height and window_width of WindowOptions must be at least the cells' 4 pixels",
            "window.window_height and window.window_width must be at least the cells' 4 pixels",
        ),
        (
            "multiple of PyramidOptions must be a multiple of the channels' shrink 2",
            "pyramid.multiple must be a multiple of the channels' shrink 2",
        ),
        ("a.jpg: the image is truncated", "a.jpg: the image is truncated"),
    ],
)
def test_messages_name_the_keys_of_options(message: str, told: str) -> None:
    assert with_keys_named(message) == told
