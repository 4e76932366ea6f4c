#include "seats_kernel.h"

#include <stdatomic.h>

#define EXACT_PASSES 8   /* then rounding noise may keep a zero turn from settling closer */
#define DAMPED_PASSES 12 /* then best replies to each other are followed half of the way only */
#define MOST_PASSES 60
#define ONE_SIDED 40     /* then a bound need not be close */
#define HOPELESS 0x1p-40 /* a chance to change anything in a cycle of turns that double precision cannot work with */

KW_INLINE double chance(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

int64_t kw_seats_scratch(const kw_climb *turn, const kw_seats *race) {
    int64_t rows = race->rows;
    int channels = race->seats + 1;
    return channels * rows * turn->modes * KW_LANES + race->seats * kw_side_doubles(turn, rows, channels, 0) + 2 * KW_LANES;
}

/* The positions of eight cycles, as seen by the mover of each of their turns. */
typedef struct {
    int64_t place[KW_MOST_SEATS][KW_LANES]; /* of the position */
    int64_t after[KW_MOST_SEATS][KW_LANES]; /* of the position after a zero turn */
    kw_side side[KW_MOST_SEATS];
    double zero[KW_MOST_SEATS][KW_LANES]; /* the chance that the turn is a zero turn */
} unit;

static void begin(const kw_climb *turn, const kw_seats *race, unit *u, const int32_t *cycles, const int64_t *faced,
                  int64_t count, double *space, int64_t rows) {
    const int n = race->seats;
    for (int i = 0; i < n; i++) {
        kw_side *s = &u->side[i];
        kw_side_space(turn, s, space + i * kw_side_doubles(turn, rows, n + 1, 0), rows, n + 1, 0);
        s->counts_most = s->top = s->tabled = 0;
        for (int l = 0; l < KW_LANES; l++) { /* lanes left over repeat the last cycle */
            int64_t at = (l < count ? l : count - 1) * n + i;
            int32_t mover = cycles[at];
            s->a[l] = race->points[mover];
            s->row[l] = faced[at];
            u->after[i][l] = faced[at] * race->scores + mover;
            u->place[(i + 1) % n][l] = u->after[i][l]; /* a zero turn leads to the next position of the cycle */
            s->counts[l] = race->counts[mover];
            s->counts_most = race->counts[mover] > s->counts_most ? race->counts[mover] : s->counts_most;
            s->top = race->caps[mover] > s->top ? race->caps[mover] : s->top;
        }
    }
}

/* What a bank to a total pays seat k from the mover on, by a table. */
KW_INLINE double paid(const kw_seats *race, const double *table, int64_t row, int32_t total, int k) {
    int32_t number = race->number[total];
    if (number < 0 && race->past) {
        const double *others = race->past + (row * race->past_width + total - race->target) * (race->seats - 1);
        if (k)
            return others[k - 1];
        double left = 1;
        for (int j = 0; j < race->seats - 1; j++)
            left -= others[j];
        return left > 0 ? left : 0;
    }
    if (number < 0) /* won, or more than may be held */
        return k ? 0 : total > race->target ? -INFINITY : 1;
    return table[(row * race->scores + number) * race->seats + (k ? k - 1 : race->seats - 1)];
}

/* One turn of every lane of a side. The mover's share comes from the table `own` and channels 2 .. from `others`. */
static void evaluate(const kw_climb *turn, const kw_seats *race, const kw_stops *known, kw_side *s, const double *own,
                     const double *others, double *table, int64_t plane, int channels, int64_t *work) {
    for (; s->tabled <= s->highest; s->tabled++)
        for (int l = 0; l < KW_LANES; l++) {
            int32_t total = kw_total(known, s, l, s->tabled);
            s->stop[0][s->tabled][l] = paid(race, own, s->row[l], total, 0);
            for (int k = 2; k < channels; k++)
                s->stop[k][s->tabled][l] = paid(race, others, s->row[l], total, k - 1);
        }
    kw_endings ending = {{{0}}};
    for (int l = 0; l < KW_LANES; l++) {
        int64_t wiped = s->row[l] * race->scores * race->seats;
        int safe = !s->a[l]; /* there is nothing to lose */
        ending[KW_BUST][0][l] = s->bust[l];
        ending[KW_PASS][0][l] = race->passes ? s->bust[l] : -INFINITY;
        ending[KW_BUST][1][l] = ending[KW_PASS][1][l] = 1;
        if (!race->wipes)
            continue;
        ending[KW_WIPE][0][l] = safe ? s->bust[l] : own[wiped + race->seats - 1];
        ending[KW_WIPE][1][l] = safe;
        for (int k = 2; k < channels; k++)
            ending[KW_WIPE][k][l] = safe ? 0 : others[wiped + k - 2];
    }
    KW_PICK(climb_turn)(turn, s, ending, table, plane, channels, 0, work);
}

/* Lanes of turns of which certain stops tell: who may lose a score. */
static int32_t told(const kw_seats *race, const kw_side *s) {
    int32_t lanes = 0;
    for (int l = 0; l < KW_LANES; l++)
        lanes |= (!race->wipes || s->a[l]) << l;
    return lanes;
}

/* A first guess of what a place holds in a column: differences of the second order along all scores are smooth. */
static double guess(const kw_seats *race, int64_t place, int column) {
    const int n = race->seats;
    int64_t step[KW_MOST_SEATS], one = 1, rest = place;
    int smooth = 1;
    for (int k = n - 1; k >= 0; k--, one *= race->scores, rest /= race->scores) {
        int left = race->scores - 1 - (int)(rest % race->scores);
        step[k] = left ? one : 0;
        smooth &= left >= 2;
    }
    double sum = 0;
    if (!smooth) {
        int above = 0;
        for (int k = 0; k < n; k++)
            if (step[k])
                sum += race->win[(place + step[k]) * n + column], above++;
        return above ? sum / above : 0.5;
    }
    int digit[KW_MOST_SEATS] = {0};
    while (1) {
        int k = 0;
        while (k < n && digit[k] == 2)
            digit[k++] = 0;
        if (k == n)
            break;
        digit[k]++;
        double weight = -1;
        int64_t at = place;
        for (k = 0; k < n; k++) {
            weight *= digit[k] == 1 ? -2 : 1;
            at += digit[k] * step[k];
        }
        sum += weight * race->win[at * n + column];
    }
    return sum;
}

/* Values of the play in which every mover does what is best for its bust: own is what comes to the mover, zero the chance of
 * a zero turn, others[k - 1] what comes to seat k < seats - 1 from the mover on. worth[i][j]: what seat j of the cycle gets
 * where i moves. Returns the chance that anything changes within a cycle. */
static double chain(int n, const double *own, const double *bust, const double *zero, double others[][KW_MOST_SEATS],
                       double worth[][KW_MOST_SEATS]) {
    double share[KW_MOST_SEATS][KW_MOST_SEATS], all = 1; /* by mover and by seat from the mover on */
    for (int i = 0; i < n; i++) {
        share[i][0] = own[i] - zero[i] * bust[i];
        double left = 1 - zero[i] - share[i][0];
        for (int k = 1; k < n - 1; k++) {
            share[i][k] = others[i][k - 1];
            left -= others[i][k - 1];
        }
        share[i][n - 1] = left;
        all *= zero[i];
    }
    for (int j = 0; j < n; j++) {
        double sum = 0, reached = 1;
        for (int i = 0; i < n; i++) {
            sum += reached * share[i][(j - i + n) % n];
            reached *= zero[i];
        }
        worth[0][j] = sum / (1 - all);
        for (int i = n - 1; i > 0; i--)
            worth[i][j] = share[i][(j - i + n) % n] + zero[i] * worth[(i + 1) % n][j];
    }
    return 1 - all;
}

/* A first guess of what a zero turn to a place is worth to its mover. */
static double guess_bust(const kw_seats *race, int64_t after) {
    if (race->again)
        return race->win[after * race->seats + race->seats - 1];
    double z = guess(race, after, race->seats - 1);
    return z < 0 ? 0 : z > 0.9375 ? 0.9375 : z;
}

void kw_seats_guess(const kw_seats *race, const int32_t *cycles, const int64_t *rows, int64_t count, double *busts) {
    for (int64_t at = 0; at < count * race->seats; at++)
        busts[at] = guess_bust(race, rows[at] * race->scores + cycles[at]);
}

static void solve_unit(const kw_climb *turn, kw_seats *race, const int32_t *cycles, const int64_t *faced,
                       const double *busts, int64_t count, uint8_t *status, int64_t *work, double *scratch) {
    const int n = race->seats;
    int64_t rows = race->rows, plane = rows * turn->modes * KW_LANES;
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    unit u;
    begin(turn, race, &u, cycles, faced, count, table + (n + 1) * plane, rows);
    double worth[KW_LANES][KW_MOST_SEATS][KW_MOST_SEATS];
    int settled[KW_LANES] = {0}, hopeless[KW_LANES] = {0}, open = KW_LANES;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < KW_LANES; l++)
            u.side[i].bust[l] = busts ? busts[(l < count ? l : count - 1) * n + i] : guess_bust(race, u.after[i][l]);
    for (int pass = 0; open && pass < MOST_PASSES; pass++) {
        for (int i = 0; i < n; i++) {
            kw_look(turn, &race->known[0], &u.side[i], told(race, &u.side[i]), !pass);
            evaluate(turn, race, &race->known[0], &u.side[i], race->win, race->win, table, plane, n, work);
        }
        work[1]++;
        for (int l = 0; l < KW_LANES; l++) {
            if (settled[l])
                continue;
            double own[KW_MOST_SEATS], bust[KW_MOST_SEATS], zero[KW_MOST_SEATS], others[KW_MOST_SEATS][KW_MOST_SEATS];
            for (int i = 0; i < n; i++) {
                own[i] = u.side[i].value[0][l];
                bust[i] = u.side[i].bust[l];
                zero[i] = u.side[i].value[1][l];
                for (int k = 1; k < n - 1; k++)
                    others[i][k - 1] = u.side[i].value[k + 1][l];
            }
            double change = chain(n, own, bust, zero, others, worth[l]);
            hopeless[l] = !(change > HOPELESS);
            int stands = 1;
            for (int i = 0; i < n; i++) {
                /* Where all would rather wait a zero turn was taken to be worth too much, unless it was worth nothing. */
                double next = hopeless[l] ? 0 : chance(worth[l][(i + 1) % n][i]);
                /* Rounding comes back as often as the cycle does. */
                stands &= hopeless[l] ? !(bust[i] > 0)
                                      : change * fabs(next - bust[i]) <= race->settled[pass >= EXACT_PASSES];
                worth[l][i][i] = chance(worth[l][i][i]);
                own[i] = next;
            }
            if (stands) {
                settled[l] = 1;
                open--;
                continue;
            }
            for (int i = 0; i < n; i++)
                u.side[i].bust[l] = pass < DAMPED_PASSES || hopeless[l] ? own[i] : (own[i] + bust[i]) / 2;
        }
    }
    for (int l = 0; l < KW_LANES; l++) {
        if (l < count)
            status[l] = !settled[l] ? KW_SEATS_OPEN : hopeless[l] ? KW_SEATS_HOPELESS : KW_SEATS_SOLVED;
        if (!settled[l] || hopeless[l])
            continue;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                race->win[u.place[i][l] * n + (j - i + n) % n] = chance(worth[l][i][j]);
            kw_certify(&race->known[0], &u.side[i], l);
        }
    }
}

/* Upper bounds of what every seat can come to against the play of the table. Where another seat moves its turn is followed
 * and the bounds of what comes after are carried along; where the seat itself moves it does its best. */
static void reply_unit(const kw_climb *turn, kw_seats *race, const int32_t *cycles, const int64_t *faced, int64_t count,
                       uint8_t *status, int64_t *work, double *scratch) {
    const int n = race->seats;
    int64_t rows = race->rows, plane = rows * turn->modes * KW_LANES;
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    unit u;
    begin(turn, race, &u, cycles, faced, count, table + (n + 1) * plane, rows);
    double zero[KW_MOST_SEATS][KW_LANES], follows[KW_MOST_SEATS][KW_MOST_SEATS][KW_LANES];
    for (int i = 0; i < n; i++) {
        kw_side *s = &u.side[i];
        for (int l = 0; l < KW_LANES; l++)
            s->bust[l] = race->win[u.after[i][l] * n + n - 1];
        kw_look(turn, &race->known[0], s, told(race, s), 1);
        evaluate(turn, race, &race->known[0], s, race->win, race->most, table, plane, n + 1, work);
        for (int l = 0; l < KW_LANES; l++) {
            kw_certify(&race->known[0], s, l);
            zero[i][l] = s->value[1][l];
            for (int k = 1; k < n; k++)
                follows[i][k][l] = s->value[k + 1][l] + race->widen;
        }
        s->tabled = 0;
    }
    int settled[KW_LANES] = {0}, open = KW_LANES;
    for (int pass = 0; open && pass < MOST_PASSES; pass++) {
        for (int i = 0; i < n; i++) {
            kw_look(turn, &race->known[1], &u.side[i], told(race, &u.side[i]), !pass);
            evaluate(turn, race, &race->known[1], &u.side[i], race->most, race->most, table, plane, 2, work);
        }
        work[1]++;
        for (int l = 0; l < KW_LANES; l++) {
            if (settled[l])
                continue;
            int stands = 1;
            double next[KW_MOST_SEATS];
            for (int j = 0; j < n; j++) { /* once round from the position after j's own turn */
                double sum = 0, reached = 1;
                for (int m = 1; m < n; m++) {
                    int i = (j + m) % n;
                    sum += reached * follows[i][n - m][l];
                    reached *= zero[i][l];
                }
                double slope = u.side[j].value[1][l], z = u.side[j].bust[l], value = u.side[j].value[0][l] + race->widen;
                double back = sum + reached * value; /* less than z bounds what a bust is worth, and so does z */
                next[j] = (sum + reached * (value - slope * z)) / (1 - reached * slope);
                stands &= (pass < ONE_SIDED ? fabs(back - z) : back - z) <= race->settled[pass >= EXACT_PASSES];
            }
            if (stands) {
                settled[l] = 1;
                open--;
                for (int j = 0; j < n; j++) {
                    double y = u.side[j].value[0][l] + race->widen;
                    race->most[u.place[j][l] * n] = y;
                    for (int m = n - 1; m > 0; m--) { /* back from j's own turn */
                        int i = (j + m) % n;
                        y = follows[i][n - m][l] + zero[i][l] * y;
                        race->most[u.place[i][l] * n + n - m] = y;
                    }
                }
                for (int i = 0; i < n; i++)
                    kw_certify(&race->known[1], &u.side[i], l);
            } else
                for (int j = 0; j < n; j++)
                    u.side[j].bust[l] = next[j];
        }
    }
    for (int l = 0; l < count; l++)
        status[l] = settled[l] ? KW_SEATS_SOLVED : KW_SEATS_OPEN;
}

void kw_seats_solve(const kw_climb *turn, kw_seats *race, const int32_t *cycles, const int64_t *rows, const double *busts,
                    int64_t count, int64_t *next, uint8_t *status, int64_t *work, double *scratch, int reply) {
    const int n = race->seats;
    while (1) {
        int64_t from = atomic_fetch_add((_Atomic int64_t *)next, KW_LANES);
        if (from >= count)
            return;
        int64_t lanes = count - from < KW_LANES ? count - from : KW_LANES;
        const int32_t *first = cycles + from * n;
        if (reply)
            reply_unit(turn, race, first, rows + from * n, lanes, status + from, work, scratch);
        else
            solve_unit(turn, race, first, rows + from * n, busts ? busts + from * n : NULL, lanes, status + from, work, scratch);
    }
}
