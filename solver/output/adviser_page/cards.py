"""What a page needs to know of cards of categories: the lattice of throws, what boxes score, and values between turns.

Values of early turns are carried; what can follow a later position is solved by the page's kernel when it is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...games.card_rules import FREE, NONE, Card
from ...solvers import Problem, ValueTable
from ...solvers.cards.points import CardPointsProblem
from ...turns.keep_turn import KeepTurn
from ...util import multiset

MOST_CARRIED = 60_000  # values between turns
NOTE = "All alike once more go to their own category while it is open, then to a lower one (joker=forced)."


def refused(match: Problem[Any]) -> dict[str, bool]:
    """What no page is made for."""
    card: Card = match.game.data
    return {
        "cards but for points, alone": not isinstance(match, CardPointsProblem),
        "cards that count the throws of a turn": card.by_throw,
        "cards with forced zeros": card.forced_zeros,
    }


def parts(match: CardPointsProblem, solved: ValueTable) -> dict[str, Any]:
    """The throws, the boxes and the values."""
    card, turn = match.card, match.card.turn
    carried, values = _values(match, solved)
    boxes = {
        "names": list(card.names),
        "dice": card.dice,
        "faces": card.faces,
        "throws": card.throws,
        "boxes": card.boxes,
        "full": card.full,
        "flags": card.flags,
        "again": card.mask([card.again]) if card.again else 0,
        "holds": max((one.points for one in card.categories if one.name == card.again), default=0),
        "bonuses": card.bonuses.tolist(),
        "upper": card.upper_mask,
        "before": list(card.before),
        "carried": carried,
        "note": NOTE if card.again and card.joker not in (FREE, NONE) else "",
        "entries": [
            [e.column, e.fills, e.open, e.used, -1 if e.flag is None else e.flag, int(e.sets), e.first, e.last]
            for e in card.entries()
        ],
        "pairs": list(card.pairs) if card.boxes == 2 else [],
        "width": values.shape[1],
        "weights": list(card.weights),
    }
    empty: dict[str, list[Any]] = {name: [] for name in ("words", "choices", "lists", "forms", "decisions", "throws")}
    return {
        "family": "card",
        "kernel": "keep",
        "channels": "mover",
        "match": boxes,
        "graph": {"faces": [str(face) for face in range(1, card.faces + 1)], **empty},
        "arrays": {**_arrays(card, turn), "values": values},
    }


def _arrays(card: Card, turn: KeepTurn) -> dict[str, Any]:
    lattice = turn.lattice
    parts = multiset.list_multisets(card.dice // card.boxes, card.faces)
    return {
        "counts": lattice.counts,
        "child": lattice.child,
        "rising": lattice.rising,
        "run_end": lattice.run_end,
        "run_parents": lattice.run_parents,
        "parent": lattice.parent,
        "chance": lattice.chance,
        "weight": lattice.weight,
        "scores": card.scores.astype(np.int32),
        "shifts": turn.shift,
        "parts": parts,
        "part_scores": card.part_scores.astype(np.int32),
    }


def _values(match: CardPointsProblem, solved: ValueTable) -> tuple[int, Any]:
    """Values of states with few enough categories used, by used categories and flag; 0 where nobody comes."""
    card, states = match.card, match.states
    table = solved.arrays["points"]
    width = card.bonus_at + 1 if card.upper_mask else 1
    reached = np.zeros((len(states), width), dtype=bool)
    for number, used in enumerate(states.sets.tolist()):
        reached[number, card.occurring(used)] = True
    carried = 0
    while carried < len(card.names) and reached[states.used_counts <= carried + card.boxes].sum() <= MOST_CARRIED:
        carried += card.boxes
    here = states.used_counts <= carried
    keys = states.sets + states.flags * (card.full + 1)
    rows = np.where(reached[here], table[here, :width], 0.0)
    return carried, np.concatenate([keys[here, None].astype(np.float64), rows], axis=1)
