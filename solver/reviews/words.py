"""A review in words: text of 80 columns, Markdown, the score sheet, and the record of players over many games."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from ..answers.advice import cost, percent, worth
from ..escapes import code
from ..escapes import markdown as escape
from ..play.gamefile import GameFile, Step
from ..play.spoken import scores
from ..play.table import Table
from . import CHANCES, Mistake, Review, ends_turn, grade

WIDTH = 79


def score_sheet(game: GameFile) -> list[str]:
    """What every turn brought, and the totals, a column for each seat; five seats side by side."""
    table, rows = game.table, list[list[str]]()
    begun: Any = game.start
    for step in game.steps:
        if ends_turn(table, step.after):
            seat = table.mover(begun)
            rows.append([""] * len(game.seats) if not rows or rows[-1][seat] else rows.pop())
            rows[-1][seat] = _brought(table, begun, step, seat)
            begun = step.after
    lines = []
    for first in range(0, len(game.seats), 5):
        columns = range(first, min(first + 5, len(game.seats)))
        lines.append("turn  " + "".join(f"{game.seats[one].name[:12]:>13}" for one in columns))
        lines += [
            f"{number:>4}  " + "".join(f"{row[one]:>13}" for one in columns) for number, row in enumerate(rows, 1)
        ]
    return lines


def _brought(table: Table[Any], begun: Any, step: Step, seat: int) -> str:
    before, after = scores(table, begun, seat), scores(table, step.after, seat)
    if not before or not after:
        return str(step.choice.points) if step.choice else step.said.removeprefix("turn ")
    gained = after[0] - before[0]
    return f"{gained:+,} {after[0]:>6,}" if gained else f"- {after[0]:>6,}"


# --- a review

HEADS = ("start", "luck", "errors", "others", "outcome", "per choice")
MEANING = (
    "outcome = start + luck of all throws + own errors + what the others' errors brought; luck is measured against the"
    " best play from there on."
)


def told(amount: float, objective: str) -> str:
    """A sum of luck or errors in words, with its sign."""
    return f"{'-' if amount < 0 else '+'}{cost(abs(amount), objective)}" if amount else cost(0.0, objective)


def plain(value: float, objective: str) -> str:
    """A value in words; turns are counted upwards."""
    return percent(value) if objective in CHANCES else worth(abs(value) if objective == "turns" else value, objective)


def title(review: Review) -> str:
    """What was judged, by what."""
    over = "the game is over" if review.trace.over else "the game is not over, its outcome is what it stands at"
    return f"{review.game.table.game.title}, judged by {review.objective}; {over}."


def sums(review: Review) -> list[list[str]]:
    """The sums of every seat, a row each: its name and what stands under ``HEADS``."""
    objective, rows = review.objective, []
    for who, seat in zip(review.names, review.seats, strict=True):
        mean = cost(seat.mean_error, objective) if seat.decisions else "none"
        numbers = [plain(seat.start, objective), told(seat.luck, objective), told(-seat.own_errors, objective)]
        numbers += [told(seat.from_others, objective), plain(seat.outcome, objective), mean]
        rows.append([who, *(one.removesuffix(f" {objective}").partition(" points")[0] for one in numbers)])
    return rows


def in_short(review: Review, number: int) -> str:
    """How one seat played, in a sentence."""
    seat, objective = review.seats[number], review.objective
    if not seat.decisions:
        return f"{review.names[number]}: nothing was decided."
    words = f" ({grade(seat.mean_error)})" if objective in CHANCES else ""
    return (
        f"{review.names[number]}: {seat.mistakes} of {seat.decisions} decisions cost something,"
        f" {cost(seat.own_errors, objective)} in all{words}; without luck {plain(seat.without_luck, objective)}."
    )


def by_kind(review: Review, number: int) -> list[str]:
    """What each kind of error cost one seat, the costliest first."""
    kinds = sorted(review.kinds[number].items(), key=lambda one: -one[1][1])
    return [f"{kind}: {count} time{'s' * (count > 1)}, {cost(lost, review.objective)}" for kind, (count, lost) in kinds]


def headline(review: Review, mistake: Mistake) -> str:
    """A mistake in a sentence."""
    where = f"line {mistake.line}" if mistake.line else f"event {mistake.number}"
    lost = cost(mistake.error, review.objective)
    return f"{review.names[mistake.seat]}, {where}: {mistake.chosen} cost {lost}; best was {mistake.best}."


def text(review: Review) -> str:
    """The report in lines of 80 columns."""
    lines = [*_wrapped(f"Review: {title(review)}"), ""]
    width = max(4, *map(len, review.names))
    lines += [
        f"  {row[0]:<{width}}" + "".join(f"{one:>10}" for one in row[1:6]) + f"{row[6]:>12}"
        for row in (["", *HEADS], *sums(review))
    ]
    lines += ["", *_wrapped(MEANING, "  ", "  "), ""]
    for number in range(len(review.names)):
        lines += _wrapped(in_short(review, number), "  ")
        lines += [f"  {line}" for line in by_kind(review, number)]
    if review.mistakes:
        lines += ["", "The costliest decisions:"]
    for place, one in enumerate(review.mistakes, 1):
        lines += _wrapped(f"{place}. {headline(review, one)}", "   ")
        lines += [*_wrapped(one.why, "   ", "   "), f"   id {one.id}"]
    return "\n".join(lines) + "\n"


def markdown(review: Review) -> str:
    """The same in Markdown."""
    lines = [f"# Review: {escape(title(review))}", ""]
    rows = [["", *HEADS], *sums(review)]
    rows = [[escape(cell) for cell in row] for row in rows]
    rows.insert(1, ["---", *["---:"] * len(HEADS)])
    lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += ["", MEANING, ""]
    for number in range(len(review.names)):
        lines += [f"- {escape(in_short(review, number))}"]
        lines += [f"  - {escape(line)}" for line in by_kind(review, number)]
    if review.mistakes:
        lines += ["", "## The costliest decisions", ""]
    for place, one in enumerate(review.mistakes, 1):
        lines += [f"{place}. {escape(f'{headline(review, one)} {one.why}')} {code(one.id)}"]
    return "\n".join([*lines, "", "## Score sheet", "", "```", *score_sheet(review.game), "```"]) + "\n"


def _wrapped(words: str, indent: str = "", first: str = "") -> list[str]:
    return textwrap.wrap(words, WIDTH, initial_indent=first, subsequent_indent=indent, break_long_words=False)


# --- many games


def record(reviews: Sequence[tuple[str, Review]]) -> list[dict[str, Any]]:
    """Every player's record over games of one kind: who, at what, how many games and decisions, errors and luck."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for _, review in reviews:
        for who, seat in zip(review.names, review.seats, strict=True):
            key = who, review.game.table.game.id, review.objective
            empty = {"games": 0, "decisions": 0, "errors": 0.0, "luck": 0.0, "outcome": 0.0}
            row = found.setdefault(key, dict(zip(("name", "game", "objective"), key, strict=True)) | empty)
            row["games"] += 1
            row["decisions"] += seat.decisions
            row["errors"] += seat.own_errors
            row["luck"] += seat.luck
            row["outcome"] += seat.outcome
    return [{**row, "mean_error": row["errors"] / max(1, row["decisions"])} for row in found.values()]


def record_text(reviews: Sequence[tuple[str, Review]]) -> str:
    """Game by game in the order given, then every player's record."""
    lines = ["The games, with the error of a decision on average:"]
    for file, review in reviews:
        seats = [
            f"{row[0]} {row[6]}" + (f" ({grade(seat.mean_error)})" if review.objective in CHANCES else "")
            for row, seat in zip(sums(review), review.seats, strict=True)
        ]
        lines += _wrapped(f"{file}: {', '.join(seats)}", "    ", "  ")
    lines += ["", "The record:"]
    for row in record(reviews):
        objective, games, decisions = row["objective"], row["games"], row["decisions"]
        words = f" ({grade(row['mean_error'])})" if objective in CHANCES and decisions else ""
        lines += _wrapped(
            f"{row['name']}, {row['game']} for {objective}: {games} game{'s' * (games > 1)}, {decisions} decisions,"
            f" {cost(row['mean_error'], objective)} each{words}; luck {told(row['luck'], objective)}, outcome"
            f" {plain(row['outcome'] / games, objective)} a game, without luck"
            f" {plain((row['outcome'] - row['luck']) / games, objective)}.",
            "    ",
            "  ",
        )
    return "\n".join(lines) + "\n"
