"""Levels of Booby Trap, for the margin.

    1  the size to touch, and how a piece must sit to be taken;
    2  the same size, and how a piece of each size must sit;
    3  the page of what is best on most boards, by passes (``usual``);
    4  two of these pages: for many pieces left, and for few.

All of *level 1* are tried, and of *level 2* all that touch the size of level 1. Where the pages of *level 4* change is
the best of some numbers of pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from ...games import Game
from ...games.touch_odds import SIZES
from ...solvers import Problem, ValueTable
from ...solvers import make_problem as ask
from ...solvers.touch.problem import TouchMarginProblem
from ...util import progress_reporting
from ...util.errors import InputError
from ...util.progress_reporting import ProgressCallback, report_each
from ..evaluation import Evaluation
from ..touch_evaluation import Board, Touches, boards, evaluate_touches
from . import Level, best_of
from . import at_level as find

MOST_PIECES = 70  # the judgement is a plain loop over the board
FEW = (3, 4, 6, 8, 12, 16, 24)


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Found for the margin, where the lead does not matter."""
    return _search(game).level(level, progress)


@lru_cache(maxsize=1)
def _search(game: Game) -> _Search:
    match = ask(game, "margin")
    check(match)
    assert isinstance(match, TouchMarginProblem)
    return _Search(game, match)


class _Search:
    def __init__(self, game: Game, match: TouchMarginProblem) -> None:
        self.game, self.match, self.limit = game, match, match.rules.limit
        self.solved = match.solve(1, lambda done: None)
        with progress_reporting.start_progress("looking at every board") as progress:
            self.best = list(boards(match, self.solved, progress))
        self.feels = range(len(match.rules.odds.feels) + 1)

    def level(self, level: int, progress: ProgressCallback) -> Level:
        """The strategy of a level."""
        if level == 1:
            ways = product(range(len(SIZES)), self.feels)
            return self._tried([_sitting(size, (worst,) * len(SIZES), self.limit) for size, worst in ways], progress)
        if level == 2:
            size = find(self.game, 1, "margin").policy.touch[0]
            worst = product(self.feels, repeat=len(SIZES))
            return self._tried([_sitting(size, feels, self.limit) for feels in worst], progress)
        page = usual(self.best, self.limit)
        pages = [page, *map(self._two, FEW)] if level == 4 else [page]
        return replace(self._tried(pages, progress), most=None)

    def _two(self, few: int) -> Touches:
        """A page for more pieces left than so many, and one for the rest."""
        early, late = (
            usual([board for board in self.best if (sum(board.left) <= few) == late], self.limit)
            for late in (False, True)
        )
        return Touches(early.touch, early.take, few, late)

    def _tried(self, policies: Sequence[Touches], progress: ProgressCallback) -> Level:
        def brings(policy: Touches) -> float:
            return evaluate_touches(self.match, self.solved, self.best, policy).value

        return best_of(((policy, brings(policy)) for policy in report_each(policies, progress)), "the margin")


def _sitting(size: int, worst: tuple[int, ...], limit: int) -> Touches:
    """Touches one size, and takes what sits better than the feel of its size, whoever passed before."""
    take = ((one, feel, passes) for one, most in enumerate(worst) for feel in range(most) for passes in range(limit))
    return Touches((size,) * (limit + 1), frozenset(take))


def usual(best: Iterable[Board], limit: int) -> Touches:
    """What is best on most boards: the size to touch by passes (where all sizes are left), and whether to take."""
    touches = [Counter[int]() for _ in range(limit + 1)]
    votes: Counter[tuple[int, int, int]] = Counter()
    for board in best:
        if min(board.left) > 0:
            for passes, counter in enumerate(touches):
                counter[board.size[passes]] += 1
        for (size, feel), passes in product(board.take, board.leave):
            votes[size, feel, passes] += 1 if board.takes(size, feel, passes) else -1
    take = frozenset(place for place, most in votes.items() if most > 0)
    return Touches(tuple(count.most_common(1)[0][0] if count else 2 for count in touches), take)


def numbers(policy: Touches) -> int:
    """How many it takes: the size to touch and how each piece must sit, after each number of passes that matters."""
    passes = {number: frozenset(one[:2] for one in policy.take if one[2] == number) for _, _, number in policy.take}
    feels = [len({feel for size, feel in takes}) for takes in set(passes.values())]
    return len(set(policy.touch)) + sum(feels) + (numbers(policy.late) + 1 if policy.late else 0)


def check(match: Problem[Any]) -> None:
    """The margin of two, on a board that is not too large."""
    if not isinstance(match, TouchMarginProblem) or match.players > 2:
        raise InputError("policies of Booby Trap are evaluated for the margin of two")
    if sum(match.rules.board) > MOST_PIECES:
        raise InputError(f"a sheet is judged on boards of at most {MOST_PIECES} pieces")


def judged(match: Problem[Any], solved: ValueTable, policy: Touches) -> Evaluation:
    """The margin of who moves first and plays so."""
    assert isinstance(match, TouchMarginProblem)
    search = _search(match.game)
    if np.array_equal(search.solved.arrays["after"], solved.arrays["after"]):  # looked at already
        return evaluate_touches(match, solved, search.best, policy)
    return evaluate_touches(match, solved, boards(match, solved), policy)
