"""The sheet of a push-your-luck game: from how many points to bank, by dice left, and what to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answers.advice import cost, worth
from ..answers.evaluation import check_hold, evaluate_hold
from ..answers.limits import bank_from, best_decisions, fewest_to_win, read_limits
from ..answers.policies import Hold
from ..core.push import LANES
from ..errors import InputError
from ..games.pushluck import Counts, PushRules
from ..matches import Match
from ..matches import match as make_match
from ..matches.push.pushmatch import Lane, PushMatch
from ..matches.push.race import Race
from ..matches.push.solo import Points
from ..play.push import show
from ..turns.push import Choice, Doubles
from . import Sheet, Table, costs, facts

if TYPE_CHECKING:
    from ..solution import Solution

MOST_IMPROVEMENTS = 20
GRID = 6  # scores to a side of the table of limits by both scores


def check(match: Match[Any]) -> None:
    """Refuse a question whose sheet cannot be judged."""
    if match.objective not in ("points", "turns", "win"):
        raise InputError(f"a sheet is made for points, turns or win, not for {match.objective}")
    check_hold(match)


def make(solution: Solution, progress: Callable[[float], None]) -> Sheet:
    """Return the sheet: that of the most points for a turn, judged for the objective asked."""
    match, game = solution.match, solution.game
    assert isinstance(match, PushMatch)
    points = match if isinstance(match, Points) else make_match(game, "points")
    assert isinstance(points, Points)
    policy = best_sheet(points, points.turn_lane(True, 0))
    told = keeps(points.rules, policy)
    lines = [
        "Set aside every die that scores, for the most points"
        + (", except as told below." if told else "; that is as good as anything."),
        "Bank from the points in hand told below, or with enough to win; else throw the dice that are left.",
    ]
    tables = [_limits_table(points.rules, policy)]
    if told:
        tables.append(Table("Keep less than all that scores", ("dice thrown", "they show", "keep", "throw"), told))
    if isinstance(match, Race):
        tables.append(_by_scores(solution, match))
    return Sheet(
        f"{game.title}: a sheet to play by",
        facts(solution),
        tuple(lines),
        tuple(tables),
        _costs(solution, match, policy, progress),
    )


def best_sheet(points: Points, lane: Lane) -> Hold:
    """The policy of limits by dice left, and of one set to keep from each kind of throw, that brings the most points.

    It is improved as policies are: with the values and visits of the last one, every limit and every kept set becomes
    the best for all points in hand together; while that brings more.
    """
    rules = points.rules
    policy = Hold(read_limits(rules, best_decisions(rules.turn, lane), lane.cap))
    value, better = _improve(rules, lane, policy)
    for _ in range(MOST_IMPROVEMENTS):
        gained, following = _improve(rules, lane, better)
        if gained <= value:
            break
        policy, value, better = better, gained, following
    return policy


def _improve(rules: PushRules, lane: Lane, policy: Hold) -> tuple[float, Hold]:
    """The policy's points, and the policy that is better for its visits and values."""
    turn, rows = rules.turn, rules.turn.rows(lane.cap)
    least = int(np.argmax(lane.banks > 0))
    nodes = policy.decisions(rules, rows, lane.cap, least, rows)
    solved = turn.solve(lane.payoff, lane.caps, inner=True, follow=np.repeat(nodes, LANES, axis=2))
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
                after = min(chosen.held(unit), lane.cap)
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
                each = [(seen[place, at] * inner[c.next, np.clip(at + c.add, 0, lane.cap)]).sum() for c in offered]
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
    return float(solved.value[0, 0]), Hold(by_dice, keep)


def _first_classes(rules: PushRules) -> list[int]:
    """Number of the first class of every mode."""
    first, found = 0, []
    for mode in rules.turn.modes:
        found.append(first)
        first += sum(len(throw.classes) for throw in mode.throws)
    return found


def keeps(rules: PushRules, policy: Hold) -> tuple[tuple[str, ...], ...]:
    """The throws from which the policy keeps less than the most points, in words."""
    told: set[tuple[str, ...]] = set()
    for dice in range(1, rules.dice + 1):
        for roll, _ in rules.throws(dice):
            sets = [] if rules.special(roll) else rules.sets(roll)
            if sets and (offered := rules.choices(dice, roll)) in policy.keep:
                best = offered[policy.keep[offered]]
                kept = next(one for one in sets if rules.leads(dice, one) == best)
                left = dice - sum(kept) or rules.dice
                shown = " ".join(show(rules, sets[0])) + _others(roll, sets[0])
                told.add((str(dice), shown, " ".join(show(rules, kept)), _dice(left)))
    return tuple(sorted(told, key=lambda row: (-int(row[0]), row)))


def _others(roll: Counts, taken: Counts) -> str:
    return " and others" if sum(roll) > sum(taken) else ""


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def _limits_table(rules: PushRules, policy: Hold) -> Table:
    rows = []
    for dice in range(rules.dice, 0, -1):
        throw = rules.turn.modes[rules.mode(dice)].throws[0]
        held = rules.turn.reachable(policy.by_dice[dice] // rules.grain)[rules.mode(dice)] > 1
        limit = f"{policy.by_dice[dice]:,}" if held else "-"
        rows.append((str(dice), limit, f"{100 * rules.turn.bust_chance(throw):.1f} %"))
    return Table("Bank or roll", ("dice left", "bank from", "a throw busts"), tuple(rows))


def _by_scores(solution: Solution, match: Race) -> Table:
    """For two players: from how many points to bank, by both scores."""
    rules, scores = match.rules, [unit * match.rules.grain for unit in match.listed()]
    some = [scores[round(place * (len(scores) - 1) / (GRID - 1))] for place in range(GRID)]
    dice = min(3, rules.dice)
    rows, shades = [], []
    for mine in some:
        starts = [match.table.begin((mine, theirs), 0, 0) for theirs in some]
        need = fewest_to_win(match, starts[0])
        limits = [min(need, bank_from(match, solution.solved, start)[dice]) for start in starts]
        cells = ("to the target" if limit >= need else f"{limit:,}" for limit in limits)
        rows.append((f"{mine:,}", *cells))
        shades.append(tuple(1.0 if limit >= need else limit / rules.target for limit in limits))
    columns = ("you \\ they", *(f"{one:,}" for one in some))
    heading = f"Against an opponent: bank from, with {_dice(dice)} left, by both scores"
    note = "The darker, the more to go for; keepwise chart regions draws all scores."
    return Table(heading, columns, tuple(rows), note, tuple(shades))


def _costs(solution: Solution, match: PushMatch, policy: Hold, progress: Callable[[float], None]) -> tuple[str, ...]:
    found = evaluate_hold(match, solution.solved, policy, progress=progress)
    objective = match.objective
    lines = costs(found, objective)
    scores = match.listed()
    if objective == "points" and match.rules.opening > match.rules.minimum and len(scores) > 1:
        later = evaluate_hold(match, solution.solved, policy, scores[1] * match.rules.grain)
        lines += (f"After the first bank: {worth(later.value, objective)}, it costs {cost(later.loss, objective)}.",)
    return lines
