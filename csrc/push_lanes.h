/* The push-your-luck kernel; included once for each width of registers, see each_width.h. */

/* One throw with `points` in hand: expectation over its classes of the best choice, all channels, for the lanes from i on. */
KW_INLINE void NAME(throw_value)(const kw_push_turn *turn, const kw_push_job *job, const block *b, const int channels,
                                 const int forbid, int throw, int64_t points, int i, int16_t *decision, part *sum) {
    const int start = turn->class_start[throw], end = turn->class_start[throw + 1], choice = turn->choice_start[start];
    /* with one choice in every class nothing is left to be compared */
    const int single = !decision && !forbid && !b->lowers && points >= 0 && turn->choice_start[end] - choice == end - start;
    for (int k = 0; k < channels; k++)
        sum[k] = (part){0};
    for (int c = start; single && c < end; c++) {
        const double *cell = leads_to(turn, job, b, choice + c - start, points) + i;
        for (int k = 0; k < channels; k++)
            sum[k] += turn->weight[c] * load(cell + k * KW_LANES);
    }
    for (int c = start; !single && c < end; c++) {
        int first = turn->choice_start[c], last = turn->choice_start[c + 1];
        part best[KW_CHANNELS], which = {0}; /* the first choice that reaches the best */
        const double *cell = leads_to(turn, job, b, first, points) + i;
        for (int k = 0; k < channels; k++)
            best[k] = load(cell + k * KW_LANES);
        for (int j = first + 1; j < last; j++) {
            cell = leads_to(turn, job, b, j, points) + i;
            part other = load(cell);
            mask better = other > best[0];
            best[0] = choose(better, other, best[0]);
            if (decision)
                which = choose(better, (part){0} + (j - first), which);
            for (int k = 1; k < channels; k++)
                best[k] = choose(better, load(cell + k * KW_LANES), best[k]);
        }
        if (decision) /* -1: none may be made */
            for (int l = 0; l < PART; l++)
                decision[c * job->stride + i + l] = (int16_t)(best[0][l] == -INFINITY ? -1 : which[l]);
        if (forbid) { /* every choice would pass the cap: the throw counts as a bust */
            mask none = best[0] == -INFINITY;
            for (int k = 0; k < channels; k++)
                best[k] = choose(none, load(b->specials + k * KW_LANES + i), best[k]);
        }
        for (int k = 0; k < channels; k++)
            sum[k] += turn->weight[c] * best[k];
    }
    for (int k = 0; k < channels; k++)
        sum[k] /= turn->total[throw];
}

/* Value before a throw, written to a cell: the best of stopping, where it is offered, and each way to go on. */
KW_INLINE void NAME(mode_value)(const kw_push_turn *turn, const kw_push_job *job, const block *b, const int channels,
                                const int forbid, int mode, int64_t points, int stop, int16_t *decision, double *cell) {
    int16_t *classes = decision ? decision + turn->modes * job->stride : NULL;
    for (int i = 0; i < KW_LANES; i += PART) {
        part best[KW_CHANNELS], sum[KW_CHANNELS];
        int16_t chosen[PART] = {0};
        int actions = stop; /* compared so far */
        for (int k = 0; k < channels; k++)
            best[k] = stop ? load(banked(turn, job, b, k, mode, points) + i) : (part){0};
        for (int a = turn->throw_start[mode]; a < turn->throw_start[mode + 1]; a++) {
            NAME(throw_value)(turn, job, b, channels, forbid, a, points, i, classes, sum);
            mask better = sum[0] > best[0];
            if (!actions)
                better = (mask){0} - 1;
            for (int l = 0; decision && l < PART; l++)
                if (better[l])
                    chosen[l] = (int16_t)(a - turn->throw_start[mode] + 1);
            for (int k = 0; k < channels; k++)
                best[k] = choose(better, sum[k], best[k]);
            actions++;
        }
        for (int k = 0; k < channels; k++)
            store(cell + k * KW_LANES + i, best[k]);
        if (decision)
            memcpy(decision + mode * job->stride + i, chosen, sizeof chosen);
    }
}

/* One pass over the modes of a group that cannot stop, beyond the cap: each goes on, at its best or as decided, to what
 * the others are worth so far. Tells whether a bit changed. */
KW_INLINE int NAME(forced_pass)(const kw_push_turn *turn, const kw_push_job *job, const block *b, const int channels,
                                int group, int16_t *decision, int follow) {
    int changed = 0;
    for (int i = turn->group_start[group]; i < turn->group_start[group + 1]; i++) {
        int m = turn->order[i];
        if (turn->bank[m] >= 0)
            continue;
        double value[KW_CHANNELS * KW_LANES]; /* beside what it is made of: a mode can lead to itself */
        if (follow)
            follow_value(turn, job, b, m, -1, decision, value);
        else
            NAME(mode_value)(turn, job, b, channels, 0, m, -1, 0, decision, value);
        double *cell = b->over + m * b->cell;
        changed |= memcmp(cell, value, b->cell * sizeof(double)) != 0;
        memcpy(cell, value, b->cell * sizeof(double));
    }
    return changed;
}

/* The value of a group's modes beyond the cap: nobody goes there, or whoever can stop there does and who may not goes on
 * until no bit changes, and no longer than until less than 2**-60 of the value is open. Given decisions are followed from
 * the best value on: so the best decisions give the same bits again, where a start of its own could settle one bit away. */
KW_INLINE void NAME(beyond_cap)(const kw_push_turn *turn, const kw_push_job *job, const block *b, const int channels,
                                int group, int16_t *decision) {
    for (int i = turn->group_start[group]; i < turn->group_start[group + 1]; i++) {
        int m = turn->order[i];
        for (int k = 0; k < channels; k++)
            for (int l = 0; l < KW_LANES; l++) {
                double v = k == 0 ? -INFINITY : 0;
                if (!turn->forbid)
                    v = turn->bank[m] < 0 ? payoff(job, b, k, 0)[l]
                                          : banked(turn, job, b, k, m, job->cap[b->lane + l])[l];
                b->over[m * b->cell + k * KW_LANES + l] = v;
            }
    }
    if (turn->forbid)
        return;
    int pass = 0;
    while (pass < turn->over_passes && NAME(forced_pass)(turn, job, b, channels, group, NULL, 0))
        pass++;
    for (pass = 0; decision && pass < turn->over_passes; pass++) /* the best decisions are told by the first pass */
        if (!NAME(forced_pass)(turn, job, b, channels, group, decision, job->follow || pass > 0))
            break;
}

KW_INLINE void NAME(blocks)(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch,
                            const int channels, const int forbid, const int decide) {
    block b = block_in(turn, job, scratch);
    b.cell = channels * KW_LANES;
    for (int64_t n = first; n * KW_LANES < job->stride; n += step) {
        b.lane = n * KW_LANES;
        const int32_t *cap = job->cap + b.lane;
        int64_t top = 0;
        for (int l = 0; l < KW_LANES; l++)
            top = cap[l] > top ? cap[l] : top;
        for (int e = 0; e < turn->specials; e++)
            for (int k = 0; k < channels; k++)
                memcpy(b.specials + e * b.cell + k * KW_LANES, payoff(job, &b, k, e), KW_LANES * sizeof(double));

        int nodes = turn->modes + turn->class_start[turn->throw_start[turn->modes]];
        int16_t *beyond = decide ? job->decision + top * nodes * job->stride + b.lane : NULL; /* its row */
        for (int g = 0; g < turn->groups; g++) {
            NAME(beyond_cap)(turn, job, &b, channels, g, beyond);
            for (int i = turn->group_start[g]; i < turn->group_start[g + 1]; i++)
                for (int64_t t = top; t <= top + turn->max_add; t++)
                    memcpy(at(&b, job, turn->order[i], t), b.over + turn->order[i] * b.cell, b.cell * sizeof(double));
            for (int64_t t = top - 1; t >= 0; t--) {
                int16_t *decision = decide ? job->decision + t * nodes * job->stride + b.lane : NULL;
                for (int i = turn->group_start[g]; i < turn->group_start[g + 1]; i++) {
                    int m = turn->order[i];
                    if (t > turn->most[m])
                        continue;
                    double *cell = at(&b, job, m, t);
                    if (decide && job->follow)
                        follow_value(turn, job, &b, m, t, decision, cell);
                    else
                        NAME(mode_value)(turn, job, &b, channels, forbid, m, t,
                                         turn->bank[m] >= 0 && t >= turn->bank_from[m], decision, cell);
                    for (int l = 0; l < KW_LANES; l++)
                        if (t >= cap[l])
                            for (int k = 0; k < channels; k++)
                                cell[k * KW_LANES + l] = b.over[m * b.cell + k * KW_LANES + l];
                }
            }
        }

        for (int k = 0; k < channels; k++) {
            const double *cell = top > 0 ? at(&b, job, turn->start, 0) : b.over + turn->start * b.cell;
            memcpy(job->value + k * job->stride + b.lane, cell + k * KW_LANES, KW_LANES * sizeof(double));
            if (job->inner)
                for (int m = 0; m < turn->modes; m++)
                    for (int64_t t = 0; t < job->rows; t++) {
                        int solved = t <= top + turn->max_add && (t <= turn->most[m] || t >= top);
                        const double *from = solved ? at(&b, job, m, t) : b.over + m * b.cell;
                        memcpy(job->inner + (((int64_t)k * turn->modes + m) * job->rows + t) * job->stride + b.lane,
                               from + k * KW_LANES, KW_LANES * sizeof(double));
                    }
        }
    }
}

/* The common numbers of channels get code of their own, so that their parts stay in registers. */
static void NAME(solve)(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch) {
    if (KW_DECISIONS && job->decision)
        NAME(blocks)(turn, job, first, step, scratch, job->channels, turn->forbid, 1);
    else if (job->channels == 1)
        NAME(blocks)(turn, job, first, step, scratch, 1, turn->forbid, 0);
    else if (job->channels == 2 && !turn->forbid)
        NAME(blocks)(turn, job, first, step, scratch, 2, 0, 0);
    else
        NAME(blocks)(turn, job, first, step, scratch, job->channels, turn->forbid, 0);
}
