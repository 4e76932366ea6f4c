"""Place a player among the four strategy levels, and find what to learn from the next level.

In every decision of the reviewed games, each level's strategy decides too; its choice has the loss that the game has
there. The player plays like the best level that loses no less than they do. The next level is the first better one that
loses less than they do.

Each rule of the next level's sheet is weighed by how much more the player lost than it in decisions where they differ.
The rule with the largest weight is what to learn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..answers.trace import Event
from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice, PlayableGame
from ..policies.levels import LEVELS
from ..policies.registry import parse_rule_policy
from ..util.errors import InputError
from . import Review

NO_BANK_RULE = "roll on while you have too few points to bank; do not stop for nothing"


@dataclass(frozen=True)
class _Decision:
    """A decision of the player, with the table of its game."""

    playable: PlayableGame[Any]
    event: Event[Any]

    def loss(self, choice: Choice[Any]) -> float:
        """Return the loss of another choice in this position."""
        return self.event.costs[self.playable.choices(self.event.position).index(choice)]


def learning_curve(reviews: Iterable[tuple[Review, int]]) -> dict[str, Any] | None:
    """Return the level of a player, or None if nothing was decided or the game has no levels.

    Args:
        reviews: reviews of games of one kind, each with the seat of the player.

    Returns:
        JSON data. ``losses``: the mean loss of each level in the player's decisions. ``plays_like``: the level, or all
        levels that are equal there; empty if every level loses less. ``next``: the level to learn, what its sheet
        ``says``, how many ``times`` the player did otherwise, and the total ``cost`` of that; None if no level above
        loses less.
    """
    decisions = [
        _Decision(review.game.playable, event)
        for review, seat in reviews
        for event in review.trace.events
        if event.is_decision and event.seat == seat
    ]
    if not decisions or decisions[0].playable.games_by_seat:  # seats with rules of their own have no common sheet
        return None
    try:
        policies = [parse_rule_policy(decisions[0].playable, f"sheet:{level}") for level in range(1, len(LEVELS) + 1)]
    except InputError:
        return None
    own_loss = sum(decision.event.error for decision in decisions)
    choices_by_level = [
        [policy.choose(decision.playable, decision.event.position) for decision in decisions] for policy in policies
    ]
    losses_by_level = [
        [decision.loss(choice) for decision, choice in zip(decisions, choices, strict=True)]
        for choices in choices_by_level
    ]
    totals = [sum(losses) for losses in losses_by_level]
    like_loss = min((total for total in totals if total >= own_loss), default=None)
    plays_like = [level for level, total in enumerate(totals, 1) if total == like_loss]
    better_levels = [level for level, total in enumerate(totals, 1) if total < own_loss]
    next_level = next((level for level in better_levels if level > min(plays_like, default=0)), None)
    data = {"plays_like": plays_like, "losses": [total / len(decisions) for total in totals], "next": None}
    if next_level is None:
        return data
    index = next_level - 1
    rule, extra_losses = _costliest_rule(policies[index], decisions, choices_by_level[index], losses_by_level[index])
    lesson = {"level": next_level, "says": rule, "times": len(extra_losses), "cost": sum(extra_losses)}
    return {**data, "next": lesson}


def _costliest_rule(
    policy: Any, decisions: Sequence[_Decision], choices: Sequence[Choice[Any]], losses: Sequence[float]
) -> tuple[str, list[float]]:
    """Return the rule of a sheet that the player ignored at the largest cost, and what each time cost.

    Args:
        policy: the policy of a level.
        decisions: all decisions of the player.
        choices: what the policy does in each decision.
        losses: the loss of that.
    """
    extra_losses: dict[str, list[float]] = {}
    for decision, choice, loss in zip(decisions, choices, losses, strict=True):
        played = decision.event.choice
        if played is not None and choice != played:
            rule = policy.explain(decision.playable, decision.event.position)
            if played.kind is ChoiceKind.STOP and choice.kind is ChoiceKind.ROLL:
                rule = NO_BANK_RULE  # the rule of the sheet says when to bank, which is not possible here
            extra_losses.setdefault(rule, []).append(decision.event.error - loss)
    costliest = max(extra_losses, key=lambda rule: sum(extra_losses[rule]))
    return costliest, extra_losses[costliest]
