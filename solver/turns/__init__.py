"""One player's turn as a small decision process, compiled to arrays and solved by kernels.

A turn is an operator. It takes a payoff, the value of each way in which the turn can end, and returns the value of the
turn and the decisions. It knows nothing of scores, opponents or objectives.

* ``push_turn``: push-your-luck turns; start reading there.
* ``monotone_turn``: push-your-luck turns whose points only grow, as arrays for the faster kernels of races.
* ``keep_turn``: turns in which dice are kept and the rest rolled again, as in Yahtzee.
* ``exact_turn``: small push-your-luck turns in fractions, as a check.
"""
