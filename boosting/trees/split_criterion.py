"""What a tree minimises when it splits a node, and how it labels a leaf, for any cost matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs import margin_codes, scaled_costs, validate, with_negative_row_sums, zero_one

Impurity = Literal["gini", "entropy", "expected cost"]
IMPURITIES = ("gini", "entropy", "expected cost")


@dataclass(frozen=True, eq=False)
class SplitCriterion:
    """Impurity of the scaled class masses of a node, and the costs that label its leaves.

    With the mass W_h of class h in a node (sum of its sample weights), its scaled mass is ``a_h = f_h W_h``.

    Attributes
    ----------
    impurity : {"gini", "entropy", "expected cost"}
        Gini: ``t - sum a_h^2 / t``. Entropy: ``t log t - sum a_h log a_h``. Expected cost:
        ``min_j sum_h W_h E(h, j)``, the cost of the best label; it ignores the class factors.
    class_factors : (K,) float64
        f.
    leaf_costs : (K, K) float64
        E(true, label) >= 0 with a zero diagonal. A leaf takes the label of least ``sum_h W_h E(h, j)``, the
        first on ties; a leaf of one class takes that class.
    scaled_total : bool
        t is the sum of the scaled masses; if False, of the unscaled ones, as the original code has it.
    """

    impurity: Impurity
    class_factors: NDArray[np.float64]
    leaf_costs: NDArray[np.float64]
    scaled_total: bool = True

    def __post_init__(self) -> None:
        if self.impurity not in IMPURITIES:
            raise ValueError(
                "impurity of SplitCriterion must be 'gini', 'entropy' or 'expected cost', "
                f"got {self.impurity!r}"
            )
        factors = np.ascontiguousarray(self.class_factors, dtype=np.float64)
        if factors.ndim != 1 or len(factors) < 2 or not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(
                "class_factors of SplitCriterion must be at least 2 finite numbers >= 0, "
                f"got {self.class_factors!r}"
            )
        object.__setattr__(self, "class_factors", factors)
        costs = np.ascontiguousarray(validate(self.leaf_costs, len(factors)))
        object.__setattr__(self, "leaf_costs", costs)

    @property
    def n_classes(self) -> int:
        return len(self.class_factors)

    @property
    def kernel_arguments(self) -> tuple[int, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Number of the impurity, class factors, factors of the total t, costs: what the kernels take."""
        scaled = self.scaled_total and self.impurity != "expected cost"
        total_factors = self.class_factors if scaled else np.ones(self.n_classes)
        return IMPURITIES.index(self.impurity), self.class_factors, total_factors, self.leaf_costs

    @classmethod
    def gini(cls, n_classes: int) -> SplitCriterion:
        """Gini impurity of the class masses, leaves of the heaviest class (Breiman et al. 1984)."""
        return cls("gini", np.ones(n_classes), zero_one(n_classes))

    @classmethod
    def entropy(cls, n_classes: int) -> SplitCriterion:
        """Entropy of the class masses, leaves of the heaviest class."""
        return cls("entropy", np.ones(n_classes), zero_one(n_classes))

    @classmethod
    def expected_cost(cls, cost_matrix: ArrayLike, n_classes: int | None = None) -> SplitCriterion:
        """Cost of a node's best label. Costs of records (of two classes) belong into the sample weights."""
        costs = validate(cost_matrix, n_classes)
        return cls("expected cost", np.ones(len(costs)), costs)

    @classmethod
    def badacost(
        cls, cost_matrix: ArrayLike, n_classes: int | None = None, *, scaled_total: bool = True
    ) -> SplitCriterion:
        """The criterion of BAdaCost's trees (Fernandez-Baldera, Buenaposada, Baumela 2018, section 4).

        ``E(i, j) = exp(Z(i, j)) - exp(Z(i, i))`` with ``Z = C* Y`` (see `costs`), and Gini impurity of the
        class masses times ``f_i = K sum_j E(i, j) / sum E``.

        Parameters
        ----------
        cost_matrix : (K, K) array_like
            C[true, predicted], divided by its maximum if that exceeds 1.
        n_classes : int, optional
            K, to check the matrix against.
        scaled_total : bool
            False divides by the unscaled node weight, as the authors' code does.
        """
        costs = scaled_costs(validate(cost_matrix, n_classes))
        n_classes = len(costs)
        exponents = with_negative_row_sums(costs) @ margin_codes(n_classes)
        leaf_costs = np.exp(exponents) - np.exp(np.diag(exponents))[:, None]
        np.fill_diagonal(leaf_costs, 0.0)
        return cls("gini", n_classes * leaf_costs.sum(axis=1) / leaf_costs.sum(), leaf_costs, scaled_total)
