/* See touch_kernel.h. Lanes are the places of the axis: contiguous, plain loops that the compiler makes wide. */
#include "touch_kernel.h"

#include "lanes.h"

/* The sizes that may be touched; returns how many. */
static int open_sizes(const kw_touch_game *game, const int32_t *left, int *sizes)
{
    int count = 0;
    for (int size = KW_SIZES - 1; size >= 0; size--)
        if (left[size] > 0 && !(game->in_order && count))
            sizes[count++] = size;
    return count;
}

static int64_t place_of(const kw_touch_game *game, const int32_t *left)
{
    int64_t place = 0;
    for (int size = 0; size < KW_SIZES; size++)
        place = place * (game->board[size] + 1) + left[size];
    return place * game->width;
}

/* Value of touching the best size, when a piece may be refused for `pass` (NULL: it must be taken). */
KW_INLINE void touch(const kw_touch_game *game, const int *sizes, int count, const double *take, const double *pass,
                     int64_t from, int64_t to, double *restrict value, double *restrict sum)
{
    for (int i = 0; i < count; i++) {
        const int size = sizes[i];
        for (int64_t d = from; d <= to; d++)
            sum[d] = 0.0;
        for (int feel = 0; feel < game->feels; feel++) {
            const double chance = game->chance[size][feel];
            const double *taken = take + (size * KW_FEELS + feel) * game->width;
            if (pass)
                for (int64_t d = from; d <= to; d++)
                    sum[d] += chance * (taken[d] > pass[d] ? taken[d] : pass[d]);
            else
                for (int64_t d = from; d <= to; d++)
                    sum[d] += chance * taken[d];
        }
        if (i == 0)
            for (int64_t d = from; d <= to; d++)
                value[d] = sum[d];
        else
            for (int64_t d = from; d <= to; d++)
                value[d] = sum[d] > value[d] ? sum[d] : value[d];
    }
}

/* What the next player's values are worth to this one. */
KW_INLINE void turned(const kw_touch_game *game, const double *restrict value, int64_t from, int64_t to,
                      double *restrict other)
{
    if (game->sign > 0)
        for (int64_t d = from; d <= to; d++)
            other[d] = value[d];
    else
        for (int64_t d = from; d <= to; d++)
            other[d] = -value[2 * game->origin - d];
}

KW_INLINE int64_t range(const kw_touch_game *game, const int32_t *left, int64_t *to)
{
    int64_t gone = 0;
    for (int size = 0; size < KW_SIZES; size++)
        gone += game->board[size] - left[size];
    *to = game->origin + game->high + gone * game->up;
    return game->origin + game->low - gone * game->down;
}

KW_WIDE void kw_touch_node(const kw_touch_game *game, const double *after, const int32_t *left, double *take, double *run,
                           double *sum)
{
    int sizes[KW_SIZES];
    const int count = open_sizes(game, left, sizes);
    int64_t to;
    const int64_t from = range(game, left, &to);
    for (int i = 0; i < count; i++) {
        const int size = sizes[i];
        int32_t fewer[KW_SIZES];
        memcpy(fewer, left, sizeof fewer);
        fewer[size]--;
        const double *kept = after + place_of(game, fewer) + game->gain[size];
        const double *lost = after + place_of(game, fewer) + game->trip;
        for (int feel = 0; feel < game->feels; feel++) {
            const double holds = game->holds[size][feel], trips = game->trips[size][feel];
            double *restrict taken = take + (size * KW_FEELS + feel) * game->width;
            for (int64_t d = from; d <= to; d++)
                taken[d] = holds * kept[d] + trips * lost[d];
        }
    }
    double *pass = sum + game->width;
    touch(game, sizes, count, take, NULL, from, to, run + game->limit * game->width, sum);
    for (int passes = game->limit - 1; passes >= 0; passes--) {
        turned(game, run + (passes + 1) * game->width, from, to, pass);
        touch(game, sizes, count, take, pass, from, to, run + passes * game->width, sum);
    }
}

int64_t kw_touch_scratch(const kw_touch_game *game)
{
    return (KW_SIZES * KW_FEELS + game->limit + 1 + 2) * game->width;
}

KW_WIDE void kw_touch_solve(const kw_touch_game *game, const double *end, double *after, double *scratch)
{
    double *take = scratch;
    double *run = take + KW_SIZES * KW_FEELS * game->width;
    double *sum = run + (game->limit + 1) * game->width;
    int32_t left[KW_SIZES];
    for (left[0] = 0; left[0] <= game->board[0]; left[0]++)
        for (left[1] = 0; left[1] <= game->board[1]; left[1]++)
            for (left[2] = 0; left[2] <= game->board[2]; left[2]++) {
                double *here = after + place_of(game, left);
                int64_t to;
                const int64_t from = range(game, left, &to);
                if (left[0] + left[1] + left[2] <= game->last) {
                    memcpy(here + from, end + from, (size_t)(to - from + 1) * sizeof *here);
                    continue;
                }
                kw_touch_node(game, after, left, take, run, sum);
                turned(game, run, from, to, here);
            }
}
