"""A bound of the rounding error of one turn, mode by mode."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ..turns.push_turn import MAX_EXACT_WEIGHT, PushTurn, Roll

UNIT_ROUNDOFF = 2.0**-53
EXTRAPOLATION_PASSES = 4096  # passes after which an error that still grows slowly is extrapolated


class _RollError(NamedTuple):
    """The terms of one roll in the recurrence of the errors.

    Attributes:
        rounding: the rounding error of its own sum.
        successors: sets of modes that its classes may lead to, each with the probability of these classes.
    """

    rounding: float
    successors: list[tuple[list[int], float]]


@lru_cache(maxsize=64)
def turn_rounding_bound(turn: PushTurn, cap: int) -> float:
    """Return a bound of the rounding error of one turn's value, for payoffs between 0 and 1.

    Let u = 2^-53. A roll with n classes adds at most (n + 2) u to the error of its value, and 2 u more if its weights
    and their sum are rounded too. Errors inside the turn are averaged with the probabilities of the rolls that lead
    there. So the error from mode m on is at most E[m]:

        E[m] = max over rolls of m of  (n + 2) u + sum_c w_c / W  max over modes j that class c may lead to of E[j].

    k passes from E = 0 cover turns of k rolls. Up to the cap a turn has at most as many rolls as points. Beyond it
    only modes that cannot stop roll on: the forced passes, which leave out less than 2^-59.

    The iteration ends early if no E[m] grew by more than 1/128 of the smallest rounding error of a roll. Then 1.01 E
    exceeds the right-hand side for 1.01 E, so it bounds turns of any length. If busts are very rare E converges
    slowly. It is then raised to the limit of a geometric series of its steps, and the iteration goes on: a larger E
    is still a bound.
    """
    rolls_of_modes = [[_roll_error(roll) for roll in mode.rolls] for mode in turn.modes]
    errors = [0.0] * len(turn.modes)
    smallest = min(roll.rounding for rolls in rolls_of_modes for roll in rolls)
    step, passes = 0.0, cap + turn.forced_passes
    for number in range(1, passes + 1):
        previous = errors
        errors = [max((_error_before(roll, previous) for roll in rolls), default=0.0) for rolls in rolls_of_modes]
        step, last_step = max(new - old for new, old in zip(errors, previous, strict=True)), step
        if step <= smallest / 128:
            break
        if not number % EXTRAPOLATION_PASSES and step < (last_step - step) * (passes - number):
            errors = [error + step * step / (last_step - step) for error in errors]
    return 1.01 * max(errors) + 2.0**-59


def _error_before(roll: _RollError, errors: list[float]) -> float:
    """Return the right-hand side of the recurrence for one roll."""
    return roll.rounding + sum(chance * max(errors[mode] for mode in modes) for modes, chance in roll.successors)


def _roll_error(roll: Roll) -> _RollError:
    total = sum(weight for _, weight in roll.classes)
    chances: dict[frozenset[int], float] = {}
    for choices, weight in roll.classes:
        modes = frozenset(choice.next_mode for choice in choices if choice.next_mode >= 0)
        if modes:
            chances[modes] = chances.get(modes, 0.0) + weight / total
    extra_roundings = 2 if total < MAX_EXACT_WEIGHT else 4
    successors = [(sorted(modes), chance) for modes, chance in chances.items()]
    return _RollError((len(roll.classes) + extra_roundings) * UNIT_ROUNDOFF, successors)
