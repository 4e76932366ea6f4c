"""Blocks of rows: consecutive rows as columns, in which millions of rows are computed and written.

Texts repeat from row to row, so a column of texts holds indices into a ``TextPool``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Row = dict[str, Any]

ROWS_PER_BATCH = 20_000  # of rows that are made one by one, in memory at a time
MISSING = -1  # the index of a text that a row does not have


@dataclass(frozen=True)
class Column:
    """The name and the type of a column."""

    name: str
    type: type


@dataclass
class TextPool:
    """The different texts of a column, each with an index, in the order in which they were added.

    Attributes:
        texts: the texts by index.
    """

    texts: list[str] = field(default_factory=list)
    _index_of_text: dict[str, int] = field(default_factory=dict)

    def index(self, text: str | None) -> int:
        """Return the index of a text, which is added if it is new; ``MISSING`` for None."""
        if text is None:
            return MISSING
        index = self._index_of_text.setdefault(text, len(self.texts))
        if index == len(self.texts):
            self.texts.append(text)
        return index

    def indices(self, texts: Iterable[str | None]) -> NDArray[np.int32]:
        """Return the indices of texts, which are added if they are new; ``MISSING`` for None: (texts,)."""
        return np.fromiter(map(self.index, texts), dtype=np.int32)


class ColumnValues(NamedTuple):
    """The values of one column.

    Attributes:
        values: (rows,), numbers, or the indices of texts in ``pool``.
        pool: the texts; None for numbers.
        is_missing: (rows,), True for numbers that a row does not have; None if all have one.
    """

    values: NDArray[Any]
    pool: TextPool | None = None
    is_missing: NDArray[np.bool_] | None = None

    def take(self, indices: Any) -> ColumnValues:
        """Return the values of some rows, which may repeat."""
        is_missing = None if self.is_missing is None else self.is_missing[indices]
        return ColumnValues(self.values[indices], self.pool, is_missing)

    def to_list(self) -> list[Any]:
        """Return the values as Python objects; None where a row has none."""
        values: list[Any] = self.values.tolist()
        if self.pool is not None:
            texts = self.pool.texts
            return [None if index == MISSING else texts[index] for index in values]
        if self.is_missing is not None:
            return [None if missing else value for value, missing in zip(values, self.is_missing.tolist(), strict=True)]
        return values


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows of a table, stored by column.

    Attributes:
        count: the number of rows.
        columns: the values by the name of their column, in the order of the columns.
    """

    count: int
    columns: dict[str, ColumnValues]

    def rows(self) -> Iterator[Row]:
        """Yield the rows one at a time."""
        names = list(self.columns)
        for values in zip(*(column.to_list() for column in self.columns.values()), strict=True):
            yield dict(zip(names, values, strict=True))


class RowEncoder:
    """Encodes rows as blocks of columns. The blocks of one encoder share one pool of texts for each column."""

    def __init__(self, columns: Sequence[Column]) -> None:
        """Keep the columns, with an empty pool of texts for each column of texts.

        Args:
            columns: the columns of the rows, in their order.
        """
        self.columns = tuple(columns)
        self._pools = {column.name: TextPool() for column in columns if column.type is str}

    def encode(self, column: Column, values: Sequence[Any]) -> ColumnValues:
        """Return some values of one column as arrays.

        Args:
            column: the column.
            values: texts or numbers of the column's type; None where a row has none.
        """
        if column.type is str:
            pool = self._pools[column.name]
            return ColumnValues(pool.indices(values), pool)
        is_missing = np.array([value is None for value in values], dtype=bool)
        numbers = [0 if value is None else value for value in values]
        types = {int: np.int64, float: np.float64, bool: np.bool_}
        array: NDArray[Any] = np.array(numbers, dtype=types[column.type])
        return ColumnValues(array, None, is_missing if is_missing.any() else None)

    def block(self, rows: Sequence[Row]) -> RowBlock:
        """Encode some rows as one block."""
        columns = {column.name: self.encode(column, [row[column.name] for row in rows]) for column in self.columns}
        return RowBlock(len(rows), columns)

    def blocks(self, rows: Iterator[Row]) -> Iterator[RowBlock]:
        """Encode rows in blocks of ``ROWS_PER_BATCH`` rows; the last may be shorter."""
        while batch := list(islice(rows, ROWS_PER_BATCH)):
            yield self.block(batch)
