"""Train a multi-view detector on annotated images."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from badacost.boosting.multiclass.badacost import BoostingRound
    from badacost.training.datasets.annotated_image import AnnotatedImage
    from badacost.training.options import TrainingOptions
    from badacost.training.parallel_map import Workers
    from badacost.training.training_set import TrainingSet
    from badacost.training.views import ViewSet

DESCRIPTION = """\
Train a detector in rounds of boosting, each on the mistakes of the round before. Every round is a checkpoint in
the run folder: a killed run goes on with --resume, to the same model. The finished model is RUN_FOLDER/model.npz.

examples:
  badacost-train-detector --dataset csv --data faces/train --negatives faces/negatives --output runs/faces
  badacost-train-detector --dataset aflw --data aflw --negatives voc/negatives --set boosting.rounds=[32,128]
"""
DATASETS = ("aflw", "kitti", "voc", "coco", "wider", "csv", "afw", "fddb", "pascal_faces")
PRESETS = ("faces", "cars", "faces_samme", "cars_samme", "faces_subcat", "cars_subcat")
# Classes that the negatives of faces and cars must not show where they are a release of PASCAL VOC.
VOC_CLASSES = {"faces": ("person",), "cars": ("car", "bus")}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 for wrong arguments or unusable input."""
    arguments = _parse(argv)
    level = logging.WARNING if arguments.quiet else logging.DEBUG if arguments.verbose else logging.INFO
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    logging.getLogger("badacost").setLevel(level)

    from badacost.detector.images import ImageError
    from badacost.detector.model_file import ModelError
    from badacost.training.datasets.annotated_image import DatasetError
    from badacost.training.options_file import OptionsError
    from badacost.training.run_folder import RunError

    try:
        _train(arguments)
    except (DatasetError, OptionsError, RunError, ModelError, ImageError, ValueError, OSError) as error:
        print(f"train_detector: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "train_detector: interrupted; --resume continues after the last finished round", file=sys.stderr
        )
        return 1
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="train_detector", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = parser.add_argument_group("data")
    data.add_argument("--dataset", choices=DATASETS, required=True, help="kind of annotation")
    data.add_argument("--data", type=Path, required=True, help="folder of the data set, or the csv file")
    data.add_argument(
        "--negatives", type=Path,
        help="folder of images without objects, searched recursively; of a PASCAL VOC folder, the images without"
        " persons (preset cars: without cars and buses); or a csv file of boxes, outside of which all is background",
    )  # fmt: skip
    data.add_argument("--split", type=Path, metavar="LIST.txt", help="use the images of this list only")
    data.add_argument(
        "--views", metavar="N|NAMES|single",
        help="number of views on a ring (faces: 5, over half a turn), their names, or none told apart; default: 5"
        " for faces, 20 for cars, single where the data set has none",
    )  # fmt: skip
    data.add_argument(
        "--skip-bad", action="store_true",
        help="leave out malformed records and unreadable images, count and report them",
    )  # fmt: skip
    data.add_argument(
        "--hold-out", type=float, default=0.0, metavar="SHARE",
        help="keep this share of the images out of the training; RUN_FOLDER/held_out.txt lists them",
    )  # fmt: skip
    data.add_argument(
        "--hold-out-group", default=r".*", metavar="REGEX",
        help="images whose names match alike are held out together (person: by the names of KDEF and YouTube"
        " Faces files); default: each on its own",
    )  # fmt: skip
    options = parser.add_argument_group("options")
    options.add_argument(
        "--preset",
        choices=PRESETS,
        help="default: the one that suits the data set; samme: equal costs, subcat: a detector a view",
    )
    options.add_argument(
        "--config", type=Path, metavar="FILE.toml", help="options that differ from the preset"
    )
    options.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a single option; repeatable",
    )
    options.add_argument("--seed", type=int, help="default: the preset's")
    running = parser.add_argument_group("running")
    running.add_argument("--output", type=Path, default=Path("runs/detector"), metavar="RUN_FOLDER")
    running.add_argument("--name", default=None, help="name of the model; default: the run folder's")
    running.add_argument("--resume", action="store_true", help="continue the run in the folder, if any")
    running.add_argument("--jobs", type=int, default=-1, help="images at a time; -1 = all cores; default: -1")
    running.add_argument(
        "--threads", type=int, default=0, help="threads of the boosting; 0 = all cores; default: 0"
    )
    running.add_argument(
        "--backend", choices=("loky", "dask"), default="loky", help="who works on the images"
    )
    running.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster; default: one on this machine"
    )
    running.add_argument("--quiet", action="store_true", help="no progress, no report of the rounds")
    running.add_argument("--verbose", action="store_true", help="report more")
    return parser.parse_args(argv)


def _train(arguments: argparse.Namespace) -> None:
    import badacost
    from badacost.training.datasets.catalog import DATASETS as CATALOG
    from badacost.training.options_file import dump_options, load_options
    from badacost.training.parallel_map import Workers
    from badacost.training.run_folder import RunFolder
    from badacost.training.subcategories import train_subcategories
    from badacost.training.trainer import train_detector

    preset = arguments.preset or CATALOG[arguments.dataset].preset
    settings = [*arguments.settings, *([] if arguments.seed is None else [f"seed={arguments.seed}"])]
    options = load_options(preset, arguments.config, settings)
    workers = Workers(jobs=arguments.jobs, backend=arguments.backend, scheduler=arguments.scheduler)
    if arguments.threads < 0:
        raise ValueError(f"--threads must be 0 (all cores) or more, found {arguments.threads}")
    run = RunFolder(arguments.output, dump_options(options), resume=arguments.resume)
    images, held_out = _training_set(arguments, preset, options, workers)
    provenance = {
        "badacost": badacost.__version__,
        "dataset": arguments.dataset,
        "preset": preset,
        "options": dump_options(options),
        "images": len(images.annotated),
        "objects": images.n_objects,
        "negative_images": len(images.negatives),
    }
    if not arguments.quiet:
        print(
            f"{len(images.annotated)} images with {images.n_objects} objects of {len(images.views.names)} views, "
            f"{len(images.negatives)} negative images",
            file=sys.stderr,
        )
    if arguments.hold_out:
        run.save_text("held_out.txt", "".join(f"{image.path}\n" for image in held_out))
        if not arguments.quiet:
            print(f"{len(held_out)} images held out", file=sys.stderr)
    progress = None if arguments.quiet or not sys.stderr.isatty() else _TreeProgress(options)
    train = train_detector if options.detectors == "one" else train_subcategories
    try:
        train(
            images,
            options,
            run,
            workers=workers,
            name=arguments.name or arguments.output.resolve().name,
            provenance=provenance,
            threads=arguments.threads,
            on_tree=progress,
        )
    finally:
        if progress is not None:
            progress.close()
    print(arguments.output / ("model.npz" if options.detectors == "one" else "view_*/model.npz"))


def _training_set(
    arguments: argparse.Namespace, preset: str, options: TrainingOptions, workers: Workers
) -> tuple[TrainingSet, list[AnnotatedImage]]:
    """Read the images, set part of them aside, and say what was left out."""
    from badacost.training.datasets.catalog import DATASETS as CATALOG
    from badacost.training.datasets.catalog import DatasetRequest, read_dataset
    from badacost.training.datasets.negative_images import read_negatives, without_annotated
    from badacost.training.training_set import TrainingSet
    from badacost.training.validation_split import hold_out

    views = _views(arguments, preset, has_views=CATALOG[arguments.dataset].has_views)
    request = DatasetRequest(
        folder=arguments.data, view_names=views.names, split=arguments.split, skip_bad=arguments.skip_bad
    )
    dataset = read_dataset(arguments.dataset, request)
    _report_skipped(dataset.messages, "records")
    negatives: list[AnnotatedImage] = []
    if arguments.negatives is not None:
        classes = VOC_CLASSES[_objects(preset)]
        if arguments.dataset == "voc":
            classes = request.wanted_classes
        found = read_negatives(arguments.negatives, classes, skip_bad=arguments.skip_bad)
        _report_skipped(found.messages, "negatives")
        negatives = without_annotated(found.images, dataset.images)
    annotated, negatives = _readable(dataset.images, negatives, workers, skip_bad=arguments.skip_bad)
    kept, held_out = hold_out(
        annotated, arguments.hold_out, seed=options.seed, group=arguments.hold_out_group
    )
    return TrainingSet(kept, negatives, views), held_out


def _readable(
    annotated: Sequence[AnnotatedImage],
    negatives: Sequence[AnnotatedImage],
    workers: Workers,
    *,
    skip_bad: bool,
) -> tuple[list[AnnotatedImage], list[AnnotatedImage]]:
    """Leave out images that cannot be read, or raise an error that names the first."""
    from badacost.detector.images import ImageError
    from badacost.training.image_check import split_unreadable

    images, problems = split_unreadable([*annotated, *negatives], workers)
    if problems and not skip_bad:
        others = f" (nor {len(problems) - 1} others)" if len(problems) > 1 else ""
        raise ImageError(f"{problems[0]}{others}; --skip-bad leaves such images out")
    _report_skipped(problems, "images")
    paths = {image.path for image in images}
    return [image for image in annotated if image.path in paths], [
        image for image in negatives if image.path in paths
    ]


def _objects(preset: str) -> str:
    """What a preset is for, faces or cars."""
    return preset.partition("_")[0]


def _views(arguments: argparse.Namespace, preset: str, *, has_views: bool) -> ViewSet:
    """Views of a command line: none given, "single", a number on a ring, or names."""
    from badacost.training.views import face_views, named_views, ring_views, single_view

    text, faces = arguments.views, _objects(preset) == "faces"
    if text is None and arguments.dataset in ("voc", "coco"):
        raise ValueError(f"--views is needed for {arguments.dataset}: the names of its classes, or single")
    if text == "single" or (text is None and not has_views):
        return single_view("face" if faces else "car")
    if text is None:
        return face_views() if faces else ring_views(20)
    if text.isdecimal():
        return face_views() if faces and int(text) == len(face_views().names) else ring_views(int(text))
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return face_views() if names == face_views().names else named_views(names)


def _report_skipped(messages: Sequence[str], kind: str) -> None:
    for message in messages:
        print(f"skipped: {message}", file=sys.stderr)
    if messages:
        print(f"{len(messages)} {kind} skipped", file=sys.stderr)


class _TreeProgress:
    """A progress bar a round."""

    def __init__(self, options: TrainingOptions) -> None:
        self._rounds = options.boosting.rounds
        self._bar: Any = None

    def __call__(self, number: int, tree: BoostingRound) -> None:
        from tqdm import tqdm

        if tree.number == 1:
            self.close()
            self._bar = tqdm(
                total=self._rounds[number - 1], desc=f"round {number}", unit="tree", file=sys.stderr
            )
        self._bar.update(1)
        self._bar.set_postfix(loss=f"{tree.loss:.4f}")
        if tree.number == self._rounds[number - 1]:
            self.close()

    def close(self) -> None:
        """End the bar of a round, also of one that stopped early."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


if __name__ == "__main__":
    sys.exit(main())
