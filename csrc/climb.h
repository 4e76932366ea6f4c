/* The turn in which points only grow until it ends, eight lanes at a time: what the race and the seats kernel share. See
 * turns/monotone_turn.py for the arrays and solvers/push/race_solver.py for why a certain stop need not be evaluated again. */
#ifndef KW_CLIMB_H
#define KW_CLIMB_H

#include <math.h>
#include <stdint.h>

#include "lanes.h"

#define KW_CLIMB_CHANNELS 8 /* value, slope with respect to a zero turn, and what is carried along */
#define KW_MOST_MODES 64

/* A turn in which every choice keeps the points in hand and adds some, every mode has one throw or none, and special
 * endings stand alone in their class: the turn of every game whose points only grow until a bust. */
typedef struct {
    int32_t modes;               /* decision points before a throw, at most KW_MOST_MODES */
    uint64_t starts;             /* bit per mode: the turn begins in the best of these with no points in hand */
    int32_t forbid;              /* points past the target may not be taken (else: they count as the last total) */
    int32_t max_add;             /* most points one choice adds */
    int32_t over_passes;         /* passes that settle the modes that cannot bank, beyond the cap */
    uint64_t banks;              /* bit per mode: stopping is offered, with points in hand */
    const int32_t *class_start;  /* [modes + 1 or 1][modes + 1] into the classes that lead on, by how many of the first modes stop in all
                                  * rows above: choices that lead there are worth more the more they add, so one is weighed */
    const double *weight;        /* [classes] ordered throws in the class, an exact integer */
    const int32_t *choice_start; /* [classes + 1] into choices */
    const int32_t *leads;        /* [choices] (points added x modes + next mode) x KW_LANES: from this row of the table */
    const double *bust;          /* [modes] weight of the throws that end the turn without points, */
    const double *win;           /* [modes] that win at once, */
    const double *wipe;          /* [modes] that lose the whole score, */
    const double *total;         /* [modes] of all; 0: a mode without a throw */
    const int32_t *edge_start;   /* [modes + 1] into edges: where a throw can lead */
    const int32_t *edge_add;     /* [edges] points added, from the fewest up */
    const uint64_t *edge_modes;  /* [edges] bit per mode */
} kw_climb;

/* Where stopping is certain, by row (the scores of the opponents) and total. */
typedef struct {
    int32_t width;        /* totals 0 .. width-1 are tabled; whoever holds more counts as width-1 */
    int32_t wide;         /* sets of modes are kept in 64 bits, not 16 */
    void *stops;          /* [rows][width] modes in which stopping at the total is best .. */
    double *stops_for;    /* [rows] .. for a bust worth this or less */
    const uint64_t *ends; /* [width] modes in which whoever has the total stops, whatever a bust is worth */
    double certain;       /* the certificate may be off by so much */
} kw_stops;

/* What a turn pays where it ends without a bank: the endings of a bust, of a wiped score and of a stop that does not count,
 * by channel. A win pays 1 in channel 0. */
enum { KW_BUST, KW_WIPE, KW_PASS, KW_ENDINGS };
typedef double kw_endings[KW_ENDINGS][KW_CLIMB_CHANNELS][KW_LANES];

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
    int32_t fewer;         /* what a bank pays grows with the points: of choices that lead to certain stops one is weighed */
    int32_t apart;         /* what a bank pays depends on the mode: stop has rows x modes entries, not rows */
    double bust[KW_LANES]; /* z: what a zero turn is worth */
    double value[KW_CLIMB_CHANNELS][KW_LANES];
    uint64_t *certain, *needed;        /* [rows] modes in which stopping is certain; modes that the turn can come to */
    double (*stop[KW_CLIMB_CHANNELS])[KW_LANES]; /* [rows] what a bank pays, but in channel 1, where it is 0 */
    double (*thrown[KW_CLIMB_CHANNELS])[KW_LANES]; /* [rows][modes] what throwing on is worth, where that is asked for */
    uint64_t (*stopped)[KW_LANES]; /* [rows] modes in which stopping was best */
} kw_side;

/* Doubles that a side of so many rows takes beside its table, and where in them everything stands. */
KW_INLINE int64_t kw_side_doubles(const kw_climb *turn, int64_t rows, int channels, int apart) {
    int64_t stops = apart ? turn->modes : 1, thrown = apart ? (int64_t)channels * turn->modes : 0;
    return rows * KW_LANES * ((channels - 1) * stops + thrown + 1) + (2 * rows + KW_LANES) / KW_LANES * KW_LANES + KW_LANES;
}

KW_INLINE void kw_side_space(const kw_climb *turn, kw_side *s, double *space, int64_t rows, int channels, int apart) {
    double (*at)[KW_LANES] = (double (*)[KW_LANES])space;
    s->apart = apart;
    s->fewer = 0;
    for (int k = 0; k < channels; k++) {
        s->stop[k] = k == 1 ? NULL : at;
        at += k == 1 ? 0 : apart ? rows * turn->modes : rows;
        s->thrown[k] = NULL;
    }
    for (int k = 0; apart && k < channels; k++, at += rows * turn->modes)
        s->thrown[k] = at;
    s->stopped = (uint64_t (*)[KW_LANES])at;
    s->certain = (uint64_t *)(s->stopped + rows);
    s->needed = s->certain + rows;
}

/* The total that a lane of a side stands at with t points in hand. */
KW_INLINE int32_t kw_total(const kw_stops *known, const kw_side *s, int l, int32_t t) {
    return s->a[l] + t < known->width ? s->a[l] + t : known->width - 1;
}

KW_INLINE uint64_t kw_all(const kw_climb *turn) { return ~(uint64_t)0 >> (KW_MOST_MODES - turn->modes); }

KW_INLINE uint64_t kw_stops_at(const kw_stops *known, int64_t cell) {
    return known->wide ? ((const uint64_t *)known->stops)[cell] : ((const uint16_t *)known->stops)[cell];
}

/* All of a turn is needed, from no points in hand to beyond the cap. */
KW_INLINE void kw_need_all(const kw_climb *turn, kw_side *s) {
    s->highest = s->top + turn->max_add;
    for (int32_t t = 0; t <= s->highest; t++)
        s->certain[t] = 0, s->needed[t] = kw_all(turn);
}

/* Which rows and modes the turn can come to, if it ends where stopping is certain for all lanes. */
KW_INLINE void kw_find_needed(const kw_climb *turn, const kw_stops *known, kw_side *s) {
    uint64_t all = kw_all(turn);
    memset(s->needed, 0, (s->top + turn->max_add + 1) * sizeof(uint64_t));
    s->needed[0] = turn->starts;
    s->highest = 0;
    for (int32_t t = 0; t < s->top && t <= s->highest; t++) {
        uint64_t certain = t ? all : 0;
        for (int l = 0; l < KW_LANES && certain; l++) {
            int32_t total = kw_total(known, s, l, t);
            uint64_t here = known->ends[total];
            if (s->usable >> l & 1)
                here |= kw_stops_at(known, s->row[l] * known->width + total);
            certain &= t < s->counts[l] ? 0 : here;
        }
        s->certain[t] = certain;
        uint64_t open = s->needed[t] & ~certain, *needed = s->needed + t;
        for (int m = 0; m < turn->modes && open >> m; m++) {
            int32_t first = turn->edge_start[m], last = turn->edge_start[m + 1]; /* the last adds most */
            if (!(open >> m & 1) || first == last)
                continue;
            for (int e = first; e < last; e++)
                needed[turn->edge_add[e]] |= turn->edge_modes[e];
            s->highest = t + turn->edge_add[last - 1] > s->highest ? t + turn->edge_add[last - 1] : s->highest;
        }
    }
    /* Modes that cannot bank go on among themselves beyond the cap, so there all of it is needed. */
    uint64_t forced = 0;
    for (int32_t t = s->top; t <= s->highest; t++)
        forced |= s->needed[t] & ~turn->banks;
    if (forced) {
        s->highest = s->top + turn->max_add - 1;
        for (int32_t t = s->top; t <= s->highest; t++)
            s->needed[t] = all;
    }
}

/* Find out again what is needed, if the lanes for which the certificate holds have changed with the bust; `may`: lanes of
 * turns of which anything is known. */
KW_INLINE void kw_look(const kw_climb *turn, const kw_stops *known, kw_side *s, int32_t may, int first) {
    int32_t lanes = 0;
    for (int l = 0; l < KW_LANES; l++)
        lanes |= (s->bust[l] <= known->stops_for[s->row[l]] + known->certain) << l;
    lanes &= may;
    if (first || lanes != s->usable) {
        s->usable = lanes;
        kw_find_needed(turn, known, s);
    }
}

/* Remember where stopping was best in one lane. */
KW_INLINE void kw_certify(kw_stops *known, const kw_side *s, int l) {
    int32_t a = s->a[l], size = known->wide ? sizeof(uint64_t) : sizeof(uint16_t);
    int64_t row = s->row[l], cell = row * known->width + a;
    if (!(s->usable >> l & 1))
        memset((char *)known->stops + (cell + 1) * size, 0, (int64_t)(known->width - a - 1) * size);
    if (!(s->usable >> l & 1) || s->bust[l] < known->stops_for[row])
        known->stops_for[row] = s->bust[l];
    for (int32_t t = 1; t <= s->highest && t < s->top && a + t < known->width; t++)
        if (!s->needed[t])
            continue;
        else if (known->wide)
            ((uint64_t *)known->stops)[cell + t] |= s->stopped[t][l];
        else
            ((uint16_t *)known->stops)[cell + t] |= (uint16_t)s->stopped[t][l];
}

#define KW_FILE "climb_lanes.h"
#include "each_width.h"

#endif
