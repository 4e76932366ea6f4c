#include "keep_kernel.h"

#include <math.h>

#include "lanes.h"

#define TOGETHER 8 /* options entered at a time */

int64_t kw_keep_scratch(const kw_keep_turn *turn) {
    return ((int64_t)turn->nodes + TOGETHER * turn->most_kinds + 1) * KW_LANES; /* one more to align them */
}

KW_INLINE int64_t within(int64_t place, int64_t most) {
    return place < 0 ? 0 : place > most ? most : place;
}

/* What an option leads to, from a throw of a kind. */
KW_INLINE const double *leads_to(const kw_keep_turn *turn, const kw_keep_job *job, int64_t option, int64_t lane,
                                 int32_t kind) {
    int64_t row = turn->hop ? job->place[job->row[option] + turn->hop[kind]] : job->row[option];
    return job->after + row * job->width + within(lane + turn->shift[kind], job->width - KW_LANES);
}

#define KW_FILE "keep_lanes.h"
#include "each_width.h"

void kw_keep_solve(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                   double *scratch) {
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    int fair = 1;
    for (int f = 1; f < turn->faces; f++)
        fair &= turn->chance[f] == turn->chance[0];
    KW_PICK(solve)(turn, job, first, last, step, table, fair);
}

void kw_keep_flow(const kw_keep_turn *turn, const double *inner, int32_t lane, double tie, double *chances,
                  double *scratch) {
    int32_t full = turn->nodes - turn->first_full;
    double *flow = scratch, *best = scratch + turn->nodes, *kept = scratch + 2 * (int64_t)turn->nodes;
    for (int32_t m = 0; m < full; m++)
        chances[m] = turn->weight[m];
    const double *ended = inner + (int64_t)(turn->throws - 1) * turn->nodes * KW_LANES + lane;
    for (int throw = 1; throw < turn->throws; throw++) {
        const double *worth = inner + (int64_t)throw * turn->nodes * KW_LANES + lane;
        best[0] = worth[0], kept[0] = 0, flow[0] = 0;
        const int32_t *parent = turn->parent;
        for (int32_t i = 0, run = 0; i < turn->nodes - 1; i++) {
            int32_t n = turn->rising[i];
            run += i == turn->run_end[run];
            double whole = (n < turn->first_full ? worth : ended)[(int64_t)n * KW_LANES];
            best[n] = whole, kept[n] = 0, flow[n] = 0;
            const int32_t *end = parent + turn->run_parents[run];
            for (const int32_t *one = parent; one < end; one++)
                best[n] = best[*one] > best[n] ? best[*one] : best[n];
            for (; parent < end; parent++)
                if (best[*parent] >= best[n] - tie && kept[*parent] > kept[n])
                    kept[n] = kept[*parent];
            if (whole >= best[n] - tie)
                kept[n] = n;
        }
        for (int32_t m = 0; m < full; m++)
            flow[(int32_t)kept[turn->first_full + m]] += chances[m];
        for (int32_t n = 0; n < turn->first_full; n++)
            for (int f = 0; f < turn->faces; f++)
                flow[turn->child[(int64_t)n * turn->faces + f]] += flow[n] * turn->chance[f];
        memcpy(chances, flow + turn->first_full, full * sizeof(double));
    }
}
