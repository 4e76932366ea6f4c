"""Who moves first has more of a race, and less of a game by the round, where who comes later knows what must be beaten.

The first seat's chance to win where all play their best, against a fair share.
"""

GAMES = {2: "pig 5000 beartrap farkle hearts-due scarney battleship booby-trap boston multiplication double-cameroon"}
GAMES |= {3: "pig 5000 beartrap hearts-due battleship boston multiplication"}
GAMES |= {4: "hearts-due boston multiplication"}


def rows(ask):
    """Each game and number of players."""
    for players, games in GAMES.items():
        for game in games.split():
            line = f"value {game} --objective win --players {players}"
            told = ask(line)
            yield f"{game}, {players} players", line, told["value"], told["value"] - 1 / players, told["error_bound"]


FIGURES = {"What it is worth to begin": ("chance to win", rows)}
