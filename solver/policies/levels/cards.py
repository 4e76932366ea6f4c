"""Levels of cards that are filled alone for the most points: which dice are kept, and where they are entered.

    1  a sentence: one rule for keeping, and where a throw is entered of all that can be said of every box alike;
    2  a par for each box, and a few rules for keeping;
    3  a list of at most ``LIST`` rules, the pars of the boxes counted as rules;
    4  the same with more rules, which may ask how many boxes are left.

Dice are kept by the first rule that fits, and entered where the points minus the box's par are most. That looks at
the throw, at the throws left and at which boxes are open, never at points: what a turn ends with has the same chances
whatever the upper total. So a list is priced in one pass: ``reached`` carries the chances of all throws through a turn,
on the lattice of partial throws, once for all sets of boxes in which the rules say the same; then ``priced`` sums what
follows over boxes and upper totals. Every term is positive, so rounding is a share of what comes out.

*Level 1*: all of the form are tried. The others are found by ``cardfinder``, and those of ``cards.json`` are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...games.card_rules import Card
from ...play.card import CardGame, CardPosition
from ...play.playable_game import Choice
from ...solvers.cards.model import CardStates, popcount
from ...turns.keep_turn import Doubles, Longs
from ...util.number_format import format_count

Bools = NDArray[np.bool_]
FEW, LIST, LONG = 20, 40, 50  # rules of levels 2, 3 and 4, the pars of boxes counted
PARTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the most that a box holds: what level 1 takes off
KEPT = Path(__file__).parent / "cards.json"
MAX_DECIDED_ROLLS = 60_000_000  # throws of states that are decided one by one
AT_ONCE = 2_000_000  # of them in a block
ROUNDED = 2.0**-53
EQUALS = 2.0**20  # points are so little of what is compared: of equals the most points


class Rule(NamedTuple):
    """A rule for which dice to keep, and the conditions under which it applies.

    Its ``shape`` has numbers, and may be about a box. The rule applies if all boxes in ``open``
    are open (one of them with ``either``), and those in ``used`` are used. If they are not 0, ``left`` is the number of
    rolls left, and ``boxes`` the most boxes left.
    """

    shape: str
    numbers: tuple[int, ...] = ()
    box: str = ""
    open: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    either: bool = False
    left: int = 0
    boxes: int = 0


@dataclass(frozen=True)
class RuleListPolicy:
    """A list of rules for keeping dice, and a par for each box (``numbers``) for entering them.

    The first rule that applies says which dice to keep; without one, none. The roll is entered in the box with the most
    points minus the box's par, of equals in the one with more points. In an upper box, points count ``more`` if the
    roll has as many dice of its face as make the bonus in every box.
    """

    rules: tuple[Rule, ...]
    numbers: tuple[float, ...]
    more: int = 0

    @property
    def size(self) -> int:
        """Rules, the pars of boxes counted."""
        return len(self.rules) + sum(map(bool, (*self.numbers, self.more)))

    def observation_key(self, start: CardPosition) -> Hashable:
        """Which boxes are used."""
        return start.own_card.used

    def choose(self, playable: CardGame, position: CardPosition) -> Choice[CardPosition]:
        """Return the choice that the policy makes in a decision position."""
        assert position.roll is not None
        lists, choices, used = list_evaluator(playable.card), playable.choices(position), position.own_card.used
        throw = int(lists.lattice.node_indices([position.roll])[0]) - lists.lattice.first_full
        if position.throw < playable.card.throws:
            _, counts = lists.apply_rules(self.rules, used, playable.card.throws - position.throw, throw)
            return next(
                candidate
                for candidate in choices
                if tuple(candidate.keep.count(face) for face in playable.faces) == counts
            )

        def worth(choice: Choice[CardPosition]) -> tuple[float, int]:
            fills = choice.after.cards[position.seat].used ^ used
            boxes = [number for number in range(len(self.numbers)) if fills >> number & 1]
            bonus = self.more * int(lists.has_enough_dice[boxes[0], throw]) if len(boxes) == 1 else 0
            return choice.points + bonus - sum(self.numbers[number] for number in boxes), choice.points

        return max(choices, key=worth)

    def explain(self, playable: CardGame, position: CardPosition) -> str:
        """Return in words the rule that applies, or the par of the box."""
        lists, used, roll = list_evaluator(playable.card), position.own_card.used, position.roll
        assert roll is not None
        if position.throw == playable.card.throws:
            fills = self.choose(playable, position).after.cards[position.seat].used ^ used
            numbers_by_box = [
                (name, self.numbers[box]) for box, name in enumerate(playable.card.names) if fills >> box & 1
            ]
            return f"the par of {' and of '.join(f'{name} is {number:g}' for name, number in numbers_by_box)}"
        throw = int(lists.lattice.node_indices([roll])[0]) - lists.lattice.first_full
        rule, _ = lists.apply_rules(self.rules, used, playable.card.throws - position.throw, throw)
        return sentence(rule, playable.card).rstrip(".") if rule else "no rule applies: roll all dice again"


# --- what a rule keeps


def _keep_most_frequent(counts: Longs, fits: Bools, number: int, first: Longs | int = 0) -> tuple[Longs, Bools]:
    """Return the dice of the faces that most dice show, and whether enough faces fit, for each roll.

    Args:
        counts: (rolls, faces), the number of dice of each face.
        fits: (rolls, faces), the faces that may be kept.
        number: how many faces are kept.
        first: (rolls, faces), of faces with equal counts those with more in this come first, then the highest.
    """
    faces = counts.shape[1]
    order = np.argsort(-np.where(fits, (counts * 2 + first) * faces + np.arange(faces), -1), axis=1, kind="stable")
    nodes = np.zeros_like(counts)
    rows = np.arange(len(counts))[:, None]
    nodes[rows, order[:, :number]] = counts[rows, order[:, :number]]
    return nodes, fits.sum(axis=1) >= number


class Throws(NamedTuple):
    """All full rolls, their points in the box in question, its runs, and the faces whose boxes are open."""

    counts: Longs
    points: Longs
    runs: tuple[tuple[int, ...], ...]
    open: Longs

    def run(self, least: int) -> tuple[Longs, Bools]:
        """Return one die of each face of the run of which most faces are there; of equal runs the last counts."""
        dice, max_matches = np.zeros_like(self.counts), np.zeros(len(self.counts), dtype=np.int64)
        for run in self.runs:
            faces = np.isin(np.arange(self.counts.shape[1]) + 1, run)
            row = np.where(faces, np.minimum(self.counts, 1), 0)
            matches = row.sum(axis=1)
            dice, max_matches = np.where((matches >= max_matches)[:, None], row, dice), np.maximum(max_matches, matches)
        return dice, np.asarray(max_matches >= least)

    def high(self, least: int, of: Longs | int = 1) -> tuple[Longs, Bools]:
        """Return the dice that show a number or more."""
        dice = self.counts * of * (np.arange(self.counts.shape[1]) + 1 >= least)
        return dice, dice.sum(axis=1) > 0

    def face(self, least: int, face: int) -> tuple[Longs, Bools]:
        """Return the dice of a face, and whether there are enough."""
        dice = self.counts * (np.arange(self.counts.shape[1]) + 1 == face)
        return dice, dice.sum(axis=1) >= least

    def run_and_alike(self, least: int, alike: int, of: Longs | int = 1) -> tuple[Longs, Bools]:
        """Return the dice of a run and all dice of the face with the most dice."""
        (run_dice, run_fits), (two, there) = (
            self.run(least),
            _keep_most_frequent(self.counts, self.counts * of >= alike, 1),
        )
        return np.maximum(run_dice, two), run_fits & there


class Shape(NamedTuple):
    """A kind of rules, which say what dice to keep.

    Attributes:
        phrase: the rule in words, with places for its numbers and its box.
        keep: returns the dice that are kept of every full roll, and whether the rule applies, from the rule's numbers.
        asks_open: whether that depends on the faces whose boxes are open.
        phrase_for_one: the words if the only number is 1, so that the rule applies to every roll; "" for ``phrase``.
    """

    phrase: str
    keep: Callable[..., tuple[Longs, Bools]]
    asks_open: bool = False
    phrase_for_one: str = ""


SHAPES: Mapping[str, Shape] = {
    "made": Shape(
        "A roll worth {0} points or more in {box}: keep all dice", lambda on, least: (on.counts, on.points >= least)
    ),
    "run": Shape("{0} or more faces of a {box}: keep one die of each", lambda on, least: on.run(least)),
    "alike": Shape(
        "{0} or more alike: keep them",
        lambda on, least: _keep_most_frequent(on.counts, on.counts >= least, 1),
        phrase_for_one="Any face: keep its dice",
    ),
    "alike open": Shape(
        "{0} or more alike whose box is open: keep them",
        lambda on, least: _keep_most_frequent(on.counts, on.open * on.counts >= least, 1),
        asks_open=True,
        phrase_for_one="Any face whose box is open: keep its dice",
    ),
    "alike first": Shape(
        "{0} or more alike: keep them; of equally many, prefer those whose box is open",
        lambda on, least: _keep_most_frequent(on.counts, on.counts >= least, 1, on.open),
        asks_open=True,
        phrase_for_one="Any face: keep its dice; of equally many, prefer those whose box is open",
    ),
    "faces": Shape(
        "{1} groups of {0} or more alike: keep them",
        lambda on, least, number: _keep_most_frequent(on.counts, on.counts >= least, number),
    ),
    "faces open": Shape(
        "{1} groups of {0} or more alike whose boxes are open: keep them",
        lambda on, least, number: _keep_most_frequent(on.counts, on.open * on.counts >= least, number),
        asks_open=True,
    ),
    "both": Shape(
        "{0} or more faces of a {box} and {1} or more alike: keep both",
        lambda on, *bounds: on.run_and_alike(*bounds),
    ),
    "both open": Shape(
        "{0} or more faces of a {box} and {1} or more alike whose box is open: keep both",
        lambda on, *bounds: on.run_and_alike(*bounds, on.open),
        asks_open=True,
    ),
    "high": Shape("Dice that show {0} or more: keep them", lambda on, least: on.high(least)),
    "high open": Shape(
        "Dice that show {0} or more, whose box is open: keep them",
        lambda on, least: on.high(least, on.open),
        asks_open=True,
    ),
    "face": Shape("{0} or more dice that show {1}: keep them", lambda on, least, face: on.face(least, face)),
    "nothing": Shape("Any roll: keep nothing", lambda on: (0 * on.counts, np.ones(len(on.counts), dtype=bool))),
}


def sentence(rule: Rule, card: Card) -> str:
    """Return a rule of a card in words; of a box with fixed points, without them."""
    shape = SHAPES[rule.shape]
    phrase = shape.phrase_for_one if rule.numbers == (1,) and shape.phrase_for_one else shape.phrase
    if rule.shape == "made" and len(set(card.part_scores[card.names.index(rule.box)].tolist()) - {0}) == 1:
        phrase = "A roll that scores in {box}: keep all dice"
    phrases = [phrase.format(*rule.numbers, box=rule.box)]
    if rule.open:
        verb = "are" if len(rule.open) > 1 and not rule.either else "is"
        phrases.append(f"if {(' or ' if rule.either else ' and ').join(rule.open)} {verb} open")
    if rule.used:
        verb = "are" if len(rule.used) > 1 else "is"
        phrases.append(f"{'and' if rule.open else 'if'} {' and '.join(rule.used)} {verb} filled")
    if rule.boxes:
        phrases.append(f"with at most {rule.boxes} {'box' if rule.boxes == 1 else 'boxes'} left")
    if rule.left:
        phrases.append(f"with {format_count(rule.left, 'roll')} left")
    return f"{', '.join(phrases)}."


# --- what a list is worth


class TurnCourse(NamedTuple):
    """The course of a turn under a list of rules, by groups of states in which the rules say the same (rows).

    Attributes:
        row_of_state: (states,), the row of each state.
        kept: (rolls - 1, rows, full rolls), the nodes that are kept.
        rule: (rolls - 1, rows, full rolls), the index of the rule that applies.
        chance: (rolls - 1, rows, full rolls), the probability to have this roll.
        ends: (rows, full rolls), the probability to end the turn with this roll.
    """

    row_of_state: Longs
    kept: Longs
    rule: Longs
    chance: Doubles
    ends: Doubles


class ListValues(NamedTuple):
    """Points still to come (states, upper totals); and of what is entered its chance, state, upper points, option."""

    worth: Doubles
    chance: Doubles
    state: Longs
    shift: Longs
    option: Longs


class ListEvaluator:
    """A card for which lists are priced."""

    def __init__(self, card: Card) -> None:
        self.card, self.lattice = card, card.lattice
        self.full: Longs = card.lattice.full_rolls.astype(np.int64)
        self.width = card.max_upper + 1
        face_of = {category.face: number for number, category in enumerate(card.categories) if category.face}
        self.own = np.array([face_of.get(face, -1) for face in range(1, card.faces + 1)])
        self.states = CardStates(card)
        self.entered = lru_cache(maxsize=4)(self._entered)
        self.table = cache(self._table)

    @cached_property
    def alike(self) -> int:
        """So many dice of each face make the bonus."""
        return -(-self.card.upper_steps[0][0] // sum(range(1, self.card.faces + 1))) if self.card.upper_mask else 0

    @cached_property
    def has_enough_dice(self) -> Bools:
        """(boxes, full throws): whether it is an upper box that holds so many dice."""
        rows = np.zeros((len(self.card.names), len(self.full)), dtype=bool)
        for number, category in enumerate(self.card.categories):
            if category.face and self.card.upper_mask >> number & 1:
                rows[number] = self.full[:, category.face - 1] >= self.alike
        return rows

    def _table(self, shape: str, numbers: tuple[int, ...], box: str) -> Longs:
        """Return the node that a rule keeps of every full roll, or -1 if it does not apply.

        There is a row for each mask of faces whose boxes are open, or one row if the rule does not ask for them.
        """
        category = self.card.categories[self.card.names.index(box)] if box else None
        points = np.array(self.card.part_scores[self.card.names.index(box)] if shape == "made" else 0)
        rows = []
        for open_ in range(1 << self.card.faces if SHAPES[shape].asks_open else 1):
            faces = open_ >> np.arange(self.card.faces) & 1
            on = Throws(self.full, points, category.condition.straights if category else (), faces)
            dice, fits = SHAPES[shape].keep(on, *numbers)
            rows.append(np.where(fits, self.lattice.node_indices(dice.tolist()), -1))
        return np.array(rows)

    def applies(self, rule: Rule, used: Longs) -> Bools:
        """Return True where the used categories are those that a rule is for; the roll does not matter."""
        open_, used_masks = (
            np.array(masks, dtype=np.int64) for masks in (self._masks(rule.open), self._masks(rule.used))
        )
        free = used[:, None] & open_ == 0
        fits: Bools = (free.any(axis=1) if rule.either else free.all(axis=1)) if rule.open else np.ones(len(used), bool)
        fits &= (used[:, None] & used_masks != 0).all(axis=1)
        if rule.boxes:
            fits &= len(self.card.names) - popcount(used) <= rule.boxes
        return fits

    def _masks(self, names: Iterable[str]) -> list[int]:
        return [1 << self.card.names.index(name) for name in names]

    def faces(self, used: Longs) -> Longs:
        """Return the faces whose boxes are open, as masks."""
        open_faces = np.zeros_like(used)
        for face, number in enumerate(self.own.tolist()):
            open_faces |= (0 if number < 0 else 1 - (used >> number & 1)) << face
        return open_faces

    def apply_rules(
        self, rules: Sequence[Rule], used: int, left: int, throw: int
    ) -> tuple[Rule | None, tuple[int, ...]]:
        """Return the rule that applies to a roll, or None, and the dice that are kept, as counts of faces."""
        only, rule_found, node = np.array([used]), None, 0
        for rule in rules:
            if rule.left in (0, left) and self.applies(rule, only)[0]:
                table = self.table(rule.shape, rule.numbers, rule.box)
                if (fits := int(table[int(self.faces(only)[0]) % len(table), throw])) >= 0:
                    rule_found, node = rule, fits
                    break
        return rule_found, tuple(self.lattice.counts[node].tolist())

    def kept_by_state(self, rules: Sequence[Rule], states: Longs) -> tuple[Longs, Longs, Longs]:
        """By state the row of those in which the rules say the same; and of each row what is kept, by which rule."""
        used = self.states.sets[states]
        faces, applies = self.faces(used), np.array([self.applies(rule, used) for rule in rules]).reshape(-1, len(used))
        packed = np.packbits(np.concatenate((faces >> np.arange(self.card.faces)[:, None] & 1, applies)), axis=0)
        _, first, row_of_state = np.unique(packed, axis=1, return_index=True, return_inverse=True)
        shape = (self.card.throws - 1, len(first), len(self.full))
        nodes, by = np.full(shape, -1), np.full(shape, len(rules))
        for place, rule in enumerate(rules):
            rows = np.flatnonzero(applies[place, first])
            table = self.table(rule.shape, rule.numbers, rule.box)
            new = table[faces[first[rows]] % len(table)]
            for throw in range(len(nodes)):
                if rule.left in (0, len(nodes) - throw):
                    newly_kept = (nodes[throw, rows] < 0) & (new >= 0)
                    nodes[throw, rows] = np.where(newly_kept, new, nodes[throw, rows])
                    by[throw, rows] = np.where(newly_kept, place, by[throw, rows])
        return row_of_state.reshape(-1), np.maximum(nodes, 0), by

    def turn_course(self, rules: Sequence[Rule]) -> TurnCourse:
        """Return the course of a turn under some rules, in all states."""
        row_of_state, kept_nodes, by = self.kept_by_state(rules, np.arange(len(self.states)))
        count, lattice = kept_nodes.shape[1], self.lattice
        probability = np.repeat(lattice.weight[None], count, axis=0)
        chance, ends = np.empty(kept_nodes.shape), np.zeros_like(probability)
        for throw, nodes in enumerate(kept_nodes):
            chance[throw] = probability
            place = nodes + np.arange(count)[:, None] * lattice.node_count
            flow = np.bincount(place.ravel(), weights=probability.ravel(), minlength=count * lattice.node_count)
            flow = np.ascontiguousarray(flow.reshape(count, -1).T)
            ends += flow[lattice.first_full :].T
            flow[lattice.first_full :] = 0.0
            for first, stop in zip(lattice.size_start[:-2], lattice.size_start[1:-1], strict=True):
                for face, of_face in enumerate(lattice.chance.tolist()):
                    flow[lattice.child[first:stop, face]] += flow[first:stop] * of_face
            probability = np.ascontiguousarray(flow[lattice.first_full :].T)
        return TurnCourse(row_of_state, kept_nodes, by, chance, ends + probability)

    def worths(self, bonus: int) -> Doubles:
        """Return the numbers by which entries of full rolls are compared: (columns, full rolls); -inf if not allowed.

        The points are added once more with a tiny weight, so that they decide between equals.
        """
        card = self.card
        enough = self.has_enough_dice[np.arange(len(card.scores)) % len(card.names)] if card.boxes == 1 else 0
        worths: Doubles = np.where(card.scores < 0, -np.inf, card.scores + bonus * enough + card.scores / EQUALS)
        return worths

    def options(self, numbers: Sequence[float]) -> Doubles:
        """Return the sum of the boxes' numbers for each option."""
        fills = self.states.sets[self.states.entry_options.row] ^ self.states.sets[self.state_of_option]
        sums: Doubles = sum((fills >> box & 1) * number for box, number in enumerate(numbers)) + np.zeros(len(fills))
        return sums

    @cached_property
    def state_of_option(self) -> Longs:
        """The state of each option."""
        return np.repeat(np.arange(len(self.states)), np.diff(self.states.entry_options.option_start))

    def _entered(self, numbers: tuple[float, ...], bonus: int) -> NDArray[np.int32]:
        """Return the option by which each full roll is entered: (states, full rolls); -1 if the card is full."""
        problems, worths, subtracted = self.states.entry_options, self.worths(bonus), self.options(numbers)
        options = np.full((len(self.states), len(self.full)), -1, dtype=np.int32)
        for state, (begin, end) in enumerate(
            zip(problems.option_start[:-1].tolist(), problems.option_start[1:].tolist(), strict=True)
        ):
            if begin < end:
                worth = worths[problems.column[begin:end]] - subtracted[begin:end, None]
                for option in np.flatnonzero(self.is_partial_option[begin:end]).tolist():
                    worth[option, : problems.first_roll[begin + option]] = -np.inf
                    worth[option, problems.end_roll[begin + option] :] = -np.inf
                options[state] = begin + worth.argmax(axis=0)
        return options

    @cached_property
    def is_partial_option(self) -> Bools:
        """Options that are not for all throws."""
        problems = self.states.entry_options
        is_partial_option: Bools = (problems.first_roll > 0) | (problems.end_roll < len(self.full))
        return is_partial_option

    @cached_property
    def steps(self) -> tuple[Longs, Longs]:
        """The upper points of each column and throw, as their place among the column's; and the points by place."""
        places, least = np.zeros(self.card.upper_gains.shape, dtype=np.int64), []
        for number, row in enumerate(self.card.upper_gains):
            gains, places[number] = np.unique(row, return_inverse=True)
            least.append(gains)
        width = max(map(len, least))
        return places, np.array([np.pad(gains, (0, width - len(gains))) for gains in least])

    def list_values(self, policy: RuleListPolicy, course: TurnCourse | None = None) -> ListValues:
        """Return the values of a list from every state and upper total on."""
        card, states, problems = self.card, self.states, self.states.entry_options
        course = course or self.turn_course(policy.rules)
        entered, (places, upper) = self.entered(policy.numbers, policy.more), self.steps
        parts = upper.shape[1]
        chance, gained = np.zeros(len(problems.column) * parts), np.zeros(len(states))
        live, full_rolls = np.flatnonzero(states.sets != card.full_mask), np.arange(len(self.full))
        block = max(1, AT_ONCE // len(full_rolls))
        for part in (live[begin : begin + block] for begin in range(0, len(live), block)):
            ends, option = course.ends[course.row_of_state[part]], entered[part]
            column = problems.column[option]
            gained[part] = (card.scores[column, full_rolls] * ends).sum(axis=1)
            place = option * parts + places[column, full_rolls]
            low = int(problems.option_start[part[0]]) * parts
            weights = np.bincount((place - low).ravel(), weights=ends.ravel())
            chance[low : low + len(weights)] += weights
        used = np.flatnonzero(chance)
        chance, option = chance[used], used // parts
        state, shift = self.state_of_option[option], upper[problems.column[option], used % parts]
        worth = np.zeros((len(states), self.width))
        worth[states.sets == card.full_mask] = card.bonuses
        begins = np.searchsorted(state, np.arange(len(states) + 1))
        block = max(1, AT_ONCE // self.width // 64)
        for layer in states.layers():
            for part in (layer[begin : begin + block] for begin in range(0, len(layer), block)):
                count = begins[part + 1] - begins[part]
                first = np.cumsum(count) - count
                at = np.repeat(begins[part] - first, count) + np.arange(count.sum())
                after = np.minimum(np.arange(self.width) + shift[at, None], card.max_upper)
                then = chance[at, None] * worth[problems.row[option[at]][:, None], after]
                worth[part] = gained[part, None] + np.add.reduceat(then, first, axis=0)
        return ListValues(worth, chance, state, shift, option)

    def value(self, policy: RuleListPolicy) -> float:
        """Return the mean points of an empty card."""
        return float(self.list_values(policy).worth[self.states.state_index(0, 0), 0])

    @cached_property
    def bound(self) -> float:
        """Return a bound of the rounding error of a value: one rounding for each term of the longest sums of a turn."""
        lattice, card = self.lattice, self.card
        walk = (card.throws - 1) * (len(self.full) + 2 * lattice.dice * lattice.faces) + len(self.full)
        sums = len(self.full) + int(np.diff(self.states.entry_options.option_start).max()) * self.steps[1].shape[1] + 8
        return float(len(card.names) // card.boxes * (walk + sums) * ROUNDED * (card.max_points(card.full_mask) + 1))


@lru_cache(maxsize=2)
def list_evaluator(card: Card) -> ListEvaluator:
    """Return the evaluator of lists for a card; the last ones are kept."""
    return ListEvaluator(card)


# --- levels


def parse_rule_list(data: Mapping[str, Any]) -> RuleListPolicy:
    """Return a list from the form in which ``cards.json`` stores it."""
    rules = [Rule(**{name: _as_tuple(value) for name, value in rule.items()}) for rule in data["rules"]]
    return RuleListPolicy(tuple(rules), tuple(data["numbers"]), data["more"])


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def serialize_rule_list(policy: RuleListPolicy) -> dict[str, Any]:
    """Return a list in the form in which ``cards.json`` stores it: fields that differ from their defaults."""
    usual = Rule._field_defaults
    rules = [
        {name: value for name, value in rule._asdict().items() if usual.get(name) != value} for rule in policy.rules
    ]
    return {"numbers": list(policy.numbers), "more": policy.more, "rules": rules}
