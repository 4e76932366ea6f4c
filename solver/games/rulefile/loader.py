"""Rule files: a game under a table's own rules, in TOML.

Either a known game with other options (``game = "5000"`` and one line for each option that differs), or rules that
describe a game of their own: push your luck (see ``keepwise.games.rulefile.push_file``) or a card of categories (it has
``[[category]]`` entries; see ``keepwise.games.rulefile.card_file``).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from ...storage.files import READ_ERRORS, RULE_FILE, describe_other_kind, error_reason, open_regular_file
from ...util.arguments import to_path, validate_arguments
from ...util.errors import HouseRuleError, InputError, closest_name
from .. import FILES, RULE_FILES, Game, game, own_game
from .. import shipped_rule_files as shipped_rule_files
from ..push_rules import Kind
from ..rule_options import read_typed
from ..ruleset import check_numbers
from . import push_schema, schema
from .push_file import read_kinds

TEMPLATES = Path(__file__).parent.parent / "templates"  # files to begin from, by kind of game
MOST_BYTES = 1 << 20
MOST_OWNED = 1000  # dice that somebody owns
REMEDIES = (  # by words of TOML's own errors what would be right; the first that is in one counts
    ("Cannot overwrite a value", "a key is told once, take one of the two out"),
    ("Cannot declare", "a table is told once: put its keys together, or write [[...]] for entries"),
    ("Cannot mutate immutable", "what stands in braces is whole: put all keys there, or write a table"),
    ("Cannot define", "[...] and [[...]] of one name do not go together"),
    ("Invalid value", "words stand in quotes, numbers without"),
    ("Expected newline or end of document", "one key = value a line; a comment begins with #"),
    (
        "Expected '=' after a key",
        "a line reads key = value; what is not plain letters stands in quotes",
    ),
    ("Invalid initial character", "a line reads key = value, or is a table, [name]"),
    ("Invalid statement", "a line reads key = value, or is a table, [name]"),
    ("Unclosed array", "a list ends with ]"),
    ("Illegal character", "a text ends with its quote on the same line"),
    ("Unterminated string", "a text ends with its quote"),
)

SLIPS = (  # by what stands in the line, where a number is none, or a key has other signs
    (r"=\s*\d{1,3},\d{3}\b", "numbers have no commas in them, 1000 or 1_000"),
    (r"=\s*0\d", "numbers do not begin with 0"),
    (r"^\s*(?![A-Za-z0-9_.-]+\s*=)[^\s\"'\[\]=#]+\s*=", "what is not plain letters stands in quotes, left of = too"),
)


def about(name: str) -> str:
    """What a rule file that ships says of itself: the sentence that it begins with, which fits a line of a list."""
    comment = list[str]()
    for line in (RULE_FILES / f"{name}.toml").read_text(encoding="utf-8").splitlines():
        if not line.startswith("# ") or line.startswith("# Source"):
            break
        comment.append(line[2:])
    return re.split(r"(?<=\.) ", " ".join(comment), maxsplit=1)[0]


@validate_arguments
def load_rules(path: str | os.PathLike[str], /, **rules: object) -> Game:
    """Return the game that a rule file describes, with the given rules replaced.

    Args:
        path: a file, or the name of one that ships with the package.
        rules: options that go over those of the file.

    Raises:
        InputError: no such file, no TOML, or a rule that cannot be; the message names file, line and key.
    """
    read, text = _read(path)
    own = not {"game", "category"} & {*read}
    told = read_typed(push_schema.OPTIONS, schema.flat(rules)) if own else rules
    try:
        if "game" in read:
            game_id = str(read.pop("game"))
            return game(game_id, **{**read, **told})
        return own_game({**(schema.flat(read) if own else read), **told})
    except HouseRuleError as error:
        other = f", line {find_line(text, error.other_path)}" if error.other_path else ""
        raise InputError(f"{path}:{find_line(text, error.path)}: {error}{other}") from None
    except InputError as error:
        found = {key: said.start() for key in read if (said := re.search(rf"\b{re.escape(key)}\b", str(error)))}
        key = min(found, key=found.__getitem__, default="game")  # what is wrong is named first
        only = "; a file that names a game tells its options, and no more" if " has no rule " in str(error) else ""
        raise InputError(f"{path}:{find_line(text, (key,))}: {error}{only}") from None


def read_value(text: str) -> object:
    """A value as a rule file would tell it, such as 3, true or [1, 2]; what is none of these stays text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def load_dice(path: str | os.PathLike[str], /, faces: Sequence[str]) -> tuple[Kind, ...]:
    """Return the dice that a file, a rule file or not, lists in ``[[die]]`` entries: those that somebody owns.

    Raises:
        InputError: no such file, no TOML, or a die that cannot be; the message names file, line and key.
    """
    read, text = _read(path)
    try:
        kinds = read_kinds(schema.read({"die": read.get("die", [])}, push_schema.DICE), faces, MOST_OWNED)
        if not kinds:
            raise HouseRuleError("list the dice: [[die]] entries with name, weights and count")
    except HouseRuleError as error:
        raise InputError(f"{path}:{find_line(text, error.path)}: {error}") from None
    return kinds


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    """The values of a file, or of one that ships, and its text."""
    file = to_path(path)
    if not os.path.exists(path) and str(path).lower() in shipped_rule_files():
        file = RULE_FILES / f"{str(path).lower()}.toml"
    try:
        with open_regular_file(file) as opened:
            content = opened.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(f"{path}: is larger than any rule file ({MOST_BYTES:,} bytes)")
        text = content.decode("utf-8-sig")  # some editors begin a file with a mark of the byte order
    except InputError:
        raise
    except READ_ERRORS as error:
        if str(path).lower() in FILES:
            raise InputError(f"{path} is a game, not a rule file: name it without --rules") from None
        if told := describe_other_kind(file, RULE_FILE):
            raise InputError(f"{path} {told}") from None
        close = closest_name(path, shipped_rule_files())
        other = f"did you mean {close}?" if close else "keepwise rules --list tells those that ship"
        raise InputError(f"{path}: cannot be read ({error_reason(error)}); {other}") from None
    try:
        read = tomllib.loads(text)
        check_numbers(read)
    except tomllib.TOMLDecodeError as error:
        if told := describe_other_kind(file, RULE_FILE):
            raise InputError(f"{path} {told}") from None
        said = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(error), re.DOTALL)
        line = (said and said[2]) or len(text.splitlines()) or 1
        remedy = next((f": {told}" for part, told in REMEDIES if part in str(error)), "")
        wrong = text.splitlines()[int(line) - 1] if text else ""
        remedy = next((f": {told}" for part, told in SLIPS if re.search(part, wrong)), remedy)
        words = re.sub(r"\('([^()]*)',?\)", r"\1", said[1] if said else str(error))  # a name, not a list of names
        raise InputError(f"{path}:{line}: {words}{remedy}") from None
    except HouseRuleError as error:
        raise InputError(f"{path}:{find_line(text, error.path)}: {error}") from None
    except ValueError:  # Python's limit to the digits of a number
        raise InputError(f"{path}: a number in it has thousands of digits") from None
    except RecursionError:
        raise InputError(f"{path}: brackets in it are nested too deep") from None
    return read, text


def find_line(text: str, path: Sequence[str | int]) -> int:
    """Return the line of a key, or of the innermost table around it that the text names; 1 if none is found."""
    best, depth = 1, 0
    table: tuple[str | int, ...] = ()
    seen: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        here: tuple[str | int, ...]
        if header := re.match(r"\s*\[\[\s*([\w.\"'-]+)\s*\]\]", line):
            seen[header[1]] = seen.get(header[1], -1) + 1
            here = table = (header[1], seen[header[1]])
        elif header := re.match(r"\s*\[\s*([\w.\"'-]+)\s*\]", line):
            here = table = tuple(part.strip("\"'") for part in header[1].split("."))
        elif key := re.match(r"""\s*((?:[\w.-]|"[^"]*"|'[^']*')+)\s*=""", line):
            here = (*table, *(part.strip("\"'") for part in key[1].split(".")))
        else:
            continue
        shared = min(len(here), len(path))  # a header may lead further down than the path
        if here[:shared] == tuple(path[:shared]) and shared > depth:
            best, depth = number, shared
    return best
