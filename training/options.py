"""Every option of detector training with its default; the defaults are those of the `faces` preset."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from ..boosting.trees.tree_options import TreeOptions
from ..detector.suppression import SuppressionOptions
from ..detector.window import WindowOptions
from ..features.channel_options import ChannelOptions
from ..features.pyramid import PyramidOptions


def _require(condition: bool, owner: object, name: str, rule: str) -> None:
    if not condition:
        raise ValueError(f"{name} of {type(owner).__name__} must be {rule}, found {getattr(owner, name)!r}")


@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """LDCF filters.

    Parameters
    ----------
    count : int
        Filters a channel; 0 trains on plain ACF channels.
    size : int
        Side in cells, odd.
    """

    count: int = 4
    size: int = 5

    def __post_init__(self) -> None:
        _require(self.count >= 0, self, "count", "0 (no filters) or more")
        _require(self.size >= 1 and self.size % 2 == 1, self, "size", "odd and positive")
        if self.count > self.size**2:
            raise ValueError(
                f"count of FilterOptions must be at most size**2, {self.size**2}, found {self.count}"
            )


@dataclass(frozen=True, kw_only=True)
class JitterOptions:
    """Altered copies of every positive; each is drawn uniformly within the limits.

    Parameters
    ----------
    copies : int
        Copies a positive, besides the unaltered one.
    shift : float
        Share of the object's side, both ways.
    size : float
        Share of the size, both ways.
    rotation_deg : float
        Degrees, both ways.
    brightness : float
        Share that all values, and each colour's by half of it, are multiplied up or down by.
    """

    copies: int = 2
    shift: float = 0.04
    size: float = 0.06
    rotation_deg: float = 5.0
    brightness: float = 0.0

    def __post_init__(self) -> None:
        _require(self.copies >= 0, self, "copies", "0 or more")
        for name in ("shift", "size", "brightness"):
            _require(0 <= getattr(self, name) < 1, self, name, "in [0, 1)")
        _require(0 <= self.rotation_deg <= 180, self, "rotation_deg", "in [0, 180]")


@dataclass(frozen=True, kw_only=True)
class CostOptions:
    """Cost matrix of the boosting; saying "object" of background costs 1.

    Parameters
    ----------
    kind : {"faces", "ring"}
        "faces": views mistaken for one another cost 1. "ring": such a mistake costs more the further apart the
        views lie on a circle.
    missed : float
        Cost of saying "background" of an object.
    opposite : float
        Cost of the opposite view, for "ring".
    first_round_missed : float, optional
        Other `missed` for the first round, which sees few negatives; None is the same.
    """

    kind: Literal["faces", "ring"] = "faces"
    missed: float = 2.5
    opposite: float = 3.0
    first_round_missed: float | None = 1.0

    def __post_init__(self) -> None:
        _require(self.kind in ("faces", "ring"), self, "kind", "faces or ring")
        for name in ("missed", "opposite", "first_round_missed"):
            value = getattr(self, name)
            _require(value is None or 0 < value < math.inf, self, name, "positive")


@dataclass(frozen=True, kw_only=True)
class BoostingOptions:
    """The boosting of a round.

    Parameters
    ----------
    rounds : tuple of int
        Trees of each round; every round starts anew, with more negatives.
    learning_rate : float
        Shrinkage of the steps.
    start_weights : {"equal", "balanced"}
        Of the windows before the first tree: all equal, or the objects together as much as the background (as in
        the ACF toolbox's AdaBoost; BAdaCost has costs for that).
    tree : TreeOptions
    """

    rounds: tuple[int, ...] = (64, 256, 512, 1024)
    learning_rate: float = 0.1
    start_weights: Literal["equal", "balanced"] = "equal"
    tree: TreeOptions = field(default_factory=lambda: TreeOptions(max_depth=5, max_features=1 / 16))

    def __post_init__(self) -> None:
        _require(len(self.rounds) > 0 and min(self.rounds) > 0, self, "rounds", "positive numbers of trees")
        _require(0 < self.learning_rate <= 1, self, "learning_rate", "in (0, 1]")
        _require(self.start_weights in ("equal", "balanced"), self, "start_weights", "equal or balanced")


@dataclass(frozen=True, kw_only=True)
class MiningOptions:
    """Where negatives come from.

    Parameters
    ----------
    per_round : int
        New negatives a round; fewer if the images hold no more.
    accumulated : int
        Negatives in all; beyond it old ones are dropped at random, those of the round itself never.
    per_image : int
        The strongest ones of an image.
    cascade_slack : float
        Multiplies the cascade's thresholds while mining: above 1, windows that it would just reject are found too.
        A detector that has learnt its images by heart makes no other mistakes in them.
    score_share : float
        A window counts as a mistake if its score exceeds this share of the cascade's last threshold.
    object_overlap : float
        A negative's intersection over union with any object is below this: parts of objects are negatives.
    ignored_overlap, ignored_coverage : float
        Its intersection over union with any ignored box is below the first, and at most the second share of it
        lies in one.
    start_scale : float
        Images are enlarged by this, divided by a random part of one scale step; 1 or less leaves them as they
        are.
    scales_per_octave : int
    suppression : SuppressionOptions
        Among the mistakes of an image.
    """

    per_round: int = 10_000
    accumulated: int = 30_000
    per_image: int = 20
    cascade_slack: float = 1.0
    score_share: float = 0.5
    object_overlap: float = 0.3
    ignored_overlap: float = 0.1
    ignored_coverage: float = 0.3
    start_scale: float = 1.667
    scales_per_octave: int = 3
    suppression: SuppressionOptions = field(default_factory=lambda: SuppressionOptions(overlap=0.5))

    def __post_init__(self) -> None:
        for name in ("per_round", "accumulated", "per_image", "scales_per_octave"):
            _require(getattr(self, name) >= 1, self, name, "at least 1")
        _require(0 <= self.score_share < math.inf, self, "score_share", "0 or more")
        for name in ("object_overlap", "ignored_overlap"):
            _require(0 < getattr(self, name) <= 1, self, name, "in (0, 1]")
        _require(0 <= self.ignored_coverage <= 1, self, "ignored_coverage", "in [0, 1]")
        for name in ("start_scale", "cascade_slack"):
            _require(0 < getattr(self, name) < math.inf, self, name, "positive")


@dataclass(frozen=True, kw_only=True)
class CalibrationOptions:
    """Rejection thresholds of the cascade.

    Parameters
    ----------
    kind : {"constant", "per_tree", "authors"}
        See `training.calibration`.
    lost : float
        Share of the training positives that may be lost.
    slack : float
        For "per_tree", standard deviations that thresholds are lowered by.
    """

    kind: Literal["constant", "per_tree", "authors"] = "constant"
    lost: float = 0.01
    slack: float = 0.25

    def __post_init__(self) -> None:
        _require(
            self.kind in ("constant", "per_tree", "authors"), self, "kind", "constant, per_tree or authors"
        )
        _require(0 <= self.lost < 1, self, "lost", "in [0, 1)")
        _require(0 <= self.slack < math.inf, self, "slack", "0 or more")


@dataclass(frozen=True, kw_only=True)
class FinishedOptions:
    """Detection options that the finished detector has as its own.

    Parameters
    ----------
    min_score : float
    cascade_slack : float
    n_approximate : int, optional
        Scales approximated between two computed ones, as of `PyramidOptions`. None is a fast pyramid, a computed scale
        an octave; training and mining have the pyramid of the training options.
    suppression : SuppressionOptions
    """

    min_score: float = 0.0
    cascade_slack: float = 1.5
    n_approximate: int | None = None
    suppression: SuppressionOptions = field(
        default_factory=lambda: SuppressionOptions(overlap=0.3, contained_overlap=0.5)
    )

    def __post_init__(self) -> None:
        _require(not math.isnan(self.min_score), self, "min_score", "a number")
        _require(0 < self.cascade_slack < math.inf, self, "cascade_slack", "positive")
        _require(self.n_approximate is None or self.n_approximate >= 0, self, "n_approximate", "0 or more")


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """All of a detector's training.

    Parameters
    ----------
    detectors : {"one", "one_a_view"}
        One cascade for all views, or a detector a view (SubCat, see `training.subcategories`), for which costs have
        no meaning.
    window, channels, pyramid, filters : sizes and features of the model
    mirror : bool
        Train on mirrored objects too, their views swapped.
    jitter, costs, boosting, mining, calibration, finished : see there
    quantization_tail : float
        Share of feature values clipped at either end by the map to uint8.
    patch_margin : int
        Pixels around a training window that its features are computed with.
    memory_limit : int
        Bytes; a larger matrix of training features is kept in a file.
    seed : int
    """

    detectors: Literal["one", "one_a_view"] = "one"
    window: WindowOptions = field(default_factory=WindowOptions)
    channels: ChannelOptions = field(default_factory=ChannelOptions.badacost)
    pyramid: PyramidOptions = field(
        default_factory=lambda: PyramidOptions(
            per_octave=4, n_approximate=0, pad=(16, 16), min_size=(40, 40), multiple=4
        )
    )
    filters: FilterOptions = field(default_factory=FilterOptions)
    mirror: bool = True
    jitter: JitterOptions = field(default_factory=JitterOptions)
    costs: CostOptions = field(default_factory=CostOptions)
    boosting: BoostingOptions = field(default_factory=BoostingOptions)
    mining: MiningOptions = field(default_factory=MiningOptions)
    calibration: CalibrationOptions = field(default_factory=CalibrationOptions)
    finished: FinishedOptions = field(default_factory=FinishedOptions)
    quantization_tail: float = 0.0005
    patch_margin: int = 16
    memory_limit: int = 4_000_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        _require(self.detectors in ("one", "one_a_view"), self, "detectors", "one or one_a_view")
        _require(0 <= self.quantization_tail < 0.5, self, "quantization_tail", "in [0, 0.5)")
        cell = self.channels.shrink * (2 if self.filters.count else 1)
        _require(
            self.patch_margin >= 0 and self.patch_margin % cell == 0,
            self,
            "patch_margin",
            f"a multiple of {cell}",
        )
        sides = (self.window.window_height, self.window.window_width)
        if min(sides) < cell:
            raise ValueError(
                f"window_height and window_width of WindowOptions must be at least the cells' {cell} pixels, "
                f"found {sides[0]} and {sides[1]}"
            )
        pad = self.pyramid.pad
        if pad[0] % cell or pad[1] % cell:
            raise ValueError(
                f"pad of PyramidOptions must be a multiple of the cells' {cell} pixels, found {pad}"
            )
        _require(self.memory_limit > 0, self, "memory_limit", "positive")
        _require(self.seed >= 0, self, "seed", "0 or more")
