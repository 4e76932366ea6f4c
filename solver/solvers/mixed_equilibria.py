"""Cycles of a race of several players in which best replies go round in circles: an equilibrium with mixed turns.

What a mover's best turn is worth is convex in the worth z of a zero turn, a chain of straight lines. Where two lines
meet, at a *knee*, the mover is indifferent between two turns, which differ for the other seats. Best replies go round
where they jump over such knees; then some movers mix the two turns of a knee with shares that leave the others just as
indifferent at theirs. All lines near the circle are found, and all combinations of lines and knees are tried: for each
the shares solve a small system of equations, and it is an equilibrium if they are shares and every other z lies on its
line. There is one if the lines reach far enough (Kakutani).

What is stored with the position is the share, and for which worths of a zero turn the two turns were found to be best:
where their lines meet rounding decides between them, and where the lines hardly differ it does so for some way around.
So does a mover who makes one turn alone, but so close to a knee that the table itself would tell the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from ..turns.push_turn import Doubles
from .problem import MixedAction

SAME = 2.0**-44  # lines that differ by less are one
NEARLY = 2.0**-30  # by which a worth may miss its line where nothing else is found: the regret tells what that costs
ROUNDS = 24  # of best replies, of which the later half says where the circle lies
WIDER = (0.0, 1.0, 8.0, 64.0)  # how much further than the circle lines are looked for, in its widths
NEWTON = 60
MOST_COMBINATIONS = 200_000
NEAR = 2.0**-10  # of a knee that is told where to be found


@dataclass(frozen=True)
class Line:
    """A mover's turn from ``low`` to ``high``: the chance ``zero`` of a zero turn, and what else it brings every seat
    from the mover on. ``at``: the worth of a zero turn for which it was found.
    """

    low: float
    high: float
    at: float
    zero: float
    shares: tuple[float, ...]

    def same(self, other: Line) -> bool:
        """Whether it is the same turn, as far as anybody gets anything of it."""
        pairs = zip((self.zero, *self.shares), (other.zero, *other.shares), strict=True)
        return all(abs(mine - theirs) <= SAME for mine, theirs in pairs)


# Best turns of each mover for what a zero turn is worth: the chance of one, and the shares otherwise.
Respond = Callable[[int, Doubles], Sequence[Line]]


@dataclass(frozen=True)
class Settled:
    """``worth[i, j]``: what seat j of the cycle gets where i moves; ``turns[i]``: what i does then, and how."""

    worth: Doubles
    turns: tuple[tuple[Line, MixedAction], ...]


@dataclass(frozen=True)
class Held:
    """A cycle in which some movers mix as they are told: what comes of it, and by how much a zero turn is worth more to
    each of them than at the knee where the two turns are as good as each other.
    """

    settled: Settled
    missed: dict[int, float]


def hold(respond: Respond, bust: Doubles, shares: Mapping[int, float]) -> Held:
    """Best replies in a cycle where movers mix the turns of the nearest knee with given shares; ``bust``: a first guess
    of what a zero turn is worth to each mover.
    """
    seats = len(bust)
    for number in range(ROUNDS):
        turns, missed = [], {}
        for mover, z in enumerate(bust.tolist()):
            pair = nearest_knee(respond, mover, z) if mover in shares else None
            if pair is None:
                (line,) = respond(mover, bust[mover : mover + 1])
                turns.append((line, MixedAction(0.0, line.at, line.at)))
            else:
                share = shares[mover]
                turns.append((mixed(*pair, share), MixedAction(share, pair[0].at, pair[1].at)))
                missed[mover] = z - pair[0].high
        worth = chain([line for line, _ in turns])
        after = np.array([worth[(i + 1) % seats, i] for i in range(seats)])
        if np.abs(after - bust).max() <= 2.0**-52:
            break
        bust = after if number < ROUNDS // 2 else (after + bust) / 2
    return Held(Settled(worth, tuple(turns)), missed)


def nearest_knee(respond: Respond, mover: int, z: float) -> tuple[Line, Line] | None:
    """The lines on either side of a mover's knee nearest to a worth of a zero turn; None if there is none close by."""
    lines = _lines(respond, mover, max(0.0, z - NEAR), min(1.0, z + NEAR))
    return min(pairwise(lines), key=lambda pair: abs(pair[0].high - z), default=None)


def settle(respond: Respond, bust: Doubles, alike: Sequence[int]) -> Settled | None:
    """Find an equilibrium of a cycle; None where there is none near the circle.

    ``bust``: a first guess of what a zero turn is worth to each mover; ``alike``: the first mover at the same position
    as each, who does the same.
    """
    seats, met = len(bust), []
    for _ in range(ROUNDS):
        worth = chain([respond(i, bust[i : i + 1])[0] for i in range(seats)])
        bust = np.array([worth[(i + 1) % seats, i] for i in range(seats)])
        met.append(bust)
    least, most = np.min(met[ROUNDS // 2 :], axis=0), np.max(met[ROUNDS // 2 :], axis=0)
    for allowed, wider in product((SAME, NEARLY), WIDER):
        room = wider * max(float((most - least).max()), 1e-6)
        lines = [_lines(respond, i, max(0.0, least[i] - room), min(1.0, most[i] + room)) for i in range(seats)]
        found = _search(lines, alike, allowed)
        if found is not None:
            return found
    return None


def chain(turns: Sequence[Line]) -> Doubles:
    """What every seat gets at each position of a cycle where the movers make these turns: (movers, seats)."""
    return around(np.array([turn.zero for turn in turns]), np.array([turn.shares for turn in turns]))


def around(zero: Doubles, shares: Doubles) -> Doubles:
    """The same of many cycles at once, (movers, seats, ...), by the movers' chances of a zero turn, (movers, ...), and
    what else they bring every seat from the mover on, (movers, seats, ...). Who waits for ever gets nothing.
    """
    seats, worth = len(zero), np.zeros_like(shares)
    for j in range(seats):
        total, reached = np.zeros_like(zero[0]), np.ones_like(zero[0])
        for i in range(seats):
            total = total + reached * shares[i, (j - i) % seats]
            reached = reached * zero[i]
        np.divide(total, 1 - reached, out=worth[0, j, ...], where=reached < 1)
        for i in range(seats - 1, 0, -1):
            worth[i, j] = shares[i, (j - i) % seats] + zero[i] * worth[(i + 1) % seats, j]
    return worth


def mixed(one: Line, other: Line, share: float) -> Line:
    """One turn or, with this share, another."""
    return Line(
        one.high,
        other.low,
        one.at,
        (1 - share) * one.zero + share * other.zero,
        tuple((1 - share) * a + share * b for a, b in zip(one.shares, other.shares, strict=True)),
    )


def _lines(respond: Respond, mover: int, low: float, high: float) -> list[Line]:
    """A mover's lines between two worths of a zero turn, from the lowest up."""
    first, last = respond(mover, np.array([low, high]))
    return list(_between(respond, mover, first, last))


def _between(respond: Respond, mover: int, first: Line, last: Line) -> Iterator[Line]:
    """The lines from one to another, joined at their knees."""
    low, high = first.low, last.high
    if first.same(last) or first.zero >= last.zero:
        yield Line(low, high, first.at, first.zero, first.shares)
        return
    knee = (first.shares[0] - last.shares[0]) / (last.zero - first.zero)
    if not low < knee < high:
        yield Line(low, high, first.at, first.zero, first.shares)
        return
    (middle,) = respond(mover, np.array([knee]))
    above = middle.shares[0] + middle.zero * knee - (first.shares[0] + first.zero * knee)
    if above <= SAME or middle.same(first) or middle.same(last):
        yield Line(low, knee, first.at, first.zero, first.shares)
        yield Line(knee, high, last.at, last.zero, last.shares)
        return
    below = list(_between(respond, mover, first, middle))
    rest = list(_between(respond, mover, middle, last))
    joined = Line(below[-1].low, rest[0].high, middle.at, middle.zero, middle.shares)
    yield from (*below[:-1], joined, *rest[1:])


def _search(lines: Sequence[list[Line]], alike: Sequence[int], allowed: float) -> Settled | None:
    """Try all combinations of lines (numbers) and of knees (number and a half)."""
    places = [[half / 2 for half in range(2 * len(of) - 1)] for of in lines]
    count = 1
    for of in places:
        count *= len(of)
    if count > MOST_COMBINATIONS:
        return None
    for combination in product(*places):
        if any(combination[first] != place for first, place in zip(alike, combination, strict=True)):
            continue
        if (found := _try(lines, combination, allowed)) is not None:
            return found
    return None


def _try(lines: Sequence[list[Line]], places: Sequence[float], allowed: float) -> Settled | None:
    seats = len(lines)
    movers = [i for i, place in enumerate(places) if place % 1]

    def turns(shares: Doubles) -> list[Line]:
        found = [of[int(place)] for of, place in zip(lines, places, strict=True)]
        for i, share in zip(movers, shares, strict=True):
            found[i] = mixed(found[i], lines[i][int(places[i]) + 1], float(share))
        return found

    def missed(shares: Doubles) -> Doubles:
        worth = chain(turns(shares))
        return np.array([worth[(i + 1) % seats, i] - lines[i][int(places[i])].high for i in movers])

    shares = np.full(len(movers), 0.5)
    if movers:
        solved = _newton(missed, shares)
        if solved is None:
            return None
        shares = solved
    worth = chain(turns(shares))
    for i, place in enumerate(places):
        line, z = lines[i][int(place)], worth[(i + 1) % seats, i]
        if not place % 1 and not line.low - allowed <= z <= line.high + allowed:
            return None
    made, told = turns(shares), dict(zip(movers, shares.tolist(), strict=True))
    mixes = (
        MixedAction(told.get(i, 0.0), of[int(place)].at, of[int(place) + (i in told)].at)
        for i, (of, place) in enumerate(zip(lines, places, strict=True))
    )
    return Settled(worth, tuple(zip(made, mixes, strict=True)))


def _newton(missed: Callable[[Doubles], Doubles], shares: Doubles) -> Doubles | None:
    """Shares with which nothing is missed; None where they are no shares or there are none."""
    step = 2.0**-20
    for _ in range(NEWTON):
        now = missed(shares)
        if np.abs(now).max() <= 2.0**-52:
            break
        slopes = np.empty((len(shares), len(shares)))
        for place in range(len(shares)):
            moved = shares.copy()
            moved[place] += step
            slopes[:, place] = (missed(moved) - now) / step
        change = _eliminate(slopes, now)
        if change is None:
            return None
        shares = shares - change
        if np.abs(shares).max() > 10:
            return None
    good = np.abs(missed(shares)).max() <= SAME and shares.min() >= 0 and shares.max() <= 1
    return shares if good else None


def _eliminate(matrix: Doubles, right: Doubles) -> Doubles | None:
    """Solve a small linear system by elimination, the same bits on every machine; None if it is singular."""
    rows: NDArray[np.float64] = np.column_stack([matrix, right])
    size = len(right)
    for place in range(size):
        pivot = place + int(np.abs(rows[place:, place]).argmax())
        if abs(rows[pivot, place]) < 1e-12:
            return None
        rows[[place, pivot]] = rows[[pivot, place]]
        rows[place] /= rows[place, place]
        for other in range(size):
            if other != place:
                rows[other] -= rows[other, place] * rows[place]
    return rows[:, -1]
