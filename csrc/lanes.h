/* Lanes: KW_LANES independent problems that a kernel solves side by side, so that one instruction stream serves them all.
 *
 * A block is KW_LANES doubles (or 64-bit integers), one for each lane, contiguous in memory. Two ways make the code wide:
 *
 *     kernels of turns     written with vector types and compiled once for each register width (each_width.h)
 *     KW_WIDE functions    plain loops over many lanes, vectorized by the compiler; GCC for x86-64 with glibc compiles
 *                          them once for each width, and the dynamic loader picks one
 *
 * Invariant: every lane sees the same floating-point operations in the same order, and contraction into fused
 * multiply-adds is disabled (setup.py). So neither the width nor the number of lanes changes a bit of the results.
 */
#ifndef KW_LANES_H
#define KW_LANES_H

#include <string.h>

#define KW_LANES 8

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define KW_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define KW_WIDE
#endif
#define KW_INLINE static inline __attribute__((always_inline))

#endif
