# The numbers and arrays of a push-your-luck turn, held for a kernel: included by push.pyx and whole.pyx.

include "arrays.pxi"

cdef extern from "push_kernel.h":
    ctypedef struct kw_push_turn:
        int32_t modes
        int32_t specials
        int32_t groups
        int32_t start
        int32_t forbid
        int32_t max_add
        int32_t over_passes
        const int32_t *group_start
        const int32_t *order
        const int32_t *bank
        const int32_t *bank_from
        const int32_t *most
        const int32_t *throw_start
        const int32_t *class_start
        const double *total
        const double *weight
        const int32_t *choice_start
        const int32_t *next
        const int32_t *add
        const int32_t *keeps


cdef class Turn:
    """A turn by name but for its weights; ``keepwise.turns.push_turn.PushTurn`` makes the arrays and checks them."""

    cdef kw_push_turn turn
    cdef object told

    def __init__(self, told):
        self.told = told
        self.turn.modes = len(told["order"])
        self.turn.specials = told["specials"]
        self.turn.groups = len(told["group_start"]) - 1
        self.turn.start = told["start"]
        self.turn.forbid = told["forbid"]
        self.turn.over_passes = told["forced_passes"]
        self.turn.max_add = max(told["add"])
        self.turn.group_start = ints(told["group_start"])
        self.turn.order = ints(told["order"])
        self.turn.bank = ints(told["bank"])
        self.turn.bank_from = ints(told["bank_from"])
        self.turn.most = ints(told["most"])
        self.turn.throw_start = ints(told["throw_start"])
        self.turn.class_start = ints(told["class_start"])
        self.turn.choice_start = ints(told["choice_start"])
        self.turn.next = ints(told["next"])
        self.turn.add = ints(told["add"])
        self.turn.keeps = ints(told["keeps"])
