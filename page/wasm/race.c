/* The race kernel for the adviser page, which runs in one thread and never has to wait for another. */
#include <sched.h>
#include <stddef.h>

int sched_yield(void) { return 0; }

#ifndef __wasm_simd128__
#define KW_SLOPES_ONLY /* leaves out secants and shared maxima, which pay with vector instructions */
#endif
#include "../../csrc/race_kernel.c"

/* What page/src/race.ts repeats by hand. */
_Static_assert(offsetof(kw_monotone_turn, class_start) == 40 && sizeof(kw_monotone_turn) == 112, "a turn");
_Static_assert(offsetof(kw_race, pay) == 48 && offsetof(kw_race, no_gaps) == 124, "a race");
_Static_assert(offsetof(kw_race, tolerance) == 136 && offsetof(kw_race, slope) == 192, "its last fields");

#define EXPORT(name) __attribute__((export_name(#name)))

EXPORT(scratch) int32_t page_scratch(const kw_race_side *sides) { return (int32_t)kw_race_scratch(sides); }

EXPORT(solve)
void page_solve(const kw_race_side *sides, const int32_t (*pairs)[2], const int64_t *unit_start, const int64_t *ready,
                int32_t last, int64_t *shared, double *scratch) {
    int64_t work[2] = {0};
    kw_race_solve(sides, pairs, unit_start, ready, last, shared, work, scratch);
}
