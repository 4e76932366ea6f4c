"""A game judged: per seat the errors, the luck, and the result without luck; the costliest decisions, and why.

Every number is a sum of those of ``Solution.trace``: luck and error of each event, in what is played for (chance to
win, points, turns). Errors are sorted by kind: stopping too early or too late, keeping the wrong dice, entering the
wrong category, choosing the wrong thing. Chances lost have a grade in words (``GRADES``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..answers.explanation import why
from ..answers.positions import marks
from ..answers.trace import Event, Trace, Turn
from ..answers.trace import Seat as Sums
from ..answers.trace import follow as path_of
from ..answers.trace import trace as follow
from ..play.game_file import GameFile, Step
from ..play.playable_game import Choice, Table
from ..policies.levels import search_cost
from ..solvers import Problem, ValueTable
from ..solvers.cost_estimates import SolveCost, announce_once, sequential_cost
from ..solving.solve import solve_cost, solve_problem
from ..storage.table_files import fingerprint
from ..util.errors import InputError
from ..util.number_format import OBJECTIVES_WITH_SCALED_MARKS, format_count, mistake_mark

if TYPE_CHECKING:
    from ..solving.solved_problem import SolvedProblem

COSTLIEST = 5  # decisions that a review tells of each game
# Grades by the chance to win that a decision costs on average, up to and including.
GRADES = (
    (0.0005, "flawless"),
    (0.002, "expert"),
    (0.005, "advanced"),
    (0.01, "good"),
    (0.02, "fair"),
    (0.04, "casual"),
    (1.0, "by guess"),
)
CHANCES = ("win", "reach")  # objectives whose values are chances


def grade(mean_error: float) -> str:
    """The grade of a mean error in chance to win."""
    return next((word for most, word in GRADES if mean_error <= most), GRADES[-1][1])


@dataclass(frozen=True)
class Mistake:
    """A decision that cost something: whose, which event, by which it is named everywhere (from 1, forced ones count),
    the line of the file that tells it (0: none), what was best and why, and its mark (``Solution.mark``).
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
class Review:
    """A game judged.

    Attributes:
        game: the game as played; objective: what it was judged by; trace: every event; names: who sat where.
        mistakes: the costliest decisions, the worst first; kinds: by seat, what each kind of error cost, and how often;
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
    def seats(self) -> tuple[Sums, ...]:
        """The sums of every seat."""
        return self.trace.seats

    def as_json(self) -> dict[str, Any]:
        """Return the shape that scripts rely on: of every seat outcome = start + luck - errors.

        ``errors`` are what all errors together cost the seat: its own, less what it got from the others'.
        """
        game = self.game
        return {
            **{key: value for key, value in game.table.question.items() if key != "parameters"},
            "parameters": dict(game.table.parameters),
            "over": self.trace.over,
            "seats": [
                {
                    "name": game.seats[number].name,
                    "player": game.seats[number].player,
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
                    **({"grade": grade(seat.mean_error)} if self.objective in CHANCES and seat.decisions else {}),
                    "kinds": {
                        kind: {"count": count, "cost": lost} for kind, (count, lost) in self.kinds[number].items()
                    },
                }
                for number, seat in enumerate(self.seats)
            ],
            "events": [
                _event_json(game.table, event, number, mark)
                for number, (event, mark) in enumerate(zip(self.trace.events, self.marks, strict=True), 1)
            ],
            "mistakes": [vars(one) for one in self.mistakes],
            "error_bound": self.trace.error_bound,
        }


def _event_json(table: Table[Any], event: Event[Any], number: int, mark: str) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "number": number,
        "kind": event.kind,
        "seat": event.seat,
        "id": table.id(event.position),
        "value": event.value,
    }
    if event.choice is None or event.best is None:
        return {**shape, "luck": event.moved}
    words = {"choice": event.choice.action, "best": event.best.action}
    return {**shape, **words, "error": event.error, "mark": mark, "options": event.options}


def review(
    solution: SolvedProblem,
    game: GameFile,
    costliest: int = COSTLIEST,
    progress: Callable[[float], None] = lambda done: None,
) -> Review:
    """Judge a game, over or not. ``progress``: of what must be solved on the way.

    Raises:
        InputError: the solution answers another question than the game is played for.
    """
    if solution.playable.question != game.table.question:
        raise InputError("a game is judged by the values of its own rules, players and objective")
    solution, start = solution.with_all_tables_kept(), _start(solution.problem, game)

    def solved_for(position: Any) -> ValueTable:
        return solution.value_table_for(position, progress=progress)

    trace = follow(solution.problem, solved_for, start, _events(game.steps))
    table, kinds = game.table, [dict[str, tuple[int, float]]() for _ in game.seats]
    wrong = []
    for number, (event, step) in enumerate(zip(trace.events, game.steps, strict=True), 1):
        if event.error > 0:
            assert event.choice is not None
            assert event.best is not None
            kind = kind_of(table, event.position, event.choice, event.best)
            count, lost = kinds[event.seat].get(kind, (0, 0.0))
            kinds[event.seat][kind] = count + 1, lost + event.error
            wrong.append((event, step, number, kind))
    wrong.sort(key=lambda one: -one[0].error)
    known = marks(solution)
    mistakes = [_mistake(solution, *one, known) for one in wrong[:costliest]]
    names = tuple(seat.name for seat in game.seats)
    signs = tuple(mistake_mark(event.error, known) if event.error > 0 else "" for event in trace.events)
    return Review(game, table.objective, trace, names, tuple(mistakes), tuple(kinds), signs)


def review_cost(match: Problem[Any], game: GameFile) -> SolveCost:
    """Roughly what solving takes until a game is judged by the values of a match.

    Raises:
        TooMuchError: the values of a position would take too much.
    """
    return (
        solve_problem(match).estimate_cost(_asked_about(match, game)) if match.solves_on_demand else solve_cost(match)
    )


def announced_reviews(costs: Sequence[tuple[Problem[Any], SolveCost]]) -> AbstractContextManager[None]:
    """Announce once what reviewing games takes, each with its match and its ``review_cost``; their parts say nothing.

    A whole table is solved once for all its games. What follows a position is solved for each game anew. Of several
    games the search for levels counts too.
    """
    tables = {fingerprint(match.playable.question): cost for match, cost in costs if not match.solves_on_demand}
    parts = [*tables.values(), *(cost for match, cost in costs if match.solves_on_demand)]
    if len(costs) > 1:
        followed = [match for match, _ in costs if not match.playable.unfollowed]
        asked = dict.fromkeys((match.game, match.objective) for match in followed)
        parts += [search_cost(game, objective) for game, objective in asked]
    return announce_once(f"reviewing {format_count(len(costs), 'game')}", sequential_cost(parts))


def _start(match: Problem[Any], game: GameFile) -> Any:
    return match.playable.start() if game.start == game.table.start() else game.start


def _asked_about(match: Problem[Any], game: GameFile) -> Iterator[Any]:
    """The positions whose values a review asks for."""
    path, _ = path_of(match.playable, _start(match, game), _events(game.steps))
    yield from (position for position in path if match.playable.stage(position) != "over")
    if match.objective in OBJECTIVES_WITH_SCALED_MARKS:
        yield match.playable.start()


def _events(steps: Sequence[Step]) -> list[Any]:
    return [Turn(step.after) if step.kind == "turn" else step.choice or step.after for step in steps]


def _mistake(
    solution: SolvedProblem, event: Event[Any], step: Step, number: int, kind: str, known: tuple[tuple[float, str], ...]
) -> Mistake:
    assert event.choice is not None
    assert event.best is not None
    solved = solution.value_table_for(event.position)
    told = why(solution.problem, solved, event.position, event.choice)
    where = solution.playable.id(event.position)
    words = event.choice.action, event.best.action
    sign = mistake_mark(event.error, known)
    return Mistake(event.seat, number, step.line, where, *words, event.error, kind, told.text, sign)


def kind_of(table: Table[Any], position: Any, chosen: Choice[Any], best: Choice[Any]) -> str:
    """What kind of error a choice is, by what it and the best choice lead to."""
    ends, should = (ends_turn(table, choice.after) for choice in (chosen, best))
    if ends != should:
        return "stopping too early" if ends else "stopping too late"
    if chosen.keep != best.keep and not ends:
        return "keeping"
    if ends:
        return "keeping" if any(not ends_turn(table, one.after) for one in table.choices(position)) else "category"
    return "choosing"


def ends_turn(table: Table[Any], after: Any) -> bool:
    """Whether a choice that leads there ends the turn."""
    return table.stage(after) == "over" or table.turn_begins(after)
