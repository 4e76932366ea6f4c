"""The equations of races of several players, and turns of them.

A state is the scores (and busts in a row) from the mover on, as digits: a *line*. Where turns may be taken over there
is a state for each line and what the last seat, who has just banked, may have left: points and dice.

With ``finish=last_round`` a total past the target is not the end: what the others get from there on, who have a last
turn each, is a table of its own, *past* (rows, totals from the target to ``end``, seats - 1), by the others' scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS
from ...turns.push_turn import Caps, Doubles, PushTurn, TurnValue
from ..model import Ints, TakeoverOffers, Transitions
from ..rounding_bounds import turn_rounding
from .last_round import TRUNCATION
from .last_turns import LastTurns
from .model import PushEquations, in_order
from .states import NEVER, WON, States


class Many(PushEquations):
    """Races of more players. These equations do not give the best play of several players at once
    (``multiplayer_reference``). With given play, and no last round, they are as any others. ``lines``: how many there
    are; ``rows``: of the others.
    """

    def __init__(self, states: States, seats: int) -> None:
        super().__init__(states)
        self.seats, self.count = seats, len(states)
        self.lines, self.rows = self.count**seats, self.count ** (seats - 1)
        self.offers = (states.target - states.low) * self.dice
        self.state_count = self.lines * (1 + self.offers)

    @property
    def max_cap(self) -> int:
        """The largest of all caps."""
        return int(self.ends.max())

    @cached_property
    def keys(self) -> Ints:
        """By a player's state a number whose sums order lines: by total, then by busts in a row."""
        most = self.seats * (self.states.kinds - 1) + 1
        return (self.states.score - self.states.low) * most + self.states.busts

    @cached_property
    def early(self) -> Ints:
        """The lines that are read before they are solved: those in which the last seat has just lost something."""
        lost = self.states.lost(self.states.after(np.arange(self.count), 1))
        found: Ints = np.add.outer(np.arange(self.rows) * self.count, lost).ravel()
        return found

    def components(self) -> Iterator[Sequence[Ints]]:
        """Lines of equal total."""
        totals = np.zeros(1, dtype=np.int64)
        for _ in range(self.seats):
            totals = np.add.outer(totals, self.keys).ravel()
        blocks = in_order(totals)
        yield from [blocks] if self.has_cyclic_components else ([block] for block in blocks)

    def mover(self, states: Ints) -> Ints:
        """The mover's state."""
        return np.asarray(states % self.lines // self.rows)

    def caps(self, states: Ints) -> Caps:
        """Where the turn's table ends."""
        return self.ends[self.states.score[self.mover(states)] - self.states.low]

    def turned(self, states: Ints) -> Ints:
        """The lines after turns that change nothing."""
        return np.asarray(states % self.rows * self.count + states % self.lines // self.rows)

    def offered(self, lines: Ints, points: Ints, dice: Ints | int) -> Ints:
        """The states where the mover may take over so much."""
        return np.asarray(lines + self.lines * ((points - 1) * self.dice + dice))

    def offers_to(self, lines: Ints) -> Ints:
        """The states of lines in which anything may be offered, whether that can be or not."""
        found: Ints = np.add.outer(self.lines * np.arange(1, 1 + self.offers), lines).ravel()
        return found

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """What the endings of the states' turns pay, with banks up to a cap, or in blocks as the turn has them."""
        return super().transitions(states, max(cap, self.max_cap) if self.dice else cap)

    def leads(self, states: Ints, after: Ints) -> Transitions:
        """The next one moves, and the mover is the last."""
        constant = np.where(after == NEVER, -np.inf, np.where(after <= WON, 1.0, 0.0))
        others = states % self.rows
        found = Transitions(constant, np.where(after >= 0, others * self.count + after, -1))
        if not self.dice:
            return found
        following, points = others // (self.rows // self.count), np.arange(len(after) - SPECIALS)[:, None]
        banked = (after[SPECIALS:] >= 0) & (points >= self.states.counts[self.mover(states)])
        return self.hand_on(
            found,
            banked & (points <= self.takes[following]),
            lambda dice: self.offered(found.state[SPECIALS:], points, dice),
        )

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """What may be taken over in lines."""
        if not self.dice:
            return None
        points, dice, lane = np.indices((self.offers // self.dice, self.dice, len(states))).reshape(3, -1)
        points, dice = points + 1, dice + 1
        return self.readings_of(states, lane, self.offered(states[lane], points, dice), points, dice)

    @cached_property
    def end(self) -> int:
        """The total that stands for all beyond: of a last round, where hardly anybody comes who could lose by stopping;
        with an exact finish one more than may be held.
        """
        if self.last:
            return int(self.last.last_totals.max())
        return self.states.target + self.states.exact

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """By score from the lowest on, where the turn's table ends (``Two.caps`` says why, of what is taken over)."""
        caps, low, target = self.states.caps_by_score, self.states.low, self.states.target
        if self.last:
            caps = np.maximum(caps, self.end - np.arange(low, target))
        if self.dice and not self.states.turn.keeps:
            caps = np.maximum(caps, target - low)
        return caps.astype(np.int32)

    def past_slack(self, end: int) -> float:
        """How far what follows past the target may be off, tabled up to a total: the rounding of a last turn each, and
        what totals past the end do not tell (``lastturns``), at every turn up to there.
        """
        if not self.last:
            return 0.0
        each = turn_rounding(self.states.rules.turn, end) + self.seats * 2.0**-52
        return (self.seats - 1) * each + 4 * self.seats * (self.seats - 1) * TRUNCATION

    def past(self, zeros: Callable[[int], Doubles]) -> Doubles | None:
        """What follows past the target, for all rows; None where that wins."""
        if not self.last:
            return None
        turns = LastTurns(self.last, self.seats, self.end)
        tables = turns.nobody()
        for _ in range(self.seats - 1):
            tables = turns.before(self.states.score, tables, zeros)
        (found,) = tables
        return found

    def place(self, line: Sequence[int]) -> int:
        """The state of a line: players' states as digits."""
        place = 0
        for number in line:
            place = place * self.count + int(number)
        return place

    def shares(
        self, worth: Callable[[Ints], Doubles], states: Ints, links: Transitions, past: Doubles | None, row: Ints
    ) -> Doubles:
        """What the endings of turns pay the seats from the mover on, by what seats get in states: (seats, endings,
        lanes). ``past``: what follows past the target, in that row of it for each lane.
        """
        state, constant = links.state, links.constant
        nowhere, led = state < 0, worth(np.maximum(state, 0))
        shares = np.stack([np.where(nowhere, 0.0, led[..., seat - 1]) for seat in range(self.seats)])
        shares[0] += constant
        if past is not None:
            bank, lane = np.nonzero(nowhere[SPECIALS:] & (constant[SPECIALS:] > 0))
            total = self.states.score[self.mover(states[lane])] + bank - self.states.target
            others = past[row[lane], np.minimum(total, past.shape[1] - 1)].T
            shares[1:, SPECIALS + bank, lane] = others
            shares[0, SPECIALS + bank, lane] = (1 - others.sum(axis=0)).clip(0.0)
        return shares

    def lay_out(self, states: Ints, table: Doubles, carried: Doubles, past: Doubles | None) -> Turns:
        """The turns of lines that are decided by a table; what they bring is told by another."""
        links = self.transitions(states)
        zero = links.state == self.turned(states)
        payoff = np.empty((2 + self.seats, *zero.shape))

        def shares(by: Doubles) -> Doubles:
            return self.shares(lambda led: np.take(by, led, axis=0), states, links, past, states % self.rows)

        payoff[2:] = shares(carried)
        payoff[0] = payoff[2] if carried is table else shares(table)[0]
        payoff[1] = zero
        payoff[2:, zero] = 0.0
        return Turns(self.turn, self.caps(states), zero, payoff)


@dataclass(frozen=True)
class Turns:
    """Turns laid out side by side, to be made for one worth of a zero turn after another. ``zero`` (endings, lanes):
    which endings these are; ``payoff`` (2 + seats, endings, lanes): what decides, room for the zero turns included, a
    zero turn, and what all others pay the seats from the mover on.
    """

    turn: PushTurn
    caps: Caps
    zero: NDArray[np.bool_]
    payoff: Doubles

    @property
    def best(self) -> Turns:
        """The same, decided by what they bring the mover, and without what they bring."""
        return replace(self, payoff=self.payoff[[2, 1]])

    def some(self, lanes: Ints) -> Turns:
        """Some of them, or one again and again."""
        return Turns(self.turn, self.caps[lanes], self.zero.take(lanes, axis=1), self.payoff.take(lanes, axis=2))

    def made(self, busts: Doubles, inner: bool = False) -> TurnValue:
        """All of them, for these worths of a zero turn. Channels are their values to the mover, the chances of a zero
        turn, and what else comes to the seats.
        """
        np.copyto(self.payoff[0], busts, where=self.zero)
        return self.turn.solve(self.payoff, self.caps, inner=inner)
