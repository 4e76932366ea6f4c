"""Turns in exact fractions: the value of small turns, and the distribution of their endings. Shares no code with the
kernel beyond the turn's description.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .push_turn import PushTurn, TurnChoice

ExactOutcome = tuple[Fraction, dict[int, Fraction]]  # value, and chances by points banked


def solve_turn_exactly(turn: PushTurn, worth: Sequence[Fraction | int], mode: int | None = None) -> ExactOutcome:
    """Value of a turn from a mode with nothing in hand, and the distribution of the points that it banks.

    ``worth`` is what banking 0, 1, ... points is worth. Among equal choices the first is made, as the kernel does. For
    turns without cycles whose choices replace the points in hand.
    """
    known: dict[tuple[int, int], ExactOutcome] = {}

    def before(mode: int, points: int) -> ExactOutcome:
        if (mode, points) not in known:
            known[mode, points] = throws(mode, points)
        return known[mode, points]

    def throws(mode: int, points: int) -> ExactOutcome:
        here = turn.modes[mode]
        found: list[ExactOutcome] = []
        if here.bank_ending is not None and points >= here.min_bank:
            found.append((Fraction(worth[points]), {points: Fraction(1)}))
        for throw in here.rolls:
            total = sum(weight for _, weight in throw.classes)
            value, chances = Fraction(0), dict[int, Fraction]()
            for offered, weight in throw.classes:
                best, after = max((reach(choice, points) for choice in offered), key=lambda outcome: outcome[0])
                value += Fraction(weight, total) * best
                for score, chance in after.items():
                    chances[score] = chances.get(score, Fraction(0)) + Fraction(weight, total) * chance
            found.append((value, chances))
        return max(found, key=lambda outcome: outcome[0])

    def reach(choice: TurnChoice, points: int) -> ExactOutcome:
        return before(choice.next_mode, choice.added_points + (points if choice.keeps_points else 0))

    return before(turn.start if mode is None else mode, 0)
