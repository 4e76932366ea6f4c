"""A review in words: text of 80 columns, Markdown, the score sheet, and the record of players over many games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..play.game_file import GameFile, Step
from ..play.input_parser import scores
from ..play.playable_game import Table
from ..util.escaping import escape_markdown as escape
from ..util.escaping import markdown_code
from ..util.number_format import MISTAKE_MARKS, format_count, format_loss, format_percent, format_value
from ..util.text import LINE_WIDTH, format_table, wrap_text
from . import CHANCES, Mistake, Review, ends_turn, grade
from .learning_curve import curve


def score_sheet(game: GameFile, width: int = LINE_WIDTH) -> list[str]:
    """What every turn brought, and the totals, a column for each seat; as many seats side by side as a line holds."""
    rows = list[list[str]]()
    for turn in turns(game):
        if turn.brought:
            rows += [[""] * len(game.seats)] * (turn.number > len(rows))
            rows[-1] = [*rows[-1][: turn.seat], turn.brought, *rows[-1][turn.seat + 1 :]]
    told = [["turn", *(seat.name for seat in game.seats)], *([str(turn), *row] for turn, row in enumerate(rows, 1))]
    return format_table(told, width=width)


@dataclass(frozen=True)
class Turn:
    """A turn: its row in the score sheet, from 1; whose; what it brought, "" while it goes on; its events, from 1."""

    number: int
    seat: int
    brought: str
    events: range


def turns(game: GameFile) -> Iterator[Turn]:
    """The turns of a game, in their order."""
    begun, first, number, played = game.start, 1, 1, set[int]()
    for last, step in enumerate(game.steps, 1):
        over, seat = ends_turn(game.table, step.after), game.table.mover(begun)
        if over or last == len(game.steps):
            if seat in played:
                number, played = number + 1, set()
            played.add(seat)
            brought = _brought(game.table, begun, step, seat) if over else ""
            yield Turn(number, seat, brought, range(first, last + 1))
            begun, first = step.after, last + 1


def _brought(table: Table[Any], begun: Any, step: Step, seat: int) -> str:
    before, after = scores(table, begun, seat), scores(table, step.after, seat)
    if not before or not after:
        return str(step.choice.points) if step.choice else step.said.removeprefix("turn ")
    gained = after[0] - before[0]
    if not gained and table.objective == "points" and table.stage(step.after) == "over":
        brought = int(table.outcome(step.after)[seat])  # of one turn, which adds to no score
        return f"{-brought if table.fewer_is_better else brought:,}"
    return f"{gained:+,} {after[0]:>6,}" if gained else f"- {after[0]:>6,}"


# --- a review

HEADS = ("start", "luck", "errors", "others", "outcome", "per choice")


def meaning(review: Review) -> str:
    """How the sums hang together; where fewer is better start and outcome are counted upwards."""
    sign = "-" if review.game.table.fewer_is_better else "+"
    sums = f"start {sign} luck of all throws {sign} own errors {sign} what the others' errors brought"
    points = " Of chances, luck and errors are percentage points." if review.objective in CHANCES else ""
    return (
        f"outcome = {sums}; luck is measured against the best play from there on.{points} Events are counted from the"
        " first throw or choice on, forced ones too."
    )


def told(amount: float, objective: str) -> str:
    """A sum of luck or errors in words, with its sign."""
    return (
        f"{'-' if amount < 0 else '+'}{format_loss(abs(amount), objective)}" if amount else format_loss(0.0, objective)
    )


def plain(value: float, objective: str, fewer: bool) -> str:
    """A value in words; what is better the fewer there is of it, as turns, is counted upwards."""
    return format_percent(value) if objective in CHANCES else format_value(abs(value) if fewer else value, objective)


def bare(words: str, objective: str) -> str:
    """A number without what it counts."""
    return words.removesuffix(f" {objective}").partition(" points")[0]


def title(review: Review) -> str:
    """What was judged, by what."""
    over = "the game is over" if review.trace.over else "the game is not over, its outcome is what it stands at"
    return f"{review.game.table.game.title}, judged by {review.objective}; {over}."


def sums(review: Review) -> list[list[str]]:
    """The sums of every seat, a row each: its name and what stands under ``HEADS``."""
    objective, fewer, rows = review.objective, review.game.table.fewer_is_better, []
    for who, seat in zip(review.names, review.seats, strict=True):
        mean = format_loss(seat.mean_error, objective) if seat.decisions else "none"
        from_others = seat.from_others if abs(seat.from_others) > review.trace.error_bound else 0.0
        numbers = [plain(seat.start, objective, fewer), told(seat.luck, objective), told(-seat.own_errors, objective)]
        numbers += [told(from_others, objective), plain(seat.outcome, objective, fewer), mean]
        rows.append([who, *(bare(one, objective) for one in numbers)])
    return rows


def in_short(review: Review, number: int) -> str:
    """How one seat played, in a sentence."""
    seat, objective = review.seats[number], review.objective
    if not seat.decisions:
        return f"{review.names[number]}: nothing was decided."
    words, fewer = _graded(seat.mean_error, seat.decisions, objective), review.game.table.fewer_is_better
    return (
        f"{review.names[number]}: {seat.mistakes} of {format_count(seat.decisions, 'decision')} cost something,"
        f" {format_loss(seat.own_errors, objective)} in all{words};"
        f" without luck {plain(seat.without_luck, objective, fewer)}."
    )


def by_kind(review: Review, number: int) -> list[str]:
    """What each kind of error cost one seat, the costliest first."""
    kinds = sorted(review.kinds[number].items(), key=lambda one: -one[1][1])
    events = zip(review.trace.events, review.marks, strict=True)
    marked = Counter(mark for event, mark in events if event.seat == number and mark)
    told = ", ".join(f"{marked[sign]} {sign}" for _, sign in MISTAKE_MARKS if marked[sign])
    marks = [f"marked: {told}"] if told else []
    return marks + [
        f"{kind}: {format_count(count, 'time')}, {format_loss(lost, review.objective)}" for kind, (count, lost) in kinds
    ]


def headline(review: Review, mistake: Mistake) -> str:
    """A mistake in a sentence."""
    lost = format_loss(mistake.error, review.objective)
    mark = f" {mistake.mark}" if mistake.mark else ""
    who = review.names[mistake.seat]
    return f"{who}, event {mistake.number}: {mistake.chosen}{mark} cost {lost}; best was {mistake.best}."


def text(review: Review, width: int = LINE_WIDTH) -> str:
    """The report in lines of so many columns."""
    lines = [*_wrapped(f"Review: {title(review)}", width=width), ""]
    lines += format_table([["", *HEADS], *sums(review)], 1, "  ", width)
    lines += ["", *_wrapped(meaning(review), "  ", "  ", width), ""]
    for number in range(len(review.names)):
        lines += _wrapped(in_short(review, number), "  ", width=width)
        lines += [line for kind in by_kind(review, number) for line in _wrapped(kind, "    ", "  ", width)]
    if review.mistakes:
        lines += ["", "The costliest decisions:"]
    for place, one in enumerate(review.mistakes, 1):
        lines += _wrapped(f"{place}. {headline(review, one)}", "   ", width=width)
        lines += [*_wrapped(one.why, "   ", "   ", width), f"   id {one.id}"]
    return "\n".join(lines) + "\n"


def markdown(review: Review) -> str:
    """The same in Markdown."""
    lines = [f"# Review: {escape(title(review))}", ""]
    rows = [["", *HEADS], *sums(review)]
    rows = [[escape(cell) for cell in row] for row in rows]
    rows.insert(1, ["---", *["---:"] * len(HEADS)])
    lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += ["", meaning(review), ""]
    for number in range(len(review.names)):
        lines += [f"- {escape(in_short(review, number))}"]
        lines += [f"  - {escape(line)}" for line in by_kind(review, number)]
    if review.mistakes:
        lines += ["", "## The costliest decisions", ""]
    for place, one in enumerate(review.mistakes, 1):
        lines += [f"{place}. {escape(f'{headline(review, one)} {one.why}')} {markdown_code(one.id)}"]
    return "\n".join([*lines, "", "## Score sheet", "", "```", *score_sheet(review.game), "```"]) + "\n"


def _wrapped(words: str, indent: str = "", first: str = "", width: int = LINE_WIDTH) -> list[str]:
    return wrap_text(words, first, indent, width).split("\n")


# --- many games


def record(reviews: Sequence[tuple[str, Review]]) -> list[dict[str, Any]]:
    """Every player's record over games of one kind: who, at what, how many games and decisions, errors and luck; and
    where the game has levels, of which one they are (``curve``).
    """
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    judged: dict[tuple[str, str, str], list[tuple[Review, int]]] = {}
    for _, review in reviews:
        for number, (who, seat) in enumerate(zip(review.names, review.seats, strict=True)):
            key = who, review.game.table.game.id, review.objective
            judged.setdefault(key, []).append((review, number))
            empty = {"games": 0, "decisions": 0, "errors": 0.0, "luck": 0.0, "outcome": 0.0}
            row = found.setdefault(key, dict(zip(("name", "game", "objective"), key, strict=True)) | empty)
            row["games"] += 1
            row["decisions"] += seat.decisions
            row["errors"] += seat.own_errors
            row["luck"] += seat.luck
            row["outcome"] += seat.outcome
    for key, row in found.items():
        row["mean_error"] = row["errors"] / max(1, row["decisions"])
        if levels := curve(judged[key]):
            row["levels"] = levels
    return [*found.values()]


def record_text(reviews: Sequence[tuple[str, Review]], width: int = LINE_WIDTH) -> str:
    """Game by game in the order given, then every player's record."""
    lines = ["The games, with the error of a decision on average:"]
    for file, review in reviews:
        lines += _wrapped(f"{file}: {each_seat(review)}", "    ", "  ", width)
    lines += ["", "The record:"]
    for line in record_lines(reviews):
        lines += _wrapped(line, "    ", "  ", width)
    return "\n".join(lines) + "\n"


def each_seat(review: Review) -> str:
    """What a decision cost every seat on average."""
    return ", ".join(
        f"{row[0]} {row[6]}{_graded(seat.mean_error, seat.decisions, review.objective)}"
        for row, seat in zip(sums(review), review.seats, strict=True)
    )


def record_lines(reviews: Sequence[tuple[str, Review]]) -> Iterator[str]:
    """Every player's record, in a sentence."""
    counted_down = {one.game.table.game.id: one.game.table.fewer_is_better for _, one in reviews}
    for row in record(reviews):
        fewer = counted_down[row["game"]]
        objective, games, decisions, mean = row["objective"], row["games"], row["decisions"], row["mean_error"]
        each = f"{format_loss(mean, objective)} each{_graded(mean, decisions, objective)}" if decisions else "no errors"
        outcome, without = plain(row["outcome"] / games, objective, fewer), row["outcome"] - row["luck"]
        yield (
            f"{row['name']}, {row['game']} for {objective}: {format_count(games, 'game')},"
            f" {format_count(decisions, 'decision')},"
            f" {each}; luck {told(row['luck'], objective)}, outcome {outcome} a game,"
            f" without luck {plain(without / games, objective, fewer)}."
        )
        if "levels" in row:
            yield f"{row['name']}: {in_levels(row['levels'], objective)}"


def in_levels(levels: Mapping[str, Any], objective: str) -> str:
    """Of what level somebody's decisions are, and what to learn next."""
    like, after = levels["plays_like"], levels["next"]
    losses = ", ".join(f"{level}: {format_loss(loss, objective)}" for level, loss in enumerate(levels["losses"], 1))
    same = f"like level {' or '.join(map(str, like))}"
    said = same if like else "not like level 1 yet" if after else "with less loss than any level"
    told = f"{said} (what a decision of each loses there: {losses}); "
    if after is None:
        return f"{told}no level above loses less."
    dear = f"{format_count(after['times'], 'time')}, {format_loss(after['cost'], objective)}"
    return f"{told}next to learn, of level {after['level']}: {after['says']} ({dear})."


def _graded(mean_error: float, decisions: int, objective: str) -> str:
    """The grade of who decided something, where it is a chance that was lost."""
    return f" ({grade(mean_error)})" if objective in CHANCES and decisions else ""
