"""Small pictures of drawn objects in three views before a textured background."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from badacost.training.options import TrainingOptions
from badacost.training.options_file import options_of_file

VIEWS = ("left", "frontal", "right")
SIDE = 96
SKIN, DARK = (214, 150, 112), (40, 30, 60)
# Where the dark bar lies, in quarters of the object's side.
BAR = {"left": (0, 1), "frontal": (1, 3), "right": (3, 4)}

CONFIG = """\
patch_margin = 4
seed = 7
[window]
object_height = 16
object_width = 16
window_height = 24
window_width = 24
[pyramid]
pad = [4, 4]
min_size = [16, 16]
[filters]
count = 0
[jitter]
copies = 0
[costs]
missed = 1.5
[boosting]
rounds = [4, 8]
learning_rate = 0.3
[boosting.tree]
max_depth = 2
max_features = 0.1
[mining]
per_round = 100
accumulated = 150
per_image = 10
start_scale = 1.0
# Images of so few cells say little about how channels change with scale.
[finished]
n_approximate = 0
"""


@dataclass(frozen=True)
class DrawnObject:
    """A drawn object: top-left corner and side in pixels."""

    x: int
    y: int
    side: int
    view: str

    @property
    def box(self) -> list[float]:
        """Its corners."""
        return [self.x, self.y, self.x + self.side, self.y + self.side]


def texture(random: np.random.Generator, height: int = SIDE, width: int = SIDE) -> NDArray[np.uint8]:
    """Gray-green noise of a grain of about four pixels, with patches of skin that are no objects."""
    coarse = random.uniform(60, 190, (height // 4 + 1, width // 4 + 1, 1)) * np.array([0.8, 1.0, 0.7])
    noise = np.kron(coarse, np.ones((4, 4, 1)))[:height, :width] + random.normal(0, 6, (height, width, 3))
    for _ in range(6):
        y, x = random.integers(0, (height - 8, width - 8))
        rows, columns = random.integers(6, 24, 2)
        noise[y : y + rows, x : x + columns] = np.array(SKIN) * random.uniform(0.8, 1.1)
    return np.clip(noise, 0, 255).astype(np.uint8)


def draw(image: NDArray[np.uint8], drawn: DrawnObject, light: float = 1.0) -> None:
    """Draw a square of skin in a dark frame with a dark bar, whose place tells the view."""
    patch = image[drawn.y : drawn.y + drawn.side, drawn.x : drawn.x + drawn.side]
    frame = drawn.side // 8
    first, last = (drawn.side * quarter // 4 for quarter in BAR[drawn.view])
    patch[:] = np.multiply(DARK, light)
    patch[frame:-frame, frame:-frame] = np.multiply(SKIN, light)
    patch[drawn.side // 4 : drawn.side // 2, first:last] = np.multiply(DARK, light)


def picture(number: int) -> tuple[NDArray[np.uint8], list[DrawnObject]]:
    """Draw two objects that do not touch, their views in turn."""
    random = np.random.default_rng((99, number))
    image = texture(random)
    objects = []
    for half in range(2):
        side = int(random.integers(16, 29))
        x = half * SIDE // 2 + int(random.integers(4, SIDE // 2 - 4 - side))
        y = int(random.integers(4, SIDE - 4 - side))
        objects.append(DrawnObject(x, y, side, VIEWS[(2 * number + half) % len(VIEWS)]))
        draw(image, objects[-1], random.uniform(0.7, 1.15))
    return image, objects


def write_dataset(folder: Path, n_images: int = 24, n_negatives: int = 4) -> list[list[DrawnObject]]:
    """Write train.csv, its images, and a folder of negatives; return the objects of each image."""
    for name in ("images", "negatives"):
        (folder / name).mkdir(parents=True)
    objects = []
    with (folder / "train.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image", "x", "y", "w", "h", "view", "note"])
        for number in range(n_images):
            image, drawn = picture(number)
            Image.fromarray(image).save(folder / "images" / f"{number:02d}.png")
            objects.append(drawn)
            for item in drawn:
                writer.writerow(
                    [f"images/{number:02d}.png", item.x, item.y, item.side, item.side, item.view, ""]
                )
    for number in range(n_negatives):
        random = np.random.default_rng((100, number))
        Image.fromarray(texture(random)).save(folder / "negatives" / f"{number}.png")
    (folder / "tiny.toml").write_text(CONFIG)
    return objects


def tiny_options(folder: Path) -> TrainingOptions:
    """Options of the file that `write_dataset` wrote."""
    return options_of_file(TrainingOptions(), folder / "tiny.toml")
