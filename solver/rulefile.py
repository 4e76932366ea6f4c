"""Rule files: a game under a table's own rules, in TOML.

Either a known game with other options (``game = "5000"`` and one line for each option that differs), or rules that
describe a game of their own: push your luck (see ``keepwise.games.house``) or a card of categories (it has
``[[category]]`` entries; see ``keepwise.games.cardfile``).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from .errors import InputError
from .games import Game, game
from .games.house import HouseRuleError, house_game

SHIPPED = Path(__file__).parent / "games" / "rulefiles"


def shipped_rule_files() -> list[str]:
    """Names of the rule files that ship with the package; ``load_rules`` takes a name like a path."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def load_rules(path: str | os.PathLike[str], **rules: object) -> Game:
    """Return the game that a rule file describes, with the given rules replaced.

    Args:
        path: a file, or the name of one that ships with the package.
        rules: options that go over those of the file.

    Raises:
        InputError: no such file, no TOML, or a rule that cannot be; the message names file, line and key.
    """
    file = Path(path)
    if not file.exists() and str(path) in shipped_rule_files():
        file = SHIPPED / f"{path}.toml"
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(shipped_rule_files())
        reason = "it is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise InputError(f"{path}: cannot be read ({reason}); rule files that ship: {known}") from None
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from None
    try:
        if "game" in read:
            game_id = str(read.pop("game"))
            return game(game_id, **{**read, **rules})
        if "category" in read:
            from .games.cardfile import card_game

            return card_game({**read, **rules})
        return house_game({**read, **rules})
    except HouseRuleError as error:
        raise InputError(f"{path}:{find_line(text, error.path)}: {error}") from None
    except InputError as error:
        key = next((key for key in read if re.search(rf"\b{re.escape(key)}\b", str(error))), "game")
        raise InputError(f"{path}:{find_line(text, (key,))}: {error}") from None


def find_line(text: str, path: Sequence[str | int]) -> int:
    """Return the line of a key, or of the innermost table around it that the text names; 1 if none is found."""
    best, depth = 1, 0
    table: tuple[str | int, ...] = ()
    seen: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        here: tuple[str | int, ...]
        if header := re.match(r"\s*\[\[\s*([\w.\"'-]+)\s*\]\]", line):
            seen[header[1]] = seen.get(header[1], -1) + 1
            here = table = (header[1], seen[header[1]])
        elif header := re.match(r"\s*\[\s*([\w.\"'-]+)\s*\]", line):
            here = table = tuple(part.strip("\"'") for part in header[1].split("."))
        elif key := re.match(r"\s*([\w.\"'-]+)\s*=", line):
            here = (*table, *(part.strip("\"'") for part in key[1].split(".")))
        else:
            continue
        shared = min(len(here), len(path))  # a header may lead further down than the path
        if here[:shared] == tuple(path[:shared]) and shared > depth:
            best, depth = number, shared
    return best
