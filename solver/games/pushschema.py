"""The JSON Schema of a push-your-luck rule file, for editors: which keys there are, and what each may hold.

It knows the shape of a file; whether the rules can be (``house.state``) is more than a schema can say.
"""

from __future__ import annotations

from .cardschema import Schema, list_of, table, whole
from .house import EFFECTS, MOST_COST, MOST_COSTS, MOST_DICE, MOST_FACES, MOST_SCORED, MOST_WEIGHT, OPTIONS


def schema() -> Schema:
    """Return the schema of a push-your-luck file."""
    text, flag, points = {"type": "string"}, {"type": "boolean"}, whole(-MOST_SCORED, MOST_SCORED)
    spots = whole(0, MOST_SCORED)
    some, number = whole(1, MOST_DICE), {"type": "integer"}
    by_face = {"type": "object", "additionalProperties": points}
    pattern = table(
        ["points"],
        name=(text, "What it is called in advice."),
        dice=(text, "The dice as they lie, or letters for any different faces: aabbcc."),
        pairs=(some, "Instead of dice: so many pairs, four alike being two of them."),
        points=(points, "What it scores."),
    )
    special = table(
        ["effect"],
        name=(text, "What it is called in advice."),
        throw=(text, "The dice as they lie, or letters for any different faces."),
        of=({"anyOf": [some, list_of(some)]}, "Instead of throw: how many dice are thrown; any number if left out."),
        scoreless=({"type": "boolean", "enum": [True]}, "No die scores."),
        groups=(list_of(some), "So many dice alike, each group of another face."),
        shows=(text, "These dice are among them."),
        only=(text, "No other faces than these."),
        sum=(spots, "The sum of all spots."),
        at_least=(spots, "The least sum of all spots."),
        at_most=(spots, "The greatest sum of all spots."),
        effect=({"type": "string", "enum": [*EFFECTS]}, "What such a throw does."),
        points=({"anyOf": [points, {"type": "string", "enum": ["sum"]}]}, "Points of score and again; sum: all spots."),
    )
    confirm = table(
        [],
        alike=(list_of(some), "So many alike must be confirmed."),
        patterns=(list_of(text), "Patterns of these names must be confirmed."),
        over=(flag, "A throw that shows the face that is alike is thrown over."),
    )
    bust = table(
        ["costs"],
        costs=({**list_of(whole(0, MOST_COST)), "maxItems": MOST_COSTS}, "What the first, second, ... in a row costs."),
        then=({"type": "string", "enum": ["anew", "stays"]}, "The count after the last of these."),
        floor=(whole(-MOST_COST, 0), "Scores go no lower: 0 where nothing is said."),
    )
    die = table(
        [],
        name=(text, "What dice of this kind are called."),
        count=(some, "How many there are: 1 where nothing is said."),
        weights=(list_of(whole(0, MOST_WEIGHT)), "For each face how many equally likely sides show it; 0: none."),
    )
    faces = {"anyOf": [whole(2, MOST_FACES), list_of({"anyOf": [text, number]})]}
    options: dict[str, tuple[Schema, str]] = {}
    for option in OPTIONS:
        if isinstance(option.default, bool):
            options[option.key] = (flag, option.reason)
        elif option.choices:
            options[option.key] = ({"type": "string", "enum": [*option.choices]}, option.reason)
        else:
            options[option.key] = (whole(option.low, option.high), option.reason)
    of_file = table(
        ["name"],
        name=({"type": "string", "pattern": "^[a-z0-9][a-z0-9-]*$"}, "Letters, digits and dashes."),
        title=(text, "The game's name for people."),
        dice=(some, "How many dice, all alike."),
        die=(list_of(die), "Dice unlike one another, instead of dice."),
        faces=(faces, "How many faces a die has, or their names: 6 where nothing is said."),
        weights=(list_of({"type": "integer", "minimum": 1}), "For each face how many equally likely sides show it."),
        singles=(by_face, "Points of one die, by face."),
        alike=({"type": "object", "additionalProperties": by_face}, "By how many alike on one throw: points by face."),
        pattern=(list_of(pattern), "Other sets that score."),
        scores=(list_of(whole(-1, MOST_SCORED)), "The points of every set, as kw.push_game writes them."),
        special=(list_of(special), "Whole throws with a meaning of their own."),
        leave=(list_of({"anyOf": [text, number]}), "With set_aside=all: faces that may be thrown again all the same."),
        confirm=(confirm, "Sets after which the next throw must be made."),
        bust=(bust, "What busts cost."),
        **options,
    )
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Keepwise push your luck", **of_file}
