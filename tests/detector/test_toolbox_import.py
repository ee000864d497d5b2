"""The toolbox's published detectors: their files are read, and they find here what they find there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from badacost.detector.boxes import box_overlaps
from badacost.detector.cascade import Cascade
from badacost.detector.detector import Detector
from badacost.detector.scan import scan_level
from badacost.detector.suppression import SuppressionOptions
from badacost.detector.toolbox_file import ToolboxFileError, read_toolbox_file
from badacost.detector.toolbox_import import import_toolbox_detectors
from badacost.detector.toolbox_options import (
    channel_options,
    feature_pipeline,
    pyramid_options,
    suppression_options,
    window_options,
)
from badacost.detector.toolbox_trees import complete_trees
from badacost.features.channel_options import ChannelOptions
from badacost.features.pyramid import PyramidOptions

from .random_cascade import level_of
from .square_detector import square_detector

NEVER_REJECT = 1e6  # slack
AUTHORS_FACE_VIEWS = ("left_profile", "half_left", "frontal", "half_right", "right_profile")


def imported(shared: Path, name: str) -> Detector:
    (detector,) = import_toolbox_detectors(shared / "reference/acf/models" / f"{name}.mat")
    return detector


@pytest.mark.parametrize("name", ["AcfInria", "LdcfInria"])
def test_binary_detectors_score_every_window_as_the_reference(shared: Path, name: str) -> None:
    reference = np.load(shared / f"reference/acf/det_{name}.npz")
    windows = scan_level(level_of(reference), imported(shared, name).cascade.with_slack(NEVER_REJECT))
    by_column = np.lexsort((windows.rows, windows.columns))
    scores = reference["level_bbs_raw_casc_all"][:, 4]
    np.testing.assert_allclose(windows.scores[by_column], scores, rtol=0, atol=2e-4)


def test_traces_of_the_car_detector_are_those_of_the_reference(shared: Path) -> None:
    reference = np.load(shared / "reference/acf/det_BadacostKitti.npz")
    cascade = imported(shared, "BadacostKitti").cascade.with_slack(NEVER_REJECT)
    assert isinstance(cascade, Cascade)
    level = level_of(reference)
    for n_trees in (1, 2, 7, 60, 400, 1024):
        windows = scan_level(level, cascade.truncated(n_trees))
        traces = np.full(level.shape[1:], np.nan)
        traces[windows.rows, windows.columns] = windows.scores
        rows, columns = reference["win_rc"].astype(int).T
        np.testing.assert_allclose(
            traces[rows, columns], reference["win_traces"][n_trees - 1], rtol=0, atol=1e-4
        )
    labels = np.zeros(level.shape[1:], int)
    labels[windows.rows, windows.columns] = windows.labels
    np.testing.assert_array_equal(labels[rows, columns], 1 + reference["win_final_costs"][1:].argmin(axis=0))


@pytest.mark.parametrize("octaves_up", [0, 1])
def test_faces_found_in_photographs_are_those_of_the_reference(shared: Path, octaves_up: int) -> None:
    reference = np.load(shared / "reference/acf/det_BadacostFaces.npz")
    images = np.load(shared / "reference/acf/images.npz")
    detector = imported(shared, "BadacostFaces")
    pyramid = replace(detector.pipeline.pyramid, octaves_up=octaves_up)
    detector = replace(detector, pipeline=replace(detector.pipeline, pyramid=pyramid))
    n_clear = 0
    for name in ("astronaut", "coffee", "chelsea"):
        found = detector.detect(images[name])
        expected = reference[f"bbs_up{octaves_up}_{name}"]
        expected = expected[expected[:, 4] > 2] if len(expected) else np.empty((0, 6))
        n_clear += len(expected)
        corners = np.hstack([expected[:, :2], expected[:, :2] + expected[:, 2:4]])
        overlaps = box_overlaps(corners, found.boxes, "union")
        for row, overlap in zip(expected, overlaps, strict=True):
            same = int(overlap.argmax())
            assert overlap[same] > 0.9
            assert found.views[same] == AUTHORS_FACE_VIEWS[int(row[5]) - 2]
            assert abs(found.scores[same] - row[4]) < 0.5
        is_clear = found.scores > 2
        assert np.all((overlaps > 0.9).any(axis=0)[is_clear])
    assert n_clear > 5


def test_pedestrian_of_the_reference_is_found(shared: Path) -> None:
    reference = np.load(shared / "reference/acf/det_AcfInria.npz")
    images = np.load(shared / "reference/acf/images.npz")
    found = imported(shared, "AcfInria").detect(images["astronaut"])
    ((x, y, width, height, score),) = reference["bbs_astronaut"]
    np.testing.assert_allclose(found.boxes, [[x, y, x + width, y + height]], atol=0.01)
    np.testing.assert_allclose(found.scores, [score], atol=0.5)


def test_what_the_published_files_say(shared: Path) -> None:
    faces, cars = imported(shared, "BadacostFaces"), imported(shared, "BadacostKitti")
    assert faces.view_names == AUTHORS_FACE_VIEWS
    assert faces.cascade.window_shape == (40, 11, 11)
    assert faces.cascade.depth == 7
    assert faces.pipeline.channels == ChannelOptions.badacost()
    assert faces.pipeline.pyramid == PyramidOptions(
        per_octave=10, n_approximate=9, pad=(4, 4), min_size=(40, 40), lambdas=(0, 0.17656, 0.1778)
    )
    assert faces.options.suppression == SuppressionOptions(kind="maxg", overlap=0.3, denominator="union")
    np.testing.assert_allclose(faces.cascade.rejection, -3.5584453)
    assert cars.cascade.window_shape == (40, 13, 24)
    assert cars.view_angles[:3] == (0.0, -18.0, -36.0)
    assert cars.views[5].aspect_ratio == pytest.approx(1.16358235)
    pedestrians = imported(shared, "LdcfInria")
    assert pedestrians.views[0].aspect_ratio == pytest.approx(0.41)
    assert pedestrians.options.min_score == -1
    subcat = import_toolbox_detectors(shared / "reference/acf/models/SubcatFaces.mat", name="subcat")
    assert [detector.view_names for detector in subcat] == [(name,) for name in AUTHORS_FACE_VIEWS]
    assert subcat[0].name == "subcat_left_profile"
    assert {detector.cascade.n_trees for detector in subcat} == {4096}


@pytest.mark.parametrize("name", ["BadacostFaces", "LdcfInria"])
def test_imported_detector_survives_the_model_file(shared: Path, tmp_path: Path, name: str) -> None:
    detector = imported(shared, name)
    detector.save(tmp_path / "model.npz")
    loaded = Detector.load(tmp_path / "model.npz")
    assert type(loaded.cascade) is type(detector.cascade)
    assert loaded.provenance == detector.provenance
    level = level_of(np.load(shared / f"reference/acf/det_{name}.npz"))
    np.testing.assert_array_equal(
        scan_level(level, loaded.cascade.with_slack(9)).scores,
        scan_level(level, detector.cascade.with_slack(9)).scores,
    )


def test_trees_of_any_shape_give_every_window_the_same_leaf() -> None:
    random = np.random.default_rng(0)
    shape = (3, 4, 5)
    nodes, n_trees = 31, 40
    child = np.zeros((nodes, n_trees), np.uint32)
    for tree in range(n_trees):
        used, waiting = 1, [0]
        while waiting and used + 2 <= nodes:
            node = waiting.pop(random.integers(len(waiting)))
            child[node, tree] = used + 1
            waiting += [used, used + 1]
            used += 2
            if random.random() < 0.1:
                break
    toolbox = {
        "fids": random.integers(0, 60, (nodes, n_trees)).astype(np.uint32),
        "thrs": random.random((nodes, n_trees)).astype(np.float32),
        "child": child,
        "hs": random.random((nodes, n_trees)).astype(np.float32),
    }
    trees = complete_trees(toolbox, shape)
    for _ in range(20):
        window = random.random(shape).astype(np.float32)
        column_major = window.transpose(0, 2, 1).ravel()
        for tree in range(n_trees):
            node = 0
            while child[node, tree]:
                left = column_major[toolbox["fids"][node, tree]] < toolbox["thrs"][node, tree]
                node = int(child[node, tree]) - int(left)
            place, splits = 0, trees.feature.shape[1]
            while place < splits:
                left = window.ravel()[trees.feature[tree, place]] < trees.threshold[tree, place]
                place = 2 * place + 2 - int(left)
            assert trees.leaf[tree, place - splits] == toolbox["hs"][node, tree]


def test_trees_that_lead_nowhere_are_refused() -> None:
    tree = {
        "fids": np.zeros((3, 1)),
        "thrs": np.zeros((3, 1)),
        "child": np.array([[2], [0], [0]]),
        "hs": np.ones((3, 1)),
    }
    assert complete_trees(tree, (1, 2, 2)).leaf.tolist() == [[1, 1]]
    for change, message in (
        ({"child": np.array([[3], [0], [0]])}, "child must be 0, or"),
        ({"child": np.array([[2], [1], [0]])}, "child must be 0, or"),
        ({"fids": np.full((3, 1), 4)}, "4 features, found up to 4"),
        ({"thrs": np.full((3, 1), np.nan)}, "thrs must be numbers"),
        ({"hs": np.ones((2, 1))}, "must have one shape"),
    ):
        with pytest.raises(ValueError, match=message):
            complete_trees(tree | change, (1, 2, 2))
    with pytest.raises(ValueError, match="no field hs"):
        complete_trees({name: tree[name] for name in ("fids", "thrs", "child")}, (1, 2, 2))


def test_options_left_out_have_the_toolbox_defaults() -> None:
    window = window_options({})
    pipeline = feature_pipeline({}, window)
    assert (window.object_height, window.object_width, window.window_height) == (100, 41, 128)
    assert pipeline.channels == ChannelOptions.pedestrian()
    assert pipeline.pyramid == PyramidOptions(pad=(16, 12), min_size=(100, 41))
    assert pipeline.filters is None
    assert suppression_options({}) == SuppressionOptions(kind="maxg", overlap=0.65, denominator="min")
    assert suppression_options({"pNms": {"type": "none"}}).overlap == 1


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (channel_options, {"pGradMag": {"enabled": 0}}, r"pGradMag.enabled must be 1"),
        (channel_options, {"pCustom": [{}]}, "pCustom must be empty"),
        (channel_options, {"pColor": {"colorSpace": "lab"}}, "colorSpace must be one of .*'lab'"),
        (channel_options, {"pGradHist": {"useHog": 3}}, "useHog must be one of"),
        (channel_options, {"shrink": "two"}, "shrink must be a number, found 'two'"),
        (suppression_options, {"pNms": {"type": "ms"}}, "type must be max, maxg or none, found 'ms'"),
        (suppression_options, {"pNms": {"separate": 1}}, "separate and pNms.resize"),
        (window_options, {"modelDs": [20.5, 20]}, "modelDs must be two whole numbers"),
        (lambda o: pyramid_options(o, 4, window_options({})), {"lambdas": [0, 1]}, "three numbers, found 2"),
        (lambda o: feature_pipeline(o, window_options({})), {"stride": 8}, "stride must be at most"),
    ],
)  # fmt: skip
def test_options_without_counterpart_are_refused(function, options, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        function(options)


def test_files_that_are_no_detectors_are_named(tmp_path: Path, shared: Path) -> None:
    from scipy.io import savemat

    path = tmp_path / "model.mat"
    with pytest.raises(ToolboxFileError, match=r"model\.mat: cannot be read \(No such file"):
        read_toolbox_file(path)
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n" + bytes(2000))
    with pytest.raises(ToolboxFileError, match=r"model\.mat: MATLAB file of version 7\.3.*-v7"):
        read_toolbox_file(path)
    whole = (shared / "reference/acf/models/AcfInria.mat").read_bytes()
    for content in (
        b"",
        b"no model",
        b"\x89PNG\r\n\x1a\n" + bytes(200),
        b"PK\x03\x04" + bytes(200),
        whole[:100],
    ):
        path.write_bytes(content)
        with pytest.raises(
            ToolboxFileError, match=r"model\.mat: not a MATLAB file; expected a detector trained by"
        ):
            read_toolbox_file(path)
    for size in (130, 3000, 60000):
        path.write_bytes(whole[:size])
        with pytest.raises(ToolboxFileError, match=r"model\.mat: a MATLAB file that is damaged or not whole"):
            read_toolbox_file(path)
    savemat(path, {"other": 1})
    with pytest.raises(ToolboxFileError, match="no variable named detector, found other"):
        read_toolbox_file(path)
    savemat(path, {"detector": {"opts": 1}})
    with pytest.raises(ToolboxFileError, match="struct with the fields opts and clf"):
        read_toolbox_file(path)
    savemat(path, {"detector": {"opts": {"seed": 1}, "clf": {"fids": [1]}}})
    with pytest.raises(
        ToolboxFileError, match=r"model\.mat: the detector cannot be imported \(clf has no field"
    ):
        import_toolbox_detectors(path)


def test_a_model_of_ours_needs_no_import(tmp_path: Path) -> None:
    path = tmp_path / "squares.npz"
    square_detector().save(path)
    with pytest.raises(
        ToolboxFileError, match=r"squares\.npz: a model of badacost already, which needs no import"
    ):
        read_toolbox_file(path)


def test_views_may_be_given_other_names(shared: Path) -> None:
    path = shared / "reference/acf/models/AcfInria.mat"
    (detector,) = import_toolbox_detectors(path, view_names=["pedestrian"])
    assert detector.view_names == ("pedestrian",)
    with pytest.raises(
        ToolboxFileError, match=r"expected 1 different names of views \(--views\), found a, b"
    ):
        import_toolbox_detectors(path, view_names=["a", "b"])
