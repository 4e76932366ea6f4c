"""The engine's version, which every table and answer carries."""

VERSION = "0.1.0"
ENGINE = f"keepwise {VERSION}"
