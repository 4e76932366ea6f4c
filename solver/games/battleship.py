"""Battleship (ship, captain, mate and crew): five dice, three casts; 6, 5 and 4 in that order, the rest is the crew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core import multiset
from ..errors import InputError, nearest
from ..options import Option as RuleOption
from .rounddice import pick_number, pick_roll
from .rounds import Inside, Move, Option, RoundTurn, Situation

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
TRIO = ("6", "5", "4")

# A situation before a cast: (casts left, how many of the trio are set aside, crew die held or 0, whether crew dice have
# been recast before).


def compile_rules(rules: Mapping[str, Any]) -> RoundTurn:
    """Return the turn."""
    crew_rule = str(rules["crew"])

    def crew_options(left: int, crew: tuple[int, int], recast: bool) -> Iterator[Option]:
        high, low = max(crew), min(crew)
        yield Option(f"settle for {high + low}", high + low, (*TRIO, str(high), str(low)))
        if not left:
            return
        if crew_rule == "each" or (crew_rule == "hybrid" and recast):
            yield Option(f"keep {high}, recast {low}", (left, 3, high, True), (*TRIO, str(high)), 1)
            if high != low:
                yield Option(f"keep {low}, recast {high}", (left, 3, low, True), (*TRIO, str(low)), 1)
        yield Option("recast both crew dice", (left, 3, 0, True), TRIO, 2)

    def options(situation: Situation, counts: tuple[int, ...]) -> tuple[Option, ...]:
        """What may be done after a cast from ``situation`` shows ``counts`` of 1 to 6."""
        casts, aside, held, recast = (int(part) for part in situation)  # type: ignore[call-overload]
        rest, taken = list(counts), aside
        while taken < 3 and rest[5 - taken]:
            rest[5 - taken] -= 1
            taken += 1
        left = casts - 1
        if taken == 3:
            dice = [face for face, count in enumerate(rest, 1) for _ in range(count)] + ([held] if held else [])
            return tuple(crew_options(left, (dice[0], dice[1]), bool(recast)))
        if not left:
            return (Option("no ship, captain and mate: the round scores nothing", 0),)
        dice_left = 5 - taken
        words = f"set aside {' '.join(TRIO[:taken])}, cast {dice_left} dice" if taken else "cast all five dice again"
        return (Option(words, (left, taken, 0, False), TRIO[:taken], dice_left),)

    def throw(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        aside, held = int(situation[1]), int(situation[2])  # type: ignore[call-overload]
        counts = multiset.multisets(5 - aside - bool(held), 6)
        for row, weight in zip(counts.tolist(), multiset.weights(counts, [1] * 6), strict=True):
            yield int(weight), tuple(option.move for option in options(situation, tuple(row)))

    def read(*, cast: object = None, roll: object = None, kept: object = None) -> Inside | None:
        """Read all five dice as they lie after cast 1 to 3; ``kept``: those of them that were set aside before it."""
        if roll is None:
            if cast not in (None, 1, "1") or kept is not None:
                raise InputError("inside a round the roll must be given: all five dice as they lie")
            return None
        number = 1 if cast is None else pick_number(cast, "cast")
        if not 1 <= number <= CASTS:
            raise InputError(f"cast {number} must lie between 1 and {CASTS}: a round has {CASTS} casts")
        dice = pick_roll(roll, 5, ["1", "2", "3", "4", "5", "6"])
        before = 0
        if kept is not None:
            before = _aside(kept, dice, number)
        counts = [dice.count(face) for face in "123456"]
        for face in TRIO[:before]:
            counts[int(face) - 1] -= 1
        recast = before == 3
        found = options((CASTS + 1 - number, before, 0, recast), tuple(counts))
        shown: dict[str, Any] = {"cast": number, "roll": sorted(map(int, dice))}
        if kept is not None:
            shown["kept"] = list(TRIO[:before])
        note = ""
        if crew_rule == "hybrid" and kept is None and number == 2 and len(found) == 2:
            note = "The trio is taken to be new on this cast (else say --kept 654)."
        return Inside(found, shown, note)

    return RoundTurn((CASTS, 0, 0, False), throw, read, decides=True)


POLICIES = ("source", "above-seven")


def policy_turn(rules: Mapping[str, Any], name: str) -> RoundTurn:
    """Return the turn of somebody who follows a named policy: every cast leaves one move.

    ``source``, the source's strategy paragraph: with more than seven crew members settle, with fewer try to improve
    (both crew dice are recast); at seven, its average, settle. ``above-seven`` recasts at seven too.
    """
    if name not in POLICIES:
        raise InputError(f"{name} is no policy of Battleship{nearest(name, POLICIES)}")
    whole = compile_rules(rules)
    least = 7 if name == "source" else 8

    def throw(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        for weight, moves in whole.throw(situation):
            score = next((move for move in moves if isinstance(move, int)), None)
            settles = score is not None and (score >= least or len(moves) == 1)
            yield weight, (moves[0] if settles else moves[-1],)  # settling comes first, recasting both last

    return RoundTurn(whole.start, throw, whole.read, decides=False)


def _aside(kept: object, dice: list[str], number: int) -> int:
    """How many of the trio were set aside before this cast."""
    aside = pick_roll(kept, None, ["1", "2", "3", "4", "5", "6"])
    if sorted(aside, reverse=True) != list(TRIO[: len(aside)]):
        raise InputError(
            f"{' '.join(aside)} cannot have been set aside: only a 6, then a 5, then a 4; no captain without a ship"
        )
    if number == 1 and aside:
        raise InputError("before the first cast nothing is set aside; leave kept out")
    missing = [face for face in aside if face not in dice]
    if missing:
        raise InputError(f"the {missing[0]} set aside does not lie among {' '.join(dice)}: give all five dice")
    return len(aside)
