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
from .cards import EQUALS, FEW, KEPT, LIST, LONG, SHAPES, Carried, Rule, RuleListPolicy, carried, told

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
def found(
    game: Game, level: int, drawn: int = BRIEFLY, say: Callable[[str], None] = lambda said: None
) -> RuleListPolicy:
    """Return the list of a level, found by search from that of the level before."""
    card = game.data
    most = (FEW, LIST, LONG)[level - 2]
    if level == 2:
        half = tuple(float(round(points / 2)) for points in card.part_scores.max(axis=1).tolist())
        start = RuleListPolicy((Rule("alike first", (1,)),), half)
    else:
        start = found(game, level - 1, drawn, say)
    return _Finder(carried(card), start, most, drawn, LAST if level == 4 else ()).improved(say)


@dataclass(frozen=True)
class _Place:
    """A list in the search, with what its changes are judged by.

    Attributes:
        value: the value of the list.
        weight: the weights of the drawn states.
        states: the drawn states.
        chance: by roll, the probability of each full roll (rows, full rolls).
        brings: by roll, the value of keeping each node.
        now: by roll, the value of what the list keeps.
        rule: by roll, the rule that applies.
        fills: the boxes that can be filled.
        points: the points for them (states, boxes, full rolls).
        entered: the values after filling them (states, boxes, full rolls).
    """

    value: float
    weight: Doubles
    states: Longs
    chance: list[Doubles]
    brings: list[Doubles]
    now: list[Doubles]
    rule: Longs
    fills: Longs
    points: Doubles
    entered: Doubles


class _Finder:
    """A list that grows."""

    def __init__(self, lists: Carried, start: RuleListPolicy, most: int, drawn: int, last: Sequence[int]) -> None:
        self.lists, self.most, self.drawn, self.policy = lists, most, drawn, start
        self.shapes = [*_different(lists, _shapes(lists))]
        self.whens = [*_whens(lists.card.names, last)]
        self.turn = 0

    def improved(self, say: Callable[[str], None]) -> RuleListPolicy:
        """Return the list that no tried change improves (local search)."""
        here = self._place()
        best, most = self.policy, here.value
        for _ in range(ROUNDS):
            while True:
                before = here.value
                here = self._numbered(here)
                here = (self._grown(here, TRIED) or self._grown(here, 1) or here) if self.room else here
                say(f"{self.policy.size:3} {here.value:.3f}")
                if here.value < before + LEAST:
                    break
            if here.value > most:
                best, most = self.policy, here.value
            if self.room:
                break
            rules = best.rules
            fewer = [replace(best, rules=rules[:one] + rules[one + 1 :]) for one in range(len(rules))]
            worth = [self.lists.value(one) for one in fewer]
            cheap = sorted(range(len(rules)), key=lambda one: -worth[one])[:TRIED]
            self.policy = replace(best, rules=tuple(rule for one, rule in enumerate(rules) if one not in cheap))
            here = self._place()
        return best

    @property
    def room(self) -> int:
        """Rules that are free."""
        return self.most - self.policy.size

    def _place(self) -> _Place:
        """Where the list stands, with other states drawn each time."""
        lists, policy, states = self.lists, self.policy, self.lists.states
        reached = lists.reached(policy.rules)
        priced = lists.priced(policy, reached)
        visits = self._visits(priced.state, priced.option, priced.shift, priced.chance)
        often = visits.sum(axis=1)
        often[states.sets == lists.card.full_mask] = 0.0
        self.turn += 1
        count = max(STATES, self.drawn // len(lists.full))
        passed = np.cumsum(often)
        points = (np.arange(count) + self.turn * 0.618 % 1) / count * passed[-1]
        drawn, times = np.unique(np.searchsorted(passed, points, side="right"), return_counts=True)
        weight = times * (passed[-1] / count)
        ways = [self._ways(priced.worth, visits, state) for state in drawn.tolist()]
        slots = max(len(one) for one in ways)
        fills = np.array([[*one, *[0] * (slots - len(one))] for one in ways])
        points, entered = (np.full((*fills.shape, len(lists.full)), -np.inf) for _ in range(2))
        for row, one in enumerate(ways):
            for slot, both in enumerate(one.values()):
                points[row, slot], entered[row, slot] = both
        ends = self._ends(fills, points, entered, policy.numbers, policy.more)
        says = reached.says[drawn]
        brings, now, here = list[Doubles](), list[Doubles](), ends
        for kept in reached.kept[::-1, says]:
            brings.insert(0, self._pulled(here, ends))
            now.insert(0, np.take_along_axis(brings[0], kept, axis=1))
            here = now[0]
        chance = [*reached.chance[:, says], reached.ends[says]]
        value = float(priced.worth[states.state_index(0, 0), 0])
        return _Place(value, weight, drawn, chance, brings, now, reached.rule[:, says], fills, points, entered)

    def _ways(self, worth: Doubles, visits: Doubles, state: int) -> dict[int, tuple[Doubles, Doubles]]:
        """By what is filled the points of each full throw, and what they bring with those that follow on average."""
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

    def _ends(self, fills: Longs, points: Doubles, entered: Doubles, numbers: Sequence[float], more: int) -> Doubles:
        """Return the value of each full roll if it is entered by these numbers: (states, full rolls)."""
        less = sum((fills >> box & 1) * number for box, number in enumerate(numbers))
        worth = points * (1 + 1 / EQUALS) - np.asarray(less)[:, :, None]
        if more:
            for box in np.flatnonzero(self.lists.enough.any(axis=1)).tolist():
                worth += np.where((fills == 1 << box)[:, :, None], more * self.lists.enough[box], 0)
        found: Doubles = np.take_along_axis(entered, worth.argmax(axis=1)[:, None], axis=1)[:, 0]
        return found

    def _visits(self, state: Longs, option: Longs, shift: Longs, chance: Doubles) -> Doubles:
        """How often each state and upper total is come to."""
        lists, states = self.lists, self.lists.states
        width, top = lists.width, lists.card.max_upper
        visits = np.zeros((len(states), width))
        visits[states.state_index(0, 0), 0] = 1.0
        begins = np.searchsorted(state, np.arange(len(states) + 1))
        for layer in [*states.layers()][::-1]:
            some = layer[visits[layer].any(axis=1)]
            for part in np.array_split(some, len(some) // 2000 + 1):
                count = begins[part + 1] - begins[part]
                at = np.repeat(begins[part] - np.cumsum(count) + count, count) + np.arange(count.sum())
                goes = chance[at, None] * visits[state[at]]
                to = states.entry_options.row[option[at], None] * width
                to = to + np.minimum(np.arange(width) + shift[at, None], top)
                made = goes > 0
                visits += np.bincount(to[made], goes[made], visits.size).reshape(visits.shape)
        return visits

    def _pulled(self, here: Doubles, ends: Doubles) -> Doubles:
        """Return the value of keeping each node, with the values of full rolls, and ``ends`` if all dice are kept."""
        lattice = self.lists.lattice
        found = np.zeros((lattice.node_count, len(here)))
        found[lattice.first_full :] = here.T
        for first, last in zip(lattice.size_start[-3::-1], lattice.size_start[-2:0:-1], strict=True):
            for face, chance in enumerate(lattice.chance.tolist()):
                found[first:last] += found[lattice.child[first:last, face]] * chance
        found[lattice.first_full :] = ends.T
        return np.ascontiguousarray(found.T)

    def _grown(self, here: _Place, count: int) -> _Place | None:
        """So many rules more, the best of different shapes, if they bring more."""
        before, some = self.policy, dict[str, tuple[int, Rule]]()
        for gain, rule, place in sorted(self._candidates(here), key=lambda one: -one[0]):
            if gain < LEAST or len(some) == min(count, self.room) or (some and gain > MUCH):
                break
            some.setdefault(f"{rule.shape} {rule.box}", (place, rule))
        rules = list(before.rules)
        for place, rule in sorted(some.values(), key=lambda one: -one[0]):
            rules.insert(place, rule)
        self.policy = replace(before, rules=tuple(rules))
        after = self._place()
        if after.value > here.value + LEAST:
            return after
        self.policy = before
        return None

    def _candidates(self, here: _Place) -> Iterator[tuple[float, Rule, int]]:
        """Yield the gain of one more rule over the drawn states at its best place, by shape and rolls left.

        With one roll in a turn nothing is kept.
        """
        used = self.lists.states.sets[here.states]
        faces, rows = self.lists.faces(used), np.arange(len(used))[:, None]
        applies = [self.lists.applies(when, used) for when in self.whens]
        count, throws = len(self.policy.rules) + 1, len(here.now)
        for shape in self.shapes:
            table = self.lists.table(shape.shape, shape.numbers, shape.box)
            kept = table[faces % len(table)]
            gains = []
            for throw in range(throws):
                brings = here.brings[throw][rows, np.maximum(kept, 0)] - here.now[throw]
                gain = np.where(kept >= 0, brings * here.chance[throw] * here.weight[:, None], 0.0)
                by = np.bincount((rows * count + here.rule[throw]).ravel(), gain.ravel(), len(used) * count)
                gains.append(by.reshape(-1, count)[:, ::-1].cumsum(axis=1)[:, ::-1])
            for left in range(throws + 1 if throws else 0):
                if left and throws == 1:
                    continue
                gain = gains[throws - left] if left else sum(gains[1:], gains[0])
                by_when = np.array([gain[one].sum(axis=0) for one in applies])
                when, place = divmod(int(by_when.argmax()), count)
                rule = self.whens[when]._replace(shape=shape.shape, numbers=shape.numbers, box=shape.box, left=left)
                yield float(by_when[when, place]), rule, place

    def _numbered(self, here: _Place) -> _Place:
        """Other numbers of boxes, one after another, where they bring more by a part of what is drawn."""
        lists, policy = self.lists, self.policy
        some = slice(self.turn % PART, None, PART)
        often = here.chance[-1][some] * here.weight[some, None] * PART
        fills, points, entered = here.fills[some], here.points[some], here.entered[some]

        def value(numbers: tuple[float, ...], more: int) -> float:
            return float((self._ends(fills, points, entered, numbers, more) * often).sum())

        best = start = value(policy.numbers, policy.more)
        numbers, more = policy.numbers, policy.more
        places = [*range(len(numbers)), *([-1] if lists.enough.any() else [])]
        for place, by in product(places, NUMBERS):
            other = tuple(one + by * (number == place) for number, one in enumerate(numbers))
            more_ = more + by * (place < 0)
            if replace(policy, numbers=other, more=more_).size > self.most:
                continue  # a number more is a rule more
            if (brought := value(other, more_)) > best + LEAST / 10:
                best, numbers, more = brought, other, more_
        if best < start + LEAST:
            return here
        self.policy = replace(policy, numbers=numbers, more=more)
        if lists.value(self.policy) > here.value:
            return self._place()
        self.policy = policy
        return here


def _shapes(lists: Carried) -> Iterator[Rule]:
    """Every shape with its numbers."""
    card = lists.card
    dice, faces = range(1, card.dice), range(1, card.faces + 1)
    many = [(number,) for number in dice]
    runs = [(one.name, len(one.condition.straights[0])) for one in card.categories if one.condition.straights]
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


def _different(lists: Carried, shapes: Iterator[Rule]) -> Iterator[Rule]:
    """Those that ever fit, and do not keep what one before does."""
    seen = set()
    for one in shapes:
        table = lists.table(one.shape, one.numbers, one.box)
        if one.shape in SHAPES and (table >= 0).any() and (bits := table.tobytes()) not in seen:
            seen.add(bits)
            yield one


def _whens(names: Sequence[str], last: Sequence[int]) -> Iterator[Rule]:
    """Which boxes are open or used: none told, one, two of them."""
    yield Rule("")
    yield from (Rule("", boxes=most) for most in last)
    for one in names:
        yield Rule("", open=(one,))
        yield Rule("", used=(one,))
    for one, other in combinations(names, 2):
        yield Rule("", open=(one, other))
        yield Rule("", open=(one, other), either=True)
        yield Rule("", used=(one, other))
        yield Rule("", open=(one,), used=(other,))
        yield Rule("", open=(other,), used=(one,))


def _main(names: Sequence[str]) -> None:
    kept = json.loads(KEPT.read_text())
    for name in names:
        game = known(name) if name in FILES else load_rules(name)
        levels = list[Any]()
        for level in (2, 3, 4):
            levels.append(told(found(game, level, DRAWN, print)))
            kept[game.id] = {"boxes": list(game.data.names), "levels": levels}
            KEPT.write_text(json.dumps(kept, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1:])
