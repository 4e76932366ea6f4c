"""Lines of games as they are played, and the checker on them: rounds, playoffs, pots, cards, boards and three players.

``certify`` walks them as people play them; the checker makes every throw anew from the rules in the file.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
import toys

import keepwise as kw
import keepwise_check
from keepwise.certify import certify, check_certifiable, find_certified_game, played_prover, turn_walk
from keepwise.certify.game_descriptions import counts_only_future_points, state_name
from keepwise.games import own_game
from keepwise.games.touch_odds import SIZES
from keepwise.solvers import make_problem as ask
from keepwise.util.errors import InputError, SolveError

ONES = {"name": "ones", "dice": 2, "faces": 3, "singles": {"1": 1, "2": 2}, "then.all": "end"}
LOADED = {"name": "card", "dice": 2, "faces": 3, "throws": 2, "weights": [1, 2, 4]}
COLUMNS = {"name": "card", "dice": 2, "faces": 4, "throws": 1, "columns": [1, 2], "zeros": "forced"}
SERVED = [{**toys.RUNS, "first": "win"}, {**toys.PAIRS, "first": 5}, toys.ONES]
UPPER = {  # 7 is the last total of a block of lanes
    "faces": 4,
    "category": [{"name": "threes", "face": 3}, {"name": "fours", "face": 4}, toys.ANY],
    "upper": {"categories": ["threes", "fours"], "at": 7, "bonus": 5},
}
HALVES = {"name": "card", "dice": 4, "faces": 2, "throws": 2, "boxes": 2}
GAMES = {
    "battleship, a turn": (kw.game("battleship"), "points", None),
    "battleship, turns": (kw.game("battleship", target=10), "turns", None),
    "battleship, reach": (kw.game("battleship", target=10), "reach", None),
    "battleship, a round": (kw.game("battleship", rounds=1), "win", 2),
    "battleship, both dice": (kw.game("battleship", rounds=1, crew="both"), "win", 2),
    "battleship, first to": (kw.game("battleship", match="first_to", target=5), "win", 2),
    "battleship, three": (kw.game("battleship", rounds=1, crew="both"), "win", 3),
    "boston, a turn": (kw.game("boston"), "points", None),
    "battleship, margin of three": (kw.game("battleship", rounds=1, crew="both"), "margin", 3),
    "boston": (kw.game("boston"), "win", 2),
    "boston, three": (kw.game("boston"), "win", 3),
    "multiplication": (kw.game("multiplication"), "points", None),
    "hearts, turns": (kw.game("hearts-due", target=20), "turns", None),
    "hearts, reach": (kw.game("hearts-due", target=15), "reach", None),
    "hearts, points": (kw.game("hearts-due"), "points", None),
    "hearts": (kw.game("hearts-due", target=15), "win", 2),
    "hearts, three": (kw.game("hearts-due", target=10), "win", 3),
    "pig, three": (kw.game("pig", target=5), "win", 3),
    "a last round": (own_game({**ONES, "finish": "last_round", "target": 2, "then.all": "roll"}), "win", 2),
    "a last round of three": (own_game({**ONES, "finish": "last_round", "target": 2, "stop.opening": 2}), "win", 3),
    "one turn each": (own_game(toys.RULES["one turn, lowest"]), "win", 2),
    "one turn each, three": (own_game(toys.RULES["one turn, lowest"]), "win", 3),
    "one turn each, shared": (own_game({**toys.RULES["one turn, lowest"], "finish": "one_turn_shared"}), "win", 3),
    "battleship, margin": (kw.game("battleship", rounds=1, crew="both"), "margin", 2),
    "a box of five": (kw.game("shut-the-box", tiles=5), "points", None),
    "a box, shut": (kw.game("shut-the-box", tiles=5, one_die="never"), "reach", None),
    "a box of digits": (
        kw.game("shut-the-box", tiles=5, most_tiles=2, one_die="sum", score="digits"),
        "points",
        None,
    ),
    "a box for two": (kw.game("shut-the-box", tiles=4), "win", 2),
    "traps": (kw.game("booby-trap", large=1, medium=2, small=1), "win", 2),
    "traps, margin": (kw.game("booby-trap", large=1, medium=1, small=2), "margin", 2),
    "traps of three": (  # who is too far behind chooses among nothing, which is not the same to the others
        kw.game("booby-trap", large=1, medium=2, small=2),
        "win",
        3,
    ),
    "traps of three, margin": (kw.game("booby-trap", large=2, medium=1, small=2), "margin", 3),
    "traps in order": (kw.game("booby-trap", large=1, medium=2, small=2, variant="in_order"), "win", 2),
    "traps, no passes": (kw.game("booby-trap", large=2, medium=1, small=2, variant="no_pass"), "win", 2),
    "traps alone": (kw.game("booby-trap", large=1, medium=2, small=3, variant="solitaire"), "reach", None),
    "scarney, a frame": (kw.game("scarney"), "points", None),
    "scarney, no doubles": (kw.game("scarney", double="off", little="dead"), "points", None),
    "joker": (own_game(toys.RULES["joker"]), "points", None),
    "two boxes": (own_game(toys.RULES["two boxes"]), "points", None),
    "in order, bonus": (own_game(toys.RULES["in order, bonus"]), "points", None),
    "a bonus past which more is added": (own_game({"name": "card", **toys.CARD, **UPPER}), "points", None),
    "columns in order": (own_game(toys.RULES["columns in order"]), "points", None),
    "zeros are forced": (own_game({**COLUMNS, "category": [toys.PAIRS, toys.ANY]}), "points", None),
    "served": (own_game({**LOADED, "category": SERVED}), "points", None),
    "faces of heavy weights": (
        own_game({**LOADED, "weights": [100_003, 200_003, 400_009], "category": SERVED}),
        "points",
        None,
    ),
    "served, zeros are forced": (own_game({**LOADED, "category": SERVED, "zeros": "forced"}), "win", 2),
    "one throw": (own_game({**LOADED, "throws": 1, "category": SERVED}), "points", None),
    "one throw, for two": (own_game({**LOADED, "throws": 1, "category": SERVED}), "win", 2),
    "sixty boxes": (
        own_game(
            {"name": "long", "dice": 1, "faces": 2, "order": "down", "category": [{**toys.ONES, "times": 59}, toys.ANY]}
        ),
        "win",
        2,
    ),
    "cards in order": (own_game({**LOADED, "category": SERVED[1:], "order": "down"}), "win", 2),
    "cards of two": (own_game({**LOADED, "category": [toys.PAIRS, toys.RUNS]}), "win", 2),
    "cards of two, two boxes": (
        own_game({**HALVES, "category": [toys.ONES, toys.PAIRS, toys.ANY, toys.RUNS]}),
        "win",
        2,
    ),
}
TOTAL = {"total": {"at": [0, 5, 9], "points": [-1, 3, 1]}}
BONUS = {"category": [toys.ONES, toys.PAIRS], "upper": {"categories": ["ones"], "at": [1, 2], "bonus": [1, 3]}}
GAMES |= {  # points are played for by ranges of the total, throws are saved, columns have a bonus each
    name: (own_game(rules), "points", None)
    for name, rules in {
        "saved, first": toys.RULES["served, saved"],
        "saved, repeated": toys.RULES["repeated, saved"],
        "saved, a bonus": {**toys.RULES["in order, bonus"], "saved_throws": 2},
        "columns": toys.RULES["columns, a bonus each"],
        "three columns": {**LOADED, **BONUS, "columns": [1, 2, 3], "order": "down"},
        "a column that counts twice": {**LOADED, **BONUS, "columns": [2]},
        "ranges, forced": toys.RULES["total, forced"],
        "ranges, first": toys.RULES["total, served"],
        "ranges, a bonus": {**LOADED, **BONUS, **TOTAL},
        "ranges, joker": {**toys.RULES["joker"], **TOTAL},
        "ranges, two boxes": {**toys.RULES["two boxes"], "total": {"at": [0, 5, 9], "points": [-1, 1, 3]}},
    }.items()
}
GOALS = {"a total, joker": ("joker", 9), "a total, in order": ("columns in order", 9), "a total": ("two boxes", 12)}
GAMES |= {name: (own_game(toys.RULES[rules]), "reach", None) for name, (rules, _) in GOALS.items()}
# Of three who choose how many dice to throw, and mix.
CHOSEN = {"name": "chosen", "dice": 3, "faces": 3, "weights": [29, 4, 30], "singles": {"2": 1, "3": 1}, "target": 6}
CHOSEN |= {"set_aside": "all-or-none", "then": {"dice": "chosen", "set": "end"}}
GAMES |= {
    "dice are chosen, turns are mixed": (own_game(CHOSEN), "win", 3),
    "turns are mixed": (own_game(toys.MIXED), "win", 3),
    "first turns are mixed": (kw.game("pig", faces=3, target=14), "win", 3),
}
WITH = {"battleship, reach": {"turns": 3}, "hearts, reach": {"turns": 3}}
WITH |= {name: {"goal": goal} for name, (_, goal) in GOALS.items()}


@pytest.fixture(scope="module")
def proved():
    """Certificates by the game, each made once."""
    made = {}

    def prove(name):
        if name not in made:
            game, objective, players = GAMES[name]
            solution = kw.solve(game, objective, players, fresh=True, **WITH.get(name, {}))
            made[name] = solution, certify(solution)
        return made[name]

    return prove


@pytest.mark.cases(fast=11)
@pytest.mark.parametrize("name", GAMES)
def test_games_as_they_are_played_hold_before_the_checker(name, proved, checked):
    solution, certificate = proved(name)
    status, said = checked("".join(certificate.text_parts()))
    assert status == 0, said
    assert f"{certificate.state_count:,} of {certificate.state_count:,} states hold" in said
    assert certificate.max_gap < 2e-13
    assert json.loads(json.dumps(certificate.header)) == certificate.header  # as whoever verifies reads it
    assert certificate.max_error <= solution.error_bound


def test_a_problem_solved_on_demand_is_solved_to_be_certified(proved):
    """A question that was never solved whole, and so holds no layers, has the certificate of one that was."""
    game, objective, players = GAMES["cards of two"]
    asked = certify(kw.solve(game, objective, players))
    assert "".join(asked.text_parts()) == "".join(proved("cards of two")[1].text_parts())


@pytest.mark.cases(fast=11)
@pytest.mark.parametrize("name", GAMES)
def test_a_number_on_the_wrong_side_does_not(name, proved, checked):
    lines = "".join(proved(name)[1].text_parts()).splitlines()
    for place in [place for place, line in enumerate(lines) if line[0].isdigit()][:3]:
        state, low, high, *more = lines[place].split()
        for other in ([f"{int(high, 16) + 1:x}", high], [low, f"{int(low, 16) - 1:x}"]):
            bent = " ".join([state, *other, *more])
            assert checked("\n".join([*lines[:place], bent, *lines[place + 1 :], ""]))[0] == 1


@pytest.mark.cases(fast=12)
@pytest.mark.parametrize(
    "name",
    [
        *("battleship, reach", "boston", "hearts", "joker", "a box for two", "traps", "traps alone", *GOALS),
        *(name for name in GAMES if name.startswith(("saved", "ranges")) or "column" in name),
    ],
)
def test_the_referees_fractions_lie_between_the_lines(name, proved):
    solution, certificate = proved(name)
    playable, unit = solution.playable, Fraction(1, 2**certificate.bounds.bits)
    referee, asked = kw.referee(playable), 0
    lines = dict(zip(map(tuple, certificate.states.tolist()), certificate.bounds.scaled.T.tolist(), strict=True))
    for position in referee.positions:
        if playable.is_turn_start(position) and playable.stage(position) != "over" and asked < 200:
            low, high = lines[state_name(playable, position)][:2]
            before = position.own_card.score if counts_only_future_points(playable) else 0
            assert (
                low * unit <= referee.seat_payoffs(position)[playable.player_to_move(position)] - before <= high * unit
            )
            asked += 1
    assert asked >= min(40, certificate.state_count)  # of boards all leads are listed, those that nobody comes to too


def test_regret_of_three_lies_within_the_solved_bound(proved):
    """Hearts of three has no choices, so that what the play brings and the best reply are the same; Pig has."""
    for name in ("hearts, three", "pig, three"):
        solution, certificate = proved(name)
        assert certificate.max_gap <= 2 * solution.error_bound
        assert json.loads("".join(certificate.text_parts()).splitlines()[1])["tie"] != "0"


MANY = 16, 100, 99_999_999
LARGE = [
    ("a box for two", lambda head, many: head["turn"].update(tiles=many)),
    ("battleship, a turn", lambda head, many: head["turn"].update(faces=min(10 * many, MANY[-1]))),
    ("battleship, a turn", lambda head, many: head["turn"].update(casts=min(many**4, MANY[-1]))),
    ("pig, three", lambda head, many: head["turn"]["dice"][0].__setitem__(0, many)),
    ("joker", lambda head, many: head["turn"].update(dice=many, throws=min(many**2, MANY[-1]))),
    ("joker", lambda head, many: head["turn"].update(dice=many, throws=-1)),
    ("battleship, a turn", lambda head, many: head["turn"].update(faces=many, casts=-1)),
    ("saved, first", lambda head, many: head["turn"].update(saved=many**4 % MANY[-1] + 10**6)),
    ("traps", lambda head, many: head["turn"]["chances"][0].extend([[0, 7]] * min(20 * many, 10**5))),
]


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("place", range(len(LARGE)))
def test_turns_too_large_to_list_are_refused_before_listing(place, many, proved, checked):
    name, bend = LARGE[place]
    first, head, rest = "".join(proved(name)[1].text_parts()).split("\n", 2)
    read = json.loads(head)
    bend(read, many)
    status, said = checked(f"{first}\n{json.dumps(read)}\n{rest}")
    expected = "a turn is too large to be listed: too many dice, faces, sets or tiles|= -1: must be whole number from 1"
    assert status == 2
    assert re.search(expected, said)


BENT = {
    "a tile more": ("a box for two", lambda head: head["turn"].update(tiles=5)),
    "one die": ("a box of five", lambda head: head["turn"].update(one=False)),
    "another feel": ("traps", lambda head: head["turn"]["chances"][0].__setitem__(0, [1, 3])),
    "a trip": ("traps alone", lambda head: head["turn"]["trips"][2].__setitem__(0, [1, 40])),
    "a penalty": ("traps, margin", lambda head: head["match"].update(penalty=2)),
    "a box": ("cards of two", lambda head: head["turn"]["scores"][0].__setitem__(0, 9)),
    "a box of less than nothing": ("cards of two", lambda head: head["turn"]["scores"][0].__setitem__(0, -1)),
    "won at once": ("served, zeros are forced", lambda head: head["turn"].update(wins=[1])),
    "entered after the first throw": ("served", lambda head: head["turn"]["first"][1].__setitem__(0, 4)),
    "zeros": ("zeros are forced", lambda head: head["turn"].update(zeros=True)),
    "an order": ("columns in order", lambda head: head["turn"].update(before=[])),
    "a throw more": ("cards of two", lambda head: head["turn"].update(throws=3)),
    "passes": ("traps", lambda head: head["match"].update(passes=3)),
    "a range": ("ranges, forced", lambda head: head["turn"]["ranges"][1].__setitem__(1, 2)),
    "where a range begins": ("ranges, first", lambda head: head["turn"]["ranges"][1].__setitem__(0, 7)),
    "no ranges": ("ranges, a bonus", lambda head: head["turn"].pop("ranges")),
    "another goal": ("a total, joker", lambda head: head["parameters"].update(goal=4)),
    "played for all points": ("a total", lambda head: head.update(objective="points")),
    "a throw more is saved": ("saved, repeated", lambda head: head["turn"].update(saved=2)),
    "no throws are saved": ("saved, first", lambda head: head["turn"].pop("saved")),
    "a step": ("columns", lambda head: head["turn"]["steps"][1][0].__setitem__(1, 3)),
    "boxes of another column": ("three columns", lambda head: head["turn"]["upper"].reverse()),
    "steps of one column": ("columns", lambda head: head["turn"]["steps"].pop()),
    "one column": ("columns", lambda head: head["turn"].update(upper=[0, 2], steps=[[1, 1], [2, 3]])),
    "how far behind": ("boston, three", lambda head: head["match"].update(rounds=2)),
    "played for the margin": ("one turn each, three", lambda head: head.update(objective="margin")),
    "played for the win": ("battleship, margin", lambda head: head.update(objective="win")),
    "cut, for the margin": ("battleship, margin", lambda head: head.update(cut={"level": 1})),
}


@pytest.mark.parametrize("what", BENT)
def test_other_rules_are_refused(what, proved, checked):
    name, bend = BENT[what]
    first, head, rest = "".join(proved(name)[1].text_parts()).split("\n", 2)
    read = json.loads(head)
    bend(read)
    assert checked(f"{first}\n{json.dumps(read)}\n{rest}")[0] in (1, 2)


def ended_late(head):
    head["turn"]["specials"] = [[[3, 0, 0], [3, 0, 0], "wipe", 0, 1]]
    head["match"]["rounds"] = 2


def exactly(head, **turn):
    head["match"]["finish"] = "exact"
    head["turn"].update(turn)


def thrown(head, effect, least=(0, 0, 0)):
    head["turn"]["specials"] = [[least, [2, 2, 2], effect, 0, 1]]


UNFIT = {  # words that have no part in such a match, or that nothing is proved of: nobody may read them otherwise
    "busts that cost": ("one turn each", lambda head: head["turn"].update(costs=[5]), "busts cannot cost points"),
    "lost scores": ("one turn each", ended_late, "wipes and openings need a match of turn or race"),
    "lowest": ("pig, three", lambda head: head["turn"].update(lowest=True), "turn.lowest does not belong to race"),
    "boxes that win, alone": (
        "joker",
        lambda head: head["turn"].update(wins=[0]),
        "does not belong to objective points",
    ),
    "more boxes than states tell": (
        "zeros are forced",
        lambda head: head["turn"].update(scores=head["turn"]["scores"] * 30),
        "turn.scores",
    ),
    "less for more, two boxes": (
        "ranges, two boxes",
        lambda head: head["turn"]["ranges"][2].__setitem__(1, 0),
        "need turn.ranges that rise",
    ),
    "ranges, two players": (
        "cards of two",
        lambda head: head["turn"].update(ranges=[[0, 0]]),
        "does not belong to objective win",
    ),
    "ranges, not from 0": ("ranges, two boxes", lambda head: head["turn"].update(ranges=[[5, -3]]), "must begin at 0"),
    "ranges, for a goal": (
        "a total",
        lambda head: head["turn"].update(ranges=[[0, 0]]),
        "does not belong to objective reach",
    ),
    "fewer than no throws are saved": ("joker", lambda head: head["turn"].update(saved=-1), "turn.saved = -1"),
    "all throws are saved ones": ("saved, first", lambda head: head["turn"].update(throws=0), "turn.throws = 0"),
    "a box by a word": ("in order, bonus", lambda head: head["turn"].update(upper=["0"]), "turn.upper"),
    "a box that is none": ("in order, bonus", lambda head: head["turn"].update(upper=[None]), "turn.upper"),
    "a word for no": ("boston", lambda head: head["turn"].update(stays="no"), "turn.stays"),
    "other turns": (
        "boston",
        lambda head: head["match"].update(kind="frames", frames=3),
        "a match of frames cannot have|unknown key|missing|at most",
    ),
    "a level, for three": (
        "one turn each, three",
        lambda head: head.update(cut={"level": 1000}),
        "unknown key 'level'",
    ),
    "a level, no sets": ("battleship, turns", lambda head: head.update(cut={"level": 10}), "does not belong"),
    "a tie below none": ("pig, three", lambda head: head.update(tie="-1"), "tie must not be below 0"),
    "a level, last round": ("a last round", lambda head: head["cut"].update(level=1), "must not be below the target"),
    "exact, with more in hand": (
        "pig, three",
        lambda head: exactly(head, above=3),
        "cannot be combined with turn.above",
    ),
    "exact, of a crew": ("battleship, turns", exactly, "finish = exact needs turns of sets"),
    "exact, past the target": (
        "pig, three",
        lambda head: (exactly(head), head.update(cut={"past": 5})),
        "cannot be combined with cut.past",
    ),
    "a target of nothing": ("pig, three", lambda head: head["match"].update(target=0), "match.target = 0"),
    "busts that bring points": ("pig, three", lambda head: head["turn"].update(costs=[-5]), "turn.costs"),
    "stop with all aside": ("pig, three", lambda head: head["turn"].update(stop="all"), "stop = all needs hot = none"),
    "an effect that is none": ("one turn each", lambda head: thrown(head, "vanish"), "turn.specials"),
    "an effect that is a number": ("one turn each", lambda head: thrown(head, 0), "turn.specials"),
    "faces by a word": ("one turn each", lambda head: thrown(head, "bust", {}), "turn.specials"),
    "a throw that wins a margin": (
        "one turn each, three",
        lambda head: (thrown(head, "win"), head.update(objective="margin")),
        "cannot win the game for objective margin",
    ),
    "a joker of less than nothing": ("joker", lambda head: head["turn"]["full"][0].__setitem__(0, -1), "turn.full"),
    "a bonus of less than nothing": ("joker", lambda head: head["turn"].update(bonus=-1), "turn.bonus = -1"),
    "boxes that win by no throw": ("cards of two", lambda head: head["turn"].update(wins=[0]), "need turn.first"),
    "another board": ("traps", lambda head: head["match"].update(board=[1, 1, 1]), "does not begin in state"),
    "more turns": ("battleship, reach", lambda head: head["parameters"].update(turns=4), "does not begin in state"),
    "a seat more": ("boston", lambda head: head["begins"].append(0), "does not begin in state"),
}


@pytest.mark.parametrize("what", UNFIT)
def test_checker_refuses_misplaced_header_entries(what, proved, checked):
    name, bend, why = UNFIT[what]
    first, head, rest = "".join(proved(name)[1].text_parts()).split("\n", 2)
    read = json.loads(head)
    bend(read)
    status, said = checked(f"{first}\n{json.dumps(read)}\n{rest}")
    assert (status, bool(re.search(why, said))) == (2, True), said


@pytest.mark.parametrize(
    ("name", "bend", "line"),
    [  # one die of two faces, whose mean is 8 of 4 at most; a piece that holds twice as often as it is touched
        (
            "joker",
            lambda turn, problem: turn.update(
                {"dice": 1, "weights": [-1, 2], "throws": 1, "scores": [[0, 4]], "full": [[0, 4]], "own": [-1, -1]},
                again=-1,
            ),
            "0,0,0 10 10",
        ),
        (
            "traps alone",
            lambda turn, problem: (
                turn.update(trips=[[[-1, 1]]] * 3, chances=[[[1, 1]]] * 3),
                problem.update(board=[0, 0, 1], last=0, passes=0),
            ),
            "0,0,1,0,0 4 4",
        ),
    ],
)
def test_chances_below_none_make_no_means(name, bend, line, proved, checked):
    """A die that falls in less than no ways: lines may hold that are above all that there is."""
    first, head, _ = "".join(proved(name)[1].text_parts()).split("\n", 2)
    read = json.loads(head)
    bend(read["turn"], read["match"])
    read |= {"bits": 1, "begins": [*map(int, line.split()[0].split(","))]}
    status, said = checked(f"{first}\n{json.dumps(read)}\nblock\n{line}\nend 1\n")
    assert (status, " must be list" in said) == (2, True), said


def test_verify_checks_the_tie_of_stored_play(proved, checked, tmp_path):
    """Lines that hold if the play told closer choices apart than it does are of another play."""
    file = tmp_path / "told.cert"
    first, head, rest = "".join(proved("pig, three")[1].text_parts()).split("\n", 2)
    for change, same in ({}, True), ({"tie": "0"}, False), ({"bits": 10**9}, False), ({"bits": -(10**30)}, False):
        text = f"{first}\n{json.dumps({**json.loads(head), **change})}\n{rest}"
        file.write_text(text)
        assert (find_certified_game(file) is not None) == same
        assert checked(text)[0] == (2 if "bits" in change else 0)


def test_a_turn_of_millions_of_rolls_is_refused(checked):
    """An opening that takes so many rolls to reach cannot be followed within Python's limit on recursion."""
    text = "".join(certify(kw.solve(kw.game("pig", target=20))).text_parts())
    status, said = checked(text)
    assert status == 0, said
    status, said = checked(text.replace('"opening": 0', '"opening": 10000000'))
    assert status == 2
    assert "a turn is too long to be checked" in said


def test_goals_below_zero_count_as_reached(proved, checked):
    """Lines that say that it is not are no proof."""
    first, head, _ = "".join(proved("a total, joker")[1].text_parts()).split("\n", 2)
    read = json.loads(head)
    read["parameters"]["goal"], read["bits"] = -1, 2
    read["turn"].update(
        dice=1, weights=[1, 1], throws=1, scores=[[0, 4]], full=[[0, 4]], own=[-1, -1], again=-1, joker="none"
    )
    for numbers, holds in (("-1 1", False), ("3 5", True)):
        status, said = checked(f"{first}\n{json.dumps(read)}\nblock\n0,0,0,0 {numbers}\nend 1\n")
        assert (status, "H5 fails" in said) == (1 - holds, not holds), said


def test_more_lines_than_memory_holds_are_refused(proved, checked, monkeypatch):
    """Counted by their length too: a line may tell hundreds of numbers."""
    text = "".join(proved("boston")[1].text_parts())
    *others, last = (100 + len(line) for line in text.splitlines(keepends=True) if line[0].isdigit())
    for room, status in ((sum(others), 2), (sum(others) + last, 0)):
        monkeypatch.setattr(keepwise_check, "BYTES_OF_LINES", room)
        assert checked(text)[0] == status


@pytest.mark.patient
@pytest.mark.parametrize("game", ["yahtzee", "double-cameroon"])
def test_cards_that_are_sold_hold_before_the_checker(game, checked):
    solution = kw.solve(game, "points")
    certificate = certify(solution)
    assert certificate.max_gap < 1e-12
    assert certificate.max_error <= solution.error_bound
    status, said = checked("".join(certificate.text_parts()), "--sample", "3")
    assert status == 0, said


def test_certify_refuses_ties_of_tiny_chances():
    """Who can still win, by a chance that is rounded to 0, plays for it: not what is listed first."""
    odds = {"name": "hardly any"}
    for size, seldom, trip in zip(SIZES, ("3e-7", "1e-7", "2e-7"), ("1e-5", "1e-6", "1e-5"), strict=True):
        often = str(1 - Decimal(seldom))
        odds[size] = {"tight": {"chance": seldom, "trip": trip}, "loose": {"chance": often, "trip": "0"}}
    points = {"large_points": 1, "medium_points": 1, "small_points": 0, "penalty": 8}
    game = kw.game("booby-trap", odds=odds, large=0, medium=1, small=7, **points)
    with pytest.raises(SolveError, match="equally good for the mover differ for the other players"):
        certify(kw.solve(game, "win", 3))


def test_choices_that_tie_for_the_mover_only_are_not_proved():
    with pytest.raises(SolveError, match="equally good for the mover differ for the other players"):
        certify(kw.solve(kw.game("booby-trap", large=2, medium=2, small=2), "margin", 3))


@pytest.mark.parametrize("share", [0, 1 << 30, -1])
def test_turns_that_are_mixed_otherwise_do_not_hold(share, proved, checked):
    """Never the second turn, a little more of it; or nothing is said of it."""
    text = "".join(proved("turns are mixed")[1].text_parts())
    line = next(line for line in text.splitlines() if line.count(" ") == 12)
    *numbers, told, low, high = line.split(" ")
    other = [] if share < 0 else [f"{share and int(told, 16) + share:x}", low, high]
    assert checked(text.replace(line, " ".join([*numbers, *other])))[0] == 1


def test_turns_that_are_mixed_and_taken_over_are_not_proved():
    with pytest.raises(SolveError, match="a player mixes two turns that the next player may take over"):
        certify(kw.solve(own_game({**toys.MIXED, "take_over": "free"}), "win", 3))


@pytest.mark.parametrize("name", ["joker", "cards of two"])
def test_a_card_that_is_compiled_otherwise_is_not_proved(name, monkeypatch):
    """A box that scores a point more, of one throw: of a small card every throw is held against the game as played."""
    solution = kw.solve(*GAMES[name], fresh=True)
    card = solution.problem.card
    scores = card.scores.copy()
    scores[0, 0] += 1
    monkeypatch.setitem(card.__dict__, "scores", scores)
    with pytest.raises(SolveError, match="does not agree with the game as it is played"):
        certify(solution)


@pytest.mark.parametrize("bent", [{"can_pass": False}, {"penalty": 2}, {"is_in_order": True}])
def test_a_board_that_is_compiled_otherwise_is_not_proved(bent, monkeypatch):
    solution = kw.solve(*GAMES["traps, margin"], fresh=True)
    monkeypatch.setattr(solution.problem, "rules", replace(solution.problem.rules, **bent))
    with pytest.raises(SolveError, match="does not agree with the game as it is played"):
        certify(solution)


def test_points_taken_off_beside_turn_points_prove_no_bound(proved, checked):
    """Two dice of two faces: unlike ones lose what is in hand, and the die that is left brings 10. Who stops with one
    point gets 5.25 of a turn that is worth 6.67; that losing costs 100 more, of nothing, does not bound it.
    """
    first, head, _ = "".join(proved("boston, a turn")[1].text_parts()).split("\n", 2)
    read, falls = json.loads(head), [[[2, 0], [2, 0], "same", 1, 1], [[1, 1], [1, 1], "drop", -100, 0]]
    falls += [[[0, 2], [0, 2], "end", 0, 0], [[0, 0], [1, 1], "end", 10, 1]]
    read["turn"].update(dice=[[2, [1, 1]]], groups=[], specials=falls, most=2, stop="free")
    worth = {name: [7, 1] for name in ("[[2], true]", "[[2], false]", "null")} | {"[[1], false]": [10, 1]}
    read.update(bits=2, cut={"level": 1, "worth": worth, "gamma": {"[[1], false]": [10, 1]}})
    status, said = checked(f"{first}\n{json.dumps(read)}\nblock\n0 14 16\nend 1\n")  # between 5 and 5.5
    assert status == 1
    assert "losing the points is worth more than the level" in said


@pytest.mark.parametrize(("level", "holds"), [(89, False), (400, True)])
def test_busts_that_cost_points_are_worth_the_later_value(level, holds, proved, checked):
    """Two dice of two faces: two of the first add 90, unlike ones lose all and leave one die to throw, which ends the
    turn with 100 or busts. After the bust that costs 150 comes one that is free, and worth 43: who loses the points has
    more than the die brings. Cut at 89, as if not, turns would bring 4.64; it is 4.74.
    """
    first, head, _ = "".join(proved("boston, a turn")[1].text_parts()).split("\n", 2)
    falls = [[[0, 1], [0, 1], "bust", 0, 0], [[0, 1], [9, 1], "drop", 0, 0]]
    falls += [[[1, 0], [1, 0], "end", 100, 1], [[2, 0], [2, 0], "same", 90, 1]]
    worth = {"[[1], true]": [50, 1], **{name: [100, 1] for name in ("null", "[[2], true]", "[[2], false]")}}
    read = json.loads(head) | {"objective": "rate", "begins": [1, 0], "bits": 32}
    read["turn"].update(dice=[[2, [1, 1]]], groups=[], specials=falls, most=2, stop="free", costs=[150, 0, 0])
    read["cut"] = {"level": level, "gamma": {"[[1], true]": [100, 1]}, "worth": worth}
    average, more = ((Fraction(550, 116), (0, 7480, 4960)), (Fraction(65, 14), (0, 900, 600)))[not holds]
    near = [Fraction(one, 116 if holds else 14) for one in more]
    read["rate"] = [f"{round(average * 2**32) + one:x}" for one in (-9, 9)]
    ends = [[f"{round(one * 2**32) + wide:x}" for wide in (-99, 99)] if one else ["0", "0"] for one in near]
    lines = "\n".join(f"1,{busts} {' '.join(one)}" for busts, one in enumerate(ends))
    status, said = checked(f"{first}\n{json.dumps(read)}\nblock\n{lines}\nend 3\n")
    assert (status, "losing the points is worth more than the level" in said) == (1 - holds, not holds), said


def test_checker_rounds_the_start_value_outward(proved, checked):
    text = "".join(proved("battleship, a turn")[1].text_parts())
    head = json.loads(text.split("\n")[1])
    low, high = (Fraction(int(one, 16), 2 ** head["bits"]) for one in text.split("\n")[3].split()[1:])
    told = [Fraction(one) for one in re.search(r"from (\S+) to (\S+)", checked(text)[1]).groups()]
    assert low - Fraction(1, 10**14) < told[0] <= low < high <= told[1] < high + Fraction(1, 10**14)


@pytest.mark.slow
def test_a_frame_is_cut_where_stopping_is_best(proved, checked):
    """With a level or a worth that is told too small the cut is refused (T4)."""
    text = "".join(proved("scarney, a frame")[1].text_parts())
    first, head, rest = text.split("\n", 2)
    cut = json.loads(head)["cut"]
    for bent in ({"level": cut["level"] // 2}, {"worth": {}}, {"worth": {**cut["worth"], "[[4], true]": [1, 1]}}):
        status, said = checked(f"{first}\n{json.dumps({**json.loads(head), 'cut': {**cut, **bent}})}\n{rest}")
        assert status == 1
        assert "T4 fails" in said


LENGTHS = [kw.game("pig", target=target) for target in (4, 6, 8, 9)]
LENGTHS += [own_game({**ONES, "target": target, **more}) for target in (4, 7, 9) for more in ({}, {"stop.opening": 3})]


def test_certify_refuses_only_large_games_before_solving(monkeypatch):
    """Before anything is solved, of races of three: only what would be refused on the way."""
    monkeypatch.setattr(turn_walk, "MAX_NODES", 600)
    at_once = 0
    for game in LENGTHS:
        solution = kw.solve(game, "win", 3, fresh=True)
        try:
            check_certifiable(solution.problem)
        except InputError as refused:
            at_once += 1
            with pytest.raises(InputError, match=f"^{refused}$"):
                played_prover.PlayedProver(solution.problem).prove(solution.value_table)
    assert 2 < at_once < len(LENGTHS)


@pytest.mark.parametrize(
    ("game", "objective", "players", "said"),
    [
        (kw.game("pig"), "win", 3, "is too large to be certified under these rules; fewer players, a lower target"),
        (kw.game("farkle"), "win", 3, "is too large to be certified under these rules"),
        (kw.game("booby-trap"), "win", 3, "is too large to be certified under these rules"),
        (kw.load_rules("yatzy", saved_throws=4), "points", None, "is too large to be certified under these rules"),
        (
            kw.game("scarney", double="chips"),
            "chips",
            2,
            "the objective chips with 2 players .* the objectives points, and win for two players",
        ),
    ],
)
def test_check_certifiable_refuses_unsupported_problems(game, objective, players, said):
    with pytest.raises(InputError, match=said):
        check_certifiable(ask(game, objective, players))
