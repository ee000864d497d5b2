"""Bagging (Breiman 1996)."""

from __future__ import annotations

from .bag_samplers import BagSampler, Bootstrap
from .bagged_ensemble import BaggedEnsemble
from .training_table import TrainingTable


class BaggingClassifier(BaggedEnsemble):
    """Bagging of unpruned CART trees, for any number of classes.

    Every member is trained on as many rows as there are, drawn with replacement.

    Parameters
    ----------
    estimator : classifier, optional
        The member: our `CARTClassifier` (fast), or any scikit-learn classifier. None is an unpruned CART tree.
        A bag of one class, which most classifiers refuse, gives a member that always votes for it.
    n_estimators : int
        Number of members.
    voting : {"hard", "soft"}
        A vote for every member, or the mean of the members' class probabilities. Ties go to the first class.
        A class that a bag lacks gets no vote from its member.
    n_jobs : int, optional
        Members trained at once; -1 is one a processor core, None is 1 or what joblib's context says. The result
        does not depend on it.
    random_state : int, RandomState or None
        Draws the bags, and seeds members that have a `random_state`.

    Attributes
    ----------
    classes_ : (K,) array
    n_features_in_ : int
    feature_names_in_ : (F,) array of str
        Only if X had names.
    estimators_ : list of classifiers
    estimators_samples_ : list of arrays of int64
        Rows of X in the bag of every member, repeated ones repeated.
    estimators_features_ : list of arrays of int64
        Columns of X that every member sees.
    estimator_errors_ : (T,) array
        Share of all training rows that the member gets wrong.
    estimator_weights_ : (T,) array of ones
    n_rounds_ : int
        T.
    stop_reason_ : str
    feature_importances_ : (F,) array
        If the members have them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BaggingClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> len(model.estimators_samples_), len(model.estimators_samples_[0])
    (10, 150)
    """

    def _sampler(self, table: TrainingTable, seed: int) -> BagSampler:
        return Bootstrap(table)
