"""The same of push-your-luck games: limits, dice that are kept, and how many are rolled, in words."""

from __future__ import annotations

from collections.abc import Iterator

from ...games.push_rules import PushRules
from ...policies.levels.push import frontier
from ...policies.push_evaluation import evaluate_hold
from ...policies.push_policies import Banded, Hold, Rolls, read_hold
from ...solvers.push.points import PushPointsProblem
from ...solvers.push.problem import PushProblem
from ...solving.solved_problem import SolvedProblem
from ..sheets.push import keeps
from . import Chart
from .frontier import beside, chart, check
from .kinds import Asked, Kind, Progress

Policy = Hold | Rolls | Banded


def _draw(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    """A bar for each strategy: what it loses against the best; for points after the first bank."""
    match = solution.problem
    assert isinstance(match, PushProblem)
    policies = [*_told(match.rules, frontier(solution.game, match.objective))]
    for text in beside(asked):
        named = read_hold(match.rules, text)
        policies.append((len(set(named.by_dice.values())) if isinstance(named, Hold) else 1, text, named))
    score = match.listed_scores()[-1] * match.rules.grain if isinstance(match, PushPointsProblem) else None
    found = []
    for done, (count, words, policy) in enumerate(policies, 1):
        found.append((count, words, evaluate_hold(match, solution.value_table, policy, score).loss))
        progress(done / len(policies))
    return chart(solution, found)


def _told(rules: PushRules, policies: Iterator[tuple[int, Policy]]) -> Iterator[tuple[int, str, Policy]]:
    """Each in words: what it has more than the one before."""
    told: set[tuple[str, ...]] = set()
    for count, policy in policies:
        if isinstance(policy, Banded):
            yield count, "by both scores too" if len(policy.others) > 1 else "by your score", policy
            continue
        if isinstance(policy, Rolls):
            yield count, f"roll {policy.dice} dice", policy
            continue
        rows = [row for row in keeps(rules, policy) if row not in told]
        told.update(rows)
        if count == 1:
            words = f"{_what(rules)} {max(policy.by_dice.values()):,}"
        elif not rows:
            words = "set aside by dice thrown" if rules.never_stops else "bank by dice left"
        elif len(rows) > 1:
            words = f"also keep less of {len(rows)} kinds of throws"
        else:
            words = f"also of {rows[0][0]}, {rows[0][1]}, keep {rows[0][2]}"
        yield count, words, policy


def _what(rules: PushRules) -> str:
    """What the one number of a strategy decides."""
    if not rules.never_stops:
        return "bank from"
    return "set aside from" if rules.best == "highest" else "set aside up to"


FRONTIER = Kind(check, _draw)
