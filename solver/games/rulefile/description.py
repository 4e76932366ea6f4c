"""Rules in words, from the data that is solved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ...util import multiset
from ...util.number_format import format_count
from .. import Game, game_file
from ..card_rules import FORCED, FREE, NONE, Card, Category
from ..dice_matcher import Shown
from ..push_rules import PushRules
from ..touch_odds import COUNTS, SIZES, label
from .dice_patterns import read_shown

EFFECTS = {
    "win": "wins the game at once",
    "bust": "ends the turn without points",
    "wipe": "ends the turn and loses the whole score",
    "void": "counts for nothing: the turn stands as before it",
}


def in_words(game: Game) -> Iterator[str]:
    """Say how the game is played, and all that values depend on beside the options, a line at a time."""
    if isinstance(game.data, PushRules):
        yield from scoring(game.data, game.rules if "name" in game.rules else _told(game.data))
    elif isinstance(game.data, Card):
        yield from card(game.data, game.rules)
    else:
        file = game_file(game.id)
        yield from file.describe(game.rules) if hasattr(file, "describe") else (file.__doc__ or "").splitlines()[:1]
        if "odds" in game.rules:
            yield from odds(game.rules["odds"])


PAIRS = ", four alike being two of them,"


def idle(game: Game) -> set[str]:
    """The options of a push-your-luck file that have no part under its other rules."""
    if not (isinstance(game.data, PushRules) and "name" in game.rules):
        return set()
    rules = game.data
    race = not rules.one_turn and rules.best == "highest"
    parts = {
        "target": race,
        "stop.on_win": race and rules.finish != "exact" and max(rules.opening, rules.minimum) > 0,
        "stop.below": not rules.once and rules.stop == "free",
        "then.all": not rules.once,
        "then.dice": rules.once,
        "best": rules.stop == "all",
    }
    return {key for key, part in parts.items() if not part}


LOST = 5  # times that others are more than what has lost a zero


def doubts(game: Game) -> Iterator[str]:
    """Say what in a file looks like a slip, a line at a time; the game is as the file says all the same."""
    singles: Mapping[str, int] = game.rules.get("singles", {})
    for size, by_face in game.rules.get("alike", {}).items():
        faces = [face for face in by_face if face != "then"]
        for face in faces:
            if 0 < (points := by_face[face]) < (alone := int(size) * singles.get(face, 0)):
                yield f"[alike.{size}] {face} = {points:,} is less than {size} alone, {alone:,}: is a zero lost?"
            elif 0 < LOST * points <= (least := min((by_face[one] for one in faces if one != face), default=0)):
                yield f"[alike.{size}] {face} = {points:,} is far less than the others, {least:,}: is a zero lost?"
    if isinstance(game.data, PushRules) and "name" in game.rules:
        others = (one for one in game.data.patterns if one.name or max(one.dice) < sum(one.dice))
        for (name, points), alike in groupby(others, lambda one: (one.name, one.points)):
            best = [(pattern, game.data.reading(pattern.dice)) for pattern in alike]
            if all(reading and reading.points > points for _, reading in best):
                shown = name or _shown(game.data.faces, best[0][0].dice)
                yield f"the pattern {shown} never counts: its dice score more than {points:,} otherwise"
    for option in game.options:
        value = game.rules[option.key]
        if value != option.default and option.key in idle(game) and game.rules["finish"] != "exact":
            yield f"{option.key} = {str(value).lower()} has no part under these rules: leave it out"
    if isinstance(game.data, Card) and game.data.steps:
        rules = game.data
        column = (number for number in range(len(rules.names)) if rules.columns[0] >> number & 1)
        most = sum(max(rules.held(number, rules.full)) for number in column) // rules.factors[0]
        for at, bonus in rules.steps:
            if at > most:
                yield f"nobody gets the bonus of {bonus} at {at}: its boxes hold {most} together at most"


def odds(told: Mapping[str, Any]) -> Iterator[str]:
    """Say how pieces feel, and how often taking one trips the bar."""
    yield f"Odds: {label(told['name'])}."
    for size in SIZES:
        for feel, entry in told[size].items():
            counted = ", ".join(f"{entry[key]:,} {key}" for key in COUNTS if key in entry)
            from_ = f" ({counted})" if counted else ""
            yield f"  {size} pieces: {feel} with a chance of {entry['chance']}, trips {entry['trip']}{from_}."


def card(rules: Card, told: Mapping[str, Any]) -> Iterator[str]:
    """Say what a card counts; ``told``: what a file tells of it, where there is one."""
    dice = format_count(rules.dice, "die")
    yield f"{dice} with the faces 1 to {rules.faces}{_weighted(rules.weights)}; {_throws(rules)}."
    if colours := told.get("colours"):
        yield f"Colours of the faces: {', '.join(f'{face} {colour}' for face, colour in enumerate(colours, 1))}."
    parts = f" The dice are split in {rules.boxes}, each part for a category of its own." if rules.boxes > 1 else ""
    zeros = "a zero may be entered where a throw scores nowhere else" if rules.forced_zeros else "zeros may be entered"
    categories = list(_categories(rules, told))
    each = f"each filled once{' in every box of it' * (len(rules.categories) > len(categories))}"
    yield f"{len(categories)} {'categories' if len(categories) > 1 else 'category'}, {each}; {zeros}.{parts}"
    if columns := told.get("columns"):
        count = ", ".join("once" if factor == 1 else f"{factor} times" for factor in columns)
        yield f"{format_count(len(columns), 'column')} of all boxes, where points count {count}."
    if "order" in told:
        yield "The boxes of a column are filled from its first to its last."
    if rules.saved:
        yield f"Throws that a turn does not take may be taken in later ones; up to {rules.saved} are saved."
    for category, times in categories:
        first = f"; after the first throw {category.first}" if category.first else ""
        first += "; after the first throw it wins the game" if category.wins else ""
        boxes = f"; {times} boxes, filled one after another" if times > 1 else ""
        yield f"  {category.name}: {_counted(category, rules)}{first}{boxes}"
    upper = ", ".join(told["upper"]["categories"] if "upper" in told else rules.upper)
    for number, (at, bonus) in enumerate(rules.steps):
        more = "in all " if number else "more points "
        each = " in a column, which counts both as often as its points" if len(rules.columns) > 1 else ""
        yield f"{bonus} {more}once {upper} hold {at} together{each}."
    if rules.again:
        yield from _again(rules)
    if rules.ranges:
        worth = ", ".join(f"{points} from {at} on" for at, points in rules.ranges)
        yield f"The total gives the points that the card is played for: {worth}."


def _categories(rules: Card, told: Mapping[str, Any]) -> Iterator[tuple[Category, int]]:
    """The categories of a column, and how many boxes each has."""
    if not told.get("category"):
        yield from ((category, 1) for category in rules.categories)
        return
    place = 0
    for entry in told["category"]:
        times = entry.get("times", 1)
        yield replace(rules.categories[place], name=entry["name"], factor=1), times
        place += times


def _weighted(weights: Sequence[int]) -> str:
    return f", weighted {' '.join(map(str, weights))}" if len(set(weights)) > 1 else ""


def _throws(rules: Card) -> str:
    return format_count(rules.throws, "throw") + ", any dice kept between" * (rules.throws > 1)


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


def in_groups(sizes: Sequence[int]) -> str:
    """Groups of so many alike, each of another face."""
    alike, other = [f"{size} alike" for size in sizes if size > 1], sizes.count(1)
    faces = f"{other} {'other' if alike else 'different'} face{'s' * (other > 1)}"
    return " and ".join([*alike, *([faces] if other else [])])


def _asked(shown: Shown, faces: Sequence[str]) -> Iterator[str]:
    """What dice must show."""
    if shown.groups:
        yield in_groups(shown.groups) + ", or all alike" * shown.all_alike
    if shown.colours:
        yield "the dice of the groups of one colour" if shown.groups else "all dice of one colour"
    if shown.runs:
        joint = " " if "-" in "".join(faces) else "-"
        yield " or ".join(joint.join(faces[face - 1] for face in run) for run in shown.runs)
    if shown.shows:
        yield f"{_shown(faces, shown.shows)} among the dice"
    if shown.only:
        yield f"no other faces than {' '.join(faces[face - 1] for face in shown.only)}"
    if shown.least == shown.most:
        yield f"a sum of {shown.most}"
    else:
        yield from [f"a sum of at least {shown.least}"] * (shown.least > 0)
        yield from [f"a sum of at most {shown.most}"] * (shown.most is not None)


def _counted(category: Category, rules: Card) -> str:
    """What a category asks for, and what it scores."""
    if category.face:
        return f"the spots of the dice that show {category.face}"
    if category.table:
        throws = multiset.list_multisets(rules.dice // rules.boxes, rules.faces).tolist()
        faces = tuple(map(str, range(1, rules.faces + 1)))
        listed = _listed(faces, zip(throws, category.table, strict=True))
        return f"points told throw by throw: {listed or '0 for every one'}"
    groups = "the spots of the dice of the groups alone, the highest there are"
    groups += ", or of all dice where they are alike" if category.asks.all_alike else ""
    spots = {"sum": "all spots", "groups": groups}.get(str(category.points), str(category.points))
    asked = ", ".join(_asked(category.asks, [*map(str, range(1, rules.faces + 1))]))
    return f"{asked}{': ' * bool(asked)}{spots}{f' and {category.plus} more' * bool(category.plus)}"


def _listed(faces: Sequence[str], scores: Iterable[tuple[Sequence[int], int]]) -> str:
    """Throws or sets by what they score, those of most points first; what scores nothing is left out."""
    by_points: dict[int, list[str]] = {}
    for counts, points in scores:
        if points:
            by_points.setdefault(points, []).append(_shown(faces, counts))
    return "; ".join(f"{points:,} for {', '.join(by_points[points])}" for points in sorted(by_points, reverse=True))


def _shown(faces: Sequence[str], counts: Sequence[int]) -> str:
    return " ".join(face for face, count in zip(faces, counts, strict=True) for _ in range(count))


def scoring(rules: PushRules, told: Mapping[str, Any]) -> Iterator[str]:
    """Say what is thrown and what scores, a line at a time; ``told``: that as a file tells it."""
    if rules.kinds:
        dice = format_count(rules.size(rules.dice), "die")
        yield f"{dice} with the faces {' '.join(rules.faces)}, unlike one another:"
        for kind in rules.kinds:
            yield f"  {kind.count} {kind.name or 'plain'}, weighted {' '.join(map(str, kind.weights))}."
    else:
        yield f"{format_count(rules.dice, 'die')} with the faces {' '.join(rules.faces)}{_weighted(rules.weights)}."
    if "singles" in told:
        yield f"One die: {_by_face(rules, told['singles'])}."
    for size in sorted(told.get("alike", ()), key=int):
        yield f"{size} alike on one throw: {_by_face(rules, told['alike'][size])}."
    if rules.whole:
        nothing = ", ".join(_shown(rules.faces, one.dice) for one in rules.patterns if not one.points)
        also = f"; 0 for {nothing}" if nothing else ""
        yield f"Sets told one by one: {_listed(rules.faces, (one[:2] for one in rules.patterns))}{also}."
    for entry in told.get("pattern", ()):
        alike = PAIRS if "pairs" in entry else ""
        yield f"{_called(entry)}{_dice_of(rules, entry)}{alike} on one throw: {entry['points']:,}."
    for entry in told.get("special", ()):
        yield _special(rules, entry)
    yield from _turn(rules, told)


def _dice_of(rules: PushRules, entry: Mapping[str, Any]) -> str:
    """The dice of a pattern."""
    if pairs := entry.get("pairs", 0):
        return format_count(pairs, "pair")
    if "dice" not in entry:
        return f"{_of(entry)} with {_what(rules, entry)}" if "of" in entry else _what(rules, entry)
    return _meant(rules, entry["dice"])


def _by_face(rules: PushRules, points: Mapping[str, int]) -> str:
    return ", ".join(f"{face} = {points[face]:,}" for face in rules.faces if face in points)


def _called(entry: Mapping[str, Any]) -> str:
    return f"{entry['name']}: " if "name" in entry else ""


def _meant(rules: PushRules, dice: str) -> str:
    """Dice as a file tells them, spelled one way; letters stand for any faces that are not alike."""
    shown = dice.split() if " " in dice else list(dice)
    return " ".join(shown) + ("" if set(shown) <= set(rules.faces) else " (any faces)")


def _told(rules: PushRules) -> dict[str, Any]:
    """What scores in a game that no file tells, as a file would tell it."""
    told: dict[str, Any] = {"singles": {}, "alike": {}, "pattern": []}
    for one in rules.patterns:
        dice = _shown(rules.faces, one.dice)
        if (count := max(one.dice)) < sum(one.dice):
            told["pattern"].append({"dice": dice, "points": one.points})
        else:
            by_face = told["singles"] if count == 1 else told["alike"].setdefault(str(count), {})
            by_face[dice.split()[0]] = one.points
    told["special"] = [{"throw": _shown(rules.faces, one.throw), "then": one.effect} for one in rules.specials]
    return {key: value for key, value in told.items() if value}


def _effect(rules: PushRules, entry: Mapping[str, Any]) -> str:
    then = entry.get("then", "")
    if then in EFFECTS:
        stops = then == "void" and not rules.once and rules.stop == "free"
        return EFFECTS[then] + ", to be banked or thrown on" * stops
    told = "all its spots" if entry["points"] == "sum" else f"{entry['points']:,}"
    follows = {"must": "and all dice must be thrown again", "end": "and ends the turn"}
    follows["roll"] = f"and all dice {'are' if rules.stop == 'all' else 'may be'} thrown again"
    follows[""] = "all dice counting as set aside"
    return f"scores {told}, {'none of its dice being set aside' if 'dice' in entry else follows[then]}"


def _special(rules: PushRules, entry: Mapping[str, Any]) -> str:
    """A special throw as a file tells it."""
    effect = _effect(rules, entry)
    if "pairs" in entry:
        return f"{_called(entry)}a throw of {_dice_of(rules, entry)}{PAIRS} {effect}."
    if "throw" in entry:
        return f"{_called(entry)}{_meant(rules, entry['throw'])} as a whole throw {effect}."
    of = f" of {_of(entry)}" if "of" in entry else ""
    return f"{_called(entry)}a throw{of} with {_what(rules, entry)} {effect}."


def _what(rules: PushRules, entry: Mapping[str, Any]) -> str:
    """What an entry of a file asks dice to show."""
    shown = read_shown(entry, rules.faces, rules.size(rules.dice), ())
    return ", ".join([*(["no die that scores"] * ("scoreless" in entry)), *_asked(shown, rules.faces)])


def _of(entry: Mapping[str, Any]) -> str:
    *fewer, most = entry["of"] if isinstance(entry["of"], Sequence) else [entry["of"]]
    return " or ".join([*map(str, fewer), format_count(most, "die")])


def _turn(rules: PushRules, told: Mapping[str, Any]) -> Iterator[str]:
    """What may be done, what a bust costs, and how the game is won."""
    left = ", ".join(face for face, may in zip(rules.faces, rules.leave, strict=False) if may)
    unlike = "; of dice unlike one another that show the same face the player says which" * bool(rules.kinds)
    yield {
        "free": "Any set in which every die scores may be set aside.",
        "all": f"All dice that score are set aside{unlike}"
        + (f"; {left} may stay in the hand where others score and it would add its own points." if left else "."),
        "all-or-none": "A throw scores with all its dice, or is a bust.",
    }[rules.set_aside]
    if rules.once:
        chosen = "; before it the player says how many dice are thrown" if rules.choose else ""
        yield f"A turn is one throw{chosen}."
    else:
        ended = {
            "free": "they may all be thrown again",
            "must": "they must all be thrown again",
            "none": "the turn ends",
        }
        yield f"Once all dice are set aside {ended[rules.hot_dice]}."
        if rules.stop == "all":
            yield "Nobody may stop before."
    if lost := _bust(rules):
        yield lost
    if min(rules.worths) < 0:
        yield "What scores below 0 takes points off those in hand, down to none."
    if rules.confirms:
        yield from _confirm(rules, told)
    first = max(rules.opening, rules.minimum)
    if first:
        later = f", later ones {f'at least {rules.minimum:,}' if rules.minimum else 'any'}" * (rules.minimum < first)
        win = "" if rules.minimum_on_win else "; not so on the winning turn"
        below = "scores nothing" if rules.below == "nothing" else "is not allowed"
        which = "first bank" if later else "bank"
        yield f"A {which} brings at least {format_count(first, 'point')}{later}{win}; stopping with fewer {below}."
    if rules.costs:
        costs = ", ".join(f"{cost:,}" if cost else "nothing" for cost in rules.costs)
        after = "then the count starts anew" if rules.costs_then == "anew" else "and so does every later one"
        yield f"Busts in a row cost {costs}, {after}; no score goes below {rules.floor:,}."
    if rules.above:
        yield f"A hand of more than {format_count(rules.above, 'point')} is lost."
    if rules.take_over != "none":
        who = "the next player" + ", holding points already," * (rules.take_over == "opened")
        yield f"After a bank {who} may take over: throw the dice left over, with the points just banked in hand."
    if rules.one_turn:
        tied = "play again" if rules.finish == "one_turn" else "share"
        yield f"Every player has one turn; the {rules.best} points win, and those tied {tied}."
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


def _bust(rules: PushRules) -> str:
    """Say what loses a turn; "" where every throw scores or has a meaning of its own."""
    sizes = [rules.dice] if rules.once and not rules.choose else range(1, rules.dice + 1)
    throws = (roll for dice in sizes for roll, _ in rules.throws(dice) if _is_bust(rules, dice, roll))
    if rules.dice == 1:
        faces = [_shown(rules.faces, roll) for roll in throws]
        which = f"A throw of {', '.join(faces[:-1])}{' or ' * (len(faces) > 1)}{faces[-1]}" if faces else ""
    else:
        which = "A throw that scores nothing" if next(throws, None) else ""
        return which and f"{which} loses the turn: its points do not count."
    return which and f"{which} scores nothing and loses the turn: its points do not count."


def _is_bust(rules: PushRules, dice: int, roll: tuple[int, ...]) -> bool:
    return not rules.special(roll) and not rules.offered(dice, roll)


def _confirm(rules: PushRules, told: Mapping[str, Any]) -> Iterator[str]:
    """Say which sets must be confirmed, and how."""
    sizes = sorted(int(size) for size, by_face in told.get("alike", {}).items() if "then" in by_face)
    patterns = told.get("pattern", ())
    plain = {entry.get("name") for entry in patterns if "then" not in entry}
    names = {
        entry["name"] if entry.get("name", "") not in {"", *plain} else _dice_of(rules, entry)
        for entry in patterns
        if "then" in entry
    }
    sets = " or ".join([*(f"{size} alike" for size in sizes), *sorted(names)])
    yield f"After {sets} the next throw must be made, whatever is in hand."
    if rules.over:
        yield "If it shows the face of which that set has most, it is thrown over, all its dice."
