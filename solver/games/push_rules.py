"""Push-your-luck dice games as data, and the turn model that the data compiles to.

A player rolls the dice and sets scoring dice aside, then banks the turn points or rolls the remaining dice. A roll that
scores nothing is a bust. A *set* is what is set aside from one roll. Its points are those of its best reading as single
faces, several alike and patterns (straights), such that every die contributes.

Dice with the same weights are of one *kind*. A *hand* is the number of dice of each kind that are left. Hands are
numbered from 1, smaller ones first, so that the number of a hand of equal dice is their count. The dice of a roll are
counted by *symbol*, a face of a kind: ``5`` of a plain die, ``5-lucky`` of a lucky one. Scores depend on faces only.

Start reading at ``PushRules``: ``throws`` lists the rolls of a hand, ``offered`` the sets of a roll, and ``compiled``
makes the turn model from both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import chain, product
from operator import le, sub
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..turns.push_turn import BUST, UNLIMITED_POINTS, Mode, PushTurn, Roll, TurnChoice
from ..util import multiset
from ..util.errors import HouseRuleError
from ..util.number_format import format_count
from .badges import EMPEROR_COUNT, EMPEROR_FACE, EMPEROR_FACTOR, Uses

if TYPE_CHECKING:
    from .hand_shapes import RollShapes

Counts = tuple[int, ...]  # how often each face shows, in the order of PushRules.faces, or each symbol
Hand = tuple[int, ...]  # how many dice of each kind

# The special endings of every compiled turn, as the choices that lead to them; ending 0 is BUST.
WIN, WIPE = TurnChoice(-2), TurnChoice(-3)
SPECIAL_ENDING_COUNT = 3
ENDING_EFFECTS = {"win": WIN, "bust": BUST, "wipe": WIPE}  # effects of special rolls that end the turn
SCORING_EFFECTS = ("score", "roll", "again", "same", "end")  # effects of special rolls that score

# The shared scores of 5000, Beartrap and Farkle.
GRAIN_OF_ACES_AND_FIVES = 50
SINGLE_AND_TRIPLE_POINTS = ((100, 1000), (0, 200), (0, 300), (0, 400), (50, 500), (0, 600))  # by face, from 1


@dataclass(frozen=True)
class DieKind:
    """Dice of one kind: their name, their number, and how many equally likely sides show each face."""

    name: str
    count: int
    weights: tuple[int, ...]


class NextRoll(NamedTuple):
    """A roll that follows.

    Attributes:
        dice: the number of the hand.
        forced: the roll has to be made.
        rerolled_faces: face numbers. If one of them shows, all dice are rolled again, as if they had no such faces.
    """

    dice: int
    forced: bool = False
    rerolled_faces: tuple[int, ...] = ()


Offer = tuple[NextRoll | None, int]  # a choice of a roll: the roll that follows, None if there is none, and the points


class Pattern(NamedTuple):
    """A set that scores as a whole.

    Attributes:
        dice: the counts of its faces.
        points: what it scores.
        must_confirm: the set must be *confirmed*: the next roll has to be made, whatever the turn points.
        name: its name in advice; "" if it has none.
    """

    dice: Counts
    points: int
    must_confirm: bool = False
    name: str = ""


def pattern_of_face(face: int, faces: int, count: int, points: int, must: bool = False) -> Pattern:
    """Return the pattern of ``count`` dice that show one face, of dice with ``faces`` faces."""
    return Pattern(tuple(count if number == face else 0 for number in range(faces)), points, must)


class SpecialRoll(NamedTuple):
    """A whole roll with a meaning of its own.

    Attributes:
        throw: the counts of its faces.
        effect: one of these:

            - "win": the game is won at once; "bust"; "wipe": the whole score is lost;
            - "score": all dice score ``points`` and count as set aside;
            - "roll", "again", "end": likewise, and all dice may, must or may not be rolled again;
            - "same": it scores ``points``, nothing is set aside, and the same dice are left;
            - "void": it counts for nothing, and the turn is as before the roll.
        points: what it scores.
        name: its name in advice; "" if it has none.
    """

    throw: Counts
    effect: str
    points: int
    name: str = ""


class Reading(NamedTuple):
    """The points of a set, and the numbers of the patterns that it is read as, in falling order."""

    points: int
    patterns: tuple[int, ...] = ()


@dataclass(frozen=True)
class PushRules:
    """The rules of one push-your-luck game.

    Attributes are named by the keys of rule files: ``then_all`` is the key ``all`` of the table ``[then]``, and so on.
    ``games/rulefile/push_schema.py`` explains every key.

    Attributes:
        set_aside, target, finish, best, take_over, stop_below, then_set, then_all, then_dice: the keys of these names.
        dice: the number of dice of a fresh roll; for dice that differ, the number of that hand.
        faces: the name of each face.
        weights: how many equally likely sides of a die show each face.
        patterns: everything that scores: first single faces and several alike, face by face, then all others. If
            readings have the same points, the one without the last patterns counts.
        scores_whole_sets: a set scores as one pattern only, never as several.
        then_leave: ``then.leave``, by face: with set_aside="all", such a die may stay in the hand if it would add its
            points as a single.
        opening, minimum, minimum_on_win: ``stop.opening``, ``stop.at_least`` and ``stop.on_win``.
        specials: the ``[[special]]`` rolls.
        then_over: ``then.over``: the most frequent face of a set to be confirmed is rolled again if it shows.
        bust_costs: ``bust.costs``: points that the first, second, ... bust in a row costs.
        bust_count: ``bust.count``: after the last of these costs the count starts "anew" or "stays".
        bust_floor: ``bust.floor``: scores go no lower.
        bust_above: ``bust.above``: a turn with more points is lost; 0: no limit.
        kinds: the ``[[die]]`` entries of dice that differ; empty if all dice are alike.
        die_name: the name of dice that are listed as one kind without a name, for people; "" if there is none.
        wild: by number, the faces that stand for others. ``patterns`` lists what they complete, so that nothing else
            needs to know them.
        warlord, resurrection, emperor: the keys of these names, which are badges (``badges``).

    If the lowest points are best (``best``), a turn counts how far each die set aside stays below ``dearest``.
    """

    dice: int
    faces: tuple[str, ...]
    weights: tuple[int, ...]
    patterns: tuple[Pattern, ...] = ()
    scores_whole_sets: bool = False
    set_aside: str = "free"
    then_leave: tuple[bool, ...] = ()
    target: int = 0
    opening: int = 0
    minimum: int = 0
    minimum_on_win: bool = True
    stop_below: str = "end"
    finish: str = "at_least"
    specials: tuple[SpecialRoll, ...] = ()
    then_set: str = "roll"
    then_all: str = "roll"
    then_dice: str = "all"
    then_over: bool = False
    best: str = "highest"
    take_over: str = "none"
    bust_costs: tuple[int, ...] = ()
    bust_count: str = "anew"
    bust_floor: int = 0
    bust_above: int = 0
    kinds: tuple[DieKind, ...] = ()
    wild: tuple[int, ...] = ()
    die_name: str = ""
    warlord: int = 0
    resurrection: int = 0
    emperor: int = 0

    @property
    def is_one_turn(self) -> bool:
        """Return whether every player has one turn."""
        return self.finish.startswith("one_turn")

    @property
    def is_single_roll(self) -> bool:
        """Return whether a turn is a single roll."""
        return self.then_set == "end"

    @property
    def never_stops(self) -> bool:
        """Return whether the player may not stop while dice are left, and only decides what to set aside."""
        return self.then_set == "must"

    @property
    def chooses_dice(self) -> bool:
        """Return whether the player says how many dice to roll."""
        return self.then_dice == "chosen"

    # Objectives

    @property
    def unsupported_objectives(self) -> Mapping[str, str]:
        """The objectives that other games have and this one has not, with the reason."""
        reasons = {} if self.bust_costs else {"rate": "the long-run average of turns requires busts that cost points"}
        if self.is_one_turn:
            reasons |= dict.fromkeys(("turns", "rate"), "every player has one turn")
            if self.best == "lowest":
                reasons["reach"] = "a total is to be reached, but with best=lowest fewer points are better"
            elif self.bust_above:
                reasons["reach"] = "it is not solved for turns that are lost above a number of points"
        elif self.best == "lowest":
            reasons |= dict.fromkeys(("win", "turns", "reach", "rate"), "with best=lowest only single turns are solved")
        if self.has_badges:
            reasons |= dict.fromkeys(("points", "turns", "reach", "rate"), "badges are only played in a race to win")
        if self._circular_without_wins:
            reason = (
                "sets of 0 points could follow each other forever, because a roll that wins scores as ordinary dice"
            )
            reasons |= dict.fromkeys(("points", "rate"), reason)
        return reasons

    @cached_property
    def specials_of_one_turn(self) -> tuple[SpecialRoll, ...]:
        """The special rolls of a turn played for points: a roll that wins the game at once scores as ordinary dice.

        A game of one die needs care: if that roll is a set of 0 points, the die is rolled again with the same turn
        points. The roll counts for nothing then.
        """
        wins = [special for special in self.specials if special.effect == "win"]
        unchanged = [special for special in self.specials if special.effect != "win"]
        rolls_again = self.dice == 1 and self.roll_after_all_dice == NextRoll(1)
        readings = [self.reading(special.throw) for special in wins] if rolls_again else []
        void = [
            special._replace(effect="void")
            for special, reading in zip(wins, readings, strict=False)
            if reading and reading.points == 0
        ]
        return (*unchanged, *void)

    @cached_property
    def _circular_without_wins(self) -> bool:
        """True if sets of 0 points can follow each other for ever once no roll wins at once."""
        if not self.has_effect("win") or all(pattern.points for pattern in self.patterns):
            return False
        try:
            replace(self, specials=self.specials_of_one_turn).compile_turn()
        except ValueError:
            return True
        return False

    # Badges

    @property
    def has_badges(self) -> bool:
        """Return whether a player has a badge."""
        return any(self.badge_uses)

    @property
    def badge_uses(self) -> Uses:
        """How often a player may use each badge in a game."""
        return int(self.warlord > 0), self.resurrection, self.emperor

    def raised_points(self, points: int) -> int:
        """Return what turn points count for with Warlord, to the nearest multiple of the grain, halves rounded up."""
        return points + (points * self.warlord + 50 * self.grain) // (100 * self.grain) * self.grain

    @cached_property
    def emperor_rules(self) -> PushRules:
        """The rules by which a set scores if Emperor is used: three 1s count EMPEROR_FACTOR times as much."""
        patterns = tuple(
            pattern._replace(points=EMPEROR_FACTOR * pattern.points) if self._is_emperor_pattern(pattern) else pattern
            for pattern in self.patterns
        )
        return shared_rules(replace(self._turn_rules, patterns=patterns))

    def _is_emperor_pattern(self, pattern: Pattern) -> bool:
        """Return whether a pattern is three 1s, some of which may be wild."""
        ones = pattern.dice[self.faces.index(EMPEROR_FACE)] if EMPEROR_FACE in self.faces else 0
        wild_count = sum(pattern.dice[face] for face in self.wild)
        return sum(pattern.dice) == EMPEROR_COUNT == ones + wild_count and ones > 0

    @property
    def has_emperor_pattern(self) -> bool:
        """Return whether three 1s score as a whole, so that Emperor can be used."""
        return any(map(self._is_emperor_pattern, self.patterns))

    def emperor_sets(self, roll: Counts) -> list[Counts]:
        """Return the sets of a roll that score more with Emperor than without."""
        if self.special_roll(roll):
            return []
        rules = self.emperor_rules
        return [subset for subset in rules.sets_of(roll) if rules.set_points(subset) > self.set_points(subset)]

    def emperor_offers(self, dice: int, roll: Counts) -> tuple[Offer, ...]:
        """Return the choices of a roll that use Emperor, each as the roll that follows and the points."""
        rules = self.emperor_rules
        offers = ((rules.roll_after_set(dice, subset), rules.set_points(subset)) for subset in self.emperor_sets(roll))
        return tuple(dict.fromkeys(offers))

    # Units and scores

    @cached_property
    def grain(self) -> int:
        """The greatest common divisor of all points of a turn."""
        return math.gcd(*self.point_values, *self.bust_costs, self.bust_floor, self.max_points_per_die)

    @cached_property
    def point_values(self) -> frozenset[int]:
        """The points of everything that scores; negative points reduce the turn points, but not below 0."""
        patterns = (pattern.points for pattern in self.patterns)
        specials = (special.points for special in self.specials)
        return frozenset((0, *patterns, *specials))

    @cached_property
    def max_points_per_die(self) -> int:
        """The most points per die of any set, rounded up, if the lowest points are best; else 0."""
        if self.best == "highest":
            return 0
        return max((-(-pattern.points // sum(pattern.dice)) for pattern in self.patterns), default=0)

    def turn_total(self, points: int, dice: int) -> int:
        """Return the total of the turn model, in units of ``grain``, for these turn points and this hand."""
        if self.best == "highest":
            return points // self.grain
        return (self.max_points_per_die * (self.dice - dice) - points) // self.grain

    @property
    def max_turn_units(self) -> int:
        """The most turn points of a turn, in units of ``grain``; 0 if no bound is known."""
        return 0

    @property
    def brings_any_points(self) -> bool:
        """Return whether scores of any number of units can occur, which is then known without a search."""
        return False

    def bank_values(self, units: NDArray[np.int64]) -> NDArray[np.float64] | NDArray[np.int64]:
        """Return what banks bring, by their turn points in units of ``grain``."""
        return units * self.grain

    def after_bust(self, score: int, busts: int) -> tuple[int, int]:
        """Return score and count of busts in a row after a bust, from those before the turn."""
        if not self.bust_costs:
            return score, 0
        is_last = busts + 1 == len(self.bust_costs)
        following = busts + (not is_last) if self.bust_count == "stays" or not is_last else 0
        return max(min(score, self.bust_floor), score - self.bust_costs[busts]), following

    # Readings of sets

    @cached_property
    def _turn_rules(self) -> PushRules:
        """The rules without totals, which a turn does not depend on.

        All games that differ in totals only share this object and its caches, because compiling a turn takes long.
        """
        shared = replace(self, target=0, opening=0, minimum=0, minimum_on_win=True)
        return shared_rules(replace(shared, warlord=0, resurrection=0, emperor=0))

    @cached_property
    def _readings(self) -> dict[Counts, Reading | None]:
        return {} if self._turn_rules is self else self._turn_rules._readings

    def reading(self, counts: Counts) -> Reading | None:
        """Return the best reading of face counts such that every die contributes; None if there is none.

        Recursion: the first face that shows belongs to some pattern, and the dice that remain are read likewise.
        """
        if counts in self._readings:
            return self._readings[counts]
        candidates = [] if any(counts) else [Reading(0)]
        first_face = next((face for face, count in enumerate(counts) if count), None)
        key = counts if self.scores_whole_sets else first_face
        for number, pattern in self._patterns_by_key.get(key, ()):
            if not all(map(le, pattern.dice, counts)):
                continue
            remaining = self.reading(tuple(map(sub, counts, pattern.dice)))
            if remaining:
                numbers = tuple(sorted((number, *remaining.patterns), reverse=True))
                candidates.append(Reading(pattern.points + remaining.points, numbers))
        best = min(candidates, key=lambda reading: (-reading.points, reading.patterns), default=None)
        self._readings[counts] = best
        return best

    @cached_property
    def _patterns_by_key(self) -> dict[Counts | int | None, list[tuple[int, Pattern]]]:
        """The numbered patterns by each face that they contain; if ``whole``, by all their dice."""
        by_key: dict[Counts | int | None, list[tuple[int, Pattern]]] = {}
        for number, pattern in enumerate(self.patterns):
            keys: list[Counts | int | None]
            keys = (
                [pattern.dice] if self.scores_whole_sets else [face for face, count in enumerate(pattern.dice) if count]
            )
            for key in keys:
                by_key.setdefault(key, []).append((number, pattern))
        return by_key

    def patterns_of(self, counts: Counts) -> list[Pattern]:
        """Return the patterns that face counts are read as."""
        reading = self.reading(counts)
        return [self.patterns[number] for number in reversed(reading.patterns)] if reading else []

    def faces_to_reroll(self, counts: Counts) -> tuple[int, ...] | None:
        """Return the faces to be rolled again after a set that must be confirmed; None for any other set."""
        if not self.has_confirmations:
            return None
        to_confirm = [pattern.dice for pattern in self.patterns_of(counts) if pattern.must_confirm]
        if not to_confirm:
            return None
        if not self.then_over:
            return ()
        most_frequent = {face for dice in to_confirm for face, count in enumerate(dice) if count == max(dice) > 1}
        return tuple(sorted(most_frequent))

    def set_points(self, counts: Counts) -> int:
        """Return the points of a set, given by symbols; 0 if there is no reading in which every die contributes."""
        reading = self.reading(self.face_counts(counts))
        return reading.points if reading else 0

    def set_name(self, counts: Counts) -> str:
        """Return the names of the patterns that a set is read as; "" if none of them has a name."""
        return " and ".join(pattern.name for pattern in self.patterns_of(self.face_counts(counts)) if pattern.name)

    def points_of_alike(self, face: int, count: int = 1) -> int | None:
        """Return the points of ``count`` dice of a face; None if they do not all score."""
        reading = self.reading(pattern_of_face(face, len(self.faces), count, 0).dice)
        return reading.points if reading else None

    # Special rolls

    @cached_property
    def _special_by_roll(self) -> dict[Counts, SpecialRoll]:
        return {special.throw: special for special in self.specials}

    def special_roll(self, roll: Counts) -> SpecialRoll | None:
        """Return the special roll that a roll is; None for an ordinary roll."""
        return self._special_by_roll.get(self.face_counts(roll))

    def special_effect(self, roll: Counts) -> str:
        """Return the effect of a special roll; "" for an ordinary roll."""
        special = self.special_roll(roll)
        return special.effect if special else ""

    def has_effect(self, *effects: str) -> bool:
        """Return whether a special roll has one of some effects."""
        return any(special.effect in effects for special in self.specials)

    # Hands and symbols

    @cached_property
    def die_kinds(self) -> tuple[DieKind, ...]:
        """The dice, kind by kind."""
        return self.kinds or (DieKind("", self.dice, self.weights),)

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        """Every hand that can be rolled; the number of a hand is its index plus 1."""
        hands = product(*(range(kind.count + 1) for kind in self.die_kinds))
        return tuple(sorted((hand for hand in hands if any(hand)), key=lambda hand: (sum(hand), hand)))

    @cached_property
    def _number_by_hand(self) -> dict[Hand, int]:
        return {hand: number for number, hand in enumerate(self.hands, 1)}

    @cached_property
    def _symbol_parts(self) -> tuple[tuple[int, int], ...]:
        """Kind and face of each symbol, by number."""
        weights_by_kind = ((number, kind.weights) for number, kind in enumerate(self.die_kinds))
        return tuple((kind, face) for kind, weights in weights_by_kind for face, weight in enumerate(weights) if weight)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The names of all symbols in the order of counts: the face, and the name of the kind if it has one."""
        face_names = ((self.faces[face], self.die_kinds[kind].name) for kind, face in self._symbol_parts)
        return tuple(f"{face}-{name}" if name else face for face, name in face_names)

    @cached_property
    def _face_counts(self) -> dict[Counts, Counts]:
        return {}

    def face_counts(self, counts: Counts) -> Counts:
        """Return the counts of faces, from counts of symbols."""
        if not self.kinds:
            return counts
        if counts not in self._face_counts:
            faces = [0] * len(self.faces)
            for (_, face), count in zip(self._symbol_parts, counts, strict=True):
                faces[face] += count
            self._face_counts[counts] = tuple(faces)
        return self._face_counts[counts]

    def hand_number(self, roll: Counts) -> int:
        """Return the number of the hand that a roll was made with; 0 if there is no such hand."""
        dice = [0] * len(self.die_kinds)
        for (kind, _), count in zip(self._symbol_parts, roll, strict=True):
            dice[kind] += count
        return self._number_by_hand.get(tuple(dice), 0)

    def remaining_hand(self, dice: int, set_counts: Counts) -> int:
        """Return the number of the hand that is left after a set is taken from a roll; 0 if no dice are left."""
        if not self.kinds:
            return dice - sum(set_counts)
        hand, set_dice = self.hands[dice - 1], self.hands[self.hand_number(set_counts) - 1]
        return self._number_by_hand.get(tuple(map(sub, hand, set_dice)), 0)

    def hand_size(self, dice: int) -> int:
        """Return how many dice a hand has."""
        return sum(self.hands[dice - 1])

    def die_names(self, dice: int) -> list[str]:
        """Return the kind of each die of a hand, as positions name it."""
        hand = zip(self.hands[dice - 1], self.die_kinds, strict=True)
        return [kind.name or self.die_name or "plain" for count, kind in hand for _ in range(count)]

    def describe_hand(self, dice: int) -> str:
        """Return the number of dice of a hand, with their kinds if dice differ."""
        names = self.die_names(dice)
        count = format_count(len(names), "die")
        if not self.kinds:
            return count
        kinds = ", ".join(f"{names.count(name)} {name}" for name in dict.fromkeys(names))
        return f"{count} ({kinds})"

    def describe_faces(self, faces: tuple[int, ...]) -> str:
        """Return the names of faces, given by number."""
        return " and ".join(self.faces[face] for face in faces)

    # Rolls and what is set aside from them

    def rolls(self, dice: int) -> list[tuple[Counts, int]]:
        """Return the rolls of a hand, each with its weight: the number of ordered rolls that it stands for."""
        if dice not in self._rolls_by_hand:
            self._rolls_by_hand[dice] = list(self._list_rolls(dice))
        return self._rolls_by_hand[dice]

    @cached_property
    def _rolls_by_hand(self) -> dict[int, list[tuple[Counts, int]]]:
        return {} if self._turn_rules is self else self._turn_rules._rolls_by_hand

    def _list_rolls(self, dice: int) -> Iterator[tuple[Counts, int]]:
        rolls_by_kind = []
        for count, kind in zip(self.hands[dice - 1], self.die_kinds, strict=True):
            side_weights = [weight for weight in kind.weights if weight]
            rows = multiset.list_multisets(count, len(side_weights))
            weights = multiset.multiset_weights(rows, side_weights).tolist()
            rolls_by_kind.append(list(zip(map(tuple, rows.tolist()), weights, strict=True)))
        for parts in product(*rolls_by_kind):
            counts = tuple(chain.from_iterable(part for part, _ in parts))
            yield counts, math.prod(weight for _, weight in parts)

    @cached_property
    def scoring_symbols(self) -> tuple[bool, ...]:
        """By symbol, whether any scoring set contains its face."""
        return tuple(self.scoring_faces[face] for _, face in self._symbol_parts)

    @cached_property
    def scoring_faces(self) -> tuple[bool, ...]:
        """By face, whether any scoring set contains it."""
        return tuple(any(pattern.dice[face] for pattern in self.patterns) for face in range(len(self.faces)))

    def sets_of(self, roll: Counts) -> list[Counts]:
        """Return the sets that may be taken from a roll, most points first, then fewest dice; empty: a bust."""
        if roll not in self._sets_by_roll:  # if sets must be confirmed, a roll occurs in several modes
            self._sets_by_roll[roll] = self._list_sets(roll)
        return self._sets_by_roll[roll]

    @cached_property
    def _sets_by_roll(self) -> dict[Counts, list[Counts]]:
        return {} if self._turn_rules is self else self._turn_rules._sets_by_roll

    def _list_sets(self, roll: Counts) -> list[Counts]:
        if self.set_aside == "all-or-none":
            return [roll] if self.reading(self.face_counts(roll)) else []
        symbols = zip(roll, self.scoring_symbols, strict=True)
        subsets = product(*(range(count, -1, -1) if is_useful else (0,) for count, is_useful in symbols))
        # The sort is stable: of sets with equal rank, the one with most of the first symbol comes first.
        scoring = sorted(filter(self._rank, subsets), key=self._rank)
        if self.set_aside == "all" and scoring:
            return self._sets_of_all_scoring_dice(scoring)
        return scoring

    def _sets_of_all_scoring_dice(self, scoring: list[Counts]) -> list[Counts]:
        """Return the sets that ``set_aside="all"`` allows: the best one, and variants of it.

        Variants have the same faces on dice of other kinds, or leave dice in the hand that ``leave`` allows.
        """
        best = max(scoring, key=lambda subset: (self.set_points(subset), sum(subset)))
        equals = [subset for subset in scoring if self.face_counts(subset) == self.face_counts(best)]
        return [
            subset
            for subset in scoring
            if subset in equals or any(self._leaves_allowed_dice(equal, subset) for equal in equals)
        ]

    @cached_property
    def _rank(self) -> Callable[[Counts], tuple[int, ...]]:
        """The sort key of sets; empty for a set that does not score."""

        def rank(subset: Counts) -> tuple[int, ...]:
            reading = self.reading(self.face_counts(subset)) if any(subset) else None
            return (-reading.points, sum(subset)) if reading else ()

        return cache(rank)

    def _leaves_allowed_dice(self, best: Counts, subset: Counts) -> bool:
        """Return whether a set is the best one without dice that may be left and count as singles in it."""
        if not any(self.then_leave) or not all(map(le, subset, best)):
            return False
        dice_left = self.face_counts(tuple(map(sub, best, subset)))
        if any(count and not is_allowed for count, is_allowed in zip(dice_left, self.then_leave, strict=True)):
            return False
        points_left = sum(count * (self.points_of_alike(face) or 0) for face, count in enumerate(dice_left))
        return self.set_points(subset) + points_left == self.set_points(best)

    # What follows a roll

    def can_stop(self, following: NextRoll | None, counts: bool) -> bool:
        """Return whether the turn may end before a roll.

        The play interface asks this, and so does the turn model, in which no bank counts with 0 turn points.

        The turn model offers stops that do not count from one point on, even with ``stop_below="must"``. This changes
        no value: such a stop is worth no more than a bust, and a player who rolls until the bust comes gets as much.
        ``push_checks`` therefore refuses ``stop_below="must"`` with turns that end below the minimum and with an exact
        finish. Only if busts cost points is such a stop worth less (``passes``).

        Args:
            following: the roll that would follow; None if no dice are left to roll.
            counts: whether a bank would count.
        """
        if following is None:
            return True
        return not following.forced and not self.never_stops and (counts or self.stop_below == "end")

    @property
    def can_end_with_nothing(self) -> bool:
        """Return whether a turn can end with nothing and without a bust.

        This takes a stop, or dice that are all set aside for 0 points.
        """
        return self.can_stop(NextRoll(self.dice), False) or self.then_all == "end" or self.has_effect("end")

    @cached_property
    def has_confirmations(self) -> bool:
        """True if any set must be confirmed."""
        return any(pattern.must_confirm for pattern in self.patterns)

    @cached_property
    def confirmation_rolls(self) -> tuple[NextRoll, ...]:
        """The forced rolls that confirm a set, except that of all dice without faces to roll again."""
        if not self.has_confirmations:
            return ()
        if self._turn_rules is not self:
            return self._turn_rules.confirmation_rolls
        all_rolls = ((dice, roll) for dice in range(1, self.dice + 1) for roll, _ in self.rolls(dice))
        following_rolls = {following for dice, roll in all_rolls for following, _ in self.offers(dice, roll)}
        return tuple(
            sorted(roll for roll in following_rolls if roll and roll.forced and roll != NextRoll(self.dice, True))
        )

    def roll_after_special(self, dice: int, effect: str) -> NextRoll | None:
        """Return the roll that follows a special roll that scores; None if the turn has ended."""
        all_dice = NextRoll(self.dice)
        following = {"roll": all_dice, "again": all_dice._replace(forced=True), "same": NextRoll(dice), "end": None}
        return following.get(effect, self.roll_after_all_dice)

    def roll_after_set(self, dice: int, set_counts: Counts) -> NextRoll | None:
        """Return the roll that follows after a set is taken from a roll of a hand; None if the turn has ended."""
        return self._roll_after(
            self.remaining_hand(dice, set_counts), self.faces_to_reroll(self.face_counts(set_counts))
        )

    def _roll_after(self, remaining: int, rerolled_faces: tuple[int, ...] | None) -> NextRoll | None:
        """Return the roll that follows a set.

        Args:
            remaining: the number of the hand that is left; 0 for no dice.
            rerolled_faces: the faces to be rolled again if the set must be confirmed; None for any other set.
        """
        if self.is_single_roll:
            return None
        if rerolled_faces is not None:
            return NextRoll(remaining or self.dice, True, rerolled_faces)
        return NextRoll(remaining) if remaining else self.roll_after_all_dice

    @cached_property
    def roll_after_all_dice(self) -> NextRoll | None:
        """The roll that follows after all dice are set aside; None if the turn has ended."""
        if self.is_single_roll:
            return None
        return {"roll": NextRoll(self.dice), "must": NextRoll(self.dice, True), "end": None}[self.then_all]

    def offers(self, dice: int, roll: Counts) -> tuple[Offer, ...]:
        """Return the choices of a roll, each as the roll that follows and the points.

        It is empty for a bust and for a special roll that ends the turn.
        """
        if roll not in self._offers:  # the play interface reads what the turn was compiled from
            self._offers[roll] = self._list_offers(dice, roll)
        return self._offers[roll]

    @cached_property
    def _offers(self) -> dict[Counts, tuple[Offer, ...]]:
        return {} if self._turn_rules is self else self._turn_rules._offers

    def _list_offers(self, dice: int, roll: Counts) -> tuple[Offer, ...]:
        special = self.special_roll(roll)
        if special and special.effect not in SCORING_EFFECTS:
            return ()
        if special:
            return ((self.roll_after_special(dice, special.effect), special.points),)
        offers = ((self.roll_after_set(dice, subset), self.set_points(subset)) for subset in self.sets_of(roll))
        return tuple(dict.fromkeys(offers))

    def standing_rolls(self, following: NextRoll) -> list[tuple[Counts, int]]:
        """Return the rolls that stand, with their weights; the others are made again."""
        rolls = self.rolls(following.dice)
        if not (following.rerolled_faces or self.has_effect("void")):
            return rolls
        return [(roll, weight) for roll, weight in rolls if self.is_standing(roll, following.rerolled_faces)]

    def is_standing(self, roll: Counts, rerolled_faces: tuple[int, ...]) -> bool:
        """Return whether a roll is not made again.

        Rolls with a face of ``over`` are made again. So are void rolls: the turn is as before, and the decision that
        was best then is still best.
        """
        counts = self.face_counts(roll) if rerolled_faces else ()
        return not any(counts[face] for face in rerolled_faces) and self.special_effect(roll) != "void"

    # The turn model

    def hand_mode(self, dice: int) -> int:
        """Return the mode of the turn model in which a hand is rolled and stopping is offered."""
        return dice - 1

    def dice_of_mode(self, mode: int) -> int:
        """Return the number of the hand that a mode of the turn model rolls; modes behind those of hands roll all."""
        return min(mode + 1, self.dice)

    @property
    def dice_choice_mode(self) -> int:
        """The mode in which the player says how many dice to roll: its rolls are of 1, 2, ... dice."""
        return self.dice + 2

    def mode_of(self, following: NextRoll | None) -> int:
        """Return the mode in which a roll is made; for None, the mode in which the player can only bank."""
        return self._modes[following]

    @cached_property
    def rolls_with_mode(self) -> tuple[NextRoll, ...]:
        """The rolls that have a mode."""
        mode_count = len(self.turn.modes)
        return tuple(roll for roll, mode in self._modes.items() if roll and mode < mode_count)

    @cached_property
    def _modes(self) -> dict[NextRoll | None, int]:
        plain = (NextRoll(dice) for dice in range(1, self.dice + 1))
        rolls = (*plain, NextRoll(self.dice, True), None, *self.confirmation_rolls)
        return {roll: mode for mode, roll in enumerate(rolls)}

    @cached_property
    def turn(self) -> PushTurn:
        """The turn model, in units of ``grain``; mode ``mode(d)`` rolls hand d.

        A turn begins with all dice and no turn points, and the player cannot stop there.
        """
        return self.compile_turn() if self._turn_rules is self else self._turn_rules.turn

    def compile_turn(self) -> PushTurn:
        """Compile the turn model anew."""
        modes = self._plain_modes()
        groups = [list(range(self.dice))]
        first_mode = self.hand_mode(self.dice)
        has_forced_rolls = self.has_effect("again")
        if self.then_all == "end" and not (has_forced_rolls or self.has_effect("roll")):
            # The number of dice only falls, so a set may score 0: each mode is a group of its own.
            groups = [[mode] for mode in range(self.dice)]
        if (
            self.then_all != "roll"
            or has_forced_rolls
            or self.is_single_roll
            or self.has_confirmations
            or self.has_effect("end")
        ):
            modes += self._modes_without_stop(modes[-1].rolls)
            forced, ended_mode, *confirming = range(self.dice, len(modes))
            groups = [[ended_mode], *groups[:-1], [*groups[-1], forced, *confirming]]
        if self.chooses_dice:
            first_mode = self.dice_choice_mode
            rolls = tuple(mode.rolls[0] for mode in modes[: self.dice])
            modes.append(Mode("all dice, or fewer", None, 0, rolls, self._max_points_before_roll))
            groups.append([self.dice_choice_mode])
        forbids_overshoot = self.finish == "exact" or self.bust_above > 0
        return PushTurn(modes, groups, first_mode, SPECIAL_ENDING_COUNT, forbids_overshoot=forbids_overshoot)

    @property
    def _max_points_before_roll(self) -> int:
        return 0 if self.chooses_dice else UNLIMITED_POINTS

    def _plain_modes(self) -> list[Mode]:
        """Return the mode of each hand."""
        bank_ending = 0 if self.can_stop(NextRoll(1), True) else None
        min_bank = 0 if self.can_stop(NextRoll(1), False) else 1
        modes = []
        for dice in range(1, self.dice + 1):
            min_points = 1 if dice == self.dice else min_bank
            rolls = (self.compile_roll(dice),)
            modes.append(Mode(self.describe_hand(dice), bank_ending, min_points, rolls, self._max_points_before_roll))
        return modes

    def _modes_without_stop(self, rolls_of_all_dice: tuple[Roll, ...]) -> Iterator[Mode]:
        """Yield the mode of a forced roll of all dice, that of a turn without dice, and those that confirm a set."""
        yield Mode("all dice once more", bank_ending=None, min_bank=0, rolls=rolls_of_all_dice)
        yield Mode("all dice set aside", bank_ending=0, min_bank=0, rolls=())
        for roll in self.confirmation_rolls:
            rerolled = f", {self.describe_faces(roll.rerolled_faces)} rolled again" if roll.rerolled_faces else ""
            name = f"{self.describe_hand(roll.dice)} to confirm a set{rerolled}"
            yield Mode(name, bank_ending=None, min_bank=0, rolls=(self.compile_roll(roll.dice, roll.rerolled_faces),))

    @property
    def is_sum_of_faces(self) -> bool:
        """Return whether a roll scores the sum over its faces, or nothing, so that rolls need not be listed."""
        if (
            self.set_aside != "all-or-none"
            or self.scores_whole_sets
            or self.specials
            or self.has_confirmations
            or self.kinds
        ):
            return False
        return all(max(pattern.dice) == sum(pattern.dice) for pattern in self.patterns)

    @cached_property
    def weights_by_points(self) -> list[dict[int, int]]:
        """By number of dice, the points of rolls that score with all dice, each with its weight.

        The faces are convolved one after another. A multinomial coefficient counts the orders of the dice.
        """
        weights = {(0, 0): 1}  # by number of dice and points, for the faces so far
        for face, face_weight in enumerate(self.weights):
            values = [self.points_of_alike(face, count) for count in range(self.dice + 1)]
            previous, weights = weights, {}
            for (dice, points), weight in previous.items():
                for count, value in enumerate(values[: self.dice - dice + 1]):
                    if value is not None:
                        key = dice + count, points + value
                        orders = math.comb(dice + count, count)
                        weights[key] = weights.get(key, 0) + weight * orders * face_weight**count
        sums: list[dict[int, int]] = [{} for _ in range(self.dice + 1)]
        for (dice, points), weight in weights.items():
            sums[dice][points] = weight
        return sums

    def _compile_sums(self, dice: int) -> Roll:
        """Compile a roll that adds up (``is_sum_of_faces``)."""
        scoring = self.weights_by_points[dice]
        classes = [
            ((self.turn_choice(dice, self.roll_after_all_dice, points),), weight) for points, weight in scoring.items()
        ]
        bust_weight = sum(self.weights) ** dice - sum(scoring.values())
        if bust_weight:
            classes.append(((BUST,), bust_weight))
        return Roll(tuple(classes))

    def compile_roll(self, dice: int, rerolled_faces: tuple[int, ...] = ()) -> Roll:
        """Compile one roll of a hand; rolls with a face of ``over`` are made again."""
        if self.is_sum_of_faces:
            return self._compile_sums(dice)
        classes: dict[tuple[TurnChoice, ...], int] = {}
        if self.tabulates_rolls:
            return self._compile_shapes(dice, rerolled_faces)
        for roll, weight in self.standing_rolls(NextRoll(dice, rerolled_faces=rerolled_faces)):
            key = self.turn_choices(dice, roll)
            classes[key] = classes.get(key, 0) + weight
        return Roll(tuple(classes.items()))

    # Dice of several kinds: the choices of a roll depend on its faces, and not on the weights of the dice

    @cached_property
    def tabulates_rolls(self) -> bool:
        """True if dice differ, and are few enough to tabulate their rolls by position."""
        if not self.kinds:
            return False
        from .hand_shapes import can_tabulate

        total_weights = [sum(kind.weights) for kind in self.kinds for _ in range(kind.count)]  # by die
        return can_tabulate(total_weights, len(self.faces))

    @cached_property
    def _roll_tables(self) -> RollTables:
        """The tables of rolls by number of dice; all hands of one game share them."""
        faces = len(self.faces)
        return _tables_for(replace(self._turn_rules, kinds=(), dice=self.hand_size(self.dice), weights=(1,) * faces))

    @property
    def roll_tables(self) -> RollTables:
        """The tables of rolls by number of dice, which do not depend on the weights of the dice."""
        return self._roll_tables

    def _compile_shapes(self, dice: int, over: tuple[int, ...]) -> Roll:
        """Compile one roll of a hand from the table of rolls of as many dice.

        Args:
            dice: the number of the hand.
            over: faces that are rolled again.
        """
        classes: dict[tuple[TurnChoice, ...], int] = {}
        turn_choice_of: dict[PositionChoice, TurnChoice] = {}
        hand_after = self._hands_after(dice)
        for sets, weight in self._weighed_shapes(dice, over):
            for mask, code in sets:
                if (mask, code) not in turn_choice_of:
                    offer = self._roll_tables.offers[code]
                    turn_choice_of[mask, code] = self._choice_after(dice, hand_after[mask], offer)
            key = tuple(dict.fromkeys([turn_choice_of[position_choice] for position_choice in sets])) or (BUST,)
            classes[key] = classes.get(key, 0) + weight
        return Roll(tuple(classes.items()))

    def _weighed_shapes(self, dice: int, over: tuple[int, ...]) -> Iterator[tuple[tuple[PositionChoice, ...], int]]:
        """Yield the position classes of the rolls of a hand that stand: the sets that they offer, and their weight.

        Args:
            dice: the number of the hand.
            over: faces that are rolled again.
        """
        from .hand_shapes import weigh_classes

        kind_of_die = self._kind_of_die(dice)
        table = self._roll_tables.by_size(len(kind_of_die))
        weights = [
            [0 if face in over else weight for face, weight in enumerate(kind.weights)] for kind in self.die_kinds
        ]
        weighed = weigh_classes(table, kind_of_die, weights)
        for number, weight in zip(weighed.classes, weighed.weights, strict=True):
            sets = table.choices[number]
            is_void = sets and self._roll_tables.offers[sets[0][1]].effect == "void"
            if not is_void:  # a void roll is made again
                yield sets, weight

    def _kind_of_die(self, dice: int) -> list[int]:
        """Return the kind of each die of a hand, ascending."""
        return [kind for kind, count in enumerate(self.hands[dice - 1]) for _ in range(count)]

    def _hands_after(self, dice: int) -> list[int]:
        """Return, for each mask of dice of a hand, the number of the hand without them; 0 if none are left."""
        kind_of_die = self._kind_of_die(dice)
        hands_after = []
        for mask in range(1 << len(kind_of_die)):
            remaining = list(self.hands[dice - 1])
            for die, kind in enumerate(kind_of_die):
                remaining[kind] -= mask >> die & 1
            hands_after.append(self._number_by_hand.get(tuple(remaining), 0))
        return hands_after

    def _choice_after(self, dice: int, remaining: int, offer: SetOffer) -> TurnChoice:
        """Return the choice of the turn model for what a roll of a hand offers, with the hand that is then left."""
        if offer.effect in ENDING_EFFECTS:
            return ENDING_EFFECTS[offer.effect]
        return self.turn_choice(dice, *self._offer_after(dice, remaining, offer))

    def _offer_after(self, dice: int, remaining: int, offer: SetOffer) -> Offer:
        """Return the roll that follows a set or a scoring special roll, given the hand that is left, and the points."""
        if offer.effect:
            return self.roll_after_special(dice, offer.effect), offer.points
        return self._roll_after(remaining, offer.rerolled_faces), offer.points

    def all_offers(self, roll: NextRoll) -> frozenset[Offer]:
        """Return the choices of all results of a roll, each as the roll that follows and the points."""
        if not self.tabulates_rolls:
            return frozenset(
                offer for counts, _ in self.standing_rolls(roll) for offer in self.offers(roll.dice, counts)
            )
        position_choices = {
            position_choice
            for sets, _ in self._weighed_shapes(roll.dice, roll.rerolled_faces)
            for position_choice in sets
        }
        hand_after = self._hands_after(roll.dice)
        set_offers = [(hand_after[mask], self._roll_tables.offers[code]) for mask, code in position_choices]
        return frozenset(
            self._offer_after(roll.dice, remaining, set_offer)
            for remaining, set_offer in set_offers
            if set_offer.effect in ("", *SCORING_EFFECTS)
        )

    def turn_choices(self, dice: int, roll: Counts) -> tuple[TurnChoice, ...]:
        """Return the choices of a roll, in units of ``grain`` and the documented order of preference."""
        special = self.special_roll(roll)
        if special and special.effect in ENDING_EFFECTS:
            return (ENDING_EFFECTS[special.effect],)
        return tuple(self.turn_choice(dice, *offer) for offer in self.offers(dice, roll)) or (BUST,)

    def turn_choice(self, dice: int, following: NextRoll | None, points: int) -> TurnChoice:
        """Return the choice of the turn model that scores ``points`` with a roll of a hand."""
        remaining = following.dice if following else 0
        return TurnChoice(self.mode_of(following), self.turn_total(points, remaining) - self.turn_total(0, dice))

    def set_choice(self, dice: int, set_counts: Counts) -> TurnChoice:
        """Return the choice of the turn model that takes a set from a roll of a hand."""
        return self.turn_choice(dice, self.roll_after_set(dice, set_counts), self.set_points(set_counts))


PositionChoice = tuple[
    int, int
]  # dice that may be set aside, as a mask, and the code of what they score (``RollTables.offers``)


class SetOffer(NamedTuple):
    """The score of a set or a special roll, whichever dice show its faces.

    Attributes:
        points: what it scores.
        rerolled_faces: the faces to be rolled again if the set must be confirmed; None for any other set.
        effect: the effect of a special roll; "" for a set.
    """

    points: int
    rerolled_faces: tuple[int, ...] | None = None
    effect: str = ""


class RollTables:
    """The rolls of 1, 2, ... dice with their choices by position, for all hands that are played by the same rules.

    Attributes:
        offers: what the codes of the tables stand for; code 0 is a set that may not be taken.
    """

    def __init__(self, rules: PushRules) -> None:
        """Begin without a table.

        Args:
            rules: the rules for dice that are all alike.
        """
        self._rules = rules
        self._codes: dict[SetOffer, int] = {}
        self._tables: dict[int, RollShapes] = {}
        self.offers = [SetOffer(0)]

    def by_size(self, dice: int) -> RollShapes:
        """Return the table of the rolls of so many dice, with the choices of most points first."""
        from .hand_shapes import tabulate_rolls

        if dice not in self._tables:
            faces = len(self._rules.faces)
            self._tables[dice] = tabulate_rolls(dice, faces, self._coded_sets, lambda code: self.offers[code].points)
        return self._tables[dice]

    def _coded_sets(self, roll: Counts) -> list[tuple[Counts, int]]:
        rules = self._rules
        special = rules.special_roll(roll)
        if special:
            no_dice = (0,) * len(roll)
            return [(no_dice, self._code(SetOffer(special.points, effect=special.effect)))]
        return [
            (dice_set, self._code(SetOffer(rules.set_points(dice_set), rules.faces_to_reroll(dice_set))))
            for dice_set in rules.sets_of(roll)
        ]

    def _code(self, offer: SetOffer) -> int:
        code = self._codes.setdefault(offer, len(self.offers))
        if code == len(self.offers):
            self.offers.append(offer)
        return code


@lru_cache(maxsize=8)
def _tables_for(rules: PushRules) -> RollTables:
    """Return one object for all equal rules."""
    return RollTables(rules)


@lru_cache(maxsize=32)
def shared_rules(rules: PushRules) -> PushRules:
    """Return one object for all equal rules."""
    return rules


def check_bank(data: PushRules) -> None:
    """Refuse rules under which no turn can bring as many points as a bank needs.

    Raises:
        HouseRuleError: with the key that asks for too much.
    """
    min_points = max(1, data.opening, data.minimum)
    needed_points = min_points if data.minimum_on_win else min(min_points, data.target)
    min_units = -(-needed_points // data.grain)  # rounded up
    reachable = data.turn.reachable_points_by_mode(min_units + data.turn.max_added_points)
    for points_bits, mode in zip(reachable, data.turn.modes, strict=True):
        if mode.bank_ending == 0 and points_bits >> min_units:
            return
    points = f"{min_units * data.grain} points" if min_units > 1 else "anything"
    message = f"no turn can bank {points} under these rules, so no player could ever win"
    raise HouseRuleError(message, "stop", "opening" if data.opening > data.minimum else "at_least")


def sum_banks(banks: int, first: int, later: int, size: int) -> int:
    """Return the scores that banks lead to, as a bit set.

    Args:
        banks: the points that a turn can bank, as a bit set.
        first: the least points of the first bank.
        later: the least points of every later bank.
        size: scores from here on are left out.
    """
    mask = (1 << size) - 1
    reachable = banks >> first << first & mask
    sums = 1  # of the banks so far; a bank that is such a sum brings nothing new
    for points in range(max(1, later), size):
        if banks >> points & 1 and not sums >> points & 1:
            step = points
            while step < size:  # any number of such banks, by doubling
                sums |= sums << step & mask
                reachable |= reachable << step & mask
                step *= 2
    return reachable | 1


def aces_and_fives(
    rules: Mapping[str, Any],
    dice: int,
    *,
    minimum_on_win: bool,
    then_all: str = "roll",
    specials: tuple[SpecialRoll, ...] = (),
) -> PushRules:
    """Return a game of the family of 5000, Beartrap and Farkle from their shared options.

    A 1 scores 100 and a 5 scores 50. Three alike score 100 times the face, three 1s 1,000. All points are multiples of
    50.

    Raises:
        InputError: points that are not such multiples, or a bank that must bring more than the target.
    """
    for key in ("target", "opening", "minimum", "straight"):
        if rules[key] % GRAIN_OF_ACES_AND_FIVES:
            message = f"{key}={rules[key]} must be a multiple of {GRAIN_OF_ACES_AND_FIVES}, as all scores are"
            raise HouseRuleError(message, key)
    for key in ("opening", "minimum"):
        if rules[key] > rules["target"]:
            raise HouseRuleError(f"{key} must be at most the target of {rules['target']:,}, not {rules[key]}", key)
    largest_alike = 3 if rules["kinds"] == "plain" else dice  # doubling: each die beyond three doubles the triple
    patterns = list[Pattern]()
    for face, (single, triple) in enumerate(SINGLE_AND_TRIPLE_POINTS):
        if single:
            patterns.append(pattern_of_face(face, 6, 1, single))
        for count in range(3, largest_alike + 1):
            patterns.append(pattern_of_face(face, 6, count, triple << count - 3))
    if rules["straight"]:
        for lowest in range(7 - dice):
            straight = tuple(int(lowest <= face < lowest + dice) for face in range(6))
            patterns.append(Pattern(straight, rules["straight"]))
    return PushRules(
        dice=dice,
        faces=("1", "2", "3", "4", "5", "6"),
        weights=(1, 1, 1, 1, 1, 1),
        patterns=tuple(patterns),
        minimum_on_win=minimum_on_win,
        then_all=then_all,
        specials=specials,
        set_aside=rules["set_aside"],
        target=rules["target"],
        opening=rules["opening"],
        minimum=rules["minimum"],
        finish=rules["finish"],
    )
