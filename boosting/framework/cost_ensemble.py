"""Ensembles of the bagging kind: models trained apart, on their own draws of records, that vote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .ballots import Ballots
from .base_kind import KINDS, BaseKindName, check_max_features
from .combination_rules import Role, check_base_estimator
from .cost_sensitive_tree import CostSensitiveTreeClassifier
from .parts import check_part, decisions, fit_part, probability, with_bins_for
from .records import Array, Cost, Records
from .two_class_data import check_number
from .voting_classifier import VotingCostClassifier

DrawRecords = Callable[[np.random.Generator], tuple[Records, NDArray[np.bool_]]]
"""Draws the records of a model, and tells which (n,) of all records are among them."""


class CostEnsemble(VotingCostClassifier):
    """Base of the ensembles of the bagging kind; see `CostBaseEnsembleClassifier`."""

    role: Role = "bagging"

    def __init__(
        self,
        estimator: Any = None,
        *,
        kind: BaseKindName = "bagging",
        n_estimators: int = 50,
        max_features: int | float | None = None,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.kind = kind
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.pos_label = pos_label
        self.random_state = random_state

    # What a method supplies

    def _drawing(self, records: Records, generator: np.random.Generator) -> DrawRecords:
        """What draws the records of the models."""
        kind = KINDS[self.kind]

        def draw(generator: np.random.Generator) -> tuple[Records, NDArray[np.bool_]]:
            copies = kind.bag(records, generator)
            return records.with_copies(copies), copies > 0

        return draw

    def _default_estimator(self) -> Any:
        return CostSensitiveTreeClassifier("gini")

    # The common course

    def mean_probability(self, rows: NDArray[Any]) -> Array:
        """Mean (n,) of the models' probabilities of the positive class, for checked rows."""
        return np.asarray(np.mean([probability(*asked) for asked in self._asked(rows)], axis=0))

    def out_of_bag_probability(self, rows: NDArray[Any]) -> Array:
        """Mean probability (n,) of the training records by the models that were not trained on each.

        By all models, where every one was.

        Parameters
        ----------
        rows : (n, F) array
            The distinct training records, in their sorted order.
        """
        probabilities = np.array([probability(model, seen) for model, seen in self._asked(rows)])
        counted = ~self.in_bag_ | self.in_bag_.all(axis=0)
        return np.asarray((probabilities * counted).sum(axis=0) / counted.sum(axis=0))

    def ballots(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> Ballots:
        """The votes of the models on checked rows, which count 1."""
        outcomes = [decisions(model, seen, cost_fn, cost_fp) for model, seen in self._asked(rows)]
        return Ballots(np.array(outcomes), np.ones((len(outcomes), 1)))

    @property
    def feature_importances_(self) -> Array:
        check_is_fitted(self, "estimators_")
        total = np.zeros(self.n_features_in_)
        for model, features in zip(self.estimators_, self.estimators_features_, strict=True):
            total[features] += getattr(model, "feature_importances_", 0.0)
        return total / total.sum() if total.any() else total

    def _fit_records(self, records: Records, random_state: np.random.RandomState) -> None:
        n_features, kind = records.rows.shape[1], KINDS[self.kind]
        model = kind.model(self._model(), n_features, self.max_features)
        records = with_bins_for(model, records)
        generator = np.random.default_rng(random_state.randint(2**31 - 1))
        draw = self._drawing(records, generator)
        self.estimators_, self.estimators_features_ = [], []
        in_bag = []
        for _ in range(int(self.n_estimators)):
            features = kind.subset(n_features, self.max_features, generator)
            drawn, used = draw(generator)
            seen = drawn if features is None else drawn.with_features(features)
            self.estimators_.append(self._fit_model(model, seen, random_state))
            self.estimators_features_.append(np.arange(n_features) if features is None else features)
            in_bag.append(used)
        self.in_bag_ = np.array(in_bag)
        wrong = self.ballots(records.rows, records.cost_fn, records.cost_fp).outcomes != records.positive
        self.estimator_errors_ = wrong @ records.mass / records.mass.sum()
        self.estimator_weights_ = np.ones(len(self.estimators_))
        self.n_rounds_, self.stop_reason_ = len(self.estimators_), "all rounds done"

    def _fit_model(self, model: Any, records: Records, random_state: np.random.RandomState) -> Any:
        return fit_part(model, records, random_state)

    def _model(self) -> Any:
        return self._default_estimator() if self.estimator is None else self.estimator

    def _asked(self, rows: NDArray[Any]) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Every model, and the rows as it sees them."""
        for model, features in zip(self.estimators_, self.estimators_features_, strict=True):
            yield model, rows if len(features) == rows.shape[1] else rows[:, features]

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        self._check_choice("kind", *KINDS)
        check_number(self, "n_estimators")
        check_max_features(self.max_features, owner)
        if self.estimator is not None:
            check_part(self.estimator, "estimator", owner)
        check_base_estimator(self._model(), self.kind, owner)


class CostBaseEnsembleClassifier(CostEnsemble):
    """Bagging, random decision forest or random forest, of plain or of cost-sensitive models.

    With a `CostSensitiveTreeClassifier` that splits or prunes by cost it is the framework's ensemble of
    cost-sensitive base models, with a `MinimumExpectedCostClassifier` its DMECC-Ensemble; with the default it
    ignores costs, and is what methods that count them afterwards work on.

    `predict` takes the class that more models vote for, a tie is negative; `predict_proba` is the share of the
    votes, `decision_function` that less 1/2. Methods that work on probabilities use the mean of the models' own.

    Parameters
    ----------
    estimator : classifier or None
        The model; None is a plain tree, ``CostSensitiveTreeClassifier("gini")``. It gets the costs if its
        `fit` takes `cost_fn` and `cost_fp`, and records repeatedly if it takes no `sample_weight`.
    kind : {"bagging", "random decision forest", "random forest"}
        A bootstrap sample a model; a random subset of the attributes a model, of all records; or a bootstrap
        sample, and a random subset of the attributes a split.
    n_estimators : int
        Number of models.
    max_features : int, float or None
        Number or share of the attributes in a subset; None is half of them a model and their square root a
        split.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`, also for further attributes.

    Attributes
    ----------
    estimators_ : list
        The models; their classes are 0 and 1, the positive one.
    estimators_features_ : list of int arrays
        Attributes of each.
    estimator_errors_ : (T,) array
        Share of the training records, by weight, that each gets wrong.
    estimator_weights_ : (T,) array of ones
    n_rounds_ : int
        T.
    stop_reason_ : str
    in_bag_ : (T, n) bool
        Which of the distinct records, in their sorted order, each was trained on.
    feature_importances_ : (F,) array
        If the models have them.
    """
