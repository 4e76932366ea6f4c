"""How many games a perfect player needs to show an advantage over an average one, who makes mistakes of a known size.

Luck is how rolls change the chance to win. Errors are how choices change it. Both add up to the outcome. The more luck
a game has, the more games it takes until the stronger player stands out. Here that is when all errors together are
twice the standard deviation of all luck. The numbers come from simulated games, with standard errors in place of
bounds.
"""

from math import ceil

GAMES = 1000


def rows(ask):
    """Yield the number of games for each game, with a standard error in place of a bound."""
    for game in ("pig", "5000", "farkle", "scarney", "battleship", "booby-trap"):
        line = f"simulate {game} --policy best --policy average --games {GAMES}"
        seat = ask(line)["seats"][1]
        luck = seat["luck_se"] * GAMES**0.5
        needed = (2 * luck / seat["errors"]) ** 2
        label = f"{game}: luck ± {100 * luck:.0f} pp, errors {100 * seat['errors']:.1f} pp a game"
        error = needed * (4 * (seat["errors_se"] / seat["errors"]) ** 2 + 2 / GAMES) ** 0.5
        yield label, line, round(needed), 0, ceil(error)


FIGURES = {"How much luck is there?": ("games until the stronger player stands out", rows)}
