"""How the learners of a two-class ensemble vote: weighted signs, and the decision taken from their sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Alpha = float | tuple[float, float]
"""Vote weight of a learner, or the pair (where it says +1, where it says -1)."""
Vote = Literal["sign", "minimum expected cost", "squashed minimum expected cost"]


def as_pair(alpha: Alpha) -> tuple[float, float]:
    """(alpha where h = +1, alpha where h = -1)."""
    return alpha if isinstance(alpha, tuple) else (alpha, alpha)


def alpha_of_rows(alpha: Alpha, predicted: Array) -> Array | float:
    """The vote weight that counts for each row."""
    return np.where(predicted > 0, alpha[0], alpha[1]) if isinstance(alpha, tuple) else alpha


@dataclass
class Votes:
    """Running sums over the learners.

    Attributes
    ----------
    score : (n,) float64
        F = sum of alpha h; the vote weight for the positive class less that for the negative class.
    total : float
        Sum of |alpha|, of a pair the larger: the most that |score| can be. (A negative alpha is a vote for
        the other class.)
    """

    score: Array
    total: float = 0.0

    def add(self, predicted: Array, alpha: Alpha) -> None:
        """Count a learner's votes."""
        self.score += alpha_of_rows(alpha, predicted) * predicted
        self.total += max(map(abs, as_pair(alpha)))

    @property
    def margin(self) -> Array:
        """F / sum |alpha|, in [-1, 1]; 0 where there is no vote."""
        return np.clip(self.score / self.total, -1.0, 1.0) if self.total > 0 else np.zeros_like(self.score)

    @property
    def share(self) -> Array:
        """Share in [0, 1] of the vote weight that is for the positive class; 1/2 where there is none."""
        return 0.5 + 0.5 * self.margin

    def decide(self, vote: Vote, cost_fn: Array | float, cost_fp: Array | float) -> NDArray[np.bool_]:
        """True where the positive class wins; a tie goes to the negative one.

        Parameters
        ----------
        vote : Vote
            By the sign of F; by the votes for either class times the cost of the error that deciding against
            it risks (C_FN for positive votes, C_FP for negative ones); or the same after the shares of the
            votes went through a logistic function, as a research code has it.
        cost_fn, cost_fp : float or (n,) array
        """
        if vote == "sign":
            return self.score > 0
        if vote == "squashed minimum expected cost":
            squashed = 1.0 / (1.0 + np.exp(-self.margin))
            return np.asarray(squashed * cost_fn > (1.0 - squashed) * cost_fp)
        # Twice the votes for either class, times the cost that deciding against it would risk.
        return np.asarray((self.total + self.score) * cost_fn > (self.total - self.score) * cost_fp)
