"""Who plays a seat: a person, the best player, a sheet, a policy by name, or somebody's Python function.

A player is a function of a position in which there is something to choose: it returns the choice made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

from ..answers.advice import Advice, RankedChoice
from ..answers.positions import advise, marks
from ..play.game_file import PERSON
from ..play.playable_game import Choice, Table, find_choice
from ..play.position_fields import Role
from ..policies.policy import MistakePolicy, OptimalPolicy, OtherObjectivePolicy, choice_function
from ..policies.registry import PLAYER_REFUSALS, PolicyContext, parse_policy
from ..solvers import Problem
from ..solvers import make_problem as ask
from ..solvers.cost_estimates import SolveCost
from ..solving.solve import solve_cost, solve_problem
from ..solving.solved_problem import SolvedProblem
from ..util.errors import InputError
from ..util.integers import parse_whole_number
from ..util.number_format import mistake_mark
from . import grades
from .seats import Graded

if TYPE_CHECKING:
    from ..answers.explanation import Reasons

Player = Callable[[Any], Choice[Any]]
AT_THE_TABLE = "table"  # somebody at the table, of whom only what a turn brought need be told
PEOPLE = (PERSON, AT_THE_TABLE)


class Adviser:
    """What is best at a table. Where its own question has no values, another one's are used: ``instead`` says which.

    ``solve`` makes the values of a match when the first question is asked, ``follow`` those that a position needs,
    ``measure`` a graded player. ``instead``: a question other than the table's. ``draw``: a number from 0 to below 1
    for the turn that is played, which says which one is made where two are mixed.
    """

    def __init__(
        self,
        table: Table[Any],
        solve: Callable[[Problem[Any]], SolvedProblem] | None = None,
        follow: Callable[[SolvedProblem, Any], SolvedProblem] = lambda solution, position: solution.restricted_to(
            position
        ),
        instead: Problem[Any] | None = None,
        measure: Callable[..., Graded] = grades.graded,
        draw: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.table, self._solve, self._follow, self.measure, self._draw = table, solve, follow, measure, draw
        told = "" if instead is None else f"Advice is by {instead.objective}: the game is played for {table.objective}."
        self.match, self.instead = _question(table) if instead is None else (instead, told)
        self._solution: SolvedProblem | None = None
        self._reaching: dict[tuple[str, str | None], Adviser] = {}

    def at(self, position: Any) -> SolvedProblem:
        """The solution with the values that answers about a position need."""
        return self._follow(self.solution, position)

    @property
    def solution(self) -> SolvedProblem:
        """The solution, made when it is first asked for."""
        if self._solution is None:
            self._solution = (self._solve or solve_problem)(self.match)
        return self._solution

    @property
    def wait(self) -> SolveCost:
        """What it takes until there is a solution."""
        return solve_cost(self.match)

    def position(self, position: Any) -> Any:
        """The position as the adviser's own question tells it."""
        if not self.instead:
            return position
        known = {field.name for field in self.match.playable.fields}
        told = {name: value for name, value in self.table.tell(position).items() if name in known}
        if score := self.match.playable.roles.get(Role.SCORE):
            told.setdefault(score, 0)
        return self.match.playable.read(**told)

    def advise(self, position: Any) -> Advice:
        """Every choice of a position, ranked."""
        here = self.position(position)
        known = self.at(here)
        return advise(known.problem, known.value_table, here)

    def why(self, position: Any, choice: Choice[Any] | str | None = None) -> Reasons:
        """Why the best choice is better than another one."""
        here = self.position(position)
        from ..answers.explanation import why

        known = self.at(here)
        return why(known.problem, known.value_table, here, choice)

    @cached_property
    def marks(self) -> tuple[tuple[float, str], ...]:
        """From which loss on a choice has which mark."""
        return marks(self.solution)

    def mark(self, loss: float) -> str:
        """The mark of a choice that costs so much."""
        return mistake_mark(loss, self.marks)

    def reaching(self, goal: str, turns: str | None) -> Adviser:
        """The adviser of whoever plays, alone, to get to so many points from here; it is kept."""
        if (goal, turns) not in self._reaching:
            told = {"goal": goal, "turns": turns}
            asked = {name: parse_whole_number(number, name) for name, number in told.items() if number is not None}
            match = ask(self.table.game, "reach", **asked)
            self._reaching[goal, turns] = Adviser(self.table, self._solve, self._follow, match)
        return self._reaching[goal, turns]

    def best(self, position: Any) -> Choice[Any]:
        """The choice to make."""
        return self.choice(position, self.advise(position).drawn(self._draw()))

    def choice(self, position: Any, best: RankedChoice) -> Choice[Any]:
        """A ranked choice as the table offers it."""
        choices = self.table.choices(position)
        if (same := find_choice(choices, best)) is not None:
            return same
        wanted = best.keep, best.then, best.dice_left
        alike = (choice for choice in choices if (choice.keep, choice.then, choice.dice_left) == wanted)
        return next(alike, choices[0])


def _question(table: Table[Any]) -> tuple[Problem[Any], str]:
    """The question that advice at a table answers, and what to say where it is not the table's own."""
    words = {"points": "the most points alone", "turns": "the fewest turns alone"}
    other = next((one for one in words if one in table.game.objectives), None)
    try:
        match = ask(table.game, table.objective, table.players, **table.parameters)
    except InputError:
        if other is None:
            raise
        why = f"{table.game.title} has no exact values for {table.players} players"
    else:
        if other in (None, match.objective) or not (cost := solve_cost(match)).is_too_much:
            return match, ""
        why = f"exact values of {table.game.title} for {table.players} players take {cost}"
    return ask(table.game, other), f"{why}: advice is for {words[other]}."


def by_objective(adviser: Adviser, objective: str) -> Player:
    """The best player of another objective than the table's."""
    game = adviser.table.game
    game.check_objective(objective)
    return Adviser(adviser.table, instead=ask(game, objective)).best


def graded(adviser: Adviser, name: str, seed: int) -> Player:
    """An opponent that makes mistakes; in a position of a game it does the same whatever was undone before."""
    if adviser.instead:
        raise InputError(f"{name} needs exact values to make mistakes of its size: {adviser.instead.partition(':')[0]}")
    table, solution = adviser.table, adviser.at(adviser.table.start())
    grade = adviser.measure(solution.problem, solution.value_table, name)

    def player(position: Any) -> Choice[Any]:
        ranked = adviser.advise(position).choices
        draw = Random(f"{seed} {table.id(position)}").random()
        place = grade.pick([choice.certain_loss for choice in ranked], draw)
        choice = find_choice(table.choices(position), ranked[place])
        assert choice is not None
        return choice

    return player


def find_players(names: Sequence[str], adviser: Adviser, seed: int = 0) -> list[Player | None]:
    """Return the players that seats name (see ``find_player``).

    All names are parsed before anything is solved. The same name is the same player, so a file of functions is run
    once.
    """
    policies = {name: parse_player(name, adviser) for name in sorted(set(names) - set(PEOPLE))}
    players: dict[str, Player | None] = dict.fromkeys(PEOPLE)
    # Graded players come last, because measuring their mistakes takes long.
    for name in sorted(policies, key=lambda name: (isinstance(policies[name], MistakePolicy), name)):
        players[name] = _make_player(name, policies[name], adviser, seed)
    return [players[name] for name in names]


def find_player(text: str, adviser: Adviser, seed: int = 0) -> Player | None:
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
    return parse_policy(text, PolicyContext(adviser.table, PLAYER_REFUSALS, other_names=PEOPLE))


def _make_player(name: str, policy: Any, adviser: Adviser, seed: int) -> Player:
    """Return the player who follows a policy."""
    if isinstance(policy, OptimalPolicy):
        return adviser.best
    if isinstance(policy, OtherObjectivePolicy):
        return by_objective(adviser, policy.objective)
    if isinstance(policy, MistakePolicy):
        return graded(adviser, name, seed)
    return choice_function(adviser.table, policy)
