"""Set part of a data set aside for choices, so that no person or photograph is on both sides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .datasets.annotated_image import AnnotatedImage

DEFAULT_GROUP = r".*"
# A YouTube Faces still is ytf_<tr or te>_<person>_<number>, the person in either half of that set; a KDEF
# photograph is kdef_<session A or B><sex and number of the person><expression><angle>.
PERSON = "person"
PERSON_PATTERN = r"ytf_t[er]_(.+)_\d+$|kdef_[AB]([FM]\d\d)[A-Z]+$|(.+)$"


def hold_out(
    images: Sequence[AnnotatedImage], share: float, *, seed: int, group: str | None = None
) -> tuple[list[AnnotatedImage], list[AnnotatedImage]]:
    r"""Split images into those to train on and those held out, whole groups at a time.

    Parameters
    ----------
    images : sequence of AnnotatedImage
    share : float
        Of the groups to hold out, in [0, 1).
    seed : int
    group : str, optional
        Regular expression, matched at the start of each file's stem; images with the same match stay together
        (if it has groups, the first that takes part in the match counts). By default every image is its own
        group; ``(.*?)(_\d\d)?$`` joins video stills numbered with two digits. "person" joins what shows one
        person, by the file names of YouTube Faces and KDEF; any other photograph stays on its own.

    Returns
    -------
    kept, held_out : lists of AnnotatedImage
        In the order of `images`.

    Raises
    ------
    ValueError
        When the share is not in [0, 1), or the expression is none or does not match.
    """
    pattern = hold_out_pattern(share, group)
    keys = [_group_of(image.path, pattern) for image in images]
    names = sorted(set(keys))
    chosen = np.random.default_rng(seed).permutation(len(names))[: round(share * len(names))]
    held = {names[index] for index in chosen}
    return (
        [image for image, key in zip(images, keys, strict=True) if key not in held],
        [image for image, key in zip(images, keys, strict=True) if key in held],
    )


def hold_out_pattern(share: float, group: str | None) -> re.Pattern[str]:
    """Return the compiled `group` of `hold_out`.

    Raises
    ------
    ValueError
        When the share is not in [0, 1), or the expression is none.
    """
    if not 0 <= share < 1:
        raise ValueError(f"share of hold_out must lie in [0, 1), found {share}")
    try:
        return re.compile(PERSON_PATTERN if group == PERSON else group or DEFAULT_GROUP)
    except re.error as error:
        raise ValueError(
            f"group of hold_out must be a regular expression, found {group!r} ({error})"
        ) from error


def _group_of(path: Path, pattern: re.Pattern[str]) -> str:
    match = pattern.match(path.stem)
    if match is None:
        raise ValueError(
            f"group of hold_out must match every file name, but {pattern.pattern!r} does not match {path.stem!r}"
        )
    if not pattern.groups:
        return match.group(0)
    return next((text for text in match.groups() if text is not None), "")
