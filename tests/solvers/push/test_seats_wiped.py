"""Races of three and more in which a throw can lose the whole score: against the referee in fractions, a plain solve,
simulated games; best replies to the stored play, circles of them through wiped scores, and solves that are killed.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from house_rules import random_rules
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from multiplayer_checks import check_against_the_plain_path
from patience import PATIENCE
from referee_checks import check

import keepwise as kw
import keepwise.api
from keepwise.games import own_game
from keepwise.solvers.push import lost_scores, multiplayer_problem, multiplayer_sweep
from keepwise.solvers.push.multiplayer_kernel import MultiplayerRace
from keepwise.solvers.push.multiplayer_solver import solve_multiplayer_race
from keepwise.solvers.push.multiplayer_sweep import LayerSweep
from keepwise.solvers.push.race_solver import CERTAIN_STOP_LOSS
from keepwise.solvers.push.states import States
from keepwise.storage.checkpoints import Checkpoint
from keepwise.util.errors import InputError, SolveError

SMALL = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "target": 3}
WIPED = {**SMALL, "special": [{"throw": "33", "then": "wipe"}]}
COIN = {"name": "coin", "dice": 1, "faces": 3, "singles": {"1": 1, "2": 1}, "target": 3, "set_aside": "all"}
LOSING = [{"throw": "3", "then": "wipe"}]  # no bust but a lost score

GAMES = [
    ({**COIN, "special": LOSING}, 3),
    ({**COIN, "special": LOSING, "target": 2}, 4),
    ({**COIN, "special": LOSING, "target": 2, "finish": "exact"}, 3),
    ({**COIN, "special": LOSING, "stop.at_least": 2, "stop.below": "must"}, 3),
]

LARGER = [
    (WIPED, 3),
    ({**WIPED, "alike": {"2": {"2": 2}}, "then.all": "must", "finish": "exact"}, 3),
    ({**WIPED, "alike": {"2": {"2": 2}}, "then.all": "end", "weights": [1, 2, 3]}, 3),
    ({**WIPED, "special": [*WIPED["special"], {"throw": "22", "then": "win"}]}, 3),
    ({**WIPED, "then.all": "end", "target": 2, "finish": "last_round"}, 3),
    ({**COIN, "special": LOSING, "target": 5}, 3),
    ({**COIN, "special": LOSING, "stop.opening": 3, "stop.at_least": 2, "stop.below": "must", "target": 4}, 3),
    ({**WIPED, "singles": {"1": 1, "2": 1}, "stop.at_least": 2, "stop.below": "must"}, 3),
]


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("rules", "players"), GAMES)
def test_the_referee_agrees(rules, players):
    assert check(own_game(rules), "win", players=players, rolls=100) > 0


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(("rules", "players"), LARGER)
def test_the_referee_agrees_on_larger_games(rules, players):
    assert check(own_game(rules), "win", players=players, rolls=100) > 0


@pytest.mark.slow
@settings(max_examples=8, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
def test_random_house_rules(seed):
    """Solved to an equilibrium whatever the rules, and without the kernel to the same values."""
    rng = random.Random(seed)
    rules = {**random_rules(rng), "target": 1 + seed % 9, "stop.opening": 0, "stop.at_least": 0}
    rules["special"] = [{"throw": str(rng.randint(1, rules["faces"])) * rules["dice"], "then": "wipe"}]
    if rules["finish"] == "last_round":  # turns that may go on for very long
        reject()
    try:
        solution = kw.solve(own_game(rules), "win", 3, fresh=True)
    except InputError:
        reject()
    check_against_the_plain_path(solution, regret=1e-8, within=1e-9)


# --- Two-Dice Pig


def two_dice(target: int) -> kw.Game:
    return kw.load_rules("pig-two-dice", target=target)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("target", "players"), [(20, 3), (12, 4), (8, 5), (7, 6)])
def test_two_dice_pig(target, players):
    solution = kw.solve(two_dice(target), "win", players, fresh=True)
    told = solution.position_value()
    assert told.extra["regret"] <= 1e-11
    assert abs(sum(told.seats) - 1) <= players * solution.error_bound
    assert list(told.seats) == sorted(told.seats, reverse=True)
    found = solution.simulate(games=2000, seed=11)
    for seat, chance in zip(found.as_json()["seats"], told.seats, strict=True):
        assert abs(seat["mean"] - chance) <= 4 * seat["se"]
        assert seat["errors"] <= 1e-9


@pytest.mark.slow
def test_wipes_are_worth_the_value_of_their_position():
    """What a throw is worth that loses the score, and what it is worth to the others."""
    solution = kw.solve(two_dice(30), "win", 3, fresh=True)
    lost = solution.advise(score=20, opponents=[11, 5], turn=9, roll="11").best
    after = solution.position_value(score=11, opponents=[5, 0])
    assert lost.value == pytest.approx(after.seats[-1], abs=1e-15)
    thrown = solution.read(score=20, opponents=[11, 5], turn=9, dice=2)
    falls = list(solution.playable.rolls(thrown))
    parts = [solution.position_value(after).seats for _, after in falls]
    mean = np.average(parts, axis=0, weights=[weight for weight, _ in falls])
    assert np.abs(mean - solution.position_value(thrown).seats).max() <= 2 * solution.error_bound


@pytest.mark.slow
def test_hot_dice_and_lost_scores():
    rules = {"name": "hot", "dice": 3, "singles": {"1": 100, "5": 50}, "alike": {"3": {"2": 200}}, "target": 500}
    game = own_game({**rules, "special": [{"throw": "666", "then": "wipe"}]})
    solution = kw.solve(game, "win", 3, fresh=True)
    assert solution.position_value().extra["regret"] <= 1e-11
    found = solution.simulate(games=1000, seed=11)
    for seat, told in zip(found.as_json()["seats"], solution.position_value().seats, strict=True):
        assert abs(seat["mean"] - told) <= 4 * seat["se"]


@pytest.mark.slow
def test_last_rounds_and_lost_scores():
    rules = {**WIPED, "then.all": "end", "target": 4, "finish": "last_round"}
    solution = kw.solve(own_game(rules), "win", 3, fresh=True)
    assert solution.position_value().extra["regret"] <= 1e-11
    found = solution.simulate(games=2000, seed=11)
    for seat, told in zip(found.as_json()["seats"], solution.position_value().seats, strict=True):
        assert abs(seat["mean"] - told) <= 4 * seat["se"]
        assert seat["errors"] <= 1e-9


def lost_late(rng: random.Random) -> tuple[dict[str, Any], float]:
    """Rules under which a throw wins from the lowest score alone, and its chance; from others all is a bust."""
    target, floor, cost = rng.randint(2, 6), -rng.choice((0, 0, 1, 2)), rng.choice((1, 1, 1, 2))
    weights = [rng.randint(1, 3), rng.randint(1, 3)]
    rules = {"name": "late", "dice": 2, "faces": 2, "weights": weights, "target": target, "finish": "exact"}
    rules |= {"alike": {"2": dict.fromkeys("12", target - floor)}, "set_aside": "all-or-none", "then.all": "end"}
    costs = [0] * rng.choice((0, 0, 1)) + [cost]
    rules["bust"] = {"costs": costs, "count": rng.choice(("anew", "stays")), "floor": floor}
    if surely := rng.random() < 0.3:
        rules["special"] = [{"throw": "12", "then": "void"}]
    return rules, 1 if surely else sum(one * one for one in weights) / sum(weights) ** 2


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize("seed", range(12 * PATIENCE))
def test_values_settle_if_busts_lose_points_slowly(seed):
    """What a bust costs is lost until the lowest score is reached, so that what anybody gets comes round late: by
    recursion over rounds.
    """
    rng = random.Random(seed)
    rules, chance = lost_late(rng)
    solution = kw.solve(own_game(rules), "win", 3, fresh=True)
    data = solution.game.data

    @cache
    def seats(mover, *others):
        if all(score == data.bust_floor for score, _ in (mover, *others)):
            return np.array([(1 - chance) ** seat for seat in range(3)]) / sum(
                (1 - chance) ** seat for seat in range(3)
            )
        if chance == 1 and mover[0] == data.bust_floor:
            return np.eye(3)[0]
        after = np.roll(seats(*others, data.after_bust(*mover)), 1)
        return after if mover[0] > data.bust_floor else chance * np.eye(3)[0] + (1 - chance) * after

    players = [*product(range(data.bust_floor, data.target, data.grain), range(len(data.bust_costs)))]
    states = [*product(players, repeat=3)]
    for mover, *others in rng.sample(states, min(len(states), 200)):
        scores, busts = zip(*others, strict=True)
        told = {"busts": mover[1], "opponents_busts": busts} if len(data.bust_costs) > 1 else {}
        value = solution.position_value(score=mover[0], opponents=scores, **told)
        assert np.abs(value.seats - seats(mover, *others)).max() <= solution.error_bound
    assert solution.position_value().extra["regret"] <= 1e-11


# --- circles of best replies through lost scores

FOUR = {"name": "circle", "dice": 1, "faces": 4, "set_aside": "all"}
CIRCLES = {  # found among random rules; which shares end them, and of how many movers
    "one mixes": (
        {**FOUR, "singles": {"1": 3, "4": 3}, "target": 13, "special": [{"throw": "2", "then": "wipe"}]},
        1,
    ),
    "nobody mixes": (  # a guess drawn from many may meet a jump where single sweeps do not
        {**FOUR, "singles": {"2": 1, "3": 4}, "target": 15, "special": [{"throw": "4", "then": "wipe"}]},
        0,
    ),
    "two mix": (
        {
            **{**FOUR, "faces": 5, "singles": {"1": 3, "3": 2, "4": 1}},
            **{"target": 16, "special": [{"throw": "2", "then": "wipe"}]},
        },
        2,
    ),
}


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(("rules", "mixed"), CIRCLES.values(), ids=CIRCLES)
def test_circles_through_lost_scores_end_in_mixed_turns(rules, mixed):
    """Without them sweeps do not settle; with them nobody gains by any strategy, and simulated games agree."""
    solution = kw.solve(own_game(rules), "win", 3, fresh=True)
    told = solution.position_value()
    assert told.extra["regret"] <= 1e-11
    assert told.extra["circles"] == []
    assert told.extra["mixed"] >= mixed
    found = solution.simulate(games=4000, seed=5)
    for seat, chance in zip(found.as_json()["seats"], told.seats, strict=True):
        assert abs(seat["mean"] - chance) <= 4 * seat["se"]
        assert seat["errors"] <= 1e-9


@pytest.mark.slow
def test_unresolved_cycles_are_reported():
    rules, _ = CIRCLES["two mix"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lost_scores, "MAX_FORCED_MIXERS", 0)
        solution = kw.solve(own_game(rules), "win", 3, fresh=True)
    told = solution.position_value()
    assert 1e-6 < told.extra["regret"] < 1e-3
    assert told.extra["circles"] == [[0, 10, 7]]
    settled = kw.solve(own_game(rules), "win", 3, fresh=True)
    assert np.abs(np.subtract(told.seats, settled.position_value().seats)).max() <= solution.error_bound


@pytest.mark.slow
def test_sweeps_for_circles_come_to_an_end():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lost_scores, "MAX_TOTAL_SWEEPS", 20)
        solution = kw.solve(own_game(CIRCLES["two mix"][0]), "win", 3, fresh=True)
        told = solution.position_value()
        assert told.extra["regret"] > 1e-6
        assert told.extra["circles"]
        patch.setattr(multiplayer_problem, "MAX_CYCLING_BOUND", 1e-9)
        with pytest.raises(SolveError, match=r"^at the scores 0, 10, 7 best responses cycle through lost scores"):
            kw.solve(own_game(CIRCLES["two mix"][0]), "win", 3, fresh=True)


def test_forced_mixers_without_a_close_breakpoint_have_no_gap():
    states = States(own_game({**FOUR, "singles": {"1": 4, "2": 3, "4": 2}, "target": 6, "special": LOSING}).data)
    race = MultiplayerRace(states, 3)
    win = np.zeros(len(states.scores) ** 3 * 3)
    sweep = LayerSweep(race, win, race.equations.last_round_table(np.zeros))
    sweep.solve_values()
    line = [0, 1, 2]
    place = sweep.equations.line_number(line)
    distances = sweep.solve_with_forced_mixers(np.array(line, dtype=np.int32), {place: 0.5})
    assert distances == {place: 0.0}
    assert not sweep.mixed_cycles  # best replies to it are found as they are when it is read from a checkpoint


MIXED = {  # found where sweeps come to now one equilibrium, now another: whose turns are mixed, by their scores
    70: ((14, [32, 25]), (32, [25, 14])),
    100: ((59, [63, 35]), (0, [59, 63])),
}


@pytest.mark.slow
@pytest.mark.parametrize("target", MIXED if PATIENCE > 1 else [70])
def test_two_dice_pig_with_wipes_has_mixed_actions(target):
    """Each mixes to keep the other to it: to a hundred points who has 59 moves against 63 and 35, and who has none
    against 59 and 63.
    """
    solution = kw.solve(two_dice(target), "win", 3, fresh=True)
    told = solution.position_value()
    assert told.extra["regret"] <= 1e-11
    assert told.extra["circles"] == []
    assert told.extra["mixed"] >= len(MIXED[target])
    for score, opponents in MIXED[target]:
        assert 0 < solution.advise(score=score, opponents=opponents, turn=0, dice=2).mixed[1].share < 1


# --- the rest


def test_the_best_reply_finds_wiped_scores_that_are_not_settled():
    """One sweep from a guess: what is lost by that is told, and the values are within it of the right ones."""
    states = States(two_dice(14).data)
    right = solve_multiplayer_race(states, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lost_scores, "iterate_to_fixed_point", lambda sweep, guess, *_, **__: (guess, 0.0))
        found = solve_multiplayer_race(states, 3)
    off = float(np.abs(found.win - right.win).max())
    assert 1e-4 < off / 3 < found.gain < 1
    assert right.gain <= 1e-12


@pytest.mark.slow
def test_nearly_stuck_games_with_wipes_have_proved_bounds():
    """Rounding hides how far bounds must reach; they are found all the same."""
    rules = {"dice": 1, "faces": 5, "singles": {"5": 1}, "target": 14, "finish": "exact"}
    game = own_game({"name": "slow", **rules, "special": [{"throw": "4", "then": "wipe"}]})
    solution = kw.solve(game, "win", 3, fresh=True)
    assert np.abs(np.array(solution.position_value().seats) - 1 / 3).max() < 1e-3
    assert solution.position_value().extra["regret"] <= 1e-8


@pytest.mark.slow
def test_the_same_bits_for_any_number_of_threads():
    states = States(two_dice(24).data)
    told = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiplayer_sweep, "MIN_CYCLES_FOR_THREADS", 1)
        for threads in (1, 2, 5):
            values = solve_multiplayer_race(states, 3, threads=threads)
            told.add((values.win.tobytes(), values.gain, values.choice_count, values.pass_count))
    assert len(told) == 1


COSTS = {"name": "costs", "dice": 2, "faces": 3, "singles": {"1": 1, "2": 2}, "target": 2, "then.all": "end"} | {
    "bust": {"costs": [1], "floor": -1},
    "take_over": "free",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(two_dice(10), id="settled"),
        pytest.param(own_game(COSTS), id="plainly"),
        pytest.param(own_game(CIRCLES["one mixes"][0]), marks=pytest.mark.patient, id="circles"),
    ],
)
def test_resumed_solves_with_wipes_have_the_same_bits(tmp_path, game):
    """Stopped after every file in turn, or every few: sweeps, their table, circles, the last layers, best replies."""
    whole, asked = tmp_path / "whole.npz", keepwise.api.ask(game, "win", 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiplayer_problem, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(multiplayer_problem, "STAGES", 2)
        saved, files, circles = Checkpoint.save_layer, [], []

        def count(self, layer, rows):
            saved(self, layer, rows)
            files.append(layer)
            circles.append(layer.startswith("wiped") and (rows[-lost_scores.MAX_CYCLING_LINES :] >= 0).any())

        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(Checkpoint, "save_layer", count)
            keepwise.api.solve_resumable(asked, whole)
        assert {"wiped0", "table1", "play1", "bounds0"} <= set(files)
        assert any(circles) == (game.title == "circle")
        for stop in range(0, len(files), 1 + len(files) // 30):
            output, met = tmp_path / "killed.npz", []

            def save(self, layer, rows, met=met, stop=stop):
                saved(self, layer, rows)
                met.append(layer)
                if len(met) == stop + 1:
                    raise KeyboardInterrupt

            with pytest.MonkeyPatch.context() as inner:
                inner.setattr(Checkpoint, "save_layer", save)
                with pytest.raises(KeyboardInterrupt):
                    keepwise.api.solve_resumable(asked, output)
            assert met == files[: stop + 1]
            keepwise.api.solve_resumable(asked, output)
            assert output.read_bytes() == whole.read_bytes()
            assert not list(tmp_path.glob("*.part"))
            output.unlink()


def test_estimated_cost_counts_sweeps():
    plain = own_game({**SMALL, "target": 40})
    wiped = own_game({**SMALL, "target": 40, "special": [{"throw": "33", "then": "wipe"}]})
    one, other = (keepwise.api.ask(game, "win", 3).estimate_cost(1) for game in (plain, wiped))
    assert other.seconds > 10 * one.seconds
    with pytest.raises(kw.TooMuchError, match="the limit is an hour"):
        kw.solve(kw.load_rules("pig-two-dice"), "win", 5)


def test_a_cluster_does_not_sweep():
    with pytest.raises(InputError, match="without rolls that lose the whole score"):
        kw.solve(two_dice(12), "win", 3, cluster="local:2")


# --- what is proved, and of which play


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    ("game", "players"),
    [
        (two_dice(14), 3),
        (two_dice(6), 4),
        (own_game({**WIPED, "then.all": "end", "finish": "exact"}), 3),
        (kw.game("pig", target=12), 3),
    ],
    ids=str,
)
def test_the_play_comes_to_an_end(game, players):
    """Bounds of best replies fall with every turn of the play, by more than nothing, and so with the turn of whoever
    leaves it. So they bound how many turns there can be on average, and what all get adds up to 1.
    """
    sweeps, original = [], LayerSweep.bound_best_responses

    def bound_best_responses(sweep, *arguments):
        sweeps.append(sweep)
        return original(sweep, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LayerSweep, "bound_best_responses", bound_best_responses)
        found = solve_multiplayer_race(States(game.data), players)
    sweep, turns = sweeps[-1], sweeps[-1].equations
    win, most = sweep.win, sweep.tables.bounds
    assert not sweep.mixed
    assert (most >= win).all()
    least = np.inf
    for line in product(range(turns.count), repeat=players):
        place = np.array([turns.line_number(line)])
        (after,) = turns.after_zero_turn(place)
        own = turns.prepare_turns(place, most, most, None).solve(most[[after], -1]).value[0, 0]
        _, zero, _, *shares = turns.prepare_turns(place, win, most, None).solve(win[[after], -1]).value[:, 0]
        others = np.array(shares) + zero * most[after, :-1]
        least = min(least, (most[place] - [own, *others]).min())
    assert least > sweep.race.response_margin / 4
    assert found.gain < 1e-9


@pytest.mark.parametrize("guess", [0.01, 1 / 3])
def test_certain_stops_are_of_the_same_throws(guess):
    """Whatever lost scores are taken to be worth to those above 0. With nothing to lose the throw that loses them is a
    zero turn, and where to stop is another question. Where each is asked anew the same comes out.
    """
    rules = {**COIN, "faces": 4, "special": LOSING, "target": 14}
    states, found = States(own_game(rules).data), []
    for certain in (CERTAIN_STOP_LOSS, -2.0):  # with the second nothing ever is
        race = MultiplayerRace(states, 3, stop_tolerance=certain)
        sweep = LayerSweep(race, np.zeros(len(states.scores) ** 3 * 3))
        sweep.win[:: len(states.scores)] = guess
        sweep.solve_values()
        found.append((sweep.win, sweep.dispatcher.choice_count))
    (shared, less), (anew, more) = found
    assert (shared == anew).all()
    assert less < more
