"""The sheet of Booby Trap: which size to touch, what to take, by feel and passes; judged on the whole board."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...games.touch_odds import SIZES
from ...policies.levels import PAGE, at_level
from ...policies.levels.touch import MOST_PIECES, judged
from ...policies.touch_evaluation import Touches
from ...solvers import Problem
from ...solvers.touch.problem import TouchMarginProblem
from ...util.errors import InputError
from . import Sheet, Table, facts, proof

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(match: Problem[Any], level: int | None) -> None:
    """Refuse what is not about the margin, and boards too large to judge."""
    if not isinstance(match, TouchMarginProblem) or match.players > 2:
        raise InputError(f"Booby Trap's sheet is made for the margin, not for {match.objective}: --objective margin")
    if sum(match.rules.board) > MOST_PIECES:
        raise InputError(f"a sheet is judged on boards of at most {MOST_PIECES} pieces")


def make(solution: SolvedProblem, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet, for the margin: there the lead does not matter."""
    level = level or PAGE
    match = solution.problem
    assert isinstance(match, TouchMarginProblem)
    level_ = at_level(solution.game, level, "margin")
    policy: Touches = level_.policy
    found = judged(match, solution.value_table, policy)
    if level < PAGE:
        lines, tables = _in_words(match, policy), tuple[Table, ...]()
    else:
        lines = ("Passes are those in a row up to now, your own and the other player's.",)
        few = policy.few if policy.late else 0
        tables = (
            *_page(match, policy, f", with more than {few} pieces left" if policy.late else ""),
            *(_page(match, policy.late, f", with at most {few} pieces left") if policy.late else ()),
        )
    cost = (
        f"Playing by this sheet, first, against a perfect player: {found.value:+.3f} points of margin; perfectly"
        f" {found.optimal:+.3f}. The sheet costs {found.loss:.3f} points."
    )
    return Sheet("Booby Trap: a sheet to play by", facts(solution, found), lines, tables, (cost, *proof(level_)))


def _page(match: TouchMarginProblem, policy: Touches, when: str) -> tuple[Table, ...]:
    """What to touch and what to take, by passes."""
    rules, rows = match.rules, []
    for size, name in enumerate(SIZES):
        for feel, word in enumerate(rules.odds.feels):
            told = ("take" if policy.takes(size, feel, passes) else "pass" for passes in range(rules.limit))
            rows.append((name, word, *told, "must take"))
    by_passes = tuple(f"{passes} pass{'es' * (passes != 1)}" for passes in range(rules.limit + 1))
    return (
        Table(
            f"Touch{when}",
            by_passes,
            (tuple(SIZES[size] for size in policy.touch),),
            "The size to touch, by passes in a row up to now; if none of it is left, the next smaller one.",
        ),
        Table(f"Take or pass{when}", ("size", "feel", *by_passes), tuple(rows)),
    )


def _in_words(match: TouchMarginProblem, policy: Touches) -> tuple[str, ...]:
    """The size to touch, and what is taken of each."""
    feels = match.rules.odds.feels
    taken = {
        name: [word for feel, word in enumerate(feels) if match.rules.limit and policy.takes(size, feel, 0)]
        for size, name in enumerate(SIZES)
    }
    told = [(f"a {name} piece", words) for name, words in taken.items()]
    if len({tuple(words) for words in taken.values()}) == 1:
        told = [("a piece", told[0][1])]
    takes = (
        f"Take {what} that sits {' or '.join(words)}." if words else f"Pass {what} if you may." for what, words in told
    )
    return (
        f"Touch a {SIZES[policy.touch[0]]} piece; if none is left, one of the next smaller size.",
        *takes,
        "Pass on all others, if you may.",
    )
