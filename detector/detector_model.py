"""A trained model: what a file of it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .binary_cascade import BinaryCascade
from .cascade import Cascade
from .detection_options import DetectionOptions, View
from .feature_levels import FeaturePipeline
from .window import WindowOptions


@dataclass(frozen=True, eq=False)
class DetectorModel:
    """The parts of a detector.

    Parameters
    ----------
    name : str
    cascade : Cascade or BinaryCascade
    pipeline : FeaturePipeline
    window : WindowOptions
    views : tuple of View
        In the order of the classes but background.
    options : DetectionOptions
    provenance : mapping
        What it was trained on, and how.
    sha256 : str, optional
        Of the file that it was read from.

    Raises
    ------
    ValueError
        If there are not as many views as classes, or the options name another view.
    """

    name: str
    cascade: Cascade | BinaryCascade
    pipeline: FeaturePipeline
    window: WindowOptions
    views: tuple[View, ...]
    options: DetectionOptions = field(default_factory=DetectionOptions)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    sha256: str | None = None

    def __post_init__(self) -> None:
        if len(self.views) != self.cascade.n_classes - 1:
            raise ValueError(
                f"views of a detector must be one a class but background, "
                f"found {len(self.views)} views and {self.cascade.n_classes} classes"
            )
        unknown = set(self.options.views or ()) - set(self.view_names)
        if unknown:
            raise ValueError(
                f"views of DetectionOptions must be among {', '.join(self.view_names)}; "
                f"found {', '.join(sorted(unknown))}"
            )

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views, in class order."""
        return tuple(view.name for view in self.views)

    @property
    def view_angles(self) -> tuple[float, ...]:
        """Angles of the views in degrees."""
        return tuple(view.angle_deg for view in self.views)
