/* One turn of a game of keeping: throw all dice, keep any and throw the rest again, a fixed number of times; then the
 * final throw is entered by one of the options that the problem lists. Solved on the lattice of partial throws.
 *
 * Nodes are the multisets of 0 .. dice dice, by size and then in the order of multiset.pyx, so the full throws stand
 * last. With P[m] the best option for the full throw m, and one throw after another going backwards:
 *
 *     E[k] = sum_f chance[f] E[k + f]     walked down from the full throws: what keeping k is worth before throwing
 *     B[k] = max(E[k], B[k - f])          walked up: the best that can be kept of k
 *
 * Where ending the turn early is worth something else than ending it with the last throw, E[m] of a full throw is what
 * it can be entered for after that throw.
 *
 * A lane is one position on an axis (an opponent's lead, an upper total). What entering a throw leads to is read from
 * rows of values along that axis, `shift` places further on; reading stops at the row's ends, which must repeat. A column
 * tells few kinds of throws apart, so an option is worth few different things, and a throw looks up its own.
 */
#ifndef KW_KEEP_KERNEL_H
#define KW_KEEP_KERNEL_H

#include <stdint.h>

typedef struct {
    int32_t nodes, first_full, faces, throws;
    const int32_t *child;        /* [first_full][faces] the node with one die more */
    int32_t runs;
    const int32_t *rising;       /* [nodes - 1] all nodes but the empty one, by size and then by their number of parents */
    const int32_t *run_end;      /* [runs] of nodes with equally many parents: where each ends in `rising` */
    const int32_t *run_parents;  /* [runs] how many these are */
    const int32_t *parent;       /* the parents of each node of `rising`, one after another: nodes with one die fewer */
    const double *chance;        /* [faces] of one die */
    const double *weight;        /* [nodes - first_full] chance of a full throw */
    const uint16_t *kind;        /* [columns][full throws] of what kind a throw is in a column */
    const int32_t *kind_start;   /* [columns + 1] where the kinds of each column begin */
    int32_t most_kinds;          /* of a column */
    const double *gain;          /* [kinds] added by entering such a throw; -inf: not allowed */
    const int32_t *shift;        /* [kinds] places that the axis moves */
    const int32_t *hop;          /* NULL, or [kinds] added to the row that an option leads to */
} kw_keep_turn;

typedef struct {
    int64_t width;               /* of a row, at least KW_LANES */
    const double *after;         /* [rows][width] */
    const int64_t *option_start; /* [problems + 1] */
    const int32_t *column;       /* of an option */
    const int64_t *row;          /* what it leads to; with hops, a place in `place` before the hop */
    const int64_t *place;        /* with hops: the rows */
    const int32_t *from, *to;    /* the full throws that it is for */
    const int64_t *problem;      /* of a block, for the last throw */
    const int64_t *early;        /* NULL, or [throws - 1][blocks] problems for the throws before it */
    int64_t blocks;
    const int64_t *lane;         /* of a block: place of its first lane on the axis */
    double *value;               /* [blocks][KW_LANES] */
    double *inner;               /* NULL, or [blocks][throws][nodes][KW_LANES]: after throw t, partial throws: what keeping
                                    them is worth; full throws: what they are worth as throw t + 1 */
} kw_keep_job;

/* Doubles of scratch that a call needs. */
int64_t kw_keep_scratch(const kw_keep_turn *turn);

/* Solve the blocks first, first + step, ... below last. */
void kw_keep_solve(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                   double *scratch);

/* Chances of the full throws that a turn ends with, if every keep is the best by `inner` (one block,
 * as above) in lane `lane`; of those that are worth the best less `tie` the last node: the most dice, and of these the
 * higher faces. `scratch`: 3 * nodes doubles. */
void kw_keep_flow(const kw_keep_turn *turn, const double *inner, int32_t lane, double tie, double *chances,
                  double *scratch);

#endif
