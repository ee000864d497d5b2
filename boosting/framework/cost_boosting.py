"""AdaBoost on cost-sensitive samples, and AdaBoost of cost-sensitive models (section 3.1 of the framework)."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..reweighting.reweighting import OnNegativeAlpha, boost_by_reweighting
from ..reweighting.reweighting_classifier import NoRoundWarning
from ..reweighting.reweighting_rules import ADABOOST
from ..rounds.training_rows import TrainingRows, mass
from ..trees.stump_classifier import DecisionStumpClassifier
from .ballots import Ballots, Tally
from .combination_rules import Role
from .cost_sensitive_tree import CostSensitiveTreeClassifier
from .parts import check_part, decisions, fit_part, with_bins_for
from .record_draws import Draw, Drawn
from .records import Array, Cost, Records
from .sampler_choice import check_sampler, chosen_sampler
from .two_class_data import check_number
from .voting_classifier import VotingCostClassifier


class CostBoost(VotingCostClassifier):
    """Base of the two; see `CostSampleBoostClassifier`."""

    role: Role = "boosting"

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        on_negative_alpha: OnNegativeAlpha = "stop",
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.on_negative_alpha = on_negative_alpha
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.pos_label = pos_label
        self.random_state = random_state

    def _default_estimator(self) -> Any:
        raise TypeError(f"{type(self).__name__} is no booster by itself; use one of its subclasses")

    def _draw(self, records: Records) -> Draw | None:
        """What draws the sample of a round; None is for all records."""
        return None

    def ballots(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> Ballots:
        """The votes of the models on checked rows, which count alpha."""
        if not self.estimators_:
            return Ballots(np.full((1, len(rows)), self.fallback_is_positive_), np.ones((1, 1)))
        outcomes = np.array([decisions(model, rows, cost_fn, cost_fp) for model in self.estimators_])
        return Ballots.of(outcomes, self.estimator_weights_[:, None])

    def mean_probability(self, rows: NDArray[Any]) -> Array:
        """S2 (n,), the share of the votes, which is to be calibrated."""
        return self.ballots(rows, *self._costs_of_fit()).tally.share

    def _score(self, tally: Tally) -> Array:
        return tally.positive - tally.negative  # F

    @property
    def feature_importances_(self) -> Array:
        check_is_fitted(self, "estimators_")
        total = np.zeros(self.n_features_in_)
        for model, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            total += abs(alpha) * getattr(model, "feature_importances_", 0.0)
        return total / total.sum() if total.any() else total

    def _fit_records(self, records: Records, random_state: np.random.RandomState) -> None:
        training = TrainingRows.of(
            np.where(records.positive, 1.0, -1.0), records.mass, n_rounds=int(self.n_estimators)
        )
        generator = np.random.default_rng(random_state.randint(2**31 - 1))
        draw = self._draw(records)
        model = self._model()
        learner = (
            SampledStumps(model, records, draw, generator)
            if isinstance(model, DecisionStumpClassifier)
            else SampledModels(model, records, draw, generator, random_state)
        )
        run = boost_by_reweighting(ADABOOST, training, learner, on_negative_alpha=self.on_negative_alpha)
        self.estimators_ = run.learners
        self.estimator_weights_ = np.array(run.alphas, dtype=np.float64)
        self.estimator_errors_ = np.array(run.errors, dtype=np.float64)
        self.n_rounds_, self.stop_reason_ = len(run.learners), run.stop_reason
        costs = records.mass * records.costs
        self.fallback_is_positive_ = mass(costs, records.positive) > mass(costs, ~records.positive)
        if not run.learners:
            label = self.classes_[self._code if self.fallback_is_positive_ else 1 - self._code]
            warnings.warn(
                f"{type(self).__name__} kept no learner and predicts {label!r}, the class of least cost, for "
                f"every row: {self.stop_reason_}",
                NoRoundWarning,
                stacklevel=4,
            )

    def _model(self) -> Any:
        return self._default_estimator() if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_number(self, "n_estimators")
        self._check_choice("on_negative_alpha", "stop", "skip", "keep")
        if self.estimator is not None:
            check_part(self.estimator, "estimator", owner)
            if not has_fit_parameter(self.estimator, "sample_weight"):
                raise ValueError(
                    f"estimator of {owner} must take sample_weight in fit, "
                    f"{type(self.estimator).__name__} does not"
                )


class CostSampleBoostClassifier(CostBoost):
    """CS-SampleBoost: AdaBoost of decision stumps (Gini), each trained on a cost-sensitive sample of its round.

    The boosting weights of the records of a sample are normalised there, synthetic rows weigh 1/size before;
    error and weights are those of all records. With equal costs, and any sampler but "rejection", it is
    AdaBoost. `predict_proba` is the share of the votes, `decision_function` F = sum of alpha h.

    Parameters
    ----------
    estimator : classifier or None
        Weak learner that takes `sample_weight`; None is a `DecisionStumpClassifier`.
    sampler : {"under", "over", "hybrid", "smote", "rejection"} or sampler
        A `CostUnderSampler` and so forth; its costs are those of this estimator. Costs of single records need
        "rejection".
    n_estimators : int
        Number of rounds.
    on_negative_alpha : {"skip", "stop", "keep"}
        A learner no better than chance is left out and another sample drawn, or ends the rounds, or votes
        against itself. Where costs differ much, learners can be wrong on more than half of the weight.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`, also for further attributes.

    Attributes
    ----------
    estimators_ : list
        The learners; their classes are 0 and 1, the positive one.
    estimator_weights_ : (T,) array
        Vote weights alpha = 1/2 ln((1-e)/e).
    estimator_errors_ : (T,) array
        Weighted errors e on all records.
    n_rounds_ : int
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the learners have them.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        sampler: Any = "under",
        n_estimators: int = 50,
        on_negative_alpha: OnNegativeAlpha = "skip",
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            on_negative_alpha=on_negative_alpha,
            cost_fn=cost_fn,
            cost_fp=cost_fp,
            pos_label=pos_label,
            random_state=random_state,
        )
        self.sampler = sampler

    def _default_estimator(self) -> Any:
        return DecisionStumpClassifier()

    def _draw(self, records: Records) -> Draw:
        return chosen_sampler(self.sampler).drawing(records)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_sampler(self.sampler, type(self).__name__)


class CostBaseBoostClassifier(CostBoost):
    """AdaBoost of models that count costs: cost-sensitive trees, or models that decide by expected cost.

    With a `MinimumExpectedCostClassifier` it is DMECC-AdaBoost: the outcomes of least expected cost enter the
    error and the weights. `predict_proba` is the share of the votes, `decision_function` F = sum of alpha h.

    Parameters
    ----------
    estimator : classifier or None
        Takes `sample_weight`, and `cost_fn` and `cost_fp` if it counts costs; None is a cost-sensitive stump,
        ``CostSensitiveTreeClassifier(max_depth=1)``.
    n_estimators, on_negative_alpha
        See `CostSampleBoostClassifier`, also for the attributes.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`.
    """

    def _default_estimator(self) -> Any:
        return CostSensitiveTreeClassifier(max_depth=1)


class SampledModels:
    """Trains any classifier on the sample of a round."""

    def __init__(
        self,
        estimator: Any,
        records: Records,
        draw: Draw | None,
        generator: np.random.Generator,
        random_state: np.random.RandomState,
    ) -> None:
        records = with_bins_for(estimator, records)
        self._estimator = estimator
        self._records = records
        self._draw = draw
        self._generator = generator
        self._random_state = random_state

    def fit(self, weights: Array) -> tuple[Any, Array]:
        """A model trained under the boosting weights (n,), and its h (n,) in {-1, +1} of all records."""
        records = self._records
        copies, drawn = records.copies, None
        if self._draw is not None:
            drawn = self._draw(self._generator)
            copies = drawn.copies
        of_copy = weights / records.copies
        n_synthetic = 0 if drawn is None else len(drawn.synthetic)
        size = int(copies.sum()) + n_synthetic
        total = float((of_copy * copies).sum()) + n_synthetic / size
        sample = replace(records, weight=of_copy * size / total).with_copies(copies)  # of mean 1
        if drawn is not None:
            sample = sample.with_synthetic(drawn.synthetic, drawn.synthetic_positive, 1.0 / total)
        fitted = fit_part(self._estimator, sample, self._random_state)
        positive = decisions(fitted, records.rows, records.cost_fn, records.cost_fp)
        return fitted, 2.0 * positive.astype(np.float64) - 1.0


class SampledStumps:
    """The same for our stump, whose columns are prepared once."""

    def __init__(
        self,
        estimator: DecisionStumpClassifier,
        records: Records,
        draw: Draw | None,
        generator: np.random.Generator,
    ) -> None:
        self._estimator = estimator
        self._records = records
        self._draw = draw
        self._generator = generator
        self._trainer = estimator.trainer(records.rows, records.positive.astype(np.int64), 2)

    def fit(self, weights: Array) -> tuple[Any, Array]:
        """As of `SampledModels`."""
        records, trainer = self._records, self._trainer
        drawn = Drawn(records.copies, records.rows[:0]) if self._draw is None else self._draw(self._generator)
        shares = weights * (drawn.copies / records.copies)
        if len(drawn.synthetic):
            labels = np.full(len(drawn.synthetic), int(drawn.synthetic_positive))
            trainer = trainer.with_rows(drawn.synthetic, labels)
            shares = np.append(shares, np.full(len(labels), 1.0 / drawn.size))
        stump, goes_left = trainer.fit(shares / shares.sum())
        goes_left = np.asarray(goes_left[: len(weights)])
        positive = np.where(goes_left, stump.left, stump.right).astype(np.float64)
        fitted = self._estimator.with_stump(stump, np.array([0, 1]), records.rows.shape[1])
        return fitted, 2.0 * positive - 1.0
