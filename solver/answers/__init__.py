"""Answers about positions, computed from a value table and from the game as people play it.

Start reading in ``positions``: the value of a position, and its choices ranked by value. ``decisions`` does the same
for all decisions of a turn as arrays, which ``rows`` lists. ``trace`` measures luck and errors along a game.
``explanation`` compares two choices in words; ``card_reasons`` adds what the best one aims at on a scorecard.
"""
