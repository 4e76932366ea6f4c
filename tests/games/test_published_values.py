"""Values of games that do not ship, found by others, from rule files as users write them."""

from __future__ import annotations

from pathlib import Path

import pytest

import keepwise as kw

RULE_FILES = Path(__file__).parent / "rule_files"


# The scores are those of incompleatgamester.com/index.php/Dix_Mille, with five dice instead of six. A user wrote the
# file and found the value.
def test_points_of_dix_mille_with_five_dice():
    solution = kw.solve(kw.load_rules(RULE_FILES / "dix-mille-five.toml"), "points", fresh=True)
    assert solution.value() == pytest.approx(365.62023, abs=5.1e-6)
