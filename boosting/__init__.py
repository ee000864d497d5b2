"""Cost-sensitive boosting and bagging: scikit-learn classifiers, and the trees that they and the detector use.

>>> from badacost.boosting import BAdaCostClassifier
>>> BAdaCostClassifier(cost_matrix=[[0, 1], [5, 0]]).fit(X, y).predict(X)       # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adaboost import AdaBoostClassifier
    from .adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
    from .adac2m1 import AdaC2M1Classifier
    from .adacc import AdaCC1Classifier, AdaCC2Classifier, AdaNCC1Classifier, AdaNCC2Classifier
    from .adacost import AdaCostClassifier
    from .adamec import AdaMECClassifier, UBoostClassifier
    from .adauboost import AdaUBoostClassifier
    from .asymmetric_adaboost import AsymmetricAdaBoostClassifier
    from .badacost import BAdaCostOptions, BoostingRound, boost
    from .badacost_classifier import BAdaCostClassifier
    from .binning import Binner, bin_features
    from .boosted_trees import BoostedTrees
    from .calibrated_boosting import CalibratedAdaMECClassifier, CalibratedCGAdaClassifier
    from .cgada import CGAdaClassifier
    from .complete_tree import CompleteTree
    from .csadaboost import CSAdaBoostClassifier
    from .csb import CSB0Classifier, CSB1Classifier, CSB2Classifier
    from .lpcsb import LpCSBClassifier
    from .multiboost import MultiBoostClassifier
    from .piboost import PIBoostClassifier
    from .rareboost import RareBoostClassifier
    from .reweighting_classifier import NoRoundWarning
    from .rusboost import RUSBoostClassifier
    from .samme_classifier import SAMMEClassifier
    from .smoteboost import SMOTEBoostClassifier
    from .split_criterion import SplitCriterion
    from .stump_classifier import DecisionStumpClassifier
    from .tree import TreeGrower, grow_tree, integer_weights
    from .tree_classifier import TreeClassifier
    from .tree_options import TreeOptions

_HOME = {
    "AdaBoostClassifier": "adaboost",
    "AdaC1Classifier": "adac",
    "AdaC2Classifier": "adac",
    "AdaC2M1Classifier": "adac2m1",
    "AdaC3Classifier": "adac",
    "AdaCC1Classifier": "adacc",
    "AdaCC2Classifier": "adacc",
    "AdaCostClassifier": "adacost",
    "AdaMECClassifier": "adamec",
    "AdaNCC1Classifier": "adacc",
    "AdaNCC2Classifier": "adacc",
    "AdaUBoostClassifier": "adauboost",
    "AsymmetricAdaBoostClassifier": "asymmetric_adaboost",
    "BAdaCostClassifier": "badacost_classifier",
    "BAdaCostOptions": "badacost",
    "Binner": "binning",
    "BoostedTrees": "boosted_trees",
    "BoostingRound": "badacost",
    "CGAdaClassifier": "cgada",
    "CSAdaBoostClassifier": "csadaboost",
    "CSB0Classifier": "csb",
    "CSB1Classifier": "csb",
    "CSB2Classifier": "csb",
    "CalibratedAdaMECClassifier": "calibrated_boosting",
    "CalibratedCGAdaClassifier": "calibrated_boosting",
    "CompleteTree": "complete_tree",
    "DecisionStumpClassifier": "stump_classifier",
    "LpCSBClassifier": "lpcsb",
    "MultiBoostClassifier": "multiboost",
    "NoRoundWarning": "reweighting_classifier",
    "PIBoostClassifier": "piboost",
    "RUSBoostClassifier": "rusboost",
    "RareBoostClassifier": "rareboost",
    "SAMMEClassifier": "samme_classifier",
    "SMOTEBoostClassifier": "smoteboost",
    "SplitCriterion": "split_criterion",
    "TreeClassifier": "tree_classifier",
    "TreeGrower": "tree",
    "TreeOptions": "tree_options",
    "UBoostClassifier": "adamec",
    "bin_features": "binning",
    "boost": "badacost",
    "grow_tree": "tree",
    "integer_weights": "tree",
}

__all__ = [
    "AdaBoostClassifier",
    "AdaC1Classifier",
    "AdaC2Classifier",
    "AdaC2M1Classifier",
    "AdaC3Classifier",
    "AdaCC1Classifier",
    "AdaCC2Classifier",
    "AdaCostClassifier",
    "AdaMECClassifier",
    "AdaNCC1Classifier",
    "AdaNCC2Classifier",
    "AdaUBoostClassifier",
    "AsymmetricAdaBoostClassifier",
    "BAdaCostClassifier",
    "BAdaCostOptions",
    "Binner",
    "BoostedTrees",
    "BoostingRound",
    "CGAdaClassifier",
    "CSAdaBoostClassifier",
    "CSB0Classifier",
    "CSB1Classifier",
    "CSB2Classifier",
    "CalibratedAdaMECClassifier",
    "CalibratedCGAdaClassifier",
    "CompleteTree",
    "DecisionStumpClassifier",
    "LpCSBClassifier",
    "MultiBoostClassifier",
    "NoRoundWarning",
    "PIBoostClassifier",
    "RUSBoostClassifier",
    "RareBoostClassifier",
    "SAMMEClassifier",
    "SMOTEBoostClassifier",
    "SplitCriterion",
    "TreeClassifier",
    "TreeGrower",
    "TreeOptions",
    "UBoostClassifier",
    "bin_features",
    "boost",
    "grow_tree",
    "integer_weights",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use, so that importing the package compiles and loads nothing."""
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
