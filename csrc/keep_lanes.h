/* The keep kernel of keep_kernel.h. Included once for each register width (each_width.h).
 *
 * Cells are arrays of vec, not of double: then the compiler knows that a store cannot change the node indices, and does not
 * reload them. */

#define CELL_VECS (KW_LANES / VEC_LANES) /* vecs of a cell, which is one node with all lanes */

/* Write the value of the best of some options for every full roll: [full rolls][CELL_VECS].
 *
 * kind: [options][full rolls] the kind of each roll in the column of each option. value_of_kind:
 * [options][kinds][CELL_VECS].
 * is_first: 0 to compare with the values that are there already, too. */
KW_INLINE void NAME(best_option)(vec *full, int32_t full_rolls, const uint16_t *const *kind,
                                 const vec *const *value_of_kind, const int options, int is_first) {
    for (int32_t m = 0; m < full_rolls; m++, full += CELL_VECS)
        for (int i = 0; i < CELL_VECS; i++) {
            vec best = is_first ? (vec){0} - INFINITY : full[i];
#pragma GCC unroll 8
            for (int o = 0; o < options; o++)
                best = vec_max(value_of_kind[o][kind[o][m] * CELL_VECS + i], best);
            full[i] = best;
        }
}

/* Write the value of the best option of a problem for every full roll: [full rolls][CELL_VECS]; -infinity if none allows
 * it.
 *
 * problem: index of the set of options. lane: the place of the first lane on the axis. kind_values: scratch.
 * Options for all full rolls are processed OPTIONS_AT_ONCE at a time, so that their values by kind stay in the L1 cache.
 * Options for some full rolls follow one by one. */
KW_INLINE void NAME(enter_rolls)(const kw_keep_turn *turn, const kw_keep_job *job, int64_t problem, int64_t lane, vec *full,
                                 vec *kind_values) {
    const int32_t full_rolls = turn->nodes - turn->first_full;
    const int64_t begin = job->option_start[problem], end = job->option_start[problem + 1];
    const uint16_t *kind[OPTIONS_AT_ONCE];
    const vec *value_of_kind[OPTIONS_AT_ONCE];
    vec *next_value = kind_values;
    int pending = 0, is_first = 1;
    for (int64_t o = begin; o < end; o++) {
        const int32_t *kinds = turn->kind_start + job->column[o];
        if (job->to[o] - job->from[o] == full_rolls) {
            kind[pending] = turn->kind + (int64_t)job->column[o] * full_rolls;
            value_of_kind[pending++] = next_value;
            for (int32_t k = kinds[0]; k < kinds[1]; k++)
                for (int i = 0; i < KW_LANES; i += VEC_LANES)
                    *next_value++ = load(values_after(turn, job, o, lane, k) + i) + turn->gain[k];
        }
        if (pending == OPTIONS_AT_ONCE || (pending && o == end - 1)) {
            switch (pending) {
#define KW_CASE(count)                                                                                                 \
    case count:                                                                                                        \
        NAME(best_option)(full, full_rolls, kind, value_of_kind, count, is_first);                                     \
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
            pending = is_first = 0, next_value = kind_values;
        }
    }
    for (int64_t i = 0; is_first && i < (int64_t)full_rolls * CELL_VECS; i++)
        full[i] = (vec){0} - INFINITY;
    for (int64_t o = begin; o < end; o++) {
        if (job->to[o] - job->from[o] == full_rolls)
            continue;
        const uint16_t *kind_of_roll = turn->kind + (int64_t)job->column[o] * full_rolls;
        for (int32_t m = job->from[o]; m < job->to[o]; m++) {
            int32_t k = turn->kind_start[job->column[o]] + kind_of_roll[m];
            const double *values = values_after(turn, job, o, lane, k);
            vec *cell = full + (int64_t)m * CELL_VECS;
            for (int i = 0; i < CELL_VECS; i++)
                cell[i] = vec_max(cell[i], load(values + i * VEC_LANES) + turn->gain[k]);
        }
    }
}

/* Replace the values of all nodes but the full rolls by E, the value of keeping these dice before the others are rolled. It
 * is the mean over the faces of the next die of the value with that die more, so nodes with more dice come first.
 *
 * table: [nodes][CELL_VECS], with the values of the full rolls. is_fair: 1 if all faces have the same chance. */
KW_INLINE void NAME(walk_down)(const kw_keep_turn *turn, vec *table, const int faces, const int is_fair) {
    const double face_chance = turn->chance[0];
    for (int32_t n = turn->first_full - 1; n >= 0; n--) {
        const int32_t *child = turn->child + (int64_t)n * faces;
        for (int i = 0; i < CELL_VECS; i++) {
            vec sum = {0};
#pragma GCC unroll 6
            for (int f = 0; f < faces; f++) {
                vec value = table[(int64_t)child[f] * CELL_VECS + i];
                sum += is_fair ? value : value * turn->chance[f];
            }
            if (is_fair)
                sum *= face_chance;
            table[(int64_t)n * CELL_VECS + i] = sum;
        }
    }
}

/* Replace E of a node, the value of keeping all its dice, by B, the best that can be kept of them: the maximum of E and of
 * B of its parents, which have one die less. parents: how many there are. */
KW_INLINE void NAME(best_keep)(vec *table, int32_t node, const int32_t *parent, const int32_t parents) {
    for (int i = 0; i < CELL_VECS; i++) {
        vec best = table[(int64_t)node * CELL_VECS + i];
#pragma GCC unroll 6
        for (int32_t p = 0; p < parents; p++)
            best = vec_max(table[(int64_t)parent[p] * CELL_VECS + i], best);
        table[(int64_t)node * CELL_VECS + i] = best;
    }
}

/* Replace E of all nodes, the value of keeping all their dice, by B, the best that can be kept of them, from the fewest
 * dice up.
 *
 * turn->rising is divided into runs of nodes with equally many parents. So the loop over parents has a constant length,
 * which the compiler unrolls. */
KW_INLINE void NAME(walk_up)(const kw_keep_turn *turn, vec *table) {
    const int32_t *parent = turn->parent, *node = turn->rising;
    for (int32_t r = 0; r < turn->runs; r++) {
        const int32_t *end = turn->rising + turn->run_end[r], parents = turn->run_parents[r];
        switch (parents) {
#define KW_CASE(label, count)                                                                                          \
    label:                                                                                                             \
        for (; node < end; node++, parent += count)                                                                    \
            NAME(best_keep)(table, *node, parent, count);                                                              \
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

/* Solve the blocks first, first + step, ... below `last`: turns of keeping dice, one roll after another backwards.
 *
 * table: scratch, [nodes][CELL_VECS] and the values by kind. faces, is_fair: the number of faces, and 1 if all have the
 * same chance. */
KW_INLINE void NAME(solve_blocks)(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                                  vec *table, const int faces, const int is_fair) {
    int64_t size = (int64_t)turn->nodes * KW_LANES;
    vec *full = table + (int64_t)turn->first_full * CELL_VECS, *kind_values = table + (int64_t)turn->nodes * CELL_VECS;
    for (int64_t block = first; block < last; block += step) {
        int64_t lane = job->lane[block];
        NAME(enter_rolls)(turn, job, job->problem[block], lane, full, kind_values);
        for (int roll = turn->rolls - 1; roll > 0; roll--) {
            /* The full rolls hold the best value of each roll as the roll after this one. */
            NAME(walk_down)(turn, table, faces, is_fair);
            if (job->inner)
                memcpy(job->inner + (block * turn->rolls + roll) * size, table, size * sizeof(double));
            if (job->early) /* this roll is entered in another way than the last one */
                NAME(enter_rolls)(turn, job, job->early[(roll - 1) * job->blocks + block], lane, full, kind_values);
            NAME(walk_up)(turn, table);
        }
        if (job->inner) /* the value of each full roll as the first roll */
            memcpy(job->inner + block * turn->rolls * size, table, size * sizeof(double));
        for (int i = 0; i < CELL_VECS; i++) {
            vec sum = {0};
            for (int32_t m = 0; m < turn->nodes - turn->first_full; m++)
                sum += full[(int64_t)m * CELL_VECS + i] * turn->weight[m];
            store(job->value + block * KW_LANES + i * VEC_LANES, sum);
        }
    }
}

/* Solve the blocks first, first + step, ... below `last`. Fair dice with six faces are the common case, so their number of
 * faces is a constant for the compiler. */
static void NAME(solve)(const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step,
                        double *table, int is_fair) {
    if (turn->faces == 6 && is_fair)
        NAME(solve_blocks)(turn, job, first, last, step, (vec *)table, 6, 1);
    else
        NAME(solve_blocks)(turn, job, first, last, step, (vec *)table, turn->faces, is_fair);
}

#undef CELL_VECS
