# Pointers to the elements of numpy arrays. Each function checks the type and that the array is C-contiguous; the caller
# must keep a reference to the array for as long as the pointer is used.

cdef flat(array):
    """Return a one-dimensional view of a C-contiguous array.

    Raises:
        ValueError: the array is not contiguous. A copy would be freed while the kernel still points to it.
    """
    if not array.flags.c_contiguous:
        raise ValueError("arrays for a kernel must be C-contiguous")
    return array.reshape(-1)

cdef const int32_t *ints(const int32_t[::1] array) except NULL:
    return &array[0]

cdef const int64_t *longs(const int64_t[::1] array) except NULL:
    return &array[0]

cdef const double *doubles(const double[::1] array) except NULL:
    return &array[0]

cdef double *writable_doubles(double[::1] array) except NULL:
    return &array[0]
