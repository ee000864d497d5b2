"""Every estimator of the family, for tests that hold for all of them."""

from __future__ import annotations

from badacost.boosting.reweighting.adaboost import AdaBoostClassifier
from badacost.boosting.reweighting.adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
from badacost.boosting.reweighting.adacc import (
    AdaCC1Classifier,
    AdaCC2Classifier,
    AdaNCC1Classifier,
    AdaNCC2Classifier,
)
from badacost.boosting.reweighting.adacost import AdaCostClassifier
from badacost.boosting.reweighting.adamec import AdaMECClassifier, UBoostClassifier
from badacost.boosting.reweighting.adauboost import AdaUBoostClassifier
from badacost.boosting.reweighting.asymmetric_adaboost import AsymmetricAdaBoostClassifier
from badacost.boosting.reweighting.calibrated_boosting import (
    CalibratedAdaMECClassifier,
    CalibratedCGAdaClassifier,
)
from badacost.boosting.reweighting.cgada import CGAdaClassifier
from badacost.boosting.reweighting.csadaboost import CSAdaBoostClassifier
from badacost.boosting.reweighting.csb import CSB0Classifier, CSB1Classifier, CSB2Classifier
from badacost.boosting.reweighting.rareboost import RareBoostClassifier
from badacost.boosting.reweighting.reweighting_classifier import ReweightingClassifier

WITHOUT_COSTS: list[type[ReweightingClassifier]] = [
    AdaBoostClassifier,
    RareBoostClassifier,
    AdaCC1Classifier,
    AdaCC2Classifier,
    AdaNCC1Classifier,
    AdaNCC2Classifier,
]
CLASS_COSTS_ONLY: list[type[ReweightingClassifier]] = [AdaUBoostClassifier, CSAdaBoostClassifier]
RECORD_COSTS: list[type[ReweightingClassifier]] = [
    AdaC1Classifier,
    AdaC2Classifier,
    AdaC3Classifier,
    AdaCostClassifier,
    CSB0Classifier,
    CSB1Classifier,
    CSB2Classifier,
    CGAdaClassifier,
    AsymmetricAdaBoostClassifier,
    AdaMECClassifier,
    UBoostClassifier,
    CalibratedAdaMECClassifier,
    CalibratedCGAdaClassifier,
]
VOTES_WITH_COSTS: list[type[ReweightingClassifier]] = [
    AdaMECClassifier,
    UBoostClassifier,
    CalibratedAdaMECClassifier,
    CalibratedCGAdaClassifier,
]
EVERY = WITHOUT_COSTS + CLASS_COSTS_ONLY + RECORD_COSTS
