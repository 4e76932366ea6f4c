/* See seats_kernel.h. Movers are numbered within a cycle: mover i + 1 moves after a zero turn of mover i. */
#include "seats_kernel.h"

#include <stdatomic.h>

#define EXACT_PASSES 8   /* after these passes rounding noise may keep z from settling, so the tolerance is larger */
#define DAMPED_PASSES 12 /* after these passes z moves half of the way only, since best responses can cycle */
#define MAX_PASSES 60
#define ONE_SIDED_PASSES 40     /* after these passes a best response is only required to be an upper bound */
#define MIN_EXIT_CHANCE 0x1p-40 /* least chance that a round of turns changes the position; below, z cannot be computed */

/* Return the probability from 0 to 1 that is closest to x. */
KW_INLINE double clamp_probability(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* Return the seat that moves before mover i of a cycle. Its tables hold the positions in which mover i is to move. */
KW_INLINE kw_seat *seat_before(kw_seats *race, int i) { return &race->seat[(i + race->seats - 1) % race->seats]; }

/* Return the doubles of one channel of a turn's table: enough for the turn of every seat. */
static int64_t channel_doubles(const kw_seats *race) {
    int32_t most_modes = 0;
    for (int i = 0; i < race->seats; i++)
        most_modes = race->seat[i].turn->modes > most_modes ? race->seat[i].turn->modes : most_modes;
    return (int64_t)race->rows * most_modes * KW_LANES;
}

int64_t kw_seats_scratch(const kw_seats *race) {
    int channels = race->seats + 1;
    int64_t doubles = channels * channel_doubles(race) + 2 * KW_LANES;
    for (int i = 0; i < race->seats; i++)
        doubles += kw_block_scratch(race->seat[i].turn, race->rows, channels, 0);
    return doubles;
}

/* KW_LANES cycles that are solved together, one in each lane. In a cycle, mover i + 1 moves after a zero turn of mover i.
 * Arrays are by mover and lane. z, the value of a zero turn to its mover, is block[mover].bust_value. */
typedef struct {
    int64_t position[KW_MAX_SEATS][KW_LANES];        /* in which the mover is to move: after a turn of the seat before */
    int64_t after_zero_turn[KW_MAX_SEATS][KW_LANES]; /* the position that a zero turn of the mover leads to */
    kw_turn_block block[KW_MAX_SEATS];
} cycle_unit;

/* Set up a unit of `count` cycles, at most KW_LANES. Lanes beyond them repeat the last cycle, because the kernel always
 * solves KW_LANES lanes.
 *
 * cycles, cycle_rows: [count][seats] the score of each mover, and the row that the mover faces. */
static void init_unit(const kw_seats *race, cycle_unit *unit, const int32_t *cycles, const int64_t *cycle_rows,
                      int64_t count, double *scratch) {
    const int n = race->seats;
    for (int i = 0; i < n; i++) {
        const kw_seat *seat = &race->seat[i];
        kw_turn_block *block = &unit->block[i];
        kw_block_layout(seat->turn, block, scratch, race->rows, n + 1, 0);
        scratch += kw_block_scratch(seat->turn, race->rows, n + 1, 0);
        block->max_min_bank = block->cap = block->filled_rows = 0;
        for (int l = 0; l < KW_LANES; l++) {
            int64_t entry = (l < count ? l : count - 1) * n + i;
            int32_t score = cycles[entry];
            block->score[l] = seat->score_total[score];
            block->stops_row[l] = cycle_rows[entry];
            unit->after_zero_turn[i][l] = cycle_rows[entry] * seat->scores + score;
            unit->position[(i + 1) % n][l] = unit->after_zero_turn[i][l];
            block->min_bank[l] = seat->min_bank[score];
            block->max_min_bank = seat->min_bank[score] > block->max_min_bank ? seat->min_bank[score] : block->max_min_bank;
            block->cap = seat->cap[score] > block->cap ? seat->cap[score] : block->cap;
        }
    }
}

/* Return what a bank pays to seat k from the mover on, if the mover's score becomes `total` and the opponents' scores are
 * `row`.
 * mover: the seat that moves. values: its table to read, [positions][seats]. */
KW_INLINE double bank_payoff(const kw_seats *race, const kw_seat *mover, const double *values, int64_t row, int32_t total,
                             int k) {
    int32_t score = mover->score_number[total];
    if (score < 0 && race->past_target) {
        const double *others = race->past_target + (row * race->past_width + total - mover->target) * (race->seats - 1);
        if (k)
            return others[k - 1];
        double own = 1;
        for (int j = 0; j < race->seats - 1; j++)
            own -= others[j];
        return own > 0 ? own : 0;
    }
    /* The total has won, or with an exact finish is past the target and may not be reached. If more than the target
       wins, too, totals end at the target (kw_total cuts them), so none is larger. */
    if (score < 0)
        return k ? 0 : total > mover->target ? -INFINITY : 1;
    /* In the next position the mover is the last seat, and seat k the seat k - 1. */
    return values[(row * mover->scores + score) * race->seats + (k ? k - 1 : race->seats - 1)];
}

/* Solve the turns of one mover of a unit, in every lane, for the current z. The results are in block->value.
 *
 * Channel 0 is the mover's own share, which the mover maximizes; what it is after the turn is read from one of the mover's
 * tables. Channel 1 is the probability of a zero turn. Channel k from 2 on is the share of seat k - 1 from the mover on.
 * decides, pays: from which of the mover's tables channel 0 is read, and from which the shares; `decides` also selects the
 * certain stops. table: scratch, with `plane` doubles for each channel. */
static void solve_mover(const kw_seats *race, const kw_seat *mover, kw_turn_block *block, int decides, int pays,
                        double *table, int64_t plane, int channels, int64_t *work) {
    const double *own_values = mover->tables[decides], *other_values = mover->tables[pays];
    for (; block->filled_rows <= block->max_points; block->filled_rows++)
        for (int l = 0; l < KW_LANES; l++) {
            int32_t total = kw_total(&mover->stops[decides], block, l, block->filled_rows);
            block->bank_value[0][block->filled_rows][l] =
                bank_payoff(race, mover, own_values, block->stops_row[l], total, 0);
            for (int k = 2; k < channels; k++)
                block->bank_value[k][block->filled_rows][l] =
                    bank_payoff(race, mover, other_values, block->stops_row[l], total, k - 1);
        }
    kw_ending_payoffs payoffs = {{{0}}};
    for (int l = 0; l < KW_LANES; l++) {
        int64_t wiped = block->stops_row[l] * mover->scores * race->seats;
        int wipe_is_zero_turn = !block->score[l];
        payoffs[KW_BUST][0][l] = block->bust_value[l];
        payoffs[KW_PASS][0][l] = mover->can_pass ? block->bust_value[l] : -INFINITY;
        payoffs[KW_BUST][1][l] = payoffs[KW_PASS][1][l] = 1;
        if (!mover->has_wipe)
            continue;
        payoffs[KW_WIPE][0][l] = wipe_is_zero_turn ? block->bust_value[l] : own_values[wiped + race->seats - 1];
        payoffs[KW_WIPE][1][l] = wipe_is_zero_turn;
        for (int k = 2; k < channels; k++)
            payoffs[KW_WIPE][k][l] = wipe_is_zero_turn ? 0 : other_values[wiped + k - 2];
    }
    KW_PICK(monotone_turn)(mover->turn, block, payoffs, table, plane, channels, 0, work);
}

/* Return the lanes that may use certain stops, with bit l set for lane l. If rolls can wipe, a mover with a score of 0 may
 * not: such a wipe is a zero turn, so it pays z and not what all other turns of the row get. */
static int32_t stops_lanes(const kw_seat *mover, const kw_turn_block *block) {
    int32_t lanes = 0;
    for (int l = 0; l < KW_LANES; l++)
        lanes |= (!mover->has_wipe || block->score[l]) << l;
    return lanes;
}

/* Go on to the next vector of n digits 0, 1, 2, the first digit fastest. Return 0 if it was the last. */
static inline int next_digits(int n, int *digit) {
    int k = 0;
    while (k < n && digit[k] == 2)
        digit[k++] = 0;
    if (k == n)
        return 0;
    digit[k]++;
    return 1;
}

/* Return the mean of V for the mover, the last seat, over the positions in which one other score is reached; 1/2 if there is
 * none.
 *
 * values: [positions][seats] V. step: by seat, the difference of position numbers for one score more; 0 if there is no
 * higher score. */
static inline double mean_one_further(int seats, const double *values, int64_t position, const int64_t *step) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < seats; k++)
        if (step[k])
            sum += values[(position + step[k]) * seats + seats - 1], count++;
    return count ? sum / count : 0.5;
}

/* Return a first guess of V for a mover at the position after its zero turn, where it is the last seat, extrapolated from
 * positions with higher scores, which are solved.
 *
 * It assumes that the mixed second difference along the scores of all seats is 0. Let d_k = 0, 1, 2 be by how many scores
 * seat k is further, and w = (1, -2, 1). Then the sum over all (d_0, d_1, ..) of w[d_0] w[d_1] .. V(position + d) vanishes,
 * and the term of no steps is minus the sum of the others. Near the target, where these do not exist, the guess is the mean
 * of the positions in which one seat is one score further.
 *
 * mover: the seat that made the zero turn. position: an entry of its table. */
static double extrapolate(const kw_seats *race, int mover, int64_t position) {
    const int n = race->seats;
    const double *values = race->seat[mover].tables[KW_EQUILIBRIUM];
    /* A position is a number whose digits are the scores, the mover's the lowest. step: see mean_one_further. */
    int64_t step[KW_MAX_SEATS], place_value = 1, scores_left = position;
    int has_two_above = 1; /* every seat has two higher scores */
    for (int k = n - 1; k >= 0; k--) {
        int32_t scores = race->seat[(mover + 1 + k) % n].scores;
        int scores_above = scores - 1 - (int)(scores_left % scores);
        step[k] = scores_above ? place_value : 0;
        has_two_above &= scores_above >= 2;
        place_value *= scores;
        scores_left /= scores;
    }
    if (!has_two_above)
        return mean_one_further(n, values, position, step);
    double sum = 0;
    int d[KW_MAX_SEATS] = {0};
    while (next_digits(n, d)) {
        double weight = -1; /* the sign of the other terms */
        int64_t neighbour = position;
        for (int k = 0; k < n; k++) {
            weight *= d[k] == 1 ? -2 : 1;
            neighbour += d[k] * step[k];
        }
        sum += weight * values[neighbour * n + n - 1];
    }
    return sum;
}

/* Compute what every seat of a cycle gets if every mover plays the turn that was solved for z.
 *
 * n: the number of seats, which is the number of movers.
 * own[i]: value of the turn for mover i. zero[i]: chance of a zero turn. other_shares[i][k - 1]: what the turn pays to seat
 * k from mover i on, 1 <= k < n - 1, unless it is a zero turn; the last seat gets the rest of 1.
 * value[i][j]: written, what mover j of the cycle gets if mover i is to move. It solves, with share[i] for one turn,
 *
 *     value[i][j] = share[i][j - i mod n] + zero[i] value[i + 1 mod n][j].
 *
 * Returns the chance that a round of turns changes the position. */
static double evaluate_cycle(int n, const double *own, const double *z, const double *zero, double other_shares[][KW_MAX_SEATS],
                             double value[][KW_MAX_SEATS]) {
    double share[KW_MAX_SEATS][KW_MAX_SEATS], all_zero = 1; /* share: by mover and by seat from that mover on */
    for (int i = 0; i < n; i++) {
        share[i][0] = own[i] - zero[i] * z[i];
        double rest = 1 - zero[i] - share[i][0];
        for (int k = 1; k < n - 1; k++) {
            share[i][k] = other_shares[i][k - 1];
            rest -= other_shares[i][k - 1];
        }
        share[i][n - 1] = rest;
        all_zero *= zero[i];
    }
    for (int j = 0; j < n; j++) {
        double sum = 0, reached = 1; /* reached: the chance that all movers before i make zero turns */
        for (int i = 0; i < n; i++) {
            sum += reached * share[i][(j - i + n) % n];
            reached *= zero[i];
        }
        value[0][j] = sum / (1 - all_zero);
        for (int i = n - 1; i > 0; i--)
            value[i][j] = share[i][(j - i + n) % n] + zero[i] * value[(i + 1) % n][j];
    }
    return 1 - all_zero;
}

/* Return the first guess of z for a mover, from the position after the zero turn, in which the mover is the last seat. */
static double guess_zero_turn(const kw_seats *race, int mover, int64_t after_zero_turn) {
    if (race->has_old_values)
        return race->seat[mover].tables[KW_EQUILIBRIUM][after_zero_turn * race->seats + race->seats - 1];
    double z = extrapolate(race, mover, after_zero_turn);
    return z < 0 ? 0 : z > 0.9375 ? 0.9375 : z; /* below 1: at 1 a zero turn would be as good as a win */
}

void kw_seats_guess(const kw_seats *race, const int32_t *cycles, const int64_t *rows, int64_t count, double *z) {
    for (int64_t i = 0; i < count * race->seats; i++) {
        int mover = (int)(i % race->seats);
        z[i] = guess_zero_turn(race, mover, rows[i] * race->seat[mover].scores + cycles[i]);
    }
}

/* Make one step of policy iteration in a lane whose turns are solved: evaluate them, and set the next z of every mover.
 *
 * value: written, see evaluate_cycle. is_hopeless: written, 1 if a round of turns hardly ever changes the position. Returns
 * whether z has settled. */
static int improve_cycle(const kw_seats *race, cycle_unit *unit, int l, int pass, double value[][KW_MAX_SEATS],
                         int *is_hopeless) {
    const int n = race->seats;
    double own[KW_MAX_SEATS], z[KW_MAX_SEATS], zero[KW_MAX_SEATS], other_shares[KW_MAX_SEATS][KW_MAX_SEATS];
    for (int i = 0; i < n; i++) {
        own[i] = unit->block[i].value[0][l];
        z[i] = unit->block[i].bust_value[l];
        zero[i] = unit->block[i].value[1][l];
        for (int k = 1; k < n - 1; k++)
            other_shares[i][k - 1] = unit->block[i].value[k + 1][l];
    }
    double exit_chance = evaluate_cycle(n, own, z, zero, other_shares, value), next[KW_MAX_SEATS];
    *is_hopeless = !(exit_chance > MIN_EXIT_CHANCE);
    int is_settled = 1;
    for (int i = 0; i < n; i++) {
        /* If all movers prefer a zero turn, the guesses of z were too high: begin again with 0, unless they are 0. */
        next[i] = *is_hopeless ? 0 : clamp_probability(value[(i + 1) % n][i]);
        /* The error of z is amplified by the expected number of rounds, which is 1 / exit_chance. */
        is_settled &= *is_hopeless ? !(z[i] > 0)
                                   : exit_chance * fabs(next[i] - z[i]) <= race->tolerance[pass >= EXACT_PASSES];
        value[i][i] = clamp_probability(value[i][i]);
    }
    for (int i = 0; i < n && !is_settled; i++)
        unit->block[i].bust_value[l] = pass < DAMPED_PASSES || *is_hopeless ? next[i] : (next[i] + z[i]) / 2;
    return is_settled;
}

/* Find an equilibrium of `count` cycles, at most KW_LANES, by policy iteration, and write the settled ones to the tables.
 *
 * cycles, cycle_rows: [count][seats] the score of each mover, and the row that the mover faces. z: [count][seats] first
 * guesses of the value of a zero turn, or NULL. status: [count] the outcomes. work: the number of choices evaluated per
 * block is added to work[0], and the number of passes to work[1]. */
static void solve_unit(kw_seats *race, const int32_t *cycles, const int64_t *cycle_rows, const double *z, int64_t count,
                       uint8_t *status, int64_t *work, double *scratch) {
    const int n = race->seats;
    int64_t plane = channel_doubles(race);
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63); /* aligned to a cache line of 64 bytes */
    cycle_unit unit;
    init_unit(race, &unit, cycles, cycle_rows, count, table + (n + 1) * plane);
    double value[KW_LANES][KW_MAX_SEATS][KW_MAX_SEATS];
    int is_settled[KW_LANES] = {0}, is_hopeless[KW_LANES] = {0}, open_lanes = KW_LANES;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < KW_LANES; l++)
            unit.block[i].bust_value[l] =
                z ? z[(l < count ? l : count - 1) * n + i] : guess_zero_turn(race, i, unit.after_zero_turn[i][l]);
    for (int pass = 0; open_lanes && pass < MAX_PASSES; pass++) {
        for (int i = 0; i < n; i++) {
            const kw_seat *mover = &race->seat[i];
            kw_update_needed(mover->turn, &mover->stops[KW_EQUILIBRIUM], &unit.block[i], stops_lanes(mover, &unit.block[i]),
                             !pass);
            solve_mover(race, mover, &unit.block[i], KW_EQUILIBRIUM, KW_EQUILIBRIUM, table, plane, n, work);
        }
        work[1]++;
        for (int l = 0; l < KW_LANES; l++)
            if (!is_settled[l] && improve_cycle(race, &unit, l, pass, value[l], &is_hopeless[l])) {
                is_settled[l] = 1;
                open_lanes--;
            }
    }
    for (int l = 0; l < KW_LANES; l++) {
        if (l < count)
            status[l] = !is_settled[l] ? KW_SEATS_UNSETTLED : is_hopeless[l] ? KW_SEATS_HOPELESS : KW_SEATS_SOLVED;
        if (!is_settled[l] || is_hopeless[l])
            continue;
        for (int i = 0; i < n; i++) {
            double *values = seat_before(race, i)->tables[KW_EQUILIBRIUM];
            for (int j = 0; j < n; j++)
                values[unit.position[i][l] * n + (j - i + n) % n] = clamp_probability(value[l][i][j]);
            kw_record_stops(&race->seat[i].stops[KW_EQUILIBRIUM], &unit.block[i], l);
        }
    }
}

/* Make one Newton step for best responses in lane l: set the next z of every seat, unless all have settled. Return whether
 * they have.
 *
 * zero[i] and follow[i][k]: the chance of a zero turn of mover i, and the bound for seat k from mover i on if the turn
 * changes the scores, both in the equilibrium. Seat j maximizes its own turn for z_j, the bound of its zero turn. Once
 * around the cycle from the position after that turn,
 *
 *     z_j = sum + reached (value_j + margin),   sum and reached: from the turns of the other movers,
 *
 * which is solved along the tangent of value_j in z_j. Every z_j that is not below the right side is an upper bound. */
static int improve_replies(const kw_seats *race, cycle_unit *unit, int l, int pass, double zero[][KW_LANES],
                           double follow[][KW_MAX_SEATS][KW_LANES]) {
    const int n = race->seats;
    int is_settled = 1;
    double next[KW_MAX_SEATS];
    for (int j = 0; j < n; j++) {
        double sum = 0, reached = 1;
        for (int m = 1; m < n; m++) {
            int i = (j + m) % n;
            sum += reached * follow[i][n - m][l];
            reached *= zero[i][l];
        }
        const kw_turn_block *block = &unit->block[j];
        double slope = block->value[1][l], z = block->bust_value[l], value = block->value[0][l] + race->margin;
        double response = sum + reached * value; /* the right side for the present z */
        next[j] = (sum + reached * (value - slope * z)) / (1 - reached * slope);
        is_settled &=
            (pass < ONE_SIDED_PASSES ? fabs(response - z) : response - z) <= race->tolerance[pass >= EXACT_PASSES];
    }
    for (int j = 0; j < n && !is_settled; j++)
        unit->block[j].bust_value[l] = next[j];
    return is_settled;
}

/* Write the upper bounds of best responses in lane l to the table, after z has settled, and store the certain stops.
 *
 * zero, follow: as in improve_replies. For seat j the bound is first that of its own turn. From there it is carried
 * backwards through
 * the cycle: the mover before pays follow, or makes a zero turn and leaves the bound of the position after it. */
static void write_replies(kw_seats *race, const cycle_unit *unit, int l, double zero[][KW_LANES],
                          double follow[][KW_MAX_SEATS][KW_LANES]) {
    const int n = race->seats;
    for (int j = 0; j < n; j++) {
        double bound = unit->block[j].value[0][l] + race->margin;
        seat_before(race, j)->tables[KW_REPLIES][unit->position[j][l] * n] = bound;
        for (int m = n - 1; m > 0; m--) {
            int i = (j + m) % n;
            bound = follow[i][n - m][l] + zero[i][l] * bound;
            seat_before(race, i)->tables[KW_REPLIES][unit->position[i][l] * n + n - m] = bound;
        }
    }
    for (int i = 0; i < n; i++)
        kw_record_stops(&race->seat[i].stops[KW_REPLIES], &unit->block[i], l);
}

/* Bound the best response of every seat to the equilibrium in the tables, for `count` cycles, at most KW_LANES; write the
 * tables of replies.
 *
 * The turns of the equilibrium are solved once; then those of best responses, by Newton's method on the value of a zero
 * turn.
 * cycles, cycle_rows: [count][seats] the score of each mover, and the row that the mover faces. status: [count] the
 * outcomes.
 * work: the number of choices evaluated per block is added to work[0], and the number of passes to work[1]. */
static void reply_unit(kw_seats *race, const int32_t *cycles, const int64_t *cycle_rows, int64_t count, uint8_t *status,
                       int64_t *work, double *scratch) {
    const int n = race->seats;
    int64_t plane = channel_doubles(race);
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    cycle_unit unit;
    init_unit(race, &unit, cycles, cycle_rows, count, table + (n + 1) * plane);
    /* By mover of the equilibrium, the chance of a zero turn, and what its turn leaves to seat k from the mover on. */
    double zero[KW_MAX_SEATS][KW_LANES], follow[KW_MAX_SEATS][KW_MAX_SEATS][KW_LANES];
    for (int i = 0; i < n; i++) {
        kw_turn_block *block = &unit.block[i];
        kw_seat *mover = &race->seat[i];
        for (int l = 0; l < KW_LANES; l++)
            block->bust_value[l] = mover->tables[KW_EQUILIBRIUM][unit.after_zero_turn[i][l] * n + n - 1];
        kw_update_needed(mover->turn, &mover->stops[KW_EQUILIBRIUM], block, stops_lanes(mover, block), 1);
        solve_mover(race, mover, block, KW_EQUILIBRIUM, KW_REPLIES, table, plane, n + 1, work);
        for (int l = 0; l < KW_LANES; l++) {
            kw_record_stops(&mover->stops[KW_EQUILIBRIUM], block, l);
            zero[i][l] = block->value[1][l];
            for (int k = 1; k < n; k++)
                follow[i][k][l] = block->value[k + 1][l] + race->margin;
        }
        block->filled_rows = 0; /* best responses have other payoffs */
    }
    int is_settled[KW_LANES] = {0}, open_lanes = KW_LANES;
    for (int pass = 0; open_lanes && pass < MAX_PASSES; pass++) {
        for (int i = 0; i < n; i++) {
            const kw_seat *mover = &race->seat[i];
            kw_update_needed(mover->turn, &mover->stops[KW_REPLIES], &unit.block[i], stops_lanes(mover, &unit.block[i]),
                             !pass);
            solve_mover(race, mover, &unit.block[i], KW_REPLIES, KW_REPLIES, table, plane, 2, work);
        }
        work[1]++;
        for (int l = 0; l < KW_LANES; l++)
            if (!is_settled[l] && improve_replies(race, &unit, l, pass, zero, follow)) {
                is_settled[l] = 1;
                open_lanes--;
                write_replies(race, &unit, l, zero, follow);
            }
    }
    for (int l = 0; l < count; l++)
        status[l] = is_settled[l] ? KW_SEATS_SOLVED : KW_SEATS_UNSETTLED;
}

void kw_seats_solve(kw_seats *race, const int32_t *cycles, const int64_t *rows, const double *z, int64_t count, int64_t *next,
                    uint8_t *status, int64_t *work, double *scratch, int with_replies) {
    const int n = race->seats;
    while (1) {
        int64_t first = atomic_fetch_add((_Atomic int64_t *)next, KW_LANES);
        if (first >= count)
            return;
        int64_t lanes = count - first < KW_LANES ? count - first : KW_LANES;
        const int32_t *unit_cycles = cycles + first * n;
        if (with_replies)
            reply_unit(race, unit_cycles, rows + first * n, lanes, status + first, work, scratch);
        else
            solve_unit(race, unit_cycles, rows + first * n, z ? z + first * n : NULL, lanes, status + first, work, scratch);
    }
}
