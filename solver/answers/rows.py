"""A solution as rows: positions with their values, or decisions with their best choice and the loss of the next best.

``PolicyTable`` is the table of rows that users get. ``RowPlan`` validates which rows they want.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from ..play.playable_game import Choice, PlayableGame
from ..play.position_fields import Field, FieldKind, Role
from ..solvers import PositionListing, Problem
from ..solvers.solve_costs import SolveCost
from ..util.errors import InputError, argument, suggest_name
from ..util.optional_imports import require_library
from ..util.progress_reporting import ProgressCallback
from .decisions import Decider, TurnDecisions
from .positions import seat_values_of
from .row_blocks import MISSING, Column, ColumnValues, Row, RowBlock, RowEncoder

if TYPE_CHECKING:
    import pandas

    from ..solving.solved_problem import SolvedProblem

_Start = tuple[Row, Any]  # the columns of a position between turns, and the position

CHOICE_COLUMNS = {
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
ROWS_IN_NOTEBOOK = 10  # of a table that Jupyter shows
POSITIONS_AT_ONCE = 4096  # positions between turns that are evaluated with one call of the problem
TURNS_AT_ONCE = 64  # of one group, whose decisions are one block of rows
TIMED_GROUPS = 3  # groups of turns, evenly spaced, that an estimate of the cost is made from
# For the estimate, so many runs of so many consecutive positions show how many of them form a group.
WINDOW_COUNT, WINDOW_SIZE = 8, 64


def columns_of(field: Field) -> tuple[str, ...]:
    """Return the names of the columns of a field."""
    return field.columns or (field.name,)


def position_columns(playable: PlayableGame[Any], position: Any, inside: bool) -> Row:
    """Return the values of a position's fields as columns of a row of a table: by column name.

    Args:
        playable: the game.
        position: the position.
        inside: True for the fields inside a turn, False for those between turns.
    """
    values = playable.to_dict(position)  # by field name
    row = Row()
    for field in playable.fields:
        if field.is_inside_turn != inside or not field.is_column:
            continue
        value = values.get(field.name, field.default)
        if field.columns:  # the field is a list, with a column for each item
            items = [None] * len(field.columns) if value is None else value
            row |= dict(zip(field.columns, items, strict=True))
        elif field.kind is FieldKind.FLAG:
            row[field.name] = bool(value)
        elif isinstance(value, (list, tuple)):
            separator = ", " if field.kind is FieldKind.NAMES else " "
            row[field.name] = separator.join(map(str, value))
        else:
            row[field.name] = value
    return row


class RowPlan:
    """Which rows a user wants from a solution: a validated detail, and values that columns must have.

    Attributes:
        wanted_values: values of columns, such as ``score=0``; only rows with these values are listed.
        playable: the game.
        detail: "values", "throws" or "rolls"; see ``PolicyTable``.
        columns: the columns of the rows.
        between: the wanted values of columns between turns.
        inside: the wanted values of columns inside a turn.
        only: the only decision to list, if the values describe it in full; else None.
    """

    def __init__(self, problem: Problem[Any], detail: str | None, wanted_values: Mapping[str, Any]) -> None:
        """Validate the detail and the values of columns.

        Args:
            problem: the problem, which need not be solved.
            detail: "values", "throws" or "rolls", as in ``PolicyTable``; None for a default.
            wanted_values: values of columns or fields, such as ``score=0``.

        Raises:
            InputError: the game has no such detail or column, or no position has these values.
        """
        self.playable: PlayableGame[Any] = problem.playable
        self._problem, self.wanted_values = problem, dict(wanted_values)
        self.detail = self._validate_detail(detail)
        self._dice_fields = {field.name for field in self.playable.fields if field.kind is FieldKind.DICE}
        self.between, self.inside = self._parse_values(wanted_values)
        if self.inside and self.detail == "values":
            raise InputError(
                f"{argument(next(iter(self.inside)))} cannot be combined with {argument('detail')} values, which lists"
                " only the starts of turns; leave one of them out"
            )
        self.columns: tuple[Column, ...] = tuple(self._list_columns())
        names = [field.name for field in self.playable.fields if not field.is_inside_turn]
        self._values_between = {name: wanted_values[name] for name in names if name in wanted_values}
        self._start: Any = None  # the position between turns that the values describe, if the list does not have it
        self.only: Any = None
        listing = self.listing()
        if not any(self.start_columns(position) is not None for position in listing.positions):
            self._start = self._find_position(self._values_between)
            listing = self.listing()
        self._find_only_decision(listing)
        if listing.is_single_position:  # its fields need not be written as in rows
            self.between = {}

    def run(self, solution: SolvedProblem) -> PolicyTable:
        """Return the rows, once the problem is solved.

        Raises:
            InputError: no position has the wanted values, or the solution is of another problem.
        """
        solution.check_solves(self._problem)
        return PolicyTable(solution, self)

    def _validate_detail(self, detail: str | None) -> str:
        """Return the detail that is asked for, or a default.

        The default is the decisions after a roll if the wanted values contain a roll. Otherwise it is the first kind of
        decision of the game, or "values" in a game without decisions.

        Args:
            detail: the detail; None or "" for the default.

        Raises:
            InputError: the game has no such detail.
        """
        details = ("values", *self.playable.decision_kinds)
        if not detail:
            lists_rolls = "rolls" in details and self._has_roll(self.wanted_values)
            first_decisions = details[1] if len(details) > 1 else "values"
            detail = "rolls" if lists_rolls else first_decisions
        if detail not in details:
            raise InputError(f"unknown detail '{detail}' of {self._problem.game.id}{suggest_name(detail, details)}")
        return detail

    def _find_only_decision(self, listing: PositionListing[Any]) -> None:
        """Set ``only`` to the one decision that the wanted values describe in full, if they do.

        Args:
            listing: the positions between turns that are listed.
        """
        if self.playable.roles.get(Role.ROLL) in self.inside and (position := self._described_position()) is not None:
            # A position after a roll may not store all fields that were given, such as dice kept before. So the wanted
            # values become those that the position has.
            columns = position_columns(self.playable, position, inside=True)
            self.inside = {name: columns.get(name, value) for name, value in self.inside.items()}
            self.only = position if listing.is_single_position and self.detail == "rolls" else None
        elif listing.is_single_position and self.detail == "throws" and self.inside:
            self.only = self._described_decision_before_roll()

    def listing(self) -> PositionListing[Any]:
        """Return the positions between turns to list: those of the problem, or the one that the values describe."""
        listing = self._problem.list_positions(self._values_between)
        if self._start is None:
            return listing
        return PositionListing(1, (self._start,), listing.truncation, is_single_position=True)

    def list_one_decision(self) -> None:
        """Restrict the plan to the one decision that the wanted values describe.

        This is for decisions that no row lists, such as those with more turn points than rows go up to.

        Raises:
            InputError: the values describe no position, or nothing is decided in it.
        """
        position = self._find_position(self.wanted_values)
        decision = (
            position if self.playable.stage(position) == "choose" else self.playable.decision_before_roll(position)
        )
        if decision is None:
            raise InputError(
                "there is no decision in this position: the next step is a roll; give the dice that were rolled"
            )
        is_after_roll = self._has_roll(position_columns(self.playable, decision, inside=True))
        if is_after_roll != (self.detail == "rolls"):
            other_detail = "rolls" if is_after_roll else "throws"
            detail_option = argument("detail")
            raise InputError(
                f"{detail_option} {self.detail} does not list this decision; use {detail_option} {other_detail}"
            )
        self._start, self.only = self._find_position(self._values_between), decision
        self.between, self.inside = {}, {}

    def _described_decision_before_roll(self) -> Any:
        """Return the decision before a roll that the wanted values describe with all of its fields, else None."""
        position = self._described_position()
        if position is None or self.playable.stage(position) != "choose":
            return None
        columns = position_columns(self.playable, position, inside=True)
        position_fields = self.playable.to_dict(position)
        inner_fields = (
            field for field in self.playable.fields if field.is_inside_turn and field.name in position_fields
        )
        is_complete = all(field.name in self.wanted_values for field in inner_fields) and not self._has_roll(columns)
        return position if is_complete and self.meets(columns) else None

    def _has_roll(self, values: Mapping[str, Any]) -> bool:
        """Return True if the values contain a roll, or how a piece feels."""
        names = (self.playable.roles.get(role) for role in (Role.ROLL, Role.FEEL))
        return any(values.get(str(name)) is not None for name in names)

    def start_columns(self, start: Any) -> Row | None:
        """Return the columns of a position between turns if it has the wanted values, else None."""
        columns = position_columns(self.playable, start, inside=False)
        return columns if all(columns.get(name) == value for name, value in self.between.items()) else None

    def _described_position(self) -> Any:
        """Return the position that the values describe, or None if they describe none."""
        try:
            return self.playable.position(**self.wanted_values)
        except InputError:  # not in full, or by columns
            return None

    def _find_position(self, values: Mapping[str, Any]) -> Any:
        """Return the position that some values of fields describe.

        Args:
            values: values by the name of a field or of a column.

        Raises:
            InputError: there is no such position, or a name is that of a column and of no field.
        """
        if values.keys() <= {field.name for field in self.playable.fields}:
            return self.playable.position(**values)
        raise InputError("no position has these values; leave some of them out")

    def meets(self, inside: Row) -> bool:
        """Return True if a decision has the wanted values inside a turn; dice may be in any order."""
        for name, value in self.inside.items():
            column = inside.get(name)
            if name in self._dice_fields:
                if _sort_dice(column) != _sort_dice(value):
                    return False
            elif column != value:
                return False
        return True

    def _list_columns(self) -> Iterator[Column]:
        """Yield the columns of the rows: first of the position between turns, then inside a turn, then of the results.

        Results are the best choice with its value, or for the detail "values" the values of all seats.
        """
        for inside in (False, True):
            if inside and self.detail == "values":
                continue
            for field in self.playable.fields:
                if field.is_inside_turn == inside and field.is_column:
                    is_list_in_one_column = field.kind in (FieldKind.NUMBERS, FieldKind.SCORES) and not field.columns
                    kind = str if is_list_in_one_column else field.kind.column
                    yield from (Column(name, kind) for name in columns_of(field))
        if self.detail != "values":
            yield from (Column(name, kind) for name, kind in CHOICE_COLUMNS.items())
            return
        yield Column("value", float)
        yield from (Column(f"value_{seat}", float) for seat in range(2, self.playable.players + 1))

    def _parse_values(self, wanted_values: Mapping[str, Any]) -> tuple[Row, Row]:
        """Return the wanted values of columns between turns, and those of columns inside a turn, as parsed values.

        Args:
            wanted_values: values by the name of a field or of a column.

        Raises:
            InputError: there is no such column, or a value is not allowed.
        """
        between, inside = Row(), Row()
        field_of_name = {field.name: field for field in self.playable.fields}
        for name, value in wanted_values.items():
            if name not in field_of_name:
                field = self._field_of_column(name)
                column_field = Field(name, FieldKind.NUMBER, "", min_value=field.min_value)
                columns = {name: column_field.parse(value)}
            else:
                field = field_of_name[name]
                columns = _parse_field(field, value)
            (inside if field.is_inside_turn else between).update(columns)
        return between, inside

    def _field_of_column(self, name: str) -> Field:
        """Return the field with a column of this name; InputError lists the columns if there is none."""
        for field in self.playable.fields:
            if name in field.columns:
                return field
        columns = [column for field in self.playable.fields if field.is_column for column in columns_of(field)]
        raise InputError(f"unknown column '{name}'; the columns are {', '.join(columns)}")


def _parse_field(field: Field, value: object) -> Row:
    """Return the value of a field, as it was entered, as values by column.

    Raises:
        InputError: the value is not allowed, or is a list of the wrong length.
    """
    parsed = field.parse(value)
    if not field.columns:
        return {field.name: _format_value(field, parsed)}
    if len(parsed) != len(field.columns):
        raise InputError(f"{argument(field.name)}: expected {len(field.columns)} numbers, got {len(parsed)}")
    return dict(zip(field.columns, parsed, strict=True))


class PolicyTable:
    """The rows of a solution; iterating over it yields them.

    Columns are those of the position. Unless the detail is "values", these follow: ``action`` (the best choice in
    words), ``then``, ``keep``, ``points`` and ``dice_left`` (as in ``RankedChoice``), ``value``, ``runner_up`` (the
    second-best choice) and its loss ``cost``, and ``tie`` (the second-best choice is as good within the error bound).

    Attributes:
        solution: the solved problem.
        playable: the game as people play it.
        detail: "values": the positions between turns with the values of all seats; "throws": the decisions before a
            roll (bank or roll, which size to touch); "rolls": those after a roll (what to keep).
        given: values of columns, such as ``score=0``; only rows with these values are listed.
        columns: the columns.
        ends: where the list is cut off, because it could go on without end; or "".
    """

    def __init__(self, solution: SolvedProblem, query: RowPlan) -> None:
        """Prepare the rows; none is computed yet but the first, which shows whether there are any.

        Args:
            solution: the solved problem.
            query: which rows are wanted.

        Raises:
            InputError: no position has the wanted values.
        """
        self.solution, self.playable = solution, solution.playable
        self.detail, self.given, self.columns = query.detail, query.wanted_values, query.columns
        self._query = query
        self._decider: Decider | None = None
        self.ends = query.listing().truncation
        has_rows = next(self.blocks(), None) is not None
        if not has_rows:
            query.list_one_decision()
        self._decider = None

    @property
    def head(self) -> Row:
        """The data at the head of a file of rows: the problem, the detail, the wanted values, and where rows end."""
        value_texts = {name: str(value) for name, value in self.given.items()}
        ends = {"ends": self.ends} if self.ends else {}
        return {**self.solution.head, "detail": self.detail, "given": value_texts, **ends}

    def __iter__(self) -> Iterator[Row]:
        return self.rows()

    def __repr__(self) -> str:
        return f"PolicyTable(game={self.solution.game.id!r}, detail={self.detail!r}, columns={tuple(self.columns)!r})"

    def _repr_html_(self) -> str:
        from ..util.notebook import html_paragraph, html_table

        rows = [*islice(self, ROWS_IN_NOTEBOOK + 1)]
        cells = [[str(row.get(column, "")) for column in rows[0]] for row in rows[:ROWS_IN_NOTEBOOK]]
        ending = html_paragraph("and more rows") if len(rows) > ROWS_IN_NOTEBOOK else ""
        return html_table([[*rows[0]], *cells], len(rows[0])) + ending

    def rows(self, progress: ProgressCallback = lambda share: None) -> Iterator[Row]:
        """Yield the rows, one at a time."""
        for block in self.blocks(progress):
            yield from block.rows()

    def blocks(self, progress: ProgressCallback = lambda share: None) -> Iterator[RowBlock]:
        """Yield the rows in blocks of consecutive rows, none of them empty."""
        starts = self._starts(progress)
        if self.detail == "values":
            yield from RowEncoder(self.columns).blocks(self._value_rows(starts))
            return
        encoder = _DecisionEncoder(self._query)
        for decider, group in self._groups(starts):
            yield from encoder.blocks(decider, group)

    def cost(self, size: Callable[[RowBlock], int]) -> SolveCost:
        """Estimate the seconds and the bytes of a file of all rows; nothing for few turns, or for values.

        A few evenly spaced groups of turns are each listed twice, first with a new walk of a turn and then with the
        same one. Their medians count, because the first group also prepares what all groups share.

        Args:
            size: returns the number of bytes of a block in the file. The time that it takes counts, so it should do
                what writing the block takes.
        """
        start_count, group_count, sample = self._sample_groups()
        if self.detail == "values" or start_count <= TIMED_GROUPS:
            return SolveCost(bytes=0.0, seconds=0.0)
        encoder = _DecisionEncoder(self._query)
        group_seconds, start_seconds, start_bytes = list[float](), list[float](), list[float]()
        for group in sample:
            self._decider = None
            times, byte_count = [process_time()], 0
            for _ in range(2):
                for decider, starts in self._groups(iter(group)):
                    byte_count += sum(map(size, encoder.blocks(decider, starts)))
                times.append(process_time())
            begun, halfway, end = times  # processor seconds; ``halfway`` is between the two listings
            start_bytes.append(byte_count / 2 / len(group))
            start_seconds.append((end - halfway) / len(group))
            group_seconds.append(max(0.0, 2 * halfway - begun - end))  # the first listing minus the second
        seconds = group_count * median(group_seconds) + start_count * median(start_seconds)
        return SolveCost(bytes=start_count * median(start_bytes), seconds=seconds)

    def _sample_groups(self) -> tuple[float, float, list[list[_Start]]]:
        """Return the number of turns, about how many groups they form, and a few groups of turns to be timed.

        A group is consecutive turns that offer the same choices. The number of groups is estimated from a few runs of
        consecutive positions, unless the wanted values leave few positions.
        """
        listing = self._query.listing()
        if self._query.between:
            starts = list(self._starts(lambda share: None))
            count = len(starts)
        else:
            count = listing.count
            step = max(WINDOW_SIZE, count // WINDOW_COUNT)
            positions = (position for index, position in enumerate(listing.positions) if index % step < WINDOW_SIZE)
            starts = [(self._query.start_columns(position) or {}, position) for position in positions]
        groups = [group for _, group in self._groups(iter(starts))]
        step = max(1, len(groups) // TIMED_GROUPS)
        return count, 1 + count * len(groups) / max(1, len(starts)), groups[step // 2 :: step][:TIMED_GROUPS]

    def _groups(self, starts: Iterator[_Start]) -> Iterator[tuple[Decider, list[_Start]]]:
        """Yield groups of consecutive turns that offer the same choices, each with the decider that covers them.

        Args:
            starts: the columns and the positions in which turns begin.

        Yields:
            A decider, and up to ``TURNS_AT_ONCE`` of the starts.
        """
        group = list[_Start]()
        decider_of_group = None
        key_of_group = None
        for start in starts:
            decider = self._decider_for(start[1])
            key = decider.group_key(start[1])
            is_same = decider is decider_of_group and key == key_of_group
            if decider_of_group is not None and (not is_same or len(group) == TURNS_AT_ONCE):
                yield decider_of_group, group
                group = []
            decider_of_group, key_of_group = decider, key
            group.append(start)
        if decider_of_group is not None:
            yield decider_of_group, group

    def _starts(self, progress: ProgressCallback) -> Iterator[_Start]:
        """Yield the positions in which the listed turns begin, each after its columns."""
        listing = self._query.listing()
        for index, position in enumerate(listing.positions):
            columns = self._query.start_columns(position)
            if columns is not None:
                yield columns, position
            progress(min(1.0, (index + 1) / listing.count))

    def _value_rows(self, starts: Iterator[_Start]) -> Iterator[Row]:
        """Yield the rows of positions between turns, with the values of all seats from the mover on."""
        solution, playable = self.solution, self.playable
        while batch := list(islice(starts, POSITIONS_AT_ONCE)):
            value_table = solution.value_table_for(batch[0][1])
            positions = [position for _, position in batch]
            values = seat_values_of(solution.problem, value_table, positions).values.tolist()
            for (columns, position), values_by_seat in zip(batch, values, strict=True):
                seats = playable.seats_from(playable.player_to_move(position))
                own_value, *other_values = (values_by_seat[seat] for seat in seats)
                other_columns = {f"value_{number}": value for number, value in enumerate(other_values, 2)}
                yield {**columns, "value": own_value, **other_columns}

    def _decider_for(self, start: Any) -> Decider:
        """Return the decider of a turn; the same one as long as one value table covers the turns."""
        value_table = self.solution.value_table_for(start)
        if self._decider is None or self._decider.value_table is not value_table:
            is_before_roll = self.detail == "throws"
            self._decider = Decider(self.solution.restricted_to(start), is_before_roll, self._query.only)
        return self._decider

    def to_frame(self, progress: ProgressCallback = lambda share: None) -> pandas.DataFrame:
        """Return the rows as a pandas data frame (``pip install keepwise[arrow]``).

        Numbers are plain int64; a column in which a number is missing is Int64, with ``pandas.NA`` there.
        """
        require_library("pandas", "data frames need pandas", "arrow")
        import pandas

        frame = pandas.DataFrame(list(self.rows(progress)), columns=[column.name for column in self.columns])
        numbers = [column.name for column in self.columns if column.type is int]
        return frame.astype({name: "Int64" if frame[name].hasnans else "int64" for name in numbers})


class _DecisionEncoder:
    """Lists the decisions of groups of turns as blocks of rows.

    What turns have in common is encoded once: the columns of decisions, and those of choices in words.
    """

    def __init__(self, query: RowPlan) -> None:
        """Keep the columns; nothing is encoded yet.

        Args:
            query: which rows are wanted.
        """
        self._query = query
        self._encoder = RowEncoder(query.columns)
        self._columns_of_name = {column.name: column for column in query.columns}
        # What is encoded last is kept, because the next turns mostly have the same decisions and choices.
        self._decisions: Sequence[Any] = ()  # the decisions to which ``_listed_rows`` and ``_inside`` belong
        self._listed_rows = np.empty(0, dtype=np.int64)  # the indices of the decisions that have the wanted values
        self._inside = dict[str, ColumnValues]()  # (listed decisions,) by column
        self._pool: Sequence[Choice[Any]] = ()  # the choices to which ``_choices`` belongs
        self._choices = dict[str, ColumnValues]()  # (pool,) by column

    def blocks(self, decider: Decider, starts: Sequence[_Start]) -> Iterator[RowBlock]:
        """Yield the rows of turns that offer the same choices, in blocks; none if no decision has the wanted values.

        Args:
            decider: finds the best choices in these turns.
            starts: the columns and the positions in which the turns begin.
        """
        first = 0
        for decided in decider.decide_turns([position for _, position in starts]):
            end = first + len(decided.turns.error_bounds)
            self._encode_decisions(decided.turns.decisions)
            if len(self._listed_rows):
                yield self._block(decided, starts[first:end])
            first = end

    def _block(self, turn_decisions: TurnDecisions, starts: Sequence[_Start]) -> RowBlock:
        """Return one row for every listed decision of every turn, turn by turn, as a block.

        Args:
            turn_decisions: the decisions of the turns, with their best choices.
            starts: the columns and the positions in which the turns begin.
        """
        turns, indices = turn_decisions.turns, self._listed_rows
        self._encode_choices(turns.pool)
        turn_of_row = np.repeat(np.arange(len(starts)), len(indices))
        decision_of_row = np.tile(np.arange(len(indices)), len(starts))
        rows = {name: column.take(turn_of_row) for name, column in self._encode_starts(starts).items()}
        rows |= {name: column.take(decision_of_row) for name, column in self._inside.items()}
        # Arrays (decisions, turns) are transposed and flattened, so that rows run turn by turn.
        best = turns.pool_index[turn_decisions.best[indices].T.ravel()]
        rows |= {name: column.take(best) for name, column in self._choices.items()}
        rows["value"] = ColumnValues(turn_decisions.value[indices].T.ravel())
        second = turn_decisions.second[indices].T.ravel()
        has_none = second < 0
        runner_up = np.where(has_none, MISSING, self._choices["action"].values[turns.pool_index[second]])
        rows["runner_up"] = ColumnValues(runner_up, self._choices["action"].pool)
        rows["cost"] = ColumnValues(turn_decisions.cost[indices].T.ravel(), None, has_none if has_none.any() else None)
        rows["tie"] = ColumnValues(turn_decisions.tie[indices].T.ravel())
        return RowBlock(len(turn_of_row), {column.name: rows[column.name] for column in self._query.columns})

    def _encode_starts(self, starts: Sequence[_Start]) -> dict[str, ColumnValues]:
        """Return the columns of the positions between turns: (starts,) by column."""
        return self._encode_rows([columns for columns, _ in starts])

    def _encode_rows(self, rows: Sequence[Row]) -> dict[str, ColumnValues]:
        """Return rows, all with the same columns, as arrays by column name: (rows,) each."""
        return {
            name: self._encoder.encode(self._columns_of_name[name], [row[name] for row in rows]) for name in rows[0]
        }

    def _encode_decisions(self, decisions: Sequence[Any]) -> None:
        """Set ``_listed_rows`` and ``_inside`` for some decisions, unless they belong to the same object already."""
        if decisions is self._decisions:
            return
        playable = self._query.playable
        rows = [position_columns(playable, decision, inside=True) for decision in decisions]
        self._listed_rows = np.array(
            [index for index, row in enumerate(rows) if self._query.meets(row)], dtype=np.int64
        )
        self._inside = self._encode_rows([rows[index] for index in self._listed_rows]) if len(self._listed_rows) else {}
        self._decisions = decisions

    def _encode_choices(self, pool: Sequence[Choice[Any]]) -> None:
        """Set ``_choices`` to the columns of all choices in a pool, unless it was done and the pool has not grown."""
        if pool is self._pool and len(self._choices["action"].values) == len(pool):
            return
        rows = [
            {
                "action": choice.action,
                "then": choice.follow_up.value,
                "keep": " ".join(choice.keep),
                "points": choice.points,
                "dice_left": choice.dice_left,
            }
            for choice in pool
        ]
        self._choices, self._pool = self._encode_rows(rows), pool


def _format_value(field: Field, value: Any) -> Any:
    """Return the value of a field as its column shows it: numbers and dice joined by spaces, names by commas."""
    if field.kind in (FieldKind.DICE, FieldKind.NUMBERS):
        return " ".join(map(str, value))
    return ", ".join(value) if field.kind is FieldKind.NAMES else value


def _sort_dice(dice: str | None) -> list[str]:
    """Return the dice of a column, a text with spaces between them, in an order that does not depend on theirs."""
    return sorted((dice or "").split())
