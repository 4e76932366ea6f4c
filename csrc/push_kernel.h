/* The push-your-luck kernel: one turn as a decision process over modes and turn points, for many lanes at once.
 *
 * Let V[m, t] be the value before a roll in mode m with t turn points, and P the payoff of the endings. A mode offers one or
 * more rolls a; a roll falls into classes c of weight w_c, which offer choices j:
 *
 *     V[m, t] = max( P[bank_m + t],  max_a  sum_c w_c / W_a  max_j V[next_j, t'] ),    W_a = sum_c w_c,
 *     t' = t + added_j if the choice keeps the turn points,  added_j otherwise.
 *
 * Modes are solved in groups, a group after all groups that it leads to; within a group every choice adds points. So one pass
 * over the groups, with t descending from the cap, solves the turn: O(rows x choices) per lane. From the cap on modes that
 * may bank do so; modes that may not are solved by value iteration (`forced_passes`).
 *
 * Channel 0 is maximized. The other channels are evaluated along the choices made for channel 0.
 * turns/push_turn.py makes and checks the arrays. page/src/kernel.ts repeats the layout of kw_push_turn by hand.
 */
#ifndef KW_PUSH_KERNEL_H
#define KW_PUSH_KERNEL_H

#include <stdint.h>

#define KW_MAX_CHANNELS 8 /* channels of one call */

typedef struct {
    int32_t modes;               /* number of modes: decision points before a roll */
    int32_t specials;            /* endings 0 .. specials - 1; ending 0 is the bust. The bank endings follow. */
    int32_t groups;              /* number of groups of modes */
    int32_t start_mode;          /* the turn begins in this mode, with no turn points */
    int32_t forbid_above_cap;    /* 1: a choice may not pass the cap; 0: points above the cap count as the cap */
    int32_t max_added_points;    /* the most points that one choice adds */
    int32_t forced_passes;       /* most passes of value iteration over the modes that cannot bank, from the cap on */
    const int32_t *group_start;  /* [groups + 1] into mode_order */
    const int32_t *mode_order;   /* [modes] in solving order */
    const int32_t *bank_ending;  /* [modes] ending of a bank of 0 points; t points: bank_ending + t. -1: no bank */
    const int32_t *min_bank;     /* [modes] the fewest turn points that may be banked */
    const int32_t *max_points;   /* [modes] the most turn points that can occur; rows above are not solved */
    const int32_t *roll_start;   /* [modes + 1] into rolls: the ways to go on */
    const int32_t *class_start;  /* [rolls + 1] into classes */
    const double *total_weight;  /* [rolls] sum of the weights of the classes */
    const double *weight;        /* [classes] number of ordered rolls in the class, a whole number */
    const int32_t *choice_start; /* [classes + 1] into choices */
    const int32_t *next;         /* [choices] the next mode, or modes + e for the special ending e */
    const int32_t *added_points; /* [choices] negative: points are deducted, but never below 0 */
    const int32_t *keeps_points; /* [choices] 1: the turn points are kept, 0: they are lost */
} kw_push_turn;

/* Lanes to solve. `lanes` is a multiple of KW_LANES. */
typedef struct {
    const double *payoff;    /* [channels][endings][lanes]; with sliding banks [channels][specials][lanes] */
    const int32_t *cap;      /* [lanes] all rows from the cap on have one value */
    int64_t lanes;
    int32_t channels;
    int32_t endings;
    int32_t rows;            /* turn points 0 .. rows - 1; at least the largest cap + max_added_points + 1 */
    double *value;           /* [channels][lanes] result */
    double *inner;           /* NULL, or [channels][modes][rows][lanes] result: V */
    int16_t *decisions;      /* NULL, or [rows][modes + classes][lanes]. A mode: 0 to bank, or the number of the roll
                                from 1 on. A class: the choice, or -1 if none is allowed */
    int32_t follow;          /* 1: read and follow the decisions; 0: write the best decisions */
    const double *sliding;   /* NULL, or [channels][sliding_width]: the payoff of bank ending e in lane l is at
                                e - specials + l, because lanes are adjacent places on an axis that points move along */
    int64_t sliding_width;
} kw_push_job;

/* Return the doubles of scratch that kw_push_solve needs in one thread. */
int64_t kw_push_scratch(const kw_push_turn *turn, const kw_push_job *job);

/* Solve the turn in the blocks first, first + step, first + 2 step, ... of the job's lanes. Threads share blocks by step. */
void kw_push_solve(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch);

/* Return the bytes of the SIMD registers that the kernels use on this processor. */
int kw_push_registers(void);

#endif
