"""Truncation of a frame of Straight Scarney, as data for the header of a certificate.

For the win, a frame is truncated at a number of turn points that hardly any frame brings. For points, the level l is
one from which stopping is best (T4; see Lemma C in docs/exactness.md). A frame can lose its points and go on.
The truncation therefore also states gamma_m, an upper bound of the points that mode m still brings:

    sum over classes  w (points added + gamma of the next mode)  <=  W gamma_m      for every roll of mode m
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

from ..games.scarney import DICE, ScarneyRules
from ..solvers.scarney.problem import CUT_PROBABILITY, frame_cap
from ..turns.push_turn import PushTurn, Roll
from ..util.errors import SolveError
from .points_prover import GAMMA_DENOMINATOR, GAMMA_PASSES, ROUNDING_ALLOWANCE, total_weight


def frame_rules(table: Any) -> ScarneyRules:
    """Return the rules of one frame."""
    rules: ScarneyRules = table.game.data
    return replace(rules, big=table.big)


def describe_frame_truncation(table: Any) -> dict[str, Any]:
    """Return the turn points from which a player stops if allowed, and for points the bound gamma of every mode."""
    rules = frame_rules(table)
    if table.players > 1:
        return {"level": frame_cap(rules.turn, CUT_PROBABILITY)[0]}
    gamma = _find_gamma(rules.turn)
    mode_of_name: dict[str, int] = {}
    for live in range(1, DICE + 1):
        mode_of_name |= {f"[[{live}], true]": rules.free(live), f"[[{live}], false]": rules.holding(live)}
    mode_of_name["null"] = rules.free(DICE)  # the frame begins
    worth = {name: [*gamma[mode].as_integer_ratio()] for name, mode in mode_of_name.items()}
    return {"level": ceil(_find_level(rules.turn, gamma)), "worth": worth}


def _added_sum(roll: Roll, gamma: Sequence[Any]) -> Any:
    """Return the weighted sum of the points added and gamma of the next mode, over the classes that go on."""
    return sum(
        weight * (choice.added_points + gamma[choice.next_mode])
        for (choice,), weight in roll.classes
        if choice.next_mode >= 0
    )


def _find_gamma(turn: PushTurn) -> list[Fraction]:
    """Return gamma of every mode, found in floating point, rounded up, and verified in fractions.

    Raises:
        SolveError: gamma does not satisfy the inequality.
    """
    rolls = [(mode_number, roll) for mode_number, mode in enumerate(turn.modes) for roll in mode.rolls]
    estimates = [0.0] * len(turn.modes)
    for _ in range(GAMMA_PASSES):
        for mode_number, roll in rolls:
            mean = _added_sum(roll, estimates) / total_weight(roll)
            estimates[mode_number] = max(estimates[mode_number], mean)
    gamma = [
        Fraction(ceil(estimate * GAMMA_DENOMINATOR * ROUNDING_ALLOWANCE) + 1, GAMMA_DENOMINATOR)
        for estimate in estimates
    ]
    for mode_number, roll in rolls:
        if _added_sum(roll, gamma) > total_weight(roll) * gamma[mode_number]:
            raise SolveError("nothing bounds what follows once points are lost")
    return gamma


def _find_level(turn: PushTurn, gamma: Sequence[Fraction]) -> Fraction:
    """Return a number of turn points from which stopping is best, given gamma."""
    rolls = [roll for mode in turn.modes for roll in mode.rolls]
    going_on = [choice for roll in rolls for (choice,), _ in roll.classes if choice.next_mode >= 0]
    value_once_lost = max(
        choice.added_points + gamma[choice.next_mode] for choice in going_on if not choice.keeps_points
    )
    level = Fraction(0)
    for roll in rolls:
        kept = [
            (choice.added_points, weight)
            for (choice,), weight in roll.classes
            if choice.next_mode >= 0 and choice.keeps_points
        ]
        lost_weight = total_weight(roll) - sum(weight for _, weight in kept)
        kept_sum = sum(points * weight for points, weight in kept)
        level = max(level, value_once_lost + Fraction(kept_sum, lost_weight))
    return level
