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
SOURCES = (("the bar game of ship, captain, mate and crew", None),)
OBJECTIVES = ("win", "points", "turns", "reach", "margin")

OPTIONS = (
    RuleOption(
        "crew",
        "each",
        'which crew dice are rolled again. each: one or both, including a die that was kept before ("keeping'
        ' whichever die or dice they want"). both: both or none ("accept the total"), the most published rule.'
        " hybrid: the first time in a round both, the second time one or both",
        choices=("each", "both", "hybrid"),
    ),
    RuleOption(
        "match",
        "rounds",
        "rounds: the highest total after that many rounds. first_to: the round in which a player reaches the target"
        " is completed, and the highest total wins. Tied players play one-round playoffs in the same seating until"
        " one wins",
        choices=("rounds", "first_to"),
    ),
    RuleOption("rounds", 10, "rounds of a match", low=1, high=50),
    RuleOption("target", 100, "points to reach, for match=first_to and for the objective turns", low=2, high=300),
)

DICE = 5
CASTS = 3  # rolls of a turn
TRIO = (6, 5, 4)  # ship, captain and mate, in the order in which they are set aside
NO_CREW_DIE = 0

# A situation is (casts left, number of the trio set aside, crew die set aside or NO_CREW_DIE).


def compile_rules(rules: Mapping[str, Any]) -> RoundTurn:
    """Return the compiled turn."""
    crew_rule = str(rules["crew"])

    def list_rolls(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        _, trio_count, crew_die = situation
        rows = multiset.list_multisets(DICE - trio_count - bool(crew_die), 6)
        for counts, weight in zip(rows.tolist(), multiset.multiset_weights(rows, [1] * 6), strict=True):
            yield int(weight), tuple(_moves(crew_rule, situation, counts))

    return RoundTurn((CASTS, 0, NO_CREW_DIE), list_rolls, has_choices=True)


def _moves(crew_rule: str, situation: Situation, counts: Sequence[int]) -> Iterator[Move]:
    """Yield the moves after a cast that shows ``counts`` of the faces 1 to 6."""
    casts, trio_before, crew_die = situation
    casts_left, trio_count, remaining = casts - 1, trio_before, list(counts)
    while trio_count < len(TRIO) and remaining[TRIO[trio_count] - 1]:
        remaining[TRIO[trio_count] - 1] -= 1
        trio_count += 1
    if trio_count < len(TRIO):
        yield (casts_left, trio_count, NO_CREW_DIE) if casts_left else 0
        return
    crew = [face for face, count in enumerate(remaining, 1) for _ in range(count)]
    if crew_die:
        crew.append(crew_die)
    is_recast = trio_before == len(TRIO)  # the trio was complete before this cast
    may_keep_one = crew_rule == "each" or (crew_rule == "hybrid" and is_recast)
    yield from _crew_moves(casts_left, max(crew), min(crew), may_keep_one)


def _crew_moves(casts_left: int, high: int, low: int, may_keep_one: bool) -> Iterator[Move]:
    """Yield the moves with ship, captain and mate set aside and two crew dice."""
    yield high + low
    if not casts_left:
        return
    if may_keep_one:
        yield (casts_left, len(TRIO), high)
        if high != low:
            yield (casts_left, len(TRIO), low)
    yield (casts_left, len(TRIO), NO_CREW_DIE)


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that say how the game is played."""
    crew = {
        "each": "one of them or both, also one that was kept before",
        "both": "both of them or none",
        "hybrid": "both of them at first, then one or both",
    }
    until = {
        "rounds": f"The highest total after {format_count(rules['rounds'], 'round')} wins",
        "first_to": f"The round in which a player reaches {rules['target']} is completed, and the highest total wins",
    }
    yield f"Five dice, up to {CASTS} rolls a turn, one turn each in a round."
    yield "A 6 (ship), then a 5 (captain), then a 4 (mate) are set aside as soon as they show, in that order only."
    yield (
        "The other two dice are the crew: if all three are set aside, the sum of the crew is scored; otherwise the"
        " turn scores 0."
    )
    yield f"While rolls remain, the crew may be rolled again: {crew[str(rules['crew'])]}."
    yield f"{until[str(rules['match'])]}; tied players play one more round each, in the same order, until one is ahead."
