"""Booby Trap: the pass rule, small boards in fractions, theorems, the whole board another way, odds from counts."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import touch_reference
from hypothesis import given, settings
from hypothesis import strategies as st
from small_boards import ODDS, small

import keepwise as kw
from keepwise.games.booby_trap import TouchRules, must_take
from keepwise.games.rulefile.loader import tomllib
from keepwise.games.touch_counts import format_rule_file, parse_counts, wilson_interval
from keepwise.games.touch_odds import SIZES, Odds
from keepwise.output.adviser_page.touch import parts
from keepwise.play.touch import are_possible_scores
from keepwise.solvers import make_problem
from keepwise.solvers.touch.model import rounding_bound
from keepwise.solvers.touch.score_axis import ScoreAxisBoards
from keepwise.util.errors import InputError

HALF = Fraction(1, 2)


def win(mine, theirs):
    return Fraction((mine > theirs) - (mine < theirs) + 1, 2)


def margin(mine, theirs):
    return Fraction(mine - theirs)


def illustrative():
    data = kw.game("booby-trap").data.odds
    return [list(zip(*row, strict=True)) for row in zip(data.feel_chances, data.trip_chances, strict=True)]


# --- the pass rule


def passes_before(turns):
    """The run of passes after the given turns."""
    run = 0
    for turn in turns:
        run = run + 1 if turn == "pass" else 0
    return run


def test_pass_rule_on_the_examples_of_the_source():
    # "Player A must pick because all players have passed twice in succession."
    assert must_take(passes_before(["pass"] * 6), 3)
    # Game 2: A B C pass, A passes, B picks, C passes: A "can pass if he wishes".
    assert not must_take(passes_before(["pass"] * 4 + ["pick", "pass"]), 3)


@given(st.lists(st.sampled_from(["pass", "pick"]), max_size=40), st.integers(1, 6))
def test_pass_rule_for_any_number_of_players(turns, players):
    """Forced exactly when the last two turns of every player were passes."""
    everybody = turns[-2 * players :]
    assert must_take(passes_before(turns), players) == (everybody == ["pass"] * (2 * players))


# --- small boards in fractions


@pytest.mark.cases(fast=9)
@pytest.mark.parametrize("payoff", [win, margin])
@pytest.mark.parametrize("variant", ["standard", "in_order", "no_pass"])
@pytest.mark.parametrize("board", [(1, 1, 1), (2, 2, 2)])
@pytest.mark.parametrize("odds", [None, ODDS])
def test_small_boards_agree_with_plain_recursion(board, variant, odds, payoff):
    solution = kw.solve(small(board, odds, variant=variant), payoff.__name__, fresh=True)
    limit = 0 if variant == "no_pass" else 4
    reference = touch_reference.two_players(odds or illustrative(), payoff, limit=limit, in_order=variant == "in_order")
    for left in product(*(range(count + 1) for count in board)):
        if sum(left) <= 2 or (variant == "in_order" and out_of_order(left, board)):
            continue
        for lead, passes in product(range(-9, 10), range(limit + 1)):
            gone = tuple(count - here for count, here in zip(board, left, strict=True))
            if not are_possible_scores(solution.game.data, gone, (max(lead, 0), max(-lead, 0))):
                continue
            position = {"left": left, "score": max(lead, 0), "opponents": [max(-lead, 0)]}
            position |= {"passes": passes} if limit else {}
            expected = reference(left, (max(lead, 0), max(-lead, 0)), passes)
            found = solution.position_value(**position)
            assert np.abs(np.array(found.seats) - np.array(expected, dtype=float)).max() <= solution.error_bound
            if payoff is win:
                assert sum(expected) == 1


def out_of_order(left, board):
    return any(left[size] < board[size] and any(left[size + 1 :]) for size in range(2))


def test_choices_agree_with_plain_recursion():
    board, left, scores = (2, 2, 2), (1, 2, 1), (1, 3)
    solution = kw.solve(small(board, ODDS), fresh=True)
    reference = touch_reference.two_players(ODDS, win)
    for passes in range(5):
        position = {"left": left, "score": 1, "opponents": [3], "passes": passes}
        for choice in solution.advise(**position).choices:
            size = SIZES.index(choice.action.split()[2])
            expected = reference.touch(left, scores, passes, size)[0]
            assert choice.value == pytest.approx(float(expected), abs=solution.error_bound)
        for size, feel in product(range(3), range(2)):
            touched = {"touched": SIZES[size], "feel": ("loose", "springy")[feel]}
            told = {choice.follow_up: choice for choice in solution.advise(**position, **touched).choices}
            assert set(told) == ({"take"} if passes == 4 else {"take", "pass"})
            expected = reference.take(left, scores, size, feel)[0]
            assert told["take"].value == pytest.approx(float(expected), abs=solution.error_bound)
            assert told["take"].bust == float(ODDS[size][feel][1])
            held = reference.held(left, scores, passes, size, feel)[0]
            value = solution.value(**position, **touched)
            assert value == max(choice.value for choice in told.values())
            assert value == pytest.approx(float(held), abs=solution.error_bound)


@pytest.mark.parametrize("odds", [None, ODDS])
@pytest.mark.parametrize("trips", [0, 1, 3])
def test_solitaire_agrees_with_plain_recursion(trips, odds):
    board = (2, 1, 2)
    solution = kw.solve(small(board, odds, variant="solitaire", trips=trips), "reach", fresh=True)
    reference = touch_reference.alone(odds or illustrative(), trips)
    for left in product(*(range(count + 1) for count in board)):
        for tripped, passes in product(range(5 - sum(left) + 1), range(3)):
            if sum(left) > 1 and tripped <= trips:
                found = solution.value(left=left, trips=tripped, passes=passes)
                assert found == pytest.approx(float(reference(left, tripped, passes)), abs=solution.error_bound)


chances = st.fractions(0, 1, max_denominator=20)


@st.composite
def random_odds(draw):
    rows = []
    for _ in SIZES:
        first = draw(chances)
        rows.append([(first, draw(chances)), (1 - first, draw(chances))])
    return rows


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(random_odds(), st.tuples(*[st.integers(0, 2)] * 3).filter(lambda board: 3 <= sum(board) <= 5))
def test_any_odds_agree_with_plain_recursion(odds, board):
    for payoff in (win, margin):
        solution = kw.solve(small(board, odds), payoff.__name__, fresh=True)
        expected = touch_reference.two_players(odds, payoff)(board, (0, 0), 0)[0]
        assert abs(solution.value() - float(expected)) <= solution.error_bound


@settings(max_examples=15, deadline=None)
@given(random_odds())
def test_order_of_feels_does_not_matter(odds):
    plain = kw.solve(small((2, 2, 2), odds), fresh=True)
    turned = kw.solve(small((2, 2, 2), [row[::-1] for row in odds]), fresh=True)
    assert abs(plain.value() - turned.value()) <= 2 * plain.error_bound


# --- what must hold


def test_pieces_without_trips_are_taken_by_size():
    """Then the pieces go by size, and what an odd number of pieces leaves over is the first player's."""
    safe = [[(Fraction(1), Fraction(0))]] * 3
    for board in [(1, 1, 1), (2, 1, 2), (3, 3, 3), (4, 2, 1)]:
        solution = kw.solve(small(board, safe), "margin", fresh=True)
        taken = sorted([3] * board[0] + [2] * board[1] + [1] * board[2], reverse=True)[:-2]
        assert solution.value() == sum(taken[0::2]) - sum(taken[1::2])
        for left in product(*(range(count + 1) for count in board)):
            if sum(left) > 2:
                largest = next(SIZES[size] for size in range(3) if left[size])
                told = solution.advise(left=left, touched=largest, feel="loose")
                assert told.best.follow_up == "take" or told.choices[1].tie


def test_certain_trips_are_passed_until_forced():
    """Four passes later it is the same player's turn, so the first pays for the first piece, and so on."""
    sure = [[(Fraction(1), Fraction(1))]] * 3
    for board in [(1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2)]:
        solution = kw.solve(small(board, sure), "margin", fresh=True)
        assert solution.value() == (-3 if sum(board) % 2 else 0)
        told = solution.advise(touched="large", feel="loose", passes=0)
        assert told.best.follow_up == "pass"
        forced = solution.advise(touched="large", feel="loose", passes=4)
        assert [choice.follow_up for choice in forced.choices] == ["take"]
        assert "must be taken" in forced.explain()


class OtherLimit(TouchRules):
    """The rules with another number of passes in a row."""

    allowed = 4

    @property
    def max_passes(self):
        return self.allowed


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize("board", [(1, 1, 1), (0, 0, 4), (2, 2, 0), (2, 2, 2)])
def test_one_more_pass_never_hurts_the_freed_player(board):
    """With an even number of passes allowed the player to move is forced in the end, with one more the other."""
    for odds in (illustrative(), [[(Fraction(1, 4), HALF), (Fraction(3, 4), Fraction(9, 10))]] * 3):
        values = []
        for limit in range(6):
            reference = touch_reference.two_players(odds, margin, limit=limit)(board, (0, 0), 0)[0]
            game = small(board, odds).data
            rules = OtherLimit(**{key: getattr(game, key) for key in game.__dataclass_fields__})
            object.__setattr__(rules, "allowed", limit)
            solved = ScoreAxisBoards(rules, lambda scores: np.column_stack([scores[:, 0], scores[:, 1]]).astype(float))
            after = solved.solve(1, lambda done: None)
            values.append(-after[(*board, solved.origin)])
            assert values[-1] == pytest.approx(float(reference), abs=1e-12)  # ten roundings of numbers up to 12
        assert all(values[even + 1] >= values[even] for even in (0, 2, 4))


@pytest.mark.parametrize("variant", ["standard", "solitaire"])
def test_page_axis_covers_all_steps_of_the_kernel(variant):
    """Its kernel writes as far as so many steps as there are pieces; alone each moves one place."""
    solution = kw.solve(small((3, 4, 5), variant=variant, large_points=7), fresh=True)
    facts = parts(solution.problem, solution.value_table)["match"]
    assert facts["origin"] + facts["step"] * sum(facts["board"]) == facts["width"] - 1


def test_a_greater_lead_never_hurts():
    solution = kw.solve(small((4, 4, 4)), fresh=True)
    after = solution.value_table.arrays["after"]
    for left in product(range(5), repeat=3):
        reach = 3 * (12 - sum(left))
        middle = after.shape[3] // 2
        assert (np.diff(after[left][middle - reach : middle + reach + 1]) >= -4 * solution.error_bound).all()


def test_easier_trips_help_alone():
    easy = [[(chance, trip / 2) for chance, trip in row] for row in illustrative()]
    values = [
        kw.solve(small((5, 5, 5), odds, variant="solitaire"), "reach", fresh=True).value()
        for odds in (illustrative(), easy)
    ]
    assert values[0] < values[1]


def test_margin_equals_a_recursion_without_leads():
    """For the margin the lead does not matter: a recursion over pieces and passes alone gives the same numbers."""
    solution = kw.solve("booby-trap", "margin", fresh=True)
    odds = [[(float(chance), float(trip)) for chance, trip in row] for row in illustrative()]
    points = (3, 2, 1)
    best: dict[tuple[int, int, int], list[float]] = {}
    for left in product(range(21), repeat=3):
        if sum(left) <= 2:
            best[left] = [0.0] * 5
            continue
        runs = [0.0] * 5
        for passes in range(4, -1, -1):
            found = []
            for size in range(3):
                if not left[size]:
                    continue
                fewer = tuple(count - (one == size) for one, count in enumerate(left))
                worth = 0.0
                for chance, trip in odds[size]:
                    value = (1 - trip) * points[size] - 3 * trip - best[fewer][0]
                    worth += chance * (value if passes == 4 else max(value, -runs[passes + 1]))
                found.append(worth)
            runs[passes] = max(found)
        best[left] = runs
    for left, passes, lead in [((20, 20, 20), 0, 0), ((7, 11, 3), 3, 4), ((0, 5, 0), 2, -9), ((12, 15, 18), 4, 0)]:
        value = solution.value(left=left, passes=passes, score=max(lead, 0), opponents=[max(-lead, 0)])
        assert value == pytest.approx(best[left][passes] + lead, abs=1e-10)  # both round; the engine's bound is 8e-11


@pytest.mark.slow
def test_games_by_the_advice_reach_its_value():
    """Seeded play of both players by advice, on a board small enough to play often."""
    solution = kw.solve(small((2, 2, 2)), fresh=True)
    rng = np.random.default_rng(7)
    odds = illustrative()
    asked: dict = {}

    def best(**position):
        key = tuple(
            sorted((name, tuple(value) if isinstance(value, list) else value) for name, value in position.items())
        )
        if key not in asked:
            asked[key] = solution.advise(**position).best.action
        return asked[key]

    games, total = 4000, 0.0
    for _ in range(games):
        left, scores, passes, mover = [2, 2, 2], [0, 0], 0, 0
        while sum(left) > 2:
            position = {
                "left": tuple(left),
                "score": scores[mover],
                "opponents": [scores[1 - mover]],
                "passes": passes,
            }
            size = SIZES.index(best(**position).split()[2])
            feel = rng.choice(3, p=[float(chance) for chance, _ in odds[size]])
            action = best(**position, touched=SIZES[size], feel=("loose", "springy", "tight")[feel])
            if action == "pass":
                passes += 1
            else:
                passes, left[size] = 0, left[size] - 1
                scores[mover] += -3 if rng.random() < odds[size][feel][1] else 3 - size
            mover = 1 - mover
        total += float(win(*scores))
    assert total / games == pytest.approx(solution.value(), abs=4 * 0.5 / games**0.5)  # four standard errors


def test_rounding_is_bounded_for_the_whole_board():
    assert rounding_bound(kw.game("booby-trap").data) < 1e-12


# --- positions, files, odds


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("value booby-trap --players 7", "players must be between 2 and 6 for the objective"),
        ("value booby-trap --left 3,4", "left: expected 3 numbers"),
        ("value booby-trap --left 21,20,20", "left must be at most 20 for large pieces"),
        ("value booby-trap --left 1,1,0", "left cannot be 2 pieces in all: the game is over when 2 pieces are left"),
        ("value booby-trap --left 19,20,20 --score 4", "the scores 4 and 0 are not possible"),
        ("value booby-trap --passes 5", "passes must be at most 4, not 5"),
        ("value booby-trap --rule variant=no_pass --passes 1", "unknown option --passes"),
        ("advise booby-trap --touched huge --feel loose", "touched must be one of large, medium, small, not 'huge'"),
        ("advise booby-trap --touched large --taking", "taking requires --feel, how the piece sits"),
        ("advise booby-trap --feel loose", "feel requires --touched, the size of the piece"),
        ("advise booby-trap --touched large --feel losse", "must be one of loose, springy, tight, not 'losse'"),
        ("advise booby-trap --left 0,20,20 --touched large --feel loose", "no large piece is left"),
        ("value booby-trap --rule variant=in_order --left 10,20,20", "while smaller pieces are left"),
        ("advise booby-trap --rule variant=in_order --touched large --feel loose", "cannot be touched while smaller"),
        ("value booby-trap --rule variant=solitaire --trips 1", "trips must be at most 0"),
        ("value booby-trap --rule variant=solitaire --turns 3", "cannot be combined with Booby Trap"),
        ("value booby-trap --objective reach", "the objective reach is not available for booby-trap"),
        ("value booby-trap --rule large=1 --rule medium=1 --rule small=0", "must add up to at least 3 pieces, not 2"),
        ("advise booby-trap --draws 5", "requires odds with counts"),
        ("advise pig --turn 20 --dice 1 --draws 5", "--draws requires odds estimated from counts"),
    ],
)
def test_bad_positions_get_one_clear_line(run, asked, said):
    found = run(asked)
    assert found.status == 2
    assert said in found.err
    assert found.err.count("\n") == 1


def test_illustrative_odds_are_labelled_everywhere(run):
    for asked in (
        "value booby-trap",
        "advise booby-trap",
        "value booby-trap --objective margin",
        "value booby-trap --rule variant=solitaire",
        "rules booby-trap",
    ):
        assert "made-up examples, not measured" in run(asked).out
    assert json.loads(run("advise booby-trap --json").out)["rules"]["odds"]["name"] == "illustrative"


COUNTED = (
    "large:loose=9/9/0 large:springy=12/7/2 large:tight=14/3/2 medium:loose=11/11/0 medium:springy=10/6/1"
    " medium:tight=9/2/2 small:loose=15/15/1 small:springy=12/8/2 small:tight=5/1/1"
)


def test_counts_become_a_rule_file_that_advice_takes(run, tmp_path):
    path = tmp_path / "ours.toml"
    assert run(f"odds {COUNTED} -o {path}").status == 0
    read = tomllib.loads(path.read_text())["odds"]
    assert read["large"]["springy"]["trip"] == "5/16"  # (2 + 1/2) / (7 + 1)
    assert read["large"]["springy"]["chance"] == "25/73"  # (12 + 1/2) / (35 + 3/2)
    asked = f"advise --rules {path} --left 3,4,3 --score 20 --opponents 20 --touched large --feel tight"
    found = json.loads(run(f"{asked} --draws 20 --json").out)
    assert found["rules"]["odds"]["name"] == "counted"
    assert found["across"]["draws"] == 20
    assert 0 <= found["across"]["holds"] <= 20
    assert found["across"]["mean"] <= found["across"]["most"]
    again = json.loads(run(f"{asked} --draws 20 --json").out)
    assert again["across"] == found["across"]  # seeded
    assert "With 20 random sets of odds" in run(f"{asked} --draws 20").out


def test_odds_from_many_counts_settle_the_best_choice():
    counts = {
        (size, feel): (10_000_000, 10_000_000, tripped)
        for size in SIZES
        for feel, tripped in (("loose", 100_000), ("tight", 8_000_000))
    }
    odds = tomllib.loads(format_rule_file(counts, "many"))["odds"]
    solution = kw.solve(kw.game("booby-trap", large=3, medium=3, small=3, odds=odds), fresh=True)
    position = solution.read(touched="large", feel="tight")
    *_, worst = choices = solution.advise(touched="large", feel="tight").choices
    assert solution.problem.odds_sensitivity(position, choices[0], 20).holds == 20
    assert solution.problem.odds_sensitivity(position, worst, 20).holds == 0


def test_interval_is_wilsons():
    # Wilson 1927; 2 of 10 at 95% is a usual textbook example: 0.0567 to 0.5098.
    assert wilson_interval(2, 10) == pytest.approx((0.0567, 0.5098), abs=5e-5)
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("large:loose=1/2/0", "tripped must not be above taken"),
        ("large:loose=1/1", "must have the form SIZE:FEEL="),
        ("huge:loose=1/1/0", "unknown size 'huge'"),
        ("large:loose=3/1/0", "missing counts of medium pieces"),
        ("large:a=0/0/0 medium:a=1/1/1 small:a=1/1/1", "no large piece was touched"),
        ("large:a.b=1/1/1", "not a valid word for how a piece feels"),
    ],
)
def test_bad_counts_are_refused(text, said):
    with pytest.raises(InputError, match=said):
        parse_counts(text.split())


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (("chance = 0.25", "chance = 0.26"), 3, "must add up to 1, not 1.01"),
        (("trip = 0.02", "trip = 1.2"), 5, "must be between 0 and 1"),
        (("trip = 0.02", "trap = 0.02"), 5, "unknown key 'trap'; did you mean trip?"),
        (("[odds.large.loose]", "[odds.huge.loose]"), 3, "unknown size 'huge'"),
        (("trip = 0.02", "trip = 0.02\ntaken = 3"), 3, "must be given together"),
        (("trip = 0.02", "trip = 0.02\ntaken = 3\ntouched = 2\ntripped = 1"), 3, "nor taken above touched"),
        (("trip = 0.02", "trip = 0.02\ntaken = 1\ntouched = 2\ntripped = 1"), 3, "for every size and way to feel"),
    ],
)
def test_bad_odds_name_file_and_line(run, tmp_path, change, line, said):
    text = 'game = "booby-trap"\n# ours\n'
    for size in SIZES:
        for feel, chance in (("loose", 0.25), ("tight", 0.75)):
            text += f"[odds.{size}.{feel}]\nchance = {chance}\ntrip = 0.02\n"
    path = tmp_path / "odds.toml"
    path.write_text(text)
    assert run(f"value --rules {path}").status == 0
    path.write_text(text.replace(*change, 1))
    found = run(f"value --rules {path}")
    assert found.status == 2
    assert said in found.err
    assert f"{path}:" in found.err
    assert int(found.err.split(f"{path}:")[1].split(":")[0]) >= line


def test_table_is_written_and_read_back(tmp_path):
    game = small((2, 2, 2), ODDS)
    solution = kw.solve(game, fresh=True)
    solution.save(tmp_path / "trap.npz")
    read = kw.load(tmp_path / "trap.npz")
    assert read.fingerprint == solution.fingerprint
    assert read.value(passes=3) == solution.value(passes=3)
    assert read.game.rules == game.rules


def test_odds_are_part_of_the_question():
    assert kw.solve("booby-trap").fingerprint != kw.solve(small((20, 20, 20), ODDS)).fingerprint


def test_scores_that_can_be():
    rules = kw.game("booby-trap").data
    for gone in product(range(3), repeat=3):
        ways = {(0, 0)}
        for count, points in zip(gone, (3, 2, 1), strict=True):
            for _ in range(count):
                ways |= (
                    {(a + points, b) for a, b in ways}
                    | {(a, b + points) for a, b in ways}
                    | {(a - 3, b) for a, b in ways}
                    | {(a, b - 3) for a, b in ways}
                )
        # one piece at a time, each used once: the sets above already hold every way of each piece, or none of it
        for mine, theirs in product(range(-7, 8), repeat=2):
            assert are_possible_scores(rules, gone, (mine, theirs)) == ((mine, theirs) in ways)


def test_rows_list_every_lead_once():
    game = small((1, 1, 2))
    listed = [
        (position.left, position.passes, position.scores[0] - position.scores[1])
        for position in make_problem(game, "win").list_positions({}).positions
    ]
    leads = set()
    for left in {left for left, _, _ in listed}:
        gone = tuple(most - count for most, count in zip((1, 1, 2), left, strict=True))
        pairs = product(range(-12, 13), repeat=2)
        found = {mine - theirs for mine, theirs in pairs if are_possible_scores(game.data, gone, (mine, theirs))}
        leads |= {(left, passes, lead) for passes in range(game.data.max_passes + 1) for lead in found}
    assert len(listed) == len(set(listed))
    assert set(listed) == leads


def test_more_feels_than_the_kernel_holds_are_refused():
    feels = {f"f{place}": {"chance": "1/9", "trip": "1/2"} for place in range(9)}
    with pytest.raises(InputError, match="give 1 to 8 words for how a piece feels, not 9"):
        kw.game("booby-trap", odds=dict.fromkeys(SIZES, feels))


def test_odds_data_is_exact():
    odds = kw.game("booby-trap").data.odds
    assert isinstance(odds, Odds)
    assert all(sum(row) == 1 for row in odds.feel_chances)
    assert replace(odds, name="x").trip_chances == odds.trip_chances
