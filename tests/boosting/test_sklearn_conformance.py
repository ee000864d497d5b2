"""The multi-class boosters, the bagging methods and the trees pass every check of scikit-learn, without exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from badacost.boosting.bagging.bagging import BaggingClassifier
from badacost.boosting.bagging.balance_cascade import BalanceCascadeClassifier
from badacost.boosting.bagging.balanced_random_forest import BalancedRandomForestClassifier
from badacost.boosting.bagging.easy_ensemble import EasyEnsembleClassifier
from badacost.boosting.bagging.margin_bagging import MarginBaggingClassifier
from badacost.boosting.bagging.over_bagging import OverBaggingClassifier
from badacost.boosting.bagging.random_decision_forest import RandomDecisionForestClassifier
from badacost.boosting.bagging.smote_bagging import SMOTEBaggingClassifier
from badacost.boosting.bagging.under_bagging import UnderBaggingClassifier
from badacost.boosting.multiclass.badacost_classifier import BAdaCostClassifier
from badacost.boosting.multiclass.samme_classifier import SAMMEClassifier
from badacost.boosting.trees.tree_classifier import TreeClassifier

ESTIMATORS = [
    BAdaCostClassifier(n_estimators=5),
    BAdaCostClassifier(n_estimators=5, max_depth=1, learning_rate=0.5, record_history=True),
    BAdaCostClassifier(n_estimators=5, max_features=0.5, on_negative_step="skip"),
    BAdaCostClassifier(GaussianNB(), n_estimators=3),
    SAMMEClassifier(n_estimators=5),
    SAMMEClassifier(GaussianNB(), n_estimators=3),
    TreeClassifier(),
    TreeClassifier("badacost", max_depth=2, min_samples_split=5),
    TreeClassifier("entropy", max_bins=None),
    TreeClassifier("expected cost"),
    BaggingClassifier(n_estimators=7),
    BaggingClassifier(n_estimators=7, voting="soft", n_jobs=2),
    BaggingClassifier(GaussianNB(), n_estimators=3),
    UnderBaggingClassifier(n_estimators=7),
    UnderBaggingClassifier(n_estimators=7, replacement=True),
    OverBaggingClassifier(n_estimators=7),
    SMOTEBaggingClassifier(n_estimators=7),
    MarginBaggingClassifier(n_estimators=7),
    MarginBaggingClassifier(n_estimators=5, margin="unsupervised max", resampling_range="search", n_rates=2),
    EasyEnsembleClassifier(n_estimators=3, n_boosting_rounds=3),
    BalanceCascadeClassifier(n_boosting_rounds=3),
    BalancedRandomForestClassifier(n_estimators=15),
    RandomDecisionForestClassifier(n_estimators=7),
    RandomDecisionForestClassifier(n_estimators=7, bootstrap=True),
]


@pytest.mark.filterwarnings("ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
