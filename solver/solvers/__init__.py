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
bounds rounding errors, ``solve_costs`` judges memory and time, and ``cluster`` distributes the blocks of a layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..games import Game
from ..games import game as default_game
from ..games.families import CAPPED_POINTS, load_member
from ..play import SINGLE_PLAYER_OBJECTIVES, find_objective
from ..play import playable as make_playable
from ..util.errors import InputError, argument
from .problem import (
    Arrays,
    ArraySpec,
    OddsSensitivity,
    PositionListing,
    Problem,
    SeatValues,
    ValueTable,
)
from .solve_costs import SolveCost

# The problem classes of a family without equations of its own.
ENUMERATED_SOLO_PROBLEM = "solvers.enumerated.EnumeratedSoloProblem"
ENUMERATED_TWO_PLAYER_PROBLEM = "solvers.enumerated.EnumeratedTwoPlayerProblem"


def problem_class_names(game: Game, objective: str, goal: int | None = None) -> tuple[str, ...]:
    """Return the names of the problem classes that solve a game for an objective, those for the fewest players first.

    Args:
        game: the game. If its family has no class for the objective, positions are enumerated.
        objective: the objective.
        goal: for the objective ``points``, the points beyond which a bank is worth no more. A family may have a class
            of its own for that.
    """
    if objective == "points" and goal is not None and CAPPED_POINTS in game.parts.problem_classes:
        return game.parts.problem_classes[CAPPED_POINTS]
    enumerated_problem = (
        ENUMERATED_SOLO_PROBLEM if objective in SINGLE_PLAYER_OBJECTIVES else ENUMERATED_TWO_PLAYER_PROBLEM
    )
    return game.parts.problem_classes.get(objective, (enumerated_problem,))


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
        objective: the objective; by default the game's first, or for several players the first that several can have.
        players: the number of players; by default the smallest that the objective allows.
        goal: points to reach, for the objective ``reach``. For ``points`` a bank counts up to the goal and no further.
        turns: turns to reach them in, for the objective ``reach``.

    Raises:
        InputError: the game has no such objective, or it is not solved for so many players.
    """
    game = default_game(game_or_id) if isinstance(game_or_id, str) else game_or_id
    if not objective and players in (None, 1):
        objective = game.objectives[0]
    objective = find_objective(game, players, objective or None)  # without one, it finds the first for several players
    game.check_objective(objective)  # some objectives can be played, but not solved
    class_names = problem_class_names(game, objective, goal)
    if objective not in SINGLE_PLAYER_OBJECTIVES and players is not None and players > 1:
        _check_player_count(game, objective, players, class_names)
    playable = make_playable(game, players, objective=objective, goal=goal, turns=turns)
    # One of the classes fits: ``find_objective`` and ``_check_player_count`` have refused other numbers of players. The
    # module of a later class is imported only if no earlier one fits.
    problem_classes: Iterator[type[Problem[Any]]] = map(load_member, class_names)
    return next(
        problem_class(playable)
        for problem_class in problem_classes
        if _solves_for(problem_class.player_range, playable.players)
    )


def _solves_for(player_range: tuple[int, int], players: int) -> bool:
    """Return True if a number of players lies between the smallest and the largest that a class solves."""
    min_players, max_players = player_range
    return min_players <= players <= max_players


def _check_player_count(game: Game, objective: str, players: int, class_names: Sequence[str]) -> None:
    """Raise InputError if none of the classes solves the game for so many players.

    Args:
        game: the game, which the message names.
        objective: the objective, which the message names.
        players: the number of players.
        class_names: names of problem classes, as ``problem_class_names`` returns them.
    """
    player_ranges = list[tuple[int, int]]()
    for class_name in class_names:
        player_range = load_member(class_name).player_range
        if _solves_for(player_range, players):
            return
        player_ranges.append(player_range)
    smallest = min(min_players for min_players, _ in player_ranges)
    largest = max(max_players for _, max_players in player_ranges)
    solved_counts = f"{smallest}" if smallest == largest else f"between {smallest} and {largest}"
    raise InputError(
        f"{argument('players')} must be {solved_counts} for the objective {objective} in {game.id}, not {players}"
    )


def problem_from_key(problem_key: Mapping[str, Any]) -> Problem[Any]:
    """Build the problem that is described as JSON data in a stored table, or in a task of a cluster.

    Args:
        problem_key: game, rules, objective, players and parameters, as ``PlayableGame.problem_key`` has them.
    """
    game = Game(problem_key["game"], problem_key["rules"])
    return make_problem(game, problem_key["objective"], problem_key["players"], **problem_key["parameters"])


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
    "problem_from_key",
]
