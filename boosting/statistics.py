"""Comparison of classifiers over several data sets by their ranks.

References: Demsar, "Statistical comparisons of classifiers over multiple data sets", 2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Array = NDArray[np.float64]


class StatisticsError(ValueError):
    """Scores or ranks that a test is not defined for."""


@dataclass(frozen=True)
class FriedmanResult:
    """Friedman's test and the sharper one of Iman and Davenport.

    Parameters
    ----------
    chi_squared, p_value : float
        Friedman's statistic, k - 1 degrees of freedom.
    f_statistic, f_p_value : float
        Iman and Davenport's, k - 1 and (k - 1)(N - 1) degrees of freedom; infinite and 0 where all data sets rank
        alike.
    """

    chi_squared: float
    p_value: float
    f_statistic: float
    f_p_value: float


@dataclass(frozen=True, eq=False)
class RankComparison:
    """Methods against a control, each a difference of average ranks.

    Parameters
    ----------
    differences : (k,) float64
        Average rank less the control's; positive is worse.
    z, p_values : (k,) float64
        The statistic and its two-sided p-value, not corrected for the number of methods.
    significant : (k,) bool
        After the correction; False for the control itself.
    critical_difference : float or None
        What a difference must exceed, for the tests that have one.
    """

    differences: Array
    z: Array
    p_values: Array
    significant: NDArray[np.bool_]
    critical_difference: float | None


def ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> Array:
    """Rank of every method on every data set: 1 is best, ties get their mean.

    Parameters
    ----------
    scores : (N, k) array_like
        One row a data set, one column a method.
    higher_is_better : bool

    Returns
    -------
    (N, k) float64

    Raises
    ------
    StatisticsError
        If there are fewer than two methods or a score is missing.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        raise StatisticsError(
            f"scores of ranks must be (data sets, methods), at least 1 x 2, got {table.shape}"
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise StatisticsError(
            f"scores of ranks must be finite, got {table[row, column]} at [{row}, {column}]"
        )
    return np.asarray(stats.rankdata(-table if higher_is_better else table, axis=1))


def average_ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> Array:
    """Mean rank (k,) of the methods over the data sets; parameters as in `ranks`."""
    return ranks(scores, higher_is_better=higher_is_better).mean(axis=0)


def friedman_test(scores: ArrayLike, *, higher_is_better: bool = True) -> FriedmanResult:
    """Do the methods differ at all?

    chi2 = 12 N/(k(k+1)) (sum R^2 - k(k+1)^2/4) of the average ranks R, and F = (N-1) chi2/(N(k-1) - chi2). No
    correction for ties, as in the papers; `scipy.stats.friedmanchisquare` has one.

    Parameters
    ----------
    scores, higher_is_better
        See `ranks`; at least two data sets.

    Returns
    -------
    FriedmanResult
    """
    table = ranks(scores, higher_is_better=higher_is_better)
    n_sets, k = table.shape
    if n_sets < 2:
        raise StatisticsError(f"scores of friedman_test must have at least 2 data sets, got {n_sets}")
    mean = table.mean(axis=0)
    chi_squared = 12 * n_sets / (k * (k + 1)) * (float((mean**2).sum()) - k * (k + 1) ** 2 / 4)
    chi_squared = max(chi_squared, 0.0)  # all methods alike: rounding may leave it below 0
    rest = n_sets * (k - 1) - chi_squared
    unanimous = rest <= 1e-9 * n_sets * (k - 1)
    f_statistic = math.inf if unanimous else (n_sets - 1) * chi_squared / rest
    return FriedmanResult(
        chi_squared,
        float(stats.chi2.sf(chi_squared, k - 1)),
        f_statistic,
        0.0 if unanimous else float(stats.f.sf(f_statistic, k - 1, (k - 1) * (n_sets - 1))),
    )


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Bonferroni-Dunn's critical difference of average ranks, q sqrt(k(k+1)/(6N)).

    q is the normal quantile of alpha/(2(k-1)): 2.394 for k = 4, alpha = 0.05.

    Parameters
    ----------
    n_methods : int
        k >= 2, the control included.
    n_datasets : int
        N >= 1.
    alpha : float in (0, 1)
    """
    if n_methods < 2 or n_datasets < 1 or not 0 < alpha < 1:
        raise StatisticsError(
            "critical_difference needs n_methods >= 2, n_datasets >= 1 and 0 < alpha < 1, "
            f"got {n_methods}, {n_datasets}, {alpha}"
        )
    quantile = float(stats.norm.isf(alpha / (2 * (n_methods - 1))))
    return quantile * _standard_error(n_methods, n_datasets)


def bonferroni_dunn(
    average: ArrayLike, n_datasets: int, *, control: int | None = None, alpha: float = 0.05
) -> RankComparison:
    """Which methods differ from a control, by Bonferroni-Dunn's critical difference.

    Parameters
    ----------
    average : (k,) array_like
        Average ranks.
    n_datasets : int
    control : int, optional
        Index of the control; None is the method of least average rank.
    alpha : float in (0, 1)

    Returns
    -------
    RankComparison
    """
    mean, control = _against_control(average, control, "bonferroni_dunn")
    bound = critical_difference(len(mean), n_datasets, alpha)
    differences, z, p_values = _differences(mean, control, n_datasets)
    return RankComparison(differences, z, p_values, np.abs(differences) > bound, bound)


def holm(
    average: ArrayLike, n_datasets: int, *, control: int | None = None, alpha: float = 0.05
) -> RankComparison:
    """Which methods differ from a control, by Holm's step-down procedure; parameters as in `bonferroni_dunn`.

    The p-values in increasing order are held against alpha/(k-1), alpha/(k-2), ..., until one is not below.
    """
    mean, control = _against_control(average, control, "holm")
    if not 0 < alpha < 1:
        raise StatisticsError(f"alpha of holm must lie between 0 and 1, got {alpha}")
    differences, z, p_values = _differences(mean, control, n_datasets)
    others = np.delete(np.arange(len(mean)), control)
    order = others[np.argsort(p_values[others], kind="stable")]
    below = p_values[order] < alpha / np.arange(len(order), 0, -1)
    significant = np.zeros(len(mean), dtype=bool)
    significant[order[: len(below) if below.all() else int(np.argmin(below))]] = True
    return RankComparison(differences, z, p_values, significant, None)


def critical_difference_plot(
    average: ArrayLike,
    names: Sequence[str],
    n_datasets: int,
    path: str | Path | None = None,
    *,
    control: int | None = None,
    alpha: float = 0.05,
    title: str = "",
) -> Any:
    """Draw the methods on an axis of average ranks, with the reach of the control's critical difference.

    Parameters
    ----------
    average : (k,) array_like
        Average ranks.
    names : sequence of k str
    n_datasets : int
    path : path, optional
        File to write; its suffix decides the format.
    control : int, optional
        Index of the control; None is the method of least average rank.
    alpha : float in (0, 1)
    title : str

    Returns
    -------
    matplotlib.figure.Figure
    """
    from .rank_figure import draw_ranks

    comparison = bonferroni_dunn(average, n_datasets, control=control, alpha=alpha)
    mean, control = _against_control(average, control, "critical_difference_plot")
    if len(names) != len(mean):
        raise StatisticsError(
            f"names of critical_difference_plot must be one a method, got {len(names)} for {len(mean)} ranks"
        )
    figure = draw_ranks(mean, names, control, float(comparison.critical_difference or 0.0), title)
    if path is not None:
        figure.savefig(path)
    return figure


def _standard_error(n_methods: int, n_datasets: int) -> float:
    return math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def _against_control(average: ArrayLike, control: int | None, owner: str) -> tuple[Array, int]:
    mean = np.asarray(average, dtype=np.float64)
    if mean.ndim != 1 or len(mean) < 2 or not np.isfinite(mean).all():
        raise StatisticsError(f"average of {owner} must be (k,), k >= 2, and finite, got {mean.tolist()}")
    if control is not None and not 0 <= control < len(mean):
        raise StatisticsError(f"control of {owner} must be an index below {len(mean)}, got {control}")
    return mean, int(np.argmin(mean)) if control is None else control


def _differences(mean: Array, control: int, n_datasets: int) -> tuple[Array, Array, Array]:
    if n_datasets < 1:
        raise StatisticsError(f"n_datasets must be at least 1, got {n_datasets}")
    differences = mean - mean[control]
    z = differences / _standard_error(len(mean), n_datasets)
    return differences, z, 2 * np.asarray(stats.norm.sf(np.abs(z)))
