"""The methods of the AdaCC comparison, and their predictions after several numbers of rounds.

References: Iosifidis, Papadopoulos, Rosenhahn, Ntoutsi, "AdaCC: cumulative cost-sensitive boosting for imbalanced
classification", 2023 (section 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import (
    AdaBoostClassifier,
    AdaC1Classifier,
    AdaC2Classifier,
    AdaC3Classifier,
    AdaCC1Classifier,
    AdaCC2Classifier,
    AdaCostClassifier,
    AdaMECClassifier,
    AdaNCC1Classifier,
    AdaNCC2Classifier,
    BalanceCascadeClassifier,
    BalancedRandomForestClassifier,
    CalibratedAdaMECClassifier,
    CalibratedCGAdaClassifier,
    CGAdaClassifier,
    CSB1Classifier,
    CSB2Classifier,
    EasyEnsembleClassifier,
    RareBoostClassifier,
    RUSBoostClassifier,
    SMOTEBoostClassifier,
)
from .table import Array

Rows = NDArray[np.float64]
SUBSET_ROUNDS = 10  # stumps on a subset of EasyEnsemble and BalanceCascade, as their authors have them
GRID = tuple(round(0.1 * step, 1) for step in range(1, 11))  # C of a negative, where that of a positive is 1


@dataclass(frozen=True)
class Candidate:
    """A fitted model with the cost of a false positive that it was tuned to, nan for methods without costs."""

    model: Any
    cost_fp: float
    at_prediction: bool = False  # the cost decides only when predicting
    staged: bool = True

    def stages(self, rows: Rows, rounds: Sequence[int]) -> Iterator[tuple[NDArray[Any], Array, int]]:
        """Predictions, scores and rounds used after each number of rounds; `rounds` increases.

        A model that ended early gives its last stage. One that is not staged has a single number of rounds.
        """
        costs = {"cost_fn": 1.0, "cost_fp": self.cost_fp} if self.at_prediction else {}
        if not self.staged:
            predicted, scores = self.model.predict(rows, **costs), self.model.decision_function(rows)
            yield predicted, scores, self.model.n_rounds_
            return
        stages = zip(
            self.model.staged_predict(rows, **costs), self.model.staged_decision_function(rows), strict=True
        )
        number, last = 0, None
        for wanted in rounds:
            while number < wanted:
                stage = next(stages, None)
                if stage is None:
                    break
                number, last = number + 1, stage
            if last is not None:
                yield (*last, number)


@dataclass(frozen=True, kw_only=True)
class Competitor:
    """A method of the comparison.

    Parameters
    ----------
    build : callable
        Makes the unfitted model of a number of rounds, a cost of false positives and a seed.
    costs : {"none", "fit", "prediction"}
        Where the cost of a false positive enters, if it does; it is chosen from `GRID`.
    staged : bool
        Are the first t rounds of a long run the run of t rounds? Otherwise there is a fit for each number.
    """

    build: Callable[[int, float, int], Any]
    costs: str = "none"
    staged: bool = True

    def candidates(self, rows: Rows, labels: NDArray[Any], n_rounds: int, seed: int) -> Iterator[Candidate]:
        """Fitted models, one for each cost of the grid."""
        if self.costs == "none":
            model = self.build(n_rounds, 1.0, seed).fit(rows, labels)
            yield Candidate(model, float("nan"), staged=self.staged)
        elif self.costs == "prediction":
            model = self.build(n_rounds, 1.0, seed).fit(rows, labels)
            for cost_fp in GRID:
                yield Candidate(model, cost_fp, at_prediction=True, staged=self.staged)
        else:
            for cost_fp in GRID:
                model = self.build(n_rounds, cost_fp, seed).fit(rows, labels)
                yield Candidate(model, cost_fp, staged=self.staged)


def _own_costs(classifier: Any) -> Competitor:
    return Competitor(
        build=lambda rounds, cost, seed: classifier(n_estimators=rounds, random_state=seed, pos_label=1)
    )


def _given_costs(classifier: Any, *, costs: str = "fit", staged: bool = True) -> Competitor:
    return Competitor(
        build=lambda rounds, cost, seed: classifier(
            n_estimators=rounds, cost_fn=1.0, cost_fp=cost, random_state=seed, pos_label=1
        ),
        costs=costs,
        staged=staged,
    )


def _resampled(sampler: str) -> Competitor:
    """AdaBoost on a training set that was resampled once."""

    def build(rounds: int, cost: float, seed: int) -> Any:
        return ResampledBooster(sampler, rounds, seed)

    return Competitor(build=build)


class ResampledBooster:
    """AdaBoost of stumps on a training set that imbalanced-learn has balanced.

    Parameters
    ----------
    sampler : {"SMOTE", "RandomOverSampler", "RandomUnderSampler"}
    n_estimators : int
    seed : int
    """

    def __init__(self, sampler: str, n_estimators: int, seed: int) -> None:
        self._sampler = sampler
        self._seed = seed
        self._booster = AdaBoostClassifier(n_estimators=n_estimators, random_state=seed, pos_label=1)

    def fit(self, rows: Rows, labels: NDArray[Any]) -> ResampledBooster:
        """Balance the classes and boost."""
        from imblearn.over_sampling import SMOTE, RandomOverSampler
        from imblearn.under_sampling import RandomUnderSampler

        if self._sampler == "SMOTE":
            fewest = int(np.bincount(labels).min())
            sampler: Any = SMOTE(random_state=self._seed, k_neighbors=max(min(5, fewest - 1), 1))
        elif self._sampler == "RandomOverSampler":
            sampler = RandomOverSampler(random_state=self._seed)
        else:
            sampler = RandomUnderSampler(random_state=self._seed)
        self._booster.fit(*sampler.fit_resample(rows, labels))
        return self

    def staged_predict(self, rows: Rows) -> Iterator[NDArray[Any]]:
        """Labels after every round."""
        return self._booster.staged_predict(rows)

    def staged_decision_function(self, rows: Rows) -> Iterator[Array]:
        """Scores after every round."""
        return self._booster.staged_decision_function(rows)


def _sampling_booster(classifier: Any) -> Competitor:
    return Competitor(build=lambda rounds, cost, seed: classifier(n_estimators=rounds, random_state=seed))


def _pooled_subsets(classifier: Any) -> Competitor:
    """As many stumps as the others have rounds, or a few more, on subsets of the frequent class."""
    return Competitor(
        build=lambda rounds, cost, seed: classifier(
            n_estimators=math.ceil(rounds / SUBSET_ROUNDS), n_boosting_rounds=SUBSET_ROUNDS, random_state=seed
        ),
        staged=False,
    )


COST_SENSITIVE: dict[str, Competitor] = {
    "AdaBoost": _own_costs(AdaBoostClassifier),
    "AdaCC1": _own_costs(AdaCC1Classifier),
    "AdaCC2": _own_costs(AdaCC2Classifier),
    "AdaN-CC1": _own_costs(AdaNCC1Classifier),
    "AdaN-CC2": _own_costs(AdaNCC2Classifier),
    "AdaMEC": _given_costs(AdaMECClassifier, costs="prediction"),
    "AdaMEC-Cal": _given_costs(CalibratedAdaMECClassifier, costs="prediction", staged=False),
    "CGAda": _given_costs(CGAdaClassifier),
    "CGAda-Cal": _given_costs(CalibratedCGAdaClassifier, staged=False),
    "AdaCost": _given_costs(AdaCostClassifier),
    "CSB1": _given_costs(CSB1Classifier),
    "CSB2": _given_costs(CSB2Classifier),
    "AdaC1": _given_costs(AdaC1Classifier),
    "AdaC2": _given_costs(AdaC2Classifier),
    "AdaC3": _given_costs(AdaC3Classifier),
    "RareBoost": _own_costs(RareBoostClassifier),
}
DATA_LEVEL: dict[str, Competitor] = {
    "SMOTE": _resampled("SMOTE"),
    "over-sampling": _resampled("RandomOverSampler"),
    "under-sampling": _resampled("RandomUnderSampler"),
    "SMOTEBoost": _sampling_booster(SMOTEBoostClassifier),
    "RUSBoost": _sampling_booster(RUSBoostClassifier),
    "EasyEnsemble": _pooled_subsets(EasyEnsembleClassifier),
    "BalanceCascade": _pooled_subsets(BalanceCascadeClassifier),
    "BalancedRandomForest": _sampling_booster(BalancedRandomForestClassifier),
}
COMPETITORS = {**COST_SENSITIVE, **DATA_LEVEL}
