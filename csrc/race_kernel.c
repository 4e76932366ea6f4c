#include "race_kernel.h"

#include <stdatomic.h>

#include "lanes.h"

#ifdef _WIN32
#include <windows.h>
#define give_way() SwitchToThread()
#else
#include <sched.h>
#define give_way() sched_yield()
#endif

#define EXACT_PASSES 8 /* then rounding noise may keep a zero turn from settling closer */
#define NEWTON_PASSES 20 /* then a bracket is halved too */
#define MOST_PASSES 400
#define ROOM 0x1p-4      /* share of a gap that is added to one that did not cover what it must */
#define HOPELESS 0x1p-40 /* a chance to change anything in a pair of turns that double precision cannot work with */
#define MOST_GAP 0x1p-20 /* a gap that leaves no bound worth stating */
#define CHANNELS 3       /* value, slope with respect to a zero turn, expected gap */

/* Chances lie between 0 and 1, whatever the bounds found for them. */
KW_INLINE double chance(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static int64_t rows_of(const kw_climb *turn, const kw_race *race) {
    int64_t most = 0;
    for (int32_t s = 0; s < race->end_of_scores; s++) {
        most = race->caps[s] > most ? race->caps[s] : most;
        most = race->last[s] > most ? race->last[s] : most;
    }
    return most + turn->max_add + 1;
}

int64_t kw_race_scratch(const kw_climb *turn, const kw_race *race) {
    int64_t rows = rows_of(turn, race);
    return CHANNELS * rows * turn->modes * KW_LANES + 2 * kw_side_doubles(turn, rows, CHANNELS) + KW_LANES;
}

/* One turn of every lane of a side; what its banks pay is filled in as far as it can come. */
static void evaluate(const kw_climb *turn, const kw_race *race, kw_side *s, double *table, int64_t plane,
                        int channels, int64_t *work) {
    for (; s->tabled <= s->highest; s->tabled++)
        for (int l = 0; l < KW_LANES; l++) {
            int64_t cell = s->row[l] * race->known.width + kw_total(&race->known, s, l, s->tabled);
            s->stop[0][s->tabled][l] = race->pay[cell];
            s->stop[2][s->tabled][l] = race->gap[cell];
        }
    double ending[1 + CHANNELS][KW_LANES] = {{0}};
    memcpy(ending[0], s->bust, sizeof s->bust);
    for (int l = 0; l < KW_LANES; l++)
        for (int k = 0; k < 2; k++)
            ending[1 + 2 * k][l] = race->wiped[k * race->end_of_scores + s->row[l]];
    KW_PICK(climb_turn)(turn, s, ending, table, plane, channels, work);
}

/* Set up a side and guess what its busts are worth: differences of the second order along both scores are smooth. */
static void begin(const kw_climb *turn, const kw_race *race, kw_side *s, double *space, int64_t rows) {
    kw_side_space(turn, s, space, rows, CHANNELS);
    s->counts_most = s->top = s->tabled = 0;
    for (int l = 0; l < KW_LANES; l++) {
        int32_t a = s->a[l], b = (int32_t)s->row[l];
        s->counts[l] = race->counts[a];
        s->counts_most = race->counts[a] > s->counts_most ? race->counts[a] : s->counts_most;
        s->top = race->caps[a] > s->top ? race->caps[a] : s->top;
        s->top = race->last[b] - a > s->top ? race->last[b] - a : s->top;
        int32_t a1 = race->above[a], b1 = race->above[b], a2 = race->above[a1], b2 = race->above[b1];
        const double *p0 = race->pay + (int64_t)b * race->known.width, *p1 = race->pay + (int64_t)b1 * race->known.width,
                     *p2 = race->pay + (int64_t)b2 * race->known.width;
        double guess;
        if (a2 > a1 && b2 > b1)
            guess = 2 * p0[a1] - p0[a2] + 2 * p1[a] - p2[a] - 4 * p1[a1] + 2 * p1[a2] + 2 * p2[a1] - p2[a2];
        else
            guess = (p0[a1] + p1[a]) / 2;
        /* Below 1, where passing would be as good as winning. */
        s->bust[l] = guess < 0 ? 0 : guess > 0.9375 ? 0.9375 : guess;
    }
}

static int solve_unit(const kw_climb *turn, kw_race *race, const int32_t (*pairs)[2], int64_t count, int64_t *work,
                         double *scratch) {
    int64_t rows = rows_of(turn, race), plane = rows * turn->modes * KW_LANES;
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    kw_side both[2];
    for (int l = 0; l < KW_LANES; l++)
        for (int i = 0; i < 2; i++) { /* lanes left over repeat the last pair */
            const int32_t *pair = pairs[l < count ? l : count - 1];
            both[i].a[l] = pair[i];
            both[i].row[l] = pair[1 - i];
        }
    double q[2][KW_LANES];                                          /* the gap of each side */
    double least[KW_LANES], most[KW_LANES]; /* side 0's bust lies between */
    for (int i = 0; i < 2; i++) {
        begin(turn, race, &both[i], table + CHANNELS * plane + i * kw_side_doubles(turn, rows, CHANNELS), rows);
        for (int l = 0; l < KW_LANES; l++)
            least[l] = 0, most[l] = 1, q[i][l] = race->gap[(int64_t)both[i].a[l] * race->known.width + race->above[both[i].row[l]]];
    }
    int hopeless = 0;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        hopeless = 0;
        for (int i = 0; i < 2; i++) {
            kw_side *s = &both[i];
            int32_t lanes = kw_usable(&race->known, s);
            if (!pass || lanes != s->usable) {
                s->usable = lanes;
                kw_find_needed(turn, &race->known, s);
            }
            evaluate(turn, race, s, table, plane, pass ? 3 : 2, work);
        }
        work[1]++;
        int settled = pass > 0, noisy = pass >= EXACT_PASSES;
        for (int l = 0; l < KW_LANES; l++) {
            double z[2], x[2], s[2], next[2], d = race->widen[noisy];
            for (int i = 0; i < 2; i++) {
                z[i] = both[i].bust[l];
                x[i] = both[i].value[0][l] + d;
                s[i] = both[i].value[1][l];
            }
            double change = 1 - s[0] * s[1];
            hopeless |= change <= HOPELESS;
            int same = both[0].a[l] == both[0].row[l]; /* the pair is one position */
            double e[2] = {both[0].value[2][l] + 2 * d, both[1].value[2][l] + 2 * d};
            double now[2] = {(e[0] + s[0] * e[1]) / change, 0}; /* the gaps of these choices */
            now[1] = same ? now[0] : e[1] + s[1] * now[0];
            if (pass && !noisy && change > HOPELESS)
                q[0][l] = now[0], q[1][l] = now[1];
            int stands = 1, enough = 1, grown = 0;
            for (int i = 0; i < 2; i++) {
                next[i] = chance(1 - (x[1 - i] - q[1 - i][l]));
                stands &= fabs(next[i] - z[i]) <= race->settled[noisy];
                enough &= e[i] + s[i] * (z[i] - (1 - x[1 - i])) <= q[i][l] + race->settled[noisy];
            }
            /* Choices that tie have different gaps, and passes may take now one, now another. So later on the gaps stay as
             * they are until the values stand, and then only grow. */
            if (noisy && stands && !enough) {
                double needs[2] = {e[0] + s[0] * q[1][l], e[1] + s[1] * q[0][l]};
                for (int i = 0; i < 2; i++) {
                    if (change > HOPELESS && now[i] + ROOM * now[i] > q[i][l])
                        q[i][l] = now[i] + ROOM * now[i];
                    if (needs[i] > q[i][l])
                        q[i][l] = needs[i] + ROOM * e[i];
                }
                for (int i = 0; i < 2; i++)
                    next[i] = chance(1 - (x[1 - i] - q[1 - i][l]));
                least[l] = 0, most[l] = 1;
                grown = 1; /* what came was for the gaps before */
            }
            settled &= stands && (enough || !noisy);
            double came = next[0]; /* from the bust of side 0, over both sides */
            if (change > HOPELESS) {
                /* x' = x + s (z' - z) with z' = 1 - y' + q, and the partner from its own line: where both slopes are
                 * near 1, two quotients would not fit together. */
                double u = x[0] + s[0] * (1 + q[1][l] - z[0]), v = x[1] + s[1] * (1 + q[0][l] - z[1]);
                u = same ? u / (1 + s[0]) : (u - s[0] * v) / change;
                v = same ? u : v - s[1] * u;
                next[0] = chance(1 - (v - q[1][l]));
                next[1] = chance(1 - (u - q[0][l]));
            }
            /* Newton's steps may go round in a circle. Then side 1 answers side 0, which a pass later tells on which side
             * of its bust the solution is. */
            if (pass >= NEWTON_PASSES && pass % 2 == 0) {
                next[0] = z[0];
                next[1] = chance(1 - (x[0] - q[0][l]));
            } else if (pass > NEWTON_PASSES && !grown) {
                *(came > z[0] ? &least[l] : &most[l]) = z[0];
                if (pass % 4 == 1 || next[0] <= least[l] || next[0] >= most[l])
                    next[0] = (least[l] + most[l]) / 2;
            }
            for (int i = 0; i < 2; i++)
                both[i].value[0][l] = next[same ? 0 : i]; /* the bust of the next pass, if there is one */
            both[0].value[1][l] = x[0];
            both[1].value[1][l] = x[1];
        }
        if (settled) {
            if (hopeless)
                return KW_HOPELESS;
            for (int i = 0; i < 2; i++) {
                kw_side *s = &both[i];
                for (int l = 0; l < KW_LANES; l++) {
                    int64_t cell = (int64_t)s->a[l] * race->known.width + s->row[l];
                    double high = chance(s->value[1][l]), low = chance(s->value[1][l] - q[i][l]);
                    race->pay[cell] = 1 - low;
                    /* Kept as it is, where nothing is cut off: the difference would round away what sweeps move it by. */
                    race->gap[cell] = q[i][l] < high && high < 1 ? q[i][l] : high - low;
                }
                for (int l = 0; l < KW_LANES; l++)
                    kw_certify(turn, &race->known, s, l);
            }
            return KW_SOLVED;
        }
        for (int i = 0; i < 2; i++)
            memcpy(both[i].bust, both[i].value[0], sizeof both[i].bust);
    }
    for (int l = 0; l < KW_LANES; l++)
        if (q[0][l] > MOST_GAP || q[1][l] > MOST_GAP)
            return KW_LOOSE;
    return hopeless ? KW_HOPELESS : KW_UNSETTLED;
}

void kw_race_solve(const kw_climb *turn, kw_race *race, const int32_t (*pairs)[2], const int64_t *unit_start,
                           const int64_t *ready, int64_t last, int64_t *shared, int64_t *work, double *scratch) {
    _Atomic int64_t *next = (_Atomic int64_t *)shared, *done = next + 1, *failed = next + 2, *how = next + 3;
    while (1) {
        int64_t unit = atomic_load(next);
        while (unit < last && !atomic_compare_exchange_weak(next, &unit, unit + 1))
            ;
        if (unit >= last)
            return;
        for (int spin = 0; atomic_load_explicit(done, memory_order_acquire) < ready[unit]; spin++)
            if (spin > 1000)
                give_way();
        int status = KW_SOLVED;
        if (atomic_load(failed) < 0) {
            const int32_t(*first)[2] = pairs + unit_start[unit];
            int64_t count = unit_start[unit + 1] - unit_start[unit];
            status = solve_unit(turn, race, first, count, work, scratch);
        }
        int64_t none = -1;
        if (status != KW_SOLVED && atomic_compare_exchange_strong(failed, &none, unit))
            atomic_store(how, status);
        atomic_fetch_add_explicit(done, 1, memory_order_release);
    }
}
