"""Reviews as one HTML page: sums, a chart of all values, and every turn with its decisions.

The page can be read and printed without its program (``page/src/reviewed.ts``). The program steps through the
decisions, shows only some of them, and hides the best choice until the reader has decided again. It uses nothing but
the page itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..answers.trace import Event
from ..play.input_parser import scores_from_mover
from ..play.playable_game import Choice, Stage
from ..play.position_fields import Role, field_label
from ..util.escaping import html as escape
from ..util.graphics import COLOURS, PIP_SYMBOLS, dice_html
from ..util.html_document import BUILT_FOLDER, html_document
from ..util.number_format import MISTAKE_MARKS, PROBABILITY_OBJECTIVES, format_loss
from ..util.text import bind_percentage_points
from . import Review
from .text import (
    ReviewedTurn,
    each_seat,
    format_signed,
    format_unsigned,
    headline,
    in_short,
    meaning,
    mistake_lines,
    record_lines,
    sums,
    sums_headings,
    title,
    turns,
    without_unit,
)

ROLES_SHOWN_OTHERWISE = (Role.ROLL, Role.SEAT, Role.BOXES)  # dice are drawn, names and open boxes are listed
MAX_CHEAPEST_CHOICES = 8  # listed for a decision, besides the one that was made
CHART_WIDTH, CHART_HEIGHT = 440, 230
CHART_LEFT, CHART_TOP, CHART_RIGHT = 60, 16, 8  # margins
AXIS_LABEL_HEIGHT = 16
# Filters of the page: only decisions with at least this cost are shown.
COST_FILTERS = ("all decisions", "only with a cost", *(f"only {mark} or worse" for _, mark in reversed(MISTAKE_MARKS)))
TOOLS = (
    '<div class="tools no-print" role="group" aria-label="Decisions" hidden>'
    '<button type="button" data-step="-1" aria-label="previous decision">←</button>'
    '<button type="button" data-step="1" aria-label="next decision">→</button>'
    '<select id="seat" aria-label="player"><option value="">all players</option>{seats}</select>'
    '<select id="cost" aria-label="cost">{costs}</select>'
    '<label><input type="checkbox" id="again"> decide again</label><p role="status" id="said"></p></div>'
)


def render_html(reviews: Sequence[tuple[str, Review]]) -> str:
    """Return one HTML page with all these reviews.

    Args:
        reviews: reviews, each with the name of its file.
    """
    has_record = len(reviews) > 1
    heading = f"Review of {len(reviews)} games" if has_record else f"Review: {title(reviews[0][1])}"
    parts = [PIP_SYMBOLS, f"<header><h1>{html(heading)}</h1></header>", _tools(reviews), "<main>"]
    if has_record:
        parts += _record(reviews)
    for number, (file, review) in enumerate(reviews, 1):
        parts += _game(review, number, f"{file}: {title(review)}" if has_record else "")
    style, script = ((BUILT_FOLDER / f"reviewed.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return html_document(heading, "\n".join([*parts, "</main>"]), style, script)


def html(text: str) -> str:
    """Return text as HTML, without line breaks before percent signs."""
    return escape(bind_percentage_points(text))


def _tools(reviews: Sequence[tuple[str, Review]]) -> str:
    """Return the controls of the page's program."""
    names = dict.fromkeys(name for _, review in reviews for name in review.names)
    return TOOLS.format(
        seats="".join(f"<option>{html(name)}</option>" for name in names),
        costs="".join(f'<option value="{number}">{html(label)}</option>' for number, label in enumerate(COST_FILTERS)),
    )


def _record(reviews: Sequence[tuple[str, Review]]) -> Iterator[str]:
    """Yield the list of games and the records of all players."""
    files = "".join(
        f'<li><a href="#g{number}">{html(file)}</a>: {html(each_seat(review))}</li>'
        for number, (file, review) in enumerate(reviews, 1)
    )
    yield '<section class="record"><h2>The games, with the average cost of a decision</h2>'
    yield f"<ul>{files}</ul><h2>The record</h2>{_list(record_lines(reviews))}</section>"


def _game(review: Review, number: int, heading: str) -> Iterator[str]:
    """Yield the section of one game.

    Args:
        review: the review of the game.
        number: the number of the game on the page.
        heading: the heading of the section, or "" for none.
    """
    heading_html = f"<h2>{html(heading)}</h2>" if heading else ""
    yield f'<section class="game" id="g{number}">{heading_html}<div class="aside"><div class="picture">'
    yield from (picture(review), "</div>", *_summary(review, number), '</div><div class="turns">')
    for turn in turns(review.game):
        yield _turn(review, turn, number)
    yield "</div></section>"


def _list(lines: Iterator[str] | Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html(line)}</li>' for line in lines)}</ul>"


def _summary(review: Review, game: int) -> Iterator[str]:
    """Yield the table of sums with a column for each seat, a sentence about every player, and the costliest decisions.

    Args:
        review: the review of a game.
        game: the number of the game on the page.
    """
    names, *columns = zip(*sums(review), strict=True)
    headings = "".join(f'<th scope="col">{html(name)}</th>' for name in names)
    rows = ""
    for heading, numbers in zip(sums_headings(review), columns, strict=True):
        cells = "".join(f"<td>{html(number)}</td>" for number in numbers)
        rows += f'<tr><th scope="row">{html(heading)}</th>{cells}</tr>'
    yield '<div class="wide" tabindex="0" role="region" aria-label="Sums">'
    yield f"<table><tr><td></td>{headings}</tr>{rows}</table></div>"
    yield f'<p class="note">{html(meaning(review))}</p><ul>'
    for seat in range(len(review.names)):
        kinds = mistake_lines(review, seat)
        yield f"<li>{html(in_short(review, seat))}{_list(kinds) if kinds else ''}</li>"
    yield "</ul>"
    if review.mistakes:
        yield "<h3>The costliest decisions</h3><ol>"
        for mistake in review.mistakes:
            yield f'<li><a href="#g{game}e{mistake.number}">{html(headline(review, mistake))}</a></li>'
        yield "</ol>"


def _turn(review: Review, turn: ReviewedTurn, game: int) -> str:
    """Return the section of one turn: its result and its events."""
    gain, total = turn.result, ""
    if turn.result[:1] in ("+", "-"):
        gain, _, total = turn.result.partition(" ")
    words = f": {gain if gain != '-' else 'nothing'}{f', {total.strip()} in total' if total else ''}"
    result = f'<span class="after">{html(words)}</span>' if gain else ""
    heading = html(f"Turn {turn.number}, {review.names[turn.seat]}")
    events = "".join(_event(review, number, game) for number in turn.events)
    return f'<section class="turn"><h3>{heading}{result}</h3><ol>{events}</ol></section>'


def _event(review: Review, number: int, game: int) -> str:
    """Return the list item of one event: a decision, a forced choice, a roll or a whole turn.

    Args:
        review: the review of a game.
        number: the number of the event, from 1.
        game: the number of the game on the page.
    """
    event = review.trace.events[number - 1]
    attributes = f'id="g{game}e{number}" data-event="{number}"'
    name = f'<span class="name">{html(f"{review.names[event.seat]}, event {number}")}</span>'
    if event.choice is not None and not event.is_decision:
        return f'<li {attributes} class="event">{name}<span>{html(event.choice.action)}</span></li>'
    value = format_unsigned(event.value[event.seat], review.objective, review.game.playable.fewer_is_better)
    value_after = f'<span class="after stands">then {html(value)}</span>'
    if event.choice is None:
        label = "others" if event.kind == "others" else "luck"
        effect = html(f"{label} {format_signed(event.change_by_seat[event.seat], review.objective)}")
        return f'<li {attributes} class="event">{name}{_roll(review, number)}<span>{effect}</span>{value_after}</li>'
    return f"<li {attributes} {_decision(review, number, event, name)}{value_after}</li>"


def _decision(review: Review, number: int, event: Event[Any], name: str) -> str:
    """Return the inner attributes and content of a decision's list item: position, dice, choices and explanation."""
    mark = review.marks[number - 1]
    cost_filter = COST_FILTERS.index(f"only {mark} or worse") if mark else int(event.error > 0)
    seat = html(review.names[event.seat])
    explanation = next((html(mistake.why) for mistake in review.mistakes if mistake.number == number), "")
    answer = f'<p class="answer">{explanation}</p>' if explanation else ""
    dice = dice_html(review.game.playable.value_of_role(event.position, Role.ROLL, ()))
    return (
        f'class="event decision" tabindex="-1" data-seat="{seat}" data-cost="{cost_filter}">'
        f"<p>{name} {html(_situation(review, event.position))}</p>"
        f"{dice}<ol>{''.join(_choices(review, event, mark))}</ol>{answer}"
    )


def _choices(review: Review, event: Event[Any], mark: str) -> Iterator[str]:
    """Yield list items of the cheapest choices and of the one that was made, in the documented order."""
    choices = review.game.playable.choices(event.position)
    costs = dict(zip(choices, event.costs, strict=True))
    cheapest = sorted(choices, key=lambda choice: costs[choice])[:MAX_CHEAPEST_CHOICES]
    shown_choices = {event.choice, event.best, *cheapest}
    for choice in choices:
        if choice in shown_choices:
            yield _choice(review, event, choice, costs[choice], mark)


def _choice(review: Review, event: Event[Any], choice: Choice[Any], cost: float, mark: str) -> str:
    is_made = choice == event.choice
    if choice == event.best:
        words = "best"
    else:
        words = f"costs {format_loss(cost, review.objective)}" if cost else "just as good"
    is_good = not cost
    classes = " ".join(name for name, applies in (("good", is_good), ("made", is_made)) if applies)
    mark_text = f' <span class="answer">{html(f"{mark} played".strip())}</span>' if is_made else ""
    return (
        f'<li class="{classes}"><button type="button" disabled>{html(choice.action)}</button>'
        f' <span class="answer">{html(words)}</span>{mark_text}</li>'
    )


def _situation(review: Review, position: Any) -> str:
    """Return a line with the scores, the progress of the game, the open boxes and the fields of the turn."""
    playable = review.game.playable
    fields, standing = playable.to_dict(position), scores_from_mover(playable, position, 0)
    names = [*review.names, "opponent"][: len(standing)]  # in the game of one seat, the opponent has no name
    parts = [f"{name} {score:,}" for name, score in zip(names, standing, strict=True)]
    parts.append(playable.describe_progress(position))
    open_boxes = [
        name for name, is_filled in playable.boxes(position, playable.player_to_move(position)).items() if not is_filled
    ]
    if open_boxes:
        parts.append(f"open: {', '.join(open_boxes)}")
    for field in playable.fields:
        is_wanted = field.is_inside_turn or not standing  # scores say everything else
        if field.name in fields and is_wanted and field.role not in ROLES_SHOWN_OTHERWISE:
            parts.append(f"{field_label(field.name)} {field.format(fields[field.name])}")
    return " · ".join(filter(None, parts))


def _roll(review: Review, number: int) -> str:
    """Return the roll of an event as dice if it shows only faces and no decision follows, which draws them; or as text.

    Args:
        review: the review of a game.
        number: the number of the event, from 1.
    """
    playable, event = review.game.playable, review.trace.events[number - 1]
    words = review.game.steps[number - 1].line_text
    faces = {face for field in playable.fields if field.role is Role.ROLL for face in field.words}
    decision_follows = playable.stage(event.after) == Stage.DECISION and len(playable.choices(event.after)) > 1
    if event.kind == "throw" and not decision_follows and faces.issuperset(words.split()):
        return dice_html(words.split())
    return f"<span>{html(words)}</span>"


# --- the chart


def picture(review: Review) -> str:
    """Return an SVG chart of every seat's value after each event; decisions with a loss are marked."""
    events, objective = review.trace.events, review.objective
    values_by_seat = [*zip(review.trace.start, *(event.value for event in events), strict=True)]
    low, high = 0.0, 1.0
    if objective not in PROBABILITY_OBJECTIVES:
        low, high = min(map(min, values_by_seat)), max(map(max, values_by_seat))
    event_width = (CHART_WIDTH - CHART_LEFT - CHART_RIGHT) / max(1, len(events))
    value_height = (CHART_HEIGHT - 2 * CHART_TOP - AXIS_LABEL_HEIGHT) / ((high - low) or 1.0)
    bottom = CHART_HEIGHT - CHART_TOP - AXIS_LABEL_HEIGHT

    def point(number: int, value: float) -> str:
        return f"{CHART_LEFT + event_width * number:.1f},{bottom - value_height * (value - low):.1f}"

    subject = "Chance" if objective in PROBABILITY_OBJECTIVES else objective.capitalize()
    label = html(f"{subject} of {', '.join(review.names)} after each event")
    size = f'viewBox="0 0 {CHART_WIDTH} {CHART_HEIGHT}"'
    parts = [f'<svg {size} role="img" aria-label="{label}" data-across="{event_width!r}">']
    parts += _axes(review, point, (low, (low + high) / 2, high) if high > low else (low,))
    for seat, values in enumerate(values_by_seat):
        points = " ".join(point(number, value) for number, value in enumerate(values))
        parts.append(f'<polyline points="{points}" fill="none" {_stroke(seat)}/>')
        for number, event in enumerate(events, 1):
            if event.error and event.seat == seat:
                colour = COLOURS[seat % len(COLOURS)]
                parts.append(f'<path d="M{point(number, values[number])}l-6,-10h12z" fill="{colour}"/>')
    return "".join([*parts, "</svg>", *_legend(review)])


def _axes(review: Review, point: Callable[[int, float], str], marked_values: Sequence[float]) -> Iterator[str]:
    """Yield horizontal lines at these values with their labels, the ends of the event axis, and the cursor."""
    objective, fewer = review.objective, review.game.playable.fewer_is_better
    for value in marked_values:
        x, y = point(0, value).split(",")
        label = html(without_unit(format_unsigned(value, objective, fewer), objective))
        yield f'<path class="axis" d="M{x},{y}H{CHART_WIDTH - CHART_RIGHT}"/>'
        yield f'<text x="{CHART_LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{label}</text>'
    label_y = CHART_HEIGHT - 4
    yield f'<text x="{CHART_LEFT}" y="{label_y}">event 1</text>'
    yield f'<text x="{CHART_WIDTH - CHART_RIGHT}" y="{label_y}" text-anchor="end">{len(review.trace.events)}</text>'
    cursor = f"M{CHART_LEFT},{CHART_TOP - 8}V{CHART_HEIGHT - CHART_TOP - 8}"
    yield f'<path class="now" d="{cursor}" visibility="hidden"/>'


def _legend(review: Review) -> Iterator[str]:
    yield '<p class="legend">'
    for seat, name in enumerate(review.names):
        line = f'<svg viewBox="0 0 28 12" aria-hidden="true"><path d="M0,6H28" {_stroke(seat)}/></svg>'
        yield f"<span>{line} {html(name)}</span> "
    yield "<span>▼ a decision that cost something</span></p>"


def _stroke(seat: int) -> str:
    """Return the stroke of a seat's line; dashes differ too, for readers who cannot tell the colours apart."""
    kind = seat % len(COLOURS)
    dashes = f' stroke-dasharray="{9 - kind} {kind + 1}"' if kind else ""
    return f'stroke="{COLOURS[kind]}" stroke-width="2"{dashes}'
