"""The keys of a push-your-luck rule file: the values that each allows, and its meaning.

``schema`` explains the declarations. ``RULES`` is the whole file, and ``OPTIONS`` are its keys that every game has.
"""

from __future__ import annotations

from ..badges import FORMATIONS
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
MAX_WARLORD, MAX_USES = 900, 3
SPECIAL_THEN = ("roll", "must", "end", "void", "win", "bust", "wipe")  # what a special roll leads to

# The options that are words: the key, its words (the first is the default), and the reading of all of them.
_WORD_OPTIONS = {
    (
        "stop.below",
        "end",
        "must",
    ): "end: with too few points for a bank the player may stop and score nothing; must: the player has to roll on",
    (
        "then.set",
        "roll",
        "must",
        "end",
    ): "roll: after a set the player may roll again, or stop; must: the player rolls until"
    " all dice are set aside; end: a turn is one roll, and its points are banked",
    (
        "then.all",
        "roll",
        "must",
        "end",
    ): "roll: once all dice are set aside they may all be rolled again; must: they have to be; end: the turn ends",
    ("then.dice", "all", "chosen"): "a turn begins with all dice; chosen (requires then.set=end): the player says with"
    " how many",
    (
        "set_aside",
        "free",
        "all",
        "all-or-none",
        "one-face",
        "any",
        "cup",
    ): "free: any set in which every die contributes; all:"
    " every scoring die of the roll, at its highest score; all-or-none: all dice of a roll, or it is a bust; one-face:"
    " all dice of one face, each face once a turn; any: any dice, at least one; cup: dice are drawn from a cup, and"
    " those that score are set aside",
    (
        "finish",
        "at_least",
        "exact",
        "last_round",
        "one_turn",
        "one_turn_shared",
    ): "at_least: at least the target wins at once;"
    " exact: a set that would pass it may not be taken; last_round: once a player has it every other player has one"
    " last turn, and the highest total wins; one_turn: every player has one turn, the best points win and tied players"
    " play again; one_turn_shared: tied players share the win",
    ("best", "highest", "lowest"): "which points are better; lowest requires then.set=must, and the objective is the"
    " points of a turn",
    ("take_over", "none", "free", "opened"): "who may roll the dice that the previous player left, with the turn points"
    " that were banked; none: no player; free: any player; opened: players who have points already; for the objective"
    " win",
}
# The options that every rule file has; ``stop.opening`` is the key ``opening`` of the table ``[stop]``.
OPTIONS = (
    Option("target", 10_000, "the score that wins", low=1),
    Option("stop.opening", 0, "least points of the first bank, in one turn"),
    Option("stop.at_least", 0, "least points of every bank; the first one also needs stop.opening"),
    Option(
        "stop.on_win",
        True,
        "whether stop.opening and stop.at_least apply to the winning turn too; never with finish=exact",
    ),
    *(Option(key, words[0], reason, tuple(words)) for (key, *words), reason in _WORD_OPTIONS.items()),
)

_POINTS = integer(-MAX_POINTS, MAX_POINTS)
_SPOTS = integer(0, MAX_POINTS)
_DIE_COUNT = integer(1, MAX_DICE, ("dice",))
_FACE = any_of(TEXT, integer(0))
_DICE = any_of(TEXT, list_of(_FACE))
_POINTS_BY_FACE = {"type": "object", "additionalProperties": _POINTS}
_MUST = ({"type": "string", "enum": ["must"]}, "The next roll must be made, and must score.")
_POINTS_OF_ALIKE = {
    **table([], then=_MUST, all=(_POINTS, "Points for every face that is not listed.")),
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
            "name": (TEXT, "Its name in advice."),
            key: (_DICE, "The dice, or letters for any different faces: aabbcc."),
            "of": (
                any_of(_DIE_COUNT, list_of(_DIE_COUNT)),
                "With conditions: the number of dice. If left out, a roll may have any number.",
            ),
            **conditions,
            **condition_keys(MAX_FACES, _DIE_COUNT, _FACE, _DICE, _SPOTS),
            "pairs": (_DIE_COUNT, "Instead of dice: the number of pairs; four alike are two pairs."),
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
    points=(any_of(_POINTS, {"type": "string", "enum": ["sum"]}), "What the whole roll scores; sum: all spots."),
    then=(
        {"type": "string", "enum": [*SPECIAL_THEN]},
        "What follows such a roll. If left out, a roll with points counts as all dice set aside.",
    ),
    dice=(choice_of("all", "same"), "With then=roll: roll all dice, or the same dice, none of which is set aside."),
)
_THEN = table(
    [],
    **_options("then"),
    leave=(list_of(_FACE), "With set_aside=all: scoring faces that may be rolled again instead."),
    over=(
        {**FLAG, "default": False},
        "If several alike must be confirmed, a roll that shows their face is rolled again.",
    ),
)
_BUST = entry(
    table(
        [],
        costs=(list_of(integer(0, MAX_COST), maxItems=MAX_COSTS), "What the first, second, ... bust in a row costs."),
        count=(
            choice_of("anew", "stays"),
            "After the last cost: anew starts again with the first; stays charges the last one for every later bust.",
        ),
        floor=(integer(-MAX_COST, 0, default=0), "The lowest score that busts lead to; 0 if left out."),
        above=(integer(1, MAX_POINTS), "The turn is lost once it has more than this many points."),
    ),
    ("costs", "above"),
    count="costs",
    floor="costs",
)
_DIE = table(
    [],
    name=(TEXT, "The name of these dice."),
    count=(integer(1, default=1), "How many there are; 1 if left out."),
    weights=(list_of(integer(0, MAX_WEIGHT)), "For each face, how many equally likely sides show it; 0: none."),
)
DICE = table([], die=(list_of(_DIE), "Dice that differ, instead of dice."))
_FACES = any_of(_FACE, list_of(_FACE, uniqueItems=True))
_WHOLE_HAND_KEYS = {  # what all dice set aside must show, and what they bring
    "needed": (_FACES, "Faces that must be among the dice set aside; otherwise the turn scores nothing."),
    "covers": (
        {"type": "object", "additionalProperties": _FACE},
        "Faces that need as many dice as another face; otherwise the turn scores nothing: ray = tank.",
    ),
    "bonus": (_SPOTS, "Points for having set aside at least one die of every face that scores."),
    "totals": (
        {"type": "object", "additionalProperties": _SPOTS},
        "What the turn points are worth, by the least total: 21 = 1. If left out, they count as they are.",
    ),
}
_ONE_FACE = table(
    [],
    forced=(_FACES, "Faces whose dice are set aside after every roll, besides the face that is taken."),
    repeatable=(_FACES, "Faces that may be taken more than once in a turn."),
    needed=_WHOLE_HAND_KEYS["needed"],
    covers=_WHOLE_HAND_KEYS["covers"],
    bonus=_WHOLE_HAND_KEYS["bonus"],
    stuck=(choice_of("bust", "score"), "What happens if no face can be taken; score: the turn ends with its points."),
    totals=_WHOLE_HAND_KEYS["totals"],
)
_WHOLE_HAND = table(
    [],
    needed_score=({"type": "boolean"}, "If false, one die of each needed face scores nothing."),
    **_WHOLE_HAND_KEYS,
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
        dice=(_DIE_COUNT, "The number of dice, all alike."),
        die=(DICE["properties"]["die"], "Dice that differ, instead of dice."),
        catalogue=(TEXT, "The named dice from which hands are chosen: kingdom-come-2."),
        hand=(TEXT, "Dice of the catalogue, instead of dice, die, weights, faces and wild: lucky*3, ordinary*3."),
        faces=(
            {**any_of(integer(2, MAX_FACES), list_of(_FACE, maxItems=MAX_FACES)), "default": 6},
            "The number of faces of a die, or their names; 6 if left out.",
        ),
        weights=WEIGHTS,
        wild=(
            any_of(_FACE, list_of(_FACE, uniqueItems=True)),
            "Faces that stand for any face in sets of dice alike and in patterns, together with at least one die of"
            " another face.",
        ),
        wild_alone=(
            {**FLAG, "default": False},
            "Whether wild faces alone make several alike and patterns.",
        ),
        singles=({**_POINTS_BY_FACE, "default": {}}, "Points of one die, by face."),
        alike=(
            {"type": "object", "additionalProperties": _POINTS_OF_ALIKE, "default": {}},
            "Points of N alike on one roll: by N, then by face.",
        ),
        pattern=({**list_of(_PATTERN), "default": []}, "Other sets that score."),
        scores=(
            list_of(any_of(_POINTS, {"type": "string", "enum": ["none"]})),
            "The points of every set, as kw.push_game writes them; none: not all its dice score.",
        ),
        special=({**list_of(_SPECIAL), "default": []}, "Whole rolls with a meaning of their own."),
        stop=({**table([], **_options("stop")), "default": {}}, "The points from which a turn may end."),
        then=({**_THEN, "default": {}}, "What follows a set, unless the set has a rule of its own."),
        one_face=(_ONE_FACE, "With set_aside=one-face: the roles of the faces."),
        whole_hand=(_WHOLE_HAND, "With set_aside=any: what all dice set aside must show, and what they bring."),
        cup=(_CUP, "With set_aside=cup: the size of a hand, and the roles of the faces."),
        bust=(_BUST, "What busts cost, and the points above which a turn is lost."),
        warlord=(
            integer(0, MAX_WARLORD, default=0),
            "Badge of each player, used once in a game: by how many percent the points of a turn rise if the player"
            " says so before its first roll.",
        ),
        resurrection=(
            integer(0, MAX_USES, default=0),
            "Badge of each player: how often in a game the same dice may be rolled again after a bust.",
        ),
        emperor=(
            integer(0, MAX_USES, default=0),
            "Badge of each player: how often in a game three 1s may count three times as much.",
        ),
        **{
            key: (
                integer(0, MAX_POINTS, default=0),
                f"Badge of advantage of each player: the points of the dice {' '.join(dice)} set aside together.",
            )
            for key, dice in FORMATIONS.items()
        },
        **_options(),
    ),
    ("dice", "die", "hand"),
    exclusions={
        "scores": ("singles", "alike", "pattern", "wild"),
        "die": ("weights",),
        "hand": ("die", "weights", "faces", "wild"),
    },
    wild_alone="wild",
)
SCHEMA = file_schema("push your luck", RULES)
