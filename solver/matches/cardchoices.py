"""What may be done with a throw of a card game: which dice to keep, or where to enter the last throw."""

from __future__ import annotations

from itertools import product

import numpy as np

from ..advice import Choice
from ..core import multiset
from ..core.keep import LANES
from ..games.cardposition import CardPosition
from ..games.cards import Card
from ..turns.keep import Doubles, KeepTurn, KeepValue, Problems

NOTHING = "This throw must be entered somewhere; zeros are allowed."


def choices(
    card: Card,
    turn: KeepTurn,
    after: Doubles,
    problems: Problems,
    problem: int,
    lane: int,
    position: CardPosition,
    place: np.typing.NDArray[np.int64] | None = None,
) -> list[Choice]:
    """List the choices of a position in order of preference among equals.

    ``after`` (rows, width), ``problem`` and ``lane`` as for ``KeepTurn.solve``: the turn of this position.
    """
    if position.roll is not None and position.throw == card.throws:
        return _entries(card, turn, after, problems, problem, lane, position.roll, place)
    solved = turn.solve(after[None], problems, np.array([problem]), np.array([max(0, lane)]), inner=True, place=place)
    if position.roll is None:
        return [Choice(f"throw all {card.dice} dice", (), 0, card.dice, "roll", float(solved.value[0, 0, 0]))]
    return _keeps(card, turn, solved, position.throw, position.roll)


def turn_value(found: list[Choice]) -> float:
    """The best of the choices."""
    return max(choice.value for choice in found)


def _keeps(card: Card, turn: KeepTurn, solved: KeepValue, throw: int, roll: tuple[int, ...]) -> list[Choice]:
    assert solved.inner is not None
    worth, lattice = solved.inner[0, throw, :, 0, 0], turn.lattice
    kept = sorted(product(*(range(count + 1) for count in roll)), key=lambda counts: (-sum(counts), counts))
    found = []
    for counts in kept:
        dice = tuple(str(face) for face, count in enumerate(counts, 1) for _ in range(count))
        again = card.dice - len(dice)
        words = f"keep {' '.join(dice)}, throw {again} {'die' if again == 1 else 'dice'}"
        if not dice:
            words = f"throw all {card.dice} dice again"
        if not again:
            words = f"keep all: {' '.join(dice)}"
        found.append(Choice(words, dice, 0, again, "roll" if again else "end", float(worth[lattice.node(counts)])))
    return found


def _entries(
    card: Card,
    turn: KeepTurn,
    after: Doubles,
    problems: Problems,
    problem: int,
    lane: int,
    roll: tuple[int, ...],
    place: np.typing.NDArray[np.int64] | None,
) -> list[Choice]:
    throw = turn.lattice.node(roll) - turn.lattice.first_full
    found = []
    for option in range(problems.start[problem], problems.start[problem + 1]):
        column = int(problems.column[option])
        score = int(card.scores[column, throw])
        if score < 0 or not problems.first[option] <= throw < problems.last[option]:
            continue
        at = min(max(lane + int(turn.shift[column, throw]), 0), after.shape[1] - LANES)
        row = int(problems.row[option])
        if place is not None and turn.hop is not None:
            row = int(place[row + turn.hop[column, throw]])
        value = float(turn.gain[column, throw] + after[row, at])
        words, dice = _words(card, column, throw, score)
        found.append(Choice(words, dice, score, 0, "end", value))
    return sorted(found, key=lambda choice: -choice.points)


def _words(card: Card, column: int, throw: int, score: int) -> tuple[str, tuple[str, ...]]:
    """An entry in words, and the dice as they are entered: the first part's, then the second's."""
    if card.boxes == 1:
        return f"enter {score} in {card.names[column % len(card.names)]}", ()
    first, second, whole = card.splits
    here = slice(*np.searchsorted(whole, (throw, throw + 1)))
    a, b = card.pairs[column]
    sums = card.part_scores[a][first[here]] + card.part_scores[b][second[here]]
    best = int(np.argmax(sums))
    parts = multiset.multisets(card.dice // 2, card.faces)
    shown, dice = [], []
    for category, part in ((a, int(first[here][best])), (b, int(second[here][best]))):
        faces = [str(face) for face, count in enumerate(parts[part].tolist(), 1) for _ in range(count)]
        shown.append(f"{card.names[category]} {card.part_scores[category, part]} ({' '.join(faces)})")
        dice += faces
    return " and ".join(shown), tuple(dice)
