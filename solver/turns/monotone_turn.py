"""The turn in which points only grow until it ends, laid out for the race and the seats kernel.

Every choice keeps the points in hand and adds some, every mode makes one throw or none, and a special ending stands
alone in its class. That is the turn of every push-your-luck game by rule data (``games.pushluck``) but where sets take
points off or score none; then a row of the table, the points in hand, needs only higher rows, and what a choice leads
to stands at a fixed distance from it. Who says before the first throw of how many dice it is begins in any of the
modes that make such throws.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ..core.race import LANES, MOST_MODES
from .push_turn import BUST, Mode, PushTurn, TurnChoice


def is_monotone(turn: PushTurn) -> bool:
    """Whether a turn can be laid out so."""
    modes, _ = _modes_and_starts(turn)
    choices = (offered for mode in modes for throw in mode.rolls for offered, _ in throw.classes)
    return (
        len(modes) <= MOST_MODES
        and not any(len(mode.rolls) > 1 or mode.bank_ending or mode.min_bank > 1 for mode in modes)
        and all(
            (one.next_mode < 0 and len(offered) == 1) or (one.keeps_points and one.added_points >= 1)
            for offered in choices
            for one in offered
        )
    )


def _modes_and_starts(turn: PushTurn) -> tuple[tuple[Mode, ...], int]:
    """The modes but for one in which only the first throw is chosen, and those in which the turn begins."""
    begins = turn.modes[turn.start]
    if len(begins.rolls) == 1:
        return turn.modes, 1 << turn.start
    modes = turn.modes[: turn.start]
    made = [any(throw is other for throw in mode.rolls for other in begins.rolls) for mode in modes]
    return modes, sum(1 << number for number, begun in enumerate(made) if begun)


def _undominated_choices(offered: Sequence[TurnChoice], stopping: int) -> tuple[TurnChoice, ...]:
    """The choices that need be weighed where so many of the first modes stop, and the more points the better."""
    most = max((choice.added_points for choice in offered if choice.next_mode < stopping), default=0)
    first = next((choice for choice in offered if choice.next_mode < stopping and choice.added_points == most), None)
    return tuple(choice for choice in offered if choice.next_mode >= stopping or choice is first)


class MonotoneTurn:
    """The kernels' arrays for a turn that ``climbs``; ``csrc/climb.h`` says what each is. Sets of modes are the bits of
    numbers. ``win`` and ``wipe`` are the choices of the turn's endings. ``fewer``: also what is left to weigh where the
    first one, two, .. modes stop.
    """

    def __init__(self, turn: PushTurn, win: TurnChoice, wipe: TurnChoice, fewer: bool = False) -> None:
        modes, starts = _modes_and_starts(turn)
        specials = (BUST, win, wipe)
        ending = np.zeros((len(specials), len(modes)))
        total = np.ones(len(modes))  # where there is no throw, going on is worth nothing
        edges = []
        for number, mode in enumerate(modes):
            leads: dict[int, int] = {}
            for throw in mode.rolls:
                total[number] = sum(weight for _, weight in throw.classes)
                for offered, weight in throw.classes:
                    if offered[0].next_mode < 0:
                        ending[specials.index(offered[0]), number] += weight
                        continue
                    for choice in offered:
                        leads[choice.added_points] = leads.get(choice.added_points, 0) | 1 << choice.next_mode
            edges.append(sorted(leads.items()))
        class_start, choices, sizes, weights = list[int](), list[int](), list[int](), list[float]()
        for stopping in range(len(modes) + 1 if fewer else 1):
            class_start.append(len(sizes))
            for mode in modes:
                classes = [
                    (_undominated_choices(offered, stopping), weight)
                    for throw in mode.rolls
                    for offered, weight in throw.classes
                    if offered[0].next_mode >= 0
                ]
                # Classes of as many choices stand together, so that the processor can tell how long the next one is.
                for offered, weight in sorted(classes, key=lambda entry: len(entry[0])):
                    choices += [(choice.added_points * len(modes) + choice.next_mode) * LANES for choice in offered]
                    sizes.append(len(offered))
                    weights.append(float(weight))
                class_start.append(len(sizes))
        flat = [edge for of_mode in edges for edge in of_mode]
        self.modes, self.starts = len(modes), starts
        self.forbid, self.over_passes = turn.forbid, turn.forced_passes
        self.banks = sum(1 << number for number, mode in enumerate(modes) if mode.bank_ending is not None)
        self.class_start = np.array(class_start, dtype=np.int32)
        self.weight = np.array(weights)
        self.choice_start = np.array(list(accumulate(sizes, initial=0)), dtype=np.int32)
        self.leads = np.array(choices, dtype=np.int32)
        self.bust, self.win, self.wipe = ending
        self.total = total
        self.edge_start = np.array(list(accumulate(map(len, edges), initial=0)), dtype=np.int32)
        self.edge_add = np.array([add for add, _ in flat], dtype=np.int32)
        self.edge_modes = np.array([to for _, to in flat], dtype=np.uint64)

    @property
    def mode_set_dtype(self) -> type[np.uint16] | type[np.uint64]:
        """What a set of modes is kept in where there are many."""
        return np.uint16 if self.modes <= 16 else np.uint64
