"""The keys of a card's rule file: what each may hold, and what it means (see ``declared``)."""

from __future__ import annotations

from ..card_rules import FORCED, FREE, NONE
from .dice_patterns import ASKED, SUMS, keys
from .schema import FLAG, ONLY_TRUE, OWN, TEXT, WEIGHTS, entry, list_of, of_file, one_of, table, whole, word

MOST_DICE, MOST_FACES = 12, 8
MOST_BOXES = 60
MOST_POINTS, MOST_STEP = 10_000, 500
MOST_TOTAL = 100_000
MOST_SAVED = 100

_face, _size, _sum = whole(1, MOST_FACES), whole(1, MOST_DICE), whole(1, MOST_DICE * MOST_FACES)
_category = table(
    ["name"],
    name=(TEXT, "The name of the box."),
    face=(_face, "The spots of the dice that show this face."),
    chance=(ONLY_TRUE, "All spots."),
    scores=(list_of(whole(0, MOST_POINTS)), "The points of every throw, as kw.card_game writes them."),
    **keys(MOST_FACES, _size, _face, list_of(_face), _sum),
    one_colour=(ONLY_TRUE, "The dice of the groups, without groups all dice, are of one colour."),
    points=(
        one_of({"type": "string", "enum": ["sum", "groups"]}, whole(0, MOST_POINTS)),
        "All spots (sum), those of the groups, or fixed points.",
    ),
    plus=(whole(0, MOST_POINTS), "So many points beside the spots."),
    first=(
        one_of({"type": "string", "enum": ["win"]}, whole(1, MOST_POINTS)),
        "Points after the first throw of a turn; win: that wins the game.",
    ),
    times=(whole(1, MOST_BOXES, default=1), "So many boxes of it."),
)
ALONE = ("face", "chance", "scores")  # say all that a category counts
SHOWS = (*ASKED, "one_colour")  # what the dice must show
_others = (*SHOWS, "all_alike", "points", "plus", "first")
_category = entry(
    _category,
    (*ALONE, *SHOWS),
    {**SUMS, **{key: (*ALONE[:place], *_others) for place, key in enumerate(ALONE)}},
    all_alike="groups",
)
_at, _bonus = whole(1, MOST_STEP), whole(1, MOST_POINTS)
_upper = table(
    ["categories", "at", "bonus"],
    categories=(list_of(one_of(TEXT, whole(0)), uniqueItems=True), "The boxes whose points count towards the bonus."),
    at=(one_of(_at, list_of(_at)), "What they must hold together; several steps as a list."),
    bonus=(one_of(_bonus, list_of(_bonus)), "The bonus from there on; a list where there are several steps."),
)
_again = table(
    ["category"],
    category=(TEXT, "The box of all dice alike."),
    bonus=(
        whole(0, MOST_POINTS, default=0),
        "Points for each later throw of all dice alike, if that box holds points.",
    ),
    joker=(word(NONE, FORCED, FREE), "Where such a throw may be entered, and in full."),
)
_total = table(
    ["at", "points"],
    at=(list_of(whole(0, MOST_TOTAL)), "Totals of the whole card, rising, the first 0."),
    points=(list_of(whole(-MOST_POINTS, MOST_POINTS)), "The points that the card is worth from each of them on."),
)
RULES = table(
    ["name", "dice", "category"],
    **OWN,
    dice=(_size, "How many dice."),
    faces=(whole(2, MOST_FACES, default=6), "How many faces a die has: 6 where nothing is said."),
    colours=(list_of(TEXT), "For each face its colour."),
    weights=WEIGHTS,
    throws=(whole(1, 10, default=3), "Throws in a turn: 3 where nothing is said."),
    boxes=(whole(1, 2, default=1), "2: the dice are split in two, each part for a box of its own."),
    saved_throws=(
        {**one_of(FLAG, whole(1, MOST_SAVED)), "default": False},
        "Throws that a turn does not take may be taken in later ones: true, or so many at most.",
    ),
    zeros=(word(FREE, FORCED), "forced: a throw that scores in some open box may not be entered for nothing."),
    order=(word(FREE, "down"), "down: boxes are filled from the first to the last."),
    columns=(
        list_of(whole(1, 100), uniqueItems=True, default=[1]),
        "Every box in each of these columns, where its points count so many times.",
    ),
    category=(list_of(_category), "The boxes."),
    upper=(_upper, "A bonus for what some boxes hold together."),
    again=(_again, "Later throws of all dice alike."),
    total=(_total, "What the card is played for: points that its total gives in the end."),
)
SCHEMA = of_file("card", RULES)
