/* Turns in exact integer arithmetic, rounded down or up on request: the arithmetic of certificates.
 *
 * Maxima, sums and products are exact. Only the division of a roll by its total weight rounds, down or up, so the result is a
 * proved lower or upper bound of the turn's value. For independence, these kernels share nothing with the kernels that
 * solve, except lanes (lanes.h), register widths (each_width.h) and the arrays of a turn (push_kernel.h).
 *
 * Push-your-luck turns. An amount x is a whole number of units, stored as x + KW_WHOLE_ZERO; 0 is -infinity (not allowed).
 * So stored amounts are non-negative, and at most KW_WHOLE_LIMIT. The mean of a roll is computed in one of four ways:
 *
 *     total weight < 2 ** 18    as below, and quotients are guessed in doubles and corrected by their remainders
 *     total weight < 2 ** 31    both 32-bit halves of an amount are weighted separately, in 64 bits
 *     total weight < 2 ** 62    in __int128, which GCC and Clang have on all 64-bit systems
 *     larger                    weights are rescaled to a total of 2 ** 60: rounded down in lanes that round down, and up
 *                               in lanes that round up. That is sound because stored amounts are non-negative.
 */
#ifndef KW_WHOLE_KERNEL_H
#define KW_WHOLE_KERNEL_H

#include "push_kernel.h"

#define KW_WHOLE_LANES 16 /* lanes of a push-your-luck turn that are solved together */
#define KW_WHOLE_ZERO ((int64_t)1 << 62)
#define KW_WHOLE_LIMIT 0x7fefffffffffffff /* the bits of the largest finite double */

/* Lanes of a push-your-luck turn. The turn's own weights are not read, and its keeps_points are masks: -1 or 0. */
typedef struct {
    const int64_t *total_weight; /* [rolls] below 2 ** 62 */
    const int64_t *weight[2];    /* [classes] for lanes that round down, and for lanes that round up */
    int32_t max_deduction;       /* the most points that one choice deducts */
    int64_t lanes;               /* a multiple of KW_WHOLE_LANES */
    int64_t endings;
    int64_t payoff_stride;       /* at least lanes */
    const int64_t *payoff;       /* [endings][payoff_stride] amounts, not yet as they are stored */
    const int32_t *cap;          /* [lanes] with so many turn points a mode that may bank does so */
    const int64_t *round_up;     /* [lanes] 1: round up, 0: round down */
    const int64_t *end_bound;    /* [lanes] bound for the value at the end of the table in modes that cannot bank */
    const int64_t *cap_bonus;    /* [modes][lanes] bound for what going on beyond the cap can add to a bank */
    int32_t rows_past_cap;       /* by how much the table goes on beyond the caps; payoff has one roll more */
    int32_t inner_rows;          /* rows of `inner` */
    int64_t *value;              /* [lanes] result */
    int64_t *inner;              /* NULL, or [modes][inner_rows][lanes] result */
} kw_whole_push_job;

/* Return the 64-bit integers of scratch that one thread needs for caps up to max_cap. */
int64_t kw_whole_push_scratch(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t max_cap);

/* Solve the blocks first, first + step, ... of the job's lanes. */
void kw_whole_push_solve(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t first, int64_t step,
                         int64_t *scratch);

/* A turn of keeping dice, on the lattice of keep_kernel.h. */
typedef struct {
    int32_t nodes, first_full, faces, rolls;
    const int32_t *child;        /* [first_full][faces] the node with one die more */
    const int32_t *parent_start; /* [nodes + 1] into parent */
    const int32_t *parent;       /* nodes with one die fewer */
    const int64_t *weight;       /* [faces] below 2 ** 62, like their sum */
    int64_t total_weight;        /* at least 2 */
    const int64_t *gain;         /* [columns][full rolls] added by entering a roll in a column; -1: not allowed */
    const int32_t *shift;        /* [columns][full rolls] places that the axis moves */
} kw_whole_keep;

/* Blocks of a turn of keeping dice. Amounts are stored as they are; -1 is none. They are below 2 ** 62, or below
 * 2 ** 63 / faces if all faces have the same weight. */
typedef struct {
    int64_t width;               /* of a row, at least KW_LANES */
    const int64_t *after;        /* [rows][width] values that options lead to */
    const int64_t *option_start; /* [problems + 1] into options */
    const int32_t *column;       /* [options] */
    const int64_t *row;          /* [options] the row of `after` */
    const int32_t *from, *to;    /* [options] for the full rolls from .. to - 1 */
    int64_t blocks;
    const int64_t *problem;      /* [blocks] options for the last roll */
    const int64_t *early;        /* NULL, or [rolls - 1][blocks] problems for ending the turn with an earlier roll */
    const int64_t *lane;         /* [blocks] place of the first lane on the axis */
    int32_t round_up;            /* 1: round up, 0: round down */
    int64_t *value;              /* [blocks][KW_LANES] result; -1 in lane 0 if some full roll has no option */
} kw_whole_keep_job;

/* Solve the blocks first, first + step, ... Scratch: (nodes + 1) x KW_LANES integers. */
void kw_whole_keep_solve(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step,
                         int64_t *scratch);

#endif
