#include "whole_kernel.h"

#include "lanes.h"

/* Scratch of a block: cells of KW_LANES amounts. First the special endings; then for every mode its rows of points in
 * hand, from -most_off (copies of row 0, since nobody holds less than nothing) to top + max_add (copies of row `top`,
 * beyond which all rows are alike); then, as numbers, for every choice the cell to which it leads with no points. */

int64_t kw_whole_push_scratch(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t top) {
    int64_t rows = job->most_off + top + job->past + (job->past ? 2 : 1) * turn->max_add + 1;
    int64_t choices = turn->choice_start[turn->class_start[turn->throw_start[turn->modes]]];
    return (turn->specials + turn->modes * rows + 1) * KW_LANES + choices;
}

typedef struct {
    int64_t *table;
    int64_t *lead;  /* [choices] cell that each leads to */
    int64_t top;    /* last row */
    int64_t rows;   /* of a mode, with those around */
    int64_t before; /* of these, before that of no points */
    int64_t lane;   /* first lane of the block */
    int64_t low[KW_LANES], high[KW_LANES]; /* sums of a throw, by halves */
    int64_t up[KW_LANES];
} block;

KW_INLINE int64_t *row_of(const kw_push_turn *turn, const block *b, int mode, int64_t points) {
    return b->table + (turn->specials + mode * b->rows + b->before + points) * KW_LANES;
}

/* How a walk divides by the faces of fair dice: by two factors, 2 ** 32 over them, and the part that is cut off of it. */
typedef struct {
    int64_t whole, rest, up;
} divisor;

#define KW_FILE "whole_lanes.h"
#include "each_width.h"

void kw_whole_push_solve(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t first, int64_t step,
                         int64_t *scratch) {
    KW_PICK(push)(turn, job, first, step, scratch);
}

void kw_whole_keep_solve(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step,
                         int64_t *scratch) {
    KW_PICK(keep)(turn, job, first, step, (int64_t *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63));
}
