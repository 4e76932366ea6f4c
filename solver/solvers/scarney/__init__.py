"""Straight Scarney: frames of dice, in which dead dice drop out and points may be entered or risked.

A frame is one turn of the push kernel. Its points have no bound, so tables end where reaching further is negligible.
Frames of a match only pass, so they are solved by retrograde analysis. Tied players shoot extra frames, which lead back
to themselves: their values are a fixed point.

- ``problem.py``: where tables end, and the values of positions inside frames. Start reading here.
- ``frame_solver.py``: one frame from many leads side by side, and bounds of a fixed point.
- ``points.py``: one player, expected points of a frame.
- ``two_player.py``: two players, for the win (``win.py``) or for chips (``chips.py``). The payoffs of its frames are in
  ``two_player_frames.py``, the extra frames in ``two_player_extra_frames.py``.
- ``multiplayer.py``: three and more players for the win; ``standings.py`` solves its frames.
"""
