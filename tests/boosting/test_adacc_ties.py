"""AdaCC's own costs where the ensemble's score is a tie that rounding may not decide."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from badacost.boosting.reweighting.adacc import AdaCC1Classifier


@pytest.mark.parametrize("n_rows", range(50, 250, 20))
@pytest.mark.parametrize("n_positive", [1, 3, 7, 11, 17])
def test_the_second_round_is_a_tie_after_two_opposite_constants(n_rows: int, n_positive: int) -> None:
    """All negative, then all positive with the same alpha: FNR is 1, FPR 0, whatever the last bits are."""
    labels = np.arange(n_rows) < n_positive
    model = AdaCC1Classifier(
        DummyClassifier(strategy="prior"), n_estimators=2, pos_label=True, record_history=True
    )
    model.fit(np.zeros((n_rows, 1)), labels)
    said = [estimator.predict(np.zeros((1, 1)))[0] for estimator in model.estimators_]
    assert said == [False, True]
    assert model.estimator_weights_[0] == pytest.approx(model.estimator_weights_[1], rel=1e-9)
    np.testing.assert_array_equal(model.history_["cost_of_wrong_positives"], [2.0, 2.0])
    np.testing.assert_array_equal(model.history_["cost_of_wrong_negatives"], [1.0, 1.0])
