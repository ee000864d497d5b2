"""Arguments of the trainer's command, and what they say about views."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
# What the functions behind the command call what an argument says.
ARGUMENT_OF = {
    "jobs of Workers": "--jobs",
    "backend of Workers": "--backend",
    "share of hold_out": "--hold-out",
    "group of hold_out": "--hold-out-group",
    "count of ring_views": "--views",
}


def parse_arguments(program: str, argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments of a command line."""
    parser = argparse.ArgumentParser(
        prog=program, description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
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
        help="number of views on a ring (faces: 5, over half a turn), their names, or none told apart; required for"
        " voc and coco (names of their classes, or single); default: 5 for faces, 20 for cars, single where the"
        " data set has none",
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
        "--hold-out-group", metavar="REGEX",
        help="images whose names match alike are held out together (person: by the names of KDEF and YouTube"
        " Faces files); default: each on its own",
    )  # fmt: skip
    options = parser.add_argument_group("options")
    options.add_argument(
        "--preset", choices=PRESETS,
        help="default: the one that suits the data set; samme: equal costs, subcat: a detector a view",
    )  # fmt: skip
    options.add_argument(
        "--config", type=Path, metavar="FILE.toml", help="options that differ from the preset"
    )
    options.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE",
        help="a single option; repeatable",
    )  # fmt: skip
    options.add_argument("--seed", type=int, help="default: the preset's")
    running = parser.add_argument_group("running")
    running.add_argument(
        "--output", type=Path, default=Path("runs/detector"), metavar="RUN_FOLDER",
        help="folder of the run's files, made if missing; default: runs/detector",
    )  # fmt: skip
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
    loudness = running.add_mutually_exclusive_group()
    loudness.add_argument("--quiet", action="store_true", help="no progress, no report of the rounds")
    loudness.add_argument("--verbose", action="store_true", help="report more")
    return parser.parse_args(argv)


def check_arguments(arguments: argparse.Namespace) -> None:
    """Raise ValueError for arguments that no data could make right, or that would have no effect."""
    from badacost.training.validation_split import hold_out_pattern

    if arguments.threads < 0:
        raise ValueError(f"--threads must be 0 (all cores) or more, found {arguments.threads}")
    if arguments.seed is not None and arguments.seed < 0:
        raise ValueError(f"--seed must be 0 or more, found {arguments.seed}")
    if arguments.scheduler is not None and arguments.backend != "dask":
        raise ValueError(f"--scheduler needs --backend dask, found {arguments.backend}")
    if arguments.hold_out_group is not None and not arguments.hold_out:
        raise ValueError("--hold-out-group needs --hold-out, a share of the images")
    hold_out_pattern(arguments.hold_out, arguments.hold_out_group)


def with_arguments_named(message: str) -> str:
    """Return a message about a function's parameter as one about the argument that gave it."""
    for parameter, argument in ARGUMENT_OF.items():
        if message.startswith(f"{parameter} "):
            return f"{argument}{message.removeprefix(parameter)}"
    return message


def objects_of(preset: str) -> str:
    """Return what a preset is for, faces or cars."""
    return preset.partition("_")[0]


def chosen_views(arguments: argparse.Namespace, preset: str, *, has_views: bool) -> tuple[ViewSet, bool]:
    """Return the views of a command line, and whether objects of any other view are errors.

    None given, "single", a number on a ring, or names. Views are not read where objects are taken for one.
    """
    from badacost.training.views import face_views, named_views, ring_views, single_view

    text, faces = arguments.views, objects_of(preset) == "faces"
    if text is None and arguments.dataset in ("voc", "coco"):
        raise ValueError(f"--views is needed for {arguments.dataset}: the names of its classes, or single")
    if text == "single" or (text is None and not has_views):
        return single_view("face" if faces else "car"), False
    if text is None:
        return face_views() if faces else ring_views(20), True
    if text.lstrip("+-").isdecimal():
        number = int(text)
        if faces and number == len(face_views().names):
            return face_views(), True
        if faces and (number < 2 or number % 2):
            raise ValueError(f"--views must be 5, or even and at least 2, found {number}")
        return ring_views(number), True
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise ValueError(f"--views must be a number, names or single, found {text!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"--views must be different names, found {text!r}")
    return face_views() if names == face_views().names else named_views(names), True
