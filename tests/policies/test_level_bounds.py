"""Sheet 4 of a game with one die is the best of its form: branch and bound over all limits by fourths of both scores.

Cells get their limits one after another; in those that have none yet any limit may be chosen by both scores, which wins
no less than any page that begins so. Plain sums over the positions of Pig, which share no code with what finds sheets.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
import pytest

import keepwise as kw
from keepwise.policies.levels import at_level

SIDES, FACES = 4, range(2, 7)


def turns_by_limit(target):
    """(limits, points): the chances of what a turn brings; the first row is of no limit."""
    ends = np.zeros((target + 1, target + 7))
    for limit in range(1, target + 1):
        held = np.eye(1, target + 7)[0]
        for points in range(limit):
            for face in FACES:
                held[points + face] += held[points] / 6
        ends[limit, limit:] = held[limit:]
        ends[limit, 0] = 1 - held[limit:].sum()
    return ends


class Pages:
    """Pages of limits for Pig, against the best."""

    def __init__(self, target):
        self.target, self.ends = target, turns_by_limit(target)
        self.begins = [round(band * target / SIDES) for band in range(SIDES)]
        band = np.searchsorted(self.begins, np.arange(target), side="right") - 1
        self.cell = band[:, None] * SIDES + band
        values = self.best()
        self.other = self.by_the_best(values)

    def layers(self):
        """Positions of as many points together, the highest first: own scores, the other's."""
        for total in range(2 * self.target - 2, -1, -1):
            own = np.arange(max(0, total - self.target + 1), min(self.target - 1, total) + 1)
            yield own, total - own

    def inside(self, values, own, other):
        """Before each throw, with so many points in hand, what throwing and stopping bring (points last)."""
        goal, bust = self.target, 1 - values[other, own]
        throws, stops = (np.ones((*own.shape, goal + 7)) for _ in range(2))
        for points in range(goal - 1, -1, -1):
            best = np.maximum(throws, stops)[..., points + 2 : points + 7].sum(axis=-1)
            throws[..., points] = (bust + best) / 6
            banked = own + points
            stops[..., points] = np.where(banked >= goal, 1, 1 - values[other, np.minimum(banked, goal - 1)])
        stops[..., 0] = 0
        return throws, stops

    def best(self):
        """The best play's chances, by own and other score."""
        values = np.full((self.target, self.target), 0.5)
        for own, other in self.layers():
            before = 0.0
            while np.abs(values[own, other] - before).max() > 1e-14:
                before = values[own, other]
                values[own, other] = self.inside(values, own, other)[0][:, 0]
        return values

    def by_the_best(self, values):
        """The chances of what the other's turns bring, by our score and theirs."""
        ours, theirs = np.indices(values.shape)
        throws, stops = self.inside(values, theirs, ours)
        held, ends = np.zeros_like(throws), np.zeros_like(throws)
        held[..., 0] = 1
        for points in range(self.target):
            goes = np.where(throws[..., points] > stops[..., points], held[..., points], 0)
            for face in FACES:
                held[..., points + face] += goes / 6
            ends[..., 0] += goes / 6
            ends[..., points] += (held[..., points] - goes) * (points > 0)
        ends[..., self.target :] = held[..., self.target :]
        return ends

    def wins(self, pages):
        """The mean of both seats, of pages (pages, cells); 0 is a cell without a limit."""
        goal, more = self.target, np.arange(1, self.target + 7)
        first, second = np.zeros((len(pages), goal, 2 * goal + 8)), np.ones((len(pages), 2 * goal + 8, goal))
        for own, other in self.layers():
            ends, same = self.other[own, other, 1:], self.other[own, other, 0]
            theirs = np.einsum("psk,sk->ps", first[:, own[:, None], other[:, None] + more], ends)
            then = second[:, own[:, None] + more, other[:, None]]
            limits = np.minimum(pages[:, self.cell[own, other]], goal - own)  # with enough to win who plays so stops
            ours = self.ends[limits]
            found = np.einsum("psk,psk->ps", then, ours[..., 1:]) + ours[..., 0] * theirs
            found = found / (1 - ours[..., 0] * same)
            if (free := (limits == 0).any(axis=0)).any():
                every = then[:, free] @ self.ends[1:, 1:].T + self.ends[1:, 0] * theirs[:, free, None]
                every = every / (1 - self.ends[1:, 0] * same[free, None])
                every = np.where(more[:goal] <= (goal - own)[free, None], every, 0).max(axis=2)
                found[:, free] = np.where(limits[:, free] == 0, every, found[:, free])
            first[:, own, other], second[:, own, other] = found, theirs + same * found
        return (first[:, 0, 0] + second[:, 0, 0]) / 2

    def children(self, page, cell, limits):
        """A page with each of some limits in a cell."""
        pages = np.repeat(page[None], len(limits), axis=0)
        pages[:, cell] = limits
        return pages, self.wins(pages)


@pytest.mark.slow
@pytest.mark.parametrize("target", [60])
def test_no_page_of_limits_wins_more(target):
    pages, game = Pages(target), kw.game("pig", target=target)
    found, empty = at_level(game, 4, "win"), np.zeros(SIDES * SIDES, dtype=int)
    begins = pages.begins
    sheet = np.array([found.policy.policy_at(own, other).by_dice[1] for own in begins for other in begins])
    (wins,) = pages.wins(sheet[None])
    assert wins == pytest.approx(found.value, abs=1e-12)
    assert pages.wins(empty[None])[0] == pytest.approx(0.5, abs=1e-12)  # who plays best wins half of the seats
    most, alive = [], []
    for cell in range(len(sheet)):
        limits = np.arange(1, target - begins[cell // SIDES] + 1)
        each = pages.children(empty, cell, limits)[1]
        most.append(each.max())
        alive.append(limits[each > wins + 1e-12])
    order, open_ = np.argsort(most, kind="stable"), [(-0.5, 0, 0, empty)]
    made = 0
    while open_:
        _, _, cells, page = heappop(open_)
        for child, bound in zip(*pages.children(page, order[cells], alive[order[cells]]), strict=True):
            if bound > wins + 1e-12:
                assert cells + 1 < len(order), f"{child} wins {bound}, sheet 4 {wins}"
                made += 1
                heappush(open_, (-bound, made, cells + 1, child))
