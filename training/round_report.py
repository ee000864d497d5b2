"""What a training round did, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class RoundReport:
    """One round of training.

    Parameters
    ----------
    number : int
        From 1.
    n_trees : int
        Trees of the round's classifier (fewer than asked for if boosting stopped).
    stop_reason : str
    n_positives, n_negatives, n_new_negatives : int
        Windows trained on; negatives in all, and found for this round.
    n_images_mined : int
        Images searched for the new negatives.
    first_loss, last_loss : float
        Exponential training loss after the first and the last tree.
    training_error : float
        Share of training windows with a wrong class.
    positives_lost : float
        Share of the training positives that the calibrated cascade rejects.
    lowest_threshold : float
        Lowest rejection threshold.
    trees_per_window : float or None
        Mean trees evaluated a window while mining with the previous round's detector; None in round 1.
    mining_seconds, boosting_seconds : float
    """

    number: int
    n_trees: int
    stop_reason: str
    n_positives: int
    n_negatives: int
    n_new_negatives: int
    n_images_mined: int
    first_loss: float
    last_loss: float
    training_error: float
    positives_lost: float
    lowest_threshold: float
    trees_per_window: float | None
    mining_seconds: float
    boosting_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Fields by name, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        depth = "" if self.trees_per_window is None else f", {self.trees_per_window:.1f} trees/window"
        return (
            f"round {self.number}: {self.n_trees} trees ({self.stop_reason}) on {self.n_positives} positives and "
            f"{self.n_negatives} negatives ({self.n_new_negatives} new from {self.n_images_mined} images{depth}); "
            f"loss {self.first_loss:.4f} -> {self.last_loss:.4f}, training error {self.training_error:.4%}, "
            f"cascade loses {self.positives_lost:.2%}; mining {self.mining_seconds:.0f} s, "
            f"boosting {self.boosting_seconds:.0f} s"
        )
