"""The value of positions, and every legal choice of one, ranked.

A match values positions in which a turn begins, dice are about to be thrown, or the game is over (``Match.worth``). A
choice is worth what the position is worth that it leads to, and a position in which somebody chooses what the choice is
worth that is best for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice, Table
from ..play.position_fields import Role
from ..play.walk import counts_as_turn
from ..solvers import Problem, SeatValues, ValueTable
from ..solving.solved_problem import SolvedProblem
from ..util.number_format import OBJECTIVES_WITH_SCALED_MARKS, mistake_thresholds
from .advice import Advice, PositionValue, RankedChoice, leeway, rank
from .mixed_turns import mixed_turns

if TYPE_CHECKING:
    from ..play.referee import Referee

Floats = NDArray[np.float64]


def worth_of(match: Problem[Any], solved: ValueTable, positions: Sequence[Any]) -> SeatValues:
    """What every seat gets from positions of any stage, in one question to the match."""
    table, sign = match.playable, sign_of(match)
    asked: dict[Any, int] = {}
    offered: dict[Any, list[tuple[Any, bool]]] = {}  # where each decision leads, and whether a turn ends on the way
    todo = list(reversed(positions))
    while todo:
        position = todo.pop()
        if table.stage(position) != "choose" or table.turn_begins(position):
            asked.setdefault(position, len(asked))
        elif position not in offered:
            offered[position] = [
                (choice.after, counts_as_turn(table, choice.after)) for choice in table.choices(position)
            ]
            todo += [after for after, _ in reversed(offered[position])]
    worth = match.seat_values(solved, list(asked))
    known = {one: (worth.values[place], float(worth.error_bounds[place])) for one, place in asked.items()}

    def best(position: Any) -> tuple[Floats, float]:
        if position not in known:
            mover, options = table.mover(position), [(*best(after), ends) for after, ends in offered[position]]
            values = [sign * (float(by_seat[mover]) + ends) for by_seat, _, ends in options]
            by_seat, _, ends = options[values.index(max(values))]
            known[position] = by_seat + ends, max(bound for _, bound, _ in options)
        return known[position]

    found = [best(position) for position in positions]
    by_seat = np.array([one for one, _ in found]).reshape(len(found), table.players)
    return SeatValues(by_seat, np.array([bound for _, bound in found]))


def sign_of(match: Problem[Any]) -> int:
    """1 where more is better; -1 where less is, as of turns still to take."""
    return -1 if match.playable.fewer_is_better else 1


def value(match: Problem[Any], solved: ValueTable, position: Any, referee: Referee[Any] | None = None) -> PositionValue:
    """The value of a position for the player to move, and for every seat from there on where there are several; with a
    referee that has solved it also in fractions.
    """
    worth = worth_of(match, solved, [position])
    by_seat, around = worth.values[0].tolist(), match.playable.seats_from(match.playable.mover(position))
    seats = [by_seat[seat] for seat in around]
    extra = match.extra_results(solved, position)
    exact = () if referee is None else tuple(sign_of(match) * referee.seats(position)[seat] for seat in around)
    return PositionValue(seats[0], tuple(seats) if len(seats) > 1 else (), extra, float(worth.error_bounds[0]), exact)


def values(known: SolvedProblem, positions: Sequence[Any]) -> NDArray[np.float64]:
    """What positions are worth to the player to move in each, in one question where their whole table is known."""
    if known.problem.solves_on_demand:
        return np.array([value(known.problem, known.value_table_for(one), one).value for one in positions])
    by_seat = worth_of(known.problem, known.value_table, positions).values
    return by_seat[np.arange(len(positions)), [known.playable.mover(one) for one in positions]]


def marks(known: SolvedProblem) -> tuple[tuple[float, str], ...]:
    """From which loss on a choice has which mark, the largest first (``marked``)."""
    objective = known.playable.objective
    whole = values(known, [known.playable.start()])[0] if objective in OBJECTIVES_WITH_SCALED_MARKS else 1.0
    return mistake_thresholds(objective, float(whole))


def choices_of(table: Table[Any], position: Any) -> tuple[Choice[Any], ...]:
    """What may be done in a position: where dice must be thrown, that."""
    if table.stage(position) == "choose":
        return table.choices(position)
    action, dice = table.throw_in_words(position)
    held = int(table.told(position, Role.HELD, 0))
    return (Choice(action, (), held, dice, "roll", position, kind=ChoiceKind.ROLL),)


class BestPlay:
    """The best player of a solved question, as a function of a position; what was worked out is kept."""

    def __init__(self, match: Problem[Any], solved: ValueTable) -> None:
        self.match, self.solved = match, solved
        self._known: dict[Any, tuple[list[float], float]] = {}
        self._best: dict[Any, Choice[Any]] = {}

    def learn(self, positions: Iterable[Any]) -> None:
        """Work out what is best in positions in which somebody chooses, in one question to the match."""
        table, known = self.match.playable, self._known
        new = dict.fromkeys(one for one in positions if one not in self._best and table.stage(one) == "choose")
        offered = [(one, table.choices(one)) for one in new]
        asked = list(dict.fromkeys(choice.after for _, choices in offered for choice in choices))
        if asked := [after for after in asked if after not in known]:
            worth = worth_of(self.match, self.solved, asked)
            known.update(zip(asked, zip(worth.values.tolist(), worth.error_bounds.tolist(), strict=True), strict=True))
        self._best.update((one, self._among(table.mover(one), choices)) for one, choices in offered)

    def __call__(self, position: Any) -> Choice[Any]:
        """The choice that is best; among ties the first by the documented rule (``leeway``)."""
        self.learn([position])
        return self._best[position]

    def _among(self, mover: int, choices: Sequence[Choice[Any]]) -> Choice[Any]:
        match, known, sign = self.match, self._known, sign_of(self.match)
        values = [sign * (known[one.after][0][mover] + counts_as_turn(match.playable, one.after)) for one in choices]
        within, most = leeway(match.players, max(known[choice.after][1] for choice in choices)), max(values)
        return next(one for one, value in zip(choices, values, strict=True) if most - value <= within)


def advise(match: Problem[Any], solved: ValueTable, position: Any, referee: Referee[Any] | None = None) -> Advice:
    """Rank every legal choice of a position; before a throw that must be made, that is the one. With a referee that has
    solved it values are told in fractions too.
    """
    table, sign = match.playable, sign_of(match)
    mover = table.mover(position)
    choices = choices_of(table, position)
    worth = worth_of(match, solved, [choice.after for choice in choices])
    ranked = []
    for choice, seats in zip(choices, worth.values.tolist(), strict=True):
        throws = table.stage(choice.after) == "throw" and (
            not table.turn_begins(choice.after) or choice.after == position
        )
        lost = [table.mishap(choice.after), table.wipe(choice.after)] if throws else [None, None]
        ends = counts_as_turn(table, choice.after) * (choice.after != position)
        exact = None if referee is None else sign * referee.seats(choice.after)[mover] + ends
        bust, wipe = (None if chance is None else float(chance) for chance in lost)
        ranked.append(RankedChoice.of(choice, seats[mover] + ends, bust, wipe, exact))
    bound = float(worth.error_bounds.max())
    regret = match.extra_results(solved, position).get("regret") if match.players > 2 else None
    mixed = mixed_turns(match, solved, position, choices)
    return Advice(
        match.objective,
        rank(ranked, match.players, bound, sign),
        table.note(position),
        table.mishap_words,
        bound,
        regret,
        mixed,
    )
