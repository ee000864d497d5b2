"""Cost matrices ``C[true, predicted]``: the named ones, the check of given ones, the algebra of BAdaCost.

References: Fernandez-Baldera, Buenaposada, Baumela, "BAdaCost: Multi-class Boosting with Costs", 2018
(equations 28 to 30 and Appendix F).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]


class CostMatrixError(ValueError):
    """A cost matrix that no cost-sensitive method can use."""


def validate(cost_matrix: ArrayLike, n_classes: int | None = None) -> Matrix:
    """Check a cost matrix and return it as float64.

    Parameters
    ----------
    cost_matrix : (K, K) array_like
        C[true, predicted]: finite, not negative, zero diagonal, not all zero.
    n_classes : int, optional
        K, if it is known; at least 2 in any case.

    Returns
    -------
    (K, K) float64

    Raises
    ------
    CostMatrixError
        If a rule is broken; the message says which and where.
    """
    try:
        costs = np.array(cost_matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CostMatrixError(f"cost_matrix must be a matrix of numbers, got {cost_matrix!r}") from error
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or len(costs) < 2:
        raise CostMatrixError(f"cost_matrix must be square, at least 2 x 2, got shape {costs.shape}")
    if n_classes is not None and len(costs) != n_classes:
        raise CostMatrixError(
            f"cost_matrix must be {n_classes} x {n_classes}, one row a class, got shape {costs.shape}"
        )
    for broken, rule in (
        (~np.isfinite(costs), "must be finite"),
        (costs < 0, "must not be negative"),
        (np.diag(np.diag(costs)) != 0, "must have a zero diagonal (a right answer costs nothing)"),
    ):
        if broken.any():
            row, column = np.argwhere(broken)[0]
            raise CostMatrixError(f"cost_matrix {rule}, got {costs[row, column]} at [{row}, {column}]")
    if not costs.any():
        raise CostMatrixError("cost_matrix must have a positive cost, got zeros only")
    return costs


def zero_one(n_classes: int) -> Matrix:
    """Every error costs 1."""
    if n_classes < 2:
        raise CostMatrixError(f"n_classes of zero_one must be at least 2, got {n_classes}")
    return 1.0 - np.eye(n_classes)


def face_costs(beta: float, n_views: int = 5) -> Matrix:
    """Costs of the BAdaCost face detector (equation 28): class 0 is background, the others are views.

    Parameters
    ----------
    beta : float
        Cost of taking a view for background (a missed face). Other errors cost 1.
    n_views : int

    Returns
    -------
    (n_views + 1, n_views + 1) float64
    """
    _require_positive("face_costs", beta=beta)
    costs = zero_one(n_views + 1)
    costs[1:, 0] = beta
    return costs


def view_costs(alpha: float, beta: float, gamma: float, n_views: int) -> Matrix:
    """Costs of the BAdaCost car detector (equations 29, 30): views on a circle, class 0 is background.

    Taking view i for view j costs gamma times their distance around the circle, which is 1 for opposite
    views.

    Parameters
    ----------
    alpha : float
        Cost of taking background for a view (a false alarm).
    beta : float
        Cost of taking a view for background (a miss).
    gamma : float
        Cost of taking a view for the opposite one.
    n_views : int
        Number of views, evenly spaced around the circle.

    Returns
    -------
    (n_views + 1, n_views + 1) float64
    """
    _require_positive("view_costs", alpha=alpha, beta=beta, gamma=gamma)
    costs = zero_one(n_views + 1)
    costs[0, 1:] = alpha
    costs[1:, 0] = beta
    view = np.arange(n_views)
    distance = 1.0 - np.abs(2 * np.abs(view[:, None] - view) - n_views) / n_views
    costs[1:, 1:] = gamma * distance
    return costs


def from_confusion(confusion: ArrayLike, smallest: float = 1e-3) -> Matrix:
    """Costs for imbalanced data from a confusion matrix of unseen samples (Appendix F).

    Each row of the confusion matrix is divided by its sum and its diagonal set to zero, so that an error
    costs more the more often it is made and the rarer its class is.

    Parameters
    ----------
    confusion : (K, K) array_like
        Number (or weight) of samples of the row's class that were taken for the column's class.
    smallest : float
        Lower bound of the costs off the diagonal: an error that never happened still has a cost, otherwise
        its class would have no influence at all.

    Returns
    -------
    (K, K) float64
    """
    counts = np.array(confusion, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
        raise CostMatrixError(f"confusion must be square, at least 2 x 2, got shape {counts.shape}")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise CostMatrixError("confusion must have finite entries >= 0")
    if not 0 < smallest <= 1:
        raise CostMatrixError(f"smallest of from_confusion must be in (0, 1], got {smallest}")
    totals = counts.sum(axis=1, keepdims=True)
    if not totals.all():
        raise CostMatrixError(f"confusion must have samples of every class, row {np.argmin(totals)} is empty")
    costs = np.maximum(counts / totals, smallest)
    np.fill_diagonal(costs, 0.0)
    return costs


def scaled_costs(costs: Matrix) -> Matrix:
    """Divide by the largest cost if that exceeds 1, as the authors do; BAdaCost is not invariant to scale."""
    return costs / max(costs.max(), 1.0)


def with_negative_row_sums(costs: Matrix) -> Matrix:
    """C*: the diagonal of C replaced so that every row sums to zero."""
    return costs - np.diag(costs.sum(axis=1))


def margin_codes(n_classes: int) -> Matrix:
    """Y: column k is the margin vector of label k, 1 at k and -1/(K-1) elsewhere."""
    return np.eye(n_classes) - zero_one(n_classes) / (n_classes - 1)


def stationary_distribution(generator: Matrix, smallest: float = 1e-9) -> Matrix:
    """The distribution pi with ``pi @ generator = 0``.

    Parameters
    ----------
    generator : (K, K) float64
        Rows of sum zero, entries off the diagonal >= 0 and raised to at least `smallest`, so that the
        distribution is unique and positive.

    Returns
    -------
    (K,) float64 of sum 1
        By the elimination of Grassmann, Taksar and Heyman (1985), which subtracts nothing.
    """
    n_states = len(generator)
    rates = np.maximum(generator, smallest)
    np.fill_diagonal(rates, 0.0)
    for state in range(n_states - 1, 0, -1):
        rates[:state, state] /= rates[state, :state].sum()
        rates[:state, :state] += np.outer(rates[:state, state], rates[state, :state])
    distribution = np.ones(n_states)
    for state in range(1, n_states):
        distribution[state] = distribution[:state] @ rates[:state, state]
    return distribution / distribution.sum()


def _require_positive(owner: str, **costs: float) -> None:
    for name, value in costs.items():
        if not (np.isfinite(value) and value > 0):
            raise CostMatrixError(f"{name} of {owner} must be a positive number, got {value}")
