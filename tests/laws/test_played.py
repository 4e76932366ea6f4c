"""What may happen is well formed at every position that play leads to, and told in the fields' order.

Weights of throws are positive whole numbers of positions that differ; choices differ in their words; once it is over
every seat gets its share, in fractions. Every position has an id.
"""

from __future__ import annotations

import random
import re

import pytest
import subjects
from playwalk import check

from keepwise.quiz.questions import describe_position


@pytest.mark.cases(fast=105, slow=60)
@subjects.each(subjects.questions())
def test_played_positions_are_well_formed(question, tally):
    playable, rng = question.playable, random.Random(str(question))
    for _ in range(question.patience):
        ended = list(subjects.played(playable, rng))
        for position in rng.sample(ended, min(len(ended), 20)):
            check(playable, position, subjects.MOST_FALLS)
            tally.add()
            if playable.stage(position) != "over":
                assert not re.search("_|[][]|True|None", describe_position(playable, position))
        if playable.stage(ended[-1]) == "choose":
            for choice in playable.choices(ended[-1]):
                check(playable, choice.after, subjects.MOST_FALLS)
