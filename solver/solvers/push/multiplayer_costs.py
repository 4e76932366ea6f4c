"""Estimates of the time to solve a race of three or more players, as numbers of choices that a kernel compares."""

from __future__ import annotations

from .cycle_solver import has_kernel
from .model import RaceModel
from .states import States

# Empirical: the seconds of a solve over its choices. A choice counts once for each line and number of turn points that
# it is weighed at; all passes over a turn are included.
SECONDS_PER_CHOICE = 8e-10
SEATS_PER_CHOICE = 3  # empirical: so many seats' shares are evaluated in the time in which one choice is weighed
CHOICES_PER_LINE_BESIDE = 300  # empirical: other work for a line, expressed in choices, by seats squared


def mean_point_count(model: RaceModel) -> float:
    """Return at how many numbers of turn points a turn has choices, as an average over all scores of the mover.

    A turn has choices from 0 turn points up to its cap. If there is a last round, caps lie past the target. Few turns
    get so far, so half of the points beyond the target are counted: the mean of both caps. Without a last round both
    caps agree.
    """
    mean_cap = model.caps_by_score.mean()
    mean_cap_to_target = model.states.caps_by_score.mean()
    return float(mean_cap + mean_cap_to_target) / 2


def choices_per_line(states: States, point_count: float, seats: int) -> float:
    """Estimate the time to solve the turn of one line, as a number of choices that a kernel compares in that time.

    The kernel compares each choice once for each number of turn points, and evaluates the shares of all seats along the
    best one. Other work, chiefly the linear equations of a cycle, grows with the square of the seats.

    Args:
        states: the states of one player.
        point_count: at how many numbers of turn points the turn has choices.
        seats: the number of players.
    """
    if has_kernel(states):
        choices_per_points = states.mean_choice_count(max(1, int(point_count)))
    else:  # the reference solver also weighs the choices of a mode at turn points that cannot occur in it
        choices_per_points = float(states.turn.choice_count)
    choices = choices_per_points * point_count
    work_for_shares = choices * seats / SEATS_PER_CHOICE
    work_beside = CHOICES_PER_LINE_BESIDE * seats**2
    return choices + work_for_shares + work_beside
