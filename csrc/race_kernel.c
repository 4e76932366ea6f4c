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

int64_t kw_race_scratch(const kw_climb *turn, const kw_race *race) {
    return CHANNELS * race->rows * turn->modes * KW_LANES + 2 * kw_side_doubles(turn, race->rows, CHANNELS, race->dice) + KW_LANES;
}

/* Eight pairs of positions: side 1 is side 0 with the players changed. */
typedef struct {
    kw_side side[2];
    int32_t state[2][KW_LANES]; /* of the mover; the other side's is the opponent's */
    int zero[2][KW_LANES];      /* the turn may be a zero turn: leave everything as it is */
    int any_zero;
    int32_t told[2];            /* lanes of turns that certain stops tell of: who could lose a score, and alike in every mode */
    double gap[2][KW_LANES], high[2][KW_LANES], next[2][KW_LANES]; /* what came of a pass, and the zero turns of the next */
    double least[KW_LANES], most[KW_LANES];                        /* side 0's zero turn lies between */
} unit;

KW_INLINE int64_t cell_of(const kw_race *race, int32_t row, int32_t column) {
    return (int64_t)row * race->columns + column;
}

/* A first guess of what a zero turn is worth: differences of the second order along both scores are smooth. */
static double guess(const kw_race *race, int32_t mine, int32_t theirs) {
    int32_t a1 = race->above[mine], b1 = race->above[theirs], a2 = race->above[a1], b2 = race->above[b1];
    const double *p0 = race->pay + cell_of(race, theirs, 0), *p1 = race->pay + cell_of(race, b1, 0),
                 *p2 = race->pay + cell_of(race, b2, 0);
    int32_t c = race->own[mine], c1 = race->own[a1], c2 = race->own[a2];
    double z = (p0[c1] + p1[c]) / 2;
    if (a2 > a1 && b2 > b1)
        z = 2 * p0[c1] - p0[c2] + 2 * p1[c] - p2[c] - 4 * p1[c1] + 2 * p1[c2] + 2 * p2[c1] - p2[c2];
    return z < 0 ? 0 : z > 0.9375 ? 0.9375 : z; /* below 1, where passing would be as good as winning */
}

static void begin(const kw_climb *turn, const kw_race *race, unit *u, const int32_t (*pairs)[2], int64_t count,
                  double *space, int64_t rows) {
    for (int l = 0; l < KW_LANES; l++) /* lanes left over repeat the last pair */
        for (int i = 0; i < 2; i++)
            u->state[i][l] = pairs[l < count ? l : count - 1][i];
    u->any_zero = 0;
    for (int i = 0; i < 2; i++) {
        kw_side *s = &u->side[i];
        kw_side_space(turn, s, space + i * kw_side_doubles(turn, rows, CHANNELS, race->dice), rows, CHANNELS, race->dice);
        s->fewer = race->rough && race->fewer;
        s->counts_most = s->top = s->tabled = u->told[i] = 0;
        for (int l = 0; l < KW_LANES; l++) {
            int32_t mine = u->state[i][l], theirs = u->state[1 - i][l], own = race->own[mine];
            s->a[l] = race->totals[mine];
            int safe = race->wipes && race->wipe[mine] == own; /* there is nothing to lose */
            int falls = !race->wipes || race->totals[race->wipe[mine]] <= s->a[l];
            s->row[l] = (int64_t)theirs * race->kinds + race->busts[mine];
            s->counts[l] = race->counts[mine];
            s->counts_most = race->counts[mine] > s->counts_most ? race->counts[mine] : s->counts_most;
            s->top = race->caps[mine] > s->top ? race->caps[mine] : s->top;
            s->top = race->last[theirs] - s->a[l] > s->top ? race->last[theirs] - s->a[l] : s->top;
            u->told[i] |= (!safe && falls && !race->dice) << l; /* who gains by it is solved after it was */
            u->any_zero |= u->zero[i][l] = safe || race->bust[mine] == own;
            s->bust[l] = u->zero[i][l] ? guess(race, mine, theirs) : race->pay[cell_of(race, theirs, race->bust[mine])];
            u->gap[i][l] = race->rough ? 0 : race->gap[cell_of(race, mine, race->own[race->above[theirs]])];
            u->least[l] = 0, u->most[l] = 1;
        }
    }
}

/* What a bank of t points pays, by the dice left over, if the opponent takes these over in a last turn. */
static const double *last_taken(const kw_race *race, int32_t mine, int32_t theirs, int32_t t) {
    int64_t lead = mine - race->totals[theirs] + race->span - 1;
    int64_t points = t < race->last_points ? t : race->last_points - 1;
    return race->last_offered + ((race->opened[theirs] * (2 * race->span - 1) + lead) * race->last_points + points) * race->dice;
}

/* What banks pay, filled in as far as the turns of a side can come. */
static void fill_stops(const kw_climb *turn, const kw_race *race, const unit *u, int i) {
    kw_side *s = (kw_side *)&u->side[i];
    const double *const plain[2] = {race->pay, race->gap};
    for (; s->tabled <= s->highest; s->tabled++)
        for (int l = 0; l < KW_LANES; l++)
            for (int k = 0; k < (race->rough ? 1 : 2); k++) {
                int32_t theirs = u->state[1 - i][l], t = s->tabled;
                int64_t total = s->a[l] + t, offer = total * (total - 1) / 2 + t - 1;
                double banked = plain[k][cell_of(race, theirs, kw_total(&race->known, s, l, t))];
                if (!s->apart) {
                    s->stop[2 * k][t][l] = banked;
                    continue;
                }
                int may = t && t <= race->takes[theirs], last = race->last_offered && total >= race->span;
                const double *taken = last ? last_taken(race, s->a[l], theirs, t)
                                           : race->offered[k] + (theirs * race->offers + offer) * race->dice;
                may &= last ? !k : offer < race->offers;
                for (int m = 0; m < turn->modes; m++)
                    s->stop[2 * k][t * turn->modes + m][l] =
                        !may || m >= race->dice || (last && banked < taken[m]) ? banked : taken[m];
            }
}

/* One turn of every lane of a side. */
static void evaluate(const kw_climb *turn, const kw_race *race, unit *u, int i, double *table, int64_t plane, int channels,
                     int thrown, int64_t *work) {
    kw_side *s = &u->side[i];
    fill_stops(turn, race, u, i);
    kw_endings ending = {{{0}}};
    for (int l = 0; l < KW_LANES; l++) {
        int32_t mine = u->state[i][l];
        const int32_t to[2] = {race->bust[mine], race->wipe[mine]};
        for (int e = KW_BUST; e <= (race->wipes ? KW_WIPE : KW_BUST); e++) {
            int64_t cell = cell_of(race, u->state[1 - i][l], to[e]);
            int back = to[e] == race->own[mine]; /* a zero turn */
            ending[e][0][l] = back ? s->bust[l] : race->pay[cell];
            ending[e][1][l] = back;
            ending[e][2][l] = back ? 0 : race->gap[cell];
        }
        for (int k = 0; k < CHANNELS; k++)
            ending[KW_PASS][k][l] = race->passes ? ending[KW_BUST][k][l] : k ? 0 : -INFINITY;
    }
    KW_PICK(climb_turn)(turn, s, ending, table, plane, channels, thrown, work);
}

/* The turns of one pair as straight lines in what zero turns are worth: values, slopes, and gaps but for those of a zero turn. */
typedef struct {
    double z[2], x[2], s[2], e[2], change, d, settled;
    int same; /* the pair is one position */
} lines;

/* d: what a turn's value is raised by. */
static double widen(const kw_race *race, int noisy) { return race->rough ? 0 : race->widen[noisy]; }

static lines lines_of(const kw_race *race, const unit *u, int l, int noisy) {
    lines on = {.d = widen(race, noisy), .settled = race->settled[noisy], .same = u->state[0][l] == u->state[1][l]};
    for (int i = 0; i < 2; i++) {
        const kw_side *s = &u->side[i];
        on.z[i] = s->bust[l];
        on.x[i] = s->value[0][l] + on.d;
        on.s[i] = u->any_zero ? s->value[1][l] : 0;
        on.e[i] = race->rough ? 0 : s->value[2][l] + 2 * on.d;
    }
    on.change = 1 - on.s[0] * on.s[1];
    return on;
}

/* What the zero turns are worth that these turns bring. */
static void answer(const unit *u, const lines *on, int l, double *next) {
    for (int i = 0; i < 2; i++)
        next[i] = u->zero[i][l] ? chance(1 - (on->x[1 - i] - u->gap[1 - i][l])) : on->z[i];
}

/* The gaps that these turns ask for: taken as they are at first; grown once they have stood and fall short. Choices that tie
 * have different gaps, and passes may take now one, now another. So later on the gaps stay as they are until the values
 * stand, and then only grow. Tells whether the pair has settled. */
static int settle_gaps(unit *u, const lines *on, int l, int gaps, int noisy, double *next, int *grown) {
    double now[2] = {(on->e[0] + on->s[0] * on->e[1]) / on->change, 0}; /* the gaps of these choices */
    now[1] = on->same ? now[0] : on->e[1] + on->s[1] * now[0];
    if (gaps && !noisy && on->change > HOPELESS)
        u->gap[0][l] = now[0], u->gap[1][l] = now[1];
    answer(u, on, l, next);
    int stands = 1, enough = 1;
    for (int i = 0; i < 2; i++) {
        stands &= fabs(next[i] - on->z[i]) <= on->settled;
        enough &= on->e[i] + on->s[i] * (on->z[i] - (1 - on->x[1 - i])) <= u->gap[i][l] + on->settled;
    }
    *grown = noisy && stands && !enough && gaps;
    if (*grown) {
        double needs[2] = {on->e[0] + on->s[0] * u->gap[1][l], on->e[1] + on->s[1] * u->gap[0][l]};
        for (int i = 0; i < 2; i++) {
            if (on->change > HOPELESS && now[i] + ROOM * now[i] > u->gap[i][l])
                u->gap[i][l] = now[i] + ROOM * now[i];
            if (needs[i] > u->gap[i][l])
                u->gap[i][l] = needs[i] + ROOM * on->e[i];
        }
        answer(u, on, l, next);
        u->least[l] = 0, u->most[l] = 1; /* what came was for the gaps before */
    }
    return stands && (enough || !noisy || !gaps);
}

/* x' = x + s (z' - z) with z' = 1 - y' + q, and the partner from its own line: where both slopes are near 1, two quotients
 * would not fit together. */
static void along_lines(const unit *u, const lines *on, int l, double *next) {
    const double *x = on->x, *s = on->s, *z = on->z;
    double q[2] = {u->gap[0][l], u->gap[1][l]};
    double a = x[0] + s[0] * (1 + q[1] - z[0]), b = x[1] + s[1] * (1 + q[0] - z[1]);
    a = on->same ? a / (1 + s[0]) : (a - s[0] * b) / on->change;
    b = on->same ? a : b - s[1] * a;
    next[0] = chance(1 - (b - q[1]));
    next[1] = chance(1 - (a - q[0]));
}

/* Newton's steps may go round in a circle. Then side 1 answers side 0, which a pass later tells on which side of its zero
 * turn the solution is. */
static void halve(unit *u, const lines *on, int l, int pass, double came, double *next) {
    if (pass % 2 == 0) {
        next[0] = on->z[0];
        next[1] = chance(1 - (on->x[0] - u->gap[0][l]));
        return;
    }
    *(came > on->z[0] ? &u->least[l] : &u->most[l]) = on->z[0];
    if (pass % 4 == 1 || next[0] <= u->least[l] || next[0] >= u->most[l])
        next[0] = (u->least[l] + u->most[l]) / 2;
}

/* One step of a pair after a pass; tells whether it has settled. */
static int step(const kw_race *race, unit *u, int l, int pass, int gaps, int *hopeless) {
    int noisy = pass >= EXACT_PASSES, grown;
    lines on = lines_of(race, u, l, noisy);
    double next[2];
    *hopeless |= on.change <= HOPELESS;
    int settled = settle_gaps(u, &on, l, gaps, noisy, next, &grown);
    double came = next[0]; /* from the zero turn of side 0, over both sides */
    if (on.change > HOPELESS)
        along_lines(u, &on, l, next);
    if (pass >= NEWTON_PASSES && !(pass % 2 && grown))
        halve(u, &on, l, pass, came, next);
    for (int i = 0; i < 2; i++) {
        u->next[i][l] = u->zero[i][l] ? next[on.same ? 0 : i] : on.z[i];
        u->high[i][l] = on.x[i];
    }
    return settled;
}

/* Write what a player may take over: the better of throwing the dice left over with the points on offer and of beginning anew. */
static void enter_offers(const kw_climb *turn, const kw_race *race, const unit *u, int i, double d) {
    const kw_side *s = &u->side[i];
    for (int l = 0; l < KW_LANES; l++) {
        int32_t mine = u->state[i][l], theirs = u->state[1 - i][l], total = race->totals[theirs];
        int64_t anew = cell_of(race, mine, race->own[theirs]), first = (int64_t)total * (total - 1) / 2;
        double *taken[2] = {race->offered[0] + (mine * race->offers + first) * race->dice,
                            race->offered[1] + (mine * race->offers + first) * race->dice};
        for (int32_t t = 1; t <= total && !race->busts[theirs]; t++) {
            int64_t row = (int64_t)(t < s->top ? t : s->top) * turn->modes;
            for (int m = 0; m < race->dice; m++, taken[0]++, taken[1]++) {
                double high = s->thrown[0][row + m][l] + d;
                double gap = race->rough ? 0 : s->thrown[2][row + m][l] + 2 * d + s->thrown[1][row + m][l] * u->gap[1 - i][l];
                int better = t <= race->takes[mine] && high > u->high[i][l];
                *taken[0] = better ? 1 - chance(high - gap) : race->pay[anew];
                *taken[1] = better ? gap : race->gap[anew];
            }
        }
    }
}

/* Write settled pairs to the tables. */
static void finish(const kw_climb *turn, kw_race *race, unit *u, double *table, int64_t plane, int noisy, int64_t *work) {
    for (int i = 0; i < 2; i++)
        for (int l = 0; l < KW_LANES; l++) {
            int64_t cell = cell_of(race, u->state[i][l], race->own[u->state[1 - i][l]]);
            double q = u->gap[i][l], high = chance(u->high[i][l]), low = chance(u->high[i][l] - q);
            race->pay[cell] = 1 - low;
            /* Kept as it is, where nothing is cut off: the difference would round away what sweeps move it by. */
            race->gap[cell] = q < high && high < 1 ? q : high - low;
        }
    for (int i = 0; i < 2; i++) {
        for (int l = 0; l < KW_LANES; l++)
            if (u->told[i] >> l & 1)
                kw_certify(&race->known, &u->side[i], l);
        if (race->dice) { /* all of each turn once more */
            kw_need_all(turn, &u->side[i]);
            evaluate(turn, race, u, i, table, plane, race->rough ? 1 : CHANNELS, 1, work);
            enter_offers(turn, race, u, i, widen(race, noisy));
        }
    }
}

static int solve_unit(const kw_climb *turn, kw_race *race, const int32_t (*pairs)[2], int64_t count, int64_t *work,
                      double *scratch) {
    int64_t rows = race->rows, plane = rows * turn->modes * KW_LANES;
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    unit u;
    begin(turn, race, &u, pairs, count, table + CHANNELS * plane, rows);
    int hopeless = 0;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        int settled = pass || !u.any_zero, gaps = settled && !race->rough; /* a first guess has no gaps worth asking for */
        for (int i = 0; i < 2; i++) {
            kw_look(turn, &race->known, &u.side[i], u.told[i], !pass);
            evaluate(turn, race, &u, i, table, plane, gaps ? 3 : u.any_zero ? 2 : 1, 0, work);
        }
        work[1]++;
        hopeless = 0;
        for (int l = 0; l < KW_LANES; l++)
            settled &= step(race, &u, l, pass, gaps, &hopeless);
        if (settled && hopeless && !race->rough)
            return KW_HOPELESS;
        /* Where scores can be lost, both may only wait as long as what that brings is a guess. */
        if (settled || (hopeless && pass == MOST_PASSES - 1 && race->rough)) {
            finish(turn, race, &u, table, plane, pass >= EXACT_PASSES, work);
            return KW_SOLVED;
        }
        for (int i = 0; i < 2; i++)
            memcpy(u.side[i].bust, u.next[i], sizeof u.next[i]);
    }
    for (int l = 0; l < KW_LANES; l++)
        if (u.gap[0][l] > MOST_GAP || u.gap[1][l] > MOST_GAP)
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
