"""Hearts Due as people play it.

A player rolls six dice once a turn. The longest run from 1 scores, and three 1s lose the whole score. Nothing is to be
decided. The first player who reaches the target wins at once. Alone the objectives are the ``points`` of a roll, the
``turns`` to the target, and to ``reach`` a goal within some turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..games.hearts_due import ROLL_COUNT, HeartsRules
from ..util.errors import InputError, argument
from .choice_kinds import ChoiceKind, HeartsScore
from .playable_game import Choice, PlayableGame, Stage, WeightedRoll, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role, parse_number
from .seats import SEAT, SeatedPosition, opponents_field, parse_seats, scores_by_seat
from .turn_counts import parse_goal_and_turns, parse_turns_left, turns_left_field

DICE = 6
FACES = ("1", "2", "3", "4", "5", "6")
MAX_TURNS = 10_000
NO_CHOICE = "There is nothing to choose in this game: roll all six dice."


@dataclass(frozen=True)
class HeartsPosition(SeatedPosition):
    """A position of Hearts Due.

    Attributes:
        scores: by seat.
        seat: the player to move.
        turns_left: turns left of a single player whose turns count, this one included.
        roll: the dice on the table as counts of faces; None before the roll.
        ended: what each seat gets in a terminal position, else ().
    """

    scores: tuple[int, ...]
    seat: int = 0
    turns_left: int = 0
    roll: tuple[int, ...] | None = None
    ended: tuple[Fraction, ...] = ()


class HeartsGame(PlayableGame[HeartsPosition]):
    """Hearts Due."""

    decision_kinds = ()  # nobody decides anything
    has_decisions = False
    mishap_words = ("wipes", "wiping the score")

    def prepare(self) -> None:
        """Compute what the game needs of its rules, and list the fields of a position."""
        self.rules: HeartsRules = self.game.data
        self.target = self.parameters.get("goal", self.rules.target)
        self.turns = self.parameters.get("turns", 0)
        self.fields = tuple(self._fields())

    @property
    def reach_requires_turns(self) -> bool:
        """Return True: a race has no fixed number of turns."""
        return True

    def validate_parameters(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """Return a goal up to the target, and the number of turns to reach it."""
        return parse_goal_and_turns(goal, turns, self.game.data.target, MAX_TURNS)

    def _fields(self) -> Iterator[Field]:
        if self.objective != "points":
            yield Field("score", FieldKind.POINTS, "Your score before this turn.", role=Role.SCORE)
        if self.players > 1:
            yield opponents_field(self.players)
            yield SEAT
        if self.turns:
            yield turns_left_field()
        lie = "All six dice that you rolled; 1 to 6 stand for the letters of HEARTS."
        yield Field("roll", FieldKind.DICE, lie, is_inside_turn=True, words=FACES, role=Role.ROLL)

    # --- the rules, in the order of a turn

    def start(self) -> HeartsPosition:
        """Return the first turn, before which nobody has points."""
        return HeartsPosition((0,) * self.players, 0, self.turns)

    def is_turn_start(self, position: HeartsPosition) -> bool:
        """Return whether the dice are still to be rolled."""
        return position.roll is None and not position.ended

    def stage(self, position: HeartsPosition) -> Stage:
        """Return the stage: a roll, then a single choice."""
        return Stage.TERMINAL if position.ended else Stage.CHANCE if position.roll is None else Stage.DECISION

    def rolls(self, position: HeartsPosition) -> Iterator[WeightedRoll[HeartsPosition]]:
        """Yield every roll of six dice, by the counts of its faces."""
        for roll, ways in self.rules.rolls:
            yield ways, replace_fields(position, roll=roll)

    def choices(self, position: HeartsPosition) -> tuple[Choice[HeartsPosition], ...]:
        """Return the only choice: to score the roll, or to lose the whole score."""
        assert position.roll is not None
        points = self.rules.points(position.roll)
        if points is None:
            return (make_choice(ChoiceKind.WIPE, HeartsScore(), self._end_turn(position, 0, 0)),)
        after = self._end_turn(position, position.score + points, points)
        return (make_choice(ChoiceKind.SCORE, HeartsScore(points), after, points=points),)

    def _end_turn(self, position: HeartsPosition, score: int, points: int) -> HeartsPosition:
        """Return the position after the turn: the turn of the next player, or the end of the game."""
        seat = position.seat
        scores = (*position.scores[:seat], score, *position.scores[seat + 1 :])
        if self.objective == "points":
            return HeartsPosition(scores, seat, ended=(Fraction(points),))
        if score >= self.target:
            return HeartsPosition(
                scores, seat, ended=tuple(Fraction(int(place == seat)) for place in range(self.players))
            )
        if self.turns and position.turns_left == 1:
            return HeartsPosition(scores, seat, ended=(Fraction(0),))
        return HeartsPosition(scores, (seat + 1) % self.players, max(0, position.turns_left - 1))

    def describe_turn_results(self, position: HeartsPosition) -> str:
        """Return the results of a turn that can be entered."""
        points = sorted(self.rules.weight_by_points)
        return f"the number of points scored, such as {points[len(points) // 2]}, or wipe"

    def result_question(self, position: HeartsPosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        return "how many points did they score?"

    def play_whole_turn(self, position: HeartsPosition, result_text: str) -> HeartsPosition:
        """Return the position after a turn that scored points, or ``wipe``."""
        word = result_text.strip().lower()
        if word == "wipe":
            return self._end_turn(position, 0, 0)
        points = parse_number(word, "points")
        if points not in self.rules.weight_by_points:
            can = ", ".join(map(str, sorted(self.rules.weight_by_points)))
            raise InputError(f"a roll cannot score {points}; enter one of {can}, or wipe")
        return self._end_turn(position, position.score + points, points)

    def mishap_probability(self, position: HeartsPosition) -> Fraction | None:
        """Return the probability that the next roll loses the score; None if no roll is to come."""
        if self.stage(position) is not Stage.CHANCE:
            return None
        return Fraction(self.rules.wipe_weight, ROLL_COUNT)

    def describe_roll(self, position: HeartsPosition) -> tuple[str, int]:
        """Return the roll of all dice in words, and the number of its dice."""
        return "roll all six dice", DICE

    def note(self, position: HeartsPosition) -> str:
        """Return what a player should know besides the choices."""
        return NO_CHOICE if position.roll is None else ""

    # --- positions in words

    @cached_property
    def possible_scores(self) -> tuple[int, ...]:
        """The scores below the target that can occur."""
        scores, front = {0}, [0]
        while front:
            score = front.pop()
            new_scores = {
                score + points for points in self.rules.weight_by_points if score + points < self.target
            } - scores
            scores |= new_scores
            front += new_scores
        return tuple(sorted(scores))

    def position_from_fields(
        self,
        score: int = 0,
        opponents: Sequence[int] | None = None,
        seat: int = 0,
        turns_left: int | None = None,
        roll: Sequence[str] | None = None,
    ) -> HeartsPosition:
        """Return the position with these field values; an error says what can occur."""
        mover, _ = parse_seats(seat, None, self.players)
        scores = scores_by_seat(score, opponents, mover, self.players)
        for total in scores:
            if total not in self.possible_scores:
                near = ", ".join(map(str, self.possible_scores[:5]))
                raise InputError(
                    f"{argument('score')} cannot be {total}: possible scores are {near}, ... below the target"
                )
        left = parse_turns_left(turns_left, self.turns)
        if roll is not None and len(roll) != DICE:
            raise InputError(f"expected {DICE} dice, got {len(roll)}: {' '.join(map(str, roll))}")
        counts = None if roll is None else tuple(roll.count(face) for face in FACES)
        return HeartsPosition(scores, mover, left, counts)

    def to_dict(self, position: HeartsPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values: dict[str, Any] = {} if self.objective == "points" else {"score": position.score}
        if self.players > 1:
            values["opponents"] = list(position.opponents)
        if position.seat:
            values["seat"] = position.seat
        if position.turns_left != self.turns:
            values["turns_left"] = position.turns_left
        if position.roll is not None:
            values["roll"] = [face for face, count in zip(FACES, position.roll, strict=True) for _ in range(count)]
        return values


PLAYABLE = HeartsGame
