"""Photographs without objects of the class that is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...detector.folder_walk import files_below
from ...detector.images import IMAGE_SUFFIXES
from .annotated_image import AnnotatedImage, Dataset, DatasetError
from .csv_reader import read_csv_dataset
from .voc import read_voc, read_voc_negatives

OBJECT = "object"


def read_negatives(folder: str | Path, voc_classes: Sequence[str] = (), *, skip_bad: bool = False) -> Dataset:
    """List images without objects.

    A csv file in the form of `read_csv_dataset` gives the background of its images: its boxes are objects, of any
    view, that are neither mined nor learnt. A folder in PASCAL VOC's form (with ``Annotations`` and ``JPEGImages``)
    gives its images without any object of the named classes, as in the BAdaCost paper. Any other folder is searched
    recursively, and all its images count, in order of their paths.

    Parameters
    ----------
    folder : str or Path
    voc_classes : sequence of str
        Classes that a VOC image must not show; empty: any object.
    skip_bad : bool
        Leave annotated images out whose file is missing, and report them.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        When the folder is missing or gives no image, or an image of VOC is missing.
    """
    folder = Path(folder)
    if folder.suffix.lower() == ".csv":
        return _background_of(read_csv_dataset(folder, (OBJECT,), skip_bad=skip_bad))
    if not folder.is_dir():
        raise DatasetError(f"{folder}: no such folder of negatives")
    if is_voc_root(folder):
        return _read_voc(folder, voc_classes, skip_bad)
    found = sorted(path for path in files_below(folder) if path.suffix.lower() in IMAGE_SUFFIXES)
    if not found:
        raise DatasetError(f"{folder}: no image found, expected photographs without objects")
    return Dataset([AnnotatedImage(path) for path in found])


def _background_of(dataset: Dataset) -> Dataset:
    """Return a data set with all its objects ignored."""
    images = [
        replace(image, boxes=tuple(replace(box, view=None, ignore=True) for box in image.boxes))
        for image in dataset.images
    ]
    return replace(dataset, images=images)


def is_voc_root(folder: Path) -> bool:
    """Tell whether a folder is laid out as a release of PASCAL VOC."""
    return (folder / "Annotations").is_dir() and (folder / "JPEGImages").is_dir()


def without_annotated(
    negatives: Sequence[AnnotatedImage], annotated: Sequence[AnnotatedImage]
) -> list[AnnotatedImage]:
    """Return the negatives without those that a data set holds already (as images without objects).

    Raises
    ------
    DatasetError
        If the data set has objects in one of them: they would be taken for background.
    """
    has_boxes = {image.path.resolve(): bool(image.boxes) for image in annotated}
    others = []
    for image in negatives:
        known = has_boxes.get(image.path.resolve())
        if known:
            raise DatasetError(f"{image.path}: is among the negatives, but the data set has objects in it")
        if known is None:
            others.append(image)
    return others


def _read_voc(folder: Path, classes: Sequence[str], skip_bad: bool) -> Dataset:
    images, messages = [], []
    found = read_voc_negatives(folder, classes) if classes else read_voc(folder)
    for image in found:
        if image.boxes:
            continue
        if image.path.is_file():
            images.append(image)
        elif skip_bad:
            messages.append(f"{image.path}: no such image")
        else:
            raise DatasetError(
                f"{image.path}: no such image, but it is annotated in {folder / 'Annotations'}"
            )
    if not images:
        raise DatasetError(f"{folder}: no image without {', '.join(classes) or 'objects'} found")
    return Dataset(images, len(messages), tuple(messages))
