"""Catalogues of named dice, and the hands that players choose from them.

A rule file names a catalogue (``catalogue = "kingdom-come-2"``), a file of ``catalogues/`` with the weights of every
die. A *hand* is then chosen by the key ``hand``, as text such as ``lucky*3, devils-head, odd*2``. In normal form it is
a list of dice with their names, counts and weights, so that a game does not change if its catalogue does. A seventh
weight is that of the wild face. Dice with equal weights are alike, and bear the first of their names.

``expand_hand`` writes a hand as other keys of a rule file: ``dice`` and ``weights`` if all dice are alike, and ``die``
entries, ``faces`` and ``wild`` otherwise. A hand of fair dice is no rule of its own: the game is that without a hand.

Start reading at ``expand_hand``. A catalogue is read only if a hand names its dice.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..util.errors import HouseRuleError, abbreviate, suggest_name
from ..util.number_format import format_count
from ..util.text import split_count, with_count
from .dice_keys import CATALOGUE_KEY, DICE_KEYS, HAND_KEY

CATALOGUES = Path(__file__).parent / "catalogues"  # shipped with the package
FACES = 6
WILD_FACE = "D"
MAX_SHOWN_NAMES = 6  # that a message suggests
MAX_COUNT_DIGITS = 4


@dataclass(frozen=True)
class HandDie:
    """Dice of a hand that are alike.

    Attributes:
        name: the name of the die in its catalogue.
        count: how many there are.
        weights: how many equally likely sides show each face, in lowest terms; a seventh number is the wild face.
    """

    name: str
    count: int
    weights: tuple[int, ...]

    def as_rule(self) -> dict[str, Any]:
        """Return the dice as an entry of a hand in normal form."""
        return {"name": self.name, "count": self.count, "weights": list(self.weights)}


@dataclass(frozen=True)
class Catalogue:
    """The dice of a game.

    Attributes:
        name: the name of the catalogue.
        size: the number of dice of a hand.
        weights: by the name of a die, how many equally likely sides show each face.
        worth: by the name of a die, the most expected points of a turn with it and otherwise the first die listed,
            under the rules of the rule file that is named as the catalogue.
    """

    name: str
    size: int
    weights: Mapping[str, tuple[int, ...]]
    worth: Mapping[str, float]

    @property
    def fair_die(self) -> str:
        """The name of the die whose faces are equally likely."""
        return next(name for name, weights in self.weights.items() if weights == (1,) * FACES)

    def first_name(self, name: str) -> str:
        """Return the name that a die shares with all dice of equal weights."""
        weights = self.weights[name]
        return next(first for first, other_weights in self.weights.items() if other_weights == weights)

    def find(self, word: str) -> str:
        """Return the name of a die as people write it: ``Devil's head`` is ``devils-head``.

        Raises:
            HouseRuleError: there is no such die; the message suggests the nearest.
        """
        folded = _fold(word)
        if folded in self.weights:
            return folded
        hint = suggest_name(folded, self.weights) if folded else ""
        if not folded or hint.count(",") >= MAX_SHOWN_NAMES:
            hint = f"; keepwise rules {self.name} --dice lists them"
        name = f"unknown die '{abbreviate(word)}'" if word else "the name of a die is missing"
        raise HouseRuleError(f"{name}{hint}", HAND_KEY)


def list_catalogues() -> list[str]:
    """Return the names of the catalogues that ship with the package."""
    return sorted(path.stem for path in CATALOGUES.glob("*.toml"))


def check_catalogue(name: object) -> None:
    """Raise HouseRuleError if no catalogue of this name ships with the package."""
    catalogues = list_catalogues()
    if name not in catalogues:
        raise HouseRuleError(f"unknown catalogue '{abbreviate(name)}'{suggest_name(name, catalogues)}", CATALOGUE_KEY)


def load_catalogue(name: object) -> Catalogue:
    """Return a catalogue that ships with the package.

    Raises:
        HouseRuleError: there is none of this name.
    """
    check_catalogue(name)
    return read_catalogue(str(name))


@lru_cache(maxsize=4)
def read_catalogue(name: str) -> Catalogue:
    """Read the catalogue of this name from the package; ``load_catalogue`` validates the name."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    values = tomllib.loads((CATALOGUES / f"{name}.toml").read_text(encoding="utf-8"))
    weights = {die: _in_lowest_terms(sides) for die, sides in values["weights"].items()}
    return Catalogue(name, values["dice"], weights, values["worth"])


def _fold(word: str) -> str:
    """Return a name in small letters and dashes, without apostrophes."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub("['’]", "", word.lower())).strip("-")


def _in_lowest_terms(weights: Iterable[int]) -> tuple[int, ...]:
    sides = tuple(weights)
    return tuple(weight // math.gcd(*sides) for weight in sides)


# Hands


def parse_hand(text: str, catalogue: Catalogue) -> tuple[HandDie, ...]:
    """Return the dice of a hand that a text lists, such as ``lucky*3, devils-head, odd*2``.

    Raises:
        HouseRuleError: an unknown die, a count that is not a number, or a hand of another size.
    """
    hand = parse_dice_list(text, catalogue, catalogue.size)
    total = sum(die.count for die in hand)
    if total != catalogue.size:
        size, number = format_count(catalogue.size, "die"), format_count(total, "die")
        raise HouseRuleError(f"a hand must have {size}, but '{format_hand(hand)}' has {number}", HAND_KEY)
    return hand


def parse_dice_list(text: str, catalogue: Catalogue, max_count: int) -> tuple[HandDie, ...]:
    """Return the dice that a text lists with their counts, separated by commas: one entry for those that are alike.

    Raises:
        HouseRuleError: an unknown die, or a count that is not a number from 1 to ``max_count``.
    """
    counts = dict[str, int]()
    for part in text.split(","):
        name, count_text = split_count(part)
        first_name = catalogue.first_name(catalogue.find(name))
        count = "1" if count_text is None else count_text
        is_number = count.isdecimal() and count.isascii() and len(count) <= MAX_COUNT_DIGITS
        if not is_number and "*" in count:
            example = f"{first_name}*3, {first_name}"
            raise HouseRuleError(f"separate the dice by commas, as in {example}, not {abbreviate(part)!r}", HAND_KEY)
        if not (is_number and 1 <= int(count) <= max_count):
            allowed = f"a whole number from 1 to {max_count}, as in {first_name}*2"
            raise HouseRuleError(f"the count of {first_name} must be {allowed}, not {abbreviate(count)!r}", HAND_KEY)
        counts[first_name] = counts.get(first_name, 0) + int(count)
    return tuple(HandDie(name, counts[name], catalogue.weights[name]) for name in sorted(counts))


def format_hand(hand: Iterable[HandDie | Mapping[str, Any]]) -> str:
    """Return a hand as text, from its dice or from its normal form in rules: ``devils-head, lucky*3, odd*2``."""
    dice = (die.as_rule() if isinstance(die, HandDie) else die for die in hand)
    return ", ".join(with_count(die["name"], die["count"]) for die in dice)


class ExpandedHand(NamedTuple):
    """Rules with a hand written as other keys.

    Attributes:
        rules: the rules without the key ``hand``.
        normal_hand: the hand in normal form; None for fair dice, which need no hand.
    """

    rules: dict[str, Any]
    normal_hand: list[dict[str, Any]] | None


def expand_hand(rules: Mapping[str, Any], game_id: str) -> ExpandedHand:
    """Return rules with the hand that they name written as other keys of a rule file.

    Args:
        rules: rules with the key ``hand``, as text or in normal form.
        game_id: the game, for messages.

    Raises:
        HouseRuleError: a game without a catalogue, an unknown die, a hand of another size, or keys that contradict it.
    """
    if CATALOGUE_KEY not in rules:
        games = ", ".join(list_catalogues())
        raise HouseRuleError(
            f"{game_id} has no catalogue of dice, which a hand requires; games with one: {games}", HAND_KEY
        )
    if conflict := next((key for key in DICE_KEYS if key in rules), None):
        raise HouseRuleError(f"hand cannot be combined with {conflict}: leave {conflict} out", HAND_KEY)
    hand = _read_hand(rules[HAND_KEY], rules[CATALOGUE_KEY])
    size = sum(die.count for die in hand)
    if rules.get("dice", size) != size:
        raise HouseRuleError(f"dice = {rules['dice']} contradicts the hand, which has {size}: leave dice out", "dice")
    expanded = {key: value for key, value in rules.items() if key not in (HAND_KEY, "dice")}
    if hand == (HandDie(hand[0].name, size, (1,) * FACES),):
        return ExpandedHand({**expanded, "dice": size}, None)
    return ExpandedHand({**expanded, **_dice_keys(hand)}, [die.as_rule() for die in hand])


def normal_hand(value: object, catalogue: object) -> list[dict[str, Any]]:
    """Return the normal form of a hand that a key ``hand`` gives; ``catalogue``: the name of its catalogue."""
    return [die.as_rule() for die in _read_hand(value, catalogue)]


def _read_hand(value: object, catalogue: object) -> tuple[HandDie, ...]:
    """Return the hand that a key ``hand`` gives, as text or in normal form."""
    if isinstance(value, str):
        return parse_hand(value, load_catalogue(catalogue))
    if isinstance(value, (list, tuple)) and value and all(map(_is_hand_die, value)):
        return tuple(
            HandDie(die["name"], die["count"], _in_lowest_terms(die["weights"]))
            for die in sorted(value, key=lambda die: str(die["name"]))
        )
    example = 'the names of dice in quotes, such as "lucky*3, ordinary*3"'
    raise HouseRuleError(f"hand must be {example}, not {abbreviate(value)}", HAND_KEY)


def _is_hand_die(value: object) -> bool:
    """Return whether a value is a die of a hand in normal form."""
    if not isinstance(value, Mapping) or value.keys() != {"name", "count", "weights"}:
        return False
    weights = value["weights"]
    return (
        isinstance(value["name"], str)
        and type(value["count"]) is int
        and value["count"] > 0
        and isinstance(weights, (list, tuple))
        and len(weights) in (FACES, FACES + 1)
        and all(type(weight) is int and weight >= 0 for weight in weights)
        and any(weights)
    )


def _dice_keys(hand: Sequence[HandDie]) -> dict[str, Any]:
    """Return the keys of a rule file that say which dice are played."""
    has_wild_face = any(len(die.weights) > FACES for die in hand)
    if len(hand) == 1 and all(hand[0].weights) and not has_wild_face:
        return {"dice": hand[0].count, "weights": list(hand[0].weights)}
    faces = [*map(str, range(1, FACES + 1)), WILD_FACE]
    names = [{"name": die.name} if len(hand) > 1 else {} for die in hand]
    entries = [
        {**name, "count": die.count, "weights": pad_weights(die.weights, FACES + has_wild_face)}
        for name, die in zip(names, hand, strict=True)
    ]
    return {"die": entries, **({"faces": faces, "wild": WILD_FACE} if has_wild_face else {})}


def pad_weights(weights: Sequence[int], faces: int) -> list[int]:
    """Return weights with zeros for faces that the die does not have."""
    return [*weights, *[0] * (faces - len(weights))]
