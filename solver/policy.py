"""Policies that people follow, by name: ``hold:300``, ``hold:5=600,4=400,1=250``, Battleship's ``source``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .games.pushluck import PushRules
from .turns.push import Choice, Decisions, PushTurn


@dataclass(frozen=True)
class HoldPolicy:
    """Set aside every scoring die for the most points, and bank with at least ``by_dice[dice left]`` points in hand, or
    with enough to win; never stop where that would score nothing.

    ``keep``: of throws that offer these choices the number of another one, where it may be made.
    """

    by_dice: Mapping[int, int]
    keep: Mapping[tuple[Choice, ...], int] = field(default_factory=dict)

    def decisions(self, rules: PushRules, rows: int, cap: int, stop_from: int, win_from: int) -> Decisions:
        """Decisions of one lane (rows, modes + classes, 1), see ``TurnValue``.

        ``stop_from``: fewest units whose bank counts; ``win_from``: fewest that win; all in units of the grain.
        """
        turn = rules.turn
        nodes = np.zeros((rows, len(turn.modes) + turn.classes, 1), dtype=np.int16)
        points = np.arange(rows)
        for number, mode in enumerate(turn.modes):
            dice = min(number + 1, rules.dice)
            enough = (points * rules.grain >= self.by_dice[dice]) | (points >= win_from)
            stops = enough & (points >= stop_from) & (points >= mode.bank_from)
            nodes[:, number, 0] = ~stops if mode.bank is not None and mode.throws else mode.bank is None
        self._sets(turn, nodes, points, cap)
        return nodes

    def _sets(self, turn: PushTurn, nodes: Decisions, points: NDArray[np.int64], cap: int) -> None:
        """Of the choices that may be made, the one with the most points, the first of those."""
        place = len(turn.modes)
        for mode in turn.modes:
            for throw in mode.throws:
                for offered, _ in throw.classes:
                    add = np.array([choice.add for choice in offered])
                    order = np.argsort(-add, kind="stable")
                    if offered in self.keep:
                        first = self.keep[offered]
                        order = np.array([first, *(one for one in order if one != first)])
                    best = np.full(len(points), order[0])
                    if turn.forbid and all(choice.next >= 0 for choice in offered):
                        best[:] = -1
                        for choice in order[::-1]:
                            best[points + add[choice] < cap] = choice
                    nodes[:, place, 0] = best
                    place += 1


def read_hold(rules: PushRules, text: str) -> HoldPolicy:
    """Return the policy of ``hold:N`` or ``hold:DICE=N,...`` (other numbers of dice: bank at once).

    Raises:
        InputError: no such policy.
    """
    name, colon, limits = text.partition(":")
    if name != "hold" or not colon:
        raise InputError(f"{text} is no policy of this game; write hold:300 or hold:5=600,4=400")
    try:
        if "=" not in limits:
            limits = ",".join(f"{dice}={int(limits)}" for dice in range(1, rules.dice + 1))
        parts = [part.partition("=") for part in limits.split(",")]
        named = [int(dice) for dice, _, _ in parts]
        by_dice = {int(dice): int(points) for dice, _, points in parts}
    except ValueError:
        raise InputError(f"{text}: the limits must be whole numbers, as in hold:300 or hold:5=600,4=400") from None
    if len(named) > len(by_dice):
        raise InputError(f"{text}: a number of dice is named twice")
    if min(by_dice.values()) < 0:
        raise InputError(f"{text}: a limit must not be below 0")
    for dice in by_dice:
        if not 1 <= dice <= rules.dice:
            raise InputError(f"{text}: the game is played with 1 to {rules.dice} dice, not {dice}")
    return HoldPolicy({dice: by_dice.get(dice, 0) for dice in range(1, rules.dice + 1)})
