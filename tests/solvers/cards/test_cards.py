"""Card games: the keep kernel, Yahtzee's published values, small cards in fractions, positions and advice."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import factorial, prod

import numpy as np
import pytest
from cards_reference import PlainCard
from hypothesis import given, settings
from hypothesis import strategies as st
from small_cards import ONE_BOX, TWO_BOXES, tiny

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.card_rules import Card
from keepwise.solvers import make_problem
from keepwise.solvers.distribution import QUANTILES, Distribution
from keepwise.turns.keep_turn import LANES, EntryOptions, KeepLattice, KeepTurn
from keepwise.util.errors import InputError


def one_payoff(lattice, throws, payoff):
    """A turn whose final throws are worth ``payoff``, solved with its inside."""
    gain = np.asarray(payoff, dtype=float)[None]
    turn = KeepTurn(lattice, throws, gain, np.zeros_like(gain, dtype=np.int32))
    ends = np.array([len(lattice.weight)], dtype=np.int32)
    nil = np.zeros(1, dtype=np.int32)
    problems = EntryOptions(np.array([0, 1]), nil, np.array([0]), nil, ends)
    zero = np.zeros(1, dtype=np.int64)
    return turn, turn.solve(np.zeros((1, LANES)), problems, zero, zero, inner=True)


def test_yahtzee_box_alone_equals_the_published_value():
    # 347897/7558272: Conroy, A Collection of Dice Problems, problem 65 (three throws for five alike).
    lattice = KeepLattice(5, (1,) * 6)
    payoff = (lattice.full_rolls.max(axis=1) == 5).astype(float)
    turn, solved = one_payoff(lattice, 3, payoff)
    assert solved.value[0] == pytest.approx([347897 / 7558272] * LANES, abs=1e-15)
    chances = turn.ending_probabilities(solved, 0, 0, 0.0)
    assert chances.sum() == pytest.approx(1, abs=1e-14)
    assert chances @ payoff == pytest.approx(347897 / 7558272, abs=1e-14)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 3),
    st.lists(st.integers(1, 4), min_size=2, max_size=3),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_the_kernel_agrees_with_plain_recursion(dice, weights, throws, random):
    lattice = KeepLattice(dice, weights)
    payoff = [random.randrange(100) for _ in lattice.weight]
    by_throw = {
        tuple(face for face, count in enumerate(row, 1) for _ in range(count)): Fraction(worth)
        for row, worth in zip(lattice.full_rolls.tolist(), payoff, strict=True)
    }
    exact = PlainCard(dice, weights, throws, (), None).turn(by_throw.__getitem__)
    turn, solved = one_payoff(lattice, throws, payoff)
    assert abs(solved.value[0, 0] - float(exact)) <= 100 * turn.rounding_bound
    chances = turn.ending_probabilities(solved, 0, 0, 0.0)
    assert chances.sum() == pytest.approx(1, abs=1e-13)
    assert chances @ payoff == pytest.approx(float(exact), abs=1e-11)


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("rules", "published", "source"),
    [
        ({}, 254.5877287345, "public solvers, forced jokers"),
        ({"joker": "free"}, 254.58960948196, "Verhoeff, Optimal Solitaire Yahtzee, 1999"),
        ({"joker": "none", "yahtzee_bonus": False}, 245.8707745141, "Glenn, CS-TR-0002, 2006; digits: public solvers"),
    ],
)
def test_yahtzee_published(rules, published, source):
    solution = kw.solve(kw.game("yahtzee", **rules), "points", fresh=True)
    assert solution.value() == pytest.approx(published, abs=6e-11), source


@pytest.mark.slow
def test_yahtzee_options_move_the_mean_as_reason_demands():
    def mean(**rules):
        return kw.solve(kw.game("yahtzee", **rules), "points", fresh=True).value()

    assert mean(joker="none", yahtzee_bonus=False) < mean(joker="none") < mean(joker="forced") < mean(joker="free")
    assert mean(yahtzee_bonus=False) < mean()


def test_double_cameroon_points():
    # Recomputed by two independent programs in this project's research; both readings of five alike.
    assert kw.solve("double-cameroon", "points", fresh=True).value() == pytest.approx(197.731835740586, abs=5e-12)
    house = kw.game("double-cameroon", five_kind_full_house=True)
    assert kw.solve(house, "points", fresh=True).value() == pytest.approx(198.0451396544, abs=5e-10)


ROLLS = {n: list(combinations_with_replacement(range(1, 7), n)) for n in range(11)}


def chance(roll):
    return factorial(len(roll)) / prod(map(factorial, Counter(roll).values())) / 6 ** len(roll)


def ten_dice(payoff):
    """Three throws of ten dice in plain Python: every keep of every throw, outcomes by their multinomial chance."""
    worth = {roll: payoff(roll) for roll in ROLLS[10]}
    for _ in range(2):
        keep = {
            kept: sum(chance(more) * worth[tuple(sorted(kept + more))] for more in ROLLS[10 - size])
            for size in range(11)
            for kept in ROLLS[size]
        }
        best = {}
        for size in range(11):
            for kept in ROLLS[size]:
                fewer = (best[kept[:i] + kept[i + 1 :]] for i in range(size))
                best[kept] = max([keep[kept], *fewer])
        worth = {roll: best[roll] for roll in ROLLS[10]}
    return sum(chance(roll) * worth[roll] for roll in ROLLS[10])


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize("names", [("sixes", "aces"), ("full house", "five of a kind"), ("large cameroon", "twos")])
def test_double_cameroon_last_turn_by_brute_force(names):
    def halves(roll):
        for counts in product(*(range(roll.count(face) + 1) for face in range(1, 7))):
            if sum(counts) == 5:
                first = [face for face, n in enumerate(counts, 1) for _ in range(n)]
                yield first, list((Counter(roll) - Counter(first)).elements())

    def score(name, dice):
        shape = sorted(Counter(dice).values())
        if name == "five of a kind":
            return 50 * (shape == [5])
        if name == "full house":
            return sum(dice) * (shape == [2, 3])
        if name == "large cameroon":
            return 30 * (sorted(dice) == [2, 3, 4, 5, 6])
        return sum(die for die in dice if die == {"sixes": 6, "twos": 2, "aces": 1}[name])

    exact = ten_dice(lambda roll: max(score(names[0], a) + score(names[1], b) for a, b in halves(roll)))
    solution = kw.solve("double-cameroon", "points", fresh=True)
    used = [name for name in solution.game.data.names if name not in names]
    assert solution.value(used=used) == pytest.approx(exact, abs=1e-11)


def one_box_score(category, dice):
    if category in ("ones", "threes"):
        face = {"ones": 1, "threes": 3}[category]
        return face * dice.count(face)
    if category == "pair":
        return max((2 * face for face in dice if dice.count(face) >= 2), default=0)
    return 9 * (len(set(dice)) == 1)


ONE_BOX_PLAIN = PlainCard(3, (1, 2, 1), 2, ONE_BOX.data.names, one_box_score)


def two_boxes_score(category, dice):
    if category in ("twos", "threes"):
        face = {"twos": 2, "threes": 3}[category]
        return face * dice.count(face)
    return 5 * (dice[0] == dice[1]) if category == "pair" else 4 * (set(dice) >= {1, 2})


TWO_BOXES_PLAIN = PlainCard(4, (1, 1, 1), 2, TWO_BOXES.data.names, two_boxes_score, boxes=2)


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("game", "plain"), [(ONE_BOX, ONE_BOX_PLAIN), (TWO_BOXES, TWO_BOXES_PLAIN)])
def test_small_cards_agree_with_fractions(game, plain):
    points = kw.solve(game, "points", fresh=True)
    assert abs(points.value() - float(plain.points())) <= points.error_bound
    for goal in (4, 9, 13):
        reach = kw.solve(game, "reach", goal=goal)
        assert abs(reach.value() - float(plain.reach(goal))) <= reach.error_bound + 1e-16


def every_position(problem):
    """Every position between turns of a match of two."""
    card = problem.card
    names = card.names
    for played in range(problem.turns):
        mover, opponent = (
            [used for used in range(card.full_mask + 1) if used.bit_count() == turns * card.boxes]
            for turns in (played // 2, (played + 1) // 2)
        )
        for mine, theirs in product(mover, opponent):
            totals = [[t for t in range(200) if card.possible_sums(used, used, {}) >> t & 1] for used in (mine, theirs)]
            leads = {one - other: (one, other) for one, other in product(*totals)}
            for score, other in leads.values():
                used = ([name for i, name in enumerate(names) if held >> i & 1] for held in (mine, theirs))
                yield dict(zip(("used", "opponent_used", "score", "opponents"), (*used, score, [other]), strict=True))


@pytest.fixture(scope="module")
def two_boxes():
    return kw.solve(TWO_BOXES, "win", fresh=True)


@pytest.mark.slow
def test_every_position_of_two_players_agrees_with_fractions(two_boxes):
    everything = frozenset(TWO_BOXES.data.names)
    plain = TWO_BOXES_PLAIN.win_from()
    for position in every_position(two_boxes.problem):
        mine, theirs = (everything - set(position[key]) for key in ("used", "opponent_used"))
        exact = plain(mine, theirs, position["score"] - position["opponents"][0])
        assert abs(two_boxes.value(**position) - float(exact)) <= two_boxes.error_bound + 1e-16


@pytest.mark.slow
def test_positions_on_demand_have_the_bits_of_the_whole_table(two_boxes):
    asked = kw.solve(TWO_BOXES, "win")
    assert not asked.value_table.arrays
    for position in every_position(two_boxes.problem):
        assert asked.value(**position) == two_boxes.value(**position)


def test_solve_from_answers_later_positions(two_boxes):
    problem = two_boxes.problem
    start = two_boxes.read(used=["twos", "run"], opponent_used=["pair", "run"], score=4, opponents=[9])
    solved = problem.solve_from(start, 1, lambda done: None)
    told = {"used": ["pair", "run"], "opponent_used": ["twos", "run", "threes", "pair"], "score": 9, "opponents": [12]}
    later = two_boxes.read(**told, seat=1)
    assert problem.covers(solved, later)
    assert replace(two_boxes, value_table=solved).value(later) == two_boxes.value(later)


def test_a_table_may_hold_the_early_layers_alone(two_boxes, tmp_path, monkeypatch):
    arrays = {name: two_boxes.value_table.arrays[name] for name in ("after1", "after2")}
    replace(two_boxes, value_table=replace(two_boxes.value_table, arrays=arrays)).save(tmp_path / "part.npz")
    part = kw.load(tmp_path / "part.npz")
    assert part.value() == two_boxes.value()
    assert part.value_table.arrays.keys() == arrays.keys()
    with monkeypatch.context() as patch:
        patch.delattr(type(part.problem), "solve_from")
        for position in every_position(two_boxes.problem):
            if len(position["used"]) + len(position["opponent_used"]) < 4:
                assert part.value(**position) == two_boxes.value(**position)
    late = {"used": "twos,run", "opponent_used": "pair,run", "score": 4, "opponents": [9]}
    assert part.value(**late) == two_boxes.value(**late)


def test_cached_whole_tables_precede_shipped_parts(two_boxes, own_cache, tmp_path, monkeypatch):
    from keepwise.solving import table_store

    shipped = tmp_path / "shipped"
    shipped.mkdir()
    part = replace(
        two_boxes, value_table=replace(two_boxes.value_table, arrays={"after1": two_boxes.value_table.arrays["after1"]})
    )
    part.save(shipped / table_store.table_file_name(part.problem))
    monkeypatch.setattr(table_store, "shipped_tables_folder", lambda: shipped)
    assert kw.solve(TWO_BOXES, "win").source == "shipped"
    table_store.cache_table(two_boxes)
    assert kw.solve(TWO_BOXES, "win").source == "cache"


# A position of Double Cameroon after each number of turns: categories used by the two, and their scores.
FACES = ("sixes", "fives", "fours", "threes", "twos", "aces")
MADE = (*FACES, "five of a kind", "full house")
LOW = (*FACES, "large", "little")
DEPTHS = (
    ((), (), 0, 0),
    ((), ("sixes", "aces"), 0, 26),
    (("sixes", "large"), ("five of", "full"), 54, 50),
    (("five of", "full"), ("sixes", "fives", "little", "aces"), 74, 60),
    (("five of", "full", "aces", "twos"), ("sixes", "fives", "little", "aces"), 40, 60),
    (("five of", "full", "aces", "twos"), ("sixes", "fives", "little", "aces", "large", "twos"), 40, 95),
    (FACES, FACES, 60, 66),
    (FACES, MADE, 60, 93),
    (LOW, MADE, 90, 93),
    (LOW, (*MADE, "large", "little"), 90, 121),
)


def told(depth):
    used, theirs, score, opponent = depth
    return {"used": ",".join(used), "opponent_used": ",".join(theirs), "score": score, "opponents": [opponent]}


def test_two_players_of_double_cameroon_from_the_start(run):
    solution = kw.solve("double-cameroon")
    assert solution.source == "shipped"
    # The value that solving the whole game gave (docs/results/scorecards.md), to the digits that were published
    assert solution.value() == pytest.approx(0.4869926758285, abs=solution.error_bound + 5e-14)
    assert run("value double-cameroon").out.splitlines()[1] == "48.7% to win"
    assert "keep" in run("advise double-cameroon --roll 6655443321").out.splitlines()[1]


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("turns", [0, 1, *range(4, 10)])
def test_every_depth_of_double_cameroon_is_answered(turns):
    solution = kw.solve("double-cameroon")
    position = told(DEPTHS[turns])
    assert solution.problem.turns_played(solution.read(**position)) == turns
    value = solution.value(**position)
    assert 0 < value < 1
    best = solution.advise(**position, roll="6655443321").best.value
    assert 0 <= best <= 1


def test_the_last_turn_far_behind():
    # 31 points behind with five of a kind and the full house open: the same turn with what every throw is then worth
    # told outright, as in test_yahtzee_box_alone_equals_the_published_value.
    solution = kw.solve("double-cameroon")
    position = told(DEPTHS[9])
    lattice, card = solution.problem.card.lattice, solution.problem.card
    columns = [
        entry.column for entry in card.entries() if solution.read(**position).own_card.used & entry.open_mask == 0
    ]
    score = np.max([card.scores[column] for column in columns], axis=0)
    _, solved = one_payoff(lattice, 3, np.where(score > 31, 1.0, np.where(score == 31, 0.5, 0.0)))
    assert solution.value(**position) == pytest.approx(solved.value[0, 0], abs=solution.error_bound)


@pytest.mark.patient
def test_turns_of_double_cameroon_lead_on_to_one_another():
    # A turn's value is the mean over first throws of what the best keep of each is worth.
    solution = kw.solve("double-cameroon")
    lattice = solution.problem.card.lattice
    position = told(DEPTHS[1])
    best = [solution.advise(**position, roll="".join(str(f + 1) * n for f, n in enumerate(counts))).best.value
            for counts in lattice.full_rolls.tolist()]  # fmt: skip
    assert lattice.weight @ best == pytest.approx(solution.value(**position), abs=solution.error_bound)


@pytest.mark.patient
@pytest.mark.parametrize("depth", [DEPTHS[2], (("five of", "large"), ("full", "sixes"), 0, 58)])
def test_shipped_layers_equal_solves_on_demand(depth):
    # What the opponent has after the second turn, in the shipped layer, against the third turn solved on demand
    solution = kw.solve("double-cameroon")
    position = solution.read(**told(depth))
    layer = solution.problem.model.layer(2)
    row = layer.mover_sets.tolist().index(position.own_card.used) * len(layer.opponent_sets)
    row += layer.opponent_sets.tolist().index(position.other_cards[0].used)
    shipped = solution.value_table.arrays["after2"][
        row, layer.column_of_lead(position.other_cards[0].score - position.own_card.score)
    ]
    assert 1 - solution.value(**told(depth)) == shipped


@pytest.mark.slow
def test_double_cameroon_after_three_turns():
    solution = kw.solve("double-cameroon")
    assert 0 < solution.value(**told(DEPTHS[3])) < 1


@pytest.mark.slow
def test_the_last_turn_of_who_is_far_behind():
    """Leads larger than the last turn can make good, which no row of values holds."""
    whole, late = kw.solve(TWO_BOXES, "win", fresh=True), kw.solve(TWO_BOXES, "win")
    names, checked = TWO_BOXES.data.names, 0
    for open_, score, theirs in product(combinations(names, 2), (0, 4, 5, 9), (0, 5, 9, 14)):
        told = {"used": [name for name in names if name not in open_], "opponent_used": names}
        try:
            found = [solution.value(**told, score=score, opponents=[theirs]) for solution in (whole, late)]
        except InputError:
            continue  # totals that these categories cannot hold
        exact = TWO_BOXES_PLAIN.win(frozenset(open_), frozenset(), score - theirs)
        assert found == pytest.approx([float(exact)] * 2, abs=whole.error_bound)
        checked += 1
    assert checked > 20
    used = ["five of", "large", "little", "full", "sixes", "fives", "fours", "threes"]
    told = {"used": used, "opponent_used": [*used, "twos", "aces"], "score": 100}
    solution = kw.solve("double-cameroon", "win")
    assert solution.value(**told, opponents=[116]) == 0  # twos and aces hold at most 15
    # 115 is a tie if all ten dice show 1 or 2, five of each.
    assert solution.value(**told, opponents=[115], roll="1" * 5 + "2" * 4 + "6", throw=2) == pytest.approx(1 / 12)


def test_resumed_card_solves_have_the_same_bits(tmp_path, monkeypatch):
    from keepwise.api import solve_resumable
    from keepwise.solvers import make_problem
    from keepwise.storage.checkpoints import Checkpoint
    from keepwise.util.errors import TableError

    whole = kw.solve(TWO_BOXES, "win", fresh=True).value_table.arrays
    output, saved, save = tmp_path / "two.npz", [], Checkpoint.save_layer

    def killed(self, layer, rows):
        save(self, layer, rows)
        saved.append(layer)
        if len(saved) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "save_layer", killed)
        with pytest.raises(KeyboardInterrupt):
            solve_resumable(make_problem(TWO_BOXES, "win"), output)
    assert not output.exists()
    assert len(list(tmp_path.glob("*.part"))) == 2
    other = tiny(2, TWO_BOXES.rules["category"], dice=4, faces=3, throws=3)
    with pytest.raises(TableError, match=r"two.npz.after3.part is a checkpoint of another problem"):
        solve_resumable(make_problem(other, "win"), output)
    with monkeypatch.context() as patch:
        patch.setattr("keepwise.storage.checkpoints.ENGINE", "keepwise 0.0")
        with pytest.raises(TableError, match=r"two.npz.after3.part was written by another version: keepwise"):
            solve_resumable(make_problem(TWO_BOXES, "win"), output)
    solve_resumable(make_problem(TWO_BOXES, "win"), output)
    assert not list(tmp_path.glob("*.part"))
    again = kw.load(output)
    assert all((whole[name] == again.value_table.arrays[name]).all() for name in whole)


def test_a_decided_game_is_certain(run):
    """Rounding of a certain sum once gave 1.000000000000023, and "-0.0%" to the opponent."""
    solution = kw.solve("double-cameroon", "win")
    mine = ["little cameroon", "twos", "fours", "five of a kind", "sixes", "aces", "full house", "fives"]
    theirs = ["sixes", "full house", "twos", "aces", "threes", "large cameroon", "fives", "fours"]
    ahead = {"used": mine, "opponent_used": theirs, "score": 172, "opponents": [93]}
    for throw in ({}, {"throw": 1, "roll": "1112223334"}, {"throw": 2, "roll": "6666655555"}):
        assert repr(solution.position_value(**ahead, **throw).seats) == "(1.0, 0.0)"
        assert {choice.value for choice in solution.advise(**ahead, **throw).choices} == {1.0}
    told = run(
        "value",
        "double-cameroon",
        "--used",
        ",".join(mine),
        "--opponent-used",
        ",".join(theirs),
        "--score",
        "172",
        "--opponents",
        "93",
    ).out
    assert "the opponent: 0.0%" in told
    assert "in full 1.0," in told


def test_chances_of_a_small_card_lie_in_their_range():
    solution = kw.solve(TWO_BOXES, "win", fresh=True)
    for rows in solution.value_table.arrays.values():
        assert rows.min() >= 0
        assert rows.max() <= 1
    for goal in (1, 5, 20):
        assert 0 <= kw.solve(ONE_BOX, "reach", goal=goal, fresh=True).value() <= 1


@pytest.mark.slow
def test_the_distribution_has_the_solved_mean():
    for game in (ONE_BOX, TWO_BOXES, kw.game("double-cameroon")):
        solution = kw.solve(game, "points", fresh=True)
        whole = solution.distribution()
        assert sum(whole.chances) == pytest.approx(1, abs=1e-12)
        assert whole.mean == pytest.approx(solution.value(), abs=1e-10)


CHANCES = [{"name": name, "chance": True} for name in "ab"]
SPLIT = [{"name": "a", "sum": 2, "plus": 2}, {"name": "b", "only": [1, 3, 4]}]


@pytest.mark.parametrize(
    "card",
    [
        {"dice": 2, "faces": 3, "category": [*CHANCES, {"name": "c", "shows": [3], "plus": 3}]},
        {"dice": 4, "faces": 4, "boxes": 2, "category": SPLIT},
    ],
)
def test_the_distribution_is_that_of_the_play_that_is_advised(card):
    solution = kw.solve(own_game({"name": "ties", "throws": 2, **card}), "points", fresh=True)
    playable = solution.playable

    @lru_cache(None)
    def ends(position):
        if playable.stage(position) == "over":
            return {int(playable.payoffs(position)[0]): Fraction(1)}
        if playable.stage(position) == "choose":
            return ends(solution.advise(position).best.after)
        falls, found = list(playable.rolls(position)), Counter()
        for ways, after in falls:
            for total, chance in ends(after).items():
                found[total] += chance * ways / sum(ways for ways, _ in falls)
        return found

    whole, played = solution.distribution(), ends(playable.start())
    assert dict(zip(whole.totals, whole.chances, strict=True)) == pytest.approx(
        {total: float(chance) for total, chance in played.items()}, abs=1e-12
    )


def test_a_share_that_is_reached_exactly_is_not_lost_to_rounding():
    tenths = Distribution.from_probabilities(dict.fromkeys(range(1, 11), 0.1))
    assert [tenths.quantile(share) for share in (0.3, 0.8, 1)] == [3, 8, 10]
    twentieths = Distribution.from_probabilities(dict.fromkeys(range(1, 21), Fraction(1, 20)))
    assert [twentieths.quantile(share) for share in QUANTILES] == [1, 5, 10, 15, 19]


@pytest.mark.patient
def test_the_distribution_of_yahtzee():
    # Mean as above; its standard deviation depends on how ties are broken, 59.61 in Verhoeff's and others' tables.
    whole = kw.solve("yahtzee").distribution()
    assert whole.mean == pytest.approx(254.5877287345, abs=1e-9)
    assert whole.standard_deviation == pytest.approx(59.6, abs=0.05)


def upper_plain(card_points, joker_bonus=0):
    """A card with an upper bonus, in fractions: ones, twos (bonus 3 at 4) and chance, two dice of two faces."""
    plain = PlainCard(2, (1, 1), 2, (), None)

    @lru_cache(None)
    def value(open_, upper, need):
        if not open_:
            bonus = 3 if upper >= 4 else 0
            return Fraction(bonus) if need is None else Fraction(need <= bonus)

        def best(throw):
            found = []
            for category in open_:
                face = {"ones": 1, "twos": 2}.get(category, 0)
                points = face * throw.count(face) if face else sum(throw)
                after = value(
                    open_ - {category},
                    min(4, upper + points) if face else upper,
                    None if need is None else need - points,
                )
                found.append(after + points if need is None else after)
            return max(found)

        return plain.turn(best)

    return value(frozenset({"ones", "twos", "choice"}), 0, card_points)


def test_upper_bonus_agrees_with_fractions():
    game = tiny(
        1,
        [{"name": "ones", "face": 1}, {"name": "twos", "face": 2}, {"name": "choice", "chance": True}],
        dice=2,
        faces=2,
        throws=2,
        upper={"categories": ["ones", "twos"], "at": 4, "bonus": 3},
    )
    assert kw.solve(game, "points", fresh=True).value() == pytest.approx(float(upper_plain(None)), abs=1e-13)
    for goal in (5, 8, 10):
        assert kw.solve(game, "reach", goal=goal).value() == pytest.approx(float(upper_plain(goal)), abs=1e-13)


def test_upper_totals_with_one_future_are_solved_once(monkeypatch):
    faces = [{"name": str(face), "face": face} for face in range(1, 7)]
    upper = {"categories": [one["name"] for one in faces], "at": [30, 38], "bonus": [10, 25]}
    game = tiny(1, [*faces, {"name": "choice", "chance": True}], dice=3, throws=2, upper=upper)

    def solved():
        one = make_problem(game, "points")
        states, worth = one.states, one.solve(1, lambda done: None).arrays["points"]
        numbers, totals = np.arange(len(states)), [one.card.possible_uppers(used) for used in states.sets.tolist()]
        return len(states.blocks(numbers)[0]), [worth[state, some].tolist() for state, some in enumerate(totals)]

    once, values = solved()
    monkeypatch.setattr(Card, "is_bonus_certain", lambda card, used, total, place=0: total >= card.max_upper)
    each, told = solved()
    assert once < each
    assert values == told


def test_keep_turn_refuses_gains_too_close_together():
    with pytest.raises(ValueError, match="differ too little"):
        KeepTurn(KeepLattice(1, (1,) * 3), 1, np.array([[0.2, 0.0, 0.0]]), np.array([[0, 1, 4]], dtype=np.int32))


def test_five_dice_yacht_and_six_dice_are_data_only(tmp_path):
    yacht = kw.solve(kw.load_rules("yacht"), "points", fresh=True)
    assert 150 < yacht.value() < 250
    six = tmp_path / "six.toml"
    six.write_text(
        'name = "six"\ndice = 6\n'
        '[[category]]\nname = "sixes"\nface = 6\n'
        '[[category]]\nname = "castle"\ngroups = [3, 3]\n'
        '[[category]]\nname = "full straight"\nstraight = 6\npoints = 21\n'
        '[[category]]\nname = "choice"\nchance = true\n'
    )
    solution = kw.solve(kw.load_rules(six), "points", fresh=True)
    best = solution.advise(roll="123456", throw=3).best
    assert (best.action, best.points) == ("enter 21 in full straight", 21)
    assert 30 < solution.value() < 100


def test_a_better_card_is_worth_more():
    def mean(points):
        categories = [{"name": "pair", "groups": [2], "points": points}, {"name": "choice", "chance": True}]
        return kw.solve(tiny(1, categories, dice=3, faces=4), "points", fresh=True).value()

    assert mean(1) < mean(2) < mean(10)


@pytest.mark.slow
def test_threads_give_the_same_bits():
    one, two = (kw.solve("yahtzee", "points", fresh=True, threads=n).value_table.arrays["points"] for n in (1, 3))
    assert (one == two).all()


@pytest.mark.slow
def test_advice_on_each_throw(run):
    told = run("advise double-cameroon --objective points --roll 6666553321 --throw 2")
    assert told.status == 0
    assert "keep " in told.out
    assert "more (--all lists them)" in told.out
    every = json.loads(run("advise double-cameroon --objective points --roll 6666553321 --throw 2 --json").out)
    assert len(every["choices"]) == 5 * 3 * 3 * 2 * 2
    assert every["choices"][0]["loss"] == 0
    last = json.loads(run("advise double-cameroon --objective points --roll 6666553321 --throw 3 --json").out)
    assert len(last["choices"]) == 45
    assert len(last["choices"][0]["keep"]) == 10
    first = json.loads(run("advise yahtzee --used sixes=18,chance=20 --roll 66653 --json").out)
    assert first["position"]["upper"] == 18
    assert sum(choice["then"] == "end" for choice in first["choices"]) == 1  # keep all


@pytest.mark.slow
def test_forced_and_free_jokers_differ_where_they_should():
    position = {"used": "yahtzee=50,ones=3,chance=20", "roll": "66666", "throw": 3, "upper": None}
    forced = kw.solve("yahtzee").advise(**position)
    assert [choice.action for choice in forced.choices] == ["enter 130 in sixes"]
    free = kw.solve(kw.game("yahtzee", joker="free")).advise(**position)
    points = {choice.action for choice in free.choices}
    assert {"enter 130 in sixes", "enter 100 in full house", "enter 130 in three of a kind"} <= points
    filled = {"used": "yahtzee=0,sixes=18", "roll": "66666", "throw": 3}
    joker = {choice.action for choice in kw.solve("yahtzee").advise(**filled).choices}
    assert "enter 40 in large straight" in joker  # a joker, but no bonus: the box holds 0
    assert not any("ones" in action for action in joker)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("advise double-cameroon --objective points --roll 666655332", "expected 10 dice, got 9"),
        ("value double-cameroon --objective points --used sixes,sixes", "--used lists sixes twice"),
        ("value double-cameroon --objective points --used sixes", "--used must list a multiple of 2 boxes"),
        ("value double-cameroon --objective reach --goal 200 --used sixes,aces --score 7000", "boxes cannot add up"),
        ("advise double-cameroon --objective points --roll 6666553321 --throw 4", "between 1 and 3"),
        ("advise double-cameroon --objective points --throw 2", "throw 2 requires --roll"),
        ("value double-cameroon --objective points --used sevens,aces", "unknown name 'sevens'; known: five of a kind"),
        ("value double-cameroon --objective reach", "requires --goal"),
        ("value double-cameroon --objective reach --goal 900", "goal must be between 1 and"),
        (
            "value double-cameroon --used six,a --opponent-used six,a,tw,fo,th,fives --score 6 --opponents 6",
            "2 boxes (if you move first)",
        ),
        ("value double-cameroon --used sixes,aces", "score is required"),
        ("value double-cameroon --rule five_kind_full_house=true", "keepwise solve double-cameroon --rule"),
        ("value double-cameroon --players 3", "players must be 2 for the objective win"),
        ("value yahtzee --used yahtzee,chance", "--used yahtzee needs its points"),
        ("value yahtzee --used sixes", "--used sixes needs its points"),
        ("value yahtzee --used sixes --upper 25", "--upper cannot be 25: the filled upper boxes cannot add up to that"),
        ("value yahtzee --used sixes=25", "--used sixes=25: this box can hold 0, 6, 12"),
        ("value yahtzee --objective win", "the objective win is not available for yahtzee"),
        ("advise yahtzee --roll 66657", "no die has the face '7'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(run, words, message):
    told = run(words)
    assert told.status == 2
    assert told.out == ""
    assert message in told.err
    assert told.err.count("\n") == 1


CARD = 'name = "mine"\ndice = 5\n[[category]]\nname = "ones"\nface = 1\n[[category]]\nname = "full"\ngroups = [3, 2]\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('name = "mine"\ndice = 5\ncategory = []\n', 3, "a card needs categories"),
        (CARD + '[[category]]\nname = "ones"\nface = 2\n', 10, "two categories cannot be told apart"),
        (CARD + '[[category]]\nname = "x"\n', 9, "requires one of"),
        (CARD + '[[category]]\nname = "x"\nface = 7\n', 11, "face must be between 1 and 6, not 7"),
        (CARD + '[[category]]\nname = "x"\ngroups = [4, 2]\n', 11, "groups = [4, 2] requires 6 dice, but there are 5"),
        (CARD + '[[category]]\nname = "x"\nstraight = 7\n', 11, "straight must be a list of different faces"),
        (CARD + "[upper]\ncategories = [\"twos\"]\nat = 3\nbonus = 3\n", 10, "unknown category 'twos'"),
        (CARD + "[again]\ncategory = \"full\"\n", 10, "must require all dice alike"),
        (CARD.replace("dice = 5", "dice = 13"), 2, "dice must be a whole number from 1 to 12"),
        (CARD.replace("face = 1", "faec = 1"), 5, "[[category]] has no key 'faec'; did you mean face?"),
        (CARD.replace("dice = 5", "dice = 5\nboxes = 2"), 3, "cannot be split evenly"),
    ],
)  # fmt: skip
def test_card_files_are_checked_with_line_and_key(run, tmp_path, text, line, message):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    told = run("value", "--rules", str(file))
    assert told.status == 2
    assert f"mine.toml:{line}: " in told.err
    assert message in told.err
    assert told.err.count("\n") == 1


def test_certain_values_are_exact_to_the_bit():
    """The other has scored all boxes and lies behind: whether tabled with the whole game or solved when it is asked."""
    boxes = [{"name": f"fours {number}", "face": 4} for number in range(4)]
    game = own_game({"name": "fours", "dice": 5, "category": boxes})
    used = [box["name"] for box in boxes]
    won = {"used": used[:3], "opponent_used": used, "score": 16, "opponents": [8]}
    lost = {**won, "score": 0, "opponents": [24]}
    for fresh in (True, False):
        solution = kw.solve(game, "win", fresh=fresh)
        assert (solution.value(**won), solution.value(**lost)) == (1, 0)
