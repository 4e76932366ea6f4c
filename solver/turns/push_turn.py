"""The push-your-luck turn: modes x points in hand, solved backwards for many lanes at once.

A *mode* is a decision point before a throw (dice left, flags). With t points in hand the player may stop, which ends
the turn in the ending ``bank + t``, or make one of the mode's throws. A throw falls into *classes*; a class lists the
*choices* it offers: the next mode and the points added, or a special ending such as the bust. With payoff P and classes
of weight w_c out of W,

    V[m, t] = max( P[bank_m + t],  max over throws  sum_c w_c / W  max_{j in c} V[next_j, keeps_j t + add_j] ).

The turn ends with certainty because within a group of modes every choice adds points, groups only lead to earlier
groups, and from the cap on whoever may stop does; so V is found in one pass, groups in order, points descending. It has
one solution: each V[m, t] is defined by values already known. A choice that leads to an earlier group may take points
off, down to none.

Channel 0 of the payoff is what the mover maximises; every other channel is carried along the choices made for it.
Lanes are independent problems; every lane sees the same operations in the same order, so the number of lanes, blocks
or threads never changes a bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.push import LANES, MAX_CHANNELS, PushKernel
from ..util.bitsets import reachable_points
from ..util.errors import InputError

if TYPE_CHECKING:
    from ..util.threads import ThreadPool

Doubles = NDArray[np.float64]
Caps = NDArray[np.int32]
Decisions = NDArray[np.int16]

# A special ending is written as a choice whose next mode is negative: -1 is ending 0, the bust.


class TurnChoice(NamedTuple):
    """What one choice leads to: a mode with ``add`` points more (or ``add`` points only, where the others are lost)."""

    next_mode: int
    added_points: int = 0
    keeps_points: bool = True

    def points_after(self, points: int) -> int:
        """The points in hand once it is made with so many."""
        return max(0, self.added_points + points * self.keeps_points)


BUST = TurnChoice(-1)
ANY = 2**31 - 1  # any number of points
MOST_WEIGHT = 10**30  # of a throw; from EXACT_WEIGHT on weights are rounded
EXACT_WEIGHT = 2**53


class Roll(NamedTuple):
    """A throw: its classes, each a tuple of choices (in order of preference where values tie) and its weight."""

    classes: tuple[tuple[tuple[TurnChoice, ...], int], ...]


class Mode(NamedTuple):
    """A decision point before a throw.

    ``bank`` is the first ending of the block that stopping here leads to, counted from the end of the special endings;
    None where stopping is not offered. ``bank_from`` is the least number of points with which it is, ``most`` the
    largest number that can be in hand here: choices must not lead here with more.
    """

    name: str
    bank_ending: int | None
    min_bank: int
    rolls: tuple[Roll, ...]
    max_points: int = ANY


class TurnValue(NamedTuple):
    """A solved turn. Shapes: ``value`` (channels, lanes), ``inner`` (channels, modes, rows, lanes): the value before a
    throw, ``decisions`` (rows, modes + classes, lanes): 0 to stop or the number of the throw from 1 on, then the
    choice made for every class (-1 where none may be made); the row of the block's largest cap says what modes without
    a stop do beyond the cap. ``inner`` and ``decisions`` only when asked for.
    """

    value: Doubles
    inner: Doubles | None
    decisions: Decisions | None


class PushTurn:
    """A compiled turn. It knows nothing of scores, opponents or objectives: the payoff carries those.

    Args:
        modes: the decision points.
        groups: the modes in solving order; a group may lead to itself (adding points) and to earlier groups.
        start: the mode in which a turn begins, with no points in hand.
        specials: number of special endings, the bust included; bank endings follow them in the payoff.
        forbid: a choice that passes the cap may not be made, and a throw that offers no other is a bust; otherwise
            points past the cap count as the cap.
    """

    def __init__(
        self,
        modes: Sequence[Mode],
        groups: Sequence[Sequence[int]],
        start: int,
        specials: int = 1,
        forbid: bool = False,
    ) -> None:
        self.modes = tuple(modes)
        self.start = start
        self.specials = specials
        self.forbid = forbid
        self.groups = tuple(tuple(group) for group in groups)
        self._check(groups)
        self.forced_again = self._forced_again(groups)
        # Beyond the cap, modes that cannot stop go on among themselves: so many passes leave less than 2**-60 to them.
        self.forced_passes = (
            math.ceil(60 * math.log(2) / -math.log(self.forced_again)) if 0 < self.forced_again < 1 else 1
        )
        throws = [throw for mode in modes for throw in mode.rolls]
        classes = [entry for throw in throws for entry in throw.classes]
        choices = [choice for offered, _ in classes for choice in offered]
        self.max_add = max(choice.added_points for choice in choices)
        self.keeps = all(
            choice.keeps_points and choice.added_points >= 0 for choice in choices
        )  # none lost, but for endings
        self.offers = tuple(offered for offered, _ in classes)
        self.classes = len(classes)
        self.choices = len(choices)
        last = [len(mode.rolls) for mode in modes] + [len(offered) - 1 for offered, _ in classes]
        self._last_choice = np.array(last, dtype=np.int16)[:, None]
        self.throw_start = _starts(len(mode.rolls) for mode in modes)
        self.class_start = _starts(len(throw.classes) for throw in throws)
        self.arrays: dict[str, Any] = {
            "group_start": _starts(len(group) for group in groups),
            "order": _ints(mode for group in groups for mode in group),
            "bank": _ints(-1 if mode.bank_ending is None else specials + mode.bank_ending for mode in modes),
            "bank_from": _ints(mode.min_bank for mode in modes),
            "most": _ints(mode.max_points for mode in modes),
            "throw_start": self.throw_start,
            "class_start": self.class_start,
            "total": np.array([float(sum(w for _, w in throw.classes)) for throw in throws]),
            "weight": np.array([float(weight) for _, weight in classes]),
            "choice_start": _starts(len(offered) for offered, _ in classes),
            "next": _ints(c.next_mode if c.next_mode >= 0 else len(modes) - 1 - c.next_mode for c in choices),
            "add": _ints(choice.added_points for choice in choices),
            "keeps": _ints(choice.keeps_points for choice in choices),
        }  # as the kernel takes them
        self._kernel = PushKernel(
            specials=specials, start=start, forbid=forbid, over_passes=self.forced_passes, **self.arrays
        )

    @cached_property
    def most_points(self) -> Decisions:
        """Of each class the choice that adds the most points, the first of those."""
        return np.array(
            [max(range(len(some)), key=lambda one: some[one].added_points) for some in self.offers], dtype=np.int16
        )

    def _forced_again(self, groups: Sequence[Sequence[int]]) -> float:
        """The greatest chance of a throw, in a mode that cannot stop, to lead to one of its group that cannot stop."""
        forced = {number for number, mode in enumerate(self.modes) if mode.bank_ending is None}
        chances = [0.0]
        for number, together in ((number, group) for group in groups for number in forced & set(group)):
            again = forced & set(together)
            for throw in self.modes[number].rolls:
                on = sum(
                    w for offered, w in throw.classes if any(c.next_mode in again and c.keeps_points for c in offered)
                )
                chances.append(on / sum(w for _, w in throw.classes))
        if max(chances) > 0.999 and not self.forbid:
            raise InputError("who must throw again must so almost always: let more throws there end the turn")
        return max(chances)

    def _check(self, groups: Sequence[Sequence[int]]) -> None:
        if sorted(mode for group in groups for mode in group) != list(range(len(self.modes))):
            raise ValueError("the groups must hold every mode once")
        done: set[int] = set()
        for group in groups:
            for mode in group:
                for throw in self.modes[mode].rolls:
                    for offered, weight in throw.classes:
                        if not offered or weight <= 0 or weight != int(weight):
                            raise ValueError("a class needs a choice and a positive whole weight")
                        for choice in offered:
                            ahead = choice.next_mode in group and choice.keeps_points and choice.added_points > 0
                            most = self.modes[choice.next_mode].max_points if choice.next_mode >= 0 else ANY
                            if most != ANY and (choice.keeps_points or choice.added_points > most):
                                raise ValueError(
                                    f"a choice of {choice.added_points} points leads to more points than its mode"
                                    " can hold"
                                )
                            if choice.next_mode >= 0 and choice.next_mode not in done and not ahead:
                                raise ValueError(
                                    f"{self.modes[mode].name}: a choice that adds no points could go round in a circle"
                                )
                    if sum(weight for _, weight in throw.classes) >= MOST_WEIGHT:
                        raise ValueError("the weights of a throw add up to more than 10**30")
            done.update(group)

    def rows(self, top: int) -> int:
        """Rows of points that a table needs when the largest cap is ``top``."""
        return top + self.max_add + 1

    @property
    def safe(self) -> frozenset[int]:
        """The modes in which every throw offers more than endings: nothing can be lost there."""
        return frozenset(
            number
            for number, mode in enumerate(self.modes)
            if mode.rolls
            and all(any(c.next_mode >= 0 for c in offered) for throw in mode.rolls for offered, _ in throw.classes)
        )

    @property
    def endless(self) -> list[int]:
        """The modes from which somebody can go on for ever: whatever falls, a choice leads to another of them."""
        found = set(self.safe)
        while True:
            left = {
                number
                for number in found
                for throw in self.modes[number].rolls
                if all(any(choice.next_mode in found for choice in offered) for offered, _ in throw.classes)
            }
            if left == found:
                return sorted(found)
            found = left

    @property
    def unstopped(self) -> frozenset[int]:
        """The modes in which nobody stops: no stop is offered, or nothing can be lost."""
        return self.safe | {number for number, mode in enumerate(self.modes) if mode.bank_ending is None}

    def can_repeat(self, modes: Iterable[int]) -> bool:
        """Return whether a turn can enter one of these modes again without leaving them in between."""
        reached, todo = {self.start}, [self.start]
        while todo:
            todo += (more := self._next_modes(todo.pop()) - reached)
            reached |= more
        left = reached & set(modes)
        while last := {mode for mode in left if not self._next_modes(mode) & left}:
            left -= last
        return bool(left)

    def _next_modes(self, mode: int) -> set[int]:
        """The modes that a throw of this mode can lead to."""
        classes = (entry for throw in self.modes[mode].rolls for entry in throw.classes)
        return {choice.next_mode for offered, _ in classes for choice in offered if choice.next_mode >= 0}

    def solve(
        self,
        payoff: Doubles,
        cap: Caps,
        *,
        inner: bool = False,
        decisions: bool = False,
        follow: Decisions | None = None,
        slide: Doubles | None = None,
        pool: ThreadPool | None = None,
        threads: int = 1,
    ) -> TurnValue:
        """Solve the turn for every lane.

        Args:
            payoff: (channels, endings, lanes): the specials, then the banks.
            cap: (lanes,) int32; with that many points whoever may stop does (``forbid``: one more than may be held).
                Lanes with similar caps should stand together.
            inner: also return the value before every throw.
            decisions: also return what to do.
            follow: make these decisions instead of the best.
            slide: (channels, at least banks + lanes); bank ending e pays lane l what stands at e + l, and ``payoff``
                holds the specials only, for whole blocks: lanes are the places of one axis, along which points lead.
            pool, threads: threads that share the blocks.

        Raises:
            ValueError: arrays of the wrong shape.
        """
        channels, endings, lanes = payoff.shape
        whole = pad(lanes) == lanes or slide is None
        if not lanes or not whole or cap.shape != (lanes,) or not 1 <= channels <= MAX_CHANNELS:
            raise ValueError(f"payoff {payoff.shape} and cap {cap.shape} do not fit each other, or blocks of {LANES}")
        top = int(cap.max())
        rows = self.rows(top)
        if slide is not None:
            if payoff.shape[:2] != (len(slide), self.specials):
                raise ValueError(f"beside a slide {slide.shape} the payoff {payoff.shape} holds the specials only")
            endings += slide.shape[1] - lanes
        self._check_reach(endings, cap)
        if follow is not None:
            shape = (rows, len(self.modes) + self.classes, lanes)
            if follow.shape != shape or follow.dtype != np.int16 or (follow > self._last_choice).any():
                raise ValueError(f"decisions must be int16 of the shape {shape}, each one of the choices there are")
        payoff, cap, every = padded(payoff), padded(cap), pad(lanes)
        value = np.empty((channels, every))
        table = np.empty((channels, len(self.modes), rows, every)) if inner else None
        nodes = None if follow is None else padded(follow)
        if decisions:
            nodes = np.zeros((rows, len(self.modes) + self.classes, every), dtype=np.int16)
        args = (payoff, cap, rows, value, table, nodes, follow is not None, slide)
        threads = min(threads, every // LANES)
        if pool is None or threads < 2:
            self._kernel.solve(*args)
        else:
            for future in [pool.submit(self._kernel.solve, *args, first, threads) for first in range(threads)]:
                future.result()
        if every == lanes:
            return TurnValue(value, table, nodes)
        inside = None if table is None else table[..., :lanes]
        return TurnValue(value[:, :lanes], inside, None if nodes is None else nodes[..., :lanes])

    def walk(
        self, follow: Decisions, cap: Caps, endings: int, *, visits: bool = False
    ) -> tuple[Doubles, Doubles | None]:
        """How often turns come to what where given decisions are followed: the pass the other way round.

        Args:
            follow: what is done, as ``TurnValue`` has it, by lane or alike in all; rows past the last are like it.
            cap: (lanes,) int32; points past it count as the cap, with which whoever may stop does.
            endings: of the turn's payoff.
            visits: also return the chance to come to a decision with so many points in hand (modes, rows, lanes).

        Returns:
            The chance of each ending (endings, lanes), and the visits. Chances below 2**-60 are not followed.

        Raises:
            ValueError: arrays of the wrong shape.
        """
        rows, lanes, classes = self.rows(int(cap.max())), len(cap), len(self.modes) + self.classes
        fits = len(follow) and follow.shape[1] == classes and follow.shape[2] in (1, lanes)
        if not fits or follow.dtype != np.int16:
            raise ValueError(f"decisions must be int16 of {classes} modes and classes, and of 1 lane or {lanes}")
        self._check_reach(endings, cap)
        ends = np.zeros((endings, lanes))
        met = np.zeros((len(self.modes), rows, lanes)) if visits else None
        if not self._kernel.walk(np.ascontiguousarray(follow), cap, rows, ends, met):
            raise ValueError("decisions must be choices that there are")
        return ends, met

    def _check_reach(self, endings: int, cap: Caps) -> None:
        top, banks = int(cap.max()), max(mode.bank_ending or 0 for mode in self.modes)
        if cap.min() < 0 or endings < self.specials + banks + top + (not self.forbid):
            raise ValueError(f"{endings} endings do not reach the cap {top}")

    def throw_values(
        self, solved: TurnValue, payoff: Doubles, mode: int, points: NDArray[np.int64], lanes: int | None = None
    ) -> Doubles:
        """What making each throw of a mode brings with so many points in hand, none past the largest cap, to the first
        lanes or all, in all channels, of which the first decides: (throws, channels, len(points), lanes).
        """
        throws = self.modes[mode].rolls
        return np.array([self.throw_value(solved, payoff, throw, points, lanes) for throw in throws])

    @staticmethod
    def throw_value(
        solved: TurnValue, payoff: Doubles, throw: Roll, points: NDArray[np.int64], lanes: int | None = None
    ) -> Doubles:
        """The same of one throw: the same operations in the same order as the kernel's, so the same bits."""
        assert solved.inner is not None
        inner, payoff = solved.inner[..., :lanes], payoff[..., :lanes]
        value = np.zeros((len(payoff), len(points), payoff.shape[2]))
        worth: dict[TurnChoice, Doubles] = {}  # many classes offer the same choice
        for offered, weight in throw.classes:
            for choice in offered:
                if choice not in worth:
                    held = np.maximum(choice.added_points + points * choice.keeps_points, 0)
                    ending = payoff[:, -1 - choice.next_mode, None] if choice.next_mode < 0 else None
                    worth[choice] = inner[:, choice.next_mode, held] if ending is None else ending
            best = reduce(_better, (worth[choice] for choice in offered))
            value += weight * np.where(best[:1] == -np.inf, payoff[:, :1], best)  # every choice would pass the cap
        return value / sum(weight for _, weight in throw.classes)

    @staticmethod
    def chance_of(throw: Roll, ending: TurnChoice) -> float:
        """Chance that a throw offers nothing but one ending, such as the bust."""
        ends = sum(weight for offered, weight in throw.classes if offered == (ending,))
        return float(ends / sum(weight for _, weight in throw.classes))

    def reachable(self, top: int) -> list[int]:
        """Return, per mode, which points can be in hand before a throw: bit t of the number is set for t <= top."""
        choices = {
            (mode, choice)
            for mode, here in enumerate(self.modes)
            for throw in here.rolls
            for offered, _ in throw.classes
            for choice in offered
            if choice.next_mode >= 0
        }
        adds = [(mode, choice.next_mode, choice.added_points) for mode, choice in choices if choice.keeps_points]
        held = {mode: int(mode == self.start) for mode in range(len(self.modes))}
        while True:
            held = reachable_points(held, adds, top)
            before = dict(held)
            for mode, choice in choices:
                if not choice.keeps_points and held[mode]:
                    held[choice.next_mode] |= 1 << choice.added_points & (1 << top + 1) - 1
            if held == before:
                return [held[mode] for mode in range(len(self.modes))]


def _better(best: Doubles, other: Doubles) -> Doubles:
    """What the better of two choices brings: the first where they are as good."""
    return np.where(other[:1] > best[:1], other, best)


def pad(lanes: int) -> int:
    """Round a number of lanes up to whole blocks."""
    return -(-lanes // LANES) * LANES


Number = TypeVar("Number", bound=np.generic)


def padded(array: NDArray[Number]) -> NDArray[Number]:
    """Lanes, the last axis, filled up to whole blocks with copies of the first; in one piece."""
    more = pad(array.shape[-1]) - array.shape[-1]
    return np.ascontiguousarray(np.concatenate([array, *[array[..., :1]] * more], axis=-1) if more else array)


def _ints(numbers: Iterable[int]) -> NDArray[np.int32]:
    return np.array(list(numbers), dtype=np.int32)


def _starts(sizes: Iterable[int]) -> NDArray[np.int32]:
    return _ints(accumulate(sizes, initial=0))
