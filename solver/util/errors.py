"""The errors a caller may see. Each carries one line: what is wrong, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable

from .text import escape_invisible, fold_name

MAX_SHOWN_CHARACTERS = 60  # characters of what was told that a message repeats


class KeepwiseError(Exception):
    """Base of every error that Keepwise raises on purpose: one line; what cannot be seen in its message is escaped."""

    def __init__(self, message: object = "") -> None:
        super().__init__(escape_invisible(str(message)))


class InputError(KeepwiseError, ValueError):
    """A rule, position, roll or other argument that cannot be: mend the input."""


class HouseRuleError(InputError):
    """A rule that cannot be; ``path`` leads to it: keys, and places in lists from 0; ``other`` to one that it names."""

    def __init__(self, message: str, *path: str | int, other: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path, self.other = path, other


class TooMuchError(InputError):
    """A question that takes more time or memory than is spent unasked.

    ``what`` says what it takes. ``whole_table``: the way on is to solve the whole question once and keep its table;
    ``anyway``: it is to be asked for in spite of what it takes.
    """

    def __init__(self, what: str, whole_table: bool = False, anyway: bool = True) -> None:
        self.what, self.whole_table, self.anyway = what, whole_table, anyway
        remedy = "solve it with fresh=True and save the table" if whole_table else "anyway=True solves it all the same"
        super().__init__(f"{what}; {remedy}")


class TableError(KeepwiseError, ValueError):
    """A value table that cannot be trusted or read: damaged, foreign, or made for other rules."""


class SolveError(KeepwiseError, RuntimeError):
    """A solve that did not reach its stated bound. No value is returned."""


def abbreviate(value: object) -> str:
    """What was told, in a message: not more than a line can bear."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except Exception:  # a number of thousands of digits, or what cannot even be shown
        text = f"what cannot be shown ({type(value).__name__})"
    words = " ".join(text.split())
    return words if len(words) <= MAX_SHOWN_CHARACTERS else f"{words[: MAX_SHOWN_CHARACTERS - 3]}..."


def closest_name(word: object, known_names: Iterable[object]) -> str | None:
    """Return what is spelled most like a word; None where nothing is."""
    import difflib

    return next(iter(difflib.get_close_matches(str(word).lower(), map(str, known_names), n=1)), None)


def suggest_name(word: object, known_names: Iterable[object]) -> str:
    """Return ``; did you mean X?`` or the list of known names, to end an error line.

    All names that begin with the word are suggested, otherwise the one that is spelled most like it.
    """
    names = [str(name) for name in known_names]
    typed = fold_name(str(word))
    begun = [name for name in names if fold_name(name).startswith(typed)] if typed else []
    close = closest_name(word, names)
    suggested = begun or ([] if close is None else [close])
    if not suggested:
        return f"; known: {', '.join(names)}"
    *others, last = suggested
    return f"; did you mean {', '.join(others)}{' or ' if others else ''}{last}?"
