"""Temperatures of graded players in built-in games, measured by ``grades`` so that nobody waits for them.

A key names a problem as its table does: game, objective and fingerprint. So other house rules are measured when they
are first played. ``tests/simulation/test_measured_grades.py`` measures them again: as a program it prints new lines.
"""

TEMPERATURES: dict[str, dict[str, float]] = {
    "battleship-win-fd69a81d039e5f51": {"weak": 0.02014, "average": 0.008269, "strong": 0.004019},
    "booby-trap-win-97256fb7c35f29ff": {"weak": 0.01423, "average": 0.005751, "strong": 0.002782},
    "pig-win-690ca3f26b65c304": {"weak": 0.03995, "average": 0.01452, "strong": 0.006784},
    "scarney-win-d442e54a7af96af2": {"weak": 0.0136, "average": 0.004749, "strong": 0.002432},
}
