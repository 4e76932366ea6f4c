"""The errors that Keepwise raises. Each message is one line: what is wrong, and how to fix it."""

from __future__ import annotations

from collections.abc import Iterable

from .text import escape_invisible, fold_name

MAX_SHOWN_CHARACTERS = 60  # of a value that a message repeats


class KeepwiseError(Exception):
    """Base class of all errors that Keepwise raises on purpose; invisible characters in the message are escaped."""

    def __init__(self, message: object = "") -> None:
        super().__init__(escape_invisible(str(message)))


class InputError(KeepwiseError, ValueError):
    """A rule, position, roll or other argument is invalid."""


class HouseRuleError(InputError):
    """A rule in a rule file is invalid.

    ``path`` leads to the rule by keys and by indices in lists from 0. ``other_path`` is the path of a second rule
    that the message names, or empty.
    """

    def __init__(self, message: str, *path: str | int, other_path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path, self.other_path = path, other_path


class TooMuchError(InputError):
    """A solve or an answer would take more time or memory than is spent without a request.

    Args:
        requirement: the task and what it takes.
        needs_whole_table: the remedy is to solve the whole problem once and save its table.
        can_override: the task can be requested in spite of what it takes.
    """

    def __init__(self, requirement: str, needs_whole_table: bool = False, can_override: bool = True) -> None:
        self.requirement, self.needs_whole_table, self.can_override = requirement, needs_whole_table, can_override
        remedy = (
            "solve it with fresh=True and save the table" if needs_whole_table else "anyway=True solves it all the same"
        )
        super().__init__(f"{requirement}; {remedy}")


class TableError(KeepwiseError, ValueError):
    """A value table cannot be read or trusted: it is damaged, foreign, or made for other rules."""


class SolveError(KeepwiseError, RuntimeError):
    """A solve did not reach its error bound, so there are no values."""


def abbreviate(value: object) -> str:
    """Return a value as text for a message, cut to ``MAX_SHOWN_CHARACTERS``."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except Exception:  # such as a number of thousands of digits
        text = f"a value that cannot be shown ({type(value).__name__})"
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN_CHARACTERS else f"{line[: MAX_SHOWN_CHARACTERS - 3]}..."


def closest_name(word: object, known_names: Iterable[object]) -> str | None:
    """Return the known name whose spelling is closest to a word, or None if none is close."""
    import difflib

    return next(iter(difflib.get_close_matches(str(word).lower(), map(str, known_names), n=1)), None)


def suggest_name(word: object, known_names: Iterable[object]) -> str:
    """Return the end of a message about an unknown name: ``; did you mean X?`` or the list of known names.

    All names that begin with the word are suggested, otherwise the one whose spelling is closest.
    """
    names = [str(name) for name in known_names]
    folded_word = fold_name(str(word))
    suggestions = [name for name in names if fold_name(name).startswith(folded_word)] if folded_word else []
    if not suggestions and (closest := closest_name(word, names)) is not None:
        suggestions = [closest]
    if not suggestions:
        return f"; known: {', '.join(names)}"
    *first_names, last_name = suggestions
    return f"; did you mean {', '.join(first_names)}{' or ' if first_names else ''}{last_name}?"
