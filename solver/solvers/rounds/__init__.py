"""Battleship, Going to Boston and Multiplication: turns of a fixed number of throws that end in a score."""
