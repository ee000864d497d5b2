"""Train a multi-view detector on annotated images."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from badacost.scripts.command_name import command_name
from badacost.scripts.standard_error import reason_of
from badacost.scripts.training_arguments import (
    check_arguments,
    chosen_views,
    objects_of,
    parse_arguments,
    with_arguments_named,
)

if TYPE_CHECKING:
    from badacost.boosting.multiclass.badacost import BoostingRound
    from badacost.training.datasets.annotated_image import AnnotatedImage
    from badacost.training.options import TrainingOptions
    from badacost.training.parallel_map import Workers
    from badacost.training.training_set import TrainingSet

# Classes that the negatives of faces and cars must not show where they are a release of PASCAL VOC.
VOC_CLASSES = {"faces": ("person",), "cars": ("car", "bus")}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for wrong arguments or unusable input, 130 if interrupted."""
    command = command_name("train_detector")
    arguments = parse_arguments(command, argv)
    level = logging.WARNING if arguments.quiet else logging.DEBUG if arguments.verbose else logging.INFO
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    logging.getLogger("badacost").setLevel(level)

    from badacost.training.options_file import with_keys_named

    try:
        _train(arguments)
    except ValueError as error:
        print(f"{command}: {with_arguments_named(with_keys_named(str(error)))}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{command}: {reason_of(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{command}: interrupted; --resume continues after the last finished round", file=sys.stderr)
        return 130
    return 0


def _train(arguments: argparse.Namespace) -> None:
    import badacost
    from badacost.training.datasets.catalog import DATASETS as CATALOG
    from badacost.training.options_file import dump_options, load_options
    from badacost.training.parallel_map import Workers
    from badacost.training.run_folder import RunFolder
    from badacost.training.subcategories import train_subcategories
    from badacost.training.trainer import train_detector

    check_arguments(arguments)
    preset = arguments.preset or CATALOG[arguments.dataset].preset
    settings = [*arguments.settings, *([] if arguments.seed is None else [f"seed={arguments.seed}"])]
    options = load_options(preset, arguments.config, settings)
    workers = Workers(jobs=arguments.jobs, backend=arguments.backend, scheduler=arguments.scheduler)
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
        if missing := images.views_without_objects(mirror=options.mirror):
            print(
                f"warning: no object of the views {', '.join(missing)}: the detector will not know them",
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

    views, strict_views = chosen_views(arguments, preset, has_views=CATALOG[arguments.dataset].has_views)
    request = DatasetRequest(
        folder=arguments.data,
        view_names=views.names,
        strict_views=strict_views,
        split=arguments.split,
        skip_bad=arguments.skip_bad,
    )
    dataset = read_dataset(arguments.dataset, request)
    _report_skipped(dataset.messages, "records")
    negatives: list[AnnotatedImage] = []
    if arguments.negatives is not None:
        classes = VOC_CLASSES[objects_of(preset)]
        if arguments.dataset == "voc":
            classes = request.wanted_classes
        found = read_negatives(arguments.negatives, classes, skip_bad=arguments.skip_bad)
        _report_skipped(found.messages, "negatives")
        negatives = without_annotated(found.images, dataset.images)
    annotated, negatives = _readable(dataset.images, negatives, workers, skip_bad=arguments.skip_bad)
    kept, held_out = hold_out(
        annotated, arguments.hold_out, seed=options.seed, group=arguments.hold_out_group
    )
    images = TrainingSet(kept, negatives, views)
    if not images.n_objects:
        raise ValueError(
            f"{arguments.data}: holds no object with a view in the {len(kept)} images to train on, "
            "expected at least one"
        )
    return images, held_out


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
