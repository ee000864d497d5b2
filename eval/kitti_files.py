"""Reading the folders of label and result files that KITTI's benchmark works on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..detector.kitti_format import KittiObject, parse_kitti_line
from .input_records import BadRecords, EvaluationError
from .kitti_objects import KittiObjects


def read_split(path: str | Path, bad_records: BadRecords | None = None) -> list[str]:
    """Read a list of frame names, one a line; a name that occurs again is a bad record."""
    bad = bad_records if bad_records is not None else BadRecords()
    names: dict[str, int] = {}
    for number, line in enumerate(_lines_of(Path(path)), start=1):
        name = line.strip()
        if name in names:
            bad.add(path, number, f"frame {name!r} was listed before, in line {names[name]}")
        elif name:
            names[name] = number
    if not names:
        raise EvaluationError(f"{path}: the split names no frame")
    return list(names)


def frame_names(folder: str | Path) -> list[str]:
    """Return the frames that have a text file in a folder, sorted."""
    return sorted(path.stem for path in Path(folder).glob("*.txt"))


def read_kitti_labels(
    folder: str | Path, frames: Sequence[str] | None = None, bad_records: BadRecords | None = None
) -> tuple[list[str], KittiObjects]:
    """Read a folder of ground truth, ``NNNNNN.txt`` a frame.

    Parameters
    ----------
    folder : str or Path
    frames : sequence of str or None
        Frames to read; None: every file of the folder.
    bad_records : BadRecords or None
        What happens to malformed lines, and to frames of `frames` without a file: both are left out.
        None: they raise.

    Returns
    -------
    frames : list of str
    labels : KittiObjects

    Raises
    ------
    EvaluationError
        If the folder holds no label file, or for a bad record.
    """
    folder = _existing_folder(folder, "ground truth")
    bad = bad_records if bad_records is not None else BadRecords()
    present = {name: folder / f"{name}.txt" for name in frame_names(folder)}
    if not present:
        raise EvaluationError(f"{folder}: holds no label file, expected NNNNNN.txt a frame")
    wanted = list(present if frames is None else frames)
    for name in wanted:
        if name not in present:
            bad.add(folder / f"{name}.txt", None, f"frame {name!r} has no label file")
    found = [name for name in wanted if name in present]
    if not found:
        raise EvaluationError(f"{folder}: none of the {len(wanted)} frames has a label file")
    return found, KittiObjects.from_frames([_read_file(present[name], False, bad) for name in found])


def read_kitti_detections(
    folder: str | Path,
    frames: Sequence[str],
    bad_records: BadRecords | None = None,
    *,
    others_allowed: bool = False,
) -> KittiObjects:
    """Read a folder of results, one file a frame with the name of its label file; empty files are fine.

    Parameters
    ----------
    folder : str or Path
    frames : sequence of str
        Evaluated frames, in the order of the labels.
    bad_records : BadRecords or None
        What happens to malformed lines (left out), frames without a result file (evaluated as without any
        detection) and result files without a label (left out). None: they raise.
    others_allowed : bool
        Whether result files of other frames are expected, as when a split limits the frames.
    """
    folder = _existing_folder(folder, "detections")
    bad = bad_records if bad_records is not None else BadRecords()
    present = {name: folder / f"{name}.txt" for name in frame_names(folder)}
    rows: list[list[KittiObject]] = []
    for name in frames:
        if name in present:
            rows.append(_read_file(present[name], True, bad))
        else:
            bad.add(
                folder / f"{name}.txt",
                None,
                f"frame {name!r} has no result file (it may be empty)",
            )
            rows.append([])
    if not others_allowed:
        for name in sorted(present.keys() - set(frames)):
            bad.add(present[name], None, f"the ground truth has no frame {name!r}")
    return KittiObjects.from_frames(rows)


def _read_file(path: Path, scored: bool, bad: BadRecords) -> list[KittiObject]:
    objects = []
    for number, line in enumerate(_lines_of(path), start=1):
        if not line.strip():
            continue
        try:
            objects.append(parse_kitti_line(line, scored=scored))
        except ValueError as problem:
            bad.add(path, number, str(problem))
    return objects


def _lines_of(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as problem:
        raise EvaluationError(f"{path}: is no text file ({problem.reason} at byte {problem.start})") from None
    except OSError as problem:
        raise EvaluationError(f"{path}: cannot be read ({problem.strerror})") from None


def _existing_folder(folder: str | Path, content: str) -> Path:
    path = Path(folder)
    if not path.is_dir():
        raise EvaluationError(f"{path}: the {content} must be a folder of text files, found no folder")
    return path
