"""Shut the Box as people play it.

A player rolls and shuts tiles that add up to the dice, until no tiles do. The tiles that still stand are points against
the player. Several players have a turn each; the fewest points win, and tied players share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from ..games.shut_the_box import FACES, Tiles, TilesRules
from ..util.errors import InputError, argument
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, TileChoice
from .choice_text import format_choice
from .playable_game import Choice, PlayableGame, Stage, WeightedRoll, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role, parse_number

SHOWN = tuple(map(str, range(1, FACES + 1)))
ROLLS = [Counter(tuple(sorted(roll)) for roll in product(range(1, FACES + 1), repeat=dice)) for dice in range(3)]


@dataclass(frozen=True)
class TilesPosition:
    """A position of Shut the Box.

    Attributes:
        up: tiles that stand.
        dice: number of dice to roll, 0 if the player has to choose it.
        roll: the dice on the table in ascending order, () before a roll.
        seat: the player to move.
        left: points that the players before were left with.
        ended: what each seat gets in a terminal position, else ().
    """

    up: Tiles
    dice: int = 2
    roll: tuple[int, ...] = ()
    seat: int = 0
    left: tuple[int, ...] = ()
    ended: tuple[Fraction, ...] = ()


class TilesGame(PlayableGame[TilesPosition]):
    """Shut the Box."""

    decision_kinds = ("rolls", "throws")
    mishap_words = ("ends the turn", "ending the turn")
    kept_role = Role.STANDING
    turn_verb = "leaves"
    tells_final_points = True

    def prepare(self) -> None:
        """Compute what the game needs of its rules, and list the fields of a position."""
        self.rules: TilesRules = self.game.data
        self.tiles = self.rules.all_tiles
        self.goal = self.parameters.get("goal", 0)
        self.fields = tuple(self._fields())

    def validate_parameters(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """Return the points that may be left, by default 0: the box is shut."""
        if turns is not None:
            raise InputError(f"{argument('turns')} cannot be combined with {self.game.id}, which is a single turn")
        max_points = self.game.data.points_left(self.game.data.all_tiles)
        return {"goal": 0 if goal is None else parse_number(goal, argument("goal"), 0, max_points)}

    def _fields(self) -> Iterator[Field]:
        if self.players > 1:
            columns = ("left0",) if self.players == 2 else ()  # of more players, their number depends on the seat
            yield Field(
                "left",
                FieldKind.NUMBERS,
                "The points that each player before you was left with, in turn order.",
                columns=columns,
            )
        yield Field(
            "up",
            FieldKind.NAMES,
            "Tiles that still stand (default: all).",
            is_inside_turn=True,
            words=tuple(map(str, self.tiles)),
            role=Role.STANDING,
        )
        yield Field(
            "dice",
            FieldKind.NUMBER,
            "The number of dice to roll, once you have chosen it.",
            is_inside_turn=True,
            default=0,
        )
        yield Field(
            "roll",
            FieldKind.DICE,
            "The dice you rolled, or their total.",
            is_inside_turn=True,
            words=SHOWN,
            max_total=2 * FACES,
            role=Role.ROLL,
        )

    @property
    def fewer_is_better(self) -> bool:
        """True if lower values are better: points are the tiles that stand."""
        return self.objective == "points"

    @property
    def no_points_words(self) -> str:
        """The words for a turn without points, which is the best result."""
        return "all tiles shut"

    # --- the rules, in the order of a turn

    def start(self) -> TilesPosition:
        """Return the first turn, with all tiles up."""
        return self._next(TilesPosition(()), self.tiles)

    def _next(self, position: TilesPosition, up: Tiles) -> TilesPosition:
        return replace_fields(position, up=up, dice=0 if self.rules.can_choose_dice(up) else 2, roll=())

    def is_turn_start(self, position: TilesPosition) -> bool:
        """Return whether all tiles stand and nothing is rolled."""
        fresh = position.up == self.tiles and not position.roll and not position.ended
        return fresh and position.dice == (0 if self.rules.can_choose_dice(self.tiles) else 2)

    def stage(self, position: TilesPosition) -> Stage:
        """Return the stage: a player chooses one die or two, rolls, then shuts tiles."""
        if position.ended:
            return Stage.TERMINAL
        return Stage.DECISION if position.roll or not position.dice else Stage.CHANCE

    def rolls(self, position: TilesPosition) -> Iterator[WeightedRoll[TilesPosition]]:
        """Yield every roll of the dice."""
        for lie, weight in ROLLS[position.dice].items():
            yield weight, replace_fields(position, roll=lie)

    def choices(self, position: TilesPosition) -> tuple[Choice[TilesPosition], ...]:
        """Return two dice before one; or the tiles that add up to the roll; or the end of the turn."""
        up, points = position.up, self.rules.points_left(position.up)
        if not position.roll:
            return tuple(
                make_choice(
                    ChoiceKind.ROLL,
                    TileChoice(dice=dice),
                    replace_fields(position, dice=dice),
                    points=points,
                    dice_left=dice,
                )
                for dice in (2, 1)
            )
        choices = []
        for tiles in self.rules.shuttable_sets(up, sum(position.roll)):
            left, keep = tuple(tile for tile in up if tile not in tiles), tuple(map(str, tiles))
            after = self._next(position, left) if left else self._end_turn(position, 0)
            data = TileChoice(tiles=keep, is_last=not left)
            left_points = self.rules.points_left(left)
            choices.append(make_choice(ChoiceKind.SHUT, data, after, keep, left_points, 2 if left else 0))
        if choices:
            return tuple(choices)
        after = self._end_turn(position, points)
        return (make_choice(ChoiceKind.SCORE, TileChoice(points=points), after, points=points),)

    def _end_turn(self, position: TilesPosition, points: int) -> TilesPosition:
        """Return the position after a turn with points left: the next turn, or the end of the game."""
        if self.players == 1:
            gets = Fraction(-points) if self.fewer_is_better else Fraction(int(points <= self.goal))
            return replace_fields(self._next(position, self.tiles), ended=(gets,))
        left = (*position.left, points)
        after = replace_fields(self._next(position, self.tiles), left=left)
        if len(left) < self.players:
            return replace_fields(after, seat=position.seat + 1)
        winner_count = left.count(min(left))
        return replace_fields(
            after, ended=tuple(Fraction(int(points_left == min(left)), winner_count) for points_left in left)
        )

    def total_to_beat(self, position: TilesPosition) -> int | None:
        """Return the fewest points that a player before was left with."""
        return min(position.left, default=None)

    def describe_progress(self, position: TilesPosition) -> str:
        """Return the points to beat."""
        return f"{min(position.left)} left to beat" if position.left and not position.ended else ""

    def describe_turn_results(self, position: TilesPosition) -> str:
        """Return the results of a turn that can be entered."""
        return "the number of points left, 0 for a shut box"

    def result_question(self, position: TilesPosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        return "how many points were left?"

    def play_whole_turn(self, position: TilesPosition, result_text: str) -> TilesPosition:
        """Return the position after a turn with some points left."""
        return self._end_turn(position, self._parse_points_left(result_text, "the points left"))

    def _parse_points_left(self, value: object, name: str) -> int:
        points = parse_number(value, name)
        if points not in self.rules.final_points:
            near = sorted(sorted(self.rules.final_points, key=lambda possible: abs(possible - points))[:2])
            raise InputError(f"{name} cannot be {points}; the nearest possible are {near[0]} and {near[1]}")
        return points

    def turn_key(self, start: TilesPosition) -> Hashable:
        """Return the same key for all turns, which offer the same."""
        return ()

    def move_to_turn(self, position: TilesPosition, start: TilesPosition) -> TilesPosition:
        """Return the position of the turn with the points of other players."""
        return replace_fields(start, up=position.up, dice=position.dice, roll=position.roll)

    def mishap_probability(self, position: TilesPosition) -> Fraction | None:
        """Return the probability that no tiles can be shut."""
        if self.stage(position) is not Stage.CHANCE:
            return None
        ends = sum(
            ways
            for ways, rolled in self.rolls(position)
            if not self.rules.shuttable_sets(position.up, sum(rolled.roll))
        )
        return Fraction(ends, FACES**position.dice)

    def classify_roll(self, after_roll: TilesPosition, turn_points: int) -> str:
        """Return "bust" if no tiles can be shut; points are tiles that stand, and none are lost."""
        return "" if self.choices(after_roll)[0].kind is ChoiceKind.SHUT else "bust"

    def describe_roll(self, position: TilesPosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        return format_choice(ChoiceKind.ROLL, TileChoice(dice=position.dice)), position.dice

    def dice_of_total(self, position: TilesPosition, roll: tuple[str, ...]) -> tuple[str, ...]:
        """Return two dice with a total, the lowest first, if two are rolled and one number is given."""
        return _dice_of_total(roll, position.dice)

    # --- positions in words

    def position_from_fields(
        self,
        left: Sequence[int] = (),
        up: Sequence[str] | None = None,
        dice: int | None = None,
        roll: Sequence[str] | None = None,
    ) -> TilesPosition:
        """Return the position with these field values; an error says what can occur."""
        if len(left) >= self.players:
            raise InputError(
                f"{argument('left')}: expected at most {self.players - 1}, one for each player before you, got"
                f" {len(left)}"
            )
        before = tuple(self._parse_points_left(points, argument("left")) for points in left)
        standing = self.tiles if up is None else tuple(sorted(map(int, up)))
        if standing not in self.rules.reachable_tiles:
            raise InputError(
                f"{argument('up')} cannot be {', '.join(map(str, standing)) or 'empty'}: no sequence of rolls"
                " leaves these tiles"
            )
        before_roll = self._next(TilesPosition((), seat=len(before), left=before), standing)
        rolled_dice = before_roll.dice if dice is None else dice
        if dice is None and roll is not None and not before_roll.dice:
            rolled_dice = 2 if len(roll) == 1 and roll[0] not in SHOWN else len(roll)
        roll = None if roll is None else _dice_of_total(tuple(roll), rolled_dice)
        if rolled_dice not in ((before_roll.dice,) if before_roll.dice else (0, 1, 2)):
            raise InputError(f"{argument('dice')} must be 2 with these tiles, not {rolled_dice}")
        if roll is not None and len(roll) != rolled_dice:
            raise InputError(f"expected {format_count(rolled_dice, 'die')}, got {len(roll)}: {' '.join(roll)}")
        return replace_fields(before_roll, dice=rolled_dice, roll=tuple(sorted(map(int, roll or ()))))

    def to_dict(self, position: TilesPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values: dict[str, Any] = {"left": list(position.left)} if position.left else {}
        if position.up != self.tiles or position.roll or position.dice == 1:
            values["up"] = [str(tile) for tile in position.up]
        if self.rules.can_choose_dice(position.up) and position.dice:
            values["dice"] = position.dice
        if position.roll:
            values["roll"] = [str(face) for face in position.roll]
        return values


def _dice_of_total(roll: tuple[str, ...], dice: int) -> tuple[str, ...]:
    """Return dice with a total, the lowest first; ``roll`` itself unless it is the total of two dice.

    Raises:
        InputError: more than one die can show, but only one is rolled.
    """
    if len(roll) == 1 and dice == 1 and roll[0] not in SHOWN:
        raise InputError(f"the roll of one die must be between 1 and {FACES}, not {roll[0]}")
    if len(roll) != 1 or dice != 2 or roll[0] == "1":
        return roll
    total = int(roll[0])
    low = max(1, total - FACES)
    return str(low), str(total - low)


PLAYABLE = TilesGame
