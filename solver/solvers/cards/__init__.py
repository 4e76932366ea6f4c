"""Scorecards with categories, such as Yahtzee, Yacht and Double Cameroon.

A turn keeps and rerolls dice, and its final roll is entered in one or two open boxes. ``turns/keep_turn.py`` solves one
turn. Every game here only fills boxes, so states are solved by retrograde analysis, from full cards backwards.

- ``model.py``: the states of one card and the options for entering dice. Start reading here.
- ``problem.py``: values of positions inside turns, shared by all problems of this package.
- ``points.py``, ``columns.py``: one player, expected points; with a bonus for each of several columns.
- ``total_problems.py``: one player, a function of the final total (``reach``, points by ranges).
- ``two_player.py``: two players, probability of winning; its layers are in ``two_player_layers.py``, its algorithm in
  ``two_player_solver.py``.
- ``distribution.py``: the distribution of the final total under optimal play.
"""
