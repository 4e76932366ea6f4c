"""The names of policies, and the one parser that every command and function reads them with.

A name has one of the forms in ``FORMS``. Most are the same in all games. A family adds its own (``hold:300``): its
module of policies has ``policy_prefixes``, ``list_policy_names`` and ``parse_policy_name``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from ..games.families import load_module
from ..play.game_file import is_python_policy
from ..play.playable_game import Choice, PlayableGame
from ..util.errors import InputError, abbreviate, add_hint, closest_name
from .function_policy import FunctionPolicy, load_function_policy, make_function_policy
from .levels import DEFAULT_LEVEL, at_level, parse_level
from .policy import (
    AnyPolicy,
    DuelPolicy,
    MistakePolicy,
    NamedPolicy,
    OptimalPolicy,
    OtherObjectivePolicy,
    Policy,
    PolicyBySeat,
    PolicyFunction,
    choice_function,
)

# Grades by the mean loss of a decision, as a share of the loss of choosing blindly; and their everyday names.
MISTAKE_SHARES = {"strong": 0.03, "average": 0.1, "weak": 0.3}
EVERYDAY_GRADES = {"easy": "weak", "medium": "average", "hard": "strong"}
SHARES_BY_NAME = {**MISTAKE_SHARES, **{name: MISTAKE_SHARES[grade] for name, grade in EVERYDAY_GRADES.items()}}
CARELESS = "careless"

PolicyLike: TypeAlias = str | PolicyFunction | NamedPolicy  # a name, a function, or a policy that has been parsed


@dataclass(frozen=True)
class PolicyContext:
    """The game in which a policy is named, and the kinds of policies that the caller cannot follow.

    Attributes:
        playable: the game.
        refusals: by class of a policy, the reason why the caller refuses it.
        other_names: names that the caller knows besides, for the list in messages.
    """

    playable: PlayableGame[Any]
    refusals: Mapping[type, str] = field(default_factory=dict)
    other_names: tuple[str, ...] = ()


class PolicyForm(NamedTuple):
    """One form of the names of policies.

    Attributes:
        kind: the class of the policies.
        list_names: returns how names of this form are written in a game; empty if the game has none.
        matches: whether a text has this form.
        parse: returns the policy that a text of this form names.
    """

    kind: type
    list_names: Callable[[PlayableGame[Any]], tuple[str, ...]]
    matches: Callable[[str, PlayableGame[Any]], bool]
    parse: Callable[[str, PlayableGame[Any]], AnyPolicy]


def parse_policy(text: str, context: PolicyContext) -> Any:
    """Return the policy that a text names in a game.

    Returns:
        A ``PolicyTable``, or one of the classes of ``ValuePolicy``, which the caller follows by means of a value table.

    Raises:
        InputError: no policy has this name, or the caller cannot follow it.
    """
    for form in FORMS:
        if form.matches(text, context.playable):
            if form.kind in context.refusals:
                raise InputError(f"policy {text} cannot be used here: {context.refusals[form.kind]}")
            return form.parse(text, context.playable)
    names = list_policy_names(context)
    name_of_word = {name.partition(":")[0]: name for name in reversed(names)}  # the first name with each word
    closest = closest_name(text.partition(":")[0], name_of_word)
    policy_list = (
        f"{'players' if context.other_names else 'policies'} of {context.playable.game.id}: {', '.join(names)}"
    )
    if context.playable.policy_refusal:
        raise InputError(
            f"policy {abbreviate(repr(text))} cannot be used here: {context.playable.policy_refusal}; {policy_list}"
        )
    noun = "player" if context.other_names else "policy"
    message = f"unknown {noun} {abbreviate(repr(text))}"
    if closest is not None:
        message = f"{message}; did you mean {name_of_word[closest]}?"
    raise InputError(add_hint(message, policy_list))


def list_policy_names(context: PolicyContext) -> list[str]:
    """Return how the names of all policies are written that a game has and that the caller follows."""
    names = list(context.other_names)
    for form in FORMS:
        if form.kind not in context.refusals:
            names += form.list_names(context.playable)
    return names


def to_named_policy(policy: PolicyLike, context: PolicyContext) -> NamedPolicy:
    """Return a policy with its name, from a name or a function; a policy that has been parsed stays as it is."""
    if isinstance(policy, NamedPolicy):
        return policy
    if isinstance(policy, str):
        return NamedPolicy(policy, parse_policy(policy, context))
    if not callable(policy):
        raise InputError(f"{abbreviate(policy)} is not a policy; use the name of a policy, or a function")
    if FunctionPolicy in context.refusals:
        raise InputError(f"a function cannot be used as a policy here: {context.refusals[FunctionPolicy]}")
    function_policy = make_function_policy(policy)
    return NamedPolicy(function_policy.name, function_policy)


# Reasons by class: why a simulation or a game at the table cannot follow a policy; and why rules alone cannot.
PLAYER_REFUSALS: Mapping[type, str] = {
    DuelPolicy: "it is a policy for opponents; use keepwise evaluate GAME --policy best --opponents-play duel"
}
NEEDS_VALUES = "it requires a value table"
WITHOUT_VALUES = MappingProxyType(
    dict.fromkeys((OptimalPolicy, OtherObjectivePolicy, DuelPolicy, MistakePolicy), NEEDS_VALUES)
)


def parse_choice_function(playable: PlayableGame[Any], text: str) -> Callable[[Any], Choice[Any]]:
    """Return the policy of a name as a function from positions to choices.

    Raises:
        InputError: no policy has this name, or it needs the values of a solved problem.
    """
    return choice_function(playable, parse_rule_policy(playable, text))


def parse_rule_policy(playable: PlayableGame[Any], text: str) -> Any:
    """Return the policy of a name that needs no values.

    Raises:
        InputError: no policy has this name, or it needs the values of a solved problem.
    """
    return parse_policy(text, PolicyContext(playable, WITHOUT_VALUES))


# --- the forms


def _fixed(kind: type, *names: str) -> PolicyForm:
    """Return the form of policies without numbers; the first name is listed, others are understood."""
    return PolicyForm(kind, lambda playable: names[:1], lambda text, playable: text in names, lambda *_: kind())


def _games_of_seats(playable: PlayableGame[Any]) -> tuple[PlayableGame[Any], ...]:
    """Return the game itself, or the games of its seats if these have rules of their own."""
    return playable.games_by_seat or (playable,)


def _list_sheets(playable: PlayableGame[Any]) -> tuple[str, ...]:
    has_sheets = all(game.game.parts.levels for game in _games_of_seats(playable)) and not playable.policy_refusal
    return ("sheet", "sheet:1 to sheet:4") if has_sheets else ()


def _parse_sheet(text: str, playable: PlayableGame[Any]) -> Policy:
    """Return the policy of a strategy sheet; without a number, that of level 3 for the most points."""
    _require_followable(playable)
    level = text.partition(":")[2]
    objective = playable.objective if level else "points"

    def find_sheet(game: PlayableGame[Any]) -> Policy:
        policy: Policy = at_level(game.game, parse_level(level or DEFAULT_LEVEL), objective).policy
        return policy

    return _by_seat(playable, find_sheet)


def _by_seat(playable: PlayableGame[Any], find_policy: Callable[[PlayableGame[Any]], Policy]) -> Policy:
    """Return a policy of a game; if its seats have rules of their own, each seat follows that of its own game.

    Args:
        playable: the game.
        find_policy: returns the policy of the game or of a seat's game.
    """
    if not playable.games_by_seat:
        return find_policy(playable)
    return PolicyBySeat(playable.games_by_seat, tuple(map(find_policy, playable.games_by_seat)))


def _is_sheet(text: str, playable: PlayableGame[Any]) -> bool:
    name, colon, level = text.partition(":")
    return name == "sheet" and bool(level or not colon)


def _require_followable(playable: PlayableGame[Any]) -> None:
    """Raise InputError if the game has no policies besides those read from values."""
    if playable.policy_refusal:
        raise InputError(playable.policy_refusal)


def _list_family_names(playable: PlayableGame[Any]) -> tuple[str, ...]:
    if not playable.game.parts.policy_names or playable.policy_refusal:
        return ()
    module = load_module(playable.game.parts.policy_names)
    first, *others = (module.list_policy_names(game) for game in _games_of_seats(playable))
    return tuple(name for name in first if all(name in names for names in others))


def _is_family_name(text: str, playable: PlayableGame[Any]) -> bool:
    if not playable.game.parts.policy_names:
        return False
    return text.partition(":")[0] in load_module(playable.game.parts.policy_names).policy_prefixes(playable)


def _parse_family_name(text: str, playable: PlayableGame[Any]) -> Policy:
    _require_followable(playable)
    module = load_module(playable.game.parts.policy_names)
    return _by_seat(playable, lambda game: module.parse_policy_name(game, text))


def _parse_objective(text: str, playable: PlayableGame[Any]) -> OtherObjectivePolicy:
    objective = text.partition(":")[2]
    playable.game.check_objective(objective)
    return OtherObjectivePolicy(objective)


def _parse_loss(text: str, playable: PlayableGame[Any]) -> MistakePolicy:
    try:
        loss = float(text.partition(":")[2])
    except ValueError:
        loss = -1.0
    if not 0 <= loss < math.inf:
        raise InputError(f"policy {text}: use loses:LOSS, the mean loss of a decision (for example loses:0.01)")
    return MistakePolicy(loss=loss)


FORMS = (
    _fixed(OptimalPolicy, "best", "optimal"),
    PolicyForm(
        OtherObjectivePolicy,
        lambda playable: ("best:OBJECTIVE",),
        lambda text, playable: text.startswith("best:"),
        _parse_objective,
    ),
    _fixed(DuelPolicy, "duel"),
    PolicyForm(Policy, _list_sheets, _is_sheet, _parse_sheet),
    PolicyForm(Policy, _list_family_names, _is_family_name, _parse_family_name),
    PolicyForm(
        MistakePolicy,
        lambda playable: tuple(SHARES_BY_NAME),
        lambda text, playable: text in SHARES_BY_NAME,
        lambda text, playable: MistakePolicy(share=SHARES_BY_NAME[text]),
    ),
    PolicyForm(
        MistakePolicy, lambda playable: ("loses:LOSS",), lambda text, playable: text.startswith("loses:"), _parse_loss
    ),
    _fixed(MistakePolicy, CARELESS),
    PolicyForm(
        FunctionPolicy,
        lambda playable: ("FILE.py:FUNCTION",),
        lambda text, playable: is_python_policy(text),
        lambda text, playable: load_function_policy(text),
    ),
)
