"""A bound of the rounding error of one turn, mode by mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..turns.push_turn import MAX_EXACT_WEIGHT, PushTurn, Roll
from ..turns.single_choice_turn import SingleChoiceTurn

UNIT_ROUNDOFF = 2.0**-53
EXTRAPOLATION_PASSES = 4096  # passes after which an error that still grows slowly is extrapolated
CONVERGED_SHARE = 1 / 128  # of the smallest rounding error of a roll: errors that grow by less have converged
SAFETY_FACTOR = 1.01  # makes converged errors a bound for turns of any length
# What turns with more rolls than ``_most_rolls`` add: at most 2^-60 to the value, which is between 0 and 1, and no more
# to its rounding error.
NEGLECTED_ERROR = 2.0**-59
UNFOLLOWED_PROBABILITY = 2.0**-60  # a walk follows no smaller probabilities (``MIN_PROBABILITY`` of csrc/push_walk.c)

# Roundings of a roll with n classes are n plus these. One more than there are is counted, for terms of second order.
EXTRA_ROUNDINGS = 2
EXTRA_ROUNDINGS_OF_INEXACT_WEIGHTS = 4  # the weights and their sum are rounded too


class _RollError(NamedTuple):
    """What one roll contributes to a bound of the rounding error before it.

    Attributes:
        rounding: a bound of the rounding error of the roll's own weighted mean.
        successors: pairs: modes that some roll classes offer to go on with, and the probability of these classes.
            Whichever is chosen, the largest error of these modes is inherited.
    """

    rounding: float
    successors: list[tuple[list[int], float]]


def _most_rolls(turn: PushTurn, cap: int) -> int:
    """Return the most rolls of a turn, apart from turns with a probability of at most 2^-60.

    If every choice adds points, a turn has at most one roll for each point up to the cap. Beyond it only modes that
    cannot stop roll on. After ``forced_passes`` such rolls a turn goes on with a probability of at most 2^-60. If some
    choices add no points, ``rolls_per_point`` rolls may take the place of each of these rolls, and of each change to
    another group of modes.

    Args:
        turn: the turn model.
        cap: the number of turn points at which a player who may stop does.
    """
    rolls = cap + turn.forced_passes
    if turn.rolls_per_point > 1:
        rolls = (rolls + len(turn.groups)) * turn.rolls_per_point
    return rolls


@lru_cache(maxsize=64)
def turn_rounding_bound(turn: PushTurn, cap: int) -> float:
    """Return a bound of the rounding error of one turn's value, for payoffs between 0 and 1.

    Let u = 2^-53. A roll with n classes adds at most (n + 2) u to the error of its value, and 2 u more if its weights
    and their sum are rounded too. Errors inside the turn are averaged with the probabilities of the rolls that lead
    there. So the error from mode m on is at most E[m]:

        E[m] = max over rolls of m of  (n + 2) u + sum_c w_c / W  max over modes j that class c may lead to of E[j].

    k passes from E = 0 cover turns of k rolls, so as many passes are made as a turn can have rolls (``_most_rolls``).

    Let R(E) be the right-hand side of the equation, and r the smallest rounding error of a roll. The iteration ends
    early if a pass raised no E[m] by more than r / 128. Since R averages E, the next pass raises none by more either:
    R(E) <= E + r / 128. Then 1.01 E (SAFETY_FACTOR) bounds turns of any length, because a further pass from there would
    lower it. All terms of R grow by the factor 1.01 with E, except the roll's own rounding, which is r or more. Hence

        R(1.01 E)  <=  1.01 R(E) - 0.01 r  <=  1.01 (E + r / 128) - 0.01 r  <  1.01 E.

    If busts are very rare, E converges slowly. Now and then E is raised (``_raise_to_limit``). NEGLECTED_ERROR is added
    for the turns with more rolls.

    Args:
        turn: the turn model.
        cap: the number of turn points at which a player who may stop does.
    """
    next_errors, smallest_rounding = _recurrence(turn)
    converged_step = smallest_rounding * CONVERGED_SHARE
    errors = [0.0] * len(turn.modes)  # E, by mode
    step = 0.0  # the largest growth of an error in the last pass
    max_passes = _most_rolls(turn, cap)
    for passes in range(1, max_passes + 1):
        previous_errors = errors
        errors = next_errors(previous_errors)
        previous_step = step
        step = max(error - previous for error, previous in zip(errors, previous_errors, strict=True))
        if step <= converged_step:
            break
        if passes % EXTRAPOLATION_PASSES == 0:
            errors = _raise_to_limit(errors, previous_step, step, remaining_passes=max_passes - passes)
    return SAFETY_FACTOR * max(errors) + NEGLECTED_ERROR


def _raise_to_limit(errors: list[float], previous_step: float, step: float, remaining_passes: int) -> list[float]:
    """Return errors raised to about the limit that they approach; or unchanged, if the remaining passes add less.

    Raised errors are still a bound, from which the iteration goes on.

    Args:
        errors: E, by mode.
        previous_step: the largest growth of an error in the last pass but one.
        step: the largest growth of an error in the last pass.
        remaining_passes: how many passes are still to be made.
    """
    # If steps shrink by the ratio q = step / previous_step, all further steps add up to step q / (1 - q). That is
    # step^2 / decrease. The remaining passes add at most ``step`` each, in all step * remaining_passes. So E is raised
    # only if step^2 / decrease < step * remaining_passes.
    decrease = previous_step - step
    if step < decrease * remaining_passes:
        return [error + step * step / decrease for error in errors]
    return errors


def walk_rounding_bound(turn: PushTurn, cap: int) -> float:
    """Return a bound of the error of the probabilities of all endings of a walk, added up.

    A *walk* follows the probability from the start of a turn to its endings (``PushTurn.reach_probabilities``). A
    *cell* is a mode with a number of turn points. The probabilities are sums of products of positive numbers, one
    product for each path through the turn. So the error of a path is relative: at most u = 2^-53 for each rounding
    along it. These are the roundings along a path:

    - A roll rounds twice, when it divides by the total weight and multiplies by the weight of a class. It rounds four
      times if weights and their sum are rounded too. At the next cell the result is added to others.
    - The cap and the special endings receive probability from many turn points. A path comes there at the end, but
      modes that cannot stop are followed ``forced_passes`` times more at the cap.
    - A bank is added up over the modes in which it can end.

    A cell with a probability below UNFOLLOWED_PROBABILITY is not followed. So much is added for each cell.

    Args:
        turn: the turn model.
        cap: the number of turn points at which a player who may stop does.
    """
    weights_of_rolls = [sum(weight for _, weight in roll.classes) for mode in turn.modes for roll in mode.rolls]
    is_exact = max(weights_of_rolls) < MAX_EXACT_WEIGHT
    roundings_of_roll = EXTRA_ROUNDINGS if is_exact else EXTRA_ROUNDINGS_OF_INEXACT_WEIGHTS
    additions_below_cap, additions_at_cap = _most_additions(turn, cap)
    roundings = _most_expected_rolls(turn, cap) * (roundings_of_roll + additions_below_cap)
    roundings += additions_at_cap * (1 + turn.forced_passes) + len(turn.modes)
    cell_count = len(turn.modes) * turn.row_count(cap)
    return SAFETY_FACTOR * roundings * UNIT_ROUNDOFF + cell_count * UNFOLLOWED_PROBABILITY


def _most_expected_rolls(turn: PushTurn, cap: int) -> float:
    """Return the largest expected number of rolls of a turn, over all ways to choose.

    It follows from the equation of ``turn_rounding_bound`` if each roll adds 1 in place of its rounding error.

    Args:
        turn: the turn model.
        cap: the number of turn points at which a player who may stop does.
    """
    counted_rolls = [[_roll_error(roll)._replace(rounding=1.0) for roll in mode.rolls] for mode in turn.modes]
    expected_rolls = [0.0] * len(turn.modes)  # by mode, the most that are expected from there on
    for _ in range(_most_rolls(turn, cap)):
        expected_rolls = [_mode_error(rolls, expected_rolls) for rolls in counted_rolls]
    return max(expected_rolls)


def _most_additions(turn: PushTurn, cap: int) -> tuple[int, int]:
    """Return how often a walk adds to one cell below the cap, and to one cell at the cap or special ending, at most.

    A choice that keeps the turn points t and adds a leads to the cell with t + a points from one cell only. It leads to
    the cap from all cells with cap - a points or more. Any other choice may lead to one cell from all turn points. So
    may an ending.

    Args:
        turn: the turn model.
        cap: the number of turn points at which a player who may stop does.
    """
    rows = cap + 1  # numbers of turn points
    # Both by mode, or by special ending (a negative number). An ending has no cell below the cap. It is counted there
    # too, which can only raise the result.
    below_cap = Counter[int]()
    at_cap = Counter[int]()
    for choice in (choice for choices in turn.class_choices for choice in choices):
        is_nondecreasing = choice.keeps_points and choice.added_points >= 0
        below_cap[choice.next_mode] += 1 if is_nondecreasing else rows
        leads_to_mode = choice.next_mode >= 0
        rows_leading_to_cap = min(rows, choice.added_points + 1)
        at_cap[choice.next_mode] += rows_leading_to_cap if is_nondecreasing and leads_to_mode else rows
    return max(below_cap.values()), max(at_cap.values())


def _recurrence(turn: PushTurn) -> tuple[Callable[[list[float]], list[float]], float]:
    """Return the recurrence of ``turn_rounding_bound`` as a function, and the smallest rounding error of one roll.

    The function takes, for each mode, a bound of the rounding error of a turn from there that ends within k rolls. It
    returns the same bounds for turns that end within k + 1 rolls.

    Args:
        turn: the turn model.
    """
    if isinstance(turn, SingleChoiceTurn):
        return _recurrence_by_arrays(turn)
    rolls_of_modes = [[_roll_error(roll) for roll in mode.rolls] for mode in turn.modes]

    def next_errors(errors: list[float]) -> list[float]:
        """Return the errors by mode of turns that are one roll longer."""
        return [_mode_error(rolls, errors) for rolls in rolls_of_modes]

    return next_errors, min(roll.rounding for rolls in rolls_of_modes for roll in rolls)


def _recurrence_by_arrays(turn: SingleChoiceTurn) -> tuple[Callable[[list[float]], list[float]], float]:
    """Return the recurrence of ``turn_rounding_bound`` as a function, and the smallest rounding error of one roll.

    The function takes, for each mode, a bound of the rounding error of a turn from there that ends within k rolls. It
    returns the same bounds for turns that end within k + 1 rolls. It works on arrays, for turns of thousands of modes:
    each mode has one roll, and each of its roll classes one choice.

    Args:
        turn: the turn model.
    """
    # Classes are listed mode by mode. Those of mode m begin at start[m].
    start, next_mode, _, weight = turn.classes
    total = turn.total_weight  # by mode, of all classes of its roll
    class_probabilities = weight.astype(np.float64) / total[turn.modes_of_classes]
    has_next_mode = next_mode >= 0
    inherited_probabilities = np.where(has_next_mode, class_probabilities, 0.0)  # an ending inherits no error
    any_next_mode = np.where(has_next_mode, next_mode, 0)  # mode 0 stands in, with probability 0, where there is none
    # A weighted mean rounds once for each class, and a few times more.
    extra_roundings = np.where(total < MAX_EXACT_WEIGHT, EXTRA_ROUNDINGS, EXTRA_ROUNDINGS_OF_INEXACT_WEIGHTS)
    class_counts = np.diff(start)
    roundings = (class_counts + extra_roundings) * UNIT_ROUNDOFF  # by mode

    def next_errors(errors: list[float]) -> list[float]:
        """Return the errors by mode of turns that are one roll longer."""
        errors_of_classes = inherited_probabilities * np.array(errors)[any_next_mode]
        inherited = np.add.reduceat(errors_of_classes, start[:-1])  # the sum over the classes of each mode
        total_errors: list[float] = (roundings + inherited).tolist()
        return total_errors

    return next_errors, float(roundings.min())


def _mode_error(rolls: list[_RollError], errors: list[float]) -> float:
    """Return a bound of the rounding error of a mode's value: the largest over its rolls, or 0 if it has none.

    Args:
        rolls: the rolls of the mode.
        errors: by mode, bounds of the errors of the values that the rolls lead to.
    """
    return max((_error_before(roll, errors) for roll in rolls), default=0.0)


def _error_before(roll: _RollError, errors: list[float]) -> float:
    """Return a bound of the error of the value before a roll: its own rounding, and the mean of inherited errors.

    Args:
        roll: the roll.
        errors: by mode, bounds of the errors of the values that the roll leads to.
    """
    error_of = errors.__getitem__
    # The largest error of the modes counts, whichever of them is chosen.
    inherited = sum(probability * max(map(error_of, modes)) for modes, probability in roll.successors)
    return roll.rounding + inherited


def _roll_error(roll: Roll) -> _RollError:
    """Return what a roll contributes to a bound of the rounding error of the value before the roll.

    A roll class inherits the largest error of the modes that it offers. The error before the roll is at most the
    average of these, plus one rounding for each term of that average. Classes that offer the same modes are added up,
    because only their probability counts.
    """
    total_weight = sum(weight for _, weight in roll.classes)
    probabilities: dict[frozenset[int], float] = {}
    for choices, weight in roll.classes:
        next_modes = frozenset(choice.next_mode for choice in choices if choice.next_mode >= 0)
        if next_modes:  # otherwise all choices end the turn, and inherit no error
            probabilities[next_modes] = probabilities.get(next_modes, 0.0) + weight / total_weight
    has_exact_weights = total_weight < MAX_EXACT_WEIGHT
    extra_roundings = EXTRA_ROUNDINGS if has_exact_weights else EXTRA_ROUNDINGS_OF_INEXACT_WEIGHTS
    rounding = (len(roll.classes) + extra_roundings) * UNIT_ROUNDOFF
    return _RollError(rounding, [(sorted(modes), probability) for modes, probability in probabilities.items()])
