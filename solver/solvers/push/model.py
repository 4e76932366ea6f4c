"""Bellman equations of push-your-luck games, for every objective that has a target.

A player's state is a score and the number of busts in a row (``states``). A position between turns is the mover's
state, the states of the opponents, and the points and dice that the mover may take over. Rules change only the states
to which the endings of a turn lead. The value V of a state is the mover's:

    win, two players    an ending pays 1 - V(state of the opponent to move)
    win, more players   every seat has a value; the mover's decides (``multiplayer_sweep``)
    turns               an ending pays -1 + V(next state), so V is minus the expected number of turns
    reach               an ending pays 1 at the goal, otherwise V(next state with one turn less)

With ``finish=last_round`` a total past the target leads to the last turns of the others (``last_round``).

*Take-over.* A player who banks t points and leaves d dice offers them. The next player starts a new turn, or rolls
those d dice with t turn points. Let C(m, t) be the value of rolling in mode m with t turn points, for a against b:

    V(a, b, no offer) = C(all dice, 0)
    V(a, b, (t, d))   = max(C(all dice, 0), C(d, t))

All of these values are read from one table of the turn. The turn model gets one more mode for each number of dice, in
which the player cannot stop. Its endings are a block of banks for each number of dice left, and one block for none.

Totals rise unless points are lost. So states are solved in layers of equal total, the highest first; within a total,
states with more busts in a row come first.

Start reading at ``PushModel.transitions``; then ``SoloModel`` and ``RaceModel``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import SPECIALS, PushRules
from ...turns.push_turn import Caps, Doubles, PushTurn, TurnValue
from ..model import Ints, TakeoverOffers, TransitionModel, Transitions
from ..rounding_bounds import turn_rounding_bound
from ..turn_lanes import TurnLanes
from .last_round import TRUNCATION, LastRound, MultiplayerLastRound
from .states import FORBIDDEN, WON, States, lowest_bits

UNLIMITED_POINTS = 1 << 30  # more points than any turn brings
FIRST_GUESS_GAP = 1000.0  # expected turns; no state of a real game is this far below the next score


class PushModel(TransitionModel):
    """Transitions of push-your-luck games in terms of one player's states.

    Args:
        states: the states of one player.
        hands_on: whether dice that a turn leaves can be taken over, if the rules allow it.

    Attributes:
        dice: the largest number of dice that can be taken over; 0 if nothing can.
    """

    def __init__(self, states: States, has_takeover: bool = True) -> None:
        self.states, rules = states, states.rules
        self.dice = rules.dice if has_takeover and rules.take_over != "none" else 0

    def turn_for_cap(self, top: int) -> PushTurn:
        """Return the turn model, take-over modes included, for tables with caps of at most ``top``."""
        return make_takeover_turn(self.states.rules, top + 1) if self.dice else self.states.turn

    @cached_property
    def turn(self) -> PushTurn:
        """The turn model for the caps of the solve."""
        return self.turn_for_cap(self.max_cap)

    @cached_property
    def last_round(self) -> LastRound | None:
        """The last round, or None if the rules have none."""
        return LastRound(self.states) if self.states.rules.finish == "last_round" else None

    @property
    def has_cyclic_components(self) -> bool:
        """True if a score can fall, so that layers depend on each other."""
        return self.states.has_losses

    @property
    def max_cap(self) -> int:
        """The largest of all caps."""
        return int(self.states.caps.max())

    @property
    def turn_states(self) -> int:
        """Number of states in which a turn begins without an offer; they are numbered first."""
        return self.state_count

    @abstractmethod
    def mover(self, states: Ints) -> Ints:
        """Return the mover's own state."""

    def opponent_score(self, states: Ints) -> Ints:
        """Return the opponent's score, or 0 unless there is exactly one opponent."""
        return np.zeros_like(states)

    @abstractmethod
    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return the transitions to the mover's own states ``after`` (endings, lanes); these may be NEVER or WON."""

    def caps(self, states: Ints) -> Caps:
        """Return the number of turn points at which the table of each turn ends."""
        return self.states.caps[self.mover(states)]

    @cached_property
    def max_takeover_points(self) -> Ints:
        """Largest number of turn points that a player may take over, by the player's state."""
        states, rules = self.states, self.states.rules
        max_points = states.target - states.score if states.is_exact else np.full(len(states), UNLIMITED_POINTS)
        return np.where((rules.take_over == "free") | (states.score > 0), max_points, 0)

    def with_takeover_banks(
        self, transitions: Transitions, banked: NDArray[np.bool_], offered_states: Callable[[int], Ints]
    ) -> Transitions:
        """Append a block of banks for each number of dice left.

        Args:
            links: transitions of a turn that leaves no dice.
            banked: the banks that the next player may take over (points, lanes).
            offered: the states in which that many dice are offered (points, lanes).
        """
        reachable = bankable_points(self.states.rules, len(banked) - 1)
        states = [
            np.where(banked & points[:, None], offered_states(dice), transitions.state[SPECIALS:])
            for dice, points in enumerate(reachable, 1)
        ]
        constants = [np.where(banked & points[:, None], 0.0, transitions.constant[SPECIALS:]) for points in reachable]
        return Transitions(
            np.concatenate([transitions.constant, *constants]), np.concatenate([transitions.state, *states])
        )

    def make_takeover_offers(self, states: Ints, lane: Ints, offered: Ints, points: Ints, dice: Ints) -> TakeoverOffers:
        """Return the states ``offered`` in lanes of ``states``; an offer that is not allowed begins a new turn."""
        is_allowed = points <= self.max_takeover_points[self.mover(states[lane])]
        mode = np.where(is_allowed, len(self.turn.modes) - self.dice - 1 + dice, self.turn.start)
        start_points = np.where(is_allowed, np.minimum(points, self.caps(states)[lane]), 0)
        return TakeoverOffers(offered, lane, mode, start_points)

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """Return the transitions of all endings, with banks up to ``cap`` or the states' own caps."""
        mine = self.mover(states)
        size = max(cap, int(self.caps(states).max())) + 1
        specials = np.stack([self.states.after_bust[mine], np.full(len(mine), WON), self.states.after_wipe[mine]])
        return self.transitions_to(states, np.concatenate([specials, self.states.after_banks(mine, size)]))


def group_by_descending_keys(*keys: Ints) -> list[Ints]:
    """Group indices by equal keys, the greatest keys first; the first key is the most significant."""
    order = np.lexsort([-key for key in reversed(keys)])
    differs = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    return np.split(order, np.flatnonzero(differs) + 1)


class SoloModel(PushModel):
    """Equations of a single player: expected turns to the goal, or the chance to reach it in time.

    Without ``turns`` a value is minus the expected number of turns. With ``turns`` it is the chance to reach the goal
    within that many turns. States are then numbered by the turns left, and those with none left are worth 0.
    """

    seats = 1

    def __init__(self, states: States, turns: int = 0) -> None:
        super().__init__(states, False)
        self.turns, self.state_count = turns, len(states) * (turns + 1)

    @property
    def has_cyclic_components(self) -> bool:
        """True if a score can fall and turns are not counted."""
        return self.states.has_losses and not self.turns

    @property
    def value_range(self) -> tuple[float, float]:
        """Probabilities, or minus at least one turn."""
        return (0.0, 1.0) if self.turns else (-np.inf, -1.0)

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield components by turns left, or by score."""
        count = len(self.states)
        if self.turns:
            yield from ([turns_left * count + np.arange(count)] for turns_left in range(1, self.turns + 1))
            return
        blocks = group_by_descending_keys(self.states.score, self.states.busts)
        yield from [blocks] if self.has_cyclic_components else ([block] for block in blocks)

    def mover(self, states: Ints) -> Ints:
        """Return the player's own state."""
        return states % len(self.states)

    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return transitions that use up one of the turns left, or that cost one turn."""
        constant = np.where(after == FORBIDDEN, -np.inf, np.where(after <= WON, 1.0, 0.0) if self.turns else -1.0)
        first_state = (states // len(self.states) - 1) * len(self.states) if self.turns else 0
        return Transitions(constant, np.where(after >= 0, first_state + after, -1))

    def first_guess(self, values: Doubles, states: Ints) -> Doubles:
        """Return a guess far below the value of the next score, because Newton's method climbs from below."""
        above = np.minimum(states + self.states.bust_count_limit, self.state_count - 1)
        return np.asarray(np.minimum(values[above], values[states]) - FIRST_GUESS_GAP)

    def lossless(self) -> tuple[SoloModel, Ints]:
        """Return the equations of the game in which nothing is lost, and the state there that matches each state."""
        states = self.states
        plain = SoloModel(States(states.rules, states.goal * states.rules.grain, has_losses=False))
        return plain, self.mover(np.arange(self.state_count)) // states.bust_count_limit


class RaceModel(PushModel):
    """Equations of a race of two or more players to the target.

    A state is a *line*: the players' own states from the mover on, as digits of one number. The last digit has
    ``width`` values, every other digit ``count``. States with an offer to take over follow the lines.

    For two players V is the mover's chance to win, and the opponent's is 1 - V. With a last round the last digit also
    counts totals past the target, which only a finished opponent can hold. An offer in a last turn is not a state: its
    value is a constant from ``last_takeover_chances``.

    With three and more players every seat has a value (``shares``), and these equations alone do not determine the
    choices (``multiplayer_reference``). What follows past the target in a last round is a table, ``past``.

    Args:
        states: the states of one player.
        seats: the number of players.
        hands_on: whether dice that a turn leaves can be taken over, if the rules allow it.

    Attributes:
        count: states of one player.
        lines: states without an offer.
        rows: lines of one mover, that is, combinations of the opponents' states.
        past_totals: totals past the target that a finished opponent can hold; 0 unless two play with a last round.
        offers: numbers of points that can be offered, by the mover's state (two players) or by line.
    """

    def __init__(self, states: States, seats: int, has_takeover: bool = True) -> None:
        super().__init__(states, has_takeover)
        self.seats, self.count = seats, len(states)
        last = self.last_round if seats == 2 else None
        self.past_totals = int(last.end_totals.max()) - states.target + 1 if last else 0
        self.width = self.count + self.past_totals
        self.rows: int = self.count ** (seats - 2) * self.width
        self.lines: int = self.count * self.rows
        self.span = states.target - states.lowest_score
        if not self.dice:
            self.offers, with_offers = 0, 0
        elif seats == 2:  # nobody can have banked more points than the opponent's score is above the lowest
            self.offers = self.span * (self.span - 1) // 2
            with_offers = self.count * self.offers * self.dice
        else:
            self.offers = self.span
            with_offers = self.lines * self.offers * self.dice
        self.state_count = self.lines + with_offers
        self.constant_error = 4 * TRUNCATION + last.rounding if last else 0.0

    @property
    def turn_states(self) -> int:
        """Number of lines."""
        return self.lines

    # --- States

    def number(self, *line: Ints | int) -> Ints:
        """Return the state of a line, given the players' own states from the mover on.

        A last digit of ``count`` + k is a total of the target + k that an opponent holds in a last round.
        """
        place: Ints = np.asarray(line[0], dtype=np.int64)
        for digit in line[1:-1]:
            place = place * self.count + digit
        return np.asarray(place * self.width + line[-1])

    def line_number(self, line: Sequence[int]) -> int:
        """Return the state of one line as a plain number."""
        return int(self.number(*(int(digit) for digit in line)))

    def mover(self, states: Ints) -> Ints:
        """Return the mover's own state."""
        return np.asarray(states % self.lines // self.rows)

    def after_zero_turn(self, states: Ints) -> Ints:
        """Return the lines after a zero turn."""
        return np.asarray(states % self.rows * self.count + states % self.lines // self.rows)

    def opponent_score(self, states: Ints) -> Ints:
        """Return the score of the only opponent, which may be past the target; 0 with more opponents."""
        if self.seats > 2:
            return np.zeros_like(states)
        theirs = states % self.width
        below_target = self.states.score[np.minimum(theirs, self.count - 1)]
        return np.where(theirs < self.count, below_target, self.states.target + theirs - self.count)

    @cached_property
    def sort_keys(self) -> Ints:
        """Sort key of a player's own states; sums of keys order lines by total, then by busts in a row."""
        factor = self.seats * (self.states.bust_count_limit - 1) + 1
        return (self.states.score - self.states.lowest_score) * factor + self.states.busts

    @cached_property
    def lines_read_early(self) -> Ints:
        """Lines that are read before they are solved: the last seat has just lost points."""
        lost = self.states.states_after_losses(self.states.after_banks(np.arange(self.count), 1))
        return np.asarray(np.add.outer(np.arange(self.rows) * self.count, lost).ravel())

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield last turns by total, then lines of equal total, those with the most busts first."""
        totals = np.zeros(1, dtype=np.int64)
        for _ in range(self.seats):
            totals = np.add.outer(totals, self.sort_keys).ravel()
        heads, tails = (np.arange(len(totals)) // self.count, np.arange(len(totals)) % self.count)
        lines = heads * self.width + tails
        blocks = [lines[block] for block in group_by_descending_keys(totals)]
        yield from ([block] for block in self.last_turn_blocks())
        yield from [blocks] if self.has_cyclic_components else ([block] for block in blocks)

    def last_turn_blocks(self) -> Iterator[Ints]:
        """Yield blocks of states in which the only opponent has finished, total by total."""
        mine = np.arange(self.count)
        return (self.number(mine, self.count + past) for past in range(self.past_totals))

    # --- Caps

    @cached_property
    def max_cap(self) -> int:
        """The largest of all caps."""
        if self.seats > 2:
            return int(self.caps_by_score.max())
        return int(self.caps(np.arange(self.lines)).max())

    @cached_property
    def end_total(self) -> int:
        """Total at which all tables end.

        In a last round a player hardly ever comes that far and could still lose by stopping. With an exact finish it
        is one more than a player may hold.
        """
        if self.last_round:
            return int(self.last_round.end_totals.max())
        return self.states.target + self.states.is_exact

    @cached_property
    def end_totals(self) -> Ints:
        """Total at which tables of turns may end because of a last round, by the last seat's state."""
        states = self.states
        if not self.last_round:
            return np.full(self.count, states.lowest_score)
        if self.seats > 2:
            return np.full(self.count, self.end_total)
        return self.last_round.end_totals[states.score - states.lowest_score].astype(np.int64)

    @cached_property
    def caps_by_score(self) -> NDArray[np.int32]:
        """Cap by the mover's score from the lowest on, for three and more players."""
        caps, low, target = self.states.caps_by_score, self.states.lowest_score, self.states.target
        if self.last_round:
            caps = np.maximum(caps, self.end_total - np.arange(low, target))
        if self.dice and not self.states.turn.is_nondecreasing:
            caps = np.maximum(caps, self.span)
        return caps.astype(np.int32)

    def caps(self, states: Ints) -> Caps:
        """Return the number of turn points at which the table of each turn ends."""
        if self.seats > 2:
            return self.caps_by_score[self.states.score[self.mover(states)] - self.states.lowest_score]
        mine, theirs = np.divmod(states, self.width)
        is_last = theirs >= self.count
        round_caps = self.end_totals[np.where(is_last, 0, theirs)] - self.states.score[mine]
        if self.last_round:
            last_turn_caps = self.last_turn_caps(mine, self.states.target + theirs - self.count)
            round_caps = np.where(is_last, last_turn_caps, round_caps)
        caps = np.where(is_last, round_caps, np.maximum(self.states.caps[mine], round_caps))
        # Dice that are taken over must be rolled. If a choice can take points off, points beyond the cap matter.
        if self.dice and not self.states.turn.is_nondecreasing:
            caps = np.maximum(caps, self.span + self.past_totals)
        return caps.astype(np.int32)

    def last_turn_caps(self, mine: Ints, totals: Ints) -> Ints:
        """Return the caps of last turns against ``totals``."""
        return np.asarray(np.maximum(totals - self.states.score[mine] + 1, self.last_turn_min_banks[mine]))

    @cached_property
    def last_turn_min_banks(self) -> Ints:
        """Fewest points of a bank that counts in a last turn, by the mover's own state."""
        assert self.last_round
        return np.array([self.last_round.min_bank(score) for score in self.states.score.tolist()])

    # --- Transitions

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """Return the transitions of all endings, with banks up to ``cap``; states of one block only."""
        cap = self.bank_cap(cap)
        theirs = states % self.width
        if theirs[0] < self.count:
            return super().transitions(states, cap)
        mine, totals = self.mover(states), self.states.target + theirs - self.count
        return self.last_turn_transitions(mine, totals, max(cap, int(self.caps(states).max())))

    def bank_cap(self, cap: int) -> int:
        """Return the most points for which banks have endings, in turns with caps of at most ``cap``.

        If dice can be taken over, banks stand in blocks by the dice left, and these are as long as in the solve.
        """
        return max(cap, self.max_cap) if self.dice else cap

    def make_lanes(self, payoff: Doubles, caps: Caps) -> TurnLanes:
        """Return turns with these caps; ``payoff`` (channels, endings, lanes) has banks up to their ``bank_cap``."""
        cap = self.bank_cap(int(caps.max()))
        return TurnLanes(self.turn_for_cap(cap), payoff, caps, cap + 1)

    def last_turn_transitions(self, mine: Ints, totals: Ints, cap: int) -> Transitions:
        """Return the transitions of last turns against ``totals``, with banks up to ``cap``."""
        assert self.last_round
        points = np.arange(cap + 1)[:, None]
        banks = self.last_round.bank_payoffs(points, totals - self.states.score[mine], self.last_turn_min_banks[mine])
        specials = np.repeat([[0.0], [1.0], [0.0]], len(mine), axis=1)
        constant = np.concatenate([specials, *[banks] * (self.dice + 1)])
        return Transitions(constant, np.full(constant.shape, -1))

    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return the transitions to lines in which the next player moves and the mover is last."""
        others, won = states % self.rows, after <= WON
        if self.past_totals:
            won[SPECIALS:] = False  # the opponent still has a last turn
        constant = np.where(after == FORBIDDEN, -np.inf, np.where(won, 1.0, 0.0))
        links = Transitions(constant, np.where(after >= 0, others * self.width + after, -1))
        if not (self.past_totals or self.dice):
            return links
        following = others * self.width // self.rows  # the next mover's own state
        if self.past_totals:
            past = np.where(won | (after >= FORBIDDEN), -1, WON - after)  # points past the target; -1 if not there
            links = self._with_past_totals(links, past, following)
        if not self.dice:
            return links
        mine, points = self.mover(states), np.arange(len(after) - SPECIALS)[:, None]
        can_offer = (points >= self.states.min_banks[mine]) & (points <= self.max_takeover_points[following])
        links_with_offers = self.with_takeover_banks(
            links,
            (after[SPECIALS:] >= 0) & can_offer,
            lambda dice: self.offer_states(links.state[SPECIALS:], points, dice),
        )
        if not self.past_totals:
            return links_with_offers
        total = self.states.score[mine] + points
        return self._with_last_offers(links_with_offers, (past[SPECIALS:] >= 0) & can_offer, following, total)

    def _with_past_totals(self, links: Transitions, past: Ints, theirs: Ints) -> Transitions:
        """Let banks past the target lead to the opponent's last turn; beyond the tabled totals they pay a constant."""
        assert self.last_round
        is_tabled = (past >= 0) & (past < self.past_totals)
        state = np.where(is_tabled, self.number(theirs, self.count + past), links.state)
        constant, beyond = links.constant, past >= self.past_totals
        if beyond.any():
            totals = self.states.target + np.maximum(past, 0)
            constant = np.where(beyond, 1 - self.last_round.win_chance(self.states.score[theirs], totals), constant)
        return Transitions(constant, state)

    def _with_last_offers(
        self, links: Transitions, banked: NDArray[np.bool_], theirs: Ints, total: Ints
    ) -> Transitions:
        """Let banks that reach the target and leave dice pay what the opponent's last turn leaves."""
        points = np.arange(len(banked))[:, None]
        for dice, reachable in enumerate(bankable_points(self.states.rules, len(banked) - 1), 1):
            place, lane = np.nonzero(banked & reachable[:, None])
            ending = SPECIALS + dice * len(banked) + place, lane
            links.constant[ending] = 1 - self.last_offer_values(
                theirs[lane], total[place, lane], points[place, 0], dice
            )
            links.state[ending] = -1
        return links

    # --- Offers to take over

    def offer_states(self, lines: Ints, points: Ints, dice: Ints | int) -> Ints:
        """Return the states of ``lines`` in which the mover may take over points and dice of the last seat."""
        if self.seats > 2:
            return np.asarray(lines + self.lines * ((points - 1) * self.dice + dice))
        mine, theirs = np.divmod(lines, self.width)
        above = self.states.score[np.minimum(theirs, self.count - 1)] - self.states.lowest_score
        offer = above * (above - 1) // 2 + points - 1
        return np.asarray(self.lines + (mine * self.offers + offer) * self.dice + dice - 1)

    def decode_offers(self, numbers: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the mover's state, the opponent's score, points and dice of states with an offer, for two players."""
        pair_offer, dice = np.divmod(numbers - self.lines, self.dice)
        mine, offer = np.divmod(pair_offer, self.offers)
        heights = np.arange(self.span)
        above: Ints = np.asarray(np.searchsorted(heights * (heights - 1) // 2, offer, side="right") - 1)
        return mine, above + self.states.lowest_score, offer - above * (above - 1) // 2 + 1, dice + 1

    def all_offer_states(self, lines: Ints) -> Ints:
        """Return all states of ``lines`` with an offer, possible or not, for three and more players."""
        return np.asarray(np.add.outer(self.lines * np.arange(1, 1 + self.offers * self.dice), lines).ravel())

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return the offers to the movers; None if nothing can be taken over."""
        if not self.dice:
            return None
        lane, points, dice = self._offers_by_pair(states) if self.seats == 2 else self._offers_by_line(states)
        return self.make_takeover_offers(states, lane, self.offer_states(states[lane], points, dice), points, dice)

    def _offers_by_line(self, lines: Ints) -> tuple[Ints, Ints, Ints]:
        """Return lane, points and dice of every offer, possible or not."""
        points, dice, lane = np.indices((self.offers, self.dice, len(lines))).reshape(3, -1)
        return lane, points + 1, dice + 1

    def _offers_by_pair(self, states: Ints) -> tuple[Ints, Ints, Ints]:
        """Return lane, points and dice of the offers of opponents who have just banked."""
        theirs = states % self.width
        has_banked = (theirs < self.count) & (self.states.busts[np.minimum(theirs, self.count - 1)] == 0)
        above = np.where(has_banked, self.opponent_score(states) - self.states.lowest_score, 0)
        lane = np.repeat(np.arange(len(states)), above)
        points = np.arange(len(lane)) - np.repeat(np.cumsum(above) - above, above) + 1
        lane, points = np.repeat(lane, self.dice), np.repeat(points, self.dice)
        return lane, points, np.tile(np.arange(1, self.dice + 1), len(lane) // self.dice)

    @property
    def max_points_taken_over(self) -> int:
        """Number of points from which more points taken over change nothing, in a last turn."""
        return self.span + self.past_totals - 1

    @cached_property
    def last_takeover_chances(self) -> Doubles:
        """Chances of last turns that take over an offer (``LastRound.takeover_chances``)."""
        assert self.last_round
        assert self.dice
        return self.last_round.takeover_chances(self.turn_for_cap, self.dice, self.max_points_taken_over)

    def last_offer_values(self, mine: Ints, total: Ints, points: Ints, dice: Ints | int) -> Doubles:
        """Return the mover's chance in a last turn with an offer: the better of taking it over and a new turn."""
        assert self.last_round
        score = self.states.score[mine]
        ahead = np.clip(total - points - score + self.span - 1, 0, 2 * self.span - 2)
        taken = self.last_takeover_chances[
            (score > 0).astype(np.int64), ahead, np.minimum(points, self.max_points_taken_over), dice - 1
        ]
        new_turn = self.last_round.win_chance(score, total)
        return np.asarray(np.where(points <= self.max_takeover_points[mine], np.maximum(new_turn, taken), new_turn))

    # --- Two players

    def lossless(self) -> tuple[RaceModel, Ints]:
        """Return the race of two without losses and offers, and the state there that matches each state."""
        plain, kinds = RaceModel(States(self.states.rules, has_losses=False), 2, False), self.states.bust_count_limit
        mine, theirs = np.divmod(np.arange(self.lines), self.width)
        past_target = theirs - self.count + self.count // kinds
        matching = plain.number(mine // kinds, np.where(theirs < self.count, theirs // kinds, past_target))
        return plain, np.append(matching, np.zeros(self.state_count - self.lines, dtype=np.int64))

    # --- Three and more players

    def last_round_error(self, end: int) -> float:
        """Return the error of the table of last turns up to the total ``end``.

        Every last turn rounds. Totals past ``end`` stand for each other, which can cost something in every turn.
        """
        if not self.last_round:
            return 0.0
        rounding = turn_rounding_bound(self.states.rules.turn, end) + self.seats * 2.0**-52
        return (self.seats - 1) * rounding + 4 * self.seats * (self.seats - 1) * TRUNCATION

    def last_round_table(self, zeros: Callable[[int], Doubles]) -> Doubles | None:
        """Return the shares of the others in their last turns: (rows, totals, seats - 1); None without a last round."""
        if not self.last_round:
            return None
        turns = MultiplayerLastRound(self.last_round, self.seats, self.end_total)
        tables = turns.empty_tables()
        for _ in range(self.seats - 1):
            tables = turns.with_earlier_mover(self.states.score, tables, zeros)
        (table,) = tables
        return table

    def seat_payoffs(
        self,
        values_of: Callable[[Ints], Doubles],
        states: Ints,
        transitions: Transitions,
        past: Doubles | None,
        row: Ints,
    ) -> Doubles:
        """Return what the endings pay every seat from the mover on: (seats, endings, lanes).

        Args:
            worth: the values of states for all seats, the player to move first (last axis).
            states: the states in which the turns begin.
            links: their transitions.
            past: the table of last turns (``past``).
            row: the row of that table for each lane.
        """
        state, constant = transitions.state, transitions.constant
        is_constant, values = state < 0, values_of(np.maximum(state, 0))
        shares = np.stack([np.where(is_constant, 0.0, values[..., seat - 1]) for seat in range(self.seats)])
        shares[0] += constant
        if past is not None:
            bank, lane = np.nonzero(is_constant[SPECIALS:] & (constant[SPECIALS:] > 0))
            total = self.states.score[self.mover(states[lane])] + bank - self.states.target
            others = past[row[lane], np.minimum(total, past.shape[1] - 1)].T
            shares[1:, SPECIALS + bank, lane] = others
            shares[0, SPECIALS + bank, lane] = (1 - others.sum(axis=0)).clip(0.0)
        return shares

    def prepare_turns(self, states: Ints, table: Doubles, evaluated: Doubles, past: Doubles | None) -> RaceTurns:
        """Return the turns of lines: ``table`` decides the choices, and ``carried`` is evaluated along them."""
        links = self.transitions(states)
        zero = links.state == self.after_zero_turn(states)
        payoff = np.empty((2 + self.seats, *zero.shape))

        def shares(values: Doubles) -> Doubles:
            return self.seat_payoffs(
                lambda states: np.take(values, states, axis=0), states, links, past, states % self.rows
            )

        payoff[2:] = shares(evaluated)
        payoff[0] = payoff[2] if evaluated is table else shares(table)[0]
        payoff[1] = zero
        payoff[2:, zero] = 0.0
        return RaceTurns(self.turn, self.caps(states), zero, payoff)


@dataclass(frozen=True)
class RaceTurns:
    """Turns side by side, to be solved for different values of a zero turn.

    Attributes:
        turn: the turn model.
        caps: the cap of every lane.
        zero: the zero turns among the endings (endings, lanes).
        payoff: (2 + seats, endings, lanes). Channel 0 decides, with room for the value of zero turns. Channel 1
            is 1 for a zero turn. The others are what all other endings pay the seats from the mover on.
    """

    turn: PushTurn
    caps: Caps
    zero: NDArray[np.bool_]
    payoff: Doubles

    @property
    def without_shares(self) -> RaceTurns:
        """The turns decided by the mover's own share, without the channels of the seats."""
        return replace(self, payoff=self.payoff[[2, 1]])

    def select(self, lanes: Ints) -> RaceTurns:
        """Return the turns of these lanes, which may repeat."""
        return RaceTurns(self.turn, self.caps[lanes], self.zero.take(lanes, axis=1), self.payoff.take(lanes, axis=2))

    def solve(self, zero_values: Doubles, inner: bool = False) -> TurnValue:
        """Solve all turns for these values of a zero turn to the mover.

        The channels are the mover's value, the chance of a zero turn, and the shares of the seats in all other endings.
        """
        np.copyto(self.payoff[0], zero_values, where=self.zero)
        return self.turn.solve(self.payoff, self.caps, inner=inner)


@lru_cache(maxsize=8)
def bankable_points(rules: PushRules, max_points: int) -> list[NDArray[np.uint8]]:
    """Return, by number of dice left, which points up to ``most`` a turn can bank with that many dice left."""
    return [
        lowest_bits(points, max_points + 1) for points in rules.turn.reachable_points_by_mode(max_points)[: rules.dice]
    ]


@lru_cache(maxsize=8)
def make_takeover_turn(rules: PushRules, block: int) -> PushTurn:
    """Return the turn model with take-over modes, and ``block`` banks for each number of dice left."""
    plain = rules.turn
    modes = [
        mode._replace(bank_ending=(number + 1) * block) if number < rules.dice else mode
        for number, mode in enumerate(plain.modes)
    ]
    takeover_modes = [
        mode._replace(name=f"{mode.name} taken over", bank_ending=None) for mode in plain.modes[: rules.dice]
    ]
    groups = [*plain.groups, range(len(modes), len(modes) + rules.dice)]
    return PushTurn([*modes, *takeover_modes], groups, plain.start, SPECIALS, plain.forbids_overshoot)
