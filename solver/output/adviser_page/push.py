"""What a page needs to know of a push-your-luck game: its turn in words, and what follows from a turn's end."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import product
from math import comb
from typing import Any

import numpy as np

from ...games.push_rules import Next
from ...play.choice_kinds import ChoiceKind
from ...play.choice_text import TextStyle, format_choice
from ...play.playable_game import Choice
from ...play.push import Play, PushPosition, show
from ...solvers import Problem, ValueTable
from ...solvers.push.problem import PushProblem
from ...util import progress_reporting
from ...util.errors import InputError
from .graph import ALWAYS, COUNTS, NOT, Form, TurnGraph
from .house_rules import house_rules

NEVER = 2.0**-60  # a chance that is left out
AT_ONCE = 64
FAR = 10**9  # more points than anybody has in a turn
MOST_VALUES = 1 << 23  # doubles that a page carries
OPEN_NUMBERS = TextStyle(points=lambda points: "{,}", bust_cost=lambda loss: "{c}")  # the page fills numbers in


def refused(match: Problem[Any]) -> dict[str, bool]:
    """What no page is made for."""
    if not isinstance(match, PushProblem):
        return {"games of one turn each": True}
    table, rules, several = match.playable, match.rules, match.players > 2
    return {
        "games in which a turn may be taken over": table.takes_over,
        "games with throws that count for nothing": rules.does("void"),
        "hands that are lost above some points": bool(rules.above),
        "openings where a score goes below 0": rules.floor < 0 and rules.opening > rules.minimum,
        "the objective rate": match.objective == "rate",
        "last rounds of three and more players": several and rules.finish == "last_round",
        # Where turns are mixed the page takes every bust for a zero turn.
        "busts that cost points with three and more players": several and bool(rules.costs),
    }


def parts(match: PushProblem, solved: ValueTable) -> dict[str, Any]:
    """The turn, the positions between turns and their values."""
    graph = push_graph(match.playable)
    between = _between(match, solved, graph)
    house, more = house_rules(match, push_graph)
    between["arrays"] |= more
    return {"graph": graph.as_json(), "turn": match.rules.turn, "house": house, **between}


# --- the turn in words


def push_graph(table: Play) -> TurnGraph:
    """The turn in words, walked in the game."""
    with progress_reporting.start_progress(f"writing the turn of {table.game.id}") as told:
        return _walked(table, told)


def _walked(table: Play, told: progress_reporting.ProgressCallback) -> TurnGraph:
    rules = table.rules
    graph = TurnGraph(rules.symbols)
    throws: tuple[Next, ...] = rules.throw_modes
    numbers = {throw: number for number, throw in enumerate(throws)}
    ways_out = free, _ = _with(table, 0), _with(table, FAR**2)
    rolled: dict[tuple[int, ...], int] = {}
    sizes = [rules.size(throw.dice) for throw in throws]
    rolls = [comb(size + len(rules.symbols) - 1, size) for size in sizes]  # of dice that are alike, which are the most
    for number, throw in enumerate(throws):
        told(sum(rolls[:number]) / sum(rolls))
        here = _throwing(free, throw)
        falls, weights = [], []
        for ways, fallen in free.throws(here):
            assert fallen.roll is not None
            if fallen.roll not in rolled:
                rolled[fallen.roll] = _roll(table, ways_out, graph, numbers, fallen)
            falls.append(rolled[fallen.roll])
            weights.append(ways)
        before = -1 if throw.forced else _before(table, ways_out, graph, numbers, throw)
        mode, way = (rules.chosen, throw.dice - 1) if rules.choose else (rules.mode_of(throw), 0)
        graph.throw(
            _form(table, throw, "forced" if throw.forced else "throwing"),
            falls,
            weights,
            dice=rules.size(throw.dice),
            before=before,
            mode=mode,
            way=way,
            words=free.throw_in_words(here)[0],
            offset=rules.held(0, throw.dice),
            held=_bits(table, throw),
            forced=throw.forced,
            note=table.note(here) if throw.forced else "",
        )
    return graph


def _bits(table: Play, throw: Next) -> str:
    """The points in hand, in units, before a throw, up to the target and some more: as bits, in hexadecimal digits."""
    units = table.rules.target // table.rules.grain + 64
    return f"{table.held.before(units * table.rules.grain).get(throw, 0) & (1 << units) - 1:x}"


def _with(table: Play, least: int) -> Play:
    """The same game where so many points are the fewest that count, and the target is too far to matter."""
    like = copy(table)
    like.rules = replace(
        table.rules, opening=least, minimum=least, minimum_on_win=True, finish="at_least", target=FAR**2
    )
    like.goal = FAR**2
    return like


def _throwing(table: Play, throw: Next) -> PushPosition:
    begins = table.begin((0,) * table.players, 0, table.turns)
    return replace(begins, dice=throw.dice, turn=FAR, forced=throw.forced, throwing=not throw.forced, over=throw.over)


def _form(table: Play, throw: Next, flag: str = "") -> Form:
    rules = table.rules
    hand = ",".join(rules.names_of(throw.dice)) if rules.kinds else str(throw.dice)
    over = (("over", "".join(rules.faces[face] for face in throw.over)),) if throw.over else ()
    return (("turn", "{}"), ("dice", hand), *over, *(((flag, "true"),) if flag else ()))


def _roll(
    table: Play, ways_out: tuple[Play, Play], graph: TurnGraph, numbers: dict[Next, int], fallen: PushPosition
) -> int:
    """Enter what may be done with a roll."""
    rules = table.rules
    assert fallen.roll is not None
    form = tuple(pair for pair in _form(table, Next(fallen.dice)) if not rules.kinds or pair[0] == "turn")
    note = table.note(replace(fallen, turn=0))
    choices = _offered(ways_out, graph, numbers, fallen)
    return graph.decision(choices, (*form, ("roll", "*")), show(rules, fallen.roll), note)


def _before(table: Play, ways_out: tuple[Play, Play], graph: TurnGraph, numbers: dict[Next, int], throw: Next) -> int:
    """Enter the decision before a throw; where dice are chosen that is the one in which a turn begins."""
    if table.rules.choose:
        return -1
    position = replace(_throwing(table, throw), throwing=False)
    return graph.decision(_offered(ways_out, graph, numbers, position), _form(table, throw))


def _offered(
    ways_out: tuple[Play, Play], graph: TurnGraph, numbers: dict[Next, int], position: PushPosition
) -> list[int]:
    """The choices of a decision: those whose bank counts and those whose bank does not, each with when it is there.
    ``ways_out``: the game in which every bank counts, and the one in which none does.
    """
    position = replace(position, turn=FAR)
    some, none = (_entries(table, graph, numbers, position) for table in ways_out)
    found, rest = [], list(none)
    for entry in some:
        common = entry in rest
        while common and rest[0] != entry:
            found.append(graph.choice(*rest.pop(0), when=NOT))
        if common:
            rest.pop(0)
        found.append(graph.choice(*entry, when=ALWAYS if common else COUNTS))
    return found + [graph.choice(*entry, when=NOT) for entry in rest]


def _entries(
    table: Play, graph: TurnGraph, numbers: dict[Next, int], position: PushPosition
) -> list[tuple[Choice[None], str, int, str, int]]:
    """The choices of a decision as the graph enters them."""
    found = []
    for one in table.choices(position):
        after, add = one.after, one.points - position.turn
        assert one.data is not None
        if one.kind is ChoiceKind.ROLL:
            kind, to = "throw", numbers[Next(after.dice, after.forced, after.over)]
        else:
            kind, to, add = one.kind.value, 0, add if one.kind in (ChoiceKind.BANK, ChoiceKind.STOP) else 0
        plain: Choice[None] = Choice("", one.keep, 0, one.dice_left, one.then, None)
        found.append((plain, format_choice(one.kind, one.data, OPEN_NUMBERS), add, kind, to))
    return found


# --- between turns


def _between(match: PushProblem, solved: ValueTable, graph: TurnGraph) -> dict[str, Any]:
    table, rules = match.playable, match.rules
    one_turn = match.objective == "points"
    scores = [int(score) * rules.grain for score in match.listed_scores()]
    counts = range(max(1, len(rules.costs)))
    states = list(product(scores, counts))
    lefts = range(1, table.turns + 1) if table.turns else (0,)
    lines = len(states) ** match.players * len(lefts)
    if lines * max(1, match.players - 1) > MOST_VALUES:
        raise InputError(f"a page would hold the values of {lines:,} positions, more than a browser should be given")
    arrays: dict[str, Any] = {"caps": _caps(match, solved, states, lefts)}
    if match.players > 2:
        mixed = solved.arrays["mixed"]
        arrays["mixed"] = np.ascontiguousarray(mixed[mixed[:, 0] >= 0])  # place, share of the second turn, low, high
        arrays["win"] = np.ascontiguousarray(solved.arrays["win"][..., :-1]).reshape(-1)
    elif not one_turn:
        starts = list(_starts(table, states, lefts))
        arrays["win"] = match.seat_values(solved, starts).values[:, 0]
    if match.players == 2 and table.finish == "last_round":
        arrays["last"] = _last_turns(match, solved, scores)
    others = (0,) * (match.players - 1)
    least = [table.counting_from(table.begin((score, *others), 0, table.turns)) for score in scores]
    at_last = [
        table.counting_from(table.begin((score, *[table.goal] * len(others)), 0, table.turns)) for score in scores
    ]
    facts: dict[str, Any] = {
        "grain": rules.grain,
        "sign": 1 if rules.best == "highest" else -1,
        "bank": rules.held(0, 0),
        "scores": scores,
        "least": least,
        "at_last": at_last,
        "floor": rules.floor,
        "target": table.goal,
        "finish": "one_turn" if one_turn else table.finish,
        "lowest": rules.best == "lowest",
        "turns": table.turns,
        "busted": [[rules.busted(score, count) for count in counts] for score in scores] if rules.costs else [],
        "costs": list(rules.costs),
        "at_cost": [table.at_what_cost(replace(table.start(), busts=(count,) * table.players)) for count in counts],
        "choose": rules.choose,
        "passes": rules.passes,
        "fresh": _root(table, graph),
        "banks": f"{_banked(table):x}",
        "wrong": [] if one_turn or rules.costs else _wrong(table, set(scores)),
    }
    return {
        "family": "push",
        "kernel": "push",
        "channels": "seats" if match.players > 2 else "mover",
        "match": facts,
        "arrays": arrays,
    }


def _root(table: Play, graph: TurnGraph) -> int:
    """The throw, or the choice of dice, with which a turn begins."""
    throws = table.rules.throw_modes
    numbers = {throw: number for number, throw in enumerate(throws)}
    if table.rules.choose:
        words = table.choices(table.start())
        entries = [
            graph.choice(
                Choice("", one.keep, 0, one.dice_left, one.then, None),
                one.action,
                0,
                "throw",
                numbers[Next(one.after.dice)],
            )
            for one in words
        ]
        return graph.decision(entries, ())
    return numbers[Next(table.rules.dice)]


def _banked(table: Play) -> int:
    """The points that a turn can bank, in units, up to the target and some more, as bits."""
    units = table.rules.target // table.rules.grain + 64
    held = table.held.before(units * table.rules.grain)
    banked = 0
    for throw, points in held.items():
        banked |= 0 if throw and throw.forced else points
    return banked & (1 << units) - 1 & ~1


def _wrong(table: Play, scores: set[int]) -> list[tuple[int, int, str]]:
    """Runs of numbers that nobody can hold between turns, and why, in the words with which they are refused."""
    found: list[tuple[int, int, str]] = []
    grain, most = table.rules.grain, table.goal
    for score in [*range(-grain, most + grain, grain), FAR]:
        if score in scores:
            continue
        try:
            table.make(score=score)
            continue
        except InputError as error:
            words = str(error).replace(f"score {score}", "{who} {}", 1)
        if found and found[-1][2] == words and (found[-1][1] + grain == score or score == FAR):
            found[-1] = (found[-1][0], score, words)
        else:
            found.append((score, score, words))
    return found


def _starts(table: Play, states: list[tuple[int, int]], lefts: Any) -> Iterator[PushPosition]:
    for left in lefts:
        for line in product(states, repeat=table.players):
            busts = tuple(count for _, count in line) if table.rules.costs else ()
            yield table.begin(tuple(score for score, _ in line), 0, left, busts)


def _caps(match: PushProblem, solved: ValueTable, states: list[tuple[int, int]], lefts: Any) -> Any:
    """Where the table of each turn ends, in units: by the mover's state or, where it matters, by those of both."""
    table = match.playable
    if match.players == 2 and table.finish == "last_round":
        starts = list(_starts(table, states, lefts))
    else:
        others = (states[0],) * (match.players - 1)
        lines = [(state, *others) for state in states]
        starts = [
            table.begin(tuple(s for s, _ in line), 0, left, tuple(c for _, c in line) if table.rules.costs else ())
            for left in lefts
            for line in lines
        ]
    return match.turn_caps(solved, starts)


def _last_turns(match: PushProblem, solved: ValueTable, scores: list[int]) -> Any:
    """The chance of a last turn by how far it is behind, in units: before the first bank, and after it."""
    table, grain, target = match.playable, match.rules.grain, match.rules.target
    found: list[list[float]] = []
    for mine in (0, scores[-1]):
        chances = [0.0] * ((target - mine) // grain)  # the game would go on
        while True:
            behind = range(len(chances), len(chances) + AT_ONCE)
            starts = [table.begin((mine, mine + one * grain), 0, 0) for one in behind]
            chances += match.seat_values(solved, starts).values[:, 0].tolist()
            if chances[-1] <= NEVER:
                break
        found.append(chances)
    most = max(map(len, found))
    return np.array([chances + [0.0] * (most - len(chances)) for chances in found])
