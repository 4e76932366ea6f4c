/* Booby Trap for the win, 20/20/20, illustrative odds: plain scalar loops over every state, as one would first write it. */
#include <stdlib.h>

enum { N = 20, REACH = 3 * 3 * N, WIDTH = 2 * REACH + 1, RUNS = 5 };

static const double CHANCE[3][3] = {{0.25, 0.35, 0.40}, {0.35, 0.35, 0.30}, {0.45, 0.35, 0.20}};
static const double TRIP[3] = {0.02, 0.25, 0.75};
static const int POINTS[3] = {3, 2, 1};

/* Chance to win of the player to move, by pieces left, passes in a row and lead. */
double plain_touch(void)
{
    static double (*value)[RUNS][WIDTH];
    value = calloc((N + 1) * (N + 1) * (N + 1), sizeof *value);
    for (int l = 0; l <= N; l++)
        for (int m = 0; m <= N; m++)
            for (int s = 0; s <= N; s++) {
                const int here = (l * (N + 1) + m) * (N + 1) + s, left[3] = {l, m, s};
                const int fewer[3] = {here - (N + 1) * (N + 1), here - (N + 1), here - 1};
                const int most = 3 * (3 * N - l - m - s);
                for (int run = RUNS - 1; run >= 0; run--)
                    for (int lead = -most; lead <= most; lead++) {
                        double best = -1;
                        if (l + m + s <= 2) {
                            value[here][run][lead + REACH] = lead > 0 ? 1 : lead < 0 ? 0 : 0.5;
                            continue;
                        }
                        for (int size = 0; size < 3; size++) {
                            if (!left[size])
                                continue;
                            double sum = 0;
                            for (int feel = 0; feel < 3; feel++) {
                                const double won = 1 - value[fewer[size]][0][REACH - lead - POINTS[size]];
                                const double lost = 1 - value[fewer[size]][0][REACH - lead + 3];
                                double option = (1 - TRIP[feel]) * won + TRIP[feel] * lost;
                                if (run < RUNS - 1) {
                                    const double pass = 1 - value[here][run + 1][REACH - lead];
                                    option = pass > option ? pass : option;
                                }
                                sum += CHANCE[size][feel] * option;
                            }
                            best = sum > best ? sum : best;
                        }
                        value[here][run][lead + REACH] = best;
                    }
            }
    const double start = value[(N + 1) * (N + 1) * (N + 1) - 1][0][REACH];
    free(value);
    return start;
}
