"""Margin bagging (Feng, Huang and Ren 2018): balanced bags of the rows that an ensemble is least certain of."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, Literal

import numpy as np

from .bag_members import Member
from .bag_samplers import BagSampler, Bootstrap
from .bagged_ensemble import BaggedEnsemble, Voting, accumulate
from .margin_range_search import METRICS, Metric, RangeSearch
from .margin_sampler import MarginSampler
from .margins import MARGINS, Margin, shifted_margins, vote_margins
from .training_table import Codes, TrainingTable

FIRST_ENSEMBLE, SEARCH = 1, 2  # streams of random numbers next to that of the members


class MarginBaggingClassifier(BaggedEnsemble):
    """Margin bagging of unpruned CART trees, for any number of classes.

    A bagging ensemble of as many members votes on its own training rows. Members are then trained on balanced
    bags: the smallest class whole, and as many rows of each other class, drawn with replacement from those of
    smallest |margin|. How many of them are drawn from is a share of the largest class that cycles through
    1/q, 2/q, ..., 1 from member to member.

    The weight 1 - |margin| of a row is small where the ensemble is certain, rightly or wrongly; and unsupervised
    margins do not see a difference between the two.

    Parameters
    ----------
    margin : {"max", "sum", "unsupervised max", "unsupervised sum"}
        Votes for the row's class less the most for another, or less those for all others; unsupervised, the
        winner of the vote takes the place of the row's class. The sum margins are shifted so that the least of a
        right decision is 0.
    n_rates : int
        q.
    resampling_range : float in (0, 1] or "search"
        Rates up to this one are cycled through; at least 1/q. "search" chooses it by cross-validation on the
        training rows, the larger one on ties.
    search_metric : {"average accuracy", "F-measure", "minimum accuracy"}
        What the search maximises: mean recall, F of mean recall and mean precision, or the worst recall.
    search_folds : int
    estimator, n_estimators, voting, n_jobs, random_state
        See `BaggingClassifier`, also for the attributes.

    Attributes
    ----------
    margins_ : (n,) array
        Margin of every training row of positive weight, shifted.
    rates_ : (T,) array
        Share of the largest class that each member's bag was drawn from.
    resampling_range_ : float
    search_scores_ : (q,) array
        After a search: the metric for the ranges 1/q, 2/q, ..., 1.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        margin: Margin = "sum",
        n_rates: int = 10,
        resampling_range: float | Literal["search"] = 1.0,
        search_metric: Metric = "average accuracy",
        search_folds: int = 3,
        voting: Voting = "hard",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator, n_estimators=n_estimators, voting=voting, n_jobs=n_jobs, random_state=random_state
        )
        self.margin = margin
        self.n_rates = n_rates
        self.resampling_range = resampling_range
        self.search_metric = search_metric
        self.search_folds = search_folds

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_choice("margin", MARGINS)
        self._check_integer("n_rates", 1)
        self._check_choice("search_metric", tuple(METRICS))
        self._check_integer("search_folds", 2)
        top = self.resampling_range
        if isinstance(top, str) and top == "search":
            return
        number = isinstance(top, Real) and not isinstance(top, bool)
        if not number or not 0.0 < float(top) <= 1.0:
            raise ValueError(
                f"resampling_range of {type(self).__name__} must be a share in (0, 1] or 'search', got {top!r}"
            )

    def _sampler(self, table: TrainingTable, seed: int) -> BagSampler:
        n_rates = int(self.n_rates)
        if self.resampling_range == "search":
            search = RangeSearch(table, n_rates, int(self.n_estimators), METRICS[self.search_metric])
            n_used, self.search_scores_ = search.run(
                int(self.search_folds),
                lambda part, fold: self._sampler_of(part, seed, (SEARCH, fold), n_rates),
                self._member_estimator(),
                seed,
                self.n_jobs,
            )
        else:
            n_used = max(int(float(self.resampling_range) * n_rates + 1e-9), 1)
        sampler = self._sampler_of(table, seed, (FIRST_ENSEMBLE,), n_used)
        self.margins_ = sampler.margins / int(self.n_estimators)
        self.resampling_range_ = n_used / n_rates
        self.rates_ = np.array([sampler.step(number) for number in range(int(self.n_estimators))]) / n_rates
        return sampler

    def _sampler_of(
        self, table: TrainingTable, seed: int, stream: tuple[int, ...], n_used: int
    ) -> MarginSampler:
        """The first ensemble's margins on a table, as a sampler."""
        votes = self._votes_of_first(table, seed, stream)
        margins = vote_margins(votes, table.codes, self.margin)
        margins = shifted_margins(margins, votes, table.codes, self.margin)
        return MarginSampler(table, margins, int(self.n_rates), n_used, seed)

    def _votes_of_first(self, table: TrainingTable, seed: int, stream: tuple[int, ...]) -> Codes:
        """Votes (n, K) of a bagging ensemble on its own training rows."""
        trained = self._train(table, Bootstrap(table), seed, stream)
        members: Iterator[Member] = (member for member, _, _ in trained)
        *_, votes = accumulate(members, table.rows, table.classes, "hard")
        return votes.astype(np.int64)
