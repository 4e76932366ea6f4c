/* The keep kernel: one turn of a game in which dice are kept. All dice are rolled, any of them are kept and the others rolled
 * again, a fixed number of times; then the last roll is entered with one of the options of a problem.
 *
 * The turn is solved on the keep lattice. Its nodes are the multisets of 0 .. n dice, ordered by size and then as in
 * util/multiset.py, so the full rolls (n dice) stand last. k + f is node k with one more die of face f. Let P[m] be the value
 * of the best option for the full roll m. Working backwards, one roll after another:
 *
 *     E[m] = P[m]                              for full rolls m
 *     E[k] = sum over f of  chance[f] E[k + f]     the value of keeping k, from the full rolls down
 *     B[k] = max( E[k], max over f in k of B[k - f] )     the best that can be kept of k, from the empty roll up
 *
 * Then B of the full rolls takes the place of P for the roll before. The value is the mean of B, or of P for a single roll,
 * over all first rolls. One roll costs O(nodes x faces) per lane; no table of rolls by kept dice is needed.
 * If it matters after which roll the turn ends, E[m] of a full roll is instead the best option of the problem `early`.
 *
 * Lanes are KW_LANES adjacent places of an axis, such as the lead over an opponent or the upper total of a scorecard. An
 * option for column c that leads to `row` is worth gain + after[row][place + shift]. Places beyond the ends of a row are
 * clamped, so the values at both ends of a row must repeat. A column distinguishes few kinds of full rolls, with one gain and
 * one shift each. So options are evaluated by kind, and every full roll looks up its kind.
 *
 * turns/keep_turn.py makes the arrays. page/src/card_kernel.ts repeats the layout of kw_keep_turn by hand.
 */
#ifndef KW_KEEP_KERNEL_H
#define KW_KEEP_KERNEL_H

#include <stdint.h>

typedef struct {
    int32_t nodes, first_full, faces, rolls;
    const int32_t *child;        /* [first_full][faces] the node with one die more */
    int32_t runs;                /* number of runs: nodes of `rising` in a row that have equally many parents */
    const int32_t *rising;       /* [nodes - 1] all nodes but the empty one, by size and then by number of parents */
    const int32_t *run_end;      /* [runs] end of each run in `rising` */
    const int32_t *run_parents;  /* [runs] number of parents of each of its nodes */
    const int32_t *parent;       /* the parents (one die fewer) of the nodes of `rising`, one node after another */
    const double *chance;        /* [faces] of one die */
    const double *weight;        /* [nodes - first_full] probability of a full roll */
    const uint16_t *kind;        /* [columns][full rolls] kind of the roll in the column, from 0 */
    const int32_t *kind_start;   /* [columns + 1] the first kind of each column, in the arrays by kind */
    int32_t max_kinds;           /* the most kinds of a column */
    const double *gain;          /* [kinds] added by entering such a roll; -infinity: not allowed */
    const int32_t *shift;        /* [kinds] places that the axis moves */
    const int32_t *hop;          /* NULL, or [kinds] added to the row that an option leads to */
} kw_keep_turn;

typedef struct {
    int64_t width;               /* of a row, at least KW_LANES */
    const double *after;         /* [rows][width] values that options lead to */
    const int64_t *option_start; /* [problems + 1] into options */
    const int32_t *column;       /* [options] */
    const int64_t *row;          /* [options] the row of `after`; with hops, the place in row_of_place before the hop */
    const int64_t *row_of_place; /* NULL, or with hops: rows of `after` */
    const int32_t *from, *to;    /* [options] for the full rolls from .. to - 1 */
    const int64_t *problem;      /* [blocks] options for the last roll */
    const int64_t *early;        /* NULL, or [rolls - 1][blocks] problems for ending the turn with an earlier roll */
    int64_t blocks;
    const int64_t *lane;         /* [blocks] place of the first lane on the axis */
    double *value;               /* [blocks][KW_LANES] result */
    double *inner;               /* NULL, or [blocks][rolls][nodes][KW_LANES] result. Entry t after roll t: E of partial rolls;
                                    for full rolls B or P, the value of having rolled them as roll t + 1 */
} kw_keep_job;

/* Return the doubles of scratch that one thread needs. */
int64_t kw_keep_scratch(const kw_keep_turn *turn);

/* Solve the blocks first, first + step, ... below `last`. */
void kw_keep_solve(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                   double *scratch);

/* Compute the probabilities of the full rolls at the end of the turn if the best dice are kept, pushing them forward along
 * the lattice. Ties within `tie` of the best go to the last node: the most dice, and of these the higher faces.
 * inner: of one block, as written by kw_keep_solve. chances: [full rolls] written. scratch: 3 x nodes doubles. */
void kw_keep_flow(const kw_keep_turn *turn, const double *inner, int32_t lane, double tie, double *chances,
                  double *scratch);

#endif
