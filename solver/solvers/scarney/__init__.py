"""Straight Scarney: one frame for points, and matches of frames for the win or for chips."""
