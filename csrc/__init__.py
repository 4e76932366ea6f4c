"""Compiled kernels for the turns and races that solvers evaluate millions of times. They take and fill numpy arrays.

``push`` solves one turn of a push-your-luck game, ``keep`` one of a game of keeping dice, and ``touch`` all boards of
a game of touching pieces. ``race`` and ``seats`` solve whole layers of a race of two, or of more, players. ``whole``
repeats turns in exact integers, for certificates.

Kernels know dice, turns and payoffs, but neither games nor objectives. Inner loops allocate no memory and run without
the GIL, and results have the same bits on every processor. Start reading in ``push_kernel.h``: it has the equation of
a turn. ``lanes.h`` and ``each_width.h`` explain how the code is vectorized, ``monotone_turn.h`` the turn of the races.
"""
