"""Games by the round: Battleship, Going to Boston, Multiplication, Hearts Due."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from rounds_reference import battleship_turn, keepers_turn

import keepwise as kw
from keepwise.play.position_fields import name_later_player
from keepwise.solvers import make_problem
from keepwise.solvers.rounds.playoff import PlayoffSolver
from keepwise.solvers.rounds.problem import solve_lanes
from keepwise.turns.exact_turn import solve_turn_exactly
from keepwise.util.errors import InputError

# The acceptance cases of the rules: exact means of a round.
MEANS = {"both": Fraction(160042333703, 39182082048), "each": Fraction(169123624727, 39182082048)}


@pytest.mark.parametrize("crew", ["both", "each"])
def test_battleship_means(crew):
    solution = kw.solve(kw.game("battleship", crew=crew), "points", fresh=True)
    whole = solution.distribution()
    assert whole.mean == MEANS[crew]
    assert sum(whole.chances) == 1
    assert abs(solution.value() - MEANS[crew]) <= solution.error_bound
    # A trio within three casts, whatever the crew: recomputed by hand and published with the rules.
    assert whole.at_least(1) == Fraction(42314697971, 78364164096)


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("crew", ["both", "each", "hybrid"])
def test_battleship_agrees_with_plain_recursion(crew):
    turn = kw.game("battleship", crew=crew).data
    for worth in (lambda s: Fraction(s), lambda s: Fraction(s >= 9), lambda s: Fraction(s * s)):
        assert solve_turn_exactly(turn.turn, [worth(s) for s in range(13)])[0] == battleship_turn(worth, crew)


def test_crew_rules_are_ordered_by_freedom():
    values = [kw.solve(kw.game("battleship", crew=c), "points", fresh=True).value() for c in ("both", "hybrid", "each")]
    assert values == sorted(values)
    assert values[0] < values[1] < values[2]


@pytest.mark.slow
def test_forced_means():
    # Boston 931/72, Multiplication 4753/144: the acceptance cases of the rules.
    for game, mean, total in (
        ("boston", Fraction(931, 72), lambda aside, last: aside + last),
        ("multiplication", Fraction(4753, 144), lambda aside, last: aside * last),
    ):
        assert kw.solve(game, "points", fresh=True).distribution().mean == mean
        assert keepers_turn(total, Fraction, choose=False) == mean
        assert keepers_turn(total, Fraction, choose=True) == mean  # the highest die is best for points


def test_multiplication_3_4_6_is_42(run):
    told = json.loads(run("advise multiplication --objective points --throw 3 --kept 34 --roll 6 --json").out)
    assert told["choices"][0]["points"] == 42


def plain_win(turn_value, scores, rounds):
    """Two players, ``rounds`` rounds, playoffs: the first player's chance, in floats by plain recursion."""

    def turn(worth):
        return float(turn_value(lambda s: worth[s]))

    def match(rounds_left, lead, level):
        """First player's chance, leading by ``lead``, before a round."""
        if rounds_left == 0:
            return level if lead == 0 else float(lead > 0)
        key = (rounds_left, lead)
        if key not in known:
            second = {}
            for mine in scores:
                worth = {s: 1 - match(rounds_left - 1, lead + mine - s, level) for s in scores}
                second[mine] = 1 - turn(worth)
            known[key] = turn(second)
        return known[key]

    level = 0.5
    for _ in range(60):
        known = {}
        level = match(1, 0, level)
    known = {}
    return match(rounds, 0, level)


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("crew", ["both", "each"])
def test_short_matches_agree_with_plain_recursion(crew):
    scores = (0, *range(2, 13))
    exact = {}

    def turn_value(worth):
        key = tuple(worth(s) for s in scores)
        if key not in exact:
            exact[key] = battleship_turn(worth, crew)
        return exact[key]

    # With rounds=1 a match is a playoff.
    solution = kw.solve(kw.game("battleship", crew=crew, rounds=1), "win", fresh=True)
    assert solution.value() == pytest.approx(plain_win(turn_value, scores, 1), abs=1e-12)


@pytest.mark.slow
def test_rounds_shares_sum_to_one():
    for players in (2, 3):
        solution = kw.solve(kw.game("battleship", rounds=3), "win", players, fresh=True)
        for name, array in solution.value_table.arrays.items():
            assert np.abs(array.sum(axis=0) - 1).max() < 1e-13, name
    first_to = kw.solve(kw.game("battleship", match="first_to", target=20), "win", 3, fresh=True)
    start = first_to.position_value()
    assert sum(start.seats) == pytest.approx(1, abs=1e-13)


@pytest.mark.slow
def test_margin_is_played_like_points():
    # With two players and so much a point the difference adds up over rounds: every round is played for its points.
    points = kw.solve("battleship", "points", fresh=True)
    margin = kw.solve(kw.game("battleship", rounds=4), "margin", fresh=True)
    assert margin.value() == pytest.approx(0, abs=1e-12)
    win = kw.solve(kw.game("battleship", rounds=4), "win", fresh=True)
    differs = 0
    for cast, crew in product((1, 2), product(range(1, 7), repeat=2)):
        roll = [6, 5, 4, *crew]
        best = points.advise(cast=cast, roll=roll)
        for round_, score, opponent in ((1, 0, 0), (4, 9, 20), (4, 20, 9)):
            told = margin.advise(round=round_, score=score, opponents=[opponent], cast=cast, roll=roll)
            tied = {choice.action for choice in best.choices if choice.tie}
            assert told.best.action in tied
        trailing = win.advise(round=4, score=9, opponents=[20], cast=cast, roll=roll)
        differs += trailing.best.action not in {choice.action for choice in best.choices if choice.tie}
    assert differs  # who trails in the last round does not play for points


@pytest.mark.slow
def test_first_to_by_plain_iteration():
    # A tiny target: values by plain value iteration over rounds.
    game = kw.game("battleship", match="first_to", target=4, crew="both")
    solution = kw.solve(game, "win", fresh=True)
    turn = game.data
    level = PlayoffSolver(turn, 2).chances
    scores = turn.scores
    chances = None
    value = {(a, b): 0.5 for a in range(4) for b in range(4)}

    def final(a, b):
        if max(a, b) >= 4:
            return float(a > b) if a != b else level[0]
        return value[a, b]

    def best(worth):
        lane = np.zeros((1, 13, 1))
        lane[0, list(worth), 0] = list(worth.values())
        return float(solve_lanes(turn, lane)[0, 0])

    for _ in range(60):
        fresh = {}
        for a, b in value:
            second = {s: 1 - best({r: 1 - final(a + s, b + r) for r in scores}) for s in scores}
            fresh[a, b] = best(second)
        value = fresh
    assert chances is None
    for (a, b), chance in value.items():
        if 1 not in (a, b):
            assert solution.value(score=a, opponents=[b]) == pytest.approx(chance, abs=1e-11)


def test_identical_players_of_boston_have_equal_chances():
    for players in (2, 3, 5):
        seats = kw.solve("boston", "win", players, fresh=True).position_value().seats
        assert seats == pytest.approx([1 / players] * players, abs=1e-13)


def test_a_pot_by_counting():
    # Two players: the second must beat 14 with Boston's forced keeps; a tie is worth one half.
    whole = kw.solve("boston", "points").distribution()
    solution = kw.solve("boston", "win", fresh=True)
    expected = whole.at_least(15) + (whole.at_least(14) - whole.at_least(15)) / 2
    assert solution.value(beat=14) == pytest.approx(float(expected), abs=1e-13)
    # Three players, two of whom hold 14: winning, or a third of the pot.
    three = kw.solve("boston", "win", 3, fresh=True)
    expected = whole.at_least(15) + (whole.at_least(14) - whole.at_least(15)) / 3
    assert three.value(beat=14, tied=2, seat=2) == pytest.approx(float(expected), abs=1e-13)
    assert sum(three.position_value(beat=14, tied=1, seat=1).seats) == pytest.approx(1, abs=1e-13)


def test_hearts_due_counts():
    # The acceptance counts of the rules, of 46,656 throws.
    rules = kw.game("hearts-due").data
    assert rules.weight_by_points == {0: 15625, 5: 9984, 10: 7311, 15: 5070, 20: 3240, 25: 1800, 35: 720}
    assert rules.wipe_weight == 2906
    exactly = kw.game("hearts-due", wipe="exactly_3").data
    assert exactly.wipe_weight == 2500  # C(6,3) 5^3
    assert sum(exactly.weight_by_points.values()) + exactly.wipe_weight == 6**6
    assert kw.game("hearts-due", full=40).data.weight_by_points[40] == 720


def eliminated(rows):
    """The solution of a linear system in fractions; each row ends with its right side."""
    size = len(rows)
    for i in range(size):
        pivot = next(j for j in range(i, size) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(size):
            if j != i and rows[j][i]:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def test_hearts_due_against_fractions():
    # A small target, two players, as one linear system over the whole board in fractions.
    rules = kw.game("hearts-due", target=15).data
    scores = (0, 5, 10)
    places = {state: i for i, state in enumerate(product(scores, scores))}
    size = len(places)
    rows = [[Fraction(0)] * (size + 1) for _ in range(size)]
    for (a, b), here in places.items():  # V(a, b) = sum of wins + sum (1 - V(b, a'))
        rows[here][here] += 1
        moves = [(a + points, ways) for points, ways in rules.weight_by_points.items()] + [(0, rules.wipe_weight)]
        for total, ways in moves:
            chance = Fraction(ways, 6**6)
            rows[here][size] += chance
            if total < 15:
                rows[here][places[b, total]] += chance
    exact = eliminated(rows)
    solution = kw.solve(kw.game("hearts-due", target=15), "win", fresh=True)
    for (a, b), here in places.items():
        assert abs(solution.value(score=a, opponents=[b]) - exact[here]) <= solution.error_bound


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("target", [5, 35, 100, 300])
def test_hearts_due_turns_equal_fractions(target):
    """The linear system of one player's scores, eliminated in fractions: E(s) = 1 + sum of chances times E."""
    rules = kw.game("hearts-due", target=target).data
    solution = kw.solve(kw.game("hearts-due", target=target), "turns", fresh=True)
    scores = solution.value_table.arrays["scores"].tolist()
    size = len(scores)
    rows = []
    for here, score in enumerate(scores):
        row = [Fraction(0)] * size + [Fraction(1)]
        row[here] += 1
        for total, ways in [
            *((score + points, ways) for points, ways in rules.weight_by_points.items()),
            (0, rules.wipe_weight),
        ]:
            if total < target:
                row[scores.index(total)] -= Fraction(ways, 6**6)
        rows.append(row)
    for score, expected in zip(scores, eliminated(rows), strict=True):
        assert abs(Fraction(solution.value(score=score)) - expected) <= solution.error_bound
    assert solution.error_bound < 1e-9


@pytest.mark.slow
def test_hearts_due_alone():
    turns = kw.solve("hearts-due", "turns", fresh=True)
    # The same expectation from the chances to be done by every turn.
    reach = [kw.solve("hearts-due", "reach", turns=n, fresh=True).value() for n in range(1, 400)]
    assert 1 + sum(1 - chance for chance in reach) == pytest.approx(turns.value(), abs=1e-6)
    more = kw.solve("hearts-due", "win", 4, fresh=True).position_value().seats
    assert sum(more) == pytest.approx(1, abs=1e-12)
    assert list(more) == sorted(more, reverse=True)


def test_the_sources_own_advice():
    # Settling above seven is exactly optimal for points when both dice must be recast, and costs points else; at seven
    # with two casts left settling gives up E[max(S, 7)] - 7 = 35/36 wherever the trio came on the first cast.
    both = kw.solve(kw.game("battleship", crew="both"), "points")
    assert both.evaluate("above-seven").loss == pytest.approx(0, abs=1e-12)
    assert 0.02 < both.evaluate("source").loss < 0.03
    each = kw.solve("battleship", "points")
    assert each.evaluate("source").loss > 0.25
    win = kw.solve("battleship", "win").evaluate("source")
    assert 0.04 < win.loss < 0.06
    assert win.second is not None
    assert 0.04 < win.second[1] - win.second[0] < 0.06


def test_hold_at_20_equals_published_values():
    # Neller, nifty.stanford.edu/2010/neller-pig: 12.636769490 turns; 8.1417948937 points (Conroy 68).
    assert kw.solve("pig", "turns").evaluate("hold:20").value == pytest.approx(12.636769490, abs=5e-10)
    assert kw.solve("pig", "points").evaluate("hold:20").loss == pytest.approx(0, abs=1e-12)
    race = kw.solve("pig", "win").evaluate("hold:20")
    assert race.loss > 0
    assert race.second is not None


@pytest.mark.slow
def test_policies_are_never_better_than_the_best():
    for objective in ("points", "turns", "win"):
        solution = kw.solve("5000", objective)
        for policy in ("hold:300", "hold:500", "hold:5=1000,4=500,3=300,2=300,1=300"):
            assert solution.evaluate(policy).loss >= -solution.error_bound


def test_the_pig_policy_by_simulation():
    import random

    chooser = random.Random(7)

    def turn(score):
        held = 0
        while held < 20 and score + held < 100:
            die = chooser.randint(1, 6)
            if die == 1:
                return 0
            held += die
        return held

    games, turns = 3000, 0
    for _ in range(games):
        score = 0
        while score < 100:
            score += turn(score)
            turns += 1
    assert turns / games == pytest.approx(kw.solve("pig", "turns").evaluate("hold:20").value, abs=4 * 4.5 / games**0.5)


def test_hybrid_advice_states_its_assumption():
    told = kw.solve(kw.game("battleship", crew="hybrid"), "points").advise(cast=2, roll="65411")
    assert len(told.choices) == 2
    assert "This assumes that 6, 5 and 4 came with this roll" in told.note
    again = kw.solve(kw.game("battleship", crew="hybrid"), "points").advise(cast=2, roll="65412", kept="654")
    assert len(again.choices) == 4


def test_acceptance_casts():
    solution = kw.solve("battleship", "points")
    assert solution.advise(roll="66123").best.action == "set aside 6, roll 4 dice"
    assert solution.advise(roll="54123").best.action == "roll all five dice again"
    assert solution.advise(roll="65412").choices[-1].action == "stop and score 3"
    assert solution.advise(cast=3, roll="65423").best.points == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "advise battleship --cast 2 --kept 5 --roll 65432",
            "kept cannot be 5: dice are set aside in the order 6, 5, 4",
        ),
        ("advise battleship --cast 4 --roll 65432", "cast must be between 1 and 3, not 4"),
        ("advise battleship --roll 6543", "expected 5 dice, got 4: 6 5 4 3"),
        ("advise battleship --cast 2 --kept 6 --roll 55432", "roll must include the 6 that was set aside"),
        ("value battleship --round 2 --score 13", "score must be at most 12 after 1 round, not 13"),
        ("value battleship --round 3 --score 1", "score cannot be 1: a round scores nothing, or 2 to 12"),
        ("value battleship --round 11", "between 1 and 10"),
        ("value battleship --seat 2", "seat must be between 0 (the player who began) and 1, not 2"),
        (
            "value boston --players 3 --playoff 1,5",
            "--playoff must list two or more different numbers between 0 (the player who began) and 2, not 1,5",
        ),
        ("value battleship --players 5", "add --anyway to allow it"),
        ("value battleship --players 1", "requires at least 2 players, not 1"),
        ("value battleship --rule match=first_to --score 100", "the round in which the target was reached"),
        ("value boston --beat 14 --tied 2", "tied cannot be 2 when only"),
        ("value boston --beat 2", "the total to beat cannot be 2"),
        ("value boston --tied 1", "tied requires --beat"),
        ("advise boston --throw 2 --roll 42", "kept: expected 1 die set aside before roll 2, got 0"),
        ("value hearts-due --score 7", "score cannot be 7"),
        ("value hearts-due --opponents 5,5", "opponents: expected 1 score for 2 players, got 2"),
        ("evaluate battleship --policy sauce --objective points", "did you mean source?"),
        ("evaluate pig --policy hold:x", "limit must be a whole number, not 'x'"),
        ("evaluate 5000 --policy hold:7=300", "not 7"),
        ("evaluate boston --policy hold:3", "unknown policy 'hold:3'"),
    ],
)
def test_bad_input_is_one_line(run, words, message):
    told = run(words)
    assert told.status == 2
    assert told.out == ""
    assert message in told.err
    assert told.err.count("\n") == 1


def test_advice_says_that_a_move_is_forced(run):
    assert "There is nothing to choose" in run("advise boston --throw 2 --kept 5 --roll 42 --beat 14").out
    assert "There is nothing to choose" in run("advise hearts-due").out
    assert "There is nothing to choose" in run("advise battleship --roll 66123").out


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="unknown field 'frame'"):
        kw.solve("battleship").value(frame=1)


# A last cast for every score of a round.
CREWS_OF_TWO = {sum(crew): tuple(sorted((4, 5, 6, *crew))) for crew in product(range(1, 7), repeat=2)}
LAST_CASTS = [(1, 1, 1, 1, 1), *CREWS_OF_TWO.values()]


def reached(playable, ends):
    """Every position between turns that play reaches; ``ends``: what a turn that begins there leads to."""
    found, todo = {playable.start()}, [playable.start()]
    while todo:
        fresh = {after for after in ends(todo.pop()) if playable.stage(after) != "over"} - found
        found |= fresh
        todo += fresh
    return found


def listed(problem, **told):
    listing = problem.list_positions(told)
    found = list(listing.positions)
    assert listing.count == len(found) == len(set(found))
    assert all(problem.playable.position(**problem.playable.to_dict(one)) == one for one in found)
    return set(found)


def battleship_ends(playable):
    return lambda start: [playable.choices(replace(start, cast=3, roll=roll))[0].after for roll in LAST_CASTS]


@pytest.mark.parametrize(
    ("rules", "objective", "players"),
    [
        ({"rounds": 2}, "win", 2),
        ({"rounds": 2}, "margin", 2),
        ({"rounds": 1}, "win", 3),
        ({"rounds": 1}, "margin", 3),
        ({"match": "first_to", "target": 3}, "win", 2),
        ({"match": "first_to", "target": 3}, "margin", 3),
    ],
)
def test_rows_of_battleship_list_every_position(rules, objective, players):
    problem = make_problem(kw.game("battleship", **rules), objective, players)

    def least(position):
        """The same differences with the least totals; where rounds count, nothing else matters."""
        if position.playoff or "match" in rules:
            return position
        base = min(position.scores)
        scores = tuple(total - base for total in position.scores)
        return replace(position, scores=tuple(total + 2 for total in scores) if 1 in scores else scores)

    wanted = {least(position) for position in reached(problem.playable, battleship_ends(problem.playable))}
    found = listed(problem)
    if objective == "win" or "match" not in rules:
        assert found == wanted
    else:  # for the margin, totals far beyond the target are no more than told
        assert found >= wanted


def test_policy_rows_begin_at_the_given_position():
    problem = make_problem(kw.game("battleship"), "win", 3)
    told = {"round": 4, "seat": 1, "score": 36, "opponents": [20, 0]}
    assert listed(problem, **told) == {problem.playable.position(**told)}
    seconds = listed(problem, playoff="0,2", seat=2)
    assert {position.playoff for position in seconds} == {(0, 2)}
    assert len(listed(problem, round=1, seat=0)) == 1
    assert len(listed(problem, round=1, seat=1, score=0)) == 12


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rows_of_a_pot_list_every_position(players):
    problem = make_problem(kw.game("boston", keep="any"), "win", players)
    playable = problem.playable

    def ends(start):
        lasts = ((first, second, last) for first in range(1, 7) for second in (1, first) for last in range(1, 7))
        return [playable.choices(replace(start, kept=kept, roll=(last,)))[0].after for *kept, last in map(tuple, lasts)]

    def first_hold(position):
        seats = position.playoff or tuple(range(players))
        return replace(position, holders=seats[: len(position.holders)])

    assert listed(problem) == {first_hold(position) for position in reached(playable, ends)}


def test_playoff_values_equal_a_match_of_one_round():
    for crew in ("each", "both"):
        solution = kw.solve(kw.game("battleship", crew=crew), "win", fresh=True)
        one = kw.solve(kw.game("battleship", crew=crew, rounds=1), "win", fresh=True)
        for told in ({}, {"cast": 2, "kept": "65"}, {"cast": 2, "roll": "65433", "kept": "65"}):
            assert solution.value(playoff="0,1", **told) == pytest.approx(one.value(**told), abs=solution.error_bound)
        later = {"seat": 1, "opponents": [7], "roll": "65433"}
        assert solution.value(playoff="0,1", **later) == pytest.approx(one.value(**later), abs=solution.error_bound)


def test_position_value_names_the_roles_in_a_pot():
    four = kw.solve("boston", "win", 4, fresh=True)
    answer = four.position_value(seat=2, beat=14, tied=1, holders=[1], throw=2, kept="6", roll="52")
    assert answer.extra["roles"] == ["you", "player 1 after you", "a player who is out", "the holder of 14"]
    assert answer.seats[2] == 0
    assert sum(answer.seats) == pytest.approx(1, abs=1e-13)
    assert answer.extra["equity"] == answer.value
    playoff = four.position_value(playoff="0,2,3", seat=2, beat=9)
    assert playoff.extra["roles"] == ["you", "player 1 after you", "the holder of 9", "a player who is out"]
    assert playoff.seats[3] == 0


def test_a_value_names_the_later_players(run):
    lines = run("value boston --players 4 --seat 1 --beat 14 --tied 1").out.splitlines()
    assert [line.partition(":")[0] for line in lines[2:5]] == [
        "the next player",
        "the player after that",
        "the holder of 14",
    ]
    names = [name_later_player(number) for number in (3, 6, 7)]
    assert names == ["the third player after you", "the sixth player after you", "player 7 after you"]


def test_turns_left_select_the_same_values():
    long, short = (kw.solve("battleship", "reach", goal=20, turns=turns, fresh=True) for turns in (5, 2))
    for told in ({}, {"score": 9}, {"score": 9, "cast": 2, "kept": "65"}, {"score": 9, "roll": "65433"}):
        assert long.value(turns_left=2, **told) == short.value(**told)
    long, short = (kw.solve("hearts-due", "reach", turns=turns, fresh=True) for turns in (30, 7))
    for told in ({}, {"score": 75}, {"score": 75, "roll": "112345"}):
        assert long.value(turns_left=7, **told) == short.value(**told)
    assert long.value(turns_left=8, score=75, roll="123456") == 1
    assert long.value(turns_left=8, score=75, roll="111456") == short.value()


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("game", "objective", "players", "start"),
    [
        ("battleship", "win", 3, {"round": 10, "seat": 1, "score": 50, "opponents": [44, 55]}),
        ("battleship", "win", 3, {"playoff": "0,2", "seat": 2, "opponents": [5, 0]}),
        ("battleship", "turns", 1, {"score": 90}),
        ("boston", "win", 3, {"seat": 2, "beat": 12, "tied": 2}),
        ("multiplication", "points", 1, {}),
    ],
)
def test_policy_rows_equal_the_advice(game, objective, players, start):
    rules = {"crew": "hybrid"} if game == "battleship" else {"keep": "any"}
    solution = kw.solve(kw.game(game, **rules), objective, players, fresh=True)
    rows = list(solution.policy("rolls", **start))
    for row in rows[:: len(rows) // 60]:
        inside = {name: row[name] for name in ("cast", "throw", "kept", "roll") if row.get(name) is not None}
        advice = solution.advise(**start, **inside)
        assert (row["action"], row["value"]) == (advice.best.action, advice.best.value)
        if len(advice.choices) == 1:
            assert (row["runner_up"], row["cost"], row["tie"]) == (None, None, False)
        else:
            second = advice.choices[1]
            assert (row["runner_up"], row["cost"], row["tie"]) == (second.action, second.loss, second.tie)


def test_policy_rows_contain_the_given_roll():
    solution = kw.solve(kw.game("battleship", rounds=2), "win", 3, fresh=True)
    start = {"round": 2, "seat": 2, "score": 8, "opponents": [12, 15]}
    inside = {"cast": 2, "kept": "65", "roll": "65432"}  # which dice were kept no longer matters
    (row,) = solution.policy("rolls", **start, **inside).rows()
    assert row["value"] == solution.advise(**start, **inside).best.value
    (between,) = solution.policy("values", **start).rows()
    assert between["value"] == solution.value(**start)
