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
MAX_FREE_ROLLS, MAX_ROLLS = 10, 100  # rolls of a turn, and rolls if they cost points

_FACE = integer(1, MAX_FACES, ("faces",))
_POINTS = integer(0, MAX_POINTS)
_DIE_COUNT = integer(1, MAX_DICE, ("dice",))
_SUM = integer(1, MAX_DICE * MAX_FACES)
_CATEGORY_KEYS = table(
    ["name"],
    name=(TEXT, "The name of the box."),
    face=(_FACE, "The spots of the dice that show this face."),
    chance=(ONLY_TRUE, "All spots."),
    scores=(list_of(_POINTS), "The points of every roll, as kw.card_game writes them."),
    **condition_keys(MAX_FACES, _DIE_COUNT, _FACE, list_of(_FACE), _SUM),
    one_colour=(ONLY_TRUE, "The dice of the groups (without groups, all dice) have one colour."),
    points=(
        any_of({"type": "string", "enum": ["sum", "groups"]}, _POINTS),
        "All spots (sum), the spots of the groups, or fixed points.",
    ),
    plus=(_POINTS, "Points added to the spots."),
    first=(
        any_of({"type": "string", "enum": ["win"]}, integer(1, MAX_POINTS)),
        "Points if entered after the first roll of a turn; win: that wins the game.",
    ),
    times=(integer(1, MAX_BOXES, default=1), "How many boxes this category has."),
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
    at=(any_of(_STEP, list_of(_STEP)), "The upper total that earns the bonus; a list for several steps."),
    bonus=(any_of(_BONUS, list_of(_BONUS)), "The bonus at that total; a list for several steps."),
)
_AGAIN = table(
    ["category"],
    category=(TEXT, "The box for all dice alike."),
    bonus=(
        integer(0, MAX_POINTS, default=0),
        "Points for each later roll with all dice alike, if that box holds points.",
    ),
    joker=(choice_of(NONE, FORCED, FREE), "Where such a roll may be entered, and in which boxes it scores in full."),
)
_TOTAL = table(
    ["at", "points"],
    at=(list_of(integer(0, MAX_TOTAL)), "Totals of the whole card, rising; the first is 0."),
    points=(
        list_of(integer(-MAX_POINTS, MAX_POINTS)),
        "The points that the card is worth from each of these totals on.",
    ),
)
RULES = table(
    ["name", "dice", "category"],
    **OWN,
    dice=(_DIE_COUNT, "The number of dice."),
    faces=(integer(2, MAX_FACES, default=6), "The number of faces of a die; 6 if left out."),
    colours=(list_of(TEXT), "The colour of each face."),
    weights=WEIGHTS,
    throws=(integer(1, MAX_ROLLS, default=3), "Rolls in a turn; 3 if left out. More than 10 require throw_costs."),
    throw_costs=(
        {**any_of(_POINTS, list_of(_POINTS)), "default": 0},
        "Points that each roll of a turn after the first costs, taken off the box that is filled; a list for different"
        " costs.",
    ),
    boxes=(integer(1, 2, default=1), "2: the dice are split into two parts, each entered in a box of its own."),
    saved_throws=(
        {**any_of(FLAG, integer(1, MAX_SAVED)), "default": False},
        "Rolls that a turn does not use may be used in later turns: true, or the largest number that can be saved.",
    ),
    zeros=(choice_of(FREE, FORCED), "forced: a zero may not be entered for a roll that scores in some open box."),
    order=(choice_of(FREE, "down"), "down: boxes are filled from first to last."),
    columns=(
        list_of(integer(1, 100), uniqueItems=True, default=[1]),
        "The factors of the columns: every column has all boxes, and multiplies their points by its factor.",
    ),
    category=(list_of(_CATEGORY), "The boxes."),
    upper=(_UPPER, "A bonus for the points in some boxes."),
    again=(_AGAIN, "Later rolls with all dice alike."),
    total=(_TOTAL, "What the total is worth: the points that the card is played for."),
)
SCHEMA = file_schema("card", RULES)
