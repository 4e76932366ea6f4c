"""Local search for limits and kept sets of push-your-luck policies, for all objectives.

The turns of a policy are walked forwards (``PushTurn.reach_probabilities``), which gives the probability of reaching
each decision. With the payoffs of the endings, if the same policy goes on, this gives the first-order gain of any other
number: another limit, or another set kept of a roll, in all turns that the policy decides alike. All promising changes
are tried at once. If that does not improve the policy, they are tried one after another, and the search ends if none
does. So nothing is fitted to optimal play: each change is evaluated by the policy's own value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from operator import or_
from typing import NamedTuple

import numpy as np

from ...games.push_rules import PushRules
from ...solvers.model import Ints
from ...turns.push_turn import Caps, Decisions, Doubles, TurnChoice
from ..push_policies import DiceCountPolicy, LimitPolicy, usual_choices

RISE = 1e-11  # as a share of the value, or of 1 if that is more; a smaller gain is rounding
TRIED = 16  # changes that are tried one after another
NEVER = -1e100  # the value of a choice that is not allowed
MAX_EXCEPTIONS = 24  # exceptions to the usual set on a page
AT_ONCE = 512  # lanes walked in one call

Cells = tuple[LimitPolicy | DiceCountPolicy, ...]  # what is done, by cell: where scores lie
Groups = list[list[int]]  # numbers of dice, or hands, that have one limit together


class Estimate(NamedTuple):
    """The value of a policy, as computed.

    Attributes:
        value: the value.
        error: a bound of its error, apart from a rounding error of less than RISE / 2.
    """

    value: float
    error: float = 0.0

    def surely_exceeds(self, other: Estimate) -> bool:
        """Return True if this value is larger, whatever the errors of both."""
        return self.value - other.value > self.error + other.error + RISE * max(1.0, abs(other.value))


class Turns(NamedTuple):
    """Turns that a policy plays, as lanes.

    Attributes:
        payoff: (endings, lanes), the payoffs of the endings times the probability that the turn is played.
        caps: (lanes,), the turn points at which the tables end.
        least: (lanes,), the fewest units whose bank counts.
        wins: (lanes,), the fewest units that win, with which the policy stops if it may.
        cell: (lanes,), the cell whose limits decide.
    """

    payoff: Doubles
    caps: Caps
    least: Ints
    wins: Ints
    cell: Ints

    def part(self, lanes: slice | Ints) -> Turns:
        """Return some of the lanes."""
        return Turns(self.payoff[:, lanes], self.caps[lanes], self.least[lanes], self.wins[lanes], self.cell[lanes])


class Change(NamedTuple):
    """A change of a policy.

    Attributes:
        gain: its first-order gain.
        cells: returns the changed policy.
        gives_up: the change removes an exception to the usual set.
    """

    gain: float
    cells: Callable[[Cells], Cells]
    gives_up: bool = False


def limit_change(dice: Sequence[int], limit: int, cell: int = 0) -> Callable[[Cells], Cells]:
    """Return the change to another limit of some numbers of dice in a cell."""

    def apply(cells: Cells) -> Cells:
        hold = cells[cell]
        assert isinstance(hold, LimitPolicy)
        changed = replace(hold, by_dice={**hold.by_dice, **dict.fromkeys(dice, limit)})
        return (*cells[:cell], changed, *cells[cell + 1 :])

    return apply


def _with_exception(offered: tuple[TurnChoice, ...], choice: int | None) -> Callable[[Cells], Cells]:
    """Return the change to another set of the offered ones in all cells; None for the usual set."""

    def apply(cells: Cells) -> Cells:
        (keep,) = {id(hold.keep): dict(hold.keep) for hold in cells if isinstance(hold, LimitPolicy)}.values() or ({},)
        keep.pop(offered, None)
        if choice is not None:
            keep[offered] = choice
        return tuple(replace(hold, keep=keep) for hold in cells if isinstance(hold, LimitPolicy))

    return apply


def _dice_count_change(dice: int, cell: int) -> Callable[[Cells], Cells]:
    """Return the change to another number of dice in a cell."""
    return lambda cells: (*cells[:cell], DiceCountPolicy(dice), *cells[cell + 1 :])


def _most_points_choice(offered: tuple[TurnChoice, ...]) -> int:
    return int(np.argmax([choice.added_points for choice in offered]))


def policy_decisions(rules: PushRules, turns: Turns, cells: Sequence[LimitPolicy | DiceCountPolicy]) -> Decisions:
    """Return the decisions of a policy in these turns: (rows, modes + roll classes, lanes)."""
    turn, rows = rules.turn, rules.turn.row_count(int(turns.caps.max()))
    known: dict[tuple[int, ...], Decisions] = {}
    for key in zip(*(column.tolist() for column in turns[1:]), strict=True):
        if key not in known:
            cap, least, wins, cell = key
            known[key] = cells[cell].decisions(rules, turn, rows, cap, least, wins)
    decisions = [known[key][..., 0] for key in zip(*(column.tolist() for column in turns[1:]), strict=True)]
    by_lane = np.empty((*decisions[0].shape, len(decisions)), dtype=np.int16)
    for row in range(rows):  # so that what is turned round stays in the processor
        by_lane[row] = np.array([nodes[row] for nodes in decisions]).T
    return by_lane


def changes(rules: PushRules, turns: Turns, cells: Cells, together: Groups, sets: bool) -> Iterator[Change]:
    """Yield the changes with a first-order gain: limits of dice that go ``together``, and with ``sets`` kept sets."""
    if not len(turns.cell):  # nobody comes there
        return
    if rules.chooses_dice:
        yield from _numbers_rolled(rules, turns, cells)
        return
    limits = np.zeros((len(cells), rules.dice, rules.turn.row_count(int(turns.caps.max()))))
    worths: dict[tuple[TurnChoice, ...], Doubles] = {}
    for first in range(0, len(turns.cell), AT_ONCE):
        part = turns.part(slice(first, first + AT_ONCE))
        _add_up(rules, part, cells, limits, worths if sets or rules.never_stops else None)
    usual: Mapping[tuple[TurnChoice, ...], int] = {}
    if rules.never_stops:
        (hold,) = cells
        assert isinstance(hold, LimitPolicy)
        usual = usual_choices(rules, hold)
        if not sets:  # exceptions are stated relative to the usual sets
            yield from _thresholds(rules, hold, worths, together)
    else:
        yield from _limits(rules, cells, limits, together)
    for offered, payoffs in worths.items() if sets else ():
        best, usual_choice = int(payoffs.argmax()), usual.get(offered, _most_points_choice(offered))
        assert isinstance(cells[0], LimitPolicy)
        current = cells[0].keep.get(offered, usual_choice)
        if payoffs[best] > payoffs[current]:
            exception = None if best == usual_choice else best
            yield Change(float(payoffs[best] - payoffs[current]), _with_exception(offered, exception))
        if current != usual_choice:
            gain = float(payoffs[usual_choice] - payoffs[current])
            yield Change(gain, _with_exception(offered, None), gives_up=True)


def _limits(rules: PushRules, cells: Cells, limits: Doubles, groups: Groups) -> Iterator[Change]:
    reachable, rows = rules.turn.reachable_points_by_mode(limits.shape[2] - 1), limits.shape[2]
    for (cell, hold), group in product(enumerate(cells), groups):
        assert isinstance(hold, LimitPolicy)
        of_group = limits[cell, [dice - 1 for dice in group]].sum(axis=0)
        gains = np.append(np.cumsum(of_group[::-1])[::-1], 0.0)  # of banking from each unit on
        can = reduce(or_, (reachable[rules.hand_mode(dice)] for dice in group))
        units = [*(unit for unit in range(1, rows) if can >> unit & 1), rows]
        best = units[int(np.argmax(gains[units]))]
        gain = float(gains[best] - gains[min(hold.by_dice[group[0]] // rules.grain, rows)])
        if gain > 0:
            yield Change(gain, limit_change(group, best * rules.grain, cell))


def thresholds(rules: PushRules) -> list[int]:
    """List the numbers that decide what is set aside if nobody may stop (see ``LimitPolicy``): one for each behaviour.

    Highest points are best: a set of more dice is preferred up to the points that each of its further dice adds.
    """
    if rules.best == "lowest":
        return [*range(rules.max_points_per_die + 1)]
    limits = {0}
    for dice in range(1, rules.dice + 1):
        for roll, _ in rules.rolls(dice):
            max_points_by_count = dict[int, int]()
            for dice_set in [] if rules.special_roll(roll) else rules.sets_of(roll):
                max_points_by_count[sum(dice_set)] = max(
                    rules.set_points(dice_set), max_points_by_count.get(sum(dice_set), rules.set_points(dice_set))
                )
            for (fewer, fewer_points), (more_dice, points) in combinations(sorted(max_points_by_count.items()), 2):
                limits.add(max(0, (points - fewer_points) // (more_dice - fewer)))
    return [*sorted(limits), max(limits) + 1]


def _thresholds(
    rules: PushRules, hold: LimitPolicy, worths: Mapping[tuple[TurnChoice, ...], Doubles], groups: Groups
) -> Iterator[Change]:
    """Yield better numbers that decide what is set aside."""
    current_sum = _sum_of_payoffs(worths, usual_choices(rules, hold), hold)
    numbers = thresholds(rules)
    for group in groups:
        gains = list[float]()
        for number in numbers:
            (changed,) = limit_change(group, number)((hold,))
            assert isinstance(changed, LimitPolicy)
            gains.append(_sum_of_payoffs(worths, usual_choices(rules, changed), hold) - current_sum)
        if max(gains) > 0:
            yield Change(max(gains), limit_change(group, numbers[gains.index(max(gains))]))


def _sum_of_payoffs(
    worths: Mapping[tuple[TurnChoice, ...], Doubles], usual: Mapping[tuple[TurnChoice, ...], int], hold: LimitPolicy
) -> float:
    return sum(float(payoffs[hold.keep.get(offered, usual[offered])]) for offered, payoffs in worths.items())


def _numbers_rolled(rules: PushRules, turns: Turns, cells: Cells) -> Iterator[Change]:
    """Yield the changes to better numbers of dice."""
    turn, payoff = rules.turn, turns.payoff[None]
    solved = turn.solve(payoff, turns.caps, inner=True, fixed_decisions=policy_decisions(rules, turns, cells))
    dice_values = turn.roll_values(solved, payoff, rules.dice_choice_mode, np.zeros(1, dtype=np.int64))[:, 0, 0]
    for cell, roll in enumerate(cells):
        assert isinstance(roll, DiceCountPolicy)
        gains = dice_values[:, turns.cell == cell].sum(axis=1)
        gain = float(gains.max() - gains[roll.dice - 1])
        if gain > 0:
            yield Change(gain, _dice_count_change(int(gains.argmax()) + 1, cell))


def _values_after(choice: TurnChoice, turns: Turns, inner: Doubles, point_count: int) -> Doubles:
    """Return the values after a choice, by turn points before it and lane: (point_count, lanes).

    Args:
        choice: the choice.
        turns: the turns, with the payoffs of their endings.
        inner: (modes, turn points, lanes), the values inside the turns.
        point_count: the number of turn points, from 0 on, that are asked about.
    """
    if choice.next_mode < 0:
        return np.broadcast_to(turns.payoff[-1 - choice.next_mode], (point_count, len(turns.caps)))
    points_after = np.arange(point_count) * choice.keeps_points + choice.added_points
    values: Doubles = inner[choice.next_mode, np.clip(points_after, 0, point_count - 1)]
    return values


def _add_up(
    rules: PushRules, turns: Turns, cells: Cells, limits: Doubles, worths: dict[tuple[TurnChoice, ...], Doubles] | None
) -> None:
    """Add up the first-order gains of some turns.

    Args:
        rules: the rules.
        turns: the turns.
        cells: the policy.
        limits: (cells, dice, turn points), to which the gain of banking over rolling on is added.
        worths: by the choices that a roll offers, to which the value of each choice is added; None to leave it out.
    """
    turn, lanes = rules.turn, len(turns.caps)
    nodes = policy_decisions(rules, turns, cells)
    _, visits = turn.reach_probabilities(nodes, turns.caps, len(turns.payoff), visits=True)
    assert visits is not None
    rows = np.arange(visits.shape[1])[:, None]
    inner = turn.solve(turns.payoff[None], turns.caps, inner=True, fixed_decisions=nodes).inner
    assert inner is not None

    for number, mode in enumerate(turn.modes):
        if not mode.rolls:
            continue
        (throw,) = mode.rolls
        whole = sum(weight for _, weight in throw.classes)
        rolls = np.where(nodes[:, number, :lanes] > 0, visits[number], 0.0)
        rolled = np.zeros((len(rows), lanes))
        place = len(turn.modes) + int(turn.class_start[turn.roll_start[number]])
        all_choices = {choice for offered, _ in throw.classes for choice in offered}
        values_by_choice = {choice: _values_after(choice, turns, inner[0], len(rows)) for choice in all_choices}
        for offered, weight in throw.classes:
            choice_values = [values_by_choice[option] for option in offered]
            decisions = nodes[:, place, :lanes]
            best_value = np.broadcast_to(turns.payoff[0], rolled.shape)  # where none may be made
            for index, choice_value in enumerate(choice_values):
                best_value = np.where(decisions == index, choice_value, best_value)
            rolled += best_value * (weight / whole)
            if worths is not None and len(offered) > 1:
                often = rolls * (weight / whole)
                if often.any():
                    sums = np.array(
                        [
                            np.where(often > 0, often * np.maximum(choice_value, NEVER), 0.0).sum()
                            for choice_value in choice_values
                        ]
                    )
                    worths[offered] = worths.get(offered, 0.0) + sums
            place += 1
        if mode.bank_ending is not None and number < rules.dice:
            banks = turns.payoff[
                turn.special_count + np.minimum(rows[:, 0], len(turns.payoff) - turn.special_count - 1)
            ]
            may = (rows >= np.maximum(turns.least, mode.min_bank)) & (rows < np.minimum(turns.wins, turns.caps))
            may &= visits[number] > 0
            gains = np.where(
                may, visits[number] * np.subtract(banks, rolled, where=may, out=np.zeros_like(rolled)), 0.0
            )
            for cell in np.unique(turns.cell).tolist():
                limits[cell, number, : len(rows)] += gains[:, turns.cell == cell].sum(axis=1)


def improve_policy(
    cells: Cells, estimate: Callable[[Cells], Estimate], find_changes: Callable[[Cells], Iterable[Change]]
) -> tuple[Cells, Estimate]:
    """Return a policy that no change improves by more than the errors of both values, and its value (local search).

    Args:
        cells: the policy to begin with.
        estimate: returns the value of a policy, with its error.
        find_changes: returns the changes to try, with their first-order gains.
    """
    best = estimate(cells)
    while True:
        candidates = sorted(
            (proposal for proposal in find_changes(cells) if proposal.gain >= 0 and not proposal.gives_up),
            key=lambda proposal: -proposal.gain,
        )
        cell_lists = [change.cells(cells) for change in candidates[:TRIED]]
        if candidates and candidates[0].gain > 0:
            cell_lists.insert(0, _apply_all((proposal for proposal in candidates if proposal.gain > 0), cells))
        for candidate in cell_lists:
            candidate_estimate = estimate(candidate)
            if candidate_estimate.surely_exceeds(best):
                cells, best = candidate, candidate_estimate
                break
        else:
            return cells, best


def _apply_all(changed: Iterable[Change], cells: Cells) -> Cells:
    return reduce(lambda cells_so_far, change: change.cells(cells_so_far), changed, cells)


def shorter(cells: Cells, find_changes: Callable[[Cells], Iterable[Change]]) -> Cells:
    """Return a policy with no more exceptions to the usual sets than a page holds: those with the largest gains."""
    while (count := len(cells[0].keep) if isinstance(cells[0], LimitPolicy) else 0) > MAX_EXCEPTIONS:
        cheap = sorted((change for change in find_changes(cells) if change.gives_up), key=lambda change: -change.gain)
        cells = _apply_all(cheap[: max(1, (count - MAX_EXCEPTIONS) // 2)], cells)
    return cells
