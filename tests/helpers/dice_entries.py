"""What people type for a choice that keeps dice, made from the dice that it keeps or rolls."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from keepwise.play.input_parser import NUMBER_WORDS, PLURALS

KEEP_VERBS = ("keep", "hold", "save", "take", "set aside", "put aside", "kept", "Keep", "only keep", "")
ROLL_VERBS = ("reroll", "re-roll", "roll", "roll the", "reroll the", "throw the")
BANK_VERBS = ("bank", "Bank", "score")
ROLLS = (", roll", " and roll", " then roll again", ", roll the rest", " roll")
BANKS = (", bank", " and bank it", " and bank", " bank", ", stop", " then hold")


class DiceEntry(NamedTuple):
    """An entry and what it means.

    Attributes:
        text: the entry.
        keep: the dice that it keeps, sorted.
        says: ``roll`` if it asks to roll on, ``bank`` if it asks to bank, "" if it asks for neither.
    """

    text: str
    keep: tuple[str, ...]
    says: str


def word_dice(dice: Sequence[str], roll: Counter[str], rng: random.Random) -> Iterator[str]:
    """Yield wordings of some dice of a roll: figures, counts and plurals.

    Args:
        dice: the dice, at least one.
        roll: the number of dice that lie there, by face.
        rng: chooses among the words for a face.
    """
    counts = Counter(dice)
    yield " ".join(dice)
    if all(len(face) == 1 for face in dice):
        yield "".join(dice)
    if len(counts) > 1:
        yield " and ".join((" ".join(dice[:-1]), dice[-1]))
    if not all(face.isdecimal() and 1 <= int(face) <= len(PLURALS) for face in counts):
        return
    for in_figures in (True, False):
        groups = list[str]()
        for face, count in counts.items():
            plural = rng.choice((f"{face}s", PLURALS[int(face) - 1]))
            is_beside_count = in_figures and max(counts.values()) > 1  # "1 5" alone is two dice
            single = f"1 {face}" if is_beside_count else rng.choice((f"a {face}", f"one {face}"))
            spelled = str(count) if in_figures else NUMBER_WORDS[count - 1]
            groups.append(f"{spelled} {plural}" if count > 1 else single)
        yield rng.choice((" and ", ", ")).join(groups)
    if all(roll[face] == count for face, count in counts.items()):
        for form in ("{face}s", "the {face}s", "{plural}", "the {plural}", "all {plural}", "all the {face}s"):
            yield " and ".join(form.format(face=face, plural=PLURALS[int(face) - 1]) for face in counts)
        if all(count == 1 for count in counts.values()):
            yield " and ".join(f"the {face}" for face in counts)


def list_entries(keep: Sequence[str], roll: Sequence[str], rng: random.Random) -> list[DiceEntry]:
    """Return entries for a choice that keeps some dice of a roll.

    Args:
        keep: the dice that it keeps.
        roll: all dice that lie there.
        rng: chooses the words.
    """
    lying, kept = Counter(roll), tuple(sorted(keep))
    entries = list[DiceEntry]()
    for words in word_dice(keep, lying, rng) if keep else ():
        for verb in KEEP_VERBS:
            start = f"{verb} {words}".strip()
            entries += [
                DiceEntry(start, kept, ""),
                DiceEntry(start + rng.choice(ROLLS), kept, "roll"),
                DiceEntry(start + rng.choice(BANKS), kept, "bank"),
            ]
        entries += [DiceEntry(f"{verb} {words}", kept, "bank") for verb in BANK_VERBS]
    rolled = list((lying - Counter(keep)).elements())
    for words in word_dice(rolled, lying, rng) if rolled else ():
        verbs = [verb for verb in ROLL_VERBS if verb != "roll" or len(rolled) > 1]  # "roll 3" may mean three dice
        entries += [
            DiceEntry(f"{verb} {words}", kept, "roll")
            for verb in verbs
            if not (verb.endswith("the") and words.startswith(("the", "all", "a ")))
        ]
    return entries
