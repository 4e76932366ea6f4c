"""Reviews as text, as Markdown and as score sheets, and the records of players over many games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..play.game_file import GameFile, Step
from ..play.input_parser import scores_from_mover
from ..play.playable_game import PlayableGame, Stage
from ..play.position_fields import parse_number
from ..util.escaping import escape_markdown, markdown_code
from ..util.number_format import (
    MISTAKE_MARKS,
    PROBABILITY_OBJECTIVES,
    format_count,
    format_loss,
    format_percent,
    format_value,
)
from ..util.text import LINE_WIDTH, format_table, wrap_text
from . import Mistake, Review, ends_turn, grade, mistake_label
from .learning_curve import learning_curve

MIN_DECISIONS_OF_LEVEL = 20  # fewer say little about which sheet a player plays like
SHOWN_CHANCE = 0.0005  # half of the last decimal of a chance in a review


# --- score sheets


def score_sheet(game: GameFile, width: int = LINE_WIDTH) -> list[str]:
    """Return the lines of a table of what every turn brought and the totals, with a column for each seat.

    Lines of a playoff have no number. Seats that do not fit into the width follow below.
    """
    rows = list[list[str]]()
    for turn in turns(game):
        if not turn.result:
            continue
        if turn.number > len(rows):
            rows.append([game.playable.playoff_name if turn.is_playoff else str(turn.number)] + [""] * len(game.seats))
        rows[-1][turn.seat + 1] = turn.result
    return format_table([["turn", *(seat.name for seat in game.seats)], *rows], width=width)


@dataclass(frozen=True)
class ReviewedTurn:
    """A turn of a game.

    Attributes:
        number: its line in the score sheet, from 1; see ``turns``.
        seat: the seat that played it.
        result: its gain and the new total, as text; "" if the turn is not over.
        is_playoff: whether it belongs to a playoff of tied players.
        events: the numbers of its events, from 1. Each step of the game is an event: a roll, a choice, or a whole turn
            that was entered by its result.
    """

    number: int
    seat: int
    result: str
    is_playoff: bool
    events: range


def turns(game: GameFile) -> Iterator[ReviewedTurn]:
    """Yield the turns of a game in their order.

    The last turn may be unfinished; then its result is "". In the game of one seat, the turns of the others belong to
    the next turn, and the last of them to the last turn. A line of the score sheet has one turn of each seat at most,
    so a new line begins when a seat moves that has a turn in the current line.
    """
    turn_start = game.start
    first_event = 1
    line_number = 1
    seats_in_line = set[int]()
    is_playoff = False
    for event, step in enumerate(game.steps, 1):
        is_turn_over = ends_turn(game.playable, step.after)
        is_last_event = event == len(game.steps)
        ends_with_others = event + 1 == len(game.steps) and game.steps[event].kind == "others"
        if not is_last_event and (not is_turn_over or step.kind == "others" or ends_with_others):
            continue
        seat = game.playable.player_to_move(turn_start)
        if seat in seats_in_line:
            line_number += 1
            seats_in_line = set()
        seats_in_line.add(seat)
        result = _turn_result(game.playable, turn_start, step, seat) if is_turn_over else ""
        yield ReviewedTurn(line_number, seat, result, is_playoff, range(first_event, event + 1))
        is_playoff |= game.playable.find_tie(step.position, step.after) is not None
        turn_start = step.after
        first_event = event + 1


def _turn_result(playable: PlayableGame[Any], start: Any, last_step: Step, seat: int) -> str:
    """Return what a turn brought and the new total of its seat, as text."""
    score_before, score_after = (
        scores_from_mover(playable, start, seat),
        scores_from_mover(playable, last_step.after, seat),
    )
    points = str(last_step.choice.points) if last_step.choice else last_step.line_text.removeprefix("turn ")
    if not score_before or not score_after:
        return points
    if last_step.kind != "others" and playable.find_tie(last_step.position, last_step.after):
        # The scores after a tie count from 0.
        score_after = (score_before[0] + parse_number(points, "points"),)
    gain = score_after[0] - score_before[0]
    if not gain and playable.objective == "points" and playable.stage(last_step.after) == Stage.TERMINAL:
        payoff = int(playable.payoffs(last_step.after)[seat])  # points of a single turn are not added to the score
        return f"{-payoff if playable.fewer_is_better else payoff:,}"
    return f"{gain:+,} {score_after[0]:>6,}" if gain else f"- {score_after[0]:>6,}"


# --- numbers and sentences


def meaning(review: Review) -> str:
    """Return the sentences that explain the columns of ``sums``."""
    # Start and outcome are printed as positive numbers. If fewer is better, gains make them smaller.
    sign = "-" if review.game.playable.fewer_is_better else "+"
    start, *amounts, outcome, _ = sums_headings(review)
    points = " Luck and errors are in percentage points." if review.objective in PROBABILITY_OBJECTIVES else ""
    dice, counted = "all rolls", "forced ones"
    if _has_others_turns(review):
        dice, counted = "your rolls", "forced ones and each turn of the others"
    return (
        f"{outcome} = {f' {sign} '.join((start, *amounts))}. Luck is the effect of {dice}, with optimal play"
        f" afterwards.{points} Events are numbered from the first roll or choice, including {counted}."
    )


def _has_others_turns(review: Review) -> bool:
    """Return whether whole turns of the other players are events, as in the game of one seat."""
    return any(step.kind == "others" for step in review.game.steps)


def sums_headings(review: Review) -> tuple[str, ...]:
    """Return the headings of the numbers of ``sums``; a player alone has no column for the others."""
    others = []
    if _has_others_turns(review):
        others = ["others' turns"]
    elif len(review.seats) > 1:
        others = ["others' errors"]
    return ("start", "luck", "own errors", *others, "outcome", "cost per decision")


def format_signed(amount: float, objective: str) -> str:
    """Format an amount of luck or errors with its sign."""
    if not amount:
        return format_loss(0.0, objective)
    return f"{'-' if amount < 0 else '+'}{format_loss(abs(amount), objective)}"


def format_unsigned(value: float, objective: str, fewer: bool) -> str:
    """Format a value; if fewer is better, as of turns, it is printed as a positive number."""
    return (
        format_percent(value)
        if objective in PROBABILITY_OBJECTIVES
        else format_value(abs(value) if fewer else value, objective)
    )


def without_unit(words: str, objective: str) -> str:
    """Return a formatted number without its unit."""
    return words.removesuffix(f" {objective}").partition(" points")[0]


def title(review: Review) -> str:
    """Return the game, the objective, and whether the game is over."""
    state = "the game is over" if review.trace.over else "the game is not over, so its outcome is the current value"
    return f"{review.game.playable.game.title}, objective {review.objective}; {state}."


def sums(review: Review) -> list[list[str]]:
    """Return a row of text for every seat: its name and the numbers under ``sums_headings``."""
    objective, fewer = review.objective, review.game.playable.fewer_is_better
    rows = []
    has_others = _has_others_turns(review) or len(review.seats) > 1
    for name, seat in zip(review.names, review.seats, strict=True):
        from_others = seat.from_others if abs(seat.from_others) > review.trace.error_bound else 0.0
        numbers = (
            format_unsigned(seat.start, objective, fewer),
            format_signed(seat.luck, objective),
            format_signed(-seat.own_errors, objective),
            *([format_signed(from_others, objective)] if has_others else []),
            format_unsigned(seat.outcome, objective, fewer),
            format_loss(seat.mean_error, objective) if seat.decisions else "none",
        )
        rows.append([name, *(without_unit(number, objective) for number in numbers)])
    return rows


def in_short(review: Review, number: int) -> str:
    """Return a sentence about how one seat played."""
    seat, objective, name = review.seats[number], review.objective, review.names[number]
    if not seat.decisions:
        return f"{name}: no decisions."
    without_luck = format_without_luck(seat.without_luck, objective, review.game.playable.fewer_is_better)
    decisions = format_count(seat.decisions, "decision")
    errors = f"no errors in {decisions}"
    if seat.mistakes:
        errors = f"errors in {seat.mistakes} of {decisions}, {format_loss(seat.own_errors, objective)} in total"
    return (
        f"{name}: {errors}"
        f"{_grade_in_brackets(seat.mean_error, seat.decisions, objective)}; outcome without luck {without_luck}."
    )


def format_without_luck(outcome: float, objective: str, fewer: bool) -> str:
    """Return an outcome without luck; luck adds up over a game, so a chance without it may lie outside 0 to 100%.

    Args:
        outcome: the outcome minus the luck.
        objective: the objective.
        fewer: whether fewer is better.
    """
    if objective not in PROBABILITY_OBJECTIVES:
        return format_unsigned(outcome, objective, fewer)
    chance = min(max(outcome, 0.0), 1.0)
    side = "" if abs(outcome - chance) < SHOWN_CHANCE else "below " if outcome < 0 else "above "
    return f"{side}{format_unsigned(chance, objective, fewer)}"


def mistake_lines(review: Review, number: int) -> list[str]:
    """Return lines with the marks of one seat and the cost of each kind of error, the costliest first."""
    events = zip(review.trace.events, review.marks, strict=True)
    mark_counts = Counter(mark for event, mark in events if event.seat == number and mark)
    lines = []
    if mark_counts:
        counts = ", ".join(f"{mark_counts[mark]} {mark}" for _, mark in MISTAKE_MARKS if mark_counts[mark])
        lines.append(f"marked: {counts}")
    kinds = [(kind, count, loss) for kind, (count, loss) in review.kinds[number].items()]
    for kind, count, loss in sorted(kinds, key=lambda row: -row[2]):
        label = mistake_label(review.game.playable, kind)
        lines.append(f"{label}: {format_count(count, 'time')}, {format_loss(loss, review.objective)}")
    return lines


def headline(review: Review, mistake: Mistake) -> str:
    """Return a sentence about a mistake."""
    cost = format_loss(mistake.error, review.objective)
    mark = f" {mistake.mark}" if mistake.mark else ""
    name = review.names[mistake.seat]
    return f"{name}, event {mistake.number}: {mistake.chosen}{mark} cost {cost}; best was {mistake.best}."


def _grade_in_brackets(mean_error: float, decisions: int, objective: str) -> str:
    """Return the grade of a player, or "" if nothing was decided or the objective is not a chance."""
    return f" (grade: {grade(mean_error)})" if objective in PROBABILITY_OBJECTIVES and decisions else ""


# --- one review


def format_text(review: Review, width: int = LINE_WIDTH) -> str:
    """Return a review as text with lines of at most ``width`` characters."""
    lines = [*_wrapped(f"Review: {title(review)}", width=width), ""]
    above, last = zip(*(heading.rpartition(" ")[::2] for heading in sums_headings(review)), strict=True)  # two lines
    lines += format_table([["", *above], ["", *last], *sums(review)], 1, "  ", width)
    lines += ["", *_wrapped(meaning(review), "  ", "  ", width), ""]
    for number in range(len(review.names)):
        lines += _wrapped(in_short(review, number), "  ", width=width)
        for line in mistake_lines(review, number):
            lines += _wrapped(line, "    ", "  ", width)
    if review.mistakes:
        lines += ["", "The costliest decisions:"]
    for place, mistake in enumerate(review.mistakes, 1):
        lines += _wrapped(f"{place}. {headline(review, mistake)}", "   ", width=width)
        lines += [*_wrapped(mistake.why, "   ", "   ", width), f"   id {mistake.id}"]
    return "\n".join(lines) + "\n"


def format_markdown(review: Review) -> str:
    """Return a review as Markdown, with its score sheet."""
    table = (["", *sums_headings(review)], *sums(review))
    heading, *rows = [[escape_markdown(cell) for cell in row] for row in table]
    alignment = ["---", *["---:"] * (len(heading) - 1)]
    lines = [f"# Review: {escape_markdown(title(review))}", ""]
    lines += [f"| {' | '.join(row)} |" for row in (heading, alignment, *rows)]
    lines += ["", meaning(review), ""]
    for number in range(len(review.names)):
        lines.append(f"- {escape_markdown(in_short(review, number))}")
        lines += [f"  - {escape_markdown(line)}" for line in mistake_lines(review, number)]
    if review.mistakes:
        lines += ["", "## The costliest decisions", ""]
    for place, mistake in enumerate(review.mistakes, 1):
        sentences = escape_markdown(f"{headline(review, mistake)} {mistake.why}")
        lines.append(f"{place}. {sentences} {markdown_code(mistake.id)}")
    return "\n".join([*lines, "", "## Score sheet", "", "```", *score_sheet(review.game), "```"]) + "\n"


def _wrapped(words: str, indent: str = "", first: str = "", width: int = LINE_WIDTH) -> list[str]:
    return wrap_text(words, first, indent, width).split("\n")


# --- many games


def make_record(reviews: Sequence[tuple[str, Review]]) -> list[dict[str, Any]]:
    """Return the record of every player over games of one kind and objective, as JSON data.

    A record counts games and decisions and sums up errors, luck and outcomes. If the game has strategy levels it also
    places the player among them (``curve``).

    Args:
        reviews: reviews, each with the name of its file.
    """
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    reviewed_seats: dict[tuple[str, str, str], list[tuple[Review, int]]] = {}
    for _, review in reviews:
        for number, (name, seat) in enumerate(zip(review.names, review.seats, strict=True)):
            key = name, review.game.playable.game.id, review.objective
            reviewed_seats.setdefault(key, []).append((review, number))
            empty = {"games": 0, "decisions": 0, "errors": 0.0, "luck": 0.0, "outcome": 0.0}
            row = rows.setdefault(key, dict(zip(("name", "game", "objective"), key, strict=True)) | empty)
            row["games"] += 1
            row["decisions"] += seat.decisions
            row["errors"] += seat.own_errors
            row["luck"] += seat.luck
            row["outcome"] += seat.outcome
    for key, row in rows.items():
        row["mean_error"] = row["errors"] / max(1, row["decisions"])
        if levels := learning_curve(reviewed_seats[key]):
            row["levels"] = levels
    return [*rows.values()]


def format_record(reviews: Sequence[tuple[str, Review]], width: int = LINE_WIDTH) -> str:
    """Return the mean errors game by game in the given order, then the record of every player, as text."""
    lines = ["The games, with the average cost of a decision:"]
    for file, review in reviews:
        lines += _wrapped(f"{file}: {each_seat(review)}", "    ", "  ", width)
    lines += ["", "The record:"]
    for line in record_lines(reviews):
        lines += _wrapped(line, "    ", "  ", width)
    return "\n".join(lines) + "\n"


def each_seat(review: Review) -> str:
    """Return the mean loss of a decision for every seat, with its grade."""
    parts = []
    for row, seat in zip(sums(review), review.seats, strict=True):
        name = row[0]
        mean_loss = format_loss(seat.mean_error, review.objective) if seat.decisions else "no decisions"
        parts.append(f"{name} {mean_loss}{_grade_in_brackets(seat.mean_error, seat.decisions, review.objective)}")
    return ", ".join(parts)


def record_lines(reviews: Sequence[tuple[str, Review]]) -> Iterator[str]:
    """Yield sentences about the record of every player."""
    fewer_by_game = {review.game.playable.game.id: review.game.playable.fewer_is_better for _, review in reviews}
    has_short_record = False
    for row in make_record(reviews):
        yield _record_sentence(row, fewer_by_game[row["game"]])
        if "levels" in row and row["decisions"] < MIN_DECISIONS_OF_LEVEL:
            has_short_record = True
        elif "levels" in row:
            yield f"{row['name']}: {in_levels(row['levels'], row['objective'])}"
    if has_short_record:
        yield f"Players are compared with the strategy sheets from {MIN_DECISIONS_OF_LEVEL} decisions on."


def _record_sentence(row: Mapping[str, Any], fewer: bool) -> str:
    """Return the record of one player as a sentence.

    Args:
        row: a row of ``record``.
        fewer: whether fewer is better.
    """
    objective, games, decisions = row["objective"], row["games"], row["decisions"]
    errors = "no errors"
    if decisions:
        grade_text = _grade_in_brackets(row["mean_error"], decisions, objective)
        errors = f"{format_loss(row['mean_error'], objective)} each{grade_text}"
    outcome = format_unsigned(row["outcome"] / games, objective, fewer)
    without_luck = format_without_luck((row["outcome"] - row["luck"]) / games, objective, fewer)
    return (
        f"{row['name']}, {row['game']}, objective {objective}: {format_count(games, 'game')},"
        f" {format_count(decisions, 'decision')}, {errors}; luck {format_signed(row['luck'], objective)},"
        f" outcome {outcome} per game, without luck {without_luck}."
    )


def in_levels(levels: Mapping[str, Any], objective: str) -> str:
    """Return a sentence about the level of a player's decisions, and what to learn next.

    Args:
        levels: the JSON data of ``curve``.
        objective: the objective of the losses.
    """
    lesson = levels["next"]
    losses = ", ".join(
        f"sheet {level} {format_loss(loss, objective)}" for level, loss in enumerate(levels["losses"], 1)
    )
    if levels["plays_like"]:
        *earlier, last = map(str, levels["plays_like"])
        numbers = f"sheets {', '.join(earlier)} and {last}" if earlier else f"sheet {last}"
        standing = f"plays like strategy {numbers}"
    else:
        standing = "plays worse than every strategy sheet"  # then there is a sheet to learn from
    placed = f"{standing} (average loss in these decisions: {losses}); "
    if lesson is None:
        return f"{placed}no higher sheet loses less."
    times = format_count(lesson["times"], "time")
    saving = f"not followed {times}; following it would have saved {format_loss(lesson['cost'], objective)}"
    return f"{placed}learn first, from sheet {lesson['level']}: {lesson['says']} ({saving})."
