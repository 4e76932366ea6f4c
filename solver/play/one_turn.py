"""Push-your-luck games in which every player has one turn.

The most points win the pot, and tied players play again or share it. The turn itself is that of ``push.py`` for the
objective ``points``.
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
    """Return the key of a turn that is about to roll."""
    return inside.dice, inside.turn, int(inside.forced)


@dataclass(frozen=True)
class OneTurnPosition(PotPosition):
    """A position of the pot, and of the turn (``inside``, None before its first roll)."""

    inside: PushPosition | None = None


class Play(PotTable[OneTurnPosition]):
    """A push-your-luck game in which every player has one turn."""

    def prepare(self) -> None:
        """Make the game of a single player, and list the fields of a position."""
        self.alone = PushPlay(self.game, "points", 1)
        self.share = self.game.data.finish == "one_turn_shared"
        self.unfollowed = f"no policies are played where every player has one turn: ask {self.game.id} for points"
        inside = (field for field in self.alone.fields if field.inside)
        self.fields = (*self.pot_fields(), *inside)

    def turn(self, position: OneTurnPosition) -> PushPosition:
        """Return the position in the game of a single player."""
        return position.inside or self.alone.start()

    # --- the rules, in the order of a turn

    def start(self) -> OneTurnPosition:
        """Return the first turn, before which nobody has played."""
        return OneTurnPosition()

    def turn_begins(self, position: OneTurnPosition) -> bool:
        """Return whether nothing has been rolled."""
        return position.inside is None and not position.ended

    def stage(self, position: OneTurnPosition) -> Stage:
        """Return the stage of the turn."""
        return Stage.TERMINAL if position.ended else self.alone.stage(self.turn(position))

    def throws(self, position: OneTurnPosition) -> Iterator[Fall[OneTurnPosition]]:
        """Yield every roll of the dice."""
        for ways, after in self.alone.throws(self.turn(position)):
            yield ways, changed(position, inside=after)

    def choices(self, position: OneTurnPosition) -> tuple[Choice[OneTurnPosition], ...]:
        """Return the choices of the turn; the end of the turn leads to the next player."""
        solo_choices = self.alone.choices(self.turn(position))
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
            for choice in solo_choices
        )

    def _after(self, position: OneTurnPosition, inside: PushPosition) -> OneTurnPosition:
        if inside.ended:
            return self.scored(changed(position, inside=None), self.brought(inside))
        return changed(position, inside=inside)

    def brought(self, inside: PushPosition) -> int:
        """Return the points of a turn that is over."""
        (points,) = inside.ended
        return int(-points if self.alone.fewer_is_better else points)

    @cached_property
    def outcomes(self) -> Mapping[Situation, list[tuple[int, tuple[Situation | int, ...]]]]:
        """The turn of a single player as a graph.

        By situation its rolls, each as its weight and what its choices lead to: another situation, or the points of the
        turn.
        """
        todo = {situation(self.alone.start())}
        graph: dict[Situation, list[tuple[int, tuple[Situation | int, ...]]]] = {}
        offers = lru_cache(None)(self._offers)
        while todo:
            dice, turn, _ = here = todo.pop()
            graph[here] = [(ways, self._successors(turn, offered)) for offered, ways in offers(dice).items()]
            todo |= {lead for _, leads in graph[here] for lead in leads if not isinstance(lead, int)} - graph.keys()
        return graph

    def _offers(self, dice: int) -> Mapping[tuple[tuple[Next | None, int], ...], int]:
        """Return what rolls of some dice offer, with their weights."""
        rules, offers = self.alone.rules, Counter[tuple[tuple[Next | None, int], ...]]()
        for roll, ways in rules.throws_of(Next(dice)):
            offers[rules.offered(dice, roll)] += ways
        return offers

    def _successors(self, turn: int, offered: Iterable[tuple[Next | None, int]]) -> tuple[Situation | int, ...]:
        """Return what a roll with some turn points leads to, in the order of ``choices``: endings first."""
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
        totals = {lead for lead in leads if isinstance(lead, int)}
        return tuple(sorted(totals, reverse=self.alone.fewer_is_better))

    def brings(self, position: OneTurnPosition) -> str:
        """Return the results of a turn that can be entered."""
        return "the points banked or bust"

    def result_question(self, position: OneTurnPosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        return "how many points did they bank?"

    def turn_brings(self, position: OneTurnPosition, told: str) -> OneTurnPosition:
        """Return the position after a turn that brought points, or ``bust``."""
        word = told.strip().lower().removeprefix("bank ")
        return self.scored(position, self.read_total("0" if word == "bust" else word))

    def turn_key(self, start: OneTurnPosition) -> Hashable:
        """Return the same key for all turns, which offer the same."""
        return ()

    def moved(self, position: OneTurnPosition, start: OneTurnPosition) -> OneTurnPosition:
        """Return the position of the turn against another total."""
        return changed(start, inside=position.inside)

    def mishap(self, position: OneTurnPosition) -> Fraction:
        """Return the probability that the next roll is a bust."""
        return self.alone.mishap(self.turn(position))

    def wipe(self, position: OneTurnPosition) -> Fraction | None:
        """Return the probability that the next roll loses the whole score."""
        return self.alone.wipe(self.turn(position))

    def note(self, position: OneTurnPosition) -> str:
        """Return the note on the turn."""
        return self.alone.note(self.turn(position))

    def throw_in_words(self, position: OneTurnPosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        return self.alone.throw_in_words(self.turn(position))

    def deciding(self, position: OneTurnPosition) -> OneTurnPosition | None:
        """Return the position before the player decided to roll these dice."""
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
        """Return the position with these field values; an error says what can occur."""
        between_turns = self.standing(OneTurnPosition(), seat, playoff, beat, tied, holders)
        turn = self.alone.make(**inside)
        return between_turns if self.alone.turn_begins(turn) else replace(between_turns, inside=turn)

    def tell(self, position: OneTurnPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values = self.tell_standing(position)
        if position.inside is not None:
            names = {field.name for field in self.fields if field.inside}
            values |= {name: value for name, value in self.alone.tell(position.inside).items() if name in names}
        return values


PLAYABLE = Play
