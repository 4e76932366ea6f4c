"""What is told of a position is what it is, or is refused: parts of a telling that contradict each other never pass."""

from __future__ import annotations

import random
from contextlib import nullcontext, suppress
from itertools import product
from math import prod

import pytest
import subjects

from keepwise.games.card_rules import Card
from keepwise.util.errors import InputError

MET, TRIED = 8, 60
MOST_WAYS = 2000  # in which the boxes of a card that are not told can be filled


@pytest.mark.checks(least=4)
@pytest.mark.cases(fast=60, slow=60)
@subjects.each(subjects.questions())
def test_mixed_fields_are_read_back_or_refused(question, tally):
    """Positions with one thing of another each: what is read tells it back, or nothing of it where it goes unsaid."""
    playable, rng = question.playable, random.Random(str(question))
    told = [playable.to_dict(position) for position in question.positions(MET)]
    mixed = [(one, other, key) for one, other in product(told, repeat=2) for key in other if one.get(key) != other[key]]
    for one, other, key in rng.sample(mixed, min(len(mixed), TRIED)):
        telling = {**one, key: other[key]}
        with suppress(InputError):
            again = playable.to_dict(playable.position(**telling))
            assert all(is_said_again(telling[name], again.get(name, telling[name])) for name in telling), (
                telling,
                again,
            )
            tally.add()


def is_said_again(told, again) -> bool:
    """Whether a value is the one told, or dice with the total that was told in their place."""
    is_total = isinstance(told, list) and len(told) == 1 and isinstance(again, list) and len(again) == 2
    return again == told or (is_total and {*map(type, told + again)} == {str} and int(told[0]) == sum(map(int, again)))


def is_of_a_card(question) -> bool:
    return isinstance(question.subject.game.data, Card)


@pytest.mark.checks(least=2)
@subjects.each(filter(is_of_a_card, subjects.questions()))
def test_card_totals_must_fit_their_boxes(question, tally):
    """Boxes told with points, their sum and upper totals, some of them changed: read where boxes can hold that."""
    playable, card, rng = question.playable, question.game.data, random.Random(str(question))
    counted = question.objective != "points" or card.total_ranges
    again = card.names.index(card.again_category) if card.flag_count == 2 else -1
    sets = [used for used in card.used_sets().tolist()[:-1] if used.bit_count() % card.boxes == 0]

    def sums(filled) -> list[int]:
        columns = zip(card.columns, card.factors, strict=True)
        return [sum(filled[one] for one in filled if mask >> one & 1) // factor for mask, factor in columns]

    def can_be(filled, uppers, score, told) -> bool:
        """Whether these points by box are what is told; from the last bonus on upper totals are not counted: of boxes
        that are all told they may be told as just so much.
        """
        more = range(len(filled) if filled.get(again) else 1)
        rough = [any(mask >> one & 1 and one not in told for one in filled) for mask in card.columns]
        return (not counted or score in [sum(filled.values()) + card.again_bonus * later for later in more]) and all(
            have == upper or (min(have, upper) >= card.max_upper and (open_ or upper == card.max_upper))
            for have, upper, open_ in zip(sums(filled), uppers, rough, strict=True)
        )

    for _ in range(TRIED):
        used = rng.choice(sets)
        held = {one: sorted(card.possible_points(one, used)) for one in range(len(card.names)) if used >> one & 1}
        hold = {one: rng.choice(points) for one, points in held.items()}
        told = {one for one in held if rng.random() < 0.5 or one == again}
        ways = [[hold[one]] if one in told else points for one, points in held.items()]
        if prod(map(len, ways)) > MOST_WAYS:
            continue
        uppers = [rng.randint(0, card.max_upper) if rng.random() < 0.3 else total for total in sums(hold)]
        score = max(0, sum(hold.values()) + rng.choice((0, 0, 0, -3, -1, 1, 2, 5)))
        telling = {"used": [card.names[one] + f"={hold[one]}" * (one in told) for one in held]}
        telling |= {"score": score} if counted else {}
        telling |= {"upper": uppers if len(uppers) > 1 else uppers[0]} if card.upper_mask else {}
        if question.players == 2:
            telling |= {"opponent_used": telling["used"], "opponents": [score]}
        can = any(can_be(dict(zip(held, way, strict=True)), uppers, score, told) for way in product(*ways))
        with nullcontext() if can else pytest.raises(InputError):
            playable.position(**telling)
        tally.add(can)
