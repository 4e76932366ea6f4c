"""The adviser as one page for a phone: rules, values and the turn as data, the kernels as WebAssembly, no network.

A page holds what the command line answers from: values at positions between turns, the compiled turn, and the turn in
words (``graph``). Its program (``page/`` in the sources) knows no rules and solves nothing itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..play.gamefile import spell_rules

if TYPE_CHECKING:
    from ..solution import Match, Solution

FORMAT = "keepwise page 1"
# family -> the file that tells a page of it: check(match) refuses what has none, parts(match, solved) tells it
FILES = {"push": "push"}


def check_page(match: Match[Any]) -> None:
    """Refuse a question that no page is made for, before anything is solved."""
    if match.game.family not in FILES:
        raise InputError(f"no page is made for {match.game.id} yet")
    _file(match).check(match)


def _file(match: Match[Any]) -> Any:
    return import_module(f".{FILES[match.game.family]}", __package__)


def page_data(solution: Solution) -> dict[str, Any]:
    """What a page holds: plain data, arrays packed into ``blob``."""
    match, table = solution.match, solution.table
    check_page(match)
    parts = dict(_file(match).parts(match, solution.solved))
    arrays: dict[str, Any] = parts.pop("arrays")
    turn = parts.pop("turn", None)
    if turn is not None:
        arrays |= {f"turn.{name}": array for name, array in turn.arrays.items()}
        parts["turn"] = {
            "modes": len(turn.modes),
            "specials": turn.specials,
            "groups": len(turn.groups),
            "start": turn.start,
            "forbid": int(turn.forbid),
            "max_add": turn.max_add,
            "over_passes": turn.forced_passes,
        }
    told, blob = pack(arrays)
    game = solution.game
    return {
        "format": FORMAT,
        "engine": solution.engine,
        "game": game.id,
        "title": game.title,
        "objective": match.objective,
        "players": match.players,
        "parameters": dict(match.parameters),
        "rules": [
            [option.key, _plain(game.rules[option.key]), game.rules[option.key] == option.default, option.reason]
            for option in game.options
        ],
        "head": [f"game: {game.id}", *spell_rules(game)],
        "name": table.name,
        "fingerprint": solution.fingerprint,
        "error_bound": solution.error_bound,
        "regret": match.facts(solution.solved, table.start()).get("regret") if match.players > 2 else None,
        "fewer": table.fewer_is_better,
        "mishap": list(table.mishap_words),
        "fields": [
            [field.name, field.kind.name, field.help, field.inside, list(field.words)] for field in table.fields
        ],
        **parts,
        "arrays": told,
        "blob": base64.b64encode(blob).decode(),
    }


def _plain(value: object) -> Any:
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def pack(arrays: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Arrays one after another, each at a multiple of eight bytes: type, place and shape of each, and the bytes."""
    told, blob = {}, bytearray()
    for name, array in arrays.items():
        kind = {np.dtype(np.float64): "d", np.dtype(np.int32): "i"}[array.dtype]
        told[name] = [kind, len(blob), list(array.shape)]
        blob += np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
        blob += bytes(-len(blob) % 8)
    return told, bytes(blob)


def page(solution: Solution) -> str:
    """Return the page as one HTML file."""
    return html(page_data(solution))


def html(data: Mapping[str, Any]) -> str:
    """A page around its data: nothing in it is asked of anybody, and only its own program may run."""
    files = resources.files("keepwise.page") / "dist"
    script = (files / "page.js").read_text("utf-8")
    style = (files / "page.css").read_text("utf-8")
    kernels = {
        name: base64.b64encode((files / f"{data['kernel']}-{name}.wasm").read_bytes()).decode()
        for name in ("simd", "plain")
    }
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}' 'wasm-unsafe-eval'",
            f"style-src '{_digest(style)}'",
            "img-src data:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{_text(str(data['title']))} - Keepwise</title>\n"
        f"<style>{style}</style></head>\n"
        "<body><noscript>This page needs JavaScript: its program advises without any network.</noscript>\n"
        '<main id="page"></main>\n'
        f'<script type="application/json" id="data">{_json(data)}</script>\n'
        f'<script type="application/json" id="wasm">{_json(kernels)}</script>\n'
        f"<script>{script}</script></body></html>\n"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _json(data: Any) -> str:
    """JSON that no part of can end the element it stands in."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")


def _text(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")
