"""The reweighting family as citizens of scikit-learn."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from badacost.boosting.reweighting.adaboost import AdaBoostClassifier
from badacost.boosting.reweighting.adac import AdaC2Classifier
from badacost.boosting.reweighting.adacc import AdaCC1Classifier
from badacost.boosting.reweighting.adamec import AdaMECClassifier
from badacost.boosting.reweighting.cgada import CGAdaClassifier
from badacost.boosting.reweighting.rareboost import RareBoostClassifier
from badacost.boosting.reweighting.reweighting_classifier import ReweightingClassifier
from badacost.boosting.trees.stump_classifier import DecisionStumpClassifier
from badacost.boosting.trees.tree_classifier import TreeClassifier

from .reweighting_family import EVERY, RECORD_COSTS, WITHOUT_COSTS

Data = tuple[NDArray[np.float64], NDArray[np.int64]]
NOT_EVERY_ROUND_SURVIVES = pytest.mark.filterwarnings(
    "ignore::badacost.boosting.reweighting.reweighting_classifier.NoRoundWarning"
)


@pytest.fixture(scope="module")
def data() -> Data:
    """Noisy, imbalanced: 60 positive rows of 300."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(2)
    y = np.zeros(300, dtype=np.int64)
    y[np.argsort(X[:, 0] + X[:, 2] + rng.normal(size=300))[-60:]] = 1
    return X, y


@parametrize_with_checks([estimator() for estimator in EVERY])
@NOT_EVERY_ROUND_SURVIVES
def test_scikit_learn_conformance(estimator: Any, check: Any) -> None:
    check(estimator)


@parametrize_with_checks(
    [
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=5),
        AdaC2Classifier(DecisionStumpClassifier(search="exact"), cost_fp=0.3, n_estimators=5),
    ]
)
@NOT_EVERY_ROUND_SURVIVES
def test_conformance_with_other_learners(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("estimator", EVERY)
@NOT_EVERY_ROUND_SURVIVES
def test_attributes_and_stages(estimator: type[ReweightingClassifier], data: Data) -> None:
    X, y = data
    parameters: dict[str, Any] = {"n_estimators": 8, "random_state": 0}
    if estimator not in WITHOUT_COSTS:
        parameters["cost_fp"] = 0.4
    if estimator.__name__ == "AdaCostClassifier":
        parameters["alpha_rule"] = "error"
    model = estimator(**parameters).fit(X, y)
    assert model.n_rounds_ == len(model.estimators_) == len(model.estimator_errors_) >= 1
    shape = (model.n_rounds_, 2) if estimator is RareBoostClassifier else (model.n_rounds_,)
    assert model.estimator_weights_.shape == shape
    assert (model.estimator_weights_ > 0).all()
    assert ((model.estimator_errors_ >= 0) & (model.estimator_errors_ < 0.5)).all() or "AdaC" in str(model)
    assert isinstance(model.stop_reason_, str)
    assert model.fallback_class_ is None
    assert model.positive_class_ == 1
    assert model.feature_importances_.shape == (4,)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    for whole, staged in (
        (model.predict, model.staged_predict),
        (model.decision_function, model.staged_decision_function),
        (model.predict_proba, model.staged_predict_proba),
    ):
        stages = list(staged(X))
        assert len(stages) == model.n_rounds_
        np.testing.assert_array_equal(stages[-1], whole(X))
    if model.n_rounds_ > 1:  # every stage is its own array
        stages = list(model.staged_decision_function(X))
        assert not np.array_equal(stages[0], stages[-1])
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert proba.min() >= 0
    assert not hasattr(model, "history_")


@pytest.mark.parametrize("estimator", EVERY)
@NOT_EVERY_ROUND_SURVIVES
def test_history(estimator: type[ReweightingClassifier], data: Data) -> None:
    X, y = data
    model = estimator(n_estimators=6, record_history=True, random_state=0).fit(X, y)
    names = {
        "positive_weight",
        "alpha",
        "error",
        "true_positive_rate",
        "true_negative_rate",
        "balanced_error",
    }
    if estimator.__name__.endswith(("CC1Classifier", "CC2Classifier")):
        names |= {"cost_of_wrong_positives", "cost_of_wrong_negatives"}
    if model.n_rounds_ == 0:
        assert model.history_ == {}
        return
    assert set(model.history_) == names
    assert all(len(values) == model.n_rounds_ for values in model.history_.values())
    np.testing.assert_array_equal(model.history_["alpha"], model.estimator_weights_)
    if not estimator.__name__.startswith("Calibrated"):
        for t, predicted in enumerate(model.staged_predict(X)):
            assert model.history_["true_positive_rate"][t] == pytest.approx((predicted[y == 1] == 1).mean())
            assert model.history_["true_negative_rate"][t] == pytest.approx((predicted[y == 0] == 0).mean())


def test_positive_weight_of_the_first_round_is_the_share_of_positives(data: Data) -> None:
    X, y = data
    model = AdaCC1Classifier(n_estimators=3, record_history=True).fit(X, y)
    assert model.history_["positive_weight"][0] == pytest.approx(0.2)
    rates = model.history_["true_positive_rate"][0], model.history_["true_negative_rate"][0]
    assert model.history_["balanced_error"][0] == pytest.approx(1 - sum(rates) / 2)
    assert model.history_["cost_of_wrong_positives"][0] == pytest.approx(2 - rates[0])


@pytest.mark.parametrize("estimator", EVERY)
@NOT_EVERY_ROUND_SURVIVES
def test_clone_and_pickle(estimator: type[ReweightingClassifier], data: Data) -> None:
    X, y = data
    model = estimator(n_estimators=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("estimator", EVERY)
@NOT_EVERY_ROUND_SURVIVES
def test_orientation(estimator: type[ReweightingClassifier], data: Data) -> None:
    """The rare class is the positive one whatever its label; scores keep the order of the classes."""
    X, y = data
    parameters: dict[str, Any] = {} if estimator in WITHOUT_COSTS else {"cost_fp": 0.5}
    model = estimator(n_estimators=7, random_state=0, **parameters).fit(X, y)
    turned = estimator(n_estimators=7, random_state=0, **parameters).fit(X, 1 - y)
    assert (model.positive_class_, turned.positive_class_) == (1, 0)
    np.testing.assert_array_equal(turned.predict(X), 1 - model.predict(X))
    np.testing.assert_allclose(turned.decision_function(X), -model.decision_function(X), atol=1e-12)
    np.testing.assert_allclose(turned.predict_proba(X), model.predict_proba(X)[:, ::-1], atol=1e-12)


def test_pos_label_and_ties_between_classes() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    y = np.repeat(["a", "b"], 40)
    assert CGAdaClassifier(n_estimators=2).fit(X, y).positive_class_ == "b"
    assert CGAdaClassifier(n_estimators=2, pos_label="a").fit(X, y).positive_class_ == "a"
    lighter = np.where(y == "a", 0.5, 1.0)
    assert CGAdaClassifier(n_estimators=2).fit(X, y, sample_weight=lighter).positive_class_ == "a"


def test_an_exact_tie_goes_to_the_negative_class() -> None:
    """Two learners of equal alpha against each other, both orientations."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5 + [[0.0, 0.0]])
    for flip in (False, True):
        y = np.array([0, 0, 1, 1] * 5 + [0])
        model = AdaBoostClassifier(n_estimators=1).fit(X, 1 - y if flip else y)
        left_out = model.estimators_[0]
        other = left_out.with_stump(
            left_out.stump_.__class__(
                1, 0.5, left_out.stump_.left, left_out.stump_.right, left_out.stump_.masses
            ),
            left_out.classes_,
            2,
        )
        model.estimators_ = [left_out, other]
        model.estimator_weights_ = np.array([0.7, 0.7])
        negative = ({0, 1} - {int(model.positive_class_)}).pop()
        tie = np.array([[0.0, 1.0], [1.0, 0.0]])
        np.testing.assert_array_equal(model.predict(tie), negative)
        np.testing.assert_array_equal(
            model.classes_[(model.decision_function(tie) > 0).astype(int)], negative
        )
        np.testing.assert_array_equal(model.classes_[model.predict_proba(tie).argmax(axis=1)], negative)


@NOT_EVERY_ROUND_SURVIVES
@pytest.mark.parametrize("estimator", EVERY)
def test_pandas_strings_and_names(estimator: type[ReweightingClassifier], data: Data) -> None:
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    labels = pd.Series(np.where(y == 1, "sick", "well"))
    model = estimator(n_estimators=4, random_state=0).fit(frame, labels)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert model.classes_.tolist() == ["sick", "well"]
    assert model.positive_class_ == "sick"
    plain = estimator(n_estimators=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(frame) == "sick", plain.predict(X) == 1)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a", "c", "d"]])


@pytest.mark.parametrize("estimator", EVERY)
def test_sparse_tables_are_refused(estimator: type[ReweightingClassifier], data: Data) -> None:
    X, y = data
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        estimator().fit(csr_array(X), y)


def test_pipeline_and_grid_search(data: Data) -> None:
    X, y = data
    search = GridSearchCV(
        make_pipeline(StandardScaler(), AdaC2Classifier(n_estimators=5)),
        {
            "adac2classifier__cost_fp": [0.6, 1.0],
            "adac2classifier__estimator": [None, DecisionTreeClassifier()],
        },
        scoring="balanced_accuracy",
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.6
    assert cross_val_score(AdaMECClassifier(cost_fp=0.2), X, y, scoring="roc_auc", cv=3).mean() > 0.7


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_costs_of_records_are_routed(routing: None, data: Data) -> None:
    """Through a pipeline and a search to fit, cut to each fold."""
    X, y = data
    costs = np.random.default_rng(1).lognormal(size=len(y))
    booster = CGAdaClassifier(n_estimators=5).set_fit_request(cost_fn=True, cost_fp=True)
    pipeline = make_pipeline(StandardScaler(), booster)
    routed = pipeline.fit(X, y, cost_fn=costs, cost_fp=0.5)[-1]
    direct = CGAdaClassifier(n_estimators=5).fit(
        StandardScaler().fit_transform(X), y, cost_fn=costs, cost_fp=0.5
    )
    np.testing.assert_array_equal(routed.estimator_weights_, direct.estimator_weights_)
    GridSearchCV(pipeline, {"cgadaclassifier__n_estimators": [2, 4]}, cv=3).fit(
        X, y, cost_fn=costs, cost_fp=costs
    )


def test_costs_at_prediction_are_routed(routing: None, data: Data) -> None:
    X, y = data
    costs = np.random.default_rng(1).lognormal(size=len(y))
    booster = (
        AdaMECClassifier(n_estimators=5)
        .set_fit_request(cost_fn=True)
        .set_predict_request(cost_fn=True)
        .set_score_request(sample_weight=False)
    )
    pipeline = make_pipeline(StandardScaler(), booster).fit(X, y, cost_fn=costs)
    assert set(pipeline.predict(X, cost_fn=costs)) == {0, 1}


def test_missing_values_where_the_learner_takes_them(data: Data) -> None:
    """Not stricter than the weak learner."""
    X, y = data
    holes = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=5).fit(holes, y)
    assert set(model.predict(holes)) <= {0, 1}
    with pytest.raises(ValueError, match="contains NaN"):
        AdaBoostClassifier().fit(holes, y)
    with pytest.raises(ValueError, match="contains NaN"):
        AdaBoostClassifier(LogisticRegression()).fit(holes, y)


def test_any_classifier_can_be_the_weak_learner(data: Data) -> None:
    X, y = data
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=1))
    with pytest.raises(ValueError, match="must take sample_weight in fit, Pipeline does not"):
        AdaBoostClassifier(pipeline).fit(X, y)
    model = AdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(X, y)
    assert isinstance(model.estimators_[0], LogisticRegression)
    with pytest.raises(AttributeError, match="LogisticRegression has no feature_importances_"):
        _ = model.feature_importances_
    tree = DecisionTreeClassifier(max_depth=2, max_features=1)
    models = [
        AdaBoostClassifier(tree, n_estimators=4, random_state=seed).fit(X, y).decision_function(X)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(models[0], models[1])
    assert not np.array_equal(models[0], models[2])


class FreshTree(ClassifierMixin, BaseEstimator):
    """Our tree, unknown to the booster as such."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FreshTree:
        self.tree_ = TreeClassifier(max_depth=2).fit(X, y, sample_weight)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        return self.tree_.predict(X)


def test_our_trees_are_weak_learners(data: Data) -> None:
    """Prepared once and relabelled, with the same result as the estimator trained anew every round."""
    X, y = data
    for labels in (y, 1 - y):
        fast = AdaBoostClassifier(TreeClassifier(max_depth=2), n_estimators=6).fit(X, labels)
        slow = AdaBoostClassifier(FreshTree(), n_estimators=6).fit(X, labels)
        np.testing.assert_allclose(fast.estimator_weights_, slow.estimator_weights_, rtol=1e-9)
        np.testing.assert_allclose(fast.predict_proba(X), slow.predict_proba(X), atol=1e-12)
        for learner in fast.estimators_:
            np.testing.assert_array_equal(
                learner.predict(X), learner.classes_[learner.predict_proba(X).argmax(axis=1)]
            )
    stumps = AdaBoostClassifier(DecisionStumpClassifier(search="exact"), n_estimators=10).fit(X, y)
    trees = AdaBoostClassifier(TreeClassifier(max_depth=1, max_bins=None), n_estimators=10).fit(X, y)
    np.testing.assert_array_equal(trees.estimator_weights_, stumps.estimator_weights_)
    np.testing.assert_array_equal(trees.decision_function(X), stumps.decision_function(X))


def test_our_stump_and_the_depth_one_tree_boost_alike(data: Data) -> None:
    X, y = data
    ours = AdaBoostClassifier(DecisionStumpClassifier(search="exact"), n_estimators=10).fit(X, y)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=10).fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)


@pytest.mark.parametrize("estimator", RECORD_COSTS)
@NOT_EVERY_ROUND_SURVIVES
def test_equal_costs_of_records_are_costs_of_classes(
    estimator: type[ReweightingClassifier], data: Data
) -> None:
    """The two ways to compute a round agree."""
    X, y = data
    ones = np.ones(len(y))
    by_class = estimator(n_estimators=12, cost_fn=0.9, cost_fp=0.3, random_state=0).fit(X, y)  # type: ignore[call-arg]
    by_record = estimator(n_estimators=12, random_state=0).fit(X, y, cost_fn=0.9 * ones, cost_fp=0.3 * ones)  # type: ignore[call-arg]
    np.testing.assert_allclose(by_record.estimator_weights_, by_class.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(by_record.predict_proba(X), by_class.predict_proba(X), atol=1e-9)
