"""Play many games in lockstep: in every step each game rolls once, then all decisions up to the next roll are made.

Roll k of game g is decided by number g of the random block (seed, k), and by nothing else. So a seed gives the same
games on every machine, and the same dice to other policies, for any number of games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..solvers import Problem
from ..solving.solved_problem import SolvedProblem
from ..util.errors import InputError, SolveError, TooMuchError, argument
from ..util.progress_reporting import ProgressCallback
from .choice_losses import DecisionBatch
from .seats import SimulatedPlayer
from .turns import DECISION_NODE, END_NODE, Floats, Ints, TurnArrays

GENERATOR = "NumPy Philox"  # name of the random generator in outputs
BATCH_GAMES = 1 << 15  # games that share their random blocks
FIRST_PART_GAMES = 1 << 6  # games of the first part; parts double, so that progress is reported early
MAX_LIVE_NUMBERS = 1 << 24  # numbers in the cells of all turns that are played at once
MAX_STORED_NUMBERS = 1 << 26  # numbers stored for turns; beyond that, turns that no game is in are dropped
MAX_LOSS_TABLE_SIZE = 1 << 16  # decisions times choices of one batch, so that its arrays stay in the cache
MAX_ROLLS_PER_GAME = 10_000  # rolls of one game
DICE_STREAM, MISTAKE_STREAM, MIXED_ACTION_STREAM = 0, 1, 2  # uses of random blocks


@dataclass
class Games:
    """Results of simulated games, as arrays (games, seats).

    Attributes:
        outcome: what each seat got.
        luck: sum over all rolls of the change of a seat's value.
        errors: total loss of a seat's own decisions.
        others: sum of the changes of a seat's value by errors of the other seats.
        decisions: decisions with at least two choices.
        turns: turns played.
    """

    outcome: Floats
    luck: Floats
    errors: Floats
    others: Floats
    decisions: Ints
    turns: Ints

    @classmethod
    def zeros(cls, games: int, seats: int) -> Games:
        """Return results of games that have not been played yet."""
        outcome, luck, errors, opponent_errors = np.zeros((4, games, seats))
        decisions, turns = np.zeros((2, games, seats), dtype=np.int64)
        return cls(outcome, luck, errors, opponent_errors, decisions, turns)


def random_block(seed: int, stream: int, batch: int, step: int, substep: int) -> Floats:
    """Return random numbers from 0 to below 1, of 53 bits each, one for every game of a batch.

    Args:
        seed: the seed of all games.
        stream: what the numbers are used for.
        batch: number of the batch of games.
        step: number of the roll within the games.
        substep: number of the decision after this roll.
    """
    generator = np.random.Philox(
        key=np.array([seed, stream], np.uint64), counter=np.array([0, batch, step, substep], np.uint64)
    )
    raw: NDArray[np.uint64] = generator.random_raw(BATCH_GAMES)
    return np.asarray((raw >> np.uint64(11)) * 2.0**-53)


def check_whole_games(problem: Problem[Any]) -> None:
    """Raise InputError if games of this problem cannot be played to their ends, because it has no whole table."""
    if problem.solves_on_demand and not problem.array_specs():
        subject = f"{problem.game.id} with the objective {problem.objective}"
        hint = ""
        if problem.objective == "beat":
            hint = "; keepwise play --objective beat plays one game"
        elif problem.objective != "points" and "points" in problem.game.objectives:
            hint = f"; use {argument('objective')} points"
        raise InputError(
            f"whole games of {subject} cannot be played, because it is solved one position at a time{hint}"
        )


def require_whole_table(solved: SolvedProblem) -> None:
    """Raise InputError or TooMuchError if the table of a solved problem holds no whole games."""
    problem = solved.problem
    check_whole_games(problem)
    if problem.solves_on_demand and not problem.array_specs().keys() <= solved.value_table.arrays.keys():
        task = f"a whole game of {problem.game.title} requires its whole table"
        cost = problem.estimate_cost(1)
        raise TooMuchError(
            task, needs_whole_table=True, can_override=cost.is_too_much, is_out_of_reach=cost.is_out_of_reach
        )


class LockstepGames:
    """Games of a solved problem between fixed players.

    Games of one batch are played together. How far a game has come is the start of its turn and its node in ``turns``.
    """

    def __init__(self, solved: SolvedProblem, seats: Sequence[SimulatedPlayer], seed: int) -> None:
        """Prepare the arrays of turns; nothing is played yet.

        Args:
            solved: the solved problem, with its whole value table.
            seats: a player for each seat.
            seed: the seed of all random numbers.
        """
        require_whole_table(solved)
        self.problem = solved.problem
        self.solved = solved
        self.players = seats
        self.seed = seed
        self.counts_turns = self.problem.objective == "turns"
        self.turns = TurnArrays(solved)

    def play(self, count: int, progress: ProgressCallback = lambda share: None, begin: int = 0) -> Games:
        """Play games to their ends and return their results.

        Args:
            count: number of games.
            progress: called with the share of the games that have been played.
            begin: number of the first game.
        """
        results = Games.zeros(count, self.turns.seats)
        first = 0
        size = FIRST_PART_GAMES
        while first < count:
            left_in_batch = BATCH_GAMES - (begin + first) % BATCH_GAMES
            end = min(count, first + size, first + left_in_batch)
            self._play_part(results, first, end, begin)
            first = end
            # Every game may be in a turn of its own, so the cells of a turn limit how many games are played at once.
            size = max(
                1, min(2 * size, BATCH_GAMES, MAX_LIVE_NUMBERS // (self.turns.max_cells_per_start * self.turns.seats))
            )
            progress(first / count)
        return results

    def _play_part(self, results: Games, first: int, end: int, begin: int) -> None:
        """Play some games of one batch side by side to their ends, and write their results.

        Args:
            results: the results of all games; rows ``first`` to ``end - 1`` are written.
            first: the first game, as a row of ``results``.
            end: the row after the last game.
            begin: the number of the game of row 0, on which its random numbers depend.
        """
        self.games = Games(*(getattr(results, field.name)[first:end] for field in fields(Games)))
        self.batch, self.offset = divmod(begin + first, BATCH_GAMES)
        size = end - first
        opening = self.turns.start_number(self.problem.playable.start())
        live = np.arange(size)
        self.step = 0
        self.substep = 0
        self.start = self._with_drawn_actions(live, np.full(size, opening), 0)
        self.node = np.full(size, self.turns.root.entries[opening])
        self.is_over = np.zeros(size, dtype=bool)
        deciding = live[self.turns.kind.entries[self.node] == DECISION_NODE]
        while len(deciding):
            deciding = self._decide(deciding, None)
            self.substep += 1
        live = live[~self.is_over]
        while len(live):
            live = self._roll(live)
            if self.step > MAX_ROLLS_PER_GAME and len(live):
                raise SolveError(
                    f"a game is not over after {MAX_ROLLS_PER_GAME:,} rolls; with these policies it may never end"
                )
            if self.turns.stored_numbers > MAX_STORED_NUMBERS:
                self._drop_unused_turns(live)

    def _drop_unused_turns(self, live: Ints) -> None:
        """Free memory: replace ``turns`` by new arrays that hold only the positions of live games."""
        old = self.turns
        self.turns = TurnArrays(self.solved)
        pairs, pair_of_game = np.unique(np.stack([self.start[live], self.node[live]]), axis=1, return_inverse=True)
        entered = [
            self.turns.enter(
                old.starts[start],
                old.playable.move_to_turn(old.positions[node], old.starts[start]),
                int(old.is_second.entries[start]),
            )
            for start, node in pairs.T.tolist()
        ]
        new_pairs = np.array(entered, dtype=np.int64).reshape(-1, 2)
        self.start[live], self.node[live] = new_pairs[pair_of_game.ravel()].T

    def _draws(self, stream: int, substep: int) -> Floats:
        """Return the random numbers of the games that are played now, for the current roll: (games,).

        Args:
            stream: what the numbers are used for, such as DICE_STREAM.
            substep: the number of the decision after this roll.
        """
        numbers = random_block(self.seed, stream, self.batch, self.step, substep)
        return numbers[self.offset : self.offset + len(self.games.turns)]

    def _with_drawn_actions(self, games: Ints, starts: Ints, substep: int) -> Ints:
        """Draw the mixed actions of games in which a turn begins, and return the starts of the turns that are played.

        The start of the second turn of a mixed action has the number after that of the first.

        Args:
            games: the games.
            starts: by game, the start of the turn; of the first turn if the mover plays a mixed action.
            substep: the number of the decision after the last roll, which selects the random numbers.
        """
        probabilities = self.turns.second_probability.entries[starts]
        if not probabilities.any():
            return starts
        return starts + (self._draws(MIXED_ACTION_STREAM, substep)[games] < probabilities)

    def _roll(self, live: Ints) -> Ints:
        """Roll once in every game and make the decisions up to the next roll; return the games that go on."""
        turns = self.turns
        value_before = self._values(live)
        self.node[live] = turns.roll(self.node[live], self._draws(DICE_STREAM, 0)[live])
        self.step += 1
        self.substep = 0
        has_decision = turns.kind.entries[self.node[live]] == DECISION_NODE
        deciding = np.empty(0, dtype=np.int64)
        if has_decision.any():
            deciding = self._decide(live[has_decision], value_before[has_decision])
        if not has_decision.all():
            deciding_next_turn = self._after_roll_without_decision(live[~has_decision], value_before[~has_decision])
            deciding = np.union1d(deciding, deciding_next_turn)
        while len(deciding):
            self.substep += 1
            deciding = self._decide(deciding, None)
        return live[~self.is_over[live]]

    def _values(self, games: Ints) -> Floats:
        """Return the values of all seats at the current nodes of some games: (games, seats)."""
        turns = self.turns
        starts = self.start[games]
        cells = turns.first_cell.entries[starts] + turns.place.entries[self.node[games]]
        turns.fill_values(starts, cells)
        values: Floats = turns.values.entries[cells]
        return values

    def _after_roll_without_decision(self, games: Ints, value_before: Floats) -> Ints:
        """Record the luck of rolls that lead to no decision, and end turns that they end.

        Args:
            games: the games that rolled.
            value_before: values before the roll, by game and seat.

        Returns:
            The games whose next turn begins with a decision.
        """
        turns = self.turns
        self.games.luck[games] += turns.sign * (self._values(games) - value_before)
        ended_games = games[turns.kind.entries[self.node[games]] == END_NODE]
        starts = self.start[ended_games]
        self.games.turns[ended_games, turns.mover.entries[starts]] += 1
        self._end_turns(
            ended_games, starts, turns.first_cell.entries[starts] + turns.place.entries[self.node[ended_games]]
        )
        return self._still_deciding(ended_games)

    def _still_deciding(self, games: Ints) -> Ints:
        """Return those of some games that are not over and are at a decision node."""
        live = games[~self.is_over[games]]
        deciding: Ints = live[self.turns.kind.entries[self.node[live]] == DECISION_NODE]
        return deciding

    def _decide(self, games: Ints, value_before: Floats | None) -> Ints:
        """Make one decision in each of these games.

        Args:
            games: games in a decision node.
            value_before: values before the roll that led here, by game and seat; None if no roll led here.

        Returns:
            The games in which another decision follows at once.
        """
        turns = self.turns
        turns.expand_decisions(self.node[games])
        counts = turns.branch_count.entries[self.node[games]]
        mistake_draws = None
        if any(seat.draws for seat in self.players):
            mistake_draws = self._draws(MISTAKE_STREAM, self.substep)
        # A batch is a table of decisions by choices. Sorted by the number of choices, at least half of it is used.
        order = np.argsort(counts.astype(np.int16), kind="stable")
        deciding = []
        first = 0
        while first < len(games):
            fewest_choices = int(counts[order[first]])
            within_twice = np.searchsorted(counts[order], 2 * fewest_choices, side="right")
            size = max(1, MAX_LOSS_TABLE_SIZE // (2 * fewest_choices))
            rows = order[first : min(within_twice, first + size)]
            values = None if value_before is None else value_before[rows]
            deciding.append(self._decide_batch(games[rows], values, mistake_draws))
            first += len(rows)
        return np.sort(np.concatenate(deciding))

    def _decide_batch(self, games: Ints, value_before: Floats | None, mistake_draws: Floats | None) -> Ints:
        """Make one decision in each of some games, and record luck, errors and the ends of turns.

        Args:
            games: games at a decision node.
            value_before: (games, seats) values before the roll that led here; None if no roll led here.
            mistake_draws: random numbers of all games that are played now; None if no player needs them.

        Returns:
            The games in which another decision follows at once.
        """
        turns, results = self.turns, self.games
        batch = DecisionBatch(turns, self.start[games], self.node[games])
        rows = np.arange(len(games))
        best_values = turns.values.entries.take(batch.cells[rows, batch.best], axis=0)
        if value_before is not None:
            results.luck[games] += turns.sign * (best_values - value_before)
        choice_numbers = self._choose(batch, None if mistake_draws is None else mistake_draws[games])
        cells = batch.cells[rows, choice_numbers]
        self._record_errors(batch, games, choice_numbers, best_values)
        results.decisions[games, batch.mover] += batch.choice_count > 1
        next_nodes = turns.choice_node.entries[turns.first_branch.entries[batch.nodes] + choice_numbers]
        goes_on = next_nodes >= 0
        self.node[games[goes_on]] = next_nodes[goes_on]
        ended_rows = np.flatnonzero(~goes_on)
        if len(ended_rows):
            results.turns[games[ended_rows], batch.mover[ended_rows]] += 1
            self._end_turns(games[ended_rows], batch.starts[ended_rows], cells[ended_rows])
        return self._still_deciding(games)

    def _choose(self, batch: DecisionBatch, mistake_draws: Floats | None) -> Ints:
        """Return the number of the choice that the mover makes in each decision: (decisions,).

        Only players who do not always make the best choice are asked, and only where there is more than one choice.

        Args:
            batch: the decisions.
            mistake_draws: (decisions,) random numbers from 0 to below 1; None if no player needs them.
        """
        choice_numbers: Ints = batch.best.copy()
        for number, seat in enumerate(self.players):
            rows = np.flatnonzero((batch.mover == number) & (batch.choice_count > 1))
            if len(rows) and not seat.plays_best:
                choice_numbers[rows] = seat.choose(batch, rows, None if mistake_draws is None else mistake_draws[rows])
        return choice_numbers

    def _record_errors(self, batch: DecisionBatch, games: Ints, choice_numbers: Ints, best_values: Floats) -> None:
        """Record decisions that were not the best: the mover's loss, and the change of the other seats' values.

        Args:
            batch: the decisions.
            games: (decisions,) the game of each.
            choice_numbers: (decisions,) the number of the choice that was made.
            best_values: (decisions, seats) the values after the best choice.
        """
        wrong = np.flatnonzero(choice_numbers != batch.best)
        if not len(wrong):
            return
        turns = self.turns
        movers = batch.mover[wrong]
        cells = batch.cells[wrong, choice_numbers[wrong]]
        change = turns.sign * (turns.values.entries[cells] - best_values[wrong])
        change[np.arange(len(wrong)), movers] = 0.0  # the mover's part is its loss, which counts as ``errors``
        self.games.others[games[wrong]] += change
        self.games.errors[games[wrong], movers] += batch.loss[wrong, choice_numbers[wrong]]

    def _end_turns(self, games: Ints, starts: Ints, cells: Ints) -> None:
        """Begin the next turns of games whose turn has ended, or record the outcomes of those that are over.

        Args:
            games: the games.
            starts: by game, the start of the turn that has ended.
            cells: by game, the cell of its end.
        """
        turns = self.turns
        next_starts = self._with_drawn_actions(games, turns.next_starts(starts, cells), self.substep + 1)
        self.start[games] = next_starts
        is_over = turns.is_terminal.entries[next_starts]
        finished = games[is_over]
        self.is_over[finished] = True
        self.games.outcome[finished] = (
            self.games.turns[finished] if self.counts_turns else turns.payoffs.entries[next_starts[is_over]]
        )
        self.node[games[~is_over]] = turns.root.entries[next_starts[~is_over]]
