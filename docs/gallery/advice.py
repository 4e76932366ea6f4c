"""What people advise each other, played against somebody who plays the best: the chance to win, and what is lost.

``hold:300`` banks from 300 points in hand, ``source`` is what the game's own rules advise, and ``sheet:1`` to
``sheet:3`` are the sheets of three levels, found by what they win.
"""

ADVICE = {
    "pig": "hold:20 hold:25 sheet:1",
    "battleship": "source above-seven",
    "5000": "hold:300 hold:500 sheet:1 sheet:2 sheet:3",
    "beartrap": "hold:300",
}


def rows(ask):
    """Each piece of advice."""
    for game, policies in ADVICE.items():
        for policy in policies.split():
            line = f"evaluate {game} --policy {policy}"
            told = ask(line)
            yield f"{game}, {policy}", line, told["value"], -told["loss"], told["error_bound"]


FIGURES = {"What usual advice loses": ("chance to win", rows)}
