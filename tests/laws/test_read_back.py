"""What is written is read back: a value table with the same head and the same answers, pickled ones too."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import subjects

import keepwise as kw


@pytest.mark.checks(least=2, share=0.85)
@pytest.mark.cases(fast=105, slow=60)
@subjects.each(subjects.questions())
def test_a_table_is_read_back(question, tmp_path, tally):
    solution, path = question.solution, tmp_path / "table.npz"
    solution.save(path)
    for again in kw.load(path), pickle.loads(pickle.dumps(solution)):
        assert again.head == solution.head
        tally.add()
        for name, array in solution.value_table.arrays.items():
            assert np.array_equal(again.value_table.arrays[name], array)
            tally.add()
