"""How far rounding takes a turn's value: a bound, mode by mode."""

from __future__ import annotations

from functools import lru_cache

from ..turns.push_turn import EXACT_WEIGHT, PushTurn, Roll

LEAP = 4096  # passes after which an error that creeps is raised


@lru_cache(maxsize=64)
def turn_rounding(turn: PushTurn, cap: int) -> float:
    """Bound of the rounding error of one turn's value, for payoffs between 0 and 1.

    A throw with n classes adds at most (n + 2) rounding errors of its value, and two more where its weights and their
    sum are rounded too; errors further on are averaged with the chances of the throws that lead there. So the error
    from a mode on is at most E of that mode, with

        E = max over its throws of  (n + 2) u + sum_c w_c / W  max over the modes that class c may lead to of E.

    Repeated k times from 0 that covers turns of k throws: as many as there are points up to the cap, and the passes
    beyond it where nobody may stop, which leave out less than 2**-59. Nearly always E all but stands still long before:
    where no mode's moves by more than 1/128 of a throw's own error, 1.01 E is above what the right side makes of it,
    and so bounds turns of any length. Where throws hardly ever bust E creeps: it is then raised to where its steps,
    shrinking as they do, would take it, and goes on from there; more is still a bound.
    """
    throws = [[_leads(throw) for throw in mode.rolls] for mode in turn.modes]
    errors = [0.0] * len(turn.modes)
    least = min(own for of_mode in throws for own, _ in of_mode)
    step, passes = 0.0, cap + turn.forced_passes
    for done in range(1, passes + 1):
        before = errors
        errors = [
            max((own + sum(c * max(before[m] for m in to) for to, c in leads) for own, leads in of_mode), default=0.0)
            for of_mode in throws
        ]
        step, last = max(now - then for now, then in zip(errors, before, strict=True)), step
        if step <= least / 128:
            break
        if not done % LEAP and step < (last - step) * (passes - done):
            errors = [error + step * step / (last - step) for error in errors]
    return 1.01 * max(errors) + 2.0**-59


def _leads(throw: Roll) -> tuple[float, list[tuple[list[int], float]]]:
    """A throw's own rounding, and the sets of modes that its classes may lead to with their chances."""
    total = sum(weight for _, weight in throw.classes)
    chances: dict[frozenset[int], float] = {}
    for offered, weight in throw.classes:
        to = frozenset(choice.next_mode for choice in offered if choice.next_mode >= 0)
        if to:
            chances[to] = chances.get(to, 0.0) + weight / total
    rounded = 2 if total < EXACT_WEIGHT else 4
    return (len(throw.classes) + rounded) * 2.0**-53, [(sorted(to), chance) for to, chance in chances.items()]
