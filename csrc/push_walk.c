/* See push_walk.h. Groups are visited in reverse solving order, turn points ascending, so a decision point has received all
 * of its probability before it is followed, except from the cap on: there the modes of a group are repeated until less than
 * MIN_PROBABILITY is left in each. */
#include "push_walk.h"

#include "lanes.h"

static const double MIN_PROBABILITY = 0x1p-60; /* smaller probabilities are not followed */

/* KW_LANES lanes, or fewer at the end, that are walked together. */
typedef struct {
    double *pending; /* [modes][rows][KW_LANES] probability of a decision point that still has to be followed */
    int64_t lane;    /* the first lane */
    int lanes;       /* number of lanes */
    int64_t min_cap; /* the smallest cap of the lanes */
} walk_block;

/* Return the pending probability of a mode with `points` turn points: [KW_LANES]. */
KW_INLINE double *cell_of(const kw_push_path *path, const walk_block *block, int mode, int64_t points) {
    return block->pending + ((int64_t)mode * path->rows + points) * KW_LANES;
}

/* Return the largest probability of KW_LANES lanes. */
static double maximum(const double *probability) {
    double largest = 0;
    for (int l = 0; l < KW_LANES; l++)
        largest = probability[l] > largest ? probability[l] : largest;
    return largest;
}

/* Add a probability to what choice j leads to, in lane l of a block: to an ending, or to a mode and turn points.
 *
 * points: the turn points before the choice. More points than the cap count as the cap. If a choice may not pass the cap,
 * but does, return 0; otherwise return 1. */
KW_INLINE int follow_choice(const kw_push_turn *turn, const kw_push_path *path, const walk_block *block, int l, int j,
                            int64_t points, double probability) {
    if (turn->next[j] >= turn->modes) {
        path->ends[(turn->next[j] - turn->modes) * path->lanes + block->lane + l] += probability;
        return 1;
    }
    int64_t next_points = turn->added_points[j] + (turn->keeps_points[j] ? points : 0), cap = path->cap[block->lane + l];
    if (next_points < 0)
        next_points = 0;
    if (turn->forbid_above_cap && next_points >= cap)
        return 0;
    cell_of(path, block, turn->next[j], next_points < cap ? next_points : cap)[l] += probability;
    return 1;
}

/* Add probabilities to what choice j leads to, in all lanes of a block at once, which is faster than one by one.
 *
 * points: the turn points before the choice. probability: [KW_LANES]. Return 0, without any effect, if lanes may lead to
 * different turn points because of their caps, or if points are deducted below 0; otherwise return 1. */
KW_INLINE int follow_choice_together(const kw_push_turn *turn, const kw_push_path *path, const walk_block *block, int j,
                                     int64_t points, const double *probability) {
    double *destination;
    if (turn->next[j] >= turn->modes)
        destination = path->ends + (turn->next[j] - turn->modes) * path->lanes + block->lane;
    else {
        int64_t next_points = turn->added_points[j] + (turn->keeps_points[j] ? points : 0);
        if (next_points < 0 || next_points >= block->min_cap)
            return 0;
        destination = cell_of(path, block, turn->next[j], next_points);
    }
    for (int l = 0; l < block->lanes; l++)
        destination[l] += probability[l];
    return 1;
}

/* Distribute the probability that arrives at a mode with `points` turn points: to endings, and to the modes and turn points
 * that a roll and the decisions after it lead to.
 *
 * arriving: [KW_LANES] the probability in each lane; it is changed. Return 0 if a decision that is reached is not a legal
 * choice, otherwise 1. */
static int follow_mode(const kw_push_turn *turn, const kw_push_path *path, const walk_block *block, int mode, int64_t points,
                       double *arriving) {
    int classes = turn->class_start[turn->roll_start[turn->modes]];
    /* Later rows are like the last one. If all lanes share one lane of decisions, the step to the next lane is 0. */
    int64_t row = points < path->decision_rows ? points : path->decision_rows - 1, lane_step = path->decision_lanes > 1;
    const int16_t *decisions =
        path->decisions + row * (turn->modes + classes) * path->decision_lanes + lane_step * block->lane;
    int rolls[KW_LANES]; /* the roll that each lane makes */
    for (int l = 0; l < block->lanes; l++) { /* banks; what is left goes on with a roll */
        int action = decisions[mode * path->decision_lanes + lane_step * l];
        int64_t lane = block->lane + l;
        if (path->visits)
            path->visits[((int64_t)mode * path->rows + points) * path->lanes + lane] += arriving[l];
        if (turn->bank_ending[mode] >= 0 && (action == 0 || points >= path->cap[lane])) {
            if (arriving[l] > 0)
                path->ends[(turn->bank_ending[mode] + points) * path->lanes + lane] += arriving[l];
            arriving[l] = 0;
        }
        rolls[l] = turn->roll_start[mode] + (action > 0 ? action : 1) - 1;
        if (rolls[l] >= turn->roll_start[mode + 1] && arriving[l] > 0)
            return 0;
    }
    for (int roll = turn->roll_start[mode]; roll < turn->roll_start[mode + 1]; roll++) {
        double per_weight[KW_LANES] = {0};
        for (int l = 0; l < block->lanes; l++)
            if (rolls[l] == roll)
                per_weight[l] = arriving[l] / turn->total_weight[roll];
        if (maximum(per_weight) == 0)
            continue;
        for (int c = turn->class_start[roll]; c < turn->class_start[roll + 1]; c++) {
            const int16_t *choices = decisions + (turn->modes + c) * path->decision_lanes;
            const int first = turn->choice_start[c], end = turn->choice_start[c + 1];
            double probability[KW_LANES];
            int differs = 0;
            for (int l = 0; l < block->lanes; l++) {
                differs |= choices[lane_step * l] ^ choices[0];
                probability[l] = turn->weight[c] * per_weight[l];
            }
            if (!differs && choices[0] >= 0 && first + choices[0] < end &&
                follow_choice_together(turn, path, block, first + choices[0], points, probability))
                continue;
            for (int l = 0; l < block->lanes; l++) {
                int choice = choices[lane_step * l];
                if (probability[l] == 0)
                    continue;
                if (choice < 0) /* no choice is allowed: a bust */
                    path->ends[block->lane + l] += probability[l];
                else if (first + choice >= end ||
                         !follow_choice(turn, path, block, l, first + choice, points, probability[l]))
                    return 0;
            }
        }
    }
    return 1;
}

int64_t kw_push_walk_scratch(const kw_push_turn *turn, const kw_push_path *path) {
    return (int64_t)turn->modes * path->rows * KW_LANES;
}

/* Return the block of up to KW_LANES lanes from `lane` on, in which all probability is at the start of the turn. */
static walk_block start_block(const kw_push_turn *turn, const kw_push_path *path, int64_t lane, double *scratch) {
    walk_block block = {.pending = scratch, .lane = lane, .min_cap = path->rows};
    block.lanes = path->lanes - lane < KW_LANES ? (int)(path->lanes - lane) : KW_LANES;
    for (int l = 0; l < block.lanes; l++)
        block.min_cap = path->cap[lane + l] < block.min_cap ? path->cap[lane + l] : block.min_cap;
    memset(scratch, 0, (size_t)kw_push_walk_scratch(turn, path) * sizeof(double));
    for (int l = 0; l < block.lanes; l++)
        cell_of(path, &block, turn->start_mode, 0)[l] = 1;
    return block;
}

/* Move the pending probabilities of a cell that are large enough to `taken`: [KW_LANES] each. Lanes do not affect each
 * other. */
static void take_pending(double *cell, double *taken) {
    for (int l = 0; l < KW_LANES; l++) {
        taken[l] = cell[l] > MIN_PROBABILITY ? cell[l] : 0;
        cell[l] -= taken[l];
    }
}

/* Follow what is pending in the modes of group g with `points` turn points, until nothing is. It takes more than one pass
 * from the cap on only, where these modes lead to each other. Return 0 if a decision is not legal, otherwise 1. */
static int follow_group(const kw_push_turn *turn, const kw_push_path *path, const walk_block *block, int g, int64_t points) {
    for (int has_pending = 1; has_pending;) {
        has_pending = 0;
        for (int i = turn->group_start[g]; i < turn->group_start[g + 1]; i++) {
            double arriving[KW_LANES];
            take_pending(cell_of(path, block, turn->mode_order[i], points), arriving);
            if (maximum(arriving) == 0)
                continue;
            if (!follow_mode(turn, path, block, turn->mode_order[i], points, arriving))
                return 0;
            has_pending = 1;
        }
    }
    return 1;
}

int kw_push_walk(const kw_push_turn *turn, const kw_push_path *path, double *scratch) {
    for (int64_t lane = 0; lane < path->lanes; lane += KW_LANES) {
        const walk_block block = start_block(turn, path, lane, scratch);
        for (int g = turn->groups - 1; g >= 0; g--)
            for (int64_t points = 0; points < path->rows; points++)
                if (!follow_group(turn, path, &block, g, points))
                    return 0;
    }
    return 1;
}
