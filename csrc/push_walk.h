/* A push-your-luck turn walked forwards by given decisions. See push.pyx for the arrays. */
#ifndef KW_PUSH_WALK_H
#define KW_PUSH_WALK_H

#include "push_kernel.h"

typedef struct {
    const int16_t *decision; /* [told][modes + classes][stride]: what to do; rows past the last are like it */
    const int32_t *cap;      /* [lanes] */
    int64_t lanes;
    int64_t stride;          /* lanes; 1: every lane decides alike */
    int32_t told;
    int32_t rows;            /* points 0 .. rows-1 */
    double *visits;          /* NULL, or [modes][rows][lanes], zeros: the chance to come to each decision */
    double *ends;            /* [endings][lanes], zeros: the chance of each ending */
} kw_push_path;

/* Doubles of scratch that a walk needs. */
int64_t kw_push_walk_scratch(const kw_push_turn *turn, const kw_push_path *path);

/* 0 where a decision that is come to is none of the choices there are, and nothing is told then. */
int kw_push_walk(const kw_push_turn *turn, const kw_push_path *path, double *scratch);

#endif
