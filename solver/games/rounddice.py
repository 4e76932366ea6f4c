"""Reading dice and numbers of the games by the round."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InputError


def pick_roll(roll: object, dice: int | None, faces: Sequence[str]) -> list[str]:
    """Return the dice of a roll: ``"66345"``, ``"6,6,3,4,5"`` or a sequence; exactly ``dice`` of them if given."""
    if isinstance(roll, str):
        words = roll.replace(",", " ").split()
        shown = list(words[0]) if len(words) == 1 else words
    elif isinstance(roll, Sequence):
        shown = [str(face) for face in roll]
    else:
        raise InputError(f"{roll!r} is no roll")
    for face in shown:
        if face not in faces:
            raise InputError(f"no die shows {face}; its faces are {', '.join(faces)}")
    if dice is not None and len(shown) != dice:
        raise InputError(f"{len(shown)} dice given, but {dice} lie on the table: give all of them")
    return shown


def pick_number(value: object, name: str, low: int = 0) -> int:
    """Return a whole number from ``low`` on."""
    try:
        number = int(str(value).strip().replace("_", "").replace(",", ""))
    except ValueError:
        raise InputError(f"{name} {value} is not a whole number") from None
    if number < low:
        raise InputError(f"{name} {number} must not be below {low}")
    return number
