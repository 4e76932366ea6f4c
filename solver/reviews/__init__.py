"""Review a game that was played: errors and luck of every seat, the result without luck, and the costliest decisions.

All numbers are sums of those of ``Solution.trace``, which splits the outcome of a game into start value, luck and
errors. They are in units of the objective: chance to win, points or turns. ``review`` is where to start reading.

Errors are counted by kind: stopping too early or too late, keeping the wrong dice, entering the wrong category, or
another wrong choice. For chances, the mean error of a player has a grade in words (``GRADES``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..answers.explanation import why
from ..answers.positions import marks
from ..answers.trace import Event, OthersTurns, Trace, WholeTurn
from ..answers.trace import SeatTotals as SeatSums
from ..answers.trace import follow as positions_of_events
from ..answers.trace import trace as trace_events
from ..play.game_file import GameFile, Step
from ..play.playable_game import Choice, PlayableGame, Stage
from ..policies.levels import search_cost
from ..solvers import Problem
from ..solvers.solve_costs import SolveCost, announce_once, sequential_cost
from ..solving.solve import solve_cost, solve_problem
from ..storage.table_files import fingerprint
from ..util.errors import InputError
from ..util.number_format import OBJECTIVES_WITH_SCALED_MARKS, PROBABILITY_OBJECTIVES, format_count, mistake_mark
from ..util.progress_reporting import ProgressCallback

if TYPE_CHECKING:
    from ..solving.solved_problem import SolvedProblem

COSTLIEST = 5  # mistakes that a review lists, unless another number is asked for
# Largest mean loss of a decision, as a chance to win, and the grade for it.
GRADES = (
    (0.0005, "flawless"),
    (0.002, "expert"),
    (0.005, "advanced"),
    (0.01, "good"),
    (0.02, "fair"),
    (0.04, "casual"),
    (1.0, "guessing"),
)


def grade(mean_error: float) -> str:
    """Return the grade for a mean loss of decisions, given as a chance."""
    return next((name for max_loss, name in GRADES if mean_error <= max_loss), GRADES[-1][1])


@dataclass(frozen=True)
class Mistake:
    """A decision with a loss.

    Attributes:
        seat: the seat that decided.
        number: the number of the event, from 1; forced events count.
        line: the line of the game file that records it, 0 if there is none.
        id: the id of the position.
        chosen: the choice that was made, in words.
        best: the best choice, in words.
        error: the loss.
        kind: the kind of error (``mistake_kind``).
        why: the explanation, in sentences.
        mark: ``?!``, ``?``, ``??`` or "".
    """

    seat: int
    number: int
    line: int
    id: str
    chosen: str
    best: str
    error: float
    kind: str
    why: str
    mark: str


@dataclass(frozen=True)
class _Error:
    """A decision with a loss, before it is explained."""

    event: Event[Any]
    step: Step
    number: int
    kind: str


@dataclass(frozen=True)
class Review:
    """A review of one game.

    Attributes:
        game: the game as it was played.
        objective: the objective of all values.
        trace: all events, with their luck and errors.
        names: the players, by seat.
        mistakes: the costliest decisions, worst first.
        kinds: by seat and kind of error, the number of errors and their total loss.
        marks: by event, ``?!``, ``?``, ``??`` or "".
    """

    game: GameFile
    objective: str
    trace: Trace[Any]
    names: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    kinds: tuple[dict[str, tuple[int, float]], ...]
    marks: tuple[str, ...]

    @property
    def seats(self) -> tuple[SeatSums, ...]:
        """The sums of every seat."""
        return self.trace.seats

    def as_json(self) -> dict[str, Any]:
        """Return the review as JSON data, in which outcome = start + luck - errors for every seat.

        ``errors`` is the net loss by all errors of the game: the seat's own, minus what it gained by those of others.
        """
        playable = self.game.playable
        return {
            **{key: value for key, value in playable.problem_key.items() if key != "parameters"},
            "parameters": dict(playable.parameters),
            "over": self.trace.over,
            "seats": [self._seat_json(number) for number in range(len(self.seats))],
            "events": [
                _event_json(playable, event, number, mark)
                for number, (event, mark) in enumerate(zip(self.trace.events, self.marks, strict=True), 1)
            ],
            "mistakes": [vars(mistake) for mistake in self.mistakes],
            "error_bound": self.trace.error_bound,
        }

    def _seat_json(self, number: int) -> dict[str, Any]:
        seat = self.seats[number]
        has_grade = self.objective in PROBABILITY_OBJECTIVES and seat.decisions
        return {
            "name": self.game.seats[number].name,
            "player": self.game.seats[number].player,
            "start": seat.start,
            "luck": seat.luck,
            "errors": seat.own_errors - seat.from_others,
            "own_errors": seat.own_errors,
            "from_others": seat.from_others,
            "outcome": seat.outcome,
            "without_luck": seat.without_luck,
            "decisions": seat.decisions,
            "mistakes": seat.mistakes,
            "mean_error": seat.mean_error,
            **({"grade": grade(seat.mean_error)} if has_grade else {}),
            "kinds": {kind: {"count": count, "cost": loss} for kind, (count, loss) in self.kinds[number].items()},
        }


def _event_json(playable: PlayableGame[Any], event: Event[Any], number: int, mark: str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "number": number,
        "kind": event.kind,
        "seat": event.seat,
        "id": playable.id(event.position),
        "value": event.value,
    }
    if event.choice is None or event.best is None:
        return {**data, "luck": event.change_by_seat}
    return {
        **data,
        "choice": event.choice.action,
        "best": event.best.action,
        "error": event.error,
        "mark": mark,
        "options": event.choice_count,
    }


def review(
    solution: SolvedProblem,
    game: GameFile,
    costliest: int = COSTLIEST,
    progress: ProgressCallback = lambda share: None,
) -> Review:
    """Review a game, which need not be over.

    Args:
        solution: the solution of the game's own problem.
        game: the game as it was played.
        costliest: the largest number of mistakes to list.
        progress: called with the share done of each solve that the review needs.

    Raises:
        InputError: the solution has other rules, players or another objective than the game.
    """
    if solution.playable.problem_key != game.playable.problem_key:
        raise InputError("the solution does not match the game: rules, players and objective must be the same")
    solution = solution.with_all_tables_kept()
    trace = trace_events(solution, _start(solution.problem, game), _events(game.steps), progress)
    playable = game.playable
    kinds = [dict[str, tuple[int, float]]() for _ in game.seats]
    errors = list[_Error]()
    for number, (event, step) in enumerate(zip(trace.events, game.steps, strict=True), 1):
        if event.error > 0:
            assert event.choice is not None
            assert event.best is not None
            kind = mistake_kind(playable, event.position, event.choice, event.best)
            count, loss = kinds[event.seat].get(kind, (0, 0.0))
            kinds[event.seat][kind] = count + 1, loss + event.error
            errors.append(_Error(event, step, number, kind))
    errors.sort(key=lambda error: -error.event.error)
    thresholds = marks(solution)
    return Review(
        game=game,
        objective=playable.objective,
        trace=trace,
        names=tuple(seat.name for seat in game.seats),
        mistakes=tuple(
            _mistake(solution, error, game.seats[error.event.seat].name, thresholds) for error in errors[:costliest]
        ),
        kinds=tuple(kinds),
        marks=tuple(mistake_mark(event.error, thresholds) if event.error > 0 else "" for event in trace.events),
    )


def estimate_review_cost(problem: Problem[Any], game: GameFile) -> SolveCost:
    """Return the estimated cost of the solves that a review of this game needs.

    Raises:
        TooMuchError: the values of one of its positions would cost too much.
    """
    if problem.solves_on_demand:
        return solve_problem(problem).estimate_cost(_positions_to_solve(problem, game))
    return solve_cost(problem)


def announce_reviews(costs: Sequence[tuple[Problem[Any], SolveCost]]) -> AbstractContextManager[None]:
    """Announce the total cost of several reviews once; inside the context their solves announce nothing.

    A value table is solved once for all its games. A problem that is solved on demand is solved anew for each game. The
    record over several games also needs the search for strategy levels.

    Args:
        costs: for every game its problem and its ``estimate_review_cost``.
    """
    tables = {
        fingerprint(problem.playable.problem_key): cost for problem, cost in costs if not problem.solves_on_demand
    }
    parts = [*tables.values(), *(cost for problem, cost in costs if problem.solves_on_demand)]
    if len(costs) > 1:
        problems_with_levels = [
            problem for problem, _ in costs if not (problem.playable.policy_refusal or problem.playable.games_by_seat)
        ]
        searches = dict.fromkeys((problem.game, problem.objective) for problem in problems_with_levels)
        parts += [search_cost(game, objective) for game, objective in searches]
    return announce_once(f"reviewing {format_count(len(costs), 'game')}", sequential_cost(parts))


def _start(problem: Problem[Any], game: GameFile) -> Any:
    """Return the first position of the game, as the problem's own start if it is that."""
    return problem.playable.start() if game.start == game.playable.start() else game.start


def _positions_to_solve(problem: Problem[Any], game: GameFile) -> Iterator[Any]:
    """Yield the positions whose values a review needs."""
    positions, _ = positions_of_events(problem.playable, _start(problem, game), _events(game.steps))
    solved_position = positions[0]  # the position of the last solve
    for index, position in enumerate(positions):
        is_over = problem.playable.stage(position) == Stage.TERMINAL
        if not is_over and (index == 0 or not problem.holds_end(solved_position, position)):
            solved_position = position
            yield position
    if problem.objective in OBJECTIVES_WITH_SCALED_MARKS:
        yield problem.playable.start()  # marks are scaled by its value


def _events(steps: Sequence[Step]) -> list[Any]:
    """Return the steps of a game in the form that ``trace`` takes."""
    turns = {"turn": WholeTurn, "others": OthersTurns}
    return [turns[step.kind](step.after) if step.kind in turns else step.choice or step.after for step in steps]


def _mistake(solution: SolvedProblem, error: _Error, name: str, thresholds: tuple[tuple[float, str], ...]) -> Mistake:
    """Explain an error.

    Args:
        solution: the solved problem.
        error: the decision.
        name: the name of the player who decided.
        thresholds: the least loss for each mark.
    """
    event = error.event
    assert event.choice is not None
    assert event.best is not None
    reasons = why(solution, event.position, event.choice)
    return Mistake(
        seat=event.seat,
        number=error.number,
        line=error.step.line_number,
        id=solution.playable.id(event.position),
        chosen=event.choice.action,
        best=event.best.action,
        error=event.error,
        kind=error.kind,
        why=reasons.text if name == "You" else reasons.text_about(name, "is", "needs"),
        mark=mistake_mark(event.error, thresholds),
    )


def mistake_label(playable: PlayableGame[Any], kind: str) -> str:
    """Return the name of a kind of error for people, who shut tiles and keep dice."""
    if kind == "keeping" and playable.game.family == "tiles":
        return "shutting"
    return "box" if kind == "category" else kind


def mistake_kind(playable: PlayableGame[Any], position: Any, choice_made: Choice[Any], best: Choice[Any]) -> str:
    """Return the kind of an error, by what the choice and the best choice lead to."""
    chosen_ends = ends_turn(playable, choice_made.after)
    if chosen_ends != ends_turn(playable, best.after):
        return "stopping too early" if chosen_ends else "stopping too late"
    if not chosen_ends:
        return "keeping" if choice_made.keep != best.keep else "choosing"
    # If every choice ends the turn, the choices differ in the category, otherwise in the dice that are kept.
    can_go_on = any(not ends_turn(playable, choice.after) for choice in playable.choices(position))
    return "keeping" if can_go_on else "category"


def ends_turn(playable: PlayableGame[Any], next_position: Any) -> bool:
    """Return whether a choice that leads to this position ends the turn."""
    return playable.stage(next_position) == Stage.TERMINAL or playable.is_turn_start(next_position)
