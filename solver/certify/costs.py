"""Cost of a certificate, estimated before anything is solved or proved: the time to solve, and the time to prove.

The time of a proof is the number of its operations times a rate, measured for each kind of prover on one idle processor
of about 2021. The estimates are within a factor of two of the times in the manifest of the shipped tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..solvers import Problem
from ..solvers.cards.problem import CardProblem
from ..solvers.model import TransitionModel
from ..solvers.push.race_problems import PushTableProblem
from ..solvers.push.unlike_race import UnlikeRaceProblem
from ..solvers.scarney.win import ScarneyWinProblem
from ..solvers.solve_costs import SolveCost, announce_once, refuse_excessive_cost
from ..solvers.touch.problem import TouchProblem
from .rule_data import equations_to_prove
from .truncation import FrameEquations, LastRoundRaceModel
from .unlike_seats import UnlikeRaceEquations

# Transition models, by what a proof counts.
SOLVES = 2  # a lower and an upper bound of a turn
SOLVES_WITH_ZERO_TURNS = 5  # both, the upper bound with a step, and both again with the gaps of the Newton step
SOLVES_FOR_OFFERS = 2  # both bounds once more, if turns can be taken over
SWEEPS = 9  # of a component of several blocks: most often three for each of three margins
ROW_SECONDS = 3e-8  # a row of turn points in one bound: its payoffs
CLASS_SECONDS = 3.2e-10  # a roll class in one row of one bound
FRAME_ROLL_SHARE = 0.4  # of the rows of Scarney's frames; in the others no roll can beat the bank
TURN_CHECK_SECONDS = 0.2  # the comparison of the compiled turn with the game as played

CARD_MULTIPLE = 2.3  # scorecards: the time of a proof, relative to the estimated time of the solve
TOUCH_VALUE_SECONDS = 1.8e-6  # boards: a value of the solve


class ProofWork(NamedTuple):
    """The work of a proof by ``transition_prover``.

    Attributes:
        rows: rows of turn points, up to the cap, in all turns that are solved for a lower or an upper bound.
        classes: roll classes in all these rows.
    """

    rows: float
    classes: float


def estimate_proof_work(equations: TransitionModel) -> ProofWork:
    """Return the work to prove a transition model, without solving any turn.

    The rows are exact if no turn can be taken over and no component has several blocks. A component of several blocks
    counts as if it took SWEEPS sweeps. If some turns can be taken over, all turns count as if they could be.

    Args:
        equations: the equations to prove.
    """
    rows = 0
    solved_keys = np.empty(0, dtype=np.int64)  # of equal turns only one is solved; equal turns have equal keys
    solves_of_usual_turn = _count_solves(equations)
    for component in equations.components():
        is_swept = equations.has_cyclic_components and len(component) > 1
        sweeps = SWEEPS if is_swept else 1
        for states in component:
            # After the last turns of a last round the race is over. So none of these turns is a zero turn.
            is_last_turn = isinstance(equations, LastRoundRaceModel) and equations.is_last_turn(states).all()
            solves = SOLVES if is_last_turn else solves_of_usual_turn
            keys = equations.turn_keys(states)
            if keys is not None:
                is_new = ~np.isin(keys, solved_keys)
                new_keys, first_indices = np.unique(keys[is_new], return_index=True)
                solved_keys = np.append(solved_keys, new_keys)
                states = states[is_new][first_indices]  # one state for each new key
            rows_of_turns = int(equations.caps(states).sum())  # a row for each number of turn points up to the cap
            rows += sweeps * solves * rows_of_turns
    return ProofWork(rows, rows * _classes_per_row(equations))


def _count_solves(equations: TransitionModel) -> int:
    """Return how often each turn is solved in one sweep, for bounds that are proved.

    It depends on whether there are zero turns and takeover offers. In this all turns are alike, but for the last turns
    of a last round, after which the race is over. The block that is solved last tells it for all: it lies at the start
    of the game, and has no such turns.

    Args:
        equations: the equations to prove.
    """
    *_, last_component = equations.components()
    *_, last_block = last_component
    is_zero, _ = equations.zero_turns(last_block, equations.transitions(last_block))
    solves = SOLVES_WITH_ZERO_TURNS if is_zero.any() else SOLVES
    return solves + (SOLVES_FOR_OFFERS if equations.takeover_offers(last_block) else 0)


def _classes_per_row(equations: TransitionModel) -> float:
    """Return the average number of roll classes in a row of a turn with the largest cap.

    A mode is solved in the rows up to the cap, or up to the most turn points with which it can be reached. If the seats
    have unlike turns, the turn with more classes stands for both.

    Args:
        equations: the equations to prove.
    """
    max_cap = equations.max_cap
    classes_by_seat = [0] * len(equations.seat_turns)  # in all rows of a turn
    for seat, turn in enumerate(equations.seat_turns):
        for mode in turn.modes:
            class_count = sum(len(roll.classes) for roll in mode.rolls)
            classes_by_seat[seat] += class_count * min(mode.max_points, max_cap)
    return max(classes_by_seat) / max_cap


def estimate_proof_seconds(problem: Problem[Any], threads: int) -> float:
    """Return an estimate of the time to prove the bounds of a solved problem, within a factor of two.

    It is 0 for kinds of problems that are certified only if they are small.

    Args:
        problem: the problem.
        threads: the number of threads.
    """
    if isinstance(problem, CardProblem):
        return CARD_MULTIPLE * problem.estimate_cost(threads).seconds
    if isinstance(problem, TouchProblem):
        return TOUCH_VALUE_SECONDS * math.prod(problem.array_specs()["after"].shape)
    if isinstance(problem, PushTableProblem):
        work = estimate_proof_work(equations_to_prove(problem))
    elif isinstance(problem, UnlikeRaceProblem):
        work = estimate_proof_work(UnlikeRaceEquations(problem.states))
    elif isinstance(problem, ScarneyWinProblem):
        rows, classes = estimate_proof_work(FrameEquations(problem))
        work = ProofWork(rows, FRAME_ROLL_SHARE * classes)  # rolls that cannot beat the bank are skipped
    else:
        return 0.0
    serial_seconds = TURN_CHECK_SECONDS + ROW_SECONDS * work.rows  # one check of the compiled turn, and all payoffs
    parallel_seconds = CLASS_SECONDS * work.classes  # in the kernel
    return serial_seconds + parallel_seconds / threads


def estimate_certificate_cost(problem: Problem[Any], threads: int) -> SolveCost:
    """Return an estimate of the time to solve a problem and to prove its bounds.

    Args:
        problem: the problem.
        threads: the number of threads.

    Returns:
        If the solve alone is past the limits, its cost: nothing will be proved. Otherwise the time of both, with no
        memory: the memory of the solve is within the limit, and that of a proof is not estimated. For kinds of problems
        that are certified only if they are small, the time is 0 too: their proof is quick and not estimated.
    """
    solve_cost = problem.estimate_cost(threads)
    if solve_cost.is_too_much:
        return solve_cost
    no_memory = 0.0
    proof_seconds = estimate_proof_seconds(problem, threads)
    is_certified_if_small = proof_seconds == 0
    total_seconds = 0.0 if is_certified_if_small else solve_cost.seconds + proof_seconds
    return SolveCost(bytes=no_memory, seconds=total_seconds)


@contextmanager
def announce_certificate(problem: Problem[Any], threads: int, anyway: bool) -> Iterator[None]:
    """Announce a long certificate; inside the context, the solve and the proof are not announced by themselves.

    If the time is not estimated, nothing is announced here, and the solve announces itself.

    Args:
        problem: the problem to solve and to prove.
        threads: the number of threads.
        anyway: the user allows any time.

    Raises:
        TooMuchError: the cost is past the limits of ``solve_costs``, and this is not allowed.
    """
    task = f"certifying {problem.game.title}"
    cost = estimate_certificate_cost(problem, threads)
    refuse_excessive_cost(task, cost, anyway)
    is_estimated = cost.seconds > 0
    with announce_once(task, cost) if is_estimated else nullcontext():
        yield
