/* The turn of climb.h, solved; included once for each width of registers, see each_width.h. */

/* What a bust, a wiped score and a stop that does not count pay, for a part of the lanes. */
typedef struct {
    part bust[KW_CLIMB_CHANNELS], wipe[KW_CLIMB_CHANNELS], pass[KW_CLIMB_CHANNELS];
} NAME(endings);

/* One throw in a mode, from row `at` of the table: the expectation of the best choices, all channels; class_start: of the
 * choices that are weighed. */
KW_INLINE void NAME(climb_throw)(const kw_climb *turn, const int32_t *class_start, const double *at, int64_t plane, int m,
                                 const NAME(endings) *ending, const int channels, const int forbid, part *sum) {
    sum[0] = turn->bust[m] * ending->bust[0] + turn->wipe[m] * ending->wipe[0] + turn->win[m];
    for (int k = 1; k < channels; k++)
        sum[k] = turn->bust[m] * ending->bust[k] + turn->wipe[m] * ending->wipe[k];
    for (int c = class_start[m]; c < class_start[m + 1]; c++) {
        const int32_t *lead = turn->leads + turn->choice_start[c], *last = turn->leads + turn->choice_start[c + 1];
        part first = load(at + *lead), best[KW_CLIMB_CHANNELS];
        for (int k = 1; k < channels; k++)
            best[k] = load(at + k * plane + *lead);
        while (++lead < last) {
            part other = load(at + *lead);
            mask better = other > first;
            first = larger(first, other);
            for (int k = 1; k < channels; k++)
                best[k] = choose(better, load(at + k * plane + *lead), best[k]);
        }
        if (forbid) { /* every choice would pass the target: the throw counts as a bust */
            mask some = first > (part){0} - INFINITY;
            first = choose(some, first, ending->bust[0]);
            for (int k = 1; k < channels; k++)
                best[k] = choose(some, best[k], ending->bust[k]);
        }
        sum[0] += turn->weight[c] * first;
        for (int k = 1; k < channels; k++)
            sum[k] += turn->weight[c] * best[k];
    }
    for (int k = 0; k < channels; k++)
        sum[k] /= turn->total[m];
}

/* What stopping in a mode with t points in hand pays. */
KW_INLINE void NAME(climb_stop)(const kw_climb *turn, const kw_side *s, int32_t t, int m, int i, const int channels,
                                part *stop) {
    int64_t at = s->apart ? (int64_t)t * turn->modes + m : t;
    stop[0] = load(s->stop[0][at] + i);
    if (channels > 1)
        stop[1] = (part){0};
    for (int k = 2; k < channels; k++)
        stop[k] = load(s->stop[k][at] + i);
}

/* The rows that a turn comes to beyond the cap, lanes i .. of them: whoever may stops there, the others go on among
 * themselves until they may. */
KW_INLINE void NAME(climb_over)(const kw_climb *turn, const kw_side *s, const NAME(endings) *ending, double *table,
                                int64_t plane, const int channels, const int forbid, int i) {
    const int32_t row = turn->modes * KW_LANES;
    uint64_t forced = 0; /* modes needed that cannot bank */
    for (int32_t t = s->highest; t >= s->top; t--)
        for (int m = 0; m < turn->modes; m++)
            if (s->needed[t] >> m & 1) {
                double *cell = table + (int64_t)t * row + m * KW_LANES + i;
                int bank = forbid || turn->banks >> m & 1;
                part stop[KW_CLIMB_CHANNELS];
                NAME(climb_stop)(turn, s, t, m, i, channels, stop);
                for (int k = 0; k < channels; k++)
                    store(cell + k * plane, bank ? stop[k] : ending->bust[k]);
                forced |= (uint64_t)!bank << m;
            }
    for (int pass = 0; forced && pass < turn->over_passes; pass++)
        for (int m = 0; m < turn->modes; m++)
            if (forced >> m & 1) {
                part value[KW_CLIMB_CHANNELS];
                const double *at = table + (int64_t)(s->top - 1) * row + i;
                NAME(climb_throw)(turn, turn->class_start, at, plane, m, ending, channels, forbid, value);
                for (int32_t t = s->highest; t >= s->top; t--)
                    for (int k = 0; k < channels; k++)
                        store(table + k * plane + (int64_t)t * row + m * KW_LANES + i, value[k]);
            }
}

KW_INLINE void NAME(climb)(const kw_climb *turn, kw_side *s, const kw_endings endings, double *table, int64_t plane,
                           const int channels, const int forbid, int thrown, int64_t *work) {
    const int32_t row = turn->modes * KW_LANES;
    NAME(endings) ending;
    part value[KW_CLIMB_CHANNELS], stop[KW_CLIMB_CHANNELS];
    int32_t below = s->top - 1 < s->highest ? s->top - 1 : s->highest;
    uint64_t above = s->fewer ? turn->banks : 0; /* modes in which stopping is certain in all rows above */
    for (int i = 0; i < KW_LANES && s->highest >= s->top; i += PART) {
        for (int k = 0; k < channels; k++)
            ending.bust[k] = load(endings[KW_BUST][k] + i), ending.wipe[k] = load(endings[KW_WIPE][k] + i);
        NAME(climb_over)(turn, s, &ending, table, plane, channels, forbid, i);
        for (int m = 0; thrown && m < turn->modes; m++) {
            NAME(climb_throw)(turn, turn->class_start, table + (int64_t)s->top * row + i, plane, m, &ending, channels, forbid,
                              value);
            for (int k = 0; k < channels; k++)
                store(s->thrown[k][(int64_t)s->top * turn->modes + m] + i, value[k]);
        }
    }
    for (int32_t t = below; t >= 0; above &= s->certain[t--]) {
        if (!s->needed[t])
            continue;
        const int32_t *class_start = turn->class_start + __builtin_ctzll(~above | (uint64_t)1 << 63) * (turn->modes + 1);
        for (int i = 0; i < KW_LANES; i += PART) {
            for (int k = 0; k < channels; k++)
                ending.bust[k] = load(endings[KW_BUST][k] + i), ending.wipe[k] = load(endings[KW_WIPE][k] + i),
                ending.pass[k] = load(endings[KW_PASS][k] + i);
            mask counted = load(s->counts + i) <= (double)t;
            mask stopped = {0}, past = {0};
            for (int m = 0, set = 0; m < turn->modes; m++) {
                if (!(s->needed[t] >> m & 1))
                    continue;
                if (!set || s->apart) {
                    NAME(climb_stop)(turn, s, t, m, i, channels, stop);
                    past = stop[0] == -INFINITY; /* the target; who may only not stop with so few points goes on */
                    for (int k = 0; k < channels && t < s->counts_most; k++)
                        stop[k] = choose(counted, stop[k], ending.pass[k]);
                    set = 1;
                }
                double *cell = table + (int64_t)t * row + m * KW_LANES + i;
                if (s->certain[t] >> m & 1) {
                    for (int k = 0; k < channels; k++)
                        store(cell + k * plane, stop[k]);
                    continue;
                }
                NAME(climb_throw)(turn, class_start, table + (int64_t)t * row + i, plane, m, &ending, channels, forbid, value);
                for (int k = 0; thrown && k < channels; k++)
                    store(s->thrown[k][(int64_t)t * turn->modes + m] + i, value[k]);
                if (t && turn->banks >> m & 1) {
                    mask better = value[0] > stop[0];
                    stopped |= ~better & counted & (int64_t)((uint64_t)1 << m);
                    for (int k = 0; k < channels; k++)
                        value[k] = choose(better, value[k], stop[k]);
                }
                if (forbid)
                    value[0] = choose(past, (part){0} - INFINITY, value[0]);
                for (int k = 0; k < channels; k++)
                    store(cell + k * plane, value[k]);
            }
            memcpy(s->stopped[t] + i, &stopped, sizeof stopped);
        }
        for (int m = 0; m < turn->modes; m++)
            if (s->needed[t] & ~s->certain[t] & (uint64_t)1 << m)
                *work += turn->choice_start[class_start[m + 1]] - turn->choice_start[class_start[m]];
    }
    for (int m = 0, first = 1; m < turn->modes; m++) { /* the turn begins in the best of its starts */
        if (!(turn->starts >> m & 1))
            continue;
        for (int i = 0; i < KW_LANES; i += PART) {
            const double *cell = table + m * KW_LANES + i;
            mask better = load(cell) > load(s->value[0] + i);
            if (first)
                better = (mask){0} - 1;
            for (int k = 0; k < channels; k++)
                store(s->value[k] + i, choose(better, load(cell + k * plane), load(s->value[k] + i)));
        }
        first = 0;
    }
}

/* One turn of every lane for the busts given: its value, slope and what is carried along; `thrown`: also what throwing on is
 * worth everywhere; `work` counts the choices that are weighed. The usual numbers of channels get code of their own, so that
 * their parts stay in registers. */
static void NAME(climb_turn)(const kw_climb *turn, kw_side *s, const kw_endings endings, double *table, int64_t plane,
                             int channels, int thrown, int64_t *work) {
#define KW_CASE(forbids, number)                                                                                       \
    if (turn->forbid == forbids && channels == number) {                                                               \
        NAME(climb)(turn, s, endings, table, plane, number, forbids, thrown, work);                                    \
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
    NAME(climb)(turn, s, endings, table, plane, channels, turn->forbid, thrown, work);
#endif
#undef KW_CASE
}
