"""The errors that Keepwise raises. Each message is one line: what is wrong, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .text import escape_invisible, fold_name

MAX_SHOWN_CHARACTERS = 60  # of a value that a message repeats
ELLIPSIS = "..."
ARGUMENT_MARK = "\ufdd0"  # around names of arguments; reserved for programs, but a user may type one
MARKED_ARGUMENT = re.compile(rf"{ARGUMENT_MARK}(\w+){ARGUMENT_MARK}")


def argument(name: str) -> str:
    """Return the name of an argument for the message of a ``KeepwiseError``, marked as a name.

    Python and JSON write an argument by its name alone, and the command line as an option. So the message says which
    of its words are arguments, and each front end writes them with ``KeepwiseError.format``.
    """
    return f"{ARGUMENT_MARK}{name}{ARGUMENT_MARK}"


def option_name(argument_name: str) -> str:
    """Return the option of the command line that gives an argument: ``--turns-left`` for ``turns_left``."""
    return f"--{argument_name.replace('_', '-')}"


class KeepwiseError(Exception):
    """Base class of all errors that Keepwise raises on purpose; invisible characters in the message are escaped.

    Attributes:
        marked_message: the message, in which names of arguments are marked (see ``argument``); for a message that
            continues this one.
    """

    def __init__(self, message: object = "") -> None:
        self.marked_message = str(message)
        super().__init__(self.format(str))

    def format(self, format_argument: Callable[[str], str]) -> str:
        """Return the message, with the names of arguments as the users of a front end type them.

        Args:
            format_argument: the function that writes a name, such as ``option_name``.
        """
        parts = [escape_invisible(part) for part in MARKED_ARGUMENT.split(self.marked_message)]
        parts[1::2] = [format_argument(name) for name in parts[1::2]]
        return "".join(parts)


class InputError(KeepwiseError, ValueError):
    """A rule, position, roll or other argument is invalid."""


class HouseRuleError(InputError):
    """A rule in a rule file is invalid.

    Attributes:
        path: where the rule stands: keys, and indices in lists from 0, such as ``("singles", "5")``.
        other_path: the path of a second rule that the message names, or empty.
    """

    def __init__(self, message: str, *path: str | int, other_path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path = path
        self.other_path = other_path


class TooMuchError(InputError):
    """A solve or an answer would take more time or memory than is spent without a request.

    Attributes:
        requirement: the task and what it takes, the beginning of the message.
        needs_whole_table: the remedy is to solve the whole problem once and save its table.
        can_override: the task can be requested in spite of what it takes.
    """

    def __init__(self, requirement: str, needs_whole_table: bool = False, can_override: bool = True) -> None:
        self.requirement = requirement
        self.needs_whole_table = needs_whole_table
        self.can_override = can_override
        if needs_whole_table:
            remedy = "solve it with fresh=True and save the table"
        else:
            remedy = "pass anyway=True to solve it anyway"
        super().__init__(f"{requirement}; {remedy}")


class TableError(KeepwiseError, ValueError):
    """A value table cannot be read or trusted: it is damaged, foreign, or made for other rules."""


class SolveError(KeepwiseError, RuntimeError):
    """A solve did not reach its error bound, so there are no values."""


def abbreviate(value: object) -> str:
    """Return a value as one line of text for a message, cut to ``MAX_SHOWN_CHARACTERS``."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except Exception:  # such as a number of thousands of digits
        text = f"a value that cannot be shown ({type(value).__name__})"
    line = " ".join(text.split())
    if len(line) <= MAX_SHOWN_CHARACTERS:
        return line
    return line[: MAX_SHOWN_CHARACTERS - len(ELLIPSIS)] + ELLIPSIS


def closest_name(word: object, known_names: Iterable[object]) -> str | None:
    """Return the known name whose spelling is closest to a word, or None if none is close."""
    import difflib

    names = [str(name) for name in known_names]
    close_names = difflib.get_close_matches(str(word).lower(), names, n=1)
    return close_names[0] if close_names else None


def suggest_name(word: object, known_names: Iterable[object]) -> str:
    """Return the end of a message about an unknown name: ``; did you mean X?`` or the list of known names.

    All names that begin with the word are suggested, otherwise the one whose spelling is closest.

    Args:
        word: what was typed.
        known_names: the names that exist.
    """
    names = [str(name) for name in known_names]
    suggestions = _names_with_prefix(str(word), names)
    if not suggestions:
        closest = closest_name(word, names)
        if closest is None:
            return f"; known: {', '.join(names)}"
        suggestions = [closest]
    *first_names, last_name = suggestions
    if not first_names:
        return f"; did you mean {last_name}?"
    return f"; did you mean {', '.join(first_names)} or {last_name}?"


def add_hint(message: str, hint: str) -> str:
    """Return a message with a hint: after a semicolon, or as a sentence of its own if the message is a question.

    Args:
        message: the message.
        hint: the hint, with a small first letter and without a full stop.
    """
    if message.endswith("?"):
        return f"{message} {hint[0].upper()}{hint[1:]}"
    return f"{message}; {hint}"


def _names_with_prefix(word: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin with a word, without the differences that typing may make; none for a blank word."""
    folded_word = fold_name(word)
    if not folded_word:
        return []
    return [name for name in names if fold_name(name).startswith(folded_word)]
