"""Games of scorecards, such as Yahtzee, as people play them.

A player rolls all dice, keeps any of them and rolls the others again. The last roll is entered in an open box, for
zero points if nothing fits. In games with two entries a turn the dice are split into equal parts, one for each box.
Every player fills a scorecard. The highest total wins (``win``), and tied players share. Alone the objectives are
``points`` and to ``reach`` a total.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from operator import add, sub
from typing import Any, NamedTuple

from ..games.card_rules import FREE, NONE, Card, score_one_roll
from ..util import multiset
from ..util.errors import InputError, argument, closest_name
from ..util.number_format import format_count
from ..util.text import find_name, fold_name
from .choice_kinds import BoxEntries, BoxEntry, CardDice, ChoiceKind
from .playable_game import Choice, PlayableGame, Stage, WeightedRoll, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role, parse_number
from .scorecard import Scorecard, ScorecardReader
from .seats import opponents_field, scores_by_seat

Counts = tuple[int, ...]


class Split(NamedTuple):
    """The best split of dice between two boxes.

    Attributes:
        points: points of both boxes.
        entries: what is entered in each.
        parts: the dice of each as counts of faces.
    """

    points: int
    entries: tuple[BoxEntry, BoxEntry]
    parts: tuple[Counts, Counts]


KEPT = "Before a roll: the dice that you keep; the others are rolled."
THROWING = "Before a roll: you have decided to roll all dice again."
ENTERING = "After a roll: you keep all dice, and the turn ends with this roll."
TURNS_KEPT = 8  # throws of turns whose choices are remembered
# Entries of a turn in words other than a box and its points.
SCRATCHED = re.compile(r"(?:scratch(?:ed)?|strike|struck|cross(?:ed)?|zero|0)(?: out| off)?(?: in| for)? (.+)")
ENTRY_SEPARATOR = re.compile(r",(?! ?\d+$)| and ")  # but "chance, 22" is one entry
COUNTS = ("one", "two", "three", "four", "five", "six")
POINTS_FIRST = re.compile(r"(?:(?:enter|put|write)(?:ed)? )?(\d+)(?: points?)? (?:in|into|for|on) (?:the )?(.+)")


@dataclass(frozen=True)
class CardPosition:
    """A position of a scorecard game.

    Attributes:
        cards: the scorecard of each seat.
        seat: the player to move.
        throw: number of the roll on the table, or of the next roll, counted from 1.
        kept: dice that stay before a roll, as counts of faces.
        roll: the dice on the table as counts of faces; None before a roll.
        ended: what each seat gets in a terminal position, else ().
        entering: True if the turn ends with this roll though it is not the last; only if that matters.
    """

    cards: tuple[Scorecard, ...]
    seat: int
    throw: int
    kept: Counts
    roll: Counts | None = None
    ended: tuple[Fraction, ...] = ()
    entering: bool = False

    @property
    def own_card(self) -> Scorecard:
        """The scorecard of the player to move."""
        return self.cards[self.seat]

    @property
    def other_cards(self) -> tuple[Scorecard, ...]:
        """The other scorecards, in turn order after the player to move."""
        return self.cards[self.seat + 1 :] + self.cards[: self.seat]


class CardGame(PlayableGame[CardPosition]):
    """A game of scorecards, such as Yahtzee."""

    decision_kinds = ("rolls",)  # what is kept is decided after a throw

    def prepare(self) -> None:
        """Compute what the game needs of its rules, and list the fields of a position."""
        self.card: Card = self.game.data
        self.faces = tuple(str(face) for face in range(1, self.card.faces + 1))
        self._no_dice: Counts = (0,) * self.card.faces
        opponents = range(1, self.opponent_count + 1)
        self._others_used = (
            ("opponent_used",)
            if self.opponent_count == 1
            else tuple(f"opponent{opponent}_used" for opponent in opponents)
        )
        self._falls: dict[int, list[tuple[Counts, int]]] = {}
        self._points: dict[Counts, tuple[int, ...]] = {}
        self._subsets_of_roll: dict[Counts, list[Counts]] = {}
        self._choices: dict[tuple[tuple[Scorecard, ...], int, int], dict[Counts, Choice[CardPosition]]] = {}
        self._best: dict[Counts, dict[tuple[int, int], Split]] = {}
        # For points, points held already change no choice unless the whole total is graded.
        self._counts_future_only = self.objective == "points" and not self.card.total_ranges
        self._cards = ScorecardReader(self.card, self._counts_future_only)
        self.fields = tuple(self._fields())

    def validate_parameters(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """Return the total to reach, which a card has to be able to hold."""
        card: Card = self.game.data
        if turns is not None:
            raise InputError(
                f"{argument('turns')} cannot be combined with {self.game.id}: its scorecard sets the number of turns"
            )
        if goal is None:
            raise InputError(f"the objective reach requires {argument('goal')}, the total to reach")
        max_total = card.max_points(card.full_mask)
        min_goal = 1 - card.max_card_cost  # without costs, every total reaches 0
        if not min_goal <= goal <= max_total:
            raise InputError(
                f"{argument('goal')} must be between {min_goal} and {max_total}, the largest possible total, not {goal}"
            )
        return {"goal": goal}

    def _fields(self) -> Iterator[Field]:
        card, example = self.card, f"such as {','.join(self.card.names[:2])} or {self.card.names[0]}=POINTS"
        total_help = "Your total so far, without the upper bonus." if card.upper_mask else "Your total so far."
        solo_help = (
            "Points scored so far (default 0: values then count the points still to come; choices do not change)."
        )
        yield Field(
            "score",
            FieldKind.POINTS,
            solo_help if self._counts_future_only else total_help,
            is_column=not self._counts_future_only,
            min_value=-card.max_card_cost,
            role=Role.SCORE,
        )
        if self.opponent_count:
            yield opponents_field(self.opponent_count + 1, -card.max_card_cost)
        if self.players > 1:
            yield Field(
                "seat",
                FieldKind.NUMBER,
                "The number of players who have played this round (default: from the boxes used).",
                is_column=False,
                role=Role.SEAT,
            )
        yield Field(
            "used",
            FieldKind.NAMES,
            f"Boxes that you have filled, separated by commas, {example}.",
            words=tuple(card.names),
            role=Role.BOXES,
        )
        for used_field in self._others_used[: self.opponent_count]:
            name = used_field.removesuffix("_used")
            whose = f"Boxes that {'the opponent' if name == 'opponent' else name} has filled."
            yield Field(used_field, FieldKind.NAMES, whose, words=tuple(card.names))
        if card.upper_mask:
            upper_help = "The total of your upper boxes; or give the points of each with --used."
            if len(card.columns) > 1:
                column_names = tuple(f"upper_x{factor}" for factor in card.factors)
                upper_help = "The total of the upper boxes in each column; or give the points of each with --used."
                yield Field("upper", FieldKind.SCORES, upper_help, columns=column_names)
            else:
                yield Field("upper", FieldKind.POINTS, upper_help)
            if self.opponent_count:
                by_column = [f"_x{factor}" for factor in card.factors] if len(card.columns) > 1 else [""]
                column_names = tuple(
                    f"{used_field}_upper{column}" for used_field in self._opponents for column in by_column
                )
                yield Field(
                    "opponent_upper",
                    FieldKind.SCORES,
                    "The upper totals of the opponents, in turn order.",
                    columns=column_names,
                )
        if card.saved_throws:
            yield Field("saved", FieldKind.NUMBER, f"Rolls that you have saved, up to {card.saved_throws}.")
            if self.opponent_count:
                column_names = tuple(f"{used_field}_saved" for used_field in self._opponents)
                yield Field(
                    "opponent_saved",
                    FieldKind.NUMBERS,
                    "Rolls that the opponents have saved, in turn order.",
                    columns=column_names,
                )
        extra_rolls = ", plus your saved rolls" if card.saved_throws else ""
        throw_help = f"The number of the roll in this turn, 1 to {card.throws}{extra_rolls}."
        yield Field("throw", FieldKind.NUMBER, throw_help, is_inside_turn=True)
        yield Field(
            "kept", FieldKind.DICE, KEPT, is_inside_turn=True, words=self.faces, is_column=False, role=Role.KEPT
        )
        yield Field(
            "roll",
            FieldKind.DICE,
            f"All {card.dice} dice, those you kept included.",
            is_inside_turn=True,
            words=self.faces,
            role=Role.ROLL,
        )
        yield Field("throwing", FieldKind.FLAG, THROWING, is_inside_turn=True, is_column=False)
        if card.depends_on_roll_number:
            yield Field("entering", FieldKind.FLAG, ENTERING, is_inside_turn=True, is_column=False)

    @property
    def _opponents(self) -> tuple[str, ...]:
        """Names of the opponents in columns of rows, in turn order."""
        return opponents_field(self.opponent_count + 1).columns

    @property
    def opponent_count(self) -> int:
        """The number of other cards that a position holds."""
        return self.players - 1

    # --- the rules, in the order of a turn

    def start(self) -> CardPosition:
        """Return the first turn, with empty cards."""
        return CardPosition((Scorecard(),) * (self.opponent_count + 1), 0, 1, self._no_dice)

    def is_turn_start(self, position: CardPosition) -> bool:
        """Return whether all dice are to be rolled for the first time."""
        return position.throw == 1 and position.roll is None and not position.ended

    def stage(self, position: CardPosition) -> Stage:
        """Return the stage: rolls alternate with decisions to keep dice, and an entry ends the turn."""
        return Stage.TERMINAL if position.ended else Stage.CHANCE if position.roll is None else Stage.DECISION

    def of_one_seat(self, position: CardPosition, seat: int) -> CardPosition:
        """Return a position of the same game for several players, as this game for one player sees it.

        Args:
            position: the position of the game for several players.
            seat: the seat whose card is filled here. While others move, its next turn is about to begin.
        """
        others = position.cards[seat + 1 :] + position.cards[:seat]
        cards = (position.cards[seat], *others[: self.opponent_count])
        if position.seat == seat and not position.ended:
            return replace_fields(position, cards=cards, seat=0)
        is_over = cards[0].used == self.card.full_mask
        return CardPosition(cards, 0, 1, self._no_dice, ended=self._payoffs(cards) if is_over else ())

    def rolls(self, position: CardPosition) -> Iterator[WeightedRoll[CardPosition]]:
        """Yield every roll of the dice that are not kept, together with the kept dice."""
        cards, seat, throw, kept_counts = position.cards, position.seat, position.throw, position.kept
        for fall, ways in self._rolls(self.card.dice - sum(kept_counts)):
            yield ways, CardPosition(cards, seat, throw, self._no_dice, tuple(map(add, kept_counts, fall)))

    def _rolls(self, dice: int) -> list[tuple[Counts, int]]:
        if dice not in self._falls:
            rows = multiset.list_multisets(dice, self.card.faces)
            ways = multiset.multiset_weights(rows, self.card.weights).tolist()
            self._falls[dice] = list(zip(map(tuple, rows.tolist()), ways, strict=True))
        return self._falls[dice]

    def choices(self, position: CardPosition) -> tuple[Choice[CardPosition], ...]:
        """Return more dice kept before fewer; at the end of a turn more points before fewer, then by box."""
        assert position.roll is not None
        if position.throw < self._throws(position) and not position.entering:
            return tuple(self._keep_choices(position, position.roll))
        enter = self._split_choices if self.card.boxes == 2 else self._entry_choices
        return tuple(sorted(enter(position, position.roll), key=lambda choice: -choice.points))

    def _throws(self, position: CardPosition) -> int:
        """Return the number of rolls of the turn, with the rolls that were saved."""
        return self.card.throws + position.own_card.saved

    def _keep_choices(self, position: CardPosition, roll: Counts) -> Iterator[Choice[CardPosition]]:
        """Yield the choices to keep dice.

        A choice to keep the same dice of another roll is the same object: it is made once for a roll of a turn.
        """
        turn = (position.cards, position.seat, position.throw)
        if turn not in self._choices:
            if len(self._choices) >= TURNS_KEPT:
                self._choices.clear()
            self._choices[turn] = {}
        choice_of_dice = self._choices[turn]
        for counts in self._subsets(roll):
            if counts not in choice_of_dice:
                choice_of_dice[counts] = self._keep_choice(position, counts)
            yield choice_of_dice[counts]

    def _keep_choice(self, position: CardPosition, counts: Counts) -> Choice[CardPosition]:
        cards, seat, throw = position.cards, position.seat, position.throw
        kept_dice = self._list_faces(counts)
        rolled_dice = self.card.dice - len(kept_dice)
        if not rolled_dice:
            is_remembered = self.card.saved_throws > 0 or throw <= self.card.early_roll_count
            last_roll = throw if is_remembered else self._throws(position)
            after = CardPosition(cards, seat, last_roll, self._no_dice, counts, entering=is_remembered)
            return make_choice(ChoiceKind.KEEP, CardDice(kept_dice, 0), after, kept_dice)
        after = CardPosition(cards, seat, throw + 1, counts)
        data = CardDice(kept_dice, rolled_dice, self.card.roll_cost(throw + 1) - self.card.roll_cost(throw))
        return make_choice(ChoiceKind.ROLL, data, after, kept_dice, dice_left=rolled_dice)

    def _subsets(self, roll: Counts) -> list[Counts]:
        """Return the sets of dice that can be kept of a roll, as counts of faces."""
        if roll not in self._subsets_of_roll:
            self._subsets_of_roll[roll] = sorted(
                product(*(range(count + 1) for count in roll)), key=lambda counts: (-sum(counts), counts)
            )
        return self._subsets_of_roll[roll]

    def _entry_choices(self, position: CardPosition, roll: Counts) -> Iterator[Choice[CardPosition]]:
        """Yield the choices to enter all dice in one open box."""
        own = position.own_card
        open_boxes = (number for number in range(len(self.card.names)) if self._is_open(own.used, number))
        points_of_box = {
            number: box_points
            for number in open_boxes
            if (box_points := self._points_in_box(own, number, roll, position.throw)) is not None
        }
        allows_zeros = not self.card.has_forced_zeros or not any(points_of_box.values())
        for number, box_points in points_of_box.items():
            if box_points or allows_zeros:
                points = box_points + self._bonus(own, roll)
                is_win = (
                    self.objective == "win"
                    and position.throw == 1
                    and box_points > 0
                    and self.card.categories[number].wins_on_first_roll
                )
                if is_win:
                    after = self._end_with_winner(position)
                else:
                    saved_rolls = min(self._throws(position) - position.throw, self.card.saved_throws)
                    after = self._end_turn(position, points, {number: box_points}, saved_rolls)
                yield self.entry_choice(number, points, after, is_win)

    def entry_choice(self, number: int, points: int, after: CardPosition, is_win: bool = False) -> Choice[CardPosition]:
        """Return the choice to enter all dice in one box.

        Args:
            number: the number of the box.
            points: the points that the entry adds to the score.
            after: the position that it leads to.
            is_win: whether it wins the game at once.
        """
        entries = (BoxEntry(self.card.names[number], points),)
        return make_choice(ChoiceKind.ENTER, BoxEntries(entries, is_win), after, points=points)

    def _end_with_winner(self, position: CardPosition) -> CardPosition:
        """Return the end of the game, which the player to move has won at once."""
        shares = tuple(Fraction(seat == position.seat) for seat in range(self.players))
        return CardPosition(position.cards, position.seat, 1, self._no_dice, ended=shares)

    def _is_open(self, used: int, number: int) -> bool:
        """Return whether a box may be filled: it is empty, and boxes that have to be filled before it are not."""
        return not used >> number & 1 and not self.card.required_mask(number) & ~used

    def _bonus(self, own: Scorecard, roll: Counts) -> int:
        """Return the bonus of a later roll of equal dice, beside the points of its box."""
        return self.card.again_bonus if own.flag and max(roll) == self.card.dice else 0

    def _points_in_box(self, own: Scorecard, number: int, roll: Counts, throw: int) -> int | None:
        """Return the points that a roll brings in one open box; None if it may not be entered there.

        Args:
            own: the scorecard.
            number: number of the box.
            roll: the dice as counts of faces.
            throw: the number of the roll in its turn, counted from 1.
        """
        card, category = self.card, self.card.categories[number]
        points = (
            score_one_roll(category.first_roll_score, roll)
            if throw == 1 and card.has_first_roll_scores
            else self._scores(roll)[number]
        )
        points -= card.roll_cost(throw)
        if not (own.used & self._again and max(roll) == card.dice):
            return points
        # A later roll with all dice alike: perhaps a joker.
        face = roll.index(card.dice) + 1
        its_own = self._of_face.get(face)
        if card.again_joker == NONE or number == its_own:
            return points
        in_full = score_one_roll(category.joker_score, roll)
        its_own_open = its_own is not None and not own.used >> its_own & 1
        if card.again_joker == FREE:  # anywhere, in full once its own category is used
            return points if its_own_open else in_full
        if its_own_open:  # forced: its own category first,
            return None
        if not category.face:  # then the lower ones in full,
            return in_full
        lower = any(
            not lower_category.face and not own.used >> box & 1 for box, lower_category in enumerate(card.categories)
        )
        return None if lower else points  # and a zero in another face only when nothing else is left

    def _scores(self, dice: Counts) -> tuple[int, ...]:
        """Return the points that dice score in every box."""
        if dice not in self._points:
            self._points[dice] = tuple(score_one_roll(category.score, dice) for category in self.card.categories)
        return self._points[dice]

    @cached_property
    def _again(self) -> int:
        """The box of equal dice, as a bit mask."""
        return self.card.mask_of([self.card.again_category]) if self.card.again_category else 0

    @cached_property
    def _of_face(self) -> dict[int, int]:
        """Numbers of the boxes that count a face, by face."""
        return {category.face: number for number, category in enumerate(self.card.categories) if category.face}

    def _split_choices(self, position: CardPosition, roll: Counts) -> Iterator[Choice[CardPosition]]:
        """Yield the choices to split the dice between two open boxes, with the best split for every two boxes."""
        splits = self._splits(roll)
        for pair in combinations(
            (box for box in range(len(self.card.names)) if not position.own_card.used >> box & 1), 2
        ):
            split = splits[pair]
            points_of_box = {number: self._scores(part)[number] for number, part in zip(pair, split.parts, strict=True)}
            after = self._end_turn(position, split.points, points_of_box)
            dice = split.entries[0].dice + split.entries[1].dice
            yield make_choice(ChoiceKind.ENTER, BoxEntries(split.entries), after, dice, split.points)

    def _splits(self, roll: Counts) -> dict[tuple[int, int], Split]:
        """Return the split with the most points for every two boxes, the first one of equal splits."""
        if roll not in self._best:
            names, half = self.card.names, self.card.dice // 2
            firsts = product(*(range(min(count, half), -1, -1) for count in roll))
            parts = [(first, tuple(map(sub, roll, first))) for first in firsts if sum(first) == half]
            scores = [(self._scores(first), self._scores(second)) for first, second in parts]
            best_splits = {}
            for pair in combinations(range(len(names)), 2):
                first_box, second_box = pair
                totals = [first[first_box] + second[second_box] for first, second in scores]
                max_total = max(totals)
                first_part, second_part = best_parts = parts[totals.index(max_total)]
                first_entry = BoxEntry(
                    names[first_box], self._scores(first_part)[first_box], self._list_faces(first_part)
                )
                second_entry = BoxEntry(
                    names[second_box], self._scores(second_part)[second_box], self._list_faces(second_part)
                )
                best_splits[pair] = Split(max_total, (first_entry, second_entry), best_parts)
            self._best[roll] = best_splits
        return self._best[roll]

    def _end_turn(self, position: CardPosition, points: int, entered: dict[int, int], saved: int = 0) -> CardPosition:
        """Return the position after boxes are filled: the turn of the next player, or the end of the game.

        Args:
            position: any position of the turn.
            points: points that the turn adds to the score.
            entered: points that each box holds, by its number.
            saved: rolls saved for later turns.
        """
        card, (used, score, upper, flag, _) = self.card, position.own_card
        for number, box_points in entered.items():
            used |= 1 << number
            upper = card.raise_upper(upper, number, box_points)
            if card.flag_count == 2 and self._again >> number & 1:
                flag = box_points > 0
        seat, following = position.seat, (position.seat + 1) % self.players
        cards = (
            *position.cards[:seat],
            Scorecard(used, score + points, upper, flag, saved),
            *position.cards[seat + 1 :],
        )
        is_over = cards[following].used == card.full_mask
        return CardPosition(cards, following, 1, self._no_dice, ended=self._payoffs(cards) if is_over else ())

    def _payoffs(self, cards: tuple[Scorecard, ...]) -> tuple[Fraction, ...]:
        card = self.card
        totals = [own.score + card.bonus(own.upper) for own in cards]
        if self.objective == "points":
            return (Fraction(card.card_value(totals[0])),)
        if self.objective == "reach":
            return (Fraction(int(totals[0] >= self.parameters["goal"])),)
        best_total = max(totals)
        return tuple(Fraction(int(total == best_total), totals.count(best_total)) for total in totals)

    def describe_turn_results(self, position: CardPosition) -> str:
        """Return how the entries of a turn are typed, with an example."""
        entries = "the box and its points" if self.card.boxes == 1 else "both boxes and their points"
        return f"{entries}, such as {self._example_entries(position)}"

    def _example_entries(self, position: CardPosition, *first_boxes: str) -> str:
        """Return entries of a turn as they are typed: in these boxes, with most points, then in the first open ones."""
        card = self.card
        open_boxes = [name for number, name in enumerate(card.names) if self._is_open(position.own_card.used, number)]
        boxes = [*dict.fromkeys((*first_boxes, *open_boxes))][: card.boxes]
        example_points = {name: (max if name in first_boxes else min)(self._entries(position, name)) for name in boxes}
        entries = ", ".join(f"{name} {points}" for name, points in example_points.items())
        return f"{entries}, saved 0" if card.saved_throws else entries

    def _entries(self, position: CardPosition, name: str) -> set[int]:
        """Return the points that a turn can enter in an open box; only 0 if no dice fit it."""
        number = self.card.names.index(name)
        possible_points = (
            self._points_of_part(position, number, part, throw) for part in self._parts for throw in self._unlike_throws
        )
        return {points for points in possible_points if points is not None} or {0}

    def result_question(self, position: CardPosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        boxes = "box" if self.card.boxes == 1 else "boxes"
        return f"which {boxes} did they fill, and with how many points?"

    def play_whole_turn(self, position: CardPosition, result_text: str) -> CardPosition:
        """Return the position after a turn with the typed entries.

        An entry is a box and its points, ``full house 19``; a box without points, ``scratched twos``; or words as those
        of a choice, ``19 in full house``. Several are separated by a comma or *and*: ``sixes 18, fives 10``.
        """
        entered, left = self._parse_entries(position, result_text)
        return self._end_turn(position, sum(entered.values()), entered, left)

    def recorded_result(self, position: CardPosition, result_text: str) -> str:
        """Return the entries of a turn as game files record them: ``sixes 18, fives 10``."""
        entered, saved_rolls = self._parse_entries(position, result_text)
        entries = ", ".join(f"{self.card.names[number]} {points}" for number, points in entered.items())
        return f"{entries}, saved {saved_rolls}" if self.card.saved_throws else entries

    def _parse_entries(self, position: CardPosition, text: str) -> tuple[dict[int, int], int]:
        """Return the points entered by box, and the rolls saved then, from the typed entries of a turn."""
        card, entered = self.card, dict[int, int]()
        parts = self._split_entries(text)
        saved_rolls = self._parse_saved_rolls(position, parts.pop()) if card.saved_throws else 0
        if len(parts) != card.boxes:
            expected = "1 box" if card.boxes == 1 else f"{card.boxes} boxes"
            example = self._example_entries(position)
            raise InputError(f"expected {expected} with points, got {len(parts)}; type them, such as turn {example}")
        for name, _, points in parts:
            named = find_name(name, card.names)
            words = named or find_name(f"{name} {points}".strip(), card.names)
            if words is None:
                raise self._unknown_box_error(position, name.strip() or points)
            number = card.names.index(words)
            if position.own_card.used >> number & 1 or number in entered:
                raise InputError(f"{words} is already filled; enter an open box")
            if not self._is_open(position.own_card.used, number):
                raise InputError(f"{words} cannot be filled yet: the boxes are filled in order")
            if named is None:
                example = self._example_entries(position, words)
                raise InputError(f"the points are missing; add them, such as {example}")
            entry = parse_number(points, words, -card.max_turn_cost)
            if entry not in self._entries(position, words):
                raise InputError(f"{words} cannot score {entry} in this turn; check the points, or type the dice")
            entered[number] = entry
        return entered, saved_rolls

    def _split_entries(self, text: str) -> list[tuple[str, str, str]]:
        """Return typed entries, each as a box, a space and its points.

        Boxes and points in their usual order are read as they stand, whatever words the names of boxes contain.
        """
        names = self.card.names
        in_order = [part.strip().rpartition(" ") for part in fold_name(text.replace(":", " ")).split(",")]
        if len(in_order) >= self.card.boxes and all(find_name(box, names) for box, *_ in in_order[: self.card.boxes]):
            return in_order
        entries = [entry.strip() for entry in ENTRY_SEPARATOR.split(fold_name(re.sub("[:=]", " ", text)))]
        parts = [_put_box_first(entry).rpartition(" ") for entry in entries]
        return [part if find_name(part[0], names) else _with_spelled_count(part) for part in parts]

    def _unknown_box_error(self, position: CardPosition, name: str) -> InputError:
        """Return the error of a name that no box has, with an example for the open box whose name is closest."""
        used = position.own_card.used
        open_boxes = {fold_name(box): box for number, box in enumerate(self.card.names) if self._is_open(used, number)}
        with_prefix = [box for folded_box, box in open_boxes.items() if folded_box.startswith(name)]
        closest = open_boxes.get(closest_name(name, open_boxes) or "")
        meant = [*with_prefix, closest] if closest else with_prefix
        example = self._example_entries(position, *meant[:1])
        return InputError(f"unknown box '{name}'; type a box and its points, such as turn {example}")

    def _parse_saved_rolls(self, position: CardPosition, part: tuple[str, str, str]) -> int:
        """Return the rolls saved after a turn, from ``saved 2`` at the end of its entries."""
        word, _, number = part
        if word.strip() != "saved":
            example = self._example_entries(position)
            raise InputError(f"add the number of saved rolls at the end, such as turn {example}")
        return parse_number(number, "saved", 0, min(self._throws(position) - 1, self.card.saved_throws))

    @cached_property
    def _parts(self) -> list[Counts]:
        """All dice that can be entered in one box, as counts of faces."""
        return [part for part, _ in self._rolls(self.card.dice // self.card.boxes)]

    @property
    def _unlike_throws(self) -> range:
        """The early rolls that score differently, and one roll after them."""
        return range(1, self.card.early_roll_count + 2)

    def _points_of_part(self, position: CardPosition, number: int, dice: Counts, throw: int) -> int | None:
        if self.card.boxes == 1:
            return self._points_in_box(position.own_card, number, dice, throw)
        return self._scores(dice)[number]

    def describe_progress(self, position: CardPosition) -> str:
        """Return the number of the turn."""
        turns = len(self.card.names) // self.card.boxes
        return f"turn {position.own_card.used.bit_count() // self.card.boxes + 1} of {turns}"

    def boxes(self, position: CardPosition, seat: int) -> dict[str, bool]:
        """Return whether each box is filled, in the order of the card."""
        used = position.cards[seat].used
        return {name: bool(used >> number & 1) for number, name in enumerate(self.card.names)}

    def filled_boxes(
        self, before: CardPosition, after: CardPosition, choice: Choice[CardPosition] | None, text: str
    ) -> dict[str, int]:
        """Return the points of each box that the turn filled."""
        card_before, card_after, names = before.own_card, after.cards[before.seat], self.card.names
        new_boxes = [number for number in range(len(names)) if (card_after.used & ~card_before.used) >> number & 1]
        if len(new_boxes) == 1:
            return {names[new_boxes[0]]: card_after.score - card_before.score}
        if choice is None:
            return {names[number]: points for number, points in self._parse_entries(before, text)[0].items()}
        part_size = len(choice.keep) // self.card.boxes
        parts = [choice.keep[place * part_size : (place + 1) * part_size] for place in range(len(new_boxes))]
        counts = [tuple(part.count(face) for face in self.faces) for part in parts]
        return {names[number]: self._scores(part)[number] for number, part in zip(new_boxes, counts, strict=True)}

    def points_paid(self, position: CardPosition) -> int:
        """Return the points that the rolls of a turn have cost so far, up to the roll on the table."""
        return self.card.roll_cost(position.throw)

    def describe_card_sums(self, position: CardPosition, seat: int) -> str:
        """Return the upper total with what its bonus still needs, the rolls saved, and the total."""
        card, own, texts = self.card, position.cards[seat], list[str]()
        for factor, upper in zip(card.factors, card.upper_by_column(own.upper), strict=True) if card.upper_mask else ():
            column, bonus = f" x{factor}" * (len(card.columns) > 1), factor * int(card.bonuses[upper])
            texts += [f"upper{column} {upper}{' or more' * (upper == card.max_upper)}"]
            texts += [f"bonus {bonus}"] if bonus else []
            next_steps = [(at, bonus_points) for at, bonus_points in card.upper_steps if at > upper]
            texts += [
                f"{at - upper} more for the bonus of {factor * bonus_points}" for at, bonus_points in next_steps[:1]
            ]
        texts += [f"saved rolls {own.saved}"] if card.saved_throws else []
        return ", ".join([*texts, f"total {own.score + card.bonus(own.upper):,}"])

    def points_span(self, position: CardPosition) -> str:
        """Return ``in the end`` if points count those on the card, else ``still to come``; "" if both are the same.

        For points the score may be left out. It is 0 then.
        """
        own = position.own_card
        if not self._counts_future_only or not own.used:
            return ""
        return " in the end" if own.score else " still to come"

    def describe_roll(self, position: CardPosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        rolled_dice = self.card.dice - sum(position.kept)
        return f"roll {'all ' * (rolled_dice == self.card.dice)}{format_count(rolled_dice, 'die')}", rolled_dice

    def note(self, position: CardPosition) -> str:
        """Return a note if a later roll of equal dice may not be entered in every box."""
        card, roll = self.card, position.roll
        if roll is None or position.throw < card.throws or card.again_joker in (FREE, NONE):
            return ""
        if not position.own_card.used & self._again or max(roll) < card.dice:
            return ""
        return (
            "Another roll with all dice alike goes in its upper box while that is open, otherwise in a lower box"
            " (joker=forced)."
        )

    # --- turns alike

    def turn_key(self, start: CardPosition) -> Hashable:
        """Return the open boxes, whether later rolls of equal dice earn a bonus, and the rolls saved."""
        return start.own_card.used, start.own_card.flag, start.own_card.saved

    def move_to_turn(self, position: CardPosition, start: CardPosition) -> CardPosition:
        """Return the position with the cards of another turn."""
        return replace_fields(position, cards=start.cards, seat=start.seat)

    # --- positions in words

    def _list_faces(self, counts: Counts) -> tuple[str, ...]:
        return tuple(face for face, count in zip(self.faces, counts, strict=True) for _ in range(count))

    def position_from_fields(
        self,
        score: int | None = None,
        opponents: Sequence[int] | None = None,
        seat: int | None = None,
        used: Sequence[str] = (),
        upper: int | Sequence[int] | None = None,
        opponent_upper: Sequence[int] | None = None,
        throw: int = 1,
        kept: Sequence[str] | None = None,
        roll: Sequence[str] | None = None,
        throwing: bool = False,
        entering: bool = False,
        saved: int = 0,
        opponent_saved: Sequence[int] | None = None,
        **others_used: Sequence[str],
    ) -> CardPosition:
        """Return the position with these field values; an error says what can occur."""
        own = self._with_saved_rolls(self._cards.parse(used, score, upper, "", "used"), saved, "saved")
        if own.used == self.card.full_mask:
            raise InputError("all boxes are filled: the game is over")
        count = self.opponent_count
        scores: Sequence[int | None] = (None,) * count
        if opponents is not None:
            scores = scores_by_seat(0, opponents, 0, count + 1)[1:]
        uppers = self._by_opponent(opponent_upper, len(self.card.columns), "opponent_upper", "total")
        used_fields = self._others_used[:count]
        used_names = (others_used.get(name, ()) for name in used_fields)
        opponent_cards = [
            self._cards.parse(names, opponent_score, upper_totals, "opponent", used_field)
            for names, opponent_score, upper_totals, used_field in zip(
                used_names, scores, uppers, used_fields, strict=True
            )
        ]
        saves = self._by_opponent(opponent_saved, 1, "opponent_saved", "number")
        opponent_cards = [
            self._with_saved_rolls(opponent, sum(saved_rolls or ()), "opponent_saved")
            for opponent, saved_rolls in zip(opponent_cards, saves, strict=True)
        ]
        mover = self._mover(own, opponent_cards, seat)
        cards_from_mover = (own, *opponent_cards)
        cards = tuple(cards_from_mover[(place - mover) % (count + 1)] for place in range(count + 1))
        throws = self.card.throws + saved
        self._check_throw(throw, throws, kept, roll, throwing)
        if entering and (roll is None or throw == throws):
            raise InputError(
                f"{argument('entering')} requires {argument('roll')}, and {argument('throw')} below {throws}: after the"
                " last roll the dice are always entered"
            )
        counts = None if roll is None else tuple(roll.count(face) for face in self.faces)
        return CardPosition(
            cards, mover, throw, tuple((kept or ()).count(face) for face in self.faces), counts, (), entering
        )

    def _by_opponent(
        self, numbers: Sequence[int] | None, per_opponent: int, name: str, noun: str
    ) -> Sequence[Sequence[int] | None]:
        """Return ``per_opponent`` numbers for every opponent, in turn order; None for all if there are no numbers."""
        count = self.opponent_count
        if numbers is None:
            return [None] * count
        if len(numbers) != count * per_opponent:
            whose = "one for each opponent" if per_opponent == 1 else "one for each column of each opponent"
            raise InputError(
                f"{argument(name)}: expected {format_count(count * per_opponent, noun)}, {whose}, got {len(numbers)}"
            )
        return [numbers[per_opponent * place : per_opponent * (place + 1)] for place in range(count)]

    def _with_saved_rolls(self, own: Scorecard, saved: int, name: str) -> Scorecard:
        """Return a card with so many throws saved; InputError if there cannot be so many."""
        max_saved = self.card.max_saved(own.used.bit_count())
        if not 0 <= saved <= max_saved:
            raise InputError(
                f"{argument(name)} must be between 0 and {max_saved} after this number of turns, not {saved}"
            )
        return own._replace(saved=saved)

    def _mover(self, own: Scorecard, opponents: Sequence[Scorecard], seat: int | None) -> int:
        """Return the seat to move: opponents with more filled boxes have already played this round."""
        used, ahead = own.used.bit_count(), own.used.bit_count() + self.card.boxes
        counts = [opponent.used.bit_count() for opponent in opponents]
        mover = counts.count(ahead)
        if counts != [used] * (len(counts) - mover) + [ahead] * mover:
            if self.players == 2:
                raise InputError(
                    f"{argument('opponent_used')} must list {used} boxes (if you move first) or {ahead}"
                    " (if you move second),"
                    f" because you have used {used}; got {counts[0]}"
                )
            raise InputError(
                f"expected opponents with {used} filled boxes, as many as yours, or {ahead} if they have already played"
                f" this round, those with {used} first; got {', '.join(map(str, counts))}"
            )
        if seat not in (None, mover):
            raise InputError(
                f"{argument('seat')} must be {mover}, the number of players who have played this round, not {seat}"
            )
        return mover

    def _check_throw(
        self, throw: int, throws: int, kept: Sequence[str] | None, roll: Sequence[str] | None, throwing: bool
    ) -> None:
        """Raise InputError if the fields of a turn contradict each other or the number of the throw."""
        card = self.card
        if not 1 <= throw <= throws:
            raise InputError(f"{argument('throw')} must be between 1 and {throws}, not {throw}")
        if roll is not None:
            if kept or throwing:
                name = "kept" if kept else "throwing"
                raise InputError(
                    f"{argument(name)} cannot be combined with {argument('roll')}: it describes the position"
                    " before a roll"
                )
            if len(roll) != card.dice:
                raise InputError(f"expected {card.dice} dice, got {len(roll)}; enter all dice, those you kept included")
            return
        if throw == 1 and kept:
            raise InputError(
                f"{argument('kept')} cannot be combined with {argument('throw')} 1: all {card.dice} dice are rolled"
            )
        if throw > 1 and kept is None and not throwing:
            raise InputError(
                f"{argument('throw')} {throw} requires {argument('roll')} (after the roll) or"
                f" {argument('kept')} (before it)"
            )
        if kept and len(kept) >= card.dice:
            raise InputError(
                f"{argument('kept')} must leave a die to roll: expected at most {card.dice - 1} dice, got {len(kept)}"
            )
        if kept and throwing:
            raise InputError(
                f"{argument('throwing')} cannot be combined with {argument('kept')}: it means that all dice are"
                " rolled again"
            )

    def to_dict(self, position: CardPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values = {**self._card_values(position.own_card, position.other_cards), **self._turn_values(position)}
        return {name: value for name, value in values.items() if value != []}

    def _card_values(self, own: Scorecard, opponents: Sequence[Scorecard]) -> dict[str, Any]:
        """Return the field values of the scorecards."""
        card, values = self.card, dict[str, Any]()
        if not self._counts_future_only or own.score:
            values["score"] = own.score
        if opponents:
            values["opponents"] = [opponent.score for opponent in opponents]
        values["used"] = self._cards.list_boxes(own)
        for name, opponent in zip(self._others_used, opponents, strict=False):
            values[name] = self._cards.list_boxes(opponent)
        if card.upper_mask:
            values["upper"] = card.upper_by_column(own.upper) if len(card.columns) > 1 else own.upper
            if opponents:
                values["opponent_upper"] = [
                    upper for opponent in opponents for upper in card.upper_by_column(opponent.upper)
                ]
        if own.saved:
            values["saved"] = own.saved
        if any(opponent.saved for opponent in opponents):
            values["opponent_saved"] = [opponent.saved for opponent in opponents]
        return values

    def _turn_values(self, position: CardPosition) -> dict[str, Any]:
        """Return the field values inside a turn."""
        values: dict[str, Any] = {}
        if position.roll is not None:
            values = {"throw": position.throw, "roll": list(self._list_faces(position.roll))}
            if position.entering:
                values["entering"] = True
        elif position.throw > 1:
            values["throw"] = position.throw
            if dice := list(self._list_faces(position.kept)):
                values["kept"] = dice
            else:
                values["throwing"] = True
        return values


def _put_box_first(entry: str) -> str:
    """Return an entry as a box and its points: ``full house 25`` for ``25 in full house``, ``twos 0`` if scratched."""
    entry = SCRATCHED.sub(r"\1 0", entry) if SCRATCHED.fullmatch(entry) else entry
    entry = POINTS_FIRST.sub(r"\2 \1", entry) if POINTS_FIRST.fullmatch(entry) else entry
    return entry.replace(",", "")


def _with_spelled_count(part: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return an entry with the count of its box in letters: ``three of a kind`` for ``3 of a kind``."""
    box, space, points = part
    return re.sub(r"^[1-6](?= of a kind| pair)", lambda match: COUNTS[int(match[0]) - 1], box), space, points


PLAYABLE = CardGame
