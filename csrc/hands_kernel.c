/* See hands_kernel.h. */
#include "hands_kernel.h"

#include <math.h>

#define KW_SUM_PART 64 /* classes that are added up by themselves, which keeps rounding errors small */
#define KW_FILE "hands_lanes.h"
#include "each_width.h"

#define KW_STOP_MARGIN (1 + 0x1p-30) /* more than the rounding of what rolling is worth at most */

/* KW_LANES hands that are solved together. Arrays of doubles have the further axis [KW_LANES] at their end. A mode is a set
 * of dice that are rolled, as a mask: bit i for die i. */
typedef struct {
    const kw_hand_tables *tables;
    const kw_hand_banks *banks;
    /* Rows of turn points of a mode that are stored, a power of 2. The row of t is t & (ring - 1), which overwrites a row
     * that no choice leads to any more. For bounds it is the number of rows of the grid, all of which are stored. */
    int32_t ring;
    int32_t masks;                        /* 2 ** dice */
    int32_t level;                        /* modes of fewer dice stop */
    double excess;                        /* the largest V - b of the rows that are solved */
    int32_t same_mode[1 << KW_MAX_HAND];  /* by mask, the mode of dice that are alike */
    double *weight[1 << KW_MAX_HAND];     /* by mode, [classes] */
    double *merged[1 << KW_MAX_HAND];     /* by mode, [possible_count]: weights of the classes of its kw_hand_choices */
    int32_t *possible[1 << KW_MAX_HAND];  /* by mode, [possible_count]: the classes whose weight is not 0 in every lane */
    int32_t possible_count[1 << KW_MAX_HAND];
    double *value[1 << KW_MAX_HAND];      /* by mode, [ring] */
    double *total, *bust_share, *mean;    /* by mode: total weight, probability of a bust, average of the most points */
    double *offers;                       /* [offers] */
    /* roll_value for the widest registers of this processor. */
    void (*roll_value)(const kw_hand_choices *, const int32_t *, int32_t, const double *, const double *, const double *,
                       double *);
} block_of_hands;

/* The rows of turn points that are solved for a bound. */
typedef struct {
    const int32_t *points; /* [last] in ascending order */
    int32_t last;          /* the last row */
    int64_t last_points;   /* its turn points, more than those of the others: all modes stop from there on */
} row_grid;

/* Return the row of a mode with `points` turn points: [KW_LANES] values of V. */
static double *row_of(const block_of_hands *block, int32_t mode, int64_t points) {
    return block->value[mode] + (points & (block->ring - 1)) * KW_LANES;
}

/* Write the same value to all lanes. */
static void fill_lanes(double *lanes, double value) {
    for (int l = 0; l < KW_LANES; l++)
        lanes[l] = value;
}

/* Return whether a value is 0 in every lane. */
static int is_zero(const double *lanes) {
    for (int l = 0; l < KW_LANES; l++)
        if (lanes[l] != 0)
            return 0;
    return 1;
}

/* Return the number of bits set in a mask, which is the number of dice in a mode. */
static int count_dice(int32_t mask) {
    int count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* Return how many rows of turn points a mode stores: the smallest power of 2 above the most points that a choice adds. */
static int32_t ring_size(const kw_hand_tables *tables) {
    int32_t size = 2;
    while (size <= tables->max_points)
        size *= 2;
    return size;
}

/* Return the largest number of offers of any number of dice and level. */
static int32_t max_offers(const kw_hand_tables *tables) {
    int32_t most = 0;
    for (int k = 1; k <= tables->dice; k++)
        for (int level = 1; level <= tables->dice; level++)
            if (tables->choices[k][level].offers > most)
                most = tables->choices[k][level].offers;
    return most;
}

/* Return the most rows of a first lap with any number of dice. */
static int32_t most_rows(const kw_hand_lap *laps, int dice) {
    int32_t most = 0;
    for (int k = 1; k <= dice; k++)
        if (laps[k].rows > most)
            most = laps[k].rows;
    return most;
}

/* Return the blocks of KW_LANES doubles that hold the numbers of so many classes. */
static int64_t blocks_of_numbers(int64_t classes) {
    return (classes * (int64_t)sizeof(int32_t) - 1) / (KW_LANES * (int64_t)sizeof(double)) + 1;
}

/* Return the doubles of scratch that a block takes if `stored` rows of each mode are stored. */
static int64_t count_scratch(const kw_hand_tables *tables, int32_t stored) {
    int64_t blocks = max_offers(tables); /* of KW_LANES doubles each */
    for (int32_t mask = 1; mask < 1 << tables->dice; mask++) {
        int64_t classes = tables->rolls[count_dice(mask)].classes;
        blocks += 2 * classes + blocks_of_numbers(classes) + stored + 3; /* weight and merged; possible; value; 3 means */
    }
    return (blocks + 3) * KW_LANES; /* total, bust_share and mean of the empty mask */
}

int64_t kw_hands_scratch(const kw_hand_tables *tables) {
    return count_scratch(tables, ring_size(tables));
}

int64_t kw_hands_bound_scratch(const kw_hand_tables *tables, int32_t grid_size) {
    return count_scratch(tables, grid_size + 1); /* the row from which all stop is one more */
}

int64_t kw_hands_lap_scratch(const kw_hand_tables *tables, const kw_hand_lap *laps) {
    return count_scratch(tables, most_rows(laps, tables->dice));
}

/* Return the mask that stands for all masks with equally many of each kind of dice: the dice of a mask, moved to the lowest
 * positions among dice that are alike. Modes with the same such mask have the same value, so only one is solved.
 * is_alike: [dice] 1 if a die has the weights of the die before it. */
static int32_t lowest_dice(int32_t mask, int dice, const uint8_t *is_alike) {
    for (int pass = 0; pass < dice; pass++)
        for (int die = dice - 1; die > 0; die--)
            if (is_alike[die] && mask >> die & 1 && !(mask >> (die - 1) & 1))
                mask ^= 3 << (die - 1);
    return mask;
}

/* Return base to the power of a whole number. */
static int64_t integer_power(int64_t base, int exponent) {
    int64_t power = 1;
    while (exponent-- > 0)
        power *= base;
    return power;
}

/* Add the weight of every roll of some dice to its roll class, or to the rolls that bust.
 *
 * of_die: [dice] the weights of the faces of each die, [faces][KW_LANES]. class_weight: [classes][KW_LANES] and bust_weight:
 * [KW_LANES], added to.
 *
 * Rolls are listed like numbers whose digits are faces, the first die first. product[i] is the weight of the first i dice;
 * only the products from the first digit that changed are computed again. If a product is 0, the rolls that begin so are
 * impossible, and left out. */
KW_WIDE static void add_roll_weights(const kw_hand_rolls *rolls, int dice, int faces, const double **of_die,
                             double *class_weight, double *bust_weight) {
    double product[KW_MAX_HAND + 1][KW_LANES];
    int face[KW_MAX_HAND] = {0}; /* of every die but the last, whose faces the inner loop goes through */
    for (int l = 0; l < KW_LANES; l++)
        product[0][l] = 1;
    const int32_t *class_of_roll = rolls->class_of_roll;
    for (int changed = 0; changed >= 0;) {
        int die = changed;
        for (; die < dice - 1; die++) {
            for (int l = 0; l < KW_LANES; l++)
                product[die + 1][l] = product[die][l] * of_die[die][face[die] * KW_LANES + l];
            if (is_zero(product[die + 1]))
                break;
        }
        if (die < dice - 1) {
            class_of_roll += integer_power(faces, dice - 1 - die); /* the faces of all dice after this one are 0 */
            changed = die;
        } else {
            const double *last = of_die[dice - 1];
            for (int f = 0; f < faces; f++) {
                int32_t c = *class_of_roll++;
                double *sum = c < 0 ? bust_weight : class_weight + (int64_t)c * KW_LANES;
                for (int l = 0; l < KW_LANES; l++)
                    sum[l] += product[dice - 1][l] * last[f * KW_LANES + l];
            }
            changed = dice - 2;
        }
        for (; changed >= 0 && ++face[changed] == faces; changed--)
            face[changed] = 0;
    }
}

/* Compute the weights of the roll classes of a mode, the total weight of its rolls, the probability of a bust, and the
 * average of the most points that a roll adds. weight: [dice][faces][KW_LANES] the weight of each face of each die. */
static void weigh_mode(block_of_hands *block, int32_t mode, const double *weight) {
    const kw_hand_tables *tables = block->tables;
    const int faces = tables->faces;
    const double *of_die[KW_MAX_HAND]; /* of the dice that are rolled */
    int dice = 0;
    for (int die = 0; die < tables->dice; die++)
        if (mode >> die & 1)
            of_die[dice++] = weight + (int64_t)die * faces * KW_LANES;
    const kw_hand_rolls *rolls = &tables->rolls[dice];
    double *class_weight = block->weight[mode];
    memset(class_weight, 0, sizeof(double) * rolls->classes * KW_LANES);
    double *total = block->total + mode * KW_LANES, *bust = block->bust_share + mode * KW_LANES;
    double *mean = block->mean + mode * KW_LANES;
    for (int l = 0; l < KW_LANES; l++) {
        total[l] = 1;
        bust[l] = mean[l] = 0;
    }
    for (int die = 0; die < dice; die++) /* the total weight is the product of the sums of the dice */
        for (int l = 0; l < KW_LANES; l++) {
            double sum = 0;
            for (int f = 0; f < faces; f++)
                sum += of_die[die][f * KW_LANES + l];
            total[l] *= sum;
        }
    add_roll_weights(rolls, dice, faces, of_die, class_weight, bust);
    for (int32_t c = 0; c < rolls->classes; c++)
        for (int l = 0; l < KW_LANES; l++)
            mean[l] += class_weight[(int64_t)c * KW_LANES + l] * rolls->best_points[c];
    for (int l = 0; l < KW_LANES; l++) { /* weights become a probability and an average */
        bust[l] /= total[l];
        mean[l] /= total[l];
    }
}

/* Return what a bank with `points` turn points is worth: 0 if they are too few to bank, otherwise the points, at most the
 * goal. */
static double bank_value(const kw_hand_banks *banks, int64_t points) {
    if (points < banks->min_bank)
        return 0;
    return (double)points < banks->goal ? (double)points : banks->goal;
}

/* Return whether stopping is best in a mode in all lanes, with turn points whose bank is worth `bank`.
 *
 * excess: the most by which V exceeds the bank, in all modes and at all larger numbers of turn points. By hands_kernel.h
 * rolling is worth at most (1 - bust) (bank + excess) + mean. That is no more than the bank if
 *
 *     mean + (1 - bust) excess <= bust bank.
 *
 * KW_STOP_MARGIN raises the left side by more than its rounding, so a mode that is found to stop does stop. */
static int is_stop_best(const block_of_hands *block, int32_t mode, double bank, double excess) {
    for (int l = 0; l < KW_LANES; l++) {
        double bust = block->bust_share[mode * KW_LANES + l], mean = block->mean[mode * KW_LANES + l];
        if (!((mean + (1 - bust) * excess) * KW_STOP_MARGIN <= bust * bank))
            return 0;
    }
    return 1;
}

/* Return how many rows of turn points to solve, or -1 if they are more than max_rows. Beyond them stopping is best in every
 * mode of all lanes.
 *
 * A roll with t points adds `mean` and loses t with probability `bust`, so stopping is best if t bust >= mean, provided that
 * t may be banked. KW_STOP_MARGIN raises the quotient by more than its rounding. Once a bank reaches the goal, stopping is
 * best too. The rows are 0 .. the least such t, rounded up. */
static int64_t count_rows(const block_of_hands *block) {
    const kw_hand_banks *banks = block->banks;
    double all_stop = banks->min_bank; /* turn points from which all stop */
    for (int32_t mode = 1; mode < block->masks; mode++) {
        if (block->same_mode[mode] != mode)
            continue;
        for (int l = 0; l < KW_LANES; l++) {
            double points = block->mean[mode * KW_LANES + l] * KW_STOP_MARGIN / block->bust_share[mode * KW_LANES + l];
            if (!(points < all_stop)) /* infinite if the mode never busts */
                all_stop = points;
        }
    }
    if (!(all_stop < banks->goal))
        all_stop = banks->goal > banks->min_bank ? banks->goal : banks->min_bank;
    return all_stop < banks->max_rows ? (int64_t)ceil(all_stop) + 1 : -1;
}

/* Sum the weights of the merged roll classes of a mode for a level: other classes have equal choices at another level. Then
 * list those that are possible in some lane. */
static void merge_classes(block_of_hands *block, int32_t mode, int dice, int level) {
    const kw_hand_choices *choices = &block->tables->choices[dice][level];
    double *merged = block->merged[mode];
    memset(merged, 0, sizeof(double) * choices->classes * KW_LANES);
    for (int32_t c = 0; c < block->tables->rolls[dice].classes; c++)
        for (int l = 0; l < KW_LANES; l++)
            merged[(int64_t)choices->merged[c] * KW_LANES + l] += block->weight[mode][(int64_t)c * KW_LANES + l];
    int32_t count = 0;
    for (int32_t c = 0; c < choices->classes; c++) {
        const double *of_class = merged + (int64_t)c * KW_LANES;
        if (is_zero(of_class))
            continue;
        block->possible[mode][count] = c;
        memmove(merged + (int64_t)count++ * KW_LANES, of_class, sizeof(double) * KW_LANES);
    }
    block->possible_count[mode] = count;
}

/* Lower the level of a block, for fewer than `solved_from` turn points: only modes of fewer than `level` dice still stop.
 *
 * Modes that stopped until now have no rows yet. They get the value of a bank in all rows that a choice can lead to: the
 * max_points rows from `solved_from` on. */
static void set_level(block_of_hands *block, int level, int64_t solved_from) {
    for (int32_t mode = 1; mode < block->masks; mode++) {
        int dice = count_dice(mode);
        if (block->same_mode[mode] != mode || dice < level)
            continue;
        merge_classes(block, mode, dice, level);
        if (dice >= block->level) /* it did not stop, so its rows are solved */
            continue;
        for (int64_t points = solved_from; points < solved_from + block->tables->max_points; points++)
            fill_lanes(row_of(block, mode, points), bank_value(block->banks, points));
    }
    block->level = level;
}

/* Return the level with `points` turn points: the smallest number of dice with which rolling may be best in some lane, at
 * most block->level. excess: see is_stop_best. The level only falls, because with fewer turn points rolling is never less
 * attractive. */
static int find_level(const block_of_hands *block, int64_t points, double excess) {
    if (points < block->banks->min_bank)
        return 1; /* without a bank all roll */
    double bank = bank_value(block->banks, points);
    int smallest = block->level;
    for (int32_t mode = 1; mode < block->masks; mode++) {
        int dice = count_dice(mode);
        if (dice < smallest && block->same_mode[mode] == mode && !is_stop_best(block, mode, bank, excess))
            smallest = dice;
    }
    return smallest;
}

/* Write for each mask over the dice that a mode rolls, bit i for the i-th of them, the same dice as a mask over the hand:
 * hand_mask[2 ** number of these dice]. */
static void list_hand_masks(int32_t mode, int dice_of_hand, int32_t *hand_mask) {
    hand_mask[0] = 0;
    int rolled = 0; /* the dice before this one that are rolled; their masks are written */
    for (int die = 0; die < dice_of_hand; die++)
        if (mode >> die & 1) {
            for (int32_t mask = 0; mask < 1 << rolled; mask++)
                hand_mask[mask + (1 << rolled)] = hand_mask[mask] | 1 << die;
            rolled++;
        }
}

/* Write to block->offers what each offer of a mode is worth with `points` turn points: a bank, or the value of rolling the
 * dice that are left with more points. If no dice are left, all dice are rolled again. */
static void collect_offers(block_of_hands *block, int32_t mode, const kw_hand_choices *choices, int64_t points) {
    int32_t hand_mask[1 << KW_MAX_HAND]; /* offer_mask counts the dice that are rolled, a mode the dice of the hand */
    list_hand_masks(mode, block->tables->dice, hand_mask);
    for (int32_t o = 0; o < choices->offers; o++) {
        int64_t after = points + choices->offer_points[o];
        double *offer = block->offers + (int64_t)o * KW_LANES;
        if (choices->offer_mask[o] < 0) {
            fill_lanes(offer, bank_value(block->banks, after));
            continue;
        }
        int32_t rest = mode & ~hand_mask[choices->offer_mask[o]];
        int32_t next = block->same_mode[rest ? rest : block->masks - 1];
        memcpy(offer, row_of(block, next, after), sizeof(double) * KW_LANES);
    }
}

/* Let the arrays of a block point into scratch, of count_scratch doubles. stored: the rows of each mode that are stored. */
static void lay_out_block(block_of_hands *block, const kw_hand_tables *tables, const kw_hand_banks *banks, int32_t stored,
                          double *scratch) {
    block->tables = tables;
    block->banks = banks;
    block->ring = stored;
    block->masks = 1 << tables->dice;
    block->level = tables->dice + 1; /* all modes stop, until the level is lowered */
    block->excess = 0;
    block->roll_value = KW_PICK(roll_value);
    block->total = scratch;
    block->bust_share = block->total + block->masks * KW_LANES;
    block->mean = block->bust_share + block->masks * KW_LANES;
    scratch = block->mean + block->masks * KW_LANES;
    for (int32_t mode = 1; mode < block->masks; mode++) {
        int64_t classes = tables->rolls[count_dice(mode)].classes;
        block->weight[mode] = scratch;
        block->merged[mode] = scratch + classes * KW_LANES;
        block->value[mode] = block->merged[mode] + classes * KW_LANES;
        scratch = block->value[mode] + (int64_t)block->ring * KW_LANES;
        block->possible[mode] = (int32_t *)scratch;
        scratch += blocks_of_numbers(classes) * KW_LANES;
    }
    block->offers = scratch;
}

/* Compute the weights of all modes of a block, and write by lane the smallest probability of a bust, [KW_LANES]. */
static void weigh_modes(block_of_hands *block, const double *weight, const uint8_t *is_alike, double *bust) {
    fill_lanes(bust, 1);
    for (int32_t mask = 0; mask < block->masks; mask++) {
        block->same_mode[mask] = lowest_dice(mask, block->tables->dice, is_alike);
        if (!mask || block->same_mode[mask] != mask)
            continue;
        weigh_mode(block, mask, weight);
        for (int l = 0; l < KW_LANES; l++)
            if (block->bust_share[mask * KW_LANES + l] < bust[l])
                bust[l] = block->bust_share[mask * KW_LANES + l];
    }
}

/* Write the value of a mode, [KW_LANES], from block->offers: a roll, or a bank that is worth `bank` if that is more. */
static void choose_roll_or_bank(block_of_hands *block, int32_t mode, const kw_hand_choices *choices, double bank,
                                double *value) {
    block->roll_value(choices, block->possible[mode], block->possible_count[mode], block->merged[mode],
                      block->total + mode * KW_LANES, block->offers, value);
    for (int l = 0; l < KW_LANES; l++) {
        if (!(value[l] > bank))
            value[l] = bank;
        if (value[l] - bank > block->excess)
            block->excess = value[l] - bank;
    }
}

/* Return whether a mode has to be solved with `points` turn points. Modes that stop have not, nor those that others stand
 * for. With no turn points only the first roll, of all dice, has. */
static int is_solved(const block_of_hands *block, int32_t mode, int dice, int64_t points) {
    return dice >= block->level && block->same_mode[mode] == mode && (points || mode == block->masks - 1);
}

int64_t kw_hands_solve(const kw_hand_tables *tables, const kw_hand_banks *banks, const double *weight,
                       const uint8_t *is_alike, double *value, double *bust, double *scratch) {
    block_of_hands block;
    lay_out_block(&block, tables, banks, ring_size(tables), scratch);
    weigh_modes(&block, weight, is_alike, bust);
    int64_t rows = count_rows(&block);
    if (rows < 0) {
        fill_lanes(value, NAN);
        return -1;
    }
    for (int64_t points = rows - 1; points >= 0; points--) {
        int level = find_level(&block, points, block.excess);
        if (level < block.level)
            set_level(&block, level, points + 1);
        for (int32_t mode = 1; mode < block.masks; mode++) {
            int dice = count_dice(mode);
            if (!is_solved(&block, mode, dice, points))
                continue;
            const kw_hand_choices *choices = &tables->choices[dice][block.level];
            collect_offers(&block, mode, choices, points);
            choose_roll_or_bank(&block, mode, choices, bank_value(banks, points), row_of(&block, mode, points));
        }
    }
    memcpy(value, block.value[block.masks - 1], sizeof(double) * KW_LANES);
    return rows;
}

/* Return the turn points of a row of a grid. */
static int64_t points_of_row(const row_grid *grid, int32_t row) {
    return row < grid->last ? grid->points[row] : grid->last_points;
}

/* Return the last of the rows from `row` on that has at most `points` turn points, which row itself has. */
static int32_t find_row(const row_grid *grid, int32_t row, int64_t points) {
    int32_t end = grid->last + 1; /* the row sought is before it */
    while (end - row > 1) {
        int32_t middle = row + (end - row) / 2;
        if (points_of_row(grid, middle) <= points)
            row = middle;
        else
            end = middle;
    }
    return row;
}

/* Write an upper bound of the value of a mode with `points` turn points, [KW_LANES].
 *
 * solved: the row being solved. Its points are at most `points`, and the rows after it are solved. Of this row the modes of
 * fewer dice are solved, but that of all dice is not. */
static void bound_value(const block_of_hands *block, const row_grid *grid, int32_t mode, int64_t points, int32_t solved,
                        double *bound) {
    int32_t row = find_row(grid, solved, points);
    if (row == grid->last) {
        fill_lanes(bound, bank_value(block->banks, points));
        return;
    }
    const double *low = block->value[mode] + (int64_t)row * KW_LANES, *high = low + KW_LANES;
    double width = (double)(points_of_row(grid, row + 1) - points_of_row(grid, row));
    double of_high = (double)(points - points_of_row(grid, row)) / width;
    double of_low = (double)(points_of_row(grid, row + 1) - points) / width;
    if (row == solved && mode == block->masks - 1) { /* V rises with the points */
        memcpy(bound, high, sizeof(double) * KW_LANES);
        return;
    }
    for (int l = 0; l < KW_LANES; l++)
        bound[l] = of_low * low[l] + of_high * high[l];
}

/* Write to block->offers upper bounds of what each offer of a mode is worth in a row of a grid; see collect_offers. */
static void bound_offers(block_of_hands *block, const row_grid *grid, int32_t mode, const kw_hand_choices *choices,
                         int32_t row) {
    int32_t hand_mask[1 << KW_MAX_HAND];
    list_hand_masks(mode, block->tables->dice, hand_mask);
    for (int32_t o = 0; o < choices->offers; o++) {
        int64_t after = points_of_row(grid, row) + choices->offer_points[o];
        double *offer = block->offers + (int64_t)o * KW_LANES;
        if (choices->offer_mask[o] < 0) {
            fill_lanes(offer, bank_value(block->banks, after));
            continue;
        }
        int32_t rest = mode & ~hand_mask[choices->offer_mask[o]];
        bound_value(block, grid, block->same_mode[rest ? rest : block->masks - 1], after, row, offer);
    }
}

/* Lower the level of a block of bounds: only modes of fewer than `level` dice still stop. */
static void set_bound_level(block_of_hands *block, int level) {
    for (int32_t mode = 1; mode < block->masks; mode++)
        if (block->same_mode[mode] == mode && count_dice(mode) >= level)
            merge_classes(block, mode, count_dice(mode), level);
    block->level = level;
}

int64_t kw_hands_bound(const kw_hand_tables *tables, const kw_hand_banks *banks, const int32_t *grid_points,
                       int32_t grid_size, const double *weight, const uint8_t *is_alike, double *bound, double *bust,
                       double *scratch) {
    block_of_hands block;
    lay_out_block(&block, tables, banks, grid_size + 1, scratch);
    weigh_modes(&block, weight, is_alike, bust);
    int64_t rows = count_rows(&block);
    if (rows < 0) {
        fill_lanes(bound, INFINITY);
        return -1;
    }
    row_grid grid = {grid_points, 0, rows - 1};
    while (grid.last < grid_size && grid_points[grid.last] < rows - 1)
        grid.last++;
    for (int32_t mode = 1; mode < block.masks; mode++) /* all modes stop, until the level is lowered */
        for (int32_t row = 0; row <= grid.last; row++)
            fill_lanes(block.value[mode] + (int64_t)row * KW_LANES, bank_value(banks, points_of_row(&grid, row)));
    for (int32_t row = grid.last; row >= 0; row--) {
        int64_t points = points_of_row(&grid, row);
        /* Modes of too few dice to roll lead to each other, or to all dice. V of all dice is at most that in the next row. So
         * it exceeds the bank by no more than in that row, and the points in between. */
        int64_t between = row < grid.last ? points_of_row(&grid, row + 1) - points - 1 : 0;
        int level = find_level(&block, points, block.excess + (double)between);
        if (level < block.level)
            set_bound_level(&block, level);
        for (int32_t mode = 1; mode < block.masks; mode++) {
            int dice = count_dice(mode);
            if (!is_solved(&block, mode, dice, points))
                continue;
            const kw_hand_choices *choices = &tables->choices[dice][block.level];
            bound_offers(&block, &grid, mode, choices, row);
            choose_roll_or_bank(&block, mode, choices, bank_value(banks, points),
                                block.value[mode] + (int64_t)row * KW_LANES);
        }
    }
    memcpy(bound, block.value[block.masks - 1], sizeof(double) * KW_LANES);
    return rows;
}

/* Write to block->offers W of each offer of a mode in a row of a lap: that of the dice that are left, or M if none are. */
static void collect_lap_offers(block_of_hands *block, const kw_hand_lap *lap, int32_t mode, const kw_hand_choices *choices,
                               int32_t row, double excess) {
    const double goal = block->banks->goal;
    int32_t hand_mask[1 << KW_MAX_HAND];
    list_hand_masks(mode, block->tables->dice, hand_mask);
    for (int32_t o = 0; o < choices->offers; o++) {
        double *offer = block->offers + (int64_t)o * KW_LANES;
        int32_t next_row = lap->next_row[(int64_t)row * choices->offers + o];
        if (next_row < 0) {
            double most = (double)(lap->points[row] + choices->offer_points[o]) + excess;
            fill_lanes(offer, most < goal ? most : goal);
            continue;
        }
        int32_t next = block->same_mode[mode & ~hand_mask[choices->offer_mask[o]]];
        memcpy(offer, block->value[next] + (int64_t)next_row * KW_LANES, sizeof(double) * KW_LANES);
    }
}

int64_t kw_hands_lap_bound(const kw_hand_tables *tables, const kw_hand_lap *laps, const kw_hand_banks *banks, double excess,
                           const double *weight, const uint8_t *is_alike, double *bound, double *scratch) {
    block_of_hands block;
    double bust[KW_LANES];
    lay_out_block(&block, tables, banks, most_rows(laps, tables->dice), scratch);
    weigh_modes(&block, weight, is_alike, bust);
    int64_t rows = count_rows(&block);
    if (rows < 0) {
        fill_lanes(bound, INFINITY);
        return -1;
    }
    for (int dice = 1; dice <= tables->dice; dice++) /* fewer dice first: more dice lead to them */
        for (int32_t mode = 1; mode < block.masks; mode++) {
            if (block.same_mode[mode] != mode || count_dice(mode) != dice)
                continue;
            const kw_hand_choices *choices = &tables->choices[dice][1];
            merge_classes(&block, mode, dice, 1);
            for (int32_t row = 0; row < laps[dice].rows; row++) {
                double points = laps[dice].points[row];
                collect_lap_offers(&block, &laps[dice], mode, choices, row, excess);
                choose_roll_or_bank(&block, mode, choices, points < banks->goal ? points : banks->goal,
                                    block.value[mode] + (int64_t)row * KW_LANES);
            }
        }
    memcpy(bound, block.value[block.masks - 1], sizeof(double) * KW_LANES);
    return rows;
}
