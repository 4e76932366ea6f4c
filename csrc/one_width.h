/* KW_FILE for registers of KW_BYTES bytes; see each_width.h. It may use
 *
 *     part, mask      one register of doubles, and what a comparison of two gives
 *     PART            doubles in a part
 *     load, store     a part from and to memory
 *     larger(a, b)    lane by lane; a where they are equal
 *     choose(m, a, b) lane by lane a where the mask is set, b elsewhere
 */
#define part NAME(part)
#define mask NAME(mask)
#define PART ((int)(KW_BYTES / sizeof(double)))
#define load NAME(load)
#define store NAME(store)
#define larger NAME(larger)
#if KW_BYTES == 16 && defined(__SSE2__) && !defined(__clang__) /* GCC 12 stops at the plain words for this width */
#define choose(where, yes, no)                                                                                         \
    __builtin_ia32_orpd(__builtin_ia32_andpd((part)(where), yes), __builtin_ia32_andnpd((part)(where), no))
#else
#define choose(where, yes, no) ((part)(((mask)(yes) & (where)) | ((mask)(no) & ~(where))))
#endif

typedef double part __attribute__((vector_size(KW_BYTES)));
typedef long long mask __attribute__((vector_size(KW_BYTES)));

KW_INLINE part load(const double *from) {
    part some;
    memcpy(&some, from, sizeof(part));
    return some;
}

KW_INLINE void store(double *to, part some) { memcpy(to, &some, sizeof(part)); }

KW_INLINE part larger(part a, part b) {
#ifdef KW_MAX /* one instruction, which compilers do not find */
    return KW_MAX(b, a);
#else
    return choose(b > a, b, a);
#endif
}

#include KW_FILE

#undef part
#undef mask
#undef PART
#undef load
#undef store
#undef larger
#undef choose
