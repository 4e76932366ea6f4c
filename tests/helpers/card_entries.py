"""Compare the entries of a compiled card with those of the card as it is played."""

from __future__ import annotations

import toys

import keepwise as kw
from keepwise import games as registry
from keepwise.games.rulefile.loader import load_rules
from keepwise.play.scorecard import Scorecard
from keepwise.solvers.cards.model import CardStates


def compiled_entries(card, states, state, upper, throw):
    """Points and the state that each way to enter a throw leads to, in order, as the kernel reads them."""
    problems, found = states.entry_options, []
    for option in range(problems.option_start[state], problems.option_start[state + 1]):
        column, row = int(problems.column[option]), int(problems.row[option])
        points = int(card.scores[column, throw])
        if points >= 0 and problems.first_roll[option] <= throw < problems.end_roll[option]:
            total = min(upper + int(card.upper_gains[column, throw]), card.max_upper) if card.upper_mask else 0
            found.append((points, Scorecard(int(states.sets[row]), points, total, bool(states.flags[row]))))
    return sorted(found, key=lambda one: -one[0])


def compare_entries(cards, chosen_states, rolls):
    card, count = cards.card, 0
    states = CardStates(card)
    for state in chosen_states(states):
        used, flag = int(states.sets[state]), bool(states.flags[state])
        if used == card.full_mask:
            continue
        for upper in {int(one) for one in card.upper_totals.get(used & card.upper_mask, (0,))[[0, -1]]}:
            own = Scorecard(used, 0, upper, flag)
            for throw in rolls:
                roll = tuple(card.lattice.full_rolls[throw].tolist())
                position = cards.start().__class__((own,), 0, card.throws, (0,) * card.faces, roll)
                played = [(choice.points, choice.after.cards[0]) for choice in cards.choices(position)]
                assert played == compiled_entries(card, states, state, upper, throw), (own, roll)
                count += len(played)
    return count


def card(name):
    if name in toys.RULES:
        return registry.own_game(toys.rules(name))
    return kw.game(name) if name in registry.FILES else load_rules(name)
