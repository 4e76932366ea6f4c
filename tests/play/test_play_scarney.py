"""Straight Scarney as it is played: the source's cases, positions in words, the compiled frame beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from playwalk import refused, walk

import keepwise as kw
from keepwise.play import playable
from keepwise.play.input_parser import parse_choice
from keepwise.util.errors import InputError


def make_playable(objective="win", players=None, **rules):
    if objective == "chips":
        rules = {"double": "chips", **rules}
    return playable(kw.game("scarney", **rules), players, objective=objective)


def offered(scarney, **told):
    return [(choice.follow_up, choice.points, choice.dice_left) for choice in scarney.choices(scarney.position(**told))]


def test_choices_of_older_game_files_say_throw():
    scarney = make_playable()
    position = scarney.position(roll="346d")
    older, newer = (parse_choice(scarney, position, f"dead {verb}, roll 3 dice") for verb in ("throw", "roll"))
    assert older == newer
    assert newer.action == "dead roll, roll 3 dice"


def test_cases_of_the_source():
    scarney = make_playable()
    # 17 points, hit, 16 plus three of a kind: 53; a dead die: nothing held, and on with the rest.
    assert offered(scarney, turn=17, roll="33361") == [("stop", 53, 0), ("hit", 53, 5)]
    assert offered(scarney, turn=17, roll="346d") == [("throw", 0, 3), ("double", 0, 3)]
    # 15 points plus three of a kind, doubled: 50.
    assert offered(scarney, roll="3336", double=True)[0] == ("stop", 50, 0)
    # One die doubled: 1 -> 2, 3 -> 3, 4 -> 4, 6 -> 12.
    for die, points in {1: 2, 3: 3, 4: 4, 6: 12}.items():
        assert offered(scarney, roll=die, double=True)[0] == ("stop", points, 0)
    # Bonuses: four alike 40, full house 30, three alike 20, two pairs 10.
    for roll, points in {"33334": 56, "33311": 41, "33316": 36, "3311": 18, "33116": 24, "1346": 14}.items():
        assert offered(scarney, roll=roll)[0] == ("stop", points, 0)


def test_little_and_big_scarney():
    assert offered(make_playable(), turn=17, roll="ddddd"[1:] + "6") == [("stop", 42, 0), ("hit", 42, 1)]
    assert offered(make_playable(little="dead"), turn=17, roll="6dddd") == [("stop", 25, 0), ("hit", 25, 1)]
    assert offered(make_playable(), roll="dddd") == [("end", 0, 0)], "four dead of four is a crap-out"
    for roll in ("66666", "ddddd"):
        (big,) = make_playable(players=3).choices(make_playable(players=3).position(seat=1, roll=roll))
        assert (big.action, make_playable(players=3).payoffs(big.after)) == (
            "Big Scarney wins the game at once",
            (0, 1, 0),
        )
    assert offered(make_playable("points"), roll="66666") == [("stop", 30, 0), ("hit", 30, 5)]
    assert offered(make_playable("points"), roll="ddddd") == [("end", 0, 0)]


def play_frames(scarney, frames):
    """Play a game in which every frame's points come in one or more live throws of five dice."""
    position = scarney.start()
    for points in frames:
        roll = next(
            (
                after
                for _, after in scarney.rolls(throw(scarney, position))
                if scarney.choices(after)[0].points == points
            ),
            None,
        )
        assert roll, points
        position = scarney.choices(roll)[0].after
    return position


def throw(scarney, position):
    return scarney.choices(position)[0].after if scarney.stage(position) == "choose" else position


def test_ties_are_played_off_by_who_holds_them_in_the_same_order():
    scarney = make_playable(players=3, frames=2)
    position = play_frames(scarney, [15, 17, 18, 20, 18, 17])  # 35, 35, 35
    assert (position.playoff, position.scores, position.seat) == ((0, 1, 2), (0, 0, 0), 0)
    position = play_frames(make_playable(players=3, frames=1), [18, 17, 18])
    assert (position.playoff, position.scores, position.seat) == ((0, 2), (0, 0, 0), 0)
    told = {"seat": 0, "playoff": [0, 2], "score": 0, "opponents": [0, 0]}
    one = make_playable(players=3, frames=1)
    assert one.to_dict(position) == told
    # Seat 1 is out: seat 2 is next, and 20 beats 17.
    second = enter(one, position, 17)
    assert (second.seat, second.scores) == (2, (17, 0, 0))
    assert one.payoffs(enter(one, second, 20)) == (0, 0, 1)
    again = enter(one, second, 17)
    assert again == position, "an extra frame that ties again comes back to itself"


def enter(scarney, position, points):
    falls = [after for _, after in scarney.rolls(throw(scarney, position))]
    return next(c.after for fall in falls for c in scarney.choices(fall) if (c.follow_up, c.points) == ("stop", points))


def test_chips():
    scarney = make_playable("chips", frames=1)
    start = scarney.start()
    assert start.pot == 20
    plain, doubled = scarney.choices(start)
    assert (plain.after.pot, doubled.after.pot, doubled.after.spent) == (20, 21, (1, 0))
    assert doubled.after.double
    second = enter(scarney, replace(start, pot=21, spent=(1, 0)), 18)
    assert scarney.to_dict(second) == {"frame": 1, "seat": 1, "score": 0, "opponents": [18], "pot": 21, "spent": [0, 1]}
    # The second shooter doubles down too and craps out: the pot of 22 for the first, a chip each paid.
    dead = scarney.position(frame=1, seat=1, opponents=[18], pot=22, roll="d", spent=[1, 1])
    (crapped,) = scarney.choices(dead)
    assert scarney.payoffs(crapped.after) == (21, -1)
    # What a position is worth does not know what was paid before it was told.
    assert scarney.position(seat=1, opponents=[18], pot=22).spent == (0, 0)


def test_chances():
    scarney = make_playable()
    falls = list(scarney.rolls(throw(scarney, scarney.start())))
    assert sum(ways for ways, _ in falls) == 6**5
    big = sum(ways for ways, after in falls if scarney.choices(after)[0].follow_up == "win")
    assert Fraction(big, 6**5) == Fraction(1, 216)
    # Points are lost by one to three dead dice of five; four are Little Scarney, five Big Scarney.
    lost = sum(ways for ways, after in falls if 1 <= after.roll.count("d") <= 3)
    assert scarney.mishap_probability(scarney.position(turn=17, live=5, throwing=True)) == Fraction(lost, 6**5)
    assert scarney.mishap_probability(scarney.position(turn=17, live=2, throwing=True)) == Fraction(5, 9)
    assert scarney.mishap_probability(scarney.start()) is None


def test_a_throw_in_words():
    scarney = make_playable()
    said = [scarney.describe_roll(choice.after) for choice in scarney.choices(scarney.position(live=1))]
    assert said == [("roll 1 die", 1), ("double down with 1 die", 1)]
    assert scarney.describe_roll(scarney.position(turn=17, live=4, throwing=True)) == ("hit with 4 dice", 4)


def test_scarney_rolls_drop_irrelevant_fields():
    scarney = make_playable()
    assert scarney.position(roll="346dd", double=True) == scarney.position(roll="43625")
    assert scarney.position(roll="3", double=True) == scarney.position(roll="3")
    assert scarney.position(roll="6", double=True) != scarney.position(roll="6")
    assert scarney.position(roll="3", turn=20, opposite=True) == scarney.position(roll="4", turn=20)
    assert scarney.position(live=1, opposite=True) == scarney.position(live=1)
    assert "opposite changes no value" in scarney.note(scarney.position(live=1))
    assert not scarney.note(scarney.start())
    off = make_playable(double="off")
    assert off.position(live=3, throwing=True) == off.position(live=3)
    assert (off.stage(off.start()), scarney.stage(scarney.start())) == ("throw", "choose")


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize(
    ("objective", "players", "rules"),
    [
        ("points", 1, {}),
        ("points", 1, {"double": "off", "little": "dead"}),
        ("win", 2, {"frames": 1}),
        ("win", 2, {"double": "off"}),
        ("win", 3, {"frames": 2, "little": "dead"}),
        ("win", 6, {"frames": 1}),
        ("chips", 2, {"frames": 2}),
        ("chips", 4, {"frames": 1, "ante": 3}),
    ],
)
def test_games_at_random(objective, players, rules):
    scarney = make_playable(objective, players, **rules)
    for position in walk(scarney, 7, 10):
        if position.ended and objective == "chips":
            assert sum(scarney.payoffs(position)) == scarney.antes


@pytest.mark.parametrize("live", range(1, 6))
def test_the_ways_of_a_throw(live):
    scarney = make_playable()
    assert sum(ways for ways, _ in scarney.rolls(scarney.position(live=live, throwing=True))) == 6**live


def test_extra_frames_at_random():
    three = make_playable(players=3)
    for position in walk(three, 8, 10, three.position(playoff="0,2")):
        assert position.scores[1] == 0
        assert position.seat != 1


# --- two readings: the frame as it is compiled for the kernel


def compiled_throw(rules, live, doubled, held, spent):
    """Ways to each kind of end of a throw, as the kernel sees them."""
    places = {mode: place for place, mode in rules.mode_by_decision.items()}
    found = Counter()
    for (choice,), ways in rules.compile_roll(live, doubled, spent).classes:
        if choice.next_mode >= 0:
            dice, holds, paid = places[choice.next_mode]
            points = choice.added_points + (held if choice.keeps_points else 0)
            found["holding" if holds else "free", dice, points, paid] += ways
        elif choice == rules.big_scarney:
            found["big", 0, 0, 0] += ways
        else:
            found["crapped", 0, 0, -1 - choice.next_mode] += ways
    return found


def played_throw(scarney, position, before):
    found = Counter()
    for ways, after in scarney.rolls(position):
        choices = scarney.choices(after)
        first, last = choices[0], choices[-1]
        paid = after.pot - before if scarney.chips else 0
        if first.follow_up in ("win", "end"):
            found[{"win": ("big", 0, 0, 0), "end": ("crapped", 0, 0, paid)}[first.follow_up]] += ways
        else:
            assert [c.follow_up for c in choices] == expected(scarney, first.points)
            found["holding" if first.points else "free", last.dice_left, first.points, paid] += ways
    return found


def expected(scarney, points):
    return ["stop", "hit"] if points else ["throw", "double"] if scarney.may_double else ["throw"]


@pytest.mark.parametrize(
    ("objective", "double"),
    [("points", "free"), ("points", "off"), ("win", "free"), ("win", "off"), ("chips", "chips")],
)
@pytest.mark.parametrize("little", ["score", "dead"])
def test_two_readings_of_a_frame(objective, double, little):
    scarney = make_playable(objective, little=little, double=double)
    rules = replace(scarney.game.data, big_scarney_wins=objective != "points")
    turn = rules.turn if not rules.counts_chips else rules.compile_frame(0)
    for (live, holds, spent), mode in rules.mode_by_decision.items():
        here = turn.modes[mode]
        held = 30 if holds else 0
        chips = {"pot": scarney.antes + spent, "frame": 2} if scarney.chips else {}
        position = scarney.position(turn=held, live=live, **chips)
        assert (here.bank_ending is not None) == holds
        choices = scarney.choices(position) if scarney.stage(position) == "choose" else ()
        thens = [choice.follow_up for choice in choices] or ["throw"]
        assert len(here.rolls) == len([then for then in thens if then != "stop"])
        throws = [choice.after for choice in choices if choice.follow_up != "stop"] or [position]
        for doubled, (throw, to) in enumerate(zip(here.rolls, throws, strict=True)):
            paid = spent + (doubled and rules.counts_chips)
            wanted = compiled_throw(rules, live, bool(doubled), held, paid)
            assert played_throw(scarney, to, scarney.antes) == wanted
            assert throw == rules.compile_roll(live, bool(doubled), paid)


def test_reachable_points_agree_with_the_turn_model():
    for double, little in product(("free", "off"), ("score", "dead")):
        scarney = make_playable(double=double, little=little)
        rules = scarney.game.data
        reachable = rules.turn.reachable_points_by_mode(200)
        for live in range(1, 6):
            assert scarney.reachable_points(live, 200) == reachable[rules.points_mode(live)] & ((1 << 201) - 1)


# --- positions that cannot occur


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"roll": "12d46"}, "mixes d and 2, two names of one face"),
        ({"roll": "17"}, "no die has the face '7'"),
        ({"roll": ""}, "the roll is empty"),
        ({"roll": "134613"}, "expected at most 5 dice, got 6"),
        ({"live": 4, "roll": "13461"}, "live is 4, but the roll has 5 dice"),
        ({"turn": 17, "roll": "1346", "double": True}, "only while holding 0 points"),
        ({"double": True}, "double requires roll or throwing"),
        ({"live": 2, "opposite": True}, "single live die"),
        ({"roll": "1346", "throwing": True}, "throwing cannot be combined with roll"),
        ({"live": 6}, "between 1 and 5"),
        ({"frame": 8}, "between 1 and 7"),
        ({"seat": 2}, "seat must be between 0 (the player who began) and 1, not 2"),
        ({"score": 20}, "score must be 0 in frame 1, not 20"),
        ({"opponents": 20}, "must be 0, not 20: in frame 1"),
        ({"opponents": "20,30"}, "opponents: expected 1 score for 2 players, got 2"),
        ({"turn": 2, "live": 3}, "turn cannot be 2 with 3 live dice"),
        ({"dice": 3}, "unknown field 'dice'"),
        ({"frame": "x"}, "must be a whole number, not 'x'"),
        ({"playoff": "0"}, "two or more different numbers"),
        ({"playoff": "0,1", "frame": 7}, "leave out frame"),
        ({"playoff": "0,1", "score": 5}, "in an extra frame points count from 0"),
    ],
)
def test_scarney_positions_that_cannot_occur_are_refused(told, says):
    assert says in refused(make_playable(), **told)


def test_more_that_cannot_occur():
    assert "the rule double=off" in refused(make_playable(double="off"), roll=13461, double=True)
    three = make_playable(players=3)
    assert "seat 1 is not in the playoff; it must be 0 or 2" in refused(three, playoff="0,2", seat=1)
    assert "opponents: expected 2 scores" in refused(three, opponents=5)
    chips = make_playable("chips")
    assert "pot must be 20, not 26" in refused(chips, pot=26)
    assert "between 20 and 25" in refused(chips, seat=1, pot=26)
    assert "pot must be 21" in refused(chips, pot=20, throwing=True, double=True)
    assert chips.position(playoff="0,1", pot=500).pot == 500
    assert "with a sum of at most" in refused(chips, seat=1, pot=21, spent=[1, 1])
    with pytest.raises(InputError, match="requires the rule double=chips"):
        playable("scarney", objective="chips")
    with pytest.raises(InputError, match="requires the objective chips"):
        make_playable("win", double="chips")
