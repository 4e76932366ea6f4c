"""Races in which what some players do is given: what somebody gets against them, exactly, for any number of players.

One seat is asked about. Somebody who plays by limits (``Hold``, the printed sheet too) sees the own score only, so a
turn of theirs is known once for each score: the chance of every bank. A player of the best play follows the solved
table, by the push kernel, with the asked player's chance carried along; so does a player of a ``duel``, who knows the
best play of two only and plays as if against whoever is ahead. The asked player follows a policy, or does what is best
against all that (``best``): one player's decision problem, whose turns are solved as in a race of two. Scores only
grow, so lines of scores are solved by their totals from the highest down; a round of zero turns leads back to its line,
and is a linear equation, or where the asked player chooses one that Newton's method solves on slope and intercept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, SolveError
from ..games.pushluck import SPECIALS, WIN
from ..matches import Match, Solved
from ..matches import match as ask
from ..matches.push.matches import Race
from ..matches.push.seats import Seats, mixed_turns
from ..matches.push.states import States
from ..matches.rounding import turn_rounding
from ..turns.climb import climbs
from ..turns.push import Doubles, pad
from .policies import Hold, read_policy

HOPELESS = 2.0**-40
SETTLED = 2.0**-48
MOST_PASSES = 100
MOST_BANKS = 2048  # lanes of one kernel call
BEST, DUEL = "best", "duel"
Progress = Callable[[float], None]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Against:
    """``values``: what the asked player gets who moves first, second, ... in the round; none is further than
    ``error_bound`` from the truth.
    """

    values: tuple[float, ...]
    error_bound: float


def check_given(
    match: Match[Any], ours: str, others: Sequence[str]
) -> tuple[Race | Seats, Hold | str, tuple[Hold | str, ...]]:
    """Return the race and the policies read: ours, and those of the other seats in turn order (one stands for all).

    Raises:
        InputError: no race that is told so, another number of seats, or no such policy.
    """
    check_race(match)
    assert isinstance(match, (Race, Seats))
    seats = match.players - 1
    if len(others) not in (1, seats):
        raise InputError(f"the play of others is given once for all, or for each of the {seats} others in turn order")
    read = [_read(match, one) for one in (ours, *others)]
    told = tuple(read[1:]) * (seats if len(others) == 1 else 1)
    return match, read[0], told


def _read(match: Race | Seats, policy: str) -> Hold | str:
    if policy in (BEST, DUEL):
        return policy
    read = read_policy(match.table, policy)
    assert isinstance(read, Hold)
    return read


def check_race(match: Match[Any]) -> None:
    """Refuse what is no race that is told by the scores, with turns that limits decide."""
    if not isinstance(match, (Race, Seats)):
        raise InputError("the play of others is given in races of push-your-luck games, for win")
    rules = match.states.rules
    if rules.costs or rules.choose or rules.take_over != "none" or not climbs(rules.turn):
        raise InputError("the play of others is given where points only grow until a turn ends, which is nobody else's")
    if rules.finish == "last_round" or rules.wipes:
        raise InputError("the play of others is given where there is no last round and no throw loses the whole score")


def against(
    match: Race | Seats,
    solved: Solved,
    ours: Hold | str,
    others: Sequence[Hold | str],
    progress: Progress = lambda done: None,
) -> Against:
    """What we get against others whose play is given; see ``check_given``."""
    return _Given(match, solved, (ours, *others)).solve(progress)


class _Given:
    """By mover and the scores of all seats, ours first, our chance."""

    def __init__(self, match: Race | Seats, solved: Solved, play: Sequence[Hold | str]) -> None:
        self.states: States = match.states
        self.seats, self.play = match.players, play
        self.count = len(self.states.scores)
        self.numbers = np.zeros(self.states.target, dtype=np.int64)
        self.numbers[self.states.scores] = np.arange(self.count)
        self.chance = np.zeros((self.seats, *(self.count,) * self.seats))
        self.error = 0.0
        win: Doubles = solved.arrays["win"]
        self.mixed = mixed_turns(solved)
        if self.seats == 2:  # the table of two tells the mover's chance alone
            win = np.stack([win, 1 - win], axis=-1)
        self.best = win
        self.duel = np.empty((0, 0))
        if DUEL in play:
            self.duel = ask(match.game, "win", 2).solve(1, lambda done: None).arrays["win"]
        self.banks = {id(one): self._banks(one) for one in play if isinstance(one, Hold)}

    def _banks(self, policy: Hold) -> Doubles:
        """Chances of who plays by limits, by score: of banking so many points, then of winning at once."""
        states, turn = self.states, self.states.rules.turn
        top = int(states.caps_by_score[states.scores].max())
        found = np.zeros((self.count, top + 2))
        for number, score in enumerate(states.scores.tolist()):
            cap = int(states.caps_by_score[score])
            lanes = pad(cap + 2)
            payoff = np.zeros((1, SPECIALS + cap + 1, lanes))
            payoff[0, SPECIALS + np.arange(cap + 1), np.arange(cap + 1)] = 1.0
            payoff[0, -1 - WIN.next, cap + 1] = 1.0
            rows = turn.rows(cap)
            counts = int(states.counts_by_score[score])
            nodes = policy.decisions(states.rules, turn, rows, cap, counts, states.target - score)
            follow = np.repeat(nodes, lanes, axis=2)
            value = turn.solve(payoff, np.full(lanes, cap, dtype=np.int32), follow=follow).value[0]
            found[number, : cap + 1] = value[: cap + 1]
            found[number, -1] = value[cap + 1]
        return found

    def solve(self, progress: Progress) -> Against:
        """Solve every line of scores, the highest total first."""
        scores = self.states.scores
        others = np.array(list(product(range(self.count), repeat=self.seats - 1)), dtype=np.int64).T
        sums, top = scores[others].sum(axis=0), self.seats * int(scores[-1])
        known = np.full(int(scores[-1]) + 1, -1)
        known[scores] = np.arange(self.count)
        rounding = turn_rounding(self.states.rules.turn, int(self.states.caps_by_score.max()))
        for total in range(top, -1, -1):
            mine = total - sums
            here = np.flatnonzero((mine >= 0) & (mine < len(known)))
            here = here[known[mine[here]] >= 0]
            if len(here):
                self._layer(np.vstack([known[mine[here]], others[:, here]]), rounding)
            progress(1 - total / (top + 1))
        start = self.chance.reshape(self.seats, -1)[:, 0]
        values = [float(start[(self.seats - place) % self.seats]) for place in range(self.seats)]
        return Against(tuple(values), self.error)

    def _layer(self, lines: Ints, rounding: float) -> None:
        parts = [self._follow(mover, lines) for mover in range(1, self.seats)]
        ours = self.play[0]
        constant, reached = np.zeros(lines.shape[1]), np.ones(lines.shape[1])  # once round from who moves after us
        for paid, zero in parts:
            constant, reached = constant + reached * paid, reached * zero
        if ours != BEST or all(one == BEST for one in self.play):
            paid, slope = self._follow(0, lines)
        else:
            paid, slope = self._our_best(lines, constant, reached)
        change = 1 - slope * reached
        if change.min() <= HOPELESS:
            raise SolveError("with this play a round of turns may change next to nothing")
        worth = (paid + slope * constant) / change
        self.chance[(0, *lines)] = worth
        for mover in range(self.seats - 1, 0, -1):
            paid, zero = parts[mover - 1]
            worth = paid + zero * worth
            self.chance[(mover, *lines)] = worth
        self.error += float((2 * self.seats / change).max()) * (rounding + SETTLED)

    def _follow(self, mover: int, lines: Ints) -> tuple[Doubles, Doubles]:
        """What we get of a seat's turns that change a score, and the chance of those that do not."""
        policy = self.play[mover]
        if isinstance(policy, Hold):
            return self._by_limits(policy, mover, lines)
        return self._by_table(mover, lines) if policy == BEST else self._by_duel(mover, lines)

    def _after(self, mover: int, lines: Ints, points: Ints | int) -> Doubles:
        """Our chance once a mover has banked so many points: (points, lines)."""
        scores, following = self.states.scores, (mover + 1) % self.seats
        totals = scores[lines[mover]] + np.asarray(points)
        won = totals >= self.states.target
        place = [one if seat != mover else self.numbers[np.where(won, 0, totals)] for seat, one in enumerate(lines)]
        found: Doubles = np.where(won, float(mover == 0), self.chance[(following, *np.broadcast_arrays(*place))])
        return found

    def _by_limits(self, policy: Hold, mover: int, lines: Ints) -> tuple[Doubles, Doubles]:
        banks = self.banks[id(policy)][lines[mover]]
        counting = self.states.counts_by_score[self.states.scores[lines[mover]]]
        paid, made = banks[:, -1] * (mover == 0), banks[:, -1].copy()
        for points in np.flatnonzero(banks[:, :-1].any(axis=0)):
            chance = np.where(points >= counting, banks[:, points], 0.0)
            paid = paid + chance * self._after(mover, lines, int(points))
            made += chance
        return paid, 1 - made

    def _turns(
        self, mover: int, lines: Ints, decides: Callable[[Ints, Ints], Doubles] | None, bust: Doubles
    ) -> Doubles:
        """Best turns of a mover: value to who decides, chance of a zero turn, and what else we get: (3, lines).

        ``decides``: by lines and points what a bank is worth to the mover, if not what it is worth to us.
        """
        states, found = self.states, np.empty((3, lines.shape[1]))
        for first in range(0, lines.shape[1], MOST_BANKS):
            part = lines[:, first : first + MOST_BANKS]
            lanes = part.shape[1]
            mine = states.scores[part[mover]]
            caps = np.zeros(pad(lanes), dtype=np.int32)
            caps[:lanes] = states.caps_by_score[mine]
            points = np.arange(int(caps.max()) + 1)[:, None]
            nothing, zero = points < states.counts_by_score[mine], bust[first : first + MOST_BANKS]
            ours = self._after(mover, part, points)
            theirs = ours if decides is None else decides(part, points)
            payoff = np.zeros((3, SPECIALS + len(points), pad(lanes)))
            payoff[0, 0, :lanes], payoff[1, 0] = zero, 1.0
            payoff[0, -1 - WIN.next] = 1.0
            payoff[2, -1 - WIN.next] = float(mover == 0)
            payoff[0, SPECIALS:, :lanes] = np.where(nothing, zero, theirs)
            payoff[1, SPECIALS:, :lanes] = nothing
            payoff[2, SPECIALS:, :lanes] = np.where(nothing, 0.0, ours)
            found[:, first : first + MOST_BANKS] = states.rules.turn.solve(payoff, caps).value[:, :lanes]
        return found

    def _our_best(self, lines: Ints, constant: Doubles, reached: Doubles) -> tuple[Doubles, Doubles]:
        """Our best turns where the others bring us ``constant`` and lead back to us with the chance ``reached``."""
        bust = np.full(lines.shape[1], 0.5)
        for _ in range(MOST_PASSES):
            _, slope, paid = self._turns(0, lines, None, bust)
            if (1 - slope * reached).min() <= HOPELESS:
                raise SolveError("with this play a round of turns may change next to nothing")
            before, bust = bust, constant + reached * (paid + slope * constant) / (1 - slope * reached)
            if np.abs(bust - before).max() <= SETTLED:
                return paid, slope
        raise SolveError("the best reply did not settle")

    def _by_table(self, mover: int, lines: Ints) -> tuple[Doubles, Doubles]:
        """The turns of a seat that plays the best: it decides by the solved table."""
        order = [(mover + one) % self.seats for one in range(1, self.seats)]

        def decides(part: Ints, points: Ints) -> Doubles:
            totals = self.states.scores[part[mover]] + points
            won = totals >= self.states.target
            last = self.numbers[np.where(won, 0, totals)]
            place = np.broadcast_arrays(*(part[seat] for seat in order), last)
            worth: Doubles = np.where(won, 1.0, self.best[(*place, self.seats - 1)])
            return worth

        bust = self.best[(*(lines[seat] for seat in order), lines[mover], self.seats - 1)]
        found = self._turns(mover, lines, decides, bust)
        place = lines[mover].copy()
        for seat in order:
            place = place * self.count + lines[seat]
        for lane in np.flatnonzero(np.isin(place, list(self.mixed))).tolist():
            share, *both = self.mixed[int(place[lane])]
            turns = self._turns(mover, np.repeat(lines[:, [lane]], 2, axis=1), decides, np.array(both))
            found[:, lane] = (1 - share) * turns[:, 0] + share * turns[:, 1]
        _, zero, paid = found
        return paid, zero

    def _by_duel(self, mover: int, lines: Ints) -> tuple[Doubles, Doubles]:
        """The turns of a seat that plays as if alone with whoever is ahead."""

        def ahead(part: Ints) -> Ints:
            rivals: Ints = np.delete(part, mover, axis=0).max(axis=0)
            return rivals

        def decides(part: Ints, points: Ints) -> Doubles:
            totals = self.states.scores[part[mover]] + points
            won = totals >= self.states.target
            worth: Doubles = np.where(won, 1.0, 1 - self.duel[ahead(part), self.numbers[np.where(won, 0, totals)]])
            return worth

        _, zero, paid = self._turns(mover, lines, decides, 1 - self.duel[ahead(lines), lines[mover]])
        return paid, zero
