/* Include KW_FILE once for each width of registers that this build may meet. KW_PICK(name) is the function that the file
 * calls NAME(name), in the widest form that the processor at hand has; KW_REGISTERS are its bytes.
 *
 * A block of lanes (lanes.h) could be one vector, wider than the registers, for sums and products. But GCC takes
 * comparisons of such vectors apart lane by lane, which is ten times slower; so blocks are worked on in parts of one
 * register. No width changes a bit: every lane sees the same operations in the same order.
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

/* Bytes of the widest registers; KEEPWISE_REGISTERS=16 or 32 asks for narrower ones, to see that they give the same bits. */
static int kw_registers(void) {
    static atomic_int bytes;
    int found = atomic_load_explicit(&bytes, memory_order_relaxed);
    if (!found) {
        const char *most = getenv("KEEPWISE_REGISTERS");
        found = __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
        if (most && atoi(most) >= 16 && atoi(most) < found)
            found = atoi(most);
        atomic_store_explicit(&bytes, found, memory_order_relaxed);
    }
    return found;
}
#else
#define KW_REGISTERS 16
#define KW_PICK(name) name##16
#endif
