"""Models: walked again with fractions, and, where Storm is installed, solved by it to our values."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import networkx
import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.output.exports.graph import turn_graph
from keepwise.output.exports.models import WRITERS, make_model

UMB = ("umb",) if sys.version_info >= (3, 12) else ()  # umbi writes today's files from Python 3.12 on


def need_umbi():
    if not UMB:
        pytest.skip("umbi needs Python 3.12")
    return pytest.importorskip("umbi")


QUESTIONS = [
    ("pig", {}, "points", {}),
    ("pig", {"target": 15}, "turns", {}),
    ("pig", {"target": 20}, "reach", {"turns": 3}),
    ("5000", {}, "points", {}),
    pytest.param("5000", {"target": 800}, "turns", {}, marks=pytest.mark.slow),
    pytest.param("5000", {"target": 1000, "minimum_on_win": False}, "turns", {}, marks=pytest.mark.slow),
    ("5000", {"target": 600, "finish": "exact"}, "turns", {}),
    ("beartrap", {"target": 1000}, "reach", {"turns": 2}),
    ("battleship", {}, "points", {}),
    ("battleship", {"target": 14}, "turns", {}),
    ("battleship", {}, "reach", {"turns": 2, "goal": 15}),
]


def iterated(process, rounds=4000):
    """Value of the initial state by plain value iteration over the model, as another tool would see it."""
    best = max if process.aim == "max" else min
    goal = process.goal_state
    value = [0.0] * len(process.names)
    if not process.reward:
        value[goal] = 1.0
    order = range(len(value) - 1, -1, -1)
    for _ in range(rounds):
        moved = 0.0
        for state in order:
            if state == goal:
                continue
            found = best(
                float(action.reward) + sum(weight * value[target] for weight, target in action.branches) / action.total
                for action in process.actions[state]
            )
            moved, value[state] = max(moved, abs(found - value[state])), found
        if moved < 1e-13:
            break
    return value[0]


@pytest.mark.cases(fast=2, slow=4)
@pytest.mark.parametrize(("game", "rules", "objective", "parameters"), QUESTIONS)
def test_model_has_our_value(game, rules, objective, parameters):
    solution = kw.solve(kw.game(game, **rules), objective, fresh=True, **parameters)
    process = make_model(solution)
    assert iterated(process) == pytest.approx(solution.value(), abs=1e-9)  # what the iteration stops at, with room
    assert len(set(process.names)) == len(process.names)
    for actions in process.actions:
        assert actions
        assert len({action.name for action in actions}) == len(actions) or len(actions) > 1
        for action in actions:
            assert sum(Fraction(weight, action.total) for weight, _ in action.branches) == 1


@pytest.mark.cases(fast=1, slow=2)
@pytest.mark.parametrize(
    ("game", "rules", "objective"),
    [
        ("pig", {}, "points"),
        ("pig", {"target": 30}, "turns"),
        ("battleship", {"target": 20}, "turns"),
        ("5000", {}, "points"),
    ],
)
def test_chain_of_the_best_policy_has_our_value(game, rules, objective):
    solution = kw.solve(kw.game(game, **rules), objective, fresh=True)
    chain = make_model(solution, "optimal")
    assert all(len(actions) == 1 for actions in chain.actions)
    assert iterated(chain) == pytest.approx(solution.value(), abs=1e-9)


@pytest.mark.cases(fast=1, slow=2)
@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("pig", {"faces": 2, "points": "one", "target": 2}),
        ("pig", {"target": 12}),
        pytest.param("5000", {"target": 600}, marks=pytest.mark.slow),
        ("beartrap", {"target": 300, "opening": 200}),
    ],
)
def test_game_of_two_has_our_value(tmp_path, game, rules):
    """Solved as a stochastic game by plain iteration: player 1 maximises the chance of done, player 2 minimises it."""
    solution = kw.solve(kw.game(game, **rules), "win", fresh=True)
    process = make_model(solution)
    value = [0.0] * len(process.names)
    value[process.goal_state] = 1.0
    for _ in range(5000):
        moved = 0.0
        for state in range(len(value) - 1, -1, -1):
            if state != process.goal_state:
                best = min if process.owners[state] else max
                found = best(
                    sum(weight * value[target] for weight, target in action.branches) / action.total
                    for action in process.actions[state]
                )
                moved, value[state] = max(moved, abs(found - value[state])), found
        if moved < 1e-13:
            break
    assert value[0] == pytest.approx(solution.value(), abs=1e-9)
    if UMB:
        WRITERS["umb"](process, tmp_path / "game.umb", "game")
        read = need_umbi().ats.read(tmp_path / "game.umb")
        assert read.num_players == 2
        assert list(read.state_to_player) == process.owners
    chain = make_model(solution, "optimal")
    assert iterated(chain) == pytest.approx(solution.value(), abs=1e-9)
    with pytest.raises(kw.KeepwiseError, match="cannot describe the objective win for 2 players"):
        solution.model(tmp_path / "game.drn")


@pytest.mark.parametrize(("objective", "rules"), [("points", {}), ("turns", {"target": 40})])
def test_chain_of_a_hold_policy_is_its_evaluation(objective, rules):
    solution = kw.solve(kw.game("pig", **rules), objective, fresh=True)
    chain = make_model(solution, "hold:15")
    assert iterated(chain) == pytest.approx(solution.evaluate("hold:15").value, abs=1e-9)


def test_files_are_written(run, tmp_path):
    for form in ("drn", "prism", *UMB, "graphml", "dot"):
        found = run(f"export pig --objective turns --rule target=10 -o {tmp_path}/m.{form}")
        assert found.status == 0, found.err
        assert (tmp_path / f"m.{form}").stat().st_size > 100
    found = run(f"export pig --objective turns --rule target=10 -o {tmp_path}/m.tra")
    assert found.status == 0
    head = (tmp_path / "m.tra").read_text().splitlines()[0].split()
    assert len(head) == 3
    states = (tmp_path / "m.sta").read_text().splitlines()
    assert len(states) == int(head[0]) + 1
    assert len((tmp_path / "m.names").read_text().splitlines()) == int(head[0])
    drn = (tmp_path / "m.drn").read_text()
    assert "// score=0/turn=0/dice=1/roll=1" in drn
    assert "1/6" in drn


def test_umb_round_trip(tmp_path):
    umbi = need_umbi()
    solution = kw.solve("pig", "points", fresh=True)
    process = make_model(solution)
    WRITERS["umb"](process, tmp_path / "pig.umb", "pig")
    read = umbi.ats.read(tmp_path / "pig.umb")
    assert read.num_states == len(process.names)
    assert read.num_choices == process.choice_count
    assert list(read.initial_states) == [0]


@pytest.mark.slow
def test_turn_graph():
    solution = kw.solve("5000", "points", fresh=True)
    graph = turn_graph(make_model(solution, one_turn=True))
    throws = [node for node, told in graph.nodes(data=True) if told["kind"] == "throw"]
    assert len(throws) > 5
    for throw in throws:
        assert sum(told["chance"] for _, _, told in graph.out_edges(throw, data=True)) == pytest.approx(1)
    assert networkx.has_path(graph, "score=0", "done")


def test_graphml_reads_back(run, tmp_path):
    assert run(f"export pig --objective points -o {tmp_path}/g.graphml").status == 0
    graph = networkx.read_graphml(tmp_path / "g.graphml")
    solution = kw.solve("pig", "points")
    ours = turn_graph(make_model(solution, one_turn=True))
    assert graph.number_of_nodes() == ours.number_of_nodes()


STORM = """
import sys, stormpy
from fractions import Fraction
path, query = sys.argv[1:]
if path.endswith(".prism"):
    program = stormpy.parse_prism_program(path)
    properties = stormpy.parse_properties(query)
    model = stormpy.build_model(program, properties)
elif path.endswith(".umb"):
    model, properties = stormpy.build_model_from_umb(path), stormpy.parse_properties(query)
else:
    model = stormpy.build_model_from_drn[stormpy.Rational](path)
    properties = stormpy.parse_properties(query)
result = stormpy.model_checking(model, properties[0])
print(float(result.get_value(model.initial_states[0])))
"""

QUERIES = {"points": 'R{}=? [F "done"]', "turns": 'R{}=? [F "done"]', "reach": 'P{}=? [F "done"]'}


def storm(path, objective, chain=False):
    aim = "" if chain else {"points": "max", "turns": "min", "reach": "max"}[objective]
    done = subprocess.run(
        [sys.executable, "-c", STORM, str(path), QUERIES[objective].format(aim)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return float(done.stdout.split()[-1])


@pytest.mark.cases(slow=4)
@pytest.mark.parametrize(
    ("game", "objective", "parameters"),
    [
        ("pig", "points", {}),
        ("pig", "reach", {"turns": 4}),
        ("5000", "points", {}),
        ("5000", "reach", {"turns": 1, "goal": 1500}),
        ("battleship", "points", {}),
        ("battleship", "reach", {"turns": 2, "goal": 15}),
        ("battleship", "turns", {}),
        ("pig", "turns", {}),
    ],
)
def test_storm_finds_our_value(tmp_path, game, objective, parameters):
    pytest.importorskip("stormpy")
    solution = kw.solve(game, objective, **parameters)
    process = make_model(solution)
    for form in ("drn", *UMB):
        path = tmp_path / f"model.{form}"
        WRITERS[form](process, path, "ours")
        assert storm(path, objective) == pytest.approx(solution.value(), abs=1e-9)


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize(("game", "objective", "parameters"), [("5000", "points", {}), ("pig", "reach", {"turns": 2})])
def test_storm_reads_our_prism(run, tmp_path, game, objective, parameters):
    pytest.importorskip("stormpy")
    solution = kw.solve(game, objective, **parameters)
    more = " ".join(f"--{key} {value}" for key, value in parameters.items())
    assert run(f"export {game} --objective {objective} {more} -o {tmp_path}/m.prism").status == 0
    assert storm(tmp_path / "m.prism", objective) == pytest.approx(solution.value(), abs=1e-9)


@pytest.mark.cases(fast=1, slow=1)
@pytest.mark.parametrize(
    ("game", "rules"),
    [("farkle", {"hot_dice": "must", "target": 350}), ("farkle", {"hot_dice": "none", "target": 350})],
)
@pytest.mark.parametrize("policy", ["optimal", "hold:300"])
def test_chains_where_dice_must_be_thrown_again(game, rules, policy):
    solution = kw.solve(kw.game(game, **rules), "turns", fresh=True)
    chain = make_model(solution, policy)
    assert all(len(actions) == 1 for actions in chain.actions)
    value = solution.value() if policy == "optimal" else solution.evaluate(policy).value
    assert iterated(chain) == pytest.approx(value, abs=1e-9)


def test_chains_where_limits_are_followed_past_the_target():
    """Who must throw on past the target takes what the policy takes, which is not the best there."""
    dice = {"dice": 2, "faces": 4, "singles": {"1": 1, "2": 3}}
    game = own_game({"name": "must", **dice, "target": 8, "stop.at_least": 2, "then.all": "must"})
    solution = kw.solve(game, "turns", fresh=True)
    chain = make_model(solution, "hold:2")
    assert iterated(chain) == pytest.approx(solution.evaluate("hold:2").value, abs=1e-9)


def test_chain_of_a_limit_beyond_the_best_table():
    solution = kw.solve("pig", "points", fresh=True)
    chain = make_model(solution, "hold:60")
    assert iterated(chain) == pytest.approx(solution.evaluate("hold:60").value, abs=1e-9)


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("rules", [{"finish": "exact"}, {"minimum_on_win": False}])
def test_storm_reads_our_prism_for_a_goal_below_the_target(run, tmp_path, rules):
    pytest.importorskip("stormpy")
    game = kw.game("5000", target=1000, **rules)
    solution = kw.solve(game, "reach", fresh=True, turns=2, goal=900)
    solution.model(tmp_path / "m.prism")
    assert storm(tmp_path / "m.prism", "reach") == pytest.approx(solution.value(), abs=1e-9)
