"""Straight Scarney as people play it.

A player rolls the live dice and loses the dead ones, then enters the points of the frame or hits again. The objective
``points`` is for a single frame, ``win`` and ``chips`` for several players, frame by frame. Players who are tied for
the highest total after the last frame play extra frames in the same order, from 0 points on. For ``chips`` every player
has put an ante into the pot, and each double-down costs one chip; the winner takes the pot.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from ..util.errors import InputError, argument
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, FrameChoice
from .choice_text import format_choice
from .dice import list_rolls
from .playable_game import Choice, PlayableGame, Stage, WeightedRoll, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role, parse_number
from .seats import (
    SeatedPosition,
    Tie,
    active_seats,
    find_playoff_tie,
    opponents_field,
    parse_seats,
    scores_by_seat,
)

DICE = 5
SIDES = ("1", "3", "4", "6", "d", "d")
FACES = ("1", "3", "4", "6", "d")
DEAD_FACES = {"2": "d", "5": "d"}  # faces of ordinary dice that are dead
DEAD_WORDS = {"dead": "d"}
SPOTS = {"1": 1, "3": 3, "4": 4, "6": 6}
LITTLE_SCARNEY_POINTS = 25  # points of Little Scarney
MAX_POINTS = 100_000
OPPOSITE = "You called opposite: the die counts by the face on its underside."
THROWING = "You have decided to roll; with --double, to double down."
# Points of a bonus by how many dice of a live throw are alike; five alike are no bonus but Big Scarney.
BONUSES = {
    **dict.fromkeys([(4,), (4, 1)], 40),
    (3, 2): 30,
    **dict.fromkeys([(3,), (3, 1), (3, 1, 1)], 20),
    **dict.fromkeys([(2, 2), (2, 2, 1)], 10),
}

Roll = tuple[str, ...]  # faces in the order of FACES


@cache
def roll_points(roll: Roll, double: bool) -> int:
    """Return the points of a roll without dead dice: spots, doubled or not, and the highest bonus."""
    spots = sum(SPOTS[face] for face in roll)
    if double and roll not in (("3",), ("4",)):  # of a single die only 1 and 6 are doubled
        spots *= 2
    alike = tuple(sorted((roll.count(face) for face in set(roll)), reverse=True))
    return spots + BONUSES.get(alike, 0)


def doubling_shows(roll: Roll) -> bool:
    """Return whether a roll scores differently if it was doubled."""
    return "d" not in roll and roll_points(roll, True) != roll_points(roll, False)


@dataclass(frozen=True)
class ScarneyPosition(SeatedPosition):
    """A position of Straight Scarney.

    Attributes:
        scores: by seat; in an extra frame they count from 0.
        seat: the player to move.
        frame: number of the frame from 1; an extra frame has the number of the last one.
        playoff: seats that play an extra frame, () before.
        pot: chips on the table, if chips count.
        spent: chips that each seat has paid since the position was entered, if chips count.
        turn: points of the frame.
        live: dice to roll next, or dice on the table.
        roll: the dice on the table; None before a roll.
        double: True if the next roll, or the one on the table, scores its spots twice.
        throwing: True if the player has decided to roll.
        ended: what each seat gets in a terminal position, else ().
    """

    scores: tuple[int, ...]
    seat: int = 0
    frame: int = 1
    playoff: tuple[int, ...] = ()
    pot: int = 0
    spent: tuple[int, ...] = ()
    turn: int = 0
    live: int = DICE
    roll: Roll | None = None
    double: bool = False
    throwing: bool = False
    ended: tuple[Fraction, ...] = ()


class ScarneyGame(PlayableGame[ScarneyPosition]):
    """Straight Scarney."""

    def prepare(self) -> None:
        """Compute what the game needs of its rules, and list the fields of a position."""
        rules = self.game.rules
        self.chips = self.objective == "chips"
        if self.chips and rules["double"] != "chips":
            raise InputError("the objective chips requires the rule double=chips")
        if not self.chips and rules["double"] == "chips":
            raise InputError(
                f"double=chips requires the objective chips; with {self.objective} use double=free or double=off"
            )
        self.frames = 1 if self.objective == "points" else int(str(rules["frames"]))
        self.may_double = rules["double"] != "off"
        self.little_keeps = rules["little"] == "score"
        self.big = self.objective != "points"  # one frame knows no game to win: five alike are scored as ordinary dice
        self.antes = self.players * int(str(rules["ante"])) if self.chips else 0
        self.fields = tuple(self._fields())

    def _fields(self) -> Iterator[Field]:
        if self.players > 1:
            yield Field("frame", FieldKind.NUMBER, f"The frame, 1 to {self.frames}; leave it out in an extra frame.")
            yield Field(
                "seat",
                FieldKind.NUMBER,
                "The number of players who shoot before you in each frame: 0 if you begin.",
                role=Role.SEAT,
            )
            yield Field(
                "playoff",
                FieldKind.NUMBERS,
                "In an extra frame: the players in it, each by the number of players before them, such as 0,1.",
            )
            yield Field(
                "score", FieldKind.POINTS, "Your total before this frame; 0 in an extra frame.", role=Role.SCORE
            )
            yield opponents_field(self.players)
        if self.chips:
            yield Field("pot", FieldKind.NUMBER, "Chips on the table now (default: the antes).")
            columns = tuple(f"spent{place}" for place in range(self.players))
            help_ = "Chips paid since the position for which advice was given: by you, then by each player after you."
            yield Field("spent", FieldKind.NUMBERS, help_, columns=columns, is_column=False)
        yield Field(
            "turn",
            FieldKind.POINTS,
            "Points held in this frame before this roll.",
            is_inside_turn=True,
            default=0,
            role=Role.TURN_POINTS,
        )
        yield Field(
            "live",
            FieldKind.NUMBER,
            "The number of live dice: in the roll, or to be rolled next.",
            is_inside_turn=True,
            default=DICE,
        )
        lie = "The dice you rolled, with d for each dead die: 1346d."
        aliases = DEAD_FACES | DEAD_WORDS
        yield Field("roll", FieldKind.DICE, lie, is_inside_turn=True, words=FACES, aliases=aliases, role=Role.ROLL)
        yield Field("double", FieldKind.FLAG, "This roll was made by doubling down.", is_inside_turn=True)
        yield Field("opposite", FieldKind.FLAG, OPPOSITE, is_inside_turn=True, is_column=False)
        yield Field("throwing", FieldKind.FLAG, THROWING, is_inside_turn=True, is_column=False)

    # --- the rules, in the order of a frame

    def start(self) -> ScarneyPosition:
        """Return the first frame: nobody has points, and the antes are in the pot."""
        spent = (0,) * self.players if self.chips else ()
        return ScarneyPosition((0,) * self.players, pot=self.antes, spent=spent)

    def is_turn_start(self, position: ScarneyPosition) -> bool:
        """Return whether all five dice are still to be rolled, and nothing is decided."""
        fresh = position.turn == 0 and position.live == DICE and position.roll is None
        return fresh and not position.throwing and not position.ended

    def stage(self, position: ScarneyPosition) -> Stage:
        """Return the stage; without points and without doubling there is nothing to decide before a roll."""
        if position.ended:
            return Stage.TERMINAL
        if position.roll is None and (position.throwing or not (position.turn or self.may_double)):
            return Stage.CHANCE
        return Stage.DECISION

    def rolls(self, position: ScarneyPosition) -> Iterator[WeightedRoll[ScarneyPosition]]:
        """Yield every roll of the live dice; two of the six sides are dead."""
        for ways, roll in self._rolls[position.live]:
            double = position.double and doubling_shows(roll)
            yield ways, replace_fields(position, roll=roll, double=double, throwing=False)

    @cached_property
    def _rolls(self) -> Mapping[int, list[tuple[int, Roll]]]:
        return {live: list_rolls(SIDES, live) for live in range(1, DICE + 1)}

    def choices(self, position: ScarneyPosition) -> tuple[Choice[ScarneyPosition], ...]:
        """Return to stop before to roll, and a plain roll before a doubled one."""
        roll, points = position.roll, position.turn
        if roll is None:
            return tuple(self.stop_or_roll(position, points, FrameChoice(dice=position.live)))
        live = len(roll) - roll.count("d")
        if self._is_big(roll):
            after = self._end_with_winner(position, position.seat)
            return (make_choice(ChoiceKind.WIN, FrameChoice(), after, points=points),)
        if live == len(roll):
            points += roll_points(roll, position.double)
        elif self._is_little(roll):
            points = LITTLE_SCARNEY_POINTS + (points if self.little_keeps else 0)
        elif live:
            return tuple(self.stop_or_roll(position, 0, FrameChoice(dice=live, is_dead_roll=True)))
        else:
            return (make_choice(ChoiceKind.BUST, FrameChoice(), self.end_frame(position, 0)),)
        return tuple(self.stop_or_roll(position, points, FrameChoice(dice=live, rolled_points=points)))

    def _is_big(self, roll: Roll) -> bool:
        """Return whether a roll is Big Scarney: five equal dice, also five dead ones."""
        return self.big and len(roll) == DICE and len(set(roll)) == 1

    def _is_little(self, roll: Roll) -> bool:
        """Return whether a roll is Little Scarney: exactly four dead dice of five."""
        return len(roll) == DICE and roll.count("d") == DICE - 1

    def stop_or_roll(
        self, position: ScarneyPosition, turn_points: int, data: FrameChoice
    ) -> Iterator[Choice[ScarneyPosition]]:
        """Yield the choices to stop or hit with points, or to roll or double down without any.

        Args:
            position: any position of the frame.
            turn_points: points of the frame.
            data: the dice to roll, and what the last roll brought.
        """
        live, throwing = data.dice, bool(turn_points) or self.may_double
        throw = replace_fields(position, turn=turn_points, live=live, roll=None, double=False, throwing=throwing)
        if turn_points:
            stop = data._replace(dice=0, points=turn_points)
            yield make_choice(ChoiceKind.BANK, stop, self.end_frame(position, turn_points), points=turn_points)
            yield make_choice(ChoiceKind.HIT, data, throw, points=turn_points, dice_left=live)
            return
        yield make_choice(ChoiceKind.ROLL, data, throw, dice_left=live)
        if self.may_double:
            doubled = replace_fields(self._after_payment(throw), double=True)
            yield make_choice(ChoiceKind.DOUBLE, data, doubled, dice_left=live)

    def _after_payment(self, position: ScarneyPosition) -> ScarneyPosition:
        """Return the position after the player has paid the chip of a double-down, if it costs one."""
        if not self.chips:
            return position
        spent = tuple(chips + (seat == position.seat) for seat, chips in enumerate(position.spent))
        return replace_fields(position, pot=position.pot + 1, spent=spent)

    def end_frame(self, position: ScarneyPosition, points: int) -> ScarneyPosition:
        """Return the position after points are entered: the next frame, an extra frame, or the end of the game."""
        if self.objective == "points":
            return ScarneyPosition(position.scores, ended=(Fraction(points),))
        scores = tuple(total + points * (seat == position.seat) for seat, total in enumerate(position.scores))
        between_frames = ScarneyPosition(scores, 0, position.frame, position.playoff, position.pot, position.spent)
        seats = active_seats(position.playoff, self.players)
        if position.seat != seats[-1]:
            return replace_fields(between_frames, seat=seats[seats.index(position.seat) + 1])
        if position.frame < self.frames:
            return replace_fields(between_frames, frame=position.frame + 1)
        best_total = max(scores[seat] for seat in seats)
        tied = tuple(seat for seat in seats if scores[seat] == best_total)
        if len(tied) == 1:
            return self._end_with_winner(between_frames, tied[0])
        return replace_fields(between_frames, scores=(0,) * self.players, seat=tied[0], playoff=tied)

    def _end_with_winner(self, position: ScarneyPosition, winner: int) -> ScarneyPosition:
        prize, spent = (position.pot, position.spent) if self.chips else (1, (0,) * self.players)
        payoffs = tuple(Fraction(prize * (seat == winner) - spent[seat]) for seat in range(self.players))
        return ScarneyPosition(
            position.scores, winner, position.frame, position.playoff, position.pot, position.spent, ended=payoffs
        )

    @property
    def playoff_name(self) -> str:
        """What extra turns of tied players are called."""
        return "extra frame"

    def find_tie(self, before: ScarneyPosition, after: ScarneyPosition) -> Tie | None:
        """Return the tie with which an extra frame begins."""
        return find_playoff_tie(before, after, before.scores)

    def describe_progress(self, position: ScarneyPosition) -> str:
        """Return the number of the frame."""
        return self.playoff_name if position.playoff else f"frame {position.frame} of {self.frames}"

    def describe_turn_results(self, position: ScarneyPosition) -> str:
        """Return the results of a frame that can be entered."""
        return "" if self.chips else f"the number of points entered, such as 20{', or win' if self.big else ''}"

    def play_whole_turn(self, position: ScarneyPosition, result_text: str) -> ScarneyPosition:
        """Return the position after a frame with some points, or ``win`` for Big Scarney.

        If chips count, frames are entered roll by roll.
        """
        if self.chips:
            return super().play_whole_turn(position, result_text)
        word = result_text.strip().lower()
        if word == "win" and self.big:
            return self._end_with_winner(position, position.seat)
        points = parse_number(word, "points", 0, MAX_POINTS)
        if points and not any(self.reachable_points(live, points) >> points & 1 for live in range(1, DICE + 1)):
            raise InputError(f"a frame cannot score {points} points; check the points")
        return self.end_frame(position, points)

    def mishap_probability(self, position: ScarneyPosition) -> Fraction | None:
        """Return the probability that the next roll loses the points of the frame; None if there are none."""
        if not position.turn:
            return None
        weighted_rolls = self._rolls[position.live]
        losing_weight = sum(
            ways for ways, roll in weighted_rolls if "d" in roll and not (self._is_big(roll) or self._is_little(roll))
        )
        return Fraction(losing_weight, sum(ways for ways, _ in weighted_rolls))

    def describe_roll(self, position: ScarneyPosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        kind = ChoiceKind.ROLL
        if position.double:
            kind = ChoiceKind.DOUBLE
        elif position.turn:
            kind = ChoiceKind.HIT
        return format_choice(kind, FrameChoice(dice=position.live)), position.live

    def note(self, position: ScarneyPosition) -> str:
        """Return what a player should know besides the choices."""
        if position.live == 1 and not position.ended:
            return "Calling opposite changes no value: it swaps 1 with 6 and 3 with 4, which are equally likely."
        return ""

    # --- frames alike

    def decision_before_roll(self, position: ScarneyPosition) -> ScarneyPosition | None:
        """Return the position before the decision, and before the chip of a double-down was paid."""
        if not position.throwing:
            return None
        paid_chips = int(position.double and self.chips)
        spent = tuple(chips - paid_chips * (seat == position.seat) for seat, chips in enumerate(position.spent))
        return replace_fields(position, pot=position.pot - paid_chips, spent=spent, double=False, throwing=False)

    def turn_key(self, start: ScarneyPosition) -> Hashable:
        """Return a key: all frames offer the same, but chips paid before a frame differ from chips paid in it."""
        return (start.seat, start.spent) if self.chips else ()

    def move_to_turn(self, position: ScarneyPosition, start: ScarneyPosition) -> ScarneyPosition:
        """Return the position in another frame, in which the same number of chips has been paid."""
        paid_chips = sum(position.spent) - sum(start.spent)
        place = {"scores": start.scores, "seat": start.seat, "frame": start.frame, "playoff": start.playoff}
        return replace_fields(position, **place, pot=start.pot + paid_chips)

    # --- what can be

    def reachable_points(self, live: int, most: int) -> int:
        """Return the points that can be held with some live dice, as a bit set.

        Args:
            live: number of live dice.
            most: the largest number of points of interest.
        """
        scoring = [roll for _, roll in self._rolls[live] if "d" not in roll and not self._is_big(roll)]
        reachable, mask = 0, (1 << most + 1) - 1
        for roll in scoring:
            reachable |= 1 << roll_points(roll, False) | 1 << roll_points(roll, self.may_double)
        if live == 1:
            reachable |= 1 << LITTLE_SCARNEY_POINTS | (
                self.reachable_points(DICE, most) << LITTLE_SCARNEY_POINTS if self.little_keeps else 0
            )
        for step in {roll_points(roll, False) for roll in scoring}:  # hit with the same dice, any number of times
            while step <= most:
                reachable |= reachable << step & mask
                step *= 2
        return reachable & mask

    # --- positions in words

    def position_from_fields(
        self,
        frame: int | None = None,
        seat: int | None = None,
        playoff: Sequence[int] | None = None,
        score: int = 0,
        opponents: Sequence[int] | None = None,
        pot: int | None = None,
        spent: Sequence[int] | None = None,
        turn: int = 0,
        live: int | None = None,
        roll: Sequence[str] | None = None,
        double: bool = False,
        opposite: bool = False,
        throwing: bool = False,
    ) -> ScarneyPosition:
        """Return the position with these field values; an error says what can occur."""
        mover, seats = parse_seats(seat, playoff, self.players)
        if seats and frame is not None:
            raise InputError(
                f"{argument('frame')} cannot be combined with {argument('playoff')}; leave out {argument('frame')}"
            )
        number = (
            self.frames if seats else parse_number(1 if frame is None else frame, argument("frame"), 1, self.frames)
        )
        scores = scores_by_seat(score, opponents, mover, self.players)
        for place, total in enumerate(scores):
            self._check_score(total, place, mover, number, seats)
        position = ScarneyPosition(scores, mover, number, seats)
        position, paid_now = self._inside_frame(position, turn, live, roll, double, opposite, throwing)
        return self._read_chips(position, pot, spent, double, paid_now) if self.chips else position

    def _check_score(self, total: int, seat: int, mover: int, frame: int, playoff: tuple[int, ...]) -> None:
        whose = argument("score") if seat == mover else argument("opponents")
        parse_number(total, whose, 0, MAX_POINTS)
        if not total:
            return
        if playoff and (seat >= mover or seat not in playoff):
            raise InputError(
                f"{whose} must be 0, not {total}: in an extra frame points count from 0, and only players who have shot"
                " in it have any"
            )
        if not playoff and frame == 1 and seat == mover:
            raise InputError(f"{argument('score')} must be 0 in frame 1, not {total}")
        if not playoff and frame == 1 and seat > mover:
            raise InputError(
                f"{argument('opponents')} must be 0, not {total}: in frame 1 players who shoot after you have no points"
            )

    def _inside_frame(
        self,
        position: ScarneyPosition,
        turn: int,
        live: int | None,
        roll: Sequence[str] | None,
        double: bool,
        opposite: bool,
        throwing: bool,
    ) -> tuple[ScarneyPosition, bool]:
        """Return the position inside the frame, and whether its last roll may have been doubled."""
        parse_number(turn, argument("turn"), 0, MAX_POINTS)
        faces = None if roll is None else tuple(sorted(roll, key=FACES.index))
        size = self._read_live_dice(live, faces)
        if double:
            self._check_double(turn, is_before_roll=faces is None and not throwing)
        if throwing and faces is not None:
            raise InputError(
                f"{argument('throwing')} cannot be combined with {argument('roll')}: the dice have already been rolled"
            )
        if opposite and size != 1:
            raise InputError(f"{argument('opposite')} requires a single live die, not {size}")
        if turn and not self.reachable_points(size, turn) >> turn & 1:
            raise InputError(f"{argument('turn')} cannot be {turn} with {format_count(size, 'live die')}")
        if opposite and faces is not None:
            faces = ({"1": "6", "3": "4", "4": "3", "6": "1", "d": "d"}[faces[0]],)
        leaves_mark = faces is None or doubling_shows(faces)
        may_have_doubled = turn > 0 or double or (self.may_double and not leaves_mark)
        decides = bool(turn) or self.may_double
        inside = replace_fields(position, turn=turn, live=size, roll=faces, double=double and leaves_mark)
        return replace_fields(inside, throwing=throwing and decides), may_have_doubled

    @staticmethod
    def _read_live_dice(live: int | None, faces: Roll | None) -> int:
        """Return the number of live dice, from the field ``live`` or from the roll."""
        size = DICE if faces is None else len(faces)
        if size > DICE:
            raise InputError(f"expected at most {DICE} dice, got {size}")
        if live is None:
            return size
        dice = parse_number(live, argument("live"), 1, DICE)
        if faces is not None and size != dice:
            raise InputError(
                f"{argument('live')} is {dice}, but the roll has {format_count(size, 'die')}; leave out"
                f" {argument('live')}"
            )
        return dice

    def _check_double(self, turn: int, is_before_roll: bool) -> None:
        """Raise InputError if nobody can have doubled down here."""
        if turn:
            raise InputError(
                f"{argument('double')} cannot be combined with {argument('turn')} {turn}: you may double down"
                " only while holding 0 points"
            )
        if not self.may_double:
            raise InputError(f"{argument('double')} cannot be combined with the rule double=off")
        if is_before_roll:
            raise InputError(
                f"{argument('double')} requires {argument('roll')} or {argument('throwing')}; without them,"
                " advice compares a roll and a double-down"
            )

    def _read_chips(
        self,
        position: ScarneyPosition,
        pot: int | None,
        spent: Sequence[int] | None,
        has_paid: bool,
        may_have_paid: bool,
    ) -> ScarneyPosition:
        """Return the chips on the table: the antes, and one for every double-down that can have been made.

        ``has_paid``: True if the roll on the table was doubled, even if its dice do not show it.
        """
        least, most = self.antes + has_paid, MAX_POINTS
        if not position.playoff:
            frames = self.players * (position.frame - 1) + position.seat
            most = self.antes + DICE * frames + DICE - position.live + may_have_paid
        chips = parse_number(least if pot is None else pot, argument("pot"), least, most)
        chips_spent = (0,) * self.players if spent is None else tuple(spent)
        if len(chips_spent) != self.players or sum(chips_spent) > chips - self.antes:
            raise InputError(
                f"{argument('spent')}: expected {self.players} numbers, one for each player, with a sum of at most"
                f" {chips - self.antes} (the chips in the pot without the antes)"
            )
        by_seats = scores_by_seat(chips_spent[0], chips_spent[1:], position.seat, self.players)
        return replace_fields(position, pot=chips, spent=by_seats)

    def to_dict(self, position: ScarneyPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values: dict[str, Any] = {}
        if self.players > 1:
            values = {"seat": position.seat, "playoff": list(position.playoff)}
            if not position.playoff:
                values = {"frame": position.frame, "seat": position.seat}
            values |= {"score": position.score, "opponents": list(position.opponents)}
        if self.chips:
            values["pot"] = position.pot
            if any(position.spent):
                values["spent"] = [position.spent[seat] for seat in self.seats_from(position.seat)]
        if not self.is_turn_start(position):
            values |= {"turn": position.turn, "live": position.live}
        if position.roll is not None:
            values["roll"] = list(position.roll)
        return values | {name: True for name in ("double", "throwing") if getattr(position, name)}


PLAYABLE = ScarneyGame
