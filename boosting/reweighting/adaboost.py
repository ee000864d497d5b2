"""AdaBoost with two classes (Freund and Schapire 1997), the method that the others change."""

from __future__ import annotations

from .reweighting import ReweightingRule
from .reweighting_classifier import ReweightingClassifier
from .reweighting_rules import ADABOOST


class AdaBoostClassifier(ReweightingClassifier):
    """AdaBoost of decision stumps (Gini), two classes.

    A round trains a learner on the weights D, gives it alpha = 1/2 ln((1-e)/e) for its weighted error e, and
    multiplies the weights with exp(-alpha y h), y and h in {-1, +1}. A learner without an error is kept with
    the alpha of e = 1/(2n) and ends boosting. If no learner is better than chance, the class of least cost is
    predicted for every row, with a `NoRoundWarning`.

    Parameters
    ----------
    estimator : classifier, optional
        The weak learner: a `DecisionStumpClassifier` or `TreeClassifier` (fast), or any scikit-learn
        classifier that takes `sample_weight`. None is our stump with Gini impurity.
    n_estimators : int
        Number of rounds at most.
    random_state : int, RandomState or None
        Seeds the learners that have a `random_state`.
    pos_label : label, optional
        The positive class. None: the rarer one (by sample weight), ``classes_[1]`` on a tie. It decides what
        is dear or cheap only; `decision_function` and `predict_proba` keep the order of `classes_`.
    on_negative_alpha : {"stop", "skip", "keep"}
        What happens to a learner that is not better than chance: boosting ends without it, goes on without it
        (for randomised learners), or goes on with its votes against it.
    record_history : bool
        Fill `history_`.

    Attributes
    ----------
    classes_ : (2,) array
    positive_class_ : label
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    estimators_ : list of classifiers
    estimator_weights_ : (T,) array
        alpha of every learner on the half scale, 1/2 ln((1-e)/e) for AdaBoost.
    estimator_errors_ : (T,) array
        Weighted 0/1 error of every learner.
    n_rounds_ : int
        T, the number of learners kept.
    stop_reason_ : str
    fallback_class_ : label or None
        If no round survived: the class of least cost, predicted for every row.
    feature_importances_ : (F,) array
        Importances of the learners averaged with their weights; sum 1 (0 if nothing was split).
    history_ : dict of (T,) arrays
        With ``record_history=True``: `positive_weight` (share of the weights on the positive class),
        `alpha`, `error`, and of the ensemble so far on the training rows `true_positive_rate`,
        `true_negative_rate`, `balanced_error`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> model.n_rounds_, model.stop_reason_
    (20, 'all rounds done')
    """

    def _rule(self) -> ReweightingRule:
        return ADABOOST
