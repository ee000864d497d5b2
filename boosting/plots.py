"""Figures of what goes on inside boosters: weights, votes, errors, importances, confidence, decision boundaries.

They are the kinds of figure (1 to 6) by which Iosifidis, Papadopoulos, Rosenhahn and Ntoutsi, "AdaCC: Cumulative
Cost-Sensitive Boosting for Imbalanced Classification" (2022) looks into its methods. Each takes fitted estimators by
name, draws into the axes given or new ones, and needs no display.

>>> from badacost.boosting import AdaBoostClassifier, AdaCC1Classifier
>>> boosters = {"AdaBoost": AdaBoostClassifier(), "AdaCC1": AdaCC1Classifier()}
>>> fitted = {name: booster.fit(X, y) for name, booster in boosters.items()}     # doctest: +SKIP
>>> plot_balanced_error(fitted, X_test, y_test).figure.savefig("errors.png")     # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Estimators = Mapping[str, Any]
DENSITY_BINS = 40
PANEL_WIDTH, PANEL_HEIGHT = 4.0, 3.6  # inches


def plot_minority_weight(estimators: Estimators, axes: Axes | None = None) -> Axes:
    """Share of the weights that lies on the minority class, round by round.

    Parameters
    ----------
    estimators : mapping of name to fitted estimator
        Fitted with ``record_history=True``. For two classes the curve is that of the positive class, else of the class
        that weighed least in the first round.
    axes : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If an estimator has no history of weights.
    """
    shares = {name: _minority_share(name, each) for name, each in _fitted(estimators).items()}
    axes = _labelled(axes, "round", "weight of the minority class")
    for name, share in shares.items():
        axes.plot(np.arange(1, len(share) + 1), share, label=name)
    return _with_legend(axes)


def plot_vote_weights(estimators: Estimators, axes: Axes | None = None) -> Axes:
    """Vote weight of the learner of every round; two curves where the weight depends on the learner's answer.

    Parameters
    ----------
    estimators : mapping of name to fitted estimator
        With `estimator_weights_`.
    axes : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If an estimator has no vote weights.
    """
    weights = {
        name: np.asarray(_attribute(name, each, "estimator_weights_"))
        for name, each in _fitted(estimators).items()
    }
    axes = _labelled(axes, "round", "vote weight")
    for name, votes in weights.items():
        rounds = np.arange(1, len(votes) + 1)
        for answer, column in enumerate(votes.reshape(len(votes), -1).T):
            axes.plot(rounds, column, label=name if votes.ndim == 1 else f"{name}, answer {answer}")
    return _with_legend(axes)


def plot_balanced_error(estimators: Estimators, X: ArrayLike, y: ArrayLike, axes: Axes | None = None) -> Axes:
    """Balanced error of the ensemble after every round: one less the mean of the classes' recalls.

    Parameters
    ----------
    estimators : mapping of name to fitted estimator
        With `staged_predict`.
    X : (n, F) array_like
        Rows to judge them by, those of the training or others.
    y : (n,) array_like
    axes : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If an estimator has no staged predictions.
    """
    errors = {
        name: [
            1.0 - balanced_accuracy_score(y, found) for found in _attribute(name, each, "staged_predict")(X)
        ]
        for name, each in _fitted(estimators).items()
    }
    axes = _labelled(axes, "round", "balanced error")
    for name, curve in errors.items():
        axes.plot(np.arange(1, len(curve) + 1), curve, label=name)
    axes.set_ylim(bottom=0)
    return _with_legend(axes)


def plot_importances(estimators: Estimators, axes: Axes | None = None, *, largest: int | None = None) -> Axes:
    """Bars of the feature importances, the features in falling order of their mean importance.

    Parameters
    ----------
    estimators : mapping of name to fitted estimator
        With `feature_importances_`, all fitted on the same features.
    axes : matplotlib.axes.Axes, optional
    largest : int, optional
        Show so many features; all by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If an estimator has no importances, or they are of different numbers of features.
    """
    fitted = _fitted(estimators)
    rows = [np.asarray(_attribute(name, each, "feature_importances_")) for name, each in fitted.items()]
    counts = sorted({len(row) for row in rows})
    if len(counts) > 1:
        raise ValueError(f"estimators of plot_importances must have the same features, got {counts} features")
    importances = np.stack(rows)
    shown = np.argsort(-importances.mean(axis=0), kind="stable")[:largest]
    first = next(iter(fitted.values()))
    names = getattr(first, "feature_names_in_", np.arange(importances.shape[1]))
    axes = _labelled(axes, "feature", "importance")
    width = 0.8 / len(rows)
    for place, (name, row) in enumerate(zip(fitted, importances, strict=True)):
        axes.bar(np.arange(len(shown)) - 0.4 + (place + 0.5) * width, row[shown], width, label=name)
    axes.set_xticks(np.arange(len(shown)), [str(names[feature]) for feature in shown], rotation=90)
    return _with_legend(axes)


def plot_confidence(estimators: Estimators, X: ArrayLike, y: ArrayLike, axes: Axes | None = None) -> Axes:
    """Density of the margins of the rows, a curve a class: right answers are above 0, sure ones far from it.

    The margin is the score of the true class less the best other one (two classes: the decision value, negated for
    ``classes_[0]``), divided by the largest margin in size, so that ensembles of any scale compare.

    Parameters
    ----------
    estimators : mapping of name to fitted estimator
        With `decision_function`.
    X : (n, F) array_like
    y : (n,) array_like
    axes : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If an estimator has no decision function, or y has a label that it does not know.
    """
    labels = np.asarray(y)
    fitted = _fitted(estimators)
    margins = {name: _margins(name, each, X, labels) for name, each in fitted.items()}
    axes = _labelled(axes, "margin", "density")
    edges = np.linspace(-1.0, 1.0, DENSITY_BINS + 1)
    for name, margin in margins.items():
        for label in fitted[name].classes_:
            of_class = margin[labels == label]
            if len(of_class):
                density, _ = np.histogram(of_class, edges, density=True)
                axes.stairs(density, edges, label=f"{name}, class {label}")
    axes.axvline(0.0, color="black", linewidth=0.8)
    return _with_legend(axes)


def plot_decision_boundaries(estimators: Estimators, X: ArrayLike, y: ArrayLike) -> Figure:
    """Where each estimator predicts which class, one panel an estimator, for two features.

    Parameters
    ----------
    estimators : mapping of name to fitted estimator
    X : (n, 2) array_like
        Rows to draw; the plane shown is theirs and a margin.
    y : (n,) array_like

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If X has not two features.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from sklearn.inspection import DecisionBoundaryDisplay

    fitted = _fitted(estimators)
    rows, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"X of plot_decision_boundaries must have shape (n, 2), got {rows.shape}")
    figure = Figure(figsize=(PANEL_WIDTH * len(fitted), PANEL_HEIGHT), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(fitted), squeeze=False)[0]
    for panel, (name, each) in zip(panels, fitted.items(), strict=True):
        DecisionBoundaryDisplay.from_estimator(each, rows, response_method="predict", ax=panel, alpha=0.3)
        for label in np.unique(labels):
            panel.scatter(*rows[labels == label].T, s=8, label=str(label))
        panel.set_title(name)
    _with_legend(panels[0])
    return figure


def _fitted(estimators: Estimators) -> dict[str, Any]:
    if not isinstance(estimators, Mapping) or not estimators:
        raise ValueError(f"estimators must be a mapping of names to fitted estimators, got {estimators!r}")
    for each in estimators.values():
        check_is_fitted(each)
    return dict(estimators)


def _attribute(name: str, estimator: Any, attribute: str) -> Any:
    if not hasattr(estimator, attribute):
        raise ValueError(
            f"estimator {name!r} must have {attribute}, {type(estimator).__name__} has none here"
        )
    return getattr(estimator, attribute)


def _minority_share(name: str, estimator: Any) -> NDArray[np.float64]:
    if not hasattr(estimator, "history_"):
        raise ValueError(
            f"estimator {name!r} must be fitted with record_history=True, "
            f"this {type(estimator).__name__} has no history_"
        )
    history = estimator.history_
    if "positive_weight" in history:
        return np.asarray(history["positive_weight"])
    if "class_weights" in history:
        of_classes = np.asarray(history["class_weights"])
        return np.asarray(of_classes[:, np.argmin(of_classes[0])] if len(of_classes) else of_classes[:, :0])
    raise ValueError(
        f"estimator {name!r} must record weights, history_ of {type(estimator).__name__} has {sorted(history)}"
    )


def _margins(name: str, estimator: Any, X: ArrayLike, labels: NDArray[Any]) -> NDArray[np.float64]:
    scores = np.asarray(_attribute(name, estimator, "decision_function")(X), dtype=np.float64)
    classes = estimator.classes_
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise ValueError(
            f"y must have classes that {name!r} knows, {classes.tolist()}, got {unknown.tolist()[0]!r}"
        )
    codes = np.searchsorted(classes, labels)
    if scores.ndim == 1:
        margin = np.where(codes == 1, scores, -scores)
    else:
        rows = np.arange(len(codes))
        others = scores.copy()
        others[rows, codes] = -np.inf
        margin = scores[rows, codes] - others.max(axis=1)
    scale = np.abs(margin).max(initial=0.0)
    return margin / scale if scale > 0 else margin


def _labelled(axes: Axes | None, x: str, y: str) -> Axes:
    if axes is None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
    axes.set(xlabel=x, ylabel=y)
    return axes


def _with_legend(axes: Axes) -> Axes:
    axes.legend(frameon=False)
    return axes
