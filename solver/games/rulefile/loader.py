"""Rule files: a game under a table's own rules, in TOML.

A file either names a known game or a rule file that ships, and what differs (``game = "5000"``), or describes a game
of its own: push your luck (``keepwise.games.rulefile.push_file``), or a card if it has ``[[category]]`` entries
(``keepwise.games.rulefile.card_file``). Start reading at ``load_rules``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence, Set
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from ...storage.files import READ_ERRORS, RULE_FILE, describe_other_kind, error_reason, open_regular_file
from ...util.arguments import to_path, validate_arguments
from ...util.errors import HouseRuleError, InputError, add_hint, closest_name
from ...util.integers import MAX_DIGITS
from .. import FILES, RULE_FILES, Game, known_game, own_game
from .. import shipped_rule_files as shipped_rule_files
from ..dice_catalogue import Catalogue, list_catalogues, load_catalogue, parse_dice_list
from ..dice_keys import HAND_KEY, replace_dice
from ..push_rules import DieKind
from ..rule_options import UnknownOptionError, parse_options
from ..ruleset import check_numbers
from ..seat_rules import SEAT_KEY, merge_seat_rules
from . import push_schema, schema
from .push_file import parse_kinds

TEMPLATES = Path(__file__).parent.parent / "templates"  # files to begin from, by kind of game
MAX_BYTES = 1 << 20
MAX_OWNED_DICE = 1000
SEAT_PATH = 2  # keys that lead to the rules of a seat: the table of the seats, and the seat

TOML_REMEDIES = (  # by a part of the TOML parser's message; the first that matches counts
    ("Cannot overwrite a value", "a key or table appears twice; keep one, or write [[...]] for each entry of a list"),
    ("Cannot declare", "a table appears twice: put its keys together, or write [[...]] for entries"),
    ("Cannot mutate immutable", "a table in braces is complete: write all keys inside the braces, or use a [table]"),
    ("Cannot define", "[name] and [[name]] cannot be combined: use one of them"),
    ("Invalid value", 'write a value after =: "text" in quotes, a number, true or false'),
    ("Expected newline or end of document", "write one key = value on each line; a comment begins with #"),
    (
        "Expected '=' after a key",
        "write key = value; a key with characters other than letters, digits, dashes and underscores needs quotes",
    ),
    ("Invalid initial character", "write key = value, or the header of a table, [name]"),
    ("Invalid statement", "write key = value, or the header of a table, [name]"),
    ("Unclosed array", "end the list with ]"),
    ("Illegal character", "end the text with a quote on the same line"),
    ("Unterminated string", "end the text with a quote"),
)
LINE_REMEDIES = (  # by a pattern of the wrong line: numbers that TOML does not allow, and keys with other signs
    (r"=\s*\d{1,3},\d{3}\b", "write numbers without commas, 1000 or 1_000"),
    (r"=\s*0\d", "write numbers without a leading 0"),
    (
        r"^\s*(?![A-Za-z0-9_.-]+\s*=)[^\s\"'\[\]=#]+\s*=",
        "put a key in quotes if it has other characters than letters, digits, dashes and underscores",
    ),
)
ERROR_POSITION = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)
NAME_AS_TUPLE = re.compile(r"\('[^()]*',?\)")  # how the TOML parser prints a table's name

ENTRY_HEADER = re.compile(r"\s*\[\[\s*([\w.\"'-]+)\s*\]\]")
TABLE_HEADER = re.compile(r"\s*\[\s*([\w.\"'-]+)\s*\]")
KEY_OF_LINE = re.compile(r"""\s*((?:[\w.-]|"[^"]*"|'[^']*')+)\s*=""")

SOURCE_MARK = "Source: "  # in the comment of a shipped rule file
END_OF_SOURCE = re.compile(r"(?<!\b[A-Z])\. (?=[A-Z])")  # an initial does not end the sentence


def describe_rule_file(name: str) -> str:
    """Return the first sentence of a shipped rule file's comment."""
    about, _, _ = _comment(name).partition(SOURCE_MARK)
    return re.split(r"(?<=\.) ", about.rstrip(), maxsplit=1)[0]


def rule_file_source(name: str) -> str:
    """Return the source that a shipped rule file's comment names, with its year; "" if it names none."""
    _, _, source = _comment(name).partition(SOURCE_MARK)
    return END_OF_SOURCE.split(source, maxsplit=1)[0].removesuffix(".")


def _comment(name: str) -> str:
    """Return the comment at the top of a shipped rule file, as one line."""
    lines = (RULE_FILES / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    return " ".join(line[2:] for line in takewhile(lambda line: line.startswith("# "), lines))


def rule_file_title(name: str) -> str:
    """Return the title of a shipped rule file."""
    return str(tomllib.loads((RULE_FILES / f"{name}.toml").read_text(encoding="utf-8"))["title"])


@validate_arguments
def load_rules(
    path: str | os.PathLike[str], /, *, seats: Mapping[int, Mapping[str, Any]] | None = None, **rules: object
) -> Game:
    """Return the game that a rule file describes, with some rules replaced.

    Args:
        path: a file, or the name of one that ships with the package.
        seats: by seat, from 1 for the player who begins, the rules that differ for its player, and its ``head_start``;
            they replace those of the file.
        rules: options that replace those of the file.

    Raises:
        InputError: a missing file, a file that is not TOML, or a rule that is not allowed; the message names file, line
            and key.
    """
    values, text = _parse_file(path)
    values = _with_base(values)
    file_keys = {*values}
    is_own_game = not {"game", "category"} & file_keys
    changes = parse_options(push_schema.OPTIONS, schema.flatten(rules)) if is_own_game else rules
    try:
        if seats is not None:
            values = merge_seat_rules(values, seats)
        if "game" in values:
            game_id = str(values.pop("game"))
            return known_game(game_id, values.pop(SEAT_KEY, None), {**values, **changes})
        return own_game(replace_dice(schema.flatten(values) if is_own_game else values, changes))
    except HouseRuleError as error:
        if error.path[:1] == (HAND_KEY,) and HAND_KEY in changes:
            raise  # it is not in the file
        message = str(error)
        if _is_outside(error.path, {*rules, *changes}, seats or {}):
            raise _error_outside(path, values, error) from None
        if isinstance(error, UnknownOptionError):
            message = add_hint(message, "a file that begins with game = ... may only set the options of that game")
        if error.other_path:
            message = f"{message} (see line {find_line(text, error.other_path)})"
        rule_path = error.path if is_own_game or file_keys & {*error.path[:1]} else ("game",)
        raise InputError(f"{path}:{find_line(text, rule_path)}: {message}") from None
    except InputError as error:
        raise InputError(f"{path}:{find_line(text, ('game',))}: {error}") from None


def _is_outside(path: tuple[str | int, ...], rules: Set[str], seats: Mapping[int, Mapping[str, Any]]) -> bool:
    """Return whether a wrong rule is given beside a file: ``path`` leads to it, ``rules`` and ``seats`` are not in it.

    The path of a rule of one seat begins with the table of the seats.
    """
    if path[:1] != (SEAT_KEY,) or len(path) < SEAT_PATH:
        return _join_path(path) in rules
    changes = {str(seat): rules_of_seat for seat, rules_of_seat in seats.items()}.get(str(path[1]), {})
    return bool(changes) and (len(path) == SEAT_PATH or _join_path(path[SEAT_PATH:]) in changes)


def _join_path(path: Sequence[str | int]) -> str:
    """Return the path of a rule as users write it: ``stop.opening``."""
    return ".".join(map(str, path))


def _error_outside(path: str | os.PathLike[str], values: Mapping[str, Any], error: HouseRuleError) -> InputError:
    """Return the error of a rule that is given beside a file, not in it; ``values`` are those of the file."""
    rule = _join_path(error.path[SEAT_PATH:] if error.path[:1] == (SEAT_KEY,) else error.path)
    table = rule.partition(".")[0]
    if table in values and table not in (rule, *schema.OPTION_TABLES):
        return InputError(f"{rule} can only be changed in a rule file: change it in a copy of {path}")
    if isinstance(error, schema.UnknownKeyError):
        return InputError(f"unknown rule '{rule}' of {path}{schema.suggest_rule(rule, values)}")
    return InputError(str(error))


def _with_base(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a file that changes a rule file that ships, with those that it leaves as they are."""
    base = values.get("game")
    if base in FILES or base not in shipped_rule_files():
        return values
    changes = {key: value for key, value in values.items() if key != "game"}
    base_values, _ = _parse_file(str(base))
    _warn_of_lost_patterns(base_values, changes)
    is_card = "category" in base_values
    return replace_dice(*(part if is_card else schema.flatten(part) for part in (base_values, changes)))


def _warn_of_lost_patterns(base_values: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    """Warn if the patterns of a file replace all those of the rule file that it changes, and leave some out."""
    if not isinstance(changes.get("pattern"), list):
        return
    names = [entry.get("name") for entry in changes["pattern"] if isinstance(entry, dict)]
    lost_names = [str(entry.get("name") or entry.get("dice")) for entry in base_values.get("pattern", ())]
    if lost_names := [name for name in lost_names if name not in names]:
        _warn_once(
            f"[[pattern]] replaces all patterns of {base_values['name']}, so these no longer score:"
            f" {', '.join(lost_names)}; copy them into your file to keep them"
        )


@cache
def _warn_once(message: str) -> None:
    """Print a warning, once in a process: a command reads a rule file several times."""
    from ...util import progress_reporting

    progress_reporting.warn(message)


def parse_value(text: str) -> object:
    """Return the value of a text in a rule file, such as 3, true or [1, 2]; any other text stays text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def load_dice(
    path: str | os.PathLike[str], /, faces: Sequence[str], catalogue: str | None = None
) -> tuple[DieKind, ...]:
    """Return the dice that somebody owns, from the ``[[die]]`` entries of a file, or from lines such as ``lucky*3``.

    Dice of a catalogue with a wild face have one weight more than other dice (``dice_inventory.fit_wild_faces``).

    Args:
        path: a rule file, a file with nothing but dice, or a list of names of dice with their counts, one a line.
        faces: the names of the faces.
        catalogue: the catalogue that has the names of the dice; None if the game has none.

    Raises:
        InputError: a missing file, a file that is not TOML, or a die that is not allowed; the message names file, line
            and key.
    """
    lines = _lines_with_names(_read_text(path, to_path(path))) if os.path.exists(path) else {}
    if lines and catalogue is not None:
        return _parse_named_dice(path, lines, load_catalogue(catalogue))
    if lines:
        raise InputError(
            f"{path} lists dice by name, but this game has no catalogue of dice: write [[die]] entries with name,"
            f" weights and count, or use a game with a catalogue: {', '.join(list_catalogues())}"
        )
    values, text = _parse_file(path)
    try:
        entries = schema.read({"die": values.get("die", [])}, push_schema.DICE)
        kinds = parse_kinds(entries, faces, MAX_OWNED_DICE)
        if not kinds:
            raise HouseRuleError("the file has no dice: add [[die]] entries with name, weights and count")
    except HouseRuleError as error:
        raise InputError(f"{path}:{find_line(text, error.path)}: {error}") from None
    return kinds


def _lines_with_names(text: str) -> dict[int, str]:
    """Return the lines of a list of dice by number, without comments; empty if the text is rather a TOML file."""
    lines = ((number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines(), 1))
    line_by_number = {number: line for number, line in lines if line}
    return {} if any(set(line) & {*"=[]"} for line in line_by_number.values()) else line_by_number


def _parse_named_dice(
    path: str | os.PathLike[str], lines: Mapping[int, str], catalogue: Catalogue
) -> tuple[DieKind, ...]:
    """Return the dice that lines list, those that are alike as one kind.

    Raises:
        InputError: an unknown die or a wrong count, with file and line.
    """
    kinds = dict[str, DieKind]()
    for number, line in lines.items():
        try:
            dice = parse_dice_list(line, catalogue, MAX_OWNED_DICE)
        except HouseRuleError as error:
            raise InputError(f"{path}:{number}: {error}") from None
        for die in dice:
            count = die.count + (kinds[die.name].count if die.name in kinds else 0)
            kinds[die.name] = DieKind(die.name, count, die.weights)
    return tuple(kinds.values())


def _parse_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    """Return the values of a rule file, or of one that ships, and its text."""
    name = str(path).lower()
    file = to_path(path)
    if not os.path.exists(path) and name in shipped_rule_files():
        file = RULE_FILES / f"{name}.toml"
    text = _read_text(path, file)
    try:
        values = tomllib.loads(text)
        check_numbers(values)
    except tomllib.TOMLDecodeError as error:
        if kind := describe_other_kind(file, RULE_FILE):
            raise InputError(f"{path} {kind}") from None
        raise _toml_error(path, text, error) from None
    except HouseRuleError as error:
        raise InputError(f"{path}:{find_line(text, error.path)}: {error}") from None
    except ValueError:  # Python limits the digits of a number
        raise InputError(f"{path}: a number has too many digits; at most {MAX_DIGITS} are supported") from None
    except RecursionError:
        raise InputError(f"{path}: brackets are nested too deep") from None
    return values, text


def _read_text(path: str | os.PathLike[str], file: Path) -> str:
    """Return the text of a file; ``path``: its name for messages."""
    try:
        with open_regular_file(file) as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InputError(f"{path}: too large for a rule file (more than {MAX_BYTES:,} bytes)")
        return content.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except InputError:
        raise
    except READ_ERRORS as error:
        if str(path).lower() in FILES:
            raise InputError(f"{path} is a built-in game, not a rule file; give it as GAME, without --rules") from None
        if kind := describe_other_kind(file, RULE_FILE):
            raise InputError(f"{path} {kind}") from None
        if isinstance(error, UnicodeDecodeError):
            raise InputError(f"cannot read {path}: {error_reason(error)}; save the file as UTF-8") from None
        close = closest_name(path, shipped_rule_files())
        if os.path.isfile(f"{path}.toml"):
            close = f"{path}.toml"
        hint = f"did you mean {close}?" if close else "keepwise games lists the rule files that ship with Keepwise"
        raise InputError(f"cannot read {path}: {error_reason(error)}; {hint}") from None


def _toml_error(path: str | os.PathLike[str], text: str, error: tomllib.TOMLDecodeError) -> InputError:
    """Return the error of a file that is not TOML, with its line and a likely remedy."""
    match = ERROR_POSITION.fullmatch(str(error))
    line = (match and match[2]) or len(text.splitlines()) or 1
    wrong_line = text.splitlines()[int(line) - 1] if text else ""
    remedy = next((f": {remedy}" for part, remedy in TOML_REMEDIES if part in str(error)), "")
    remedy = next((f": {remedy}" for pattern, remedy in LINE_REMEDIES if re.search(pattern, wrong_line)), remedy)
    message = NAME_AS_TUPLE.sub(_table_header, match[1] if match else str(error))
    return InputError(f"{path}:{line}: {message}{remedy}")


def _table_header(match: re.Match[str]) -> str:
    """Return ``[alike.3]`` for the tuple ``('alike', '3')``, the name of a table as the TOML parser prints it."""
    keys = re.findall("'([^']*)'", match[0])
    return f"[{'.'.join(keys)}]"


def find_line(text: str, path: Sequence[str | int]) -> int:
    """Return the line of a key, or of the innermost table around it in the text; 1 if none is found."""
    best_line, best_depth = 1, 0
    table: tuple[str | int, ...] = ()
    entry_counts: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line_path: tuple[str | int, ...]
        if header := ENTRY_HEADER.match(line):
            entry_counts[header[1]] = entry_counts.get(header[1], -1) + 1
            line_path = table = (header[1], entry_counts[header[1]])
        elif header := TABLE_HEADER.match(line):
            line_path = table = _split_key(header[1])
        elif key := KEY_OF_LINE.match(line):
            line_path = (*table, *_split_key(key[1]))
        else:
            continue
        depth = min(len(line_path), len(path))  # a header may lead further down than the path
        if line_path[:depth] == tuple(path[:depth]) and depth > best_depth:
            best_line, best_depth = number, depth
    return best_line


def _split_key(key: str) -> tuple[str, ...]:
    """Return the parts of a dotted key, without quotes."""
    return tuple(part.strip("\"'") for part in key.split("."))
