"""The explicit decision process of a game: states, actions and whole-number weights, walked choice by choice and throw
by throw as the game is played. No solver code is in it, so what a model checker finds in it is a second opinion.

A state is a position, named by what it is told by; rolls that offer the same choices are one state, named by the first
of them. States belong to the seat to move. Once the game is over a state is ``done`` or ``lost`` for seat 0; where the
win is shared, a draw by lot decides with the same chances.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...play.playable_game import Choice, Table
from ...play.walk import at_cut, open_choices
from ...util.errors import InputError
from ...util.escaping import model_identifier

MOST_STATES = 3_000_000
DONE, LOST = "done", "lost"
NOTHING, ALL = Fraction(0), Fraction(1)
CHANCES = ("win", "reach")  # what is played for is the chance of ``done``
REWARDS = {"points": "max", "turns": "min", "margin": "max", "chips": "max"}  # else its own name is the reward's

Decide = Callable[[Any], Choice[Any]]  # what somebody does in a position in which there is a choice


@dataclass(frozen=True)
class Action:
    """An action: its name, its reward, and what follows: (whole weight, number of the state)."""

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

    ``aim``: what to ask of it: "min" or "max" of the expected ``reward`` until ``done``, or of the chance of ``done``.
    ``chain``: every decision is made already. ``owners``: with several players, the seat that decides in each state;
    ``done`` and the reward are seat 0's. ``begins``: the positions of states in which turns begin.
    """

    aim: str
    reward: str
    chain: bool
    names: list[str] = field(default_factory=list)
    actions: list[tuple[Action, ...]] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    goal: int = -1
    begins: dict[int, Any] = field(default_factory=dict)

    @property
    def choices(self) -> int:
        """Number of state-action pairs."""
        return sum(map(len, self.actions))

    @property
    def branches(self) -> int:
        """Number of transitions."""
        return sum(len(action.branches) for here in self.actions for action in here)


def build(
    table: Table[Any],
    decide: Decide | None = None,
    *,
    cut: int | None = None,
    one_turn: bool = False,
    progress: Callable[[float], None] = lambda done: None,
) -> Process:
    """Walk every state that can follow from the start.

    Args:
        table: the game as it is played.
        decide: a policy; the process is then the chain that it induces.
        cut: where points in hand have no bound: whoever holds so many stops.
        one_turn: stop where the first turn ends.
        progress: called now and then.

    Raises:
        InputError: too many states.
    """
    walk = _Walk(table, decide, cut, one_turn)
    while walk.open:
        number, position = walk.open.pop()
        walk.process.actions[number] = walk.actions_of(position)
        if len(walk.numbers) > MOST_STATES:
            raise InputError(f"the model has more than {MOST_STATES:,} states; lower the target, or the turns of reach")
        progress(0.0)
    process = walk.process
    process.goal = walk.numbers.get(DONE, -1)
    if table.players == 1 or decide is not None:
        process.owners = []
    return process


class _Walk:
    """States met so far, by position, by the choices of a roll, or DONE and LOST."""

    def __init__(self, table: Table[Any], decide: Decide | None, cut: int | None, one_turn: bool) -> None:
        self.table, self.decide, self.cut, self.one_turn = table, decide, cut, one_turn
        rewarded = table.objective in REWARDS
        self.process = Process(REWARDS.get(table.objective, "max"), table.objective * rewarded, decide is not None)
        self.numbers: dict[Hashable, int] = {}
        self.open: list[tuple[int, Any]] = []
        self.begins = table.start()
        self.number(self.begins, self.begins)

    def number(self, key: Hashable, position: Any) -> int:
        """The number of a state; a new one is opened."""
        if key not in self.numbers:
            process, table = self.process, self.table
            number = self.numbers[key] = len(process.names)
            if key in (DONE, LOST):
                process.names.append(str(key))
                process.actions.append((Action("stay", NOTHING, ((1, number),)),))
                process.owners.append(0)
            else:
                process.names.append(table.id(position).partition("/")[2] or "start")
                process.actions.append(())
                process.owners.append(table.mover(position))
                if table.turn_begins(position):
                    process.begins[number] = position
                self.open.append((number, position))
        return self.numbers[key]

    def actions_of(self, position: Any) -> tuple[Action, ...]:
        """What may be done, or what falls."""
        table = self.table
        if table.stage(position) == "choose":
            return tuple(
                self._action(model_identifier(choice.action), ((1, choice.after),))
                for choice in self._choices(position)
            )
        return (self._action("throw", tuple(table.throws(position))),)

    def _choices(self, position: Any) -> list[Choice[Any]]:
        if self.decide is None:
            return open_choices(self.table, position, self.cut)
        found = self.table.choices(position)
        made = self.decide(position) if len(found) > 1 else found[0]
        return [at_cut(self.table, made, self.cut)]

    def _action(self, name: str, falls: tuple[tuple[int, Any], ...]) -> Action:
        """An action with the mean of what its ends are worth as the reward; shares of a win go by lot."""
        ends = [self._end(after) for _, after in falls]
        lot = math.lcm(*{share.denominator for _, share in ends})
        total = sum(weight for weight, _ in falls)
        gains = [weight * gain for (weight, _), (gain, _) in zip(falls, ends, strict=True) if gain]
        reward = sum(gains, NOTHING) / total if gains else NOTHING
        branches: dict[int, int] = {}
        for (weight, after), (_, share) in zip(falls, ends, strict=True):
            for state, part in self._states(after, share):
                if part:
                    branches[state] = branches.get(state, 0) + weight * part.numerator * (lot // part.denominator)
        return Action(name, reward, tuple((weight, state) for state, weight in branches.items()))

    def _end(self, after: Any) -> tuple[Fraction, Fraction]:
        """Reward of getting there, and seat 0's chance of ``done`` where the game is over."""
        table = self.table
        over = table.stage(after) == "over"
        if table.objective == "turns":
            return (ALL if over or table.turn_begins(after) else NOTHING), ALL
        if not over:
            return NOTHING, ALL
        worth = table.outcome(after)[0]
        return (NOTHING, worth) if table.objective in CHANCES else (worth, ALL)

    def _states(self, after: Any, share: Fraction) -> list[tuple[int, Fraction]]:
        table = self.table
        stage = table.stage(after)
        if stage == "over" or (self.one_turn and table.turn_begins(after)):
            found = [(DONE, share), (LOST, 1 - share)]
            return [(self.number(name, None), part) for name, part in found if part]
        return [(self._state(after, stage), ALL)]

    def _state(self, after: Any, stage: str) -> int:
        """The state of a position; where only one thing can be done and it costs no turn, where that leads."""
        if stage != "choose":
            return self.number(after, after)
        choices = self._choices(after)
        key = (self.table.mover(after), tuple((choice.action, choice.after) for choice in choices))
        return self.number(key, after)
