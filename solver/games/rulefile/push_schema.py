"""The keys of a push-your-luck rule file: what each may hold, and what it means (see ``declared``)."""

from __future__ import annotations

from ..rule_options import Option
from .dice_patterns import ASKED, SUMS, keys
from .schema import FLAG, ONLY_TRUE, OWN, TEXT, WEIGHTS, Schema, entry, list_of, of_file, one_of, table, whole, word

MOST_DICE, MOST_FACES = 26, 20  # Hog to 100 never throws more than 26
MOST_SCORED = 1_000_000
MOST_WEIGHT = 10_000
MOST_COSTS, MOST_COST = 6, 100_000
NEXT = ("roll", "must", "end", "void", "win", "bust", "wipe")  # what a whole throw leads to

_WORDS = {  # what each key may say, with what it is where the file is silent first
    ("stop.below", "end", "must"): "with fewer points in hand the player may stop and score nothing; must: has to throw"
    " on",
    ("then.set", "roll", "must", "end"): "after a set the player may throw on, or stop; must: has to throw on until all"
    " dice are set aside; end: a turn is one throw, and its points are banked",
    ("then.all", "roll", "must", "end"): "once all dice are set aside they may all be thrown again; must: they have to"
    " be; end: the turn ends",
    ("then.dice", "all", "chosen"): "dice that a turn begins with; chosen, with then.set=end: the player says how many"
    " of them",
    ("set_aside", "free", "all", "all-or-none"): "any set in which every die contributes; all: every scoring die of the"
    " roll, at its highest score; all-or-none: all dice of a throw, or it is a bust",
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
    *(Option(key, choices[0], reason, tuple(choices)) for (key, *choices), reason in _WORDS.items()),
)

_points, _spots, _some = whole(-MOST_SCORED, MOST_SCORED), whole(0, MOST_SCORED), whole(1, MOST_DICE)
_all = (_points, "Points for every face that has no line of its own.")
_face, _by_face = one_of(TEXT, whole(0)), {"type": "object", "additionalProperties": _points}
_asked = keys(MOST_FACES, _some, _face, one_of(TEXT, list_of(_face)), _spots)
_must = ({"type": "string", "enum": ["must"]}, "The next throw has to be made, and score.")
_alike = {**table([], then=_must, all=_all), "additionalProperties": _points}
_lie = (one_of(TEXT, list_of(_face)), "The dice as they lie, or letters for any different faces: aabbcc.")
_pairs = (_some, "Instead of that: so many pairs, four alike being two of them.")
_of = (one_of(_some, list_of(_some)), "Instead of that: of how many dice. A throw may have any number if left out.")


def _options(section: str = "") -> dict[str, tuple[Schema, str]]:
    """What the options of a table may hold, by key."""
    found = dict[str, tuple[Schema, str]]()
    for option in OPTIONS:
        of, _, key = option.key.rpartition(".")
        kind = FLAG if isinstance(option.default, bool) else whole(option.low, option.high)
        kind = word(*map(str, option.choices)) if option.choices else kind
        found |= {key: ({**kind, "default": option.default}, option.reason)} if of == section else {}
    return found


_asks = (*ASKED, "all_alike", "of")


def _shows(key: str, required: list[str], asks: dict[str, tuple[Schema, str]], **more: tuple[Schema, str]) -> Schema:
    """What dice stand for that lie so, told by ``key``, or show what is asked for; ``asks``: what else may be."""
    name = (TEXT, "What it is called in advice.")
    told = table(required, **{"name": name, key: _lie, "of": _of, **asks, **_asked, "pairs": _pairs}, **more)
    alone = {**SUMS, key: ("pairs", *asks, *_asks), "pairs": (*asks, *_asks)}
    return entry(told, (key, *asks, "pairs", *ASKED), alone, all_alike="groups")


_pattern = _shows("dice", ["points"], {}, points=(_points, "What it scores."), then=_must)
_special = _shows(
    "throw",
    [],
    {"scoreless": (ONLY_TRUE, "No die scores.")},
    points=(one_of(_points, {"type": "string", "enum": ["sum"]}), "What it scores as a whole; sum: all spots."),
    then=(
        {"type": "string", "enum": [*NEXT]},
        "What such a throw leads to: with points as once all dice are set aside, where nothing is said.",
    ),
    dice=(word("all", "same"), "With then=roll: all dice, or the same, none of which is set aside."),
)
_then = table(
    [],
    **_options("then"),
    leave=(list_of(_face), "With set_aside=all: faces that may be thrown again all the same."),
    over=(
        {**FLAG, "default": False},
        "After so many alike that must be thrown on, a throw that shows their face is thrown over.",
    ),
)
_bust = table(
    [],
    costs=(list_of(whole(0, MOST_COST), maxItems=MOST_COSTS), "What the first, second, ... in a row costs."),
    count=(word("anew", "stays"), "The count after the last of these."),
    floor=(whole(-MOST_COST, 0, default=0), "Scores go no lower: 0 where nothing is said."),
    above=(whole(1, MOST_SCORED), "The hand is lost once it holds more than so many points."),
)
_bust = entry(_bust, ("costs", "above"), count="costs", floor="costs")
_die = table(
    [],
    name=(TEXT, "What dice of this kind are called."),
    count=(whole(1, default=1), "How many there are: 1 where nothing is said."),
    weights=(list_of(whole(0, MOST_WEIGHT)), "For each face how many equally likely sides show it; 0: none."),
)
DICE = table([], die=(list_of(_die), "Dice unlike one another, instead of dice."))
RULES = table(
    ["name"],
    **OWN,
    dice=(_some, "How many dice, all alike."),
    die=(DICE["properties"]["die"], "Dice unlike one another, instead of dice."),
    faces=(
        {**one_of(whole(2, MOST_FACES), list_of(_face, maxItems=MOST_FACES)), "default": 6},
        "How many faces a die has, or their names: 6 where nothing is said.",
    ),
    weights=WEIGHTS,
    singles=({**_by_face, "default": {}}, "Points of one die, by face."),
    alike=(
        {"type": "object", "additionalProperties": _alike, "default": {}},
        "By how many alike on one throw: points by face.",
    ),
    pattern=({**list_of(_pattern), "default": []}, "Other sets that score."),
    scores=(
        list_of(one_of(_points, {"type": "string", "enum": ["none"]})),
        "The points of every set, as kw.push_game writes them; none: its dice do not all score.",
    ),
    special=({**list_of(_special), "default": []}, "Whole throws with a meaning of their own."),
    stop=({**table([], **_options("stop")), "default": {}}, "From how many points on a turn may end."),
    then=({**_then, "default": {}}, "What follows a set that says nothing itself."),
    bust=(_bust, "What busts cost, and from where on a hand is lost."),
    **_options(),
)
RULES = entry(RULES, ("dice", "die"), alone={"scores": ("singles", "alike", "pattern"), "die": ("weights",)})
SCHEMA = of_file("push your luck", RULES)
