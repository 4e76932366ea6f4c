"""The checker on games that nothing proves yet: rounds, playoffs, pots, cards and three players.

Certificates are written by ``certificates``, plainly: rules as data, and lines a little wider than the solved values.
"""

from __future__ import annotations

import certificates
import pytest
import toys

import keepwise as kw
from keepwise.answers.positions import sign_of, worth_of
from keepwise.games import own_game

GAMES = {
    "battleship, a turn": (kw.game("battleship"), "points", None),
    "battleship, turns": (kw.game("battleship", target=10), "turns", None),
    "battleship, a round": (kw.game("battleship", rounds=1), "win", 2),
    "battleship, both dice": (kw.game("battleship", rounds=1, crew="both"), "win", 2),
    "boston, a turn": (kw.game("boston"), "points", None),
    "boston": (kw.game("boston"), "win", 2),
    "multiplication": (kw.game("multiplication"), "points", None),
    "hearts, turns": (kw.game("hearts-due", target=20), "turns", None),
    "hearts": (kw.game("hearts-due", target=15), "win", 2),
    "hearts, three": (kw.game("hearts-due", target=10), "win", 3),
    "pig, three": (kw.game("pig", target=5), "win", 3),
    "one turn each": (own_game(toys.RULES["one turn, lowest"]), "win", 2),
    "joker": (own_game(toys.RULES["joker"]), "points", None),
    "two boxes": (own_game(toys.RULES["two boxes"]), "points", None),
}


def written(game, objective, players):
    """A certificate of a game."""
    solution = kw.solve(game, objective, players, fresh=True)
    table, match = solution.table, solution.match
    system = certificates.System(table)
    worth = worth_of(match, solution.solved, [*system.positions.values()]).by_seat.tolist()
    values = {}
    for (state, position), seats in zip(system.positions.items(), worth, strict=True):
        before = position.own.score if hasattr(position, "own") else 0
        around = table.seats_from(table.mover(position))
        values[state] = [sign_of(match) * seats[seat] - before for seat in around]
    return certificates.written(certificates.head(table), [certificates.lines(system, values)])


@pytest.mark.parametrize("name", GAMES)
def test_lines_around_solved_values_hold(name, checked):
    text = written(*GAMES[name])
    status, said = checked(text)
    assert status == 0, said
    states = [place for place, line in enumerate(text.splitlines()) if line[0].isdigit()]
    assert f"{len(states)} of {len(states)} states hold" in said


@pytest.mark.parametrize("name", GAMES)
def test_a_number_on_the_wrong_side_does_not(name, checked):
    lines = written(*GAMES[name]).splitlines()
    for place in [place for place, line in enumerate(lines) if line[0].isdigit()][:3]:
        state, low, high, *more = lines[place].split()
        for other in ([f"{int(high, 16) + 1:x}", high], [low, f"{int(low, 16) - 1:x}"]):
            bent = " ".join([state, *other, *more])
            assert checked("\n".join([*lines[:place], bent, *lines[place + 1 :], ""]))[0] == 1
