"""What a detector looks for and reports: its views, and the options of a detection."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .suppression import SuppressionOptions

LARGEST_SCORE = float(np.finfo(np.float32).max)


@dataclass(frozen=True, kw_only=True)
class View:
    """A view that the detector tells apart.

    Parameters
    ----------
    name : str
    angle_deg : float
        Angle of the view's centre, NaN where views have none.
    aspect_ratio : float
        Mean width / height of the objects seen so; boxes get it before suppression.
    """

    name: str
    angle_deg: float = math.nan
    aspect_ratio: float = 1.0


@dataclass(frozen=True, kw_only=True)
class DetectionOptions:
    """What is looked for in an image, and what is kept of it.

    Parameters
    ----------
    min_score : float
        Detections below this score are dropped.
    suppression : SuppressionOptions
    min_size : float, optional
        Smallest height of an object in pixels. None is the model's own size; below it the image is enlarged.
    max_size : float, optional
        Largest height of an object in pixels; None is no limit.
    cascade_slack : float
        Multiplies the calibrated cascade thresholds: 1 as trained, larger is slower and more complete.
    views : tuple of str, optional
        Report these views only.
    max_detections : int, optional
        Report the best ones only.
    threads : int
        0 = all cores. The result does not depend on it.
    """

    min_score: float = 0.0
    suppression: SuppressionOptions = field(default_factory=SuppressionOptions)
    min_size: float | None = None
    max_size: float | None = None
    cascade_slack: float = 1.0
    views: tuple[str, ...] | None = None
    max_detections: int | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("min_size", "max_size", "cascade_slack", "max_detections"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} of DetectionOptions must be positive, found {value!r}")
        if self.min_size is not None and self.max_size is not None and self.min_size > self.max_size:
            raise ValueError(
                f"min_size of DetectionOptions must not exceed max_size, found {self.min_size} > {self.max_size}"
            )
        if self.threads < 0:
            raise ValueError(f"threads of DetectionOptions must be 0 (all) or more, found {self.threads}")
        if math.isnan(self.min_score) or LARGEST_SCORE < abs(self.min_score) < math.inf:
            raise ValueError(
                f"min_score of DetectionOptions must be a number that float32 holds, found {self.min_score}"
            )
