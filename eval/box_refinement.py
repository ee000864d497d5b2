"""The box refinement of Mathias et al. (ECCV 2014): one shift and one size ratio fitted to the ground truth.

Annotators and detectors disagree about how much of a head is "the face". The benchmark takes the disagreement
out: before the reported average precision, every detector's boxes are moved and scaled by four numbers fitted
on the test set itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .detection_table import DetectionTable
from .greedy_matching import GreedyRule, match_greedily
from .ground_truth import FaceGroundTruth


@dataclass(frozen=True)
class BoxTransform:
    """Move a box's centre by ``shift_x, shift_y`` of its own sides, then scale the sides about the centre."""

    shift_x: float = 0.0
    shift_y: float = 0.0
    scale_x: float = 1.0
    scale_y: float = 1.0

    def apply(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the transformed boxes, (n, 4) ``x1, y1, x2, y2``."""
        sides = boxes[:, 2:] - boxes[:, :2]
        centres = (boxes[:, :2] + boxes[:, 2:]) / 2 + sides * (self.shift_x, self.shift_y)
        half = sides * (self.scale_x, self.scale_y) / 2
        return np.hstack((centres - half, centres + half))

    def then(self, following: BoxTransform) -> BoxTransform:
        """Return the transform that equals this one followed by another."""
        return BoxTransform(
            self.shift_x + self.scale_x * following.shift_x,
            self.shift_y + self.scale_y * following.shift_y,
            self.scale_x * following.scale_x,
            self.scale_y * following.scale_y,
        )

    def as_tuple(self) -> tuple[float, float, float, float]:
        """Return ``shift_x, shift_y, scale_x, scale_y``."""
        return self.shift_x, self.shift_y, self.scale_x, self.scale_y


@dataclass(frozen=True, kw_only=True, eq=False)
class Refinement:
    """The refined detections, and what moved them.

    Parameters
    ----------
    detections : DetectionTable
        Boxes after the transforms of all rounds but the last, which is where the benchmark takes its curve.
    steps : tuple of BoxTransform
        The transform fitted in each round, the last one unused.
    """

    detections: DetectionTable
    steps: tuple[BoxTransform, ...]

    @property
    def applied(self) -> BoxTransform:
        """The one transform that leads from the given boxes to the refined ones."""
        total = BoxTransform()
        for step in self.steps[:-1]:
            total = total.then(step)
        return total

    @property
    def printed(self) -> BoxTransform:
        """What the benchmark's program prints: all rounds, shifts of different rounds just added."""
        return BoxTransform(
            sum(step.shift_x for step in self.steps),
            sum(step.shift_y for step in self.steps),
            math.prod(step.scale_x for step in self.steps),
            math.prod(step.scale_y for step in self.steps),
        )


def refine_boxes(
    images: Sequence[FaceGroundTruth], detections: DetectionTable, rule: GreedyRule, rounds: int = 5
) -> Refinement:
    """Fit and apply the refinement.

    Each round matches the boxes, and takes the mean shift and size ratio of the true positives. A round
    without true positives changes nothing.

    Parameters
    ----------
    images : sequence of FaceGroundTruth
    detections : DetectionTable
    rule : GreedyRule
    rounds : int
        At least 1.
    """
    if rounds < 1:
        raise ValueError(f"rounds of refine_boxes must be at least 1, found {rounds}")
    refined = detections
    steps = [_mean_disagreement(images, refined, rule)]
    while len(steps) < rounds:
        refined = replace(refined, boxes=steps[-1].apply(refined.boxes))
        steps.append(_mean_disagreement(images, refined, rule))
    return Refinement(detections=refined, steps=tuple(steps))


def _mean_disagreement(
    images: Sequence[FaceGroundTruth], detections: DetectionTable, rule: GreedyRule
) -> BoxTransform:
    """Return the transform from detections to faces, averaged over the true positives."""
    matches = match_greedily(images, detections, rule)
    hits = np.flatnonzero(matches.is_true)
    found = detections.boxes[matches.order[hits]]
    pairs = zip(matches.image_indices[hits], matches.face_indices[hits], strict=True)
    faces = np.array([images[image].boxes[face] for image, face in pairs]).reshape(-1, 4)
    sides = found[:, 2:] - found[:, :2]
    usable = (sides > 0).all(axis=1)
    if not usable.any():
        return BoxTransform()
    found, faces, sides = found[usable], faces[usable], sides[usable]
    shift = (faces[:, :2] + faces[:, 2:] - found[:, :2] - found[:, 2:]) / 2 / sides
    ratio = (faces[:, 2:] - faces[:, :2]) / sides
    return BoxTransform(*np.mean(shift, axis=0).tolist(), *np.mean(ratio, axis=0).tolist())
