/* The push kernel as a page calls it: one turn at a time, then what throws of it are worth. */
#define KW_DECISIONS 0
#include "../../csrc/push_kernel.c"

#define EXPORT(name) __attribute__((export_name(#name)))

static kw_push_job one_turn(double *payoff, int32_t *caps, int32_t channels, int32_t endings, int32_t rows) {
    return (kw_push_job){.payoff = payoff, .cap = caps, .stride = KW_LANES, .channels = channels, .endings = endings,
                         .rows = rows};
}

/* Doubles of scratch that a turn needs. */
EXPORT(scratch) int32_t page_scratch(const kw_push_turn *turn, int32_t channels, int32_t rows) {
    kw_push_job job = one_turn(NULL, NULL, channels, 0, rows);
    return (int32_t)kw_push_scratch(turn, &job);
}

/* Solve a block of turns, KW_LANES of them: payoff [channels][endings][lanes], value [channels][lanes]. */
EXPORT(solve)
void page_solve(const kw_push_turn *turn, double *payoff, int32_t *caps, int32_t channels, int32_t endings, int32_t rows,
                double *value, double *scratch) {
    kw_push_job job = one_turn(payoff, caps, channels, endings, rows);
    job.value = value;
    kw_push_solve(turn, &job, 0, 1, scratch);
}

/* What throws of turns just solved are worth, best choices made after them: for each of `count`, the throw's number and
 * the points in hand; found [count][channels][lanes]. */
EXPORT(throws)
void page_throws(const kw_push_turn *turn, double *payoff, int32_t *caps, int32_t channels, int32_t endings,
                 int32_t rows, double *scratch, int32_t count, const int32_t *asked, double *found) {
    kw_push_job job = one_turn(payoff, caps, channels, endings, rows);
    block b = block_in(turn, &job, scratch);
    for (int32_t n = 0; n < count; n++)
        for (int i = 0; i < KW_LANES; i += (int)(16 / sizeof(double))) {
            part16 sum[KW_CHANNELS];
            throw_value16(turn, &job, &b, channels, turn->forbid, asked[2 * n], asked[2 * n + 1], i, NULL, sum);
            for (int k = 0; k < channels; k++)
                store16(found + ((int64_t)n * channels + k) * KW_LANES + i, sum[k]);
        }
}
