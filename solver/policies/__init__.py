"""Policies: what a player does in every position, by name or as a function, and what following one is worth.

Start reading in ``registry``, which reads the names of policies.
"""
