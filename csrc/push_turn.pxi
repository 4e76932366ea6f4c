# The turn of push_kernel.h for Cython: push.pyx and whole.pyx include this file.

include "arrays.pxi"

cdef extern from "push_kernel.h":
    ctypedef struct kw_push_turn:
        int32_t modes
        int32_t specials
        int32_t groups
        int32_t start_mode
        int32_t forbid_above_cap
        int32_t max_added_points
        int32_t forced_passes
        const int32_t *group_start
        const int32_t *mode_order
        const int32_t *bank_ending
        const int32_t *min_bank
        const int32_t *max_points
        const int32_t *roll_start
        const int32_t *class_start
        const double *total_weight
        const double *weight
        const int32_t *choice_start
        const int32_t *next
        const int32_t *added_points
        const int32_t *keeps_points


cdef class Turn:
    """A push-your-luck turn as the kernels read it, without its weights, which are doubles or integers.

    Args:
        arrays: its numbers and arrays by name, as ``keepwise.turns.push_turn.PushTurn`` makes and checks them.
    """

    cdef kw_push_turn turn
    cdef object arrays

    def __init__(self, arrays):
        self.arrays = arrays
        self.turn.modes = len(arrays["order"])
        self.turn.specials = arrays["specials"]
        self.turn.groups = len(arrays["group_start"]) - 1
        self.turn.start_mode = arrays["start"]
        self.turn.forbid_above_cap = arrays["forbid"]
        self.turn.forced_passes = arrays["forced_passes"]
        self.turn.max_added_points = max(arrays["add"])
        self.turn.group_start = ints(arrays["group_start"])
        self.turn.mode_order = ints(arrays["order"])
        self.turn.bank_ending = ints(arrays["bank"])
        self.turn.min_bank = ints(arrays["bank_from"])
        self.turn.max_points = ints(arrays["most"])
        self.turn.roll_start = ints(arrays["throw_start"])
        self.turn.class_start = ints(arrays["class_start"])
        self.turn.choice_start = ints(arrays["choice_start"])
        self.turn.next = ints(arrays["next"])
        self.turn.added_points = ints(arrays["add"])
        self.turn.keeps_points = ints(arrays["keeps"])
