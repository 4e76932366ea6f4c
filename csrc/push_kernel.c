/* See push_kernel.h. The vector code is in push_lanes.h. */
#include "push_kernel.h"

#include <math.h>

#include "lanes.h"

/* Destination of a choice: a cell of the table, as an offset in doubles. If the choice keeps the turn points, the offset of
 * the current row is added. */
typedef struct {
    int64_t offset, keep_mask; /* keep_mask: all bits set if the turn points are kept, 0 otherwise */
} destination;

/* Scratch of a block: table[row][mode][channel][KW_LANES].
 *
 *     one row for each number of turn points: V before a roll, by mode
 *     then the special endings, and the value of every mode from the cap on
 *
 * An array of the destinations of all choices follows. A row is read only by the rows of at most max_added_points fewer
 * turn points, if there is one group of modes and every choice keeps the turn points. Then the table holds a window of
 * rows, which moves down as the rows are solved. */

#define MIN_WINDOW_STEP 8 /* rows that are solved before the window moves, at least */
#define SMALL_TABLE 65536 /* bytes of a table that holds all rows, because a window would not make it faster */
#ifndef KW_WINDOW     /* 0: the table always holds all rows, as in the WebAssembly build, whose turns are small */
#define KW_WINDOW 1
#endif

/* Return the number of choices of all modes. Each `.._start` array ends with the length of the list that it points into. */
static int64_t count_choices(const kw_push_turn *turn) {
    return turn->choice_start[turn->class_start[turn->roll_start[turn->modes]]];
}

/* Return how many rows the table holds: all rows of the job, or a window of rows if that is possible and saves memory.
 *
 * A window is possible if there is one group of modes and no choice leads to fewer turn points. Then a row reads only the
 * max_added_points rows above it. */
static int64_t count_table_rows(const kw_push_turn *turn, const kw_push_job *job) {
    /* A move of the window copies max_added_points rows. Moving by at least as many rows keeps that cheap: at most one
     * copied row for each row that is solved. */
    int64_t step = turn->max_added_points > MIN_WINDOW_STEP ? turn->max_added_points : MIN_WINDOW_STEP;
    int64_t window = step + turn->max_added_points + 1;
    int64_t row_bytes = turn->modes * job->channels * KW_LANES * (int64_t)sizeof(double);
    if (!KW_WINDOW || turn->groups > 1 || window >= job->rows || job->rows * row_bytes <= SMALL_TABLE)
        return job->rows;
    for (int64_t j = 0; j < count_choices(turn); j++)
        if (turn->next[j] < turn->modes && (!turn->keeps_points[j] || turn->added_points[j] < 0))
            return job->rows;
    return window;
}

int64_t kw_push_scratch(const kw_push_turn *turn, const kw_push_job *job) {
    int64_t cells = (count_table_rows(turn, job) + 1) * turn->modes + turn->specials;
    return cells * job->channels * KW_LANES + count_choices(turn) * (int64_t)(sizeof(destination) / sizeof(double));
}

/* KW_LANES lanes that are solved together, and their table. A cell holds the values of one mode with one number of turn
 * points: [channels][KW_LANES]. */
typedef struct {
    double *table;     /* [rows][modes] cells */
    double *specials;  /* [specials] cells: the payoffs of the special endings */
    double *above_cap; /* [modes] cells: the values with as many turn points as the cap, or more */
    destination *destinations; /* [choices] */
    int can_deduct;    /* 1: some choice keeps the turn points and deducts from them */
    int64_t lane;      /* first lane of the block */
    int64_t cell_size; /* doubles in one cell: channels x KW_LANES */
    int64_t row_size;  /* doubles in one row: modes x cell_size */
    int64_t rows;      /* rows in the table */
    int64_t first_row; /* turn points of the first of them */
} push_block;

/* Let the table begin with the row of `first_row` turn points, and set the destinations of all choices: offsets from the
 * start of the table to the cells that they lead to.
 *
 * If a choice keeps the turn points, the offset is that of a choice with no turn points, and destination_cell adds the rows
 * of those that the player has. Otherwise it is the same in every row. */
static void set_first_row(const kw_push_turn *turn, push_block *block, int64_t first_row) {
    block->first_row = first_row;
    for (int64_t j = 0; j < count_choices(turn); j++) {
        int is_ending = turn->next[j] >= turn->modes, keeps_points = !is_ending && turn->keeps_points[j];
        int64_t points = turn->added_points[j], offset;
        if (is_ending) /* the special endings follow the rows of the table */
            offset = block->rows * block->row_size + (turn->next[j] - turn->modes) * block->cell_size;
        else {
            if (points < 0 && !keeps_points)
                points = 0; /* turn points are never negative */
            block->can_deduct |= points < 0; /* how far depends on the turn points that are kept: destination_cell */
            offset = (points - first_row) * block->row_size + turn->next[j] * block->cell_size;
        }
        block->destinations[j] = (destination){offset, -(int64_t)keeps_points}; /* -1: all bits set */
    }
}

/* Return a block whose arrays are laid out in `scratch`: the rows of the table, the special endings, the values from the
 * cap on, and the destinations of the choices. */
static push_block init_block(const kw_push_turn *turn, const kw_push_job *job, double *scratch) {
    push_block block = {.table = scratch, .cell_size = job->channels * KW_LANES};
    block.row_size = turn->modes * block.cell_size;
    block.rows = count_table_rows(turn, job);
    block.specials = scratch + block.rows * block.row_size;
    block.above_cap = block.specials + turn->specials * block.cell_size;
    block.destinations = (destination *)(block.above_cap + block.row_size);
    set_first_row(turn, &block, 0);
    return block;
}

/* Return the cell of a mode with `points` turn points, whose row must be in the table. */
KW_INLINE double *cell_of(const push_block *block, int mode, int64_t points) {
    return block->table + (points - block->first_row) * block->row_size + mode * block->cell_size;
}

/* Move the window of rows down, so that the table has the row of `points` turn points and as many rows below it as fit. The
 * row above it must be in the table. The next max_added_points rows above `points` are kept, because choices lead there. */
static void move_window(const kw_push_turn *turn, push_block *block, int64_t points) {
    int64_t kept_rows = turn->max_added_points, first_row = points + 1 + kept_rows - block->rows;
    if (first_row < 0)
        first_row = 0;
    double *source = cell_of(block, 0, points + 1);
    memmove(block->table + (points + 1 - first_row) * block->row_size, source, kept_rows * block->row_size * sizeof(double));
    set_first_row(turn, block, first_row);
}

/* Return the payoff of an ending in the lanes of a block: [KW_LANES]. */
KW_INLINE const double *payoff_of(const kw_push_job *job, const push_block *block, int channel, int64_t ending) {
    return job->payoff + ((int64_t)channel * job->endings + ending) * job->lanes + block->lane;
}

/* Return the payoff of a bank of `points` in a mode, in the lanes of a block: [KW_LANES]. With sliding banks all lanes read
 * one array, each at its own place, and bank endings are counted from the end of the special endings. */
static const double *bank_payoff(const kw_push_turn *turn, const kw_push_job *job, const push_block *block, int channel,
                                 int mode, int64_t points) {
    int64_t ending = turn->bank_ending[mode] + points;
    if (job->sliding)
        return job->sliding + channel * job->sliding_width + ending - turn->specials + block->lane;
    return payoff_of(job, block, channel, ending);
}

/* Return the cell that choice j leads to. points: the turn points before the choice, or -1 for the cap and above. From
 * there a choice that keeps the turn points stays above the cap. Deducted points never leave less than 0. */
KW_INLINE const double *destination_cell(const kw_push_turn *turn, const kw_push_job *job, const push_block *block, int j,
                                         int64_t points) {
    destination to = block->destinations[j];
    if (points < 0 && to.keep_mask)
        return block->above_cap + turn->next[j] * block->cell_size;
    if (block->can_deduct && to.keep_mask && points + turn->added_points[j] < 0)
        return cell_of(block, turn->next[j], 0);
    return block->table + to.offset + (to.keep_mask & points * block->row_size); /* without a branch, for speed */
}

/* Compute the value before the roll in a mode, if the player follows given decisions, which may differ between lanes.
 *
 * points: the turn points, or -1 for the cap and above.
 * decisions: of this row, from the first lane of the block on: [modes + roll classes][job->lanes]. A mode has 0 for a bank,
 *     or the number of its roll from 1 on. A roll class has the index of a choice, or -1 if none is allowed, which is a
 *     bust.
 * value: written, one cell: [channels][KW_LANES]. */
static void follow_decisions(const kw_push_turn *turn, const kw_push_job *job, const push_block *block, int mode,
                             int64_t points, const int16_t *decisions, double *value) {
    const int16_t *class_choices = decisions + turn->modes * job->lanes;
    for (int l = 0; l < KW_LANES; l++) {
        int action = decisions[mode * job->lanes + l];
        if (action == 0 && turn->bank_ending[mode] < 0) /* this mode has no bank, so the first roll is made */
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
