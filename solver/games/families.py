"""A family is games that are played alike: how, by which equations they are solved, and what else there is of them.

A game's rules say its family. Here stands, once for each, where the rest is found: files by their names below the
package, which are loaded when somebody asks for what is in them. Nothing else in the program knows a family by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

ROOT = __name__.partition(".")[0]


class Family(NamedTuple):
    """Where the parts of a family stand; "" where there is none.

    Attributes:
        play: the file of ``Play``, how it is played; ``played``: others, by objective.
        plays: objectives for which every game of the family can be played, whether or not they are solved.
        matches: by objective the equations, for fewest players first; an objective that is not there is solved by
            listing positions (``solvers.enumerated``).
        policy: policies with names of their own (``policy_prefixes``, ``list_policy_names``, ``parse_policy_name``).
        given: what it is worth where the others' play is given (``check_given``, ``against``).
        judge: what a policy is worth (``check``, ``judged``); ``scored``: from a score too.
        levels: finds strategies of four levels (``at_level``).
        sheet: makes pages to play by (``check``, ``make``).
        practised: whether its page is played by people, and quickly: who is asked questions is asked where it errs.
        page: tells the page for a phone (``refused``, ``parts``).
    """

    play: str
    matches: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    played: Mapping[str, str] = MappingProxyType({})
    plays: tuple[str, ...] = ()
    policy: str = ""
    given: str = ""
    judge: str = ""
    scored: bool = False
    levels: str = ""
    sheet: str = ""
    practised: bool = False
    page: str = ""
    charts: str = ""


PUSH = Family(
    play="play.push",
    matches={
        "win": (
            "solvers.push.race_problems.PushWinProblem",
            "solvers.push.multiplayer_problem.PushMultiplayerWinProblem",
        ),
        "points": ("solvers.push.points.PushPointsProblem",),
        "rate": ("solvers.push.points.PushRateProblem",),
        "turns": ("solvers.push.race_problems.PushSoloProblem",),
        "reach": ("solvers.push.race_problems.PushSoloProblem",),
    },
    policy="policies.push_policies",
    given="policies.fixed_opponents",
    judge="policies.push_evaluation",
    scored=True,
    levels="policies.levels.push",
    sheet="output.sheets.push",
    practised=True,
    page="output.adviser_page.push",
    charts="output.charts.races",
)
CARD = Family(
    play="play.card",
    plays=("win",),
    matches={
        "points": ("solvers.cards.points.CardPointsProblem",),
        "reach": ("solvers.cards.total_problems.CardReachProblem",),
        "win": ("solvers.cards.two_player.CardWinProblem",),
    },
    judge="policies.levels.card_levels",
    levels="policies.levels.card_levels",
    sheet="output.sheets.cards",
    page="output.adviser_page.cards",
)
FAMILIES = {
    "push": PUSH,
    "one turn": PUSH._replace(  # of push your luck, for each player
        played={"win": "play.one_turn"},
        matches={"win": ("solvers.rounds.one_turn.OneTurnWinProblem",), "points": PUSH.matches["points"]},
    ),
    "scarney": Family(
        play="play.scarney",
        matches={
            "win": ("solvers.scarney.win.ScarneyWinProblem", "solvers.scarney.multiplayer.ScarneyMultiplayerProblem"),
            "points": ("solvers.scarney.points.ScarneyPointsProblem",),
            "chips": ("solvers.scarney.chips.ScarneyChipsProblem",),
        },
        judge="policies.levels.scarney",
        levels="policies.levels.scarney",
        sheet="output.sheets.scarney",
        page="output.adviser_page.scarney",
    ),
    "rounds": Family(
        play="play.rounds",
        matches={
            "win": ("solvers.rounds.tournament.RoundsWinProblem",),
            "margin": ("solvers.rounds.tournament.RoundsMarginProblem",),
            "points": ("solvers.rounds.solitaire.RoundPointsProblem",),
            "turns": ("solvers.rounds.solitaire.RoundsTurnsProblem",),
            "reach": ("solvers.rounds.solitaire.RoundsReachProblem",),
        },
        policy="policies.round_policies",
        judge="policies.levels.rounds",
        levels="policies.levels.rounds",
        sheet="output.sheets.rounds",
        practised=True,
        page="output.adviser_page.rounds",
    ),
    "showdown": Family(
        play="play.three_dice",
        matches={
            "win": ("solvers.rounds.pot.PotWinProblem",),
            "points": ("solvers.rounds.solitaire.RoundPointsProblem",),
        },
        judge="policies.levels.no_decisions",
        levels="policies.levels.no_decisions",
        sheet="output.sheets.three_dice",
        page="output.adviser_page.rounds",
    ),
    "hearts": Family(
        play="play.hearts",
        matches={
            "win": ("solvers.hearts.problems.HeartsWinProblem",),
            "points": ("solvers.hearts.problems.HeartsPointsProblem",),
            "turns": ("solvers.hearts.problems.HeartsTurnsProblem",),
            "reach": ("solvers.hearts.problems.HeartsReachProblem",),
        },
        judge="policies.levels.no_decisions",
        levels="policies.levels.no_decisions",
        sheet="output.sheets.hearts",
        page="output.adviser_page.hearts",
    ),
    "touch": Family(
        play="play.touch",
        matches={
            "win": ("solvers.touch.problem.TouchWinProblem",),
            "margin": ("solvers.touch.problem.TouchMarginProblem",),
            "reach": ("solvers.touch.problem.TouchReachProblem",),
        },
        judge="policies.levels.touch",
        levels="policies.levels.touch",
        sheet="output.sheets.touch",
        practised=True,
        page="output.adviser_page.touch",
    ),
    "card": CARD,
    "columns": CARD._replace(  # a card with a bonus for each of several columns
        matches={"points": ("solvers.cards.columns.ColumnCardPointsProblem",)}, judge="", levels="", sheet="", page=""
    ),
    "ranges": CARD._replace(  # a card whose total is worth points by ranges
        matches={"points": ("solvers.cards.total_problems.CardRangePointsProblem",), "reach": CARD.matches["reach"]}
    ),
    "tiles": Family(
        play="play.tiles", judge="policies.levels.tiles", levels="policies.levels.tiles", sheet="output.sheets.tiles"
    ),
}


def loaded(file: str) -> ModuleType:
    """A file of a family."""
    return import_module(f"{ROOT}.{file}")


def member(name: str) -> Any:
    """What a file holds under a name: ``solvers.push.race_problems.PushWinProblem``."""
    file, _, inner = name.rpartition(".")
    return getattr(loaded(file), inner)
