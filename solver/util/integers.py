"""Parsing of whole numbers as people write them."""

from __future__ import annotations

from numbers import Integral

from .errors import InputError, abbreviate, quote_text

MAX_DIGITS = 18  # of a number; every number with so many fits into an int64
MAX_CHARACTERS = 40  # of a number as typed, with its sign and leading zeros, which do not count as digits


def parse_whole_number(value: object, name: str) -> int:
    """Return a whole number from an integer or from text such as 5000, 5,000 or 5_000, in ASCII digits.

    Args:
        value: the number or text.
        name: the name of the value in an error message, such as "score" or "minimum=".

    Raises:
        InputError: it is not a whole number, or too long.
    """
    name = name.removesuffix("=")
    if type(value) is not bool and isinstance(value, Integral):  # Python's and NumPy's integers
        number = int(value)
    elif isinstance(value, str):
        number = _parse_digits(value, name)
    else:
        raise InputError(f"{name} must be a whole number, not {abbreviate(value)}")
    if abs(number) >= 10**MAX_DIGITS:
        raise InputError(f"{name} has too many digits; at most {MAX_DIGITS} are supported")
    return number


def _parse_digits(text: str, name: str) -> int:
    """Return a whole number from text in ASCII digits, perhaps with a sign; commas and underscores do not count.

    Args:
        text: the text.
        name: the name of the value in an error message.

    Raises:
        InputError: it is not a whole number, or has more than MAX_CHARACTERS characters.
    """
    digits = text.replace(",", "").replace("_", "")
    if len(digits) > MAX_CHARACTERS:
        raise InputError(f"{name} {digits[:MAX_DIGITS]}... has too many digits; at most {MAX_DIGITS} are supported")
    try:
        return int(digits.encode("ascii"))  # ``int`` alone would also accept the digits of other scripts
    except ValueError:
        raise InputError(f"{name} must be a whole number, not {quote_text(text)}") from None
