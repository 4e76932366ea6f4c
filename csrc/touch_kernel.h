/* The touch kernel: games of touching a piece, then taking or passing it. See touch.pyx and docs/design.md.
 *
 * A player touches a piece of a chosen size and learns its feel; taking it moves the player's place on an axis (the lead,
 * or the trips of a solitaire) by the piece's gain, or, if the bar trips, by `trip`. A place is an index; `origin` is the
 * start. Values are payoffs to the player to move; with sign -1 the opponent has the negative of both payoff and axis.
 */
#ifndef KW_TOUCH_KERNEL_H
#define KW_TOUCH_KERNEL_H

#include <stdint.h>

#define KW_SIZES 3 /* sizes of pieces: large, medium, small */
#define KW_FEELS 8 /* most feels */

typedef struct {
    int32_t board[KW_SIZES]; /* most pieces of each size */
    int32_t last;            /* the game ends when so many pieces are left */
    int32_t limit;           /* after so many passes in a row the piece touched must be taken */
    int32_t in_order;        /* 1: only the smallest size left may be touched */
    int32_t sign;            /* -1: players take turns; 1: one player alone */
    int32_t feels;
    int32_t gain[KW_SIZES];  /* places that a take moves */
    int32_t trip;            /* places that a trip moves */
    int32_t low, high;       /* places solved for the whole board: origin + low .. origin + high */
    int32_t down, up;        /* most places that one piece moves, either way; each piece gone widens the range by it */
    int64_t origin, width;   /* of the axis */
    double chance[KW_SIZES][KW_FEELS];  /* of a feel, by size */
    double holds[KW_SIZES][KW_FEELS];   /* chance that the bar holds */
    double trips[KW_SIZES][KW_FEELS];   /* chance that it trips */
} kw_touch_game;

/* Doubles of scratch that solving needs. */
int64_t kw_touch_scratch(const kw_touch_game *game);

/* Solve one position of the board from those with a piece fewer.
 * after[large][medium][small][width]: what a position is worth to the player who has just moved, before any pass.
 * take[KW_SIZES][KW_FEELS][width]: written, what taking a piece of that size and feel is worth.
 * run[limit + 1][width]: written, the value before touching, after 0 .. limit passes in a row.
 * sum[2 * width]: scratch. */
void kw_touch_node(const kw_touch_game *game, const double *after, const int32_t *left, double *take, double *run,
                   double *sum);

/* Solve the whole board into after; end[width] is what the end is worth to the player who has just moved. */
void kw_touch_solve(const kw_touch_game *game, const double *end, double *after, double *scratch);

#endif
