"""The entries that a message of the prompt proposes, such as ``turn 450`` in ``for a whole turn, type turn 450``.

A message proposes entries in four ways: ``choose from: (a) bank 5; (b) roll``, ``did you mean bank 5?``, ``such as
450`` and ``type undo``. Words for entries, such as ``type the dice that came up``, are not entries. Messages about an
event or an explanation propose what follows ``fix N`` or ``why``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Entries = tuple[str, ...]  # one after the other: ("undo 2", "turn 450")

END_OF_LIST = r"; and \d+ more|; type |; if you |; for a |; \? |; to correct |$"
LISTED = re.compile(rf"(?:^|: |; )\(([a-z]{{1,3}})\) (.+?)(?=; \([a-z]{{1,3}}\) |{END_OF_LIST})")
LISTED_IN_FIX = re.compile(rf"choose from: (.+?)(?={END_OF_LIST})")
MEANT = re.compile(r"did you mean (.+?)\?")
EXAMPLE = re.compile(r"such as (.+?)(?=;| or |, or |, and |, bust|\.$|$)")
WHOLE_TURN = "'turn' and its result"  # the example after it is a result alone
TYPED = re.compile(r"\btype (.+?)(?=;|\.$|$)")
IN_WORDS = re.compile(r"the |an? |both |them, |more words|'|only the |(?:all )?\d+ (?:die|dice)\b|pass, a size")
CHOICE_FIRST = re.compile(r"choose first, then type (.+?);")  # the choices that are listed come before it
DICE_ALONE = "only the dice: "
PURPOSE = re.compile(r" first$| (?:alone )?(?:to|for) .*|, such as .*|, or (?:enter|press|more) .*|, or help$")
TEMPLATE = "ENTRY"  # a word for any entry, as in fix N ENTRY
FIX = re.compile(r"event (\d+) ")
WHY = "no choice to explain: "
MORE = "more"  # lists the choices, also of a player whose choice is to be explained
COMMANDS_IN_FIX = ("fix", "undo", "events")


def list_proposals(message: str) -> list[Entries]:
    """Return the entries that a message proposes, each with those to be entered before it."""
    if fix := FIX.match(message):
        proposals = (*_list_entries(message), *_list_choices_in_fix(message))
        is_command = [entries[0].partition(" ")[0] in COMMANDS_IN_FIX for entries in proposals]
        return [
            entries if begins_with_command else (f"fix {fix[1]} {entries[0]}", *entries[1:])
            for entries, begins_with_command in zip(proposals, is_command, strict=True)
        ]
    if choice_first := CHOICE_FIRST.match(message):
        choices = [choice for listed in LISTED.findall(message) for choice in listed]
        others = _list_entries(message[message.rindex(choices[-1]) :])
        return [*((choice, choice_first[1]) for choice in choices), *others]
    if message.startswith(WHY):
        return [(entry if entry == MORE else f"why {entry}",) for (entry,) in _list_entries(message)]
    return [*_list_entries(message)]


def _list_choices_in_fix(message: str) -> Iterator[Entries]:
    """Yield the choices that a message about an event lists, without letters."""
    for listed in LISTED_IN_FIX.findall(message):
        yield from ((words,) for words in listed.split("; "))


def _list_entries(message: str) -> Iterator[Entries]:
    for letter, words in LISTED.findall(message):
        yield from ((letter,), (words,))
    yield from ((words,) for words in MEANT.findall(message))
    for clause in message.split("; "):
        if example := EXAMPLE.search(clause):
            yield (f"turn {example[1]}" if WHOLE_TURN in clause else example[1],)
    for words in TYPED.findall(message):
        if words.startswith(DICE_ALONE):
            yield (words.removeprefix(DICE_ALONE),)
        elif not IN_WORDS.match(words):
            plain = PURPOSE.sub("", words)
            alternatives = [plain] if ", then " in plain else re.split(r", or |, | or ", plain)
            yield from (tuple(one.split(", then ")) for one in alternatives if TEMPLATE not in one)
