"""What limits bring of the win of two against the best, for many policies at once.

Who plays by limits knows a turn's points, and at most in which band both scores lie: the chances of its banks are
walked once for each band and own score. The other decides by the solved table, whatever is played against it: the
chances of its banks are walked once for each pair of scores, and kept. What is left is a sum over banks. With a our
score and b the other's, F our chance to win before our turn, G before the other's, p and q the chances of banks, and
z and w those of turns that change no score,

    F[a, b] = sum_t p[t] G[a + t, b] + z G[a, b],    G[a, b] = sum_t q[t] F[a, b + t] + w F[a, b],

two lines in two unknowns, highest scores first. The prices that are told come from ``Followed``, with their bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS, WIN
from ...matches import Cost, Solved
from ...matches.equations import Workers
from ...matches.push.match import Lanes
from ...matches.push.matches import Race
from ...turns.climb import climbs
from ...turns.push import Choice, Doubles, PushTurn
from . import LEVELS

Ints = NDArray[np.int64]
Line = tuple[int, ...]  # limits by dice left less 1, in units
Stops = Callable[[int, int], NDArray[np.bool_]]  # points in hand and mode -> lanes
Moves = Callable[
    [int, int, Doubles], Iterator[tuple[int, int, Doubles]]
]  # these, and how often -> mode, points, how often
LADDER = [*range(1, 20), *(20 * 1.15**step for step in range(40))]  # numbers tried, in units
RISE = 1e-12  # what is no more than rounding
TOGETHER = 32  # policies judged together
AT_A_TIME = 1024  # pairs of scores whose turns are walked together
WALKING, JUDGING = 3e-9, 3.2e-5  # seconds of a pair of scores: for each point and choice, for each judgement
CLIMBING, CELLS = 5, 16  # times that they are: for each die, by bands


class Banks(NamedTuple):
    """Chances of banks: of each that counts and does not win (points, lanes), of winning, and of changing nothing."""

    banks: Doubles
    win: Doubles
    zero: Doubles


def can_be_won(match: Race) -> bool:
    """Whether turns are those that are walked here: points grow until a turn ends, whoever holds any may stop or throw
    on, and nothing is exact.
    """
    turn = match.states.turn
    plain = all(len(mode.throws) == 1 and mode.bank == 0 for mode in turn.modes)
    rules = match.states.rules
    ends = rules.finish != "last_round" and rules.take_over == "none" and not match.states.falls
    return climbs(turn) and plain and ends and not turn.forbid and match.states.kinds == 1


@dataclass
class Winning:
    """A race, solved once somebody asks for more than what it is."""

    match: Race

    @cached_property
    def solved(self) -> Solved:
        """Its values."""
        return self.match.solve(1, lambda done: None)

    def cost(self, level: int) -> Cost:
        """Roughly what finding the strategy of a level takes."""
        pairs, cap, rules = float(len(self.scores) ** 2), int(self.match.states.caps.max()), self.match.states.rules
        times = cap / TOGETHER + (CLIMBING * rules.dice if level > 1 else 0) + (CELLS if level == len(LEVELS) else 0)
        return Cost(8 * pairs * cap, pairs * (WALKING * cap * self.match.states.turn.choices + JUDGING * times))

    @cached_property
    def scores(self) -> Ints:
        """Every score, in units."""
        return self.match.states.scores

    @cached_property
    def place(self) -> Ints:
        """The place of each score among them."""
        found = np.full(self.match.states.target, -1)
        found[self.scores] = np.arange(len(self.scores))
        return found

    def by_lines(self, lines: Sequence[Line], keep: Mapping[tuple[Choice, ...], int]) -> Banks:
        """Turns by limits, from every score: lanes are lines by scores."""
        states, turn = self.match.states, self.match.states.turn
        own = np.tile(self.scores, len(lines))
        limits = np.array(lines).repeat(len(self.scores), axis=0)
        caps, counts = (by[own - states.low] for by in (states.caps_by_score, states.counts_by_score))
        shares = list[dict[tuple[int, int], float]]()
        for mode in turn.modes:
            found: dict[tuple[int, int], float] = {}
            for throw in mode.throws:
                whole = sum(weight for _, weight in throw.classes)
                for offered, weight in throw.classes:
                    best = int(np.argmax([choice.add for choice in offered]))
                    made = offered[keep.get(offered, best)]
                    found[made.next, made.add] = found.get((made.next, made.add), 0.0) + weight / whole
            shares.append(found)

        def stops(unit: int, number: int) -> NDArray[np.bool_]:
            enough = (unit >= limits[:, min(number, states.rules.dice - 1)]) | (unit >= caps)
            stopped: NDArray[np.bool_] = enough & (unit >= counts)
            return stopped

        def moves(unit: int, number: int, goes: Doubles) -> Iterator[tuple[int, int, Doubles]]:
            for (after, add), share in shares[number].items():
                yield after, add, goes * share

        return self._walked(own, stops, moves)

    def _by_table(self, own: Ints, ours: Ints) -> Banks:
        """Turns of the other, who decides by the table."""
        match, turn = self.match, self.match.states.turn
        equations = match.equations
        pairs = own * equations.width + ours
        payoff = equations.paid(partial(match.read, self.solved), equations.links(pairs))[None]
        lanes = Lanes(turn, payoff, equations.caps(pairs), payoff.shape[1] - SPECIALS)
        decided = turn.solve(*lanes.copies(), decisions=True).decisions
        assert decided is not None
        nodes = decided[..., : len(pairs)]
        first = np.cumsum([0, *(sum(len(throw.classes) for throw in mode.throws) for mode in turn.modes)])
        caps, last = lanes.caps, len(nodes) - 1

        def stops(unit: int, number: int) -> NDArray[np.bool_]:
            stopped: NDArray[np.bool_] = np.logical_or(nodes[min(unit, last), number] == 0, unit >= caps)
            return stopped

        def moves(unit: int, number: int, goes: Doubles) -> Iterator[tuple[int, int, Doubles]]:
            (throw,) = turn.modes[number].throws
            whole = sum(weight for _, weight in throw.classes)
            for place, (offered, weight) in enumerate(throw.classes, len(turn.modes) + int(first[number])):
                share = goes * (weight / whole)
                chosen = nodes[min(unit, last), place]
                for choice, made in enumerate(offered):
                    if len(offered) == 1:
                        yield made.next, made.add, share
                    elif (here := np.equal(chosen, choice)).any():
                        yield made.next, made.add, np.where(here, share, 0.0)

        return self._walked(self.scores[own], stops, moves)

    def _walked(self, own: Ints, stops: Stops, moves: Moves) -> Banks:
        """What turns from these scores come to; with a cap's points whoever may stop does."""
        states, turn = self.match.states, self.match.states.turn
        caps, counts = (by[own - states.low] for by in (states.caps_by_score, states.counts_by_score))
        rows = turn.rows(int(caps.max()))
        visits = np.zeros((len(turn.modes), rows, len(own)))
        visits[turn.start, 0] = 1.0
        banked, win = np.zeros((int(caps.max()), len(own))), np.zeros(len(own))
        for unit in range(rows):
            for number in self._order:
                goes = visits[number, unit]
                if not goes.any():
                    continue
                if turn.modes[number].bank is not None:
                    stopped = np.where(stops(unit, number), goes, 0.0)
                    win += np.where(unit >= caps, stopped, 0.0)
                    if unit < len(banked):
                        banked[unit] += np.where((unit >= caps) | (unit < counts), 0.0, stopped)
                    goes = goes - stopped
                for after, add, share in moves(unit, number, goes) if goes.any() else ():
                    if after >= 0:
                        visits[after, unit + add] += share
                    elif after == WIN.next:
                        win += share
        return Banks(banked, win, 1 - win - banked.sum(axis=0))

    @cached_property
    def _order(self) -> list[int]:
        """Modes, those first that lead to others without points."""
        return [number for group in reversed(self.match.states.turn.groups) for number in group]

    @cached_property
    def other(self) -> Banks:
        """The other's turns by the table: banks (own score, ours, points), wins and turns that change nothing."""
        count, top = len(self.scores), int(self.match.states.caps_by_score.max())
        banks, win, zero = np.zeros((count, count, top)), np.zeros((count, count)), np.zeros((count, count))
        pairs = np.arange(count * count)
        for begin in range(0, len(pairs), AT_A_TIME):
            own, ours = np.divmod(pairs[begin : begin + AT_A_TIME], count)
            found = self._by_table(own, ours)
            banks[own, ours, : len(found.banks)] = found.banks.T
            win[own, ours], zero[own, ours] = found.win, found.zero
        return Banks(banks, win, zero)

    def chances(self, pool: Banks, lines: Ints, band_of: Ints) -> Doubles:
        """The mean of the chances from both seats, of several policies: ``lines`` (policies, bands, own scores) of the
        pool, by the band of the other's score.
        """
        count = len(self.scores)
        own = np.arange(count)
        win, zero = (one.reshape(-1, count)[lines, own] for one in (pool.win, pool.zero))
        banks = pool.banks.reshape(len(pool.banks), -1, count)
        made: NDArray[np.bool_] = np.any(banks, axis=1)  # points, own
        first, second = np.zeros((len(lines), count, count)), np.zeros((len(lines), count, count))
        for a in range(count - 1, -1, -1):
            constant = win[:, band_of, a]
            for points in np.flatnonzero(made[:, a]).tolist():
                after = self.place[self.scores[a] + points]
                constant = constant + banks[points, :, a][lines[:, :, a]][:, band_of] * second[:, after]
            for b in range(count - 1, -1, -1):
                theirs = self.other.banks[b, a]
                some = np.flatnonzero(theirs)
                held = (first[:, a, self.place[self.scores[b] + some]] * theirs[some]).sum(axis=1)
                again, back = zero[:, band_of[b], a], self.other.zero[b, a]
                first[:, a, b] = (constant[:, b] + again * held) / (1 - again * back)
                second[:, a, b] = held + back * first[:, a, b]
        found: Doubles = (first[:, 0, 0] + second[:, 0, 0]) / 2
        return found

    def most(self, turn: PushTurn) -> float:
        """The most that who makes these turns wins of the two seats, however both scores decide: no limits that only
        look at the turn bring more. Turns that change nothing are worth 1 at first, and less in every round after it,
        never less than they are.
        """
        equations, count = self.match.equations, len(self.scores)
        first, second = np.ones((count, count)), np.ones((count, count))
        total = self.scores[:, None] + self.scores

        def lost(pairs: Ints) -> Doubles:
            theirs, ours = np.divmod(pairs, equations.width)
            return np.asarray(1 - second[ours, theirs])

        for layer in np.unique(total)[::-1]:
            a, b = np.nonzero(total == layer)
            pairs, held = a * equations.width + b, np.zeros(len(a))
            links, caps, back = equations.links(pairs), equations.caps(pairs), self.other.zero[b, a]
            for lane, (mine, theirs) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
                banks = self.other.banks[theirs, mine]
                some = np.flatnonzero(banks)
                held[lane] = (first[mine, self.place[self.scores[theirs] + some]] * banks[some]).sum()
            moved = 1.0
            while moved > RISE:
                payoff = equations.paid(lost, links)[None]
                first[a, b] = Workers().solve(turn, payoff, caps).value[0, : len(pairs)]
                then = held + back * first[a, b]
                moved, second[a, b] = float(np.abs(second[a, b] - then).max()), then
        return float(first[0, 0] + second[0, 0]) / 2

    def of_lines(self, lines: Sequence[Line], keep: Mapping[tuple[Choice, ...], int]) -> Doubles:
        """The same of limits that are the same whatever the scores."""
        found = []
        for begin in range(0, len(lines), TOGETHER):
            some = lines[begin : begin + TOGETHER]
            which = np.arange(len(some))[:, None, None].repeat(len(self.scores), axis=2)
            found.append(self.chances(self.by_lines(some, keep), which, np.zeros(len(self.scores), dtype=np.int64)))
        return np.concatenate(found)

    def best_number(self) -> tuple[Line, float]:
        """The one number that wins most often, of all."""
        dice = self.match.states.rules.dice
        lines = [(number,) * dice for number in range(1, int(self.match.states.caps_by_score.max()) + 1)]
        found = self.of_lines(lines, {})
        return lines[int(found.argmax())], float(found.max())

    def climbed(self, lines: Sequence[Line], keep: Mapping[tuple[Choice, ...], int]) -> tuple[Line, float]:
        """The best of some lines, improved number by number as long as one that is tried wins more often."""
        found = self.of_lines(lines, keep)
        best, most = lines[int(found.argmax())], float(found.max())
        cap = int(self.match.states.caps_by_score.max())
        numbers = {min(cap, round(number)) for number in LADDER}
        while True:
            before = most
            for place in range(len(best)):
                near = {number for number in numbers if best[place] <= 2 * number <= 4 * best[place]}
                near |= {*range(max(1, best[place] - 2), min(cap, best[place] + 2) + 1)}
                others = [(*best[:place], number, *best[place + 1 :]) for number in sorted(near)]
                found = self.of_lines(others, keep)
                if found.max() > most + RISE:
                    best, most = others[int(found.argmax())], float(found.max())
            if most <= before + RISE:
                return best, most

    def by_bands(
        self, lines: Sequence[Line], keep: Mapping[tuple[Choice, ...], int], band_of: Ints
    ) -> tuple[Ints, float]:
        """For each band of the own score and of the other's (own, other) a line of these, the first to begin with: the
        one that wins most often, cell by cell, those with the highest scores first.
        """
        pool, bands = self.by_lines(lines, keep), int(band_of.max()) + 1
        chosen, most = np.zeros((bands, bands), dtype=np.int64), 0.0
        for mine, theirs in sorted(product(range(bands), repeat=2), key=lambda cell: (-sum(cell), cell)):
            tried = chosen[None].repeat(len(lines), axis=0)
            tried[:, mine, theirs] = np.arange(len(lines))
            found = self.chances(pool, tried[:, band_of].transpose(0, 2, 1), band_of)
            chosen[mine, theirs], most = int(found.argmax()), float(found.max())
        return chosen, most
