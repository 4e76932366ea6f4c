"""Scores and turn points that a push-your-luck game can lead to, and the dice that may be rolled with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, reduce
from operator import or_

from ..games.push_rules import Counts, NextRoll, Offer, PushRules, sum_banks
from ..util.bitsets import reachable_points
from ..util.errors import InputError, argument
from ..util.number_format import format_count
from ..util.text import with_count
from .position_fields import parse_number
from .seats import scores_by_seat

MAX_LISTED_POINTS = 1_000_000
MAX_TURN_POINTS = 100_000
MAX_SCORE = 100  # totals of a last round are told up to so many times the target


class ReachableStates:
    """The scores and turn points that can occur under ``rules``, and checks that refuse others.

    A ``goal`` among the parameters replaces the target.

    Attributes:
        head_starts: the scores that players may have at the beginning of the game; set before anything is computed.
    """

    head_starts: Sequence[int] = ()

    def __init__(self, rules: PushRules, parameters: Mapping[str, int]) -> None:
        self.rules, self.goal = rules, parameters.get("goal", rules.target)
        self._noun = "goal" if "goal" in parameters else "target"

    @cached_property
    def can_be_forced(self) -> bool:
        """True if there are positions in which dice have to be rolled."""
        rules = self.rules
        return (
            rules.then_all == "must" or rules.has_effect("again") or rules.has_confirmations or rules.resurrection > 0
        )

    def throws_with(self, dice: int, turn: int) -> tuple[int, list[NextRoll]]:
        """Return whether dice can be rolled freely with some turn points, and the rolls of them that are forced."""
        units = turn // self.rules.grain
        points_by_roll = self.modes_by_points(
            turn + 4 * max((points for offers in self._offers_by_roll.values() for _, points in offers), default=0)
        )
        may = {throw: points for throw, points in points_by_roll.items() if throw and throw.dice == dice}
        there = {throw: points >> units & 1 for throw, points in may.items()}
        if not any(there.values()):
            raise InputError(self._cannot_be_held(turn, dice, reduce(or_, may.values())))
        return there[NextRoll(dice)], [throw for throw, can in there.items() if throw.forced and can]

    @cached_property
    def _offers_by_roll(self) -> Mapping[NextRoll, frozenset[Offer]]:
        """The choices of all results of each roll that may follow in a turn."""
        rules = self.rules
        offers = {NextRoll(dice): self._offers_of(NextRoll(dice)) for dice in range(1, rules.dice + 1)}
        if self.can_be_forced:
            offers[NextRoll(rules.dice, True)] = offers[NextRoll(rules.dice)]
            offers |= {roll: self._offers_of(roll) for roll in rules.confirmation_rolls}
        if rules.resurrection:
            offers |= {roll._replace(forced=True): choices for roll, choices in offers.items()}
        return offers

    def _offers_of(self, roll: NextRoll) -> frozenset[Offer]:
        rules = self.rules
        if rules.is_sum_of_faces:
            return frozenset((rules.roll_after_all_dice, points) for points in rules.weights_by_points[roll.dice])
        with_emperor = rules.emperor_rules.all_offers(roll) if rules.emperor else frozenset[Offer]()
        return rules.all_offers(roll) | with_emperor

    def modes_by_points(self, max_points: int) -> dict[NextRoll | None, int]:
        """Return the turn points that can occur before each roll (None: all dice are set aside), as bit sets.

        Bit t is set if t units of the grain can occur. The sets are complete up to ``max_points`` points.
        """
        grain = self.rules.grain
        top = max(64, 1 << (max_points // grain).bit_length())  # few sizes, each followed once
        if top not in self._modes_of_points:
            begun: dict[NextRoll | None, int] = dict.fromkeys((*self._offers_by_roll, None), 0)
            for dice in range(1 if self.rules.chooses_dice else self.rules.dice, self.rules.dice + 1):
                begun[NextRoll(dice)] = 1
            edges = [
                (roll, next_roll, points // grain)
                for roll, offers in self._offers_by_roll.items()
                for next_roll, points in offers
            ]
            if self.rules.resurrection:
                edges += [(roll, roll._replace(forced=True), 0) for roll in self._offers_by_roll]
            self._modes_of_points[top] = reachable_points(begun, edges, top)
        return self._modes_of_points[top]

    @cached_property
    def _modes_of_points(self) -> dict[int, dict[NextRoll | None, int]]:
        return {}

    @cached_property
    def scores(self) -> int:
        """The scores below the target that can occur, as a bit set by units of the grain."""
        rules, banked = self.rules, 0
        for throw, points in self.modes_by_points(rules.target).items():
            if rules.can_stop(throw, True):
                banked |= points
        first, later = (
            max(1, -(-least // rules.grain)) for least in (max(rules.opening, rules.minimum), rules.minimum)
        )
        return self._sum_banks(banked, first, later)

    def _sum_banks(self, banks: int, first: int, later: int) -> int:
        """Return the scores below the target that banks lead to, from 0 and from every head start, as a bit set.

        Args:
            banks: the units that a turn can bank, as a bit set.
            first: the fewest units of the first bank of a player without a head start.
            later: the fewest units of every other bank.
        """
        rules = self.rules
        size = -(-rules.target // rules.grain)
        scores = sum_banks(banks, first, later, size)
        for start in {points // rules.grain for points in self.head_starts} - {0}:
            scores |= sum_banks(banks, later, later, size - start) << start
        return scores

    # --- what is told

    def read_busts(self, busts: int, opponents_busts: Sequence[int] | None, seat: int, players: int) -> tuple[int, ...]:
        """Return the busts in a row by seat, if they count."""
        if not self.rules.bust_costs:
            return ()
        if opponents_busts is not None and len(opponents_busts) != players - 1:
            expected = format_count(players - 1, "number")
            raise InputError(
                f"{argument('opponents_busts')}: expected {expected}, one for each opponent, got {len(opponents_busts)}"
            )
        max_busts = len(self.rules.bust_costs) - 1
        counts = [("busts", busts), *(("opponents_busts", count) for count in opponents_busts or ())]
        for name, count in counts:
            if count > max_busts:
                raise InputError(f"{argument(name)} must be at most {max_busts} under these rules, not {count}")
        return scores_by_seat(busts, opponents_busts, seat, players)

    def check_score(self, score: int, whose: str, past_target: bool, any_bank: bool = False) -> None:
        """Raise InputError for a score that cannot occur; ``any_bank``: the last bank may be below the minimum."""
        rules = self.rules
        self.check_points(score, whose)
        if score >= self.goal and not past_target:
            raise InputError(
                f"{whose} must be below the {self._noun} of {self.goal:,}, not {score:,}: the game would be over"
            )
        if score > MAX_SCORE * self.goal:
            raise InputError(f"{whose} must be at most {MAX_SCORE * self.goal:,}, not {score:,}")
        is_any_score_possible = rules.bust_costs or rules.has_badges or any_bank
        if 0 < score < self.goal and not is_any_score_possible and not self.scores >> score // rules.grain & 1:
            first, later = max(rules.opening, rules.minimum), rules.minimum
            if score < first:
                raise InputError(
                    f"{whose} cannot be {score}: the first bank is at least {first} points, so a score is 0 or at least"
                    f" {first}"
                )
            smallest = max(later, rules.grain)
            raise InputError(f"{whose} cannot be {score}: no banks of {smallest} or more points add up to it")

    def check_points(self, points: int, subject: str, max_points: int = MAX_LISTED_POINTS) -> None:
        """Raise InputError for turn points that cannot occur."""
        if points > max_points:
            raise InputError(f"{subject} must be at most {max_points:,}, not {points}")
        if points % self.rules.grain:
            raise InputError(f"{subject} must be a multiple of {self.rules.grain} in this game, not {points}")

    def read_dice(self, turn: int, dice: int | Sequence[str] | None, roll: Counts | None) -> int:
        """Return the number of dice, or the number of the hand, from the field ``dice`` or the roll."""
        if self.rules.kinds:
            return self._read_hand(self.rules, turn, dice, roll)
        assert dice is None or isinstance(dice, int)
        whole = self.rules.dice
        if roll is not None:
            size = sum(roll)
            if size > whole:
                most = "1 die" if whole == 1 else f"at most {whole} dice"
                raise InputError(f"expected {most}, got {size}")
            if dice not in (None, size):
                raise InputError(
                    f"the roll has {format_count(size, 'die')}, not {dice}; leave {argument('dice')} out if you"
                    f" give {argument('roll')}"
                )
            return size
        if dice is None:
            if (only := self._only_hand(turn)) is None:
                raise InputError(
                    f"{argument('turn')} {turn} also requires {argument('roll')}, or {argument('dice')} (the"
                    " number of dice to roll next)"
                )
            return only
        return parse_number(dice, argument("dice"), 1, whole)

    def _read_hand(self, rules: PushRules, turn: int, dice: int | Sequence[str] | None, roll: Counts | None) -> int:
        """Return the number of the hand with these kinds of dice, or with the dice of a roll."""
        whole = rules.die_names(rules.dice)
        if roll is not None:
            if dice is not None:
                raise InputError(
                    f"{argument('dice')} cannot be combined with {argument('roll')}, which shows the dice;"
                    f" leave {argument('dice')} out"
                )
            if not (hand := rules.hand_number(roll)):
                raise InputError(f"these dice cannot be rolled together; the dice are {', '.join(whole)}")
            return hand
        if dice is None:
            if (only := self._only_hand(turn)) is None:
                raise InputError(
                    f"{argument('turn')} {turn} also requires {argument('roll')}, or {argument('dice')} (the"
                    " dice to roll next)"
                )
            return only
        assert not isinstance(dice, int)
        for hand in range(1, rules.dice + 1):
            if sorted(rules.die_names(hand)) == sorted(dice):
                return hand
        names = ", ".join(with_count(name, dice.count(name)) for name in dict.fromkeys(dice))
        all_names = ", ".join(with_count(name, whole.count(name)) for name in dict.fromkeys(whole))
        raise InputError(f"{names} cannot be rolled together; the dice are {all_names}")

    def _only_hand(self, turn: int) -> int | None:
        """Return the only dice that can be rolled with some turn points, as a number or hand; None if several can.

        Without turn points a turn begins, with all dice.

        Raises:
            InputError: no dice can be thrown with these points in hand.
        """
        if not turn or self.rules.dice == 1:
            return self.rules.dice
        self.check_points(turn, argument("turn"), MAX_TURN_POINTS)
        units = turn // self.rules.grain
        hands = {throw.dice for throw, points in self.modes_by_points(turn).items() if throw and points >> units & 1}
        if not hands:
            raise InputError(f"{argument('turn')} cannot be {turn}: no roll can follow with {turn} turn points")
        return hands.pop() if len(hands) == 1 else None

    def thrown_over(self, dice: tuple[int, ...] | None, musts: Sequence[NextRoll]) -> tuple[int, ...]:
        """Return the faces that are rolled again: those given, else none, or the only ones that are possible."""
        may = [throw.rerolled_faces for throw in musts]
        if dice is not None or () in may:
            return dice or ()
        if len(may) > 1:
            ways = "; ".join(self.rules.describe_faces(faces) for faces in may)
            raise InputError(f"{argument('over')} is required (the faces that are rolled again): {ways}")
        return may[0]

    def _cannot_be_held(self, turn: int, dice: int, within: int) -> str:
        units, noun = turn // self.rules.grain, self.rules.describe_hand(dice)
        if not turn:
            whole = self.rules.describe_hand(self.rules.dice)
            return (
                f"a turn begins with {whole}, not {noun}; if the turn has begun, also give"
                f" {argument('turn')}, its points so far"
            )
        possible = [unit for unit in range(within.bit_length()) if within >> unit & 1]
        near = [unit for unit in possible if unit < units][-1:] + [unit for unit in possible if unit > units][:1]
        if not near:
            return f"{noun} can never be rolled with turn points under these rules"
        nearest = " and ".join(str(unit * self.rules.grain) for unit in near)
        values = f"value is {nearest}" if len(near) == 1 else f"values are {nearest}"
        if dice < self.rules.dice and not self.rules.kinds:
            noun = f"{dice} of the {self.rules.dice} dice"
        return f"{argument('turn')} cannot be {turn} before a roll of {noun}; the nearest possible {values}"
