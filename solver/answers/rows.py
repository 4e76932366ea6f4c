"""A solution as rows: a position, what it is worth, the best choice, and what the runner-up costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from time import process_time
from typing import TYPE_CHECKING, Any

from ..play.playable_game import Table
from ..play.position_fields import Field, Kind, Role
from ..solvers import PositionListing, Problem
from ..solvers.cost_estimates import SolveCost
from ..util.errors import InputError, suggest_name
from ..util.optional_imports import require_library
from .decisions import Decider
from .positions import worth_of

if TYPE_CHECKING:
    import pandas

    from ..solving.solved_problem import SolvedProblem

Row = dict[str, Any]

CHOICE = {
    "action": str,
    "then": str,
    "keep": str,
    "points": int,
    "dice_left": int,
    "value": float,
    "runner_up": str,
    "cost": float,
    "tie": bool,
}
AT_A_TIME = 4096  # positions between turns that are valued in one question
TIMED = 3  # turns that are timed for an estimate, evenly spaced
WINDOWS, WINDOW = 8, 64  # places in a list where neighbours are compared, and how many at each


@dataclass(frozen=True)
class Column:
    """A column of rows: its name and its type."""

    name: str
    type: type


def columns_of(field: Field) -> tuple[str, ...]:
    """Names of the columns that a field has."""
    return field.columns or (field.name,)


def in_columns(table: Table[Any], position: Any, inside: bool) -> Row:
    """What tells a position, in columns: that of a turn that has begun, or what stands between turns."""
    told, row = table.tell(position), Row()
    for field in table.fields:
        if field.inside != inside or not field.listed:
            continue
        value = told.get(field.name, field.unsaid)
        if field.columns:
            row |= dict(zip(field.columns, value if value is not None else [None] * len(field.columns), strict=True))
        elif field.kind is Kind.FLAG:
            row[field.name] = bool(value)
        elif isinstance(value, (list, tuple)):
            row[field.name] = (", " if field.kind is Kind.NAMES else " ").join(map(str, value))
        else:
            row[field.name] = value
    return row


class _Asked:
    """What rows are asked for, checked: detail, columns, the values of columns that are given, and the fields told."""

    def __init__(self, match: Problem[Any], detail: str | None, given: Mapping[str, Any]) -> None:
        self.table: Table[Any] = match.playable
        open_details = ("values", *self.table.details)
        self.detail = detail or open_details[min(1, len(open_details) - 1)]
        if detail is None and "rolls" in open_details and self._rolled(given):
            self.detail = "rolls"
        if self.detail not in open_details:
            raise InputError(f"{match.game.id} has no detail {self.detail}{suggest_name(self.detail, open_details)}")
        self._dice = {field.name for field in self.table.fields if field.kind is Kind.DICE}
        self.between, self.inside = self._read_given(given)
        if self.inside and self.detail == "values":
            raise InputError(f"values are listed between turns: leave {next(iter(self.inside))} out")
        self.columns: tuple[Column, ...] = tuple(self._columns())
        names = [field.name for field in self.table.fields if not field.inside]
        self._match, self._given = match, dict(given)
        self._told = {name: given[name] for name in names if name in given}
        self._start: Any = None  # the position between turns that the values describe, if the list does not have it
        self.only: Any = None  # the one decision to list, if the values describe it in full
        listing = self.listing()
        if not any(self.begins(one) is not None for one in listing.positions):
            self._start = self._read(self._told)
            listing = self.listing()
        if self.table.roles.get(Role.ROLL) in self.inside and (position := self._position()) is not None:
            told = in_columns(self.table, position, inside=True)  # a roll may have forgotten how it came about
            self.inside = {name: told.get(name, value) for name, value in self.inside.items()}
            self.only = position if listing.is_single_position and self.detail == "rolls" else None
        elif listing.is_single_position and self.detail == "throws" and self.inside:
            self.only = self._told_throw()
        self.between = (
            {} if listing.is_single_position else self.between
        )  # one position: its fields need not be spelled as rows are

    def listing(self) -> PositionListing[Any]:
        """Return the positions between turns to list: those of the match, or the one that the values describe."""
        listing = self._match.list_positions(self._told)
        return (
            listing
            if self._start is None
            else PositionListing(1, (self._start,), listing.truncation, is_single_position=True)
        )

    def list_one_decision(self) -> None:
        """List only the decision that the values describe; rows may leave it out, such as points beyond their cut.

        Raises:
            InputError: the values describe no position, or nothing is decided in it.
        """
        position = self._read(self._given)
        decision = position if self.table.stage(position) == "choose" else self.table.deciding(position)
        if decision is None:
            raise InputError("nothing is decided in this position: the dice are rolled")
        rolled = self._rolled(in_columns(self.table, decision, inside=True))
        if rolled != (self.detail == "rolls"):
            other = "rolls" if rolled else "throws"
            raise InputError(f"rows of {self.detail} do not list this decision; use the detail {other}")
        self._start, self.only, self.between, self.inside = self._read(self._told), decision, {}, {}

    def _told_throw(self) -> Any:
        """Return the decision before a throw if all of its fields are given."""
        position = self._position()
        if position is None or self.table.stage(position) != "choose":
            return None
        columns = in_columns(self.table, position, inside=True)
        fields = (field for field in self.table.fields if field.inside and field.name in self.table.tell(position))
        whole = all(field.name in self._given for field in fields) and not self._rolled(columns)
        return position if whole and self.meets(columns) else None

    def _rolled(self, values: Mapping[str, Any]) -> bool:
        """Return whether the values say what was rolled or felt."""
        names = (self.table.roles.get(role) for role in (Role.ROLL, Role.FELT))
        return any(values.get(str(name)) is not None for name in names)

    def begins(self, start: Any) -> Row | None:
        """The columns between turns of a position, if it has the values that are given."""
        columns = in_columns(self.table, start, inside=False)
        return columns if all(columns.get(name) == value for name, value in self.between.items()) else None

    def _position(self) -> Any:
        """Return the position that the values describe, or None if they describe none."""
        try:
            return self.table.read(**self._given)
        except InputError:  # not in full, or by columns
            return None

    def _read(self, values: Mapping[str, Any]) -> Any:
        """Return the position that these values describe; InputError says why there is none."""
        if values.keys() <= {field.name for field in self.table.fields}:
            return self.table.read(**values)
        raise InputError("no position has these values")

    def meets(self, inside: Row) -> bool:
        """Whether a decision has the values inside a turn that are given; dice in any order."""
        return all(
            _in_order(inside.get(name)) == _in_order(value) if name in self._dice else inside.get(name) == value
            for name, value in self.inside.items()
        )

    def _columns(self) -> Iterator[Column]:
        for inside in (False, True):
            if inside and self.detail == "values":
                continue
            for field in self.table.fields:
                if field.inside == inside and field.listed:
                    whole = field.kind in (Kind.NUMBERS, Kind.SCORES) and not field.columns  # a list in one column
                    yield from (Column(name, str if whole else field.kind.column) for name in columns_of(field))
        if self.detail != "values":
            yield from (Column(name, kind) for name, kind in CHOICE.items())
            return
        yield Column("value", float)
        yield from (Column(f"value_{seat}", float) for seat in range(2, self.table.players + 1))

    def _read_given(self, given: Mapping[str, Any]) -> tuple[Row, Row]:
        """Column values asked for, between turns and inside one, each read as the field reads it."""
        parts: tuple[Row, Row] = ({}, {})
        known = {field.name: field for field in self.table.fields}
        for name, value in given.items():
            field = known.get(name)
            if field is None:
                field = next((one for one in self.table.fields if name in one.columns), None)
                if field is None:
                    columns = [column for one in self.table.fields if one.listed for column in columns_of(one)]
                    raise InputError(f"these rows have no column {name}; they have {', '.join(columns)}")
                parts[field.inside][name] = Field(name, Kind.NUMBER, "", low=field.low).read(value)
                continue
            read = field.read(value)
            if field.columns:
                if len(read) != len(field.columns):
                    raise InputError(f"{name} must tell {len(field.columns)} numbers, not {len(read)}")
                parts[field.inside].update(zip(field.columns, read, strict=True))
            else:
                parts[field.inside][name] = _spelled(field, read)
        return parts


def check_rows(match: Problem[Any], detail: str | None, given: Mapping[str, Any]) -> None:
    """Raise InputError for rows that a question does not have, before it is solved; see ``Policy``."""
    _Asked(match, detail, given)


class Policy:
    """The rows of a solution; iterating it yields them.

    ``detail``: "values" lists the positions between turns with the value of every seat; "throws" the decisions before a
    throw (bank or roll, which size to touch); "rolls" those after one (what to keep). ``given`` restricts the rows to
    positions with those values, such as ``score=0``.

    Columns: those of the position; then, but for "values", ``action`` (the best choice in words), ``then``, ``keep``,
    ``points`` and ``dice_left`` (as in ``RankedChoice``), ``value``, ``runner_up`` and its ``cost``, ``tie`` (whether
    the runner-up is as good within the error bound). ``ends`` says where rows end that could go on for ever.

    Raises:
        InputError: a detail that the game does not have, or a value for a column that there is not.
    """

    def __init__(self, solution: SolvedProblem, detail: str | None = None, **given: Any) -> None:
        asked = _Asked(solution.problem, detail, given)
        self.solution, self.table = solution, solution.playable
        self.detail, self.given, self.columns = asked.detail, given, asked.columns
        self._asked = asked
        self._decider: Decider | None = None
        self.ends = asked.listing().truncation
        if next(self._rows(lambda done: None), None) is None:
            asked.list_one_decision()
        self._decider = None

    @property
    def head(self) -> Row:
        """What the rows are for."""
        given = {name: str(value) for name, value in self.given.items()}
        ends = {"ends": self.ends} if self.ends else {}
        return {**self.solution.head, "detail": self.detail, "given": given, **ends}

    def __iter__(self) -> Iterator[Row]:
        return self.rows()

    def rows(self, progress: Callable[[float], None] = lambda done: None) -> Iterator[Row]:
        """Yield the rows, one at a time."""
        return self._rows(progress)

    def cost(self, size: Callable[[Row], int]) -> SolveCost:
        """Estimate the seconds and the bytes of a file of all rows; nothing for few turns, or for values.

        A few evenly spaced turns are timed, with a new walk and with one that is kept. ``size``: bytes of a row.
        """
        starts, walks, sample = self._counted()
        if self.detail == "values" or starts <= TIMED:
            return SolveCost(0.0, 0.0)
        walking, deciding, written = 0.0, 0.0, 0
        for start in sample:
            times = [process_time()]
            self._decider = None
            written += sum(map(size, self._decided(_twice(start, times))))
            times.append(process_time())
            walking += max(0.0, 2 * times[1] - times[0] - times[2])
            deciding += times[2] - times[1]
        return SolveCost(starts * written / 2 / len(sample), (walks * walking + starts * deciding) / len(sample))

    def _counted(self) -> tuple[float, float, list[tuple[Row, Any]]]:
        """Return how many turns there are, about how many are walked anew, and the turns that are timed."""
        listing = self._asked.listing()
        if self._asked.between:
            met = list(self._starts(lambda done: None))
            count = len(met)
        else:
            count = listing.count
            step = max(WINDOW, count // WINDOWS)
            positions = (one for number, one in enumerate(listing.positions) if number % step < WINDOW)
            met = [(self._asked.begins(one) or {}, one) for one in positions]
        keys = [self.table.turn_key(one) for _, one in met]
        new = sum(key != before for key, before in zip(keys[1:], keys, strict=False))
        step = max(1, len(met) // TIMED)
        return count, 1 + count * new / max(1, len(keys)), met[step // 2 :: step][:TIMED]

    def _starts(self, progress: Callable[[float], None]) -> Iterator[tuple[Row, Any]]:
        listing = self._asked.listing()
        for number, position in enumerate(listing.positions):
            columns = self._asked.begins(position)
            if columns is not None:
                yield columns, position
            progress(min(1.0, (number + 1) / listing.count))

    def _rows(self, progress: Callable[[float], None]) -> Iterator[Row]:
        starts = self._starts(progress)
        return self._values(starts) if self.detail == "values" else self._decided(starts)

    def _values(self, starts: Iterator[tuple[Row, Any]]) -> Iterator[Row]:
        solution, table = self.solution, self.table
        while part := list(islice(starts, AT_A_TIME)):
            solved = solution.value_table_for(part[0][1])
            for (columns, position), seats in zip(
                part, worth_of(solution.problem, solved, [one for _, one in part]).values.tolist(), strict=True
            ):
                mine, *others = (seats[seat] for seat in table.seats_from(table.mover(position)))
                more = {f"value_{number}": value for number, value in enumerate(others, 2)}
                yield {**columns, "value": mine, **more}

    def _decided(self, starts: Iterator[tuple[Row, Any]]) -> Iterator[Row]:
        shown, listed = None, list[tuple[int, Row]]()
        for between, start in starts:
            solved = self.solution.value_table_for(start)
            if self._decider is None or self._decider.solved is not solved:
                self._decider = Decider(self.solution.problem, solved, self.detail == "throws", self._asked.only)
            walk = self._decider.walk(start)
            if walk is not shown:
                columns = [(n, in_columns(self.table, one, inside=True)) for n, one in enumerate(walk.decisions)]
                listed = [(n, row) for n, row in columns if self._asked.meets(row)]
                shown = walk
            if not listed:
                continue
            decided = self._decider.decide(start)
            best, second, choices = decided.best.tolist(), decided.second.tolist(), walk.choices
            values, cost, tie = decided.values.tolist(), decided.cost.tolist(), decided.tie.tolist()
            for number, inside in listed:
                choice, other = choices[best[number]], second[number]
                yield {
                    **between,
                    **inside,
                    "action": choice.action,
                    "then": choice.then,
                    "keep": " ".join(choice.keep),
                    "points": choice.points,
                    "dice_left": choice.dice_left,
                    "value": values[best[number]],
                    "runner_up": choices[other].action if other >= 0 else None,
                    "cost": cost[number] if other >= 0 else None,
                    "tie": tie[number],
                }

    def to_frame(self, progress: Callable[[float], None] = lambda done: None) -> pandas.DataFrame:
        """Return the rows as a pandas data frame (``pip install keepwise[arrow]``).

        Numbers are plain int64; a column in which a number is missing is Int64, with ``pandas.NA`` there.
        """
        require_library("pandas", "data frames need pandas", "arrow")
        import pandas

        frame = pandas.DataFrame(list(self.rows(progress)), columns=[column.name for column in self.columns])
        numbers = [column.name for column in self.columns if column.type is int]
        return frame.astype({name: "Int64" if frame[name].hasnans else "int64" for name in numbers})


def _twice(start: tuple[Row, Any], times: list[float]) -> Iterator[tuple[Row, Any]]:
    """Yield a turn twice, and note the time in between."""
    yield start
    times.append(process_time())
    yield start


def _spelled(field: Field, value: Any) -> Any:
    """A value as its column spells it: dice and names in the order in which positions tell them."""
    if field.kind in (Kind.DICE, Kind.NUMBERS):
        return " ".join(map(str, value))
    return ", ".join(value) if field.kind is Kind.NAMES else value


def _in_order(dice: str | None) -> list[str]:
    return sorted((dice or "").split())
