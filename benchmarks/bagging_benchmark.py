"""Fitting and asking our bagging ensembles against scikit-learn's and imbalanced-learn's, one thread each.

python -m benchmarks.bagging_benchmark [--samples 5000] [--features 20] [--classes 3] [--members 50]
                                       [--repetitions 5]

All of them have unpruned trees with Gini impurity, as many members, and bags of the same size.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from imblearn import ensemble as imbalanced
from numpy.typing import NDArray
from sklearn import ensemble as scikit_learn
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from badacost.boosting.bagging.bagging import BaggingClassifier
from badacost.boosting.bagging.balanced_random_forest import BalancedRandomForestClassifier
from badacost.boosting.bagging.easy_ensemble import EasyEnsembleClassifier
from badacost.boosting.bagging.under_bagging import UnderBaggingClassifier
from benchmarks.harness import Timing, format_table, measure


def pairs(n_members: int) -> dict[str, tuple[Any, Any]]:
    """Ours and theirs, by method, in the order of time that they take."""
    tree = DecisionTreeClassifier()
    ours: dict[str, Any] = {"n_estimators": n_members, "random_state": 0}
    theirs: dict[str, Any] = {"n_estimators": n_members, "random_state": 0}
    return {
        "EasyEnsemble": (
            EasyEnsembleClassifier(n_boosting_rounds=10, **ours),
            imbalanced.EasyEnsembleClassifier(
                estimator=scikit_learn.AdaBoostClassifier(n_estimators=10), **theirs
            ),
        ),
        "UnderBagging": (
            UnderBaggingClassifier(**ours),
            imbalanced.BalancedBaggingClassifier(tree, **theirs),
        ),
        "Balanced random forest": (
            BalancedRandomForestClassifier(**ours),
            imbalanced.BalancedRandomForestClassifier(
                sampling_strategy="all", replacement=True, bootstrap=False, **theirs
            ),
        ),
        "Bagging": (BaggingClassifier(**ours), scikit_learn.BaggingClassifier(tree, **theirs)),
    }


def bagging_benchmark(
    X: NDArray[np.float64], y: NDArray[np.int64], *, n_members: int = 50, repetitions: int = 5
) -> dict[str, list[Timing]]:
    """Times of fit and predict by method; ratios are to ours.

    Parameters
    ----------
    X : (n, F) float64
    y : (n,) int64
        EasyEnsemble, a method for two classes, is asked for the last of them against the others.
    n_members : int
    repetitions : int
    """
    timings = {}
    for method, (ours, theirs) in pairs(n_members).items():
        labels = (y == y.max()).astype(np.int64) if method == "EasyEnsemble" else y
        timings[f"{method}, fit"] = measure(_fits(ours, theirs, X, labels), repetitions=repetitions)
        ours.fit(X, labels)
        theirs.fit(X, labels)
        asked: dict[str, Callable[[], object]] = {
            "ours": lambda model=ours: model.predict(X),  # type: ignore[misc]
            "theirs": lambda model=theirs: model.predict(X),  # type: ignore[misc]
        }
        timings[f"{method}, predict"] = measure(asked, repetitions=repetitions)
    return timings


def _fits(
    ours: Any, theirs: Any, X: NDArray[np.float64], y: NDArray[np.int64]
) -> dict[str, Callable[[], object]]:
    return {"ours": lambda: ours.fit(X, y), "theirs": lambda: theirs.fit(X, y)}


def example_table(
    n_samples: int, n_features: int, n_classes: int, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Overlapping classes, each but the first with a tenth of the rows at most."""
    rare = [min(0.1, 0.5 / n_classes)] * (n_classes - 1)
    rows, labels = make_classification(
        n_samples,
        n_features,
        n_informative=max(n_features // 2, 3),
        n_classes=n_classes,
        weights=[1.0 - sum(rare), *rare],
        random_state=seed,
    )
    return rows, labels.astype(np.int64)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--classes", type=int, default=3)
    parser.add_argument("--members", type=int, default=50)
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args(arguments)
    X, y = example_table(options.samples, options.features, options.classes)
    print(f"{options.samples} rows, {options.features} features, {np.bincount(y).tolist()} of the classes\n")
    for title, timings in bagging_benchmark(
        X, y, n_members=options.members, repetitions=options.repetitions
    ).items():
        print(format_table(f"{title}, {options.members} members", timings), "\n")


if __name__ == "__main__":
    main()
