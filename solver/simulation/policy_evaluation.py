"""Exact values of policies, for every game that can be played: no game is simulated.

If one seat follows a policy and all others play optimally, the game is a Markov chain. Its states are the positions in
which turns begin. A turn is walked from decision to decision and roll to roll (``TurnArrays``), which gives the
transition probabilities P and the expected payoff r of the turn. The value of the policy solves v = r + P v.

``plan_evaluation`` is where to start reading. Policies that a family can compile for its kernel are evaluated by its
own equations instead, which are faster (``policies.family_evaluation``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..answers.positions import BestPlay
from ..answers.positions import value as position_value
from ..play.playable_game import Choice, Stage
from ..policies.evaluation import Choose, Evaluation
from ..policies.family_evaluation import plan_family_evaluation
from ..policies.function_policy import FunctionPolicy
from ..policies.policy import (
    DuelPolicy,
    MistakePolicy,
    NamedPolicy,
    OptimalPolicy,
    OtherObjectivePolicy,
)
from ..policies.registry import PolicyContext, PolicyLike, to_named_policy
from ..solvers import Problem, make_problem
from ..solvers.solve_costs import ANNOUNCED_SECONDS, SolveCost, announce_cost, refuse_excessive_cost
from ..solving.solve import solve_cost, solve_problem
from ..solving.solved_problem import SolvedProblem
from ..util.errors import InputError, SolveError, argument
from ..util.progress_reporting import ProgressCallback
from .choice_losses import DecisionBatch
from .games import check_whole_games, require_whole_table
from .seats import OptimalPlayer, OtherObjectivePlayer, PolicyPlayer, SimulatedPlayer
from .turns import DECISION_NODE, END_NODE, NODE_LIMIT, ROLL_NODE, Floats, Ints, TurnArrays

REFUSALS: dict[type, str] = {
    DuelPolicy: "it is a policy for opponents; use --policy best --opponents-play duel",
    MistakePolicy: "it chooses at random; use keepwise simulate to estimate its value",
}

STATES_AT_ONCE = 256  # states whose turns are walked together
DECISIONS_AT_ONCE = 1 << 14  # decisions of optimal play that are made together
MAX_TURN_CELLS = 1 << 25  # numbers kept of turns that have been walked; beyond, they are walked again when needed
MIN_PROBABILITY = 2.0**-100  # of a place in a turn; what is less likely counts as lost
END_PROBABILITY = 2.0**-60  # that the game still goes on, once the sweeps end
MAX_SWEEPS = 100_000
ROUNDING_UNIT = 2.0**-53
MAX_FIRST_TURN = 200_000  # positions
BYTES_PER_STATE = 600
SECONDS_PER_POSITION = 3e-5  # to ask the policy and to walk on, as measured
# If the policy reads a value table, as measured: to walk through a position of one turn with many turns at once, and to
# find out what it leads to.
SECONDS_PER_TABLE_POSITION, SECONDS_PER_NODE = 7e-6, 6e-4
BYTES_PER_NUMBER = 8


class EvaluationPlan(Protocol):
    """A validated evaluation of a policy, which runs once the problem is solved."""

    def run(self, solved: SolvedProblem, progress: ProgressCallback = lambda share: None) -> Evaluation:
        """Evaluate the policy, once the problem is solved."""


def plan_evaluation(
    problem: Problem[Any],
    policy: PolicyLike,
    score: object = None,
    *,
    anyway: bool = False,
    allowing_function: str = "",
) -> EvaluationPlan:
    """Return the evaluation of a policy, to be run once the problem is solved.

    Args:
        problem: the problem whose optimum the policy is compared with.
        policy: the name of a policy, or a function of (position) or (playable, position).
        score: the score before the turn, for the points of a turn in push-your-luck games.
        anyway: the evaluation may take more than an hour or 8 GiB.
        allowing_function: the function that takes ``anyway``, for messages; "" for the called one.

    Raises:
        InputError: no such policy, or one that is not evaluated for this problem.
        TooMuchError: too many positions can follow.
    """
    named_policy = to_named_policy(policy, PolicyContext(problem.playable, REFUSALS))
    is_compiled = not isinstance(named_policy.policy, (FunctionPolicy, OptimalPolicy, OtherObjectivePolicy))
    if is_compiled:
        try:
            return plan_family_evaluation(problem, named_policy.policy, score)
        except InputError:
            if score is not None or problem.objective == "rate":
                raise
    return plan_chain_evaluation(problem, named_policy, score, anyway, allowing_function)


# --- the plan of a chain


@dataclass(frozen=True)
class ChainEvaluation:
    """An evaluation of a policy as a Markov chain of the game as it is played.

    Attributes:
        problem: the problem whose optimum the policy is compared with.
        named: the policy with its name.
        start: the position in which the game begins.
        other_problem: the problem whose optimal play the policy follows, if that is another one.
    """

    problem: Problem[Any]
    named: NamedPolicy
    start: Any
    other_problem: Problem[Any] | None = None

    def run(self, solved: SolvedProblem, progress: ProgressCallback = lambda share: None) -> Evaluation:
        """Return the value of the policy in each seat, against optimal play of the others, and its loss.

        Args:
            solved: the problem, solved.
            progress: called with the fraction that is done.

        Raises:
            InputError: the solution is of another problem.
        """
        problem = self.problem
        solved.check_solves(problem)
        require_whole_table(solved)
        optimum = position_value(solved, self.start)
        optima = optimum.seats or (optimum.value,)
        if isinstance(self.named.policy, OptimalPolicy):
            return Evaluation.from_values(optima, optima, optimum.error_bound)
        chain = PolicyChain(solved, self._player(), progress)
        values = [chain.value(self.start, seat) for seat in range(problem.players)]
        bound = max(value.error_bound for value in values) + optimum.error_bound
        return Evaluation.from_values(
            [value.value for value in values], optima, bound, problem.playable.fewer_is_better
        )

    def _player(self) -> SimulatedPlayer:
        """Return the player who follows the policy."""
        if self.other_problem is not None:
            other_solution = solve_problem(self.other_problem)
            return OtherObjectivePlayer(self.named.name, other_solution)
        return PolicyPlayer(self.named.name, self.named.policy)


def plan_chain_evaluation(
    problem: Problem[Any], named_policy: NamedPolicy, score: object, anyway: bool, allowing_function: str = ""
) -> ChainEvaluation:
    """Return the evaluation of a policy as a Markov chain, to be run once the problem is solved.

    Args:
        problem: the problem whose optimum the policy is compared with.
        named_policy: the policy.
        score: the score before the turn, for the points of a turn in push-your-luck games.
        anyway: the evaluation may take more than an hour or 8 GiB.
        allowing_function: the function that takes ``anyway``, for messages; "" for the called one.

    Raises:
        InputError: the policy cannot be evaluated for this problem, or not from a score.
        TooMuchError: too many positions can follow.
    """
    if problem.objective == "rate":
        raise InputError("policies cannot be evaluated for the objective rate; use points or turns")
    check_whole_games(problem)
    start = problem.playable.start()
    if score is not None:
        if problem.objective != "points" or not problem.game.parts.evaluates_from_scores:
            raise InputError(f"this policy is evaluated from the beginning of a game; leave out {argument('score')}")
        start = problem.playable.position(score=score)
    other_problem = None
    if isinstance(named_policy.policy, OtherObjectivePolicy):
        objective = named_policy.policy.objective
        players = 1 if objective in ("points", "turns") else None
        other_problem = make_problem(problem.game, objective, players)
        if other_problem.playable.problem_key == problem.playable.problem_key:
            return ChainEvaluation(problem, NamedPolicy(named_policy.name, OptimalPolicy()), start)
    if not isinstance(named_policy.policy, OptimalPolicy):
        cost = estimate_chain_cost(problem, named_policy, start, other_problem)
        task = f"evaluating {named_policy.name} in {problem.game.title}, position by position,"
        refuse_excessive_cost(task, cost, anyway, allowing_function)
        announce_cost(task, cost)
    return ChainEvaluation(problem, named_policy, start, other_problem)


def estimate_chain_cost(
    problem: Problem[Any], named_policy: NamedPolicy, start: Any, other_problem: Problem[Any] | None = None
) -> SolveCost:
    """Estimate the cost of evaluating a policy as a chain: as many positions as in the first turn, for every state.

    Args:
        problem: the problem.
        named_policy: the policy.
        start: the position in which the game begins.
        other_problem: the problem whose optimal play the policy follows, if that is another one.
    """
    state_count = max(1.0, problem.table_bytes / BYTES_PER_NUMBER)
    if other_problem is not None:
        seconds = _seconds_of_table_policy(problem, other_problem, state_count)
        return SolveCost(bytes=BYTES_PER_STATE * state_count, seconds=seconds)
    policy = named_policy.policy

    def choose(position: Any) -> Choice[Any]:
        return policy.choose(problem.playable, position)  # type: ignore[no-any-return]

    turn_count = len(turn_positions(problem, start, choose)[0])
    return SolveCost(bytes=BYTES_PER_STATE * state_count, seconds=SECONDS_PER_POSITION * state_count * turn_count)


def _seconds_of_table_policy(problem: Problem[Any], other_problem: Problem[Any], state_count: float) -> float:
    """Return roughly the seconds to evaluate optimal play of another problem, whose turn is the same.

    Each state is walked twice if there are opponents, who play optimally.

    Args:
        problem: the problem.
        other_problem: the problem whose optimal play the policy follows. Its best choices need no translation there.
        state_count: the number of states in which a turn of ``problem`` may begin.
    """
    is_solved_at_once = not other_problem.solves_on_demand and solve_cost(other_problem).seconds < ANNOUNCED_SECONDS
    best = BestPlay(solve_problem(other_problem)) if is_solved_at_once else None
    inside, ends = turn_positions(other_problem, other_problem.playable.start(), best)
    walked_turns = min(2, problem.players) * state_count
    if other_problem.objective == "points" and other_problem.players == 1:
        payoffs = [float(other_problem.playable.payoffs(end)[0]) for end in ends]
        walked_turns *= _reached_share(problem, payoffs, state_count)
    return len(inside) * (SECONDS_PER_NODE + SECONDS_PER_TABLE_POSITION * walked_turns)


def _reached_share(problem: Problem[Any], points_of_turns: Sequence[float], state_count: float) -> float:
    """Return roughly the share of the states that are reached if one player's turns bring only some points.

    These points lead to few of the scores below a small target. Others reach more scores, but not all either: their
    share is taken as the square root.

    Args:
        problem: the problem.
        points_of_turns: what turns of the player bring.
        state_count: the number of states.
    """
    target = getattr(problem.game.data, "target", None)
    points = {int(brought) for brought in points_of_turns if brought > 0}
    if target is None or not points:
        return 1.0
    unit = math.gcd(*points)
    is_reached = [True] + [False] * ((target - 1) // unit)
    for score in range(len(is_reached)):
        is_reached[score] |= any(brought // unit <= score and is_reached[score - brought // unit] for brought in points)
    own_scores: float = state_count ** (1 / problem.players)
    share = min(1.0, sum(is_reached) / own_scores)
    return share if problem.players == 1 else share * math.sqrt(share)


def turn_positions(problem: Problem[Any], start: Any, choose: Choose | None) -> tuple[set[Any], set[Any]]:
    """Return the positions of one turn that can occur, at most about MAX_FIRST_TURN, and those that end it.

    Args:
        problem: the problem.
        start: the position in which the turn begins.
        choose: the player's choice at a decision position; None if all choices count.
    """
    playable = problem.playable
    visited, ends = {start}, set[Any]()
    unvisited = [start]
    while unvisited and len(visited) < MAX_FIRST_TURN:
        position = unvisited.pop()
        if playable.stage(position) == Stage.CHANCE:
            successors = [outcome for _, outcome in playable.rolls(position)]
        else:
            choices = playable.choices(position)
            if choose is not None and len(choices) > 1:
                choices = (choose(position),)
            successors = [choice.after for choice in choices]
        for after in successors:
            if playable.stage(after) == Stage.TERMINAL or playable.is_turn_start(after):
                ends.add(after)
            elif after not in visited:
                visited.add(after)
                unvisited.append(after)
    return visited, ends


# --- the chain


class State(NamedTuple):
    """A state of the chain: a position in which a turn begins, with the turn that is played there.

    Attributes:
        position: the position.
        second_turn: if the mover plays a mixed action there, 0 or 1 for the first or the second of its turns; else 0.
    """

    position: Any
    second_turn: int


class TurnTransitions(NamedTuple):
    """The transitions of one turn, and its payoff.

    Attributes:
        states: (successors,), numbers of the states in which the next turn begins.
        probabilities: (successors,), the probability of each of them.
        payoff: (seats,), the expected payoff of games that end with the turn; for ``turns`` the turns that it counts.
    """

    states: Ints
    probabilities: Floats
    payoff: Floats


class ChainValue(NamedTuple):
    """A value of the chain and the bound of its error."""

    value: float
    error_bound: float


class Places(NamedTuple):
    """What a walk through many turns has come to so far, one entry for each start and node.

    Attributes:
        starts: (places,) the start of the turn, as in ``TurnArrays``.
        nodes: (places,) the node inside the turn; after the turn, the start of the next turn.
        probabilities: (places,) the probability to come there from the start.
    """

    starts: Ints
    nodes: Ints
    probabilities: Floats

    def part(self, rows: Any) -> Places:
        """Return some of the places.

        Args:
            rows: their indices, or True for each that is wanted.
        """
        return Places(self.starts[rows], self.nodes[rows], self.probabilities[rows])


class PolicyChain:
    """The Markov chains of a game in which one seat follows a policy and all others play optimally."""

    def __init__(self, solved: SolvedProblem, player: SimulatedPlayer, progress: ProgressCallback) -> None:
        """Keep the problem and the player; nothing is walked yet.

        Args:
            solved: the solved problem, with the whole value table.
            player: the player who follows the policy.
            progress: called with the fraction of states whose turns have been walked.
        """
        self.solved, self.player, self.progress = solved, player, progress
        self.problem = problem = solved.problem
        self.states: list[State] = []
        self._state_numbers: dict[State, int] = {}
        self._transitions: dict[tuple[int, bool], TurnTransitions] = {}  # by state, and whether its mover follows
        self._optimal_player = OptimalPlayer()
        self._forget_turns()
        # Bounds of what rounding adds to any transition probability, as shares of it, and of probability that is lost.
        self._rounding = 0.0
        self._lost_probability = 0.0
        self._largest_payoff = 0.0
        self._counts_turns = problem.objective == "turns"
        self._expected_states = max(1.0, problem.table_bytes / BYTES_PER_NUMBER) * min(2, problem.players)

    def _forget_turns(self) -> None:
        """Begin with empty arrays of turns, to free memory; transitions are kept."""
        self.turns = TurnArrays(self.solved)
        self._rolls: dict[int, tuple[Ints, Floats]] = {}  # by node, what a roll leads to, and the probabilities

    def value(self, start: Any, seat: int) -> ChainValue:
        """Return the value of the policy for a seat that follows it, while all others play optimally.

        Args:
            start: the position in which the game begins. If its mover plays a mixed action, both turns are weighted.
            seat: the seat.
        """
        number = self.turns.start_number(start)
        share = float(self.turns.second_probability.entries[number])
        first_states = [self._number(State(start, 0))]
        weights = [1.0]
        if share:
            first_states.append(self._number(State(start, 1)))
            weights = [1 - share, share]
        states = self._reach(first_states, seat)
        values, bound = self._solve(states, seat)
        index_of_state = {state: index for index, state in enumerate(states)}
        mean = sum(
            weight * float(values[index_of_state[state]]) for weight, state in zip(weights, first_states, strict=True)
        )
        return ChainValue(mean, bound)

    def _number(self, state: State) -> int:
        """Return the number of a state; a new one gets the next number."""
        if state not in self._state_numbers:
            self._state_numbers[state] = len(self.states)
            self.states.append(state)
        return self._state_numbers[state]

    def _follows(self, state: int, seat: int) -> bool:
        """Return True if the mover of a state follows the policy."""
        return self.problem.playable.player_to_move(self.states[state].position) == seat

    def _reach(self, first_states: Sequence[int], seat: int) -> list[int]:
        """Compute the transitions of all states that can follow from some states, and return all these states.

        Args:
            first_states: the states from which the game begins.
            seat: the seat that follows the policy.
        """
        found_states = dict.fromkeys(first_states)
        unvisited = list(first_states)
        while unvisited:
            batch, unvisited = unvisited[:STATES_AT_ONCE], unvisited[STATES_AT_ONCE:]
            for follows in (True, False):
                states = [state for state in batch if self._follows(state, seat) == follows]
                self._walk_turns([state for state in states if (state, follows) not in self._transitions], follows)
            for state in batch:
                for successor in self._transitions[state, self._follows(state, seat)].states.tolist():
                    if successor not in found_states:
                        found_states[successor] = None
                        unvisited.append(successor)
            walked = len(self._transitions)
            self.progress(walked / (walked + max(len(unvisited), self._expected_states - walked)))
        return list(found_states)

    # --- one turn

    def _walk_turns(self, states: Sequence[int], follows: bool) -> None:
        """Compute the transitions of some states, by walking through their turns side by side.

        Each step makes the next roll or choice in all places that the turns have come to, and merges equal places.

        Args:
            states: the numbers of the states.
            follows: True if their movers follow the policy, False if they play optimally.
        """
        if not states:
            return
        if self.turns.stored_numbers > MAX_TURN_CELLS:
            self._forget_turns()
        turns = self.turns
        starts = np.array(
            [turns.start_number(self.states[state].position) + self.states[state].second_turn for state in states],
            dtype=np.int64,
        )
        places = Places(starts, turns.root.entries[starts], np.ones(len(starts)))
        endings: list[Places] = []  # their nodes are the starts of the turns that follow
        rounding_steps = 0
        while len(places.nodes):
            rolled = self._roll(places.part(turns.kind.entries[places.nodes] == ROLL_NODE))
            choice_places, end_places = self._choose(
                places.part(turns.kind.entries[places.nodes] == DECISION_NODE), follows
            )
            endings += [end_places, self._end(places.part(turns.kind.entries[places.nodes] == END_NODE))]
            merged, terms = _merge([rolled, choice_places])
            is_likely = merged.probabilities > MIN_PROBABILITY
            self._lost_probability += float(merged.probabilities[~is_likely].sum())
            places = merged.part(is_likely)
            rounding_steps += terms + 2  # a product with a rounded probability, and a sum
        merged, terms = _merge(endings)
        self._rounding = max(self._rounding, ROUNDING_UNIT * (rounding_steps + terms + 1))
        for state, start in zip(states, starts.tolist(), strict=True):
            self._transitions[state, follows] = self._transitions_of(merged.part(merged.starts == start))

    def _roll(self, places: Places) -> Places:
        """Return the places after the next roll, not merged.

        Args:
            places: places whose nodes are roll nodes.
        """
        if not len(places.nodes):
            return places
        order = np.argsort(places.nodes, kind="stable")
        places = places.part(order)
        nodes, first_rows = np.unique(places.nodes, return_index=True)
        last_rows = [*first_rows[1:].tolist(), len(places.nodes)]
        parts = [_no_places()]
        for node, first, end in zip(nodes.tolist(), first_rows.tolist(), last_rows, strict=True):
            children, probabilities = self._roll_outcomes(node)
            count = end - first
            parts.append(
                Places(
                    np.repeat(places.starts[first:end], len(children)),
                    np.tile(children, count),
                    np.outer(places.probabilities[first:end], probabilities).ravel(),
                )
            )
        return _concatenate(parts)

    def _roll_outcomes(self, node: int) -> tuple[Ints, Floats]:
        """Return the nodes that a roll leads to, and their probabilities."""
        if node not in self._rolls:
            weights = [weight for weight, _ in self.problem.playable.rolls(self.turns.positions[node])]
            total = sum(weights)
            probabilities = np.array([weight / total for weight in weights])
            self._rolls[node] = self.turns.outcome_nodes(node), probabilities
        return self._rolls[node]

    def _choose(self, places: Places, follows: bool) -> tuple[Places, Places]:
        """Return the places after the next choice: those inside the turn, and those where the turn has ended.

        Args:
            places: places whose nodes are decision nodes.
            follows: True if the movers follow the policy, False if they play optimally.

        Returns:
            Two sets of places. The nodes of the second are the starts of the next turns.
        """
        if not len(places.nodes):
            return _no_places(), _no_places()
        turns = self.turns
        turns.expand_decisions(places.nodes)
        choice_numbers = np.zeros(len(places.nodes), dtype=np.int64)
        rows = np.flatnonzero(turns.branch_count.entries[places.nodes] > 1)
        for first in range(0, len(rows), DECISIONS_AT_ONCE):
            batch_rows = rows[first : first + DECISIONS_AT_ONCE]
            choice_numbers[batch_rows] = self._choice_numbers(
                places.starts[batch_rows], places.nodes[batch_rows], follows
            )
        choices = turns.first_branch.entries[places.nodes] + choice_numbers
        successors = turns.choice_node.entries[choices]
        is_inside = successors >= 0
        inside = Places(places.starts, successors, places.probabilities).part(is_inside)
        cells = turns.first_cell.entries[places.starts] + turns.choice_place.entries[choices]
        end_places = places.part(~is_inside)
        return inside, end_places._replace(nodes=turns.next_starts(end_places.starts, cells[~is_inside]))

    def _choice_numbers(self, starts: Ints, nodes: Ints, follows: bool) -> Ints:
        """Return the number of the choice that the mover makes in each decision: (decisions,).

        Args:
            starts: (decisions,) the start of each decision's turn.
            nodes: (decisions,) the decision nodes.
            follows: True if the movers follow the policy, False if they play optimally.
        """
        if follows and isinstance(self.player, PolicyPlayer):
            return self.player.choice_numbers(self.turns, starts, nodes)
        player: SimulatedPlayer = self.player if follows else self._optimal_player
        return player.choose(DecisionBatch(self.turns, starts, nodes), np.arange(len(nodes)), None)

    def _end(self, places: Places) -> Places:
        """Return places whose turn a roll has ended, with the starts of the next turns as their nodes.

        Args:
            places: places whose nodes are end nodes.
        """
        turns = self.turns
        cells = turns.first_cell.entries[places.starts] + turns.place.entries[places.nodes]
        return places._replace(nodes=turns.next_starts(places.starts, cells)) if len(places.nodes) else places

    def _transitions_of(self, endings: Places) -> TurnTransitions:
        """Return the transitions and the payoff of one turn.

        Args:
            endings: the ends of the turn; the nodes are the starts of the next turns, or terminal positions.
        """
        turns = self.turns
        payoff = np.zeros(self.problem.players)
        states, probabilities = list[int](), list[float]()
        for start, probability in zip(endings.nodes.tolist(), endings.probabilities.tolist(), strict=True):
            if self._counts_turns:
                payoff += probability
            if turns.is_terminal.entries[start]:
                if not self._counts_turns:
                    outcome = turns.payoffs.entries[start]
                    payoff += probability * outcome
                    self._largest_payoff = max(self._largest_payoff, float(np.abs(outcome).max()))
                continue
            position, share = turns.starts[start], float(turns.second_probability.entries[start])
            states.append(self._number(State(position, 0)))
            probabilities.append(probability * (1 - share))
            if share:
                states.append(self._number(State(position, 1)))
                probabilities.append(probability * share)
        return TurnTransitions(np.array(states, dtype=np.int64), np.array(probabilities), payoff)

    # --- all turns

    def _solve(self, states: Sequence[int], seat: int) -> tuple[Floats, float]:
        """Solve v = r + P v by sweeps v <- r + P v, beginning with v = 0.

        After n sweeps the error is P^n v. Let u = P^n 1, the probability that the game still goes on after n turns.
        Payoffs are at most M, so the error is at most M max(u). For ``turns`` the value itself is the expected number
        of turns h, with h <= h_n / (1 - max(u)) after n sweeps.

        Rounding adds at most its share of a turn in each of the h turns that are expected to follow.

        Args:
            states: numbers of the states, which are the rows of P.
            seat: the seat that follows the policy.

        Returns:
            The values (states,) and a bound of their errors.
        """
        transitions = [self._transitions[state, self._follows(state, seat)] for state in states]
        payoffs = np.array([transition.payoff[seat] for transition in transitions])
        counts = [len(transition.states) for transition in transitions]
        rows = np.repeat(np.arange(len(states)), counts)
        index_of_state = np.zeros(len(self.states), dtype=np.int64)
        index_of_state[list(states)] = np.arange(len(states))
        columns = index_of_state[np.concatenate([transition.states for transition in transitions])]
        probabilities = np.concatenate([transition.probabilities for transition in transitions])

        def after_turn(values: Floats) -> Floats:
            """Return P v."""
            return _sum_by_row(rows, probabilities * values[columns], len(states))

        values = np.zeros(len(states))
        turns_to_come = np.zeros(len(states))
        going_on = np.ones(len(states))  # the probability that the game still goes on
        sweeps = 0
        while going_on.max() > END_PROBABILITY:
            values = payoffs + after_turn(values)
            turns_to_come = 1 + after_turn(turns_to_come)
            going_on = after_turn(going_on)
            sweeps += 1
            if sweeps > MAX_SWEEPS:
                raise SolveError(
                    f"with policy {self.player.name} the game does not end, or only with a probability close to 0"
                )
        still_going = float(going_on.max())
        most_turns = float(turns_to_come.max()) / (1 - still_going)
        largest_value = most_turns if self._counts_turns else self._largest_payoff
        sweep_rounding = ROUNDING_UNIT * (max(counts) + 3)
        error_of_a_turn = self._rounding + sweep_rounding + self._lost_probability
        return values, largest_value * (still_going + most_turns * error_of_a_turn)


def _no_places() -> Places:
    """Return a set of no places."""
    return Places(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))


def _concatenate(parts: Sequence[Places]) -> Places:
    """Return the places of several sets one after another, not merged."""
    starts, nodes, probabilities = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return Places(starts, nodes, probabilities)


def _merge(parts: Sequence[Places]) -> tuple[Places, int]:
    """Return the places of several sets, each start and node once, with the sum of its probabilities.

    The second result is the largest number of terms in one of these sums, for the bound of rounding errors.
    """
    places = _concatenate(parts)
    if not len(places.nodes):
        return places, 0
    # One number names a start and a node.
    keys, row_of_place = np.unique(places.starts * NODE_LIMIT + places.nodes, return_inverse=True)
    starts, nodes = np.divmod(keys, NODE_LIMIT)
    row_of_place = row_of_place.ravel()
    probabilities = _sum_by_row(row_of_place, places.probabilities, len(keys))
    return Places(starts, nodes, probabilities), int(np.bincount(row_of_place).max())


def _sum_by_row(rows: Ints, terms: Floats, row_count: int) -> Floats:
    """Return the sum of the terms of each row, added in their order: (row_count,).

    Args:
        rows: (terms,) the row of each term.
        terms: (terms,) the terms.
        row_count: the number of rows; a row without terms has the sum 0.
    """
    sums = np.bincount(rows, weights=terms, minlength=row_count)
    return sums.astype(np.float64, copy=False)
