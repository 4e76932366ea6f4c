"""Parsing of whole numbers as people write them."""

from __future__ import annotations

from numbers import Integral

from .errors import InputError, abbreviate

MAX_DIGITS = 18  # of a number, not too many for int64
MAX_CHARACTERS = 40  # of a number as typed


def parse_whole_number(value: object, name: str) -> int:
    """Return a whole number from an integer or from text such as 5000, 5,000 or 5_000, in ASCII digits.

    Args:
        value: the number or text.
        name: the name in front of the value in an error message, such as "score" or "minimum=".

    Raises:
        InputError: it is not a whole number, or too long.
    """
    prefix = name if name.endswith("=") else f"{name} "
    if type(value) is not bool and isinstance(value, Integral):  # also of NumPy
        number = int(value)
    else:
        text = value.replace(",", "").replace("_", "") if isinstance(value, str) else ""
        if len(text) > MAX_CHARACTERS:
            raise InputError(f"{prefix}{text[:MAX_DIGITS]}... is longer than any number here")
        try:
            number = int(text.encode("ascii"))
        except ValueError:
            raise InputError(f"{prefix}{abbreviate(value)} is not a whole number") from None
    if abs(number) >= 10**MAX_DIGITS:
        raise InputError(f"{name.removesuffix('=')} has more than {MAX_DIGITS} digits: nobody counts so far")
    return number
