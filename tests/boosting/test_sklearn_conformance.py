"""The multi-class boosters and the tree pass every check of scikit-learn; no failure is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

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
]


@pytest.mark.filterwarnings("ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
