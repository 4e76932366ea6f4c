/* The integer kernels of whole_kernel.h. Included once for each register width (each_width.h). */

#define ivec NAME(ivec)
#define REGISTERS (KW_LANES / VEC_LANES) /* of a block of turns of keeping dice */
#define PUSH_REGISTERS (KW_WHOLE_LANES / VEC_LANES) /* of a block of push-your-luck turns */
typedef long long ivec __attribute__((vector_size(KW_BYTES)));

/* Return VEC_LANES 64-bit integers from memory, which need not be aligned. */
KW_INLINE ivec NAME(load_ints)(const int64_t *source) {
    ivec value;
    memcpy(&value, source, sizeof(ivec));
    return value;
}

/* Write VEC_LANES 64-bit integers to memory, which need not be aligned. */
KW_INLINE void NAME(store_ints)(int64_t *destination, ivec value) { memcpy(destination, &value, sizeof(ivec)); }

/* Return the larger integer, lane by lane. */
KW_INLINE ivec NAME(int_max)(ivec a, ivec b) {
#if KW_BYTES == 64
    return __builtin_ia32_pmaxsq512_mask(a, b, a, -1);
#else
    ivec greater = a > b;
    return (a & greater) | (b & ~greater);
#endif
}

/* Return the larger of two stored amounts, lane by lane. They are from 0 to KW_WHOLE_LIMIT. The bits of such integers, read
 * as doubles, are finite numbers in the same order. Unlike that of integers, the maximum of doubles is one instruction
 * everywhere. */
KW_INLINE ivec NAME(amount_max)(ivec a, ivec b) { return (ivec)vec_max((vec)a, (vec)b); }

/* Return whether some lane of a comparison is true: comparisons give -1 or 0 in each lane. */
KW_INLINE int NAME(any_lane)(ivec truth) {
#if KW_BYTES == 64
    return __builtin_ia32_ptestmq512(truth, truth, -1) != 0;
#elif KW_BYTES == 32
    return !__builtin_ia32_ptestz256(truth, truth);
#else
    return (truth[0] | truth[1]) != 0;
#endif
}

/* Return the first integers where `truth` is -1, and the second where it is 0. */
KW_INLINE ivec NAME(select)(ivec truth, ivec a, ivec b) { return (a & truth) | (b & ~truth); }

/* Return the 64-bit products of the low 32-bit halves, lane by lane, unsigned. The built-in functions are one instruction,
 * which GCC does not derive from the portable form. */
KW_INLINE ivec NAME(multiply_low)(ivec a, ivec b) {
#if defined(__GNUC__) && !defined(__clang__) && KW_BYTES == 64
    typedef int ints __attribute__((vector_size(KW_BYTES)));
    return __builtin_ia32_pmuludq512_mask((ints)a, (ints)b, a, -1);
#elif defined(__GNUC__) && !defined(__clang__) && KW_BYTES == 32
    typedef int ints __attribute__((vector_size(KW_BYTES)));
    return __builtin_ia32_pmuludq256((ints)a, (ints)b);
#elif defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
    typedef int ints __attribute__((vector_size(KW_BYTES)));
    return __builtin_ia32_pmuludq128((ints)a, (ints)b);
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/* Return the high 32-bit halves, lane by lane, unsigned. */
KW_INLINE ivec NAME(high_half)(ivec a) {
    typedef unsigned long long uvec __attribute__((vector_size(KW_BYTES)));
    return (ivec)((uvec)a >> 32);
}

/* Return the quotients of dividends below 2 ** 52 and a divisor below 2 ** 18, and replace the dividends by the remainders.
 *
 * The product with the reciprocal, a double, is off by far less than 1/2. Rounded to the nearest integer it is the quotient
 * or one more, which shows in a negative remainder. The remainder is computed in integers. */
KW_INLINE ivec NAME(divide_lanes)(ivec *dividend, int64_t divisor) {
    const vec shift = (vec){0} + 0x1p52; /* a double this large has its integer in its low 52 bits */
    const vec number = (vec)(*dividend | (ivec)shift) - shift;
    const ivec divisors = (ivec){0} + divisor;
    ivec quotient = (ivec)(number * (1.0 / (double)divisor) + shift) ^ (ivec)shift;
    ivec product = NAME(multiply_low)(quotient, divisors) +
                   (NAME(multiply_low)(NAME(high_half)(quotient), divisors) << 32);
    ivec remainder = *dividend - product, is_one_more = remainder < 0;
    *dividend = remainder + (divisors & is_one_more);
    return quotient + is_one_more;
}

/* --- push-your-luck turns */

/* Write to best, [PUSH_REGISTERS], the amounts of the best choice of roll class c, with `points` turn points.
 *
 * past_end: 1 if `points` is the last row of the table. A choice that adds points then stays in that row, since all rows
 * from there on are equal. */
KW_INLINE void NAME(best_choice)(const kw_push_turn *turn, const whole_block *block, int c, int64_t points, ivec *best,
                                 const int past_end) {
    const int first = turn->choice_start[c], last = turn->choice_start[c + 1];
    const int64_t offset = points * KW_WHOLE_LANES;
    for (int j = first; j < last; j++) {
        const int64_t *cell = block->destination[j] + (offset & turn->keeps_points[j]);
        if (past_end) {
            int64_t excess = (points & turn->keeps_points[j]) + turn->added_points[j] - block->last_row;
            cell -= excess > 0 ? excess * KW_WHOLE_LANES : 0;
        }
        for (int r = 0; r < PUSH_REGISTERS; r++) {
            ivec amounts = NAME(load_ints)(cell + r * VEC_LANES);
            best[r] = j == first ? amounts : NAME(amount_max)(best[r], amounts);
        }
    }
    if (turn->forbid_above_cap) /* if every choice would pass the cap, the roll counts as a bust */
        for (int r = 0; r < PUSH_REGISTERS; r++) {
            ivec no_choice = best[r] == 0;
            best[r] |= NAME(load_ints)(block->payoff + r * VEC_LANES) & no_choice;
        }
}

/* Raise value, [KW_WHOLE_LANES], to the mean over the classes of a roll of the best choice, in lanes in which that is greater.
 * The mean is rounded down or up, as block->round_up says for each lane: total - 1 is added before a division that is
 * rounded up.
 *
 * past_end: 1 if `points` is the last row of the table. */
KW_INLINE void NAME(max_roll_mean)(const kw_push_turn *turn, const kw_whole_push_job *job, whole_block *block, int roll,
                                   int64_t points, int64_t *value, const int past_end) {
    int64_t total = job->total_weight[roll];
    ivec best[PUSH_REGISTERS];
    if (total >> 31) { /* too large for the 64-bit sums of halves below */
        __int128 sum[KW_WHOLE_LANES];
        for (int l = 0; l < KW_WHOLE_LANES; l++)
            sum[l] = block->round_up[l] ? total - 1 : 0;
        for (int c = turn->class_start[roll]; c < turn->class_start[roll + 1]; c++) {
            NAME(best_choice)(turn, block, c, points, best, past_end);
            for (int l = 0; l < KW_WHOLE_LANES; l++)
                sum[l] += (__int128)job->weight[block->round_up[l]][c] * best[l / VEC_LANES][l % VEC_LANES];
        }
        for (int l = 0; l < KW_WHOLE_LANES; l++) {
            int64_t mean = (int64_t)(sum[l] / total);
            value[l] = mean > value[l] ? mean : value[l];
        }
        return;
    }
    /* The sums of weight x low half and weight x high half of the amounts. Each fits into 64 bits, as the total has 31. */
    ivec low[PUSH_REGISTERS], high[PUSH_REGISTERS];
    for (int r = 0; r < PUSH_REGISTERS; r++)
        low[r] = high[r] = (ivec){0};
    for (int c = turn->class_start[roll]; c < turn->class_start[roll + 1]; c++) {
        ivec weight = (ivec){0} + job->weight[0][c];
        NAME(best_choice)(turn, block, c, points, best, past_end);
        for (int r = 0; r < PUSH_REGISTERS; r++) {
            low[r] += NAME(multiply_low)(best[r], weight);
            high[r] += NAME(multiply_low)(NAME(high_half)(best[r]), weight);
        }
    }
    if (!(total >> 18)) {
        for (int r = 0; r < PUSH_REGISTERS; r++) { /* divide high x 2 ** 32 + low by the total, in two long-division steps */
            ivec is_up = NAME(load_ints)(block->round_up + r * VEC_LANES) != 0;
            ivec remainder = high[r], quotient = NAME(divide_lanes)(&remainder, total);
            remainder = (remainder << 32) + low[r] + (is_up & (total - 1));
            ivec mean = (quotient << 32) + NAME(divide_lanes)(&remainder, total);
            NAME(store_ints)(value + r * VEC_LANES, NAME(amount_max)(mean, NAME(load_ints)(value + r * VEC_LANES)));
        }
        return;
    }
    int64_t low_sum[KW_WHOLE_LANES], high_sum[KW_WHOLE_LANES];
    for (int r = 0; r < PUSH_REGISTERS; r++) {
        NAME(store_ints)(low_sum + r * VEC_LANES, low[r]);
        NAME(store_ints)(high_sum + r * VEC_LANES, high[r]);
    }
    uint64_t divisor = total, reciprocal = UINT64_MAX / divisor;
    for (int l = 0; l < KW_WHOLE_LANES; l++) { /* the same, lane by lane */
        uint64_t remainder = high_sum[l], quotient = divide(&remainder, divisor, reciprocal);
        remainder = (remainder << 32) + low_sum[l] + (block->round_up[l] ? divisor - 1 : 0);
        int64_t mean = (quotient << 32) + divide(&remainder, divisor, reciprocal);
        value[l] = mean > value[l] ? mean : value[l];
    }
}

/* Write to value, [KW_WHOLE_LANES], the rounded value of the best of a mode's rolls; 0, which is -infinity, if it has none. The
 * table is not changed, since a mode can lead to itself. past_end: 1 if `points` is the last row of the table. */
KW_INLINE void NAME(best_roll)(const kw_push_turn *turn, const kw_whole_push_job *job, whole_block *block, int mode,
                               int64_t points, int64_t *value, const int past_end) {
    memset(value, 0, KW_WHOLE_LANES * sizeof(int64_t));
    for (int a = turn->roll_start[mode]; a < turn->roll_start[mode + 1]; a++)
        NAME(max_roll_mean)(turn, job, block, a, points, value, past_end);
}

/* Bound the values of the modes of a group in the last row of the table, and copy them to the rows after it, which are
 * equal.
 *
 * If no choice may pass the cap, the value is -infinity, stored as 0. Otherwise modes that may bank do so. The other modes
 * are forced: they start at end_bound, a bound of their value. Computing their rolls from bounds gives bounds again, so
 * every pass keeps them bounds; there are at most forced_passes. If the table goes on beyond the caps (rows_past_cap), its
 * last row lies so far beyond them that end_bound is used as it is. */
KW_INLINE void NAME(solve_last_row)(const kw_push_turn *turn, const kw_whole_push_job *job, whole_block *block, int group) {
    const int32_t *modes = turn->mode_order + turn->group_start[group],
                  *end = turn->mode_order + turn->group_start[group + 1];
    int has_forced = 0;
    for (const int32_t *m = modes; m < end; m++) {
        int64_t *cell = cell_of(block, *m, block->last_row);
        for (int l = 0; l < KW_WHOLE_LANES; l++) {
            int64_t lane = block->lane + l;
            if (turn->forbid_above_cap)
                cell[l] = 0;
            else if (turn->bank_ending[*m] < 0)
                cell[l] = job->end_bound[lane];
            else
                cell[l] = bank_of(turn, block, *m, job->cap[lane])[l] + job->cap_bonus[*m * job->lanes + lane];
        }
        has_forced |= turn->bank_ending[*m] < 0;
    }
    int is_improved = has_forced && !turn->forbid_above_cap && !job->rows_past_cap;
    for (int pass = 0; is_improved && pass < turn->forced_passes; pass++) {
        int has_changed = 0;
        for (const int32_t *m = modes; m < end; m++) {
            int64_t value[KW_WHOLE_LANES], *cell = cell_of(block, *m, block->last_row);
            if (turn->bank_ending[*m] >= 0)
                continue;
            NAME(best_roll)(turn, job, block, *m, block->last_row, value, 1);
            has_changed |= memcmp(cell, value, sizeof value) != 0;
            memcpy(cell, value, sizeof value);
        }
        if (!has_changed)
            break;
    }
    for (const int32_t *m = modes; m < end; m++)
        for (int64_t t = block->last_row + 1; t <= block->last_row + turn->max_added_points; t++)
            memcpy(cell_of(block, *m, t), cell_of(block, *m, block->last_row), KW_WHOLE_LANES * sizeof(int64_t));
}

/* Write the bound of a mode's value with `points` turn points, below the last row: the best of its bank and its rolls.
 *
 * From the cap of a lane on a mode that may bank does so; cap_bonus bounds what going on could add. Further beyond the cap
 * than rows_past_cap the lane has the value of its last row.
 *
 * The rolls are left out if no lane needs them. Let no value fall with more turn points, up to the highest row that the
 * best roll of a row above, block->roll_above, leads to. Then the rolls of this row are worth no more than that roll. A bank
 * of at least as much is the best choice. */
KW_INLINE void NAME(solve_row)(const kw_push_turn *turn, const kw_whole_push_job *job, whole_block *block, int mode,
                               int64_t points) {
    const int can_bank = turn->bank_ending[mode] >= 0 && points >= turn->min_bank[mode];
    int64_t *cell = cell_of(block, mode, points), *last_cell = cell_of(block, mode, block->last_row),
            *roll_above = block->roll_above + mode * KW_WHOLE_LANES;
    const int64_t *payoff = can_bank ? bank_of(turn, block, mode, points) : 0,
                  *cap_bonus = job->cap_bonus + mode * job->lanes + block->lane;
    const int has_bound = block->roll_row[mode] <= block->first_fall,
              has_row_above = points < turn->max_points[mode] || points + 1 == block->last_row;
    int has_roll = !can_bank, has_fall = 0;
    ivec bank[PUSH_REGISTERS], is_below_cap[PUSH_REGISTERS], best[PUSH_REGISTERS];
    for (int r = 0; r < PUSH_REGISTERS; r++) {
        is_below_cap[r] = points < NAME(load_ints)(block->cap + r * VEC_LANES);
        bank[r] = best[r] = (ivec){0};
        if (can_bank) {
            bank[r] = NAME(load_ints)(payoff + r * VEC_LANES);
            ivec needs_roll = is_below_cap[r];
            if (has_bound)
                needs_roll &= bank[r] < NAME(load_ints)(roll_above + r * VEC_LANES);
            has_roll |= NAME(any_lane)(needs_roll);
        }
    }
    if (has_roll) {
        int64_t value[KW_WHOLE_LANES];
        NAME(best_roll)(turn, job, block, mode, points, value, 0);
        memcpy(roll_above, value, sizeof value);
        block->roll_row[mode] = points + block->most_added[mode];
        for (int r = 0; r < PUSH_REGISTERS; r++)
            best[r] = NAME(load_ints)(value + r * VEC_LANES);
    }
    for (int r = 0; r < PUSH_REGISTERS; r++) {
        if (can_bank)
            best[r] = NAME(select)(is_below_cap[r], NAME(amount_max)(bank[r], best[r]),
                                   bank[r] + NAME(load_ints)(cap_bonus + r * VEC_LANES));
        if (!job->rows_past_cap) /* from the cap on a lane has the value of its last row */
            best[r] = NAME(select)(is_below_cap[r], best[r], NAME(load_ints)(last_cell + r * VEC_LANES));
        else if (turn->bank_ending[mode] < 0) {
            ivec is_inside = points < NAME(load_ints)(block->cap + r * VEC_LANES) + job->rows_past_cap;
            best[r] = NAME(select)(is_inside, best[r], NAME(load_ints)(last_cell + r * VEC_LANES));
        }
        NAME(store_ints)(cell + r * VEC_LANES, best[r]);
        if (has_row_above)
            has_fall |= NAME(any_lane)(best[r] > NAME(load_ints)(cell + KW_WHOLE_LANES + r * VEC_LANES));
    }
    if (has_fall && points < block->first_fall)
        block->first_fall = points;
}

/* Solve the blocks first, first + step, ... of the job's lanes: the groups of modes in order, and in each group the rows of
 * turn points from the last one down. So every value that a choice leads to is solved before. */
static void NAME(solve_push)(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t first, int64_t step,
                             int64_t *scratch) {
    for (int64_t n = first; n * KW_WHOLE_LANES < job->lanes; n += step) {
        whole_block block = {.lane = n * KW_WHOLE_LANES, .rows_below = job->max_deduction};
        const int32_t *cap = job->cap + block.lane;
        for (int l = 0; l < KW_WHOLE_LANES; l++) {
            block.cap[l] = cap[l];
            block.last_row = cap[l] > block.last_row ? cap[l] : block.last_row;
        }
        block.last_row += job->rows_past_cap ? job->rows_past_cap + turn->max_added_points : 0;
        block.first_fall = block.last_row;
        block.rows = block.rows_below + block.last_row + turn->max_added_points + 1;
        block.payoff = (int64_t *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
        block.table = block.payoff + job->endings * KW_WHOLE_LANES;
        block.roll_above = block.table + turn->modes * block.rows * KW_WHOLE_LANES;
        block.roll_row = block.roll_above + turn->modes * KW_WHOLE_LANES;
        block.most_added = block.roll_row + turn->modes;
        for (int m = 0; m < turn->modes; m++) {
            block.roll_row[m] = block.last_row + 1; /* above all falls, as there is no roll yet */
            block.most_added[m] = 0;
            for (int j = turn->choice_start[turn->class_start[turn->roll_start[m]]];
                 j < turn->choice_start[turn->class_start[turn->roll_start[m + 1]]]; j++)
                if (turn->added_points[j] > block.most_added[m])
                    block.most_added[m] = turn->added_points[j];
        }
        block.destination = (int64_t **)(block.most_added + turn->modes);
        memcpy(block.round_up, job->round_up + block.lane, sizeof block.round_up);
        for (int j = 0; j < turn->choice_start[turn->class_start[turn->roll_start[turn->modes]]]; j++) {
            int next = turn->next[j], is_mode = next < turn->modes;
            block.destination[j] = is_mode ? cell_of(&block, next, turn->added_points[j])
                                           : block.payoff + (next - turn->modes) * KW_WHOLE_LANES;
        }
        for (int64_t e = 0; e < job->endings; e++) /* copied, as the modes read them in turn from far-off places */
            for (int r = 0; r < PUSH_REGISTERS; r++) {
                int64_t place = e * job->payoff_stride + block.lane + r * VEC_LANES;
                ivec stored = NAME(load_ints)(job->payoff + place) + KW_WHOLE_ZERO;
                NAME(store_ints)(block.payoff + e * KW_WHOLE_LANES + r * VEC_LANES, stored);
            }
        for (int g = 0; g < turn->groups; g++) {
            const int32_t *modes = turn->mode_order + turn->group_start[g],
                          *end = turn->mode_order + turn->group_start[g + 1];
            NAME(solve_last_row)(turn, job, &block, g);
            for (int64_t t = block.last_row - 1; t >= 0; t--)
                for (const int32_t *m = modes; m < end; m++)
                    if (t <= turn->max_points[*m])
                        NAME(solve_row)(turn, job, &block, *m, t);
            for (const int32_t *m = modes; m < end; m++)
                for (int64_t t = -block.rows_below; t < 0; t++)
                    memcpy(cell_of(&block, *m, t), cell_of(&block, *m, 0), KW_WHOLE_LANES * sizeof(int64_t));
        }
        memcpy(job->value + block.lane, cell_of(&block, turn->start_mode, 0), KW_WHOLE_LANES * sizeof(int64_t));
        for (int m = 0; job->inner && m < turn->modes; m++)
            for (int64_t t = 0; t < job->inner_rows; t++) {
                int64_t row = t > block.last_row || (t > turn->max_points[m] && t < block.last_row) ? block.last_row : t;
                int64_t *destination = job->inner + (m * (int64_t)job->inner_rows + t) * job->lanes + block.lane;
                memcpy(destination, cell_of(&block, m, row), KW_WHOLE_LANES * sizeof(int64_t));
            }
    }
}

/* --- turns of keeping dice */

/* Write the amount of the best option of a problem for every full roll, [full rolls][KW_LANES], or -1 if none allows it.
 * Return whether some option allows every full roll.
 *
 * problem: index of the set of options. lane: the place of the first lane on the axis. */
KW_INLINE int NAME(enter_rolls)(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t problem, int64_t lane,
                                int64_t *full) {
    int64_t full_rolls = turn->nodes - turn->first_full, last_place = job->width - KW_LANES;
    for (int64_t i = 0; i < full_rolls * KW_LANES; i++)
        full[i] = -1;
    for (int64_t o = job->option_start[problem]; o < job->option_start[problem + 1]; o++) {
        const int64_t *gain = turn->gain + job->column[o] * full_rolls, *row = job->after + job->row[o] * job->width;
        const int32_t *shift = turn->shift + job->column[o] * full_rolls;
        for (int64_t m = job->from[o]; m < job->to[o]; m++) {
            int64_t place = lane + shift[m];
            place = place < 0 ? 0 : place > last_place ? last_place : place;
            for (int i = 0; gain[m] >= 0 && i < KW_LANES; i += VEC_LANES) {
                ivec value = NAME(load_ints)(row + place + i) + gain[m];
                NAME(store_ints)(full + m * KW_LANES + i,
                                 NAME(int_max)(NAME(load_ints)(full + m * KW_LANES + i), value));
            }
        }
    }
    int has_all = 1;
    for (int64_t m = 0; m < full_rolls; m++)
        has_all &= full[m * KW_LANES] >= 0;
    return has_all;
}

/* Replace the values of all nodes but the full rolls by E, the rounded value of keeping these dice before the others are
 * rolled. It is the mean over the faces of the next die of the value with that die more, so nodes with more dice come
 * first.
 *
 * table: [nodes][KW_LANES], with the values of the full rolls. is_fair: all faces have the same weight. Then sum / faces is
 * computed with the reciprocal of face_divisor, in three 64-bit products of 32-bit halves. The result is not above the
 * mean, and less than 3 below it; rounding up adds 3. */
KW_INLINE void NAME(walk_down)(const kw_whole_keep *turn, int64_t *table, face_divisor divisor, const int faces,
                               const int is_fair) {
    for (int32_t n = turn->first_full - 1; n >= 0; n--) {
        const int32_t *child = turn->child + (int64_t)n * faces;
        for (int l = 0; !is_fair && l < KW_LANES; l++) {
            __int128 sum = divisor.round_up ? turn->total_weight - 1 : 0;
            for (int f = 0; f < faces; f++)
                sum += (__int128)turn->weight[f] * table[(int64_t)child[f] * KW_LANES + l];
            table[(int64_t)n * KW_LANES + l] = (int64_t)(sum / turn->total_weight);
        }
        if (!is_fair)
            continue;
        for (int i = 0; i < KW_LANES; i += VEC_LANES) {
            ivec sum = {0}, whole = sum + divisor.whole;
#pragma GCC unroll 6
            for (int f = 0; f < faces; f++)
                sum += NAME(load_ints)(table + (int64_t)child[f] * KW_LANES + i);
            ivec high = NAME(high_half)(sum), fraction = (ivec){0} + divisor.fraction;
            sum = NAME(multiply_low)(high, whole) +
                  NAME(high_half)(NAME(multiply_low)(high, fraction) + NAME(multiply_low)(sum, whole));
            NAME(store_ints)(table + (int64_t)n * KW_LANES + i, sum + divisor.round_up);
        }
    }
}

/* Replace E of all nodes, the value of keeping all their dice, by B, the best that can be kept of them: the maximum of E
 * over all subsets. It is the maximum of E and of B of the parents, which have one die less and come first. table:
 * [nodes][KW_LANES]. */
KW_INLINE void NAME(walk_up)(const kw_whole_keep *turn, int64_t *table) {
    const int32_t *parent = turn->parent;
    for (int32_t n = 1; n < turn->nodes; n++) {
        const int32_t *end = turn->parent + turn->parent_start[n + 1];
        for (int i = 0; i < KW_LANES; i += VEC_LANES) {
            ivec best = NAME(load_ints)(table + (int64_t)n * KW_LANES + i);
            for (const int32_t *p = parent; p < end; p++)
                best = NAME(int_max)(best, NAME(load_ints)(table + (int64_t)*p * KW_LANES + i));
            NAME(store_ints)(table + (int64_t)n * KW_LANES + i, best);
        }
        parent = end;
    }
}

/* Solve the blocks first, first + step, ...: turns of keeping dice, one roll after another backwards. The value of the
 * empty node, no dice kept before the first roll, is the result.
 *
 * table: scratch, [nodes][KW_LANES]. faces, is_fair: the number of faces, and 1 if all have the same weight. */
KW_INLINE void NAME(solve_keep_blocks)(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step,
                                       int64_t *table, const int faces, const int is_fair) {
    /* 1 / faces with 64 binary places, as two halves. The mean is at most 3 too small, so rounding up adds 3. */
    uint64_t count = faces, unit = (uint64_t)1 << 32;
    face_divisor divisor = {
        .whole = unit / count, .fraction = (unit % count << 32) / count, .round_up = job->round_up ? 3 : 0};
    for (int64_t block = first; block < job->blocks; block += step) {
        int64_t *full = table + (int64_t)turn->first_full * KW_LANES, *value = job->value + block * KW_LANES;
        int has_all = NAME(enter_rolls)(turn, job, job->problem[block], job->lane[block], full);
        NAME(walk_down)(turn, table, divisor, faces, is_fair);
        for (int roll = turn->rolls - 1; roll > 0; roll--) {
            if (job->early)
                has_all &= NAME(enter_rolls)(turn, job, job->early[(roll - 1) * job->blocks + block], job->lane[block], full);
            NAME(walk_up)(turn, table);
            NAME(walk_down)(turn, table, divisor, faces, is_fair);
        }
        if (!has_all)
            table[0] = -1;
        memcpy(value, table, KW_LANES * sizeof(int64_t));
    }
}

/* Solve the blocks first, first + step, ... Fair dice with six faces are the common case, so their number of faces is a
 * constant for the compiler. */
static void NAME(solve_keep)(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step,
                             int64_t *table) {
    int is_fair = 1;
    for (int f = 1; f < turn->faces; f++)
        is_fair &= turn->weight[f] == turn->weight[0];
    if (is_fair && turn->faces == 6)
        NAME(solve_keep_blocks)(turn, job, first, step, table, 6, 1);
    else
        NAME(solve_keep_blocks)(turn, job, first, step, table, turn->faces, is_fair);
}

#undef ivec
#undef REGISTERS
#undef PUSH_REGISTERS
