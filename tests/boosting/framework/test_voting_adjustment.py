"""Vote weights by the errors of the models, and votes weighed by costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier as SklearnBagging
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from badacost.boosting.bagging.bagging import BaggingClassifier
from badacost.boosting.framework.cost_ensemble import CostBaseEnsembleClassifier
from badacost.boosting.framework.cost_sensitive_tree import CostSensitiveTreeClassifier
from badacost.boosting.framework.voting_adjustment import VotingAdjustedClassifier, vote_weights
from badacost.boosting.reweighting.rareboost import RareBoostClassifier
from badacost.boosting.reweighting.reweighting_classifier import NoRoundWarning

from .tables import Table, noisy_table


def test_vote_weights_by_hand() -> None:
    errors = np.array([0.1, 0.25, 0.5, 0.6])
    np.testing.assert_allclose(vote_weights(errors, "log odds", 100), [np.log(9), np.log(3), 0, 0])
    np.testing.assert_allclose(vote_weights(errors, "accuracy", 100), [0.9, 0.75, 0.5, 0.4])
    np.testing.assert_allclose(vote_weights(errors, "squared odds", 100), [81, 9, 1, 4 / 9])
    np.testing.assert_allclose(
        vote_weights(errors, "exponential odds", 100), np.exp([0.0, -6.0, -8.0, 2 / 3 - 9])
    )


@pytest.mark.parametrize("form", ["log odds", "accuracy", "exponential odds", "squared odds"])
def test_vote_weights_are_finite_and_fall_with_the_error(form: Any) -> None:
    errors = np.linspace(0, 1, 41)
    weights = vote_weights(errors, form, 5000)
    assert np.isfinite(weights).all()
    assert (np.diff(weights) <= 0).all()
    assert weights[0] > 0


@pytest.mark.parametrize("on", ["training", "validation"])
def test_errors_are_weighed_by_costs(on: Any, table: Table) -> None:
    ensemble = CostBaseEnsembleClassifier(
        CostSensitiveTreeClassifier("gini", max_depth=2), n_estimators=5, random_state=0
    )
    model = VotingAdjustedClassifier(ensemble, vote_weights="accuracy", errors_on=on, random_state=0)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    assert model.vote_weights_ is not None
    outcomes = np.array([member.predict(table.X) for member in model.estimator_.estimators_])
    if on == "training":
        costs = np.where(table.y == 1, table.cost_fn, table.cost_fp)
        errors = ((outcomes != table.y) * costs).sum(axis=1) / costs.sum()
        np.testing.assert_allclose(model.vote_weights_, 1 - errors)
    shares = (outcomes * model.vote_weights_[:, None]).sum(axis=0) / model.vote_weights_.sum()
    np.testing.assert_allclose(model.predict_proba(table.X)[:, 1], shares)


def test_models_no_better_than_chance_are_dropped(table: Table) -> None:
    turned = 1 - table.y
    ensemble = CostBaseEnsembleClassifier(Obstinate(), n_estimators=3)
    model = VotingAdjustedClassifier(ensemble, vote_weights="log odds", cost_fn=20.0, pos_label=1)
    with pytest.warns(NoRoundWarning, match="drops all 3 models and predicts the class of least cost"):
        model.fit(table.X, turned)
    assert (model.predict(table.X) == 1).all()


class Obstinate(GaussianNB):
    """Learns the opposite."""

    def predict(self, X: Any) -> Any:
        return 1 - super().predict(X)


def test_validated_majority_costs_no_more_than_the_half_on_the_held_out_records() -> None:
    table, new = noisy_table(0, 500), noisy_table(1, 2000)
    ensemble = CostBaseEnsembleClassifier(n_estimators=25, random_state=0)
    model = VotingAdjustedClassifier(ensemble, voting="validation majority", random_state=0)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    assert new.cost(model.predict(new.X)) < 0.9 * new.cost(ensemble.fit(table.X, table.y).predict(new.X))


@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingClassifier(n_estimators=7, random_state=0),
        SklearnBagging(n_estimators=7, max_features=0.5, random_state=0),
        RandomForestClassifier(n_estimators=7, random_state=0),
    ],
)
def test_other_ensembles_of_classifiers_vote_too(ensemble: Any, table: Table) -> None:
    model = VotingAdjustedClassifier(ensemble, voting="theoretical majority", cost_fn=4.0, random_state=0)
    shares = model.fit(table.X, table.y).predict_proba(table.X)[:, 1]
    np.testing.assert_allclose(shares * 7, np.rint(shares * 7), atol=1e-9)
    np.testing.assert_array_equal(model.predict(table.X), shares > 0.2)


def test_the_votes_of_rareboost_count_by_what_they_say(table: Table) -> None:
    model = VotingAdjustedClassifier(RareBoostClassifier(n_estimators=5), voting="theoretical majority")
    model.fit(table.X, table.y)
    score = model.estimator_.decision_function(table.X)
    np.testing.assert_array_equal(model.predict_proba(table.X)[:, 1] > 0.5, score > 0)


def test_shares_need_no_costs_where_only_the_decision_weighs_them(table: Table) -> None:
    costs = {"cost_fn": table.cost_fn, "cost_fp": table.cost_fp}
    model = VotingAdjustedClassifier(
        CostBaseEnsembleClassifier(n_estimators=5), voting="theoretical majority"
    )
    model.fit(table.X, table.y, **costs)
    shares = model.predict_proba(table.X)
    np.testing.assert_array_equal(shares, model.predict_proba(table.X, **costs))
    np.testing.assert_allclose(model.decision_function(table.X), shares[:, 1] - 0.5)
    with pytest.raises(ValueError, match=r"cost_fn of VotingAdjustedClassifier.predict is missing"):
        model.predict(table.X)
    *_, last = model.staged_predict(table.X, **costs)
    np.testing.assert_array_equal(last, model.predict(table.X, **costs))
