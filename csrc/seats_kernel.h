/* The seats kernel: cycles of positions of a race of several players. See solvers/push/multiplayer_sweep.py for the equations, seats.pyx
 * for the arrays. */
#ifndef KW_SEATS_KERNEL_H
#define KW_SEATS_KERNEL_H

#include "climb.h"

#define KW_MOST_SEATS 6

/* The race. A position is the scores of all seats from the mover on, each as its number among the scores that can occur;
 * its place is these numbers read as digits. A row is a place without its last digit: what a mover faces. Cycles are solved
 * from the rows of their movers alone, so a table may hold these rows only, numbered in any order. */
typedef struct {
    int32_t seats;
    int32_t scores;           /* how many can occur */
    int32_t rows;             /* of points in hand, beyond the largest cap by the most that a choice adds */
    double *win;              /* [places][seats] the chance to win of every seat from the mover on */
    double *most;             /* [places][seats] the best that a seat can do against the others' play, at most this */
    const int32_t *points;    /* [scores] by number, in units */
    const int32_t *number;    /* [width] by total, -1 from the target on, 0 where a total cannot occur */
    int32_t target;
    const double *past;       /* [rows][past_width][seats - 1] what the others get from a total of target, target + 1, .. on who
                               * have a last turn each; NULL: nothing, the total has won */
    int64_t past_width;
    int32_t wipes;            /* whether a throw can lose the whole score: that leads to the first place of the mover's row, and
                               * is worth what the table holds there when the turn is solved */
    int32_t passes;           /* whether who may not bank may stop */
    int32_t again;            /* whether the table holds what a solve before came to, which is the first guess then */
    const int32_t *counts;    /* [scores] fewest points whose bank counts */
    const int32_t *caps;      /* [scores] points where the turn's table ends */
    double settled[2];        /* a zero turn is settled when a pass moves it by no more; after some passes, by no more */
    double widen;             /* what a turn's rounding and a settled zero turn may come to */
    kw_stops known[2];        /* where stopping is certain: in the play that is solved, in a best reply to it */
} kw_seats;

enum { KW_SEATS_SOLVED, KW_SEATS_OPEN, KW_SEATS_HOPELESS };

/* Doubles of scratch that one thread needs. */
int64_t kw_seats_scratch(const kw_climb *turn, const kw_seats *race);

/* What a zero turn is taken to be worth to each mover of cycles before they are solved. The table must hold all rows. */
void kw_seats_guess(const kw_seats *race, const int32_t *cycles, const int64_t *rows, int64_t count, double *busts);

/* Solve cycles, KW_LANES at a time, together with other threads that call it: cycles[c] is one position of cycle c, its
 * others are rotations; rows[c] the rows that their movers face. busts[c]: as guessed; NULL: guessed here. next: the next
 * block. status[c]: how it went; only solved cycles are written. With `reply` the best replies to the play of the table are
 * found instead. */
void kw_seats_solve(const kw_climb *turn, kw_seats *race, const int32_t *cycles, const int64_t *rows, const double *busts,
                    int64_t count, int64_t *next, uint8_t *status, int64_t *work, double *scratch, int reply);

#endif
