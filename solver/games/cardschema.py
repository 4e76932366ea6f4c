"""The JSON Schema of a card's rule file, for editors: which keys there are, and what each may hold.

It knows the shape of a file; whether the rules can be (``cardfile.state``) is more than a schema can say.
"""

from __future__ import annotations

from typing import Any

from .cardfile import JOKERS, MOST_BOXES, MOST_DICE, MOST_FACES, MOST_POINTS, MOST_SAVED, MOST_STEP, MOST_TOTAL, ORDERS
from .cards import FORCED, FREE

Schema = dict[str, Any]


def whole(low: int, high: int) -> Schema:
    """A whole number."""
    return {"type": "integer", "minimum": low, "maximum": high}


def list_of(of: Schema) -> Schema:
    """A list that is not empty."""
    return {"type": "array", "items": of, "minItems": 1}


def table(required: list[str], **properties: tuple[Schema, str]) -> Schema:
    """A table: by key what it may hold and what it means."""
    told = {key: {**of, "description": text} for key, (of, text) in properties.items()}
    return {"type": "object", "properties": told, "required": required, "additionalProperties": False}


def schema() -> Schema:
    """Return the schema of a card file."""
    text, flag, face, steps = {"type": "string"}, {"type": "boolean"}, whole(1, MOST_FACES), whole(1, MOST_DICE)
    spots = {"type": "string", "enum": ["sum", "groups"]}
    category = table(
        ["name"],
        name=(text, "The name of the box."),
        face=(face, "The spots of the dice that show this face."),
        chance=({"type": "boolean", "enum": [True]}, "All spots."),
        scores=(list_of(whole(0, MOST_POINTS)), "The points of every throw, as kw.card_game writes them."),
        groups=(list_of(whole(2, MOST_DICE)), "So many dice alike, each group of another face."),
        all_alike=(flag, "Whether all dice alike count as these groups too."),
        straight=({"anyOf": [steps, list_of(face)]}, "So many faces in a row, or one die at least of each of these."),
        only=(list_of(face), "No other faces than these."),
        sum=(whole(1, MOST_DICE * MOST_FACES), "The sum of all spots."),
        at_least=(whole(1, MOST_DICE * MOST_FACES), "The least sum of all spots."),
        at_most=(whole(1, MOST_DICE * MOST_FACES), "The greatest sum of all spots."),
        points=({"anyOf": [spots, whole(1, MOST_POINTS)]}, "All spots (sum), those of the groups, or fixed points."),
        plus=(whole(0, MOST_POINTS), "So many points beside the spots."),
        first=(
            {"anyOf": [{"type": "string", "enum": ["win"]}, whole(1, MOST_POINTS)]},
            "Points after the first throw of a turn; win: that wins the game.",
        ),
        times=(whole(1, MOST_BOXES), "So many boxes of it."),
    )
    at, bonus = (whole(1, MOST_STEP), whole(1, MOST_POINTS))
    upper = table(
        ["categories", "at", "bonus"],
        categories=(list_of(text), "The boxes whose points count towards the bonus."),
        at=({"anyOf": [at, list_of(at)]}, "What they must hold together; several steps as a list."),
        bonus=({"anyOf": [bonus, list_of(bonus)]}, "The bonus from there on; a list where there are several steps."),
    )
    again = table(
        ["category"],
        category=(text, "The box of all dice alike."),
        bonus=(whole(0, MOST_POINTS), "Points for each later throw of all dice alike, if that box holds points."),
        joker=({"type": "string", "enum": [*JOKERS]}, "Where such a throw may be entered, and in full."),
    )
    total = table(
        ["at", "points"],
        at=(list_of(whole(0, MOST_TOTAL)), "Totals of the whole card, rising, the first 0."),
        points=(list_of(whole(-MOST_POINTS, MOST_POINTS)), "The points that the card is worth from each of them on."),
    )
    of_file = table(
        ["name", "dice", "category"],
        name=({"type": "string", "pattern": "^[a-z0-9][a-z0-9-]*$"}, "Letters, digits and dashes."),
        title=(text, "The game's name for people."),
        dice=(whole(1, MOST_DICE), "How many dice."),
        faces=(whole(2, MOST_FACES), "How many faces a die has: 6 where nothing is said."),
        weights=(list_of({"type": "integer", "minimum": 1}), "For each face how many equally likely sides show it."),
        throws=(whole(1, 10), "Throws in a turn: 3 where nothing is said."),
        boxes=(whole(1, 2), "2: the dice are split in two, each part for a box of its own."),
        saved_throws=(
            {"anyOf": [flag, whole(1, MOST_SAVED)]},
            "Throws that a turn does not take may be taken in later ones: true, or so many at most.",
        ),
        zeros=(
            {"type": "string", "enum": [FREE, FORCED]},
            "forced: a throw that scores in some open box may not be entered for nothing.",
        ),
        order=({"type": "string", "enum": [*ORDERS]}, "down: boxes are filled from the first to the last."),
        columns=(list_of(whole(1, 100)), "Every box in each of these columns, where its points count so many times."),
        category=(list_of(category), "The boxes."),
        upper=(upper, "A bonus for what some boxes hold together."),
        again=(again, "Later throws of all dice alike."),
        total=(total, "What the card is played for: points that its total gives in the end."),
    )
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Keepwise card", **of_file}
