/* The push-your-luck kernel. See push.pyx for the arrays and docs/design.md for the equation. */
#ifndef KW_PUSH_KERNEL_H
#define KW_PUSH_KERNEL_H

#include <stdint.h>

#define KW_CHANNELS 8 /* most channels of one call */

typedef struct {
    int32_t modes;               /* decision points before a throw */
    int32_t specials;            /* endings 0 .. specials-1; ending 0 is the bust; bank endings follow */
    int32_t groups;              /* modes that lead into each other with points added, solved together */
    int32_t start;               /* the turn begins in this mode with no points in hand */
    int32_t forbid;              /* a choice past the cap may not be made (else: counts as the cap) */
    int32_t max_add;             /* most points one choice adds */
    int32_t over_passes;         /* passes that settle the modes that cannot bank, beyond the cap */
    const int32_t *group_start;  /* [groups + 1] into order */
    const int32_t *order;        /* [modes] in solving order */
    const int32_t *bank;         /* [modes] ending of stopping with no points, or -1 where stopping is not offered */
    const int32_t *bank_from;    /* [modes] fewest points with which stopping is offered */
    const int32_t *most;         /* [modes] most points that can be in hand there; rows above are not solved */
    const int32_t *throw_start;  /* [modes + 1] into throws: the ways to go on */
    const int32_t *class_start;  /* [throws + 1] into classes */
    const double *total;         /* [throws] sum of the weights of the classes */
    const double *weight;        /* [classes] ordered throws in the class, an exact integer */
    const int32_t *choice_start; /* [classes + 1] into choices */
    const int32_t *next;         /* [choices] mode, or modes + e for the special ending e */
    const int32_t *add;          /* [choices] points added; below 0: taken off, down to none */
    const int32_t *keeps;        /* [choices] 1: the points in hand stay, 0: they are lost */
} kw_push_turn;

typedef struct {
    const double *payoff;  /* [channels][endings][stride]; where banks slide, the special endings only */
    const int32_t *cap;    /* [stride]; from this many points on, only the row beyond the cap counts */
    int64_t stride;        /* lanes, a multiple of KW_LANES */
    int32_t channels;
    int32_t endings;
    int32_t rows;          /* points 0 .. rows-1 are tabled: at least the largest cap + max_add + 1 */
    double *value;         /* [channels][stride] */
    double *inner;         /* NULL, or [channels][modes][rows][stride]: the value before each throw */
    int16_t *decision;     /* NULL, or [rows][modes + classes][stride]: what to do; written, or read if follow */
    int32_t follow;        /* 1: make the given decisions instead of the best */
    const double *slide;   /* NULL, or [channels][width]: bank ending e pays lane l what stands at e - specials + l */
    int64_t width;
} kw_push_job;

/* Doubles of scratch that one block needs. */
int64_t kw_push_scratch(const kw_push_turn *turn, const kw_push_job *job);

/* Solve blocks first, first + step, first + 2 step, ... of the job's lanes. */
void kw_push_solve(const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch);

/* Bytes of the registers that this processor's kernels work with. */
int kw_push_registers(void);

#endif
