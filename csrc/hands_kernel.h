/* Turns of many hands of dice, for the most expected points: KW_LANES hands side by side.
 *
 * The dice of a hand have positions 0, 1, ... A mode is the set of dice that are rolled, as a mask. What a roll offers
 * depends on its faces only, so all hands share the tables of rolls by position; they differ in the weights of the faces.
 * With t turn points let b(t) be what a bank is worth. The value of mode S is
 *
 *     V(S, t) = max( b(t), sum over roll classes c of  weight(S, c) max over choices (m, p) of c of  V(S - m, t + p) ),
 *
 * where V(no dice, t) stands for V(all dice, t). Every choice adds points, so backward induction over t solves all modes.
 *
 * Where rolling is not worth it. Let p be the probability of a bust in mode S, g the average of the most points that a roll
 * adds, and D the largest V - b at more than t points. If b rises by no more than the points that are added, rolling is
 * worth at most (1 - p) (b(t) + D) + g. So nobody rolls in S if g + (1 - p) D <= p b(t). With fewer points this holds no
 * more once it does not hold, since D grows and b falls. A level of k says that modes of fewer than k dice stop, so choices
 * that lead there differ in their points only. Each level has roll tables of its own, with far fewer classes at many turn
 * points.
 *
 * Upper bounds from few rows. Let there be no goal. From min_bank on b(t) = t, so V(S, t) is a convex function of real t:
 * a maximum of convex functions and sums of convex functions. So between two values of t, the rows of a grid, V is at most
 * the linear interpolation of both. The same induction over the rows alone, with interpolated values, gives upper bounds
 * of V. V also rises with t, which bounds a value that the row being solved would need of itself: that of all dice, after
 * a set that leaves none. Below min_bank the grid has every t.
 *
 * Upper bounds of one lap. A lap is a part of a turn that begins with a roll of all dice and ends when no dice are left, or
 * with the turn. Let b(t) = min(t, goal): without a minimum, banks are worth no less. Choose any number E >= 0, and let
 * M(t) = min(t + E, goal). Let W(S, t) be the value of mode S if all dice with t turn points are worth M(t) after a lap:
 *
 *     W(S, t) = max( b(t), sum over c of  weight(S, c) max over (m, p) of c of  W(S - m, t + p) ),   W(no dice, t) = M(t).
 *
 * Claim: if W(all dice, 0) <= E, then V(all dice, 0) <= W(all dice, 0). Proof. b and M rise by at most d from t to t + d,
 * hence so does W, a maximum of averages of such functions. So W(all dice, t) <= t + W(all dice, 0) <= t + E. No payoff
 * exceeds the goal, so W(all dice, t) <= M(t). Let F map the value of all dice after a lap, as a function of t, to that
 * before the lap; F is monotone, and F(M) = W <= M. Hence F applied n times to M is at most W for every n >= 1. It is at
 * least the value of a turn that has to end after n laps, since M >= b. These values rise to V as n grows.
 *
 * With E = the points of a hand, the claim shows which hands are worth less. Few numbers of points can occur in a lap, so few
 * rows are solved.
 */
#ifndef KW_HANDS_KERNEL_H
#define KW_HANDS_KERNEL_H

#include <stdint.h>

#include "lanes.h"

#define KW_MAX_HAND 8

/* The rolls of some dice. Rolls are numbered as digits, the face of the first die first. */
typedef struct {
    int32_t classes;
    const int32_t *class_of_roll; /* [faces ** dice] -1: a bust */
    const int32_t *best_points;   /* [classes] the most points that a choice adds */
} kw_hand_rolls;

/* The choices of these rolls at one level. Classes with the same choices are merged. */
typedef struct {
    int32_t classes;
    int32_t offers;
    const int32_t *merged;       /* [classes of the rolls] the merged class */
    const int32_t *offer_mask;   /* [offers] dice that are set aside, bit i for the i-th die of the roll; -1: a bank */
    const int32_t *offer_points; /* [offers] the points that are added */
    const int32_t *choice_start; /* [classes + 1] into choice */
    const int32_t *choice;       /* offers */
} kw_hand_choices;

typedef struct {
    int32_t dice;
    int32_t faces;
    int32_t max_points; /* the most points that one choice adds */
    kw_hand_rolls rolls[KW_MAX_HAND + 1];                         /* by number of dice */
    kw_hand_choices choices[KW_MAX_HAND + 1][KW_MAX_HAND + 1];    /* by number of dice, and level */
} kw_hand_tables;

/* The turn points that some dice can be rolled with in a first lap. */
typedef struct {
    int32_t rows;
    const int32_t *points;   /* [rows] in ascending order */
    const int32_t *next_row; /* [rows][offers of level 1] the row of the dice that are left; -1 if none are left */
} kw_hand_lap;

/* What a bank is worth: 0 below min_bank, else its points, at most `goal`. */
typedef struct {
    int32_t min_bank;
    int32_t max_rows; /* more turn points than this are not tabulated: a hand that needs them is not solved */
    double goal;      /* in turn points; infinite without a limit */
} kw_hand_banks;

/* Return the doubles of scratch that one thread needs. */
int64_t kw_hands_scratch(const kw_hand_tables *tables);

/* Return the doubles of scratch that one thread needs for bounds with a grid of so many turn points. */
int64_t kw_hands_bound_scratch(const kw_hand_tables *tables, int32_t grid_size);

/* Return the doubles of scratch that one thread needs for bounds of one lap. laps: by number of dice. */
int64_t kw_hands_lap_scratch(const kw_hand_tables *tables, const kw_hand_lap *laps);

/* Solve KW_LANES hands.
 *
 * weight: [dice][faces][KW_LANES] whole numbers whose products over all dice stay below 2 ** 53.
 * is_alike: [dice] whether a die has the weights of the die before it, in every lane.
 * value: [KW_LANES] written: the value of the turn with no points; NaN if it takes more than max_rows turn points.
 * bust: [KW_LANES] written: the smallest probability of a bust of any mode.
 * Returns the number of turn points of the table. */
int64_t kw_hands_solve(const kw_hand_tables *tables, const kw_hand_banks *banks, const double *weight,
                       const uint8_t *is_alike, double *value, double *bust, double *scratch);

/* Compute upper bounds of the values of KW_LANES hands, but for rounding. banks: without a goal.
 *
 * grid: [grid_size] turn points in ascending order: 0 and 1, all up to min_bank, and any others.
 * bound: [KW_LANES] written: an upper bound of `value`; infinite if kw_hands_solve would write NaN.
 * weight, is_alike, bust and the result: see kw_hands_solve. */
int64_t kw_hands_bound(const kw_hand_tables *tables, const kw_hand_banks *banks, const int32_t *grid, int32_t grid_size,
                       const double *weight, const uint8_t *is_alike, double *bound, double *bust, double *scratch);

/* Compute W(all dice, 0) of KW_LANES hands (see above), but for rounding.
 *
 * laps: by number of dice. banks: max_rows and goal count; min_bank only for the result and infinite bounds.
 * excess: E.
 * bound: [KW_LANES] written: W, which is an upper bound if it is at most E; infinite if kw_hands_solve would write NaN.
 * weight, is_alike and the result: see kw_hands_solve. */
int64_t kw_hands_lap_bound(const kw_hand_tables *tables, const kw_hand_lap *laps, const kw_hand_banks *banks, double excess,
                           const double *weight, const uint8_t *is_alike, double *bound, double *scratch);

#endif
