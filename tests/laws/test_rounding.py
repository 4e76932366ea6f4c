"""What bounds a turn's rounding is no less than any way to play the turn adds up, and hardly more than the worst."""

from __future__ import annotations

import numpy as np
import pytest
import subjects
from tallies import Reason, skip

from keepwise.solvers.rounding_bounds import turn_rounding_bound
from keepwise.turns.push_turn import PushTurn, Roll

UNIT = 2.0**-53


def compiled(subject):
    """The push turn of a game, if it has one."""
    turn = getattr(subject.game.data, "turn", None)
    return turn if isinstance(turn, PushTurn) else None


def added(throw: Roll) -> float:
    """What one throw adds: a product and a sum for each class, and the division (see ``turn_rounding``)."""
    return (len(throw.classes) + 2) * UNIT


def worst(turn: PushTurn) -> float:
    """The most that rounding adds up to from any mode, if it is played so that as much as possible comes together: the
    best stationary play of that game, by policy iteration, each play's sum by the linear system.
    """
    modes = turn.modes
    thrown = [number for number, mode in enumerate(modes) if mode.rolls]
    first = {number: modes[number].rolls[0] for number in thrown}
    play = {number: (throw, [offered[0] for offered, _ in throw.classes]) for number, throw in first.items()}
    for _ in range(100):
        system, own = np.eye(len(modes)), np.zeros(len(modes))
        for number, (throw, chosen) in play.items():
            total = sum(weight for _, weight in throw.classes)
            own[number] = added(throw)
            for choice, (_, weight) in zip(chosen, throw.classes, strict=True):
                if choice.next_mode >= 0:
                    system[number, choice.next_mode] -= weight / total
        sums = np.append(np.linalg.solve(system, own), 0.0)  # nothing more where a turn ends
        better = {}
        for number in thrown:
            found = []
            for throw in modes[number].rolls:
                chosen = [
                    max(offered, key=lambda choice: sums[max(choice.next_mode, -1)]) for offered, _ in throw.classes
                ]
                total = sum(weight for _, weight in throw.classes)
                further = sum(
                    weight * sums[max(choice.next_mode, -1)]
                    for choice, (_, weight) in zip(chosen, throw.classes, strict=True)
                )
                found.append((added(throw) + further / total, throw, chosen))
            better[number] = max(found, key=lambda one: one[0])
        if max(one[0] - sums[number] for number, one in better.items()) <= 1e-9 * sums.max():
            return float(sums.max())
        play = {number: (throw, chosen) for number, (_, throw, chosen) in better.items()}
    raise AssertionError("policy iteration did not end")


GAMES = [one for one in subjects.games() if compiled(one) is not None]


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=8)
@pytest.mark.parametrize("subject", GAMES, ids=str)
def test_rounding_of_a_turn_is_bounded(subject, tally):
    turn = compiled(subject)
    try:
        most = worst(turn)
    except np.linalg.LinAlgError:
        most = np.inf
    longest = 100_000 * max(added(throw) for mode in turn.modes for throw in mode.rolls)
    if most > longest:
        skip(Reason.ENDLESS)
    assert 0 < most <= turn_rounding_bound(turn, 100_000) * (1 + 1e-9)
    # Not looser than it says, either: by 1.01, what two roundings of weights add, and where leaps were made.
    assert turn_rounding_bound(turn, 100_000) <= 2.2 * most + 2.0**-58
    tally.add()
