"""Environments for reinforcement learning: Gymnasium for one player, PettingZoo's AEC for several.

Every decision is a step, even if there is only one choice; dice are rolled between decisions.

* An *action* is the index of a choice in ``PlayableGame.choices``. ``info["action_mask"]`` is 1 for legal actions.
* An *observation* lists the fields of the position as whole numbers. Numbers stay as they are, with -1 if missing.
  Dice become counts of their faces, and words are numbered. A list of names becomes a number for each possible name: -1
  if it is not listed, else the points given with it, or 0.
* ``info["value"]`` is the exact value of the position for the player to move, and ``info["regret"]`` the loss of the
  last action against the best one.
* The *reward* is paid at the end of the game. With the objective ``turns`` it is -1 at the end of each turn.
* An illegal action ends the game as ``truncated``, with ``info["illegal"]``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .answers.positions import advise
from .games import FILES, Game
from .games import game as default_game
from .play.playable_game import Choice, Stage
from .play.position_fields import Field, FieldKind
from .simulation.games import require_whole_table
from .solvers import make_problem
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

MAX_FIELD_VALUE = 10**9  # larger than every number in a position
MAX_EXPLORED_POSITIONS = 3000  # of a first turn, to find its words and its number of choices
MIN_NUMBER_COLUMNS = 3  # of a field of several numbers
DEFAULT_OBJECTIVES_ALONE = ("turns", "points")
DEFAULT_OBJECTIVES_OF_SEVERAL = ("win",)
MAX_CACHED_POSITIONS = 200_000


@validate_arguments
def env(
    game: Game | str,
    players: int = 1,
    *,
    objective: str | None = None,
    goal: int | None = None,
    turns: int | None = None,
) -> Any:
    """Return a game as an environment, with exact values and regrets in ``info``.

    Args:
        game: a game, or the id of a game with its default rules.
        players: 1 for a ``gymnasium.Env``; more for a PettingZoo AEC environment with an agent for each seat.
        objective: the objective; None: ``turns`` or else ``points`` for one player, ``win`` for several.
        goal: the points to reach, for the objective ``reach``.
        turns: the turns to reach them in, for the objective ``reach``.

    Raises:
        InputError: the game has no such problem.
        TooMuchError: the value table of the problem is not complete.
    """
    chosen_game = default_game(game) if isinstance(game, str) else game
    defaults = DEFAULT_OBJECTIVES_ALONE if players == 1 else DEFAULT_OBJECTIVES_OF_SEVERAL
    fitting_objective = objective or next((name for name in defaults if name in chosen_game.objectives), None)
    if fitting_objective is None:
        player_words = "one player without a goal" if players == 1 else f"{players} players"
        raise InputError(
            f"{chosen_game.id} cannot be played by {player_words}; objectives: {', '.join(chosen_game.objectives)}"
        )
    solution = solve_problem(make_problem(chosen_game, fitting_objective, players, goal=goal, turns=turns))
    require_whole_table(solution)
    return OnePlayerEnv(solution) if players == 1 else MultiPlayerEnv(solution)


class RatedChoices(NamedTuple):
    """The choices of a decision, the loss of each, and the value of the best one."""

    choices: tuple[Choice[Any], ...]
    losses: list[float]
    value: float


class GameDynamics:
    """Transitions, observations and rewards, for both kinds of environments."""

    def __init__(self, solution: SolvedProblem) -> None:
        self.solution, self.playable = solution, solution.playable
        self.fields = [
            field for field in self.playable.fields if field.kind is not FieldKind.FLAG or field.is_inside_turn
        ]
        self._word_numbers: dict[str, dict[str, int]] = {}  # by field
        self.max_choices = 1
        self._explore_first_turn()
        size = len(self.observe(self.playable.start()))
        self.space = spaces.Box(-MAX_FIELD_VALUE, MAX_FIELD_VALUE, (size,), np.int64)
        self._rated_choices: dict[Any, RatedChoices] = {}

    def _explore_first_turn(self) -> None:
        """Walk the first turn, to find all words and faces and the largest number of choices.

        In scorecard games the first roll alone has more outcomes than are explored. It shows all faces and all sets
        of dice to keep, and one path to the end of the turn shows the rest.
        """
        start = self.playable.start()
        queue, visited = deque([start]), {start}
        successors = list[Any]()
        while queue:
            successors = self._explore(queue.popleft())
            if len(visited) < MAX_EXPLORED_POSITIONS:
                new = [after for after in dict.fromkeys(successors) if after not in visited and self._is_inside(after)]
                visited.update(new)
                queue.extend(new)
        while self._is_inside(successors[0]):
            successors = self._explore(successors[0])

    def _is_inside(self, position: Any) -> bool:
        """Return whether a position is inside a turn."""
        return self.playable.stage(position) is not Stage.TERMINAL and not self.playable.is_turn_start(position)

    def _explore(self, position: Any) -> list[Any]:
        """Register the words and the number of choices of a position, and return its successors."""
        playable, values = self.playable, self.playable.to_dict(position)
        for field in self.fields:
            value = values.get(field.name)
            words = value if field.kind is FieldKind.DICE and value else [value]
            for word in words:
                if isinstance(word, str):
                    numbers = self._word_numbers.setdefault(field.name, {})
                    numbers.setdefault(word, len(numbers))
        if playable.stage(position) is not Stage.DECISION:
            return [after for _, after in playable.rolls(position)]
        choices = playable.choices(position)
        self.max_choices = max(self.max_choices, len(choices))
        return [choice.after for choice in choices]

    def observe(self, position: Any) -> Observation:
        """Return the observation of a position."""
        is_over = self.playable.stage(position) is Stage.TERMINAL
        values = {} if is_over else self.playable.to_dict(position)
        numbers: list[int] = []
        for field in self.fields:
            numbers += self._encode(field, values.get(field.name))
        return np.array(numbers, dtype=np.int64)

    def _encode(self, field: Field, value: Any) -> list[int]:
        """Return the value of a field as numbers, always the same number of them."""
        word_numbers = self._word_numbers.get(field.name, {})
        if field.kind is FieldKind.DICE:
            return [(value or ()).count(face) for face in sorted(word_numbers)]
        if field.kind is FieldKind.NAMES:
            return _encode_names(field, value or ())
        if field.kind in (FieldKind.SCORES, FieldKind.NUMBERS):
            players = self.playable.players
            width = players - 1 if field.kind is FieldKind.SCORES else max(MIN_NUMBER_COLUMNS, players)
            return [*(value or ()), *[-1] * width][:width]
        if isinstance(value, str):
            return [word_numbers.get(value, -1)]
        return [-1 if value is None else int(value)]

    def rate_choices(self, position: Any) -> RatedChoices:
        """Return the choices of a decision with their losses; results are cached."""
        if position not in self._rated_choices:
            if len(self._rated_choices) >= MAX_CACHED_POSITIONS:
                self._rated_choices.clear()
            choices = self.playable.choices(position)
            if len(choices) > self.max_choices:
                raise InputError(f"{self.playable.id(position)} has more than {self.max_choices} choices")
            advice = advise(self.solution, position)
            ranked = {choice.action: choice for choice in advice.choices}
            losses = [ranked[choice.action].certain_loss for choice in choices]
            value = max(ranked.values(), key=lambda choice: -choice.loss).value
            self._rated_choices[position] = RatedChoices(choices, losses, value)
        return self._rated_choices[position]

    def roll_dice(self, position: Any, random: np.random.Generator) -> Any:
        """Roll dice until a player must decide, or the game is over; return the position."""
        while self.playable.stage(position) is Stage.CHANCE:
            weights, afters = zip(*self.playable.rolls(position), strict=True)
            borders = np.cumsum(np.array(weights, dtype=np.float64))
            position = afters[int(np.searchsorted(borders[:-1], random.random() * borders[-1], side="right"))]
        return position

    def rewards(self, after: Any) -> list[float]:
        """Return the reward of each seat for a choice that leads to a position."""
        is_over = self.playable.stage(after) is Stage.TERMINAL
        if self.playable.objective == "turns":
            return [-1.0 * (is_over or self.playable.is_turn_start(after))]
        return [float(share) for share in self.playable.payoffs(after)] if is_over else [0.0] * self.playable.players

    def info(self, position: Any, regret: float | None = None) -> dict[str, Any]:
        """Return the entries of ``info`` for a position after an action with this regret."""
        mask: Mask = np.zeros(self.max_choices, dtype=np.int8)
        regret_entry = {} if regret is None else {"regret": regret}
        if self.playable.stage(position) is Stage.TERMINAL:
            return {"action_mask": mask, **regret_entry}
        rated = self.rate_choices(position)
        mask[: len(rated.choices)] = 1
        return {"action_mask": mask, "value": rated.value, **regret_entry}


def _encode_names(field: Field, names: Iterable[str]) -> list[int]:
    """Return a number for each name of a field: -1 if it is not listed, else its points (``name=50``), or 0."""
    listed_names = list[str]()
    points_by_name = dict[str, int]()
    for text in names:
        name, _, points = text.partition("=")
        listed_names.append(name)
        if points:
            points_by_name[name] = int(points)
    return [points_by_name.get(name, listed_names.count(name) - 1) for name in field.words]


class OnePlayerEnv(gymnasium.Env[Observation, np.int64]):  # type: ignore[misc]
    """A game for one player."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own)

    def __init__(self, solution: SolvedProblem, render_mode: str | None = None) -> None:
        self.dynamics, self.render_mode = GameDynamics(solution), render_mode
        self.observation_space = self.dynamics.space
        self.action_space = spaces.Discrete(self.dynamics.max_choices)
        self.position = self.dynamics.playable.start()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; ``options={"position": ...}`` begins it in another position."""
        super().reset(seed=seed)
        start = (options or {}).get("position", self.dynamics.playable.start())
        self.position = self.dynamics.roll_dice(start, self.np_random)
        return self.dynamics.observe(self.position), self.dynamics.info(self.position)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make a choice, then roll dice until the next decision."""
        dynamics, playable = self.dynamics, self.dynamics.playable
        rated = dynamics.rate_choices(self.position)
        if not 0 <= int(action) < len(rated.choices):
            info = {**dynamics.info(self.position), "illegal": True}
            return dynamics.observe(self.position), 0.0, False, True, info
        after = rated.choices[int(action)].after
        self.position = dynamics.roll_dice(after, self.np_random)
        is_over = playable.stage(self.position) is Stage.TERMINAL
        info = dynamics.info(self.position, rated.losses[int(action)])
        return dynamics.observe(self.position), dynamics.rewards(after)[0], is_over, False, info


class MultiPlayerEnv(pettingzoo.AECEnv):  # type: ignore[misc]
    """A game for several players, with the agents ``seat_0``, ``seat_1`` and so on in the order of play."""

    metadata: dict[str, Any] = {"name": "keepwise_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, solution: SolvedProblem, render_mode: str | None = None) -> None:
        super().__init__()
        self.dynamics, self.render_mode = GameDynamics(solution), render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.dynamics.playable.players)]
        self.agents = list(self.possible_agents)
        self.observation_spaces = dict.fromkeys(self.possible_agents, self.dynamics.space)
        self.action_spaces = {agent: spaces.Discrete(self.dynamics.max_choices) for agent in self.possible_agents}
        self.random = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """Return the space of observations, which all agents share."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of actions of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; ``options={"position": ...}`` begins it in another position."""
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        start = (options or {}).get("position", self.dynamics.playable.start())
        self.position = self.dynamics.roll_dice(start, self.random)
        self._update_infos({})

    def _update_infos(self, entries: dict[str, dict[str, Any]]) -> None:
        """Select the agent to move, and set ``infos``, with further entries by agent."""
        playable = self.dynamics.playable
        mover_info = self.dynamics.info(self.position)
        no_actions: Mask = np.zeros(self.dynamics.max_choices, dtype=np.int8)
        self.infos = {agent: {"action_mask": no_actions} for agent in self.agents}
        if playable.stage(self.position) is not Stage.TERMINAL:
            self.agent_selection = self.possible_agents[playable.player_to_move(self.position)]
            self.infos[self.agent_selection] = mover_info
        for agent, agent_entries in entries.items():
            self.infos[agent] = {**self.infos[agent], **agent_entries}

    def observe(self, agent: str) -> Observation:
        """Return the position as the player to move sees it."""
        return self.dynamics.observe(self.position)

    def step(self, action: Any) -> None:
        """Make the choice of the agent to move, then roll dice until the next decision."""
        agent, dynamics = self.agent_selection, self.dynamics
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        rated = dynamics.rate_choices(self.position)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if not 0 <= int(action) < len(rated.choices):
            self.truncations = dict.fromkeys(self.agents, True)
            self._update_infos({agent: {"illegal": True}})
        else:
            after = rated.choices[int(action)].after
            self.rewards = dict(zip(self.possible_agents, dynamics.rewards(after), strict=True))
            self.position = dynamics.roll_dice(after, self.random)
            if dynamics.playable.stage(self.position) is Stage.TERMINAL:
                self.terminations = dict.fromkeys(self.agents, True)
            self._update_infos({agent: {"regret": rated.losses[int(action)]}})
        self._accumulate_rewards()


def register() -> None:
    """Register every game for one player: ``gymnasium.make("keepwise.rl_env:Keepwise/pig-v0")``."""
    for game_id in FILES:
        gymnasium.register(f"Keepwise/{game_id}-v0", f"{__name__}:env", kwargs={"game": game_id})


register()
