"""The errors that Keepwise raises. Each message is one line: what is wrong, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .text import escape_invisible, fold_name

MAX_SHOWN_CHARACTERS = 60  # of a value that a message repeats
ELLIPSIS = "..."
MIN_SIMILARITY = 0.65  # of a name that is suggested, from 0 to 1
ARGUMENT_MARK = "\ufdd0"  # stands before and after a name of an argument; Unicode reserves it for internal use
MARKED_ARGUMENT = rf"{ARGUMENT_MARK}(\w+){ARGUMENT_MARK}"  # compiled when a message is formatted


def argument(name: str) -> str:
    """Return the name of an argument between marks, for use in the message of a ``KeepwiseError``.

    Users of Python type an argument as ``turns_left``, and users of the command line as ``--turns-left``. The marks
    show which words of a message are arguments. So each of them sees their own form (see ``KeepwiseError.format``).
    """
    return f"{ARGUMENT_MARK}{name}{ARGUMENT_MARK}"


def option_name(argument_name: str) -> str:
    """Return the option of the command line that gives an argument: ``--turns-left`` for ``turns_left``."""
    return f"--{argument_name.replace('_', '-')}"


class KeepwiseError(Exception):
    """Base class of all errors that Keepwise raises on purpose.

    The message shows invisible characters as escapes.

    Attributes:
        marked_message: the message with marks around names of arguments (see ``argument``). A message that continues
            this one begins with it.
    """

    def __init__(self, message: object = "") -> None:
        self.marked_message = str(message)
        super().__init__(self.format(str))

    def format(self, format_argument: Callable[[str], str]) -> str:
        """Return the message with the names of arguments as users type them, in Python or on the command line.

        Args:
            format_argument: returns what users type for the name of an argument: ``option_name`` for the command line,
                or ``str`` for Python.
        """
        # Text and names alternate: the parts with an odd index are the names that stood between marks.
        parts = [escape_invisible(part) for part in re.split(MARKED_ARGUMENT, self.marked_message)]
        parts[1::2] = [format_argument(name) for name in parts[1::2]]
        return "".join(parts)


class InputError(KeepwiseError, ValueError):
    """A rule, position, roll or other argument is invalid."""


class HouseRuleError(InputError):
    """A rule in a rule file is invalid.

    Attributes:
        path: where the rule stands in the file: keys, and indices in lists from 0, such as ``("singles", "5")``.
        other_path: the path of a second rule that the message names, or empty.
    """

    def __init__(self, message: str, *path: str | int, other_path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path = path
        self.other_path = other_path


class TooMuchError(InputError):
    """A solve or an answer would take more time or memory than Keepwise uses unless the user allows it.

    The message ends with a remedy for callers of the Python API. The command line reads the attributes, and words a
    remedy of its own.

    Attributes:
        requirement: the beginning of the message: the task, with the time and memory that it takes.
        allowing_function: the function that the message advises to pass ``anyway=True`` to; "" for the called one.
        needs_whole_table: True if the message advises to solve the whole problem once and save its table, False if it
            advises to pass ``anyway=True``.
        can_override: True if the user can allow the task in spite of what it takes.
        is_out_of_reach: True if the task takes so much that to allow it would not help.
    """

    def __init__(
        self,
        requirement: str,
        needs_whole_table: bool = False,
        can_override: bool = True,
        is_out_of_reach: bool = False,
        allowing_function: str = "",
    ) -> None:
        self.requirement = requirement
        self.allowing_function = allowing_function
        self.needs_whole_table = needs_whole_table
        self.can_override = can_override
        self.is_out_of_reach = is_out_of_reach
        if needs_whole_table:
            remedy = "solve it with fresh=True and save the table"
        else:
            remedy = f"pass anyway=True to {f'{allowing_function} to ' if allowing_function else ''}allow it"
        super().__init__(f"{requirement}; {remedy}")


class TableError(KeepwiseError, ValueError):
    """A value table cannot be read or trusted: it is damaged, foreign, or made for other rules."""


class SolveError(KeepwiseError, RuntimeError):
    """A solve did not reach its error bound, so there are no values."""


def abbreviate(value: object) -> str:
    """Return a value as one line of text for a message, cut to ``MAX_SHOWN_CHARACTERS`` characters."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except Exception:  # Python refuses to show a number of thousands of digits, for example
        text = f"a value that cannot be shown ({type(value).__name__})"
    line = " ".join(text.split())
    if len(line) <= MAX_SHOWN_CHARACTERS:
        return line
    return line[: MAX_SHOWN_CHARACTERS - len(ELLIPSIS)] + ELLIPSIS


def quote_text(value: object) -> str:
    """Return a value for the end of a message such as ``must be a whole number, not 'six'``.

    Text is quoted if it has a letter, so that it is not read as a word of the message.
    """
    shown = abbreviate(value)
    return f"'{shown}'" if isinstance(value, str) and any(map(str.isalpha, shown)) else shown or "empty"


def closest_name(word: object, known_names: Iterable[object]) -> str | None:
    """Return the known name whose spelling is closest to a word, or None if none is close.

    Args:
        word: what was typed; capital letters count as small ones.
        known_names: the names that exist, in small letters.
    """
    import difflib

    names = [str(name) for name in known_names]
    close_names = difflib.get_close_matches(str(word).lower(), names, n=1, cutoff=MIN_SIMILARITY)
    return close_names[0] if close_names else None


def suggest_name(word: object, known_names: Iterable[object]) -> str:
    """Return the end of a message about an unknown name: ``; did you mean X?`` or ``; known: X, Y, Z``.

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
    return f"; did you mean {list_alternatives(suggestions)}?"


def list_alternatives(words: Iterable[object]) -> str:
    """Return words as alternatives: ``A, B or C``."""
    *first_words, last_word = map(str, words)
    return f"{', '.join(first_words)} or {last_word}" if first_words else last_word


def list_allowed(words: Iterable[object]) -> str:
    """Return the values that something may have: ``A or B``, or ``one of A, B, C``."""
    texts = list(map(str, words))
    return " or ".join(texts) if len(texts) < 3 else f"one of {', '.join(texts)}"


def add_hint(message: str, hint: str) -> str:
    """Return a message with a hint at its end: after a semicolon, or as a new sentence if the message is a question.

    Args:
        message: the message, without a full stop.
        hint: how to fix what is wrong, with a small first letter and without a full stop.
    """
    if message.endswith("?"):
        return f"{message} {hint[0].upper()}{hint[1:]}"
    return f"{message}; {hint}"


def _names_with_prefix(word: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin with a word, both in folded form (``fold_name``); none for a blank word.

    Args:
        word: what was typed.
        names: the names that exist.
    """
    folded_word = fold_name(word)
    if not folded_word:
        return []
    return [name for name in names if fold_name(name).startswith(folded_word)]
