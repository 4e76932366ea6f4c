"""The adviser page: advice for one problem in a single HTML file, for a phone without network.

A page holds values at positions between turns, the compiled turn, the turn in words (``graph``), and the kernels as
WebAssembly. Its program (``page/`` in the sources) solves turns from these, and knows no rules of games itself.

Start with ``page``. It loads the module of the game's family (``push``, ``cards``, ``rounds``, ...), which has

* ``unsupported_properties(problem)``, which says for several properties whether the problem has them, and so no page;
  it raises InputError if a browser cannot hold the values,
* ``parts(problem, value_table)``, which returns the data and arrays of a page that depend on the family. Of its
  ``chances``, arrays of chances to win, a page stores rounded ones if exact ones would make it too large.
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
from ...games.families import load_module
from ...games.rulefile.description import describe_game
from ...play.game_file import format_rules
from ...solvers import make_problem
from ...util import progress_reporting
from ...util.errors import InputError
from ...util.html_document import BUILT_FOLDER, html_document
from .graph import field_rows, turn_parts
from .how_to_play import translate_lines
from .long_copies import pack_long_copies
from .packed_arrays import ARRAY_ALIGNMENT, pack_arrays, store_chances

if TYPE_CHECKING:
    from ...solvers import Problem
    from ...solving.solved_problem import SolvedProblem

FORMAT = "keepwise page 1"
MAX_PLAYERS = 4
COMPRESSION_LEVEL = 7  # 9 takes 11 s instead of 2 s for Hog, and saves at most 2% of any page
SEAT_LABELS = ("Seat {}: ", "Platz {}: ", "Place {} : ")  # in English, German and French, as in ``how_to_play``
RACE_FAMILIES = frozenset({"push", "unlike"})  # of the page's data; a program without the other families can show them
SITE = (
    '<link rel="manifest" href="manifest.webmanifest"><link rel="icon" href="icon-192.png">'
    '<link rel="apple-touch-icon" href="icon-192.png">\n'
)


def page_objective(game: Game, players: int | None) -> str:
    """Return the first objective of a game for which a page can be made; if there is none, the first objective."""
    for objective in game.objectives:
        try:
            check_page(make_problem(game, objective, players))
        except InputError:
            continue
        return objective
    return game.objectives[0]


def check_page(problem: Problem[Any]) -> None:
    """Raise InputError if no page can be made for a problem; needs no value table."""
    if not problem.game.parts.page:
        raise InputError(f"adviser pages do not support {problem.game.id}{problem.game.parts.title_suffix} yet")
    if problem.players > MAX_PLAYERS:
        raise InputError(f"the adviser page supports at most {MAX_PLAYERS} players, not {problem.players}")
    family_module = load_module(problem.game.parts.page)
    for description, is_unsupported in family_module.unsupported_properties(problem).items():
        if is_unsupported:
            raise InputError(f"the adviser page does not support {description}")


def page_data(solution: SolvedProblem, sheet: bool = True) -> tuple[dict[str, Any], bytes]:
    """Return the data of a page, and its arrays one after another, the compiled kernels among them.

    Args:
        solution: the solved problem.
        sheet: include the strategy sheet, if there is one.
    """
    problem, playable, game = solution.problem, solution.playable, solution.game
    check_page(problem)
    parts = dict(load_module(game.parts.page).parts(problem, solution.value_table))
    arrays: dict[str, Any] = parts.pop("arrays")
    chances, rounding = store_chances(parts.pop("chances", {}), problem.players)
    arrays |= chances
    if "turn" in parts:
        parts["turn"], turn_arrays = turn_parts(parts["turn"], "turn")
        arrays |= turn_arrays
    arrays |= {f"wasm.{form}": _read_wasm(f"{parts['kernel']}-{form}") for form in ("simd", "plain")}
    if parts.get("house") or parts.get("chooser"):
        arrays["wasm.race"] = _read_wasm("race-plain")
    if parts.get("chooser"):  # hands have up to 63 sets of dice, which takes long without vector instructions
        arrays["wasm.race-simd"] = _read_wasm("race-simd")
    array_index, blob = pack_arrays(arrays)
    regret = None
    if problem.players > 2 and not rounding:  # by rounded chances, more might be gained
        regret = problem.extra_results(solution.value_table, playable.start()).get("regret")
    data = {
        "format": FORMAT,
        "engine": solution.engine,
        "game": game.id,
        "title": game.title,
        "objective": problem.objective,
        "players": problem.players,
        "parameters": dict(problem.parameters),
        "rules": _rule_rows(game, parts.get("house")),
        "how": _how_rows(game, problem.players),
        "head": [f"game: {game.id}", *format_rules(game)],
        "name": playable.id_prefix,
        "fingerprint": solution.fingerprint,
        "error_bound": solution.error_bound + rounding,
        "rounding": rounding,
        "page_for_three": "" if _has_page_for_three(problem) else None,
        "regret": regret,
        "fewer": playable.fewer_is_better,
        "mishap": list(playable.mishap_words),
        "sheet": sheet_data(solution) if sheet else None,
        "fields": field_rows(playable),
        **parts,
        "arrays": array_index,
    }
    return data, blob


def _how_rows(game: Game, players: int) -> list[list[str]]:
    """Return how a game is played, in the languages of the page; rules of some seats only begin with the seat."""
    if not game.seat_games:
        return translate_lines(describe_game(game))
    seats = [list(describe_game(seat_game)) for seat_game in [*game.seat_games, *[game] * players][:players]]
    shared = [line for line in seats[0] if all(line in lines for lines in seats)]
    seat_rows = [
        [label.format(number) + text for label, text in zip(SEAT_LABELS, row, strict=False)]
        for number, lines in enumerate(seats, start=1)
        for row in translate_lines(line for line in lines if line not in shared)
    ]
    return seat_rows + translate_lines(shared)


def _has_page_for_three(problem: Problem[Any]) -> bool:
    """Return whether a page for two players can also be made for three."""
    if problem.players != 2 or problem.game.seat_games:
        return False
    try:
        check_page(make_problem(problem.game, problem.objective, 3))
    except InputError:
        return False
    return True


def _rule_rows(game: Game, house: Mapping[str, Any] | None) -> list[list[Any]]:
    """Return key, value, default and reason of the options of a game and of its house rules."""
    rows = [
        [option.key, _json_value(game.rules[option.key]), _json_value(option.default), option.reason]
        for option in game.options
    ]
    keys = {option.key for option in game.options}
    entries = (option for option in (house["options"] if house else ()) if option["key"] not in keys)
    return rows + [[entry["key"], entry["own"], entry["usual"], entry["reason"]] for entry in entries]


def _read_wasm(name: str) -> Any:
    """Return the bytes of a compiled kernel."""
    return np.frombuffer((BUILT_FOLDER / f"{name}.wasm").read_bytes(), dtype=np.uint8)


def sheet_data(solution: SolvedProblem) -> dict[str, Any] | None:
    """Return the strategy sheet, or None if there is none."""
    from ..sheets import plan_sheet

    try:
        plan = plan_sheet(solution.problem)
    except InputError:
        return None
    with progress_reporting.start_progress("evaluating the strategy sheet") as progress:
        sheet = plan.run(solution, progress)
    tables = [
        {"heading": table.heading, "columns": table.columns, "rows": table.rows, "note": table.note}
        for table in sheet.tables
    ]
    return {"title": sheet.title, "facts": sheet.facts, "lines": sheet.lines, "tables": tables, "cost": sheet.cost}


def _json_value(value: object) -> Any:
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def encode_page_data(data: Mapping[str, Any], blob: bytes) -> str:
    """Return data and arrays as the page reads them, compressed and in base64.

    The bytes are the length of the JSON in four bytes, the JSON, padding, and the arrays. Stretches that are
    repeated far apart, as in turns that are nearly alike, are stored once.
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()
    head = struct.pack("<I", len(text)) + text
    padding = bytes(-len(head) % ARRAY_ALIGNMENT)
    return base64.b64encode(zlib.compress(pack_long_copies(head + padding + blob), COMPRESSION_LEVEL)).decode()


def _program(data: Mapping[str, Any]) -> str:
    """Return the name of the smallest program that can show a page."""
    if data.get("dice") or data.get("chooser") or data["graph"].get("sums"):
        return "hands_page.js"
    if data["family"] == "card":
        return "card_page.js"
    return "race_page.js" if data["family"] in RACE_FAMILIES else "page.js"


def render_page(solution: SolvedProblem, site: bool = False, sheet: bool = True, page_for_three: str = "") -> str:
    """Return the adviser page of a solved problem as one HTML file.

    The content security policy lets only the page's own program run, and no request leave the page.

    Args:
        solution: the solved problem.
        site: the page is part of a site, with a manifest and a service worker that keeps all pages offline.
        sheet: include the strategy sheet, if there is one. ``estimate_sheet_cost`` says how long that takes.
        page_for_three: the address of the page for three players; "" if there is none yet.
    """
    data, blob = page_data(solution, sheet)
    if page_for_three:
        data["page_for_three"] = page_for_three
    script, style = ((BUILT_FOLDER / name).read_text("utf-8") for name in (_program(data), "page.css"))
    images = "img-src 'self' data:" if site else "img-src data:"
    policy_directives = [images, "worker-src 'self' blob:"]
    if site:
        policy_directives.append("manifest-src 'self'")
    body = (
        "<noscript>This page needs JavaScript. It works offline.</noscript>\n"
        '<main id="page"></main>\n'
        f'<script type="application/octet-stream" id="data">{encode_page_data(data, blob)}</script>\n'
    )
    return html_document(
        f"{data['title']} - Keepwise",
        body,
        style,
        script,
        script_sources="'wasm-unsafe-eval'",
        policy_directives=policy_directives,
        head=SITE if site else "",
    )
