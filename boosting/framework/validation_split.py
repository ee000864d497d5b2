"""Training records held out for a second purpose: pruning, calibration, thresholds, vote weights."""

from __future__ import annotations

import numpy as np

from ..reweighting.calibrated_boosting import split_distinct_rows
from .records import Records


def split_records(
    records: Records, fraction: float, random_state: np.random.RandomState
) -> tuple[Records, Records]:
    """Two parts of the records: the rest, and about `fraction` of the distinct rows of either class.

    Equal rows stay together. A class with a single distinct row lends it to both parts.
    """
    train, held_out = split_distinct_rows(records.rows, records.positive, fraction, random_state)
    return records.taken(train), records.taken(held_out)
