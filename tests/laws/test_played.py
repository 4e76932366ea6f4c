"""What may happen is well formed at every position that play leads to, and told in the fields' order.

Weights of throws are positive whole numbers of positions that differ; choices differ in their words; once it is over
every seat gets its share, in fractions.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import islice

import subjects

OUTCOMES = {"win": 1, "margin": 0}  # what the seats get together


def check(table, position):
    """One position."""
    assert hash(position) == hash(position)
    stage = table.stage(position)
    if stage == "over":
        outcome = table.outcome(position)
        assert len(outcome) == table.players
        assert all(isinstance(one, Fraction) for one in outcome)
        assert sum(outcome) == OUTCOMES.get(table.objective, sum(outcome))
        assert not table.turn_begins(position)
        return
    assert 0 <= table.mover(position) < table.players
    told = table.tell(position)
    order = [field.name for field in table.fields]
    assert list(told) == sorted(told, key=order.index)
    assert table.read(**told) == position
    if stage == "choose":
        choices = table.choices(position)
        assert choices
        assert len({choice.action for choice in choices}) == len(choices)
        afters = [choice.after for choice in choices]
    else:
        falls = list(islice(table.throws(position), subjects.MOST_FALLS))
        assert all(type(weight) is int and weight > 0 for weight, _ in falls)
        afters = [after for _, after in falls]
        assert len(set(afters)) == len(afters)
        if len(falls) < subjects.MOST_FALLS:
            mishap = table.mishap(position)
            assert mishap is None or 0 <= mishap <= 1
    for after in afters[:50]:
        assert table.stage(after) in ("choose", "throw", "over")
        if not table.turn_begins(after) and table.stage(after) != "over":
            assert table.mover(after) == table.mover(position)  # a turn is one seat's


@subjects.each(subjects.questions())
def test_what_may_happen_is_well_formed(question):
    table, rng = question.table, random.Random(str(question))
    for _ in range(question.patience):
        ended = list(subjects.played(table, rng))
        for position in rng.sample(ended, min(len(ended), 20)):
            check(table, position)
        if table.stage(ended[-1]) == "choose":
            for choice in table.choices(ended[-1]):
                check(table, choice.after)
