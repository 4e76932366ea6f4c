"""Change a stored table, and check that an impossible value is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import keepwise as kw
from keepwise.storage import table_files
from keepwise.storage.table_files import FORMAT


def forge(path: Path, head: dict, arrays: dict) -> None:
    """Write a table with any contents and a correct checksum."""
    full = {"format": FORMAT, **head}
    full["checksum"] = table_files.table_checksum(full, arrays)
    np.savez(path, head=np.frombuffer(json.dumps(full).encode(), dtype=np.uint8), **arrays)


def check_impossible_values(solution, impossible, tmp_path):
    """Check that a table is loaded, and refused if a value of any array is out of range."""
    file, specs = tmp_path / "x.npz", solution.problem.array_specs()
    solution.save(file)
    assert kw.load(file).value() == solution.value()
    assert specs.keys() == solution.value_table.arrays.keys()
    for name in (name for name, spec in specs.items() if spec.fixed_values is None):
        for wrong in (impossible, np.nan, np.inf, -np.inf, -1e9):
            array = np.array(solution.value_table.arrays[name])
            array[(0,) * array.ndim] = wrong
            forge(file, dict(solution.head), {**solution.value_table.arrays, name: array})
            with pytest.raises(kw.TableError, match="impossible value"):
                kw.load(file)
