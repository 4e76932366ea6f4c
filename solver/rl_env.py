"""A game as an environment to learn in: Gymnasium for one player, PettingZoo's AEC for several.

Every decision is a step, forced ones too; dice are thrown between them. An action is the number of a choice, in the
order of ``Table.choices``; ``info["action_mask"]`` says which there are. An observation tells the position as its
fields do: numbers as they are (-1 where nothing is told), dice as counts of their faces, words as their number, a
list of names as a number for each name there is (-1 where it is not listed, else the points told with it, or 0).
``info`` also carries the exact ``value`` of the position for who is to move and the ``regret`` of the last action, what
it lost against the best.

The reward comes with the end of the game, what is played for; for ``turns`` it is -1 with the end of each turn. An
action that is no choice ends the game there, ``truncated``, with ``info["illegal"]``.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .answers.positions import advise
from .games import FILES, Game, game
from .play.playable_game import Choice
from .play.position_fields import Field, Kind
from .simulation.games import check_whole
from .solvers import make_problem as ask
from .solving.solve import solve_problem
from .solving.solved_problem import SolvedProblem
from .util.arguments import validate_arguments
from .util.errors import InputError
from .util.optional_imports import require_library

require_library("gymnasium", "environments need gymnasium", "env")
require_library("pettingzoo", "environments need pettingzoo", "env")

import gymnasium  # noqa: E402
import pettingzoo  # noqa: E402
from gymnasium import spaces  # noqa: E402

Observation = NDArray[np.int64]
Mask = NDArray[np.int8]

FURTHEST = 10**9  # no number of a position is larger
MOST_WALKED = 3000  # positions of a first turn past which its walk goes no further
ALONE, MATCHES = ("turns", "points"), ("win",)  # what is played for unless something else is said
MOST_KEPT = 200_000  # judged positions that are remembered


@validate_arguments
def env(
    what: Game | str,
    players: int = 1,
    *,
    objective: str | None = None,
    goal: int | None = None,
    turns: int | None = None,
) -> Any:
    """Return a game as an environment, with exact values and regrets in ``info``.

    Args:
        what: a game, or the id of one under its default rules.
        players: 1: a ``gymnasium.Env``; more: a PettingZoo AEC environment, with an agent for each seat.
        objective: what is played for; one that fits the players if None (alone ``turns`` before ``points``).
        goal, turns: points to reach and turns to do it in, for ``reach``.

    Raises:
        InputError: a question that the game does not have.
        TooMuchError: one whose whole table has not been solved.
    """
    one = game(what) if isinstance(what, str) else what
    fit = objective or next((name for name in (ALONE if players == 1 else MATCHES) if name in one.objectives), None)
    if fit is None:
        what_for = "one player without a goal" if players == 1 else f"{players} players"
        raise InputError(f"{one.id} is not for {what_for}; objectives: {', '.join(one.objectives)}")
    solution = solve_problem(ask(one, fit, players, goal=goal, turns=turns))
    check_whole(solution.problem, solution.value_table)
    return Alone(solution) if players == 1 else Several(solution)


class Course:
    """What both kinds of environments share: how positions look, what is judged, and how dice fall."""

    def __init__(self, solution: SolvedProblem) -> None:
        self.known, self.table = solution, solution.playable
        self.fields = [field for field in self.table.fields if field.kind is not Kind.FLAG or field.inside]
        self._words: dict[str, dict[str, int]] = {}
        self.most = 1
        self._look_around()
        size = len(self.observe(self.table.start()))
        self.space = spaces.Box(-FURTHEST, FURTHEST, (size,), np.int64)
        self._judged: dict[Any, tuple[tuple[Choice[Any], ...], list[float], float]] = {}

    def _look_around(self) -> None:
        """Walk into the first turn: which words and faces there are, and how many choices at most.

        Where the first throw alone shows more than is walked (cards), it shows all dice and all that may be kept of
        them; how the turn ends is seen on one way through it.
        """
        todo = deque([self.table.start()])
        seen, afters = set(todo), list[Any]()
        while todo:
            afters = self._look(todo.popleft())
            if len(seen) < MOST_WALKED:
                new = [one for one in dict.fromkeys(afters) if one not in seen and self._inside(one)]
                seen.update(new)
                todo.extend(new)
        while self._inside(afters[0]):
            afters = self._look(afters[0])

    def _inside(self, position: Any) -> bool:
        """Whether a turn has begun there, and is not over."""
        return self.table.stage(position) != "over" and not self.table.turn_begins(position)

    def _look(self, position: Any) -> list[Any]:
        """Learn the words and the choices of a position; return where it leads."""
        table, told = self.table, self.table.tell(position)
        for field in self.fields:
            value = told.get(field.name)
            for word in value if field.kind is Kind.DICE and value else [value]:
                if isinstance(word, str):
                    known = self._words.setdefault(field.name, {})
                    known.setdefault(word, len(known))
        if table.stage(position) != "choose":
            return [after for _, after in table.throws(position)]
        choices = table.choices(position)
        self.most = max(self.most, len(choices))
        return [choice.after for choice in choices]

    def observe(self, position: Any) -> Observation:
        """The position as numbers."""
        told = {} if self.table.stage(position) == "over" else self.table.tell(position)
        numbers: list[int] = []
        for field in self.fields:
            numbers += self._numbers(field, told.get(field.name))
        return np.array(numbers, dtype=np.int64)

    def _numbers(self, field: Field, value: Any) -> list[int]:
        words = self._words.get(field.name, {})
        if field.kind is Kind.DICE:
            return [(value or ()).count(face) for face in sorted(words)]
        if field.kind is Kind.NAMES:
            told = [name.partition("=")[::2] for name in value or ()]
            held, names = {name: int(points) for name, points in told if points}, [name for name, _ in told]
            return [held.get(name, names.count(name) - 1) for name in field.words]
        if field.kind in (Kind.SCORES, Kind.NUMBERS):
            width = self.table.players - 1 if field.kind is Kind.SCORES else max(3, self.table.players)
            return [*(value or ()), *[-1] * width][:width]
        if isinstance(value, str):
            return [words.get(value, -1)]
        return [-1 if value is None else int(value)]

    def judge(self, position: Any) -> tuple[tuple[Choice[Any], ...], list[float], float]:
        """The choices of a decision, what each loses, and the value of the best."""
        if position not in self._judged:
            if len(self._judged) >= MOST_KEPT:
                self._judged.clear()
            choices = self.table.choices(position)
            if len(choices) > self.most:
                raise InputError(f"{self.table.id(position)} offers more than {self.most} choices")
            known = self.known
            advice = advise(known.problem, known.value_table_for(position), position)
            ranked = {choice.meaning: choice for choice in advice.choices}
            losses = [ranked[choice.meaning].certain_loss for choice in choices]
            self._judged[position] = choices, losses, max(ranked.values(), key=lambda one: -one.loss).value
        return self._judged[position]

    def fall(self, position: Any, random: np.random.Generator) -> Any:
        """Throw until somebody must decide, or it is over."""
        while self.table.stage(position) == "throw":
            weights, afters = zip(*self.table.throws(position), strict=True)
            borders = np.cumsum(np.array(weights, dtype=np.float64))
            position = afters[int(np.searchsorted(borders[:-1], random.random() * borders[-1], side="right"))]
        return position

    def reward(self, after: Any) -> list[float]:
        """What a choice that leads there brings every seat."""
        over = self.table.stage(after) == "over"
        if self.table.objective == "turns":
            return [-1.0 * (over or self.table.turn_begins(after))]
        return [float(share) for share in self.table.outcome(after)] if over else [0.0] * self.table.players

    def info(self, position: Any, regret: float | None = None) -> dict[str, Any]:
        """What is told beside an observation."""
        mask, told = np.zeros(self.most, dtype=np.int8), {} if regret is None else {"regret": regret}
        if self.table.stage(position) == "over":
            return {"action_mask": mask, **told}
        choices, _, value = self.judge(position)
        mask[: len(choices)] = 1
        return {"action_mask": mask, "value": value, **told}


class Alone(gymnasium.Env[Observation, np.int64]):  # type: ignore[misc]
    """A game for one player."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own)

    def __init__(self, solution: SolvedProblem, render_mode: str | None = None) -> None:
        self.course, self.render_mode = Course(solution), render_mode
        self.observation_space = self.course.space
        self.action_space = spaces.Discrete(self.course.most)
        self.position = self.course.table.start()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; ``options={"position": ...}``: from there."""
        super().reset(seed=seed)
        begin = (options or {}).get("position", self.course.table.start())
        self.position = self.course.fall(begin, self.np_random)
        return self.course.observe(self.position), self.course.info(self.position)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make a choice, then throw until the next decision."""
        course, table = self.course, self.course.table
        choices, losses, _ = course.judge(self.position)
        if not 0 <= int(action) < len(choices):
            info = {**course.info(self.position), "illegal": True}
            return course.observe(self.position), 0.0, False, True, info
        after = choices[int(action)].after
        self.position = course.fall(after, self.np_random)
        over = table.stage(self.position) == "over"
        info = course.info(self.position, losses[int(action)])
        return course.observe(self.position), course.reward(after)[0], over, False, info


class Several(pettingzoo.AECEnv):  # type: ignore[misc]
    """A game for several: agents ``seat_0`` and so on, in the order of the table."""

    metadata: dict[str, Any] = {"name": "keepwise_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, solution: SolvedProblem, render_mode: str | None = None) -> None:
        super().__init__()
        self.course, self.render_mode = Course(solution), render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.course.table.players)]
        self.agents = list(self.possible_agents)
        self.observation_spaces = dict.fromkeys(self.possible_agents, self.course.space)
        self.action_spaces = {agent: spaces.Discrete(self.course.most) for agent in self.possible_agents}
        self.random = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """How positions look, to everybody alike."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The numbers of choices."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game."""
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.position = self.course.fall((options or {}).get("position", self.course.table.start()), self.random)
        self._tell({})

    def _tell(self, told: dict[str, Any]) -> None:
        table = self.course.table
        here = self.course.info(self.position)
        none = np.zeros(self.course.most, dtype=np.int8)
        self.infos = {agent: {"action_mask": none} for agent in self.agents}
        if table.stage(self.position) != "over":
            self.agent_selection = self.possible_agents[table.mover(self.position)]
            self.infos[self.agent_selection] = here
        for agent, more in told.items():
            self.infos[agent] = {**self.infos[agent], **more}

    def observe(self, agent: str) -> Observation:
        """The position as who is to move sees it."""
        return self.course.observe(self.position)

    def step(self, action: Any) -> None:
        """Make the choice of the agent to move, then throw until the next decision."""
        agent, course = self.agent_selection, self.course
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        choices, losses, _ = course.judge(self.position)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if not 0 <= int(action) < len(choices):
            self.truncations = dict.fromkeys(self.agents, True)
            self._tell({agent: {"illegal": True}})
        else:
            after = choices[int(action)].after
            self.rewards = dict(zip(self.possible_agents, course.reward(after), strict=True))
            self.position = course.fall(after, self.random)
            if course.table.stage(self.position) == "over":
                self.terminations = dict.fromkeys(self.agents, True)
            self._tell({agent: {"regret": losses[int(action)]}})
        self._accumulate_rewards()


def register() -> None:
    """Register every game for one player: ``gymnasium.make("keepwise.rl_env:Keepwise/pig-v0")``."""
    for game_id in FILES:
        gymnasium.register(f"Keepwise/{game_id}-v0", f"{__name__}:env", kwargs={"what": game_id})


register()
