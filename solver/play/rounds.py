"""Battleship as people play it.

A player rolls five dice up to three times and sets aside a 6, a 5 and a 4 in this order; the other two dice are the
crew. The objective ``points`` is for one round, ``turns`` and ``reach`` for the rounds of a single player. For ``win``
and ``margin`` all players have a turn in every round. The highest total wins after the last round, or after the round
in which a player reached the target. Tied players have playoffs of one round in the same order, from 0 points on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..util.errors import InputError, argument
from ..util.number_format import format_count
from .choice_kinds import ChoiceData, ChoiceKind, CrewChoice, TrioCast
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
from .turn_counts import MAX_TURNS, parse_turns_left, turns_left_field

DICE = 5
CASTS = 3
FACES = ("1", "2", "3", "4", "5", "6")
TRIO = (6, 5, 4)  # ship, captain, mate
MAX_CREW = 12
MAX_TOTAL = 20_000
NO_CHOICE = "There is nothing to choose here."

Dice = tuple[int, ...]


@dataclass(frozen=True)
class RoundsPosition(SeatedPosition):
    """A position of Battleship.

    Attributes:
        scores: by seat, before this turn. In a playoff they count from 0; for the objective ``margin`` players who are
            out have minus what they lost by.
        seat: the player to move.
        round: number of the round from 1, 0 if rounds do not count.
        playoff: seats that play off a tie, () before a playoff.
        turns_left: rounds left of a single player whose rounds count, this one included.
        cast: number of the roll on the table or of the next roll, 1 to 3.
        kept: dice that stay before a roll. After it () unless the rule crew=hybrid asks whether the crew was rolled
            before.
        roll: all five dice on the table; None before a roll.
        ended: what each seat gets in a terminal position, else ().
    """

    scores: tuple[int, ...]
    seat: int = 0
    round: int = 0
    playoff: tuple[int, ...] = ()
    turns_left: int = 0
    cast: int = 1
    kept: Dice = ()
    roll: Dice | None = None
    ended: tuple[Fraction, ...] = ()


class RoundsGame(PlayableGame[RoundsPosition]):
    """Battleship."""

    decision_kinds = ("rolls",)

    def prepare(self) -> None:
        """Compute what the game needs of its rules, and list the fields of a position."""
        rules = self.game.rules
        self.crew = str(rules["crew"])
        self.first_to = self.players > 1 and rules["match"] == "first_to"
        self.rounds = int(str(rules["rounds"])) if self.players > 1 and not self.first_to else 0
        self.target = self.parameters.get("goal", int(str(rules["target"])))
        self.turns = self.parameters.get("turns", 0)
        self.fields = tuple(self._fields())

    def validate_parameters(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """Return a goal that the rounds can give; by default the target and the rounds of the game."""
        turns = int(str(self.game.rules["rounds"])) if turns is None else turns
        goal = int(str(self.game.rules["target"])) if goal is None else goal
        if not 1 <= turns <= MAX_TURNS:
            raise InputError(f"{argument('turns')} must be between 1 and {MAX_TURNS:,}, not {turns}")
        if not 1 <= goal <= turns * MAX_CREW:
            rounds = format_count(turns, "round")
            raise InputError(
                f"{argument('goal')} must be between 1 and {turns * MAX_CREW}, the most in {rounds}, not {goal}"
            )
        return {"goal": goal, "turns": turns}

    @property
    def reach_requires_turns(self) -> bool:
        """Return True if the game ends with a target, so that its rules set no number of rounds."""
        return self.first_to

    def reach_turns(self, position: RoundsPosition, turns: int | None) -> tuple[int | None, int | None]:
        """Return the rounds of the game, from which the score may come, and the rounds that are left."""
        if turns is None and self.first_to and not position.playoff:
            raise InputError(f"{argument('turns')} is required, because a game to a target has no number of rounds")
        if turns is None:
            turns = self.turns and position.turns_left
            turns = turns or (1 if position.playoff else self.rounds - position.round + 1)
        return max(int(str(self.game.rules["rounds"])), self.turns, turns), turns

    def _fields(self) -> Iterator[Field]:
        if self.rounds:
            yield Field("round", FieldKind.NUMBER, f"The round, 1 to {self.rounds}; leave it out in a playoff.")
        if self.players > 1:
            yield Field(
                "seat",
                FieldKind.NUMBER,
                "The number of players who play before you in each round: 0 if you begin.",
                role=Role.SEAT,
            )
            if self.players > 2 or self.objective != "margin":
                yield Field(
                    "playoff",
                    FieldKind.NUMBERS,
                    "In a playoff: the players in it, each by the number of players before them, such as 0,1.",
                )
        if self.objective != "points":
            yield Field("score", FieldKind.POINTS, "Your total before this round; 0 in a playoff.", role=Role.SCORE)
        if self.players > 1:
            yield opponents_field(self.players, low=None)  # in a playoff for the margin they may be below 0
        if self.turns:
            yield turns_left_field("Rounds")
        yield Field(
            "cast",
            FieldKind.NUMBER,
            "The number of the roll that --roll shows, 1 to 3; without --roll, of the next roll.",
            is_inside_turn=True,
        )
        help_ = "Dice set aside before this roll: 6, 65, 654, or 654 and a crew die, such as 6543."
        yield Field("kept", FieldKind.DICE, help_, is_inside_turn=True, words=FACES, role=Role.KEPT)
        yield Field(
            "roll",
            FieldKind.DICE,
            "All five dice on the table: 66345.",
            is_inside_turn=True,
            words=FACES,
            role=Role.ROLL,
        )

    # --- the rules, in the order of a round

    def start(self) -> RoundsPosition:
        """Return the first turn, before which nobody has points."""
        return RoundsPosition((0,) * self.players, round=int(self.rounds > 0), turns_left=self.turns)

    def is_turn_start(self, position: RoundsPosition) -> bool:
        """Return whether the first roll is still to be made."""
        return position.cast == 1 and position.roll is None and not position.ended

    def stage(self, position: RoundsPosition) -> Stage:
        """Return the stage: rolls alternate with decisions."""
        return Stage.TERMINAL if position.ended else Stage.CHANCE if position.roll is None else Stage.DECISION

    def rolls(self, position: RoundsPosition) -> Iterator[WeightedRoll[RoundsPosition]]:
        """Yield every roll of the dice that are not kept."""
        remembered = self._remembered_dice(position.cast, position.kept)
        for ways, cast in self._rolls[DICE - len(position.kept)]:
            yield ways, replace_fields(position, kept=remembered, roll=tuple(sorted(position.kept + cast)))

    @cached_property
    def _rolls(self) -> Mapping[int, list[tuple[int, Dice]]]:
        return {dice: list_rolls((1, 2, 3, 4, 5, 6), dice) for dice in range(1, DICE + 1)}

    def _remembered_dice(self, cast: int, dice: Dice) -> Dice:
        """Return the kept dice that the position after the roll stores: 6 5 4, or none.

        They matter only under crew=hybrid: a player may recast a single crew die if the crew was rolled before. After
        the last cast nothing is recast. In all other positions none are stored, so that equal decisions are equal
        positions.
        """
        return TRIO if self.crew == "hybrid" and cast < CASTS and dice[:3] == TRIO else ()

    def choices(self, position: RoundsPosition) -> tuple[Choice[RoundsPosition], ...]:
        """Return to stop before to roll, and to keep the higher crew die before the lower one before none."""
        assert position.roll is not None
        trio, cargo = self._set_aside(position.roll)
        if len(trio) == len(TRIO):
            return tuple(self._crew_choices(position, max(cargo), min(cargo)))
        if position.cast == CASTS:
            return (make_choice(ChoiceKind.BUST, CrewChoice(), self._end_turn(position, 0)),)
        return (self._cast(position, TrioCast(trio, DICE - len(trio)), trio),)

    @staticmethod
    def _set_aside(roll: Dice) -> tuple[Dice, Dice]:
        """Return the ship, captain and mate that lie in this order, and the other dice."""
        cargo, trio = list(roll), list[int]()
        for die in TRIO:
            if die not in cargo:
                break
            cargo.remove(die)
            trio.append(die)
        return tuple(trio), tuple(cargo)

    def _crew_choices(self, position: RoundsPosition, high: int, low: int) -> Iterator[Choice[RoundsPosition]]:
        points = high + low
        keep = tuple(map(str, (*TRIO, high, low)))
        yield make_choice(ChoiceKind.BANK, CrewChoice(points), self._end_turn(position, points), keep, points)
        if position.cast == CASTS:
            return
        recast_before = position.kept == TRIO
        if self.crew == "each" or (self.crew == "hybrid" and recast_before):
            yield self._cast(position, CrewChoice(kept=high, recast=low), (*TRIO, high))
            if high != low:
                yield self._cast(position, CrewChoice(kept=low, recast=high), (*TRIO, low))
        yield self._cast(position, CrewChoice(), TRIO)

    def _cast(self, position: RoundsPosition, data: ChoiceData, dice: Dice) -> Choice[RoundsPosition]:
        after = replace_fields(position, cast=position.cast + 1, kept=dice, roll=None)
        keep = tuple(map(str, dice))
        return make_choice(ChoiceKind.ROLL, data, after, keep, dice_left=DICE - len(dice))

    def _end_turn(self, position: RoundsPosition, points: int) -> RoundsPosition:
        """Return the position after a round with some points: the next turn, a playoff, or the end of the game."""
        scores = tuple(total + points * (seat == position.seat) for seat, total in enumerate(position.scores))
        if self.objective == "points":
            return RoundsPosition(position.scores, ended=(Fraction(points),))
        if self.players == 1:
            if scores[0] >= self.target:
                return RoundsPosition(scores, ended=(Fraction(1),))
            if self.turns and position.turns_left == 1:
                return RoundsPosition(scores, ended=(Fraction(0),))
            return RoundsPosition(scores, turns_left=max(0, position.turns_left - 1))
        between_turns = RoundsPosition(scores, 0, position.round, position.playoff)
        seats = active_seats(position.playoff, self.players)
        if position.seat != seats[-1]:
            return replace_fields(between_turns, seat=seats[seats.index(position.seat) + 1])
        best_total = max(scores[seat] for seat in seats)
        if not position.playoff and (best_total < self.target if self.first_to else position.round < self.rounds):
            return replace_fields(between_turns, round=position.round + (not self.first_to))
        tied = tuple(seat for seat in seats if scores[seat] == best_total)
        return self._play_off(between_turns, tied) if len(tied) > 1 else self._end_with_winner(between_turns, tied[0])

    def position_after_choice(
        self, decision: RoundsPosition, number: int, choice: Choice[RoundsPosition], start: RoundsPosition
    ) -> RoundsPosition:
        """Return where a choice leads in a turn with other scores; a bank adds its points to them."""
        if choice.kind in (ChoiceKind.BANK, ChoiceKind.BUST):
            return self._end_turn(start, choice.points)
        return super().position_after_choice(decision, number, choice, start)

    def _play_off(self, position: RoundsPosition, tied: tuple[int, ...]) -> RoundsPosition:
        """Return the playoff of tied players.

        For the objective ``margin`` the game is over if nobody is out, because there is nothing to win.
        """
        losses = self._losses(position, tied[0])
        if self.objective == "margin" and not any(losses):
            return replace_fields(position, ended=(Fraction(0),) * self.players)
        scores = tuple(-loss for loss in losses) if self.objective == "margin" else (0,) * self.players
        return replace_fields(position, scores=scores, seat=tied[0], playoff=tied)

    def _losses(self, position: RoundsPosition, winner: int) -> tuple[int, ...]:
        """Return by how many points each seat lost to the winner, who has 0.

        A playoff only decides which of the tied players has won. Its points do not count: then the other scores are
        stored as minus the points lost.
        """
        if position.playoff:
            return tuple(0 if seat in position.playoff else -total for seat, total in enumerate(position.scores))
        return tuple(position.scores[winner] - total for total in position.scores)

    def _end_with_winner(self, position: RoundsPosition, winner: int) -> RoundsPosition:
        """Return the end of the game with the share or the points of each seat."""
        losses = self._losses(position, winner) if self.objective == "margin" else (0,) * self.players
        prize = sum(losses) if self.objective == "margin" else 1
        payoffs = tuple(Fraction(prize if seat == winner else -loss) for seat, loss in enumerate(losses))
        return replace_fields(position, ended=payoffs)

    def find_tie(self, before: RoundsPosition, after: RoundsPosition) -> Tie | None:
        """Return the tie with which a playoff begins."""
        return find_playoff_tie(before, after, before.scores)

    def describe_progress(self, position: RoundsPosition) -> str:
        """Return the number of the round."""
        if position.playoff:
            return self.playoff_name
        return f"round {position.round} of {self.rounds}" if self.rounds else ""

    def describe_turn_results(self, position: RoundsPosition) -> str:
        """Return the results of a round that can be entered."""
        return f"the points of the round, 0 or 2 to {MAX_CREW}"

    def result_question(self, position: RoundsPosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        return "how many points did they score?"

    def play_whole_turn(self, position: RoundsPosition, result_text: str) -> RoundsPosition:
        """Return the position after a round with some points, 0 without ship, captain and mate."""
        points = parse_number(result_text.strip(), "the points of the round", 0, MAX_CREW)
        if points == 1:
            raise InputError("the points of the round cannot be 1; enter 2 to 12, or 0 if the round scored nothing")
        return self._end_turn(position, points)

    def turn_key(self, start: RoundsPosition) -> Hashable:
        """Return the same key for all rounds, which offer the same."""
        return ()

    def move_to_turn(self, position: RoundsPosition, start: RoundsPosition) -> RoundsPosition:
        """Return the position of the round with other scores."""
        return replace_fields(start, cast=position.cast, kept=position.kept, roll=position.roll)

    def describe_roll(self, position: RoundsPosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        dice = DICE - len(position.kept)
        return f"roll {'all five dice' if dice == DICE else format_count(dice, 'die')}", dice

    def explain_kept(self, position: RoundsPosition, dice: Sequence[str]) -> str:
        """Return that 6, 5 and 4 are kept in any case, if only dice of them are named and all three lie there."""
        assert position.roll is not None
        trio, (*crew,) = self._set_aside(position.roll)
        if len(trio) < len(TRIO) or not set(dice) <= set(map(str, TRIO)):
            return ""
        return f"6, 5 and 4 are kept already; you choose only for the crew dice, {crew[0]} and {crew[1]}"

    def note(self, position: RoundsPosition) -> str:
        """Return what a player should know besides the choices."""
        if position.roll is None or position.ended:
            return ""
        options = self.choices(position)
        if len(options) == 1:
            return NO_CHOICE
        if self.crew == "hybrid" and position.cast == 2 and not position.kept:
            return "This assumes that 6, 5 and 4 came with this roll; if you had set them aside before, add --kept 654."
        return ""

    # --- positions in words

    def position_from_fields(
        self,
        round: int | None = None,
        seat: int | None = None,
        playoff: Sequence[int] | None = None,
        score: int = 0,
        opponents: Sequence[int] | None = None,
        turns_left: int | None = None,
        cast: int | None = None,
        kept: Sequence[str] | None = None,
        roll: Sequence[str] | None = None,
    ) -> RoundsPosition:
        """Return the position with these field values; an error says what can occur."""
        mover, seats = parse_seats(seat, playoff, self.players)
        if seats and round is not None:
            raise InputError(
                f"{argument('round')} cannot be combined with {argument('playoff')}; leave out {argument('round')}"
            )
        number = self.rounds
        if self.rounds and not seats:
            number = parse_number(1 if round is None else round, argument("round"), 1, self.rounds)
        scores = scores_by_seat(score, opponents, mover, self.players)
        for place, total in enumerate(scores):
            self._check_total(total, place, mover, number, seats)
        if seats and self.objective == "margin":
            self._check_losses(tuple(-total for place, total in enumerate(scores) if place not in seats))
        left = parse_turns_left(turns_left, self.turns)
        return self._add_dice(RoundsPosition(scores, mover, number, seats, left), cast, kept, roll)

    def _check_total(self, total: int, seat: int, mover: int, round_: int, playoff: tuple[int, ...]) -> None:
        whose = argument("score") if seat == mover else argument("opponents")
        if playoff and seat not in playoff and self.objective == "margin":
            parse_number(total, whose, -MAX_TOTAL, -1)
            return
        parse_number(total, whose, 0)
        if total > MAX_TOTAL:
            raise InputError(f"{whose} must be at most {MAX_TOTAL:,}, not {total}")
        has_played = seat < mover
        rounds_played: int | None = None
        if playoff:
            rounds_played = int(has_played and seat in playoff)
        elif self.rounds:
            rounds_played = round_ - 1 + has_played
        if rounds_played is not None and total > rounds_played * MAX_CREW:
            max_score, rounds = rounds_played * MAX_CREW, format_count(rounds_played, "round")
            if not rounds_played:
                hint = "" if playoff else f"; for a later round, give {argument('round')}"
                which = "playoff" if playoff else "first"
                raise InputError(f"{whose} must be 0 before the {which} round, not {total}{hint}")
            raise InputError(f"{whose} must be at most {max_score} after {rounds}, not {total}")
        if total == 1:  # a crew is two dice
            raise InputError(f"{whose} cannot be 1: a round scores nothing, or 2 to {MAX_CREW}")
        if self.players == 1 and total >= self.target:
            goal = "goal" if "goal" in self.parameters else "target"
            raise InputError(f"{argument('score')} must be below the {goal} of {self.target}, not {total}")
        if self.first_to and not playoff and total >= self.target + (MAX_CREW if has_played else 0):
            raise InputError(
                f"{whose} cannot be {total}: the game would have ended with the round in which the target was reached"
            )

    def possible_totals(self, most: int) -> list[int]:
        """Return the totals up to ``most`` that rounds can add up to; a crew has two dice, so 1 is not among them."""
        return [total for total in range(most + 1) if total != 1]

    def are_possible_losses(self, losses: tuple[int, ...]) -> bool:
        """Return whether players can be behind the tied leaders by these losses."""
        best_totals = range(self.target, self.target + MAX_CREW) if self.first_to else range(self.rounds * MAX_CREW + 1)
        return any(top != 1 and all(top - loss >= 0 and top - loss != 1 for loss in losses) for top in best_totals)

    def _check_losses(self, losses: tuple[int, ...]) -> None:
        if not losses:
            raise InputError("a playoff of all players does not change the margin; use the objective win for it")
        if not self.are_possible_losses(losses):
            scores = " and ".join(str(-loss) for loss in losses)
            points = " and ".join(str(loss) for loss in losses)
            totals = "the total of the tied players and other totals" if len(losses) > 1 else "two totals"
            raise InputError(
                f"{argument('opponents')} cannot contain {scores}: {totals} cannot differ by {points} points; correct"
                f" the value{'s' * (len(losses) > 1)}"
            )

    def _add_dice(
        self, position: RoundsPosition, cast: int | None, kept: Sequence[str] | None, roll: Sequence[str] | None
    ) -> RoundsPosition:
        """Return a position between turns with the cast and the dice of the turn added.

        Args:
            position: the position between turns.
            cast: number of the cast, 1 to 3: the one that showed ``roll``, or the next one without ``roll``. None is 1;
                dice kept before a roll require a number, because it can be 2 or 3.
            kept: dice set aside before this cast; None or empty if there are none, as before cast 1.
            roll: all five dice on the table, the dice set aside included; None before a roll.

        Raises:
            InputError: the cast is not possible, or the dice do not fit each other, the cast or the rules.
        """
        if cast is None and roll is None and kept:
            raise InputError(
                f"{argument('kept')} without {argument('roll')} requires {argument('cast')}, the number of the"
                " next roll: 2 or 3"
            )
        cast_number = 1 if cast is None else cast
        if not 1 <= cast_number <= CASTS:
            raise InputError(f"{argument('cast')} must be between 1 and {CASTS}, not {cast_number}")
        kept_dice = self._read_kept(tuple(map(int, kept or ())), cast_number)
        if roll is None:
            return replace_fields(position, cast=cast_number, kept=kept_dice)
        if len(roll) != DICE:
            raise InputError(f"expected {DICE} dice, got {len(roll)}: {' '.join(roll)}; include the dice set aside")
        dice = tuple(sorted(map(int, roll)))
        for die in kept_dice:
            if kept_dice.count(die) > dice.count(die):
                raise InputError(
                    f"{argument('roll')} must include the {die} that was set aside: {' '.join(roll)}; enter all"
                    " five dice"
                )
        # After a roll the choices depend on all five dice alone, except in the case that ``_remembered_dice`` names.
        remembered = self._remembered_dice(cast_number, kept_dice)
        return replace_fields(position, cast=cast_number, kept=remembered, roll=dice)

    def _read_kept(self, dice: Dice, cast: int) -> Dice:
        """Return the dice kept before a roll: ship, captain and mate in this order, then perhaps one crew die."""
        if cast == 1 and dice:
            raise InputError(
                f"{argument('kept')} cannot be combined with {argument('cast')} 1: no dice are set aside before"
                " the first roll"
            )
        trio, cargo = self._set_aside(dice)
        if cargo and (len(trio) < len(TRIO) or len(cargo) > 1):
            raise InputError(
                f"{argument('kept')} cannot be {' '.join(map(str, dice))}: dice are set aside in the order 6,"
                " 5, 4, and then one crew"
                " die"
            )
        if cargo and (self.crew == "both" or (self.crew == "hybrid" and cast == 2)):
            reroll = "every later roll" if self.crew == "both" else "the first later roll of a round"
            raise InputError(
                f"{argument('kept')} must not contain a crew die: with crew={self.crew}, {reroll} takes both crew dice"
            )
        return (*trio, *cargo)

    def to_dict(self, position: RoundsPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values: dict[str, Any] = {}
        if self.rounds and not position.playoff:
            values["round"] = position.round
        if self.players > 1:
            values["seat"] = position.seat
        if position.playoff:
            values["playoff"] = list(position.playoff)
        if self.objective != "points":
            values["score"] = position.score
        if self.players > 1:
            values["opponents"] = list(position.opponents)
        if position.turns_left != self.turns:
            values["turns_left"] = position.turns_left
        if not self.is_turn_start(position):
            values["cast"] = position.cast
        if position.kept:
            values["kept"] = [str(die) for die in position.kept]
        if position.roll is not None:
            values["roll"] = list(position.roll)
        return values


PLAYABLE = RoundsGame
