"""The explicit decision process of a question: states, actions and whole-number weights, from the compiled turn.

One player alone, or two who race (a stochastic game, in which each state belongs to the player to move). States are
between turns (``score 350``), before a throw (``score 350, turn 100, 3 dice``) and after a throw, where the
player chooses what to keep. The same compiled turn that the kernel solves is walked here choice by choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..core.push import LANES
from ..errors import InputError
from ..games.pushluck import WIN, WIPE
from ..matches import Match, Solved
from ..policy import read_hold
from ..turns.push import BUST, Decisions, PushTurn
from ..turns.push import Choice as TurnChoice

MOST_STATES = 3_000_000
DONE = "done"
LOST = "lost"

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Action:
    """An action: its name, its reward, and what follows: (whole weight, number of the state)."""

    name: str
    reward: int
    branches: tuple[tuple[int, int], ...]

    @property
    def total(self) -> int:
        """Sum of the weights."""
        return sum(weight for weight, _ in self.branches)


@dataclass
class Process:
    """States with their actions; state 0 is the initial one.

    ``aim``: what to ask of it: "min" or "max" of the expected ``reward`` until ``done``, or of the chance of ``done``.
    ``owners``: in a game of two, who decides in each state: 0, for whom ``done`` is the win, or 1; else empty.
    """

    aim: str
    reward: str
    chain: bool
    names: list[str] = field(default_factory=list)
    actions: list[tuple[Action, ...]] = field(default_factory=list)
    goal: int = -1
    owners: list[int] = field(default_factory=list)

    @property
    def choices(self) -> int:
        """Number of state-action pairs."""
        return sum(map(len, self.actions))

    @property
    def branches(self) -> int:
        """Number of transitions."""
        return sum(len(action.branches) for here in self.actions for action in here)


class Climb:
    """A question in the terms that a model is written in.

    Scores and points are in units of ``grain``. A turn from ``score`` banks t: the next score is ``score + t`` if it
    counts, else ``score``. ``turn_count``: turns left (reach), None without a limit.
    """

    def __init__(self, match: Match, solved: Solved, policy: str | None = None) -> None:
        game, self.match, self.solved = match.game, match, solved
        alone = game.family in ("push", "rounds", "showdown") and match.objective in ("points", "turns", "reach")
        self.two = game.family == "push" and match.objective == "win"
        if not (alone or self.two):
            raise InputError(
                f"{game.id} with the objective {match.objective} has no model: they are for points, turns and reach of"
                " push-your-luck games and games by the round, and for the races of two players"
            )
        self.objective = match.objective
        self.push = game.family == "push"
        rules: Any = getattr(match, "rules", None) or game.data
        self.rules = rules
        self.turn: PushTurn = rules.turn
        self.grain = int(rules.grain) if self.push else 1
        self.turn_count = match.parameters.get("turns")
        if self.push:
            target = match.parameters.get("goal", rules.target)
            self.target = -(-target // self.grain)
        else:
            self.target = int(match.parameters.get("goal", game.rules.get("target", 0)))
        if self.push and rules.finish == "last_round":
            raise InputError("models know no last round: take finish=at_least")
        held = policy not in (None, "optimal")
        if held and (not self.push or self.two):
            raise InputError(f"{policy} is no policy for this model; ask for optimal")
        self.policy = read_hold(rules, str(policy)) if held else None

    def cap(self, score: int) -> int:
        """Points from which whoever may stop does."""
        if not self.push:
            return int(self.rules.most) + 1
        if self.objective == "points":
            return int(self.start_lane(score).cap)
        if self.objective == "reach":
            return int(self.match.caps[score])  # type: ignore[attr-defined]
        return int(self.match.ladder.caps[score])  # type: ignore[attr-defined]

    def counts(self, score: int, points: int) -> bool:
        """Whether banking so many points scores them."""
        if not self.push:
            return True
        ladder = self.match.ladder  # type: ignore[attr-defined]
        if self.objective == "points":
            return bool(points >= ladder.least(score))
        return bool(points >= ladder.counting_from[score])

    def start_lane(self, score: int) -> Any:
        """The lane of a turn for points, whose table goes on as far as the policy holds."""
        match: Any = self.match
        most = max(self.policy.by_dice.values()) if self.policy else 0
        return match.start_lane(match.read(score=score * self.grain), most)

    def _lane(self, score: int, rest: Any) -> Any:
        """The lane of a turn from a score; ``rest``: turns left (reach), or the mover and the other's score (win)."""
        match: Any = self.match
        if self.two:
            position = match.read(score=score * self.grain, opponents=[rest[1] * self.grain])
            return match._lane(self.solved, position)
        if self.objective == "points":
            return self.start_lane(score)
        return match._lane(self.solved, match.read(score=score * self.grain))

    def best(self, score: int, left: Any) -> Decisions:
        """The best decisions of a turn (rows, modes + classes), from the solved values."""
        if self.push:
            if self.objective == "reach" and left != self.turn_count:
                raise InputError("the chain of a policy is written for points and turns")
            lane = self._lane(score, left)
            endings = np.concatenate(([lane.bust, lane.win, lane.wipe], lane.banks))
            cap = lane.cap
        else:
            most = self.rules.most
            scores = np.arange(most + 1)
            if self.objective == "points":
                worth = scores.astype(float)
            elif self.objective == "turns":
                worth = -1 - self.solved.arrays["turns"][np.maximum(self.target - score - scores, 0)]
            else:
                worth = self.solved.arrays["reach"][left - 1][np.maximum(self.target - score - scores, 0)]
            endings, cap = np.concatenate(([0.0], worth, [0.0])), most + 1
        payoff = np.repeat(endings[None, :, None], LANES, axis=2)
        solved = self.turn.solve(payoff, np.full(LANES, cap, dtype=np.int32), decisions=True, inner=True)
        assert solved.decisions is not None
        assert solved.inner is not None
        decided = solved.decisions[:, :, 0]
        if not self.turn.forbid:  # at the cap the kernel decides nothing, but who must throw still keeps something
            inner = solved.inner[0, :, cap, 0]
            for place, offered in enumerate(self.offered, len(self.turn.modes)):
                worths = [inner[c.next] if c.next >= 0 else payoff[0, -1 - c.next, 0] for c in offered]
                decided[cap, place] = int(np.argmax(worths))
        return decided

    @cached_property
    def offered(self) -> list[tuple[TurnChoice, ...]]:
        """What every class offers, in the order of decisions."""
        return [offered for mode in self.turn.modes for throw in mode.throws for offered, _ in throw.classes]

    def hold(self, score: int) -> Decisions:
        """The decisions of the hold policy."""
        assert self.policy is not None
        ladder = self.match.ladder  # type: ignore[attr-defined]
        cap = self.cap(score)
        rows = self.turn.rows(cap)
        if self.objective == "points":
            from_, wins = ladder.least(score), rows  # points know no target
        else:
            from_, wins = int(ladder.counting_from[score]), self.target - score
        return self.policy.decisions(self.rules, rows, cap, from_, wins)[:, :, 0]

    def mode_name(self, mode: int) -> str:
        """A mode in words."""
        if self.push:
            dice = min(mode + 1, self.rules.dice)
            forced = " again" if mode == self.rules.forced else ""
            return f"{dice} {'die' if dice == 1 else 'dice'}{forced}"
        return self.turn.modes[mode].name

    def choice_name(self, choice: TurnChoice) -> str:
        """A choice after a throw, as an action."""
        if choice.next < 0:
            return {BUST: "bust", WIN: "win", WIPE: "wipe"}.get(choice, "end")
        if not self.push:
            return f"score_{choice.add}" if choice.next == 0 else f"go_on_{choice.next}"
        taken = "keep" if choice.keeps else "only"
        return f"{taken}_{choice.add * self.grain}_for_{self.mode_name(choice.next).replace(' ', '_')}"

    @cached_property
    def first_class(self) -> dict[tuple[int, int], int]:
        """Number of the first class of every throw, as decisions count them."""
        found, place = {}, len(self.turn.modes)
        for mode, here in enumerate(self.turn.modes):
            for number, throw in enumerate(here.throws):
                found[mode, number] = place
                place += len(throw.classes)
        return found


def build(
    match: Match, solved: Solved, policy: str | None = None, progress: Callable[[float], None] = lambda done: None
) -> Process:
    """Walk every state that can follow from the start.

    ``policy``: None for the whole process; "optimal" or "hold:..." for the chain that this policy induces.

    Raises:
        InputError: a question that is no process of one player, a policy that it does not have, or too many states.
    """
    climb = Climb(match, solved, policy)
    walk = _Walk(climb, policy)
    while walk.open:
        key = walk.open.pop()
        walk.made[walk.numbers[key]] = walk.actions_of(key)
        if len(walk.numbers) > MOST_STATES:
            raise InputError(f"the model has more than {MOST_STATES:,} states; lower the target, or the turns of reach")
        progress(0.0)
    aims = {"points": ("max", "points"), "turns": ("min", "turns"), "reach": ("max", ""), "win": ("max", "")}
    aim, reward = aims[match.objective]
    process = Process(aim, reward, policy is not None)
    order = sorted(walk.made)
    process.names = [walk.names[number] for number in order]
    process.actions = [walk.made[number] for number in order]
    process.goal = walk.numbers.get((DONE,), -1)
    if climb.two and policy is None:
        owners = {number: key[2][0] for key, number in walk.numbers.items() if len(key) > 1}
        process.owners = [owners.get(number, 0) for number in order]
    return process


class _Walk:
    """States met so far. A key is (DONE,), (LOST,), ("between", score, left), ("throw", score, left, mode, points) or
    ("keep", score, left, mode, throw, class, points). In a game of two, ``left`` is (the mover, the other's score).
    """

    def __init__(self, climb: Climb, policy: str | None) -> None:
        self.climb, self.policy = climb, policy
        self.numbers: dict[Key, int] = {}
        self.names: list[str] = []
        self.made: dict[int, tuple[Action, ...]] = {}
        self.open: list[Key] = []
        self.decided: dict[tuple[int, Any], Decisions] = {}
        self.number(("between", 0, (0, 0) if climb.two else climb.turn_count or 0))

    def number(self, key: Key) -> int:
        """The number of a state; a new one is opened."""
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            self.names.append(self.name(key))
            self.open.append(key)
        return self.numbers[key]

    def name(self, key: Key) -> str:
        climb = self.climb
        if key[0] in (DONE, LOST):
            return str(key[0])
        text = f"score {key[1] * climb.grain}"
        if climb.turn_count:
            text += f", {key[2]} turns left"
        if climb.two:
            text = f"player {key[2][0] + 1} to move, {text} against {key[2][1] * climb.grain}"
        if key[0] == "between":
            return text
        points = f", turn {key[-1] * climb.grain}, {climb.mode_name(key[3])}"
        return f"{text}{points}" + (f", throw {key[4] + 1} class {key[5]}" if key[0] == "keep" else "")

    def decisions(self, score: int, left: Any) -> Decisions | None:
        if self.policy is None:
            return None
        if (score, left) not in self.decided:
            if self.policy == "optimal":
                self.decided[score, left] = self.climb.best(score, left)
            else:
                self.decided[score, left] = self.climb.hold(score)
        return self.decided[score, left]

    def after_turn(self, score: int, left: Any, score_after: int) -> int:
        """The state after a turn that ends with a score."""
        climb = self.climb
        if climb.two:
            mover, other = left
            if score_after >= climb.target:
                return self.number((LOST,) if mover else (DONE,))
            return self.number(("between", other, (1 - mover, score_after)))
        if climb.objective == "points":
            return self.number((DONE,))
        if score_after >= climb.target:
            return self.number((DONE,))
        if climb.turn_count and left == 1:
            return self.number((LOST,))
        return self.number(("between", score_after, left - 1 if climb.turn_count else 0))

    def actions_of(self, key: Key) -> tuple[Action, ...]:
        climb = self.climb
        if key[0] in (DONE, LOST):
            return (Action("stay", 0, ((1, self.numbers[key]),)),)
        if key[0] == "between":
            begins = ("throw", key[1], key[2], climb.turn.start, 0)
            return (Action("begin", int(climb.objective == "turns"), ((1, self.number(begins)),)),)
        return self._throws(*key[1:]) if key[0] == "throw" else self._keeps(*key[1:])

    def _throws(self, score: int, left: Any, mode: int, points: int) -> tuple[Action, ...]:
        climb, found = self.climb, []
        here, cap = climb.turn.modes[mode], climb.cap(score)
        stops = here.bank is not None and points >= here.bank_from
        decided = self.decisions(score, left)
        chosen = None if decided is None else int(decided[points, mode])
        if chosen == 0 and not stops:
            chosen = 1  # at the cap the kernel writes no throw for who must make one
        if stops and (chosen in (None, 0) or points >= cap or not here.throws):
            counts = climb.counts(score, points)
            reward = points * climb.grain if climb.objective == "points" and counts else 0
            after = self.after_turn(score, left, score + points if counts else score)
            found.append(Action("bank" if counts else "stop", reward, ((1, after),)))
        if stops and (points >= cap or chosen == 0):
            return tuple(found)
        for number, throw in enumerate(here.throws):
            if chosen is not None and chosen != number + 1:
                continue
            branches: dict[int, int] = {}
            for place, (offered, weight) in enumerate(throw.classes):
                allowed = self._allowed(offered, points, cap)
                if len(allowed) <= 1:
                    target = self._reach(allowed[0] if allowed else BUST, score, left, points, cap)
                else:
                    target = self.number(("keep", score, left, mode, number, place, points))
                branches[target] = branches.get(target, 0) + weight
            name = "roll" if len(here.throws) == 1 else f"roll_{number + 1}"
            found.append(Action(name, 0, tuple((weight, target) for target, weight in branches.items())))
        return tuple(found)

    def _keeps(self, score: int, left: Any, mode: int, throw: int, place: int, points: int) -> tuple[Action, ...]:
        climb = self.climb
        cap = climb.cap(score)
        offered = climb.turn.modes[mode].throws[throw].classes[place][0]
        decided = self.decisions(score, left)
        if decided is not None:
            offered = (offered[int(decided[points, climb.first_class[mode, throw] + place])],)
        return tuple(
            Action(climb.choice_name(choice), 0, ((1, self._reach(choice, score, left, points, cap)),))
            for choice in self._allowed(offered, points, cap)
        )

    def _allowed(self, offered: tuple[TurnChoice, ...], points: int, cap: int) -> list[TurnChoice]:
        if not self.climb.turn.forbid:
            return list(offered)
        return [c for c in offered if c.next < 0 or c.add + (points if c.keeps else 0) < cap]

    def _reach(self, choice: TurnChoice, score: int, left: Any, points: int, cap: int) -> int:
        if choice.next >= 0:
            held = min(choice.add + (points if choice.keeps else 0), cap)
            return self.number(("throw", score, left, choice.next, held))
        if self.climb.push and choice == WIN:
            return self.after_turn(score, left, self.climb.target)
        return self.after_turn(score, left, 0 if self.climb.push and choice == WIPE else score)
