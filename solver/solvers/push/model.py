"""The equations of push-your-luck games: what a turn's endings lead to, for every objective that knows a target.

A player's states are a score and the busts in a row (``states``). A position is the mover's state, the opponent's if
there is one, and what is offered to the mover, where turns may be taken over. What costs points, loses a score, hands
on dice, ends a game exactly or with a last round changes what endings lead to, and nothing else:

    win          banks lead to (opponent, own state after it), and pay the stake of 1 less what that is worth
    turns        minus one, and minus the turns still needed from the state after it
    reach        1 at the goal; else the chance with one turn fewer

With a last round, a total past the target pays what the turns that follow leave of it (``last_round``).

*Taking over.* Who banks t points and leaves d dice unthrown offers them: the next player begins anew, or throws those d
dice with the t points in hand. From state a against b, let C(m, t) be the worth of throwing on in mode m with t points
in hand. Then V(a, b, nothing) = C(all dice, 0) and V(a, b, (t, d)) = max(C(all dice, 0), C(d, t)), read off one table
of the turn from (a, b): taking over is one more mode for each number of dice, which throws and cannot stop. The endings
of a turn are a block of banks for each number of dice left over, and one for none.

Totals only rise but for what is lost, so blocks are scores, or pairs of equal total, highest first, and of those with
more busts in a row first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS, PushRules
from ...turns.push_turn import Caps, Doubles, PushTurn
from ..model import Ints, TakeoverOffers, TransitionModel, Transitions
from .last_round import TRUNCATION, LastRound
from .states import NEVER, WON, States, bits

MANY = 1 << 30  # points that no turn brings
FAR_BELOW = 1000.0  # turns: no state of a game anybody plays is that far from the one above it


class PushEquations(TransitionModel):
    """What all of them share: endings in terms of one player's states; ``dice``: so many at most may be left over to be
    taken over, unless no turn ``hands_on`` anything.
    """

    def __init__(self, states: States, hands_on: bool = True) -> None:
        self.states, rules = states, states.rules
        self.dice = rules.dice if hands_on and rules.take_over != "none" else 0

    def turn_to(self, top: int) -> PushTurn:
        """The turn for tables that end at so many points at most, with what may be taken over."""
        return taking(self.states.rules, top + 1) if self.dice else self.states.turn

    @cached_property
    def turn(self) -> PushTurn:
        """The turn for tables as they are solved."""
        return self.turn_to(self.max_cap)

    @cached_property
    def last(self) -> LastRound | None:
        """The last round, if there is one."""
        return LastRound(self.states) if self.states.rules.finish == "last_round" else None

    @property
    def has_cyclic_components(self) -> bool:
        """Where anything can be lost."""
        return self.states.falls

    @property
    def max_cap(self) -> int:
        """The largest of all caps."""
        return int(self.states.caps.max())

    @abstractmethod
    def mover(self, states: Ints) -> Ints:
        """The mover's state."""

    def facing(self, states: Ints) -> Ints:
        """The score of the opponent, if there is one alone."""
        return np.zeros_like(states)

    @abstractmethod
    def leads(self, states: Ints, after: Ints) -> Transitions:
        """What it pays to lead to one of the mover's states, NEVER or WON (endings, lanes)."""

    def caps(self, states: Ints) -> Caps:
        """Where the turn's table ends."""
        return self.states.caps[self.mover(states)]

    @cached_property
    def takes(self) -> Ints:
        """By a player's state, with how many points at most that player may take over."""
        states, rules = self.states, self.states.rules
        most = states.target - states.score if states.exact else np.full(len(states), MANY)
        return np.where((rules.take_over == "free") | (states.score > 0), most, 0)

    def hand_on(self, links: Transitions, banked: NDArray[np.bool_], offered: Callable[[int], Ints]) -> Transitions:
        """The same with a block of banks for each number of dice left over: what was ``banked`` (points, lanes) and may
        be taken over leads to the states in which so many dice are ``offered``.
        """
        left = left_over(self.states.rules, len(banked) - 1)
        states = [
            np.where(banked & one[:, None], offered(dice), links.state[SPECIALS:]) for dice, one in enumerate(left, 1)
        ]
        constants = [np.where(banked & one[:, None], 0.0, links.constant[SPECIALS:]) for one in left]
        return Transitions(np.concatenate([links.constant, *constants]), np.concatenate([links.state, *states]))

    def readings_of(self, states: Ints, lane: Ints, offered: Ints, points: Ints, dice: Ints) -> TakeoverOffers:
        """What is ``offered`` in lanes of states; where the mover may not take it the turn begins."""
        may = points <= self.takes[self.mover(states[lane])]
        mode = np.where(may, len(self.turn.modes) - self.dice - 1 + dice, self.turn.start)
        return TakeoverOffers(offered, lane, mode, np.where(may, np.minimum(points, self.caps(states)[lane]), 0))

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """What the endings of the states' turns pay, with banks up to a cap."""
        mine = self.mover(states)
        size = max(cap, int(self.caps(states).max())) + 1
        specials = np.stack([self.states.bust[mine], np.full(len(mine), WON), self.states.wipe[mine]])
        return self.leads(states, np.concatenate([specials, self.states.after(mine, size)]))


def in_order(*keys: Ints) -> list[Ints]:
    """Blocks of states with equal keys, the greatest first; the first key counts most."""
    order = np.lexsort([-key for key in reversed(keys)])
    differs = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    return np.split(order, np.flatnonzero(differs) + 1)


class Alone(PushEquations):
    """Fewest turns to the goal, as a number below 0, or with ``turns`` the chance to get there in so many: then states
    are numbered by the turns left, and those with none are worth nothing.
    """

    seats = 1

    def __init__(self, states: States, turns: int = 0) -> None:
        super().__init__(states, False)
        self.turns, self.state_count = turns, len(states) * (turns + 1)

    @property
    def has_cyclic_components(self) -> bool:
        """Where anything can be lost, but not by turns left."""
        return self.states.falls and not self.turns

    @property
    def value_range(self) -> tuple[float, float]:
        """Chances, or minus any number of turns."""
        return (0.0, 1.0) if self.turns else (-np.inf, -1.0)

    def components(self) -> Iterator[Sequence[Ints]]:
        """Turn by turn, or score by score."""
        count = len(self.states)
        if self.turns:
            yield from ([left * count + np.arange(count)] for left in range(1, self.turns + 1))
            return
        blocks = in_order(self.states.score, self.states.busts)
        yield from [blocks] if self.has_cyclic_components else ([block] for block in blocks)

    def mover(self, states: Ints) -> Ints:
        """The player's state."""
        return states % len(self.states)

    def leads(self, states: Ints, after: Ints) -> Transitions:
        """One turn less, or one more."""
        constant = np.where(after == NEVER, -np.inf, np.where(after <= WON, 1.0, 0.0) if self.turns else -1.0)
        before = (states // len(self.states) - 1) * len(self.states) if self.turns else 0
        return Transitions(constant, np.where(after >= 0, before + after, -1))

    def first_guess(self, values: Doubles, states: Ints) -> Doubles:
        """Far below what the next score needs, since Newton's steps climb."""
        above = np.minimum(states + self.states.kinds, self.state_count - 1)
        return np.asarray(np.minimum(values[above], values[states]) - FAR_BELOW)

    def lossless(self) -> tuple[Alone, Ints]:
        """The same without anything that can be lost, and where every state's like is among its states."""
        states = self.states
        return Alone(States(states.rules, states.goal * states.rules.grain, falls=False)), self.mover(
            np.arange(self.state_count)
        ) // states.kinds


class Two(PushEquations):
    """The chance to win of two players. A state is the mover's state, by the opponent's; with a last round, also by the
    totals past the target that the opponent may hold; behind these come what may be taken over.

    What may be taken over in a last turn is no state of its own: ``last_taken`` holds its chances, and banks that lead
    there pay constants.
    """

    seats = 2

    def __init__(self, states: States, hands_on: bool = True) -> None:
        super().__init__(states, hands_on)
        self.past = int(self.last.last_totals.max()) - states.target + 1 if self.last else 0
        self.width = len(states) + self.past
        self.pairs = len(states) * self.width
        self.span = states.target - states.low
        self.offers = self.span * (self.span - 1) // 2 if self.dice else 0
        self.state_count = self.pairs + len(states) * self.offers * self.dice
        self.constant_error = 4 * TRUNCATION + self.last.rounding if self.last else 0.0

    @cached_property
    def max_cap(self) -> int:
        """The largest of all caps."""
        return int(self.caps(np.arange(self.pairs)).max())

    @cached_property
    def last_totals(self) -> Ints:
        """By the opponent's state, the total at which every turn's table may end."""
        states = self.states
        if not self.last:
            return np.full(len(states), states.low)
        return self.last.last_totals[states.score - states.low].astype(np.int64)

    def number(self, mine: Ints | int, theirs: Ints | int) -> Ints:
        """The state of a pair; ``theirs`` past the last state is a total past the target."""
        found: Ints = np.asarray(mine, dtype=np.int64) * self.width + theirs
        return found

    @cached_property
    def last_taken(self) -> Doubles:
        """The chances of last turns that take over (``LastRound.taken_over``)."""
        assert self.last
        assert self.dice
        return self.last.taken_over(self.turn_to, self.dice, self.most_taken)

    @property
    def most_taken(self) -> int:
        """The most points that are taken over: beyond them nothing changes."""
        return self.span + self.past - 1

    def last_offered(self, mine: Ints, total: Ints, points: Ints, dice: Ints | int) -> Doubles:
        """The mover's chance in a last turn that may take over what somebody has banked: the better beginning."""
        assert self.last
        score = self.states.score[mine]
        ahead = np.clip(total - points - score + self.span - 1, 0, 2 * self.span - 2)
        taken = self.last_taken[(score > 0).astype(np.int64), ahead, np.minimum(points, self.most_taken), dice - 1]
        anew = self.last.against(score, total)
        return np.asarray(np.where(points <= self.takes[mine], np.maximum(anew, taken), anew))

    def offered(self, mine: Ints, total: Ints, points: Ints, dice: Ints | int) -> Ints:
        """The state where the mover may take over what an opponent below the target has banked."""
        above = total - self.states.low
        found: Ints = self.pairs + (mine * self.offers + above * (above - 1) // 2 + points - 1) * self.dice + dice - 1
        return found

    def offers_of(self, numbers: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """What such states tell: the mover's state, the total of who has banked, points and dice."""
        rest, dice = np.divmod(numbers - self.pairs, self.dice)
        mine, rest = np.divmod(rest, self.offers)
        above = np.arange(self.span)
        above = np.searchsorted(above * (above - 1) // 2, rest, side="right") - 1
        return mine, above + self.states.low, rest - above * (above - 1) // 2 + 1, dice + 1

    def components(self) -> Iterator[Sequence[Ints]]:
        """Last turns; then pairs of equal total, those with most busts first."""
        count, states = len(self.states), self.states
        mine, theirs = (one.ravel() for one in np.indices((count, count)))
        keys = states.score[mine] + states.score[theirs], states.busts[mine] + states.busts[theirs]
        blocks = [self.number(mine, theirs)[block] for block in in_order(*keys)]
        yield from ([block] for block in self.last_turns())
        yield from [blocks] if self.has_cyclic_components else ([block] for block in blocks)

    def last_turns(self) -> Iterator[Ints]:
        """Blocks of states in which the opponent holds the target of a last round, total by total."""
        mine = np.arange(len(self.states))
        return (self.number(mine, len(mine) + more) for more in range(self.past))

    def mover(self, states: Ints) -> Ints:
        """The mover's state."""
        return states // self.width

    def facing(self, states: Ints) -> Ints:
        """The opponent's score, which may be past the target."""
        theirs, count = states % self.width, len(self.states)
        found: Ints = np.where(
            theirs < count, self.states.score[np.minimum(theirs, count - 1)], self.states.target + theirs - count
        )
        return found

    def caps(self, numbers: Ints) -> Caps:
        """Where the turn's table ends. Dice taken over must be thrown, so where a set takes points off it matters how
        many more than enough are in hand.
        """
        states = self.states
        mine, theirs = np.divmod(numbers, self.width)
        last = theirs >= len(states)
        ends = self.last_totals[np.where(last, 0, theirs)] - states.score[mine]
        if self.last:
            ends = np.where(last, self.last_caps(mine, states.target + theirs - len(states)), ends)
        caps = np.where(last, ends, np.maximum(states.caps[mine], ends))
        if self.dice and not states.turn.keeps:
            caps = np.maximum(caps, self.span + self.past)
        return caps.astype(np.int32)

    def last_caps(self, mine: Ints, totals: Ints) -> Ints:
        """Where the tables of last turns end against totals."""
        found: Ints = np.maximum(totals - self.states.score[mine] + 1, self.least[mine])
        return found

    @cached_property
    def least(self) -> Ints:
        """By state, the fewest points of a bank that counts in a last turn."""
        assert self.last
        return np.array([self.last.least(score) for score in self.states.score.tolist()])

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """What the endings of the states' turns pay, with banks up to a cap."""
        cap = max(cap, self.max_cap) if self.dice else cap  # blocks of banks are as the turn has them
        theirs = states % self.width
        if theirs[0] < len(self.states):
            return super().transitions(states, cap)
        mine, totals = self.mover(states), self.states.target + theirs - len(self.states)
        return self.last_links(mine, totals, max(cap, int(self.caps(states).max())))

    def last_links(self, mine: Ints, totals: Ints, cap: int) -> Transitions:
        """The same of last turns against totals."""
        assert self.last
        points = np.arange(cap + 1)[:, None]
        banks = self.last.paid(points, totals - self.states.score[mine], self.least[mine])
        specials = np.repeat([[0.0], [1.0], [0.0]], len(mine), axis=1)
        constant = np.concatenate([specials, *[banks] * (self.dice + 1)])
        return Transitions(constant, np.full(constant.shape, -1))

    def leads(self, states: Ints, after: Ints) -> Transitions:
        """The opponent moves next."""
        mine, theirs = np.divmod(states, self.width)
        won = after <= WON
        won[SPECIALS:] &= not self.last
        constant = np.where(after == NEVER, -np.inf, np.where(won, 1.0, 0.0))
        over = np.where(won | (after >= NEVER), -1, WON - after)  # the points past the target
        state = np.where(won | (after == NEVER) | (over >= self.past), -1, self.number(theirs, after))
        state = np.where((over >= 0) & (over < self.past), self.number(theirs, len(self.states) + over), state)
        if self.last and (beyond := over >= self.past).any():
            totals = self.states.target + np.maximum(over, 0)
            constant = np.where(beyond, 1 - self.last.against(self.states.score[theirs], totals), constant)
        if not self.dice:
            return Transitions(constant, state)
        points = np.arange(len(after) - SPECIALS)[:, None]
        banked = (points >= self.states.counts[mine]) & (points <= self.takes[theirs])
        total = self.states.score[mine] + points
        found = self.hand_on(
            Transitions(constant, state),
            (after[SPECIALS:] >= 0) & banked,
            lambda dice: self.offered(theirs, total, points, dice),
        )
        return self._with_last_turns(found, (over[SPECIALS:] >= 0) & banked, theirs, total) if self.last else found

    def _with_last_turns(self, links: Transitions, banked: NDArray[np.bool_], theirs: Ints, total: Ints) -> Transitions:
        """The same where banks that reach the target hand on dice to a last turn."""
        points = np.arange(len(banked))[:, None]
        for dice, left in enumerate(left_over(self.states.rules, len(banked) - 1), 1):
            place, lane = np.nonzero(banked & left[:, None])
            at = SPECIALS + dice * len(banked) + place, lane
            links.constant[at] = 1 - self.last_offered(theirs[lane], total[place, lane], points[place, 0], dice)
            links.state[at] = -1
        return links

    def lossless(self) -> tuple[Two, Ints]:
        """The same without anything that can be lost or taken over, and where every state's like is."""
        plain, kinds, count = Two(States(self.states.rules, falls=False), False), self.states.kinds, len(self.states)
        mine, theirs = np.divmod(np.arange(self.pairs), self.width)
        like = plain.number(mine // kinds, np.where(theirs < count, theirs // kinds, theirs - count + count // kinds))
        return plain, np.append(like, np.zeros(self.state_count - self.pairs, dtype=np.int64))

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """What may be taken over by the movers, from opponents who have just banked."""
        if not self.dice:
            return None
        mine, theirs = np.divmod(states, self.width)
        count, own = len(self.states), self.states
        at = self.facing(states)
        banked = (theirs < count) & (own.busts[np.minimum(theirs, count - 1)] == 0)
        above = np.where(banked, at - own.low, 0)
        lane = np.repeat(np.arange(len(states)), above)
        points = np.arange(len(lane)) - np.repeat(np.cumsum(above) - above, above) + 1
        lane, points = np.repeat(lane, self.dice), np.repeat(points, self.dice)
        dice = np.tile(np.arange(1, self.dice + 1), len(lane) // self.dice)
        return self.readings_of(states, lane, self.offered(mine[lane], at[lane], points, dice), points, dice)


@lru_cache(maxsize=8)
def left_over(rules: PushRules, most: int) -> list[NDArray[np.uint8]]:
    """By dice left unthrown, which points up to so many a turn can bank with them."""
    return [bits(points, most + 1) for points in rules.turn.reachable(most)[: rules.dice]]


@lru_cache(maxsize=8)
def taking(rules: PushRules, block: int) -> PushTurn:
    """The turn with a block of so many banks for each number of dice left over, and modes for what is taken over."""
    plain = rules.turn
    modes = [
        mode._replace(bank_ending=(number + 1) * block) if number < rules.dice else mode
        for number, mode in enumerate(plain.modes)
    ]
    taken = [mode._replace(name=f"{mode.name} taken over", bank_ending=None) for mode in plain.modes[: rules.dice]]
    groups = [*plain.groups, range(len(modes), len(modes) + rules.dice)]
    return PushTurn([*modes, *taken], groups, plain.start, SPECIALS, plain.forbid)
