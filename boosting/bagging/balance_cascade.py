"""BalanceCascade (Liu, Wu and Zhou 2009): EasyEnsemble that puts aside what it has learned of the frequent class."""

from __future__ import annotations

from typing import Any

import numpy as np

from .pooled_ensemble import PooledEnsemble
from .training_table import Array, Codes, TrainingTable


class BalanceCascadeClassifier(PooledEnsemble):
    """BalanceCascade of decision stumps (Gini), two classes.

    A subset has all rows of the rarer class (``classes_[1]`` on a tie) and as many of the frequent one, drawn
    without replacement from those that are still there. AdaBoost on it gives a score F. A threshold is set so that
    the share f = (N+/N-)^(1/(T-1)) of the rows still there lies above it, the others are put aside: after T - 1
    subsets as many are left as there are rare rows. Where equal scores allow no such threshold, it is the highest
    that leaves at least that share. It ends before if fewer frequent than rare rows are left. The decision is the
    sign of the sum of F over all subsets; 0 is for the frequent class.

    The paper's decision takes the sum of the thresholds from that. As f tends to 1 with many subsets, or with
    classes of similar sizes, such thresholds leave nearly all rows above them, and the rare class is predicted
    for nearly all; `subtract_thresholds` is for few subsets (the paper has 4) and very unequal classes.

    Parameters
    ----------
    estimator : classifier, optional
        The weak learner of AdaBoost, see `AdaBoostClassifier`. None is our stump with Gini impurity.
    n_estimators : int
        T, the number of subsets.
    n_boosting_rounds : int
        Rounds of AdaBoost on a subset.
    subtract_thresholds : bool
        Decide as the paper does.
    random_state : int, RandomState or None

    Attributes
    ----------
    thresholds_ : (T,) array
    n_frequent_ : (T,) array
        Rows of the frequent class that were there when every subset was drawn.
    false_positive_rates_ : (T,) array
        Share of them that lie above the threshold.
    classes_, positive_class_, estimators_, estimators_samples_, estimator_errors_, n_rounds_, stop_reason_
        See `EasyEnsembleClassifier`, also for others.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        n_boosting_rounds: int = 10,
        subtract_thresholds: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            n_boosting_rounds=n_boosting_rounds,
            random_state=random_state,
        )
        self.subtract_thresholds = subtract_thresholds

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.subtract_thresholds not in (True, False):
            raise ValueError(
                f"subtract_thresholds of {type(self).__name__} must be True or False, "
                f"got {self.subtract_thresholds!r}"
            )

    def _offsets(self) -> Array:
        return self.thresholds_ if self.subtract_thresholds else np.zeros(len(self.thresholds_))

    def _train(self, table: TrainingTable, seed: int) -> None:
        rare, frequent = table.members[self._positive], table.members[1 - self._positive]
        share = (len(rare) / len(frequent)) ** (1.0 / max(int(self.n_estimators) - 1, 1))
        self.estimators_, self.estimators_samples_ = [], []
        errors, thresholds, there, rates = [], [], [], []
        self.stop_reason_ = "all rounds done"
        for number in range(int(self.n_estimators)):
            if len(frequent) < len(rare):
                self.stop_reason_ = (
                    f"fewer rows of the frequent class ({len(frequent)}) than of the rare one ({len(rare)}) are "
                    f"left after {number} subsets"
                )
                break
            generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
            subset = self._subset(rare, frequent, generator)
            member = self._boosted(table, subset, generator)
            scores = self._score_of(member, table.rows)
            threshold = threshold_for_share(scores[frequent], share)
            self.estimators_.append(member)
            self.estimators_samples_.append(table.numbers[subset])
            errors.append(self._error_of(table, scores - threshold))
            thresholds.append(threshold)
            there.append(len(frequent))
            above = scores[frequent] > threshold
            rates.append(float(above.mean()))
            frequent = frequent[above]
        self.estimator_errors_ = np.array(errors)
        self.thresholds_ = np.array(thresholds)
        self.n_frequent_ = np.array(there)
        self.false_positive_rates_ = np.array(rates)

    def _subset(self, rare: Codes, frequent: Codes, generator: np.random.Generator) -> Codes:
        if len(frequent) == len(rare):
            return np.concatenate([rare, frequent])
        return np.concatenate([rare, generator.choice(frequent, len(rare), replace=False, shuffle=False)])


def threshold_for_share(scores: Array, share: float) -> float:
    """The highest threshold that at least this share of the scores (n,) is above.

    It lies midway between two neighbouring scores, or, where all of them are above it, just below the lowest.
    """
    descending = np.sort(scores)[::-1]
    wanted = max(int(np.ceil(share * len(scores) - 1e-9)), 1)
    lowest_kept = descending[wanted - 1]
    below = descending[descending < lowest_kept]
    if not len(below):
        return float(np.nextafter(lowest_kept, -np.inf))
    middle = 0.5 * below[0] + 0.5 * lowest_kept
    return float(middle if middle < lowest_kept else below[0])
