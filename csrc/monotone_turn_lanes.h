/* The monotone turn of monotone_turn.h, solved for one block of lanes. each_width.h includes it once for each register
 * width. */

/* Payoffs of the endings in the lanes of one register. */
typedef struct {
    vec bust[KW_MAX_TURN_CHANNELS], wipe[KW_MAX_TURN_CHANNELS], pass[KW_MAX_TURN_CHANNELS];
} NAME(ending_vecs);

/* Add to sum the weighted best choices of the classes from c on that have equally many choices, and return the first class
 * that has another number of them or is not below `end`. Inlined with a constant number, so that the loop over choices is
 * unrolled. The other arguments are those of expected_roll. */
KW_INLINE int NAME(sum_classes)(const kw_monotone_turn *turn, int c, const int end, const int32_t choices, const double *row,
                                int64_t plane, const NAME(ending_vecs) *ending, const int channels, const int forbid,
                                vec *sum) {
    const int32_t *offset = turn->choice_offset + turn->choice_start[c];
    do {
        vec best_value = load(row + offset[0]), best[KW_MAX_TURN_CHANNELS];
        for (int k = 1; k < channels; k++)
            best[k] = load(row + k * plane + offset[0]);
        for (int n = 1; n < choices; n++) {
            vec value = load(row + offset[n]);
            mask better = value > best_value;
            best_value = vec_max(best_value, value);
            for (int k = 1; k < channels; k++)
                best[k] = blend(better, load(row + k * plane + offset[n]), best[k]);
        }
        if (forbid) { /* if every choice would pass the target, the roll counts as a bust */
            mask has_choice = best_value > (vec){0} - INFINITY;
            best_value = blend(has_choice, best_value, ending->bust[0]);
            for (int k = 1; k < channels; k++)
                best[k] = blend(has_choice, best[k], ending->bust[k]);
        }
        sum[0] += turn->weight[c] * best_value;
        for (int k = 1; k < channels; k++)
            sum[k] += turn->weight[c] * best[k];
        offset += choices;
    } while (++c < end && turn->choice_start[c + 1] - turn->choice_start[c] == choices);
    return c;
}

/* Compute the value of the roll in mode m in all channels: the mean over roll classes of the best choice, which channel 0
 * decides.
 *
 * row: the row of the table for the turn points before the roll, at the first lane of a register. A choice leads to the
 * cell at its offset from there. plane: the doubles of a channel's table. class_start: which classes and choices to
 * evaluate, a row of turn->class_start. forbid: 1 if no choice may pass the target; such a choice has the value -infinity.
 * sum: the result. */
KW_INLINE void NAME(expected_roll)(const kw_monotone_turn *turn, const int32_t *class_start, const double *row, int64_t plane,
                                   int m, const NAME(ending_vecs) *ending, const int channels, const int forbid, vec *sum) {
    sum[0] = turn->bust_weight[m] * ending->bust[0] + turn->wipe_weight[m] * ending->wipe[0] + turn->win_weight[m];
    for (int k = 1; k < channels; k++)
        sum[k] = turn->bust_weight[m] * ending->bust[k] + turn->wipe_weight[m] * ending->wipe[k];
    for (int c = class_start[m]; c < class_start[m + 1];)
#define KW_CASE(choices)                                                                                               \
    case choices:                                                                                                      \
        c = NAME(sum_classes)(turn, c, class_start[m + 1], choices, row, plane, ending, channels, forbid, sum);        \
        break;
        switch (turn->choice_start[c + 1] - turn->choice_start[c]) {
#ifndef __wasm__ /* pages have small kernels */
            KW_CASE(1)
            KW_CASE(2)
            KW_CASE(3)
            KW_CASE(4)
            KW_CASE(5)
            KW_CASE(6)
            KW_CASE(7)
            KW_CASE(8)
#endif
        default:
            c = NAME(sum_classes)(turn, c, class_start[m + 1], turn->choice_start[c + 1] - turn->choice_start[c], row, plane,
                                  ending, channels, forbid, sum);
        }
#undef KW_CASE
    for (int k = 0; k < channels; k++)
        sum[k] /= turn->total_weight[m];
}

/* Load the payoff of a bank in mode m with t turn points, in all channels, for the lanes i to i + VEC_LANES - 1. A channel
 * without bank_value, the probability of a zero turn, is 0. */
KW_INLINE void NAME(load_bank)(const kw_monotone_turn *turn, const kw_turn_block *block, int32_t t, int m, int i,
                               const int channels, vec *bank) {
    int64_t entry = block->banks_by_mode ? (int64_t)t * turn->modes + m : t;
    for (int k = 0; k < channels; k++)
        bank[k] = block->bank_value[k] ? load(block->bank_value[k][entry] + i) : (vec){0};
}

/* Solve the needed rows of turn points from the cap on, for the lanes i to i + VEC_LANES - 1. Modes that may bank do so.
 * Modes that may not bank start at the payoff of a bust. Their values are computed again from each other, forced_passes
 * times (value iteration), since their choices stay within these rows. If no choice may pass the target, all modes have the
 * payoff of a bank there, which is -infinity past the target. */
KW_INLINE void NAME(solve_from_cap)(const kw_monotone_turn *turn, const kw_turn_block *block, const NAME(ending_vecs) *ending,
                                    double *table, int64_t plane, const int channels, const int forbid, int i) {
    const int32_t row_size = turn->modes * KW_LANES;
    uint64_t forced_modes = 0;
    for (int32_t t = block->max_points; t >= block->cap; t--)
        for (int m = 0; m < turn->modes; m++)
            if (block->needed_modes[t] >> m & 1) {
                double *cell = table + (int64_t)t * row_size + m * KW_LANES + i;
                int can_bank = forbid || turn->bank_modes >> m & 1;
                vec bank[KW_MAX_TURN_CHANNELS];
                NAME(load_bank)(turn, block, t, m, i, channels, bank);
                for (int k = 0; k < channels; k++)
                    store(cell + k * plane, can_bank ? bank[k] : ending->bust[k]);
                forced_modes |= (uint64_t)!can_bank << m;
            }
    for (int pass = 0; forced_modes && pass < turn->forced_passes; pass++)
        for (int m = 0; m < turn->modes; m++)
            if (forced_modes >> m & 1) {
                vec value[KW_MAX_TURN_CHANNELS];
                /* All rows from the cap on are equal for these modes. Every choice adds a point, so it leads there. */
                const double *row = table + (int64_t)(block->cap - 1) * row_size + i;
                NAME(expected_roll)(turn, turn->class_start, row, plane, m, ending, channels, forbid, value);
                for (int32_t t = block->max_points; t >= block->cap; t--)
                    for (int k = 0; k < channels; k++)
                        store(table + k * plane + (int64_t)t * row_size + m * KW_LANES + i, value[k]);
            }
}

/* Write block->value of a turn whose table is solved: the turn begins in the best start mode. */
KW_INLINE void NAME(choose_start)(const kw_monotone_turn *turn, kw_turn_block *block, const double *table, int64_t plane,
                                  const int channels) {
    for (int m = 0, is_first = 1; m < turn->modes; m++) {
        if (!(turn->start_modes >> m & 1))
            continue;
        for (int i = 0; i < KW_LANES; i += VEC_LANES) {
            const double *cell = table + m * KW_LANES + i;
            mask better = load(cell) > load(block->value[0] + i);
            if (is_first)
                better = (mask){0} - 1;
            for (int k = 0; k < channels; k++)
                store(block->value[k] + i, blend(better, load(cell + k * plane), load(block->value[k] + i)));
        }
        is_first = 0;
    }
}

#ifndef KW_SLOPES_ONLY
#define PARTS (KW_LANES / VEC_LANES) /* registers of a block */

/* Add the weighted maxima of a run of classes to sum. Inlined with a constant number of terms, so that the loop over them is
 * unrolled: most of the time of a race of unlike dice is spent here.
 *
 * run, terms: see kw_monotone_turn. maxima: the choices of the mode and the maxima that are kept. result: where the first
 * maximum is stored. Return where the next run stores its first. */
KW_INLINE double *NAME(sum_run)(const kw_monotone_turn *turn, const int32_t *run, const int32_t terms, const double *maxima,
                                double *result, vec *sum) {
    const double *weight = turn->run_weight + run[3], *end = weight + run[0];
    const int32_t *term = turn->term + run[4], step = run[2];
    vec total[PARTS], best[PARTS];
    for (int p = 0; p < PARTS; p++)
        total[p] = sum[p];
    for (; weight < end; weight++, term += terms, result += step) {
        for (int p = 0; p < PARTS; p++)
            best[p] = load(maxima + term[0] + p * VEC_LANES);
        for (int n = 1; n < terms; n++)
            for (int p = 0; p < PARTS; p++) /* the operand from memory comes first: then it needs no instruction of its own */
                best[p] = vec_max(load(maxima + term[n] + p * VEC_LANES), best[p]);
        for (int p = 0; p < PARTS; p++) {
            store(result + p * VEC_LANES, best[p]);
            total[p] += *weight * best[p];
        }
    }
    for (int p = 0; p < PARTS; p++)
        sum[p] = total[p];
    return result;
}

/* Compute the value of the roll in mode m in channel 0, like expected_roll, for all lanes, from maxima that are computed from
 * each other. row: the row of the table for the turn points before the roll. maxima: scratch, for the choices and the classes
 * of a mode. work: the number of terms is added. */
KW_INLINE void NAME(expected_maximum)(const kw_monotone_turn *turn, const double *row, int m, const vec *bust, const vec *wipe,
                                      double *maxima, vec *sum, int64_t *work) {
    const int32_t *offset = turn->shared_offset + turn->shared_start[m];
    int32_t choices = turn->shared_start[m + 1] - turn->shared_start[m];
    for (int32_t n = 0; n < choices; n++)
        for (int p = 0; p < PARTS; p++)
            store(maxima + (int64_t)n * KW_LANES + p * VEC_LANES, load(row + offset[n] + p * VEC_LANES));
    for (int p = 0; p < PARTS; p++)
        sum[p] = turn->bust_weight[m] * bust[p] + turn->wipe_weight[m] * wipe[p] + turn->win_weight[m];
    double *result = maxima + (int64_t)choices * KW_LANES;
    for (const int32_t(*run)[5] = turn->run + turn->run_start[m]; run < turn->run + turn->run_start[m + 1]; run++) {
#define KW_CASE(terms)                                                                                                 \
    case terms:                                                                                                        \
        result = NAME(sum_run)(turn, *run, terms, maxima, result, sum);                                                \
        break;
        switch ((*run)[1]) {
            KW_CASE(1)
            KW_CASE(2)
            KW_CASE(3)
            KW_CASE(4)
            KW_CASE(5)
            KW_CASE(6)
            KW_CASE(7)
            KW_CASE(8)
        default:
            result = NAME(sum_run)(turn, *run, (*run)[1], maxima, result, sum);
        }
#undef KW_CASE
        *work += (int64_t)(*run)[0] * (*run)[1];
    }
    for (int p = 0; p < PARTS; p++)
        sum[p] /= turn->total_weight[m];
}

/* Solve the turn in all lanes of a block in channel 0, like solve_rows, for a turn with shared maxima. All its modes may bank,
 * and choices may pass the target. maxima: scratch for expected_maximum. */
static void NAME(solve_values)(const kw_monotone_turn *turn, kw_turn_block *block, const kw_ending_payoffs payoffs,
                               double *table, double *maxima, int64_t *work) {
    const int32_t row_size = turn->modes * KW_LANES;
    vec bust[PARTS], wipe[PARTS], bank[PARTS], value[PARTS];
    for (int p = 0; p < PARTS; p++)
        bust[p] = load(payoffs[KW_BUST][0] + p * VEC_LANES), wipe[p] = load(payoffs[KW_WIPE][0] + p * VEC_LANES);
    for (int32_t t = block->max_points; t >= 0; t--) {
        if (!block->needed_modes[t])
            continue;
        mask counts[PARTS], stop_modes[PARTS];
        for (int p = 0; p < PARTS; p++) {
            counts[p] = load(block->min_bank + p * VEC_LANES) <= (double)t; /* lanes in which t turn points may be banked */
            bank[p] = load(block->bank_value[0][t] + p * VEC_LANES);
            if (t < block->cap && t < block->max_min_bank)
                bank[p] = blend(counts[p], bank[p], load(payoffs[KW_PASS][0] + p * VEC_LANES));
            stop_modes[p] = (mask){0};
        }
        for (int m = 0; m < turn->modes; m++) {
            if (!(block->needed_modes[t] >> m & 1))
                continue;
            double *cell = table + (int64_t)t * row_size + m * KW_LANES;
            int is_stop = t >= block->cap || block->certain_modes[t] >> m & 1;
            if (!is_stop)
                NAME(expected_maximum)(turn, table + (int64_t)t * row_size, m, bust, wipe, maxima, value, work);
            for (int p = 0; p < PARTS; p++) {
                if (is_stop)
                    value[p] = bank[p];
                else if (t) { /* with no turn points there is nothing to bank */
                    mask better = value[p] > bank[p];
                    stop_modes[p] |= ~better & counts[p] & (int64_t)((uint64_t)1 << m);
                    value[p] = blend(better, value[p], bank[p]);
                }
                store(cell + p * VEC_LANES, value[p]);
            }
        }
        for (int p = 0; p < PARTS && t < block->cap; p++)
            memcpy(block->stop_modes[t] + p * VEC_LANES, &stop_modes[p], sizeof stop_modes[p]);
    }
    NAME(choose_start)(turn, block, table, 0, 1);
}
#undef PARTS
#endif

/* Solve the turn in all lanes of a block: all needed rows of turn points from the highest down, then the best start mode.
 * Writes block->value and block->stop_modes; with write_roll_values also the values before each roll, to block->roll_value.
 *
 * table, plane: scratch, and the doubles of a channel in it. channels, forbid: the number of channels, and 1 if no choice
 * may pass the target. work: the number of choices evaluated is added. */
KW_INLINE void NAME(solve_rows)(const kw_monotone_turn *turn, kw_turn_block *block, const kw_ending_payoffs payoffs,
                                double *table, int64_t plane, const int channels, const int forbid, int write_roll_values,
                                int64_t *work) {
    const int32_t row_size = turn->modes * KW_LANES;
    NAME(ending_vecs) ending;
    vec value[KW_MAX_TURN_CHANNELS], bank[KW_MAX_TURN_CHANNELS];
    int32_t first_row = block->cap - 1 < block->max_points ? block->cap - 1 : block->max_points;
    uint64_t stops_above = turn->bank_modes; /* modes that stop for certain in all rows above */
    for (int i = 0; i < KW_LANES && block->max_points >= block->cap; i += VEC_LANES) {
        for (int k = 0; k < channels; k++)
            ending.bust[k] = load(payoffs[KW_BUST][k] + i), ending.wipe[k] = load(payoffs[KW_WIPE][k] + i);
        NAME(solve_from_cap)(turn, block, &ending, table, plane, channels, forbid, i);
        for (int m = 0; write_roll_values && m < turn->modes; m++) {
            NAME(expected_roll)(turn, turn->class_start, table + (int64_t)block->cap * row_size + i, plane, m, &ending,
                                channels, forbid, value);
            for (int k = 0; k < channels; k++)
                store(block->roll_value[k][(int64_t)block->cap * turn->modes + m] + i, value[k]);
        }
    }
    for (int32_t t = first_row; t >= 0; stops_above &= block->certain_modes[t--]) {
        if (!block->needed_modes[t])
            continue;
        /* The number of trailing ones: how many of the first modes stop in all rows above. */
        int stopping = __builtin_ctzll(~stops_above | (uint64_t)1 << 63);
        const int32_t *class_start =
            turn->class_start + (t < block->first_pruned_row ? 0 : stopping + 1) * (turn->modes + 1);
        for (int i = 0; i < KW_LANES; i += VEC_LANES) {
            for (int k = 0; k < channels; k++)
                ending.bust[k] = load(payoffs[KW_BUST][k] + i), ending.wipe[k] = load(payoffs[KW_WIPE][k] + i),
                ending.pass[k] = load(payoffs[KW_PASS][k] + i);
            mask counts = load(block->min_bank + i) <= (double)t; /* lanes in which t turn points may be banked */
            mask stop_modes = {0}, past_target = {0};
            for (int m = 0, is_loaded = 0; m < turn->modes; m++) {
                if (!(block->needed_modes[t] >> m & 1))
                    continue;
                if (!is_loaded || block->banks_by_mode) {
                    NAME(load_bank)(turn, block, t, m, i, channels, bank);
                    past_target = bank[0] == -INFINITY; /* before KW_PASS: too few points to bank are not past the target */
                    for (int k = 0; k < channels && t < block->max_min_bank; k++)
                        bank[k] = blend(counts, bank[k], ending.pass[k]);
                    is_loaded = 1;
                }
                double *cell = table + (int64_t)t * row_size + m * KW_LANES + i;
                if (block->certain_modes[t] >> m & 1) { /* the stop is known to be optimal, so no roll is evaluated */
                    for (int k = 0; k < channels; k++)
                        store(cell + k * plane, bank[k]);
                    continue;
                }
                NAME(expected_roll)(turn, class_start, table + (int64_t)t * row_size + i, plane, m, &ending, channels, forbid,
                                    value);
                for (int k = 0; write_roll_values && k < channels; k++)
                    store(block->roll_value[k][(int64_t)t * turn->modes + m] + i, value[k]);
                if (t && turn->bank_modes >> m & 1) {
                    mask better = value[0] > bank[0];
                    stop_modes |= ~better & counts & (int64_t)((uint64_t)1 << m);
                    for (int k = 0; k < channels; k++)
                        value[k] = blend(better, value[k], bank[k]);
                }
                if (forbid)
                    value[0] = blend(past_target, (vec){0} - INFINITY, value[0]);
                for (int k = 0; k < channels; k++)
                    store(cell + k * plane, value[k]);
            }
            memcpy(block->stop_modes[t] + i, &stop_modes, sizeof stop_modes);
        }
        for (int m = 0; m < turn->modes; m++)
            if (block->needed_modes[t] & ~block->certain_modes[t] & (uint64_t)1 << m)
                *work += turn->choice_start[class_start[m + 1]] - turn->choice_start[class_start[m]];
    }
    NAME(choose_start)(turn, block, table, plane, channels);
}

/* Solve one turn of every lane for the bust values of `payoffs`, and write block->value and block->stop_modes.
 * write_roll_values: also write R to block->roll_value. work: add the number of choices evaluated for the block.
 * The common numbers of channels have constants of their own, so that the compiler keeps their vectors in registers. */
static void NAME(monotone_turn)(const kw_monotone_turn *turn, kw_turn_block *block, const kw_ending_payoffs payoffs,
                                double *table, int64_t plane, int channels, int write_roll_values, int64_t *work) {
#ifndef KW_SLOPES_ONLY
    if (turn->term && channels == 1 && !write_roll_values) {
        NAME(solve_values)(turn, block, payoffs, table, table + plane, work); /* the table has room for further channels */
        return;
    }
#endif
#define KW_CASE(forbids, number)                                                                                       \
    if (turn->forbid_above_cap == forbids && channels == number) {                                                     \
        NAME(solve_rows)(turn, block, payoffs, table, plane, number, forbids, write_roll_values, work);                \
        return;                                                                                                        \
    }
    KW_CASE(0, 1)
    KW_CASE(0, 2)
    KW_CASE(0, 3)
    KW_CASE(1, 2)
    KW_CASE(1, 3)
#ifdef KW_THREE_CHANNELS
    KW_CASE(1, 1)
#else
    KW_CASE(0, 4)
    KW_CASE(1, 4)
    NAME(solve_rows)(turn, block, payoffs, table, plane, channels, turn->forbid_above_cap, write_roll_values, work);
#endif
#undef KW_CASE
}
