"""A plain writer of certificates: slow, small, and good enough for a checker to have something to check.

For games that no pass proves yet. ``head`` says the rules of a game as the data of docs/certificate-format.md, from
the rules that the game compiles to. ``System`` is a second reading of the same game: its equations from the game as
people play it (``kw.play``), walked choice by choice and throw by throw. ``lines`` finds numbers that are strict by a
little at every state, from solved values; they prove nothing, the checker has to.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import floor
from typing import Any

from keepwise.certify.rules import turn
from keepwise.games import own_game
from keepwise.games.pushluck import PushRules
from keepwise.play.table import Table
from keepwise.play.walk import open_choices
from keepwise.version import ENGINE

BITS = 96
State = tuple[int, ...]


# --- rules as data


def head(table: Table[Any], **more: Any) -> dict[str, Any]:
    """The header of a certificate of what the table plays for."""
    turn, match = {"push": push, "hearts": hearts, "showdown": showdown}.get(
        table.game.family, {"rounds": crew, "card": card}.get(table.game.family, push)
    )(table)
    return {
        **table.question,
        "fingerprint": table.name.rpartition(":")[2],
        "engine": ENGINE,
        "id": table.name,
        "turn": turn,
        "match": match,
        "begins": list(state_of(table, table.start())),
        "cut": {},
        "bits": BITS,
        "tie": "0",
        "rate": [],
        **more,
    }


PLAIN = turn(own_game({"name": "plain", "dice": 6, "faces": 2, "singles": {"1": 1}, "target": 6}).data, "points")
PLAIN |= {"groups": [], "dice": []}


def push(table: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A push-your-luck game: a race, one turn, or one turn for each."""
    one_turn = table.game.data.finish == "one_turn" and table.players > 1
    rules: PushRules = table.alone.rules if one_turn else table.rules
    told = turn(rules, table.objective)
    if one_turn:
        return told, {"kind": "rounds", "rounds": 1, "target": 0}
    if table.objective in ("points", "rate"):
        return told, {"kind": "turn"}
    finish = "exact" if rules.finish == "exact" else "at_least"
    return told, {"kind": "race", "target": rules.target, "finish": finish}


def shown(faces: int, *counts: int) -> list[int]:
    """Counts of the first faces, and none of the others."""
    return [*counts, *[0] * (faces - len(counts))]


def hearts(table: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Hearts Due: one throw of six dice, which is special by its longest run."""
    rules = table.rules
    any_, wiped = [6] * 6, [3 if rules.exactly_3 else 6, 6, 6, 6, 6, 6]
    runs = [(6, rules.full)] + [(run, 5 * run) for run in range(5, 0, -1)]
    specials = [[shown(6, 3), wiped, "wipe", 0, 1]]
    specials += [[shown(6, *[1] * run), any_, "score", points, 1] for run, points in runs]
    turn = PLAIN | {"dice": [[6, [1] * 6]], "specials": specials, "once": True, "hot": "none"}
    race = {"kind": "race", "target": rules.target, "finish": "at_least"}
    return turn, {"kind": "turn"} if table.objective == "points" else race


def showdown(table: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Going to Boston: of each throw one die is set aside and scores; in Multiplication the last one multiplies."""
    single = [[[int(face == one) for one in range(6)], face + 1] for face in range(6)]
    times = [[counts, counts, "score", 0, points] for counts, points in single]
    turn = PLAIN | {"dice": [[3, [1] * 6]], "groups": single, "most": 1, "hot": "none", "stop": "all"}
    turn |= {"take": "free" if table.any else "all", "specials": times if table.game.id == "multiplication" else []}
    alone = table.objective == "points"
    return turn, {"kind": "turn"} if alone else {"kind": "rounds", "rounds": 1, "target": 0}


def crew(table: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Battleship."""
    alone = {"each": [True, True], "both": [False, False], "hybrid": [False, True]}[table.crew]
    turn = {"kind": "crew", "casts": 3, "faces": 6, "order": [6, 5, 4], "alone": alone}
    if table.objective == "points":
        return turn, {"kind": "turn"}
    if table.players == 1:
        return turn, {"kind": "race", "target": table.target, "finish": "at_least"}
    return turn, {"kind": "rounds", "rounds": table.rounds, "target": table.target if table.first_to else 0}


def card(table: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A card of categories: what each scores of every throw."""
    rules = table.card
    if rules.before or rules.ranges or rules.by_throw or rules.forced_zeros:
        raise NotImplementedError("boxes in order, ranges, and what hangs on the throws of a turn cannot be said")
    if rules.boxes == 2 and (rules.upper or rules.again):
        raise NotImplementedError("two boxes a turn do not go with a bonus")
    half = rules.dice // rules.boxes
    parts = [
        [dice.count(face) for face in range(rules.faces)]
        for dice in combinations_with_replacement(range(rules.faces), half)
    ]
    alike = [[rules.dice * (face == one) for one in range(rules.faces)] for face in range(rules.faces)]
    of_face = {category.face: number for number, category in enumerate(rules.categories) if category.face}
    return {
        "kind": "boxes",
        "dice": rules.dice,
        "weights": list(rules.weights),
        "throws": rules.throws,
        "boxes": rules.boxes,
        "scores": [[category.score(part) for part in parts] for category in rules.categories],
        "upper": [number for number, name in enumerate(rules.names) if name in rules.upper],
        "steps": [list(step) for step in rules.steps],
        "again": rules.names.index(rules.again) if rules.again else -1,
        "bonus": rules.again_bonus,
        "own": [of_face.get(face, -1) for face in range(1, rules.faces + 1)],
        "full": [[category.in_full(dice) for dice in alike] for category in rules.categories],
        "joker": rules.joker if rules.again else "none",
    }, {"kind": "card"}


# --- states


def state_of(table: Any, position: Any) -> State:
    """The state of a position between turns."""
    family, around = table.game.family, table.seats_from(table.mover(position))
    if family == "card":
        own = position.own
        return own.used, own.upper, int(own.flag)
    if (family == "rounds" and table.players > 1) or hasattr(position, "holders"):
        return standing(table, position)
    if table.objective in ("points", "rate"):
        busts = position.busts if getattr(position, "busts", ()) else ()
        opened = int(position.scores[0] > 0) if family == "push" and table.objective == "points" else 0
        return opened, *busts
    scores = tuple(position.scores[seat] for seat in around)
    busts = tuple(position.busts[seat] for seat in around) if getattr(position, "busts", ()) else ()
    return *scores, *busts, *((position.turns_left,) if table.objective == "reach" else ())


def standing(table: Any, position: Any) -> State:
    """Of rounds: which, who plays off, who is to move, and totals; of a pot the best total is that of who holds it."""
    first_to = getattr(table, "first_to", False)
    out = len(position.playoff) < table.players or first_to  # a playoff of all is the last round once more
    mask = sum(1 << seat for seat in position.playoff) if out else 0
    if table.objective in ("points",) and table.players == 1:
        return (0,)
    if hasattr(position, "holders"):
        sign = -1 if getattr(getattr(table, "alone", None), "fewer_is_better", False) else 1
        if table.players > 2:
            raise NotImplementedError("pots of three have more states than positions")
        totals = [sign * position.beat * (seat in position.holders) for seat in range(table.players)]
        number = 1
    else:
        totals = list(position.scores)
        number = table.rounds if mask else position.round
    low = 0 if getattr(table, "first_to", False) else min(totals)
    return number, mask, position.seat, *(total - low for total in totals)


# --- the same game as it is played


Row = tuple[
    Any, ...
]  # lower and upper number of the mover; of three and more what the mover decides by, then all seats'


class System:
    """Equations of a game, from the game as it is played: by state the nodes of its turn, each after those it needs.

    A node is ("leaf", what is paid by seat, state or None, seats on), ("best", nodes) or ("mean", [(ways, node), ...]).
    """

    def __init__(self, table: Any) -> None:
        sys.setrecursionlimit(100_000)
        self.table, self.players = table, table.players
        self.turns: dict[State, list[Any]] = {}
        self.positions: dict[State, Any] = {}
        self.todo = [table.start()]
        while self.todo:
            self.start = self.todo.pop()
            state = state_of(table, self.start)
            if state not in self.turns:
                self.positions[state], self.turns[state] = self.start, []
                self.places: dict[Any, int] = {}
                self.place(self.start, begins=True)

    def place(self, position: Any, begins: bool = False) -> int:
        """Where the node of a position stands among those of the turn."""
        if position not in self.places or begins:
            node = self.node(position, begins)
            nodes = self.turns[state_of(self.table, self.start)]
            if node not in self.places:
                self.places[node] = len(nodes)
                nodes.append(node)
            self.places[begins or position] = self.places[node]
        return self.places[begins or position]

    def node(self, position: Any, begins: bool) -> Any:
        """What may be done in a position, or fall."""
        table, stage = self.table, self.table.stage(position)
        if stage == "over" or (table.turn_begins(position) and not begins):
            return self.leaf(position, stage == "over")
        if stage == "choose":
            return "best", tuple(dict.fromkeys(self.place(one.after) for one in open_choices(table, position)))
        falls: dict[int, int] = {}
        for ways, after in table.throws(position):
            place = self.place(after)
            falls[place] = falls.get(place, 0) + ways
        return "mean", tuple((ways, place) for place, ways in falls.items())

    def leaf(self, position: Any, over: bool) -> Any:
        """What the end of a turn pays, and where the next one begins."""
        table, seat = self.table, self.table.mover(self.start)
        pays = tuple(table.outcome(position)[one] for one in table.seats_from(seat)) if over else (Fraction(0),)
        if table.objective == "turns":
            pays = (Fraction(-1),)
        if over and table.objective != "rate":
            return "leaf", pays, None, 0
        if table.objective == "points":  # of a card: what was entered is paid, and no longer part of the position
            pays = (Fraction(position.own.score - self.start.own.score),)
            position = replace(position, cards=(position.own._replace(score=0),))
        if not over:
            self.todo.append(position)
        return "leaf", pays * table.players, state_of(table, position), (table.mover(position) - seat) % table.players

    def row(
        self, state: State, lines: Mapping[State, Row], number: Callable[[Any], Any] = Fraction, tie: Any = 0
    ) -> Row:
        """What the turn of a state is worth by these lines."""
        rows: list[Row] = []
        for what, *parts in self.turns[state]:
            if what == "leaf":
                rows.append(self.paid(*parts, lines, number))
            elif what == "best":
                rows.append(self.best([rows[place] for place in parts[0]], tie))
            else:
                total = sum(ways for ways, _ in parts[0])
                columns = zip(*(tuple(ways * one for one in rows[place]) for ways, place in parts[0]), strict=True)
                rows.append(tuple(sum(column) / total for column in columns))
        return rows[-1]

    def paid(self, pays: Row, state: State | None, shift: int, lines: Mapping[State, Row], number: Any) -> Row:
        """What a leaf is worth."""
        n = self.players
        if state is None:
            both = [number(one) for one in pays for _ in (0, 1)]
            return tuple(both[:2] if n < 3 else both[:2] + both)
        line = lines[state]
        if n < 3:
            low, high = line[:2] if n == 1 else (1 - line[1], 1 - line[0])
            return number(pays[0]) + low, number(pays[0]) + high
        around = [one for seat in range(n) for one in line[2 * ((seat - shift) % n) :][:2]]
        by = line[2 * n + -shift % n]
        return by, by, *around

    def best(self, rows: list[Row], tie: Any) -> Row:
        """The best choice; of three and more what the play may choose, and for the mover the best reply."""
        top, most = max(row[0] for row in rows), max(row[1] for row in rows)
        if self.players < 3:
            return top, most
        near = [row for row in rows if row[1] + tie >= top]
        ends = [(max if place % 2 else min)(column) for place, column in enumerate(zip(*near, strict=True))]
        return top, most, ends[2], max(row[3] for row in rows), *ends[4:]


def lines(
    system: System, values: Mapping[State, Sequence[float]], slack: float = 1e-11, sweeps: int = 10_000
) -> dict[State, Row]:
    """Lines that are strict by about ``slack`` at every state: the numbers themselves, lower and upper, of one or two;
    of more those of every seat, then the stored ones.

    They begin at the values and move outward, U = F(U) + slack and L = F(L) - slack, until they stand still.
    """
    n = system.players
    seats = n if n > 2 else 1
    found: dict[State, Row] = {
        state: (*(one for value in told[:seats] for one in (value, value)), *(told if n > 2 else ()))
        for state, told in values.items()
    }
    for _ in range(sweeps):
        moved = 0.0
        for state, line in found.items():
            row = system.row(state, found, float, 4 * slack)[2 * (n > 2) :]
            ends = [one + (slack if place % 2 else -slack) for place, one in enumerate(row)]
            ends = [(max if place % 2 else min)(pair) for place, pair in enumerate(zip(ends, line, strict=False))]
            moved = max(moved, *(abs(new - old) for new, old in zip(ends, line, strict=False)))
            found[state] = (*ends, *line[len(ends) :])
        if moved < slack / 2:
            return found
    raise AssertionError("the lines do not come to rest")


def dyadic(number: Any, up: bool = False) -> int:
    """A number as so many of 2 ** -BITS, rounded down or up."""
    scaled = Fraction(number) * 2**BITS
    return -floor(-scaled) if up else floor(scaled)


def written(head: Mapping[str, Any], blocks: Iterable[Mapping[State, Row]]) -> str:
    """The certificate: lower numbers are rounded down, upper ones up."""
    text, count = ["keepwise certificate 1", json.dumps(head)], 0
    seats = head["players"] if head["players"] > 2 else 1
    for block in blocks:
        text.append("block")
        for state, line in block.items():
            told = [dyadic(one, place % 2 == 1) for place, one in enumerate(line[: 2 * seats])]
            told += [dyadic(one) for one in line[2 * seats :]]
            text.append(f"{','.join(map(str, state))} {' '.join(map(hexadecimal, told))}")
            count += 1
    return "\n".join([*text, f"end {count}", ""])


def hexadecimal(number: int) -> str:
    """Without 0x."""
    return f"{'-' * (number < 0)}{abs(number):x}"


def changed_head(text: str, change: Callable[[dict[str, Any]], object]) -> str:
    """A certificate with its header changed."""
    first, told, rest = text.split("\n", 2)
    read = json.loads(told)
    change(read)
    return f"{first}\n{json.dumps(read)}\n{rest}"
