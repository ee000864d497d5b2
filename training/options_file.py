"""Training options in TOML: presets, configuration files, settings of the command line."""

from __future__ import annotations

import re
import tomllib
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .options import TrainingOptions

Options = TypeVar("Options")
# TOML has no word for it.
NONE = "none"
BASE = "base"
WORDS = {
    bool: "true or false", int: "a whole number", float: "a number", str: "text", types.NoneType: repr(NONE),
}  # fmt: skip
PRESETS = Path(__file__).resolve().parent / "presets"


class OptionsError(ValueError):
    """A configuration names an option that is not there, or gives it a value that it cannot have."""


def preset_names() -> tuple[str, ...]:
    """Names of the presets that come with the package."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))


def load_options(preset: str, config: Path | None = None, settings: Sequence[str] = ()) -> TrainingOptions:
    """Combine a preset, a configuration file and single settings; the later ones win.

    Parameters
    ----------
    preset : str
        See `preset_names`.
    config : Path, optional
        TOML file with any part of the options.
    settings : sequence of str
        ``key=value`` with a dotted key and a TOML value, as ``boosting.rounds=[32, 64]``.

    Raises
    ------
    OptionsError
        Naming the file or setting, the key, what was found and what was expected.
    """
    if preset not in preset_names():
        raise OptionsError(f"preset {preset!r} is unknown, expected {', '.join(preset_names())}")
    options = _options_of_preset(preset)
    tables = [] if config is None else [(str(config), _read(config))]
    for setting in settings:
        key, separator, value = setting.partition("=")
        where = f"setting {setting!r}"
        if not separator:
            raise OptionsError(f"{where} has no '=', expected key=value")
        tables.append((where, _parse(f"{key.strip()} = {_as_toml(value.strip())}", where)))
    return _with_tables(options, tables)


def _options_of_preset(preset: str) -> TrainingOptions:
    """Options of a preset: those of the preset that its key `base` names, or the defaults, with its changes."""
    path = PRESETS / f"{preset}.toml"
    table = _read(path)
    base = table.pop(BASE, None)
    return _with_tables(TrainingOptions() if base is None else _options_of_preset(base), [(str(path), table)])


def options_of_file(options: TrainingOptions, path: Path) -> TrainingOptions:
    """Return options changed by what a TOML file says."""
    return _with_tables(options, [(str(path), _read(path))])


def dump_options(options: Any) -> str:
    """Write options as TOML that `options_of_file` reads back to the same."""
    lines: list[str] = []
    _dump(options, "", lines)
    return "\n".join(lines).strip() + "\n"


def _dump(options: Any, prefix: str, lines: list[str]) -> None:
    nested = []
    for field in fields(options):
        value = getattr(options, field.name)
        if is_dataclass(value):
            nested.append((f"{prefix}{field.name}", value))
        else:
            lines.append(f"{field.name} = {_toml(value)}")
    for name, value in nested:
        lines += ["", f"[{name}]"]
        _dump(value, f"{name}.", lines)


def _toml(value: Any) -> str:
    if value is None:
        return f'"{NONE}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return repr(value)


def _as_toml(value: str) -> str:
    """Quote what is a bare word, so that ``kind=ring`` needs no quotes inside the shell's."""
    return (
        f'"{value}"'
        if value.replace("_", "").isalpha() and value not in ("true", "false", "inf", "nan")
        else value
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionsError(f"{path}: cannot be read ({getattr(error, 'strerror', error)})") from error
    return _parse(text, str(path))


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OptionsError(f"{where}: not TOML ({error})") from error


def _with_tables(
    options: TrainingOptions, tables: Sequence[tuple[str, Mapping[str, Any]]]
) -> TrainingOptions:
    """Return options changed by (source, table) pairs, all at once: options of one may need those of another."""
    changes: dict[str, Any] = {}
    for where, table in tables:
        _merge(changes, _checked(options, table, where))
    try:
        return _replaced(options, changes)
    except ValueError as error:
        raise OptionsError(f"{', '.join(where for where, _ in tables)}: {error}") from error


def _checked(options: Any, table: Mapping[str, Any], where: str, prefix: str = "") -> dict[str, Any]:
    """Return a table with its values brought to the types of the options."""
    hints = get_type_hints(type(options))
    checked: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        if key not in hints:
            raise OptionsError(f"{where}: option {name!r} is unknown, expected one of {', '.join(hints)}")
        current = getattr(options, key)
        if not is_dataclass(current):
            checked[key] = _converted(value, hints[key], f"{where}: {name}")
        elif isinstance(value, dict):
            checked[key] = _checked(current, value, where, f"{name}.")
        else:
            raise OptionsError(f"{where}: {name} is {value!r}, expected a table")
    return checked


def _merge(changes: dict[str, Any], later: Mapping[str, Any]) -> None:
    """Add the values of a nested table to another's."""
    for key, value in later.items():
        if isinstance(value, dict):
            _merge(changes.setdefault(key, {}), value)
        else:
            changes[key] = value


def _replaced(options: Options, changes: Mapping[str, Any], prefix: str = "") -> Options:
    """Return a dataclass with the values of a nested table."""
    values = {
        key: _replaced(getattr(options, key), value, f"{prefix}{key}.") if isinstance(value, dict) else value
        for key, value in changes.items()
    }
    try:
        return replace(options, **values)  # type: ignore[type-var]
    except ValueError as error:
        raise ValueError(with_keys_named(str(error), type(options), prefix)) from error


def with_keys_named(message: str, kind: type = TrainingOptions, prefix: str = "") -> str:
    """Return a message about options with the keys of configurations: boosting.rounds, not rounds of a class.

    Parameters
    ----------
    message : str
    kind : type
        Dataclass of the options whose keys begin with `prefix`.
    prefix : str
        Empty, or a key and a dot.
    """
    tables = _tables(kind, prefix)

    def keys(match: re.Match[str]) -> str:
        names, owner = match.group(1), match.group(2)
        return " and ".join(tables[owner] + name for name in names.split(" and "))

    return re.sub(rf"\b(\w+(?: and \w+)?) of ({'|'.join(tables)})\b", keys, message)


def _tables(kind: type, prefix: str) -> dict[str, str]:
    """Key, with a dot, of the table that each class of options is written in; the first of several."""
    tables = {kind.__name__: prefix}
    for name, hint in get_type_hints(kind).items():
        if is_dataclass(hint) and isinstance(hint, type):
            tables = {**_tables(hint, f"{prefix}{name}."), **tables}
    return tables


def _converted(value: Any, hint: Any, where: str) -> Any:
    """Check a TOML value against a field's type; lists become tuples, whole numbers floats where asked for."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        # Before text, which could hold the word for None as well.
        for choice in sorted(get_args(hint), key=lambda choice: choice is not types.NoneType):
            try:
                return _converted(value, choice, where)
            except OptionsError:
                continue
    elif origin is Literal:
        if value in get_args(hint):
            return value
    elif origin is tuple and isinstance(value, list):
        items = get_args(hint)
        if items[-1] is Ellipsis:
            return tuple(_converted(item, items[0], where) for item in value)
        if len(items) == len(value):
            return tuple(_converted(item, kind, where) for item, kind in zip(value, items, strict=True))
    elif hint is types.NoneType and value == NONE:
        return None
    elif hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    elif isinstance(hint, type) and type(value) is hint:
        return value
    raise OptionsError(f"{where} is {value!r}, expected {_words(hint)}")


def _words(hint: Any) -> str:
    """A field's type in words."""
    origin, items = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(_words(item) for item in items)
    if origin is Literal:
        return " or ".join(map(repr, items))
    if origin is tuple:
        return f"a list, each {_words(items[0])}" if items[-1] is Ellipsis else f"a list of {len(items)}"
    return WORDS[hint]
