"""The policy that a printed page tells for push-your-luck games: the best limits, and sets to keep, for points."""

from __future__ import annotations

import numpy as np

from ..core.push import LANES
from ..games.pushluck import PushRules
from ..matches.push.match import Lanes
from ..matches.push.points import Points
from ..turns.push import Choice, Doubles
from .limits import best_decisions, followed, read_limits
from .policies import Hold

MOST_IMPROVEMENTS = 20


def best_limits(points: Points, lane: Lanes) -> Hold:
    """The policy of limits by dice left, and of one set to keep from each kind of throw, that brings the most points.

    It is improved as policies are: with the values and visits of the last one, every limit and every kept set becomes
    the best for all points in hand together; while that brings more.
    """
    rules = points.rules
    policy = Hold(read_limits(rules, best_decisions(lane), lane.cap))
    value, better = _improve(rules, lane, policy)
    for _ in range(MOST_IMPROVEMENTS):
        gained, following = _improve(rules, lane, better)
        if gained <= value:
            break
        policy, value, better = better, gained, following
    return policy


def _improve(rules: PushRules, lane: Lanes, policy: Hold) -> tuple[float, Hold]:
    """The policy's points, and the policy that is better for its visits and values."""
    turn, cap = rules.turn, lane.cap
    rows = turn.rows(cap)
    nodes = followed(rules, lane, policy)
    solved = turn.solve(*lane.copies(), inner=True, follow=np.repeat(nodes, LANES, axis=2))
    assert solved.inner is not None
    inner = solved.inner[0, :, :, 0]
    # Python reads and adds single numbers of lists sooner than those of arrays.
    visits, rolled, reached = (
        [[0.0] * rows for _ in range(most)] for most in (len(turn.modes), len(turn.modes), turn.classes)
    )
    follows, values = nodes[:, :, 0].tolist(), inner.tolist()
    visits[turn.start][0] = 1.0
    firsts = enumerate(zip(_first_classes(rules), turn.modes, strict=True))
    thrown = [(number, first, mode.throws[0].classes) for number, (first, mode) in firsts if mode.throws]
    totals = [sum(weight for _, weight in classes) for _, _, classes in thrown]
    for unit in range(cap):
        for (number, first, classes), total in zip(thrown, totals, strict=True):
            often = visits[number][unit] if follows[unit][number] else 0.0
            for place, (offered, weight) in enumerate(classes, first):
                chosen = offered[max(0, follows[unit][len(turn.modes) + place])]
                if chosen.next < 0:
                    continue
                after = min(chosen.held(unit), cap)
                rolled[number][unit] += weight / total * values[chosen.next][after]
                if often:
                    share = often * weight / total
                    reached[place][unit] += share
                    visits[chosen.next][after] += share
    seen = np.array(reached)
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
        loses = [
            often * (lane.banks[unit] - rolled[mode_number][unit]) if (often := visits[mode_number][unit]) else 0.0
            for unit in units
        ]
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
