/* See touch_kernel.h. Lanes are the places of the axis: plain loops over contiguous memory, vectorized by the compiler. */
#include "touch_kernel.h"

#include "lanes.h"

/* Write the sizes that may be touched to `sizes`, the smallest piece first: all that are left, or the smallest of them only
 * if pieces are taken in order. Return how many there are. left: [KW_SIZES] pieces left. */
static int list_sizes(const kw_touch_game *game, const int32_t *left, int *sizes)
{
    int count = 0;
    for (int size = KW_SIZES - 1; size >= 0; size--)
        if (left[size] > 0 && !(game->in_order && count))
            sizes[count++] = size;
    return count;
}

/* Return the offset in `after`, in doubles, of the values of the board with the pieces `left`: [KW_SIZES]. */
static int64_t board_offset(const kw_touch_game *game, const int32_t *left)
{
    int64_t index = 0;
    for (int size = 0; size < KW_SIZES; size++)
        index = index * (game->board[size] + 1) + left[size];
    return index * game->width;
}

/* Compute the value of touching a piece of the best size, before its feel is known, at the places `from` to `to`.
 *
 * sizes: [count] those that may be touched. take: [KW_SIZES][KW_MAX_FEELS][width] the value of taking a piece. pass:
 * [width] the value of passing, or NULL if the piece must be taken. value: [width] written. sum: [width] scratch. */
KW_INLINE void touch(const kw_touch_game *game, const int *sizes, int count, const double *take, const double *pass,
                     int64_t from, int64_t to, double *restrict value, double *restrict sum)
{
    for (int i = 0; i < count; i++) {
        const int size = sizes[i];
        for (int64_t x = from; x <= to; x++)
            sum[x] = 0.0;
        for (int feel = 0; feel < game->feels; feel++) {
            const double chance = game->chance[size][feel];
            const double *take_value = take + (size * KW_MAX_FEELS + feel) * game->width;
            if (pass)
                for (int64_t x = from; x <= to; x++)
                    sum[x] += chance * (take_value[x] > pass[x] ? take_value[x] : pass[x]);
            else
                for (int64_t x = from; x <= to; x++)
                    sum[x] += chance * take_value[x];
        }
        if (i == 0)
            for (int64_t x = from; x <= to; x++)
                value[x] = sum[x];
        else
            for (int64_t x = from; x <= to; x++)
                value[x] = sum[x] > value[x] ? sum[x] : value[x];
    }
}

/* Write the values of the player before the one to move, at the places `from` to `to`: other[x] = sign value[sign x], where
 * x counts from place 0. If players take turns, both the payoff and the place change their sign. In a solitaire nothing
 * changes. */
KW_INLINE void change_player(const kw_touch_game *game, const double *restrict value, int64_t from, int64_t to,
                             double *restrict other)
{
    if (game->sign > 0)
        for (int64_t x = from; x <= to; x++)
            other[x] = value[x];
    else
        for (int64_t x = from; x <= to; x++)
            other[x] = -value[2 * game->origin - x];
}

/* Return the first index of the places to solve on the board with the pieces `left`; write the last one to `to`. The range
 * is wider on boards with fewer pieces, since those with more pieces lead there from all of their places. */
KW_INLINE int64_t place_range(const kw_touch_game *game, const int32_t *left, int64_t *to)
{
    int64_t taken_pieces = 0;
    for (int size = 0; size < KW_SIZES; size++)
        taken_pieces += game->board[size] - left[size];
    *to = game->origin + game->max_place + taken_pieces * game->max_up;
    return game->origin + game->min_place - taken_pieces * game->max_down;
}

KW_WIDE void kw_touch_node(const kw_touch_game *game, const double *after, const int32_t *left, double *take, double *run,
                           double *sum)
{
    int sizes[KW_SIZES];
    const int count = list_sizes(game, left, sizes);
    int64_t to;
    const int64_t from = place_range(game, left, &to);
    for (int i = 0; i < count; i++) {
        const int size = sizes[i];
        int32_t fewer[KW_SIZES];
        memcpy(fewer, left, sizeof fewer);
        fewer[size]--; /* the piece is gone whether the bar holds or trips */
        const double *after_hold = after + board_offset(game, fewer) + game->gain[size];
        const double *after_trip = after + board_offset(game, fewer) + game->trip_shift;
        for (int feel = 0; feel < game->feels; feel++) {
            const double hold_chance = game->hold_chance[size][feel], trip_chance = game->trip_chance[size][feel];
            double *restrict take_value = take + (size * KW_MAX_FEELS + feel) * game->width;
            for (int64_t x = from; x <= to; x++)
                take_value[x] = hold_chance * after_hold[x] + trip_chance * after_trip[x];
        }
    }
    double *pass = sum + game->width; /* the value of passing, in the second half of `sum` */
    /* After the most passes in a row nobody may pass: NULL. With fewer, passing leads to the run with one more. */
    touch(game, sizes, count, take, NULL, from, to, run + game->max_passes * game->width, sum);
    for (int passes = game->max_passes - 1; passes >= 0; passes--) {
        change_player(game, run + (passes + 1) * game->width, from, to, pass);
        touch(game, sizes, count, take, pass, from, to, run + passes * game->width, sum);
    }
}

int64_t kw_touch_scratch(const kw_touch_game *game)
{
    return (KW_SIZES * KW_MAX_FEELS + game->max_passes + 1 + 2) * game->width;
}

KW_WIDE void kw_touch_solve(const kw_touch_game *game, const double *end, double *after, double *scratch)
{
    double *take = scratch;
    double *run = take + KW_SIZES * KW_MAX_FEELS * game->width;
    double *sum = run + (game->max_passes + 1) * game->width;
    int32_t left[KW_SIZES]; /* counted up, so that the boards with one piece fewer come first */
    for (left[0] = 0; left[0] <= game->board[0]; left[0]++)
        for (left[1] = 0; left[1] <= game->board[1]; left[1]++)
            for (left[2] = 0; left[2] <= game->board[2]; left[2]++) {
                double *values = after + board_offset(game, left);
                int64_t to;
                const int64_t from = place_range(game, left, &to);
                if (left[0] + left[1] + left[2] <= game->end_pieces) {
                    memcpy(values + from, end + from, (size_t)(to - from + 1) * sizeof *values);
                    continue;
                }
                kw_touch_node(game, after, left, take, run, sum);
                change_player(game, run, from, to, values); /* the first row of `run`: with no pass yet */
            }
}
