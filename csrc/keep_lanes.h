/* The keep kernel; included once for each width of registers, see each_width.h. */

#define PARTS (KW_LANES / PART) /* of a cell; typed, so that what is written is known to be no number of a node */

/* The best of some options for every full throw, of which each knows what the throw's kind is worth, and of what stands
 * there, but for the first. */
KW_INLINE void NAME(best_of)(part *full, int32_t throws, const uint16_t *const *kind, const part *const *worth,
                             const int options, int first) {
    for (int32_t m = 0; m < throws; m++, full += PARTS)
        for (int i = 0; i < PARTS; i++) {
            part best = first ? (part){0} - INFINITY : full[i];
#pragma GCC unroll 8
            for (int o = 0; o < options; o++)
                best = larger(worth[o][kind[o][m] * PARTS + i], best);
            full[i] = best;
        }
}

/* The best option that a problem has for every full throw. Options for all throws are looked at some at a time: what their
 * kinds are worth stays in the first cache. */
KW_INLINE void NAME(enter)(const kw_keep_turn *turn, const kw_keep_job *job, int64_t problem, int64_t lane, part *full,
                           part *worths) {
    const int32_t throws = turn->nodes - turn->first_full;
    const int64_t begin = job->option_start[problem], end = job->option_start[problem + 1];
    const uint16_t *kind[TOGETHER];
    const part *worth[TOGETHER];
    part *to = worths;
    int some = 0, first = 1;
    for (int64_t o = begin; o < end; o++) {
        const int32_t *kinds = turn->kind_start + job->column[o];
        if (job->to[o] - job->from[o] == throws) {
            kind[some] = turn->kind + (int64_t)job->column[o] * throws;
            worth[some++] = to;
            for (int32_t k = kinds[0]; k < kinds[1]; k++)
                for (int i = 0; i < KW_LANES; i += PART)
                    *to++ = load(leads_to(turn, job, o, lane, k) + i) + turn->gain[k];
        }
        if (some == TOGETHER || (some && o == end - 1)) {
            switch (some) {
#define KW_CASE(count)                                                                                                 \
    case count:                                                                                                        \
        NAME(best_of)(full, throws, kind, worth, count, first);                                                        \
        break;
                KW_CASE(1)
                KW_CASE(2)
                KW_CASE(3)
                KW_CASE(4)
                KW_CASE(5)
                KW_CASE(6)
                KW_CASE(7)
                KW_CASE(8)
#undef KW_CASE
            }
            some = first = 0, to = worths;
        }
    }
    for (int64_t i = 0; first && i < (int64_t)throws * PARTS; i++)
        full[i] = (part){0} - INFINITY;
    for (int64_t o = begin; o < end; o++) {
        if (job->to[o] - job->from[o] == throws)
            continue;
        const uint16_t *own = turn->kind + (int64_t)job->column[o] * throws;
        for (int32_t m = job->from[o]; m < job->to[o]; m++) {
            int32_t k = turn->kind_start[job->column[o]] + own[m];
            const double *from = leads_to(turn, job, o, lane, k);
            part *here = full + (int64_t)m * PARTS;
            for (int i = 0; i < PARTS; i++)
                here[i] = larger(here[i], load(from + i * PART) + turn->gain[k]);
        }
    }
}

/* What keeping each partial throw is worth, from the full throws down. */
KW_INLINE void NAME(walk_down)(const kw_keep_turn *turn, part *table, const int faces, const int fair) {
    const double even = turn->chance[0];
    for (int32_t n = turn->first_full - 1; n >= 0; n--) {
        const int32_t *child = turn->child + (int64_t)n * faces;
        for (int i = 0; i < PARTS; i++) {
            part sum = {0};
#pragma GCC unroll 6
            for (int f = 0; f < faces; f++) {
                part more = table[(int64_t)child[f] * PARTS + i];
                sum += fair ? more : more * turn->chance[f];
            }
            if (fair)
                sum *= even;
            table[(int64_t)n * PARTS + i] = sum;
        }
    }
}

/* The best that can be kept of a throw: of it, or of what stands for it with one die fewer. */
KW_INLINE void NAME(keep_best)(part *table, int32_t node, const int32_t *parent, const int32_t parents) {
    for (int i = 0; i < PARTS; i++) {
        part best = table[(int64_t)node * PARTS + i];
#pragma GCC unroll 6
        for (int32_t p = 0; p < parents; p++)
            best = larger(table[(int64_t)parent[p] * PARTS + i], best);
        table[(int64_t)node * PARTS + i] = best;
    }
}

/* The best that can be kept of each throw, from the empty one up. */
KW_INLINE void NAME(walk_up)(const kw_keep_turn *turn, part *table) {
    const int32_t *parent = turn->parent, *node = turn->rising;
    for (int32_t r = 0; r < turn->runs; r++) {
        const int32_t *end = turn->rising + turn->run_end[r], parents = turn->run_parents[r];
        switch (parents) {
#define KW_CASE(known, count)                                                                                          \
    known:                                                                                                             \
        for (; node < end; node++, parent += count)                                                                    \
            NAME(keep_best)(table, *node, parent, count);                                                    \
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
                            part *table, const int faces, const int fair) {
    int64_t size = (int64_t)turn->nodes * KW_LANES;
    part *full = table + (int64_t)turn->first_full * PARTS, *worths = table + (int64_t)turn->nodes * PARTS;
    for (int64_t block = first; block < last; block += step) {
        int64_t lane = job->lane[block];
        NAME(enter)(turn, job, job->problem[block], lane, full, worths);
        for (int throw = turn->throws - 1; throw > 0; throw--) {
            NAME(walk_down)(turn, table, faces, fair);
            if (job->inner)
                memcpy(job->inner + (block * turn->throws + throw) * size, table, size * sizeof(double));
            if (job->early)
                NAME(enter)(turn, job, job->early[(throw - 1) * job->blocks + block], lane, full, worths);
            NAME(walk_up)(turn, table);
        }
        if (job->inner) /* worth of each full throw as the first one */
            memcpy(job->inner + block * turn->throws * size, table, size * sizeof(double));
        for (int i = 0; i < PARTS; i++) {
            part sum = {0};
            for (int32_t m = 0; m < turn->nodes - turn->first_full; m++)
                sum += full[(int64_t)m * PARTS + i] * turn->weight[m];
            store(job->value + block * KW_LANES + i * PART, sum);
        }
    }
}

/* The common shape gets code of its own. */
static void NAME(solve)(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                        double *table, int fair) {
    if (turn->faces == 6 && fair)
        NAME(blocks)(turn, job, first, last, step, (part *)table, 6, 1);
    else
        NAME(blocks)(turn, job, first, last, step, (part *)table, turn->faces, fair);
}

#undef PARTS
