"""Sheets of games by the round: Battleship's crew dice, and the odds where there is nothing to choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..advice import cost, percent, worth
from ..core.push import LANES
from ..errors import InputError
from ..games.rounds import Move, RoundTurn, Situation
from ..matches import match as make_match
from ..matches.evaluation import evaluate_rounds
from ..matches.hearts import Chain
from ..matches.roundchoices import choices
from ..turns.exact import exact_turn
from . import Sheet, Table, facts

if TYPE_CHECKING:
    from ..solution import Solution

NO_CHOICE = ("There is nothing to choose in this game, so a sheet costs nothing; these are the odds.",)


def make(solution: Solution, progress: Callable[[float], None]) -> Sheet:
    """Return the sheet."""
    return {"rounds": _battleship, "showdown": _showdown, "hearts": _hearts}[solution.game.family](solution)


def points_policy(rules: RoundTurn) -> RoundTurn:
    """The turn of somebody who plays every round for the most points."""
    most = rules.most
    payoff = np.zeros((1, most + 3, LANES))
    payoff[0, 1 : most + 2] = np.arange(most + 1)[:, None]
    solved = rules.turn.solve(payoff, np.full(LANES, most + 1, dtype=np.int32), inner=True)
    assert solved.inner is not None
    before = solved.inner[0, :, 0, 0]

    def value(move: Move) -> float:
        return float(move) if isinstance(move, int) else float(before[rules.situations[move]])

    def throw(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        for weight, moves in rules.throw(situation):
            yield weight, (max(moves, key=value),)

    return RoundTurn(rules.start, throw, rules.read, decides=False)


def _battleship(solution: Solution) -> Sheet:
    match: Any = solution.match
    if match.objective not in ("points", "win"):
        raise InputError(f"a sheet is made for points or win, not for {match.objective}")
    rules: RoundTurn = solution.game.data
    points = make_match(solution.game, "points")
    scores = np.arange(rules.most + 1, dtype=np.float64)
    rows = []
    pairs = [(high, low) for high in range(6, 0, -1) for low in range(high, 0, -1)]
    for high, low in pairs:
        row = [f"{high} {low}"]
        for cast in (1, 2):
            _, inside = points.read(cast=cast, kept="654" if cast == 2 else None, roll=f"654{high}{low}")
            found = choices(rules, scores, inside)
            row.append(
                max(found, key=lambda choice: choice.value).action.replace("recast both crew dice", "recast both")
            )
        rows.append(tuple(row))
    lines = (
        "Set aside a 6, then a 5, then a 4, as soon as they show in that order; cast the other dice again.",
        "With the three, decide on the crew dice as told below; after the third cast everything stands.",
    )
    judged = evaluate_rounds(match, solution.solved, points_policy(rules))
    told = [
        f"Playing by this sheet: {worth(judged.value, match.objective)}; perfectly:"
        f" {worth(judged.optimal, match.objective)}. The sheet costs {cost(judged.loss, match.objective)}"
        f" (exactly {judged.loss:.3g}, within {judged.error_bound:.1g})."
    ]
    if judged.second:
        told.append(f"Moving second: {worth(judged.second[0], 'win')}; perfectly {worth(judged.second[1], 'win')}.")
    table = Table("The crew", ("crew dice", "two casts left", "one cast left"), tuple(rows))
    return Sheet("Battleship: a sheet to play by", facts(solution), lines, (table,), tuple(told))


def _showdown(solution: Solution) -> Sheet:
    rules: RoundTurn = solution.game.data
    _, chances = exact_turn(rules.turn, range(rules.most + 1))
    win: Any = make_match(solution.game, "win", 2)
    solved = win.solve(1, lambda done: None)
    rows, below = [], 0.0
    for total in rules.scores:
        chance = float(chances.get(total, 0))
        against = win.value(solved, win.read(beat=total, seat=1)).value
        rows.append((str(total), percent(chance), percent(1 - below), percent(against)))
        below += chance
    table = Table(
        "Totals",
        ("total", "exactly", "at least", "you win against it"),
        tuple(rows),
        "The last column: you are the last of two to play; ties are played again.",
    )
    lines = ("Set aside the highest die of each throw.",)
    note = NO_CHOICE
    if rules.decides:
        note = ("Setting aside the highest die is best for every purpose, so this sheet costs nothing.",)
    return Sheet(f"{solution.game.title}: the odds", facts(solution), lines, (table,), note)


def _hearts(solution: Solution) -> Sheet:
    rules = solution.game.data
    total = sum(rules.ways.values()) + rules.wiped
    rows = [(str(points), f"{ways:,}", percent(ways / total)) for points, ways in sorted(rules.ways.items())]
    rows.append(("wiped to 0", f"{rules.wiped:,}", percent(rules.wiped / total)))
    chain = Chain(rules, rules.target)
    expected = chain.expected()
    some = chain.scores[:: max(1, len(chain.scores) // 10)].tolist()
    win: Any = make_match(solution.game, "win", 2)
    grid = []
    for mine in some:
        row = [str(mine)]
        for theirs in some:
            position = win.read(score=mine, opponents=[theirs])
            row.append(
                percent(win.value(win.solve_from(position, 1, lambda done: None), position).value).replace(" ", "")
            )
        grid.append(tuple(row))
    turns = [(str(score), f"{float(expected[chain.place(score)]):.2f}") for score in some]
    tables = (
        Table("One throw", ("points", f"of {total:,}", "chance"), tuple(rows)),
        Table(f"Turns to {rules.target}", ("score", "turns"), tuple(turns)),
        Table("You win, before your throw, by your score (rows) and theirs", ("", *map(str, some)), tuple(grid)),
    )
    return Sheet(
        "Hearts Due: the odds", facts(solution), ("Throw all six dice; there is nothing to choose.",), tables, NO_CHOICE
    )
