/* See whole_kernel.h. The vector code is in whole_lanes.h. */
#include "whole_kernel.h"

#include "lanes.h"

/* Scratch of a block: cells of KW_WHOLE_LANES amounts.
 *
 *     the special endings and the banks
 *     for every mode its rows: rows -max_deduction .. -1 are copies of row 0, since turn points are never negative;
 *     rows after `last_row` are copies of it, since all rows from there on are equal
 *     for every mode the value of its best roll in some row, the highest row that it leads to, and the most points added
 *     for every choice a pointer to the cell that it leads to from 0 turn points, in the room of an integer */

int64_t kw_whole_push_scratch(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t max_cap) {
    int64_t rows = job->max_deduction + max_cap + job->rows_past_cap +
                   (job->rows_past_cap ? 2 : 1) * turn->max_added_points + 1;
    int64_t choices = turn->choice_start[turn->class_start[turn->roll_start[turn->modes]]];
    return (job->endings + turn->modes * (rows + 1) + 1) * KW_WHOLE_LANES + 2 * turn->modes + choices;
}

/* KW_WHOLE_LANES lanes of a push-your-luck turn that are solved together, and their table. A row is a number of turn points. */
typedef struct {
    int64_t *payoff;       /* [endings][KW_WHOLE_LANES] what they are worth, first the special ones */
    int64_t *table;        /* the rows of the modes */
    int64_t *roll_above;   /* [modes][KW_WHOLE_LANES] the value of the best roll of the row in which the mode rolled last */
    int64_t *roll_row;     /* [modes] the highest row that a choice of that roll leads to */
    int64_t *most_added;   /* [modes] the most points that a choice of the mode adds */
    int64_t first_fall;    /* the lowest row with a greater value than the row above it, in any mode and lane so far */
    int64_t **destination; /* [choices] cell that each leads to from 0 turn points */
    int64_t last_row;      /* the number of turn points from which on all rows are equal */
    int64_t rows;          /* rows of a mode, with the copies */
    int64_t rows_below;    /* rows before the row of 0 turn points */
    int64_t lane;          /* first lane of the block */
    int64_t round_up[KW_WHOLE_LANES];
    int64_t cap[KW_WHOLE_LANES];
} whole_block;

/* Return the amounts of a mode with `points` turn points: [KW_WHOLE_LANES]. */
KW_INLINE int64_t *cell_of(const whole_block *block, int mode, int64_t points) {
    return block->table + (mode * block->rows + block->rows_below + points) * KW_WHOLE_LANES;
}

/* Return the amounts of a bank of `points` turn points in a mode: [KW_WHOLE_LANES]. */
KW_INLINE const int64_t *bank_of(const kw_push_turn *turn, const whole_block *block, int mode, int64_t points) {
    return block->payoff + (turn->bank_ending[mode] + points) * KW_WHOLE_LANES;
}

/* Return the quotient of a dividend and a divisor, and replace the dividend by the remainder.
 *
 * reciprocal: (2 ** 64 - 1) / divisor, rounded down. The high half of its product with the dividend is the quotient or one
 * less. So a multiplication and a comparison take the place of a division, which is slower. */
KW_INLINE uint64_t divide(uint64_t *dividend, uint64_t divisor, uint64_t reciprocal) {
    uint64_t quotient = (uint64_t)((unsigned __int128)reciprocal * *dividend >> 64);
    uint64_t remainder = *dividend - quotient * divisor, is_one_less = remainder >= divisor;
    *dividend = remainder - (is_one_less ? divisor : 0);
    return quotient + is_one_less;
}

/* The reciprocal of the number of faces as whole / 2 ** 32 + fraction / 2 ** 64, rounded down. */
typedef struct {
    int64_t whole, fraction, round_up; /* round_up: added to a mean, 0 if it is rounded down */
} face_divisor;

#define KW_FILE "whole_lanes.h"
#include "each_width.h"

void kw_whole_push_solve(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t first, int64_t step,
                         int64_t *scratch) {
    KW_PICK(solve_push)(turn, job, first, step, scratch);
}

void kw_whole_keep_solve(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step,
                         int64_t *scratch) {
    KW_PICK(solve_keep)(turn, job, first, step, (int64_t *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63));
}
