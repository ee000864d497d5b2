"""Compiled loops of KITTI's evaluation: overlaps, and the two matching passes over all frames.

Both passes visit labels and detections in file order, and use a detection at most once. They differ on
purpose: the first prefers the highest score, the second the largest overlap.
Source: the evaluation program of the KITTI object development kit (Geiger, Lenz, Urtasun, CVPR 2012).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..features.compilation import kernel
from .kitti_rules import EXCUSES, FALSE_POSITIVE, IGNORED, NEUTRAL, NOT_CONSIDERED, VALID


@kernel
def frame_overlaps(
    label_boxes: NDArray[np.float64],
    is_region: NDArray[np.bool_],
    label_starts: NDArray[np.int64],
    detection_boxes: NDArray[np.float64],
    detection_starts: NDArray[np.int64],
    pair_starts: NDArray[np.int64],
    overlaps: NDArray[np.float64],
) -> None:
    """Write the overlap of every label with every detection of its frame.

    Parameters
    ----------
    label_boxes, detection_boxes : (n, 4) and (m, 4) float64
        ``x1, y1, x2, y2``.
    is_region : (n,) bool
        Whether a label is a DontCare region: its overlap is the share of the detection inside it, that of
        other labels intersection over union.
    label_starts, detection_starts : (n_frames + 1,) int64
    pair_starts : (n_frames,) int64
        Where the rows of each frame, one a label, begin in `overlaps`.
    overlaps : (n_pairs,) float64
        Output.
    """
    for frame in range(len(label_starts) - 1):
        pair = pair_starts[frame]
        for label in range(label_starts[frame], label_starts[frame + 1]):
            x1, y1, x2, y2 = label_boxes[label]
            label_area = (x2 - x1) * (y2 - y1)
            for detection in range(detection_starts[frame], detection_starts[frame + 1]):
                left, top, right, bottom = detection_boxes[detection]
                width = min(x2, right) - max(x1, left)
                height = min(y2, bottom) - max(y1, top)
                overlap = 0.0
                if width > 0 and height > 0:
                    intersection = width * height
                    area = (right - left) * (bottom - top)
                    if is_region[label]:
                        overlap = intersection / area
                    else:
                        overlap = intersection / (label_area + area - intersection)
                overlaps[pair] = overlap
                pair += 1


@kernel
def collect_scores(
    label_parts: NDArray[np.uint8],
    label_starts: NDArray[np.int64],
    detection_parts: NDArray[np.uint8],
    scores: NDArray[np.float64],
    detection_starts: NDArray[np.int64],
    pair_starts: NDArray[np.int64],
    overlaps: NDArray[np.float64],
    min_overlap: float,
    collected: NDArray[np.float64],
) -> int:
    """Match without a threshold, write the scores of the true positives, return their number.

    A label takes the free detection of the highest score, the first of equals, among those that it overlaps
    by more than `min_overlap`. If either of the two is ignored, nothing is recorded.

    Parameters
    ----------
    label_parts, detection_parts : (n,) and (m,) uint8
        `VALID`, `IGNORED`, `NOT_CONSIDERED`, `EXCUSES`.
    scores : (m,) float64
    collected : (>= number of valid labels,) float64
        Output, in no particular order.
    label_starts, detection_starts, pair_starts, overlaps
        See `frame_overlaps`.
    """
    free = np.ones(len(scores), dtype=np.bool_)
    count = 0
    for frame in range(len(label_starts) - 1):
        first = detection_starts[frame]
        n_detections = detection_starts[frame + 1] - first
        row = pair_starts[frame]
        for label in range(label_starts[frame], label_starts[frame + 1]):
            if label_parts[label] == VALID or label_parts[label] == IGNORED:
                best = -1
                for column in range(n_detections):
                    detection = first + column
                    if (
                        free[detection]
                        and detection_parts[detection] != NOT_CONSIDERED
                        and overlaps[row + column] > min_overlap
                        and (best < 0 or scores[detection] > scores[best])
                    ):
                        best = detection
                if best >= 0:
                    free[best] = False
                    if label_parts[label] == VALID and detection_parts[best] == VALID:
                        collected[count] = scores[best]
                        count += 1
            row += n_detections
    return count


@kernel
def count_outcomes(
    label_parts: NDArray[np.uint8],
    label_alpha: NDArray[np.float64],
    label_starts: NDArray[np.int64],
    detection_parts: NDArray[np.uint8],
    detection_alpha: NDArray[np.float64],
    scores: NDArray[np.float64],
    detection_starts: NDArray[np.int64],
    pair_starts: NDArray[np.int64],
    overlaps: NDArray[np.float64],
    min_overlap: float,
    thresholds: NDArray[np.float64],
    true_positives: NDArray[np.int64],
    false_positives: NDArray[np.int64],
    false_negatives: NDArray[np.int64],
    similarity: NDArray[np.float64],
    outcomes: NDArray[np.int64],
) -> None:
    """Match at each threshold the detections that reach it, and add up the outcomes over all frames.

    A label takes the free valid detection of the largest overlap, the first of equals; the first free ignored
    one if there is no valid one. If either of the two is ignored, the pair counts nothing. A free valid
    detection is a false positive unless more than `min_overlap` of it lies in a DontCare region.

    Parameters
    ----------
    label_alpha, detection_alpha : (n,) and (m,) float64
        Observation angles in radians.
    thresholds : (k,) float64
    true_positives, false_positives, false_negatives : (k,) int64
        Outputs, zeros at the start.
    similarity : (k,) float64
        Output, zeros at the start: the sum of ``(1 + cos(difference of alpha)) / 2`` over the true positives.
    outcomes : (m,) int64
        Output: the label that each detection found at the last threshold, `FALSE_POSITIVE`, or `NEUTRAL`.
    others
        See `collect_scores`.
    """
    free = np.empty(len(scores), dtype=np.bool_)
    for frame in range(len(label_starts) - 1):
        first = detection_starts[frame]
        n_detections = detection_starts[frame + 1] - first
        for step in range(len(thresholds)):
            for detection in range(first, first + n_detections):
                free[detection] = (
                    scores[detection] >= thresholds[step] and detection_parts[detection] != NOT_CONSIDERED
                )
                outcomes[detection] = NEUTRAL
            row = pair_starts[frame]
            for label in range(label_starts[frame], label_starts[frame + 1]):
                if label_parts[label] == VALID or label_parts[label] == IGNORED:
                    best = -1
                    best_overlap = 0.0
                    best_is_valid = False
                    for column in range(n_detections):
                        detection = first + column
                        overlap = overlaps[row + column]
                        if not free[detection] or overlap <= min_overlap:
                            continue
                        if detection_parts[detection] == VALID:
                            if not best_is_valid or overlap > best_overlap:
                                best = detection
                                best_overlap = overlap
                                best_is_valid = True
                        elif best < 0:
                            best = detection
                    if best >= 0:
                        free[best] = False
                        if label_parts[label] == VALID and best_is_valid:
                            outcomes[best] = label
                            true_positives[step] += 1
                            difference = label_alpha[label] - detection_alpha[best]
                            similarity[step] += (1.0 + math.cos(difference)) / 2.0
                    elif label_parts[label] == VALID:
                        false_negatives[step] += 1
                row += n_detections
            row = pair_starts[frame]
            for label in range(label_starts[frame], label_starts[frame + 1]):
                if label_parts[label] == EXCUSES:
                    for column in range(n_detections):
                        if overlaps[row + column] > min_overlap:
                            free[first + column] = False
                row += n_detections
            for detection in range(first, first + n_detections):
                if free[detection] and detection_parts[detection] == VALID:
                    outcomes[detection] = FALSE_POSITIVE
                    false_positives[step] += 1
