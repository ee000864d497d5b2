"""The views that ground truth and detections are compared in, and the yaw angles that belong to each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

UNKNOWN_VIEW = -1


@dataclass(frozen=True)
class ViewSet:
    """An ordered set of views of one object class.

    Parameters
    ----------
    names : tuple of str
        In the order of increasing angle; neighbours in this order are neighbouring views.
    angles_deg : tuple of float
        The angle that a detection of each view predicts, in degrees.
    edges_deg : tuple of float
        The ``len(names) - 1`` limits between neighbouring views; a limit belongs to the upper view.
    """

    names: tuple[str, ...]
    angles_deg: tuple[float, ...]
    edges_deg: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.angles_deg) != len(self.names) or len(self.edges_deg) != len(self.names) - 1:
            raise ValueError(
                f"ViewSet: {len(self.names)} names need as many angles and one edge less, "
                f"found {len(self.angles_deg)} angles and {len(self.edges_deg)} edges"
            )
        if any(low >= high for low, high in zip(self.edges_deg, self.edges_deg[1:], strict=False)):
            raise ValueError(f"edges_deg of ViewSet must increase, found {self.edges_deg}")

    def __len__(self) -> int:
        return len(self.names)

    def index_of_yaw(self, yaw_deg: ArrayLike) -> NDArray[np.int64]:
        """Return the view of each yaw; `UNKNOWN_VIEW` where the yaw is NaN."""
        yaw = np.asarray(yaw_deg, dtype=np.float64)
        views = np.searchsorted(np.asarray(self.edges_deg), yaw, side="right").astype(np.int64)
        return np.where(np.isnan(yaw), UNKNOWN_VIEW, views)

    def index_of(self, view: str) -> int:
        """Return the index of a view given by name, or by its number counted from 1; empty is unknown.

        Raises
        ------
        ValueError
            If there is no such view.
        """
        if view in self.names:
            return self.names.index(view)
        if view in ("", "unknown"):
            return UNKNOWN_VIEW
        if view.isdigit() and 1 <= int(view) <= len(self.names):
            return int(view) - 1
        expected = f"one of {', '.join(self.names)} or a number from 1 to {len(self.names)}"
        raise ValueError(f"unknown view {view!r}, expected {expected}")


# Yaw below 0: the nose points to the left side of the image. The limits are those of the BAdaCost paper.
FACE_VIEWS = ViewSet(
    names=("right_profile", "half_right", "frontal", "half_left", "left_profile"),
    angles_deg=(-75.0, -40.0, 0.0, 40.0, 75.0),
    edges_deg=(-60.0, -20.0, 20.0, 60.0),
)
