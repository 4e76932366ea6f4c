"""Turns in which dice of several kinds are drawn from a cup without replacement, as data.

Zombie Dice is of this kind. Before each roll the player draws dice until a full hand is held, without looking. After it
dice that show the *scoring* face are set aside and bring points, and dice that show the *bust* face are set aside too:
so many of them end the turn without points. Dice that show the third face stay in the hand and are rolled again. If
the cup is short of dice for a hand, the dice that scored go back into the cup; their points stay.

The turn model has a mode for each *cup state*: which dice scored and lie aside, which are in the hand, and which have
shown the bust face, each counted by kind. The cup holds the rest. Turn points are counted by the turn model itself.

*A full hand.* If all dice of a full hand stay in it, nothing has changed: the player may stop, or make the same roll
again. So such a state has two modes. In the first the dice are rolled. From the second they are rolled until anything
else shows, which leaves out the rolls that change nothing. Let p be the probability of such a roll, B the value of
stopping, and C that of the second mode. Whoever rolls gets R = p max(B, R) + (1 - p) C, and max(B, R) = max(B, C). So
R = p max(B, C) + (1 - p) C, which leads to no mode twice.

Start reading at ``CupRules.compile_turn``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import add

import numpy as np
from numpy.typing import NDArray

from ..turns.push_turn import BUST
from ..turns.single_choice_turn import SingleChoiceClasses, SingleChoiceTurn
from .cup_states import CupCodes, CupState, HandRoll
from .push_rules import SPECIAL_ENDING_COUNT, Counts, DieKind, PushRules

FACE_COUNT = 3  # one face scores, one is rolled again, one busts


@dataclass(frozen=True)
class CupRules(PushRules):
    """The rules of a turn with ``set_aside="cup"``; ``dice`` is the size of a full hand.

    Attributes:
        cup: the dice that are in the cup when a turn begins, by kind.
        scoring_face: the number of the face that scores.
        points: what it scores.
        again_face: the number of the face whose dice are rolled again.
        bust_face: the number of the face that ends the turn if it shows often enough.
        bust_limit: how often that is.
    """

    cup: tuple[DieKind, ...] = ()
    scoring_face: int = 0
    points: int = 1
    again_face: int = 1
    bust_face: int = 2
    bust_limit: int = 1

    @property
    def unsupported_objectives(self) -> Mapping[str, str]:
        """The objectives that other games have and this one has not, with the reason."""
        return {"rate": "the long-run average of turns requires busts that cost points"}

    @cached_property
    def grain(self) -> int:
        """The points of one die, of which all turn points are multiples."""
        return self.points

    @property
    def brings_any_points(self) -> bool:
        """Return True: a turn may bring the points of one die."""
        return True

    # The dice

    @cached_property
    def kind_names(self) -> tuple[str, ...]:
        """The names of the kinds of dice."""
        return tuple(kind.name for kind in self.cup)

    @cached_property
    def die_count(self) -> int:
        """The number of dice."""
        return sum(kind.count for kind in self.cup)

    @cached_property
    def _symbol_parts(self) -> tuple[tuple[int, int], ...]:
        """Kind and face of each symbol, by number."""
        kinds = enumerate(self.cup)
        return tuple((kind, face) for kind, die in kinds for face, weight in enumerate(die.weights) if weight)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The names of all symbols in the order of counts: kind and face, such as ``green-brain``."""
        return tuple(f"{self.cup[kind].name}-{self.faces[face]}" for kind, face in self._symbol_parts)

    @cached_property
    def symbol_aliases(self) -> dict[str, str]:
        """The symbols by their initials, such as ``gb``, as far as these differ."""
        initials = [f"{self.cup[kind].name[0]}{self.faces[face][0]}" for kind, face in self._symbol_parts]
        pairs = zip(initials, self.symbols, strict=True)
        return {short: symbol for short, symbol in pairs if initials.count(short) == 1 and short not in self.symbols}

    @cached_property
    def side_weights(self) -> tuple[Counts, ...]:
        """By kind, the weights of the faces, scaled so that those of every die add up to the same."""
        totals = [sum(kind.weights) for kind in self.cup]
        common = math.lcm(*totals)
        scales = (common // total for total in totals)
        return tuple(
            tuple(weight * scale for weight in kind.weights) for kind, scale in zip(self.cup, scales, strict=True)
        )

    def kinds_of_roll(self, roll: Counts) -> Counts:
        """Return how many dice of each kind lie in a roll."""
        counts = [0] * len(self.cup)
        for (kind, _), count in zip(self._symbol_parts, roll, strict=True):
            counts[kind] += count
        return tuple(counts)

    def kinds_with_face(self, roll: Counts, face: int) -> Counts:
        """Return how many dice of each kind show a face in a roll."""
        counts = [0] * len(self.cup)
        for (kind, face_shown), count in zip(self._symbol_parts, roll, strict=True):
            counts[kind] += count * (face_shown == face)
        return tuple(counts)

    # States and rolls

    @cached_property
    def first_state(self) -> CupState:
        """The state in which a turn begins: all dice are in the cup."""
        nothing = (0,) * len(self.cup)
        return CupState(nothing, nothing, nothing)

    def normal_state(self, state: CupState) -> CupState:
        """Return the state in which the next dice are drawn: dice that scored go back if the cup is short of dice."""
        if self.die_count - sum(state.scored) - sum(state.busted) < self.dice:
            return state._replace(scored=(0,) * len(self.cup))
        return state

    def dice_in_cup(self, state: CupState) -> Counts:
        """Return how many dice of each kind are in the cup."""
        dice = zip(self.cup, *state, strict=True)
        return tuple(kind.count - scored - hand - busted for kind, scored, hand, busted in dice)

    def state_after(self, state: CupState, roll: HandRoll) -> CupState | None:
        """Return the state after a roll; None for a bust."""
        busted = tuple(map(add, state.busted, roll.busted))
        if sum(busted) >= self.bust_limit:
            return None
        return self.normal_state(CupState(tuple(map(add, state.scored, roll.scored)), roll.hand, busted))

    def full_hands(self, state: CupState) -> Iterator[tuple[Counts, int]]:
        """Yield the hands that may be drawn, each with the number of ways to draw it."""
        in_cup = self.dice_in_cup(state)
        for selection in _selections(in_cup, self.dice - sum(state.hand)):
            ways = math.prod(math.comb(count, number) for count, number in zip(in_cup, selection, strict=True))
            yield tuple(map(add, state.hand, selection)), ways

    def hand_rolls(self, hand: Counts) -> tuple[HandRoll, ...]:
        """Return the rolls of a full hand."""
        if hand not in self._rolls_by_kinds:
            self._rolls_by_kinds[hand] = tuple(self._list_hand_rolls(hand))
        return self._rolls_by_kinds[hand]

    @cached_property
    def _rolls_by_kinds(self) -> dict[Counts, tuple[HandRoll, ...]]:
        turn_rules = self._cup_turn_rules
        return {} if turn_rules is self else turn_rules._rolls_by_kinds

    def _list_hand_rolls(self, hand: Counts) -> Iterator[HandRoll]:
        kinds = zip(self.side_weights, hand, strict=True)
        splits_by_kind = [[*_weigh_splits(count, weights)] for weights, count in kinds]
        for splits in product(*splits_by_kind):
            by_face = [tuple(counts[face] for counts, _ in splits) for face in range(FACE_COUNT)]
            yield HandRoll(
                by_face[self.scoring_face],
                by_face[self.again_face],
                by_face[self.bust_face],
                tuple(by_face[face][kind] for kind, face in self._symbol_parts),
                math.prod(weight for _, weight in splits),
                sum(by_face[self.scoring_face]),
                sum(by_face[self.bust_face]),
            )

    def rolls_from(self, state: CupState) -> Iterator[tuple[HandRoll, int]]:
        """Yield every roll from a state with its weight, the draws of the hand included."""
        for hand, ways in self.full_hands(state):
            for roll in self.hand_rolls(hand):
                yield roll, roll.weight * ways

    # The turn model

    @property
    def _cup_turn_rules(self) -> CupRules:
        turn_rules = self._turn_rules
        assert isinstance(turn_rules, CupRules)
        return turn_rules

    def dice_of_mode(self, mode: int) -> int:
        """Return how many dice a mode of the turn model rolls."""
        return self.dice

    def mode_of_state(self, state: CupState) -> int | None:
        """Return the mode of the turn model in which a state is rolled; None for a state that no turn leads to."""
        code = self._codes.code(state)
        return None if code is None else self._modes_by_code.get(code)

    @cached_property
    def states(self) -> tuple[CupState, ...]:
        """The states that a turn can lead to, in the order of their modes."""
        return tuple(map(self._codes.state, self._modes_by_code))

    @cached_property
    def _codes(self) -> CupCodes:
        turn_rules = self._cup_turn_rules
        return CupCodes(self) if turn_rules is self else turn_rules._codes

    @cached_property
    def _codes_in_order(self) -> NDArray[np.int64]:
        """The codes of the states that a turn can lead to, in the order of their modes: full hands come first."""
        codes = np.unique(self._codes.edges.state)
        return codes[np.lexsort((codes, ~self._codes.have_full_hand(codes)))]

    @property
    def _full_hand_count(self) -> int:
        """The number of states with a full hand."""
        return int(np.count_nonzero(self._codes.have_full_hand(self._codes_in_order)))

    @cached_property
    def _modes_by_code(self) -> dict[int, int]:
        """The mode of each state; the second modes of full hands come first (see the module's docstring)."""
        return {code: mode for mode, code in enumerate(self._codes_in_order.tolist(), self._full_hand_count)}

    def compile_turn(self) -> SingleChoiceTurn:
        """Compile the turn model anew.

        States with more dice that show the bust face are solved earlier. A roll that neither scores nor busts fills
        the hand. So of the states with equally many such dice, the second modes of full hands are solved first, then
        their first modes, then the others.
        """
        state, after, scored, weight = self._codes.edges
        codes, full_count = self._codes_in_order, self._full_hand_count
        modes_by_code = np.full(int(codes.max()) + 1, BUST.next_mode)
        modes_by_code[codes] = np.arange(full_count, full_count + len(codes))
        mode = modes_by_code[state]
        next_mode = np.where(after < 0, BUST.next_mode, modes_by_code[np.maximum(after, 0)])
        stays_same = (after == state) & (scored == 0)
        # After a roll that changes nothing, the first mode of a full hand leads to the second one, which is numbered
        # ``full_count`` lower and has the same rolls without that one.
        is_second = (mode < 2 * full_count) & ~stays_same
        mode_of_class = np.concatenate([mode, mode[is_second] - full_count])
        leads_to = np.concatenate([np.where(stays_same, next_mode - full_count, next_mode), next_mode[is_second]])
        points = np.concatenate([scored, scored[is_second]])
        weights = np.concatenate([weight, weight[is_second]])
        by_mode = np.argsort(mode_of_class, kind="stable")
        mode_count = full_count + len(codes)
        start = np.searchsorted(mode_of_class[by_mode], np.arange(mode_count + 1))
        classes = SingleChoiceClasses(start, leads_to[by_mode], points[by_mode], weights[by_mode])
        codes_of_modes = np.concatenate([codes[:full_count], codes])
        order = np.argsort(-self._codes.busted_counts(codes_of_modes), kind="stable")

        def name_of_mode(mode: int) -> str:
            return self.describe_state(self._codes.state(int(codes_of_modes[mode])))

        first_mode = self.mode_of_state(self.first_state)
        assert first_mode is not None
        return SingleChoiceTurn(classes, order, first_mode, SPECIAL_ENDING_COUNT, name_of_mode)

    def describe_state(self, state: CupState) -> str:
        """Return a state in words: ``cup 5 green 3 yellow 3 red, hand 1 red, shotgun 1 green``."""
        parts = {
            "cup": self.dice_in_cup(state),
            "hand": state.hand,
            self.faces[self.bust_face]: state.busted,
        }
        return ", ".join(f"{name} {self.describe_kinds(counts)}" for name, counts in parts.items() if any(counts))

    def describe_kinds(self, counts: Sequence[int]) -> str:
        """Return numbers of dice by kind in words: ``2 green 1 red``."""
        kind_counts = zip(counts, self.kind_names, strict=True)
        return " ".join(f"{count} {name}" for count, name in kind_counts if count)


def _selections(available: Sequence[int], size: int) -> Iterator[Counts]:
    """Yield the ways to take ``size`` dice, as counts by kind."""
    if len(available) == 1:
        if size <= available[0]:
            yield (size,)
        return
    for count in range(min(size, available[0]) + 1):
        for other_counts in _selections(available[1:], size - count):
            yield (count, *other_counts)


def _weigh_splits(dice: int, weights: Sequence[int]) -> Iterator[tuple[Counts, int]]:
    """Yield how often each face can show on dice of one kind, each with its number of ways."""
    for counts in _selections((dice,) * len(weights), dice):
        orders = math.factorial(dice) // math.prod(map(math.factorial, counts))
        sides = math.prod(weight**count for weight, count in zip(weights, counts, strict=True))
        if sides:
            yield counts, orders * sides
