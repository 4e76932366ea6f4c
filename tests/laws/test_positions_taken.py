"""What one command takes as a position every command takes: the fields that advice accepts restrict rows as well."""

from __future__ import annotations

from itertools import islice

import pytest
import subjects

import keepwise as kw
from keepwise.output.charts.make import plan_chart
from keepwise.play.position_fields import Role


def close(value, expected, solution):
    return abs(value - expected) <= 1e-9 * max(1.0, abs(expected)) + 2 * solution.error_bound


def decisions(question):
    """Return a few positions in which somebody chooses and that rows can list."""
    playable = question.playable
    fallen = {playable.roles.get(role) for role in (Role.ROLL, Role.FEEL)}
    met = [one for one in question.positions(8) if playable.stage(one) == "choose"]
    if "rolls" not in playable.decision_kinds:
        met = [one for one in met if playable.decision_kinds and fallen.isdisjoint(playable.to_dict(one))]
    return met[:2]


def turns(question):
    """Return a few positions between turns."""
    playable = question.playable
    inside = {field.name for field in playable.fields if field.is_inside_turn}
    met = [one for one in question.positions(8) if playable.stage(one) != "over" and playable.is_turn_start(one)]
    return [one for one in met if inside.isdisjoint(playable.to_dict(one))][:2]


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=30, slow=60)
@subjects.each(subjects.tiny())
def test_every_position_with_advice_is_exported_and_drawn(question, tally):
    solution, playable = question.solution, question.playable
    decided, begun = decisions(question), turns(question)
    for position in decided:
        fields, advice = playable.to_dict(position), solution.advise(position)
        rows = list(solution.policy(**fields))
        assert any(close(row["value"], advice.best.value, solution) for row in rows), (fields, rows, advice.best)
        if len(playable.choices(position)) > 1:
            plan_chart(question.problem, "keeps", position=fields)
    for position in begun:
        fields = playable.to_dict(position)
        rows = list(solution.policy("values", **fields))
        assert any(close(row["value"], solution.value(position), solution) for row in rows), (fields, rows)
    tally.add(len(decided) + len(begun))


def test_points_of_a_turn_are_exported_from_every_score(tally):
    solution = kw.solve("5000", "points")
    rows = list(solution.policy(score=2000, turn=300, dice=2))
    assert [row["value"] for row in rows] == [solution.advise(score=2000, turn=300, dice=2).best.value]
    (between,) = solution.policy("values", score=2000)
    assert between["value"] == solution.value(score=2000)
    assert {row["score"] for row in islice(solution.policy("rolls", score=2000, turn=0, roll="11234"), 10)} == {2000}
    tally.add(len(rows))


def test_a_position_that_cannot_be_is_refused_as_elsewhere(tally):
    solution = kw.solve("pig", "win")
    for fields in ({"score": 1}, {"score": 100}):
        with pytest.raises(kw.InputError) as exported:
            solution.policy(**fields)
        with pytest.raises(kw.InputError) as advised:
            solution.advise(**fields)
        assert str(exported.value) == str(advised.value)
        tally.add()
