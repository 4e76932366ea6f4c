"""What each rule of a game changes, one at a time: how many turns a game takes alone or, of games that have no such
question, how many points it brings.

Last rounds are left out: they change nothing for who plays alone. Rules that are numbers can be any.
"""

import keepwise as kw


def asks(game, rules, objective):
    """Whether the question has a meaning under these rules (for chips there must be chips)."""
    try:
        return kw.playable(kw.game(game, **rules), objective=objective)
    except kw.InputError:
        return None


def rows(objective):
    """Each alternative of each rule that has some, for games whose first of these questions it is."""

    def asked(ask):
        for game in kw.games():
            if objective != next((one for one in ("turns", "points", "margin") if one in game.objectives), None):
                continue
            line = f"value {game.id} --objective {objective}"
            base = ask(line)
            yield f"{game.id}", line, base["value"], 0.0, base["error_bound"]
            for option in game.options:
                for other in option.choices or ((not option.default,) if isinstance(option.default, bool) else ()):
                    if other not in (option.default, "last_round") and asks(game.id, {option.key: other}, objective):
                        rule = f"{option.key}={str(other).lower()}"
                        told = ask(f"{line} --rule {rule}")
                        change = told["value"] - base["value"]
                        bound = told["error_bound"]
                        change *= abs(change) > bound + base["error_bound"]
                        yield f"{game.id}, {rule}", f"{line} --rule {rule}", told["value"], change, bound

    return asked


FIGURES = {
    "What a house rule changes": ("turns", rows("turns")),
    "What a house rule changes, in points": ("points", rows("points")),
}
