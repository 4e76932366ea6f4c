"""The keys of a card's rule file: the values that each allows, and its meaning.

``schema`` explains the declarations. ``RULES`` is the whole file.
"""

from __future__ import annotations

from ..card_rules import FORCED, FREE, NONE
from .dice_patterns import CONDITIONS, EXCLUDED_BY_SUM, condition_keys
from .schema import FLAG, ONLY_TRUE, OWN, TEXT, WEIGHTS, any_of, choice_of, entry, file_schema, integer, list_of, table

MAX_DICE, MAX_FACES = 12, 8
MAX_BOXES = 60
MAX_POINTS, MAX_STEP = 10_000, 500
MAX_TOTAL = 100_000
MAX_SAVED = 100

_FACE = integer(1, MAX_FACES)
_DIE_COUNT = integer(1, MAX_DICE)
_SUM = integer(1, MAX_DICE * MAX_FACES)
_CATEGORY_KEYS = table(
    ["name"],
    name=(TEXT, "The name of the box."),
    face=(_FACE, "The spots of the dice that show this face."),
    chance=(ONLY_TRUE, "All spots."),
    scores=(list_of(integer(0, MAX_POINTS)), "The points of every throw, as kw.card_game writes them."),
    **condition_keys(MAX_FACES, _DIE_COUNT, _FACE, list_of(_FACE), _SUM),
    one_colour=(ONLY_TRUE, "The dice of the groups, without groups all dice, are of one colour."),
    points=(
        any_of({"type": "string", "enum": ["sum", "groups"]}, integer(0, MAX_POINTS)),
        "All spots (sum), those of the groups, or fixed points.",
    ),
    plus=(integer(0, MAX_POINTS), "So many points beside the spots."),
    first=(
        any_of({"type": "string", "enum": ["win"]}, integer(1, MAX_POINTS)),
        "Points after the first throw of a turn; win: that wins the game.",
    ),
    times=(integer(1, MAX_BOXES, default=1), "So many boxes of it."),
)
SCORED_ALONE = ("face", "chance", "scores")  # keys that say all that a category counts
DICE_CONDITIONS = (*CONDITIONS, "one_colour")
_OTHERS = (*DICE_CONDITIONS, "all_alike", "points", "plus", "first")
_CATEGORY = entry(
    _CATEGORY_KEYS,
    (*SCORED_ALONE, *DICE_CONDITIONS),
    {**EXCLUDED_BY_SUM, **{key: (*SCORED_ALONE[:place], *_OTHERS) for place, key in enumerate(SCORED_ALONE)}},
    all_alike="groups",
)
_STEP = integer(1, MAX_STEP)
_BONUS = integer(1, MAX_POINTS)
_UPPER = table(
    ["categories", "at", "bonus"],
    categories=(list_of(any_of(TEXT, integer(0)), uniqueItems=True), "The boxes whose points count towards the bonus."),
    at=(any_of(_STEP, list_of(_STEP)), "What they must hold together; several steps as a list."),
    bonus=(any_of(_BONUS, list_of(_BONUS)), "The bonus from there on; a list where there are several steps."),
)
_AGAIN = table(
    ["category"],
    category=(TEXT, "The box of all dice alike."),
    bonus=(
        integer(0, MAX_POINTS, default=0),
        "Points for each later throw of all dice alike, if that box holds points.",
    ),
    joker=(choice_of(NONE, FORCED, FREE), "Where such a throw may be entered, and in full."),
)
_TOTAL = table(
    ["at", "points"],
    at=(list_of(integer(0, MAX_TOTAL)), "Totals of the whole card, rising, the first 0."),
    points=(list_of(integer(-MAX_POINTS, MAX_POINTS)), "The points that the card is worth from each of them on."),
)
RULES = table(
    ["name", "dice", "category"],
    **OWN,
    dice=(_DIE_COUNT, "How many dice."),
    faces=(integer(2, MAX_FACES, default=6), "How many faces a die has: 6 where nothing is said."),
    colours=(list_of(TEXT), "For each face its colour."),
    weights=WEIGHTS,
    throws=(integer(1, 10, default=3), "Throws in a turn: 3 where nothing is said."),
    boxes=(integer(1, 2, default=1), "2: the dice are split in two, each part for a box of its own."),
    saved_throws=(
        {**any_of(FLAG, integer(1, MAX_SAVED)), "default": False},
        "Throws that a turn does not take may be taken in later ones: true, or so many at most.",
    ),
    zeros=(choice_of(FREE, FORCED), "forced: a throw that scores in some open box may not be entered for nothing."),
    order=(choice_of(FREE, "down"), "down: boxes are filled from the first to the last."),
    columns=(
        list_of(integer(1, 100), uniqueItems=True, default=[1]),
        "Every box in each of these columns, where its points count so many times.",
    ),
    category=(list_of(_CATEGORY), "The boxes."),
    upper=(_UPPER, "A bonus for what some boxes hold together."),
    again=(_AGAIN, "Later throws of all dice alike."),
    total=(_TOTAL, "What the card is played for: points that its total gives in the end."),
)
SCHEMA = file_schema("card", RULES)
