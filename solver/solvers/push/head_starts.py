"""The chances to win a race of two players, for every head start that one of them can have.

One solve is enough. A head start of h points is the position in which its player has h points. So the race is solved
for all scores of both players, and the chances are read at the scores (h, 0) and (0, h). Races in which rules may
differ by seat are solved by ``unlike_race``, all others by the equations of players who are alike (``race_problems``).

Start reading at ``solve_head_starts``.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...play.push import PushGame
from ...turns.push_turn import Doubles
from ...util.progress_reporting import ProgressCallback
from ..model import Ints
from ..problem import ValueTable
from ..solve_costs import check_cost
from .race_problems import PushWinProblem
from .states import States
from .unlike_race import UnlikeRaceProblem, estimate_race_cost, solve_unlike_race


class HeadStartChances(NamedTuple):
    """The chances of the player who begins, by the head start of one player.

    Attributes:
        head_starts: for each seat, its head starts in points, ascending from 0.
        chances: for each seat, the chance of the first seat with each head start of this seat.
        error_bound: the largest possible error of a chance.
    """

    head_starts: tuple[Ints, Ints]
    chances: tuple[Doubles, Doubles]
    error_bound: float


class _HeadStartStates(States):
    """The states of a player who may begin with any head start.

    With an exact finish, a head start from which the player could come to a dead score is left out: one from which the
    target may be out of reach for ever.

    Attributes:
        rules: the rules of the player.
        target: the score that ends the race, in units.
        is_exact: whether the target must be reached exactly.
        scores: (scores,), the scores that can occur with any allowed head start.
    """

    @cached_property
    def scores(self) -> Ints:
        """Scores below the target that can occur with any allowed head start, in units, ascending."""
        if not self.is_exact:  # no score is dead, so every head start is allowed
            return np.arange(self.lowest_score, self.target)
        every_score = _EveryScore(self.rules)
        dead = set(every_score.dead_scores)  # scores from which the target can never be reached
        scores = set[int]()
        for head_start in range(self.target):
            # All scores that can occur with this head start, or with none: ``States`` always has those that follow from
            # 0 too. If a dead score follows from 0, no head start is left, and the race is refused anyway.
            scores_from_start = States(self.rules, head_starts=[head_start * self.rules.grain]).scores.tolist()
            if dead.isdisjoint(scores_from_start):
                scores.update(scores_from_start)
        return np.array(sorted(scores), dtype=np.int64)


class _EveryScore(States):
    """The states of a player who may have any score."""

    @cached_property
    def scores(self) -> Ints:
        """All scores below the target, in units."""
        return np.arange(self.lowest_score, self.target)


class _AnyHeadStartProblem(PushWinProblem):
    """A race of two players who are alike, with the states of all head starts."""

    def __init__(self, playable: PushGame) -> None:
        """Set up the problem; the head starts of the rules do not count.

        Args:
            playable: the game as it is played.
        """
        super().__init__(playable)
        self.states = _HeadStartStates(self.rules)


def solve_head_starts(
    problem: UnlikeRaceProblem | PushWinProblem,
    *,
    threads: int = 1,
    anyway: bool = False,
    progress: ProgressCallback = lambda share: None,
) -> HeadStartChances:
    """Solve a race of two players for all head starts of either player; only one of them has a head start.

    Args:
        problem: the race. The head starts of its own rules do not count.
        threads: the number of threads; it does not change the result.
        anyway: solve the race even if that takes more than an hour or 8 GiB.
        progress: called with the fraction of the work that is done.

    Raises:
        TooMuchError: the solve costs too much.
        SolveError: the values did not settle, or the error bound is too large.
    """
    if isinstance(problem, PushWinProblem):
        return _solve_alike(_AnyHeadStartProblem(problem.playable), threads, anyway, progress)
    first, second = (_HeadStartStates(states.rules) for states in problem.states)
    check_cost(f"solving {problem.game.title}", estimate_race_cost((first, second), threads), anyway)
    # (first's scores, second's scores): the chance of the first player, who begins, at these scores.
    (first_moves, _), error_bound = solve_unlike_race((first, second), threads=threads, progress=progress)
    # A head start is a score that its player has at the beginning, while the other one has 0.
    chances_if_first_has = first_moves[:, 0]
    chances_if_second_has = first_moves[0]
    return HeadStartChances(
        head_starts=(first.scores * first.rules.grain, second.scores * second.rules.grain),
        chances=(chances_if_first_has, chances_if_second_has),
        error_bound=error_bound,
    )


def _solve_alike(
    problem: _AnyHeadStartProblem, threads: int, anyway: bool, progress: ProgressCallback
) -> HeadStartChances:
    """Solve a race of players who are alike for all head starts of either player; see ``solve_head_starts``."""
    check_cost(f"solving {problem.game.title}", problem.estimate_cost(threads), anyway)
    value_table = problem.solve(threads, progress)
    points: Ints = problem.scores[problem.scores >= 0]
    first_has, second_has = (
        np.array([_first_chance(problem, value_table, scores) for scores in pairs])
        for pairs in ([(score, 0) for score in points.tolist()], [(0, score) for score in points.tolist()])
    )
    return HeadStartChances((points, points), (first_has, second_has), value_table.error_bound)


def _first_chance(problem: PushWinProblem, value_table: ValueTable, scores: tuple[int, int]) -> float:
    """Return the chance of the player who begins with these scores, in points."""
    return problem.start_values(value_table, problem.playable.turn_start(scores, seat=0, turns_left=0))[0]
