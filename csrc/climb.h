/* The turn in which points only grow until it ends, eight lanes at a time: what the race and the seats kernel share. See
 * turns/climb.py for the arrays and matches/push/race.py for why a certain stop need not be evaluated again. */
#ifndef KW_CLIMB_H
#define KW_CLIMB_H

#include <math.h>
#include <stdint.h>

#include "lanes.h"

#define KW_CLIMB_CHANNELS 8 /* value, slope with respect to a zero turn, and what is carried along */
#define KW_CLIMB_ENDINGS (1 + KW_CLIMB_CHANNELS) /* what a bust is worth, and a wiped score in every channel */

/* A turn in which every choice keeps the points in hand and adds some, every mode has one throw or none, and special
 * endings stand alone in their class: the turn of every game whose points only grow until a bust. */
typedef struct {
    int32_t modes;               /* decision points before a throw, at most 16 */
    int32_t start;               /* the turn begins in this mode with no points in hand */
    int32_t forbid;              /* points past the target may not be taken (else: they count as the last total) */
    int32_t max_add;             /* most points one choice adds */
    int32_t over_passes;         /* passes that settle the modes that cannot bank, beyond the cap */
    uint32_t banks;              /* bit per mode: stopping is offered, with points in hand */
    const int32_t *class_start;  /* [modes + 1] into the classes that lead on */
    const double *weight;        /* [classes] ordered throws in the class, an exact integer */
    const int32_t *choice_start; /* [classes + 1] into choices */
    const int32_t *leads;        /* [choices] (points added x modes + next mode) x KW_LANES: from this row of the table */
    const double *bust;          /* [modes] weight of the throws that end the turn without points, */
    const double *win;           /* [modes] that win at once, */
    const double *wipe;          /* [modes] that lose the whole score, */
    const double *total;         /* [modes] of all; 0: a mode without a throw */
    const int32_t *edge_start;   /* [modes + 1] into edges: where a throw can lead */
    const int32_t *edge_add;     /* [edges] points added */
    const uint16_t *edge_modes;  /* [edges] bit per mode */
} kw_climb;

/* Where stopping is certain, by row (the scores of the opponents) and total. */
typedef struct {
    int32_t width;        /* totals 0 .. width-1 are tabled; whoever holds more counts as width-1 */
    uint16_t *stops;      /* [rows][width] modes in which stopping at the total is best .. */
    double *stops_for;    /* [rows] .. for a bust worth this or less */
    const uint16_t *ends; /* [width] modes in which whoever has the total stops, whatever a bust is worth */
    double certain;       /* the certificate may be off by so much */
} kw_stops;

/* The turns of eight movers. */
typedef struct {
    int32_t a[KW_LANES];   /* the mover's score */
    int64_t row[KW_LANES]; /* the opponents' scores, as a row of what is certain */
    double counts[KW_LANES]; /* points from which a bank counts */
    int32_t counts_most;   /* the largest of these */
    int32_t top;           /* rows from here on are the cap */
    int32_t highest;       /* the highest row that the turn can come to */
    int32_t usable;        /* lanes whose certificate holds for this bust */
    int32_t tabled;        /* rows of stop that have been filled in */
    double bust[KW_LANES]; /* z: what a bust is worth */
    double value[KW_CLIMB_CHANNELS][KW_LANES];
    uint16_t *certain, *needed;        /* [rows] modes in which stopping is certain; modes that the turn can come to */
    double (*stop[KW_CLIMB_CHANNELS])[KW_LANES]; /* [rows] what a bank pays, but in channel 1, where it is 0 */
    int64_t (*stopped)[KW_LANES]; /* [rows][modes] not 0 where stopping was best */
} kw_side;

/* Doubles that a side of so many rows takes beside its table, and where in them everything stands. */
KW_INLINE int64_t kw_side_doubles(const kw_climb *turn, int64_t rows, int channels) {
    return rows * KW_LANES * (channels - 1 + turn->modes) + (rows + KW_LANES) / 2 / KW_LANES * KW_LANES + KW_LANES;
}

KW_INLINE void kw_side_space(const kw_climb *turn, kw_side *s, double *space, int64_t rows, int channels) {
    s->stop[0] = (double (*)[KW_LANES])space;
    s->stop[1] = NULL;
    for (int k = 2; k < channels; k++)
        s->stop[k] = s->stop[0] + (k - 1) * rows;
    s->stopped = (int64_t (*)[KW_LANES])(s->stop[0] + (channels - 1) * rows);
    s->certain = (uint16_t *)(s->stopped + rows * turn->modes);
    s->needed = s->certain + rows;
}

/* The total that a lane of a side stands at with t points in hand. */
KW_INLINE int32_t kw_total(const kw_stops *known, const kw_side *s, int l, int32_t t) {
    return s->a[l] + t < known->width ? s->a[l] + t : known->width - 1;
}

/* Which rows and modes the turn can come to, if it ends where stopping is certain for all lanes. */
KW_INLINE void kw_find_needed(const kw_climb *turn, const kw_stops *known, kw_side *s) {
    uint16_t all = (uint16_t)((1u << turn->modes) - 1);
    memset(s->needed, 0, (s->top + turn->max_add + 1) * sizeof(uint16_t));
    s->needed[0] = (uint16_t)(1u << turn->start);
    s->highest = 0;
    for (int32_t t = 0; t < s->top && t <= s->highest; t++) {
        uint16_t certain = t ? all : 0;
        for (int l = 0; l < KW_LANES && certain; l++) {
            int32_t total = kw_total(known, s, l, t);
            uint16_t here = known->ends[total];
            if (s->usable >> l & 1)
                here |= known->stops[s->row[l] * known->width + total];
            certain &= t < s->counts[l] ? 0 : here;
        }
        s->certain[t] = certain;
        uint16_t open = s->needed[t] & ~certain;
        for (int m = 0; open >> m; m++)
            if (open >> m & 1)
                for (int e = turn->edge_start[m]; e < turn->edge_start[m + 1]; e++) {
                    int32_t to = t + turn->edge_add[e];
                    s->needed[to] |= turn->edge_modes[e];
                    s->highest = to > s->highest ? to : s->highest;
                }
    }
    /* Modes that cannot bank go on among themselves beyond the cap, so there all of it is needed. */
    uint16_t forced = 0;
    for (int32_t t = s->top; t <= s->highest; t++)
        forced |= s->needed[t] & ~turn->banks;
    if (forced) {
        s->highest = s->top + turn->max_add - 1;
        for (int32_t t = s->top; t <= s->highest; t++)
            s->needed[t] = all;
    }
}

/* Lanes for which the certificate holds. */
KW_INLINE int32_t kw_usable(const kw_stops *known, const kw_side *s) {
    int32_t lanes = 0;
    for (int l = 0; l < KW_LANES; l++)
        lanes |= (s->bust[l] <= known->stops_for[s->row[l]] + known->certain) << l;
    return lanes;
}

/* Remember where stopping was best in one lane. */
KW_INLINE void kw_certify(const kw_climb *turn, kw_stops *known, const kw_side *s, int l) {
    int32_t a = s->a[l];
    int64_t row = s->row[l];
    uint16_t *stops = known->stops + row * known->width;
    if (!(s->usable >> l & 1))
        memset(stops + a + 1, 0, (known->width - a - 1) * sizeof(uint16_t));
    if (!(s->usable >> l & 1) || s->bust[l] < known->stops_for[row])
        known->stops_for[row] = s->bust[l];
    for (int32_t t = 1; t <= s->highest && t < s->top && a + t < known->width; t++) {
        uint16_t open = s->needed[t] & ~s->certain[t] & turn->banks;
        for (int m = 0; open >> m; m++)
            if (open >> m & 1 && s->stopped[t * turn->modes + m][l])
                stops[a + t] |= (uint16_t)(1u << m);
    }
}

#define KW_FILE "climb_lanes.h"
#include "each_width.h"

#endif
