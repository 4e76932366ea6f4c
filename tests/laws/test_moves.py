"""Turns that share a key are one turn: what is moved to another of them offers the same, in the same words.

So simulations walk one graph for all of them. Moving there and back is nothing; moving, then throwing or choosing, is
throwing or choosing, then moving.
"""

from __future__ import annotations

import random

import subjects

OTHERS = 2  # turns of the same key that one is moved to


def turns_of(playable, rng, games):
    """Starts by their key, and positions inside turns with the start of theirs."""
    starts, inside = {}, {}
    for _ in range(games):
        begun = playable.start()
        for position in subjects.played(playable, rng):
            if playable.is_turn_start(position):
                begun = position
                starts.setdefault(playable.turn_key(begun), {})[begun] = None
            else:
                inside[position] = begun
    return {key: list(alike) for key, alike in starts.items()}, inside


def reached(playable, after, start):
    """Where a fall leads in another turn: moved, where the turn goes on."""
    ended = playable.stage(after) == "over" or playable.is_turn_start(after)
    return None if ended else playable.move_to_turn(after, start)


@subjects.each(subjects.tiny())
def test_turns_with_the_same_key_offer_the_same(question, tally):
    playable, rng = question.playable, random.Random(str(question))
    starts, inside = turns_of(playable, rng, 3 * question.patience)
    for position, begun in rng.sample(list(inside.items()), min(len(inside), 8 * question.patience)):
        alike = starts[playable.turn_key(begun)]
        assert playable.move_to_turn(position, begun) == position
        for start in rng.sample(alike, min(OTHERS, len(alike))):
            moved = playable.move_to_turn(position, start)
            assert playable.move_to_turn(moved, begun) == position
            assert playable.player_to_move(moved) == playable.player_to_move(start)
            assert playable.stage(moved) == playable.stage(position)
            tally.add()
            if playable.stage(position) == "throw":
                falls = [(weight, reached(playable, after, start)) for weight, after in playable.rolls(position)]
                theirs = list(playable.rolls(moved))
                assert [weight for weight, _ in falls] == [weight for weight, _ in theirs]
                assert all(mine in (None, after) for (_, mine), (_, after) in zip(falls, theirs, strict=True))
                continue
            choices = playable.choices(position)
            for number, (choice, other) in enumerate(zip(choices, playable.choices(moved), strict=True)):
                same = [(one.action, one.keep, one.points, one.dice_left) for one in (choice, other)]
                assert same[0] == same[1]
                assert playable.position_after_choice(position, number, choice, start) == other.after
