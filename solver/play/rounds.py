"""How Battleship is played: five dice, three casts; set aside a 6, a 5 and a 4 in that order, the rest is the crew.

One round alone (``points``), rounds alone up to a total (``turns``, ``reach``), or any number of players in every round
(``win``, ``margin``). The highest total wins after so many rounds, or once the round is over in which somebody reached
the target. All tied for it play one-round playoffs in the same seating, from 0 points on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..util.errors import InputError
from ..util.number_format import format_count
from .choice_kinds import ChoiceData, ChoiceKind, CrewChoice, TrioCast
from .dice import rolls
from .playable_game import Choice, Fall, Stage, Table, changed, make_choice
from .position_fields import Field, Kind, Role, read_number
from .seats import Seated, by_seat, opponents_field, playing, read_seats
from .turn_counts import MOST_TURNS, read_turns_left, turns_left_field

DICE = 5
CASTS = 3
FACES = ("1", "2", "3", "4", "5", "6")
TRIO = (6, 5, 4)  # ship, captain, mate
MOST_CREW = 12
MOST_TOTAL = 20_000
NO_CHOICE = "There is no choice here."

Dice = tuple[int, ...]


@dataclass(frozen=True)
class RoundsPosition(Seated):
    """A position.

    ``scores`` by seat before this turn, ``seat`` to cast, ``round`` from 1 (0 where rounds are not counted);
    ``turns_left`` of a player alone whose rounds are counted, this one included. ``playoff`` are the seats that play
    off a tie, () before: their scores count from 0; for the margin the others' are told below 0, by how much they lost.
    ``cast`` 1 to 3 is the next one, with the dice ``kept`` before it, or the one that lies on the table as ``roll``,
    all five dice; then ``kept`` is forgotten, unless it matters that the crew was recast before (crew=hybrid).
    ``ended`` is what each seat gets once it is over.
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


class Play(Table[RoundsPosition]):
    """Battleship at the table."""

    details = ("rolls",)

    def prepare(self) -> None:
        """The rules, and what a position is told by."""
        rules = self.game.rules
        self.crew = str(rules["crew"])
        self.first_to = self.players > 1 and rules["match"] == "first_to"
        self.rounds = int(str(rules["rounds"])) if self.players > 1 and not self.first_to else 0
        self.target = self.parameters.get("goal", int(str(rules["target"])))
        self.turns = self.parameters.get("turns", 0)
        self.fields = tuple(self._fields())

    def settle(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """A goal that the rounds can give; by default the game's target and rounds."""
        turns = int(str(self.game.rules["rounds"])) if turns is None else turns
        goal = int(str(self.game.rules["target"])) if goal is None else goal
        if not 1 <= turns <= MOST_TURNS:
            raise InputError(f"turns={turns} must lie between 1 and {MOST_TURNS}")
        if not 1 <= goal <= turns * MOST_CREW:
            rounds = format_count(turns, "round")
            raise InputError(f"goal={goal} must lie between 1 and {turns * MOST_CREW}, what {rounds} can give")
        return {"goal": goal, "turns": turns}

    def _fields(self) -> Iterator[Field]:
        if self.rounds:
            yield Field("round", Kind.NUMBER, f"Round, 1 to {self.rounds}; leave it out in a playoff.")
        if self.players > 1:
            yield Field("seat", Kind.NUMBER, "Players who cast before you in every round: 0 begins.", role=Role.SEAT)
            if self.players > 2 or self.objective != "margin":
                yield Field("playoff", Kind.NUMBERS, "In a playoff: the seats that play it, as 0,1.")
        if self.objective != "points":
            yield Field("score", Kind.POINTS, "Your total before this round; in a playoff 0.", role=Role.SCORE)
        if self.players > 1:
            yield opponents_field(self.players, low=None)  # in a playoff for the margin they may be below 0
        if self.turns:
            yield turns_left_field("Rounds")
        yield Field("cast", Kind.NUMBER, "Cast that lies on the table, 1 to 3; without a roll: the next.", inside=True)
        kept = "Dice set aside before this cast: 6, 65, 654, or 6543 with crew."
        yield Field("kept", Kind.DICE, kept, inside=True, words=FACES, role=Role.KEPT)
        yield Field("roll", Kind.DICE, "All five dice as they lie: 66345.", inside=True, words=FACES, role=Role.ROLL)

    # --- the rules, in the order of a round

    def start(self) -> RoundsPosition:
        """Nobody has any points."""
        return RoundsPosition((0,) * self.players, round=int(self.rounds > 0), turns_left=self.turns)

    def turn_begins(self, position: RoundsPosition) -> bool:
        """Whether the first cast is still to be made."""
        return position.cast == 1 and position.roll is None and not position.ended

    def stage(self, position: RoundsPosition) -> Stage:
        """Cast, then choose what to keep."""
        return Stage.TERMINAL if position.ended else Stage.CHANCE if position.roll is None else Stage.DECISION

    def throws(self, position: RoundsPosition) -> Iterator[Fall[RoundsPosition]]:
        """Every way in which the dice that are not kept may fall."""
        kept = self._still_matters(position.cast, position.kept)
        for ways, cast in self._rolls[DICE - len(position.kept)]:
            yield ways, changed(position, kept=kept, roll=tuple(sorted(position.kept + cast)))

    @cached_property
    def _rolls(self) -> Mapping[int, list[tuple[int, Dice]]]:
        return {dice: rolls((1, 2, 3, 4, 5, 6), dice) for dice in range(1, DICE + 1)}

    def _still_matters(self, cast: int, kept: Dice) -> Dice:
        """What is remembered of the dice kept before a cast: under crew=hybrid, that the crew was recast before."""
        return TRIO if self.crew == "hybrid" and cast < CASTS and kept[:3] == TRIO else ()

    def choices(self, position: RoundsPosition) -> tuple[Choice[RoundsPosition], ...]:
        """Settle before recasting; keep the higher crew die before the lower, one before none."""
        assert position.roll is not None
        trio, rest = self._set_aside(position.roll)
        if len(trio) == len(TRIO):
            return tuple(self._crew_choices(position, max(rest), min(rest)))
        if position.cast == CASTS:
            return (make_choice(ChoiceKind.BUST, CrewChoice(), "end", self._score(position, 0)),)
        return (self._cast(position, TrioCast(trio, DICE - len(trio)), trio),)

    @staticmethod
    def _set_aside(roll: Dice) -> tuple[Dice, Dice]:
        """The ship, then the captain, then the mate that lie there, and the other dice."""
        rest, trio = list(roll), list[int]()
        for die in TRIO:
            if die not in rest:
                break
            rest.remove(die)
            trio.append(die)
        return tuple(trio), tuple(rest)

    def _crew_choices(self, position: RoundsPosition, high: int, low: int) -> Iterator[Choice[RoundsPosition]]:
        points = high + low
        keep = tuple(map(str, (*TRIO, high, low)))
        yield make_choice(ChoiceKind.BANK, CrewChoice(points), "bank", self._score(position, points), keep, points)
        if position.cast == CASTS:
            return
        recast_before = position.kept == TRIO
        if self.crew == "each" or (self.crew == "hybrid" and recast_before):
            yield self._cast(position, CrewChoice(kept=high, recast=low), (*TRIO, high))
            if high != low:
                yield self._cast(position, CrewChoice(kept=low, recast=high), (*TRIO, low))
        yield self._cast(position, CrewChoice(), TRIO)

    def _cast(self, position: RoundsPosition, data: ChoiceData, kept: Dice) -> Choice[RoundsPosition]:
        after = changed(position, cast=position.cast + 1, kept=kept, roll=None)
        keep = tuple(map(str, kept))
        return make_choice(ChoiceKind.ROLL, data, "roll", after, keep, dice_left=DICE - len(kept))

    def _score(self, position: RoundsPosition, points: int) -> RoundsPosition:
        """The position once the round has scored: the next player's, the next round, a playoff, or the end."""
        scores = tuple(total + points * (seat == position.seat) for seat, total in enumerate(position.scores))
        if self.objective == "points":
            return RoundsPosition(position.scores, ended=(Fraction(points),))
        if self.players == 1:
            if scores[0] >= self.target:
                return RoundsPosition(scores, ended=(Fraction(1),))
            if self.turns and position.turns_left == 1:
                return RoundsPosition(scores, ended=(Fraction(0),))
            return RoundsPosition(scores, turns_left=max(0, position.turns_left - 1))
        here = RoundsPosition(scores, 0, position.round, position.playoff)
        seats = playing(position.playoff, self.players)
        if position.seat != seats[-1]:
            return changed(here, seat=seats[seats.index(position.seat) + 1])
        top = max(scores[seat] for seat in seats)
        if not position.playoff and (top < self.target if self.first_to else position.round < self.rounds):
            return changed(here, round=position.round + (not self.first_to))
        tied = tuple(seat for seat in seats if scores[seat] == top)
        return self._play_off(here, tied) if len(tied) > 1 else self._won(here, tied[0])

    def _play_off(self, position: RoundsPosition, tied: tuple[int, ...]) -> RoundsPosition:
        """The playoff of those tied; for the margin, where nobody is out nobody has anything to win: it is over."""
        losses = self._losses(position, tied[0])
        if self.objective == "margin" and not any(losses):
            return changed(position, ended=(Fraction(0),) * self.players)
        scores = tuple(-loss for loss in losses) if self.objective == "margin" else (0,) * self.players
        return changed(position, scores=scores, seat=tied[0], playoff=tied)

    def _losses(self, position: RoundsPosition, winner: int) -> tuple[int, ...]:
        """By how much each seat lost. A playoff is not counted: it only says who of those tied has won."""
        if position.playoff:
            return tuple(0 if seat in position.playoff else -total for seat, total in enumerate(position.scores))
        return tuple(position.scores[winner] - total for total in position.scores)

    def _won(self, position: RoundsPosition, winner: int) -> RoundsPosition:
        """The end: the win, or every loser's difference for the winner."""
        losses = self._losses(position, winner) if self.objective == "margin" else (0,) * self.players
        prize = sum(losses) if self.objective == "margin" else 1
        ended = tuple(Fraction(prize if seat == winner else -loss) for seat, loss in enumerate(losses))
        return changed(position, ended=ended)

    def course(self, position: RoundsPosition) -> str:
        """Which round it is."""
        if position.playoff:
            return "playoff"
        return f"round {position.round} of {self.rounds}" if self.rounds else ""

    def brings(self, position: RoundsPosition) -> str:
        """The crew."""
        return f"the crew, 2 to {MOST_CREW}, or 0"

    def turn_brings(self, position: RoundsPosition, told: str) -> RoundsPosition:
        """The crew of the round, 0 without ship, captain and mate."""
        points = read_number(told.strip(), "crew", 0, MOST_CREW)
        if points == 1:
            raise InputError("a crew is two dice: 2 to 12, or 0 where the round scored nothing")
        return self._score(position, points)

    def turn_key(self, start: RoundsPosition) -> Hashable:
        """Every round offers the same."""
        return ()

    def moved(self, position: RoundsPosition, start: RoundsPosition) -> RoundsPosition:
        """The same round with other totals."""
        return changed(start, cast=position.cast, kept=position.kept, roll=position.roll)

    def throw_in_words(self, position: RoundsPosition) -> tuple[str, int]:
        """The dice that are not kept."""
        return "throw the dice", DICE - len(position.kept)

    def note(self, position: RoundsPosition) -> str:
        """What a player should know beside the choices."""
        if position.roll is None or position.ended:
            return ""
        options = self.choices(position)
        if len(options) == 1:
            return NO_CHOICE
        if self.crew == "hybrid" and position.cast == 2 and not position.kept:
            return "The trio is taken to be new on this cast (else say --kept 654)."
        return ""

    # --- positions in words

    def make(
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
        """Return the position that is told; what cannot occur is refused with what can."""
        mover, seats = read_seats(seat, playoff, self.players)
        if seats and round is not None:
            raise InputError("a playoff is a round of its own: leave round out")
        number = self.rounds
        if self.rounds and not seats:
            number = read_number(1 if round is None else round, "round", 1, self.rounds)
        scores = by_seat(score, opponents, mover, self.players)
        for one, total in enumerate(scores):
            self._check_total(total, one, mover, number, seats)
        if seats and self.objective == "margin":
            self._check_losses(tuple(-total for one, total in enumerate(scores) if one not in seats))
        left = read_turns_left(turns_left, self.turns)
        return self._inside(RoundsPosition(scores, mover, number, seats, left), cast, kept, roll)

    def _check_total(self, total: int, seat: int, mover: int, round_: int, playoff: tuple[int, ...]) -> None:
        whose = "score" if seat == mover else "opponents"
        if playoff and seat not in playoff and self.objective == "margin":
            read_number(total, whose, -MOST_TOTAL, -1)
            return
        read_number(total, whose, 0)
        if total > MOST_TOTAL:
            raise InputError(f"{whose} {total} is more than any match brings: at most {MOST_TOTAL:,}")
        played = seat < mover
        known: int | None = None
        if playoff:
            known = int(played and seat in playoff)
        elif self.rounds:
            known = round_ - 1 + played
        if known is not None and total > known * MOST_CREW:
            raise InputError(f"{whose} {total} is more than the rounds played can give: {known * MOST_CREW}")
        if total == 1:  # a crew is two dice
            raise InputError(f"{whose} {total} cannot be: no rounds add up to it")
        if self.players == 1 and total >= self.target:
            goal = "goal" if "goal" in self.parameters else "target"
            raise InputError(f"score {total} has already reached the {goal} of {self.target}")
        if self.first_to and not playoff and total >= self.target + (MOST_CREW if played else 0):
            raise InputError(f"{whose} {total} cannot be: the round with the target was the last one")

    def totals(self, most: int) -> list[int]:
        """The totals up to ``most`` that rounds can add up to: a crew is two dice."""
        return [total for total in range(most + 1) if total != 1]

    def can_lose_by(self, losses: tuple[int, ...]) -> bool:
        """Whether somebody tied at the top can have beaten others by so much."""
        tops = range(self.target, self.target + MOST_CREW) if self.first_to else range(self.rounds * MOST_CREW + 1)
        return any(top != 1 and all(top - loss >= 0 and top - loss != 1 for loss in losses) for top in tops)

    def _check_losses(self, losses: tuple[int, ...]) -> None:
        if not losses:
            raise InputError("where all are tied nobody has anything to win: for the margin there is no such playoff")
        if not self.can_lose_by(losses):
            told = ", ".join(str(-loss) for loss in losses)
            raise InputError(f"nobody can be out at {told} from those tied: no totals lie so far apart")

    def _inside(
        self, position: RoundsPosition, cast: int | None, kept: Sequence[str] | None, roll: Sequence[str] | None
    ) -> RoundsPosition:
        """The position inside the round."""
        if cast is None and roll is None and kept:
            raise InputError("with dice kept and no roll, cast must tell which comes next: 2 or 3")
        number = 1 if cast is None else cast
        if not 1 <= number <= CASTS:
            raise InputError(f"cast {number} must lie between 1 and {CASTS}: a round has {CASTS} casts")
        before = self._read_kept(tuple(map(int, kept or ())), number)
        if roll is None:
            return changed(position, cast=number, kept=before)
        if len(roll) != DICE:
            raise InputError(f"{len(roll)} dice given, but {DICE} lie on the table: give all of them")
        dice = tuple(sorted(map(int, roll)))
        for die in before:
            if before.count(die) > dice.count(die):
                raise InputError(f"the {die} set aside does not lie among {' '.join(roll)}: give all five dice")
        return changed(position, cast=number, kept=self._still_matters(number, before), roll=dice)

    def _read_kept(self, kept: Dice, cast: int) -> Dice:
        """The dice set aside before a cast: of the trio in their order, and then perhaps one crew die."""
        if cast == 1 and kept:
            raise InputError("before the first cast nothing is set aside; leave kept out")
        trio, rest = self._set_aside(kept)
        if rest and (len(trio) < len(TRIO) or len(rest) > 1):
            raise InputError(
                f"{' '.join(map(str, kept))} cannot have been set aside: only a 6, then a 5, then a 4, then one crew"
                " die; no captain without a ship"
            )
        if rest and (self.crew == "both" or (self.crew == "hybrid" and cast == 2)):
            recast = "a recast" if self.crew == "both" else "the first recast of a round"
            raise InputError(f"under crew={self.crew} {recast} takes both crew dice: kept can be 654 at most")
        return (*trio, *rest)

    def tell(self, position: RoundsPosition) -> dict[str, Any]:
        """The position as JSON tells it."""
        told: dict[str, Any] = {}
        if self.rounds and not position.playoff:
            told["round"] = position.round
        if self.players > 1:
            told["seat"] = position.seat
        if position.playoff:
            told["playoff"] = list(position.playoff)
        if self.objective != "points":
            told["score"] = position.score
        if self.players > 1:
            told["opponents"] = list(position.opponents)
        if position.turns_left != self.turns:
            told["turns_left"] = position.turns_left
        if not self.turn_begins(position):
            told["cast"] = position.cast
        if position.kept:
            told["kept"] = [str(die) for die in position.kept]
        if position.roll is not None:
            told["roll"] = list(position.roll)
        return told


PLAYABLE = Play
