/* Whole numbers, a register of them at a time; included once for each width of registers, see each_width.h. */

#define longs NAME(longs)
typedef long long longs __attribute__((vector_size(KW_BYTES)));

KW_INLINE longs NAME(read)(const int64_t *from) {
    longs some;
    memcpy(&some, from, sizeof(longs));
    return some;
}

KW_INLINE void NAME(write)(int64_t *to, longs some) { memcpy(to, &some, sizeof(longs)); }

KW_INLINE longs NAME(most)(longs a, longs b) {
#if KW_BYTES == 64
    return __builtin_ia32_pmaxsq512_mask(a, b, a, -1);
#else
    longs more = a > b;
    return (a & more) | (b & ~more);
#endif
}

/* The lower halves, multiplied. */
KW_INLINE longs NAME(times)(longs a, longs b) {
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

/* The upper halves. */
KW_INLINE longs NAME(upper)(longs a) {
    typedef unsigned long long counts __attribute__((vector_size(KW_BYTES)));
    return (longs)((counts)a >> 32);
}

/* --- a push-your-luck turn */

/* The best choice of a class with `points` in hand, for the lanes from i on. */
KW_INLINE longs NAME(best)(const kw_push_turn *turn, const block *b, int c, int64_t points, int i, const int beyond) {
    longs best = {0};
    for (int j = turn->choice_start[c]; j < turn->choice_start[c + 1]; j++) {
        int64_t held = points & turn->keeps[j];
        if (beyond && held + turn->add[j] > b->top) /* all rows from `top` on are one there */
            held = b->top - turn->add[j];
        best = NAME(most)(best, NAME(read)(b->table + (b->lead[j] + held) * KW_LANES + i));
    }
    if (turn->forbid) { /* every choice would pass the cap: the throw counts as a bust */
        longs none = best == 0;
        best |= NAME(read)(b->table + i) & none;
    }
    return best;
}

/* The mean of a throw's classes, rounded, into `value` where that is less. */
KW_INLINE void NAME(mean)(const kw_push_turn *turn, const kw_whole_push_job *job, block *b, int throw, int64_t points,
                          int64_t *value, const int beyond) {
    int64_t total = job->total[throw];
    if (total >> 31) {
        for (int i = 0; i < KW_LANES; i += PART) {
            __int128 sum[PART];
            for (int l = 0; l < PART; l++)
                sum[l] = b->up[i + l] ? total - 1 : 0;
            for (int c = turn->class_start[throw]; c < turn->class_start[throw + 1]; c++) {
                longs best = NAME(best)(turn, b, c, points, i, beyond);
                for (int l = 0; l < PART; l++)
                    sum[l] += (__int128)job->weight[b->up[i + l]][c] * best[l];
            }
            for (int l = 0; l < PART; l++) {
                int64_t mean = (int64_t)(sum[l] / total);
                value[i + l] = mean > value[i + l] ? mean : value[i + l];
            }
        }
        return;
    }
    for (int i = 0; i < KW_LANES; i += PART) {
        longs low = {0}, high = {0};
        for (int c = turn->class_start[throw]; c < turn->class_start[throw + 1]; c++) {
            longs best = NAME(best)(turn, b, c, points, i, beyond), weight = (longs){0} + job->weight[0][c];
            low += NAME(times)(best, weight);
            high += NAME(times)(NAME(upper)(best), weight);
        }
        NAME(write)(b->low + i, low);
        NAME(write)(b->high + i, high);
    }
    for (int l = 0; l < KW_LANES; l++) { /* high * 2 ** 32 + low, divided; what is left of `high` is below the total */
        uint64_t part = total, high = b->high[l], low = b->low[l] + (b->up[l] ? part - 1 : 0);
        uint64_t whole = high / part, rest = high % part;
        int64_t mean = (whole << 32) + ((rest << 32) + low) / part;
        value[l] = mean > value[l] ? mean : value[l];
    }
}

/* What going on is worth in a mode, the best of its throws; beside the table, since a mode can lead to itself. */
KW_INLINE void NAME(thrown)(const kw_push_turn *turn, const kw_whole_push_job *job, block *b, int mode, int64_t points,
                            int64_t *value, const int beyond) {
    memset(value, 0, KW_LANES * sizeof(int64_t));
    for (int a = turn->throw_start[mode]; a < turn->throw_start[mode + 1]; a++)
        NAME(mean)(turn, job, b, a, points, value, beyond);
}

KW_INLINE const int64_t *NAME(paid)(const kw_whole_push_job *job, const block *b, int64_t ending) {
    return job->payoff + ending * job->stride + b->lane;
}

/* Rows `top` of a group: nobody comes there, or stopping pays, and who may not stop throws on. */
KW_INLINE void NAME(ends)(const kw_push_turn *turn, const kw_whole_push_job *job, block *b, int group) {
    const int32_t *modes = turn->order + turn->group_start[group], *last = turn->order + turn->group_start[group + 1];
    int forced = 0;
    for (const int32_t *m = modes; m < last; m++) {
        int64_t *cell = row_of(turn, b, *m, b->top);
        for (int l = 0; l < KW_LANES; l++) {
            int64_t lane = b->lane + l;
            if (turn->forbid)
                cell[l] = 0;
            else if (turn->bank[*m] < 0)
                cell[l] = job->open[lane];
            else
                cell[l] = NAME(paid)(job, b, turn->bank[*m] + job->cap[lane])[l] + job->more[*m * job->stride + lane];
        }
        forced |= turn->bank[*m] < 0;
    }
    for (int pass = 0; forced && !turn->forbid && !job->past && pass < turn->over_passes; pass++) {
        int changed = 0;
        for (const int32_t *m = modes; m < last; m++) {
            int64_t value[KW_LANES], *cell = row_of(turn, b, *m, b->top);
            if (turn->bank[*m] >= 0)
                continue;
            NAME(thrown)(turn, job, b, *m, b->top, value, 1);
            changed |= memcmp(cell, value, sizeof value) != 0;
            memcpy(cell, value, sizeof value);
        }
        if (!changed)
            break;
    }
    for (const int32_t *m = modes; m < last; m++)
        for (int64_t t = b->top + 1; t <= b->top + turn->max_add; t++)
            memcpy(row_of(turn, b, *m, t), row_of(turn, b, *m, b->top), KW_LANES * sizeof(int64_t));
}

/* A row of a mode. */
KW_INLINE void NAME(row)(const kw_push_turn *turn, const kw_whole_push_job *job, block *b, int mode, int64_t points) {
    const int32_t *cap = job->cap + b->lane;
    int stops = turn->bank[mode] >= 0 && points >= turn->bank_from[mode], throws = !stops;
    int64_t value[KW_LANES] = {0}, *cell = row_of(turn, b, mode, points), *over = row_of(turn, b, mode, b->top);
    for (int l = 0; l < KW_LANES; l++)
        throws |= points < cap[l];
    if (throws)
        NAME(thrown)(turn, job, b, mode, points, value, 0);
    const int64_t *stop = stops ? NAME(paid)(job, b, turn->bank[mode] + points) : value;
    for (int l = 0; l < KW_LANES; l++) {
        int64_t here = value[l];
        if (stops && points < cap[l])
            here = stop[l] > here ? stop[l] : here;
        else if (stops)
            here = stop[l] + job->more[mode * job->stride + b->lane + l];
        int inside = points < cap[l] + job->past || (job->past && turn->bank[mode] >= 0);
        cell[l] = inside ? here : over[l];
    }
}

static void NAME(push)(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t first, int64_t step,
                       int64_t *scratch) {
    for (int64_t n = first; n * KW_LANES < job->stride; n += step) {
        block b = {.lane = n * KW_LANES, .before = job->most_off};
        const int32_t *cap = job->cap + b.lane;
        for (int l = 0; l < KW_LANES; l++)
            b.top = cap[l] > b.top ? cap[l] : b.top;
        b.top += job->past ? job->past + turn->max_add : 0;
        b.rows = b.before + b.top + turn->max_add + 1;
        b.table = (int64_t *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
        b.lead = b.table + (turn->specials + turn->modes * b.rows) * KW_LANES;
        memcpy(b.up, job->up + b.lane, sizeof b.up);
        for (int j = 0; j < turn->choice_start[turn->class_start[turn->throw_start[turn->modes]]]; j++) {
            int next = turn->next[j], mode = next < turn->modes;
            b.lead[j] = mode ? turn->specials + next * b.rows + b.before + turn->add[j] : next - turn->modes;
        }
        for (int e = 0; e < turn->specials; e++)
            memcpy(b.table + e * KW_LANES, NAME(paid)(job, &b, e), KW_LANES * sizeof(int64_t));
        for (int g = 0; g < turn->groups; g++) {
            const int32_t *modes = turn->order + turn->group_start[g], *last = turn->order + turn->group_start[g + 1];
            NAME(ends)(turn, job, &b, g);
            for (int64_t t = b.top - 1; t >= 0; t--)
                for (const int32_t *m = modes; m < last; m++)
                    if (t <= turn->most[*m])
                        NAME(row)(turn, job, &b, *m, t);
            for (const int32_t *m = modes; m < last; m++)
                for (int64_t t = -b.before; t < 0; t++)
                    memcpy(row_of(turn, &b, *m, t), row_of(turn, &b, *m, 0), KW_LANES * sizeof(int64_t));
        }
        memcpy(job->value + b.lane, row_of(turn, &b, turn->start, 0), KW_LANES * sizeof(int64_t));
        for (int m = 0; job->inner && m < turn->modes; m++)
            for (int64_t t = 0; t < job->rows; t++) {
                int64_t from = t > b.top || (t > turn->most[m] && t < b.top) ? b.top : t;
                int64_t *to = job->inner + (m * (int64_t)job->rows + t) * job->stride + b.lane;
                memcpy(to, row_of(turn, &b, m, from), KW_LANES * sizeof(int64_t));
            }
    }
}

/* --- a turn of keeping dice */

/* The best option that a problem has for every full throw. */
KW_INLINE int NAME(entered)(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t problem, int64_t lane,
                            int64_t *full) {
    int64_t throws = turn->nodes - turn->first_full, last = job->width - KW_LANES;
    for (int64_t i = 0; i < throws * KW_LANES; i++)
        full[i] = -1;
    for (int64_t o = job->option_start[problem]; o < job->option_start[problem + 1]; o++) {
        const int64_t *gain = turn->gain + job->column[o] * throws, *row = job->after + job->row[o] * job->width;
        const int32_t *shift = turn->shift + job->column[o] * throws;
        for (int64_t m = job->from[o]; m < job->to[o]; m++) {
            int64_t at = lane + shift[m];
            at = at < 0 ? 0 : at > last ? last : at;
            for (int i = 0; gain[m] >= 0 && i < KW_LANES; i += PART) {
                longs worth = NAME(read)(row + at + i) + gain[m];
                NAME(write)(full + m * KW_LANES + i, NAME(most)(NAME(read)(full + m * KW_LANES + i), worth));
            }
        }
    }
    int all = 1;
    for (int64_t m = 0; m < throws; m++)
        all &= full[m * KW_LANES] >= 0;
    return all;
}

/* What keeping each partial throw is worth, from the full throws down. Of fair dice, with their faces 2 ** 32 / (whole
 * + (rest + e) / 2 ** 32), e below 1, what is computed of a sum is below the mean by less than 3, and never above it. */
KW_INLINE void NAME(walk_down)(const kw_whole_keep *turn, int64_t *table, divisor by, const int faces, const int fair) {
    for (int32_t n = turn->first_full - 1; n >= 0; n--) {
        const int32_t *child = turn->child + (int64_t)n * faces;
        for (int l = 0; !fair && l < KW_LANES; l++) {
            __int128 sum = by.up ? turn->total - 1 : 0;
            for (int f = 0; f < faces; f++)
                sum += (__int128)turn->weight[f] * table[(int64_t)child[f] * KW_LANES + l];
            table[(int64_t)n * KW_LANES + l] = (int64_t)(sum / turn->total);
        }
        if (!fair)
            continue;
        for (int i = 0; i < KW_LANES; i += PART) {
            longs sum = {0}, whole = sum + by.whole;
#pragma GCC unroll 6
            for (int f = 0; f < faces; f++)
                sum += NAME(read)(table + (int64_t)child[f] * KW_LANES + i);
            longs high = NAME(upper)(sum), rest = (longs){0} + by.rest;
            sum = NAME(times)(high, whole) + NAME(upper)(NAME(times)(high, rest) + NAME(times)(sum, whole));
            NAME(write)(table + (int64_t)n * KW_LANES + i, sum + by.up);
        }
    }
}

/* The best that can be kept of each throw, from the empty one up. */
KW_INLINE void NAME(walk_up)(const kw_whole_keep *turn, int64_t *table) {
    const int32_t *parent = turn->parent;
    for (int32_t n = 1; n < turn->nodes; n++) {
        const int32_t *last = turn->parent + turn->parent_start[n + 1];
        for (int i = 0; i < KW_LANES; i += PART) {
            longs best = NAME(read)(table + (int64_t)n * KW_LANES + i);
            for (const int32_t *p = parent; p < last; p++)
                best = NAME(most)(best, NAME(read)(table + (int64_t)*p * KW_LANES + i));
            NAME(write)(table + (int64_t)n * KW_LANES + i, best);
        }
        parent = last;
    }
}

KW_INLINE void NAME(kept)(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step,
                          int64_t *table, const int faces, const int fair) {
    uint64_t total = faces, one = (uint64_t)1 << 32;
    divisor by = {.whole = one / total, .rest = (one % total << 32) / total, .up = job->up ? 3 : 0};
    for (int64_t block = first; block < job->blocks; block += step) {
        int64_t *full = table + (int64_t)turn->first_full * KW_LANES, *value = job->value + block * KW_LANES;
        int all = NAME(entered)(turn, job, job->problem[block], job->lane[block], full);
        NAME(walk_down)(turn, table, by, faces, fair);
        for (int throw = turn->throws - 1; throw > 0; throw--) {
            if (job->early)
                all &= NAME(entered)(turn, job, job->early[(throw - 1) * job->blocks + block], job->lane[block], full);
            NAME(walk_up)(turn, table);
            NAME(walk_down)(turn, table, by, faces, fair);
        }
        if (!all)
            table[0] = -1;
        memcpy(value, table, KW_LANES * sizeof(int64_t));
    }
}

static void NAME(keep)(const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step,
                       int64_t *table) {
    int fair = 1;
    for (int f = 1; f < turn->faces; f++)
        fair &= turn->weight[f] == turn->weight[0];
    if (fair && turn->faces == 6)
        NAME(kept)(turn, job, first, step, table, 6, 1);
    else
        NAME(kept)(turn, job, first, step, table, turn->faces, fair);
}

#undef longs
