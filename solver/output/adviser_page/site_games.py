"""The games of the site as its front page lists them: a picture, the names people use, and a line on each."""

from __future__ import annotations

from typing import NamedTuple


class ListedGame(NamedTuple):
    """A game of the site.

    Attributes:
        picture: faces of dice, one after another, or words that stand on dice.
        more_names: other names of the game, in any language, besides those of ``games.names.ALIASES``.
        summary: how it is played, in a sentence.
        rule_file: the game is a rule file that ships, not a built-in game.
        objective: the objective of the page; "" for the first one of the game that a page supports.
    """

    picture: tuple[str, ...]
    more_names: tuple[str, ...]
    summary: str
    rule_file: bool = False
    objective: str = ""


LISTED_GAMES = {
    "5000": ListedGame(
        ("1", "1", "5"),
        ("Fünftausend", "Cinq mille"),
        "Five dice: keep what scores and roll on, or bank before a roll without points takes it all.",
    ),
    "farkle": ListedGame(
        ("1", "5", "2", "2", "2"),
        ("Volle Lotte",),
        "Six dice: keep what scores and roll on, or bank before a farkle.",
    ),
    "yahtzee": ListedGame(
        ("6", "6", "6", "6", "6"),
        ("Yahtzee with jokers",),
        "Five dice, three rolls a turn, thirteen boxes, each filled once.",
    ),
    "kniffel": ListedGame(
        ("5", "5", "5", "2", "2"),
        ("German Yahtzee",),
        "Yahtzee by the German score sheet: no jokers, and five alike are no full house.",
        rule_file=True,
    ),
    "yatzy": ListedGame(
        ("4", "4", "3", "3", "1"),
        ("Scandinavian Yahtzee", "Jatsi"),
        "Five dice, three rolls a turn, fifteen boxes with one pair and two pairs.",
        rule_file=True,
    ),
    "battleship": ListedGame(
        ("6", "5", "4"),
        (),
        "A 6, then a 5, then a 4, in this order; the other two dice are your points.",
    ),
    "pig": ListedGame(
        ("1",),
        ("Die böse Eins", "Pig Dice"),
        "One die: roll as often as you dare; a 1 loses the points of the turn.",
    ),
    "zehntausend": ListedGame(
        ("1", "1", "1", "5"),
        ("Ten Thousand", "10000", "Macke"),
        "Six dice to 10,000, and at least 500 points to bank.",
        rule_file=True,
    ),
    "dix-mille": ListedGame(
        ("1", "5", "5", "5"),
        ("Dix mille",),
        "Six dice to 10,000: singles, triples, three pairs and the straight.",
        rule_file=True,
    ),
    "zilch": ListedGame(
        ("2", "3", "4", "6"),
        ("Farkle where three busts cost points",),
        "Six dice: every die beyond three alike doubles, and three busts in a row cost 500. Advice is for points.",
        rule_file=True,
        objective="points",
    ),
    "greed": ListedGame(
        ("1", "1", "1", "1", "1"),
        ("Greedy Dice",),
        "Five dice to 3,000: all that scores is set aside, and 300 points to begin with.",
        rule_file=True,
    ),
    "pass-the-pigs": ListedGame(
        ("razorback", "trotter"),
        ("Schweinerei",),
        "Roll two pigs: a pig out loses the turn, anything else scores.",
        rule_file=True,
    ),
    "beartrap": ListedGame(
        ("1", "5", "5"),
        ("Bear Trap",),
        "Five dice, and a target that must be reached exactly.",
    ),
    "double-cameroon": ListedGame(
        ("1", "2", "3", "4", "5", "6"),
        ("Kamerun",),
        "Ten dice, three rolls a turn, and two of ten boxes filled each time.",
    ),
    "boston": ListedGame(
        ("6", "5", "4"),
        (),
        "Three dice, three rolls: the highest die is set aside each time.",
    ),
    "multiplication": ListedGame(
        ("6", "5", "×", "4"),
        ("Going to Boston with multiplication",),
        "Three dice, three rolls: the sum of the first two set aside, times the last.",
    ),
    "hearts-due": ListedGame(
        ("1", "2", "3"),
        (),
        "Six dice, one roll: runs from 1 on score. There is no choice.",
    ),
    "scarney": ListedGame(
        ("1", "3", "4", "6"),
        (),
        "Five dice whose 2 and 5 are dead: roll, hit and double down.",
    ),
    "booby-trap": ListedGame(
        ("large", "small"),
        ("Booby-Trap",),
        "Take pieces from under a spring bar; the player who trips it pays.",
    ),
}
