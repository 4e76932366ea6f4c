"""What each rule changes, one rule at a time: the turns that a single player needs, or else the points.

Last rounds are left out, because they change nothing for a single player. So are rules that can be any number.
"""

import keepwise as kw


def make_playable(game, rules, objective):
    """Return a game under other rules; None if it lacks the objective under them."""
    try:
        return kw.playable(kw.game(game, **rules), objective=objective)
    except kw.InputError:
        return None


def rows(objective):
    """Return a function that yields all values of each rule, in games whose first such objective this is."""

    def rows_of_objective(ask):
        for game in kw.games():
            if objective != next((one for one in ("turns", "points", "margin") if one in game.objectives), None):
                continue
            line = f"value {game.id} --objective {objective}"
            base = ask(line)
            yield f"{game.id}", line, base["value"], 0.0, base["error_bound"]
            for option in game.options:
                for other in option.choices or ((not option.default,) if isinstance(option.default, bool) else ()):
                    if other not in (option.default, "last_round") and make_playable(
                        game.id, {option.key: other}, objective
                    ):
                        rule = f"{option.key}={str(other).lower()}"
                        answer = ask(f"{line} --rule {rule}")
                        change = answer["value"] - base["value"]
                        bound = answer["error_bound"]
                        change *= abs(change) > bound + base["error_bound"]
                        yield f"{game.id}, {rule}", f"{line} --rule {rule}", answer["value"], change, bound

    return rows_of_objective


FIGURES = {
    "What a house rule changes": ("turns", rows("turns")),
    "What a house rule changes, in points": ("points", rows("points")),
}
