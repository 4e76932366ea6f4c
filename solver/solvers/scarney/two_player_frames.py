"""Frames of two players, for the win or for chips: their payoffs and leads. The model of ``two_player.py``.

Let G be what a player still wins less what the player still pays. The G of both players add up to the pot P on the
table. For the win P is 1 and nobody adds to it. For chips a double-down costs one chip, which swells the pot that the
winner takes. Let P be the pot before a frame, d the shooter's lead and j the chips spent in the frame:

    G[enter t, j] = P - G'(-(d + t), P + j).

Here G' is the opponent's value afterwards: that of the opponent's frame. After the last frame it is P + j if the
opponent is ahead and 0 if behind. If totals are equal, it is that of an extra frame. Big Scarney pays P. The chips
spent are part of the modes of the turn.

Frames are cut and leads are tabled as in ``problem.py``; here that costs up to the pot times as much.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from ...games.scarney import ScarneyRules
from ...turns.push_turn import Doubles, PushTurn, round_up_to_blocks
from ...util.threads import ThreadPool
from .frame_solver import SlidingFrames
from .problem import TableExtent, frame_rounding_bound


@lru_cache(maxsize=8)
def _compile_frame(rules: ScarneyRules, banks_per_chip_count: int) -> PushTurn:
    """Return the compiled frame, cached.

    Args:
        rules: the rules of the frame.
        banks_per_chip_count: how many bank endings a table has for each number of chips spent. The index of a bank
            depends on it. Not used if chips do not count.
    """
    return rules.compile_frame(banks_per_chip_count) if rules.counts_chips else rules.turn


class TwoPlayerFrames:
    """The frames of two players: what their endings are worth, and their solution from many leads.

    Attributes:
        rules: the rules of the game.
        extent: where the tables of points and leads end.
        levels: how many numbers of chips can be spent in a frame, from 0 on; 1 if chips do not count.
        leads: all leads that are tabled, from ``-extent.max_lead`` to ``extent.max_lead``.
        turn, sliding_turn: the compiled frame, with a row of payoffs for each lead, or one row that all leads share.
    """

    def __init__(self, rules: ScarneyRules, extent: TableExtent) -> None:
        """Store the rules and where tables end.

        Args:
            rules: the rules of the game.
            extent: where the tables of points and leads end.
        """
        self.rules = rules
        self.extent = extent
        self.levels = rules.chip_levels  # how many numbers of chips can be spent in a frame, from 0 on
        self.leads = range(-extent.max_lead, extent.max_lead + 1)

    def turn_with_cap(self, cap: int) -> PushTurn:
        """Return the frame for tables that end at ``cap`` points."""
        return _compile_frame(self.rules, cap + 1)

    @cached_property
    def turn(self) -> PushTurn:
        """The frame for tables of the usual cap."""
        return self.turn_with_cap(self.extent.cap)

    @cached_property
    def sliding_turn(self) -> PushTurn:
        """The frame for tables in which all leads share one row of payoffs, as ``SlidingFrames`` needs it."""
        return _compile_frame(self.rules, self.extent.cap + 1 + round_up_to_blocks(len(self.leads)))

    def frame_error(self, pot: int) -> float:
        """Return a bound of the error that one frame adds to a value, by rounding and by the ends of tables.

        Args:
            pot: the pot before the frame.
        """
        max_pot = pot + self.levels - 1  # after the frame; no value is larger
        return max_pot * (frame_rounding_bound(self.turn) + self.extent.truncation_error)

    def payoffs_after(self, lowest_pot: int, table: Doubles, pot: int) -> Doubles:
        """Return what a frame's ending is worth to the shooter, by the lead after it, if the opponent's frame follows.

        It is the pot less the opponent's value in the next frame.

        Args:
            lowest_pot: the pot of the first row of ``table``.
            table: (pots, leads) the opponent's values in the frame that follows, by the opponent's lead. Its last row
                stands for larger pots.
            pot: the pot before the frame.

        Returns:
            (levels, leads), by chips spent in the frame and by the shooter's lead after it.
        """
        spent = np.arange(self.levels)  # the numbers of chips that can be spent in the frame
        pot_after = pot + spent
        last_row = len(table) - 1
        rows = np.minimum(pot_after - lowest_pot, last_row)
        opponent_values = table[rows, ::-1]  # the opponent's lead is the shooter's with the other sign
        # The shooter gets pot_after - opponent_values, and has paid the chips spent: together the pot before the frame.
        payoffs: Doubles = pot - opponent_values
        return payoffs

    def payoffs_after_last(self, lowest_pot: int, extra_values: Doubles, pot: int) -> Doubles:
        """Return what the last frame's ending is worth to its second shooter, by the lead after it.

        A shooter who is ahead wins the pot. The chips spent come back with it, so they cost only a shooter who is not
        ahead. If totals are equal, an extra frame follows, in which the opponent shoots first.

        Args:
            lowest_pot: the pot of the first entry of ``extra_values``.
            extra_values: (pots,) the first shooter's value of an extra frame. Its last entry stands for larger pots.
            pot: the pot before the frame.

        Returns:
            (levels, leads), by chips spent in the frame and by the shooter's lead after it.
        """
        spent = np.arange(self.levels)[:, None]  # (levels, 1)
        leads = np.arange(self.leads.start, self.leads.stop)  # (leads,)
        pot_after = pot + spent
        last_index = len(extra_values) - 1
        opponent_values = extra_values[np.minimum(pot_after - lowest_pot, last_index)]  # in the extra frame
        # Payoffs are pot_after - spent if the shooter wins, and -spent if the opponent does. With equal totals they are
        # pot_after - opponent_values - spent.
        payoffs = np.where(leads > 0, pot, -spent)
        return np.where(leads == 0, pot - opponent_values, payoffs).astype(float)

    def solve_shooter(self, pot: int, payoffs: Doubles, pool: ThreadPool | None = None, threads: int = 1) -> Doubles:
        """Compute the values (leads,) of a frame to its shooter, by the lead before it.

        Args:
            pot: the pot before the frame.
            payoffs: (levels, leads) what the endings are worth to the shooter, by chips spent in the frame and by the
                shooter's lead after it.
            pool, threads: threads that share the leads.
        """
        values: Doubles = self.solve_leads(pot, payoffs[None], pool=pool, threads=threads)[0]  # of the only channel
        return values

    def solve_leads(
        self, pot: int, payoffs: Doubles, leads: range | None = None, pool: ThreadPool | None = None, threads: int = 1
    ) -> Doubles:
        """Compute the values of a frame to its shooter before it begins, for several leads.

        Args:
            pot: the pot before the frame, which is the payoff of Big Scarney.
            payoffs: (channels, levels, all leads) what the endings are worth, by chips spent in the frame and by the
                shooter's lead after it.
            leads: consecutive leads before the frame; all by default.
            pool, threads: threads that share the leads.

        Returns:
            (channels, leads), by the lead before the frame.
        """
        if leads is None:
            leads = self.leads
        cap = self.extent.cap
        max_lead = self.extent.max_lead
        # Entering t points adds t to the lead. So one row of payoffs by the lead after the frame serves all leads. It
        # goes on for ``cap`` points. Leads beyond the largest count as the largest.
        leads_after = np.arange(leads.start, leads.stop + cap)
        columns = np.clip(leads_after, -max_lead, max_lead) + max_lead  # of ``payoffs``
        frames = SlidingFrames(self.sliding_turn, payoffs[:, :, columns], cap, big_scarney_payoff=pot)
        return frames.solve(pool=pool, threads=threads).value[:, : len(leads)]  # without the padding
