/* The keep kernel as a page calls it: 32-bit numbers, one channel. */
#include "../../csrc/keep_kernel.c"

#define EXPORT(name) __attribute__((export_name(#name)))

typedef struct {
    int32_t width, rows, blocks;
    const double *after;
    const int64_t *option_start;
    const int32_t *column;
    const int64_t *row;
    const int32_t *from, *to;
    const int64_t *problem, *lane;
    double *value, *inner;
} page_job;

static kw_keep_job job_of(const page_job *told) {
    static const int32_t gain_of[KW_KEEP_CHANNELS];
    return (kw_keep_job){.channels = 1,
                         .width = told->width,
                         .rows = told->rows,
                         .after = told->after,
                         .gain_of = gain_of,
                         .option_start = told->option_start,
                         .column = told->column,
                         .row = told->row,
                         .from = told->from,
                         .to = told->to,
                         .problem = told->problem,
                         .blocks = told->blocks,
                         .lane = told->lane,
                         .value = told->value,
                         .inner = told->inner};
}

EXPORT(scratch) int32_t page_scratch(const kw_keep_turn *turn, const page_job *told) {
    kw_keep_job job = job_of(told);
    return (int32_t)kw_keep_scratch(turn, &job);
}

EXPORT(solve) void page_solve(const kw_keep_turn *turn, const page_job *told, double *scratch) {
    kw_keep_job job = job_of(told);
    kw_keep_solve(turn, &job, 0, job.blocks, 1, scratch);
}
