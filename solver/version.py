"""The engine's version, which every table and answer carries."""

VERSION = "0.1.0"
SOLVER = 1  # raised with every change that moves a value: what an earlier solver cached is then solved anew
ENGINE = f"keepwise {VERSION} (solver {SOLVER})"
