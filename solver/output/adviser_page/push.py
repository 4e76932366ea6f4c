"""Page data of push-your-luck games: the turn in words, and the values between turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import product
from math import comb, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...games.push_rules import NextRoll, PushRules
from ...play.choice_kinds import ChoiceKind, TurnLoss, TurnStop
from ...play.playable_game import Choice
from ...play.push import PushGame, PushPosition, list_faces
from ...solvers import Problem, ValueTable
from ...solvers.push.capped_points import CappedPointsProblem
from ...solvers.push.problem import PushProblem
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.solve_costs import SolveCost, announce_cost
from ...util import progress_reporting
from ...util.errors import InputError
from .choice_data import EncodedChoice, encode_choice
from .graph import ALWAYS, COUNTS, NOT, DiceSums, Form, PageTurnGraph
from .hand_chooser import chooser_data
from .hands import can_build_hands, hand_parts
from .house_rules import SECONDS_BY_CHOICE, house_refusal, house_rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEGLIGIBLE_PROBABILITY = 2.0**-60  # chances to win a last turn are stored until they fall by no more than this
FAR = 10**9  # more points than a turn can have
MAX_VALUES = 1 << 23  # floats that a page holds
SECONDS_BY_OUTCOME = 4.5e-5  # of writing a turn in words, besides those for choices
BYTES_BY_OUTCOME = 1_750.0
MAX_UNLIKE_ROLLS = 22_000  # of dice that differ; the page lists each of them with its choices
EXTRA_UNITS = 64  # above the target, in sets of points


def unsupported_properties(problem: Problem[Any]) -> dict[str, bool]:
    """Return whether a problem has each of the properties for which there is no page.

    Raises:
        InputError: the page would need the values of too many positions.
    """
    if not isinstance(problem, PushProblem):
        return {"games of one turn for each player": True}
    unsupported = unsupported_rules(problem)
    if not any(unsupported.values()):
        states = len(problem.listed_scores()) * max(1, len(problem.rules.bust_costs))
        check_position_count(states**problem.players * max(1, problem.playable.turns), problem.players)
    return unsupported


def unsupported_rules(problem: PushProblem) -> dict[str, bool]:
    """Return whether the rules of a problem or a seat have each property for which there is no page."""
    playable, rules = problem.playable, problem.rules
    has_several_opponents = problem.players > 2
    unlike_rolls = 0 if builds_hand(problem) else _count_unlike_rolls(rules)
    return {
        f"dice that differ and have more than {MAX_UNLIKE_ROLLS:,} different rolls (these have"
        f" {unlike_rolls:,})": unlike_rolls > MAX_UNLIKE_ROLLS,
        "head starts with these rules": any(playable.head_starts),
        "games with take_over": playable.has_takeover,
        "games with rolls that do not count": rules.has_effect("void"),
        "games in which a turn is lost above a number of points": bool(rules.bust_above),
        "games with an opening and scores below 0": rules.bust_floor < 0 and rules.opening > rules.minimum,
        "points with a goal": isinstance(problem, CappedPointsProblem),
        "the objective rate": problem.objective == "rate",
        "last rounds of three or more players": has_several_opponents and rules.finish == "last_round",
        # With mixed actions the page takes every bust for a zero turn.
        "busts that cost points with three or more players": has_several_opponents and bool(rules.bust_costs),
    }


def check_position_count(position_count: int, players: int) -> None:
    """Raise InputError if a browser cannot hold the values of so many positions between turns.

    Args:
        position_count: the number of positions; each has a value for every seat but the last.
        players: the number of players.
    """
    if position_count * max(1, players - 1) > MAX_VALUES:
        raise InputError(
            f"an adviser page would need the values of {position_count:,} positions, too many for a browser;"
            " use a lower target"
        )


def parts(problem: PushProblem, value_table: ValueTable) -> dict[str, Any]:
    """Return the data and arrays of a page that depend on the family."""
    if builds_hand(problem):
        turn = hand_parts([problem.rules])
        between_turns = _between_turns(problem, value_table, PageTurnGraph(problem.rules.symbols))
    else:
        graph = push_graph(problem.playable)
        between_turns = _between_turns(problem, value_table, graph)  # adds the choice of dice to the graph
        turn = {"graph": graph.as_json(), "turn": problem.rules.turn}
    house, house_arrays = house_rules(problem, _graph_without_reports)
    between_turns["arrays"] |= house_arrays
    return {
        **turn,
        "house": house,
        "no_house": house_refusal(problem),
        "chooser": chooser_data(problem),
        **between_turns,
    }


def builds_hand(problem: PushProblem) -> bool:
    """Return whether the page builds the turn itself: dice differ, and no house rules need other turns of them."""
    return bool(problem.rules.kinds) and house_refusal(problem) is not None and can_build_hands([problem.rules])


def _count_unlike_rolls(rules: PushRules) -> int:
    """Return the number of different rolls of a turn if dice differ, for any number of dice; 0 if they are alike."""
    if not rules.kinds:
        return 0
    highest_face = len(rules.faces) - 1
    return prod(sum(comb(dice + highest_face, dice) for dice in range(kind.count + 1)) for kind in rules.kinds) - 1


# --- the turn in words


def push_graph(playable: PushGame) -> PageTurnGraph:
    """Return the turn of a game as data, by walking it."""
    if not adds_up_dice(playable.rules):
        return push_graphs([playable])
    rules = playable.rules
    graph = PageTurnGraph(tuple(rules.symbols), sums=DiceSums(_points_by_face(rules), rules.weights))
    _SumWalk(playable, graph).run(lambda share: None)
    return graph


def adds_up_dice(rules: PushRules) -> bool:
    """Return whether a turn is one roll of chosen dice, which scores the sum over its dice or nothing.

    The page numbers and reads such rolls itself. Hog has 736,280 of them.
    """
    has_singles_only = all(sum(pattern.dice) == 1 and not pattern.name for pattern in rules.patterns)
    is_one_roll = rules.chooses_dice and rules.is_single_roll and rules.finish != "exact"
    return is_one_roll and has_singles_only and rules.is_sum_of_faces and not rules.has_badges and all(rules.weights)


def _points_by_face(rules: PushRules) -> tuple[int | None, ...]:
    """Return the points of one die by its face; None if the face does not score."""
    return tuple(rules.points_of_alike(face) for face in range(len(rules.faces)))


def push_graphs(playables: Sequence[PushGame]) -> PageTurnGraph:
    """Return the turns of several games as data, the rolls of each game after those of the games before."""
    task = f"writing the turn of {playables[0].game.id}"
    graph = PageTurnGraph(tuple(dict.fromkeys(symbol for playable in playables for symbol in playable.rules.symbols)))
    for playable in playables:
        walk = _PushWalk(playable, graph)
        announce_cost(task, walk.cost)
        with progress_reporting.start_progress(task) as progress:
            walk.run(progress)
    return graph


def _graph_without_reports(playable: PushGame) -> PageTurnGraph:
    """Return the turn of a game as data; the caller reports the progress."""
    graph = PageTurnGraph(tuple(playable.rules.symbols))
    _PushWalk(playable, graph).run(lambda share: None)
    return graph


class _Entry(NamedTuple):
    """A choice as the graph stores it; the fields are arguments of ``PageTurnGraph.choice``."""

    choice: Choice[None]
    act: EncodedChoice
    add: int
    kind: str
    to: int


class _PushWalk:
    """A walk through the turn of a push-your-luck game.

    Whether banking is allowed depends on scores, so each decision is walked in two variants of the game. In one of them
    every bank counts, in the other none does.
    """

    def __init__(self, playable: PushGame, graph: PageTurnGraph) -> None:
        self.playable = playable
        self.graph = graph
        self.roll_modes: tuple[NextRoll, ...] = playable.rules.rolls_with_mode
        self.numbers = _roll_numbers(playable, len(graph.throws))
        self.counting = _with_minimum(playable, 0)
        self.not_counting = _with_minimum(playable, FAR**2)
        self.decisions: dict[tuple[int, ...], int] = {}  # by roll
        self.forms: dict[int, Form] = {}  # after a roll, by dice
        self.choices_and_note_of_bust: tuple[list[int], str] | None = None  # once there was one

    def run(self, progress: progress_reporting.ProgressCallback) -> None:
        """Add all rolls with their outcomes to the graph."""
        outcome_counts = self._outcome_counts
        for number, roll_mode in enumerate(self.roll_modes):
            progress(sum(outcome_counts[:number]) / sum(outcome_counts))
            self._add_roll(roll_mode)

    @property
    def cost(self) -> SolveCost:
        """The estimated time, and the memory that the graph takes."""
        outcome_count = sum(
            dict(zip((mode.dice for mode in self.roll_modes), self._outcome_counts, strict=True)).values()
        )
        choice_seconds = self.playable.rules.turn.choice_count * SECONDS_BY_CHOICE
        return SolveCost(
            bytes=outcome_count * BYTES_BY_OUTCOME, seconds=outcome_count * SECONDS_BY_OUTCOME + choice_seconds
        )

    @property
    def _outcome_counts(self) -> list[int]:
        """The outcomes of each roll, counted as if all dice were alike, which is an upper bound."""
        rules = self.playable.rules
        sizes = [rules.hand_size(roll_mode.dice) for roll_mode in self.roll_modes]
        return [comb(size + len(rules.symbols) - 1, size) for size in sizes]

    def _add_roll(self, roll_mode: NextRoll) -> None:
        decisions, weights = [], []
        for weight, rolled in self.counting.rolls(_before_roll(self.counting, roll_mode)):
            decisions.append(self._decision_of(rolled))
            weights.append(weight)
        self._add_throw(roll_mode, decisions, weights)

    def _add_throw(
        self, roll_mode: NextRoll, decisions: Sequence[int], weights: Sequence[int], **details: object
    ) -> None:
        """Add a roll with its outcomes, and with further data for the page."""
        playable, rules = self.playable, self.playable.rules
        position = _before_roll(self.counting, roll_mode)
        before = -1 if roll_mode.forced else self._decision_before(roll_mode)
        mode, roll = (
            (rules.dice_choice_mode, roll_mode.dice - 1) if rules.chooses_dice else (rules.mode_of(roll_mode), 0)
        )
        self.graph.throw(
            _form(playable, roll_mode, "forced" if roll_mode.forced else "throwing"),
            decisions,
            weights,
            dice=rules.hand_size(roll_mode.dice),
            before=before,
            mode=mode,
            way=roll,
            act=encode_choice(ChoiceKind.ROLL, self.counting.roll_data(position)),
            offset=rules.turn_total(0, roll_mode.dice),
            held=_turn_points_before(playable, roll_mode),
            forced=roll_mode.forced,
            note=playable.note(position) if roll_mode.forced else "",
            **details,
        )

    def _decision_of(self, after_roll: PushPosition) -> int:
        """Return the decision after a roll; it depends on the faces only."""
        assert after_roll.roll is not None
        if after_roll.roll not in self.decisions:
            self.decisions[after_roll.roll] = self._add_decision_of(after_roll)
        return self.decisions[after_roll.roll]

    def _add_decision_of(self, after_roll: PushPosition) -> int:
        rules = self.playable.rules
        assert after_roll.roll is not None
        if after_roll.dice not in self.forms:
            self.forms[after_roll.dice] = self._form_after_roll(after_roll.dice)
        choices, note = self._choices_and_note(after_roll)
        return self.graph.decision(choices, self.forms[after_roll.dice], list_faces(rules, after_roll.roll), note)

    def _form_after_roll(self, dice: int) -> Form:
        """Return the fields of a position after a roll of so many dice; with dice of several kinds the roll says it."""
        fields = _form(self.playable, NextRoll(dice))
        form = tuple(pair for pair in fields if not self.playable.rules.kinds or pair[0] == "turn")
        return (*form, ("roll", "*"))

    def _choices_and_note(self, after_roll: PushPosition) -> tuple[list[int], str]:
        """Return the choices after a roll and the note on it; rolls that score nothing share theirs.

        If Hog is played to exactly 100, 593,775 of its 736,280 rolls score nothing.
        """
        rules = self.playable.rules
        assert after_roll.roll is not None
        is_bust = not rules.special_roll(after_roll.roll) and not rules.sets_of(after_roll.roll)
        if is_bust and self.choices_and_note_of_bust:
            return self.choices_and_note_of_bust
        choices_and_note = self._choices(after_roll), self.playable.note(replace(after_roll, turn=0))
        if is_bust:
            self.choices_and_note_of_bust = choices_and_note
        return choices_and_note

    def _decision_before(self, roll_mode: NextRoll) -> int:
        """Add the decision before a roll; -1 if the player chooses dice when the turn begins."""
        if self.playable.rules.chooses_dice:
            return -1
        position = replace(_before_roll(self.playable, roll_mode), throwing=False)
        return self.graph.decision(self._choices(position), _form(self.playable, roll_mode))

    def _choices(self, position: PushPosition) -> list[int]:
        """Add the choices of a decision, each with when it is offered, and return their numbers.

        The choices of both variants are merged, in the order of both.
        """
        position = replace(position, turn=FAR)
        graph = self.graph
        if_counting = self._entries(self.counting, position)
        if_not_counting = self._entries(self.not_counting, position)
        choices = []
        for entry in if_counting:
            is_common = entry in if_not_counting
            while is_common and if_not_counting[0] != entry:
                choices.append(graph.choice(*if_not_counting.pop(0), when=NOT))
            if is_common:
                if_not_counting.pop(0)
            choices.append(graph.choice(*entry, when=ALWAYS if is_common else COUNTS))
        return choices + [graph.choice(*entry, when=NOT) for entry in if_not_counting]

    def _entries(self, playable: PushGame, position: PushPosition) -> list[_Entry]:
        """Return the choices of a position in a variant of the game."""
        entries = []
        for choice in playable.choices(position):
            assert choice.data is not None
            after, added_points = choice.after, choice.points - position.turn
            if choice.kind is ChoiceKind.ROLL:
                kind, number = "throw", self.numbers[NextRoll(after.dice, after.forced, after.over)]
            else:
                kind, number = choice.kind.value, 0
                added_points = added_points if choice.kind in (ChoiceKind.BANK, ChoiceKind.STOP) else 0
            plain: Choice[None] = Choice("", choice.keep, 0, choice.dice_left, None, kind=choice.kind)
            act = _encode(choice)
            entries.append(_Entry(plain, act, added_points, kind, number))
        return entries


class _SumWalk(_PushWalk):
    """A walk through a turn for which ``adds_up_dice`` is true: of each roll, one outcome that scores and one bust."""

    def _add_roll(self, roll_mode: NextRoll) -> None:
        points = _points_by_face(self.playable.rules)
        position = _before_roll(self.counting, roll_mode)
        examples = []
        for scores in (True, False):
            face = next((face for face, value in enumerate(points) if (value is not None) is scores), None)
            if face is None:
                examples.append(-1)
                continue
            roll = tuple(roll_mode.dice if number == face else 0 for number in range(len(points)))
            examples.append(self._decision_of(replace(position, roll=roll, throwing=False, forced=False)))
        mishap = float(self.playable.mishap_probability(position))
        self._add_throw(roll_mode, (), (), mishap=mishap, examples=examples)


def _encode(choice: Choice[Any]) -> EncodedChoice:
    """Return a choice as data; the page fills in the turn points, and what a bust costs."""
    assert choice.data is not None
    data = choice.data
    if isinstance(data, TurnStop):
        data = data._replace(points=0)
    elif isinstance(data, TurnLoss):
        data = data._replace(cost=0, number=0)
    return encode_choice(choice.kind, data)


def _roll_numbers(playable: PushGame, first: int) -> dict[NextRoll, int]:
    """Return the numbers of a game's rolls in the graph, of which ``first`` is the first."""
    return {roll_mode: number for number, roll_mode in enumerate(playable.rules.rolls_with_mode, first)}


def _point_set(points: int, units: int) -> str:
    """Return the lowest `units` bits of a set of points as hexadecimal digits."""
    return f"{points & (1 << units) - 1:x}"


def _turn_points_before(playable: PushGame, roll_mode: NextRoll) -> str:
    """Return the turn points that are possible before a roll, in units, as a set."""
    units = playable.rules.target // playable.rules.grain + EXTRA_UNITS
    return _point_set(playable.reachable_states.modes_by_points(units * playable.rules.grain).get(roll_mode, 0), units)


def _with_minimum(playable: PushGame, minimum: int) -> PushGame:
    """Return a variant of a game in which banks count from `minimum` points on, and the target is out of reach."""
    variant = copy(playable)
    variant.rules = replace(
        playable.rules, opening=minimum, minimum=minimum, minimum_on_win=True, finish="at_least", target=FAR**2
    )
    variant.goal = FAR**2
    return variant


def _before_roll(playable: PushGame, roll_mode: NextRoll) -> PushPosition:
    """Return a position before a roll, with more turn points than are possible."""
    start = playable.turn_start((0,) * playable.players, 0, playable.turns)
    is_forced = roll_mode.forced
    return replace(
        start, dice=roll_mode.dice, turn=FAR, forced=is_forced, throwing=not is_forced, over=roll_mode.rerolled_faces
    )


def _form(playable: PushGame, roll_mode: NextRoll, flag: str = "") -> Form:
    """Return the fields of a position before a roll, with a field `flag` that is true."""
    rules = playable.rules
    dice = ",".join(rules.die_names(roll_mode.dice)) if rules.kinds else str(roll_mode.dice)
    fields = [("turn", "{}"), ("dice", dice)]
    if roll_mode.rerolled_faces:
        fields.append(("over", "".join(rules.faces[face] for face in roll_mode.rerolled_faces)))
    if flag:
        fields.append((flag, "true"))
    return tuple(fields)


# --- between turns


def _between_turns(problem: PushProblem, value_table: ValueTable, graph: PageTurnGraph) -> dict[str, Any]:
    """Return the positions between turns, and their values."""
    scores = [int(score) * problem.rules.grain for score in problem.listed_scores()]
    arrays, chances = _arrays(problem, value_table, scores)
    return {
        "family": "push",
        "kernel": "push",
        "channels": "seats" if problem.players > 2 else "mover",
        "match": problem_data(problem, graph),
        "arrays": arrays,
        "chances": chances,
    }


def _arrays(
    problem: PushProblem, value_table: ValueTable, scores: list[int]
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Return where the tables of turns end, with values between turns; and apart, those that are chances to win."""
    playable = problem.playable
    bust_counts = range(max(1, len(problem.rules.bust_costs)))
    states = list(product(scores, bust_counts))
    turns_left = range(1, playable.turns + 1) if playable.turns else range(1)
    arrays: dict[str, Any] = {"caps": _caps(problem, value_table, states, turns_left)}
    chances = {}
    if problem.players > 2:
        arrays["mixed"] = mixed_rows(value_table)
        chances["win"] = value_table.arrays["win"][..., :-1]
    elif isinstance(problem, PushWinProblem):
        numbers = [problem.states.number(score, bust_count) for score, bust_count in states]
        pairs = value_table.arrays["win"][np.ix_(numbers, numbers)]
        chances["win"] = pairs.reshape((len(scores), len(bust_counts)) * 2)
    elif problem.objective != "points":
        starts = list(_starts(playable, states, turns_left))
        arrays["win"] = problem.seat_values(value_table, starts).values[:, 0]
    if isinstance(problem, PushWinProblem) and playable.finish == "last_round":
        arrays["last"] = _last_turns(problem)
    return arrays, chances


def mixed_rows(value_table: ValueTable) -> NDArray[np.float64]:
    """Return the mixed actions of a value table: line, share of the second turn, lower and upper zero value."""
    mixed = value_table.arrays["mixed"]
    return np.ascontiguousarray(mixed[mixed[:, 0] >= 0])


def problem_data(problem: PushProblem, graph: PageTurnGraph, first_roll: int = 0) -> dict[str, Any]:
    """Return the numbers of a problem that the page needs besides the turn.

    Args:
        problem: the problem.
        graph: the turn in words.
        first_roll: the number of the problem's first roll in the graph.
    """
    playable, rules = problem.playable, problem.rules
    scores = [int(score) * rules.grain for score in problem.listed_scores()]
    is_one_turn = problem.objective == "points"
    bust_counts = range(max(1, len(rules.bust_costs)))
    opponent_count = problem.players - 1

    def min_bank(score: int, opponent_score: int) -> int:
        return playable.min_bank(playable.turn_start((score, *[opponent_score] * opponent_count), 0, playable.turns))

    return {
        "grain": rules.grain,
        "sign": 1 if rules.best == "highest" else -1,
        "bank": rules.turn_total(0, 0),
        "scores": scores,
        "least": [min_bank(score, 0) for score in scores],
        "at_last": [min_bank(score, playable.goal) for score in scores],
        "floor": rules.bust_floor,
        "target": playable.goal,
        "finish": "one_turn" if is_one_turn else playable.finish,
        "lowest": rules.best == "lowest",
        "turns": playable.turns,
        "busted": [[rules.after_bust(score, count) for count in bust_counts] for score in scores]
        if rules.bust_costs
        else [],
        "costs": list(rules.bust_costs),
        "losses": [_bust_cost(playable, count) for count in bust_counts],
        "choose": rules.chooses_dice,
        "passes": rules.can_end_with_nothing,
        "fresh": _root(playable, graph, first_roll),
        "banks": _bankable_points(playable),
        "wrong": [] if is_one_turn or rules.bust_costs else _impossible_scores(playable, set(scores)),
    }


def _bust_cost(playable: PushGame, bust_count: int) -> list[int]:
    """Return what the rules charge for a bust after so many in a row, and its own number if that matters, else 0."""
    data = playable.bust_data(replace(playable.start(), busts=(bust_count,) * playable.players))
    return [data.cost + data.spared, data.number]


def _root(playable: PushGame, graph: PageTurnGraph, first_roll: int) -> int:
    """Return the number of the roll, or of the choice of dice, with which a turn begins."""
    numbers = _roll_numbers(playable, first_roll)
    if not playable.rules.chooses_dice:
        return numbers[NextRoll(playable.rules.dice)]
    choices = [
        graph.choice(choice, _encode(choice), 0, "throw", numbers[NextRoll(choice.after.dice)])
        for choice in playable.choices(playable.start())
    ]
    return graph.decision(choices, ())


def _bankable_points(playable: PushGame) -> str:
    """Return the points above 0 that a turn can bank, in units, as a set."""
    units = playable.rules.target // playable.rules.grain + EXTRA_UNITS
    bankable = 0
    for roll_mode, points in playable.reachable_states.modes_by_points(units * playable.rules.grain).items():
        if not (roll_mode and roll_mode.forced):
            bankable |= points
    return _point_set(bankable & ~1, units)


class _ImpossibleScores(NamedTuple):
    """A run of scores that no player can have between turns, and why: a refusal's key and limit."""

    first: int
    last: int
    key: str
    limit: int


def _impossible_scores(playable: PushGame, scores: set[int]) -> list[_ImpossibleScores]:
    """Return runs of scores that no player can have between turns."""
    grain, target = playable.rules.grain, playable.goal
    ranges: list[_ImpossibleScores] = []
    for score in [*range(-grain, target + grain, grain), FAR]:
        if score in scores or _is_possible(playable, score):
            continue
        key, limit = _reason(playable, score)
        is_next = bool(ranges) and (ranges[-1].last + grain == score or score == FAR)
        if is_next and (ranges[-1].key, ranges[-1].limit) == (key, limit):
            ranges[-1] = ranges[-1]._replace(last=score)
        else:
            ranges.append(_ImpossibleScores(score, score, key, limit))
    return ranges


def _is_possible(playable: PushGame, score: int) -> bool:
    try:
        playable.reachable_states.check_score(score, "score", past_target=False)
    except InputError:
        return False
    return True


def _reason(playable: PushGame, score: int) -> tuple[str, int]:
    """Return why nobody can have an impossible score, as a key of the page's ``refusals.ts`` and the limit in it."""
    rules = playable.rules
    first_bank = max(rules.opening, rules.minimum)
    if score < 0:
        return "belowZero", 0
    if score >= playable.goal:
        return "notBelowTarget", playable.goal
    if score < first_bank:
        return "firstBank", first_bank
    return "noBanks", max(rules.minimum, rules.grain)


def _start(playable: PushGame, line: tuple[tuple[int, int], ...], turns_left: int) -> PushPosition:
    """Return the position between turns with these scores and busts, as pairs from the mover on."""
    busts = tuple(bust_count for _, bust_count in line) if playable.rules.bust_costs else ()
    return playable.turn_start(tuple(score for score, _ in line), 0, turns_left, busts)


def _starts(playable: PushGame, states: list[tuple[int, int]], turns_left: range) -> Iterator[PushPosition]:
    """Yield all positions between turns."""
    for left in turns_left:
        for line in product(states, repeat=playable.players):
            yield _start(playable, line, left)


def _caps(problem: PushProblem, value_table: ValueTable, states: list[tuple[int, int]], turns_left: range) -> Any:
    """Return the points, in units, at which the table of each turn ends.

    They depend on the mover's state; in a last round of two players on both states.
    """
    playable = problem.playable
    if problem.players == 2 and playable.finish == "last_round":
        starts = list(_starts(playable, states, turns_left))
    else:
        opponents = (states[0],) * (problem.players - 1)
        starts = [_start(playable, (state, *opponents), left) for left in turns_left for state in states]
    return problem.turn_caps(value_table, starts)


def _last_turns(problem: PushWinProblem) -> NDArray[np.float64]:
    """Return the probability to win in a last turn, by how far the mover is behind, in units: (2, deficits).

    The two rows are for a mover before and after the opening. The probability in the last column holds for all larger
    deficits: it is that of a roll that wins at once, or 0 if there is none, to within NEGLIGIBLE_PROBABILITY.
    """
    last_round = problem.model.last_round
    assert last_round is not None
    chances = last_round.win_chances
    still_falling = np.flatnonzero((chances - chances[:, -1:] > NEGLIGIBLE_PROBABILITY).any(axis=0))
    return chances[:, : int(still_falling[-1]) + 2]
