/* See push_kernel.h. The vector code is in push_lanes.h. */
#include "push_kernel.h"

#include <math.h>

#include "lanes.h"

/* Destination of a choice: a cell of the table, as an offset in doubles. If the choice keeps the turn points, the offset of
 * the current row is added. */
typedef struct {
    int64_t offset, keep_mask; /* keep_mask: all bits set if the turn points are kept, 0 otherwise */
} destination;

/* Scratch of a block: table[slot][row][channel][KW_LANES].
 *
 *     slot 0 .. modes - 1    V before a roll in that mode, one row for each number of turn points
 *     slot modes             the special endings, one row each
 *     after these            the value of every mode from the cap on, one row each
 *
 * An array of the destinations of all choices follows. */

static int64_t count_choices(const kw_push_turn *turn) {
    return turn->choice_start[turn->class_start[turn->roll_start[turn->modes]]];
}

int64_t kw_push_scratch(const kw_push_turn *turn, const kw_push_job *job) {
    int64_t table_rows = (int64_t)turn->modes * job->rows + turn->specials + turn->modes;
    return table_rows * job->channels * KW_LANES + count_choices(turn) * (int64_t)(sizeof(destination) / sizeof(double));
}

typedef struct {
    double *table;
    double *specials;
    double *above_cap; /* [modes] cells */
    destination *destinations;
    int can_deduct;    /* some choice deducts points */
    int64_t lane;      /* first lane of the block */
    int64_t cell_size; /* doubles in one cell: channels x KW_LANES */
} push_block;

/* Set up a block in scratch. */
static push_block init_block(const kw_push_turn *turn, const kw_push_job *job, double *scratch) {
    push_block block = {.table = scratch, .cell_size = job->channels * KW_LANES};
    block.specials = scratch + (int64_t)turn->modes * job->rows * block.cell_size;
    block.above_cap = block.specials + turn->specials * block.cell_size;
    block.destinations = (destination *)(block.above_cap + turn->modes * block.cell_size);
    for (int64_t j = 0; j < count_choices(turn); j++) {
        int is_ending = turn->next[j] >= turn->modes, keeps_points = !is_ending && turn->keeps_points[j];
        int64_t slot = is_ending ? turn->modes : turn->next[j],
                row = is_ending ? turn->next[j] - turn->modes : turn->added_points[j];
        if (row < 0 && !keeps_points)
            row = 0; /* turn points are never negative */
        block.destinations[j] = (destination){(slot * job->rows + row) * block.cell_size, -(int64_t)keeps_points};
        block.can_deduct |= row < 0;
    }
    return block;
}

KW_INLINE double *cell_of(const push_block *block, const kw_push_job *job, int mode, int64_t points) {
    return block->table + ((int64_t)mode * job->rows + points) * block->cell_size;
}

KW_INLINE const double *payoff_of(const kw_push_job *job, const push_block *block, int channel, int64_t ending) {
    return job->payoff + ((int64_t)channel * job->endings + ending) * job->lanes + block->lane;
}

/* Return the payoff of a bank in a mode. */
static const double *bank_payoff(const kw_push_turn *turn, const kw_push_job *job, const push_block *block, int channel,
                                 int mode, int64_t points) {
    int64_t ending = turn->bank_ending[mode] + points;
    if (job->sliding)
        return job->sliding + channel * job->sliding_width + ending - turn->specials + block->lane;
    return payoff_of(job, block, channel, ending);
}

/* Return the cell that choice j leads to. points: the turn points, or -1 for the cap and above. */
KW_INLINE const double *destination_cell(const kw_push_turn *turn, const kw_push_job *job, const push_block *block, int j,
                                         int64_t points) {
    destination to = block->destinations[j];
    if (points < 0 && to.keep_mask)
        return block->above_cap + turn->next[j] * block->cell_size;
    if (block->can_deduct && to.keep_mask && points + turn->added_points[j] < 0)
        return cell_of(block, job, turn->next[j], 0);
    return block->table + to.offset + (to.keep_mask & points * block->cell_size);
}

/* Compute V in a mode along given decisions, which may differ between lanes. value: written, one cell. */
static void follow_decisions(const kw_push_turn *turn, const kw_push_job *job, const push_block *block, int mode,
                             int64_t points, const int16_t *decisions, double *value) {
    const int16_t *class_choices = decisions + turn->modes * job->lanes;
    for (int l = 0; l < KW_LANES; l++) {
        int action = decisions[mode * job->lanes + l];
        if (action == 0 && turn->bank_ending[mode] < 0) /* this mode has no bank */
            action = 1;
        if (action == 0) {
            for (int k = 0; k < job->channels; k++)
                value[k * KW_LANES + l] = bank_payoff(turn, job, block, k, mode, points)[l];
            continue;
        }
        int roll = turn->roll_start[mode] + action - 1;
        for (int k = 0; k < job->channels; k++)
            value[k * KW_LANES + l] = 0;
        for (int c = turn->class_start[roll]; c < turn->class_start[roll + 1]; c++) {
            int choice = class_choices[c * job->lanes + l];
            const double *cell =
                choice < 0 ? block->specials : destination_cell(turn, job, block, turn->choice_start[c] + choice, points);
            for (int k = 0; k < job->channels; k++)
                value[k * KW_LANES + l] += turn->weight[c] * cell[k * KW_LANES + l];
        }
        for (int k = 0; k < job->channels; k++)
            value[k * KW_LANES + l] /= turn->total_weight[roll];
    }
}

#ifndef KW_DECISIONS /* 0: leave out the code for decisions, as the WebAssembly build does */
#define KW_DECISIONS 1
#endif
#define KW_FILE "push_lanes.h"
#include "each_width.h"

void kw_push_solve(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch) {
    KW_PICK(solve)(turn, job, first, step, scratch);
}

int kw_push_registers(void) { return KW_REGISTERS; }
