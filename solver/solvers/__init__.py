"""Solvers: the value of every position between turns, for every family of games and every objective.

Start with ``problem``: the ``Problem`` class there is the contract that all families fulfil and that the rest of the
program relies on. ``make_problem`` builds the problem of a game, an objective and a number of players.

*Families.* Each has a package of its own, cut alike as far as it needs the parts:

- ``model``: states, transitions, components and terminal payoffs; no numerics.
- the solver, named after its algorithm: retrograde analysis layer by layer, or Newton steps on cycles of zero turns.
  Cyclic components take Anderson mixing; three and more players take best responses with mixed actions.
- bounds, where the shared proof of L <= F(L) and F(U) <= U does not suffice.
- ``problem`` or ``problems``: subclasses of ``Problem``, which map positions to states and values to seats.

===========  ==========================================================================================================
``push``     push your luck: races, points, rate; any number of players
``cards``    scorecards of the Yahtzee kind
``rounds``   rounds of a fixed number of rolls (Battleship), and one turn each for a pot (Going to Boston)
``scarney``  Scarney's frames
``hearts``   Hearts Due, which has no decisions
``touch``    touch, then take or pass (Booby Trap)
===========  ==========================================================================================================

``enumerated`` solves any other small acyclic game from its rules of play alone, without equations of its own.

*Shared parts.* ``model`` holds the equations of a race as data, and ``reference_solver`` solves any such model.
``anderson`` accelerates fixed-point iterations, and ``mixed_equilibria`` finds mixed actions. ``rounding_bounds``
bounds rounding errors, ``cost_estimates`` judges memory and time, and ``cluster`` distributes the blocks of a layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..games import Game
from ..games import game as default_game
from ..games.families import member
from ..play import ALONE, play, played_for
from ..util.errors import InputError
from .cost_estimates import SolveCost
from .problem import (
    Arrays,
    ArraySpec,
    OddsSensitivity,
    PositionListing,
    Problem,
    SeatValues,
    ValueTable,
)

# The problem classes of a family without equations of its own: for one player, and for two.
ENUMERATED_PROBLEMS = "solvers.enumerated.EnumeratedSoloProblem", "solvers.enumerated.EnumeratedTwoPlayerProblem"


def problem_class_names(game: Game, objective: str) -> tuple[str, ...]:
    """Return the names of the classes that solve a game for an objective, those for the fewest players first."""
    default = ENUMERATED_PROBLEMS[:1] if objective in ALONE else ENUMERATED_PROBLEMS[1:]
    return game.parts.matches.get(objective, default)


def make_problem(
    game_or_id: Game | str,
    objective: str | None = None,
    players: int | None = None,
    *,
    goal: int | None = None,
    turns: int | None = None,
) -> Problem[Any]:
    """Build the problem of a game.

    Args:
        game_or_id: a game, or the id of one under its default rules.
        objective: the objective; by default the first of the game that this number of players can have.
        players: the number of players; by default the smallest that the objective allows.
        goal: points to reach, for the objective ``reach``.
        turns: turns to reach them in, for the objective ``reach``.

    Raises:
        InputError: the game has no such objective, or it is not solved for so many players.
    """
    game = default_game(game_or_id) if isinstance(game_or_id, str) else game_or_id
    first = game.objectives[0] if players in (None, 1) else None  # several players have another default objective
    objective = played_for(game, players, objective or first)
    game.check_objective(objective)  # some objectives can be played, but not solved
    names = problem_class_names(game, objective)
    if objective not in ALONE and players is not None and players > 1:
        _check_player_count(game, objective, players, names)
    playable = play(game, players, objective=objective, goal=goal, turns=turns)
    classes: Iterator[type[Problem[Any]]] = map(member, names)  # lazy: a later class is imported only if it is needed
    return next(
        problem_class(playable)
        for problem_class in classes
        if problem_class.player_range[0] <= playable.players <= problem_class.player_range[1]
    )


def _check_player_count(game: Game, objective: str, players: int, names: Sequence[str]) -> None:
    """Raise InputError if none of the classes solves the game for so many players."""
    bounds = list[int]()
    for name in names:
        min_players, max_players = member(name).player_range
        if min_players <= players <= max_players:
            return
        bounds += min_players, max_players
    min_players, max_players = min(bounds), max(bounds)
    solved = f"{min_players}" if min_players == max_players else f"{min_players} to {max_players}"
    raise InputError(
        f"{game.id} with the objective {objective} is solved for {solved} players: players must be {solved},"
        f" not {players}"
    )


def problem_from_question(question: Mapping[str, Any]) -> Problem[Any]:
    """Build the problem that a table or a task describes as JSON (see ``Table.question``)."""
    game = Game(question["game"], question["rules"])
    return make_problem(game, question["objective"], question["players"], **question["parameters"])


__all__ = [
    "ArraySpec",
    "Arrays",
    "OddsSensitivity",
    "PositionListing",
    "Problem",
    "SeatValues",
    "SolveCost",
    "ValueTable",
    "make_problem",
    "problem_from_question",
]
