"""Answers: what is said of positions, from the values that a match has solved and the game as it is played."""
