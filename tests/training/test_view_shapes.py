"""Proportions of views: which objects count, and what sparse and empty views get."""

from __future__ import annotations

from pathlib import Path

import pytest

from badacost.training.datasets.annotated_image import AnnotatedBox, AnnotatedImage
from badacost.training.view_shapes import ENOUGH_CLEARLY_SEEN, views_with_aspect_ratios
from badacost.training.views import ring_views, single_view

RING = ring_views(4)  # 1: nose right, 2: rear, 3: nose left, 4: front; a mirror swaps 1 and 3


def box(view: str | None, ratio: float, *, clearly_seen: bool = True, ignore: bool = False) -> AnnotatedBox:
    return AnnotatedBox(10, 20, 10 + 40 * ratio, 60, view, ignore, clearly_seen)


def ratios(*boxes: AnnotatedBox, mirror: bool = True) -> list[float]:
    image = AnnotatedImage(Path("frame.png"), boxes)
    return [view.aspect_ratio for view in views_with_aspect_ratios([image], RING, mirror=mirror)]


def test_clearly_seen_objects_count_where_there_are_some() -> None:
    clearly = [box("2", 1.2)] * ENOUGH_CLEARLY_SEEN
    hidden = [box("2", 0.6, clearly_seen=False)] * 3
    assert ratios(*clearly, *hidden)[1] == pytest.approx(1.2)


def test_all_objects_count_where_few_are_clearly_seen() -> None:
    clearly = [box("2", 1.2)] * (ENOUGH_CLEARLY_SEEN - 1)
    hidden = [box("2", 0.7, clearly_seen=False)]
    expected = (1.2 * len(clearly) + 0.7) / (len(clearly) + 1)
    assert ratios(*clearly, *hidden)[1] == pytest.approx(expected)


def test_an_object_counts_for_its_mirror_image_too() -> None:
    found = ratios(box("1", 2.6), box("3", 2.8), box("2", 1.2))
    assert found == pytest.approx([2.7, 1.2, 2.7, (2 * 2.6 + 2 * 2.8 + 1.2) / 5])
    assert ratios(box("1", 2.6), box("3", 2.8), mirror=False)[::2] == pytest.approx([2.6, 2.8])


def test_ignored_objects_and_those_without_a_view_do_not_count() -> None:
    assert ratios(box("2", 1.2), box("2", 9, ignore=True), box(None, 9))[1] == pytest.approx(1.2)


def test_without_any_object_the_ratio_is_one() -> None:
    assert ratios() == [1.0] * 4
    (view,) = views_with_aspect_ratios([], single_view("car"), mirror=True)
    assert view.name == "car"
    assert view.aspect_ratio == 1.0
