"""Levels of Booby Trap, for the margin.

    1  the size to touch, and how a piece must sit to be taken;
    2  the size of level 1, and how a piece of each size must sit;
    3  a page of the choices that are best on most boards, by passes (``usual``);
    4  two such pages: for many pieces left, and for few.

All strategies of level 1 are tried, and all of level 2 that touch the size of level 1. For level 4 some numbers of
pieces are tried as the border between the two pages.
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
from ..touch_evaluation import TouchBoard, TouchPolicy, evaluate_touches, list_boards
from . import Level, best_of
from . import at_level as find

MAX_PIECES = 70  # of a board on which policies are evaluated, by a plain loop
BORDERS = (3, 4, 6, 8, 12, 16, 24)  # numbers of pieces that count as few, of which the best is taken


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the strategy of a level for the margin, for which the lead does not matter."""
    return _search(game).level(level, progress)


@lru_cache(maxsize=1)
def _search(game: Game) -> _BoardSearch:
    problem = ask(game, "margin")
    check(problem)
    assert isinstance(problem, TouchMarginProblem)
    return _BoardSearch(game, problem)


class _BoardSearch:
    """The search for strategies of all levels; the boards of optimal play are listed once."""

    def __init__(self, game: Game, problem: TouchMarginProblem) -> None:
        self.game, self.problem, self.limit = game, problem, problem.rules.max_passes
        self.value_table = problem.solve(1, lambda share: None)
        with progress_reporting.start_progress("listing the positions of Booby Trap") as progress:
            self.best = list(list_boards(problem, self.value_table, progress))
        self.feels = range(len(problem.rules.odds.feels) + 1)

    def level(self, level: int, progress: ProgressCallback) -> Level:
        """Return the strategy of a level."""
        if level == 1:
            sizes_and_feels = product(range(len(SIZES)), self.feels)
            policies = [_by_feel(size, (feel,) * len(SIZES), self.limit) for size, feel in sizes_and_feels]
            return self._best_of(policies, progress)
        if level == 2:
            size = find(self.game, 1, "margin").policy.touch[0]
            feels_by_size = product(self.feels, repeat=len(SIZES))
            return self._best_of([_by_feel(size, feels, self.limit) for feels in feels_by_size], progress)
        page = most_common_policy(self.best, self.limit)
        pages = [page, *map(self._two_pages, BORDERS)] if level == 4 else [page]
        return replace(self._best_of(pages, progress), upper_bound=None)

    def _two_pages(self, few: int) -> TouchPolicy:
        """Return a policy with one page for more than ``few`` pieces left, and one for the rest."""
        early, late = (
            most_common_policy([board for board in self.best if (sum(board.left) <= few) == is_late], self.limit)
            for is_late in (False, True)
        )
        return TouchPolicy(early.touch, early.take, few, late)

    def _best_of(self, policies: Sequence[TouchPolicy], progress: ProgressCallback) -> Level:
        """Return the best of some policies."""

        def margin(policy: TouchPolicy) -> float:
            return evaluate_touches(self.problem, self.value_table, self.best, policy).value

        return best_of(((policy, margin(policy)) for policy in report_each(policies, progress)), "the margin")


def _by_feel(size: int, first_passed_feels: tuple[int, ...], limit: int) -> TouchPolicy:
    """Return the policy that touches one size, and takes pieces that sit better than a feel, whoever passed before.

    Args:
        size: the size to touch.
        first_passed_feels: by size, the best feel at which the policy passes.
        limit: the most passes in a row.
    """
    take = (
        (taken_size, feel, passes)
        for taken_size, first_passed in enumerate(first_passed_feels)
        for feel in range(first_passed)
        for passes in range(limit)
    )
    return TouchPolicy((size,) * (limit + 1), frozenset(take))


def most_common_policy(best: Iterable[TouchBoard], limit: int) -> TouchPolicy:
    """Return the policy of the choices that are best on most boards.

    The size to touch is counted on boards with all sizes left, by passes in a row.

    Args:
        best: the boards of optimal play.
        limit: the most passes in a row.
    """
    size_counts = [Counter[int]() for _ in range(limit + 1)]
    votes_to_take: Counter[tuple[int, int, int]] = Counter()
    for board in best:
        if min(board.left) > 0:
            for passes, counter in enumerate(size_counts):
                counter[board.size[passes]] += 1
        for (size, feel), passes in product(board.take, board.leave):
            votes_to_take[size, feel, passes] += 1 if board.takes(size, feel, passes) else -1
    take = frozenset(piece for piece, votes in votes_to_take.items() if votes > 0)
    smallest_size = len(SIZES) - 1
    touch = tuple(counter.most_common(1)[0][0] if counter else smallest_size for counter in size_counts)
    return TouchPolicy(touch, take)


def numbers(policy: TouchPolicy) -> int:
    """Return how many numbers to remember: sizes to touch, and feels to take by each number of passes that matters."""
    taken_by_passes = {
        passes: frozenset((size, feel) for size, feel, other_passes in policy.take if other_passes == passes)
        for _, _, passes in policy.take
    }
    feel_counts = [len({feel for _, feel in take_pairs}) for take_pairs in set(taken_by_passes.values())]
    late_count = numbers(policy.late) + 1 if policy.late else 0
    return len(set(policy.touch)) + sum(feel_counts) + late_count


def check(problem: Problem[Any]) -> None:
    """Raise InputError unless the problem is the margin of two on a board that is not too large."""
    if not isinstance(problem, TouchMarginProblem) or problem.players > 2:
        raise InputError("policies of Booby Trap can only be evaluated for the objective margin with 2 players")
    if sum(problem.rules.board) > MAX_PIECES:
        raise InputError(f"sheets can only be evaluated on boards of at most {MAX_PIECES} pieces")


def evaluate(problem: Problem[Any], value_table: ValueTable, policy: TouchPolicy) -> Evaluation:
    """Return the evaluation of a policy that moves first."""
    assert isinstance(problem, TouchMarginProblem)
    search = _search(problem.game)
    if np.array_equal(search.value_table.arrays["after"], value_table.arrays["after"]):  # these boards are listed
        return evaluate_touches(problem, value_table, search.best, policy)
    return evaluate_touches(problem, value_table, list_boards(problem, value_table), policy)
