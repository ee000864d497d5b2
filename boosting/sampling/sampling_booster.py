"""What SMOTEBoost and RUSBoost have in common: a sample a round, AdaBoost.M2 or SAMME on all rows.

A round draws a training set and trains a learner on it, under the boosting weights of its original rows and
1/size for synthetic ones, normalised. The error is measured, and the weights move, on all original rows.
AdaBoost.M2 (Freund and Schapire 1997) keeps weights D(i, k) of the wrong labels k of row i, and with the
learner's class shares h(x, k) has

    e = 1/2 sum D(i, k) (1 - h(x_i, y_i) + h(x_i, k)),    b = e/(1-e),
    D(i, k) times b^((1 + h(x_i, y_i) - h(x_i, k))/2),    score of class k: sum ln(1/b) h(x, k).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ..costs import zero_one
from ..multiclass.mislabel_kernels import mislabel_loss, multiply_mislabels
from ..multiclass.multiclass_ensemble import Array, Codes, MulticlassEnsemble, ScoreHistory, TableToPredict
from ..rounds.row_distribution import REFRESH, normalised
from ..rounds.training_rows import mass
from ..rounds.weak_learners import seeded_clone
from ..trees.stump_classifier import DecisionStumpClassifier
from ..trees.tree_classifier import TreeClassifier
from .class_sampling import EqualRows, ForeignSampler, Sample, Sampler

Algorithm = Literal["M2", "SAMME"]


class SamplingBooster(MulticlassEnsemble):
    """Base of the boosters that sample every round; see `RUSBoostClassifier`."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        algorithm: Algorithm = "M2",
        sampler: Any = None,
        max_depth: int = 1,
        max_features: int | float | None = None,
        on_negative_alpha: Literal["stop", "skip"] = "skip",
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
        self.algorithm = algorithm
        self.sampler = sampler
        self.on_negative_alpha = on_negative_alpha

    def _own_sampler(self, table: EqualRows, generator: np.random.Generator) -> Sampler:
        """The sampler of the method."""
        raise TypeError(f"{type(self).__name__} is no booster by itself; use one of its subclasses")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("algorithm", ("M2", "SAMME"))
        self._check_choice("on_negative_alpha", ("stop", "skip"))
        owner = type(self).__name__
        if self.sampler is not None and not hasattr(self.sampler, "fit_resample"):
            raise ValueError(f"sampler of {owner} must have fit_resample or be None, got {self.sampler!r}")
        if self.algorithm == "M2" and not hasattr(self._weak_learner(), "predict_proba"):
            raise ValueError(
                f"estimator of {owner} must have predict_proba for algorithm='M2', "
                f"{type(self.estimator).__name__} has not; algorithm='SAMME' does without"
            )

    def _boost(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: Codes, weights: Array, **of_rows: Array
    ) -> None:
        random_state = check_random_state(self.random_state)
        sampler: Sampler
        if self.sampler is None:
            generator = np.random.default_rng(random_state.randint(2**31 - 1))
            sampler = self._own_sampler(EqualRows(rows, codes, of_rows["copies"]), generator)
        else:
            sampler = ForeignSampler(self.sampler, rows, codes, random_state)
        learner = SampledLearner(self._weak_learner(), rows, codes, self.classes_, weights, random_state)
        costs = zero_one(len(self.classes_))[codes]
        history = ScoreHistory(codes, weights, costs) if self.record_history else None
        state: _MislabelWeights | _RowWeights = (
            _MislabelWeights(codes, costs, weights)
            if self.algorithm == "M2"
            else _RowWeights(codes, weights, len(self.classes_))
        )
        learners, alphas, errors = [], [], []
        scores = np.zeros(costs.shape)
        self.stop_reason_ = "all rounds done"
        for number in range(1, int(self.n_estimators) + 1):
            fitted = learner.fit(sampler.draw(), state.of_rows())
            opinion = self._opinion(learner.table, fitted)
            alpha, error = state.judge(opinion)
            if alpha <= 0:
                reason = (
                    f"the learner of round {number} is not better than chance: alpha = {alpha:.4g}, "
                    f"{'pseudo-loss' if self.algorithm == 'M2' else 'weighted error'} = {error:.4g}"
                )
                if self.on_negative_alpha == "stop":
                    self.stop_reason_ = reason
                    break
                self.stop_reason_ = f"all rounds done; the last one skipped: {reason}"
                continue
            self.stop_reason_ = "all rounds done"
            learners.append(fitted)
            alphas.append(alpha)
            errors.append(error)
            if history is not None:
                scores += alpha * opinion.dense
                history.add(scores, alpha=alpha, error=error)
            if error == 0:
                self.stop_reason_ = f"the learner of round {number} makes no error"
                break
            state.update(opinion, alpha)
        self.estimators_ = learners
        self.estimator_weights_ = np.array(alphas, dtype=np.float64)
        self.estimator_errors_ = np.array(errors, dtype=np.float64)
        if history is not None:
            self.history_ = history.arrays()

    def _fit(
        self, rows: NDArray[Any], labels: NDArray[Any], sample_weight: Any, **of_rows: Array
    ) -> SamplingBooster:
        given = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if given.shape != (len(rows),):  # reported by the check that follows
            given = np.ones(len(rows))
        super()._fit(rows, labels, sample_weight, copies=given)
        return self

    def _opinion(self, table: TableToPredict, learner: Any) -> Opinion:
        """Class shares, or 1 for the class predicted."""
        if self.algorithm == "M2":
            return Opinion(*table.leaf_shares(learner, self.classes_))
        codes = table.codes(learner, self.classes_).astype(np.int64)
        return Opinion(codes, np.eye(len(self.classes_)))

    def _score_stages(self, rows: NDArray[Any]) -> Iterator[Array]:
        table = TableToPredict(rows, self.estimators_)
        scores = np.zeros((len(rows), len(self.classes_)))
        for learner, alpha in self._weighted_learners():
            scores += alpha * self._opinion(table, learner).dense
            yield scores


@dataclass(frozen=True, eq=False)
class Opinion:
    """h(x, k) of a learner: the leaf (n,) of every row, and the shares (leaves, K) of the classes there."""

    leaves: Codes
    shares: Array

    @property
    def dense(self) -> Array:
        """h (n, K)."""
        return np.asarray(self.shares[self.leaves])


class SampledLearner:
    """Trains the weak learner on samples; bins of our stump and tree are chosen once, from the original rows."""

    def __init__(
        self,
        estimator: Any,
        rows: NDArray[Any],
        codes: Codes,
        classes: NDArray[Any],
        weights: Array,
        random_state: np.random.RandomState,
    ) -> None:
        self._estimator = estimator
        self._rows = rows
        self._codes = codes
        self._classes = classes
        self._random_state = random_state
        self._trainer: Any = None
        if isinstance(estimator, DecisionStumpClassifier):
            self._trainer = estimator.trainer(rows, codes, len(classes))
        elif isinstance(estimator, TreeClassifier):
            self._estimator = seeded_clone(estimator, random_state)
            self._trainer = self._estimator.trainer(rows, codes, len(classes), weights)
        self.table = TableToPredict(rows, [estimator])

    def fit(self, sample: Sample, weights: Array) -> Any:
        """Train on a sample under weights (n,) of the original rows."""
        extra = np.full(len(sample.extra_rows), 1.0 / sample.size)
        together = np.concatenate([weights * sample.shares, extra])
        together /= together.sum()
        if self._trainer is None:
            return self._fit_other(sample, together)
        trainer = self._trainer
        if len(extra):
            trainer = trainer.with_rows(sample.extra_rows, sample.extra_codes)
        model, _ = trainer.fit(together)
        n_features = self._rows.shape[1]
        if isinstance(self._estimator, DecisionStumpClassifier):
            return self._estimator.with_stump(model, self._classes, n_features)
        return self._estimator.with_tree(model, self._classes, n_features)

    def _fit_other(self, sample: Sample, weights: Array) -> Any:
        used = weights > 0
        rows = np.concatenate([self._rows, sample.extra_rows])[used]
        codes = np.concatenate([self._codes, sample.extra_codes])[used]
        fitted = seeded_clone(self._estimator, self._random_state)
        return fitted.fit(rows, self._classes[codes], sample_weight=weights[used] * used.sum())


class _MislabelWeights:
    """D(i, k) of AdaBoost.M2; its logarithms, up to a constant, keep what is too small for a float64."""

    def __init__(self, codes: Codes, wrong_label: Array, weights: Array) -> None:
        self._codes = codes
        with np.errstate(divide="ignore"):  # the right label has no weight
            log_weights = np.log(wrong_label * weights[:, None])
        self._log, self._weights = normalised(log_weights)
        self._error_floor = 0.5 * float(weights.min())
        self._rounds = 0

    def of_rows(self) -> Array:
        return np.asarray(self._weights.sum(axis=1))

    def judge(self, opinion: Opinion) -> tuple[float, float]:
        """alpha = ln(1/b) and the pseudo-loss e."""
        loss = max(mislabel_loss(self._weights, self._codes, opinion.leaves, opinion.shares), 0.0)
        bounded = min(loss if loss > 0 else self._error_floor, 1.0 - 1e-16)
        return float(np.log1p(-bounded) - np.log(bounded)), loss

    def update(self, opinion: Opinion, alpha: float) -> None:
        total = multiply_mislabels(
            self._log, self._weights, self._codes, opinion.leaves, opinion.shares, alpha
        )
        self._rounds += 1
        if self._rounds % REFRESH == 0 or total < 1e-100:
            self._log, self._weights = normalised(self._log)
        else:
            self._weights /= total


class _RowWeights:
    """D(i) of SAMME."""

    def __init__(self, codes: Codes, weights: Array, n_classes: int) -> None:
        self._codes = codes
        self._n_classes = n_classes
        self._error_floor = 0.5 * float(weights.min())
        self._log, self._weights = normalised(np.log(weights))

    def of_rows(self) -> Array:
        return self._weights

    def judge(self, opinion: Opinion) -> tuple[float, float]:
        """alpha = ln((1-e)/e) + ln(K-1) and the weighted error e."""
        error = mass(self._weights, opinion.leaves != self._codes)
        bounded = min(error if error > 0 else self._error_floor, 1.0 - 1e-16)
        return float(np.log1p(-bounded) - np.log(bounded) + np.log(self._n_classes - 1)), error

    def update(self, opinion: Opinion, alpha: float) -> None:
        wrong = opinion.leaves != self._codes
        self._log, self._weights = normalised(self._log + alpha * wrong)
