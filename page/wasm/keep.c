/* The keep kernel for the adviser page: a job with 32-bit numbers. */
#include "../../csrc/keep_kernel.c"

#define EXPORT(name) __attribute__((export_name(#name)))

typedef struct {
    int32_t width, blocks;
    const double *after;
    const int64_t *option_start;
    const int32_t *column;
    const int64_t *row;
    const int32_t *from, *to;
    const int64_t *problem, *lane;
    double *value, *inner;
    const int64_t *row_of_place;
} page_job;

EXPORT(scratch) int32_t page_scratch(const kw_keep_turn *turn) { return (int32_t)kw_keep_scratch(turn); }

EXPORT(solve) void page_solve(const kw_keep_turn *turn, const page_job *source, double *scratch) {
    kw_keep_job job = {.width = source->width,
                       .after = source->after,
                       .option_start = source->option_start,
                       .column = source->column,
                       .row = source->row,
                       .row_of_place = source->row_of_place,
                       .from = source->from,
                       .to = source->to,
                       .problem = source->problem,
                       .blocks = source->blocks,
                       .lane = source->lane,
                       .value = source->value,
                       .inner = source->inner};
    kw_keep_solve(turn, &job, 0, job.blocks, 1, scratch);
}

EXPORT(flow) void page_flow(const kw_keep_turn *turn, const double *inner, int32_t lane, double tie, double *chances,
                            double *scratch) {
    kw_keep_flow(turn, inner, lane, tie, chances, scratch);
}
