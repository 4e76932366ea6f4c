"""The sheet of Booby Trap: which size to touch, what to take, by feel and passes; judged on the whole board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

from ..answers.board import Board, boards, evaluate_touches
from ..answers.policies import Touches
from ..errors import InputError
from ..games.touchodds import SIZES
from ..matches import Match
from ..matches.touch.board import Margin
from . import Sheet, Table, facts

if TYPE_CHECKING:
    from ..solution import Solution

MOST_PIECES = 70  # the judgement is a plain loop over the board


def check(match: Match[Any]) -> None:
    """Refuse what is not about the margin, and boards too large to judge."""
    if not isinstance(match, Margin):
        raise InputError(f"Booby Trap's sheet is made for the margin, not for {match.objective}: --objective margin")
    if sum(match.rules.board) > MOST_PIECES:
        raise InputError(f"a sheet is judged on boards of at most {MOST_PIECES} pieces")


def make(solution: Solution, progress: Callable[[float], None]) -> Sheet:
    """Return the sheet, for the margin: there the lead does not matter."""
    match = solution.match
    assert isinstance(match, Margin)
    rules, best = match.rules, list(boards(match, solution.solved))
    policy = usual(best, rules.limit)
    found = evaluate_touches(match, solution.solved, best, policy)
    rows = []
    for size, name in enumerate(SIZES):
        for feel, word in enumerate(rules.odds.feels):
            told = ("take" if policy.takes(size, feel, passes) else "pass" for passes in range(rules.limit))
            rows.append((name, word, *told, "must take"))
    columns = ("size", "feel", *(f"{passes} passes" for passes in range(rules.limit + 1)))
    tables = (
        Table(
            "Touch",
            tuple(f"{passes} passes" for passes in range(rules.limit + 1)),
            (tuple(SIZES[size] for size in policy.touch),),
            "The size to touch, by passes in a row up to now; if none of it is left, the next smaller one.",
        ),
        Table("Take or pass", columns, tuple(rows)),
    )
    cost = (
        f"Playing by this sheet, first, against a perfect player: {found.value:+.3f} points of margin; perfectly"
        f" {found.optimal:+.3f}. The sheet costs {found.loss:.3f} points.",
    )
    lines = ("Passes are those in a row up to now, your own and the other player's.",)
    return Sheet("Booby Trap: a sheet to play by", facts(solution, found), lines, tables, cost)


def usual(best: Iterable[Board], limit: int) -> Touches:
    """What is best on most boards: the size to touch by passes (where all sizes are left), and whether to take."""
    touches = [Counter[int]() for _ in range(limit + 1)]
    votes: Counter[tuple[int, int, int]] = Counter()
    for board in best:
        if min(board.left) > 0:
            for passes, counter in enumerate(touches):
                counter[board.size(passes)] += 1
        for (size, feel), passes in product(board.take, board.leave):
            votes[size, feel, passes] += 1 if board.takes(size, feel, passes) else -1
    take = frozenset(place for place, most in votes.items() if most > 0)
    return Touches(tuple(count.most_common(1)[0][0] if count else 2 for count in touches), take)
