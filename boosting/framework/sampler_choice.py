"""Samplers by name, and what they make of counted records."""

from __future__ import annotations

from typing import Any

from .record_draws import Drawn
from .records import Records
from .samplers import (
    CostHybridSampler,
    CostOverSampler,
    CostProportionateRejectionSampler,
    CostSampler,
    CostSMOTE,
    CostUnderSampler,
)

SAMPLERS: dict[str, type[CostSampler]] = {
    "under": CostUnderSampler,
    "over": CostOverSampler,
    "hybrid": CostHybridSampler,
    "smote": CostSMOTE,
    "rejection": CostProportionateRejectionSampler,
}


def check_sampler(sampler: Any, owner: str) -> None:
    """Refuse what is neither a name nor a sampler of the framework."""
    if not isinstance(sampler, CostSampler) and not (isinstance(sampler, str) and sampler in SAMPLERS):
        raise ValueError(
            f"sampler of {owner} must be one of {', '.join(map(repr, SAMPLERS))} or a cost-sensitive sampler, "
            f"got {sampler!r}"
        )


def chosen_sampler(sampler: Any) -> CostSampler:
    """The sampler itself, or one of the name with its defaults."""
    return SAMPLERS[sampler]() if isinstance(sampler, str) else sampler


def sampled_records(records: Records, drawn: Drawn) -> Records:
    """The records of a sample, its synthetic rows last."""
    kept = records.with_copies(drawn.copies)
    return kept.with_synthetic(drawn.synthetic, drawn.synthetic_positive)
