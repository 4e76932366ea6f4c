/* The forward pass of a push-your-luck turn: probabilities of decision points and endings under given decisions.
 * See push_kernel.h for the turn. */
#ifndef KW_PUSH_WALK_H
#define KW_PUSH_WALK_H

#include "push_kernel.h"

typedef struct {
    const int16_t *decisions; /* [decision_rows][modes + classes][decision_lanes]; later rows are like the last one */
    const int32_t *cap;       /* [lanes] */
    int64_t lanes;
    int64_t decision_lanes;   /* `lanes`, or 1 if all lanes follow the same decisions */
    int32_t decision_rows;
    int32_t rows;             /* turn points 0 .. rows - 1 */
    double *visits;           /* NULL, or [modes][rows][lanes]: probability of each decision point; initially 0 */
    double *ends;             /* [endings][lanes]: probability of each ending; initially 0 */
} kw_push_path;

/* Return the doubles of scratch that a walk needs. */
int64_t kw_push_walk_scratch(const kw_push_turn *turn, const kw_push_path *path);

/* Add the probabilities to visits and ends. Return 0, with incomplete results, if a decision that is reached is not one of
 * the legal choices; 1 otherwise. */
int kw_push_walk(const kw_push_turn *turn, const kw_push_path *path, double *scratch);

#endif
