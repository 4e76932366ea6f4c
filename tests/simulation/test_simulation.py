"""Simulated games: held against a plain loop over the game as it is played, exact values, and exact chains."""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from command_lines import CARD

import keepwise as kw
from keepwise.answers.positions import BestPlay, gain_sign, seat_values_of
from keepwise.games.rulefile.loader import load_rules
from keepwise.policies.registry import MISTAKE_SHARES as GRADES
from keepwise.policies.registry import PolicyContext, to_named_policy
from keepwise.quiz.questions import make_quiz
from keepwise.simulation import games, make_seat_player, plan_simulation
from keepwise.simulation.grades import GAMES, SEED, MistakeTrials
from keepwise.simulation.players import Adviser, make_player
from keepwise.simulation.seats import OptimalPlayer, softmax_weights
from keepwise.solvers import make_problem
from keepwise.util.errors import InputError, SolveError
from keepwise.util.histogram import histogram


def seat_of(solution, policy):
    """Return the player of a policy by its name."""
    return make_seat_player(solution, to_named_policy(policy, PolicyContext(solution.playable)))


BOARD = {"large": 2, "medium": 2, "small": 2}

# game, rules, objective, players: every family and kind of ending, small
QUESTIONS = [
    ("pig", {"target": 30}, "win", 2),
    ("pig", {}, "turns", None),
    ("pig", {}, "points", None),
    ("5000", {"target": 1200}, "win", 2),
    ("5000", {"target": 1000, "finish": "exact"}, "turns", None),
    ("5000", {"target": 800, "finish": "last_round"}, "win", 2),
    ("farkle", {"hot_dice": "must", "target": 1000}, "turns", None),
    ("beartrap", {"target": 800}, "win", 2),
    ("scarney", {}, "points", None),
    ("scarney", {"frames": 1}, "win", 2),
    ("battleship", {"rounds": 2}, "win", 2),
    ("battleship", {"rounds": 1}, "win", 3),
    ("battleship", {"target": 20}, "turns", None),
    ("boston", {}, "win", 3),
    ("multiplication", {}, "points", None),
    ("hearts-due", {"target": 40}, "win", 2),
    ("booby-trap", BOARD, "win", 2),
    ("booby-trap", BOARD, "margin", 2),
    ("shut-the-box", {"tiles": 5}, "points", None),
    ("shut-the-box", {"tiles": 3}, "win", 2),
]


def solved(game, rules, objective, players):
    return kw.solve(kw.game(game, **rules), objective, players)


def name(question):
    game, rules, objective, players = question
    return "-".join(map(str, (game, *rules.values(), objective, players or 1)))


def plain_game(solution, seed, number, decide):
    """Game ``number`` of a seed, by the table alone: outcome, luck by seat, and the turns."""
    playable, sign = solution.playable, gain_sign(solution.problem)
    position, step, turns, luck = playable.start(), 0, 0, np.zeros(playable.players)

    def worth(one):
        return seat_values_of(solution.problem, solution.value_table, [one]).values[0]

    while playable.stage(position) != "over":
        if playable.stage(position) == "throw":
            falls = list(playable.rolls(position))
            total, draw, passed = sum(weight for weight, _ in falls), games.random_block(seed, 0, 0, step, 0)[number], 0
            before = worth(position)
            for place in range(len(falls)):
                passed += falls[place][0]
                if draw < passed / total:
                    break
            position, step = falls[place][1], step + 1
            luck += sign * (worth(position) - before)
        else:
            position = decide(position).after
            if playable.is_turn_start(position) or playable.stage(position) == "over":
                turns += 1
    return [float(share) for share in playable.payoffs(position)], luck, turns


@pytest.mark.cases(fast=5)
@pytest.mark.parametrize("question", QUESTIONS, ids=name)
def test_a_game_is_the_game_as_it_is_played(question):
    """The same dice, thrown one by one at the table by a plain loop, bring the same game."""
    solution = solved(*question)
    found = solution.simulate(games=40, seed=5).played
    best = BestPlay(solution)
    for number in (39,):
        outcome, luck, turns = plain_game(solution, 5, number, best)
        if question[2] != "turns":
            assert found.outcome[number].tolist() == [gain_sign(solution.problem) * share for share in outcome]
        assert found.turns[number].sum() == turns
        assert np.abs(found.luck[number] - luck).max() <= 100 * solution.error_bound + 1e-12


@pytest.mark.cases(fast=5)
@pytest.mark.parametrize("question", QUESTIONS, ids=name)
def test_best_players_come_to_the_solved_value(question):
    """Means within four standard errors; and the identity of luck and errors, game by game."""
    solution = solved(*question)
    found = solution.simulate(games=100, seed=2)
    agree(solution, found)
    assert all(seat.errors.mean == 0 for seat in found.seats)


def agree(solution, found):
    sign = gain_sign(solution.problem)
    starts = np.array([seat.start for seat in found.seats])
    for seat in found.seats:
        assert abs(seat.outcome.mean - seat.start) <= 4 * seat.outcome.se + 1e-12
        assert abs(seat.luck.mean) <= 4 * seat.luck.se + 1e-9
    played = found.played
    told = sign * starts + played.luck - played.errors + played.others
    assert np.abs(sign * played.outcome - told).max() <= 1e-9 * (1 + np.abs(starts).max())


@pytest.mark.slow
def test_a_card_from_a_file(tmp_path):
    (tmp_path / "card.toml").write_text(CARD)
    solution = kw.solve(load_rules(str(tmp_path / "card.toml")), "points")
    found = solution.simulate(games=300, seed=2)
    agree(solution, found)
    outcome, luck, turns = plain_game(solution, 2, 39, BestPlay(solution))
    assert found.played.outcome[39].tolist() == outcome
    assert found.played.luck[39] == pytest.approx(luck, abs=1e-9)
    assert found.played.turns[39].sum() == turns


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    ("game", "rules", "objective", "policy"),
    [
        ("pig", {"target": 30}, "win", "hold:5"),
        ("5000", {"target": 1000}, "win", "hold:300"),
        ("5000", {}, "points", "hold:3=400,2=300"),
        ("pig", {}, "turns", "hold:20"),
        ("battleship", {"rounds": 2}, "win", "source"),
        ("battleship", {}, "points", "above-seven"),
    ],
)
def test_policies_come_to_their_exact_value(game, rules, objective, policy):
    """Freed of luck, the mean of few games is near what ``evaluate`` says."""
    solution = solved(game, rules, objective, None)
    seat = solution.simulate(policy, games=600, seed=3).seats[0]
    exact = solution.evaluate(policy).value
    sign = -1 if objective == "turns" else 1
    assert abs(seat.outcome.mean - exact) <= 4 * seat.outcome.se
    assert abs(sign * (exact - seat.start) + seat.errors.mean - seat.others.mean) <= 4 * seat.errors.se


@pytest.mark.slow
def test_best_player_of_another_objective_follows_its_advice():
    """Another objective's best player decides as that solution advises."""
    solution, points = solved("battleship", {"rounds": 2}, "win", 2), kw.solve("battleship", "points")

    def by_hand(position):
        told = {
            key: value for key, value in solution.playable.to_dict(position).items() if key in ("cast", "kept", "roll")
        }
        return points.advise(**told).best.action

    mine, theirs = (solution.simulate(policy, games=50).played for policy in ("best:points", by_hand))
    assert np.array_equal(mine.outcome, theirs.outcome)
    assert np.array_equal(mine.errors, theirs.errors)
    sheet = solution.simulate("sheet", games=50).played
    assert np.array_equal(mine.errors, sheet.errors)


@pytest.mark.slow
def test_a_game_does_not_depend_on_how_many_are_played(monkeypatch):
    solution = solved("pig", {"target": 15}, "win", 2)
    many = solution.simulate("average", games=1500, seed=9).played
    few = solution.simulate("average", games=100, seed=9).played
    assert np.array_equal(many.outcome[:100], few.outcome)
    assert np.array_equal(many.luck[:100], few.luck)
    monkeypatch.setattr(games, "MAX_STORED_NUMBERS", 12_000)
    monkeypatch.setattr(games, "FIRST_PART_GAMES", 60)
    again = solution.simulate("average", games=100, seed=9).played
    assert np.array_equal(again.outcome, few.outcome)
    assert np.array_equal(again.errors, few.errors)
    assert not np.array_equal(solution.simulate(games=100, seed=10).played.turns, few.turns)


SHARED = """
import os, keepwise as kw
from dataclasses import fields
from keepwise.util.errors import SolveError
from keepwise.simulation import games, grades, processes

grades.announce_cost = lambda *_, **__: None  # whether it prints anything depends on the clock
received, receive = [], processes.receive_games
processes.receive_games = lambda connection: received.append(connection) or receive(connection)
solution = kw.solve(kw.game("pig", target=20))
alone, two, three = (solution.simulate("average", games=1600, seed=4, threads=one).played for one in (1, 2, 3))
assert len(received) == 1 + 2
for field in fields(games.Games):
    told = [getattr(one, field.name).tobytes() for one in (alone, two, three)]
    assert told[0] == told[1] == told[2], field.name
solution.simulate(lambda position: solution.advise(position).best.action, games=1000, threads=2)
assert len(received) == 3, "functions stay in their own process"

def fail(self, count, progress=None, begin=0):
    if begin:
        raise SolveError("a game is not over")
    return play(self, count)

def die(self, count, progress=None, begin=0):
    if begin:
        os._exit(9)
    return play(self, count)

play = games.LockstepGames.play
for games.LockstepGames.play, kind in ((fail, SolveError), (die, MemoryError)):
    try:
        solution.simulate(games=1600, threads=2)
    except kind:
        continue
    raise AssertionError(kind)
print("shared")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="one process plays everything elsewhere")
def test_games_do_not_depend_on_how_many_processes_share_them():
    """In a process of its own: tests have threads. What goes wrong in a helper goes wrong here."""
    done = subprocess.run([sys.executable, "-c", SHARED], capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.stderr) == ("shared\n", "")


@pytest.mark.slow
def test_the_same_games_on_every_machine():
    """Seen on x86-64 with NumPy 2; every machine and every later version must come to the same."""
    raw = games.random_block(1, 0, 0, 0, 0)
    assert raw[:2].tolist() == GOLDEN_DRAWS
    played = kw.simulate(kw.game("pig", target=20), ["hold:5", "weak"], games=500, seed=1).played
    assert hashlib.sha256(played.turns.astype("<i8").tobytes()).hexdigest()[:16] == GOLDEN_GAMES


GOLDEN_DRAWS = [0.3035680343067586, 0.8487087496857769]
GOLDEN_GAMES = "a846ce34e18e2139"


RULE_FILE = """name = "ours"
dice = 2
target = 300
then.all = "must"
[singles]
1 = 100
5 = 50
[[special]]
throw = "66"
then = "wipe"
[[special]]
throw = "11"
then = "win"
[[special]]
throw = "22"
then = "must"
points = 150
"""


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    ("game", "rules", "objective"),
    [
        ("5000", {"target": 1000}, "win"),
        ("5000", {"target": 1000, "finish": "exact"}, "win"),
        ("5000", {"target": 800, "finish": "last_round"}, "win"),
        ("5000", {"minimum_on_win": False, "target": 1000}, "turns"),
        ("5000", {}, "points"),
        ("ours", {}, "win"),
        ("ours", {}, "turns"),
        ("ours", {}, "points"),
    ],
)
def test_values_of_turn_cells_equal_their_positions(tmp_path, game, rules, objective):
    """``inside`` and ``worth``, in bits where both read the same lane."""
    if game == "ours":
        file = tmp_path / "ours.toml"
        file.write_text(RULE_FILE)
        solution = kw.solve(load_rules(str(file)), objective)
    else:
        solution = solved(game, rules, objective, None)
    play = games.LockstepGames(solution, [OptimalPlayer()] * solution.problem.players, 4)
    play.play(200)
    turns, seen = play.turns, 0
    for number in range(0, len(turns.starts), max(1, len(turns.starts) // 20)):
        if turns.is_terminal.entries[number]:
            continue
        graph = turns.graphs[turns.graph_of.entries[turns.root.entries[number]]]
        offset = int(turns.first_cell.entries[number])
        places = [place for place in range(len(graph.targets)) if not np.isnan(turns.values.entries[offset + place, 0])]
        reached = turns.positions_after(np.full(len(places), number), [graph.targets[place] for place in places])
        exact = seat_values_of(solution.problem, solution.value_table, reached).values
        if objective == "turns":
            exact = exact + np.array([isinstance(graph.targets[place], tuple) for place in places])[:, None]
        cells = turns.values.entries[offset + np.array(places)]
        assert np.abs(cells - exact).max() <= 2 * solution.error_bound
        seen += len(places)
    assert seen > 20


def test_luck_of_three_players_adds_up_to_zero():
    """Three players: what everybody gains and loses adds up to nothing."""
    played = kw.simulate(kw.game("battleship", rounds=1), ["source"], players=3, games=100).played
    assert np.abs(played.luck.sum(axis=1)).max() < 1e-9
    assert np.abs(played.others.sum(axis=1) - played.errors.sum(axis=1)).max() < 1e-9


# --- opponents that make mistakes


@pytest.mark.slow
@pytest.mark.parametrize(
    "grade", ["weak", *(pytest.param(one, marks=pytest.mark.slow) for one in ("strong", "loses:0.1"))]
)
def test_graded_players_have_the_stated_mean_loss(grade):
    """The mean loss of a decision, exactly: the chain that a graded player makes of Battleship, solved as equations."""
    solution = kw.solve("battleship", "points")
    player = seat_of(solution, grade)
    blind = exact_loss(solution, math.inf)
    wanted = GRADES[grade] * blind if grade in GRADES else 0.1
    assert exact_loss(solution, player.temperature) == pytest.approx(wanted, rel=0.05)


def exact_loss(solution, temperature):
    playable = solution.playable
    states, todo, rows = {playable.start(): 0}, [playable.start()], []
    while todo:
        position = todo.pop()
        count, lost, follows = 0, 0.0, []
        if playable.stage(position) == "throw":
            falls = list(playable.rolls(position))
            follows = [(weight / sum(one for one, _ in falls), after) for weight, after in falls]
        else:
            choices = solution.advise(position).choices
            losses = np.array([[choice.certain_loss for choice in choices]])
            weights = softmax_weights(losses, temperature)[0] / softmax_weights(losses, temperature).sum()
            count, lost = int(len(choices) > 1), float((weights * losses[0]).sum())
            follows = list(zip(weights.tolist(), [choice.after for choice in choices], strict=True))
        here = states[position]
        for chance, after in follows:
            if playable.stage(after) == "over":
                continue
            if after not in states:
                states[after] = len(states)
                todo.append(after)
            rows.append((here, states[after], chance))
        rows.append((here, -1, count))
        rows.append((here, -2, lost))
    chain, reward = np.eye(len(states)), np.zeros((len(states), 2))
    for here, there, amount in rows:
        if there >= 0:
            chain[here, there] -= amount
        else:
            reward[here, there] += amount
    count, lost = np.linalg.solve(chain, reward)[0][[1, 0]]
    return lost / count


@pytest.mark.slow
def test_grades_hold_with_other_dice():
    solution = kw.solve("5000", "points")
    for grade, share in GRADES.items():
        player = seat_of(solution, grade)
        blind = MistakeTrials(solution, 4000, 77).loss(math.inf)
        found = MistakeTrials(solution, 4000, 78).loss(player.temperature)
        assert found == pytest.approx(share * blind, rel=0.1)  # both are means: the exact check stands above


@pytest.mark.slow
def test_graded_players_sit_at_the_table():
    """They lose something, less than anybody, and the same position brings the same choice."""
    solution = solved("pig", {"target": 20}, "win", 2)
    adviser = Adviser(solution.playable)
    player, wanted = make_player("loses:0.01", adviser), 0.01
    asked = [solution.playable.from_id(one.id) for one in make_quiz(solution, "weak", count=400, games=400)]
    lost = []
    for position in asked:
        made = player(position)
        assert made == player(position)
        lost.append(next(one.loss for one in solution.advise(position).choices if one.action == made.action))
    everybody = [sum(one.loss for one in solution.advise(position).choices) / 2 for position in asked]
    assert 0 < np.mean(lost) < np.mean(everybody)
    assert sum(loss > 0 for loss in lost) > 10
    trials = MistakeTrials(solution, GAMES, SEED)
    assert trials.loss(seat_of(solution, "loses:0.01").temperature) == pytest.approx(wanted, rel=0.05)
    assert make_player("weak", adviser)(asked[0]) in solution.playable.choices(asked[0])


@pytest.mark.slow
def test_how_large_mistakes_are_is_measured_once(monkeypatch, own_cache, caplog):
    """The second time nothing is played; a file that is damaged, or another question, is measured anew."""
    solution = solved("pig", {"target": 20}, "win", 2)
    first = seat_of(solution, "average").temperature
    (file,) = (own_cache.parent / "grades").iterdir()
    with monkeypatch.context() as patch:
        patch.setattr("keepwise.simulation.grades.MistakeTrials", None)
        assert seat_of(solution, "average").temperature == first
        for other in (lambda: seat_of(solution, "weak"), lambda: seat_of(solution, "loses:0.01")):
            with pytest.raises(TypeError):
                other()
    for damaged in ("{", "[]", "{}", file.read_text().replace(": ", ": -")):
        file.write_text(damaged)
        assert seat_of(solution, "average").temperature == first
    file.unlink()
    file.mkdir()  # where nothing can be kept it is said, and played all the same
    assert seat_of(solution, "average").temperature == first
    assert "the size of mistakes cannot be cached" in caplog.text


def test_weights_halve():
    losses = np.array([[0.0, 1.0, 2.5, 3000.0, np.inf]])
    assert softmax_weights(losses, 1.0)[0].tolist() == pytest.approx([1, 0.5, 2**-2.5, 0, 0], rel=1e-15, abs=0)
    assert softmax_weights(losses, math.inf)[0].tolist() == [1, 1, 1, 1, 0]


# --- what people see


def test_text_json_and_rows(run, tmp_path):
    seen = run("simulate pig --rule target=20 --policy hold:5 --games 50 --seed 3")
    assert seen.status == 0
    assert "hold:5" in seen.out
    assert "NumPy Philox" in seen.out
    told = json.loads(run("simulate pig --rule target=20 --policy hold:5 --games 50 --seed 3 --json").out)
    assert told["seed"] == 3
    assert told["games"] == 50
    assert [seat["policy"] for seat in told["seats"]] == ["hold:5", "best"]
    first = told["seats"][0]
    assert {"wins", "mean", "se", "luck", "luck_se", "errors", "errors_se", "mean_error", "start"} <= first.keys()
    assert first["wins"] == 50 * first["mean"]
    assert sum(count for _, count in told["lengths"]) == 50
    file = tmp_path / "games.csv"
    assert run("simulate", "pig", "--rule", "target=20", "--games", "50", "-o", str(file)).status == 0
    lines = file.read_text().splitlines()
    assert lines[0].startswith("game,outcome0,luck0,errors0")
    assert len(lines) == 51
    frame = kw.simulate(kw.game("pig", target=20), games=50, seed=1).to_frame()
    assert frame["outcome0"].tolist() == [float(line.split(",")[1]) for line in lines[1:]]


@pytest.mark.cases(fast=6)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "pig --policy hold20",
            "unknown policy 'hold20'; did you mean hold:POINTS? Policies of pig: best, best:OBJECTIVE",
        ),
        ("pig --policy hold:x", "hold:x"),
        ("pig --policy best:margin", "unknown objective 'margin' of pig"),
        ("pig --policy loses:much", "use loses:LOSS"),
        ("pig --policy loses:0.5", "at most"),
        ("hearts-due --policy average", "policy average makes mistakes, but no choice costs anything in hearts-due"),
        ("pig --policy loses:2", "policy loses:2: the mean loss of a decision is a probability, so it must be below 1"),
        ("boston --policy average", "policy average makes mistakes, but no choice costs anything in boston"),
        ("--rules generala --policy sheet", "strategy sheets are not available for a scorecard whose points depend"),
        ("hearts-due --policy source", "unknown policy 'source'; policies of hearts-due: best,"),
        ("pig --objective points --policy best --policy best", "expected one policy for each of 1 seats, got 2"),
        ("pig --games 0", "games must be between"),
        ("pig --seed -1", "seed must be between"),
        ("pig -o games.txt", "unknown format 'txt' for rows"),
        ("double-cameroon", "solve it once with keepwise solve double-cameroon"),
    ],
)
def test_simulate_refuses_bad_arguments(refused, words, said):
    refused(said, f"simulate {words}")


def test_a_function_must_answer_with_a_choice():
    """The message names the file, the function and the position, and lists what may be returned."""
    here = (
        f"{re.escape(__file__)}:confused returned 'dance' at pig:win2:[0-9a-f]+/score=0/.*/roll=[2-6]; it must return"
    )
    with pytest.raises(InputError, match=f"{here} a choice, .* from 1 to 2: keep ., bank ."):
        kw.simulate("pig", [confused], games=2)


def confused(position):
    return "dance"


@pytest.mark.parametrize(
    "returned", ["17", "0", "-1", "None", "True", "1.0", "'nonsense'", "''", "object()", "playable.start()"]
)
def test_a_function_in_a_file_must_return_a_choice(run, refused, tmp_path, returned):
    file = tmp_path / "mine.py"
    file.write_text(f"def play(playable, position):\n    return {returned}\n")
    refused(f"{file}:play returned ", "simulate", "pig", "--policy", f"{file}:play", "--games", "2")
    message = run("simulate", "pig", "--policy", f"{file}:play", "--games", "2").err
    assert re.search("returned .* at pig:win2:[0-9a-f]+/score=0/.*; it must return a choice,", message)


@pytest.mark.parametrize("how", ["choice", "choice.action", "1", "solution.advise(position).best"])
def test_a_function_may_return_a_choice_its_words_or_its_number(how):
    """A ranked choice, as advice lists it, is a choice too."""
    solution = kw.solve(kw.game("pig", target=20))

    def first(position):
        choice = solution.playable.choices(position)[0]
        return eval(how, {"choice": choice, "solution": solution, "position": position})

    assert solution.simulate(first, games=2).seats


def test_a_function_in_a_file_plays(run, refused, tmp_path):
    """Banking at once, as at the table: the same games as by the policy that does it."""
    file = tmp_path / "mine.py"
    file.write_text("def bank(playable, position):\n    return 1\n\ndef fails(playable, position):\n    return 1 / 0\n")
    told = [
        json.loads(run("simulate", "pig", "--rule", "target=15", "--policy", policy, "--games", "60", "--json").out)
        for policy in (f"{file}:bank", "hold:0")
    ]
    assert told[0]["seats"][0].pop("policy") == f"{file}:bank"
    assert told[1]["seats"][0].pop("policy") == "hold:0"
    assert told[0]["seats"] == told[1]["seats"]
    refused("does not have a function none", "simulate", "pig", "--policy", f"{file}:none")
    refused("mine.py:fails fails at pig:win2:", "simulate", "pig", "--policy", f"{file}:fails", "--games", "5")
    refused("cannot read nowhere.py: file not found", "simulate", "pig", "--policy", "nowhere.py:x")


def test_simulate_stops_endless_games(monkeypatch):
    monkeypatch.setattr(games, "MAX_ROLLS_PER_GAME", 200)
    with pytest.raises(SolveError, match="not over after 200 rolls"):
        kw.simulate("pig", ["hold:100000"], objective="turns", games=3)


def test_plan_simulation_validates_before_solving():
    with pytest.raises(InputError, match="unknown policy"):
        plan_simulation(make_problem(kw.game("5000", target=4000), "win"), ["hold5"])


def test_histograms_have_few_lines():
    assert histogram({3: 1, 4: 2}) == [("3", 1), ("4", 2)]
    wide = histogram(dict.fromkeys(range(0, 1000, 5), 1))
    assert len(wide) <= 25
    assert sum(count for _, count in wide) == 200
    assert wide[0] == ("0 to 49", 10)


# --- all games, whole


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(
    ("game", "objective", "count"),
    [
        ("pig", "win", 20_000),
        ("5000", "win", 4000),
        ("5000", "points", 20_000),
        ("5000", "turns", 2000),
        ("beartrap", "win", 60),
        ("farkle", "win", 500),
        ("scarney", "win", 200),
        ("scarney", "points", 20_000),
        ("battleship", "win", 2000),
        ("boston", "win", 20_000),
        ("multiplication", "win", 20_000),
        ("hearts-due", "win", 1000),
        ("booby-trap", "win", 500),
        ("booby-trap", "margin", 500),
        ("double-cameroon", "points", 30),
        ("yahtzee", "points", 60),
    ],
)
def test_best_players_of_whole_games_come_to_the_solved_value(game, objective, count):
    solution = kw.solve(game, objective)
    agree(solution, solution.simulate(games=count, seed=11))


@pytest.mark.slow
def test_a_card_has_a_histogram_of_its_points(run):
    """All its games are as long as the card."""
    told = run("simulate double-cameroon --objective points --games 20").out
    bars = told.partition("points of seat 1:\n")[2].splitlines()
    assert "turns:" not in told
    assert round(sum(float(line.partition("%")[0].split()[-1]) for line in bars)) == 100
    assert len(bars) > 3
