"""Run the detection experiments of the BAdaCost paper: BAdaCost, SAMME and SubCat, and the sweeps."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from badacost.scripts.command_name import command_name
from badacost.scripts.detection_experiment_plan import METHODS, SUITES, estimated_hours, plan

if TYPE_CHECKING:
    from badacost.scripts.detection_experiment_plan import Experiment
    from badacost.scripts.detection_experiment_scoring import Outcome

DESCRIPTION = """\
Train detectors that differ in one thing, evaluate them on the same images, and report tables and figures like those
of the BAdaCost paper. Every detector is a run folder OUTPUT/models/NAME with checkpoints, every evaluation a file
OUTPUT/outcomes/NAME.json: a killed run goes on with the same command and repeats nothing.

suites:
  methods    BAdaCost, SAMME (equal costs) and SubCat (a detector a view) on the same features, data and budget
  negatives  number of accumulated negatives
  depth      split levels of the trees
  trees      trees of the last round
  costs      cost of a missed object

examples:
  badacost-run-detection-experiments --suite methods --dataset csv --data faces/train --negatives faces/negatives \\
      --ground-truth afw/new_annotations_AFW.mat --test-images afw --output runs/faces
  badacost-run-detection-experiments --suite costs --dataset kitti --data kitti/training --split train.txt \\
      --ground-truth kitti/training/label_2 --test-images kitti/training/image_2 --test-split val.txt
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 if a detector failed, 2 for wrong arguments or bad input, 130 if interrupted."""
    arguments = _parse(argv)
    experiments = plan(
        arguments.objects,
        arguments.suites,
        budget=arguments.budget,
        seeds=arguments.seeds,
        methods=arguments.methods,
        settings=arguments.settings,
    )
    try:
        _announce(arguments, experiments)
        if arguments.estimate_only:
            return 0
        failed = [] if arguments.report_only else _run(arguments, experiments)
        return _report(arguments, experiments, failed)
    except (ValueError, OSError) as error:
        print(f"{command_name('run_detection_experiments')}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"{command_name('run_detection_experiments')}: interrupted; the same command goes on where it ended",
            file=sys.stderr,
        )
        return 130


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=command_name("run_detection_experiments"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--suite", choices=(*SUITES, "all"), default="methods", help="default: methods")
    training = parser.add_argument_group("training data, as of badacost-train-detector")
    training.add_argument("--dataset", choices=("csv", "aflw", "kitti"), required=True)
    training.add_argument("--data", type=Path, required=True, metavar="DIR")
    training.add_argument("--negatives", type=Path, metavar="DIR")
    training.add_argument("--split", type=Path, metavar="LIST.txt")
    training.add_argument("--views", metavar="N", help="cars: bins around the car; default: 20")
    test = parser.add_argument_group("test data, as of badacost-evaluate-afw and -kitti")
    test.add_argument("--ground-truth", type=Path, required=True, metavar="PATH")
    test.add_argument("--test-images", type=Path, required=True, metavar="DIR")
    test.add_argument("--test-split", type=Path, metavar="LIST.txt")
    test.add_argument("--scale-csv", type=Path, metavar="FILE")
    test.add_argument("--views-from", type=Path, metavar="FILE")
    test.add_argument(
        "--min-size", type=float, metavar="PX", help="smallest object; default: the model's own"
    )
    protocol = parser.add_argument_group("protocol")
    protocol.add_argument(
        "--budget",
        choices=("reduced", "full"),
        default="reduced",
        help="trees and negatives; default: reduced",
    )
    protocol.add_argument(
        "--methods", type=_names, default=tuple(METHODS), metavar="A,B", help="default: all three"
    )
    protocol.add_argument("--seeds", type=_numbers, default=(0,), metavar="0,1", help="default: 0")
    protocol.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE",
        help="a training option of all detectors; repeatable",
    )  # fmt: skip
    running = parser.add_argument_group("running")
    running.add_argument("--output", type=Path, default=Path("runs/detection_experiments"), metavar="DIR")
    running.add_argument("--estimate-only", action="store_true", help="say how long it would take, and stop")
    running.add_argument("--report-only", action="store_true", help="report what is done already")
    running.add_argument("--jobs", type=int, default=-1, help="images at a time; -1 = all cores; default: -1")
    running.add_argument("--threads", type=int, default=0, help="of the boosting; 0 = all cores; default: 0")
    running.add_argument(
        "--backend", choices=("loky", "dask"), default="loky", help="who works on the images"
    )
    running.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster")
    running.add_argument("--quiet", action="store_true", help="no progress")
    running.add_argument("--verbose", action="store_true", help="report more")
    arguments = parser.parse_args(argv)
    unknown = [name for name in arguments.methods if name not in METHODS]
    if unknown:
        parser.error(f"--methods must be among {', '.join(METHODS)}, found {unknown[0]}")
    if arguments.min_size is not None and not arguments.min_size > 0:
        parser.error(f"--min-size must be positive, found {arguments.min_size}")
    arguments.objects = "cars" if arguments.dataset == "kitti" else "faces"
    arguments.suites = SUITES if arguments.suite == "all" else (arguments.suite,)
    return arguments


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(name) for name in _names(text))


def _announce(arguments: argparse.Namespace, experiments: Sequence[Experiment]) -> None:
    """Say what is to be done, and how long it and the full protocol take."""
    from badacost.training.datasets.catalog import DatasetRequest, read_dataset
    from badacost.training.datasets.negative_images import read_negatives
    from badacost.training.views import face_views, ring_views

    views = face_views() if arguments.objects == "faces" else ring_views(int(arguments.views or 20))
    request = DatasetRequest(folder=arguments.data, view_names=views.names, split=arguments.split)
    images = read_dataset(arguments.dataset, request).images
    n_objects = sum(not box.ignore for image in images for box in image.boxes)
    n_negatives = 0 if arguments.negatives is None else len(read_negatives(arguments.negatives).images)
    sizes = {"n_objects": n_objects, "n_images": len(images) + n_negatives, "n_views": len(views.names)}
    sizes["n_test_images"] = sum(1 for _ in arguments.test_images.iterdir())
    full = plan(
        arguments.objects, arguments.suites, budget="full", seeds=arguments.seeds, methods=arguments.methods
    )
    hours, full_hours = (
        sum(estimated_hours(item.options(), **sizes) for item in {item.name: item for item in items}.values())
        for items in (experiments, full)
    )
    done = sum(_outcome_file(arguments, item).is_file() for item in experiments)
    print(
        f"{len(experiments)} detectors, {done} of them done; all of them take about {hours:.1f} hours on two quiet "
        f"cores, the full protocol {full_hours:.1f} hours",
        file=sys.stderr,
    )


def _run(arguments: argparse.Namespace, experiments: Sequence[Experiment]) -> list[str]:
    """Train and evaluate what is not done yet; return the names of the detectors that failed."""
    failed = []
    for number, experiment in enumerate(experiments, start=1):
        path = _outcome_file(arguments, experiment)
        if path.is_file():
            continue
        if not arguments.quiet:
            print(
                f"{number} of {len(experiments)}: {experiment.suite} {experiment.variant}, seed {experiment.seed}",
                file=sys.stderr,
            )
        if _train(arguments, experiment) != 0:
            failed.append(experiment.name)
            continue
        _save(path, _evaluate(arguments, experiment))
    return failed


def _train(arguments: argparse.Namespace, experiment: Experiment) -> int:
    from badacost.scripts import train_detector

    given = {
        "--negatives": arguments.negatives,
        "--split": arguments.split,
        "--views": arguments.views,
        "--scheduler": arguments.scheduler,
    }
    return train_detector.main(
        [
            *("--dataset", arguments.dataset, "--data", str(arguments.data)),
            *(word for flag, value in given.items() if value is not None for word in (flag, str(value))),
            *("--preset", experiment.preset, "--seed", str(experiment.seed)),
            *(word for setting in experiment.settings for word in ("--set", setting)),
            *("--output", str(_model_folder(arguments, experiment)), "--resume"),
            *("--jobs", str(arguments.jobs), "--threads", str(arguments.threads)),
            *("--backend", arguments.backend),
            *(["--verbose"] if arguments.verbose else ["--quiet"] if arguments.quiet else []),
        ]
    )


def _evaluate(arguments: argparse.Namespace, experiment: Experiment) -> Outcome:
    from badacost.scripts.detection_experiment_scoring import (
        EvaluationData,
        load_detector,
        score_cars,
        score_faces,
    )

    detector = load_detector(_model_folder(arguments, experiment))
    if arguments.min_size is not None:
        detector = detector.with_options(min_size=arguments.min_size)
    data = EvaluationData(
        ground_truth=arguments.ground_truth,
        images=arguments.test_images,
        split=arguments.test_split,
        scale_csv=arguments.scale_csv,
        views_from=arguments.views_from,
    )
    return score_faces(detector, data) if arguments.objects == "faces" else score_cars(detector, data)


def _report(arguments: argparse.Namespace, experiments: Sequence[Experiment], failed: Sequence[str]) -> int:
    from badacost.scripts.detection_experiment_report import Result, write_report
    from badacost.scripts.detection_experiment_scoring import Outcome

    results = [
        Result(item, Outcome(**json.loads(path.read_text(encoding="utf-8"))), _model_folder(arguments, item))
        for item in experiments
        if (path := _outcome_file(arguments, item)).is_file()
    ]
    for name in failed:
        print(f"failed: {name}", file=sys.stderr)
    if results:
        print(write_report(results, arguments.output, arguments.objects))
    return 1 if failed else 0


def _save(path: Path, outcome: Outcome) -> None:
    from badacost.detector.atomic_write import open_atomic

    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic(path) as file:
        json.dump(outcome.as_dict(), file)


def _model_folder(arguments: argparse.Namespace, experiment: Experiment) -> Path:
    return Path(arguments.output) / "models" / experiment.name


def _outcome_file(arguments: argparse.Namespace, experiment: Experiment) -> Path:
    return Path(arguments.output) / "outcomes" / f"{experiment.name}.json"


if __name__ == "__main__":
    sys.exit(main())
