"""Two-player equations whose turns have no bound, truncated where play hardly ever gets.

At the truncation the lower bound is the payoff of stopping (T2), and the upper bound is the win (T1); see
docs/exactness.md.

*Last rounds.* Every turn but the last is truncated at the largest total at which the solver truncates any turn. A
player who banks more than that counts as having that total, because the last turn against a higher total is worth no
more.

*Straight Scarney's match.* A state is a frame, its shooter and the shooter's lead. The table holds every lead that
truncated frames can bring, so no lead stands for another one. If the last shooter draws level, the state leads back to
the last frame, without another state between the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..games.scarney import DICE
from ..play.playable_game import Choice, changed
from ..solvers.model import Ints, TransitionModel, Transitions
from ..solvers.problem import ValueTable
from ..solvers.push.model import RaceModel
from ..solvers.push.states import WON, States
from ..solvers.scarney.win import ScarneyWinProblem
from ..turns.push_turn import Caps, Doubles, PushTurn
from ..turns.push_turn import TurnChoice as TurnChoice
from ..util.errors import SolveError
from .turn_crosscheck import Comparison, played_outcomes

STATES_PER_BLOCK = 512
COMPARED_POINTS = 1, 25, 300  # turn points at which the compiled frame is compared with the game as played

FrameOutcome = tuple[str, int, int]  # the kind of choice, the turn points and the dice left


class LastRounds(RaceModel):
    """A two-player race with a last round, truncated at one total.

    Args:
        states: the states of one player.
        rows_beyond_cap: rows of the turn's table beyond the cap, for rolls that a player has to make.
    """

    def __init__(self, states: States, rows_beyond_cap: int) -> None:
        super().__init__(states, 2)
        self.constant_error, self.rows_beyond_cap = 0.0, rows_beyond_cap
        self.max_total = states.target + self.past_totals - 1

    def gain_beyond_cap(self, states: Ints) -> Doubles:
        """Return 1, the win, except for last turns, which end."""
        return (states % self.width < len(self.states)).astype(float)

    def caps(self, states: Ints) -> Caps:
        """Return the turn points at which each turn is truncated."""
        mover, opponent = np.divmod(states, self.width)
        caps = np.where(opponent < len(self.states), self.max_total - self.states.score[mover], super().caps(states))
        return caps.astype(np.int32)

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """Return the transitions of the states' turns, with banks up to one roll beyond the table."""
        return super().transitions(
            states, int(self.caps(states).max()) + self.rows_beyond_cap + self.turn.max_added_points
        )

    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return the transitions to the opponent's turn, with totals up to the truncation."""
        return super().transitions_to(states, np.maximum(after, WON + 1 - self.past_totals))


class FrameEquations(TransitionModel):
    """The two-player match of Straight Scarney.

    Turns of the match are numbered in order: 0 and 1 are frame 1, 2 and 3 are frame 2, and so on.
    """

    seats, has_cyclic_components, rows_beyond_cap = 2, True, 1

    def __init__(self, problem: ScarneyWinProblem) -> None:
        self.problem, self.cap = problem, problem.extent.cap
        self.max_frame_points = self.cap + 1 + self.turn.max_added_points  # more than a truncated frame brings
        turns = np.arange(2 * problem.rules.frames)
        self.max_deficit = (turns + 1) // 2 * self.max_frame_points
        self.max_lead = turns // 2 * self.max_frame_points
        self.first_state = np.cumsum([0, *(self.max_deficit + self.max_lead + 1)])
        self.state_count = int(self.first_state[-1])

    @property
    def turn(self) -> PushTurn:
        """The compiled frame."""
        return self.problem.rules.turn

    @property
    def max_cap(self) -> int:
        """The cap of every frame."""
        return self.cap

    @cached_property
    def turn_number(self) -> Ints:
        """By state, the number of the turn, which is the number of turns before it."""
        return np.repeat(np.arange(len(self.first_state) - 1), np.diff(self.first_state))

    @cached_property
    def lead(self) -> Ints:
        """By state, the lead of the shooter."""
        lead: Ints = (
            np.arange(self.state_count) - self.first_state[self.turn_number] - self.max_deficit[self.turn_number]
        )
        return lead

    def state_names(self) -> Ints:
        """Return the names of all states: the frame, the shooter's seat and the shooter's lead."""
        return np.stack([self.turn_number // 2 + 1, self.turn_number % 2, self.lead], axis=1)

    def read(self, value_table: ValueTable) -> Doubles:
        """Return V of all states from a value table."""
        by_shooter = np.stack([value_table.arrays["first"], value_table.arrays["second"]])
        far = self.problem.extent.max_lead
        frames_left = self.problem.rules.frames - 1 - self.turn_number // 2
        return np.asarray(by_shooter[self.turn_number % 2, frames_left, np.clip(self.lead, -far, far) + far])

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield the components from the last turn backwards.

        The states that can lead to an extra frame, and the extra frame, form one component.
        """
        last = len(self.first_state) - 2
        level = self.first_state[last - 1] + self.max_deficit[last - 1]
        can_draw = self.first_state[last] + np.arange(self.max_deficit[last] + 1)
        yield [*_split_blocks(can_draw), np.array([level])]
        for turn in range(last, -1, -1):
            states = np.arange(self.first_state[turn], self.first_state[turn + 1])
            solved = can_draw if turn == last else [level] if turn == last - 1 else []
            yield from ([block] for block in _split_blocks(states[~np.isin(states, solved)]) if len(block))

    def gain_beyond_cap(self, states: Ints) -> Doubles:
        """Return 1, the win."""
        return np.ones(len(states))

    def caps(self, states: Ints) -> Caps:
        """Return the turn points at which each frame is truncated."""
        return np.full(len(states), self.cap, dtype=np.int32)

    def transitions(self, states: Ints) -> Transitions:
        """Return the transitions: the opponent shoots next; the last turn decides the match or leads to an extra frame.

        The endings are crapping out, Big Scarney, and entering 0, 1, 2, ... points.
        """
        last, turn = len(self.first_state) - 2, self.turn_number[states]
        points = np.concatenate([[0, 0], np.arange(self.max_frame_points + 1)])[:, None]
        lead = self.lead[states] + points
        next_turn = np.where(turn == last, last - 1, turn + 1)
        next_state = self.first_state[next_turn] + self.max_deficit[next_turn] - lead
        is_terminal = (turn == last) & (lead != 0)
        is_terminal[1] = True
        constant = np.where(is_terminal & (lead > 0), 1.0, 0.0)
        constant[1] = 1.0
        return Transitions(constant, np.where(is_terminal, -1, next_state))


def _split_blocks(states: Ints) -> list[Ints]:
    return np.split(states, np.arange(STATES_PER_BLOCK, len(states), STATES_PER_BLOCK))


def compare_frames(problem: ScarneyWinProblem) -> Iterator[Comparison]:
    """Yield comparisons of the compiled frame with the game as played, for every number of live dice.

    Raises:
        SolveError: the compiled frame has an unknown mode.
    """
    rules, start = problem.rules, problem.playable.start()
    assert rules.turn.start == rules.free(DICE)
    for live in range(1, DICE + 1):
        modes = rules.turn.modes[rules.free(live)], rules.turn.modes[rules.holding(live)]
        banks = [mode.bank_ending is not None and (mode.bank_ending, mode.min_bank, len(mode.rolls)) for mode in modes]
        rolls_when_free = len(modes[0].rolls)
        position = changed(start, live=live, turn=0, double=False, throwing=True)
        yield Comparison(position, (banks, rolls_when_free), ([False, (0, 1, 1)], 1 + rules.double))
        variants = [
            (0, False),
            *([(0, True)] if rules.double else []),
            *((points, False) for points in COMPARED_POINTS),
        ]
        for points, is_double in variants:
            position = changed(start, live=live, turn=points, double=is_double, throwing=True)
            compiled = Counter[frozenset[FrameOutcome]]()
            for (choice,), weight in modes[points > 0].rolls[is_double].classes:
                compiled[_compiled_outcomes(problem, choice, points)] += weight
            yield Comparison(position, compiled, played_outcomes(problem.playable, position, _played_outcome))


def _played_outcome(choice: Choice[Any]) -> FrameOutcome:
    """Return the outcome of a choice in the game as played."""
    return choice.then, choice.points * (choice.then != "win"), choice.dice_left


def _compiled_outcomes(problem: ScarneyWinProblem, choice: TurnChoice, points: int) -> frozenset[FrameOutcome]:
    """Return the outcomes that are offered after a compiled roll."""
    rules, turn_points = problem.rules, choice.points_after(points)
    if choice.next_mode < 0:
        return frozenset({("win" if choice == rules.big_scarney else "end", 0, 0)})
    for live in range(1, DICE + 1):
        if choice.next_mode == rules.holding(live):
            return frozenset({("stop", turn_points, 0), ("hit", turn_points, live)})
        if choice.next_mode == rules.free(live):
            return frozenset({("throw", 0, live), *([("double", 0, live)] if rules.double else [])})
    raise SolveError("the compiled frame has an unknown mode")
