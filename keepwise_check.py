#!/usr/bin/env python3
"""Check a certificate: prove that the bounds in a file enclose the values of a dice game.

    python keepwise_check.py FILE [--sample N] [--seed S] [--blocks A-B] [--max-regret R] [--processes N]

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
- Python's integers, ``fractions``, ``json`` and ``gzip``, and with --processes its ``os.fork`` and pipes;
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
import signal
import sys
from collections import Counter
from contextlib import suppress
from decimal import Context
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, compress, product, takewhile
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
MAX_DEPTH = 1_900  # points of one turn, each after the one before; ``value`` takes five frames of Python for each
RECURSION_LIMIT = 10_000  # frames of Python, more than ``value`` takes for MAX_DEPTH points
MAX_MESSAGE = 400  # characters of the line that says why a file cannot be judged
MAX_TURN_SIZE = 6_000_000  # rolls of a turn, in the measure of ``turn_size``
MAX_KEPT_WEIGHTS = 10_000  # sets of roll classes of one throw whose weights are kept
MAX_BOXES = 63
MAX_REGRET = 2.0**-20  # for three or more players, unless --max-regret says otherwise
STATES_PER_GROUP = 64  # judged by one process; with --progress a line is printed before each group
BYTES_PER_STATE = 650  # of a process, measured for two players
BYTES_OF_PROCESSES = 2 * BYTES_OF_LINES  # that all processes together may take

# How ``turn_size`` measures a turn.
MAX_CHOSEN = 30  # a binomial coefficient of more is far above MAX_TURN_SIZE; the exact one could be too long a number
FACES_PER_COST = 100  # counts of so many faces take as much time and memory again as the roll itself
KEPT_SET_COST = 3  # a set of dice that is kept takes about as much time as three rolls
STATES_OF_TILE = 3  # a tile stands, is being shut, or is down

# Significant digits of the numbers that are printed.
DIGITS_OF_VALUE = 17
DIGITS_OF_GAP = 3

# Exit status.
PASSED = 0
FAILED = 1
NOT_JUDGED = 2
NOT_WRITTEN = 3
INTERRUPTED = 130
CLOSED_PIPE = 141

# When a player may stop before a roll.
NEVER = 0
COUNTING = 1  # only with turn points that count
ALWAYS = 2


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
    """A type of values in a header.

    text: its name, as docs/certificate-format.md spells it.
    accepts: a function that returns whether a value has this type.
    """

    text: str
    accepts: object


def whole(lowest=None, highest=None):
    """Return the type of whole numbers within a range.

    JSON's ``true`` and ``false`` do not have it, although Python counts them among the whole numbers.

    Args:
        lowest: the smallest number of the range; None for ``-MAX_NUMBER``. Numerals of a file are too short for a
            number beyond MAX_NUMBER.
        highest: the largest number of the range; None for ``MAX_NUMBER``. It is only given together with ``lowest``.
    """
    range_text = ""
    if lowest is not None:
        range_text = f" from {lowest}"
        if highest is not None:
            range_text += f" to {highest}"
    minimum = -MAX_NUMBER if lowest is None else lowest
    maximum = MAX_NUMBER if highest is None else highest

    def accepts(value):
        return type(value) is int and minimum <= value <= maximum

    return Type(f"whole number{range_text}", accepts)


def one_of(*words):
    """Return the type of texts that are one of these words."""

    def accepts(value):
        return type(value) is str and value in words

    return Type("one of " + ", ".join(words), accepts)


def list_of(item, min_length=0, max_length=None):
    """Return the type of lists whose items all have one type.

    Args:
        item: the type of every item.
        min_length: the least number of items.
        max_length: the greatest number of items; None for any.
    """
    if max_length is not None:
        length_text = f"{min_length} to {max_length} of"
    elif min_length:
        length_text = f"at least {min_length} of"
    else:
        length_text = "of"
    longest = inf if max_length is None else max_length

    def accepts(value):
        has_length = type(value) is list and min_length <= len(value) <= longest
        return has_length and all(map(item.accepts, value))

    return Type(f"list {length_text} ({item.text})", accepts)


def tuple_of(*items):
    """Return the type of lists of a fixed length: ``items`` are the types of the places."""

    def accepts(value):
        if type(value) is not list or len(value) != len(items):
            return False
        return all(item.accepts(entry) for item, entry in zip(items, value, strict=True))

    item_texts = "; ".join(item.text for item in items)
    return Type(f"[{item_texts}]", accepts)


def either(*types):
    """Return the type of values that have at least one of these types."""

    def accepts(value):
        return any(alternative.accepts(value) for alternative in types)

    return Type(" or ".join(f"({alternative.text})" for alternative in types), accepts)


def map_of_modes(item):
    """Return the type of JSON objects that give some modes of a turn of sets a value each.

    The keys are names of modes. A name is the JSON text of ``null``, with which a turn begins, or of a list: the dice
    by kind, whether they must be rolled, and as further items each face that makes the roll void. For example,
    ``[[6], false]`` is six dice that may be rolled, and ``[[5], true, 0, 3]`` has the void faces 0 and 3.

    Args:
        item: the type of the values.
    """
    mode_name = re.compile(r"null|\[\[\d{1,2}(, \d{1,2})*\], (true|false)(, \d{1,3})*\]", re.ASCII)

    def accepts(value):
        if type(value) is not dict or not all(map(mode_name.fullmatch, value)):
            return False
        return all(map(item.accepts, value.values()))

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
    "tiles": {
        "tiles": Field(whole(1)),
        "one": Field(flag),
        "by_sum": Field(flag, otherwise=False, optional=True),
        "most": Field(whole(0), otherwise=0, optional=True),
        "digits": Field(flag, otherwise=False, optional=True),
    },
    "touch": {
        "chances": Field(list_of(list_of(ratio, 1), 3, 3)),
        "trips": Field(list_of(list_of(ratio, 1), 3, 3)),
        "in_order": Field(flag),
    },
    "seats": {"seats": Field(list_of(anything, 2, MAX_PLAYERS))},  # a turn of sets for each seat
}

MATCHES = {  # by the kind of a match
    "turn": {},
    "race": {
        "target": Field(whole(1)),
        "finish": Field(one_of("at_least", "exact", "last_round")),
        "takes": Field(one_of("none", "free", "opened"), ("win",), "none"),
    },
    "seats": {
        "targets": Field(list_of(whole(1), 2, MAX_PLAYERS)),
        "finish": Field(one_of("at_least", "exact")),
        "head_starts": Field(list_of(whole(0), 2, MAX_PLAYERS)),
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
    "seats": {"past": Field(whole(0), optional=True)},
    "frames": {"level": Field(whole(0), optional=True)},
}


class MatchType(NamedTuple):
    """The objectives and turns of a kind of match, and the largest number of players."""

    objectives: tuple
    turns: tuple
    players: int = MAX_PLAYERS


MATCH_TYPES = {
    "turn": MatchType(("points", "rate"), ("sets", "crew")),
    "race": MatchType(("turns", "reach", "win"), ("sets", "crew")),
    "seats": MatchType(("win",), ("seats",)),
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
        fields: key -> Field: the type of its value, and the objectives that it belongs to. For another objective the
            key must be there with a neutral value, ``otherwise``. If that is None, the key must be left out.
        values: what the header says. An optional key that is left out is added with the value that this means.
        objective: the objective of the certificate; None if it is not known yet.

    Raises:
        CannotJudgeError: a key is unknown or missing, or a value is not allowed.
    """
    for key in values:
        require(key in fields, f"unknown key {key!a:.40} in {part}; expected {', '.join(fields) or 'none'}")
    for key, field in fields.items():
        if key in values:
            check_value(f"{part}.{key}", field, values[key], objective)
            continue
        # The key is missing. ``otherwise`` is its neutral value for an objective that it does not belong to; None if
        # there is none, so that the key must be left out.
        belongs = objective is None or objective in field.objectives
        must_be_absent = not belongs and field.otherwise is None
        may_be_absent = field.optional or must_be_absent
        require(may_be_absent, f"missing required key {key!r} in {part}: {field.type.text}")
        if field.otherwise is not None:  # the key is optional; leaving it out means ``otherwise`` for every objective
            values[key] = field.otherwise


def check_value(name, field, value, objective):
    """Check the value of one field of a header.

    Args:
        name: the part of the header and the key, for messages.
        field: the Field of the key.
        value: what the header says.
        objective: the objective of the certificate; None if it is not known yet.

    Raises:
        CannotJudgeError: the value is not allowed.
    """
    # A field has a neutral value, ``otherwise``, for objectives that it does not belong to; None if it has none. Texts
    # are compared because True == 1 in Python.
    value_text = json.dumps(value)
    is_neutral = field.otherwise is not None and value_text == json.dumps(field.otherwise)
    name_and_value = f"{name} = {value_text[:60]}"
    if objective is None:
        is_allowed = is_neutral or field.type.accepts(value)
    elif objective in field.objectives:
        is_allowed = field.type.accepts(value)
    else:
        require(is_neutral, f"{name_and_value}: does not belong to objective {objective}")
        is_allowed = True
    require(is_allowed, f"{name_and_value}: must be {field.type.text}")


# --- 2. Consistency ----------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """Dice that score together, as a row of ``turn.groups`` says.

    counts: by face, how many dice show it.
    points: what the dice score.
    void_faces: None, or the faces that make the next roll void if this set must be confirmed by it.
    """

    counts: list
    points: int
    void_faces: list | None = None


class Special(NamedTuple):
    """A roll that is not read as scoring dice, as a row of ``turn.specials`` or ``turn.doubled`` says.

    min_counts, max_counts: by face, the least and the greatest number of dice that show it in such a roll.
    effect: one of EFFECTS.
    points: turn points that are added.
    times: by what the turn points are multiplied before: 0 if they are lost.
    """

    min_counts: list
    max_counts: list
    effect: str
    points: int
    times: int


class Column(NamedTuple):
    """A part of a scorecard whose points add up to an upper total.

    boxes: the numbers of the boxes that count.
    steps: pairs of a total and the bonus from it on.
    """

    boxes: list
    steps: list


def groups_of(turn):
    """Return the scoring groups of a turn of sets."""
    return [Group(*row) for row in turn["groups"]]


def specials_of(turn):
    """Return all special rolls of a turn of sets, those that replace others while doubled among them."""
    return [Special(*row) for row in turn["specials"] + turn["doubled"]]


def check_header(header):
    """Check every field of a header, and every condition that joins several fields.

    Which fields there are depends on the kind of turn and the kind of match, and on the objective.

    Args:
        header: what the second line of a certificate says, as parsed from JSON.

    Raises:
        CannotJudgeError: one of them is not met; the message names the field or the condition.
    """
    check_fields("header", HEADER, header)  # as far as this is possible without the objective
    check_kinds(header)
    objective = header["objective"]
    turn_kind = header["turn"]["kind"]
    match_kind = header["match"]["kind"]
    turn_fields = {"kind": Field(one_of(turn_kind)), **TURNS[turn_kind]}
    match_fields = {"kind": Field(one_of(match_kind)), **MATCHES[match_kind]}
    check_fields("header", HEADER, header, objective)
    check_fields("turn", turn_fields, header["turn"], objective)
    check_fields("match", match_fields, header["match"], objective)
    check_fields("parameters", PARAMETERS.get(match_kind, {}), header["parameters"], objective)
    check_fields("cut", CUTS.get(match_kind, {}), header["cut"], objective)
    if match_kind == "seats":
        check_seats(header)
        return
    check_turn_size(header["turn"])
    TURN_CONDITIONS[turn_kind](header["turn"])
    check_numbers(header)
    check_cut(header)
    if turn_kind == "sets":
        check_sets_in_match(header)
    if match_kind in MATCH_CONDITIONS:
        MATCH_CONDITIONS[match_kind](header)


def header_of_seat(header, seat):
    """Return the header of a race of as many players who all have the rules of one seat.

    Args:
        header: the header of a match of seats.
        seat: the seat, from 0 on.
    """
    match = header["match"]
    race = {"kind": "race", "target": match["targets"][seat], "finish": match["finish"], "takes": "none"}
    return {**header, "turn": header["turn"]["seats"][seat], "match": race}


def check_seats(header):
    """Check a match of seats: the rules of each seat have to be those of a race of sets, and meet all its conditions.

    Args:
        header: the header of a certificate, whose fields have been checked one by one.
    """
    match = header["match"]
    for name, rules_by_seat in (("turn.seats", header["turn"]["seats"]), *match.items()):
        if name in ("turn.seats", "targets", "head_starts"):
            require(len(rules_by_seat) == header["players"], f"{name} must have an entry for each of the players")
    for seat, (target, head_start) in enumerate(zip(match["targets"], match["head_starts"], strict=True)):
        race_header = header_of_seat(header, seat)
        require(race_header["turn"].get("kind") == "sets", f"seat {seat} must have a turn of sets")
        try:
            check_header(race_header)
        except CannotJudgeError as error:
            raise CannotJudgeError(f"seat {seat}: {error}") from None
        require(not race_header["turn"]["costs"], "busts cannot cost points in a match of seats")
        require(head_start < target, f"the head start of seat {seat} is not below its target")


def check_kinds(header):
    """Check that the kinds of turn and match exist, and fit each other, the objective and the number of players.

    Args:
        header: the header of a certificate.
    """
    objective = header["objective"]
    players = header["players"]
    for part, known_kinds in (("turn", TURNS), ("match", MATCHES)):
        kind = header[part].get("kind")
        require(type(kind) is str and kind in known_kinds, f"{part}.kind must be one of {', '.join(known_kinds)}")
    turn_kind = header["turn"]["kind"]
    match_kind = header["match"]["kind"]
    match_type = MATCH_TYPES[match_kind]
    require(objective in match_type.objectives, f"objective {objective} does not belong to a match of {match_kind}")
    require(turn_kind in match_type.turns, f"a match of {match_kind} cannot have turns of {turn_kind}")
    most = match_type.players
    require(players <= most, f"a match of {match_kind} has at most {most} players, not {players}")
    has_opponents = objective in ("win", "margin")
    needed = "two or more players" if has_opponents else "one player"
    require((players > 1) == has_opponents, f"objective {objective} requires {needed}, not {players}")


def check_turn_size(turn):
    """Check that a turn is not too large.

    Later conditions and the checker list its rolls, which must not take too long.

    Args:
        turn: the rules of the turn, as the header says them.

    Raises:
        CannotJudgeError: it is too large.
    """
    size = turn_size(turn)
    require(0 < size < MAX_TURN_SIZE, "a turn is too large to be listed: too many dice, faces, sets or tiles")


def turn_size(turn):
    """Return a measure of how many rolls, sets of dice and modes one turn has.

    It is computed from binomial coefficients, without listing anything. A result of 0 means that there are no dice.

    Args:
        turn: the rules of the turn, as the header says them.
    """
    return TURN_SIZES[turn["kind"]](turn)


def multiset_count(dice, faces):
    """Return a measure of all multisets of up to ``dice`` dice with ``faces`` faces: their number times their cost.

    Such a multiset is a multiset of exactly ``dice`` dice with one face more, for dice that are not there. So the count
    is the binomial coefficient C(dice + faces, faces). Each is a list with a number per face, which costs 1, and 1 more
    for every FACES_PER_COST faces. Of very many multisets the measure is less than that, but far above MAX_TURN_SIZE.
    """
    # C(n, k) = C(n, n - k), so the smaller of both is chosen. MAX_CHOSEN is the limit for very many.
    chosen_count = min(dice, faces, MAX_CHOSEN)
    return comb(dice + faces, chosen_count) * (1 + faces // FACES_PER_COST)


def sets_size(turn):
    """Return the size of a turn of sets, in the measure of ``turn_size``: its rolls, and the sets of dice set aside.

    Args:
        turn: the rules of the turn. Its dice are given by kind: how many, and the weights of the faces.
    """
    roll_count = prod(multiset_count(dice, len(weights)) for dice, weights in turn["dice"])  # by kind of dice
    # Every roll is compared with all special rolls. All groups are compared once for each shape of a roll: for the
    # counts of its faces, of all kinds of dice together.
    size = roll_count * (1 + len(turn["specials"] + turn["doubled"]))
    total_dice = sum(dice for dice, _ in turn["dice"])
    most_faces = max(len(weights) for _, weights in turn["dice"])
    shape_count = min(roll_count, multiset_count(total_dice, most_faces))
    size += shape_count * len(turn["groups"])
    has_choice_of_sets = turn["take"] != "all-or-none"
    if has_choice_of_sets:
        # A die of a roll is set aside or not: as many cases as if it had twice as many faces. With several kinds of
        # dice most of these sets are not looked at, because they do not score.
        set_count = prod(multiset_count(dice, 2 * len(weights)) for dice, weights in turn["dice"])
        size += set_count if len(turn["dice"]) > 1 else KEPT_SET_COST * set_count
    # A group is [counts, points], perhaps with a list of faces that make the next roll void. The dice are rolled in a
    # mode of its own for each different list.
    void_lists = {str(void_faces) for _, _, *void_faces in turn["groups"]}
    mode_multiple = max(1, len(void_lists))
    return mode_multiple * size


def crew_size(turn):
    """Return the size of a turn of Battleship, in the measure of ``turn_size``."""
    dice = len(turn["order"]) + 2  # one for each face to set aside, and the two that count
    return multiset_count(dice, turn["faces"]) * turn["faces"] * turn["casts"]


def boxes_size(turn):
    """Return the size of a turn of a scorecard, in the measure of ``turn_size``."""
    # A die of a roll is kept or not: as many cases as if it had twice as many faces.
    kept_sets = multiset_count(turn["dice"], 2 * len(turn["weights"]))
    return KEPT_SET_COST * kept_sets * (turn["throws"] + turn["saved"])


def touch_size(turn):
    """Return the size of a turn of Booby Trap, in the measure of ``turn_size``; it grows with the number of feels.

    The cube is far more than the rolls of a turn, which are one for each feel of each size.
    """
    most_feels = max(map(len, turn["chances"]))
    return most_feels**3


def tiles_size(turn):
    """Return the size of a turn of Shut the Box, in the measure of ``turn_size``.

    A tile stands, is being shut, or is down: so many cases in all are the tiles that stand, and the ways to shut some.
    """
    return STATES_OF_TILE ** min(turn["tiles"], MAX_CHOSEN)


TURN_SIZES = {"sets": sets_size, "crew": crew_size, "boxes": boxes_size, "touch": touch_size, "tiles": tiles_size}


def check_sets(turn):
    """Check the conditions that join fields of a turn of sets: set dice aside that score, roll the others or stop.

    Args:
        turn: the rules of the turn, as the header says them. Its dice are given by kind: how many, and the weights of
            the faces.
    """
    _, weights_of_first_kind = turn["dice"][0]
    face_count = len(weights_of_first_kind)
    groups = groups_of(turn)
    rows = [group.counts for group in groups]  # each has a number by face
    for special in specials_of(turn):
        rows += [special.min_counts, special.max_counts]
    confirmed_groups = [group for group in groups if group.void_faces is not None]
    named_faces = [*turn["leave"]]
    for group in confirmed_groups:
        named_faces += group.void_faces
    require(
        all(len(weights) == face_count for _, weights in turn["dice"]),
        "all kinds of dice must have the same number of faces",
    )
    require(all(any(weights) for _, weights in turn["dice"]), "a die must have a face with a weight above 0")
    require(all(len(row) == face_count for row in rows), "groups and special rolls must count every face of the dice")
    require(all(any(group.counts) for group in groups), "a group must hold a die")
    require(all(face < face_count for face in named_faces), f"a face must be a number from 0 to {face_count - 1}")
    require(turn["whole"] or not confirmed_groups, "sets that must be confirmed need whole = true")
    require(turn["stop"] != "all" or turn["hot"] == "none", "stop = all needs hot = none")


def check_crew(turn):
    """Check the conditions that join fields of a turn of Battleship."""
    require(max(turn["order"]) <= turn["faces"], "turn.order names a face that the dice do not have")
    require(len({*turn["order"]}) == len(turn["order"]), "turn.order names a face twice")


def check_boxes(turn):
    """Check the conditions that join fields of a turn of a scorecard.

    Args:
        turn: the rules of the turn, as the header says them. The dice of a turn are split evenly among its ``boxes``
            (1 or 2); boxes are numbered from 0.
    """
    boxes_per_turn = turn["boxes"]
    require(any(turn["weights"]), "a die must have a face with a weight above 0")
    require(turn["dice"] % boxes_per_turn == 0, "two boxes a turn need an even number of dice")
    require(len(turn["scores"]) % boxes_per_turn == 0, "two boxes a turn need an even number of boxes")
    check_lengths_of_boxes(turn)
    columns = columns_of(turn)
    check_named_boxes(turn, columns)
    require(all(column.steps or not column.boxes for column in columns), "turn.steps is empty, and turn.upper is not")
    for steps in [turn["ranges"], *(column.steps for column in columns)]:
        totals = {total for total, _ in steps}
        require(len(totals) == len(steps), "a step occurs twice in turn.steps or turn.ranges")
    require(turn["joker"] == "none" or turn["again"] >= 0, "a joker needs the box turn.again")
    require(not turn["ranges"] or min(turn["ranges"])[0] == 0, "the first of turn.ranges must begin at 0")
    if boxes_per_turn == 2:
        check_two_boxes(turn)


def check_lengths_of_boxes(turn):
    """Check that the tables of a scorecard have a row for every box, and a number for every roll or face.

    Args:
        turn: the rules of the turn. By box and roll it has the points (``scores``), and those after the first throw of
            a turn if they differ (``first``); by box and face the points of a joker (``full``); by face its own box
            (``own``); and by box the one that must be filled before it (``before``). -1 stands for no box.
    """
    box_count = len(turn["scores"])
    face_count = len(turn["weights"])
    dice_per_box = turn["dice"] // turn["boxes"]
    # Rolls are multisets of dice_per_box faces: C(dice + faces - 1, faces - 1).
    rolls_of_box = comb(dice_per_box + face_count - 1, face_count - 1)
    for key in ("scores", "first"):
        require(all(len(row) == rolls_of_box for row in turn[key]), f"turn.{key} needs a number for every roll")
    require(len(turn["first"]) in (0, box_count), "turn.first needs a row for every box")
    require(len(turn["full"]) == box_count, "turn.full needs a row for every box")
    require(all(len(row) == face_count for row in turn["full"]), "turn.full needs a number for every face")
    require(len(turn["own"]) == face_count, "turn.own needs a box for every face, or -1")
    require(len(turn["before"]) in (0, box_count), "turn.before needs a box for every box, or -1")
    require(has_order(turn["before"]), "turn.before contains a cycle")


def check_named_boxes(turn, columns):
    """Check that the boxes of a scorecard that fields name exist, and that no list names one twice.

    Args:
        turn: the rules of the turn.
        columns: the columns with an upper total, as ``columns_of`` returns them.
    """
    upper_boxes = [box for column in columns for box in column.boxes]
    require(len({*upper_boxes}) == len(upper_boxes), "turn.upper names a box twice")
    require(len({*turn["wins"]}) == len(turn["wins"]), "turn.wins names a box twice")
    named_boxes = [*upper_boxes, *turn["wins"], *turn["before"], *turn["own"], turn["again"]]
    require(max(named_boxes) < len(turn["scores"]), "a box number is too large for this card")


def check_two_boxes(turn):
    """Check the conditions of a scorecard of which two boxes are filled in each turn.

    The format does not say what a first throw, a bonus or dice that may not be entered for 0 mean for two boxes.

    Args:
        turn: the rules of the turn, as the header says them.
    """
    require(turn["zeros"], "two boxes a turn need zeros = true")
    require(not turn["first"], "two boxes a turn cannot be combined with turn.first")
    has_bonus_of_further_yahtzees = turn["again"] >= 0  # the box is its number; -1 if there is no such bonus
    require(not turn["upper"] and not has_bonus_of_further_yahtzees, "two boxes a turn cannot be combined with a bonus")
    # Dice are split between the boxes for the most points, which is best only if more points are never worth less.
    # A range is (first points, worth): so many points, up to the next range, are worth that.
    worths = [worth for first_points, worth in sorted(turn["ranges"])]
    require(worths == sorted(worths), "two boxes a turn need turn.ranges that rise")


def columns_of(turn):
    """Return the columns of a scorecard that have an upper total, as a list of Columns.

    A header gives the boxes in ``upper`` and the steps, pairs of a total and its bonus, in ``steps``. For a single
    column these are one list each, for several columns a list of lists each.

    Args:
        turn: the rules of the turn, as the header says them.

    Raises:
        CannotJudgeError: ``upper`` and ``steps`` are not nested alike.
    """
    has_lists_of_boxes = any(type(entry) is list for entry in turn["upper"])
    if not has_lists_of_boxes:
        # A step is [total, bonus]; a step that begins with a list is a list of steps.
        has_lists_of_steps = any(step and type(step[0]) is list for step in turn["steps"])
        require(not has_lists_of_steps, "turn.steps must be one list of steps, as turn.upper is one list of boxes")
        return [Column(turn["upper"], turn["steps"])]
    require(len(turn["upper"]) == len(turn["steps"]), "turn.steps needs a list for every list of turn.upper")
    are_all_lists = all(type(step) is list for steps in turn["steps"] for step in steps)
    require(are_all_lists, "turn.steps needs a list of steps for every list of turn.upper")
    return [Column(boxes, steps) for boxes, steps in zip(turn["upper"], turn["steps"], strict=True)]


def has_order(before):
    """Return whether the boxes of a scorecard can be filled one by one in the order that is demanded.

    Args:
        before: by box, the box that must be filled before it; -1 for none.
    """
    filled_boxes = set()
    while True:
        next_boxes = set()
        for box, needed_box in enumerate(before):
            is_free = needed_box == -1 or needed_box in filled_boxes
            if box not in filled_boxes and is_free:
                next_boxes.add(box)
        if not next_boxes:
            return len(filled_boxes) == len(before)
        filled_boxes |= next_boxes


def check_tiles(turn):
    """Check the conditions that join fields of a turn of Shut the Box."""
    require(turn["one"] or not turn["by_sum"], "turn.by_sum needs turn.one")


def check_touch(turn):
    """Check the conditions that join fields of a turn of Booby Trap.

    Args:
        turn: the rules of the turn. By size and feel of a piece it has fractions: the chance that a piece feels so
            (``chances``), and that it then trips the bar (``trips``).
    """
    for chances, trips in zip(turn["chances"], turn["trips"], strict=True):
        require(len(chances) == len(trips), "turn.trips needs a chance for every feel of turn.chances")
        # The chances are fractions. Over their common denominator the numerators must add up to it (H2).
        common_denominator = lcm(*(denominator for _, denominator in chances))
        total = sum(numerator * common_denominator // denominator for numerator, denominator in chances)
        require(total == common_denominator, "turn.chances must add up to 1")
        are_chances = all(numerator <= denominator for numerator, denominator in trips)
        require(are_chances, "a chance of turn.trips is above 1")


TURN_CONDITIONS = {
    "sets": check_sets,
    "crew": check_crew,
    "boxes": check_boxes,
    "tiles": check_tiles,
    "touch": check_touch,
}


def check_numbers(header):
    """Check the tie and the average rate of a header, which are hexadecimal numbers of units."""
    tie = int(header["tie"], 16)
    require(tie >= 0, "tie must not be below 0")
    require(header["players"] > 2 or tie == 0, "tie must be 0 for fewer than three players")
    rate = [int(number, 16) for number in header["rate"]]
    require(rate == sorted(rate), "the lower bound of rate is above its upper bound")


def check_cut(header):
    """Check that turns are cut only where a bound for the rest of the turn is proved (T1 to T4).

    A turn that is cut is no longer followed. The header says in ``cut`` from which turn points on, or in a race from
    which total on (``level``).

    Args:
        header: the header of a certificate, whose fields have been checked one by one.
    """
    turn = header["turn"]
    match = header["match"]
    cut = header["cut"]
    if not cut:
        return
    require(turn["kind"] == "sets", "only turns of sets can be cut")
    require(not turn["lowest"], "turns in which the lowest points are best cannot be cut")
    require("level" in cut or match["kind"] == "race", "cut.level is missing; only a race can be cut without it")
    if match["kind"] == "race" and "level" in cut:
        require(match["finish"] == "last_round", "cut.level of a race requires finish = last_round")
        require(header["players"] == 2, "a last round of three or more cannot be cut at a level")
        require(cut["level"] >= match["target"], "cut.level must not be below the target")


def check_sets_in_match(header):
    """Check that rules of a turn of sets mean something in this match, and that a proof covers them.

    Args:
        header: the header of a certificate, whose fields have been checked one by one.
    """
    turn = header["turn"]
    match = header["match"]
    states_name_score = match["kind"] in ("turn", "race")
    is_one_round = match["kind"] == "rounds" and match["rounds"] == 1 and match["target"] == 0
    effects = {special.effect for special in specials_of(turn)}
    # A wipe loses the whole score, and an opening is the least first bank, from a score of 0.
    turn_depends_on_score = "wipe" in effects or turn["opening"] > turn["minimum"]
    score_is_known = states_name_score or is_one_round  # a single round begins from 0
    lowest_is_best = turn["lowest"]
    require(states_name_score or not turn["costs"], f"busts cannot cost points in a match of {match['kind']}")
    require(
        not lowest_is_best or match["kind"] in ("turn", "rounds"), f"turn.lowest does not belong to {match['kind']}"
    )
    require(
        header["objective"] != "margin" or "win" not in effects,
        "a special roll cannot win the game for objective margin",
    )
    require(
        score_is_known or not turn_depends_on_score,
        "wipes and openings need a match of turn or race, or one round without a target",
    )


def check_race(header):
    """Check the conditions of a race: which ways to finish, takeovers and cuts can be combined.

    Args:
        header: the header of a certificate, whose fields have been checked one by one.
    """
    turn = header["turn"]
    match = header["match"]
    has_last_round = match["finish"] == "last_round"
    has_takeover = match["takes"] != "none"
    require(not has_last_round or header["players"] > 1, "finish = last_round needs two or more players")
    require(not (has_last_round and has_takeover), "finish = last_round cannot be combined with match.takes")
    require(not has_takeover or turn["kind"] == "sets", "match.takes needs turns of sets")
    if match["finish"] == "exact":
        require(turn["kind"] == "sets", "finish = exact needs turns of sets")
        require(turn["above"] == 0, "finish = exact cannot be combined with turn.above")
        require("past" not in header["cut"], "finish = exact cannot be combined with cut.past")


def check_rounds(header):
    """Check the conditions of a match of rounds."""
    match = header["match"]
    require((match["rounds"] > 0) != (match["target"] > 0), "a match requires either a number of rounds or a target")


def check_turn_alone(header):
    """Check the conditions of a turn alone."""
    has_costs = header["turn"]["kind"] == "sets" and header["turn"]["costs"]
    require(header["objective"] != "rate" or has_costs, "objective rate needs turn.costs")


def check_card(header):
    """Check the conditions of a scorecard."""
    turn = header["turn"]
    require(not turn["wins"] or turn["first"], "boxes that win at once need turn.first")
    require(header["players"] == 1 or not turn["saved"], "turn.saved requires one player")


def check_box(header):
    """Check the conditions of Shut the Box: the goal stands in two places of the header for ``reach``."""
    match_goal = header["match"]["goal"]
    parameter_goal = header["parameters"].get("goal", match_goal)
    require(parameter_goal == match_goal, "parameters.goal and match.goal must be the same")


def check_board(header):
    """Check the conditions of a board."""
    require(
        sum(header["match"]["board"]) > header["match"]["last"], "match.board must hold more pieces than match.last"
    )


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
# A turn has modes: decisions before a roll. None is the mode in which a turn begins. ``open_mode(mode)`` returns
# (stop, throws): when the player may stop (NEVER, COUNTING or ALWAYS), and a list of throws, of which the player may
# make any. A throw is a list of (weight, offers), which lists every roll with its weight, the whole number of ways in
# which it falls (H2). An offer is a choice that the player has after the roll. It is one of
#
# - an ending, (word, points), for example ("bank", 6);
# - a Lead, by which the turn goes on.
#
# For example, a die of three faces, of which the 1 is bust and others may be added up, has in Pig the throw
#
#     [(1, (("bust", 0),)), (1, (Lead(mode, points=2),)), (1, (Lead(mode, points=3),))]
#
# Nothing that may be chosen and no roll is left out (H3, H4).


class Lead(NamedTuple):
    """A choice by which a turn goes on, with the turn points (turn points before) * times + points, or 0 if less.

    mode: the mode in which it goes on.
    points: turn points that are added.
    times: what the turn points before are multiplied by; 0 if they are lost, true means 1.
    """

    mode: tuple
    points: int = 0
    times: int = 1


BUST_OFFERS = (("bust", 0),)
VOID_OFFERS = (("void", 0),)


@cache
def rolls(dice, weights):
    """Return all rolls of identical dice: pairs of a weight, and by face the number of dice that show it.

    The weight of a roll is the product of its faces' weights, times the number of orders in which the dice can show it.
    The sum of all weights is the divisor of a mean over the rolls (H2). Rolls of weight 0 are left out.

    Args:
        dice: the number of dice.
        weights: by face, its weight.
    """
    faces = range(len(weights))
    weighted_rolls = []
    for shown_faces in combinations_with_replacement(faces, dice):
        counts = tuple(map(shown_faces.count, faces))
        orders = factorial(dice) // prod(map(factorial, counts))
        weight = orders * prod(map(pow, weights, counts))
        if weight:
            weighted_rolls.append((weight, counts))
    return weighted_rolls


def parts_of(counts):
    """Yield every part of a multiset of dice, the empty one and the whole among them.

    Args:
        counts: by face, or by kind of dice, the number of dice. The parts are given in the same way.
    """
    return product(*(range(count + 1) for count in counts))


def ways_to_choose(counts, roll):
    """Return all ways to choose dice of a roll that show given faces: by kind of dice, the counts of the faces.

    Args:
        counts: by face, how many dice to choose.
        roll: by kind of dice, the counts of the faces that they show.
    """
    if len(roll) == 1:
        return [(counts,)]
    # The dice of each face are chosen apart from those of the others.
    ways_by_face = map(ways_to_choose_of_face, counts, zip(*roll, strict=True))
    return [tuple(zip(*by_face, strict=True)) for by_face in product(*ways_by_face)]


@cache
def ways_to_choose_of_face(chosen, available):
    """Return all ways to choose so many dice that show one face: by kind of dice, how many of the kind.

    Args:
        chosen: how many dice to choose.
        available: by kind of dice, how many show the face.
    """
    return [by_kind for by_kind in parts_of(available) if sum(by_kind) == chosen]


def points_at(steps, total):
    """Return what a total brings: that of the highest step that it reaches; 0 below all steps.

    Args:
        steps: pairs of a total and what is brought from it on.
        total: the total that was reached.
    """
    reached_steps = [step for step in steps if total >= step[0]]
    if not reached_steps:
        return 0
    _, brought = max(reached_steps)
    return brought


class ScoringSet(NamedTuple):
    """Dice that may be set aside together. The order of the fields ranks sets by what they score.

    points: what the dice score.
    dice: how many they are.
    by_kind: for each kind of dice, the counts of the faces.
    counts: the counts of the faces, of all kinds together.
    """

    points: int
    dice: int
    by_kind: tuple
    counts: tuple


class SetsTurn:
    """A turn of a push-your-luck game: set dice aside that score, then roll the others or stop.

    A mode is (hand, must, *faces): the dice to roll by kind, whether they must be rolled, and the faces that make the
    roll void. The mode () has no roll: the player can only stop.

    Attributes:
        rules: the part ``turn`` of the header.
        full_hand, weights: by kind of dice: how many there are, and the weights of the faces.
        groups, specials, doubled: the groups that score, the special rolls, and those that apply to a doubled roll.
        void_faces_of_set: by counts of a set that must be confirmed by the next roll, the faces that make that roll
            void.
        points_of_set: by counts, the most points of dice, or None if some do not score, as far as known.
        parts_of_shape: by counts of a roll of all kinds of dice together, its parts that score, as far as known.
        known_leads: every Lead found so far, under itself, so that equal ones are stored once.
    """

    def __init__(self, turn):
        """Read the rules of a turn of sets.

        Args:
            turn: what the header says of the turn. Its dice are given by kind: how many, and the weights of the faces.
        """
        self.rules = turn
        self.full_hand = tuple(count for count, _ in turn["dice"])  # how many dice there are of each kind
        self.weights = [tuple(weights) for _, weights in turn["dice"]]  # by kind of dice and face
        self.groups = groups_of(turn)
        self.specials = [Special(*row) for row in turn["specials"]]
        self.doubled = [Special(*row) for row in turn["doubled"]]
        self.void_faces_of_set = {}  # by counts of a set that must be confirmed
        for group in self.groups:
            if group.void_faces is not None:
                self.void_faces_of_set[tuple(group.counts)] = tuple(group.void_faces)
        self.points_of_set = {}  # by counts, None for a set that does not score; filled by ``most_points``
        self.parts_of_shape = {}  # by counts; filled by ``scoring_parts``
        self.known_leads = {}  # Lead -> the same Lead

    def modes_of_start(self, takes_over):
        """Return the modes in which a turn may begin. None is the mode of a turn that begins anew, with all dice.

        Args:
            takes_over: whether a turn may also begin with any dice that the player before has left.
        """
        modes = [None]
        if takes_over:
            must_roll = True
            modes += [(hand, must_roll) for hand in parts_of(self.full_hand) if any(hand)]
        return modes

    def open_mode(self, mode):
        """Return when the player may stop in a mode, and the throws of which the player may make any.

        Args:
            mode: (dice by kind, whether they must be rolled, faces that make the roll void one by one); () without a
                roll; None where the turn begins.

        Returns:
            NEVER, COUNTING or ALWAYS, and a list of throws: lists of (weight, offers), one for each roll.

        Raises:
            CannotJudgeError: every roll of a throw is made again.
        """
        rules = self.rules
        if mode is None:  # a decision, how many dice to roll, is stated as a throw with a single roll of weight 1
            only_roll = (1, self.first_hands())
            return NEVER, [[only_roll]]
        if mode == ():
            return ALWAYS, []
        hand, must_roll, *void_faces = mode
        throws = [self.throw(hand, self.specials, void_faces)]
        if must_roll and self.doubled:  # the player may double the roll, to which other special rolls apply
            throws.append(self.throw(hand, self.doubled, void_faces))
        require(all(throws), "at least one roll must count")
        if must_roll or rules["stop"] == "all":  # with "all" one stops only when all dice are set aside
            return NEVER, throws
        if rules["below"] == "throw":  # who has too few points for a bank that counts has to roll
            return COUNTING, throws
        return ALWAYS, throws

    def first_hands(self):
        """Return the offers at the beginning of a turn: how many dice of the first kind are rolled."""
        dice_of_first_kind, *dice_of_others = self.full_hand
        numbers = range(1, dice_of_first_kind + 1) if self.rules["choose"] else [dice_of_first_kind]
        must_roll = True
        return tuple(Lead(((dice, *dice_of_others), must_roll)) for dice in numbers)

    def throw(self, hand, specials, void_faces):
        """Return the throw of a hand: the weight and the offers of every roll, less those that are made again.

        Void rolls are made again until one is not void. To leave them out gives the others the conditional
        probabilities that they have in the end (H2).

        Args:
            hand: the number of dice by kind.
            specials: the special rolls that apply.
            void_faces: faces that make the roll void if any die shows them.
        """
        # By kind of dice, pairs of a weight and the counts of the faces.
        rolls_by_kind = [rolls(dice, weights) for dice, weights in zip(hand, self.weights, strict=True)]
        throw = []
        for roll_of_each_kind in product(*rolls_by_kind):
            roll = [counts for _, counts in roll_of_each_kind]
            is_void = any(counts[face] for counts in roll for face in void_faces)
            if is_void:
                continue
            offers = self.offers(hand, roll, specials)
            if offers != VOID_OFFERS:  # a special roll can be void too
                weight = prod(weight_of_kind for weight_of_kind, _ in roll_of_each_kind)
                throw.append((weight, offers))
        return throw

    def offers(self, hand, roll, specials):
        """Return the offers of a roll: those of the first special roll that fits, or the sets to set aside, or a bust.

        Args:
            hand: the number of dice by kind.
            roll: by kind, the counts of the faces.
            specials: the special rolls that apply; the first that fits counts.
        """
        counts = tuple(map(sum, zip(*roll, strict=True)))  # by face, of all kinds of dice together
        for special in specials:
            has_enough = all(map(le, special.min_counts, counts))  # of every face
            has_not_too_many = all(map(le, counts, special.max_counts))
            if has_enough and has_not_too_many:
                return (self.special_offer(hand, roll, special),)
        # All sets that the rules allow are offered (H3, H4).
        leads = [self.lead(hand, scoring_set) for scoring_set in self.sets_to_take(roll)]
        # Different sets may lead to the same mode with the same points. Equal leads of all rolls are stored once.
        distinct_leads = tuple(self.known_leads.setdefault(lead, lead) for lead in dict.fromkeys(leads))
        return distinct_leads or BUST_OFFERS

    def special_offer(self, hand, roll, special):
        """Return the only offer of a special roll: the ending or the Lead that its effect says.

        Args:
            hand: the number of dice by kind.
            roll: by kind, the counts of the faces.
            special: the special roll that it is.
        """
        effect = special.effect
        # The turn ends without points; or the roll is void, and ``throw`` leaves it out, as it is made again.
        if effect in ("bust", "win", "wipe", "void"):
            return effect, 0
        if effect == "drop":
            return self.lead_of_drop(hand, roll, special)
        # The turn goes on in a mode (dice to roll by kind, whether they must be rolled). In the mode () one can only
        # stop.
        mode_of_effect = {
            "score": self.mode_once_no_dice_remain(),
            "again": (self.full_hand, True),
            "same": (hand, False),
            "roll": (self.full_hand, False),
            "end": (),
        }
        return Lead(mode_of_effect[effect], special.points, special.times)

    def lead_of_drop(self, hand, roll, special):
        """Return the Lead of a special roll with the effect "drop": dice that show the last face are out of the turn.

        The others must be rolled, unless points are added or kept: then the player may also stop.

        Args:
            hand: the number of dice by kind.
            roll: by kind, the counts of the faces.
            special: the special roll that it is, with the points that are added and what the turn points are multiplied
                by: 0 if they are lost.
        """
        dropped_dice = [counts[-1] for counts in roll]
        remaining_hand = tuple(map(sub, hand, dropped_dice))
        require(any(remaining_hand), "a special roll must not drop all dice")
        must_roll = not (special.times or special.points)
        return Lead((remaining_hand, must_roll), special.points, special.times)

    def mode_once_no_dice_remain(self):
        """Return the mode that follows when all dice are set aside: all are rolled again, or the turn can only stop.

        By the rule ``hot`` the player may roll all dice again (``free``), has to (``must``), or cannot (``none``). By
        ``once`` a turn has a single roll.
        """
        if self.rules["once"] or self.rules["hot"] == "none":
            return ()  # no dice to roll
        must_roll = self.rules["hot"] == "must"
        return self.full_hand, must_roll

    def sets_to_take(self, roll):
        """Return the sets of dice that the rules allow to set aside of a roll, as ScoringSets.

        By the rule ``take`` these are ``free``: all sets that score; ``all-or-none``: the whole roll, if it scores; or
        ``all``: the best set, and with ``leave`` the best set without some of its dice.

        Args:
            roll: by kind, the counts of the faces.
        """
        rules = self.rules
        takes_whole_roll = rules["take"] == "all-or-none"
        shape = tuple(map(sum, zip(*roll, strict=True)))  # counts of the faces, of all kinds of dice together
        sets = []
        for counts in self.scoring_parts(shape):
            if takes_whole_roll and counts != shape:
                continue
            points = self.most_points(counts)
            sets += [ScoringSet(points, sum(counts), by_kind, counts) for by_kind in ways_to_choose(counts, roll)]
        if rules["take"] != "all" or not sets:
            return sets
        # ScoringSets are compared by their fields in order: the best has the most points, and of these the most dice.
        # With several kinds of dice there may be several best sets, with the same faces on different dice.
        best_counts = max(sets).counts
        best_sets = [scoring_set for scoring_set in sets if scoring_set.counts == best_counts]
        return [scoring_set for scoring_set in sets if any(self.may_leave(best, scoring_set) for best in best_sets)]

    def scoring_parts(self, shape):
        """Return the parts of a roll that score and hold at most ``most`` dice, as counts by face.

        Which faces score together does not depend on the kinds of the dice that show them. So the parts are listed
        once for all rolls of the same shape.

        Args:
            shape: by face, the number of dice of all kinds that show it.
        """
        if shape not in self.parts_of_shape:
            self.parts_of_shape[shape] = [
                counts
                for counts in parts_of(shape)
                if 0 < sum(counts) <= self.rules["most"] and self.most_points(counts) is not None
            ]
        return self.parts_of_shape[shape]

    def most_points(self, counts):
        """Return the most points that dice score if they are split into groups; None if some die is in no group.

        One group g is set aside, and the other dice are split in the same way. So with the counts c of all dice it is

            most points(c) = the largest of  points(g) + most points(c - g)  over the groups g that are part of c

        If the rule ``whole`` is set, dice are never split: then g has to be all of the dice.

        Args:
            counts: by face, the number of dice.
        """
        if not any(counts):
            return 0
        if counts in self.points_of_set:
            return self.points_of_set[counts]
        totals = []
        for group in self.groups:
            if not all(map(le, group.counts, counts)):
                continue
            other_dice = tuple(map(sub, counts, group.counts))  # counts by face
            has_other_dice = any(other_dice)
            if self.rules["whole"] and has_other_dice:
                continue
            other_points = self.most_points(other_dice)
            if other_points is not None:
                totals.append(group.points + other_points)
        self.points_of_set[counts] = max(totals, default=None)
        return self.points_of_set[counts]

    def may_leave(self, best, candidate):
        """Return whether a set may be taken in place of the best one, by leaving some of its dice in the hand.

        It may if three conditions hold (the best set itself fulfils all of them):

        - The candidate is a part of the best set.
        - Every die that is left in the hand shows a face that ``leave`` names.
        - The points of the candidate, plus those of each die left if it were set aside alone, are those of the best
          set.

        Args:
            best: the ScoringSet of a roll that scores most. Its ``counts`` are the number of dice by face; its
                ``by_kind`` has such counts for each kind of dice.
            candidate: a ScoringSet of the same roll.
        """
        for best_counts, candidate_counts in zip(best.by_kind, candidate.by_kind, strict=True):
            is_part = all(map(le, candidate_counts, best_counts))
            if not is_part:
                return False
        points_of_dice_left = 0
        dice_left_by_face = map(sub, best.counts, candidate.counts)
        for face, dice_left in enumerate(dice_left_by_face):
            if dice_left == 0:
                continue
            if face not in self.rules["leave"]:
                return False
            points_of_dice_left += dice_left * self.points_of_single_die(face, face_count=len(best.counts))
        return candidate.points + points_of_dice_left == best.points

    def points_of_single_die(self, face, face_count):
        """Return the points that a single die with this face scores; 0 if it scores only with others."""
        counts = tuple(int(other_face == face) for other_face in range(face_count))
        return self.most_points(counts) or 0

    def lead(self, hand, scoring_set):
        """Return the Lead by which a turn goes on when dice are set aside: it adds what they score.

        Its mode is (dice to roll by kind, whether they must be rolled, faces that make the roll void one by one).

        Args:
            hand: the number of dice by kind, before.
            scoring_set: the dice that are set aside.
        """
        points = scoring_set.points
        times = 1  # the turn points are kept
        dice_by_kind = map(sum, scoring_set.by_kind)
        remaining_hand = tuple(map(sub, hand, dice_by_kind))
        has_remaining_dice = any(remaining_hand)
        if self.rules["once"]:  # a turn has a single roll: in the mode () the player can only stop
            return Lead((), points, times)
        void_faces = self.void_faces_of_set.get(scoring_set.counts)
        if void_faces is not None:  # the next roll must be made, to confirm the set
            next_hand = remaining_hand if has_remaining_dice else self.full_hand
            return Lead((next_hand, True, *void_faces), points, times)
        if has_remaining_dice:
            return Lead((remaining_hand, False), points, times)
        return Lead(self.mode_once_no_dice_remain(), points, times)


class CrewTurn:
    """A turn of Battleship: set faces aside in their order, then count the two dice that are left.

    A mode is (casts left, number of faces set aside, face of a die that is kept, or 0). A cast is a roll of the turn.

    Attributes:
        rules: the part ``turn`` of the header.
    """

    def __init__(self, turn):
        """Read the rules of a turn of Battleship.

        Args:
            turn: what the header says of the turn.
        """
        self.rules = turn

    def modes_of_start(self, takes_over):
        """Return no modes: they are opened when a turn comes to them."""
        return []

    def open_mode(self, mode):
        """Return when the player may stop in a mode, which is NEVER, and a list of the only throw.

        After it the player may roll again, and keep one of the dice that count or none, or banks the sum of these dice.

        Args:
            mode: (casts left before this roll, number of faces set aside, face of a die that is kept, or 0); None where
                the turn begins.
        """
        order = self.rules["order"]  # the faces to set aside, one after the other
        first_mode = (self.rules["casts"], 0, 0)
        casts_left, aside_count, kept_face = mode or first_mode
        kept_dice = [kept_face] if kept_face else []  # as faces
        # There are two dice more than faces to set aside.
        dice_to_roll = len(order) + 2 - aside_count - len(kept_dice)
        was_complete = aside_count == len(order)
        # ``alone`` says whether one die may be kept after the roll that completes the order, and after later rolls.
        after_completing, after_later_rolls = self.rules["alone"]
        may_keep_one = after_later_rolls if was_complete else after_completing
        throw = []
        for weight, counts in rolls(dice_to_roll, (1,) * self.rules["faces"]):
            new_faces = self.faces_to_set_aside(counts, order[aside_count:])
            # The faces of the dice that are not set aside: the two that count, once the order is complete.
            free_dice = kept_dice + self.other_dice(counts, new_faces)
            offers = self.offers(casts_left - 1, aside_count + len(new_faces), free_dice, may_keep_one)
            throw.append((weight, offers))
        return NEVER, [throw]

    def offers(self, casts_left, aside_count, free_dice, may_keep_one):
        """Return the offers after a roll: to roll again, and keep one of the free dice or none; or to bank.

        Args:
            casts_left: how many rolls are left after this one.
            aside_count: the number of faces that are set aside.
            free_dice: the faces of the other dice, of which one may be kept, and whose sum is banked.
            may_keep_one: whether one may be kept once all faces are set aside.
        """
        is_complete = aside_count == len(self.rules["order"])
        offers = []
        if casts_left > 0:
            faces_to_keep = {0, *free_dice} if is_complete and may_keep_one else {0}  # 0: none is kept
            offers += [Lead((casts_left, aside_count, face)) for face in faces_to_keep]
        if is_complete or casts_left == 0:
            points = sum(free_dice) if is_complete else 0
            offers.append(("bank", points))
        return tuple(offers)

    def faces_to_set_aside(self, counts, missing_faces):
        """Return the faces that a roll adds to those set aside: as many of the missing ones as show without a gap.

        Args:
            counts: by face from 1 on, how many dice of the roll show it.
            missing_faces: the faces that are not set aside yet, in their order.
        """
        return list(takewhile(lambda face: counts[face - 1] > 0, missing_faces))

    def other_dice(self, counts, aside_faces):
        """Return the faces of the dice of a roll that are not set aside.

        Args:
            counts: by face from 1 on, how many dice of the roll show it.
            aside_faces: faces of which one die each is set aside.
        """
        dice = []
        for face, count in enumerate(counts, 1):
            other_count = count - 1 if face in aside_faces else count
            dice += [face] * other_count
        return dice


class BoxesTurn:
    """A turn of a scorecard: roll, keep any dice, roll the others; then fill one box, or two if the rules say so.

    A mode is (throws left, whether this is the first throw, counts of the dice that lie). The dice of a throw fall one
    by one, each as a throw of its own. The probabilities are the same, and sets of dice that lie are shared.

    Attributes:
        rules: the part ``turn`` of the header.
    """

    def __init__(self, turn):
        """Read the rules of a turn of a scorecard.

        Args:
            turn: what the header says of the turn.
        """
        self.rules = turn

    def modes_of_start(self, takes_over):
        """Return no modes: they depend on the throws that are saved."""
        return []

    def open_mode(self, mode):
        """Return when the player may stop in a mode, which is NEVER, and a list of the only throw.

        While dice are in the hand the throw is one die. When all dice lie it is no roll but a decision: to keep any
        part of them, or to fill a box. Such a decision is stated as a throw with a single roll of weight 1.

        The ending of a filled box is (table, (counts, throws saved)), where other endings have (word, points). The
        table of points is "first" after the first throw, if the rules have such a table, else "scores".

        Args:
            mode: (throws left, whether this is the first throw, counts of the dice that lie).
        """
        throws_left, is_first, counts = mode
        if sum(counts) < self.rules["dice"]:
            return NEVER, [self.throw_of_die(mode)]
        table = "first" if is_first and self.rules["first"] else "scores"
        saved_throws = min(throws_left, self.rules["saved"])
        offers = [(table, (counts, saved_throws))]
        if throws_left > 0:
            kept_parts = [part for part in parts_of(counts) if sum(part) < self.rules["dice"]]
            is_first_throw = False
            offers += [Lead((throws_left - 1, is_first_throw, part)) for part in kept_parts]
        only_roll = (1, tuple(offers))
        return NEVER, [[only_roll]]

    def throw_of_die(self, mode):
        """Return the throw of one die more: by face its weight, and the lead to the mode with that die.

        Args:
            mode: (throws left after this one, whether this is the first throw, counts of the dice that lie).
        """
        throws_left, is_first, counts = mode
        throw = []
        for face, weight in enumerate(self.rules["weights"]):
            next_counts = list(counts)
            next_counts[face] += 1
            lead = Lead((throws_left, is_first, tuple(next_counts)))
            throw.append((weight, (lead,)))
        return throw


class TilesTurn:
    """A turn of Shut the Box: shut tiles that add up to the dice. A mode is the tiles that stand.

    Attributes:
        rules: the part ``turn`` of the header.
    """

    def __init__(self, turn):
        """Read the rules of a turn of Shut the Box.

        Args:
            turn: what the header says of the turn.
        """
        self.rules = turn

    def modes_of_start(self, takes_over):
        """Return no modes: a turn begins with all tiles."""
        return []

    def open_mode(self, mode):
        """Return when the player may stop in a mode, which is NEVER, and a list of a throw for every number of dice.

        A player rolls two dice. If the rules allow it, one die may be rolled while no tile above 6 stands, or with
        ``by_sum`` while the tiles that stand add up to 6 or less.

        Args:
            mode: the tiles that stand, in ascending order, at least one; None for all of them.
        """
        standing = mode or tuple(range(1, self.rules["tiles"] + 1))
        offers_by_total = self.offers_by_total(standing)
        offers_if_stuck = (("bank", self.points_left(standing)),)
        highest_tile = standing[-1]
        deciding_number = sum(standing) if self.rules["by_sum"] else highest_tile
        may_roll_one = self.rules["one"] and deciding_number <= 6
        throws = []
        for dice in (2, 1) if may_roll_one else (2,):
            throw = []
            for weight, counts in rolls(dice, (1,) * 6):
                total = sum(map(mul, counts, range(1, 7)))  # counts are by face from 1 to 6
                throw.append((weight, tuple(offers_by_total.get(total, offers_if_stuck))))
            throws.append(throw)
        return NEVER, throws

    def offers_by_total(self, standing):
        """Return total of the dice -> offers: the ways to shut tiles that add up to it, by the tiles that remain.

        Args:
            standing: the tiles that stand, in ascending order.
        """
        offers_by_total = {}
        most_shut = self.rules["most"] or len(standing)  # 0 in the header if there is no limit
        least_remaining = max(0, len(standing) - most_shut)
        for remaining_count in range(least_remaining, len(standing)):  # at least one tile is shut
            for remaining in combinations(standing, remaining_count):
                total = sum(standing) - sum(remaining)
                offer = Lead(remaining) if remaining else ("bank", 0)  # with no tile left the turn ends
                offers_by_total.setdefault(total, []).append(offer)
        return offers_by_total

    def points_left(self, standing):
        """Return the points of tiles that stand: their sum, or with ``digits`` the number that they are read as.

        Args:
            standing: the tiles that stand, at least one.
        """
        return int("".join(map(str, standing))) if self.rules["digits"] else sum(standing)


class TouchTurn:
    """A turn of Booby Trap: touch a piece, feel how it sits, then take it or pass.

    A mode is (sizes that may be touched, whether one may pass), and (size, feel) once a piece is taken. Sizes are
    numbered from 0, from large to small; feels by their place in the list of chances.

    Attributes:
        rules: the part ``turn`` of the header.
    """

    def __init__(self, turn):
        """Read the rules of a turn of Booby Trap.

        Args:
            turn: what the header says of the turn.
        """
        self.rules = turn

    def modes_of_start(self, takes_over):
        """Return no modes: they depend on the pieces that are left."""
        return []

    def open_mode(self, mode):
        """Return when the player may stop in a mode, which is NEVER, and the throws of which the player may make any.

        Args:
            mode: (size, feel) once a piece is taken: whether it trips the bar is one throw. Before, (sizes that may be
                touched, whether one may pass): how the piece feels is a throw for each size.
        """
        is_taken = isinstance(mode[0], int)  # else it is a tuple of sizes
        if is_taken:
            size, feel = mode
            return NEVER, [self.throw_of_taking(size, feel)]
        sizes, may_pass = mode
        return NEVER, [self.throw_of_touching(size, may_pass) for size in sizes]

    def throw_of_taking(self, size, feel):
        """Return whether a piece trips the bar or holds, as a throw: a weight and the only offer of either outcome.

        Args:
            size: the number of the size of the piece.
            feel: the number of its feel. The probability of a trip is given as a fraction by size and feel.
        """
        trip_weight, total_weight = self.rules["trips"][size][feel]
        hold_weight = total_weight - trip_weight
        trip_ending = ("trip", size)
        hold_ending = ("won", size)
        return [(trip_weight, (trip_ending,)), (hold_weight, (hold_ending,))]

    def throw_of_touching(self, size, may_pass):
        """Return how a piece of this size feels, as a throw: it may be taken, or one may pass.

        Args:
            size: the number of the size of the piece.
            may_pass: whether the player may pass after feeling it.
        """
        chances = self.rules["chances"][size]  # by feel, as a numerator and a denominator
        # Over the common denominator of the chances the numerators are whole weights.
        common_denominator = lcm(*(denominator for _, denominator in chances))
        throw = []
        for feel, (numerator, denominator) in enumerate(chances):
            weight = numerator * common_denominator // denominator
            take_offer = Lead((size, feel))
            offers = (("pass", 0), take_offer) if may_pass else (take_offer,)  # passing is listed first (H10)
            if weight:
                throw.append((weight, offers))
        return throw


TURN_CLASSES = {"sets": SetsTurn, "crew": CrewTurn, "boxes": BoxesTurn, "tiles": TilesTurn, "touch": TouchTurn}


# --- 4. Matches --------------------------------------------------------------------------------------------------
#
# ``endings(state, word, points, hand)`` returns where an ending of a turn leads, as a list of Leaf. If there are
# several, the mover chooses among them. Its arguments:
#
# - state: the name of the state in which the turn began, a tuple of whole numbers; each class says what they mean;
# - word and points: the ending, for example ("bank", 6);
# - hand: the number of dice by kind that the turn leaves, where turns are taken over, else ().


GAME_OVER = None  # in place of a state, in a Leaf


class Leaf(NamedTuple):
    """Where an ending of a turn leads.

    payments: what is paid to each seat, from the mover on.
    state: the state that follows, or GAME_OVER.
    seats_on: how many seats after the mover of this turn the mover of that state sits.
    """

    payments: list
    state: tuple | None
    seats_on: int = 0


class Limits(NamedTuple):
    """Limits on the turn points of a turn that begins in a state. A turn that is cut is no longer followed.

    counting: a bank counts from so many turn points on.
    stop_cut: from so many on, the turn of a player who may bank is cut.
    later_cut: from so many on, every turn is cut.
    room: no choice may lead to more.
    """

    counting: int = 0
    stop_cut: float = inf
    later_cut: float = inf
    room: float = inf


def win_shares(scores):
    """Return each seat's share of a win: 1 for the best score, divided equally if several have it; 0 for the others.

    Args:
        scores: the scores by seat; the shares are in the same order.
    """
    best = max(scores)
    winner_count = scores.count(best)
    return [Fraction(int(score == best), winner_count) for score in scores]


class Match:
    """The common part of all kinds of matches: the rules between turns.

    A state is a tuple of whole numbers; every class says what they are.

    Attributes:
        header: the header of the certificate.
        rules, turn, cut: the parts ``match``, ``turn`` and ``cut`` of the header.
        players, objective: the number of players, and what is optimized.
        target: the score that ends a race or a match; 0 if there is none.
        lowest: whether the lowest points are best.
    """

    has_won_at_cut = True  # whether banking at the cut of a race wins; ``limits`` sets it for the turn of its state
    takes_over = False  # whether a turn may begin with the points and dice that the player before has left
    lists_choices = False  # whether equal choices are told apart by their order (H10)

    def __init__(self, header):
        """Read the rules of a match.

        Args:
            header: the header of a certificate, which has been checked.
        """
        self.header = header
        self.turn = header["turn"]
        self.rules = header["match"]
        self.cut = header["cut"]  # where turns are no longer followed; empty if all are
        self.players = header["players"]
        self.objective = header["objective"]
        self.lowest = self.turn.get("lowest", False)  # whether the lowest points are best
        self.target = self.rules.get("target", 0)

    def first_state(self):
        """Return the state in which the game must begin."""
        raise NotImplementedError

    def begins_at(self, state):
        """Return whether the game may begin in a state."""
        return state == self.first_state()

    def turn_number(self, state):
        """Return which turn of the header is played in a state: 0, or the seat to move if each seat has a turn."""
        return 0

    def starts(self, state):
        """Return how a turn may begin in a state: pairs of a mode and turn points, of which the mover chooses one."""
        return [(None, 0)]

    def score_of(self, state):
        """Return the mover's score; 0 if an opening does not depend on it."""
        return 0

    def counting_from(self, state):
        """Return from how many turn points on a bank counts in a state.

        A bank needs the minimum, and from a score of 0 or less also the opening. Unless the lowest points are best it
        needs 1 point at least.

        Args:
            state: the state in which the turn begins.
        """
        least_points = 0 if self.turn["lowest"] else 1
        opening = 0 if self.score_of(state) > 0 else self.turn["opening"]
        return max(least_points, self.turn["minimum"], opening)

    def limits(self, state):
        """Return the Limits on the turn points of a turn from a state; without any if it is not a turn of sets.

        Args:
            state: the state in which the turn begins.
        """
        if self.turn["kind"] != "sets":
            return Limits()
        counting = self.counting_from(state)  # a bank counts from so many on
        # Turns of players who may bank are cut from the level on, others ``past`` points later. Without a level in the
        # header no turn is cut.
        stop_cut = max(counting, self.cut.get("level", inf))
        later_cut = stop_cut + self.cut.get("past", inf)
        room = self.turn["above"] or inf  # the limit on turn points; 0 in the header if there is none
        return Limits(counting, stop_cut, later_cut, room)


class ScoreMatch(Match):
    """Scores that busts can cost: a race, and a turn alone.

    Attributes:
        costs: by number of busts in a row before it, what one more bust costs; empty if busts cost nothing.
    """

    def __init__(self, header):
        """Read the rules of a match, and by number of busts in a row before what one more costs."""
        super().__init__(header)
        self.costs = self.turn.get("costs", [])

    def score_of(self, state):
        """Return the mover's score."""
        return state[0]

    def busts_in_a_row_after(self, busts):
        """Return how many busts in a row are counted after one more bust.

        Each bust in a row has a cost of its own. After the last cost the count begins anew at 0, or with the rule
        ``stays`` it remains, so that the last cost is repeated.

        Args:
            busts: the number of busts in a row before.
        """
        is_last_cost = busts + 1 == len(self.costs)
        if is_last_cost and self.turn["stays"]:
            return busts
        return (busts + 1) % len(self.costs)


class TurnMatch(ScoreMatch):
    """One turn, for ``points`` or ``rate``. State: 0, or 1 once a bank has counted; busts in a row if they cost.

    Attributes:
        objective, lowest: what is optimized, and whether the lowest points are best.
        costs: by number of busts in a row before it, what one more bust costs; empty if busts cost nothing.
    """

    def begins_at(self, state):
        """Return whether the game may begin in a state: before the first bank, or after it."""
        no_busts = [0] if self.costs else []
        return state[0] in (0, 1) and state[1:] == no_busts

    def endings(self, state, word, points, hand=()):
        """Return where an ending of a single turn leads: to the end for ``points``, to the next turn for ``rate``.

        Args:
            state: 0, or 1 once a bank has counted; then the busts in a row, if busts cost points.
            word: the ending, for example "bank" or "bust".
            points: the points that it brings.
            hand: not used.

        Returns:
            A list of one Leaf: what is paid, and the state that follows.
        """
        is_bust = word == "bust"
        busts = state[1] if self.costs else 0
        payment = -points if self.lowest else points  # a roll that wins or wipes brings no points
        if is_bust and self.costs:
            payment = -self.costs[busts]  # by busts in a row before this one
        if self.objective == "points":
            return [Leaf([payment], GAME_OVER)]
        # For the rate, which only games with costs have, the same player goes on.
        has_banked = state[0] | (points > 0)  # 1 once a bank has counted, else 0
        next_busts = self.busts_in_a_row_after(busts) if is_bust else 0
        return [Leaf([payment], (has_banked, next_busts), seats_on=0)]


class RaceMatch(ScoreMatch):
    """A race to a target, for ``turns``, ``reach`` and ``win``.

    State: scores from the mover on; their busts in a row if they cost; for ``reach`` the turns left; with turns taken
    over the points and dice that are offered.

    Attributes:
        goal: the score to reach: for ``reach`` that of the parameters, else the target.
        reach: whether the objective is ``reach``.
        last_round, exact: whether the race ends with a last round; whether the target must be hit exactly.
        takes_over: whether turns can be taken over.
        costs: by number of busts in a row before it, what one more bust costs; empty if busts cost nothing.
        rules, turn, cut, players, target: the parts ``match``, ``turn`` and ``cut`` of the header, the number of
            players, and the score that ends the race.
        has_won_at_cut: whether banking where the present turn is cut wins the race; set by ``limits``.
    """

    def __init__(self, header):
        """Read the rules of a race.

        Args:
            header: the header of a certificate, which has been checked.
        """
        super().__init__(header)
        self.reach = self.objective == "reach"
        self.last_round = self.rules["finish"] == "last_round"
        self.exact = self.rules["finish"] == "exact"
        self.takes_over = self.rules["takes"] != "none"
        self.goal = header["parameters"]["goal"] if self.reach else self.target

    def first_state(self):
        """Return the state in which the game must begin."""
        scores = [0] * self.players
        busts = [0] * self.players if self.costs else []
        turns_left = [self.header["parameters"]["turns"]] if self.reach else []
        offered = [0] * (1 + len(self.turn["dice"])) if self.takes_over else []
        return scores + busts + turns_left + offered

    def starts(self, state):
        """Return how a turn may begin: anew, or with the points and dice that the player before has left.

        Args:
            state: ends with the points that are offered, 0 for none, and the dice by kind.

        Returns:
            Pairs of a mode and turn points. The mode None begins a turn anew; (dice by kind, True) rolls these dice.
        """
        starts = [(None, 0)]
        if self.takes_over:
            offered_numbers = 1 + len(self.turn["dice"])  # the points, and the dice of each kind
            points, *hand = state[-offered_numbers:]
            if points > 0:
                must_roll = True
                starts.append(((tuple(hand), must_roll), points))
        return starts

    def counting_from(self, state):
        """Return from how many turn points on a bank counts in a state, which begins with the mover's score.

        If the rules waive the minimum for a win, a bank that reaches the target counts in any case.
        """
        counting = super().counting_from(state)
        if not self.turn["waived"]:
            return counting
        score = state[0]
        missing_points = max(1, self.target - score)
        return min(counting, missing_points)

    def limits(self, state):
        """Return the Limits on the turn points of a turn from a state: it is cut once banking wins.

        Nothing is worth more than a win, so what follows need not be looked at (T1, T2). Banking wins at the goal, and
        in the last turn of a last round above the best score of the others. Before the last turn nothing wins at once;
        the turn is cut at the total ``level`` if the header gives one.

        ``has_won_at_cut`` is set to whether banking at the cut of this turn wins.

        Args:
            state: scores from the mover on, then numbers that do not matter here.
        """
        score = state[0]
        next_score = state[1] if self.players > 1 else 0
        # In the last turn of a last round the next player is the one who began it, by reaching the goal.
        is_last_turn = self.last_round and next_score >= self.goal
        self.has_won_at_cut = not self.last_round or is_last_turn
        if self.turn["kind"] != "sets":
            return Limits()  # turns of other kinds are short, and followed to their end
        if is_last_turn:
            best_other_score = max(state[1 : self.players])
            total_to_cut_at = best_other_score + 1
        elif self.last_round:
            total_to_cut_at = self.cut.get("level", inf)
        else:
            total_to_cut_at = self.goal
        counting = self.counting_from(state)  # a bank counts from so many turn points on
        stop_cut = max(counting, total_to_cut_at - score)  # the turn points at which a player who may bank is cut
        later_cut = stop_cut + self.cut.get("past", inf)  # a player who may not bank is cut ``past`` points later
        max_turn_points = self.turn["above"] or inf  # 0 in the header if there is no limit
        points_to_target = self.target - score
        room = points_to_target if self.exact else max_turn_points  # with ``exact`` the target must not be overshot
        return Limits(counting, stop_cut, later_cut, room)

    def score_and_busts(self, state, word, points):
        """Return the mover's score and the mover's busts in a row after an ending: a pair of whole numbers.

        A win counts as a score of the goal.

        Args:
            state: scores from the mover on; then their busts in a row, if busts cost points.
            word: the ending: "bank", "bust", "win" or "wipe", which loses the whole score.
            points: the points that are banked.
        """
        score = state[0]
        if word == "bank":
            return score + points, 0
        if word == "wipe":
            return 0, 0
        if word == "win":
            return self.goal, 0
        if not self.costs:
            return score, 0
        busts = state[self.players]  # the mover's; the state lists the scores of all players first
        lowest_score = min(score, self.turn["floor"])  # a score below the floor stays as it is
        return max(lowest_score, score - self.costs[busts]), self.busts_in_a_row_after(busts)

    def endings(self, state, word, points, hand=()):
        """Return where an ending of a turn leads: to the end if it decides the race, else to the turn of the next seat.

        Args:
            state: scores from the mover on; their busts in a row, if busts cost points; for ``reach`` the turns left;
                the points and dice that the mover could take over, if turns are taken over.
            word: the ending: "bank", "bust", "win" or "wipe".
            points: the points that are banked.
            hand: the dice by kind that the turn leaves to the next player.

        Returns:
            A list of one Leaf: what is paid to each seat from the mover on, and the state that follows, if any.
        """
        players = self.players  # for ``turns`` and ``reach`` there is one player
        score, busts = self.score_and_busts(state, word, points)  # a win counts as a score of the goal
        other_scores = state[1:players]
        # Busts in a row from the next mover on, if they cost points.
        next_busts = (*state[players + 1 : 2 * players], busts) if self.costs else ()
        if self.last_round and word != "win":
            leaf = self.leaf_of_last_round(word, (score, *other_scores), next_busts)
            if leaf is not None:
                return [leaf]
            # The last round has not begun, or it goes on: the next seat moves, as after any ending of a race.
        reaches_goal = score >= self.goal
        counts_turns = self.objective == "turns"
        turn_payment = -1 if counts_turns else 0  # fewest turns: each costs 1
        was_last_of_reach = self.reach and state[-1] == 1  # one turn was left
        if reaches_goal or was_last_of_reach:
            payment = turn_payment if counts_turns else int(reaches_goal)
            payments_of_others = [0] * (players - 1)
            return [Leaf([payment, *payments_of_others], GAME_OVER)]
        offer_or_turns_left = self.offer_or_turns_left(state, word, points, hand)
        next_state = (*other_scores, score, *next_busts, *offer_or_turns_left)
        seats_on = 1 % players  # 0 for one player
        return [Leaf([turn_payment] * players, next_state, seats_on)]

    def leaf_of_last_round(self, word, scores, next_busts):
        """Return the leaf of an ending that begins or ends a last round, or that banks the goal within one.

        None is returned for every other ending. It leads to the next seat's turn like any ending of a race.

        Args:
            word: the ending: "bank", "bust" or "wipe".
            scores: from the mover on, after the ending.
            next_busts: busts in a row from the next mover on; empty if busts cost nothing.
        """
        score, *other_scores = scores
        # If the next player has reached the goal already, that began the last round, and this was its last turn.
        was_last_turn = other_scores[0] >= self.goal
        if was_last_turn:
            return Leaf(win_shares(scores), GAME_OVER)
        if word == "bank" and score >= self.goal:  # the last round begins or goes on
            # The cut states a total, ``level``; a higher score counts as that total. An opponent's last turn against a
            # higher score is worth no more, so lower bounds of the mover stay true. No upper bound depends on it: a
            # turn is cut where a bank would come to ``level``, and there the upper bound is a win (``bounds_at_cut``).
            counted_score = min(score, self.cut.get("level", score))
            return Leaf([0] * self.players, (*other_scores, counted_score, *next_busts), seats_on=1)
        return None

    def offer_or_turns_left(self, state, word, points, hand):
        """Return the last numbers of the next state: what may be taken over, or for ``reach`` the turns left.

        Args:
            state: the state in which the turn began.
            word: the ending.
            points: the points that are banked.
            hand: the dice by kind that the turn leaves.
        """
        if self.takes_over:
            return self.offered(state, word, points, hand)
        if self.reach:
            turns_left = state[-1]
            return (turns_left - 1,)
        return ()

    def offered(self, state, word, points, hand):
        """Return the turn points, and the dice by kind, that the next player may take over; all 0 if there are none.

        Args:
            state: scores from the mover on, then numbers that do not matter here.
            word: the ending; only a bank offers anything.
            points: the points that are banked.
            hand: the dice by kind that the turn leaves.
        """
        next_score = state[1]
        # By the rule ``takes`` the next player may take over always (``free``), or with a score above 0 (``opened``).
        may_take_over = self.rules["takes"] == "free" or next_score > 0
        fits = not self.exact or next_score + points <= self.goal  # an exact target must not be overshot
        if word == "bank" and points and hand and may_take_over and fits:
            return (points, *hand)
        return (0,) * (1 + len(self.turn["dice"]))


class SeatsMatch(Match):
    """A race of players with rules of their own, for ``win``. State: scores from the mover on; the seat to move.

    A turn and its endings follow the rules of the seat to move: they are those of a race in which all players have
    these rules. Then the next seat moves (H3, H4). Scores of two seats are never compared.

    Attributes:
        races: by seat, the RaceMatch in which all players have the rules of that seat.
    """

    def __init__(self, header):
        """Read the rules of a match.

        Args:
            header: the header of a certificate, which has been checked.
        """
        super().__init__(header)
        self.races = [RaceMatch(header_of_seat(header, seat)) for seat in range(self.players)]

    def first_state(self):
        """Return the state in which the game must begin: seat 0 moves, and all have their head starts."""
        return [*self.rules["head_starts"], 0]

    def turn_number(self, state):
        """Return the seat to move.

        Raises:
            CannotJudgeError: the state does not have a score for each player and a seat.
        """
        names_seat = len(state) == self.players + 1 and 0 <= state[-1] < self.players
        require(names_seat, f"state {state} must be {self.players} scores and the seat to move, from 0 on")
        return state[-1]

    def limits(self, state):
        """Return the Limits on the turn points of a turn from a state: those of a race with the rules of its mover."""
        *scores, seat = state
        return self.races[seat].limits(tuple(scores))

    def endings(self, state, word, points, hand=()):
        """Return where an ending of a turn leads: to the end if the mover has won, else to the turn of the next seat.

        Args:
            state: the scores from the mover on; the seat to move.
            word: the ending: "bank", "bust", "win" or "wipe".
            points: the points that are banked.
            hand: not used.

        Returns:
            A list of one Leaf: what is paid to each seat from the mover on, and the state that follows, if any.
        """
        *scores, seat = state
        next_seat = (seat + 1) % self.players
        (leaf,) = self.races[seat].endings(tuple(scores), word, points)
        if leaf.state is GAME_OVER:
            return [leaf]
        return [leaf._replace(state=(*leaf.state, next_seat))]


class RoundsMatch(Match):
    """Rounds of a turn each, for ``win`` and ``margin``; then playoffs of those who tie.

    State: round; those who play off as bits, 0 if there is no playoff; seat to move; totals by seat. Rounds are
    numbered from 1, or are all 0 if the match goes to a target. Totals are relative to the lowest if there is no
    target. In a playoff of a match for ``margin``, a seat that is out has minus what it owes as its total.

    Attributes:
        rules, players, objective: the part ``match`` of the header, the number of players, and what is optimized.
        target, lowest: the total that ends the match, 0 if there is none; whether the lowest points are best.
    """

    def first_state(self):
        """Return the state in which the game must begin."""
        first_round = 0 if self.target else 1  # rounds are not counted if there is a target
        no_playoff = 0
        first_seat = 0
        totals = [0] * self.players
        return [first_round, no_playoff, first_seat, *totals]

    def endings(self, state, word, points, hand=()):
        """Return where an ending of a turn leads: to the end, a playoff, the next seat of the round, or the next round.

        Args:
            state: the round; the seats who play off, as bits, 0 if there is no playoff; the seat to move; totals by
                seat.
            word: the ending; "win" wins the match at once.
            points: the points that it brings.
            hand: not used.

        Returns:
            A list of one Leaf: what is paid to each seat from the mover on, and the state that follows, if any.
        """
        round_number, playoff_mask, seat, *totals = state
        playing = self.playing_seats(playoff_mask)
        total_before = totals[seat]
        totals[seat] += -points if self.lowest else points
        if self.rules["rounds"] == 1 and self.objective != "margin":
            # Whoever is behind after the only round cannot win any more. Such totals count as equal, so that there are
            # fewer states.
            totals = self.raised_totals(totals, playing, seat)
        best_total = max(totals[player] for player in playing)
        next_turn = self.next_turn(round_number, playoff_mask, seat, best_total)
        if next_turn and word != "win":
            next_seat, next_round = next_turn
            return [self.leaf_of_next_turn(seat, next_seat, next_round, playoff_mask, totals)]
        # The last round is over, or a roll has won.
        leaders = [seat] if word == "win" else [player for player in playing if totals[player] == best_total]
        # For ``margin`` a seat owes what it is behind the best total of the rounds.
        if playoff_mask:
            # All players of the playoff had that best total, so they owe nothing. The mover had it before this turn.
            minus_debts = self.minus_debts(totals, best_of_rounds=total_before, without_debt=playing)
        else:
            minus_debts = self.minus_debts(totals, best_of_rounds=best_total, without_debt=[])
        return [self.leaf_after_last_round(seat, round_number, leaders, minus_debts)]

    def leaf_after_last_round(self, seat, round_number, leaders, minus_debts):
        """Return the Leaf after the last round, or after a playoff: the match ends, or those who tie play it off.

        Args:
            seat: the seat that has just had its turn.
            round_number: the round.
            leaders: the seats with the best total.
            minus_debts: by seat, minus the points that it owes for ``margin``; all 0 for ``win``. A playoff begins with
                them as the totals.
        """
        if self.is_settled(leaders, minus_debts):
            return Leaf(self.payments(seat, leaders, minus_debts), GAME_OVER)
        # A playoff of all, without a target, is the last round once more and needs no mask.
        is_last_round_again = not self.target and len(leaders) == self.players
        playoff_mask = 0 if is_last_round_again else sum(1 << leader for leader in leaders)
        return self.leaf_of_next_turn(seat, leaders[0], round_number, playoff_mask, minus_debts)

    def next_turn(self, round_number, playoff_mask, seat, best_total):
        """Return the seat and the round of the next turn; None if the last round or the playoff is over.

        Args:
            round_number: the round of the turn that has ended.
            playoff_mask: the seats of a playoff as bits, 0 for none.
            seat: the seat that has just had its turn.
            best_total: the best total after it.
        """
        later_seats = [player for player in self.playing_seats(playoff_mask) if player > seat]
        if later_seats:
            return later_seats[0], round_number
        # A match has a number of rounds or a target; the other one is 0, so that its condition never holds.
        has_next_round = round_number < self.rules["rounds"] or best_total < self.target
        if playoff_mask or not has_next_round:
            return None
        first_seat = 0
        next_round = round_number if self.target else round_number + 1  # rounds are not counted if there is a target
        return first_seat, next_round

    def playing_seats(self, playoff_mask):
        """Return the seats that play: those of a playoff, or all if there is none.

        Args:
            playoff_mask: the seats of the playoff as bits, 0 for none.
        """
        return [seat for seat in range(self.players) if not playoff_mask or playoff_mask >> seat & 1]

    def leaf_of_next_turn(self, seat, next_seat, round_number, playoff_mask, totals):
        """Return the Leaf for a match that goes on: nothing is paid, and the next seat moves.

        Args:
            seat: the seat that has just had its turn.
            next_seat: the seat to move.
            round_number: the round.
            playoff_mask: the seats of a playoff as bits, 0 for none.
            totals: by seat. Without a target only their differences matter, so the lowest becomes 0.
        """
        if not self.target:
            lowest_total = min(totals)
            totals = [total - lowest_total for total in totals]
        next_state = (round_number, playoff_mask, next_seat, *totals)
        return Leaf([0] * self.players, next_state, (next_seat - seat) % self.players)

    def raised_totals(self, totals, playing, seat):
        """Return totals of a single round that is played to win, in which all who cannot win any more are equal.

        A player who has had the turn and is behind the best cannot win, however far behind. So such a total counts as
        one less than the best: with totals of 9, 2 and 5 the second and third count as 8. This makes fewer states, of
        the same values.

        Args:
            totals: by seat.
            playing: the seats that play the round.
            seat: the seat that has just had its turn.
        """
        seats_done = [player for player in playing if player <= seat]
        lowest_total = max(totals[player] for player in seats_done) - 1
        raised_totals = list(totals)
        for player in seats_done:
            raised_totals[player] = max(totals[player], lowest_total)
        return raised_totals

    def minus_debts(self, totals, best_of_rounds, without_debt):
        """Return by seat minus the points that it owes to the winner of a margin; all 0 for the objective ``win``.

        A seat owes what it is behind the best total of the rounds.

        Args:
            totals: by seat; negated if the lowest points are best, so that the largest total is the best.
            best_of_rounds: the best total of the rounds, before any playoff.
            without_debt: seats that owe nothing whatever their total is now: those of a playoff.
        """
        if self.objective != "margin":
            return [0] * self.players
        minus_debts = [total - best_of_rounds for total in totals]
        for seat in without_debt:
            minus_debts[seat] = 0
        return minus_debts

    def is_settled(self, leaders, minus_debts):
        """Return whether the match is over once its last round is, without a playoff of those who tie.

        It is over with a single best player, if those who tie share the win, or if no player owes anything of a margin.

        Args:
            leaders: the seats with the best total.
            minus_debts: by seat, minus the points that it owes.
        """
        nobody_owes = self.objective == "margin" and not any(minus_debts)
        return len(leaders) == 1 or self.rules["share"] or nobody_owes

    def payments(self, seat, winners, minus_debts):
        """Return what is paid at the end to the seats from the mover on.

        Args:
            seat: the mover's seat.
            winners: the seats who share the win; for ``margin`` they share what all others owe.
            minus_debts: by seat, minus what it owes; 0 for the winners.
        """
        if self.objective == "margin":
            share_of_debts = Fraction(-sum(minus_debts), len(winners))
            by_seat = [share_of_debts if player in winners else debt for player, debt in enumerate(minus_debts)]
        else:
            by_seat = [Fraction(int(player in winners), len(winners)) for player in range(self.players)]
        return by_seat[seat:] + by_seat[:seat]  # from the mover on


class FramesMatch(Match):
    """Frames, in each of which both players have a turn; players who are level after the last frame repeat it.

    State: frame from 1; shooter, 0 or 1; the shooter's lead.

    Attributes:
        rules: the part ``match`` of the header: ``frames`` is the number of frames.
    """

    def first_state(self):
        """Return the state in which the game must begin."""
        return [1, 0, 0]

    def endings(self, state, word, points, hand=()):
        """Return where an ending of a frame leads: to the end if it decides the match, else to the other shooter.

        Who is ahead after the last frame has won. If both are level they shoot the last frame again.

        Args:
            state: the frame, from 1; its shooter, 0 or 1; the shooter's lead.
            word: the ending; "win" wins the match at once.
            points: the points that are banked.
            hand: not used.

        Returns:
            A list of one Leaf: what is paid to the shooter and the other, and the state that follows, if any.
        """
        frame, shooter, lead = state
        if word == "win":
            return [Leaf([1, 0], GAME_OVER)]
        if word == "bank":
            lead += points
        is_last_turn = shooter == 1 and frame == self.rules["frames"]
        if is_last_turn and lead != 0:
            return [Leaf([int(lead > 0), int(lead < 0)], GAME_OVER)]
        next_frame = frame
        if shooter == 1 and not is_last_turn:
            next_frame = frame + 1
        return [Leaf([0, 0], (next_frame, 1 - shooter, -lead), seats_on=1)]


class CardMatch(Match):
    """A scorecard, for ``points``, ``reach`` and ``win``.

    State of one player: filled boxes as bits; upper totals; whether the box ``again`` holds points; the points so far
    with ``ranges`` and for ``reach``; saved throws. State of two: boxes of the mover and of the other; lead.

    Attributes:
        boxes: the numbers of all boxes.
        columns: the Columns, parts of the card with an upper total and its bonuses.
        ranges: pairs of a total and what a card is worth from it on; empty if the points themselves count.
        most_of_box: by box, the most points that it can hold.
        dice_per_box: how many dice of a turn fill one box.
        index_of_roll: by counts of faces, the index of the roll of a box in the tables of points.
        turn, players, objective: the part ``turn`` of the header, the number of players, and what is optimized.
        split_points: by dice, boxes and table, the most points of dice that are split between these boxes, as far as
            known.
    """

    def __init__(self, header):
        """Read the rules of a scorecard.

        Args:
            header: the header of a certificate, which has been checked.
        """
        super().__init__(header)
        turn = self.turn
        self.boxes = range(len(turn["scores"]))
        self.columns = columns_of(turn)  # parts with an upper total and its bonuses
        # Pairs of a total and what a card is worth from it on; empty if the points themselves count. To reach a goal is
        # one such range, which is worth 1.
        self.ranges = [[header["parameters"]["goal"], 1]] if self.objective == "reach" else turn["ranges"]
        # Points by box and roll; "first" holds those of the first throw of a turn, if they differ.
        tables = [turn["scores"], turn["first"] or turn["scores"]]
        self.most_of_box = [max(max(table[box]) for table in tables) for box in self.boxes]
        self.dice_per_box = turn["dice"] // turn["boxes"]  # ``boxes`` are filled in each turn, with as many dice each
        rolls_of_box = rolls(self.dice_per_box, (1,) * len(turn["weights"]))
        self.index_of_roll = {counts: index for index, (_, counts) in enumerate(rolls_of_box)}  # in a row of scores
        self.split_points = {}  # by dice, boxes and table: their points; filled by ``points_of_split``

    def first_state(self):
        """Return the state in which the game must begin."""
        if self.players == 2:
            return [0, 0, 0]
        has_total = bool(self.ranges)
        has_saved = bool(self.turn["saved"])
        return [0] * (2 + len(self.columns) + has_total + has_saved)

    def starts(self, state):
        """Return how a turn begins: with the first throw, of all dice, and with the throws that are saved.

        Args:
            state: ends with the number of throws saved, if throws are saved.

        Returns:
            A list of one pair: the mode (throws left, whether this is the first throw, counts of the dice that lie),
            and turn points, which are always 0.
        """
        saved_throws = state[-1] if self.turn["saved"] else 0
        throws_left = self.turn["throws"] - 1 + saved_throws  # after the first one
        no_dice = (0,) * len(self.turn["weights"])  # by face
        is_first_throw = True
        return [((throws_left, is_first_throw, no_dice), 0)]

    def endings(self, state, table, roll, hand=()):
        """Return where filling boxes of a scorecard leads: one Leaf for every way to fill them that the rules allow.

        Args:
            state: begins with the boxes that the mover has filled, as bits; see ``leaf_alone`` and ``leaf_of_two``.
            table: "scores", or "first" after the first throw of a turn: the table of points that counts.
            roll: the counts of the faces that lie, and the number of throws that are saved.
            hand: not used.
        """
        counts, saved_throws = roll
        filled_boxes = state[0]
        choices = []  # pairs of boxes and the points that they bring
        boxes_per_turn = self.turn["boxes"]
        for boxes in combinations(self.open_boxes(filled_boxes), boxes_per_turn):
            points = self.points_in(filled_boxes, counts, boxes, table)
            if points is not None:
                choices.append((boxes, points))
        # Dice that score in some box may be entered for nothing in another one only if ``zeros`` says so.
        allows_zeros = self.turn["zeros"] or not any(points for _, points in choices)
        allowed = [(boxes, points) for boxes, points in choices if points or allows_zeros]
        if self.players == 2:
            return [self.leaf_of_two(state, table, boxes, points) for boxes, points in allowed]
        return [self.leaf_alone(state, counts, saved_throws, boxes, points) for boxes, points in allowed]

    def open_boxes(self, filled_boxes):
        """Return the boxes that may be filled next: those that are open, with the box that comes before them filled.

        Args:
            filled_boxes: the boxes that are filled, as bits.
        """
        before = self.turn["before"]  # by box, the box that must be filled before it, or -1; empty without an order
        open_boxes = []
        for box in self.boxes:
            is_filled = filled_boxes >> box & 1
            comes_next = not before or before[box] < 0 or filled_boxes >> before[box] & 1
            if not is_filled and comes_next:
                open_boxes.append(box)
        return open_boxes

    def leaf_of_two(self, state, table, boxes, points):
        """Return where filling boxes leads in a match of two scorecards: a Leaf (payments, next state, seats on).

        A player who leads by more than the other can still score has won, unless the other may win at once with a box
        that is open. Nothing that follows can change that, so the match ends there.

        Args:
            state: the boxes that the mover and the opponent have filled, as bits; the mover's lead.
            table: the table of points that counts: "first" after the first throw of a turn, else "scores".
            boxes: the boxes that the mover fills.
            points: what they bring.
        """
        mover_filled, opponent_filled, lead = state
        mover_filled |= sum(1 << box for box in boxes)
        lead += points
        # Boxes that win belong to cards of one box a turn, so the first box is the only one.
        wins_at_once = table == "first" and points > 0 and boxes[0] in self.turn["wins"]
        if wins_at_once:
            return Leaf([1, 0], GAME_OVER)
        mover_open = [box for box in self.boxes if not mover_filled >> box & 1]
        opponent_open = [box for box in self.boxes if not opponent_filled >> box & 1]
        most_of_mover = sum(self.most_of_box[box] for box in mover_open)
        most_of_opponent = sum(self.most_of_box[box] for box in opponent_open)
        mover_may_win_at_once = {*mover_open} & {*self.turn["wins"]}
        opponent_may_win_at_once = {*opponent_open} & {*self.turn["wins"]}
        has_won = lead > most_of_opponent and not opponent_may_win_at_once
        has_lost = lead < -most_of_mover and not mover_may_win_at_once
        is_over = not mover_open and not opponent_open
        if has_won or has_lost or is_over:
            share = Fraction(1, 2) if lead == 0 else Fraction(int(lead > 0))
            return Leaf([share, 1 - share], GAME_OVER)
        return Leaf([0, 0], (opponent_filled, mover_filled, -lead), seats_on=1)

    def leaf_alone(self, state, counts, saved_throws, boxes, points):
        """Return where filling boxes of a single scorecard leads: a Leaf (payments, next state, seats on).

        Args:
            state: the filled boxes as bits; the upper total of each column; whether the box ``again`` holds points; the
                points so far, if the total of the card is worth something; the saved throws, if throws are saved.
            counts: the counts of the faces that lie.
            saved_throws: the number of throws that are saved.
            boxes: the boxes that are filled.
            points: what they bring, without bonuses.
        """
        turn = self.turn
        column_count = len(self.columns)
        upper_totals = state[1 : 1 + column_count]
        has_again_points, *further_numbers = state[1 + column_count :]
        filled_boxes = state[0] | sum(1 << box for box in boxes)
        is_over = state[0].bit_count() + turn["boxes"] == len(self.boxes)  # this turn fills the last boxes
        first_box = boxes[0]  # the only one, if the card has upper totals or a box ``again``
        next_uppers = self.upper_totals_after(upper_totals, first_box, points)
        upper_bonus = self.upper_bonus(next_uppers) if is_over else 0  # it is paid at the end
        is_all_alike = max(counts) == turn["dice"]  # with a box ``again``, all dice of a turn fill one box
        payment = points
        if is_all_alike:  # pays a bonus once the box ``again`` holds points
            payment += turn["bonus"] * has_again_points
        next_total = ()  # of a state without the points so far
        if self.ranges:  # only the total of the whole card is worth something, at the end
            total_before = further_numbers[0]
            total = total_before + payment
            next_total = (total,)
            payment = points_at(self.ranges, total + upper_bonus) if is_over else 0
        else:
            payment += upper_bonus
        if is_over:
            return Leaf([payment], GAME_OVER)
        next_has_again_points = has_again_points
        if first_box == turn["again"]:
            next_has_again_points = int(points > 0 and turn["bonus"] > 0)  # without a bonus it does not matter
        next_saved = (saved_throws,) if turn["saved"] else ()
        return Leaf([payment], (filled_boxes, *next_uppers, next_has_again_points, *next_total, *next_saved))

    def upper_bonus(self, upper_totals):
        """Return the sum of the bonuses of all columns for their upper totals."""
        columns_and_totals = zip(self.columns, upper_totals, strict=True)
        return sum(points_at(column.steps, total) for column, total in columns_and_totals)

    def upper_totals_after(self, upper_totals, box, points):
        """Return the upper total of each column after a box is filled.

        An upper total is counted up to the last step of its column, from where on the bonus grows no more.

        Args:
            upper_totals: the upper total of each column before.
            box: the box that is filled.
            points: the points that are entered in it.
        """
        next_totals = []
        for total, column in zip(upper_totals, self.columns, strict=True):
            next_total = total
            if box in column.boxes:
                last_step_total, _ = max(column.steps)
                next_total = min(total + points, last_step_total)
            next_totals.append(next_total)
        return next_totals

    def points_in(self, filled_boxes, counts, boxes, table):
        """Return the points of dice that are entered in boxes; None if they may not be entered there.

        Dice that are all alike are a joker once the box ``again`` is filled. Then the box of their face, its own box,
        comes first in forced order. In another box a joker counts for ``full`` points once its own box is filled. In
        forced order boxes that are no face's own come before those that are.

        Args:
            filled_boxes: the boxes that are filled, as bits.
            counts: the counts of the faces that lie.
            boxes: the boxes to fill; two only in a card without jokers.
            table: the table of points that counts, "scores" or "first".
        """
        turn = self.turn
        box = boxes[0]
        points = self.points_of_split(counts, boxes, table)
        again = turn["again"]  # -1 if the card has no such box
        again_is_filled = again >= 0 and filled_boxes >> again & 1
        is_all_alike = max(counts) >= self.dice_per_box
        face = counts.index(max(counts))  # that the dice show, if they are all alike
        own_box = turn["own"][face]  # -1 if the face has none
        is_free = turn["joker"] == "free"  # else boxes have to be filled in forced order
        is_joker = again_is_filled and is_all_alike and turn["joker"] != "none"
        if not is_joker or box == own_box:
            return points
        # The dice are a joker that is entered in another box than that of their face.
        own_box_is_open = own_box >= 0 and not filled_boxes >> own_box & 1
        if own_box_is_open:  # in forced order it would have to be filled
            return points if is_free else None
        is_box_of_a_face = box in turn["own"]
        if is_free or not is_box_of_a_face:
            return turn["full"][box][face]
        # In forced order the box of another face may be filled only after all boxes that are no face's own.
        lower_boxes = [box_number for box_number in self.boxes if box_number not in turn["own"]]
        lower_box_is_open = any(not filled_boxes >> box_number & 1 for box_number in lower_boxes)
        return None if lower_box_is_open else points

    def points_of_split(self, counts, boxes, table):
        """Return the most points of dice that are split between boxes, each with the same number of dice.

        All ways to split them are tried. The result is stored, as the same dice are met in many states.

        Args:
            counts: the counts of the faces that lie.
            boxes: one box, which takes all dice, or two.
            table: the table of points that counts, "scores" or "first".
        """
        arguments = counts, boxes, table
        if arguments not in self.split_points:
            first_box, *second_box = boxes  # a list of one box, or empty
            points_by_way = []
            for dice_of_first in parts_of(counts):
                if sum(dice_of_first) != self.dice_per_box:
                    continue
                points = self.points_in_table(table, first_box, dice_of_first)
                dice_of_second = tuple(map(sub, counts, dice_of_first))
                for box in second_box:
                    points += self.points_in_table(table, box, dice_of_second)
                points_by_way.append(points)
            self.split_points[arguments] = max(points_by_way)
        return self.split_points[arguments]

    def points_in_table(self, table, box, dice):
        """Return the points of a box for the counts of its dice, from the table "scores" or "first"."""
        return self.turn[table][box][self.index_of_roll[dice]]


class BoxMatch(Match):
    """Shut the Box: a turn each; fewest points left win.

    State: seat to move; for several players what each before it was left with, 0 for those to come.

    Attributes:
        rules, players, objective: the part ``match`` of the header, the number of players, and what is optimized.
    """

    def first_state(self):
        """Return the state in which the game must begin."""
        return [0] * self.players

    def endings(self, state, word, points, hand=()):
        """Return where the end of a turn of Shut the Box leads: to the next seat, or after the last to the end.

        Args:
            state: the seat to move; for several players what each seat before it was left with, 0 for those to come.
                The last seat has no place there.
            word: not used.
            points: what the mover is left with: the points of the tiles that still stand. The fewest win.
            hand: not used.

        Returns:
            A list of one Leaf: what is paid to each seat from the mover on, and the state that follows, if any.
        """
        players = self.players
        if self.objective == "reach":
            return [Leaf([int(points <= self.rules["goal"])], GAME_OVER)]
        if self.objective == "points":
            return [Leaf([-points], GAME_OVER)]  # few points are best
        seat = state[0]
        points_left = (*state[1 : seat + 1], points)  # of the seats up to the mover
        seats_to_come = players - len(points_left)
        if seats_to_come > 0:
            zeros = [0] * (seats_to_come - 1)  # the last seat has no place in a state
            next_state = (seat + 1, *points_left, *zeros)
            return [Leaf([0] * players, next_state, seats_on=1)]
        shares = win_shares([-seat_points for seat_points in points_left])  # the fewest points left are best
        from_mover = shares[seat:] + shares[:seat]
        return [Leaf(from_mover, GAME_OVER)]


class BoardMatch(Match):
    """Booby Trap: pieces are touched in turn.

    State: pieces left by size, from large to small; the mover's lead over each other seat, or of one player the trips
    so far; passes in a row.

    Attributes:
        rules, players, objective: the part ``match`` of the header, the number of players, and what is optimized.
        lists_choices: whether the order of a throw's choices counts (H10).
    """

    def __init__(self, header):
        """Read the rules of a board.

        Args:
            header: the header of a certificate, which has been checked.
        """
        super().__init__(header)
        # The stored play of three or more makes the first choice listed if nothing can be won any more (H10).
        self.lists_choices = self.objective == "win"

    def first_state(self):
        """Return the state in which the game must begin."""
        lead_count = max(1, self.players - 1)  # for one player the number of trips instead
        return self.rules["board"] + [0] * lead_count + [0]

    def starts(self, state):
        """Return how a turn begins: with the sizes that may be touched, and whether the mover may pass.

        Args:
            state: begins with the pieces left by size, from large to small, and ends with the passes in a row.

        Returns:
            A list of one pair: the mode (sizes that may be touched, whether one may pass), and turn points, always 0.
        """
        sizes = tuple(size for size in range(3) if state[size])
        if self.turn["in_order"]:
            sizes = sizes[-1:]  # only the smallest size that is left
        may_pass = state[-1] < self.rules["passes"]
        return [((sizes, may_pass), 0)]

    def endings(self, state, word, size, hand=()):
        """Return where the end of a turn of Booby Trap leads: to the end if few pieces are left, else to the next seat.

        Args:
            state: pieces left by size, from large to small; the mover's lead over each other seat, from the next on, or
                of one player the trips so far; passes in a row.
            word: "pass"; or "won" for a piece that has held; or "trip" for one that has tripped the bar.
            size: the number of the size of the piece, 0 for large to 2 for small; for "pass" it does not matter.
            hand: not used.

        Returns:
            A list of one Leaf: what is paid to each seat from the mover on, and the state that follows, if any.
        """
        pieces_left = list(state[:3])
        passes = state[-1] + 1
        if word != "pass":
            pieces_left[size] -= 1
            passes = 0
        if self.players == 1:
            return [self.leaf_alone(state, word, pieces_left, passes)]
        gain_by_word = {"pass": 0, "trip": -self.rules["penalty"], "won": self.rules["points"][size]}
        gain = gain_by_word[word]
        # Scores from the mover on, relative to the mover's score after the turn, which is 0: each of the others is
        # behind by the mover's lead before the turn and by what the mover has gained.
        leads_before = state[3:-1]
        scores = [0, *(-lead - gain for lead in leads_before)]
        if sum(pieces_left) <= self.rules["last"]:
            return [Leaf(self.payments(scores), GAME_OVER)]
        next_scores = [*scores[1:], scores[0]]  # from the next mover on
        leads = [next_scores[0] - score for score in next_scores[1:]]
        return [Leaf([0] * self.players, (*pieces_left, *leads, passes), seats_on=1)]

    def leaf_alone(self, state, word, pieces_left, passes):
        """Return where a turn of one player leads: a Leaf, with what is paid to the player and the next state.

        If more than ``allowed`` pieces have tripped, the player has lost. Otherwise the player has won if at most
        ``last`` pieces are left. Both numbers are rules of the match.

        Args:
            state: pieces left of the three sizes, the trips so far, and passes in a row, before the turn.
            word: "pass"; or "won" for a piece that has held, which does not win the game yet; or "trip".
            pieces_left: pieces left by size, after the turn.
            passes: passes in a row, after the turn.
        """
        trips_before = state[3]  # it follows the pieces left of three sizes
        trips = trips_before + (word == "trip")
        has_lost = trips > self.rules["allowed"]
        has_won = not has_lost and sum(pieces_left) <= self.rules["last"]
        is_over = has_lost or has_won
        next_state = GAME_OVER if is_over else (*pieces_left, trips, passes)
        return Leaf([int(has_won)], next_state)

    def payments(self, scores):
        """Return what is paid at the end, by seat as ``scores`` are.

        The best win, and share. For ``margin`` every seat pays what it is behind the best, which these share.

        Args:
            scores: the scores of all seats, relative to any of them.
        """
        shares = win_shares(scores)  # of the win, equal for the best scores, 0 for the others
        if self.objective == "win":
            return shares
        best_score = max(scores)
        deficits = [best_score - score for score in scores]
        sum_of_deficits = sum(deficits)
        return [sum_of_deficits * share - deficit for share, deficit in zip(shares, deficits, strict=True)]


MATCH_CLASSES = {
    "turn": TurnMatch,
    "race": RaceMatch,
    "seats": SeatsMatch,
    "rounds": RoundsMatch,
    "frames": FramesMatch,
    "card": CardMatch,
    "box": BoxMatch,
    "board": BoardMatch,
}


# --- 5. Checker --------------------------------------------------------------------------------------------------
#
# All numbers are whole multiples of one unit, 2 ** -(bits + GUARD_BITS). Bounds are tuples in which a lower bound and a
# negated upper bound alternate. So every rounding is a rounding down, which moves both outward (H8), and every better
# bound is a larger number. For example (3, -5) says that a value lies between 3 and 5 units.
#
# Whose bounds a tuple holds depends on what it belongs to, and on the number of players:
#
#     bounds of                            one or two players         three or more players
#     a choice, a point within a turn      the mover                  the mover's decision value, then every seat
#     a whole turn                         the mover                  every seat
#     a ``Line`` of the file               every seat                 every seat
#
# Seats are counted from the mover on. By the decision value the stored play compares choices. Means of it are rounded,
# so that it has bounds as well.

# Indices in the bounds of a choice, for three or more players.
DECISION_LOWER, NEGATED_DECISION_UPPER, MOVER_LOWER, NEGATED_MOVER_UPPER = range(4)


class Line(NamedTuple):
    """A line of the file: rank, bounds, and what else stands there.

    rank: (number of the block, rank within the block); states of lower rank may be read with equality (H7).
    bounds: lower and negated upper bound of every seat, from the mover on; those of the mover stand first.
    play: empty for one or two players. For three or more, by seat from the mover on, the decision values, by which the
        stored play compares choices. A mixed turn has three numbers more: the probability of its second turn, and the
        decision values by which the first and the second turn are played.
    """

    rank: tuple
    bounds: list
    play: tuple


class ClassifiedThrow:
    """The rolls of a throw by roll class: a class is all rolls that offer the same choices.

    A set of classes is stated as a bit set, a whole number: bit i is set if class i is in it.

    Attributes:
        classes: the offers of each class -> the sum of its rolls' weights. They are numbered in this order from 0.
        weights, total_weight: the weights by class, and their sum.
        classes_with: each offer of any class -> the bit set of the classes that have it.
        all_classes: the bit set of all classes.
        shares_offers: whether an offer is on average in more than two classes.
        weights_of_sets: the weights of bit sets that were worked out, as far as they are kept.
    """

    def __init__(self, classes):
        """Give each roll class a number, and list which of them have each offer.

        Args:
            classes: the offers of each class -> the sum of its rolls' weights.
        """
        self.classes = classes
        self.weights = [*classes.values()]
        self.total_weight = sum(self.weights)
        self.all_classes = (1 << len(classes)) - 1
        self.weights_of_sets = {}
        numbers_with = {}  # by offer, the numbers of the classes that have it
        for number, offers in enumerate(classes):
            for offer in offers:
                numbers_with.setdefault(offer, []).append(number)
        self.classes_with = {offer: bit_set_of(numbers) for offer, numbers in numbers_with.items()}
        self.shares_offers = sum(map(len, classes)) > 2 * len(numbers_with)

    def weight_of(self, bit_set):
        """Return the sum of the weights of the classes in a bit set."""
        if bit_set not in self.weights_of_sets:
            if len(self.weights_of_sets) >= MAX_KEPT_WEIGHTS:
                self.weights_of_sets.clear()
            # A number in binary begins with its highest bit, which belongs to the last class.
            is_in_set = map(int, reversed(f"{bit_set:b}"))
            self.weights_of_sets[bit_set] = sum(compress(self.weights, is_in_set))
        return self.weights_of_sets[bit_set]


def bit_set_of(numbers):
    """Return the bit set of distinct whole numbers from 0 on."""
    digits = bytearray(b"0") * (max(numbers) + 1)
    for number in numbers:
        digits[-1 - number] = ord("1")
    return int(digits, 2)


class Checker:
    """A certificate whose states are judged one by one: the bounds of a state must follow from those after its turn.

    Bounds are whole numbers of units, in which lower bounds and negated upper bounds alternate. Whose they are depends
    on what they belong to:

    - the ``bounds`` of a Line: every seat, from the mover on;
    - a choice, or a point within a turn: the mover only. For three or more players, the mover's decision value first,
      then every seat from the mover on;
    - a whole turn (``turn_value``): the same without the decision value.

    Args:
        header: as read from the file; it is checked first.
        lines: state -> Line, the bounds that the file states.
        placeholder: the line of a state that is not in ``lines``; None if all must be there.

    Attributes:
        unit: so many units are 1.
        match: the rules between turns: how a turn may begin, and where its endings lead.
        turn_model: the rules of a turn: its modes, choices and rolls.
        modes: mode -> (when the player may stop, each throw as a ClassifiedThrow).
        cut: where turns are cut, as the header states it; gamma and worth hold its bounds by mode.
        tie: how far the decision value of a choice may be below the best one in stored play, in units.
        rate: of the objective ``rate``, the lower and the upper bound of the average, in units; else empty.
        state, limits, next_states, zero_values, values: of the turn that is being worked out, its state, the limits on
            its turn points, the states that it leads to, decision values that replace those of the file, and the bounds
            found so far by point within the turn.
        players, objective: the number of players, and what is optimized.
        is_race, has_points: whether the match is a race; whether values are points, which 0 and 1 do not bound.
        turn_models, modes_of_turns: ``turn_model`` and ``modes`` of each turn of the header: the only one, or one by
            seat. ``read_turn`` chooses one.
    """

    def __init__(self, header, lines, placeholder=None):
        """Check the header, and list the modes of a turn in which scoring groups are set aside (kind ``sets``).

        Args:
            header: as read from the file.
            lines: state -> Line.
            placeholder: the line of a state that is not in ``lines``; None if all must be there.

        Raises:
            CannotJudgeError: the header is not allowed.
            DoesNotHoldError: a turn may go on for ever (H9).
        """
        check_header(header)
        self.lines = lines
        self.placeholder = placeholder
        self.cut = header["cut"]
        self.players = header["players"]
        self.objective = header["objective"]
        self.match = MATCH_CLASSES[header["match"]["kind"]](header)
        require(self.match.begins_at(header["begins"]), f"the game does not begin in state {tuple(header['begins'])}")
        self.is_race = header["match"]["kind"] in ("race", "seats")
        self.has_points = self.objective in ("points", "rate")  # a value that is not bounded by 0 and 1
        # Numbers of the file are multiples of 2 ** -bits. Here they have GUARD_BITS more, so that roundings within a
        # turn stay far below a unit of the file.
        self.unit = 1 << (header["bits"] + GUARD_BITS)  # so many units are 1
        self.tie = int(header["tie"], 16) << GUARD_BITS
        self.rate = [int(number, 16) << GUARD_BITS for number in header["rate"]]
        # These describe the turn that is being worked out, as do ``state``, ``limits`` and ``values``, which
        # ``turn_value`` adds.
        self.next_states = set()  # the states that it leads to
        self.zero_values = {}  # state -> decision value of the mover that replaces the one in the file
        self.depth = 0  # calls of ``value`` that have not returned, each of which was called by the one before
        # One turn that all players have, or one for each seat.
        self.set_up_turns(header["turn"]["seats"] if header["turn"]["kind"] == "seats" else [header["turn"]])
        # Bounds of what a mode is worth, for the rest of a turn for points that is cut; see ``check_level``.
        self.gamma = self.cut_numbers("gamma")
        self.worth = self.cut_numbers("worth")

    def set_up_turns(self, turns):
        """Set ``turn_models`` and ``modes_of_turns``, and check that turns in which groups are set aside end.

        Args:
            turns: the turns as the header describes them: one that all players have, or one for each seat.

        Raises:
            DoesNotHoldError: a turn may go on for ever (H9).
        """
        self.turn_models = [TURN_CLASSES[turn["kind"]](turn) for turn in turns]
        self.modes_of_turns = [{} for _ in turns]  # each mode -> (stop, each throw as a ClassifiedThrow)
        for number, turn in enumerate(turns):
            self.read_turn(number)  # sets ``turn_model`` and ``modes``
            if turn["kind"] == "sets":  # turns of other kinds have a limited length (H9)
                self.open_all_modes()
                self.check_turns_end(max_turn_points=turn["above"])

    def read_turn(self, number):
        """Choose the turn whose modes and throws are read from now on.

        Args:
            number: its number in the header: 0, or a seat if each seat has a turn of its own.
        """
        self.turn_model = self.turn_models[number]
        self.modes = self.modes_of_turns[number]  # filled by ``open_mode``

    def open_all_modes(self):
        """Open every mode that a turn can come to, starting with the modes in which a turn may begin.

        To open a mode is to list its choices and rolls, and to store them in ``modes``. Turn models that open their
        modes only when a turn comes to them list no mode of the start, so nothing is opened here.
        """
        modes_to_open = self.turn_model.modes_of_start(self.match.takes_over)
        while modes_to_open:
            _, throws = self.open_mode(modes_to_open.pop())
            next_modes = {lead.mode for lead in leads_of(throws)}
            opened_modes = self.modes.keys()
            modes_to_open += next_modes - opened_modes - {*modes_to_open}

    def cut_numbers(self, key):
        """Return the fractions that the header states by mode for a turn that is cut; 0 for a mode that it leaves out.

        The header gives a numerator and a denominator by name of a mode, which is the JSON text of the mode.

        - gamma: in this mode the turn is worth at most max(turn points, level) + gamma.
        - worth: once the turn points are lost, the turn adds at most this much from this mode on.

        Args:
            key: "gamma" or "worth".
        """
        ratio_of_name = self.cut.get(key, {})
        fractions = {}
        for mode in self.modes:
            name = json.dumps(mode)
            numerator, denominator = ratio_of_name.get(name, (0, 1))
            fractions[mode] = Fraction(numerator, denominator)
        return fractions

    def leads(self):
        """Return the set of all Leads that the rolls of any mode offer: the choices by which a turn goes on."""
        return {lead for _, throws in self.modes.values() for lead in leads_of(throws)}

    def check_turns_end(self, max_turn_points):
        """Check H9: a turn ends with probability one, whatever is chosen.

        A mode ends if every throw of it has a roll whose choices all end the turn, or lead to modes that end. If turn
        points are limited and none are lost, a choice that adds points can be made only so often. So it counts like one
        that ends the turn.

        Args:
            max_turn_points: the most turn points that a choice may lead to; 0 if there is no limit.

        Raises:
            DoesNotHoldError: there are modes that need not end.
        """
        no_points_are_lost = all(lead.points >= 0 and lead.times > 0 for lead in self.leads())
        points_are_bounded = max_turn_points > 0 and no_points_are_lost
        ended_modes = set()  # modes that are known to end
        other_modes = set(self.modes)
        # A mode that is known to end may be all that another one needs, so this is repeated until nothing changes.
        while True:
            newly_ended = {mode for mode in other_modes if self.mode_ends(mode, ended_modes, points_are_bounded)}
            if not newly_ended:
                break
            ended_modes |= newly_ended
            other_modes -= newly_ended
        establish(not other_modes, "H9 fails: a turn may go on forever")

    def mode_ends(self, mode, ended_modes, points_are_bounded):
        """Return whether every throw of a mode has a roll after which every choice ends the turn (H9).

        Args:
            mode: the mode.
            ended_modes: the modes that are known to end. A choice that leads to one counts as one that ends the turn.
            points_are_bounded: whether a choice that adds points counts as one that ends the turn.
        """
        _, throws = self.modes[mode]
        for throw in throws:
            has_ending_roll = any(
                all(choice_ends(offer, ended_modes, points_are_bounded) for offer in offers) for offers in throw.classes
            )
            if not has_ending_roll:
                return False
        return True

    def open_mode(self, mode):
        """Return when the player may stop in a mode (NEVER, COUNTING or ALWAYS), and the roll classes of every throw.

        A roll class is all rolls of a throw that offer the same choices. The result is stored, so that a mode is opened
        only once.

        Args:
            mode: the mode, as the class of the turn describes it.

        Raises:
            DoesNotHoldError: a weight is negative (H2).
        """
        if mode not in self.modes:
            stop, throws = self.turn_model.open_mode(mode)
            classes_of_throws = []
            for throw in throws:
                classes = Counter()
                for weight, offers in throw:  # a weight of 0 adds nothing to a mean
                    establish(weight >= 0, "H2 fails: a roll has a negative weight")
                    classes[offers] += weight
                classes_of_throws.append(ClassifiedThrow(classes))
            self.modes[mode] = stop, classes_of_throws
        return self.modes[mode]

    # --- the value of a turn

    def turn_value(self, state):
        """Return the bounds that the turn from a state comes to, given the bounds of the states that follow (H8, H10).

        The attribute ``next_states`` holds these states afterwards. If the mover mixes two turns, the bounds of both
        are weighted by the probability with which each is drawn. With the probability share / unit of the second turn
        that is

            mean = first + (second - first) * share / unit,  rounded down

        Args:
            state: the state in which the turn begins.

        Returns:
            Lower and negated upper bound of the mover. For three or more players, those of every seat from the mover
            on, without the mover's decision value.

        Raises:
            CannotJudgeError: the turn is too long, or turns are mixed where they cannot be.
            DoesNotHoldError: a state that the turn leads to is not in the file (H1).
        """
        # These describe the turn that is being worked out, for the methods below.
        self.read_turn(self.match.turn_number(state))
        self.state = state
        self.limits = self.match.limits(state)
        self.next_states = set()
        starts = self.match.starts(state)  # pairs of a mode and turn points, of which the mover chooses one
        # ``play`` has a decision value for each seat; a mixed turn has three numbers more.
        mixture = self.lines[state].play[self.players :]
        if not mixture:
            return self.value_of_starts(starts, {})
        share_of_second, value_of_first, value_of_second = mixture
        require(self.match.rules["kind"] == "race", f"{state}: only turns of a race can be mixed")
        require(len(starts) == 1, f"{state}: turns that are taken over cannot be mixed")
        require(0 <= share_of_second <= self.unit, f"{state}: the share of a mixed turn must be between 0 and 1")
        # Each of the two turns is best for one decision value of the state that a zero turn leads to.
        zero_state = self.state_after_zero_turn(state)
        first_bounds = self.value_of_starts(starts, {zero_state: value_of_first})
        second_bounds = self.value_of_starts(starts, {zero_state: value_of_second})
        pairs_of_bounds = zip(first_bounds, second_bounds, strict=True)
        return tuple(first + (second - first) * share_of_second // self.unit for first, second in pairs_of_bounds)

    def state_after_zero_turn(self, state):
        """Return the state of a race after a turn that changes nothing: the same, from the next mover on.

        A state of a race is groups of one number for each seat from the mover on: scores, then busts in a row. Each
        group is rotated: (7, 0, 3) becomes (0, 3, 7).

        Args:
            state: the state in which the turn begins, of a race without takeovers.
        """
        next_state = []
        for first_place in range(0, len(state), self.players):
            of_mover, *of_others = state[first_place : first_place + self.players]
            next_state += [*of_others, of_mover]
        return tuple(next_state)

    def value_of_starts(self, starts, zero_values):
        """Return the bounds of the turn that is being worked out, if the mover begins it in the best way.

        For three or more players the bounds of the mover's decision value, which stand first, are left out.

        Args:
            starts: pairs of a mode and turn points with which the turn may begin.
            zero_values: state -> the mover's decision value there, in place of that in the file.
        """
        self.zero_values = zero_values
        self.values = {}  # by point within the turn (see ``value``), its bounds
        bounds = self.best([self.value(start) for start in starts])
        decision_bound_count = 2 if self.players > 2 else 0
        return bounds[decision_bound_count:]

    def value(self, node):
        """Return the bounds of a point within the turn that is being worked out, and store them in ``values``.

        The bounds of a decision are those of its best choice. They are worked out from the points that follow, by
        recursion.

        Args:
            node: an ending, (word, points), or a decision, (mode, turn points).

        Returns:
            Lower and negated upper bounds in turn, as ``best`` describes them.

        Raises:
            CannotJudgeError: there are too many points, too many after each other, or they lead back to each other.
        """
        if node not in self.values:
            require(len(self.values) < MAX_NODES, "a turn has too many positions to be checked")
            require(self.depth < MAX_DEPTH, "a turn is too long to be checked")
            self.depth += 1
            self.values[node] = None  # while it is being worked out
            is_ending = isinstance(node[0], str)
            self.values[node] = self.ending_bounds(*node) if is_ending else self.best(self.choices(*node))
            self.depth -= 1
        # It is still None if this point was met again while it was being worked out.
        require(self.values[node], "a turn returns to an earlier position")
        return self.values[node]

    def choices(self, mode, points):
        """Return the bounds of every choice in a mode: to stop if that is allowed, and to make each throw (H3, H4).

        The turn of a player who may bank is cut at ``stop_cut``, and every other turn at the larger ``later_cut``. If
        the turn is cut here, the only entry is the bounds that stand for the rest of it.

        Args:
            mode: the mode of the turn.
            points: the turn points.
        """
        limits = self.limits  # on the turn points
        stop, throws = self.open_mode(mode)
        is_counted = points >= limits.counting  # whether a bank counts
        may_stop = stop == ALWAYS or (stop == COUNTING and is_counted)
        may_bank = may_stop and is_counted
        cut = limits.stop_cut if may_bank else limits.later_cut
        if points >= cut:
            return [self.bounds_at_cut(mode, points, may_bank)]
        choices = []
        if may_stop:
            banked_points = points if is_counted else 0  # a bank that does not count scores nothing
            choices.append(self.ending_bounds("bank", banked_points, mode))
        for throw in throws:
            if throw.shares_offers and self.players < 3:
                choices.append(self.bounds_of_ranked_offers(throw, points))
                continue
            max_points = limits.room  # no choice may lead to more turn points
            bounds_by_class = [self.best(self.bounds_of_offers(offers, points, max_points)) for offers in throw.classes]
            # Of a throw each bound is the mean of that of its classes by weight, rounded down (H2, H8).
            classes_by_bound = zip(*bounds_by_class, strict=True)
            choices.append(
                tuple(sum(map(mul, throw.weights, column)) // throw.total_weight for column in classes_by_bound)
            )
        return choices

    def bounds_of_ranked_offers(self, throw, points):
        """Return the bounds of a throw for one or two players.

        They are the numbers that ``choices`` finds class by class, found faster. The offers are ranked, the best first.
        A roll class takes the first of them that it has. So each offer gets the weight of all classes that have it, and
        none before. A class with no allowed offer is bust (H2, H3, H8).

        Args:
            throw: the ClassifiedThrow.
            points: the turn points before.
        """
        classes_with, bounds_by_offer = [], []
        for offer, bit_set in throw.classes_with.items():
            node = offer  # an ending
            if is_lead(offer):
                mode, added_points, times = offer
                next_points = max(0, points * times + added_points)  # points that are taken off end at 0
                if next_points > self.limits.room:
                    continue
                node = mode, next_points
            classes_with.append(bit_set)
            bounds_by_offer.append(self.values.get(node) or self.value(node))
        sums = []
        for index, sign in ((0, 1), (1, -1)):  # the largest lower bound is best, and the smallest negated upper bound
            ranked = sorted(
                (-sign * bounds[index], bit_set) for bounds, bit_set in zip(bounds_by_offer, classes_with, strict=True)
            )
            weighted_sum, remaining = 0, throw.all_classes
            for rank, bit_set in ranked:
                taking = remaining & bit_set
                if taking:
                    weighted_sum -= sign * rank * throw.weight_of(taking)
                    remaining ^= taking
                    if not remaining:
                        break
            if remaining:  # no choice is allowed: a bust
                weighted_sum += self.best([self.value(*BUST_OFFERS)])[index] * throw.weight_of(remaining)
            sums.append(weighted_sum)
        return tuple(weighted_sum // throw.total_weight for weighted_sum in sums)

    def bounds_of_offers(self, offers, points, room):
        """Return a list of the bounds of each offer of a roll class that is allowed; if none is, those of a bust.

        Args:
            offers: Leads, and endings (word, points) with all points that the turn then brings.
            points: the turn points before.
            room: no Lead may come to more turn points.
        """
        allowed = []  # endings (word, points), and decisions (mode, turn points)
        for offer in offers:
            if not is_lead(offer):
                allowed.append(offer)
                continue
            mode, added_points, times = offer
            next_points = max(0, points * times + added_points)  # points that are taken off end at 0
            if next_points <= room:
                allowed.append((mode, next_points))
        if not allowed:
            allowed = BUST_OFFERS
        # Most are known already. What is None is being worked out, which ``value`` refuses.
        return [self.values.get(ending_or_decision) or self.value(ending_or_decision) for ending_or_decision in allowed]

    def best(self, bounds):
        """Return the bounds of a decision of the mover from those of its choices.

        For one or two players both bounds are those of the best choice, of all choices (H3, H4). For three or more
        players (H10):

        - the mover's decision value is that of the best choice;
        - the stored play may make every choice whose decision value can be within ``tie`` of the best: the lower
          bounds of all seats are the lowest of these choices, and the upper bounds of the others are the highest;
        - the mover's upper bound is that of the best response, the greatest of all choices.

        Args:
            bounds: the bounds of every choice: lower and negated upper bound of the mover. For three or more players
                those of the mover's decision value, then those of every seat from the mover on.
        """
        # The first two bounds of a choice decide: those of the mover, or of the mover's decision value. Here are the
        # largest lower bound, and the smallest negated upper bound, which is minus the largest upper bound.
        best_lower = max([choice[0] for choice in bounds])
        best_negated_upper = min([choice[1] for choice in bounds])
        if self.players < 3:
            return best_lower, best_negated_upper
        # The bounds of a choice begin with two of the decision value and two of the mover; the other seats follow.
        possible = self.possible_choices(bounds, best_lower)
        # By bound, the smallest of these choices. Of negated upper bounds it belongs to the highest upper bound.
        smallest_bounds = [min(column) for column in zip(*possible, strict=True)]
        _, _, mover_lower, _, *bounds_of_others = smallest_bounds
        mover_negated_upper = min(choice[NEGATED_MOVER_UPPER] for choice in bounds)
        return best_lower, best_negated_upper, mover_lower, mover_negated_upper, *bounds_of_others

    def possible_choices(self, bounds, best_lower):
        """Return the choices that the stored play of three or more players may make, as their bounds (H10).

        Args:
            bounds: the bounds of every choice: two of the decision value, two of the mover, then those of other seats.
            best_lower: the largest lower bound of a decision value.
        """
        # The upper bound of its decision value, together with the tie, reaches the best lower bound.
        possible = [choice for choice in bounds if self.tie - choice[NEGATED_DECISION_UPPER] >= best_lower]
        if not self.match.lists_choices:
            return possible
        # In games that list choices the first one listed is made, if no choice can bring the mover anything. Then all
        # decision values are 0, so all choices are possible, in the order in which they are listed.
        has_nothing_to_gain = all(
            choice[DECISION_LOWER] == choice[NEGATED_DECISION_UPPER] == choice[NEGATED_MOVER_UPPER] == 0
            for choice in bounds
        )
        return possible[:1] if has_nothing_to_gain else possible

    def ending_bounds(self, word, points, mode=()):
        """Return the bounds of an ending of the turn that is being worked out: of the best way to go on after it.

        Args:
            word: the ending, for example "bank".
            points: the points of the ending.
            mode: the mode in which the turn ends; () if no dice are left to the next player.
        """
        return self.best(self.bounds_of_leaves(word, points, self.hand_left(mode)))

    def hand_left(self, mode):
        """Return the dice by kind that the next player may take over from a turn that ends in this mode; () if none."""
        return mode[0] if self.match.takes_over and mode != () else ()

    def bounds_at_cut(self, mode, points, may_bank):
        """Return the bounds that stand for the rest of a turn that is cut, so that its rolls are not looked at.

        - A player who may bank, and so wins a race: the bounds of banking (T2), since nothing is worth more (T1).
        - A player who may bank, in any other case: the lower bounds are those of banking (T2).
        - A player who has to roll: the lower bounds are the least that ending the turn with nothing brings. If values
          are chances, they are 0: no chance is less (T1).

        In the last two cases every seat has the same upper bound: the most that a turn can be worth to any seat.

        Args:
            mode: the mode in which the turn is cut.
            points: the turn points at which it is cut.
            may_bank: whether the player may bank them.

        Returns:
            Lower and negated upper bounds in turn, as ``best`` describes them.
        """
        hand = self.hand_left(mode)
        if may_bank:
            bounds_by_leaf = self.bounds_of_leaves("bank", points, hand)
            if self.is_race and self.match.has_won_at_cut:
                return self.best(bounds_by_leaf)
        else:
            bounds_by_leaf = []
            for word in ("bank", "bust", "wipe"):  # the ways to end the turn with nothing
                bounds_by_leaf += self.bounds_of_leaves(word, 0, hand)
        is_chance = self.objective in ("win", "reach")
        lower_is_zero = is_chance and not may_bank
        smallest_bounds = [min(column) for column in zip(*bounds_by_leaf, strict=True)]
        lower_bounds = smallest_bounds[::2]  # without the negated upper bounds between them
        negated_upper = self.negated_upper_at_cut(mode, points)
        bounds = []
        for lower in lower_bounds:
            bounds += [0 if lower_is_zero else lower, negated_upper]
        return tuple(bounds)

    def negated_upper_at_cut(self, mode, points):
        """Return minus the most that a turn can be worth, to any seat, from where it is cut.

        For points that is the larger of the turn points and the level of the cut, plus gamma of the mode (T4). For
        fewest turns, which are paid by -1 each, this turn is the last (T1). Otherwise it is a win, 1 (T1).

        Args:
            mode: the mode in which the turn is cut.
            points: the turn points at which it is cut.
        """
        if self.has_points:
            upper = max(points, self.cut["level"]) + self.gamma[mode]
        elif self.objective == "turns":
            upper = -1
        else:
            upper = 1
        return floor(-self.unit * upper)  # rounded down, which moves the bound outward (H8)

    def bounds_of_leaves(self, word, points, hand):
        """Return a list of the bounds of every Leaf of an ending: of the ways in which the match goes on after it.

        Args:
            word: the ending, for example "bank".
            points: the points of the ending.
            hand: the dice by kind that the turn leaves, if turns are taken over.
        """
        return [self.leaf_bounds(*leaf) for leaf in self.match.endings(self.state, word, points, hand)]

    def leaf_bounds(self, payments, state, seats_on):
        """Return the bounds of a leaf: what is paid (H3, H4), and the bounds of the state that follows (H1).

        Args:
            payments: what is paid to each seat, from the mover on.
            state: the state that follows, or GAME_OVER.
            seats_on: how many seats after the mover of this turn the mover of that state sits.

        Returns:
            Lower and negated upper bound of the mover. For three or more players, those of the mover's decision value
            and then those of every seat, from the mover on.
        """
        players = self.players
        # (p, -p) for the payment p of each seat: a lower and a negated upper bound. Both are rounded down (H8).
        bounds = [floor(sign * payment * self.unit) for payment in payments for sign in (1, -1)]
        decision_value = bounds[0]
        if state is not GAME_OVER:
            line = self.lines.get(state, self.placeholder)
            establish(line is not None, f"H1 (every state is in the file once) fails: state {state} is not in the file")
            self.next_states.add(state)
            # A line has two bounds for each seat, also for two players: the result is cut to those of the mover below.
            # They begin with the line's own mover. Rotate them, so that they begin with the mover of this turn. With
            # three players and seats_on = 1, this mover comes last, so the first four of six numbers move to the end.
            bounds_before_mover = 2 * (players - seats_on)
            bounds_from_mover = line.bounds[bounds_before_mover:] + line.bounds[:bounds_before_mover]
            bounds = list(map(add, bounds, bounds_from_mover))
            if players > 2:
                # The line has a decision value for each seat from its own mover on. This mover sits -seats_on seats on
                # from there. ``zero_values`` replaces it for the state after a zero turn, in a mixed turn.
                decision_value += self.zero_values.get(state, line.play[-seats_on % players])
        if players < 3:
            return tuple(bounds[:2])  # of the mover only
        return decision_value, -decision_value, *bounds  # a decision value is one number, not a range

    def next_states_of(self, state):
        """Return the states that the turn from a state leads to; the placeholder stands for lines that are missing.

        Args:
            state: the state in which the turn begins.
        """
        self.lines.setdefault(state, self.placeholder)  # ``turn_value`` reads the state's own line, too
        self.turn_value(state)
        return self.next_states

    # --- the hypotheses

    def judge(self, state):
        """Check that the bounds that the file states for one state hold, if those of the states that follow do.

        The turn from the state is worked out with the bounds of the states that follow. It must come to more than the
        lower bound (H6) and to less than the upper bound (H5). Equality is enough if all states that follow have a
        lower rank (H7). If turns for points are cut, the bound that stands for the rest of the turn is checked too.

        Args:
            state: the name of a state in the file.

        Raises:
            DoesNotHoldError: a hypothesis fails; the message names it.
        """
        rank, stated_bounds, _ = self.lines[state]
        turn_bounds = self.turn_value(state)  # sets ``next_states``, the states that follow
        # H7: there is progress if all states that follow have a lower rank.
        has_progress = all(self.lines[next_state].rank < rank for next_state in self.next_states)
        is_cut_for_points = "level" in self.cut and self.has_points
        if is_cut_for_points:
            self.check_level(state)
        if self.rate:
            self.check_average(state)
            _, busts_in_a_row = state
            if busts_in_a_row == 0:
                # The values are relative to this state, so it is worth 0 by definition, whatever its turn comes to.
                establish(not any(stated_bounds), f"H3 fails at state {state}: its value must be 0")
                return
            turn_bounds = self.relative_to_average(turn_bounds)
        # The line of two players states the bounds of both, the mover's first. The turn comes to the mover's only.
        bounds_to_compare = stated_bounds[: len(turn_bounds)]
        for index, (computed, stated_bound) in enumerate(zip(turn_bounds, bounds_to_compare, strict=True)):
            self.compare(state, index, computed, stated_bound, has_progress)

    def compare(self, state, index, computed, stated_bound, has_progress):
        """Check that one bound of a state does not claim more than its turn comes to (H5, H6, H7).

        A lower bound claims more if it is larger, an upper bound if it is smaller.

        Args:
            state: the state.
            index: the index of the bound in the line. The line has two bounds for each seat from the mover on: the
                lower one with an even index, the negated upper one with an odd index.
            computed: the same bound of what the turn comes to, in units.
            stated_bound: what the line says, in units.
            has_progress: whether equality is enough, as all states that follow have a lower rank (H7).

        Raises:
            DoesNotHoldError: H5, H6 or H7 fails.
        """
        # An upper bound is negated, so for both bounds the turn has to come to more than what is stated.
        if computed > stated_bound or (computed == stated_bound and has_progress):
            return
        is_upper = index % 2 == 1
        name = "H5" if is_upper else "H6"
        side = "upper" if is_upper else "lower"
        sign = -1 if is_upper else 1
        seat = f" of seat {index // 2} from the mover on" if self.players > 2 else ""
        stated_text = self.decimal(sign * stated_bound)
        computed_text = self.decimal(sign * computed)
        numbers = f"the {side} bound{seat} is {stated_text}, but its turn gives {computed_text}"
        establish(computed >= stated_bound, f"{name} fails at state {state}: {numbers}")
        # Both are equal, and progress is not shown.
        establish(False, f"H7 fails at state {state}: {numbers}, and no progress is shown")

    def decimal(self, number):
        """Return a number of units as text, rounded to DIGITS_OF_VALUE digits."""
        return str(Context(DIGITS_OF_VALUE).divide(number, self.unit))

    def check_level(self, state):
        """Check the bound that stands for the rest of a turn for points that is cut at the level (T4).

        It says that mode m with t turn points is worth at most max(t, level) + gamma of m. Let z be the most that
        follows once the turn points are lost: the turn ends, or goes on without them. The bound holds if z is at most
        the level, and if every roll satisfies the inequality of ``check_gamma``, in which losing counts as z - level
        (Lemma C of docs/exactness.md).

        Args:
            state: the state in which the turn begins; what a bust is worth depends on it.

        Raises:
            DoesNotHoldError: one of these does not hold.
        """
        level = self.cut["level"]
        upper_of_end = []  # by way to end the turn without turn points, in points
        for word in ("bank", "bust", "wipe"):
            _, negated_upper = self.ending_bounds(word, 0)
            upper_of_end.append(Fraction(-negated_upper, self.unit))
        added_by_going_on = [0]  # the most that a turn adds to that if it goes on instead; 0 if it ends
        losing_leads = [lead for lead in self.leads() if lead.times == 0]  # they lose the points, and the turn goes on
        if losing_leads:
            # The header states for each mode a ``worth``: the most that a turn without turn points still adds there to
            # the value of its end. It has to satisfy the inequality of ``check_gamma`` too. There are no turn points to
            # lose, so a lead that loses them counts as well. A roll class without leads adds nothing.
            self.check_gamma(self.worth, counted_times=(0, 1), otherwise=0)
            # A lead may bring points itself. If it takes points away, 0 is a bound of what it brings.
            added_by_going_on += [max(0, lead.points) + self.worth[lead.mode] for lead in losing_leads]
        value_of_losing = max(upper_of_end) + max(added_by_going_on)
        establish(
            value_of_losing <= level, f"T4 fails at state {state}: losing the points is worth more than the level"
        )
        self.check_gamma(self.gamma, counted_times=(1,), otherwise=value_of_losing - level)

    def check_gamma(self, gamma, counted_times, otherwise):
        """Check the inequality of T4 for every throw of every mode, in fractions.

        With the weights w of the roll classes and their sum W it is

            sum over roll classes  w * most  <=  W * gamma of the mode

        Here ``most`` is the most points that a choice of the roll class adds to the turn points, with gamma of the mode
        that it leads to (``most_brought``).

        Args:
            gamma: mode -> a Fraction, the most points that the rest of the turn is worth beyond the turn points.
            counted_times: a choice counts as one that goes on if it multiplies the turn points by one of these numbers.
            otherwise: the points that a roll class brings without such a choice; never positive.

        Raises:
            CannotJudgeError: a choice multiplies the turn points (raised by ``most_brought``).
            DoesNotHoldError: the inequality does not hold.
        """
        for mode, (_, throws) in self.modes.items():
            for throw in throws:
                most_by_class = [self.most_brought(offers, gamma, counted_times, otherwise) for offers in throw.classes]
                weighted_sum = sum(map(mul, throw.weights, most_by_class))
                establish(weighted_sum <= throw.total_weight * gamma[mode], f"T4 fails in mode {json.dumps(mode)}")

    def most_brought(self, offers, gamma, counted_times, otherwise):
        """Return the most that a choice of a roll class brings, as the inequality of T4 counts it.

        A lead multiplies the turn points by its ``times``: by 1 if it keeps them, by 0 if it loses them. A lead that
        counts brings gamma of the next mode plus the points that it adds; points that it takes off count as 0.

        Args:
            offers: the offers of the roll class.
            gamma: mode -> the most that it is worth, beyond the turn points; it is never negative.
            counted_times: the leads with these ``times`` count.
            otherwise: what the class brings if no lead counts; it is never positive.

        Raises:
            CannotJudgeError: a lead multiplies the turn points by 2 or more.
        """
        leads = [offer for offer in offers if is_lead(offer)]
        require(all(lead.times < 2 for lead in leads), "points that are multiplied are not bounded by T4")
        brought_by_leads = [max(0, lead.points) + gamma[lead.mode] for lead in leads if lead.times in counted_times]
        # A lead that counts brings 0 at least, and every other offer 0 at most. So the other offers need no comparison.
        return max(brought_by_leads, default=otherwise)

    def check_average(self, state):
        """Check Theorem 6 at a state of the objective ``rate``: the average lies within the bounds of the header.

        Let h of a state be halfway between its bounds. The gain of a state is what its turn comes to if every state
        that follows is worth h, less h of the state itself. If every gain lies between the bounds of the average that
        the header states, so does the average.

        Args:
            state: the state whose turn ``turn_value`` has worked out last.

        Raises:
            DoesNotHoldError: the gain does not lie within the bounds of the average.
        """
        h_lower, negated_h_upper = middle(*self.lines[state].bounds)
        turn_lower, negated_turn_upper = self.turn_value_at_midpoints()  # of the turn that was worked out last
        average_lower, average_upper = self.rate  # neither is negated
        gain_lower = turn_lower - h_lower
        negated_gain_upper = negated_turn_upper - negated_h_upper
        has_average = gain_lower >= average_lower and negated_gain_upper >= -average_upper
        establish(has_average, f"Theorem 6 fails at state {state}: its gain is not between the bounds of rate")

    def turn_value_at_midpoints(self):
        """Return the bounds of the present turn if every state that follows is worth h, halfway between its bounds.

        This is for the objective ``rate``. It has one player, so a line has two bounds, and every turn begins anew.

        Returns:
            Lower and negated upper bound.
        """
        stated_lines = self.lines
        # ``value`` reads the bounds of ``lines`` and keeps what it has worked out in ``values``. So replace the bounds,
        # and drop the values that belong to those of the file. The next turn begins without values anyway.
        self.lines = {name: line._replace(bounds=middle(*line.bounds)) for name, line in stated_lines.items()}
        self.values = {}
        start_of_turn = (None, 0)  # no mode yet, and 0 turn points
        midpoint_bounds = self.value(start_of_turn)
        self.lines = stated_lines
        return midpoint_bounds

    def relative_to_average(self, turn_bounds):
        """Return the bounds of a turn less the average, which is what a state of the objective ``rate`` is worth.

        Args:
            turn_bounds: lower and negated upper bound of what the turn comes to.
        """
        turn_lower, negated_turn_upper = turn_bounds
        average_lower, average_upper = self.rate  # neither is negated
        # The least that is left subtracts the largest average, and the most subtracts the least one.
        return turn_lower - average_upper, negated_turn_upper + average_lower

    def gap(self, state):
        """Return the widest gap between the bounds of a state over all seats: for three or more players its regret.

        Args:
            state: the name of a state in the file.
        """
        return max(-low - negated_high for low, negated_high in pairs(self.lines[state].bounds))


def is_lead(offer):
    """Return whether an offer is a Lead (mode, points, times), by which the turn goes on; else it is an ending."""
    return len(offer) == 3  # an ending is (word, points)


def choice_ends(offer, ended_modes, points_are_bounded):
    """Return whether a choice ends the turn, leads to a mode that ends, or can be made only so often (H9).

    Args:
        offer: the choice.
        ended_modes: the modes that are known to end.
        points_are_bounded: whether a choice that adds points can be made only so often.
    """
    return not is_lead(offer) or offer.mode in ended_modes or (points_are_bounded and offer.points != 0)


def leads_of(throws):
    """Yield the leads of throws: the choices by which the turn goes on.

    Args:
        throws: every throw, as a ClassifiedThrow.
    """
    for throw in throws:
        yield from filter(is_lead, throw.classes_with)


def pairs(bounds):
    """Return bounds as pairs of a lower and a negated upper bound: [1, -2, 3, -4] as [(1, -2), (3, -4)]."""
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def middle(low, negated_high):
    """Return the bounds of the whole number halfway between two bounds, rounded down: it, and it negated."""
    number = (low - negated_high) // 2
    return [number, -number]


# --- 6. File -----------------------------------------------------------------------------------------------------

FIRST_LINE = b"keepwise certificate 1\n"
WHOLE_PATTERN = r"(?:0|-?[1-9]\d{0,18})"
NUMBER_PATTERN = r"(?:0|-?[1-9a-f][0-9a-f]{0,79})"
# A state: its name, its numbers, and perhaps a rank.
LINE = re.compile(rf"({WHOLE_PATTERN}(?:,{WHOLE_PATTERN})*)((?: {NUMBER_PATTERN})+)(?: r(\d{{1,9}}))?\n", re.ASCII)


def parse_header(line):
    """Return the header of a certificate.

    Args:
        line: the second line of the file, as bytes.

    Raises:
        CannotJudgeError: it is not JSON in ASCII, a number is too long or not whole, or a key stands twice.
    """

    # These three are called by the JSON parser: for every whole number, for any other number, and for every object.
    def parse_whole(numeral):
        require(len(numeral) <= NUMERAL_LENGTH, f"a number of the header has more than {NUMERAL_LENGTH} characters")
        return int(numeral)

    def refuse_number(numeral):
        raise CannotJudgeError(f"a number of the header is not whole: {numeral[:20]}")

    def parse_object(items):
        values = dict(items)
        require(len(values) == len(items), "a key occurs twice in the header")
        return values

    require(line.isascii(), "the header is not ASCII")
    # A constant is one of the words NaN, Infinity and -Infinity, which Python would accept.
    parsers = {"parse_int": parse_whole, "parse_float": refuse_number, "parse_constant": refuse_number}
    try:
        header = json.loads(line.decode("ascii"), object_pairs_hook=parse_object, **parsers)
    except json.JSONDecodeError:
        raise CannotJudgeError("the header is not JSON") from None
    require(type(header) is dict, "the header is not a JSON object")
    return header


class Layout(NamedTuple):
    """How many whole numbers the line of a state has.

    bound_count: how many of them are bounds, which stand first.
    lengths: how many there may be in all; with three or more players a mixed turn has three more.
    """

    bound_count: int
    lengths: tuple


def layout_of(players):
    """Return the Layout of the line of a state.

    For one or two players a line has a lower and an upper bound. For more it has two bounds for each seat, then a
    decision value for each seat, and three numbers for a mixed turn. The stored play decides by decision values.

    Args:
        players: the number of players.
    """
    if players < 3:
        lower_and_upper = 2
        return Layout(bound_count=lower_and_upper, lengths=(lower_and_upper,))
    bound_count = 2 * players
    play_count = players  # numbers by which the stored play decides
    mixture_count = 3  # of a mixed turn: a share, and two decision values
    length = bound_count + play_count
    return Layout(bound_count, lengths=(length, length + mixture_count))


def load(path, digest, keep):
    """Read a certificate from a file, packed by gzip or not; return its header, the lines to keep, and how many it has.

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
        is_packed = raw.peek(2)[:2] == b"\x1f\x8b"  # the first two bytes of a gzip file
        with gzip.open(raw) if is_packed else raw as file:
            return read_lines(path, file, digest, keep)


def read_lines(path, file, digest, keep):
    """Read a certificate from an open file; return its header, the lines to keep, and how many it has.

    Args:
        path: the name of the file, for messages.
        file: the file, opened to read its unpacked bytes.
        digest: a hash that is updated with the text.
        keep: called with state, block and line number of every line; returns whether to keep the line.

    Returns:
        The header, the lines that are kept by state, and the number of all lines.

    Raises:
        CannotJudgeError: the file is not a certificate.
        DoesNotHoldError: a state stands there twice (H1), or a lower bound is above its upper bound.
    """
    header = read_header(path, file, digest)
    lines_before = 2  # the first line and the header
    layout = layout_of(header["players"])
    lines = {}
    count = 0  # of states
    block = 0  # the number of lines "block" so far
    room = BYTES_OF_LINES  # bytes of memory that are left for lines
    while True:
        text = file.readline(MAX_LINE_BYTES).decode("ascii")
        digest.update(text.encode())
        if text == "block\n":
            block += 1
            continue
        line_of_state = parse_line(text, block, layout)
        if line_of_state is None or room <= 0:
            break  # ``check_end`` accepts the last line only; a state without room for it is refused there, too
        count += 1
        state, line = line_of_state
        name, _, _ = text.partition(" ")  # of the state, for messages
        in_order = all(low + negated_high <= 0 for low, negated_high in pairs(line.bounds))  # low - high is at most 0
        establish(in_order, f"at state {name} a lower bound is above its upper bound")
        if not keep(state, block, lines_before + block + count):
            continue
        room -= len(text) + BYTES_PER_LINE
        establish(state not in lines, f"H1 (every state is in the file once) fails at state {name}: it occurs twice")
        if header["players"] == 2:  # the file has the bounds of the mover only
            line.bounds.extend(bounds_of_opponent(header, line.bounds))
        lines[state] = line
    line_number = lines_before + block + count + 1  # of the line that was read last
    check_end(file, text, count, line_number)
    return header, lines, count


def parse_line(text, block, layout):
    """Return a state and its Line, with the bounds that the file states; None if the text is not the line of a state.

    Args:
        text: a line of the file: the name of the state, its numbers, and perhaps a rank.
        block: the number of the block that it stands in.
        layout: the Layout of the numbers.
    """
    match = LINE.fullmatch(text)
    if not match:
        return None
    name_text, numbers_text, rank_text = match.groups()  # the rank is None if the line has none
    # Bounds, decision values and probabilities alike: whole numbers of the file's unit, made finer by GUARD_BITS bits.
    numbers = [int(number, 16) << GUARD_BITS for number in numbers_text.split()]
    if len(numbers) not in layout.lengths:
        return None
    state = tuple(map(int, name_text.split(",")))
    # The file gives lower and upper bounds in turn; here the upper bounds, at odd indices, are negated.
    bounds = [-number if index % 2 else number for index, number in enumerate(numbers[: layout.bound_count])]
    rank_in_block = int(rank_text or 0)
    play = tuple(numbers[layout.bound_count :])
    return state, Line((block, rank_in_block), bounds, play)


def bounds_of_opponent(header, bounds):
    """Return the lower and the negated upper bound of the player who waits, in a match of two.

    What both get together, the stake, is a win, or nothing, as one pays the margin to the other. So the opponent gets
    from stake - high to stake - low.

    Args:
        header: the header of the certificate.
        bounds: lower and negated upper bound of the mover.
    """
    low, negated_high = bounds
    stake = 1 << header["bits"] + GUARD_BITS if header["objective"] == "win" else 0  # in units
    return stake + negated_high, low - stake


def check_end(file, last_line, count, line_number):
    """Check that a line which is not that of a state is the end of the file.

    Args:
        file: the file, of which this line was read last.
        last_line: the line.
        count: the number of states, which has to stand in it.
        line_number: the number of the line.

    Raises:
        CannotJudgeError: it is not.
    """
    is_whole_line = last_line.endswith("\n") or len(last_line) == MAX_LINE_BYTES
    cut_off = "the file is cut off here; its last line must be 'end' and the number of states"
    require(is_whole_line, f"line {line_number}: {cut_off}")
    is_at_end = last_line == f"end {count}\n" and not file.read(1)
    require(
        is_at_end,
        f"line {line_number}: {last_line[:80]!a} is neither the line of a state nor the end, or there are too"
        " many states",
    )


def read_header(path, file, digest):
    """Read the first two lines of a certificate; return the header.

    The types of its fields are checked, as far as they do not depend on the objective.

    Args:
        path: the name of the file, for messages.
        file: the file, opened to read its unpacked bytes.
        digest: a hash that is updated with the text.

    Raises:
        CannotJudgeError: the file is not a certificate.
    """
    first_line = file.readline(MAX_LINE_BYTES)
    second_line = file.readline(MAX_HEADER_BYTES)
    require(first_line == FIRST_LINE, f"{path} is not a certificate: its first line must be 'keepwise certificate 1'")
    require(second_line.endswith(b"\n"), f"{path} is not a certificate: its header is cut off or too long")
    digest.update(first_line + second_line)
    header = parse_header(second_line)
    check_fields("header", HEADER, header)
    return header


# --- 7. Command --------------------------------------------------------------------------------------------------


class Report(NamedTuple):
    """The report on a valid certificate: its lines, and the last line."""

    lines: list
    verdict: str


class Reader:
    """A reader that chooses which states of a file are judged, while the file is read.

    It chooses all states of some blocks, or a random sample in which each state has the same probability. ``drawn``
    lists the chosen states once the file has been read.

    Attributes:
        options: those of the command line: ``sample``, ``seed`` and ``blocks`` count.
        last_line: the number of the line that was read last.
        candidate_count: how many states so far could have been drawn.
    """

    def __init__(self, options):
        """Begin with no states.

        Args:
            options: those of the command line: ``sample``, ``seed`` and ``blocks`` count.
        """
        self.options = options
        self.last_line = 0  # the number of the line that was read last
        self.random = random.Random(options.seed)
        self.drawn = []
        self.candidate_count = 0  # how many states so far could have been drawn

    def draw(self, state, block, line):
        """Choose or leave out the next state of the file; return whether to keep its line in memory.

        Without a sample every state of the chosen blocks is drawn, and every line is kept. With a sample, the first
        LINES_OF_SAMPLE lines are kept. If the file is longer, it will be read a second time for the lines needed.

        Args:
            state: the name of the state.
            block: the number of its block.
            line: the number of its line in the file.
        """
        self.last_line = line
        has_sample = self.options.sample is not None
        first_block, last_block = self.options.blocks
        if first_block <= block <= last_block:
            if has_sample:
                self.draw_for_sample(state)
            else:
                self.drawn.append(state)
            self.candidate_count += 1
        return not has_sample or line < LINES_OF_SAMPLE

    def draw_for_sample(self, state):
        """Put the next state into the sample, or leave it out, so that all states so far had the same probability.

        This is reservoir sampling. The first states fill the sample. Later the n-th state takes a random place from 0
        to n - 1. If the sample has this place, the state replaces the one that had it; otherwise it is left out.

        Args:
            state: the name of the state.
        """
        is_filled = self.candidate_count >= self.options.sample
        if not is_filled:
            self.drawn.append(state)
            return
        place = self.random.randrange(self.candidate_count + 1)
        if place < self.options.sample:
            self.drawn[place] = state


def check(options, reader):
    """Judge a file; return the Report.

    Args:
        options: those of the command line.
        reader: the Reader that draws the states to be judged.

    Raises:
        CannotJudgeError: the file cannot be judged.
        DoesNotHoldError: a hypothesis fails.
    """
    digest = hashlib.sha256()
    header, lines, count = load(options.file, digest, reader.draw)
    if count > len(lines):  # too many to be kept: keep those that the sample needs, in a second pass
        lines, digest = needed_lines(options, header, lines, reader.drawn, digest)
    checker = Checker(header, lines)
    start = tuple(header["begins"])
    establish(
        start in lines,
        f"H1 (every state is in the file once) fails: state {start}, in which the game begins, is not in the file",
    )
    judged_states = dict.fromkeys(reader.drawn)
    if options.sample is not None:  # the beginning, and what it links to, are part of every sample
        judged_states |= dict.fromkeys([start, *sorted(checker.next_states_of(start))])
    require(judged_states, "no state of the file is in these blocks; see --blocks")
    judge_in_groups(options, checker, list(judged_states))
    return report(options, header, checker, judged_states, count, digest.hexdigest())


def judge_in_groups(options, checker, states):
    """Judge states in groups, in several processes if the options say so, and if memory and system allow it.

    Args:
        options: those of the command line.
        checker: the Checker that judges them.
        states: their names.

    Raises:
        CannotJudgeError: a state cannot be judged, or a process ends early.
        DoesNotHoldError: a hypothesis fails.
    """
    groups = [states[first : first + STATES_PER_GROUP] for first in range(0, len(states), STATES_PER_GROUP)]
    bytes_of_process = BYTES_PER_STATE * len(checker.lines)  # each process has its own copy of the lines
    most_processes = BYTES_OF_PROCESSES // bytes_of_process
    process_count = min(options.processes, most_processes, len(groups))
    if process_count > 1 and hasattr(os, "fork"):
        judge_in_processes(options, checker, groups, process_count)
        return
    for number, group in enumerate(groups):
        print_progress(options, number / len(groups))
        judge_group(checker, group)


def judge_in_processes(options, checker, groups, process_count):
    """Judge groups of states in several processes, each forked from this one.

    A forked process has all lines in memory, and no file is read again. The results are read in the order of the
    groups, so the same state fails first for any number of processes.

    Args:
        options: those of the command line.
        checker: the Checker that judges them.
        groups: lists of states.
        process_count: how many processes.

    Raises:
        CannotJudgeError: a state cannot be judged, or a process ends early.
        DoesNotHoldError: a hypothesis fails.
    """
    # Modes and rolls are listed once for all states. One state is judged here, so that every process has them.
    first_state_only = groups[0][:1]
    judge_group(checker, first_state_only)
    processes = []  # number n judges the groups n, n + process_count, and so on
    try:
        for number in range(process_count):
            groups_of_process = groups[number::process_count]
            processes.append(ForkedJudge(checker, groups_of_process))
        for number in range(len(groups)):
            print_progress(options, number / len(groups))
            processes[number % process_count].read_result()
    finally:
        for process in processes:
            process.stop()


def print_progress(options, share):
    """Print the share of the states that are judged on stderr, if the options ask for it."""
    if options.progress:
        print(share, file=sys.stderr)


def judge_group(checker, states):
    """Judge some states, one after the other.

    Args:
        checker: the Checker that judges them.
        states: their names.

    Raises:
        CannotJudgeError: a state cannot be judged.
        DoesNotHoldError: a hypothesis fails.
    """
    for state in states:
        checker.judge(state)


class ForkedJudge:
    """A child process that judges some groups, and writes one line of JSON for each: null, or what is wrong.

    The parent reads the lines from a pipe. The child ends after the first error or after its last group. If the parent
    is gone, nobody can read the pipe, so the next line that the child writes ends it too.

    Attributes:
        process: the id of the child.
        results: the end of the pipe from which the parent reads.
    """

    def __init__(self, checker, groups):
        """Fork the child.

        Args:
            checker: the Checker that judges the groups.
            groups: lists of states.
        """
        reader, writer = os.pipe()
        self.process = os.fork()
        is_child = self.process == 0
        if is_child:
            try:
                os.close(reader)
                write_results(checker, groups, writer)
            finally:
                # Leave without the parent's buffers and exit handlers. If the child has failed, a line is missing, and
                # the parent raises an error when it reads.
                os._exit(0)
        os.close(writer)
        self.results = open(reader, "rb")  # noqa: SIM115 (``stop`` closes it)

    def read_result(self):
        """Wait for the result of the next group.

        Raises:
            CannotJudgeError: a state of it cannot be judged, or the process has ended.
            DoesNotHoldError: a hypothesis fails.
        """
        line = self.results.readline()
        require(line.endswith(b"\n"), "a process of the checker has ended early")
        error = json.loads(line)
        if error:
            hypothesis_fails, message = error  # as ``error_of_group`` returns them
            raise (DoesNotHoldError if hypothesis_fails else CannotJudgeError)(message)

    def stop(self):
        """End the process, if it has not ended."""
        self.results.close()
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGTERM)
        os.waitpid(self.process, 0)


def write_results(checker, groups, writer):
    """Judge groups of states, up to the first in which something is wrong, and write one line of JSON for each.

    Args:
        checker: the Checker that judges the groups.
        groups: lists of states.
        writer: the file descriptor of a pipe.
    """
    for group in groups:
        error = error_of_group(checker, group)
        os.write(writer, json.dumps(error).encode() + b"\n")
        if error:
            break


def error_of_group(checker, states):
    """Judge some states; return None if all hold, else a pair: whether a hypothesis fails, and the message.

    If it is not a hypothesis that fails, the states cannot be judged.

    Args:
        checker: the Checker that judges them.
        states: their names.
    """
    try:
        judge_group(checker, states)
    except DoesNotHoldError as error:
        return [True, str(error)]
    except CannotJudgeError as error:
        return [False, str(error)]
    except Exception as error:  # whatever else a damaged file leads to
        return [False, ascii(error)]
    return None


def needed_lines(options, header, lines, drawn_states, digest):
    """Read a large file again, and keep only the lines that judging a sample needs.

    These are the lines of the sample, of the beginning and the states that it leads to, and of the states that all of
    them lead to. Turns are followed with a line of zeros for every state that is not in memory: where they lead does
    not depend on the bounds.

    Args:
        options: those of the command line.
        header: the header of the file.
        lines: state -> Line, for a part of the states.
        drawn_states: the states of the sample.
        digest: the hash of the text.

    Returns:
        The lines by state, and the hash of the text as it was read now.

    Raises:
        CannotJudgeError: the text is another than before.
    """
    players = header["players"]
    start = tuple(header["begins"])
    zero_bounds = [0, 0] * players  # a lower and an upper bound of each seat
    zero_line = Line(rank=(0, 0), bounds=zero_bounds, play=(0,) * players)
    checker = Checker(header, lines, zero_line)
    judged_states = {start, *drawn_states} | checker.next_states_of(start)
    needed_states = judged_states.union(*map(checker.next_states_of, judged_states))
    second_digest = hashlib.sha256()
    _, lines, _ = load(options.file, second_digest, lambda state, block, line_number: state in needed_states)
    require(second_digest.digest() == digest.digest(), "the file has changed while it was read")
    return lines, second_digest


def report(options, header, checker, judged_states, count, sha256):
    """Return the Report on a certificate that holds; check the regret of three or more players.

    Args:
        options: those of the command line.
        header: the header of the file.
        checker: the Checker that has judged the states.
        judged_states: the states that were judged.
        count: the number of all states of the file.
        sha256: the digest of its text.

    Raises:
        DoesNotHoldError: the regret is above the limit.
    """
    unit = checker.unit  # so many units are 1
    start = tuple(header["begins"])
    if checker.rate:  # the value is the average, of which the header states the bounds
        low, high = checker.rate
    else:
        low, negated_high = checker.lines[start].bounds[:2]  # of the mover, whose bounds stand first in a line
        high = -negated_high
    # H11: what is stated is rounded outward.
    low_text = rounded(low, unit, DIGITS_OF_VALUE, "ROUND_FLOOR")
    high_text = rounded(high, unit, DIGITS_OF_VALUE, "ROUND_CEILING")
    value_line = f"value at the start, {start}: from {low_text} to {high_text}"
    gap = max(high - low, *(checker.gap(state) for state in judged_states))
    gap_text = rounded(gap, unit, DIGITS_OF_GAP, "ROUND_UP")
    lines = [line_of_regret(options, gap, gap_text, unit)] if header["players"] > 2 else []
    what_is_proved = f"{as_printed(header['game'])}, {header['objective']}, players: {header['players']}"
    lines.append(f"{what_is_proved}, rules: {as_printed(header['fingerprint'])}")
    lines += lines_of_scope(options, len(judged_states), count, gap_text)
    lines += [value_line, f"sha256 {sha256}"]
    is_part = len(judged_states) < count  # a random sample, or the states of some blocks
    scope = f" (a sample of {len(judged_states):,} of {count:,} states)" if is_part else ""
    return Report(lines, f"PASS {options.file}{scope}: {value_line}")


def line_of_regret(options, gap, gap_text, unit):
    """Return the line of a report that says how much a player can gain by deviating; check that it is not too much.

    A player's lower bound is what the stored policies bring at least, and the upper bound what a best response brings
    at most. So nobody gains more than the largest gap.

    Args:
        options: those of the command line.
        gap: the largest gap between a lower and an upper bound, in units.
        gap_text: the same as text.
        unit: so many units are 1.

    Raises:
        DoesNotHoldError: the regret is above the limit.
    """
    is_allowed = gap <= options.max_regret * unit
    establish(is_allowed, f"the regret {gap_text} is above {options.max_regret:g}; --max-regret allows more")
    return f"regret: no player gains more than {gap_text} by deviating from the policies of this certificate"


def rounded(number, unit, digits, rounding):
    """Return a number of units as text, rounded to some digits in a direction, such as "ROUND_FLOOR".

    Args:
        number: how many units.
        unit: so many units are 1.
        digits: the number of significant digits.
        rounding: the direction, by its name in ``decimal``.
    """
    return f"{Context(digits, rounding).divide(number, unit):g}"


def as_printed(name):
    """Return a text of the header as it may be printed: the first 80 characters, others than ASCII as escapes."""
    quoted_name = ascii(name)
    return quoted_name[1:-1][:80]


def lines_of_scope(options, judged_count, count, gap_text):
    """Return the lines of a report that say how many states were judged, and how far apart their bounds are.

    Args:
        options: those of the command line.
        judged_count: the number of states that were judged.
        count: the number of all states.
        gap_text: the largest gap between a lower and an upper bound.
    """
    is_sample = options.sample is not None
    other_count = count - judged_count
    if not is_sample and other_count == 0:
        return [f"{count:,} of {count:,} states hold, with bounds at most {gap_text} apart"]
    part = "sample" if is_sample else "part"
    lines = [
        f"{part} of {judged_count:,} states: all hold; the other {other_count:,} were not checked",
        f"the bounds of these states are at most {gap_text} apart",
    ]
    if is_sample and other_count:
        # Only the random draw counts here. The start and what it leads to are judged as well, but in every sample.
        drawn_count = min(options.sample, count)
        chance = 1 - drawn_count / count
        lines += [
            f"one wrong line would be missed with probability {chance:.3g}, if the seed was chosen after the file was"
            " written",
            f"seed {options.seed}",
        ]
    return lines


ALL_BLOCKS = 0, inf


class Parser(argparse.ArgumentParser):
    """A parser that refuses a command line in one line."""

    def error(self, message):
        """Print one line and exit."""
        sys.exit(complain(f"keepwise-check: {message}", NOT_JUDGED))


def parse_blocks(words):
    """Return the first and the last block of the option --blocks: (3, 7) for the text "3-7"."""
    match = re.fullmatch(r"(\d{1,9})-(\d{1,9})", words, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"{words!a} is not A-B, for example 3-7")
    return int(match[1]), int(match[2])


def parse_count(words):
    """Return the whole number from 1 on that a text of an option says."""
    if not re.fullmatch(r"[1-9]\d{0,9}", words, re.ASCII):
        raise argparse.ArgumentTypeError(f"{words!a} is not a whole number of at least 1")
    return int(words)


def parse_options(arguments):
    """Return the options of the command line; a sample without a seed gets a random one.

    Args:
        arguments: the words of the command line after the name of the program; None for those of this process.
    """
    parser = Parser(prog="keepwise-check", description="Check that the bounds in a certificate hold.")
    parser.add_argument("file", help="the certificate, compressed with gzip or not")
    parser.add_argument("--sample", type=parse_count, metavar="N", help="check N random states and the start")
    parser.add_argument("--seed", type=int, help="seed of the sample (default: random, and printed)")
    parser.add_argument(
        "--blocks", type=parse_blocks, default=ALL_BLOCKS, metavar="A-B", help="check only the states of these blocks"
    )
    parser.add_argument(
        "--max-regret",
        type=float,
        default=MAX_REGRET,
        metavar="R",
        help="three or more players: fail if a player can gain more than R by deviating (default: 2 ** -20)",
    )
    parser.add_argument(
        "--processes", type=parse_count, default=1, metavar="N", help="check in N processes at once (default: 1)"
    )
    parser.add_argument("--progress", action="store_true", help="print the share of checked states on stderr")
    options = parser.parse_args(arguments)
    if options.sample is not None and options.blocks != ALL_BLOCKS:
        parser.error("--sample cannot be combined with --blocks")
    if options.seed is None:
        options.seed = secrets.randbelow(1 << 48)  # nobody who wrote the file can know it
    return options


def run(options):
    """Judge a file, and print the report, or one line on stderr that says why there is none; return the exit status.

    Args:
        options: those of the command line.
    """
    reader = Reader(options)
    try:
        sys.setrecursionlimit(RECURSION_LIMIT)
        certificate_report = check(options, reader)
    except DoesNotHoldError as error:
        return complain(f"FAIL {options.file}: {error}", FAILED)
    except CannotJudgeError as error:
        return complain(f"keepwise-check: cannot check {options.file}: {error}"[:MAX_MESSAGE], NOT_JUDGED)
    except Exception as error:  # whatever else a damaged file leads to
        reason = getattr(error, "strerror", None) or ascii(error)
        if isinstance(error, FileNotFoundError):
            reason = "file not found"
        elif isinstance(error, IsADirectoryError):
            reason = "it is a folder, not a file"
        place = f", read up to line {reader.last_line}" if reader.last_line else ""
        return complain(f"keepwise-check: cannot check {options.file}{place}: {reason}"[:MAX_MESSAGE], NOT_JUDGED)
    return print_report(certificate_report)


def print_report(certificate_report):
    """Print a report on stdout; return the exit status, which says whether it could be written."""
    try:
        print(*certificate_report.lines, certificate_report.verdict, sep="\n", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered goes nowhere
        return CLOSED_PIPE
    except OSError as error:
        with suppress(OSError):
            sys.stdout.close()
        return complain(f"keepwise-check: cannot write the report: {error.strerror}", NOT_WRITTEN)
    return PASSED


def complain(message, status):
    """Print one line on stderr, if that can be written; return the exit status.

    Args:
        message: the line.
        status: the exit status that is returned.
    """
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)
    return status


def main(arguments=None):
    """Run the command and exit.

    Args:
        arguments: the words of the command line after the name of the program; None for those of this process.
    """
    try:
        status = run(parse_options(arguments))
    except KeyboardInterrupt:
        status = complain("keepwise-check: interrupted", INTERRUPTED)
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
