"""From the vote share of a boosted ensemble to a probability (Niculescu-Mizil and Caruana 2005)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from ..reweighting.calibrated_boosting import fit_calibrator
from .records import Array, Records

Calibration = Literal["logistic", "unnormalized logistic", "platt", "isotonic"] | None
CALIBRATIONS: tuple[Calibration, ...] = (None, "logistic", "unnormalized logistic", "platt", "isotonic")
HELD_OUT = ("platt", "isotonic")
"""The calibrations that learn from records held out."""


def logistic_correction(share: Array) -> Array:
    """1/(1 + exp(-2 (2 S - 1))) of the share S of the votes, the correction of the normalised margin."""
    return _logistic(2.0 * (2.0 * share - 1.0))


def unnormalized_logistic_correction(score: Array) -> Array:
    """1/(1 + exp(-2 F)) of F = sum of alpha h on the half scale (Friedman, Hastie and Tibshirani 2000)."""
    return _logistic(2.0 * score)


def fitted_calibration(
    method: Literal["platt", "isotonic"], shares: Array, records: Records
) -> Callable[[Array], Array]:
    """Platt's sigmoid or isotonic regression, fitted on the shares (n,) of records held out (scikit-learn's)."""
    calibrator = fit_calibrator(shares, records.positive, records.mass, method)

    def calibrated(share: Array) -> Array:
        return np.asarray(calibrator.predict_proba(share[:, None])[:, 1], dtype=np.float64)

    return calibrated


def _logistic(score: Array) -> Array:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * score))  # overflows nowhere
