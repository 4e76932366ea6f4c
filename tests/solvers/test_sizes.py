"""Sizes that are judged before work starts, and inputs that end in one line."""

from __future__ import annotations

import math
import sys
from itertools import product

import numpy as np
import pytest
from numpy._core._exceptions import _ArrayMemoryError

import keepwise as kw
from keepwise.cli import page, progress
from keepwise.dice_inventory import count_hands, enumerate_hands
from keepwise.games import own_game
from keepwise.games.push_rules import DieKind
from keepwise.output import adviser_page, sheets
from keepwise.policies import push_evaluation
from keepwise.solvers import make_problem, solve_costs
from keepwise.solvers.push.last_round import LastTurns
from keepwise.solvers.push.race_problems import PushWinProblem
from keepwise.solvers.push.race_solver import RaceSolver
from keepwise.solvers.solve_costs import SolveCost

TAKEN_OVER = {"take_over": "free", "finish": "last_round"}
TINY = {
    "name": "tiny",
    "dice": 3,
    "faces": 3,
    "weights": [3, 3, 1],
    "singles": {"2": 3, "1": 1},
    "target": 6,
    "finish": "last_round",
    "stop.opening": 3,
    "stop.below": "must",
    "take_over": "opened",
    "bust": {"costs": [0, 2], "floor": -5},
}


def allocated(sweep: RaceSolver) -> int:
    """Bytes of the arrays that a sweep holds."""
    held = [sweep.pay, sweep.gap, sweep.takeover, sweep.last_takeover, *sweep.certain_stops]
    return sum(array.nbytes for array in held if array is not None)


@pytest.mark.parametrize("name", ["farkle-common", "kingdom-come", "zehntausend", "dix-mille"])
def test_a_last_round_with_dice_taken_over_is_estimated_and_fits(name):
    """The estimate covers the arrays that are really allocated, at a tenth of the target, and all of them fit."""
    asked = make_problem(kw.load_rules(name, target=1000, **TAKEN_OVER), "win")
    assert allocated(RaceSolver(asked.model, 1, lambda done: None)) <= asked.estimate_cost(1).bytes
    assert not make_problem(kw.load_rules(name, **TAKEN_OVER), "win").estimate_cost(1).bytes > 2 << 30


def test_a_tiny_race_with_dice_taken_over_takes_little_memory():
    cost = make_problem(own_game(TINY), "win").estimate_cost(1)
    assert cost.bytes < 1 << 30


@pytest.mark.patient
def test_a_tiny_race_in_which_both_players_wait_has_no_bound():
    """Whoever reaches the target first hands the other points and dice, and a single die busts one time in seven.

    So both players rather throw until they bust, which costs nothing at the floor. Value iteration from both ends,
    endless games counted as lost or as won, left the start between 0.347 and 0.855 after 45 rounds, in which it moved
    by less than 0.0001 a round. This is evidence that endless play matters, not a proof. Where a die busts one time in
    three the race is solved.
    """
    with pytest.raises(kw.SolveError, match="no useful error bound can be proved"):
        kw.solve(own_game(TINY), "win", fresh=True)
    assert kw.solve(own_game({**TINY, "weights": [1, 1, 1]}), "win", fresh=True).error_bound < 1e-8


def test_hands_are_counted_without_listing_them():
    own = [DieKind(str(count), count, (1,) * 6) for count in (1, 3, 2, 6)]
    listed = [hand for hand in product(*(range(kind.count + 1) for kind in own)) if sum(hand) == 6]
    assert [*enumerate_hands([kind.count for kind in own], 6)] == listed
    assert count_hands(own, 6) == (len(listed), sum(math.prod(one + 1 for one in hand) for hand in listed))
    assert count_hands([DieKind(str(one), 6, (1,) * 6) for one in range(20)], 6)[0] == math.comb(25, 6)


def test_best_dice_is_refused_with_the_option_as_it_is_typed(run, tmp_path):
    rules = tmp_path / "seven.toml"  # hands of seven dice are solved one by one
    rules.write_text('name = "seven"\ndice = 7\ntarget = 1000\n\n[singles]\n1 = 100\n5 = 50\n')
    dice = "".join(f'[[die]]\nname = "d{one}"\ncount = 6\nweights = [1, 1, 1, 1, 1, {one + 1}]\n' for one in range(20))
    (tmp_path / "own.toml").write_text(dice)
    found = run(f"best-dice --rules {rules} --own {tmp_path / 'own.toml'}")
    assert found.status == 2
    assert "solving 657,780 hands takes about" in found.err
    assert found.err.endswith("; add --anyway to allow it\n")


def test_a_hand_that_cannot_be_solved_is_refused_in_one_message(run, tmp_path):
    """The rules refuse a hand before the cost is announced and before any other hand is solved."""
    rules = tmp_path / "seven.toml"  # six unlike dice of six faces are solved, and seven are too many
    rules.write_text('name = "seven"\ndice = 7\ntarget = 1000\n\n[singles]\n1 = 100\n5 = 50\n2 = 20\n3 = 30\n6 = 60\n')
    weights = [[1, 2, 3, 4, 5, 6 + one] for one in range(7)]
    for count in (1, 2):
        dice = [f'[[die]]\nname = "d{one}"\ncount = {count}\nweights = {weights[one]}\n' for one in range(7)]
        (tmp_path / "own.toml").write_text("".join(dice))
        found = run(f"best-dice --rules {rules} --own {tmp_path / 'own.toml'}")
        assert found.status == 2
        assert found.err.startswith("keepwise: cannot solve the hand ")
        assert "sets to compare" in found.err
        assert "takes about" not in found.err
        assert found.err.count("\n") == 1


def test_a_loop_of_links_and_too_large_a_limit_are_one_line(run, tmp_path):
    (tmp_path / "a.npz").symlink_to(tmp_path / "b.npz")
    (tmp_path / "b.npz").symlink_to(tmp_path / "a.npz")
    found = run(f"solve pig --rule target=5 -o {tmp_path / 'a.npz'}")
    assert found.status == 2
    assert "symbolic links" in found.err
    assert found.err.count("\n") == 1
    assert run(f"solve pig --rule target=5 --memory 999999999TiB -o {tmp_path / 'c.npz'}").status == 0


def test_an_own_policy_that_raises_any_exception_is_one_line(run, tmp_path):
    class_text = "class Odd(BaseException):\n    pass\n\n\ndef plays(playable, position):\n    raise Odd('x')\n"
    (tmp_path / "mine.py").write_text(class_text)
    found = run(f"simulate pig --policy {tmp_path / 'mine.py'}:plays --games 2")
    assert found.status == 2
    assert "Odd: x" in found.err
    assert found.err.count("\n") == 1


def test_reports_of_work_differ_every_15_seconds():
    told = [progress.elapsed(at) for at in np.arange(15, 1800, 15.0)]
    assert len(set(told)) == len(told)
    assert (progress.elapsed(9), progress.elapsed(135)) == ("9 s", "2 min 15 s")


# --- the strategy sheet of a page

PIG = "page pig --rule target=6"
LOSING = {
    "name": "losing",
    "dice": 2,
    "singles": {"1": 2, "5": 1},
    "target": 12,
    "finish": "last_round",
    "bust": {"costs": [0, 2, 3], "floor": -4},
}


@pytest.fixture
def priced(monkeypatch):
    """How often a sheet is priced while a page is made."""
    made: list[object] = []

    def run_plan(plan, solution, *more, real=sheets.SheetPlan.run):
        made.append(solution)
        return real(plan, solution, *more)

    monkeypatch.setattr(sheets.SheetPlan, "run", run_plan)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zilch", "farkle-facebook", "farkle-legendary"])
def test_sheets_of_games_whose_busts_cost_points_are_estimated(name, monkeypatch):
    """On two processors; they were measured at 146 seconds of processor time for Zilch, on a busy machine."""
    monkeypatch.setattr(push_evaluation, "cpu_count", lambda: 2)
    assert 25 < sheets.estimate_sheet_cost(make_problem(kw.load_rules(name), "win")).seconds < 120


@pytest.mark.parametrize(("name", "seconds"), [("pig-two-dice", 0.52), ("cosmic-wimpout", 11.1)])
def test_sheet_estimates_are_within_a_factor_of_two(name, seconds):
    """Seconds of processor time of the page, its search for points included, on a busy machine."""
    estimate = sheets.estimate_sheet_cost(make_problem(kw.load_rules(name), "win"))
    assert seconds / 2 < estimate.seconds < 2 * seconds


@pytest.mark.parametrize("name", ["5000", "beartrap", "farkle", "pig", "yahtzee", "hearts-due"])
def test_sheets_of_shipped_games_are_evaluated_by_default(name):
    asked = make_problem(kw.game(name), adviser_page.page_objective(kw.game(name), None))
    assert sheets.estimate_sheet_cost(asked).seconds < page.MAX_PRICING_SECONDS


def test_page_reports_that_it_omits_a_long_sheet(run, tmp_path, monkeypatch, priced):
    output = tmp_path / "pig.html"
    monkeypatch.setattr(sheets, "estimate_sheet_cost", lambda asked: SolveCost(1 << 20, 11.0))
    found = run(f"{PIG} -o {output}")
    assert found.status == 0
    assert found.err == (
        "evaluating the strategy sheet takes about 11 seconds and 1 MiB; the page is written without it "
        "(add --sheet to include it)\n"
    )
    assert not priced
    assert run(f"{PIG} --no-sheet -o {output}").err == ""
    assert not priced
    assert run(f"{PIG} --sheet -o {output}").err == "evaluating the strategy sheet takes about 11 seconds and 1 MiB\n"
    assert len(priced) == 1


def test_a_sheet_that_takes_hours_requires_anyway(run, tmp_path, monkeypatch, priced):
    output = tmp_path / "pig.html"
    monkeypatch.setattr(sheets, "estimate_sheet_cost", lambda asked: SolveCost(1 << 20, 7200.0))
    found = run(f"{PIG} --sheet -o {output}")
    assert found.status == 2
    assert found.err.startswith("keepwise: evaluating the strategy sheet takes about 2 hours")
    assert found.err.endswith("; add --anyway to allow it\n")
    assert not output.exists()
    assert run(f"{PIG} --sheet --anyway -o {output}").status == 0
    assert len(priced) == 1


def test_a_page_holds_a_sheet_or_none():
    solution = kw.solve(kw.game("pig", target=6), fresh=True)
    assert adviser_page.page_data(solution)[0]["sheet"]["tables"]
    assert adviser_page.page_data(solution, sheet=False)[0]["sheet"] is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("page scarney --objective win --sheet", "Scarney has a strategy sheet for points, not for win"),
        ("page --all --sheet", "leave --sheet out"),
        ("page --all --no-sheet", "leave --sheet out"),
    ],
)
def test_a_sheet_that_cannot_be_in_a_page_is_refused(refused, line, said):
    refused(said, line)


def test_where_tables_end_is_worked_out_once_for_each_lead(monkeypatch):
    """In a last round it hangs on the lead alone; a page asks for every pair of scores and rows of busts."""
    asked = make_problem(own_game(LOSING), "win")
    assert isinstance(asked, PushWinProblem)
    solved = asked.solve(1, lambda done: None)
    starts = [
        asked.playable.turn_start((int(mine), int(theirs)), 0, 0, busts)
        for mine, theirs in product(asked.scores, repeat=2)
        for busts in product(range(3), repeat=2)
    ]
    one_by_one = [asked.lanes(solved, [start]).cap for start in starts]
    leads: list[int] = []

    def cap(self, ahead, held, real=LastTurns.cap):
        leads.append(ahead)
        return real(self, ahead, held)

    monkeypatch.setattr(LastTurns, "cap", cap)
    assert asked.turn_caps(solved, starts).tolist() == one_by_one
    assert len(leads) == len(set(leads)) < len(starts) / 50


# --- refusals


@pytest.mark.parametrize(
    ("more", "less"),
    [(1.2 * 2**20, 1.0 * 2**20), (2**20 + 5.0, 2.0**20), (3.02 * 2**30, 2.99 * 2**30), (40.0, 20.0), (2.5, 2.0)],
)
def test_memory_messages_round_need_and_limit_apart(more, less):
    with pytest.raises(kw.InputError, match=r"at least about (.*) of memory, but memory allows only (.*)") as caught:
        solve_costs.needs_table_file("solving it", SolveCost(more, 1.0), less)
    found = str(caught.value)
    needed, given = found.removeprefix("solving it needs at least about ").split(" of memory, but memory allows only ")
    assert needed != given


@pytest.mark.parametrize(
    "error", [MemoryError(), _ArrayMemoryError((1 << 40,), np.dtype(float))], ids=["plain", "numpy"]
)
def test_solves_out_of_memory_state_their_need(error, monkeypatch):
    def fail(self, *told):
        raise error

    asked = make_problem(kw.game("pig", target=6), "win")
    monkeypatch.setattr(type(asked), "solve", fail)
    with pytest.raises(kw.KeepwiseError, match="solving Pig for win needs about 1 MiB of memory") as caught:
        kw.solve(asked.game, "win", fresh=True)
    assert "there is not enough free memory" in str(caught.value)


def test_answers_out_of_memory_state_their_need(monkeypatch):
    solution = kw.solve("double-cameroon", "win")

    def fail(self, *told):
        raise MemoryError

    monkeypatch.setattr(type(solution.problem), "solve_from", fail)
    monkeypatch.setattr(type(solution.problem), "covers", lambda self, solved, position: False)
    monkeypatch.setattr(
        type(solution.problem), "estimate_cost_from", lambda self, position, threads: SolveCost(1 << 20, 1.0)
    )
    with pytest.raises(kw.SolveError, match="needs about 1 MiB of memory: there is not enough free memory"):
        solution.value()


@pytest.mark.parametrize("value", [3500, 2.5, "1", None], ids=str)
@pytest.mark.parametrize("field", ["opponents", "roll"])
def test_an_array_without_dimensions_is_refused_in_a_line(field, value):
    told = {"score": 2000, "opponents": [3500], "turn": 300, field: np.array(value)}
    with pytest.raises(
        kw.InputError, match=f"^{field} .* is a zero-dimensional array; use a number, a string or a list"
    ):
        kw.playable("5000").position(**told)


def test_an_array_without_dimensions_is_refused_as_a_list():
    with pytest.raises(kw.InputError, match="positions must be a list or another iterable, not array"):
        kw.solve("5000", "points").values(np.array(3))
    with pytest.raises(kw.InputError, match=r"used array.* is a zero-dimensional array"):
        kw.playable("yahtzee", objective="points").position(used=np.array("ones"))


# --- game files


def work(call) -> int:
    """Calls of functions, those of the interpreter's own too."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return calls


RACE = ["game: pig", "rule: target=6", "seat: Ann", "seat: Bob", ""]
ALONE = ["game: pig", "objective: points", "seat: Ann", ""]


@pytest.mark.parametrize("form", ["text", "json", "html"])
@pytest.mark.parametrize(
    ("head", "lines"),
    [
        (RACE, ("Ann: 1", "Bob: 1")),
        (RACE, ("Ann: turn 0", "Bob: turn 0")),
        (RACE, ("Ann: 3", "undo")),
        (ALONE, ("Ann: 2", "Ann: roll")),
    ],
    ids=["rolls", "turns", "undone", "one turn"],
)
def test_the_work_of_a_review_grows_as_the_game_file_does(run, tmp_path, head, lines, form):
    def calls(count: int) -> int:
        (tmp_path / "game.kw").write_text("\n".join([*head, *lines * count, lines[0]]))
        return work(lambda: run(f"review {tmp_path / 'game.kw'} -f {form} -o {tmp_path / 'told'}"))

    calls(1)  # loads modules and solves the game
    one, two, four = (calls(count) for count in (30, 60, 120))
    assert four - two < 2.3 * (two - one)
