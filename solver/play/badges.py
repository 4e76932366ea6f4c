"""Push-your-luck races with badges, which a player may use a number of times in a game, as people play them.

``games.badges`` says what each badge does. Using one is a choice of its own: to roll with Warlord at the start of a
turn, to roll again with Resurrection after a bust, to set three 1s aside with Emperor. Each seat has a game of its own
(``BadgeSeatGame``), because seats may have different badges and other rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..games.badges import BADGES, EMPEROR, RESURRECTION, WARLORD, Uses, use_badge
from ..games.push_rules import NextRoll
from ..util.errors import InputError, argument, suggest_name
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, SetAside, TurnStop
from .playable_game import Choice, Stage, make_choice, replace_fields
from .position_fields import Field, FieldKind
from .push import NO_OFFER, PushPosition, list_faces
from .unlike_seats import SeatGame, UnlikeSeatsGame

NO_BADGES = "none"  # in place of a list of badges
BADGE_FIELDS = ("badges", "opponents_badges")


@dataclass(frozen=True)
class BadgePosition(PushPosition):
    """A position of a race with badges.

    Attributes:
        uses: by seat, how often the player may still use each badge.
        is_raised: whether Warlord has raised the points of this turn.
    """

    uses: tuple[Uses, ...] = ()
    is_raised: bool = False

    @property
    def own_uses(self) -> Uses:
        """How often the player to move may still use each badge."""
        return self.uses[self.seat]


def _after_use(position: BadgePosition, badge: int) -> BadgePosition:
    """Return the position after the player to move has used a badge once."""
    own_uses = use_badge(position.own_uses, badge)
    uses = (*position.uses[: position.seat], own_uses, *position.uses[position.seat + 1 :])
    return replace_fields(position, uses=uses, is_raised=position.is_raised or badge == WARLORD)


class BadgeSeatGame(SeatGame):
    """The game of one seat in a race in which a player has badges."""

    seat_games: Sequence[BadgeSeatGame]

    # --- the rules

    def turn_start(
        self, scores: tuple[int, ...], seat: int, turns_left: int, busts: tuple[int, ...] | None = None
    ) -> BadgePosition:
        """Return the position in which a turn of ``seat`` begins, before any badge is used."""
        uses = tuple(seat_game.rules.badge_uses for seat_game in self.seat_games)
        return BadgePosition(scores, seat, self.seat_games[seat].rules.dice, turns_left, uses=uses)

    def turn_start_of(self, position: PushPosition) -> BadgePosition:
        """Return the position in which the turn began, with the badges that are left now.

        If Warlord has raised the points of the turn, the player had it at the start.
        """
        assert isinstance(position, BadgePosition)
        if self.is_turn_start(position):
            return position
        uses = list(position.uses)
        if position.is_raised:
            _, *others = position.own_uses
            uses[position.seat] = (1, others[0], others[1])
        return replace_fields(self.turn_start(position.scores, position.seat, 0), uses=tuple(uses))

    def _begins_with_warlord(self, position: PushPosition) -> bool:
        """Return whether the player may declare Warlord now: at the start of a turn, before the first roll."""
        return (
            isinstance(position, BadgePosition)
            and self.is_turn_start(replace_fields(position, throwing=False))
            and not position.is_raised
            and position.own_uses[WARLORD] > 0
        )

    def stage(self, position: PushPosition) -> Stage:
        """Return the stage; a player with Warlord decides before the first roll of a turn whether to use it."""
        if self._begins_with_warlord(position):
            return Stage.CHANCE if position.throwing else Stage.DECISION
        return super().stage(position)

    def choices(self, position: PushPosition) -> tuple[Choice[PushPosition], ...]:
        """Return the choices without badges, and those that use one, in the order of all choices."""
        assert isinstance(position, BadgePosition)
        if self._begins_with_warlord(position):
            roll = NextRoll(position.dice)
            raised = self._use(position, WARLORD, roll)
            return self._roll_choice(SetAside(), position, 0, roll), raised
        choices = super().choices(position)
        if position.roll is None:
            return choices
        if choices[0].kind is ChoiceKind.BUST and position.own_uses[RESURRECTION]:
            return *choices, self._use(position, RESURRECTION, NextRoll(position.dice, forced=True))
        if position.own_uses[EMPEROR]:
            choices = tuple(
                sorted((*choices, *self._emperor_choices(position)), key=lambda choice: choice.kind is ChoiceKind.ROLL)
            )
        return choices

    def _use(self, position: BadgePosition, badge: int, roll: NextRoll) -> Choice[PushPosition]:
        """Return the choice to use a badge and roll, with nothing set aside."""
        return self._roll_choice(SetAside(badge=BADGES[badge]), _after_use(position, badge), position.turn, roll)

    def _emperor_choices(self, position: BadgePosition) -> Iterator[Choice[PushPosition]]:
        """Yield the choices that set three 1s aside and count them more often."""
        rules = self.rules
        assert position.roll is not None
        after = _after_use(position, EMPEROR)
        for counts in rules.emperor_sets(position.roll):
            dice = self._set_aside(list_faces(rules, counts), rules.set_name(counts))
            turn_points = position.turn + rules.emperor_rules.set_points(counts)
            following = rules.roll_after_set(position.dice, counts)
            yield from self._bank_or_roll(dice._replace(badge=BADGES[EMPEROR]), after, turn_points, following)

    def _bank_or_roll(
        self, set_aside: SetAside, position: PushPosition, turn_points: int, next_roll: NextRoll | None
    ) -> Iterator[Choice[PushPosition]]:
        """Yield the choices to bank and to roll on; a bank says what its points count for if they are raised."""
        assert isinstance(position, BadgePosition)
        for choice in super()._bank_or_roll(set_aside, position, turn_points, next_roll):
            if position.is_raised and isinstance(choice.data, TurnStop) and choice.kind is ChoiceKind.BANK:
                data = choice.data._replace(raised_points=self.rules.raised_points(turn_points))
                yield make_choice(choice.kind, data, choice.after, choice.keep, choice.points)
            else:
                yield choice

    def _end_turn(
        self,
        position: PushPosition,
        score: int,
        banked: int = 0,
        bust_count: int = 0,
        left: tuple[int, ...] = NO_OFFER,
    ) -> PushPosition:
        """Return the position after the turn, with the badges that are left; see ``PushGame``."""
        assert isinstance(position, BadgePosition)
        if position.is_raised:
            score = position.score + self.rules.raised_points(score - position.score)
        return replace_fields(super()._end_turn(position, score, banked, bust_count, left), uses=position.uses)

    def _end_with_winner(self, position: PushPosition) -> PushPosition:
        """Return the end of the game, which the player to move has won."""
        assert isinstance(position, BadgePosition)
        return replace_fields(super()._end_with_winner(position), uses=position.uses)

    # --- whole turns

    def describe_turn_results(self, position: PushPosition) -> str:
        """Return the results that can be entered: points, bust, and the badges that were used."""
        badges = _list_badges(position.own_uses) if isinstance(position, BadgePosition) else []
        if not badges:
            return super().describe_turn_results(position)
        return f"{self._turn_results()}; with the badges used in the turn, such as 300 {badges[0]}"

    def play_whole_turn(self, position: PushPosition, result_text: str) -> PushPosition:
        """Return the position after a turn: its points, before Warlord raises them, ``bust``, and the badges used."""
        assert isinstance(position, BadgePosition)
        result, *words = result_text.split() or [""]
        if result == "bank" and words:
            result, *words = words
        for word in words:
            badge = next((number for number, name in enumerate(BADGES) if name == word.strip(",").lower()), None)
            if badge is None:
                raise InputError(f"unknown badge '{word}'{suggest_name(word, BADGES)}")
            if not position.own_uses[badge]:
                left = ", ".join(dict.fromkeys(_list_badges(position.own_uses))) or "none"
                raise InputError(f"the player has no {word} badge left; badges left: {left}")
            position = _after_use(position, badge)
        return super().play_whole_turn(position, result)

    def note(self, position: PushPosition) -> str:
        """Return a note on a bust, or on faces that are rolled again."""
        return "" if position.roll is None and not position.over else super().note(position)

    # --- turns that offer the same

    def turn_key(self, start: PushPosition) -> Hashable:
        """Return what the choices of a turn depend on besides its rolls: the badges left, among others."""
        assert isinstance(start, BadgePosition)
        return super().turn_key(start), start.uses

    def position_after_choice(
        self, decision: PushPosition, number: int, choice: Choice[PushPosition], start: PushPosition
    ) -> PushPosition:
        """Return where a choice leads in a turn with other scores and the same badges left."""
        assert isinstance(decision, BadgePosition)
        assert isinstance(choice.after, BadgePosition)
        start_now = replace_fields(start, uses=choice.after.uses, is_raised=decision.is_raised)
        if choice.kind in (ChoiceKind.BANK, ChoiceKind.STOP):
            return super().position_after_choice(decision, number, choice, start_now)
        return super().position_after_choice(decision, number, choice, start)

    # --- positions as data

    def position_from_fields(  # type: ignore[override]  # the other fields are passed on
        self,
        score: int = 0,
        badges: Sequence[str] | None = None,
        opponents_badges: Sequence[str] | None = None,
        raised: bool = False,
        seat: int = 0,
        throwing: bool = False,
        **fields: Any,
    ) -> PushPosition:
        """Return the position with these field values; an error says what can occur."""
        uses = [seat_game.rules.badge_uses for seat_game in self.seat_games]
        if raised:
            if not uses[seat][WARLORD]:
                raise InputError(f"{argument('raised')} requires the badge warlord, which this player does not have")
            uses[seat] = use_badge(uses[seat], WARLORD)
        for owner, names, field in ((seat, badges, "badges"), (1 - seat, opponents_badges, "opponents_badges")):
            if names is not None:
                uses[owner] = _read_badges(names, self.seat_games[owner].rules.badge_uses, field)
        if raised and uses[seat][WARLORD]:
            raise InputError(
                f"{argument('raised')} means that warlord has been used: leave warlord out of {argument('badges')}"
            )
        position = super().position_from_fields(score, seat=seat, throwing=throwing, **fields)
        position = replace_fields(position, uses=tuple(uses), is_raised=raised)
        assert isinstance(position, BadgePosition)
        if self.is_turn_start(position) and (raised or (throwing and self._begins_with_warlord(position))):
            return replace_fields(position, throwing=True)
        self._check_forced(position)
        return position

    def _check_forced(self, position: BadgePosition) -> None:
        """Raise InputError if only Resurrection can force a roll, and it has not been used."""
        roll = NextRoll(position.dice, position.forced, position.over)
        is_used = position.own_uses[RESURRECTION] < self.rules.resurrection
        if position.forced and roll not in self.rules.rolls_with_mode and not is_used:
            raise InputError(
                f"{argument('forced')} means that resurrection has been used: give the badges that are left with"
                f" {argument('badges')}"
            )

    def _values_between_turns(self, position: PushPosition) -> dict[str, Any]:
        assert isinstance(position, BadgePosition)
        values = super()._values_between_turns(position)
        owners = (position.seat, 1 - position.seat)
        for name, owner in zip(BADGE_FIELDS, owners, strict=True):
            uses_at_start = self.seat_games[owner].rules.badge_uses
            if owner == position.seat and position.is_raised:
                uses_at_start = use_badge(uses_at_start, WARLORD)
            if position.uses[owner] != uses_at_start:
                values[name] = _list_badges(position.uses[owner]) or [NO_BADGES]
        return values

    def to_dict(self, position: PushPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        assert isinstance(position, BadgePosition)
        values = super().to_dict(position)
        return {**values, "raised": True} if position.is_raised else values


class BadgesGame(UnlikeSeatsGame):
    """A push-your-luck race in which a player has badges."""

    seat_game_class = BadgeSeatGame
    seat_games: tuple[BadgeSeatGame, ...]
    policy_refusal = "policies are not available in games with badges"

    def prepare(self) -> None:
        """Make the game of each seat, and list the fields of a position.

        Raises:
            InputError: there are more than two players.
        """
        if self.players != 2:
            raise InputError(f"badges are played by two players, not {self.players}")
        super().prepare()

    def _list_fields(self) -> Iterator[Field]:
        fields = list(super()._list_fields())
        uses = [seat_game.rules.badge_uses for seat_game in self.seat_games]
        names = [name for number, name in enumerate(BADGES) if any(left[number] for left in uses)]
        help_texts = (
            f"The badges that you have left, one name for each use: {','.join(names)}; or {NO_BADGES}.",
            "The badges that your opponent has left.",
        )
        yield from (field for field in fields if not field.is_inside_turn)
        for name, help_text in zip(BADGE_FIELDS, help_texts, strict=True):
            yield Field(name, FieldKind.NAMES, help_text, words=(*names, NO_BADGES), is_repeatable=True)
        yield from (field for field in fields if field.is_inside_turn)
        if "warlord" in names:
            yield Field("raised", FieldKind.FLAG, "You use Warlord in this turn.", is_inside_turn=True)

    def turn_start_of(self, position: PushPosition) -> PushPosition:
        """Return the position in which the turn of ``position`` began."""
        return self.game_of_mover(position).turn_start_of(position)


def _list_badges(uses: Uses) -> list[str]:
    """Return the badges that are left, one name for each use."""
    return [name for name, count in zip(BADGES, uses, strict=True) for _ in range(count)]


def _read_badges(names: Sequence[str], most: Uses, field: str) -> Uses:
    """Return how often each badge may still be used.

    Args:
        names: a name for each use, or NO_BADGES.
        most: how often each may be used in a game.
        field: the field, for the message.

    Raises:
        InputError: there are more uses than the rules allow.
    """
    counts = Counter(name for name in names if name != NO_BADGES)
    for name, count in zip(BADGES, most, strict=True):
        if counts[name] > count:
            limit = f"at most {format_count(count, 'time')}" if count else "not at all under these rules"
            raise InputError(f"{argument(field)}: the player may use {name} {limit}")
    return counts[BADGES[0]], counts[BADGES[1]], counts[BADGES[2]]


PLAYABLE = BadgesGame
