"""Ensemble margins: how clearly the members of an ensemble agree on a row (Feng, Huang and Ren 2018).

With v_c of T votes for class c, y the row's class and v_(1) >= v_(2) the largest numbers of votes, they are

    max                 (v_y - max v_c, c != y) / T
    sum                 (v_y - sum v_c, c != y) / T
    unsupervised max    (v_(1) - v_(2)) / T
    unsupervised sum    (v_(1) - sum of the others) / T

in [-1, 1], the unsupervised max margin in [0, 1]. All functions here take and give whole numbers of votes, T times
the margin, so that equal margins are equal.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from .training_table import Codes

Margin = Literal["max", "sum", "unsupervised max", "unsupervised sum"]
MARGINS = ("max", "sum", "unsupervised max", "unsupervised sum")


def vote_margins(votes: Codes, codes: Codes, margin: Margin) -> Codes:
    """T times the margins (n,).

    Parameters
    ----------
    votes : (n, K) int64
        Of T members each.
    codes : (n,) int64
        Class of every row; unsupervised margins do without.
    margin : Margin
    """
    every = np.arange(len(votes))
    largest = votes.max(axis=1)
    if margin == "unsupervised sum":
        return 2 * largest - votes.sum(axis=1)
    own = votes[every, codes]
    if margin == "sum":
        return 2 * own - votes.sum(axis=1)
    others = votes.copy()
    others[every, np.argmax(votes, axis=1) if margin == "unsupervised max" else codes] = 0
    second = others.max(axis=1)
    return largest - second if margin == "unsupervised max" else own - second


def shifted_margins(margins: Codes, votes: Codes, codes: Codes, margin: Margin) -> Codes:
    """The sum margins less their minimum over the rows that the vote gets right; the max margins as they are.

    With many classes a right decision may have a negative sum margin; the shift makes that of the least certain
    right decision 0. Without a right decision there is no shift. Ties of the vote go to the first class.
    """
    right = np.argmax(votes, axis=1) == codes
    if margin in ("max", "unsupervised max") or not right.any():
        return margins
    return margins - margins[right].min()
