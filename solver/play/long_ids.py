"""Long ids: ids of positions that carry the rules, the goal and the turns, so that they can be sent to anybody.

An id names its rules by a fingerprint only: ``pig:win2:1c8a7f3e/score=12/opponents=15``. A long id has them written
out after the fingerprint, each after a colon: ``pig:win2:1c8a7f3e:target=50/score=12/opponents=15``. Rules that the
options of the game cannot express follow as one table: ``rules=`` and JSON, compressed by zlib, in URL-safe Base64.
The fingerprint stays, so that a damaged long id is refused.
"""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..games import Game, find_known_name, is_rule_path
from ..games import game as known_game
from ..games.ruleset import Rules
from ..util.errors import InputError
from ..util.integers import parse_whole_number

PARAMETERS = ("goal", "turns")  # of the objective reach
RULES = "rules"  # key of the whole table of rules
MAX_CODED_LENGTH = 1 << 16  # characters of the coded table
MAX_JSON_BYTES = 1 << 20  # of the decoded table; the largest rule file that ships has a few thousand


class LongIdHead(NamedTuple):
    """The part of a long id before the fields of the position.

    Attributes:
        game: the game with its rules.
        goal: the points to reach, or None.
        turns: the turns left, or None.
    """

    game: Game
    goal: int | None
    turns: int | None


def format_head(game: Game, parameters: Mapping[str, int]) -> str:
    """Return the rules and parameters as they follow the fingerprint in a long id; "" if all are the defaults."""
    parts = [f"{key}={value}" for key, value in parameters.items()]
    changed = {
        option.key: game.rules[option.key] for option in game.options if game.rules[option.key] != option.default
    }
    if _are_all_rules(game, changed):
        parts += [f"{key}={str(value).lower()}" for key, value in changed.items()]
    else:
        text = json.dumps(Rules(game.rules).plain(), sort_keys=True, separators=(",", ":"))
        coded = urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
        parts.append(f"{RULES}={coded}")
    return "".join(f":{part}" for part in parts)


def parse_head(text: str) -> LongIdHead | None:
    """Return the rules and parameters of a long id, or None for any other text.

    Raises:
        InputError: the rules are not possible, or cannot be read.
    """
    game_id, *parts = text.strip().partition("/")[0].split(":")
    fields = parts[2:]  # after the objective and the fingerprint
    if not fields:
        return None
    values: dict[str, Any] = dict(part.partition("=")[::2] for part in fields)
    if len(values) != len(fields) or not all(values.values()):
        raise InputError(
            f"cannot read the rules of the id {game_id}: expected KEY=VALUE after each colon, each key once"
        )
    goal, turns = (parse_whole_number(values.pop(key), key) if key in values else None for key in PARAMETERS)
    if RULES in values:
        if len(values) > 1:
            raise InputError("an id with rules= cannot contain other rules; copy the whole id again")
        return LongIdHead(Game(game_id, _decode_rules(values[RULES])), goal, turns)
    if is_rule_path(game_id):
        raise InputError(f"an id cannot name a rule file: {game_id}; pass the file as GAME")
    if "seats" in values:  # rules by seat are in the table of all rules
        raise InputError(f"unknown rule 'seats' of {game_id}")
    return LongIdHead(known_game(game_id, **values), goal, turns)


def _are_all_rules(game: Game, changed_rules: dict[str, Any]) -> bool:
    """Return whether the changed options say all about the rules of a game."""
    try:
        return find_known_name(game.id) == game.id and known_game(game.id, **changed_rules) == game
    except InputError:
        return False


def _decode_rules(code: str) -> dict[str, Any]:
    """Return the table of rules of a long id."""
    if len(code) > MAX_CODED_LENGTH:
        raise InputError(f"the rules in the id have {len(code):,} characters; at most {MAX_CODED_LENGTH:,} are read")
    try:
        compressed = urlsafe_b64decode(code + "=" * (-len(code) % 4))
        reader = zlib.decompressobj()
        text = reader.decompress(compressed, MAX_JSON_BYTES)
        rules = json.loads(text) if reader.eof else None
    except (ValueError, zlib.error, RecursionError):
        rules = None
    if not isinstance(rules, dict):
        raise InputError("the rules in the id are damaged; copy the whole id")
    return rules
