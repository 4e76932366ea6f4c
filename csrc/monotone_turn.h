/* The monotone turn: one player's turn in which turn points only grow, solved by retrograde analysis for a block of lanes.
 * The race kernel and the seats kernel share it.
 *
 * A turn is monotone if every choice keeps the turn points and adds at least one, and every mode has at most one roll.
 * Let V[m, t] be the value before the roll in mode m with t turn points. Let z be the value of a bust and w that of a wipe.
 *
 *     R[m, t] = ( sum over roll classes c of  weight_c  max over choices j of c  V[next_j, t + added_j]
 *                 + bust_weight_m z + wipe_weight_m w + win_weight_m ) / total_weight_m
 *     V[m, t] = max( bank[t], R[m, t] )   if mode m may bank and t counts;   R[m, t] otherwise
 *     value   = max over start modes m of V[m, 0]
 *
 * Row t needs rows above t only. So one pass over the rows, from the cap down to 0, solves the turn exactly in
 * O(rows x choices) per lane. The steps are:
 *
 *   1. kw_update_needed   a forward pass from row 0 marks the modes and rows that the turn can reach. It does not go on
 *                         behind a stop that is known to be optimal (a certain stop).
 *   2. the caller fills bank_value up to the highest row needed.
 *   3. monotone_turn      (monotone_turn_lanes.h) solves the rows from the cap on, then the rows cap - 1, ..., 0.
 *   4. kw_record_stops    stores the stops that were optimal as certain stops for later turns.
 *
 * Certain stops. R[m, t] does not decrease in z, and the value of a bank does not depend on z. If stopping at a total was
 * optimal for some z', it is optimal for every z <= z'. solvers/push/race_solver.py has the proof.
 *
 * Channels. Channel 0 is the value and decides every choice. Channel 1 is its slope in z, which is the probability of a
 * zero turn. Channels 2 and up are other quantities, evaluated along the same choices.
 *
 * Memory layout of a solved turn: table[channel][row][mode][KW_LANES], where `plane` is the doubles of one channel.
 * turns/monotone_turn.py builds the arrays of kw_monotone_turn.
 */
#ifndef KW_CLIMB_H
#define KW_CLIMB_H

#include <math.h>
#include <stdint.h>

#include "lanes.h"

#define KW_MAX_TURN_CHANNELS 8
#define KW_MAX_MODES 64

/* A monotone turn. A set of modes is an integer with one bit for each mode. Weights are whole numbers, stored as
 * doubles. */
typedef struct {
    int32_t modes;                /* number of modes, at most KW_MAX_MODES */
    uint64_t start_modes;         /* the turn begins in the best of these, with no turn points */
    int32_t forbid_above_cap;     /* 1: no choice may pass the target; 0: points above it count as the last total */
    int32_t max_added_points;     /* the most points that one choice adds */
    int32_t forced_passes;        /* passes of value iteration over the modes that cannot bank, from the cap on */
    uint64_t bank_modes;          /* modes that may bank, if there are turn points */
    const int32_t *class_start;   /* [1 or modes + 2][modes + 1] into the roll classes of each mode. Row 0 of the first axis
                                     has all choices. Row 1 + k is for turns in which the first k modes stop in all rows
                                     above, and more points are worth more. Of the choices that lead to these modes, and
                                     of those that lead to one other mode, it lists the one that adds the most points. */
    const double *weight;         /* [classes] number of ordered rolls in the class */
    const int32_t *choice_start;  /* [classes + 1] into choices */
    const int32_t *choice_offset; /* [choices] from the current row of the table, in doubles:
                                     (added points x modes + next mode) x KW_LANES */
    const double *bust_weight;    /* [modes] weight of the rolls that bust */
    const double *win_weight;     /* [modes] weight of the rolls that win at once */
    const double *wipe_weight;    /* [modes] weight of the rolls that wipe the score */
    const double *total_weight;   /* [modes] weight of all rolls; 1 in a mode without a roll */
    const int32_t *edge_start;    /* [modes + 1] into edges: which modes a roll can lead to, by points added */
    const int32_t *edge_points;   /* [edges] points added, ascending within a mode */
    const uint64_t *edge_modes;   /* [edges] the set of next modes */
    /* For turns of channel 0 only, maxima that are computed from each other (turns/shared_maxima.py). A run is classes of a
     * mode with equally many terms. A term is a choice of the mode or the maximum of an earlier class. It is stored as its
     * place among these, in doubles. */
    const int32_t *shared_start;  /* [modes + 1] into shared_offset: the choices of each mode, each once */
    const int32_t *shared_offset; /* like choice_offset */
    const int32_t *run_start;     /* [modes + 1] into run */
    const int32_t (*run)[5];      /* [runs] the number of classes; terms of each; doubles from one maximum to the next, or 0
                                     if no maximum is a term; the first class in run_weight; the first term */
    const double *run_weight;     /* [classes of all runs] */
    const int32_t *term;          /* [terms of these classes]; NULL: no maxima are computed from each other */
} kw_monotone_turn;

/* Certain stops: modes in which stopping is optimal, by row (the opponents' scores) and total (score plus turn points). */
typedef struct {
    int32_t width;               /* totals 0 .. width - 1; a larger total counts as width - 1 */
    int32_t is_wide;             /* 1: a set of modes is a uint64_t, 0: a uint16_t */
    void *stop_modes;            /* [rows][width] modes in which stopping at the total is optimal .. */
    double *max_bust;            /* [rows] .. if the value of a bust is at most this */
    const uint64_t *always_stop; /* [width] modes in which stopping at the total is optimal for every value of a bust */
    double tolerance;            /* a bust may exceed max_bust by this much; the error bounds allow for it */
} kw_certain_stops;

/* Payoffs of the endings other than a bank, by channel and lane. KW_PASS is a stop whose points do not count. A win pays 1
 * in channel 0 and 0 in the others. */
enum { KW_BUST, KW_WIPE, KW_PASS, KW_ENDINGS };
typedef double kw_ending_payoffs[KW_ENDINGS][KW_MAX_TURN_CHANNELS][KW_LANES];

/* The turns of KW_LANES movers. */
typedef struct {
    int32_t score[KW_LANES];      /* the mover's score */
    int64_t stops_row[KW_LANES];  /* row of kw_certain_stops */
    double min_bank[KW_LANES];    /* the fewest turn points that may be banked */
    int32_t max_min_bank;         /* the largest of these */
    int32_t cap;                  /* rows from this one on belong to the cap */
    int32_t max_points;           /* the highest row that a turn can reach */
    int32_t certified_lanes;      /* bit for each lane: its certain stops hold for the current value of a bust */
    int32_t filled_rows;          /* rows of bank_value that are filled */
    int32_t first_pruned_row;     /* from this row on more points are worth more, so dominated choices are skipped */
    int32_t banks_by_mode;        /* 1: the payoff of a bank depends on the mode; bank_value has rows x modes entries */
    double bust_value[KW_LANES];  /* z, which is the value of a zero turn if a bust is one */
    double value[KW_MAX_TURN_CHANNELS][KW_LANES]; /* result: the value of the turn */
    uint64_t *certain_modes;      /* [rows] modes in which stopping is certain in all lanes */
    uint64_t *needed_modes;       /* [rows] modes that the turn can reach */
    double (*bank_value[KW_MAX_TURN_CHANNELS])[KW_LANES]; /* [rows] payoff of a bank; NULL in channel 1, where it is 0 */
    double (*roll_value[KW_MAX_TURN_CHANNELS])[KW_LANES]; /* [rows][modes] R, if requested */
    uint64_t (*stop_modes)[KW_LANES]; /* [rows] result: modes in which stopping was optimal */
} kw_turn_block;

/* Return the doubles of scratch that the arrays of a turn block need, without the table. Arguments: see kw_block_layout. */
KW_INLINE int64_t kw_block_scratch(const kw_monotone_turn *turn, int64_t rows, int channels, int banks_by_mode) {
    int64_t banks = banks_by_mode ? turn->modes : 1, rolls = banks_by_mode ? (int64_t)channels * turn->modes : 0;
    return rows * KW_LANES * ((channels - 1) * banks + rolls + 1) + (2 * rows + KW_LANES) / KW_LANES * KW_LANES + KW_LANES;
}

/* Let the arrays of a turn block point into scratch. rows: numbers of turn points in the table. banks_by_mode: 1 if the
 * payoff of a bank depends on the mode; then the values before each roll have arrays too. */
KW_INLINE void kw_block_layout(const kw_monotone_turn *turn, kw_turn_block *block, double *scratch, int64_t rows,
                               int channels, int banks_by_mode) {
    double (*next)[KW_LANES] = (double (*)[KW_LANES])scratch;
    block->banks_by_mode = banks_by_mode;
    block->first_pruned_row = INT32_MAX;
    for (int k = 0; k < channels; k++) {
        block->bank_value[k] = k == 1 ? NULL : next;
        next += k == 1 ? 0 : banks_by_mode ? rows * turn->modes : rows;
        block->roll_value[k] = NULL;
    }
    for (int k = 0; banks_by_mode && k < channels; k++, next += rows * turn->modes)
        block->roll_value[k] = next;
    block->stop_modes = (uint64_t (*)[KW_LANES])next;
    block->certain_modes = (uint64_t *)(block->stop_modes + rows);
    block->needed_modes = block->certain_modes + rows;
}

/* Return the total, score plus turn points, of a lane's mover with t turn points, at most the last total of
 * kw_certain_stops. */
KW_INLINE int32_t kw_total(const kw_certain_stops *stops, const kw_turn_block *block, int lane, int32_t t) {
    return block->score[lane] + t < stops->width ? block->score[lane] + t : stops->width - 1;
}

/* Return the set of all modes: a number with one bit for each. */
KW_INLINE uint64_t kw_all_modes(const kw_monotone_turn *turn) { return ~(uint64_t)0 >> (KW_MAX_MODES - turn->modes); }

/* Return the set of modes in which stopping is optimal at a cell of stop_modes: row x width + total. */
KW_INLINE uint64_t kw_stop_modes_at(const kw_certain_stops *stops, int64_t cell) {
    return stops->is_wide ? ((const uint64_t *)stops->stop_modes)[cell] : ((const uint16_t *)stops->stop_modes)[cell];
}

/* Mark every mode as needed with every number of turn points, and no stop as certain, so that the whole table is solved. */
KW_INLINE void kw_mark_all_needed(const kw_monotone_turn *turn, kw_turn_block *block) {
    block->max_points = block->cap + turn->max_added_points;
    for (int32_t t = 0; t <= block->max_points; t++)
        block->certain_modes[t] = 0, block->needed_modes[t] = kw_all_modes(turn);
}

/* Return the modes in which stopping with t turn points is certain in all lanes. */
KW_INLINE uint64_t kw_certain_in_all_lanes(const kw_monotone_turn *turn, const kw_certain_stops *stops,
                                           const kw_turn_block *block, int32_t t) {
    uint64_t certain = t ? kw_all_modes(turn) : 0; /* with no turn points there is nothing to bank */
    for (int l = 0; l < KW_LANES && certain; l++) {
        int32_t total = kw_total(stops, block, l, t);
        uint64_t lane_stops = stops->always_stop[total];
        if (block->certified_lanes >> l & 1)
            lane_stops |= kw_stop_modes_at(stops, block->stops_row[l] * stops->width + total);
        certain &= t < block->min_bank[l] ? 0 : lane_stops;
    }
    return certain;
}

/* Write for which modes and turn points t the turn has to be solved: block->needed_modes[t], and the highest such t to
 * block->max_points.
 *
 * The pass begins with no turn points and follows all choices. It does not go on behind a stop that is certain in all lanes
 * of the block; these stops are written to block->certain_modes[t]. */
KW_INLINE void kw_mark_needed(const kw_monotone_turn *turn, const kw_certain_stops *stops, kw_turn_block *block) {
    memset(block->needed_modes, 0, (block->cap + turn->max_added_points + 1) * sizeof(uint64_t));
    block->needed_modes[0] = turn->start_modes;
    block->max_points = 0;
    for (int32_t t = 0; t < block->cap && t <= block->max_points; t++) {
        uint64_t certain = kw_certain_in_all_lanes(turn, stops, block, t);
        block->certain_modes[t] = certain;
        uint64_t rolling = block->needed_modes[t] & ~certain; /* modes in which some lane may roll */
        for (int m = 0; m < turn->modes && rolling >> m; m++) {
            int32_t first = turn->edge_start[m], end = turn->edge_start[m + 1];
            if (!(rolling >> m & 1) || first == end)
                continue;
            for (int e = first; e < end; e++)
                block->needed_modes[t + turn->edge_points[e]] |= turn->edge_modes[e];
            int32_t highest = t + turn->edge_points[end - 1]; /* the last edge adds the most points */
            block->max_points = highest > block->max_points ? highest : block->max_points;
        }
    }
    /* From the cap on, modes that cannot bank lead to each other, so all rows there are needed: up to the highest that a
     * choice from below the cap can lead to. */
    uint64_t forced_modes = 0;
    for (int32_t t = block->cap; t <= block->max_points; t++)
        forced_modes |= block->needed_modes[t] & ~turn->bank_modes;
    if (forced_modes) {
        block->max_points = block->cap + turn->max_added_points - 1;
        for (int32_t t = block->cap; t <= block->max_points; t++)
            block->needed_modes[t] = kw_all_modes(turn);
    }
}

/* Call kw_mark_needed again if the present values of a bust have changed the set of lanes whose certain stops hold. They
 * hold if the value of a bust is no larger than when they were recorded.
 *
 * allowed_lanes: bit l is set if lane l may use certain stops at all. is_first_pass: 1 to mark in any case. */
KW_INLINE void kw_update_needed(const kw_monotone_turn *turn, const kw_certain_stops *stops, kw_turn_block *block,
                                int32_t allowed_lanes, int is_first_pass) {
    int32_t lanes = 0;
    for (int l = 0; l < KW_LANES; l++)
        lanes |= (block->bust_value[l] <= stops->max_bust[block->stops_row[l]] + stops->tolerance) << l;
    lanes &= allowed_lanes;
    if (is_first_pass || lanes != block->certified_lanes) {
        block->certified_lanes = lanes;
        kw_mark_needed(turn, stops, block);
    }
}

/* Store the optimal stops of a solved turn in one lane as certain stops of its row, for later turns.
 *
 * If the stops that were stored did not hold for the lane's value of a bust, those at higher totals than its score are
 * replaced. Otherwise the new ones are added. Each of them holds up to the value of a bust for which it was found, so all
 * hold up to the smaller of the two values. */
KW_INLINE void kw_record_stops(kw_certain_stops *stops, const kw_turn_block *block, int lane) {
    int32_t score = block->score[lane], size = stops->is_wide ? sizeof(uint64_t) : sizeof(uint16_t);
    int64_t row = block->stops_row[lane], cell = row * stops->width + score; /* cell + t: of the total score + t */
    int stored_hold = block->certified_lanes >> lane & 1;
    if (!stored_hold)
        memset((char *)stops->stop_modes + (cell + 1) * size, 0, (int64_t)(stops->width - score - 1) * size);
    if (!stored_hold || block->bust_value[lane] < stops->max_bust[row])
        stops->max_bust[row] = block->bust_value[lane];
    for (int32_t t = 1; t <= block->max_points && t < block->cap && score + t < stops->width; t++) {
        if (!block->needed_modes[t]) /* the row was not solved */
            continue;
        if (stops->is_wide)
            ((uint64_t *)stops->stop_modes)[cell + t] |= block->stop_modes[t][lane];
        else
            ((uint16_t *)stops->stop_modes)[cell + t] |= (uint16_t)block->stop_modes[t][lane];
    }
}

#define KW_FILE "monotone_turn_lanes.h"
#include "each_width.h"

#endif
