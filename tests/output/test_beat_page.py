"""Advice of card pages for ending above another person, in browsers, against the program's answers for ``beat``."""

from __future__ import annotations

import json
import random

import pytest
from browsers import browse

import keepwise as kw
from keepwise.games import FILES
from keepwise.output.adviser_page import render_page
from keepwise.play.playable_game import replace_fields

WORTH = 1e-12  # far below any difference of two choices, and above the rounding of such values


def solved(name, objective):
    return kw.solve(kw.game(name) if name in FILES else kw.load_rules(name), objective)


def page_of(name, tmp_path):
    """Write the page of a game, and return its address."""
    (tmp_path / "page.html").write_text(render_page(solved(name, "points"), sheet=False), encoding="utf-8")
    return (tmp_path / "page.html").as_uri()


def one_step(playable, here, rng):
    """Return the position after a random roll, or after a random choice that mostly scores."""
    if playable.stage(here) == "throw":
        return rng.choice([after for _, after in playable.rolls(here)])
    return rng.choice(sorted(playable.choices(here), key=lambda choice: -choice.points)[:4]).after


def played_to(playable, open_boxes, rng):
    """Return the beginning of a turn with so many open boxes."""
    here = playable.start()
    used = len(playable.card.categories) - open_boxes
    while not (playable.is_turn_start(here) and here.own_card.used.bit_count() == used):
        here = one_step(playable, here, rng)
    return here


def turn_of(playable, start, rng):
    """Return the decisions of a random turn, the last one included."""
    found, here = [], one_step(playable, start, rng)
    while not (playable.is_turn_start(here) or playable.stage(here) == "over"):
        found += [here] if playable.stage(here) == "choose" else []
        here = one_step(playable, here, rng)
    return found


def assert_same(beat, position, told):
    """The page has the program's words, and its choices with their values and ties."""
    advice = beat.advise(position)
    assert told["explain"] == advice.explain()
    assert told["value"] == pytest.approx(beat.value(position), abs=WORTH, rel=0)
    found = {choice["action"]: choice for choice in told["choices"]}
    assert found.keys() == {choice.action for choice in advice.choices}
    for choice in advice.choices:
        assert found[choice.action]["value"] == pytest.approx(choice.value, abs=WORTH, rel=0)
        assert found[choice.action]["tie"] == choice.tie


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "browser", "open_boxes"),
    [
        ("yahtzee", "chromium", (1, 3, 5)),
        ("yahtzee", "firefox", (2, 4)),
        ("yatzy", "chromium", (2, 5)),
        ("kniffel", "chromium", (4,)),
        ("double-cameroon", "chromium", (2, 4)),
    ],
)
def test_cards_against_another_person_equal_the_program(name, browser, open_boxes, tmp_path):
    """Half-filled cards from random play, the opponent's with as many open boxes or one turn more."""
    rng = random.Random(name)
    points, beat = solved(name, "points").playable, solved(name, "beat")
    pairs = [
        (played_to(points, count, rng), played_to(points, other, rng))
        for count in open_boxes
        for other in (count, count + points.card.boxes)
    ]
    positions = [(here, theirs) for start, theirs in pairs for here in (start, *turn_of(points, start, rng))]
    ids = [(points.id(here), points.id(theirs)) for here, theirs in positions]
    code = f"Promise.all({json.dumps(ids)}.map(([own, theirs]) => window.keepwise.beat(own, theirs)))"
    task = {"what": "steps", "file": page_of(name, tmp_path), "steps": [["run", code]]}
    (told,) = browse(browser, tmp_path, [task])
    assert told["errors"] == []
    for (here, theirs), answer in zip(positions, told["told"][0], strict=True):
        assert_same(beat, replace_fields(here, cards=(here.own_card, theirs.own_card)), answer)


STORE = "void localStorage.setItem('keepwise {}', {})"
SOLVED = """new Promise((done) => {
  const look = () => document.querySelector('[data-key="advice for"] option:checked')?.value === 'beat'
    && !document.querySelector('.beat .solving') && !document.querySelector('[data-key="solve turn"]')
    ? done([...document.querySelectorAll('.beat .hint')].map((one) => one.textContent)) : setTimeout(look, 20);
  look(); })"""


def record(name, start):
    """Return a stored game of one person."""
    return {"text": f"game: yahtzee\nobjective: points\nseat: {name} = person\nstart: {start}\n", "undone": []}


def steps_from(prefix, own, theirs, *steps):
    """Return steps of a game of Ann, who moves, and Bob."""
    stored = {**record("Ann", own), "others": [record("Bob", theirs)], "place": 0}
    return [
        ["run", STORE.format(prefix, json.dumps(json.dumps(stored)))],
        ["again"],
        ["select", '[data-key="advice for"]', "beat"],
        *steps,
    ]


def rolled(dice):
    return [["tap", f'[data-key="face {face}"]'] for face in dice]


@pytest.mark.slow
def test_two_people_choose_advice_for_ending_above(tmp_path):
    """The choice says what it means, stays after a reload, and serves both; the last to move faces a full card."""
    points, beat = solved("yahtzee", "points").playable, solved("yahtzee", "beat")
    prefix = points.id(points.start()).partition("/")[0]
    boxes = "ones,twos,threes,fours,fives,sixes,three_of_a_kind,four_of_a_kind,full_house,small_straight"
    own = f"{prefix}/score=180/used={boxes},large_straight,yahtzee=0/upper=60"
    theirs = f"{prefix}/score=178/used={boxes},large_straight,yahtzee=0/upper=58"
    means = (
        "The chance that your total ends above that of {}, who plays on for the most points. "
        "An equal total counts half."
    )
    steps = steps_from(
        prefix,
        own,
        theirs,
        *[["run", SOLVED], ["again"], ["run", SOLVED], *rolled("66542"), ["text", "[role=status]"]],
        *[["texts", ".scores li"], ["texts", ".unit, .advice .hint"], ["axe"], ["sideways"], ["small"]],
        *[
            ["tap", '[data-key="box chance"]'],
            ["tap", '[data-key="box chance"]'],
            ["run", SOLVED],
            *rolled("11342"),
            ["text", "[role=status]"],
        ],
    )
    file = page_of("yahtzee", tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    first, again, advice, scores, hints, axe, sideways, small, second, last = [
        one for one in told["told"] if one is not None
    ]
    assert first == again == [means.format("Bob")]
    assert second == [means.format("Ann")]
    assert (axe, sideways, small) == ([], 0, [])
    assert hints == ["1 pp = one percentage point of this chance."]
    mine, other = (points.from_id(one).own_card for one in (own, theirs))
    here = points.from_id(f"{own}/throw=1/roll=24566")
    by_ann = beat.advise(replace_fields(here, cards=(mine, other)))
    assert advice == by_ann.explain()
    assert scores[0].endswith(f"{100 * by_ann.choices[0].value:.1f}% to end above")
    full = mine._replace(used=points.card.full_mask, score=180 + 23)
    here = points.from_id(f"{theirs}/throw=1/roll=11234")
    assert last == beat.advise(replace_fields(here, cards=(other, full))).explain()


@pytest.mark.slow
def test_early_turns_are_advised_for_points(tmp_path):
    """With too many open boxes the page says so, and the advice is that for the most points."""
    points = solved("yahtzee", "points")
    start = points.playable.id(points.playable.start())
    prefix = start.partition("/")[0]
    steps = steps_from(prefix, start, start, ["run", SOLVED], *rolled("66542"), ["text", "[role=status]"])
    file = page_of("yahtzee", tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    hint, advice = [one for one in told["told"] if one is not None]
    assert hint == [
        "Solving this turn would take more than a minute. Advice is for the most points until fewer boxes are open."
    ]
    assert advice == points.advise(points.playable.from_id(f"{start}/throw=1/roll=24566")).explain()
