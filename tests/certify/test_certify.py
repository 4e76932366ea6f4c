"""Certificates: what the pass proves is true of the referee's fractions and holds before the checker, which shares no
code with it; and what is changed in a certificate is refused, or was harmless.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import combined_rules as combined
import numpy as np
import pytest
import toys
from tallies import Reason, skip

import keepwise as kw
import keepwise_check
from keepwise.certify import certify, find_certified_game
from keepwise.certify.transition_prover import OUTWARD_SIGNS, TransitionProver
from keepwise.certify.truncation import FrameEquations, LastRoundRaceModel
from keepwise.certify.whole_turn import FORBIDDEN, IntegerPushTurn
from keepwise.games import own_game
from keepwise.storage.table_files import fingerprint
from keepwise.tables.rebuild import MANIFEST, SHIPPED
from keepwise.turns.push_turn import round_up_to_blocks
from keepwise.util.errors import InputError, SolveError

ALONE = {"points": {}, "turns": {}, "reach": {"turns": 3}}
PIG = ("pig", {"target": 10})


def changed_head(text, change):
    """A certificate with its header changed."""
    first, told, rest = text.split("\n", 2)
    read = json.loads(told)
    change(read)
    return f"{first}\n{json.dumps(read)}\n{rest}"


TOYS = {name: toys.RULES[name] for name in toys.PUSH}
SMALL = combined.SMALL
PAIRED = {**SMALL, "singles": {"1": 1}, "alike": {"2": {"2": 2}}, "target": 4, "then.all": "roll"}
MORE = {  # what no toy says
    "thrown over": {**PAIRED, "alike": {"2": {"2": 2, "then": "must"}}, "then.over": True},
    "opened": {**PAIRED, "take_over": "opened"},
    "left": {**SMALL, "singles": {"1": 1, "2": 3}, "set_aside": "all", "then.leave": ["1"], "target": 6},
    "ends, and goes on": {
        **SMALL,
        "target": 4,
        "special": [{"throw": "11", "points": 1, "then": "end"}, {"throw": "33", "points": 2, "then": "roll"}],
    },
}
SHARED = {"name": "shared", "dice": 1, "faces": 3, "singles": {"1": 1, "2": 2, "3": 3}, "finish": "one_turn_shared"}
MORE["shared, above"] = {**SHARED, "bust": {"above": 5}}
MORE["shared"] = {**SHARED, "dice": 2, "singles": {"1": 1, "2": 2}, "then.all": "end"}
TWO = TOYS | MORE
TAKEN = [rules for name, rules in TOYS.items() if "taken" in name]
OTHER = {  # other rules, whose values are not those of these
    "taken over": (TOYS["taken over, must throw"], {"take_over": "none"}),
    "by who has opened": (MORE["opened"], {"take_over": "free"}),
    "confirmed": (TOYS["run to be confirmed"], {"pattern": toys.RUN}),
    "thrown over": (MORE["thrown over"], {"then.over": False}),
    "may be left": (MORE["left"], {"then.leave": ["2"]}),
    "ends": (MORE["ends, and goes on"], {"special": [{"throw": "33", "points": 2, "then": "roll"}]}),
    "goes on": (MORE["ends, and goes on"], {"special": [{"throw": "11", "points": 1, "then": "end"}]}),
    "lost above": (MORE["shared, above"], {"bust": {"above": 4}}),
    "shared": (MORE["shared"], {"finish": "one_turn"}),
}
BUILT_IN = [
    PIG,
    ("pig", {"faces": 2, "points": "one", "target": 4}),
    ("5000", {"target": 400, "opening": 200, "minimum": 100}),
    ("5000", {"target": 400, "opening": 200, "minimum": 100, "minimum_on_win": False}),
    ("5000", {"target": 350, "opening": 200, "minimum": 100, "finish": "exact"}),
    ("beartrap", {"target": 250, "opening": 100, "finish": "at_least", "five_ones": "points"}),
    ("farkle", {"target": 400, "opening": 200}),
]
LAST = {
    "dice left": {},
    "hot dice must": {"then.all": "must"},
    "wipes": {"special": [{"of": 2, "at_least": 5, "then": "wipe"}]},
    "wins": {"special": [{"of": 2, "groups": [2], "then": "win"}]},
    "busts cost": {"bust": {"costs": [0, 1], "floor": -1}, "target": 2, "then.all": "end"},
    "throws below": {"stop.below": "must", "stop.opening": 2, "stop.at_least": 2},
    "void": {"special": [{"of": 1, "only": "3", "then": "void"}]},
}


def proved(game, objective="win", players=None, **parameters):
    """The certificate of a game solved anew."""
    return certify(kw.solve(game, objective, players, fresh=True, **parameters))


def within(certificate, playable, most=200):
    """Ask the referee, in fractions, whether its values lie between the lines; how many were asked."""
    referee, unit = kw.referee(playable), Fraction(1, 2**certificate.bounds.bits)
    number_of = {tuple(state): number for number, state in enumerate(certificate.states.tolist())}
    begins = [position for position in referee.positions if playable.is_turn_start(position)]
    for position in begins[:most]:
        around = playable.seats_from(playable.player_to_move(position))
        state = [position.scores[seat] for seat in around]
        state += [position.busts[seat] for seat in around] if position.busts else []
        state += [position.turns_left] if playable.objective == "reach" else []
        state += position.offered or (0, 0) if playable.has_takeover else ()
        low, high = certificate.bounds.scaled[:, number_of[tuple(state)]].tolist()
        value = referee.seat_payoffs(position)[playable.player_to_move(position)]
        assert low * unit < value < high * unit, playable.id(position)
    return len(begins)


@pytest.fixture
def holds(checked):
    """Have the checker agree; what it says."""

    def hold(certificate, *words):
        status, said = checked("".join(certificate.text_parts()), *words)
        assert status == 0, said
        return said

    return hold


# --- what is proved holds


@pytest.mark.cases(fast=15)
@pytest.mark.parametrize("rules", TWO.values(), ids=TWO)
def test_toys_of_two_hold_before_the_checker(rules, holds):
    certificate = proved(own_game(rules))
    holds(certificate)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("rules", LAST.values(), ids=LAST)
def test_last_rounds_hold_before_the_checker(rules, checked):
    """Turns have no end, so no fraction is the value: lines are held against the checker, and what is solved."""
    game = own_game(
        {"name": "toy", "dice": 2, "faces": 3, "target": 3, "singles": {"1": 1}, "finish": "last_round"} | rules
    )
    solution = kw.solve(game, fresh=True)
    certificate = certify(solution)
    assert certificate.max_gap < 1e-15
    assert certificate.max_error <= solution.error_bound
    text = "".join(certificate.text_parts())
    status, said = checked(text)
    assert status == 0, said
    assert (
        checked(changed_head(text, lambda told: (told["match"].update(finish="at_least"), told["cut"].clear())))[0] == 1
    )
    assert checked(changed_head(text, lambda told: told["cut"].update(level=told["match"]["target"])))[0] == 1


def test_a_last_round_before_the_referee(checked):
    """With all dice set aside the turn ends, so that it is finite, and has its fraction."""
    rules = {"name": "toy", "dice": 2, "faces": 3, "target": 2, "singles": {"1": 1, "2": 2}, "then.all": "end"}
    certificate = proved(own_game({**rules, "finish": "last_round"}))
    assert within(certificate, kw.playable(own_game({**rules, "finish": "last_round"}), objective="win")) > 4
    assert checked("".join(certificate.text_parts()))[0] == 0


@pytest.mark.patient
def test_a_match_of_scarney_holds_before_the_checker(checked):
    """A frame each, and extra frames: states that lead to each other, and turns that are cut."""
    solution = kw.solve(kw.game("scarney", frames=1), fresh=True)
    certificate = certify(solution)
    assert certificate.max_gap < 1e-14
    assert certificate.max_error <= solution.error_bound
    text = "".join(certificate.text_parts())
    status, said = checked(text, "--sample", "5")
    assert status == 0, said
    assert checked(changed_head(text, lambda told: told["match"].update(frames=2)), "--sample", "5")[0] == 1
    assert checked(changed_head(text, lambda told: told["cut"].update(level=40)), "--sample", "5")[0] == 1


@pytest.mark.checks(share=0.8)
@pytest.mark.cases(fast=34)
@pytest.mark.parametrize("objective", ALONE)
@pytest.mark.parametrize("rules", [one for one in TOYS.values() if one.get("finish") != "one_turn"])
def test_toys_alone_hold_before_the_checker(rules, objective, holds, tally):
    try:
        certificate = proved(own_game(rules), objective, **ALONE[objective])
    except InputError as refused:
        assert objective == "points"
        skip(Reason.UNPROVED, refused)
    holds(certificate)
    tally.add()


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize("features", combined.PAIRS, ids="-".join)
@pytest.mark.parametrize("finish", ["at_least", "exact"])
def test_two_features_together_hold_before_the_checker(features, finish, holds):
    certificate = proved(own_game({**combined.together(*features), "finish": finish}))
    holds(certificate)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("features", [("costs",), ("taken", "rows"), ("taken", "wiped")], ids="-".join)
def test_three_players_hold_before_the_checker(features, holds):
    holds(proved(own_game(combined.together(*features)), players=3))


def test_checker_reads_the_takeover_rule_of_three_players(checked):
    text = "".join(proved(own_game({**combined.together("taken"), "faces": 4, "target": 4}), players=3).text_parts())
    assert checked(text)[0] == 0
    assert checked(changed_head(text, lambda told: told["match"].update(takes="opened")))[0] == 1


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(("game", "rules"), BUILT_IN, ids=str)
def test_games_that_are_known_hold_before_the_checker(game, rules, holds):
    certificate = proved(kw.game(game, **rules))
    assert f"{certificate.state_count:,} of {certificate.state_count:,} states hold" in holds(certificate)


@pytest.mark.cases(fast=13)
@pytest.mark.parametrize(
    "rules",
    [
        own_game(TOYS["wipes by a sum"]),
        own_game(TOYS["costs and stays"]),
        own_game(TOYS["exact, below throws"]),
        own_game({"name": "void", **toys.TWO, "singles": {"1": 1}, "special": [{"throw": "33", "then": "void"}]}),
        kw.game("pig", target=10),
        own_game(TOYS["leave a loaded die"]),
        own_game(TOYS["run to be confirmed"]),
        own_game(MORE["thrown over"]),
        own_game(MORE["ends, and goes on"]),
    ],
    ids=["wipes", "costs", "exact", "void", "pig", "leave", "confirmed", "over", "ends"],
)
@pytest.mark.parametrize("objective", ["win", "turns", "reach"])
def test_the_referees_fractions_lie_between_the_lines(rules, objective):
    parameters = ALONE.get(objective, {})
    certificate = proved(rules, objective, **parameters)
    playable = kw.playable(rules, objective=objective, **parameters)
    assert within(certificate, playable) > 1


@pytest.mark.parametrize("rules", TAKEN, ids=str)
def test_takeover_offers_lie_within_the_referees_bounds(rules, checked):
    """Offers are states by themselves, which are read off the turns of others."""
    game = own_game({**rules, "then.all": "end", "stop.below": "end"})
    certificate = proved(game)
    assert within(certificate, kw.playable(game, objective="win")) > 1
    assert certificate.states[np.concatenate(certificate.bounds.blocks)][:, -1].any()
    assert checked("".join(certificate.text_parts()))[0] == 0


@pytest.mark.parametrize("name", OTHER)
def test_the_values_of_other_rules_are_not_certified(name, checked):
    """Neither by the pass, which finds none or moves them, nor by the checker."""
    right, change = OTHER[name]
    solution, other = (kw.solve(own_game(rules), "win", fresh=True) for rules in (right, {**right, **change}))
    held = solution.value_table.arrays
    wrong = {key: np.resize(one, held[key].shape) for key, one in other.value_table.arrays.items() if key in held}
    held = {**held, **wrong, "scores": held["scores"]} if "scores" in held else {**held, **wrong}
    try:
        off = certify(replace(solution, value_table=replace(solution.value_table, arrays=held))).max_error
    except SolveError:
        off = 1.0
    assert off > 1e-3
    text = "".join(certify(other).text_parts()).split("\n", 2)
    text[1] = "".join(certify(solution).text_parts()).split("\n", 2)[1]
    assert checked("\n".join(text))[0] in (1, 2)


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("game", ["pig", "5000", "beartrap", "farkle"])
def test_points_without_bound_are_cut_where_stopping_is_best(game, checked):
    solution = kw.solve(game, "points")
    certificate = certify(solution)
    assert certificate.max_gap < 1e-13
    assert certificate.max_error <= solution.error_bound
    text = "".join(certificate.text_parts())
    status, said = checked(text)
    assert status == 0, said
    assert checked(changed_head(text, lambda told: told["cut"].update(level=1)))[0] == 1


def test_points_of_a_turn_before_the_referee():
    """Pig to points without bound is stopped at 20 in any case, so a referee who is cut far beyond has the value."""
    certificate, playable = proved(kw.game("pig"), "points"), kw.playable("pig", objective="points")
    low, high = certificate.bounds.scaled[:, 0].tolist()
    value, unit = kw.referee(playable, cut=60).value(playable.start()), Fraction(1, 2**certificate.bounds.bits)
    assert low * unit < value < high * unit


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(
    ("game", "rules"),
    [("5000", {"target": 2000}), ("pig", {}), ("beartrap", {"target": 1500}), ("farkle", {"target": 1500})],
    ids=str,
)
def test_larger_games_hold_before_the_checker(game, rules, holds):
    certificate = proved(kw.game(game, **rules))
    assert certificate.max_gap < 1e-14
    holds(certificate, "--sample", "300")


@pytest.mark.parametrize("game", ["pig", pytest.param("5000", marks=pytest.mark.slow)])
def test_lines_are_narrower_than_the_bound_that_solving_states(game):
    solution = kw.solve(game, "turns")
    assert certify(solution).max_error <= solution.error_bound


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("objective", ["win", "points", "turns"])
@pytest.mark.parametrize("seed", [1, 2])
def test_games_written_in_python_are_proved_but_not_checked(seed, objective, checked):
    with toys.registered():
        solution = kw.solve(kw.game("graph", seed=seed), objective, fresh=True)
        certificate, playable = certify(solution), solution.playable
        low, high = (Fraction(one, 2**certificate.bounds.bits) for one in certificate.bounds.scaled[:, 0].tolist())
        value = kw.referee(playable).seat_payoffs(playable.start())[playable.player_to_move(playable.start())]
        assert low <= value <= high
        assert certificate.max_error <= solution.error_bound
        assert checked("".join(certificate.text_parts()))[0] == 2


def test_a_turn_in_whole_numbers_is_the_turn():
    """Lower and upper turns are 0 or few units apart, and the kernel's lies between, but for its rounding."""
    rng, turn = np.random.default_rng(1), kw.game("5000").data.turn
    lanes, cap = 100, 30  # more than are taken in one step
    payoff = rng.random((turn.special_count + cap + 1, lanes))
    caps = rng.integers(1, cap + 1, lanes)
    whole = np.rint(payoff * 2**60).astype(np.int64)
    ends = [IntegerPushTurn(turn).solve(whole, caps, np.full(lanes, up), 0, 2**60)[0] for up in (0, 1)]
    some = [IntegerPushTurn(turn).solve(whole[:, :9], caps[:9], np.full(9, up), 0, 2**60)[0] for up in (0, 1)]
    full = np.pad(payoff, ((0, 0), (0, round_up_to_blocks(lanes) - lanes)), "edge")[None]
    value = turn.solve(full, np.pad(caps, (0, round_up_to_blocks(lanes) - lanes), "edge").astype(np.int32)).value[
        0, :lanes
    ]
    assert (ends[0] <= ends[1]).all()
    assert (ends[1] - ends[0]).max() < 40
    assert np.abs(ends[0] * 2.0**-60 - value).max() < 1e-14
    assert all((one[:9] == few).all() for one, few in zip(ends, some, strict=True))


def test_amounts_beyond_the_kernel_are_refused():
    turn = kw.game("pig", target=10).data.turn
    payoff = np.full((turn.special_count + 11, 1), 2**61, dtype=np.int64)
    too_much = 2**61 - 2**40  # the sum is a number as a double whose bits are not finite
    with pytest.raises(ValueError, match="more than"):
        IntegerPushTurn(turn).solve(payoff, np.array([10]), np.array([1]), 0, 2**61, gain_past_cap=too_much)


@pytest.mark.parametrize("opening", [0, 2])
def test_last_turns_solved_once_have_the_bounds_of_each(opening, monkeypatch):
    """Last turns with the same deficit and the same least bank are solved once; here all of them are."""
    rules = {"dice": 2, "faces": 3, "target": 6, "singles": {"1": 1}, "finish": "last_round", "stop.opening": opening}
    solution = kw.solve(own_game({"name": "toy", **rules}), "win", fresh=True)
    once = certify(solution).bounds
    monkeypatch.setattr(LastRoundRaceModel, "turn_keys", lambda model, states: None)
    each = certify(solution).bounds
    assert np.array_equal(once.scaled, each.scaled)
    assert all(np.array_equal(*pair) for pair in zip(once.blocks, each.blocks, strict=True))


def test_leads_that_decide_a_match_have_the_bounds_of_each(monkeypatch):
    """Leads that no frame makes up are solved once in each turn of Scarney's match; here all of them are."""
    solution = kw.solve(kw.game("scarney", frames=1), "win", fresh=True)
    once = certify(solution).bounds
    monkeypatch.setattr(FrameEquations, "turn_keys", lambda equations, states: None)
    each = certify(solution).bounds
    assert np.array_equal(once.scaled, each.scaled)
    assert all(np.array_equal(*pair) for pair in zip(once.blocks, each.blocks, strict=True))


def test_weights_of_any_size_are_weighed_truly():
    """The same turn with all weights a thousand million times as large has the same value."""
    rules = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "target": 4}
    plain, large = own_game(rules), own_game({**rules, "weights": [10**9] * 3})
    ends = [proved(one).bounds.scaled for one in (plain, large)]
    assert (ends[0] == ends[1]).all()


def test_wrong_values_are_not_proved():
    """Around values that are a little off lines are found that enclose the true ones; around others, none."""
    solution = kw.solve(kw.game("pig", target=8), fresh=True)
    equations = solution.problem.model
    values = solution.problem.read(solution.value_table, np.arange(equations.state_count))
    right = TransitionProver(equations, values).prove().scaled
    off = (
        TransitionProver(equations, values + np.random.default_rng(1).uniform(-1e-8, 1e-8, len(values))).prove().scaled
    )
    assert (off[0] < right[1]).all()
    assert (right[0] < off[1]).all()
    with pytest.raises(SolveError, match="no useful bounds"):
        TransitionProver(equations, 1 - values).prove()


def test_lines_that_turns_pass_by_a_unit_are_not_proved(monkeypatch):
    """However far apart they are set."""
    solution = kw.solve(kw.game("pig", target=8), fresh=True)

    def turns(prover, block, gaps, more=0):
        passed = prover.values[block.states] + OUTWARD_SIGNS * (gaps + 1)
        return passed[[0, 1, 1]] if more else passed

    monkeypatch.setattr(TransitionProver, "solve_turns", turns)
    with pytest.raises(SolveError, match="no useful bounds"):
        certify(solution)


def test_forbidden_choices_lie_below_all_values(monkeypatch):
    assert FORBIDDEN < -(2**61)
    solution = kw.solve(kw.game("pig", target=8), fresh=True)
    monkeypatch.setattr("keepwise.certify.turn_crosscheck.SAMPLES_PER_EDGE", 0)
    monkeypatch.setattr("keepwise.certify.turn_crosscheck.compiled_outcomes", lambda *told: {})
    with pytest.raises(SolveError, match="does not agree with the game as it is played: pig:win2"):
        certify(solution)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            (kw.game("5000", finish="last_round", target=500), "win", 3),
            "do not support last rounds of three or more players whose turns can go on without end",
        ),
        (
            (own_game({**TOYS["taken over, run"], "finish": "last_round"}), "win"),
            "do not support last rounds with take_over",
        ),
        (
            (own_game({**TOYS["wipes by a sum"], "weights": [10**9, 1, 1]}), "win"),
            "at most 8 digits, not 1000000000",
        ),
        ((own_game({**toys.RULES["joker"], "faces": 2, "weights": [10**8, 1]}), "points"), "at most 8 digits"),
    ],
)
def test_certify_refuses_unsupported_games(question, said):
    with pytest.raises(InputError, match=said):
        certify(kw.solve(*question, fresh=True))


# --- what is changed is refused


@pytest.fixture(scope="module")
def certificate():
    """A small one, with scores that can be lost."""
    return proved(own_game({**TOYS["wipes by a sum"], "target": 3}))


@pytest.fixture(scope="module")
def text(certificate):
    return "".join(certificate.text_parts())


@pytest.fixture(scope="module")
def rich():
    """One of rules of many kinds."""
    return "".join(proved(own_game(TOYS["wipe, again, must"])).text_parts())


RULES = {
    "a weight": lambda head: head["turn"]["dice"][0][1].__setitem__(0, 2),
    "a die more": lambda head: head["turn"]["dice"][0].__setitem__(0, 4),
    "what a set scores": lambda head: head["turn"]["groups"][0].__setitem__(1, 1),
    "a set less": lambda head: head["turn"]["groups"].pop(0),
    "an effect": lambda head: head["turn"]["specials"][0].__setitem__(2, "bust"),
    "the target": lambda head: head["match"].__setitem__("target", 3),
    "a higher target": lambda head: head["match"].__setitem__("target", 5),
    "the finish": lambda head: head["match"].__setitem__("finish", "exact"),
    "the minimum": lambda head: head["turn"].__setitem__("minimum", 3),
    "hot dice": lambda head: head["turn"].__setitem__("hot", "none"),
    "when to stop": lambda head: head["turn"].__setitem__("stop", "all"),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_numbers_of_one_game_are_not_those_of_another(rule, rich, checked):
    status, said = checked(changed_head(rich, RULES[rule]))
    assert status in (1, 2), said
    refused = "finish = exact cannot be combined" if rule == "the finish" else "stop = all needs hot = none"
    assert ("fails" if status == 1 else refused) in said


def test_every_line_counts(text, checked):
    """A lower number above the value, an upper number below it, a line that is not there or is there twice: each of
    them, at any state, is found.
    """
    lines = text.splitlines()
    states = [place for place, line in enumerate(lines) if "," in line and place > 1]
    for place in states:
        name, low, high = lines[place].split()
        for other in (f"{name} {int(high, 16) + 1:x} {high}", f"{name} {low} {int(low, 16) - 1:x}"):
            status, said = checked("\n".join([*lines[:place], other, *lines[place + 1 :], ""]))
            assert status == 1, said
        fewer = [*lines[:place], *lines[place + 1 : -1], f"end {len(states) - 1}", ""]
        assert checked("\n".join(fewer))[0] == 1
        more = [*lines[:place], lines[place], *lines[place:-1], f"end {len(states) + 1}", ""]
        assert checked("\n".join(more))[0] == 1


def test_a_sample_of_more_lines_than_are_kept(text, checked, monkeypatch):
    """They are read again, those only that the sample leads to: what is wrong is found, and no state is missed."""
    monkeypatch.setattr(keepwise_check, "LINES_OF_SAMPLE", 3)
    lines = text.splitlines()
    states = [place for place, line in enumerate(lines) if "," in line and place > 1]
    status, said = checked(text, "--sample", "4")
    assert status == 0, said
    assert re.search(r"sample of \d+ states: all hold; the other \d+ were not checked", said)
    for place in states:
        name, _, high = lines[place].split()
        bent = [*lines[:place], f"{name} {int(high, 16) + 1:x} {high}", *lines[place + 1 :], ""]
        assert checked("\n".join(bent), "--sample", str(len(states)))[0] == 1
        fewer = [*lines[:place], *lines[place + 1 : -1], f"end {len(states) - 1}", ""]
        assert checked("\n".join(fewer), "--sample", str(len(states)))[0] == 1


HOSTILE = {
    "empty": b"",
    "no text": bytes(range(256)),
    "another version": b"keepwise certificate 2\n{}\n",
    "no header": b"keepwise certificate 1\n",
    "header is a list": b"keepwise certificate 1\n[]\n",
    "a deep header": b"keepwise certificate 1\n" + b"[" * 100_000 + b"\n",
    "a long header": b"keepwise certificate 1\n" + b" " * 5_000_000 + b"\n",
    "not a number": b'keepwise certificate 1\n{"players": NaN, "bits": 1}\n',
    "a pickle": b"\x80\x04\x95cos\nsystem\n",
    "packed badly": b"\x1f\x8b\x08\x00 nothing",
    "packed worse": gzip.compress(b"keepwise certificate 1\n")[:10] + b"\xff" * 40,
    "packed, without end": gzip.compress(b"keepwise certificate 1\n" + b"{" * (1 << 26)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line(name, checked, run, tmp_path):
    assert checked(HOSTILE[name])[0] == 2
    file = tmp_path / "hostile.cert"
    file.write_bytes(HOSTILE[name])
    seen = run("verify", str(file))
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert re.search("is not a certificate or a value table|is for a game that this version cannot certify", seen.err)


def test_a_file_that_is_cut_off_is_refused_with_its_line(text, run, tmp_path):
    """Packed or not, wherever it ends."""
    file, packed = tmp_path / "cut.cert", gzip.compress(text.encode())
    for end in range(text.index("\n", text.index("\n") + 1) + 1, len(text), 97):
        file.write_text(text[:end])
        seen = run("verify", str(file))
        assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
        assert f"cannot check {file}: line {text[:end].count(chr(10)) + 1}: the file is cut off here" in seen.err
    for end in (len(packed) - 1, len(packed) - 20):
        file.write_bytes(packed[:end])
        seen = run("verify", str(file))
        assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
        assert re.search(rf"cannot check {file}, read up to line \d+: EOFError", seen.err)


def test_a_game_without_its_fingerprint_is_not_checked(monkeypatch, tmp_path):
    """It may be named with a target of a million."""
    file = tmp_path / "far.cert"
    text = "".join(proved(kw.game("pig", target=10)).text_parts())
    file.write_text(changed_head(text, lambda head: head["rules"].update(target=10**6)))
    monkeypatch.setattr("keepwise.certify.problem_from_key", None)
    assert find_certified_game(file) is None


def test_verify_reports_a_missing_certificate(refused, tmp_path):
    refused("cannot read nowhere.cert: file not found", "verify nowhere.cert")
    refused(f"cannot read {tmp_path}: it is a folder", "verify", str(tmp_path))


LARGE = {
    "dice": lambda head: head["turn"]["dice"][0].__setitem__(0, 10**8),
    "negative dice": lambda head: head["turn"]["dice"][0].__setitem__(0, -1),
    "faces": lambda head: head["turn"]["dice"][0].__setitem__(1, [1] * 100_000),
    "faces, one die": lambda head: head["turn"].update(dice=[[1, [1] * 100_000]], groups=[], specials=[]),
    "no faces": lambda head: head["turn"]["dice"][0].__setitem__(1, []),
    "a negative weight": lambda head: head["turn"]["dice"][0][1].__setitem__(0, -1),
    "kinds of dice": lambda head: head["turn"].__setitem__("dice", head["turn"]["dice"] * 50),
    "groups": lambda head: head["turn"].__setitem__("groups", [[[0, 0, 0, 0], 1]]),
    "bits": lambda head: head.__setitem__("bits", 10**8),
    "players": lambda head: head.__setitem__("players", 10**8),
    "a goal without end": lambda head: head["match"].__setitem__("target", 10**8),
    "another key": lambda head: head.__setitem__("more", 1),
    "a missing key": lambda head: head.pop("cut"),
    "another kind": lambda head: head["turn"].__setitem__("kind", "__init__"),
    "another match": lambda head: head["match"].__setitem__("kind", "race_"),
    "text for a number": lambda head: head["turn"].__setitem__("minimum", "1"),
}


@pytest.mark.parametrize("what", LARGE)
def test_hostile_rules_are_refused(what, rich, checked):
    assert checked(changed_head(rich, LARGE[what]))[0] in (1, 2)


def test_forced_rolls_at_the_cut_are_not_taken_as_certain(rich, tmp_path):
    """A throw may take points off, and nowhere is it proved that more of them are never worse."""
    (tmp_path / "it").write_text(rich)
    head, lines, _ = keepwise_check.load(str(tmp_path / "it"), hashlib.sha256(), lambda *_: True)
    checker = keepwise_check.Checker(head, lines)
    checker.turn_value(tuple(head["begins"]))
    low, high = checker.bounds_at_cut(next(iter(checker.modes)), 10**6, False)
    assert (low, high) == (0, -checker.unit)


def test_checker_refuses_duplicate_header_keys(text, checked):
    assert checked(text.replace('{"game"', '{"tie": "0", "game"', 1))[0] == 2


# --- the file and the commands


def test_the_file_is_written_whole_packed_or_not(certificate, text, tmp_path):
    plain, packed = tmp_path / "a.cert", tmp_path / "a.cert.gz"
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert certificate.write(plain) == certificate.write(packed) == digest
    assert plain.read_text() == gzip.decompress(packed.read_bytes()).decode() == text
    before = packed.read_bytes()
    certificate.write(packed)
    assert packed.read_bytes() == before


def test_certify_and_verify(run, tmp_path):
    file = str(tmp_path / "pig.cert.gz")
    seen = run("certify", "pig", "--rule", "target=8", "-o", file)
    assert seen.status == 0
    assert "64 states lie between numbers" not in seen.err
    seen = run("verify", file)
    assert seen.status == 0
    assert re.search(r"(?m)its rules are those of pig:win2:.*\nchecked in \d+\.\d s$", seen.out)
    seen = run("verify", file, "--sample", "3", "--seed", "5")
    assert "were not checked" in seen.out
    told = json.loads(run("certify", "pig", "--rule", "target=8", "-o", file, "--json").out)
    assert told["width"] < 1e-15
    assert told["sha256"] in run("verify", file).out


def test_verify_knows_whose_rules_they_are(run, tmp_path):
    """A certificate that holds, of rules that are not those of the game that it names."""
    file, other = tmp_path / "pig.cert", tmp_path / "other.cert"
    run("certify", "pig", "--rule", "target=8", "-o", str(file))
    for change in (
        lambda head: head["rules"].update(target=9),
        lambda head: head.update(game="beartrap"),
        lambda head: head.update(fingerprint="0" * 16),
    ):
        other.write_text(changed_head(file.read_text(), change))
        seen = run("verify", str(other))
        assert seen.status in (1, 2)
        assert seen.err.startswith("keepwise: ")
        assert seen.err.count("\n") == 1


def test_verify_reports_what_fails(run, tmp_path):
    file = tmp_path / "pig.cert"
    run("certify", "pig", "--rule", "target=8", "-o", str(file))
    file.write_text(changed_head(file.read_text(), lambda head: head["turn"]["dice"][0][1].__setitem__(5, 2)))
    seen = run("verify", str(file))
    assert (seen.status, seen.out) == (1, "")
    assert "fails at" in seen.err
    assert run("verify", str(tmp_path / "none.cert")).status == 2


CERTIFIED = {row["file"]: row for row in json.loads(MANIFEST.read_text()) if "certificate" in row}


QUICK = sorted(
    (file for file, row in CERTIFIED.items() if row["certificate"]["seconds"] < 1 and "cameroon" not in file),
    key=lambda file: CERTIFIED[file]["certificate"]["seconds"],
)


@pytest.mark.cases(fast=1, slow=3)  # `make certificates` compares them all
@pytest.mark.parametrize("file", QUICK)
def test_shipped_tables_have_the_certificates_of_the_manifest(file, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = CERTIFIED[file]["certificate"]
    assert run(*told["command"].split()[1:]).status == 0
    (path,) = tmp_path.glob("*.cert.gz")
    text = gzip.decompress(path.read_bytes())
    assert hashlib.sha256(text).hexdigest() == told["sha256"]
    assert "it is the certificate of the shipped table" in run("verify", path.name, "--sample", "1").out
    path.write_bytes(text.replace(b'"engine": "', b'"engine": "not '))
    assert (
        f"the certificate of the shipped table is a different one: sha256 {told['sha256']}"
        in run("verify", path.name, "--sample", "1").out
    )


def test_manifest_lists_certificates_with_their_bounds():
    """Narrow enough, and no stated bound is too small."""
    shipped = {row["file"] for row in json.loads(MANIFEST.read_text())}
    assert len(shipped) == len(SHIPPED)
    assert {file.partition("-win-")[0] for file in shipped - set(CERTIFIED)} == {"zombie-dice"}  # no certificate yet
    for row in CERTIFIED.values():
        assert row["certificate"]["width"] <= 1e-12
        assert row["certificate"]["off"] <= row["error_bound"]


@pytest.mark.parametrize(
    "line",
    [
        "certify scarney --objective chips --rule double=chips -o x",
        "certify yahtzee --objective reach --goal 200 -o x",
        "certify pig",
    ],
)
def test_certify_refuses_unsupported_games_in_one_line(line, run):
    seen = run(line)
    assert seen.status == 2
    assert seen.err.count("\n") == 1


def test_checker_imports_only_the_standard_library():
    """Plain Python and the standard library; it knows nothing of the package."""
    source = Path(keepwise_check.__file__).read_text()
    assert not any(word in source for word in ("eval(", "exec(", "pickle", "__import__", "numpy", "import keepwise"))


def test_checker_explains_unreadable_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cert").write_text('keepwise certificate 1\n{"game": }\nend 0\n')
    (tmp_path / "folder").mkdir()
    for words, says in (
        (["nowhere"], "cannot check nowhere: file not found"),
        (["folder"], "cannot check folder: it is a folder, not a file"),
        (["a.cert"], "cannot check a.cert: the header is not JSON"),
        (["a.cert", "--blocks", "x"], "argument --blocks: 'x' is not A-B, for example 3-7"),
        (["a.cert", "--sample", "0"], "argument --sample: '0' is not a whole number of at least 1"),
        (["a.cert", "--sample", "2", "--blocks", "1-2"], "--sample cannot be combined with --blocks"),
    ):
        with pytest.raises(SystemExit, match="2"):
            keepwise_check.main(words)
        assert capsys.readouterr().err == f"keepwise-check: {says}\n"


@pytest.mark.parametrize(
    ("key", "value"),
    [("parameters", {"goal": None}), ("parameters", {"goal": None, "turns": None}), ("rules", {"target": 6})],
)
def test_verify_refuses_changed_rules_in_the_header(tmp_path, run, key, value):
    """The checker knows no game: what the header says of one is held against it by ``verify``."""
    file, text = tmp_path / "a.cert", "".join(certify(kw.solve(kw.game("pig", target=6))).text_parts())
    assert json.loads(text.splitlines()[1])[key] != value
    first, head, *rest = text.splitlines()
    bent = {**json.loads(head), key: value}
    bent["fingerprint"] = fingerprint(
        {one: bent[one] for one in ("game", "objective", "players", "parameters", "rules")}
    )
    file.write_text("\n".join([first, json.dumps(bent), *rest, ""]))
    seen = run("verify", str(file))
    unknown = key == "parameters"
    assert (seen.status, seen.out, seen.err.count("\n")) == (2 if unknown else 1, "", 1)
    not_its_rules = "its rules or its start differ from those of the game that it names"
    assert ("parameters.goal = null: does not belong" if unknown else not_its_rules) in seen.err
