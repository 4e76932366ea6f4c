"""Rules in words, from the data that is solved."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from .games import Game
from .games.cards import FORCED, FREE, NONE, Card, Category
from .games.pushluck import Counts, PushRules
from .games.unlike import UnlikeRules

Meaning = TypeVar("Meaning")

EFFECTS = {
    "win": "wins the game at once",
    "bust": "ends the turn without points",
    "wipe": "ends the turn and loses the whole score",
}


def in_words(game: Game) -> Iterator[str]:
    """Say what is thrown and what scores, a line at a time; nothing for a game whose options say it all."""
    if isinstance(game.data, PushRules):
        yield from scoring(game.data, game.rules.get("special", ()))
    elif isinstance(game.data, Card):
        yield from card(game.data)


def card(rules: Card) -> Iterator[str]:
    """Say what a card counts."""
    fair = len(set(rules.weights)) == 1
    weights = "" if fair else f", weighted {' '.join(map(str, rules.weights))}"
    yield f"{rules.dice} dice with the faces 1 to {rules.faces}{weights}; {_throws(rules)}."
    parts = f" The dice are split in {rules.boxes}, each part for a category of its own." if rules.boxes > 1 else ""
    zeros = "a zero may be entered where a throw scores nowhere else" if rules.forced_zeros else "zeros may be entered"
    yield f"{len(rules.categories)} categories, each filled once; {zeros}.{parts}"
    if rules.saved:
        yield f"Throws that a turn does not take may be taken in later ones; up to {rules.saved} are saved."
    for number, category in enumerate(rules.categories):
        after = f"; only after {rules.names[rules.before[number]]}" if rules.needs(number) else ""
        times = f", {category.factor} times" if category.factor > 1 else ""
        first = f"; after the first throw {category.first}" if category.first else ""
        first += "; after the first throw it wins the game" if category.wins else ""
        yield f"  {category.name}: {_counted(category)}{first}{times}{after}"
    upper = ", ".join(rules.upper)
    for number, (at, bonus) in enumerate(rules.steps):
        more = "in all " if number else "more points "
        yield f"{bonus} {more}once {upper} hold {at} together."
    if rules.again:
        yield from _again(rules)
    if rules.ranges:
        worth = ", ".join(f"{points} from {at} on" for at, points in rules.ranges)
        yield f"The total gives the points that the card is played for: {worth}."


def _throws(rules: Card) -> str:
    return "1 throw" if rules.throws == 1 else f"{rules.throws} throws, any dice kept between"


JOKERS = {
    FORCED: "a later throw of all alike must be entered in the category of its face; once that is used, in any other"
    " that counts no single face, in full (fixed points and all spots whatever it asks for); else for what it shows.",
    FREE: "a later throw of all alike may be entered anywhere, and once the category of its face is used in full"
    " (fixed points and all spots whatever is asked for).",
    NONE: "a later throw of all alike is entered like any other.",
}


def _again(rules: Card) -> Iterator[str]:
    """Say what later throws of all alike bring."""
    if rules.again_bonus:
        yield f"{rules.again_bonus} more for every later throw of all alike, if {rules.again} holds points."
    yield f"Once {rules.again} is used: {JOKERS[rules.joker]}"


def _counted(category: Category) -> str:
    """What a category asks for, and what it scores."""
    if category.face:
        return f"the spots of the dice that show {category.face}"
    if category.table:
        scoring, of = sum(map(bool, category.table)), len(category.table)
        return f"points told throw by throw: {scoring} of {of} throws score, up to {max(category.table)}"
    asked = list[str]()
    if category.groups:
        more = ", or all alike" if category.all_alike else ""
        asked.append(" and ".join(f"{size} alike" for size in category.groups) + more)
    if category.run:
        asked.append(" or ".join("-".join(map(str, run)) for run in category.run))
    if category.only:
        asked.append(f"no other faces than {', '.join(map(str, category.only))}")
    if category.least == category.most:
        asked.append(f"a sum of {category.least}")
    else:
        asked += [f"a sum of at least {category.least}"] if category.least else []
        asked += [f"a sum of at most {category.most}"] if category.most else []
    spots = {"sum": "all spots", "groups": "the spots of those dice"}.get(str(category.points), str(category.points))
    return ", ".join([*asked, f"{spots} and {category.plus} more" if category.plus else spots])


def scoring(rules: PushRules, entries: Sequence[Mapping[str, Any]] = ()) -> Iterator[str]:
    """Say what is thrown and what scores, a line at a time; ``entries``: the special throws as a file tells them."""
    if isinstance(rules, UnlikeRules):
        yield f"{_dice(rules.size(rules.dice))} with the faces {' '.join(rules.faces)}, unlike one another:"
        for kind in rules.kinds:
            yield f"  {kind.count} {kind.name or 'plain'}, weighted {' '.join(map(str, kind.weights))}."
    else:
        fair = len(set(rules.weights)) == 1
        weights = "" if fair else f", weighted {' '.join(map(str, rules.weights))}"
        yield f"{_dice(rules.dice)} with the faces {' '.join(rules.faces)}{weights}."
    single = {face: values[1] for face, values in zip(rules.faces, rules.values, strict=True)}
    if any(points is not None for points in single.values()):
        yield (
            "One die: "
            + ", ".join(f"{face} = {points:,}" for face, points in single.items() if points is not None)
            + "."
        )
    for count in range(2, len(rules.values[0])):
        alike = {
            face: points
            for face, values in zip(rules.faces, rules.values, strict=True)
            if (points := values[count]) is not None
            and not (
                (rest := values[count - 1]) is not None and (one := values[1]) is not None and points == rest + one
            )
        }
        if alike:
            yield f"{count} alike on one throw: " + ", ".join(f"{f} = {p:,}" for f, p in alike.items()) + "."
    if rules.sets_worth is not None:
        most = max(rules.sets_worth.values(), default=0)
        yield f"Sets told one by one: {len(rules.sets_worth):,} score, up to {most:,}."
    by_name: dict[str, list[tuple[Counts, int]]] = {}
    for pattern, points in rules.patterns:
        by_name.setdefault(rules.names.get(pattern, ""), []).append((pattern, points))
    for name, patterns in by_name.items():
        for dice, points in _grouped(rules, patterns):
            yield f"{f'{name.capitalize()}: ' if name else ''}{dice} on one throw: {points:,}."
    if entries:
        for entry in entries:
            yield _special(rules, entry)
    else:
        specials = [(counts, (effect, more)) for counts, effect, more in rules.specials]
        for dice, (effect, points) in _grouped(rules, specials):
            yield f"{dice} as a whole throw {_effect(effect, points)}."
    yield from _turn(rules)


def _dice(count: int) -> str:
    return f"{count} {'die' if count == 1 else 'dice'}"


def _effect(effect: str, points: int | str) -> str:
    told = "all its spots" if points == "sum" else f"{points:,}"
    scored = {
        "score": f"scores {told}, all dice counting as set aside",
        "again": f"scores {told}, and all dice must be thrown again",
        "same": f"scores {told}, none of its dice being set aside",
    }
    return EFFECTS.get(effect) or scored[effect]


def _special(rules: PushRules, entry: Mapping[str, Any]) -> str:
    """A special throw as a file tells it."""
    name = f"{entry['name'].capitalize()}: " if entry.get("name") else ""
    effect = _effect(entry["effect"], entry.get("points", 0))
    if "throw" in entry:
        return f"{name}{entry['throw']} as a whole throw {effect}."
    said: dict[str, Callable[[Any], str]] = {
        "scoreless": lambda value: "no die that scores",
        "groups": lambda value: " and ".join(f"{size} alike" for size in value),
        "shows": lambda value: f"{value} among the dice",
        "only": lambda value: f"no other faces than {value}",
        "sum": lambda value: f"a sum of {value}",
        "at_least": lambda value: f"a sum of at least {value}",
        "at_most": lambda value: f"a sum of at most {value}",
    }
    asked = ", ".join(say(entry[key]) for key, say in said.items() if key in entry)
    of = entry.get("of", ())
    sizes = f" of {' or '.join(map(str, of if isinstance(of, Sequence) else [of]))} dice" if of else ""
    return f"{name}{'a' if name else 'A'} throw{sizes} with {asked} {effect}."


def _turn(rules: PushRules) -> Iterator[str]:
    """What may be done, what a bust costs, and how the game is won."""
    if rules.once:
        chosen = "; before it the player says how many dice are thrown" if rules.choose else ""
        yield f"A turn is one throw{chosen}."
    else:
        left = ", ".join(face for face, may in zip(rules.faces, rules.leave, strict=False) if may)
        yield {
            "free": "Any set in which every die scores may be set aside.",
            "all": "All dice that score are set aside"
            + (f"; {left} may stay in the hand where others score and it would add its own points." if left else "."),
            "all-or-none": "A throw scores with all its dice, or is a bust.",
        }[rules.set_aside]
        ended = {
            "free": "they may all be thrown again",
            "must": "they must all be thrown again",
            "none": "the turn ends",
        }
        yield f"Once all dice are set aside {ended[rules.hot_dice]}."
        if rules.stop == "all":
            yield "Nobody may stop before."
    if min(rules.worths) < 0:
        yield "What scores below 0 takes points off those in hand, down to none."
    if rules.confirms:
        yield from _confirm(rules)
    first = max(rules.opening, rules.minimum)
    if first:
        later = f", later ones at least {rules.minimum:,}" if rules.minimum < first else ""
        win = "" if rules.minimum_on_win else "; not so on the winning turn"
        below = "scores nothing" if rules.below == "nothing" else "is not allowed"
        yield f"A first bank brings at least {first:,} points{later}{win}; stopping with fewer {below}."
    if rules.costs:
        costs = ", ".join(f"{cost:,}" if cost else "nothing" for cost in rules.costs)
        after = "then the count starts anew" if rules.costs_then == "anew" else "and so does every later one"
        yield f"Busts in a row cost {costs}, {after}; no score goes below {rules.floor:,}."
    if rules.take_over != "none":
        who = "anybody" if rules.take_over == "free" else "who has points"
        yield f"After a bank {who} next may take over: throw the dice left over, with the points just banked in hand."
    if rules.finish == "one_turn":
        yield f"Every player has one turn; the {rules.best} points win, and those tied play again."
        return
    if rules.best == "lowest":
        yield "The lowest points of a turn are the best."
        return
    finish = {
        "at_least": f"Who has at least {rules.target:,} wins at once.",
        "exact": f"Who has exactly {rules.target:,} wins; a set that would pass it may not be taken.",
        "last_round": f"Once somebody has at least {rules.target:,} every other player has one last turn; the highest"
        " total wins.",
    }
    yield finish[rules.finish]


def _confirm(rules: PushRules) -> Iterator[str]:
    """Say which sets must be confirmed, and how."""
    told = [f"{size} alike" for size in rules.confirm_sizes]
    told += sorted({rules.names[counts] for counts in rules.confirm_patterns})
    yield f"After {' or '.join(told)} the next throw must be made, whatever is in hand."
    if rules.over:
        yield "If it shows the face of which that set has most, it is thrown over, all its dice."


def _orders(shape: Counts) -> int:
    """How many different rows of counts have these counts in some order."""
    return math.factorial(len(shape)) // math.prod(math.factorial(times) for times in Counter(shape).values())


def _grouped(rules: PushRules, throws: Sequence[tuple[Counts, Meaning]]) -> Iterator[tuple[str, Meaning]]:
    """Throws as dice; those that mean the same for all choices of faces as letters."""
    by_shape: dict[tuple[Counts, Meaning], list[Counts]] = {}
    for counts, meaning in throws:
        by_shape.setdefault((tuple(sorted(counts)), meaning), []).append(counts)
    for (shape, meaning), group in by_shape.items():
        if len(group) == _orders(shape) > 1:
            repeats = sorted((count for count in shape if count), reverse=True)
            yield " ".join(chr(ord("a") + i) for i, n in enumerate(repeats) for _ in range(n)) + " (any faces)", meaning
        else:
            for counts in group:
                yield " ".join(f for f, n in zip(rules.faces, counts, strict=True) for _ in range(n)), meaning
