"""Page data of Shut the Box: a turn on the board, and the values between turns."""

from __future__ import annotations

from typing import Any

from ...games.shut_the_box import FACES
from ...play.choice_kinds import ChoiceKind, TileChoice
from ...play.playable_game import Choice, replace_fields
from ...play.tiles import TilesGame, TilesPosition
from ...solvers import Problem, ValueTable
from ...solvers.rounds.tiles import CompiledTilesTurn
from ...util.errors import InputError
from .choice_data import EncodedChoice, encode_choice
from .graph import KernelNode, PageTurnEnding, walk_turns
from .rounds import MAX_VALUES, tie_arrays


def unsupported_properties(problem: Problem[Any]) -> dict[str, bool]:
    """Return the properties for which there is no page: none."""
    return {}


def parts(problem: Problem[TilesPosition], value_table: ValueTable) -> dict[str, Any]:
    """Return the data and arrays of a page that depend on the family."""
    playable: Any = problem.playable
    assert isinstance(playable, TilesGame)
    compiled = CompiledTilesTurn(playable)
    start = playable.start()

    def kernel_node(position: TilesPosition) -> KernelNode:
        return KernelNode(compiled.turn.situations[(position.dice, *position.up)], 0)

    graph, roots = walk_turns(playable, [start], kernel_node, _ending, _roll_act)
    return {
        "family": "tiles",
        "kernel": "push",
        "channels": "seats" if problem.players > 1 else "mover",
        "match": {
            "tiles": len(playable.tiles),
            "faces": FACES,
            "finals": list(compiled.points),
            "goal": playable.goal,
            "root": roots[start],
        },
        "graph": graph.as_json(),
        "turn": compiled.turn.turn,
        "arrays": _arrays(problem, value_table, compiled, start) if problem.players > 1 else {},
    }


def _ending(position: TilesPosition, choice: Choice[TilesPosition]) -> PageTurnEnding:
    is_shut = choice.kind is ChoiceKind.SHUT  # the last tiles: no points are left
    return PageTurnEnding("score", 0 if is_shut else choice.points, 0)


def _roll_act(position: TilesPosition) -> EncodedChoice:
    return encode_choice(ChoiceKind.ROLL, TileChoice(dice=position.dice))


def _arrays(
    problem: Problem[TilesPosition], value_table: ValueTable, compiled: CompiledTilesTurn, start: TilesPosition
) -> dict[str, Any]:
    """Return the probabilities to win between turns, by the fewest points so far and the number of their holders."""
    players, worst = problem.players, compiled.points[0]
    if len(compiled.points) * (players + 1) * players**3 > MAX_VALUES:
        raise InputError("an adviser page would need the values of too many positions for a browser; use fewer players")

    def position(size: int, seats_played: int, best: int, tied: int) -> TilesPosition:
        left = (best,) * tied + (worst,) * (seats_played - tied)
        return replace_fields(start, seat=seats_played, left=left)

    return tie_arrays(problem, value_table, compiled.score_of_points, position, sizes=(players,))
