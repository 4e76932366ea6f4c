"""Games as a certificate says them: their rules as data, and what names a state.

Every family has its own words for a turn and for a match; whoever checks knows these (docs/certificate-format.md) and
no game by its name. What cannot be said in them cannot be certified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import ceil
from typing import Any

import numpy as np

from ..games.pushluck import PushRules
from ..games.scarney import DICE, SPOTS, WEIGHTS, ScarneyRules
from ..play.seats import playing
from ..play.table import Table
from ..solvers import Problem
from ..solvers.scarney.problem import CUT, frame_cap
from ..turns.push_turn import Roll
from ..util.errors import InputError, SolveError
from .points_prover import PASSES, TOLD
from .rule_data import check_said, compiled, cut, plain_turn, turn

State = tuple[int, ...]
Data = dict[str, Any]
Said = tuple[Data, Data]  # of the turn, and of the match

ONE_ROUND = {"kind": "rounds", "rounds": 1, "target": 0, "share": False}


def said(match: Problem[Any]) -> Data:
    """What the header says of the turn, of the match, and of where turns are cut; of a game that is written in Python
    only that: the pass proves it, and nobody else can read its rules.

    Raises:
        InputError: they cannot be said in a certificate.
    """
    table, family = match.playable, match.game.family
    one, between = FAMILIES[family](table) if family in FAMILIES else ({"kind": "own"}, {"kind": "own"})
    cuts = cut(match) if compiled(match) else frame_cut(table) if family == "scarney" else {}
    return {"turn": one, "match": between, "cut": cuts}


def _unsaid(table: Table[Any], instead: str) -> InputError:
    seats = f" for {table.players}" if table.players > 1 else ""
    return InputError(f"{table.game.id}: {table.objective}{seats} cannot be said in a certificate yet; {instead} can")


def race(table: Table[Any], target: int, finish: str = "at_least", takes: str = "none") -> Data:
    """A race to a target, by how it ends and who may take a turn over, or its turn alone."""
    one = {"kind": "race", "target": target, "finish": finish, "takes": takes}
    return {"kind": "turn"} if table.objective in ("points", "rate") else one


def push(table: Any) -> Said:
    """A push-your-luck game: a race, or one turn for each."""
    one_turn = table.game.data.one_turn and table.players > 1
    rules: PushRules = table.alone.rules if one_turn else table.rules
    check_said(table.game.id, rules, table.players)
    if one_turn:
        return turn(rules, table.objective), pot(table)
    several = table.players > 1
    finish = rules.finish if several or rules.finish == "exact" else "at_least"
    takes = rules.take_over if several else "none"
    return turn(rules, table.objective), race(table, rules.target, finish, takes)


def pot(table: Any) -> Data:
    """One turn each."""
    return {**ONE_ROUND, "share": table.share}


def _shown(faces: int, *counts: int) -> list[int]:
    """Counts of the first faces, and none of the others."""
    return [*counts, *[0] * (faces - len(counts))]


def hearts(table: Any) -> Said:
    """Hearts Due: one throw of six dice, which is special by its longest run."""
    rules = table.rules
    any_, wiped = [6] * 6, [3 if rules.exactly_3 else 6, 6, 6, 6, 6, 6]
    runs = [(6, rules.full)] + [(run, 5 * run) for run in range(5, 0, -1)]
    specials = [[_shown(6, 3), wiped, "wipe", 0, 1]]
    specials += [[_shown(6, *[1] * run), any_, "score", points, 1] for run, points in runs]
    thrown = plain_turn(dice=[[6, [1] * 6]], most=6, specials=specials, once=True, hot="none")
    return thrown, race(table, table.target)


def showdown(table: Any) -> Said:
    """Going to Boston: of each throw one die is set aside and scores; in Multiplication the last one multiplies."""
    single = [[[int(face == one) for one in range(6)], face + 1] for face in range(6)]
    times = [[counts, counts, "score", 0, points] for counts, points in single]
    thrown = plain_turn(dice=[[3, [1] * 6]], groups=single, most=1, hot="none", stop="all")
    thrown |= {"take": "free" if table.any else "all", "specials": times if table.game.id == "multiplication" else []}
    return thrown, pot(table) if table.players > 1 else {"kind": "turn"}


def crew(table: Any) -> Said:
    """Battleship."""
    alone = {"each": [True, True], "both": [False, False], "hybrid": [False, True]}[table.crew]
    thrown = {"kind": "crew", "casts": 3, "faces": 6, "order": [6, 5, 4], "alone": alone}
    if table.players == 1:
        return thrown, race(table, table.target)
    return thrown, {**ONE_ROUND, "rounds": table.rounds, "target": table.target if table.first_to else 0}


def card(table: Any) -> Said:
    """A card of categories: what each scores of every throw."""
    rules = table.card
    if rules.boxes == 2 and (rules.upper or rules.again or rules.forced_zeros or rules.served):
        raise InputError(f"{table.game.id}: two boxes a turn and more cannot be said in a certificate yet")
    half = rules.dice // rules.boxes
    shown = combinations_with_replacement(range(rules.faces), half)
    parts = np.array([[dice.count(face) for face in range(rules.faces)] for dice in shown])
    alike = np.eye(rules.faces, dtype=np.int64) * rules.dice
    of_face = {category.face: number for number, category in enumerate(rules.categories) if category.face}
    numbers, factors = range(len(rules.categories)), rules.factors
    upper = [[number for number in numbers if mask >> number & 1] for mask in rules.columns]
    steps = [[[factor * at, factor * more] for at, more in rules.steps] for factor in factors]
    counted = rules.ranges if table.objective == "points" else ()
    return {
        "kind": "boxes",
        "dice": rules.dice,
        "weights": list(rules.weights),
        "throws": rules.throws,
        "boxes": rules.boxes,
        "scores": [one.score(parts).tolist() for one in rules.categories],
        "first": [one.served(parts).tolist() for one in rules.categories] if rules.served else [],
        "wins": [number for number, one in enumerate(rules.categories) if one.wins and table.objective == "win"],
        "before": list(rules.before),
        "zeros": not rules.forced_zeros,
        "upper": upper if len(upper) > 1 else upper[0],
        "steps": steps if len(upper) > 1 else steps[0],
        "again": rules.names.index(rules.again) if rules.again else -1,
        "bonus": rules.again_bonus,
        "own": [of_face.get(face, -1) for face in range(1, rules.faces + 1)],
        "full": [category.in_full(alike).tolist() for category in rules.categories],
        "joker": rules.joker if rules.again else "none",
        **({"ranges": [list(one) for one in counted]} if counted else {}),
        **({"saved": rules.saved} if rules.saved else {}),
    }, {"kind": "card"}


def scarney(table: Any) -> Said:
    """Straight Scarney: every throw is special, and with nothing in hand spots may be doubled."""
    if table.objective == "chips" or table.players > 2:
        raise _unsaid(table, "the points of a frame and the win of two")
    rules = frame(table)
    tables: list[list[list[Any]]] = [[], []]
    for live in range(1, DICE + 1):
        for counts in combinations_with_replacement(range(len(SPOTS)), live):
            shown = tuple(map(counts.count, range(len(SPOTS))))
            for twice, specials in enumerate(tables):
                led = rules.outcome(shown, bool(twice))
                if led.next_mode < 0:
                    specials.append([[*shown], [*shown], "win" if led == rules.big_scarney else "bust", 0, 1])
                else:
                    specials.append(
                        [[*shown], [*shown], "drop" if shown[-1] else "same", led.added_points, led.keeps_points]
                    )
    plain, doubled = tables
    thrown = plain_turn(
        dice=[[DICE, list(WEIGHTS)]], specials=plain, doubled=doubled if rules.double else [], most=DICE, below="throw"
    )
    return thrown, {"kind": "frames", "frames": table.frames} if table.players > 1 else {"kind": "turn"}


def frame(table: Any) -> ScarneyRules:
    """The rules of a frame alone."""
    rules: ScarneyRules = table.game.data
    return replace(rules, big=table.big)


def frame_cut(table: Any) -> Data:
    """From how many points on whoever may stop does, for the win because hardly any frame brings so many; for points
    also what can follow once points are lost (T4).
    """
    rules = frame(table)
    if table.players > 1:
        return {"level": frame_cap(rules.turn, CUT)[0]}
    modes = rules.turn.modes
    throws = [(number, throw) for number, mode in enumerate(modes) for throw in mode.rolls]

    def brought(throw: Roll, worth: Sequence[Any]) -> Any:
        return sum(
            ways * (one.added_points + worth[one.next_mode]) for (one,), ways in throw.classes if one.next_mode >= 0
        )

    total, close = [sum(ways for _, ways in throw.classes) for _, throw in throws], [0.0] * len(modes)
    for _ in range(PASSES):
        for (number, throw), whole in zip(throws, total, strict=True):
            close[number] = max(close[number], brought(throw, close) / whole)
    worth = [Fraction(ceil(one * TOLD * 1.0001) + 1, TOLD) for one in close]
    leads = [one for _, throw in throws for (one,), _ in throw.classes if one.next_mode >= 0]
    lost, level = max(one.added_points + worth[one.next_mode] for one in leads if not one.keeps_points), Fraction(0)
    for (number, throw), whole in zip(throws, total, strict=True):
        if brought(throw, worth) > whole * worth[number]:
            raise SolveError("nothing bounds what follows once points are lost")
        kept = [(one.added_points, ways) for (one,), ways in throw.classes if one.next_mode >= 0 and one.keeps_points]
        gone = whole - sum(ways for _, ways in kept)
        level = max(level, lost + Fraction(sum(add * ways for add, ways in kept), gone))
    names = {
        f"[[{live}], {told}]": mode(live)
        for live in range(1, DICE + 1)
        for told, mode in (("true", rules.free), ("false", rules.holding))
    } | {"null": rules.free(DICE)}
    return {"level": ceil(level), "worth": {name: [*worth[mode].as_integer_ratio()] for name, mode in names.items()}}


def tiles(table: Any) -> Said:
    """Shut the Box."""
    return {"kind": "tiles", "tiles": len(table.tiles), "one": table.rules.one_die}, {"kind": "box", "goal": table.goal}


def touch(table: Any) -> Said:
    """Booby Trap: chances as numerators and denominators."""
    rules, odds = table.rules, table.rules.odds
    chances, trips = ([[[*one.as_integer_ratio()] for one in row] for row in of] for of in (odds.chance, odds.trip))
    return {"kind": "touch", "chances": chances, "trips": trips, "in_order": rules.in_order}, {
        "kind": "board",
        "board": list(rules.board),
        "points": list(rules.points),
        "penalty": rules.penalty,
        "last": rules.last,
        "passes": rules.limit,
        "allowed": rules.trips,
    }


FAMILIES: Mapping[str, Callable[[Any], Said]] = {
    "push": push,
    "one turn": push,
    "hearts": hearts,
    "showdown": showdown,
    "rounds": crew,
    "card": card,
    "columns": card,
    "ranges": card,
    "tiles": tiles,
    "touch": touch,
    "scarney": scarney,
}


# --- states


def naming(table: Any) -> Callable[[Any], State]:
    """What names the states of a game: of one that is written in Python their number, as they are met."""
    met: dict[Any, int] = {}
    if table.game.family in FAMILIES:
        return partial(state_of, table)
    return lambda position: (met.setdefault(position, len(met)),)


def state_of(table: Any, position: Any) -> State:
    """The state of a position between turns."""
    family, around = table.game.family, table.seats_from(table.mover(position))
    if FAMILIES[family] is card:
        own, others, rules = position.own, position.others, table.card
        if others:
            return own.used, others[0].used, own.score - others[0].score
        uppers = (factor * upper for factor, upper in zip(rules.factors, rules.by_column(own.upper), strict=True))
        total = (own.score,) * (not to_come(table))
        return own.used, *uppers, int(own.flag), *total, *((own.saved,) if rules.saved else ())
    if family == "tiles":
        return position.seat, *position.left, *(0 for _ in range(table.players - 1 - position.seat))
    if family == "touch":
        leads = [position.score - position.scores[seat] for seat in around[1:]] or [position.trips]
        return *position.left, *leads, position.passes
    if table.objective == "points":
        return (0,)
    if (family == "rounds" and table.players > 1) or hasattr(position, "holders"):
        return standing(table, position)
    scores = [position.scores[seat] for seat in around]
    busts = [position.busts[seat] for seat in around] if getattr(position, "busts", ()) else []
    more: State = (position.turns_left,) if table.objective == "reach" else ()
    if table.players > 1 and getattr(table.rules, "take_over", "none") != "none":
        more = position.offered or (0, 0)
    return *scores, *busts, *more


def to_come(table: Any) -> bool:
    """Whether what is held already is worth what it is, whatever follows: points of a card that are added up."""
    card_alone = FAMILIES.get(table.game.family) is card and table.players == 1
    return card_alone and table.objective == "points" and not table.card.ranges


def standing(table: Any, position: Any) -> State:
    """Of rounds: which, who plays off, who is to move, and totals; where one round is won who has played and is behind
    has one less than the best, however far behind that is.
    """
    first_to = getattr(table, "first_to", False)
    out = len(position.playoff) < table.players or first_to  # a playoff of all is the last round once more
    mask = sum(1 << seat for seat in position.playoff) if out else 0
    if hasattr(position, "holders"):
        best = -position.beat if getattr(getattr(table, "alone", None), "fewer_is_better", False) else position.beat
        totals, number = [best - (seat not in position.holders) for seat in range(table.players)], 1
    else:
        totals, number = list(position.scores), table.rounds if mask else position.round
    if getattr(table, "rounds", 1) == 1 and not first_to and table.objective == "win":
        played = [seat for seat in playing(position.playoff, table.players) if seat < position.seat]
        least = max((totals[seat] for seat in played), default=0) - 1
        totals = [max(total, least) * (seat in played) for seat, total in enumerate(totals)]
    low = 0 if first_to else min(totals)
    return number, mask, position.seat, *(total - low for total in totals)
