"""Options from the JSON header of a model file: of the types and within the limits that a detector works with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ..features.channel_options import ChannelOptions
from ..features.pyramid import PyramidOptions
from .detection_options import DetectionOptions, View
from .window import WindowOptions

Options = TypeVar("Options")

# What options allow by themselves, but no detector needs: such a number is damage, and would hang a detection or fill
# the memory.
LIMITS: Mapping[type, Mapping[str, tuple[float, float]]] = {
    ChannelOptions: {
        "shrink": (1, 64),
        "color_smooth": (0, 256),
        "normalization_radius": (0, 256),
        "normalization_constant": (1e-9, 1e9),
        "orientations": (1, 256),
        "soft_bin": (-1000, 1000),
        "bin_size": (1, 64),
        "hog_clip": (1e-9, 1e9),
    },
    PyramidOptions: {
        "per_octave": (1, 64),
        "octaves_up": (-16, 4),
        "n_approximate": (0, 1024),
        "pad": (0, 4096),
        "min_scale": (1e-6, 1e6),
        "max_scale": (1e-6, 1e6),
        "smooth": (0, 256),
        "lambdas": (-16, 16),
        "multiple": (1, 4096),
    },
    WindowOptions: dict.fromkeys(
        ("object_height", "object_width", "window_height", "window_width"), (1, 4096)
    ),
    View: {"angle_deg": (-360, 360), "aspect_ratio": (1e-3, 1e3)},
    DetectionOptions: {"min_score": (-math.inf, math.inf), "min_size": (1, 1e6), "threads": (0, 1024)},
}
_ANY_NUMBER = (-1e9, 1e9)


def options_of_header(kind: type[Options], value: Any, name: str) -> Options:
    """Make options of a header's object.

    Parameters
    ----------
    kind : type
        A dataclass whose fields are numbers, text, tuples of these, or such dataclasses.
    value : Any
        The decoded JSON. Fields that are absent have their default, if they have one.
    name : str
        Of the object, for messages.

    Raises
    ------
    ValueError
        Naming the field, the rule and what was found.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be an object, found {_shown(value)}")
    hints = get_type_hints(kind)
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(value) - known)
    if unknown:
        raise ValueError(
            f"{name} must have no other fields than {', '.join(sorted(known))}, found {_shown(unknown)}"
        )
    limits = LIMITS.get(kind, {})
    may_be_nan = {field.name for field in fields(kind) if _is_nan(field.default)}  # type: ignore[arg-type]
    arguments = {
        key: entry
        if key in may_be_nan and _is_nan(entry)
        else checked_value(hints[key], entry, f"{name}.{key}", limits.get(key, _ANY_NUMBER))
        for key, entry in value.items()
    }
    return kind(**arguments)


def checked_value(hint: Any, value: Any, name: str, limits: tuple[float, float] = _ANY_NUMBER) -> Any:
    """Return a value of decoded JSON as the type that a hint names: lists become tuples, whole floats integers."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (UnionType, Union):
        if value is None and NoneType in parts:
            return None
        (hint,) = (part for part in parts if part is not NoneType)
        return checked_value(hint, value, name, limits)
    if is_dataclass(hint):
        return options_of_header(hint, value, name)  # type: ignore[arg-type]
    if kind is tuple:
        return _checked_tuple(parts, value, name, limits)
    if hint in (int, float):
        return _checked_number(hint, value, name, limits)
    if kind is Literal:
        if value not in parts:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, parts))}, found {_shown(value)}")
    elif not isinstance(value, hint):
        raise ValueError(f"{name} must be of type {hint.__name__}, found {_shown(value)}")
    return value


def _checked_tuple(parts: tuple[Any, ...], value: Any, name: str, limits: tuple[float, float]) -> Any:
    has_any_length = parts[-1] is Ellipsis
    if not isinstance(value, list) or not (has_any_length or len(value) == len(parts)):
        length = "" if has_any_length else f" of {len(parts)}"
        raise ValueError(f"{name} must be a list{length}, found {_shown(value)}")
    hints = parts[:1] * len(value) if has_any_length else parts
    return tuple(
        checked_value(hint, item, f"{name}[{index}]", limits)
        for index, (hint, item) in enumerate(zip(hints, value, strict=True))
    )


def _checked_number(kind: type, value: Any, name: str, limits: tuple[float, float]) -> float | int:
    low, high = limits
    rule = f"a {'whole ' if kind is int else ''}number in [{low:g}, {high:g}]"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or (kind is int and value != int(value)):
        raise ValueError(f"{name} must be {rule}, found {_shown(value)}")
    return int(value) if kind is int else value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
