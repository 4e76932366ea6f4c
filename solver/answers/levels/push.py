"""What a person can carry in the head: three levels of strategies for push-your-luck turns, and what no others bring.

    1  one number: set aside everything that scores, and bank from so many points;
    2  a number for each number of dice left;
    3  the same, and of some throws less is kept than everything (``bestlimits``).

They are those that bring the most points in a turn; to win, those that win most often against the best (``winning``),
where each number of level 1 is tried, and no limits of level 2 win more than who keeps all and stops as the scores say.
Those of some games that ship are kept (``lines.json``, written by ``python -m keepwise.answers.levels.push GAME ...``).
*Level 1*: numbers are tried from the smallest up, until no way to
stop, of whatever form, that does not stop below the next one brings as much as the best that was found. *Level 2*: with
what is kept settled, the best way to stop, of whatever form, is one pass over the turn. Where it stops from some points
on, limits are its form, and no other limits bring more; if not, they bring no more than it does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np

from ...games import FILES, Game
from ...games import game as known
from ...games.language.rulefile import load_rules
from ...games.pushluck import PushRules
from ...games.unlike import UnlikeRules
from ...ground.errors import InputError
from ...matches import match as ask
from ...matches.costs import judge
from ...matches.equations import Workers
from ...matches.push.match import Lanes
from ...matches.push.matches import Race
from ...matches.push.points import Points
from ...turns.push import Choice, Decisions, Doubles, PushTurn, Throw
from ..bestlimits import best_limits
from ..limits import bank_from, best_decisions, followed, read_limits
from ..policies import Banded, Hold, check_limits
from . import LEVELS, PAGE, Level
from . import at_level as find
from .winning import Line, Winning, can_be_won

WINS = "the win, both seats taken together"
KEPT = Path(__file__).parent / "lines.json"
BANDS = 4  # of each score, on the page of level 4
GRID = 6  # scores to a side whose limits are tried there
MOST_SCORES = 150  # from so many on a page is found for points, as trying one for the win takes seconds
TOO_MANY = "Found for the points of a turn: there are too many scores to try pages for the win one after another."
TOGETHER = 64  # numbers tried in one call


def turn_rules(game: Game) -> PushRules:
    """The rules of the turns in which levels are found: those of the most points."""
    match = ask(game, "points")
    assert isinstance(match, Points)
    return match.rules


def at_level(game: Game, level: int, objective: str) -> Level:
    """The best strategy of a level, in the turns that follow the first bank."""
    match = ask(game, "points")
    assert isinstance(match, Points)
    check_limits(match.rules)
    if isinstance(match.rules, UnlikeRules):
        raise InputError("dice unlike one another have no limits by their number, and no sheet")
    if objective == "win" and (race := _race(game)):
        return _to_win(game, level, race)
    lane = match.turn_lane(True, 0)
    if level == 1:
        return _one_number(match, lane)
    if level == 2:
        return _by_dice(match, lane)
    policy = best_limits(match, lane)
    return Level(policy, float(_values(match, lane, [policy])[0]))


@lru_cache(maxsize=1)
def _race(game: Game) -> Winning | None:
    """The race of two, where turns are those that ``Winning`` walks."""
    try:
        race = ask(game, "win", 2)
    except InputError:
        return None
    if not isinstance(race, Race) or not can_be_won(race):
        return None
    return Winning(race)


def _to_win(game: Game, level: int, race: Winning) -> Level:
    """The strategy of a level that wins most often, from both seats."""
    rules = race.match.rules
    kept = json.loads(KEPT.read_text()).get(race.match.table.name) if level < PAGE else None
    if not kept and (level < PAGE or len(race.scores) <= MOST_SCORES):
        judge(f"finding sheet {level} of {game.title} for the win", race.cost(level), anyway=True)

    def held(line: Line, keep: Mapping[tuple[Choice, ...], int]) -> Hold:
        return Hold({dice: number * rules.grain for dice, number in enumerate(line, 1)}, keep)

    if kept:  # with everything that scores set aside
        line, value, most = kept[level - 1]
        return Level(held(tuple(line), {}), value, most, WINS)
    if level == 1 or (level == 2 and rules.dice == 1):
        line, value = race.best_number()
        return Level(held(line, {}), value, value, WINS)
    like = find(game, min(level, PAGE), "points").policy
    keep = like.keep
    told = tuple(max(1, min(like.by_dice[dice], rules.target) // rules.grain) for dice in range(1, rules.dice + 1))
    if level >= PAGE and len(race.scores) > MOST_SCORES:
        return replace(find(game, PAGE, "points"), most=None, note=TOO_MANY)
    if level < 4:
        one = find(game, 1, "win").policy.by_dice[1] // rules.grain
        line, value = race.climbed([told, (one,) * rules.dice], keep)
        bounded = level == 2 and len(race.scores) <= MOST_SCORES
        most = race.most(_keeping_all(race.match.states.turn)) if bounded else None
        return Level(held(line, keep), value, most, WINS)
    before = find(game, PAGE, "win").policy
    starts = [before.by_dice[dice] // rules.grain for dice in range(1, rules.dice + 1)]
    count = len(race.scores)
    places = [round((place + 0.5) * (count - 1) / GRID) for place in range(GRID)]
    lines = {tuple(starts): None}
    for mine, theirs in product(places, repeat=2):
        start = race.match.table.begin(
            (int(race.scores[mine]) * rules.grain, int(race.scores[theirs]) * rules.grain), 0, 0
        )
        limits = bank_from(race.match, race.solved, start)
        lines[tuple(limits[dice] // rules.grain for dice in range(1, rules.dice + 1))] = None
    begins = tuple(round(band * rules.target / BANDS / rules.grain) * rules.grain for band in range(BANDS))
    band_of = np.searchsorted(np.array(begins) // rules.grain, race.scores, side="right") - 1
    chosen, value = race.by_bands([*lines], keep, band_of)
    pool = [held(line, keep) for line in lines]
    by_band = tuple(tuple(pool[place] for place in row) for row in chosen.tolist())
    return Level(Banded(begins, by_band), value, None, WINS)


def _keep(names: Sequence[str]) -> None:
    """Find the lines of levels 1 and 2 of some games, and write them to ``lines.json``."""
    kept = json.loads(KEPT.read_text())
    for name in names:
        game = known(name) if name in FILES else load_rules(name)
        race = _race(game)
        assert race is not None
        kept.pop(race.match.table.name, None)
        KEPT.write_text(json.dumps(kept) + "\n")
        find.cache_clear()
        found = [_to_win(game, level, race) for level in (1, 2)]
        grain = race.match.rules.grain
        lines = [[one.policy.by_dice[dice] // grain for dice in sorted(one.policy.by_dice)] for one in found]
        kept[race.match.table.name] = [[line, one.value, one.most] for line, one in zip(lines, found, strict=True)]
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")


def frontier(game: Game, objective: str) -> Iterator[tuple[int, Hold | Banded]]:
    """Strategies of growing size: how many numbers each takes. To win, where they are found for it, the levels. For
    points after the limits by dice left one kind of throw after another from which less is kept than everything, each
    time that which brings the most points.
    """
    if objective == "win" and _race(game):
        known = list[Hold | Banded]()
        for level in range(1, len(LEVELS) + 1):
            policy: Hold | Banded = find(game, level, "win").policy
            if policy not in known:
                known.append(policy)
                yield _numbers(policy), policy
        return
    one, several, page = (find(game, level, "points").policy for level in (1, 2, 3))
    yield 1, one
    dice = len(several.by_dice)
    if dice > 1:
        yield dice, several
    match = ask(game, "points")
    assert isinstance(match, Points)
    lane, kept = match.turn_lane(True, 0), dict[tuple[Choice, ...], int]()
    while rest := page.keep.keys() - kept:
        more = [kept | {offered: page.keep[offered]} for offered in page.keep if offered in rest]
        tried = [Hold(limits, keep) for keep in more for limits in (several.by_dice, page.by_dice)]
        best = tried[int(np.argmax(_values(match, lane, tried)))]
        kept = dict(best.keep)
        yield dice + len(kept), best


def _numbers(policy: Hold | Banded) -> int:
    """How many numbers it takes; where less is kept than everything counts as one."""
    if isinstance(policy, Banded):
        cells = {id(one): one for row in policy.by_band for one in row}.values()
        return len(policy.begins) ** 2 * len(next(iter(cells)).by_dice) + len(next(iter(cells)).keep)
    return (len(policy.by_dice) if len(set(policy.by_dice.values())) > 1 else 1) + len(policy.keep)


def _one_number(match: Points, lane: Lanes) -> Level:
    rules, held = match.rules, 0
    for bits in rules.turn.reachable(lane.cap):
        held |= bits
    units = [*(unit for unit in range(1, lane.cap) if held >> unit & 1), lane.cap]
    best, most, tried = Hold({}), -np.inf, 0
    while tried < len(units) and (not tried or _best_stops(match, lane, units[tried]) > most):
        some = [_one(rules.dice, unit * rules.grain) for unit in units[tried : tried + TOGETHER]]
        values = _values(match, lane, some)
        if values.max() > most:
            best, most = some[int(values.argmax())], float(values.max())
        tried += len(some)
    return Level(best, most, most)


def _one(dice: int, limit: int) -> Hold:
    return Hold(dict.fromkeys(range(1, dice + 1), limit))


def _best_stops(match: Points, lane: Lanes, bank_from: int) -> float:
    """What the best way to stop brings that keeps all and stops with so many units at least."""
    turn = _keeping_all(match.rules.turn, bank_from)
    return float(turn.solve(*lane.copies()).value[0, 0])


def _by_dice(match: Points, lane: Lanes) -> Level:
    keeping = Lanes(_keeping_all(match.rules.turn), lane.payoff, lane.caps, lane.block)
    policy = Hold(read_limits(match.rules, best_decisions(keeping), lane.cap))
    most = float(keeping.turn.solve(*keeping.copies()).value[0, 0])
    return Level(policy, float(_values(match, lane, [policy])[0]), most)


def _keeping_all(turn: PushTurn, bank_from: int = 0) -> PushTurn:
    """The turn of who keeps as much as can be of every throw, and stops with so many units at least."""

    def kept(offered: tuple[Choice, ...]) -> tuple[Choice, ...]:
        return (max(offered, key=lambda choice: choice.add),)  # the first of those

    modes = [
        mode._replace(
            bank_from=max(mode.bank_from, bank_from) if mode.throws else mode.bank_from,
            throws=tuple(
                Throw(tuple((kept(offered), ways) for offered, ways in throw.classes)) for throw in mode.throws
            ),
        )
        for mode in turn.modes
    ]
    return PushTurn(modes, turn.groups, turn.start, turn.specials, turn.forbid)


def _values(match: Points, lane: Lanes, policies: list[Hold]) -> Doubles:
    """What policies bring."""
    nodes: Decisions = np.concatenate([followed(match.rules, lane, one) for one in policies], axis=2)
    payoff, caps = lane.payoff[..., :1].repeat(len(policies), axis=2), lane.caps[:1].repeat(len(policies))
    found: Doubles = Workers().solve(match.rules.turn, payoff, caps, follow=nodes).value[0, : len(policies)]
    return found


if __name__ == "__main__":
    _keep(sys.argv[1:])
