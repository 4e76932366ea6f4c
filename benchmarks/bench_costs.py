"""What solving takes against what is said before it begins (``cost``), in processor seconds of one thread.

``bench_costs.py MOST``: of every game, shipped file and objective whose solve is said to take up to so many seconds.
"""

from __future__ import annotations

import sys
import time

import keepwise as kw
from keepwise.games import FILES, RULE_FILES
from keepwise.solvers import make_problem
from keepwise.util.errors import InputError

LEAST = 1.0  # seconds: what takes less is not waited for
PARAMETERS = {"reach": {"goal": 200, "turns": 10}}


def main() -> None:
    most = float(sys.argv[1]) if sys.argv[1:] else 60.0
    for name in [*FILES, *sorted(path.stem for path in RULE_FILES.glob("*.toml"))]:
        game = kw.game(name) if name in FILES else kw.load_rules(name)
        for objective in game.objectives:
            for players in (None, 3):
                try:
                    asked = make_problem(game, objective, players, **PARAMETERS.get(objective, {}))
                    said = asked.estimate_cost(1)
                except InputError:
                    continue
                if said.seconds > most or said.is_too_much or (asked.solves_on_demand and not asked.array_specs()):
                    continue
                begun = time.process_time()
                asked.solve(1, lambda done: None)
                took = time.process_time() - begun
                if max(took, said.seconds) > LEAST:
                    what = f"{name} {objective} {asked.players}"
                    print(f"{what:34} said {said.seconds:6.1f} s, took {took:6.1f} s, ratio {said.seconds / took:.2f}")


if __name__ == "__main__":
    main()
