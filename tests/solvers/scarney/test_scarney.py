"""Straight Scarney against an enumeration of ordered throws, the source's own examples, and simulation."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scarney_reference import CAP, table

import keepwise as kw
from keepwise.play import playable
from keepwise.policies.levels import at_level

# --- a reference that shares no code with the engine: ordered throws, arrays over leads ---


def frame(enter, double: bool, little: str, big: bool = True, cap: int = CAP):
    """Value of a frame; ``enter(points)`` is what entering them is worth, an array over leads or a number."""
    holding: dict[tuple[int, int], np.ndarray] = {}
    free: dict[int, np.ndarray] = {}

    def throw(dice: int, held: int, doubled: bool):
        value = 0.0
        for what, chance in table(dice, doubled, little, big):
            if what[0] == "big":
                result = 1.0
            elif what[0] == "live":
                result = holding[dice, min(cap, held + what[1])]
            elif what[0] == "little":
                result = holding[1, min(cap, 25 + (held if what[1] else 0))]
            else:
                result = free[what[1]] if what[1] else enter(0)
            value = value + chance * result
        return value

    for dice in range(1, 6):
        for held in range(cap, 0, -1):
            stop = enter(held)
            holding[dice, held] = stop if held == cap else np.maximum(stop, throw(dice, held, False))
        free[dice] = np.maximum(throw(dice, 0, False), throw(dice, 0, double))
    return free[5]


def match(frames: int, double: bool, little: str) -> dict[tuple[int, int], np.ndarray]:
    """(seat, frames left) -> chance to win by lead from -farthest to farthest."""
    farthest = (frames + 1) * CAP
    leads = np.arange(-farthest, farthest + 1)

    def solve(after: np.ndarray) -> np.ndarray:
        padded = np.concatenate((after, np.full(CAP, after[-1])))
        return frame(lambda points: padded[points : points + len(leads)], double, little)

    level = 0.5
    for _ in range(12):
        second = solve(np.where(leads == 0, 1 - level, (leads > 0) * 1.0))
        first = solve(1 - second[::-1])
        level = first[farthest]
    values = {(1, 0): second, (0, 0): first}
    for left in range(1, frames):
        values[1, left] = solve(1 - values[0, left - 1][::-1])
        values[0, left] = solve(1 - values[1, left][::-1])
    return values


@pytest.mark.parametrize("double", ["free", "off"])
@pytest.mark.parametrize("little", ["score", "dead"])
def test_points_of_a_frame_equal_enumeration(double, little):
    solution = kw.solve(kw.game("scarney", double=double, little=little), "points", fresh=True)
    expected = frame(lambda points: float(points), double == "free", little, big=False)
    assert abs(solution.value() - expected) <= solution.error_bound + 1e-9  # the reference's own cut
    assert solution.error_bound < 1e-9


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(
    ("frames", "double", "little"), [(1, "free", "score"), (1, "off", "dead"), (2, "free", "dead")]
)
def test_small_matches_equal_enumeration(frames, double, little):
    solution = kw.solve(kw.game("scarney", frames=frames, double=double, little=little), "win", fresh=True)
    expected = match(frames, double == "free", little)
    middle = (frames + 1) * CAP
    assert solution.error_bound < 1e-9
    for left in range(frames):
        played = frames - 1 - left
        for seat in (0, 1):
            for lead in (0, *(() if not played and not seat else (-40, -7, -1)), *((1, 12) if played else ())):
                mine, theirs = max(lead, 0), max(-lead, 0)
                value = solution.value(frame=played + 1, seat=seat, score=mine, opponents=[theirs])
                assert abs(value - expected[seat, left][middle + lead]) <= 2 * solution.error_bound


def outcome(run, position: str):
    return json.loads(run(f"advise scarney {position} --json").out)["choices"]


@pytest.mark.slow
def test_examples_of_the_source(run):
    # 17 points, hit, 16 plus three of a kind: 53.
    assert {c["points"] for c in outcome(run, "--frame 1 --turn 17 --live 4 --roll 3364 --objective win")} == {33}
    assert outcome(run, "--turn 17 --live 4 --roll 4444")[0]["points"] == 17 + 16 + 40
    assert outcome(run, "--turn 17 --live 4 --roll 3331")[0]["points"] == 17 + 10 + 20
    assert outcome(run, "--turn 17 --live 4 --roll 4446")[0]["points"] == 17 + 18 + 20
    assert outcome(run, "--turn 17 --live 5 --roll 33343")[0]["points"] == 17 + 16 + 40
    assert outcome(run, "--turn 17 --live 5 --roll 33316")[0]["points"] == 17 + 16 + 20 == 53
    # 17, hit, a dead die: nothing held, and on with the rest.
    assert {(c["points"], c["dice_left"]) for c in outcome(run, "--turn 17 --live 4 --roll 346d")} == {(0, 3)}
    # 15 points plus three of a kind, doubled: 50; a double needs four dice for that.
    assert outcome(run, "--live 4 --roll 3336 --double")[0]["points"] == 2 * 15 + 20 == 50
    # One die doubled: 1 -> 2, 3 -> 3, 4 -> 4, 6 -> 12.
    for die, points in ((1, 2), (3, 3), (4, 4), (6, 12)):
        assert outcome(run, f"--live 1 --roll {die} --double")[0]["points"] == points


@pytest.mark.slow
def test_little_scarney(run):
    kept = outcome(run, "--turn 17 --live 5 --roll dddd6")
    assert {(c["points"], c["dice_left"], c["then"]) for c in kept} == {(42, 0, "stop"), (42, 1, "hit")}
    assert {c["points"] for c in outcome(run, "--turn 17 --live 5 --roll dddd6 --rule little=dead")} == {25}
    assert [c["then"] for c in outcome(run, "--live 4 --roll dddd")] == ["end"], "four dead of four is a crap-out"


@pytest.mark.slow
def test_big_scarney_wins_at_once_and_scores_as_dice_for_points(run):
    for roll in ("11111", "ddddd", "66666"):
        assert [(c["then"], c["value"]) for c in outcome(run, f"--roll {roll}")] == [("win", 1.0)]
    assert outcome(run, "--roll 66666 --objective points")[0]["points"] == 30
    assert [c["then"] for c in outcome(run, "--roll ddddd --objective points")] == ["end"]


def test_chance_of_big_scarney_on_five_dice():
    rules = kw.game("scarney").data
    (throw, _) = rules.turn.modes[rules.no_points_mode(5)].rolls
    big = sum(weight for offered, weight in throw.classes if offered[0].next_mode == -2)
    assert Fraction(big, sum(weight for _, weight in throw.classes)) == Fraction(1, 216)
    solution = kw.solve("scarney", "points")
    playable, known = solution.playable, {}

    def chance(throw):
        """Of five alike on five dice from this throw of them on, as the game is played by the advice."""
        found = total = 0
        for weight, fallen in playable.rolls(throw):
            total += weight
            points = playable.choices(fallen)[0].points  # with those in hand
            if len(set(fallen.roll)) == 1:
                found += weight
            elif "d" not in fallen.roll:
                if points not in known:
                    best = solution.advise(fallen).best
                    known[points] = chance(best.after) if best.follow_up == "hit" else 0.0
                found += weight * known[points]
        return found / total

    start = solution.advise(playable.start()).best.after
    assert solution.position_value().extra["wins_at_once"] == pytest.approx(chance(start), rel=1e-12)


def test_printed_score_sheet_adds_up():
    # The source's sample sheet: frames of players A to D and their totals; every frame score is one that can be held.
    sheet = {
        "A": ([10, 12, 9, 0, 0, 16, 0], 47),
        "B": ([33, 6, 6, 8, 0, 12, 32], 97),
        "C": ([9, 52, 18, 36, 27, 26, 0], 168),
        "D": ([0, 26, 45, 0, 32, 0, 0], 103),
    }
    turn = kw.game("scarney").data.turn
    possible = 0
    for held in turn.reachable_points_by_mode(60):
        possible |= held
    for frames, total in sheet.values():
        assert sum(frames) == total
        assert all(possible >> points & 1 for points in frames)


@pytest.mark.parametrize("double", ["free", "off"])
def test_sheet_limits_equal_the_best_stops(double):
    """Also where whoever plays by it never comes."""
    solution = kw.solve(kw.game("scarney", double=double), "points")
    rules = solution.game.data
    held = rules.turn.reachable_points_by_mode(30)
    for live, limit in enumerate(at_level(solution.game, 2, "points").policy.by_live, 1):
        for points in (points for points in range(1, 30) if held[rules.points_mode(live)] >> points & 1):
            assert (solution.advise(turn=points, live=live).best.follow_up == "stop") == (points >= limit)


def test_opposite_changes_no_value(run):
    plain = json.loads(run("advise scarney --turn 20 --live 1 --json").out)["choices"]
    called = json.loads(run("advise scarney --turn 20 --live 1 --opposite --json").out)["choices"]
    assert plain == called
    assert "opposite changes no value" in run("advise scarney --turn 20 --live 1").out
    turned = outcome(run, "--turn 20 --live 1 --roll 3 --opposite")
    assert turned[0]["points"] == 24


def test_options_move_the_value_as_they_must():
    def points(**options):
        return kw.solve(kw.game("scarney", **options), "points", fresh=True).value()

    assert points() > points(double="off")
    assert points() > points(little="dead")


def test_double_down_is_never_worse_and_seats_add_up():
    solution = kw.solve("scarney")
    for position in ({}, {"live": 3}, {"frame": 7, "seat": 1, "score": 80, "opponents": [95]}):
        choices = {choice.follow_up: choice.value for choice in solution.advise(**position).choices}
        assert choices["double"] >= choices["throw"] - 2 * solution.error_bound
        assert sum(solution.position_value(**position).seats) == 1.0
    for lead_table in (solution.value_table.arrays["first"], solution.value_table.arrays["second"]):
        assert (np.diff(lead_table, axis=1) >= -2 * solution.error_bound).all(), "a larger lead never hurts"


def test_a_decided_last_frame():
    solution = kw.solve("scarney")
    # The second shooter of the last frame who is ahead has won by crapping out; who is level needs any point.
    assert solution.value(frame=7, seat=1, score=50, opponents=[49]) == pytest.approx(1.0, abs=1e-12)
    level = solution.advise(frame=7, seat=1, score=50, opponents=[50], turn=3, live=1)
    assert level.best.follow_up == "stop"
    assert level.best.value == 1.0


@pytest.mark.slow
def test_same_bits_for_any_number_of_threads():
    one, two = (kw.solve(kw.game("scarney", frames=2), fresh=True, threads=n).value_table.arrays for n in (1, 2))
    assert all((one[name] == two[name]).all() for name in one)


@pytest.mark.slow
def test_simulated_matches_agree_with_the_win_chance():
    solution = kw.solve(kw.game("scarney", frames=1), fresh=True)
    rng, games, wins = random.Random(7), 3000, 0

    @cache
    def best(seat, mine, theirs, turn, live, roll, double):
        position = {"frame": 1, "seat": seat, "turn": turn, "live": live}
        position |= {"score": mine, "opponents": [theirs]} if seat else {}
        if roll:
            position |= {"roll": roll, "double": double}
        choice = solution.advise(**position).best
        return choice.follow_up, choice.points, choice.dice_left

    def shoot(seat, theirs):
        turn, live, then = 0, 5, None
        then = best(seat, 0, theirs, 0, 5, None, False)[0]
        while True:
            roll = "".join(sorted(rng.choice("1346dd") for _ in range(live)))
            then, points, left = best(seat, 0, theirs, turn, live, roll, then == "double")
            if then in ("win", "end"):
                return None if then == "win" else 0
            if then == "stop":
                return points
            turn, live = points, left

    for _ in range(games):
        while True:
            first = shoot(0, 0)
            if first is None:
                wins += 1
                break
            second = shoot(1, first)
            if second is None or second > first:
                break
            if first > second:
                wins += 1
                break
    chance = solution.value()
    assert abs(wins / games - chance) < 4 * (chance * (1 - chance) / games) ** 0.5


@pytest.mark.parametrize(
    ("position", "says"),
    [
        ("--roll 12d46", "mixes d and 2, two names of one face"),
        ("--roll 17", "--roll 17: no die has the face '7'; the faces are 1, 2, 3, 4, 5, 6, d"),
        ("--roll 134613", "expected at most 5 dice, got 6"),
        ("--live 4 --roll 13461", "live is 4, but the roll has 5 dice"),
        ("--turn 17 --live 4 --roll 1346 --double", "only while holding 0 points"),
        ("--roll 13461 --double --rule double=off", "the rule double=off"),
        ("--double", "double requires --roll or --throwing"),
        ("--live 2 --opposite", "single live die"),
        ("--live 6", "between 1 and 5"),
        ("--frame 8", "between 1 and 7"),
        ("--score 20", "in frame 1"),
        ("--opponents 20", "must be 0, not 20: in frame 1"),
        ("--turn 2 --live 3", "turn cannot be 2 with 3 live dice"),
        ("--dice 3", "unknown option --dice"),
        ("--frame x", "must be a whole number, not 'x'"),
    ],
)
def test_bad_input(run, position, says):
    answer = run(f"advise scarney {position}")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert says in answer.err


def test_dead_dice_read_both_ways():
    scarney = playable("scarney")
    assert scarney.position(roll="13d4d") == scarney.position(roll="1 3 2 4 5")
    assert scarney.position(roll="13d4d").roll == ("1", "3", "4", "d", "d")
