/* The race kernel: bounds for the value of every pair of positions of a two-player race.
 *
 * Let V(a, b) be the win probability of the player to move at state a against state b. The kernel computes hi(a, b) and
 * gap(a, b) with hi - gap <= V <= hi. For two states a and b of one layer the unknowns are, with lo = hi - gap,
 *
 *     hi(a, b) = f(z_a) + d,   z_a = 1 - lo(b, a)         f, g: the value of the turn as a function of the value z of a
 *     hi(b, a) = g(z_b) + d,   z_b = 1 - lo(a, b)         zero turn, which is convex and piecewise linear
 *     gap = 2 d + E[gap of the position after the turn]
 *
 * A unit of KW_LANES pairs iterates on z: solve both turns (monotone_turn.h), then take a Newton step along their tangents,
 * or a bisection step after many passes. d bounds the rounding of one turn. solvers/push/race_solver.py has the proof.
 *
 * With an array for slopes, turns are solved for their values only, which is several times as fast if a roll has many
 * choices. Slopes come from two values of z: since f is convex, the slope at z is at most (f(z') - f(z)) / (z' - z) for
 * every z' above z. The gap of a bank is bounded by the largest gap of all totals that a bank can lead to.
 * solvers/push/unlike_race.py has the proof.
 *
 * The players may have different rules. Then each side of a pair has a turn and tables of its own, and f and g differ.
 *
 * The layout of kw_race is repeated by hand in page/src/race.ts: add new fields at the end only.
 */
#ifndef KW_RACE_KERNEL_H
#define KW_RACE_KERNEL_H

#define KW_THREE_CHANNELS /* this kernel uses at most three channels; leaves out the code for more (monotone_turn_lanes.h) */
#include "monotone_turn.h"

/* The race as one player sees it, the mover. If both players have the same rules, it is the same for both. States are
 * numbered in solving order: a score, and a count of busts in a row if the rules count them. Tables have one row for each
 * state of the next mover, who is the opponent, and one column for each state that the mover leaves: first the totals (with
 * no busts in a row, counted from the lowest score), then the states with some busts. All other arrays are by the mover's
 * own states, but last_total. Unlike players have no take-over. */
typedef struct {
    int32_t states, columns;        /* states of the opponent; columns of the mover */
    int32_t rows;                   /* rows of a turn's table: the largest cap + the most points that a choice adds + 1 */
    int32_t bust_counts;            /* how many values the count of busts in a row can take */
    kw_certain_stops stops;         /* row: the opponent's state x bust_counts + the mover's count of busts */
    double *pay;                    /* [states][columns] 1 - lo: payoff of leaving that column to an opponent in that state */
    double *gap;                    /* [states][columns] hi - lo */
    const int32_t *total;           /* [states] the column of the score, with no busts */
    const int32_t *column;          /* [states] the column of the state itself */
    const int32_t *bust_column;     /* [states] the column that a bust leads to */
    const int32_t *wipe_column;     /* [states] the column that a wipe leads to */
    const int32_t *bust_count;      /* [states] busts in a row */
    const int32_t *min_bank;        /* [states] the fewest turn points that may be banked */
    const int32_t *cap;             /* [states] turn points at which the turn's table ends, at least .. */
    const int32_t *last_total;      /* [states] .. and at least at this total, against an opponent in the state */
    const int32_t *next_state;      /* [states] the state with the next higher score and the same count of busts */
    int32_t has_wipe, can_pass;     /* a roll can lose the score; a player who may not bank may end the turn */
    int32_t takeover_dice;          /* numbers of dice that can be taken over; 0: no take-over */
    double *takeover[2];            /* [states][takeover_offers][takeover_dice] pay and gap of a bank that offers dice */
    int64_t takeover_offers;        /* index of t points banked for the total T: T (T - 1) / 2 + t - 1 */
    const int32_t *max_takeover;    /* [states] the most turn points that the state may take over */
    int32_t no_gaps;                /* 1: leave out gaps and d, for sweeps that approach the values */
    int32_t prune_choices;          /* 1: skip dominated choices; with gaps only where pay and gap show that they are */
    double tolerance[2];              /* tolerance for z: first, and from EXACT_PASSES on */
    double margin[2];                /* d for each tolerance */
    const int32_t *has_score;       /* [states] 1: the score is above 0 */
    /* Payoff of a bank whose dice the opponent takes over in a last turn, or NULL without a last round.
     * [2][2 lead_span - 1][last_points][takeover_dice], by the opponent's has_score, the lead of the mover's old score
     * over the opponent's + lead_span - 1, the points banked, and the dice. */
    const double *last_takeover;
    int64_t lead_span;              /* the target minus the lowest score */
    int64_t last_points;            /* points banked 0 .. last_points - 1; more count as last_points - 1 */
    /* [states][columns] the slope of the turn from that column; written. If not NULL, z is found with secants, from values
     * without slopes and gaps. Then a bust is a zero turn, and nothing is wiped or taken over. */
    double *slope;
} kw_race;

/* Outcome of a unit: solved; z did not converge; the pair changes the position with too small a probability; the gap is
 * too wide to be useful. */
enum { KW_SOLVED, KW_UNSETTLED, KW_HOPELESS, KW_LOOSE };

/* One side of every pair: the turn of a player, and the race as this player sees it. */
typedef struct {
    const kw_monotone_turn *turn;
    kw_race *race;
} kw_race_side;

/* Return the doubles of scratch that one thread needs. Here and below, sides[0] and sides[1] are the players. */
int64_t kw_race_scratch(const kw_race_side *sides);

/* Solve the units below `last` together with all other threads that call this.
 *
 * sides: the players; with the same rules, twice the same turn and race. no_gaps, tolerance and margin are those of side 0.
 * pairs[unit_start[u]] .. pairs[unit_start[u + 1] - 1]: the pairs of unit u, at most KW_LANES, all of one layer. A pair is
 * the state of side 0 and that of side 1; the position in which side 1 moves is solved with that in which side 0 moves.
 * ready[u]: the number of units that must be done before unit u may begin.
 * shared: the next unit, the number of units done, the first unit that failed or -1, and its outcome.
 * work: the number of choices evaluated per block, and of passes over a unit, are added. */
void kw_race_solve(const kw_race_side *sides, const int32_t (*pairs)[2], const int64_t *unit_start, const int64_t *ready,
                   int64_t last, int64_t *shared, int64_t *work, double *scratch);

#endif
