"""Explanations: what two choices of a position lead to, in a few sentences of numbers.

For a choice that rolls: the probability that the roll goes wrong, the value that is left then, and the mean value
otherwise. If rolls do not simply go wrong: how the turn ends under optimal play, with the boxes that it fills or the
points that it brings. For a choice that ends the turn: its value, and the scores after it. Every number is a field of
``Reasons`` or follows from its fields. The explanation of a scorecard begins with the reason of ``card_reasons``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..play.choice_kinds import ChoiceKind
from ..play.input_parser import find_by_words, parse_choice, scores_from_mover
from ..play.playable_game import Choice, PlayableGame, find_choice
from ..play.position_fields import Role
from ..solving.solved_problem import SolvedProblem
from ..util.errors import InputError, abbreviate
from ..util.number_format import format_count, format_loss, format_percent, format_value, format_value_in_sentence
from .advice import Advice, RankedChoice
from .card_reasons import describe_box_given_up, describe_boxes, describe_reason, is_sum_of_boxes
from .positions import BestPlay, advise, choices_of, seat_values_of
from .sides import Side
from .turn_endings import endings

LOST = ("bust", "wipe")  # the ways in which a roll goes wrong
NO_CHOICE = "There is nothing to choose"
MAX_LISTED_CHOICES = 6  # in a message


@dataclass(frozen=True)
class Reasons:
    """Why the best choice is better than another one.

    Attributes:
        objective: the objective.
        best: the best choice.
        other: the choice that it is compared with; None if there is only one.
        lead: the points that the mover is ahead of the best opponent before the choice; None without opponents.
        missing: the points that are missing to the goal; None if there is none.
        turns: the turns left for them, if they are counted.
        note: what the rules have to say.
        bust: the word for a mishap ("busts").
        turn: the word for what a turn does with points ("scores").
        reason: for a scorecard, the sentence with the aim of the best choice, and why it is better; else "".
        no_points: the words for a turn without points ("nothing").
        span: the words after a value in points (" in the end").
    """

    objective: str
    best: Side
    other: Side | None
    lead: int | None
    missing: int | None
    turns: int | None
    note: str
    bust: str
    turn: str
    reason: str = ""
    no_points: str = "nothing"
    span: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the numbers, and the sentences."""
        fields = asdict(self)
        for name in ("reason", "no_points", "span"):
            del fields[name]  # the text has them
        return {**fields, "text": self.text}

    @property
    def text(self) -> str:
        """The reasons in a few sentences."""
        return self.text_about("you", "are", "need")

    def text_about(self, mover: str, is_now: str, needs: str) -> str:
        """Return the reasons in a few sentences.

        Args:
            mover: the player whose choice it is, as the subject of a sentence.
            is_now: the form of "be" after that subject.
            needs: the form of "need" after it.
        """
        best = _capitalize(f"{self.best.action}: this {self._describe(self.best)}")
        if self.other is None:
            sentences = [best if self.note.startswith(NO_CHOICE) else f"{NO_CHOICE}. {best}"]
        else:
            loss = "just as good" if self.other.tie else f"{format_loss(self.other.loss, self.objective)} worse"
            beginning = [self.reason, f"The best choice {self._describe(self.best)}"] if self.reason else [best]
            other = _capitalize(f"{self.other.action}: this {self._describe(self.other)}")
            sentences = [*beginning, f"{other}; that is {loss}", *describe_box_given_up(self.best, self.other)]
        if self.lead is not None:
            points = format_count(abs(self.lead), "point")
            standing = f"{points} {'ahead' if self.lead > 0 else 'behind'}" if self.lead else "level"
            sentences.append(f"Before this turn {mover} {is_now} {standing}")
        if self.missing is not None:
            noun = "point" if self.missing == 1 else "points"
            turns = "" if self.turns is None else f" in {format_count(self.turns, 'turn')}"
            sentences.append(f"Before this turn {mover} {needs} {self.missing:,} more {noun}{turns}")
        return ". ".join(sentences) + "." + (f" {self.note}" if self.note else "")

    def _describe(self, side: Side) -> str:
        """Return in words, from the verb on, what a choice leads to: its value, its risks, and how the turn ends."""
        value = f"{format_value_in_sentence(side.value, self.objective)}{self.span}"
        if side.mishap is None:
            verb = "leads to" if self.objective == "points" or not side.ends else "leaves"
            return f"{verb} {value}{self._describe_scores(side)}{self._describe_endings(side)}"
        # The words for a risk, its probability, and the mean value that is left then (None if it is not known).
        risks = [(self.bust, side.mishap, side.wrong), ("loses the whole score", side.wipe, side.wiped)]
        risks_in_words = []
        for words, chance, value_left in risks:
            if chance:
                left = (
                    ""
                    if value_left is None
                    else f", which leaves {format_value_in_sentence(value_left, self.objective)}"
                )
                risks_in_words.append(f"{words} {format_percent(chance)} of the time{left}")
        if not risks_in_words:
            return f"leads to {value}{self._describe_endings(side)}"
        beginning = ", and ".join(risks_in_words)
        if side.right is None:
            return f"{beginning}; it is worth {value}{self._describe_endings(side)}"
        otherwise = f"otherwise it leads to {format_value_in_sentence(side.right, self.objective)}"
        return f"{beginning}; {otherwise}. On average it is worth {value}"

    def _describe_scores(self, side: Side) -> str:
        """Return in words the scores, or the points of a box, after a choice that ends the turn."""
        if side.still is not None:
            points = side.points or 0
            score_before = round(side.value - points - side.still)
            before = f"{format_count(score_before, 'point')} so far, " if score_before else ""
            now = f"{points:,}" if before else format_count(points, "point")
            return f" ({before}{now} now and {format_value(side.still, 'points')} later)"
        if not side.scores:
            return ""
        opponents = " and ".join(f"{score:,}" for score in side.scores[1:])
        return f", with a score of {side.scores[0]:,}" + (f" against {opponents}" if opponents else "")

    def _describe_endings(self, side: Side) -> str:
        """Return in words how a turn that goes on ends under optimal play: boxes of a scorecard, or points."""
        if not side.endings:
            return ""
        if side.boxes():
            return describe_boxes(side)
        mean_points = format_value(sum(ending.chance * ending.points for ending in side.endings), "points")
        cases = []
        if beside := side.beside:
            more_chance = side.chance(lambda points: points > beside)
            less_chance = side.chance(lambda points: points < beside)
            cases = [f"more than {beside:,} in {format_percent(more_chance)}", f"less in {format_percent(less_chance)}"]
        if nothing_chance := side.chance(lambda points: not points):
            cases.append(f"{self.no_points} in {format_percent(nothing_chance)}")
        in_words = f" ({', '.join([f'{cases[0]} of cases', *cases[1:]])})" if cases else ""
        if self.objective == "points" and mean_points == format_value(side.value, "points"):
            return in_words  # the game is this turn, and its value is stated already
        return f"; the turn then {self.turn} {mean_points} on average{in_words}"


def why(solved: SolvedProblem, position: Any, choice_asked_about: Choice[Any] | str | None = None) -> Reasons:
    """Return the reasons why the best choice of a position is better than another one, or than the next best.

    Args:
        solved: the solved problem.
        position: a decision or chance position.
        choice_asked_about: the other choice, as a choice of the position or as it is typed; None for the next best.

    Raises:
        InputError: the position has no such choice.
    """
    if choice_asked_about is not None and not isinstance(choice_asked_about, (str, Choice)):
        raise InputError(f"choice must be a string, not {abbreviate(choice_asked_about)}")
    solved = solved.restricted_to(position)
    problem, playable, advice = solved.problem, solved.playable, advise(solved, position)
    if isinstance(choice_asked_about, str) and playable.stage(position) == "choose":
        choice_asked_about = parse_choice(playable, position, choice_asked_about)
    second = _choice_to_compare(advice, choice_asked_about)
    player = BestPlay(solved)
    scores_before = scores_from_mover(playable, position)
    missing = turns = None
    if scores_before and problem.objective == "reach":
        missing = problem.parameters["goal"] - scores_before[0]
        turns = playable.value_of_role(position, Role.TURNS_LEFT, problem.parameters.get("turns"))
    lead = scores_before[0] - max(scores_before[1:]) if len(scores_before) > 1 else None  # the mover's score is first
    notes = (playable.note(position), playable.explain_no_bank(position))  # "" if there is nothing to say
    best_side = _side(player, position, advice.best)
    other_side = None if second is None else _side(player, position, second)
    reason = ""
    if second is not None and other_side is not None and playable.boxes(position, playable.player_to_move(position)):
        reason = describe_reason(player, position, (advice.best, second), (best_side, other_side))
    return Reasons(
        objective=problem.objective,
        best=best_side,
        other=other_side,
        lead=lead,
        missing=missing,
        turns=turns,
        note=" ".join(filter(None, notes)),
        bust=playable.mishap_words[0],
        turn=playable.turn_verb,
        reason=reason and _capitalize(reason),
        no_points=playable.no_points_words,
        span=playable.points_span(position),
    )


def _choice_to_compare(advice: Advice, choice_asked_about: Choice[Any] | str | None) -> RankedChoice | None:
    """Return the choice that the best one is compared with: the one asked about, or else the next best.

    The next best is the first choice that is worse than the best, or a tie if there is none.

    Args:
        advice: the choices of the position, ranked.
        choice_asked_about: a choice, or its words; None, or the best choice itself, for the next best.

    Returns:
        The choice; None if the position has only one.

    Raises:
        InputError: the position has no such choice.
    """
    choice = None
    if choice_asked_about is not None:
        choice = (
            find_by_words(advice.choices, choice_asked_about)
            if isinstance(choice_asked_about, str)
            else find_choice(advice.choices, choice_asked_about)
        )
        if choice is None:
            words = choice_asked_about if isinstance(choice_asked_about, str) else choice_asked_about.action
            choice_list = "; ".join(choice.action for choice in advice.choices[:MAX_LISTED_CHOICES])
            raise InputError(f"'{words}' is not a choice here; the choices are: {choice_list}")
    if choice is None or choice is advice.best:
        worse = [choice for choice in advice.choices[1:] if not choice.tie]
        return next(iter([*worse, *advice.choices[1:]]), None)
    return choice


def _side(best: BestPlay, position: Any, choice: RankedChoice) -> Side:
    """Return what a choice of a position leads to, if the mover then plays optimally.

    Args:
        best: optimal play.
        position: the position.
        choice: one of its choices, with its value.
    """
    problem, playable, after = best.problem, best.problem.playable, choice.after
    mover = playable.player_to_move(position)
    fields: dict[str, Any] = {"loss": choice.loss, "tie": choice.tie}
    turn_begins = playable.is_turn_start(after)
    ends_turn = playable.stage(after) == "over" or (turn_begins and after != position)
    if choice.bust is not None:
        fields |= _values_by_mishap(best.solved, choice, mover)
    is_whole_card_turn = turn_begins and playable.boxes(after, mover)  # which may end in any box
    is_roll = playable.stage(after) == "throw" and not ends_turn
    if is_roll and playable.lists_endings and not choice.bust and not is_whole_card_turn:
        fields |= {"endings": endings(best, after), "beside": _points_to_compare(playable, position)}
    if choice.bust is None:
        fields["ends"] = ends_turn
        if ends_turn and problem.objective != "points":
            fields["scores"] = scores_from_mover(playable, after, mover)
        elif ends_turn and is_sum_of_boxes(playable, position):
            score_before = sum(scores_from_mover(playable, position)[:1])  # 0 if the position has no score
            fields |= {"points": choice.points, "still": choice.value - choice.points - score_before}
    return Side(choice.action, choice.value, **fields)


def _values_by_mishap(solved: SolvedProblem, choice: RankedChoice, mover: int) -> dict[str, Any]:
    """Return the fields of ``Side`` about the next roll: how often it goes wrong, and mean values then and otherwise.

    Mean values are left out if some roll that counts as a mishap does not lose the turn points, or if every roll does.

    Args:
        solved: the solved problem, whose value table covers the position.
        choice: a choice after which dice are rolled.
        mover: the seat whose values are meant.
    """
    playable = solved.playable
    fields: dict[str, Any] = {"mishap": choice.bust, "wipe": choice.wipe, "ends": False}
    weights = []
    rolled_positions = []
    for weight, after in playable.rolls(choice.after):
        weights.append(weight)
        rolled_positions.append(after)
    kinds = np.array(
        [playable.classify_roll(after, choice.points) for after in rolled_positions]
    )  # a kind of LOST, or ""
    lost_chances = [
        Fraction(sum(weights[index] for index in np.flatnonzero(kinds == kind)), sum(weights)) for kind in LOST
    ]
    stated_chances = [playable.mishap_probability(choice.after), playable.wipe_probability(choice.after) or 0]
    if lost_chances != stated_chances or sum(lost_chances) >= 1:
        return fields
    values = seat_values_of(solved.problem, solved.value_table, rolled_positions).values[:, mover]
    float_weights = np.array([float(weight) for weight in weights])
    for name, kind in zip(("wrong", "wiped", "right"), (*LOST, ""), strict=True):
        is_kind = kinds == kind
        if is_kind.any():
            kind_weights = float_weights[is_kind]
            fields[name] = float((kind_weights * values[is_kind]).sum() / kind_weights.sum())
    return fields


def _points_to_compare(playable: PlayableGame[Any], position: Any) -> int | None:
    """Return the points to which a turn that goes on compares: those of stopping here, or the total to beat."""
    kinds = (ChoiceKind.BANK, ChoiceKind.STOP)
    stop_points = [choice.points for choice in choices_of(playable, position) if choice.kind in kinds]
    return max(stop_points, default=playable.total_to_beat(position))


def _capitalize(text: str) -> str:
    """Return a text with its first letter in upper case; unlike ``str.capitalize``, the rest stays as it is."""
    return text[:1].upper() + text[1:]
