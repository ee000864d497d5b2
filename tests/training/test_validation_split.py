"""Hold-out of whole groups: nobody is on both sides."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.training.datasets.annotated_image import AnnotatedImage
from badacost.training.validation_split import hold_out


def named(*stems: str) -> list[AnnotatedImage]:
    return [AnnotatedImage(Path("images") / f"{stem}.jpg") for stem in stems]


def stems(images: list[AnnotatedImage]) -> list[str]:
    return [image.path.stem for image in images]


@given(share=st.floats(0, 0.99), seed=st.integers(0, 1000), count=st.integers(0, 30))
def test_every_image_is_on_one_side_and_in_order(share: float, seed: int, count: int) -> None:
    images = named(*(f"photo_{number}" for number in range(count)))
    kept, held = hold_out(images, share, seed=seed)
    assert sorted(kept + held, key=images.index) == images
    assert kept == sorted(kept, key=images.index)
    assert held == sorted(held, key=images.index)
    assert len(held) == round(share * count)


def test_seed_decides_and_the_order_of_the_images_does_not() -> None:
    images = named(*(f"photo_{number}" for number in range(40)))
    _, held = hold_out(images, 0.25, seed=3)
    _, again = hold_out(images[::-1], 0.25, seed=3)
    _, other = hold_out(images, 0.25, seed=4)
    assert set(stems(held)) == set(stems(again))
    assert set(stems(held)) != set(stems(other))


def test_an_expression_joins_images() -> None:
    images = named("anna_01", "anna_02", "ben_01", "ben_02", "cleo", "dora")
    for seed in range(10):
        kept, held = hold_out(images, 0.5, seed=seed, group=r"(.*?)(_\d\d)?$")
        people = [{stem.split("_")[0] for stem in stems(side)} for side in (kept, held)]
        assert len(people[0]) == len(people[1]) == 2
        assert not people[0] & people[1]


def test_persons_are_joined_over_halves_sessions_and_angles() -> None:
    images = named(
        *("ytf_tr_Ann_Veneman_03", "ytf_te_Ann_Veneman_41", "ytf_tr_Ann_Veneman_110"),
        *("kdef_AF01NEFL", "kdef_AF01NES", "kdef_BF01HAHR"),
        *("kdef_AM01NES", "wider_1_12", "wider_1_13"),
    )
    one_side = [set(stems(images[:3])), set(stems(images[3:6]))]
    for seed in range(20):
        sides = hold_out(images, 0.4, seed=seed, group="person")
        assert len({image for side in sides for image in side}) == len(images)
        for together in one_side:
            assert any(together <= set(stems(side)) for side in sides)
        assert len({re.sub("_.*", "", stem) for side in sides for stem in stems(side)}) == 3


def test_the_training_photographs_are_split_by_person(shared: Path) -> None:
    with (shared / "data" / "faces" / "train" / "train.csv").open(newline="") as file:
        names = sorted({Path(row["image"]).stem for row in csv.DictReader(file)})
    kept, held = hold_out(named(*names), 0.2, seed=0, group="person")

    def people(side: list[AnnotatedImage]) -> set[str]:
        youtube = {re.sub(r"^ytf_.._|_\d+$", "", name) for name in stems(side) if name.startswith("ytf_")}
        return youtube | {name[6:9] for name in stems(side) if name.startswith("kdef_")}

    assert len(people(kept) | people(held)) == 319 + 70
    assert not people(kept) & people(held)
    assert {name.split("_")[0] for name in stems(held)} == {"kdef", "wider", "ytf"}
    assert 0.15 < len(held) / len(names) < 0.25


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_out_of_range_is_named(share: float) -> None:
    with pytest.raises(ValueError, match=r"share of hold_out must lie in \[0, 1\)"):
        hold_out(named("a"), share, seed=0)


def test_a_bad_expression_is_named() -> None:
    with pytest.raises(ValueError, match="must be a regular expression, found '\\('"):
        hold_out(named("a"), 0.5, seed=0, group="(")
    with pytest.raises(ValueError, match=r"'\\\\d\+' does not match 'photo'"):
        hold_out(named("photo"), 0.5, seed=0, group=r"\d+")
