"""The problem of three or more players who race to a target, each maximizing its own chance to win.

``multiplayer_solver`` solves it; ``multiplayer_sweep`` explains the algorithm and the proof of the error bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.seats import MOST_SEATS
from ...games.pushluck import SPECIALS
from ...play.push import Play, PushPosition
from ...play.table import Choice
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.errors import InputError, SolveError
from ..anderson import HISTORY
from ..cost_estimates import CHECKPOINT_SECONDS, SolveCost
from ..model import Ints
from ..problem import ArraySpec, MixedAction, Progress, ValueTable, rotate_to_seats
from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE
from ..rounding_bounds import turn_rounding_bound
from ..turn_lanes import TurnLanes, join_lanes
from .last_round import LastRound, MultiplayerLastRound, Standing
from .lost_scores import MAX_CYCLING_LINES
from .model import RaceModel
from .multiplayer_kernel import has_kernel
from .multiplayer_solver import MultiplayerSolution, solve_multiplayer_race
from .multiplayer_sweep import CHOICES_PER_LINE_BESIDE, SECONDS_PER_CHOICE, choices_per_line, mean_gain
from .problem import PushProblem
from .states import MAX_LISTED_TARGET

if TYPE_CHECKING:
    from ..cluster import Cluster

MAX_MIXED_ACTIONS = 4096  # lines with one that a value table can store
MAX_CACHED_LAST_TURNS = 128  # tables of last turns kept for answers
STAGES = 24  # of either pass of a long solve, each stored in the checkpoint as it is done
MAX_CYCLING_BOUND = 1e-4  # error bound that is accepted if best responses may cycle through lost scores
REFERENCE_SLOWDOWN = 10.0  # time of the reference solver over that of the kernel
SWEEPS_WITH_LOSSES = 30  # about so many solves of all layers if scores can be lost, best responses included


class PushMultiplayerWinProblem(PushProblem):
    """The chance to win of every seat in a race of three or more players."""

    player_range = (3, MOST_SEATS)
    is_resumable = True

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        rules = self.states.rules
        if rules.take_over != "none" and rules.finish == "last_round":
            raise InputError(
                f"{self.game.id} with the objective win is solved for 2 players where turns are taken over and there is"
                f" a last round: players must be 2, not {self.players}"
            )
        self.states.refuse_dead_scores("a race from there could last for ever")
        self.model = RaceModel(self.states, self.players)
        # Workers know the kernel's turns only, and cannot be told what an earlier sweep has found.
        self.is_distributable = has_kernel(self.states) and not self.states.has_losses
        self._mixed: tuple[ValueTable, dict[int, MixedAction]] | None = None  # of the table that was read last

    # --- solving

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory from the number of lines and the points that a turn can bring."""
        states, model, turn = self.states, self.model, self.states.rules.turn
        is_listed, span = states.target <= MAX_LISTED_TARGET, states.target - states.lowest_score
        end = model.end_total if is_listed or states.rules.finish != "last_round" else 2 * states.target
        player_states, totals_past = (
            float(len(states) if is_listed else span * states.bust_count_limit),
            end - states.target + 1,
        )
        lines, rows = player_states**self.players, player_states ** (self.players - 1)
        gain = mean_gain(model) if is_listed else end - states.target / 2
        certain_stops = 2 * rows * (2 * (end + 2) + 8)
        layers = 8.0 * 4 * self.players * rows
        seconds = SECONDS_PER_CHOICE * lines * choices_per_line(states, gain, self.players)
        tables = 16.0 * self.players * lines * (1 + span * model.dice)
        if states.rules.finish == "last_round":
            tables += 8.0 * rows * totals_past * (self.players - 1)
            seconds += SECONDS_PER_CHOICE * rows / player_states * totals_past * end * turn.choice_count
        if not has_kernel(states):
            states_with_offers = lines * (1 + span * model.dice)
            seconds = REFERENCE_SLOWDOWN * (seconds + SECONDS_PER_CHOICE * CHOICES_PER_LINE_BESIDE * states_with_offers)
        if states.has_losses:
            seconds *= SWEEPS_WITH_LOSSES
            layers += 8.0 * 4 * HISTORY * self.players * rows
        return SolveCost(tables + certain_stops + layers, seconds / threads, tables)

    def solve(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Solve every line of states; a long solve stores its stages in the checkpoint.

        Returns:
            Arrays ``scores`` (states,) in points; ``win`` (states, .., states, seats), what every seat gets, by the
            players' states from the mover on; ``taken`` (points - 1, dice - 1, states, .., states, seats), the same
            with a takeover offer, if there are any; ``mixed`` (MAX_MIXED_ACTIONS, 4), lines with their ``MixedAction``,
            filled up with -1; ``regret`` (1,); and if scores can be lost ``circles`` (MAX_CYCLING_LINES,), the lines at
            which best responses cycle, filled up with -1. A player's state is a score, and the busts in a row if they
            count.

        Raises:
            SolveError: no useful error bound can be stated.
        """
        stages = STAGES if self.estimate_cost(1).seconds > CHECKPOINT_SECONDS else 1
        solution = solve_multiplayer_race(
            self.states,
            self.players,
            threads=threads,
            progress=progress,
            stages=stages,
            checkpoint=checkpoint if stages > 1 else None,
            cluster=cluster,
            zeros=checkpoint.new_table if checkpoint else np.zeros,
        )
        specs, win = self.array_specs(), np.asarray(solution.win)
        lines_and_offers = np.split(win, [self.model.lines])  # a game without offers has none of the latter
        tables = {name: part for name, part in zip(("win", "taken"), lines_and_offers, strict=True) if name in specs}
        bound, regret = self._bounds(solution, tables)
        if len(solution.mixed) > MAX_MIXED_ACTIONS:
            raise SolveError(f"best replies go round in circles at more than {MAX_MIXED_ACTIONS:,} positions")
        arrays = {"scores": self.scores, **{name: table.reshape(specs[name].shape) for name, table in tables.items()}}
        arrays |= {"mixed": _mixed_array(solution.mixed), "regret": np.array([regret])}
        if self.states.has_losses:
            padded = [*solution.cycling_lines, *[-1] * MAX_CYCLING_LINES][:MAX_CYCLING_LINES]
            arrays["circles"] = np.array(padded, dtype=np.float64)
        return ValueTable(arrays, bound)

    solve_with_checkpoint = solve

    def _bounds(self, solution: MultiplayerSolution, tables: Mapping[str, Doubles]) -> tuple[float, float]:
        """Return the error bound and the regret of a solution."""
        gain, rounding = max(0.0, solution.gain), turn_rounding_bound(self.model.turn, self.model.max_cap)
        parts = (rows for table in tables.values() for rows in np.array_split(table, self.model.count))
        excess = max(1.0, *(float(rows.sum(axis=-1).max()) for rows in parts)) - 1  # of the sum of shares, by rounding
        bound, regret = (self.players - 1) * gain + excess + rounding, self.players * gain + excess
        if bound > (MAX_CYCLING_BOUND if self.states.has_losses else MAX_ERROR_BOUND):
            cycling = solution.cycling_lines
            raise SolveError(self._cycling_message(cycling[0]) if len(cycling) else NO_BOUND_MESSAGE)
        return bound, regret

    def _cycling_message(self, line: int) -> str:
        """Return why there is no useful bound, if best responses cycle through lost scores."""
        numbers = np.unravel_index(line, (self.model.count,) * self.players)
        scores = ", ".join(str(score * self.states.rules.grain) for score in self.states.score[list(numbers)].tolist())
        return f"at the scores {scores} best replies go round in circles through lost scores, and no mixture is found"

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the specifications of the arrays that ``solve`` documents."""
        model, win = self.model, (self.model.count,) * self.players + (self.players,)
        specs = {
            "scores": ArraySpec.fixed(self.scores),
            "win": ArraySpec(win, seat_axis=-1),
            "mixed": ArraySpec((MAX_MIXED_ACTIONS, 4), -1, model.lines),
            "regret": ArraySpec((1,)),
        }
        if self.states.has_losses:
            specs["circles"] = ArraySpec((MAX_CYCLING_LINES,), -1, model.lines)
        if model.dice:
            specs["taken"] = ArraySpec((model.offers, model.dice, *win), seat_axis=-1)
        return specs

    # --- results beside values

    def extra_results(self, solved: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Return the regret and the number of mixed actions, and if scores can be lost where best responses cycle."""
        mixed = sum(0 < action.share < 1 for action in self._mixed_actions(solved).values())
        results: dict[str, Any] = {"regret": float(solved.arrays["regret"][0]), "mixed": mixed}
        if self.states.has_losses:
            places = solved.arrays["circles"]
            cycling_lines = places[places >= 0].astype(np.int64)
            numbers = np.column_stack(np.unravel_index(cycling_lines, (self.model.count,) * self.players))
            results["circles"] = (self.states.score * self.rules.grain)[numbers].tolist()
        return results

    def stopping_points(self, solved: ValueTable, start: PushPosition) -> int:
        """Return the points at which the table of a turn ends.

        These are the fewest that win or, with an exact finish, one more than the player may hold.
        """
        return self._cap(start) * self.rules.grain

    def max_stopping_points(self, solved: ValueTable) -> int:
        """Return the points at which the longest table of a turn ends, which starts from the lowest score."""
        return self.model.max_cap * self.rules.grain

    def turn_error_bound(self, solved: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns, whose tables may be longer in a last round."""
        if not self.model.last_round:
            return solved.error_bound
        longer = turn_rounding_bound(self.states.rules.turn, lanes.cap) + self.model.last_round_error(self._last_total)
        return solved.error_bound + longer

    def seat_shares(self, values: Doubles) -> Doubles:
        """Return all channels but the one that decides."""
        return values[1:]

    # --- mixed actions

    def _mixed_actions(self, solved: ValueTable) -> dict[int, MixedAction]:
        """Return the mixed actions of a value table, by line."""
        if self._mixed is None or self._mixed[0] is not solved:
            self._mixed = solved, stored_mixed_actions(solved)
        return self._mixed[1]

    def mixed_action(self, solved: ValueTable, position: PushPosition) -> MixedAction | None:
        """Return the mixed action of the turn that contains a position; None if the values imply the turn."""
        start = self.playable.begun(position)
        return None if self._is_last(start) else self._mixed_actions(solved).get(int(self.number(start)))

    def with_drawn_actions(self, solved: ValueTable, second: bool) -> ValueTable:
        """Return the same values, with every mixed action replaced by its second or its first turn."""
        mixed = solved.arrays["mixed"].copy()
        mixed[(mixed[:, 1] > 0) & (mixed[:, 1] < 1), 1] = float(second)
        return ValueTable({**solved.arrays, "mixed": mixed}, solved.error_bound)

    def decision_values(
        self, solved: ValueTable, position: PushPosition, leads: Sequence[PushPosition | Choice[PushPosition]]
    ) -> Doubles:
        """Return the values by which choices in a drawn turn are made: those for the turn's stored zero value."""
        start, turn_points = self.playable.begun(position), max(self._turn_points(lead) for lead in leads)
        return self._continuation_payoffs(self.lanes(solved, [start], turn_points), leads)[0, :, 0]

    # --- positions and states

    def number(self, position: PushPosition) -> Ints:
        """Return the line of a position."""
        return np.array(self.model.line_number(self._state_numbers(position)))

    def _state_numbers(self, position: PushPosition) -> list[int]:
        """Return the players' states from the mover on."""
        seats = [(position.seat + distance) % self.players for distance in range(self.players)]
        busts = position.busts or (0,) * self.players
        return [self.states.number(position.scores[seat], busts[seat]) for seat in seats]

    def _scores_from_mover(self, position: PushPosition) -> list[int]:
        """Return the scores from the mover on, in units."""
        return [score // self.rules.grain for score in (position.score, *position.opponents)]

    def start_values(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Return what every seat gets where a turn begins."""
        state = self.number(position)
        if position.offered:
            points, dice = position.offered
            state = self.model.offer_states(state, np.array(points // self.rules.grain), dice)
        return rotate_to_seats(position.seat, self._read_values(solved, state).tolist())

    def _read_values(self, solved: ValueTable, states: Ints) -> Doubles:
        """Return what the seats get in states, from the mover on: (.., seats)."""
        lines = self.model.lines
        values: Doubles = solved.arrays["win"].reshape(-1, self.players)[states % lines]
        if self.model.dice:
            with_offers = solved.arrays["taken"].reshape(-1, self.players)[np.maximum(states - lines, 0)]
            values = np.where((states >= lines)[..., None], with_offers, values)
        return values

    # --- turns and what their endings pay

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions: the channel that decides, then the seats from the mover on.

        A mixed action is two lanes with their probabilities.
        """
        lanes, begins, shares = list[TurnLanes](), list[int](), list[float]()
        for start in starts:
            begins.append(len(lanes))
            action = self.mixed_action(solved, start)
            zero_values: tuple[float | None, ...] = (None,)
            if action:
                zero_values = action.lower_zero_value, action.upper_zero_value
            lanes += self._turn_lanes(solved, start, zero_values, held)
            shares += [1 - action.share, action.share] if action else [1.0]
        return join_lanes(lanes)._replace(first_lanes=begins, shares=np.array(shares))

    def _turn_lanes(
        self, solved: ValueTable, start: PushPosition, zero_values: Sequence[float | None], held: int
    ) -> list[TurnLanes]:
        """Return a turn once for each zero value by which it is decided; None is the one in the table."""
        cap = self._cap(start, held)
        is_last = self._is_last(start)
        shares, is_zero = self._last_turn_shares(start, cap) if is_last else self._shares(solved, start, cap)
        lanes = []
        for zero_value in zero_values:
            payoff = np.ascontiguousarray(np.concatenate([shares[:1], shares])[:, :, None])
            if zero_value is not None:
                payoff[0, is_zero] = zero_value
            lanes.append(self.model.make_lanes(payoff, np.array([cap], dtype=np.int32)))
        return lanes

    def _cap(self, start: PushPosition, held: int = 0) -> int:
        """Return the turn points at which the table of a turn ends that has come to ``held``, in units.

        In a last round it ends so far beyond the highest total that hardly any turn gets there.
        """
        score, *opponents = self._scores_from_mover(start)
        highest = max(score + held, *opponents)
        if self.model.last_round is None or highest < self.states.target:
            return int(self.model.caps_by_score[score - self.states.lowest_score])
        return highest + self.model.last_round.max_added_points - score

    @property
    def _last_total(self) -> int:
        """The total that hardly any last turn reaches."""
        last = self.model.last_round
        return self.states.target + (last.max_added_points if last else 0)

    def _shares(self, solved: ValueTable, start: PushPosition, cap: int) -> tuple[Doubles, NDArray[np.bool_]]:
        """Return what endings pay the seats from the mover on, and which of them are zero turns.

        Shapes are (seats, endings) and (endings,). Banks go up to the cap.
        """
        score, _, *later_opponents = self._scores_from_mover(start)
        model, line, past = self.model, self.number(start)[None], None
        if model.last_round:
            end = model.end_total if cap == model.caps_by_score[score - self.states.lowest_score] else self._last_total
            past = _past_table(model.last_round, tuple(later_opponents), end)
        transitions = model.transitions(line, cap)
        past_row = np.array(self._state_numbers(start)[1:2])
        shares = model.seat_payoffs(partial(self._read_values, solved), line, transitions, past, past_row)
        return shares[:, :, 0], transitions.state[:, 0] == model.after_zero_turn(line)

    def _last_turn_shares(self, start: PushPosition, cap: int) -> tuple[Doubles, NDArray[np.bool_]]:
        """Return the shares of a last turn, which follows once an opponent has reached the target.

        A lost score counts as a bust, and no ending is a zero turn.
        """
        last = self.model.last_round
        assert last is not None
        score, *opponents = self._scores_from_mover(start)
        best_total = max(opponents)
        # The opponents before the first one with the target still have a turn; those from there on have had theirs.
        finished = next(place for place, total in enumerate(opponents) if total >= self.states.target)
        is_leader, leaders = np.array(opponents[finished:]) == best_total, opponents.count(best_total)
        turns = MultiplayerLastRound(last, self.players, self._last_total)
        tables = _tables_after(last, self.players, tuple(opponents[:finished]), turns.end)
        row, min_bank = np.zeros(1, dtype=np.int64), last.min_bank(score)
        banks, leader_shares = turns.bank_shares(score, min_bank, cap, Standing(tables, leaders, row, row + best_total))
        bank_shares = np.concatenate([banks[:, :, 0], np.outer(is_leader, leader_shares[:, 0])])
        bust, won = bank_shares[:, :1], np.eye(self.players)[:, :1]
        return np.hstack([bust, won, bust, bank_shares]), np.zeros(SPECIALS + cap + 1, dtype=bool)


@lru_cache(maxsize=MAX_CACHED_LAST_TURNS)
def _past_table(last: LastRound, later_scores: tuple[int, ...], end: int) -> Doubles:
    """Return what follows totals from the target up to ``end``, if the later opponents have these scores.

    Its shape is (states, totals, seats - 1), by the state of the next player.
    """
    seats = len(later_scores) + 2
    (past,) = MultiplayerLastRound(last, seats, end).with_earlier_mover(
        last.states.score, _tables_after(last, seats, later_scores, end)
    )
    return past


@lru_cache(maxsize=MAX_CACHED_LAST_TURNS)
def _tables_after(last: LastRound, seats: int, scores: tuple[int, ...], end: int) -> list[Doubles]:
    """Return what players with these scores get who have a last turn each (see ``MultiplayerLastRound``)."""
    turns = MultiplayerLastRound(last, seats, end)
    if not scores:
        return turns.empty_tables()
    return turns.with_earlier_mover(np.array(scores[:1]), _tables_after(last, seats, scores[1:], end))


def _mixed_array(actions: Mapping[int, MixedAction]) -> Doubles:
    """Return the array ``mixed`` of a value table: a line and its mixed action in each row, filled up with -1."""
    array = np.full((MAX_MIXED_ACTIONS, 4), -1.0)
    rows = [(line, *action) for line, action in sorted(actions.items())]
    array[: len(rows)] = np.reshape(rows, (-1, 4))
    return array


def stored_mixed_actions(solved: ValueTable) -> dict[int, MixedAction]:
    """Return the mixed actions of a value table, by line; among them pure turns that the values alone do not imply."""
    array = solved.arrays.get("mixed", np.empty((0, 4)))
    return {int(line): MixedAction(*action) for line, *action in array[array[:, 0] >= 0].tolist()}
