/* The touch kernel for the adviser page. */
#include "../../csrc/touch_kernel.c"

#define EXPORT(name) __attribute__((export_name(#name)))

EXPORT(scratch) int32_t page_scratch(const kw_touch_game *game) { return (int32_t)kw_touch_scratch(game); }

EXPORT(solve) void page_solve(const kw_touch_game *game, const double *end, double *after, double *scratch) {
    kw_touch_solve(game, end, after, scratch);
}

EXPORT(node)
void page_node(const kw_touch_game *game, const double *after, const int32_t *left, double *take, double *run,
               double *sum) {
    kw_touch_node(game, after, left, take, run, sum);
}
