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
from ..badges import BADGES, EMPEROR_COUNT, EMPEROR_FACE
from ..push_rules import SCORING_EFFECTS, NextRoll, PushRules, check_bank
from .schema import Path

MAX_WEIGHED_SETS = 2_300_000  # sets that are weighed when a turn is compiled: some seconds
MAX_ONE_TURN_CHOICES = 5_000_000  # choices times turn points of a game of one turn each, which lists all of them
MAX_REROLLED_KINDS = 200  # kinds of rolls that confirm a set and roll faces again
MAX_REROLLED_OUTCOMES = 200_000  # outcomes of all these rolls
BADGE_TURNS = ("free", "all", "all-or-none")  # values of ``set_aside`` with which players may have badges
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
        message = f"{dice} dice with {faces} faces make {weighed_sets:,} sets to compare"
        raise HouseRuleError(f"{message}, more than {MAX_WEIGHED_SETS:,}: use fewer dice or faces", "dice")


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
            "sets that must be confirmed require a roll after them: use then.all=roll or must, and not then.set=end",
            "then.all" if ends_with_all_dice else "then.set",
        )
    if data.is_one_turn:
        _check_one_turn(data)
    _check_rerolls(data)
    _check_turn(data, rules)
    check_bank(data)
    _refuse(
        data.emperor and not data.has_emperor_pattern,
        f"emperor requires points for {EMPEROR_COUNT} dice that show {EMPEROR_FACE}",
        "emperor",
    )


def check_badges(rules: Mapping[str, Any]) -> None:
    """Refuse rules of a race in which no badges are played, if players have badges.

    Args:
        rules: the values of the file.

    Raises:
        HouseRuleError: the first badge, with the rule that it cannot be combined with.
    """
    badge = next((badge for badge in BADGES if rules[badge]), None)
    if badge is None:
        return
    points = [rules["singles"], *rules["alike"].values(), *rules["pattern"], *rules["special"]]
    has_negative_points = any(isinstance(value, int) and value < 0 for table in points for value in table.values())
    reasons = {
        f"finish={rules['finish']}": rules["finish"] != "at_least",
        f"take_over={rules['take_over']}": rules["take_over"] != "none",
        f"set_aside={rules['set_aside']}": rules["set_aside"] not in BADGE_TURNS,
        "then.dice=chosen": rules["then"]["dice"] == "chosen",
        "best=lowest": rules["best"] == "lowest",
        "[bust]": "bust" in rules,
        "a roll that loses the whole score": any(special.get("then") == "wipe" for special in rules["special"]),
        "points below 0": has_negative_points,
    }
    refused = next((reason for reason, holds in reasons.items() if holds), None)
    _refuse(refused, f"{badge} cannot be combined with {refused}: leave one of them out", badge)
    # After Resurrection the roll would not be made again if it showed the faces of the set to be confirmed.
    repeats_rolls = rules["resurrection"] and rules["then"]["over"]
    _refuse(repeats_rolls, "resurrection cannot be combined with then.over=true: leave one of them out", "resurrection")


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
    message = "no dice score: add [singles], [alike.N] or [[pattern]]"
    if has_points:
        message = "no dice score above 0: give some of them points"
    _refuse(max(data.point_values) <= 0, message, "singles")


def _check_negative_points(data: PushRules, rules: Mapping[str, Any]) -> None:
    _refuse(
        not (data.then_all == "end" or data.is_single_roll),
        "negative points require then.all=end or then.set=end, because turn points could otherwise rise and fall"
        " forever",
        _path_of_points(rules, -1),
    )
    _refuse(data.never_stops, "negative points cannot be combined with then.set=must", "then.set")
    _refuse(data.best == "lowest", "negative points require best=highest", "best")
    _refuse(not (data.is_one_turn or data.finish == "at_least"), "negative points require finish=at_least", "finish")


def _check_stop(data: PushRules) -> None:
    min_bank, ends_with_all_dice = _min_bank(data), data.then_all == "end"
    for key, points in (("stop.opening", data.opening), ("stop.at_least", data.minimum)):
        _refuse(points % data.grain, f"{key}={points} must be a multiple of {data.grain}, as all points are", key)
    _refuse(
        data.finish == "exact" and data.target % data.grain,
        f"target={data.target} can never be hit exactly, because all points are multiples of {data.grain}: use a"
        f" multiple of {data.grain}",
        "target",
    )
    key = "stop.opening" if data.opening == min_bank else "stop.at_least"
    message = f"{key} must be at most target={data.target}, not {min_bank}"
    _refuse(min_bank > data.target, message, "stop.opening")
    if data.stop_below == "must" and min_bank:
        _refuse(
            data.finish == "exact",
            'stop.below=must cannot be combined with finish=exact, which waives the minimum: write stop.below = "end"',
            "stop.below",
        )
        _refuse(
            ends_with_all_dice or data.has_effect("end"),
            "stop.below=must would leave a player without a choice, because a turn can end below the minimum with all"
            ' dice set aside: write stop.below = "end"',
            "stop.below",
        )


def _check_then(data: PushRules) -> None:
    _refuse(
        data.chooses_dice and not data.is_single_roll,
        "then.dice=chosen requires then.set=end: a turn of one roll",
        "then.dice",
    )
    _refuse(
        data.never_stops and data.then_all != "end",
        "then.set=must requires then.all=end: otherwise no player could ever stop",
        "then.set",
    )


def _check_lowest(data: PushRules, rules: Mapping[str, Any]) -> None:
    _refuse(not data.never_stops, "best=lowest requires then.set=must: otherwise no player would roll again", "best")
    _refuse(
        data.specials or data.bust_costs or data.has_confirmations or _min_bank(data),
        "best=lowest cannot be combined with special rolls, bust.costs, a minimum, or sets that must be confirmed",
        "best",
    )
    _refuse(
        not data.scoring_symbols or not set(range(data.dice)) <= _compile_turn(data, rules).riskless_modes,
        "best=lowest requires that every roll scores, because a bust would otherwise be best: give every face points",
        "singles",
    )


def _check_short_turns(data: PushRules) -> None:
    """Check turns of one roll, and turns in which the player never decides whether to roll again."""
    if data.is_single_roll:
        _refuse(data.then_all != "roll", "then.set=end makes every turn one roll: leave then.all out", "then.all")
        _refuse(
            data.has_effect(*ROLLS_ON),
            "then.set=end makes every turn one roll, so special rolls with then=must or then=roll are not allowed",
            "then.set",
        )
    if data.is_single_roll or data.never_stops:
        _refuse(
            data.stop_below == "must",
            "the player never decides whether to roll again: leave stop.below out",
            "stop.below",
        )
        _refuse(
            data.take_over != "none",
            "the player never decides whether to roll again, so there is nothing to take over: leave take_over out",
            "take_over",
        )


def _check_costs(data: PushRules) -> None:
    """Check busts that cost points beside a minimum."""
    minimum_key = "stop.at_least" if data.minimum else "stop.opening"
    _refuse(
        data.finish == "exact",
        "bust.costs requires the minimum on the winning turn too, but finish=exact waives it: leave one of them out",
        minimum_key,
    )
    _refuse(not data.minimum_on_win, "bust.costs requires stop.on_win=true", "stop.on_win")
    _refuse(
        data.stop_below != "must",
        'bust.costs with a minimum requires below = "must" under [stop]: otherwise a player below the minimum could'
        " stop without points and avoid the cost of a bust",
        minimum_key,
    )


def _check_limit(data: PushRules) -> None:
    """Check ``[bust] above``, the points at which a turn is lost."""
    key = "bust.above"
    _refuse(not data.is_one_turn, "bust.above requires finish=one_turn_shared: each player has one turn", key)
    _refuse(
        data.finish != "one_turn_shared",
        "bust.above requires finish=one_turn_shared: players who bust on purpose could otherwise tie forever",
        key,
    )
    _refuse(
        data.has_confirmations or min(data.point_values) < 0 or data.best == "lowest" or data.never_stops,
        "bust.above cannot be combined with negative points, sets that must be confirmed, best=lowest or then.set=must",
        key,
    )
    _refuse(
        _min_bank(data) > data.bust_above,
        f"no bank can count, because the minimum is above bust.above={data.bust_above}",
        key,
    )


def _check_one_turn(data: PushRules) -> None:
    finish = f"finish={data.finish}"
    _refuse(data.take_over != "none", f"take_over requires a race: leave {finish} out", "take_over")
    is_bounded = data.then_all == "end" or data.is_single_roll or data.bust_above
    _refuse(
        not is_bounded or data.chooses_dice,
        f"{finish} requires a bounded turn: use then.all=end, then.set=end or bust.above",
        "finish",
    )
    _refuse(
        data.bust_costs or data.has_effect("win", "wipe", *ROLLS_ON),
        f"{finish} cannot be combined with bust.costs, or with rolls that win, wipe, or have to be followed by another",
        "finish",
    )


def _check_rerolls(data: PushRules) -> None:
    """Check rolls that are made again: void rolls, and those that show a face of ``then.over``."""
    if data.has_effect("void"):
        for dice in range(1, data.dice + 1):
            message = (
                f"every roll of {data.describe_hand(dice)} counts for nothing and would be repeated forever: make some"
                " rolls count"
            )
            _refuse(not data.standing_rolls(NextRoll(dice)), message, "special")
    key = "then.over"
    rolls = [roll for roll in data.confirmation_rolls if roll.rerolled_faces]
    _refuse(data.then_over and not rolls, "no set that must be confirmed has dice alike: leave then.over out", key)
    _refuse(
        len(rolls) > MAX_REROLLED_KINDS,
        f"sets would be confirmed by {len(rolls)} kinds of roll, but the limit is {MAX_REROLLED_KINDS}: leave"
        " then.over out",
        key,
    )
    outcomes = 0
    for roll in rolls:
        count = len(data.standing_rolls(roll))
        outcomes += count
        faces = data.describe_faces(roll.rerolled_faces)
        _refuse(not count, f"every roll shows {faces} and would be repeated forever: leave then.over out", key)
    _refuse(
        outcomes > MAX_REROLLED_OUTCOMES,
        f"the rolls that confirm sets have {outcomes:,} outcomes, but the limit is {MAX_REROLLED_OUTCOMES:,}: leave"
        " then.over out",
        key,
    )


def _check_turn(data: PushRules, rules: Mapping[str, Any]) -> None:
    """Check that the compiled turn ends, and that it can be listed if every player has one."""
    turn = _compile_turn(data, rules)
    if data.is_one_turn:
        choices = turn.choice_count * turn.max_added_points
        message = (
            f"finish={data.finish} with {data.dice} dice makes turns of {choices:,} choices, more than"
            f" {MAX_ONE_TURN_CHOICES:,}"
        )
        message += ": use fewer dice"
        _refuse(choices > MAX_ONE_TURN_CHOICES, message, "dice")
    if data.bust_costs:
        _refuse(
            _has_sets_without_points(turn),
            "bust.costs cannot be combined with sets of 0 points or less: a turn could end with 0 points and without"
            " a bust",
            "bust",
        )
    if turn.endless_modes and not data.bust_above:
        name = turn.modes[turn.endless_modes[0]].name
        scores = "scores or counts for nothing" if data.has_effect("void") else "scores"
        message = f"a turn may never end, because every roll of {name} {scores}"
        remedy = ": make some rolls bust" + ", or write then.all=end" * (data.then_all != "end")
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
        raise HouseRuleError(f"{error}: use more than 0 points", *path) from None
