"""Models for other tools: a question about one player alone as an explicit decision process, or the chain of a policy.

Every number that a model checker computes from such a file can be held against ours; nothing of our solvers is in it.
"""
