"""Exact solution of small push-your-luck turns in fractions, as a check on the kernel.

It shares no code with the kernel beyond the description of the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .push_turn import BUST, PushTurn, Roll, TurnChoice

# The value of a turn, and the probability of each number of points banked; key -1 - i stands for special ending i.
ExactOutcome = tuple[Fraction, dict[int, Fraction]]


def solve_turn_exactly(
    turn: PushTurn,
    bank_values: Sequence[Fraction | int],
    mode: int | None = None,
    ending_values: Sequence[Fraction | int] = (),
) -> ExactOutcome:
    """Return the exact value of a turn that begins with no turn points, and the distribution of the points it banks.

    Of choices with equal values the first is made, as in the kernel. The turn must end by rule: it has no cycles, or
    its points are bounded and choices that pass the bound are not allowed.

    Args:
        turn: the turn.
        bank_values: the value of banking 0, 1, ... points. If ``turn.forbids_overshoot``, no choice may lead to more
            points than these.
        mode: the mode to begin in; None for the start of the turn.
        ending_values: the value of each special ending; the first is the bust.

    Returns:
        The value, and the probability of each number of points banked. There the key -1 - i is special ending i.
    """
    first_mode = turn.start if mode is None else mode
    no_points = 0
    return _ExactTurn(turn, bank_values, ending_values).solve_mode(first_mode, no_points)


class _ExactTurn:
    """A turn with the values of its endings, solved in fractions by recursion.

    Attributes:
        turn: the turn.
        bank_values: the value of banking 0, 1, ... points.
        ending_values: the value of each special ending; the first is the bust.
        outcomes: by mode and turn points, the outcomes computed so far. An outcome is the value and the probability of
            each number of points banked (see ``ExactOutcome``).
    """

    def __init__(
        self, turn: PushTurn, bank_values: Sequence[Fraction | int], ending_values: Sequence[Fraction | int]
    ) -> None:
        """Begin with a turn of which nothing is solved."""
        self.turn = turn
        self.bank_values = bank_values
        self.ending_values = ending_values
        self.outcomes: dict[tuple[int, int], ExactOutcome] = {}

    def solve_mode(self, mode: int, points: int) -> ExactOutcome:
        """Return the best outcome from a mode on, before its roll, with ``points`` turn points: a stop or a roll."""
        if (mode, points) not in self.outcomes:
            decision_point = self.turn.modes[mode]
            candidates: list[ExactOutcome] = []
            if decision_point.bank_ending is not None and points >= decision_point.min_bank:
                candidates.append((Fraction(self.bank_values[points]), {points: Fraction(1)}))
            candidates += [self._solve_roll(roll, points) for roll in decision_point.rolls]
            self.outcomes[mode, points] = _best(candidates)
        return self.outcomes[mode, points]

    def _solve_roll(self, roll: Roll, points: int) -> ExactOutcome:
        """Return the expected outcome of a roll that is made with ``points`` turn points."""
        total_weight = sum(weight for _, weight in roll.classes)
        value = Fraction(0)
        distribution = dict[int, Fraction]()  # by points banked
        for choices, weight in roll.classes:
            probability = Fraction(weight, total_weight)
            # A roll without an allowed choice is a bust.
            allowed = [choice for choice in choices if self._is_allowed(choice, points)] or [BUST]
            best_value, best_distribution = _best([self._solve_choice(choice, points) for choice in allowed])
            value += probability * best_value
            for banked, share in best_distribution.items():
                distribution[banked] = distribution.get(banked, Fraction(0)) + probability * share
        return value, distribution

    def _is_allowed(self, choice: TurnChoice, points: int) -> bool:
        """Return whether a choice may be made with ``points`` turn points: it may not pass the bound, if any."""
        max_points = len(self.bank_values) - 1
        is_ending = choice.next_mode < 0
        return is_ending or not self.turn.forbids_overshoot or choice.points_after(points) <= max_points

    def _solve_choice(self, choice: TurnChoice, points: int) -> ExactOutcome:
        """Return the outcome after a choice that is made with ``points`` turn points."""
        if choice.next_mode < 0:  # -1 is the first special ending, -2 the second one
            ending = -1 - choice.next_mode
            return Fraction(self.ending_values[ending]), {choice.next_mode: Fraction(1)}
        return self.solve_mode(choice.next_mode, choice.points_after(points))


def _best(outcomes: Sequence[ExactOutcome]) -> ExactOutcome:
    """Return the outcome with the largest value; of several, the first."""
    return max(outcomes, key=lambda outcome: outcome[0])
