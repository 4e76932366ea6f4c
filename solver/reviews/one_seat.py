"""The game of one seat: its own rolls and choices, with the turns of the others as single events between its turns.

Scorecards for several players have no exact values in most games, but a problem for one player can judge each seat. It
sees the seat's card, and for ``beat`` also the opponent's card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Protocol, runtime_checkable

from ..play.game_file import HUMAN_PLAYER, GameFile, Step
from ..play.playable_game import Choice, find_choice
from ..solvers import Problem
from ..solvers.solve_costs import SolveCost, sequential_cost
from ..util.errors import InputError
from . import estimate_review_cost

JUDGES = ("points", "beat")  # the objectives that can judge one seat of a game for several players


@runtime_checkable
class SeatView(Protocol):
    """A game for one player that shows what one seat sees in a game for several, as scorecards do."""

    @property
    def objective(self) -> str:
        """The objective."""

    def choices(self, position: Any) -> tuple[Choice[Any], ...]:
        """Return every legal choice in a position of this game."""

    def of_one_seat(self, position: Any, seat: int) -> Any:
        """Return the position of this game that a seat sees in a position of the game for several players."""


def can_judge_seats(problem: Problem[Any]) -> bool:
    """Return whether a problem can judge one seat of a game for several players."""
    return isinstance(problem.playable, SeatView) and problem.objective in JUDGES


def seats_of_people(game: GameFile) -> list[int]:
    """Return the seats of the people at the prompt; all seats if there are none."""
    seats = range(len(game.seats))
    return [seat for seat in seats if game.seats[seat].player == HUMAN_PLAYER] or [*seats]


def game_of_one_seat(problem: Problem[Any], game: GameFile, seat: int) -> GameFile:
    """Return the game of one seat of a game for several players.

    Args:
        problem: the problem for one player that judges the seat, under the same rules.
        game: the game for several players, as it was played.
        seat: the seat.

    Raises:
        InputError: the seat has not moved yet, or the objective cannot judge it.
    """
    playable = problem.playable
    if not (can_judge_seats(problem) and isinstance(playable, SeatView)):
        raise InputError(
            f"{problem.game.title} cannot be judged for {problem.objective} seat by seat; only scorecards can, for"
            f" {' and '.join(JUDGES)}; leave --judge out"
        )
    if problem.objective == "beat" and len(game.seats) != 2:
        raise InputError(f"the objective beat requires two players, not {len(game.seats)}")
    first = next((step for step in game.steps if step.seat == seat), None)
    if first is None:
        raise InputError(f"{game.seats[seat].name} has not moved yet; there is nothing to review")
    start = playable.of_one_seat(first.position, seat)
    one_seat_game = GameFile(problem.playable, (game.seats[seat],), game.dice, game.seed, start)
    one_seat_game.steps = list(_steps(playable, game, seat, start))
    return one_seat_game


def estimate_partial_solves(problem: Problem[Any], games: Sequence[GameFile]) -> SolveCost:
    """Return the estimated cost of all partial solves that reviews of these games of one seat need.

    It is 0 if the problem has a value table.

    Args:
        problem: the problem that judges the seats.
        games: the games of one seat.
    """
    needs_solves = problem.solves_on_demand
    return sequential_cost([estimate_review_cost(problem, game) for game in games if needs_solves])


def _steps(playable: SeatView, game: GameFile, seat: int, start: Any) -> Iterator[Step]:
    """Yield the steps of the game of one seat.

    Args:
        playable: the game for one player.
        game: the game for several players.
        seat: the seat.
        start: the position in which the seat begins.
    """
    position = start
    has_moved = False
    for is_own, group in groupby(game.steps, key=lambda step: step.seat == seat):
        steps = list(group)
        has_moved = has_moved or is_own
        if is_own:
            for step in steps:
                own_step = _own_step(playable, step, position, seat)
                yield own_step
                position = own_step.after
        elif has_moved:
            after = playable.of_one_seat(steps[-1].after, seat)
            if after != position:  # for points, the others change nothing
                yield Step("others", 0, position, after, None, _results(game, steps), steps[-1].line_number)
                position = after


def _own_step(playable: SeatView, step: Step, position: Any, seat: int) -> Step:
    """Return a roll, choice or whole turn of the seat as a step of its own game.

    Args:
        playable: the game for one player.
        step: the step of the game for several players.
        position: the position of the game for one player before it.
        seat: the seat.
    """
    after, choice = playable.of_one_seat(step.after, seat), None
    if step.choice is not None:
        choice = find_choice(playable.choices(position), step.choice)
        if choice is None:  # an entry that wins the game at once
            raise InputError(f"{step.choice.action} cannot be reviewed for {playable.objective}")
        after = choice.after
    return Step(step.kind, 0, position, after, choice, step.line_text, step.line_number)


def _results(game: GameFile, steps: list[Step]) -> str:
    """Return how the turns of the others ended, as text: the last line of each."""
    by_seat = {step.seat: step.line_text for step in steps if step.line_text}
    return "; ".join(f"{game.seats[seat].name}: {text}" for seat, text in by_seat.items())
