"""The cost matrix of a training round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..boosting.costs import face_costs, view_costs
from .options import CostOptions


def cost_matrix(options: CostOptions, n_views: int, *, first_round: bool = False) -> NDArray[np.float64]:
    """Costs of a round, (n_views + 1, n_views + 1), as ``C[true, predicted]`` with background as class 0."""
    missed = options.missed
    if first_round and options.first_round_missed is not None:
        missed = options.first_round_missed
    if options.kind == "ring":
        return view_costs(1.0, missed, options.opposite, n_views)
    return face_costs(missed, n_views)
