/* The push kernel for the adviser page: solves one block of turns at a time, then the value of single rolls. */
#define KW_DECISIONS 0
#define KW_WINDOW 0
#include "../../csrc/push_kernel.c"

#define EXPORT(name) __attribute__((export_name(#name)))

static kw_push_job one_block(double *payoff, int32_t *caps, int32_t channels, int32_t endings, int32_t rows) {
    return (kw_push_job){.payoff = payoff, .cap = caps, .lanes = KW_LANES, .channels = channels, .endings = endings,
                         .rows = rows};
}

/* Return the doubles of scratch that a block needs. */
EXPORT(scratch) int32_t page_scratch(const kw_push_turn *turn, int32_t channels, int32_t rows) {
    kw_push_job job = one_block(NULL, NULL, channels, 0, rows);
    return (int32_t)kw_push_scratch(turn, &job);
}

/* Solve a block of KW_LANES turns: payoff [channels][endings][lanes], value [channels][lanes]. */
EXPORT(solve)
void page_solve(const kw_push_turn *turn, double *payoff, int32_t *caps, int32_t channels, int32_t endings, int32_t rows,
                double *value, double *scratch) {
    kw_push_job job = one_block(payoff, caps, channels, endings, rows);
    job.value = value;
    kw_push_solve(turn, &job, 0, 1, scratch);
}

/* Compute the values of rolls in the block that was solved last, if the best choices follow.
 * rolls: [count][2] the number of a roll and the turn points. result: [count][channels][lanes]. */
EXPORT(throws)
void page_throws(const kw_push_turn *turn, double *payoff, int32_t *caps, int32_t channels, int32_t endings,
                 int32_t rows, double *scratch, int32_t count, const int32_t *rolls, double *result) {
    kw_push_job job = one_block(payoff, caps, channels, endings, rows);
    push_block block = init_block(turn, &job, scratch);
    for (int32_t n = 0; n < count; n++)
        for (int i = 0; i < KW_LANES; i += (int)(16 / sizeof(double))) {
            vec16 sum[KW_MAX_CHANNELS];
            expected_roll16(turn, &job, &block, channels, turn->forbid_above_cap, rolls[2 * n], rolls[2 * n + 1], i, NULL,
                            sum);
            for (int k = 0; k < channels; k++)
                store16(result + ((int64_t)n * channels + k) * KW_LANES + i, sum[k]);
        }
}
