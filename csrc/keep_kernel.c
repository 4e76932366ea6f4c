/* See keep_kernel.h. The vector code is in keep_lanes.h. */
#include "keep_kernel.h"

#include <math.h>

#include "lanes.h"

#define OPTIONS_AT_ONCE 8 /* options that are evaluated and compared together */

int64_t kw_keep_scratch(const kw_keep_turn *turn) {
    return ((int64_t)turn->nodes + OPTIONS_AT_ONCE * turn->max_kinds + 1) * KW_LANES; /* one more for alignment */
}

/* Return the index from 0 to `last` that is closest to a place on the axis. */
KW_INLINE int64_t clamp_place(int64_t place, int64_t last) {
    return place < 0 ? 0 : place > last ? last : place;
}

/* Return the values after the turn, [KW_LANES], if a full roll of some kind is entered by an option. lane: the place of the
 * first lane on the axis before the roll shifts it. */
KW_INLINE const double *values_after(const kw_keep_turn *turn, const kw_keep_job *job, int64_t option, int64_t lane,
                                     int32_t kind) {
    int64_t row = turn->hop ? job->row_of_place[job->row[option] + turn->hop[kind]] : job->row[option];
    return job->after + row * job->width + clamp_place(lane + turn->shift[kind], job->width - KW_LANES);
}

#define KW_FILE "keep_lanes.h"
#include "each_width.h"

void kw_keep_solve(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                   double *scratch) {
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    int is_fair = 1;
    for (int f = 1; f < turn->faces; f++)
        is_fair &= turn->chance[f] == turn->chance[0];
    KW_PICK(solve)(turn, job, first, last, step, table, is_fair);
}

void kw_keep_flow(const kw_keep_turn *turn, const double *inner, int32_t lane, double tie, double *chances,
                  double *scratch) {
    int32_t full_rolls = turn->nodes - turn->first_full;
    /* By node: the probability of keeping these dice, the best value of what can be kept of them, and the node that is
     * kept. */
    double *flow = scratch, *best = scratch + turn->nodes, *best_keep = scratch + 2 * (int64_t)turn->nodes;
    for (int32_t m = 0; m < full_rolls; m++) /* after the first roll */
        chances[m] = turn->weight[m];
    /* A full roll that is kept whole is worth what entering it as the last roll is. */
    const double *last_values = inner + (int64_t)(turn->rolls - 1) * turn->nodes * KW_LANES + lane;
    for (int roll = 1; roll < turn->rolls; roll++) { /* keep dice after this roll, and roll the others */
        const double *values = inner + (int64_t)roll * turn->nodes * KW_LANES + lane;
        best[0] = values[0], best_keep[0] = 0, flow[0] = 0;
        const int32_t *parent = turn->parent;
        for (int32_t i = 0, run = 0; i < turn->nodes - 1; i++) { /* a node after its parents, which have one die less */
            int32_t n = turn->rising[i];
            run += i == turn->run_end[run];
            double keep_all = (n < turn->first_full ? values : last_values)[(int64_t)n * KW_LANES];
            best[n] = keep_all, best_keep[n] = 0, flow[n] = 0;
            const int32_t *end = parent + turn->run_parents[run];
            for (const int32_t *p = parent; p < end; p++)
                best[n] = best[*p] > best[n] ? best[*p] : best[n];
            for (; parent < end; parent++)
                if (best[*parent] >= best[n] - tie && best_keep[*parent] > best_keep[n])
                    best_keep[n] = best_keep[*parent];
            if (keep_all >= best[n] - tie)
                best_keep[n] = n;
        }
        for (int32_t m = 0; m < full_rolls; m++)
            flow[(int32_t)best_keep[turn->first_full + m]] += chances[m];
        for (int32_t n = 0; n < turn->first_full; n++)
            for (int f = 0; f < turn->faces; f++)
                flow[turn->child[(int64_t)n * turn->faces + f]] += flow[n] * turn->chance[f];
        memcpy(chances, flow + turn->first_full, full_rolls * sizeof(double));
    }
}
