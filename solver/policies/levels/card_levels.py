"""Levels of scorecards: lists of rules (``cards``). All lists of level 1 are tried; others are stored or searched."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import product
from typing import Any

from ...games import Game
from ...games.card_rules import Card
from ...solvers import Problem, ValueTable
from ...solvers import make_problem as ask
from ...solvers.cards.points import CardPointsProblem
from ...util.errors import InputError, argument
from ...util.progress_reporting import OpenEndedProgress, ProgressCallback, report_each
from ..evaluation import Evaluation
from . import Level, best_of
from .card_search import search_list
from .cards import KEPT, MAX_DECIDED_ROLLS, PARTS, Rule, RuleListPolicy, list_evaluator, parse_rule_list

SEARCH_STEPS = 12  # about as many lead from the list of one level to the next
SECONDS_PER_ROLL = (0.0, 1e-5, 3e-5, 4.5e-5)  # that each level adds, for each scorecard and full roll; measured


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the strategy of a level for the most points."""
    problem = ask(game, "points")
    check(problem)
    lists = list_evaluator(game.data)
    if level == 1:
        sentences = [*_sentences(game.data)]
        values = ((policy, lists.value(policy)) for policy in report_each(sentences, progress))
        return best_of(values, "the points of a card")
    policy = _stored_list(game, level)
    if not policy:
        report_step = OpenEndedProgress(progress, SEARCH_STEPS * (level - 1))
        policy = search_list(game, level, say=lambda message: report_step())
    return Level(policy, lists.value(policy), objective_words="the points of a card")


def level_seconds(game: Game) -> tuple[float, ...]:
    """Estimate the seconds that each level adds to the search: none if the lists are stored, or the game has none."""
    problem = ask(game, "points")
    rolls = len(problem.states) * len(game.data.lattice.weight) if isinstance(problem, CardPointsProblem) else 0
    return tuple(
        0.0 if level > 1 and _stored_list(game, level) else rolls * rate
        for level, rate in enumerate(SECONDS_PER_ROLL, 1)
    )


def _sentences(card: Card) -> Iterable[RuleListPolicy]:
    """Yield all policies of level 1: which dice to keep, and the share of a box's most points that is subtracted."""
    max_points = card.part_scores.max(axis=1).tolist()
    shapes = (
        ("alike", "alike first", "alike open") if any(category.face for category in card.categories) else ("alike",)
    )
    for part, shape in product(PARTS, shapes):  # where throws are entered is kept from shape to shape
        yield RuleListPolicy((Rule(shape, (1,)),), tuple(part * points for points in max_points))


def _stored_list(game: Game, level: int) -> RuleListPolicy | None:
    """Return the stored list of a level, found for these rules or for others with the same boxes; None if none is."""
    stored = json.loads(KEPT.read_text()).get(game.id, {})
    if stored.get("boxes") != list(game.data.names):
        return None
    return parse_rule_list(stored["levels"][: level - 1][-1])


def numbers(policy: RuleListPolicy) -> int:
    """Return how many rules and numbers of boxes to remember."""
    return policy.size


def check(problem: Problem[Any]) -> None:
    """Raise InputError unless the problem is the points of a card that lists can be evaluated for."""
    if not isinstance(problem, CardPointsProblem):
        if problem.objective == "points":
            raise InputError("strategy sheets are not available for a scorecard with a table [total]")
        raise InputError(
            f"strategy sheets of a scorecard require {argument('objective')} points, not {problem.objective}"
        )
    if problem.card.depends_on_roll_number:
        raise InputError("strategy sheets are not available for a scorecard whose points depend on the number of rolls")
    if len(problem.states) * len(problem.card.lattice.weight) > MAX_DECIDED_ROLLS:
        raise InputError(f"{problem.game.title} has too many boxes for a strategy sheet to be evaluated")


def evaluate(problem: Problem[Any], value_table: ValueTable, policy: RuleListPolicy) -> Evaluation:
    """Return the evaluation of a list, from an empty card."""
    assert isinstance(problem, CardPointsProblem)
    lists = list_evaluator(problem.card)
    value, best = lists.value(policy), float(value_table.arrays["points"][problem.states.state_index(0, 0), 0])
    return Evaluation.from_values([value], [best], lists.bound + value_table.error_bound)
