#!/usr/bin/env python3
"""Check a certificate: prove that the bounds in a file enclose the values of a dice game.

    python keepwise_check.py FILE [--sample N] [--seed S] [--blocks A-B] [--max-regret R]

This is the trusted base. It is one file of plain Python, uses the standard library only, and shares no code with the
program that writes certificates. It knows no game by name: it reads the rules from the header of the file.

- docs/certificate-format.md describes the file. ``HEADER``, ``TURNS``, ``MATCHES``, ``PARAMETERS`` and ``CUTS`` below
  say the same: each field with its type, its range and the objectives that it belongs to.
- docs/exactness.md states the hypotheses H1 to H11 and the cuts T1 to T5, and proves that they are enough. A comment
  or a message names the hypothesis at the line that checks it.

How to read this file, from top to bottom:

1. Fields: what each key of a header may be.
2. Consistency: conditions that join several fields, one named condition each.
3. Turns: the choices and rolls of one player's turn (H2, H3, H4).
4. Matches: what the ending of a turn pays, and which state follows (H3, H4).
5. Checker: Bellman inequalities of every state, in whole numbers (H1, H5 to H10).
6. File: lines and header, read with limits on every length (H1).
7. Command: what is judged, and the report (H11).

Exit status: 0, everything that was judged holds; 1, something does not hold, and one line says which state and which
hypothesis; 2, the file cannot be judged; 3, the report cannot be written; 130, interrupted; 141, the reader of the
report closed the pipe.

What you have to trust:

- that the rules in the header are the rules that you play;
- the classes of turns and matches (H2, H3, H4, H9), which say how these rules are read;
- Python's integers, ``fractions``, ``json`` and ``gzip``;
- docs/exactness.md;
- for three or more players, that the players follow the stored numbers (H10): a player who can win by banking does, and
  makes no choice that is worse by these numbers than the best one by more than ``tie``;
- that whoever states a value states its lower and its upper bound (H11).
"""

import argparse
import gzip
import hashlib
import json
import os
import random
import re
import secrets
import sys
from collections import Counter
from contextlib import suppress
from decimal import Context
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product, takewhile
from math import comb, factorial, floor, inf, lcm, prod
from operator import add, le, mul, sub
from typing import NamedTuple

# Limits. A file beyond them is refused, because judging it could exhaust time or memory.
GUARD_BITS = 40  # additional bits for rounding within a turn (H8)
MAX_BITS = 299  # of the unit of a certificate
MAX_PLAYERS = 8
MAX_HEADER_BYTES = 1 << 22
MAX_LINE_BYTES = 2000
MAX_TEXT = 1000  # characters of a text in the header
NUMERAL_LENGTH = 8  # characters of a number in the header, with its sign
MAX_NUMBER = 10**NUMERAL_LENGTH - 1
BYTES_OF_LINES = 500_000_000  # kept in memory, counted with BYTES_PER_LINE for each line
BYTES_PER_LINE = 100
LINES_OF_SAMPLE = 1_000_000  # a longer file is read twice for a sample, and only the lines needed are kept
MAX_NODES = 500_000  # pairs of mode and turn points within one turn
MAX_TURN_SIZE = 6_000_000  # rolls of a turn, in the measure of ``turn_size``
MAX_BOXES = 63
MAX_REGRET = 2.0**-20  # for three or more players, unless --max-regret says otherwise

PASSED, FAILED, NOT_JUDGED, NOT_WRITTEN, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 3, 130, 141  # exit status

# When a player may stop before a roll.
NEVER, COUNTING, ALWAYS = range(3)  # COUNTING: only with turn points that count


class CannotJudgeError(Exception):
    """The file is not a certificate that this program can judge."""


class DoesNotHoldError(Exception):
    """A hypothesis fails."""


def require(condition, message):
    """Raise CannotJudgeError unless the condition holds."""
    if not condition:
        raise CannotJudgeError(message)


def establish(condition, message):
    """Raise DoesNotHoldError unless the condition holds."""
    if not condition:
        raise DoesNotHoldError(message)


# --- 1. Fields ---------------------------------------------------------------------------------------------------


class Type(NamedTuple):
    """A type of values: its name, as docs/certificate-format.md spells it, and a predicate."""

    text: str
    accepts: object


def whole(least=None, most=None):
    """Return the type of whole numbers of a range; JSON's true and false are not numbers."""
    low, high = (-MAX_NUMBER if least is None else least), (MAX_NUMBER if most is None else most)
    bounds = "" if least is None else f" from {least}" + ("" if most is None else f" to {most}")
    return Type(f"whole number{bounds}", lambda value: type(value) is int and low <= value <= high)


def one_of(*words):
    """Return the type of some words."""
    return Type("one of " + ", ".join(words), lambda value: type(value) is str and value in words)


def list_of(item, least=0, most=None):
    """Return the type of lists whose items have one type."""
    high = inf if most is None else most
    length = f"{least} to {most} of" if most is not None else f"at least {least} of" if least else "of"

    def accepts(value):
        return type(value) is list and least <= len(value) <= high and all(map(item.accepts, value))

    return Type(f"list {length} ({item.text})", accepts)


def tuple_of(*items):
    """Return the type of lists of a fixed length, with a type for each place."""

    def accepts(value):
        is_list = type(value) is list and len(value) == len(items)
        return is_list and all(item.accepts(one) for item, one in zip(items, value, strict=True))

    return Type("[" + "; ".join(item.text for item in items) + "]", accepts)


def either(*types):
    """Return the type of values that have at least one of these types."""
    text = " or ".join(f"({one.text})" for one in types)
    return Type(text, lambda value: any(one.accepts(value) for one in types))


def map_of_modes(item):
    """Return the type of objects whose keys are the names of modes."""
    name = re.compile(r"null|\[\[\d{1,2}(, \d{1,2})*\], (true|false)(, \d{1,3})*\]", re.ASCII)

    def accepts(value):
        is_map = type(value) is dict and all(map(name.fullmatch, value))
        return is_map and all(map(item.accepts, value.values()))

    return Type(f"object of modes to ({item.text})", accepts)


HEXADECIMAL = re.compile(r"0|-?[1-9a-f][0-9a-f]{0,79}", re.ASCII)

flag = Type("true or false", lambda value: type(value) is bool)
text = Type("text", lambda value: type(value) is str and len(value) <= MAX_TEXT)
hexadecimal = Type("hexadecimal", lambda value: type(value) is str and bool(HEXADECIMAL.fullmatch(value)))
anything = Type("object", lambda value: type(value) is dict)
ratio = tuple_of(whole(0), whole(1))  # numerator and denominator
counts_of_faces = list_of(whole(0), 1)
faces_of_dice = list_of(whole(0))
box_numbers = list_of(whole(0, MAX_BOXES - 1))
steps_of_total = list_of(tuple_of(whole(0), whole()))

OBJECTIVES = "win", "margin", "turns", "reach", "points", "rate"
EFFECTS = "bust", "win", "wipe", "void", "score", "again", "same", "roll", "end", "drop"
times_kept = either(whole(0), flag)  # true is 1, false is 0
special_rolls = list_of(tuple_of(counts_of_faces, counts_of_faces, one_of(*EFFECTS), whole(), times_kept))


class Field(NamedTuple):
    """A key of a header.

    type: what its value may be.
    objectives: those that it belongs to.
    otherwise: its only value for another objective; None if it must be left out then.
    optional: whether it may be left out, which means ``otherwise``.
    """

    type: Type
    objectives: tuple = OBJECTIVES
    otherwise: object = None
    optional: bool = False


HEADER = {
    "game": Field(text),
    "rules": Field(anything),
    "fingerprint": Field(text),
    "engine": Field(text),
    "id": Field(text),
    "objective": Field(one_of(*OBJECTIVES)),
    "players": Field(whole(1, MAX_PLAYERS)),
    "parameters": Field(anything),
    "begins": Field(list_of(whole(), 1)),
    "turn": Field(anything),
    "match": Field(anything),
    "cut": Field(anything),
    "bits": Field(whole(1, MAX_BITS)),
    "tie": Field(hexadecimal),
    "rate": Field(list_of(hexadecimal, 2, 2), ("rate",), []),
}

TURNS = {  # by the kind of a turn
    "sets": {
        "dice": Field(list_of(tuple_of(whole(1), list_of(whole(0), 1)), 1)),
        "groups": Field(
            list_of(
                either(tuple_of(counts_of_faces, whole()), tuple_of(counts_of_faces, whole(), faces_of_dice)),
            )
        ),
        "whole": Field(flag),
        "specials": Field(special_rolls),
        "doubled": Field(special_rolls),
        "take": Field(one_of("free", "all", "all-or-none")),
        "leave": Field(faces_of_dice),
        "most": Field(whole(0)),
        "hot": Field(one_of("free", "must", "none")),
        "stop": Field(one_of("free", "all")),
        "below": Field(one_of("nothing", "throw")),
        "once": Field(flag),
        "choose": Field(flag),
        "opening": Field(whole(0)),
        "minimum": Field(whole(0)),
        "waived": Field(flag),
        "costs": Field(list_of(whole(0)), ("win", "turns", "reach", "points", "rate"), []),
        "stays": Field(flag),
        "floor": Field(whole()),
        "above": Field(whole(0)),
        "lowest": Field(flag, ("win", "margin", "points", "rate"), False),
    },
    "crew": {
        "casts": Field(whole(1)),
        "faces": Field(whole(2)),
        "order": Field(list_of(whole(1), 1)),
        "alone": Field(tuple_of(flag, flag)),
    },
    "boxes": {
        "dice": Field(whole(1)),
        "weights": Field(list_of(whole(0), 1)),
        "throws": Field(whole(1)),
        "boxes": Field(whole(1, 2)),
        "scores": Field(list_of(list_of(whole(0), 1), 1, MAX_BOXES)),
        "first": Field(list_of(list_of(whole(0), 1), 0, MAX_BOXES)),
        "wins": Field(box_numbers, ("win",), []),
        "before": Field(list_of(whole(-1, MAX_BOXES - 1), 0, MAX_BOXES)),
        "zeros": Field(flag),
        "upper": Field(either(box_numbers, list_of(box_numbers, 1)), ("points", "reach"), []),
        "steps": Field(either(steps_of_total, list_of(steps_of_total, 1)), ("points", "reach"), []),
        "again": Field(whole(-1, MAX_BOXES - 1), ("points", "reach"), -1),
        "bonus": Field(whole(0)),
        "own": Field(list_of(whole(-1, MAX_BOXES - 1), 1)),
        "full": Field(list_of(list_of(whole(0), 1), 1, MAX_BOXES)),
        "joker": Field(one_of("free", "forced", "none"), ("points", "reach"), "none"),
        "ranges": Field(steps_of_total, ("points",), [], optional=True),
        "saved": Field(whole(0), ("points", "reach"), 0, optional=True),
    },
    "tiles": {"tiles": Field(whole(1)), "one": Field(flag)},
    "touch": {
        "chances": Field(list_of(list_of(ratio, 1), 3, 3)),
        "trips": Field(list_of(list_of(ratio, 1), 3, 3)),
        "in_order": Field(flag),
    },
}

MATCHES = {  # by the kind of a match
    "turn": {},
    "race": {
        "target": Field(whole(1)),
        "finish": Field(one_of("at_least", "exact", "last_round")),
        "takes": Field(one_of("none", "free", "opened"), ("win",), "none"),
    },
    "rounds": {"rounds": Field(whole(0)), "target": Field(whole(0)), "share": Field(flag)},
    "card": {},
    "box": {"goal": Field(whole(0), ("reach",), 0)},
    "frames": {"frames": Field(whole(1))},
    "board": {
        "board": Field(list_of(whole(0), 3, 3)),
        "points": Field(list_of(whole(), 3, 3)),
        "penalty": Field(whole(0)),
        "last": Field(whole(0)),
        "passes": Field(whole(0)),
        "allowed": Field(whole(0)),
    },
}

PARAMETERS = {  # by the kind of a match
    "race": {"goal": Field(whole(1), ("reach",)), "turns": Field(whole(1), ("reach",))},
    "card": {"goal": Field(whole(), ("reach",))},
    "box": {"goal": Field(whole(0), ("reach",))},
}

CUTS = {  # by the kind of a match
    "turn": {
        "level": Field(whole(0), optional=True),
        "past": Field(whole(0), optional=True),
        "gamma": Field(map_of_modes(ratio), optional=True),
        "worth": Field(map_of_modes(ratio), optional=True),
    },
    "race": {"past": Field(whole(0), optional=True), "level": Field(whole(0), ("win",), optional=True)},
    "frames": {"level": Field(whole(0), optional=True)},
}


class MatchType(NamedTuple):
    """Which objectives and turns a kind of match is defined for, and how many players at most."""

    objectives: tuple
    turns: tuple
    players: int = MAX_PLAYERS


MATCH_TYPES = {
    "turn": MatchType(("points", "rate"), ("sets", "crew")),
    "race": MatchType(("turns", "reach", "win"), ("sets", "crew")),
    "rounds": MatchType(("win", "margin"), ("sets", "crew")),
    "frames": MatchType(("win",), ("sets",), 2),
    "card": MatchType(("points", "reach", "win"), ("boxes",), 2),
    "box": MatchType(("points", "reach", "win"), ("tiles",)),
    "board": MatchType(("win", "margin", "reach"), ("touch",)),
}


def check_fields(part, fields, values, objective=None):
    """Check the keys and values of one part of a header against its table.

    Args:
        part: the name of this part, for messages.
        fields: key -> Field.
        values: what the header says. Optional keys that are left out are added, unless they have to be.
        objective: that of the certificate; None if it is not known yet.

    Raises:
        CannotJudgeError: a key is unknown or missing, or a value is not allowed.
    """
    for key in values:
        require(key in fields, f"unknown key {key!a:.40} in {part}; expected {', '.join(fields) or 'none'}")
    for key, field in fields.items():
        belongs = objective is None or objective in field.objectives
        if key not in values:
            missing_is_fine = field.optional or (not belongs and field.otherwise is None)
            require(missing_is_fine, f"missing required key {key!r} in {part}: {field.type.text}")
            if field.otherwise is not None:
                values[key] = field.otherwise
            continue
        said = json.dumps(values[key])
        neutral = field.otherwise is not None and said == json.dumps(field.otherwise)
        shown = f"{part}.{key} = {said[:60]}"
        require(belongs or neutral, f"{shown}: does not belong to objective {objective}")
        neutral &= objective is None or not belongs
        require(neutral or field.type.accepts(values[key]), f"{shown}: must be {field.type.text}")


# --- 2. Consistency ----------------------------------------------------------------------------------------------


def check_header(header):
    """Check every field of a header, and every condition that joins several fields.

    Raises:
        CannotJudgeError: one of them is not met; the message names the field or the condition.
    """
    check_fields("header", HEADER, header)
    objective, players = header["objective"], header["players"]
    for part, table in (("turn", TURNS), ("match", MATCHES)):
        kind = header[part].get("kind")
        require(type(kind) is str and kind in table, f"{part}.kind must be one of {', '.join(table)}")
    turn, match, cut = header["turn"], header["match"], header["cut"]
    kind = MATCH_TYPES[match["kind"]]
    require(objective in kind.objectives, f"objective {objective} does not belong to a match of {match['kind']}")
    require(turn["kind"] in kind.turns, f"a match of {match['kind']} cannot have turns of {turn['kind']}")
    require(players <= kind.players, f"a match of {match['kind']} has at most {kind.players} players")
    opposed = objective in ("win", "margin")
    require((players > 1) == opposed, f"objective {objective} cannot be for {players} players")
    check_fields("header", HEADER, header, objective)
    for part, table in (("turn", TURNS), ("match", MATCHES)):
        kind = header[part]["kind"]
        check_fields(part, {"kind": Field(one_of(kind)), **table[kind]}, header[part], objective)
    check_fields("parameters", PARAMETERS.get(match["kind"], {}), header["parameters"], objective)
    check_fields("cut", CUTS.get(match["kind"], {}), cut, objective)
    require(0 < turn_size(turn) < MAX_TURN_SIZE, "a turn is too large to be listed: so many dice, faces, sets or tiles")
    TURN_CONDITIONS[turn["kind"]](turn)
    check_numbers(header)
    check_cut(header)
    if turn["kind"] == "sets":
        check_sets_in_match(header)
    if match["kind"] in MATCH_CONDITIONS:
        MATCH_CONDITIONS[match["kind"]](header)


def turn_size(turn):
    """Return a measure of how many rolls, sets and modes one turn has; nothing is listed before it is known."""

    def multisets(dice, faces):  # too large a number is as good as the exact one
        return comb(dice + faces, min(dice, faces, 30)) * (1 + faces // 100)

    if turn["kind"] == "sets":
        throws, sets = (prod(multisets(dice, of * len(one)) for dice, one in turn["dice"]) for of in (1, 2))
        confirmed = max(1, len({str(over) for _, _, *over in turn["groups"]}))  # a face thrown over is another mode
        throws *= 1 + len(turn["groups"] + turn["specials"] + turn["doubled"])
        return confirmed * (throws + 3 * sets * (turn["take"] != "all-or-none"))
    if turn["kind"] == "crew":
        return multisets(len(turn["order"]) + 2, turn["faces"]) * turn["faces"] * turn["casts"]
    if turn["kind"] == "boxes":
        return 3 * multisets(turn["dice"], 2 * len(turn["weights"])) * (turn["throws"] + turn["saved"])
    if turn["kind"] == "touch":
        return max(map(len, turn["chances"])) ** 3
    return 3 ** min(turn["tiles"], 30)


def check_sets(turn):
    """Check the conditions that join fields of a turn of sets."""
    faces = len(turn["dice"][0][1])
    rows = [row for row, *_ in turn["groups"]]
    rows += [row for special in turn["specials"] + turn["doubled"] for row in special[:2]]
    confirmed = [over[0] for _, _, *over in turn["groups"] if over]
    named_faces = [face for some in [turn["leave"], *confirmed] for face in some]
    require(all(len(weights) == faces for _, weights in turn["dice"]), "all kinds of dice must have as many faces")
    require(all(any(weights) for _, weights in turn["dice"]), "a die must have a face of a weight above 0")
    require(all(len(row) == faces for row in rows), "groups and special rolls must count every face of the dice")
    require(all(any(row) for row, *_ in turn["groups"]), "a group must hold a die")
    require(all(face < faces for face in named_faces), f"faces are numbered from 0 to {faces - 1}")
    require(turn["whole"] or not confirmed, "sets that must be confirmed need whole = true")
    require(turn["stop"] != "all" or turn["hot"] == "none", "stop = all needs hot = none")


def check_crew(turn):
    """Check the conditions that join fields of a turn of Battleship."""
    require(max(turn["order"]) <= turn["faces"], "turn.order names a face that the dice do not have")
    require(len({*turn["order"]}) == len(turn["order"]), "turn.order names a face twice")


def check_boxes(turn):
    """Check the conditions that join fields of a turn of a scorecard."""
    boxes, faces, together = len(turn["scores"]), len(turn["weights"]), turn["boxes"]
    require(any(turn["weights"]), "a die must have a face of a weight above 0")
    require(turn["dice"] % together == 0, "two boxes a turn need an even number of dice")
    require(boxes % together == 0, "two boxes a turn need an even number of boxes")
    rolls_of_part = comb(turn["dice"] // together + faces - 1, faces - 1)
    for key in ("scores", "first"):
        require(all(len(row) == rolls_of_part for row in turn[key]), f"turn.{key} needs a number for every roll")
    require(len(turn["first"]) in (0, boxes), "turn.first needs a row for every box")
    require(len(turn["full"]) == boxes, "turn.full needs a row for every box")
    require(all(len(row) == faces for row in turn["full"]), "turn.full needs a number for every face")
    require(len(turn["own"]) == faces, "turn.own needs a box for every face, or -1")
    require(len(turn["before"]) in (0, boxes), "turn.before needs a box for every box, or -1")
    require(has_order(turn["before"]), "turn.before names boxes in a circle")
    columns = columns_of(turn)
    named_boxes = [box for upper, _ in columns for box in upper]
    require(len({*named_boxes}) == len(named_boxes), "turn.upper names a box twice")
    require(len({*turn["wins"]}) == len(turn["wins"]), "turn.wins names a box twice")
    named_boxes += [*turn["wins"], *turn["before"], *turn["own"], turn["again"]]
    require(max(named_boxes) < boxes, "a box is named that the card does not have")
    require(all(steps or not upper for upper, steps in columns), "turn.steps is empty, and turn.upper is not")
    for steps in (turn["ranges"], *(steps for _, steps in columns)):
        require(len({at for at, _ in steps}) == len(steps), "a step stands twice in turn.steps or turn.ranges")
    require(turn["joker"] == "none" or turn["again"] >= 0, "a joker needs the box turn.again")
    require(not turn["ranges"] or min(turn["ranges"])[0] == 0, "the first of turn.ranges must begin at 0")
    if together == 2:
        require(turn["zeros"], "two boxes a turn need zeros = true")
        require(not turn["first"], "two boxes a turn cannot be combined with turn.first")
        require(not turn["upper"] and turn["again"] < 0, "two boxes a turn cannot be combined with a bonus")
        worths = [more for _, more in sorted(turn["ranges"])]
        require(worths == sorted(worths), "two boxes a turn need turn.ranges that rise")  # dice are split for the most


def columns_of(turn):
    """Return the columns of a scorecard that have an upper total: (boxes, steps) of each."""
    several = any(type(item) is list for item in turn["upper"])
    if not several:
        nested = any(step and type(step[0]) is list for step in turn["steps"])
        require(not nested, "turn.steps must be one list of steps, as turn.upper is one list of boxes")
        return [(turn["upper"], turn["steps"])]
    require(len(turn["upper"]) == len(turn["steps"]), "turn.steps needs a list for every list of turn.upper")
    nested = all(type(step) is list for steps in turn["steps"] for step in steps)
    require(nested, "turn.steps needs a list of steps for every list of turn.upper")
    return list(zip(turn["upper"], turn["steps"], strict=True))


def has_order(before):
    """Return whether boxes can be filled one by one, each after the box that must be filled before it."""
    filled = {-1}
    while more := {box for box, needed in enumerate(before) if box not in filled and needed in filled}:
        filled |= more
    return len(filled) == len(before) + 1


def check_tiles(turn):
    """Accept every turn of Shut the Box: no condition joins its fields."""


def check_touch(turn):
    """Check the conditions that join fields of a turn of Booby Trap."""
    for chances, trips in zip(turn["chances"], turn["trips"], strict=True):
        require(len(chances) == len(trips), "turn.trips needs a chance for every feel of turn.chances")
        parts = lcm(*(of for _, of in chances))
        require(sum(many * parts // of for many, of in chances) == parts, "turn.chances must add up to 1")  # H2
        require(all(many <= of for many, of in trips), "a chance of turn.trips is above 1")


TURN_CONDITIONS = {
    "sets": check_sets,
    "crew": check_crew,
    "boxes": check_boxes,
    "tiles": check_tiles,
    "touch": check_touch,
}


def check_numbers(header):
    """Check the tie and the average rate."""
    tie = int(header["tie"], 16)
    require(tie >= 0, "tie must not be below 0")
    require(header["players"] > 2 or tie == 0, "tie must be 0 for fewer than three players")
    rate = [int(number, 16) for number in header["rate"]]
    require(rate == sorted(rate), "the lower number of rate is above its upper number")


def check_cut(header):
    """Check where turns may be cut (T1 to T4 are proved for these only)."""
    turn, match, cut = header["turn"], header["match"], header["cut"]
    if not cut:
        return
    require(turn["kind"] == "sets", "only turns of sets can be cut")
    require(not turn["lowest"], "turns in which the lowest points are best cannot be cut")
    require("level" in cut or match["kind"] == "race", "a cut of points needs a level")
    if match["kind"] == "race" and "level" in cut:
        require(match["finish"] == "last_round", "a race is cut at a level in its last round only")
        require(header["players"] == 2, "a last round of three or more cannot be cut at a level")
        require(cut["level"] >= match["target"], "a last round is cut below the target")


def check_sets_in_match(header):
    """Check that rules of a turn of sets mean something in this match, and that a proof covers them."""
    turn, match = header["turn"], header["match"]
    between = match["kind"] in ("turn", "race")
    effects = {special[2] for special in turn["specials"] + turn["doubled"]}
    depends_on_score = "wipe" in effects or turn["opening"] > turn["minimum"]
    one_round = match["kind"] == "rounds" and match["rounds"] == 1 and match["target"] == 0
    require(between or not turn["costs"], f"busts cannot cost points in a match of {match['kind']}")
    require(not turn["lowest"] or match["kind"] in ("turn", "rounds"), f"lowest does not belong to {match['kind']}")
    require(header["objective"] != "margin" or "win" not in effects, "a roll cannot win a margin")
    require(between or one_round or not depends_on_score, "wipes and openings need a score, or one round from 0")


def check_race(header):
    """Check the conditions of a race."""
    turn, match, players = header["turn"], header["match"], header["players"]
    last_round, takes_over = match["finish"] == "last_round", match["takes"] != "none"
    require(not last_round or players > 1, "finish = last_round needs two or more players")
    require(not (last_round and takes_over), "finish = last_round cannot be combined with takes")
    require(not takes_over or turn["kind"] == "sets", "takes needs turns of sets")
    if match["finish"] == "exact":
        require(turn["kind"] == "sets", "finish = exact needs turns of sets")
        require(turn["above"] == 0, "finish = exact cannot be combined with turn.above")
        require("past" not in header["cut"], "finish = exact cannot be combined with cut.past")


def check_rounds(header):
    """Check the conditions of a match of rounds."""
    match = header["match"]
    require((match["rounds"] > 0) != (match["target"] > 0), "a match has a number of rounds or a target, one of them")


def check_turn_alone(header):
    """Check the conditions of a turn alone."""
    has_costs = header["turn"]["kind"] == "sets" and header["turn"]["costs"]
    require(header["objective"] != "rate" or has_costs, "objective rate needs turn.costs")


def check_card(header):
    """Check the conditions of a scorecard."""
    turn, players = header["turn"], header["players"]
    require(not turn["wins"] or turn["first"], "boxes that win at once need turn.first")
    require(players == 1 or not turn["saved"], "throws cannot be saved by two players")


def check_box(header):
    """Check the conditions of Shut the Box."""
    goals = {header["match"]["goal"], header["parameters"].get("goal", header["match"]["goal"])}
    require(len(goals) == 1, "parameters.goal and match.goal must be the same")


def check_board(header):
    """Check the conditions of a board."""
    require(sum(header["match"]["board"]) > header["match"]["last"], "a board is over before it begins")


MATCH_CONDITIONS = {
    "race": check_race,
    "rounds": check_rounds,
    "turn": check_turn_alone,
    "card": check_card,
    "box": check_box,
    "board": check_board,
}


# --- 3. Turns ----------------------------------------------------------------------------------------------------
#
# A turn has modes: decisions before a roll. None is the mode in which a turn begins. ``open(mode)`` returns
# (stop, throws): when the player may stop, and a list of throws of which the player may make any. A throw is a list of
# (ways, offers), which lists every roll with the whole number of ways in which it falls (H2). An offer is one of
#
# - an ending, (word, points), for example ("bank", 6);
# - a lead, (mode, points, times): points are added to ``times`` the turn points, and the turn goes on in that mode.
#
# Nothing that may be chosen and no roll is left out (H3, H4).


@cache
def rolls(dice, weights):
    """Return all rolls of identical dice: (ways, counts of the faces). The sum of the ways is the divisor (H2)."""
    faces = range(len(weights))
    counts = [tuple(map(shown.count, faces)) for shown in combinations_with_replacement(faces, dice)]
    ways = [factorial(dice) // prod(map(factorial, one)) * prod(map(pow, weights, one)) for one in counts]
    return [(many, one) for many, one in zip(ways, counts, strict=True) if many]


def parts_of(counts):
    """Yield every part of a multiset of dice, which is given by counts."""
    return product(*(range(count + 1) for count in counts))


def points_at(steps, total):
    """Return what a total brings: that of the last step that it reaches, or 0."""
    return max((step for step in steps if total >= step[0]), default=(0, 0))[1]


class SetsTurn:
    """A turn of a push-your-luck game: set dice aside that score, then roll the others or stop.

    A mode is (hand, must, *faces): the dice to roll by kind, whether they must be rolled, and the faces that make the
    roll void. The mode () has no roll: the player can only stop.
    """

    def __init__(self, turn):
        self.rules = turn
        self.full_hand = tuple(count for count, _ in turn["dice"])
        self.weights = [tuple(weights) for _, weights in turn["dice"]]
        self.confirmed = {tuple(counts): tuple(over[0]) for counts, _, *over in turn["groups"] if over}
        self.groups = [(tuple(counts), points) for counts, points, *_ in turn["groups"]]
        self.points_of_set = {}

    def modes_of_start(self, takes_over):
        """Return the modes in which a turn may begin, with dice that are taken over or without."""
        hands = parts_of(self.full_hand) if takes_over else ()
        return [None, *((hand, True) for hand in hands if any(hand))]

    def open(self, mode):
        """Return when the player may stop, and the throws of a mode."""
        rules = self.rules
        if mode is None:
            return NEVER, [[(1, self.first_hands())]]
        if not mode:
            return ALWAYS, []
        hand, must, *void_faces = mode
        tables = [rules["specials"]]
        if must and rules["doubled"]:
            tables.append(rules["doubled"])
        throws = [self.throw(hand, table, void_faces) for table in tables]
        require(all(throws), "there must be a roll that counts")
        if must or rules["stop"] == "all":
            return NEVER, throws
        return (COUNTING if rules["below"] == "throw" else ALWAYS), throws

    def first_hands(self):
        """Return the offers at the beginning of a turn: how many dice of the first kind are rolled."""
        first, *others = self.full_hand
        sizes = range(1, first + 1) if self.rules["choose"] else [first]
        return tuple((((size, *others), True), 0, 1) for size in sizes)

    def throw(self, hand, specials, void_faces):
        """Return all rolls of a hand with what they offer; rolls that are made again are left out."""
        kinds = [rolls(count, weights) for count, weights in zip(hand, self.weights, strict=True)]
        throw = []
        for fall in product(*kinds):
            roll = [counts for _, counts in fall]
            if any(counts[face] for counts in roll for face in void_faces):
                continue
            offers = self.offers(hand, roll, specials)
            if offers != (("void", 0),):
                throw.append((prod(ways for ways, _ in fall), offers))
        return throw

    def offers(self, hand, roll, specials):
        """Return what a roll offers: the special roll that it is, or the sets that may be set aside, or a bust."""
        shown = tuple(map(sum, zip(*roll, strict=True)))
        for low, high, effect, points, times in specials:
            if all(map(le, low, shown)) and all(map(le, shown, high)):
                return self.special_offer(hand, roll, effect, points, times)
        leads = [self.lead(hand, chosen, points) for points, _, chosen, _ in self.sets_to_take(roll)]
        return tuple(dict.fromkeys(leads)) or (("bust", 0),)

    def special_offer(self, hand, roll, effect, points, times):
        """Return the only offer of a special roll."""
        if effect in ("bust", "win", "wipe", "void"):
            return ((effect, 0),)
        if effect == "drop":  # dice that show the last face are out
            left = tuple(map(sub, hand, (counts[-1] for counts in roll)))
            require(any(left), "a special roll drops all dice")
            return (((left, not (times or points)), points, times),)
        modes = {
            "score": self.mode_without_dice(),
            "again": (self.full_hand, True),
            "same": (hand, False),
            "roll": (self.full_hand, False),
            "end": (),
        }
        return ((modes[effect], points, times),)

    def mode_without_dice(self):
        """Return the mode that follows when all dice are set aside."""
        if self.rules["once"] or self.rules["hot"] == "none":
            return ()
        return self.full_hand, self.rules["hot"] == "must"

    def sets_to_take(self, roll):
        """Return the sets that may be set aside of a roll: (points, dice, counts by kind, counts)."""
        rules = self.rules
        chosen = [tuple(roll)] if rules["take"] == "all-or-none" else product(*map(parts_of, roll))
        sets = []
        for by_kind in chosen:
            counts = tuple(map(sum, zip(*by_kind, strict=True)))
            points, dice = self.worth(counts), sum(counts)
            if 0 < dice <= rules["most"] and points is not None:
                sets.append((points, dice, by_kind, counts))
        if rules["take"] == "all" and sets:  # most points, then most dice, then most of the faces listed first
            best_counts = max(sets)[3]
            best = [one for one in sets if one[3] == best_counts]
            sets = [one for one in sets if any(self.may_leave(top, one) for top in best)]
        return sets

    def worth(self, counts):
        """Return the most points of dice that are split into groups; None if they cannot be split without rest."""
        if not any(counts):
            return 0
        if counts not in self.points_of_set:
            totals = []
            for group, points in self.groups:
                if all(map(le, group, counts)):
                    left = tuple(map(sub, counts, group))
                    rest = None if self.rules["whole"] and any(left) else self.worth(left)
                    if rest is not None:
                        totals.append(points + rest)
            self.points_of_set[counts] = max(totals, default=None)
        return self.points_of_set[counts]

    def may_leave(self, best, other):
        """Return whether ``other`` is the best set, or that set without dice that may be left in the hand."""
        pairs = zip(best[2], other[2], strict=True)
        if min(more - fewer for kinds in pairs for more, fewer in zip(*kinds, strict=True)) < 0:
            return False
        left = [face for face, many in enumerate(map(sub, best[3], other[3])) for _ in range(many)]
        singles = [tuple(int(face == shown) for face in range(len(best[3]))) for shown in left]
        points_left = sum(self.worth(single) or 0 for single in singles)
        return {*left} <= {*self.rules["leave"]} and other[0] + points_left == best[0]

    def lead(self, hand, by_kind, points):
        """Return where setting these dice aside leads."""
        left = tuple(map(sub, hand, map(sum, by_kind)))
        counts = tuple(map(sum, zip(*by_kind, strict=True)))
        if counts in self.confirmed and not self.rules["once"]:  # the next roll must be made
            return (left if any(left) else self.full_hand, True, *self.confirmed[counts]), points, 1
        if any(left) and not self.rules["once"]:
            return (left, False), points, 1
        return self.mode_without_dice(), points, 1


class CrewTurn:
    """A turn of Battleship: set faces aside in their order, then count the two dice that are left.

    A mode is (casts left, faces set aside, face of a die that is kept, or 0).
    """

    def __init__(self, turn):
        self.rules = turn

    def modes_of_start(self, takes_over):
        """Return the mode in which a turn begins."""
        return []

    def open(self, mode):
        """Return when the player may stop, and the throws of a mode."""
        order, faces = self.rules["order"], self.rules["faces"]
        casts, before, kept_face = mode or (self.rules["casts"], 0, 0)
        throw = []
        for ways, counts in rolls(len(order) + 2 - before - (kept_face > 0), (1,) * faces):
            taken = list(takewhile(lambda face: counts[face - 1], order[before:]))  # noqa: B023
            left = [(face, count - (face in taken)) for face, count in enumerate(counts, 1)]
            dice = [kept_face] * (kept_face > 0) + [face for face, count in left for _ in range(count)]
            complete = before + len(taken) == len(order)
            may_keep_one = self.rules["alone"][before == len(order)]
            keep = {0, *(dice if complete and may_keep_one else ())} if casts > 1 else set()
            offers = [((casts - 1, before + len(taken), face), 0, 1) for face in keep]
            if complete or casts == 1:
                offers.append(("bank", sum(dice) * complete))
            throw.append((ways, tuple(offers)))
        return NEVER, [throw]


class BoxesTurn:
    """A turn of a scorecard: roll, keep any dice, roll the others; then fill one box or two.

    A mode is (throws left, whether no throw was made, counts of the dice that lie). Dice fall one by one.
    """

    def __init__(self, turn):
        self.rules = turn

    def modes_of_start(self, takes_over):
        """Return no modes: they depend on the throws that are saved."""
        return []

    def open(self, mode):
        """Return when the player may stop, and the throws of a mode."""
        throws_left, is_first, counts = mode
        faces = range(len(counts))
        if sum(counts) < self.rules["dice"]:
            throw = []
            for face, ways in enumerate(self.rules["weights"]):
                after = tuple(counts[other] + (face == other) for other in faces)
                throw.append((ways, (((throws_left, is_first, after), 0, 1),)))
            return NEVER, [throw]
        table = "first" if is_first and self.rules["first"] else "scores"
        offers = [(table, (counts, min(throws_left, self.rules["saved"])))]
        if throws_left > 0:
            keep = (part for part in parts_of(counts) if sum(part) < self.rules["dice"])
            offers += [((throws_left - 1, False, part), 0, 1) for part in keep]
        return NEVER, [[(1, tuple(offers))]]


class TilesTurn:
    """A turn of Shut the Box: shut tiles that add up to the dice. A mode is the tiles that stand."""

    def __init__(self, turn):
        self.rules = turn

    def modes_of_start(self, takes_over):
        """Return no modes: a turn begins with all tiles."""
        return []

    def open(self, mode):
        """Return when the player may stop, and the throws of a mode."""
        up = mode or tuple(range(1, self.rules["tiles"] + 1))
        stuck = (("bank", sum(up)),)
        by_total = {}
        for size in range(len(up)):
            for left in combinations(up, size):
                offer = (left, 0, 1) if left else ("bank", 0)
                by_total.setdefault(sum(up) - sum(left), []).append(offer)
        throws = []
        for dice in (2, 1) if self.rules["one"] and up[-1] <= 6 else (2,):
            falls = [(ways, sum(map(mul, counts, range(1, 7)))) for ways, counts in rolls(dice, (1,) * 6)]
            throws.append([(ways, tuple(by_total.get(total, stuck))) for ways, total in falls])
        return NEVER, throws


class TouchTurn:
    """A turn of Booby Trap: touch a piece, feel how it sits, then take it or pass.

    A mode is (sizes that may be touched, whether one may pass), and (size, feel) once a piece is taken.
    """

    def __init__(self, turn):
        self.rules = turn

    def modes_of_start(self, takes_over):
        """Return no modes: they depend on the pieces that are left."""
        return []

    def open(self, mode):
        """Return when the player may stop, and the throws of a mode."""
        if isinstance(mode[0], int):
            size, feel = mode
            trips, of = self.rules["trips"][size][feel]
            return NEVER, [[(trips, (("trip", size),)), (of - trips, (("won", size),))]]
        sizes, may_pass = mode
        pass_offer = (("pass", 0),) * may_pass  # listed before taking (H10)
        throws = []
        for size in sizes:
            chances = self.rules["chances"][size]
            parts = lcm(*(of for _, of in chances))
            felt = [(feel, many * parts // of) for feel, (many, of) in enumerate(chances)]
            throws.append([(ways, (*pass_offer, ((size, feel), 0, 1))) for feel, ways in felt if ways])
        return NEVER, throws


TURN_CLASSES = {"sets": SetsTurn, "crew": CrewTurn, "boxes": BoxesTurn, "tiles": TilesTurn, "touch": TouchTurn}


# --- 4. Matches --------------------------------------------------------------------------------------------------
#
# ``endings(state, word, points, hand)`` returns where an ending of a turn leads, as a list of leaves; if there are
# several, the mover chooses among them. A leaf is (payments, state, seats on): what is paid to the seats from the mover
# on, the state that follows or None, and how many seats further on its mover sits.


class Limits(NamedTuple):
    """Limits on the turn points of a turn that begins in a state.

    counting: a bank counts with so many.
    stop_cut: from so many on, a player who may stop is cut.
    cut: from so many on, everybody is cut.
    room: no choice may lead to more.
    """

    counting: int = 0
    stop_cut: float = inf
    cut: float = inf
    room: float = inf


def shared(scores):
    """Return each seat's share of a win: 1 for the best score, divided among those who tie."""
    best = max(scores)
    return [Fraction(int(score == best), scores.count(best)) for score in scores]


class Match:
    """What all kinds of matches have in common."""

    has_won_at_cut = True  # whether banking at the cut of a race wins
    takes_over = False
    lists_choices = False  # whether equal choices are told apart by their order (H10)

    def __init__(self, header):
        self.header = header
        self.turn, self.rules, self.cut = header["turn"], header["match"], header["cut"]
        self.players, self.objective = header["players"], header["objective"]
        self.lowest = self.turn.get("lowest", False)
        self.target = self.rules.get("target", 0)

    def first_state(self):
        """Return the state in which the game must begin."""
        raise NotImplementedError

    def begins_at(self, state):
        """Return whether the game begins in a state."""
        return state == self.first_state()

    def starts(self, state):
        """Return the modes, and the turn points, with which a turn may begin."""
        return [(None, 0)]

    def score_of(self, state):
        """Return the mover's score; 0 if an opening does not depend on it."""
        return 0

    def counting_from(self, state):
        """Return with how many turn points a bank counts."""
        turn, score = self.turn, self.score_of(state)
        return max(not turn["lowest"], turn["minimum"], 0 if score > 0 else turn["opening"])

    def limits(self, state):
        """Return the limits on the turn points of a turn."""
        if self.turn["kind"] != "sets":
            return Limits()
        counting = self.counting_from(state)
        stop_cut = max(counting, self.cut.get("level", inf))
        return Limits(counting, stop_cut, stop_cut + self.cut.get("past", inf), self.turn["above"] or inf)


class ScoreMatch(Match):
    """Scores that busts can cost: a race, and a turn alone."""

    def __init__(self, header):
        super().__init__(header)
        self.costs = self.turn.get("costs", [])

    def score_of(self, state):
        """Return the mover's score."""
        return state[0]

    def row_after_bust(self, busts):
        """Return how many busts in a row are counted after one more."""
        at_end = busts + 1 == len(self.costs)
        return busts if at_end and self.turn["stays"] else (busts + 1) % len(self.costs)


class TurnMatch(ScoreMatch):
    """One turn, for ``points`` or ``rate``. State: 0, or 1 once a bank has counted; busts in a row if they cost."""

    def begins_at(self, state):
        """Return whether the game begins in a state: before the first bank, or after it."""
        return state[0] in (0, 1) and state[1:] == [0] * bool(self.costs)

    def endings(self, state, word, points, hand=()):
        """Return where an ending leads."""
        busts = state[1] if self.costs else 0
        pays = -points if self.lowest else points  # a roll that wins or wipes brings no points
        if word == "bust" and self.costs:
            pays = -self.costs[busts]
        if self.objective == "points":
            return [([pays], None, 0)]
        row = self.row_after_bust(busts) if word == "bust" else 0
        return [([pays], (state[0] | (points > 0), row), 0)]


class RaceMatch(ScoreMatch):
    """A race to a target, for ``turns``, ``reach`` and ``win``.

    State: scores from the mover on; their busts in a row if they cost; for ``reach`` the turns left; with turns taken
    over the points and dice that are offered.
    """

    def __init__(self, header):
        super().__init__(header)
        self.reach, self.last_round = self.objective == "reach", self.rules["finish"] == "last_round"
        self.exact, self.takes_over = self.rules["finish"] == "exact", self.rules["takes"] != "none"
        self.goal = header["parameters"]["goal"] if self.reach else self.target

    def first_state(self):
        """Return the state in which the game must begin."""
        offered = 1 + len(self.turn["dice"]) if self.takes_over else 0
        turns_left = [self.header["parameters"]["turns"]] if self.reach else []
        return [0] * (self.players + self.players * bool(self.costs) + offered) + turns_left

    def starts(self, state):
        """Return how a turn may begin: anew, or with what is offered."""
        if not self.takes_over:
            return [(None, 0)]
        points, *hand = state[-1 - len(self.turn["dice"]) :]
        return [(None, 0), ((tuple(hand), True), points)][: 1 + (points > 0)]

    def counting_from(self, state):
        """Return with how many turn points a bank counts; with ``waived``, those to the target always do."""
        counting = super().counting_from(state)
        return min(counting, max(1, self.target - state[0])) if self.turn["waived"] else counting

    def limits(self, state):
        """Return the limits on the turn points: a turn is cut once banking wins (T1, T2)."""
        last_turn = self.last_round and state[1] >= self.goal
        self.has_won_at_cut = not self.last_round or last_turn
        if self.turn["kind"] != "sets":
            return Limits()
        counting, goal = self.counting_from(state), self.goal
        if last_turn:
            goal = max(state[1 : self.players]) + 1
        elif self.last_round:
            goal = self.cut.get("level", inf)
        stop_cut = max(counting, goal - state[0])
        room = self.target - state[0] if self.exact else self.turn["above"] or inf
        return Limits(counting, stop_cut, stop_cut + self.cut.get("past", inf), room)

    def score_and_row(self, state, word, points):
        """Return the mover's score and busts in a row after an ending."""
        busts = state[self.players] if self.costs else 0
        if word == "bank":
            return state[0] + points, 0
        if word == "wipe":
            return 0, 0
        if word == "win":
            return self.goal, 0
        if not self.costs:
            return state[0], 0
        lowest_score = min(state[0], self.turn["floor"])
        return max(lowest_score, state[0] - self.costs[busts]), self.row_after_bust(busts)

    def endings(self, state, word, points, hand=()):
        """Return where an ending leads."""
        players = self.players
        score, row = self.score_and_row(state, word, points)
        others = state[1:players]
        rows = (*state[players + 1 : 2 * players], row) if self.costs else ()
        if self.last_round and word != "win" and state[1] >= self.goal:  # this was the last turn
            return [(shared((score, *others)), None, 0)]
        if self.last_round and word == "bank" and score >= self.goal:  # against more than the cut nobody gets more
            return [([0] * players, (*others, min(score, self.cut.get("level", score)), *rows), 1)]
        turn_price = -(self.objective == "turns")
        if score >= self.goal or (self.reach and state[-1] == 1):
            return [([turn_price or int(score >= self.goal), *[0] * (players - 1)], None, 0)]
        more = (state[-1] - 1,) if self.reach else ()
        if self.takes_over:
            more = self.offered(state, word, points, hand)
        return [([turn_price] * players, (*others, score, *rows, *more), 1 % players)]

    def offered(self, state, word, points, hand):
        """Return the points and dice that the next player may take over; 0 if there are none."""
        allowed = self.rules["takes"] == "free" or state[1] > 0
        fits = not self.exact or state[1] + points <= self.goal
        if word == "bank" and points and hand and allowed and fits:
            return (points, *hand)
        return (0,) * (1 + len(self.turn["dice"]))


class RoundsMatch(Match):
    """Rounds of a turn each, for ``win`` and ``margin``; then playoffs of those who tie.

    State: round; those who play off as bits; seat to move; totals by seat.
    """

    def first_state(self):
        """Return the state in which the game must begin."""
        return [int(not self.target), 0, 0] + [0] * self.players

    def endings(self, state, word, points, hand=()):
        """Return where an ending leads."""
        number, mask, seat, *totals = state
        players, margin = self.players, self.objective == "margin"
        playing = [one for one in range(players) if not mask or mask >> one & 1]
        level = totals[seat]  # that from which a playoff began
        totals[seat] += -points if self.lowest else points
        if self.rules["rounds"] == 1 and not margin:  # how far somebody is behind does not matter
            least = max(totals[one] for one in playing if one <= seat) - 1
            totals = [max(one, least) if at <= seat and at in playing else one for at, one in enumerate(totals)]
        top, after = max(totals[one] for one in playing), [one for one in playing if one > seat]
        tied = [seat] if word == "win" else [one for one in playing if totals[one] == top]
        goes_on = number < self.rules["rounds"] or top < self.target
        if not after and not mask and goes_on:
            number, after = number + (not self.target), [0]
        best = level if mask else top
        behind = [margin * (0 if mask and one in playing else total - best) for one, total in enumerate(totals)]
        settled = len(tied) == 1 or self.rules["share"] or (margin and not any(behind))
        if word == "win" or (not after and settled):
            return [(self.payments(seat, tied, behind), None, 0)]
        if not after:  # a playoff of all is the last round once more
            mask = sum(1 << one for one in tied) if self.target or len(tied) < players else 0
            after, totals = tied, behind
        if not self.target:
            totals = [total - min(totals) for total in totals]
        return [([0] * players, (number, mask, after[0], *totals), (after[0] - seat) % players)]

    def payments(self, seat, tied, behind):
        """Return what is paid at the end to the seats from the mover on."""
        if self.objective == "margin":
            pot = Fraction(-sum(behind), len(tied))
            pays = [pot if one in tied else less for one, less in enumerate(behind)]
        else:
            pays = [Fraction(int(one in tied), len(tied)) for one in range(self.players)]
        return pays[seat:] + pays[:seat]


class FramesMatch(Match):
    """Frames of a turn each, of two players; those who are level shoot the last frame again.

    State: frame from 1; shooter, 0 or 1; the shooter's lead.
    """

    def first_state(self):
        """Return the state in which the game must begin."""
        return [1, 0, 0]

    def endings(self, state, word, points, hand=()):
        """Return where an ending leads."""
        number, seat, lead = state
        last = seat == 1 and number == self.rules["frames"]
        lead += points if word == "bank" else 0
        if word == "win":
            return [([1, 0], None, 0)]
        if last and lead:
            return [([int(lead > 0), int(lead < 0)], None, 0)]
        return [([0, 0], (number + (seat and not last), 1 - seat, -lead), 1)]


class CardMatch(Match):
    """A scorecard, for ``points``, ``reach`` and ``win``.

    State of one player: filled boxes as bits; upper totals; whether the box ``again`` holds points; the points so far
    with ``ranges`` and for ``reach``; saved throws. State of two: boxes of the mover and of the other; lead.
    """

    def __init__(self, header):
        super().__init__(header)
        turn = self.turn
        self.columns = columns_of(turn)
        reach = self.objective == "reach"
        self.ranges = [[header["parameters"]["goal"], 1]] if reach else turn["ranges"]
        first = turn["first"] or turn["scores"]
        self.most_of_box = [max(map(max, rows)) for rows in zip(turn["scores"], first, strict=True)]
        self.boxes = range(len(turn["scores"]))
        self.split_points = {}
        half = turn["dice"] // turn["boxes"]
        all_rolls = rolls(half, (1,) * len(turn["weights"]))
        self.place_of_roll = {counts: place for place, (_, counts) in enumerate(all_rolls)}
        self.half = half

    def first_state(self):
        """Return the state in which the game must begin."""
        if self.players == 2:
            return [0, 0, 0]
        return [0] * (2 + len(self.columns) + bool(self.ranges) + bool(self.turn["saved"]))

    def starts(self, state):
        """Return how a turn begins: no die lies yet."""
        saved = state[-1] if self.turn["saved"] else 0
        return [((self.turn["throws"] - 1 + saved, True, (0,) * len(self.turn["weights"])), 0)]

    def endings(self, state, table, thrown, hand=()):
        """Return where filling boxes leads: one leaf for every way to fill them."""
        counts, saved = thrown
        used, before = state[0], self.turn["before"]
        free = [box for box in self.boxes if not used >> box & 1]
        if before:
            free = [box for box in free if before[box] < 0 or used >> before[box] & 1]
        together = combinations(free, self.turn["boxes"])
        filled = [(boxes, self.points_in(used, counts, boxes, table)) for boxes in together]
        zeros = self.turn["zeros"] or not any(points for _, points in filled)
        allowed = [(boxes, points) for boxes, points in filled if points is not None and (points or zeros)]
        if self.players == 2:
            return [self.leaf_of_two(state, table, boxes, points) for boxes, points in allowed]
        return [self.leaf_alone(state, counts, saved, boxes, points) for boxes, points in allowed]

    def leaf_of_two(self, state, table, boxes, points):
        """Return the leaf for the mover; who leads by more than the other can still score has won (T1, T2)."""
        used = state[0] | sum(1 << box for box in boxes)
        open_boxes = [[box for box in self.boxes if not of >> box & 1] for of in (used, state[1])]
        own_most, other_most = (sum(self.most_of_box[box] for box in of) for of in open_boxes)
        own_wins, other_wins = ({*of} & {*self.turn["wins"]} for of in open_boxes)
        lead = state[2] + points
        if table == "first" and points > 0 and boxes[0] in self.turn["wins"]:
            return [1, 0], None, 0
        ahead = lead > other_most and not other_wins
        behind = lead < -own_most and not own_wins
        if ahead or behind or not any(open_boxes):
            won = Fraction((lead > 0) - (lead < 0) + 1, 2)
            return [won, 1 - won], None, 0
        return [0, 0], (state[1], used, -lead), 1

    def leaf_alone(self, state, counts, saved, boxes, points):
        """Return the leaf for one player."""
        turn, columns = self.turn, len(self.columns)
        used = state[0] | sum(1 << box for box in boxes)
        over = state[0].bit_count() + turn["boxes"] == len(self.boxes)
        uppers = []
        for upper, (column, steps) in zip(state[1:], self.columns):  # the state goes on behind them
            uppers.append(min(upper + points, max(steps)[0]) if boxes[0] in column else upper)
        bonus = sum(points_at(steps, upper) for upper, (_, steps) in zip(uppers, self.columns, strict=True)) * over
        has_again, *more = state[1 + columns :]
        paid = points + turn["bonus"] * has_again * (max(counts) == turn["dice"])
        total = []
        if self.ranges:
            total = [more[0] + paid]
            paid = points_at(self.ranges, total[0] + bonus) * over
        else:
            paid += bonus
        if boxes[0] == turn["again"]:
            has_again = int(points > 0 and turn["bonus"] > 0)
        after = (used, *uppers, has_again, *total, *([saved] if turn["saved"] else []))
        return [paid], None if over else after, 0

    def points_in(self, used, counts, boxes, table):
        """Return the points of dice in boxes, split between them for the most; None if they may not be filled."""
        turn, box, face = self.turn, boxes[0], counts.index(max(counts))
        points, own, free = self.points_of_split(counts, boxes, table), turn["own"][face], turn["joker"] == "free"
        again = turn["again"]
        again_filled = again >= 0 and used >> again & 1
        is_joker = again_filled and max(counts) >= self.half and turn["joker"] != "none"
        if not is_joker or box == own:
            return points
        if own >= 0 and not used >> own & 1:  # the box of the face comes first
            return points if free else None
        if free or box not in turn["own"]:
            return turn["full"][box][face]
        others_are_open = any(not used >> other & 1 for other in self.boxes if other not in turn["own"])
        return None if others_are_open else points

    def points_of_split(self, counts, boxes, table):
        """Return the most points of dice that are split between boxes."""
        key = counts, boxes, table
        if key not in self.split_points:
            parts = [part for part in parts_of(counts) if sum(part) == self.half]
            sums = []
            for part in parts:
                split = zip(boxes, (part, tuple(map(sub, counts, part))))  # one box takes the first part
                sums.append(sum(self.turn[table][box][self.place_of_roll[one]] for box, one in split))
            self.split_points[key] = max(sums)
        return self.split_points[key]


class BoxMatch(Match):
    """Shut the Box: a turn each; fewest points left win.

    State: seat to move; for several players what each before it was left with, 0 for those to come.
    """

    def first_state(self):
        """Return the state in which the game must begin."""
        return [0] * self.players

    def endings(self, state, word, points, hand=()):
        """Return where an ending leads."""
        seat, players = state[0], self.players
        if self.objective == "reach":
            return [([int(points <= self.rules["goal"])], None, 0)]
        if self.objective == "points":
            return [([-points], None, 0)]
        left = (*state[1 : seat + 1], points)
        if len(left) < players:
            return [([0] * players, (seat + 1, *left, *[0] * (players - 1 - len(left))), 1)]
        shares = shared([-one for one in left])
        return [(shares[seat:] + shares[:seat], None, 0)]


class BoardMatch(Match):
    """Booby Trap: pieces are touched in turn.

    State: pieces left by size; the mover's lead over each other seat, or of one player the trips so far; passes in a
    row.
    """

    def __init__(self, header):
        super().__init__(header)
        self.lists_choices = self.objective == "win"

    def first_state(self):
        """Return the state in which the game must begin."""
        return self.rules["board"] + [0] * max(2, self.players)

    def starts(self, state):
        """Return how a turn begins: with the sizes that may be touched."""
        sizes = tuple(size for size in range(3) if state[size])
        if self.turn["in_order"]:
            sizes = sizes[-1:]
        return [((sizes, state[-1] < self.rules["passes"]), 0)]

    def endings(self, state, word, size, hand=()):
        """Return where an ending leads."""
        rules, players, left, passes = self.rules, self.players, [*state[:3]], state[-1] + 1
        if word != "pass":
            left[size] -= 1
            passes = 0
        if players == 1:
            trips = state[3] + (word == "trip")
            over = trips > rules["allowed"] or sum(left) <= rules["last"]
            return [([int(trips <= rules["allowed"] and over)], None if over else (*left, trips, passes), 0)]
        gain = {"pass": 0, "trip": -rules["penalty"], "won": rules["points"][size]}[word]
        scores = [0, *(-lead - gain for lead in state[3:-1])]  # of all seats against the mover's
        if sum(left) > rules["last"]:
            leads = (scores[1] - score for score in (*scores[2:], 0))
            return [([0] * players, (*left, *leads, passes), 1)]
        shares, best = shared(scores), max(scores)
        if self.objective == "win":
            return [(shares, None, 0)]
        pot = sum(best - score for score in scores)
        return [([pot * share - best + score for share, score in zip(shares, scores, strict=True)], None, 0)]


MATCH_CLASSES = {
    "turn": TurnMatch,
    "race": RaceMatch,
    "rounds": RoundsMatch,
    "frames": FramesMatch,
    "card": CardMatch,
    "box": BoxMatch,
    "board": BoardMatch,
}


# --- 5. Checker --------------------------------------------------------------------------------------------------
#
# All numbers are whole multiples of one unit, 2 ** -(bits + GUARD_BITS). Bounds are tuples in which a lower bound and a
# negated upper bound alternate. So every rounding is a rounding down, which moves both outward (H8). One or two players
# have the bounds of the mover. Three or more have those of the number by which the mover decides, then those of all
# seats from the mover on.


class Line(NamedTuple):
    """A line of the file: rank, bounds, and what else stands there.

    rank: (block, rank).
    bounds: of the mover; for two players those of the other follow; for three or more of every seat.
    play: for three or more the numbers by which the stored play decides, then those of a mixed turn.
    """

    rank: tuple
    bounds: list
    play: tuple


class Checker:
    """A certificate: its header and its lines.

    Args:
        header: as read from the file; it is checked first.
        lines: state -> Line.
        placeholder: the line of a state that is not in ``lines``; None if all must be there.
    """

    def __init__(self, header, lines, placeholder=None):
        check_header(header)
        self.lines, self.placeholder = lines, placeholder
        self.cut, self.players = header["cut"], header["players"]
        self.match = MATCH_CLASSES[header["match"]["kind"]](header)
        self.turn_model = TURN_CLASSES[header["turn"]["kind"]](header["turn"])
        require(self.match.begins_at(header["begins"]), f"the game does not begin in state {tuple(header['begins'])}")
        self.objective, self.is_race = header["objective"], header["match"]["kind"] == "race"
        self.has_points = self.objective in ("points", "rate")  # a value that is not bounded by 0 and 1
        self.unit, self.tie = 1 << header["bits"] + GUARD_BITS, int(header["tie"], 16) << GUARD_BITS
        self.rate = [int(number, 16) << GUARD_BITS for number in header["rate"]]
        self.modes, self.linked, self.zero_numbers = {}, set(), {}
        if header["turn"]["kind"] == "sets":
            self.open_all_modes()
            self.check_turns_end(header["turn"]["above"])
        self.gamma, self.worth = self.cut_numbers("gamma"), self.cut_numbers("worth")

    def open_all_modes(self):
        """Open every mode that a turn can come to."""
        todo = self.turn_model.modes_of_start(self.match.takes_over)
        while todo:
            _, throws = self.open(todo.pop())
            reached = {offer[0] for throw in throws for offers in throw for offer in offers if is_lead(offer)}
            todo += reached - self.modes.keys() - {*todo}

    def cut_numbers(self, key):
        """Return the numbers of a cut by mode; 0 for a mode that is not named."""
        named = self.cut.get(key, {})
        return {mode: Fraction(*named.get(json.dumps(mode), [0])) for mode in self.modes}

    def leads(self):
        """Return all leads of all modes."""
        throws = [throw for _, of_mode in self.modes.values() for throw in of_mode]
        return {offer for throw in throws for offers in throw for offer in offers if is_lead(offer)}

    def check_turns_end(self, above):
        """Check H9: a turn ends with probability one, whatever is chosen.

        A mode ends if every throw has rolls whose choices all end the turn, or lead to modes that end. With a limit on
        the turn points, and none that are lost, a choice that adds points can be made only so often.
        """
        bounded = above and all(points >= 0 and times > 0 for _, points, times in self.leads())
        ended, open_modes = set(), {mode: throws for mode, (_, throws) in self.modes.items()}

        def ends(offers):
            return all(not is_lead(offer) or offer[0] in ended or (bounded and offer[1]) for offer in offers)

        def found_to_end():
            return {mode for mode, throws in open_modes.items() if all(any(map(ends, throw)) for throw in throws)}

        while found := found_to_end():
            ended |= found
            open_modes = {mode: throws for mode, throws in open_modes.items() if mode not in found}
        establish(not open_modes, "H9 fails: a turn may go on for ever")

    def open(self, mode):
        """Return (stop, throws) of a mode; rolls that offer the same are counted together, as a roll class."""
        if mode not in self.modes:
            stop, throws = self.turn_model.open(mode)
            classes = []
            for throw in throws:
                ways_of_class = Counter()
                for ways, offers in throw:
                    establish(ways >= 0, "H2 fails: a roll falls in less than no ways")
                    ways_of_class[offers] += ways
                classes.append(ways_of_class)
            self.modes[mode] = stop, classes
        return self.modes[mode]

    # --- the value of a turn

    def turn_value(self, state):
        """Return the bounds of the turn from a state; two turns that are mixed are weighted by their share (H8, H10).

        ``linked`` holds the states that the turn leads to afterwards.
        """
        self.state, self.limits, players = state, self.match.limits(state), self.players
        self.linked = set()
        starts, mixture = self.match.starts(state), self.lines[state].play[players:]
        if not mixture:
            return self.value_of_starts(starts, {})
        share, *decided_by = mixture
        require(self.is_race, f"{state}: only turns of a race can be mixed")
        require(len(starts) == 1, f"{state}: turns that are taken over cannot be mixed")
        require(0 <= share <= self.unit, f"{state}: the share of a mixed turn must be between 0 and 1")
        groups = range(0, len(state), players)
        zero_state = tuple(number for at in groups for number in (*state[at + 1 : at + players], state[at]))
        low, high = (self.value_of_starts(starts, {zero_state: number}) for number in decided_by)
        return tuple(one + (other - one) * share // self.unit for one, other in zip(low, high, strict=True))

    def value_of_starts(self, starts, zero_numbers):
        """Return the bounds of a turn; ``zero_numbers`` replace the number of a state in the mover's decisions."""
        self.zero_numbers, self.values = zero_numbers, {}
        return self.best([self.value(start) for start in starts])[2 * (self.players > 2) :]

    def value(self, node):
        """Return the bounds of an ending, or of a mode with turn points."""
        if node not in self.values:
            require(len(self.values) < MAX_NODES, "a turn is too long to be looked at")
            self.values[node] = None
            is_ending = isinstance(node[0], str)
            self.values[node] = self.paid(*node) if is_ending else self.best(self.choices(*node))
        require(self.values[node], "a turn goes round in a circle")
        return self.values[node]

    def choices(self, mode, points):
        """Return the bounds of every choice in a mode: to stop, and to make each throw (H3, H4)."""
        limits, (stop, throws) = self.limits, self.open(mode)
        counts = points >= limits.counting
        may_stop = stop == ALWAYS or (stop == COUNTING and counts)
        if points >= limits.cut or (may_stop and counts and points >= limits.stop_cut):
            return [self.paid("cut", points, mode, may_stop and counts)]
        found = [self.paid("bank", points * counts, mode)] if may_stop else []
        for classes in throws:
            values = [self.best(self.offer_values(offers, points, limits.room)) for offers in classes]
            ways = classes.values()
            total = sum(ways)
            found.append(tuple(sum(map(mul, ways, column)) // total for column in zip(*values, strict=True)))  # H2, H8
        return found

    def offer_values(self, offers, points, room):
        """Return the bounds of what a roll class offers; if there is room for none, the turn is bust."""
        after = [(one[0], max(0, points * one[2] + one[1])) if is_lead(one) else one for one in offers]
        allowed = [one for one in after if isinstance(one[0], str) or one[1] <= room]
        return [self.value(one) for one in allowed or [("bust", 0)]]

    def best(self, bounds):
        """Return the bounds of the best choice.

        For three or more players: of the mover's number; for the mover the stored play below and the best reply above;
        for the others the least and the most of all choices that the stored play may make (H10).
        """
        top, lowest_top = max(one[0] for one in bounds), min(one[1] for one in bounds)
        if self.players < 3:
            return top, lowest_top
        made = [one for one in bounds if self.tie - one[1] >= top]
        if self.match.lists_choices and all(one[:2] == (0, 0) and one[3] == 0 for one in bounds):
            made = made[:1]  # nothing can be had: the first choice is made
        worst = [min(column) for column in zip(*made, strict=True)]
        return top, lowest_top, worst[2], min(one[3] for one in bounds), *worst[4:]

    def paid(self, word, points, mode=(), may_bank=True):
        """Return the bounds of an ending, or of a turn that is cut (word "cut")."""
        hand = mode[:1] if self.match.takes_over else ()
        hand = hand[0] if hand else ()
        if word != "cut":
            return self.best(self.leaves(word, points, hand))
        if may_bank:
            bounds = self.leaves("bank", points, hand)
            if self.is_race and self.match.has_won_at_cut:  # T1 and T2 agree: nothing is worth more than a win
                return self.best(bounds)
        else:  # the least of what ends the turn with nothing
            bounds = [one for end in ("bank", "bust", "wipe") for one in self.leaves(end, 0, hand)]
        return self.cut_bounds(points, mode, may_bank, bounds)

    def cut_bounds(self, points, mode, may_bank, bounds):
        """Return the bounds of a turn that is cut: what stopping brings below (T2), and T1 or T4 above."""
        if self.has_points:
            most = max(points, self.cut["level"]) + self.gamma[mode]  # T4
        else:
            most = -1 if self.objective == "turns" else 1  # T1
        negated_most = floor(-self.unit * most)  # H8
        is_chance = self.objective in ("win", "reach")
        lows = [min(column) if may_bank or not is_chance else 0 for column in zip(*bounds, strict=True)]
        return tuple(negated_most if place % 2 else low for place, low in enumerate(lows))

    def leaves(self, word, points, hand):
        """Return the bounds of every leaf of an ending."""
        return [self.leaf_bounds(*leaf) for leaf in self.match.endings(self.state, word, points, hand)]

    def leaf_bounds(self, pays, state, seats_on):
        """Return the bounds of a leaf: what is paid, and the bounds of the state that follows (H1)."""
        bounds = [floor(sign * pay * self.unit) for pay in pays for sign in (1, -1)]  # H8
        decides_by, players = bounds[0], self.players
        if state is not None:
            line = self.lines.get(state, self.placeholder)
            establish(line is not None, f"H1 fails: state {state} is not in the file")
            self.linked.add(state)
            bounds = list(map(add, bounds, (line.bounds * 2)[2 * (players - seats_on) :]))
            if players > 2:
                decides_by += self.zero_numbers.get(state, line.play[-seats_on % players])
        return tuple(bounds[:2]) if players < 3 else (decides_by, -decides_by, *bounds)

    def links_of(self, state):
        """Return the states that the turn from a state leads to."""
        self.lines.setdefault(state, self.placeholder)
        self.turn_value(state)
        return self.linked

    # --- the hypotheses

    def judge(self, state):
        """Check one state: H5, H6 and H7, and the bounds of its cut.

        Raises:
            DoesNotHoldError: a hypothesis fails.
        """
        rank, claimed, _ = self.lines[state]
        computed = self.turn_value(state)
        descends = all(self.lines[linked].rank < rank for linked in self.linked)
        if "level" in self.cut and self.has_points:
            self.check_level(state)
        if self.rate:
            computed = self.check_average(state, computed)
        for place, (found, said) in enumerate(zip(computed, claimed)):  # two players have both views
            self.compare(state, place, found, said, descends)

    def compare(self, state, place, found, said, descends):
        """Check one bound of a state against what its turn comes to."""
        name, side, sign = ("H5", "upper", -1) if place % 2 else ("H6", "lower", 1)
        if found > said or (found == said and descends):
            return
        seat = f" of seat {place // 2} from the mover on" if self.players > 2 else ""
        stated, needed = self.decimal(sign * said), self.decimal(sign * found)
        numbers = f"the {side} bound{seat} is {stated}, its turn comes to {needed}"
        establish(found >= said, f"{name} fails at state {state}: {numbers}")
        establish(False, f"H7 fails at state {state}: {numbers}, and no progress is shown")

    def decimal(self, number):
        """Return a number of units as text, rounded to 17 digits."""
        return str(Context(17).divide(number, self.unit))

    def check_level(self, state):
        """Check T4 at a state: from the level on, no mode is worth more than the turn points and its gamma."""
        level = self.cut["level"]
        lost = max(Fraction(-self.paid(word, 0)[1], self.unit) for word in ("bank", "bust", "wipe"))
        losing = [lost + max(0, points) + self.worth[mode] for mode, points, times in self.leads() if times == 0]
        if losing:
            self.check_gamma(self.worth, None)
            lost = max(lost, *losing)
        establish(lost <= level, f"T4 fails at state {state}: losing the points is worth more than the level")
        self.check_gamma(self.gamma, lost - level)

    def check_gamma(self, gamma, loss):
        """Check the inequality of T4 for every throw, in fractions.

        Args:
            gamma: mode -> what it is worth at most, more than the turn points.
            loss: what a roll that loses the points brings, less the level; None to count points that are lost, too.
        """
        for mode, (_, throws) in self.modes.items():
            for classes in throws:
                room = sum(classes.values()) * gamma[mode]
                for offers, ways in classes.items():
                    leads = [(max(0, one[1]) + gamma[one[0]], one[2]) for one in offers if is_lead(one)]
                    require(all(times < 2 for _, times in leads), "points that are multiplied are not bounded by T4")
                    kept = [worth for worth, times in leads if times or loss is None]
                    room -= ways * (max(kept) if kept else loss or 0)
                establish(room >= 0, f"T4 fails in mode {json.dumps(mode)}")

    def check_average(self, state, computed):
        """Check Theorem 6 at a state, for numbers halfway between the bounds; return the bounds less the average."""
        low, high = self.rate
        claimed, lines = self.lines[state].bounds, self.lines
        self.lines = {one: line._replace(bounds=middle(*line.bounds)) for one, line in lines.items()}
        self.values = {}
        gains = list(map(sub, self.value((None, 0)), self.lines[state].bounds))
        self.lines = lines
        establish(gains[0] >= low and gains[1] >= -high, f"Theorem 6 fails at state {state}: no average")
        if state[1]:
            return computed[0] - high, computed[1] + low
        establish(not any(claimed), f"H3 fails at state {state}: it must be worth 0, others are compared with it")
        return 1, 1

    def gap(self, state):
        """Return the widest gap between the bounds of a state: for three or more players its regret."""
        return max(-low - negated_high for low, negated_high in pairs(self.lines[state].bounds))


def is_lead(offer):
    """Return whether an offer goes on to a mode; else it is an ending."""
    return len(offer) == 3


def pairs(bounds):
    """Return the bounds as pairs: lower, negated upper."""
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def middle(low, negated_high):
    """Return the bounds of the number halfway between two bounds."""
    number = (low - negated_high) // 2
    return [number, -number]


# --- 6. File -----------------------------------------------------------------------------------------------------

FIRST_LINE = b"keepwise certificate 1\n"
WHOLE_PATTERN, NUMBER_PATTERN = r"(?:0|-?[1-9]\d{0,18})", r"(?:0|-?[1-9a-f][0-9a-f]{0,79})"
LINE = re.compile(rf"({WHOLE_PATTERN}(?:,{WHOLE_PATTERN})*)((?: {NUMBER_PATTERN})+)(?: r(\d{{1,9}}))?\n", re.ASCII)


def parse_header(line):
    """Return the header of a certificate.

    Raises:
        CannotJudgeError: it is not JSON in ASCII, a number is too long or not whole, or a key stands twice.
    """

    def parse_whole(numeral):
        require(len(numeral) <= NUMERAL_LENGTH, f"a number of the header has more than {NUMERAL_LENGTH} characters")
        return int(numeral)

    def refuse(numeral):
        raise CannotJudgeError(f"a number of the header is not whole: {numeral[:20]}")

    def parse_object(items):
        found = dict(items)
        require(len(found) == len(items), "a key stands twice in the header")
        return found

    require(line.isascii(), "the header is not ASCII")
    parsers = {"parse_int": parse_whole, "parse_float": refuse, "parse_constant": refuse}
    try:
        header = json.loads(line.decode("ascii"), object_pairs_hook=parse_object, **parsers)
    except json.JSONDecodeError:
        raise CannotJudgeError("the header is not JSON") from None
    require(type(header) is dict, "the header is not a JSON object")
    return header


def load(path, digest, keep):
    """Read a certificate.

    Args:
        path: the file, packed by gzip or not.
        digest: a hash that is updated with the text.
        keep: called with state, block and line number of every line; returns whether to keep the line.

    Returns:
        The header, the lines that are kept by state, and the number of all lines.

    Raises:
        CannotJudgeError: the file is not a certificate.
        DoesNotHoldError: a state stands there twice (H1), or a lower bound is above its upper bound.
    """
    with open(path, "rb") as raw:
        is_packed = raw.peek(2)[:2] == b"\x1f\x8b"
        with gzip.open(raw) if is_packed else raw as file:
            return read_lines(path, file, digest, keep)


def read_lines(path, file, digest, keep):
    """Read a certificate from an open file; see ``load``."""
    first, second = file.readline(MAX_LINE_BYTES), file.readline(MAX_HEADER_BYTES)
    require(first == FIRST_LINE, f"{path} is not a certificate: its first line is another")
    require(second[-1:] == b"\n", f"{path} is not a certificate: its header is cut off or too long")
    digest.update(first + second)
    header = parse_header(second)
    check_fields("header", HEADER, header)
    players, bits = header["players"], header["bits"]
    stake = (header["objective"] == "win") << bits + GUARD_BITS  # what two players get together
    several = players > 2
    bound_count = 2 * players if several else 2
    lengths = (3 * players, 3 * players + 3) if several else (2,)
    lines, count, block, room = {}, 0, 0, BYTES_OF_LINES
    while True:
        line = file.readline(MAX_LINE_BYTES).decode("ascii")
        digest.update(line.encode())
        if line == "block\n":
            block += 1
            continue
        found = LINE.fullmatch(line)
        numbers = [int(number, 16) << GUARD_BITS for number in found[2].split()] if found else []
        if len(numbers) not in lengths or room <= 0:
            break
        count += 1
        state = tuple(map(int, found[1].split(",")))
        bounds = [-number if place % 2 else number for place, number in enumerate(numbers[:bound_count])]
        in_order = all(low + negated_high <= 0 for low, negated_high in pairs(bounds))
        establish(in_order, f"at state {found[1]} a lower bound is above its upper bound")
        if not keep(state, block, count + block + 2):
            continue
        room -= len(line) + BYTES_PER_LINE
        establish(state not in lines, f"H1 fails at state {found[1]}: it is there twice")
        if players == 2:  # what the other player gets: the rest of the stake
            bounds += [bounds[1] + stake, bounds[0] - stake]
        lines[state] = Line((block, int(found[3] or 0)), bounds, tuple(numbers[bound_count:]))
    wrong = f"line {count + block + 3}: {line[:80]!a} is not a line, or one too many, and not the end"
    require(line == f"end {count}\n" and not file.read(1), wrong)
    return header, lines, count


# --- 7. Command --------------------------------------------------------------------------------------------------


class Report(NamedTuple):
    """What was found: the lines of the report, and the last one."""

    lines: list
    verdict: str


class Reader:
    """Reads a file, and draws a sample of its states, each with the same chance."""

    def __init__(self, options):
        self.options, self.at = options, 0
        self.random = random.Random(options.seed)
        self.drawn, self.met = [], 0

    def draw(self, state, block, line):
        """Draw a state or not (reservoir sampling); return whether to keep its line."""
        self.at = line
        first, last = self.options.blocks
        if first <= block <= last:
            place = self.met if self.options.sample is None else self.place_in_sample()
            if self.options.sample is None or place < self.options.sample:
                self.drawn[place : place + 1] = [state]
            self.met += 1
        return self.options.sample is None or line < LINES_OF_SAMPLE

    def place_in_sample(self):
        """Return the place of the next state in the sample; a place beyond it means that it is not drawn."""
        return self.met if self.met < self.options.sample else self.random.randrange(self.met + 1)


def check(options, reader):
    """Judge a file; return the report.

    Raises:
        CannotJudgeError: the file cannot be judged.
        DoesNotHoldError: a hypothesis fails.
    """
    digest = hashlib.sha256()
    header, lines, count = load(options.file, digest, reader.draw)
    if count > len(lines):  # too many to be kept: keep those that the sample needs, in a second pass
        lines, digest = needed_lines(options, header, lines, reader.drawn, digest)
    checker, start = Checker(header, lines), tuple(header["begins"])
    establish(start in lines, f"H1 fails: state {start}, in which the game begins, is not in the file")
    judged = dict.fromkeys(reader.drawn)
    if options.sample is not None:  # the beginning, and what it links to, are part of every sample
        judged |= dict.fromkeys([start, *sorted(checker.links_of(start))])
    require(judged, "there is no such state")
    for number, state in enumerate(judged):
        if options.progress and number % 64 == 0:
            print(number / len(judged), file=sys.stderr)
        checker.judge(state)
    return report(options, header, checker, judged, count, digest.hexdigest())


def needed_lines(options, header, lines, drawn, digest):
    """Read the file again; return the lines of a sample and of what it links to, and the digest of the text."""
    players, start = header["players"], tuple(header["begins"])
    checker = Checker(header, lines, Line((0, 0), [0] * 2 * max(2, players), (0,) * players))
    judged = {start, *drawn} | checker.links_of(start)
    wanted = judged.union(*map(checker.links_of, judged))
    again = hashlib.sha256()
    _, lines, _ = load(options.file, again, lambda state, *_: state in wanted)
    require(again.digest() == digest.digest(), "the file has changed while it was read")
    return lines, again


def report(options, header, checker, judged, count, sha256):
    """Return the report on a certificate that holds; check the regret of three or more players."""
    unit, start, several = checker.unit, tuple(header["begins"]), header["players"] > 2
    round_down, round_up = Context(17, "ROUND_FLOOR").divide, Context(17, "ROUND_CEILING").divide
    low, high = checker.rate or (checker.lines[start].bounds[0], -checker.lines[start].bounds[1])
    gap = max(high - low, *(checker.gap(state) for state in judged))
    width = f"{Context(3, 'ROUND_UP').divide(gap, unit):g}"
    found = []
    if several:
        found.append(f"regret: no player gains more than {width} by leaving the play of this certificate")
        limit = f"the regret {width} is above {options.max_regret:g}; --max-regret allows more"
        establish(gap <= options.max_regret * unit, limit)
    names = f"{header['game']!a:.80}, {header['objective']}, players: {header['players']}"
    found.append(f"{names}, rules: {header['fingerprint']!a:.80}")
    others = count - len(judged)
    if options.sample is None and not others:
        found.append(f"{count:,} of {count:,} states hold, no bounds further apart than {width}")
    else:
        part = "sample" if options.sample is not None else "part"
        found.append(f"{part} of {len(judged):,} states: all hold; the other {others:,} were not checked")
        found.append(f"no bounds of these states are further apart than {width}")
    if options.sample is not None and others:
        chance = f"{1 - min(options.sample, count) / count:.3g}"
        found.append(f"a wrong line elsewhere is missed with chance {chance}, if its writer cannot know the seed")
        found.append(f"seed {options.seed}")
    value = f"value at the beginning, {start}: from {round_down(low, unit):g} to {round_up(high, unit):g}"  # H11
    found += [value, f"sha256 {sha256}"]
    scope = f", by a sample of {len(judged):,} of {count:,} states" if others else ""
    return Report(found, f"PASS {options.file}: {value}{scope}")


ALL_BLOCKS = 0, inf


class Parser(argparse.ArgumentParser):
    """A parser that refuses a command line in one line."""

    def error(self, message):
        """Print one line and exit."""
        sys.exit(complain(f"keepwise-check: {message}", NOT_JUDGED))


def parse_blocks(words):
    """Return the first and the last block of A-B."""
    found = re.fullmatch(r"(\d{1,9})-(\d{1,9})", words, re.ASCII)
    if not found:
        raise argparse.ArgumentTypeError(f"{words!a} is not A-B, for example 3-7")
    return int(found[1]), int(found[2])


def parse_count(words):
    """Return a whole number from 1 on."""
    if not re.fullmatch(r"[1-9]\d{0,9}", words, re.ASCII):
        raise argparse.ArgumentTypeError(f"{words!a} is not a whole number from 1")
    return int(words)


def parse_options(arguments):
    """Return the options of the command line."""
    parser = Parser(prog="keepwise-check", description="Check a certificate: that its bounds hold.")
    parser.add_argument("file", help="the certificate, packed by gzip or not")
    parser.add_argument("--sample", type=parse_count, metavar="N", help="judge N random states, and the beginning")
    parser.add_argument("--seed", type=int, help="seed of the sample; random by default, and printed")
    parser.add_argument(
        "--blocks", type=parse_blocks, default=ALL_BLOCKS, metavar="A-B", help="judge the states of these blocks only"
    )
    parser.add_argument(
        "--max-regret", type=float, default=MAX_REGRET, metavar="R", help="three or more players: fail above this"
    )
    parser.add_argument("--progress", action="store_true", help="print the share of judged states on stderr")
    options = parser.parse_args(arguments)
    if options.sample is not None and options.blocks != ALL_BLOCKS:
        parser.error("--sample cannot be combined with --blocks")
    if options.seed is None:
        options.seed = secrets.randbelow(1 << 48)  # nobody who wrote the file can know it
    return options


def run(options):
    """Judge a file and print the report; return the exit status."""
    reader = Reader(options)
    try:
        sys.setrecursionlimit(10_000)
        found = check(options, reader)
    except DoesNotHoldError as error:
        return complain(f"FAIL {options.file}: {error}", FAILED)
    except CannotJudgeError as error:
        return complain(f"keepwise-check: cannot judge {options.file}: {error}"[:400], NOT_JUDGED)
    except Exception as error:
        why = getattr(error, "strerror", None) or ascii(error)
        where = f"read up to line {reader.at}"
        return complain(f"keepwise-check: cannot judge {options.file}, {where}: {why}"[:400], NOT_JUDGED)
    try:
        print(*found.lines, found.verdict, sep="\n", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered goes nowhere
        return CLOSED_PIPE
    except OSError as error:
        with suppress(OSError):
            sys.stdout.close()
        return complain(f"keepwise-check: cannot write the report: {error.strerror}", NOT_WRITTEN)
    return PASSED


def complain(message, status):
    """Print one line on stderr, if that can be written; return the exit status."""
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)
    return status


def main(arguments=None):
    """Run the command and exit."""
    try:
        status = run(parse_options(arguments))
    except KeyboardInterrupt:
        status = complain("keepwise-check: interrupted", INTERRUPTED)
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
