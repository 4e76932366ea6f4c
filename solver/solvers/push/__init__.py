"""Exact solvers of push-your-luck games: races, single players, and the points of one turn.

A turn is solved by the push kernel for any payoff of its endings (``turns.push_turn``). This package provides the
payoffs, which come from the values of the states between turns, and solves for these values:

- ``points``: the expected points of one turn, and the average points of a turn in the long run;
- ``race_problems``: two-player races by retrograde analysis (``race_solver``), and a single player's turns to a goal;
- ``multiplayer_problem``: races of three and more players, by best responses (``multiplayer_sweep``).

All races share their states (``states``), their transitions (``model``) and their last rounds (``last_round``).
``fixed_policies`` evaluates given policies in the same equations. Start reading at ``states``, then ``model``.
"""
