"""Are the data of the detection experiments there? Asked before anything is trained."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from badacost.scripts.detection_experiment_plan import Objects
    from badacost.scripts.detection_experiment_scoring import EvaluationData
    from badacost.training.options import TrainingOptions
    from badacost.training.training_set import TrainingSet


def wrong_flags(arguments: argparse.Namespace) -> str | None:
    """What is wrong with the flags as they were typed, whatever the data are; None if nothing."""
    if arguments.threads < 0:
        return f"--threads must be 0 (all cores) or more, found {arguments.threads}"
    if arguments.jobs < -1 or arguments.jobs == 0:
        return f"--jobs must be positive, or -1 for all cores, found {arguments.jobs}"
    if arguments.scheduler is not None and arguments.backend != "dask":
        return "--scheduler needs --backend dask"
    if arguments.min_size is not None and not 0 < arguments.min_size < float("inf"):
        return f"--min-size must be positive and finite, found {arguments.min_size}"
    seeds = arguments.seeds
    if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0:
        return f"--seeds must be different numbers from 0 on, found {','.join(map(str, seeds)) or 'none'}"
    if not arguments.methods:
        return "--methods must be at least one name, found none"
    of_faces = arguments.dataset != "kitti"
    if arguments.views is not None and (of_faces or not arguments.views.isdecimal()):
        return f"--views must be a number of bins around cars, found {arguments.views}"
    for flag, given in (("--scale-csv", arguments.scale_csv), ("--views-from", arguments.views_from)):
        if given is not None and not of_faces:
            return f"{flag} is of faces, not of --dataset kitti"
    if arguments.test_split is not None and of_faces:
        return "--test-split is of --dataset kitti: faces are tested on all images of --ground-truth"
    return None


def check_paths(arguments: argparse.Namespace) -> None:
    """Refuse a path that is not what its flag expects.

    Raises
    ------
    ValueError
        Naming the flag, the path and what was expected there.
    """
    expected = {
        "--data": (arguments.data, "file or folder"),
        "--negatives": (arguments.negatives, "file or folder"),
        "--split": (arguments.split, "file"),
        "--ground-truth": (arguments.ground_truth, "folder" if arguments.objects == "cars" else "file"),
        "--test-images": (arguments.test_images, "folder"),
        "--test-split": (arguments.test_split, "file"),
        "--scale-csv": (arguments.scale_csv, "file"),
        "--views-from": (arguments.views_from, "file"),
    }
    for flag, (path, kind) in expected.items():
        if path is not None:
            _check_path(flag, path, kind)


def _check_path(flag: str, path: Path, kind: str) -> None:
    if not path.exists():
        raise ValueError(f"{flag} {path}: no such {kind}")
    if kind == "file" and path.is_dir():
        raise ValueError(f"{flag} {path}: expected a file, found a folder")
    if kind == "folder" and not path.is_dir():
        raise ValueError(f"{flag} {path}: expected a folder, found a file")


def check_views(images: TrainingSet, options: Sequence[TrainingOptions], data: Path) -> None:
    """Refuse objects that leave a view without any, if a detector a view is to be trained.

    Raises
    ------
    ValueError
        Naming the views.
    """
    for option in options:
        missing = images.views_without_objects(mirror=option.mirror)
        if option.detectors == "one_a_view" and missing:
            raise ValueError(
                f"--data {data}: no object of the views {', '.join(missing)}, expected some of every view, "
                "since SubCat has a detector a view"
            )


def names_of_test_images(objects: Objects, data: EvaluationData) -> list[str]:
    """Read the ground truth and find all images of it, so that neither fails after hours of training.

    Raises
    ------
    ValueError
        Naming what cannot be read or is missing.
    """
    from badacost.scripts.detection_experiment_scoring import image_files, read_cars, read_faces

    names = read_cars(data)[0] if objects == "cars" else [image.name for image in read_faces(data)]
    return list(image_files(data.images, names))
