/* A plain scalar reference for the two-player race: the same equations, one position at a time, no lanes, no threads.
 * Scores in units; the turn as flat arrays (one throw to a mode, modes in one group, ending 0 the bust). */
#include <stdlib.h>

typedef struct {
    int modes, start, target, minimum, opening, max_add;
    const int *class_start, *choice_start, *next, *add;
    const double *weight, *total;
} game;

static double *inner, *slope; /* [mode][points] */

static void turn(const game *g, const double *win, int a, int b, double zero, double *value, double *zeros) {
    int need = g->target - a, least = a ? g->minimum : g->opening, cap = need > least ? need : least;
    int rows = cap + g->max_add + 1;
    for (int t = rows - 1; t >= 0; t--)
        for (int m = 0; m < g->modes; m++) {
            double *v = inner + m * rows + t, *s = slope + m * rows + t;
            if (t >= cap) {
                *v = 1, *s = 0;
                continue;
            }
            double roll = 0, roll_s = 0;
            for (int c = g->class_start[m]; c < g->class_start[m + 1]; c++) {
                double best = -1, best_s = 0;
                for (int j = g->choice_start[c]; j < g->choice_start[c + 1]; j++) {
                    double x = zero, y = 1;
                    if (g->next[j] < g->modes) {
                        x = inner[g->next[j] * rows + t + g->add[j]];
                        y = slope[g->next[j] * rows + t + g->add[j]];
                    }
                    if (x > best)
                        best = x, best_s = y;
                }
                roll += g->weight[c] * best, roll_s += g->weight[c] * best_s;
            }
            *v = roll / g->total[m], *s = roll_s / g->total[m];
            if (t > 0) {
                double stop = zero, stop_s = 1;
                if (t >= least)
                    stop = 1 - win[b * g->target + a + t], stop_s = 0;
                if (stop >= *v)
                    *v = stop, *s = stop_s;
            }
        }
    *value = inner[g->start * rows], *zeros = slope[g->start * rows];
}

double plain_race(const game *g, double *win) {
    int rows = g->target + g->opening + g->max_add + 2;
    inner = malloc(sizeof(double) * g->modes * rows), slope = malloc(sizeof(double) * g->modes * rows);
    for (int sum = 2 * g->target - 2; sum >= 0; sum--)
        for (int a = sum / 2 < g->target ? sum / 2 : g->target - 1; a >= 0 && sum - a < g->target; a--) {
            int b = sum - a;
            if ((a && a < g->opening) || (b && b < g->opening))
                continue;
            double x = .5, y = .5, f, s, h, r;
            for (int pass = 0; pass < 50; pass++) {
                turn(g, win, a, b, 1 - y, &f, &s);
                turn(g, win, b, a, 1 - x, &h, &r);
                double u = f + s * y, w = h + r * x, moved = (x - f > f - x ? x - f : f - x) + (y - h > h - y ? y - h : h - y);
                x = (u - s * w) / (1 - s * r), y = w - r * x;
                if (moved < 2e-15)
                    break;
            }
            win[a * g->target + b] = x, win[b * g->target + a] = y;
        }
    free(inner), free(slope);
    return win[0];
}
