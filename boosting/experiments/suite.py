"""What suites of experiments, their protocols and their fits are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .manifest import ManifestEntry
from .resampling import Resampling
from .table import Table

if TYPE_CHECKING:
    from .report import Report
    from .results import Results

Values = Mapping[str, float | str]


@dataclass(frozen=True, kw_only=True)
class DataSource:
    """Where the table of a fit comes from: the folder of data sets, or a csv of the user's.

    Parameters
    ----------
    name : str
        Of the data set, as the suite calls it.
    folder : Path, optional
        With a manifest.
    csv : Path, optional
        The user's file; then `target` is its column of labels, and `cost_fn`, `cost_fp` are columns or numbers.
    csv_digest : str
        Of the file's content: results of another file of that name are others.
    """

    name: str
    folder: Path | None = None
    csv: Path | None = None
    csv_digest: str = ""
    target: str = ""
    cost_fn: str | None = None
    cost_fp: str | None = None

    @property
    def question(self) -> tuple[str, ...]:
        """What tells the user's table from others of that name; nothing for a data set of the folder."""
        if self.csv is None:
            return ()
        costs = {"cost_fn": self.cost_fn, "cost_fp": self.cost_fp}
        given = (f"{name} {value}" for name, value in costs.items() if value is not None)
        return (f"file {self.csv_digest}", f"target {self.target}", *given)


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """How much is done.

    Parameters
    ----------
    resampling : Resampling
    exceptions : mapping of str to Resampling
        Data sets that are resampled otherwise.
    settings : mapping
        Other sizes of the suite, such as the number of rounds; results with other settings are told apart.
    """

    resampling: Resampling
    exceptions: Mapping[str, Resampling] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def resampling_of(self, dataset: str) -> Resampling:
        """The resampling of a data set."""
        return self.exceptions.get(dataset, self.resampling)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fit:
    """What a suite's `evaluate` is given.

    Parameters
    ----------
    method : str
    train, test : Table
        Without missing values.
    table : Table
        All rows, as loaded.
    source : DataSource
    settings : mapping
        Of the protocol.
    seed : int
        Differs from fit to fit.
    run_seed : int
        Of the whole run.
    """

    method: str
    train: Table
    test: Table
    table: Table
    source: DataSource
    settings: Mapping[str, Any]
    seed: int
    run_seed: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Suite:
    """The experiments of one paper.

    Parameters
    ----------
    name, title : str
    description : str
        What is compared and how, in sentences for the report.
    datasets : callable
        Maps the manifest to the names of the suite's data sets; the second argument asks for more than the
        paper's.
    prepare : callable
        Turns the table of the manifest entry (or of the user) into the task of that name.
    table_of : callable
        Maps a name of the suite to the name in the manifest.
    methods : tuple of str
    metrics : tuple of str
        The values that `evaluate` returns for every fit.
    evaluate : callable
        Fits and scores.
    default, full : Protocol
        With reduced repeats, and as in the paper.
    report : callable
        Makes tables and figures of the results.
    least_class_trained : int
        Records of each class that `evaluate` needs for training.
    """

    name: str
    title: str
    description: str
    datasets: Callable[[Mapping[str, ManifestEntry], bool], tuple[str, ...]]
    prepare: Callable[[Table, str, ManifestEntry | None, int], Table]
    table_of: Callable[[str], str] = field(default=str)
    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    evaluate: Callable[[Fit], Values]
    default: Protocol
    full: Protocol
    report: Callable[[Results, Protocol], Report]
    least_class_trained: int = 1


@dataclass(frozen=True, kw_only=True)
class FitJob:
    """One fit, small enough to be sent to another process or machine.

    Parameters
    ----------
    suite : str
    source : DataSource
    method : str
    repeat, fold : int
        From 0.
    resampling : Resampling
    settings : tuple of (str, value)
    seed : int
        Of the whole run.
    """

    suite: str
    source: DataSource
    method: str
    repeat: int
    fold: int
    resampling: Resampling
    settings: tuple[tuple[str, Any], ...]
    seed: int

    @property
    def protocol(self) -> str:
        """All that two results of the same key must share beyond it."""
        parts = [self.resampling.label, *(f"{name} {value}" for name, value in self.settings)]
        return "; ".join([*parts, *self.source.question, f"seed {self.seed}"])

    @property
    def key(self) -> tuple[str, str, str, str, int, int]:
        """What tells a fit from all others."""
        return (self.suite, self.protocol, self.source.name, self.method, self.repeat, self.fold)


@dataclass(frozen=True, kw_only=True)
class FitResult:
    """The outcome of a job.

    Parameters
    ----------
    job : FitJob
    values : mapping
        The suite's metrics; empty if the fit failed.
    seconds : float
        Processor time.
    error : str
        What went wrong, or empty.
    """

    job: FitJob
    values: Values
    seconds: float
    error: str = ""


def suite_jobs(
    suite: Suite, sources: Sequence[DataSource], methods: Sequence[str], protocol: Protocol, seed: int
) -> list[FitJob]:
    """All fits of a suite: the first fold of every data set comes first, so that a report can be had early."""
    jobs = [
        FitJob(
            suite=suite.name,
            source=source,
            method=method,
            repeat=repeat,
            fold=fold,
            resampling=protocol.resampling_of(source.name),
            settings=tuple(sorted(protocol.settings.items())),
            seed=seed,
        )
        for source in sources
        for repeat in range(protocol.resampling_of(source.name).repeats)
        for fold in range(protocol.resampling_of(source.name).folds)
        for method in methods
    ]
    return sorted(jobs, key=lambda job: (job.repeat, job.fold))
