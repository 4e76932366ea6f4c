"""The sheet of a push-your-luck game: from how many points to bank, by dice left, and what to keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...games import Game
from ...games.push_rules import WIPE, PushRules
from ...play.push import show
from ...policies.bank_limits import fewest_to_win, stops_from
from ...policies.evaluation import Evaluation
from ...policies.levels import PAGE, at_level
from ...policies.levels.push import best_limits, has_choice, held, is_never, turn_rules
from ...policies.push_evaluation import check_hold, evaluate_hold, hold_cost
from ...policies.push_policies import Banded, Hold, Rolls
from ...solvers import Problem
from ...solvers.push.problem import PushProblem
from ...solvers.push.race_problems import PushWinProblem
from ...turns.push_turn import BUST
from ...util.errors import InputError
from ...util.number_format import format_count, format_loss, format_value
from . import NOTHING, Sheet, Table, costs, facts, proof

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem

KEEP = "Keep less than the most points"
REST = "All dice that score are shown."
FOR_WIN = "These numbers are chosen for this sheet's way of keeping dice. Best play looks at both scores too."
GRID = 6  # scores to a side of the table of limits by both scores


def check(match: Problem[Any], level: int | None) -> None:
    """Refuse a question whose sheet cannot be judged."""
    if match.objective not in ("points", "turns", "win"):
        raise InputError(f"a sheet is made for points, turns or win, not for {match.objective}")
    check_hold(match, what="a sheet is judged")


pricing = hold_cost


def make(solution: SolvedProblem, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet of a level: that of the most points for a turn, judged for the objective asked."""
    found_for = solution.problem.objective if level else "points"
    level = level or PAGE
    match, game = solution.problem, solution.game
    assert isinstance(match, PushProblem)
    found = at_level(game, level, found_for)
    rules = turn_rules(game)
    policy: Hold | Rolls | Banded = found.policy
    first = policy.at(0, 0)
    lines, tables = list[str](), list[Table]()
    if not has_choice(rules):
        lines.append("There is nothing to choose: throw as the rules say until the turn ends.")
    elif isinstance(first, Rolls):
        lines.append(
            "Roll as many dice as told below."
            if isinstance(policy, Banded)
            else f"Roll {format_count(first.dice, 'die')}."
        )
    else:
        told = keeps(rules, first)
        lines += _in_words(game, rules, first, level, bool(told))
        columns = ("dice thrown", "they show", "keep", "throw")
        if told:
            heading = "Set aside instead" if rules.never_stops else KEEP
            tables.append(Table(heading, columns, told, "" if rules.never_stops else REST, dice=(1, 2)))
    if isinstance(policy, Banded):
        tables.append(_bands_table(rules, policy))
    elif isinstance(policy, Hold) and level > 1:
        tables += _limits_tables(game, rules, policy, for_points=found_for != "win")
    if (
        isinstance(match, PushWinProblem)
        and level >= PAGE
        and isinstance(policy, Hold)
        and not rules.kinds
        and held(rules)
    ):
        tables.append(_by_scores(solution, match))
    judged = evaluate_hold(match, solution.value_table, policy, progress=progress)
    closing = (*_costs(solution, match, policy, judged), *proof(found)) if has_choice(rules) else NOTHING
    return Sheet(f"{game.title}: a sheet to play by", facts(solution, judged), tuple(lines), tuple(tables), closing)


def _in_words(game: Game, rules: PushRules, first: Hold, level: int, told: bool) -> list[str]:
    """How to set dice aside, and when to bank."""
    if rules.never_stops:
        return _sets_in_words(rules, first, level, told)
    lines = ["Set aside every die that scores, for the most points" + (", except as told below." if told else ".")]
    if _has_ties(rules):
        lines.append("Of sets with the same points take the one with the fewest dice.")
    if not held(rules):
        return [*lines, "Nobody decides to stop: the rules say when the turn ends."]
    limits = "the points in hand told below" if level > 1 else f"{first.by_dice[1]:,} points in hand on"
    limits += ", if that counts" if level == 1 or rules.opening or rules.minimum else ""
    enough = "" if str(game.rules.get("finish")).startswith("one_turn") else ", or with enough to win"
    lines.append(f"Bank from {limits}{enough}; else throw the dice that are left.")
    forced = rules.then_all == "must" or rules.does("again") or rules.confirms
    return [*lines, "If the rules force a throw, make it."] if forced else lines


def _scores_by_die(rules: PushRules) -> bool:
    """Whether every set scores the sum of what its dice do."""
    return all(sum(pattern.dice) == 1 for pattern in rules.patterns)


def _has_ties(rules: PushRules) -> bool:
    """Whether the most points of any throw are scored by more dice too."""
    for dice in range(1, rules.dice + 1):
        for roll, _ in rules.throws(dice):
            first, *others = [(rules.worth(one), sum(one)) for one in rules.sets(roll)] or [(0, 0)]
            if not rules.special(roll) and any(one[0] == first[0] and one[1] != first[1] for one in others):
                return True
    return False


def _sets_in_words(rules: PushRules, first: Hold, level: int, told: bool) -> list[str]:
    """What to set aside if nobody may stop."""
    number = f"{first.by_dice[1]:,}" if level == 1 else "what is told below for so many dice thrown"
    if rules.best == "lowest":
        lines = [f"Set aside every die that scores at most {number}; if there is none, one that scores least."]
    elif _scores_by_die(rules):
        lines = [f"Set aside every die that scores at least {number}; if there is none, one that scores the most."]
    else:
        number = number if level == 1 else "the number told below for so many dice thrown"
        lines = [f"Take {number} off for each die: set aside what scores the most then, of equals the most dice."]
    if told:
        lines.append("Where a throw stands below, set aside what is told there.")
    return lines if rules.best == "lowest" else [*lines, "Then throw the dice that are left: nobody may stop."]


def keeps(rules: PushRules, policy: Hold) -> tuple[tuple[str, ...], ...]:
    """The throws of which the policy keeps another set than usual, in words."""
    told: set[tuple[str, ...]] = set()
    sizes = dict[tuple[str, ...], int]()
    for dice in range(1, rules.dice + 1):
        for roll, _ in rules.throws(dice):
            sets = [] if rules.special(roll) else rules.sets(roll)
            if sets and (offered := rules.choices(dice, roll)) in policy.keep:
                best = offered[policy.keep[offered]]
                kept = next(one for one in sets if rules.leads(dice, one) == best)
                follows = rules.next_throw(dice, kept)
                shown = roll if rules.never_stops else tuple(map(max, sets[0], kept))
                thrown = rules.hand_in_words(follows.dice) if follows else "none"
                row = (_hand(rules, dice), " ".join(show(rules, shown)), " ".join(show(rules, kept)), thrown)
                told.add(row)
                sizes[row] = dice
    return tuple(sorted(told, key=lambda row: (-sizes[row], row)))


def _hand(rules: PushRules, dice: int) -> str:
    """Dice to throw: their number, or of unlike ones the hand."""
    return rules.hand_in_words(dice) if rules.kinds else str(dice)


def _limits_tables(game: Game, rules: PushRules, policy: Hold, for_points: bool) -> list[Table]:
    """The table of numbers by dice; none if there is nothing to choose, or no number decides anything."""
    if not has_choice(rules):
        return []
    if rules.never_stops:
        numbers = [(_hand(rules, dice), f"{policy.by_dice[dice]:,}") for dice in range(rules.dice, 0, -1)]
        column = "at most" if rules.best == "lowest" else "at least" if _scores_by_die(rules) else "off each die"
        return [Table("What to set aside", ("dice thrown", column), tuple(numbers))]
    hands_of = _rows(rules, policy)
    if not hands_of:
        return []
    rows, lost = list[tuple[str, ...]](), []
    for name, hands in hands_of.items():
        rows.append((name, _bank_from(game, hands[0], policy.by_dice)))
        throw = rules.turn.modes[rules.mode(hands[0])].rolls[0]
        lost.append([rules.turn.ending_probability(throw, ending) * (len(hands) == 1) for ending in (BUST, WIPE)])
    columns = ["dice left", "bank from"]
    for kind, name in enumerate(("a throw busts", "a throw wipes the score")):
        if any(chances[kind] for chances in lost):  # nobody reads of what cannot be
            columns.append(name)
            told = [f"{100 * one[kind]:.1f} %" if one[kind] else "" for one in lost]
            rows = [(*row, more) for row, more in zip(rows, told, strict=True)]
    note = _limits_note(game, rules, policy, hands_of) if for_points else FOR_WIN
    return [Table("Bank or roll", tuple(columns), tuple(rows), note)]


def _rows(rules: PushRules, policy: Hold) -> dict[str, list[int]]:
    """The hands with which anybody decides to bank or to roll, by the name of their row, most dice first."""
    found = dict[str, list[int]]()
    alike = all(
        len({policy.by_dice[dice] for dice in some}) == 1
        for _, some in groupby(range(1, rules.dice + 1), key=rules.size)
    )
    for dice in sorted(held(rules), reverse=True):
        found.setdefault(str(rules.size(dice)) if alike else _hand(rules, dice), []).append(dice)
    return found


def _bank_from(game: Game, dice: int, limits: Mapping[int, int]) -> str:
    """A limit as people read it."""
    return "never" if is_never(game, dice, limits[dice]) else f"{limits[dice]:,}"


def _limits_note(game: Game, rules: PushRules, policy: Hold, hands_of: Mapping[str, Sequence[int]]) -> str:
    """Say what best play banks from if it differs, since limits are best for the sheet's own way of keeping dice."""
    best, other = best_limits(game), list[str]()
    for name, hands in hands_of.items():
        for dice in hands:
            limit = _bank_from(game, dice, best)
            if limit != _bank_from(game, dice, policy.by_dice):
                left = rules.hand_in_words(dice) if rules.kinds else format_count(int(name), "die")
                other.append(f"{limit if limit == 'never' else f'from {limit}'} with {left}")
    if not other:
        return ""
    told = f"{', '.join(other[:-1])} and {other[-1]}" if len(other) > 1 else other[0]
    return f"These numbers are best for this sheet's way of keeping dice. Best play banks {told}."


def _bands_table(rules: PushRules, policy: Banded) -> Table:
    """From how many points to bank, or how many dice to roll, by scores and dice left."""
    mine, theirs = (
        [
            f"{begin:,} to {end - rules.grain:,}" if begin or not rules.floor else f"up to {end - rules.grain:,}"
            for begin, end in zip(begins, (*begins[1:], rules.target), strict=True)
        ]
        for begins in (policy.begins, policy.others)
    )
    rolls = isinstance(policy.at(0, 0), Rolls)
    if rolls:
        rolled = tuple(
            (name, *(str(one.dice) for one in row if isinstance(one, Rolls)))
            for name, row in zip(mine, policy.by_band, strict=True)
        )
        if len(theirs) == 1:
            return Table("Dice to roll, by your score", ("you", "roll"), rolled)
        return Table("Dice to roll, by your score and theirs", ("you", *theirs), rolled)
    rows = [
        (name, _hand(rules, left), *(_limit(rules, hold.by_dice[left]) for hold in row if isinstance(hold, Hold)))
        for name, row in zip(mine, policy.by_band, strict=True)
        for left in sorted(held(rules), reverse=True)
    ]
    return Table("Bank from, by your score, dice left and their score", ("you", "dice left", *theirs), tuple(rows))


def _limit(rules: PushRules, limit: int) -> str:
    return "to win" if limit >= rules.target else f"{limit:,}"


def _by_scores(solution: SolvedProblem, match: PushWinProblem) -> Table:
    """For two players: from how many points to bank, by both scores."""
    rules, scores = match.rules, [unit * match.rules.grain for unit in match.listed_scores()]
    some = [scores[round(place * (len(scores) - 1) / (GRID - 1))] for place in range(GRID)]
    dice = max((dice for dice in held(rules) if dice <= 3), default=min(held(rules)))
    rows, shades = [], []
    for mine in some:
        starts = [match.playable.begin((mine, theirs), 0, 0) for theirs in some]
        need = fewest_to_win(match, starts[0])
        limits = [min(need, stops_from(match, solution.value_table, start)[dice]) for start in starts]
        cells = ("to the target" if limit >= need else f"{limit:,}" for limit in limits)
        rows.append((f"{mine:,}", *cells))
        shades.append(tuple(1.0 if limit >= need else limit / rules.target for limit in limits))
    columns = ("you \\ they", *(f"{one:,}" for one in some))
    heading = f"Against an opponent: bank from, with {format_count(dice, 'die')} left, by both scores"
    note = "Where the best play stops. The darker, the more to go for; keepwise chart regions draws all scores."
    return Table(heading, columns, tuple(rows), note, tuple(shades))


def _costs(
    solution: SolvedProblem, match: PushProblem, policy: Hold | Rolls | Banded, found: Evaluation
) -> tuple[str, ...]:
    objective = match.objective
    lines = costs(found, objective)
    scores = match.listed_scores()
    if objective == "points" and match.rules.opening > match.rules.minimum and len(scores) > 1:
        later = evaluate_hold(match, solution.value_table, policy, scores[1] * match.rules.grain)
        lines += (
            f"After the first bank: {format_value(later.value, objective)},"
            f" it costs {format_loss(later.loss, objective)}.",
        )
    return lines
