/* Solitaire Yahtzee, official rules (forced jokers, Yahtzee bonus), as a plain scalar loop: one state at a time, doubles,
 * the keep lattice walked for each. The reference that bench_cards.py measures the engine against. */
#include <stdlib.h>
#include <string.h>

enum { NODES = 462, PARTIAL = 210, FULL = 252 };
static int counts[NODES][6], child[PARTIAL][6], parents[NODES][6], parent_count[NODES];
static double weight[FULL];
static int score[13][FULL], alike[FULL];

static int find(const int *want, int upto) {
    for (int n = 0; n < upto; n++)
        if (!memcmp(counts[n], want, sizeof counts[n]))
            return n;
    return -1;
}

static int build(void) {
    int nodes = 0;
    for (int size = 0; size <= 5; size++)
        for (int a = size; a >= 0; a--)
            for (int b = size - a; b >= 0; b--)
                for (int c = size - a - b; c >= 0; c--)
                    for (int d = size - a - b - c; d >= 0; d--)
                        for (int e = size - a - b - c - d; e >= 0; e--) {
                            int row[6] = {a, b, c, d, e, size - a - b - c - d - e};
                            memcpy(counts[nodes++], row, sizeof row);
                        }
    for (int n = 0; n < PARTIAL; n++)
        for (int f = 0; f < 6; f++) {
            int more[6];
            memcpy(more, counts[n], sizeof more);
            more[f]++;
            child[n][f] = find(more, nodes);
            parents[child[n][f]][parent_count[child[n][f]]++] = n;
        }
    static const int factorial[6] = {1, 1, 2, 6, 24, 120};
    for (int m = 0; m < FULL; m++) {
        const int *c = counts[PARTIAL + m];
        double ways = 120;
        int sum = 0, most = 0, pair = 0, three = 0, run = 0, longest = 0;
        alike[m] = 0;
        for (int f = 0; f < 6; f++) {
            ways /= factorial[c[f]];
            sum += c[f] * (f + 1);
            most = c[f] > most ? c[f] : most;
            pair |= c[f] == 2;
            three |= c[f] == 3;
            run = c[f] ? run + 1 : 0;
            longest = run > longest ? run : longest;
            score[f][m] = c[f] * (f + 1);
            if (c[f] == 5)
                alike[m] = f + 1;
        }
        weight[m] = ways / 7776;
        score[6][m] = most >= 3 ? sum : 0;
        score[7][m] = most >= 4 ? sum : 0;
        score[8][m] = pair && three ? 25 : 0;
        score[9][m] = longest >= 4 ? 30 : 0;
        score[10][m] = longest >= 5 ? 40 : 0;
        score[11][m] = most == 5 ? 50 : 0;
        score[12][m] = sum;
    }
    return nodes == NODES;
}

double plain_yahtzee(void) {
    memset(parent_count, 0, sizeof parent_count);
    if (!build())
        return -1;
    double *value = calloc((size_t)8192 * 2 * 64, sizeof *value), table[NODES];
    char can[64][64] = {{0}}; /* upper totals that can occur */
    can[0][0] = 1;
    for (int s = 0; s < 64; s++)
        for (int f = 0; f < 6; f++)
            for (int u = 0; u < 64 && !(s >> f & 1); u++)
                for (int k = 0; k <= 5 && can[s][u]; k++)
                    can[s | 1 << f][u + k * (f + 1) < 63 ? u + k * (f + 1) : 63] = 1;
#define AT(s, flag, u) value[((s) * 2 + (flag)) * 64 + (u)]
    for (int flag = 0; flag < 2; flag++)
        AT(8191, flag, 63) = 35;
    for (int s = 8190; s >= 0; s--)
        for (int flag = 0; flag < (s >> 11 & 1 ? 2 : 1); flag++)
            for (int u = 0; u < 64; u++) {
                if (!can[s & 63][u])
                    continue;
                for (int m = 0; m < FULL; m++) {
                    int again = alike[m] && s >> 11 & 1, own = again ? alike[m] - 1 : -1;
                    int own_open = again && !(s >> own & 1), lower_open = (s >> 6 & 127) != 127;
                    double best = -1;
                    for (int c = 0; c < 13; c++) {
                        if (s >> c & 1 || (own_open && c != own) || (again && !own_open && lower_open && c < 6))
                            continue;
                        int points = score[c][m];
                        if (again && !own_open && c >= 8 && c <= 10)
                            points = c == 8 ? 25 : c == 9 ? 30 : 40;
                        int up = c < 6 && u + points < 63 ? u + points : c < 6 ? 63 : u;
                        int next = c == 11 ? points == 50 : flag;
                        double worth = points + (again && flag ? 100 : 0) + AT(s | 1 << c, next, up);
                        best = worth > best ? worth : best;
                    }
                    table[PARTIAL + m] = best;
                }
                for (int reroll = 0; reroll < 2; reroll++) {
                    for (int n = PARTIAL - 1; n >= 0; n--) {
                        double sum = 0;
                        for (int f = 0; f < 6; f++)
                            sum += table[child[n][f]];
                        table[n] = sum / 6;
                    }
                    for (int n = 1; n < NODES; n++)
                        for (int p = 0; p < parent_count[n]; p++)
                            if (table[parents[n][p]] > table[n])
                                table[n] = table[parents[n][p]];
                }
                double sum = 0;
                for (int m = 0; m < FULL; m++)
                    sum += weight[m] * table[PARTIAL + m];
                AT(s, flag, u) = sum;
            }
    double start = AT(0, 0, 0);
    free(value);
    return start;
}
