"""Pig: one die, 1 loses the turn, first to 100. Source: Neller & Presser, Optimal Play of the Dice Game Pig, 2004."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .push_rules import PushRules, pattern_of_face
from .rule_options import Option

TITLE = "Pig"
FAMILY = "push"
SOURCES = (("Neller & Presser, Optimal Play of the Dice Game Pig, UMAP Journal 25(1)", 2004),)
OBJECTIVES = ("win", "points", "turns", "reach")

OPTIONS = (
    Option("target", 100, "the first player with at least this many points wins", low=1, high=1000),
    Option("faces", 6, "faces of the die; 1 loses the turn, every other face adds points", low=2, high=100),
    Option(
        "points",
        "spots",
        "what a face adds: its spots, or one point (Piglet is a coin: faces=2 points=one target=2)",
        choices=("spots", "one"),
    ),
)


def compile_rules(rules: Mapping[str, Any]) -> PushRules:
    """Return the rules as data."""
    face_count = rules["faces"]
    faces = range(1, face_count + 1)
    points = {face: face if rules["points"] == "spots" else 1 for face in faces if face > 1}
    return PushRules(
        dice=1,
        faces=tuple(str(face) for face in faces),
        weights=(1,) * face_count,
        patterns=tuple(pattern_of_face(face - 1, face_count, 1, value) for face, value in points.items()),
        target=rules["target"],
    )
