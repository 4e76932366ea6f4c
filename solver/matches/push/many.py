"""The equations of races of several players, and turns of them by hand: for answers, and for cycles that the seats
kernel does not settle.

With ``finish=last_round`` a total past the target is not the end: what the others get from there on, who have a last
turn each, is a table of its own, *past* (rows, totals from the target to ``end``, seats - 1), by the others' scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS
from ...turns.push import Doubles, pad
from ..equations import Ints, Links
from ..rounding import turn_rounding
from .equations import PushEquations, in_order
from .lastround import TRUNCATION, LastRound
from .lastturns import LastTurns
from .states import NEVER, WON, States


class Many(PushEquations):
    """Races of more players: a state is the scores from the mover on, as digits. What is best for several at once these
    equations do not tell (``seatssweep``); with play that is given, and no last round, they are as any others.
    """

    def __init__(self, states: States, seats: int) -> None:
        super().__init__(states)
        self.seats, self.count = seats, len(states)
        self.size, self.rows = self.count**seats, self.count ** (seats - 1)
        self.numbers = np.zeros(states.target, dtype=np.int64)
        self.numbers[states.scores] = np.arange(len(states.scores))

    def components(self) -> Iterator[Sequence[Ints]]:
        """Lines of equal total."""
        totals = [np.zeros(1, dtype=np.int64)] * 2
        for _ in range(self.seats):
            each = self.states.score, self.states.busts
            totals = [np.add.outer(*pair).ravel() for pair in zip(totals, each, strict=True)]
        blocks = in_order(*totals)
        yield from [blocks] if self.whole else ([block] for block in blocks)

    def mover(self, states: Ints) -> Ints:
        """The mover's state."""
        return np.asarray(states // self.rows)

    def leads(self, states: Ints, after: Ints) -> Links:
        """The next one moves, and the mover is the last."""
        constant = np.where(after == NEVER, -np.inf, np.where(after <= WON, 1.0, 0.0))
        return Links(constant, np.where(after >= 0, states % self.rows * self.count + after, -1))

    @cached_property
    def last(self) -> LastRound | None:
        """The last round, if there is one."""
        return LastRound(self.states) if self.states.rules.finish == "last_round" else None

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
        """By score, where the turn's table ends. Shape (target,)."""
        caps = self.states.caps_by_score
        longest = np.maximum(caps, self.end - np.arange(self.states.target)) if self.last else caps
        return longest.astype(np.int32)

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
            tables = turns.before(self.states.scores, tables, zeros)
        (found,) = tables
        return found

    def place(self, line: Sequence[int]) -> int:
        """The place of a position: its scores' numbers as digits."""
        place = 0
        for number in line:
            place = place * self.count + int(number)
        return place

    def shares(
        self, table: Doubles, line: Sequence[int], cap: int, past: Doubles | None
    ) -> tuple[Doubles, NDArray[np.bool_]]:
        """What endings, banks up to a cap, pay the seats from the mover on by a table (places, seats), and which are
        zero turns: (seats, endings), (endings,). ``past``: what follows past the target, of the others' row.
        """
        links = self.links(np.array([self.place(line)]), cap)
        state, constant = links.state[:, 0], links.constant[:, 0]
        shares = np.where(state >= 0, np.roll(table[np.maximum(state, 0)], 1, axis=1).T, 0.0)
        shares[0] += constant
        if past is not None:
            banks = np.arange(cap + 1)
            won = banks[(state[SPECIALS:] < 0) & (constant[SPECIALS:] > 0)]
            others = past[np.minimum(int(self.states.scores[line[0]]) + won - self.states.target, len(past) - 1)].T
            shares[1:, SPECIALS + won] = others
            shares[0, SPECIALS + won] = (1 - others.sum(axis=0)).clip(0.0)
        return shares, state == state[0]

    def by_hand(
        self, line: Sequence[int], decides: tuple[Doubles, Doubles], carried: Doubles, past: Doubles | None
    ) -> tuple[Doubles, Doubles, Doubles]:
        """Turns for several worths of a bust: their values to who decides, the chances of a zero turn, and what else
        comes by the ``carried`` table to the seats from the mover on: (busts,), (busts,), (seats, busts).

        ``decides``: the table of who decides, and the busts.
        """
        table, busts = decides
        cap, lanes = int(self.ends[self.states.scores[line[0]]]), len(busts)
        own, zero = self.shares(table, line, cap, past)
        shares, _ = self.shares(carried, line, cap, past)
        payoff = np.zeros((self.seats + 2, len(zero), pad(lanes)))
        payoff[0, :, :lanes] = np.where(zero[:, None], busts, own[0][:, None])
        payoff[1] = zero[:, None]
        payoff[2:] = np.where(zero, 0.0, shares)[:, :, None]
        value = self.states.rules.turn.solve(payoff, np.full(pad(lanes), cap, dtype=np.int32)).value[:, :lanes]
        return value[0], value[1], value[2:]
