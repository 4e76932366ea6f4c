"""Solve small races of Pig by value iteration, without the package."""

from __future__ import annotations

from itertools import product

SETTLED = 1e-15  # change at which value iteration stops


def pig_by_value_iteration(targets: tuple[int, int], faces: tuple[int, int]) -> list[dict[tuple[int, int], float]]:
    """Return the chance to win of each seat of Pig when it is to move, by (own score, opponent's score)."""
    values = [dict.fromkeys(product(range(targets[seat]), range(targets[1 - seat])), 0.5) for seat in (0, 1)]
    change = 1.0
    while change > SETTLED:
        change = 0.0
        for seat in (0, 1):
            for mine, theirs in values[seat]:
                to_win = targets[seat] - mine
                bust = 1 - values[1 - seat][theirs, mine]
                before_roll = [1.0] * (to_win + faces[seat] + 1)  # by turn points
                for points in range(to_win - 1, -1, -1):
                    rolls = [before_roll[points + face] for face in range(2, faces[seat] + 1)]
                    roll = (bust + sum(rolls)) / faces[seat]
                    bank = 1 - values[1 - seat][theirs, mine + points]
                    before_roll[points] = max(roll, bank) if points else roll
                change = max(change, abs(before_roll[0] - values[seat][mine, theirs]))
                values[seat][mine, theirs] = before_roll[0]
    return values


def two_dice_pig_by_value_iteration(target: int) -> dict[tuple[int, int], float]:
    """Return the chance to win Two-Dice Pig of the player to move, by (own score, opponent's score).

    A roll with a 1 ends the turn without points, and two 1s lose the whole score.
    """
    rolls = list(product(range(1, 7), repeat=2))
    values = dict.fromkeys(product(range(target), repeat=2), 0.5)
    change = 1.0
    while change > SETTLED:
        change = 0.0
        for mine, theirs in values:
            bust, wipe = 1 - values[theirs, mine], 1 - values[theirs, 0]
            before_roll: dict[int, float] = {}  # by turn points
            for points in range(target - mine + 12, -1, -1):
                total = mine + points
                if total >= target:
                    before_roll[points] = 1.0
                    continue
                sum_of_rolls = sum(
                    wipe if roll == (1, 1) else bust if 1 in roll else before_roll[points + sum(roll)] for roll in rolls
                )
                roll_value = sum_of_rolls / len(rolls)
                before_roll[points] = max(roll_value, 1 - values[theirs, total]) if points else roll_value
            change = max(change, abs(before_roll[0] - values[mine, theirs]))
            values[mine, theirs] = before_roll[0]
    return values
