"""Files of the first edition, as they shipped, are the games that ship now. They are ours; users wrote others."""

from __future__ import annotations

from pathlib import Path

import pytest

import keepwise as kw
from keepwise.games.language.rulefile import upgraded

FILES = sorted((Path(__file__).parent / "first_edition").glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_old_file_is_the_game_that_ships(file, tmp_path):
    now = kw.load_rules(file.stem)
    assert kw.load_rules(file) == now
    text, old = upgraded(file)
    assert old
    anew = tmp_path / file.name
    anew.write_text(text)
    assert kw.load_rules(anew) == now
    assert upgraded(anew) == (text, False)


def test_a_file_that_a_user_wrote_has_the_value_that_the_user_found():
    solution = kw.solve(kw.load_rules(FILES[0].parent / "users" / "dix-mille-five.toml"), "points", fresh=True)
    assert solution.value() == pytest.approx(365.62023, abs=5.1e-6)
