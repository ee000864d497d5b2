"""Which parts of the framework do not go together, and why (sections 3 and 4 of Petrides and Verbeke 2021).

The estimators ask these checks before they train; `combinations` lists what passes them.
"""

from __future__ import annotations

from typing import Any, Literal

from ..reweighting.cost_reweighting_classifier import LeastCostVote
from ..reweighting.reweighting_classifier import ReweightingClassifier

Role = Literal[
    "model", "bagging", "weighted bagging", "boosting", "threshold", "votes", "relabelled", "other"
]

COUNTED_TWICE = (
    "the outcomes of its models already minimise expected cost, and the same costs would count again; a majority "
    "chosen on held-out records (voting='validation majority') or MetaCost may follow"
)
DECIDES_BY_COSTS = (
    "it decides by expected cost itself, and the same costs would count again; give the estimator inside it"
)
WEIGHTED_FREQUENCIES = (
    "weighted leaf frequencies are no counts of records: there is nothing to smooth, curtail or calibrate"
)
RECORDS_WEIGH_COSTS = "the records weigh their costs already"
FORESTS_ARE_NOT_PRUNED = (
    "a random forest averages unpruned trees; 'bagging' and 'random decision forest' may prune"
)
ALPHA_IS_ONE = "alpha of a boosted model is its vote weight already"
SHARES_ARE_NO_PROBABILITIES = (
    "the share of the votes of a boosted ensemble is no probability: choose a calibration, or cut the share itself "
    "with VotingAdjustedClassifier"
)
FREQUENCIES_ARE_PROBABILITIES = (
    "leaf frequencies of trees trained apart are estimates already; improve them in the trees, by smoothing and "
    "curtailment"
)
ONLY_BOOSTED_VOTES = "the logistic corrections are those of the votes of a boosted ensemble"
NOTHING_AFTER_METACOST = (
    "MetaCost leaves a single cost-insensitive model, whose probabilities are those of the new labels"
)


class InvalidCombinationError(ValueError):
    """Parts of the framework that do not go together; the message says why."""


def role_of(part: Any) -> Role:
    """What a part is in the framework."""
    if isinstance(part, ReweightingClassifier):
        return "boosting"
    role: Role = getattr(part, "role", "other")
    return role


def decides_by_costs(part: Any) -> bool:
    """Whether an estimator that is not fitted yet will weigh costs in its decisions, or its models theirs."""
    if isinstance(part, LeastCostVote):
        return part._rule().vote != "sign"
    return role_of(part) in ("bagging", "weighted bagging", "boosting") and role_of(_model(part)) in (
        "threshold",
        "votes",
    )


def check_base_estimator(model: Any, kind: str, owner: str) -> None:
    """Refuse models that an ensemble of the bagging kind cannot be built of."""
    pruning = getattr(_model(model) if role_of(model) == "threshold" else model, "pruning", None)
    if kind == "random forest" and pruning is not None:
        raise InvalidCombinationError(
            f"estimator of {owner} with kind='random forest' must not be pruned, got pruning={pruning!r}: "
            f"{FORESTS_ARE_NOT_PRUNED}"
        )


def check_weighted_tree(tree: Any, owner: str) -> None:
    """Refuse trees that make no sense on records weighed by their costs."""
    if getattr(tree, "smoothing", None) is not None or getattr(tree, "curtailment", 1) > 1:
        raise InvalidCombinationError(
            f"estimator of {owner} must neither smooth nor curtail its probabilities: {WEIGHTED_FREQUENCIES}"
        )
    if getattr(tree, "counts_costs", False):
        raise InvalidCombinationError(
            f"estimator of {owner} must not split or be pruned by costs: {RECORDS_WEIGH_COSTS}"
        )


def check_probabilistic_part(part: Any, calibration: str | None, owner: str) -> None:
    """Refuse what minimum expected cost classification cannot follow."""
    role = role_of(part)
    _refuse(role == "relabelled", part, "estimator", owner, NOTHING_AFTER_METACOST)
    _refuse(role in ("threshold", "votes"), part, "estimator", owner, DECIDES_BY_COSTS)
    reason = DECIDES_BY_COSTS if isinstance(part, LeastCostVote) else COUNTED_TWICE
    _refuse(decides_by_costs(part), part, "estimator", owner, reason)
    if calibration is None:
        _refuse(role == "boosting", part, "calibration=None", owner, SHARES_ARE_NO_PROBABILITIES)
        return
    given = f"calibration={calibration!r}"
    _refuse(role == "weighted bagging", part, given, owner, WEIGHTED_FREQUENCIES)
    _refuse(role in ("bagging", "model"), part, given, owner, FREQUENCIES_ARE_PROBABILITIES)
    _refuse("logistic" in calibration and role != "boosting", part, given, owner, ONLY_BOOSTED_VOTES)


def check_adjusted_ensemble(part: Any, vote_weights: str, voting: str, owner: str) -> None:
    """Refuse ensembles whose votes cannot be counted as asked."""
    role = role_of(part)
    _refuse(role == "relabelled", part, "estimator", owner, NOTHING_AFTER_METACOST)
    _refuse(role in ("threshold", "votes"), part, "estimator", owner, DECIDES_BY_COSTS)
    if vote_weights != "own":
        _refuse(role == "boosting", part, f"vote_weights={vote_weights!r}", owner, ALPHA_IS_ONE)
        _refuse(decides_by_costs(part), part, f"vote_weights={vote_weights!r}", owner, COUNTED_TWICE)
    if voting in ("minimum expected cost", "theoretical majority"):
        _refuse(decides_by_costs(part), part, f"voting={voting!r}", owner, COUNTED_TWICE)


def check_relabeler(part: Any, owner: str) -> None:
    """Refuse what MetaCost cannot take labels from."""
    _refuse(role_of(part) == "relabelled", part, "relabeler", owner, NOTHING_AFTER_METACOST)


def _model(part: Any) -> Any:
    """What an ensemble or a threshold is built of."""
    return getattr(part, "estimator", None)


def _refuse(broken: bool, part: Any, parameter: str, owner: str, reason: str) -> None:
    if broken:
        raise InvalidCombinationError(
            f"{parameter} of {owner} does not go with {type(part).__name__}: {reason}"
        )
