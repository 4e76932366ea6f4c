"""The sheet of Hearts Due: a table of odds, because there is nothing to choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...answers.positions import values
from ...games.hearts_due import HeartsRules
from ...policies.levels import DEFAULT_LEVEL
from ...solvers import Problem, make_problem
from ...solving.solve import solve_problem
from ...util.number_format import format_percent
from ...util.progress_reporting import ProgressCallback
from . import NO_CHOICE, NO_CHOICE_NO_ODDS, Sheet, Table, problem_facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem

SCORES_PER_SIDE = 10  # roughly: rows of the tables by score


def check(problem: Problem[Any], level: int | None) -> None:
    """Accept every problem: the odds do not depend on the objective."""


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet; the full page shows the odds."""
    lines = ("Roll all six dice; there is nothing to choose.",)
    facts = problem_facts(solution)
    if level is not None and level < DEFAULT_LEVEL:
        return Sheet("Hearts Due: how to play", facts, lines, (), NO_CHOICE_NO_ODDS)
    rules: HeartsRules = solution.game.data
    turns = solve_problem(make_problem(solution.game, "turns"))
    win = solve_problem(make_problem(solution.game, "win"))
    starts = list(turns.problem.list_positions({}).positions)
    starts = starts[:: max(1, len(starts) // SCORES_PER_SIDE)]
    scores = [turns.playable.to_dict(start)["score"] for start in starts]
    turn_rows = [(str(score), f"{left:.2f}") for score, left in zip(scores, values(turns, starts), strict=True)]
    tables = (
        _roll_table(rules),
        Table(f"Turns to {rules.target}", ("score", "turns"), tuple(turn_rows)),
        _win_table(win, scores),
    )
    return Sheet("Hearts Due: the odds", facts, lines, tables, NO_CHOICE)


def _roll_table(rules: HeartsRules) -> Table:
    """Return the number of ways and the probability of each result of a roll."""
    total = sum(rules.weight_by_points.values()) + rules.wipe_weight
    rows = [
        (str(points), f"{ways:,}", format_percent(ways / total))
        for points, ways in sorted(rules.weight_by_points.items())
    ]
    rows.append(("wiped to 0", f"{rules.wipe_weight:,}", format_percent(rules.wipe_weight / total)))
    return Table("One roll", ("points", f"of {total:,}", "chance"), tuple(rows))


def _win_table(win: SolvedProblem, scores: list[int]) -> Table:
    """Return the probability to win of the player to move, by both scores."""
    rows = []
    for score in scores:
        positions = [win.playable.position(score=score, opponents=[opponent]) for opponent in scores]
        cells = map(format_percent, values(win, positions).tolist())
        rows.append((str(score), *cells))
    heading = "Your chance to win before your roll, by your score (rows) and the opponent's (columns)"
    return Table(heading, ("", *map(str, scores)), tuple(rows))
