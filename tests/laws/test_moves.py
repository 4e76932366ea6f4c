"""Turns that share a key are one turn: what is moved to another of them offers the same, in the same words.

So simulations walk one graph for all of them. Moving there and back is nothing; moving, then throwing or choosing, is
throwing or choosing, then moving.
"""

from __future__ import annotations

import random

import subjects

OTHERS = 2  # turns of the same key that one is moved to


def turns_of(table, rng, games):
    """Starts by their key, and positions inside turns with the start of theirs."""
    starts, inside = {}, {}
    for _ in range(games):
        begun = table.start()
        for position in subjects.played(table, rng):
            if table.is_turn_start(position):
                begun = position
                starts.setdefault(table.turn_key(begun), {})[begun] = None
            else:
                inside[position] = begun
    return {key: list(alike) for key, alike in starts.items()}, inside


def reached(table, after, start):
    """Where a fall leads in another turn: moved, where the turn goes on."""
    ended = table.stage(after) == "over" or table.is_turn_start(after)
    return None if ended else table.move_to_turn(after, start)


@subjects.each(subjects.tiny())
def test_turns_with_the_same_key_offer_the_same(question, tally):
    table, rng = question.table, random.Random(str(question))
    starts, inside = turns_of(table, rng, 3 * question.patience)
    for position, begun in rng.sample(list(inside.items()), min(len(inside), 8 * question.patience)):
        alike = starts[table.turn_key(begun)]
        assert table.move_to_turn(position, begun) == position
        for start in rng.sample(alike, min(OTHERS, len(alike))):
            moved = table.move_to_turn(position, start)
            assert table.move_to_turn(moved, begun) == position
            assert table.player_to_move(moved) == table.player_to_move(start)
            assert table.stage(moved) == table.stage(position)
            tally.add()
            if table.stage(position) == "throw":
                falls = [(weight, reached(table, after, start)) for weight, after in table.rolls(position)]
                theirs = list(table.rolls(moved))
                assert [weight for weight, _ in falls] == [weight for weight, _ in theirs]
                assert all(mine in (None, after) for (_, mine), (_, after) in zip(falls, theirs, strict=True))
                continue
            choices = table.choices(position)
            for number, (choice, other) in enumerate(zip(choices, table.choices(moved), strict=True)):
                same = [(one.action, one.keep, one.points, one.dice_left, one.then) for one in (choice, other)]
                assert same[0] == same[1]
                assert table.position_after_choice(position, number, choice, start) == other.after
