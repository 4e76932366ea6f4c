/* The race kernel: pairs of positions of a two-player race, solved to an enclosure. See matches/push/race.py for the
 * equations and their proof, race.pyx for the arrays. */
#ifndef KW_RACE_KERNEL_H
#define KW_RACE_KERNEL_H

#include "climb.h"

/* The race: what is known of it, by the mover's score (row) and the opponent's total (column), all in units. */
typedef struct {
    kw_stops known;         /* where stopping is certain; a row is the opponent's score */
    int32_t end_of_scores;  /* scores are below this: the target */
    double *pay;            /* [scores][width] what the opponent's bank to a total pays: 1 - lo */
    double *gap;            /* [scores][width] hi - lo */
    const int32_t *counts;  /* [scores] fewest points whose bank counts */
    const int32_t *caps;    /* [scores] points where the turn's table ends, at least .. */
    const int32_t *last;    /* [scores] .. and at least at this total against the score */
    const int32_t *above;   /* [scores] the next score that can occur */
    const double *wiped;    /* [2][scores] pay and gap of (score, 0) where a throw loses the whole score */
    double settled[2];      /* a zero turn's value is settled when a pass moves it by no more; after some passes, by no more */
    double widen[2];        /* d: the rounding of one turn and what follows from the tolerances above */
} kw_race;

enum { KW_SOLVED, KW_UNSETTLED, KW_HOPELESS, KW_LOOSE };

/* Doubles of scratch that one thread needs. */
int64_t kw_race_scratch(const kw_climb *turn, const kw_race *race);

/* Solve the units first .. last-1 together with other threads that call it. A unit is up to KW_LANES pairs of scores of
 * one layer, pairs[unit_start[u]] .. : a mover's and an opponent's score, solved with the pair's mirror image. ready[u] is the
 * number of units that must be done before unit u begins. shared[0]: the next unit, shared[1]: units done, shared[2]: the first
 * that failed or -1, shared[3]: how. work[0], work[1]: choices weighed in blocks and passes made, added up. */
void kw_race_solve(const kw_climb *turn, kw_race *race, const int32_t (*pairs)[2], const int64_t *unit_start,
                   const int64_t *ready, int64_t last, int64_t *shared, int64_t *work, double *scratch);

#endif
