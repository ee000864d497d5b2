"""Which detectors an experiment trains: the comparison of methods and the sweeps of the BAdaCost paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from badacost.training.options import TrainingOptions

Objects = Literal["faces", "cars"]
Budget = Literal["reduced", "full"]
SUITES = ("methods", "negatives", "depth", "trees", "costs")
# Preset of a method, behind the name of the objects.
METHODS = {"BAdaCost": "", "SAMME": "_samme", "SubCat": "_subcat", "SubCat-equal-nodes": "_subcat"}
EQUAL_NODES = "SubCat-equal-nodes"
# Methods that tables call otherwise than the command does.
TITLES = {EQUAL_NODES: "SubCat, equal nodes"}
N_VIEWS = {"faces": 5, "cars": 20}

# One object class in less than two hours on two quiet cores; the same for every method.
REDUCED = (
    "boosting.rounds=[32,128]",
    "mining.per_round=2500",
    "mining.accumulated=5000",
    "mining.start_scale=1.0",
    "jitter.copies=0",
)
# Of the cascades for all views: deeper trees learn so few cars by heart. Chosen on training drives that were held out.
REDUCED_OF_ONE_CASCADE = {"faces": (), "cars": ("boosting.tree.max_depth=5",)}
# Values of each sweep: option, values of the full protocol (the paper's), of the reduced one.
ACCUMULATED = {
    "faces": ((20_000, 30_000, 40_000, 50_000), (2_500, 5_000, 7_500)),
    "cars": ((20_000, 30_000, 40_000), (2_500, 5_000, 7_500)),
}
LEVELS = {"faces": ((5, 6, 7, 8), (4, 5, 6)), "cars": ((7, 8, 9, 10), (5, 7, 9))}
TREES = {"faces": ((256, 512, 1024), (32, 64, 128)), "cars": ((256, 512, 1024), (32, 64, 128))}
MISSED = {
    "faces": ((1.0, 1.5, 2.0, 2.5), (1.0, 1.5, 2.5)),
    "cars": ((1.0, 2.0, 3.0, 4.0, 5.0), (1.0, 3.0, 5.0)),
}

# Rough costs in seconds of one core, for the estimate, as measured in trainings: reading an image and computing the
# features of a window; searching an image of 0.5 megapixels for negatives and for objects, and there also for each
# detector; a sample's value of a feature at a level of a tree; a bin of the histogram of a node and a feature, which
# there is one of for each class.
SECONDS_A_READING, SECONDS_A_WINDOW = 0.01, 0.006
SECONDS_A_MINED_IMAGE, SECONDS_A_TEST_IMAGE, SECONDS_A_SCAN = 0.04, 0.16, 0.03
SECONDS_A_VALUE, SECONDS_A_BIN, BINS = 8e-10, 2e-9, 256


@dataclass(frozen=True)
class Experiment:
    """One detector to train and evaluate.

    Parameters
    ----------
    suite : str
        Of `SUITES`.
    method : str
        Of `METHODS`.
    preset : str
    variant : str
        What distinguishes it within its suite, for tables.
    settings : tuple of str
        Options that differ from the preset, as ``key=value``.
    seed : int
    """

    suite: str
    method: str
    preset: str
    variant: str
    settings: tuple[str, ...]
    seed: int

    @property
    def name(self) -> str:
        """Name of its files; experiments of several suites that come to the same options share it."""
        import hashlib

        from badacost.training.options_file import dump_options

        digest = hashlib.sha256(dump_options(self.options()).encode()).hexdigest()[:8]
        return f"{self.preset}-seed{self.seed}-{digest}"

    def options(self) -> TrainingOptions:
        """The resolved training options."""
        from badacost.training.options_file import load_options

        return load_options(self.preset, None, [*self.settings, f"seed={self.seed}"])


def plan(
    objects: Objects,
    suites: Sequence[str],
    *,
    budget: Budget,
    seeds: Sequence[int],
    methods: Sequence[str] = tuple(METHODS),
    settings: Sequence[str] = (),
    n_views: int | None = None,
) -> list[Experiment]:
    """List the experiments of some suites.

    Parameters
    ----------
    objects : {"faces", "cars"}
    suites : sequence of str
    budget : {"reduced", "full"}
        The same reduced numbers of trees and negatives for every method, or the presets' (the paper's protocol).
    seeds : sequence of int
        Every detector is trained with each.
    methods : sequence of str
        Of the suite "methods".
    settings : sequence of str
        Further options of all detectors, as ``key=value``; they win over the budget's.
    n_views : int, optional
        That SubCat has detectors for; None is the number of the paper, `N_VIEWS`.
    """
    is_reduced = budget == "reduced"
    common = (*(REDUCED if is_reduced else ()), *settings)
    of_one_cascade = (*(REDUCED_OF_ONE_CASCADE[objects] if is_reduced else ()), *common)
    column = 1 if is_reduced else 0
    planned: list[Experiment] = []

    def add(suite: str, method: str, variant: str, *changes: str) -> None:
        preset = f"{objects}{METHODS[method]}"
        chosen = (*(common if METHODS[method] == "_subcat" else of_one_cascade), *changes)
        planned.extend(Experiment(suite, method, preset, variant, chosen, seed) for seed in seeds)

    for suite in suites:
        if suite == "methods":
            for method in methods:
                changes = (
                    (_equal_nodes(objects, of_one_cascade, common, n_views or N_VIEWS[objects]),)
                    if method == EQUAL_NODES
                    else ()
                )
                add(suite, method, TITLES.get(method, method), *changes)
        elif suite == "negatives":
            for count in ACCUMULATED[objects][column]:
                add(suite, "BAdaCost", f"{count}", f"mining.accumulated={count}")
        elif suite == "depth":
            for levels in LEVELS[objects][column]:
                add(suite, "BAdaCost", f"{levels}", f"boosting.tree.max_depth={levels}")
        elif suite == "trees":
            for trees in TREES[objects][column]:
                add(suite, "BAdaCost", f"{trees}", f"boosting.rounds={_rounds_up_to(trees, objects, common)}")
        elif suite == "costs":
            for missed in MISSED[objects][column]:
                add(suite, "BAdaCost", f"{missed:g}", f"costs.missed={missed}")
        else:
            raise ValueError(f"suite must be one of {', '.join(SUITES)}, found {suite!r}")
    return planned


def estimated_hours(
    options: TrainingOptions,
    *,
    n_objects: int,
    n_images: int,
    n_views: int,
    n_test_images: int,
    test_scale: float = 1.0,
    cores: int = 2,
) -> float:
    """Estimate roughly how long training and evaluating a detector takes on quiet cores.

    Negatives are ever harder to find: the first round's are random windows, as many an image as it may give, and
    every round takes about that many images more.

    Parameters
    ----------
    options : TrainingOptions
    n_objects, n_images : int
        Objects with a view, and all images that negatives are looked for in.
    n_views, n_test_images : int
    test_scale : float
        That test images are enlarged by, for objects smaller than the model.
    cores : int
    """
    mining, tree = options.mining, options.boosting.tree
    detectors, classes = (n_views, 2) if options.detectors == "one_a_view" else (1, n_views + 1)
    windows = n_objects * (2 if options.mirror else 1) * (options.jitter.copies + 1)
    rows, columns = options.window.cells(options.channels.shrink * (2 if options.filters.count else 1))
    features = tree.n_drawn(options.channels.n_channels * max(1, options.filters.count) * rows * columns)
    seconds = n_images * SECONDS_A_READING + windows * SECONDS_A_WINDOW
    seconds += n_test_images * test_scale**2 * (SECONDS_A_TEST_IMAGE + SECONDS_A_SCAN * detectors)
    for number, trees in enumerate(options.boosting.rounds, start=1):
        samples = windows / detectors + min(mining.accumulated, number * mining.per_round)
        # Deep trees soon have too few samples to split: measured, about as many nodes as the root of these.
        nodes = min(2**tree.max_depth - 1, math.sqrt(samples))
        of_a_tree = samples * tree.max_depth * SECONDS_A_VALUE + nodes * classes * BINS * SECONDS_A_BIN
        searched = min(n_images, number * mining.per_round / mining.per_image)
        of_mining = searched * SECONDS_A_MINED_IMAGE * max(1.0, mining.start_scale) ** 2
        seconds += detectors * (trees * features * of_a_tree + of_mining)
    return seconds / cores / 3600


def _equal_nodes(
    objects: Objects, settings_of_one: Sequence[str], settings: Sequence[str], n_views: int
) -> str:
    """SubCat's rounds with which all its detectors have the split nodes of BAdaCost's one, at least a tree each."""
    from badacost.training.options_file import load_options

    one = load_options(objects, None, settings_of_one).boosting
    each = load_options(f"{objects}{METHODS[EQUAL_NODES]}", None, settings).boosting
    trees = max(1, one.rounds[-1] * one.tree.max_depth // (n_views * each.tree.max_depth))
    rounds = [max(1, count * trees // each.rounds[-1]) for count in each.rounds]
    return f"boosting.rounds={rounds}".replace(" ", "")


def _rounds_up_to(trees: int, objects: Objects, settings: Sequence[str]) -> str:
    """Rounds that have fewer trees, and a last one of so many."""
    from badacost.training.options_file import load_options

    rounds = load_options(objects, None, settings).boosting.rounds
    return str([count for count in rounds[:-1] if count < trees] + [trees]).replace(" ", "")
