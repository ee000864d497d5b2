"""Parameters of the decisions by cost that are refused."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from badacost.boosting.framework.metacost import MetaCostClassifier
from badacost.boosting.framework.minimum_expected_cost import MinimumExpectedCostClassifier
from badacost.boosting.framework.voting_adjustment import VotingAdjustedClassifier
from badacost.boosting.reweighting.adamec import AdaMECClassifier

from .tables import Table


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MinimumExpectedCostClassifier(threshold="best"), "threshold of .* must be one of 'theoretical'"),
        (
            MinimumExpectedCostClassifier(calibration="beta"),
            "calibration of .* must be one of None, 'logistic'",
        ),
        (
            MinimumExpectedCostClassifier(LinearSVC()),
            "estimator of .* must have predict_proba, LinearSVC has not",
        ),
        (MinimumExpectedCostClassifier("nb"), "estimator of .* must be a classifier instance or None"),
        (
            MinimumExpectedCostClassifier(calibration_fraction=0.0),
            "calibration_fraction of .* 0 and 1, got 0.0",
        ),
        (
            MinimumExpectedCostClassifier(LogisticRegression(), calibration="logistic"),
            "the logistic corrections are those of the votes of a boosted ensemble",
        ),
        (
            MinimumExpectedCostClassifier(AdaMECClassifier(), calibration="platt"),
            "does not go with AdaMECClassifier: it decides by expected cost itself",
        ),
        (
            VotingAdjustedClassifier(vote_weights="cubed"),
            "vote_weights of .* must be one of 'own', 'log odds'",
        ),
        (VotingAdjustedClassifier(voting="unanimous"), "voting of .* must be one of 'majority'"),
        (
            VotingAdjustedClassifier(errors_on="test"),
            "errors_on of .* must be one of 'training', 'validation'",
        ),
        (VotingAdjustedClassifier(validation_fraction=2), "validation_fraction of .* 0 and 1, got 2"),
        (VotingAdjustedClassifier(GaussianNB()), "GaussianNB must be an ensemble of classifiers that vote"),
        (MetaCostClassifier(LinearSVC()), "estimator of MetaCostClassifier must have predict_proba"),
        (MetaCostClassifier(relabeler=3), "relabeler of MetaCostClassifier must be a classifier instance"),
        (
            MetaCostClassifier(relabeler=GaussianNB(), out_of_bag=True),
            "out_of_bag of MetaCostClassifier needs as relabeler",
        ),
    ],
)
def test_bad_parameters(model: Any, message: str, table: Table) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(table.X, table.y)
