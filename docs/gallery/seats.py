"""The first player's chance to win with perfect play, compared with an equal share.

Moving first is an advantage in races. In games by rounds it is a disadvantage, because later players know what they
have to beat.
"""

GAMES = {2: "pig 5000 beartrap farkle hearts-due scarney battleship booby-trap boston multiplication double-cameroon"}
GAMES |= {3: "pig 5000 beartrap hearts-due battleship boston multiplication"}
GAMES |= {4: "hearts-due boston multiplication"}


def rows(ask):
    """Yield the chance of the first player for each game and number of players."""
    for players, games in GAMES.items():
        for game in games.split():
            line = f"value {game} --objective win --players {players}"
            answer = ask(line)
            yield (
                f"{game}, {players} players",
                line,
                answer["value"],
                answer["value"] - 1 / players,
                answer["error_bound"],
            )


FIGURES = {"What moving first is worth": ("chance to win", rows)}
