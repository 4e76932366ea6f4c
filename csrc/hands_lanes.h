/* The inner loops of hands_kernel.c. each_width.h includes this file once for each register width. */

/* Write the value of a roll in KW_LANES hands: the sum over roll classes of their weight times their best offer, over the
 * total.
 *
 * possible, weight: [possible_count] the classes whose weight is not 0 in every lane, in ascending order, and
 * [possible_count][KW_LANES] their weights. Without the others no bit of the sum changes, since each would add 0.
 * total: [KW_LANES] sum of the weights, busts included, which are worth 0. offers: [offers][KW_LANES] the value of each
 * offer: dice to set aside, or a bank. result: [KW_LANES] written. */
static void NAME(roll_value)(const kw_hand_choices *choices, const int32_t *possible, int32_t possible_count,
                             const double *weight, const double *total, const double *offers, double *result) {
    for (int lane = 0; lane < KW_LANES; lane += VEC_LANES) {
        const double *offer = offers + lane;
        vec sum = {0};
        for (int32_t i = 0; i < possible_count;) {
            int32_t end_of_part = (possible[i] / KW_SUM_PART + 1) * KW_SUM_PART;
            vec part = {0};
            for (; i < possible_count && possible[i] < end_of_part; i++) {
                const int32_t *choice = choices->choice + choices->choice_start[possible[i]];
                const int32_t *end = choices->choice + choices->choice_start[possible[i] + 1];
                vec best = load(offer + *choice * KW_LANES);
                while (++choice < end)
                    best = vec_max(best, load(offer + *choice * KW_LANES));
                part += load(weight + (int64_t)i * KW_LANES + lane) * best;
            }
            sum += part;
        }
        store(result + lane, sum / load(total + lane));
    }
}
