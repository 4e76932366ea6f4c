#include "push_kernel.h"

#include <math.h>

#include "lanes.h"

/* Scratch of a block: table[slot][row][channel][lane]. Slots 0 .. modes-1 hold the value before a throw in that mode
 * with `row` points in hand; slot `modes` holds the special endings, one to a row; slot modes + 1 holds, one to a row,
 * the value of every mode beyond the cap. One more block of channels at the end collects an expectation. */

int64_t kw_push_scratch(const kw_push_turn *turn, const kw_push_job *job) {
    int64_t slots = (int64_t)turn->modes * job->rows + turn->specials + turn->modes;
    return slots * job->channels * KW_LANES;
}

typedef struct {
    double *table;
    const double *specials;
    double *over;
    int64_t lane; /* first lane of the block */
    int64_t cell; /* doubles in one cell: channels x lanes */
} block;

KW_INLINE double *at(const block *b, const kw_push_job *job, int mode, int64_t points) {
    return b->table + ((int64_t)mode * job->rows + points) * b->cell;
}

KW_INLINE const double *payoff(const kw_push_job *job, const block *b, int channel, int64_t ending) {
    return job->payoff + ((int64_t)channel * job->endings + ending) * job->stride + b->lane;
}

/* Where choice j leads with `points` in hand: a cell of the table. `points` < 0 stands for beyond the cap. */
KW_INLINE const double *leads_to(const kw_push_turn *turn, const kw_push_job *job, const block *b, int j, int64_t points) {
    int next = turn->next[j];
    if (next >= turn->modes)
        return b->specials + (next - turn->modes) * b->cell;
    if (points < 0 && turn->keeps[j])
        return b->over + next * b->cell;
    return at(b, job, next, (turn->keeps[j] ? points : 0) + turn->add[j]);
}

/* One throw with `points` in hand: expectation over its classes of the best choice, all channels. */
KW_INLINE void throw_value(const kw_push_turn *turn, const kw_push_job *job, const block *b, const int channels,
                           const int forbid, int throw, int64_t points, int16_t *decision, kw_lanes *sum) {
    for (int k = 0; k < channels; k++)
        sum[k] = (kw_lanes){0};
    for (int c = turn->class_start[throw]; c < turn->class_start[throw + 1]; c++) {
        int first = turn->choice_start[c], last = turn->choice_start[c + 1];
        kw_lanes best[KW_CHANNELS];
        const double *cell = leads_to(turn, job, b, first, points);
        for (int k = 0; k < channels; k++)
            KW_LOAD(best[k], cell + k * KW_LANES);
        for (int j = first + 1; j < last; j++) {
            cell = leads_to(turn, job, b, j, points);
            kw_lanes other;
            KW_LOAD(other, cell);
            kw_mask better = other > best[0];
            best[0] = KW_SELECT(better, other, best[0]);
            for (int k = 1; k < channels; k++) {
                KW_LOAD(other, cell + k * KW_LANES);
                best[k] = KW_SELECT(better, other, best[k]);
            }
        }
        if (decision) /* the first choice that reaches the best; -1: none may be made */
            for (int l = 0; l < KW_LANES; l++) {
                int j = first;
                while (j < last - 1 && leads_to(turn, job, b, j, points)[l] != best[0][l])
                    j++;
                decision[c * job->stride + l] = (int16_t)(best[0][l] == -INFINITY ? -1 : j - first);
            }
        if (forbid) /* every choice would pass the cap: the throw counts as a bust */
            for (int l = 0; l < KW_LANES; l++)
                if (best[0][l] == -INFINITY)
                    for (int k = 0; k < channels; k++)
                        best[k][l] = b->specials[k * KW_LANES + l];
        for (int k = 0; k < channels; k++)
            sum[k] += turn->weight[c] * best[k];
    }
    for (int k = 0; k < channels; k++)
        sum[k] /= turn->total[throw];
}

/* Value before a throw: the best of stopping, where it is offered, and each way to go on. */
KW_INLINE void mode_value(const kw_push_turn *turn, const kw_push_job *job, const block *b, const int channels,
                          const int forbid, int mode, int64_t points, int stop, int16_t *decision, kw_lanes *best) {
    int16_t *classes = decision ? decision + turn->modes * job->stride : NULL;
    int16_t chosen[KW_LANES] = {0};
    int actions = 0; /* compared so far */
    for (int k = 0; k < channels; k++)
        best[k] = (kw_lanes){0};
    if (stop) {
        for (int k = 0; k < channels; k++)
            KW_LOAD(best[k], payoff(job, b, k, turn->bank[mode] + points));
        actions = 1;
    }
    for (int a = turn->throw_start[mode]; a < turn->throw_start[mode + 1]; a++) {
        kw_lanes sum[KW_CHANNELS];
        throw_value(turn, job, b, channels, forbid, a, points, classes, sum);
        kw_mask better = sum[0] > best[0];
        if (!actions)
            better = (kw_mask){0} - 1;
        for (int l = 0; decision && l < KW_LANES; l++)
            if (!actions || sum[0][l] > best[0][l])
                chosen[l] = (int16_t)(a - turn->throw_start[mode] + 1);
        for (int k = 0; k < channels; k++)
            best[k] = KW_SELECT(better, sum[k], best[k]);
        actions++;
    }
    if (decision)
        memcpy(decision + mode * job->stride, chosen, sizeof chosen);
}

/* The same for given decisions, lane by lane. */
KW_INLINE void follow_value(const kw_push_turn *turn, const kw_push_job *job, const block *b, int mode, int64_t points,
                            const int16_t *decision, kw_lanes *best) {
    const int16_t *classes = decision + turn->modes * job->stride;
    for (int l = 0; l < KW_LANES; l++) {
        int action = decision[mode * job->stride + l];
        if (action == 0 && turn->bank[mode] < 0) /* nobody can stop here */
            action = 1;
        if (action == 0) {
            for (int k = 0; k < job->channels; k++)
                best[k][l] = payoff(job, b, k, turn->bank[mode] + points)[l];
            continue;
        }
        int throw = turn->throw_start[mode] + action - 1;
        for (int k = 0; k < job->channels; k++)
            best[k][l] = 0;
        for (int c = turn->class_start[throw]; c < turn->class_start[throw + 1]; c++) {
            int choice = classes[c * job->stride + l];
            const double *cell =
                choice < 0 ? b->specials : leads_to(turn, job, b, turn->choice_start[c] + choice, points);
            for (int k = 0; k < job->channels; k++)
                best[k][l] += turn->weight[c] * cell[k * KW_LANES + l];
        }
        for (int k = 0; k < job->channels; k++)
            best[k][l] /= turn->total[throw];
    }
}

/* The value of a group's modes beyond the cap: nobody goes there, or whoever can stop there does. */
KW_INLINE void beyond_cap(const kw_push_turn *turn, const kw_push_job *job, const block *b, const int channels, int group) {
    kw_lanes value[KW_CHANNELS];
    int from = turn->group_start[group], to = turn->group_start[group + 1];
    for (int i = from; i < to; i++) {
        int m = turn->order[i];
        for (int k = 0; k < channels; k++)
            for (int l = 0; l < KW_LANES; l++) {
                double v = k == 0 ? -INFINITY : 0;
                if (!turn->forbid)
                    v = turn->bank[m] < 0 ? payoff(job, b, k, 0)[l]
                                          : payoff(job, b, k, turn->bank[m] + job->cap[b->lane + l])[l];
                b->over[m * b->cell + k * KW_LANES + l] = v;
            }
    }
    for (int pass = 0; !turn->forbid && pass < turn->over_passes; pass++)
        for (int i = from; i < to; i++) {
            int m = turn->order[i];
            if (turn->bank[m] >= 0)
                continue;
            mode_value(turn, job, b, channels, 0, m, -1, 0, NULL, value);
            for (int k = 0; k < channels; k++)
                KW_STORE(b->over + m * b->cell + k * KW_LANES, value[k]);
        }
}

KW_INLINE void solve(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch,
                     const int channels, const int forbid, const int decide) {
    for (int64_t n = first; n * KW_LANES < job->stride; n += step) {
        block b = {.table = scratch, .lane = n * KW_LANES, .cell = channels * KW_LANES};
        double *specials = scratch + (int64_t)turn->modes * job->rows * b.cell;
        b.specials = specials;
        b.over = specials + turn->specials * b.cell;
        const int32_t *cap = job->cap + b.lane;
        int64_t top = 0;
        for (int l = 0; l < KW_LANES; l++)
            top = cap[l] > top ? cap[l] : top;
        for (int e = 0; e < turn->specials; e++)
            for (int k = 0; k < channels; k++)
                memcpy(specials + e * b.cell + k * KW_LANES, payoff(job, &b, k, e), sizeof(kw_lanes));

        int nodes = turn->modes + turn->class_start[turn->throw_start[turn->modes]];
        for (int g = 0; g < turn->groups; g++) {
            beyond_cap(turn, job, &b, channels, g);
            for (int i = turn->group_start[g]; i < turn->group_start[g + 1]; i++)
                for (int64_t t = top; t <= top + turn->max_add; t++)
                    memcpy(at(&b, job, turn->order[i], t), b.over + turn->order[i] * b.cell, b.cell * sizeof(double));
            for (int64_t t = top - 1; t >= 0; t--) {
                int16_t *decision = decide ? job->decision + t * nodes * job->stride + b.lane : NULL;
                for (int i = turn->group_start[g]; i < turn->group_start[g + 1]; i++) {
                    int m = turn->order[i];
                    if (t > turn->most[m])
                        continue;
                    double *cell = at(&b, job, m, t);
                    kw_lanes value[KW_CHANNELS];
                    if (decide && job->follow)
                        follow_value(turn, job, &b, m, t, decision, value);
                    else
                        mode_value(turn, job, &b, channels, forbid, m, t, turn->bank[m] >= 0 && t >= turn->bank_from[m],
                                   decision, value);
                    for (int k = 0; k < channels; k++)
                        KW_STORE(cell + k * KW_LANES, value[k]);
                    for (int l = 0; l < KW_LANES; l++)
                        if (t >= cap[l])
                            for (int k = 0; k < channels; k++)
                                cell[k * KW_LANES + l] = b.over[m * b.cell + k * KW_LANES + l];
                }
            }
        }

        for (int k = 0; k < channels; k++) {
            const double *cell = top > 0 ? at(&b, job, turn->start, 0) : b.over + turn->start * b.cell;
            memcpy(job->value + k * job->stride + b.lane, cell + k * KW_LANES, sizeof(kw_lanes));
            if (job->inner)
                for (int m = 0; m < turn->modes; m++)
                    for (int64_t t = 0; t < job->rows; t++) {
                        int solved = t <= top + turn->max_add && (t <= turn->most[m] || t >= top);
                        const double *from = solved ? at(&b, job, m, t) : b.over + m * b.cell;
                        memcpy(job->inner + (((int64_t)k * turn->modes + m) * job->rows + t) * job->stride + b.lane,
                               from + k * KW_LANES, sizeof(kw_lanes));
                    }
        }
    }
}

/* The common numbers of channels get code of their own, so that their blocks stay in registers. */
KW_WIDE void kw_push_solve(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch) {
    if (job->decision)
        solve(turn, job, first, step, scratch, job->channels, turn->forbid, 1);
    else if (job->channels == 1)
        solve(turn, job, first, step, scratch, 1, turn->forbid, 0);
    else if (job->channels == 2 && !turn->forbid)
        solve(turn, job, first, step, scratch, 2, 0, 0);
    else
        solve(turn, job, first, step, scratch, job->channels, turn->forbid, 0);
}
