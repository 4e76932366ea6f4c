"""Rules by seat: games whose players differ in dice, opening, minimum, target or head start.

The rules of a game may have a table ``seat``. Its keys are seats, counted from 1 for the player who begins; its values
are the rules that differ for the player in that seat. ``[seat.2]`` in a rule file and ``--rule 2:target=3000``
write the same table. A seat also has the key ``head_start``: its score when the game begins.

``Game.seat_games`` has the game of each seat with all of its rules, and ``Game.head_starts`` the head starts. In normal
form the table names only what really differs. So a game whose seats are alike has no such table.

Some rules exist only for players who are alike: take-overs and scores that can fall. With them only the head starts may
differ. Such a game keeps the family of its rules, and no seat has a game of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..util.errors import HouseRuleError, InputError, abbreviate, quote_text
from ..util.integers import parse_whole_number
from .badges import BADGES, FORMATIONS
from .badges import FAMILY as BADGE_FAMILY
from .dice_keys import CATALOGUE_KEY, HAND_KEY, replace_dice
from .ruleset import Rules

if TYPE_CHECKING:
    from . import Game
    from .push_rules import PushRules

SEAT_KEY = "seat"  # of the rules by seat within the rules of a game
HEAD_START = "head_start"
FAMILY = "unlike seats"
OBJECTIVES = ("win",)
RACE_FAMILIES = ("push", BADGE_FAMILY)  # of games whose seats may have rules of their own
HEAD_START_FAMILIES = (*RACE_FAMILIES, "one face", "cup")  # of games whose seats may have head starts
MAX_SEAT = 20
LAST_ROUND = "finish=last_round"
SHARED_KEYS = ("finish", "take_over")  # rules that all seats must have in common


class SeatRules(NamedTuple):
    """The rules by seat of a game, in normal form.

    Attributes:
        table: by seat, the rules that differ; empty if all seats are alike.
        family: the family of a game with these rules.
        games: the game of each seat, up to the last seat that the table names; at least of two seats. Empty if the
            family is that of players who are alike, whose head starts alone differ.
        head_starts: the score of each of these seats when the game begins.
    """

    table: dict[str, dict[str, Any]]
    family: str
    games: tuple[Game, ...]
    head_starts: tuple[int, ...]


def split_seat_rules(rules: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the rules of all seats, and the table of the rules by seat as it is given.

    Raises:
        HouseRuleError: the table is not a table of tables, a seat is not a number from 1 on, or a head start does not
            name its seat.
    """
    refuse_head_start_of_all(rules)
    shared = {key: value for key, value in rules.items() if key != SEAT_KEY}
    table = rules.get(SEAT_KEY, {})
    if not isinstance(table, Mapping):
        raise HouseRuleError("seat must be a table: write the rules of seat 2 under [seat.2]", SEAT_KEY)
    for seat, changes in table.items():
        parse_seat(seat)
        if not isinstance(changes, Mapping):
            raise HouseRuleError(f"seat.{seat} must be a table of rules, not {abbreviate(changes)}", SEAT_KEY, seat)
    return shared, {str(parse_seat(seat)): dict(changes) for seat, changes in table.items()}


def refuse_head_start_of_all(rules: Mapping[str, Any]) -> None:
    """Raise HouseRuleError for a head start that is not the rule of a seat."""
    if HEAD_START in rules:
        rule = f"{HEAD_START}={abbreviate(rules[HEAD_START])}"
        raise HouseRuleError(
            f"{rule} must name a seat: write 1:{rule}, or {HEAD_START} under [seat.1] in a rule file", HEAD_START
        )


def merge_seat_rules(rules: Mapping[str, Any], seats: object) -> dict[str, Any]:
    """Return rules whose table of rules by seat is changed.

    Args:
        rules: rules, perhaps with a table of rules by seat.
        seats: by seat, from 1, the rules that replace those of the table.

    Raises:
        HouseRuleError: one of the tables is not a table of tables, or a seat is not a number from 1 on.
    """
    shared, table = split_seat_rules(rules)
    _, changes = split_seat_rules({SEAT_KEY: seats})
    for seat, replaced in changes.items():
        table[seat] = replace_dice(table.get(seat, {}), replaced)
    return {**shared, SEAT_KEY: table} if table else shared


def parse_seat(text: object) -> int:
    """Return the number of a seat.

    Raises:
        HouseRuleError: it is not a whole number from 1 to ``MAX_SEAT``.
    """
    number = str(text)
    if not (number.isdecimal() and number.isascii() and 1 <= int(number) <= MAX_SEAT):
        raise HouseRuleError(
            f"a seat must be a whole number from 1 (the player who begins) to {MAX_SEAT}, not {quote_text(number)}",
            SEAT_KEY,
        )
    return int(number)


def parse_seat_rules(texts: Sequence[str]) -> dict[int, dict[str, str]]:
    """Return the table of rules by seat from texts such as ``2:target=3000``.

    Raises:
        InputError: a text that does not read SEAT:KEY=VALUE, or a key that is given twice.
    """
    table = dict[int, dict[str, str]]()
    for text in texts:
        seat_text, colon, rule = text.partition(":")
        key, equals, value = rule.partition("=")
        if not (colon and equals):
            example = f"2:{text.strip()}" if "=" in text and not colon else "2:target=3000"
            option = "--rule" if colon else "--seat-rule"  # the older option requires a seat
            raise InputError(f"{option} {text} must have the form SEAT:KEY=VALUE, for example {example}")
        changes = table.setdefault(parse_seat(seat_text.strip()), {})
        name = key.strip().replace("-", "_")
        if name in changes:
            raise InputError(f"--rule {seat_text}:{name} appears twice: leave one of them out")
        changes[name] = value.strip()
    return table


def format_seat_rules(rules: Mapping[str, Any]) -> list[str]:
    """Return the rules by seat of a game, one text for each seat: ``seat 2: target=30, head_start=5``."""
    table: Mapping[str, Mapping[str, Any]] = rules.get(SEAT_KEY, {})
    return [
        f"seat {seat}: {', '.join(f'{key}={format_rule(key, value)}' for key, value in changes.items())}"
        for seat, changes in sorted(table.items(), key=lambda item: int(item[0]))
    ]


def hands_of_seats(game: Game, players: int) -> list[list[dict[str, Any]]]:
    """Return the hand of each seat in normal form; an empty list for dice without names, and if no hand is chosen."""
    rules = Rules(game.rules).plain()
    table: Mapping[str, Mapping[str, Any]] = rules.get(SEAT_KEY, {})
    shared = rules.get(HAND_KEY, [])
    is_chosen = any(HAND_KEY in changes for changes in table.values())
    if is_chosen and not shared and CATALOGUE_KEY in rules and not game.data.kinds and set(game.data.weights) == {1}:
        from .dice_catalogue import load_catalogue

        shared = [{"name": load_catalogue(rules[CATALOGUE_KEY]).fair_die, "count": game.data.dice}]
    return [table.get(str(seat), {}).get(HAND_KEY, shared) for seat in range(1, players + 1)]


def format_rule(key: str, value: Any) -> str:
    """Return the value of a rule by seat as text; of the rule ``hand``, the names of the dice."""
    if key != HAND_KEY:
        return str(value).lower()
    from .dice_catalogue import format_hand

    return format_hand(value)


def compile_seat_rules(base: Game, table: Mapping[str, Mapping[str, Any]]) -> SeatRules:
    """Return the rules by seat in normal form, with the game of each seat.

    Args:
        base: the game without rules by seat.
        table: the rules that differ, by seat.

    Raises:
        InputError: seats that cannot differ so.
    """
    if base.family not in HEAD_START_FAMILIES or "win" not in base.objectives:
        raise HouseRuleError(
            f"{base.id} cannot have rules by seat: they require a push-your-luck race of several players", SEAT_KEY
        )
    seat_count = max(2, *map(int, table)) if table else 2
    games: list[Game] = []
    head_starts = list[int]()
    normal_table = dict[str, dict[str, Any]]()
    for seat in range(1, seat_count + 1):
        changes = dict(table.get(str(seat), {}))
        head_start = parse_whole_number(changes.pop(HEAD_START, 0), f"{HEAD_START}=")
        _refuse_unlike_shared_rules(base, changes, seat)
        seat_game = _with_rules_of_seat(base, changes, seat) if changes else base
        _check_seat(base.data, seat_game, seat)
        _check_head_start(seat_game.data, seat, head_start)
        games.append(seat_game)
        head_starts.append(head_start)
        differing = {key: value for key, value in seat_game.rules.items() if base.rules.get(key) != value}
        badges = (*BADGES, *FORMATIONS)
        differing |= {badge: 0 for badge in badges if badge in base.rules and badge not in seat_game.rules}
        if HAND_KEY in base.rules and HAND_KEY in changes and HAND_KEY not in seat_game.rules:
            from .dice_catalogue import normal_hand

            del differing["dice"]  # fair dice, which need no hand of their own in a game without hands
            differing[HAND_KEY] = normal_hand(changes[HAND_KEY], base.rules[CATALOGUE_KEY])
        if head_start:
            differing[HEAD_START] = head_start
        if differing:
            normal_table[str(seat)] = differing
    has_badges = any(seat_game.family == BADGE_FAMILY for seat_game in games)
    if refusal := _find_refusal([base, *games]):
        others = [(seat, key) for seat, changes in normal_table.items() for key in changes if key != HEAD_START]
        if others and (refusal != LAST_ROUND or has_badges):
            seat_name, key = others[0]
            raise HouseRuleError(
                f"seat {seat_name}: {key} must be the same for all seats with {refusal}; only {HEAD_START} can differ",
                SEAT_KEY,
                seat_name,
                key,
            )
        if has_badges:
            raise HouseRuleError(f"{HEAD_START} cannot be combined with badges and {refusal}", SEAT_KEY)
        if not others:
            return SeatRules(normal_table, base.family, (), tuple(head_starts))
    return SeatRules(normal_table, BADGE_FAMILY if has_badges else FAMILY, tuple(games), tuple(head_starts))


def _refuse_unlike_shared_rules(base: Game, changes: Mapping[str, Any], seat: int) -> None:
    """Raise HouseRuleError if the rules of a seat change a rule that all seats must have in common."""
    for key in SHARED_KEYS:
        is_changed = key in changes and key in base.rules
        if is_changed and str(changes[key]).strip().lower() != str(base.rules[key]).lower():
            raise HouseRuleError(f"seat {seat}: {key} must be the same for all seats", SEAT_KEY, str(seat), key)


def _with_rules_of_seat(base: Game, changes: Mapping[str, Any], seat: int) -> Game:
    """Return the game of a seat; the path of an error leads to the rules of the seat."""
    try:
        return base.with_rules(**changes)
    except HouseRuleError as error:
        error.path = (SEAT_KEY, str(seat), *error.path)
        raise


def _find_refusal(games: Sequence[Game]) -> str:
    """Return what some of these games have with which only head starts may differ; "" if there is nothing."""
    for game in games:
        rules: PushRules = game.data
        reasons = {
            "take_over": rules.take_over != "none",
            "busts that cost points": bool(rules.bust_costs),
            "rolls that lose the whole score": rules.has_effect("wipe"),
            f"set_aside={rules.set_aside}": game.family not in RACE_FAMILIES,
        }
        if refusal := next((reason for reason, holds in reasons.items() if holds), ""):
            return refusal
        if any(pattern.points <= 0 for pattern in rules.patterns):
            from ..turns.monotone_turn import is_monotone  # most games need no compiled turn here

            if not is_monotone(rules.turn):
                return "sets of 0 points or less"
    return LAST_ROUND if games[0].data.finish == "last_round" else ""


def _check_seat(shared_rules: PushRules, seat_game: Game, seat: int) -> None:
    """Raise HouseRuleError for a seat whose game is not a race with the ending and take-over of all seats."""
    rules: PushRules = seat_game.data
    key = next((key for key in SHARED_KEYS if getattr(rules, key) != getattr(shared_rules, key)), None)
    if key:
        raise HouseRuleError(f"seat {seat}: {key} must be the same for all seats", SEAT_KEY, str(seat), key)
    if seat_game.family not in HEAD_START_FAMILIES:
        raise HouseRuleError(f"seat {seat}: rules by seat require a push-your-luck race", SEAT_KEY, str(seat))


def _check_head_start(rules: PushRules, seat: int, head_start: int) -> None:
    """Raise HouseRuleError for a head start that is not a score below the target."""
    if not 0 <= head_start < rules.target:
        raise HouseRuleError(
            f"seat {seat}: {HEAD_START}={head_start} must be between 0 and {rules.target - 1}, below the target",
            SEAT_KEY,
            str(seat),
            HEAD_START,
        )
    if head_start % rules.grain:
        raise HouseRuleError(
            f"seat {seat}: {HEAD_START}={head_start} must be a multiple of {rules.grain}, as all scores are",
            SEAT_KEY,
            str(seat),
            HEAD_START,
        )
