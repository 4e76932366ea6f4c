"""Scarney against the referee (see test_referee.py): frames, extra frames, chips spent.

Nothing bounds a frame, so both play a game in which nobody holds more than so many points: whoever has as many enters
them. Where more comes up the solver's tables say what it costs; here nothing is left out, and the bound is the solver's
own. For the points of one frame, stopping is best from some level on, so that there cutting costs nothing at all.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from referee_checks import COUNTS, check_advice

import keepwise as kw
from keepwise.answers.positions import seat_values_of
from keepwise.api import Solution
from keepwise.play.playable_game import replace_fields
from keepwise.play.referee import referee
from keepwise.play.scarney import ScarneyGame, ScarneyPosition
from keepwise.solvers import make_problem
from keepwise.solvers.scarney import two_player
from keepwise.solvers.scarney.problem import TableExtent

LEVEL = Fraction(7, 16)  # of the pot: what an extra frame for chips is worth to its first shooter, if it is not played


class Capped(ScarneyGame):
    """Nobody holds more than ``most`` points. With ``extra``, no extra frames are played: they are worth LEVEL."""

    most = 0
    extra = True
    begins: ScarneyPosition | None = None

    def start(self):
        return self.begins or super().start()

    def stop_or_roll(self, position, held, data):
        capped = min(held, self.most)
        for choice in super().stop_or_roll(position, capped, data):
            if held < self.most or choice.follow_up == "stop":
                yield choice

    def end_frame(self, position, points):
        after = super().end_frame(position, points)
        if self.extra or after.ended or not after.playoff or after.seat != 0:
            return after
        first = LEVEL * after.pot
        ended = (first - after.spent[0], after.pot - first - after.spent[1])
        return ScarneyPosition(after.scores, 0, after.frame, (), after.pot, after.spent, ended=ended)


def capped(game, objective, most, monkeypatch, *, extra=True):
    """The table and the solution of a game in which nobody holds more than so many points."""
    playable = Capped(game, objective, 2)
    playable.most, playable.extra = most, extra
    asked = make_problem(game, objective)
    asked.playable = playable
    monkeypatch.setattr(
        two_player, "table_extent", lambda turn, frames: TableExtent(most, (2 * frames + 1) * most, 0.0)
    )
    monkeypatch.setattr(two_player, "round_up_points", lambda points: 0)
    if not extra:
        level = lambda self, pool, lowest, wanted, done: (  # noqa: E731
            float(LEVEL) * (lowest + np.arange(wanted)), 0.0
        )  # fmt: skip
        monkeypatch.setattr(two_player.TwoPlayerScarneyProblem, "solve_extra_frames", level)
    solved = asked.solve(2, lambda done: None)
    return playable, Solution(asked, solved, "solved", "")


def compare(playable, solution, rolls=300):
    exact = referee(playable)
    asked = [position for position in exact.positions if playable.stage(position) != "over"]
    rolled = [after for one in asked if playable.stage(one) == "throw" for _, after in playable.rolls(one)]
    asked += rolled[:: max(1, len(rolled) // rolls)]
    worth = seat_values_of(solution.problem, solution.value_table, asked)
    for number, (position, seats, bound) in enumerate(
        zip(asked, worth.values.tolist(), worth.error_bounds.tolist(), strict=True)
    ):
        for found, truth in zip(seats, exact.seat_payoffs(position), strict=True):
            assert abs(Fraction(found) - truth) <= bound, (playable.id(position), seats, exact.seat_payoffs(position))
        if playable.stage(position) == "choose" and number % 7 == 0:
            check_advice(solution, exact, position, 1)
    COUNTS.append((playable.game.id, playable.objective, playable.players, len(asked)))
    return len(asked)


@pytest.mark.slow
@pytest.mark.parametrize("double", ["free", "off"])
@pytest.mark.parametrize("little", ["score", "dead"])
def test_points_of_a_frame(double, little):
    solution = kw.solve(kw.game("scarney", double=double, little=little), "points", fresh=True)
    exact = referee(solution.playable, cut=solution.problem.max_stopping_points(solution.value_table))
    asked = [position for position in exact.positions if solution.playable.stage(position) != "over"]
    worth = seat_values_of(solution.problem, solution.value_table, asked)
    for position, (value,), bound in zip(asked, worth.values.tolist(), worth.error_bounds.tolist(), strict=True):
        assert abs(Fraction(value) - exact.value(position)) <= bound, solution.playable.id(position)
        if solution.playable.stage(position) == "choose":
            check_advice(solution, exact, position, 1)
    COUNTS.append(("scarney", "points", 1, len(asked)))
    assert len(asked) > 100


def test_a_match_of_one_frame(monkeypatch):
    playable, solution = capped(kw.game("scarney", frames=1, double="off"), "win", 3, monkeypatch)
    assert compare(playable, solution, 100) > 100


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(
    ("rules", "most"),
    [
        ({"frames": 1}, 12),
        ({"frames": 1, "double": "off", "little": "dead"}, 30),
        ({"frames": 2, "little": "dead"}, 5),
        ({"frames": 2, "double": "off"}, 6),
    ],
)
def test_matches_and_their_extra_frames(rules, most, monkeypatch):
    playable, solution = capped(kw.game("scarney", **rules), "win", most, monkeypatch)
    assert compare(playable, solution) > 1000


def test_chips_of_the_last_frame(monkeypatch):
    """What has been spent before and in the frame, with extra frames of a given worth."""
    game = kw.game("scarney", frames=1, double="chips", ante=2)
    playable, solution = capped(game, "chips", 2, monkeypatch, extra=False)
    playable.begins = replace_fields(playable.start(), seat=1, scores=(2, 0))
    assert compare(playable, solution, 100) > 100


@pytest.mark.slow
@pytest.mark.parametrize(("frames", "most", "ante"), [(1, 6, 2), pytest.param(2, 2, 10, marks=pytest.mark.patient)])
def test_chips(frames, most, ante, monkeypatch):
    game = kw.game("scarney", frames=frames, double="chips", ante=ante)
    playable, solution = capped(game, "chips", most, monkeypatch, extra=False)
    assert compare(playable, solution) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("more", [0, 5, 9, 40])
def test_chips_in_extra_frames(more, monkeypatch):
    """An extra frame with any number of chips on the table, more than a game without one can bring included."""
    game = kw.game("scarney", frames=1, double="chips", ante=2)
    playable, solution = capped(game, "chips", 4, monkeypatch, extra=False)
    start = playable.start()
    playable.begins = replace_fields(start, playoff=(0, 1), pot=start.pot + more)
    # What it is worth is given, so that only positions inside it can be compared.
    exact = referee(playable)
    asked = [one for one in exact.positions if playable.stage(one) != "over" and one != playable.begins]
    worth = seat_values_of(solution.problem, solution.value_table, asked)
    for position, seats, bound in zip(asked, worth.values.tolist(), worth.error_bounds.tolist(), strict=True):
        for found, truth in zip(seats, exact.seat_payoffs(position), strict=True):
            assert abs(Fraction(found) - truth) <= bound, (playable.id(position), seats, exact.seat_payoffs(position))
