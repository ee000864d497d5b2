"""The three kinds of ensemble that the framework builds on: Bagging, random decision forest, random forest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .cost_sensitive_tree import CostSensitiveTreeClassifier
from .minimum_expected_cost import MinimumExpectedCostClassifier
from .records import Records, bootstrap

BaseKindName = Literal["bagging", "random decision forest", "random forest"]


@dataclass(frozen=True)
class BaseKind:
    """What is drawn at random for a model of an ensemble.

    Attributes
    ----------
    name : str
    bootstraps : bool
        Draw a bag, of as many records as there are, with replacement.
    features : {"all", "model", "split"}
        A model has all attributes, a random subset of them, or a fresh subset at every split.
    """

    name: BaseKindName
    bootstraps: bool
    features: Literal["all", "model", "split"]

    def bag(self, records: Records, generator: np.random.Generator) -> NDArray[np.int64]:
        """Copies (n,) of each record in a model's bag."""
        return bootstrap(records, generator) if self.bootstraps else records.copies

    def n_drawn(self, n_features: int, max_features: Any) -> int:
        """Size of a subset of the attributes: half of them a model, their square root a split, by default."""
        if max_features is None:
            default = {"all": n_features, "model": n_features / 2, "split": math.sqrt(n_features)}
            return max(1, int(default[self.features]))
        if isinstance(max_features, Integral):
            return min(int(max_features), n_features)
        return max(1, int(max_features * n_features))

    def subset(
        self, n_features: int, max_features: Any, generator: np.random.Generator
    ) -> NDArray[np.int64] | None:
        """Attributes of a model, ascending; None is all of them."""
        if self.features != "model":
            return None
        drawn = generator.choice(n_features, self.n_drawn(n_features, max_features), replace=False)
        return np.sort(drawn).astype(np.int64)

    def model(self, estimator: Any, n_features: int, max_features: Any) -> Any:
        """The estimator to train, which draws attributes at its splits if the kind asks for it.

        Raises
        ------
        ValueError
            If it cannot.
        """
        if self.features != "split":
            return estimator
        model, drawn = clone(estimator), self.n_drawn(n_features, max_features)
        if isinstance(model, MinimumExpectedCostClassifier) and model.estimator is None:
            model.set_params(estimator=CostSensitiveTreeClassifier("gini"))
        if isinstance(model, CostSensitiveTreeClassifier):
            return model.set_params(max_features=drawn, feature_sampling="node")
        inner = [name for name in model.get_params() if name.split("__")[-1] == "max_features"]
        if not inner:
            raise ValueError(
                f"estimator of a {self.name} must have max_features, which a split chooses from; "
                f"{type(model).__name__} has not"
            )
        model.set_params(**dict.fromkeys(inner, drawn))
        sampling = [name for name in model.get_params() if name.split("__")[-1] == "feature_sampling"]
        return model.set_params(**dict.fromkeys(sampling, "node"))


KINDS = {
    kind.name: kind
    for kind in (
        BaseKind("bagging", bootstraps=True, features="all"),
        BaseKind("random decision forest", bootstraps=False, features="model"),
        BaseKind("random forest", bootstraps=True, features="split"),
    )
}


def check_max_features(max_features: Any, owner: str) -> None:
    """Refuse what is no number >= 1, share or None."""
    if max_features is None:
        return
    number = isinstance(max_features, Real) and not isinstance(max_features, bool)
    most = math.inf if isinstance(max_features, Integral) else 1.0
    if not number or not 0.0 < float(max_features) <= most:
        raise ValueError(
            f"max_features of {owner} must be a number >= 1, a share in (0, 1] or None, got {max_features!r}"
        )
