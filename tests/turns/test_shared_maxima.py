"""Maxima over the choices of roll classes that are computed from each other."""

from __future__ import annotations

import random

import pytest

import keepwise as kw
from keepwise.turns.shared_maxima import share_maxima


@pytest.mark.parametrize(
    "hand", ["lucky*2, odd*2, even*2", "weighted, odd, lucky, ordinary, even, pie", "devils-head*3, pie*3"]
)
def test_maxima_by_terms_are_those_of_all_choices(hand):
    rules = kw.game("kingdom-come-2", hand=hand).data
    random_numbers = random.Random(hand)
    for mode in rules.turn.modes:
        classes = [roll_class for roll_class in mode.rolls[0].classes if roll_class[0][0].next_mode >= 0]
        maxima = share_maxima(classes, rules.hands)
        value_of_choice = {choice: random_numbers.random() for choice in maxima.choices}
        values = list(value_of_choice.values())
        for terms in maxima.terms:
            values.append(max(values[term] for term in terms))
        by_terms = zip(values[len(maxima.choices) :], maxima.weights, strict=True)
        plain = [(max(map(value_of_choice.__getitem__, choices)), weight) for choices, weight in classes]
        assert sorted(by_terms) == sorted(plain)


def test_large_hands_share_most_choices():
    rules = kw.game("kingdom-come-2", hand="weighted, odd, lucky, ordinary, even, pie").data
    classes = [roll_class for roll_class in rules.turn.modes[-1].rolls[0].classes if roll_class[0][0].next_mode >= 0]
    choice_count = sum(len(choices) for choices, _ in classes)
    assert sum(map(len, share_maxima(classes, rules.hands).terms)) < choice_count / 2
