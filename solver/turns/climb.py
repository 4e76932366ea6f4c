"""The turn in which points only grow until it ends, laid out for the race kernel.

Every choice keeps the points in hand and adds some, every mode makes one throw or none, and a special ending stands
alone in its class. That is the turn of every push-your-luck game by rule data (``games.pushluck``); then a row of the
table, the points in hand, needs only higher rows, and what a choice leads to stands at a fixed distance from it.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from ..core.race import LANES
from .push import BUST, Choice, PushTurn

MOST_MODES = 16  # a set of modes is kept in so many bits


def climb(turn: PushTurn, win: Choice, wipe: Choice) -> dict[str, Any]:
    """Return the kernel's arrays for a turn; ``win`` and ``wipe`` are the choices of its special endings.

    Raises:
        ValueError: a turn that may lose points and go on, or has several throws to choose from.
    """
    modes = turn.modes
    if len(modes) > MOST_MODES or any(len(mode.throws) > 1 or mode.bank or mode.bank_from > 1 for mode in modes):
        raise ValueError(
            "a climbing turn has at most 16 modes, one throw in each, and stops with any points or not at all"
        )
    specials = (BUST, win, wipe)
    ending = np.zeros((len(specials), len(modes)))
    total = np.ones(len(modes))  # where there is no throw, going on is worth nothing
    class_start, choices, sizes, weights, edges = [0], [], [], [], []
    for number, mode in enumerate(modes):
        leads: dict[int, int] = {}
        for throw in mode.throws:
            total[number] = sum(weight for _, weight in throw.classes)
            # Classes of as many choices stand together, so that the processor can tell how long the next one is.
            for offered, weight in sorted(throw.classes, key=lambda entry: len(entry[0])):
                if offered[0] in specials and len(offered) == 1:
                    ending[specials.index(offered[0]), number] += weight
                    continue
                if any(choice.next < 0 or not choice.keeps or choice.add < 1 for choice in offered):
                    raise ValueError("in a climbing turn every choice keeps the points in hand and adds some")
                choices += [(choice.add * len(modes) + choice.next) * LANES for choice in offered]
                sizes.append(len(offered))
                weights.append(float(weight))
                for choice in offered:
                    leads[choice.add] = leads.get(choice.add, 0) | 1 << choice.next
        class_start.append(len(sizes))
        edges.append(sorted(leads.items()))
    flat = [edge for of_mode in edges for edge in of_mode]
    return {
        "modes": len(modes),
        "start": turn.start,
        "forbid": turn.forbid,
        "over_passes": turn.forced_passes,
        "banks": sum(1 << number for number, mode in enumerate(modes) if mode.bank is not None),
        "class_start": np.array(class_start, dtype=np.int32),
        "weight": np.array(weights),
        "choice_start": np.array(list(accumulate(sizes, initial=0)), dtype=np.int32),
        "leads": np.array(choices, dtype=np.int32),
        "bust": ending[0],
        "win": ending[1],
        "wipe": ending[2],
        "total": total,
        "edge_start": np.array(list(accumulate(map(len, edges), initial=0)), dtype=np.int32),
        "edge_add": np.array([add for add, _ in flat], dtype=np.int32),
        "edge_modes": np.array([to for _, to in flat], dtype=np.uint16),
    }
