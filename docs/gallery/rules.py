"""How many turns a game takes alone, and what each of its rules changes about that, one at a time.

Last rounds are left out: they change nothing for who plays alone. Rules that are numbers can be any.
"""

import keepwise as kw

TITLE = "What a house rule changes"
UNIT = "turns"


def rows(ask):
    """Each alternative of each rule that has some, one at a time."""
    for game in (one for one in kw.games() if one.family == "push"):
        line = f"value {game.id} --objective turns"
        base = ask(line)
        yield f"{game.id}", line, base["value"], 0.0, base["error_bound"]
        for option in game.options:
            for other in option.choices or ((not option.default,) if isinstance(option.default, bool) else ()):
                if other not in (option.default, "last_round"):
                    rule = f"{option.key}={str(other).lower()}"
                    told = ask(f"{line} --rule {rule}")
                    change = told["value"] - base["value"]
                    yield f"{game.id}, {rule}", f"{line} --rule {rule}", told["value"], change, told["error_bound"]
