# cython: language_level=3, boundscheck=False, wraparound=False
"""Turns of many hands of dice for the most expected points: the interface to ``hands_kernel.c``."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

include "arrays.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "hands_kernel.h":
    int KW_MAX_HAND

    ctypedef struct kw_hand_rolls:
        int32_t classes
        const int32_t *class_of_roll
        const int32_t *best_points

    ctypedef struct kw_hand_choices:
        int32_t classes
        int32_t offers
        const int32_t *merged
        const int32_t *offer_mask
        const int32_t *offer_points
        const int32_t *choice_start
        const int32_t *choice

    ctypedef struct kw_hand_tables:
        int32_t dice
        int32_t faces
        int32_t max_points
        kw_hand_rolls rolls[9]
        kw_hand_choices choices[9][9]

    ctypedef struct kw_hand_banks:
        int32_t min_bank
        int32_t max_rows
        double goal

    ctypedef struct kw_hand_lap:
        int32_t rows
        const int32_t *points
        const int32_t *next_row

    int64_t kw_hands_scratch(const kw_hand_tables *tables) nogil
    int64_t kw_hands_bound_scratch(const kw_hand_tables *tables, int32_t grid_size) nogil
    int64_t kw_hands_lap_scratch(const kw_hand_tables *tables, const kw_hand_lap *laps) nogil
    int64_t kw_hands_solve(
        const kw_hand_tables *tables, const kw_hand_banks *banks, const double *weight, const uint8_t *is_alike,
        double *value, double *bust, double *scratch
    ) nogil
    int64_t kw_hands_bound(
        const kw_hand_tables *tables, const kw_hand_banks *banks, const int32_t *grid, int32_t grid_size,
        const double *weight, const uint8_t *is_alike, double *bound, double *bust, double *scratch
    ) nogil
    int64_t kw_hands_lap_bound(
        const kw_hand_tables *tables, const kw_hand_lap *laps, const kw_hand_banks *banks, double excess,
        const double *weight, const uint8_t *is_alike, double *bound, double *scratch
    ) nogil

LANES = KW_LANES  # hands that are solved together
MAX_DICE = KW_MAX_HAND  # dice of the largest hand


cdef class HandsKernel:
    """The tables of rolls that all hands of a game share. The kernel keeps references to all arrays, not copies.

    Args:
        faces: the number of faces of a die.
        rolls: by number of dice from 1 on, an object with the int32 arrays of ``kw_hand_rolls``.
        choices: by number of dice from 1 on, and by level from 1 on, an object with the int32 arrays of
            ``kw_hand_choices``; ``hands_kernel.h`` explains them.
        laps: by number of dice from 1 on, an object with the int32 arrays of ``kw_hand_lap``; empty if ``lap_bound``
            is not called. For ``lap_bound`` alone ``choices`` need level 1 only.
    """

    cdef kw_hand_tables tables
    cdef kw_hand_lap laps[9]
    cdef object references

    def __init__(self, int faces, rolls, choices, laps):
        cdef kw_hand_rolls *of_rolls
        cdef kw_hand_choices *of_choices
        if len(rolls) > MAX_DICE:
            raise ValueError(f"a hand has at most {MAX_DICE} dice")
        self.references = rolls, choices, laps
        self.tables.dice = len(rolls)
        self.tables.faces = faces
        self.tables.max_points = 0
        for dice, arrays in enumerate(rolls, 1):
            of_rolls = &self.tables.rolls[dice]
            of_rolls.classes = len(arrays.best_points)
            of_rolls.class_of_roll = ints(arrays.class_of_roll)
            of_rolls.best_points = ints(arrays.best_points) if len(arrays.best_points) else NULL
            self.tables.max_points = max(self.tables.max_points, max(arrays.best_points, default=0))
            for level, by_level in enumerate(choices[dice - 1], 1):
                of_choices = &self.tables.choices[dice][level]
                of_choices.classes = len(by_level.choice_start) - 1
                of_choices.offers = len(by_level.offer_mask)
                of_choices.choice_start = ints(by_level.choice_start)
                if not of_choices.offers:
                    continue  # every roll is a bust
                of_choices.merged = ints(by_level.merged) if len(by_level.merged) else NULL
                of_choices.offer_mask = ints(by_level.offer_mask)
                of_choices.offer_points = ints(by_level.offer_points)
                of_choices.choice = ints(by_level.choice) if len(by_level.choice) else NULL
        for dice, lap in enumerate(laps, 1):
            self.laps[dice].rows = len(lap.points)
            self.laps[dice].points = ints(lap.points) if len(lap.points) else NULL
            self.laps[dice].next_row = ints(lap.next_row) if len(lap.next_row) else NULL

    def solve(
        self, const double[:, :, :, ::1] weights, const uint8_t[:, ::1] is_alike, int min_bank, double goal, int max_rows,
        double[:, ::1] values, double[:, ::1] bust_chances, int64_t[::1] rows
    ):
        """Solve blocks of hands without the GIL. The caller checks the shapes.

        Args:
            weights: (blocks, dice, faces, LANES) whole numbers: how many sides of each die show a face. Their products
                over all dice must stay below 2 ** 53.
            is_alike: (blocks, dice) whether a die has the weights of the die before it, in every lane.
            min_bank: fewer turn points bank nothing. All points are in units of the game.
            goal: the most that a bank is worth; infinite without a limit.
            max_rows: the most turn points that are tabulated.
            values: (blocks, LANES) written: the expected points; NaN for blocks that need more turn points.
            bust_chances: (blocks, LANES) written: the smallest probability of a bust of any dice that are rolled.
            rows: (blocks,) written: the turn points of the table.
        """
        cdef kw_hand_banks banks
        banks.min_bank = min_bank
        banks.goal = goal
        banks.max_rows = max_rows
        cdef double[::1] scratch = np.empty(kw_hands_scratch(&self.tables))
        cdef int64_t block
        with nogil:
            for block in range(weights.shape[0]):
                rows[block] = kw_hands_solve(
                    &self.tables, &banks, &weights[block, 0, 0, 0], &is_alike[block, 0], &values[block, 0],
                    &bust_chances[block, 0], &scratch[0]
                )

    def bound(
        self, const double[:, :, :, ::1] weights, const uint8_t[:, ::1] is_alike, int min_bank, const int32_t[::1] grid,
        int max_rows, double[:, ::1] bounds, double[:, ::1] bust_chances, int64_t[::1] rows
    ):
        """Compute upper bounds for blocks of hands without a goal and without the GIL. The caller checks the shapes.

        Args:
            weights: see ``solve``, like all that is not explained here.
            is_alike: (blocks, dice).
            min_bank: fewer turn points bank nothing.
            grid: turn points in ascending order: 0 and 1, all up to ``min_bank``, and any others.
            max_rows: the most turn points that ``solve`` tabulates.
            bounds: (blocks, LANES) written: upper bounds of the expected points, but for rounding; infinite for blocks
                that need more turn points.
            bust_chances: (blocks, LANES) written.
            rows: (blocks,) written: the turn points of the table of ``solve``.
        """
        cdef kw_hand_banks banks
        banks.min_bank = min_bank
        banks.goal = float("inf")
        banks.max_rows = max_rows
        cdef double[::1] scratch = np.empty(kw_hands_bound_scratch(&self.tables, <int32_t>grid.shape[0]))
        cdef int64_t block
        with nogil:
            for block in range(weights.shape[0]):
                rows[block] = kw_hands_bound(
                    &self.tables, &banks, &grid[0], <int32_t>grid.shape[0], &weights[block, 0, 0, 0],
                    &is_alike[block, 0], &bounds[block, 0], &bust_chances[block, 0], &scratch[0]
                )

    def lap_bound(
        self, const double[:, :, :, ::1] weights, const uint8_t[:, ::1] is_alike, int min_bank, double goal, int max_rows,
        double excess, double[:, ::1] bounds, int64_t[::1] rows
    ):
        """Compute bounds of one lap for blocks of hands without the GIL. The caller checks the shapes.

        Args:
            weights: see ``solve``, like all that is not explained here.
            is_alike: (blocks, dice).
            min_bank: fewer turn points bank nothing.
            goal: the most that a bank is worth.
            max_rows: the most turn points that ``solve`` tabulates.
            excess: the number E of ``hands_kernel.h``.
            bounds: (blocks, LANES) written: upper bounds of the expected points, but for rounding, where they are at
                most ``excess``; infinite for blocks that need more turn points.
            rows: (blocks,) written: the turn points of the table of ``solve``.
        """
        cdef kw_hand_banks banks
        banks.min_bank = min_bank
        banks.goal = goal
        banks.max_rows = max_rows
        cdef double[::1] scratch = np.empty(kw_hands_lap_scratch(&self.tables, self.laps))
        cdef int64_t block
        with nogil:
            for block in range(weights.shape[0]):
                rows[block] = kw_hands_lap_bound(
                    &self.tables, self.laps, &banks, excess, &weights[block, 0, 0, 0], &is_alike[block, 0],
                    &bounds[block, 0], &scratch[0]
                )
