"""Ensembles of the bagging kind on cost-sensitive samples: one a model, or one for all (section 3.1.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base_kind import KINDS, BaseKindName
from .cost_ensemble import CostEnsemble, DrawRecords
from .records import Records
from .sampler_choice import check_sampler, chosen_sampler, sampled_records


class _SampledEnsemble(CostEnsemble):
    def __init__(
        self,
        estimator: Any = None,
        *,
        sampler: Any = "under",
        kind: BaseKindName = "bagging",
        n_estimators: int = 50,
        max_features: int | float | None = None,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            kind=kind,
            n_estimators=n_estimators,
            max_features=max_features,
            cost_fn=cost_fn,
            cost_fp=cost_fp,
            pos_label=pos_label,
            random_state=random_state,
        )
        self.sampler = sampler

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_sampler(self.sampler, type(self).__name__)


class CostSampleEnsembleClassifier(_SampledEnsemble):
    """CS-SampleEnsemble: every model has a cost-sensitive sample of its own.

    The sampler works on the bag of the model, or on all records where the kind draws no bags or the sampler
    itself draws with replacement. With equal costs it is plain Bagging, or the forest of the kind.

    Parameters
    ----------
    sampler : {"under", "over", "hybrid", "smote", "rejection"} or sampler
        A `CostUnderSampler` and so forth; its costs are those of this ensemble. Costs of single records need
        "rejection".
    estimator, kind, n_estimators, max_features
        See `CostBaseEnsembleClassifier`, also for the attributes.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`.
    """

    def _drawing(self, records: Records, generator: np.random.Generator) -> DrawRecords:
        sampler, kind = chosen_sampler(self.sampler), KINDS[self.kind]
        if sampler.bootstraps or not kind.bootstraps:
            whole = sampler.drawing(records)

            def draw(generator: np.random.Generator) -> tuple[Records, NDArray[np.bool_]]:
                drawn = whole(generator)
                return sampled_records(records, drawn), drawn.copies > 0

            return draw

        def draw_from_bag(generator: np.random.Generator) -> tuple[Records, NDArray[np.bool_]]:
            copies = kind.bag(records, generator)
            bag = records.with_copies(copies)
            drawn = sampler.drawing(bag)(generator)
            used = copies > 0
            used[np.flatnonzero(used)[drawn.copies == 0]] = False
            return sampled_records(bag, drawn), used

        return draw_from_bag


class CostPreSampleEnsembleClassifier(_SampledEnsemble):
    """CS-preSampleEnsemble: one cost-sensitive sample of the records, on which the plain ensemble is trained.

    Parameters
    ----------
    sampler
        See `CostSampleEnsembleClassifier`.
    estimator, kind, n_estimators, max_features
        See `CostBaseEnsembleClassifier`, also for the attributes.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`.
    """

    def _drawing(self, records: Records, generator: np.random.Generator) -> DrawRecords:
        kind = KINDS[self.kind]
        drawn = chosen_sampler(self.sampler).drawing(records)(generator)
        sample = sampled_records(records, drawn)
        place = np.flatnonzero(drawn.copies)

        def draw(generator: np.random.Generator) -> tuple[Records, NDArray[np.bool_]]:
            copies = kind.bag(sample, generator)
            used = np.zeros(len(records.copies), dtype=bool)
            used[place] = copies[: len(place)] > 0  # synthetic rows come last
            return sample.with_copies(copies), used

        return draw
