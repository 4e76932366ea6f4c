"""The sheet of a push-your-luck game: from how many points to bank, by dice left, and what to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..answers.evaluated import Evaluation
from ..answers.evaluation import check_hold, evaluate_hold
from ..answers.levels import PAGE, at_level
from ..answers.levels.push import turn_rules
from ..answers.limits import bank_from, fewest_to_win
from ..answers.policies import Banded, Hold
from ..games.pushluck import WIPE, PushRules
from ..ground.errors import InputError
from ..ground.figures import cost, worth
from ..matches import Match
from ..matches.push.match import PushMatch
from ..matches.push.matches import Race
from ..play.push import show
from ..turns.push import BUST
from . import Sheet, Table, costs, facts, proof

if TYPE_CHECKING:
    from ..solving.known import Known

REST = "All dice that score are shown."
GRID = 6  # scores to a side of the table of limits by both scores


def check(match: Match[Any], level: int | None) -> None:
    """Refuse a question whose sheet cannot be judged."""
    if match.objective not in ("points", "turns", "win"):
        raise InputError(f"a sheet is made for points, turns or win, not for {match.objective}")
    check_hold(match)


def make(solution: Known, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet of a level: that of the most points for a turn, judged for the objective asked."""
    found_for = solution.match.objective if level else "points"
    level = level or PAGE
    match, game = solution.match, solution.game
    assert isinstance(match, PushMatch)
    found = at_level(game, level, found_for)
    rules = turn_rules(game)
    policy: Hold | Banded = found.policy
    first = policy.at(0, 0)
    told = keeps(rules, first)
    best = "; that is as good as anything." if level >= PAGE else "."
    lines = ["Set aside every die that scores, for the most points" + (", except as told below." if told else best)]
    limits = "the points in hand told below" if level > 1 else f"{first.by_dice[1]:,} points in hand on"
    limits += ", if that counts" if level == 1 or rules.opening or rules.minimum else ""
    lines.append(f"Bank from {limits}, or with enough to win; else throw the dice that are left.")
    columns = ("dice thrown", "they show", "keep", "throw")
    tables = [Table("Keep less than the most points", columns, told, REST, dice=(1, 2))] if told else []
    if isinstance(policy, Banded):
        tables.append(_bands_table(rules, policy))
    elif level > 1:
        tables.append(_limits_table(rules, policy))
    if isinstance(match, Race) and level >= PAGE and not isinstance(policy, Banded):
        tables.append(_by_scores(solution, match))
    judged = evaluate_hold(match, solution.solved, policy, progress=progress)
    return Sheet(
        f"{game.title}: a sheet to play by",
        facts(solution, judged),
        tuple(lines),
        tuple(tables),
        (*_costs(solution, match, policy, judged), *proof(found)),
    )


def keeps(rules: PushRules, policy: Hold) -> tuple[tuple[str, ...], ...]:
    """The throws from which the policy keeps less than the most points, in words."""
    told: set[tuple[str, ...]] = set()
    for dice in range(1, rules.dice + 1):
        for roll, _ in rules.throws(dice):
            sets = [] if rules.special(roll) else rules.sets(roll)
            if sets and (offered := rules.choices(dice, roll)) in policy.keep:
                best = offered[policy.keep[offered]]
                kept = next(one for one in sets if rules.leads(dice, one) == best)
                left = dice - sum(kept) or rules.dice
                shown = " ".join(show(rules, tuple(map(max, sets[0], kept))))
                told.add((str(dice), shown, " ".join(show(rules, kept)), _dice(left)))
    return tuple(sorted(told, key=lambda row: (-int(row[0]), row)))


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def _limits_table(rules: PushRules, policy: Hold) -> Table:
    rows, lost = list[tuple[str, ...]](), []
    for dice in range(rules.dice, 0, -1):
        throw = rules.turn.modes[rules.mode(dice)].throws[0]
        if rules.turn.reachable(policy.by_dice[dice] // rules.grain)[rules.mode(dice)] <= 1:
            continue  # nobody ever holds anything with so many dice left, and may stop
        rows.append((str(dice), f"{policy.by_dice[dice]:,}"))
        lost.append([rules.turn.chance_of(throw, ending) for ending in (BUST, WIPE)])
    columns = ["dice left", "bank from"]
    for kind, name in enumerate(("a throw busts", "a throw wipes the score")):
        if any(chances[kind] for chances in lost):  # nobody reads of what cannot be
            columns.append(name)
            rows = [(*row, f"{100 * one[kind]:.1f} %") for row, one in zip(rows, lost, strict=True)]
    return Table("Bank or roll", tuple(columns), tuple(rows))


def _bands_table(rules: PushRules, policy: Banded) -> Table:
    """From how many points to bank, by both scores and dice left."""
    bands = [
        f"{begin:,} to {end - rules.grain:,}"
        for begin, end in zip(policy.begins, (*policy.begins[1:], rules.target), strict=True)
    ]
    rows = [
        (mine, str(left), *(_limit(rules, hold.by_dice[left]) for hold in row))
        for mine, row in zip(bands, policy.by_band, strict=True)
        for left in range(rules.dice, 0, -1)
    ]
    return Table("Bank from, by your score, dice left and their score", ("you", "dice left", *bands), tuple(rows))


def _limit(rules: PushRules, limit: int) -> str:
    return "to win" if limit >= rules.target else f"{limit:,}"


def _by_scores(solution: Known, match: Race) -> Table:
    """For two players: from how many points to bank, by both scores."""
    rules, scores = match.rules, [unit * match.rules.grain for unit in match.listed()]
    some = [scores[round(place * (len(scores) - 1) / (GRID - 1))] for place in range(GRID)]
    dice = min(3, rules.dice)
    rows, shades = [], []
    for mine in some:
        starts = [match.table.begin((mine, theirs), 0, 0) for theirs in some]
        need = fewest_to_win(match, starts[0])
        limits = [min(need, bank_from(match, solution.solved, start)[dice]) for start in starts]
        cells = ("to the target" if limit >= need else f"{limit:,}" for limit in limits)
        rows.append((f"{mine:,}", *cells))
        shades.append(tuple(1.0 if limit >= need else limit / rules.target for limit in limits))
    columns = ("you \\ they", *(f"{one:,}" for one in some))
    heading = f"Against an opponent: bank from, with {_dice(dice)} left, by both scores"
    note = "The darker, the more to go for; keepwise chart regions draws all scores."
    return Table(heading, columns, tuple(rows), note, tuple(shades))


def _costs(solution: Known, match: PushMatch, policy: Hold | Banded, found: Evaluation) -> tuple[str, ...]:
    objective = match.objective
    lines = costs(found, objective)
    scores = match.listed()
    if objective == "points" and match.rules.opening > match.rules.minimum and len(scores) > 1:
        later = evaluate_hold(match, solution.solved, policy, scores[1] * match.rules.grain)
        lines += (f"After the first bank: {worth(later.value, objective)}, it costs {cost(later.loss, objective)}.",)
    return lines
