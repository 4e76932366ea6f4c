"""Games as people play them: positions, legal choices, rolls and payoffs.

``play`` returns a game as a ``PlayableGame`` (``playable_game.py``). Every family has its own file, made from the same
rules as its turn model; ``hearts.py`` is the shortest, ``push.py`` and ``card.py`` are the largest. ``choice_kinds.py``
lists what choices are, and ``choice_text.py`` words them. ``input_parser.py`` reads what people type, ``game_file.py``
keeps games as text, and ``referee.py`` solves small games exactly.
"""

from __future__ import annotations

from typing import Any

from ..games import Game, game
from ..games.families import CAPPED_POINTS, load_module
from ..util.arguments import validate_arguments
from ..util.errors import InputError, argument, list_alternatives
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind
from .playable_game import Choice, PlayableGame, Stage, WeightedRoll
from .position_fields import Field, FieldKind

SINGLE_PLAYER_OBJECTIVES = ("points", "turns", "reach", "rate", "beat")  # what one player plays for alone
MAX_PLAYERS = 20


@validate_arguments
def playable(
    game_or_id: Game | str,
    players: int | None = None,
    *,
    objective: str | None = None,
    goal: int | None = None,
    turns: int | None = None,
) -> PlayableGame[Any]:
    """Return a game as it is played at a table; nothing is solved.

    Args:
        game_or_id: a game, or the id of one under its default rules.
        players: seats; 2 if nothing is said, 1 where the objective is one player's alone.
        objective: what is played for: a share of the ``win``, ``margin`` or ``chips`` among several, ``points`` of a
            turn, the ``turns`` to the target or to ``reach`` a goal alone; by the number of players if None.
        goal, turns: points to reach and turns to do it in, for ``reach``. For ``points`` a bank is worth no more than
            is missing to the goal.

    Raises:
        InputError: an objective that the game does not have, or players that it is not for.
    """
    chosen_game = game(game_or_id) if isinstance(game_or_id, str) else game_or_id
    objective = find_objective(chosen_game, players, objective)
    alone = objective in SINGLE_PLAYER_OBJECTIVES
    seats = (1 if alone else 2) if players is None else players
    if alone and seats != 1:
        several = next(
            (
                f"; for several players use the objective {name}"
                for name in chosen_game.objectives
                if name not in SINGLE_PLAYER_OBJECTIVES
            ),
            "",
        )
        if why := "" if several else chosen_game.unsupported_objectives.get("win", ""):
            several = f"; the objective win is not available ({why})"
        message = (
            f"the objective {objective} is for one player, so {argument('players')} must be 1, not {players}{several}"
        )
        raise InputError(message)
    if not alone and seats < 2:
        alone_objectives = [name for name in chosen_game.objectives if name in SINGLE_PLAYER_OBJECTIVES]
        hint = f"; for one player use the objective {list_alternatives(alone_objectives)}" if alone_objectives else ""
        raise InputError(f"the objective {objective} requires at least 2 players, not {players}{hint}")
    if not alone and seats > MAX_PLAYERS:
        raise InputError(f"the objective {objective} allows at most {MAX_PLAYERS} players, not {players}")
    takes_goal = objective == "points" and CAPPED_POINTS in chosen_game.parts.problem_classes
    if objective != "reach" and (turns is not None or (goal is not None and not takes_goal)):
        parameter = "turns" if goal is None or takes_goal else "goal"
        has_capped_points = parameter == "goal" and CAPPED_POINTS in chosen_game.parts.problem_classes
        required = "reach or points" if has_capped_points else "reach"
        raise InputError(
            f"{argument(parameter)} cannot be combined with the objective {objective}; it requires the objective"
            f" {required}"
        )
    if chosen_game.named_seats > max(2, seats):
        players_text = "is 1 player" if seats == 1 else f"are {seats} players"
        seat = chosen_game.named_seats
        raise InputError(f"the rules describe seat {seat}, but there {players_text}; remove seat {seat}")
    file = chosen_game.parts.play_by_objective.get(objective, chosen_game.parts.play)
    playable_game: PlayableGame[Any] = load_module(file).PLAYABLE(chosen_game, objective, seats, goal, turns)
    return playable_game


def find_objective(game: Game, players: int | None, objective: str | None = None) -> str:
    """Return the objective of a game for so many players: the one that is given, otherwise the first that fits.

    Some objectives can be played but are not solved, as the win of a card with an upper bonus.

    Raises:
        InputError: the game cannot be played for this objective, or not by so many.
    """
    playable = (*game.objectives, *(name for name in game.parts.always_played if name not in game.objectives))
    if objective is None:
        objective = next((name for name in playable if (name in SINGLE_PLAYER_OBJECTIVES) == (players == 1)), None)
    if objective is None:
        objectives = ", ".join(game.objectives)
        number = format_count(players, "player") if players else "several players"
        raise InputError(f"{game.id} cannot be played by {number}; objectives: {objectives}")
    if objective not in playable:
        game.check_objective(objective)
    return objective


__all__ = ["Choice", "ChoiceKind", "Field", "FieldKind", "PlayableGame", "Stage", "WeightedRoll", "playable"]
