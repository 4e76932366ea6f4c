"""Policies that are Python functions: of a program that uses Keepwise, or in a file (``mine.py:careful``)."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from inspect import Parameter, signature
from numbers import Integral
from pathlib import Path
from types import ModuleType
from typing import Any

from ..play.input_parser import list_choices, parse_choice
from ..play.playable_game import Choice, PlayableGame
from ..util.errors import InputError, abbreviate
from ..util.text import first_invisible
from .policy import PolicyFunction

MODULE_NAME = "keepwise_player"  # of a file of policies, once it is imported


@dataclass(frozen=True)
class FunctionPolicy:
    """A Python function as a policy.

    Attributes:
        name: what answers call the policy.
        function: called with a position, or with the playable game and a position.
        source: the file and the name of the function, for messages.
        takes_playable: the function's first argument is the playable game.
        reports_errors: an exception of the function becomes an InputError with the position; else it is passed on.
    """

    name: str
    function: PolicyFunction
    source: str
    takes_playable: bool
    reports_errors: bool = False

    def choose(self, playable: PlayableGame[Any], position: Any) -> Choice[Any]:
        """Return the choice that the function names.

        Raises:
            InputError: the function returns something that is not a choice of this position.
        """
        arguments = (playable, position) if self.takes_playable else (position,)
        if not self.reports_errors:
            return parse_returned_choice(playable, position, self.function(*arguments), self.source)
        try:
            returned = self.function(*arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a program of the user may raise anything
            raise InputError(f"{self.source} fails at {playable.id(position)}: {_describe(error)}") from None
        return parse_returned_choice(playable, position, returned, self.source)

    def explain(self, playable: PlayableGame[Any], position: Any) -> str:
        """Return the choice in words, because a function gives no reasons."""
        return self.choose(playable, position).action

    def observation_key(self, start: Any) -> Hashable:
        """Return the whole position: a function may look at all of it."""
        key: Hashable = start
        return key


def make_function_policy(function: PolicyFunction) -> FunctionPolicy:
    """Return a function of a calling program as a policy; it takes a position, or the playable game and a position."""
    name = getattr(function, "__name__", "function")
    code = getattr(function, "__code__", None)
    source = name if code is None else f"{code.co_filename}:{name}"
    return FunctionPolicy(name, function, source, takes_playable=_required_argument_count(function) == 2)


def load_function_policy(text: str) -> FunctionPolicy:
    """Import a file and return one of its functions as a policy.

    This runs the file. So the text must come from the person at the computer, never from a file.

    Args:
        text: ``FILE.py:FUNCTION``. The function takes the playable game and a position, or only a position.

    Raises:
        InputError: no such file or function, or the file fails.
    """
    path, _, name = text.partition(":")
    if first_invisible(path) or not Path(path).is_file():
        raise InputError(f"cannot read {path}: file not found; write a policy of your own as FILE.py:FUNCTION")
    function = getattr(_import_file(path), name, None)
    if not callable(function):
        problem = f"{path} does not have a function {name}" if name else f"missing function name: {text}"
        raise InputError(f"{problem}; write {path}:FUNCTION")
    takes_playable = _required_argument_count(function) != 1
    return FunctionPolicy(text, function, f"{path}:{name}", takes_playable, reports_errors=True)


def _import_file(path: str) -> ModuleType:
    """Run a Python file and return its module."""
    spec = importlib.util.spec_from_file_location(MODULE_NAME, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a program of the user may raise anything
        raise InputError(f"{path} fails: {_describe(error)}") from None
    return module


def _required_argument_count(function: PolicyFunction) -> int:
    """Return the number of positional arguments without a default; 0 if the function does not tell."""
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions
        return 0
    return sum(parameter.kind in positional and parameter.default is Parameter.empty for parameter in parameters)


def _describe(error: BaseException) -> str:
    """Return the type and the message of an exception, whatever its message may be."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an exception whose text fails too
        return abbreviate(error)


def parse_returned_choice(playable: PlayableGame[Any], position: Any, return_value: object, source: str) -> Choice[Any]:
    """Return the choice that a policy function has returned.

    Args:
        playable: the game.
        position: the decision position.
        return_value: a choice of this position, its words, or its number from 1.
        source: the name of the function in messages.

    Raises:
        InputError: anything else, or words that fit several choices; it names the function and the position.
    """
    choices = playable.choices(position)
    if isinstance(return_value, Choice):
        for choice in choices:
            if (choice.meaning, choice.after) == (return_value.meaning, return_value.after):
                return choice
    elif not isinstance(return_value, bool) and isinstance(return_value, Integral):
        if 1 <= int(return_value) <= len(choices):
            return choices[int(return_value) - 1]
    elif isinstance(return_value, str):
        with suppress(InputError):
            return parse_choice(playable, position, return_value)
    answer = return_value.action if isinstance(return_value, Choice) else return_value
    value = abbreviate(repr(answer) if isinstance(answer, str) else answer)
    raise InputError(
        f"{source} returned {value} at {playable.id(position)}; it must return a choice, its text or its number from"
        f" 1 to {len(choices)}: {list_choices(choices)}"
    )
