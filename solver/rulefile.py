"""Rule files: a game under a table's own rules, in TOML."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from .errors import InputError
from .games import Game, game


def load_rules(path: str | os.PathLike[str]) -> Game:
    """Return the game that a rule file describes: ``game = "5000"`` and one line per option that differs.

    Raises:
        InputError: no such file, no TOML, or a rule that cannot be; the message names file, line and key.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        rules = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from None
    if "game" not in rules:
        raise InputError(f'{path}: names no game; start it with a line like game = "5000"')
    game_id = str(rules.pop("game"))
    try:
        return game(game_id, **rules)
    except InputError as error:
        raise InputError(f"{path}{_line(text, str(error))}: {error}") from None


def _line(text: str, message: str) -> str:
    """Return ``:N`` for the line whose key the message names, nothing where it names none."""
    for number, line in enumerate(text.splitlines(), 1):
        key = re.match(r"\s*[\"']?([\w-]+)[\"']?\s*=", line)
        if key and re.search(rf"\b{re.escape(key[1])}\b", message):
            return f":{number}"
    return ""
