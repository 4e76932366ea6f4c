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

CAPPED_POINTS = "points to a goal"  # points with a goal: the key of their problem class
ROOT = __name__.partition(".")[0]


class Family(NamedTuple):
    """The parts of a family, as paths below the package; "" if it has none.

    Attributes:
        play: the module with its playable game.
        problem_classes: by objective the problem classes, that for the fewest players first. Missing objectives
            are solved by listing all positions (``solvers.enumerated``). ``CAPPED_POINTS`` is points with a goal.
        play_by_objective: modules that replace ``play``, by objective.
        always_played: objectives for which every game of the family can be played, solved or not.
        policy_names: the module that parses its own names of policies (``policy_prefixes``, ``list_policy_names``,
            ``parse_policy_name``).
        best_response: the module that computes best responses to fixed opponents.
        evaluation: the module that evaluates policies.
        evaluates_from_scores: policies can be evaluated from any score.
        levels: the module that finds strategies of the four levels.
        sheet: the module that makes strategy sheets.
        sheet_is_quiz_default: the sheet is the default policy of the quiz, because people play by it.
        page: the module of the adviser page.
        charts: the module of its own charts.
        hands: the module that solves many hands of dice at once.
        head_starts: the module that solves a race for all head starts at once.
        hand_races: the module that solves the races of many hands of dice against each other.
        title_suffix: follows the name of a game in messages that say what it lacks, if the rules of some other family
            make the game too.
    """

    play: str
    problem_classes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    play_by_objective: Mapping[str, str] = MappingProxyType({})
    always_played: tuple[str, ...] = ()
    policy_names: str = ""
    best_response: str = ""
    evaluation: str = ""
    evaluates_from_scores: bool = False
    levels: str = ""
    sheet: str = ""
    sheet_is_quiz_default: bool = False
    page: str = ""
    charts: str = ""
    hands: str = ""
    head_starts: str = ""
    hand_races: str = ""
    title_suffix: str = ""


PUSH = Family(
    play="play.push",
    problem_classes={
        "win": (
            "solvers.push.race_problems.PushWinProblem",
            "solvers.push.multiplayer_problem.PushMultiplayerWinProblem",
        ),
        "points": ("solvers.push.points.PushPointsProblem",),
        CAPPED_POINTS: ("solvers.push.capped_points.CappedPointsProblem",),
        "rate": ("solvers.push.points.PushRateProblem",),
        "turns": ("solvers.push.race_problems.PushSoloProblem",),
        "reach": ("solvers.push.race_problems.PushSoloProblem",),
    },
    policy_names="policies.push_policies",
    best_response="policies.fixed_opponents",
    evaluation="policies.push_evaluation",
    evaluates_from_scores=True,
    levels="policies.levels.push",
    sheet="output.sheets.push",
    sheet_is_quiz_default=True,
    page="output.adviser_page.push",
    charts="output.charts.races",
    hands="solvers.push.hand_values",
    head_starts="solvers.push.head_starts",
    hand_races="solvers.push.hand_races",
)
CARD = Family(
    play="play.card",
    play_by_objective={"beat": "play.card_beat"},
    always_played=("win",),
    problem_classes={
        "points": ("solvers.cards.points.CardPointsProblem",),
        "reach": ("solvers.cards.total_problems.CardReachProblem",),
        "win": ("solvers.cards.two_player.CardWinProblem",),
        "beat": ("solvers.cards.beat.CardBeatProblem",),
    },
    evaluation="policies.levels.card_levels",
    levels="policies.levels.card_levels",
    sheet="output.sheets.cards",
    page="output.adviser_page.cards",
)
FAMILIES = {
    "push": PUSH,
    "unlike seats": Family(  # push your luck in which players have rules of their own
        play="play.unlike_seats",
        problem_classes={
            "win": (
                "solvers.push.unlike_race.UnlikeRaceProblem",
                "solvers.push.unlike_multiplayer_problem.UnlikeMultiplayerProblem",
            )
        },
        policy_names=PUSH.policy_names,
        best_response="policies.unlike_opponents",
        evaluation="policies.unlike_opponents",
        evaluates_from_scores=True,
        page="output.adviser_page.unlike_seats",
        charts="output.charts.races",
        head_starts="solvers.push.head_starts",
    ),
    "badges": Family(  # push your luck with badges that a player may use a number of times in a game
        play="play.badges",
        problem_classes={"win": ("solvers.push.badge_race.BadgeRaceProblem",)},
        title_suffix=" with badges",
    ),
    "one turn": PUSH._replace(  # push your luck in which every player has one turn
        play_by_objective={"win": "play.one_turn"},
        problem_classes={
            "win": ("solvers.rounds.one_turn.OneTurnWinProblem",),
            **{key: PUSH.problem_classes[key] for key in ("points", "reach")},
        },
        head_starts="",
    ),
    "one face": Family(  # push your luck in which all dice of one face are set aside, and no face twice
        play="play.one_face",
        problem_classes={key: PUSH.problem_classes[key] for key in ("win", "points", "turns", "reach")},
        policy_names=PUSH.policy_names,
        best_response=PUSH.best_response,
        evaluation=PUSH.evaluation,
        evaluates_from_scores=True,
        levels="policies.levels.aside",
        sheet="output.sheets.aside",
        head_starts="solvers.push.head_starts",
    ),
    "one face, one turn": Family(  # the same, and every player has one turn
        play="play.one_face",
        play_by_objective={"win": "play.one_turn"},
        problem_classes={
            "win": ("solvers.rounds.one_turn.OneTurnWinProblem",),
            **{key: PUSH.problem_classes[key] for key in ("points", "reach")},
        },
        policy_names=PUSH.policy_names,
        evaluation=PUSH.evaluation,
        evaluates_from_scores=True,
        levels="policies.levels.aside",
        sheet="output.sheets.aside",
    ),
    "cup": Family(  # push your luck in which dice of several kinds are drawn from a cup
        play="play.cup",
        problem_classes={key: PUSH.problem_classes[key] for key in ("win", "points", "turns", "reach")},
        policy_names=PUSH.policy_names,
        best_response=PUSH.best_response,
        evaluation=PUSH.evaluation,
        evaluates_from_scores=True,
        head_starts="solvers.push.head_starts",
    ),
    "scarney": Family(
        play="play.scarney",
        problem_classes={
            "win": ("solvers.scarney.win.ScarneyWinProblem", "solvers.scarney.multiplayer.ScarneyMultiplayerProblem"),
            "points": ("solvers.scarney.points.ScarneyPointsProblem",),
            "chips": ("solvers.scarney.chips.ScarneyChipsProblem",),
        },
        evaluation="policies.levels.scarney",
        levels="policies.levels.scarney",
        sheet="output.sheets.scarney",
        page="output.adviser_page.scarney",
    ),
    "rounds": Family(
        play="play.rounds",
        problem_classes={
            "win": ("solvers.rounds.tournament.RoundsWinProblem",),
            "margin": ("solvers.rounds.tournament.RoundsMarginProblem",),
            "points": ("solvers.rounds.solitaire.RoundPointsProblem",),
            "turns": ("solvers.rounds.solitaire.RoundsTurnsProblem",),
            "reach": ("solvers.rounds.solitaire.RoundsReachProblem",),
        },
        policy_names="policies.round_policies",
        evaluation="policies.levels.rounds",
        levels="policies.levels.rounds",
        sheet="output.sheets.rounds",
        sheet_is_quiz_default=True,
        page="output.adviser_page.rounds",
    ),
    "showdown": Family(
        play="play.three_dice",
        problem_classes={
            "win": ("solvers.rounds.pot.PotWinProblem",),
            "points": ("solvers.rounds.solitaire.RoundPointsProblem",),
        },
        evaluation="policies.levels.no_decisions",
        levels="policies.levels.no_decisions",
        sheet="output.sheets.three_dice",
        page="output.adviser_page.rounds",
    ),
    "hearts": Family(
        play="play.hearts",
        problem_classes={
            "win": ("solvers.hearts.problems.HeartsWinProblem",),
            "points": ("solvers.hearts.problems.HeartsPointsProblem",),
            "turns": ("solvers.hearts.problems.HeartsTurnsProblem",),
            "reach": ("solvers.hearts.problems.HeartsReachProblem",),
        },
        evaluation="policies.levels.no_decisions",
        levels="policies.levels.no_decisions",
        sheet="output.sheets.hearts",
        page="output.adviser_page.hearts",
    ),
    "touch": Family(
        play="play.touch",
        problem_classes={
            "win": ("solvers.touch.problem.TouchWinProblem",),
            "margin": ("solvers.touch.problem.TouchMarginProblem",),
            "reach": ("solvers.touch.problem.TouchReachProblem",),
        },
        evaluation="policies.levels.touch",
        levels="policies.levels.touch",
        sheet="output.sheets.touch",
        sheet_is_quiz_default=True,
        page="output.adviser_page.touch",
    ),
    "card": CARD,
    "columns": CARD._replace(  # a card with a bonus for each of several columns
        problem_classes={"points": ("solvers.cards.columns.ColumnCardPointsProblem",)},
        evaluation="",
        levels="",
        sheet="",
        page="",
    ),
    "ranges": CARD._replace(  # a card whose total is worth points by ranges
        problem_classes={
            "points": ("solvers.cards.total_problems.CardRangePointsProblem",),
            "reach": CARD.problem_classes["reach"],
        }
    ),
    "tiles": Family(
        play="play.tiles",
        problem_classes={
            "win": ("solvers.rounds.tiles.TilesTwoPlayerProblem", "solvers.rounds.tiles.TilesWinProblem"),
        },
        evaluation="policies.levels.tiles",
        levels="policies.levels.tiles",
        sheet="output.sheets.tiles",
        page="output.adviser_page.tiles",
    ),
}


def load_module(file: str) -> ModuleType:
    """Return a module by its path below the package."""
    return import_module(f"{ROOT}.{file}")


def load_member(name: str) -> Any:
    """Return a class or function by its path, such as ``solvers.push.race_problems.PushWinProblem``."""
    module_path, _, member_name = name.rpartition(".")
    return getattr(load_module(module_path), member_name)
