"""The scan of a cascade over one level of features, against loops that take window by window; one thread.

python -m benchmarks.scan_benchmark [--repetitions 20]

The cascades are random, with rejection thresholds that leave as many windows after each tree as real ones do.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from badacost.detector.band_scan import BandScan
from badacost.detector.cascade import Cascade
from badacost.detector.scan import scan_level
from badacost.detector.window_traces import window_traces
from badacost.features.compilation import kernel
from benchmarks.harness import Timing, measure

# Windows from which rejection thresholds are taken.
N_CALIBRATION = 300


@dataclass(frozen=True)
class ScanCase:
    """A cascade and the level that it is run over.

    Parameters
    ----------
    title : str
    cascade : Cascade
    features : (C, h, w) uint8 or float32
    """

    title: str
    cascade: Cascade
    features: NDArray


def random_case(
    title: str,
    *,
    depth: int,
    n_classes: int,
    dtype: type = np.uint8,
    height: int = 120,
    width: int = 160,
    n_trees: int = 512,
    mean_trees: float = 27.0,
) -> ScanCase:
    """Random trees over smooth random planes; after `t` trees a share of ``exp(-t / mean_trees)`` of windows is left.

    Parameters
    ----------
    depth, n_classes : int
        Costs distinguish no two views where there are fewer than 10 classes.
    dtype : numpy.uint8 or numpy.float32
    height, width : int
        Of the level, in cells.
    """
    random = np.random.default_rng(0)
    shape = (40, 11, 11)
    planes = random.random((shape[0], height + 2, width + 2), np.float32)
    smooth = sum(planes[:, y : y + height, x : x + width] for y in range(3) for x in range(3)) / np.float32(9)
    features = np.rint(255 * smooth).astype(np.uint8) if dtype is np.uint8 else smooth
    nodes = 2**depth - 1
    threshold = np.clip(random.normal(0.5, 0.06, (n_trees, nodes)), 0, 1)
    labels = random.integers(1, n_classes, (n_trees, nodes + 1))
    labels[random.random(labels.shape) < 0.5] = 0
    costs = 1.0 - np.eye(n_classes)
    if n_classes >= 10:
        costs[1:, 1:] *= random.uniform(0.3, 3, (n_classes - 1, n_classes - 1))
    cascade = Cascade(
        feature=random.integers(0, np.prod(shape), (n_trees, nodes)).astype(np.int32),
        threshold=np.rint(255 * threshold).astype(np.uint8)
        if dtype is np.uint8
        else threshold.astype(np.float32),
        rejection=np.full(n_trees, -np.inf, np.float32),
        window_shape=shape,
        leaf_label=labels.astype(np.uint8),
        beta=random.uniform(0.02, 0.05, n_trees),
        cost_matrix=costs,
    )
    rows = random.integers(0, height - shape[1] + 1, N_CALIBRATION)
    columns = random.integers(0, width - shape[2] + 1, N_CALIBRATION)
    windows = [features[:, y : y + shape[1], x : x + shape[2]] for y, x in zip(rows, columns, strict=True)]
    traces = window_traces(np.array(windows), cascade)
    left = np.exp(-(np.arange(n_trees) + 1) / mean_trees)
    rejection = np.empty(n_trees, np.float32)
    alive = np.ones(N_CALIBRATION, bool)
    for tree in range(n_trees):
        share = left[tree] * N_CALIBRATION / max(alive.sum(), 1)
        if alive.any() and share < 1:
            rejection[tree] = np.quantile(traces[alive, tree], 1 - share) - 1e-5
        else:
            rejection[tree] = rejection[tree - 1] if tree else -1e9
        alive &= traces[:, tree] > rejection[tree]
    return ScanCase(title, replace(cascade, rejection=rejection), features)


@kernel
def scan_window_by_window(
    features, cell, threshold, labels, step, rejection, differences, window_rows, window_columns
):
    """Run the cascade as it is written down: window by window, tree by tree, node by node, all views' scores.

    Parameters
    ----------
    features : (C, h, w)
    cell : (T, nodes, 3) int64
        Channel, row and column of each node's feature.
    differences : (K, K - 1) float32
        What a vote of step 1 adds to the views' scores.

    Returns
    -------
    survivors, evaluated window-trees
    """
    n_trees, nodes = threshold.shape
    _, height, width = features.shape
    score = np.empty(differences.shape[1], np.float32)
    survivors = 0
    evaluated = 0
    for y in range(height - window_rows + 1):
        for x in range(width - window_columns + 1):
            score[:] = 0
            alive = True
            for t in range(n_trees):
                node = 0
                while node < nodes:
                    value = features[cell[t, node, 0], y + cell[t, node, 1], x + cell[t, node, 2]]
                    node = 2 * node + 1 if value < threshold[t, node] else 2 * node + 2
                evaluated += 1
                added = differences[labels[t, node - nodes]]
                top = np.float32(-np.inf)
                for k in range(len(score)):
                    score[k] += step[t] * added[k]
                    top = max(top, score[k])
                if top <= rejection[t]:
                    alive = False
                    break
            survivors += alive
    return survivors, evaluated


def scan_benchmark(case: ScanCase, *, repetitions: int = 20) -> tuple[list[Timing], int]:
    """Time the scan of a case; ratios are to the loop that takes window by window.

    Parameters
    ----------
    case : ScanCase
    repetitions : int

    Returns
    -------
    list of Timing, and the number of trees evaluated for all windows together
    """
    cascade, features = case.cascade, case.features
    cell = np.stack(cascade.node_cells, axis=-1).astype(np.int64)
    _, rows, columns = cascade.window_shape
    last = features.shape[1] - rows + 1
    trees = (cascade.threshold, cascade.leaf_label, cascade.beta.astype(np.float32), cascade.rejection)
    differences = cascade.vote_differences.astype(np.float32)

    def with_share(share: float) -> Callable[[], object]:
        scan = BandScan(cascade, features)
        scan.share = share
        return lambda: scan.survivors(0, last)

    variants: dict[str, Callable[[], object]] = {
        "window by window": lambda: scan_window_by_window(features, cell, *trees, differences, rows, columns),
        "scan": lambda: scan_level(features, cascade),
        "sparse phase only": with_share(1.0),
    }
    if cascade.vote_weight is not None:
        variants["dense phase for 64 trees"] = with_share(0.0)
    timings = measure(variants, repetitions=repetitions, baseline="window by window")
    return timings, scan_level(features, cascade).n_evaluations


def format_scan_table(title: str, timings: Sequence[Timing], n_evaluations: int) -> str:
    """Lay the timings out as a Markdown table, with nanoseconds a window and tree."""
    width = max(len(timing.name) for timing in timings)
    lines = [
        title,
        "",
        f"| {'variant':<{width}} | median ms | ns a window-tree | 10 % ns | times as fast |",
        f"| {'-' * width} | --------: | ---------------: | ------: | ------------: |",
    ]
    for timing in timings:
        each, fast = (1e6 * ms / n_evaluations for ms in (timing.median_ms, timing.fast_ms))
        columns = f"{timing.median_ms:9.2f} | {each:16.1f} | {fast:7.1f} | {1 / timing.ratio:13.2f}"
        lines.append(f"| {timing.name:<{width}} | {columns} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=20, help="rounds, every variant once in each")
    parser.add_argument("--size", default="160x120", help="WIDTHxHEIGHT of the level in cells")
    parser.add_argument("--trees", type=int, default=512, help="trees of the cascades")
    arguments = parser.parse_args(argv)
    width, height = (int(side) for side in arguments.size.split("x"))
    sizes = {"height": height, "width": width, "n_trees": arguments.trees}
    for case in (
        random_case("5 views, depth 6, 8 bits", depth=6, n_classes=6, **sizes),
        random_case("5 views, depth 7, float32", depth=7, n_classes=6, dtype=np.float32, **sizes),
        random_case("20 views, any costs, depth 8, 8 bits", depth=8, n_classes=21, **sizes),
    ):
        timings, n_evaluations = scan_benchmark(case, repetitions=arguments.repetitions)
        print(
            format_scan_table(f"Scan, {case.title}, {width}x{height} cells", timings, n_evaluations),
            end="\n\n",
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
