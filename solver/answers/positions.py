"""The values of positions, and every legal choice of one, ranked.

A problem values positions in which a turn begins, dice are about to be rolled, or the game is over
(``Problem.seat_values``). The value of a choice is that of the position that it leads to. The value of a decision
position is that of the choice with the largest value for its mover.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice, PlayableGame
from ..play.position_fields import Role
from ..play.walk import counts_as_turn
from ..solvers import Problem, SeatValues, ValueTable
from ..solving.solved_problem import SolvedProblem
from ..util.number_format import OBJECTIVES_WITH_SCALED_MARKS, mistake_thresholds
from .advice import Advice, PositionValue, RankedChoice, rank, tie_tolerance
from .mixed_turns import mixed_turns

if TYPE_CHECKING:
    from ..play.referee import Referee

Floats = NDArray[np.float64]


class _BoundedValues(NamedTuple):
    """Values of all seats (seats,), and the bound of their errors."""

    values: Floats
    error_bound: float


class _Option(NamedTuple):
    """A choice of a decision position, as far as its value depends on it.

    Attributes:
        after: the position that it leads to.
        turns_spent: 1 if it ends a turn and the objective counts turns, else 0.
    """

    after: Any
    turns_spent: int


def seat_values_of(problem: Problem[Any], value_table: ValueTable, positions: Sequence[Any]) -> SeatValues:
    """Return the values of all seats at positions of any kind, with one call of ``Problem.seat_values``.

    That method takes no decisions inside turns. Their values are computed here, from the positions that their choices
    lead to.

    Args:
        problem: the problem.
        value_table: a value table that covers the positions.
        positions: the positions; decisions inside turns are valued by their best choice.
    """
    playable, sign = problem.playable, gain_sign(problem)
    queried: dict[Any, int] = {}  # positions that the problem values, with their row in its answer
    options_of: dict[Any, list[_Option]] = {}  # by decision inside a turn
    unvisited = list(reversed(positions))
    while unvisited:
        position = unvisited.pop()
        if playable.stage(position) != "choose" or playable.is_turn_start(position):
            queried.setdefault(position, len(queried))
        elif position not in options_of:
            options_of[position] = [
                _Option(choice.after, int(counts_as_turn(playable, choice.after)))
                for choice in playable.choices(position)
            ]
            unvisited += [option.after for option in reversed(options_of[position])]
    answer = problem.seat_values(value_table, list(queried))
    bounded_values = {
        position: _BoundedValues(answer.values[row], float(answer.error_bounds[row]))
        for position, row in queried.items()
    }

    def value_at(position: Any) -> _BoundedValues:
        """Return the values of a position, by recursion through its decisions."""
        if position in bounded_values:
            return bounded_values[position]
        mover = playable.player_to_move(position)
        options = options_of[position]
        successors = [value_at(option.after) for option in options]
        gains = [
            sign * (float(successor.values[mover]) + option.turns_spent)
            for option, successor in zip(options, successors, strict=True)
        ]
        best = gains.index(max(gains))
        # Rounding may have taken the best choice for another one, so the largest bound counts.
        bound = max(successor.error_bound for successor in successors)
        bounded_values[position] = _BoundedValues(successors[best].values + options[best].turns_spent, bound)
        return bounded_values[position]

    results = [value_at(position) for position in positions]
    values = np.array([result.values for result in results]).reshape(len(results), playable.players)
    return SeatValues(values, np.array([result.error_bound for result in results]))


def gain_sign(problem: Problem[Any]) -> int:
    """Return 1 if larger values are better, and -1 if smaller ones are, as of turns still to take."""
    return -1 if problem.playable.fewer_is_better else 1


def value(solved: SolvedProblem, position: Any, referee: Referee[Any] | None = None) -> PositionValue:
    """Return the value of a position for the player to move, and for every seat from there on if there are several.

    Args:
        solved: the solved problem.
        position: the position.
        referee: a referee that has solved the position, for its values as fractions.
    """
    problem, value_table = solved.problem, solved.value_table_for(position)
    result = seat_values_of(problem, value_table, [position])
    value_by_seat = result.values[0].tolist()
    seats_from_mover = problem.playable.seats_from(problem.playable.player_to_move(position))
    values_from_mover = [value_by_seat[seat] for seat in seats_from_mover]
    exact: tuple[Fraction, ...] = ()
    if referee is not None:
        exact = tuple(gain_sign(problem) * referee.seat_payoffs(position)[seat] for seat in seats_from_mover)
    return PositionValue(
        values_from_mover[0],
        tuple(values_from_mover) if len(values_from_mover) > 1 else (),
        problem.extra_results(value_table, position),
        float(result.error_bounds[0]),
        exact,
    )


def values(solved: SolvedProblem, positions: Sequence[Any]) -> NDArray[np.float64]:
    """Return the value of each position for its player to move: (positions,).

    All are computed with one call of the problem, unless it is solved on demand for each position.

    Args:
        solved: the solved problem.
        positions: the positions.
    """
    if solved.problem.solves_on_demand:
        return np.array([value(solved, position).value for position in positions])
    values_by_seat = seat_values_of(solved.problem, solved.value_table, positions).values
    movers = [solved.playable.player_to_move(position) for position in positions]
    return values_by_seat[np.arange(len(positions)), movers]


def marks(solved: SolvedProblem) -> tuple[tuple[float, str], ...]:
    """Return pairs of the smallest loss for a mark, and the mark (``??``, ``?`` or ``?!``), the largest loss first.

    For some objectives the losses are fractions of the value at the start of the game.
    """
    objective = solved.playable.objective
    scale = values(solved, [solved.playable.start()])[0] if objective in OBJECTIVES_WITH_SCALED_MARKS else 1.0
    return mistake_thresholds(objective, float(scale))


def choices_of(playable: PlayableGame[Any], position: Any) -> tuple[Choice[Any], ...]:
    """Return the legal choices of a position; if dice have to be rolled, one choice, to roll, which leads to itself."""
    if playable.stage(position) == "choose":
        return playable.choices(position)
    action, dice = playable.describe_roll(position)
    turn_points = int(playable.value_of_role(position, Role.TURN_POINTS, 0))
    return (Choice(action, (), turn_points, dice, position, kind=ChoiceKind.ROLL),)


class BestPlay:
    """Optimal play of a solved problem: calling it with a decision position returns the best choice.

    Results are kept. The value table of the solved problem must cover the positions (see
    ``SolvedProblem.restricted_to``).
    """

    def __init__(self, solved: SolvedProblem) -> None:
        """Keep the solved problem; nothing is computed yet."""
        self.problem, self.solved = solved.problem, solved
        self._values: dict[Any, tuple[list[float], float]] = {}  # by position, the values of all seats and their bound
        self._best: dict[Any, Choice[Any]] = {}

    def find_best(self, positions: Iterable[Any]) -> None:
        """Find and keep the best choices of decision positions, with one call of the problem for all of them.

        Args:
            positions: positions of any kind; all but decisions without a known best choice are skipped.
        """
        playable = self.problem.playable
        new = dict.fromkeys(
            position for position in positions if position not in self._best and playable.stage(position) == "choose"
        )
        choices_of_new = [(position, playable.choices(position)) for position in new]
        successors = dict.fromkeys(choice.after for _, choices in choices_of_new for choice in choices)
        unknown = [after for after in successors if after not in self._values]
        if unknown:
            answer = seat_values_of(self.problem, self.solved.value_table, unknown)
            bounded_values = zip(answer.values.tolist(), answer.error_bounds.tolist(), strict=True)
            self._values.update(zip(unknown, bounded_values, strict=True))
        for position, choices in choices_of_new:
            self._best[position] = self._best_of(playable.player_to_move(position), choices)

    def __call__(self, position: Any) -> Choice[Any]:
        """Return the best choice of a decision position; among ties the first in the documented order of preference."""
        self.find_best([position])
        return self._best[position]

    def _best_of(self, mover: int, choices: Sequence[Choice[Any]]) -> Choice[Any]:
        """Return the first choice whose value ties with the largest one, from the values kept in ``self._values``.

        Args:
            mover: the seat that chooses.
            choices: the choices, in the documented order of preference.
        """
        problem, sign = self.problem, gain_sign(self.problem)
        gains = list[float]()
        bounds = list[float]()
        for choice in choices:
            values_by_seat, bound = self._values[choice.after]
            gains.append(sign * (values_by_seat[mover] + counts_as_turn(problem.playable, choice.after)))
            bounds.append(bound)
        tolerance = tie_tolerance(problem.players, max(bounds))
        best_gain = max(gains)
        return next(choice for choice, gain in zip(choices, gains, strict=True) if best_gain - gain <= tolerance)


def advise(solved: SolvedProblem, position: Any, referee: Referee[Any] | None = None) -> Advice:
    """Return the advice for a position: its legal choices, ranked by value.

    If dice have to be rolled, to roll is the only choice.

    Args:
        solved: the solved problem.
        position: the position.
        referee: a referee that has solved the position, for values as fractions.
    """
    solved = solved.restricted_to(position)
    problem, value_table = solved.problem, solved.value_table
    playable, sign = problem.playable, gain_sign(problem)
    mover = playable.player_to_move(position)
    choices = choices_of(playable, position)
    answer = seat_values_of(problem, value_table, [choice.after for choice in choices])
    ranked = []
    for choice, values_by_seat in zip(choices, answer.values.tolist(), strict=True):
        after = choice.after
        is_rolled_in_this_turn = playable.stage(after) == "throw" and (
            not playable.is_turn_start(after) or after == position
        )
        bust = playable.mishap_probability(after) if is_rolled_in_this_turn else None
        wipe = playable.wipe_probability(after) if is_rolled_in_this_turn else None
        is_turn_over = after != position and counts_as_turn(playable, after)  # to roll leads to the position itself
        turns_spent = int(is_turn_over)  # for the objective ``turns``; else no turn counts
        exact = None if referee is None else sign * referee.seat_payoffs(after)[mover] + turns_spent
        ranked.append(
            RankedChoice.from_choice(
                choice,
                value=values_by_seat[mover] + turns_spent,
                bust=None if bust is None else float(bust),
                wipe=None if wipe is None else float(wipe),
                exact=exact,
            )
        )
    bound = float(answer.error_bounds.max())
    regret = problem.extra_results(value_table, position).get("regret") if problem.players > 2 else None
    return Advice(
        objective=problem.objective,
        choices=rank(ranked, problem.players, bound, sign),
        note=playable.note(position),
        mishap_words=playable.mishap_words,
        error_bound=bound,
        regret=regret,
        mixed=mixed_turns(solved, position, choices),
        span=playable.points_span(position),
    )
