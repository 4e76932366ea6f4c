"""The sheet of Booby Trap: which size to touch, and which pieces to take, by feel and passes.

The cost of the sheet is exact: the strategy is evaluated on the whole board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...games.touch_odds import SIZES
from ...policies.levels import DEFAULT_LEVEL, at_level
from ...policies.levels.touch import MAX_PIECES, evaluate
from ...policies.touch_evaluation import TouchPolicy
from ...solvers import Problem
from ...solvers.touch.problem import TouchMarginProblem
from ...util.errors import InputError
from ...util.progress_reporting import ProgressCallback
from . import Sheet, Table, optimality_lines, problem_facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(problem: Problem[Any], level: int | None) -> None:
    """Raise InputError unless the objective is the margin, and for boards that are too large to evaluate."""
    if not isinstance(problem, TouchMarginProblem) or problem.players > 2:
        raise InputError(
            f"Booby Trap has a strategy sheet for margin, not for {problem.objective}; use --objective margin"
        )
    if sum(problem.rules.board) > MAX_PIECES:
        raise InputError(f"a strategy sheet requires a board of at most {MAX_PIECES} pieces")


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet of a level, or the full page; it is for the margin, because there the lead does not matter."""
    level_number = level or DEFAULT_LEVEL
    problem = solution.problem
    assert isinstance(problem, TouchMarginProblem)
    best = at_level(solution.game, level_number, "margin")
    policy: TouchPolicy = best.policy
    evaluation = evaluate(problem, solution.value_table, policy)
    tables: tuple[Table, ...] = ()
    if level_number < DEFAULT_LEVEL:
        lines = _lines(problem, policy)
    else:
        lines = ("Count the passes in a row up to now, your own and the other player's.",)
        tables = _stage_tables(problem, policy)
    cost = (
        f"If you move first against a perfect player, this sheet brings {evaluation.value:+.3f} points of margin."
        f" Perfect play brings {evaluation.optimal:+.3f}, so the sheet costs {evaluation.loss:.3f} points."
    )
    title = "Booby Trap: a sheet to play by"
    return Sheet(title, problem_facts(solution, evaluation), lines, tables, (cost, *optimality_lines(best)))


def _stage_tables(problem: TouchMarginProblem, policy: TouchPolicy) -> tuple[Table, ...]:
    """Return the tables of the policy; two pairs of them if it changes when few pieces are left."""
    if not policy.late:
        return _tables(problem, policy, "")
    return (
        *_tables(problem, policy, f", with more than {policy.few} pieces left"),
        *_tables(problem, policy.late, f", with at most {policy.few} pieces left"),
    )


def _tables(problem: TouchMarginProblem, policy: TouchPolicy, condition: str) -> tuple[Table, Table]:
    """Return the sizes to touch and the pieces to take, by passes."""
    rules, rows = problem.rules, []
    for size, size_name in enumerate(SIZES):
        for feel, feel_name in enumerate(rules.odds.feels):
            cells = ("take" if policy.takes(size, feel, passes) else "pass" for passes in range(rules.max_passes))
            rows.append((size_name, feel_name, *cells, "must take"))
    pass_columns = tuple(f"{passes} pass{'es' * (passes != 1)}" for passes in range(rules.max_passes + 1))
    touch_table = Table(
        f"Touch{condition}",
        pass_columns,
        (tuple(SIZES[size] for size in policy.touch),),
        "The size to touch, by passes in a row up to now; if none of it is left, the next smaller one.",
    )
    take_table = Table(f"Take or pass{condition}", ("size", "feel", *pass_columns), tuple(rows))
    return touch_table, take_table


def _lines(problem: TouchMarginProblem, policy: TouchPolicy) -> tuple[str, ...]:
    """Return sentences on the size to touch, and on the feels with which pieces of each size are taken."""
    rules = problem.rules
    taken_feels = [
        [name for feel, name in enumerate(rules.odds.feels) if rules.max_passes and policy.takes(size, feel, 0)]
        for size in range(len(SIZES))
    ]
    if all(feels == taken_feels[0] for feels in taken_feels):
        pieces = [("a piece", taken_feels[0])]
    else:
        pieces = [(f"a {name} piece", feels) for name, feels in zip(SIZES, taken_feels, strict=True)]
    takes = (
        f"Take {piece} that sits {' or '.join(feels)}." if feels else f"Pass {piece} if you may."
        for piece, feels in pieces
    )
    return (
        f"Touch a {SIZES[policy.touch[0]]} piece; if none is left, one of the next smaller size.",
        *takes,
        "Pass on all others, if you may.",
    )
