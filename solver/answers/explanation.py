"""Explanations: what two choices of a position lead to, in a few sentences of numbers.

For a choice that rolls: the probability that the roll goes wrong, the value that is left then, and the mean value
otherwise. If rolls do not simply go wrong: how the turn ends under optimal play, with the boxes that it fills or the
points that it brings. For a choice that ends the turn: its value, and the scores after it. Every number is a field of
``Reasons``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from .positions import BestPlay, advise, choices_of, seat_values_of
from .turn_endings import TurnOutcome, endings

LOST = ("bust", "wipe")  # the ways in which a roll goes wrong
NO_CHOICE = "There is nothing to choose"
MAX_BOXES = 3  # that are named for each choice
MAX_LISTED_CHOICES = 6  # in a message


@dataclass(frozen=True)
class Side:
    """The result of one choice, as an explanation describes it.

    Attributes:
        action: the choice in words.
        value: its value.
        mishap: the probability that the next roll goes wrong; None if no such roll follows.
        wrong: the mean value after a roll that went wrong; None if not every such roll loses the turn points.
        wipe: the probability that the next roll loses the whole score.
        wiped: the mean value after such a roll.
        right: the mean value after all other rolls.
        ends: the choice ends the turn.
        scores: the scores after the turn, the mover's first; () if the turn goes on or has no scores.
        loss: the loss of the choice.
        tie: the choice is as good as the best within the error bound.
        endings: the ways in which the turn ends under optimal play, unless the mishap says enough.
        beside: the points to which these compare: what stopping here would bring, or the total to beat.
        points: for a choice that fills a box for points, the points of the box.
        still: for such a choice, the points still to come.
    """

    action: str
    value: float
    mishap: float | None = None
    wrong: float | None = None
    wipe: float | None = None
    wiped: float | None = None
    right: float | None = None
    ends: bool = True
    scores: tuple[int, ...] = ()
    loss: float = 0.0
    tie: bool = False
    endings: tuple[TurnOutcome, ...] = ()
    beside: int | None = None
    points: int | None = None
    still: float | None = None

    def boxes(self) -> dict[str, tuple[float, float]]:
        """Return, by box, the probability that the turn fills it, and its mean points if so; the likeliest first."""
        totals: dict[str, tuple[float, float]] = {}
        for ending in self.endings:
            chance, points = totals.get(ending.box, (0.0, 0.0))
            totals[ending.box] = chance + ending.chance, points + ending.chance * ending.points
        ranked = sorted(totals.items(), key=lambda item: -item[1][0])
        return {box: (chance, points / chance) for box, (chance, points) in ranked if box}

    def chance(self, is_counted: Callable[[int], bool]) -> float:
        """Return the probability that the points which the turn brings meet a condition.

        Args:
            is_counted: the condition, as a function of the points.
        """
        return sum(ending.chance for ending in self.endings if is_counted(ending.points))


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

    def as_json(self) -> dict[str, Any]:
        """Return the numbers, and the sentences."""
        return {**asdict(self), "text": self.text}

    @property
    def text(self) -> str:
        """The reasons in two or three sentences."""
        best = _capitalize(self._describe(self.best))
        if self.other is None:
            sentences = [best if self.note.startswith(NO_CHOICE) else f"{NO_CHOICE}. {best}"]
        else:
            loss = "just as good" if self.other.tie else f"{format_loss(self.other.loss, self.objective)} worse"
            sentences = [best, f"{_capitalize(self._describe(self.other))}; that is {loss}"]
            sentences += _describe_box_given_up(self.best, self.other)
        if self.lead is not None:
            points = format_count(abs(self.lead), "point")
            standing = f"{points} {'ahead' if self.lead > 0 else 'behind'}" if self.lead else "level"
            sentences.append(f"Before this turn you are {standing}")
        if self.missing is not None:
            noun = "point" if self.missing == 1 else "points"
            turns = "" if self.turns is None else f" in {format_count(self.turns, 'turn')}"
            sentences.append(f"Before this turn you need {self.missing:,} more {noun}{turns}")
        return ". ".join(sentences) + "." + (f" {self.note}" if self.note else "")

    def _describe(self, side: Side) -> str:
        """Return in words what a choice leads to: its value, its risks, and how the turn ends."""
        value = format_value_in_sentence(side.value, self.objective)
        if side.mishap is None:
            verb = "leaves" if side.ends else "leads to"
            return f"{side.action}: this {verb} {value}{self._describe_scores(side)}{self._describe_endings(side)}"
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
            return f"{side.action}: this leads to {value}{self._describe_endings(side)}"
        beginning = f"{side.action}: this {', and '.join(risks_in_words)}"
        if side.right is None:
            return f"{beginning}; it is worth {value}{self._describe_endings(side)}"
        otherwise = f"otherwise it leads to {format_value_in_sentence(side.right, self.objective)}"
        return f"{beginning}; {otherwise}. On average it is worth {value}"

    def _describe_scores(self, side: Side) -> str:
        """Return in words the scores, or the points of a box, after a choice that ends the turn."""
        if side.still is not None:
            points = format_count(side.points or 0, "point")
            return f" ({points} now and {format_value(side.still, 'points')} still to come)"
        if not side.scores:
            return ""
        opponents = " and ".join(f"{score:,}" for score in side.scores[1:])
        return f", with a score of {side.scores[0]:,}" + (f" against {opponents}" if opponents else "")

    def _describe_endings(self, side: Side) -> str:
        """Return in words how a turn that goes on ends under optimal play: boxes of a scorecard, or points."""
        if not side.endings:
            return ""
        boxes = side.boxes()
        if boxes:
            return _describe_boxes(side, boxes)
        mean_points = format_value(sum(ending.chance * ending.points for ending in side.endings), "points")
        cases = []
        if beside := side.beside:
            more_chance = side.chance(lambda points: points > beside)
            less_chance = side.chance(lambda points: points < beside)
            cases = [f"more than {beside:,} in {format_percent(more_chance)}", f"less in {format_percent(less_chance)}"]
        if nothing_chance := side.chance(lambda points: not points):
            cases.append(f"nothing in {format_percent(nothing_chance)}")
        in_words = f" ({', '.join([f'{cases[0]} of cases', *cases[1:]])})" if cases else ""
        if self.objective == "points" and mean_points == format_value(side.value, "points"):
            return in_words  # the game is this turn, and its value is stated already
        return f"; the turn then {self.turn} {mean_points} on average{in_words}"


def _describe_boxes(side: Side, boxes: Mapping[str, tuple[float, float]]) -> str:
    """Return in words the boxes that a turn fills most often, and the box that pays if the dice fail.

    Args:
        side: the choice, with the ways in which the turn ends.
        boxes: by box, the probability that the turn fills it, and the mean points if it does; the likeliest first.
    """
    in_words = [
        f"{box} ({format_percent(chance)}, {points:,.1f} points on average)" for box, (chance, points) in boxes.items()
    ]
    paying_box, miss_chance = _box_for_misses(side)
    miss = (
        f"; if the dice fail, it enters few or no points in {paying_box} ({format_percent(miss_chance)} of the time)"
        if paying_box
        else ""
    )
    return f"; the turn most often fills {', '.join(in_words[:MAX_BOXES])}{miss}"


def _box_for_misses(side: Side) -> tuple[str, float]:
    """Return the box that a player gives up if the dice fail, and the probability of that; ("", 0.0) if there is none.

    It is the box that is most often filled with dice that score nothing. If no box ever is, it is the box that brings
    least. But if that is among the likeliest boxes, as many as a turn fills, the player aims at it. Then no box is
    given up.
    """
    miss_chances: dict[str, float] = {}
    for ending in side.endings:
        if ending.is_miss:
            miss_chances[ending.box] = miss_chances.get(ending.box, 0.0) + ending.chance
    if miss_chances:
        return max(miss_chances.items(), key=lambda item: item[1])
    boxes = side.boxes()
    cheapest_box = min(boxes, key=lambda box: boxes[box][1])  # by mean points
    boxes_of_a_turn = round(sum(chance for chance, _ in boxes.values()))  # how many boxes a turn fills
    likeliest_boxes = [*boxes][:boxes_of_a_turn]
    return ("", 0.0) if cheapest_box in likeliest_boxes else (cheapest_box, boxes[cheapest_box][0])


def _describe_box_given_up(best: Side, second: Side) -> list[str]:
    """Return one sentence on the box that loses the most points if the best choice is made instead of another one.

    Points are means: the probability that the turn fills the box, times its points then. The list is empty if no box
    loses any, or if the rounded means are equal.

    Args:
        best: the best choice.
        second: the other choice.
    """
    # By box, its probability and its mean points.
    best_boxes, other_boxes = best.boxes(), second.boxes()
    if not best_boxes or not other_boxes:
        return []
    pairs = {box: (best_boxes.get(box, (0.0, 0.0)), after_other) for box, after_other in other_boxes.items()}
    lost_points = {
        box: after_other[0] * after_other[1] - after_best[0] * after_best[1]
        for box, (after_best, after_other) in pairs.items()
    }
    box = max(lost_points, key=lambda name: lost_points[name])
    if lost_points[box] <= 0:
        return []
    best_mean, other_mean = (f"{chance * points:,.1f}" for chance, points in pairs[box])
    if best_mean == other_mean:
        return []
    means = f"{best_mean} points on average instead of {other_mean}"
    return [f"On the other hand, the best choice scores less in {box}: {means}"]


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
    return Reasons(
        objective=problem.objective,
        best=_side(player, position, advice.best),
        other=None if second is None else _side(player, position, second),
        lead=lead,
        missing=missing,
        turns=turns,
        note=" ".join(filter(None, notes)),
        bust=playable.mishap_words[0],
        turn=playable.turn_verb,
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
        elif ends_turn and _is_sum_of_boxes(playable, position):
            fields |= {"points": choice.points, "still": choice.value - choice.points}
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


def _is_sum_of_boxes(playable: PlayableGame[Any], position: Any) -> bool:
    """Return True if a scorecard is worth the points in its boxes, rather than points by ranges of its total."""
    return bool(playable.boxes(position, playable.player_to_move(position))) and not playable.game.data.total_ranges


def _points_to_compare(playable: PlayableGame[Any], position: Any) -> int | None:
    """Return the points to which a turn that goes on compares: those of stopping here, or the total to beat."""
    kinds = (ChoiceKind.BANK, ChoiceKind.STOP)
    stop_points = [choice.points for choice in choices_of(playable, position) if choice.kind in kinds]
    return max(stop_points, default=playable.total_to_beat(position))


def _capitalize(text: str) -> str:
    """Return a text with its first letter in upper case; unlike ``str.capitalize``, the rest stays as it is."""
    return text[:1].upper() + text[1:]
