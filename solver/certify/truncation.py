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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..games.scarney import DICE
from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice, replace_fields
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
BIG_SCARNEY_ENDING = 1  # of a frame; ending 0 is crapping out
COMPARED_POINTS = 1, 25, 300  # turn points at which the compiled frame is compared with the game as played

FrameOutcome = tuple[ChoiceKind, int, int]  # the kind of choice, the turn points and the live dice that remain


class _FrameModes(NamedTuple):
    """What a player may do in a frame with some live dice, for the cross-check.

    Attributes:
        rolls_without_points: the number of rolls to choose from without turn points: one, or two if the spots may be
            doubled.
        may_stop_without_points: whether a player without turn points may stop.
        rolls_with_points: the number of rolls to choose from with turn points.
        bank_ending_of_0_points: the bank ending that t turn points lead to is this plus t; None if none may be banked.
        least_bank: the fewest turn points that may be banked.
    """

    rolls_without_points: int
    may_stop_without_points: bool
    rolls_with_points: int
    bank_ending_of_0_points: int | None
    least_bank: int


class LastRoundRaceModel(RaceModel):
    """A two-player race with a last round, truncated at one total.

    A state is numbered ``mover * width + opponent``. Both number the states of one player. Numbers of an opponent
    from ``len(states)`` on are totals from the target on: the opponent has finished, and the turn is the last.

    Args:
        states: the states of one player.
        rows_beyond_cap: rows of the turn's table beyond the cap, for rolls that a player has to make.

    Attributes:
        past_totals: how many totals from the target on an opponent can have finished with, the target included.
        max_total: the total (score with turn points) at which turns are truncated.
        constant_error: 0, because payoffs are exact.
    """

    def __init__(self, states: States, rows_beyond_cap: int) -> None:
        """Set the total (score with turn points) at which turns are truncated: the largest that the solver stores.

        Points are counted divided by the grain, their greatest common divisor.

        Args:
            states: the states of one player.
            rows_beyond_cap: rows of the turn's table beyond the cap, for rolls that a player has to make.
        """
        players = 2
        super().__init__(states, players)
        self.constant_error = 0.0  # payoffs are exact
        self.rows_beyond_cap = rows_beyond_cap
        # ``past_totals`` is how many totals the solver stores from the target on, the target included.
        self.max_total = states.target + self.past_totals - 1

    def is_last_turn(self, states: Ints) -> NDArray[np.bool_]:
        """Return, by state, whether its turn is the last of the race: the opponent has reached the target."""
        opponent = states % self.width  # a state is mover * width + opponent
        return np.asarray(opponent >= len(self.states))

    def gain_beyond_cap(self, states: Ints) -> Doubles:
        """Return, by state, an upper bound of what going on past the truncation can gain.

        It is 1, the win. In last turns it is 0: they are truncated where the mover has beaten the opponent.
        """
        return (~self.is_last_turn(states)).astype(float)

    def caps(self, states: Ints) -> Caps:
        """Return, by state, the turn points at which its turn is truncated: those that bring the largest total."""
        mover = states // self.width  # a state is mover * width + opponent; the mover's part tells their score
        points_to_max_total = self.max_total - self.states.score[mover]
        caps_of_last_turns = super().caps(states)  # a last turn has no more to win than to beat the opponent
        caps = np.where(self.is_last_turn(states), caps_of_last_turns, points_to_max_total)
        return caps.astype(np.int32)

    def turn_keys(self, states: Ints) -> Ints | None:
        """Return a key for each last turn: equal keys mean equal turns. None if the turns are not the last ones.

        A last turn depends on two numbers: the mover's deficit, and the fewest points of a bank that counts. The key
        is both in one number, deficit * (largest such bank + 1) + bank.

        Args:
            states: (lanes,) the states of a block: last turns only, or no last turns.
        """
        if not self.is_last_turn(states).all():
            return None
        mine, theirs = np.divmod(states, self.width)
        points_past_target = theirs - len(self.states)  # a finished opponent's number is len(states) + these points
        opponent_totals = self.states.target + points_past_target
        deficits = opponent_totals - self.states.score[mine]
        min_banks = self.last_turn_min_banks[mine]
        return np.asarray(deficits * (self.last_turn_min_banks.max() + 1) + min_banks)

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """Return the transitions of the states' turns, with banks up to one roll beyond the end of the table.

        The kernel reads payoffs so far, because a choice in the last row of the table adds the points of a roll.

        Args:
            states: (lanes,) the states in which the turns begin.
            cap: not used; the caps of the states count.
        """
        last_row = int(self.caps(states).max()) + self.rows_beyond_cap
        return super().transitions(states, last_row + self.turn.max_added_points)

    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return the transitions to the opponent's turn; totals beyond the truncation count as the largest.

        Args:
            states: (lanes,) the states in which the turns begin.
            after: (endings, lanes) the mover's own state after the turn. ``WON - k`` is a total of the target + k.
        """
        # Of these numbers a smaller one is a larger total. So a maximum of the numbers limits the totals.
        number_of_largest_total = WON - (self.past_totals - 1)
        return super().transitions_to(states, np.maximum(after, number_of_largest_total))


class FrameEquations(TransitionModel):
    """The two-player match of Straight Scarney.

    Turns of the match are numbered in order: 0 and 1 are frame 1, 2 and 3 are frame 2, and so on. The states of a turn
    are numbered by the shooter's lead, from minus the largest deficit up to the largest lead.

    Attributes:
        turn: the turn model of a frame, of the problem.
        cap: turn points at which every frame is truncated.
        max_frame_points: more points than a truncated frame brings.
        last_turn: the number of the last turn.
        max_deficit: by turn, the largest deficit of the shooter.
        max_lead: by turn, the largest lead of the shooter.
        first_state: by turn, the number of its first state; then the number of all states.
        turn_number, lead: by state, the number of its turn, and the shooter's lead.
        rows_beyond_cap: how many turn points beyond the cap the table of a frame goes on.
    """

    seats = 2
    has_cyclic_components = True
    rows_beyond_cap = 1

    def __init__(self, problem: ScarneyWinProblem) -> None:
        """Assign numbers to the states of the match.

        Args:
            problem: the problem to prove.
        """
        self.problem = problem
        self.cap = problem.extent.cap  # the turn points at which every frame is truncated
        # The table ends ``rows_beyond_cap`` points past the cap, and one roll more may be banked.
        self.max_frame_points = self.cap + self.rows_beyond_cap + self.turn.max_added_points
        turns = np.arange(2 * problem.rules.frames)  # both players shoot every frame
        self.last_turn = len(turns) - 1
        # Before turn n the opponent has had (n + 1) // 2 turns and the shooter n // 2. By turn:
        self.max_deficit = (turns + 1) // 2 * self.max_frame_points
        self.max_lead = turns // 2 * self.max_frame_points
        lead_counts = self.max_deficit + self.max_lead + 1
        self.first_state = np.cumsum([0, *lead_counts])  # states are numbered by turn, then by lead
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
        index_in_turn = np.arange(self.state_count) - self.first_state[self.turn_number]
        lead: Ints = index_in_turn - self.max_deficit[self.turn_number]  # the first state has the largest deficit
        return lead

    def state_names(self) -> Ints:
        """Return the names of all states, (states, 3): the frame from 1, the shooter's seat and the shooter's lead."""
        frame = self.turn_number // 2 + 1
        shooter = self.turn_number % 2
        return np.stack([frame, shooter, self.lead], axis=1)

    def read(self, value_table: ValueTable) -> Doubles:
        """Return V of all states from a value table, (states,); a lead beyond its largest has the value of the largest.

        Args:
            value_table: the solved values: an array (frames after this one, leads from the smallest on) for the player
                who shoots first in each frame, and one for the second.
        """
        by_shooter = np.stack([value_table.arrays["first"], value_table.arrays["second"]])
        max_lead = self.problem.extent.max_lead  # in the value table
        # By state: turns alternate, two of them in each frame.
        shooter = self.turn_number % 2
        frames_left = self.problem.rules.frames - 1 - self.turn_number // 2  # after the current frame
        lead_index = np.clip(self.lead, -max_lead, max_lead) + max_lead
        return np.asarray(by_shooter[shooter, frames_left, lead_index])

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield the components, each as its blocks of states, from the last turn backwards.

        A shooter of the last turn who is not ahead can draw level. That leads to an extra frame, which is the last
        frame again from equal totals. So it is the state of the turn before the last one with a lead of 0. All those
        states of the last turn follow from it. Together they are one component. All other states lead to later
        turns only, and are components of their own; blocks of them are yielded instead.
        """
        # The first state of a turn has the lead -max_deficit, so the lead 0 comes max_deficit states later.
        last_turn = self.last_turn
        extra_frame = self.first_state[last_turn - 1] + self.max_deficit[last_turn - 1]
        can_draw = self.first_state[last_turn] + np.arange(self.max_deficit[last_turn] + 1)  # leads up to 0
        yield [*_split_blocks(can_draw), np.array([extra_frame])]
        cyclic_states = np.append(can_draw, extra_frame)
        for turn in range(last_turn, -1, -1):
            states = np.arange(self.first_state[turn], self.first_state[turn + 1])
            for block in _split_blocks(states[~np.isin(states, cyclic_states)]):
                if len(block):
                    yield [block]

    def states_read_early(self, blocks: Sequence[Ints]) -> Ints:
        """Return the state of the extra frame in its component, and no state in others.

        Args:
            blocks: the blocks of the component; the extra frame is the last of several.
        """
        return blocks[-1] if len(blocks) > 1 else np.empty(0, dtype=np.int64)

    def zero_turns(self, states: Ints, transitions: Transitions) -> tuple[NDArray[np.bool_], Ints]:
        """Return no zero turns, as every frame leads to a state of another block.

        Args:
            states: (lanes,) the states of the block.
            transitions: their transitions.

        Returns:
            Which endings are zero turns, (endings, lanes): none. The lane that the zero turns of each lane lead to,
            (lanes,): the lane itself, which does not matter without them.
        """
        no_zero_turns = np.zeros(transitions.state.shape, dtype=np.bool_)
        same_lane = np.arange(len(states))
        return no_zero_turns, same_lane

    def turn_keys(self, states: Ints) -> Ints:
        """Return a key for each state. The turns of states with equal keys have equal values.

        No truncated frame brings more than ``max_frame_points``. So there are leads that the opponent can no longer
        make up. They all have one key, because only Big Scarney can then still win for the opponent. In the same way
        all deficits that the shooter can no longer make up have one key.

        Args:
            states: (lanes,) the states.
        """
        turn = self.turn_number[states]
        opponent_turns = (self.last_turn - turn + 1) // 2  # after this turn
        shooter_turns = (self.last_turn - turn) // 2 + 1  # with this turn
        least_lead = -shooter_turns * self.max_frame_points - 1  # one point more than can be made up
        largest_lead = opponent_turns * self.max_frame_points + 1  # likewise
        lead = np.clip(self.lead[states], least_lead, largest_lead)
        width = 2 * self.state_count  # leads of a turn differ by less, so keys of different turns differ
        return np.asarray(turn * width + lead)

    def gain_beyond_cap(self, states: Ints) -> Doubles:
        """Return, by state, what going on past the truncation can gain: 1, the win."""
        return np.ones(len(states))

    def caps(self, states: Ints) -> Caps:
        """Return, by state, the turn points at which its frame is truncated."""
        return np.full(len(states), self.cap, dtype=np.int32)

    def transitions(self, states: Ints) -> Transitions:
        """Return the transitions: the opponent shoots next; the last turn decides the match or leads to an extra frame.

        The endings are crapping out, Big Scarney, and entering 0, 1, 2, ... points.

        Args:
            states: (lanes,) the states in which the turns begin.

        Returns:
            Constants and next states, (endings, lanes): 1 for a win, and no state where the match is over. The
            constants are (endings, 1) if they are the same for all states.
        """
        turn = self.turn_number[states]
        is_last_turn = turn == self.last_turn
        entered_points = np.arange(self.max_frame_points + 1)
        points = np.concatenate([[0, 0], entered_points])[:, None]  # by ending; the first two bring none
        # The opponent shoots next and has minus the lead. If the last turn leaves both level, the last frame is played
        # again, from its first turn on.
        next_turn = np.where(is_last_turn, self.last_turn - 1, turn + 1)
        # The states of a turn begin with the lead -max_deficit, so a lead of x is state first_state + max_deficit + x.
        next_state = self.first_state[next_turn] + self.max_deficit[next_turn] - self.lead[states] - points
        constant = np.zeros((len(points), 1))
        if is_last_turn.any():
            lead_after = self.lead[states] + points  # (endings, lanes)
            is_decided = is_last_turn & (lead_after != 0)
            constant = np.where(is_decided & (lead_after > 0), 1.0, 0.0)
            next_state[is_decided] = -1
        constant[BIG_SCARNEY_ENDING] = 1.0  # it wins the match at once
        next_state[BIG_SCARNEY_ENDING] = -1
        return Transitions(constant, next_state)


def _split_blocks(states: Ints) -> list[Ints]:
    """Return states in blocks of STATES_PER_BLOCK; the last may be smaller."""
    return np.split(states, np.arange(STATES_PER_BLOCK, len(states), STATES_PER_BLOCK))


def compare_frames(problem: ScarneyWinProblem) -> Iterator[Comparison]:
    """Yield comparisons of the compiled frame with the game as played, for every number of live dice.

    Compared is what a player may do with and without turn points, and for some turn points what rolls offer. Without
    turn points a player may double the spots of a roll, if the rules allow that.

    Raises:
        SolveError: the compiled frame has an unknown mode.
    """
    rules = problem.rules
    assert rules.turn.start == rules.no_points_mode(DICE)
    variants = [(0, False)]  # (turn points, whether the spots of the roll are doubled)
    if rules.can_double:
        variants.append((0, True))
    variants += [(points, False) for points in COMPARED_POINTS]
    for live in range(1, DICE + 1):
        yield _compare_frame_modes(problem, live)
        for points, is_double in variants:
            yield _compare_frame_roll(problem, live, points, is_double)


def _compare_frame_modes(problem: ScarneyWinProblem, live: int) -> Comparison:
    """Return the comparison of what a player may do with some live dice, with and without turn points.

    The compiled modes are compared with constants, which say what the rules of Straight Scarney allow.

    Args:
        problem: the problem to prove.
        live: the number of live dice.
    """
    rules = problem.rules
    mode_without_points = rules.turn.modes[rules.no_points_mode(live)]
    mode_with_points = rules.turn.modes[rules.points_mode(live)]
    compiled = _FrameModes(
        rolls_without_points=len(mode_without_points.rolls),
        may_stop_without_points=mode_without_points.bank_ending is not None,
        rolls_with_points=len(mode_with_points.rolls),
        bank_ending_of_0_points=mode_with_points.bank_ending,  # where its bank endings begin
        least_bank=mode_with_points.min_bank,
    )
    # By rule a player without turn points has to roll. Any turn points may be banked.
    by_rule = _FrameModes(
        rolls_without_points=2 if rules.can_double else 1,
        may_stop_without_points=False,
        rolls_with_points=1,
        bank_ending_of_0_points=0,  # t points lead to bank ending t
        least_bank=1,
    )
    position = replace_fields(problem.playable.start(), live=live, turn=0, double=False, throwing=True)
    return Comparison(position, compiled, by_rule)


def _compare_frame_roll(problem: ScarneyWinProblem, live: int, points: int, is_double: bool) -> Comparison:
    """Return the comparison of what a roll of some live dice offers, by sets of outcomes with their weights.

    Args:
        problem: the problem to prove.
        live: the number of live dice.
        points: the turn points before the roll.
        is_double: whether the player has doubled the spots of the roll.
    """
    rules = problem.rules
    mode_number = rules.points_mode(live) if points > 0 else rules.no_points_mode(live)
    roll = rules.turn.modes[mode_number].rolls[1 if is_double else 0]  # the second roll is the one with doubled spots
    compiled = Counter[frozenset[FrameOutcome]]()
    for (choice,), weight in roll.classes:  # every class has one choice
        compiled[_compiled_outcomes(problem, choice, points)] += weight
    position = replace_fields(problem.playable.start(), live=live, turn=points, double=is_double, throwing=True)
    return Comparison(position, compiled, played_outcomes(problem.playable, position, _played_outcome))


def _played_outcome(choice: Choice[Any]) -> FrameOutcome:
    """Return the outcome of a choice in the game as played: its kind, the turn points, and the live dice that remain.

    Points of a roll that wins at once do not count.
    """
    points = 0 if choice.kind is ChoiceKind.WIN else choice.points
    return choice.kind, points, choice.dice_left


def _compiled_outcomes(problem: ScarneyWinProblem, choice: TurnChoice, points: int) -> frozenset[FrameOutcome]:
    """Return the outcomes that are offered after a compiled roll of a frame of Straight Scarney.

    An outcome is the kind of choice, the turn points and the number of dice that are still live. After a roll without
    dead dice the player may stop, or hit: roll again. After dead dice the points are lost, and the player has to roll.

    Args:
        problem: the problem to prove.
        choice: the only choice of the roll's class.
        points: the turn points before the roll.

    Raises:
        SolveError: the choice leads to an unknown mode.
    """
    rules = problem.rules
    turn_points = choice.points_after(points)
    if choice.next_mode < 0:
        ending = ChoiceKind.WIN if choice == rules.big_scarney else ChoiceKind.BUST
        return frozenset({(ending, 0, 0)})
    for live in range(1, DICE + 1):
        if choice.next_mode == rules.points_mode(live):
            return frozenset({(ChoiceKind.BANK, turn_points, 0), (ChoiceKind.HIT, turn_points, live)})
        if choice.next_mode == rules.no_points_mode(live):
            ways_to_roll = [ChoiceKind.ROLL, ChoiceKind.DOUBLE] if rules.can_double else [ChoiceKind.ROLL]
            return frozenset((way, 0, live) for way in ways_to_roll)
    raise SolveError("the compiled frame has an unknown mode")
