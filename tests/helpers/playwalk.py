"""Walking games as people play them: what every table must keep to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

import pytest

from keepwise.play import PlayableGame
from keepwise.util.errors import InputError


def walk(table: PlayableGame, seed: int, games: int, start: object = None, most: int = 10_000) -> Iterator[object]:
    """Play some games at random, check every position that is met and yield it."""
    rng, seen = random.Random(seed), set()
    for _ in range(games):
        position = table.start() if start is None else start
        for _ in range(most):
            if position not in seen:
                check(table, position)
                seen.add(position)
            yield position
            stage = table.stage(position)
            if stage == "over":
                break
            if stage == "choose":
                position = rng.choice(table.choices(position)).after
            else:
                ways, falls = zip(*table.rolls(position), strict=True)
                assert all(table.stage(fall) == "choose" for fall in falls)
                position = rng.choices(falls, ways)[0]
        else:
            raise AssertionError(f"{table.id_prefix}: no end after {most} steps")


def check(table: PlayableGame, position: object, most: int = 100_000) -> None:
    """One position: what may happen is well formed, and it can be told and read back; of falls the first ``most``."""
    assert hash(position) == hash(position)
    stage = table.stage(position)
    if stage == "over":
        outcome = table.payoffs(position)
        assert len(outcome) == table.players
        assert all(isinstance(one, Fraction) for one in outcome)
        assert sum(outcome) == {"win": 1, "margin": 0}.get(table.objective, sum(outcome))
        assert not table.is_turn_start(position)
        assert table.id(position).startswith(table.id_prefix)
        return
    assert 0 <= table.player_to_move(position) < table.players
    told = table.to_dict(position)
    order = [field.name for field in table.fields]
    assert list(told) == sorted(told, key=order.index), "told in the order of the fields"
    assert len(table.roles) == sum(field.role is not None for field in table.fields), "one field for each role"
    if (decided := table.decision_before_roll(position)) is not None:
        assert stage == "throw"
        assert position in [choice.after for choice in table.choices(decided)]
    assert table.position(**told) == position, told
    name = table.id(position)
    assert table.from_id(name) == position, name
    assert " " not in name
    assert len(name) < 150 * (1 + table.players) + 10 * len(table.boxes(position, 0))
    if stage == "choose":
        choices = table.choices(position)
        assert choices
        assert len({choice.action for choice in choices}) == len(choices)
        afters = [choice.after for choice in choices]
    else:
        falls = list(islice(table.rolls(position), most))
        assert all(type(weight) is int and weight > 0 for weight, _ in falls)
        afters = [after for _, after in falls]
        assert len(set(afters)) == len(afters)
        if len(falls) < most:
            for chance in (table.mishap_probability(position), table.wipe_probability(position)):
                assert chance is None or 0 <= chance <= 1
    for after in afters[:50]:
        assert table.stage(after) in ("choose", "throw", "over")
        if not table.is_turn_start(after) and table.stage(after) != "over":
            assert table.player_to_move(after) == table.player_to_move(position)  # a turn is one seat's


def refused(table: PlayableGame, **told: object) -> str:
    """What is said of a position that cannot occur."""
    with pytest.raises(InputError) as caught:
        table.position(**told)
    message = str(caught.value)
    assert "\n" not in message
    return message
