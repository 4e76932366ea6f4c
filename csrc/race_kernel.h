/* The race kernel: pairs of positions of a two-player race, solved to an enclosure. See solvers/push/race_solver.py for the
 * equations and their proof, race.pyx for the arrays. */
#ifndef KW_RACE_KERNEL_H
#define KW_RACE_KERNEL_H

#define KW_THREE_CHANNELS /* at most */
#include "climb.h"

/* The race. A row is the state of who moves next, by its number; a column is what the mover leaves: the total with no busts in a
 * row, counted from the lowest score, and behind these the states with some. */
typedef struct {
    int32_t states, columns;
    int32_t rows;           /* of points in hand, beyond the largest cap by the most that a choice adds */
    int32_t kinds;          /* numbers of busts in a row that count; what is known of certain stops has a row for each */
    kw_stops known;         /* where stopping is certain; row = state x kinds + the mover's busts in a row */
    double *pay;            /* [states][columns] what the opponent gets who leads to a column: 1 - lo */
    double *gap;            /* [states][columns] hi - lo */
    const int32_t *totals;  /* [states] the column of the score */
    const int32_t *own;     /* [states] the state's column */
    const int32_t *bust;    /* [states] where a bust leads */
    const int32_t *wipe;    /* [states] where a throw leads that loses the whole score */
    const int32_t *busts;   /* [states] busts in a row */
    const int32_t *counts;  /* [states] fewest points whose bank counts */
    const int32_t *caps;    /* [states] points where the turn's table ends, at least .. */
    const int32_t *last;    /* [states] .. and at least at this total against the state */
    const int32_t *above;   /* [states] the next score that can occur, with as many busts */
    int32_t wipes, passes;  /* whether scores can be lost; whether who may not bank may stop */
    int32_t dice;           /* numbers of dice that may be taken over; 0: none */
    double *offered[2];     /* [states][offers][dice] pay and gap of what may be taken over */
    int64_t offers;         /* of t points by who stands at the total T: T (T - 1) / 2 + t - 1 */
    const int32_t *takes;   /* [states] with how many points at most it may take over */
    int32_t rough;          /* no gaps are asked for, and values are as they come, .. */
    int32_t fewer;          /* .. from fewer choices: who holds more points is no worse off */
    double settled[2];      /* a zero turn's value is settled when a pass moves it by no more; after some passes, by no more */
    double widen[2];        /* d: the rounding of one turn and what follows from the tolerances above */
    const int32_t *opened;  /* [states] 1 where the score is above 0 */
    /* What banks pay that hand on dice to a last turn if it takes them over, by the opponent's `opened`, the mover's lead before
     * the bank plus span - 1, the points banked and the dice: [2][2 span - 1][last_points][dice]; NULL: no last round. */
    const double *last_offered;
    int64_t span;           /* from the lowest score to the target */
    int64_t last_points;    /* more points are as many as one less than that */
} kw_race;

enum { KW_SOLVED, KW_UNSETTLED, KW_HOPELESS, KW_LOOSE };

/* Doubles of scratch that one thread needs. */
int64_t kw_race_scratch(const kw_climb *turn, const kw_race *race);

/* Solve the units first .. last-1 together with other threads that call it. A unit is up to KW_LANES pairs of states of
 * one layer, pairs[unit_start[u]] .. : a mover's and an opponent's state, solved with the pair's mirror image. ready[u] is the
 * number of units that must be done before unit u begins. shared[0]: the next unit, shared[1]: units done, shared[2]: the first
 * that failed or -1, shared[3]: how. work[0], work[1]: choices weighed in blocks and passes made, added up. */
void kw_race_solve(const kw_climb *turn, kw_race *race, const int32_t (*pairs)[2], const int64_t *unit_start,
                   const int64_t *ready, int64_t last, int64_t *shared, int64_t *work, double *scratch);

#endif
