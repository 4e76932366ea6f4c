/* The seats kernel: an equilibrium of a race of three and more players, one cycle of positions at a time, and best
 * responses to it.
 *
 * V(s)[k] is the win probability, in position s, of seat k from the mover on. A position is the scores of all seats from
 * the mover on, so a zero turn leads to its rotation. The rotations of one position are a cycle. Let z_i be the value of a
 * zero turn for mover i of a cycle. Solving a cycle is policy iteration on z:
 *
 *   1. For every mover i solve the turn (monotone_turn.h) for z_i. It pays own_i to the mover and others_i to the other
 *      seats if the scores change; with probability zero_i it is a zero turn.
 *   2. Evaluate these fixed turns: W(i) = shares_i + zero_i W(i + 1), a cyclic linear system (Gaussian elimination around
 *      the cycle).
 *   3. The next z_i is W(i + 1) for mover i. Stop when it no longer moves; it is an equilibrium of the cycle.
 *
 * Best responses: U_k(s) bounds what seat k can reach against the turns of the others. In turns of seat k it is maximized;
 * in the turns of other seats it is evaluated along their choices. Every result is raised by `margin`.
 * solvers/push/multiplayer_sweep.py has the equations of all layers, and what is proved of them.
 */
#ifndef KW_SEATS_KERNEL_H
#define KW_SEATS_KERNEL_H

#include "monotone_turn.h"

#define KW_MAX_SEATS 6

/* One seat: its rules and its tables. Scores of a seat are numbered. A position after the seat's turn has the score numbers
 * as digits, that of the next seat first, that of this seat last. A row is all digits but the last: the scores that the
 * mover faces. The kernel reads only the rows that the movers of its cycles face, so a table may hold these rows only, in
 * any order. tables and stops: of the equilibrium, and of best responses (KW_EQUILIBRIUM, KW_REPLIES). */
typedef struct {
    const kw_monotone_turn *turn;
    int32_t scores;             /* number of scores that can occur */
    const int32_t *score_total; /* [scores] the score of each number */
    const int32_t *score_number; /* [totals] the number of each score; -1 from the target on, 0 if a score cannot occur */
    int32_t target;
    int32_t has_wipe;           /* a roll can wipe the score. That leads to the first position of the mover's row, and pays what
                                   the table holds there at that time */
    int32_t can_pass;           /* a player who may not bank may end the turn */
    const int32_t *min_bank;    /* [scores] the fewest turn points that may be banked */
    const int32_t *cap;         /* [scores] turn points at which the turn's table ends */
    double *tables[2];          /* [positions after the seat's turn][seats] V, and upper bounds U of best responses; the
                                   latter NULL while an equilibrium is solved */
    kw_certain_stops stops[2];
} kw_seat;

enum { KW_EQUILIBRIUM, KW_REPLIES };

/* The race. In a race of players who are alike all seats have the same rules and tables. */
typedef struct {
    int32_t seats;
    int32_t rows;               /* rows of a turn's table: the largest cap + the most points that a choice adds + 1 */
    const double *past_target;  /* [rows][past_width][seats - 1] what the other seats get, in their last turns, from a total of
                                   target, target + 1, ..; NULL without a last round: the total has won */
    int64_t past_width;
    int32_t has_old_values;     /* 1: the table holds an earlier solution, which is the first guess */
    double tolerance[2];        /* tolerance for z: first, and from EXACT_PASSES on */
    double margin;              /* bound on the rounding of a turn and on the error of a settled z */
    kw_seat seat[KW_MAX_SEATS];
} kw_seats;

/* Outcome of a cycle: solved; z did not converge; a round of turns changes the position with too small a probability. */
enum { KW_SEATS_SOLVED, KW_SEATS_UNSETTLED, KW_SEATS_HOPELESS };

/* Return the doubles of scratch that one thread needs. */
int64_t kw_seats_scratch(const kw_seats *race);

/* Write the first guess of z for every mover of some cycles. The table must hold all rows in order.
 * cycles, rows, z: [count][seats] as in kw_seats_solve. */
void kw_seats_guess(const kw_seats *race, const int32_t *cycles, const int64_t *rows, int64_t count, double *z);

/* Solve cycles of one layer, KW_LANES at a time, together with all other threads that call this.
 *
 * cycles: [count][seats] the score numbers of one position of each cycle. rows: [count][seats] the row that each mover
 * faces.
 * z: [count][seats] first guesses, or NULL to compute them here. next: shared, the first cycle that is not yet taken.
 * status: [count] the outcomes. The table is written for solved cycles only.
 * work: the number of choices evaluated per block, and of passes over a block, are added.
 * with_replies: bound best responses to the equilibrium in the table instead of solving it. */
void kw_seats_solve(kw_seats *race, const int32_t *cycles, const int64_t *rows, const double *z, int64_t count, int64_t *next,
                    uint8_t *status, int64_t *work, double *scratch, int with_replies);

#endif
