"""A race with one die whose busts cost points, in plain Python: value iteration over all pairs of own states.

Half of the faces score one point. After a bust a player's next bust in a row costs points, but no score falls below a
floor. An own state is (score, busts in a row). This shares no code with the engine.
"""

from __future__ import annotations

TOLERANCE = 1e-14  # the largest change of a value in the last pass
SCORES = 0.5  # the probability that a roll scores


def win_chances(target: int, floor: int, cost: int, limits: list[int]) -> list[float]:
    """Return how often players win who bank from a limit, against optimal play: the mean of both seats, by limit."""
    own = [(score, busts) for score in range(floor, target) for busts in (0, 1)]
    pairs = sorted(((mine, theirs) for mine in own for theirs in own), key=lambda pair: -(pair[0][0] + pair[1][0]))
    after_bust = {state: (max(floor, state[0] - cost), 0) if state[1] else (state[0], 1) for state in own}
    values = dict.fromkeys(pairs, 0.5)  # of the player to move, if both play optimally
    bank_from = dict.fromkeys(pairs, 0)  # points from which optimal play banks
    change = 1.0
    while change > TOLERANCE:
        change = 0.0
        for mine, theirs in pairs:
            after_failure, value = (1 - SCORES) * (1 - values[theirs, after_bust[mine]]), 1.0
            bank_from[mine, theirs] = missing = target - mine[0]
            for points in range(missing - 1, 0, -1):
                bank, roll = 1 - values[theirs, (mine[0] + points, 0)], SCORES * value + after_failure
                if bank >= roll:
                    bank_from[mine, theirs] = points
                value = max(bank, roll)
            value = SCORES * value + after_failure
            change = max(change, abs(value - values[mine, theirs]))
            values[mine, theirs] = value
    return [_mean_chance(target, pairs, after_bust, bank_from, limit) for limit in limits]


def _mean_chance(target, pairs, after_bust, bank_from, limit) -> float:
    first = dict.fromkeys(pairs, 0.5)  # the player with the limit is to move, and is named first
    second = dict(first)  # the opponent is to move; the player with the limit is named first
    change = 1.0
    while change > TOLERANCE:
        change = 0.0
        for mine, theirs in pairs:
            points = bank_from[theirs, mine]
            success, total = SCORES**points, theirs[0] + points
            banked = first[mine, (total, 0)] if total < target else 0.0
            second[mine, theirs] = success * banked + (1 - success) * first[mine, after_bust[theirs]]
            points = min(limit, target - mine[0])
            success, total = SCORES**points, mine[0] + points
            banked = second[(total, 0), theirs] if total < target else 1.0
            value = success * banked + (1 - success) * second[after_bust[mine], theirs]
            change = max(change, abs(value - first[mine, theirs]))
            first[mine, theirs] = value
    start = ((0, 0), (0, 0))
    return (first[start] + second[start]) / 2
