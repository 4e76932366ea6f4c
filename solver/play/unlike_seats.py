"""Push-your-luck races whose players have rules of their own, as people play them.

Every seat has a game of its own (``SeatGame``), which knows all rules of its turns. ``Play`` asks the game of the
player to move. Only the beginning of a turn needs the rules of another seat: the dice of the next player.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any

from ..games import Game
from ..games.seat_rules import hands_of_seats
from ..util.errors import InputError, argument
from . import push
from .playable_game import Choice, Stage, WeightedRoll
from .position_fields import Field, FieldKind, Role
from .push import PushPosition
from .reachable_states import ReachableStates
from .seats import SEAT

MAX_PLAIN_DICE = 20


class SeatGame(push.PushGame):
    """The game of one seat: its turns under its own rules, among players who have others.

    Attributes:
        seat_games: the games of all seats.
    """

    seat_games: Sequence[SeatGame]

    def __copy__(self) -> SeatGame:
        """Return the game of the same seat among the same players."""
        duplicate = type(self)(self.game, self.objective, self.players)
        duplicate.seat_games = self.seat_games
        duplicate.reachable_states.head_starts = self.reachable_states.head_starts
        return duplicate

    def turn_start(
        self, scores: tuple[int, ...], seat: int, turns_left: int, busts: tuple[int, ...] | None = None
    ) -> PushPosition:
        """Return the position in which a turn of ``seat`` begins, with the dice of that seat."""
        return PushPosition(scores, seat, self.seat_games[seat].rules.dice, turns_left)

    def _goal_of(self, seat: int) -> int:
        """Return the target of a seat."""
        return self.seat_games[seat].goal

    def _reachable_states_of(self, seat: int) -> ReachableStates:
        """Return the scores that a seat can have under its rules."""
        return self.seat_games[seat].reachable_states


class UnlikeSeatsGame(push.PushGame):
    """A push-your-luck race whose players have rules of their own.

    Attributes:
        seat_games: the game of each seat.
    """

    seat_games: tuple[SeatGame, ...]
    seat_game_class: type[SeatGame] = SeatGame

    def _list_fields(self) -> Iterator[Field]:
        base = Game(self.game.id, {key: value for key, value in self.game.rules.items() if key != "seat"})
        games = [*self.game.seat_games, *[base] * self.players][: self.players]
        self.seat_games = tuple(self.seat_game_class(game, self.objective, self.players) for game in games)
        for seat_game, head_start in zip(self.seat_games, self.head_starts, strict=True):
            seat_game.seat_games = self.seat_games
            seat_game.reachable_states.head_starts = (head_start,)
        yield from _merge_fields([seat_game.fields for seat_game in self.seat_games])

    @property
    def games_by_seat(self) -> tuple[SeatGame, ...]:  # type: ignore[override]  # read-only here
        """The game as each seat plays it."""
        return self.seat_games

    def game_of_mover(self, position: PushPosition) -> SeatGame:
        """Return the game of the player to move."""
        return self.seat_games[position.seat]

    # --- the rules

    def turn_start(
        self, scores: tuple[int, ...], seat: int, turns_left: int, busts: tuple[int, ...] | None = None
    ) -> PushPosition:
        """Return the position in which a turn of ``seat`` begins."""
        return self.seat_games[seat].turn_start(scores, seat, turns_left, busts)

    def is_turn_start(self, position: PushPosition) -> bool:
        """Return whether all dice of the player are still to be rolled, and there are no turn points."""
        return self.game_of_mover(position).is_turn_start(position)

    def stage(self, position: PushPosition) -> Stage:
        """Return the stage."""
        return self.game_of_mover(position).stage(position)

    def rolls(self, position: PushPosition) -> Iterator[WeightedRoll[PushPosition]]:
        """Yield every roll of the dice of the player to move."""
        return self.game_of_mover(position).rolls(position)

    def roll_at(self, position: PushPosition, number: int) -> PushPosition:
        """Return the position after one roll."""
        return self.game_of_mover(position).roll_at(position, number)

    def explain_reroll(self, position: PushPosition, roll: Sequence[str]) -> str:
        """Return why a roll does not count."""
        return self.game_of_mover(position).explain_reroll(position, roll)

    def choices(self, position: PushPosition) -> tuple[Choice[PushPosition], ...]:
        """Return the choices of the player to move."""
        return self.game_of_mover(position).choices(position)

    def max_turn_points(self, position: PushPosition) -> float:
        """Return the most turn points that are allowed."""
        return self.game_of_mover(position).max_turn_points(position)

    def min_bank(self, position: PushPosition) -> int:
        """Return the fewest turn points that can be banked for a score."""
        return self.game_of_mover(position).min_bank(position)

    # --- whole turns, and what can go wrong

    def play_whole_turn(self, position: PushPosition, result_text: str) -> PushPosition:
        """Return the position after a turn that brought points, ``bust`` or 0, or ``win``."""
        return self.game_of_mover(position).play_whole_turn(position, result_text)

    def describe_turn_results(self, position: PushPosition) -> str:
        """Return the results that can be entered."""
        return self.game_of_mover(position).describe_turn_results(position)

    def mishap_probability(self, position: PushPosition) -> Fraction:
        """Return the probability that the next roll is a bust."""
        return self.game_of_mover(position).mishap_probability(position)

    def explain_no_bank(self, position: PushPosition) -> str:
        """Return the minimum, if it alone keeps the player from banking."""
        return self.game_of_mover(position).explain_no_bank(position)

    def note(self, position: PushPosition) -> str:
        """Return a note on a bust, or on dice that may have to be rolled."""
        return self.game_of_mover(position).note(position)

    def describe_roll(self, position: PushPosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        return self.game_of_mover(position).describe_roll(position)

    def dice_name(self, position: PushPosition) -> str:
        """Return the name of the dice of the player to move, if all of them are alike and chosen by name."""
        hand = hands_of_seats(self.game, self.players)[position.seat]
        is_named_already = bool(self.game_of_mover(position).rules.kinds)
        return hand[0]["name"] if len(hand) == 1 and not is_named_already else ""

    def decision_before_roll(self, position: PushPosition) -> PushPosition | None:
        """Return the position before the player decided to roll these dice."""
        return self.game_of_mover(position).decision_before_roll(position)

    # --- turns that offer the same

    def turn_key(self, start: PushPosition) -> Hashable:
        """Return what the choices of a turn depend on besides its rolls: the seat, first of all."""
        return start.seat, self.game_of_mover(start).turn_key(start)

    def position_after_choice(
        self, decision: PushPosition, number: int, choice: Choice[PushPosition], start: PushPosition
    ) -> PushPosition:
        """Return where a choice leads in a turn with other scores."""
        return self.game_of_mover(start).position_after_choice(decision, number, choice, start)

    # --- positions as data

    def fields_at(self, position: PushPosition) -> Sequence[Field]:
        """Return the fields with the dice of the player to move."""
        return self._fields_by_seat[position.seat]

    def fields_for(self, values: Mapping[str, object]) -> Sequence[Field]:
        """Return the fields that read these values of a position: with the dice of the seat that they name."""
        value = values.get(SEAT.name)
        with suppress(InputError):  # a wrong seat is refused later
            seat = 0 if value is None else SEAT.parse(value)
            return self._fields_by_seat[seat] if seat < self.players else self.fields
        return self.fields

    @cached_property
    def _fields_by_seat(self) -> tuple[tuple[Field, ...], ...]:
        """By seat, all fields; if a field is of the same kind for this seat, its words are those of the seat."""
        own_fields = [{field.name: field for field in seat_game.fields} for seat_game in self.seat_games]
        return tuple(tuple(_with_own_words(field, own.get(field.name)) for field in self.fields) for own in own_fields)

    def position_from_fields(  # type: ignore[override]  # the other fields are passed on
        self, score: int | None = None, seat: int = 0, **fields: Any
    ) -> PushPosition:
        """Return the position with these field values; an error says what can occur."""
        if not 0 <= seat < self.players:
            raise InputError(
                f"{argument('seat')} must be between 0 (the player who began) and {self.players - 1}, not {seat}"
            )
        seat_game = self.seat_games[seat]
        opponents = [*self.head_starts[seat + 1 :], *self.head_starts[:seat]]
        fields.setdefault("opponents", opponents)
        if not seat_game.rules.kinds and not isinstance(fields.get("dice", 0), int):
            fields["dice"] = _read_plain_dice(fields["dice"])
        return seat_game.position_from_fields(self.head_starts[seat] if score is None else score, seat=seat, **fields)

    def _check_scores(self, scores: Sequence[int], seat: int) -> None:
        """Raise InputError if a score cannot occur under the rules of its owner."""
        self.seat_games[seat]._check_scores(scores, seat)

    def to_dict(self, position: PushPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        return self.game_of_mover(position).to_dict(position)


def _merge_fields(fields_by_seat: Sequence[tuple[Field, ...]]) -> Iterator[Field]:
    """Yield the fields of a position, whatever seat is to move: words are those of all seats."""
    merged: dict[str, Field] = {}
    for field in chain.from_iterable(fields_by_seat):
        earlier = merged.get(field.name, field)
        words = tuple(dict.fromkeys((*earlier.words, *field.words)))
        kind = field.kind
        if {earlier.kind, field.kind} == {
            FieldKind.NAMES,
            FieldKind.NUMBER,
        }:  # dice by name for one seat, alike for another
            kind = FieldKind.NAMES
            words = tuple(dict.fromkeys((*words, *map(str, range(1, MAX_PLAIN_DICE + 1)))))
        merged[field.name] = replace(earlier, words=words, kind=kind)
    for field in merged.values():
        if field.role is Role.SEAT:
            yield replace(
                field,
                help="The number of players who play before you: 0 if you began the game. Each seat has its own rules.",
                is_column=True,
            )
        else:
            yield field


def _with_own_words(field: Field, own: Field | None) -> Field:
    """Return a field of all seats with the words of the field of one seat, if both are of the same kind."""
    return replace(field, words=own.words) if own is not None and own.kind is field.kind else field


def _read_plain_dice(names: Sequence[str] | None) -> int | None:
    """Return the number of dice of a seat whose dice are alike, where dice of other seats have names."""
    if names is None:
        return None
    if len(names) != 1 or not names[0].isdecimal():
        raise InputError(
            f"{argument('dice')} must be a number, not {','.join(names)}, because this seat's dice are identical"
        )
    return int(names[0])


PLAYABLE = UnlikeSeatsGame
