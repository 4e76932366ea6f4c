"""Battleship by rules of thumb: what somebody does who settles for so many, and what a policy of rounds is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..games.round_rules import Move, RoundTurn, Situation
from ..play import rounds
from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice, Table
from ..solvers import Problem, ValueTable
from ..solvers.rounds.problem import round_rounding_bound as round_rounding
from ..solvers.rounds.problem import situation_of, solve_lanes
from ..solvers.rounds.solitaire import RoundPointsProblem as RoundPoints
from ..solvers.rounds.tournament import RoundsWinProblem
from ..util.errors import InputError, suggest_name
from .evaluation import Choose, Evaluation


@dataclass(frozen=True)
class Crew:
    """Battleship: settle for a crew of at least ``least``, else recast both crew dice."""

    least: int

    def observation_key(self, start: rounds.RoundsPosition) -> None:
        """Nothing but the round."""

    def explain(self, table: rounds.Play, position: rounds.RoundsPosition) -> str:
        """Return the rule in words."""
        return f"settle with a crew of {self.least} or more"

    def choose(self, table: rounds.Play, position: rounds.RoundsPosition) -> Choice[rounds.RoundsPosition]:
        """What is done in a position in which there is something to choose."""
        settle, *others = table.choices(position)
        return settle if not others or settle.points >= self.least else others[-1]


# The source's strategy paragraph: with more than seven crew members settle, with fewer try to improve; at seven, its
# average, settle. ``above-seven`` recasts at seven too.
CREWS = {"source": Crew(7), "above-seven": Crew(8)}


def policy_prefixes(playable: Table[Any]) -> tuple[str, ...]:
    """Return the names of the policies that the rules of Battleship mention."""
    return tuple(CREWS)


def list_policy_names(playable: Table[Any]) -> tuple[str, ...]:
    """Return the names of the policies that the rules of Battleship mention."""
    return tuple(CREWS)


def parse_policy_name(playable: Table[Any], text: str) -> Crew:
    """Return the policy of a name; InputError if there is none."""
    if text not in CREWS:
        raise InputError(f"unknown policy {text}{suggest_name(text, CREWS)}")
    return CREWS[text]


def compiled(table: Table[rounds.RoundsPosition], choose: Choose) -> RoundTurn:
    """The turn of somebody who chooses so in a round alone (the table's): every cast leaves one move."""
    at = {situation_of(table.start()): table.start()}

    def throw(here: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        for weight, fallen in table.throws(at[here]):
            choice = choose(fallen)
            if choice.kind is not ChoiceKind.ROLL:
                yield weight, (choice.points,)
            else:
                at[situation_of(choice.after)] = choice.after
                yield weight, (situation_of(choice.after),)

    return RoundTurn(situation_of(table.start()), throw, decides=False)


def check_rounds(match: Problem[Any]) -> None:
    """Refuse what policies are not evaluated for."""
    two = type(match) is RoundsWinProblem and match.players == 2 and not match.first_to
    if not two and not isinstance(match, RoundPoints):
        raise InputError("policies of this game are evaluated for points, and for two players who win by rounds")


def evaluate_rounds(
    match: Problem[Any], solved: ValueTable, policy: RoundTurn, missing: Mapping[int, RoundTurn] = MappingProxyType({})
) -> Evaluation:
    """Evaluate a compiled policy for a round's ``points`` or the ``win`` of two players; ``missing``: what is played by
    who casts last in the last round instead, by what is missing.
    """
    check_rounds(match)
    if isinstance(match, RoundPoints):
        worth = np.arange(match.rules.most + 1, dtype=float)
        value = float(solve_lanes(policy, worth[None, : policy.most + 1, None])[0, 0])
        best = float(solved.arrays["points"][0])
        return Evaluation.of([value], [best], 2 * solved.error_bound)
    assert isinstance(match, RoundsWinProblem)
    best = float(solved.arrays["round0seat0"][0, 0])
    values = (match.evaluate_policy(solved, policy, seat, missing) for seat in (0, 1))
    bound = solved.error_bound + 4 * (match.rounds + 1) * round_rounding(policy)
    return Evaluation.of(values, (best, 1 - best), bound)
