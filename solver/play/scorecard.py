"""Scorecards: their state, how it is read and written, and checks of what a card can hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..games.card_rules import Card
from ..util.errors import InputError, argument, list_alternatives
from .position_fields import parse_number


class Scorecard(NamedTuple):
    """The state of one scorecard.

    Attributes:
        used: filled boxes, as a bit mask.
        score: their points without the upper bonus.
        upper: upper total up to where the bonus is certain; ``Card.columns`` packs several into one number.
        flag: True if the box of equal dice holds its points.
        saved: rolls saved for later turns.
    """

    used: int = 0
    score: int = 0
    upper: int = 0
    flag: bool = False
    saved: int = 0


class ScorecardReader:
    """Reads and writes the scorecards of a game; ``to_come``: only points still to come count."""

    def __init__(self, card: Card, to_come: bool) -> None:
        self.card, self.to_come = card, to_come
        self._again = (
            card.names.index(card.again_category) if card.flag_count == 2 else -1
        )  # the box whose points matter later

    def parse(
        self, names: Sequence[str], score: int | None, upper: int | Sequence[int] | None, whose: str, used_name: str
    ) -> Scorecard:
        """Return a scorecard from field values.

        Args:
            names: the used boxes, with or without points (``sixes=24``).
            score: the points so far, if they are given.
            upper: the upper total, or one of each column, if given.
            whose: "" for the player to move, else "opponent".
            used_name: the field that lists the used boxes, for messages.
        """
        card = self.card
        used_option = argument(used_name)
        used, points = self._used(names, used_option)
        flag = False
        if (again := self._again) >= 0 and used >> again & 1:
            if again not in points:
                most = card.categories[again].points
                box = card.again_category
                raise InputError(f"{used_option} {box} needs its points: write {box}={most} or {box}=0")
            flag = points[again] > 0
        name = f"{whose}_upper".strip("_")
        upper_total = self._upper(used, points, upper, name, used_option) if card.upper_mask else 0
        if self.to_come:
            return Scorecard(
                used,
                parse_number(score or 0, argument("score"), -card.max_card_cost, card.max_points(card.full_mask)),
                upper_total,
                flag,
            )
        if score is None:
            if len(points) < used.bit_count():
                if whose:
                    raise InputError(
                        f"{argument('opponents')} is required: the total of the boxes that the opponent has filled"
                    )
                raise InputError(f"{argument('score')} is required (the total of the filled boxes)")
            score = sum(points.values())
        if not card.can_hold(score, used, flag, upper_total, points):
            known_points, has_all_points = sum(points.values()), len(points) == used.bit_count() and not flag
            is_known = points and (has_all_points or score < known_points)
            if is_known:
                problem = f"hold {'' if has_all_points else 'at least '}{known_points} points"
            else:
                beside = f" with {upper} in the upper ones" if upper is not None else ""
                problem = f"cannot add up to that{beside}"
            boxes = "the boxes filled by the opponent" if whose else "the filled boxes"
            raise InputError(f"{argument('opponents' if whose else 'score')} cannot be {score}: {boxes} {problem}")
        return Scorecard(used, score, upper_total, flag)

    def _used(self, names: Sequence[str], used_option: str) -> tuple[int, dict[int, int]]:
        """Return the mask of the used boxes, and the points of those that are given with points (``sixes=24``)."""
        card = self.card
        mask, points = 0, dict[int, int]()
        for word in names:
            name, equals, text = word.partition("=")
            number = card.names.index(name)
            if mask >> number & 1:
                raise InputError(f"{used_option} lists {name} twice; list every filled box once")
            mask |= 1 << number
            if equals:
                points[number] = parse_number(text, name, -card.max_turn_cost)
        for number, name in enumerate(card.names):
            if mask >> number & 1 and card.required_mask(number) & ~mask:
                earlier = card.names[card.predecessors[number]]
                raise InputError(f"{used_option} {name} requires {earlier}, because the boxes are filled in order")
        for number, box_points in points.items():
            if box_points not in card.possible_points(number, mask):
                possible = list_alternatives(sorted(card.possible_points(number, mask)))
                typed = f"{used_option} {card.names[number]}={box_points}"
                raise InputError(f"{typed}: this box can hold {possible} points")
        if mask.bit_count() % card.boxes:
            raise InputError(
                f"{used_option} must list a multiple of {card.boxes} boxes, because a turn fills {card.boxes}; got"
                f" {mask.bit_count()}"
            )
        return mask, points

    def _upper(
        self, used: int, points: dict[int, int], upper: int | Sequence[int] | None, name: str, used_option: str
    ) -> int:
        """Return the upper totals of all columns as one number."""
        card, columns = self.card, len(self.card.columns)
        totals = [upper] if upper is None or isinstance(upper, int) else upper
        totals = [*totals] * columns if upper is None else [*totals]
        if len(totals) != columns:
            raise InputError(f"{argument(name)}: expected {columns} totals, one for each column, got {len(totals)}")
        column_totals = [
            self._of_column(place, used, points, column_total, name, used_option)
            for place, column_total in enumerate(totals)
        ]
        return sum(total * card.upper_base**place for place, total in enumerate(column_totals))

    def _of_column(
        self, place: int, used: int, points: dict[int, int], upper: int | None, name: str, used_option: str
    ) -> int:
        card, mask, factor = self.card, self.card.columns[place], self.card.factors[place]
        used_boxes = [number for number in range(len(card.names)) if used & mask & 1 << number]
        missing = next((number for number in used_boxes if number not in points), -1)
        if upper is None and missing >= 0:
            least = min(entry for entry in card.possible_points(missing, used) if entry)
            box = card.names[missing]
            raise InputError(
                f"{used_option} {box} needs its points: write {box}={least}, for example, or give the total of the"
                f" upper boxes with {argument(name)}"
            )
        known_points = sum(points.get(number, 0) for number in used_boxes) // factor
        total = known_points if upper is None else upper
        capped = min(total, card.max_upper)
        if used_boxes and missing < 0 and total not in (known_points, min(known_points, card.max_upper)):
            raise InputError(
                f"{argument(name)} must be {known_points}, the points of the upper boxes in {used_option}, not {total}"
            )
        sums = card.possible_sums(used & mask, used, points) >> factor * capped
        if not (sums if capped == card.max_upper else sums & 1):
            if not used_boxes:
                raise InputError(f"{argument(name)} must be 0, not {total}, because no upper box has been filled")
            raise InputError(f"{argument(name)} cannot be {total}: the filled upper boxes cannot add up to that")
        return capped

    def list_boxes(self, own: Scorecard) -> list[str]:
        """Return the names of the used boxes, with the points of the box of equal dice if they matter."""
        card, names = self.card, []
        for number, name in enumerate(card.names):
            if own.used >> number & 1:
                suffix = f"={card.categories[number].points if own.flag else 0}" if number == self._again else ""
                names.append(name + suffix)
        return names
