"""Whole numbers as people write them."""

from __future__ import annotations

from numbers import Integral

from .errors import InputError, shown

MOST_DIGITS = 18  # of a number; nobody counts further
LONGEST = 40  # characters of a number as typed


def whole_number(value: object, name: str) -> int:
    """Return a whole number as people type it: 5000, 5,000 or 5_000.

    ``name`` stands before it in the error line: "score", or "minimum=". Digits are those that dice show: 0 to 9.
    """
    named = name if name.endswith("=") else f"{name} "
    if type(value) is not bool and isinstance(value, Integral):  # NumPy's too
        number = int(value)
    else:
        text = value.replace(",", "").replace("_", "") if isinstance(value, str) else ""
        if len(text) > LONGEST:
            raise InputError(f"{named}{text[:MOST_DIGITS]}... is longer than any number here")
        try:
            number = int(text.encode("ascii"))
        except ValueError:
            raise InputError(f"{named}{shown(value)} is not a whole number") from None
    if abs(number) >= 10**MOST_DIGITS:
        raise InputError(f"{name.removesuffix('=')} has more than {MOST_DIGITS} digits: nobody counts so far")
    return number
