"""Checks that the rules of a push-your-luck file make a game that can be solved.

``check_game`` runs them in order, and the first rule that is broken is reported. Each check is one call of ``_refuse``:
when it applies, the message, and the key that it is about. To add a rule, add a call to the function of its subject.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...turns.push_turn import PushTurn
from ...util.errors import HouseRuleError
from ..push_rules import SCORING_EFFECTS, NextRoll, PushRules, check_bank
from .schema import Path

MAX_WEIGHED_SETS = 2_300_000  # sets that are weighed when a turn is compiled: some seconds
MAX_ONE_TURN_CHOICES = 5_000_000  # choices times turn points of a game of one turn each, which lists all of them
MAX_REROLLED_KINDS = 200  # kinds of rolls that confirm a set and roll faces again
MAX_REROLLED_OUTCOMES = 200_000  # outcomes of all these rolls
ROLLS_ON = ("again", "same", "roll")  # effects of special rolls after which dice are rolled


def check_size(dice: int, faces: int, weighed_faces: int, combinations: int) -> None:
    """Refuse rules that would take long to compile.

    Args:
        dice: the number of dice.
        faces: the number of faces of a die.
        weighed_faces: the number of faces that may be set aside or not: every subset of such dice is weighed.
        combinations: the number of patterns and special rolls that every roll is compared with.
    """
    sets = sum(math.comb(count + faces + weighed_faces - 1, count) for count in range(1, dice + 1))
    rolls = sum(math.comb(count + faces - 1, count) for count in range(1, dice + 1))
    weighed_sets = sets + rolls * combinations
    if weighed_sets > MAX_WEIGHED_SETS:
        message = f"{dice} dice of {faces} faces make {weighed_sets:,} sets to weigh"
        raise HouseRuleError(f"{message}, more than {MAX_WEIGHED_SETS:,}: play with fewer dice or faces", "dice")


def check_game(data: PushRules, rules: Mapping[str, Any]) -> None:
    """Refuse rules that make no game.

    Args:
        data: the compiled rules.
        rules: the values of the file, to find the key that a message is about.

    Raises:
        HouseRuleError: the first rule that is broken, with its key.
    """
    _check_points(data)
    if min(data.point_values) < 0:
        _check_negative_points(data, rules)
    _check_stop(data)
    _check_then(data)
    if data.best == "lowest":
        _check_lowest(data, rules)
    _check_short_turns(data)
    if data.bust_costs and _min_bank(data):
        _check_costs(data)
    if data.bust_above:
        _check_limit(data)
    if data.has_confirmations:
        ends_with_all_dice = data.then_all == "end"
        _refuse(
            data.is_single_roll or ends_with_all_dice,
            "sets to be confirmed require a roll after them: then.all=roll or must, and not then.set=end",
            "then.all" if ends_with_all_dice else "then.set",
        )
    if data.is_one_turn:
        _check_one_turn(data)
    _check_rerolls(data)
    _check_turn(data, rules)
    check_bank(data)


def _refuse(is_broken: object, message: str, key: str | Path) -> None:
    """Raise HouseRuleError if a rule is broken; ``key``: a key such as ``stop.opening``, or a path."""
    if is_broken:
        raise HouseRuleError(message, *(key.split(".") if isinstance(key, str) else key))


def _min_bank(data: PushRules) -> int:
    """Return the least points of the first bank."""
    return max(data.opening, data.minimum)


def _path_of_points(rules: Mapping[str, Any], max_points: int) -> Path:
    """Return the path of the first points of a set or a roll that are no more than ``max_points``."""
    paths: list[tuple[Path, Any]] = [(("singles", face), points) for face, points in rules["singles"].items()]
    for size, by_face in rules["alike"].items():
        paths += [(("alike", size, face), points) for face, points in by_face.items()]
    for section in ("pattern", "special"):
        paths += [((section, place, "points"), entry.get("points")) for place, entry in enumerate(rules[section])]
    matches = (path for path, points in paths if isinstance(points, int) and points <= max_points)
    return next(matches, ("singles",))


def _check_points(data: PushRules) -> None:
    has_points = any(data.scoring_faces) or any(special.effect in SCORING_EFFECTS for special in data.specials)
    message = "nothing scores: add [singles], [alike.N] or [[pattern]]"
    if has_points:
        message = "nothing scores above 0: give some of it points"
    _refuse(max(data.point_values) <= 0, message, "singles")


def _check_negative_points(data: PushRules, rules: Mapping[str, Any]) -> None:
    _refuse(
        not (data.then_all == "end" or data.is_single_roll),
        "sets below 0 require then.all=end or then.set=end, or points could go up and down for ever",
        _path_of_points(rules, -1),
    )
    _refuse(data.never_stops, "sets below 0 cannot be combined with then.set=must", "then.set")
    _refuse(data.best == "lowest", "sets below 0 require best=highest", "best")
    _refuse(not (data.is_one_turn or data.finish == "at_least"), "sets below 0 require finish=at_least", "finish")


def _check_stop(data: PushRules) -> None:
    min_bank, ends_with_all_dice = _min_bank(data), data.then_all == "end"
    for key, points in (("stop.opening", data.opening), ("stop.at_least", data.minimum)):
        _refuse(points % data.grain, f"{key}={points} must be a multiple of {data.grain}, as all points are", key)
    _refuse(
        data.finish == "exact" and data.target % data.grain,
        f"target={data.target} can never be hit exactly: all points are multiples of {data.grain}",
        "target",
    )
    _refuse(min_bank > data.target, f"a bank of at least {min_bank} is above the target", "stop.opening")
    if data.stop_below == "must" and min_bank:
        _refuse(data.finish == "exact", 'finish=exact waives the minimum: write below = "end"', "stop.below")
        _refuse(
            ends_with_all_dice or data.has_effect("end"),
            'a turn can end below the minimum, with all dice set aside: write below = "end"',
            "stop.below",
        )


def _check_then(data: PushRules) -> None:
    _refuse(
        data.chooses_dice and not data.is_single_roll,
        'dice = "chosen" requires set = "end": a turn of one roll',
        "then.dice",
    )
    _refuse(
        data.never_stops and data.then_all != "end",
        'set = "must" requires all = "end", or nobody could ever stop',
        "then.set",
    )


def _check_lowest(data: PushRules, rules: Mapping[str, Any]) -> None:
    _refuse(not data.never_stops, "best=lowest requires then.set=must, or nobody would roll again", "best")
    _refuse(
        data.specials or data.bust_costs or data.has_confirmations or _min_bank(data),
        "best=lowest cannot be combined with special rolls, costs of busts, a minimum or sets to be confirmed",
        "best",
    )
    _refuse(
        not data.scoring_symbols or not set(range(data.dice)) <= _compile_turn(data, rules).riskless_modes,
        "best=lowest requires every roll to score, or a bust would be best: give every face points",
        "singles",
    )


def _check_short_turns(data: PushRules) -> None:
    """Check turns of one roll, and turns in which the player never decides whether to roll again."""
    if data.is_single_roll:
        _refuse(data.then_all != "roll", "a turn of one roll ends with it: leave all out", "then.all")
        _refuse(
            data.has_effect(*ROLLS_ON),
            "a turn of one roll has no roll after it: then=must and then=roll are not allowed",
            "then.set",
        )
    if data.is_single_roll or data.never_stops:
        _refuse(data.stop_below == "must", "nobody decides whether to roll again: leave below out", "stop.below")
        _refuse(
            data.take_over != "none",
            "nothing can be taken over if every turn ends with no roll left to make: leave take_over out",
            "take_over",
        )


def _check_costs(data: PushRules) -> None:
    """Check busts that cost points beside a minimum."""
    minimum_key = "stop.at_least" if data.minimum else "stop.opening"
    _refuse(
        data.finish == "exact",
        "busts that cost points require the minimum on the winning turn too, which finish=exact waives: leave one out",
        minimum_key,
    )
    _refuse(not data.minimum_on_win, "busts that cost points require stop.on_win=true", "stop.on_win")
    _refuse(
        data.stop_below != "must",
        'who may stop below the minimum would rather do that than risk a bust that costs: write below = "must"',
        minimum_key,
    )


def _check_limit(data: PushRules) -> None:
    """Check ``[bust] above``, the points at which a turn is lost."""
    key = "bust.above"
    _refuse(not data.is_one_turn, "[bust] above requires finish=one_turn_shared: each player has one turn", key)
    _refuse(
        data.finish != "one_turn_shared",
        'who loses the turn on purpose could tie for ever: write finish = "one_turn_shared"',
        key,
    )
    _refuse(
        data.has_confirmations or min(data.point_values) < 0 or data.best == "lowest" or data.never_stops,
        "[bust] above cannot be combined with sets below 0 or to be confirmed, best=lowest or then.set=must",
        key,
    )
    _refuse(_min_bank(data) > data.bust_above, "no bank can count: the minimum is above the limit of turn points", key)


def _check_one_turn(data: PushRules) -> None:
    _refuse(data.take_over != "none", "take_over requires a race: leave finish=one_turn out", "take_over")
    is_bounded = data.then_all == "end" or data.is_single_roll or data.bust_above
    _refuse(
        not is_bounded or data.chooses_dice,
        "finish=one_turn requires then.all=end, then.set=end or [bust] above: the points of a turn must be bounded",
        "finish",
    )
    _refuse(
        data.bust_costs or data.has_effect("win", "wipe", *ROLLS_ON),
        "finish=one_turn cannot be combined with rolls that win, wipe or are followed by another, or with bust costs",
        "finish",
    )


def _check_rerolls(data: PushRules) -> None:
    """Check rolls that are made again: void rolls, and those that show a face of ``then.over``."""
    if data.has_effect("void"):
        for dice in range(1, data.dice + 1):
            message = f"every roll of {data.describe_hand(dice)} counts for nothing and would be made for ever"
            _refuse(not data.standing_rolls(NextRoll(dice)), message, "special")
    key = "then.over"
    rolls = [roll for roll in data.confirmation_rolls if roll.rerolled_faces]
    _refuse(data.then_over and not rolls, "no set to be confirmed has dice alike: leave over out", key)
    _refuse(
        len(rolls) > MAX_REROLLED_KINDS,
        f"sets are confirmed by {len(rolls)} kinds of roll, more than {MAX_REROLLED_KINDS}: leave over out",
        key,
    )
    outcomes = 0
    for roll in rolls:
        count = len(data.standing_rolls(roll))
        outcomes += count
        faces = data.describe_faces(roll.rerolled_faces)
        _refuse(not count, f"a roll in which {faces} is rolled again would be made for ever", key)
    _refuse(
        outcomes > MAX_REROLLED_OUTCOMES,
        f"the rolls that confirm sets have {outcomes:,} outcomes, more than {MAX_REROLLED_OUTCOMES:,}: leave over out",
        key,
    )


def _check_turn(data: PushRules, rules: Mapping[str, Any]) -> None:
    """Check that the compiled turn ends, and that it can be listed if every player has one."""
    turn = _compile_turn(data, rules)
    if data.is_one_turn:
        choices = turn.choice_count * turn.max_added_points
        message = f"a turn of {data.dice} dice offers {choices:,} choices, more than {MAX_ONE_TURN_CHOICES:,}"
        message += " for finish=one_turn: play with fewer dice"
        _refuse(choices > MAX_ONE_TURN_CHOICES, message, "dice")
    if data.bust_costs:
        _refuse(
            _has_sets_without_points(turn),
            "busts that cost points cannot be combined with sets of 0 points or less: a turn could end with nothing and"
            " without a bust",
            "bust",
        )
    if turn.endless_modes and not data.bust_above:
        name = turn.modes[turn.endless_modes[0]].name
        scores = "scores or counts for nothing" if data.has_effect("void") else "scores"
        message = f"{name} can be rolled for ever, since every roll there {scores}, so a turn would never have to end"
        remedy = ": let some roll bust" + ", or write then.all=end" * (data.then_all != "end")
        _refuse(name, message + remedy, "singles")


def _has_sets_without_points(turn: PushTurn) -> bool:
    """Return whether some choice that leads to another mode adds no points."""
    return any(
        choice.added_points <= 0 <= choice.next_mode
        for mode in turn.modes
        for roll in mode.rolls
        for choices, _ in roll.classes
        for choice in choices
    )


def _compile_turn(data: PushRules, rules: Mapping[str, Any]) -> PushTurn:
    """Return the turn model; refuse rules for which there is none."""
    try:
        return data.turn
    except ValueError as error:
        path = _path_of_points(rules, 0)
        if path == ("singles",):
            raise HouseRuleError(str(error), "then", "all") from None
        raise HouseRuleError(f"{error}: write more than 0 points", *path) from None
