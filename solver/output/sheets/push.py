"""Sheets of push-your-luck games: from how many turn points to bank, by dice left, and which dice to set aside.

``make`` takes the policy of a level from ``policies.levels.push`` and writes it as instructions and tables:

* ``LimitPolicy``: one limit for each number of dice left,
* ``ScoreBandPolicy``: one such policy for each pair of score bands,
* ``DiceCountPolicy``: the number of dice to roll, in games in which a turn is a single roll.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...games import Game
from ...games.push_rules import WIPE, Counts, PushRules
from ...play.push import list_faces
from ...policies.bank_limits import reached_bank_limits, winning_points
from ...policies.evaluation import Evaluation
from ...policies.levels import DEFAULT_LEVEL, at_level
from ...policies.levels.push import best_limits, has_choice, is_never, least_bank_points, search_cost, turn_rules
from ...policies.push_evaluation import check_limits, estimate_limit_cost, evaluate_limits
from ...policies.push_policies import HUNDREDTHS, DiceCountPolicy, LimitPolicy, ScoreBandPolicy, words_for_enough
from ...solvers import Problem
from ...solvers.push.problem import PushProblem
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.solve_costs import SolveCost, sequential_cost
from ...turns.push_turn import BUST, TurnChoice
from ...util.errors import InputError
from ...util.number_format import format_count, format_loss, format_value
from ...util.progress_reporting import ProgressCallback
from . import NO_CHOICE_NO_ODDS, Sheet, Table, cost_lines, optimality_lines, problem_facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem

KEEP_HEADING = "Exceptions: keep these dice"
WHOLE_HEADING = "Exceptions: keep all of these dice"
WHOLE_NOTE = "Fewer of these dice score as much or more. But the roll after all of them is worth more."
LAST_TURN = (
    "In a last turn, never bank with fewer points in all than the leader, because that loses. The figures below are for"
    " a player who banks even then."
)
WIN_NOTE = "These numbers are chosen for this sheet's way of keeping dice. Best play looks at both scores too."
SCORES_PER_SIDE = 6  # of the table of limits by both scores
SHOWN_DICE = 3  # the table by both scores is for at most this many dice left


def check(problem: Problem[Any], level: int | None) -> None:
    """Raise InputError if the cost of a sheet cannot be computed for a problem."""
    if problem.objective not in ("points", "turns", "win"):
        raise InputError(f"a strategy sheet requires the objective points, turns or win, not {problem.objective}")
    check_limits(problem, subject="evaluations of sheets")


def pricing(problem: Problem[Any]) -> SolveCost:
    """Estimate the cost of the full page: finding it for the points of a turn, and the evaluation."""
    return sequential_cost([search_cost(problem.game, "points"), estimate_limit_cost(problem)])


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet of a level; without a level, the full page for the most points.

    The cost is always that for the objective of the solved problem.
    """
    chosen_for = solution.problem.objective if level else "points"
    level_number = level or DEFAULT_LEVEL
    problem, game = solution.problem, solution.game
    assert isinstance(problem, PushProblem)
    best = at_level(game, level_number, chosen_for)
    rules = turn_rules(game)
    policy: LimitPolicy | DiceCountPolicy | ScoreBandPolicy = best.policy
    lines, tables = _instructions(problem, policy, level_number)
    if isinstance(policy, ScoreBandPolicy):
        tables.append(_bands_table(game, rules, policy))
    elif isinstance(policy, LimitPolicy) and level_number > 1:
        tables += _limit_tables(game, rules, policy, for_points=chosen_for != "win")
    has_score_table = (
        isinstance(policy, LimitPolicy)
        and level_number >= DEFAULT_LEVEL
        and not rules.kinds
        and bool(least_bank_points(rules))
    )
    strategy = "this sheet"
    if isinstance(problem, PushWinProblem) and has_score_table:
        tables.append(_limits_by_scores(solution, problem))
        strategy = "this sheet without its last table"
    evaluation = evaluate_limits(problem, solution.value_table, policy, progress=progress)
    cost: tuple[str, ...] = NO_CHOICE_NO_ODDS
    if has_choice(rules):
        cost = (*_cost(solution, problem, policy, evaluation, strategy), *optimality_lines(best))
    facts = problem_facts(solution, evaluation)
    return Sheet(f"{game.title}: a sheet to play by", facts, tuple(lines), tuple(tables), cost)


def _instructions(
    problem: PushProblem, policy: LimitPolicy | DiceCountPolicy | ScoreBandPolicy, level: int
) -> tuple[list[str], list[Table]]:
    """Return what to do in words, and the tables of rolls in which other dice than usual are set aside."""
    game, rules, first = problem.game, problem.rules, policy.policy_at(0, 0)
    if not has_choice(rules):
        return ["There is nothing to choose: roll as the rules say until the turn ends."], []
    if isinstance(first, DiceCountPolicy):
        is_banded = isinstance(policy, ScoreBandPolicy)
        return ["Roll as many dice as the table says." if is_banded else f"Roll {format_count(first.dice, 'die')}."], []
    exceptions, whole_sets = kept_set_rows(rules, first), _whole_set_rows(rules, first)
    if not rules.never_stops:
        exceptions = tuple(row for row in exceptions if row[1] != row[2])  # the others are those of whole sets
    lines = _hold_lines(game, rules, first, level, bool(exceptions or whole_sets))
    if least_bank_points(rules) and game.rules.get("finish") == "last_round" and problem.objective == "win":
        lines.append(LAST_TURN)
    tables = list[Table]()
    if exceptions:
        heading = "Set aside instead" if rules.never_stops else KEEP_HEADING
        tables.append(Table(heading, ("dice rolled", "those that score", "keep", "roll"), exceptions, dice=(1, 2)))
    if whole_sets:
        columns = ("dice rolled", "keep", "points", "instead of", "for", "roll")
        tables.append(Table(WHOLE_HEADING, columns, whole_sets, WHOLE_NOTE, dice=(1, 3)))
    return lines, tables


def _hold_lines(game: Game, rules: PushRules, policy: LimitPolicy, level: int, has_exceptions: bool) -> list[str]:
    """Return sentences on which dice to set aside and when to bank."""
    if rules.never_stops:
        return _set_aside_lines(rules, policy, level, has_exceptions)
    exceptions = ", except as shown below." if has_exceptions else "."
    best_keep = f"Set aside every die that scores, counted the way that gives the most points{exceptions}"
    lines = [] if rules.dice == 1 else [best_keep]
    if _has_ties(rules):
        lines.append("Of sets with the same points take the one with the fewest dice.")
    if not least_bank_points(rules):
        return [*lines, "You never choose to stop: the rules end the turn."]
    limits = "at least the turn points shown below" if level > 1 else f"{policy.by_dice[1]:,} turn points or more"
    remaining = "roll again" if rules.dice == 1 else "roll the remaining dice"
    finish = str(game.rules.get("finish"))
    enough = "" if finish.startswith("one_turn") else f", or with enough {words_for_enough(finish)}"
    lines.append(f"Bank with {limits}{enough}; otherwise {remaining}.")
    reasons = list[str]()
    if rules.then_all == "must" or rules.has_effect("again") or rules.has_confirmations:
        reasons.append("force you to roll")
    if rules.opening or rules.minimum:
        reasons.append("do not let you bank yet")
    return [*lines, f"If the rules {' or '.join(reasons)}, roll."] if reasons else lines


def _scores_by_die(rules: PushRules) -> bool:
    """Return whether every set scores the sum of the points of its dice."""
    return all(sum(pattern.dice) == 1 for pattern in rules.patterns)


def _has_ties(rules: PushRules) -> bool:
    """Return whether in some roll sets with different numbers of dice score the most points."""
    for dice in range(1, rules.dice + 1):
        for roll, _ in rules.rolls(dice):
            if rules.special_roll(roll):
                continue
            sets = [(rules.set_points(scoring_set), sum(scoring_set)) for scoring_set in rules.sets_of(roll)]
            best, *smaller_sets = sets or [(0, 0)]
            if any(points == best[0] and size != best[1] for points, size in smaller_sets):
                return True
    return False


def _set_aside_lines(rules: PushRules, policy: LimitPolicy, level: int, has_exceptions: bool) -> list[str]:
    """Return sentences on which dice to set aside in games in which nobody may stop."""
    number = f"{policy.by_dice[1]:,}" if level == 1 else "the number shown below for the number of dice rolled"
    if policy.worths:
        extreme = "greatest" if rules.best == "highest" else "smallest"
        lines = [
            "Add what the dice left are worth, as shown below, to the points of the dice that you could set aside.",
            f"Set aside the dice with the {extreme} sum; on a tie, the most dice.",
        ]
    elif rules.best == "lowest":
        lines = [f"Set aside every die that scores at most {number}; if there is none, one that scores least."]
    elif _scores_by_die(rules):
        lines = [f"Set aside every die that scores at least {number}; if there is none, one that scores the most."]
    else:
        lines = [f"Take {number} off for each die: set aside what then scores the most; on a tie, the most dice."]
    if has_exceptions:
        lines.append("If a roll is listed below, set aside the dice shown there.")
    return lines if rules.best == "lowest" else [*lines, "Then roll the remaining dice; you may not stop."]


def kept_set_rows(rules: PushRules, policy: LimitPolicy) -> tuple[tuple[str, ...], ...]:
    """Return the rolls of which a policy keeps another set than usual: dice rolled, roll, set kept, next dice."""
    dice_of_row = dict[tuple[str, ...], int]()
    for dice, roll, usual_set, kept_set in _kept_sets(rules, policy):
        next_roll = rules.roll_after_set(dice, kept_set)
        shown_dice = roll if rules.never_stops else tuple(map(max, usual_set, kept_set))
        next_dice = rules.describe_hand(next_roll.dice) if next_roll else "none"
        row = (
            _hand(rules, dice),
            " ".join(list_faces(rules, shown_dice)),
            " ".join(list_faces(rules, kept_set)),
            next_dice,
        )
        dice_of_row[row] = dice
    return tuple(sorted(dice_of_row, key=lambda row: (-dice_of_row[row], row)))


def _kept_sets(rules: PushRules, policy: LimitPolicy) -> Iterator[tuple[int, Counts, Counts, Counts]]:
    """Yield the rolls of which a policy keeps another set than usual: dice rolled, roll, usual set, kept set."""
    for dice in range(1, rules.dice + 1):
        for roll, _ in rules.rolls(dice):
            sets = [] if rules.special_roll(roll) else rules.sets_of(roll)
            if not sets or (offered := rules.turn_choices(dice, roll)) not in policy.keep:
                continue
            choice = offered[policy.keep[offered]]
            kept_set = next(scoring_set for scoring_set in sets if rules.set_choice(dice, scoring_set) == choice)
            yield dice, roll, sets[0], kept_set


def _whole_set_rows(rules: PushRules, policy: LimitPolicy) -> tuple[tuple[str, ...], ...]:
    """Return the sets that a policy keeps although fewer of their dice score as much or more.

    Returns:
        Rows with the dice rolled, the set, its points, the dice of it that score more, their points, and the next dice.
    """
    dice_of_row = dict[tuple[str, ...], int]()
    for dice, _, usual_set, kept_set in _kept_sets(rules, policy):
        if rules.never_stops or usual_set == kept_set or kept_set != tuple(map(max, usual_set, kept_set)):
            continue
        next_roll = rules.roll_after_set(dice, kept_set)
        cells = [_hand(rules, dice)]
        for scoring_set in (kept_set, usual_set):
            cells += [" ".join(list_faces(rules, scoring_set)), f"{rules.set_points(scoring_set):,}"]
        cells.append(rules.describe_hand(next_roll.dice) if next_roll else "none")
        dice_of_row[tuple(cells)] = dice
    return tuple(sorted(dice_of_row, key=lambda row: (-dice_of_row[row], row)))


def _hand(rules: PushRules, dice: int) -> str:
    """Return the words for dice to roll: their number, or which dice they are if they differ."""
    return rules.describe_hand(dice) if rules.kinds else str(dice)


def _limit_tables(game: Game, rules: PushRules, policy: LimitPolicy, for_points: bool) -> list[Table]:
    """Return the table of limits by dice left; none if the policy has no limit that matters."""
    if not has_choice(rules):
        return []
    if rules.never_stops:
        return [_set_aside_table(rules, policy)]
    hands_by_row = _hands_by_row(rules, policy)
    if not hands_by_row:
        return []
    columns = ["dice left", "bank from"]
    rows = [[name, _bank_from(game, hands[0], policy.by_dice)] for name, hands in hands_by_row.items()]
    for ending, name in ((BUST, "a roll busts"), (WIPE, "a roll wipes the score")):
        probabilities = [_ending_probability(rules, hands, ending) for hands in hands_by_row.values()]
        if not any(probabilities):
            continue  # the rules have no such ending
        columns.append(name)
        for row, probability in zip(rows, probabilities, strict=True):
            row.append(f"{100 * probability:.1f}%" if probability else "")
    note = _best_limits_note(game, rules, policy, hands_by_row) if for_points else WIN_NOTE
    return [Table("Bank or roll", tuple(columns), tuple(map(tuple, rows)), note)]


def _set_aside_table(rules: PushRules, policy: LimitPolicy) -> Table:
    """Return the table of points by dice rolled, or of worths by dice left, for games in which nobody may stop."""
    if policy.worths:
        worths = [(_hand(rules, dice), f"{worth / HUNDREDTHS:,.2f}") for dice, worth in sorted(policy.worths.items())]
        return Table("What the dice left are worth", ("dice left", "points"), tuple(reversed(worths)))
    rows = [(_hand(rules, dice), f"{policy.by_dice[dice]:,}") for dice in range(rules.dice, 0, -1)]
    column = "at most" if rules.best == "lowest" else "at least" if _scores_by_die(rules) else "off each die"
    return Table("What to set aside", ("dice rolled", column), tuple(rows))


def _ending_probability(rules: PushRules, hands: Sequence[int], ending: TurnChoice) -> float:
    """Return the probability that the next roll ends the turn so; 0 if a row stands for several hands."""
    if len(hands) > 1:
        return 0.0
    rolls = rules.turn.modes[rules.hand_mode(hands[0])].rolls[0]
    probability: float = rules.turn.ending_probability(rolls, ending)
    return probability


def _hands_by_row(rules: PushRules, policy: LimitPolicy) -> dict[str, list[int]]:
    """Return the hands with which a player chooses to bank or roll, by the name of their row, most dice first."""
    only_size_matters = all(
        len({policy.by_dice[dice] for dice in hands}) == 1
        for _, hands in groupby(range(1, rules.dice + 1), key=rules.hand_size)
    )
    hands_by_row = dict[str, list[int]]()
    for dice in sorted(least_bank_points(rules), reverse=True):
        name = str(rules.hand_size(dice)) if only_size_matters else _hand(rules, dice)
        hands_by_row.setdefault(name, []).append(dice)
    return hands_by_row


def _bank_from(game: Game, dice: int, limits: Mapping[int, int]) -> str:
    """Return the words for a limit."""
    return "never" if is_never(game, dice, limits[dice]) else f"{limits[dice]:,}"


def _best_limits_note(
    game: Game, rules: PushRules, policy: LimitPolicy, hands_by_row: Mapping[str, Sequence[int]]
) -> str:
    """Return a sentence with the limits of best play that differ.

    They differ because the limits of a sheet are best for its own way of keeping dice.
    """
    limits_of_best_play = best_limits(game)
    differences = list[str]()
    for name, hands in hands_by_row.items():
        for dice in hands:
            limit = _bank_from(game, dice, limits_of_best_play)
            if limit != _bank_from(game, dice, policy.by_dice):
                dice_left = rules.describe_hand(dice) if rules.kinds else format_count(int(name), "die")
                differences.append(f"{limit if limit == 'never' else f'from {limit}'} with {dice_left}")
    if not differences:
        return ""
    *head, final = differences
    difference_list = f"{', '.join(head)} and {final}" if head else final
    return f"These numbers are best for this sheet's way of keeping dice. Best play banks {difference_list}."


def _band_names(rules: PushRules, begins: Sequence[int]) -> list[str]:
    """Return the words for bands of scores, given the score that each begins with."""
    names = []
    for begin, end in zip(begins, (*begins[1:], rules.target), strict=True):
        highest = end - rules.grain
        is_open_below = not begin and rules.bust_floor  # scores can be negative
        names.append(f"up to {highest:,}" if is_open_below else f"{begin:,} to {highest:,}")
    return names


def _bands_table(game: Game, rules: PushRules, policy: ScoreBandPolicy) -> Table:
    """Return the limits, or the number of dice to roll, by bands of both scores."""
    own_bands = _band_names(rules, policy.begins)
    opponent_bands = _band_names(rules, policy.others)
    if isinstance(policy.policy_at(0, 0), DiceCountPolicy):
        roll_rows = tuple(
            (name, *(str(rolls.dice) for rolls in row if isinstance(rolls, DiceCountPolicy)))
            for name, row in zip(own_bands, policy.by_band, strict=True)
        )
        if len(opponent_bands) == 1:
            return Table("Dice to roll, by your score", ("you", "roll"), roll_rows)
        return Table("Dice to roll, by your score and theirs", ("you", *opponent_bands), roll_rows)
    rows = [
        (
            name,
            _hand(rules, dice),
            *(_limit(game, hold.by_dice[dice]) for hold in row if isinstance(hold, LimitPolicy)),
        )
        for name, row in zip(own_bands, policy.by_band, strict=True)
        for dice in sorted(least_bank_points(rules), reverse=True)
    ]
    heading = "Bank from, by your score, dice left and their score"
    return Table(heading, ("you", "dice left", *opponent_bands), tuple(rows))


def _limit(game: Game, limit: int) -> str:
    """Return the words for a limit, which may be the target."""
    target = words_for_enough(str(game.rules.get("finish"))).replace("reach ", "")
    return target if limit >= game.data.target else f"{limit:,}"


def _limits_by_scores(solution: SolvedProblem, problem: PushWinProblem) -> Table:
    """Return, for two players, from how many turn points best play banks, by both scores."""
    rules = problem.rules
    all_scores = [unit * rules.grain for unit in problem.listed_scores()]
    last_index = len(all_scores) - 1
    scores = [all_scores[round(place * last_index / (SCORES_PER_SIDE - 1))] for place in range(SCORES_PER_SIDE)]
    dice = max((dice for dice in least_bank_points(rules) if dice <= SHOWN_DICE), default=min(least_bank_points(rules)))
    rows, shades = [], []
    for own_score in scores:
        starts = [problem.playable.turn_start((own_score, opponent_score), 0, 0) for opponent_score in scores]
        points_to_win = winning_points(problem, starts[0])
        limits = [
            min(points_to_win, reached_bank_limits(problem, solution.value_table, start)[dice]) for start in starts
        ]
        cells = ("to the target" if limit >= points_to_win else f"{limit:,}" for limit in limits)
        rows.append((f"{own_score:,}", *cells))
        shades.append(tuple(1.0 if limit >= points_to_win else limit / rules.target for limit in limits))
    columns = ("you \\ they", *(f"{score:,}" for score in scores))
    heading = f"For comparison: where best play banks with {format_count(dice, 'die')} left, by both scores"
    note = "The figures below do not count this table. keepwise chart regions draws all scores."
    return Table(heading, columns, tuple(rows), note, tuple(shades))


def _cost(
    solution: SolvedProblem,
    problem: PushProblem,
    policy: LimitPolicy | DiceCountPolicy | ScoreBandPolicy,
    evaluation: Evaluation,
    strategy: str,
) -> tuple[str, ...]:
    """Return sentences on the cost of the sheet, and on its cost after the opening if that is a higher hurdle."""
    objective, rules = problem.objective, problem.rules
    lines = cost_lines(evaluation, problem, strategy=strategy)
    scores = problem.listed_scores()
    if objective != "points" or rules.opening <= rules.minimum or len(scores) <= 1:
        return lines
    later = evaluate_limits(problem, solution.value_table, policy, scores[1] * rules.grain)
    value, loss = format_value(later.value, objective), format_loss(later.loss, objective)
    return (*lines, f"After the first bank, a turn by this sheet is worth {value}, {loss} less than perfect play.")
