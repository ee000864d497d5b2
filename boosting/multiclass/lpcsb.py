"""Lp-CSB (Lozano and Abe 2008): multi-class cost-sensitive boosting by a sequence of convex combinations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from .group_learners import GroupPredictions, group_learners
from .multiclass_ensemble import Array, Codes, MulticlassEnsemble, ScoreHistory

Said = NDArray[np.bool_]


class LpCSBClassifier(MulticlassEnsemble):
    """Lp-CSB, of trees of 3 levels (Gini) by default, one a label and round.

    The stochastic classifier H(k|x) starts uniform. A round weighs the label k of row n, of class l, by
    H(k|x_n)^(p-1) C(l, k), and the right label by the sum of these; trains a learner on the pairs (x, k) to
    tell right labels; and mixes H with the uniform distribution over the labels that it calls right (over all
    if there are none), in the proportion that lowers ``sum_n sum_k H(k|x_n)^p C(l_n, k)`` most. The likeliest
    label is predicted. The learner on (x, k) is one binary learner of x for every k.

    The algorithm is the description of the BAdaCost paper (equations 15, 16) completed by derivation, as the
    original could not be read.

    Parameters
    ----------
    estimator : classifier or None
        Weak learner that takes `sample_weight`. None is a `TreeClassifier` of `max_depth`.
    cost_matrix : (K, K) array_like, optional
        C[true, predicted]; None is 0|1. Costs of single records go to `fit`.
    p : float >= 1
        Exponent: the larger, the more the worst label counts.
    n_estimators : int
        Number of rounds at most.
    max_depth : int
        Split levels of the default tree (1 is a stump); a given `estimator` has its own.
    max_features : int, float or None
        Number or share of the features that each default tree chooses from; None is all.
    record_history : bool
        Keep `history_`.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (K,) array
    estimators_ : list of list
        The K learners of every round: they predict 1 (the label is right) or 0; None for a label that no
        weight was left for, which is not called right then.
    estimator_weights_ : (T,) array
        Share of every round in the final mixture; with the start's they have sum 1.
    mixing_ : (T,) array
        The proportion a by which a round entered the mixture before it.
    losses_ : (T,) array
        The mean of ``sum_k H^p C`` after every round.
    class_weights_ : (K,) array
        Share of the sample weights that each class has.
    n_rounds_ : int
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the learners have them.
    history_ : dict of arrays
        With `record_history`, after every round: mixing, loss, recall of every class, training_error,
        training_cost.
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cost_matrix: ArrayLike | None = None,
        p: float = 2.0,
        n_estimators: int = 50,
        max_depth: int = 3,
        max_features: int | float | None = None,
        record_history: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            max_depth=max_depth,
            max_features=max_features,
            record_history=record_history,
            random_state=random_state,
        )
        self.cost_matrix = cost_matrix
        self.p = p

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        record_costs: ArrayLike | None = None,
    ) -> Self:
        """Boost.

        Parameters
        ----------
        X : (n, F) array_like
        y : (n,) array_like
            Class labels.
        sample_weight : (n,) array_like >= 0, optional
            Multiplies the weights; rows of weight 0 are left out.
        record_costs : (n, K) array_like >= 0, optional
            In place of the cost matrix: what predicting each class, in sorted order, costs for the row; 0 for
            its own.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, X, y, sample_weight or a cost breaks its rule; the message names it.
        """
        self._check_parameters()
        rows, labels = self._checked_data(X, y)
        if record_costs is None:
            return self._fit(rows, labels, sample_weight)
        return self._fit(rows, labels, sample_weight, record_costs=check_record_costs(record_costs, labels))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.p, Real) or not 1 <= self.p < np.inf:
            raise ValueError(f"p of {type(self).__name__} must be a number >= 1, got {self.p!r}")

    def _boost(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: Codes, weights: Array, **of_rows: Array
    ) -> None:
        given = of_rows.get("record_costs", self._checked_costs(self.cost_matrix)[codes])
        if given.shape[1] != len(self.classes_):
            raise ValueError(
                f"record_costs of {type(self).__name__}.fit has {given.shape[1]} columns, but only "
                f"{len(self.classes_)} classes have rows of positive weight"
            )
        self._label_costs = weights @ given
        history = ScoreHistory(codes, weights, given) if self.record_history else None
        run = boost_lpcsb(
            LabelLearners(self._weak_learner(), rows, codes, len(self.classes_), weights, self.random_state),
            codes,
            given * weights[:, None],
            p=float(self.p),
            n_rounds=int(self.n_estimators),
            history=history,
        )
        self.estimators_ = run.learners
        self.mixing_ = np.array(run.mixing, dtype=np.float64)
        kept = np.append(1.0 - self.mixing_[1:], 1.0)[::-1].cumprod()[::-1]
        self.estimator_weights_ = self.mixing_ * kept[: len(self.mixing_)]
        self.losses_ = np.array(run.losses, dtype=np.float64)
        self.stop_reason_ = run.stop_reason
        if history is not None:
            self.history_ = history.arrays()

    def _cheapest(self) -> int:
        return int(np.argmin(self._label_costs))

    def _score_stages(self, rows: NDArray[Any]) -> Iterator[Array]:
        predictions = GroupPredictions(rows, (learner for learner, _ in self._weighted_learners()))
        n_classes = len(self.classes_)
        distribution = np.full((len(rows), n_classes), 1.0 / n_classes)
        for learners, mixing in zip(self.estimators_, self.mixing_, strict=True):
            said = np.zeros(distribution.shape, dtype=bool)
            for label, learner in enumerate(learners):
                if learner is not None:
                    said[:, label] = predictions.signs(learner) > 0
            distribution += mixing * (uniform_over(said) - distribution)
            yield distribution

    def _weighted_learners(self) -> Iterator[tuple[Any, float]]:
        for learners, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            for learner in learners:
                if learner is not None:
                    yield learner, weight


class LabelLearners:
    """The weak learner on pairs (x, k): one binary learner a label; the columns are prepared once for all."""

    def __init__(
        self,
        estimator: Any,
        rows: NDArray[Any],
        codes: Codes,
        n_classes: int,
        weights: Array,
        random_state: Any,
    ) -> None:
        groups = [codes == label for label in range(n_classes)]
        self._learners = group_learners(estimator, rows, groups, weights, random_state)

    def fit(self, weights: Array) -> tuple[list[Any], Said]:
        """Train on weights (n, K) of the labels; return the learners and the labels (n, K) called right."""
        said = np.zeros(weights.shape, dtype=bool)
        fitted: list[Any] = []
        for label, learner in enumerate(self._learners):
            total = weights[:, label].sum()
            if total > 0:
                trained, signs = learner.fit(weights[:, label] / total)
                fitted.append(trained)
                said[:, label] = signs > 0
            else:
                fitted.append(None)
        return fitted, said


@dataclass
class LpCSBRun:
    """Outcome of `boost_lpcsb`; `distribution` (n, K) is H of the rows."""

    learners: list[Any] = field(default_factory=list)
    mixing: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    stop_reason: str = "all rounds done"
    distribution: Array = field(default_factory=lambda: np.empty((0, 0)))


def boost_lpcsb(
    learner: Any,
    codes: Codes,
    costs: Array,
    *,
    p: float,
    n_rounds: int,
    history: ScoreHistory | None = None,
) -> LpCSBRun:
    """The rounds of Lp-CSB.

    Parameters
    ----------
    learner : object with ``fit(weights (n, K)) -> (fitted, labels called right (n, K))``
    codes : (n,) int
        Class of every row.
    costs : (n, K) float64 >= 0
        C(l_n, k), times the sample weights; 0 for the right label.
    p : float >= 1
    n_rounds : int
    history : ScoreHistory, optional
    """
    n_rows, n_classes = costs.shape
    every_row = np.arange(n_rows)
    run = LpCSBRun(distribution=np.full((n_rows, n_classes), 1.0 / n_classes))
    for number in range(1, n_rounds + 1):
        weights = run.distribution ** (p - 1.0) * costs
        weights[every_row, codes] = weights.sum(axis=1)
        fitted, said = learner.fit(weights / weights.sum())
        mixture = uniform_over(said)
        mixing = best_mixing(run.distribution, mixture, costs, p)
        if mixing <= 0:
            run.stop_reason = f"the learner of round {number} does not lower the loss"
            break
        run.distribution += mixing * (mixture - run.distribution)
        run.learners.append(fitted)
        run.mixing.append(mixing)
        run.losses.append(float((run.distribution**p * costs).sum()))
        if history is not None:
            history.add(run.distribution, mixing=mixing, loss=run.losses[-1])
        if run.losses[-1] == 0:
            run.stop_reason = f"no cost is at risk after round {number}"
            break
    return run


def uniform_over(said: Said) -> Array:
    """Uniform distributions (n, K) over the labels called right, or over all where there are none."""
    chosen = np.where(said.any(axis=1, keepdims=True), said, True).astype(np.float64)
    return np.asarray(chosen / chosen.sum(axis=1, keepdims=True))


def best_mixing(distribution: Array, mixture: Array, costs: Array, p: float) -> float:
    """The a in [0, 1] of least ``sum C ((1-a) H + a f)^p``, a convex function."""
    change = mixture - distribution

    def slope(a: float) -> float:
        return float((np.maximum(distribution + a * change, 0.0) ** (p - 1.0) * change * costs).sum())

    if slope(0.0) >= 0:
        return 0.0
    if slope(1.0) <= 0:
        return 1.0
    return float(brentq(slope, 0.0, 1.0, xtol=1e-12))


def check_record_costs(record_costs: ArrayLike, labels: NDArray[Any]) -> Array:
    """Costs (n, K) of predicting each class for every row, 0 for its own.

    Raises
    ------
    ValueError
        Naming the rule and the entry that breaks it.
    """
    classes, codes = np.unique(labels, return_inverse=True)
    try:
        costs = np.array(record_costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"record_costs of LpCSBClassifier.fit must be numbers: {error}") from error
    shape = (len(labels), len(classes))
    if costs.shape != shape:
        raise ValueError(
            f"record_costs of LpCSBClassifier.fit must have shape (rows, classes) = {shape}, got {costs.shape}"
        )
    own = np.zeros(shape, dtype=bool)
    own[np.arange(len(codes)), codes] = True
    for broken, rule in (
        (~np.isfinite(costs), "finite"),
        (costs < 0, ">= 0"),
        (own & (costs != 0), "0 for the row's own class"),
    ):
        if broken.any():
            row, column = np.argwhere(broken)[0]
            raise ValueError(
                f"record_costs of LpCSBClassifier.fit must be {rule}, got {costs[row, column]} at "
                f"[{row}, {column}]"
            )
    if not costs.any():
        raise ValueError("record_costs of LpCSBClassifier.fit must have a positive cost, got zeros only")
    return costs
