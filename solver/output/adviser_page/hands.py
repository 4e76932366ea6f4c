"""Page data of hands of dice: the sets that score, and the dice of each seat, from which the page builds its turns.

What may be set aside from a roll depends on its faces only, so a page needs no list of the rolls of a hand. Six
unlike dice have 117,648 of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod
from typing import Any

from ...games.push_rules import Counts, PushRules
from ...play.position_fields import has_named_faces
from ...solvers.push.hand_values import is_plain
from ...util import multiset
from .graph import PageTurnGraph

MAX_CODES = 1 << 20  # numbers of sets in the page; six dice with seven faces have 823,543
MAX_POSITION_ROLLS = 1 << 17  # ordered rolls of all dice, which the page lists once
MAX_FACES = 80  # of all seats together, because a die is written as one sign
MAX_SETS = 5_000  # of dice, scoring or not

ScoringSets = dict[tuple[str, ...], tuple[int, str]]  # by its faces, the points of a set and its name


def can_build_hands(seats: Sequence[PushRules]) -> bool:
    """Return whether a page can build the turns of the hands of all seats."""
    has_hands = all(is_plain(rules) and rules.set_aside == "free" and rules.finish != "exact" for rules in seats)
    return has_hands and all(map(_is_small, seats)) and len(_symbols(seats)) <= MAX_FACES and _sets_agree(seats)


def _is_small(rules: PushRules) -> bool:
    """Return whether the tables of a hand are small enough for a browser."""
    size, faces = rules.hand_size(rules.dice), len(rules.faces)
    largest_weight = prod(sum(kind.weights) ** kind.count for kind in rules.die_kinds)
    return (
        (size + 1) ** faces <= MAX_CODES
        and faces**size <= MAX_POSITION_ROLLS
        and comb(size + faces, size) <= MAX_SETS
        and largest_weight < 1 << 53
    )


def _symbols(seats: Sequence[PushRules]) -> tuple[str, ...]:
    """Return the symbols of all seats, each once."""
    return tuple(dict.fromkeys(symbol for rules in seats for symbol in rules.symbols))


def _faces(seats: Sequence[PushRules]) -> tuple[str, ...]:
    """Return the faces of all seats, each once."""
    return tuple(dict.fromkeys(face for rules in seats for face in rules.faces))


def _sets_agree(seats: Sequence[PushRules]) -> bool:
    """Return whether sets of the same faces score the same in every seat, and stops are alike."""
    first, *others = seats
    return all(
        _restricted(_scoring_sets(first), rules.faces) == _restricted(_scoring_sets(rules), first.faces)
        and rules.stop_below == first.stop_below
        for rules in others
    )


def _restricted(sets: ScoringSets, faces: Sequence[str]) -> ScoringSets:
    """Return the sets that show some faces only."""
    return {shown: score for shown, score in sets.items() if set(shown) <= set(faces)}


def _scoring_sets(rules: PushRules) -> ScoringSets:
    """Return the sets that score, with their points and names."""
    scoring = {}
    for dice in range(1, rules.hand_size(rules.dice) + 1):
        for counts in map(tuple, multiset.list_multisets(dice, len(rules.faces)).tolist()):
            reading = rules.reading(counts)
            if reading:
                scoring[_list_set(rules, counts)] = (reading.points, _name_set(rules, counts))
    return scoring


def _list_set(rules: PushRules, counts: Counts) -> tuple[str, ...]:
    return tuple(face for face, count in zip(rules.faces, counts, strict=True) for _ in range(count))


def _name_set(rules: PushRules, counts: Counts) -> str:
    return " and ".join(pattern.name for pattern in rules.patterns_of(counts) if pattern.name)


def hand_parts(seats: Sequence[PushRules]) -> dict[str, Any]:
    """Return the parts of a page that stand for the rolls and the turns of all seats.

    Args:
        seats: the rules of each seat, for which ``can_build_hands`` is true.
    """
    sets = describe_sets(seats)
    dice = {**sets, "seats": [_describe_dice(rules, sets["faces"]) for rules in seats]}
    return {"dice": dice, "graph": PageTurnGraph(_symbols(seats)).as_json()}


def describe_sets(seats: Sequence[PushRules]) -> dict[str, Any]:
    """Return the faces of all seats, the sets that score, and what else the turns of all seats have in common."""
    faces = _faces(seats)
    scoring: ScoringSets = {}
    for rules in seats:
        scoring |= _scoring_sets(rules)
    return {
        "faces": list(faces),
        "sets": [[[faces.index(face) for face in shown], points, name] for shown, (points, name) in scoring.items()],
        "stops": seats[0].stop_below == "end",
        "is_counted": has_named_faces(faces),
    }


def _describe_dice(rules: PushRules, faces: Sequence[str]) -> dict[str, Any]:
    """Return the dice of a seat: of each kind the name of its faces, its own, the number of dice, and the weights."""
    kinds = []
    for kind in rules.die_kinds:
        weights = dict(zip(rules.faces, kind.weights, strict=True))
        own_name = kind.name or rules.die_name or "plain"
        kinds.append([kind.name, own_name, kind.count, [weights.get(face, 0) for face in faces]])
    return {"kinds": kinds, "is_unlike": bool(rules.kinds)}
