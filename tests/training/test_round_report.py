"""The report of a round: its line, and its way through JSON."""

from __future__ import annotations

import json
from dataclasses import fields, replace

from badacost.training.round_report import RoundReport

REPORT = RoundReport(
    number=3,
    n_trees=256,
    stop_reason="all rounds done",
    n_positives=15894,
    n_negatives=30000,
    n_new_negatives=10000,
    n_images_mined=1423,
    first_loss=0.87664,
    last_loss=0.00091,
    training_error=0.021397,
    positives_lost=0.00994,
    lowest_threshold=-2.5,
    trees_per_window=17.44,
    mining_seconds=151.2,
    boosting_seconds=40.9,
)


def test_line_of_a_round() -> None:
    assert str(REPORT) == (
        "round 3: 256 trees (all rounds done) on 15894 positives and 30000 negatives "
        "(10000 new from 1423 images, 17.4 trees/window); loss 0.8766 -> 0.0009, training error 2.1397%, "
        "cascade loses 0.99%; mining 151 s, boosting 41 s"
    )


def test_the_first_round_has_no_cascade_to_speak_of() -> None:
    line = str(replace(REPORT, trees_per_window=None))
    assert "(10000 new from 1423 images); loss" in line
    assert "trees/window" not in line


def test_report_comes_back_from_json() -> None:
    for report in (REPORT, replace(REPORT, trees_per_window=None)):
        text = json.dumps(report.as_dict())
        assert RoundReport(**json.loads(text)) == report
        assert list(json.loads(text)) == [field.name for field in fields(RoundReport)]
