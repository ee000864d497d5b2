"""Cost-sensitive boosting and bagging: scikit-learn classifiers, and the trees that they and the detector use.

>>> from badacost.boosting import BAdaCostClassifier
>>> BAdaCostClassifier(cost_matrix=[[0, 1], [5, 0]]).fit(X, y).predict(X)       # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bagging.bagging import BaggingClassifier
    from .bagging.balance_cascade import BalanceCascadeClassifier
    from .bagging.balanced_random_forest import BalancedRandomForestClassifier
    from .bagging.easy_ensemble import EasyEnsembleClassifier
    from .bagging.margin_bagging import MarginBaggingClassifier
    from .bagging.over_bagging import OverBaggingClassifier
    from .bagging.random_decision_forest import RandomDecisionForestClassifier
    from .bagging.smote_bagging import SMOTEBaggingClassifier
    from .bagging.under_bagging import UnderBaggingClassifier
    from .framework.cost_boosting import CostBaseBoostClassifier, CostSampleBoostClassifier
    from .framework.cost_ensemble import CostBaseEnsembleClassifier
    from .framework.cost_sensitive_tree import CostSensitiveTreeClassifier
    from .framework.metacost import MetaCostClassifier
    from .framework.minimum_expected_cost import MinimumExpectedCostClassifier
    from .framework.sampled_ensembles import CostPreSampleEnsembleClassifier, CostSampleEnsembleClassifier
    from .framework.samplers import (
        CostHybridSampler,
        CostOverSampler,
        CostProportionateRejectionSampler,
        CostSMOTE,
        CostUnderSampler,
    )
    from .framework.voting_adjustment import VotingAdjustedClassifier
    from .framework.weighted_ensemble import CostWeightedEnsembleClassifier
    from .multiclass.adac2m1 import AdaC2M1Classifier
    from .multiclass.badacost import BAdaCostOptions, BoostingRound, boost
    from .multiclass.badacost_classifier import BAdaCostClassifier
    from .multiclass.boosted_trees import BoostedTrees
    from .multiclass.lpcsb import LpCSBClassifier
    from .multiclass.multiboost import MultiBoostClassifier
    from .multiclass.piboost import PIBoostClassifier
    from .multiclass.samme_classifier import SAMMEClassifier
    from .reweighting.adaboost import AdaBoostClassifier
    from .reweighting.adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
    from .reweighting.adacc import AdaCC1Classifier, AdaCC2Classifier, AdaNCC1Classifier, AdaNCC2Classifier
    from .reweighting.adacost import AdaCostClassifier
    from .reweighting.adamec import AdaMECClassifier, UBoostClassifier
    from .reweighting.adauboost import AdaUBoostClassifier
    from .reweighting.asymmetric_adaboost import AsymmetricAdaBoostClassifier
    from .reweighting.calibrated_boosting import CalibratedAdaMECClassifier, CalibratedCGAdaClassifier
    from .reweighting.cgada import CGAdaClassifier
    from .reweighting.csadaboost import CSAdaBoostClassifier
    from .reweighting.csb import CSB0Classifier, CSB1Classifier, CSB2Classifier
    from .reweighting.rareboost import RareBoostClassifier
    from .reweighting.reweighting_classifier import NoRoundWarning
    from .sampling.rusboost import RUSBoostClassifier
    from .sampling.smoteboost import SMOTEBoostClassifier
    from .trees.binning import Binner, bin_features
    from .trees.cart_classifier import CARTClassifier
    from .trees.complete_tree import CompleteTree
    from .trees.split_criterion import SplitCriterion
    from .trees.stump_classifier import DecisionStumpClassifier
    from .trees.tree import TreeGrower, grow_tree, integer_weights
    from .trees.tree_classifier import TreeClassifier
    from .trees.tree_options import TreeOptions

_HOME = {
    "AdaBoostClassifier": "reweighting.adaboost",
    "AdaC1Classifier": "reweighting.adac",
    "AdaC2Classifier": "reweighting.adac",
    "AdaC2M1Classifier": "multiclass.adac2m1",
    "AdaC3Classifier": "reweighting.adac",
    "AdaCC1Classifier": "reweighting.adacc",
    "AdaCC2Classifier": "reweighting.adacc",
    "AdaCostClassifier": "reweighting.adacost",
    "AdaMECClassifier": "reweighting.adamec",
    "AdaNCC1Classifier": "reweighting.adacc",
    "AdaNCC2Classifier": "reweighting.adacc",
    "AdaUBoostClassifier": "reweighting.adauboost",
    "AsymmetricAdaBoostClassifier": "reweighting.asymmetric_adaboost",
    "BAdaCostClassifier": "multiclass.badacost_classifier",
    "BAdaCostOptions": "multiclass.badacost",
    "BaggingClassifier": "bagging.bagging",
    "BalanceCascadeClassifier": "bagging.balance_cascade",
    "BalancedRandomForestClassifier": "bagging.balanced_random_forest",
    "Binner": "trees.binning",
    "BoostedTrees": "multiclass.boosted_trees",
    "BoostingRound": "multiclass.badacost",
    "CARTClassifier": "trees.cart_classifier",
    "CGAdaClassifier": "reweighting.cgada",
    "CSAdaBoostClassifier": "reweighting.csadaboost",
    "CSB0Classifier": "reweighting.csb",
    "CSB1Classifier": "reweighting.csb",
    "CSB2Classifier": "reweighting.csb",
    "CalibratedAdaMECClassifier": "reweighting.calibrated_boosting",
    "CalibratedCGAdaClassifier": "reweighting.calibrated_boosting",
    "CompleteTree": "trees.complete_tree",
    "CostBaseBoostClassifier": "framework.cost_boosting",
    "CostBaseEnsembleClassifier": "framework.cost_ensemble",
    "CostHybridSampler": "framework.samplers",
    "CostOverSampler": "framework.samplers",
    "CostPreSampleEnsembleClassifier": "framework.sampled_ensembles",
    "CostProportionateRejectionSampler": "framework.samplers",
    "CostSMOTE": "framework.samplers",
    "CostSampleBoostClassifier": "framework.cost_boosting",
    "CostSampleEnsembleClassifier": "framework.sampled_ensembles",
    "CostSensitiveTreeClassifier": "framework.cost_sensitive_tree",
    "CostUnderSampler": "framework.samplers",
    "CostWeightedEnsembleClassifier": "framework.weighted_ensemble",
    "DecisionStumpClassifier": "trees.stump_classifier",
    "EasyEnsembleClassifier": "bagging.easy_ensemble",
    "LpCSBClassifier": "multiclass.lpcsb",
    "MarginBaggingClassifier": "bagging.margin_bagging",
    "MetaCostClassifier": "framework.metacost",
    "MinimumExpectedCostClassifier": "framework.minimum_expected_cost",
    "MultiBoostClassifier": "multiclass.multiboost",
    "NoRoundWarning": "reweighting.reweighting_classifier",
    "OverBaggingClassifier": "bagging.over_bagging",
    "PIBoostClassifier": "multiclass.piboost",
    "RUSBoostClassifier": "sampling.rusboost",
    "RandomDecisionForestClassifier": "bagging.random_decision_forest",
    "RareBoostClassifier": "reweighting.rareboost",
    "SAMMEClassifier": "multiclass.samme_classifier",
    "SMOTEBaggingClassifier": "bagging.smote_bagging",
    "SMOTEBoostClassifier": "sampling.smoteboost",
    "SplitCriterion": "trees.split_criterion",
    "TreeClassifier": "trees.tree_classifier",
    "TreeGrower": "trees.tree",
    "TreeOptions": "trees.tree_options",
    "UBoostClassifier": "reweighting.adamec",
    "UnderBaggingClassifier": "bagging.under_bagging",
    "VotingAdjustedClassifier": "framework.voting_adjustment",
    "bin_features": "trees.binning",
    "boost": "multiclass.badacost",
    "grow_tree": "trees.tree",
    "integer_weights": "trees.tree",
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
    "BaggingClassifier",
    "BalanceCascadeClassifier",
    "BalancedRandomForestClassifier",
    "Binner",
    "BoostedTrees",
    "BoostingRound",
    "CARTClassifier",
    "CGAdaClassifier",
    "CSAdaBoostClassifier",
    "CSB0Classifier",
    "CSB1Classifier",
    "CSB2Classifier",
    "CalibratedAdaMECClassifier",
    "CalibratedCGAdaClassifier",
    "CompleteTree",
    "CostBaseBoostClassifier",
    "CostBaseEnsembleClassifier",
    "CostHybridSampler",
    "CostOverSampler",
    "CostPreSampleEnsembleClassifier",
    "CostProportionateRejectionSampler",
    "CostSMOTE",
    "CostSampleBoostClassifier",
    "CostSampleEnsembleClassifier",
    "CostSensitiveTreeClassifier",
    "CostUnderSampler",
    "CostWeightedEnsembleClassifier",
    "DecisionStumpClassifier",
    "EasyEnsembleClassifier",
    "LpCSBClassifier",
    "MarginBaggingClassifier",
    "MetaCostClassifier",
    "MinimumExpectedCostClassifier",
    "MultiBoostClassifier",
    "NoRoundWarning",
    "OverBaggingClassifier",
    "PIBoostClassifier",
    "RUSBoostClassifier",
    "RandomDecisionForestClassifier",
    "RareBoostClassifier",
    "SAMMEClassifier",
    "SMOTEBaggingClassifier",
    "SMOTEBoostClassifier",
    "SplitCriterion",
    "TreeClassifier",
    "TreeGrower",
    "TreeOptions",
    "UBoostClassifier",
    "UnderBaggingClassifier",
    "VotingAdjustedClassifier",
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
