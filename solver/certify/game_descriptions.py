"""The rules and state names of every family, as a certificate states them.

A checker knows the kinds of turn and of match in docs/certificate-format.md, but no game by its name. Each family has a
function here that describes its turn and its match with these kinds. Rules that they cannot express cannot be
certified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from ..games.cup_rules import CupRules
from ..games.one_face_rules import OneFaceRules
from ..games.push_rules import PushRules
from ..games.scarney import DICE, SPOTS, WEIGHTS
from ..games.shut_the_box import OneDie
from ..play.playable_game import PlayableGame
from ..play.seats import active_seats
from ..solvers import Problem
from ..util.errors import InputError
from .frame_truncation import describe_frame_truncation, frame_rules
from .rule_data import check_expressible, describe_set_turn, describe_truncation, describe_turn, is_proved_compiled

State = tuple[int, ...]
Data = dict[str, Any]

ONE_ROUND = {"kind": "rounds", "rounds": 1, "target": 0, "share": False}
TURN_ONLY = {"kind": "turn"}
CARD_OBJECTIVES = ("points", "reach", "win")  # those that the format can express for cards


class Description(NamedTuple):
    """The data of a game's turn, and of its match: how turns follow each other and who wins."""

    turn: Data
    match: Data


TURNS_WITHOUT_FORMAT = {  # by set_aside: what the turns of the format cannot state
    "one-face": "each face can be set aside only once",
    "any": "[whole_hand] can put conditions on all dice set aside",
    "cup": "dice are drawn from a cup",
}


def describe_rules(problem: Problem[Any]) -> Data:
    """Return the turn, the match and the truncation for the header of a certificate.

    For a game that is written in Python only the kind "own" is stated. Its bounds are proved, but no checker can read
    its rules.

    Raises:
        InputError: the certificate format cannot express the rules.
    """
    playable = problem.playable
    family = problem.game.family
    if playable.game.seat_games:
        raise InputError(
            f"{playable.game.id} cannot be certified yet: certificates do not support rules that differ by seat"
        )
    if isinstance(playable.game.data, (OneFaceRules, CupRules)):
        kind_of_turn = playable.game.data.set_aside
        raise InputError(
            f"{playable.game.id} cannot be certified yet: certificates do not support set_aside={kind_of_turn}, because"
            f" the format has no turns in which {TURNS_WITHOUT_FORMAT[kind_of_turn]}"
        )
    own_kind = {"kind": "own"}
    description = FAMILIES[family](playable) if family in FAMILIES else Description(own_kind, own_kind)
    truncation: Data = {}
    if is_proved_compiled(problem):
        truncation = describe_truncation(problem)
    elif family == "scarney":
        truncation = describe_frame_truncation(playable)
    return {"turn": description.turn, "match": description.match, "cut": truncation}


def _inexpressible(playable: PlayableGame[Any], alternative: str) -> InputError:
    """Return the error that a certificate cannot express the objective of a game.

    Args:
        playable: the game as it is played.
        alternative: the objectives of this game that a certificate can express, for the message.
    """
    players = f" for {playable.players}" if playable.players > 1 else ""
    return InputError(
        f"{playable.game.id} cannot be certified for {playable.objective}{players} yet;"
        f" certificates support {alternative}"
    )


def _describe_race(playable: PlayableGame[Any], target: int, finish: str = "at_least", takes: str = "none") -> Data:
    """Describe a race to a target, or its turn alone if only points of a turn count.

    Args:
        playable: the game as it is played.
        target: the score that ends the race.
        finish: whether the target has to be reached (``at_least``) or hit (``exact``), or begins a ``last_round``.
        takes: who may take over a turn: ``none``, ``free`` or ``opened``.
    """
    if playable.objective in ("points", "rate"):
        return {**TURN_ONLY}
    return {"kind": "race", "target": target, "finish": finish, "takes": takes}


def _describe_pot(playable: Any) -> Data:
    """Describe a match of one turn for each player."""
    return {**ONE_ROUND, "share": playable.share}


def describe_push(playable: Any) -> Description:
    """Describe a push-your-luck game: a race, or one turn for each player."""
    has_opponents = playable.players > 1
    is_pot = playable.game.data.is_one_turn and has_opponents
    rules: PushRules = playable.solo_game.rules if is_pot else playable.rules
    check_expressible(playable.game.id, rules, playable.players)
    turn = describe_turn(rules, playable.objective)
    if is_pot:
        return Description(turn, _describe_pot(playable))
    # A player alone has no last round, and nothing to take over.
    finish = rules.finish if has_opponents or rules.finish == "exact" else "at_least"
    takes = rules.take_over if has_opponents else "none"
    return Description(turn, _describe_race(playable, rules.target, finish, takes))


def describe_hearts(playable: Any) -> Description:
    """Describe Hearts Due: one roll of six dice, which scores by its longest run of faces from the first on.

    Three dice of the first face, or more if the rules say so, lose the whole score. A row of ``specials`` has the least
    and the most counts of faces, the effect, points, and how often turn points are kept. The first that fits counts.
    """
    dice = 6
    faces = 6
    any_counts = [dice] * faces
    max_of_first_face = 3 if playable.rules.exactly_3 else dice
    wipe = [[3, *[0] * (faces - 1)], [max_of_first_face, *any_counts[1:]], "wipe", 0, 1]
    specials = [wipe]
    for run in range(6, 0, -1):  # the longest run first
        counts_of_run = [1] * run + [0] * (faces - run)
        points = playable.rules.full_points if run == 6 else 5 * run
        specials.append([counts_of_run, any_counts, "score", points, 1])
    turn = describe_set_turn(dice=[[dice, [1] * faces]], most=dice, specials=specials, once=True, hot="none")
    return Description(turn, _describe_race(playable, playable.target))


def describe_showdown(playable: Any) -> Description:
    """Describe Going to Boston and Multiplication, in which the players compare one turn each.

    One die of each roll is set aside and scores its spots: any die, or the highest one. In Multiplication the last die
    multiplies: a roll of that die alone is a special roll, which adds no points and multiplies the turn points by its
    spots. The keys and the lists are those of ``docs/certificate-format.md``.
    """
    groups: list[list[Any]] = []  # [the faces that are set aside, their points]
    multipliers: list[list[Any]] = []  # [least and most dice of each face, what happens, points, factor]
    for face in range(6):
        one_die = [int(other_face == face) for other_face in range(6)]  # dice by face
        spots = face + 1
        groups.append([one_die, spots])
        multipliers.append([one_die, one_die, "score", 0, spots])
    may_keep_any_die = playable.any
    turn = describe_set_turn(
        dice=[[3, [1] * 6]],  # [number of dice, weight of each face]
        groups=groups,
        most=1,  # die set aside from a roll
        hot="none",
        stop="all",
        take="free" if may_keep_any_die else "all",
        specials=multipliers if playable.game.id == "multiplication" else [],
    )
    return Description(turn, _describe_pot(playable) if playable.players > 1 else {**TURN_ONLY})


def describe_crew(playable: Any) -> Description:
    """Describe Battleship: a race for one player, rounds for several.

    The rule ``crew`` says whether one of the two last dice may be kept while the other is rolled again: after the roll
    that completes ship, captain and crew, and after later rolls.
    """
    may_keep_one = {"each": [True, True], "both": [False, False], "hybrid": [False, True]}[playable.crew]
    ship_captain_crew = [6, 5, 4]  # the faces to set aside, in this order
    turn = {"kind": "crew", "casts": 3, "faces": 6, "order": ship_captain_crew, "alone": may_keep_one}
    if playable.players == 1:
        return Description(turn, _describe_race(playable, playable.target))
    target = playable.target if playable.first_to else 0
    return Description(turn, {**ONE_ROUND, "rounds": playable.rounds, "target": target})


def describe_card(playable: Any) -> Description:
    """Describe a scorecard: the score of every roll in every box, and the bonuses.

    Raises:
        InputError: the format cannot express the objective; or two boxes are filled in each turn, and the rules have
            more that the format cannot combine with it.
    """
    rules = playable.card
    if playable.objective not in CARD_OBJECTIVES:
        raise _inexpressible(playable, ", ".join(CARD_OBJECTIVES))
    if rules.boxes == 2 and (
        rules.upper_categories or rules.again_category or rules.has_forced_zeros or rules.has_first_roll_scores
    ):
        raise InputError(
            f"{playable.game.id} cannot be certified yet: certificates do not support these rules of two boxes a turn"
        )
    faces = range(rules.faces)
    dice_per_box = rules.dice // rules.boxes
    rolls = combinations_with_replacement(faces, dice_per_box)
    face_counts = np.array([[roll.count(face) for face in faces] for roll in rolls])  # (rolls, faces)
    all_alike = np.eye(rules.faces, dtype=np.int64) * rules.dice  # by face, the counts of dice that all show it
    box_of_face = {category.face: box for box, category in enumerate(rules.categories) if category.face}
    boxes = range(len(rules.categories))
    # By column: the boxes whose points add up to an upper total, and the bonuses that totals bring.
    upper = [[box for box in boxes if mask >> box & 1] for mask in rules.columns]
    steps = [[[factor * total, factor * bonus] for total, bonus in rules.upper_steps] for factor in rules.factors]
    has_columns = len(upper) > 1
    winning_boxes: list[int] = []
    if playable.objective == "win":
        winning_boxes = [box for box, category in enumerate(rules.categories) if category.wins_on_first_roll]
    turn = {
        "kind": "boxes",
        "dice": rules.dice,
        "weights": list(rules.weights),
        "throws": rules.throws,
        "boxes": rules.boxes,
        "scores": [category.score(face_counts).tolist() for category in rules.categories],
        "first": [category.first_roll_score(face_counts).tolist() for category in rules.categories]
        if rules.has_first_roll_scores
        else [],
        "wins": winning_boxes,
        "before": list(rules.predecessors),
        "zeros": not rules.has_forced_zeros,
        "upper": upper if has_columns else upper[0],
        "steps": steps if has_columns else steps[0],
        "again": rules.names.index(rules.again_category) if rules.again_category else -1,
        "bonus": rules.again_bonus,
        "own": [box_of_face.get(face, -1) for face in range(1, rules.faces + 1)],
        "full": [category.joker_score(all_alike).tolist() for category in rules.categories],
        "joker": rules.again_joker if rules.again_category else "none",
    }
    if rules.total_ranges and playable.objective == "points":
        turn["ranges"] = [list(counted_range) for counted_range in rules.total_ranges]
    if rules.saved_throws:
        turn["saved"] = rules.saved_throws
    return Description(turn, {"kind": "card"})


def describe_scarney(playable: Any) -> Description:
    """Describe Straight Scarney: every roll is special, and without turn points a player may double its spots.

    Raises:
        InputError: the objective or the number of players cannot be expressed.
    """
    if playable.objective == "chips" or playable.players > 2:
        raise _inexpressible(playable, "the points of a frame, and the win of two players")
    rules = frame_rules(playable)
    turn = describe_set_turn(
        dice=[[DICE, list(WEIGHTS)]],
        specials=_scarney_specials(rules, False),
        doubled=_scarney_specials(rules, True) if rules.can_double else [],
        most=DICE,
        below="throw",
    )
    match = {"kind": "frames", "frames": playable.frames} if playable.players > 1 else {**TURN_ONLY}
    return Description(turn, match)


def _scarney_specials(rules: Any, is_doubled: bool) -> list[list[Any]]:
    """Return the effect of every roll of a frame as rows of special rolls.

    A row has the least and the most counts of faces, which are equal here, the effect, points, and whether turn points
    are kept. Dice that show the last face are dead and drop out.

    Args:
        rules: the rules of the frame.
        is_doubled: whether the player has doubled the spots of the roll.
    """
    faces = range(len(SPOTS))
    specials: list[list[Any]] = []
    for live in range(1, DICE + 1):  # dice that are rolled
        for dice in combinations_with_replacement(faces, live):
            counts = [*map(dice.count, faces)]
            outcome = rules.outcome(tuple(counts), is_doubled)
            if outcome == rules.big_scarney:
                effect = ["win", 0, 1]
            elif outcome.next_mode < 0:
                effect = ["bust", 0, 1]
            else:
                has_dead_dice = counts[-1] > 0
                effect = ["drop" if has_dead_dice else "same", outcome.added_points, outcome.keeps_points]
            specials.append([counts, counts, *effect])
    return specials


def describe_tiles(playable: Any) -> Description:
    """Describe Shut the Box."""
    rules = playable.rules
    turn: Data = {"kind": "tiles", "tiles": rules.tiles, "one": rules.one_die is not OneDie.NEVER}
    if rules.one_die is OneDie.SUM:
        turn["by_sum"] = True
    if rules.max_shut < rules.tiles:
        turn["most"] = rules.max_shut
    if rules.are_digits:
        turn["digits"] = True
    return Description(turn, {"kind": "box", "goal": playable.goal})


def describe_touch(playable: Any) -> Description:
    """Describe Booby Trap; sizes of pieces are listed from large to small."""
    rules = playable.rules
    turn = {
        "kind": "touch",
        "chances": _ratios(rules.odds.feel_chances),
        "trips": _ratios(rules.odds.trip_chances),
        "in_order": rules.is_in_order,
    }
    match = {
        "kind": "board",
        "board": list(rules.board),
        "points": list(rules.points),
        "penalty": rules.penalty,
        "last": rules.last_pieces,
        "passes": rules.max_passes,
        "allowed": rules.trips,
    }
    return Description(turn, match)


def _ratios(rows: Iterable[Iterable[Fraction]]) -> list[list[list[int]]]:
    """Return rows of fractions with every fraction as a list of its numerator and denominator."""
    return [[[*probability.as_integer_ratio()] for probability in row] for row in rows]


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


def state_namer(playable: Any) -> Callable[[Any], State]:
    """Return the function that names the states of a game, given a position between turns.

    States of a game that is written in Python are numbered in the order in which they are first named.
    """
    if playable.game.family in FAMILIES:
        return partial(state_name, playable)
    numbers: dict[Any, int] = {}

    def number_as_name(position: Any) -> State:
        number = numbers.setdefault(position, len(numbers))
        return (number,)

    return number_as_name


def state_name(playable: Any, position: Any) -> State:
    """Return the name of the state of a position between turns.

    What its numbers mean depends on the match: see "Matches" in docs/certificate-format.md.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins.
    """
    family = playable.game.family
    if FAMILIES[family] is describe_card:
        return _card_state(playable, position)
    if family == "tiles":  # the seat, and the points left of those before it; 0 for those who come
        zeros_to_come = (0,) * (playable.players - 1 - position.seat)
        return position.seat, *position.left, *zeros_to_come
    seats = playable.seats_from(playable.player_to_move(position))
    if family == "touch":
        leads = [position.score - position.scores[seat] for seat in seats[1:]]
        leads_or_trips = leads or [position.trips]
        return *position.left, *leads_or_trips, position.passes
    if playable.objective == "points":
        return (0,)
    is_rounds = family == "rounds" and playable.players > 1
    is_pot = hasattr(position, "holders")
    if is_rounds or is_pot:
        return _round_state(playable, position)
    return _race_state(playable, position, seats)


def _race_state(playable: Any, position: Any, seats: Sequence[int]) -> State:
    """Return the name of a state of a race: scores, busts in a row if they cost, and what else the turn depends on.

    That is the turns left for ``reach``, and the points and dice that may be taken over.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins.
        seats: all seats from the mover on.
    """
    scores = [position.scores[seat] for seat in seats]
    has_costs = bool(getattr(position, "busts", ()))
    busts = [position.busts[seat] for seat in seats] if has_costs else []
    further_numbers: State = ()
    if playable.players > 1 and getattr(playable.rules, "take_over", "none") != "none":
        further_numbers = position.offered or (0, 0)
    elif playable.objective == "reach":
        further_numbers = (position.turns_left,)
    return *scores, *busts, *further_numbers


def counts_only_future_points(playable: Any) -> bool:
    """Return whether states count only future points: points of a scorecard that are simply added up."""
    is_card_alone = FAMILIES.get(playable.game.family) is describe_card and playable.players == 1
    return is_card_alone and playable.objective == "points" and not playable.card.total_ranges


def _card_state(playable: Any, position: Any) -> State:
    """Return the name of a scorecard's state.

    For two players it is the used boxes of the mover and of the opponent, as bits, and the mover's lead. Alone it is
    the used boxes; the upper total of each column; whether the box of dice that are all alike holds points; then, where
    the value depends on them, the points so far and the rolls saved.
    """
    own = position.own_card
    rules = playable.card
    if position.other_cards:
        opponent = position.other_cards[0]
        return own.used, opponent.used, own.score - opponent.score
    uppers = [factor * upper for factor, upper in zip(rules.factors, rules.upper_by_column(own.upper), strict=True)]
    total = () if counts_only_future_points(playable) else (own.score,)
    saved_rolls = (own.saved,) if rules.saved_throws else ()
    return own.used, *uppers, int(own.flag), *total, *saved_rolls


def _round_state(playable: Any, position: Any) -> State:
    """Return the name of a state of rounds: the round, the playoff, the seat to move, and the totals.

    The playoff is a bit mask of its seats, 0 for all. Totals are relative to the least, unless the match goes to a
    target. If the best score of one round wins, every player who has played and is behind counts as one point behind
    the best.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins. In a game of one turn each (a pot) it has the score to ``beat`` and
            its ``holders`` in place of scores.
    """
    seats = range(playable.players)
    has_target = getattr(playable, "first_to", False)
    is_playoff_of_some = len(position.playoff) < playable.players
    # Without a target a playoff of all repeats the last round, and needs no mask.
    has_mask = is_playoff_of_some or has_target
    mask = sum(1 << seat for seat in position.playoff) if has_mask else 0
    if hasattr(position, "holders"):
        fewer_is_better = getattr(getattr(playable, "solo_game", None), "fewer_is_better", False)
        best = -position.beat if fewer_is_better else position.beat
        totals = [best if seat in position.holders else best - 1 for seat in seats]
        round_number = 1
    else:
        totals = list(position.scores)
        round_number = playable.rounds if mask else position.round
    is_one_round = getattr(playable, "rounds", 1) == 1 and not has_target
    if is_one_round and playable.objective == "win":
        seats_done = [seat for seat in active_seats(position.playoff, playable.players) if seat < position.seat]
        one_behind = max((totals[seat] for seat in seats_done), default=0) - 1
        totals = [max(totals[seat], one_behind) if seat in seats_done else 0 for seat in seats]
    base = 0 if has_target else min(totals)
    return round_number, mask, position.seat, *(total - base for total in totals)
