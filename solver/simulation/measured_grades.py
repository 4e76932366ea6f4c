"""Temperatures of graded players in games that ship, measured by ``grades`` so that nobody waits for them.

A key names a problem as its table does: game, objective and fingerprint. So other house rules are measured when they
are first played. ``tests/simulation/test_measured_grades.py`` measures them again: as a program it prints new lines.
"""

TEMPERATURES: dict[str, dict[str, float]] = {
    "5000-win-a141a189d5a98a6e": {"weak": 0.0207, "average": 0.008266, "strong": 0.003557},
    "battleship-win-fd69a81d039e5f51": {"weak": 0.02014, "average": 0.008269, "strong": 0.004019},
    "beartrap-win-b76a8cd34190e1b2": {"weak": 0.0126, "average": 0.004297, "strong": 0.001787},
    "booby-trap-win-97256fb7c35f29ff": {"weak": 0.01423, "average": 0.005751, "strong": 0.002782},
    "farkle-win-f1e663207e4ae06d": {"weak": 0.01855, "average": 0.006095, "strong": 0.002567},
    "kniffel-points-50eba7f7df355730": {"weak": 1.71, "average": 0.664, "strong": 0.3376},
    "pig-win-690ca3f26b65c304": {"weak": 0.03995, "average": 0.01452, "strong": 0.006784},
    "scarney-win-d442e54a7af96af2": {"weak": 0.0136, "average": 0.004749, "strong": 0.002432},
    "shut-the-box-points-a96ee4226c799c55": {"weak": 2.279, "average": 1.225, "strong": 0.6611},
    "yahtzee-points-ff9460e92e5e1829": {"weak": 1.751, "average": 0.7162, "strong": 0.3762},
}
