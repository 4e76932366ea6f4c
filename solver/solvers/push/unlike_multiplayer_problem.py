"""Races of three or more players who have rules of their own: dice, opening, minimum, target or head start.

``unlike_multiplayer`` has the equations, which are those of players who are alike with a table for each seat. The same
sweeps solve them (``multiplayer_sweep``).

Start reading at ``UnlikeMultiplayerProblem.solve``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.seats import MOST_SEATS
from ...play.playable_game import Choice
from ...play.push import PushPosition
from ...play.unlike_seats import SeatGame, UnlikeSeatsGame
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.errors import InputError, SolveError
from ...util.progress_reporting import ProgressCallback
from ..cluster import Cluster
from ..model import Ints
from ..problem import ArraySpec, MixedAction, ValueTable
from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import CHECKPOINT_SECONDS, SolveCost
from .multiplayer_costs import SECONDS_PER_CHOICE, choices_per_line
from .multiplayer_solver import bound_solution, solve_race
from .multiplayer_turns import MAX_MIXED_ACTIONS, MultiplayerTurnProblem, mixed_array, stored_mixed_actions
from .unlike_multiplayer import SeatRaceModel, UnlikeMultiplayerRace, UnlikeRaceModel
from .unlike_seats_problem import UnlikeSeatsProblem, list_seat_states

STAGES = 24  # of either pass of a long solve, each stored in the checkpoint as it is done
VALUE_BYTES = 8  # of one double
VALUE_TABLES = 2  # the value table, and the bounds of best responses
CERTAIN_STOP_TABLES = 2  # one for each of these
MODE_SET_BYTES = 8  # of a mode and total in certain stops, for turns of many modes


class MultiplayerSeatProblem(MultiplayerTurnProblem):
    """The turns of one seat in a race of three or more players with rules of their own; it is not solved by itself.

    Attributes:
        seat: the number of the seat.
        states: the states of this seat.
        model: the equations of the turns of this seat.
        states_by_seat: the states of all seats.
    """

    model: SeatRaceModel

    def __init__(self, playable: SeatGame, race: UnlikeRaceModel, seat: int) -> None:
        """Take the rules and the states of one seat.

        Args:
            playable: the game as this seat plays it.
            race: the equations of the race.
            seat: the number of the seat.
        """
        super().__init__(playable)
        self.seat = seat
        self.states = race.states[seat]
        self.states_by_seat = race.states
        self.model = race.seat_models[seat]

    def _is_last(self, position: PushPosition) -> bool:
        """Return False, because these races have no last round."""
        return False

    def _read_values(self, value_table: ValueTable, states: Ints) -> Doubles:
        """Return the seats' chances to win in lines, from the mover on: (shape of ``states``, seats).

        Args:
            value_table: the value table, with an array for each seat to move.
            states: the numbers of lines, an array of any shape.
        """
        race = self.model.race
        values = np.empty((*states.shape, self.players))
        movers = race.movers(states)
        for seat in np.unique(movers).tolist():
            is_mover = movers == seat
            values_of_lines = value_table.arrays[f"win{seat + 1}"].reshape(-1, self.players)  # users count from 1
            values[is_mover] = values_of_lines[states[is_mover] - race.first_line(seat)]
        return values

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Raise NotImplementedError, because only all seats together are solved."""
        raise NotImplementedError

    def array_specs(self) -> dict[str, ArraySpec]:
        """Raise NotImplementedError, because only all seats together have a value table."""
        raise NotImplementedError


class UnlikeMultiplayerProblem(UnlikeSeatsProblem):
    """The chance to win of every seat in a race of three or more players with rules of their own.

    Attributes:
        playable: the game as it is played, with the rules of each seat.
        states: by seat, the states of its player.
        model: the equations of the race.
        seat_problems: by seat, the turns of that seat.
    """

    player_range = (3, MOST_SEATS)
    is_resumable = True
    seat_problems: tuple[MultiplayerSeatProblem, ...]

    def __init__(self, playable: UnlikeSeatsGame) -> None:
        """Derive the states of all seats from their rules.

        Args:
            playable: the game as it is played, with the rules of each seat.

        Raises:
            InputError: the rules have a last round, the turns of a seat are not monotone, or its target cannot be
                reached from some of its scores.
        """
        super().__init__(playable)
        if playable.rules.finish == "last_round":
            raise InputError(
                f"with finish=last_round, rules by seat other than head_start require 2 players, not {playable.players}"
            )
        self.states = list_seat_states(playable)
        self.model = UnlikeRaceModel(self.states)
        self.seat_problems = tuple(
            MultiplayerSeatProblem(game, self.model, seat) for seat, game in enumerate(playable.seat_games)
        )

    # --- solving

    def solve(
        self,
        threads: int,
        progress: ProgressCallback,
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
    ) -> ValueTable:
        """Compute every seat's chance to win in all lines; a long solve stores its stages in the checkpoint.

        Args:
            threads: the number of threads.
            progress: called with the fraction that is done.
            checkpoint: finished stages are read from it.
            cluster: None, because these races are solved in one process.

        Returns:
            A value table with these arrays. Seats are counted from 1 here, as users count them.

            - ``scores1``, ``scores2``, ...: the scores of each seat in points;
            - ``win1``, ``win2``, ...: for each seat to move (own states, next seat's states, .., seats), every seat's
              chance to win, from the mover on;
            - ``mixed`` (MAX_MIXED_ACTIONS, 4): lines with their ``MixedAction``, filled up with -1. ``UnlikeRaceModel``
              has the numbers of the lines;
            - ``regret`` (1,): the most that a seat can gain by leaving the stored policies.

        Raises:
            SolveError: no useful error bound can be stated, or no equilibrium is found.
        """
        is_long = self.estimate_cost(1).seconds > CHECKPOINT_SECONDS  # a short solve stores no stages
        solution = solve_race(
            UnlikeMultiplayerRace(self.states),
            threads=threads,
            progress=progress,
            stages=STAGES if is_long else 1,
            checkpoint=checkpoint if is_long else None,
            zeros=checkpoint.new_table if checkpoint else np.zeros,
        )
        # The error bound is also stated for values inside a turn, which is solved once more with these payoffs.
        rounding_inside = max(turn_rounding_bound(own.turn, int(own.caps.max())) for own in self.states)
        bounds = bound_solution(solution.gain, [solution.win], rounding_inside)
        if bounds.error_bound > MAX_ERROR_BOUND:
            raise SolveError(NO_BOUND_MESSAGE)
        if len(solution.mixed) > MAX_MIXED_ACTIONS:
            raise SolveError(
                f"best responses cycle in more than {MAX_MIXED_ACTIONS:,} positions, so no equilibrium can be stored"
            )
        arrays: dict[str, NDArray[Any]] = {}
        win_by_mover = np.asarray(solution.win).reshape(self.players, -1, self.players)  # (movers, lines, seats)
        for seat, scores in enumerate(self._scores_by_seat()):
            arrays[f"scores{seat + 1}"] = scores
            arrays[f"win{seat + 1}"] = win_by_mover[seat].reshape(self._win_shape(seat))
        arrays["mixed"] = mixed_array(solution.mixed)
        arrays["regret"] = np.array([bounds.regret])
        return ValueTable(arrays, bounds.error_bound)

    solve_with_checkpoint = solve

    def _win_shape(self, seat: int) -> tuple[int, ...]:
        """Return the shape of the array of chances with one seat to move."""
        return (*self.model.shape_of_mover(seat), self.players)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the arrays of a value table; ``solve`` says what they hold."""
        specs = dict[str, ArraySpec]()
        for seat, scores in enumerate(self._scores_by_seat()):
            specs[f"scores{seat + 1}"] = ArraySpec.fixed(scores)
            specs[f"win{seat + 1}"] = ArraySpec(self._win_shape(seat), seat_axis=-1)
        mixed_columns = (
            4  # a line, the probability of its upper turn, and the zero values for which its two turns are best
        )
        specs["mixed"] = ArraySpec((MAX_MIXED_ACTIONS, mixed_columns), lower=-1, upper=self.model.lines)
        specs["regret"] = ArraySpec((1,))
        return specs

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory of a solve: of a turn of each seat for each combination of states.

        Args:
            threads: the number of threads that share the work.
        """
        lines_per_mover = float(self.model.lines_per_mover)
        choices, stop_bytes = 0.0, 0.0
        for own in self.states:
            choices += choices_per_line(own, float(own.caps_by_score.mean()), self.players)
            rows = lines_per_mover / len(own)
            stop_bytes += CERTAIN_STOP_TABLES * rows * (MODE_SET_BYTES * (own.target + 2) + VALUE_BYTES)
        table_bytes = VALUE_TABLES * VALUE_BYTES * self.players * self.model.lines
        layer_bytes = 2 * VALUE_BYTES * lines_per_mover  # the numbers of the cycles, sorted by total
        return SolveCost(
            bytes=table_bytes + stop_bytes + layer_bytes,
            seconds=SECONDS_PER_CHOICE * lines_per_mover * choices / threads,
            table_bytes=table_bytes,
        )

    # --- results beside values, and mixed actions

    def extra_results(self, value_table: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Return what is reported besides values, by its JSON key: ``regret`` and, as ``mixed``, their number.

        Args:
            value_table: the value table.
            position: not needed; the results are the same for all positions.
        """
        is_mixed = [action.is_mixed for action in stored_mixed_actions(value_table).values()]
        return {"regret": float(value_table.arrays["regret"][0]), "mixed": sum(is_mixed)}

    def mixed_action(self, value_table: ValueTable, position: PushPosition) -> MixedAction | None:
        """Return the mixed action of the turn that contains a position; None if the values imply the turn."""
        return self.seat_problems[position.seat].mixed_action(value_table, position)

    def with_pure_actions(self, value_table: ValueTable, upper: bool) -> ValueTable:
        """Return the table with every mixed action replaced by one of its two turns, for answers about that turn.

        Args:
            value_table: the value table.
            upper: True for the upper turn of every mixed action, False for the lower one.
        """
        return self.seat_problems[0].with_pure_actions(value_table, upper)  # lines are numbered alike for all seats

    def decision_values(
        self,
        value_table: ValueTable,
        position: PushPosition,
        continuations: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Return the values by which choices in a turn are made, after mixed actions have been drawn.

        Args:
            value_table: a table of ``with_pure_actions``, in which no turn is a mixture any more.
            position: a position of the turn.
            continuations: where the choices lead: a roll, as the position before it, or an ending, as the choice made.

        Returns:
            (continuations,) values.
        """
        return self.seat_problems[position.seat].decision_values(value_table, position, continuations)
