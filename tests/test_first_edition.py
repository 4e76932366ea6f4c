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
