"""Games of turns with a fixed number of rolls that end in a score: Battleship, Going to Boston, Multiplication.

The compiled turn has one ending for each score, so the push kernel solves it for any payoffs of the scores: the mover's
payoff is channel 0, which is maximized, and the other seats' payoffs are carried along. Start with ``problem``.

- ``solitaire``: one player; points, turns to a total, probability to reach a total.
- ``tournament``: several players in every round, with ``tournament_model``, ``tournament_solver`` and
  ``tournament_listing``.
- ``pot``: one turn of each player for a pot; ``one_turn`` is the same with the turn of a push-your-luck game.
- ``playoff``: ties are broken by playing again.
"""
