/* Lanes: independent problems side by side, eight doubles to a block, so that one instruction stream serves them all.
 *
 * Written with the vector extensions of GCC and Clang: the compiler maps a block to one, two or four registers. On
 * x86-64 Linux the functions marked KW_WIDE are compiled once per width and the loader picks at run time; elsewhere
 * there is the one plain build. No width changes a bit: every lane sees the same operations in the same order, and
 * contraction into fused multiply-adds is off (setup.py).
 */
#ifndef KW_LANES_H
#define KW_LANES_H

#include <string.h>

#define KW_LANES 8

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define KW_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define KW_WIDE
#endif
#define KW_INLINE static inline __attribute__((always_inline))

typedef double kw_lanes __attribute__((vector_size(8 * KW_LANES)));
typedef long long kw_mask __attribute__((vector_size(8 * KW_LANES)));

/* Unaligned load and store of one block. */
#define KW_LOAD(block, from) memcpy(&(block), (from), sizeof(kw_lanes))
#define KW_STORE(to, block) memcpy((to), &(block), sizeof(kw_lanes))

/* Lane by lane: yes where the mask is set, no elsewhere. */
#define KW_SELECT(mask, yes, no) ((kw_lanes)(((kw_mask)(yes) & (mask)) | ((kw_mask)(no) & ~(mask))))

#endif
