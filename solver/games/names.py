"""The names by which people call the games and the rule files that ship, and a line on each game.

``ALIASES``, ``MISSPELLINGS`` and ``SUMMARIES`` list them. ``find_alias`` looks a name up without the differences that
typing may make.
"""

from __future__ import annotations

import re

from ..util.text import fold_name

# Other names as people write them, by the id of a game or the name of a rule file. Those of Farkle, Shut the Box, Going
# to Boston, Chicago and Battleship are in the articles of the English Wikipedia on these games. "Mariner" is in
# ourpastimes.com, "How to Play the Ship Captain Crew Dice Game". The others are translations and other spellings.
ALIASES: dict[str, tuple[str, ...]] = {
    "5000": ("Five Thousand", "Fünftausend", "Cinq mille"),
    "farkle": ("Farkel", "Hot Dice", "Squelch", "Volle Lotte"),
    "pig": ("One-Die Pig", "Pig Dice"),
    "scarney": ("Straight Scarney", "Scarney Dice"),
    "battleship": (
        "Ship, Captain, Crew",
        "Ship, Captain and Crew",
        "Ship, Captain, Mate and Crew",
        "Mariner",
        "Destroyer",
        "Ship of Fools",
        "6-5-4",
    ),
    "boston": ("Going to Boston", "Newmarket", "Yankee Grab"),
    "double-cameroon": ("Kamerun",),
    "hearts-due": ("Hearts", "Hearts Dice"),
    "shut-the-box": (
        "Canoga",
        "Klackers",
        "Batten Down the Hatches",
        "Trictrac",
        "Klappbrett",
        "Fermer la boîte",
        "Jeu de clapets",
    ),
    "1-4-24": ("Midnight",),
    "boese-eins": ("Die boese Eins", "Böse Eins", "Die böse Eins"),
    "chicago": ("Rotation",),
    "cosmic-wimpout": ("Wimpout",),
    "dix-mille": ("Ten Thousand", "10000", "Dice 10000"),
    "greed": ("Greedy Dice",),
    "kingdom-come": ("Kingdom Come Deliverance",),
    "kingdom-come-2": ("Kingdom Come Deliverance 2", "Kingdom Come Deliverance II", "KCD2"),
    "pass-the-pigs": ("Pigmania", "Schweinerei"),
    "pickomino-turn": ("Pickomino", "Heckmeck"),
    "pig-two-dice": ("Two-Dice Pig",),
    "sevens-out": ("Seven Out",),
    "twenty-one": ("21",),
    "yahtzee": ("Yams",),
    "yatzy": ("Jatsi",),
    "zehntausend": ("Macke",),
    "zombie-dice": ("Zombies", "Zombie"),
}

# Spellings that are understood, but never shown as names.
MISSPELLINGS = {"yahtzee": ("Yatzee", "Yahtze")}

# A line on each game, as ``keepwise games`` prints it. Rule files begin with theirs.
SUMMARIES = {
    "5000": "Five dice, first to 5,000; 1s, 5s and three alike score.",
    "beartrap": "Five dice, first to exactly 10,000.",
    "farkle": "Six dice, first to 10,000; a roll without points loses the turn.",
    "pig": "One die, first to 100; a 1 loses the turn.",
    "scarney": "Five dice with 1, 3, 4, 6 and two dead sides, played in frames.",
    "battleship": "Five dice, three rolls: 6, 5 and 4 in that order; the other dice score.",
    "boston": "Three dice; the highest of each roll is kept, and their sum counts.",
    "multiplication": "As Going to Boston; the first two are added, then multiplied by the last.",
    "double-cameroon": "Ten dice, three rolls, and two boxes are filled each turn.",
    "hearts-due": "Six dice, one roll; runs from 1 score, three 1s lose the score.",
    "yahtzee": "Five dice, three rolls, thirteen boxes.",
    "booby-trap": "Pieces under a spring bar: feel one, then take it or pass.",
    "shut-the-box": "Two dice; shut tiles with their sum, the lowest remainder wins.",
}


def fold_game_name(text: str) -> str:
    """Return the form in which names of games are compared: letters and digits only, in lower case."""
    return "".join(filter(str.isalnum, fold_name(text)))


def list_aliases(name: str) -> list[str]:
    """Return the other names of a game or rule file as words that can be typed: ``ship-captain-crew``."""
    return ["-".join(re.findall(r"[^\W_]+", alias.lower())) for alias in ALIASES.get(name, ())]


def find_alias(word: str) -> str | None:
    """Return the game or rule file with this other name; None if there is none."""
    folded = fold_game_name(word)
    for names in (ALIASES, MISSPELLINGS):
        for name, aliases in names.items():
            if folded in map(fold_game_name, aliases):
                return name
    return None
