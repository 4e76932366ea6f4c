"""Turns in whole numbers held against plain Python: its own whole numbers, and fractions."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import gcd

import numpy as np
import pytest
import toys

import keepwise as kw
from keepwise.certify.card_prover import IntegerKeepTurn, fraction_bits
from keepwise.certify.whole_turn import FORBIDDEN, WEIGHT_PARTS, BlockWorkers, IntegerPushTurn
from keepwise.core.whole import LANES
from keepwise.games import own_game
from keepwise.turns.keep_turn import EntryOptions
from keepwise.turns.push_turn import BUST, Mode, PushTurn, Roll, TurnChoice
from keepwise.util.errors import SolveError


def drawn(seed, weights):
    """A turn drawn at random: two groups of two modes, some of which cannot stop, with up to three throws each."""
    rng, modes = random.Random(seed), []
    for group in ([0, 1], [2, 3]):
        onward = [
            lambda group=group: TurnChoice(rng.choice(group), rng.randint(1, 4)),
            lambda: TurnChoice(-rng.randint(1, 2)),
        ]
        onward += [lambda: TurnChoice(rng.randint(0, 1), rng.randint(-3, 4), rng.random() < 0.7)] if group[0] else []
        for mode in group:
            classes = [
                [({rng.choice(onward)() for _ in range(3)}, rng.randint(1, weights)) for _ in range(3)]
                for _ in range(rng.randint(1, 3))
            ]
            throws = [Roll((((BUST,), weights), *((tuple(some), many) for some, many in one))) for one in classes]
            modes.append(Mode(str(mode), rng.choice([None, 0, 1]), rng.randint(0, 2), tuple(throws)))
    return PushTurn(modes, [[0, 1], [2, 3]], start=3, special_count=2, forbids_overshoot=rng.random() < 0.3)


TURNS = {
    **{f"drawn {seed}": drawn(seed, [9, 10**9, 10**15, 10**17][seed % 4]) for seed in range(24)},
    "large weights": own_game(
        {"name": "large", **toys.TWO, "singles": {"1": 1}, "weights": [10**9, 7, 10**9 - 9]}
    ).data.turn,
    **{name: own_game(toys.RULES[name]).data.turn for name in toys.PUSH},
    "5000": kw.game("5000").data.turn,
    "scarney": kw.game("scarney").data.turn,
    "farkle": kw.game("farkle", target=1000).data.turn,
}


def worth(turn, payoff, cap, up, least, most, past, more):
    """Mode by mode and row by row, as the text of the pass says it; one lane."""
    top, table = cap + past + (turn.max_added_points if past else 0), {}

    def thrown(mode, points):
        means = [FORBIDDEN]
        for throw in turn.modes[mode].rolls:
            total, weight_of = 0, sum(int(weight) for _, weight in throw.classes)
            for offered, weight in throw.classes:
                leads = [
                    payoff[-1 - one.next_mode]
                    if one.next_mode < 0
                    else table[one.next_mode, min(max(points * one.keeps_points + one.added_points, 0), top)]
                    for one in offered
                ]
                best = max(leads)
                total += int(weight) * (payoff[0] if turn.forbids_overshoot and best == FORBIDDEN else best)
            means.append(-(-total // weight_of) if up else total // weight_of)
        return max(means)

    for group in turn.groups:
        for mode in group:
            bank = turn.modes[mode].bank_ending
            open_end = (
                (most if up else least) if bank is None else payoff[turn.special_count + bank + top] + more[mode] * up
            )
            table[mode, top] = FORBIDDEN if turn.forbids_overshoot else open_end
        forced = [
            mode for mode in group if turn.modes[mode].bank_ending is None and not turn.forbids_overshoot and not past
        ]
        for _ in range(turn.forced_passes if forced and turn.is_nondecreasing else 0):
            for mode in forced:
                table[mode, top] = thrown(mode, top)
        for points in range(top - 1, -1, -1):
            for mode in group:
                one = turn.modes[mode]
                stops = one.bank_ending is not None and points >= one.min_bank
                if points >= cap + past and not (past and one.bank_ending is not None):
                    table[mode, points] = table[mode, top]
                elif points <= one.max_points:
                    stop = payoff[turn.special_count + one.bank_ending + points] if stops else FORBIDDEN
                    on = thrown(mode, points)
                    table[mode, points] = max(stop, on) if points < cap or not stops else stop + more[mode] * up
    return [[table.get((mode, points), 0) for points in range(top + 1)] for mode in range(len(turn.modes))]


def asked(turn, rng, past=0, largest_cap=6):
    """What a turn is asked with, two blocks, all both ways: payoffs that only grow with the points, from none."""
    caps, up = np.tile(rng.integers(1, largest_cap + 1, LANES), 2), np.repeat([0, 1], LANES)
    lanes = len(caps)
    banks = max(mode.bank_ending or 0 for mode in turn.modes)
    top = int(caps.max()) + past + turn.max_added_points + 1
    paid = rng.integers(-(2**60), 2**60, (turn.special_count + banks + top, lanes))
    paid[turn.special_count :] = np.sort(paid[turn.special_count :], axis=0)
    paid[turn.special_count] = FORBIDDEN
    more = rng.integers(0, 2**20, (len(turn.modes), lanes))
    return paid, caps, up, -(2**60), 2**60, past, more


CUT = [(name, past) for name in TURNS for past in (0, 2)[: 2 - TURNS[name].forbids_overshoot]]


@pytest.mark.parametrize(("name", "past"), CUT)
def test_integer_push_turn_equals_plain_python(name, past):
    turn = TURNS[name]
    payoff, caps, up, least, most, past, more = asked(turn, np.random.default_rng(1), past)
    value, table = IntegerPushTurn(turn).solve(payoff, caps, up, least, most, past, more, return_inner=True)
    assert (IntegerPushTurn(turn, BlockWorkers(2)).solve(payoff, caps, up, least, most, past, more)[0] == value).all()
    for lane, cap in enumerate(caps.tolist()):
        told = payoff[:, lane].tolist(), cap, int(up[lane]), least, most, past, more[:, lane].tolist()
        found = worth(turn, *told)
        assert found[turn.start][0] == value[lane]
        for mode, row in enumerate(found):
            reach = min(turn.modes[mode].max_points, cap + past)  # further rows are read by nobody
            assert row[: reach + 1] == table[mode, : reach + 1, lane].tolist()


@pytest.mark.parametrize("fall", [0, 2**40, 2**59])
@pytest.mark.parametrize("name", [*(f"drawn {seed}" for seed in range(24)), *toys.PUSH])
def test_rolls_that_cannot_beat_a_bank_may_be_left_out(name, fall):
    """Long tables in which banks soon grow by little, so that stopping is best; many banks fall with more points."""
    turn, rng, cap = TURNS[name], np.random.default_rng(4), 40
    payoff, _, up, least, most, past, more = asked(turn, rng, largest_cap=cap)
    banks = payoff[turn.special_count + 1 :]
    banks[:] = (2.0**59 * (1 - 0.9 ** np.arange(len(banks)))).astype(np.int64)[:, None]
    banks -= rng.integers(0, fall + 1, banks.shape)
    payoff[: turn.special_count] = -(2**58)  # no lane needs a roll where banks grow by little
    payoff[:] = payoff[:, :1]  # rolls are left out if no lane of a block needs them, so lanes are alike
    _, table = IntegerPushTurn(turn).solve(
        payoff, np.full(len(up), cap), up, least, most, past, more, return_inner=True
    )
    for lane in (0, 1, LANES, 2 * LANES - 1):
        told = worth(turn, payoff[:, lane].tolist(), cap, int(up[lane]), least, most, past, more[:, lane].tolist())
        for mode, row in enumerate(told):
            reach = min(turn.modes[mode].max_points, cap)
            assert row[: reach + 1] == table[mode, : reach + 1, lane].tolist()


def test_weights_that_fit_no_number_are_rounded_outward():
    """Six dice of very unlike faces: 128 bits would not hold what is weighed with all of their ways to fall."""
    rules = {"name": "heavy", "dice": 6, "faces": 3, "target": 4, "singles": {"1": 1}, "weights": [9973, 1, 10**4]}
    turn = own_game(rules).data.turn
    ways = [[weight for _, weight in throw.classes] for mode in turn.modes for throw in mode.rolls]
    assert max(sum(some) // gcd(*some) for some in ways) > 4 * WEIGHT_PARTS
    payoff, caps, up, *rest, more = asked(turn, np.random.default_rng(3))
    value, _ = IntegerPushTurn(turn).solve(payoff, caps, up, *rest, more)
    for lane, cap in enumerate(caps.tolist()):
        told = worth(turn, payoff[:, lane].tolist(), cap, int(up[lane]), *rest, more[:, lane].tolist())
        off = (value[lane] - told[turn.start][0]) * (1 if up[lane] else -1)
        assert 0 < off < 5000  # of 2 ** 60


CARDS = {
    "plain": {"dice": 3, "faces": 6, "throws": 3},
    "loaded": {"dice": 3, "faces": 3, "throws": 2, "weights": [1, 2, 4]},
    "one throw": {"dice": 2, "faces": 4, "throws": 1},
    "heavy": {"dice": 2, "faces": 3, "throws": 2, "weights": [2**30, 2**30 - 3, 1]},
}
CATEGORY = [{"name": "any", "only": [1, 2]}]


def mean(card, held, value):
    """What keeping these dice is worth: the mean over the throws of the others."""
    if len(held) == card.dice:
        return value(held)
    pairs = enumerate(card.weights)
    return sum(weight * mean(card, tuple(sorted((*held, face))), value) for face, weight in pairs) / Fraction(
        sum(card.weights)
    )


def subsets(dice):
    """What may be kept of some dice, but for all of them."""
    return {tuple(one for place, one in enumerate(dice) if bits >> place & 1) for bits in range(2 ** len(dice) - 1)}


@pytest.mark.parametrize("served", [False, True])
@pytest.mark.parametrize("name", CARDS)
def test_integer_keep_turn_lies_within_fractions(name, served):
    """With two columns to enter what is thrown in, one of which takes some throws only; served: before the last throw
    one of them, or both.
    """
    card = own_game({"name": "card", **CARDS[name], "category": CATEGORY}).data
    rng, full = np.random.default_rng(2), len(card.lattice.full_rolls)
    most = (2**63 - 1) // card.faces if len({*card.weights}) == 1 else 2**62 - 1
    gain = rng.integers(0, most // 2, (2, full))
    gain[1, ::2] = -1
    shift = rng.integers(-3, 20, (2, full))
    after = np.sort(rng.integers(0, most // 2, (3, 3 * LANES)), axis=1)
    start, column, row, first = np.array([0, 2, 3]), np.array([0, 1, 0], "i4"), np.array([2, 1, 0]), [0, 1, 0]
    problems = EntryOptions(start, column, row, np.array(first, "i4"), np.full(3, full, "i4"))
    lanes, last = np.array([0, 5, 11]), np.zeros(3, dtype=np.int64)
    early = rng.integers(0, 2, (card.throws - 1, 3)) if served else None
    turn = IntegerKeepTurn(card, gain, shift, BlockWorkers(2))
    low, high = (turn.solve(after, problems, last, lanes, up, early) for up in (0, 1))
    number = {shown: place for place, shown in enumerate(combinations_with_replacement(range(card.faces), card.dice))}
    assert [[shown.count(face) for face in range(card.faces)] for shown in number] == card.lattice.full_rolls.tolist()

    def best(block, lane, throw, dice):
        """What a throw is worth once it lies there."""
        at, ways = number[dice], []
        problem = 0 if throw == card.throws else early[throw - 1, block] if served else None
        for option in range(start[problem], start[problem + 1]) if problem is not None else ():
            if at >= first[option] and gain[column[option], at] >= 0:
                place = min(max(int(lanes[block]) + shift[column[option], at], 0), 2 * LANES) + lane
                ways.append(int(gain[column[option], at] + after[row[option], place]))
        if throw < card.throws:
            value = lambda full: later(block, lane, throw + 1, full)  # noqa: E731
            ways += [mean(card, kept, value) for kept in subsets(dice)] + ([] if served else [value(dice)])
        return max(ways)

    later = cache(best)
    for block, lane in ((0, 0), (1, 7), (2, 3)):
        exact = mean(card, (), lambda dice: later(block, lane, 1, dice))  # noqa: B023
        steps, below, above = 3 * card.dice * card.throws, int(low[block, lane]), int(high[block, lane])
        assert exact - steps <= below <= exact <= above <= exact + steps
    assert most // 2 < 1000 << fraction_bits(card, 1000) <= most
    with pytest.raises(SolveError, match="cannot be entered in any box"):
        turn.solve(after, replace(problems, column=np.ones(3, "i4")), last + 1, lanes, 0)


WIDTHS = """
import hashlib
import keepwise as kw
from keepwise.certify import certify
for question in ("5000 turns", "beartrap points", "double-cameroon points", "yahtzee points"):
    told = certify(kw.solve(*question.split()))
    print(hashlib.sha256(told.bounds.scaled.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_registers_of_every_width_prove_the_same():
    runs = [
        subprocess.run(
            [sys.executable, "-c", WIDTHS],
            env={**os.environ, "KEEPWISE_REGISTERS": width},
            capture_output=True,
            text=True,
        )
        for width in ("16", "32", "64")
    ]
    assert len({one.stdout for one in runs}) == 1, runs
    assert len(runs[0].stdout.split()) == 4
