"""Questions from real play: worth asking, judged as advice judges, drawn by what is lost, the same everywhere."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from dataclasses import replace
from datetime import date, timedelta

import pytest

import keepwise as kw
from keepwise.policies.registry import parse_choice_function
from keepwise.quiz import leitner
from keepwise.quiz import questions as quiz_module
from keepwise.reviews import GRADES, grade, mistake_label
from keepwise.util.errors import InputError
from keepwise.util.number_format import format_distinct_losses, format_loss


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    ("game", "rules", "objective", "policy"),
    [
        ("pig", {"target": 30}, "win", "hold:5"),
        ("5000", {}, "points", "hold:300"),
        ("battleship", {"rounds": 2}, "win", "source"),
        ("scarney", {}, "points", "weak"),
    ],
)
def test_quiz_questions_have_a_costly_usual_choice(game, rules, objective, policy):
    solution = kw.solve(kw.game(game, **rules), objective)
    questions = quiz_module.make_quiz(solution, policy, count=12, games=300)
    assert len({one.id for one in questions}) == len(questions) > 3
    for one in questions:
        advice = solution.advise(one.id)
        costs = {choice.action: choice.loss for choice in advice.choices}
        assert one.advice == advice
        assert one.loss == costs[one.policy_action] > 0
        assert {advice.best.action, one.policy_action} <= {choice.action for choice in one.choices}
        assert 0 < one.weight <= 1


@pytest.mark.slow
def test_quiz_states_the_choice_of_the_policy():
    solution = kw.solve(kw.game("pig", target=30), "win")
    for one in quiz_module.make_quiz(solution, "hold:5", count=20, games=200):
        position = solution.playable.from_id(one.id)
        assert one.policy_action == parse_choice_function(solution.playable, "hold:5")(position).action


@pytest.mark.slow
def test_draws_are_weighted_and_without_replacement():
    """One weight of three in four: drawn first three times in four, and nothing is drawn twice."""
    firsts = [quiz_module.draw_without_replacement([1.0, 6.0, 1.0], 3, seed) for seed in range(2000)]
    assert all(sorted(one) == [0, 1, 2] for one in firsts)
    assert abs(sum(one[0] == 1 for one in firsts) / 2000 - 0.75) < 0.04


@pytest.mark.slow
def test_quiz_questions_depend_on_the_seed_only(run):
    words = "quiz pig --rule target=30 --from hold:5 --count 4"
    first, again, other = run(words), run(words), run(f"{words} --seed 2")
    assert first.status == 0
    assert first.out == again.out != other.out
    assert first.out.count("best") >= 4
    assert "4. you have" in first.out


@pytest.mark.slow
def test_json_has_every_choice(run):
    told = json.loads(run("quiz battleship --rule rounds=2 --from source --count 2 --json").out)
    assert len(told["questions"]) == 2
    for one in told["questions"]:
        assert {"id", "position", "best", "usual", "loss", "weight", "choices"} <= one.keys()
        assert one["choices"][0]["action"] == one["best"]


@pytest.mark.slow
def test_a_deck_for_anki(run, tmp_path):
    file = tmp_path / "pig.apkg"
    seen = run("quiz", "pig", "--rule", "target=30", "--from", "hold:5", "--count", "3", "--anki", str(file))
    assert seen.status == 0
    assert seen.out == f"{file}: 3 cards\n"
    with zipfile.ZipFile(file) as archive:
        archive.extract("collection.anki2", tmp_path)
    with sqlite3.connect(tmp_path / "collection.anki2") as base:
        notes = [row[0] for row in base.execute("select flds from notes")]
    base.close()
    assert len(notes) == 3
    assert all(note.startswith("pig:win2:") and "best" in note for note in notes)
    for note in notes:  # a picture of the die that lies there
        (roll,) = re.search(r"roll=(\d)", note)[1]
        assert ">⚀<".replace("⚀", "⚀⚁⚂⚃⚄⚅"[int(roll) - 1]) in note


@pytest.mark.slow
def test_faces_that_no_die_has_are_pictured_too():
    (one,) = quiz_module.make_quiz(kw.solve("scarney", "points"), "weak", count=1, games=50)
    faces = one.position.get("roll", [])
    assert quiz_module.dice_picture(one) == " ".join(
        "[d]" if face == "d" else "⚀⚁⚂⚃⚄⚅"[int(face) - 1] for face in faces
    )


EVENING = """game: pig
objective: win
seat: You = person
seat: Engine = weak
dice: mine
start: START

You: 5
You: keep 5, roll 1 die
You: 4
You: keep 4, bank 9
Engine: 4
Engine: keep 4, bank 4
"""


def test_quiz_from_a_game_asks_about_its_mistakes(run, tmp_path):
    file = tmp_path / "evening.kw"
    playable = kw.playable("pig")
    evening = EVENING.replace("START", playable.id(playable.position(score=80, opponents=[40])))
    file.write_text(evening)
    seen = run("quiz", "--from", str(file), "--json")
    assert seen.status == 0
    (one,) = json.loads(seen.out)["questions"]  # the engine's mistake is not asked about
    assert one["usual"] == "keep 4, bank 9"
    costs = kw.solve("pig").advise(one["id"]).choices
    assert one["loss"] == next(choice.loss for choice in costs if choice.action == one["usual"])
    assert "leave --objective out" in run("quiz", "--objective", "win", "--from", str(file)).err
    assert "is a game of pig, not of 5000" in run("quiz", "5000", "--from", str(file)).err
    file.write_text(evening.rpartition("You: keep 4")[0])
    assert (
        "no quiz can be made from this game: the people in it made no mistake" in run("quiz", "--from", str(file)).err
    )
    assert "nowhere.kw" in run("quiz", "--from", "nowhere.kw").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("pig --from best", "policy best makes no mistakes"),
        ("pig --from loses:0 --rule target=10", "policy loses:0 makes no mistakes in this game"),
        ("pig --from nonsense", "unknown policy 'nonsense'"),
        ("pig --level 2 --from sheet", "--level cannot be combined with --from"),
        ("pig --level 7", "the level of a sheet must be between 1 and 4, not 7"),
        ("pig --count 0", "count must be between 1 and 1,000, not 0"),
        ("pig --anki nowhere/x.apkg", "nowhere"),
        ("--rules generala --from sheet", "strategy sheets are not available for a scorecard whose points depend"),
        ("hearts-due --rule target=20", "no quiz for hearts-due: the game has no decisions"),
        (
            "scarney --rule double=chips --objective chips",
            "policy careless cannot be combined with the objective chips",
        ),
    ],
)
def test_quiz_refuses_bad_arguments(refused, words, said):
    refused(said, f"quiz {words}")


def test_a_deck_needs_genanki(monkeypatch, tmp_path):
    monkeypatch.setattr("keepwise.util.optional_imports.find_spec", lambda library: None)
    with pytest.raises(InputError, match=r'pip install .*\[anki\]"'):
        quiz_module.write_anki([], tmp_path / "x.apkg", "x")


# --- asked at the prompt, and again


def test_leitners_boxes(tmp_path):
    """Missed, then right five times at the day it is due: asked after 1, 2, 4, 8, 16 days, and then no more."""
    path, day = tmp_path / "quiz.json", date(2026, 1, 31)
    boxes = leitner.LeitnerBoxes(path)
    boxes.record_answer("pig:win2:0/score=1", True, "bank 1", day)
    assert not path.exists(), "who is right at once has nothing to learn there"
    boxes.record_answer("pig:win2:0/score=1", False, "bank 1", day)
    for days in leitner.DAYS:
        boxes = leitner.LeitnerBoxes(path)
        assert boxes.due_cards("pig:win2:0", day + timedelta(days=days - 1)) == []
        day += timedelta(days=days)
        assert boxes.due_cards("pig:win2:0", day) == [("pig:win2:0/score=1", "bank 1")]
        assert boxes.due_cards("pig:win2:1", day) == boxes.due_cards("pig:win2", day) == []
        boxes.record_answer("pig:win2:0/score=1", True, "roll", day)
    assert leitner.LeitnerBoxes(path).cards == {}
    boxes.record_answer("pig:win2:0/score=1", False, "bank 1", day)
    boxes.record_answer("pig:win2:0/score=1", True, "roll", day)
    boxes.record_answer("pig:win2:0/score=1", False, "bank 1", day)
    assert leitner.LeitnerBoxes(path).cards["pig:win2:0/score=1"][0] == 1


@pytest.mark.parametrize("told", ["[]", "{", '{"x": 1}', '{"x": {"box": 9, "due": "2026-01-01", "said": ""}}', "\xff"])
def test_a_record_that_is_none_is_refused(tmp_path, told):
    (tmp_path / "quiz.json").write_bytes(told.encode("latin-1"))
    with pytest.raises(InputError, match="is not a quiz record"):
        leitner.LeitnerBoxes(tmp_path / "quiz.json")


WORDS = "quiz pig --rule target=30 --from hold:5 --count 3"


@pytest.mark.slow
def test_missed_questions_return_the_same_day_and_later(run, monkeypatch):
    solution = kw.solve(kw.game("pig", target=30))
    first, *_ = questions = quiz_module.make_quiz(solution, "hold:5", count=3)
    right = [one.advice.best.action for one in questions]
    typed = [first.policy_action, *right[1:], right[0]]
    monkeypatch.setattr(leitner, "today", lambda: date(2026, 1, 1))
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(typed) + "\n"))
    seen = run(f"{WORDS} --ask")
    assert (seen.status, seen.err) == (0, "")
    assert re.search(r"total +3 +2 |  stopping too early +3 +2 ", seen.out)
    assert "You missed 1 question. Try again." in seen.out
    assert seen.out.count("Right: ") == 3
    assert f"{first.policy_action} costs " in seen.out
    later = "quiz pig --rule target=30 --from hold:5 --count 1 --seed 2"
    monkeypatch.setattr(leitner, "today", lambda: date(2026, 1, 2))
    asked = run(f"{later} --print").out
    assert re.search(rf"last time: {re.escape(first.policy_action)}\n +id {re.escape(first.id)}", asked)
    assert first.id not in run(f"{later} --json").out, "lists for programs hang on the seed alone"


@pytest.mark.slow
def test_leaving_a_quiz_reports_the_answers_so_far(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n"))
    left = run(f"{WORDS} --ask")
    assert left.status == 0
    assert re.search(r"stopping too (early|late) +1 +[01] .*\n(  marked.*\n)?Your answers cost ", left.out)


def test_skipped_questions_count_as_missed(run, monkeypatch):
    """The report counts the usual answer, which is named and explained."""
    (one,) = quiz_module.make_quiz(kw.solve(kw.game("pig", target=30)), "hold:5", count=1)
    monkeypatch.setattr("sys.stdin", io.StringIO("skip\nquit\n"))
    seen = " ".join(run("quiz pig --rule target=30 --from hold:5 --count 1 --ask").out.split())
    before, after = seen.split(f"Skipped; this counts as the usual mistake: {one.policy_action}.")
    assert "best is" not in before
    assert f"{one.policy_action} costs {format_loss(one.loss, 'win')}; best is {one.advice.best.action}" in after
    assert f"{format_loss(one.loss, 'win')} worse" in after
    assert f"{one.kind} 1 0 {format_loss(one.loss, 'win')}" in after


def test_why_before_an_answer_is_not_a_miss(run, monkeypatch):
    """It says to answer first and nothing of what is best; the answer that follows counts."""
    (one,) = quiz_module.make_quiz(kw.solve(kw.game("pig", target=30)), "hold:5", count=1)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"why\n{one.advice.best.action}\n"))
    seen = " ".join(run("quiz pig --rule target=30 --from hold:5 --count 1 --ask").out.split())
    before, after = seen.split(f"Right: {one.advice.best.action}")
    assert "Answer first; why then explains the best choice." in before
    assert "best is" not in before
    assert "worse" not in seen
    assert f"{one.kind} 1 1 0.00 pp" in after


def test_why_after_an_answer_explains_it_and_is_not_a_miss(run, monkeypatch):
    """While the next question is on the screen, and once more before the report."""
    solution = kw.solve(kw.game("pig", target=30))
    first, last = quiz_module.make_quiz(solution, "hold:5", count=2)
    typed = [first.advice.best.action, "why", "why a", "why z", last.advice.best.action, "x", "why", ""]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(typed) + "\n"))
    seen = " ".join(run("quiz pig --rule target=30 --from hold:5 --count 2 --ask").out.split())
    assert seen.count(f"The last answer: {solution.why(first.id).text}") == 2, "a is the only other choice"
    assert f"The last answer: {solution.why(last.id).text}" in seen
    assert "z is not the letter of a choice here; the letters are a and b; or type help" in seen
    assert "Press Enter for the report, or type why." in seen
    assert seen.count("Right: ") == 2
    assert "Try again" not in seen
    assert "Your answers cost 0.00 pp on average; grade: flawless." in seen


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("game", "rules", "objective"),
    [
        ("pig", {"target": 30}, "win"),
        ("5000", {}, "points"),
        ("yahtzee", {}, "points"),
        ("scarney", {"frames": 1}, "win"),
        ("battleship", {"rounds": 2}, "win"),
        ("booby-trap", {}, "margin"),
        ("pig", {}, "turns"),
    ],
)
def test_quiz_report_sums_the_losses_of_the_answers(game, rules, objective):
    """Every row by the costs that advice tells, alternating the best with the worst that is asked about."""
    solution = kw.solve(kw.game(game, **rules), objective)
    questions = quiz_module.make_quiz(solution, count=6, games=40)
    answers = [
        (one, sorted(one.choices, key=lambda choice: choice.loss)[-(place % 2)]) for place, one in enumerate(questions)
    ]
    lines = quiz_module.report_lines(solution, answers, "careless", width=120)
    for kind in {one.kind for one in questions}:
        own = [(one, choice) for one, choice in answers if one.kind == kind]
        told = lambda number: format_loss(number, objective)  # noqa: E731
        lost = sum(choice.loss for _, choice in own if not choice.tie)
        beat = sum(one.loss for one, _ in own) / len(own)
        right = sum(choice.tie for _, choice in own)
        row = [
            mistake_label(solution.playable, kind),
            str(len(own)),
            str(right),
            told(lost),
            told(lost / len(own)),
            told(beat),
        ]
        assert row in [re.split("  +", line.strip()) for line in lines]
    mean = sum(choice.loss for _, choice in answers if not choice.tie) / len(answers)
    (said,) = (line for line in lines if line.startswith("Your answers cost"))
    aims = [most for most, _ in GRADES] if objective == "win" else [least for least, _ in solution.marks]
    aim = max((one for one in aims if one < mean), default=None)
    own, least = format_distinct_losses(mean, aim or 0.0, objective)
    assert said == f"Your answers cost {own} on average{f'; grade: {grade(mean)}' if objective == 'win' else ''}."
    assert [line.split(" per answer")[0] for line in lines if line.startswith("Next goal")] == (
        [] if aim is None else [f"Next goal: {least}"]
    )


def test_a_report_shows_how_far_the_aim_is():
    """What an answer costs and what to aim at never read the same: with two decimals both would be 0.50%."""
    solution = kw.solve(kw.game("pig", target=30))
    (one,) = quiz_module.make_quiz(solution, "hold:5", count=1)
    answered = replace(one.advice.choices[-1], loss=0.005004, tie=False)
    lines = quiz_module.report_lines(solution, [(one, answered)], "hold:5")
    assert "Your answers cost 0.5004 pp on average; grade: good." in lines
    assert "Next goal: 0.5000 pp per answer (advanced)." in lines


def test_describe_position_lists_scores_and_turn_in_words():
    playable = kw.playable("pig", 3)
    position = playable.position(score=62, opponents=[85, 7], seat=2, turn=17, roll="4")
    told = "you have 62, the players after you have 85, 7, turn 17, dice 1, roll 4"
    assert quiz_module.describe_position(playable, position) == told
    playable = kw.playable("booby-trap")
    told = quiz_module.describe_position(playable, playable.position(left="3,0,1", score=3, opponents=[1]))
    assert told.startswith("left 3 large, 0 medium, 1 small, you have 3")
    playable = kw.playable("yahtzee", objective="points")
    assert "used ones, full house," in quiz_module.describe_position(
        playable, playable.position(used="ones,full house", upper=2)
    )


def test_a_sheet_without_mistakes_gives_way_to_careless(run):
    """Nobody may stop in Threes, and its full sheet is optimal."""
    asked = ("quiz", "--rules", "threes", "--objective", "points", "--count", "2")
    assert "mistakes of careless" in run(*asked).out
    assert "policy sheet makes no mistakes in this game" in run(*asked, "--from", "sheet").err
