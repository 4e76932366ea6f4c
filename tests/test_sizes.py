"""Sizes that are judged before work starts, and inputs that end in one line."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import keepwise as kw
from keepwise.cli import progress
from keepwise.games import own_game
from keepwise.games.pushluck import Kind
from keepwise.matches import match
from keepwise.matches.push.race import RaceSweep
from keepwise.tableside.hands import _hands, number_of_hands

TAKEN_OVER = {"take_over": "free", "finish": "last_round"}
TINY = {
    "name": "tiny",
    "dice": 3,
    "faces": 3,
    "weights": [3, 3, 1],
    "singles": {"2": 3, "1": 1},
    "target": 6,
    "finish": "last_round",
    "opening": 3,
    "below": "must",
    "take_over": "opened",
    "bust": {"costs": [0, 2], "floor": -5},
}


def allocated(sweep: RaceSweep) -> int:
    """Bytes of the arrays that a sweep holds."""
    held = [sweep.pay, sweep.gap, sweep.offered, sweep.last_offered, *sweep.known]
    return sum(array.nbytes for array in held if array is not None)


@pytest.mark.parametrize("name", ["farkle-common", "kingdom-come", "zehntausend", "dix-mille"])
def test_a_last_round_with_dice_taken_over_is_estimated_and_fits(name):
    """The estimate covers the arrays that are really allocated, at a tenth of the target, and all of them fit."""
    asked = match(kw.load_rules(name, target=1000, **TAKEN_OVER), "win")
    assert allocated(RaceSweep(asked.equations, 1, lambda done: None)) <= asked.cost(1).bytes
    assert not match(kw.load_rules(name, **TAKEN_OVER), "win").cost(1).bytes > 2 << 30


def test_a_tiny_race_with_dice_taken_over_takes_little_memory():
    cost = match(own_game(TINY), "win").cost(1)
    assert cost.bytes < 1 << 30


def test_hands_are_counted_without_listing_them():
    own = [Kind(str(count), count, (1,) * 6) for count in (1, 3, 2, 6)]
    listed = [hand for hand in product(*(range(kind.count + 1) for kind in own)) if sum(hand) == 6]
    assert [*_hands([kind.count for kind in own], 6)] == listed
    assert number_of_hands(own, 6) == (len(listed), sum(math.prod(one + 1 for one in hand) for hand in listed))
    assert number_of_hands([Kind(str(one), 6, (1,) * 6) for one in range(20)], 6)[0] == math.comb(25, 6)


def test_best_dice_is_refused_with_the_option_as_it_is_typed(run, tmp_path):
    dice = "".join(f'[[die]]\nname = "d{one}"\ncount = 6\nweights = [1, 1, 1, 1, 1, {one + 1}]\n' for one in range(20))
    (tmp_path / "own.toml").write_text(dice)
    found = run(f"best-dice --rules kingdom-come --own {tmp_path / 'own.toml'}")
    assert found.status == 2
    assert "solving 177,100 hands takes about" in found.err
    assert found.err.endswith("; --anyway solves it all the same\n")


def test_a_hand_that_cannot_be_solved_is_refused_in_one_message(run, tmp_path):
    """The rules refuse a hand before the cost is announced and before any other hand is solved."""
    weights = [[1, 2, 3, 4, 5, 6 + one] for one in range(6)]
    for count in (1, 6):
        dice = [f'[[die]]\nname = "d{one}"\ncount = {count}\nweights = {weights[one]}\n' for one in range(6)]
        (tmp_path / "own.toml").write_text("".join(dice))
        found = run(f"best-dice --rules kingdom-come --own {tmp_path / 'own.toml'}")
        assert found.status == 2
        assert found.err.startswith("keepwise: cannot solve the hand ")
        assert "sets to weigh" in found.err
        assert "takes about" not in found.err
        assert found.err.count("\n") == 1


def test_a_loop_of_links_and_too_large_a_limit_are_one_line(run, tmp_path):
    (tmp_path / "a.npz").symlink_to(tmp_path / "b.npz")
    (tmp_path / "b.npz").symlink_to(tmp_path / "a.npz")
    found = run(f"solve pig --rule target=5 -o {tmp_path / 'a.npz'}")
    assert found.status == 2
    assert "symbolic links" in found.err
    assert found.err.count("\n") == 1
    assert run(f"solve pig --rule target=5 --memory 999999999TiB -o {tmp_path / 'c.npz'}").status == 0


def test_an_own_policy_that_raises_any_exception_is_one_line(run, tmp_path):
    class_text = "class Odd(BaseException):\n    pass\n\n\ndef plays(table, position):\n    raise Odd('x')\n"
    (tmp_path / "mine.py").write_text(class_text)
    found = run(f"simulate pig --policy {tmp_path / 'mine.py'}:plays --games 2")
    assert found.status == 2
    assert "Odd: x" in found.err
    assert found.err.count("\n") == 1


def test_reports_of_work_differ_every_15_seconds():
    told = [progress.elapsed(at) for at in np.arange(15, 1800, 15.0)]
    assert len(set(told)) == len(told)
    assert progress.elapsed(135) == "2 min 15 s"
