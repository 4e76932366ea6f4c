"""A review as one HTML page: the sums, what everybody stood to get through the game as a picture, and every event."""

from __future__ import annotations

import io
from typing import Any

from ..answers.advice import cost
from ..escapes import html, label
from ..extras import need
from ..pictures import COLOURS, drawing
from . import CHANCES, Review
from .words import HEADS, MEANING, by_kind, headline, in_short, plain, score_sheet, sums, title, told

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 1.5rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 1.6rem; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .2rem .5rem; text-align: right; }
th { border-bottom: 1px solid #888; } tr:nth-child(even) td { background: #f5f5f5; }
td.words, th.words { text-align: left; } .cost { color: #a33a00; font-weight: 600; } .note, code { color: #555; }
code { font-size: .8rem; overflow-wrap: anywhere; } pre { overflow-x: auto; } svg { width: 100%; height: auto; }
"""


def check_page() -> None:
    """Raise InputError where no page can be made."""
    need("matplotlib", "the page's picture needs matplotlib", "plot")


def page(review: Review) -> str:
    """Return the page; needs matplotlib (``pip install keepwise[plot]``)."""
    check_page()
    name = html(f"Review: {title(review)}")
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{name}</title><style>{STYLE}</style></head><body><h1>{name}</h1>",
        _table(["", *HEADS], sums(review)),
        f'<p class="note">{html(MEANING)}</p>',
        picture(review),
        "<ul>",
    ]
    for number in range(len(review.names)):
        kinds = "".join(f"<li>{html(line)}</li>" for line in by_kind(review, number))
        parts.append(f"<li>{html(in_short(review, number))}{f'<ul>{kinds}</ul>' if kinds else ''}</li>")
    parts.append("</ul>")
    if review.mistakes:
        told_ = "".join(
            f'<li><a href="#e{one.number}"><b>{html(headline(review, one))}</b></a><br>'
            f"{html(one.why)}<br><code>{html(one.id)}</code></li>"
            for one in review.mistakes
        )
        parts.append(f"<h2>The costliest decisions</h2><ol>{told_}</ol>")
    sheet = html("\n".join(score_sheet(review.game)))
    parts += [f"<h2>Score sheet</h2><pre>{sheet}</pre>", "<h2>Every event</h2>", _events(review), "</body></html>"]
    return "\n".join(parts) + "\n"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{html(one)}</th>" for one in heads)
    body = "".join(f"<tr>{''.join(f'<td>{html(one)}</td>' for one in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _events(review: Review) -> str:
    """Every event: whose, what, its luck or its error to them, and what everybody stands to get after it."""
    objective, rows = review.objective, []
    for number, (event, step) in enumerate(zip(review.trace.events, review.game.steps, strict=True), 1):
        words = step.said or (event.choice.action if event.choice else "")
        luck = told(event.moved[event.seat], objective) if event.choice is None else ""
        mark = review.marks[number - 1]
        lost = f'<span class="cost">{mark} -{html(cost(event.error, objective))}</span>' if event.error else ""
        values = "".join(f"<td>{html(plain(one, objective))}</td>" for one in event.value)
        said = f'<td class="words">{html(review.names[event.seat])}</td><td class="words">{html(words)}</td>'
        rows.append(f'<tr id="e{number}"><td>{number}</td>{said}<td>{html(luck)}</td><td>{lost}</td>{values}</tr>')
    heads = "".join(f"<th>{html(one)}</th>" for one in review.names)
    head = f'<th></th><th></th><th class="words"></th><th>luck</th><th>error</th>{heads}'
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def picture(review: Review) -> str:
    """What every seat stood to get after each event, mistakes marked, as SVG."""
    events = review.trace.events
    with drawing() as plot:
        from matplotlib.ticker import MaxNLocator, PercentFormatter

        figure, axes = plot.subplots(figsize=(9, 3.6), layout="constrained")
        for seat, name in enumerate(review.names):
            values = [review.trace.start[seat], *(event.value[seat] for event in events)]
            colour = COLOURS[seat % len(COLOURS)]
            axes.plot(range(len(values)), values, color=colour, label=label(name), linewidth=1.6)
            wrong = [number for number, event in enumerate(events, 1) if event.error and event.seat == seat]
            axes.plot(wrong, [values[one] for one in wrong], "v", color=colour, markersize=6)
        if review.objective in CHANCES:
            axes.set_ylim(-0.02, 1.02)
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("event (triangles: decisions that cost something)")
        axes.set_ylabel(
            {"win": "chance to win", "reach": "chance to get there"}.get(review.objective, review.objective)
        )
        axes.legend(frameon=False, ncols=min(4, len(review.names)))
        file = io.StringIO()
        nothing: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=nothing)
        plot.close(figure)
    drawn = file.getvalue()
    return drawn[drawn.index("<svg") :]
