/* The keep kernel; included once for each width of registers, see each_width.h. */

/* The best option that a problem has for every full throw; the first among equals. */
KW_INLINE void NAME(enter)(const kw_keep_turn *turn, const kw_keep_job *job, int64_t problem, int64_t lane,
                           double *full, const int channels) {
    int64_t most = job->width - KW_LANES;
    int32_t throws = turn->nodes - turn->first_full;
    const int cell = channels * KW_LANES;
    const part none = (part){0} - INFINITY;
    for (int32_t begin = 0; begin < throws; begin += CHUNK) {
        int32_t end = begin + CHUNK < throws ? begin + CHUNK : throws;
        for (int64_t i = (int64_t)begin * cell; i < (int64_t)end * cell; i += PART)
            store(full + i, none);
        for (int64_t o = job->option_start[problem]; o < job->option_start[problem + 1]; o++) {
            int32_t from = job->from[o] > begin ? job->from[o] : begin, to = job->to[o] < end ? job->to[o] : end;
            int64_t column = job->column[o];
            const double *gain = turn->gain + column * throws;
            const int32_t *shift = turn->shift + column * throws, *hop = turn->hop ? turn->hop + column * throws : NULL;
            const double *row = job->after + (hop ? job->place[job->row[o]] : job->row[o]) * job->width;
            int64_t least = lane + turn->least[column], furthest = lane + turn->most[column];
            if (channels == 1 && !hop && least >= 0 && furthest <= most) { /* nothing is read past the row's ends */
                for (int32_t m = from; m < to; m++)
                    for (int i = 0; i < KW_LANES; i += PART) {
                        part best = larger(load(full + m * cell + i), load(row + lane + shift[m] + i) + gain[m]);
                        store(full + m * cell + i, best);
                    }
                continue;
            }
            for (int32_t m = from; m < to; m++) {
                if (hop)
                    row = job->after + job->place[job->row[o] + hop[m]] * job->width;
                int64_t at = within(lane + shift[m], most);
                for (int i = 0; i < KW_LANES; i += PART) {
                    double *here = full + m * cell + i;
                    part worth = load(row + at + i) + gain[m], best = load(here);
                    mask better = worth > best;
                    best = choose(better, worth, best);
                    store(here, best);
                    for (int k = 1; k < channels; k++) {
                        int64_t own = (column + job->gain_of[k]) * throws + m;
                        const double *other = row + k * job->rows * job->width + within(lane + turn->shift[own], most);
                        worth = load(other + i) + turn->gain[own];
                        best = load(here + k * KW_LANES);
                        best = choose(better, worth, best);
                        store(here + k * KW_LANES, best);
                    }
                }
            }
        }
    }
}

/* What keeping each partial throw is worth, from the full throws down. */
KW_INLINE void NAME(walk_down)(const kw_keep_turn *turn, double *table, const int channels, const int faces,
                               const int fair) {
    const int cell = channels * KW_LANES;
    for (int32_t n = turn->first_full - 1; n >= 0; n--) {
        const int32_t *child = turn->child + (int64_t)n * faces;
        for (int i = 0; i < cell; i += PART) {
            part sum = {0};
#pragma GCC unroll 6
            for (int f = 0; f < faces; f++) {
                part more = load(table + (int64_t)child[f] * cell + i);
                sum += fair ? more : more * turn->chance[f];
            }
            if (fair)
                sum *= turn->chance[0];
            store(table + (int64_t)n * cell + i, sum);
        }
    }
}

/* The best that can be kept of a throw: of it, or of what stands for it with one die fewer. */
KW_INLINE void NAME(keep_best)(double *table, int32_t node, const int32_t *parent, const int32_t parents,
                               const int channels) {
    const int cell = channels * KW_LANES;
    for (int i = 0; i < KW_LANES; i += PART) {
        double *here = table + (int64_t)node * cell + i;
        part best[KW_KEEP_CHANNELS];
        for (int k = 0; k < channels; k++)
            best[k] = load(here + k * KW_LANES);
#pragma GCC unroll 6
        for (int32_t p = 0; p < parents; p++) {
            const double *fewer = table + (int64_t)parent[p] * cell + i;
            part other = load(fewer);
            if (channels == 1) {
                best[0] = larger(best[0], other);
                continue;
            }
            mask better = other > best[0];
            best[0] = choose(better, other, best[0]);
            for (int k = 1; k < channels; k++)
                best[k] = choose(better, load(fewer + k * KW_LANES), best[k]);
        }
        for (int k = 0; k < channels; k++)
            store(here + k * KW_LANES, best[k]);
    }
}

/* The best that can be kept of each throw, from the empty one up; the most dice among equals. */
KW_INLINE void NAME(walk_up)(const kw_keep_turn *turn, double *table, const int channels) {
    const int32_t *parent = turn->parent, *node = turn->rising;
    for (int32_t r = 0; r < turn->runs; r++) {
        const int32_t *end = turn->rising + turn->run_end[r], parents = turn->run_parents[r];
        switch (parents) {
#define KW_CASE(known, count)                                                                                          \
    known:                                                                                                             \
        for (; node < end; node++, parent += count)                                                                    \
            NAME(keep_best)(table, *node, parent, count, channels);                                                    \
        break;
            KW_CASE(case 1, 1)
            KW_CASE(case 2, 2)
            KW_CASE(case 3, 3)
            KW_CASE(case 4, 4)
            KW_CASE(case 5, 5)
            KW_CASE(case 6, 6)
            KW_CASE(default, parents)
#undef KW_CASE
        }
    }
}

KW_INLINE void NAME(blocks)(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                            double *table, const int channels, const int faces, const int fair) {
    const int cell = channels * KW_LANES;
    int64_t size = (int64_t)turn->nodes * cell;
    for (int64_t block = first; block < last; block += step) {
        double *full = table + (int64_t)turn->first_full * cell;
        int64_t lane = job->lane[block];
        NAME(enter)(turn, job, job->problem[block], lane, full, channels);
        for (int throw = turn->throws - 1; throw > 0; throw--) {
            NAME(walk_down)(turn, table, channels, faces, fair);
            if (job->inner)
                memcpy(job->inner + (block * turn->throws + throw) * size, table, size * sizeof(double));
            if (job->early)
                NAME(enter)(turn, job, job->early[(throw - 1) * job->blocks + block], lane, full, channels);
            NAME(walk_up)(turn, table, channels);
        }
        if (job->inner) /* worth of each full throw as the first one */
            memcpy(job->inner + block * turn->throws * size, table, size * sizeof(double));
        for (int i = 0; i < cell; i += PART) {
            part sum = {0};
            for (int32_t m = 0; m < turn->nodes - turn->first_full; m++)
                sum += load(full + (int64_t)m * cell + i) * turn->weight[m];
            store(job->value + block * cell + i, sum);
        }
    }
}

/* The common shapes get code of their own. */
static void NAME(solve)(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                        double *table, int fair) {
    if (job->channels == 1 && turn->faces == 6 && fair)
        NAME(blocks)(turn, job, first, last, step, table, 1, 6, 1);
    else
        NAME(blocks)(turn, job, first, last, step, table, job->channels, turn->faces, fair);
}
