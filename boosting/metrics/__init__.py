"""Metrics of imbalanced and cost-sensitive classification; those not here are scikit-learn's.

>>> from badacost.boosting.metrics import gmean_score
>>> round(gmean_score([0, 0, 0, 1], [0, 0, 1, 1]), 4)
0.8165
"""

from __future__ import annotations

from .class_accuracy import (
    average_accuracy,
    class_precisions,
    class_recalls,
    mean_f_measure,
    minimum_class_accuracy,
)
from .costs_and_savings import (
    cost_matrix_predictions,
    expected_cost,
    record_costs,
    savings_score,
    total_cost,
)
from .diversity import kw_diversity
from .labels import MetricError
from .profit import (
    caught_amount_percentage,
    caught_amount_percentages_at_fpr,
    cost_reduction_percentage,
    maximum_profit_percentage,
    net_profit,
    return_on_investment,
)
from .two_classes import (
    BinaryRates,
    auc_score,
    balanced_accuracy,
    binary_rates,
    f1_of_positives,
    gmean_score,
    overall_performance_measure,
)

__all__ = [
    "BinaryRates",
    "MetricError",
    "auc_score",
    "average_accuracy",
    "balanced_accuracy",
    "binary_rates",
    "caught_amount_percentage",
    "caught_amount_percentages_at_fpr",
    "class_precisions",
    "class_recalls",
    "cost_matrix_predictions",
    "cost_reduction_percentage",
    "expected_cost",
    "f1_of_positives",
    "gmean_score",
    "kw_diversity",
    "maximum_profit_percentage",
    "mean_f_measure",
    "minimum_class_accuracy",
    "net_profit",
    "overall_performance_measure",
    "record_costs",
    "return_on_investment",
    "savings_score",
    "total_cost",
]
