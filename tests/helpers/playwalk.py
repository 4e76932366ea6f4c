"""Walking games as people play them: what every table must keep to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

import pytest

from keepwise.play import PlayableGame
from keepwise.util.errors import InputError


def walk(playable: PlayableGame, seed: int, games: int, start: object = None, most: int = 10_000) -> Iterator[object]:
    """Play some games at random, check every position that is met and yield it."""
    rng, seen = random.Random(seed), set()
    for _ in range(games):
        position = playable.start() if start is None else start
        for _ in range(most):
            if position not in seen:
                check(playable, position)
                seen.add(position)
            yield position
            stage = playable.stage(position)
            if stage == "over":
                break
            if stage == "choose":
                position = rng.choice(playable.choices(position)).after
            else:
                ways, falls = zip(*playable.rolls(position), strict=True)
                assert all(playable.stage(fall) == "choose" for fall in falls)
                position = rng.choices(falls, ways)[0]
        else:
            raise AssertionError(f"{playable.id_prefix}: no end after {most} steps")


def check(playable: PlayableGame, position: object, most: int = 100_000) -> None:
    """One position: what may happen is well formed, and it can be told and read back; of falls the first ``most``."""
    assert hash(position) == hash(position)
    stage = playable.stage(position)
    if stage == "over":
        outcome = playable.payoffs(position)
        assert len(outcome) == playable.players
        assert all(isinstance(one, Fraction) for one in outcome)
        assert sum(outcome) == {"win": 1, "margin": 0}.get(playable.objective, sum(outcome))
        assert not playable.is_turn_start(position)
        assert playable.id(position).startswith(playable.id_prefix)
        return
    assert 0 <= playable.player_to_move(position) < playable.players
    told = playable.to_dict(position)
    order = [field.name for field in playable.fields]
    assert list(told) == sorted(told, key=order.index), "told in the order of the fields"
    assert len(playable.roles) == sum(field.role is not None for field in playable.fields), "one field for each role"
    if (decided := playable.decision_before_roll(position)) is not None:
        assert stage == "throw"
        assert position in [choice.after for choice in playable.choices(decided)]
    assert playable.position(**told) == position, told
    name = playable.id(position)
    assert playable.from_id(name) == position, name
    assert " " not in name
    assert len(name) < 150 * (1 + playable.players) + 10 * len(playable.boxes(position, 0))
    if stage == "choose":
        choices = playable.choices(position)
        assert choices
        assert len({choice.action for choice in choices}) == len(choices)
        afters = [choice.after for choice in choices]
    else:
        falls = list(islice(playable.rolls(position), most))
        assert all(type(weight) is int and weight > 0 for weight, _ in falls)
        afters = [after for _, after in falls]
        assert len(set(afters)) == len(afters)
        if len(falls) < most:
            for chance in (playable.mishap_probability(position), playable.wipe_probability(position)):
                assert chance is None or 0 <= chance <= 1
    for after in afters[:50]:
        assert playable.stage(after) in ("choose", "throw", "over")
        if not playable.is_turn_start(after) and playable.stage(after) != "over":
            assert playable.player_to_move(after) == playable.player_to_move(position)  # a turn is one seat's


def refused(playable: PlayableGame, **told: object) -> str:
    """What is said of a position that cannot occur."""
    with pytest.raises(InputError) as caught:
        playable.position(**told)
    message = str(caught.value)
    assert "\n" not in message
    return message
