"""Certificates of races whose players have rules of their own: they hold, they are true, and changed ones are refused.

The values are those of plain programs that share no code with the package. Their rules are written down apart.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from functools import partial
from itertools import compress, product
from math import prod
from typing import NamedTuple

import pytest
import race_by_value_iteration as pig_reference
from unlike_race_by_value_iteration import (
    SETTLED,
    Player,
    groups_of_5000,
    groups_of_kingdom_come,
    offers_of_pig,
    race_by_value_iteration,
    race_of_many_by_value_iteration,
)

import keepwise as kw
import keepwise_check
from keepwise.certify import Certificate, certify, find_certified_game
from keepwise.solving.solved_problem import SolvedProblem

FAIR = (1, 1, 1, 1, 1, 1)
LUCKY = (6, 1, 2, 3, 4, 6)  # dice of Kingdom Come II, out of 22 and 6
ODD = (4, 1, 4, 1, 4, 1)
TURNS = 100  # more than a game has on average: value iteration stops at changes of SETTLED


def plain_pig():
    return pig_reference.pig_by_value_iteration((12, 9), (6, 8))


def plain_kingdom_come(*dice):
    first, second = (Player(hand, groups_of_kingdom_come(), target=300) for hand in dice)
    return race_by_value_iteration((first, second))


def plain_5000():
    first, second = (
        Player(((5, FAIR),), groups_of_5000(), target, opening, minimum=100)
        for target, opening in ((400, 300), (350, 200))
    )
    return race_by_value_iteration((first, second))


GAMES = {  # each with its plain program
    "pig": (kw.game("pig", target=12, seats={2: {"target": 9, "faces": 8}}), plain_pig),
    "kingdom-come-2": (
        kw.game("kingdom-come-2", target=300, hand="lucky*6", seats={2: {"hand": "odd*6"}}),
        partial(plain_kingdom_come, [(6, LUCKY)], [(6, ODD)]),
    ),
    "dice that differ within a hand": (
        kw.game("kingdom-come-2", target=300, hand="lucky*6", seats={2: {"hand": "odd*2, ordinary*4"}}),
        partial(plain_kingdom_come, [(6, LUCKY)], [(2, ODD), (4, FAIR)]),
    ),
    "5000": (
        kw.game(
            "5000",
            target=400,
            opening=200,
            minimum=100,
            seats={1: {"opening": 300}, 2: {"head_start": 100, "target": 350}},
        ),
        plain_5000,
    ),
}
GRAIN = {"pig": 1, "5000": 50}  # all points are multiples of it


class Proved(NamedTuple):
    """A solved game with its certificate, and the text of its file."""

    solution: SolvedProblem
    certificate: Certificate
    text: str


@pytest.fixture(scope="module")
def proved():
    """Return the certificate of a game by its name."""
    made = {}

    def prove(name):
        if name not in made:
            solution = kw.solve(GAMES[name][0], fresh=True)
            certificate = certify(solution)
            made[name] = Proved(solution, certificate, "".join(certificate.text_parts()))
        return made[name]

    return prove


def bounds_in(text):
    """Return the bounds in a certificate by state, as numbers from 0 to 1."""
    unit = 2.0 ** -json.loads(text.split("\n")[1])["bits"]
    rows = (line.split() for line in text.split("\n")[2:] if "," in line)
    return {tuple(map(int, name.split(","))): (int(low, 16) * unit, int(high, 16) * unit) for name, low, high in rows}


def with_header(text, change):
    """Return a certificate with its header changed."""
    first, header, rest = text.split("\n", 2)
    changed = json.loads(header)
    change(changed)
    return f"{first}\n{json.dumps(changed)}\n{rest}"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if "differ" in name else name for name in GAMES]
)
def test_certificates_enclose_the_values_of_plain_programs(name, proved, checked):
    solution, certificate, text = proved(name)
    status, report = checked(text)
    assert status == 0, report
    assert certificate.max_gap < 1e-15
    assert certificate.max_error <= solution.error_bound
    bounds = bounds_in(text)
    arrays = solution.value_table.arrays
    for seat, plain in enumerate(GAMES[name][1]()):
        own_scores, other_scores = (arrays[f"scores{number + 1}"].tolist() for number in (seat, 1 - seat))
        states = [(mine, theirs, seat) for mine, theirs in product(own_scores, other_scores)]
        assert {state for state in bounds if state[2] == seat} == {*states}
        for state, solved in zip(states, arrays[f"win{seat + 1}"].ravel().tolist(), strict=True):
            low, high = bounds[state]
            assert low - solution.error_bound <= solved <= high + solution.error_bound
            assert low - TURNS * SETTLED <= plain[state[:2]] <= high + TURNS * SETTLED


def test_a_head_start_alone_keeps_the_values_of_like_players(checked):
    """Every state stands twice, once for each seat; what both enclose is what the certificate of Pig encloses."""
    alike = bounds_in("".join(certify(kw.solve(kw.game("pig", target=10), fresh=True)).text_parts()))
    text = "".join(certify(kw.solve(kw.game("pig", target=10, seats={2: {"head_start": 3}}), fresh=True)).text_parts())
    status, report = checked(text)
    assert status == 0, report
    assert "value at the start, (0, 3, 0): from 0.684011468064195" in report
    for (mine, theirs, _), (low, high) in bounds_in(text).items():
        alike_low, alike_high = alike[mine, theirs]
        assert max(low, alike_low) <= min(high, alike_high)


def seat_turn(header, seat):
    """Return the turn of a seat in a header."""
    return header["turn"]["seats"][seat]


def raise_target(header, seat, points):
    """Change the target of a seat."""
    header["match"]["targets"][seat] += points


CHANGES = {
    "seats": lambda header: header["turn"]["seats"].reverse(),
    "seats and targets": lambda header: (header["turn"]["seats"].reverse(), header["match"]["targets"].reverse()),
    "turn of the other seat": lambda header: header["turn"]["seats"].__setitem__(0, seat_turn(header, 1)),
    "higher target": lambda header: raise_target(header, 1, GRAIN[header["game"]]),
    "lower target": lambda header: raise_target(header, 0, -GRAIN[header["game"]]),
    "weight of a face": lambda header: seat_turn(header, 1)["dice"][0][1].__setitem__(0, 3),
    "die more": lambda header: seat_turn(header, 0)["dice"][0].__setitem__(0, seat_turn(header, 0)["dice"][0][0] + 1),
    "points of a set": lambda header: seat_turn(header, 1)["groups"][0].__setitem__(1, 150),
    "opening": lambda header: seat_turn(header, 0).__setitem__("opening", 1000),
    "minimum": lambda header: seat_turn(header, 1).__setitem__("minimum", 1000),
    "finish": lambda header: header["match"].__setitem__("finish", "exact"),
    "players who are alike": lambda header: header.update(
        turn=seat_turn(header, 0),
        match={"kind": "race", "target": header["match"]["targets"][0], "finish": "at_least", "takes": "none"},
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", GRAIN)
def test_the_bounds_of_one_race_are_not_those_of_another(name, change, proved, checked):
    status, report = checked(with_header(proved(name).text, CHANGES[change]))
    assert status in (1, 2), report
    if change != "players who are alike":
        assert "fails" in report


REFUSED = {
    "costs": (lambda header: seat_turn(header, 0).update(costs=[5]), "busts cannot cost points in a match of seats"),
    "crew": (
        lambda header: header["turn"]["seats"].__setitem__(1, {"kind": "crew"}),
        "seat 1 must have a turn of sets",
    ),
    "no kind": (lambda header: header["turn"]["seats"].__setitem__(1, {}), "seat 1 must have a turn of sets"),
    "seats in seats": (
        lambda header: header["turn"]["seats"].__setitem__(0, {"kind": "seats", "seats": []}),
        "seat 0 must have a turn of sets",
    ),
    "one turn": (lambda header: header["turn"]["seats"].pop(), "turn.seats = "),
    "three turns": (
        lambda header: header["turn"]["seats"].append(seat_turn(header, 0)),
        "turn.seats must have an entry for each of the players",
    ),
    "three targets": (
        lambda header: header["match"]["targets"].append(9),
        "targets must have an entry for each of the players",
    ),
    "one target": (lambda header: header["match"]["targets"].pop(), "match.targets = "),
    "last round": (lambda header: header["match"].update(finish="last_round"), "match.finish = "),
    "takes": (lambda header: header["match"].update(takes="free"), "unknown key 'takes' in match"),
    "level": (lambda header: header["cut"].update(level=20), "unknown key 'level' in cut"),
    "objective": (lambda header: header.update(objective="margin"), "does not belong to a match of seats"),
    "players": (lambda header: header.update(players=3), "cannot check"),
    "turn of sets": (lambda header: header.update(turn=seat_turn(header, 0)), "cannot have turns of sets"),
    "race": (lambda header: header["match"].update(kind="race"), "a match of race cannot have turns of seats"),
    "unknown rule": (lambda header: seat_turn(header, 1).update(more=1), "unknown key 'more' in turn"),
    "wrong rule": (lambda header: seat_turn(header, 1).update(most=-1), "turn.most = -1"),
    "no dice": (lambda header: seat_turn(header, 1).update(dice=[[1, [0] * 8]]), "must have a face with a weight"),
    "head start": (lambda header: header["match"].update(head_starts=[1, 0]), "the game does not begin in state"),
    "begins": (lambda header: header.update(begins=[0, 0, 1]), "the game does not begin in state (0, 0, 1)"),
    "scores only": (lambda header: header.update(begins=[0, 0]), "the game does not begin in state (0, 0)"),
    "won already": (
        lambda header: (header["match"].update(head_starts=[0, 9]), header.update(begins=[0, 9, 0])),
        "the head start of seat 1 is not below its target",
    ),
    "endless": (  # no roll is a bust
        lambda header: seat_turn(header, 1)["groups"].append([[1, 0, 0, 0, 0, 0, 0, 0], 1]),
        "H9 fails",
    ),
}


@pytest.mark.parametrize("change", REFUSED)
def test_headers_that_are_no_race_of_two_seats_are_refused(change, proved, checked):
    bend, message = REFUSED[change]
    status, report = checked(with_header(proved("pig").text, bend))
    assert status in (1, 2)
    assert message in report


def test_every_line_of_either_seat_counts(checked):
    """A bound on the wrong side of the value, a line that is missing, doubled or of another seat: each is found."""
    game = kw.game("pig", target=4, faces=3, seats={2: {"target": 3, "faces": 4}})
    lines = "".join(certify(kw.solve(game, fresh=True)).text_parts()).splitlines()
    places = [place for place, line in enumerate(lines) if "," in line and place > 1]
    assert len(places) == 2 * 3 * 2  # the scores 0, 2 and 3 against 0 and 2, and either seat to move
    for place in places:
        name, low, high = lines[place].split()
        mine, theirs, seat = name.split(",")
        bent_lines = (
            f"{name} {int(high, 16) + 1:x} {int(high, 16) + 1:x}",
            f"{name} {int(low, 16) - 1:x} {int(low, 16) - 1:x}",
            f"{mine},{theirs},{1 - int(seat)} {low} {high}",
            f"{mine},{theirs},2 {low} {high}",
            f"{mine},{theirs} {low} {high}",
            f"{name},0 {low} {high}",
            f"{lines[place]}\n{lines[place]}",
        )
        for bent_line in bent_lines:
            status, report = checked("\n".join([*lines[:place], bent_line, *lines[place + 1 :], ""]))
            assert status in (1, 2), report
        remaining = [*lines[:place], *lines[place + 1 : -1], f"end {len(places) - 1}", ""]
        status, report = checked("\n".join(remaining))
        is_never_reached = name in ("0,0,1",)  # seat 0 begins, and must score before scores rise
        assert status == 1 or is_never_reached, report


def test_too_wide_bounds_prove_nothing_about_states_before(proved, checked):
    """The line itself is true, but a turn that leads to it comes to less than is stated there."""
    text = proved("pig").text
    unit = 1 << json.loads(text.split("\n")[1])["bits"]
    lines = text.splitlines()
    for seat in (0, 1):
        place = next(place for place, line in enumerate(lines) if line.startswith(f"2,2,{seat} "))
        bent = [*lines[:place], f"2,2,{seat} 0 {unit:x}", *lines[place + 1 :], ""]
        status, report = checked("\n".join(bent))
        assert status == 1, report
        assert f", {1 - seat}): the" in report


def test_the_tables_of_both_seats_are_not_exchanged(proved, checked):
    text = proved("kingdom-come-2").text
    exchanged = [
        line.replace(",0 ", ",- ").replace(",1 ", ",0 ").replace(",- ", ",1 ") if line[:1].isdigit() else line
        for line in text.split("\n")
    ]
    status, report = checked("\n".join(exchanged))
    assert status == 1
    assert "fails at state" in report


def test_verify_knows_whose_rules_unlike_certificates_state(proved, run, tmp_path):
    path, other = tmp_path / "seats.cert", tmp_path / "other.cert"
    path.write_text(proved("5000").text)
    assert find_certified_game(path).game == GAMES["5000"][0]
    verified = run("verify", str(path))
    assert verified.status == 0
    assert "its rules are those of 5000:win2:" in verified.out

    def begin_later(header):
        header["match"]["head_starts"] = [200, 100]
        header["begins"] = [200, 100, 0]

    other.write_text(with_header(path.read_text(), begin_later))  # true, but of another game
    assert find_certified_game(other) is None


def test_certify_writes_unlike_seats_from_the_command_line(run, tmp_path):
    path = tmp_path / "seats.cert.gz"
    done = run("certify", "pig", "--rule", "target=8", "--seat-rule", "2:target=6", "-o", str(path))
    assert done.status == 0, done.err
    assert run("verify", str(path)).status == 0


def test_certificates_of_three_enclose_plain_values(checked):
    targets, faces = (8, 6, 9), (6, 4, 6)
    seats = {2: {"target": 6, "faces": 4}, 3: {"target": 9}}
    solution = kw.solve(kw.game("pig", target=8, seats=seats), players=3, fresh=True)
    text = "".join(certify(solution).text_parts())
    status, report = checked(text)
    assert status == 0, report
    unit = 2.0 ** -json.loads(text.split("\n")[1])["bits"]
    proved = {
        tuple(map(int, name.split(","))): [int(number, 16) * unit for number in numbers]
        for name, *numbers in (line.split() for line in text.split("\n")[2:] if "," in line)
    }
    players = tuple(Player(((1, ()),), (), target) for target in targets)
    plain = race_of_many_by_value_iteration(
        players, step=1, offers=[offers_of_pig(player, count) for player, count in zip(players, faces, strict=True)]
    )
    for (*scores_from_mover_on, seat), numbers in proved.items():
        scores = tuple(scores_from_mover_on[place - seat] for place in range(3))
        for place in range(3):  # by seat from the mover on: a lower and an upper bound
            low, high = numbers[2 * place : 2 * place + 2]
            value = plain[seat, scores][(seat + place) % 3]
            assert low - TURNS * SETTLED <= value <= high + TURNS * SETTLED
    assert len(proved) > 200

    def exchange_targets(header):
        header["match"]["targets"] = [8, 9, 6]

    status, report = checked(with_header(text, exchange_targets))
    assert status in (1, 2), report


# --- dice that differ within a hand, in the checker

SIX_DICE = "weighted, odd, lucky, ordinary, even, pie"
UNLIKE_TURN = {
    "kind": "sets",
    "dice": [[1, [1, 2, 3]], [2, [2, 0, 1]], [1, [5, 1, 1]], [1, [1, 1, 1]]],
    "groups": [[[1, 0, 0], 2], [[0, 3, 0], 7], [[1, 1, 1], 5], [[0, 0, 2], 1]],
    "whole": False,
    "specials": [],
    "doubled": [],
    "take": "free",
    "leave": [],
    "most": 4,
    "hot": "free",
    "once": False,
}


def points_of_split(faces, groups):
    """Return the most points of dice that are split into groups, None if some die is left over, by trying all."""
    if not faces:
        return 0
    totals = []
    for counts, points in groups:
        rest = list(faces)
        try:
            for face, count in enumerate(counts):
                for _ in range(count):
                    rest.remove(face)
        except ValueError:
            continue
        if (rest_points := points_of_split(rest, groups)) is not None:
            totals.append(points + rest_points)
    return max(totals, default=None)


def list_die_by_die(turn, hand):
    """Return the weight of every set of choices after a roll of single dice: pairs of dice left by kind, and points."""
    kinds = [kind for kind, count in enumerate(hand) for _ in range(count)]
    weights_by_choices = Counter()
    for faces in product(range(3), repeat=len(kinds)):
        choices = set()
        for kept in product((False, True), repeat=len(kinds)):
            points = points_of_split([*compress(faces, kept)], turn["groups"])
            if 0 < sum(kept) <= turn["most"] and points is not None:
                kept_kinds = Counter(compress(kinds, kept))
                left = tuple(count - kept_kinds[kind] for kind, count in enumerate(hand))
                choices.add((left if any(left) else tuple(count for count, _ in turn["dice"]), points))
        weight = prod(turn["dice"][kind][1][face] for kind, face in zip(kinds, faces, strict=True))
        weights_by_choices[frozenset(choices)] += weight
    return +weights_by_choices  # without those of weight 0


@pytest.mark.parametrize("hand", [(1, 2, 1, 1), (0, 2, 1, 0), (1, 0, 0, 1), (0, 1, 0, 0)])
def test_the_checker_lists_unlike_dice_as_one_die_by_one(hand):
    turn = keepwise_check.SetsTurn(UNLIKE_TURN)
    listed = Counter()
    for weight, offers in turn.throw(hand, turn.specials, ()):
        leads = [offer for offer in offers if keepwise_check.is_lead(offer)]
        listed[frozenset((lead.mode[0], lead.points) for lead in leads)] += weight
    assert listed == list_die_by_die(UNLIKE_TURN, hand)


@pytest.mark.parametrize("name", ["kingdom-come-2", "exact"])
def test_ranked_offers_give_the_bounds_of_all_roll_classes(name, proved, tmp_path):
    """Both ways to work out a throw give the same whole numbers, in the turns of all states.

    With an exact finish, choices that lead too far are not allowed, and a roll without others is bust.
    """
    path = tmp_path / "hands.cert"
    if name == "exact":
        rules = {"target": 350, "opening": 200, "minimum": 100, "finish": "exact"}
        path.write_text("".join(certify(kw.solve(kw.game("5000", **rules), fresh=True)).text_parts()))
    else:
        path.write_text(proved(name).text)
    header, lines, _ = keepwise_check.load(str(path), hashlib.sha256(), lambda *_: True)
    checker = keepwise_check.Checker(header, lines)
    throws = [throw for modes in checker.modes_of_turns for _, throws in modes.values() for throw in throws]
    assert any(throw.shares_offers for throw in throws)
    bounds_by_state = []
    for is_ranked in (True, False):
        for throw in throws:
            throw.shares_offers = is_ranked
        bounds_by_state.append({state: checker.turn_value(state) for state in lines})
    assert bounds_by_state[0] == bounds_by_state[1]


def test_weights_of_bit_sets_are_sums(monkeypatch):
    """Also once there are more of them than are kept."""
    monkeypatch.setattr(keepwise_check, "MAX_KEPT_WEIGHTS", 3)
    offers = [(("bust", 0),), (("bank", 1), ("bank", 2)), (("bank", 2),), (("bank", 1),)]
    throw = keepwise_check.ClassifiedThrow(dict(zip(offers, (1, 10, 100, 1000), strict=True)))
    assert throw.classes_with == {("bust", 0): 1, ("bank", 1): 0b1010, ("bank", 2): 0b110}
    for bit_set in range(1, 16):
        assert throw.weight_of(bit_set) == int(f"{bit_set:b}")


@pytest.mark.slow
@pytest.mark.parametrize("rules", [{"hand": SIX_DICE}, {"hand": "ordinary*6", "seats": {2: {"hand": SIX_DICE}}}])
def test_six_unlike_dice_hold_before_the_checker(rules, checked):
    certificate = certify(kw.solve(kw.game("kingdom-come-2", target=100, **rules), fresh=True))
    status, report = checked("".join(certificate.text_parts()))
    assert status == 0, report
    assert f"{certificate.state_count} of {certificate.state_count} states hold" in report


@pytest.mark.slow
def test_points_of_six_unlike_dice_hold_before_the_checker(checked):
    certificate = certify(kw.solve(kw.game("kingdom-come-2", hand=SIX_DICE), "points", fresh=True))
    status, report = checked("".join(certificate.text_parts()))
    assert status == 0, report


def test_certify_refuses_turns_that_the_checker_cannot_list(run, monkeypatch, tmp_path):
    """It does so before anything is solved; of rules by seat, also the turn of the second one."""
    monkeypatch.setattr(keepwise_check, "MAX_TURN_SIZE", 100_000)
    path = tmp_path / "hands.cert"
    for words in (["--hand", SIX_DICE], ["--hands", f"ordinary*6 / {SIX_DICE}"]):
        refused = run("certify", "kingdom-come-2", *words, "-o", str(path))
        assert refused.status == 2
        assert refused.err.count("\n") == 1
        assert "kingdom-come-2 cannot be certified, because keepwise-check could not check it" in refused.err
        assert not path.exists()
