"""Reviews as one HTML page: of every game the sums, what everybody stood to get through it as lines, and its turns.

The page can be read and printed as it is. Its program (``page/src/reviewed.ts``) steps through the decisions, shows
some of them only, and hides what was best until one has decided again; it knows no more than what stands there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..answers.trace import Event
from ..play.input_parser import scores
from ..play.position_fields import Role
from ..util.escaping import html as escape
from ..util.graphics import COLOURS, PIP_SYMBOLS, dice_html
from ..util.html_document import BUILT_FOLDER, html_document
from ..util.number_format import MISTAKE_MARKS, format_loss
from ..util.text import bind_percent_signs
from . import CHANCES, Review
from .text import (
    HEADS,
    Turn,
    bare,
    by_kind,
    each_seat,
    headline,
    in_short,
    meaning,
    plain,
    record_lines,
    sums,
    title,
    told,
    turns,
)

UNSAID = (Role.ROLL, Role.SEAT, Role.BOXES)  # in words: dice are drawn, boxes listed
SHOWN = 8  # choices that a decision lists: the one made, and those that cost least
WIDTH, HEIGHT, LEFT, TOP = 440, 230, 60, 16  # of the picture
# what costs at least so much is shown alone
COSTS = ("any cost", "some cost", *(f"{sign} or worse" for _, sign in reversed(MISTAKE_MARKS)))
TOOLS = (
    '<div class="tools no-print" role="group" aria-label="Decisions" hidden>'
    '<button type="button" data-step="-1" aria-label="back">←</button>'
    '<button type="button" data-step="1" aria-label="on">→</button>'
    '<select id="seat" aria-label="seat"><option value="">every seat</option>{seats}</select>'
    '<select id="cost" aria-label="cost">{costs}</select>'
    '<label><input type="checkbox" id="again"> decide again</label><p role="status" id="said"></p></div>'
)


def page(reviews: Sequence[tuple[str, Review]]) -> str:
    """Return the page of some games, each with the name of its file."""
    heading = f"Review: {title(reviews[0][1])}" if len(reviews) == 1 else f"Review of {len(reviews)} games"
    seats = dict.fromkeys(name for _, review in reviews for name in review.names)
    parts = [
        PIP_SYMBOLS,
        f"<header><h1>{html(heading)}</h1></header>",
        TOOLS.format(
            seats="".join(f"<option>{html(one)}</option>" for one in seats),
            costs="".join(f'<option value="{least}">{html(one)}</option>' for least, one in enumerate(COSTS)),
        ),
        "<main>",
    ]
    if len(reviews) > 1:
        files = "".join(
            f'<li><a href="#g{number}">{html(file)}</a>: {html(each_seat(review))}</li>'
            for number, (file, review) in enumerate(reviews, 1)
        )
        parts += ['<section class="record"><h2>The games, with the error of a decision on average</h2>']
        parts += [f"<ul>{files}</ul><h2>The record</h2>{_list(record_lines(reviews))}</section>"]
    for number, (file, review) in enumerate(reviews, 1):
        head = "" if len(reviews) == 1 else f"<h2>{html(f'{file}: {title(review)}')}</h2>"
        parts += [f'<section class="game" id="g{number}">{head}<div class="aside"><div class="picture">']
        parts += [picture(review), "</div>", *_summary(review, number), '</div><div class="turns">']
        parts += [_turn(review, turn, number) for turn in turns(review.game)]
        parts += ["</div></section>"]
    style, script = ((BUILT_FOLDER / f"reviewed.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return html_document(heading, "\n".join([*parts, "</main>"]), style, script)


def html(text: str) -> str:
    """Text of the page."""
    return escape(bind_percent_signs(text))


def _list(lines: Iterator[str] | Sequence[str], kind: str = "ul") -> str:
    return f"<{kind}>{''.join(f'<li>{html(line)}</li>' for line in lines)}</{kind}>"


def _summary(review: Review, game: int) -> Iterator[str]:
    """The sums, how everybody played, and the costliest decisions."""
    rows = zip(("", *HEADS), *sums(review), strict=True)
    cells = [[*map(html, row)] for row in rows]
    head = "".join(f'<th scope="col">{one}</th>' for one in cells[0][1:])
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{one}</td>" for one in row[1:])}</tr>' for row in cells[1:]
    )
    yield '<div class="wide" tabindex="0" role="region" aria-label="Sums">'
    yield f"<table><tr><td></td>{head}</tr>{body}</table></div>"
    yield f'<p class="note">{html(meaning(review))}</p><ul>'
    for number in range(len(review.names)):
        kinds = by_kind(review, number)
        yield f"<li>{html(in_short(review, number))}{_list(kinds) if kinds else ''}</li>"
    yield "</ul>"
    if review.mistakes:
        yield "<h3>The costliest decisions</h3><ol>"
        for one in review.mistakes:
            yield f'<li><a href="#g{game}e{one.number}">{html(headline(review, one))}</a></li>'
        yield "</ol>"


def _turn(review: Review, turn: Turn, game: int) -> str:
    """A turn: what it brought, and its events."""
    who = f"Turn {turn.number}, {review.names[turn.seat]}"
    gained, _, total = turn.brought.partition(" ") if turn.brought[:1] in ("+", "-") else (turn.brought, "", "")
    words = f": {gained if gained != '-' else 'nothing'}{f', {total.strip()} in all' if total else ''}"
    brought = f'<span class="after">{html(words)}</span>' if gained else ""
    events = "".join(_event(review, number, game) for number in turn.events)
    return f'<section class="turn"><h3>{html(who)}{brought}</h3><ol>{events}</ol></section>'


def _event(review: Review, number: int, game: int) -> str:
    """A decision, with what each choice costs; of a throw, a whole turn, or what had to be done, how it went."""
    event, objective, fewer = review.trace.events[number - 1], review.objective, review.game.table.fewer_is_better
    name = html(f"{review.names[event.seat]}, event {number}")
    stands = f'<span class="after stands">then {html(plain(event.value[event.seat], objective, fewer))}</span>'
    place = f'id="g{game}e{number}" data-event="{number}"'
    if event.choice is not None and not event.decision:
        return (
            f'<li {place} class="event"><span class="name">{name}</span><span>{html(event.choice.action)}</span></li>'
        )
    if event.choice is None:
        luck = f"luck {told(event.moved[event.seat], objective)}"
        said = _fell(review, number)
        return f'<li {place} class="event"><span class="name">{name}</span>{said}<span>{html(luck)}</span>{stands}</li>'
    mark = review.marks[number - 1]
    grade = COSTS.index(f"{mark} or worse") if mark else int(event.error > 0)
    whose = f'class="event decision" tabindex="-1" data-seat="{html(review.names[event.seat])}" data-cost="{grade}"'
    why = next((html(one.why) for one in review.mistakes if one.number == number), "")
    answer = f'<p class="answer">{why}</p>' if why else ""
    lie = dice_html(review.game.table.told(event.position, Role.ROLL, ()))
    return (
        f'<li {place} {whose}><p><span class="name">{name}</span> {html(_situation(review, event.position))}</p>'
        f"{lie}<ol>{''.join(_choices(review, event, mark))}</ol>{answer}{stands}</li>"
    )


def _choices(review: Review, event: Event[Any], mark: str) -> Iterator[str]:
    """The choices that are weighed, in the documented order, and what each costs."""
    choices = review.game.table.choices(event.position)
    costs = dict(zip(choices, event.costs, strict=True))
    shown = {event.choice, event.best, *sorted(choices, key=lambda one: costs[one])[:SHOWN]}
    for choice in (one for one in choices if one in shown):
        best, made = choice == event.best, choice == event.choice
        words = (
            "best"
            if best
            else f"costs {format_loss(costs[choice], review.objective)}"
            if costs[choice]
            else "just as good"
        )
        played = f' <span class="answer">{html(f"{mark} played".strip())}</span>' if made else ""
        kind = " ".join(one for one, so in (("good", not costs[choice]), ("made", made)) if so)
        yield (
            f'<li class="{kind}"><button type="button" disabled>{html(choice.action)}</button>'
            f' <span class="answer">{html(words)}</span>{played}</li>'
        )


def _situation(review: Review, position: Any) -> str:
    """Who holds what, how far the game is, and where the chooser stands in the turn."""
    table = review.game.table
    told_, standing = table.tell(position), scores(table, position, 0)
    parts = [f"{name} {score:,}" for name, score in zip(review.names, standing, strict=True)] if standing else []
    parts += [table.course(position)]
    open_ = [name for name, filled in table.boxes(position, table.mover(position)).items() if not filled]
    parts += [f"open: {', '.join(open_)}"] if open_ else []
    for field in table.fields:
        if field.name in told_ and (field.inside or not standing) and field.role not in UNSAID:
            parts += [f"{field.name.replace('_', ' ')} {field.told(told_[field.name])}"]
    return " · ".join(filter(None, parts))


def _fell(review: Review, number: int) -> str:
    """What fell, as dice where they are told by their faces and do not lie there for the decision that follows."""
    table, event, fell = review.game.table, review.trace.events[number - 1], review.game.steps[number - 1].said
    known = {face for one in table.fields if one.role is Role.ROLL for face in one.words}
    decided = table.stage(event.after) == "choose" and len(table.choices(event.after)) > 1
    drawn = event.kind == "throw" and not decided and known.issuperset(fell.split())
    return dice_html(fell.split()) if drawn else f"<span>{html(fell)}</span>"


def picture(review: Review) -> str:
    """What every seat stood to get after each event, decisions that cost something marked, as SVG."""
    objective, events, fewer = review.objective, review.trace.events, review.game.table.fewer_is_better
    by_seat = [*zip(review.trace.start, *(event.value for event in events), strict=True)]
    low, high = (0.0, 1.0) if objective in CHANCES else (min(map(min, by_seat)), max(map(max, by_seat)))
    across, down = (WIDTH - LEFT - 8) / max(1, len(events)), (HEIGHT - 2 * TOP - 16) / ((high - low) or 1.0)

    def at(number: int, value: float) -> str:
        return f"{LEFT + across * number:.1f},{HEIGHT - TOP - 16 - down * (value - low):.1f}"

    words = (
        f"{'Chance' if objective in CHANCES else objective.capitalize()} of {', '.join(review.names)} after each event"
    )
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html(words)}" data-across="{across!r}">']
    for value in (low, (low + high) / 2, high) if high > low else (low,):
        x, y = at(0, value).split(",")
        parts += [f'<path class="axis" d="M{x},{y}H{WIDTH - 8}"/><text x="{LEFT - 8}" y="{float(y) + 4:.1f}"']
        parts += [f' text-anchor="end">{html(bare(plain(value, objective, fewer), objective))}</text>']
    parts += [
        f'<text x="{LEFT}" y="{HEIGHT - 4}">event 1</text><text x="{WIDTH - 8}" y="{HEIGHT - 4}" text-anchor="end">'
    ]
    parts += [f'{len(events)}</text><path class="now" d="M{LEFT},{TOP - 8}V{HEIGHT - TOP - 8}" visibility="hidden"/>']
    for seat, values in enumerate(by_seat):
        points = " ".join(at(number, value) for number, value in enumerate(values))
        parts += [f'<polyline points="{points}" fill="none" {_line(seat)}/>']
        for number, event in enumerate(events, 1):
            if event.error and event.seat == seat:
                parts += [f'<path d="M{at(number, values[number])}l-6,-10h12z" fill="{COLOURS[seat % len(COLOURS)]}"/>']
    parts += ["</svg>", '<p class="legend">']
    for seat, name in enumerate(review.names):
        line = f'<svg viewBox="0 0 28 12" aria-hidden="true"><path d="M0,6H28" {_line(seat)}/></svg>'
        parts += [f"<span>{line} {html(name)}</span> "]
    return "".join([*parts, "<span>▼ a decision that cost something</span></p>"])


def _line(seat: int) -> str:
    """How a seat's line is drawn: told apart without colours too."""
    kind = seat % len(COLOURS)
    dashes = f' stroke-dasharray="{9 - kind} {kind + 1}"' if kind else ""
    return f'stroke="{COLOURS[kind]}" stroke-width="2"{dashes}'
