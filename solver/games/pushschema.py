"""The keys of a push-your-luck rule file: what each may hold, and what it means (see ``declared``)."""

from __future__ import annotations

from ..options import Option
from .declared import FLAG, ONLY_TRUE, TEXT, Schema, list_of, of_file, one_of, table, whole, word

MOST_DICE, MOST_FACES = 26, 20  # Hog to 100 never throws more than 26
MOST_SCORED = 1_000_000
MOST_WEIGHT = 10_000
MOST_COSTS, MOST_COST = 6, 100_000
EFFECTS = ("win", "bust", "wipe", "score", "again", "same", "void")

# The options that every rule file has, with what they are where the file is silent.
OPTIONS = (
    Option("target", 10_000, "total that wins", low=1),
    Option("opening", 0, "least points of the first bank, in one turn"),
    Option("minimum", 0, "least points of every later bank; stopping below it scores nothing"),
    Option("minimum_on_win", True, "whether minimum and opening hold on the winning turn too; never with finish=exact"),
    Option(
        "finish",
        "at_least",
        "at least the target wins at once; exact: a set that would pass it may not be taken; last_round: once somebody"
        " holds it every other player has one last turn, and the highest total wins; one_turn: every player has one"
        " turn, the best points win and those tied play again",
        choices=("at_least", "exact", "last_round", "one_turn"),
    ),
    Option(
        "set_aside",
        "free",
        "any set in which every die contributes; all: every scoring die of the roll, at its highest score; all-or-none:"
        " all dice of a throw, or it is a bust",
        choices=("free", "all", "all-or-none"),
    ),
    Option(
        "hot_dice",
        "free",
        "once all dice are set aside they may all be thrown again; must: they must be; none: the turn ends",
        choices=("free", "must", "none"),
    ),
    Option("once", False, "whether a turn is one throw, and its points are banked"),
    Option("choose", False, "with once: before the throw the player says how many of the dice are thrown"),
    Option(
        "stop",
        "free",
        "with points in hand the player may stop; all: only once all dice are set aside, with hot_dice=none",
        choices=("free", "all"),
    ),
    Option(
        "best",
        "highest",
        "which points are better; lowest goes with stop=all, for the points of a turn",
        choices=("highest", "lowest"),
    ),
    Option(
        "below",
        "nothing",
        "with fewer points in hand than a bank needs the player may stop and score nothing; throw: must throw on",
        choices=("nothing", "throw"),
    ),
    Option(
        "take_over",
        "none",
        "who may throw the dice that the player before left over, with the points banked in hand: nobody; free:"
        " anybody; opened: who has points already; for win",
        choices=("none", "free", "opened"),
    ),
)

_points, _spots, _some = whole(-MOST_SCORED, MOST_SCORED), whole(0, MOST_SCORED), whole(1, MOST_DICE)
_face, _by_face = one_of(TEXT, whole(0)), {"type": "object", "additionalProperties": _points}
_shown = one_of(TEXT, list_of(_face))


def _of_option(option: Option) -> tuple[Schema, str]:
    """What an option may hold."""
    if isinstance(option.default, bool):
        return {**FLAG, "default": option.default}, option.reason
    if option.choices:
        return word(*map(str, option.choices)), option.reason
    return whole(option.low, option.high, default=option.default), option.reason


_pattern = table(
    ["points"],
    name=(TEXT, "What it is called in advice."),
    dice=(_shown, "The dice as they lie, or letters for any different faces: aabbcc."),
    pairs=(_some, "Instead of dice: so many pairs, four alike being two of them."),
    points=(_points, "What it scores."),
)
_special = table(
    ["effect"],
    name=(TEXT, "What it is called in advice."),
    throw=(_shown, "The dice as they lie, or letters for any different faces."),
    of=(one_of(_some, list_of(_some)), "Instead of throw: how many dice are thrown; any number if left out."),
    scoreless=(ONLY_TRUE, "No die scores."),
    groups=(list_of(_some), "So many dice alike, each group of another face."),
    shows=(_shown, "These dice are among them."),
    only=(_shown, "No other faces than these."),
    sum=(_spots, "The sum of all spots."),
    at_least=(_spots, "The least sum of all spots."),
    at_most=(_spots, "The greatest sum of all spots."),
    effect=({"type": "string", "enum": [*EFFECTS]}, "What such a throw does."),
    points=(one_of(_points, {"type": "string", "enum": ["sum"]}), "Points of what scores; sum: all spots."),
)
_confirm = table(
    [],
    alike=(list_of(_some), "So many alike must be confirmed."),
    patterns=(list_of(TEXT), "Patterns of these names must be confirmed."),
    over=({**FLAG, "default": False}, "A throw that shows the face that is alike is thrown over."),
)
_bust = table(
    [],
    costs=(list_of(whole(0, MOST_COST), maxItems=MOST_COSTS), "What the first, second, ... in a row costs."),
    then=(word("anew", "stays"), "The count after the last of these."),
    floor=(whole(-MOST_COST, 0, default=0), "Scores go no lower: 0 where nothing is said."),
    above=(whole(1, MOST_SCORED), "The hand is lost once it holds more than so many points."),
)
_die = table(
    [],
    name=(TEXT, "What dice of this kind are called."),
    count=(whole(1, default=1), "How many there are: 1 where nothing is said."),
    weights=(list_of(whole(0, MOST_WEIGHT)), "For each face how many equally likely sides show it; 0: none."),
)
DICE = table([], die=(list_of(_die), "Dice unlike one another, instead of dice."))
RULES = table(
    ["name"],
    name=({**TEXT, "pattern": "^[a-z0-9][a-z0-9-]*$"}, "Letters, digits and dashes."),
    title=(TEXT, "The game's name for people."),
    dice=(_some, "How many dice, all alike."),
    die=(DICE["properties"]["die"], "Dice unlike one another, instead of dice."),
    faces=(
        {**one_of(whole(2, MOST_FACES), list_of(_face, maxItems=MOST_FACES)), "default": 6},
        "How many faces a die has, or their names: 6 where nothing is said.",
    ),
    weights=(list_of(whole(1)), "For each face how many equally likely sides show it."),
    singles=({**_by_face, "default": {}}, "Points of one die, by face."),
    alike=(
        {"type": "object", "additionalProperties": _by_face, "default": {}},
        "By how many alike on one throw: points by face.",
    ),
    pattern=({**list_of(_pattern), "default": []}, "Other sets that score."),
    scores=(list_of(whole(-1, MOST_SCORED)), "The points of every set, as kw.push_game writes them."),
    special=({**list_of(_special), "default": []}, "Whole throws with a meaning of their own."),
    leave=(list_of(_face), "With set_aside=all: faces that may be thrown again all the same."),
    confirm=(_confirm, "Sets after which the next throw must be made."),
    bust=(_bust, "What busts cost, and from where on a hand is lost."),
    tied=(word("again", "share"), "With finish=one_turn: those with the best points play again, or share."),
    **{option.key: _of_option(option) for option in OPTIONS},
)
SCHEMA = of_file("push your luck", RULES)
