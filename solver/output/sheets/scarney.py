"""The sheet of a Scarney frame: from how many points to stop, by live dice, and when to double down."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...games.scarney import DICE
from ...policies.levels import PAGE, at_level
from ...policies.levels.scarney import judged
from ...solvers import Problem
from ...solvers.scarney.points import ScarneyPointsProblem
from ...solvers.scarney.problem import ScarneyProblem
from ...solvers.scarney.win import ScarneyWinProblem
from ...util.errors import InputError
from . import Sheet, Table, costs, facts, proof

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(match: Problem[Any], level: int | None) -> None:
    """Refuse what is not about the points of a frame, and where no level is asked for the win too."""
    if not isinstance(match, ScarneyPointsProblem) and (level is None or not isinstance(match, ScarneyWinProblem)):
        raise InputError(f"Scarney's sheet is made for points, not for {match.objective}: --objective points")


def make(solution: SolvedProblem, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet, of what brings the most points in a frame."""
    level = level or PAGE
    match = solution.problem
    assert isinstance(match, ScarneyProblem)
    found = at_level(solution.game, level, match.objective)
    policy = found.policy
    every = range(DICE, 0, -1)
    rows = [
        (str(live), str(policy.by_live[live - 1]), f"{100 * (3**live - 2**live) / 3**live:.1f} %") for live in every
    ]
    doubles = [str(live) for live in every if match.rules.double and policy.double[live - 1]]
    which = "" if len(doubles) == DICE else f" with live dice {', '.join(doubles)}, throw plainly with others"
    nothing = f"Holding nothing: {f'double down{which}' if doubles else 'throw plainly'}."
    lines = ["Holding points: stop from those told below; with fewer, hit with the live dice.", nothing]
    if level == 1:
        lines = [f"Holding points: stop from {rows[0][1]} on; with fewer, hit with the live dice.", nothing]
    elif level == 2:
        limits = ", ".join(f"{live}: {limit}" for live, limit, _ in rows)
        lines = [f"Holding points: stop, by live dice, from {limits}; with fewer, hit with the live dice.", nothing]
    elif policy.chases:
        lines.append("Shooting last of two in the last frame or an extra one: hit until you are ahead, then stop.")
    lost = judged(match, solution.value_table, policy)
    each = " a frame" if match.objective == "points" else ""
    told = [*costs(lost, match.objective, each=each), *(proof(found) if level < PAGE else ())]
    if each:
        told.append(
            "In a match the lead counts too: ahead stop sooner, behind later; keepwise advise scarney tells how much."
        )
    table = Table("By live dice", ("live dice", "stop from", "a throw shows a dead die"), tuple(rows))
    shown = (table,) if level >= PAGE else ()
    return Sheet("Straight Scarney: a sheet to play by", facts(solution, lost), tuple(lines), shown, tuple(told))
