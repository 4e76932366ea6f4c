"""The push kernel against a plain recursion on random turns, and what must hold for any turn."""

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
    """Turns with everything a game may need: several ways to throw, points lost, special endings, modes without a
    stop, stops from some points on, several groups."""
    size = draw(st.integers(1, 4))
    cut = draw(st.integers(0, size - 1))  # modes below cut form a group of their own, solved first
    groups = [group for group in (list(range(cut)), list(range(cut, size))) if group]
    modes = []
    for mode in range(size):
        ahead = st.builds(
            TurnChoice, st.sampled_from([m for g in groups if mode in g for m in g]), st.integers(1, 3), st.just(True)
        )
        earlier = [m for m in range(cut) if mode >= cut]
        choice = st.one_of(ahead, st.just(BUST), st.just(WIN))
        if earlier:
            choice |= st.builds(TurnChoice, st.sampled_from(earlier), st.integers(0, 3), st.booleans())
        throw = st.builds(
            lambda classes: Roll(tuple((tuple(offered), weight) for offered, weight in classes)),
            st.lists(st.tuples(st.lists(choice, min_size=1, max_size=3), st.integers(1, 9)), min_size=1, max_size=3),
        )
        stops = mode < cut or draw(st.booleans()) or mode == size - 1
        modes.append(
            Mode(
                str(mode),
                0 if stops else None,
                draw(st.integers(0, 2)),
                tuple(draw(st.lists(throw, min_size=1, max_size=2))),
            )
        )
    try:
        return PushTurn(modes, groups, size - 1, SPECIALS, draw(st.booleans()))
    except ValueError:  # a run of throws that hardly ends; refused on purpose, see below
        reject()


def plain(turn: PushTurn, payoff: np.ndarray, cap: int) -> float:
    """Channel 0 of one lane by recursion, straight from the equation."""

    def bank(mode: int, points: int) -> float:
        return payoff[SPECIALS + turn.modes[mode].bank_ending + points]

    @cache
    def before(mode: int, points: int) -> float:
        here = turn.modes[mode]
        if points >= cap:
            return -np.inf if turn.forbid else bank(mode, cap)
        options = [bank(mode, points)] if here.bank_ending is not None and points >= here.min_bank else []
        for throw in here.rolls:
            total = sum(weight for _, weight in throw.classes)
            value = 0.0
            for offered, weight in throw.classes:
                best = max(after(choice, points) for choice in offered)
                value += weight * (payoff[0] if best == -np.inf else best)
            options.append(value / total)
        return max(options)

    def after(choice: TurnChoice, points: int) -> float:
        if choice.next_mode < 0:
            return payoff[-1 - choice.next_mode]
        return before(choice.next_mode, choice.added_points + (points if choice.keeps_points else 0))

    return before(turn.start, 0)


def payoffs(turn: PushTurn, seed: int, lanes: int, top: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    payoff = rng.random((2, SPECIALS + top + 2, lanes))
    return payoff, np.sort(rng.integers(1, top + 1, lanes).astype(np.int32))[::-1].copy()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_kernel_equals_plain_recursion(turn, seed, top):
    if any(mode.bank_ending is None for mode in turn.modes) and not turn.forbid:
        return  # what happens beyond the cap without a stop is tested below
    payoff, cap = payoffs(turn, seed, LANES, top)
    value = turn.solve(payoff, cap).value
    for lane in range(LANES):
        assert value[0, lane] == plain(turn, payoff[0, :, lane], int(cap[lane]))


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_following_the_decisions_gives_the_same_bits_in_all_channels(turn, seed, top):
    payoff, cap = payoffs(turn, seed, 2 * LANES, top)
    best = turn.solve(payoff, cap, decisions=True)
    followed = turn.solve(payoff, cap, follow=best.decisions)
    assert (best.value == followed.value).all()


@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_a_walk_by_decisions_comes_to_what_they_bring(turn, seed, top):
    payoff, cap = payoffs(turn, seed, LANES + 3, top)
    best = turn.solve(payoff, cap, decisions=True)
    ends, visits = turn.walk(best.decisions, cap, payoff.shape[1], visits=True)
    assert ends.sum(axis=0) == pytest.approx(1, abs=1e-12)
    assert (ends * payoff).sum(axis=1) == pytest.approx(best.value, abs=1e-12)
    assert ends.min() >= 0
    assert visits[turn.start, 0] == pytest.approx(1, abs=1e-12)
    for lane in range(LANES + 3):
        alone, _ = turn.walk(best.decisions[..., [lane]].copy(), cap[[lane]], payoff.shape[1])
        assert (alone[:, 0] == ends[:, lane]).all()


def test_a_chance_too_small_to_be_followed_is_one_whatever_lanes_are_beside():
    """A mode that cannot stop leads to itself beyond the cap, where caps are reached by lanes at different times."""
    on, out, bust = TurnChoice(0, 1, True), TurnChoice(1, 1, True), TurnChoice(-1, 0, True)
    modes = [
        Mode("must", None, 0, (Roll((((on,), 1), ((out,), 1), ((bust,), 1))),)),
        Mode("may", 0, 1, (Roll((((on,), 1),)),)),
    ]
    turn = PushTurn(modes, [range(2)], 1, 2)
    for seed in range(20):
        payoff, cap = payoffs(turn, seed, LANES + 3, 8)
        best = turn.solve(payoff, cap, decisions=True)
        ends, _ = turn.walk(best.decisions, cap, payoff.shape[1])
        for lane in range(LANES + 3):
            alone, _ = turn.walk(best.decisions[..., [lane]].copy(), cap[[lane]], payoff.shape[1])
            assert (alone[:, 0] == ends[:, lane]).all()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8), st.integers(2, 4))
def test_same_bits_for_any_lanes_channels_and_threads(turn, seed, top, threads):
    payoff, cap = payoffs(turn, seed, 5 * LANES, top)
    whole = turn.solve(payoff, cap).value
    with ThreadPoolExecutor(threads) as pool:
        shared = turn.solve(payoff, cap, pool=pool, threads=threads).value
    assert (whole == shared).all()
    part = slice(LANES, 2 * LANES + 3)  # the last block is filled up
    assert (turn.solve(payoff[:, :, part].copy(), cap[part].copy()).value == whole[:, part]).all()
    assert (turn.solve(payoff[:1].copy(), cap).value[0] == whole[0]).all()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_chances_of_all_endings_sum_to_exactly_one(turn, seed, top):
    payoff, cap = payoffs(turn, seed, LANES, top)
    payoff[1] = 1.0
    assert (turn.solve(payoff, cap).value[1] == 1.0).all()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_banks_that_slide_along_the_lanes_give_the_same_bits_as_laid_out(turn, seed, top):
    rng, lanes = np.random.default_rng(seed), 3 * LANES
    special, slide = rng.random((2, SPECIALS, lanes)), rng.random((2, top + 1 + lanes))
    banks = np.lib.stride_tricks.sliding_window_view(slide, lanes, axis=1)[:, : top + 1]
    laid, cap = np.concatenate([special, banks], axis=1), np.full(lanes, top, dtype=np.int32)
    best = turn.solve(laid, cap, inner=True, decisions=True)
    slid = turn.solve(special, cap, slide=slide, inner=True, decisions=True)
    followed = turn.solve(special, cap, slide=slide, follow=best.decisions)
    for told in ("value", "inner", "decisions"):
        assert (getattr(best, told) == getattr(slid, told)).all()
    assert (best.value == followed.value).all()


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.integers(0, 2**32), st.integers(1, 8))
def test_better_payoffs_never_hurt(turn, seed, top):
    payoff, cap = payoffs(turn, seed, LANES, top)
    better = payoff + np.random.default_rng(seed).random(payoff.shape)
    assert (turn.solve(better, cap).value[0] >= turn.solve(payoff, cap).value[0]).all()


def test_modes_without_a_stop_go_on_beyond_the_cap():
    """Forced to throw a coin until it shows heads twice in a row of points: one mode may not stop, and the cap is near.

    Heads adds a point and leads to the mode that may stop; tails adds a point and throws again; the third side busts.
    So from the forced mode the chance to come out is x = 1/3 + x/3 = 1/2, whatever the cap.
    """
    go, stop = 0, 1
    throw = Roll((((TurnChoice(stop, 1),), 1), ((TurnChoice(go, 1),), 1), ((BUST,), 1)))
    turn = PushTurn([Mode("forced", None, 0, (throw,)), Mode("free", 0, 0, (throw,))], [[go, stop]], go)
    payoff = np.ones((1, 1 + 2, LANES))
    payoff[0, 0] = 0.0
    value = turn.solve(payoff, np.full(LANES, 1, dtype=np.int32)).value
    assert value[0, 0] == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize(("on", "off"), [(5, 1), (90, 10), (199, 1)])
def test_long_forced_runs_beyond_the_cap_are_followed_to_their_end(on, off):
    """Forced on with weight ``on``, out to a bust or a stop with weight ``off`` each: half of the runs come out."""
    go, stop = 0, 1
    throw = Roll((((TurnChoice(go, 1),), on), ((TurnChoice(stop, 1),), off), ((BUST,), off)))
    turn = PushTurn([Mode("forced", None, 0, (throw,)), Mode("free", 0, 0, (throw,))], [[go, stop]], go)
    payoff = np.ones((1, 1 + 4, LANES))
    payoff[0, 0] = 0.0
    value = turn.solve(payoff, np.full(LANES, 3, dtype=np.int32)).value
    assert value[0, 0] == pytest.approx(0.5, abs=1e-13)


def test_decisions_beyond_the_cap_are_told_apart_from_those_below_it():
    """With no points the forced mode had better bust, beyond the cap it had better stop: both are decided."""
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
    followed = turn.solve(payoff, np.full(LANES, 1, dtype=np.int32), follow=best.decisions)
    assert best.value[0, 0] == followed.value[0, 0] == 0.75


def test_runs_that_hardly_end_are_refused():
    throw = Roll((((TurnChoice(0, 1),), 9999), ((BUST,), 1)))
    with pytest.raises(ValueError, match="almost always"):
        PushTurn([Mode("forced", None, 0, (throw,))], [[0]], 0)


def test_unfit_decisions_and_payoffs_are_refused_or_harmless():
    turn = PushTurn([Mode("0", 0, 0, (Roll((((BUST,), 1),)),))], [[0]], 0)
    payoff, cap = np.zeros((1, 4, 8)), np.full(8, 1, dtype=np.int32)
    for wrong in (np.zeros((1, 1, 8), np.int16), np.full((2, 2, 8), 7, np.int16), np.zeros((2, 2, 8), np.int32)):
        with pytest.raises(ValueError, match="decisions must be"):
            turn.solve(payoff, cap, follow=wrong)
        with pytest.raises(ValueError, match="decisions must be"):
            turn.walk(wrong[..., :7], cap[:7], 4)
    assert np.isnan(turn.solve(payoff * np.nan, cap, decisions=True).value).all()
    past = PushTurn([Mode("0", 0, 0, (Roll((((TurnChoice(0, 3),), 1), ((BUST,), 1))),))], [[0]], 0, forbid=True)
    with pytest.raises(ValueError, match="decisions must be"):  # a choice that passes the cap is not to be made
        past.walk(np.array([[[1], [0], [0]]], np.int16), np.full(1, 2, np.int32), 4)


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
    with pytest.raises(ValueError, match=r"circle|a class needs"):
        PushTurn([Mode("0", 0, 0, (Roll(classes),))], [[0]], 0)


def test_wrong_shapes_are_refused():
    turn = PushTurn([Mode("0", 0, 0, (Roll((((BUST,), 1),)),))], [[0]], 0)
    with pytest.raises(ValueError, match="blocks of 8"):
        turn.solve(np.zeros((1, 9, 7)), np.zeros(8, dtype=np.int32))
    with pytest.raises(ValueError, match="blocks of 8"):
        turn.solve(np.zeros((1, 1, 7)), np.zeros(7, dtype=np.int32), slide=np.zeros((1, 8)))
    with pytest.raises(ValueError, match="do not reach the cap"):
        turn.solve(np.zeros((1, 3, 8)), np.full(8, 5, dtype=np.int32))
    with pytest.raises(ValueError, match="do not reach the cap"):
        turn.solve(np.zeros((1, 1, 8)), np.full(8, 5, dtype=np.int32), slide=np.zeros((1, 8 + 5)))
    with pytest.raises(ValueError, match="do not reach the cap"):
        turn.walk(np.zeros((1, 2, 1), np.int16), np.full(8, 5, dtype=np.int32), 6)
    with pytest.raises(ValueError, match="holds the specials only"):
        turn.solve(np.zeros((1, 2, 8)), np.zeros(8, dtype=np.int32), slide=np.zeros((1, 9)))
