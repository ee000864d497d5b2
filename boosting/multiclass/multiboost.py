"""MultiBoost (Wang 2013): cost-sensitive boosting over a pool of multi-class learners trained beforehand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ..costs import margin_codes
from ..distinct_rows import group_equal_rows
from .multiboost_kernels import pool_losses
from .multiclass_ensemble import Array, Codes, MulticlassEnsemble, ScoreHistory, TableToPredict


class MultiBoostClassifier(MulticlassEnsemble):
    """MultiBoost over a pool of trees of 3 levels (Gini) by default.

    The loss is ``sum_n sum_k C(l_n, k) exp(f_k(x_n))``. A round takes from the pool the learner G of least
    ``A = sum_n w(n, G(x_n))``, where w is the normalised summand, with the step
    beta = (K-1)/K ln((1-A)/((K-1)A)), and adds beta times the margin vector of G's label to f. It ends where
    A >= 1/K, as then no learner of the pool lowers the loss. The class of the largest f is predicted.

    Parameters
    ----------
    estimator : classifier or None
        What the pool is made of; any classifier that takes `sample_weight`. None is a `TreeClassifier` of
        `max_depth`.
    cost_matrix : (K, K) array_like, optional
        C[true, predicted]; None is 0|1.
    n_estimators : int
        Number of rounds at most.
    pool_size : int
        Number of learners trained for the pool (6000 in the BAdaCost paper's comparison).
    pool_fractions : tuple of float in (0, 1]
        Shares of the distinct rows that the learners are trained on, in turn, drawn at random for each.
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
    estimators_ : list
        The learner of every round; one learner may be chosen several times.
    estimator_weights_ : (T,) array
        beta.
    estimator_errors_ : (T,) array
        A.
    class_weights_ : (K,) array
        Share of the sample weights that each class has.
    n_rounds_ : int
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the learners have them.
    history_ : dict of arrays
        With `record_history`, after every round: beta, loss (A), recall of every class, training_error,
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
        n_estimators: int = 50,
        pool_size: int = 300,
        pool_fractions: tuple[float, ...] = (0.3, 0.45, 0.6),
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
        self.pool_size = pool_size
        self.pool_fractions = pool_fractions

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_integer("pool_size", 1)
        fractions = self.pool_fractions
        usable = isinstance(fractions, tuple | list) and len(fractions) > 0
        if not usable or not all(isinstance(share, Real) and 0 < share <= 1 for share in fractions):
            raise ValueError(
                f"pool_fractions of {type(self).__name__} must be shares in (0, 1], got {fractions!r}"
            )

    def _cost_matrix(self) -> Array:
        return self._checked_costs(self.cost_matrix)

    def _boost(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: Codes, weights: Array, **of_rows: Array
    ) -> None:
        costs = self._cost_matrix()[codes]
        history = ScoreHistory(codes, weights, costs) if self.record_history else None
        run = boost_multiboost(
            self._pool(rows, labels, codes, weights),
            costs * weights[:, None],
            n_rounds=int(self.n_estimators),
            history=history,
        )
        self.estimators_ = run.learners
        self.estimator_weights_ = np.array(run.betas, dtype=np.float64)
        self.estimator_errors_ = np.array(run.losses, dtype=np.float64)
        self.stop_reason_ = run.stop_reason
        if history is not None:
            self.history_ = history.arrays()

    def _pool(self, rows: NDArray[Any], labels: NDArray[Any], codes: Codes, weights: Array) -> Pool:
        random_state = check_random_state(self.random_state)
        seed = random_state.randint(np.iinfo(np.int32).max)
        trainer = self._seeded_learner(rows, labels, codes, weights, seed)
        groups, codes_of_groups = group_equal_rows(rows, codes)
        learners = []
        predicted = np.empty((int(self.pool_size), len(rows)), dtype=np.uint8)
        for number in range(int(self.pool_size)):
            fraction = self.pool_fractions[number % len(self.pool_fractions)]
            drawn = np.zeros(len(codes_of_groups), dtype=bool)
            size = max(round(fraction * len(drawn)), 1)
            drawn[random_state.permutation(len(drawn))[:size]] = True
            for code in range(len(self.classes_)):  # a class that was not drawn lends its first row
                if not drawn[codes_of_groups == code].any():
                    drawn[np.argmax(codes_of_groups == code)] = True
            chosen = weights * drawn[groups]  # the others get weight 0, so that columns are prepared once
            learner, predicted[number] = trainer.fit(chosen / chosen.sum())
            learners.append(learner)
        return Pool(learners, predicted)

    def _score_stages(self, rows: NDArray[Any]) -> Iterator[Array]:
        table = TableToPredict(rows, self.estimators_)
        margins = margin_codes(len(self.classes_))
        scores = np.zeros((len(rows), len(self.classes_)))
        for learner, beta in self._weighted_learners():
            scores += beta * margins[table.codes(learner, self.classes_)]
            yield scores

    def _shares(self, scores: Array) -> Array:
        """Share of the betas that is for each class."""
        n_classes = scores.shape[1]
        total = self.estimator_weights_.sum() if self.n_rounds_ else 1.0
        votes = scores * (n_classes - 1) / n_classes + total / n_classes
        return super()._shares(votes)


class Chooser(Protocol):
    """Supplies the learner of a round."""

    def choose(self, weights: Array) -> tuple[Any, NDArray[np.integer]]:
        """The learner that suits weights (n, K) of sum 1, and its class codes (n,) of the rows."""
        ...


@dataclass(frozen=True, eq=False)
class Pool:
    """Trained learners and what they say of the training rows, class codes (P, n) uint8."""

    learners: list[Any]
    predicted: NDArray[np.uint8]

    def choose(self, weights: Array) -> tuple[Any, NDArray[np.integer]]:
        """The learner of least loss, the first of them on ties."""
        losses = np.empty(len(self.learners))
        pool_losses(self.predicted, weights, losses)
        best = int(np.argmin(losses))
        return self.learners[best], self.predicted[best]


@dataclass
class MultiBoostRun:
    """Outcome of `boost_multiboost`; `scores` (n, K) is f of the rows, `weights` (n, K) the last w."""

    learners: list[Any] = field(default_factory=list)
    betas: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    stop_reason: str = "all rounds done"
    scores: Array = field(default_factory=lambda: np.empty((0, 0)))
    weights: Array = field(default_factory=lambda: np.empty((0, 0)))


def multiboost_step(loss: float, n_classes: int) -> float:
    """beta = (K-1)/K ln((1-A)/((K-1)A)) for a learner of normalised loss A."""
    return (n_classes - 1) / n_classes * (math.log(1.0 - loss) - math.log((n_classes - 1) * loss))


def boost_multiboost(
    chooser: Chooser, costs: Array, *, n_rounds: int, history: ScoreHistory | None = None
) -> MultiBoostRun:
    """The rounds of MultiBoost.

    Parameters
    ----------
    chooser : Chooser
    costs : (n, K) float64 >= 0
        C(l_n, k), times the sample weights.
    n_rounds : int
    history : ScoreHistory, optional
    """
    n_rows, n_classes = costs.shape
    margins = margin_codes(n_classes)
    smallest = 0.5 * float(costs[costs > 0].min() / costs.sum())  # loss that a faultless learner is given
    run = MultiBoostRun(scores=np.zeros((n_rows, n_classes)), weights=costs / costs.sum())
    for number in range(1, n_rounds + 1):
        learner, predicted = chooser.choose(run.weights)
        loss = float(run.weights[np.arange(n_rows), predicted].sum())
        faultless = loss == 0.0
        beta = multiboost_step(smallest if faultless else loss, n_classes) if loss < 1.0 else -math.inf
        if beta <= 0:
            run.stop_reason = (
                f"no learner of the pool lowers the loss in round {number}: A = {loss:.4g}, not below 1/K"
            )
            break
        run.learners.append(learner)
        run.betas.append(beta)
        run.losses.append(loss)
        run.scores += beta * margins[predicted]
        if history is not None:
            history.add(run.scores, beta=beta, loss=loss)
        with np.errstate(divide="ignore"):  # the right label costs nothing
            log_weights = np.log(costs) + run.scores
        run.weights = np.exp(log_weights - log_weights.max())
        run.weights /= run.weights.sum()
        if faultless:
            run.stop_reason = f"the learner of round {number} makes no error that costs"
            break
    return run
