"""The best reply to an opponent who plays a card for points, against plain enumeration that shares no code."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from beat_reference import BOXES, CARD, after, reply, score, throws, totals

import keepwise as kw
from keepwise.util.errors import InputError

BOUND = 1e-12  # far below any difference of two choices, and above the rounding of such small cards


def filled(rng):
    """Return a card with some boxes filled at random: its open boxes, upper total and score."""
    open_boxes, upper, total = (0, 1, 2), 0, 0
    for box in rng.sample(open_boxes, rng.randrange(3)):
        dice = rng.choice(throws(()))
        total += score(box, dice)
        open_boxes, upper = after(open_boxes, upper, box, dice)
    return open_boxes, upper, total


def used(open_boxes):
    """Return the names of the filled boxes."""
    return [name for box, name in enumerate(BOXES) if box not in open_boxes]


@pytest.mark.parametrize("seed", range(12))
def test_reply_equals_plain_enumeration(seed):
    rng = random.Random(seed)
    mine, my_upper, my_score = filled(rng) if seed else ((0, 1, 2), 0, 0)
    theirs, their_upper, their_score = filled(rng) if seed else ((0, 1, 2), 0, 0)
    their_totals = {their_score + more: chance for more, chance in totals(theirs, their_upper).items()}
    value = kw.solve(CARD, "beat").value(
        score=my_score,
        used=used(mine),
        upper=my_upper,
        opponents=[their_score],
        opponent_used=used(theirs),
        opponent_upper=[their_upper],
    )
    truth = reply(mine, my_upper, my_score, their_totals)
    assert abs(Fraction(value) - truth) < BOUND


def test_playing_for_points_wins_half_and_the_reply_more():
    alike = totals((0, 1, 2), 0)
    by_points = sum(p * q * Fraction(1 + (s > t) - (s < t), 2) for s, p in alike.items() for t, q in alike.items())
    assert by_points == Fraction(1, 2)
    assert kw.solve(CARD, "beat").value() >= 0.5


def test_beating_a_full_higher_card_is_impossible():
    solution = kw.solve("double-cameroon", "beat")
    names = [category.name for category in solution.game.data.categories]
    fields = {"score": 0, "used": names[2:], "opponents": [200], "opponent_used": names}
    assert solution.value(**fields) == 0.0
    assert solution.value(**{**fields, "opponents": [0]}) > 0.5


def test_a_card_that_counts_throws_is_refused():
    with pytest.raises(
        InputError, match="it is not solved for scorecards with points that depend on the number of rolls"
    ):
        kw.solve(kw.load_rules("generala"), "beat")


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        ("page yahtzee --objective beat -o page.html", "or use keepwise coach --objective beat"),
        ("simulate yahtzee --objective beat", "keepwise play --objective beat plays one game"),
    ],
)
def test_refusals_of_beat_name_the_command_to_use(run, command, remedy):
    refused = run(command)
    assert refused.status == 2
    assert remedy in refused.err
