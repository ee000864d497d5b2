"""The combinations of the framework's parts: which there are, which are refused and why, and their estimators.

>>> from badacost.boosting.framework.combinations import Combination, reason_against, valid_combinations
>>> reason_against(Combination("random forest", "reduced-cost pruning"))[:52]
"estimator of CostBaseEnsembleClassifier with kind='r"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..reweighting.adaboost import AdaBoostClassifier
from ..reweighting.adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
from ..reweighting.adacc import AdaCC1Classifier, AdaCC2Classifier, AdaNCC1Classifier, AdaNCC2Classifier
from ..reweighting.adacost import AdaCostClassifier
from ..reweighting.adamec import AdaMECClassifier, UBoostClassifier
from ..reweighting.adauboost import AdaUBoostClassifier
from ..reweighting.asymmetric_adaboost import AsymmetricAdaBoostClassifier
from ..reweighting.calibrated_boosting import CalibratedAdaMECClassifier, CalibratedCGAdaClassifier
from ..reweighting.cgada import CGAdaClassifier
from ..reweighting.cost_reweighting_classifier import CostReweightingClassifier
from ..reweighting.csadaboost import CSAdaBoostClassifier
from ..reweighting.csb import CSB0Classifier, CSB1Classifier, CSB2Classifier
from ..reweighting.rareboost import RareBoostClassifier
from ..reweighting.reweighting_classifier import ReweightingClassifier
from .base_kind import KINDS, BaseKindName
from .calibration import CALIBRATIONS, Calibration
from .combination_rules import InvalidCombinationError, role_of
from .cost_boosting import CostBaseBoostClassifier, CostSampleBoostClassifier
from .cost_classifier import CostClassifier
from .cost_ensemble import CostBaseEnsembleClassifier
from .cost_sensitive_tree import CostSensitiveTreeClassifier
from .metacost import MetaCostClassifier
from .minimum_expected_cost import MinimumExpectedCostClassifier, Threshold
from .sampled_ensembles import CostPreSampleEnsembleClassifier, CostSampleEnsembleClassifier
from .sampler_choice import SAMPLERS
from .voting_adjustment import VOTE_WEIGHTS, VOTINGS, VoteWeights, Voting, VotingAdjustedClassifier
from .weighted_ensemble import CostWeightedEnsembleClassifier

REWEIGHTING: dict[str, type[ReweightingClassifier]] = {
    method.__name__.removesuffix("Classifier"): method
    for method in (
        AdaC1Classifier,
        AdaC2Classifier,
        AdaC3Classifier,
        AdaCC1Classifier,
        AdaCC2Classifier,
        AdaCostClassifier,
        AdaMECClassifier,
        AdaNCC1Classifier,
        AdaNCC2Classifier,
        AdaUBoostClassifier,
        AsymmetricAdaBoostClassifier,
        CGAdaClassifier,
        CSAdaBoostClassifier,
        CSB0Classifier,
        CSB1Classifier,
        CSB2Classifier,
        CalibratedAdaMECClassifier,
        CalibratedCGAdaClassifier,
        RareBoostClassifier,
        UBoostClassifier,
    )
}
COST_TREES: dict[str, dict[str, Any]] = {
    "cost splitting": {"splitting": "cost"},
    "reduced-cost pruning": {"splitting": "gini", "pruning": "reduced cost"},
    "cost-complexity pruning": {"splitting": "gini", "pruning": "cost complexity"},
    "cost splitting, reduced-cost pruning": {"splitting": "cost", "pruning": "reduced cost"},
    "cost splitting, cost-complexity pruning": {"splitting": "cost", "pruning": "cost complexity"},
}
ESTIMATES: dict[str, dict[str, Any]] = {
    "raw": {},
    "laplace": {"smoothing": "laplace"},
    "m-estimation": {"smoothing": "m-estimation"},
    "curtailment": {"curtailment": 5},
    "curtailment, laplace": {"curtailment": 5, "smoothing": "laplace"},
    "curtailment, m-estimation": {"curtailment": 5, "smoothing": "m-estimation"},
}
OUTCOMES: dict[str, Threshold] = {"theoretical outcomes": "theoretical", "validation outcomes": "validation"}
"""DMECC inside the ensemble, by its threshold."""
SAMPLED = ("sample", "pre-sample")
BUILT_BY = ("plain", *SAMPLED, "weights", *COST_TREES, *OUTCOMES, *REWEIGHTING)
Base = BaseKindName | Literal["adaboost"]
BASES: tuple[Base, ...] = (*KINDS, "adaboost")
Post = Literal["none", "minimum expected cost", "adjusted votes", "metacost"]
POSTS: tuple[Post, ...] = ("none", "minimum expected cost", "adjusted votes", "metacost")


@dataclass(frozen=True)
class Combination:
    """A way to build a cost-sensitive ensemble.

    Attributes
    ----------
    base : {"bagging", "random decision forest", "random forest", "adaboost"}
    built_by : str
        How costs enter before and during training, one of `BUILT_BY`: "plain" (not at all), a "sample" a model
        or a "pre-sample" for all, "weights", cost-sensitive trees, the outcomes of models that minimise expected
        cost ("theoretical outcomes", "validation outcomes"), or a method of the reweighting family such as
        "CGAda".
    sampling : {"under", "over", "hybrid", "smote", "rejection"} or None
        Of the samples.
    estimate : str
        Probabilities in the leaves, one of `ESTIMATES`.
    post : {"none", "minimum expected cost", "adjusted votes", "metacost"}
        How costs enter after training.
    threshold : {"theoretical", "validation"} or None
        Of minimum expected cost classification.
    calibration : {"logistic", "unnormalized logistic", "platt", "isotonic"} or None
        Of its probabilities, where the base is AdaBoost.
    vote_weights, voting : str
        Of adjusted votes; see `VotingAdjustedClassifier`.
    """

    base: Base
    built_by: str = "plain"
    sampling: str | None = None
    estimate: str = "raw"
    post: Post = "none"
    threshold: Threshold | None = None
    calibration: Calibration = None
    vote_weights: VoteWeights = "own"
    voting: Voting = "majority"


def estimator_of(
    combination: Combination, *, n_estimators: int = 50, random_state: Any = None, **tree_parameters: Any
) -> Any:
    """An unfitted estimator of a combination.

    Parameters
    ----------
    combination : Combination
    n_estimators : int
    random_state : int, RandomState or None
    tree_parameters
        Further parameters of the trees, e.g. ``max_depth=6``.

    Raises
    ------
    InvalidCombinationError
        If the parts do not go together; the message says why.
    """
    _check_fields(combination)
    built = _built(combination, n_estimators, tree_parameters)
    estimator = _with_post(combination, built)
    _check_all(estimator)
    estimator.random_state = random_state
    return estimator


def reason_against(combination: Combination) -> str | None:
    """Why the parts do not go together; None if they do."""
    try:
        estimator_of(combination, n_estimators=1)
    except InvalidCombinationError as error:
        return str(error)
    return None


def valid_combinations() -> list[Combination]:
    """All combinations that are not refused."""
    return [candidate for candidate in _candidates() if reason_against(candidate) is None]


def _candidates() -> Iterator[Combination]:
    for base in BASES:
        for built_by in BUILT_BY:
            for sampling in SAMPLERS if built_by in SAMPLED else (None,):
                built = Combination(base, built_by, sampling)
                for estimate in ESTIMATES:
                    for post in POSTS:
                        yield from _with_options(replace(built, estimate=estimate, post=post))


def _with_options(combination: Combination) -> Iterator[Combination]:
    if combination.post == "minimum expected cost":
        for threshold in OUTCOMES.values():
            for calibration in CALIBRATIONS:
                yield replace(combination, threshold=threshold, calibration=calibration)
    elif combination.post == "adjusted votes":
        for vote_weights in VOTE_WEIGHTS:
            for voting in VOTINGS:
                yield replace(combination, vote_weights=vote_weights, voting=voting)
    else:
        yield combination


def _check_fields(combination: Combination) -> None:
    """Refuse values that there are not, and options of parts that are not there."""
    choices = {"base": BASES, "built_by": BUILT_BY, "estimate": tuple(ESTIMATES), "post": POSTS}
    for name, allowed in choices.items():
        if getattr(combination, name) not in allowed:
            raise InvalidCombinationError(
                f"{name} of Combination must be one of {', '.join(map(repr, allowed))}, "
                f"got {getattr(combination, name)!r}"
            )
    samples = combination.built_by in SAMPLED
    if samples != (combination.sampling in SAMPLERS):
        raise InvalidCombinationError(
            f"sampling of Combination must be one of {', '.join(map(repr, SAMPLERS))} where built_by is 'sample' or "
            f"'pre-sample', and None elsewhere, got {combination.sampling!r} with built_by={combination.built_by!r}"
        )
    decides = combination.post == "minimum expected cost"
    if decides != (combination.threshold in OUTCOMES.values()):
        raise InvalidCombinationError(
            "threshold of Combination must be 'theoretical' or 'validation' where post is 'minimum expected cost', "
            f"and None elsewhere, got {combination.threshold!r} with post={combination.post!r}"
        )
    if combination.calibration is not None and not decides:
        raise InvalidCombinationError(
            f"calibration={combination.calibration!r} of Combination has no use: post={combination.post!r} takes no "
            "probabilities"
        )
    adjusted = (combination.vote_weights, combination.voting) != ("own", "majority")
    if adjusted != (combination.post == "adjusted votes"):
        raise InvalidCombinationError(
            "vote_weights and voting of Combination must adjust the votes where post is 'adjusted votes', and only "
            f"there, got {combination.vote_weights!r} and {combination.voting!r} with post={combination.post!r}"
        )
    if combination.estimate != "raw" and not _takes_leaf_probabilities(combination):
        raise InvalidCombinationError(
            f"estimate={combination.estimate!r} of Combination has no use: no part takes probabilities of leaves"
        )


def _takes_leaf_probabilities(combination: Combination) -> bool:
    if combination.built_by in OUTCOMES:
        return True
    return combination.post == "minimum expected cost" and combination.base != "adaboost"


def _built(combination: Combination, n_estimators: int, tree_parameters: dict[str, Any]) -> Any:
    """The ensemble before costs enter after training."""
    built_by, boosted = combination.built_by, combination.base == "adaboost"
    tree = _tree(combination, tree_parameters)
    common: dict[str, Any] = {"n_estimators": n_estimators}
    if boosted:
        if built_by in ("pre-sample", "weights"):
            raise InvalidCombinationError(
                f"built_by={built_by!r} of Combination is for ensembles of the bagging kind; AdaBoost takes a 'sample' "
                "a round, and weights as 'CGAda'"
            )
        if built_by in REWEIGHTING:
            return REWEIGHTING[built_by](**common)
        if built_by == "plain":
            return AdaBoostClassifier(**common)
        if built_by == "sample":
            return CostSampleBoostClassifier(sampler=combination.sampling, **common)
        return CostBaseBoostClassifier(tree, **common)
    if built_by in REWEIGHTING:
        raise InvalidCombinationError(
            f"built_by={built_by!r} of Combination moves weights from round to round, which {combination.base!r} "
            "has not: its base is 'adaboost'"
        )
    common["kind"] = combination.base
    if built_by == "sample":
        return CostSampleEnsembleClassifier(tree, sampler=combination.sampling, **common)
    if built_by == "pre-sample":
        return CostPreSampleEnsembleClassifier(tree, sampler=combination.sampling, **common)
    if built_by == "weights":
        return CostWeightedEnsembleClassifier(tree, **common)
    return CostBaseEnsembleClassifier(tree, **common)


def _tree(combination: Combination, tree_parameters: dict[str, Any]) -> Any:
    """The models of the ensemble."""
    kind = COST_TREES.get(combination.built_by, {"splitting": "gini"})
    tree = CostSensitiveTreeClassifier(**kind, **ESTIMATES[combination.estimate], **tree_parameters)
    if combination.built_by not in OUTCOMES:
        return tree
    return MinimumExpectedCostClassifier(tree, threshold=OUTCOMES[combination.built_by])


def _with_post(combination: Combination, built: Any) -> Any:
    if combination.post == "minimum expected cost" and combination.threshold is not None:
        return MinimumExpectedCostClassifier(
            built, threshold=combination.threshold, calibration=combination.calibration
        )
    if combination.post == "adjusted votes":
        return VotingAdjustedClassifier(
            built, vote_weights=combination.vote_weights, voting=combination.voting
        )
    blind = combination.built_by == "plain" or not (
        isinstance(built, (CostClassifier, CostReweightingClassifier))
    )
    if blind:
        raise InvalidCombinationError(
            f"built_by={combination.built_by!r} of Combination takes no costs, and post={combination.post!r} gives it "
            "none: no part would count them"
        )
    return MetaCostClassifier(relabeler=built) if combination.post == "metacost" else built


def _check_all(part: Any) -> None:
    """Ask an estimator and its parts for what they refuse."""
    if role_of(part) != "other":
        part._check_parameters()
        for name in ("estimator", "relabeler"):
            inner = getattr(part, name, None)
            if inner is not None:
                _check_all(inner)
