"""Exact values as fractions, for positions that few enough positions can follow.

The referee (``play.referee``) solves the game as it is played. No value table, kernel or float takes part. Most games
are finite, and every position is followed. A push-your-luck turn for points may be endless. Then there is a number of
turn points from which no roll that can bust is worth making, which ``PushPointsProver`` proves. Races of three or more
players have no unique value if anybody has a choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice
from ..play.push import PushGame
from ..play.referee import Referee
from ..play.walk import list_relevant_choices
from ..solvers import Problem
from ..solvers.push.capped_points import CappedPointsProblem
from ..solvers.push.points import PushPointsProblem
from ..util.errors import InputError
from .points_prover import PushPointsProver

MAX_POSITIONS = 20_000  # some seconds
MAX_ROLL_CLASSES = 50_000  # of a turn whose truncation has to be proved; some seconds
MAX_DIGITS = 1000  # of a numerator or denominator that is printed
DIGITS_PER_BIT = 0.30103  # log10(2)

ENDLESS_TURN_MESSAGE = (
    "exact fractions are not available: forced rolls, or rolls that cannot bust, can follow each other without end"
)


class _FullReferee(Referee[Any]):
    """The referee of a whole game, which truncates no turn.

    With ``cut``, a player who may bank at least ``cut`` points makes no roll that can lose them. That changes no value
    if banking is then at least as good.

    Attributes:
        playable: the game as people play it.
        cut: as above; None if no turn is truncated.
    """

    def choices(self, position: Any) -> list[Choice[Any]]:
        """Return the choices of a decision, less those that cannot be better than another one.

        Args:
            position: the decision.
        """
        choices = list_relevant_choices(self.playable, position)
        if self.cut is None:
            return choices
        banks = [choice.points for choice in choices if choice.kind is ChoiceKind.BANK]
        max_bank = max(banks, default=-1)  # -1: no bank is allowed, so no roll is left out
        return [
            choice for choice in choices if choice.kind is ChoiceKind.BANK or not self._is_dominated(choice, max_bank)
        ]

    def _is_dominated(self, choice: Choice[Any], max_bank: int) -> bool:
        """Return whether a choice to roll on is worth no more than to bank ``max_bank`` points.

        That is so from the cut on, if at least the turn points can be banked and the roll can lose them.

        Args:
            choice: a choice that does not bank.
            max_bank: the most points that can be banked in the same decision.
        """
        assert isinstance(self.playable, PushGame)
        assert self.cut is not None
        return self.cut <= choice.points <= max_bank and self.playable.can_lose(choice.after)


@lru_cache(maxsize=1)
def exact_referee(problem: Problem[Any], position: Any) -> Referee[Any]:
    """Return a referee that has solved a position, and if it is a decision the positions after all of its choices.

    The last referee is stored, because its position is often asked for again.

    Args:
        problem: the problem that the position belongs to.
        position: the position.

    Raises:
        InputError: too many positions can follow, or the value is not a fraction.
    """
    playable = problem.playable
    if problem.objective == "rate":
        raise InputError("exact fractions are not available for the objective rate, which is a long-run average")
    choices = playable.choices(position) if playable.stage(position) == "choose" else ()
    positions = [position, *(choice.after for choice in choices)]
    cut = _stopping_points(problem)  # None if no turn is truncated
    referee = _FullReferee(playable, cut, positions, MAX_POSITIONS)
    if problem.players > 2 and referee.is_decision:  # some position that can follow offers a choice
        raise InputError(
            "exact fractions require one or two players; with more, the values are those of stored policies"
        )
    _check_digits([value for solved_position in positions for value in referee.seat_payoffs(solved_position)])
    return referee


def _check_digits(values: Sequence[Fraction]) -> None:
    """Raise InputError if a numerator or a denominator has too many digits to be printed.

    Args:
        values: the values of all seats in some positions.
    """
    largest_number = max(max(abs(value.numerator), value.denominator) for value in values)
    if largest_number >= 10**MAX_DIGITS:
        digits = largest_number.bit_length() * DIGITS_PER_BIT
        raise InputError(f"the exact fraction has {digits:,.0f} digits; at most {MAX_DIGITS:,} can be printed")


def _stopping_points(problem: Problem[Any]) -> int | None:
    """Return the turn points from which no roll that can bust is worth making; None if no turn is endless.

    No turn is endless if no mode can come to itself again, or if more than some turn points are lost (``bust_above``).

    Raises:
        InputError: a turn can go on for ever without such a roll, or has too many roll classes.
    """
    if not isinstance(problem, (PushPointsProblem, CappedPointsProblem)):  # only their turns can go on for ever
        return None
    turn = problem.rules.turn
    all_modes = range(len(turn.modes))
    if problem.rules.bust_above or not turn.can_reenter(all_modes):
        return None
    if turn.can_reenter(turn.modes_without_stop):  # forced rolls can follow each other without end
        raise InputError(ENDLESS_TURN_MESSAGE)
    if isinstance(problem, CappedPointsProblem):
        return problem.max_stopping_points()
    if turn.class_count > MAX_ROLL_CLASSES:
        raise InputError(
            f"too large for exact fractions: a turn has {turn.class_count:,} roll classes; the limit is"
            f" {MAX_ROLL_CLASSES:,}"
        )
    # With a score of 0, a bank of fewer points than the opening does not count.
    opening = problem.states.min_bank(score=0) * problem.rules.grain
    return max(PushPointsProver(problem).stops_from, opening)
