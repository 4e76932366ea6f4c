"""A policy that is somebody's Python function in a file, ``mine.py:careful``."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..ground.errors import InputError, shown
from ..ground.text import unseen
from ..play.spoken import read_choice
from ..play.table import Choice, Table

if TYPE_CHECKING:
    from .evaluated import Choose


def function_of(policy: str, table: Table[Any]) -> Choose:
    """What a function in a file does: ``choose(table, position)`` returns a choice, its words or its number.

    This runs the file. Whoever asks has been told the policy by who sits at the computer, never by a file.

    Raises:
        InputError: no such file or function, or one that fails.
    """
    path, _, name = policy.partition(":")
    if unseen(path) or not Path(path).is_file():
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
        choices = table.choices(position)
        return made if made in choices else read_choice(table, position, str(made))

    player.__name__ = policy
    return player


def _failure(error: BaseException) -> str:
    """Return the type and the message of an exception, whatever its message may be."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an exception whose text fails too
        return shown(error)
