/* Turns in whole numbers, rounded down or up as is asked: what proofs are computed with. They share nothing with the
 * kernels that solve but lanes (lanes.h), registers (each_width.h) and how a turn is told (push_kernel.h).
 *
 * An amount x is told as x + KW_WHOLE_ZERO, 0 for what may not be, so that all are below 2 ** 63 and none is negative.
 * Sums and maxima are exact; only the division of a throw by the sum of its weights rounds. With that sum below 2 ** 31
 * the halves of an amount are weighed apart, in 64 bits; else in 128 (`__int128`, which GCC and Clang have on all
 * systems of 64 bits, and this file needs no more than that). Weights that fit neither are told in parts of 2 ** 60,
 * too small for lanes that round down and too large for the others: amounts told so are never negative.
 */
#ifndef KW_WHOLE_KERNEL_H
#define KW_WHOLE_KERNEL_H

#include "push_kernel.h"

#define KW_WHOLE_ZERO ((int64_t)1 << 62)

typedef struct { /* of a push-your-luck turn, whose own weights are not read, and whose `keeps` are masks: -1 or 0 */
    const int64_t *total;     /* [throws] sum of the weights, below 2 ** 62 */
    const int64_t *weight[2]; /* [classes] for lanes that round down, and up; the same where they fit */
    int32_t most_off;         /* most points one choice takes off */
    int64_t stride;           /* lanes, a multiple of KW_LANES */
    const int64_t *payoff;    /* [endings][stride] */
    const int32_t *cap;       /* [stride] with so many points whoever may stop does */
    const int64_t *up;        /* [stride] 1: round up, 0: down */
    const int64_t *open;      /* [stride] what is open where a table ends in a mode that must throw */
    const int64_t *more;      /* [modes][stride] what going on beyond the cap can bring, over what stopping pays */
    int32_t past;             /* so far beyond the caps tables go on; banks are paid for one throw further */
    int32_t rows;             /* of `inner` */
    int64_t *value;           /* [stride] */
    int64_t *inner;           /* NULL, or [modes][rows][stride] */
} kw_whole_push_job;

/* Numbers of scratch that one thread needs for caps up to `top`. */
int64_t kw_whole_push_scratch(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t top);

/* Solve blocks first, first + step, ... of the job's lanes. */
void kw_whole_push_solve(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t first, int64_t step,
                         int64_t *scratch);

typedef struct { /* a turn of keeping dice, on the lattice of partial throws (keep_kernel.h) */
    int32_t nodes, first_full, faces, throws;
    const int32_t *child;        /* [first_full][faces] the node with one die more */
    const int32_t *parent_start; /* [nodes + 1] into parents */
    const int32_t *parent;       /* nodes with one die fewer */
    const int64_t *weight;       /* [faces] below 2 ** 62, as their sum */
    int64_t total;               /* 2 at least */
    const int64_t *gain;         /* [columns][full throws] added by entering a throw in a column; -1: not allowed */
    const int32_t *shift;        /* [columns][full throws] places that the axis moves */
} kw_whole_keep;

typedef struct { /* amounts as they are; -1: none. Below 2 ** 62, or if the faces weigh the same 2 ** 63 / faces */
    int64_t width;               /* of a row, at least KW_LANES */
    const int64_t *after;        /* [rows][width] */
    const int64_t *option_start; /* [problems + 1] */
    const int32_t *column;       /* of an option */
    const int64_t *row;          /* what it leads to */
    const int32_t *from, *to;    /* the full throws that it is for */
    int64_t blocks;
    const int64_t *problem;      /* of a block, for the last throw */
    const int64_t *early;        /* NULL, or [throws - 1][blocks] problems for the throws before it */
    const int64_t *lane;         /* of a block: place of its first lane on the axis */
    int32_t up;                  /* 1: round up, 0: down */
    int64_t *value;              /* [blocks][KW_LANES]; -1 first where a throw fits no option */
} kw_whole_keep_job;

/* Solve blocks first, first + step, ...; scratch: (nodes + 1) * KW_LANES numbers. */
void kw_whole_keep_solve(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step,
                         int64_t *scratch);

#endif
