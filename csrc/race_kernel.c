/* See race_kernel.h. Side 0 of a pair is the mover's turn, side 1 the opponent's turn. If both players have the same rules,
 * side 1 is the mirror image of side 0: both have the same turn and the same tables. */
#include "race_kernel.h"

#include <stdatomic.h>

#include "lanes.h"

#ifdef _WIN32
#include <windows.h>
#define yield_thread() SwitchToThread()
#else
#include <sched.h>
#define yield_thread() sched_yield()
#endif

#define EXACT_PASSES 8       /* after these passes rounding noise may keep z from settling, so the tolerance is larger */
#define NEWTON_PASSES 20     /* after these passes bisection supports Newton's method */
#define MAX_PASSES 400
#define GAP_MARGIN 0x1p-4    /* relative amount by which a gap that is too small is raised beyond what it needs */
#define MIN_EXIT_CHANCE 0x1p-40 /* least chance that a pair of turns changes the position; below, z cannot be computed */
#define MAX_GAP 0x1p-20      /* a gap wider than this is not worth stating */
#define SECANT_PASSES 16     /* passes in which secants may settle; then Newton's method begins again */
#define SECANT_STEP 0x1p-20  /* added to the second z, so that it lies above the final z */
#define MIN_SECANT 0x1p-30   /* two z that are closer give no secant, because of rounding */
#define SECANT_GAP_MARGIN 0x1p-10 /* relative amount by which a first gap exceeds what it needs, since slopes may change */
#define SECANT_GAP_ROUNDING 0x1p-40 /* more than the relative rounding of a gap */
#define MAX_SLOPES (1 - 0x1p-6) /* of both sides, multiplied; beyond, secants hardly bound the gaps */
#define CHANNELS 3           /* value, slope in z, expected gap */

/* Return the probability from 0 to 1 that is closest to x. */
KW_INLINE double clamp_probability(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* Return the doubles of the table of a turn that is large enough for either side. The sides use the same memory one after
 * the other. */
static int64_t table_size(const kw_race_side *sides) {
    int64_t size[2];
    for (int side = 0; side < 2; side++)
        size[side] = CHANNELS * sides[side].race->rows * sides[side].turn->modes * KW_LANES;
    return size[0] > size[1] ? size[0] : size[1];
}

/* Return the doubles of scratch for the arrays of one side's turns (kw_turn_block), without the table. */
static int64_t block_size(const kw_race_side *side) {
    return kw_block_scratch(side->turn, side->race->rows, CHANNELS, side->race->takeover_dice);
}

int64_t kw_race_scratch(const kw_race_side *sides) {
    return table_size(sides) + block_size(&sides[0]) + block_size(&sides[1]) + KW_LANES;
}

/* KW_LANES pairs of states that are solved together. In a lane, side 0 is the turn of the player in state[0] against an
 * opponent in state[1], and side 1 the turn of that opponent. Arrays are by side and lane. z, the value of a zero turn to
 * the mover of a side, is block[side].bust_value. */
typedef struct {
    kw_turn_block block[2];
    int32_t state[2][KW_LANES];      /* of the mover; the opponent's is that of the other side */
    int is_zero_turn[2][KW_LANES];   /* 1: the turn can be a zero turn, which leaves the position as it is */
    int any_zero_turn;               /* 1: some turn of the unit can */
    int32_t stops_lanes[2];          /* bit for each lane: the turn may use and record certain stops */
    double gap[2][KW_LANES];         /* upper minus lower bound of the turn's value */
    double high[2][KW_LANES];        /* upper bound of the turn's value, from the last pass */
    double next_z[2][KW_LANES];      /* the next guess of z */
    double lower[KW_LANES], upper[KW_LANES]; /* bisection bracket of z of side 0 */
} pair_unit;

/* Return the index in race->pay and race->gap of a row, the opponent's state, and a column, the state that the mover
 * leaves. */
KW_INLINE int64_t cell_of(const kw_race *race, int32_t row, int32_t column) {
    return (int64_t)row * race->columns + column;
}

/* Return a first guess for z, the value of a zero turn to a mover in state `mine` against an opponent in state `theirs`.
 *
 * It is extrapolated from positions with higher scores, which are solved: the mixed second difference of pay, along both
 * scores, is taken to be 0. With c_i the mover's column i scores further, and p_j the row of the opponent's state j scores
 * further, the sum over i, j = 0, 1, 2 of w_i w_j p_j[c_i] with w = (1, -2, 1) then vanishes. z is its term p_0[c_0]. Near
 * the end of the race, where some terms do not exist, z is the mean of the two positions one score further. */
static double guess_zero_turn(const kw_race *race, const kw_race *other, int32_t mine, int32_t theirs) {
    /* The states one and two scores further. At the highest score next_state is the state itself. */
    int32_t mine1 = race->next_state[mine], mine2 = race->next_state[mine1];
    int32_t theirs1 = other->next_state[theirs], theirs2 = other->next_state[theirs1];
    int32_t c0 = race->column[mine], c1 = race->column[mine1], c2 = race->column[mine2];
    const double *p0 = race->pay + cell_of(race, theirs, 0), *p1 = race->pay + cell_of(race, theirs1, 0),
                 *p2 = race->pay + cell_of(race, theirs2, 0);
    double z = (p0[c1] + p1[c0]) / 2;
    if (mine2 > mine1 && theirs2 > theirs1)
        z = 2 * p0[c1] - p0[c2] + 2 * p1[c0] - p2[c0] - 4 * p1[c1] + 2 * p1[c2] + 2 * p2[c1] - p2[c2];
    return z < 0 ? 0 : z > 0.9375 ? 0.9375 : z; /* below 1: at 1 a zero turn would be as good as a win */
}

/* Set up a unit of `count` pairs, at most KW_LANES: scores, caps, first guesses of z, and the arrays in `scratch`. Lanes
 * beyond the pairs repeat the last pair, because the kernel always solves KW_LANES lanes. */
static void init_unit(const kw_race_side *sides, pair_unit *unit, const int32_t (*pairs)[2], int64_t count,
                      double *scratch) {
    for (int l = 0; l < KW_LANES; l++)
        for (int side = 0; side < 2; side++)
            unit->state[side][l] = pairs[l < count ? l : count - 1][side];
    unit->any_zero_turn = 0;
    for (int side = 0; side < 2; side++) {
        const kw_race *race = sides[side].race, *other = sides[1 - side].race;
        kw_turn_block *block = &unit->block[side];
        kw_block_layout(sides[side].turn, block, scratch, race->rows, CHANNELS, race->takeover_dice);
        scratch += block_size(&sides[side]);
        block->first_pruned_row = race->no_gaps && race->prune_choices ? 0 : INT32_MAX;
        block->max_min_bank = block->cap = block->filled_rows = unit->stops_lanes[side] = 0;
        for (int l = 0; l < KW_LANES; l++) {
            int32_t mine = unit->state[side][l], theirs = unit->state[1 - side][l], column = race->column[mine];
            block->score[l] = race->total[mine];
            int wipe_is_zero_turn = race->has_wipe && race->wipe_column[mine] == column;
            int wipe_lowers = !race->has_wipe || race->total[race->wipe_column[mine]] <= block->score[l];
            /* kw_certain_stops has a row for each of the opponent's states and the mover's counts of busts. */
            block->stops_row[l] = (int64_t)theirs * race->bust_counts + race->bust_count[mine];
            block->min_bank[l] = race->min_bank[mine];
            block->max_min_bank = race->min_bank[mine] > block->max_min_bank ? race->min_bank[mine] : block->max_min_bank;
            block->cap = race->cap[mine] > block->cap ? race->cap[mine] : block->cap;
            block->cap = race->last_total[theirs] - block->score[l] > block->cap ? race->last_total[theirs] - block->score[l]
                                                                                 : block->cap;
            /* Stops are certain only if all turns of the row wipe to the same payoff, which is solved after them all,
             * and if the payoff of a bank depends on the total alone. */
            unit->stops_lanes[side] |= (!wipe_is_zero_turn && wipe_lowers && !race->takeover_dice) << l;
            unit->any_zero_turn |= unit->is_zero_turn[side][l] = wipe_is_zero_turn || race->bust_column[mine] == column;
            block->bust_value[l] = unit->is_zero_turn[side][l]
                                       ? guess_zero_turn(race, other, mine, theirs)
                                       : race->pay[cell_of(race, theirs, race->bust_column[mine])];
            /* The first guess of the gap is that of the position in which the opponent has one score more. */
            unit->gap[side][l] =
                race->no_gaps ? 0 : other->gap[cell_of(other, mine, other->column[other->next_state[theirs]])];
            unit->lower[l] = 0, unit->upper[l] = 1;
        }
    }
}

/* Return the payoffs to the mover, by number of dice, of a bank of t points whose dice the opponent takes over in a last
 * turn. score: the mover's score before the bank. theirs: the opponent's state. */
static const double *last_takeover_payoffs(const kw_race *race, int32_t score, int32_t theirs, int32_t t) {
    int64_t lead = score - race->total[theirs] + race->lead_span - 1;
    int64_t points = t < race->last_points ? t : race->last_points - 1;
    return race->last_takeover +
           ((race->has_score[theirs] * (2 * race->lead_span - 1) + lead) * race->last_points + points) * race->takeover_dice;
}

/* Write the payoffs of a bank of t points in lane l, by the mode in which the mover stops, if the opponent may take over the
 * dice of that mode.
 *
 * theirs: the opponent's state. k: the table that is read, 0 for pay and 1 for gap; the payoffs go to channel 2 k. banked:
 * the payoff if the opponent begins a new turn. */
KW_INLINE void fill_takeover_banks(const kw_monotone_turn *turn, const kw_race *race, kw_turn_block *block, int l,
                                   int32_t theirs, int32_t t, int k, double banked) {
    int64_t total = block->score[l] + t, offer = total * (total - 1) / 2 + t - 1; /* see takeover_offers */
    int is_last = race->last_takeover && total >= race->lead_span; /* the bank starts the last round */
    int is_allowed = t && t <= race->max_takeover[theirs];
    const double *offered = /* the payoff if the opponent takes over, by number of dice */
        is_last ? last_takeover_payoffs(race, block->score[l], theirs, t)
                : race->takeover[k] + (theirs * race->takeover_offers + offer) * race->takeover_dice;
    int is_tabulated = is_last ? !k : offer < race->takeover_offers; /* payoffs of a last turn have no gaps */
    for (int m = 0; m < turn->modes; m++) {
        int has_offer = is_allowed && is_tabulated && m < race->takeover_dice; /* later modes leave no dice */
        /* The opponent chooses what pays the mover less. Except in a last turn, write_takeovers has compared the two. */
        int is_declined = is_last && has_offer && banked < offered[m];
        block->bank_value[2 * k][t * turn->modes + m][l] = has_offer && !is_declined ? offered[m] : banked;
    }
}

/* Fill the payoffs of a bank with every number of turn points that the turns of a side can reach, for all lanes: pay in
 * channel 0 and the gap in channel 2. Rows that are filled already are kept, since these payoffs do not depend on z. */
static void fill_bank_values(const kw_monotone_turn *turn, const kw_race *race, pair_unit *unit, int side) {
    kw_turn_block *block = &unit->block[side];
    const double *const tables[2] = {race->pay, race->gap};
    for (; block->filled_rows <= block->max_points; block->filled_rows++)
        for (int l = 0; l < KW_LANES; l++)
            for (int k = 0; k < (race->no_gaps ? 1 : 2); k++) {
                int32_t theirs = unit->state[1 - side][l], t = block->filled_rows;
                double banked = tables[k][cell_of(race, theirs, kw_total(&race->stops, block, l, t))];
                if (block->banks_by_mode)
                    fill_takeover_banks(turn, race, block, l, theirs, t, k, banked);
                else
                    block->bank_value[2 * k][t][l] = banked;
            }
}

/* Return the first row from which on more turn points bank for more in every lane, or for the same with the same gap. Of two
 * banks the one with more points is then as good a choice. */
static int32_t first_growing_row(const kw_turn_block *block) {
    int32_t t = block->max_points;
    for (int is_growing = 1; is_growing && t > 0; t -= is_growing)
        for (int l = 0; l < KW_LANES; l++) {
            double less = block->bank_value[0][t - 1][l], more = block->bank_value[0][t][l];
            int is_same = less == more && block->bank_value[2][t - 1][l] == block->bank_value[2][t][l];
            is_growing &= less < more || is_same;
        }
    return t;
}

/* Solve the turns of a side in every lane for the current z. The results are in unit->block[side].
 *
 * channels: how many to solve, of the value, its slope in z and the expected gap. write_roll_values: 1 to store the value
 * before each roll too. table: scratch. work: the number of choices evaluated is added. */
static void solve_side(const kw_monotone_turn *turn, const kw_race *race, pair_unit *unit, int side, double *table,
                       int channels, int write_roll_values, int64_t *work) {
    kw_turn_block *block = &unit->block[side];
    int64_t plane = (int64_t)race->rows * turn->modes * KW_LANES;
    fill_bank_values(turn, race, unit, side);
    if (race->prune_choices && !race->no_gaps && !block->banks_by_mode) {
        block->first_pruned_row = first_growing_row(block);
        /* Choices lead to higher rows. There, too few points to bank may be worth more only if they end the turn. */
        if (race->can_pass && block->first_pruned_row < block->max_min_bank - 1)
            block->first_pruned_row = block->max_min_bank - 1;
    }
    kw_ending_payoffs payoffs = {{{0}}};
    for (int l = 0; l < KW_LANES; l++) {
        int32_t mine = unit->state[side][l];
        const int32_t column[2] = {race->bust_column[mine], race->wipe_column[mine]}; /* by ending, KW_BUST and KW_WIPE */
        for (int ending = KW_BUST; ending <= (race->has_wipe ? KW_WIPE : KW_BUST); ending++) {
            int64_t cell = cell_of(race, unit->state[1 - side][l], column[ending]);
            int is_zero_turn = column[ending] == race->column[mine]; /* then it pays z, whose slope in z is 1 */
            payoffs[ending][0][l] = is_zero_turn ? block->bust_value[l] : race->pay[cell];
            payoffs[ending][1][l] = is_zero_turn;
            payoffs[ending][2][l] = is_zero_turn ? 0 : race->gap[cell];
        }
        for (int k = 0; k < CHANNELS; k++)
            payoffs[KW_PASS][k][l] = race->can_pass ? payoffs[KW_BUST][k][l] : k ? 0 : -INFINITY;
    }
    /* Without zero turns slopes are not read. Then gaps take their channel, which leaves one channel fewer. */
    int has_slopes = channels < CHANNELS || unit->any_zero_turn || write_roll_values;
    if (!has_slopes) {
        for (int ending = 0; ending < KW_ENDINGS; ending++)
            memcpy(payoffs[ending][1], payoffs[ending][2], sizeof payoffs[ending][1]);
        block->bank_value[1] = block->bank_value[2];
        channels = 2;
    }
    KW_PICK(monotone_turn)(turn, block, payoffs, table, plane, channels, write_roll_values, work);
    if (!has_slopes) {
        memcpy(block->value[2], block->value[1], sizeof block->value[2]);
        block->bank_value[1] = NULL;
    }
}

/* Both turns of a pair as functions of z, if their choices stay as they are; arrays are by side:
 *     hi(z') = value + slope (z' - z),   needed gap = gap + slope x (gap of the other side). */
typedef struct {
    double z[2], value[2], slope[2], gap[2];
    double exit_chance; /* 1 - slope[0] slope[1]: the chance that a pair of turns changes the position */
    double d;           /* bounds the rounding of a turn; the value is raised by it */
    double tolerance;   /* z has settled if it moves by no more than this */
    int is_mirror; /* both states are the same, so both sides are one position */
} tangents;

/* Return d, by which the value of a turn is raised so that it bounds the rounding. is_noisy: the pass is one of those that
 * settle z with the larger tolerance, so d is larger too. */
static double margin_of(const kw_race *race, int is_noisy) { return race->no_gaps ? 0 : race->margin[is_noisy]; }

/* Return the turns of both sides of a pair, in lane l, as linear functions of z, after they are solved. is_noisy: see
 * margin_of.
 *
 * The channels are the value, its slope in z, and the expected gap. The value is within d of the one computed. hi is d above
 * that one, so the rounding of a turn adds 2 d to the gap. */
static tangents tangents_of(const kw_race_side *sides, const pair_unit *unit, int l, int is_noisy) {
    const kw_race *race = sides[0].race;
    tangents line = {.d = margin_of(race, is_noisy),
                     .tolerance = race->tolerance[is_noisy],
                     .is_mirror = race == sides[1].race && unit->state[0][l] == unit->state[1][l]};
    for (int side = 0; side < 2; side++) {
        const kw_turn_block *block = &unit->block[side];
        line.z[side] = block->bust_value[l];
        line.value[side] = block->value[0][l] + line.d;
        line.slope[side] = unit->any_zero_turn ? block->value[1][l] : 0;
        line.gap[side] = race->no_gaps ? 0 : block->value[2][l] + 2 * line.d;
    }
    line.exit_chance = 1 - line.slope[0] * line.slope[1];
    return line;
}

/* Write to next, by side, the value of a zero turn that follows from the value of the other side's turn: z = 1 - lo = 1 -
 * (hi - gap). It does not change if the turn cannot be a zero turn. */
static void next_z_from_values(const pair_unit *unit, const tangents *line, int l, double *next) {
    for (int side = 0; side < 2; side++)
        next[side] = unit->is_zero_turn[side][l]
                         ? clamp_probability(1 - (line->value[1 - side] - unit->gap[1 - side][l]))
                         : line->z[side];
}

/* Update the gaps of a pair, and write next z, by side, as it follows from the values. Return whether z and gaps have
 * settled.
 * with_gaps: 0 if gaps are not solved in this pass. has_grown: written, 1 if a gap was raised after z had settled.
 *
 * The gaps of the current choices solve g_0 = gap_0 + slope_0 g_1 and g_1 = gap_1 + slope_1 g_0. In the first passes they
 * are adopted as they are. But choices that tie have different gaps, and passes may alternate between them. So from
 * EXACT_PASSES on (is_noisy) gaps stay fixed until z has settled, and grow only where they are too small. */
static int update_gaps(pair_unit *unit, const tangents *line, int l, int with_gaps, int is_noisy, double *next,
                       int *has_grown) {
    /* The solution of the two equations. Both sides of a mirror image have the same gap. */
    double needed[2] = {(line->gap[0] + line->slope[0] * line->gap[1]) / line->exit_chance, 0};
    needed[1] = line->is_mirror ? needed[0] : line->gap[1] + line->slope[1] * needed[0];
    if (with_gaps && !is_noisy && line->exit_chance > MIN_EXIT_CHANCE)
        unit->gap[0][l] = needed[0], unit->gap[1][l] = needed[1];
    next_z_from_values(unit, line, l, next);
    int is_settled = 1, is_enough = 1;
    for (int side = 0; side < 2; side++) {
        is_settled &= fabs(next[side] - line->z[side]) <= line->tolerance;
        is_enough &= line->gap[side] + line->slope[side] * (line->z[side] - (1 - line->value[1 - side])) <=
                     unit->gap[side][l] + line->tolerance;
    }
    *has_grown = is_noisy && is_settled && !is_enough && with_gaps;
    if (*has_grown) {
        /* What the equations ask for with the present gap of the other side. */
        double direct[2] = {line->gap[0] + line->slope[0] * unit->gap[1][l],
                            line->gap[1] + line->slope[1] * unit->gap[0][l]};
        for (int side = 0; side < 2; side++) {
            if (line->exit_chance > MIN_EXIT_CHANCE && needed[side] + GAP_MARGIN * needed[side] > unit->gap[side][l])
                unit->gap[side][l] = needed[side] + GAP_MARGIN * needed[side];
            if (direct[side] > unit->gap[side][l])
                unit->gap[side][l] = direct[side] + GAP_MARGIN * line->gap[side];
        }
        next_z_from_values(unit, line, l, next);
        unit->lower[l] = 0, unit->upper[l] = 1; /* the bracket was for the old gaps */
    }
    return is_settled && (is_enough || !is_noisy || !with_gaps);
}

/* Make a Newton step, and write z' of both sides to next: the solution of hi = value + slope (z' - z) and z' = 1 - (hi of
 * the other side - its gap), for both sides.
 *
 * With A = value + slope (1 + gap of the other side - z) the equations are hi_0 = A_0 - slope_0 hi_1 and
 * hi_1 = A_1 - slope_1 hi_0. So hi_0 = (A_0 - slope_0 A_1) / (1 - slope_0 slope_1). hi_1 follows from its own equation: if
 * both slopes are near 1, two separate quotients would not be consistent. In a mirror image hi_0 = hi_1. */
static void newton_step(const pair_unit *unit, const tangents *line, int l, double *next) {
    const double *value = line->value, *slope = line->slope, *z = line->z;
    double gap[2] = {unit->gap[0][l], unit->gap[1][l]};
    double a0 = value[0] + slope[0] * (1 + gap[1] - z[0]), a1 = value[1] + slope[1] * (1 + gap[0] - z[1]);
    double high0 = line->is_mirror ? a0 / (1 + slope[0]) : (a0 - slope[0] * a1) / line->exit_chance;
    double high1 = line->is_mirror ? high0 : a1 - slope[1] * high0;
    next[0] = clamp_probability(1 - (high1 - gap[1]));
    next[1] = clamp_probability(1 - (high0 - gap[0]));
}

/* Make half of a bisection step for z of side 0, because Newton steps can cycle.
 *
 * An even pass keeps z of side 0, and gives side 1 the z that follows from it. The odd pass after it solves side 1 with that
 * z, which gives `result`, a new z of side 0. As a function of z, result has a slope below 1, so the solution is above z if
 * result is. The bracket [lower, upper] is cut at z, and next z is its middle. In every second one of these passes it is
 * the Newton step instead, if that is inside the bracket.
 *
 * next: by side, the Newton step; changed. */
static void bisection_step(pair_unit *unit, const tangents *line, int l, int pass, double result, double *next) {
    if (pass % 2 == 0) {
        next[0] = line->z[0];
        next[1] = clamp_probability(1 - (line->value[0] - unit->gap[0][l]));
        return;
    }
    if (result > line->z[0])
        unit->lower[l] = line->z[0];
    else
        unit->upper[l] = line->z[0];
    if (pass % 4 == 1 || next[0] <= unit->lower[l] || next[0] >= unit->upper[l])
        next[0] = (unit->lower[l] + unit->upper[l]) / 2;
}

/* Choose next z of the pair in lane l after a pass, by Newton's method or bisection. Return whether z and the gaps have
 * settled.
 *
 * pass: counted from 0. with_gaps: 0 if gaps are not solved in this pass. is_hopeless: set to 1 if a pair of turns hardly
 * ever changes the position, so that z cannot be computed. */
static int update_pair(const kw_race_side *sides, pair_unit *unit, int l, int pass, int with_gaps, int *is_hopeless) {
    int is_noisy = pass >= EXACT_PASSES, has_grown;
    tangents line = tangents_of(sides, unit, l, is_noisy);
    double next[2];
    *is_hopeless |= line.exit_chance <= MIN_EXIT_CHANCE;
    int is_settled = update_gaps(unit, &line, l, with_gaps, is_noisy, next, &has_grown);
    double result = next[0]; /* z of side 0 that follows from the value of side 1 */
    if (line.exit_chance > MIN_EXIT_CHANCE)
        newton_step(unit, &line, l, next);
    if (pass >= NEWTON_PASSES && !(pass % 2 && has_grown)) /* result is for the old gaps if they have grown */
        bisection_step(unit, &line, l, pass, result, next);
    for (int side = 0; side < 2; side++) { /* in a mirror image both sides are one position and take one z */
        unit->next_z[side][l] = unit->is_zero_turn[side][l] ? next[line.is_mirror ? 0 : side] : line.z[side];
        unit->high[side][l] = line.value[side];
    }
    return is_settled;
}

/* Write pay and gap of every take-over offer to the players of a side, in all lanes. Such a player goes on with the dice
 * and points on offer, or begins a new turn if that is better. The pay is that of the player who makes the offer.
 *
 * An offer is a number of points t that was banked, and a number of dice. It follows a bank, so it is only made in states
 * without busts in a row. d: bounds the rounding of a turn. */
static void write_takeovers(const kw_monotone_turn *turn, const kw_race *race, const pair_unit *unit, int side, double d) {
    const kw_turn_block *block = &unit->block[side];
    for (int l = 0; l < KW_LANES; l++) {
        int32_t mine = unit->state[side][l], theirs = unit->state[1 - side][l], total = race->total[theirs];
        /* A total T has the offers t = 1, ..., T, after those of smaller totals: see takeover_offers. */
        int64_t new_turn = cell_of(race, mine, race->column[theirs]), first_offer = (int64_t)total * (total - 1) / 2;
        /* The offers of one total are adjacent, by t and then by dice: the order of the two loops. */
        double *pay = race->takeover[0] + (mine * race->takeover_offers + first_offer) * race->takeover_dice,
               *gap = race->takeover[1] + (mine * race->takeover_offers + first_offer) * race->takeover_dice;
        for (int32_t t = 1; t <= total && !race->bust_count[theirs]; t++) {
            int64_t row = (int64_t)(t < block->cap ? t : block->cap) * turn->modes;
            for (int m = 0; m < race->takeover_dice; m++, pay++, gap++) { /* mode m rolls the dice of offer m */
                /* The bounds of going on: hi, and the needed gap as in `tangents`. */
                double high = block->roll_value[0][row + m][l] + d;
                double high_minus_low = race->no_gaps ? 0
                                                      : block->roll_value[2][row + m][l] + 2 * d +
                                                            block->roll_value[1][row + m][l] * unit->gap[1 - side][l];
                int takes_over = t <= race->max_takeover[mine] && high > unit->high[side][l]; /* the value of a new turn */
                *pay = takes_over ? 1 - clamp_probability(high - high_minus_low) : race->pay[new_turn];
                *gap = takes_over ? high_minus_low : race->gap[new_turn];
            }
        }
    }
}

/* Write a settled unit to the tables of the race: pay and gap of both positions of each pair, the certain stops of their
 * turns, and the take-over offers. table: scratch. is_noisy: see margin_of. */
static void write_unit(const kw_race_side *sides, pair_unit *unit, double *table, int is_noisy, int64_t *work) {
    for (int side = 0; side < 2; side++) {
        kw_race *other = sides[1 - side].race; /* the value of a side is what the other side leaves to it */
        for (int l = 0; l < KW_LANES; l++) {
            int64_t cell = cell_of(other, unit->state[side][l], other->column[unit->state[1 - side][l]]);
            double gap = unit->gap[side][l], high = clamp_probability(unit->high[side][l]),
                   low = clamp_probability(unit->high[side][l] - gap);
            int is_inside = gap < high && high < 1; /* no bound was clamped */
            other->pay[cell] = 1 - low;
            other->gap[cell] = is_inside ? gap : high - low; /* the difference would round away changes between sweeps */
        }
    }
    for (int side = 0; side < 2; side++) {
        const kw_monotone_turn *turn = sides[side].turn;
        kw_race *race = sides[side].race;
        for (int l = 0; l < KW_LANES; l++)
            if (unit->stops_lanes[side] >> l & 1)
                kw_record_stops(&race->stops, &unit->block[side], l);
        if (race->takeover_dice) { /* offers need the value of a roll in every mode and row */
            kw_mark_all_needed(turn, &unit->block[side]);
            solve_side(turn, race, unit, side, table, race->no_gaps ? 1 : CHANNELS, 1, work);
            write_takeovers(turn, race, unit, side, margin_of(race, is_noisy));
        }
    }
}

#ifndef KW_SLOPES_ONLY
/* Return whether the turn in lane l stops in some mode that it can reach with t turn points. */
KW_INLINE int can_stop_at(const kw_turn_block *block, int l, int32_t t) {
    uint64_t stops = block->certain_modes[t] | block->stop_modes[t][l];
    return (block->needed_modes[t] & stops) != 0;
}

/* Return a bound for the gap of a bank in lane l of a side whose turns are solved: the largest gap of all totals from the
 * lowest on at which the turn stops. Which of the higher totals it banks does not matter for a bound. */
static double max_bank_gap(const kw_race *race, const pair_unit *unit, int side, int l) {
    const kw_turn_block *block = &unit->block[side];
    const double *gap = race->gap + cell_of(race, unit->state[1 - side][l], 0);
    int32_t points = 1;
    while (points < block->cap && points <= block->max_points && !can_stop_at(block, l, points))
        points++;
    double largest = 0;
    for (int32_t total = block->score[l] + points; total < race->stops.width; total++)
        largest = gap[total] > largest ? gap[total] : largest;
    return largest;
}

/* Write to needed, by side, the gaps that lane l needs, for upper bounds of the slopes.
 *
 * A turn banks or is a zero turn. With M the largest gap of a bank and s the slope, the gaps have to satisfy
 *
 *     gap >= 2 d + M + s max(0, gap of the other side - M).
 *
 * The solution of the equations without the maxima is raised until both hold, and then by a factor that covers rounding: a
 * multiple of a solution is a solution. Return 0 if 64 steps do not suffice. */
static int secant_gaps(const kw_race_side *sides, const pair_unit *unit, int l, const double *slope, double d,
                       double *needed) {
    double bank[2], own[2]; /* M; the part of a gap that does not depend on the other side */
    for (int side = 0; side < 2; side++) {
        bank[side] = max_bank_gap(sides[side].race, unit, side, l);
        own[side] = 2 * d + bank[side] * (1 - slope[side]);
    }
    needed[0] = (own[0] + slope[0] * own[1]) / (1 - slope[0] * slope[1]);
    needed[1] = own[1] + slope[1] * needed[0];
    int was_raised = 1;
    for (int step = 0; step < 64 && was_raised; step++) {
        was_raised = 0;
        for (int side = 0; side < 2; side++) {
            double excess = needed[1 - side] - bank[side];
            double gap = 2 * d + bank[side] + slope[side] * (excess > 0 ? excess : 0);
            if (gap > needed[side] * (1 + SECANT_GAP_ROUNDING / 2))
                needed[side] = gap, was_raised = 1;
        }
    }
    for (int side = 0; side < 2; side++)
        needed[side] *= 1 + SECANT_GAP_ROUNDING;
    return !was_raised;
}

/* The passes over a unit that is solved with secants, by pass, side and lane. */
typedef struct {
    double z[SECANT_PASSES][2][KW_LANES];     /* the z of the pass */
    double value[SECANT_PASSES][2][KW_LANES]; /* the value of the turn for this z, as it was computed */
    double slope[2][KW_LANES];                /* estimate of the slope in z, from the last two passes */
    int has_gaps[KW_LANES];                   /* 1: the gaps of the lane are chosen */
} secant_passes;

/* Return the index in race->slope of the turn of a side in lane l, from a state of its mover. */
KW_INLINE int64_t slope_cell(const kw_race *race, const pair_unit *unit, int side, int l, int32_t mine) {
    return cell_of(race, unit->state[1 - side][l], race->column[mine]);
}

/* Return an upper bound of the slope of a turn at its present z, from all passes so far; 1 if none has a larger z.
 *
 * The turn is convex in z, so its slope is at most that of a secant to a larger z'. Both values may be wrong by d. */
KW_INLINE double slope_bound(const secant_passes *passes, int pass, int side, int l, double d) {
    double bound = 1, here = passes->z[pass][side][l];
    for (int earlier = 0; earlier < pass; earlier++) {
        double run = passes->z[earlier][side][l] - here;
        double rise = passes->value[earlier][side][l] - passes->value[pass][side][l] + 2 * d;
        if (run >= MIN_SECANT && rise < bound * run)
            bound = rise / run;
    }
    return bound < 0 ? 0 : bound;
}

/* Return both turns of a pair in lane l as lines through their present values, with the slopes of secants. The gaps of the
 * lines are not used. passes: the slopes are brought up to date. */
KW_INLINE tangents secants_of(const kw_race *race, secant_passes *passes, int pass, int l, int is_noisy) {
    tangents line = {.d = margin_of(race, is_noisy), .tolerance = race->tolerance[is_noisy]};
    for (int side = 0; side < 2; side++) {
        double here = line.z[side] = passes->z[pass][side][l];
        line.value[side] = passes->value[pass][side][l] + line.d;
        if (pass && fabs(here - passes->z[pass - 1][side][l]) >= MIN_SECANT)
            passes->slope[side][l] =
                clamp_probability((passes->value[pass][side][l] - passes->value[pass - 1][side][l]) /
                                  (here - passes->z[pass - 1][side][l]));
        line.slope[side] = passes->slope[side][l];
    }
    line.exit_chance = 1 - line.slope[0] * line.slope[1];
    return line;
}

/* Choose the gaps and next z of the pair in lane l after a pass. Return whether both have settled; then z stays, so that the
 * results of the last pass hold in all lanes.
 *
 * Gaps are chosen in the first pass that bounds the slopes, and raised only if they do not suffice once z has settled. */
static int update_pair_by_secants(const kw_race_side *sides, pair_unit *unit, secant_passes *passes, int pass, int l) {
    tangents line = secants_of(sides[0].race, passes, pass, l, pass >= EXACT_PASSES);
    double next[2], needed[2], bound[2]; /* needed: the gaps, for slopes of at most `bound` */
    for (int side = 0; side < 2; side++) {
        unit->high[side][l] = line.value[side];
        bound[side] = slope_bound(passes, pass, side, l, line.d);
    }
    int is_bounded = bound[0] * bound[1] <= MAX_SLOPES && secant_gaps(sides, unit, l, bound, line.d, needed);
    if (is_bounded && !passes->has_gaps[l])
        for (int side = 0; side < 2; side++)
            unit->gap[side][l] = needed[side] * (1 + SECANT_GAP_MARGIN);
    passes->has_gaps[l] |= is_bounded;
    next_z_from_values(unit, &line, l, next);
    int has_settled = fabs(next[0] - line.z[0]) <= line.tolerance && fabs(next[1] - line.z[1]) <= line.tolerance;
    if (has_settled && is_bounded && needed[0] <= unit->gap[0][l] && needed[1] <= unit->gap[1][l]) {
        for (int side = 0; side < 2; side++)
            unit->next_z[side][l] = line.z[side];
        return 1;
    }
    for (int side = 0; side < 2 && has_settled && is_bounded; side++)
        if (needed[side] > unit->gap[side][l])
            unit->gap[side][l] = needed[side] * (1 + SECANT_GAP_MARGIN);
    if (line.exit_chance > MIN_EXIT_CHANCE)
        newton_step(unit, &line, l, next);
    int needs_larger_z = pass == 0 || (has_settled && !is_bounded); /* without one the slopes have no bound */
    for (int side = 0; side < 2; side++)
        unit->next_z[side][l] = next[side] + (needs_larger_z ? SECANT_STEP : 0);
    return 0;
}

/* Solve a unit with secants and write it to the tables. Return 1; or 0 if it did not settle, and nothing is written.
 *
 * The first pass uses the slopes of the turns from one score more, and each later pass the secants of the last two. */
static int solve_by_secants(const kw_race_side *sides, pair_unit *unit, double *table, int64_t *work) {
    secant_passes passes;
    for (int l = 0; l < KW_LANES; l++)
        passes.has_gaps[l] = 0;
    for (int side = 0; side < 2; side++)
        for (int l = 0; l < KW_LANES; l++) {
            const kw_race *race = sides[side].race;
            int32_t above = race->next_state[unit->state[side][l]];
            passes.slope[side][l] = race->slope[slope_cell(race, unit, side, l, above)];
        }
    for (int pass = 0; pass < SECANT_PASSES; pass++) {
        int is_settled = 1;
        for (int side = 0; side < 2; side++) {
            const kw_monotone_turn *turn = sides[side].turn;
            const kw_race *race = sides[side].race;
            kw_update_needed(turn, &race->stops, &unit->block[side], unit->stops_lanes[side], !pass);
            solve_side(turn, race, unit, side, table, 1, 0, work);
            memcpy(passes.z[pass][side], unit->block[side].bust_value, sizeof passes.z[pass][side]);
            memcpy(passes.value[pass][side], unit->block[side].value[0], sizeof passes.value[pass][side]);
        }
        work[1]++;
        for (int l = 0; l < KW_LANES; l++)
            is_settled &= update_pair_by_secants(sides, unit, &passes, pass, l);
        if (is_settled) {
            write_unit(sides, unit, table, pass >= EXACT_PASSES, work);
            for (int side = 0; side < 2; side++)
                for (int l = 0; l < KW_LANES; l++) {
                    const kw_race *race = sides[side].race;
                    race->slope[slope_cell(race, unit, side, l, unit->state[side][l])] = passes.slope[side][l];
                }
            return 1;
        }
        for (int side = 0; side < 2; side++)
            memcpy(unit->block[side].bust_value, unit->next_z[side], sizeof unit->next_z[side]);
    }
    return 0;
}
#endif

/* Solve a unit of `count` pairs and write it to the tables. Return its outcome: KW_SOLVED, or why it was not written.
 *
 * Each pass solves the turns of both sides for a guess of z, and chooses the next guess. work: the number of choices
 * evaluated per block is added to work[0], and the number of passes to work[1]. */
static int solve_unit(const kw_race_side *sides, const int32_t (*pairs)[2], int64_t count, int64_t *work, double *scratch) {
    double *table = (double *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63); /* aligned to a cache line of 64 bytes */
    int no_gaps = sides[0].race->no_gaps;
    pair_unit unit;
    init_unit(sides, &unit, pairs, count, table + table_size(sides));
#ifndef KW_SLOPES_ONLY
    if (sides[0].race->slope) {
        if (solve_by_secants(sides, &unit, table, work))
            return KW_SOLVED;
        init_unit(sides, &unit, pairs, count, table + table_size(sides)); /* forget the guesses of the secants */
    }
#endif
    int is_hopeless = 0;
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        int is_first_guess = !pass && unit.any_zero_turn; /* too far from the solution to settle or to need gaps */
        int is_settled = !is_first_guess, with_gaps = !is_first_guess && !no_gaps;
        int channels = with_gaps ? CHANNELS : unit.any_zero_turn ? 2 : 1; /* without gaps; without the slope in z too */
        for (int side = 0; side < 2; side++) {
            const kw_monotone_turn *turn = sides[side].turn;
            const kw_race *race = sides[side].race;
            kw_update_needed(turn, &race->stops, &unit.block[side], unit.stops_lanes[side], !pass);
            solve_side(turn, race, &unit, side, table, channels, 0, work);
        }
        work[1]++;
        is_hopeless = 0;
        for (int l = 0; l < KW_LANES; l++)
            is_settled &= update_pair(sides, &unit, l, pass, with_gaps, &is_hopeless);
        if (is_settled && is_hopeless && !no_gaps)
            return KW_HOPELESS;
        /* Without gaps a sweep may be hopeless and still be written: if scores can be lost, both players may prefer to
         * wait only because the payoff of a loss is still a guess. */
        if (is_settled || (is_hopeless && pass == MAX_PASSES - 1 && no_gaps)) {
            write_unit(sides, &unit, table, pass >= EXACT_PASSES, work);
            return KW_SOLVED;
        }
        for (int side = 0; side < 2; side++)
            memcpy(unit.block[side].bust_value, unit.next_z[side], sizeof unit.next_z[side]);
    }
    for (int l = 0; l < KW_LANES; l++)
        if (unit.gap[0][l] > MAX_GAP || unit.gap[1][l] > MAX_GAP)
            return KW_LOOSE;
    return is_hopeless ? KW_HOPELESS : KW_UNSETTLED;
}

void kw_race_solve(const kw_race_side *sides, const int32_t (*pairs)[2], const int64_t *unit_start, const int64_t *ready,
                   int64_t last, int64_t *shared, int64_t *work, double *scratch) {
    _Atomic int64_t *next = (_Atomic int64_t *)shared, *done = next + 1, *failed = next + 2, *outcome = next + 3;
    while (1) {
        int64_t unit = atomic_load(next);
        while (unit < last && !atomic_compare_exchange_weak(next, &unit, unit + 1)) /* take a unit that no thread has taken */
            ;
        if (unit >= last)
            return;
        /* Wait until all units that this one reads are done. */
        for (int spin = 0; atomic_load_explicit(done, memory_order_acquire) < ready[unit]; spin++)
            if (spin > 1000)
                yield_thread();
        int status = KW_SOLVED;
        if (atomic_load(failed) < 0) { /* after a failure the remaining units are only counted as done */
            const int32_t(*first)[2] = pairs + unit_start[unit];
            int64_t count = unit_start[unit + 1] - unit_start[unit];
            status = solve_unit(sides, first, count, work, scratch);
        }
        int64_t none = -1;
        if (status != KW_SOLVED && atomic_compare_exchange_strong(failed, &none, unit))
            atomic_store(outcome, status);
        atomic_fetch_add_explicit(done, 1, memory_order_release);
    }
}
