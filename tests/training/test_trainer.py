"""Training as a whole: the model's bits, killed runs, and images that nothing can be learnt from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from badacost.boosting.multiclass.badacost import BoostingRound
from badacost.detector.boxes import box_overlaps
from badacost.detector.detector import Detector
from badacost.training.datasets.annotated_image import AnnotatedBox, AnnotatedImage
from badacost.training.options import TrainingOptions
from badacost.training.options_file import dump_options
from badacost.training.parallel_map import Workers
from badacost.training.run_folder import RunError, RunFolder
from badacost.training.trainer import train_detector
from badacost.training.training_set import TrainingSet
from badacost.training.views import single_view

from .conftest import Synthetic

ONE = Workers(jobs=1)


def train(
    folder: Path,
    images: TrainingSet,
    options: TrainingOptions,
    *,
    workers: Workers = ONE,
    threads: int = 1,
    resume: bool = False,
    on_tree: Callable[[int, BoostingRound], None] | None = None,
) -> bytes:
    """Train, and return the bytes of the model file."""
    run = RunFolder(folder, dump_options(options), resume=resume)
    train_detector(images, options, run, workers=workers, threads=threads, on_tree=on_tree)
    return (folder / "model.npz").read_bytes()


@pytest.fixture(scope="module")
def finished(synthetic: Synthetic, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing interrupted; not to be changed."""
    folder = tmp_path_factory.mktemp("trainer") / "run"
    train(folder, synthetic.images, synthetic.options)
    return folder


def model(folder: Path) -> bytes:
    return (folder / "model.npz").read_bytes()


def test_objects_are_found_with_their_views(finished: Path, synthetic: Synthetic) -> None:
    detector = Detector.load(finished / "model.npz")
    found = right = total = false = 0
    for image, objects in zip(synthetic.images.annotated, synthetic.objects, strict=True):
        detections = detector.detect(image.path)
        overlaps = box_overlaps([item.box for item in objects], detections.boxes)
        total += len(objects)
        false += int((overlaps.max(axis=0, initial=0) < 0.5).sum())
        for item, row in zip(objects, overlaps, strict=True):
            if row.max(initial=0) > 0.5:
                found += 1
                right += detections.views[row.argmax()] == item.view
    assert total == 48
    assert found >= 44
    assert right >= 0.9 * found
    assert false <= 10


@pytest.mark.parametrize(
    ("workers", "threads"), [(Workers(jobs=2, backend="threading"), 2), (Workers(jobs=2), 1)]
)
def test_model_depends_on_neither_workers_nor_threads(
    workers: Workers, threads: int, finished: Path, synthetic: Synthetic, tmp_path: Path
) -> None:
    found = train(tmp_path / "run", synthetic.images, synthetic.options, workers=workers, threads=threads)
    assert found == model(finished)


def test_features_in_a_file_give_the_same_model(finished: Path, synthetic: Synthetic, tmp_path: Path) -> None:
    options = replace(synthetic.options, memory_limit=1000)
    assert train(tmp_path / "run", synthetic.images, options) == model(finished)
    # The matrices lay in the run folder, and are gone.
    assert {path.suffix for path in (tmp_path / "run").iterdir()} <= {
        ".npz", ".npy", ".json", ".toml", ".sha256",
    }  # fmt: skip


def test_seed_makes_another_model(finished: Path, synthetic: Synthetic, tmp_path: Path) -> None:
    options = replace(synthetic.options, seed=8)
    assert train(tmp_path / "run", synthetic.images, options) != model(finished)


@pytest.mark.parametrize(("number", "tree"), [(1, 4), (2, 5)])
def test_interrupted_run_goes_on_to_the_same_model(
    number: int, tree: int, finished: Path, synthetic: Synthetic, tmp_path: Path
) -> None:
    def interrupt(found_number: int, boosting_round: BoostingRound) -> None:
        if (found_number, boosting_round.number) == (number, tree):
            raise KeyboardInterrupt

    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(folder, synthetic.images, synthetic.options, on_tree=interrupt)
    assert not (folder / "model.npz").exists()
    trained: set[int] = set()
    resumed = train(
        folder,
        synthetic.images,
        synthetic.options,
        resume=True,
        on_tree=lambda found_number, _: trained.add(found_number),
    )
    assert resumed == model(finished)
    assert trained == set(range(number, 3))  # what was done is not done again
    assert reports_without_seconds(folder) == reports_without_seconds(finished)


@pytest.mark.parametrize(
    "lost",
    [
        ("model.npz", "round_2.npz"),
        ("model.npz", "round_2.npz", "round_2.json", "negatives_2.npy", "negatives_2.json"),
        ("model.npz", "round_2.npz", "negatives_2.npy", "round_1.npz", "features.npz"),
    ],
)
def test_run_goes_on_from_what_is_left(
    lost: tuple[str, ...], finished: Path, synthetic: Synthetic, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for path in finished.iterdir():
        if path.name not in lost:
            (folder / path.name).write_bytes(path.read_bytes())
    assert train(folder, synthetic.images, synthetic.options, resume=True) == model(finished)
    assert {path.name for path in folder.iterdir()} == {path.name for path in finished.iterdir()}


def reports_without_seconds(folder: Path) -> list[dict[str, object]]:
    run = RunFolder(folder, (folder / "options.toml").read_text(), resume=True)
    reports = [report.as_dict() for report in run.reports()]
    return [{key: value for key, value in report.items() if "seconds" not in key} for report in reports]


def test_reports_tell_what_a_round_did(finished: Path, synthetic: Synthetic) -> None:
    first, second = reports_without_seconds(finished)
    assert (first["number"], first["n_trees"], second["number"], second["n_trees"]) == (1, 4, 2, 8)
    assert first["n_positives"] == second["n_positives"] == 2 * 48  # mirrored
    assert (first["n_new_negatives"], first["n_negatives"]) == (100, 100)
    assert (second["n_new_negatives"], second["n_negatives"]) == (100, 150)  # 150 is the limit
    assert first["trees_per_window"] is None
    assert 1 <= float(str(second["trees_per_window"])) <= 4
    for report in (first, second):
        assert 0 < float(str(report["last_loss"])) < float(str(report["first_loss"])) < 1
        assert float(str(report["positives_lost"])) <= synthetic.options.calibration.lost
        assert 10 <= int(str(report["n_images_mined"])) <= 28
    assert "round 2: 8 trees" in str(
        RunFolder(finished, dump_options(synthetic.options), resume=True).reports()[1]
    )


def test_a_run_is_not_overwritten(finished: Path, synthetic: Synthetic) -> None:
    with pytest.raises(RunError, match="a training run is there already; add --resume"):
        train(finished, synthetic.images, synthetic.options)


def test_other_options_do_not_resume_a_run(finished: Path, synthetic: Synthetic) -> None:
    with pytest.raises(RunError, match=r"options\.toml: the run was started with other options"):
        train(finished, synthetic.images, replace(synthetic.options, seed=8), resume=True)


def test_other_images_boxes_or_views_do_not_resume_a_run(finished: Path, synthetic: Synthetic) -> None:
    images = synthetic.images
    first = images.annotated[0]
    moved = replace(first, boxes=(replace(first.boxes[0], x1=first.boxes[0].x1 + 0.5), *first.boxes[1:]))
    for other in (
        replace(images, annotated=images.annotated[1:]),
        replace(images, annotated=[moved, *images.annotated[1:]]),
        replace(images, negatives=images.negatives[::-1]),
        replace(images, views=replace(images.views, mirrored=(0, 1, 2))),
    ):
        with pytest.raises(RunError, match="started with other images, boxes or views"):
            train(finished, other, synthetic.options, resume=True)


def test_a_run_may_move_with_its_images(synthetic: Synthetic) -> None:
    images = synthetic.images
    elsewhere = [replace(image, path=Path("/elsewhere") / image.path.name) for image in images.annotated]
    assert replace(images, annotated=elsewhere).fingerprint() == images.fingerprint()


def test_without_background_there_is_nothing_to_learn(synthetic: Synthetic, tmp_path: Path) -> None:
    path = tmp_path / "object.png"
    Image.fromarray(np.full((40, 40, 3), 90, np.uint8)).save(path)
    box = AnnotatedBox(2, 2, 38, 38, view="object")
    folder = tmp_path / "run"
    everywhere = AnnotatedBox(0, 0, 40, 40, ignore=True)
    images = TrainingSet([AnnotatedImage(path, (box, everywhere))], [], single_view())
    with pytest.raises(ValueError, match="must hold background windows, found none"):
        train(folder, images, synthetic.options)
    # The folder may be used for a better try, without a word about resuming.
    options = replace(synthetic.options, boosting=replace(synthetic.options.boosting, rounds=(2,)))
    assert train(folder, replace(images, negatives=synthetic.images.negatives), options)


def test_without_objects_there_is_nothing_to_learn(synthetic: Synthetic, tmp_path: Path) -> None:
    images = [AnnotatedImage(image.path) for image in synthetic.images.annotated]
    with pytest.raises(ValueError, match="must hold an object with a view, found none"):
        train(tmp_path / "run", replace(synthetic.images, annotated=images), synthetic.options)


@pytest.mark.parametrize(
    ("box", "message"),
    [
        (AnnotatedBox(1, 2, 9, 9, view="back"), "the view is 'back', expected one of left, frontal, right"),
        (AnnotatedBox(9, 2, 9, 9, view="left"), "expected x1 < x2 and y1 < y2"),
        (AnnotatedBox(1, 2, 9, float("nan"), view="left"), "expected x1 < x2 and y1 < y2"),
    ],
)
def test_impossible_objects_are_named_with_their_image(
    box: AnnotatedBox, message: str, synthetic: Synthetic
) -> None:
    image = AnnotatedImage(Path("photo.jpg"), (box,))
    with pytest.raises(ValueError, match=f"photo.jpg: .*{message}"):
        replace(synthetic.images, annotated=[image])
    harmless = replace(image, boxes=(replace(box, ignore=True),))
    assert replace(synthetic.images, annotated=[harmless]).n_objects == 0
