"""What a public function is given, read by its annotations: numbers as people and NumPy write them, names, files.

A function says in its annotations what it takes; ``checked`` holds callers to that, so that whatever is given there is
an answer or a line that says what is wrong. What an annotation leaves open (``Any``) the function reads itself.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from numbers import Real
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from .errors import InputError, shown
from .integers import whole_number

Told = ParamSpec("Told")
Answer = TypeVar("Answer")
Reader = Callable[[object, str], object]

NO_NAME = "no file can have this name"


def checked(function: Callable[Told, Answer]) -> Callable[Told, Answer]:
    """The function, with its arguments read first; InputError where one is not what its annotation says."""

    @cache  # looked at when it is first called
    def looked() -> tuple[Signature, dict[str, Reader]]:
        asked = signature(function)
        read = {name: _reader(str(one.annotation)) for name, one in asked.parameters.items()}
        return asked, {name: reader for name, reader in read.items() if reader}

    @wraps(function)
    def call(*args: Told.args, **options: Told.kwargs) -> Answer:
        asked, readers = looked()
        bound = asked.bind(*args, **options)
        for name, value in bound.arguments.items():
            if name not in readers:
                continue
            kind, read = asked.parameters[name].kind, readers[name]
            if kind is Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(read(one, name) for one in value)
            elif kind is Parameter.VAR_KEYWORD:
                bound.arguments[name] = {key: read(one, key) for key, one in value.items()}
            else:
                bound.arguments[name] = read(value, name)
        return function(*bound.args, **bound.kwargs)

    return call


def called(module: str, function: Callable[..., Any]) -> None:
    """Let a package that is named like its function be called as that function: ``keepwise.play(...)``, whether or not
    the package has been imported by name, which puts it in the function's place.
    """
    sys.modules[module].__class__ = type("Called", (ModuleType,), {"__call__": staticmethod(function)})


def _reader(annotation: str) -> Reader | None:
    """What reads arguments of an annotation; None where it leaves open what they are."""
    kind, optional, _ = annotation.partition(" | None")
    reader = next((READERS[known] for known in READERS if kind == known or kind.startswith(f"{known}[")), None)
    if reader is None or not optional:
        return reader
    return lambda value, name: None if value is None else reader(value, name)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, not {shown(value)}")
    return value


def _number(value: object, name: str) -> float:
    try:
        found = float(value) if not isinstance(value, bool) and isinstance(value, Real) else math.nan
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise InputError(f"{name} must be a number, not {shown(value)}")
    return found


def _flag(value: object, name: str) -> bool:
    try:
        return bool(value)
    except ValueError:  # an array
        raise InputError(f"{name} must be true or false, not {shown(value)}") from None


def _function(value: object, name: str) -> object:
    if not callable(value):
        raise InputError(f"{name} must be a function, not {shown(value)}")
    return value


def _policy(value: object, name: str) -> object:
    if not isinstance(value, str) and not callable(value):
        raise InputError(f"{shown(value)} is no policy: give the name of one, or a function")
    return value


def _policies(value: object, name: str) -> object:
    return tuple(_policy(one, name) for one in _several(value, name))


def iterable(value: object) -> bool:
    """Whether a value has items; a NumPy array without dimensions has the method, but no items."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def _several(value: object, name: str) -> Iterable[object]:
    if not iterable(value) or isinstance(value, (str, bytes)):
        raise InputError(f"{name} must be several, as in a list, not {shown(value)}")
    assert isinstance(value, Iterable)
    return value


def named(path: object) -> Path:
    """The path that is told.

    Raises:
        InputError: no name of a file.
    """
    try:
        return Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{shown(path)}: {NO_NAME}") from None


def _path(value: object, name: str) -> object:
    return value if isinstance(value, (str, PurePath)) else named(value)


# by annotation; rooms add those of their own kinds
READERS: dict[str, Reader] = {
    "int": whole_number,
    "float": _number,
    "str": _text,
    "bool": _flag,
    "Callable": _function,
    "Progress": _function,
    "str | Decide": _policy,
    "Sequence[str | Decide]": _policies,
    "Iterable": _several,
    "Sequence": _several,
    "str | os.PathLike": _path,
}
