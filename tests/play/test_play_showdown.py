"""Going to Boston and Multiplication as they are played: positions in words, the compiled turn beside it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from playwalk import refused, walk

import keepwise as kw
from keepwise.play import playable

GAMES = [(name, keep) for name in ("boston", "multiplication") for keep in ("forced", "any")]


def make_playable(name="boston", objective="win", players=None, **rules):
    return playable(kw.game(name, **rules), players, objective=objective)


def actions(showdown, **told):
    return [choice.action for choice in showdown.choices(showdown.position(**told))]


def test_turns():
    forced, free = make_playable(), make_playable(keep="any")
    assert actions(forced, roll="631") == ["set aside 6, roll 2 dice"]
    assert actions(free, roll="633") == ["set aside 6, roll 2 dice", "set aside 3, roll 2 dice"]
    assert actions(forced, kept="6", roll="44") == ["set aside 4, roll 1 die"]
    (last,) = make_playable("multiplication", "points").choices(
        make_playable("multiplication", "points").position(kept=34, roll=6)
    )
    assert (last.action, last.points, last.follow_up) == ("the last die is 6: total 42", 42, "end")
    assert actions(forced, kept="43", roll="4") == ["the last die is 4: total 11"]
    assert forced.note(forced.position(roll="631")) == "There is nothing to choose here."
    assert not free.note(free.position(roll="631"))
    assert forced.position(kept="34", roll=6) == forced.position(throw=3, kept="43", roll=6)
    before = forced.position(throw=2, kept=6)
    assert (forced.stage(before), forced.to_dict(before)) == ("throw", {"seat": 0, "throw": 2, "kept": [6]})


def end(showdown, position, total):
    """The position once the turn that begins here has brought this total, in Boston."""
    kept = (min(6, total - 2), min(6, total - 1 - min(6, total - 2)))
    told = {**showdown.to_dict(position), "kept": kept, "roll": total - sum(kept)}
    (choice,) = showdown.choices(showdown.position(**told))
    assert choice.points == total
    return choice.after


def test_the_highest_total_wins_and_those_tied_play_again():
    two = make_playable()
    first = end(two, two.start(), 14)
    assert two.to_dict(first) == {"seat": 1, "beat": 14, "tied": 1}
    assert two.payoffs(end(two, first, 15)) == (0, 1)
    assert two.payoffs(end(two, first, 13)) == (1, 0)
    assert end(two, first, 14) == two.start()


def test_two_who_tie_have_no_playoff_to_tell():
    for players, told in ((2, False), (3, True)):
        assert ("playoff" in [field.name for field in make_playable(players=players).fields]) == told


def test_three_players():
    three = make_playable(players=3)
    second = end(three, three.start(), 14)
    third = end(three, second, 14)
    assert three.to_dict(third) == {"seat": 2, "beat": 14, "tied": 2}
    assert end(three, third, 14) == three.start()
    off = end(three, third, 12)
    assert three.to_dict(off) == {"seat": 0, "playoff": [0, 1]}
    # Who holds the best total is told where it is not the first.
    higher = end(three, second, 16)
    assert three.to_dict(higher) == {"seat": 2, "beat": 16, "tied": 1, "holders": [1]}
    tie = end(three, higher, 16)
    assert three.to_dict(tie) == {"seat": 1, "playoff": [1, 2]}
    again = end(three, tie, 9)
    assert three.to_dict(again) == {"seat": 2, "playoff": [1, 2], "beat": 9, "tied": 1}
    assert three.payoffs(end(three, again, 3)) == (0, 1, 0)
    assert three.position(playoff="0,1,2") == three.start()


@pytest.mark.cases(fast=8)
@pytest.mark.parametrize(("name", "keep"), GAMES)
@pytest.mark.parametrize("players", [1, 2, 3, 6])
def test_games_at_random(name, keep, players):
    showdown = make_playable(name, "points" if players == 1 else "win", players, keep=keep)
    for position in walk(showdown, 5, 30):
        assert players == 1 or position.ended or position.seat in (position.playoff or range(players))


@pytest.mark.parametrize(("name", "keep"), GAMES)
def test_two_readings_of_a_turn(name, keep):
    showdown = make_playable(name, "points", keep=keep)
    turn = showdown.game.data
    met, todo = set(), [showdown.start()]
    while todo:
        position = todo.pop()
        situation = (3 - len(position.kept), sum(position.kept))
        falls = Counter()
        for ways, roll in showdown.rolls(position):
            choices = showdown.choices(roll)
            falls[tuple(turn.choice(move(showdown, choice)) for choice in choices)] += ways
            todo += [choice.after for choice in choices if not choice.after.ended and choice.after not in met]
            met |= {choice.after for choice in choices if not choice.after.ended}
        assert sum(falls.values()) == 6 ** (3 - len(position.kept))
        (throw,) = turn.turn.modes[turn.situations[situation]].rolls
        assert falls == Counter(dict(throw.classes))
    reached = {(3 - len(position.kept), sum(position.kept)) for position in met}
    assert reached | {(3, 0)} == set(turn.situations)
    assert showdown.totals == turn.scores


def move(showdown, choice):
    after = choice.after
    return int(showdown.payoffs(after)[0]) if after.ended else (3 - len(after.kept), sum(after.kept))


def test_forced_means():
    # Boston 931/72, Multiplication 4753/144: the acceptance cases of the rules, from what is played alone.
    for name, mean in (("boston", Fraction(931, 72)), ("multiplication", Fraction(4753, 144))):
        showdown = make_playable(name, "points")

        def value(position, showdown=showdown):
            if position.ended:
                return position.ended[0]
            if position.roll is not None:
                (choice,) = showdown.choices(position)
                return value(choice.after, showdown)
            falls = list(showdown.rolls(position))
            return sum(ways * value(roll, showdown) for ways, roll in falls) / sum(ways for ways, _ in falls)

        assert value(showdown.start()) == mean


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"beat": 14, "tied": 2}, "tied cannot be 2 when only"),
        ({"beat": 2}, "the total to beat cannot be 2; the nearest possible are 3 and 4"),
        ({"tied": 1}, "tied requires beat"),
        ({"seat": 1}, "beat is required"),
        ({"seat": 0, "beat": 14}, "beat is not possible for the first player"),
        ({"seat": 2, "beat": 14}, "seat must be between 0 (the player who began) and 1, not 2"),
        ({"throw": 2, "roll": 42}, "kept: expected 1 die set aside before roll 2, got 0"),
        ({"throw": 1, "kept": 4}, "kept: expected 0 dice set aside before roll 1, got 1"),
        ({"throw": 4}, "between 1 and 3"),
        ({"kept": 4, "roll": 421}, "expected 2 dice, got 3: 4 2 1"),
        ({"roll": 427}, "no die has the face '7'"),
        ({"score": 3}, "unknown field 'score'"),
    ],
)
def test_showdown_positions_that_cannot_occur_are_refused(told, says):
    assert says in refused(make_playable(), **told)


def test_more_that_cannot_occur():
    three = make_playable(players=3)
    assert "beat requires seat, the number of players who have played, if 3 play" in refused(three, beat=14)
    assert "holders must list 1 of the players" in refused(three, seat=1, beat=14, holders=[1])
    assert "3 is the lowest possible total" in refused(three, seat=2, beat=3, tied=1)
    assert three.position(seat=2, beat=3).holders == (0, 1)
    assert "seat 0 is not in the playoff; it must be 1 or 2" in refused(three, playoff="1,2", seat=0)
    assert "beat is not possible for the first player" in refused(three, playoff="1,2", seat=1, beat=14)


def test_the_end_of_a_pot_has_an_id():
    playable = make_playable("boston", objective="win", players=2)
    position = playable.position(seat=1, beat=4)
    end = playable.play_whole_turn(position, "18")
    assert playable.stage(end) == "over"
    assert playable.id(end).endswith("/seat=1/beat=18/tied=1/throw=1")
