"""How push-your-luck dice games are played: throw, set dice aside that score, bank the points in hand or throw on.

A throw that scores nothing ends the turn without points. Alone (``points``, ``turns``, ``reach``) or any number of
players in turn (``win``); with ``finish = last_round``, once somebody holds the target everybody else has one more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from ..games.push_rules import SCORING, Counts, Next, PushRules
from ..util.errors import InputError
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, SetAside, TurnLoss, TurnRoll, TurnStop
from .choice_text import format_bust_cost, format_choice
from .playable_game import Choice, Fall, Stage, Table, changed, make_choice
from .position_fields import Field, Kind, Role, has_named_faces, read_number
from .reachable_states import MOST_IN_HAND, Held
from .seats import SEAT, Seated, by_seat, opponents_field
from .turn_counts import goal_and_turns, read_turns_left, turns_left_field

ONE_TURN = ("points", "rate")  # what is played for within one turn, which knows no target
NOTHING_SET_ASIDE = SetAside()


class _Set(NamedTuple):
    """A set that may be set aside: its dice, its points, and the roll that follows."""

    set_aside: SetAside
    points: int
    throw: Next | None


@dataclass(frozen=True)
class PushPosition(Seated):
    """A position. Points are as people count them.

    ``scores`` by seat, ``seat`` to move; ``turns_left`` of a player alone whose turns are counted, this one included.
    Inside a turn ``turn`` points are in hand; ``dice`` are thrown next, or lie on the table as ``roll`` (counts of
    faces). ``forced``: these dice must be thrown; ``over``: the faces, by number, that are thrown over then;
    ``throwing``: the player has decided to throw. ``ended`` is what each seat gets once it is over. ``busts`` by seat
    counts those in a row, where they cost points. ``offered``: what the player before banked and the dice left over,
    which may be taken over.
    """

    scores: tuple[int, ...]
    seat: int
    dice: int
    turns_left: int = 0
    turn: int = 0
    roll: Counts | None = None
    forced: bool = False
    throwing: bool = False
    ended: tuple[Fraction, ...] = ()
    busts: tuple[int, ...] = ()
    over: tuple[int, ...] = ()
    offered: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Busts in a row of the player to move, up to now."""
        return self.busts[self.seat] if self.busts else 0


class Play(Table[PushPosition]):
    """A push-your-luck game at the table."""

    def prepare(self) -> None:
        """The rules, and what a position is told by."""
        rules: PushRules = self.game.data
        self.finish = rules.finish
        if self.objective in ONE_TURN:
            # One turn knows no target, and a roll that wins at once scores as ordinary dice. In the long run the
            # opening is past. Rules that stay the same are not replaced, because their turn is compiled already.
            others = rules.specials_of_one_turn
            opening = min(rules.opening, rules.minimum) if self.objective == "rate" else rules.opening
            if (rules.finish, rules.specials, rules.opening) != ("at_least", others, opening):
                rules = replace(rules, finish="at_least", specials=others, opening=opening)
        self.rules = rules
        self.held = Held(rules, self.parameters)
        self.goal = self.held.goal
        self.turns = self.parameters.get("turns", 0)
        self.fields = tuple(self._fields())

    def settle(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """A goal up to the target, and the turns to get there."""
        return goal_and_turns(goal, turns, self.game.data.target)

    def _fields(self) -> Iterator[Field]:
        low = self.rules.floor
        yield Field("score", Kind.POINTS, "Your score before this turn.", low=low, role=Role.SCORE)
        if self.players > 1:
            yield opponents_field(self.players, low)
            yield SEAT
        if self.turns:
            yield turns_left_field()
        if self.rules.costs:
            yield Field("busts", Kind.NUMBER, "Busts in a row up to now, which count.", unsaid=0)
            if self.players > 1:
                one = "" if self.players == 2 else "s'"
                told = f"The opponent{one} busts in a row, in the order of their scores."
                yield Field("opponents_busts", Kind.NUMBERS, told, columns=self._columns("busts"))
        if self.takes_over:
            told = "What the player before banked and the dice left over, which you may take over: 350,2."
            yield Field("offered", Kind.NUMBERS, told, columns=("offered_points", "offered_dice"), role=Role.OFFERED)
        yield Field(
            "turn",
            Kind.POINTS,
            "Points set aside in this turn before this roll.",
            inside=True,
            unsaid=0,
            role=Role.HELD,
        )
        if self.rules.kinds:
            kinds = self.rules.names_of(self.rules.dice)
            told = f"Before a throw: the dice to throw next, by kind: {', '.join(kinds)}."
            yield Field("dice", Kind.NAMES, told, True, words=tuple(dict.fromkeys(kinds)))
        else:
            yield Field("dice", Kind.NUMBER, "Before a throw: dice to throw next.", True, unsaid=self.rules.dice)
        lie = 'The dice as they lie: 11532, 1,1,5,3,2 or "1 1 5 3 2".'
        yield Field("roll", Kind.DICE, lie, inside=True, words=self.rules.symbols, role=Role.ROLL)
        if self.rules.over:
            over = "Faces of a set to be confirmed: a throw that shows them is thrown over."
            yield Field("over", Kind.DICE, over, inside=True, words=self.rules.faces)
        if self.held.can_be_forced:
            yield Field("forced", Kind.FLAG, "These dice must be thrown: nobody may bank now.", inside=True)
        yield Field("throwing", Kind.FLAG, "You have decided to throw the dice.", inside=True, listed=False)

    def _columns(self, what: str) -> tuple[str, ...]:
        others = range(1, self.players)
        return tuple(f"opponent{'' if self.players == 2 else one}_{what}" for one in others)

    @property
    def fewer_is_better(self) -> bool:
        """Turns, and points where the lowest are best."""
        return self.objective == "turns" or self.rules.best == "lowest"

    # --- the rules, in the order of a turn

    def start(self) -> PushPosition:
        """Nobody has any points."""
        return self.begin((0,) * self.players, 0, self.turns)

    def begin(
        self, scores: tuple[int, ...], seat: int, turns_left: int, busts: tuple[int, ...] | None = None
    ) -> PushPosition:
        """The position in which a turn of ``seat`` begins."""
        if busts is None:
            busts = (0,) * self.players if self.rules.costs else ()
        return PushPosition(scores, seat, self.rules.dice, turns_left, busts=busts)

    def begun(self, position: PushPosition) -> PushPosition:
        """The position in which the turn began that a position stands in; inside it nothing is offered any more."""
        if self.turn_begins(position):
            return position
        return self.begin(position.scores, position.seat, position.turns_left, position.busts)

    def turn_begins(self, position: PushPosition) -> bool:
        """Whether all dice are still to be thrown, with nothing in hand."""
        fresh = position.turn == 0 and position.dice == self.rules.dice and position.roll is None
        return fresh and not (position.forced or position.throwing or position.ended)

    def stage(self, position: PushPosition) -> Stage:
        """Throw when a turn begins, when all dice must be thrown again, and once that is decided; else choose."""
        if position.ended:
            return Stage.TERMINAL
        begins = self.turn_begins(position) and not (self.rules.choose or position.offered)
        if position.roll is None and (position.throwing or position.forced or begins):
            return Stage.CHANCE
        return Stage.DECISION

    def throws(self, position: PushPosition) -> Iterator[Fall[PushPosition]]:
        """Every roll of the dice to throw, by the counts of its faces."""
        for roll, ways in self._rolls_of(Next(position.dice, over=position.over)):
            yield ways, self._lying(position, roll)

    def fallen(self, position: PushPosition, number: int) -> PushPosition:
        """That throw alone: of many dice there are a hundred thousand."""
        return self._lying(position, self._rolls_of(Next(position.dice, over=position.over))[number][0])

    def made_again(self, position: PushPosition, roll: Sequence[str]) -> str:
        """Throws that count for nothing, and those with faces that are thrown over."""
        counts, thrown = tuple(map(roll.count, self.rules.symbols)), self.rules.throws(position.dice)
        if self.rules.stands(counts, position.over) or all(counts != one for one, _ in thrown):
            return ""
        return "counts for nothing: the turn stands as before, and the dice are thrown again"

    def _lying(self, position: PushPosition, roll: Counts) -> PushPosition:
        seated = (position.scores, position.seat, position.dice, position.turns_left, position.turn)
        return PushPosition(*seated, roll, busts=position.busts)

    def choices(self, position: PushPosition) -> tuple[Choice[PushPosition], ...]:
        """Stop before roll, then more points, then fewer dice set aside."""
        rules = self.rules
        if position.offered:
            points, dice = position.offered
            over = self._throw(NOTHING_SET_ASIDE, position, points, Next(dice), taken_points=points)
            return over, self._throw(NOTHING_SET_ASIDE, position, 0, Next(rules.dice))
        if position.roll is None and rules.choose:
            sizes = range(1, rules.dice + 1)
            found = [self._throw(NOTHING_SET_ASIDE, position, 0, Next(size)) for size in sizes]
        elif position.roll is None:
            found = [*self._go_on(NOTHING_SET_ASIDE, position, position.turn, Next(position.dice))]
        elif (effect := rules.effect(position.roll)) and effect not in SCORING:
            return (self._special(effect, position),)
        else:
            found = []
            for taken in self._sets(position.roll):
                held = max(0, position.turn + taken.points)
                if held <= self.room(position):
                    found += self._go_on(taken.set_aside, position, held, taken.throw)
        if not found:
            return (make_choice(ChoiceKind.BUST, self._bust_data(position), "end", self._bust(position)),)
        return tuple(sorted(found, key=lambda choice: choice.kind is ChoiceKind.ROLL))

    def room(self, position: PushPosition) -> float:
        """The most points that may be in hand: what passes it may not be taken, and is lost where nothing else may."""
        if self.rules.finish == "exact":
            return self.rules.target - position.score
        return self.rules.above or math.inf

    def _rolls_of(self, throw: Next) -> tuple[tuple[Counts, int], ...]:
        if throw not in self._rolls:
            self._rolls[throw] = tuple(self.rules.throws_of(throw))
        return self._rolls[throw]

    @cached_property
    def _rolls(self) -> dict[Next, tuple[tuple[Counts, int], ...]]:
        return {}

    def _sets(self, roll: Counts) -> list[_Set]:
        """The sets that may be taken from a roll, or what it scores as a whole."""
        if roll not in self._known_sets:
            rules, dice = self.rules, self.rules.hand(roll)
            if special := rules.special(roll):
                keep = show(rules, roll) if special.effect != "same" else ()
                after = rules.after_special(dice, special.effect)
                whole = _Set(self._set_aside(keep, special.name), special.points, after)
                self._known_sets[roll] = [whole] if special.effect in SCORING else []
            else:
                self._known_sets[roll] = [
                    _Set(
                        self._set_aside(show(rules, taken), rules.called(taken)),
                        rules.worth(taken),
                        rules.next_throw(dice, taken),
                    )
                    for taken in rules.sets(roll)
                ]
        return self._known_sets[roll]

    def _set_aside(self, dice: tuple[str, ...], name: str) -> SetAside:
        return SetAside(dice, name, has_named_faces(self.rules.faces)) if dice else NOTHING_SET_ASIDE

    @cached_property
    def _known_sets(self) -> dict[Counts, list[_Set]]:
        return {}

    def _go_on(
        self, set_aside: SetAside, position: PushPosition, held: int, throw: Next | None
    ) -> Iterator[Choice[PushPosition]]:
        """Bank or throw with ``held`` points in hand once dice are set aside."""
        counts = held >= self.counting_from(position)
        if self.rules.may_stop(throw, counts):
            kind, then = (ChoiceKind.BANK, "bank") if counts else (ChoiceKind.STOP, "stop")
            scored = held if counts else 0
            left = (held, throw.dice) if counts and throw is not None else ()
            after = self._end_turn(position, position.score + scored, scored, left=left)
            yield make_choice(kind, TurnStop(set_aside, scored), then, after, set_aside.dice, held)
        if throw is not None:
            yield self._throw(set_aside, position, held, throw)

    def _throw(
        self, set_aside: SetAside, position: PushPosition, held: int, throw: Next, taken_points: int = 0
    ) -> Choice[PushPosition]:
        """Throw with ``held`` points in hand, which are ``taken_points`` if the turn is taken over."""
        dice, forced, over = throw
        seated = (position.scores, position.seat, dice, position.turns_left, held)
        after = PushPosition(*seated, forced=forced, throwing=not forced, busts=position.busts, over=over)
        kind = ChoiceKind.TAKE_OVER if taken_points else ChoiceKind.ROLL
        data = self._roll_data(set_aside, dice, held, over, taken_points)
        return make_choice(kind, data, "roll", after, set_aside.dice, held, data.dice)

    def _roll_data(
        self, set_aside: SetAside, dice: int, held: int, over: tuple[int, ...], taken_points: int = 0
    ) -> TurnRoll:
        """Return which dice are rolled; they are fresh if points are in hand and all are rolled."""
        rules = self.rules
        return TurnRoll(
            set_aside,
            dice=rules.size(dice),
            dice_kinds=tuple(rules.names_of(dice)) if rules.kinds else (),
            is_fresh=held != 0 and dice == rules.dice > 1,
            thrown_over=tuple(rules.faces[face] for face in over),
            taken_points=taken_points,
        )

    def _special(self, effect: str, position: PushPosition) -> Choice[PushPosition]:
        """Return the choice after a roll with a meaning of its own."""
        special = TurnLoss(is_special=True)
        if effect == "win":
            return make_choice(ChoiceKind.WIN, special, "win", self._won(position))
        if effect == "wipe":
            return make_choice(ChoiceKind.WIPE, special, "end", self._end_turn(position, 0))
        loss = self._bust_data(position)._replace(is_special=True)
        return make_choice(ChoiceKind.BUST, loss, "end", self._bust(position))

    def _bust(self, position: PushPosition) -> PushPosition:
        """The position after a bust, which may cost points."""
        rules, count = self.rules, position.count
        score, following = rules.busted(position.score, count)
        return self._end_turn(position, score, -rules.costs[count] if rules.costs else 0, following)

    def _bust_data(self, position: PushPosition) -> TurnLoss:
        """Return what a bust costs, and its number in a row if that matters."""
        costs = self.rules.costs
        if not costs:
            return TurnLoss()
        return TurnLoss(costs[position.count], position.count + 1 if len(costs) > 1 else 0)

    def at_what_cost(self, position: PushPosition) -> str:
        """Return how a bust ends the turn, in words."""
        return format_bust_cost(self._bust_data(position))

    def counting_from(self, position: PushPosition) -> int:
        """Fewest points in hand whose bank scores: the opening or the minimum, unless the winning turn waives them."""
        rules, score = self.rules, position.score
        least = max(rules.best == "highest", rules.minimum if score > 0 else max(rules.opening, rules.minimum))
        if self.objective in ONE_TURN or rules.minimum_on_win:
            return least
        return 1 if self._is_last_turn(position) else min(least, max(1, rules.target - score))

    def _is_last_turn(self, position: PushPosition) -> bool:
        """Whether somebody else holds the target of a last round already."""
        return self.rules.finish == "last_round" and any(score >= self.goal for score in position.opponents)

    def _end_turn(
        self, position: PushPosition, score: int, banked: int = 0, busts: int = 0, left: tuple[int, ...] = ()
    ) -> PushPosition:
        """The position once the turn ends with this score: the next player's turn, or the end. ``banked`` points are
        what the turn brought, and ``busts`` those in a row now; ``left``: what is banked with dice left over.
        """
        seat = position.seat
        scores = (*position.scores[:seat], score, *position.scores[seat + 1 :])
        counts = (*position.busts[:seat], busts, *position.busts[seat + 1 :]) if position.busts else ()
        following = (seat + 1) % self.players
        if self.objective in ONE_TURN:
            told = -banked if self.rules.best == "lowest" else banked
            return changed(self.begin(position.scores, seat, 0, counts), ended=(Fraction(told),))
        last_round = self.rules.finish == "last_round" and self.players > 1
        begins = self.begin(scores, following, max(0, position.turns_left - 1), counts)
        offered = left if left and self._may_take(begins, left[0]) else ()
        if score >= self.goal and not last_round:  # told with what is offered, as the same end of other turns is
            return changed(self._won(changed(position, scores=scores)), offered=offered)
        if self.turns and position.turns_left == 1:
            return changed(self.begin(scores, seat, 0, counts), ended=(Fraction(0),))
        if last_round and scores[following] >= self.goal:  # who reached it first comes after the last to play
            top = max(scores)
            shares = tuple(Fraction(int(one == top), scores.count(top)) for one in scores)
            return changed(self.begin(scores, following, 0), ended=shares)
        return changed(begins, offered=offered) if offered else begins

    @property
    def takes_over(self) -> bool:
        """Whether turns may be taken over: there is somebody to take them over from."""
        return self.rules.take_over != "none" and self.players > 1

    def _may_take(self, position: PushPosition, points: int) -> bool:
        """Whether the player to move may take over so many points."""
        rules = self.rules
        opened = rules.take_over == "free" or position.score > 0
        return self.takes_over and opened and (rules.finish != "exact" or position.score + points <= rules.target)

    def _won(self, position: PushPosition) -> PushPosition:
        shares = tuple(Fraction(int(seat == position.seat)) for seat in range(self.players))
        return changed(self.begin(position.scores, position.seat, 0), ended=shares)

    def course(self, position: PushPosition) -> str:
        """How many turns are left."""
        return f"{format_count(position.turns_left, 'turn')} left" if position.turns_left else ""

    def brings(self, position: PushPosition) -> str:
        """Points or what happened instead."""
        special = sorted({one.effect for one in self.rules.specials} & {"win", "wipe"})
        *others, last = f"the points banked{' and the dice left over' * self.takes_over}", "bust", *special
        return f"{', '.join(others)} or {last}"

    def turn_brings(self, position: PushPosition, told: str) -> PushPosition:
        """Points banked, ``bust`` or 0; ``win`` or ``wipe`` by a special throw."""
        rules, word = self.rules, told.strip().lower()
        special = {one.effect for one in rules.specials} & {"win", "wipe"}
        if word in special:
            return self._won(position) if word == "win" else self._end_turn(position, 0)
        said = word.removeprefix("bank ")
        brought, *over = (said.split() or [""]) if self.takes_over else [said]
        points = 0 if word == "bust" else read_number(brought, "points")
        if not points:
            costs = word == "bust" or rules.costs
            return self._bust(position) if costs else self._end_turn(position, position.score)
        self.held.check_points(points, "a turn's points", MOST_IN_HAND)
        units, held = points // rules.grain, self.held.before(points)
        ends = [throw for throw, here in held.items() if here >> units & 1 and rules.may_stop(throw, True)]
        if not ends:
            raise InputError(f"no turn brings {points} points")
        left = self._read_left(points, over, [throw.dice if throw else 0 for throw in ends])
        least = self.counting_from(changed(position, turn=points))
        if points < least:
            raise InputError(f"{points} points do not count here: a bank needs {least} or more; say 0 if none counted")
        if rules.finish == "exact" and position.score + points > rules.target:
            raise InputError(f"{points} points would pass the target of {rules.target}")
        return self._end_turn(position, position.score + points, points, left=left)

    def _read_left(self, points: int, told: Sequence[str], may: Sequence[int]) -> tuple[int, ...]:
        """What a turn leaves to the next player that banked so many points, by the dice left over if they are told."""
        if not self.takes_over:
            return ()
        if len(told) != 1:
            raise InputError(f"say how many dice are left over too, 0 for none: turn {points} 2")
        dice = read_number(told[0], "dice left over")
        if dice not in may:
            raise InputError(f"no turn brings {points} points with {dice} dice left over")
        return (points, dice) if dice else ()

    def mishap(self, position: PushPosition) -> Fraction:
        """The chance that the throw to come is a bust."""
        room = self.room(position) - position.turn
        thrown = Next(position.dice, over=position.over)
        if (thrown, room) not in self._mishaps:
            self._mishaps[thrown, room] = self._mishap(thrown, room)
        return self._mishaps[thrown, room]

    @cached_property
    def _mishaps(self) -> dict[tuple[Next, float], Fraction]:
        return {}

    def _mishap(self, thrown: Next, room: float) -> Fraction:
        rules = self.rules

        def busts(roll: Counts) -> bool:
            if special := rules.special(roll):
                return special.effect == "bust" or (special.effect in SCORING and special.points > room)
            return all(rules.worth(taken) > room for taken in rules.sets(roll))

        if rules.adds_up and thrown == Next(thrown.dice):  # of many dice there are a hundred thousand throws
            stands = sum(ways for points, ways in rules.sums[thrown.dice].items() if points <= room)
            return 1 - Fraction(stands, sum(rules.weights) ** thrown.dice)
        return self._chance(thrown, busts)

    def wipe(self, position: PushPosition) -> Fraction | None:
        """The chance that it loses the whole score."""
        if not self.rules.does("wipe"):
            return None
        thrown = Next(position.dice, over=position.over)
        return self._chance(thrown, lambda roll: self.rules.effect(roll) == "wipe")

    def can_lose(self, position: PushPosition) -> bool:
        """Return whether the throw to come can lose the points in hand."""
        return self.mishap(position) > 0 or bool(self.wipe(position))

    def _chance(self, thrown: Next, goes: Callable[[Counts], bool]) -> Fraction:
        """The chance that a throw goes so."""
        rolls = self._rolls_of(thrown)
        return Fraction(sum(ways for roll, ways in rolls if goes(roll)), sum(ways for _, ways in rolls))

    def goes_wrong(self, fallen: PushPosition, held: int) -> str:
        """A throw may lose the score too, and be a bust with nothing in hand."""
        first = self.choices(fallen)[0]
        if first.kind is ChoiceKind.WIPE:
            return "wipe"
        return "bust" if first.kind is ChoiceKind.BUST else super().goes_wrong(fallen, held)

    def unbanked(self, position: PushPosition) -> str:
        """The minimum, where it is all that keeps from banking."""
        if self.stage(position) is not Stage.DECISION:
            return ""
        if {choice.kind for choice in self.choices(position)} != {ChoiceKind.STOP, ChoiceKind.ROLL}:
            return ""
        return f"No bank counts here below {self.counting_from(position):,}."

    def note(self, position: PushPosition) -> str:
        """Said of a roll that is a bust, and where a throw could have to be made with what is in hand."""
        if position.roll is None:
            if position.over:
                return f"A throw that shows {self.rules.faces_in_words(position.over)} is thrown over."
            if position.forced or not self.held.throws_with(position.dice, position.turn)[1]:
                return ""
            return "Stopping is offered unless the last throw forces another one: if so, say that it is forced."
        if self.rules.special(position.roll):
            return ""
        is_bust = self.choices(position)[0].kind is ChoiceKind.BUST
        return "Nothing in this roll may be set aside." if is_bust else ""

    def throw_in_words(self, position: PushPosition) -> tuple[str, int]:
        """The dice to roll."""
        data = self._roll_data(NOTHING_SET_ASIDE, position.dice, position.turn, position.over)
        return format_choice(ChoiceKind.ROLL, data), data.dice

    def deciding(self, position: PushPosition) -> PushPosition | None:
        """Bank or throw: the same dice before that is decided."""
        if self.rules.choose and position.throwing:
            return self.begun(position)
        return changed(position, throwing=False) if position.throwing else None

    def turn_key(self, start: PushPosition) -> Hashable:
        """What may be taken and what a bank of it is called: how much room there is, and from where banks count; and
        whether losing the whole score is a bust.
        """
        room = self.room(start) if self.rules.finish == "exact" else None
        key = room, self.counting_from(start), self.rules.does("wipe") and not start.score, start.count
        if not self.takes_over:
            return key
        offers = start.opponents if room is not None else start.opponents[0] > 0  # who may take over what is left
        return *key, start.offered, offers, self._is_last_turn(start)

    def moved(self, position: PushPosition, start: PushPosition) -> PushPosition:
        """The same turn with other scores."""
        seated = {"scores": start.scores, "seat": start.seat, "turns_left": start.turns_left, "busts": start.busts}
        return changed(position, **seated)

    def landing(
        self, decision: PushPosition, number: int, choice: Choice[PushPosition], start: PushPosition
    ) -> PushPosition:
        """Where a choice leads with other scores: a bank adds its points to them."""
        if choice.kind in (ChoiceKind.BANK, ChoiceKind.STOP):
            held = choice.points if choice.kind is ChoiceKind.BANK else 0
            return self._end_turn(start, start.score + held, held, left=choice.after.offered)
        return super().landing(decision, number, choice, start)

    def holding(self, position: PushPosition, points: int) -> PushPosition:
        """The same throw to make with so many points in hand."""
        return changed(position, turn=points)

    # --- positions in words

    def make(
        self,
        score: int = 0,
        opponents: Sequence[int] | None = None,
        seat: int = 0,
        turns_left: int | None = None,
        busts: int = 0,
        opponents_busts: Sequence[int] | None = None,
        offered: Sequence[int] | None = None,
        turn: int = 0,
        dice: int | Sequence[str] | None = None,
        roll: Sequence[str] | None = None,
        forced: bool | None = None,
        over: Sequence[str] | None = None,
        throwing: bool = False,
    ) -> PushPosition:
        """Return the position that is told; what cannot occur is refused with what can."""
        if seat >= self.players:
            raise InputError(f"seat {seat} must lie between 0 and {self.players - 1}")
        scores = by_seat(score, opponents, seat, self.players)
        for one, held in enumerate(scores):
            mine = one == seat
            whose = "score" if mine else "the opponent's score"
            past = not mine and self.rules.finish == "last_round"
            # Who has had a last turn may have banked anything in it, where the winning turn needs no minimum.
            before = (scores[(seat + turns) % self.players] for turns in range(1, (one - seat) % self.players))
            any_bank = past and not self.rules.minimum_on_win and any(score >= self.goal for score in before)
            self.held.check_score(held, whose, past_target=past, any_bank=any_bank)
        left = read_turns_left(turns_left, self.turns)
        counts = None if roll is None else tuple(roll.count(face) for face in self.rules.symbols)
        size = self.held.read_dice(turn, dice, counts)
        if self.rules.choose and dice is not None and roll is None:
            throwing = True
        position = PushPosition(
            scores,
            seat,
            size,
            left,
            turn,
            counts,
            busts=self.held.read_busts(busts, opponents_busts, seat, self.players),
        )
        faces = None if over is None else tuple(sorted({self.rules.faces.index(face) for face in over}))
        position = self._inside(position, forced, faces, throwing)
        return position if offered is None else self._offered(position, offered)

    def _offered(self, position: PushPosition, offered: Sequence[int]) -> PushPosition:
        """A position in which so many points may be taken over with so many dice."""
        rules = self.rules
        if not self.turn_begins(position):
            raise InputError("offered tells what may be taken over before a turn: leave it out inside one")
        if len(offered) != 2:
            raise InputError(f"offered must tell points and dice left over, as 350,2; not {len(offered)} numbers")
        points, dice = offered
        self.held.check_points(points, "offered")
        before = changed(position, seat=(position.seat - 1) % self.players)
        before = changed(before, scores=by_seat(before.score - points, before.opponents, before.seat, self.players))
        if before.score < rules.floor:
            raise InputError(f"offered {points} cannot be: the player before has no more than {before.score + points}")
        if before.count:
            raise InputError("offered tells of a bank, which ends a row of busts: opponents_busts must be 0")
        self.held.check_score(before.score, "the score before the bank that is offered,", past_target=False)
        banked = self.held.before(points).get(Next(dice), 0) >> points // rules.grain & 1
        if points < self.counting_from(before) or not banked:
            raise InputError(f"offered {points},{dice} cannot be: nobody banks {points} points with {dice} dice left")
        if not self._may_take(position, points):
            why = "it would pass the target" if rules.finish == "exact" and position.score else "you have no points yet"
            raise InputError(f"offered {points},{dice} cannot be taken over: {why}")
        return changed(position, offered=(points, dice))

    def _inside(
        self, position: PushPosition, forced: bool | None, over: tuple[int, ...] | None, throwing: bool
    ) -> PushPosition:
        """Check points in hand against dice, and settle whether they must be thrown."""
        rules, turn, dice = self.rules, position.turn, position.dice
        self.held.check_points(turn, "turn", MOST_IN_HAND)
        if rules.finish == "exact" and position.score + turn > rules.target:
            raise InputError(
                f"turn {turn} cannot be: from {position.score} at most {rules.target - position.score} points may be"
                " held, since a set that would pass the target may not be taken"
            )
        if (forced or over) and position.roll is not None:
            what = "forced" if forced else "over"
            raise InputError(f"{what} tells of a throw that is still to be made; leave it out when there is a roll")
        free, musts = self.held.throws_with(dice, turn)
        if over is not None and Next(dice, True, over) not in musts:
            told = rules.faces_in_words(over) or "nothing"
            raise InputError(f"with {turn} points in hand and {dice} dice to throw {told} cannot be over: leave it out")
        if forced is not None and not (musts if forced else free):
            told = "nothing forces a throw" if forced else "these dice must be thrown"
            raise InputError(f"with {turn} points in hand and {dice} dice to throw {told}: leave forced out")
        if turn > self.room(position):
            raise InputError(f"turn {turn} cannot be: a hand of more than {self.room(position)} points is lost")
        if position.roll is not None:  # which forgets whether it had to be thrown
            if throwing:
                raise InputError("the dice have been thrown: leave throwing out, or the roll")
            if not rules.stands(position.roll, ()):
                raise InputError("this throw counts for nothing: tell the position before it")
            if not free and not any(rules.stands(position.roll, throw.over) for throw in musts):
                raise InputError("these dice do not lie so: what they show is thrown over")
            return position
        if forced or over or not free:
            return changed(position, forced=True, over=self.held.thrown_over(over, musts))
        decides = self.rules.choose or self.takes_over or not self.turn_begins(position)
        return changed(position, throwing=throwing and decides)

    def tell(self, position: PushPosition) -> dict[str, Any]:
        """The position as JSON tells it."""
        told: dict[str, Any] = {"score": position.score}
        if self.players > 1:
            told["opponents"] = list(position.opponents)
        if position.seat:
            told["seat"] = position.seat
        if position.turns_left != self.turns:
            told["turns_left"] = position.turns_left
        if position.busts:
            told["busts"] = position.count
            if self.players > 1:
                told["opponents_busts"] = [*position.busts[position.seat + 1 :], *position.busts[: position.seat]]
        if position.offered and not position.ended:
            told["offered"] = list(position.offered)
        left = position.dice != self.rules.dice or (position.throwing and self.rules.choose)
        if position.turn or left or position.roll is not None or position.forced:
            hand = self.rules.names_of(position.dice) if self.rules.kinds else position.dice
            told |= {"turn": position.turn, "dice": hand}
        if position.roll is not None and self.rules.kinds:
            del told["dice"]  # the roll tells them
        if position.roll is not None:
            told["roll"] = list(show(self.rules, position.roll))
        if position.over:
            told["over"] = [self.rules.faces[face] for face in position.over]
        return told | {name: True for name in ("forced", "throwing") if getattr(position, name)}


def show(rules: PushRules, counts: Counts) -> tuple[str, ...]:
    """The faces of a set or roll, as people lay them out."""
    return tuple(face for face, count in zip(rules.symbols, counts, strict=True) for _ in range(count))


PLAYABLE = Play
