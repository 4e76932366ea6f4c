"""The best player meets one of middling strength, who makes mistakes of a stated size: what these cost in a game, and
what the dice do.

Luck is what throws change of the chance to win, errors what choices do; both add up to the outcome. The more luck there
is, the more games it takes until the better player is seen to be better: here until all errors together are twice the
standard deviation of all luck. These are samples, and a standard error stands where bounds stand elsewhere.
"""

from math import ceil

GAMES = 1000


def rows(ask):
    """Each game; of a sample, whose standard error takes the place of a bound."""
    for game in ("pig", "5000", "farkle", "scarney", "battleship", "booby-trap"):
        line = f"simulate {game} --policy best --policy average --games {GAMES}"
        seat = ask(line)["seats"][1]
        luck = seat["luck_se"] * GAMES**0.5
        needed = (2 * luck / seat["errors"]) ** 2
        label = f"{game}: luck ± {100 * luck:.0f} pp, errors {100 * seat['errors']:.1f} pp a game"
        error = needed * (4 * (seat["errors_se"] / seat["errors"]) ** 2 + 2 / GAMES) ** 0.5
        yield label, line, round(needed), 0, ceil(error)


FIGURES = {"How much is luck": ("games until the better player shows", rows)}
