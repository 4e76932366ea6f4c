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

from ..games.one_face_rules import OneFaceRules
from ..games.push_rules import NextRoll, Offer
from .one_face import OneFaceGame, OneFacePosition
from .playable_game import Choice, Stage, WeightedRoll, replace_fields
from .pot import PotGame, PotPosition
from .push import PushGame as PushPlay
from .push import PushPosition

TurnState = tuple[int, ...]  # what decides how a turn goes on
TurnResult = TurnState | int  # a roll to come, by its turn state; or an ending, by the points that it scores


def turn_state_of(inside: PushPosition) -> TurnState:
    """Return the key of a turn that is about to roll."""
    return inside.dice, inside.turn, int(inside.forced)


@dataclass(frozen=True)
class OneTurnPosition(PotPosition):
    """A position of the pot, and of the turn (``inside``, None before its first roll)."""

    inside: PushPosition | None = None


class OneTurnGame(PotGame[OneTurnPosition]):
    """A push-your-luck game in which every player has one turn."""

    def prepare(self) -> None:
        """Make the game of a single player, and list the fields of a position."""
        self.solo_game = self._make_solo_game()
        self.share = self.game.data.finish == "one_turn_shared"
        self.policy_refusal = (
            f"policies are not available when each player has one turn; use {self.game.id} with objective points"
        )
        inside = (field for field in self.solo_game.fields if field.is_inside_turn)
        self.fields = (*self.pot_fields(), *inside)

    def _make_solo_game(self) -> PushPlay:
        """Return the game of a single player who plays for points."""
        play = OneFaceGame if isinstance(self.game.data, OneFaceRules) else PushPlay
        return play(self.game, "points", 1)

    def turn_state(self, inside: PushPosition) -> TurnState:
        """Return the key of a turn that is about to roll, as ``turn_graph`` has it."""
        if isinstance(inside, OneFacePosition):
            mode, _ = self.solo_game.mode_and_roll(inside)
            return mode, inside.turn // self.solo_game.rules.grain
        return turn_state_of(inside)

    def position_in_turn(self, position: OneTurnPosition) -> PushPosition:
        """Return the position in the game of a single player."""
        return position.inside or self.solo_game.start()

    @property
    def no_points_words(self) -> str:
        """The words for a turn without points, as for a single player."""
        return self.solo_game.no_points_words

    # --- the rules, in the order of a turn

    def start(self) -> OneTurnPosition:
        """Return the first turn, before which nobody has played."""
        return OneTurnPosition()

    def is_turn_start(self, position: OneTurnPosition) -> bool:
        """Return whether nothing has been rolled."""
        return position.inside is None and not position.ended

    def stage(self, position: OneTurnPosition) -> Stage:
        """Return the stage of the turn."""
        return Stage.TERMINAL if position.ended else self.solo_game.stage(self.position_in_turn(position))

    def rolls(self, position: OneTurnPosition) -> Iterator[WeightedRoll[OneTurnPosition]]:
        """Yield every roll of the dice."""
        for ways, after in self.solo_game.rolls(self.position_in_turn(position)):
            yield ways, replace_fields(position, inside=after)

    def choices(self, position: OneTurnPosition) -> tuple[Choice[OneTurnPosition], ...]:
        """Return the choices of the turn; the end of the turn leads to the next player."""
        solo_choices = self.solo_game.choices(self.position_in_turn(position))
        return tuple(
            Choice(
                choice.words,
                choice.keep,
                choice.points,
                choice.dice_left,
                self._after(position, choice.after),
                kind=choice.kind,
                data=choice.data,
            )
            for choice in solo_choices
        )

    def _after(self, position: OneTurnPosition, inside: PushPosition) -> OneTurnPosition:
        if inside.ended:
            return self.after_turn(replace_fields(position, inside=None), self.turn_total(inside))
        return replace_fields(position, inside=inside)

    def turn_total(self, inside: PushPosition) -> int:
        """Return the points of a turn that is over."""
        (points,) = inside.ended
        return int(-points if self.solo_game.fewer_is_better else points)

    @cached_property
    def turn_graph(self) -> Mapping[TurnState, list[tuple[int, tuple[TurnResult, ...]]]]:
        """The turn of a single player as a graph: the rolls of every turn state.

        A roll is a pair: its weight, and the different results of its choices, endings first. An ending is the points
        of the turn; 0 is also a bust.
        """
        if isinstance(self.solo_game, OneFaceGame):
            return self._graph_of_turn_model(self.solo_game.rules)
        todo = {turn_state_of(self.solo_game.start())}
        graph: dict[TurnState, list[tuple[int, tuple[TurnResult, ...]]]] = {}
        offers = lru_cache(None)(self._offers)
        while todo:
            dice, turn_points, _ = state = todo.pop()
            graph[state] = [(ways, self._successors(turn_points, offered)) for offered, ways in offers(dice).items()]
            todo |= {lead for _, leads in graph[state] for lead in leads if not isinstance(lead, int)} - graph.keys()
        return graph

    def _graph_of_turn_model(self, rules: OneFaceRules) -> Mapping[TurnState, list[tuple[int, tuple[TurnResult, ...]]]]:
        """Return ``turn_graph`` as the turn model has it; a turn state is a mode and the turn points in units."""
        modes = rules.turn.modes

        def successors(units: int, choices: Iterable[Any]) -> tuple[TurnResult, ...]:
            """Return the results of the choices of a roll, endings first; ``units``: the turn points before it."""
            ends, goes_on = dict[int, None](), dict[TurnState, None]()
            for choice in choices:
                after = units + choice.added_points
                if choice.next_mode < 0:
                    ends[0] = None
                    continue
                mode = modes[choice.next_mode]
                if mode.bank_ending is not None and after >= mode.min_bank:
                    ends[rules.bank_value(after * rules.grain)] = None
                if mode.rolls:
                    goes_on[choice.next_mode, after] = None
            return (*ends, *goes_on)

        todo = {(rules.turn.start, 0)}
        graph: dict[TurnState, list[tuple[int, tuple[TurnResult, ...]]]] = {}
        while todo:
            mode, units = state = todo.pop()
            (roll,) = modes[mode].rolls
            graph[state] = [(weight, successors(units, choices)) for choices, weight in roll.classes]
            followers = {lead for _, leads in graph[state] for lead in leads if not isinstance(lead, int)}
            todo |= {(mode, units) for mode, units in followers} - graph.keys()
        return graph

    def _offers(self, dice: int) -> Mapping[tuple[Offer, ...], int]:
        """Return what rolls of some dice offer, with their weights."""
        rules, offers = self.solo_game.rules, Counter[tuple[Offer, ...]]()
        for roll, ways in rules.standing_rolls(NextRoll(dice)):
            offers[rules.offers(dice, roll)] += ways
        return offers

    def _successors(self, turn_points: int, offered: Iterable[Offer]) -> tuple[TurnResult, ...]:
        """Return the different results of the choices of a roll, in the order of ``PushGame.choices``: endings first.

        Args:
            turn_points: the turn points before the roll.
            offered: what may be set aside, as in ``PushRules.offers``: the roll that follows (None if the turn ends),
                and the points it adds.
        """
        rules = self.solo_game.rules
        min_bank = self.solo_game.min_bank(self.solo_game.start())
        endings, rolls = dict[int, None](), dict[TurnState, None]()  # sets that keep their order
        for next_roll, points in offered:
            total = max(0, turn_points + points)
            if rules.bust_above and total > rules.bust_above:
                continue
            is_bankable = total >= min_bank
            if rules.can_stop(next_roll, is_bankable):
                endings[total if is_bankable else 0] = None  # a stop below the minimum scores nothing
            if next_roll is not None:
                rolls[next_roll.dice, total, int(next_roll.forced)] = None
        return (*endings, *rolls) or (0,)  # a roll that allows nothing is a bust

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The points that a turn can bring, the worst first."""
        leads = (lead for throws in self.turn_graph.values() for _, offered in throws for lead in offered)
        totals = {lead for lead in leads if isinstance(lead, int)}
        return tuple(sorted(totals, reverse=self.solo_game.fewer_is_better))

    def describe_turn_results(self, position: OneTurnPosition) -> str:
        """Return the results of a turn that can be entered, with an example."""
        return f"the number of points banked, such as {self.totals[len(self.totals) // 2]}, or bust"

    def result_question(self, position: OneTurnPosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        return "how many points did they bank?"

    def play_whole_turn(self, position: OneTurnPosition, result_text: str) -> OneTurnPosition:
        """Return the position after a turn that brought points, or ``bust``."""
        word = result_text.strip().lower().removeprefix("bank ")
        return self.after_turn(position, self.parse_total("0" if word == "bust" else word))

    def turn_key(self, start: OneTurnPosition) -> Hashable:
        """Return the same key for all turns, which offer the same."""
        return ()

    def move_to_turn(self, position: OneTurnPosition, start: OneTurnPosition) -> OneTurnPosition:
        """Return the position of the turn against another total."""
        return replace_fields(start, inside=position.inside)

    def mishap_probability(self, position: OneTurnPosition) -> Fraction:
        """Return the probability that the next roll is a bust."""
        return self.solo_game.mishap_probability(self.position_in_turn(position))

    def wipe_probability(self, position: OneTurnPosition) -> Fraction | None:
        """Return the probability that the next roll loses the whole score."""
        return self.solo_game.wipe_probability(self.position_in_turn(position))

    def note(self, position: OneTurnPosition) -> str:
        """Return the note on the turn."""
        return self.solo_game.note(self.position_in_turn(position))

    def describe_roll(self, position: OneTurnPosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        return self.solo_game.describe_roll(self.position_in_turn(position))

    def decision_before_roll(self, position: OneTurnPosition) -> OneTurnPosition | None:
        """Return the position before the player decided to roll these dice."""
        before = self.solo_game.decision_before_roll(self.position_in_turn(position))
        return None if before is None else replace_fields(position, inside=before)

    # --- positions in words

    def position_from_fields(
        self,
        seat: int | None = None,
        playoff: Sequence[int] | None = None,
        beat: int | None = None,
        tied: int | None = None,
        holders: Sequence[int] | None = None,
        **inside: Any,
    ) -> OneTurnPosition:
        """Return the position with these field values; an error says what can occur."""
        between_turns = self.position_between_turns(OneTurnPosition(), seat, playoff, beat, tied, holders)
        turn = self.solo_game.position_from_fields(**inside)
        return between_turns if self.solo_game.is_turn_start(turn) else replace(between_turns, inside=turn)

    def to_dict(self, position: OneTurnPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values = self.between_turns_to_dict(position)
        if position.inside is not None:
            names = {field.name for field in self.fields if field.is_inside_turn}
            values |= {name: value for name, value in self.solo_game.to_dict(position.inside).items() if name in names}
        return values


PLAYABLE = OneTurnGame
