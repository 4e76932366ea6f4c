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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .advice import Advice, Choice
    from .errors import InputError, KeepwiseError, SolveError, TableError
    from .games import Game, game
    from .rulefile import load_rules
    from .solution import Solution, load, solve
    from .version import VERSION as __version__

# Loaded when first used, so that a question answered from a table starts fast.
_HOMES = {
    "Advice": "advice",
    "Choice": "advice",
    "Game": "games",
    "InputError": "errors",
    "KeepwiseError": "errors",
    "SolveError": "errors",
    "Solution": "solution",
    "TableError": "errors",
    "__version__": "version",
    "game": "games",
    "load": "solution",
    "load_rules": "rulefile",
    "solve": "solution",
}

__all__ = [
    "Advice",
    "Choice",
    "Game",
    "InputError",
    "KeepwiseError",
    "Solution",
    "SolveError",
    "TableError",
    "__version__",
    "game",
    "load",
    "load_rules",
    "solve",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f".{_HOMES[name]}", __name__)
    return getattr(home, "VERSION" if name == "__version__" else name)
