"""The sheets of a card: lists of rules for what to keep and numbers for where to enter it (``policies.levels.cards``);
and where no level is told its pars, what each category is worth keeping open for, and what entering by them costs.

A par is what an open category adds to the points still to come, on average: the least-squares fit of every state's
value by the sum over its open categories. Playing by pars means: enter where the points less the par are most, and
keep the dice that promise most of that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.keep import LANES
from ...games.card_rules import NONE, Card
from ...policies.evaluation import Evaluation
from ...policies.levels import at_level
from ...policies.levels import cards as lists
from ...policies.levels.card_levels import check as check_list
from ...policies.levels.card_levels import judged
from ...policies.levels.cards import carried
from ...solvers import Problem
from ...solvers.cards.points import CardPointsProblem
from ...solvers.model import split_lanes
from ...turns.keep_turn import Doubles, EntryOptions, Longs
from ...util.number_format import format_count
from . import Sheet, Table, costs, facts, proof

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem

INSIDE = 1 << 19  # partial throws of turns that are looked into together

SENTENCES = {  # what level 1 keeps
    "alike": "all dice of the face of which there are most, of as many the highest",
    "alike first": "all dice of the face of which there are most, of as many one whose box is open, then the highest",
    "alike open": "all dice of the face of open boxes of which there are most, of as many the highest (if none, none)",
}


def check(match: Problem[Any], level: int | None) -> None:
    """Refuse what is not about the most points."""
    check_list(match)


def make(solution: SolvedProblem, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet, for the most points."""
    match = solution.problem
    assert isinstance(match, CardPointsProblem)
    return _pars(solution, match, progress) if level is None else _list(solution, match, level)


def _list(solution: SolvedProblem, match: CardPointsProblem, level: int) -> Sheet:
    """Rules for what to keep, and numbers for where to enter it."""
    found = at_level(solution.game, level, "points")
    policy: lists.Listed = found.policy
    card = match.card
    keeps = [lists.sentence(rule) for rule in policy.rules]
    lines, tables = list[str](), list[Table]()
    after = "After each throw but the last"
    if card.throws == 1:
        keeps = []
    elif level == 1:
        lines.append(f"{after} keep {SENTENCES[policy.rules[0].shape]}, and throw the others again.")
    else:
        lines.append(f"{after} go through the rules from the top: the first that fits says what to keep.")
        lines.append("Throw the others again; all of them where no rule fits, none where all dice are kept.")
        lines.append("Where several faces fit take that of which there are most dice, of as many the highest.")
        if any(card.categories[card.names.index(rule.box)].asks.runs[1:] for rule in policy.rules if rule.box):
            lines.append("Of rows of a straight take that of which most faces are there, of as many the highest.")
    if keeps and any(rule.shape.endswith(("open", "first")) for rule in policy.rules):
        own = ", ".join(
            f"{one.face} {one.name}" for one in sorted(card.categories, key=lambda one: one.face) if one.face
        )
        lines.append(f"The boxes of the faces are: {own}.")
    lines += (f"{place}. {told}" for place, told in enumerate(keeps, 1) if level > 1)
    if card.boxes == 1:
        lines.append("After the last throw enter the dice in the open box where their points less its number are most,")
    else:
        lines.append(f"After the last throw split the dice between {card.boxes} open boxes, where the points less")
        lines[-1] += " their numbers are most,"
    lines[-1] += " of equals where the points are most, then the first."
    if card.joker != NONE:
        lines.append(
            f"All alike once {card.again} is used: of the boxes that a joker may go to, by what it scores there."
        )
    if level == 1:
        most = card.part_scores.max(axis=1).tolist()
        part = max(number / points for number, points in zip(policy.numbers, most, strict=True))
        lines.append(f"The number of a box is {part:g} times the most that it can hold.")
    else:
        numbers = tuple((name, f"{number:g}") for name, number in zip(card.names, policy.numbers, strict=True))
        tables.append(Table("Where to enter", ("box", "number"), numbers))
    if policy.more:
        alike = carried(card).alike
        lines.append(
            f"To compare, {alike} dice or more of its face in an upper box"
            f" count {format_count(policy.more, 'point')} more."
        )
    lost = judged(match, solution.value_table, policy)
    title = f"{solution.game.title}: a sheet to play by"
    return Sheet(title, facts(solution, lost), tuple(lines), tuple(tables), (*costs(lost, "points"), *proof(found)))


def _pars(solution: SolvedProblem, match: CardPointsProblem, progress: Callable[[float], None]) -> Sheet:
    """The pars of the categories."""
    card = match.card
    values = solution.value_table.arrays["points"]
    par = pars(match, values)
    by_par = by_pars(match, par, progress)
    value, optimal = float(by_par[match.states.state_index(0, 0), 0]), float(values[match.states.state_index(0, 0), 0])
    most = card.part_scores.max(axis=1)
    rows = [
        (name, str(int(most[number])), f"{par[number]:.1f}")
        for number, name in sorted(enumerate(card.names), key=lambda pair: -par[pair[0]])
    ]
    lines = [
        "Enter a throw where its points less the category's par are most: above par is a gain, below it a loss.",
        "What to keep no page tells, keepwise advise does; the cost below is with dice kept as well as can be.",
    ]
    if card.boxes > 1:
        lines[0] = f"Split the dice where the points less the pars of the {card.boxes} categories are most."
    if card.upper_mask:
        lines.append("The pars of the upper categories count what they add to the chance of the bonus.")
    found = Evaluation.of([value], [optimal], 2 * solution.error_bound)
    told = costs(found, "points", by="these pars", proviso=", if the dice are kept as well as can be for the pars")
    title = f"{solution.game.title}: the pars of its categories"
    table = Table("Pars", ("category", "most", "par"), tuple(rows))
    return Sheet(title, facts(solution, found), tuple(lines), (table,), told)


def pars(match: CardPointsProblem, values: Doubles) -> Doubles:
    """The par of every category: the least-squares fit of the states' values, at the least upper total."""
    card, states = match.card, match.states
    open_ = 1 - (states.sets[:, None] >> np.arange(len(card.names)) & 1)
    some = (states.flags == 0) & (states.sets != card.full)
    shape, worth_ = open_[some], values[some, 0]
    size = range(len(card.names))
    normal = [[int((shape[:, i] & shape[:, j]).sum()) for j in size] for i in size]
    total = [Fraction(float(worth_[shape[:, i] == 1].sum())) for i in size]
    return np.array([float(par) for par in least_norm(normal, total)])


def least_norm(matrix: list[list[int]], right: list[Fraction]) -> list[Fraction]:
    """The shortest x with ``matrix`` x = ``right``, the matrix symmetric and perhaps singular: x = matrix y, where
    matrix matrix y = ``right``. In fractions, so that the pars are the same bits on every machine.
    """
    size = range(len(matrix))
    rows = [[*(Fraction(sum(matrix[i][k] * matrix[k][j] for k in size)) for j in size), right[i]] for i in size]
    y = [Fraction(0)] * len(matrix)
    pivots: dict[int, list[Fraction]] = {}
    for column in size:
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivots[column] = pivot
        for row in rows:
            if times := row[column] / pivot[column]:
                row[:] = [mine - times * its for mine, its in zip(row, pivot, strict=True)]
    for column, row in sorted(pivots.items(), reverse=True):
        y[column] = (row[-1] - sum(row[j] * y[j] for j in size if j > column)) / row[column]
    return [sum((matrix[i][j] * y[j] for j in size), Fraction(0)) for i in size]


def by_pars(match: CardPointsProblem, par: Doubles, progress: Callable[[float], None]) -> Doubles:
    """Points still to come by state and upper total for somebody who plays by pars; of equals the first option, and the
    most dice kept.
    """
    card, states, problems = match.card, match.states, match.states.entry_options
    open_ = 1 - (states.sets[:, None] >> np.arange(len(card.names)) & 1)
    decides = np.repeat((open_ * par).sum(axis=1)[:, None], LANES, axis=1)  # whatever the upper total is
    worth_ = np.zeros(match.array_specs()["points"].shape)
    worth_[states.sets == card.full] = match.bonuses
    size = max(1, INSIDE // (card.turn.roll_count * card.lattice.node_count))
    for layer in states.layers():
        for part in split_lanes(layer, size):
            problem = states.option_sets(part, card.turn.roll_count)
            solved = card.turn.solve(decides, problems, problem, np.zeros_like(part), inner=True)
            ends = np.array([card.turn.ending_probabilities(solved, number, 0, 0.0) for number in range(len(part))])
            worth_[part] = _entered(card, problems, problem, decides[:, 0], ends, worth_)
        states.copy_equal_futures(worth_, layer)
        progress(1 - int(states.used_counts[layer[0]]) / len(card.categories))
    return worth_


def _entered(
    card: Card, problems: EntryOptions, problem: Longs, decides: Doubles, ends: Doubles, after: Doubles
) -> Doubles:
    """What problems are worth by upper total whose turns end with such chances in a full throw (problems, throws), each
    entered by the option that decides best.
    """
    turn, first, throws = card.turn, problems.option_start[problem], np.arange(ends.shape[1])
    count = problems.option_start[problem + 1] - first
    best, chosen = np.full(ends.shape, -np.inf), np.zeros(ends.shape, dtype=np.int64)
    for option in range(int(count.max())):
        some = np.flatnonzero(count > option)
        told = first[some] + option
        may = (throws >= problems.first_roll[told][:, None]) & (throws < problems.end_roll[told][:, None])
        value = np.where(may, turn.gain[problems.column[told]] + decides[problems.row[told]][:, None], -np.inf)
        chosen[some] = np.where(value > best[some], option, chosen[some])
        best[some] = np.maximum(value, best[some])
    column, widest = problems.column[first[:, None] + chosen], int(turn.shift.max()) + 1
    shape = len(problem), int(count.max()), widest
    place = (np.arange(len(problem))[:, None] * shape[1] + chosen) * widest + turn.shift[column, throws]
    chance = np.bincount(place.ravel(), ends.ravel(), math.prod(shape)).reshape(shape)
    found = np.repeat((ends * turn.gain[column, throws]).sum(axis=1)[:, None], after.shape[1], axis=1)
    for option, shift in np.argwhere(chance.any(axis=0)).tolist():
        row = problems.row[np.minimum(first + option, problems.option_start[problem + 1] - 1)]
        to = np.minimum(np.arange(after.shape[1]) + shift, after.shape[1] - 1)
        found += chance[:, option, shift, None] * after[row[:, None], to]
    return found
