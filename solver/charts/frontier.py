"""What strategies cost that a person can carry in the head, by how many numbers they take."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..answers.evaluation import check_hold, evaluate_hold
from ..answers.levels.push import frontier
from ..answers.policies import Banded, Hold, read_hold
from ..ground.errors import InputError
from ..matches import Match
from ..matches.push.match import PushMatch
from ..matches.push.points import Points
from ..sheets import facts
from ..sheets.push import keeps
from ..solving.known import Known
from . import Chart


def check(match: Match[Any], named: str | None) -> None:
    """Refuse what is no push-your-luck game with limits, and policies that it does not have."""
    if not isinstance(match, PushMatch):
        raise InputError("the chart frontier is drawn for push-your-luck games")
    check_hold(match)
    _named(match, named)


def _named(match: PushMatch, named: str | None) -> dict[str, Hold]:
    """Policies to be drawn beside: ``hold:300,hold:3=400,2=300``."""
    told = re.split(r",(?=[a-z])", named) if named else []
    return {text: read_hold(match.rules, text) for text in told}


def draw(solution: Known, named: str | None, unit: str, progress: Callable[[float], None]) -> Chart:
    """A bar for each strategy: what it loses against the best; for points after the first bank."""
    match = solution.match
    assert isinstance(match, PushMatch)
    policies: list[tuple[int, str, Hold | Banded]] = []
    told: set[tuple[str, ...]] = set()
    for count, policy in frontier(solution.game, match.objective):
        if isinstance(policy, Banded):
            policies.append((count, "by both scores too", policy))
            continue
        rows = [row for row in keeps(match.rules, policy) if row not in told]
        told.update(rows)
        if count == 1:
            words = f"bank from {max(policy.by_dice.values()):,}"
        elif not rows:
            words = "bank by dice left"
        elif len(rows) > 1:
            words = f"also keep less of {len(rows)} kinds of throws"
        else:
            words = f"also of {rows[0][0]}, {rows[0][1]}, keep {rows[0][2]}"
        policies.append((count, words, policy))
    policies += [(len(set(one.by_dice.values())), text, one) for text, one in _named(match, named).items()]
    policies.sort(key=lambda row: row[0])
    score = match.listed()[-1] * match.rules.grain if isinstance(match, Points) else None
    losses = []
    for done, (_, _, policy) in enumerate(policies, 1):
        losses.append(evaluate_hold(match, solution.solved, policy, score).loss)
        progress(done / len(policies))
    most = max(count for count, _, _ in policies)
    return Chart(
        f"{solution.game.title}: what strategies of so many numbers lose",
        " ".join(facts(solution)),
        "bars",
        "strategy",
        f"lost: {unit}",
        unit,
        labels=tuple(f"{count:>{len(str(most))}} {words}" for count, words, _ in policies),
        series={"lost": tuple(losses)},
    )
