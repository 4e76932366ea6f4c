"""The rules and state names of every family, as a certificate states them.

A checker knows the kinds of turn and of match in docs/certificate-format.md, but no game by its name. Each family has a
function here that describes its turn and its match with these kinds. Rules that they cannot express cannot be
certified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from ..games.push_rules import PushRules
from ..games.scarney import DICE, SPOTS, WEIGHTS
from ..play.playable_game import Table
from ..play.seats import playing
from ..solvers import Problem
from ..util.errors import InputError
from .frame_truncation import describe_frame_truncation, frame_rules
from .rule_data import check_expressible, describe_set_turn, describe_truncation, describe_turn, is_proved_compiled

State = tuple[int, ...]
Data = dict[str, Any]

ONE_ROUND = {"kind": "rounds", "rounds": 1, "target": 0, "share": False}
TURN_ONLY = {"kind": "turn"}


class Description(NamedTuple):
    """The data of a game's turn, and of its match: how turns follow each other and who wins."""

    turn: Data
    match: Data


def describe_rules(problem: Problem[Any]) -> Data:
    """Return the turn, the match and the truncation for the header of a certificate.

    For a game that is written in Python only the kind "own" is stated. Its bounds are proved, but no checker can read
    its rules.

    Raises:
        InputError: the certificate format cannot express the rules.
    """
    table, family = problem.playable, problem.game.family
    own = {"kind": "own"}
    description = FAMILIES[family](table) if family in FAMILIES else Description(own, own)
    truncation: Data = {}
    if is_proved_compiled(problem):
        truncation = describe_truncation(problem)
    elif family == "scarney":
        truncation = describe_frame_truncation(table)
    return {"turn": description.turn, "match": description.match, "cut": truncation}


def _inexpressible(table: Table[Any], alternative: str) -> InputError:
    players = f" for {table.players}" if table.players > 1 else ""
    return InputError(
        f"{table.game.id}: {table.objective}{players} cannot be said in a certificate yet; {alternative} can"
    )


def _describe_race(table: Table[Any], target: int, finish: str = "at_least", takes: str = "none") -> Data:
    """Describe a race to a target, or its turn alone if only points of a turn count."""
    if table.objective in ("points", "rate"):
        return {**TURN_ONLY}
    return {"kind": "race", "target": target, "finish": finish, "takes": takes}


def _describe_pot(table: Any) -> Data:
    """Describe a match of one turn for each player."""
    return {**ONE_ROUND, "share": table.share}


def describe_push(table: Any) -> Description:
    """Describe a push-your-luck game: a race, or one turn for each player."""
    is_several = table.players > 1
    is_pot = table.game.data.one_turn and is_several
    rules: PushRules = table.alone.rules if is_pot else table.rules
    check_expressible(table.game.id, rules, table.players)
    turn = describe_turn(rules, table.objective)
    if is_pot:
        return Description(turn, _describe_pot(table))
    finish = rules.finish if is_several or rules.finish == "exact" else "at_least"
    takes = rules.take_over if is_several else "none"
    return Description(turn, _describe_race(table, rules.target, finish, takes))


def describe_hearts(table: Any) -> Description:
    """Describe Hearts Due: one roll of six dice, which scores by its longest run."""
    rules, faces = table.rules, 6
    any_counts = [6] * faces
    wipe_limits = [3 if rules.exactly_3 else 6, *any_counts[1:]]
    run_points = [(6, rules.full)] + [(run, 5 * run) for run in range(5, 0, -1)]
    specials = [[[3, *[0] * (faces - 1)], wipe_limits, "wipe", 0, 1]]
    specials += [[[1] * run + [0] * (faces - run), any_counts, "score", points, 1] for run, points in run_points]
    turn = describe_set_turn(dice=[[6, [1] * 6]], most=6, specials=specials, once=True, hot="none")
    return Description(turn, _describe_race(table, table.target))


def describe_showdown(table: Any) -> Description:
    """Describe Going to Boston and Multiplication.

    One die of each roll is set aside and scores. In Multiplication the last die multiplies.
    """
    one_die = [[[int(shown == face) for shown in range(6)], face + 1] for face in range(6)]
    multipliers = [[counts, counts, "score", 0, points] for counts, points in one_die]
    turn = describe_set_turn(
        dice=[[3, [1] * 6]],
        groups=one_die,
        most=1,
        hot="none",
        stop="all",
        take="free" if table.any else "all",
        specials=multipliers if table.game.id == "multiplication" else [],
    )
    return Description(turn, _describe_pot(table) if table.players > 1 else {**TURN_ONLY})


def describe_crew(table: Any) -> Description:
    """Describe Battleship."""
    alone = {"each": [True, True], "both": [False, False], "hybrid": [False, True]}[table.crew]
    turn = {"kind": "crew", "casts": 3, "faces": 6, "order": [6, 5, 4], "alone": alone}
    if table.players == 1:
        return Description(turn, _describe_race(table, table.target))
    target = table.target if table.first_to else 0
    return Description(turn, {**ONE_ROUND, "rounds": table.rounds, "target": target})


def describe_card(table: Any) -> Description:
    """Describe a scorecard: the score of every roll in every box, and the bonuses."""
    rules = table.card
    if rules.boxes == 2 and (rules.upper or rules.again or rules.forced_zeros or rules.served):
        raise InputError(f"{table.game.id}: two boxes a turn and more cannot be said in a certificate yet")
    dice_per_box, faces = rules.dice // rules.boxes, range(rules.faces)
    dice_sets = combinations_with_replacement(faces, dice_per_box)
    face_counts = np.array([[dice.count(face) for face in faces] for dice in dice_sets])
    five_of_a_kind = np.eye(rules.faces, dtype=np.int64) * rules.dice
    box_of_face = {category.face: number for number, category in enumerate(rules.categories) if category.face}
    boxes, factors = range(len(rules.categories)), rules.factors
    upper = [[box for box in boxes if mask >> box & 1] for mask in rules.columns]
    steps = [[[factor * total, factor * bonus] for total, bonus in rules.steps] for factor in factors]
    has_columns = len(upper) > 1
    turn = {
        "kind": "boxes",
        "dice": rules.dice,
        "weights": list(rules.weights),
        "throws": rules.throws,
        "boxes": rules.boxes,
        "scores": [category.score(face_counts).tolist() for category in rules.categories],
        "first": [category.served(face_counts).tolist() for category in rules.categories] if rules.served else [],
        "wins": [box for box, category in enumerate(rules.categories) if category.wins and table.objective == "win"],
        "before": list(rules.before),
        "zeros": not rules.forced_zeros,
        "upper": upper if has_columns else upper[0],
        "steps": steps if has_columns else steps[0],
        "again": rules.names.index(rules.again) if rules.again else -1,
        "bonus": rules.again_bonus,
        "own": [box_of_face.get(face, -1) for face in range(1, rules.faces + 1)],
        "full": [category.in_full(five_of_a_kind).tolist() for category in rules.categories],
        "joker": rules.joker if rules.again else "none",
    }
    if rules.ranges and table.objective == "points":
        turn["ranges"] = [list(counted_range) for counted_range in rules.ranges]
    if rules.saved:
        turn["saved"] = rules.saved
    return Description(turn, {"kind": "card"})


def describe_scarney(table: Any) -> Description:
    """Describe Straight Scarney: every roll is special, and without turn points a player may double its spots."""
    if table.objective == "chips" or table.players > 2:
        raise _inexpressible(table, "the points of a frame and the win of two")
    rules = frame_rules(table)
    plain, doubled = _scarney_specials(rules, False), _scarney_specials(rules, True)
    turn = describe_set_turn(
        dice=[[DICE, list(WEIGHTS)]], specials=plain, doubled=doubled if rules.double else [], most=DICE, below="throw"
    )
    return Description(turn, {"kind": "frames", "frames": table.frames} if table.players > 1 else {**TURN_ONLY})


def _scarney_specials(rules: Any, is_doubled: bool) -> list[list[Any]]:
    """Return the effect of every roll of a frame."""
    specials: list[list[Any]] = []
    for live in range(1, DICE + 1):
        for dice in combinations_with_replacement(range(len(SPOTS)), live):
            counts = [*map(dice.count, range(len(SPOTS)))]
            outcome = rules.outcome(tuple(counts), is_doubled)
            if outcome.next_mode < 0:
                effect = ["win" if outcome == rules.big_scarney else "bust", 0, 1]
            else:
                effect = ["drop" if counts[-1] else "same", outcome.added_points, outcome.keeps_points]
            specials.append([counts, counts, *effect])
    return specials


def describe_tiles(table: Any) -> Description:
    """Describe Shut the Box."""
    turn = {"kind": "tiles", "tiles": len(table.tiles), "one": table.rules.one_die}
    return Description(turn, {"kind": "box", "goal": table.goal})


def describe_touch(table: Any) -> Description:
    """Describe Booby Trap; probabilities are pairs of a numerator and a denominator."""
    rules, odds = table.rules, table.rules.odds
    chances, trips = (
        [[[*probability.as_integer_ratio()] for probability in row] for row in rows]
        for rows in (odds.chance, odds.trip)
    )
    turn = {"kind": "touch", "chances": chances, "trips": trips, "in_order": rules.in_order}
    match = {
        "kind": "board",
        "board": list(rules.board),
        "points": list(rules.points),
        "penalty": rules.penalty,
        "last": rules.last,
        "passes": rules.limit,
        "allowed": rules.trips,
    }
    return Description(turn, match)


FAMILIES: Mapping[str, Callable[[Any], Description]] = {
    "push": describe_push,
    "one turn": describe_push,
    "hearts": describe_hearts,
    "showdown": describe_showdown,
    "rounds": describe_crew,
    "card": describe_card,
    "columns": describe_card,
    "ranges": describe_card,
    "tiles": describe_tiles,
    "touch": describe_touch,
    "scarney": describe_scarney,
}


# --- states


def state_namer(table: Any) -> Callable[[Any], State]:
    """Return the function that names the states of a game.

    States of a game that is written in Python are numbered in the order in which they are first named.
    """
    numbers: dict[Any, int] = {}
    if table.game.family in FAMILIES:
        return partial(state_name, table)
    return lambda position: (numbers.setdefault(position, len(numbers)),)


def state_name(table: Any, position: Any) -> State:
    """Return the name of the state of a position between turns."""
    family = table.game.family
    if FAMILIES[family] is describe_card:
        return _card_state(table, position)
    if family == "tiles":
        return position.seat, *position.left, *(0 for _ in range(table.players - 1 - position.seat))
    seats = table.seats_from(table.mover(position))
    if family == "touch":
        leads = [position.score - position.scores[seat] for seat in seats[1:]] or [position.trips]
        return *position.left, *leads, position.passes
    if table.objective == "points":
        return (0,)
    if (family == "rounds" and table.players > 1) or hasattr(position, "holders"):
        return _round_state(table, position)
    scores = [position.scores[seat] for seat in seats]
    busts = [position.busts[seat] for seat in seats] if getattr(position, "busts", ()) else []
    remaining: State = (position.turns_left,) if table.objective == "reach" else ()
    if table.players > 1 and getattr(table.rules, "take_over", "none") != "none":
        remaining = position.offered or (0, 0)
    return *scores, *busts, *remaining


def counts_only_future_points(table: Any) -> bool:
    """Return whether states count only future points: points of a scorecard that are simply added up."""
    is_card_alone = FAMILIES.get(table.game.family) is describe_card and table.players == 1
    return is_card_alone and table.objective == "points" and not table.card.ranges


def _card_state(table: Any, position: Any) -> State:
    """Return the name of a scorecard's state: for two players both sets of used boxes and the lead."""
    own, opponents, rules = position.own, position.others, table.card
    if opponents:
        return own.used, opponents[0].used, own.score - opponents[0].score
    uppers = (factor * upper for factor, upper in zip(rules.factors, rules.by_column(own.upper), strict=True))
    total = () if counts_only_future_points(table) else (own.score,)
    saved_rolls = (own.saved,) if rules.saved else ()
    return own.used, *uppers, int(own.flag), *total, *saved_rolls


def _round_state(table: Any, position: Any) -> State:
    """Return the name of a state of rounds: the round, the playoff, the seat to move, and the totals.

    The playoff is a bit mask of its seats, 0 for all. Totals are relative to the least. If the best
    score of one round wins, every player who has played and is behind counts as one point behind the best.
    """
    first_to = getattr(table, "first_to", False)
    is_playoff = len(position.playoff) < table.players or first_to  # a playoff of all repeats the last round
    mask = sum(1 << seat for seat in position.playoff) if is_playoff else 0
    if hasattr(position, "holders"):
        fewer_is_better = getattr(getattr(table, "alone", None), "fewer_is_better", False)
        best = -position.beat if fewer_is_better else position.beat
        totals, round_number = [best - (seat not in position.holders) for seat in range(table.players)], 1
    else:
        totals, round_number = list(position.scores), table.rounds if mask else position.round
    if getattr(table, "rounds", 1) == 1 and not first_to and table.objective == "win":
        played = [seat for seat in playing(position.playoff, table.players) if seat < position.seat]
        behind = max((totals[seat] for seat in played), default=0) - 1
        totals = [max(total, behind) * (seat in played) for seat, total in enumerate(totals)]
    base = 0 if first_to else min(totals)
    return round_number, mask, position.seat, *(total - base for total in totals)
