"""Push-your-luck dice games as people play them.

A player rolls, sets aside dice that score, and banks the turn points or rolls on. A roll that scores nothing ends the
turn without points. The objectives ``points``, ``rate``, ``turns`` and ``reach`` are for one player, ``win`` for
several. With the rule ``finish=last_round`` every other player has one more turn once somebody holds the target.

``Play.choices`` and the methods below it are the rules of a turn; ``Play.make`` and ``Play.tell`` read and describe
positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from ..games.push_rules import SCORING_EFFECTS, Counts, NextRoll, PushRules
from ..util.errors import InputError, argument
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, SetAside, TurnLoss, TurnRoll, TurnStop
from .choice_text import format_bust_cost, format_choice
from .playable_game import BelowMinimumError, Choice, PlayableGame, Stage, WeightedRoll, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role, has_named_faces, parse_number
from .reachable_states import MAX_TURN_POINTS, ReachableStates
from .seats import SEAT, SeatedPosition, opponents_field, scores_by_seat
from .turn_counts import parse_goal, parse_goal_and_turns, parse_turns_left, turns_left_field

THROWING = "You have decided to roll, but have not rolled yet (rarely needed; it occurs in ids)."
ONE_TURN_OBJECTIVES = ("points", "rate")  # objectives of a single turn, in which there is no target
NOTHING_SET_ASIDE = SetAside()
NO_OFFER: tuple[int, ...] = ()
EXAMPLE_UNITS = 9  # the example of a turn's result has at least as many units of points: 450 in units of 50


class _ScoringSet(NamedTuple):
    """A set that may be set aside: its dice, its points, and the roll that follows (None if the turn has to end)."""

    set_aside: SetAside
    points: int
    next_roll: NextRoll | None


@dataclass(frozen=True)
class PushPosition(SeatedPosition):
    """A position of a push-your-luck game; points are as people count them.

    Attributes:
        scores: by seat.
        seat: the player to move.
        dice: dice to roll next, or dice on the table; with dice of several kinds the number of a hand.
        turns_left: turns left of a single player whose turns count, this one included.
        turn: turn points.
        roll: counts of the faces that lie on the table; None before a roll.
        forced: True if these dice have to be rolled.
        throwing: True if the player has decided to roll.
        ended: what each seat gets in a terminal position, else ().
        busts: busts in a row by seat, () unless busts cost points.
        over: numbers of the faces that are rolled again if they show.
        offered: points and dice that the previous player left and the mover may take over, else ().
    """

    scores: tuple[int, ...]
    seat: int
    dice: int
    turns_left: int = 0
    turn: int = 0
    roll: Counts | None = None
    forced: bool = False
    throwing: bool = False
    ended: tuple[Fraction, ...] = ()
    busts: tuple[int, ...] = ()
    over: tuple[int, ...] = ()
    offered: tuple[int, ...] = NO_OFFER

    @property
    def bust_count(self) -> int:
        """Busts in a row of the player to move, before this turn."""
        return self.busts[self.seat] if self.busts else 0


class PushGame(PlayableGame[PushPosition]):
    """A push-your-luck game.

    Attributes:
        rules: the rules of a turn under this objective.
        finish: how the game ends; ``rules.finish`` may differ from it for the objectives of one turn.
        reachable_states: the scores and turn points that can occur.
        goal: the score that ends the game: the target, or the goal of the objectives ``reach`` and ``points``.
        turns: number of turns of the objective ``reach``, 0 if turns do not count.
        head_starts: the score of each seat when the game begins.
    """

    def prepare(self) -> None:
        """Adapt the rules to the objective, and list the fields of a position."""
        rules: PushRules = self.game.data
        self.finish = rules.finish
        if self.objective in ONE_TURN_OBJECTIVES:
            rules = self._rules_of_one_turn(rules)
        self.rules = rules
        self.reachable_states = ReachableStates(rules, self.parameters)
        self._set_head_starts()
        self.goal = self.reachable_states.goal
        self.turns = self.parameters.get("turns", 0)
        self.fields = tuple(self._list_fields())

    def _set_head_starts(self) -> None:
        """Take the head starts from the rules."""
        self.head_starts = (*self.game.head_starts, *(0,) * self.players)[: self.players]
        self.reachable_states.head_starts = self.head_starts

    def _rules_of_one_turn(self, rules: PushRules) -> PushRules:
        """Return the rules without a target; a roll that wins at once scores as ordinary dice then.

        In the long run (``rate``) the opening is past. Equal rules are returned as they are, because their turn may be
        compiled already.
        """
        specials = rules.specials_of_one_turn
        opening = min(rules.opening, rules.minimum) if self.objective == "rate" else rules.opening
        if (rules.finish, rules.specials, rules.opening) == ("at_least", specials, opening):
            return rules
        return replace(rules, finish="at_least", specials=specials, opening=opening)

    @property
    def reach_requires_turns(self) -> bool:
        """Return whether the number of turns is not fixed: it is if every player has one turn."""
        return not self.rules.is_one_turn

    def validate_parameters(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """Return a goal up to the target, and the number of turns to reach it: 1 if every player has one turn."""
        rules: PushRules = self.game.data
        if rules.is_one_turn and goal is None:  # there is no target that could stand for it
            raise InputError(f"the objective reach requires {argument('goal')}, the points to reach")
        if rules.is_one_turn and turns not in (None, 1):
            raise InputError(f"{argument('turns')} must be 1, not {turns}, because every player has one turn")
        return parse_goal_and_turns(goal, 1 if rules.is_one_turn else turns, rules.target)

    def validate_goal(self, goal: int) -> dict[str, int]:
        """Return a goal up to the target."""
        return {"goal": parse_goal(goal, self.game.data.target)}

    def _list_fields(self) -> Iterator[Field]:
        yield from self._fields_between_turns()
        yield from self._fields_inside_turn()

    def _fields_between_turns(self) -> Iterator[Field]:
        min_score = self.rules.bust_floor
        yield Field("score", FieldKind.POINTS, "Your score before this turn.", min_value=min_score, role=Role.SCORE)
        if self.players > 1:
            yield opponents_field(self.players, min_score)
            yield SEAT
        if self.turns:
            yield turns_left_field()
        if self.rules.bust_costs:
            yield Field("busts", FieldKind.NUMBER, "Your busts in a row before this turn.", default=0)
            if self.players > 1:
                owner = "opponent's busts in a row" if self.players == 2 else "opponents' busts in a row, in turn order"
                help_text = f"The {owner}."
                yield Field("opponents_busts", FieldKind.NUMBERS, help_text, columns=self._opponent_columns("busts"))
        if self.has_takeover:
            help_text = (
                "The points that the previous player banked and the dice left over, which you may take over: 350,2."
            )
            columns = ("offered_points", "offered_dice")
            yield Field("offered", FieldKind.NUMBERS, help_text, columns=columns, role=Role.OFFERED)

    def _fields_inside_turn(self) -> Iterator[Field]:
        help_text = "Points set aside in this turn before this roll."
        yield Field("turn", FieldKind.POINTS, help_text, is_inside_turn=True, default=0, role=Role.TURN_POINTS)
        if self.rules.kinds:
            kinds = self.rules.die_names(self.rules.dice)
            example = ",".join(kinds[-2:])
            help_text = f"Before a roll: the dice to roll next, by name and separated by commas, such as {example}."
            words = tuple(dict.fromkeys(kinds))
            yield Field("dice", FieldKind.NAMES, help_text, is_inside_turn=True, words=words, is_repeatable=True)
        else:
            help_text = "Before a roll: the number of dice to roll next."
            yield Field("dice", FieldKind.NUMBER, help_text, is_inside_turn=True, default=self.rules.dice)
        help_text = 'The dice you rolled: 11532, 1,1,5,3,2 or "1 1 5 3 2".'
        if self.rules.kinds:
            help_text = f"The dice you rolled, such as {self.rules.symbols[0]} {self.rules.symbols[-1]}."
        yield Field("roll", FieldKind.DICE, help_text, is_inside_turn=True, words=self.rules.symbols, role=Role.ROLL)
        if self.rules.then_over:
            help_text = "Faces of a set to be confirmed: a roll that shows them is rolled again."
            yield Field("over", FieldKind.DICE, help_text, is_inside_turn=True, words=self.rules.faces)
        if self.reachable_states.can_be_forced:
            yield Field("forced", FieldKind.FLAG, "You must roll these dice and may not bank now.", is_inside_turn=True)
        yield Field("throwing", FieldKind.FLAG, THROWING, is_inside_turn=True, is_column=False)

    def _opponent_columns(self, name: str) -> tuple[str, ...]:
        if self.players == 2:
            return (f"opponent_{name}",)
        return tuple(f"opponent{number}_{name}" for number in range(1, self.players))

    @property
    def fewer_is_better(self) -> bool:
        """True if lower values are better: turns, and points under ``best=lowest``."""
        return self.objective == "turns" or self.rules.best == "lowest"

    @property
    def no_points_words(self) -> str:
        """The words for a turn without points; under ``best=lowest`` it is the best result."""
        return "0 points" if self.rules.best == "lowest" else "nothing"

    # --- the rules, in the order of a turn

    def start(self) -> PushPosition:
        """Return the first turn, before which players have their head starts."""
        return self.turn_start(self.head_starts, 0, self.turns)

    def turn_start(
        self, scores: tuple[int, ...], seat: int, turns_left: int, busts: tuple[int, ...] | None = None
    ) -> PushPosition:
        """Return the position in which a turn of ``seat`` begins; without ``busts`` nobody has any."""
        if busts is None:
            busts = (0,) * self.players if self.rules.bust_costs else ()
        return PushPosition(scores, seat, self.rules.dice, turns_left, busts=busts)

    def turn_start_of(self, position: PushPosition) -> PushPosition:
        """Return the position in which the turn of ``position`` began, without an offer unless nothing has happened."""
        if self.is_turn_start(position):
            return position
        return self.turn_start(position.scores, position.seat, position.turns_left, position.busts)

    def is_turn_start(self, position: PushPosition) -> bool:
        """Return whether all dice are still to be rolled, and there are no turn points."""
        is_untouched = position.turn == 0 and position.dice == self.rules.dice and position.roll is None
        return is_untouched and not (position.forced or position.throwing or position.ended)

    def stage(self, position: PushPosition) -> Stage:
        """Return the stage; a turn begins with a roll unless the player chooses dice or may take a turn over."""
        if position.ended:
            return Stage.TERMINAL
        begins_with_roll = self.is_turn_start(position) and not (self.rules.chooses_dice or position.offered)
        if position.roll is None and (position.throwing or position.forced or begins_with_roll):
            return Stage.CHANCE
        return Stage.DECISION

    def rolls(self, position: PushPosition) -> Iterator[WeightedRoll[PushPosition]]:
        """Yield every roll of the dice, by the counts of its faces."""
        for roll, weight in self._rolls_of(NextRoll(position.dice, rerolled_faces=position.over)):
            yield weight, self._after_roll(position, roll)

    def roll_at(self, position: PushPosition, number: int) -> PushPosition:
        """Return the position after one roll; many dice have a hundred thousand rolls."""
        roll, _ = self._rolls_of(NextRoll(position.dice, rerolled_faces=position.over))[number]
        return self._after_roll(position, roll)

    def explain_reroll(self, position: PushPosition, roll: Sequence[str]) -> str:
        """Return why a roll does not count: the rules say so, or it shows a face that is rolled again."""
        counts = tuple(map(roll.count, self.rules.symbols))
        is_possible = any(counts == possible for possible, _ in self.rules.rolls(position.dice))
        if self.rules.is_standing(counts, position.over) or not is_possible:
            return ""
        return "does not count; roll the same dice again"

    def _after_roll(self, position: PushPosition, roll: Counts) -> PushPosition:
        return replace_fields(position, roll=roll, forced=False, throwing=False, over=(), offered=NO_OFFER)

    def choices(self, position: PushPosition) -> tuple[Choice[PushPosition], ...]:
        """Return choices that end the turn before rolls, more points before fewer, fewer dice set aside before more."""
        rules = self.rules
        if position.offered:
            points, dice = position.offered
            take_over = self._roll_choice(NOTHING_SET_ASIDE, position, points, NextRoll(dice), taken_points=points)
            return take_over, self._roll_choice(NOTHING_SET_ASIDE, position, 0, NextRoll(rules.dice))
        if position.roll is None and rules.chooses_dice:
            sizes = range(1, rules.dice + 1)
            choices = [self._roll_choice(NOTHING_SET_ASIDE, position, 0, NextRoll(size)) for size in sizes]
        elif position.roll is None:
            choices = [*self._bank_or_roll(NOTHING_SET_ASIDE, position, position.turn, NextRoll(position.dice))]
        elif (effect := rules.special_effect(position.roll)) and effect not in SCORING_EFFECTS:
            return (self._special_choice(effect, position),)
        else:
            choices = []
            for scoring_set in self._scoring_sets(position.roll):
                turn_points = max(0, position.turn + scoring_set.points)
                if turn_points <= self.max_turn_points(position):
                    set_aside = scoring_set.set_aside
                    choices += self._bank_or_roll(set_aside, position, turn_points, scoring_set.next_roll)
        if not choices:
            return (make_choice(ChoiceKind.BUST, self.bust_data(position), self._bust(position)),)
        return tuple(sorted(choices, key=lambda choice: choice.kind is ChoiceKind.ROLL))

    def max_turn_points(self, position: PushPosition) -> float:
        """Return the most turn points that are allowed; a set that passes them may not be set aside."""
        if self.rules.finish == "exact":
            return self.rules.target - position.score
        return self.rules.bust_above or math.inf

    def _rolls_of(self, roll: NextRoll) -> tuple[tuple[Counts, int], ...]:
        if roll not in self._rolls:
            self._rolls[roll] = tuple(self.rules.standing_rolls(roll))
        return self._rolls[roll]

    @cached_property
    def _rolls(self) -> dict[NextRoll, tuple[tuple[Counts, int], ...]]:
        return {}

    def _scoring_sets(self, roll: Counts) -> list[_ScoringSet]:
        """Return the sets that may be set aside from a roll; a special roll scores as a whole or not at all."""
        if roll not in self._sets_of_rolls:
            rules = self.rules
            hand = rules.hand_number(roll)
            if special := rules.special_roll(roll):
                keep = list_faces(rules, roll) if special.effect != "same" else ()
                next_roll = rules.roll_after_special(hand, special.effect)
                whole = _ScoringSet(self._set_aside(keep, special.name), special.points, next_roll)
                self._sets_of_rolls[roll] = [whole] if special.effect in SCORING_EFFECTS else []
            else:
                self._sets_of_rolls[roll] = [
                    _ScoringSet(
                        self._set_aside(list_faces(rules, counts), rules.set_name(counts)),
                        rules.set_points(counts),
                        rules.roll_after_set(hand, counts),
                    )
                    for counts in rules.sets_of(roll)
                ]
        return self._sets_of_rolls[roll]

    @cached_property
    def _sets_of_rolls(self) -> dict[Counts, list[_ScoringSet]]:
        return {}

    def _set_aside(self, dice: tuple[str, ...], name: str) -> SetAside:
        return SetAside(dice, name, has_named_faces(self.rules.faces)) if dice else NOTHING_SET_ASIDE

    def _bank_or_roll(
        self, set_aside: SetAside, position: PushPosition, turn_points: int, next_roll: NextRoll | None
    ) -> Iterator[Choice[PushPosition]]:
        """Yield the choices to bank (or stop) and to roll on, as far as they are allowed, once dice are set aside."""
        counts = turn_points >= self.min_bank(position)
        if self.rules.can_stop(next_roll, counts):
            kind = ChoiceKind.BANK if counts else ChoiceKind.STOP
            scored = turn_points if counts else 0
            left = (turn_points, next_roll.dice) if counts and next_roll is not None else NO_OFFER
            after = self._end_turn(position, position.score + scored, scored, left=left)
            yield make_choice(kind, TurnStop(set_aside, scored), after, set_aside.dice, turn_points)
        if next_roll is not None:
            yield self._roll_choice(set_aside, position, turn_points, next_roll)

    def _roll_choice(
        self, set_aside: SetAside, position: PushPosition, turn_points: int, next_roll: NextRoll, taken_points: int = 0
    ) -> Choice[PushPosition]:
        """Return the choice to roll on; the turn points are ``taken_points`` if the turn is taken over."""
        dice, forced, over = next_roll
        after = replace_fields(
            position,
            dice=dice,
            turn=turn_points,
            roll=None,
            forced=forced,
            throwing=not forced,
            over=over,
            offered=NO_OFFER,
        )
        kind = ChoiceKind.TAKE_OVER if taken_points else ChoiceKind.ROLL
        data = self._roll_data(set_aside, dice, turn_points, over, taken_points)
        return make_choice(kind, data, after, set_aside.dice, turn_points, data.dice)

    def _roll_data(
        self, set_aside: SetAside, dice: int, turn_points: int, over: tuple[int, ...], taken_points: int = 0
    ) -> TurnRoll:
        """Return which dice are rolled; they are fresh if there are turn points and all dice are rolled."""
        rules = self.rules
        return TurnRoll(
            set_aside,
            dice=rules.hand_size(dice),
            dice_kinds=tuple(rules.die_names(dice)) if rules.kinds else (),
            is_fresh=turn_points != 0 and dice == rules.dice > 1,
            thrown_over=tuple(rules.faces[face] for face in over),
            taken_points=taken_points,
        )

    def _special_choice(self, effect: str, position: PushPosition) -> Choice[PushPosition]:
        """Return the only choice after a roll that wins, busts or loses the whole score by a rule of its own."""
        special = TurnLoss(is_special=True)
        if effect == "win":
            return make_choice(ChoiceKind.WIN, special, self._end_with_winner(position))
        if effect == "wipe":
            return make_choice(ChoiceKind.WIPE, special, self._end_turn(position, 0))
        loss = self.bust_data(position)._replace(is_special=True)
        return make_choice(ChoiceKind.BUST, loss, self._bust(position))

    def _bust(self, position: PushPosition) -> PushPosition:
        """Return the position after a bust, which may cost points."""
        rules, bust_count = self.rules, position.bust_count
        score, new_bust_count = rules.after_bust(position.score, bust_count)
        lost_points = rules.bust_costs[bust_count] if rules.bust_costs else 0
        return self._end_turn(position, score, -lost_points, new_bust_count)

    def bust_data(self, position: PushPosition) -> TurnLoss:
        """Return what a bust costs, and its number in a row if that matters."""
        costs, count = self.rules.bust_costs, position.bust_count
        if not costs:
            return TurnLoss()
        number = count + 1 if len(costs) > 1 else 0
        if self.objective in ONE_TURN_OBJECTIVES:
            return TurnLoss(costs[count], number)
        lost_points = position.score - self.rules.after_bust(position.score, count)[0]
        return TurnLoss(lost_points, number, spared=costs[count] - lost_points)

    def min_bank(self, position: PushPosition) -> int:
        """Return the fewest turn points that can be banked for a score.

        That is the opening or the minimum, unless the rules waive them in the turn that wins.
        """
        rules, score = self.rules, position.score
        opening_or_minimum = rules.minimum if score > 0 else max(rules.opening, rules.minimum)
        min_bank = max(rules.best == "highest", opening_or_minimum)
        if self.objective in ONE_TURN_OBJECTIVES or rules.minimum_on_win:
            return min_bank
        return 1 if self._is_last_turn(position) else min(min_bank, max(1, rules.target - score))

    def _is_last_turn(self, position: PushPosition) -> bool:
        """Return whether an opponent has started the last round."""
        return self.rules.finish == "last_round" and any(
            score >= self._goal_of(seat) for seat, score in enumerate(position.scores) if seat != position.seat
        )

    def _goal_of(self, seat: int) -> int:
        """Return the score with which a seat ends the game."""
        return self.goal

    def _reachable_states_of(self, seat: int) -> ReachableStates:
        """Return the scores that a seat can have."""
        return self.reachable_states

    def _end_turn(
        self,
        position: PushPosition,
        score: int,
        banked: int = 0,
        bust_count: int = 0,
        left: tuple[int, ...] = NO_OFFER,
    ) -> PushPosition:
        """Return the position after the turn: the turn of the next player, or the end of the game.

        Args:
            position: any position of the turn.
            score: the score of the player now.
            banked: points that the turn brought, negative if it cost points.
            bust_count: busts in a row of the player now.
            left: points and dice left over, which the next player may take over.
        """
        seat = position.seat
        next_seat = (seat + 1) % self.players
        scores = (*position.scores[:seat], score, *position.scores[seat + 1 :])
        busts = (*position.busts[:seat], bust_count, *position.busts[seat + 1 :]) if position.busts else ()
        if self.objective in ONE_TURN_OBJECTIVES:
            points = min(banked, self.goal - position.score) if self.parameters else banked
            payoff = -points if self.rules.best == "lowest" else points
            return replace_fields(self.turn_start(position.scores, seat, 0, busts), ended=(Fraction(payoff),))
        has_last_round = self.rules.finish == "last_round" and self.players > 1
        next_turn = self.turn_start(scores, next_seat, max(0, position.turns_left - 1), busts)
        offered = left if left and self._may_take_over(next_turn, left[0]) else NO_OFFER
        if score >= self.goal and not has_last_round:
            # The offer is kept, so that equal endings of other turns are equal positions.
            return replace_fields(self._end_with_winner(replace_fields(position, scores=scores)), offered=offered)
        if self.turns and position.turns_left == 1:
            return replace_fields(self.turn_start(scores, seat, 0, busts), ended=(Fraction(0),))
        if has_last_round and scores[next_seat] >= self._goal_of(
            next_seat
        ):  # the player who reached the target first comes next
            best = max(scores)
            shares = tuple(Fraction(int(total == best), scores.count(best)) for total in scores)
            return replace_fields(self.turn_start(scores, next_seat, 0), ended=shares)
        return replace_fields(next_turn, offered=offered) if offered else next_turn

    @property
    def has_takeover(self) -> bool:
        """True if a player may take over the turn of the player before."""
        return self.rules.take_over != "none" and self.players > 1

    def _may_take_over(self, position: PushPosition, points: int) -> bool:
        """Return whether the player to move may take over a turn with these points."""
        rules = self.rules
        is_open = rules.take_over == "free" or position.score > 0
        fits = rules.finish != "exact" or position.score + points <= rules.target
        return self.has_takeover and is_open and fits

    def _end_with_winner(self, position: PushPosition) -> PushPosition:
        """Return the end of the game, which the player to move has won."""
        shares = tuple(Fraction(int(seat == position.seat)) for seat in range(self.players))
        return replace_fields(self.turn_start(position.scores, position.seat, 0), ended=shares)

    # --- whole turns, and what can go wrong

    def describe_progress(self, position: PushPosition) -> str:
        """Return how many turns are left, if turns count."""
        return f"{format_count(position.turns_left, 'turn')} left" if position.turns_left else ""

    @property
    def _special_results(self) -> set[str]:
        """Results of a whole turn that special rolls make possible."""
        return {special.effect for special in self.rules.specials} & {"win", "wipe"}

    def describe_turn_results(self, position: PushPosition) -> str:
        """Return the results that can be entered: points, bust, and what special rolls do, with an example."""
        return self._turn_results(self._example_result(position))

    def _turn_results(self, example: str = "") -> str:
        """Return the results that can be entered, with an example of points if there is one."""
        points = "the number of points banked"
        if self.has_takeover:
            points += " and of dice left over"
        if example:
            points += f", such as {example}"
        *results, final = points, "bust", *sorted(self._special_results)
        return f"{', '.join(results)}, or {final}"

    def _example_result(self, position: PushPosition) -> str:
        """Return points that a turn from here can bank, such as 450; "" if none of the usual ones can be banked."""
        grain = self.rules.grain
        units = max(EXAMPLE_UNITS, -(-self.min_bank(position) // grain))
        for points in range(units * grain, (units + EXAMPLE_UNITS) * grain, grain):
            with suppress(InputError):
                self.play_whole_turn(position, str(points))
                return str(points)
        return ""

    def result_question(self, position: PushPosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        return "how many points did they bank?"

    def play_whole_turn(self, position: PushPosition, result_text: str) -> PushPosition:
        """Return the position after a turn that brought points, ``bust`` or 0, ``win`` or ``wipe``."""
        rules, word = self.rules, result_text.strip().lower()
        if word in self._special_results:
            return self._end_with_winner(position) if word == "win" else self._end_turn(position, 0)
        result = word.removeprefix("bank ")
        points_text, *dice_texts = (result.split() or [""]) if self.has_takeover else [result]
        points = 0 if word == "bust" else parse_number(points_text, "points")
        if not points:
            is_bust = word == "bust" or rules.bust_costs
            return self._bust(position) if is_bust else self._end_turn(position, position.score)
        self.reachable_states.check_points(points, "the points of a turn", MAX_TURN_POINTS)
        units, points_before = points // rules.grain, self.reachable_states.modes_by_points(points)
        if rules.bust_above and points > rules.bust_above:
            raise InputError(
                f"a turn cannot score {points} points: a turn with more than {rules.bust_above} points is lost"
            )
        rolls = [roll for roll, reachable in points_before.items() if reachable >> units & 1]
        last_rolls = [roll for roll in rolls if rules.can_stop(roll, True)]
        if not last_rolls:
            raise InputError(f"a turn cannot score {points} points; check the points")
        min_bank = self.min_bank(replace_fields(position, turn=points))
        if points < min_bank:
            raise BelowMinimumError(
                f"{points} points are too few to bank: the minimum is {min_bank}; for no points, type bust"
            )
        if rules.finish == "exact" and position.score + points > rules.target:
            raise InputError(
                f"a bank of {points} points would pass the target of {rules.target:,}; check the points, or type bust"
            )
        left = self._read_left_over(points, dice_texts, [roll.dice if roll else 0 for roll in last_rolls])
        return self._end_turn(position, position.score + points, points, left=left)

    def recorded_result(self, position: PushPosition, result_text: str) -> str:
        """Return a result of a turn as game files record it: ``450`` for ``bank 450``."""
        return result_text.strip().lower().removeprefix("bank ")

    def explain_result(self, position: PushPosition, result_text: str) -> str:
        """Return what a bust costs, and its number in a row; "" for other results, and if busts cost nothing."""
        if result_text not in ("bust", "0") or not self.rules.bust_costs:
            return ""
        loss = self.bust_data(position)
        is_notable = loss.cost or loss.spared or loss.number > 1
        return format_bust_cost(loss).removeprefix("and ") if is_notable else ""

    def _read_left_over(self, points: int, dice_texts: Sequence[str], possible_dice: Sequence[int]) -> tuple[int, ...]:
        """Return the points and dice that a turn leaves to the next player, () if it leaves none."""
        if not self.has_takeover:
            return NO_OFFER
        if len(dice_texts) != 1:
            raise InputError(f"add the number of dice left over, 0 for none, such as turn {points} {possible_dice[0]}")
        dice = parse_number(dice_texts[0], "dice left over")
        if dice not in possible_dice:
            raise InputError(
                f"a turn cannot score {points} points with {format_count(dice, 'die')} left over; check both numbers"
            )
        return (points, dice) if dice else NO_OFFER

    def mishap_probability(self, position: PushPosition) -> Fraction:
        """Return the probability that the next roll is a bust."""
        room = self.max_turn_points(position) - position.turn
        roll = NextRoll(position.dice, rerolled_faces=position.over)
        if (roll, room) not in self._bust_probabilities:
            self._bust_probabilities[roll, room] = self._bust_probability(roll, room)
        return self._bust_probabilities[roll, room]

    @cached_property
    def _bust_probabilities(self) -> dict[tuple[NextRoll, float], Fraction]:
        return {}

    def _bust_probability(self, roll: NextRoll, room: float) -> Fraction:
        """Return the probability that no set of at most ``room`` points may be set aside after a roll."""
        rules = self.rules

        def is_bust(counts: Counts) -> bool:
            if special := rules.special_roll(counts):
                return special.effect == "bust" or (special.effect in SCORING_EFFECTS and special.points > room)
            return all(rules.set_points(scoring_set) > room for scoring_set in rules.sets_of(counts))

        if rules.is_sum_of_faces and roll == NextRoll(roll.dice):  # many dice have a hundred thousand rolls
            allowed_weight = sum(
                weight for points, weight in rules.weights_by_points[roll.dice].items() if points <= room
            )
            return 1 - Fraction(allowed_weight, sum(rules.weights) ** roll.dice)
        return self._probability(roll, is_bust)

    def wipe_probability(self, position: PushPosition) -> Fraction | None:
        """Return the probability that the next roll loses the whole score; None if no roll does."""
        if not self.rules.has_effect("wipe"):
            return None
        roll = NextRoll(position.dice, rerolled_faces=position.over)
        return self._probability(roll, lambda counts: self.rules.special_effect(counts) == "wipe")

    def can_lose(self, position: PushPosition) -> bool:
        """Return whether the next roll can lose the turn points."""
        return self.mishap_probability(position) > 0 or bool(self.wipe_probability(position))

    def _probability(self, roll: NextRoll, is_event: Callable[[Counts], bool]) -> Fraction:
        rolls = self._rolls_of(roll)
        event_weight = sum(weight for counts, weight in rolls if is_event(counts))
        return Fraction(event_weight, sum(weight for _, weight in rolls))

    def classify_roll(self, after_roll: PushPosition, turn_points: int) -> str:
        """Return "wipe", "bust" (also without turn points), or "" for a roll that does not go wrong."""
        first = self.choices(after_roll)[0]
        if first.kind is ChoiceKind.WIPE:
            return "wipe"
        return "bust" if first.kind is ChoiceKind.BUST else super().classify_roll(after_roll, turn_points)

    def explain_no_bank(self, position: PushPosition) -> str:
        """Return the minimum, if it alone keeps the player from banking."""
        if self.stage(position) is not Stage.DECISION:
            return ""
        choices, min_bank = self.choices(position), self.min_bank(position)
        kinds = {choice.kind for choice in choices}
        must_roll = (
            kinds == {ChoiceKind.ROLL}
            and position.roll is not None
            and min_bank > 1
            and all(choice.points < min_bank for choice in choices)
            and any(self.rules.can_stop(NextRoll(choice.after.dice, choice.after.forced), True) for choice in choices)
        )
        if not must_roll and kinds != {ChoiceKind.STOP, ChoiceKind.ROLL}:
            return ""
        return f"A bank needs at least {self.min_bank(position):,} points."

    def note(self, position: PushPosition) -> str:
        """Return a note on a bust, on faces that are rolled again, or on dice that may have to be rolled."""
        if position.roll is None:
            if position.over:
                return f"A roll that shows {self.rules.describe_faces(position.over)} is rolled again."
            if position.forced or not self.reachable_states.throws_with(position.dice, position.turn)[1]:
                return ""
            return "You may stop here, unless the last roll forces you to roll again: then add the field forced."
        if self.rules.special_roll(position.roll):
            return ""
        is_bust = self.choices(position)[0].kind is ChoiceKind.BUST
        return "No dice of this roll may be set aside." if is_bust else ""

    def describe_roll(self, position: PushPosition) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        data = self.roll_data(position)
        return format_choice(ChoiceKind.ROLL, data), data.dice

    def roll_data(self, position: PushPosition) -> TurnRoll:
        """Return which dice are rolled before a roll."""
        return self._roll_data(NOTHING_SET_ASIDE, position.dice, position.turn, position.over)

    def decision_before_roll(self, position: PushPosition) -> PushPosition | None:
        """Return the position before the player decided to roll these dice."""
        if self.rules.chooses_dice and position.throwing:
            return self.turn_start_of(position)
        return replace_fields(position, throwing=False) if position.throwing else None

    def mode_and_roll(self, position: PushPosition) -> tuple[int, int]:
        """Return the mode of the turn model before a roll, and the index of the roll in that mode."""
        if self.rules.chooses_dice:
            return self.rules.dice_choice_mode, position.dice - 1
        return self.rules.mode_of(NextRoll(position.dice, position.forced, position.over)), 0

    def most_points_keep(self, position: PushPosition) -> tuple[str, ...] | None:
        """Return the dice with the most points that may be kept, if a roll has no sets to choose from (``sets_of``)."""
        return None

    # --- turns that offer the same

    def turn_key(self, start: PushPosition) -> Hashable:
        """Return what the choices of a turn depend on besides its rolls.

        These are the room below the target, the least bank, whether losing the whole score is only a bust, the busts in
        a row, and what a bust takes from the score. If turns can be taken over, the offers to and from the player count
        too.
        """
        room = self.max_turn_points(start) if self.rules.finish == "exact" else None
        is_wipe_a_bust = self.rules.has_effect("wipe") and not start.score
        key = room, self.min_bank(start), is_wipe_a_bust, start.bust_count, self.bust_data(start)
        if not self.has_takeover:
            return key
        next_player_key = start.opponents if room is not None else start.opponents[0] > 0
        return *key, start.offered, next_player_key, self._is_last_turn(start)

    def move_to_turn(self, position: PushPosition, start: PushPosition) -> PushPosition:
        """Return a position of the turn with the scores of another turn."""
        return replace_fields(
            position, scores=start.scores, seat=start.seat, turns_left=start.turns_left, busts=start.busts
        )

    def position_after_choice(
        self, decision: PushPosition, number: int, choice: Choice[PushPosition], start: PushPosition
    ) -> PushPosition:
        """Return where a choice leads in a turn with other scores; a bank adds its points to them."""
        if choice.kind in (ChoiceKind.BANK, ChoiceKind.STOP):
            scored = choice.points if choice.kind is ChoiceKind.BANK else 0
            return self._end_turn(start, start.score + scored, scored, left=choice.after.offered)
        return super().position_after_choice(decision, number, choice, start)

    def with_turn_points(self, position: PushPosition, points: int) -> PushPosition:
        """Return the position with other turn points."""
        return replace_fields(position, turn=points)

    # --- positions as data

    def position_from_fields(
        self,
        score: int | None = None,
        opponents: Sequence[int] | None = None,
        seat: int = 0,
        turns_left: int | None = None,
        busts: int = 0,
        opponents_busts: Sequence[int] | None = None,
        offered: Sequence[int] | None = None,
        turn: int = 0,
        dice: int | Sequence[str] | None = None,
        roll: Sequence[str] | None = None,
        forced: bool | None = None,
        over: Sequence[str] | None = None,
        throwing: bool = False,
    ) -> PushPosition:
        """Return the position with these field values; an error says what can occur."""
        if seat >= self.players:
            raise InputError(
                f"{argument('seat')} must be between 0 (the player who began) and {self.players - 1}, not {seat}"
            )
        scores = self._read_scores(score, opponents, seat)
        self._check_scores(scores, seat)
        counts = None if roll is None else tuple(roll.count(face) for face in self.rules.symbols)
        left = parse_turns_left(turns_left, self.turns)
        size = self.reachable_states.read_dice(turn, dice, counts)
        if self.rules.chooses_dice and dice is not None and roll is None:
            throwing = True
        busts_by_seat = self.reachable_states.read_busts(busts, opponents_busts, seat, self.players)
        start = self.turn_start(scores, seat, left, busts_by_seat)
        position = replace_fields(start, dice=size, turn=turn, roll=counts)
        faces = None if over is None else tuple(sorted({self.rules.faces.index(face) for face in over}))
        position = self._inside_turn(position, forced, faces, throwing)
        return position if offered is None else self._with_offer(position, offered)

    def _read_scores(self, score: int | None, opponents: Sequence[int] | None, seat: int) -> tuple[int, ...]:
        """Return the scores by seat, as the player in ``seat`` gives them; scores left out are head starts."""
        starts = (*self.head_starts[seat:], *self.head_starts[:seat])
        return scores_by_seat(
            starts[0] if score is None else score, starts[1:] if opponents is None else opponents, seat, self.players
        )

    def _check_scores(self, scores: Sequence[int], seat: int) -> None:
        """Raise InputError if a score cannot occur when ``seat`` is to move."""
        for owner, score in enumerate(scores):
            is_own = owner == seat
            may_pass_target = not is_own and self.rules.finish == "last_round"
            # A player after one who has reached the target has had the last turn. If the winning turn needs no
            # minimum, this player may have banked any number of points in it.
            players_before = ((seat + turns) % self.players for turns in range(1, (owner - seat) % self.players))
            had_last_turn = any(scores[player] >= self._goal_of(player) for player in players_before)
            any_bank = may_pass_target and not self.rules.minimum_on_win and had_last_turn
            whose = argument("score") if is_own else argument("opponents")
            states = self._reachable_states_of(owner)
            states.check_score(score, whose, past_target=may_pass_target, any_bank=any_bank)

    def _with_offer(self, position: PushPosition, offered: Sequence[int]) -> PushPosition:
        """Return the start of a turn with an offer to take over points and dice."""
        rules = self.rules
        if not self.is_turn_start(position):
            raise InputError(
                f"{argument('offered')} describes the start of a turn; leave it out, or leave out {argument('turn')},"
                f" {argument('dice')} and {argument('roll')}"
            )
        if len(offered) != 2:
            raise InputError(
                f"{argument('offered')}: expected points and dice left over, such as 350,2; got {len(offered)} numbers"
            )
        points, dice = offered
        self.reachable_states.check_points(points, argument("offered"))
        before = replace_fields(position, seat=(position.seat - 1) % self.players)
        before = replace_fields(
            before, scores=scores_by_seat(before.score - points, before.opponents, before.seat, self.players)
        )
        if before.score < rules.bust_floor:
            raise InputError(
                f"{argument('offered')} cannot be {points} points: the score of the previous player is only"
                f" {before.score + points}"
            )
        if before.bust_count:
            raise InputError(
                f"{argument('offered')} requires {argument('opponents_busts')} to be 0 for the previous player, who has"
                " just banked"
            )
        whose = f"the previous player's score without the points of {argument('offered')}"
        self.reachable_states.check_score(before.score, whose, past_target=False)
        is_reachable = self.reachable_states.modes_by_points(points).get(NextRoll(dice), 0) >> points // rules.grain & 1
        if points < self.min_bank(before) or not is_reachable:
            dice_left = format_count(dice, "die")
            raise InputError(
                f"{argument('offered')} cannot be {points},{dice}: no turn banks {points} points with {dice_left} left"
            )
        if not self._may_take_over(position, points):
            why = "it would pass the target" if rules.finish == "exact" and position.score else "you have no points yet"
            raise InputError(f"{argument('offered')} {points},{dice} cannot be taken over: {why}")
        return replace_fields(position, offered=(points, dice))

    def _inside_turn(
        self, position: PushPosition, forced: bool | None, over: tuple[int, ...] | None, throwing: bool
    ) -> PushPosition:
        """Return the position with its flags, after a check of turn points, dice and roll.

        Args:
            position: scores, turn points, dice and roll.
            forced: whether the dice have to be rolled; None if that is not given.
            over: faces that are rolled again; None if they are not given.
            throwing: whether the player has decided to roll.
        """
        rules, turn, dice = self.rules, position.turn, position.dice
        self._check_turn_points(position)
        if (forced or over) and position.roll is not None:
            name = "forced" if forced else "over"
            raise InputError(
                f"{argument(name)} cannot be combined with {argument('roll')}: it describes a roll that is"
                " still to be made"
            )
        is_free, forced_rolls = self.reachable_states.throws_with(dice, turn)
        if over is not None and NextRoll(dice, True, over) not in forced_rolls:
            faces = rules.describe_faces(over) or "nothing"
            raise InputError(
                f"{argument('over')} cannot be {faces} with {argument('turn')} {turn} and"
                f" {rules.describe_hand(dice)} to roll"
            )
        if forced is not None and not (forced_rolls if forced else is_free):
            why = "this roll is never forced" if forced else "this roll is always forced"
            hand = rules.describe_hand(dice)
            raise InputError(
                f"{argument('forced')} cannot be {str(forced).lower()} with {argument('turn')} {turn} and"
                f" {hand} to roll: {why}"
            )
        if turn > self.max_turn_points(position):
            raise InputError(
                f"{argument('turn')} must be at most {self.max_turn_points(position)}, not {turn}: a turn with"
                " more points is lost"
            )
        if position.roll is not None:  # a position with a roll does not say whether the roll had to be made
            if throwing:
                raise InputError(
                    f"{argument('throwing')} cannot be combined with {argument('roll')}: the dice have already"
                    " been rolled"
                )
            self._check_roll(position.roll, bool(is_free), forced_rolls)
            return position
        if forced or over or not is_free:
            return replace_fields(position, forced=True, over=self.reachable_states.thrown_over(over, forced_rolls))
        has_decided = self.rules.chooses_dice or self.has_takeover or not self.is_turn_start(position)
        return replace_fields(position, throwing=throwing and has_decided)

    def _check_turn_points(self, position: PushPosition) -> None:
        rules, turn = self.rules, position.turn
        self.reachable_states.check_points(turn, argument("turn"), MAX_TURN_POINTS)
        if rules.finish == "exact" and position.score + turn > rules.target:
            raise InputError(
                f"{argument('turn')} must be at most {rules.target - position.score} with a score of"
                f" {position.score}, not {turn}:"
                " no set may be taken that would pass the target"
            )
        if rules.bust_above and turn > rules.bust_above:
            raise InputError(
                f"{argument('turn')} must be at most {rules.bust_above}, not {turn}: a turn with more points is lost"
            )

    def _check_roll(self, roll: Counts, is_free: bool, forced_rolls: Sequence[NextRoll]) -> None:
        """Raise InputError for a roll that would have been made again."""
        rules = self.rules
        if not rules.is_standing(roll, ()):
            raise InputError("this roll does not count and is rolled again; describe the position before it")
        if not is_free and not any(rules.is_standing(roll, forced_roll.rerolled_faces) for forced_roll in forced_rolls):
            raise InputError(
                "this roll shows faces of the set to be confirmed and is rolled again; describe the position before it"
            )

    def to_dict(self, position: PushPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        return {
            **self._values_between_turns(position),
            **self._values_inside_turn(position),
            **{name: True for name in ("forced", "throwing") if getattr(position, name)},
        }

    def _values_between_turns(self, position: PushPosition) -> dict[str, Any]:
        values: dict[str, Any] = {"score": position.score}
        if self.players > 1:
            values["opponents"] = list(position.opponents)
        if position.seat:
            values["seat"] = position.seat
        if position.turns_left != self.turns:
            values["turns_left"] = position.turns_left
        if position.busts:
            values["busts"] = position.bust_count
            if self.players > 1:
                values["opponents_busts"] = [*position.busts[position.seat + 1 :], *position.busts[: position.seat]]
        if position.offered and not position.ended:
            values["offered"] = list(position.offered)
        return values

    def _values_inside_turn(self, position: PushPosition) -> dict[str, Any]:
        rules, values = self.rules, dict[str, Any]()
        has_chosen_dice = position.dice != rules.dice or (position.throwing and rules.chooses_dice)
        if position.turn or has_chosen_dice or position.roll is not None or position.forced:
            values["turn"] = position.turn
            if position.roll is None or not rules.kinds:  # else the roll says which dice there are
                values["dice"] = rules.die_names(position.dice) if rules.kinds else position.dice
        if position.roll is not None:
            values["roll"] = list(list_faces(rules, position.roll))
        if position.over:
            values["over"] = [rules.faces[face] for face in position.over]
        return values


def list_faces(rules: PushRules, counts: Counts) -> tuple[str, ...]:
    """Return the faces of a set or roll, from its counts, in the order of the rules."""
    return tuple(face for face, count in zip(rules.symbols, counts, strict=True) for _ in range(count))


PLAYABLE = PushGame
