"""Sheets: what stands on the page is played, by the page alone, and costs what the page says."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest

import keepwise as kw
from keepwise.output.sheets import make_sheet
from keepwise.output.sheets.render import render_html, render_latex, render_markdown, render_text, write_pdf
from keepwise.solvers import make_problem
from keepwise.util.errors import InputError

# All games with the objective that their sheet is for; the nine of the sources and the three reference games.
SHEETS = [
    ("5000", "points"),
    ("5000", "win"),
    ("beartrap", "points"),
    ("farkle", "points"),
    ("pig", "turns"),
    ("scarney", "points"),
    ("battleship", "points"),
    ("battleship", "win"),
    ("boston", "points"),
    ("multiplication", "points"),
    ("hearts-due", "win"),
    ("double-cameroon", "points"),
    ("booby-trap", "margin"),
]


@cache
def sheet_of(game, objective):
    return make_sheet(kw.solve(game, objective))


@pytest.mark.cases(fast=1, slow=6)
@pytest.mark.parametrize("asked", SHEETS)
def test_every_game_has_a_sheet_on_one_page(asked, tmp_path):
    sheet = sheet_of(*asked)
    assert sheet.lines
    assert sheet.cost
    for table in sheet.tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
    words = render_text(sheet)
    assert all(len(line) <= 200 for line in words.splitlines())
    write_pdf(sheet, tmp_path / "sheet.pdf")
    content = (tmp_path / "sheet.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", content)) == 1


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.inside = [], False

    def handle_starttag(self, tag, attrs):
        self.inside = tag in ("td", "th")
        if self.inside:
            self.found.append("")
        elif ("role", "img") in attrs:  # dice
            self.found[-1] += dict(attrs)["aria-label"]

    def handle_data(self, data):
        if self.inside:
            self.found[-1] += data

    def handle_endtag(self, tag):
        self.inside = False


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize("asked", SHEETS)
def test_every_form_holds_every_cell(asked):
    sheet = sheet_of(*asked)
    cells = [cell for table in sheet.tables for row in (table.columns, *table.rows) for cell in row]
    reader = Cells()
    page = render_html(sheet)
    reader.feed(page)
    assert reader.found == cells
    assert "http" not in page.replace("http-equiv", "")  # nothing is loaded from elsewhere
    plain, marked, tex = render_text(sheet), render_markdown(sheet), render_latex(sheet)
    dice = {row[column] for table in sheet.tables for row in table.rows for column in table.dice}
    for cell in cells:
        assert cell in plain
        shown = cell.translate(str.maketrans("123456", "⚀⚁⚂⚃⚄⚅")) if cell in dice else cell
        assert shown.replace("\\ ", "\\\\ ") in marked
        assert cell not in dice or "".join(rf"\die{{{face}}}" for face in cell.split()) in tex
    assert max(map(len, render_text(replace(sheet, tables=())).split("\n"))) < 80
    for line in sheet.cost:
        assert line in " ".join(plain.split("\n"))
        assert line in marked
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") == len(sheet.tables)
    assert not re.search(r"(?<!\\)%", tex)


@pytest.mark.slow
def test_no_row_contradicts_another_where_pairs_count():
    """Zehntausend: four 5s and a pair are kept whole as three pairs, not as four 5s."""
    keeps, whole_sets, banks = make_sheet(kw.solve(kw.load_rules("zehntausend"), "points")).tables
    rows = [*(row[:2] for row in keeps.rows), *(row[:2] for row in whole_sets.rows)]
    assert len(rows) == len(set(rows))
    assert ("6", "2 2 5 5 5 5", "1,500", "5 5 5 5", "1,500", "6 dice") in whole_sets.rows
    assert [row[0] for row in banks.rows] == list("654321")


def test_rows_that_cannot_occur_are_left_out():
    (banks,) = make_sheet(kw.solve(kw.load_rules("pig-two-dice", target=30), "points", fresh=True)).tables
    assert [row[0] for row in banks.rows] == ["2"]  # both dice are thrown, always


def loss(sheet):
    return float(re.search(r"In full, the sheet costs ([\d.e+-]+)", " ".join(sheet.facts))[1])


@pytest.mark.slow
def test_costs():
    assert loss(sheet_of("battleship", "points")) == 0  # the page holds every decision
    frame = sheet_of("scarney", "points")
    assert loss(frame) < 1e-9  # limits are all there is
    assert frame.lines[-1] == "Holding nothing: double down."  # whatever is alive: no column says so five times
    # Pig's page is "hold at 20"; its loss is that of the policy, whose turns are published as about 12.6.
    assert loss(sheet_of("pig", "turns")) == pytest.approx(kw.solve("pig", "turns").evaluate("hold:20").loss, rel=1e-2)
    assert 0 < loss(sheet_of("farkle", "points")) < 2
    assert 0 < loss(sheet_of("5000", "points")) < 10


OWN_FARKLE = """name="own"
dice=6
target=6000
finish="last_round"
[stop]
opening=400
at_least=200
[then]
all="must"
[singles]
1=100
5=50
[alike.3]
1=1000
2=200
3=300
4=400
5=500
6=600
[alike.4]
all=1200
[[pattern]]
dice="aabbcc"
points=1000
[[pattern]]
straight=6
points=1500
"""


def test_sets_kept_for_fewer_points_have_their_own_table(run, tmp_path):
    """They are not listed as exceptions that keep what scores, nor in a sentence."""
    file = tmp_path / "own.toml"
    file.write_text(OWN_FARKLE)
    out = " ".join(run(f"export {file} --objective points -f text").out.split())
    assert "Exceptions: keep all of these dice" in out
    assert " 6 4 4 4 4 4 4 800 4 4 4 4 1,200 6 dice " in out
    sheet = make_sheet(kw.solve(kw.load_rules(file), "points"))
    (table,) = (table for table in sheet.tables if table.heading == "Exceptions: keep these dice")
    assert all(row[1] != row[2] for row in table.rows)


def limits_and_keeps(sheet):
    tables = {table.heading: table for table in sheet.tables}
    limits = {int(dice): int(points.replace(",", "")) for dice, points, _ in tables["Bank or roll"].rows}
    keeps = {}
    if "Exceptions: keep these dice" in tables:
        for dice, shown, kept, _ in tables["Exceptions: keep these dice"].rows:
            keeps[int(dice), shown.replace(" ", "")] = kept.replace(" ", "")
    return limits, keeps


def points_5000(dice):
    """Points of a set by the rules of 5000; every die of it scores."""
    total = 0
    for face in set(dice):
        count = dice.count(face)
        triple = 1000 if face == 1 else 100 * face
        single = {1: 100, 5: 50}.get(face, 0)
        total += triple * (count >= 3) + single * (count - 3 * (count >= 3))
    return total


def scoring(dice):
    """All dice that score: 1s, 5s, and three of the others."""
    return sorted(
        die
        for face in set(dice)
        for die in [face] * (dice.count(face) if face in (1, 5) else 3 * (dice.count(face) >= 3))
    )


def turn_by_the_page(rng, limits, keeps, least):
    """One turn of 5000, played from what is printed."""
    held, left = 0, 5
    while True:
        roll = [rng.randint(1, 6) for _ in range(left)]
        taken = scoring(roll)
        if not taken:
            return 0
        kept = keeps.get((left, "".join(map(str, taken))))
        if kept is not None:
            taken = [int(face) for face in kept]
        held += points_5000(taken)
        left = left - len(taken) or 5
        if held >= max(limits[left], least):
            return held


@pytest.mark.parametrize("turns", [30_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_playing_5000_by_the_sheet_reaches_its_value(turns):
    sheet = sheet_of("5000", "points")
    limits, keeps = limits_and_keeps(sheet)
    rng = random.Random(5)
    found = np.array([turn_by_the_page(rng, limits, keeps, 500) for _ in range(turns)])
    solution = kw.solve("5000", "points")
    said = solution.value() - loss(sheet)
    assert abs(found.mean() - said) < 4 * found.std() / turns**0.5 + 0.05  # the page gives the loss to three digits


@pytest.mark.slow
def test_a_sheet_to_win_says_what_its_figures_leave_out():
    """They are those of the limits without the table of best play; in a last turn the limits apply as always."""
    sheet = make_sheet(kw.solve(kw.game("farkle", target=1000, finish="last_round"), "win", 2))
    said = " ".join(sheet.lines)
    assert ", or with enough to reach the target; otherwise roll" in said
    assert "In a last turn, never bank with fewer points in all than the leader, because that loses." in said
    assert sheet.tables[-1].note.startswith("The figures below do not count this table.")
    assert sheet.cost[0].startswith("Playing by this sheet without its last table, moving first: ")


@pytest.mark.slow
def test_limits_by_both_scores_are_those_of_optimal_play():
    """Nearly there it is often best to throw on, with more in hand than anybody has who stopped before: no limit."""
    pig = kw.solve(kw.game("pig", target=60), "win", 2, fresh=True)
    table = next(one for one in make_sheet(pig).tables if one.heading.startswith("For comparison: where best"))
    for row in table.rows[::2]:
        for theirs, told in list(zip(table.columns[1:], row[1:], strict=True))[::2]:
            asked, need = {"score": int(row[0]), "opponents": [int(theirs)], "dice": 1}, 60 - int(row[0])
            met, rolled, stopped = [0], [], []
            for held in met:
                if held and (held >= need or pig.advise(**asked, turn=held).best.follow_up == "bank"):
                    stopped.append(held)
                else:
                    rolled.append(held)
                    met += [after for after in range(held + 2, held + 7) if after not in met]
            limit = need if told == "to the target" else int(told)
            assert max(rolled) < limit <= min(held for held in stopped if held > max(rolled))


def crew_by_the_page(sheet):
    (table,) = sheet.tables
    return {tuple(map(int, crew.split())): (two, one) for crew, two, one in table.rows}


@pytest.mark.parametrize("rounds", [60_000, pytest.param(300_000, marks=pytest.mark.slow)])
def test_playing_battleship_by_the_sheet_reaches_its_value(rounds):
    sheet = sheet_of("battleship", "points")
    page, rng, found = crew_by_the_page(sheet), random.Random(11), []
    for _ in range(rounds):
        aside, crew = 0, []
        for left in (2, 1, 0):
            dice = [rng.randint(1, 6) for _ in range(5 - aside - len(crew))]
            while aside < 3 and 6 - aside in dice:
                dice.remove(6 - aside)
                aside += 1
            if aside < 3:
                continue
            crew = sorted(crew + dice, reverse=True)
            if not left:
                break
            told = page[tuple(crew)][0 if left == 2 else 1]
            if told.startswith("stop"):
                break
            crew = [int(told.split()[2].rstrip(","))] if told.startswith("keep") else []
        found.append(sum(crew) if aside == 3 else 0)
    said = kw.solve("battleship", "points").value()
    assert abs(np.mean(found) - said) < 4 * np.std(found) / rounds**0.5


@pytest.mark.slow
def test_booby_trap_by_the_page():
    """The page against a player of the best advice, on a small board, in plain play."""
    game = kw.game("booby-trap", large=2, medium=2, small=2)
    solution = kw.solve(game, "margin", fresh=True)
    sheet = make_sheet(solution)
    tables = {table.heading: table for table in sheet.tables}
    touches = tables["Touch"].rows[0]
    assert tables["Touch"].columns[:3] == ("0 passes", "1 pass", "2 passes")
    takes = {(row[0], row[1]): row[2:] for row in tables["Take or pass"].rows}
    odds, sizes = game.data.odds, ("large", "medium", "small")
    rng, best, asked, games, total = np.random.default_rng(3), {}, 0, 6000, []

    def advice(key, **position):
        nonlocal asked
        if key not in best:
            best[key] = solution.advise(**position).best.action
            asked += 1
        return best[key]

    for _ in range(games):
        left, scores, passes, mover = [2, 2, 2], [0, 0], 0, 0
        while sum(left) > 2:
            if mover == 0:
                size = sizes.index(touches[passes])
                if not left[size]:
                    there = [one for one in range(3) if left[one]]
                    size = next((one for one in there if one > size), there[-1])
            else:
                size = sizes.index(
                    advice((tuple(left), passes), left=left, score=0, opponents=[0], passes=passes).split()[2]
                )
            feel = int(rng.choice(3, p=[float(one) for one in odds.feel_chances[size]]))
            if mover == 0:
                action = takes[sizes[size], odds.feels[feel]][passes]
            else:
                told = {"touched": sizes[size], "feel": odds.feels[feel]}
                action = advice((tuple(left), passes, size, feel), left=left, passes=passes, **told)
            if action == "pass":
                passes += 1
            else:
                passes, left[size] = 0, left[size] - 1
                scores[mover] += -3 if rng.random() < float(odds.trip_chances[size][feel]) else 3 - size
            mover = 1 - mover
        total.append(scores[0] - scores[1])
    said = solution.value() - loss(sheet)
    assert abs(np.mean(total) - said) < 4 * np.std(total) / games**0.5 + 0.01


@pytest.mark.parametrize(
    ("game", "objective", "parameters", "said"),
    [
        ("scarney", "win", {}, "use --objective points"),
        ("booby-trap", "win", {}, "use --objective margin"),
        ("battleship", "margin", {}, "requires the objective points or win"),
        ("pig", "reach", {"turns": 3}, "requires the objective points, turns or win"),
    ],
)
def test_make_sheet_refuses_games_without_sheets(game, objective, parameters, said):
    with pytest.raises(InputError, match=said):
        make_sheet(kw.solve(game, objective, **parameters))


def test_sheets_from_the_command_line(run, tmp_path):
    assert "bank from" in run("export pig -f text").out
    for form, ending in (("markdown", "md"), ("html", "html"), ("latex", "tex"), ("text", "txt"), ("pdf", "pdf")):
        assert run(f"export pig -o {tmp_path}/s.{ending}").status == 0
        assert (tmp_path / f"s.{ending}").stat().st_size > 300, form


@pytest.mark.slow
def test_yahtzee_pars():
    """The pars are a policy: what it brings lies below the best, and above what a careless player gets."""
    sheet = make_sheet(kw.solve("yahtzee", "points"))
    assert 0 < loss(sheet) < 20
    assert len(sheet.tables[0].rows) == 13


@pytest.mark.slow
def test_double_cameroon_pars_simulated_by_distribution():
    """Best value less the loss lies between the best and the value of the same fit made worse."""
    from keepwise.output.sheets.cards import evaluate_par_policy, fit_pars

    solution = kw.solve("double-cameroon", "points")
    problem = solution.problem
    par = fit_pars(problem, solution.value_table.arrays["points"])
    start = problem.states.state_index(0, 0)
    found = evaluate_par_policy(problem, par, lambda done: None)[start, 0]
    assert solution.value() - found == pytest.approx(loss(sheet_of("double-cameroon", "points")), abs=5e-3)
    worse = evaluate_par_policy(problem, np.zeros_like(par), lambda done: None)[start, 0]
    assert worse < found < solution.value()


@pytest.mark.slow
def test_sheet_where_some_throws_win_at_once():
    """The points turn knows no winning throws, so its classes are other ones than those of the game that is judged."""
    from keepwise.games import own_game

    shape = {
        "name": "winners",
        "dice": 6,
        "target": 2000,
        "singles": {"1": 100, "5": 50},
        "alike": {"3": {"1": 1000, "2": 200, "3": 300, "4": 400, "5": 500, "6": 600}},
        "special": [{"throw": roll, "then": "win"} for roll in ("223344", "222222", "1146")],
    }
    for objective in ("points", "turns"):
        sheet = make_sheet(kw.solve(own_game(shape), objective, fresh=True))
        assert loss(sheet) >= 0


@pytest.mark.slow
def test_sheets_with_forced_hot_dice_cost_the_stated_loss():
    """Farkle with forced hot dice, played from the page: the six dice thrown again are kept from like a fresh throw."""
    sheet = make_sheet(kw.solve(kw.game("farkle", hot_dice="must"), "points", fresh=True))
    keeps, banks = sheet.tables
    page = {(int(dice), shown): kept for dice, shown, kept, _ in keeps.rows}
    assert len(page) == len(keeps.rows)
    rng = random.Random(2)
    limits = {int(row[0]): row[1].replace(",", "") for row in banks.rows}
    assert [*limits] == [5, 4, 3, 2, 1]  # with six dice nobody may bank
    total = []
    for _ in range(15_000):
        held, left = 0, 6
        while True:
            taken = scoring([rng.randint(1, 6) for _ in range(left)])
            if not taken:
                held = 0
                break
            kept = page.get((left, " ".join(map(str, taken))))
            taken = taken if kept is None else [int(face) for face in kept.split()]
            held += points_farkle(taken)
            left = left - len(taken) or 6
            if left < 6 and held >= int(limits[left]):
                break
        total.append(held)
    said = kw.solve(kw.game("farkle", hot_dice="must"), "points").value() - loss(sheet)
    assert abs(np.mean(total) - said) < 4 * np.std(total) / len(total) ** 0.5 + 0.05


def points_farkle(dice):
    """Points of a set by Farkle's rules: triples, 1s and 5s; two triples may be of one face."""
    total = 0
    for face in set(dice):
        triples, rest = divmod(dice.count(face), 3)
        total += triples * (1000 if face == 1 else 100 * face) + rest * {1: 100, 5: 50}.get(face, 0)
    return total


def test_par_policy_values_equal_a_plain_recursion():
    """Of a card with an upper bonus: in every state, by plain recursion over the throws."""
    from keepwise.games import own_game
    from keepwise.output.sheets.cards import evaluate_par_policy

    boxes = [{"name": "ones", "face": 1}, {"name": "threes", "face": 3}, {"name": "pair", "groups": [2], "points": 5}]
    upper = {"categories": ["ones", "threes"], "at": 4, "bonus": 7}
    game = own_game({"name": "small", "dice": 2, "faces": 3, "throws": 2, "category": boxes, "upper": upper})
    problem = make_problem(game, "points")
    par = np.array([0.7310, 2.6180, 1.4142])
    score = (
        lambda roll: roll.count(1),
        lambda roll: 3 * roll.count(3),
        lambda roll: 5 * (roll[0] == roll[1]),
    )
    rolls = list(product((1, 2, 3), repeat=2))

    def entered(used, roll):
        """The box that is filled, and what that promises."""
        return max((score[box](roll) - par[box], -box) for box in range(3) if not used >> box & 1)

    def promises(used, kept):
        return sum(entered(used, (*kept, *more[: 2 - len(kept)]))[0] for more in rolls) / len(rolls)

    @cache
    def brings(used, upper):
        if used == 7:
            return 7.0 * (upper >= 4)
        total = 0.0
        for roll in rolls:
            keeps = {(), (roll[0],), (roll[1],), roll}
            kept = max(keeps, key=lambda some: (promises(used, some), len(some)))
            for more in rolls:
                whole = (*kept, *more[: 2 - len(kept)])
                box = -entered(used, whole)[1]
                points = score[box](whole)
                total += points + brings(used | 1 << box, min(4, upper + points * (box < 2)))
        return total / len(rolls) ** 2

    found = evaluate_par_policy(problem, par, lambda done: None)
    for used in range(8):
        for upper_total in problem.card.upper_totals[used & problem.card.upper_mask].tolist():
            here = found[problem.states.state_index(used, 0), upper_total]
            assert here == pytest.approx(brings(used, upper_total), abs=1e-12)
