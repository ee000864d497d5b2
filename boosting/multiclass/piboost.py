"""PIBoost (Fernandez-Baldera and Baumela 2014): multi-class boosting of learners that separate groups of classes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..costs import zero_one
from ..reweighting.reweighting import ReweightingRun, boost_by_reweighting
from ..reweighting.reweighting_rules import csadaboost
from ..rounds.training_rows import TrainingRows
from ..rounds.votes import as_pair
from .group_learners import GroupPredictions, group_learners
from .multiclass_ensemble import Array, Codes, MulticlassEnsemble, ScoreHistory


class PIBoostClassifier(MulticlassEnsemble):
    """PIBoost, of trees of 3 levels (Gini) by default.

    A separator is a set S of s of the K classes; its learners tell S from the rest, on its own weights. A
    learner that says S adds beta/s to the score f of the classes in S and takes beta/(K-s) from the others;
    one that says the rest does the opposite. The class of the largest f is predicted. For each separator this
    is CS-AdaBoost with the rates K - s in S and s outside (Corollary 3 of the BAdaCost paper), and
    beta = s (K-s) (K-1) times its alpha. It takes no costs.

    Parameters
    ----------
    estimator : classifier or None
        Weak learner that takes `sample_weight`. None is a `TreeClassifier` of `max_depth`.
    n_estimators : int
        Number of rounds at most, with one learner a separator each.
    max_separator_size : int
        Separators are all sets of 1 to so many classes; at most K/2.
    on_negative_step : {"skip", "keep"}
        A learner that is not better than chance is left out of its round, or its votes count against it, as
        in a published program.
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
    separators_ : list of tuple of int
        Indices into `classes_` of the classes in each separator.
    estimators_ : list of list
        The learners of every round, one a separator: they predict 1 (in S) or 0; None where it has none.
    estimator_weights_ : (T, n_separators) array
        beta; 0 where there is no learner.
    class_weights_ : (K,) array
        Share of the sample weights that each class has.
    n_rounds_ : int
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the learners have them.
    history_ : dict of arrays
        With `record_history`, after every round: betas of the separators, recall of every class,
        training_error, training_cost.
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        max_separator_size: int = 1,
        on_negative_step: Literal["skip", "keep"] = "skip",
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
        self.max_separator_size = max_separator_size
        self.on_negative_step = on_negative_step

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_integer("max_separator_size", 1)
        self._check_choice("on_negative_step", ("skip", "keep"))

    def _boost(
        self, rows: NDArray[Any], labels: NDArray[Any], codes: Codes, weights: Array, **of_rows: Array
    ) -> None:
        n_classes = len(self.classes_)
        if self.max_separator_size > n_classes // 2:
            raise ValueError(
                f"max_separator_size of {type(self).__name__} must be at most half the number of classes, "
                f"{n_classes // 2} of {n_classes}, got {self.max_separator_size}"
            )
        self.separators_ = separators(n_classes, int(self.max_separator_size))
        groups = [np.isin(codes, separator) for separator in self.separators_]
        learners = group_learners(self._weak_learner(), rows, groups, weights, self.random_state)
        runs = [
            boost_separator(
                learner,
                group,
                (n_classes, len(separator)),
                weights,
                n_rounds=int(self.n_estimators),
                on_negative_step=self.on_negative_step,
            )
            for separator, group, learner in zip(self.separators_, groups, learners, strict=True)
        ]
        n_rounds = max((run.rounds[-1] + 1 for run in runs if run.rounds), default=0)
        self.estimators_ = [[None] * len(runs) for _ in range(n_rounds)]
        self.estimator_weights_ = np.zeros((n_rounds, len(runs)))
        for column, (separator, run) in enumerate(zip(self.separators_, runs, strict=True)):
            scale = separator_scale(n_classes, len(separator))
            for learner, number, alpha in zip(run.learners, run.rounds, run.alphas, strict=True):
                self.estimators_[number][column] = learner
                self.estimator_weights_[number, column] = scale * as_pair(alpha)[0]
        reasons = dict.fromkeys(run.stop_reason for run in runs)
        self.stop_reason_ = "; ".join(reasons)
        if self.record_history:
            history = ScoreHistory(codes, weights, zero_one(n_classes)[codes])
            for betas, scores in zip(self.estimator_weights_, self._score_stages(rows), strict=True):
                history.add(scores, betas=betas)
            self.history_ = history.arrays()

    def _score_stages(self, rows: NDArray[Any]) -> Iterator[Array]:
        n_classes = len(self.classes_)
        predictions = GroupPredictions(rows, (learner for learner, _ in self._weighted_learners()))
        scores = np.zeros((len(rows), n_classes))
        for learners, betas in zip(self.estimators_, self.estimator_weights_, strict=True):
            for separator, learner, beta in zip(self.separators_, learners, betas, strict=True):
                if learner is not None:
                    votes = separator_votes(n_classes, separator)
                    scores += np.outer(beta * predictions.signs(learner), votes)
            yield scores

    def _weighted_learners(self) -> Iterator[tuple[Any, float]]:
        for learners, betas in zip(self.estimators_, self.estimator_weights_, strict=True):
            for learner, beta in zip(learners, betas, strict=True):
                if learner is not None:
                    yield learner, beta

    def _shares(self, scores: Array) -> Array:
        """Friedman's link, softmax of f/(K-1): the class probabilities that minimise the loss at f."""
        exponents = scores / (scores.shape[1] - 1)
        shares = np.exp(exponents - exponents.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def separators(n_classes: int, largest: int) -> list[tuple[int, ...]]:
    """All sets of 1 to `largest` classes, in lexical order within a size."""
    return [chosen for size in range(1, largest + 1) for chosen in combinations(range(n_classes), size)]


def separator_scale(n_classes: int, size: int) -> float:
    """beta over the step of the separator's exponential loss."""
    return float(size * (n_classes - size) * (n_classes - 1))


def separator_votes(n_classes: int, separator: tuple[int, ...]) -> Array:
    """g (K,) of a learner that says S: 1/s for the classes in S, -1/(K-s) for the others."""
    votes = np.full(n_classes, -1.0 / (n_classes - len(separator)))
    votes[list(separator)] = 1.0 / len(separator)
    return votes


def boost_separator(
    learner: Any,
    inside: NDArray[np.bool_],
    sizes: tuple[int, int],
    weights: Array,
    *,
    n_rounds: int,
    on_negative_step: Literal["skip", "keep"] = "skip",
) -> ReweightingRun:
    """Boost one separator: CS-AdaBoost of its rows against the others, without balancing the classes.

    Parameters
    ----------
    learner : WeakLearner
        Says +1 for rows of S.
    inside : (n,) bool
        Rows whose class is in S.
    sizes : (K, s)
    weights : (n,) float64 > 0
    n_rounds : int
    on_negative_step : {"skip", "keep"}

    Returns
    -------
    ReweightingRun
        Its alphas are ln R of the paper.
    """
    n_classes, size = sizes
    rows = TrainingRows.of(
        np.where(inside, 1.0, -1.0), weights, float(n_classes - size), float(size), n_rounds=n_rounds
    )
    return boost_by_reweighting(csadaboost("uniform"), rows, learner, on_negative_alpha=on_negative_step)
