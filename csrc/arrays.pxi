# Where the numbers of an array begin, which is of that type and in one piece; whoever asks keeps the array.

cdef flat(told):
    """The numbers of an array row after row: the array's own, never a copy, which nobody would keep."""
    if not told.flags.c_contiguous:
        raise ValueError("an array for a kernel lies in one piece")
    return told.reshape(-1)

cdef const int32_t *ints(const int32_t[::1] told) except NULL:
    return &told[0]

cdef const int64_t *longs(const int64_t[::1] told) except NULL:
    return &told[0]

cdef const double *doubles(const double[::1] told) except NULL:
    return &told[0]

cdef double *written(double[::1] told) except NULL:
    return &told[0]
