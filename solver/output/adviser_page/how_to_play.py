"""How a game is played, in the languages of the page.

The sentences are those of ``describe_game``. ``how_to_play.json`` has each of them in German and French. In its
entries ``{n}`` stands for a number, ``{points}`` and the like for text that is copied, and the name of a table for a
part that this table translates. The first entry that fits is used. A sentence without an entry stays English, such as
one about a rule that no shipped game has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

CATALOGUE = Path(__file__).with_suffix(".json")
SOURCE, *LANGUAGES = ("en", "de", "fr")
# By placeholder, the expression of what it stands for; others stand for any text.
EXPRESSIONS = dict.fromkeys("nmklij", r"-?[\d,]+") | {
    "run": r"\d(?:-\d)+",
    "name": r"[^:;{}]+?",
    "effect": "(?:scores|ends|wins) .+",
}
PLACEHOLDER = re.compile(r"\{(\w+)\}")

Entry = Mapping[str, str]


def translate_lines(lines: Iterable[str]) -> list[list[str]]:
    """Return each line in English, German and French; a line without a translation is in English only.

    Names of sets and boxes are in braces in the translations: the page has them in its languages.

    >>> translate_lines(["chance: all spots"])
    [['chance: all spots', '{chance}: alle Augen', '{chance} : somme des dés']]
    """
    rows = []
    for line in map(str.strip, lines):
        translations = [translate(line, "sentence", language) for language in LANGUAGES]
        rows.append([line, *(text for text in translations if text is not None)])
    return rows


def translate(text: str, table: str, language: str) -> str | None:
    """Return a text in another language, by the first entry of a table that fits; None if none does."""
    for entry in catalogue()[table]:
        match = _expression(entry[SOURCE]).fullmatch(text)
        if match is None:
            continue
        parts = {key: _translate_part(key, part, language) for key, part in match.groupdict().items()}
        if None not in parts.values():
            return PLACEHOLDER.sub(partial(_fill_in, parts), entry[language])
    return None


@cache
def catalogue() -> Mapping[str, Sequence[Entry]]:
    """Return the tables of the catalogue, whose entries are by language."""
    tables: Mapping[str, Sequence[Entry]] = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    return tables


def _fill_in(parts: Mapping[str, str | None], placeholder: re.Match[str]) -> str:
    """Return the part for a placeholder; a placeholder that is not filled, such as a name, stays."""
    return parts.get(placeholder[1]) or placeholder[0]


def _translate_part(key: str, text: str, language: str) -> str | None:
    """Return what a placeholder stands for in a translation; None if there is no translation."""
    if key == "name":
        return f"{{{text}}}"
    return translate(text, key, language) if key in catalogue() else text


@cache
def _expression(english: str) -> re.Pattern[str]:
    """Return the regular expression of an English text with placeholders."""
    *pieces, last = PLACEHOLDER.split(english)
    expressions = [
        re.escape(literal) + f"(?P<{key}>{EXPRESSIONS.get(key, '.+?')})"
        for literal, key in zip(pieces[::2], pieces[1::2], strict=True)
    ]
    return re.compile("".join(expressions) + re.escape(last))
