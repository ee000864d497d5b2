"""Drawn images that all tests of the training share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from badacost.training.datasets.csv_reader import read_csv_dataset
from badacost.training.datasets.negative_images import read_negatives
from badacost.training.options import TrainingOptions
from badacost.training.training_set import TrainingSet
from badacost.training.views import named_views

from .synthetic_objects import VIEWS, DrawnObject, tiny_options, write_dataset


@dataclass(frozen=True)
class Synthetic:
    """A data set of drawn objects."""

    folder: Path
    objects: list[list[DrawnObject]]
    images: TrainingSet
    options: TrainingOptions


@pytest.fixture(scope="session")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Synthetic:
    """24 images with two objects each, 4 negatives; not to be changed."""
    folder = tmp_path_factory.mktemp("synthetic") / "objects"
    objects = write_dataset(folder)
    images = TrainingSet(
        read_csv_dataset(folder, VIEWS).images,
        read_negatives(folder / "negatives").images,
        named_views(VIEWS),
    )
    return Synthetic(folder, objects, images, tiny_options(folder))
