"""Common advice against a perfect player: its chance to win, and how much it loses against perfect play.

``hold:300`` banks from 300 turn points on, ``source`` is the advice of the game's source, and ``sheet:1`` to
``sheet:3`` are the strategy sheets of three levels.
"""

ADVICE = {
    "pig": "hold:20 hold:25 sheet:1",
    "battleship": "source above-seven",
    "5000": "hold:300 hold:500 sheet:1 sheet:2 sheet:3",
    "beartrap": "hold:300",
}


def rows(ask):
    """Yield the chance to win by each piece of advice."""
    for game, policies in ADVICE.items():
        for policy in policies.split():
            line = f"evaluate {game} --policy {policy}"
            answer = ask(line)
            yield f"{game}, {policy}", line, answer["value"], -answer["loss"], answer["error_bound"]


FIGURES = {"What common advice loses": ("chance to win", rows)}
