"""The keys of rules that say which dice are played; ``dice_catalogue`` explains hands and catalogues.

This module is small, because every game imports it. A catalogue is needed only by games with a hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CATALOGUE_KEY = "catalogue"  # of a rule file: the name of its catalogue
HAND_KEY = "hand"
# The keys that a hand stands for, beside ``dice``. A hand of the command line replaces those of a file.
DICE_KEYS = ("die", "weights", "faces", "wild")


def replace_dice(rules: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return changed rules: a hand replaces all keys about dice, and these replace a hand."""
    remaining_rules = dict(rules)
    if HAND_KEY in changes:
        remaining_rules = {key: value for key, value in rules.items() if key not in (*DICE_KEYS, "dice")}
    elif HAND_KEY in rules and any(key in changes for key in (*DICE_KEYS, "dice")):
        del remaining_rules[HAND_KEY]
    return {**remaining_rules, **changes}
