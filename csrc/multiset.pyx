# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Multisets of dice: n dice over k faces, as rows of counts, in one fixed order.

The order is that of the sorted throws: with faces 1, 2, 3 and two dice 11 12 13 22 23 33. A multiset is the row
``counts[k]`` of how often each face shows, so the rows descend lexicographically.
"""

import math

import numpy as np

ctypedef unsigned char u8

MAX_DICE = 255  # a count is one byte


cdef long long choose(long long n, long long r) noexcept nogil:
    """Binomial coefficient, 0 outside the triangle; the callers keep it below 2**62."""
    cdef long long result = 1
    cdef long long i
    if r < 0 or r > n:
        return 0
    if r > n - r:
        r = n - r
    for i in range(1, r + 1):
        result = result * (n - r + i) // i
    return result


def _check(n, k):
    if not 0 <= n <= MAX_DICE:
        raise ValueError(f"the number of dice must lie between 0 and {MAX_DICE}, not {n}")
    if k < 1:
        raise ValueError(f"a die needs at least one face, not {k}")


def count(int n, int k):
    """Return how many multisets n dice with k faces have: C(n + k - 1, n)."""
    _check(n, k)
    return math.comb(n + k - 1, n)


def multisets(int n, int k):
    """List all multisets of n dice with k faces: uint8 counts of shape (count(n, k), k), in the fixed order."""
    total = count(n, k)
    if total > 1 << 31:
        raise ValueError(f"{total} multisets of {n} dice with {k} faces are too many to list")
    table = np.empty((total, k), dtype=np.uint8)
    cdef u8[:, ::1] rows = table
    cdef Py_ssize_t i, size = total
    cdef int f, last
    cdef u8 tail
    with nogil:
        for f in range(k):
            rows[0, f] = 0
        rows[0, 0] = <u8>n
        for i in range(1, size):
            # Next throw in sorted order: one die of the last raisable face moves up, with everything on the top face.
            for f in range(k):
                rows[i, f] = rows[i - 1, f]
            tail = rows[i, k - 1]
            rows[i, k - 1] = 0
            last = k - 2
            while rows[i, last] == 0:
                last -= 1
            rows[i, last] -= 1
            rows[i, last + 1] = tail + 1
    return table


def rank(const u8[:, ::1] counts):
    """Return the place of each row of counts, shape (m, k), among the multisets of as many dice: int64 of shape (m,)."""
    cdef Py_ssize_t m = counts.shape[0], i
    cdef int k = <int>counts.shape[1], f
    cdef long long left, place
    places = np.empty(m, dtype=np.int64)
    cdef long long[::1] out = places
    with nogil:
        for i in range(m):
            left = 0
            for f in range(k):
                left += counts[i, f]
            place = 0
            for f in range(k - 1):
                # Rows with the same start and more of face f come first: they hold one die fewer, on faces f to k-1.
                place += choose(left - counts[i, f] - 1 + k - f - 1, k - f - 1)
                left -= counts[i, f]
            out[i] = place
    return places


def unrank(const long long[::1] places, int n, int k):
    """Return the rows at the given places among the multisets of n dice with k faces: uint8 of shape (m, k)."""
    total = count(n, k)
    cdef Py_ssize_t m = places.shape[0], i
    cdef int f, here
    cdef long long left, place, before
    cdef long long size = total
    for i in range(m):
        if not 0 <= places[i] < size:
            raise ValueError(f"place {places[i]} lies outside the {total} multisets of {n} dice with {k} faces")
    table = np.zeros((m, k), dtype=np.uint8)
    cdef u8[:, ::1] rows = table
    with nogil:
        for i in range(m):
            place = places[i]
            left = n
            for f in range(k - 1):
                here = <int>left
                while True:
                    before = choose(left - here - 1 + k - f - 1, k - f - 1)
                    if before <= place and (here == 0 or choose(left - here + k - f - 1, k - f - 1) > place):
                        break
                    here -= 1
                place -= before
                rows[i, f] = <u8>here
                left -= here
            rows[i, k - 1] = <u8>left
    return table


def weights(const u8[:, ::1] counts, face_weights):
    """Return the exact number of ordered throws behind each row: n! / prod(counts!) * prod(face_weights ** counts).

    ``counts`` has shape (m, k), all rows with the same number of dice; ``face_weights`` are k positive integers (how
    many equally likely sides show that face). Over all multisets the result sums to sum(face_weights) ** n. int64 of
    shape (m,) where that whole fits, an array of Python integers where it does not.
    """
    cdef Py_ssize_t m = counts.shape[0], i
    cdef int k = <int>counts.shape[1], f, j
    cdef int n = 0
    if len(face_weights) != k:
        raise ValueError(f"{k} faces need {k} weights, not {len(face_weights)}")
    if any(int(w) != w or w < 1 for w in face_weights):
        raise ValueError("the weights of faces must be positive integers")
    face_weights = [int(w) for w in face_weights]
    if m == 0:
        return np.empty(0, dtype=np.int64)
    for f in range(k):
        n += counts[0, f]
    if sum(face_weights) ** n >= 1 << 62 or n > 40:
        return np.array(
            [
                math.factorial(n)
                // math.prod(math.factorial(c) for c in row)
                * math.prod(w**c for w, c in zip(face_weights, row))
                for row in np.asarray(counts).tolist()
            ],
            dtype=object,
        )
    result = np.empty(m, dtype=np.int64)
    cdef long long[::1] out = result
    cdef long long[::1] sides = np.array(face_weights, dtype=np.int64)
    cdef long long[:, ::1] binomial = np.array([[math.comb(a, b) for b in range(n + 1)] for a in range(n + 1)], dtype=np.int64)
    cdef long long ways
    cdef int left
    with nogil:
        for i in range(m):
            ways = 1
            left = n
            for f in range(k):
                ways *= binomial[left, counts[i, f]]
                left -= counts[i, f]
                for j in range(counts[i, f]):
                    ways *= sides[f]
            out[i] = ways
    return result


def submultisets(const u8[::1] counts):
    """List every multiset contained in ``counts`` (shape (k,)), the empty one and itself included: uint8 (m, k).

    In the fixed order of ``multisets`` within each size, sizes ascending.
    """
    cdef int k = <int>counts.shape[0], f
    cdef Py_ssize_t m = 1, i
    for f in range(k):
        m *= counts[f] + 1
    table = np.empty((m, k), dtype=np.uint8)
    cdef u8[:, ::1] rows = table
    cdef Py_ssize_t rest
    with nogil:
        for i in range(m):
            rest = i
            for f in range(k - 1, -1, -1):
                rows[i, f] = <u8>(counts[f] - rest % (counts[f] + 1))
                rest //= counts[f] + 1
    return table[np.argsort(table.sum(axis=1), kind="stable")]
