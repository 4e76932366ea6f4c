"""Policies: what a player does in every position, by name or as a function, and the exact values of policies.

Start reading in ``policy``, which states what a policy is, and in ``registry``, which parses their names.
``family_evaluation`` computes exact values by the equations of a family; ``levels`` finds strategies that a person can
remember.
"""
