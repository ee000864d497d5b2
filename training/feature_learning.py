"""What is learnt about the features before the first round: LDCF filters and the map to uint8."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..detector.feature_levels import Quantization


def learn_quantization(planes: NDArray[np.float32], *, tail: float) -> Quantization:
    """Fit each plane's map to uint8, so that all but a small share of its values stay unclipped.

    Training and detection both see the quantised features, so that a learnt threshold is exact.

    Parameters
    ----------
    planes : (n, C, h, w) float32
        Features of object and background windows.
    tail : float
        Share of the values that may be clipped at either end, in [0, 0.5).

    Returns
    -------
    Quantization
        A plane without any spread gets the scale 1.
    """
    values = planes.swapaxes(0, 1).reshape(planes.shape[1], -1)
    low, high = np.quantile(values, [tail, 1 - tail], axis=1)
    spread = high - low
    scale = np.where(spread > 1e-12, 255 / np.maximum(spread, 1e-12), 1.0)
    return Quantization(low.astype(np.float32), scale.astype(np.float32))
