"""A policy that is somebody's Python function in a file, ``mine.py:careful``."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from contextlib import suppress
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..play.input_parser import listed, read_choice
from ..play.playable_game import Choice, Table
from ..util.errors import InputError, abbreviate
from ..util.text import first_invisible

if TYPE_CHECKING:
    from .evaluation import Choose


def function_of(policy: str, table: Table[Any]) -> Choose:
    """What a function in a file does: ``choose(table, position)`` returns a choice, its words or its number.

    This runs the file. Whoever asks has been told the policy by who sits at the computer, never by a file.

    Raises:
        InputError: no such file or function, or one that fails.
    """
    path, _, name = policy.partition(":")
    if first_invisible(path) or not Path(path).is_file():
        raise InputError(f"there is no file {path}: a player of your own is FILE.py:FUNCTION")
    spec = importlib.util.spec_from_file_location("keepwise_player", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a player's program raises
        raise InputError(f"{path} fails: {_failure(error)}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(f"{path} has no function {name or '(none is named)'}: write {path}:FUNCTION")

    def player(position: Any) -> Choice[Any]:
        try:
            made = function(table, position)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a player's program raises
            raise InputError(f"{path}:{name} fails at {table.id(position)}: {_failure(error)}") from None
        return returned_choice(table, position, made, f"{path}:{name}")

    player.__name__ = policy
    return player


def _failure(error: BaseException) -> str:
    """Return the type and the message of an exception, whatever its message may be."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an exception whose text fails too
        return abbreviate(error)


def returned_choice(table: Table[Any], position: Any, returned: object, function: str) -> Choice[Any]:
    """Return the choice that a policy function has returned: a choice of this position, its words or its number.

    Args:
        function: the name of the function in messages.

    Raises:
        InputError: anything else, or words that fit several choices; it names the function and the position.
    """
    choices = table.choices(position)
    if isinstance(returned, Choice):
        for choice in choices:
            if (choice.action, choice.after) == (returned.action, returned.after):
                return choice
    elif not isinstance(returned, bool) and isinstance(returned, Integral):
        if 1 <= int(returned) <= len(choices):
            return choices[int(returned) - 1]
    elif isinstance(returned, str):
        with suppress(InputError):
            return read_choice(table, position, returned)
    made = returned.action if isinstance(returned, Choice) else returned
    value = abbreviate(repr(made) if isinstance(made, str) else made)
    raise InputError(
        f"{function} returned {value} at {table.id(position)}; it must return one of the choices, its words or its"
        f" number from 1 to {len(choices)}: {listed(choices)}"
    )


def source_name(function: Callable[..., Any], name: str) -> str:
    """Return the name of a Python function with the file that defines it, where that is known."""
    code = getattr(function, "__code__", None)
    return name if code is None else f"{code.co_filename}:{name}"
