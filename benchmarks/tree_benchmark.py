"""One boosted tree on binned features against LightGBM's (if it is installed), one thread each.

python -m benchmarks.tree_benchmark [--samples 50000] [--features 1000] [--classes 6] [--depth 6]
                                    [--share 1.0] [--repetitions 10]

A round of BAdaCost grows one tree for all classes; a round of LightGBM's multi-class boosting grows one tree a
class, which is the fair comparison; its binary boosting grows one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from badacost.boosting.costs import face_costs
from badacost.boosting.trees.split_criterion import SplitCriterion
from badacost.boosting.trees.tree import TreeGrower, TreeOptions, integer_weights
from benchmarks.harness import Timing, format_table, measure


def tree_benchmark(
    bins: NDArray[np.uint8],
    labels: NDArray[np.int64],
    *,
    depth: int = 6,
    share: float = 1.0,
    repetitions: int = 10,
) -> list[Timing]:
    """Time trees of every way to draw features, and rounds of LightGBM; ratios are to the first.

    Parameters
    ----------
    bins : (F, N) uint8
    labels : (N,) int64
        0 is background, 1 .. K - 1 are views, as for the face detector's costs.
    depth : int
        Number of split levels.
    share : float in (0, 1]
        Share of the features that a tree chooses from.
    repetitions : int
    """
    n_classes = int(labels.max()) + 1
    criterion = SplitCriterion.badacost(face_costs(1.5, n_classes - 1))
    weights = integer_weights(np.random.default_rng(0).random(len(labels)) ** 2)
    variants: dict[str, Callable[[], object]] = {}
    for sampling in ("tree", "parent", "node") if share < 1.0 else ("tree",):
        options = TreeOptions(
            max_depth=depth, max_features=share, feature_sampling=sampling, min_samples_split=11
        )
        grower, rng = TreeGrower(bins, labels, criterion, options), np.random.default_rng(1)
        name = f"tree of all classes, features drawn by {sampling}" if share < 1.0 else "tree of all classes"
        variants[name] = lambda grower=grower, rng=rng: grower.grow(weights, rng)  # type: ignore[misc]
    variants.update(_lightgbm_rounds(bins, labels, depth, share))
    return measure(variants, repetitions=repetitions)


def example_bins(
    n_samples: int, n_features: int, n_classes: int, seed: int = 0
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Bins (F, N) that each tell a little about the labels (N,), as channel features do."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_samples)
    bins = np.empty((n_features, n_samples), np.uint8)
    for column in bins:
        shift = rng.normal(scale=10.0, size=n_classes)
        column[:] = np.clip(rng.normal(128.0, 40.0, n_samples) + shift[labels], 0, 255)
    return bins, labels


def _lightgbm_rounds(
    bins: NDArray[np.uint8], labels: NDArray[np.int64], depth: int, share: float
) -> dict[str, Callable[[], object]]:
    """One round of LightGBM, binary (background or not) and multi-class; empty if it is not installed."""
    try:
        import lightgbm
    except ImportError:
        return {}
    common = {
        "num_leaves": 2**depth,
        "max_depth": depth,
        "feature_fraction": share,
        "num_threads": 1,
        "max_bin": 255,
        "force_col_wise": True,
        "verbosity": -1,
    }
    n_classes = int(labels.max()) + 1
    rounds: dict[str, Callable[[], object]] = {}
    for name, target, own in (
        ("LightGBM, binary: one tree", (labels > 0).astype(int), {"objective": "binary"}),
        (
            "LightGBM, multi-class: one tree a class",
            labels,
            {"objective": "multiclass", "num_class": n_classes},
        ),
    ):
        data = lightgbm.Dataset(np.ascontiguousarray(bins.T), target)
        rounds[name] = lightgbm.Booster({**common, **own}, data).update
    return rounds


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--features", type=int, default=1000)
    parser.add_argument("--classes", type=int, default=6)
    parser.add_argument("--depth", type=int, default=6, help="number of split levels")
    parser.add_argument("--share", type=float, default=1.0, help="share of the features that a tree sees")
    parser.add_argument("--repetitions", type=int, default=10)
    given = parser.parse_args(arguments)
    bins, labels = example_bins(given.samples, given.features, given.classes)
    timings = tree_benchmark(
        bins, labels, depth=given.depth, share=given.share, repetitions=given.repetitions
    )
    size = f"{given.samples} samples, {given.features} features, {given.classes} classes, depth {given.depth}"
    print(format_table(f"{size}, {given.share:.3g} of the features", timings))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
