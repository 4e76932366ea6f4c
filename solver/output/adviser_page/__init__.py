"""The adviser as one page for a phone: rules, values and the turn as data, the kernels as WebAssembly, no network.

A page holds what the command line answers from: values at positions between turns, the compiled turn, and the turn in
words (``graph``). Its program (``page/`` in the sources) knows no rules and solves nothing itself.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...games import Game
from ...games.families import loaded
from ...play.game_file import spell_rules
from ...solvers import make_problem
from ...util import progress_reporting
from ...util.errors import InputError
from ...util.html_document import BUILT_FOLDER, html_document
from .graph import turn_parts

if TYPE_CHECKING:
    from ...solvers import Problem
    from ...solving.solved_problem import SolvedProblem

FORMAT = "keepwise page 1"
MOST_PLAYERS = 4
SITE = (
    '<link rel="manifest" href="manifest.webmanifest"><link rel="icon" href="icon-192.png">'
    '<link rel="apple-touch-icon" href="icon-192.png">\n'
)


def page_objective(game: Game, players: int | None) -> str:
    """The first of a game's objectives that a page is made for; where there is none, the first."""
    for objective in game.objectives:
        try:
            check_page(make_problem(game, objective, players))
        except InputError:
            continue
        return objective
    return game.objectives[0]


def check_page(asked: Problem[Any]) -> None:
    """Refuse a question that no page is made for, before anything is solved."""
    if not asked.game.parts.page:
        raise InputError(f"no page is made for {asked.game.id} yet")
    file = loaded(asked.game.parts.page)
    for what, refused in file.refused(asked).items():
        if refused:
            raise InputError(f"no page is made for {what}")
    if asked.players > MOST_PLAYERS:
        raise InputError(f"a page is made for up to {MOST_PLAYERS} players")


def page_data(solution: SolvedProblem, sheet: bool = True) -> tuple[dict[str, Any], bytes]:
    """What a page holds: plain data, and its arrays one after another, the compiled kernels among them.

    ``sheet``: whether the strategy sheet is among the data, where there is one.
    """
    asked, table = solution.problem, solution.playable
    check_page(asked)
    parts = dict(loaded(asked.game.parts.page).parts(asked, solution.value_table))
    arrays: dict[str, Any] = parts.pop("arrays")
    turn = parts.pop("turn", None)
    if turn is not None:
        parts["turn"], own = turn_parts(turn, "turn")
        arrays |= own
    arrays |= {
        f"wasm.{form}": np.frombuffer((BUILT_FOLDER / f"{parts['kernel']}-{form}.wasm").read_bytes(), dtype=np.uint8)
        for form in ("simd", "plain")
    }
    if parts.get("house"):
        arrays["wasm.race"] = np.frombuffer((BUILT_FOLDER / "race-plain.wasm").read_bytes(), dtype=np.uint8)
    told, blob = pack(arrays)
    game = solution.game
    data = {
        "format": FORMAT,
        "engine": solution.engine,
        "game": game.id,
        "title": game.title,
        "objective": asked.objective,
        "players": asked.players,
        "parameters": dict(asked.parameters),
        "rules": [
            [option.key, _plain(game.rules[option.key]), game.rules[option.key] == option.default, option.reason]
            for option in game.options
        ],
        "head": [f"game: {game.id}", *spell_rules(game)],
        "name": table.name,
        "fingerprint": solution.fingerprint,
        "error_bound": solution.error_bound,
        "regret": asked.extra_results(solution.value_table, table.start()).get("regret") if asked.players > 2 else None,
        "fewer": table.fewer_is_better,
        "mishap": list(table.mishap_words),
        "sheet": _sheet(solution) if sheet else None,
        "fields": [
            [field.name, field.kind.name, field.help, field.inside, list(field.words)] for field in table.fields
        ],
        **parts,
        "arrays": told,
    }
    return data, blob


def _sheet(solution: SolvedProblem) -> dict[str, Any] | None:
    """The printed page, where there is one."""
    from ..sheets import check_sheet, make_sheet

    try:
        check_sheet(solution.problem)
    except InputError:
        return None
    with progress_reporting.start_progress("pricing the strategy sheet") as progress:
        sheet = make_sheet(solution, progress)
    tables = [
        {"heading": one.heading, "columns": one.columns, "rows": one.rows, "note": one.note} for one in sheet.tables
    ]
    return {"title": sheet.title, "facts": sheet.facts, "lines": sheet.lines, "tables": tables, "cost": sheet.cost}


def _plain(value: object) -> Any:
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def pack(arrays: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Pack arrays one after another, each at a multiple of eight bytes.

    Return type, offset and shape of each, and the bytes. Of doubles, the first bytes of all come first, then their
    second bytes, and so on: alike bytes compress better.
    """
    told, blob = {}, bytearray()
    for name, array in arrays.items():
        kind = {np.dtype(np.float64): "d", np.dtype(np.int32): "i", np.dtype(np.uint8): "b"}[array.dtype]
        told[name] = [kind, len(blob), list(array.shape)]
        plain = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
        blob += np.frombuffer(plain, np.uint8).reshape(-1, 8).T.tobytes() if kind == "d" else plain
        blob += bytes(-len(blob) % 8)
    return told, bytes(blob)


def packed(data: Mapping[str, Any], blob: bytes) -> str:
    """Data and arrays as the page unpacks them: the length of the JSON in four bytes, the JSON, the arrays."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()
    whole = struct.pack("<I", len(text)) + text + bytes(-(4 + len(text)) % 8) + blob
    return base64.b64encode(zlib.compress(whole, 9)).decode()


def page(solution: SolvedProblem, site: bool = False, sheet: bool = True) -> str:
    """Return the page as one HTML file: nothing in it is asked of anybody, and only its own program may run.

    ``site``: it stands among others, with a manifest, and a worker that keeps them all. ``sheet``: whether it holds the
    strategy sheet, where there is one (``output.sheets.sheet_cost`` says how long that takes).
    """
    data, blob = page_data(solution, sheet)
    script, style = ((BUILT_FOLDER / name).read_text("utf-8") for name in ("page.js", "page.css"))
    images = "img-src 'self' data:" if site else "img-src data:"
    more = ("'wasm-unsafe-eval'", images, "worker-src 'self' blob:", *(("manifest-src 'self'",) if site else ()))
    body = (
        "<noscript>This page needs JavaScript: its program advises without any network.</noscript>\n"
        '<main id="page"></main>\n'
        f'<script type="application/octet-stream" id="data">{packed(data, blob)}</script>\n'
    )
    return html_document(f"{data['title']} - Keepwise", body, style, script, more, SITE * site)
