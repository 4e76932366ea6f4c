"""Page data of scorecard games: the keep lattice, the points of each box, and values between turns.

A page holds the values after the first turns only. Later positions have few successors, and the page's kernel solves
them when they are needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...games.card_rules import FREE, NONE, Card
from ...solvers import Problem, ValueTable
from ...solvers.cards.points import CardPointsProblem
from ...turns.keep_turn import KeepTurn
from ...util import multiset

MAX_STORED_VALUES = 60_000
BEAT_REMEDY = (
    "the objective beat; make the page for the objective points, which advises two people on beat too, "
    "or use keepwise coach --objective beat"
)
JOKER_NOTE = (
    "Another roll with all dice alike goes in its upper box while that is open, otherwise in a lower box"
    " (joker=forced)."
)


def unsupported_properties(problem: Problem[Any]) -> dict[str, bool]:
    """Return whether a problem has each of the properties for which there is no page."""
    card: Card = problem.game.data
    return {
        BEAT_REMEDY: problem.objective == "beat",
        "scorecards with more than one player or an objective other than points": not isinstance(
            problem, CardPointsProblem
        ),
        "scorecards whose points depend on the number of the roll": card.depends_on_roll_number,
        "scorecards with forced zeros": card.has_forced_zeros,
    }


def parts(problem: CardPointsProblem, value_table: ValueTable) -> dict[str, Any]:
    """Return the data and arrays of a page that depend on the family."""
    card = problem.card
    stored_turns, values = _stored_values(problem, value_table)
    card_data = {
        "names": list(card.names),
        "dice": card.dice,
        "faces": card.faces,
        "throws": card.throws,
        "boxes": card.boxes,
        "full": card.full_mask,
        "flags": card.flag_count,
        "again": card.mask_of([card.again_category]) if card.again_category else 0,
        "holds": max(
            (category.points for category in card.categories if category.name == card.again_category), default=0
        ),
        "bonuses": card.bonuses.tolist(),
        "upper": card.upper_mask,
        "before": list(card.predecessors),
        "carried": stored_turns,
        "note": JOKER_NOTE if card.again_category and card.again_joker not in (FREE, NONE) else "",
        "entries": [
            [
                entry.column,
                entry.fills,
                entry.open_mask,
                entry.used_mask,
                -1 if entry.flag is None else entry.flag,
                int(entry.sets_flag),
                entry.first_roll,
                entry.end_roll,
            ]
            for entry in card.entries()
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
        "beat": "beat" in problem.game.objectives,
        "match": card_data,
        "graph": {"faces": [str(face) for face in range(1, card.faces + 1)], **empty},
        "arrays": {**_arrays(card, card.turn), "values": values},
    }


def _arrays(card: Card, turn: KeepTurn) -> dict[str, Any]:
    """Return the keep lattice and the points of rolls, as arrays for the kernel."""
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


def _stored_values(problem: CardPointsProblem, value_table: ValueTable) -> tuple[int, Any]:
    """Return the values that a page holds.

    Returns:
        The largest number of used boxes whose states are stored, and an array with a row for each state: used
        categories and flag as one number, then the value for each upper total. Unreachable values are 0.
    """
    card, states = problem.card, problem.states
    table = value_table.arrays["points"]
    width = card.max_upper + 1 if card.upper_mask else 1
    used_uppers, upper_numbers = np.unique(states.sets & card.upper_mask, return_inverse=True)
    can_occur = np.zeros((len(used_uppers), width), dtype=bool)  # by used upper categories
    for number, used in enumerate(used_uppers.tolist()):
        can_occur[number, card.possible_uppers(used)] = True
    is_reachable = can_occur[upper_numbers]
    stored = 0
    while stored < len(card.names):
        values_of_next = is_reachable[states.used_counts <= stored + card.boxes].sum()
        if values_of_next > MAX_STORED_VALUES:
            break
        stored += card.boxes
    is_stored = states.used_counts <= stored
    keys = states.sets + states.flags * (card.full_mask + 1)
    values = np.where(is_reachable[is_stored], table[is_stored, :width], 0.0)
    return stored, np.concatenate([keys[is_stored, None].astype(np.float64), values], axis=1)
