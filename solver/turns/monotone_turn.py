"""Turns whose points only grow until the turn ends, as arrays for the race kernel and the multiplayer kernel.

In a *monotone turn* every choice keeps the turn points and adds some, every mode has one roll or none, and a special
ending is the only choice of its roll class. All push-your-luck games described by rule data (``games.push_rules``) have
such turns, unless a set of dice takes points off or scores none.

A row of the kernel's table holds the values for one number of turn points. In a monotone turn it depends on higher rows
only, and a choice always leads the same distance ahead. If the player chooses the number of dice before the first
roll, the turn begins in the best of the modes that roll so many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ..core.race import LANES, MOST_MODES
from .push_turn import BUST, Mode, PushTurn, RollClass, TurnChoice


def is_monotone(turn: PushTurn) -> bool:
    """Return whether a turn is monotone, with no more modes than the kernels allow."""
    modes, _ = _modes_and_starts(turn)
    offers = (choices for mode in modes for roll in mode.rolls for choices, _ in roll.classes)
    return (
        len(modes) <= MOST_MODES
        and not any(len(mode.rolls) > 1 or mode.bank_ending or mode.min_bank > 1 for mode in modes)
        and all(
            (choice.next_mode < 0 and len(choices) == 1) or (choice.keeps_points and choice.added_points >= 1)
            for choices in offers
            for choice in choices
        )
    )


def _modes_and_starts(turn: PushTurn) -> tuple[tuple[Mode, ...], int]:
    """Return the modes of the kernel, and as bits those in which a turn begins.

    A mode that only chooses the first roll is left out: the turn begins in the modes that make these rolls.
    """
    start_mode = turn.modes[turn.start]
    if len(start_mode.rolls) == 1:
        return turn.modes, 1 << turn.start
    modes = turn.modes[: turn.start]
    is_start = [any(roll is first_roll for roll in mode.rolls for first_roll in start_mode.rolls) for mode in modes]
    return modes, _as_bits(is_start)


def _as_bits(flags: Sequence[bool]) -> int:
    """Return a number in which bit i is set if flag i is."""
    return sum(1 << index for index, flag in enumerate(flags) if flag)


def _undominated_choices(choices: Sequence[TurnChoice], stopping: int) -> tuple[TurnChoice, ...]:
    """Return the choices that can be best if the player stops in each of the first ``stopping`` modes.

    A bank is worth more the more points it has. So of the choices that lead to those modes, only the first one that
    adds the most points can be best.
    """
    max_added = max((choice.added_points for choice in choices if choice.next_mode < stopping), default=0)
    best_stop = next(
        (choice for choice in choices if choice.next_mode < stopping and choice.added_points == max_added), None
    )
    return tuple(choice for choice in choices if choice.next_mode >= stopping or choice is best_stop)


class MonotoneTurn:
    """The kernels' arrays for a monotone turn; ``csrc/climb.h`` describes each of them.

    A set of modes is the bits of a number.

    Args:
        turn: the turn, for which ``is_monotone`` holds.
        win: the choice that wins the game at once.
        wipe: the choice that loses the whole score.
        prunes_choices: also list, for each n from 1 to the number of modes, the choices that can be best if the player
            stops in the first n modes.
    """

    def __init__(self, turn: PushTurn, win: TurnChoice, wipe: TurnChoice, prunes_choices: bool = False) -> None:
        modes, self.start_modes = _modes_and_starts(turn)
        self.modes = len(modes)
        self.forbid_above_cap, self.forced_passes = turn.forbids_overshoot, turn.forced_passes
        self.bank_modes = _as_bits([mode.bank_ending is not None for mode in modes])
        self.total_weight = np.array([_total_weight(mode) for mode in modes])
        self.bust_weight, self.win_weight, self.wipe_weight = (
            _ending_weights(modes, ending) for ending in (BUST, win, wipe)
        )
        self._set_classes(modes, len(modes) + 1 if prunes_choices else 1)
        self._set_edges(modes)

    def _set_classes(self, modes: Sequence[Mode], prunings: int) -> None:
        """Set the arrays of roll classes that go on, once for every number of first modes that stop."""
        class_start, leads, sizes, weights = list[int](), list[int](), list[int](), list[float]()
        for stopping in range(prunings):
            class_start.append(len(sizes))
            for mode in modes:
                classes = [
                    (_undominated_choices(choices, stopping), weight) for choices, weight in _continuing_classes(mode)
                ]
                # Classes with equally many choices are neighbours, so that the processor can predict the loop's length.
                for choices, weight in sorted(classes, key=lambda roll_class: len(roll_class[0])):
                    leads += [(choice.added_points * len(modes) + choice.next_mode) * LANES for choice in choices]
                    sizes.append(len(choices))
                    weights.append(float(weight))
                class_start.append(len(sizes))
        self.class_start = np.array(class_start, dtype=np.int32)
        self.weight = np.array(weights)
        self.choice_start = np.array(list(accumulate(sizes, initial=0)), dtype=np.int32)
        self.choice_offset = np.array(leads, dtype=np.int32)

    def _set_edges(self, modes: Sequence[Mode]) -> None:
        """Set the arrays of edges: for each mode, the points added and the set of modes that they can lead to."""
        edges_by_mode = []
        for mode in modes:
            next_modes: dict[int, int] = {}
            for choices, _ in _continuing_classes(mode):
                for choice in choices:
                    next_modes[choice.added_points] = next_modes.get(choice.added_points, 0) | 1 << choice.next_mode
            edges_by_mode.append(sorted(next_modes.items()))
        edges = [edge for mode_edges in edges_by_mode for edge in mode_edges]
        self.edge_start = np.array(list(accumulate(map(len, edges_by_mode), initial=0)), dtype=np.int32)
        self.edge_points = np.array([added_points for added_points, _ in edges], dtype=np.int32)
        self.edge_modes = np.array([mode_set for _, mode_set in edges], dtype=np.uint64)

    @property
    def mode_set_dtype(self) -> type[np.uint16] | type[np.uint64]:
        """The type of a set of modes in large arrays."""
        return np.uint16 if self.modes <= 16 else np.uint64


def _continuing_classes(mode: Mode) -> Iterator[RollClass]:
    """Yield the roll classes that do not end the turn."""
    for roll in mode.rolls:
        for choices, weight in roll.classes:
            if choices[0].next_mode >= 0:
                yield choices, weight


def _total_weight(mode: Mode) -> float:
    """Return the weight of a mode's roll; 1 without a roll, since going on is then worth nothing."""
    return float(sum(weight for roll in mode.rolls for _, weight in roll.classes)) if mode.rolls else 1.0


def _ending_weights(modes: Sequence[Mode], ending: TurnChoice) -> NDArray[np.float64]:
    """Return, per mode, the weight of the rolls that end the turn in a special ending."""
    weights = np.zeros(len(modes))
    for index, mode in enumerate(modes):
        for roll in mode.rolls:
            for choices, weight in roll.classes:
                if choices[0] == ending:
                    weights[index] += weight
    return weights
