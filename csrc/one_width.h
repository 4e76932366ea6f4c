/* Include KW_FILE for registers of KW_BYTES bytes. Only each_width.h includes this header. KW_FILE may use
 *
 *     vec, mask            one register of doubles, and the result of comparing two of them
 *     VEC_LANES            doubles in a vec: a block of KW_LANES lanes is KW_LANES / VEC_LANES registers
 *     load, store          a vec from and to memory, which need not be aligned
 *     vec_max(a, b)        the larger, lane by lane; a if they are equal
 *     blend(m, a, b)       a in lanes whose mask is set, b in the other lanes
 *     NAME(name)           the name with the width as its suffix
 */
#define vec NAME(vec)
#define mask NAME(mask)
#define VEC_LANES ((int)(KW_BYTES / sizeof(double)))
#define load NAME(load)
#define store NAME(store)
#define vec_max NAME(vec_max)
#if KW_BYTES == 16 && defined(__SSE2__) && !defined(__clang__) /* GCC 12 does not optimize the portable form here */
#define blend(where, yes, no)                                                                                          \
    __builtin_ia32_orpd(__builtin_ia32_andpd((vec)(where), yes), __builtin_ia32_andnpd((vec)(where), no))
#else
#define blend(where, yes, no) ((vec)(((mask)(yes) & (where)) | ((mask)(no) & ~(where))))
#endif

typedef double vec __attribute__((vector_size(KW_BYTES)));
typedef long long mask __attribute__((vector_size(KW_BYTES)));

KW_INLINE vec load(const double *source) {
    vec value;
    memcpy(&value, source, sizeof(vec));
    return value;
}

KW_INLINE void store(double *destination, vec value) { memcpy(destination, &value, sizeof(vec)); }

KW_INLINE vec vec_max(vec a, vec b) {
#ifdef KW_MAX /* one instruction, which compilers do not derive from the portable form */
    return KW_MAX(b, a);
#else
    return blend(b > a, b, a);
#endif
}

#include KW_FILE

#undef vec
#undef mask
#undef VEC_LANES
#undef load
#undef store
#undef vec_max
#undef blend
