"""Positions of card games: which categories are used, what they hold, the throw, and what cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, nearest
from .cards import Card


@dataclass(frozen=True)
class CardPosition:
    """A position. ``used`` is a mask of categories, ``upper`` the upper total (capped at the bonus), ``flag`` whether
    the Yahtzee box holds its points; ``throw`` counts from 1, ``roll`` holds the counts of faces, None before a turn.
    ``seat`` is 1 for the player who goes second. ``score`` and ``opponent`` are totals without the upper bonus.
    """

    used: int
    opponent_used: int = 0
    score: int = 0
    opponent: int = 0
    upper: int = 0
    flag: int = 0
    throw: int = 1
    roll: tuple[int, ...] | None = None


def read_used(card: Card, used: object, whose: str = "used") -> tuple[int, dict[int, int]]:
    """Return the mask of used categories, and the points of those that are given with their points (``sixes=24``)."""
    words = used.split(",") if isinstance(used, str) else used
    if not isinstance(words, Sequence):
        raise InputError(f"{whose} must list categories, such as {card.names[0]},{card.names[1]}")
    mask, points = 0, {}
    for word in words:
        name, equals, text = str(word).partition("=")
        name = " ".join(name.replace("_", " ").lower().split())
        if not name:
            continue
        if name not in card.names:
            starts = [known for known in card.names if known.startswith(name)]
            if len(starts) != 1:
                raise InputError(f"there is no category {name}{nearest(name, card.names)}")
            (name,) = starts
        number = card.names.index(name)
        if mask >> number & 1:
            raise InputError(f"the category {name} is used twice")
        mask |= 1 << number
        if equals:
            points[number] = read_number(text, f"{name}=")
            possible = {*card.part_scores[number].tolist()}
            if card.joker != "none" and isinstance(card.categories[number].of_joker, int):
                possible.add(int(card.categories[number].points))
            if points[number] not in possible:
                raise InputError(f"{name} cannot hold {points[number]} points")
    if mask == card.full and whose == "used":
        raise InputError("every category is used: the card is over")
    if mask.bit_count() % card.boxes:
        raise InputError(
            f"{mask.bit_count()} categories are used, but every turn fills {card.boxes}: an even number must be"
        )
    return mask, points


def read_number(value: object, name: str) -> int:
    """Return a whole number from 0 on."""
    try:
        number = int(str(value).strip().replace("_", ""))
    except ValueError:
        raise InputError(f"{name} {value} is not a whole number".replace("= ", "=")) from None
    if number < 0:
        raise InputError(f"{name} {value} must not be negative".replace("= ", "="))
    return number


def read_throw(card: Card, throw: object, roll: object) -> tuple[int, tuple[int, ...] | None]:
    """Return the number of the throw and the counts of its faces."""
    if roll is None:
        if throw not in (None, 1, "1"):
            raise InputError(f"after throw {throw} the roll must be given")
        return 1, None
    number = 1 if throw is None else read_number(throw, "throw")
    if not 1 <= number <= card.throws:
        raise InputError(f"throw {number} must lie between 1 and {card.throws}")
    words: Sequence[object]
    if isinstance(roll, str):
        split = roll.replace(",", " ").split()
        words = list(split[0]) if len(split) == 1 and card.faces < 10 else split
    elif isinstance(roll, Sequence):
        words = roll
    else:
        raise InputError(f"{roll!r} is no roll of {card.dice} dice")
    faces = [str(face) for face in range(1, card.faces + 1)]
    for word in words:
        if str(word) not in faces:
            raise InputError(f"no die shows {word}; its faces are 1 to {card.faces}")
    if len(words) != card.dice:
        raise InputError(f"{len(words)} dice, but the game is played with {card.dice}: give all as they lie")
    shown = [str(word) for word in words]
    return number, tuple(shown.count(face) for face in faces)


def read_card(
    card: Card, used: object, throw: object, roll: object, upper: object, needs_score: bool, score: object
) -> CardPosition:
    """Check one player's card and throw."""
    mask, points = read_used(card, used)
    again = card.names.index(card.again) if card.again else -1
    flag = 0
    if card.flags == 2 and again >= 0 and mask >> again & 1:
        if again not in points:
            most = int(card.part_scores[again].max())
            raise InputError(f"say what the {card.again} box holds: {card.again}={most} or {card.again}=0")
        flag = int(points[again] > 0)
    total = _upper(card, mask, points, upper)
    held = 0
    if needs_score:
        held = _score(card, mask, points, flag, score)
    elif score is not None:
        raise InputError("the points to come do not depend on the score; leave it out")
    return CardPosition(mask, 0, held, 0, total, flag, *read_throw(card, throw, roll))


def _upper(card: Card, mask: int, points: dict[int, int], upper: object) -> int:
    filled = [number for number in range(len(card.names)) if mask & card.upper_mask & 1 << number]
    known = all(number in points for number in filled)
    total = sum(points.get(number, 0) for number in filled)
    if upper is not None:
        given = read_number(upper, "upper")
        if known and filled and given != total:
            raise InputError(f"the upper categories hold {total}, not {given}")
        total = given
    elif not known:
        missing = next(card.names[number] for number in filled if number not in points)
        raise InputError(f"say what the upper categories hold, such as {missing}=6, or their total as upper")
    capped = min(total, card.bonus_at) if card.upper_mask else 0
    if total and capped not in card.uppers.get(mask & card.upper_mask, ()):
        raise InputError(f"the used upper categories cannot hold {total} points")
    return capped


def _score(card: Card, mask: int, points: dict[int, int], flag: int, score: object) -> int:
    filled = [number for number in range(len(card.names)) if mask >> number & 1]
    if score is None:
        if any(number not in points for number in filled):
            raise InputError("the score must be given: the total of the used categories")
        return sum(points.values())
    held = read_number(score, "score")
    if not card.totals(mask, bool(flag)) >> held & 1:
        raise InputError(f"the used categories cannot hold {held} points together")
    return held


def show_used(card: Card, mask: int) -> list[str]:
    """The used categories by name."""
    return [name for number, name in enumerate(card.names) if mask >> number & 1]


def show_position(card: Card, position: CardPosition) -> dict[str, Any]:
    """The position in the shape that scripts rely on, without scores."""
    shape: dict[str, Any] = {"used": show_used(card, position.used)}
    if card.upper_mask:
        shape["upper"] = position.upper
    if card.flags == 2 and position.used & card.mask([card.again]):
        shape[f"{card.again} bonus"] = bool(position.flag)
    if position.roll is not None:
        shape["throw"] = position.throw
        shape["roll"] = [face for face, count in enumerate(position.roll, 1) for _ in range(count)]
    return shape
