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

from .errors import InputError, abbreviate
from .integers import parse_whole_number

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Validator = Callable[[object, str], object]

INVALID_FILE_NAME = "no file can have this name"


def validate_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function, with its arguments read first; InputError where one is not what its annotation says."""

    @cache  # looked at when it is first called
    def looked() -> tuple[Signature, dict[str, Validator]]:
        asked = signature(function)
        read = {name: _validator(str(one.annotation)) for name, one in asked.parameters.items()}
        return asked, {name: reader for name, reader in read.items() if reader}

    @wraps(function)
    def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
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


def make_module_callable(module: str, function: Callable[..., Any]) -> None:
    """Let a package that is named like its function be called as that function: ``keepwise.play(...)``, whether or not
    the package has been imported by name, which puts it in the function's place.
    """
    sys.modules[module].__class__ = type("Called", (ModuleType,), {"__call__": staticmethod(function)})


def _validator(annotation: str) -> Validator | None:
    """What reads arguments of an annotation; None where it leaves open what they are."""
    kind, optional, _ = annotation.partition(" | None")
    reader = next((VALIDATORS[known] for known in VALIDATORS if kind == known or kind.startswith(f"{known}[")), None)
    if reader is None or not optional:
        return reader
    return lambda value, name: None if value is None else reader(value, name)


def _validate_text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, not {abbreviate(value)}")
    return value


def _validate_number(value: object, name: str) -> float:
    try:
        found = float(value) if not isinstance(value, bool) and isinstance(value, Real) else math.nan
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise InputError(f"{name} must be a number, not {abbreviate(value)}")
    return found


def _validate_flag(value: object, name: str) -> bool:
    try:
        return bool(value)
    except ValueError:  # an array
        raise InputError(f"{name} must be true or false, not {abbreviate(value)}") from None


def _validate_function(value: object, name: str) -> object:
    if not callable(value):
        raise InputError(f"{name} must be a function, not {abbreviate(value)}")
    return value


def _validate_policy(value: object, name: str) -> object:
    if not isinstance(value, str) and not callable(value):
        raise InputError(f"{abbreviate(value)} is no policy: give the name of one, or a function")
    return value


def _validate_policies(value: object, name: str) -> object:
    return tuple(_validate_policy(one, name) for one in _validate_iterable(value, name))


def iterable(value: object) -> bool:
    """Whether a value has items; a NumPy array without dimensions has the method, but no items."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def _validate_iterable(value: object, name: str) -> Iterable[object]:
    if not iterable(value) or isinstance(value, (str, bytes)):
        raise InputError(f"{name} must be several, as in a list, not {abbreviate(value)}")
    assert isinstance(value, Iterable)
    return value


def to_path(path: object) -> Path:
    """The path that is told.

    Raises:
        InputError: no name of a file.
    """
    try:
        return Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{abbreviate(path)}: {INVALID_FILE_NAME}") from None


def _validate_path(value: object, name: str) -> object:
    return value if isinstance(value, (str, PurePath)) else to_path(value)


# by annotation; rooms add those of their own kinds
VALIDATORS: dict[str, Validator] = {
    "int": parse_whole_number,
    "float": _validate_number,
    "str": _validate_text,
    "bool": _validate_flag,
    "Callable": _validate_function,
    "Progress": _validate_function,
    "str | Decide": _validate_policy,
    "Sequence[str | Decide]": _validate_policies,
    "Iterable": _validate_iterable,
    "Sequence": _validate_iterable,
    "str | os.PathLike": _validate_path,
}
