"""The figures show the fitted estimators' numbers, and refuse what has none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting import (
    AdaBoostClassifier,
    AdaCC1Classifier,
    BAdaCostClassifier,
    RareBoostClassifier,
    SAMMEClassifier,
)
from badacost.boosting.plots import (
    plot_balanced_error,
    plot_confidence,
    plot_decision_boundaries,
    plot_importances,
    plot_minority_weight,
    plot_vote_weights,
)

X, Y = make_classification(300, 6, weights=[0.8], class_sep=0.7, random_state=0)
THREE = np.where(Y == 1, "rare", np.where(X[:, 0] > np.median(X[Y == 0, 0]), "left", "right"))


@pytest.fixture(scope="module")
def boosters() -> dict[str, Any]:
    return {
        "plain": AdaBoostClassifier(n_estimators=8, record_history=True).fit(X, Y),
        "own costs": AdaCC1Classifier(n_estimators=8, record_history=True).fit(X, Y),
    }


@pytest.fixture(scope="module")
def of_three_classes() -> BAdaCostClassifier:
    return BAdaCostClassifier(n_estimators=6, record_history=True).fit(X, THREE)


def curves(axes: Any) -> dict[str, np.ndarray]:
    return {line.get_label(): line.get_ydata() for line in axes.lines}


def test_minority_weight_is_the_positive_class_s(boosters: dict[str, Any]) -> None:
    drawn = curves(plot_minority_weight(boosters))
    for name, booster in boosters.items():
        np.testing.assert_array_equal(drawn[name], booster.history_["positive_weight"])


def test_minority_weight_of_several_classes_is_the_lightest_s(of_three_classes: BAdaCostClassifier) -> None:
    drawn = curves(plot_minority_weight({"three": of_three_classes}))["three"]
    rare = list(of_three_classes.classes_).index("rare")
    np.testing.assert_array_equal(drawn, of_three_classes.history_["class_weights"][:, rare])


def test_vote_weights_have_a_curve_an_answer_where_it_matters(boosters: dict[str, Any]) -> None:
    rare_boost = RareBoostClassifier(n_estimators=5).fit(X, Y)
    drawn = curves(plot_vote_weights({"plain": boosters["plain"], "rare": rare_boost}))
    assert set(drawn) == {"plain", "rare, answer 0", "rare, answer 1"}
    np.testing.assert_array_equal(drawn["rare, answer 1"], rare_boost.estimator_weights_[:, 1])


def test_balanced_error_ends_at_the_ensemble_s(boosters: dict[str, Any]) -> None:
    drawn = curves(plot_balanced_error(boosters, X, Y))
    for name, booster in boosters.items():
        assert drawn[name][-1] == pytest.approx(1 - balanced_accuracy_score(Y, booster.predict(X)))


def test_importances_fall_and_keep_their_names(boosters: dict[str, Any]) -> None:
    axes = plot_importances(boosters, largest=3)
    names = [int(tick.get_text()) for tick in axes.get_xticklabels()]
    mean = np.mean([each.feature_importances_ for each in boosters.values()], axis=0)
    assert list(mean[names]) == sorted(mean, reverse=True)[:3]
    bars = [bar.get_height() for bar in axes.containers[1]]
    np.testing.assert_array_equal(bars, boosters["own costs"].feature_importances_[names])


def test_confidence_above_zero_is_the_share_of_right_answers(of_three_classes: BAdaCostClassifier) -> None:
    axes = plot_confidence({"three": of_three_classes}, X, THREE)
    right = of_three_classes.predict(X) == THREE
    for steps in axes.patches:
        label = steps.get_label().removeprefix("three, class ")
        values, edges, _ = steps.get_data()
        assert np.sum(values * np.diff(edges)) == pytest.approx(1)
        above = np.sum((values * np.diff(edges))[edges[:-1] >= 0])
        assert above == pytest.approx(right[label == THREE].mean(), abs=1e-12)


def test_boundaries_have_a_panel_an_estimator() -> None:
    pair = X[:, :2]
    models = {
        "ours": SAMMEClassifier(n_estimators=3).fit(pair, THREE),
        "theirs": DecisionTreeClassifier(max_depth=3).fit(pair, THREE),
    }
    figure = plot_decision_boundaries(models, pair, THREE)
    assert [axes.get_title() for axes in figure.axes] == ["ours", "theirs"]


def test_axes_that_are_given_are_drawn_into(boosters: dict[str, Any]) -> None:
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert plot_vote_weights(boosters, axes) is axes


def test_what_cannot_be_drawn_is_refused(boosters: dict[str, Any]) -> None:
    no_history = AdaBoostClassifier(n_estimators=2).fit(X, Y)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    with pytest.raises(ValueError, match="must be fitted with record_history=True"):
        plot_minority_weight({"plain": no_history})
    with pytest.raises(ValueError, match="'tree' must have estimator_weights_"):
        plot_vote_weights({"tree": tree})
    with pytest.raises(ValueError, match="'tree' must have decision_function"):
        plot_confidence({"tree": tree}, X, Y)
    with pytest.raises(ValueError, match="got 2"):
        plot_confidence(boosters, X, np.where(Y == 1, 2, 0))
    with pytest.raises(ValueError, match="must be a mapping"):
        plot_importances({})
    with pytest.raises(ValueError, match="same features"):
        plot_importances({"a": no_history, "b": AdaBoostClassifier(n_estimators=2).fit(X[:, :3], Y)})
    with pytest.raises(ValueError, match="shape"):
        plot_decision_boundaries(boosters, X, Y)
