"""AdaC2.M1 (Sun, Kamel and Wang 2006): AdaC2 for any number of classes, with one cost a true class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..reweighting.reweighting_rules import half_log_ratio
from ..rounds.row_distribution import normalised
from .multiclass_ensemble import Array, Codes, MulticlassEnsemble, ScoreHistory, TableToPredict


class AdaC2M1Classifier(MulticlassEnsemble):
    """AdaC2.M1, of trees of 3 levels (Gini) by default.

    A row costs the sum of its class's row of the cost matrix, C. A round has alpha = 1/2 ln(A/B), with A and B
    the sums of C D over the rightly and wrongly predicted rows, and multiplies the weights with
    C exp(-alpha) where right, C exp(alpha) where wrong. The class of the largest sum of alphas is predicted.

    Parameters
    ----------
    estimator : classifier or None
        Weak learner that takes `sample_weight`. None is a `TreeClassifier` of `max_depth`.
    cost_matrix : (K, K) array_like, optional
        C[true, predicted]; None is 0|1.
    n_estimators : int
        Number of rounds at most.
    max_depth : int
        Split levels of the default tree (1 is a stump); a given `estimator` has its own.
    max_features : int, float or None
        Number or share of the features that each default tree chooses from; None is all.
    stop : bool
        End with the first learner of alpha <= 0, as published. False goes on with its votes against it, as a
        published program does.
    record_history : bool
        Keep `history_`.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (K,) array
    estimators_ : list
    estimator_weights_ : (T,) array
        alpha.
    estimator_errors_ : (T,) array
        Weighted 0|1 errors of the learners.
    class_weights_ : (K,) array
        Share of the sample weights that each class has.
    n_rounds_ : int
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the learners have them.
    history_ : dict of arrays
        With `record_history`, after every round: alpha, error, class_weights, recall of every class,
        training_error, training_cost.
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cost_matrix: ArrayLike | None = None,
        n_estimators: int = 50,
        max_depth: int = 3,
        max_features: int | float | None = None,
        stop: bool = True,
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
        self.stop = stop

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("stop", (True, False))

    def _cost_matrix(self) -> Array:
        return self._checked_costs(self.cost_matrix)

    def _boost(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: Codes, weights: Array, **of_rows: Array
    ) -> None:
        costs = self._cost_matrix()
        history = ScoreHistory(codes, weights, costs[codes]) if self.record_history else None
        run = boost_adac2m1(
            self._learner(rows, labels, codes, weights),
            codes,
            costs,
            weights,
            n_rounds=int(self.n_estimators),
            stop=self.stop,
            history=history,
        )
        self.estimators_ = run.learners
        self.estimator_weights_ = np.array(run.alphas, dtype=np.float64)
        self.estimator_errors_ = np.array(run.errors, dtype=np.float64)
        self.stop_reason_ = run.stop_reason
        if history is not None:
            self.history_ = history.arrays()

    def _score_stages(self, rows: NDArray[Any]) -> Iterator[Array]:
        table = TableToPredict(rows, self.estimators_)
        votes = np.zeros((len(rows), len(self.classes_)))
        every_row = np.arange(len(rows))
        for learner, alpha in self._weighted_learners():
            votes[every_row, table.codes(learner, self.classes_)] += alpha
            yield votes


@dataclass
class AdaC2M1Run:
    """Outcome of `boost_adac2m1`; the logarithms of the weights (n,) are those after the last update."""

    learners: list[Any] = field(default_factory=list)
    alphas: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    stop_reason: str = "all rounds done"
    log_weights: Array = field(default_factory=lambda: np.empty(0))
    votes: Array = field(default_factory=lambda: np.empty((0, 0)))


def boost_adac2m1(
    learner: Any,
    codes: Codes,
    cost_matrix: Array,
    weights: Array,
    *,
    n_rounds: int,
    stop: bool = True,
    history: ScoreHistory | None = None,
) -> AdaC2M1Run:
    """The rounds of AdaC2.M1.

    Parameters
    ----------
    learner : object with ``fit(weights) -> (fitted, codes predicted)``
    codes : (n,) int
        Class of every row.
    cost_matrix : (K, K) float64
    weights : (n,) float64 > 0
        Initial weights of sum 1.
    n_rounds : int
    stop : bool
        End before the first learner of alpha <= 0.
    history : ScoreHistory, optional
    """
    n_classes = len(cost_matrix)
    costs = cost_matrix.sum(axis=1)[codes]
    with np.errstate(divide="ignore"):  # rows of a class whose errors cost nothing: weight 0 from round 2 on
        log_costs = np.log(costs)
    error_floor = 0.5 * float(weights.min())
    every_row = np.arange(len(codes))
    run = AdaC2M1Run(votes=np.zeros((len(codes), n_classes)))
    run.log_weights, weights = normalised(np.log(weights))
    for number in range(1, n_rounds + 1):
        fitted, predicted = learner.fit(weights)
        wrong = np.asarray(predicted != codes)
        at_risk = weights * costs
        adverse = float((at_risk * wrong).sum())
        favourable = float((at_risk * ~wrong).sum())
        if favourable == adverse == 0:
            run.stop_reason = f"no row of round {number} has a weight and a cost"
            break
        alpha = half_log_ratio(favourable, adverse, error_floor)
        if alpha <= 0 and stop:
            run.stop_reason = (
                f"the learner of round {number} is not better than chance under the weights and costs: "
                f"alpha = {alpha:.4g}"
            )
            break
        run.learners.append(fitted)
        run.alphas.append(alpha)
        run.errors.append(float((weights * wrong).sum()))
        run.votes[every_row, predicted] += alpha
        if history is not None:
            class_weights = np.bincount(codes, weights, n_classes)
            history.add(run.votes, alpha=alpha, error=run.errors[-1], class_weights=class_weights)
        if adverse == 0:
            run.stop_reason = f"the learner of round {number} makes no error that costs"
            break
        run.log_weights, weights = normalised(run.log_weights + log_costs + np.where(wrong, alpha, -alpha))
    return run
