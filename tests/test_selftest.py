"""An installation that checks itself: it passes here, and tells what is wrong with one that is damaged."""

from __future__ import annotations

import shutil

import pytest

from keepwise import selftest, tables
from keepwise.games import games
from keepwise.util import multiset


@pytest.mark.slow
def test_all_is_well(run):
    answer = run("selftest")
    assert answer.status == 0, answer.err
    assert answer.out.count("\nok  ") == len(selftest.CHECKS)
    assert "registers of" in answer.out


def test_every_game_has_a_known_number():
    assert set(selftest.KNOWN_VALUES) == {one.id for one in games()}


@pytest.mark.slow
def test_check_games_names_a_game_without_known_value(monkeypatch):
    monkeypatch.setattr(selftest, "KNOWN_VALUES", {"pig": selftest.KNOWN_VALUES["pig"]})
    assert "no known value to compare: 5000, " in selftest.check_games()


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The shipped files, where a test may damage them."""
    folder = shutil.copytree(tables.__path__[0], tmp_path / "tables")
    monkeypatch.setattr(tables, "__path__", [str(folder)])
    return folder


def test_a_damaged_file_is_named(run, copied):
    path = next(copied.glob("pig-win-*.npz"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    answer = run("selftest")
    assert answer.status == 1
    assert f"{path} is not the file that was shipped" in answer.err
    path.unlink()
    assert f"{path} is missing" in run("selftest").err


def test_a_wrong_kernel_is_noticed(run, monkeypatch):
    right = multiset.multiset_weights
    monkeypatch.setattr(multiset, "multiset_weights", lambda counts, faces: right(counts, faces) + 1)
    answer = run("selftest")
    assert answer.status == 1
    assert "the weights of multisets of dice are wrong" in answer.err


@pytest.mark.slow
def test_a_wrong_value_is_noticed(run, monkeypatch):
    monkeypatch.setitem(selftest.KNOWN_VALUES, "pig", ("win", 0.5305927252727469))
    answer = run("selftest")
    assert answer.status == 1
    assert "the value of pig for win is 0.5305927252737469" in answer.err
