"""Battleship (ship, captain, mate and crew): five dice, three casts; 6, 5 and 4 in that order, the rest is the crew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..util import multiset
from ..util.number_format import format_count
from .round_rules import Move, RoundTurn, Situation
from .rule_options import Option as RuleOption

TITLE = "Battleship"
FAMILY = "rounds"
OBJECTIVES = ("win", "points", "turns", "reach", "margin")

OPTIONS = (
    RuleOption(
        "crew",
        "each",
        'which crew dice a recast throws. each: one or both, also a die held before ("keeping whichever die or dice'
        ' they want"). both: both or none ("accept the total"), the most published rule. hybrid: the first recast of a'
        " round takes both, the second may take one",
        choices=("each", "both", "hybrid"),
    ),
    RuleOption(
        "match",
        "rounds",
        "rounds: the highest total after so many. first_to: the round in which somebody reaches the target is"
        " completed, and the highest total wins. All tied play one-round playoffs in the same seating until decided",
        choices=("rounds", "first_to"),
    ),
    RuleOption("rounds", 10, "rounds of a match", low=1, high=50),
    RuleOption("target", 100, "total to reach, for match=first_to and for turns alone", low=2, high=300),
)

CASTS = 3
TRIO = (6, 5, 4)

# A situation before a cast: (casts left, how many of the trio are set aside, crew die held or 0).


def compile_rules(rules: Mapping[str, Any]) -> RoundTurn:
    """Return the turn."""
    crew_rule = str(rules["crew"])

    def crew_moves(left: int, high: int, low: int, recast: bool) -> Iterator[Move]:
        yield high + low
        if not left:
            return
        if crew_rule == "each" or (crew_rule == "hybrid" and recast):
            yield (left, 3, high)
            if high != low:
                yield (left, 3, low)
        yield (left, 3, 0)

    def moves(situation: Situation, counts: Sequence[int]) -> tuple[Move, ...]:
        """What may be done after a cast from ``situation`` shows ``counts`` of 1 to 6."""
        casts, aside, held = situation
        rest, taken, left = list(counts), aside, casts - 1
        while taken < len(TRIO) and rest[TRIO[taken] - 1]:
            rest[TRIO[taken] - 1] -= 1
            taken += 1
        if taken == len(TRIO):
            crew = [face for face, count in enumerate(rest, 1) for _ in range(count)] + ([held] if held else [])
            return tuple(crew_moves(left, max(crew), min(crew), recast=aside == len(TRIO)))
        return ((left, taken, 0),) if left else (0,)

    def throw(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        _, aside, held = situation
        counts = multiset.list_multisets(5 - aside - bool(held), 6)
        for row, weight in zip(counts.tolist(), multiset.multiset_weights(counts, [1] * 6), strict=True):
            yield int(weight), moves(situation, row)

    return RoundTurn((CASTS, 0, 0), throw, decides=True)


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Say how the game is played under these rules, a line at a time."""
    crew = {
        "each": "one of them or both, also one that was kept before",
        "both": "both of them or none",
        "hybrid": "both of them at first, then one or both",
    }
    until = {
        "rounds": f"The highest total after {format_count(rules['rounds'], 'round')} wins",
        "first_to": f"The round in which somebody reaches {rules['target']} is completed, and the highest total wins",
    }
    yield f"Five dice, up to {CASTS} throws a turn, one turn each in a round."
    yield "A 6 (ship), then a 5 (captain), then a 4 (mate) are set aside as soon as they show, in that order only."
    yield "The other two dice are the crew: with all three set aside their sum scores, else the turn scores 0."
    yield f"While throws remain, the crew may be thrown again: {crew[str(rules['crew'])]}."
    yield f"{until[str(rules['match'])]}; those tied play one more round each, in the same order, until one is ahead."
