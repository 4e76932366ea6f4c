"""What a certificate is estimated to take: measured times, the announcement, and the refusal beyond an hour."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import keepwise as kw
from keepwise import tables
from keepwise.certify.costs import MULTIPLES, estimate_certificate_cost
from keepwise.solvers import make_problem
from keepwise.solvers.solve_costs import HOUR

FOLDER = Path(tables.__path__[0])
# Certificates that took two seconds and more. The manifest has the time of each on one idle processor.
MEASURED = {
    row["file"]: row["certificate"]["seconds"]
    for row in json.loads((FOLDER / "manifest.json").read_bytes())
    if row.get("certificate", {}).get("seconds", 0) >= 2
}
FACTOR = 8  # an estimate says whether to wait for seconds, minutes or hours


@pytest.mark.parametrize("file", sorted(MEASURED))
def test_measured_times_are_near_the_estimate(file):
    estimate = estimate_certificate_cost(kw.load(FOLDER / file).problem, 1).seconds
    assert MEASURED[file] / FACTOR < estimate < MEASURED[file] * FACTOR


def test_estimates_are_not_off_to_one_side():
    estimates = {file: estimate_certificate_cost(kw.load(FOLDER / file).problem, 1).seconds for file in MEASURED}
    mean_log = sum(math.log(estimates[file] / seconds) for file, seconds in MEASURED.items()) / len(MEASURED)
    assert abs(mean_log) < math.log(2)


def test_a_proof_takes_longer_than_the_solve():
    assert all(multiple > 1 for multiple in MULTIPLES.values())
    problem = make_problem(kw.game("farkle"), "win", 2)
    assert estimate_certificate_cost(problem, 2).seconds > problem.estimate_cost(2).seconds


def test_small_kinds_have_no_estimate():
    assert estimate_certificate_cost(make_problem(kw.game("boston"), "win", 2), 1).seconds == 0


def test_more_than_an_hour_requires_anyway(refused, tmp_path, monkeypatch):
    """Only the proof takes so long: the solve alone is allowed."""
    words = ["certify", "pig", "--rule", "target=8", "--objective", "turns", "-o", str(tmp_path / "pig.cert")]
    seconds = make_problem(kw.game("pig", target=8), "turns", None).estimate_cost(1).seconds
    kind = next(kind for kind in MULTIPLES if kind.__name__ == "PushTableProblem")
    monkeypatch.setitem(MULTIPLES, kind, 2 * HOUR / seconds)
    refused("certifying Pig takes about 2 hours, more than the limit of an hour", *words, "--threads", "1")
    assert not (tmp_path / "pig.cert").exists()


def test_long_certificates_are_announced_once(run, tmp_path, monkeypatch):
    file = str(tmp_path / "pig.cert")
    words = ["certify", "pig", "--rule", "target=8", "--objective", "turns", "-o", file, "--threads", "1"]
    assert "takes about" not in run(*words).err
    seconds = make_problem(kw.game("pig", target=8), "turns", None).estimate_cost(1).seconds
    kind = next(kind for kind in MULTIPLES if kind.__name__ == "PushTableProblem")
    for multiple in (HOUR / 2 / seconds, 2 * HOUR / seconds):
        monkeypatch.setitem(MULTIPLES, kind, multiple)
        seen = run(*words, "--anyway")
        assert seen.status == 0
        assert seen.err.count(" takes about ") == 1
        assert "certifying Pig takes about " in seen.err
