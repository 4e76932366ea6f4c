"""Which rules of a push-your-luck file make a game that can be solved; the others are refused with the reason."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from ...turns.push_turn import PushTurn
from ...util.errors import HouseRuleError
from ..push_rules import SCORING, Next, PushRules, check_bank
from .schema import Path

MOST_WEIGHED = 2_300_000  # sets weighed when a turn is compiled: some seconds
MOST_WALKED = 5_000_000  # choices of a game of one turn each, for all points in hand: all are walked through first
MOST_CONFIRMING, MOST_CONFIRMED = 200, 200_000  # kinds of throw that confirm, and all that can fall in them


def check_size(dice: int, faces: int, useful: int, combinations: int) -> None:
    """Refuse rules that would take long to compile: every part of every throw, of faces that any set holds, is weighed,
    by every combination.
    """
    sets = sum(math.comb(count + faces + useful - 1, count) for count in range(1, dice + 1))
    throws = sum(math.comb(count + faces - 1, count) for count in range(1, dice + 1))
    weighed = sets + throws * combinations
    if weighed > MOST_WEIGHED:
        message = f"{dice} dice of {faces} faces make {weighed:,} sets to weigh"
        raise HouseRuleError(f"{message}, more than {MOST_WEIGHED:,}: play with fewer dice or faces", "dice")


def check_whole(data: PushRules, rules: Mapping[str, Any]) -> None:
    """Refuse rules that make no game; ``rules``: as they are told."""
    for wrong, said, where in chain(_apart(data, rules), _endless(data, rules)):
        if wrong:
            raise HouseRuleError(said, *(where.split(".") if isinstance(where, str) else where))
    check_bank(data)


def _scored(rules: Mapping[str, Any], most: int) -> Path:
    """Where the first points of a set or a throw stand that are no more than this."""
    told: list[tuple[Path, Any]] = [(("singles", face), points) for face, points in rules["singles"].items()]
    told += [(("alike", n, face), points) for n, by_face in rules["alike"].items() for face, points in by_face.items()]
    for section in ("pattern", "special"):
        told += [((section, place, "points"), one.get("points")) for place, one in enumerate(rules[section])]
    return next((path for path, points in told if isinstance(points, int) and points <= most), ("singles",))


def _apart(d: PushRules, rules: Mapping[str, Any]) -> Iterator[tuple[object, str, str | Path]]:
    """What does not go together: whether it is so, what to say, and which key it is about."""
    least, one_turn, lowest = max(d.opening, d.minimum), d.one_turn, d.best == "lowest"
    ends, all_must, goes_on = d.hot_dice == "none", d.stop == "all", ("again", "same", "roll")
    scores = any(d.useful_faces) or any(special.effect in SCORING for special in d.specials)
    said = "nothing scores above 0" if scores else "nothing scores: give [singles], [alike.N] or [[pattern]]"
    yield max(d.worths) <= 0, f"{said}: give some of it points" if scores else said, "singles"
    if min(d.worths) < 0:
        said = "sets below 0 go with then.all=end or then.set=end: else points could go up and down for ever"
        yield not (ends or d.once), said, _scored(rules, -1)
        yield all_must, "sets below 0 do not go with then.set=must", "then.set"
        yield lowest, "sets below 0 go with best=highest only", "best"
        yield not (one_turn or d.finish == "at_least"), "sets below 0 go with finish=at_least only", "finish"
    for key, points in (("opening", d.opening), ("at_least", d.minimum)):
        said = f"stop.{key}={points} must be a multiple of {d.grain}, as all points are"
        yield points % d.grain, said, f"stop.{key}"
    said = f"target={d.target} can never be hit exactly: all points come in {d.grain}s"
    yield d.finish == "exact" and d.target % d.grain, said, "target"
    yield least > d.target, f"a bank of at least {least} is above the target", "stop.opening"
    if d.below == "throw" and least:
        yield d.finish == "exact", 'finish=exact waives the minimum: write below = "end"', "stop.below"
        said = 'a turn can end below the minimum, all dice being set aside: write below = "end"'
        yield ends or d.does("end"), said, "stop.below"
    yield d.choose and not d.once, 'dice = "chosen" goes with set = "end": a turn of one throw', "then.dice"
    yield all_must and not ends, 'set = "must" goes with all = "end", or nobody could ever stop', "then.set"
    if lowest:
        yield not all_must, "best=lowest goes with then.set=must, or nobody would throw on", "best"
        said = "best=lowest goes with plain sets only: no special throws, busts, minimum or sets to be confirmed"
        yield d.specials or d.costs or d.confirms or least, said, "best"
        said = "best=lowest needs every throw to score, or a bust would be best: give every face"
        yield not d.useful or not set(range(d.dice)) <= _turn_of(d, rules).riskless_modes, said, "singles"
    if d.once:
        yield d.hot_dice != "free", "a turn of one throw ends with it: leave all out", "then.all"
        said = "a turn of one throw has no throw after it: then=must or roll cannot be"
        yield d.does(*goes_on), said, "then.set"
    if d.once or all_must:
        yield d.below == "throw", "nobody chooses whether to throw on: leave below out", "stop.below"
        said = "nothing can be taken over where every turn ends with no throw left to make"
        yield d.take_over != "none", said, "take_over"
    if d.costs and least:
        said = (
            "busts that cost points need the minimum on the winning turn too, which finish=exact waives: leave one out"
        )
        yield d.finish == "exact", said, "stop.at_least" if d.minimum else "stop.opening"
        yield not d.minimum_on_win, "busts that cost points go with stop.on_win=true only", "stop.on_win"
        said = 'who may stop below the minimum would rather do that than risk a bust that costs: write below = "must"'
        yield d.below != "throw", said, "stop.at_least" if d.minimum else "stop.opening"
    if d.above:
        yield not one_turn, "[bust] above goes with finish=one_turn: each player has one turn", "bust.above"
        said = 'who loses the hand on purpose could tie for ever: write finish = "one_turn_shared"'
        yield d.finish != "one_turn_shared", said, "bust.above"
        said = "[bust] above does not go with sets below 0 or that must be thrown on, best=lowest and then.set=must"
        yield d.confirms or min(d.worths) < 0 or lowest or all_must, said, "bust.above"
        yield least > d.above, "no bank can count: the minimum is above what may be held", "bust.above"
    if d.confirms:
        said = "sets that must be thrown on need a throw after them: then.all=roll or must, and not then.set=end"
        yield d.once or ends, said, "then.all" if ends else "then.set"
    if one_turn:
        yield d.take_over != "none", "taking over goes with races only: leave finish=one_turn out", "take_over"
        said = "finish=one_turn goes with then.all=end, then.set=end or [bust] above: a turn's points must be bounded"
        yield not (ends or d.once or d.above) or d.choose, said, "finish"
        said = "finish=one_turn knows bounded points of a turn only: no throws that win, wipe or go on, and no costs"
        yield d.costs or d.does("win", "wipe", *goes_on), said, "finish"


def _endless(d: PushRules, rules: Mapping[str, Any]) -> Iterator[tuple[object, str, str]]:
    """The same of throws that would be made for ever, and of turns that never end or take long to walk through."""
    for dice in range(1, d.dice + 1) if d.does("void") else ():
        said = f"every throw of {d.hand_in_words(dice)} counts for nothing and would be made for ever"
        yield not any(True for _ in d.throws_of(Next(dice))), said, "special"
    over, stands = [throw for throw in d.confirming if throw.over], 0
    yield d.over and not over, "no set that must be thrown on has dice alike: leave over out", "then.over"
    said = f"sets are confirmed by {len(over)} kinds of throw, more than {MOST_CONFIRMING}: leave over out"
    yield len(over) > MOST_CONFIRMING, said, "then.over"
    for throw in over:
        stands += (ways := sum(1 for _ in d.throws_of(throw)))
        yield not ways, f"a throw with {d.faces_in_words(throw.over)} thrown over would be thrown for ever", "then.over"
    said = f"the throws that confirm sets fall in {stands:,} ways, more than {MOST_CONFIRMED:,}: leave over out"
    yield stands > MOST_CONFIRMED, said, "then.over"
    turn = _turn_of(d, rules)
    choices = turn.choice_count * turn.max_added_points
    said = f"a turn of {d.dice} dice offers {choices:,} choices, more than {MOST_WALKED:,}"
    said = f"{said} for finish=one_turn: play with fewer dice"
    yield d.one_turn and choices > MOST_WALKED, said, "dice"
    said = "busts that cost points do not go with sets of 0 points or less: a turn could end with nothing, unbusted"
    classes = (one for mode in turn.modes if d.costs for throw in mode.rolls for one in throw.classes)
    yield (
        any(choice.added_points <= 0 <= choice.next_mode for offered, _ in classes for choice in offered),
        said,
        "bust",
    )
    name = turn.modes[turn.endless_modes[0]].name if turn.endless_modes else ""
    scores = "scores or counts for nothing" if d.does("void") else "scores"
    said = f"{name} can be thrown for ever, since every throw there {scores}, so a turn would never have to end"
    said += ": let some throw bust" + ", or write then.all=end" * (d.hot_dice != "none")
    yield name and not d.above, said, "singles"


def _turn_of(data: PushRules, rules: Mapping[str, Any]) -> PushTurn:
    """The turn that the rules describe."""
    try:
        return data.turn
    except ValueError as error:
        if (where := _scored(rules, 0)) == ("singles",):
            raise HouseRuleError(str(error), "then", "all") from None
        raise HouseRuleError(f"{error}: write more than 0 points", *where) from None
