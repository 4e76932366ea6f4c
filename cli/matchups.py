"""The table of hands against hands, for ``keepwise export`` and ``keepwise chart``."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from keepwise.util.errors import InputError, TooMuchError
from keepwise.util.number_format import format_percent

from .options import HANDS_FILE, read_game, refusal, write_output
from .progress import Progress
from .terminal import fitted

if TYPE_CHECKING:
    from keepwise.dice_matchups import Matchups
    from keepwise.games import Game

FORMATS = ("csv", "json", "text")
MIN_SHARE = 0.0005  # hands of the mix that are chosen less often are not listed


def hands_file() -> str | None:
    """Return the file of --hands with a hand in each line; None if hands are given otherwise, or not at all."""
    file: str | None = click.get_current_context().meta.get(HANDS_FILE)
    return file


def solve_hands(file: str, options: dict[str, Any], checkpoint: str | None) -> tuple[Game, Matchups]:
    """Return the game of a command line, and the chances of the hands of a file against each other.

    Args:
        file: the file, with a hand in each line.
        options: the options of the problem.
        checkpoint: the output; an interrupted command resumes from a file beside it. None to keep nothing.
    """
    from keepwise.dice_matchups import load_hands, solve_matchups

    allowed = {"players": (None, 2), "objective": (None, "win"), "goal": (None,), "turns": (None,)}
    if name := next((name for name, values in allowed.items() if options[name] not in values), None):
        raise InputError(
            f"--{name} cannot be combined with a file of hands, which is for two players with the objective win"
        )
    game = read_game(options["game_id"], options["rules"], options["rule_file"])
    hands = load_hands(file, game)
    threads = options["threads"] or os.cpu_count() or 1
    try:
        with Progress("solving races of hands") as progress:
            matchups = solve_matchups(
                game,
                hands,
                threads=threads,
                anyway=options["anyway"],
                checkpoint=checkpoint,
                progress=progress,
            )
    except TooMuchError as error:
        raise refusal(error) from None
    return game, matchups


def export_hands(file: str, form: str | None, output: str | None, mixes: bool, as_json: bool, options: Any) -> None:
    """Print or write the table of hands against hands.

    Args:
        file: the file, with a hand in each line.
        form: csv, json or text; None for that of the output's ending.
        output: the file to write; None to print.
        mixes: whether to compute the best mix of hands.
        as_json: whether to report in JSON.
        options: the options of the problem.
    """
    from keepwise.storage.files import check_writable
    from keepwise.util.optional_imports import require_library

    form = form or (os.path.splitext(output)[1].lstrip(".").lower().replace("txt", "text") if output else "csv")
    if form not in FORMATS:
        raise InputError(f"a table of hands has the formats {', '.join(FORMATS)}, not '{form}': choose one with -f")
    if as_json:
        raise InputError("--json cannot be combined with a table of hands: use -f json")
    if mixes and form == "csv" and output is None:
        raise InputError("--mix requires -f text, -f json or -o FILE")
    if mixes:
        require_library("scipy", "the best mix of hands requires SciPy", "mix")
    if output is not None:
        check_writable(output)
    game, matchups = solve_hands(file, options, output)
    best = _describe_best(matchups, mixes)
    if form == "csv":
        write_output(matchups.to_csv(), output)
        if output is not None:
            click.echo("\n".join(best))
    elif form == "json":
        write_output(json.dumps(_as_json(game, matchups, mixes), indent=2) + "\n", output)
    else:
        from keepwise.output.charts.terminal import draw_text

        write_output(draw_text(matchups.chart(game.title)) + "\n".join(best) + "\n", output)


def _as_json(game: Game, matchups: Matchups, mixes: bool) -> dict[str, Any]:
    """Return the table as JSON, with the least chances and the best mix."""
    shape = {"game": game.id, "rules": game.identifying_rules(), **matchups.to_json()}
    shape["least_chances"] = matchups.least_chances().tolist()
    if mixes:
        weights, guarantee = matchups.best_mix()
        shape["mix"] = {"weights": weights.tolist(), "guarantee": guarantee}
    return shape


def _describe_best(matchups: Matchups, mixes: bool) -> list[str]:
    """Return lines on the best hand against an unknown opponent, and on the best mix of hands."""
    least, best = matchups.least_chances(), matchups.best_first()[0]
    worst = matchups.names[int(matchups.even[best].argmin())]
    lines = [
        fitted(
            f"against an unknown hand: {matchups.names[best]}, at least {format_percent(float(least[best]))} to win"
            f" (worst against {worst}); a coin decides who begins"
        )
    ]
    if mixes:
        weights, guarantee = matchups.best_mix()
        shares = sorted(zip(weights.tolist(), matchups.names, strict=True), reverse=True)
        hand_shares = [f"{format_percent(share)} {name}" for share, name in shares if share >= MIN_SHARE]
        lines.append(fitted(f"best mix, at least {format_percent(guarantee)} to win: {'; '.join(hand_shares)}"))
    return lines


def chart_hands(file: str, output: str | None, options: Any) -> None:
    """Draw the table of hands against hands, in a file or in the terminal.

    Args:
        file: the file, with a hand in each line.
        output: the picture to write; None for the terminal.
        options: the options of the problem.
    """
    from keepwise.output.charts.draw import check_chart_path, write_chart
    from keepwise.output.charts.terminal import draw_text

    from .terminal import width

    if output is not None:
        check_chart_path(output)
    game, matchups = solve_hands(file, options, output)
    chart = matchups.chart(game.title)
    if output is None:
        click.echo(draw_text(chart, width()), nl=False)
        return
    write_chart(chart, output)
    click.echo(f"wrote {output}")
