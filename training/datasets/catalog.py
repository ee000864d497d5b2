"""The data sets that a detector can be trained on, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from ...detector.images import IMAGE_SUFFIXES
from ..views import ring_views
from .aflw import read_aflw
from .afw import AfwOptions, read_afw
from .annotated_image import AnnotatedBox, AnnotatedImage, Dataset, DatasetError
from .coco import CocoOptions, read_coco
from .csv_reader import read_csv_dataset
from .fddb import read_fddb
from .kitti import KittiOptions, read_kitti
from .locations import read_name_list
from .pascal_faces import read_pascal_faces
from .voc import VocOptions, read_voc, read_voc_list
from .wider import read_wider


@dataclass(frozen=True, kw_only=True)
class DatasetRequest:
    """What is wanted of a data set.

    Parameters
    ----------
    folder : Path
    view_names : tuple of str
        Views to tell apart.
    strict_views : bool
        Whether a single name is a view like any other. If not, it stands for all objects, whatever their views.
    split : Path or None
        List of the images to use, one name a line.
    classes : tuple of str
        Classes to read where a data set has several; empty: the views' names, or all with a single view.
    skip_bad : bool
        Leave out missing images, and malformed rows of a CSV file, and report them, instead of raising.
    """

    folder: Path
    view_names: tuple[str, ...]
    strict_views: bool = False
    split: Path | None = None
    classes: tuple[str, ...] = ()
    skip_bad: bool = False

    def __post_init__(self) -> None:
        if not self.view_names or len(set(self.view_names)) < len(self.view_names):
            raise ValueError(f"view_names of DatasetRequest must be different names, found {self.view_names}")

    @property
    def single_view(self) -> bool:
        """Whether all objects are taken for one view."""
        return len(self.view_names) == 1 and not self.strict_views

    @property
    def wanted_classes(self) -> tuple[str, ...]:
        """The classes to read of a data set whose views are its classes."""
        return self.classes or (() if self.single_view else self.view_names)


@dataclass(frozen=True)
class DatasetSource:
    """A data set of the catalog.

    Parameters
    ----------
    title : str
    preset : {"faces", "cars"}
        Training preset that suits it.
    has_views : bool
        Without views, it can only train a detector of a single view.
    read : callable
        Returns the images of a request as the data set has them.
    """

    title: str
    preset: Literal["faces", "cars"]
    has_views: bool
    read: Callable[[DatasetRequest], Dataset | Iterable[AnnotatedImage]]


def read_dataset(name: str, request: DatasetRequest) -> Dataset:
    """Read a data set of the catalog for training.

    With several views, objects of unknown view are ignored; with a single one, every object is of it (but see
    `DatasetRequest.strict_views`).

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    request : DatasetRequest

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        If the data set has no views but several are wanted, has a view that is not wanted, an image file is
        missing, or for whatever its reader finds malformed.
    ValueError
        If there is no data set of that name.
    """
    if name not in DATASETS:
        raise ValueError(f"name of read_dataset must be one of {', '.join(DATASETS)}, found {name!r}")
    source = DATASETS[name]
    if not (source.has_views or request.single_view):
        raise DatasetError(
            f"{source.title} has no views, expected a single one for all objects, "
            f"found {', '.join(request.view_names)}"
        )
    found = source.read(request)
    dataset = found if isinstance(found, Dataset) else Dataset(tuple(found))
    images, missing = [], []
    for image in dataset.images:
        if image.path.is_file():
            boxes = tuple(_with_wanted_view(box, image.path, request) for box in image.boxes)
            images.append(replace(image, boxes=boxes))
        else:
            missing.append(f"{image.path}: no such image")
    if missing and not (request.skip_bad and images):
        others = f" (nor {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise DatasetError(f"{missing[0]}{others}, expected all of {len(dataset.images)} images")
    messages = (*dataset.messages, *missing)
    return Dataset(tuple(images), dataset.n_skipped + len(missing), messages)


def images_of_split(images: Iterable[AnnotatedImage], split: Path | None) -> list[AnnotatedImage]:
    """Return the images that a list names by the end of their path, with or without suffix; all without list.

    Raises
    ------
    DatasetError
        If a name of the list fits no image.
    """
    if split is None:
        return list(images)
    wanted = {_stem(PurePosixPath(name.replace("\\", "/"))): name for name in read_name_list(split)}
    chosen, used = [], set()
    for image in images:
        parts = _stem(PurePosixPath(image.path.as_posix())).split("/")
        endings = ("/".join(parts[first:]) for first in range(len(parts)))
        ending = next((ending for ending in endings if ending in wanted), None)
        if ending is not None:
            chosen.append(image)
            used.add(ending)
    unused = [name for ending, name in wanted.items() if ending not in used]
    if unused:
        raise DatasetError(f"{split}: the data set has no image {unused[0]!r} ({len(unused)} such names)")
    return chosen


def _stem(path: PurePosixPath) -> str:
    """Return a path without the suffix of an image file."""
    return str(path.with_suffix("") if path.suffix.lower() in IMAGE_SUFFIXES else path)


def _with_wanted_view(box: AnnotatedBox, path: Path, request: DatasetRequest) -> AnnotatedBox:
    if box.ignore:
        return replace(box, view=None)
    if request.single_view:
        return replace(box, view=request.view_names[0])
    if box.view is None:
        return replace(box, ignore=True)
    if box.view not in request.view_names:
        raise DatasetError(f"{path}: found the view {box.view!r}, expected {', '.join(request.view_names)}")
    return box


def _kitti(request: DatasetRequest) -> Iterable[AnnotatedImage]:
    frames = None if request.split is None else tuple(read_name_list(request.split))
    n_views = 0 if request.single_view else len(request.view_names)
    if n_views and (n_views % 2 or request.view_names != ring_views(n_views).names):
        raise DatasetError(
            f"KITTI's views are numbered, 1 to an even number, found {', '.join(request.view_names)}"
        )
    options = KittiOptions(n_views=n_views, frames=frames)
    if request.classes:
        ignored = tuple(name for name in options.ignored_classes if name not in request.classes)
        options = replace(options, classes=request.classes, ignored_classes=ignored)
    return read_kitti(request.folder, options)


def _voc(request: DatasetRequest) -> Iterable[AnnotatedImage]:
    names = None if request.split is None else tuple(read_voc_list(request.split))
    return read_voc(request.folder, VocOptions(classes=request.wanted_classes, names=names))


def _coco(request: DatasetRequest) -> Iterable[AnnotatedImage]:
    options = CocoOptions(classes=request.wanted_classes)
    return images_of_split(read_coco(request.folder, options), request.split)


def _csv(request: DatasetRequest) -> Dataset:
    dataset = read_csv_dataset(
        request.folder, request.view_names, strict_views=request.strict_views, skip_bad=request.skip_bad
    )
    return replace(dataset, images=images_of_split(dataset.images, request.split))


def _afw(request: DatasetRequest) -> Iterable[AnnotatedImage]:
    options = AfwOptions(annotation="corrected" if request.single_view else "posed")
    return images_of_split(read_afw(request.folder, options), request.split)


def _split(
    read: Callable[[Path], Iterable[AnnotatedImage]],
) -> Callable[[DatasetRequest], Iterable[AnnotatedImage]]:
    """Return a reader of requests for a reader of folders."""
    return lambda request: images_of_split(read(request.folder), request.split)


DATASETS: Mapping[str, DatasetSource] = {
    "aflw": DatasetSource("AFLW", "faces", True, _split(read_aflw)),
    "afw": DatasetSource("AFW", "faces", True, _afw),
    "pascal_faces": DatasetSource("PASCAL Faces", "faces", False, _split(read_pascal_faces)),
    "fddb": DatasetSource("FDDB", "faces", False, _split(read_fddb)),
    "wider": DatasetSource("WIDER FACE", "faces", False, _split(read_wider)),
    "kitti": DatasetSource("KITTI", "cars", True, _kitti),
    "voc": DatasetSource("PASCAL VOC's form", "faces", True, _voc),
    "coco": DatasetSource("COCO's form", "faces", True, _coco),
    "csv": DatasetSource("CSV", "faces", True, _csv),
}
