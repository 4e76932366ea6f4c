"""Cards of categories as they are played: what throws are worth where, the compiled card beside it, positions told."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import toys
from card_entries import card, compare_entries
from playwalk import refused, walk

import keepwise as kw
from keepwise import solvers
from keepwise.games import own_game as card_game
from keepwise.games.card_rules import FORCED, FREE, NONE, score_one_roll
from keepwise.play import playable
from keepwise.play.card import CardGame
from keepwise.play.scorecard import Scorecard
from keepwise.util.errors import InputError

YAHTZEE = [  # the three published rule sets
    {},
    {"joker": FREE},
    {"joker": NONE, "yahtzee_bonus": False},
]


def make_playable(game="double-cameroon", objective="points", players=None, goal=None, **rules):
    return playable(kw.game(game, **rules), players, objective=objective, goal=goal)


AWKWARD_BOXES = ("strike", "zero", "scratch ticket", "cross", "5 in a row", "3 of a kind", "odds and evens")


def test_names_of_boxes_are_read_before_other_words():
    """Boxes whose names begin like entries in other words: a whole turn and its line in a game file."""
    boxes = [{"name": name, "chance": True} for name in AWKWARD_BOXES]
    cards = playable(card_game({"name": "odd", "dice": 2, "throws": 1, "category": boxes}), objective="points")
    for number, name in enumerate(AWKWARD_BOXES):
        after = cards.play_whole_turn(cards.start(), f"{name} 7")
        assert cards.to_dict(after)["score"] == 7
        assert after.own_card.used == 1 << number
    assert cards.play_whole_turn(cards.start(), "7 in strike") == cards.play_whole_turn(cards.start(), "strike 7")


def entries(cards, **told):
    """What the last throw may be entered for, by its words."""
    position = cards.position(throw=cards.card.throws, **told)
    return {choice.action: choice for choice in cards.choices(position)}


# --- hand-written


def test_a_turn_of_ten_dice():
    cards = make_playable(objective="win")
    start = cards.start()
    assert (cards.stage(start), cards.is_turn_start(start)) == ("throw", True)
    falls = list(cards.rolls(start))
    assert (len(falls), sum(ways for ways, _ in falls)) == (3003, 6**10)
    first = cards.position(roll="1122344666")
    choices = cards.choices(first)
    assert choices[0].action == "keep all: 1 1 2 2 3 4 4 6 6 6"
    assert choices[0].after == cards.position(throw=3, roll="1122344666")
    assert choices[-1].action == "roll all 10 dice again"
    assert choices[-1].after == cards.position(throw=2, throwing=True)
    (kept,) = (choice for choice in choices if choice.action == "keep 1 6 6 6, roll 6 dice")
    assert (kept.dice_left, kept.keep, cards.stage(kept.after)) == (6, ("1", "6", "6", "6"), "throw")
    assert cards.to_dict(kept.after) == {"score": 0, "opponents": [0], "throw": 2, "kept": ["1", "6", "6", "6"]}
    assert sum(ways for ways, _ in cards.rolls(kept.after)) == 6**6
    assert all(after.roll[5] >= 3 and after.throw == 2 for _, after in cards.rolls(kept.after))


def test_categories_of_double_cameroon():
    found = entries(make_playable(), roll="2222223456")
    assert "five of a kind 50 (2 2 2 2 2) and large cameroon 30 (2 3 4 5 6)" in found
    assert len(found) == 45
    points = [choice.points for choice in found.values()]
    assert points == sorted(points, reverse=True)
    # A full house counts all spots, five alike are none unless the option says so, zeros may be entered.
    used = "five of,large,little,sixes,fives,fours,threes,twos"
    (only,) = entries(make_playable(), roll="3335511111", used=used).values()
    assert (only.action, only.points) == ("full house 19 (3 3 3 5 5) and aces 5 (1 1 1 1 1)", 24)
    (only,) = entries(make_playable(), roll="3333333333", used=used).values()
    assert only.points == 0
    (only,) = entries(make_playable(five_kind_full_house=True), roll="3333366666", used=used).values()
    assert (only.action, only.points) == ("full house 30 (6 6 6 6 6) and aces 0 (3 3 3 3 3)", 30)


def test_the_last_turn_of_two_shares_a_tie():
    cards = make_playable(objective="win")
    used = "five of,large,little,full,sixes,fives,fours,threes"
    told = {"used": used, "opponent_used": f"{used},twos,aces", "throw": 3, "roll": "1122666666", "score": 100}
    for theirs, shares in ((105, (0, 1)), (106, (Fraction(1, 2), Fraction(1, 2))), (107, (1, 0))):
        position = cards.position(opponents=theirs, **told)
        assert (position.seat, cards.player_to_move(position)) == (1, 1)
        (last,) = cards.choices(position)
        assert last.action == "twos 4 (2 2 6 6 6) and aces 2 (1 1 6 6 6)"
        assert cards.payoffs(last.after) == shares


def test_upper_bonus_and_goal():
    upper = "ones=3,twos=6,threes=9,fours=12,fives=15"
    others = "three of,four of,full,small,large,yahtzee=0,chance"
    for sixes, total in (("66611", 18 + 35), ("66112", 12)):
        (last,) = entries(make_playable("yahtzee"), used=f"{upper},{others}", roll=sixes).values()
        assert make_playable("yahtzee").payoffs(last.after) == (total,)
    reach = make_playable("yahtzee", "reach", goal=253)
    (last,) = entries(reach, used=f"{upper},{others}", score=200, roll="66611").values()
    assert reach.payoffs(last.after) == (1,)
    reach = make_playable("yahtzee", "reach", goal=254)
    (last,) = entries(reach, used=f"{upper},{others}", score=200, roll="66611").values()
    assert reach.payoffs(last.after) == (0,)


def test_card_points_count_from_the_given_position():
    yahtzee = make_playable("yahtzee")
    position = yahtzee.position(used="sixes=24,chance=20", throw=3, roll="11234")
    after = {choice.action: choice.after for choice in yahtzee.choices(position)}["enter 2 in ones"]
    assert yahtzee.to_dict(after) == {"score": 2, "used": ["ones", "sixes", "chance"], "upper": 26}


def test_jokers():
    # Forced: its own upper box; then any lower one in full, with 100 for it if the box holds 50; else a zero.
    forced = make_playable("yahtzee")
    assert list(entries(forced, used="yahtzee=50", roll=44444)) == ["enter 120 in fours"]
    found = entries(forced, used="yahtzee=50,fours=8", roll=44444)
    assert {"enter 140 in large straight", "enter 130 in small straight", "enter 125 in full house"} < set(found)
    assert not any(name in " ".join(found) for name in ("ones", "twos", "threes", "fives", "sixes"))
    found = entries(forced, used="yahtzee=0,fours=8", roll=44444)
    assert list(found)[:2] == ["enter 40 in large straight", "enter 30 in small straight"]
    lower = "three of,four of,full,small,large,chance"
    found = entries(forced, used=f"yahtzee=50,fours=8,{lower}", roll=44444)
    assert list(found) == [f"enter 100 in {name}" for name in ("ones", "twos", "threes", "fives", "sixes")]
    # Free: any open box; lower ones in full only once its own upper box is used.
    free = make_playable("yahtzee", joker=FREE)
    assert "enter 100 in large straight" in entries(free, used="yahtzee=50", roll=44444)
    assert "enter 100 in ones" in entries(free, used="yahtzee=50", roll=44444)
    assert "enter 140 in large straight" in entries(free, used="yahtzee=50,fours=8", roll=44444)
    # None: like any other throw. The first Yahtzee may go anywhere, too.
    none = make_playable("yahtzee", joker=NONE, yahtzee_bonus=False)
    assert "enter 0 in large straight" in entries(none, used="yahtzee,fours=8", roll=44444)
    assert "enter 20 in fours" in entries(forced, roll=44444)


def test_yahtzee_box_points_are_a_field_where_they_matter():
    yahtzee = make_playable("yahtzee")
    position = yahtzee.position(used="yahtzee=50,chance")
    assert yahtzee.to_dict(position) == {"used": ["yahtzee=50", "chance"], "upper": 0}
    assert yahtzee.id(position).endswith("/used=yahtzee=50,chance/upper=0")
    none = make_playable("yahtzee", joker=NONE, yahtzee_bonus=False)
    assert none.to_dict(none.position(used="yahtzee=50,chance"))["used"] == ["yahtzee", "chance"]


def test_five_at_a_table():
    """Any number of players, and also of a card with a bonus, which is not solved for two yet."""
    five = make_playable(objective="win", players=5)
    position = five.start()
    for _ in range(3):
        (_, roll), *_ = five.rolls(position)
        position = five.choices(five.choices(roll)[0].after)[0].after  # keep all, enter the first choice
    told = five.to_dict(position)
    assert (position.seat, told["opponents"]) == (3, [0, 55, 55, 55])
    assert told["opponent3_used"] == told["opponent2_used"] != []
    assert five.position(**told) == position
    assert "opponent1_used" not in told


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(
    ("game", "objective", "players", "goal", "rules"),
    [
        ("double-cameroon", "points", 1, None, {"five_kind_full_house": True}),
        ("double-cameroon", "reach", 1, 200, {}),
        ("double-cameroon", "win", 2, None, {}),
        ("yahtzee", "points", 1, None, {}),
        ("yahtzee", "reach", 1, 200, {"joker": FREE}),
        ("yahtzee", "points", 1, None, {"joker": NONE, "yahtzee_bonus": False}),
    ],
)
def test_games_at_random(game, objective, players, goal, rules):
    for _ in walk(make_playable(game, objective, players, goal, **rules), 5, 1):
        pass


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("players", [2, 4])
def test_yahtzee_of_several_at_random(players):
    yahtzee = CardGame(kw.game("yahtzee"), "win", players)
    for _ in walk(yahtzee, 6, 1):
        pass


# --- two readings: the card as it is compiled for the kernel

SMALL = {  # two dice of three faces, one of them loaded; a bonus and jokers
    "name": "tiny",
    "dice": 2,
    "faces": 3,
    "weights": [1, 2, 1],
    "throws": 3,
    "category": [
        {"name": "ones", "face": 1},
        {"name": "twos", "face": 2},
        {"name": "pair", "groups": [2], "points": 7},
        {"name": "run", "straight": 2},
        {"name": "both", "straight": [1, 3], "points": 4},
        {"name": "any", "chance": True},
    ],
    "upper": {"categories": ["ones", "twos"], "at": 4, "bonus": 5},
}


def tiny(**again):
    return card_game({**SMALL, **({"again": {"category": "pair", **again}} if again else {})})


@pytest.mark.parametrize(
    "again",
    [{}, {"bonus": 3}, *({"bonus": bonus, "joker": joker} for bonus, joker in product((0, 3), (FREE, FORCED)))],
)
def test_two_readings_of_a_small_card(again):
    """Every state, every throw, every entry."""
    cards = playable(tiny(**again), objective="points")
    everything = range(len(cards.card.lattice.full_rolls))
    assert compare_entries(cards, lambda states: range(len(states.sets)), everything) > 500


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("rules", YAHTZEE)
def test_two_readings_of_yahtzee(rules):
    cards = make_playable("yahtzee", **rules)
    rng = np.random.default_rng(1)
    alike = [throw for throw, row in enumerate(cards.card.lattice.full_rolls.tolist()) if max(row) == 5]
    all_throws = range(len(cards.card.lattice.full_rolls))
    assert compare_entries(cards, lambda states: rng.choice(len(states.sets), 400), alike) > 1000
    assert compare_entries(cards, lambda states: rng.choice(len(states.sets), 8), all_throws) > 1000


@pytest.mark.parametrize("rules", [{}, {"five_kind_full_house": True}])
def test_two_readings_of_ten_dice(rules):
    cards = make_playable(**rules)
    rng = np.random.default_rng(2)
    throws = rng.choice(len(cards.card.lattice.full_rolls), 60)
    assert compare_entries(cards, lambda states: rng.choice(len(states.sets), 10), throws) > 1000


def lattice_ways(lattice, weights, node):
    """Ways in which full throws follow from a partial one, die by die along the lattice."""
    ways, size = Counter({node: 1}), int(lattice.counts[node].sum())
    for _ in range(lattice.dice - size):
        following = Counter()
        for here, count in ways.items():
            for child, weight in zip(lattice.child[here].tolist(), weights, strict=True):
                following[child] += count * weight
        ways = following
    return {tuple(lattice.counts[full].tolist()): count for full, count in ways.items()}


@pytest.mark.parametrize("game", [tiny(), kw.load_rules("yacht"), kw.game("double-cameroon")])
def test_two_readings_of_throws_and_keeps(game):
    cards = playable(game, objective="points")
    card, lattice, rng = cards.card, cards.card.lattice, np.random.default_rng(3)
    kept = [tuple(row) for row in lattice.counts[: lattice.first_full].tolist()]
    for counts in kept if len(kept) < 500 else rng.choice(kept, 40).tolist():
        position = cards.start().__class__((Scorecard(),), 0, 2, tuple(counts))
        played = {after.roll: ways for ways, after in cards.rolls(position)}
        assert played == lattice_ways(lattice, card.weights, lattice.node_indices([counts])[0])
    for full in rng.choice(len(lattice.full_rolls), 20):
        roll = lattice.full_rolls[full]
        choices = cards.choices(cards.start().__class__((Scorecard(),), 0, 1, (0,) * card.faces, tuple(roll.tolist())))
        below = {lattice.first_full + int(full)}  # all that the kernel finds within the throw, taking dice away
        for node in sorted(range(lattice.node_count), reverse=True):
            if node in below:
                below |= {*np.flatnonzero((lattice.child == node).any(axis=1)).tolist()}
        nodes = set(
            lattice.node_indices([[choice.keep.count(face) for face in cards.faces] for choice in choices]).tolist()
        )
        assert nodes == below
        assert len(nodes) == len(choices)


def test_the_best_split_by_enumeration():
    """Every way to deal ten dice to two categories, die by die."""
    cards = make_playable()
    rng = np.random.default_rng(4)
    for throw in rng.choice(len(cards.card.lattice.full_rolls), 5):
        roll = tuple(cards.card.lattice.full_rolls[throw].tolist())
        dice = [face for face, count in enumerate(roll, 1) for _ in range(count)]
        best = Counter()
        for chosen in {tuple(dice[one] for one in some) for some in combinations(range(10), 5)}:
            first = [chosen.count(face) for face in range(1, 7)]
            second = [count - one for count, one in zip(roll, first, strict=True)]
            for a, b in combinations(cards.card.categories, 2):
                best[a.name, b.name] = max(
                    best[a.name, b.name], score_one_roll(a.score, first) + score_one_roll(b.score, second)
                )
        position = cards.position(throw=3, roll="".join(map(str, dice)))
        for choice in cards.choices(position):
            parts = choice.action.split(" and ")
            names = tuple(part.partition(" (")[0].rpartition(" ")[0] for part in parts)
            assert choice.points == best[names]
            assert sorted(choice.keep) == sorted(map(str, dice))
            assert choice.points == sum(int(part.partition(" (")[0].rpartition(" ")[2]) for part in parts)


# --- positions that cannot occur


def test_jokers_of_all_spots_are_possible_points():
    """A full house that counts all spots holds 30 once it was a joker of five sixes, which no full house shows."""
    names = ("ones", "twos", "threes", "fours", "fives", "sixes")
    house = {
        "name": "ours",
        "dice": 5,
        "category": [
            *({"name": name, "face": face} for face, name in enumerate(names, 1)),
            {"name": "house", "groups": [3, 2]},
            {"name": "all", "groups": [5], "points": 50},
        ],
        "again": {"category": "all", "joker": FORCED},
    }
    ours = playable(card_game(house), objective="reach", goal=100)
    (_, joker), *_ = entries(ours, used="sixes=12,all=50", roll=66666).items()
    assert joker.action == "enter 30 in house"
    assert ours.position(**ours.to_dict(joker.after)) == joker.after
    assert joker.after.cards[0].score == 92
    assert "house=30: this box can hold" in refused(ours, used="house=30")
    solution = kw.solve(card_game(house), "reach", goal=100, fresh=True)
    assert 0 < solution.value(used=["sixes", "all", "house"], score=92) <= 1


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"used": "sixs,fives"}, "used: unknown name 'sixs'; did you mean sixes?"),
        ({"used": "f,fives"}, "used: unknown name 'f'; did you mean five of a kind, full house, fives or fours?"),
        ({"used": "sixes,sixes"}, "used lists sixes twice"),
        ({"used": "sixes=25,fives"}, "used sixes=25: this box can hold"),
        ({"used": "sixes=x,fives"}, "must be a whole number, not 'x'"),
        (
            {"used": "sixes"},
            "used must list a multiple of 2 boxes",
        ),
        ({"used": "sixes,fives"}, "score is required (the total of the filled boxes)"),
        ({"used": "sixes,fives", "score": 7}, "score cannot be 7: the filled boxes cannot add up to that"),
        ({"used": "sixes=12,fives=5", "score": 18}, "score cannot be 18: the filled boxes hold 17 points"),
        ({"used": "sixes=12,fives", "score": 6}, "score cannot be 6: the filled boxes hold at least 12 points"),
        (
            {"used": "five of,large,little,full,sixes,fives,fours,threes,twos,aces", "score": 100},
            "all boxes are filled: the game is over",
        ),
        ({"opponent_used": "sixes,fives"}, "opponents is required: the total of the boxes that the opponent has"),
        (
            {"opponent_used": "sixes,fives", "opponents": 7},
            "opponents cannot be 7: the boxes filled by the opponent cannot add up to that",
        ),
        (
            {"opponent_used": "sixes=6,fives=5,fours=4,twos=2"},
            "opponent_used must list 0 boxes (if you move first) or 2 (if you move second), because you have used"
            " 0; got 4",
        ),
        ({"seat": 1}, "seat must be 0, the number of players who have played this round, not 1"),
        ({"opponents": "1,2"}, "opponents: expected 1 score for 2 players, got 2"),
        ({"throw": 2}, "throw 2 requires roll (after the roll) or kept (before it)"),
        ({"throw": 4, "roll": "1" * 10}, "throw must be between 1 and 3, not 4"),
        ({"roll": "12345"}, "expected 10 dice, got 5; enter all dice"),
        ({"roll": "1234567123"}, "no die has the face '7'"),
        ({"kept": "66"}, "kept cannot be combined with throw 1: all 10 dice are rolled"),
        ({"throw": 2, "kept": "6" * 10}, "kept must leave a die to roll: expected at most 9 dice, got 10"),
        ({"throw": 2, "kept": "66", "throwing": True}, "throwing cannot be combined with kept"),
        ({"throw": 2, "kept": "66", "roll": "6" * 10}, "kept cannot be combined with roll"),
        ({"upper": 6}, "unknown field 'upper'"),
    ],
)
def test_card_positions_that_cannot_occur_are_refused(told, says):
    assert says in refused(make_playable(objective="win"), **told)


def test_more_that_cannot_occur():
    yahtzee = make_playable("yahtzee")
    assert "used yahtzee needs its points: write yahtzee=50 or yahtzee=0" in refused(yahtzee, used="yahtzee")
    assert "write ones=1, for example, or give the total" in refused(yahtzee, used="ones")
    assert "upper must be 3, the points of the upper boxes in used, not 4" in refused(yahtzee, used="ones=3", upper=4)
    assert "upper cannot be 6: the filled upper boxes cannot add up to that" in refused(yahtzee, used="ones", upper=6)
    assert "between 0 and 1,575" in refused(yahtzee, score=1576)
    three = make_playable(objective="win", players=3)
    assert "expected opponents with 0 filled boxes, as many as yours, or 2 if they have already played" in refused(
        three, opponent1_used="sixes=6,fives=5", opponents=[11, 0]
    )
    several = CardGame(kw.game("yahtzee"), "win", 3)
    assert "opponent_upper: expected 2 totals, one for each opponent, got 1" in refused(several, opponent_upper=3)
    assert "opponent2_used ones needs its points" in refused(several, opponent2_used="ones", opponents=[0, 3])


def test_card_objectives_refuse_bad_parameters():
    for given, says in (
        ({}, "the objective reach requires goal"),
        ({"goal": 100, "turns": 3}, "turns cannot be combined with double-cameroon"),
        ({"goal": 2000}, "goal must be between 1 and"),
    ):
        with pytest.raises(kw.InputError, match=says):
            playable("double-cameroon", objective="reach", **given)


CARDS = ["yahtzee", "kniffel", "maxi-yatzy", "yamb", "yatzy"]
CARDS += [name for name in toys.RULES if "category" in toys.rules(name)]


@pytest.mark.cases(fast=6)
@pytest.mark.parametrize(("name", "players"), [(name, 2 + place % 2) for place, name in enumerate(CARDS)])
def test_every_card_is_played_for_the_win(name, players):
    """By any number of players, solved or not: positions are read back, and the highest total wins."""
    playable, rng = kw.playable(card(name), players, objective="win"), random.Random(name)
    position = playable.start()
    while playable.stage(position) != "over":
        if rng.random() < 0.2:
            assert playable.from_id(playable.id(position)) == position
        if playable.stage(position) == "choose":
            position = rng.choice(playable.choices(position)).after
        else:
            weights, falls = zip(*playable.rolls(position), strict=True)
            position = rng.choices(falls, weights)[0]
    totals = [own.score + playable.card.bonus(own.upper) for own in position.cards]
    shares = playable.payoffs(position)
    assert sum(shares) == 1
    won_at_once = position.own_card.used != playable.card.full_mask and any(
        one.wins_on_first_roll for one in playable.card.categories
    )
    assert won_at_once or {total for total, share in zip(totals, shares, strict=True) if share} == {max(totals)}


def test_cards_that_are_not_solved_for_two_are_refused_a_value():
    assert "not available for yahtzee: it is not solved for scorecards with an upper bonus" in refused_problem(
        "yahtzee", "win"
    )
    assert refused_problem("yahtzee", None)


def refused_problem(game, objective):
    with pytest.raises(InputError) as error:
        solvers.make_problem(game, objective, 2)
    return str(error.value)
