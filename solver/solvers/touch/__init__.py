"""Booby Trap: touch a piece, then take it or pass.

Every take leaves fewer pieces, and runs of passes are bounded. So boards are solved by retrograde analysis, from few
pieces to many. For three and more players the result is an equilibrium.

- ``model.py``: the equations of a turn, for any number of players. Start reading here.
- ``score_axis.py``: all boards of one or two players, solved by a kernel.
- ``multiplayer.py``: all boards of three and more players, solved by numpy.
- ``problem.py``: the problems ``win``, ``margin`` and ``reach``.
- ``listing.py``: the positions that are listed for one and two players.
"""
