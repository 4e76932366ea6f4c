"""What ``progress`` of public functions accepts: a function, a flag, and nothing else."""

from __future__ import annotations

import sys

import pytest

import keepwise as kw
from keepwise.util.progress_reporting import ProgressBar, progress_callback

SMALL = {"target": 12}


def test_progress_functions_get_rising_shares_up_to_one():
    shares = []
    kw.solve(kw.game("pig", **SMALL), "win", 2, fresh=True, progress=shares.append)
    assert shares
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_progress_true_shows_a_bar_and_false_does_not(capsys):
    pytest.importorskip("tqdm")
    kw.solve(kw.game("pig", **SMALL), "win", 2, fresh=True, progress=True)
    shown = capsys.readouterr()
    assert "solving Pig: 100%" in shown.err
    assert shown.out == ""
    kw.solve(kw.game("pig", **SMALL), "win", 2, fresh=True, progress=False)
    assert capsys.readouterr() == ("", "")


def test_a_bar_does_not_change_the_result():
    pytest.importorskip("tqdm")
    plain, with_bar = (
        kw.simulate(kw.game("pig", **SMALL), objective="win", games=50, progress=flag) for flag in (False, True)
    )
    assert list(plain.rows()) == list(with_bar.rows())


def test_other_values_are_refused():
    with pytest.raises(kw.InputError, match="progress must be a function, True or False, not yes"):
        kw.solve("pig", progress="yes")
    with pytest.raises(kw.InputError, match="progress must be a function, True or False, not 1"):
        progress_callback(1, "solving")


def test_a_bar_without_its_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(kw.InputError, match=r"progress=True needs tqdm: .*progress\]"):
        ProgressBar("solving")
