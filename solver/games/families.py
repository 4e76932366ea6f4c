"""The registry of families: games that are played alike and solved by the same equations.

The rules of a game name its family. ``FAMILIES`` has, once for each, the modules and classes of play, solvers, policies
and output. They are named by path below the package and imported when they are first used. No other module of the
program knows a family by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

ROOT = __name__.partition(".")[0]


class Family(NamedTuple):
    """The parts of a family, as paths below the package; "" if it has none.

    Attributes:
        play: the module with its playable game.
        matches: by objective the problem classes, that for the fewest players first. Objectives that are missing are
            solved by listing all positions (``solvers.enumerated``).
        played: modules that replace ``play``, by objective.
        plays: objectives for which every game of the family can be played, solved or not.
        policy: the module that parses its own names of policies (``policy_prefixes``, ``list_policy_names``,
            ``parse_policy_name``).
        given: the module that computes best responses to fixed opponents.
        judge: the module that evaluates policies.
        scored: policies can be evaluated from any score.
        levels: the module that finds strategies of the four levels.
        sheet: the module that makes strategy sheets.
        practised: the sheet is the default policy of the quiz, because people play by it.
        page: the module of the adviser page.
        charts: the module of its own charts.
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
    played={"beat": "play.card_beat"},
    plays=("win",),
    matches={
        "points": ("solvers.cards.points.CardPointsProblem",),
        "reach": ("solvers.cards.total_problems.CardReachProblem",),
        "win": ("solvers.cards.two_player.CardWinProblem",),
        "beat": ("solvers.cards.beat.CardBeatProblem",),
    },
    judge="policies.levels.card_levels",
    levels="policies.levels.card_levels",
    sheet="output.sheets.cards",
    page="output.adviser_page.cards",
)
FAMILIES = {
    "push": PUSH,
    "unlike seats": Family(  # push your luck in which players have rules of their own
        play="play.unlike_seats",
        matches={"win": ("solvers.push.unlike_race.UnlikeRaceProblem",)},
    ),
    "one turn": PUSH._replace(  # push your luck in which every player has one turn
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
    """Return a module by its path below the package."""
    return import_module(f"{ROOT}.{file}")


def member(name: str) -> Any:
    """Return a class or function by its path, such as ``solvers.push.race_problems.PushWinProblem``."""
    module_path, _, member_name = name.rpartition(".")
    return getattr(loaded(module_path), member_name)
