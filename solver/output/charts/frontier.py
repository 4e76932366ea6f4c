"""What strategies cost that a person can carry in the head, by how many numbers they take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...policies.evaluate import plan_family_evaluation
from ...policies.levels import LEVELS, numbers, same_as
from ...policies.registry import read_policy
from ...solvers import Problem
from ...solving.solved_problem import SolvedProblem
from . import Chart
from .kinds import Asked, Kind, Progress, unit


def check(match: Problem[Any], asked: Asked) -> None:
    """Refuse questions whose policies are not evaluated, and policies that the game does not have."""
    for policy in ("sheet:1", *beside(asked)):
        plan_family_evaluation(match, read_policy(match.playable, policy))


def beside(asked: Asked) -> list[str]:
    """Policies to be drawn beside: ``hold:300,hold:3=400,2=300``."""
    return re.split(r",(?=[a-z])", asked.vary) if asked.vary else []


def _draw(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    """Each sheet once, and the policies beside."""
    match, found = solution.problem, list[tuple[int, str, float]]()
    levels = range(1, len(LEVELS) + 1)
    told = [f"sheet:{level}" for level in levels if same_as(match.game, level, match.objective) == level]
    policies = [*told, *beside(asked)]
    for done, text in enumerate(policies, 1):
        policy = read_policy(match.playable, text)
        count = numbers(match.game, policy) if text in told else 1
        loss = plan_family_evaluation(match, policy).run(solution.value_table).loss
        found.append((count, text.replace(":", " "), loss))
        progress(done / len(policies))
    return chart(solution, found)


def chart(solution: SolvedProblem, found: Sequence[tuple[int, str, float]]) -> Chart:
    """A bar for each strategy: how many numbers it takes, in words, and what it loses against the best."""
    rows = sorted(found, key=lambda row: row[0])
    most = max(count for count, _, _ in rows)
    return Chart(
        "what strategies of so many numbers lose",
        "bars",
        "strategy",
        f"lost: {unit(solution)}",
        unit(solution),
        labels=tuple(f"{count:>{len(str(most))}} {words}" for count, words, _ in rows),
        series={"lost": tuple(loss for _, _, loss in rows)},
    )


FRONTIER = Kind(check, _draw)
