"""The names by which people call the games and the rule files that ship, and a line on each game.

``ALIASES`` and ``SUMMARIES`` list them; ``find_alias`` looks a name up without the differences that typing may make.
"""

from __future__ import annotations

from ..util.text import fold_name

# Other names, by the id of a game or the name of a rule file. Sources: the articles on these games in the English and
# German Wikipedia, and the titles in the sources of the rule files.
ALIASES: dict[str, tuple[str, ...]] = {
    "5000": ("five-thousand",),
    "farkle": ("farkel", "hot-dice", "squelch"),
    "pig": ("one-die-pig",),
    "scarney": ("straight-scarney", "scarney-dice"),
    "battleship": (
        "ship-captain-crew",
        "ship-captain-and-crew",
        "ship-captain-mate-and-crew",
        "mariner",
        "destroyer",
        "ship-of-fools",
        "6-5-4",
    ),
    "boston": ("going-to-boston", "newmarket", "yankee-grab"),
    "hearts-due": ("hearts", "hearts-dice"),
    "yahtzee": ("yatzee", "yahtze"),
    "shut-the-box": ("canoga", "klackers", "batten-down-the-hatches", "trictrac"),
    "boese-eins": ("die-boese-eins", "böse-eins", "die-böse-eins"),
    "chicago": ("rotation",),
    "cosmic-wimpout": ("wimpout",),
    "dix-mille": ("ten-thousand", "10000", "dice-10000"),
    "kingdom-come": ("kingdom-come-deliverance",),
    "pass-the-pigs": ("pigmania",),
    "pig-two-dice": ("two-dice-pig",),
    "sevens-out": ("seven-out",),
    "twenty-one": ("21",),
}

# A line on each game, as ``keepwise games`` prints it. Rule files begin with theirs.
SUMMARIES = {
    "5000": "Five dice, first to 5,000; 1s, 5s and three alike score.",
    "beartrap": "Five dice, first to exactly 10,000.",
    "farkle": "Six dice, first to 10,000; a roll without points loses the turn.",
    "pig": "One die, first to 100; a 1 loses the turn.",
    "scarney": "Five dice with 1, 3, 4, 6 and two dead sides, played in frames.",
    "battleship": "Five dice, three casts: 6, 5 and 4 in that order, the rest scores.",
    "boston": "Three dice, the highest is kept each throw; their sum counts.",
    "multiplication": "As Going to Boston; the first two are added, times the last.",
    "double-cameroon": "Ten dice, three throws, and two boxes are filled each turn.",
    "hearts-due": "Six dice, one throw; runs from 1 score, three 1s wipe the score.",
    "yahtzee": "Five dice, three throws, thirteen boxes.",
    "booby-trap": "Pieces under a spring bar: feel one, then take it or pass.",
    "shut-the-box": "Two dice; shut tiles with their sum, the lowest rest wins.",
}


def fold_game_name(text: str) -> str:
    """Return the form in which names of games are compared: letters and digits only, in lower case."""
    return "".join(filter(str.isalnum, fold_name(text)))


def find_alias(word: str) -> str | None:
    """Return the game or rule file with this other name; None if there is none."""
    folded = fold_game_name(word)
    return next((name for name, others in ALIASES.items() if folded in map(fold_game_name, others)), None)
