"""Push-your-luck games in which dice of several kinds are drawn from a cup without replacement.

A position says which dice lie on the table: those that scored, those that are rolled again, and those that bust. All
others are in the cup. The rest is as in ``push.py``, whose game this one extends.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import add

from ..games.cup_rules import CupRules
from ..games.cup_states import CupState, HandRoll
from ..games.push_rules import Counts
from ..util.errors import InputError, argument
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, SetAside, TurnRoll, TurnStop
from .playable_game import Choice, Stage, WeightedRoll, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role, parse_number
from .push import NOTHING_SET_ASIDE, PushGame, PushPosition, list_faces
from .reachable_states import ReachableStates
from .turn_counts import parse_turns_left

MAX_DICE_SCORED = 200  # in one turn: tables of turns are as long as the turn points that a position has


@dataclass(frozen=True)
class CupPosition(PushPosition):
    """A position of a cup game. All dice of the turn are counted by kind, without those of the roll on the table.

    Attributes:
        scored: the dice that scored and have not gone back into the cup.
        hand: the dice that are rolled again.
        busted: the dice that have shown the bust face.
    """

    scored: Counts = ()
    hand: Counts = ()
    busted: Counts = ()

    @property
    def state(self) -> CupState:
        """The dice on the table, as the rules count them."""
        return CupState(self.scored, self.hand, self.busted)


class CupStates(ReachableStates):
    """The scores that a cup game can lead to: a turn can bring any number of dice that score."""

    rules: CupRules

    @cached_property
    def scores(self) -> int:
        """The scores below the target that can occur, as a bit set by units of the grain."""
        return (1 << -(-self.rules.target // self.rules.grain)) - 1


class CupGame(PushGame):
    """A push-your-luck game in which dice are drawn from a cup."""

    rules: CupRules
    reachable_states: CupStates

    def prepare(self) -> None:
        """Take the rules as they are, and list the fields of a position."""
        self.rules = self.game.data
        self.finish = self.rules.finish
        self.reachable_states = CupStates(self.rules, self.parameters)
        self._set_head_starts()
        self.goal = self.reachable_states.goal
        self.turns = self.parameters.get("turns", 0)
        self.fields = tuple(self._list_fields())

    def _fields_inside_turn(self) -> Iterator[Field]:
        rules, kinds = self.rules, self.rules.kind_names
        scoring, again, bust = (rules.faces[face] for face in (rules.scoring_face, rules.again_face, rules.bust_face))
        for name, face in (("brains", scoring), ("feet", again), ("shotguns", bust)):
            help_text = f"The dice set aside that showed {face}, by kind: {', '.join(kinds)}."
            if face == again:
                help_text = f"The dice that showed {face} and are rolled again, by kind."
            yield Field(name, FieldKind.DICE, help_text, is_inside_turn=True, words=kinds)
        help_text = f"The points of this turn, if dice that showed {scoring} have gone back into the cup."
        yield Field("turn", FieldKind.POINTS, help_text, is_inside_turn=True, default=0, role=Role.TURN_POINTS)
        symbol = rules.symbols[0]
        names = [symbol, *(alias for alias, named in rules.symbol_aliases.items() if named == symbol)]
        yield Field(
            "roll",
            FieldKind.DICE,
            f"The dice you rolled, those rolled again included, such as {' or '.join(names)}.",
            is_inside_turn=True,
            words=rules.symbols,
            aliases=rules.symbol_aliases,
            role=Role.ROLL,
        )
        help_text = "You have decided to roll, but have not rolled yet (rarely needed; it occurs in ids)."
        yield Field("throwing", FieldKind.FLAG, help_text, is_inside_turn=True, is_column=False)

    # --- the rules, in the order of a turn

    def turn_start(
        self, scores: tuple[int, ...], seat: int, turns_left: int, busts: tuple[int, ...] | None = None
    ) -> CupPosition:
        """Return the position in which a turn of ``seat`` begins."""
        scored, hand, busted = self.rules.first_state
        return CupPosition(scores, seat, self.rules.dice, turns_left, scored=scored, hand=hand, busted=busted)

    def is_turn_start(self, position: PushPosition) -> bool:
        """Return whether nothing has been rolled in this turn."""
        assert isinstance(position, CupPosition)
        is_untouched = position.state == self.rules.first_state and position.turn == 0 and position.roll is None
        return is_untouched and not (position.throwing or position.ended)

    def stage(self, position: PushPosition) -> Stage:
        """Return the stage; a turn begins with a roll."""
        if position.ended:
            return Stage.TERMINAL
        is_before_roll = position.roll is None and (position.throwing or self.is_turn_start(position))
        return Stage.CHANCE if is_before_roll else Stage.DECISION

    def rolls(self, position: PushPosition) -> Iterator[WeightedRoll[PushPosition]]:
        """Yield every roll, with the number of ways to draw and to roll the dice."""
        for roll, weight in self._rolls_from(position):
            yield weight, replace_fields(position, roll=roll.symbols, throwing=False)

    def roll_at(self, position: PushPosition, number: int) -> PushPosition:
        """Return the position after one roll."""
        roll, _ = self._rolls_from(position)[number]
        return replace_fields(position, roll=roll.symbols, throwing=False)

    def _rolls_from(self, position: PushPosition) -> tuple[tuple[HandRoll, int], ...]:
        assert isinstance(position, CupPosition)
        if position.state not in self._rolls_by_state:
            self._rolls_by_state[position.state] = tuple(self.rules.rolls_from(position.state))
        return self._rolls_by_state[position.state]

    @cached_property
    def _rolls_by_state(self) -> dict[CupState, tuple[tuple[HandRoll, int], ...]]:
        return {}

    def choices(self, position: PushPosition) -> tuple[Choice[PushPosition], ...]:
        """Return the choice to bank before the one to roll on; what is set aside is never a choice."""
        assert isinstance(position, CupPosition)
        if position.roll is None:
            return tuple(self._stop_or_roll(position, position.state, position.turn))
        rules, roll = self.rules, position.roll
        scored = rules.kinds_with_face(roll, rules.scoring_face)
        busted = tuple(map(add, position.busted, rules.kinds_with_face(roll, rules.bust_face)))
        if sum(busted) >= rules.bust_limit:
            return (make_choice(ChoiceKind.BUST, self.bust_data(position), self._bust(position)),)
        all_scored = tuple(map(add, position.scored, scored))
        state = CupState(all_scored, rules.kinds_with_face(roll, rules.again_face), busted)
        points = position.turn + rules.points * sum(scored)
        return tuple(self._stop_or_roll(position, rules.normal_state(state), points))

    def _stop_or_roll(self, position: CupPosition, state: CupState, points: int) -> Iterator[Choice[PushPosition]]:
        """Yield the choices to bank, if there are points, and to roll on.

        Args:
            position: any position of the turn.
            state: the state in which the next dice are drawn.
            points: the turn points.
        """
        if points:
            after = self._end_turn(position, position.score + points, points)
            yield make_choice(ChoiceKind.BANK, TurnStop(NOTHING_SET_ASIDE, points), after, (), points)
        scored, hand, busted = state
        after = replace_fields(position, turn=points, roll=None, throwing=True, scored=scored, hand=hand, busted=busted)
        data = self._roll_data(NOTHING_SET_ASIDE, self.rules.dice, points, ())
        yield make_choice(ChoiceKind.ROLL, data, after, (), points, data.dice)

    def _roll_data(
        self, set_aside: SetAside, dice: int, turn_points: int, over: tuple[int, ...], taken_points: int = 0
    ) -> TurnRoll:
        """Return how many dice are rolled: always a full hand."""
        return TurnRoll(set_aside, dice=dice)

    # --- whole turns, and what can go wrong

    def play_whole_turn(self, position: PushPosition, result_text: str) -> PushPosition:
        """Return the position after a turn that brought points, ``bust`` or 0."""
        word = result_text.strip().lower().removeprefix("bank ")
        points = 0 if word == "bust" else parse_number(word, "points")
        if not points:
            return self._bust(position)
        self.reachable_states.check_points(points, "a turn's points", MAX_DICE_SCORED * self.rules.points)
        return self._end_turn(position, position.score + points, points)

    def mishap_probability(self, position: PushPosition) -> Fraction:
        """Return the probability that the next roll is a bust."""
        assert isinstance(position, CupPosition)
        if position.state not in self._bust_chances:
            rules, state = self.rules, position.state
            rolls = self._rolls_from(position)
            bust_weight = sum(weight for roll, weight in rolls if rules.state_after(state, roll) is None)
            self._bust_chances[state] = Fraction(bust_weight, sum(weight for _, weight in rolls))
        return self._bust_chances[position.state]

    @cached_property
    def _bust_chances(self) -> dict[CupState, Fraction]:
        return {}

    def note(self, position: PushPosition) -> str:
        """Return which dice are in the cup, before a roll inside a turn."""
        assert isinstance(position, CupPosition)
        if position.roll is not None or position.ended or self.is_turn_start(position):
            return ""
        in_cup = self.rules.describe_kinds(self.rules.dice_in_cup(position.state))
        return f"In the cup: {in_cup or 'no dice'}."

    # --- turns that offer the same

    def mode_and_roll(self, position: PushPosition) -> tuple[int, int]:
        """Return the mode of the turn model before a roll, and the index of the roll in that mode."""
        assert isinstance(position, CupPosition)
        mode = self.rules.mode_of_state(position.state)
        assert mode is not None  # other positions are refused
        return mode, 0

    def most_points_keep(self, position: PushPosition) -> tuple[str, ...] | None:
        """Return no dice: what is set aside is never a choice."""
        return ()

    def turn_key(self, start: PushPosition) -> Hashable:
        """Return the same key for all turns, which offer the same."""
        return ()

    # --- positions as data

    def position_from_fields(  # type: ignore[override]  # the dice on the table replace the number of dice
        self,
        score: int | None = None,
        opponents: Sequence[int] | None = None,
        seat: int = 0,
        turns_left: int | None = None,
        brains: Sequence[str] = (),
        feet: Sequence[str] = (),
        shotguns: Sequence[str] = (),
        turn: int | None = None,
        roll: Sequence[str] | None = None,
        throwing: bool = False,
    ) -> CupPosition:
        """Return the position with these field values; an error says what can occur."""
        if seat >= self.players:
            raise InputError(
                f"{argument('seat')} must be between 0 (the player who began) and {self.players - 1}, not {seat}"
            )
        scores = self._read_scores(score, opponents, seat)
        self._check_scores(scores, seat)
        start = self.turn_start(scores, seat, parse_turns_left(turns_left, self.turns))
        state, points = self._read_table(brains, feet, shotguns, turn)
        scored, hand, busted = state
        position = replace_fields(start, turn=points, scored=scored, hand=hand, busted=busted)
        if roll is None:
            return replace_fields(position, throwing=throwing and not self.is_turn_start(position))
        if throwing:
            raise InputError(
                f"{argument('throwing')} cannot be combined with {argument('roll')}; leave one of them out"
            )
        counts = tuple(map(roll.count, self.rules.symbols))
        self._check_roll_of_state(state, counts)
        return replace_fields(position, roll=counts)

    def _read_table(
        self, brains: Sequence[str], feet: Sequence[str], shotguns: Sequence[str], turn: int | None
    ) -> tuple[CupState, int]:
        """Return the state of the dice on the table, and the turn points, if a turn can lead there."""
        rules = self.rules
        state = CupState(*(tuple(map(dice.count, rules.kind_names)) for dice in (brains, feet, shotguns)))
        for kind, in_cup in zip(rules.cup, rules.dice_in_cup(state), strict=True):
            if in_cup < 0:
                dice = kind.count - in_cup
                raise InputError(f"{dice} {kind.name} dice are on the table, but there are {kind.count} in all")
        if sum(state.busted) >= rules.bust_limit:
            bust = rules.faces[rules.bust_face]
            raise InputError(
                f"{rules.bust_limit} dice that show {bust} end the turn: {argument('shotguns')} must list fewer, not"
                f" {sum(state.busted)}"
            )
        lying = rules.points * sum(state.scored)
        points = lying if turn is None else turn
        self.reachable_states.check_points(points, argument("turn"), MAX_DICE_SCORED * rules.points)
        if points < lying:
            raise InputError(f"{argument('turn')} {points} cannot occur: the dice set aside score {lying} already")
        state = rules.normal_state(state)
        # Dice that scored go back once a hand is more than what is left, so there were at least so many of them.
        fewest_returned = rules.points * (rules.die_count - rules.dice + 1 - sum(state.busted))
        returned = points - rules.points * sum(state.scored)
        if 0 < returned < fewest_returned:
            scoring = rules.faces[rules.scoring_face]
            raise InputError(
                f"{argument('turn')} {points} cannot occur: give the dice that showed {scoring} with"
                f" {argument('brains')}; they go back into the cup only if it has too few dice for a roll"
            )
        if state != rules.first_state and rules.mode_of_state(state) is None:
            least = format_count(rules.dice, "die")
            raise InputError(f"no turn leads to these dice: after a roll at least {least} are on the table")
        return state, points

    def _check_roll_of_state(self, state: CupState, roll: Counts) -> None:
        """Raise InputError for a roll that cannot be made with the dice in the hand and in the cup."""
        rules = self.rules
        kinds = rules.kinds_of_roll(roll)
        if sum(kinds) != rules.dice:
            expected = format_count(rules.dice, "die")
            raise InputError(f"expected {expected}, got {sum(kinds)}: give all that were rolled")
        for kind, rolled, in_hand, in_cup in zip(rules.cup, kinds, state.hand, rules.dice_in_cup(state), strict=True):
            if rolled < in_hand:
                again = f"the {kind.name} dice that are rolled again"
                raise InputError(f"the roll must include {again}, at least {in_hand}, not {rolled}")
            if rolled > in_hand + in_cup:
                raise InputError(f"the roll must have at most {in_hand + in_cup} {kind.name} dice, not {rolled}")

    def _values_inside_turn(self, position: PushPosition) -> dict[str, object]:
        assert isinstance(position, CupPosition)
        rules, values = self.rules, dict[str, object]()
        for name, counts in zip(("brains", "feet", "shotguns"), position.state, strict=True):
            if any(counts):
                pairs = zip(rules.kind_names, counts, strict=True)
                values[name] = [kind for kind, count in pairs for _ in range(count)]
        if position.turn != rules.points * sum(position.scored):
            values["turn"] = position.turn
        if position.roll is not None:
            values["roll"] = list(list_faces(rules, position.roll))
        return values


PLAYABLE = CupGame
