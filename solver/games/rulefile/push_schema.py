"""The keys of a push-your-luck rule file: the values that each allows, and its meaning.

``schema`` explains the declarations. ``RULES`` is the whole file, and ``OPTIONS`` are its keys that every game has.
"""

from __future__ import annotations

from ..rule_options import Option
from .dice_patterns import CONDITIONS, EXCLUDED_BY_SUM, condition_keys
from .schema import (
    FLAG,
    ONLY_TRUE,
    OWN,
    TEXT,
    WEIGHTS,
    Schema,
    any_of,
    choice_of,
    entry,
    file_schema,
    integer,
    list_of,
    table,
)

MAX_DICE, MAX_FACES = 26, 20  # Hog to 100 never throws more than 26
MAX_POINTS = 1_000_000
MAX_WEIGHT = 10_000
MAX_COSTS, MAX_COST = 6, 100_000
SPECIAL_THEN = ("roll", "must", "end", "void", "win", "bust", "wipe")  # what a special roll leads to

# The options that are words: the key, its words (the first is the default), and the reading of all of them.
_WORD_OPTIONS = {
    ("stop.below", "end", "must"): "with fewer points in hand the player may stop and score nothing; must: has to throw"
    " on",
    ("then.set", "roll", "must", "end"): "after a set the player may throw on, or stop; must: has to throw on until all"
    " dice are set aside; end: a turn is one throw, and its points are banked",
    ("then.all", "roll", "must", "end"): "once all dice are set aside they may all be thrown again; must: they have to"
    " be; end: the turn ends",
    ("then.dice", "all", "chosen"): "dice that a turn begins with; chosen, with then.set=end: the player says how many"
    " of them",
    ("set_aside", "free", "all", "all-or-none", "one-face", "cup"): "any set in which every die contributes; all: every"
    " scoring die of the roll, at its highest score; all-or-none: all dice of a throw, or it is a bust; one-face: all"
    " dice of one face, each face once a turn; cup: dice are drawn from a cup, and those that score are set aside",
    ("finish", "at_least", "exact", "last_round", "one_turn", "one_turn_shared"): "at least the target wins at once;"
    " exact: a set that would pass it may not be taken; last_round: once somebody holds it every other player has one"
    " last turn, and the highest total wins; one_turn: every player has one turn, the best points win and those tied"
    " play again; one_turn_shared: those tied share",
    ("best", "highest", "lowest"): "which points are better; lowest goes with then.set=must, for the points of a turn",
    ("take_over", "none", "free", "opened"): "who may throw the dice that the player before left over, with the points"
    " banked in hand: nobody; free: anybody; opened: who has points already; for win",
}
# The options that every rule file has; ``stop.opening`` is the key ``opening`` of the table ``[stop]``.
OPTIONS = (
    Option("target", 10_000, "total that wins", low=1),
    Option("stop.opening", 0, "least points of the first bank, in one turn"),
    Option("stop.at_least", 0, "least points of every later bank"),
    Option("stop.on_win", True, "whether both hold on the winning turn too; never with finish=exact"),
    *(Option(key, words[0], reason, tuple(words)) for (key, *words), reason in _WORD_OPTIONS.items()),
)

_POINTS = integer(-MAX_POINTS, MAX_POINTS)
_SPOTS = integer(0, MAX_POINTS)
_DIE_COUNT = integer(1, MAX_DICE)
_FACE = any_of(TEXT, integer(0))
_DICE = any_of(TEXT, list_of(_FACE))
_POINTS_BY_FACE = {"type": "object", "additionalProperties": _POINTS}
_MUST = ({"type": "string", "enum": ["must"]}, "The next throw has to be made, and score.")
_POINTS_OF_ALIKE = {
    **table([], then=_MUST, all=(_POINTS, "Points for every face that has no line of its own.")),
    "additionalProperties": _POINTS,
}


def _options(section: str = "") -> dict[str, tuple[Schema, str]]:
    """Return the declarations of the options of a table, by key; "" is the top of the file."""
    declarations = dict[str, tuple[Schema, str]]()
    for option in OPTIONS:
        option_section, _, key = option.key.rpartition(".")
        if option_section != section:
            continue
        if option.choices:
            declared = choice_of(*map(str, option.choices))
        elif isinstance(option.default, bool):
            declared = FLAG
        else:
            declared = integer(option.low, option.high)
        declarations[key] = {**declared, "default": option.default}, option.reason
    return declarations


def _dice_entry(
    key: str, required: list[str], conditions: dict[str, tuple[Schema, str]], **consequences: tuple[Schema, str]
) -> Schema:
    """Declare an entry that matches dice.

    Args:
        key: the key that lists the dice; instead, an entry may count pairs or have conditions.
        required: the keys that an entry must have.
        conditions: conditions beside those of ``dice_patterns``.
        consequences: the keys that say what the dice do.
    """
    declared = table(
        required,
        **{
            "name": (TEXT, "What it is called in advice."),
            key: (_DICE, "The dice as they lie, or letters for any different faces: aabbcc."),
            "of": (
                any_of(_DIE_COUNT, list_of(_DIE_COUNT)),
                "Instead of that: of how many dice. A throw may have any number if left out.",
            ),
            **conditions,
            **condition_keys(MAX_FACES, _DIE_COUNT, _FACE, _DICE, _SPOTS),
            "pairs": (_DIE_COUNT, "Instead of that: so many pairs, four alike being two of them."),
        },
        **consequences,
    )
    condition_names = (*conditions, *CONDITIONS, "all_alike", "of")
    exclusions = {**EXCLUDED_BY_SUM, key: ("pairs", *condition_names), "pairs": condition_names}
    return entry(declared, (key, *conditions, "pairs", *CONDITIONS), exclusions, all_alike="groups")


_PATTERN = _dice_entry("dice", ["points"], {}, points=(_POINTS, "What it scores."), then=_MUST)
_SPECIAL = _dice_entry(
    "throw",
    [],
    {"scoreless": (ONLY_TRUE, "No die scores.")},
    points=(any_of(_POINTS, {"type": "string", "enum": ["sum"]}), "What it scores as a whole; sum: all spots."),
    then=(
        {"type": "string", "enum": [*SPECIAL_THEN]},
        "What such a throw leads to: with points as once all dice are set aside, where nothing is said.",
    ),
    dice=(choice_of("all", "same"), "With then=roll: all dice, or the same, none of which is set aside."),
)
_THEN = table(
    [],
    **_options("then"),
    leave=(list_of(_FACE), "With set_aside=all: faces that may be thrown again all the same."),
    over=(
        {**FLAG, "default": False},
        "After so many alike that must be thrown on, a throw that shows their face is thrown over.",
    ),
)
_BUST = entry(
    table(
        [],
        costs=(list_of(integer(0, MAX_COST), maxItems=MAX_COSTS), "What the first, second, ... in a row costs."),
        count=(choice_of("anew", "stays"), "The count after the last of these."),
        floor=(integer(-MAX_COST, 0, default=0), "Scores go no lower: 0 where nothing is said."),
        above=(integer(1, MAX_POINTS), "The hand is lost once it holds more than so many points."),
    ),
    ("costs", "above"),
    count="costs",
    floor="costs",
)
_DIE = table(
    [],
    name=(TEXT, "What dice of this kind are called."),
    count=(integer(1, default=1), "How many there are: 1 where nothing is said."),
    weights=(list_of(integer(0, MAX_WEIGHT)), "For each face how many equally likely sides show it; 0: none."),
)
DICE = table([], die=(list_of(_DIE), "Dice unlike one another, instead of dice."))
_FACES = any_of(_FACE, list_of(_FACE, uniqueItems=True))
_ONE_FACE = table(
    [],
    forced=(_FACES, "Faces whose dice are set aside from every throw, beside the face that is taken."),
    repeatable=(_FACES, "Faces that may be taken more than once in a turn."),
    needed=(_FACES, "Faces that must be among the dice set aside, or the turn brings nothing."),
    covers=(
        {"type": "object", "additionalProperties": _FACE},
        "Faces of which there must be as many dice as of another, or the turn brings nothing: ray = tank.",
    ),
    bonus=(_SPOTS, "Points for one die at least of every face that scores."),
    stuck=(choice_of("bust", "score"), "What follows if no face can be taken; score: the turn ends with its points."),
    totals=(
        {"type": "object", "additionalProperties": _SPOTS},
        "What the turn points bring, by the least total: 21 = 1. They count as they are if left out.",
    ),
)
_CUP = table(
    ["hand", "again", "bust", "limit"],
    hand=(_DIE_COUNT, "How many dice are rolled at a time."),
    again=(_FACE, "The face whose dice stay in the hand and are rolled again."),
    bust=(_FACE, "The face that ends the turn without points if it shows often enough."),
    limit=(_DIE_COUNT, "How often it has to show in a turn for that."),
)
RULES = entry(
    table(
        ["name"],
        **OWN,
        dice=(_DIE_COUNT, "How many dice, all alike."),
        die=(DICE["properties"]["die"], "Dice unlike one another, instead of dice."),
        faces=(
            {**any_of(integer(2, MAX_FACES), list_of(_FACE, maxItems=MAX_FACES)), "default": 6},
            "How many faces a die has, or their names: 6 where nothing is said.",
        ),
        weights=WEIGHTS,
        wild=(
            any_of(_FACE, list_of(_FACE, uniqueItems=True)),
            "Faces that stand for others in several alike and in patterns, beside one die at least of another face.",
        ),
        wild_alone=(
            {**FLAG, "default": False},
            "Whether wild faces alone make several alike and patterns.",
        ),
        singles=({**_POINTS_BY_FACE, "default": {}}, "Points of one die, by face."),
        alike=(
            {"type": "object", "additionalProperties": _POINTS_OF_ALIKE, "default": {}},
            "By how many alike on one throw: points by face.",
        ),
        pattern=({**list_of(_PATTERN), "default": []}, "Other sets that score."),
        scores=(
            list_of(any_of(_POINTS, {"type": "string", "enum": ["none"]})),
            "The points of every set, as kw.push_game writes them; none: its dice do not all score.",
        ),
        special=({**list_of(_SPECIAL), "default": []}, "Whole throws with a meaning of their own."),
        stop=({**table([], **_options("stop")), "default": {}}, "From how many points on a turn may end."),
        then=({**_THEN, "default": {}}, "What follows a set that says nothing itself."),
        one_face=(_ONE_FACE, "With set_aside=one-face: what the faces mean."),
        cup=(_CUP, "With set_aside=cup: the size of a hand, and what the faces mean."),
        bust=(_BUST, "What busts cost, and from where on a hand is lost."),
        **_options(),
    ),
    ("dice", "die"),
    exclusions={"scores": ("singles", "alike", "pattern", "wild"), "die": ("weights",)},
    wild_alone="wild",
)
SCHEMA = file_schema("push your luck", RULES)
