"""Compiled kernels: arrays in, arrays out. They know dice and turns, and nothing of scores, players or objectives."""
