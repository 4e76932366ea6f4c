"""The four levels of a card's lists (``cards``): the first by trying all of its form, others found before or now."""

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
from ...util.errors import InputError
from ...util.progress_reporting import OpenEndedProgress, ProgressCallback, report_each
from ..evaluation import Evaluation
from . import Level, best_of
from .card_search import found
from .cards import KEPT, MOST, PARTS, Listed, Rule, carried, read

STEPS = 12  # by which a list is found from the one before, roughly
SECONDS_PER_ROLL = (0.0, 1e-5, 3e-5, 4.5e-5)  # that each level adds, for each scorecard and full roll; measured


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Found for the most points."""
    match = ask(game, "points")
    check(match)
    lists = carried(game.data)
    if level == 1:
        tried = [*_sentences(game.data)]
        return best_of(((one, lists.value(one)) for one in report_each(tried, progress)), "the points of a card")
    policy = _kept(game, level)
    if not policy:
        step = OpenEndedProgress(progress, STEPS * (level - 1))
        policy = found(game, level, say=lambda said: step())
    return Level(policy, lists.value(policy), of="the points of a card")


def level_seconds(game: Game) -> tuple[float, ...]:
    """Estimate the seconds that each level adds to the search: none if the lists are stored, or the game has none."""
    problem = ask(game, "points")
    rolls = len(problem.states) * len(game.data.lattice.weight) if isinstance(problem, CardPointsProblem) else 0
    return tuple(
        0.0 if level > 1 and _kept(game, level) else rolls * rate for level, rate in enumerate(SECONDS_PER_ROLL, 1)
    )


def _sentences(card: Card) -> Iterable[Listed]:
    """All policies of a sentence: what is kept, and what part of the most that a box holds is taken off."""
    most = card.part_scores.max(axis=1).tolist()
    shapes = ("alike", "alike first", "alike open") if any(one.face for one in card.categories) else ("alike",)
    for part, shape in product(PARTS, shapes):  # where throws are entered is kept from shape to shape
        yield Listed((Rule(shape, (1,)),), tuple(part * one for one in most))


def _kept(game: Game, level: int) -> Listed | None:
    """A list that was found before, for the rules of this game or for others of the same boxes."""
    told = json.loads(KEPT.read_text()).get(game.id, {})
    if told.get("boxes") != list(game.data.names):
        return None
    return read(told["levels"][: level - 1][-1])


def numbers(policy: Listed) -> int:
    """Rules, the numbers of boxes counted."""
    return policy.size


def check(match: Problem[Any]) -> None:
    """The most points of a card whose throws do not count, which is not too large."""
    if not isinstance(match, CardPointsProblem):
        if match.objective == "points":
            raise InputError("no sheet is made of a card whose total gives the points")
        raise InputError(f"a card's sheet is made for points, not for {match.objective}: --objective points")
    if match.card.by_throw:
        raise InputError("no sheet is made of a card that counts the throws of a turn")
    if len(match.states) * len(match.card.lattice.weight) > MOST:
        raise InputError(f"{match.game.title} has too many boxes for a list to be judged")


def judged(match: Problem[Any], solved: ValueTable, policy: Listed) -> Evaluation:
    """The points of an empty card."""
    assert isinstance(match, CardPointsProblem)
    lists = carried(match.card)
    value, best = lists.value(policy), float(solved.arrays["points"][match.states.state_index(0, 0), 0])
    return Evaluation.of([value], [best], lists.bound + solved.error_bound)
