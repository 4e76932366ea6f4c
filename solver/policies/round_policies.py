"""Policies for Battleship that its rules mention, and the evaluation of policies of rounds.

A policy of rounds is compiled to a turn without choices (``compiled``). Then the solvers of rounds evaluate it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..games.round_rules import Move, RoundTurn, Situation
from ..play import rounds
from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice, PlayableGame
from ..solvers import Problem, ValueTable
from ..solvers.rounds.problem import round_rounding_bound, situation_of, solve_lanes
from ..solvers.rounds.solitaire import RoundPointsProblem
from ..solvers.rounds.tournament import RoundsWinProblem
from ..util.errors import InputError, suggest_name
from .evaluation import Choose, Evaluation

VALUES_ADDED_PER_TURN = 4  # sums of values with a rounding error, in the evaluation of a tournament


@dataclass(frozen=True)
class Crew:
    """Settle with a crew of at least ``least`` points, else recast both crew dice."""

    least: int

    def observation_key(self, start: rounds.RoundsPosition) -> None:
        """Return None, because the policy observes nothing but the round."""

    def explain(self, playable: rounds.RoundsGame, position: rounds.RoundsPosition) -> str:
        """Return the rule in words."""
        return f"stop with a crew of {self.least} or more"

    def choose(self, playable: rounds.RoundsGame, position: rounds.RoundsPosition) -> Choice[rounds.RoundsPosition]:
        """Return the choice that the policy makes in a decision position."""
        settle, *recasts = playable.choices(position)
        return settle if not recasts or settle.points >= self.least else recasts[-1]


# The strategy paragraph of the source: settle with more than seven crew members, try to improve with fewer. It calls
# seven the average, without advice for it: ``source`` settles at seven, ``above-seven`` recasts.
CREWS = {"source": Crew(7), "above-seven": Crew(8)}


def policy_prefixes(playable: PlayableGame[Any]) -> tuple[str, ...]:
    """Return the names of the policies that the rules of Battleship mention."""
    return tuple(CREWS)


def list_policy_names(playable: PlayableGame[Any]) -> tuple[str, ...]:
    """Return the names of the policies that the rules of Battleship mention."""
    return tuple(CREWS)


def parse_policy_name(playable: PlayableGame[Any], text: str) -> Crew:
    """Return the policy of a name; InputError if there is none."""
    if text not in CREWS:
        raise InputError(f"unknown policy '{text}'{suggest_name(text, CREWS)}")
    return CREWS[text]


def compile_policy(playable: PlayableGame[rounds.RoundsPosition], choose: Choose) -> RoundTurn:
    """Return the round of a player who follows a policy, as a turn in which every cast leaves one move.

    Args:
        playable: the game for the points of one round.
        choose: the policy.
    """
    position_of = {situation_of(playable.start()): playable.start()}

    def cast(situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        """Yield each roll's weight, and the points or the situation that the policy's choice leads to."""
        for weight, rolled in playable.rolls(position_of[situation]):
            choice = choose(rolled)
            if choice.kind is not ChoiceKind.ROLL:
                yield weight, (choice.points,)
                continue
            next_situation = situation_of(choice.after)
            position_of[next_situation] = choice.after
            yield weight, (next_situation,)

    return RoundTurn(situation_of(playable.start()), cast, has_choices=False)


def check_rounds(problem: Problem[Any]) -> None:
    """Raise InputError if the equations of rounds do not evaluate policies for a problem."""
    is_tournament_of_two = type(problem) is RoundsWinProblem and problem.players == 2 and not problem.first_to
    if not is_tournament_of_two and not isinstance(problem, RoundPointsProblem):
        raise InputError(
            "policies of this game can only be evaluated for the objective points, or for win with 2 players and a"
            " fixed number of rounds"
        )


def evaluate_rounds(
    problem: Problem[Any],
    value_table: ValueTable,
    policy: RoundTurn,
    missing: Mapping[int, RoundTurn] = MappingProxyType({}),
) -> Evaluation:
    """Evaluate a compiled policy for the ``points`` of a round, or for the ``win`` of two players.

    Args:
        problem: the problem.
        value_table: its value table.
        policy: the round as the policy plays it.
        missing: by the points that the last player of the last round is behind, the round to play there instead.
    """
    check_rounds(problem)
    if isinstance(problem, RoundPointsProblem):
        all_points = np.arange(problem.rules.max_score + 1, dtype=float)
        payoff = all_points[None, : policy.max_score + 1, None]
        value = float(solve_lanes(policy, payoff)[0, 0])
        optimum = float(value_table.arrays["points"][0])
        return Evaluation.from_values([value], [optimum], 2 * value_table.error_bound)
    assert isinstance(problem, RoundsWinProblem)
    optimum = float(value_table.arrays["round0seat0"][0, 0])
    values = (problem.evaluate_policy(value_table, policy, seat, missing) for seat in (0, 1))
    rounding_bound = VALUES_ADDED_PER_TURN * (problem.rounds + 1) * round_rounding_bound(policy)
    return Evaluation.from_values(values, (optimum, 1 - optimum), value_table.error_bound + rounding_bound)
