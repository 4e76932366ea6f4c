"""Hands of named dice: Kingdom Come: Deliverance II, its catalogue, and points that count towards a goal.

The plain programs here list all ordered rolls and all sets of dice, and share no code with the package.
"""

from __future__ import annotations

import io
import json
import math
import pickle
from collections import Counter
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

import keepwise as kw
from keepwise.dice_inventory import solve_dice, value_dice
from keepwise.games import Game, dice_catalogue, own_game
from keepwise.games.dice_catalogue import load_catalogue
from keepwise.games.rulefile.loader import load_dice
from keepwise.games.ruleset import Rules
from keepwise.play.choice_kinds import ChoiceKind

NAME = "kingdom-come-2"
SIX_UNLIKE = "weighted, odd, lucky, ordinary, even, pie"
SETTLED = 1e-15  # change at which value iteration stops

# --- published figures


# Reports of players' solvers for this game, found apart from this package.
@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("ordinary*6", 564.4376204),
        pytest.param("devils-head, ordinary*5", 654.2175983, marks=pytest.mark.slow),
    ],
)
def test_points_of_a_turn_are_those_that_are_published(hand, points):
    assert kw.solve(kw.game(NAME, hand=hand), "points").value() == pytest.approx(points, abs=5e-8)


@pytest.mark.slow
def test_points_of_six_unlike_dice_are_those_that_are_published():
    """974.4522578 in the report, which ends turns at 20,000 points; a plain program without this limit finds more."""
    points = kw.solve(kw.game(NAME, hand=SIX_UNLIKE), "points").value()
    assert points == pytest.approx(974.4522580722, abs=1e-9)
    assert points == pytest.approx(974.4522578, abs=1e-6)


def test_points_towards_a_goal_are_those_that_are_published():
    """427.343828 is in a public report on a solver whose turns are worth 3,000 points at most."""
    solution = kw.solve(NAME, "points", goal=3000)
    best = solution.advise(score=0, roll="122334").best
    assert best.keep == ("1",)
    assert best.value == pytest.approx(427.343828, abs=5e-7)


def test_1100_of_1500_points_are_banked_against_far_opponents():
    """The settled answer to a question that players discussed in public."""
    solution = kw.solve(kw.game(NAME, target=1500), "win", 2)

    def best(opponent: int, dice: int) -> ChoiceKind:
        return solution.advise(score=0, opponents=[opponent], turn=1100, dice=dice).best.kind

    assert [best(0, dice) for dice in range(1, 7)] == [ChoiceKind.BANK] * 4 + [ChoiceKind.ROLL] * 2
    assert {best(1400, dice) for dice in range(1, 7)} == {ChoiceKind.ROLL}


# --- plain programs

FACES = "123456D"
SINGLES = {"1": 100, "5": 50}
PAIRS = {"1": 300, "2": 100, "3": 150, "4": 200, "5": 250, "6": 300}
HANDS = (
    {"p": (3, 1, 2, 1, 1, 2, 0), "q": (0, 1, 1, 1, 1, 1, 2)},
    {"r": (1, 1, 1, 1, 1, 1, 0), "s": (1, 2, 1, 4, 0, 1, 1)},
)
TARGET = 400


def points_of(dice: tuple[str, ...]) -> int:
    """Return the most points of one or two dice that all score; 0 if they do not."""
    if len(dice) == 1:
        return SINGLES.get(dice[0], 0)
    shown = [face for face in dice if face != "D"]
    pair = PAIRS[shown[0]] if shown and len(set(shown)) == 1 else 0
    apart = [SINGLES.get(face, 0) for face in dice]
    return max(pair, sum(apart) if all(apart) else 0)


Offers = dict[tuple[int, ...], dict[frozenset[tuple[tuple[int, ...], int]], float]]


def list_offers(hand: dict[str, tuple[int, ...]]) -> Offers:
    """Return, by the dice that are rolled, what rolls offer, dice left and points, with the chance of each offer."""
    weights = [*hand.values()]
    every = tuple(range(len(weights)))
    offers = {}
    for size in range(1, len(every) + 1):
        for dice in combinations(every, size):
            chances = Counter()
            for roll in product(range(len(FACES)), repeat=size):
                chance = math.prod(weights[die][face] / sum(weights[die]) for die, face in zip(dice, roll, strict=True))
                sets = set()
                for count in range(1, size + 1):
                    for taken in combinations(range(size), count):
                        if points := points_of(tuple(FACES[roll[place]] for place in taken)):
                            left = tuple(die for place, die in enumerate(dice) if place not in taken)
                            sets.add((left or every, points))
                chances[frozenset(sets)] += chance
            offers[dice] = {sets: chance for sets, chance in chances.items() if chance}
    return offers


def play_turn(offers: Offers, bust: float, bank, dice: tuple[int, ...] = (0, 1), points: int = 0) -> float:
    """Return the value of a roll of dice; ``bank``: what turn points are worth, which is no more from TARGET on."""

    @cache
    def before_roll(dice, points):
        return sum(
            chance * max((value(left, points + more) for left, more in sets), default=bust)
            for sets, chance in offers[dice].items()
        )

    def value(dice, points):
        return bank(points) if points >= TARGET else max(bank(points), before_roll(dice, points))

    return before_roll(dice, points)


def race_by_value_iteration():
    """Return the chance to win of each seat when it is to move, by (own score, opponent's score)."""
    scores = range(0, TARGET, 50)
    offers = [list_offers(hand) for hand in HANDS]
    values = [dict.fromkeys(product(scores, scores), 0.5) for _ in HANDS]
    pairs = sorted(product((0, 1), scores, scores), key=lambda key: -(key[1] + key[2]))
    change = 1.0
    while change > SETTLED:
        change = 0.0
        for seat, mine, theirs in pairs:
            other = values[1 - seat]

            def bank(points, mine=mine, theirs=theirs, other=other):
                return 1.0 if mine + points >= TARGET else 1 - other[theirs, mine + points]

            new = play_turn(offers[seat], 1 - other[theirs, mine], bank)
            change = max(change, abs(new - values[seat][mine, theirs]))
            values[seat][mine, theirs] = new
    return values


def toy(hand: dict[str, tuple[int, ...]], **rules: object) -> Game:
    """Return the game of two dice of this hand."""
    dice = [{"name": name, "weights": list(weights)} for name, weights in hand.items()]
    scores = {"singles": SINGLES, "alike": {"2": PAIRS}}
    return own_game({"name": "toy", "target": TARGET, "faces": [*FACES], "wild": "D", "die": dice, **scores, **rules})


def test_unlike_hands_with_wild_faces_agree_with_value_iteration():
    game = toy(HANDS[0]).with_rules(seat={"2": {"die": toy(HANDS[1]).rules["die"]}})
    solution = kw.solve(game, "win", fresh=True)
    arrays = solution.value_table.arrays
    for seat, expected in enumerate(race_by_value_iteration()):
        own_scores, other_scores = arrays[f"scores{seat + 1}"], arrays[f"scores{2 - seat}"]
        plain = [[expected[mine, theirs] for theirs in other_scores] for mine in own_scores]
        assert np.abs(arrays[f"win{seat + 1}"] - plain).max() <= solution.value_table.error_bound + 50 * SETTLED


@pytest.mark.parametrize("hand", HANDS, ids=["first", "second"])
@pytest.mark.parametrize("goal", [400, 330])
def test_points_towards_a_goal_agree_with_plain_enumeration(hand, goal):
    offers = list_offers(hand)
    solution = kw.solve(toy(hand), "points", goal=goal, fresh=True)
    table = solution.value_table
    assert table.arrays["scores"].tolist() == [*range(0, goal, 50)]
    for score, points in zip(table.arrays["scores"].tolist(), table.arrays["points"].tolist(), strict=True):
        missing = goal - score
        assert points == pytest.approx(play_turn(offers, 0.0, lambda held, most=missing: min(held, most)), abs=1e-12)
        assert solution.value(score=score) == points


def test_choices_towards_a_goal_agree_with_plain_enumeration():
    solution = kw.solve(toy(HANDS[0]), "points", goal=300, fresh=True)
    offers = list_offers(HANDS[0])
    for score in range(0, 300, 50):
        advice = solution.advise(score=score, turn=50, dice=["p"])
        found = {choice.kind: choice.value for choice in advice.choices}
        missing = 300 - score
        rolling = play_turn(offers, 0.0, lambda held, most=missing: min(held, most), (0,), 50)
        assert found == pytest.approx({ChoiceKind.BANK: min(50, missing), ChoiceKind.ROLL: rolling}, abs=1e-12)


@pytest.mark.parametrize(
    ("objective", "goal", "message"),
    [
        ("points", 5000, "goal must be between 1 and the target of 4,000, not 5000"),
        ("points", 0, "goal must be between 1 and the target of 4,000, not 0"),
        ("turns", 300, "goal cannot be combined with the objective turns"),
    ],
)
def test_goals_that_cannot_be_are_refused(objective, goal, message):
    with pytest.raises(kw.InputError, match=message):
        kw.solve(NAME, objective, goal=goal)


# --- the same game, however it is written


def test_fair_dice_are_the_game_without_a_hand():
    game = kw.game(NAME)
    assert kw.game(NAME, hand="ordinary*6") == game == kw.game(NAME, hand="Hugo*2, molar*3, St. Stephen")
    assert "hand" not in game.rules
    assert kw.game(NAME, hand="lucky*6").with_rules(hand="ordinary*6") == game


def test_dice_that_are_equal_share_their_first_name():
    game = kw.game(NAME, hand="balatro, hugo*5")
    assert game == kw.game(NAME, hand="Ordinary*5,Devil's head*1")
    assert [(die["name"], die["count"]) for die in game.rules["hand"]] == [("devils-head", 1), ("ordinary", 5)]


@pytest.mark.parametrize("hand", ["3 lucky, 2x odd, pie", "lucky x 3, 2 × odd, 1 pie", "lucky×3, odd x2, pie"])
def test_counts_may_stand_before_or_after_the_die(hand):
    assert kw.game(NAME, hand=hand) == kw.game(NAME, hand="lucky*3, odd*2, pie")


def test_a_hand_is_the_dice_that_a_file_would_list():
    shipped = {key: value for key, value in Rules(kw.game(NAME).rules).plain().items() if key != "dice"}
    devil, ordinary = [0, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 0]
    dice = [{"name": "devils-head", "weights": devil}, {"name": "ordinary", "count": 5, "weights": ordinary}]
    listed = own_game({**shipped, "faces": [*"123456D"], "wild": "D", "die": dice})
    assert kw.game(NAME, hand="devils-head, ordinary*5").data == listed.data
    assert kw.game(NAME, hand="lucky*6").data == kw.game("kingdom-come", weights=[6, 1, 2, 3, 4, 6]).data


def test_a_game_keeps_its_hands_without_the_catalogue(monkeypatch):
    seats = {2: {"hand": "ordinary*6"}}
    games = [kw.game(NAME, hand="devils-head*6", target=1500, seats=seats), kw.game(NAME, hand="pie, odd*5")]
    monkeypatch.setattr(dice_catalogue, "load_catalogue", lambda name: pytest.fail("the catalogue was read"))
    for game in games:
        same = Game(game.id, json.loads(json.dumps(Rules(game.rules).plain())))
        assert same == game == pickle.loads(pickle.dumps(game))
        assert same.seat_games == game.seat_games
        assert same.data == game.data


def test_no_catalogue_is_read_unless_a_hand_names_dice(monkeypatch):
    monkeypatch.setattr(dice_catalogue, "read_catalogue", lambda name: pytest.fail("the catalogue was read"))
    assert kw.playable(NAME, objective="points").start().dice == 6


def test_equal_hands_of_all_seats_are_one_hand():
    game = kw.game(NAME, hand="lucky*6", seats={1: {"hand": "lucky*6"}, 2: {"hand": "lucky*6"}})
    assert game == kw.game(NAME, hand="lucky*6")
    assert not game.seat_games


def test_a_seat_has_its_own_hand_whatever_the_hand_of_the_others():
    game = kw.game(NAME, hand="devils-head*6", seats={2: {"hand": "ordinary*6", "target": 2000}})
    assert game.seat_games[0] == kw.game(NAME, hand="devils-head*6")
    assert game.seat_games[1] == kw.game(NAME, target=2000)
    assert game.rules["seat"]["2"]["hand"][0]["name"] == "ordinary"


def test_a_file_may_change_the_hands_of_a_game_that_ships(tmp_path):
    path = tmp_path / "tavern.toml"
    path.write_text('game = "kingdom-come-2"\ntarget = 1500\nhand = "lucky*6"\n[seat.2]\nhand = "odd*6"\n')
    expected = kw.game(NAME, target=1500, hand="lucky*6", seats={2: {"hand": "odd*6"}})
    assert kw.load_rules(path) == expected
    assert kw.load_rules(path, hand="pie*6").seat_games[0] == kw.game(NAME, target=1500, hand="pie*6")
    path.write_text('game = "kingdom-come-2"\nhand = "luky*6"\n')
    with pytest.raises(kw.InputError, match=r"tavern.toml:2: unknown die 'luky'; did you mean lucky\?"):
        kw.load_rules(path)


# --- the command line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hand", "luky*6"], "keepwise: unknown die 'luky'; did you mean lucky?"),
        (["--hand", "xyzzy*6"], "unknown die 'xyzzy'; keepwise rules kingdom-come-2 --dice lists them"),
        (["--hand", "lucky*5"], "a hand must have 6 dice, but 'lucky*5' has 5 dice"),
        (["--hand", "lucky*4,odd*3"], "a hand must have 6 dice, but 'lucky*4, odd*3' has 7 dice"),
        (["--hand", "lucky*x,odd*3"], "the count of lucky must be a whole number from 1 to 6, as in lucky*2, not 'x'"),
        (["--hand", "lucky*0,odd*6"], "the count of lucky must be a whole number from 1 to 6"),
        (["--hand", ","], "the name of a die is missing; keepwise rules kingdom-come-2 --dice lists them"),
        (["--hand", "lucky*6 / odd*6"], "--hand takes one hand; use --hands"),
        (["--hands", "lucky*6"], "list a hand for each player"),
        (["--hands", "lucky*6 /"], "lists no dice; write names"),
        (["--hand", "lucky*6", "--hands", "lucky*6 / odd*6"], "--hand cannot be combined with --hands"),
        (["--hand", "lucky*6", "--rule", "hand=odd*6"], "--rule hand is given twice"),
        (["--hands", "lucky*6 / odd*6", "--players", "3"], "--hands lists 2 hands, but there are 3 players"),
        (["--hands", "lucky*6 / odd*6 / pie*6"], "--hands lists 3 hands, but there are 2 players"),
        (["--hands", "lucky*6 / odd*6", "--objective", "points"], "--hands requires several players"),
        (["--rule", "hand=6"], 'hand must be the names of dice in quotes, such as "lucky*3, ordinary*3", not 6'),
        (["--rule", 'hand=[{name="x",count=6,weights=[27.3,1,1,1,1,1]}]'], "hand must be the names of dice"),
    ],
)
def test_hands_that_cannot_be_are_refused_in_one_line(refused, words, message):
    refused(message, "value", NAME, *words)


@pytest.mark.parametrize("game", ["pig", "yahtzee", "kingdom-come", "yacht"])
def test_a_game_without_a_catalogue_has_no_hands(refused, game):
    refused(f"{game} has no catalogue of dice, which a hand requires", "value", game, "--hand", "lucky*6")
    refused(f"{game} has none", "rules", game, "--dice")


@pytest.mark.parametrize("line", ["weights = [27.3, 1, 1, 1, 1, 1]", "weights = [-1, 1, 1, 1, 1, 1]"])
def test_weights_that_are_not_counts_are_refused(refused, tmp_path, line):
    path = tmp_path / "mine.toml"
    path.write_text(f"[[die]]\ncount = 6\n{line}\n")
    refused("die.weights must be a list of whole numbers from 0", "best-dice", "--rules", NAME, "--own", str(path))


def test_hands_of_both_players_by_command_line(run):
    words = ["--rule", "target=300", "--score", "100", "--opponents", "150", "--json"]
    answer = json.loads(run("value", NAME, "--hands", "pie*6 / lucky*6", *words).out)
    game = kw.game(NAME, target=300, hand="pie*6", seats={2: {"hand": "lucky*6"}})
    assert answer["value"] == kw.solve(game).value(score=100, opponents=[150])
    equal = run("value", NAME, "--hands", "ordinary*6 / hugo*6", *words).out
    assert equal == run("value", NAME, *words).out


def test_the_heading_names_the_dice(run):
    line = "--rule target=100 --hands"
    printed = run("value", NAME, *line.split(), "lucky*6 / odd*6").out
    assert "hand lucky*6 · seat 2: hand=odd*6" in printed


def test_the_heading_keeps_the_capitals_of_faces(run):
    printed = run("advise", NAME, "--rule", "target=300", "--hand", "devils-head*6", "--roll", "dddddd").out
    assert " · roll D D D D D D\n" in printed


def test_rules_list_every_die_with_weights_and_worth(run):
    printed = run("rules", NAME, "--dice").out
    assert run("rules", "--dice", NAME).out == printed
    names = [line.split()[0] for line in printed.splitlines()[1:-2]]
    assert len(names) == 43
    assert set(names) == {*load_catalogue(NAME).weights}
    dice = {die["name"]: die for die in json.loads(run("rules", NAME, "--dice", "--json").out)["dice"]}
    assert dice["balatro"] == {**dice["devils-head"], "name": "balatro"}
    assert dice["lucky"]["weights"] == [6, 1, 2, 3, 4, 6]
    assert len({tuple(die["weights"]) for die in dice.values()}) == 32
    assert dice["devils-head"]["worth"] == pytest.approx(654.2175983, abs=5e-5)
    assert dice["ordinary"]["worth"] == pytest.approx(564.4376204, abs=5e-5)


@pytest.mark.slow
def test_the_catalogue_states_the_solved_worth_of_dice():
    catalogue = load_catalogue(NAME)
    assert value_dice(kw.game(NAME, target=1500, hand="pie*6"), catalogue) == catalogue.worth
    assert solve_dice(kw.game(NAME), catalogue) == pytest.approx(catalogue.worth, abs=5e-5)


def test_an_inventory_may_list_names_of_the_catalogue(tmp_path, run):
    path = tmp_path / "mine.txt"
    path.write_text("# mine\nordinary*5, hugo\nlucky  # from the inn\n\n")
    kinds = load_dice(path, "123456", NAME)
    assert [(kind.name, kind.count, kind.weights) for kind in kinds] == [
        ("ordinary", 6, (1, 1, 1, 1, 1, 1)),
        ("lucky", 1, (6, 1, 2, 3, 4, 6)),
    ]
    best = kw.best_dice(kw.game(NAME), kinds)
    assert [hand.dice for hand in best] == [{"ordinary": 5, "lucky": 1}, {"ordinary": 6}]
    assert best[0].points == pytest.approx(load_catalogue(NAME).worth["lucky"], abs=5e-5)
    assert "616.57" in run("best-dice", "--rules", NAME, "--own", str(path)).out
    path.write_text("ordinary*5\nluky\n")
    with pytest.raises(kw.InputError, match=r"mine.txt:2: unknown die 'luky'"):
        load_dice(path, "123456", NAME)


@pytest.mark.slow
def test_best_dice_takes_a_game_and_a_hand_of_the_opponent(tmp_path, run):
    own = tmp_path / "mine.txt"
    own.write_text("ordinary*6\nlucky\n")
    (tmp_path / "theirs.txt").write_text("lucky*6\n")
    words = ["--own", str(own), "--rule", "target=300", "--objective", "win"]
    by_file = run("best-dice", "--rules", NAME, *words, "--against", str(tmp_path / "theirs.txt"))
    assert by_file.status == 0
    assert run("best-dice", "kcd2", *words, "--against", "lucky*6").out == by_file.out
    assert "unknown die 'luky'; did you mean lucky?" in run("best-dice", NAME, *words, "--against", "luky*6").err
    assert "a hand must have 6 dice" in run("best-dice", NAME, *words, "--against", "lucky*5").err
    assert "missing GAME" in run("best-dice", "--own", str(own)).err


def test_an_inventory_may_have_dice_with_the_wild_face(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("ordinary*5\nbalatro\n")
    (hand,) = kw.best_dice(kw.game(NAME), load_dice(path, "123456", NAME))
    assert hand.dice == {"ordinary": 5, "devils-head": 1}
    assert hand.points == pytest.approx(654.2175983, abs=5e-8)


@pytest.mark.parametrize(
    ("options", "heading", "prompt"),
    [
        ("--hands lucky*6/odd*3,ordinary*3", "You: lucky*6 · Opponent: odd*3, ordinary*3", "6 dice (6 lucky)"),
        ("--hands odd*3,pie*3/lucky*6", "You: odd*3, pie*3 · Opponent: lucky*6", "6 dice (3 odd, 3 pie)"),
        ("--hands ordinary*6/pie*6", "You: ordinary*6 · Opponent: pie*6", "6 dice (6 ordinary)"),
        ("--hand pie*6", "hand pie*6", "6 dice (6 pie)"),
        ("--hand lucky*6", "hand lucky*6", "6 dice."),
        ("--seat-rule 2:target=900", "Opponent: target=900", "6 dice."),
    ],
)
def test_coach_names_the_dice_of_the_players(run, tmp_path, monkeypatch, options, heading, prompt):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    found = run(f"coach {NAME} {options}")
    assert found.out.splitlines()[1] == heading
    assert f"You: roll {prompt}" in found.out


def test_dice_that_lack_a_face_have_the_name_of_their_die(run):
    """A pie has no 5 and no 6, so that six of them are one kind of ``[[die]]`` entries."""
    command = f"advise {NAME} --objective points --hand pie*6 --turn 300"
    printed = run(f"{command} --dice pie,pie,pie").out
    assert "roll 3 dice (3 pie)" in printed
    assert "plain" not in printed
    assert run(f"{command} --dice 3").out == printed
    assert "unknown name 'odd'; known: pie" in run(f"{command} --dice odd,odd,odd").err


HALVES = "lucky*3, odd*3 / ordinary*6"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--roll", "123456"], "it is not clear which die shows 1: write 1-lucky or 1-odd"),
        (["--roll", "1 2 3 4 5 6"], "it is not clear which die shows 1: write 1-lucky or 1-odd"),
        (["--roll", "1-l 7"], "no die has the face '7'; the faces are 1-lucky, 2-lucky"),
        (["--seat", "1", "--roll", "1-lucky 2"], "is not a roll; the faces are 1, 2, 3, 4, 5, 6"),
        (["--turn", "300", "--dice", "3"], "--dice must list names, with a count if there are several: lucky,odd*2"),
        (["--turn", "300", "--dice", "lucky*x"], "--dice: the count of lucky must be a whole number, not 'x'"),
        (["--turn", "300", "--dice", "pie"], "--dice: unknown name 'pie'; known: lucky, odd"),
        (
            ["--turn", "300", "--dice", "lucky*4"],
            "lucky*4 cannot be rolled together; the dice are lucky*3, odd*3",
        ),
        (["--seat", "1", "--turn", "300", "--dice", "lucky"], "--dice must be a number, not lucky"),
    ],
)
def test_rolls_of_unlike_dice_are_refused_truly(refused, words, message):
    refused(message, "advise", NAME, "--rule", "target=300", "--hands", HALVES, *words)


def test_faces_of_one_kind_need_no_name_of_the_die():
    playable = kw.playable(kw.game(NAME, hand="devils-head*2, ordinary*4"))
    named = playable.position(roll="D-devils-head,D-devils-head,1-ordinary,2-ordinary,1-ordinary,1-ordinary")
    for roll in ("D D 1 2-o 1 1", "DD1,2-ordinary,11", ["D", "D", "1", "1", "1", "2-ordinary"]):
        assert playable.position(roll=roll) == named
    with pytest.raises(kw.InputError, match="which die shows 2: write 2-devils-head or 2-ordinary"):
        playable.position(roll="D D 2 2 3 4")


def test_dice_may_have_counts_and_seats_their_own_dice():
    playable = kw.playable(kw.game(NAME, hand="lucky*3, odd*3", seats={2: {"hand": "ordinary*6"}}))
    listed = playable.position(turn=300, dice="lucky,odd,odd")
    assert playable.position(turn=300, dice="lucky, 2 odd") == listed
    assert playable.position(turn=300, dice="l,odd*2") == listed
    position = playable.position(seat=1, roll="123456")
    assert position == playable.position(seat=1, roll="1,2,3,4,5,6")
    assert playable.position(**playable.to_dict(position)) == position


def test_coach_reads_the_roll_of_each_player(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["1-l 2-l 3-l 4-o 4-o 7", "1-l 2-l 3-l 4-o 4-o 6-o", "keep 1-l and bank", "roll 123466", "quit"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    printed = " ".join(run("coach", NAME, "--rule", "target=300", "--hands", HALVES).out.split())
    assert "the faces are 1-lucky, 2-lucky, 3-lucky, 4-lucky, 5-lucky, 6-lucky, 1-odd" in printed
    assert "6-odd; type the dice" in printed
    assert "Opponent: 1 2 3 4 6 6" in printed


# --- formations of badges of advantage

FORMATIONS = {"35": 150, "456": 250, "135": 350}  # with made-up points; the game's are not published
ALL_BADGES = {"cut": 150, "gallows": 250, "eye": 350}


@cache
def best_points(dice: str) -> int:
    """Return the most points of dice that all have to score; below 0 if they do not: tries every first group."""
    if not dice:
        return 0
    best = -1
    for size in range(1, len(dice) + 1):
        for rest in {*combinations(range(1, len(dice)), size - 1)}:
            group = "".join(dice[place] for place in (0, *rest))
            points = plain_points(group)
            others = "".join(dice[place] for place in range(1, len(dice)) if place not in rest)
            if points and (left := best_points(others)) >= 0:
                best = max(best, points + left)
    return best


def plain_points(group: str) -> int:
    """Return the points of one group of dice under the rules of the game with all formations; 0 if it is none."""
    if len(group) == 1:
        return SINGLES.get(group, 0)
    if len(group) >= 3 and len({*group}) == 1:
        return (1000 if group[0] == "1" else 100 * int(group[0])) << (len(group) - 3)
    return {"12345": 500, "23456": 750, "123456": 1500, **FORMATIONS}.get(group, 0)


def test_formations_of_badges_score_as_enumerated():
    """Of all rolls, the sets that may be set aside and their points are those of a plain enumeration."""
    rules = kw.game(NAME, **ALL_BADGES).data
    for size in range(1, 7):
        for roll, _ in rules.rolls(size):
            dice = "".join(face * count for face, count in zip("123456", roll, strict=True))
            subsets = {"".join(subset) for count in range(1, size + 1) for subset in combinations(dice, count)}
            expected = {subset: best_points(subset) for subset in subsets if best_points(subset) >= 0}
            sets = {
                "".join(face * count for face, count in zip("123456", chosen, strict=True)): rules.set_points(chosen)
                for chosen in rules.sets_of(roll)
            }
            assert sets == expected, dice


@pytest.mark.parametrize(
    ("badge", "roll", "points"), [("cut", "223446", 0), ("cut", "223566", 150), ("eye", "1355", 400)]
)
def test_a_formation_scores_the_points_that_are_given(badge, roll, points):
    rules = kw.game(NAME, **{badge: ALL_BADGES[badge]}).data
    counts = tuple(roll.count(face) for face in "123456")
    assert max(map(rules.set_points, rules.sets_of(counts)), default=0) == points


def test_formations_are_rules_of_all_or_of_one_seat():
    assert kw.game(NAME, cut=0, gallows=0, eye=0) == kw.game(NAME)
    game = kw.game(NAME, cut=150, seats={2: {"cut": 0, "eye": 200}})
    assert game.rules["seat"] == {"2": {"cut": 0, "eye": 200}}
    assert Game(game.id, game.rules).seat_games == game.seat_games
    named = [{pattern.name for pattern in seat_game.data.patterns} - {""} for seat_game in game.seat_games]
    straights = {"low straight", "high straight", "full straight"}
    assert named == [straights | {"cut"}, straights | {"eye"}]


def test_a_wild_die_completes_a_formation():
    playable = kw.playable(kw.game(NAME, hand="devils-head, ordinary*5", gallows=250), 1, objective="points")
    position = playable.position(turn=300, roll="4-o 6-o D")
    assert [choice.points for choice in playable.choices(position) if choice.kind is ChoiceKind.BANK] == [300 + 250]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("cut=-1", "cut must be a whole number from 0 to 1,000,000, not -1"),
        ("gallows=much", "gallows must be a whole number from 0"),
    ],
)
def test_points_of_formations_that_cannot_be_are_refused(refused, rule, message):
    refused(message, "value", NAME, "--rule", rule)


def test_formations_require_their_faces_and_listed_sets(refused):
    refused("eye requires dice with the faces 1, 3, 5", "value", "cosmic-wimpout", "--rule", "eye=5")
    refused("cut cannot be combined with set_aside=any", "value", "1-4-24", "--rule", "cut=5")


def test_rules_describe_the_formations(run):
    printed = run("rules", NAME, "--rule", "gallows=300").out
    assert "gallows: 4 5 6 on one roll: 300." in printed
    assert "eye" not in printed
