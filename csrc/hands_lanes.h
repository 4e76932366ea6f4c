/* The inner loops of hands_kernel.c. each_width.h includes this file once for each register width. */

/* Write the value of a roll in KW_LANES hands: the sum over roll classes of their weight times their best offer, over the
 * total.
 *
 * weight: [classes][KW_LANES]. total: [KW_LANES] sum of the weights, busts included, which are worth 0. offers:
 * [offers][KW_LANES] the
 * value of each offer: dice to set aside, or a bank. result: [KW_LANES] written. */
static void NAME(roll_value)(const kw_hand_choices *choices, const double *weight, const double *total, const double *offers,
                             double *result) {
    for (int lane = 0; lane < KW_LANES; lane += VEC_LANES) {
        const double *offer = offers + lane;
        vec sum = {0};
        for (int32_t first = 0; first < choices->classes; first += KW_SUM_PART) {
            int32_t last = first + KW_SUM_PART < choices->classes ? first + KW_SUM_PART : choices->classes;
            vec part = {0};
            for (int32_t c = first; c < last; c++) {
                const int32_t *choice = choices->choice + choices->choice_start[c];
                const int32_t *end = choices->choice + choices->choice_start[c + 1];
                vec best = load(offer + *choice * KW_LANES);
                while (++choice < end)
                    best = vec_max(best, load(offer + *choice * KW_LANES));
                part += load(weight + (int64_t)c * KW_LANES + lane) * best;
            }
            sum += part;
        }
        store(result + lane, sum / load(total + lane));
    }
}
