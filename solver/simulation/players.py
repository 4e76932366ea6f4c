"""Players of one game at the table: people, optimal play, strategy sheets, named policies and Python functions.

A player is a function that returns the choice made in a decision position. ``make_players`` is where to start reading.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

from ..answers.advice import Advice, RankedChoice
from ..answers.positions import advise, marks
from ..play.game_file import HUMAN_PLAYER
from ..play.playable_game import Choice, PlayableGame, find_choice
from ..play.position_fields import Role
from ..policies.policy import MistakePolicy, OptimalPolicy, OtherObjectivePolicy, choice_function
from ..policies.registry import PLAYER_REFUSALS, PolicyContext, parse_policy
from ..solvers import Problem
from ..solvers import make_problem as ask
from ..solvers.solve_costs import SolveCost
from ..solving.solve import solve_cost, solve_problem
from ..solving.solved_problem import SolvedProblem, cpu_count
from ..util.errors import InputError, argument
from ..util.integers import parse_whole_number
from ..util.number_format import mistake_mark
from . import grades
from .seats import MistakePlayer

if TYPE_CHECKING:
    from ..answers.explanation import Reasons

Player = Callable[[Any], Choice[Any]]
AT_THE_TABLE = "table"  # a person with real dice; only the result of a turn need be entered
PEOPLE = (HUMAN_PLAYER, AT_THE_TABLE)


class Adviser:
    """Advice for a game at the table.

    If the problem of the game has no exact values, or they cost too much, another problem of the game is used.

    Attributes:
        playable: the game at the table.
        problem: the problem that is solved for advice.
        substitution: a sentence for users if that is not the problem of the game at the table, else "".
        max_seconds: a turn whose solve takes longer gets advice for points (``at``).
        make_mistake_player: makes a player with mistakes of a stated size.
    """

    def __init__(
        self,
        playable: PlayableGame[Any],
        solve: Callable[[Problem[Any]], SolvedProblem] | None = None,
        follow: Callable[[SolvedProblem, Any], SolvedProblem] = lambda solution, position: solution.restricted_to(
            position
        ),
        instead: Problem[Any] | None = None,
        measure: Callable[..., MistakePlayer] = grades.make_mistake_player,
        draw: Callable[[], float] = lambda: 0.0,
        max_seconds: float = math.inf,
        more_fields: Mapping[str, Any] | None = None,
    ) -> None:
        """Choose the problem that is solved for advice; it is solved when the first advice is needed.

        Args:
            playable: the game at the table.
            solve: solves a problem; by default ``solve_problem``.
            follow: returns a solution with the values that a position needs, from a solution and the position.
            instead: a problem to solve instead of that of the game; None for the choice described above.
            measure: makes a player with mistakes of a stated size, as ``grades.make_mistake_player`` does.
            draw: returns the random number of the current turn, from 0 to below 1, which draws mixed actions.
            max_seconds: the longest solve for the advice in one turn; a longer one is replaced by advice for points.
            more_fields: fields of positions of the solved problem that positions at the table do not have.
        """
        self.playable = playable
        self.max_seconds = max_seconds
        self._solve = solve
        self._follow = follow
        self.make_mistake_player = measure
        self._draw = draw
        self._more_fields = more_fields or {}
        if instead is None:
            self.problem, self.substitution = _problem_to_solve(playable)
        else:
            self.problem = instead
            self.substitution = (
                f"Advice is for the objective {instead.objective}: the game itself is for the objective"
                f" {playable.objective}."
            )
        self._solution: SolvedProblem | None = None
        self._reaching: dict[tuple[int, int | None, int | None], Adviser] = {}

    def at(self, position: Any) -> Adviser:
        """Return the adviser for a position: this one, or that for points if the solve for its turn takes too long."""
        if self.max_seconds == math.inf or self.cost_at(position).seconds <= self.max_seconds:
            return self
        return self.for_points

    def cost_at(self, position: Any) -> SolveCost:
        """Return the estimated cost of the solve for the turn of a position."""
        return self.problem.estimate_cost_from(self.position(position), cpu_count())

    @cached_property
    def for_points(self) -> Adviser:
        """The adviser for points; this one if that is its objective."""
        if self.problem.objective == "points":
            return self
        points_problem = ask(self.playable.game, "points")
        return Adviser(self.playable, self._solve, self._follow, points_problem, self.make_mistake_player)

    def solved_at(self, position: Any) -> SolvedProblem:
        """Return a solution whose value table covers a position of the solved problem."""
        return self._follow(self.solution, position)

    @property
    def solution(self) -> SolvedProblem:
        """The solution; the problem is solved when it is first read."""
        if self._solution is None:
            self._solution = (self._solve or solve_problem)(self.problem)
        return self._solution

    @property
    def solve_cost(self) -> SolveCost:
        """The estimated cost of the solution."""
        return solve_cost(self.problem)

    def position(self, position: Any) -> Any:
        """Return the position of the solved problem that has the same fields as a position at the table."""
        if not self.substitution:
            return position
        names = {field.name for field in self.problem.playable.fields}
        fields = {name: value for name, value in self.playable.to_dict(position).items() if name in names}
        if score := self.problem.playable.roles.get(Role.SCORE):
            fields.setdefault(score, 0)
        return self.problem.playable.position(**{**fields, **self._more_fields})

    def advise(self, position: Any) -> Advice:
        """Return all choices of a position, ranked."""
        solved_position = self.position(position)
        return advise(self.solved_at(solved_position), solved_position)

    def why(self, position: Any, choice: Choice[Any] | str | None = None) -> Reasons:
        """Return why the best choice is better than another one, by default the next best."""
        from ..answers.explanation import why

        solved_position = self.position(position)
        return why(self.solved_at(solved_position), solved_position, choice)

    @cached_property
    def marks(self) -> tuple[tuple[float, str], ...]:
        """The least loss for each mark."""
        return marks(self.solution)

    def mark(self, loss: float) -> str:
        """Return the mark of a choice with this loss."""
        return mistake_mark(loss, self.marks)

    def reaching(self, position: Any, goal: str, turns: str | None) -> Adviser:
        """Return advice on how to reach a number of points from here alone; each such adviser is made once.

        Args:
            position: the position at the table.
            goal: the points to reach, as typed.
            turns: the number of turns, as typed; None for all turns that are left.
        """
        wanted_turns = None if turns is None else parse_whole_number(turns, "turns")
        if wanted_turns is not None and wanted_turns < 1:
            raise InputError(f"{argument('turns')} must be at least 1, not {wanted_turns}")
        problem_turns, turns_left = self.playable.reach_turns(position, wanted_turns)
        key = parse_whole_number(goal, "goal"), problem_turns, turns_left
        if key not in self._reaching:
            problem = ask(self.playable.game, "reach", goal=key[0], turns=problem_turns)
            fields = {} if turns_left is None else {"turns_left": turns_left}
            self._reaching[key] = Adviser(self.playable, self._solve, self._follow, problem, more_fields=fields)
        return self._reaching[key]

    def best(self, position: Any) -> Choice[Any]:
        """Return the best choice; a mixed action is drawn."""
        return self.choice(position, self.at(position).advise(position).choice_for_draw(self._draw()))

    def choice(self, position: Any, best: RankedChoice) -> Choice[Any]:
        """Return the choice at the table that corresponds to a choice of the solved problem.

        It is the choice with the same meaning. If there is none, it is the first that does the same with the dice, or
        else the first of all.

        Args:
            position: the position at the table.
            best: a choice in the same position of the solved problem.
        """
        choices = self.playable.choices(position)
        if (equal_choice := find_choice(choices, best)) is not None:
            return equal_choice
        effect = best.keep, best.kind, best.dice_left
        same_effect = (choice for choice in choices if (choice.keep, choice.kind, choice.dice_left) == effect)
        return next(same_effect, choices[0])


def _problem_to_solve(playable: PlayableGame[Any]) -> tuple[Problem[Any], str]:
    """Return the problem that advice is computed for, and a sentence for users if it is not that of the game.

    It is another problem if the game has no exact values for so many players, or if they cost too much. Then advice is
    for one player: for the most points, or else for the fewest turns.

    Args:
        playable: the game at the table.

    Raises:
        InputError: no problem of the game can be solved.
    """
    scope = "on a card" if playable.game.family == "card" else "in a turn"
    aims = {"points": f"the most points {scope}", "turns": "the fewest turns of a single player"}
    other_objective = next((objective for objective in aims if objective in playable.game.objectives), None)
    try:
        problem = ask(playable.game, playable.objective, playable.players, **playable.parameters)
    except InputError:
        if other_objective is None:
            raise
        reason = f"{playable.game.title} has no exact values for {playable.players} players"
    else:
        if other_objective in (None, problem.objective) or not (cost := solve_cost(problem)).is_too_much:
            return problem, ""
        reason = f"exact values of {playable.game.title} for {playable.players} players take {cost}"
    return ask(playable.game, other_objective), f"{reason}: advice is for {aims[other_objective]}."


def by_objective(adviser: Adviser, objective: str) -> Player:
    """Return the player who plays optimally for another objective than that of the game at the table.

    Args:
        adviser: the advice at this game.
        objective: the other objective.

    Raises:
        InputError: the game cannot be solved for the objective.
    """
    game = adviser.playable.game
    game.check_objective(objective)
    return Adviser(adviser.playable, instead=ask(game, objective)).best


def mistake_player(adviser: Adviser, name: str, policy: MistakePolicy, seed: int) -> Player:
    """Return a player who makes mistakes of a stated size.

    Its random numbers depend only on the seed and the position, so undoing a choice does not change what it does.
    With scorecards that have no exact values for so many players, its mistakes are those of play for points.

    Args:
        adviser: the advice at this game.
        name: the name of the policy.
        policy: the size of the mistakes.
        seed: seed of the random numbers.

    Raises:
        InputError: the game has no exact values by which mistakes could be measured.
    """
    is_graded_for_points = adviser.playable.game.family == "card" and policy.loss is None
    if adviser.substitution and not is_graded_for_points:
        reason = adviser.substitution.partition(":")[0]
        raise InputError(f"policy {name} requires exact values to measure its mistakes: {reason}")
    if adviser.substitution:
        adviser = adviser.for_points
    playable, solution = adviser.playable, adviser.solved_at(adviser.position(adviser.playable.start()))
    grade = adviser.make_mistake_player(solution, name)

    def player(position: Any) -> Choice[Any]:
        """Return a choice of a position, drawn with probabilities that fall with its loss."""
        ranked = adviser.advise(position).choices
        draw = Random(f"{seed} {playable.id(position)}").random()
        index = grade.pick([choice.certain_loss for choice in ranked], draw)
        choice = find_choice(playable.choices(position), ranked[index])
        assert choice is not None
        return choice

    return player


def make_players(names: Sequence[str], adviser: Adviser, seed: int = 0) -> list[Player | None]:
    """Return the player of each seat, from the names that were given for the seats; None for people.

    All names are parsed before anything is solved. The same name is the same player, so a file of functions is run
    once.
    """
    policies = {name: parse_player(name, adviser) for name in sorted(set(names) - set(PEOPLE))}
    players: dict[str, Player | None] = dict.fromkeys(PEOPLE)
    # Graded players come last, because measuring their mistakes takes long.
    for name in sorted(policies, key=lambda name: (isinstance(policies[name], MistakePolicy), name)):
        players[name] = _make_player(name, policies[name], adviser, seed)
    return [players[name] for name in names]


def make_player(text: str, adviser: Adviser, seed: int = 0) -> Player | None:
    """Return the player that a seat names; None for people.

    Args:
        text: the name of a policy, or one of ``PEOPLE``.
        adviser: the advice at this game.
        seed: seed of the mistakes that the player makes.

    Raises:
        InputError: no player has this name.
    """
    return None if text in PEOPLE else _make_player(text, parse_player(text, adviser), adviser, seed)


def parse_player(text: str, adviser: Adviser) -> Any:
    """Return the policy that a seat names; see ``parse_policy``."""
    return parse_policy(text, PolicyContext(adviser.playable, PLAYER_REFUSALS, other_names=PEOPLE))


def _make_player(name: str, policy: Any, adviser: Adviser, seed: int) -> Player:
    """Return the player at the table who follows a parsed policy.

    Args:
        name: the name of the policy, for messages.
        policy: the policy.
        adviser: the advice at this game, for policies that rest on optimal play.
        seed: seed of the mistakes that the player makes.
    """
    if isinstance(policy, OptimalPolicy):
        return adviser.best
    if isinstance(policy, OtherObjectivePolicy):
        return by_objective(adviser, policy.objective)
    if isinstance(policy, MistakePolicy):
        return mistake_player(adviser, name, policy, seed)
    return choice_function(adviser.playable, policy)
