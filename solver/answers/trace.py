"""A game followed event by event: what every throw and every choice did to everybody.

Along a game the value of the position changes for every seat, up or down, until what is left is the outcome. A throw
changes it by its *luck*; a choice takes from the mover its *error*: what the best choice is worth less what the chosen
one is, 0 for forced choices and for ties within the bound. Both are measured against the best play from there on, never
against what was chosen later. So for every seat, to the bound:

    outcome = value at the start + luck of all throws - own errors + what the others' errors did to it

A whole turn of which only what it brought is known counts as luck. ``turns`` count downwards: a value is minus the
turns taken and still to take, so that more is better everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from ..play.input_parser import listed, spoken_form
from ..play.playable_game import Choice, Table
from ..play.walk import counts_as_turn
from ..solvers import Problem, ValueTable
from ..util.errors import InputError
from .advice import leeway
from .positions import sign_of, worth_of

Position = TypeVar("Position", bound=Hashable)
BySeat = tuple[float, ...]


@dataclass(frozen=True)
class Turn(Generic[Position]):
    """A whole turn as an event: the position after it."""

    after: Position


@dataclass(frozen=True)
class Event(Generic[Position]):
    """One throw or one choice, or a whole turn, and what it did.

    Attributes:
        kind: whether dice fell, somebody chose, or a whole turn passed.
        seat: who threw or chose; position: where; after: where it led.
        choice: the choice made, None of a throw; best: the one to make, as advice tells it.
        costs: what each choice would have cost the mover, in the order of ``Table.choices``: 0 of ties; () of a throw.
        before, value: what every seat gets, by seat, before the event and after it, played on at its best.
        loss: what the choice costs the mover, as computed; tie: whether it is as good as the best within the bound.
        error_bound: no value here is further from the true one.
    """

    kind: Literal["throw", "choice", "turn"]
    seat: int
    position: Position
    after: Position
    choice: Choice[Any] | None
    best: Choice[Any] | None
    costs: tuple[float, ...]
    before: BySeat
    value: BySeat
    loss: float
    tie: bool
    error_bound: float

    @property
    def moved(self) -> BySeat:
        """By how much the event moved what every seat gets, by seat: the luck of a throw, the effect of a choice."""
        return tuple(after - before for before, after in zip(self.before, self.value, strict=True))

    @property
    def error(self) -> float:
        """What the choice cost the mover: 0 for throws, forced choices and ties."""
        return 0.0 if self.tie else self.loss

    @property
    def options(self) -> int:
        """How many choices there were; 0 of a throw."""
        return len(self.costs)

    @property
    def decision(self) -> bool:
        """Whether there was something to decide."""
        return self.options > 1


@dataclass(frozen=True)
class Seat:
    """What a game brought one seat: ``outcome = start + luck - own_errors + from_others``, to the trace's bound.

    ``outcome`` is what the seat got; of a game that is not over what its position is worth. ``decisions`` counts the
    choices in which there was something to decide, ``mistakes`` those that cost something.
    """

    start: float
    luck: float
    own_errors: float
    from_others: float
    outcome: float
    decisions: int
    mistakes: int

    @property
    def mean_error(self) -> float:
        """The error of a decision on average."""
        return self.own_errors / self.decisions if self.decisions else 0.0

    @property
    def without_luck(self) -> float:
        """What the seat would have got had no throw been lucky or unlucky."""
        return self.outcome - self.luck


@dataclass(frozen=True)
class Trace(Generic[Position]):
    """A game followed: its ``events`` in order, the values by seat at its ``start``, and whether it is ``over``.

    No sum over its events is further than ``error_bound`` from the true one.
    """

    start: BySeat
    events: tuple[Event[Position], ...]
    over: bool

    @property
    def outcome(self) -> BySeat:
        """What every seat got, by seat; of a game that is not over what the position reached is worth to them."""
        return self.events[-1].value if self.events else self.start

    @cached_property
    def error_bound(self) -> float:
        """The bounds of all events together, before and after each; a tie may hide twice its own."""
        return sum(2 * event.error_bound for event in self.events)

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """The sums of every seat."""
        return tuple(self._seat(seat) for seat in range(len(self.start)))

    def _seat(self, seat: int) -> Seat:
        throws = [event.moved[seat] for event in self.events if event.kind != "choice"]
        own = [event for event in self.events if event.kind == "choice" and event.seat == seat]
        others = [event.moved[seat] for event in self.events if event.kind == "choice" and event.seat != seat]
        return Seat(
            self.start[seat],
            sum(throws),
            sum(event.error for event in own),
            sum(others),
            self.outcome[seat],
            sum(event.decision for event in own),
            sum(event.error > 0 for event in own),
        )


def trace(
    match: Problem[Position], solved_for: Callable[[Position], ValueTable], start: Position, events: Iterable[Any]
) -> Trace[Position]:
    """Follow a game; see ``Solution.trace``. ``solved_for`` returns the values that answers about a position need."""
    path, chosen = follow(match.playable, start, events)
    values = list(_values(match, solved_for, path))
    found = []
    told = zip(path, path[1:], chosen, values, values[1:], strict=False)
    for position, after, made, here, then in told:
        choice = made if isinstance(made, Choice) else None
        seat, bound = match.playable.mover(position), max(here.error_bound, then.error_bound)
        costs, loss, tie, best = tuple[float, ...](), 0.0, False, None
        if choice is not None:
            losses = [max(here.gains) - gain for gain in here.gains]
            ties = [one <= 2 * here.error_bound for one in losses]
            within = leeway(match.players, here.error_bound)
            place, least = here.choices.index(choice), next(at for at, one in enumerate(losses) if one <= within)
            costs = tuple(0.0 if tied else one for one, tied in zip(losses, ties, strict=True))
            loss, tie, best = losses[place], ties[place], here.choices[least]
        kind = "choice" if isinstance(made, Choice) else made
        found.append(
            Event(kind, seat, position, after, choice, best, costs, here.by_seat, then.by_seat, loss, tie, bound)
        )
    return Trace(values[0].by_seat, tuple(found), match.playable.stage(path[-1]) == "over")


def follow(
    table: Table[Position], start: Position, events: Iterable[Any]
) -> tuple[list[Position], list[Choice[Position] | Literal["throw", "turn"]]]:
    """Return the positions of a game, the start first, and between them the choices made, throws and whole turns.

    Raises:
        InputError: an event that cannot be there; the message counts it from 1.
    """
    path, chosen = [start], list[Choice[Position] | Literal["throw", "turn"]]()
    for number, event in enumerate(events, 1):
        here = path[-1]
        stage = table.stage(here)
        if stage == "over":
            raise InputError(f"event {number}: the game is over")
        if isinstance(event, Turn):
            if not table.turn_begins(here):
                raise InputError(f"event {number}: a whole turn begins where nothing has happened in it yet")
            path.append(event.after)
            chosen.append("turn")
            continue
        if stage == "throw":
            if not any(after == event for _, after in table.throws(here)):
                raise InputError(f"event {number}: the dice are thrown here, and they cannot fall so")
            path.append(event)
            chosen.append("throw")
            continue
        choice = next((one for one in table.choices(here) if event in (one, one.after, spoken_form(one))), None)
        if choice is None:
            raise InputError(f"event {number}: this may not be chosen here; what may: {listed(table.choices(here))}")
        path.append(choice.after)
        chosen.append(choice)
    return path, chosen


@dataclass(frozen=True)
class _Here:
    """What a position is worth, by seat; where somebody chooses, the choices and what they gain for the mover."""

    by_seat: BySeat
    error_bound: float
    choices: tuple[Choice[Any], ...] = ()
    gains: tuple[float, ...] = ()


def _values(
    match: Problem[Position], solved_for: Callable[[Position], ValueTable], path: Sequence[Position]
) -> Iterator[_Here]:
    """What the positions of a game are worth: one question to the match for all that the same values answer."""
    table, taken = match.playable, 0
    parts: list[tuple[ValueTable, list[tuple[Position, int]]]] = []
    solved = ValueTable({}, 0.0)
    for number, position in enumerate(path):
        if table.stage(position) != "over" or not number:
            solved = solved_for(position)
        taken += number > 0 and counts_as_turn(table, position)
        if not parts or parts[-1][0] is not solved:
            parts.append((solved, []))
        parts[-1][1].append((position, taken))
    for solved, part in parts:
        yield from _worth(match, solved, part)


def _worth(match: Problem[Position], solved: ValueTable, part: Sequence[tuple[Position, int]]) -> Iterator[_Here]:
    """The same of positions, each with the turns taken so far, that these values answer."""
    table, sign = match.playable, sign_of(match)
    asked: dict[Position, int] = {}
    offered: list[tuple[Choice[Position], ...]] = []
    for position, _ in part:
        choices = table.choices(position) if table.stage(position) == "choose" else ()
        offered.append(choices)
        for one in [choice.after for choice in choices] or [position]:
            asked.setdefault(one, len(asked))
    worth = worth_of(match, solved, list(asked))
    by_seat, bounds = worth.values.tolist(), worth.error_bounds.tolist()
    for (position, taken), choices in zip(part, offered, strict=True):
        if not choices:
            place = asked[position]
            yield _Here(tuple(sign * (one + taken) for one in by_seat[place]), bounds[place])
            continue
        places = [asked[choice.after] for choice in choices]
        ends = [taken + counts_as_turn(table, choice.after) for choice in choices]
        mover = table.mover(position)
        gains = tuple(sign * (by_seat[place][mover] + turns) for place, turns in zip(places, ends, strict=True))
        best = gains.index(max(gains))
        values = tuple(sign * (one + ends[best]) for one in by_seat[places[best]])
        yield _Here(values, max(bounds[place] for place in places), choices, gains)
