"""Push-your-luck games of one turn each: the best points of a turn win, and those tied for them play again.

What may be done in a turn is what may be done alone, for points: this table puts the turn of ``push`` between seats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from ..games.push_rules import Next
from .playable_game import Choice, Fall, Stage, changed
from .pot import PotPosition, PotTable
from .push import Play as PushPlay
from .push import PushPosition

Situation = tuple[int, ...]  # what decides how a turn goes on


def situation(inside: PushPosition) -> Situation:
    """The situation of a turn that is about to throw."""
    return inside.dice, inside.turn, int(inside.forced)


@dataclass(frozen=True)
class OneTurnPosition(PotPosition):
    """A position: where the pot stands, and the position ``inside`` a turn that has begun."""

    inside: PushPosition | None = None


class Play(PotTable[OneTurnPosition]):
    """A push-your-luck game of one turn each at the table."""

    def prepare(self) -> None:
        """The turn as it is played alone, and what a position is told by."""
        self.alone = PushPlay(self.game, "points", 1)
        self.share = self.game.data.finish == "one_turn_shared"
        self.unfollowed = f"no policies are played where every player has one turn: ask {self.game.id} for points"
        inside = (field for field in self.alone.fields if field.inside)
        self.fields = (*self.pot_fields(), *inside)

    def turn(self, position: OneTurnPosition) -> PushPosition:
        """The position as it stands for who plays alone."""
        return position.inside or self.alone.start()

    # --- the rules, in the order of a turn

    def start(self) -> OneTurnPosition:
        """Nobody has played."""
        return OneTurnPosition()

    def turn_begins(self, position: OneTurnPosition) -> bool:
        """Whether nothing has been thrown."""
        return position.inside is None and not position.ended

    def stage(self, position: OneTurnPosition) -> Stage:
        """That of the turn."""
        return Stage.TERMINAL if position.ended else self.alone.stage(self.turn(position))

    def throws(self, position: OneTurnPosition) -> Iterator[Fall[OneTurnPosition]]:
        """Every roll of the dice to throw."""
        for ways, after in self.alone.throws(self.turn(position)):
            yield ways, changed(position, inside=after)

    def choices(self, position: OneTurnPosition) -> tuple[Choice[OneTurnPosition], ...]:
        """Those of the turn, whose end makes it the next player's."""
        found = self.alone.choices(self.turn(position))
        return tuple(
            Choice(
                choice.words,
                choice.keep,
                choice.points,
                choice.dice_left,
                choice.then,
                self._after(position, choice.after),
                kind=choice.kind,
                data=choice.data,
            )
            for choice in found
        )

    def _after(self, position: OneTurnPosition, inside: PushPosition) -> OneTurnPosition:
        if inside.ended:
            return self.scored(changed(position, inside=None), self.brought(inside))
        return changed(position, inside=inside)

    def brought(self, inside: PushPosition) -> int:
        """The points that a turn has brought which is over."""
        (points,) = inside.ended
        return int(-points if self.alone.fewer_is_better else points)

    @cached_property
    def outcomes(self) -> Mapping[Situation, list[tuple[int, tuple[Situation | int, ...]]]]:
        """The turn as it is played alone: by situation its throws, with what their choices lead to: another situation,
        or what the turn has brought.
        """
        todo = {situation(self.alone.start())}
        found: dict[Situation, list[tuple[int, tuple[Situation | int, ...]]]] = {}
        offers = lru_cache(None)(self._offers)
        while todo:
            dice, turn, _ = here = todo.pop()
            found[here] = [(ways, self._leads(turn, offered)) for offered, ways in offers(dice).items()]
            todo |= {lead for _, leads in found[here] for lead in leads if not isinstance(lead, int)} - found.keys()
        return found

    def _offers(self, dice: int) -> Mapping[tuple[tuple[Next | None, int], ...], int]:
        """What throws of so many dice offer, and in how many ways they fall."""
        rules, found = self.alone.rules, Counter[tuple[tuple[Next | None, int], ...]]()
        for roll, ways in rules.throws_of(Next(dice)):
            found[rules.offered(dice, roll)] += ways
        return found

    def _leads(self, turn: int, offered: Iterable[tuple[Next | None, int]]) -> tuple[Situation | int, ...]:
        """What a throw leads to with so many points in hand, in the order of ``choices``: first what ends it."""
        rules, least = self.alone.rules, self.alone.counting_from(self.alone.start())
        ends, goes_on = dict[int, None](), dict[Situation, None]()
        for throw, points in offered:
            held = max(0, turn + points)
            if rules.above and held > rules.above:
                continue
            counts = held >= least
            if rules.may_stop(throw, counts):
                ends[held * counts] = None
            if throw is not None:
                goes_on[throw.dice, held, int(throw.forced)] = None
        return (*ends, *goes_on) or (0,)

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The points that a turn can bring, the worst first."""
        leads = (lead for throws in self.outcomes.values() for _, offered in throws for lead in offered)
        found = {lead for lead in leads if isinstance(lead, int)}
        return tuple(sorted(found, reverse=self.alone.fewer_is_better))

    def brings(self, position: OneTurnPosition) -> str:
        """Points, or none."""
        return "its points or bust"

    def turn_brings(self, position: OneTurnPosition, told: str) -> OneTurnPosition:
        """The points of the turn; ``bust`` for none."""
        word = told.strip().lower().removeprefix("bank ")
        return self.scored(position, self.read_total("0" if word == "bust" else word))

    def turn_key(self, start: OneTurnPosition) -> Hashable:
        """Every turn offers the same."""
        return ()

    def moved(self, position: OneTurnPosition, start: OneTurnPosition) -> OneTurnPosition:
        """The same turn against another total."""
        return changed(start, inside=position.inside)

    def mishap(self, position: OneTurnPosition) -> Fraction:
        """The chance that the throw to come is a bust."""
        return self.alone.mishap(self.turn(position))

    def wipe(self, position: OneTurnPosition) -> Fraction | None:
        """The chance that it loses the whole score."""
        return self.alone.wipe(self.turn(position))

    def note(self, position: OneTurnPosition) -> str:
        """What is said of the turn."""
        return self.alone.note(self.turn(position))

    def throw_in_words(self, position: OneTurnPosition) -> tuple[str, int]:
        """The dice to roll."""
        return self.alone.throw_in_words(self.turn(position))

    def deciding(self, position: OneTurnPosition) -> OneTurnPosition | None:
        """Bank or throw: the same dice before that is decided."""
        before = self.alone.deciding(self.turn(position))
        return None if before is None else changed(position, inside=before)

    # --- positions in words

    def make(
        self,
        seat: int | None = None,
        playoff: Sequence[int] | None = None,
        beat: int | None = None,
        tied: int | None = None,
        holders: Sequence[int] | None = None,
        **inside: Any,
    ) -> OneTurnPosition:
        """Return the position that is told; what cannot occur is refused with what can."""
        here = self.standing(OneTurnPosition(), seat, playoff, beat, tied, holders)
        turn = self.alone.make(**inside)
        return here if self.alone.turn_begins(turn) else replace(here, inside=turn)

    def tell(self, position: OneTurnPosition) -> dict[str, Any]:
        """The position as JSON tells it."""
        told = self.tell_standing(position)
        if position.inside is not None:
            names = {field.name for field in self.fields if field.inside}
            told |= {name: value for name, value in self.alone.tell(position.inside).items() if name in names}
        return told


PLAYABLE = Play
