"""Sheets of one-face games, and of games in which any dice are set aside: what to set aside, and when to bank.

``make`` takes the ``AsidePolicy`` of a level from ``policies.levels.aside`` and writes it as sentences and tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from ...games.one_face_rules import OneFaceRules
from ...policies.aside_policy import HUNDREDTHS, AsidePolicy, LimitKey, Outlook, can_be_done, mode_table
from ...policies.levels import DEFAULT_LEVEL, at_level
from ...policies.push_evaluation import estimate_limit_cost, evaluate_limits
from ...util.number_format import format_count
from ...util.progress_reporting import ProgressCallback
from . import Sheet, Table, cost_lines, problem_facts
from .push import check as check

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem

pricing = estimate_limit_cost
USED_UP_NOTE = "Faces used up: those that you may not take any more in this turn."


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet of a level; without a level, the full page. It is always the one for the points of a turn."""
    problem, game = solution.problem, solution.game
    policy: AsidePolicy = at_level(game, level or DEFAULT_LEVEL, "points").policy
    evaluation = evaluate_limits(problem, solution.value_table, policy, progress=progress)
    rules: OneFaceRules = game.data
    lines = [*_choice_lines(rules, policy), *_bank_lines(rules, policy, can_win=problem.objective != "points")]
    title = f"{game.title}: a sheet to play by"
    facts = problem_facts(solution, evaluation)
    return Sheet(title, facts, tuple(lines), tuple(_tables(rules, policy)), cost_lines(evaluation, problem))


def _hundredths(number: int) -> str:
    """Return hundredths of a point as a number of points."""
    return f"{number / HUNDREDTHS:g}"


# What to set aside


def _choice_lines(rules: OneFaceRules, policy: AsidePolicy) -> list[str]:
    """Return sentences on which dice to set aside."""
    lines = [
        "After each roll look at all dice that you may set aside."
        if rules.takes_any
        else "After each roll look at every face that you may take."
    ]
    points = "the points that they add to the turn" if rules.takes_any else "the points that its dice add to the turn"
    if policy.listed_worths or policy.rate is None:
        lines.append(f"Add up {points} and the worth, shown below, of the dice that you would then have left.")
    elif policy.rate:
        lines.append(f"Add up {points} and {_hundredths(policy.rate)} for each die that you would then have left.")
    else:
        lines.append(f"Count {points}.")
    if not rules.needed_score:
        first = " and ".join(f"the first {rules.faces[face]}" for face in rules.needed_faces)
        lines.append(f"Here {first} count 0.")
    lines += () if policy.listed_worths else _penalty_lines(rules, policy)
    what, which = ("the dice", "those") if rules.takes_any else ("the face", "the one")
    lines.append(f"Set aside {what} with the greatest sum; on a tie, {which} with more points, then fewer dice.")
    if rules.needed_faces:
        missing = " or ".join(rules.faces[face] for face in rules.needed_faces)
        lines.append(f"If {missing} would then be missing, set aside the last dice only if you must.")
    for cover, _ in rules.covers:
        face = rules.faces[cover]
        lines.append(f"Leave enough dice to roll for every {face} that you still need, unless you must leave fewer.")
    return lines


def _penalty_lines(rules: OneFaceRules, policy: AsidePolicy) -> list[str]:
    """Return sentences on what is taken off the sum for what is still needed."""
    lines = list[str]()
    if rules.needed_faces and policy.penalties.missing:
        amount = _hundredths(policy.penalties.missing)
        lines.append(f"Take off {amount} for {_each_of(rules, rules.needed_faces)} that would not be set aside yet.")
    if rules.covers and policy.penalties.short:
        pairs = ", and for each ".join(
            f"die that must then still show {rules.faces[cover]}, so that as many dice show it as"
            f" show {rules.faces[covered]}"
            for cover, covered in rules.covers
        )
        lines.append(f"Take off {_hundredths(policy.penalties.short)} for each {pairs}.")
    return lines


def _each_of(rules: OneFaceRules, faces: tuple[int, ...]) -> str:
    """Return the words for each of some faces."""
    return f"{'each of ' if len(faces) > 1 else 'a '}{rules.describe_faces(faces)}"


# When to bank


def _bank_lines(rules: OneFaceRules, policy: AsidePolicy, can_win: bool) -> list[str]:
    """Return sentences on when to bank; ``can_win`` if the sheet is for a game with a target."""
    if rules.never_stops:
        return ["Then roll the remaining dice; you may not stop."]
    limits = set(_shown_limits(rules, policy).values())
    points = f"{limits.pop():,} turn points or more" if len(limits) == 1 else "at least the turn points shown below"
    win = ", or with enough to win" if can_win else ""
    lines = [f"Bank with {points}{win}, if the turn then scores; otherwise roll the remaining dice."]
    if rules.covers and (rules.takes_any or rules.scores_if_stuck):
        ahead = " and ".join(
            f"the dice that show {rules.faces[cover]} outnumber those that show {rules.faces[covered]}"
            for cover, covered in rules.covers
        )
        unless = " and you do not win by banking" if can_win else ""
        lines.append(f"But always roll if {ahead}{unless}.")
    if can_be_done(rules):
        lines.append("In any case bank once no face that scores can be taken any more.")
    return lines


def _shown_limits(rules: OneFaceRules, policy: AsidePolicy) -> dict[LimitKey, int]:
    """Return the limits that can decide, because the player may bank with so many dice left and faces used up."""
    table, turn = mode_table(rules), rules.turn
    return {
        key: policy.limits[key]
        for number, key in enumerate(table.limit_keys)
        if key
        and turn.modes[number].bank_ending is not None
        and not table.is_safe[number]
        and not table.is_done[number]
    }


def _tables(rules: OneFaceRules, policy: AsidePolicy) -> list[Table]:
    """Return the tables of worths and of limits, as far as the sentences refer to them."""
    tables = list[Table]()
    if policy.listed_worths:
        tables.append(_listed_worths(policy))
    elif policy.rate is None:
        rows = [(str(dice), _hundredths(policy.dice_worths[dice])) for dice in range(rules.dice - 1, 0, -1)]
        tables.append(Table("Worth of the dice left", ("dice left", "worth"), tuple(rows)))
    limits = {} if rules.never_stops else _shown_limits(rules, policy)
    if len(set(limits.values())) > 1:
        tables.append(_limit_table(limits))
    return tables


def _listed_worths(policy: AsidePolicy) -> Table:
    """Return the worths by the dice left and what is still needed."""
    needs = sorted({cell[1:] for cell in policy.listed_worths})
    columns = [_need_words(missing, short) for missing, short in needs]

    def cell(dice: int, need: tuple[int, ...]) -> str:
        worth = policy.listed_worths.get(Outlook(dice, *need))
        return "" if worth is None else _hundredths(worth)

    dice_counts = sorted({outlook.dice for outlook in policy.listed_worths}, reverse=True)[1:]  # without the first roll
    rows = [(str(dice), *(cell(dice, need) for need in needs)) for dice in dice_counts]
    return Table("Worth of the dice left, by what is still needed", ("dice left", *columns), tuple(rows))


def _need_words(missing: int, short: int) -> str:
    """Return the words for needed faces that are not set aside yet, and for the dice that covers are short of."""
    parts = [format_count(missing, "face")] * bool(missing) + [format_count(short, "covering die")] * bool(short)
    return f"{' and '.join(parts)} needed" if parts else "nothing needed"


def _limit_table(limits: dict[LimitKey, int]) -> Table:
    """Return the limits by dice left, by faces used up, or by both."""
    heading = "Bank or roll"
    by_dice, by_faces = ({key[place]: limit for key, limit in limits.items()} for place in (0, 1))
    if all(by_dice[key.dice] == limit for key, limit in limits.items()):
        return Table(heading, ("dice left", "bank from"), _merged((dice, (f"{by_dice[dice]:,}",)) for dice in by_dice))
    if all(by_faces[key.faces] == limit for key, limit in limits.items()):
        rows = _merged((faces, (f"{by_faces[faces]:,}",)) for faces in by_faces)
        return Table(heading, ("faces used up", "bank from"), rows, USED_UP_NOTE)
    used_up = sorted(by_faces)
    rows = _merged(
        (dice, tuple(f"{limits[key]:,}" if (key := LimitKey(dice, faces)) in limits else "" for faces in used_up))
        for dice in by_dice
    )
    columns = ("dice left", *(f"{format_count(faces, 'face')} used up" for faces in used_up))
    return Table(f"{heading}: the turn points to bank from", columns, rows, USED_UP_NOTE)


def _merged(rows: Iterable[tuple[int, tuple[str, ...]]]) -> tuple[tuple[str, ...], ...]:
    """Return rows by number, the highest first; neighbours with the same cells are one row."""
    merged = list[tuple[str, ...]]()
    for cells, group in groupby(sorted(rows, reverse=True), key=lambda row: row[1]):
        numbers = [number for number, _ in group]
        name = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        merged.append((name, *cells))
    return tuple(merged)
