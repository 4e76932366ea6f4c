"""The trace of a game: what every roll and every choice did to the value of every seat.

Along a game the value of the position changes for every seat, until what is left is the outcome. A roll changes it by
its *luck*. A choice takes its *error* from the mover: the value of the best choice minus the value of this one, and 0
for forced choices and for ties within the error bound. Both are measured against optimal play from there on, never
against what was chosen later. So for every seat, to the bound:

    outcome = value at the start + luck of all rolls - own errors + effect of the errors of others

A whole turn of which only the result is known counts as luck. In the game of one seat, the turns of others are events
too, and their effect counts as that of others. For ``turns`` a value here is minus the turns taken and
still to take, so that more is better everywhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from ..play.input_parser import list_choices, spoken_form
from ..play.playable_game import Choice, PlayableGame
from ..play.walk import counts_as_turn
from ..solvers import Problem, ValueTable
from ..solvers.problem import PartialValueTable
from ..solving.solved_problem import SolvedProblem
from ..util.errors import InputError
from ..util.progress_reporting import ProgressCallback
from .advice import tie_tolerance
from .positions import gain_sign, seat_values_of

Position = TypeVar("Position", bound=Hashable)
BySeat = tuple[float, ...]
# A roll, or turns without choices to judge, which lead from one position of a game to the next.
Step = Literal["throw", "turn", "others"]


@dataclass(frozen=True)
class WholeTurn(Generic[Position]):
    """A whole turn of which only the result is known, as an event.

    Attributes:
        after: the position after the turn.
    """

    after: Position


@dataclass(frozen=True)
class OthersTurns(Generic[Position]):
    """The turns of the others between two turns of the only seat, as an event.

    Attributes:
        after: the position after these turns, in which the seat moves or the game is over.
    """

    after: Position


@dataclass(frozen=True)
class Event(Generic[Position]):
    """A roll, a choice or a whole turn, and its effect.

    Attributes:
        kind: "throw" for a roll, "choice", "turn" for a whole turn, or "others" for the turns of the others.
        seat: the player who rolled or chose.
        position: the position before the event.
        after: the position after it.
        choice: the choice; None for a roll or a whole turn.
        best: the best choice, as advice gives it; None for a roll or a whole turn.
        costs: the loss of each choice, in the order of ``PlayableGame.choices``; 0 for ties; () without a choice.
        before: the values of all seats before the event, under optimal play.
        value: the values of all seats after it.
        loss: the loss of the choice, as computed, also if that is within the error bound; 0 without a choice.
        tie: the choice is as good as the best within the error bound.
        error_bound: no value here is further from the true one.
    """

    kind: Literal["throw", "choice", "turn", "others"]
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
    def change_by_seat(self) -> BySeat:
        """The change of the value of each seat by the event: the luck of a roll, or the effect of a choice."""
        return tuple(after - before for before, after in zip(self.before, self.value, strict=True))

    @property
    def error(self) -> float:
        """The loss of the choice for the mover; 0 for rolls, forced choices and ties."""
        return 0.0 if self.tie else self.loss

    @property
    def choice_count(self) -> int:
        """The number of choices; 0 for a roll."""
        return len(self.costs)

    @property
    def is_decision(self) -> bool:
        """True if there was more than one choice."""
        return self.choice_count > 1


@dataclass(frozen=True)
class SeatTotals:
    """The totals of one seat: ``outcome = start + luck - own_errors + from_others``, to the bound of the trace.

    Attributes:
        start: the value at the start.
        luck: the sum of the luck of all rolls.
        own_errors: the sum of the own errors.
        from_others: the effect of the choices of others; in the game of one seat, that of all their turns.
        outcome: the payoff; if the game is not over, the value of the last position.
        decisions: the number of own choices with an alternative.
        mistakes: the number of those with a loss.
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
        """The mean error of a decision."""
        return self.own_errors / self.decisions if self.decisions else 0.0

    @property
    def without_luck(self) -> float:
        """The outcome without the luck of any roll."""
        return self.outcome - self.luck


@dataclass(frozen=True)
class Trace(Generic[Position]):
    """A game with the effect of all its events.

    Attributes:
        start: the values of all seats at the start.
        events: the events in order.
        over: the game is over.
    """

    start: BySeat
    events: tuple[Event[Position], ...]
    over: bool

    @property
    def outcome(self) -> BySeat:
        """The payoffs of all seats; if the game is not over, the values of the last position."""
        return self.events[-1].value if self.events else self.start

    @cached_property
    def error_bound(self) -> float:
        """A bound of the error of any sum over the events, such as the luck of a seat.

        Each event adds the errors of the values before and after it.
        """
        return sum(2 * event.error_bound for event in self.events)

    @cached_property
    def seats(self) -> tuple[SeatTotals, ...]:
        """The totals of every seat."""
        return tuple(self._seat_totals(seat) for seat in range(len(self.start)))

    def _seat_totals(self, seat: int) -> SeatTotals:
        """Return the sums of one seat's luck and errors over all events, with its value at the start and the end."""
        own_choices = [event for event in self.events if event.kind == "choice" and event.seat == seat]
        other_choices = [event for event in self.events if event.kind == "choice" and event.seat != seat]
        others_turns = [event for event in self.events if event.kind == "others"]
        return SeatTotals(
            start=self.start[seat],
            luck=sum(event.change_by_seat[seat] for event in self.events if event.kind in ("throw", "turn")),
            own_errors=sum(event.error for event in own_choices),
            from_others=sum(event.change_by_seat[seat] for event in (*other_choices, *others_turns)),
            outcome=self.outcome[seat],
            decisions=sum(event.is_decision for event in own_choices),
            mistakes=sum(event.error > 0 for event in own_choices),
        )


def trace(
    solved: SolvedProblem,
    start: Position,
    events: Iterable[Any],
    progress: ProgressCallback = lambda share: None,
) -> Trace[Position]:
    """Return the trace of a game; for its events see ``Solution.trace``.

    Args:
        solved: the solved problem.
        start: the position in which the game begins.
        events: the rolls, choices and whole turns of the game, in order.
        progress: called with the fraction that is done of each solve.

    Raises:
        InputError: an event cannot happen.
    """
    problem = solved.problem
    path, steps = follow(problem.playable, start, events)  # the positions, and what leads from each to the next
    values = list(_values_along(solved, path, progress))  # by position of the path
    traced = [
        _event(problem, path[index], path[index + 1], step, values[index], values[index + 1])
        for index, step in enumerate(steps)
    ]
    return Trace(values[0].by_seat, tuple(traced), problem.playable.stage(path[-1]) == "over")


def _event(
    problem: Problem[Position],
    position: Position,
    after: Position,
    step: Choice[Position] | Step,
    before_values: _PositionValues,
    after_values: _PositionValues,
) -> Event[Position]:
    """Return the event that leads from one position to the next, with its effect on the values.

    Args:
        problem: the problem.
        position: the position before the event.
        after: the position after it.
        step: the choice, or the kind of event that it is otherwise.
        before_values: the values before the event, and of the choices there.
        after_values: the values after it.
    """
    seat = problem.playable.player_to_move(position)
    bound = max(before_values.error_bound, after_values.error_bound)
    event = Event(
        kind="choice" if isinstance(step, Choice) else step,
        seat=seat,
        position=position,
        after=after,
        choice=None,
        best=None,
        costs=(),
        before=before_values.by_seat,
        value=after_values.by_seat,
        loss=0.0,
        tie=False,
        error_bound=bound,
    )
    if not isinstance(step, Choice):
        return event
    choices, gains = before_values.choices, before_values.gains
    best_gain = max(gains)
    losses = [best_gain - gain for gain in gains]
    ties = [loss <= 2 * before_values.error_bound for loss in losses]
    tolerance = tie_tolerance(problem.players, before_values.error_bound)
    best = next(choice for choice, loss in zip(choices, losses, strict=True) if loss <= tolerance)
    costs = tuple(0.0 if is_tie else loss for loss, is_tie in zip(losses, ties, strict=True))
    number = choices.index(step)
    return replace(event, choice=step, best=best, costs=costs, loss=losses[number], tie=ties[number])


def follow(
    playable: PlayableGame[Position], start: Position, events: Iterable[Any]
) -> tuple[list[Position], list[Choice[Position] | Step]]:
    """Return the positions of a game, the start first, and the choices, rolls and whole turns between them.

    Args:
        playable: the game.
        start: the position in which the game begins.
        events: a roll as the position after it; a choice as the choice, the position after it, or its words; a
            ``WholeTurn``; ``OthersTurns``.

    Returns:
        The positions; and for each but the last what leads to the next: a choice, or "throw", "turn" or "others".

    Raises:
        InputError: an event cannot happen; the message counts it from 1.
    """
    path = [start]
    steps = list[Choice[Position] | Step]()
    for number, event in enumerate(events, 1):
        after, step = _follow_event(playable, path[-1], event, number)
        path.append(after)
        steps.append(step)
    return path, steps


def _follow_event(
    playable: PlayableGame[Position], position: Position, event: Any, number: int
) -> tuple[Position, Choice[Position] | Step]:
    """Return the position after an event, and what the event is: a choice, or "throw", "turn" or "others".

    Args:
        playable: the game.
        position: the position before the event.
        event: as ``follow`` takes it.
        number: the number of the event from 1, for messages.

    Raises:
        InputError: the event cannot happen in the position.
    """
    stage = playable.stage(position)
    if isinstance(event, OthersTurns):  # they may go on when the card of the only seat is full
        return event.after, "others"
    if stage == "over":
        raise InputError(f"event {number}: the game is over; leave out this event and the ones after it")
    if isinstance(event, WholeTurn):
        if not playable.is_turn_start(position):
            raise InputError(f"event {number}: a whole turn can only be entered at the start of a turn")
        return event.after, "turn"
    if stage == "throw":
        if not any(after == event for _, after in playable.rolls(position)):
            raise InputError(f"event {number}: not a possible roll in this position")
        return event, "throw"
    choices = playable.choices(position)
    for choice in choices:
        if event in (choice, choice.after, spoken_form(choice)):
            return choice.after, choice
    raise InputError(
        f"event {number}: not a possible choice in this position; the choices are: {list_choices(choices)}"
    )


@dataclass(frozen=True)
class _PositionValues:
    """The values of a position of a game, and of the choices there.

    For the objective ``turns`` they are minus the turns taken since the start of the game and still to take.

    Attributes:
        by_seat: the values of all seats, larger ones better.
        error_bound: their error bound.
        choices: in a decision position, the choices; else ().
        gains: the values of the choices for the mover, larger ones better.
    """

    by_seat: BySeat
    error_bound: float
    choices: tuple[Choice[Any], ...] = ()
    gains: tuple[float, ...] = ()


class _TimedPosition(NamedTuple):
    """A position of a game, and the number of turns taken so far if the objective counts them (else 0)."""

    position: Any
    turns_taken: int


def _values_along(
    solved: SolvedProblem, path: Sequence[Position], progress: ProgressCallback
) -> Iterator[_PositionValues]:
    """Yield the values of the positions of a game, in order.

    Consecutive positions with the same value table are evaluated together.

    Args:
        solved: the solved problem.
        path: the positions.
        progress: called with the fraction that is done of each solve.
    """
    playable = solved.playable
    turns_taken = 0
    groups: list[tuple[ValueTable, list[_TimedPosition]]] = []
    value_table = ValueTable({}, 0.0)
    for index, position in enumerate(path):
        is_over = playable.stage(position) == "over" and index > 0  # the outcome needs no table of its own
        is_held = isinstance(value_table, PartialValueTable) and solved.problem.holds_end(
            value_table.position, position
        )
        if not (is_over or is_held):
            value_table = solved.value_table_for(position, progress=progress)
        has_turn_ended = index > 0 and counts_as_turn(playable, position)  # only if the objective counts turns
        turns_taken += int(has_turn_ended)
        if not groups or groups[-1][0] is not value_table:
            groups.append((value_table, []))
        groups[-1][1].append(_TimedPosition(position, turns_taken))
    for table, group in groups:
        yield from _values_of_group(solved.problem, table, group)


def _values_of_group(
    problem: Problem[Position], value_table: ValueTable, group: Sequence[_TimedPosition]
) -> Iterator[_PositionValues]:
    """Yield the values of some positions of a game, with one call of the problem.

    The value of a decision position is that of its best choice, so the positions after all choices are evaluated.

    Args:
        problem: the problem.
        value_table: a value table that covers the positions.
        group: the positions, each with the number of turns taken before it.
    """
    playable, sign = problem.playable, gain_sign(problem)
    row_of: dict[Any, int] = {}  # by position to evaluate, its row in the answer
    choices_of_positions: list[tuple[Choice[Any], ...]] = []
    for position, _ in group:
        choices = playable.choices(position) if playable.stage(position) == "choose" else ()
        choices_of_positions.append(choices)
        for queried in [choice.after for choice in choices] or [position]:
            row_of.setdefault(queried, len(row_of))
    answer = seat_values_of(problem, value_table, list(row_of))
    values, bounds = answer.values.tolist(), answer.error_bounds.tolist()
    for (position, turns_taken), choices in zip(group, choices_of_positions, strict=True):
        if not choices:
            row = row_of[position]
            yield _PositionValues(tuple(sign * (value + turns_taken) for value in values[row]), bounds[row])
            continue
        mover = playable.player_to_move(position)
        rows = [row_of[choice.after] for choice in choices]
        turns_after = [turns_taken + counts_as_turn(playable, choice.after) for choice in choices]
        gains = tuple(sign * (values[row][mover] + turns) for row, turns in zip(rows, turns_after, strict=True))
        best = gains.index(max(gains))
        by_seat = tuple(sign * (value + turns_after[best]) for value in values[rows[best]])
        yield _PositionValues(by_seat, max(bounds[row] for row in rows), choices, gains)
