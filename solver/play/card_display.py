"""Scorecards as lines of text, as people see them before a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..util.text import LINE_WIDTH
from .game_file import GameFile
from .playable_game import Stage

INDENT = "  "
MAX_LINES, MAX_ROWS = 16, 10
OPEN, USED = ".", "x"  # a box, where its points are not known: it was filled before the game that is told


def format_scorecards(game: GameFile, width: int = LINE_WIDTH) -> list[str]:
    """Return the scorecards as lines of text: boxes with their points, and the line below.

    They are those of all seats, or of the player to move if that takes too many lines; none without scorecards.
    """
    playable, mover = game.playable, game.playable.player_to_move(game.position)
    if not playable.boxes(game.position, mover):
        return []
    lines = _format_cards(game, range(playable.players), width)
    return lines if len(lines) <= MAX_LINES else _format_cards(game, [mover], width)


def _format_cards(game: GameFile, seats: Sequence[int], width: int) -> list[str]:
    playable, points, max_width = game.playable, points_of_boxes(game), width - len(INDENT)
    boxes = [playable.boxes(game.position, seat) for seat in seats]
    names = list(boxes[0])
    cells = [
        [
            str(points[seat].get(name, USED if used_boxes[name] else OPEN))
            for seat, used_boxes in zip(seats, boxes, strict=True)
        ]
        for name in names
    ]
    heads = [game.seats[seat].name[:8] for seat in seats] if len(seats) > 1 else []
    words = max(map(len, names))
    widths = [
        max(4, *(len(row[place]) for row in cells), *map(len, heads[place : place + 1])) for place in range(len(seats))
    ]
    wide = words + sum(widths) + 2 * len(widths)
    columns, gap = max(
        (min(max(1, (max_width + gap) // (wide + gap)), -(-len(names) // MAX_ROWS)), gap) for gap in (2, 3)
    )
    rows = -(-len(names) // columns)

    def row(name: str, cells_of_row: Sequence[str]) -> str:
        return "".join(
            [f"{name:<{words}}", *(f"  {cell:>{wide}}" for cell, wide in zip(cells_of_row, widths, strict=True))]
        )

    box_rows = [row(name, row_cells) for name, row_cells in zip(names, cells, strict=True)]
    lines = [(" " * gap).join([row("", heads)] * columns)] if heads else []
    lines += [(" " * gap).join(box_rows[place::rows]) for place in range(rows)]
    for seat in seats:
        lines.append(
            f"{f'{game.seats[seat].name}: ' if heads else ''}{playable.describe_card_sums(game.position, seat)}"
        )
    return [f"{INDENT}{line}".rstrip() for line in lines]


def points_of_boxes(game: GameFile) -> list[dict[str, int]]:
    """Return the points in the boxes of every seat, from the turns of the game."""
    playable, turn_start = game.playable, game.start
    points: list[dict[str, int]] = [{} for _ in game.seats]
    for step in game.steps:
        after: Any = step.after
        if playable.stage(after) is Stage.TERMINAL or playable.is_turn_start(after):
            entered_text = step.line_text.removeprefix("turn ") if step.kind == "turn" else ""
            points[playable.player_to_move(turn_start)] |= playable.filled_boxes(
                turn_start, after, step.choice, entered_text
            )
            turn_start = after
    return points
