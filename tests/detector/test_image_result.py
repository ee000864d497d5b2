"""Searching frames: order, failures, videos."""

from __future__ import annotations

import threading
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from badacost.detector.detections import Detections
from badacost.detector.drawing import write_image
from badacost.detector.frames import Frame, iterate_frames
from badacost.detector.image_result import search_frames
from badacost.detector.image_sources import ImageSource


def mean_detector(pixels: NDArray[np.uint8]) -> Detections:
    """One detection, whose score is the mean of the image."""
    size = (pixels.shape[0], pixels.shape[1])
    return Detections(np.zeros((1, 4)), pixels.mean(keepdims=True)[0, 0], [0], ("v",), (0.0,), size)  # type: ignore[arg-type]


def frame(value: int) -> Frame:
    return Frame(name=f"{value}", output_name=f"{value}", pixels=np.full((2, 3, 3), value, np.uint8))


@pytest.mark.parametrize("jobs", [1, 3])
def test_order_is_kept_and_failures_stop_nothing(tmp_path: Path, jobs: int) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"text")
    frames = [frame(value) for value in range(20)]
    frames[5] = Frame(name=str(broken), output_name="broken")
    frames[9] = Frame(name="gone", output_name="gone", error="gone: no such file or folder")
    results = list(search_frames(mean_detector, frames, jobs=jobs))
    assert [result.file for result in results] == [item.name for item in frames]
    for index, result in enumerate(results):
        if index in (5, 9):
            assert result.detections is result.pixels is result.size is None
        else:
            assert result.error is None
            assert result.detections is not None
            assert result.detections.scores.tolist() == [index]
            assert result.size == (2, 3)
    assert results[5].error == f"{broken}: not an image of a known format, or damaged"
    assert results[9].error == "gone: no such file or folder"


def test_lack_of_memory_is_a_failure_of_the_image() -> None:
    def detect(pixels: NDArray[np.uint8]) -> Detections:
        raise MemoryError

    (result,) = search_frames(detect, [frame(1)])
    assert result.error == "1: not enough memory to search this image of 3x2 pixels"


def test_defects_are_not_hidden() -> None:
    def detect(pixels: NDArray[np.uint8]) -> Detections:
        raise RuntimeError("a defect")

    for jobs in (1, 2):
        with pytest.raises(RuntimeError, match="a defect"):
            list(search_frames(detect, [frame(1), frame(2)], jobs=jobs))


def test_few_frames_are_read_ahead() -> None:
    taken = 0
    lock = threading.Lock()

    def frames():  # type: ignore[no-untyped-def]
        nonlocal taken
        for value in range(100):
            with lock:
                taken += 1
            yield frame(value % 250)

    results = search_frames(mean_detector, frames(), jobs=2)
    next(results)
    assert taken <= 6
    results.close()  # type: ignore[attr-defined]


def test_frames_of_a_video(tmp_path: Path) -> None:
    path = tmp_path / "clip.avi"
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for value in (0, 100, 200):
        picture = np.zeros((48, 64, 3), np.uint8)
        picture[..., 2] = value  # red, in OpenCV's order
        video.write(picture)
    video.release()
    frames = list(iterate_frames(ImageSource(name=str(path), kind="video", output_name="clip")))
    assert [item.name for item in frames] == [f"{path}#{index}" for index in range(3)]
    assert [item.output_name for item in frames] == ["clip_000000", "clip_000001", "clip_000002"]
    for item, value in zip(frames, (0, 100, 200), strict=True):
        pixels = item.read()
        assert pixels.shape == (48, 64, 3)
        assert abs(float(pixels[..., 0].mean()) - value) < 6
        assert pixels[..., 2].mean() < 6


def test_videos_and_cameras_that_give_nothing(tmp_path: Path) -> None:
    text = tmp_path / "text.mp4"
    text.write_text("no video")
    for name, kind, reason in (
        (str(text), "video", "not a video of a known format, or damaged"),
        (str(tmp_path / "missing.mp4"), "video", "cannot be read (No such file or directory)"),
        ("99", "camera", "camera 99: gives no picture"),
    ):
        (item,) = iterate_frames(ImageSource(name=name, kind=kind))  # type: ignore[arg-type]
        assert item.error is not None
        assert reason in item.error


def test_image_is_read_late(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    (item,) = iterate_frames(ImageSource(name=str(path), output_name="a"))
    write_image(path, np.full((4, 5, 3), 7, np.uint8))
    assert item.read().shape == (4, 5, 3)
