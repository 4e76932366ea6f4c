"""Answers deep inside a turn whose points nothing bounds, against plain recursion over ordered throws.

The values between turns are taken from the solution (other files prove those); what a turn makes of them is done anew,
in fractions or with far longer tables than the engine's.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scarney_reference import table

import keepwise as kw
from keepwise.answers.decisions import Decider
from keepwise.api import Solution
from keepwise.games import own_game as house_game
from keepwise.solvers import ValueTable, make_problem

# --- one die: some sides score one point, one busts; every value in closed form ---

SIDES = 5
GOES_ON = Fraction(SIDES - 1, SIDES)


@pytest.fixture(scope="module")
def one_die():
    rules = {"name": "one-die", "dice": 1, "faces": ["1", "2"], "weights": [1, SIDES - 1], "singles": {"2": 1}}
    return kw.solve(house_game({**rules, "target": 165, "finish": "last_round"}), "win", fresh=True)


def last_chance(behind: int) -> Fraction:
    """Of a last turn: whoever is level throws on, since one point more wins with more than a half; then it is over."""
    return GOES_ON ** (behind + 1)


@pytest.mark.slow
def test_last_turns_of_one_die_equal_fractions(one_die):
    score, opponent = 0, 164
    zero = 1 - Fraction(one_die.value(score=opponent, opponents=[score]))
    deepest = 800
    value = {deepest: 1 - last_chance(score + deepest - opponent)}
    throw = {}
    for held in range(deepest - 1, 0, -1):
        after = 1 - Fraction(one_die.value(score=opponent, opponents=[score + held]))
        bank = after if score + held < 165 else 1 - last_chance(score + held - opponent)
        throw[held] = GOES_ON * value[held + 1] + (1 - GOES_ON) * zero
        value[held] = max(bank, throw[held])
    for held in (1, 80, 163, 164, 165, 166, 180, 200, 250, 320, 400):
        advice = one_die.advise(score=score, opponents=[opponent], turn=held, dice=1)
        found = one_die.position_value(score=score, opponents=[opponent], turn=held, dice=1)
        assert advice.error_bound == found.error_bound < 1e-11
        roll = next(choice for choice in advice.choices if choice.follow_up == "roll")
        assert abs(Fraction(roll.value) - throw[held]) <= found.error_bound
        assert abs(Fraction(found.value) - value[held]) <= found.error_bound
        seen = one_die.position_value(score=score, opponents=[opponent], turn=held - 1, roll="2")
        assert abs(Fraction(seen.value) - value[held]) <= seen.error_bound
    # Holding 165 against 164, banking leaves the opponent a last turn of 0.8 ** 2: throwing on is better.
    assert one_die.advise(score=0, opponents=[164], turn=165, dice=1).best.follow_up == "roll"


# --- last rounds of house games: sets of 1s and 5s from two or three dice ---

ONE, FIVE = 2, 1


def last_round_game(dice: int, after_all: str, wins: bool):
    rules = {"name": "ours", "dice": dice, "target": 8, "singles": {"1": ONE, "5": FIVE}, "finish": "last_round"}
    rules |= {"then.all": after_all}
    if wins:
        rules["special"] = [{"throw": "6" * dice, "then": "win"}]
    return house_game(rules)


def ordered(dice: int, wins: int):
    """Ordered throws by (ones, fives); (-1, -1) wins at once."""
    rolls = (throw for throw in product(range(1, 7), repeat=dice))
    return Counter((-1, -1) if wins == dice == t.count(6) else (t.count(1), t.count(5)) for t in rolls)


def inside(dice: int, must: bool, wins: int, pay, zero, top: int):
    """Values before a throw by points and dice (dice 0: all of them, and they must be thrown): ``pay(points)`` is what
    banking is worth, a number or an array; whoever holds ``top`` has banked.
    """
    value = {}
    tables = {size: ordered(size, wins) for size in range(1, dice + 1)}

    def sets(points, size, ones, fives):
        for a, b in product(range(ones + 1), range(fives + 1)):
            if a + b:
                left = size - a - b or (0 if must else dice)
                yield value[min(top, points + ONE * a + FIVE * b), left]

    for points in range(top, -1, -1):
        for size in range(dice, -1, -1):
            stop = pay(points)
            if points == top:
                value[points, size] = stop
                continue
            thrown = size or dice
            total = 0.0
            for (ones, fives), ways in tables[thrown].items():
                if ones < 0:
                    best = 1.0
                elif not ones + fives:
                    best = zero
                else:
                    best = None
                    for one in sets(points, thrown, ones, fives):
                        best = one if best is None else np.maximum(best, one)
                total = total + ways * best
            total = total / 6**thrown
            value[points, size] = np.maximum(stop, total) if size and points else total
    return value


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("dice", "after_all", "wins"), [(2, "roll", False), (2, "must", False), (2, "roll", True)])
def test_last_rounds_at_random_positions(dice, after_all, wins):
    game = last_round_game(dice, after_all, wins)
    solution = kw.solve(game, "win", fresh=True)
    special, must = (dice if wins else 0), after_all == "must"
    behind = np.arange(400)
    last = inside(dice, must, special, lambda t: (t > behind) + 0.5 * (t == behind), 0.0, 401)[0, dice]
    rng = random.Random(5)
    for score, opponent in ((0, 7), (3, 6), (7, 0), (5, 12)):
        over = opponent >= 8

        def pay(points, score=score, opponent=opponent, over=over):
            total = score + points
            if over:
                return (total > opponent) + 0.5 * (total == opponent)
            if total >= 8:
                return 1 - last[min(total - opponent, 399)]
            return 1 - solution.value(score=opponent, opponents=[total])

        zero = 0.0 if over else 1 - solution.value(score=opponent, opponents=[score])
        expected = inside(dice, must, special, pay, zero, 380)
        for _ in range(25):
            held, size = rng.choice((rng.randrange(1, 12), rng.randrange(12, 260))), rng.randrange(1, dice + 1)
            forced = must and size == dice
            position = {"score": score, "opponents": [opponent], "turn": held, "dice": size}
            try:
                solution.read(**position)
            except kw.InputError:  # under these rules so many points come with other dice
                continue
            found = solution.position_value(**position)
            assert found.error_bound < 1e-11
            assert abs(found.value - expected[held, 0 if forced else size]) <= found.error_bound
            roll = ["6"] * (size - 1) + [rng.choice("15")]
            seen = solution.position_value(**{**position, "dice": None}, roll=roll)
            left = size - 1 or (0 if must else dice)
            here = expected[held + (ONE if roll[-1] == "1" else FIVE), left]
            assert abs(seen.value - here) <= seen.error_bound


# --- Straight Scarney ---


def scarney_inside(enter, big: float, double: bool, top: int, chip: float = 0.0, chips: int = 0):
    """Values before a throw, (live, points, chips spent) and (live, None, chips spent): holding points, and nothing.

    ``enter(points, spent)`` is what entering points is worth.
    """
    value = {}
    enter = cache(enter)

    def throw(live, held, spent, doubled):
        total = 0.0
        for what, chance in table(live, doubled, "score", big is not None):
            if what[0] == "big":
                here = big
            elif what[0] == "live":
                here = value[live, min(top, held + what[1]), spent]
            elif what[0] == "little":
                here = value[1, min(top, 25 + held), spent]
            else:
                here = value[what[1], None, spent] if what[1] else enter(0, spent)
            total += chance * here
        return total

    for live in range(1, 6):
        levels = range(7 - live) if chips else (0,)
        for spent in levels:
            for held in range(top, 0, -1):
                stop = enter(held, spent)
                value[live, held, spent] = stop if held == top else max(stop, throw(live, held, spent, False))
        for spent in range(6 - live) if chips else (0,):
            ways = [throw(live, 0, spent, False)]
            if double:
                ways.append(throw(live, 0, spent + bool(chips), True))
            value[live, None, spent] = max(ways)
    return value


@pytest.fixture(scope="module")
def scarney():
    return kw.solve("scarney", "win")


def test_scarney_far_behind(scarney):
    """Cut at the points that a frame hardly ever holds, these were 0.0046 and 0.0049."""
    # One point is missing: any live throw of five dice brings it, four dead ones bring 25, five alike win at once.
    live, little, dead = 32, 10, 1  # of 243
    needs_one = scarney.value(frame=7, seat=1, score=0, opponents=[700], turn=699, live=5)
    assert needs_one == pytest.approx((live + little + dead) / 243, abs=1e-4)
    assert scarney.value(frame=7, seat=1, score=0, opponents=[479], turn=450, live=5) == pytest.approx(0.106, abs=5e-4)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("seat", "mine", "theirs"), [(1, 0, 700), (1, 0, 479), (1, 40, 33), (0, 0, 0), (0, 600, 10)])
def test_scarney_at_random_positions(scarney, seat, mine, theirs):
    level = 1 - scarney.value(frame=7, seat=0, score=0, opponents=[0])

    def enter(points, spent):
        ahead = mine + points - theirs
        if seat == 0:
            return 1 - scarney.value(frame=7, seat=1, score=theirs, opponents=[mine + points])
        return level if ahead == 0 else float(ahead > 0)

    expected = scarney_inside(enter, 1.0, True, 1300)
    rng = random.Random(seat + theirs)
    position = {"frame": 7, "seat": seat, "score": mine, "opponents": [theirs]}
    for _ in range(40):
        live, held = rng.randrange(1, 6), rng.choice((rng.randrange(20, 120), rng.randrange(120, 900)))
        found = scarney.position_value(**position, turn=held, live=live)
        assert abs(found.value - expected[live, held, 0]) <= found.error_bound < 1e-11
        roll = [rng.choice("1346") for _ in range(live)]
        what = next(iter(scarney.advise(**position, turn=held, live=live, roll=roll).choices))
        if what.follow_up != "win":
            assert abs(what.value - expected[live, what.points, 0]) <= found.error_bound
        empty = scarney.position_value(**position, live=live)
        assert abs(empty.value - expected[live, None, 0]) <= empty.error_bound


def test_every_lead_is_answered(scarney):
    """Leads beyond the tabled ones stand as the last of them: only Big Scarney still matters there."""
    ahead = [scarney.value(frame=4, seat=0, score=lead, opponents=[0]) for lead in (800, 1_000, 5_000, 100_000)]
    assert max(ahead) - min(ahead) < 2 * scarney.error_bound
    entered = scarney.advise(frame=1, seat=0, turn=5_000, live=5).choices
    assert [choice.follow_up for choice in entered] == ["stop", "hit"]
    big = 1 / 216
    kept = 1.0  # who is that far behind has only Big Scarney left, on five dice that are thrown at least once a frame
    for _ in range(7):
        kept *= 1 - big
    assert entered[0].value <= kept + 1e-9


def chips_at(game, level):
    """A solution for chips that knows what extra frames are worth, which is all that the last frame needs."""
    asked = make_problem(game, "chips")
    shapes = {name: one.shape for name, one in asked.array_specs().items()}
    arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
    arrays["level"] = np.array([level(asked.min_pot + chips) for chips in range(shapes["level"][0])])
    return Solution(asked, ValueTable(arrays, 1e-10), "solved", "")


@pytest.mark.slow
def test_chips_deep_inside_a_frame():
    game = kw.game("scarney", double="chips", frames=1, ante=1)
    solution = chips_at(game, lambda pot: 0.45 * pot)
    told = solution.advise(frame=1, seat=1, opponents=[600], turn=605, live=5).choices
    stop = next(choice for choice in told if choice.follow_up == "stop")
    assert stop.value == 2
    for pot, theirs in ((2, 600), (4, 30)):

        def enter(points, spent, pot=pot, theirs=theirs):
            if points == theirs:
                return pot - 0.45 * (pot + spent)
            return pot if points > theirs else -spent

        expected = scarney_inside(enter, pot, True, 1300, chips=1)
        for live, held in ((5, 605), (5, 590), (3, 599), (1, 580), (5, 500), (4, 28), (2, 29), (4, None), (3, None)):
            found = solution.value(frame=1, seat=1, opponents=[theirs], pot=pot, live=live, turn=held or 0)
            assert abs(found - expected[live, held, 0]) <= 1e-12 * pot


# --- the pot that can be ---


@pytest.mark.slow
def test_a_doubled_roll_has_paid_its_chip(run):
    game = kw.game("scarney", double="chips", frames=1)
    solution = chips_at(game, lambda pot: 0.45 * pot)
    position = {"frame": 1, "seat": 1, "opponents": [30]}
    assert solution.show(**position, roll="134dd", double=True)["pot"] == 21
    assert solution.show(**position, roll="134dd")["pot"] == 20
    for pot in (20, 27):
        with pytest.raises(kw.InputError, match="between 21 and 26"):
            solution.read(**position, roll="134dd", double=True, pot=pot)
    # The mean over the rolls is the value: that of doubling down counts the chip, the rolls have paid it.
    for live in (5, 3, 1):
        here = {**position, "live": live, "pot": 22 if live < 5 else 20}
        choices = {one.follow_up: one.value for one in solution.advise(**here).choices}
        for then, double in (("throw", False), ("double", True)):
            mean = 0.0
            for roll, ways in Counter("".join(sorted(roll)) for roll in product("1346dd", repeat=live)).items():
                seen = {**here, "pot": here["pot"] + double, "roll": roll, "double": double}
                mean += ways * solution.value(**seen) / 6**live
            assert mean - double == pytest.approx(choices[then], abs=1e-11)


@pytest.mark.parametrize(
    ("position", "says"),
    [
        ("--frame 1 --roll 134dd --double --pot 20", "--pot must be 21, not 20"),
        ("--frame 1 --live 3 --pot 23", "between 20 and 22"),
        ("--frame 1 --live 3 --turn 12 --pot 24", "between 20 and 23"),
        ("--frame 1 --seat 1 --pot 26", "between 20 and 25"),
        ("--frame 7 --score 30 --opponents 20 --pot 81", "between 20 and 80"),
    ],
)
def test_an_impossible_pot_is_refused(run, position, says):
    answer = run(f"advise scarney --objective chips --rule double=chips {position}")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert says in answer.err


# --- points ---


def test_points_in_hand_count_in_the_bound(run):
    solution = kw.solve("pig", "points")
    for held in (99_997, 50_000, 20, 19):
        advice = solution.advise(turn=held, dice=1)
        roll = next(choice for choice in advice.choices if choice.follow_up == "roll")
        best = [Fraction(held + face) for face in range(2, 7)]
        exact = sum(best) / 6 if held >= 18 else None
        assert exact is not None
        assert abs(Fraction(roll.value) - exact) <= advice.error_bound
    told = run("value pig --objective points --turn 99997 --roll 6").out
    assert solution.position_value(turn=99_997, roll="6").error_bound > 1e-11
    assert "within 5e-13" not in told


@pytest.mark.parametrize("game_id", ["pig", "5000", "farkle", "scarney"])
def test_the_bound_of_points_grows_with_the_points_in_hand(game_id):
    solution = kw.solve(game_id, "points")
    dice = {"live": 5} if game_id == "scarney" else {"dice": 1}
    bounds = [solution.position_value(turn=held, **dice).error_bound for held in (20_000, 90_000)]
    assert solution.error_bound < bounds[0] < bounds[1]


def test_an_exact_finish_bounds_turn_points_except_for_points(run):
    answer = run("advise beartrap --objective turns --score 5800 --turn 4250 --dice 3")
    assert (answer.status, answer.out) == (2, "")
    assert "turn must be at most 4200 with a score of 5800, not 4250" in answer.err
    assert run("advise beartrap --objective turns --score 5800 --turn 4200 --dice 3").status == 0
    # Its points know no target: where a choice leads, advice goes on.
    kept = run("advise beartrap --objective points --score 9800 --roll 33346").out
    assert "keep 3 3 3, roll 2 dice  242.9 points" in kept
    there = run("advise beartrap --objective points --score 9800 --turn 300 --dice 2").out
    assert "roll 2 dice  242.9 points" in there


# --- a throw that must be made ---


@pytest.fixture(scope="module")
def again():
    rules = {"name": "again", "dice": 2, "target": 60, "singles": {"1": 10, "5": 5}}
    return house_game({**rules, "special": [{"throw": "22", "then": "must", "points": 20}]})


@pytest.mark.parametrize("objective", ["win", "points", "turns"])
def test_forced_rolls_are_equal_by_dice_and_by_fields(again, objective):
    solution = kw.solve(again, objective, fresh=True)
    seen = solution.advise(roll="22").choices
    told = solution.advise(turn=20, dice=2, forced=True).choices
    assert [choice.follow_up for choice in seen] == [choice.follow_up for choice in told] == ["roll"]
    assert seen[0].value == told[0].value
    assert solution.show(turn=20, dice=2, forced=True)["forced"] is True
    free = solution.advise(turn=20, dice=2)  # all dice set aside as 1 and 1
    assert {choice.follow_up for choice in free.choices} == {"bank", "roll"}
    assert "forced" in free.note
    assert "forced" not in solution.show(turn=20, dice=2)
    assert solution.show(turn=40, dice=2, forced=True)["turn"] == 40


def test_forced_field_is_refused_where_no_roll_is_forced(again):
    solution = kw.solve(again, "points", fresh=True)
    for position, says in (
        ({"turn": 10, "dice": 1, "forced": True}, "this roll is never forced"),
        ({"turn": 15, "dice": 2, "forced": True}, "this roll is never forced"),
        ({"forced": True}, "this roll is never forced"),
        ({"turn": 20, "roll": "15", "forced": True}, "still to be made"),
    ):
        with pytest.raises(kw.InputError, match=says):
            solution.read(**position)
    with pytest.raises(kw.InputError, match="unknown field 'forced' for a position of pig"):
        kw.solve("pig", "points").read(turn=20, dice=1, forced=True)


def test_rows_end_where_stopping_is_best(again):
    policy = kw.solve(again, "points", fresh=True).policy("throws", score=0)
    told = {(row["turn"], row["dice"], row["forced"]): row["then"] for row in policy.rows()}
    assert "stands for all larger numbers" in policy.head["ends"]
    assert told[10, 2, False] == "roll"
    assert told[15, 2, False] == "bank"  # stands for 20 points as 1 and 1 as well
    assert (20, 2, False) not in told
    assert told[20, 2, True] == "roll"  # nobody chose to go on so far


def test_policy_rows_list_forced_and_free_rolls(again):
    rows = list(kw.solve(again, "turns", fresh=True).policy("throws", score=0).rows())
    both = {row["forced"]: row["then"] for row in rows if row["turn"] == 20 and row["dice"] == 2}
    assert set(both) == {False, True}
    assert both[True] == "roll"


# --- turns that share a walk


@pytest.mark.parametrize(
    ("game", "late"),
    [
        ("boston", {"seat": 1, "beat": 18}),
        ("multiplication", {"seat": 1, "beat": 66}),
        ("battleship", {"round": 10, "seat": 1, "score": 5, "opponents": [100]}),
    ],
)
def test_a_turn_walked_late_in_the_game_serves_all_turns(game, late):
    """The walk begins where all totals lose, so they lead to one position; in other turns they lead to several."""
    solution = kw.solve(game, "win", players=2)
    playable = solution.playable
    decider = Decider(solution, before=False)
    for start in (playable.position(**late), playable.start()):
        decided = decider.decide(start)
        for number, decision in enumerate(decided.walk.decisions):
            first, last = decided.walk.begin[number : number + 2]
            values = dict(zip(decided.walk.choices[first:last], decided.values[first:last], strict=True))
            advised = solution.advise(playable.move_to_turn(decision, start)).choices
            assert {choice.meaning: value for choice, value in values.items()} == pytest.approx(
                {choice.meaning: choice.value for choice in advised}, abs=2 * solution.error_bound
            )
