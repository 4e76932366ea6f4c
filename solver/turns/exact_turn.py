"""Exact solution of small push-your-luck turns in fractions, as a check on the kernel.

It shares no code with the kernel beyond the description of the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .push_turn import BUST, PushTurn, Roll, TurnChoice

ExactOutcome = tuple[Fraction, dict[int, Fraction]]  # value, and probability of each number of points banked


def solve_turn_exactly(
    turn: PushTurn,
    bank_values: Sequence[Fraction | int],
    mode: int | None = None,
    ending_values: Sequence[Fraction | int] = (),
) -> ExactOutcome:
    """Return the value of a turn from a mode without turn points, and the distribution of the points that it banks.

    Of choices with equal values the first is made, as in the kernel. The turn must end by rule: it has no cycles, or
    its points are bounded and choices that pass the bound are not allowed.

    Args:
        turn: the turn.
        bank_values: the value of banking 0, 1, ... points. If the turn forbids to pass a bound, the last of them is
            the bound.
        mode: the mode to begin in; None for the start of the turn.
        ending_values: the value of each special ending. In the distribution, special ending i stands at -1 - i.
    """
    outcomes: dict[tuple[int, int], ExactOutcome] = {}  # by mode and turn points, as far as they are known

    def solve_mode(mode: int, points: int) -> ExactOutcome:
        """Return the best outcome from a mode on, with so many turn points: stopping, or one of its rolls."""
        if (mode, points) not in outcomes:
            decision_point = turn.modes[mode]
            candidates: list[ExactOutcome] = []
            if decision_point.bank_ending is not None and points >= decision_point.min_bank:
                candidates.append((Fraction(bank_values[points]), {points: Fraction(1)}))
            candidates += [solve_roll(roll, points) for roll in decision_point.rolls]
            outcomes[mode, points] = _best(candidates)
        return outcomes[mode, points]

    def solve_roll(roll: Roll, points: int) -> ExactOutcome:
        """Return the expected outcome of a roll that is made with so many turn points."""
        total_weight = sum(weight for _, weight in roll.classes)
        value = Fraction(0)
        distribution = dict[int, Fraction]()  # by points banked
        for choices, weight in roll.classes:
            probability = Fraction(weight, total_weight)
            allowed = [choice for choice in choices if is_allowed(choice, points)] or [BUST]
            best_value, best_distribution = _best([solve_choice(choice, points) for choice in allowed])
            value += probability * best_value
            for banked, share in best_distribution.items():
                distribution[banked] = distribution.get(banked, Fraction(0)) + probability * share
        return value, distribution

    def is_allowed(choice: TurnChoice, points: int) -> bool:
        """Return whether a choice that is made with so many turn points stays within the bound, if there is one."""
        return choice.next_mode < 0 or not turn.forbids_overshoot or choice.points_after(points) < len(bank_values)

    def solve_choice(choice: TurnChoice, points: int) -> ExactOutcome:
        """Return the outcome after a choice that is made with so many turn points."""
        if choice.next_mode < 0:
            return Fraction(ending_values[-1 - choice.next_mode]), {choice.next_mode: Fraction(1)}
        return solve_mode(choice.next_mode, choice.points_after(points))

    return solve_mode(turn.start if mode is None else mode, 0)


def _best(outcomes: Sequence[ExactOutcome]) -> ExactOutcome:
    """Return the first outcome with the largest value."""
    return max(outcomes, key=lambda outcome: outcome[0])
