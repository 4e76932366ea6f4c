"""Booby Trap: for the win, for the margin, and alone with few trips."""
