/* The push-your-luck kernel of push_kernel.h. Included once for each register width (each_width.h). */

/* Compute the expectation of a roll, in all channels, for the lanes i to i + VEC_LANES - 1 of a block: the sum over its
 * classes of weight x best choice, divided by the total weight. Channel 0 decides which choice is best; of equal ones the
 * first.
 *
 * forbid: 1 if no choice may pass the cap. The value above the cap is then -infinity.
 * points: the turn points before the roll, or -1 for the cap and above.
 * decisions: NULL, or written: [roll classes][job->lanes] the index of the choice of every class, or -1 if none is allowed.
 * sum: [channels] the result. */
KW_INLINE void NAME(expected_roll)(const kw_push_turn *turn, const kw_push_job *job, const push_block *block,
                                   const int channels, const int forbid, int roll, int64_t points, int i,
                                   int16_t *decisions, vec *sum) {
    const int start = turn->class_start[roll], end = turn->class_start[roll + 1], choice = turn->choice_start[start];
    /* If every class has one choice, there is nothing to compare. The other conditions exclude what only the general loop
     * handles. */
    const int is_single =
        !decisions && !forbid && !block->can_deduct && points >= 0 && turn->choice_start[end] - choice == end - start;
    for (int k = 0; k < channels; k++)
        sum[k] = (vec){0};
    for (int c = start; is_single && c < end; c++) {
        const double *cell = destination_cell(turn, job, block, choice + c - start, points) + i;
        for (int k = 0; k < channels; k++)
            sum[k] += turn->weight[c] * load(cell + k * KW_LANES);
    }
    for (int c = start; !is_single && c < end; c++) {
        int first = turn->choice_start[c], last = turn->choice_start[c + 1];
        vec best[KW_MAX_CHANNELS], best_choice = {0};
        const double *cell = destination_cell(turn, job, block, first, points) + i;
        for (int k = 0; k < channels; k++)
            best[k] = load(cell + k * KW_LANES);
        for (int j = first + 1; j < last; j++) {
            cell = destination_cell(turn, job, block, j, points) + i;
            vec value = load(cell);
            mask better = value > best[0];
            best[0] = blend(better, value, best[0]);
            if (decisions)
                best_choice = blend(better, (vec){0} + (j - first), best_choice);
            for (int k = 1; k < channels; k++)
                best[k] = blend(better, load(cell + k * KW_LANES), best[k]);
        }
        if (decisions)
            for (int l = 0; l < VEC_LANES; l++)
                decisions[c * job->lanes + i + l] = (int16_t)(best[0][l] == -INFINITY ? -1 : best_choice[l]);
        if (forbid) { /* if every choice would pass the cap, the roll counts as a bust */
            mask no_choice = best[0] == -INFINITY;
            for (int k = 0; k < channels; k++)
                best[k] = blend(no_choice, load(block->specials + k * KW_LANES + i), best[k]);
        }
        for (int k = 0; k < channels; k++)
            sum[k] += turn->weight[c] * best[k];
    }
    for (int k = 0; k < channels; k++)
        sum[k] /= turn->total_weight[roll];
}

/* Compute the value before the roll in a mode, for all lanes of a block: the best of the bank and of every roll.
 *
 * points: the turn points, or -1 for the cap and above. can_bank: 1 if the bank is offered.
 * decisions: NULL, or written: [modes + roll classes][job->lanes] the best decisions. A mode has 0 for the bank, or the
 *     number of its roll from 1 on.
 * cell: [channels][KW_LANES] written, the value. */
KW_INLINE void NAME(mode_value)(const kw_push_turn *turn, const kw_push_job *job, const push_block *block,
                                const int channels, const int forbid, int mode, int64_t points, int can_bank,
                                int16_t *decisions, double *cell) {
    int16_t *class_choices = decisions ? decisions + turn->modes * job->lanes : NULL;
    for (int i = 0; i < KW_LANES; i += VEC_LANES) {
        vec best[KW_MAX_CHANNELS], sum[KW_MAX_CHANNELS];
        int16_t best_action[VEC_LANES] = {0};
        int compared_actions = can_bank;
        for (int k = 0; k < channels; k++)
            best[k] = can_bank ? load(bank_payoff(turn, job, block, k, mode, points) + i) : (vec){0};
        for (int a = turn->roll_start[mode]; a < turn->roll_start[mode + 1]; a++) {
            NAME(expected_roll)(turn, job, block, channels, forbid, a, points, i, class_choices, sum);
            mask better = sum[0] > best[0];
            if (!compared_actions) /* there is nothing to compare with, so it is better in all lanes: all bits are set */
                better = (mask){0} - 1;
            for (int l = 0; decisions && l < VEC_LANES; l++)
                if (better[l])
                    best_action[l] = (int16_t)(a - turn->roll_start[mode] + 1);
            for (int k = 0; k < channels; k++)
                best[k] = blend(better, sum[k], best[k]);
            compared_actions++;
        }
        for (int k = 0; k < channels; k++)
            store(cell + k * KW_LANES + i, best[k]);
        if (decisions)
            memcpy(decisions + mode * job->lanes + i, best_action, sizeof best_action);
    }
}

/* Make one pass of value iteration over the modes of a group that cannot bank, for turn points from the cap on. There the
 * value of such a mode does not depend on the turn points. Return whether a bit of a value changed.
 *
 * decisions: NULL, or those of the row of the cap. follow: 1 to follow them; 0 to write the best ones. */
KW_INLINE int NAME(forced_pass)(const kw_push_turn *turn, const kw_push_job *job, const push_block *block,
                                const int channels, int group, int16_t *decisions, int follow) {
    int has_changed = 0;
    for (int i = turn->group_start[group]; i < turn->group_start[group + 1]; i++) {
        int m = turn->mode_order[i];
        if (turn->bank_ending[m] >= 0)
            continue;
        double value[KW_MAX_CHANNELS * KW_LANES]; /* not in place, because a mode can lead to itself */
        if (follow)
            follow_decisions(turn, job, block, m, -1, decisions, value);
        else
            NAME(mode_value)(turn, job, block, channels, 0, m, -1, 0, decisions, value);
        double *cell = block->above_cap + m * block->cell_size;
        has_changed |= memcmp(cell, value, block->cell_size * sizeof(double)) != 0;
        memcpy(cell, value, block->cell_size * sizeof(double));
    }
    return has_changed;
}

/* Write the values of the modes of a group with as many turn points as the cap, or more.
 *
 * If no choice may pass the cap, the value is -infinity. Otherwise modes that may bank do so. The other modes start at the
 * payoff of a bust and iterate until no bit changes, or for forced_passes passes, which leave less than 2**-60 of the value
 * undecided.
 *
 * decisions: NULL, or those of the row of the cap, to follow or to write as job->follow says. Given decisions are followed
 * from the best value on. So following the best decisions reproduces its bits, while another start could end one bit
 * away. */
KW_INLINE void NAME(solve_from_cap)(const kw_push_turn *turn, const kw_push_job *job, const push_block *block,
                                    const int channels, int group, int16_t *decisions) {
    for (int i = turn->group_start[group]; i < turn->group_start[group + 1]; i++) {
        int m = turn->mode_order[i];
        for (int k = 0; k < channels; k++)
            for (int l = 0; l < KW_LANES; l++) {
                double value = k == 0 ? -INFINITY : 0;
                if (!turn->forbid_above_cap)
                    value = turn->bank_ending[m] < 0
                                ? payoff_of(job, block, k, 0)[l]
                                : bank_payoff(turn, job, block, k, m, job->cap[block->lane + l])[l];
                block->above_cap[m * block->cell_size + k * KW_LANES + l] = value;
            }
    }
    if (turn->forbid_above_cap)
        return;
    int pass = 0;
    while (pass < turn->forced_passes && NAME(forced_pass)(turn, job, block, channels, group, NULL, 0))
        pass++;
    /* With decisions iterate once more. If they are not given, the first pass writes them, and the others follow them. */
    for (pass = 0; decisions && pass < turn->forced_passes; pass++)
        if (!NAME(forced_pass)(turn, job, block, channels, group, decisions, job->follow || pass > 0))
            break;
}

/* Copy the values of all modes with t turn points from the table of a block to job->inner, unless that is NULL.
 *
 * is_below_cap: 1 if t is below the largest cap of the block. From that cap on all rows have the value of the cap. Below
 * it, modes in which so many turn points cannot occur are not solved, and get that value too. */
KW_INLINE void NAME(copy_inner)(const kw_push_turn *turn, const kw_push_job *job, const push_block *block, const int channels,
                                int64_t t, int is_below_cap) {
    for (int k = 0; job->inner && k < channels; k++)
        for (int m = 0; m < turn->modes; m++) {
            const double *source = is_below_cap && t <= turn->max_points[m] ? cell_of(block, m, t)
                                                                            : block->above_cap + m * block->cell_size;
            memcpy(job->inner + (((int64_t)k * turn->modes + m) * job->rows + t) * job->lanes + block->lane,
                   source + k * KW_LANES, KW_LANES * sizeof(double));
        }
}

/* Solve the turn in the blocks first, first + step, ... of the job's lanes: the groups of modes in order, and in each group
 * the rows of turn points from the largest cap of the block down. So every value that a choice leads to is solved before.
 *
 * channels, forbid, with_decisions: the number of channels, whether no choice may pass the cap, and whether decisions are
 * read or written. They are arguments so that the compiler makes a version for each of their common values. */
KW_INLINE void NAME(solve_blocks)(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step,
                                  double *scratch, const int channels, const int forbid, const int with_decisions) {
    push_block block = init_block(turn, job, scratch);
    block.cell_size = channels * KW_LANES;
    block.row_size = turn->modes * block.cell_size;
    for (int64_t n = first; n * KW_LANES < job->lanes; n += step) {
        block.lane = n * KW_LANES;
        const int32_t *cap = job->cap + block.lane;
        int64_t max_cap = 0;
        for (int l = 0; l < KW_LANES; l++)
            max_cap = cap[l] > max_cap ? cap[l] : max_cap;
        /* The table may be a window of rows, which first reaches up to the highest row that a choice below the cap can lead
         * to. */
        int64_t first_row = max_cap + turn->max_added_points + 1 - block.rows;
        if (KW_WINDOW && block.rows < job->rows)
            set_first_row(turn, &block, first_row > 0 ? first_row : 0);
        for (int e = 0; e < turn->specials; e++)
            for (int k = 0; k < channels; k++)
                memcpy(block.specials + e * block.cell_size + k * KW_LANES, payoff_of(job, &block, k, e),
                       KW_LANES * sizeof(double));

        /* Decisions of one row: one for each mode, then one for each roll class. */
        int row_size = turn->modes + turn->class_start[turn->roll_start[turn->modes]];
        int16_t *cap_decisions = with_decisions ? job->decisions + max_cap * row_size * job->lanes + block.lane : NULL;
        for (int g = 0; g < turn->groups; g++) {
            NAME(solve_from_cap)(turn, job, &block, channels, g, cap_decisions);
            for (int i = turn->group_start[g]; i < turn->group_start[g + 1]; i++)
                for (int64_t t = max_cap; t <= max_cap + turn->max_added_points; t++)
                    memcpy(cell_of(&block, turn->mode_order[i], t),
                           block.above_cap + turn->mode_order[i] * block.cell_size, block.cell_size * sizeof(double));
            const int is_last_group = g == turn->groups - 1;
            for (int64_t t = max_cap; is_last_group && t < job->rows; t++)
                NAME(copy_inner)(turn, job, &block, channels, t, 0);
            for (int64_t t = max_cap - 1; t >= 0; t--) {
                if (KW_WINDOW && t < block.first_row)
                    move_window(turn, &block, t);
                int16_t *decisions = with_decisions ? job->decisions + t * row_size * job->lanes + block.lane : NULL;
                for (int i = turn->group_start[g]; i < turn->group_start[g + 1]; i++) {
                    int m = turn->mode_order[i];
                    if (t > turn->max_points[m])
                        continue;
                    double *cell = cell_of(&block, m, t);
                    if (with_decisions && job->follow)
                        follow_decisions(turn, job, &block, m, t, decisions, cell);
                    else
                        NAME(mode_value)(turn, job, &block, channels, forbid, m, t,
                                         turn->bank_ending[m] >= 0 && t >= turn->min_bank[m], decisions, cell);
                    for (int l = 0; l < KW_LANES; l++) /* lanes with a smaller cap have their value from the cap on */
                        if (t >= cap[l])
                            for (int k = 0; k < channels; k++)
                                cell[k * KW_LANES + l] = block.above_cap[m * block.cell_size + k * KW_LANES + l];
                }
                if (is_last_group)
                    NAME(copy_inner)(turn, job, &block, channels, t, 1);
            }
        }

        for (int k = 0; k < channels; k++) { /* the value of the turn: its start mode with no turn points */
            const double *cell = max_cap > 0 ? cell_of(&block, turn->start_mode, 0)
                                             : block.above_cap + turn->start_mode * block.cell_size;
            memcpy(job->value + k * job->lanes + block.lane, cell + k * KW_LANES, KW_LANES * sizeof(double));
        }
    }
}

/* Solve the turn in the blocks first, first + step, ... of the job's lanes. The common numbers of channels are constants,
 * so that the compiler keeps their vectors in registers. */
static void NAME(solve)(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch) {
    if (KW_DECISIONS && job->decisions)
        NAME(solve_blocks)(turn, job, first, step, scratch, job->channels, turn->forbid_above_cap, 1);
    else if (job->channels == 1)
        NAME(solve_blocks)(turn, job, first, step, scratch, 1, turn->forbid_above_cap, 0);
    else if (job->channels == 2 && !turn->forbid_above_cap)
        NAME(solve_blocks)(turn, job, first, step, scratch, 2, 0, 0);
    else
        NAME(solve_blocks)(turn, job, first, step, scratch, job->channels, turn->forbid_above_cap, 0);
}
