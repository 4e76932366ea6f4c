/* The turn of climb.h, solved; included once for each width of registers, see each_width.h. */

/* One throw in a mode, from row `at` of the table: the expectation of the best choices, all channels. */
KW_INLINE void NAME(climb_throw)(const kw_climb *turn, const double *at, int64_t plane, int m, const part *ending,
                                 const int channels, const int forbid, part *sum) {
    /* ending[0]: a bust; [1 ..]: a wiped score, in every channel */
    sum[0] = turn->bust[m] * ending[0] + turn->wipe[m] * ending[1] + turn->win[m];
    if (channels > 1)
        sum[1] = turn->bust[m] + turn->wipe[m] * ending[2];
    for (int k = 2; k < channels; k++)
        sum[k] = turn->wipe[m] * ending[1 + k];
    for (int c = turn->class_start[m]; c < turn->class_start[m + 1]; c++) {
        const int32_t *lead = turn->leads + turn->choice_start[c], *last = turn->leads + turn->choice_start[c + 1];
        part first = load(at + *lead), best[KW_CLIMB_CHANNELS];
        for (int k = 1; k < channels; k++)
            best[k] = load(at + k * plane + *lead);
        while (++lead < last) {
            part other = load(at + *lead);
            mask better = other > first;
            first = choose(better, other, first);
            for (int k = 1; k < channels; k++)
                best[k] = choose(better, load(at + k * plane + *lead), best[k]);
        }
        if (forbid) { /* every choice would pass the target: the throw counts as a bust */
            mask some = first > (part){0} - INFINITY;
            first = choose(some, first, ending[0]);
            if (channels > 1)
                best[1] = choose(some, best[1], (part){0} + 1);
            for (int k = 2; k < channels; k++)
                best[k] = choose(some, best[k], (part){0});
        }
        sum[0] += turn->weight[c] * first;
        for (int k = 1; k < channels; k++)
            sum[k] += turn->weight[c] * best[k];
    }
    for (int k = 0; k < channels; k++)
        sum[k] /= turn->total[m];
}

/* The rows that a turn comes to beyond the cap, lanes i .. of them: whoever may stops there, the others go on among
 * themselves until they may. */
KW_INLINE void NAME(climb_over)(const kw_climb *turn, const kw_side *s, const part *ending, double *table, int64_t plane,
                                const int channels, const int forbid, int i) {
    const int32_t row = turn->modes * KW_LANES;
    uint16_t forced = 0; /* modes needed that cannot bank */
    for (int32_t t = s->highest; t >= s->top; t--)
        for (int m = 0; m < turn->modes; m++)
            if (s->needed[t] >> m & 1) {
                double *cell = table + (int64_t)t * row + m * KW_LANES + i;
                int bank = forbid || turn->banks >> m & 1;
                store(cell, bank ? load(s->stop[0][t] + i) : ending[0]);
                if (channels > 1)
                    store(cell + plane, (part){0} + !bank);
                for (int k = 2; k < channels; k++)
                    store(cell + k * plane, bank ? load(s->stop[k][t] + i) : (part){0});
                forced |= (uint16_t)(!bank << m);
            }
    for (int pass = 0; forced && pass < turn->over_passes; pass++)
        for (int m = 0; m < turn->modes; m++)
            if (forced >> m & 1) {
                part value[KW_CLIMB_CHANNELS];
                const double *at = table + (int64_t)(s->top - 1) * row + i;
                NAME(climb_throw)(turn, at, plane, m, ending, channels, forbid, value);
                for (int32_t t = s->highest; t >= s->top; t--)
                    for (int k = 0; k < channels; k++)
                        store(table + k * plane + (int64_t)t * row + m * KW_LANES + i, value[k]);
            }
}

KW_INLINE void NAME(climb)(const kw_climb *turn, kw_side *s, const double (*endings)[KW_LANES], double *table,
                           int64_t plane, const int channels, const int forbid, int64_t *work) {
    const int32_t row = turn->modes * KW_LANES;
    part ending[KW_CLIMB_ENDINGS], value[KW_CLIMB_CHANNELS], stop[KW_CLIMB_CHANNELS];
    for (int i = 0; i < KW_LANES && s->highest >= s->top; i += PART) {
        for (int k = 0; k <= channels; k++)
            ending[k] = load(endings[k] + i);
        NAME(climb_over)(turn, s, ending, table, plane, channels, forbid, i);
    }
    for (int32_t t = s->top - 1 < s->highest ? s->top - 1 : s->highest; t >= 0; t--) {
        if (!s->needed[t])
            continue;
        for (int i = 0; i < KW_LANES; i += PART) {
            for (int k = 0; k <= channels; k++)
                ending[k] = load(endings[k] + i);
            stop[0] = load(s->stop[0][t] + i);
            if (channels > 1)
                stop[1] = (part){0};
            for (int k = 2; k < channels; k++)
                stop[k] = load(s->stop[k][t] + i);
            mask counted = load(s->counts + i) <= (double)t;
            if (t < s->counts_most) {
                stop[0] = choose(counted, stop[0], ending[0]);
                if (channels > 1)
                    stop[1] = choose(counted, stop[1], (part){0} + 1);
                for (int k = 2; k < channels; k++)
                    stop[k] = choose(counted, stop[k], (part){0});
            }
            for (int m = 0; m < turn->modes; m++) {
                if (!(s->needed[t] >> m & 1))
                    continue;
                double *cell = table + (int64_t)t * row + m * KW_LANES + i;
                if (s->certain[t] >> m & 1) {
                    for (int k = 0; k < channels; k++)
                        store(cell + k * plane, stop[k]);
                    continue;
                }
                NAME(climb_throw)(turn, table + (int64_t)t * row + i, plane, m, ending, channels, forbid, value);
                if (t && turn->banks >> m & 1) {
                    mask better = value[0] > stop[0], stopped = ~better & counted;
                    memcpy(s->stopped[t * turn->modes + m] + i, &stopped, sizeof stopped);
                    for (int k = 0; k < channels; k++)
                        value[k] = choose(better, value[k], stop[k]);
                }
                if (forbid) /* past the target */
                    value[0] = choose(stop[0] == -INFINITY, stop[0], value[0]);
                for (int k = 0; k < channels; k++)
                    store(cell + k * plane, value[k]);
            }
        }
        for (int m = 0; m < turn->modes; m++)
            if (s->needed[t] & ~s->certain[t] & 1u << m)
                *work += turn->choice_start[turn->class_start[m + 1]] - turn->choice_start[turn->class_start[m]];
    }
    for (int k = 0; k < channels; k++)
        memcpy(s->value[k], table + k * plane + turn->start * KW_LANES, sizeof s->value[k]);
}

/* One turn of every lane for the busts given: its value, slope and what is carried along; `work` counts the choices that
 * are weighed. The usual numbers of channels get code of their own, so that their parts stay in registers. */
static void NAME(climb_turn)(const kw_climb *turn, kw_side *s, const double (*endings)[KW_LANES], double *table,
                             int64_t plane, int channels, int64_t *work) {
#define KW_CASE(forbids, number)                                                                                       \
    if (turn->forbid == forbids && channels == number) {                                                               \
        NAME(climb)(turn, s, endings, table, plane, number, forbids, work);                                            \
        return;                                                                                                        \
    }
    KW_CASE(0, 2)
    KW_CASE(0, 3)
    KW_CASE(0, 4)
    KW_CASE(1, 2)
    KW_CASE(1, 3)
    KW_CASE(1, 4)
#undef KW_CASE
    NAME(climb)(turn, s, endings, table, plane, channels, turn->forbid, work);
}
