"""The sheet of a push-your-luck game: from how many points to bank, by dice left, and what to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..advice import cost, worth
from ..core.push import LANES
from ..errors import InputError
from ..games.pushluck import Counts, PushRules
from ..games.pushposition import show
from ..matches import match as make_match
from ..matches.evaluation import evaluate_push, read_policy
from ..matches.pushmatch import Lane
from ..matches.solo import Points
from ..policy import HoldPolicy
from ..turns.push import Choice, Decisions, Doubles
from . import Sheet, Table, facts

if TYPE_CHECKING:
    from ..solution import Solution

MOST_IMPROVEMENTS = 20
GRID = 6  # scores to a side of the table of limits by both scores


def make(solution: Solution, progress: Callable[[float], None]) -> Sheet:
    """Return the sheet: that of the most points for a turn, judged for the objective asked."""
    match: Any = solution.match
    game, rules = solution.game, solution.game.data
    if match.objective not in ("points", "turns", "win"):
        raise InputError(f"a sheet is made for points, turns or win, not for {match.objective}")
    points: Any = match if isinstance(match, Points) else make_match(game, "points")
    lane = points._lane(True, 0)
    policy = best_sheet(points, lane)
    told = keeps(points.rules, policy)
    lines = [
        "Set aside every die that scores, for the most points"
        + (", except as told below." if told else "; that is as good as anything."),
        "Bank from the points in hand told below, or with enough to win; else throw the dice that are left.",
    ]
    tables = [_limits_table(rules, points.rules, policy)]
    if told:
        tables.append(Table("Keep less than all that scores", ("dice thrown", "they show", "keep", "throw"), told))
    if match.objective == "win":
        tables += _by_scores(solution)
    return Sheet(
        f"{game.title}: a sheet to play by",
        facts(solution),
        tuple(lines),
        tuple(tables),
        _costs(solution, policy, progress),
    )


def decisions(rules: PushRules, lane: Lane) -> Decisions:
    """The best decisions of a turn (rows, modes + classes)."""
    endings = np.concatenate(([lane.bust, lane.win, lane.wipe], lane.banks))
    payoff = np.repeat(endings[None, :, None], LANES, axis=2)
    solved = rules.turn.solve(payoff, np.full(LANES, lane.cap, dtype=np.int32), decisions=True)
    assert solved.decisions is not None
    return solved.decisions[:, :, 0]


def read_limits(rules: PushRules, decided: Decisions, cap: int) -> dict[int, int]:
    """The fewest points from which banking is always best, by dice left, among points that can be in hand."""
    held = rules.turn.reachable(cap)
    by_dice: dict[int, int] = {}
    for dice in range(rules.dice, 0, -1):
        mode = rules.mode(dice)
        limit = cap
        for unit in (unit for unit in range(cap - 1, 0, -1) if held[mode] >> unit & 1):
            if decided[unit, mode] != 0:
                break
            limit = unit
        by_dice[dice] = limit * rules.grain
    return by_dice


def best_sheet(points: Points, lane: Lane) -> HoldPolicy:
    """The policy of limits by dice left, and of one set to keep from each kind of throw, that brings the most points.

    It is improved as policies are: with the values and visits of the last one, every limit and every kept set becomes
    the best for all points in hand together; while that brings more.
    """
    rules = points.rules
    decided = decisions(rules, lane)
    policy = HoldPolicy(read_limits(rules, decided, lane.cap))
    value, better = _improve(rules, lane, policy)
    for _ in range(MOST_IMPROVEMENTS):
        gained, following = _improve(rules, lane, better)
        if gained <= value:
            break
        policy, value, better = better, gained, following
    return policy


def _improve(rules: PushRules, lane: Lane, policy: HoldPolicy) -> tuple[float, HoldPolicy]:
    """The policy's points, and the policy that is better for its visits and values."""
    turn, rows = rules.turn, rules.turn.rows(lane.cap)
    least = int(np.argmax(lane.banks > 0))
    nodes = policy.decisions(rules, rows, lane.cap, least, rows)
    endings = np.concatenate(([lane.bust, lane.win, lane.wipe], lane.banks))
    payoff = np.repeat(endings[None, :, None], LANES, axis=2)
    cap = np.full(LANES, lane.cap, dtype=np.int32)
    solved = turn.solve(payoff, cap, inner=True, follow=np.repeat(nodes, LANES, axis=2))
    assert solved.inner is not None
    inner = solved.inner[0, :, :, 0]
    visits = np.zeros((len(turn.modes), rows))
    seen = np.zeros((turn.classes, rows))
    visits[turn.start, 0] = 1
    rolled = np.zeros_like(visits)
    for unit in range(lane.cap):
        for number, (first, mode) in enumerate(zip(_first_classes(rules), turn.modes, strict=True)):
            if not mode.throws:
                continue
            classes = mode.throws[0].classes
            total = sum(weight for _, weight in classes)
            goes_on = nodes[unit, number, 0] != 0
            for place, (offered, weight) in enumerate(classes, first):
                chosen = offered[max(0, int(nodes[unit, len(turn.modes) + place, 0]))]
                if chosen.next < 0:
                    continue
                after = min(unit + chosen.add, lane.cap)
                rolled[number, unit] += weight / total * inner[chosen.next, after]
                if goes_on and visits[number, unit]:
                    share = visits[number, unit] * weight / total
                    seen[place, unit] += share
                    visits[chosen.next, after] += share
    worths: dict[tuple[Choice, ...], Doubles] = {}  # the same throw in several modes is decided once
    for first, mode in zip(_first_classes(rules), turn.modes, strict=True):
        for place, (offered, _) in enumerate(mode.throws[0].classes if mode.throws else (), first):
            if len(offered) > 1 and seen[place].any():
                at = np.flatnonzero(seen[place])
                each = [seen[place, at] @ inner[c.next, np.minimum(at + c.add, lane.cap)] for c in offered]
                worths[offered] = worths.get(offered, 0.0) + np.array(each)
    keep = {
        offered: int(np.argmax(each))
        for offered, each in worths.items()
        if np.argmax(each) != np.argmax([choice.add for choice in offered])
    }
    by_dice = {}
    held = turn.reachable(lane.cap)
    for dice in range(1, rules.dice + 1):
        mode_number = rules.mode(dice)
        units = [unit for unit in range(1, lane.cap + 1) if held[mode_number] >> unit & 1]
        loses = [visits[mode_number, unit] * (lane.banks[unit] - rolled[mode_number, unit]) for unit in units]
        gains = np.concatenate((np.cumsum(loses[::-1])[::-1], [0.0]))  # of banking from the unit on
        by_dice[dice] = [*units, lane.cap][int(np.argmax(gains))] * rules.grain if gains.any() else policy.by_dice[dice]
    return float(solved.value[0, 0]), HoldPolicy(by_dice, keep)


def _first_classes(rules: PushRules) -> list[int]:
    """Number of the first class of every mode."""
    first, found = 0, []
    for mode in rules.turn.modes:
        found.append(first)
        first += sum(len(throw.classes) for throw in mode.throws)
    return found


def keeps(rules: PushRules, policy: HoldPolicy) -> tuple[tuple[str, ...], ...]:
    """The throws from which the policy keeps less than the most points, in words."""
    told: set[tuple[str, ...]] = set()
    for dice in range(1, rules.dice + 1):
        for roll, _ in rules.throws(dice):
            sets = [] if rules.special(roll) else rules.sets(roll)
            if sets and (offered := rules.choices(dice, roll)) in policy.keep:
                best = offered[policy.keep[offered]]
                kept = next(one for one in sets if _leads(rules, dice, one) == best)
                left = dice - sum(kept) or rules.dice
                shown = " ".join(show(rules, sets[0])) + _others(roll, sets[0])
                told.add((str(dice), shown, " ".join(show(rules, kept)), _dice(left)))
    return tuple(sorted(told, key=lambda row: (-int(row[0]), row)))


def _leads(rules: PushRules, dice: int, taken: Counts) -> Choice:
    return Choice(rules.after(dice, taken), rules.worth(taken) // rules.grain)


def _others(roll: Counts, taken: Counts) -> str:
    return " and others" if sum(roll) > sum(taken) else ""


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def _limits_table(rules: PushRules, points: PushRules, policy: HoldPolicy) -> Table:
    rows = []
    for dice in range(rules.dice, 0, -1):
        throw = points.turn.modes[points.mode(dice)].throws[0]
        held = points.turn.reachable(policy.by_dice[dice] // points.grain)[points.mode(dice)] > 1
        limit = f"{policy.by_dice[dice]:,}" if held else "-"
        rows.append((str(dice), limit, f"{100 * points.turn.bust_chance(throw):.1f} %"))
    return Table("Bank or roll", ("dice left", "bank from", "a throw busts"), tuple(rows))


def _by_scores(solution: Solution) -> list[Table]:
    """For two players: from how many points to bank, by both scores."""
    match: Any = solution.match
    rules, scores = match.ladder.rules, match.ladder.scores.tolist()
    if rules.finish == "last_round":
        return []
    some = [scores[round(place * (len(scores) - 1) / (GRID - 1))] for place in range(GRID)]
    dice = min(3, rules.dice)
    rows, shades = [], []
    for mine in some:
        ladder = match.ladder
        need = max(ladder.target - mine, int(ladder.counting_from[mine])) * rules.grain
        limits = []
        for theirs in some:
            position = match.read(score=mine * rules.grain, opponents=[theirs * rules.grain])
            lane = match._lane(solution.solved, position)
            limits.append(min(need, read_limits(rules, decisions(rules, lane), lane.cap)[dice]))
        cells = ("to the target" if limit >= need else f"{limit:,}" for limit in limits)
        rows.append((f"{mine * rules.grain:,}", *cells))
        shades.append(tuple(1.0 if limit >= need else limit / rules.target for limit in limits))
    columns = ("you \\ they", *(f"{one * rules.grain:,}" for one in some))
    heading = f"Against an opponent: bank from, with {_dice(dice)} left, by both scores"
    note = "The darker, the more to go for; keepwise chart regions draws all scores."
    return [Table(heading, columns, tuple(rows), note, tuple(shades))]


def _costs(solution: Solution, policy: HoldPolicy, progress: Callable[[float], None]) -> tuple[str, ...]:
    match = solution.match
    read_policy(match, "hold:0")
    found = evaluate_push(match, solution.solved, policy, None, progress)
    objective = match.objective
    lines = [
        f"Playing by this sheet: {worth(found.value, objective)}; perfectly: {worth(found.optimal, objective)}."
        f" The sheet costs {cost(found.loss, objective)} (exactly {found.loss:.3g}, within {found.error_bound:.1g})."
    ]
    if found.second:
        mine, best = found.second
        lines.append(f"Moving second: {worth(mine, objective)}; perfectly {worth(best, objective)}.")
    scores = solution.match.ladder.scores  # type: ignore[attr-defined]
    if objective == "points" and solution.game.data.opening > solution.game.data.minimum and len(scores) > 1:
        score = scores[1] * solution.game.data.grain
        later = evaluate_push(match, solution.solved, policy, score, progress)
        lines.append(f"After the first bank: {worth(later.value, objective)}, it costs {cost(later.loss, objective)}.")
    return tuple(lines)
