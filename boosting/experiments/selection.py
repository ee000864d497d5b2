"""Which methods and data sets of each suite are meant by the names that a user gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from .manifest import ManifestEntry
from .suite import Suite
from .table import ExperimentError


def select_methods(suites: Sequence[Suite], wanted: Sequence[str] | None) -> dict[str, tuple[str, ...]]:
    """The methods of each suite, in the suite's order.

    Parameters
    ----------
    suites : sequence of Suite
    wanted : sequence of str, optional
        Names, or their parts in order where a name with commas was cut at them. A suite runs those that it has;
        None is all.

    Returns
    -------
    dict of suite name to tuple of str
        Without the suites that have none of them.

    Raises
    ------
    ExperimentError
        If no suite has one of the names.
    """
    if wanted is None:
        return {suite.name: suite.methods for suite in suites}
    known = {method for suite in suites for method in suite.methods}
    names = _rejoined(wanted, known)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ExperimentError(_unknown_method(unknown[0], suites))
    chosen = {suite.name: tuple(method for method in suite.methods if method in names) for suite in suites}
    return {name: methods for name, methods in chosen.items() if methods}


def _rejoined(parts: Sequence[str], known: set[str]) -> list[str]:
    """Names of which some have commas, from what is between commas: the longest known one from each place on."""
    names, start = [], 0
    while start < len(parts):
        ends = range(len(parts), start, -1)
        end = next((end for end in ends if ", ".join(parts[start:end]) in known), start + 1)
        names.append(", ".join(parts[start:end]))
        start = end
    return names


def _unknown_method(name: str, suites: Sequence[Suite]) -> str:
    from .catalog import SUITES

    owners = [suite.name for suite in SUITES.values() if name in suite.methods]
    if owners:
        asked = ", ".join(suite.name for suite in suites)
        return f"method {name!r} belongs to --suite {' and '.join(owners)}, not to {asked}"
    known = [method for suite in suites for method in suite.methods]
    near = get_close_matches(name, known, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    listed = "".join(f"\n  {suite.name}: {' | '.join(suite.methods)}" for suite in suites)
    return f"method {name!r} is not known{hint}, choose from{listed}"


def select_datasets(
    suites: Sequence[Suite], entries: Mapping[str, ManifestEntry], wanted: Sequence[str] | None, *, more: bool
) -> dict[str, tuple[str, ...]]:
    """The data sets of each suite.

    Parameters
    ----------
    suites : sequence of Suite
        A single suite takes any data set of the manifest; several take of the wanted ones those that are theirs.
    entries : mapping of str to ManifestEntry
        The manifest.
    wanted : sequence of str, optional
        Names; None is all of the suite.
    more : bool
        Are data sets that the paper does not have also of the suite?

    Returns
    -------
    dict of suite name to tuple of str
        Without the suites that have none of the wanted ones.

    Raises
    ------
    ExperimentError
        If no suite takes one of the names.
    """
    own = {suite.name: suite.datasets(entries, more) for suite in suites}
    if wanted is None:
        return own
    names = tuple(dict.fromkeys(wanted))
    if len(suites) == 1:
        (suite,) = suites
        taken = {suite.name: tuple(name for name in names if suite.table_of(name) in entries)}
    else:
        taken = {suite: tuple(name for name in names if name in of_suite) for suite, of_suite in own.items()}
    unknown = [name for name in names if not any(name in of_suite for of_suite in taken.values())]
    if unknown:
        raise ExperimentError(_unknown_dataset(unknown[0], own, entries))
    return {suite: of_suite for suite, of_suite in taken.items() if of_suite}


def _unknown_dataset(
    name: str, own: Mapping[str, Sequence[str]], entries: Mapping[str, ManifestEntry]
) -> str:
    if name in entries:
        return f"data set {name!r} is of none of the suites {', '.join(own)}; one suite alone takes any"
    listed = "".join(f"\n  {suite}: {', '.join(names) or 'none'}" for suite, names in own.items())
    return (
        f"data set {name!r} is not known, choose from those of the suite{listed}\n"
        "or give a table of your own with --csv FILE --target COLUMN"
    )
