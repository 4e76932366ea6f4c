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

from ..games.badges import FAMILY as BADGE_FAMILY
from ..games.cup_rules import CupRules
from ..games.one_face_rules import OneFaceRules
from ..games.push_rules import PushRules
from ..games.scarney import DICE, SPOTS, WEIGHTS
from ..games.seat_rules import FAMILY as UNLIKE_SEATS
from ..games.shut_the_box import OneDie
from ..play.playable_game import PlayableGame
from ..play.seats import active_seats
from ..solvers import Problem
from ..solvers.push.unlike_race import UnlikeRaceProblem
from ..util.errors import InputError
from .frame_truncation import describe_frame_truncation, frame_rules
from .rule_data import (
    check_expressible,
    describe_set_turn,
    describe_special_roll,
    describe_truncation,
    describe_turn,
    is_proved_compiled,
)
from .unlike_seats import describe_seat_truncation

State = tuple[int, ...]
Data = dict[str, Any]

# Matches in the words of the format; the functions below return copies of them.
ONE_ROUND = {"kind": "rounds", "rounds": 1, "target": 0, "share": False}  # one turn each; target 0: there is none
TURN_ONLY = {"kind": "turn"}  # a single turn of one player
CARD_OBJECTIVES = ("points", "reach", "win")  # those that the format can express for cards
HEARTS_POINTS_PER_FACE = 5  # of a run in Hearts Due, unless it is full


class Description(NamedTuple):
    """The rules of a game in the words of the certificate format.

    Attributes:
        turn: the data of one player's turn.
        match: the data of the match: how turns follow each other and who wins.
    """

    turn: Data
    match: Data


# By the rule ``set_aside``: what the turns of the format cannot state, for the message that refuses a certificate.
TURNS_WITHOUT_FORMAT = {
    "one-face": "each face can be set aside only once",
    "any": "[whole_hand] can put conditions on all dice set aside",
    "cup": "dice are drawn from a cup",
}


def describe_rules(problem: Problem[Any]) -> Data:
    """Return the rules of a problem for the header of a certificate, by the keys ``turn``, ``match`` and ``cut``.

    ``cut`` says where turns are truncated. For a game that is written in Python only the kind "own" is stated. Its
    bounds are proved, but no checker can read its rules.

    Raises:
        InputError: the certificate format cannot express the rules.
    """
    playable = problem.playable
    family = problem.game.family
    if isinstance(playable.game.data, (OneFaceRules, CupRules)):
        kind_of_turn = playable.game.data.set_aside
        raise InputError(
            f"{playable.game.id} cannot be certified yet: certificates do not support set_aside={kind_of_turn}, because"
            f" the format has no turns in which {TURNS_WITHOUT_FORMAT[kind_of_turn]}"
        )
    if family == BADGE_FAMILY:
        raise InputError(f"{playable.game.id} cannot be certified yet: certificates do not support badges")
    if problem.game.head_starts and family != UNLIKE_SEATS:
        raise InputError(
            f"{playable.game.id} cannot be certified yet: certificates do not support head starts with these rules;"
            " certify the game without head_start"
        )
    if family == UNLIKE_SEATS and playable.game.data.finish == "last_round":
        raise InputError(
            f"{playable.game.id} cannot be certified yet: certificates do not support rules by seat with"
            " finish=last_round"
        )
    own_kind = {"kind": "own"}
    description = FAMILIES[family](playable) if family in FAMILIES else Description(own_kind, own_kind)
    truncation: Data = {}
    if is_proved_compiled(problem):
        truncation = describe_truncation(problem)
    elif isinstance(problem, UnlikeRaceProblem):
        truncation = describe_seat_truncation(problem)
    elif family == "scarney":
        truncation = describe_frame_truncation(playable)
    return {"turn": description.turn, "match": description.match, "cut": truncation}


def _inexpressible(playable: PlayableGame[Any], alternative: str) -> InputError:
    """Return the error that a certificate cannot express the objective of a game.

    Args:
        playable: the game as it is played.
        alternative: the objectives of this game that a certificate can express, for the message.
    """
    players = f" with {playable.players} players" if playable.players > 1 else ""
    return InputError(
        f"{playable.game.id} cannot be certified for the objective {playable.objective}{players} yet;"
        f" certificates support {alternative}"
    )


def _describe_race(playable: PlayableGame[Any], target: int, finish: str = "at_least", takes: str = "none") -> Data:
    """Return the data of the match of a race to a target; of a single turn for the objectives points and rate.

    Args:
        playable: the game as it is played.
        target: the score that ends the race.
        finish: whether the target has to be reached (``at_least``) or hit (``exact``), or begins a ``last_round``.
        takes: who may take over a turn: ``none``, ``free`` or ``opened``.
    """
    if playable.objective in ("points", "rate"):
        return dict(TURN_ONLY)
    return {"kind": "race", "target": target, "finish": finish, "takes": takes}


def _describe_one_turn_each(playable: Any) -> Data:
    """Return the data of a match in which every player has one turn, and tied players share or play on.

    Args:
        playable: the game as it is played; ``playable.share`` says whether tied players share.
    """
    return {**ONE_ROUND, "share": playable.share}


def describe_push(playable: Any) -> Description:
    """Return the rules of a push-your-luck game as data for a certificate: a race, or one turn for each player.

    Raises:
        InputError: the format cannot express the rules.
    """
    has_opponents = playable.players > 1
    has_one_turn_each = playable.game.data.is_one_turn and has_opponents
    # A game of one turn each keeps the rules of its turn in ``solo_game``, the same game for one player.
    rules: PushRules = playable.solo_game.rules if has_one_turn_each else playable.rules
    check_expressible(playable.game.id, rules, playable.players)
    turn = describe_turn(rules, playable.objective)
    if has_one_turn_each:
        return Description(turn, _describe_one_turn_each(playable))
    # A player alone has no last round, and nothing to take over.
    finish = rules.finish if has_opponents or rules.finish == "exact" else "at_least"
    takes = rules.take_over if has_opponents else "none"
    return Description(turn, _describe_race(playable, rules.target, finish, takes))


def describe_seats(playable: Any) -> Description:
    """Return the rules of a race of players who are not alike as data for a certificate: a turn for each seat.

    Raises:
        InputError: the format cannot express the rules of a seat.
    """
    rules_by_seat = [seat_game.rules for seat_game in playable.seat_games]
    for rules in rules_by_seat:
        check_expressible(playable.game.id, rules, playable.players)
    turn = {"kind": "seats", "seats": [describe_turn(rules, playable.objective) for rules in rules_by_seat]}
    match = {
        "kind": "seats",
        "targets": [rules.target for rules in rules_by_seat],
        "finish": rules_by_seat[0].finish,  # the same for all
        "head_starts": list(playable.head_starts),  # the scores when the game begins
    }
    return Description(turn, match)


def describe_hearts(playable: Any) -> Description:
    """Return the rules of Hearts Due as data for a certificate.

    A turn is one roll of six dice, which scores by its longest run of faces from the first on.

    Three dice of the first face lose the whole score; so do more, unless the rules say exactly three. All of this is
    stated as special rolls. The first one that fits a roll counts, so longer runs stand before shorter ones.
    """
    dice = 6
    faces = 6
    no_dice = [0] * faces  # by face
    all_dice = [dice] * faces  # by face; as greatest numbers they allow any roll
    max_of_first_face = 3 if playable.rules.exactly_3 else dice
    wipe = describe_special_roll(
        min_counts=[3, *no_dice[1:]], max_counts=[max_of_first_face, *all_dice[1:]], effect="wipe"
    )
    specials = [wipe]
    for run in range(faces, 0, -1):
        points = playable.rules.full_points if run == faces else HEARTS_POINTS_PER_FACE * run
        counts_of_run = [1] * run + no_dice[run:]  # at least one die of each face of the run
        specials.append(
            describe_special_roll(min_counts=counts_of_run, max_counts=all_dice, effect="score", points=points)
        )
    turn = describe_set_turn(
        dice=[[dice, [1] * faces]],  # [number of dice, weight of each face]
        most=dice,  # dice set aside from a roll
        specials=specials,
        once=True,  # a turn is one roll
        hot="none",
    )
    return Description(turn, _describe_race(playable, playable.target))


def describe_showdown(playable: Any) -> Description:
    """Return the rules of Going to Boston or Multiplication as data for a certificate; players compare one turn each.

    One die of each roll is set aside and scores its spots: any die, or the highest one. In Multiplication the last die
    multiplies: a roll of that die alone is a special roll, which adds no points and multiplies the turn points by its
    spots. The keys and the lists are those of ``docs/certificate-format.md``.
    """
    groups: list[list[Any]] = []  # each is [face counts, points]
    multipliers: list[list[Any]] = []  # special rolls: a single die that shows this face
    for face in range(6):
        one_die = [int(other_face == face) for other_face in range(6)]  # by face, the number of dice
        spots = face + 1
        groups.append([one_die, spots])
        multipliers.append(describe_special_roll(one_die, one_die, effect="score", points=0, factor=spots))
    may_keep_any_die = playable.any
    turn = describe_set_turn(
        dice=[[3, [1] * 6]],  # [number of dice, weight of each face]
        groups=groups,
        most=1,  # die set aside from a roll
        hot="none",
        stop="all",
        take="free" if may_keep_any_die else "all",  # "all": the best set that may be set aside, here the highest die
        specials=multipliers if playable.game.id == "multiplication" else [],
    )
    match = _describe_one_turn_each(playable) if playable.players > 1 else dict(TURN_ONLY)
    return Description(turn, match)


def describe_crew(playable: Any) -> Description:
    """Return the rules of Battleship as data for a certificate: a race for one player, rounds for several.

    The rule ``crew`` says whether one of the two last dice may be kept while the other is rolled again.
    """
    # By value of the rule: [after the roll that completes ship, captain and crew; after later rolls].
    may_keep_one_die = {"each": [True, True], "both": [False, False], "hybrid": [False, True]}
    ship_captain_crew = [6, 5, 4]  # the faces to set aside, in this order
    turn = {
        "kind": "crew",
        "casts": 3,  # rolls of a turn
        "faces": 6,
        "order": ship_captain_crew,
        "alone": may_keep_one_die[playable.crew],
    }
    if playable.players == 1:
        return Description(turn, _describe_race(playable, playable.target))
    target = playable.target if playable.first_to else 0  # 0: the match has a number of rounds and no target
    return Description(turn, {**ONE_ROUND, "rounds": playable.rounds, "target": target})


def describe_card(playable: Any) -> Description:
    """Return the rules of a game with a scorecard as data for a certificate.

    They state the score of every roll in every box, so that a checker need not know the categories by name. The format
    calls a category of the card a *box*.

    Raises:
        InputError: the format cannot express the objective. Or two boxes are filled in each turn, and the rules also
            have something that the format cannot combine with it.
    """
    _check_card_expressible(playable)
    rules = playable.card
    faces = range(rules.faces)  # faces are numbered from 0 here, and from 1 in ``category.face``
    dice_per_box = rules.dice // rules.boxes  # ``boxes`` (1 or 2) are filled in a turn
    rolls = combinations_with_replacement(faces, dice_per_box)
    face_counts = np.array([[roll.count(face) for face in faces] for roll in rolls])  # (rolls, faces)
    # (faces, faces): row f is dice that all show face f. It counts only with one box a turn, which all dice fill.
    all_alike = np.eye(rules.faces, dtype=np.int64) * rules.dice
    first_roll_scores: list[list[int]] = []
    if rules.has_first_roll_scores:
        first_roll_scores = [category.first_roll_score(face_counts).tolist() for category in rules.categories]
    winning_boxes: list[int] = []
    if playable.objective == "win":
        winning_boxes = [box for box, category in enumerate(rules.categories) if category.wins_on_first_roll]
    box_of_face = {category.face: box for box, category in enumerate(rules.categories) if category.face}
    no_box = -1
    turn = {
        "kind": "boxes",
        "dice": rules.dice,
        "weights": list(rules.weights),  # by face
        "throws": rules.throws,  # rolls of a turn
        "boxes": rules.boxes,  # filled in a turn
        "scores": [category.score(face_counts).tolist() for category in rules.categories],  # by box and roll
        "first": first_roll_scores,  # by box and roll, after the first roll of a turn; empty if nothing differs
        "wins": winning_boxes,  # boxes that win at once if they are filled after the first roll
        "before": list(rules.predecessors),  # by box, the box that must be filled before it, or -1
        "zeros": not rules.has_forced_zeros,  # whether dice that score in some box may be entered for 0 in another
        **_describe_upper_columns(rules),  # ``upper`` and ``steps``
        "again": rules.names.index(rules.again_category) if rules.again_category else no_box,  # for dice all alike
        "bonus": rules.again_bonus,  # of later dice all alike, once the box ``again`` holds points
        "own": [box_of_face.get(face + 1, no_box) for face in faces],  # by face, its own box
        "full": [category.joker_score(all_alike).tolist() for category in rules.categories],  # by box and face
        "joker": rules.again_joker if rules.again_category else "none",  # where later dice all alike may be entered
    }
    if rules.total_ranges and playable.objective == "points":  # pairs [least total, what the card is then worth]
        turn["ranges"] = [list(counted_range) for counted_range in rules.total_ranges]
    if rules.saved_throws:  # rolls that turns did not use, saved for later turns
        turn["saved"] = rules.saved_throws
    return Description(turn, {"kind": "card"})


def _check_card_expressible(playable: Any) -> None:
    """Raise InputError if the format cannot express the objective, or the rules, of a game with a scorecard."""
    rules = playable.card
    if playable.objective not in CARD_OBJECTIVES:
        raise _inexpressible(playable, f"the objectives {', '.join(CARD_OBJECTIVES)}")
    if rules.boxes == 2 and (
        rules.upper_categories or rules.again_category or rules.has_forced_zeros or rules.has_first_roll_scores
    ):
        raise InputError(
            f"{playable.game.id} cannot be certified yet: with boxes = 2, certificates do not support [upper], [again],"
            " zeros = \"forced\" and 'first'"
        )
    if rules.throw_costs:
        raise InputError(f"{playable.game.id} cannot be certified yet: certificates do not support throw_costs")


def _describe_upper_columns(rules: Any) -> Data:
    """Return the columns of a scorecard as data: ``upper``, the boxes of each, and ``steps``, its bonuses.

    Boxes are those whose points add up to the upper total of the column. Steps are pairs [least upper total, bonus]. A
    single column is stated by itself, not in a list of columns.
    """
    boxes = range(len(rules.categories))
    boxes_by_column: list[list[int]] = []
    steps_by_column: list[list[list[int]]] = []
    for column_mask, factor in zip(rules.columns, rules.factors, strict=True):
        boxes_by_column.append([box for box in boxes if column_mask >> box & 1])
        # The points of a column are multiplied by its factor, and so are its totals and bonuses.
        steps_by_column.append([[factor * total, factor * bonus] for total, bonus in rules.upper_steps])
    if len(boxes_by_column) == 1:
        return {"upper": boxes_by_column[0], "steps": steps_by_column[0]}
    return {"upper": boxes_by_column, "steps": steps_by_column}


def describe_scarney(playable: Any) -> Description:
    """Return the rules of Straight Scarney as data for a certificate: the frame, and the match of frames.

    Every roll of a frame is stated as a special roll.

    A player who has no turn points may double the spots of the roll to come, if the rules allow that. The special rolls
    ``doubled`` then count in place of the others.

    Raises:
        InputError: the objective or the number of players cannot be expressed.
    """
    if playable.objective == "chips" or playable.players > 2:
        raise _inexpressible(playable, "the objectives points, and win for two players")
    rules = frame_rules(playable)
    turn = describe_set_turn(
        dice=[[DICE, list(WEIGHTS)]],  # [number of dice, weight of each face]
        specials=_scarney_specials(rules, is_doubled=False),
        doubled=_scarney_specials(rules, is_doubled=True) if rules.can_double else [],
        most=DICE,  # dice set aside from a roll
        below="throw",  # without turn points a stop is not allowed: the player has to roll
    )
    match = {"kind": "frames", "frames": playable.frames} if playable.players > 1 else dict(TURN_ONLY)
    return Description(turn, match)


def _scarney_specials(rules: Any, is_doubled: bool) -> list[list[Any]]:
    """Return every roll of one to five live dice of a frame as a special roll, with what it leads to.

    A roll wins (Big Scarney), is a bust (all dice are dead), or goes on. Dice that show the last face are dead. The
    effect "drop" takes the dead dice out of the frame, and the other dice go on. If no die is dead, the effect "same"
    lets all the dice be rolled again.

    Args:
        rules: the rules of the frame.
        is_doubled: whether the player has doubled the spots of the roll.
    """
    faces = range(len(SPOTS))
    specials: list[list[Any]] = []
    for rolled_count in range(1, DICE + 1):
        for dice in combinations_with_replacement(faces, rolled_count):
            counts = [*map(dice.count, faces)]  # by face, the number of dice
            # Exactly these dice make the special roll: no fewer and no more of any face.
            describe = partial(describe_special_roll, min_counts=counts, max_counts=counts)
            outcome = rules.outcome(tuple(counts), is_doubled)
            is_crap_out = outcome.next_mode < 0 and outcome != rules.big_scarney
            if outcome == rules.big_scarney:
                special = describe(effect="win")
            elif is_crap_out:
                special = describe(effect="bust")
            else:
                has_dead_dice = counts[-1] > 0
                effect = "drop" if has_dead_dice else "same"
                # As a factor of the turn points, True stands for 1 and False for 0: they are lost.
                special = describe(effect=effect, points=outcome.added_points, factor=outcome.keeps_points)
            specials.append(special)
    return specials


def describe_tiles(playable: Any) -> Description:
    """Return the rules of Shut the Box as data for a certificate.

    The goal of the match is that of the objective ``reach``: the most points that may be left.
    """
    rules = playable.rules
    may_roll_one_die = rules.one_die is not OneDie.NEVER
    turn: Data = {"kind": "tiles", "tiles": rules.tiles, "one": may_roll_one_die}
    if rules.one_die is OneDie.SUM:  # one die if the tiles that stand add up to 6 or less
        turn["by_sum"] = True
    if rules.max_shut < rules.tiles:  # at most so many tiles may be shut by one roll
        turn["most"] = rules.max_shut
    if rules.are_digits:  # the tiles that stand at the end are read as the digits of one number
        turn["digits"] = True
    return Description(turn, {"kind": "box", "goal": playable.goal})


def describe_touch(playable: Any) -> Description:
    """Return the rules of Booby Trap as data for a certificate; lists by size of the pieces go from large to small."""
    rules = playable.rules
    turn = {
        "kind": "touch",
        "chances": _ratios(rules.odds.feel_chances),  # by size and feel: the probability that a piece feels so
        "trips": _ratios(rules.odds.trip_chances),  # by size and feel: the probability that it trips the bar
        "in_order": rules.is_in_order,  # whether the smallest pieces have to be touched first
    }
    match = {
        "kind": "board",
        "board": list(rules.board),  # by size, the number of pieces
        "points": list(rules.points),  # by size, the points of a piece
        "penalty": rules.penalty,  # points that a trip costs
        "last": rules.last_pieces,  # the game is over once so few pieces are left
        "passes": rules.max_passes,  # allowed in a row
        "allowed": rules.trips,  # trips that a player alone may have
    }
    return Description(turn, match)


def _ratios(rows: Iterable[Iterable[Fraction]]) -> list[list[list[int]]]:
    """Return rows of fractions with every fraction as a list of its numerator and denominator."""
    return [[[*probability.as_integer_ratio()] for probability in row] for row in rows]


FAMILIES: Mapping[str, Callable[[Any], Description]] = {
    "push": describe_push,
    "one turn": describe_push,
    UNLIKE_SEATS: describe_seats,
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
    if family == "tiles":
        return _tiles_state(playable, position)
    seats = playable.seats_from(playable.player_to_move(position))  # from the mover on
    if family == "touch":  # pieces left by size; the mover's lead over each opponent, or alone the trips; passes
        leads = [position.score - position.scores[seat] for seat in seats[1:]]
        leads_or_trips = leads or [position.trips]
        return *position.left, *leads_or_trips, position.passes
    if family == UNLIKE_SEATS:
        return *(position.scores[seat] for seat in seats), position.seat
    if playable.objective == "points":  # the game is one turn, so its start is the only position between turns
        has_banked = 0
        return (has_banked,)
    is_rounds = family == "rounds" and playable.players > 1
    has_one_turn_each = hasattr(position, "holders")  # only such games have holders of the best result
    if is_rounds or has_one_turn_each:
        return _round_state(playable, position)
    return _race_state(playable, position, seats)


def _tiles_state(playable: Any, position: Any) -> State:
    """Return the name of a state of Shut the Box: the seat to move, and what each seat but the last was left with.

    Seats that have not had their turn count 0. The last seat is left out, because no seat moves after it.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins; its ``left`` are the results of the seats before the mover.
    """
    seats_to_come = playable.players - 1 - position.seat  # without the last seat
    no_results = [0] * seats_to_come
    return position.seat, *position.left, *no_results


def _race_state(playable: Any, position: Any, seats: Sequence[int]) -> State:
    """Return the name of a state of a race: scores, busts in a row if they cost, and what else the turn depends on.

    That is the points and dice that may be taken over, if the rules allow that, or the turns left for ``reach``.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins.
        seats: all seats from the mover on.
    """
    scores = [position.scores[seat] for seat in seats]
    # Not all families that are played as races have busts that cost, or turns that can be taken over.
    has_costs = bool(getattr(position, "busts", ()))
    busts = [position.busts[seat] for seat in seats] if has_costs else []
    further_numbers: State = ()
    if playable.players > 1 and getattr(playable.rules, "take_over", "none") != "none":
        no_points, no_dice = 0, 0
        further_numbers = position.offered or (no_points, no_dice)
    elif playable.objective == "reach":
        further_numbers = (position.turns_left,)
    return *scores, *busts, *further_numbers


def counts_only_future_points(playable: Any) -> bool:
    """Return whether the points scored so far are no part of a state, so that V is the points still to come.

    That is so for a scorecard of one player whose points are simply added up. It is not if the total of the whole card
    is worth other points by its range (``total_ranges``).
    """
    is_card_alone = FAMILIES.get(playable.game.family) is describe_card and playable.players == 1
    return is_card_alone and playable.objective == "points" and not playable.card.total_ranges


def _card_state(playable: Any, position: Any) -> State:
    """Return the name of a scorecard's state.

    For two players it is the used boxes of the mover and of the opponent, as bits, and the mover's lead. Alone it is
    the used boxes as bits; the upper total of each column, multiplied by its factor; whether the box of dice that are
    all alike holds points (the ``flag``); and if the value depends on them, the points so far and the rolls saved.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins.
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
    """Return the name of a state of rounds: the round, the playoff, the seat to move, and the totals by seat.

    Totals are relative to the least, unless the match goes to a target.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins. In a game of one turn each it has the result to ``beat`` and its
            ``holders`` in place of scores.
    """
    playoff_mask = _playoff_mask(playable, position)
    round_number = _round_number(playable, position, playoff_mask)
    totals = _totals_of_rounds(playable, position)
    base = 0 if _has_target(playable) else min(totals)
    return round_number, playoff_mask, position.seat, *(total - base for total in totals)


def _has_target(playable: Any) -> bool:
    """Return whether a match of rounds goes to a target, and not over a number of rounds."""
    return bool(getattr(playable, "first_to", False))


def _round_number(playable: Any, position: Any, playoff_mask: int) -> int:
    """Return the number of the round, from 1 on; 0 if rounds are not counted, because the match goes to a target.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins.
        playoff_mask: the playoff as ``_playoff_mask`` returns it.
    """
    if hasattr(position, "holders"):  # one turn each is the only round
        return 1
    return int(playable.rounds if playoff_mask else position.round)  # a playoff follows the last round


def _playoff_mask(playable: Any, position: Any) -> int:
    """Return the seats of the playoff as bits: bit i for seat i; 0 if there is none.

    If all players tie after the last of a number of rounds, their playoff is worth what the last round is with equal
    totals. So it has the name of that round, without a playoff.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins.
    """
    is_playoff_of_all = len(position.playoff) == playable.players
    is_last_round_again = is_playoff_of_all and not _has_target(playable)
    if is_last_round_again:  # the position has the number of the last round
        return 0
    return sum(1 << seat for seat in position.playoff)


def _totals_of_rounds(playable: Any, position: Any) -> list[int]:
    """Return the totals by seat, alike where the value is known to be the same.

    If the best result of a single round wins, players who have played and are behind cannot win any more. They all
    count as one point behind the best, so that fewer states have the same value.

    Args:
        playable: the game as it is played.
        position: a position in which a turn begins, with scores or with ``holders``.
    """
    has_holders = hasattr(position, "holders")
    totals = _totals_by_holders(playable, position) if has_holders else list(position.scores)
    is_one_round = getattr(playable, "rounds", 1) == 1 and not _has_target(playable)
    if not is_one_round or playable.objective != "win":
        return totals
    seats_of_round = active_seats(position.playoff, playable.players)
    seats_done = [seat for seat in seats_of_round if seat < position.seat]
    return _totals_that_can_win(totals, seats_done)


def _totals_by_holders(playable: Any, position: Any) -> list[int]:
    """Return totals by seat in a game of one turn each: the best result for its holders, and one less for all others.

    Args:
        playable: the game as it is played.
        position: a position with the result to ``beat`` and its ``holders``.
    """
    fewer_is_better = getattr(getattr(playable, "solo_game", None), "fewer_is_better", False)
    best = -position.beat if fewer_is_better else position.beat  # so that more is better in any case
    return [best if seat in position.holders else best - 1 for seat in range(playable.players)]


def _totals_that_can_win(totals: Sequence[int], seats_done: Sequence[int]) -> list[int]:
    """Return the totals of a single round that is played to win, in which all who cannot win any more are equal.

    They count as one point behind the best. Players who have not had their turn have 0.

    Args:
        totals: by seat.
        seats_done: the seats that have had their turn.
    """
    one_behind = max((totals[seat] for seat in seats_done), default=0) - 1
    return [max(total, one_behind) if seat in seats_done else 0 for seat, total in enumerate(totals)]
