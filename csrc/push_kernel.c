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
    int64_t held = (turn->keeps[j] ? points : 0) + turn->add[j];
    return at(b, job, next, held < 0 ? 0 : held); /* nobody holds less than nothing */
}

/* The same for given decisions, lane by lane. */
KW_INLINE void follow_value(const kw_push_turn *turn, const kw_push_job *job, const block *b, int mode, int64_t points,
                            const int16_t *decision, double *best) {
    const int16_t *classes = decision + turn->modes * job->stride;
    for (int l = 0; l < KW_LANES; l++) {
        int action = decision[mode * job->stride + l];
        if (action == 0 && turn->bank[mode] < 0) /* nobody can stop here */
            action = 1;
        if (action == 0) {
            for (int k = 0; k < job->channels; k++)
                best[k * KW_LANES + l] = payoff(job, b, k, turn->bank[mode] + points)[l];
            continue;
        }
        int throw = turn->throw_start[mode] + action - 1;
        for (int k = 0; k < job->channels; k++)
            best[k * KW_LANES + l] = 0;
        for (int c = turn->class_start[throw]; c < turn->class_start[throw + 1]; c++) {
            int choice = classes[c * job->stride + l];
            const double *cell =
                choice < 0 ? b->specials : leads_to(turn, job, b, turn->choice_start[c] + choice, points);
            for (int k = 0; k < job->channels; k++)
                best[k * KW_LANES + l] += turn->weight[c] * cell[k * KW_LANES + l];
        }
        for (int k = 0; k < job->channels; k++)
            best[k * KW_LANES + l] /= turn->total[throw];
    }
}

#define KW_FILE "push_lanes.h"
#include "each_width.h"

void kw_push_solve(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch) {
    KW_PICK(solve)(turn, job, first, step, scratch);
}

int kw_push_registers(void) { return KW_REGISTERS; }
