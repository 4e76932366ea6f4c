"""The sheet of Battleship: what to do with the crew dice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from ...play.choice_kinds import ChoiceKind, CrewChoice
from ...play.playable_game import Choice
from ...play.rounds import RoundsPosition
from ...policies.levels import PAGE, at_level
from ...policies.levels.rounds import Keeps, Page, judged
from ...policies.round_policies import check_rounds
from ...solvers import Problem
from ...util.errors import InputError
from ...util.number_format import format_count
from . import Sheet, Table, costs, facts, proof

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(match: Problem[Any], level: int | None) -> None:
    """Refuse a question whose sheet cannot be judged."""
    if match.objective not in ("points", "win"):
        raise InputError(f"a sheet is made for points or win, not for {match.objective}")
    check_rounds(match)


def make(solution: SolvedProblem, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet."""
    level = level or PAGE
    match = solution.problem
    found = at_level(solution.game, level, match.objective)
    policy = found.policy
    lines = ["Set aside a 6, then a 5, then a 4, as soon as they show in that order; cast the other dice again."]
    tables: tuple[Table, ...] = ()
    if isinstance(policy, Page):
        lines.append("With the three, decide on the crew dice as told below; after the third cast everything stands.")
        rows = [
            (
                f"{high} {low}",
                *(_crew_decision(policy.told[left, high, low]) for left in (2, 1)),
            )
            for high, low in combinations_with_replacement(range(6, 0, -1), 2)
        ]
        tables = (Table("The crew", ("crew dice", "two casts left", "one cast left"), tuple(rows), dice=(0,)),)
        if policy.missing:
            tables += (_last_turn(policy),)
    else:
        lines += _in_words(policy)
    lost = judged(match, solution.value_table, policy)
    told = (*costs(lost, match.objective), *(() if isinstance(policy, Page) else proof(found)))
    return Sheet("Battleship: a sheet to play by", facts(solution, lost), tuple(lines), tables, told)


def _crew_decision(choice: Choice[RoundsPosition]) -> str:
    """Return a choice about the crew dice in the words of the sheet."""
    assert isinstance(choice.data, CrewChoice)
    is_recast_of_both = choice.kind is ChoiceKind.ROLL and choice.data.recast is None
    return "recast both" if is_recast_of_both else choice.action


def _in_words(policy: Keeps) -> list[str]:
    """What one number, or two, tell to do."""
    several = len(set(policy.least)) > 1
    when = [f"with {casts} left " if several else "" for casts in ("two casts", "one cast")]
    if policy.together:
        told = [
            f"{when}settle with {format_count(least, 'point')} or more"
            for when, least in zip(when, policy.least, strict=True)
        ]
        rest = "with fewer recast both crew dice."
    else:
        told = [f"{when}keep each crew die from {least} up" for when, least in zip(when, policy.least, strict=True)]
        rest = "recast those below; with both kept settle."
    line = f"With the three, {'; '.join(told if several else told[:1])}; {rest}"
    return [line, "After the third cast everything stands."]


def _last_turn(policy: Page) -> Table:
    rows = [
        (str(missing), str(one.enough), *(str(least) for least in one.least)) for missing, one in policy.missing.items()
    ]
    settle = "settle from" if any(one.together for one in policy.missing.values()) else "keep each die from"
    return Table(
        "Casting last of two in the last round or a playoff, by the points that you are behind",
        ("behind by", "settle with", f"two casts left: {settle}", f"one cast left: {settle}"),
        tuple(rows),
        "7: keep none. Ahead as with 0, further behind as with 12.",
    )
