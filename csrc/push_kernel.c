#include "push_kernel.h"

#include <math.h>

#include "lanes.h"

/* Where a choice leads: a cell of the table, so many doubles from its beginning and, if the points in hand are kept, as
 * many cells further. */
typedef struct {
    int64_t place, keeps; /* keeps: all bits, or none */
} lead;

/* Scratch of a block: table[slot][row][channel][lane]. Slots 0 .. modes-1 hold the value before a throw in that mode
 * with `row` points in hand; slot `modes` holds the special endings, one to a row; slot modes + 1 holds, one to a row,
 * the value of every mode beyond the cap. Then, of every choice, where it leads. */

static int64_t choices(const kw_push_turn *turn) {
    return turn->choice_start[turn->class_start[turn->throw_start[turn->modes]]];
}

int64_t kw_push_scratch(const kw_push_turn *turn, const kw_push_job *job) {
    int64_t slots = (int64_t)turn->modes * job->rows + turn->specials + turn->modes;
    return slots * job->channels * KW_LANES + choices(turn) * (int64_t)(sizeof(lead) / sizeof(double));
}

typedef struct {
    double *table;
    double *specials;
    double *over;
    lead *leads;
    int lowers;   /* some choice takes points off */
    int64_t lane; /* first lane of the block */
    int64_t cell; /* doubles in one cell: channels x lanes */
} block;

/* The first block, in its scratch. */
static block block_in(const kw_push_turn *turn, const kw_push_job *job, double *scratch) {
    block b = {.table = scratch, .cell = job->channels * KW_LANES};
    b.specials = scratch + (int64_t)turn->modes * job->rows * b.cell;
    b.over = b.specials + turn->specials * b.cell;
    b.leads = (lead *)(b.over + turn->modes * b.cell);
    for (int64_t j = 0; j < choices(turn); j++) {
        int ends = turn->next[j] >= turn->modes, kept = !ends && turn->keeps[j];
        int64_t slot = ends ? turn->modes : turn->next[j], row = ends ? turn->next[j] - turn->modes : turn->add[j];
        if (row < 0 && !kept)
            row = 0; /* nobody holds less than nothing */
        b.leads[j] = (lead){(slot * job->rows + row) * b.cell, -(int64_t)kept};
        b.lowers |= row < 0;
    }
    return b;
}

KW_INLINE double *at(const block *b, const kw_push_job *job, int mode, int64_t points) {
    return b->table + ((int64_t)mode * job->rows + points) * b->cell;
}

KW_INLINE const double *payoff(const kw_push_job *job, const block *b, int channel, int64_t ending) {
    return job->payoff + ((int64_t)channel * job->endings + ending) * job->stride + b->lane;
}

/* What stopping in a mode with so many points pays. */
static const double *banked(const kw_push_turn *turn, const kw_push_job *job, const block *b, int channel, int mode,
                               int64_t points) {
    int64_t ending = turn->bank[mode] + points;
    if (job->slide)
        return job->slide + channel * job->width + ending - turn->specials + b->lane;
    return payoff(job, b, channel, ending);
}

/* Where choice j leads with `points` in hand: a cell of the table. `points` < 0 stands for beyond the cap. */
KW_INLINE const double *leads_to(const kw_push_turn *turn, const kw_push_job *job, const block *b, int j, int64_t points) {
    lead to = b->leads[j];
    if (points < 0 && to.keeps)
        return b->over + turn->next[j] * b->cell;
    if (b->lowers && to.keeps && points + turn->add[j] < 0)
        return at(b, job, turn->next[j], 0);
    return b->table + to.place + (to.keeps & points * b->cell);
}

/* The same for given decisions, lane by lane. */
static void follow_value(const kw_push_turn *turn, const kw_push_job *job, const block *b, int mode, int64_t points,
                            const int16_t *decision, double *best) {
    const int16_t *classes = decision + turn->modes * job->stride;
    for (int l = 0; l < KW_LANES; l++) {
        int action = decision[mode * job->stride + l];
        if (action == 0 && turn->bank[mode] < 0) /* nobody can stop here */
            action = 1;
        if (action == 0) {
            for (int k = 0; k < job->channels; k++)
                best[k * KW_LANES + l] = banked(turn, job, b, k, mode, points)[l];
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

#ifndef KW_DECISIONS /* 0: nobody asks for decisions, and their code is left out */
#define KW_DECISIONS 1
#endif
#define KW_FILE "push_lanes.h"
#include "each_width.h"

void kw_push_solve(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch) {
    KW_PICK(solve)(turn, job, first, step, scratch);
}

int kw_push_registers(void) { return KW_REGISTERS; }
