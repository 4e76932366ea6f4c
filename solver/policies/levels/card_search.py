"""Search for rule lists of cards by what a change brings along the list's own path.

The lists that ship (``cards.json``) are written by ``python -m keepwise.policies.levels.card_search GAME`` in some
minutes. Yatzy's list of level 3 comes from a first form of this search. Lists of level 4 continue those of level 3.

How often a list comes to each state, and what the dice bring there, give the gain of a change to first order. A change
is a new rule at any place of the list, or other numbers for boxes. Gains of all candidates are estimated at once, on
states that are drawn evenly by how often they are reached. The best candidate is evaluated exactly, and kept if it
brings more. A full list loses its cheapest rule, and the search goes on until no change brings more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np

from ...games import FILES, Game
from ...games import game as known
from ...games.rulefile.loader import load_rules
from ...turns.keep_turn import Doubles, Longs
from .cards import (
    EQUALS,
    FEW,
    KEPT,
    LIST,
    LONG,
    SHAPES,
    ListEvaluator,
    Rule,
    RuleListPolicy,
    list_evaluator,
    serialize_rule_list,
)

DRAWN, BRIEFLY = 100_000, 50_000  # throws of drawn states that are looked at: of a list that is kept, and on demand
STATES = 99  # of which no fewer are drawn: what fewer say of a card of many dice is noise
LEAST = 0.01  # points that a change must bring
NUMBERS = (-5, -2, -1, 1, 2, 5)  # by which a box's number is changed
PART = 3  # of what is drawn, for numbers
TRIED = 3  # rules that are taken up, or given up, together
MUCH = 0.4  # points: a rule that brings more is taken up alone
ROUNDS = 2  # in which a list is filled
LAST = (2, 3, 4, 6)  # boxes left, of which rules of the longest list may speak
THRESHOLDS = 6  # of points in a box


@lru_cache(maxsize=8)
def search_list(
    game: Game, level: int, draw_count: int = BRIEFLY, say: Callable[[str], None] = lambda text: None
) -> RuleListPolicy:
    """Return the list of a level, found by search from that of the level before."""
    card = game.data
    max_size = (FEW, LIST, LONG)[level - 2]
    if level == 2:
        half = tuple(float(round(points / 2)) for points in card.part_scores.max(axis=1).tolist())
        start = RuleListPolicy((Rule("alike first", (1,)),), half)
    else:
        start = search_list(game, level - 1, draw_count, say)
    return _ListSearch(list_evaluator(card), start, max_size, draw_count, LAST if level == 4 else ()).improve(say)


@dataclass(frozen=True)
class _Place:
    """A list in the search, with what its changes are judged by.

    Attributes:
        value: the value of the list.
        weight: the weights of the drawn states.
        states: the drawn states.
        chance: by roll, the probability of each full roll (rows, full rolls).
        keep_values: by roll, the value of keeping each node.
        kept_values: by roll, the value of what the list keeps.
        rule: by roll, the rule that applies.
        fills: the boxes that can be filled.
        points: the points for them (states, boxes, full rolls).
        entered: the values after filling them (states, boxes, full rolls).
    """

    value: float
    weight: Doubles
    states: Longs
    chance: list[Doubles]
    keep_values: list[Doubles]
    kept_values: list[Doubles]
    rule: Longs
    fills: Longs
    points: Doubles
    entered: Doubles


class _ListSearch:
    """A list that grows."""

    def __init__(
        self, lists: ListEvaluator, start: RuleListPolicy, max_size: int, draw_count: int, box_limits: Sequence[int]
    ) -> None:
        self.lists, self.max_size, self.draw_count, self.policy = lists, max_size, draw_count, start
        self.shapes = [*_different(lists, _shapes(lists))]
        self.whens = [*_whens(lists.card.names, box_limits)]
        self.turn = 0

    def improve(self, say: Callable[[str], None]) -> RuleListPolicy:
        """Return the list that no tried change improves (local search)."""
        course = self._place()
        best, best_value = self.policy, course.value
        for _ in range(ROUNDS):
            while True:
                before = course.value
                course = self._numbered(course)
                course = (self._grown(course, TRIED) or self._grown(course, 1) or course) if self.room else course
                say(f"{self.policy.size:3} {course.value:.3f}")
                if course.value < before + LEAST:
                    break
            if course.value > best_value:
                best, best_value = self.policy, course.value
            if self.room:
                break
            rules = best.rules
            fewer = [replace(best, rules=rules[:place] + rules[place + 1 :]) for place in range(len(rules))]
            worth = [self.lists.value(policy) for policy in fewer]
            cheap = sorted(range(len(rules)), key=lambda place: -worth[place])[:TRIED]
            self.policy = replace(best, rules=tuple(rule for place, rule in enumerate(rules) if place not in cheap))
            course = self._place()
        return best

    @property
    def room(self) -> int:
        """Rules that are free."""
        return self.max_size - self.policy.size

    def _place(self) -> _Place:
        """Where the list stands, with other states drawn each time."""
        lists, policy, states = self.lists, self.policy, self.lists.states
        course = lists.turn_course(policy.rules)
        list_values = lists.list_values(policy, course)
        visits = self._visits(list_values.state, list_values.option, list_values.shift, list_values.chance)
        often = visits.sum(axis=1)
        often[states.sets == lists.card.full_mask] = 0.0
        self.turn += 1
        count = max(STATES, self.draw_count // len(lists.full))
        cumulative = np.cumsum(often)
        points = (np.arange(count) + self.turn * 0.618 % 1) / count * cumulative[-1]
        sample, times = np.unique(np.searchsorted(cumulative, points, side="right"), return_counts=True)
        weight = times * (cumulative[-1] / count)
        ways = [self._ways(list_values.worth, visits, state) for state in sample.tolist()]
        slots = max(len(state_ways) for state_ways in ways)
        fills = np.array([[*state_ways, *[0] * (slots - len(state_ways))] for state_ways in ways])
        points, entered = (np.full((*fills.shape, len(lists.full)), -np.inf) for _ in range(2))
        for row, state_ways in enumerate(ways):
            for slot, entry in enumerate(state_ways.values()):
                points[row, slot], entered[row, slot] = entry
        ends = self._ends(fills, points, entered, policy.numbers, policy.more)
        rows = course.row_of_state[sample]
        keep_values, now, values = list[Doubles](), list[Doubles](), ends
        for nodes in course.kept[::-1, rows]:
            keep_values.insert(0, self._pulled(values, ends))
            now.insert(0, np.take_along_axis(keep_values[0], nodes, axis=1))
            values = now[0]
        chance = [*course.chance[:, rows], course.ends[rows]]
        value = float(list_values.worth[states.state_index(0, 0), 0])
        return _Place(value, weight, sample, chance, keep_values, now, course.rule[:, rows], fills, points, entered)

    def _ways(self, worth: Doubles, visits: Doubles, state: int) -> dict[int, tuple[Doubles, Doubles]]:
        """Return the points of each full roll and their mean total with later points, by the categories filled."""
        lists, problems, (places, upper) = self.lists, self.lists.states.entry_options, self.lists.steps
        uppers, ways = np.flatnonzero(visits[state]), dict[int, tuple[Doubles, Doubles]]()
        share = visits[state, uppers] / visits[state].sum()
        for option in range(int(problems.option_start[state]), int(problems.option_start[state + 1])):
            column, throws = (
                int(problems.column[option]),
                slice(int(problems.first_roll[option]), int(problems.end_roll[option])),
            )
            row = int(problems.row[option])
            fills = int(lists.states.sets[row] ^ lists.states.sets[state])
            if fills not in ways:
                ways[fills] = np.full(len(lists.full), -np.inf), np.full(len(lists.full), -np.inf)
            points, entered = ways[fills]
            then = (worth[row][np.minimum(uppers + upper[column][:, None], lists.card.max_upper)] * share).sum(axis=1)
            points[throws] = lists.card.gains[column, throws]
            entered[throws] = points[throws] + then[places[column, throws]]
        return ways

    def _ends(self, fills: Longs, points: Doubles, entered: Doubles, numbers: Sequence[float], bonus: int) -> Doubles:
        """Return the value of each full roll if it is entered by these numbers: (states, full rolls)."""
        subtracted = sum((fills >> box & 1) * number for box, number in enumerate(numbers))
        worth = points * (1 + 1 / EQUALS) - np.asarray(subtracted)[:, :, None]
        if bonus:
            for box in np.flatnonzero(self.lists.has_enough_dice.any(axis=1)).tolist():
                worth += np.where((fills == 1 << box)[:, :, None], bonus * self.lists.has_enough_dice[box], 0)
        values: Doubles = np.take_along_axis(entered, worth.argmax(axis=1)[:, None], axis=1)[:, 0]
        return values

    def _visits(self, state: Longs, option: Longs, shift: Longs, chance: Doubles) -> Doubles:
        """Return the expected number of visits of each state and upper total: (states, upper totals)."""
        lists, states = self.lists, self.lists.states
        width, top = lists.width, lists.card.max_upper
        visits = np.zeros((len(states), width))
        visits[states.state_index(0, 0), 0] = 1.0
        begins = np.searchsorted(state, np.arange(len(states) + 1))
        for layer in [*states.layers()][::-1]:
            visited = layer[visits[layer].any(axis=1)]
            for part in np.array_split(visited, len(visited) // 2000 + 1):
                count = begins[part + 1] - begins[part]
                at = np.repeat(begins[part] - np.cumsum(count) + count, count) + np.arange(count.sum())
                expected_visits = chance[at, None] * visits[state[at]]
                next_cell = states.entry_options.row[option[at], None] * width
                next_cell = next_cell + np.minimum(np.arange(width) + shift[at, None], top)
                positive = expected_visits > 0
                visits += np.bincount(next_cell[positive], expected_visits[positive], visits.size).reshape(visits.shape)
        return visits

    def _pulled(self, roll_values: Doubles, ends: Doubles) -> Doubles:
        """Return the value of keeping each node, with the values of full rolls, and ``ends`` if all dice are kept."""
        lattice = self.lists.lattice
        values = np.zeros((lattice.node_count, len(roll_values)))
        values[lattice.first_full :] = roll_values.T
        for first, stop in zip(lattice.size_start[-3::-1], lattice.size_start[-2:0:-1], strict=True):
            for face, chance in enumerate(lattice.chance.tolist()):
                values[first:stop] += values[lattice.child[first:stop, face]] * chance
        values[lattice.first_full :] = ends.T
        return np.ascontiguousarray(values.T)

    def _grown(self, course: _Place, count: int) -> _Place | None:
        """So many rules more, the best of different shapes, if they bring more."""
        before, additions = self.policy, dict[str, tuple[int, Rule]]()
        for gain, rule, place in sorted(self._candidates(course), key=lambda candidate: -candidate[0]):
            if gain < LEAST or len(additions) == min(count, self.room) or (additions and gain > MUCH):
                break
            additions.setdefault(f"{rule.shape} {rule.box}", (place, rule))
        rules = list(before.rules)
        for place, rule in sorted(additions.values(), key=lambda placed_rule: -placed_rule[0]):
            rules.insert(place, rule)
        self.policy = replace(before, rules=tuple(rules))
        after = self._place()
        if after.value > course.value + LEAST:
            return after
        self.policy = before
        return None

    def _candidates(self, course: _Place) -> Iterator[tuple[float, Rule, int]]:
        """Yield the gain of one more rule over the drawn states at its best place, by shape and rolls left.

        With one roll in a turn nothing is kept.
        """
        used = self.lists.states.sets[course.states]
        faces, rows = self.lists.faces(used), np.arange(len(used))[:, None]
        applies = [self.lists.applies(when, used) for when in self.whens]
        count, throws = len(self.policy.rules) + 1, len(course.kept_values)
        for shape in self.shapes:
            table = self.lists.table(shape.shape, shape.numbers, shape.box)
            nodes = table[faces % len(table)]
            gains = []
            for throw in range(throws):
                gains_of_keeping = course.keep_values[throw][rows, np.maximum(nodes, 0)] - course.kept_values[throw]
                gain = np.where(nodes >= 0, gains_of_keeping * course.chance[throw] * course.weight[:, None], 0.0)
                by = np.bincount((rows * count + course.rule[throw]).ravel(), gain.ravel(), len(used) * count)
                gains.append(by.reshape(-1, count)[:, ::-1].cumsum(axis=1)[:, ::-1])
            for left in range(throws + 1 if throws else 0):
                if left and throws == 1:
                    continue
                gain = gains[throws - left] if left else sum(gains[1:], gains[0])
                by_when = np.array([gain[applicable].sum(axis=0) for applicable in applies])
                when, place = divmod(int(by_when.argmax()), count)
                rule = self.whens[when]._replace(shape=shape.shape, numbers=shape.numbers, box=shape.box, left=left)
                yield float(by_when[when, place]), rule, place

    def _numbered(self, course: _Place) -> _Place:
        """Other numbers of boxes, one after another, where they bring more by a part of what is drawn."""
        lists, policy = self.lists, self.policy
        sample = slice(self.turn % PART, None, PART)
        often = course.chance[-1][sample] * course.weight[sample, None] * PART
        fills, points, entered = course.fills[sample], course.points[sample], course.entered[sample]

        def value(numbers: tuple[float, ...], bonus: int) -> float:
            return float((self._ends(fills, points, entered, numbers, bonus) * often).sum())

        best = start = value(policy.numbers, policy.more)
        numbers, bonus = policy.numbers, policy.more
        places = [*range(len(numbers)), *([-1] if lists.has_enough_dice.any() else [])]
        for place, by in product(places, NUMBERS):
            changed = tuple(box_number + by * (number == place) for number, box_number in enumerate(numbers))
            new_bonus = bonus + by * (place < 0)
            if replace(policy, numbers=changed, more=new_bonus).size > self.max_size:
                continue  # a number more is a rule more
            if (brought := value(changed, new_bonus)) > best + LEAST / 10:
                best, numbers, bonus = brought, changed, new_bonus
        if best < start + LEAST:
            return course
        self.policy = replace(policy, numbers=numbers, more=bonus)
        if lists.value(self.policy) > course.value:
            return self._place()
        self.policy = policy
        return course


def _shapes(lists: ListEvaluator) -> Iterator[Rule]:
    """Every shape with its numbers."""
    card = lists.card
    dice, faces = range(1, card.dice), range(1, card.faces + 1)
    many = [(number,) for number in dice]
    runs = [
        (straight_box.name, len(straight_box.condition.straights[0]))
        for straight_box in card.categories
        if straight_box.condition.straights
    ]
    for shape in ("alike", "alike open", "alike first"):
        yield from (Rule(shape, numbers) for numbers in many)
    for shape, least, number in product(("faces", "faces open"), dice, (2, 3)):
        if least * number <= card.dice:
            yield Rule(shape, (least, number))
    for shape, face in product(("high", "high open"), faces):
        yield Rule(shape, (face,))
    yield from (Rule("face", numbers) for numbers in product(range(1, card.dice // 2 + 2), faces))
    for box, length in runs:
        yield from (Rule("run", (least,), box) for least in range(2, length + 1))
        if card.boxes == 2:
            alike = product(range(3, length + 1), range(2, 6))
            yield from (Rule(shape, numbers, box) for shape, numbers in product(("both", "both open"), alike))
    if card.boxes == 1:
        for number, category in enumerate(card.categories):
            worth = np.unique(card.part_scores[number])[1:].tolist()
            if not category.face:
                yield from (Rule("made", (points,), category.name) for points in worth[-THRESHOLDS:])
    yield Rule("nothing")


def _different(lists: ListEvaluator, shapes: Iterator[Rule]) -> Iterator[Rule]:
    """Yield the rules that fit some roll, and that do not keep the same dice as an earlier rule."""
    tables = set()
    for rule in shapes:
        table = lists.table(rule.shape, rule.numbers, rule.box)
        if rule.shape in SHAPES and (table >= 0).any() and (bits := table.tobytes()) not in tables:
            tables.add(bits)
            yield rule


def _whens(names: Sequence[str], box_limits: Sequence[int]) -> Iterator[Rule]:
    """Which boxes are open or used: none told, one, two of them."""
    yield Rule("")
    yield from (Rule("", boxes=limit) for limit in box_limits)
    for name in names:
        yield Rule("", open=(name,))
        yield Rule("", used=(name,))
    for name, second_name in combinations(names, 2):
        yield Rule("", open=(name, second_name))
        yield Rule("", open=(name, second_name), either=True)
        yield Rule("", used=(name, second_name))
        yield Rule("", open=(name,), used=(second_name,))
        yield Rule("", open=(second_name,), used=(name,))


def _main(names: Sequence[str]) -> None:
    stored = json.loads(KEPT.read_text())
    for name in names:
        game = known(name) if name in FILES else load_rules(name)
        levels = list[Any]()
        for level in (2, 3, 4):
            levels.append(serialize_rule_list(search_list(game, level, DRAWN, print)))
            stored[game.id] = {"boxes": list(game.data.names), "levels": levels}
            KEPT.write_text(json.dumps(stored, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1:])
