"""MetaCost: training on the labels of a cost-sensitive model."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from badacost.boosting.framework.cost_ensemble import CostBaseEnsembleClassifier
from badacost.boosting.framework.cost_sensitive_tree import CostSensitiveTreeClassifier
from badacost.boosting.framework.metacost import MetaCostClassifier, OneLabelWarning
from badacost.boosting.framework.minimum_expected_cost import MinimumExpectedCostClassifier

from .tables import Table, noisy_table


def test_metacost_trains_on_the_labels_of_the_cost_sensitive_model(table: Table) -> None:
    relabeler = MinimumExpectedCostClassifier(GaussianNB())
    model = MetaCostClassifier(LogisticRegression(), relabeler=relabeler)
    model.fit(table.X, table.y, cost_fn=table.cost_fn, cost_fp=table.cost_fp)
    shares = GaussianNB().fit(table.X, table.y).predict_proba(table.X)[:, 1]
    labels = (shares * table.cost_fn > (1 - shares) * table.cost_fp).astype(int)
    expected = LogisticRegression().fit(table.X, labels)
    np.testing.assert_array_equal(model.predict(table.X), expected.predict(table.X))
    np.testing.assert_allclose(model.predict_proba(table.X), expected.predict_proba(table.X), atol=1e-3)
    assert model.relabeled_ == pytest.approx((labels != table.y).mean())


@pytest.mark.parametrize("out_of_bag", [False, True])
def test_metacost_as_published(out_of_bag: bool) -> None:
    tree = CostSensitiveTreeClassifier("gini", max_depth=4)
    relabeler = MinimumExpectedCostClassifier(CostBaseEnsembleClassifier(tree, n_estimators=15))
    model = MetaCostClassifier(tree, relabeler=relabeler, out_of_bag=out_of_bag, cost_fn=5.0, random_state=0)
    paid, blind = 0.0, 0.0
    for seed in range(3):
        table, new = noisy_table(seed, 400), noisy_table(100 + seed, 2000)
        constant = Table(new.X, new.y, np.full(2000, 5.0), np.ones(2000))
        paid += constant.cost(model.fit(table.X, table.y).predict(new.X))
        blind += constant.cost(tree.fit(table.X, table.y).predict(new.X))
    assert paid < 0.9 * blind


def test_out_of_bag_probabilities(table: Table) -> None:
    ensemble = CostBaseEnsembleClassifier(n_estimators=4, random_state=0).fit(table.X, table.y)
    order = np.lexsort((*table.X.T[::-1], table.y))  # distinct records in their sorted order
    rows = table.X[order]
    found = ensemble.out_of_bag_probability(rows)
    each = np.array([member.predict_proba(rows)[:, 1] for member in ensemble.estimators_])
    for i in range(len(rows)):
        out = ~ensemble.in_bag_[:, i]
        assert found[i] == pytest.approx(each[out if out.any() else ~out, i].mean())


def test_one_label_for_all(table: Table) -> None:
    model = MetaCostClassifier(relabeler=MinimumExpectedCostClassifier(GaussianNB()), cost_fp=0.0)
    with pytest.warns(OneLabelWarning, match="labels all records positive"):
        model.fit(table.X, table.y)
    assert (model.predict(table.X) == 1).all()
