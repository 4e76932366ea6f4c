"""Sheets of scorecard games: rules for keeping dice, and a number for each box that decides where to enter them.

``make`` returns the list of rules of a level (``policies.levels.cards``). Without a level it returns the *pars* of the
categories. The par of a category is what the category adds, while it is open, to the expected points still to come.
Pars are the least-squares fit of V[s] by the sum of the pars of the categories that are open in s.
Playing by pars means to enter dice where points - par is largest, and to keep the dice with the largest expectation of
that difference.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.keep import LANES
from ...games.card_rules import NONE, Card
from ...policies.evaluation import Evaluation
from ...policies.levels import at_level
from ...policies.levels import cards as card_policies
from ...policies.levels.card_levels import check as check_list
from ...policies.levels.card_levels import evaluate
from ...policies.levels.cards import list_evaluator
from ...solvers import Problem
from ...solvers.cards.points import CardPointsProblem
from ...solvers.model import split_lanes
from ...turns.keep_turn import Doubles, EntryOptions, Longs
from ...util.number_format import format_count
from ...util.progress_reporting import ProgressCallback
from . import Sheet, Table, cost_lines, optimality_lines, problem_facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem

INNER_VALUES_PER_CALL = 1 << 19  # values inside turns that are held in memory at a time

KEPT_BY_SENTENCE = {  # the dice that a policy of level 1 keeps, by the shape of its rule
    "alike": "all dice of the most frequent face (on a tie, the highest)",
    "alike first": "all dice of the most frequent face (on a tie, one whose box is open, then the highest)",
    "alike open": "all dice of the most frequent face whose box is open (on a tie, the highest; if none, no dice)",
}


def check(problem: Problem[Any], level: int | None) -> None:
    """Raise InputError unless the objective is points."""
    check_list(problem)


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet of a level, or the pars of the categories if `level` is None."""
    problem = solution.problem
    assert isinstance(problem, CardPointsProblem)
    return _par_sheet(solution, problem, progress) if level is None else _rule_sheet(solution, problem, level)


def _rule_sheet(solution: SolvedProblem, problem: CardPointsProblem, level_number: int) -> Sheet:
    """Return a sheet with rules for keeping dice and pars for entering them."""
    card = problem.card
    level = at_level(solution.game, level_number, "points")
    policy: card_policies.RuleListPolicy = level.policy
    lines = [] if card.throws == 1 else _keep_lines(card, policy, level_number)
    lines += _enter_lines(card)
    tables = list[Table]()
    if level_number == 1:
        max_points = card.part_scores.max(axis=1).tolist()
        factor = max(number / points for number, points in zip(policy.numbers, max_points, strict=True))
        lines.append(f"The par of a box is {factor:g} times the most that it can hold.")
    else:
        rows = tuple((name, f"{number:g}") for name, number in zip(card.names, policy.numbers, strict=True))
        tables.append(Table("Where to enter", ("box", "par"), rows))
    if policy.more:
        count = list_evaluator(card).alike
        points = format_count(policy.more, "point")
        lines.append(f"In this comparison, add {points} to an upper box if at least {count} dice show its face.")
    evaluation = evaluate(problem, solution.value_table, policy)
    title = f"{solution.game.title}: a sheet to play by"
    cost = (*cost_lines(evaluation, problem), *optimality_lines(level))
    return Sheet(title, problem_facts(solution, evaluation), tuple(lines), tuple(tables), cost)


def _keep_lines(card: Card, policy: card_policies.RuleListPolicy, level_number: int) -> list[str]:
    """Return sentences on which dice to keep."""
    lines = list[str]()
    when = "After each roll but the last"
    if level_number == 1:
        lines.append(f"{when} keep {KEPT_BY_SENTENCE[policy.rules[0].shape]}, and roll the others again.")
    else:
        lines.append(f"{when} go through the rules from the top: the first that fits says what to keep.")
        lines.append("Roll the others again; all of them if no rule fits, none if all dice are kept.")
        lines.append("If several faces fit, take the one with the most dice; on a tie, the highest.")
        straight_boxes = {rule.box for rule in policy.rules if rule.shape in ("run", "both", "both open")}
        straights_by_box = [
            card.categories[card.names.index(box)].condition.straights for box in sorted(straight_boxes)
        ]
        straights = max(straights_by_box, key=len, default=())
        if len(straights) > 1:
            *runs, last_run = (f"{min(run)}-{max(run)}" for run in straights)
            lines.append(
                f"If several straights are possible ({', '.join(runs)} or {last_run}), take the one with the most"
                " faces; on a tie, the highest."
            )
    if any(rule.shape.endswith(("open", "first")) for rule in policy.rules):
        categories = sorted(card.categories, key=lambda category: category.face)
        boxes = ", ".join(f"{category.face} {category.name}" for category in categories if category.face)
        lines.append(f"The boxes of the faces are: {boxes}.")
    if level_number > 1:
        sentences = [card_policies.sentence(rule, card) for rule in policy.rules]
        lines += (f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
    return lines


def _enter_lines(card: Card) -> list[str]:
    """Return sentences on where to enter a roll."""
    if card.boxes == 1:
        where = (
            "After the last roll, take for each open box the points of the dice there minus its par. Enter the dice in"
            " the box with the largest result"
        )
    else:
        where = (
            f"After the last roll, split the dice between {card.boxes} open boxes so that the points minus the pars of"
            " these boxes are largest"
        )
    lines = [f"{where}; on a tie, with the most points, then the first."]
    if card.again_joker != NONE:
        joker = (
            f"If all dice are alike and the {card.again_category} box is filled, compare only the boxes that the joker"
            " rule allows, with the points that they then give."
        )
        lines.append(joker)
    return lines


def _par_sheet(solution: SolvedProblem, problem: CardPointsProblem, progress: ProgressCallback) -> Sheet:
    """Return a sheet with the par of every category."""
    card = problem.card
    values = solution.value_table.arrays["points"]
    category_pars = fit_pars(problem, values)
    values_by_pars = evaluate_par_policy(problem, category_pars, progress)
    start = problem.states.state_index(0, 0)
    max_points = card.part_scores.max(axis=1)
    rows = [
        (name, str(int(max_points[category])), f"{category_pars[category]:.1f}")
        for category, name in sorted(enumerate(card.names), key=lambda pair: -category_pars[pair[0]])
    ]
    lines = [
        "Enter a roll where its points minus the par of the box are largest: above par is a gain, below it a loss.",
        "This page does not say which dice to keep; keepwise advise does. The cost below assumes that they are kept"
        " as well as possible.",
    ]
    if card.boxes > 1:
        lines[0] = f"Split the dice so that the points minus the pars of the {card.boxes} boxes are largest."
    if card.upper_mask:
        lines.append("The pars of the upper boxes count what they add to the chance of the bonus.")
    evaluation = Evaluation.from_values(
        [float(values_by_pars[start, 0])], [float(values[start, 0])], 2 * solution.error_bound
    )
    proviso = ", if the dice are kept as well as possible for these pars"
    cost = cost_lines(evaluation, problem, strategy="these pars", proviso=proviso)
    title = f"{solution.game.title}: the pars of its boxes"
    table = Table("Pars", ("box", "most", "par"), tuple(rows))
    return Sheet(title, problem_facts(solution, evaluation), tuple(lines), (table,), cost)


def _open_categories(problem: CardPointsProblem) -> Longs:
    """Return 1 for every state and category that is open, else 0; shape (states, categories)."""
    used: Longs = problem.states.sets[:, None] >> np.arange(len(problem.card.names)) & 1
    return 1 - used


def fit_pars(problem: CardPointsProblem, values: Doubles) -> Doubles:
    """Return the par of every category, by least squares.

    Args:
        problem: the problem.
        values: V by state and upper total. The fit uses upper total 0, flag 0 and the states with an open category.
    """
    states = problem.states
    is_fitted = (states.flags == 0) & (states.sets != problem.card.full_mask)
    design = _open_categories(problem)[is_fitted]
    fitted_values = values[is_fitted, 0]
    categories = range(len(problem.card.names))
    normal_matrix = [[int((design[:, i] & design[:, j]).sum()) for j in categories] for i in categories]
    normal_vector = [Fraction(float(fitted_values[design[:, i] == 1].sum())) for i in categories]
    return np.array([float(par) for par in solve_least_norm(normal_matrix, normal_vector)])


def solve_least_norm(matrix: list[list[int]], right: list[Fraction]) -> list[Fraction]:
    """Return the shortest solution x of ``matrix`` x = ``right``.

    The matrix is symmetric and may be singular. The solution is x = matrix y, where matrix matrix y = right. Fractions
    are used so that the pars are the same bits on every machine.
    """
    size = range(len(matrix))
    rows = [[*(Fraction(sum(matrix[i][k] * matrix[k][j] for k in size)) for j in size), right[i]] for i in size]
    y = [Fraction(0)] * len(matrix)
    # Gaussian elimination. A column without a pivot is free, and its unknown stays 0.
    pivots: dict[int, list[Fraction]] = {}
    for column in size:
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivots[column] = pivot
        for row in rows:
            if factor := row[column] / pivot[column]:
                row[:] = [entry - factor * pivot_entry for entry, pivot_entry in zip(row, pivot, strict=True)]
    for column, row in sorted(pivots.items(), reverse=True):
        y[column] = (row[-1] - sum(row[j] * y[j] for j in size if j > column)) / row[column]
    return [sum((matrix[i][j] * y[j] for j in size), Fraction(0)) for i in size]


def evaluate_par_policy(problem: CardPointsProblem, category_pars: Doubles, progress: ProgressCallback) -> Doubles:
    """Evaluate the policy that plays by pars.

    Ties go to the first option, and to the most dice kept.

    Returns:
        Expected points still to come, by state and upper total.
    """
    card, states = problem.card, problem.states
    options = states.entry_options
    par_sums = (_open_categories(problem) * category_pars).sum(axis=1)
    guide = np.repeat(par_sums[:, None], LANES, axis=1)  # the policy does not look at the upper total
    values = np.zeros(problem.array_specs()["points"].shape)
    values[states.sets == card.full_mask] = problem.bonuses
    max_turns = max(1, INNER_VALUES_PER_CALL // (card.turn.roll_count * card.lattice.node_count))
    for layer in states.layers():
        for block in split_lanes(layer, max_turns):
            option_sets = states.option_sets(block, card.turn.roll_count)
            solved_turns = card.turn.solve(guide, options, option_sets, np.zeros_like(block), inner=True)
            roll_probabilities = np.array(
                [card.turn.ending_probabilities(solved_turns, turn, 0, 0.0) for turn in range(len(block))]
            )
            values[block] = _values_of_entries(card, options, option_sets, guide[:, 0], roll_probabilities, values)
        states.copy_equal_futures(values, layer)
        progress(1 - int(states.used_counts[layer[0]]) / len(card.categories))
    return values


def _best_options(
    card: Card, options: EntryOptions, option_sets: Longs, guide: Doubles, shape: tuple[int, int]
) -> Longs:
    """Return, for every turn and full roll, the first option of largest points + guide, counted from the turn's first.

    Args:
        card: the rules.
        options: the options of all option sets.
        option_sets: the option set of every turn.
        guide: by state, what the policy believes the state to be worth.
        shape: the numbers of turns and of full rolls.
    """
    first_option = options.option_start[option_sets]
    option_count = options.option_start[option_sets + 1] - first_option
    rolls = np.arange(shape[1])
    best_value = np.full(shape, -np.inf)
    best_option = np.zeros(shape, dtype=np.int64)
    for offset in range(int(option_count.max())):
        turns = np.flatnonzero(option_count > offset)
        option = first_option[turns] + offset
        is_allowed = (rolls >= options.first_roll[option][:, None]) & (rolls < options.end_roll[option][:, None])
        points = card.turn.gain[options.column[option]]
        value = np.where(is_allowed, points + guide[options.row[option]][:, None], -np.inf)
        best_option[turns] = np.where(value > best_value[turns], offset, best_option[turns])
        best_value[turns] = np.maximum(value, best_value[turns])
    return best_option


def _values_of_entries(
    card: Card,
    options: EntryOptions,
    option_sets: Longs,
    guide: Doubles,
    roll_probabilities: Doubles,
    values: Doubles,
) -> Doubles:
    """Return the value of turns, by upper total, if every full roll is entered by the option that the guide prefers.

    Args:
        card: the rules.
        options: the options of all option sets.
        option_sets: the option set of every turn.
        guide: by state, what the policy believes the state to be worth.
        roll_probabilities: by turn and full roll, the probability that the turn ends with that roll.
        values: by state and upper total, the values of later states.
    """
    turn = card.turn
    turn_count, roll_count = roll_probabilities.shape
    first_option = options.option_start[option_sets]
    max_options = int((options.option_start[option_sets + 1] - first_option).max())
    best_option = _best_options(card, options, option_sets, guide, (turn_count, roll_count))
    column = options.column[first_option[:, None] + best_option]
    rolls = np.arange(roll_count)
    # Probability of each pair (option, upper points), because both decide where the entry leads.
    shift_count = int(turn.shift.max()) + 1
    shape = turn_count, max_options, shift_count
    cell = (np.arange(turn_count)[:, None] * max_options + best_option) * shift_count + turn.shift[column, rolls]
    probability = np.bincount(cell.ravel(), roll_probabilities.ravel(), math.prod(shape)).reshape(shape)
    upper_totals = np.arange(values.shape[1])
    expected_points = (roll_probabilities * turn.gain[column, rolls]).sum(axis=1)
    result = np.repeat(expected_points[:, None], values.shape[1], axis=1)
    for offset, shift in np.argwhere(probability.any(axis=0)).tolist():
        last_option = options.option_start[option_sets + 1] - 1  # turns with fewer options add zero
        next_state = options.row[np.minimum(first_option + offset, last_option)]
        next_total = np.minimum(upper_totals + shift, values.shape[1] - 1)
        result += probability[:, offset, shift, None] * values[next_state[:, None], next_total]
    return result
