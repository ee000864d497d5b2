"""What the comparison of methods supports of the BAdaCost paper's claims, said in words from the numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from badacost.scripts.detection_experiment_results import (
    BADACOST,
    MAIN_SCORE,
    SAMME,
    Result,
    Study,
    mean_and_range,
    score_by_seed,
)

LARGEST_SHARE = 1 / 3  # of SubCat's nodes and time, for BAdaCost
# Scores that BAdaCost must have more of than SAMME.
ABOVE_SAMME = {"faces": ("AP",), "cars": ("AP40 moderate", "AOS40 moderate")}
STANDARD_ERROR = "standard error"


def verdict(study: Study) -> list[str]:
    """Judge each claim: order of the methods, nodes and time of a scan; a sentence or two each."""
    methods = study.of_suite("methods")
    rivals = [name for name in methods if name != BADACOST]
    if BADACOST not in methods or not rivals:
        missing = "BAdaCost" if BADACOST not in methods else "rival of BAdaCost"
        return [f"Nothing can be said: no {missing} is finished."]
    sentences: list[str] = []
    for rival in rivals:
        sentences += _order(study, methods, rival)
    if study.objects == "cars" and SAMME in methods:
        sentences += _opposite_views(study, methods)
    for rival in rivals:
        if rival != SAMME:
            sentences += _price(study, methods, rival)
    return sentences


def _order(study: Study, methods: Mapping[str, Sequence[Result]], rival: str) -> Iterator[str]:
    """Whether BAdaCost's scores are above SAMME's, and not below SubCat's."""
    above = rival == SAMME
    for score in ABOVE_SAMME[study.objects] if above else (MAIN_SCORE[study.objects],):
        ours, theirs = score_by_seed(methods[BADACOST], score), score_by_seed(methods[rival], score)
        seeds = sorted(ours.keys() & theirs.keys())
        claim = f"{score} of BAdaCost {'above' if above else 'at least'} that of {rival}"
        if not seeds:
            yield f"**{claim}: not known**, no seed is finished with both."
            continue
        gains = [ours[seed] - theirs[seed] for seed in seeds]
        holding = sum(gain > 0 if above else gain >= 0 for gain in gains)
        mean = statistics.fmean(gains)
        holds = mean > 0 if above else mean >= 0
        word = "holds" if holds else "does not hold"
        yield (
            f"**{claim}: {word}** {_of_seeds(holds, holding, len(seeds))}: "
            f"{'means ' if len(seeds) > 1 else ''}{mean_and_range([ours[seed] for seed in seeds])} against "
            f"{mean_and_range([theirs[seed] for seed in seeds])}, "
            f"difference {mean_and_range(gains)}.{_chance(methods, gains)}"
        )


def _of_seeds(holds: bool, holding: int, count: int) -> str:
    if count == 1:
        return "with one seed, so that training's chance is not known"
    if holding == count:
        return f"with each of {count} seeds"
    if holding == 0:
        return f"with any of {count} seeds"
    return f"on average, {'but only ' if holds else 'though it does '}with {holding} of {count} seeds"


def _chance(methods: Mapping[str, Sequence[Result]], gains: Sequence[float]) -> str:
    """How the difference compares with the chance of the test images, where it is known."""
    errors = list(score_by_seed(methods[BADACOST], STANDARD_ERROR).values())
    if not errors:
        return ""
    error = statistics.fmean(errors)
    smaller = abs(statistics.fmean(gains)) < error
    return (
        f" One AP has a standard error of {error:.1f} from the choice of test images; "
        f"the difference is {'smaller' if smaller else 'larger'}."
    )


def _opposite_views(study: Study, methods: Mapping[str, Sequence[Result]]) -> Iterator[str]:
    """Whether costs make the opposite view rarer, which costs most."""
    ours, theirs = study.view_shares(methods[BADACOST]), study.view_shares(methods[SAMME])
    if ours is None or theirs is None or not (ours.found and theirs.found):
        return
    shares = [of_method.opposite() for of_method in (ours, theirs)]
    # Of two independent shares, as if every car were another one.
    error = math.sqrt(
        sum(share * (100 - share) / of.found for share, of in zip(shares, (ours, theirs), strict=True))
    )
    yield (
        f"**Opposite view, or beside it, rarer with BAdaCost than with SAMME: "
        f"{'holds' if shares[0] < shares[1] else 'does not hold'}**: {shares[0]:.1f} % of {ours.found} found cars "
        f"against {shares[1]:.1f} % of {theirs.found}; the difference has a standard error of about {error:.1f}."
    )


def _price(study: Study, methods: Mapping[str, Sequence[Result]], rival: str) -> Iterator[str]:
    """Whether BAdaCost takes at most a third of SubCat's nodes and time, at no smaller AP."""
    ours, theirs = study.scan_cost(methods[BADACOST]), study.scan_cost(methods[rival])
    if ours is None or theirs is None or study.scan_costs is None:
        yield (
            f"**Nodes and time of BAdaCost at most a third of those of {rival}: not known**, "
            f"their scans have not been measured together."
        )
        return
    score, seed = MAIN_SCORE[study.objects], study.scan_costs.seed
    # Scans are measured of one seed's models: the scores beside them are of these too, those of the order are means.
    several = len({result.experiment.seed for name in (BADACOST, rival) for result in methods[name]}) > 1
    ap, other_ap = (score_by_seed(methods[name], score).get(seed) for name in (BADACOST, rival))
    condition = ""
    if ap is not None and other_ap is not None:
        comparison = "no smaller" if ap >= other_ap else "smaller"
        condition = f", at {comparison} {score} ({ap:.1f} against {other_ap:.1f})"
    share = ours.nodes_per_window / theirs.nodes_per_window
    yield (
        f"**Nodes a window of BAdaCost at most a third of those of {rival}: {_kept(share)}**: "
        f"{ours.nodes_per_window:.1f} against {theirs.nodes_per_window:.1f} measured, "
        f"{share:.2f} of them{condition}"
        f"{f'; all of the models of seed {seed}, no means over the seeds' if several else ''}."
    )
    ratios = [mine / other for mine, other in zip(ours.seconds, theirs.seconds, strict=True) if other > 0]
    share = statistics.median(ratios)
    yield (
        f"**CPU time an image of BAdaCost at most a third of that of {rival}: {_kept(share)}**: "
        f"{ours.seconds_per_image:.3f} against {theirs.seconds_per_image:.3f} seconds, {share:.2f} of it "
        f"({f'models of seed {seed}; ' if several else ''}medians over {len(ratios)} images; both include the "
        f"features, which take {ours.feature_seconds_per_image:.3f} seconds; "
        f"{_rest(ours.scan_seconds, theirs.scan_seconds)})."
    )


def _kept(share: float) -> str:
    return "holds" if share <= LARGEST_SHARE else "does not hold"


def _rest(ours: float, theirs: float) -> str:
    rest = f"without them {ours:.3f} against {theirs:.3f} seconds"
    return f"{rest}, {ours / theirs:.2f} of it" if theirs > 0 else rest
