"""Push-your-luck games in which all dice of one face are set aside after each roll, and no face twice, or any dice.

A position says which dice are set aside: they decide the turn points, the dice that are left, and which faces may
still be taken. The rest is as in ``push.py``, whose game this one extends.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..games.one_face_rules import OneFaceRules
from ..games.push_rules import Counts
from ..util.errors import InputError, argument
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, TurnStop
from .playable_game import Choice, Stage, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role, parse_number
from .push import PushGame, PushPosition, list_faces
from .reachable_states import ReachableStates
from .turn_counts import parse_turns_left


@dataclass(frozen=True)
class OneFacePosition(PushPosition):
    """A position of a one-face game.

    Attributes:
        aside: counts of the faces set aside in this turn, without those of the roll on the table.
    """

    aside: Counts = ()


class OneFaceStates(ReachableStates):
    """The scores that a one-face game can lead to."""

    rules: OneFaceRules

    @cached_property
    def banks(self) -> int:
        """The turn points that a turn can bank, in units of the grain, as a bit set."""
        turn, banks = self.rules.turn, 0
        reachable = turn.reachable_points_by_mode(self.rules.max_turn_units)
        for mode, points in zip(turn.modes, reachable, strict=True):
            if mode.bank_ending is not None:
                banks |= points
        return banks >> self.rules.min_bank_units << self.rules.min_bank_units

    @cached_property
    def scores(self) -> int:
        """The scores below the target that can occur, as a bit set by units of the grain."""
        return self._sum_banks(self.banks, 1, 1)

    @cached_property
    def results(self) -> tuple[int, ...]:
        """The possible points of a turn above 0, ascending."""
        units = (unit for unit in range(self.banks.bit_length()) if self.banks >> unit & 1)
        return tuple(sorted({self.rules.bank_value(unit * self.rules.grain) for unit in units}))


class OneFaceGame(PushGame):
    """A push-your-luck game in which all dice of one face are set aside."""

    rules: OneFaceRules
    reachable_states: OneFaceStates

    def prepare(self) -> None:
        """Take the rules as they are, and list the fields of a position."""
        self.rules = self.game.data
        self.finish = self.rules.finish
        self.reachable_states = OneFaceStates(self.rules, self.parameters)
        self._set_head_starts()
        self.goal = self.reachable_states.goal
        self.turns = self.parameters.get("turns", 0)
        self.fields = tuple(self._list_fields())

    def _fields_inside_turn(self) -> Iterator[Field]:
        faces = self.rules.faces
        help_text = "The dice set aside in this turn before this roll."
        yield Field("aside", FieldKind.DICE, help_text, is_inside_turn=True, words=faces, role=Role.KEPT)
        help_text = "The dice you rolled: all that are not set aside."
        yield Field("roll", FieldKind.DICE, help_text, is_inside_turn=True, words=faces, role=Role.ROLL)
        help_text = "You have decided to roll, but have not rolled yet (rarely needed; it occurs in ids)."
        yield Field("throwing", FieldKind.FLAG, help_text, is_inside_turn=True, is_column=False)

    # --- the rules, in the order of a turn

    def turn_start(
        self, scores: tuple[int, ...], seat: int, turns_left: int, busts: tuple[int, ...] | None = None
    ) -> OneFacePosition:
        """Return the position in which a turn of ``seat`` begins."""
        nothing = (0,) * len(self.rules.faces)
        return OneFacePosition(scores, seat, self.rules.dice, turns_left, aside=nothing)

    def is_turn_start(self, position: PushPosition) -> bool:
        """Return whether nothing has been rolled in this turn."""
        return position.dice == self.rules.dice and position.roll is None and not position.ended

    def stage(self, position: PushPosition) -> Stage:
        """Return the stage; a turn begins with a roll."""
        if position.ended:
            return Stage.TERMINAL
        is_before_roll = position.roll is None and (position.throwing or self.is_turn_start(position))
        return Stage.CHANCE if is_before_roll else Stage.DECISION

    def _after_roll(self, position: PushPosition, roll: Counts) -> PushPosition:
        return replace_fields(position, roll=roll, throwing=False)

    def choices(self, position: PushPosition) -> tuple[Choice[PushPosition], ...]:
        """Return choices that end the turn before rolls, more points before fewer, fewer dice set aside before more."""
        assert isinstance(position, OneFacePosition)
        if position.roll is None:
            return tuple(self._stop_or_roll(position, position.aside, ()))
        forced = self.rules.forced_dice(position.roll)
        sets = self.rules.takeable_sets(position.aside, position.roll)
        if not sets:
            return (self._end_without_face(position, forced),)
        choices = list[Choice[PushPosition]]()
        for dice_set in sets:
            aside = tuple(map(sum, zip(position.aside, dice_set, strict=True)))
            choices += self._stop_or_roll(position, aside, list_faces(self.rules, dice_set))
        return tuple(sorted(choices, key=lambda choice: choice.kind is ChoiceKind.ROLL))

    def _end_without_face(self, position: OneFacePosition, forced: Counts) -> Choice[PushPosition]:
        """Return the only choice if no face can be taken."""
        aside = tuple(map(sum, zip(position.aside, forced, strict=True)))
        keep = list_faces(self.rules, forced)
        if self.rules.scores_if_stuck and self.rules.banked_points(aside):
            return self._bank_choice(position, aside, keep)
        return self._bust_choice(position, keep)

    def _stop_or_roll(
        self, position: OneFacePosition, aside: Counts, keep: tuple[str, ...]
    ) -> Iterator[Choice[PushPosition]]:
        """Yield the choices to bank and to roll on, as far as they are allowed, once dice are set aside.

        Args:
            position: the position in which they are set aside.
            aside: all dice that are set aside then.
            keep: those that are set aside now.
        """
        dice_left = self.rules.dice - sum(aside)
        can_bank = self.rules.banked_points(aside) > 0
        if can_bank and not (dice_left and self.rules.never_stops):
            yield self._bank_choice(position, aside, keep)
        elif not dice_left:
            yield self._bust_choice(position, keep)
        if dice_left:
            points = self.rules.turn_points(aside)
            after = replace_fields(position, dice=dice_left, turn=points, roll=None, throwing=True, aside=aside)
            data = self._roll_data(self._set_aside(keep, ""), dice_left, points, ())
            yield make_choice(ChoiceKind.ROLL, data, after, keep, points, dice_left)

    def _bank_choice(self, position: OneFacePosition, aside: Counts, keep: tuple[str, ...]) -> Choice[PushPosition]:
        banked = self.rules.banked_points(aside)
        after = self._end_turn(position, position.score + banked, banked)
        stop = TurnStop(self._set_aside(keep, ""), banked)
        return make_choice(ChoiceKind.BANK, stop, after, keep, self.rules.turn_points(aside))

    def _bust_choice(self, position: OneFacePosition, keep: tuple[str, ...]) -> Choice[PushPosition]:
        return make_choice(ChoiceKind.BUST, self.bust_data(position), self._bust(position), keep)

    # --- whole turns, and what can go wrong

    def play_whole_turn(self, position: PushPosition, result_text: str) -> PushPosition:
        """Return the position after a turn that brought points, ``bust`` or 0."""
        word = result_text.strip().lower().removeprefix("bank ")
        points = 0 if word == "bust" else parse_number(word, "points")
        if not points:
            return self._bust(position)
        results = self.reachable_states.results
        if points not in results:
            nearest = sorted(sorted(results, key=lambda result: abs(result - points))[:2])
            raise InputError(f"a turn cannot score {points} points; the nearest are {' and '.join(map(str, nearest))}")
        return self._end_turn(position, position.score + points, points)

    def mishap_probability(self, position: PushPosition) -> Fraction:
        """Return the probability that the next roll is a bust."""
        assert isinstance(position, OneFacePosition)
        if position.aside not in self._bust_chances:
            rolls = self.rules.rolls(position.dice)
            bust_weight = sum(weight for roll, weight in rolls if self._is_bust(position.aside, roll))
            self._bust_chances[position.aside] = Fraction(bust_weight, sum(weight for _, weight in rolls))
        return self._bust_chances[position.aside]

    @cached_property
    def _bust_chances(self) -> dict[Counts, Fraction]:
        return {}

    def _is_bust(self, aside: Counts, roll: Counts) -> bool:
        """Return whether a roll ends the turn without points."""
        rules = self.rules
        sets = rules.takeable_sets(aside, roll)
        if not sets and not rules.scores_if_stuck:
            return True
        afters = [tuple(map(sum, zip(aside, dice_set, strict=True))) for dice_set in sets or [rules.forced_dice(roll)]]
        is_over = not sets or all(sum(after) == rules.dice for after in afters)
        return is_over and not any(map(rules.banked_points, afters))

    def note(self, position: PushPosition) -> str:
        """Return a note if the dice set aside do not bring anything yet."""
        assert isinstance(position, OneFacePosition)
        if position.roll is not None or not any(position.aside) or self.rules.banked_points(position.aside):
            return ""
        return "The dice set aside score nothing yet."

    # --- turns that offer the same

    def mode_and_roll(self, position: PushPosition) -> tuple[int, int]:
        """Return the mode of the turn model before a roll, and the index of the roll in that mode."""
        assert isinstance(position, OneFacePosition)
        return self.rules.mode_of_aside(position.aside), 0

    def most_points_keep(self, position: PushPosition) -> tuple[str, ...] | None:
        """Return the dice of the face with the most points, with the forced dice, if a face can be taken."""
        assert isinstance(position, OneFacePosition)
        if position.roll is None or not (sets := self.rules.takeable_sets(position.aside, position.roll)):
            return ()
        return list_faces(self.rules, sets[0])

    def turn_key(self, start: PushPosition) -> Hashable:
        """Return the same key for all turns, which offer the same."""
        return ()

    def position_after_choice(
        self, decision: PushPosition, number: int, choice: Choice[PushPosition], start: PushPosition
    ) -> PushPosition:
        """Return where a choice leads in a turn with other scores; a bank adds its points to them."""
        if choice.kind is ChoiceKind.BANK:
            banked = self.rules.bank_value(choice.points)
            return self._end_turn(start, start.score + banked, banked)
        return super().position_after_choice(decision, number, choice, start)

    # --- positions as data

    def position_from_fields(  # type: ignore[override]  # the dice set aside replace turn points and dice
        self,
        score: int | None = None,
        opponents: Sequence[int] | None = None,
        seat: int = 0,
        turns_left: int | None = None,
        aside: Sequence[str] = (),
        roll: Sequence[str] | None = None,
        throwing: bool = False,
    ) -> OneFacePosition:
        """Return the position with these field values; an error says what can occur."""
        if seat >= self.players:
            raise InputError(
                f"{argument('seat')} must be between 0 (the player who began) and {self.players - 1}, not {seat}"
            )
        scores = self._read_scores(score, opponents, seat)
        self._check_scores(scores, seat)
        left = parse_turns_left(turns_left, self.turns)
        counts = self._read_aside(aside)
        start = self.turn_start(scores, seat, left)
        dice = self.rules.dice - sum(counts)
        position = replace_fields(start, dice=dice, turn=self.rules.turn_points(counts), aside=counts)
        if not any(counts):
            position = start
        if roll is None:
            return replace_fields(position, throwing=throwing and not self.is_turn_start(position))
        if throwing:
            raise InputError(
                f"{argument('throwing')} cannot be combined with {argument('roll')}: the dice have already been rolled"
            )
        if len(roll) != dice:
            raise InputError(f"expected {format_count(dice, 'die')}, got {len(roll)}: enter all dice not set aside")
        return replace_fields(position, roll=tuple(map(roll.count, self.rules.faces)))

    def _read_aside(self, aside: Sequence[str]) -> Counts:
        """Return the counts of dice set aside, if they can be set aside in a turn that goes on."""
        rules = self.rules
        counts = tuple(map(aside.count, rules.faces))
        if rules.can_hold(counts):
            return counts
        if sum(counts) >= rules.dice:
            raise InputError(
                f"{argument('aside')} must leave a die to roll: expected at most {rules.dice - 1} dice, got"
                f" {sum(counts)}"
            )
        forced = rules.describe_faces(rules.forced_faces)
        raise InputError(
            f"{argument('aside')} cannot be {forced} alone: a turn goes on only if another face is set aside too"
        )

    def _values_inside_turn(self, position: PushPosition) -> dict[str, object]:
        assert isinstance(position, OneFacePosition)
        values: dict[str, object] = {}
        if any(position.aside):
            values["aside"] = list(list_faces(self.rules, position.aside))
        if position.roll is not None:
            values["roll"] = list(list_faces(self.rules, position.roll))
        return values


PLAYABLE = OneFaceGame
