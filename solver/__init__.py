"""Keepwise: exact answers to "what should I keep?" for dice games that people really play.

>>> import keepwise as kw
>>> solution = kw.solve(kw.game("5000"), objective="win", players=2)
>>> round(solution.value(score=2000, opponents=[3500]), 4)
0.1458
>>> solution.advise(score=2000, opponents=[3500], turn=300, roll=[1, 1, 5, 3, 2]).best.action
'keep 1 1 5, bank 550'
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing itself takes a moment to load
if TYPE_CHECKING:
    from typing import Any

    from .answers.advice import Advice, RankedChoice
    from .answers.rows import PolicyTable
    from .answers.trace import Event, Trace
    from .api import Solution, load, solve, solve_playable
    from .dice_inventory import best_dice
    from .games import Game, game, games
    from .games.rulefile.card_file import card_game
    from .games.rulefile.loader import load_rules
    from .games.rulefile.push_file import push_game
    from .handicaps import fairest_handicap
    from .play import playable
    from .play.choice_kinds import ChoiceKind
    from .play.own_game import OwnGame
    from .play.playable_game import Choice, PlayableGame, Stage
    from .play.referee import referee
    from .policies.policy import Policy
    from .rl_env import env
    from .simulation import Simulation, simulate
    from .util.errors import InputError, KeepwiseError, SolveError, TableError, TooMuchError
    from .version import VERSION as __version__  # noqa: N811 (the usual name of a version)

# Loaded when first used, so that a question answered from a table starts fast.
_MODULES = {
    "Advice": "answers.advice",
    "Choice": "play.playable_game",
    "ChoiceKind": "play.choice_kinds",
    "Event": "answers.trace",
    "Game": "games",
    "InputError": "util.errors",
    "KeepwiseError": "util.errors",
    "OwnGame": "play.own_game",
    "Policy": "policies.policy",
    "PolicyTable": "answers.rows",
    "RankedChoice": "answers.advice",
    "Simulation": "simulation",
    "Solution": "api",
    "SolveError": "util.errors",
    "Stage": "play.playable_game",
    "PlayableGame": "play.playable_game",
    "TableError": "util.errors",
    "TooMuchError": "util.errors",
    "Trace": "answers.trace",
    "__version__": "version",
    "best_dice": "dice_inventory",
    "card_game": "games.rulefile.card_file",
    "env": "rl_env",
    "fairest_handicap": "handicaps",
    "game": "games",
    "games": "games",
    "load": "api",
    "load_rules": "games.rulefile.loader",
    "playable": "play",
    "push_game": "games.rulefile.push_file",
    "referee": "play.referee",
    "simulate": "simulation",
    "solve": "api",
    "solve_playable": "api",
}

# Type checkers need a list of literals for ``from keepwise import *``; a test compares it with the table above.
__all__ = [
    "Advice",
    "Choice",
    "ChoiceKind",
    "Event",
    "Game",
    "InputError",
    "KeepwiseError",
    "OwnGame",
    "PlayableGame",
    "Policy",
    "PolicyTable",
    "RankedChoice",
    "Simulation",
    "Solution",
    "SolveError",
    "Stage",
    "TableError",
    "TooMuchError",
    "Trace",
    "__version__",
    "best_dice",
    "card_game",
    "env",
    "fairest_handicap",
    "game",
    "games",
    "load",
    "load_rules",
    "playable",
    "push_game",
    "referee",
    "simulate",
    "solve",
    "solve_playable",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f".{_MODULES[name]}", __name__)
    return getattr(home, "VERSION" if name == "__version__" else name)
