#include "keep_kernel.h"

#include <math.h>

#include "lanes.h"

#define CHUNK 256 /* full throws entered at a time, so that their cells stay in the first cache */

int64_t kw_keep_scratch(const kw_keep_turn *turn, const kw_keep_job *job) {
    return ((int64_t)turn->nodes * job->channels + 1) * KW_LANES; /* one more to align them */
}

KW_INLINE kw_lanes load(const double *from) {
    kw_lanes block;
    KW_LOAD(block, from);
    return block;
}

KW_INLINE int64_t within(int64_t place, int64_t most) {
    return place < 0 ? 0 : place > most ? most : place;
}

/* The best option of every full throw; the first among equals. */
KW_INLINE void enter(const kw_keep_turn *turn, const kw_keep_job *job, int64_t block, double *full, const int channels) {
    int64_t problem = job->problem[block], lane = job->lane[block], most = job->width - KW_LANES;
    int32_t throws = turn->nodes - turn->first_full;
    const int cell = channels * KW_LANES;
    const kw_lanes none = (kw_lanes){0} - INFINITY;
    for (int32_t begin = 0; begin < throws; begin += CHUNK) {
        int32_t end = begin + CHUNK < throws ? begin + CHUNK : throws;
        for (int32_t m = begin; m < end; m++)
            for (int k = 0; k < channels; k++)
                KW_STORE(full + m * cell + k * KW_LANES, none);
        for (int64_t o = job->option_start[problem]; o < job->option_start[problem + 1]; o++) {
            int32_t from = job->from[o] > begin ? job->from[o] : begin, to = job->to[o] < end ? job->to[o] : end;
            int64_t column = job->column[o];
            const double *gain = turn->gain + column * throws;
            const int32_t *shift = turn->shift + column * throws, *hop = turn->hop ? turn->hop + column * throws : NULL;
            const double *row = job->after + (hop ? job->place[job->row[o]] : job->row[o]) * job->width;
            if (channels == 1 && !turn->moves[column]) {
                kw_lanes same = load(row + within(lane, most));
                for (int32_t m = from; m < to; m++) {
                    kw_lanes worth = same + gain[m], best = load(full + m * cell);
                    best = KW_SELECT(worth > best, worth, best);
                    KW_STORE(full + m * cell, best);
                }
                continue;
            }
            for (int32_t m = from; m < to; m++) {
                if (hop)
                    row = job->after + job->place[job->row[o] + hop[m]] * job->width;
                kw_lanes worth = load(row + within(lane + shift[m], most)) + gain[m], best = load(full + m * cell);
                kw_mask better = worth > best;
                best = KW_SELECT(better, worth, best);
                KW_STORE(full + m * cell, best);
                for (int k = 1; k < channels; k++) {
                    int64_t own = (column + job->gain_of[k]) * throws + m;
                    worth = load(row + k * job->rows * job->width + within(lane + turn->shift[own], most)) + turn->gain[own];
                    best = load(full + m * cell + k * KW_LANES);
                    best = KW_SELECT(better, worth, best);
                    KW_STORE(full + m * cell + k * KW_LANES, best);
                }
            }
        }
    }
}

/* What keeping each partial throw is worth, from the full throws down. */
KW_INLINE void walk_down(const kw_keep_turn *turn, double *table, const int channels, const int faces, const int fair) {
    const int cell = channels * KW_LANES;
    for (int32_t n = turn->first_full - 1; n >= 0; n--) {
        const int32_t *child = turn->child + (int64_t)n * faces;
        for (int k = 0; k < channels; k++) {
            kw_lanes sum = {0};
#pragma GCC unroll 6
            for (int f = 0; f < faces; f++) {
                kw_lanes more = load(table + (int64_t)child[f] * cell + k * KW_LANES);
                sum += fair ? more : more * turn->chance[f];
            }
            if (fair)
                sum *= turn->chance[0];
            KW_STORE(table + (int64_t)n * cell + k * KW_LANES, sum);
        }
    }
}

/* The best that can be kept of each throw, from the empty one up; the most dice among equals. */
KW_INLINE void walk_up(const kw_keep_turn *turn, double *table, const int channels) {
    const int cell = channels * KW_LANES;
    for (int32_t n = 1; n < turn->nodes; n++) {
        double *here = table + (int64_t)n * cell;
        kw_lanes best[KW_KEEP_CHANNELS];
        for (int k = 0; k < channels; k++)
            best[k] = load(here + k * KW_LANES);
        for (int32_t p = turn->parent_start[n]; p < turn->parent_start[n + 1]; p++) {
            const double *fewer = table + (int64_t)turn->parent[p] * cell;
            kw_lanes other = load(fewer);
            kw_mask better = other > best[0];
            best[0] = KW_SELECT(better, other, best[0]);
            for (int k = 1; k < channels; k++)
                best[k] = KW_SELECT(better, load(fewer + k * KW_LANES), best[k]);
        }
        for (int k = 0; k < channels; k++)
            KW_STORE(here + k * KW_LANES, best[k]);
    }
}

KW_INLINE void solve(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                     double *table, const int channels, const int faces, const int fair) {
    const int cell = channels * KW_LANES;
    int64_t size = (int64_t)turn->nodes * cell;
    table = (double *)(((uintptr_t)table + sizeof(kw_lanes) - 1) / sizeof(kw_lanes) * sizeof(kw_lanes));
    for (int64_t block = first; block < last; block += step) {
        double *full = table + (int64_t)turn->first_full * cell;
        enter(turn, job, block, full, channels);
        for (int throw = turn->throws - 1; throw > 0; throw--) {
            walk_down(turn, table, channels, faces, fair);
            if (job->inner)
                memcpy(job->inner + (block * turn->throws + throw) * size, table, size * sizeof(double));
            walk_up(turn, table, channels);
        }
        if (job->inner) /* worth of each full throw as the first one */
            memcpy(job->inner + block * turn->throws * size, table, size * sizeof(double));
        for (int k = 0; k < channels; k++) {
            kw_lanes sum = {0};
            for (int32_t m = 0; m < turn->nodes - turn->first_full; m++)
                sum += load(full + (int64_t)m * cell + k * KW_LANES) * turn->weight[m];
            KW_STORE(job->value + (block * channels + k) * KW_LANES, sum);
        }
    }
}

/* The common shapes get code of their own. */
KW_WIDE void kw_keep_solve(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                           double *scratch) {
    int fair = 1;
    for (int f = 1; f < turn->faces; f++)
        fair &= turn->chance[f] == turn->chance[0];
    if (job->channels == 1 && turn->faces == 6 && fair)
        solve(turn, job, first, last, step, scratch, 1, 6, 1);
    else
        solve(turn, job, first, last, step, scratch, job->channels, turn->faces, fair);
}

void kw_keep_flow(const kw_keep_turn *turn, const double *inner, int32_t channels, int32_t lane, double *chances,
                  double *scratch) {
    int32_t full = turn->nodes - turn->first_full, cell = channels * KW_LANES;
    double *flow = scratch, *best = scratch + turn->nodes, *kept = scratch + 2 * (int64_t)turn->nodes;
    for (int32_t m = 0; m < full; m++)
        chances[m] = turn->weight[m];
    for (int throw = 1; throw < turn->throws; throw++) {
        const double *worth = inner + (int64_t)throw * turn->nodes * cell + lane;
        best[0] = worth[0], kept[0] = 0, flow[0] = 0;
        for (int32_t n = 1; n < turn->nodes; n++) {
            best[n] = worth[(int64_t)n * cell], kept[n] = n, flow[n] = 0;
            for (int32_t p = turn->parent_start[n]; p < turn->parent_start[n + 1]; p++)
                if (best[turn->parent[p]] > best[n])
                    best[n] = best[turn->parent[p]], kept[n] = kept[turn->parent[p]];
        }
        for (int32_t m = 0; m < full; m++)
            flow[(int32_t)kept[turn->first_full + m]] += chances[m];
        for (int32_t n = 0; n < turn->first_full; n++)
            for (int f = 0; f < turn->faces; f++)
                flow[turn->child[(int64_t)n * turn->faces + f]] += flow[n] * turn->chance[f];
        memcpy(chances, flow + turn->first_full, full * sizeof(double));
    }
}
