"""The push kernel against a plain recursion on random turns, and properties of any turn."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from keepwise.core.push import LANES
from keepwise.turns.push_turn import BUST, Mode, PushTurn, Roll, TurnChoice

SPECIALS = 2
WIN = TurnChoice(-2)


@st.composite
def turns(draw) -> PushTurn:
    """Draw turns with everything that a game may need.

    They have several rolls in a mode, lost points, special endings, modes without a stop, minimum banks and two groups.
    """
    size = draw(st.integers(1, 4))
    split = draw(st.integers(0, size - 1))  # modes below the split are a group of their own, solved first
    groups = [group for group in (list(range(split)), list(range(split, size))) if group]
    modes = []
    for mode in range(size):
        own_group = next(group for group in groups if mode in group)
        choice_in_group = st.builds(TurnChoice, st.sampled_from(own_group), st.integers(1, 3), st.just(True))
        earlier_modes = [earlier for earlier in range(split) if mode >= split]
        choice = st.one_of(choice_in_group, st.just(BUST), st.just(WIN))
        if earlier_modes:
            choice |= st.builds(TurnChoice, st.sampled_from(earlier_modes), st.integers(0, 3), st.booleans())
        roll = st.builds(
            lambda classes: Roll(tuple((tuple(choices), weight) for choices, weight in classes)),
            st.lists(st.tuples(st.lists(choice, min_size=1, max_size=3), st.integers(1, 9)), min_size=1, max_size=3),
        )
        has_stop = mode < split or draw(st.booleans()) or mode == size - 1
        modes.append(
            Mode(
                str(mode),
                0 if has_stop else None,
                draw(st.integers(0, 2)),
                tuple(draw(st.lists(roll, min_size=1, max_size=2))),
            )
        )
    try:
        return PushTurn(modes, groups, size - 1, SPECIALS, draw(st.booleans()))
    except ValueError:  # forced rolls hardly end: refused on purpose, see below
        reject()


def solve_recursively(turn: PushTurn, payoff: np.ndarray, cap: int) -> float:
    """Return channel 0 of one lane by recursion, straight from the Bellman equation."""

    def bank(mode: int, points: int) -> float:
        return payoff[SPECIALS + turn.modes[mode].bank_ending + points]

    @cache
    def mode_value(mode: int, points: int) -> float:
        decision_point = turn.modes[mode]
        if points >= cap:
            return -np.inf if turn.forbids_overshoot else bank(mode, cap)
        may_stop = decision_point.bank_ending is not None and points >= decision_point.min_bank
        options = [bank(mode, points)] if may_stop else []
        for roll in decision_point.rolls:
            total = sum(weight for _, weight in roll.classes)
            value = 0.0
            for choices, weight in roll.classes:
                best = max(choice_value(choice, points) for choice in choices)
                value += weight * (payoff[0] if best == -np.inf else best)
            options.append(value / total)
        return max(options)

    def choice_value(choice: TurnChoice, points: int) -> float:
        if choice.next_mode < 0:
            return payoff[-1 - choice.next_mode]
        return mode_value(choice.next_mode, choice.added_points + (points if choice.keeps_points else 0))

    return mode_value(turn.start, 0)


def payoffs(turn: PushTurn, seed: int, lanes: int, top: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a random payoff of two channels, and random caps up to ``top``."""
    rng = np.random.default_rng(seed)
    payoff = rng.random((2, SPECIALS + top + 2, lanes))
    return payoff, np.sort(rng.integers(1, top + 1, lanes).astype(np.int32))[::-1].copy()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_kernel_equals_plain_recursion(turn, seed, top):
    if any(mode.bank_ending is None for mode in turn.modes) and not turn.forbids_overshoot:
        return  # what happens beyond the cap without a stop is tested below
    payoff, cap = payoffs(turn, seed, LANES, top)
    value = turn.solve(payoff, cap).value
    for lane in range(LANES):
        assert value[0, lane] == solve_recursively(turn, payoff[0, :, lane], int(cap[lane]))


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_fixed_decisions_have_the_same_bits_in_all_channels(turn, seed, top):
    payoff, cap = payoffs(turn, seed, 2 * LANES, top)
    best = turn.solve(payoff, cap, decisions=True)
    followed = turn.solve(payoff, cap, fixed_decisions=best.decisions)
    assert (best.value == followed.value).all()


@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_probabilities_of_endings_reproduce_the_value(turn, seed, top):
    payoff, cap = payoffs(turn, seed, LANES + 3, top)
    best = turn.solve(payoff, cap, decisions=True)
    probabilities, visits = turn.reach_probabilities(best.decisions, cap, payoff.shape[1], visits=True)
    assert probabilities.sum(axis=0) == pytest.approx(1, abs=1e-12)
    assert (probabilities * payoff).sum(axis=1) == pytest.approx(best.value, abs=1e-12)
    assert probabilities.min() >= 0
    assert visits[turn.start, 0] == pytest.approx(1, abs=1e-12)
    for lane in range(LANES + 3):
        single, _ = turn.reach_probabilities(best.decisions[..., [lane]].copy(), cap[[lane]], payoff.shape[1])
        assert (single[:, 0] == probabilities[:, lane]).all()


def test_negligible_probabilities_are_the_same_in_any_lanes():
    """A mode without a stop leads to itself beyond the cap, which the lanes reach at different points."""
    stay, leave = TurnChoice(0, 1, True), TurnChoice(1, 1, True)
    modes = [
        Mode("must", None, 0, (Roll((((stay,), 1), ((leave,), 1), ((BUST,), 1))),)),
        Mode("may", 0, 1, (Roll((((stay,), 1),)),)),
    ]
    turn = PushTurn(modes, [range(2)], 1, 2)
    for seed in range(20):
        payoff, cap = payoffs(turn, seed, LANES + 3, 8)
        best = turn.solve(payoff, cap, decisions=True)
        probabilities, _ = turn.reach_probabilities(best.decisions, cap, payoff.shape[1])
        for lane in range(LANES + 3):
            single, _ = turn.reach_probabilities(best.decisions[..., [lane]].copy(), cap[[lane]], payoff.shape[1])
            assert (single[:, 0] == probabilities[:, lane]).all()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8), st.integers(2, 4))
def test_same_bits_for_any_lanes_channels_and_threads(turn, seed, top, threads):
    payoff, cap = payoffs(turn, seed, 5 * LANES, top)
    value = turn.solve(payoff, cap).value
    with ThreadPoolExecutor(threads) as pool:
        shared = turn.solve(payoff, cap, pool=pool, threads=threads).value
    assert (value == shared).all()
    part = slice(LANES, 2 * LANES + 3)  # the last block is filled up
    assert (turn.solve(payoff[:, :, part].copy(), cap[part].copy()).value == value[:, part]).all()
    assert (turn.solve(payoff[:1].copy(), cap).value[0] == value[0]).all()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_ending_probabilities_sum_to_exactly_one(turn, seed, top):
    payoff, cap = payoffs(turn, seed, LANES, top)
    payoff[1] = 1.0
    assert (turn.solve(payoff, cap).value[1] == 1.0).all()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_sliding_payoffs_have_the_same_bits_as_full_ones(turn, seed, top):
    rng, lanes = np.random.default_rng(seed), 3 * LANES
    special, slide = rng.random((2, SPECIALS, lanes)), rng.random((2, top + 1 + lanes))
    banks = np.lib.stride_tricks.sliding_window_view(slide, lanes, axis=1)[:, : top + 1]
    full, cap = np.concatenate([special, banks], axis=1), np.full(lanes, top, dtype=np.int32)
    best = turn.solve(full, cap, inner=True, decisions=True)
    result = turn.solve(special, cap, sliding_payoff=slide, inner=True, decisions=True)
    followed = turn.solve(special, cap, sliding_payoff=slide, fixed_decisions=best.decisions)
    for name in ("value", "inner", "decisions"):
        assert (getattr(best, name) == getattr(result, name)).all()
    assert (best.value == followed.value).all()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_better_payoffs_never_hurt(turn, seed, top):
    payoff, cap = payoffs(turn, seed, LANES, top)
    better = payoff + np.random.default_rng(seed).random(payoff.shape)
    assert (turn.solve(better, cap).value[0] >= turn.solve(payoff, cap).value[0]).all()


def test_modes_without_a_stop_go_on_beyond_the_cap():
    """A die with three equal sides is rolled from a mode without a stop, and the cap is near.

    Side 1 adds a point and leads to a mode with a stop. Side 2 adds a point and is rolled again. Side 3 busts.
    So the probability to reach the stop is x = 1/3 + x/3 = 1/2, for any cap.
    """
    go, stop = 0, 1
    roll = Roll((((TurnChoice(stop, 1),), 1), ((TurnChoice(go, 1),), 1), ((BUST,), 1)))
    turn = PushTurn([Mode("forced", None, 0, (roll,)), Mode("free", 0, 0, (roll,))], [[go, stop]], go)
    payoff = np.ones((1, 1 + 2, LANES))
    payoff[0, 0] = 0.0
    value = turn.solve(payoff, np.full(LANES, 1, dtype=np.int32)).value
    assert value[0, 0] == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize(("again_weight", "end_weight"), [(5, 1), (90, 10), (199, 1)])
def test_forced_runs_beyond_the_cap_are_followed_to_their_end(again_weight, end_weight):
    """A bust and a stop have the same weight, so half of the runs reach the stop."""
    go, stop = 0, 1
    roll = Roll((((TurnChoice(go, 1),), again_weight), ((TurnChoice(stop, 1),), end_weight), ((BUST,), end_weight)))
    turn = PushTurn([Mode("forced", None, 0, (roll,)), Mode("free", 0, 0, (roll,))], [[go, stop]], go)
    payoff = np.ones((1, 1 + 4, LANES))
    payoff[0, 0] = 0.0
    value = turn.solve(payoff, np.full(LANES, 3, dtype=np.int32)).value
    assert value[0, 0] == pytest.approx(0.5, abs=1e-13)


def test_decisions_beyond_the_cap_differ_from_those_below_it():
    """In the forced mode busting is best without points, and the other choice is best beyond the cap."""
    stop, forced, start = 0, 1, 2
    modes = [
        Mode("stop", 0, 0, (Roll((((BUST,), 1),)),)),
        Mode("forced", None, 0, (Roll((((BUST, TurnChoice(stop)), 1),)),)),
        Mode("start", None, 0, (Roll((((TurnChoice(forced, 1),), 1),)),)),
    ]
    turn = PushTurn(modes, [[stop], [forced], [start]], start)
    payoff = np.full((1, 1 + 2, LANES), [[[0.5], [0.25], [0.75]]])
    best = turn.solve(payoff, np.full(LANES, 1, dtype=np.int32), decisions=True)
    assert (best.decisions[:2, 3 + 1, 0] == [0, 1]).all()
    followed = turn.solve(payoff, np.full(LANES, 1, dtype=np.int32), fixed_decisions=best.decisions)
    assert best.value[0, 0] == followed.value[0, 0] == 0.75


def test_runs_that_hardly_end_are_refused():
    roll = Roll((((TurnChoice(0, 1),), 9999), ((BUST,), 1)))
    with pytest.raises(ValueError, match="almost always"):
        PushTurn([Mode("forced", None, 0, (roll,))], [[0]], 0)


def test_unfit_decisions_and_payoffs_are_refused_or_harmless():
    turn = PushTurn([Mode("0", 0, 0, (Roll((((BUST,), 1),)),))], [[0]], 0)
    payoff, cap = np.zeros((1, 4, 8)), np.full(8, 1, dtype=np.int32)
    for wrong in (np.zeros((1, 1, 8), np.int16), np.full((2, 2, 8), 7, np.int16), np.zeros((2, 2, 8), np.int32)):
        with pytest.raises(ValueError, match="decisions must be"):
            turn.solve(payoff, cap, fixed_decisions=wrong)
        with pytest.raises(ValueError, match="decisions must be"):
            turn.reach_probabilities(wrong[..., :7], cap[:7], 4)
    assert np.isnan(turn.solve(payoff * np.nan, cap, decisions=True).value).all()
    overshooting = PushTurn(
        [Mode("0", 0, 0, (Roll((((TurnChoice(0, 3),), 1), ((BUST,), 1))),))], [[0]], 0, forbids_overshoot=True
    )
    with pytest.raises(ValueError, match="decisions must be"):  # a choice that passes the cap is not allowed
        overshooting.reach_probabilities(np.array([[[1], [0], [0]]], np.int16), np.full(1, 2, np.int32), 4)


@pytest.mark.parametrize(
    "classes",
    [
        (((TurnChoice(0, 0),), 1),),  # adds nothing and stays
        (((TurnChoice(0, 1, keeps_points=False),), 1),),  # loses its points and stays
        (((), 1),),  # offers nothing
        (((BUST,), 0),),  # cannot happen
    ],
)
def test_turns_that_cannot_be_solved_are_refused(classes):
    with pytest.raises(ValueError, match=r"cycle|a roll class requires"):
        PushTurn([Mode("0", 0, 0, (Roll(classes),))], [[0]], 0)


def test_wrong_shapes_are_refused():
    turn = PushTurn([Mode("0", 0, 0, (Roll((((BUST,), 1),)),))], [[0]], 0)
    with pytest.raises(ValueError, match="blocks of 8"):
        turn.solve(np.zeros((1, 9, 7)), np.zeros(8, dtype=np.int32))
    with pytest.raises(ValueError, match="blocks of 8"):
        turn.solve(np.zeros((1, 1, 7)), np.zeros(7, dtype=np.int32), sliding_payoff=np.zeros((1, 8)))
    with pytest.raises(ValueError, match="are too few for the cap"):
        turn.solve(np.zeros((1, 3, 8)), np.full(8, 5, dtype=np.int32))
    with pytest.raises(ValueError, match="are too few for the cap"):
        turn.solve(np.zeros((1, 1, 8)), np.full(8, 5, dtype=np.int32), sliding_payoff=np.zeros((1, 8 + 5)))
    with pytest.raises(ValueError, match="are too few for the cap"):
        turn.reach_probabilities(np.zeros((1, 2, 1), np.int16), np.full(8, 5, dtype=np.int32), 6)
    with pytest.raises(ValueError, match="must hold the special endings only"):
        turn.solve(np.zeros((1, 2, 8)), np.zeros(8, dtype=np.int32), sliding_payoff=np.zeros((1, 9)))
