"""Run the detection experiments of the BAdaCost paper: BAdaCost, SAMME and SubCat, and the sweeps."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from badacost.scripts.command_name import command_name
from badacost.scripts.detection_experiment_inputs import (
    check_paths,
    check_views,
    names_of_test_images,
    wrong_flags,
)
from badacost.scripts.detection_experiment_plan import METHODS, N_VIEWS, SUITES, estimated_hours, plan
from badacost.scripts.standard_error import reason_of

if TYPE_CHECKING:
    from badacost.detector.subcategory_detector import SubcategoryDetector
    from badacost.scripts.detection_experiment_folder import StudyFolder
    from badacost.scripts.detection_experiment_plan import Experiment
    from badacost.scripts.detection_experiment_scoring import EvaluationData, Outcome
    from badacost.training.options import TrainingOptions

DESCRIPTION = """\
Train detectors that differ in one thing, evaluate them on the same images, and report tables and figures like those
of the BAdaCost paper. Every detector is a run folder OUTPUT/models/NAME with checkpoints, every evaluation a file
OUTPUT/outcomes/NAME.json: a killed run goes on with the same command and repeats nothing. At last the methods scan
all test images once more, taking turns, for times that can be compared.

suites:
  methods    BAdaCost, SAMME (equal costs) and SubCat (a detector a view) on the same features, data and rounds, and
             SubCat with as many split nodes in all its detectors together as BAdaCost has
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

INTERRUPTED = 130  # exit code


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 if a detector failed, 2 for wrong arguments or bad input, 130 if interrupted."""
    arguments = _parse(argv)
    from badacost.detector.atomic_write import make_writable_folder
    from badacost.scripts.detection_experiment_folder import StudyFolder
    from badacost.scripts.detection_experiment_report import write_report

    try:
        experiments = plan(
            arguments.objects,
            arguments.suites,
            budget=arguments.budget,
            seeds=arguments.seeds,
            methods=arguments.methods,
            settings=arguments.settings,
            n_views=arguments.n_views,
        )
        folder = StudyFolder(arguments.output, arguments.objects)
        failed: list[str] = []
        if not arguments.report_only:
            check_paths(arguments)
            _announce(arguments, folder, experiments)
            if arguments.estimate_only:
                return 0
            for written in (arguments.output, arguments.report or arguments.output):
                make_writable_folder(written)
            failed = _run(arguments, folder, experiments)
            _compare(arguments, folder, experiments)
        study = folder.study(experiments)
        if arguments.report_only and not study.results:
            raise ValueError(
                f"--report-only: nothing is finished in the folder {arguments.output}, of the suite, methods, budget, "
                "seeds and settings asked for"
            )
        print(write_report(study, arguments.report or arguments.output))
        return 1 if failed else 0
    except ValueError as error:
        print(f"{command_name('run_detection_experiments')}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{command_name('run_detection_experiments')}: {reason_of(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"{command_name('run_detection_experiments')}: interrupted; the same command goes on where it ended",
            file=sys.stderr,
        )
        return INTERRUPTED


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
        "--methods",
        type=_names,
        default=tuple(METHODS),
        metavar="A,B",
        help=f"of {', '.join(METHODS)}; default: all",
    )
    protocol.add_argument("--seeds", type=_numbers, default=(0,), metavar="0,1", help="default: 0")
    protocol.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE",
        help="a training option of all detectors; repeatable",
    )  # fmt: skip
    running = parser.add_argument_group("running")
    running.add_argument("--output", type=Path, default=Path("runs/detection_experiments"), metavar="DIR")
    running.add_argument("--report", type=Path, metavar="DIR", help="folder of the report; default: OUTPUT")
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
    wrong = wrong_flags(arguments)
    if wrong:
        parser.error(wrong)
    arguments.methods = tuple(dict.fromkeys(arguments.methods))
    arguments.objects = "cars" if arguments.dataset == "kitti" else "faces"
    arguments.n_views = None if arguments.views is None else int(arguments.views)
    arguments.suites = SUITES if arguments.suite == "all" else (arguments.suite,)
    return arguments


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(name) for name in _names(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected whole numbers such as 0,1, found {text!r}") from None


def _announce(arguments: argparse.Namespace, folder: StudyFolder, experiments: Sequence[Experiment]) -> None:
    """Read all data, refuse what would fail later, and say what is to be done and how long that and all of it take."""
    from badacost.training.datasets.catalog import DatasetRequest, read_dataset
    from badacost.training.datasets.negative_images import read_negatives
    from badacost.training.training_set import TrainingSet
    from badacost.training.views import face_views, ring_views

    views = face_views() if arguments.objects == "faces" else ring_views(arguments.n_views or N_VIEWS["cars"])
    request = DatasetRequest(folder=arguments.data, view_names=views.names, split=arguments.split)
    images = read_dataset(arguments.dataset, request).images
    n_objects = sum(not box.ignore for image in images for box in image.boxes)
    n_negatives = 0 if arguments.negatives is None else len(read_negatives(arguments.negatives).images)
    sizes = {"n_objects": n_objects, "n_images": len(images) + n_negatives, "n_views": len(views.names)}
    sizes["n_test_images"] = len(names_of_test_images(arguments.objects, _test_data(arguments)))
    check_views(TrainingSet(images, (), views), [item.options() for item in experiments], arguments.data)
    full = plan(
        arguments.objects,
        arguments.suites,
        budget="full",
        seeds=arguments.seeds,
        methods=arguments.methods,
        n_views=arguments.n_views,
    )
    hours, full_hours = (
        sum(
            estimated_hours(options, **sizes, test_scale=_test_scale(arguments, options))
            for options in {item.name: item.options() for item in items}.values()
        )
        for items in (experiments, full)
    )
    done = sum(folder.is_finished(item) for item in experiments)
    print(
        f"{len(experiments)} detectors, {done} of them done; all of them take about {hours:.1f} hours on two quiet "
        f"cores, the full protocol {full_hours:.1f} hours",
        file=sys.stderr,
    )


def _test_scale(arguments: argparse.Namespace, options: TrainingOptions) -> float:
    """What test images are enlarged by; 1 for the model's own size, and for larger objects only."""
    own = options.window.object_height
    return 1.0 if arguments.min_size is None else max(1.0, own / arguments.min_size)


def _run(arguments: argparse.Namespace, folder: StudyFolder, experiments: Sequence[Experiment]) -> list[str]:
    """Train and evaluate what is not done yet; return the names of the detectors that failed."""
    failed = []
    for number, experiment in enumerate(experiments, start=1):
        if folder.is_finished(experiment):
            continue
        if not arguments.quiet:
            print(
                f"{number} of {len(experiments)}: {experiment.suite} {experiment.variant}, seed {experiment.seed}",
                file=sys.stderr,
            )
        exit_code = _train(arguments, folder, experiment)
        if exit_code == INTERRUPTED:
            raise KeyboardInterrupt
        if exit_code != 0:
            print(f"failed: {experiment.name}", file=sys.stderr)
            failed.append(experiment.name)
            continue
        folder.save_outcome(experiment, _evaluate(arguments, folder, experiment))
    return failed


def _train(arguments: argparse.Namespace, folder: StudyFolder, experiment: Experiment) -> int:
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
            *("--output", str(folder.model(experiment)), "--resume"),
            *("--jobs", str(arguments.jobs), "--threads", str(arguments.threads)),
            *("--backend", arguments.backend),
            *(["--verbose"] if arguments.verbose else ["--quiet"] if arguments.quiet else []),
        ]
    )


def _evaluate(arguments: argparse.Namespace, folder: StudyFolder, experiment: Experiment) -> Outcome:
    from badacost.scripts.detection_experiment_scoring import score_cars, score_faces

    detector, data = _detector(arguments, folder, experiment), _test_data(arguments)
    return score_faces(detector, data) if arguments.objects == "faces" else score_cars(detector, data)


def _compare(arguments: argparse.Namespace, folder: StudyFolder, experiments: Sequence[Experiment]) -> None:
    """Measure the scans of one seed's methods together and trace example windows, unless that is done."""
    from badacost.scripts.detection_experiment_scan_costs import ScanCosts, measure_scans
    from badacost.scripts.detection_experiment_scoring import image_files
    from badacost.scripts.detection_experiment_traces import annotated_test_images, example_traces

    compared = folder.methods_of_one_seed(experiments)
    if not compared:
        return
    path, names = folder.scan_costs_file, [item.name for item in compared]
    measured = ScanCosts.load(path)
    is_measured = measured is not None and measured.covers(names)
    untraced = [item for item in compared if not folder.traces_file(item).is_file()]
    if is_measured and not untraced:
        return
    detectors = {item.name: _detector(arguments, folder, item) for item in compared}
    view_names = next(iter(detectors.values())).view_names
    images = annotated_test_images(arguments.objects, _test_data(arguments), view_names)
    files = image_files(arguments.test_images, [image.name for image in images])
    for item in untraced:
        example_traces(detectors[item.name], images, files).save(folder.traces_file(item))
    if not is_measured:
        if not arguments.quiet:
            print(f"measuring the scans of {len(names)} detectors together", file=sys.stderr)
        measure_scans(detectors, list(files.values()), compared[0].seed).save(path)


def _detector(
    arguments: argparse.Namespace, folder: StudyFolder, experiment: Experiment
) -> SubcategoryDetector:
    """Load a trained detector, with the smallest object size of the test."""
    from badacost.scripts.detection_experiment_scoring import load_detector

    detector = load_detector(folder.model(experiment))
    return detector if arguments.min_size is None else detector.with_options(min_size=arguments.min_size)


def _test_data(arguments: argparse.Namespace) -> EvaluationData:
    from badacost.scripts.detection_experiment_scoring import EvaluationData

    return EvaluationData(
        ground_truth=arguments.ground_truth,
        images=arguments.test_images,
        split=arguments.test_split,
        scale_csv=arguments.scale_csv,
        views_from=arguments.views_from,
    )


if __name__ == "__main__":
    sys.exit(main())
