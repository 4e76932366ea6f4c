#include "push_walk.h"

#include "lanes.h"

static const double LEFT = 0x1p-60; /* a chance that is not followed any more */

/* Lanes that are walked together: under_way[mode][row][lane] is the chance to come there that is still to be followed. */
typedef struct {
    double *under_way;
    int64_t lane; /* the first */
    int count;
    int64_t cap; /* the smallest */
} block;

KW_INLINE double *cell(const kw_push_path *path, const block *b, int mode, int64_t points) {
    return b->under_way + ((int64_t)mode * path->rows + points) * KW_LANES;
}

static double most(const double *chances) {
    double found = 0;
    for (int l = 0; l < KW_LANES; l++)
        found = chances[l] > found ? chances[l] : found;
    return found;
}

/* Lane l comes with this chance to what choice j leads to from so many points; points past the cap count as the cap, or
 * the choice may not be made: 0. */
KW_INLINE int enter(const kw_push_turn *turn, const kw_push_path *path, const block *b, int l, int j, int64_t points,
                    double chance) {
    if (turn->next[j] >= turn->modes) {
        path->ends[(turn->next[j] - turn->modes) * path->lanes + b->lane + l] += chance;
        return 1;
    }
    int64_t held = turn->add[j] + (turn->keeps[j] ? points : 0), cap = path->cap[b->lane + l];
    if (held < 0)
        held = 0;
    if (turn->forbid && held >= cap)
        return 0;
    cell(path, b, turn->next[j], held < cap ? held : cap)[l] += chance;
    return 1;
}

/* The same of lanes that all make this choice; 0 where they are not all led to the same cell. */
KW_INLINE int enter_together(const kw_push_turn *turn, const kw_push_path *path, const block *b, int j, int64_t points,
                             const double *chance) {
    double *to;
    if (turn->next[j] >= turn->modes)
        to = path->ends + (turn->next[j] - turn->modes) * path->lanes + b->lane;
    else {
        int64_t held = turn->add[j] + (turn->keeps[j] ? points : 0);
        if (held < 0 || held >= b->cap)
            return 0;
        to = cell(path, b, turn->next[j], held);
    }
    for (int l = 0; l < b->count; l++)
        to[l] += chance[l];
    return 1;
}

/* Follow the chances to decide in a mode with so many points in hand; 0 where some decision is none of its choices. */
static int decide(const kw_push_turn *turn, const kw_push_path *path, const block *b, int mode, int64_t points,
                   double *goes) {
    int classes = turn->class_start[turn->throw_start[turn->modes]];
    int64_t row = points < path->told ? points : path->told - 1, step = path->stride > 1;
    const int16_t *decision = path->decision + row * (turn->modes + classes) * path->stride + step * b->lane;
    int throws[KW_LANES];
    for (int l = 0; l < b->count; l++) {
        int action = decision[mode * path->stride + step * l];
        int64_t here = b->lane + l;
        if (path->visits)
            path->visits[((int64_t)mode * path->rows + points) * path->lanes + here] += goes[l];
        if (turn->bank[mode] >= 0 && (action == 0 || points >= path->cap[here])) {
            if (goes[l] > 0)
                path->ends[(turn->bank[mode] + points) * path->lanes + here] += goes[l];
            goes[l] = 0;
        }
        throws[l] = turn->throw_start[mode] + (action > 0 ? action : 1) - 1;
        if (throws[l] >= turn->throw_start[mode + 1] && goes[l] > 0)
            return 0;
    }
    for (int throw = turn->throw_start[mode]; throw < turn->throw_start[mode + 1]; throw++) {
        double share[KW_LANES] = {0};
        for (int l = 0; l < b->count; l++)
            if (throws[l] == throw)
                share[l] = goes[l] / turn->total[throw];
        if (most(share) == 0)
            continue;
        for (int c = turn->class_start[throw]; c < turn->class_start[throw + 1]; c++) {
            const int16_t *chosen = decision + (turn->modes + c) * path->stride;
            const int first = turn->choice_start[c], end = turn->choice_start[c + 1];
            double chance[KW_LANES];
            int unlike = 0;
            for (int l = 0; l < b->count; l++) {
                unlike |= chosen[step * l] ^ chosen[0];
                chance[l] = turn->weight[c] * share[l];
            }
            if (!unlike && chosen[0] >= 0 && first + chosen[0] < end &&
                enter_together(turn, path, b, first + chosen[0], points, chance))
                continue;
            for (int l = 0; l < b->count; l++) {
                int choice = chosen[step * l];
                if (chance[l] == 0)
                    continue;
                if (choice < 0) /* none may be made: a bust */
                    path->ends[b->lane + l] += chance[l];
                else if (first + choice >= end || !enter(turn, path, b, l, first + choice, points, chance[l]))
                    return 0;
            }
        }
    }
    return 1;
}

int64_t kw_push_walk_scratch(const kw_push_turn *turn, const kw_push_path *path) {
    return (int64_t)turn->modes * path->rows * KW_LANES;
}

int kw_push_walk(const kw_push_turn *turn, const kw_push_path *path, double *scratch) {
    block b = {.under_way = scratch};
    for (b.lane = 0; b.lane < path->lanes; b.lane += KW_LANES) {
        b.count = path->lanes - b.lane < KW_LANES ? (int)(path->lanes - b.lane) : KW_LANES;
        b.cap = path->rows;
        for (int l = 0; l < b.count; l++)
            b.cap = path->cap[b.lane + l] < b.cap ? path->cap[b.lane + l] : b.cap;
        memset(scratch, 0, (size_t)kw_push_walk_scratch(turn, path) * sizeof(double));
        for (int l = 0; l < b.count; l++)
            cell(path, &b, turn->start, 0)[l] = 1;
        for (int g = turn->groups - 1; g >= 0; g--)
            for (int64_t points = 0; points < path->rows; points++)
                for (int on = 1; on;) { /* beyond the cap the modes of a group lead to each other again */
                    on = 0;
                    for (int i = turn->group_start[g]; i < turn->group_start[g + 1]; i++) {
                        double *here = cell(path, &b, turn->order[i], points), goes[KW_LANES];
                        for (int l = 0; l < KW_LANES; l++) { /* each lane as if it were alone */
                            goes[l] = here[l] > LEFT ? here[l] : 0;
                            here[l] -= goes[l];
                        }
                        if (most(goes) == 0)
                            continue;
                        if (!decide(turn, path, &b, turn->order[i], points, goes))
                            return 0;
                        on = 1;
                    }
                }
    }
    return 1;
}
