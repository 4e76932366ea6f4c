"""Whole numbers as people write them."""

from __future__ import annotations

from numbers import Integral

from .errors import InputError, abbreviate

MAX_DIGITS = 18  # of a number; nobody counts further
MAX_CHARACTERS = 40  # characters of a number as typed


def parse_whole_number(value: object, name: str) -> int:
    """Return a whole number as people type it: 5000, 5,000 or 5_000.

    ``name`` stands before it in the error line: "score", or "minimum=". Digits are those that dice show: 0 to 9.
    """
    named = name if name.endswith("=") else f"{name} "
    if type(value) is not bool and isinstance(value, Integral):  # NumPy's too
        number = int(value)
    else:
        text = value.replace(",", "").replace("_", "") if isinstance(value, str) else ""
        if len(text) > MAX_CHARACTERS:
            raise InputError(f"{named}{text[:MAX_DIGITS]}... is longer than any number here")
        try:
            number = int(text.encode("ascii"))
        except ValueError:
            raise InputError(f"{named}{abbreviate(value)} is not a whole number") from None
    if abs(number) >= 10**MAX_DIGITS:
        raise InputError(f"{name.removesuffix('=')} has more than {MAX_DIGITS} digits: nobody counts so far")
    return number
