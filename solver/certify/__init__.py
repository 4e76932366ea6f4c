"""Certificates: proofs in whole numbers that every value lies between a lower and an upper bound.

`certify` proves bounds L <= V <= U around the values of a solved problem. `Certificate.write` writes them to a file,
which ``keepwise_check`` verifies without using this program or knowing the game by its name. docs/exactness.md says
why such bounds enclose the values, and docs/certificate-format.md describes the file.

Start reading at `certify`. It chooses a prover for the problem:

- `transition_prover`: transition models of push-your-luck races, fewest turns and ``reach``; with `truncation` also
  last rounds and Straight Scarney's match
- `points_prover`: one push-your-luck turn for points, or the average in the long run
- `card_prover`, `touch_prover`: scorecards and boards by retrograde analysis, for one or two players
- `played_prover`: all other games, and any number of players, by walking the game as it is played

`whole_turn` solves turns in integer arithmetic. Before anything is proved, `turn_crosscheck` compares compiled rules
with the game as played. `game_descriptions` and `rule_data` state the rules as data.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import keepwise_check

from ..solvers import Problem, problem_from_key
from ..solvers.cards.points import CardPointsProblem as CardPoints
from ..solvers.cards.problem import CardProblem
from ..solvers.cards.two_player import CardWinProblem as CardWin
from ..solvers.push.capped_points import CappedPointsProblem
from ..solvers.push.multiplayer_problem import PushMultiplayerWinProblem
from ..solvers.push.points import PushPointsProblem, PushRateProblem
from ..solvers.push.race_problems import PushTableProblem
from ..solvers.push.unlike_multiplayer_problem import UnlikeMultiplayerProblem
from ..solvers.push.unlike_race import UnlikeRaceProblem
from ..solvers.scarney.win import ScarneyWinProblem as ScarneyWin
from ..solvers.touch.problem import TouchProblem
from ..solving.solved_problem import SolvedProblem, cpu_count
from ..storage.files import CERTIFICATE, describe_other_kind, error_reason
from ..storage.table_files import fingerprint
from ..util.errors import InputError, SolveError, argument
from ..util.progress_reporting import ProgressCallback
from ..version import ENGINE
from .card_prover import CardPointsProver, CardWinProver
from .certificate import DAMAGED_FILE_ERRORS, Certificate, open_certificate
from .game_descriptions import describe_rules, state_namer
from .played_prover import PlayedProver, tie_units
from .points_prover import PushPointsProver
from .push_states import push_state_names
from .rule_data import equations_to_prove, is_proved_compiled
from .touch_prover import TouchProver
from .transition_prover import CertifiedBounds, Doubles, TransitionProver
from .truncation import FrameEquations, compare_frames
from .turn_crosscheck import compare_push_turns, crosscheck
from .unlike_seats import UnlikeRaceEquations
from .whole_turn import BlockWorkers, Ints

if TYPE_CHECKING:
    from ..play.playable_game import PlayableGame

__all__ = [
    "DAMAGED_FILE_ERRORS",
    "Certificate",
    "certify",
    "check_certifiable",
    "find_certified_game",
    "find_shipped_row",
]

# By class of the problem: the prover that finds bounds layer by layer.
LAYER_PROVERS: dict[type, Any] = {CardPoints: CardPointsProver, CardWin: CardWinProver, TouchProblem: TouchProver}
QUESTION_KEYS = "game", "objective", "players", "parameters", "rules"  # of a header; its fingerprint is a hash of these
SMALLEST_OPTIONS = {"saved": 0}  # what the checker reads if these keys of a turn are left out
MAX_NUMBER_DIGITS = 8  # of a number in the header, with its sign; the checker refuses longer ones


class _Proof(NamedTuple):
    """Proved bounds, before they become a certificate.

    Attributes:
        states: (states, numbers) the names of the states.
        bounds: the certified bounds.
        values: (seats, states) the solved values, of the mover only for one or two players.
        rate: for the objective rate its lower and upper bound in units, else empty.
    """

    states: Ints
    bounds: CertifiedBounds
    values: Any
    rate: tuple[int, ...] = ()


def check_certifiable(problem: Problem[Any]) -> dict[str, Any]:
    """Return the rules of a problem as data, if it can be certified; no value of the problem is needed.

    Races and boards of three or more players are proved by walking all their turns. They are refused if these are far
    too many.

    Returns:
        The turn, the match and the truncation, as they stand in the header of a certificate.

    Raises:
        InputError: the problem cannot be certified; the message says why.
    """
    rules = _describe_checked(problem)
    if isinstance(problem, (PushMultiplayerWinProblem, UnlikeMultiplayerProblem)):
        state_count = problem.list_positions({}).count  # {}: no field of a position is fixed, so all are listed
        PlayedProver(problem, rules["cut"].get("level")).check_size(state_count)
    elif isinstance(problem, TouchProblem) and problem.players > 2:
        state_count = problem.array_specs()["after"].shape[0]  # the value table has an entry for each state
        PlayedProver(problem).check_size(state_count)
    return rules


def certify(
    solution: SolvedProblem, progress: ProgressCallback = lambda share: None, threads: int | None = None
) -> Certificate:
    """Prove bounds of all values of a solved problem, and return them as a certificate.

    Args:
        solution: the solved problem.
        progress: called with the share done.
        threads: the number of threads, all processors if None; it does not change the result.

    Raises:
        InputError: the problem cannot be certified; the message says why.
        SolveError: no bounds could be proved.
    """
    problem = solution.problem
    rules = _describe_checked(problem)
    proof = _prove(solution, rules, progress, threads)
    bits = proof.bounds.bits
    header = {
        **problem.playable.problem_key,
        "fingerprint": solution.fingerprint,
        "engine": ENGINE,
        "id": problem.playable.id_prefix,
        "begins": _start_name(problem),
        "bits": bits,
        "tie": f"{tie_units(problem.players, bits):x}",  # in units, as hexadecimal numbers, like the rate
        "rate": [f"{bound:x}" for bound in proof.rate],
        **rules,  # the turn, the match and the truncation
    }
    max_gap, max_error = _measure(proof)
    # A stored value is within its error bound of the true value of the stored policies, and that lies between the
    # proved bounds. A stored value that is further away from them shows that other policies were proved (H10).
    if problem.players > 2 and max_error > max_gap + solution.error_bound:
        raise SolveError("the proved policies are not the stored ones")
    return Certificate(header, proof.states, proof.bounds, max_gap, max_error)


def find_certified_game(path: str | os.PathLike[str]) -> PlayableGame[Any] | None:
    """Return the game that a certificate names, or None if its rules are not those of that game.

    The header has to state the same rules, start and tie as a certificate that this version would write. The bounds are
    not checked.

    Args:
        path: the certificate.

    Raises:
        InputError: the file cannot be read, or no game of that name can be certified.
    """
    try:
        with open_certificate(path) as (header, _):
            pass  # only the header is read
        question = {key: header[key] for key in QUESTION_KEYS}
        if header["fingerprint"] != fingerprint(question):
            return None  # before any rules of the file are parsed
        problem = problem_from_key(header)
        expected_fields = {
            **problem.playable.problem_key,
            **_describe_checked(problem),
            "begins": _start_name(problem),
            "tie": f"{tie_units(problem.players, header['bits']):x}",
        }
    except InputError as error:
        raise InputError(f"{os.fspath(path)} is for a game that this version cannot certify: {error}") from None
    except DAMAGED_FILE_ERRORS as error:
        raise _unreadable_file(path, error) from None
    playable: PlayableGame[Any] = problem.playable
    has_same_rules = all(header.get(key) == value for key, value in expected_fields.items())
    return playable if has_same_rules else None


def _unreadable_file(path: str | os.PathLike[str], error: Exception) -> InputError:
    """Return the error for a file that cannot be read as a certificate.

    Args:
        path: the file.
        error: one of ``DAMAGED_FILE_ERRORS``. If the system states it, the file cannot be read at all.
    """
    if isinstance(error, OSError) and error.errno:
        return InputError(f"cannot read {os.fspath(path)}: {error_reason(error)}")
    reason = (
        describe_other_kind(path, CERTIFICATE)
        or "is not a certificate or a value table, or it is damaged; create a certificate with"
        " keepwise certify GAME -o FILE"
    )
    return InputError(f"{os.fspath(path)} {reason}")


def find_shipped_row(playable: PlayableGame[Any]) -> dict[str, Any] | None:
    """Return the manifest row of a game's shipped value table, if that table has a certificate."""
    from .. import tables

    manifest = Path(tables.__path__[0]) / "manifest.json"
    rows = json.loads(manifest.read_bytes())
    problem_fingerprint = fingerprint(playable.problem_key)
    for row in rows:
        if row["fingerprint"] == problem_fingerprint and "certificate" in row:
            return dict(row)
    return None


def _describe_checked(problem: Problem[Any]) -> dict[str, Any]:
    """Return the rules of a problem as data, after all checks but those of the size of races and boards.

    Returns:
        The turn, the match and the truncation, as they stand in the header of a certificate.

    Raises:
        InputError: the rules cannot be certified.
    """
    if isinstance(problem, CappedPointsProblem):
        goal = argument("goal")
        raise InputError(
            f"the objective points with {goal} cannot be certified; leave {goal} out, or use the objective reach"
        )
    rules = describe_rules(problem)
    if isinstance(problem, CardProblem) and _layer_prover(problem) is None:
        PlayedProver(problem).check_size(len(problem.card.used_sets()))
    too_long = _find_too_long_number({**problem.playable.problem_key, **rules})
    if too_long:
        raise InputError(
            f"{problem.game.id}: numbers in a certificate have at most {MAX_NUMBER_DIGITS} digits, not {too_long}"
        )
    _check_turn_sizes(problem, rules["turn"])
    return rules


def _check_turn_sizes(problem: Problem[Any], turn: dict[str, Any]) -> None:
    """Raise InputError if keepwise-check would refuse a turn because it has too many rolls.

    The turns of games that are written in Python are of a kind that keepwise-check does not know at all.

    Args:
        problem: the problem, which the message names.
        turn: the turn as it stands in the header; with rules by seat, it holds a turn for each seat.
    """
    try:
        for turn_of_seat in turn.get("seats", [turn]):
            if turn_of_seat["kind"] in keepwise_check.TURNS:
                keepwise_check.check_turn_size({**SMALLEST_OPTIONS, **turn_of_seat})
    except keepwise_check.CannotJudgeError as error:
        raise InputError(
            f"{problem.game.id} cannot be certified, because keepwise-check could not check it: {error}"
        ) from None


def _find_too_long_number(header: dict[str, Any]) -> str | None:
    """Return the first whole number in a header with more digits than the checker allows; None if there is none.

    To list all numbers, the header is written and parsed: the parser calls ``parse_int`` with the text of each.
    """
    numbers: list[str] = []
    json.loads(json.dumps(header), parse_int=numbers.append)
    return next((number for number in numbers if len(number) > MAX_NUMBER_DIGITS), None)


def _layer_prover(problem: Problem[Any]) -> Any:
    """Return the prover class for a scorecard or board that is proved layer by layer; None for other problems."""
    # Saved rolls, and upper totals of several columns, are not part of the states that a layer prover knows.
    has_large_states = isinstance(problem, CardPoints) and (problem.card.saved_throws or len(problem.card.columns) > 1)
    if problem.players > 2 or has_large_states:
        return None
    for kind, prover in LAYER_PROVERS.items():
        if isinstance(problem, kind):
            return prover
    return None


def _prove(solution: SolvedProblem, rules: dict[str, Any], progress: ProgressCallback, threads: int | None) -> _Proof:
    """Prove the bounds of a solved problem by the prover for it.

    Args:
        solution: the solved problem.
        rules: its rules as data, with the truncation.
        progress: called with the share done.
        threads: the number of threads, all processors if None.
    """
    problem = solution.problem
    workers = BlockWorkers(threads or cpu_count())
    if is_proved_compiled(problem) and isinstance(problem, PushPointsProblem):
        return _prove_push_points(problem, solution)
    if isinstance(problem, PushTableProblem):
        return _prove_push_race(problem, solution, progress, workers)
    if isinstance(problem, UnlikeRaceProblem):
        return _prove_unlike_race(problem, solution, progress, workers)
    if isinstance(problem, ScarneyWin):
        return _prove_frames(problem, solution, progress, workers)
    value_table = solution.value_table_for(problem.playable.start(), threads)
    layer_prover = _layer_prover(problem)
    if layer_prover:
        states, bounds, values = layer_prover(problem, workers, progress).prove(value_table)
        return _Proof(states, bounds, _of_one_seat(values))
    # All other problems, also for points, are proved by walking their turns as people play them. In the walk a player
    # stops from the level on that the header states as the truncation; without one, every choice is followed.
    stopping_level = rules["cut"].get("level")
    states, bounds, values_by_seat = PlayedProver(problem, stopping_level, progress).prove(value_table)
    return _Proof(states, bounds, values_by_seat)


def _of_one_seat(values: Doubles) -> Doubles:
    """Return values (states,) of the mover as those of one seat: (1, states)."""
    by_seat: Doubles = values[None]
    return by_seat


def _prove_push_points(problem: PushPointsProblem, solution: SolvedProblem) -> _Proof:
    """Prove the bounds of one push-your-luck turn for points, or of its average in the long run."""
    crosscheck("the compiled turn", problem.playable, compare_push_turns(problem))
    prover = PushPointsProver(problem)
    values = solution.value_table.arrays[problem.objective].reshape(1, -1)
    bounds, rate = prover.prove(solution.value_table)
    return _Proof(np.array(prover.states), bounds, values, tuple(rate))


def _prove_push_race(
    problem: PushTableProblem, solution: SolvedProblem, progress: ProgressCallback, workers: BlockWorkers
) -> _Proof:
    """Prove the bounds of a push-your-luck race, of fewest turns or of ``reach``.

    First the compiled turn is compared with the game as it is played.

    Args:
        problem: the race.
        solution: the race with its value table.
        progress: called with the share done.
        workers: the threads that prove blocks of states.
    """
    crosscheck("the compiled turn", problem.playable, compare_push_turns(problem))
    equations = equations_to_prove(problem)
    values = problem.read(solution.value_table, np.arange(equations.state_count))  # (states,) solved for the mover
    bounds = TransitionProver(equations, values, progress, workers).prove()
    return _Proof(push_state_names(problem), bounds, _of_one_seat(values))


def _prove_unlike_race(
    problem: UnlikeRaceProblem, solution: SolvedProblem, progress: ProgressCallback, workers: BlockWorkers
) -> _Proof:
    """Prove the bounds of a push-your-luck race of two players with rules of their own.

    First the compiled turn of each player is compared with the game as it is played.

    Args:
        problem: the race.
        solution: the race with its value table.
        progress: called with the share done.
        workers: the threads that prove blocks of states.
    """
    for seat, seat_problem in enumerate(problem.seat_problems):  # the problem under the rules of each seat
        crosscheck("the compiled turn", problem.playable, compare_push_turns(seat_problem, seat))
    equations = UnlikeRaceEquations(problem.states)
    values = equations.read(solution.value_table)  # (states,) solved for the mover
    bounds = TransitionProver(equations, values, progress, workers).prove()
    return _Proof(equations.state_names(), bounds, _of_one_seat(values))


def _prove_frames(
    problem: ScarneyWin, solution: SolvedProblem, progress: ProgressCallback, workers: BlockWorkers
) -> _Proof:
    """Prove the bounds of a two-player match of Straight Scarney.

    First the compiled frame is compared with the game as it is played.

    Args:
        problem: the match.
        solution: the match with its value table.
        progress: called with the share done.
        workers: the threads that prove blocks of states.
    """
    crosscheck("the compiled frame", problem.playable, compare_frames(problem))
    equations = FrameEquations(problem)
    values = equations.read(solution.value_table)  # (states,) solved for the shooter
    bounds = TransitionProver(equations, values, progress, workers).prove()
    return _Proof(equations.state_names(), bounds, _of_one_seat(values))


def _measure(proof: _Proof) -> tuple[float, float]:
    """Return the largest gap, and the largest possible difference of a solved value from the true one.

    Both are in the unit of values, not in units of the certificate. The true value lies between the bounds L and U. So
    a solved value v differs from it by at most the larger of U - v and v - L. These are computed in whole units, with v
    rounded so that no difference becomes smaller.

    Args:
        proof: the bounds in units of 2 ** -bits, and the solved values (seats, states).
    """
    unit = 2.0**-proof.bounds.bits
    states = np.concatenate(proof.bounds.blocks)
    seats = len(proof.values)
    # Of ``scaled`` the first rows are the lower and the upper bound of seat 0, then those of seat 1, and so on.
    rows_of_bounds = proof.bounds.scaled[: 2 * seats, states]
    bounds = rows_of_bounds.reshape(seats, 2, -1)  # (seats, sides, states)
    if proof.rate:
        # The bounds are those of relative values, but the solved values contain the rate, so its bounds are added.
        bounds = bounds + np.array(proof.rate)[:, None]
    lower = bounds[:, 0]
    upper = bounds[:, 1]
    solved = np.ldexp(proof.values[:, states], proof.bounds.bits)
    solved_down = np.floor(solved).astype(np.int64)
    solved_up = np.ceil(solved).astype(np.int64)
    max_gap = float((upper - lower).max()) * unit
    max_error = float(max((upper - solved_down).max(), (solved_up - lower).max())) * unit
    return max_gap, max_error


def _start_name(problem: Problem[Any]) -> list[int]:
    """Return the name of the state in which the game begins; for the rate, of a player who has banked before.

    A name is a list of whole numbers. What they mean depends on the match: see docs/certificate-format.md.
    """
    if is_proved_compiled(problem) and isinstance(problem, PushPointsProblem):
        has_banked = int(isinstance(problem, PushRateProblem))
        no_busts = [0] if problem.rules.bust_costs else []  # busts in a row are counted if they cost points
        return [has_banked, *no_busts]
    if isinstance(problem, ScarneyWin):
        frame, shooter, lead = 1, 0, 0
        return [frame, shooter, lead]
    playable = problem.playable
    return [int(number) for number in state_namer(playable)(playable.start())]
