/* The touch kernel: a game in which players touch a piece and then take it or pass, solved by retrograde analysis.
 *
 * The player to move touches a piece of a chosen size z and learns its feel f. Taking it moves the player's place x on an
 * axis (the lead over the opponent, or the trips of a solitaire): by gain_z if the bar holds, by trip_shift if it trips.
 * Passing hands the move on; after max_passes passes in a row the piece touched must be taken. Let A be the values of the
 * board without that piece, as the player who has just moved sees them:
 *
 *     take[z, f, x]   = hold_chance[z, f] A[x + gain_z] + trip_chance[z, f] A[x + trip_shift]
 *     run[max_passes] = max over z of  sum over f of  chance[z, f] take[z, f, x]
 *     run[p]          = max over z of  sum over f of  chance[z, f] max( take[z, f, x], sign run[p + 1, sign x] )
 *
 * Values are payoffs to the player to move. If players take turns, sign is -1: the opponent has the negative of both the
 * payoff and the place. Boards are solved in order of the pieces left, O(places x feels x passes) each.
 *
 * Lanes are the places of the axis; a place is an index into it, and `origin` is the index of place 0.
 * page/src/touch.ts repeats the layout of kw_touch_game by hand.
 */
#ifndef KW_TOUCH_KERNEL_H
#define KW_TOUCH_KERNEL_H

#include <stdint.h>

#define KW_SIZES 3     /* sizes of pieces: large, medium, small */
#define KW_MAX_FEELS 8 /* feels of a game */

typedef struct {
    int32_t board[KW_SIZES];       /* pieces of each size at the start */
    int32_t end_pieces;            /* the game ends when so many pieces are left */
    int32_t max_passes;            /* passes in a row */
    int32_t in_order;              /* 1: only the smallest size left may be touched */
    int32_t sign;                  /* -1: players take turns; 1: a solitaire */
    int32_t feels;
    int32_t gain[KW_SIZES];        /* places that a take moves if the bar holds */
    int32_t trip_shift;            /* places that a trip moves */
    int32_t min_place, max_place;  /* places to solve for the whole board; each piece that is gone widens the range .. */
    int32_t max_down, max_up;      /* .. by the most places that one piece moves, in either direction */
    int64_t origin, width;         /* of the axis */
    double chance[KW_SIZES][KW_MAX_FEELS];      /* probability of a feel */
    double hold_chance[KW_SIZES][KW_MAX_FEELS]; /* probability that the bar holds */
    double trip_chance[KW_SIZES][KW_MAX_FEELS]; /* probability that it trips */
} kw_touch_game;

/* Return the doubles of scratch that kw_touch_solve needs. */
int64_t kw_touch_scratch(const kw_touch_game *game);

/* Solve one board from the boards with one piece fewer.
 *
 * after: [large][medium][small][width] the value of every board to the player who has just moved, with no pass yet.
 * left: [KW_SIZES] the pieces left. take: [KW_SIZES][KW_MAX_FEELS][width] written, see above.
 * run: [max_passes + 1][width] written, the value before touching, by passes in a row. sum: [2 x width] scratch. */
void kw_touch_node(const kw_touch_game *game, const double *after, const int32_t *left, double *take, double *run,
                   double *sum);

/* Solve all boards, and write `after`. end: [width] the payoff of the end to the player who has just moved. */
void kw_touch_solve(const kw_touch_game *game, const double *end, double *after, double *scratch);

#endif
