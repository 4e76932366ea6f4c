"""The explicit decision process of a game: states, actions and whole-number weights.

``build`` walks the game as it is played, choice by choice and roll by roll, without any solver code. So the values that
a model checker finds in the process are a second opinion on the solver's values.

A state is a position, and its name is the position's id. Rolls that offer the same choices are one state, named by the
first of them. Every state belongs to the seat to move. A finished game is in the state ``done`` or ``lost``, as seen by
seat 0. If a win is shared, a lot with the probability of seat 0's share decides between them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from ...play.playable_game import Choice, PlayableGame, Stage
from ...play.walk import limit_turn_points, list_relevant_choices
from ...util.errors import InputError
from ...util.escaping import model_identifier
from ...util.number_format import PROBABILITY_OBJECTIVES
from ...util.progress_reporting import ProgressCallback

MAX_STATES = 3_000_000
# Names and keys of the final states. LOST occurs only if the value is a probability; DONE is then the goal, a win of
# seat 0. In other games DONE is the end of the game.
DONE, LOST = "done", "lost"
STAY, THROW = "stay", "throw"  # names of actions: of a finished game, and of a roll
ZERO, ONE = Fraction(0), Fraction(1)
REWARD_AIMS = {"points": "max", "turns": "min", "margin": "max", "chips": "max"}  # the reward has the objective's name

Decide = Callable[[Any], Choice[Any]]  # a policy: the choice in a decision position


@dataclass(frozen=True)
class Action:
    """An action of a state: its name, its reward, and its branches as pairs (weight, target state)."""

    name: str
    reward: Fraction
    branches: tuple[tuple[int, int], ...]

    @property
    def total(self) -> int:
        """Sum of the weights."""
        return sum(weight for weight, _ in self.branches)


@dataclass
class Process:
    """States with their actions; state 0 is the initial one.

    Attributes:
        aim: "min" or "max": what to do with the expected ``reward`` until ``done``, or the probability of ``done``.
        reward: the name of the reward; "" if the value is a probability.
        is_chain: True if a policy has made every decision.
        names: the names of the states.
        actions: the actions of the states.
        owners: the seat to move in each state; empty for a single player, and for a chain. ``done`` and the reward are
            those of seat 0.
        goal_state: the number of the state ``done``; -1 if it cannot be reached.
        turn_starts: the positions of the states in which turns begin.
    """

    aim: str
    reward: str
    is_chain: bool
    names: list[str] = field(default_factory=list)
    actions: list[tuple[Action, ...]] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    goal_state: int = -1
    turn_starts: dict[int, Any] = field(default_factory=dict)

    @property
    def choice_count(self) -> int:
        """Number of state-action pairs."""
        return sum(map(len, self.actions))

    @property
    def branch_count(self) -> int:
        """Number of transitions."""
        return sum(len(action.branches) for actions in self.actions for action in actions)


def build_process(
    playable: PlayableGame[Any],
    decide: Decide | None = None,
    *,
    cut: int | None = None,
    one_turn: bool = False,
    progress: ProgressCallback = lambda share: None,
) -> Process:
    """Build the Markov decision process of all positions that a game can reach; with a policy, its Markov chain.

    A state of the process is a position, inside turns too, and not only a position between turns.

    Args:
        playable: the game as it is played.
        decide: a policy, to build the chain that it induces.
        cut: turn points with which everybody stops, for games without a limit of turn points.
        one_turn: end the process where the first turn ends.
        progress: called after each state, always with 0.0, because the number of states is not known before the end.

    Raises:
        InputError: there are more than ``MAX_STATES`` states.
    """
    builder = _ProcessBuilder(playable, decide, cut, one_turn)
    process = builder.process
    while builder.pending:
        builder.expand_next()
        if len(builder.numbers) > MAX_STATES:
            raise InputError(f"the model has more than {MAX_STATES:,} states; lower the target, or the turns of reach")
        progress(0.0)
    process.goal_state = builder.numbers.get(DONE, -1)  # -1: no way of playing leads to DONE
    if playable.players == 1 or decide is not None:
        process.owners = []  # there is only one player, or nobody has a decision left
    return process


class _Arrival(NamedTuple):
    """The result of arriving in a position: a reward, and the probability of ``done`` if the game is over."""

    reward: Fraction
    done_probability: Fraction


class _ProcessBuilder:
    """A process under construction.

    Attributes:
        process: the process so far.
        numbers: the numbers of all states met, by key. A key is the position, the choices that a roll offers, or DONE
            or LOST.
        pending: states whose actions are not known yet, as pairs (number, position).
    """

    def __init__(self, playable: PlayableGame[Any], decide: Decide | None, cut: int | None, one_turn: bool) -> None:
        self.playable, self.decide, self.cut, self.one_turn = playable, decide, cut, one_turn
        aim = REWARD_AIMS.get(playable.objective, "max")
        reward = playable.objective if playable.objective in REWARD_AIMS else ""
        self.process = Process(aim, reward, decide is not None)
        self.numbers: dict[Hashable, int] = {}
        self.pending: list[tuple[int, Any]] = []
        start = playable.start()
        self.number(start, start)

    def number(self, key: Hashable, position: Any) -> int:
        """Return the number of a state; add the state if it is new."""
        if key not in self.numbers:
            self.numbers[key] = len(self.process.names)
            if key in (DONE, LOST):
                self._add_final_state(str(key))
            else:
                self._add_state(position)
        return self.numbers[key]

    def _add_final_state(self, name: str) -> None:
        process = self.process
        number = len(process.names)
        process.names.append(name)
        process.actions.append((Action(STAY, ZERO, ((1, number),)),))
        process.owners.append(0)

    def _add_state(self, position: Any) -> None:
        process, playable = self.process, self.playable
        number = len(process.names)
        process.names.append(playable.id(position).partition("/")[2] or "start")
        process.actions.append(())
        process.owners.append(playable.player_to_move(position))
        if playable.is_turn_start(position):
            process.turn_starts[number] = position
        self.pending.append((number, position))

    def expand_next(self) -> None:
        """Take a state off ``pending`` and store its actions; new states that they lead to are numbered and pending."""
        number, position = self.pending.pop()
        self.process.actions[number] = self._list_actions(position)

    def _list_actions(self, position: Any) -> tuple[Action, ...]:
        """Return the actions of a position: one for each choice, or a single one for a roll."""
        playable = self.playable
        if playable.stage(position) is Stage.DECISION:
            return tuple(
                self._action(model_identifier(choice.action), ((1, choice.after),))
                for choice in self._choices(position)
            )
        return (self._action(THROW, tuple(playable.rolls(position))),)

    def _choices(self, position: Any) -> list[Choice[Any]]:
        """Return all choices of a position, or the one of the policy."""
        if self.decide is None:
            return list_relevant_choices(self.playable, position, self.cut)
        choices = self.playable.choices(position)
        choice = self.decide(position) if len(choices) > 1 else choices[0]
        return [limit_turn_points(self.playable, choice, self.cut)]

    def _action(self, name: str, outcomes: tuple[tuple[int, Any], ...]) -> Action:
        """Return an action with these outcomes, as pairs (weight, position); its reward is their mean reward."""
        arrivals = [self._arrival(position) for _, position in outcomes]
        total_weight = sum(weight for weight, _ in outcomes)
        rewards = [
            weight * arrival.reward for (weight, _), arrival in zip(outcomes, arrivals, strict=True) if arrival.reward
        ]
        reward = sum(rewards, ZERO) / total_weight if rewards else ZERO
        # Weights are multiplied by the common denominator, so that shared wins have whole weights.
        denominator = math.lcm(*{arrival.done_probability.denominator for arrival in arrivals})
        branches: dict[int, int] = {}
        for (weight, position), arrival in zip(outcomes, arrivals, strict=True):
            for state, probability in self._next_states(position, arrival.done_probability):
                scaled = weight * probability.numerator * (denominator // probability.denominator)
                branches[state] = branches.get(state, 0) + scaled
        return Action(name, reward, tuple((weight, state) for state, weight in branches.items()))

    def _arrival(self, position: Any) -> _Arrival:
        """Return what arriving in a position brings to seat 0."""
        playable = self.playable
        is_over = playable.stage(position) is Stage.TERMINAL
        if playable.objective == "turns":
            return _Arrival(ONE if is_over or playable.is_turn_start(position) else ZERO, ONE)
        if not is_over:
            return _Arrival(ZERO, ONE)
        outcome = playable.payoffs(position)[0]
        return _Arrival(ZERO, outcome) if playable.objective in PROBABILITY_OBJECTIVES else _Arrival(outcome, ONE)

    def _next_states(self, position: Any, done_probability: Fraction) -> list[tuple[int, Fraction]]:
        """Return the states that stand for a position, with their positive probabilities."""
        playable = self.playable
        stage = playable.stage(position)
        if stage is Stage.TERMINAL or (self.one_turn and playable.is_turn_start(position)):
            finals = [(DONE, done_probability), (LOST, 1 - done_probability)]
            return [(self.number(name, None), probability) for name, probability in finals if probability]
        return [(self._state(position, stage), ONE)]

    def _state(self, position: Any, stage: Stage) -> int:
        """Return the state of a position; decision positions of a seat with the same choices share one state."""
        if stage is not Stage.DECISION:
            return self.number(position, position)
        choices = self._choices(position)
        key = (self.playable.player_to_move(position), tuple((choice.action, choice.after) for choice in choices))
        return self.number(key, position)
