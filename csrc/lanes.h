/* Lanes: independent problems side by side, eight doubles to a block, so that one instruction stream serves them all.
 *
 * Kernels of turns are compiled once for each width of registers (each_width.h). Functions marked KW_WIDE are plain loops
 * over many lanes, which the compiler makes wide itself: on x86-64 with GNU's loader once per width, which it picks at run
 * time. No width changes a bit: every lane sees the same operations in the same order, and contraction into fused
 * multiply-adds is off (setup.py).
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
