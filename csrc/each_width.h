/* Compile KW_FILE once for each width of SIMD registers, and choose a width at run time.
 *
 * A kernel defines KW_FILE, the file with its inner loops, and includes this header, which includes KW_FILE once for
 * each width of the table below. KW_PICK(name) is the function that KW_FILE calls NAME(name), in the widest form that
 * the processor supports.
 *
 *     KW_BYTES   doubles   instructions                        compiled
 *     16         2         SSE2, NEON, WebAssembly SIMD, none  always
 *     32         4         AVX2                                by GCC for x86-64 Linux
 *     64         8         AVX-512F                            by GCC for x86-64 Linux
 *
 * KW_REGISTERS is the number of bytes in use. Every width computes the same bits (lanes.h).
 *
 * A block of lanes could be a single vector type wider than the registers. But GCC splits comparisons of such vectors
 * lane by lane, which is ten times slower. So kernels process a block one register at a time.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "lanes.h"

#define KW_PASTE_(name, bytes) name##bytes
#define KW_PASTE(name, bytes) KW_PASTE_(name, bytes)
#define NAME(name) KW_PASTE(name, KW_BYTES)

#define KW_BYTES 16
#ifdef __SSE2__
#define KW_MAX(a, b) __builtin_ia32_maxpd(a, b)
#endif
#include "one_width.h"
#undef KW_BYTES
#undef KW_MAX

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
#define KW_BYTES 32
#define KW_MAX(a, b) __builtin_ia32_maxpd256(a, b)
#include "one_width.h"
#undef KW_BYTES
#undef KW_MAX
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
#define KW_BYTES 64
#define KW_MAX(a, b) __builtin_ia32_maxpd512_mask(a, b, a, -1, 4)
#include "one_width.h"
#undef KW_BYTES
#undef KW_MAX
#pragma GCC pop_options
#define KW_REGISTERS kw_registers()
#define KW_PICK(name) (kw_registers() >= 64 ? name##64 : kw_registers() >= 32 ? name##32 : name##16)

/* Return the bytes of the widest registers that the processor supports. The environment variable KEEPWISE_REGISTERS=16
 * or 32 sets an upper limit, which lets tests compare the bits of different widths. */
static int kw_registers(void) {
    static atomic_int cached_bytes;
    int bytes = atomic_load_explicit(&cached_bytes, memory_order_relaxed);
    if (!bytes) {
        const char *limit = getenv("KEEPWISE_REGISTERS");
        bytes = __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
        if (limit && atoi(limit) >= 16 && atoi(limit) < bytes)
            bytes = atoi(limit);
        atomic_store_explicit(&cached_bytes, bytes, memory_order_relaxed);
    }
    return bytes;
}
#else
#define KW_REGISTERS 16
#define KW_PICK(name) name##16
#endif
