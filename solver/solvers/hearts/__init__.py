"""Hearts Due: no decisions, but scores that are wiped.

``score_chain`` follows the score of one player as a Markov chain, and ``problems`` derives all objectives from it.
"""
