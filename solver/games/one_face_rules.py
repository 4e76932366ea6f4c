"""Turns in which all dice of one face are set aside after each roll, and no face twice, as data.

Martian Dice and Pickomino are of this kind. After a roll the player takes all dice of one face that has not been taken
in this turn; a face may be declared *repeatable*. All dice of a *forced* face are set aside too, without being chosen.
The turn brings points if the dice set aside meet the conditions of the rules: needed faces, and faces that *cover*
others, of which there must be at least as many.

The turn model has a mode for each *aside state*: what the dice set aside mean for the rest of the turn. It is the
number of dice left, the faces that are used up, and how far each cover is ahead. Faces with equal rules are
interchangeable, so only their number counts. Turn points are counted by the turn model itself.

With ``set_aside="any"`` the player sets aside any dice of a roll, at least one, whether they score or not, and no face
is used up. Otherwise the rules are the same. The game 1-4-24 is of this kind.

Start reading at ``OneFaceRules.compile_turn``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..turns.push_turn import BUST, Mode, PushTurn, Roll, TurnChoice
from ..util import multiset
from .push_rules import SPECIAL_ENDING_COUNT, Counts, PushRules

ENDED_MODE, LOST_MODE = 0, 1  # no dice are left to roll; no points are possible any more


class AsideState(NamedTuple):
    """The effect of the dice set aside on the rest of a turn.

    Attributes:
        dice: dice left to roll.
        used: the faces that have been set aside and matter, as bits.
        leads: for each cover, how many dice it is ahead of the face it covers; no more than ``dice``.
    """

    dice: int
    used: int
    leads: tuple[int, ...]


class FaceOption(NamedTuple):
    """What may be set aside after a roll: all dice of one face, with the forced dice of the roll, or any dice.

    Attributes:
        points: what the dice score, the bonus for all faces included.
        dice: how many dice are set aside.
        used: the faces that are then used, as bits.
        steps: by how much the lead of each cover grows.
        is_stuck: no face can be taken, so the turn ends.
    """

    points: int
    dice: int
    used: int
    steps: tuple[int, ...]
    is_stuck: bool = False


@dataclass(frozen=True)
class OneFaceRules(PushRules):
    """The rules of a turn with ``set_aside="one-face"`` or ``set_aside="any"``.

    Attributes:
        face_points: the points of one die, by face.
        forced_faces: faces whose dice are always set aside, beside the face that is taken.
        repeatable_faces: faces that may be taken more than once in a turn.
        needed_faces: faces that must be among the dice set aside, or the turn brings nothing.
        covers: pairs of a face and the face it covers: it needs as many dice, or the turn brings nothing.
        all_faces_bonus: points for one die at least of every face that scores.
        totals: pairs of a least total and its points, ascending; empty if points count as they are.
        scores_if_stuck: if no face can be taken the turn ends with its points; else it is a bust.
        needed_score: whether one die of each needed face scores like all others.
    """

    face_points: tuple[int, ...] = ()
    forced_faces: tuple[int, ...] = ()
    repeatable_faces: tuple[int, ...] = ()
    needed_faces: tuple[int, ...] = ()
    covers: tuple[tuple[int, int], ...] = ()
    all_faces_bonus: int = 0
    totals: tuple[tuple[int, int], ...] = ()
    scores_if_stuck: bool = False
    needed_score: bool = True

    @property
    def takes_any(self) -> bool:
        """Return whether any dice of a roll may be set aside."""
        return self.set_aside == "any"

    @property
    def unsupported_objectives(self) -> Mapping[str, str]:
        """The objectives that other games have and this one has not, with the reason."""
        reasons = {"rate": "the long-run average of turns requires busts that cost points"}
        if self.totals:
            reason = "with [totals] only single turns are solved, because the points of turns do not add up to a target"
            reasons |= dict.fromkeys(("win", "turns", "reach"), reason)
        elif self.is_one_turn:
            reasons |= {"turns": "every player has one turn"}
        return reasons

    @cached_property
    def grain(self) -> int:
        """The greatest common divisor of all turn points."""
        return math.gcd(*self.face_points, self.all_faces_bonus)

    @property
    def can_end_with_nothing(self) -> bool:
        """Return whether a turn can end with nothing and without a bust: if no face can be taken."""
        return True

    # Points

    @cached_property
    def scoring_bits(self) -> int:
        """The faces that score, as bits."""
        return sum(1 << face for face, points in enumerate(self.face_points) if points)

    def turn_points(self, aside: Counts) -> int:
        """Return the turn points of the dice set aside, whether or not they may be banked."""
        points = sum(count * points_per_die for count, points_per_die in zip(aside, self.face_points, strict=True))
        has_all = all(count for count, points_per_die in zip(aside, self.face_points, strict=True) if points_per_die)
        if not self.needed_score:
            points -= sum(self.face_points[face] for face in self.needed_faces if aside[face])
        return points + self.all_faces_bonus * has_all

    def meets_conditions(self, aside: Counts) -> bool:
        """Return whether the dice set aside have all needed faces, and enough dice of every cover."""
        has_needed = all(aside[face] for face in self.needed_faces)
        return has_needed and all(aside[cover] >= aside[covered] for cover, covered in self.covers)

    def bank_value(self, points: int) -> int:
        """Return what a bank of turn points brings."""
        if not self.totals:
            return points
        return max((value for least, value in self.totals if points >= least), default=0)

    def bank_values(self, units: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what banks bring, by their turn points in units of ``grain``."""
        return np.array([self.bank_value(int(unit) * self.grain) for unit in units], dtype=float)

    def banked_points(self, aside: Counts) -> int:
        """Return what a bank of the dice set aside brings; 0 if they do not meet the conditions."""
        return self.bank_value(self.turn_points(aside)) if self.meets_conditions(aside) else 0

    @cached_property
    def min_bank_units(self) -> int:
        """The fewest turn points, in units, that bring anything."""
        least = next((least for least, value in self.totals if value), 1)
        return max(1, -(-least // self.grain))

    @cached_property
    def max_turn_units(self) -> int:
        """The most turn points of a turn, in units, if every die scored as much as the best face."""
        return (self.dice * max(self.face_points) + self.all_faces_bonus) // self.grain

    # What may be set aside

    def forced_dice(self, roll: Counts) -> Counts:
        """Return the dice of a roll that are set aside in any case."""
        return tuple(count if face in self.forced_faces else 0 for face, count in enumerate(roll))

    def takeable_faces(self, aside: Counts, roll: Counts) -> list[int]:
        """Return the faces that may be taken after a roll: most points first, then fewer dice.

        The order is that of the turn model (``_preference``), so that policies may take the first face.
        """
        used = sum(1 << face for face, count in enumerate(aside) if count and self._used_matters[face])
        counts = dict(enumerate(roll))
        faces = [
            face
            for face, count in enumerate(roll)
            if count and face not in self.forced_faces and (face in self.repeatable_faces or not aside[face])
        ]
        return sorted(faces, key=lambda face: _preference(self._option(counts, used, [face])))

    def takeable_sets(self, aside: Counts, roll: Counts) -> list[Counts]:
        """Return the dice that may be set aside after a roll, the forced ones included, in the order of the turn model.

        Args:
            aside: the dice set aside before.
            roll: the dice of the roll.
        """
        if not self.takes_any:
            forced = self.forced_dice(roll)
            return [
                tuple(count if number == face else forced[number] for number, count in enumerate(roll))
                for face in self.takeable_faces(aside, roll)
            ]
        used = sum(1 << face for face, count in enumerate(aside) if count and self._used_matters[face])
        sets = (dice_set for dice_set in product(*(range(count, -1, -1) for count in roll)) if any(dice_set))
        return sorted(sets, key=lambda dice_set: _preference(self._option_to_take(dict(enumerate(dice_set)), used)))

    def can_hold(self, aside: Counts) -> bool:
        """Return whether these dice can be set aside in a turn that goes on."""
        chosen_count = sum(count for face, count in enumerate(aside) if face not in self.forced_faces)
        return sum(aside) < self.dice and (chosen_count > 0 or not any(aside))

    # The turn model

    @cached_property
    def _used_matters(self) -> tuple[bool, ...]:
        """By face, whether it matters that some of its dice are set aside."""
        return tuple(
            face not in (*self.forced_faces, *self.repeatable_faces)
            or face in self.needed_faces
            or bool(self.all_faces_bonus and self.face_points[face])
            for face in range(len(self.faces))
        )

    @cached_property
    def _alike_faces(self) -> list[list[int]]:
        """Groups of faces that the rules do not tell apart."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for face in range(len(self.faces)):
            is_in_cover = face if any(face in pair for pair in self.covers) else None
            lists = (self.forced_faces, self.repeatable_faces, self.needed_faces)
            memberships = (face in faces for faces in lists)
            key = (self.weights[face], self.face_points[face], is_in_cover, *memberships)
            groups.setdefault(key, []).append(face)
        return list(groups.values())

    @property
    def used_set_count(self) -> int:
        """Return how many sets of used faces are told apart, at most."""
        return math.prod(len(group) + 1 for group in self._alike_faces if self._used_matters[group[0]])

    def _canonical_used(self, used: int) -> int:
        """Return the used faces as bits, with the first faces of every group of faces that are alike."""
        canonical = 0
        for group in self._alike_faces:
            count = sum(used >> face & 1 for face in group)
            canonical |= sum(1 << face for face in group[:count])
        return canonical

    def _is_hopeless(self, state: AsideState) -> bool:
        """Return whether no more points are possible, because some cover cannot catch up."""
        return any(lead + state.dice < 0 for lead in state.leads)

    def _is_bankable(self, state: AsideState) -> bool:
        """Return whether the dice set aside meet the conditions."""
        has_needed = all(state.used >> face & 1 for face in self.needed_faces)
        return has_needed and all(lead >= 0 for lead in state.leads)

    def aside_state(self, aside: Counts) -> AsideState:
        """Return what the dice set aside mean for the rest of the turn."""
        dice = self.dice - sum(aside)
        used = sum(1 << face for face, count in enumerate(aside) if count and self._used_matters[face])
        leads = tuple(aside[cover] - aside[covered] for cover, covered in self.covers)
        return self._normal_state(dice, used, leads)

    def _normal_state(self, dice: int, used: int, leads: tuple[int, ...]) -> AsideState:
        return AsideState(dice, self._canonical_used(used), tuple(min(lead, dice) for lead in leads))

    def dice_of_mode(self, mode: int) -> int:
        """Return how many dice a mode of the turn model rolls; 1 for a turn that is over."""
        state = self.state_of_mode(mode)
        return state.dice if state else 1

    def mode_of_aside(self, aside: Counts) -> int:
        """Return the mode of the turn model in which the remaining dice are rolled."""
        return self._mode_of_state(self.aside_state(aside))

    def _mode_of_state(self, state: AsideState) -> int:
        turn_rules = self._turn_rules
        assert isinstance(turn_rules, OneFaceRules)
        return LOST_MODE if self._is_hopeless(state) else turn_rules._modes_by_state[state]

    def state_of_mode(self, mode: int) -> AsideState | None:
        """Return the aside state of a mode of the turn model; None if the turn is over there."""
        turn_rules = self._turn_rules
        assert isinstance(turn_rules, OneFaceRules)
        return turn_rules._states_by_mode.get(mode)

    @cached_property
    def _states_by_mode(self) -> dict[int, AsideState]:
        return {mode: state for state, mode in self._modes_by_state.items()}

    @cached_property
    def _modes_by_state(self) -> dict[AsideState, int]:
        """The modes by aside state, fewer dice first; behind those of a turn that is over."""
        return {state: mode for mode, state in enumerate(sorted(self._options_by_state), LOST_MODE + 1)}

    @cached_property
    def _options_by_state(self) -> dict[AsideState, dict[tuple[FaceOption, ...], int]]:
        """The aside states before a roll, each with what its rolls offer and the weights of these."""
        start = self.aside_state((0,) * len(self.faces))
        offers: dict[AsideState, dict[tuple[FaceOption, ...], int]] = {}
        offers_by_used: dict[tuple[int, int], dict[tuple[FaceOption, ...], int]] = {}
        queue = [start]
        while queue:
            state = queue.pop()
            if state in offers:
                continue
            key = state.dice, state.used
            if key not in offers_by_used:
                offers_by_used[key] = self._offers_of(*key)
            offers[state] = offers_by_used[key]
            followers = {option for options in offers[state] for option in options if not option.is_stuck}
            for option in followers:
                after = self._state_after(state, option)
                if after.dice and not self._is_hopeless(after):
                    queue.append(after)
        return offers

    def _state_after(self, state: AsideState, option: FaceOption) -> AsideState:
        leads = tuple(map(sum, zip(state.leads, option.steps, strict=True)))
        return self._normal_state(state.dice - option.dice, option.used, leads)

    def _offers_of(self, dice: int, used: int) -> dict[tuple[FaceOption, ...], int]:
        """Return what the rolls of some dice offer, with the weight of all rolls that offer the same.

        Args:
            dice: how many dice are rolled.
            used: the faces that are used, as bits.
        """
        faces = range(len(self.faces))
        is_dead = [
            bool(used >> face & 1) and face not in (*self.forced_faces, *self.repeatable_faces) for face in faces
        ]
        live = [face for face in faces if not is_dead[face]]
        dead_weight = sum(weight for weight, dead in zip(self.weights, is_dead, strict=True) if dead)
        side_weights = [self.weights[face] for face in live] + [dead_weight] * bool(dead_weight)
        rows = multiset.list_multisets(dice, len(side_weights))
        weights = multiset.multiset_weights(rows, side_weights).tolist()
        offers: dict[tuple[FaceOption, ...], int] = {}
        for row, weight in zip(rows.tolist(), weights, strict=True):
            counts = dict(zip(live, row, strict=False))
            options = tuple(sorted(set(self._options_of(counts, used)), key=_preference))
            offers[options] = offers.get(options, 0) + weight
        return offers

    def _options_of(self, counts: Mapping[int, int], used: int) -> Iterator[FaceOption]:
        """Yield what a roll offers.

        Args:
            counts: the dice of the roll by face, without faces that may not be taken.
            used: the faces that are used before it, as bits.
        """
        if self.takes_any:
            ranges = [range(count + 1) for count in counts.values()]
            for counts_taken in product(*ranges):
                if any(counts_taken):
                    yield self._option_to_take(dict(zip(counts, counts_taken, strict=True)), used)
            return
        faces = [face for face, count in counts.items() if count and face not in self.forced_faces]
        for face in faces:
            yield self._option(counts, used, [face])
        if not faces:
            yield self._option(counts, used, [])

    def _option(self, counts: Mapping[int, int], used: int, face_alone: list[int]) -> FaceOption:
        """Return what it means to take a face; ``face_alone`` is that face alone, or empty if no face can be taken."""
        faces_taken = [*face_alone, *(face for face in self.forced_faces if counts[face])]
        return self._option_to_take({face: counts[face] for face in faces_taken}, used, is_stuck=not face_alone)

    def _option_to_take(self, counts_taken: Mapping[int, int], used: int, is_stuck: bool = False) -> FaceOption:
        """Return what it means to set dice aside.

        Args:
            counts_taken: the dice by face.
            used: the faces that are used before, as bits.
            is_stuck: no face can be taken; the dice are forced ones.
        """
        used_after = used | sum(1 << face for face, count in counts_taken.items() if count and self._used_matters[face])
        completes = not self.has_all(used) and self.has_all(used_after)
        points = sum(count * self.face_points[face] for face, count in counts_taken.items())
        points += self.all_faces_bonus * completes
        if not self.needed_score:
            points -= sum(self.face_points[face] for face in self.needed_faces if (used_after & ~used) >> face & 1)
        steps = tuple(counts_taken.get(cover, 0) - counts_taken.get(covered, 0) for cover, covered in self.covers)
        return FaceOption(points, sum(counts_taken.values()), self._canonical_used(used_after), steps, is_stuck)

    def has_all(self, used: int) -> bool:
        """Return whether every face that scores is used."""
        return used & self.scoring_bits == self.scoring_bits

    def compile_turn(self) -> PushTurn:
        """Compile the turn model anew."""
        bank = 0
        modes = [
            Mode("all dice set aside", bank, min_bank=0, rolls=()),
            Mode("no points possible any more", None, min_bank=0, rolls=(Roll((((BUST,), 1),)),)),
        ]
        groups: dict[int, list[int]] = {}
        for state, number in self._modes_by_state.items():
            ending = bank if self._is_bankable(state) and not self.never_stops else None
            roll = Roll(tuple(self._classes_of(state).items()))
            modes.append(Mode(self._describe_state(state), ending, self.min_bank_units, (roll,)))
            groups.setdefault(state.dice, []).append(number)
        in_order = [groups[dice] for dice in sorted(groups)]
        return PushTurn(modes, [[ENDED_MODE], [LOST_MODE], *in_order], len(modes) - 1, SPECIAL_ENDING_COUNT)

    def _describe_state(self, state: AsideState) -> str:
        used = self.describe_faces(tuple(face for face in range(len(self.faces)) if state.used >> face & 1))
        leads = "".join(
            f", {self.faces[cover]} {lead:+d}" for (cover, _), lead in zip(self.covers, state.leads, strict=True)
        )
        return f"{self.describe_hand(state.dice)}{f', used: {used}' if used else ''}{leads}"

    def _classes_of(self, state: AsideState) -> dict[tuple[TurnChoice, ...], int]:
        """Return the roll classes of an aside state, each with its weight."""
        classes: dict[tuple[TurnChoice, ...], int] = {}
        choice_by_option: dict[FaceOption, TurnChoice] = {}
        for options, weight in self._options_by_state[state].items():
            for option in options:
                if option not in choice_by_option:
                    choice_by_option[option] = self._choice_of(state, option)
            choices = tuple(dict.fromkeys(choice_by_option[option] for option in options))
            classes[choices] = classes.get(choices, 0) + weight
        return classes

    def _choice_of(self, state: AsideState, option: FaceOption) -> TurnChoice:
        """Return the choice of the turn model for what a roll offers."""
        after = self._state_after(state, option)
        if option.is_stuck or not after.dice:
            may_bank = self._is_bankable(after) and (self.scores_if_stuck or not option.is_stuck)
            return TurnChoice(ENDED_MODE, option.points // self.grain) if may_bank else BUST
        return TurnChoice(self._mode_of_state(after), option.points // self.grain)


def _preference(option: FaceOption) -> tuple[int, FaceOption]:
    """Return the key by which options are sorted: most points first, then fewer dice."""
    return -option.points, option
