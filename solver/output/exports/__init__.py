"""Files for other programs.

``rows`` writes tables of positions, policies and simulated games. ``models`` writes the decision process of a game for
model checkers and graph tools; ``process`` builds it.
"""
