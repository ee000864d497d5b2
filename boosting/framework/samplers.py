"""Cost-sensitive samplers: they move the ratio of the classes from N+/N- to (N+/N-)(C_FN/C_FP).

All but rejection sampling need one cost a class. They follow imbalanced-learn's `fit_resample`; inside an
ensemble they draw again and again from counted records. (Section 3.1.1 of Petrides and Verbeke 2021.)
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..sampling.class_sampling import nearest_rows
from .record_draws import Draw, Drawn, no_rows, resized
from .records import Records
from .two_class_data import check_choice, check_number, check_some_cost, checked_cost, find_classes


class CostSampler(BaseEstimator):
    """Base of the samplers; see `CostUnderSampler`."""

    bootstraps = False
    """Whether the sample is drawn with replacement, so that an ensemble need not draw bags besides."""
    _takes_record_costs = False

    def __init__(
        self,
        *,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.pos_label = pos_label
        self.random_state = random_state

    def fit_resample(
        self, X: Any, y: Any, *, cost_fn: ArrayLike | None = None, cost_fp: ArrayLike | None = None
    ) -> tuple[Any, Any]:
        """Draw a sample.

        Parameters
        ----------
        X : (n, F) array_like or data frame
        y : (n,) array_like
            Labels of two classes.
        cost_fn, cost_fp : float or (n,) array_like, optional
            In place of the parameters of the same names.

        Returns
        -------
        X, y
            Of the kind that was given.

        Raises
        ------
        ValueError
            If a parameter, X, y or a cost breaks its rule; the message names it.
        """
        owner = type(self).__name__
        self._check_parameters()
        rows, labels = validate_data(self, X, y)
        check_classification_targets(labels)
        classes, code = find_classes(labels, np.ones(len(rows)), self.pos_label, owner, "fit_resample")
        positive = np.asarray(labels == classes[code])
        costs = [
            checked_cost(self, name, given, len(rows), "fit_resample", allow_zero=self._takes_record_costs)
            for name, given in (("cost_fn", cost_fn), ("cost_fp", cost_fp))
        ]
        check_some_cost(positive, costs[0], costs[1], owner)
        generator = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        drawn = self.drawing(Records.of(rows, positive, costs[0], costs[1]))(generator)
        return self._resampled(X, y, drawn, classes[code if drawn.synthetic_positive else 1 - code])

    def drawing(self, records: Records) -> Draw:
        """What draws samples from these records, whatever the costs and the state of this sampler are.

        Raises
        ------
        ValueError
            If the records have costs of their own, and the sampler needs one a class.
        """
        self._check_parameters()
        if self._takes_record_costs:
            return self._draw(records, 1.0)
        if not (isinstance(records.cost_fn, float) and isinstance(records.cost_fp, float)):
            raise ValueError(
                f"cost_fn and cost_fp of {type(self).__name__} must be one number for all rows, got an array: "
                "the sampler moves the ratio of the classes, which costs of single records do not determine; "
                "CostProportionateRejectionSampler takes them"
            )
        if records.cost_fn <= 0 or records.cost_fp <= 0:
            raise ValueError(
                f"cost_fn and cost_fp of {type(self).__name__} must be > 0, got {records.cost_fn} and "
                f"{records.cost_fp}: their ratio is that of the classes"
            )
        return self._draw(records, records.cost_fn / records.cost_fp)

    def _draw(self, records: Records, ratio: float) -> Draw:
        """What draws; `ratio` is C_FN/C_FP."""
        raise TypeError(f"{type(self).__name__} is no sampler by itself; use one of its subclasses")

    def _check_parameters(self) -> None:
        """Refuse parameters that break their rules."""

    def _resampled(self, X: Any, y: Any, drawn: Drawn, synthetic_label: Any) -> tuple[Any, Any]:
        self.sample_indices_ = np.repeat(np.arange(len(drawn.copies)), drawn.copies)
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class CostUnderSampler(CostSampler):
    """Random undersampling to the cost ratio: keeps N- C_FP/C_FN negative rows, drawn without replacement.

    Where C_FP exceeds C_FN, it keeps N+ C_FN/C_FP positive rows instead. At least one row is kept.

    Parameters
    ----------
    cost_fn, cost_fp : float > 0
        Cost of a false negative and of a false positive.
    pos_label : label, optional
        The positive class; None is the rarer one, the second on a tie.
    random_state : int, RandomState or None

    Attributes
    ----------
    sample_indices_ : (m,) int64
        Rows of the sample, ascending, repeated ones repeatedly.
    n_features_in_ : int
    """

    def _draw(self, records: Records, ratio: float) -> Draw:
        factors = (min(1.0, ratio), min(1.0, 1.0 / ratio))
        return lambda generator: resized(records, factors, generator)


class CostOverSampler(CostSampler):
    """Random oversampling to the cost ratio: repeats positive rows up to N+ C_FN/C_FP.

    Every row is repeated equally often, but for a remainder that is drawn without replacement. Where C_FP
    exceeds C_FN, negative rows are repeated instead.

    Parameters
    ----------
    cost_fn, cost_fp, pos_label, random_state
        See `CostUnderSampler`, also for the attributes.
    """

    def _draw(self, records: Records, ratio: float) -> Draw:
        factors = (max(1.0, ratio), max(1.0, 1.0 / ratio))
        return lambda generator: resized(records, factors, generator)


class CostHybridSampler(CostSampler):
    """Over- and undersampling to the cost ratio q = C_FN/C_FP: N+ q^g positive, N- q^(g-1) negative rows.

    Parameters
    ----------
    share : float in [0, 1]
        g, the share of the positive class; 1 changes its rows only, 0 the negative ones only.
    cost_fn, cost_fp, pos_label, random_state
        See `CostUnderSampler`, also for the attributes.
    """

    def __init__(
        self,
        *,
        share: float = 0.5,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(cost_fn=cost_fn, cost_fp=cost_fp, pos_label=pos_label, random_state=random_state)
        self.share = share

    def _check_parameters(self) -> None:
        if not isinstance(self.share, Real) or isinstance(self.share, bool) or not 0 <= self.share <= 1:
            raise ValueError(f"share of {type(self).__name__} must lie in [0, 1], got {self.share!r}")

    def _draw(self, records: Records, ratio: float) -> Draw:
        factors = (ratio**self.share, ratio ** (self.share - 1.0))
        return lambda generator: resized(records, factors, generator)


class CostSMOTE(CostSampler):
    """SMOTE to the cost ratio: synthetic positive rows up to N+ C_FN/C_FP (Chawla et al. 2002).

    A synthetic row lies between a positive row and one of its nearest positive neighbours. A single positive
    row is repeated. Where C_FP exceeds C_FN, the synthetic rows are negative.

    Parameters
    ----------
    n_neighbors : int
        Fewer where the class has fewer rows.
    step : {"row", "attribute"}
        A random step towards the neighbour a row, as implementations have it, or one an attribute, as the
        framework's paper has it.
    cost_fn, cost_fp, pos_label, random_state
        See `CostUnderSampler`. There are no `sample_indices_`: the rows given come first, unchanged.
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        step: str = "row",
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(cost_fn=cost_fn, cost_fp=cost_fp, pos_label=pos_label, random_state=random_state)
        self.n_neighbors = n_neighbors
        self.step = step

    def _check_parameters(self) -> None:
        check_number(self, "n_neighbors")
        check_choice(self, "step", ("row", "attribute"))

    def _draw(self, records: Records, ratio: float) -> Draw:
        grows_positive = ratio >= 1.0
        members = np.flatnonzero(records.positive == grows_positive)
        base = np.repeat(records.rows[members], records.copies[members], axis=0).astype(np.float64)
        wanted = round(len(base) * (max(ratio, 1.0 / ratio) - 1.0))
        if not wanted:
            return lambda generator: Drawn(records.copies, no_rows(records))
        neighbours = nearest_rows(base, int(self.n_neighbors))

        def draw(generator: np.random.Generator) -> Drawn:
            start = generator.integers(len(base), size=wanted)
            which = generator.integers(neighbours.shape[1], size=wanted)
            way = generator.random((wanted, 1 if self.step == "row" else base.shape[1]))
            synthetic = base[start] + way * (base[neighbours[start, which]] - base[start])
            return Drawn(records.copies, synthetic, grows_positive)

        return draw

    def _resampled(self, X: Any, y: Any, drawn: Drawn, synthetic_label: Any) -> tuple[Any, Any]:
        labels = np.full(len(drawn.synthetic), synthetic_label)
        return _appended(X, drawn.synthetic), _appended(y, labels)


class CostProportionateRejectionSampler(CostSampler):
    """Rejection sampling in proportion to the costs, which may be those of single records.

    Draws as many rows as there are, with replacement, and accepts each with probability C(i)/max C (Zadrozny,
    Langford and Abe 2003). The sample is redrawn where nothing is accepted.

    Parameters
    ----------
    cost_fn, cost_fp : float >= 0
        Cost of a false negative and of a false positive. Costs of single records go to `fit_resample`.
    pos_label, random_state
        See `CostUnderSampler`, also for the attributes.
    """

    bootstraps = True
    _takes_record_costs = True

    def _draw(self, records: Records, ratio: float) -> Draw:
        accepted = records.costs / records.costs.max()
        shares = records.copies / records.copies.sum()
        total = int(records.copies.sum())
        all_accepted = bool((accepted == 1.0).all())

        def draw(generator: np.random.Generator) -> Drawn:
            copies = np.zeros(len(shares), dtype=np.int64)
            while not copies.any():  # the dearest record alone is drawn with probability above 1/2
                copies = generator.multinomial(total, shares)
                if not all_accepted:
                    copies = generator.binomial(copies, accepted)
            return Drawn(copies, no_rows(records))

        return draw


def _appended(table: Any, further: NDArray[Any]) -> Any:
    """A table or column of the same kind with further rows at its end."""
    joined = np.concatenate([np.asarray(table), further])
    if hasattr(table, "columns"):
        return type(table)(joined, columns=table.columns)
    return type(table)(joined, name=table.name) if hasattr(table, "name") else joined
