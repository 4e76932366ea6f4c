"""Equations of two whose turns have no end, cut where hardly any turn comes: from there on stopping is the least that
the mover gets (T2), and the win the most (T1).

*Last rounds.* Every turn but the last is cut at the total at which any may be cut for solving. Who banks more still
stands there: the last turn against more is worth no more.

*Straight Scarney's match.* A state is a frame, who shoots it first or second, and the lead. Leads are tabled as far as
frames can bring them before they are cut, so that none stands for another one. Who shoots last and draws level leads
back to the last frame, with nothing between the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..games.scarney import DICE
from ..play.table import Choice, changed
from ..solvers.model import Ints, TransitionModel, Transitions
from ..solvers.problem import ValueTable
from ..solvers.push.model import Two
from ..solvers.push.states import WON, States
from ..solvers.scarney.win import Win
from ..turns.push_turn import Caps, Doubles, PushTurn
from ..turns.push_turn import TurnChoice as TurnChoice
from ..util.errors import SolveError
from .turn_crosscheck import falls

AT_ONCE = 512  # states of a block
HELD = 1, 25, 300  # points in hand at which throws are held against the game as it is played


class LastRounds(Two):
    """A race with a last round; ``further``: how far beyond the cut throws that must be made are looked at."""

    def __init__(self, states: States, further: int) -> None:
        super().__init__(states)
        self.constant_error, self.rows_beyond_cap = 0.0, further
        self.end = states.target + self.past - 1

    def gain_beyond_cap(self, states: Ints) -> Doubles:
        """The win, but of last turns, which end."""
        return (states % self.width < len(self.states)).astype(float)

    def caps(self, numbers: Ints) -> Caps:
        """Where the turn's table ends."""
        mine, theirs = np.divmod(numbers, self.width)
        caps = np.where(theirs < len(self.states), self.end - self.states.score[mine], super().caps(numbers))
        return caps.astype(np.int32)

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """What the endings of the states' turns pay, with banks up to a throw beyond what is looked at."""
        return super().transitions(states, int(self.caps(states).max()) + self.rows_beyond_cap + self.turn.max_add)

    def leads(self, states: Ints, after: Ints) -> Transitions:
        """The opponent moves next."""
        return super().leads(states, np.maximum(after, WON + 1 - self.past))


class FrameEquations(TransitionModel):
    """The match, its frames numbered by shooter from the first one: 0, 1 of frame 1, 2, 3 of frame 2, .."""

    seats, has_cyclic_components, rows_beyond_cap = 2, True, 1

    def __init__(self, match: Win) -> None:
        self.match, self.cap = match, match.extent.cap
        self.width = self.cap + 1 + self.turn.max_add  # more than a frame brings
        shot = np.arange(2 * match.rules.frames)
        self.far = (shot + 1) // 2 * self.width, shot // 2 * self.width  # behind, and ahead
        self.first = np.cumsum([0, *(self.far[0] + self.far[1] + 1)])
        self.state_count = int(self.first[-1])

    @property
    def turn(self) -> PushTurn:
        """A frame."""
        return self.match.rules.turn

    @property
    def max_cap(self) -> int:
        """Where every frame is cut."""
        return self.cap

    @cached_property
    def shot(self) -> Ints:
        """By state, the frames that were shot before."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @cached_property
    def lead(self) -> Ints:
        """By state, how far the shooter is ahead."""
        found: Ints = np.arange(self.state_count) - self.first[self.shot] - self.far[0][self.shot]
        return found

    def states(self) -> Ints:
        """What names them: the frame, the shooter's seat, the lead."""
        return np.stack([self.shot // 2 + 1, self.shot % 2, self.lead], axis=1)

    def read(self, solved: ValueTable) -> Doubles:
        """V of all states, from the solved arrays."""
        tables, far = np.stack([solved.arrays["first"], solved.arrays["second"]]), self.match.extent.far
        left = self.match.rules.frames - 1 - self.shot // 2
        return np.asarray(tables[self.shot % 2, left, np.clip(self.lead, -far, far) + far])

    def components(self) -> Iterator[Sequence[Ints]]:
        """Frames from the last on; what may lead to an extra frame, and that, are one component."""
        last = len(self.first) - 2
        level = self.first[last - 1] + self.far[0][last - 1]
        ties = self.first[last] + np.arange(self.far[0][last] + 1)
        yield [*_parts(ties), np.array([level])]
        for shot in range(last, -1, -1):
            states = np.arange(self.first[shot], self.first[shot + 1])
            done = ties if shot == last else [level] if shot == last - 1 else []
            yield from ([part] for part in _parts(states[~np.isin(states, done)]) if len(part))

    def gain_beyond_cap(self, states: Ints) -> Doubles:
        """The win."""
        return np.ones(len(states))

    def caps(self, states: Ints) -> Caps:
        """Where the frame is cut."""
        return np.full(len(states), self.cap, dtype=np.int32)

    def transitions(self, states: Ints) -> Transitions:
        """The other shoots next; the last frame decides, or is shot again."""
        last, shot = len(self.first) - 2, self.shot[states]
        points = np.concatenate([[0, 0], np.arange(self.width + 1)])[:, None]  # crapped out, Big Scarney, entered
        lead = self.lead[states] + points
        after = np.where(shot == last, last - 1, shot + 1)
        state = self.first[after] + self.far[0][after] - lead
        ends = (shot == last) & (lead != 0)
        ends[1] = True
        constant = np.where(ends & (lead > 0), 1.0, 0.0)
        constant[1] = 1.0
        return Transitions(constant, np.where(ends, -1, state))


def _parts(states: Ints) -> list[Ints]:
    return np.split(states, np.arange(AT_ONCE, len(states), AT_ONCE))


def frames_agree(match: Win) -> None:
    """Hold every throw of the compiled frame against the game as it is played.

    Raises:
        SolveError: they differ.
    """
    rules, start = match.rules, match.playable.start()
    assert rules.turn.start == rules.free(DICE)
    for live in range(1, DICE + 1):
        ways = [(0, False), *([(0, True)] if rules.double else []), *((held, False) for held in HELD)]
        modes = rules.turn.modes[rules.free(live)], rules.turn.modes[rules.holding(live)]
        stops = [mode.bank_ending is not None and (mode.bank_ending, mode.min_bank, len(mode.rolls)) for mode in modes]
        same = stops == [False, (0, 1, 1)] and len(modes[0].rolls) == 1 + rules.double
        for held, doubled in ways:
            lies = changed(start, live=live, turn=held, double=doubled, throwing=True)
            throw = modes[held > 0].rolls[doubled]
            compiled = Counter[frozenset[tuple[str, int, int]]]()
            for (one,), weight in throw.classes:
                compiled[_leads(match, one, held)] += weight
            same &= compiled == falls(match.playable, lies, _led)
        if not same:
            raise SolveError(f"the frame is compiled otherwise than it is played, with {live} dice")


def _led(choice: Choice[Any]) -> tuple[str, int, int]:
    """What may be done: how, with how many points and dice."""
    return choice.then, choice.points * (choice.then != "win"), choice.dice_left


def _leads(match: Win, choice: TurnChoice, held: int) -> frozenset[tuple[str, int, int]]:
    """All that may be done after a compiled throw."""
    rules, points = match.rules, choice.points_after(held)
    if choice.next_mode < 0:
        return frozenset({("win" if choice == rules.big_scarney else "end", 0, 0)})
    for live in range(1, DICE + 1):
        if choice.next_mode == rules.holding(live):
            return frozenset({("stop", points, 0), ("hit", points, live)})
        if choice.next_mode == rules.free(live):
            return frozenset({("throw", 0, live), *([("double", 0, live)] if rules.double else [])})
    raise SolveError("the frame is compiled with a mode that is none")
