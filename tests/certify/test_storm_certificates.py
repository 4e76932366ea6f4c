"""The text for the certificate fork of Storm, checked as that checks it: with fractions, on the model file.

What the fork asks is told in arXiv 2501.11467 (Propositions on lower and upper bounds), and how it prints it in its
``ReachabilityProbabilityCertificate`` and ``ReachabilityRewardCertificate``. Nothing of ours is used but the files.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest

CASES = [
    ("pig --rule target=10", "turns", ""),
    ("pig --rule target=8", "reach", "--turns 3"),
    ("pig", "points", ""),
    ("battleship", "points", ""),
    pytest.param("battleship --rule target=10", "turns", "", marks=pytest.mark.slow),
    pytest.param("5000 --rule target=800", "turns", "", marks=pytest.mark.slow),
]


def model(text):
    """Choices by state, each its reward and where it leads with what chance; and the states that are done."""
    states, done = [], set()
    for line in text.split("@model\n")[1].splitlines():
        words = line.split()
        if words[0] == "state":
            states.append([])
            done |= {int(words[1])} if words[-1] == "done" else set()
        elif words[0] == "action":
            reward = re.search(r"\[(.*)\]", line)
            states[-1].append((Fraction(reward[1]) if reward else Fraction(0), []))
        elif words[0] != "//":
            states[-1][-1][1].append((int(words[0]), Fraction(words[2])))
    return states, done


def holds(text, states, done):
    """Whether the certificate is one, by what the fork asks of lower and upper numbers and their ranks."""
    _, kind, count, targets, vectors, *lines = text.splitlines()
    word, aim = kind.split()
    assert (word, vectors, int(count)) in {(one, "vectors", len(states)) for one in ("reach", "reachrew")}
    assert {*map(int, targets.split())} == done
    rewarded, best, other = word == "reachrew", *((max, min) if aim == "max" else (min, max))
    told = [[math.inf if one == "inf" else Fraction(one) for one in line.split()[1:]] for line in lines]
    assert [int(line.split()[0]) for line in lines] == [*range(len(states))]
    for state, choices in enumerate(states):
        low, low_rank, high, *more = told[state]
        if state in done:
            target = low == 0 <= high and low_rank == math.inf if rewarded else low <= 1 <= high
            if not target:
                return False
            continue
        lows, highs = ([pay + sum(p * told[to][side] for to, p in leads) for pay, leads in choices] for side in (0, 2))
        if low > best(lows) or high < best(highs):
            return False
        ranks = [min(told[to][3 if rewarded else 1] for to, _ in leads) + 1 for _, leads in choices]
        if rewarded:
            ranks = [one for one, worth in zip(ranks, highs, strict=True) if aim == "max" or worth <= high]
            if not ranks or best(ranks) > more[0] or more[0] == math.inf:
                return False
        elif low > 0:
            ranks = [one for one, worth in zip(ranks, lows, strict=True) if aim == "min" or worth == best(lows)]
            if other(ranks) > low_rank or low_rank == math.inf:
                return False
    return True


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("game", "objective", "turns"), CASES)
def test_storm_certificates_agree_with_the_exported_model(game, objective, turns, run, tmp_path):
    line = f"{game} --objective {objective} {turns}".split()
    for words in (["certify", "-o", "it.cert", "--storm", "it.storm"], ["export", "-f", "drn", "-o", "it.drn"]):
        paths = [str(tmp_path / word) if "it." in word else word for word in words]
        assert run(paths[0], *line, *paths[1:]).status == 0
    text, (states, done) = (tmp_path / "it.storm").read_text(), model((tmp_path / "it.drn").read_text())
    assert holds(text, states, done)
    first, *_ = places = [place for place, one in enumerate(text.splitlines()) if place > 4][:20]
    for place in places:
        lines = text.splitlines()
        number, low, rank, high, *more = lines[place].split()
        if int(number) in done:
            continue
        lines[place] = " ".join([number, str(Fraction(high) + 1), rank, high, *more])
        assert not holds("\n".join(lines), states, done)
        lines[place] = " ".join([number, low, rank, str(Fraction(low) - 1), *more])
        assert not holds("\n".join(lines), states, done)
    low, high = (Fraction(one) for one in text.splitlines()[first].split()[1:4:2])
    assert 0 < high - low < Fraction(1, 2**40)


def test_certify_explains_what_storm_cannot_read(refused):
    refused("a certificate for Storm requires", *["certify", "pig", "--rule", "target=4", "-o", "a", "--storm", "b"])
