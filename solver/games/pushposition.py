"""Positions of push-your-luck games: reading dice and points, and saying what cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .pushluck import Counts, PushRules

MOST_POINTS = 1_000_000
MOST_IN_HAND = 100_000


@dataclass(frozen=True)
class PushPosition:
    """A position: scores between turns and, inside a turn, the points in hand and the dice.

    ``roll`` holds the counts of faces of a throw that has been made; None before a throw. ``dice`` dice are thrown
    next, or lie on the table as ``roll``. All points are as people count them.
    """

    score: int
    opponents: tuple[int, ...]
    turn: int
    dice: int
    roll: Counts | None

    @property
    def turn_begins(self) -> bool:
        """Whether nothing has happened in this turn yet."""
        return self.turn == 0 and self.roll is None

    def mode(self, rules: PushRules) -> int:
        """Return the mode of the turn before a throw."""
        free = rules.mode(self.dice)
        units = self.turn // rules.grain
        return free if rules.turn.reachable(units)[free] >> units & 1 else rules.forced

    def as_json(self, rules: PushRules) -> dict[str, Any]:
        """Return the position in the shape that scripts rely on."""
        shape: dict[str, Any] = {"score": self.score}
        if self.opponents:
            shape["opponents"] = list(self.opponents)
        if not self.turn_begins:
            shape["turn"] = self.turn
            shape["dice"] = self.dice
        if self.roll is not None:
            shape["roll"] = list(show(rules, self.roll))
        return shape


def read_roll(rules: PushRules, roll: object) -> Counts:
    """Return the counts of faces of a roll: ``"11532"``, ``"1,1,5,3,2"``, ``"1 1 5 3 2"`` or a sequence of faces."""
    if isinstance(roll, str):
        text = roll.replace(",", " ").split()
        shown = list(text[0]) if len(text) == 1 and max(map(len, rules.faces)) == 1 else text
    elif isinstance(roll, Sequence):
        shown = [str(face) for face in roll]
    else:
        raise InputError(f"{roll!r} is no roll; write it like {example_roll(rules)}")
    if not shown:
        raise InputError(f"the roll is empty; write it like {example_roll(rules)}")
    for face in shown:
        if face not in rules.faces:
            raise InputError(f"no die shows {face}; its faces are {', '.join(rules.faces)}")
    if len(shown) > rules.dice:
        raise InputError(f"{len(shown)} dice are too many: the game is played with {rules.dice}")
    return tuple(shown.count(face) for face in rules.faces)


def example_roll(rules: PushRules) -> str:
    """A roll of the game to show in messages."""
    return "".join(rules.faces[face % len(rules.faces)] for face in range(rules.dice))


def show(rules: PushRules, counts: Counts) -> tuple[str, ...]:
    """The faces of a set or roll, as people lay them out."""
    return tuple(face for face, count in zip(rules.faces, counts, strict=True) for _ in range(count))


def read_points(rules: PushRules, points: object, what: str) -> int:
    """Return a number of points on the game's grain."""
    try:
        number = int(str(points).replace(",", "").replace("_", ""))
    except ValueError:
        raise InputError(f"{what} {points} is not a whole number of points") from None
    if number < 0:
        raise InputError(f"{what} {number} is below 0; nobody can have less than 0 here")
    if number > MOST_POINTS:
        raise InputError(f"{what} {number} is more than anybody ever has: at most {MOST_POINTS:,}")
    if number % rules.grain:
        raise InputError(f"{what} {number} cannot be: all points come in steps of {rules.grain}")
    return number


def read_turn(rules: PushRules, turn: object, roll: object, dice: object) -> tuple[int, int, Counts | None]:
    """Return points in hand, dice and the roll (or None) of a position inside a turn, checked against the rules."""
    counts = None if roll is None else read_roll(rules, roll)
    points = read_points(rules, turn or 0, "turn")
    if points > MOST_IN_HAND:
        raise InputError(f"turn {points} is more than anybody ever holds in a turn: at most {MOST_IN_HAND:,}")
    if counts is not None:
        size = sum(counts)
        if dice is not None and str(dice).strip() != str(size):
            raise InputError(f"the roll shows {size} dice, not {dice}; leave --dice out when there is a roll")
    elif dice is not None:
        try:
            size = int(str(dice))
        except ValueError:
            raise InputError(f"dice {dice} is not a number of dice") from None
        if not 1 <= size <= rules.dice:
            raise InputError(f"{size} dice cannot be thrown: the game is played with 1 to {rules.dice}")
    elif points:
        raise InputError(f"with {points} points in hand, say which dice: the roll, or how many are left to throw")
    else:
        size = rules.dice
    _check_reachable(rules, points, size)
    return points, size, counts


def _check_reachable(rules: PushRules, points: int, dice: int) -> None:
    units = points // rules.grain
    by_mode = rules.turn.reachable(units + 4 * rules.turn.max_add)
    within = by_mode[rules.mode(dice)] | (by_mode[rules.forced] if dice == rules.dice < len(by_mode) else 0)
    if within >> units & 1:
        return
    held = [unit for unit in range(within.bit_length()) if within >> unit & 1]
    near = [unit for unit in held if unit < units][-1:] + [unit for unit in held if unit > units][:1]
    dice_word = "1 die" if dice == 1 else f"{dice} dice"
    if not points:
        raise InputError(
            f"a turn begins with {rules.dice} dice, not with {dice}; with fewer, say the points in hand: turn"
        )
    if not near:
        raise InputError(f"{dice_word} can never be thrown with points in hand under these rules")
    raise InputError(
        f"{points} points cannot be in hand with {dice_word} to throw; nearest that can: "
        + " and ".join(str(unit * rules.grain) for unit in near)
    )
