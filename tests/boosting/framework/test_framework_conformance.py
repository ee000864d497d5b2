"""The framework's classifiers pass every check of scikit-learn; no failure is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from badacost.boosting.bagging.bagging import BaggingClassifier
from badacost.boosting.framework.cost_boosting import CostBaseBoostClassifier, CostSampleBoostClassifier
from badacost.boosting.framework.cost_ensemble import CostBaseEnsembleClassifier
from badacost.boosting.framework.cost_sensitive_tree import CostSensitiveTreeClassifier
from badacost.boosting.framework.metacost import MetaCostClassifier
from badacost.boosting.framework.minimum_expected_cost import MinimumExpectedCostClassifier
from badacost.boosting.framework.sampled_ensembles import (
    CostPreSampleEnsembleClassifier,
    CostSampleEnsembleClassifier,
)
from badacost.boosting.framework.voting_adjustment import VotingAdjustedClassifier
from badacost.boosting.framework.weighted_ensemble import CostWeightedEnsembleClassifier
from badacost.boosting.reweighting.adaboost import AdaBoostClassifier

FIVE = {"n_estimators": 5, "random_state": 0}
ESTIMATORS = [
    CostSensitiveTreeClassifier(),
    CostSensitiveTreeClassifier("gini", smoothing="laplace"),
    CostSensitiveTreeClassifier("entropy", smoothing="m-estimation", max_bins=None),
    CostSensitiveTreeClassifier("gini", pruning="reduced cost"),
    CostSensitiveTreeClassifier(pruning="cost complexity", cost_fn=3.0),
    CostBaseEnsembleClassifier(**FIVE),
    CostBaseEnsembleClassifier(GaussianNB(), kind="random decision forest", max_features=1.0, **FIVE),
    CostBaseEnsembleClassifier(MinimumExpectedCostClassifier(), kind="random forest", **FIVE),
    CostSampleEnsembleClassifier(**FIVE),
    CostSampleEnsembleClassifier(sampler="smote", cost_fn=2.0, **FIVE),
    CostPreSampleEnsembleClassifier(sampler="rejection", **FIVE),
    CostWeightedEnsembleClassifier(**FIVE),
    CostSampleBoostClassifier(**FIVE),
    CostSampleBoostClassifier(GaussianNB(), sampler="over", cost_fn=2.0, **FIVE),
    CostBaseBoostClassifier(**FIVE),
    MinimumExpectedCostClassifier(),
    MinimumExpectedCostClassifier(CostBaseEnsembleClassifier(**FIVE), threshold="validation"),
    MinimumExpectedCostClassifier(AdaBoostClassifier(n_estimators=5), calibration="logistic"),
    VotingAdjustedClassifier(CostBaseEnsembleClassifier(**FIVE), voting="minimum expected cost"),
    VotingAdjustedClassifier(BaggingClassifier(**FIVE), vote_weights="squared odds"),
    MetaCostClassifier(relabeler=MinimumExpectedCostClassifier(CostBaseEnsembleClassifier(**FIVE))),
]


@pytest.mark.filterwarnings(
    "ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning",
    "ignore::badacost.boosting.framework.metacost.OneLabelWarning",
)
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
