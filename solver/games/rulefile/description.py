"""Rules in words, from the data that is solved.

``in_words`` describes any game. ``scoring`` describes push-your-luck games and ``card`` describes cards, both with the
entries of the rule file if there is one. ``doubts`` finds probable slips of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ...util import multiset
from ...util.number_format import format_count
from .. import FILES, Game, game_file, shipped_rule_files
from ..badges import EMPEROR_COUNT, EMPEROR_FACE, EMPEROR_FACTOR, patterns_of_rules
from ..card_rules import FORCED, FREE, NONE, Card, Category
from ..cup_rules import CupRules
from ..dice_matcher import DiceCondition
from ..one_face_rules import OneFaceRules
from ..push_rules import Counts, Pattern, PushRules
from ..touch_odds import COUNTS, SIZES, label
from .dice_patterns import parse_condition
from .loader import rule_file_source

EFFECTS = {
    "win": "wins the game at once",
    "bust": "ends the turn without points",
    "wipe": "ends the turn and loses the whole score",
    "void": "counts for nothing: the turn stays as it was",
}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
JOKERS = {
    FORCED: "a later roll with all dice alike must be entered in the box of its face. Once that is filled, it may be"
    " entered in any box of the lower part, and scores in full there (fixed points, or all"
    " spots, whatever the box requires); if all of those are filled too, it is entered as a zero.",
    FREE: "a later roll with all dice alike may be entered anywhere. Once the box of its face is filled, it scores in"
    " full (fixed points, or all spots, whatever the box requires).",
    NONE: "a later roll with all dice alike is entered like any other.",
}
FINISHES = {
    "at_least": "A player with at least {target} wins at once.",
    "exact": "A player with exactly {target} wins; a set that would pass it may not be taken.",
    "last_round": "Once a player has at least {target}, every other player has one last turn; the highest total wins,"
    " and tied players share the win.",
}
CONDITION_LINK = ", and also "  # between conditions that a roll must all meet
PAIRS = ", where four alike count as two,"
LETTER_COUNTS = {2: "two", 3: "three"}
LOST_ZERO_RATIO = 5  # other points are at least so many times as much as points that may have lost a zero

Entry = Mapping[str, Any]


def describe_game(game: Game) -> Iterator[str]:
    """Yield lines that say how the game is played, with all that values depend on beside the options."""
    if isinstance(game.data, OneFaceRules):
        yield from describe_one_face_game(game.data)
    elif isinstance(game.data, CupRules):
        yield from describe_cup_game(game.data)
    elif isinstance(game.data, PushRules):
        yield from describe_push_game(game.data, game.rules if "name" in game.rules else _as_file(game.data))
    elif isinstance(game.data, Card):
        yield from describe_card(game.data, game.rules)
    else:
        file = game_file(game.id)
        yield from file.describe(game.rules) if hasattr(file, "describe") else (file.__doc__ or "").splitlines()[:1]
        if "odds" in game.rules:
            yield from describe_odds(game.rules["odds"])


def describe_source(game: Game) -> str:
    """Return the sources of a game's rules, each with its year; "" if none is named, as of your own rule file."""
    if game.id in FILES:
        sources = game_file(game.id).SOURCES
        return "; ".join(title + (" (no year given)" if year is None else f", {year}") for title, year in sources)
    return rule_file_source(game.id) if game.id in shipped_rule_files() else ""


# Options without effect, and slips


def options_without_effect(game: Game) -> set[str]:
    """Return the options of a push-your-luck file that have no effect beside its other rules."""
    if not (isinstance(game.data, PushRules) and "name" in game.rules):
        return set()
    rules = game.data
    is_race = not rules.is_one_turn and rules.best == "highest"
    has_minimum = max(rules.opening, rules.minimum) > 0
    has_effect = {
        "target": is_race,
        "stop.on_win": is_race and rules.finish != "exact" and has_minimum,
        "stop.below": not rules.is_single_roll and not rules.never_stops,
        "then.all": not rules.is_single_roll,
        "then.dice": rules.is_single_roll,
        "best": rules.never_stops,
    }
    return {key for key, effect in has_effect.items() if not effect}


def find_slips(game: Game) -> Iterator[str]:
    """Yield lines about probable slips of a file; the game is as the file says all the same."""
    yield from _lost_zeros(game.rules)
    if isinstance(game.data, PushRules) and "name" in game.rules:
        yield from _useless_patterns(game.data)
    for option in game.options:
        value = game.rules[option.key]
        if value != option.default and option.key in options_without_effect(game) and game.rules["finish"] != "exact":
            yield f"{option.key} = {str(value).lower()} has no effect under these rules: leave it out"
    if isinstance(game.data, Card):
        yield from _unreachable_bonuses(game.data)


def _lost_zeros(rules: Entry) -> Iterator[str]:
    """Yield a line for points of several alike that are far less than their neighbours."""
    singles: Mapping[str, int] = rules.get("singles", {})
    for size, by_face in rules.get("alike", {}).items():
        points_by_face = {face: points for face, points in by_face.items() if face != "then"}
        for face, points in points_by_face.items():
            alone = int(size) * singles.get(face, 0)
            if 0 < points < alone:
                yield (
                    f"[alike.{size}] {face} = {points:,} is less than {size} single dice score, {alone:,}: is a"
                    " zero missing?"
                )
                continue
            minimum = min((points_by_face[name] for name in points_by_face if name != face), default=0)
            if 0 < LOST_ZERO_RATIO * points <= minimum:
                message = (
                    f"[alike.{size}] {face} = {points:,} is far less than the points of other faces, {minimum:,}"
                    " or more"
                )
                yield f"{message}: is a zero missing?"


def _useless_patterns(rules: PushRules) -> Iterator[str]:
    """Yield a line for patterns whose dice always score more otherwise."""

    def name_and_points(pattern: Pattern) -> tuple[str, int]:
        return pattern.name, pattern.points

    tame_patterns = [
        pattern for pattern in rules.patterns if not any(pattern.dice[face] for face in rules.wild)
    ]  # those that wild faces complete are not in the file
    patterns = (pattern for pattern in tame_patterns if pattern.name or max(pattern.dice) < sum(pattern.dice))
    for (name, points), group in groupby(patterns, name_and_points):
        dice = [pattern.dice for pattern in group]
        readings = [rules.reading(counts) for counts in dice]
        if all(reading and reading.points > points for reading in readings):
            label_of_dice = name or _dice_in_words(rules.faces, dice[0])
            yield f"the pattern {label_of_dice} never counts: its dice score more than {points:,} in other ways"


def _unreachable_bonuses(rules: Card) -> Iterator[str]:
    """Yield a line for each bonus of the upper boxes that needs more than they can hold."""
    if not rules.upper_steps:
        return
    column = (number for number in range(len(rules.names)) if rules.columns[0] >> number & 1)
    max_total = sum(max(rules.possible_points(number, rules.full_mask)) for number in column) // rules.factors[0]
    for min_total, bonus in rules.upper_steps:
        if min_total > max_total:
            yield (
                f"the bonus of {bonus} at {min_total} can never be reached: its boxes hold at most {max_total} together"
            )


# Touch games


def describe_odds(entry: Entry) -> Iterator[str]:
    """Yield lines that say how pieces feel, and how often taking one trips the bar."""
    yield odds_heading(entry)
    for size in SIZES:
        for feel, chances in entry[size].items():
            counts = ", ".join(f"{chances[key]:,} {key}" for key in COUNTS if key in chances)
            source = f" ({counts})" if counts else ""
            yield f"  {size} pieces: {feel} with a chance of {chances['chance']}, trips {chances['trip']}{source}."


def odds_heading(entry: Entry) -> str:
    """Return the line above the odds, which says where they come from."""
    return f"Odds: {label(entry['name'])}."


def odds_table(entry: Entry) -> list[tuple[str, ...]]:
    """Return the odds as rows of text: a heading row, then one for each size and feel."""
    keys = ("chance", "trip", *(key for key in COUNTS if any(key in chances for chances in entry[SIZES[0]].values())))
    headings = {"chance": "how often", "trip": "trips the bar"}
    rows = [("pieces", "feel", *(headings.get(key, key) for key in keys))]
    for size in SIZES:
        rows += [(size, feel, *(str(chances.get(key, "")) for key in keys)) for feel, chances in entry[size].items()]
    return rows


# Cards


def describe_card(rules: Card, entries: Entry) -> Iterator[str]:
    """Yield lines that say what a card counts.

    Args:
        rules: the card.
        entries: the rules of its file; options without ``category`` for a known game.
    """
    dice = format_count(rules.dice, "die")
    rolls = format_count(rules.throws, "roll") + ", keeping any dice between rolls" * (rules.throws > 1)
    yield f"{dice} with the faces 1 to {rules.faces}{_weights_in_words(rules.weights)}; {rolls}."
    if colours := entries.get("colours"):
        yield f"Colours of the faces: {', '.join(f'{face} {colour}' for face, colour in enumerate(colours, 1))}."
    parts = (
        f" The dice are split into {rules.boxes} parts, each entered in a box of its own." if rules.boxes > 1 else ""
    )
    zeros = (
        "a zero may be entered only if the roll scores in no open box"
        if rules.has_forced_zeros
        else "zeros may be entered"
    )
    if rules.throw_costs:
        yield f"{_roll_costs_in_words(rules.throw_costs)}. What a turn has paid is taken off the box that it fills."
    categories = list(_list_categories(rules, entries))
    if len(rules.categories) > len(categories):
        boxes = f"{len(categories)} {'kinds' if len(categories) > 1 else 'kind'} of boxes, each box filled once"
    else:
        boxes = f"{len(categories)} {'boxes' if len(categories) > 1 else 'box'}, each filled once"
    yield f"{boxes}; {zeros}.{parts}"
    if columns := entries.get("columns"):
        factors = ", ".join("once" if factor == 1 else f"{factor} times" for factor in columns)
        yield f"{format_count(len(columns), 'column')}, each with all boxes; their points count {factors}."
    if "order" in entries:
        yield "The boxes of a column are filled from first to last."
    if rules.saved_throws:
        yield f"Rolls that a turn does not use may be used in later turns; up to {rules.saved_throws} can be saved."
    for category, times in categories:
        first = f"; after the first roll {category.first}" if category.first else ""
        first += "; after the first roll it wins the game" if category.wins_on_first_roll else ""
        filling = f"; {times} boxes, filled in order" if times > 1 else ""
        yield f"  {category.name}: {_category_in_words(category, rules)}{first}{filling}"
    yield from _card_bonuses(rules, entries)


def _card_bonuses(rules: Card, entries: Entry) -> Iterator[str]:
    """Yield lines about bonuses of the upper boxes, later rolls of all dice alike, and the points of totals."""
    upper = ", ".join(entries["upper"]["categories"] if "upper" in entries else rules.upper_categories)
    per_column = " in one column, multiplied like the points of the column" if len(rules.columns) > 1 else ""
    for number, (min_total, bonus) in enumerate(rules.upper_steps):
        unit = "points in all" if number else "points"
        yield f"A bonus of {bonus} {unit} if {upper} add up to at least {min_total}{per_column}."
    if rules.again_category:
        yield from _later_alike(rules)
    if rules.total_ranges:
        points_by_total = ", ".join(f"{points} from {min_total} on" for min_total, points in rules.total_ranges)
        yield f"What the card is worth depends on its total: {points_by_total}."


def _roll_costs_in_words(costs: Sequence[int]) -> str:
    """Return what the rolls of a turn cost: ``Every roll of a turn after the first costs 1 point``."""
    if len(set(costs)) == 1:
        return f"Every roll of a turn after the first costs {format_count(costs[0], 'point')}"
    first_roll, parts = 2, list[str]()
    for cost, equal_costs in groupby(costs):
        last_roll = first_roll + len(list(equal_costs)) - 1
        price = f"costs {format_count(cost, 'point')}" if cost else "is free"
        if first_roll == last_roll:
            parts.append(f"roll {first_roll} {price}")
        else:
            price_of_each = f"cost {format_count(cost, 'point')} each" if cost else "are free"
            parts.append(f"rolls {first_roll} to {last_roll} {price_of_each}")
        first_roll = last_roll + 1
    return f"In a turn, {', '.join(parts[:-1])} and {parts[-1]}"


def _list_categories(rules: Card, entries: Entry) -> Iterator[tuple[Category, int]]:
    """Yield the categories of one column, each with its number of boxes."""
    if not entries.get("category"):
        yield from ((category, 1) for category in rules.categories)
        return
    first_box = 0
    for entry in entries["category"]:
        times = entry.get("times", 1)
        yield replace(rules.categories[first_box], name=entry["name"], factor=1), times
        first_box += times


def _weights_in_words(weights: Sequence[int]) -> str:
    return f", weighted {' '.join(map(str, weights))}" if len(set(weights)) > 1 else ""


def _later_alike(rules: Card) -> Iterator[str]:
    """Yield lines that say what later rolls of all dice alike bring."""
    if rules.again_bonus:
        bonus = f"{rules.again_bonus} more for every later roll with all dice alike"
        yield f"{bonus}, if the box {rules.again_category} holds points."
    yield f"Once the box {rules.again_category} is filled: {JOKERS[rules.again_joker]}"


def describe_groups(sizes: Sequence[int]) -> str:
    """Return in words groups of dice alike, each of another face."""
    groups, single_count = [f"{size} alike" for size in sizes if size > 1], sizes.count(1)
    singles = f"{single_count} {'other' if groups else 'different'} face{'s' * (single_count > 1)}"
    return " and ".join([*groups, *([singles] if single_count else [])])


def _conditions(condition: DiceCondition, faces: Sequence[str]) -> Iterator[str]:
    """Yield the conditions of a matcher in words."""
    if condition.groups:
        yield describe_groups(condition.groups) + ", or all alike" * condition.all_alike
    if condition.colours:
        yield "all these dice of one colour" if condition.groups else "all dice of one colour"
    if condition.straights:
        separator = " " if "-" in "".join(faces) else "-"
        yield " or ".join(separator.join(faces[face - 1] for face in run) for run in condition.straights)
    if condition.shows:
        yield f"{_dice_in_words(faces, condition.shows)} among the dice"
    if condition.only:
        yield f"no faces other than {' '.join(faces[face - 1] for face in condition.only)}"
    if condition.at_least == condition.at_most:
        yield f"a sum of {condition.at_most}"
        return
    if condition.at_least > 0:
        yield f"a sum of at least {condition.at_least}"
    if condition.at_most is not None:
        yield f"a sum of at most {condition.at_most}"


def _category_in_words(category: Category, rules: Card) -> str:
    """Return the condition of a category, and what it scores."""
    if category.face:
        return f"the spots of the dice that show {category.face}"
    faces = [*map(str, range(1, rules.faces + 1))]
    if category.table:
        rolls = multiset.list_multisets(rules.dice // rules.boxes, rules.faces).tolist()
        points = _list_by_points(faces, zip(rolls, category.table, strict=True))
        return f"points by roll: {points or '0 for all'}"
    groups = "the sum of the matching dice only, for the best match"
    groups += ", or of all dice if they are alike" if category.condition.all_alike else ""
    points = {"sum": "all spots", "groups": groups}.get(str(category.points), str(category.points))
    conditions = CONDITION_LINK.join(_conditions(category.condition, faces))
    plus = f" and {category.plus} more" if category.plus else ""
    return f"{conditions}{': ' * bool(conditions)}{points}{plus}"


def _list_by_points(faces: Sequence[str], scores: Iterable[tuple[Sequence[int], int]]) -> str:
    """Return rolls or sets by their points, most points first; those without points are left out."""
    by_points: dict[int, list[str]] = {}
    for counts, points in scores:
        if points:
            by_points.setdefault(points, []).append(_dice_in_words(faces, counts))
    return "; ".join(f"{points:,} for {', '.join(by_points[points])}" for points in sorted(by_points, reverse=True))


def _dice_in_words(faces: Sequence[str], counts: Sequence[int]) -> str:
    return " ".join(face for face, count in zip(faces, counts, strict=True) for _ in range(count))


# Push-your-luck games


def describe_push_game(rules: PushRules, entries: Entry) -> Iterator[str]:
    """Yield lines that say what is rolled, what scores, and how a turn goes.

    Args:
        rules: the compiled rules.
        entries: the rules of its file, or those of a known game in that form.
    """
    yield from _dice(rules)
    if "singles" in entries:
        yield f"One die: {_points_by_face(rules, entries['singles'])}."
    for size in sorted(entries.get("alike", ()), key=int):
        yield f"{size} alike on one roll: {_points_by_face(rules, entries['alike'][size])}."
    if rules.scores_whole_sets:
        worthless_sets = (pattern.dice for pattern in rules.patterns if not pattern.points)
        worthless = ", ".join(_dice_in_words(rules.faces, dice) for dice in worthless_sets)
        points = _list_by_points(rules.faces, ((pattern.dice, pattern.points) for pattern in rules.patterns))
        yield f"Points by set: {points}{f'; 0 for {worthless}' if worthless else ''}."
    for entry in patterns_of_rules(entries):
        pairs = PAIRS if "pairs" in entry else ""
        yield f"{_name_prefix(entry)}{_pattern_dice(rules, entry)}{pairs} on one roll: {entry['points']:,}."
    if rules.wild:
        yield _wild_in_words(rules, entries)
    for entry in entries.get("special", ()):
        yield _special_in_words(rules, entry)
    yield _setting_aside(rules)
    yield from _end_of_turn(rules)
    if rules.has_confirmations:
        yield from _confirmation(rules, entries)
    yield from _limits(rules)
    yield from _badges(rules)
    yield from _end_of_game(rules)


def _dice(rules: PushRules) -> Iterator[str]:
    faces = " ".join(rules.faces)
    if not rules.kinds:
        yield f"{format_count(rules.dice, 'die')} with the faces {faces}{_weights_in_words(rules.weights)}."
        return
    yield f"{format_count(rules.hand_size(rules.dice), 'die')} with the faces {faces}; the dice differ:"
    for kind in rules.kinds:
        yield f"  {kind.count} {kind.name or 'plain'}, weighted {' '.join(map(str, kind.weights))}."


def _wild_in_words(rules: PushRules, entries: Entry) -> str:
    """Return the line that says what wild faces do."""
    names = rules.describe_faces(rules.wild)
    verb = "are wild: they stand" if len(rules.wild) > 1 else "is wild: it stands"
    proviso = "" if entries.get("wild_alone") else ", together with at least one die of another face"
    scores_alone = any(
        sum(pattern.dice) == 1 and pattern.dice[face] for pattern in rules.patterns for face in rules.wild
    )
    alone = "" if scores_alone else "; a wild die alone scores nothing"
    return f"{names} {verb} for any face in sets of dice alike and in patterns{proviso}{alone}."


def _pattern_dice(rules: PushRules, entry: Entry) -> str:
    """Return in words the dice that an entry matches."""
    if pairs := entry.get("pairs", 0):
        return format_count(pairs, "pair")
    if "dice" in entry:
        return _listed_dice(rules, entry["dice"])
    conditions = _entry_conditions(rules, entry)
    return f"{_die_counts(entry)} with {conditions}" if "of" in entry else conditions


def _points_by_face(rules: PushRules, points: Mapping[str, int]) -> str:
    return ", ".join(f"{face} = {points[face]:,}" for face in rules.faces if face in points)


def _name_prefix(entry: Entry) -> str:
    return f"{entry['name']}: " if "name" in entry else ""


def _listed_dice(rules: PushRules, dice: str) -> str:
    """Return dice as a file lists them; letters stand for any different faces that are not listed."""
    symbols = dice.split() if " " in dice else list(dice)
    letters = set(symbols) - set(rules.faces)
    if not letters:
        return " ".join(symbols)
    if len(letters) == 1:
        return f"{' '.join(symbols)} (any {'other ' if letters != set(symbols) else ''}face)"
    return f"{' '.join(symbols)} ({LETTER_COUNTS.get(len(letters), len(letters))} different faces)"


def _as_file(rules: PushRules) -> dict[str, Any]:
    """Return what scores in a known game, as a rule file would say it."""
    entries: dict[str, Any] = {"singles": {}, "alike": {}, "pattern": []}
    for pattern in rules.patterns:
        dice = _dice_in_words(rules.faces, pattern.dice)
        count = max(pattern.dice)
        if count < sum(pattern.dice):
            entries["pattern"].append({"dice": dice, "points": pattern.points})
            continue
        by_face = entries["singles"] if count == 1 else entries["alike"].setdefault(str(count), {})
        by_face[dice.split()[0]] = pattern.points
    entries["special"] = [
        {"throw": _dice_in_words(rules.faces, special.throw), "then": special.effect} for special in rules.specials
    ]
    return {key: value for key, value in entries.items() if value}


def _effect_in_words(rules: PushRules, entry: Entry) -> str:
    """Return in words what a special roll does."""
    then = entry.get("then", "")
    if then in EFFECTS:
        may_stop = then == "void" and not rules.is_single_roll and not rules.never_stops
        return EFFECTS[then] + ", and the player may bank or roll again" * may_stop
    points = "all its spots" if entry["points"] == "sum" else f"{entry['points']:,}"
    if "dice" in entry:
        return f"scores {points}, and none of its dice are set aside"
    follows = {
        "must": "and all dice must be rolled again",
        "end": "and ends the turn",
        "roll": f"and all dice {'are' if rules.never_stops else 'may be'} rolled again",
        "": "and all dice count as set aside",
    }
    return f"scores {points}, {follows[then]}"


def _special_in_words(rules: PushRules, entry: Entry) -> str:
    """Return the line of a special roll."""
    effect = _effect_in_words(rules, entry)
    name_and_roll = f"{entry['name']}: a roll" if "name" in entry else "A roll"
    if "pairs" in entry:
        return f"{name_and_roll} of {_pattern_dice(rules, entry)}{PAIRS} {effect}."
    if "throw" in entry:
        return f"{_name_prefix(entry)}{_listed_dice(rules, entry['throw'])} as the whole roll {effect}."
    size = f" of {_die_counts(entry)}" if "of" in entry else ""
    conditions = _entry_conditions(rules, entry)
    pause = "," if CONDITION_LINK in conditions else ""
    return f"{name_and_roll}{size} with {conditions}{pause} {effect}."


def _entry_conditions(rules: PushRules, entry: Entry) -> str:
    """Return in words the conditions of an entry."""
    condition = parse_condition(entry, rules.faces, rules.hand_size(rules.dice), ())
    scoreless = ["no scoring die"] if "scoreless" in entry else []
    return CONDITION_LINK.join([*scoreless, *_conditions(condition, rules.faces)])


def _die_counts(entry: Entry) -> str:
    """Return in words the numbers of dice that an entry is meant for."""
    *smaller, largest = entry["of"] if isinstance(entry["of"], Sequence) else [entry["of"]]
    return " or ".join([*map(str, smaller), format_count(largest, "die")])


def _offers_bank_after_each_roll(rules: PushRules) -> bool:
    """Return whether a turn rolls one die and may stop after each roll that scores, as in Pig."""
    is_free = rules.set_aside == "free" and not rules.never_stops and not rules.is_single_roll
    return rules.dice == 1 and is_free and rules.then_all == "roll"


def _setting_aside(rules: PushRules) -> str:
    if _offers_bank_after_each_roll(rules):
        return "A roll that scores adds its points; then the player rolls again or banks."
    if rules.set_aside == "free":
        return "Any set in which every die scores may be set aside."
    if rules.set_aside == "all-or-none":
        return "A roll scores with all its dice, or is a bust."
    leave = ", ".join(face for face, is_allowed in zip(rules.faces, rules.then_leave, strict=False) if is_allowed)
    kinds = "; if dice that differ show the same face, the player chooses which" if rules.kinds else ""
    if not leave:
        return f"All scoring dice are set aside{kinds}."
    condition = "if other dice score and it would add only its points as one die"
    return f"All scoring dice are set aside{kinds}; {leave} may be rolled again {condition}."


def _end_of_turn(rules: PushRules) -> Iterator[str]:
    """Yield lines that say how a turn goes on and ends."""
    if rules.is_single_roll:
        number_of_dice = "; before it the player chooses how many dice to roll" if rules.chooses_dice else ""
        yield f"A turn is one roll{number_of_dice}."
    elif not _offers_bank_after_each_roll(rules):
        follows = {
            "roll": "they may all be rolled again",
            "must": "they must all be rolled again",
            "end": "the turn ends",
        }
        yield f"Once all dice are set aside {follows[rules.then_all]}."
        if rules.never_stops:
            yield "The player may not stop before."
    if bust := _bust_in_words(rules):
        yield bust
    if min(rules.point_values) < 0:
        yield "Negative points reduce the turn points, but never below zero."


def _limits(rules: PushRules) -> Iterator[str]:
    """Yield lines that say what a bank must bring, what busts cost, and what may be taken over."""
    first = max(rules.opening, rules.minimum)
    if first:
        later = ""
        if rules.minimum < first:
            later = f", later banks {f'at least {rules.minimum:,}' if rules.minimum else 'any number'}"
        win = "" if rules.minimum_on_win else "; this does not apply to the winning turn"
        below = "scores nothing" if rules.stop_below == "end" else "is not allowed"
        bank = "first bank" if later else "bank"
        worth = format_count(first, "point")
        yield f"A {bank} must be worth at least {worth}{later}{win}; stopping with fewer points {below}."
        if later and (rules.bust_costs or rules.has_effect("wipe")):
            yield f"A player whose score falls back to 0{' or below' * (rules.bust_floor < 0)} needs {worth} again."
    if rules.bust_costs:
        yield f"{_costs_of_busts(rules)}. No score goes below {rules.bust_floor:,}."
        if len(rules.bust_costs) > 1 and rules.has_effect("wipe"):
            yield "A roll that loses the whole score starts the count of busts again."
    if rules.bust_above:
        yield f"A turn with more than {format_count(rules.bust_above, 'point')} is lost."
    if rules.take_over != "none":
        player = "the next player" + " with points already" * (rules.take_over == "opened")
        yield (
            f"After a bank {player} may take over: roll the dice that are left, and begin with the turn points just"
            " banked."
        )


def _badges(rules: PushRules) -> Iterator[str]:
    """Yield a line for each badge."""
    if rules.warlord:
        yield (
            f"Warlord, once a game, before the first roll of a turn: a bank of the turn counts {rules.warlord}% more,"
            f" rounded to the nearest multiple of {rules.grain}."
        )
    if rules.resurrection:
        times = _times_a_game(rules.resurrection)
        yield f"Resurrection, {times}: after a bust the same dice may be rolled again, with the turn points so far."
    if rules.emperor:
        dice = f"{EMPEROR_COUNT} dice that show {EMPEROR_FACE}, set aside from one roll,"
        yield f"Emperor, {_times_a_game(rules.emperor)}: {dice} may count {EMPEROR_FACTOR} times as much."


def _times_a_game(count: int) -> str:
    return {1: "once a game", 2: "twice a game"}.get(count, f"{count} times a game")


def _costs_of_busts(rules: PushRules) -> str:
    """Return what a bust costs, or busts in a row if the costs differ."""
    first_cost = rules.bust_costs[0]
    if set(rules.bust_costs) == {first_cost}:
        return f"A bust costs {format_count(first_cost, 'point')}"
    starts_again = rules.bust_count == "anew"
    *free_busts, last_cost = rules.bust_costs
    if starts_again and not any(free_busts) and len(free_busts) < len(ORDINALS):
        number = ORDINALS[len(free_busts)]
        return f"The {number} bust in a row costs {format_count(last_cost, 'point')}; then the count starts again"
    costs = ", ".join(f"{cost:,}" if cost else "nothing" for cost in rules.bust_costs)
    end_of_costs = "then the count starts again" if starts_again else "and every later one costs as much as the last"
    return f"Busts in a row cost {costs}; {end_of_costs}"


def _end_of_game(rules: PushRules) -> Iterator[str]:
    if rules.is_one_turn:
        tied = "play again" if rules.finish == "one_turn" else "share"
        winning = "fewest" if rules.best == "lowest" else "most"
        yield f"Every player has one turn; the {winning} points win, and tied players {tied}."
    elif rules.best == "lowest":
        yield "Fewer points in a turn are better."
    else:
        yield FINISHES[rules.finish].format(target=f"{rules.target:,}")


def _bust_in_words(rules: PushRules) -> str:
    """Return the line about rolls that lose the turn; "" if every roll scores or is special."""
    sizes = [rules.dice] if rules.is_single_roll and not rules.chooses_dice else range(1, rules.dice + 1)
    busts = (roll for dice in sizes for roll, _ in rules.rolls(dice) if _is_bust(rules, dice, roll))
    if rules.dice > 1:
        has_bust = next(busts, None) is not None
        return "A roll that scores nothing is a bust: the turn ends, and its points are lost." if has_bust else ""
    *earlier, final = [_dice_in_words(rules.faces, roll) for roll in busts] or [""]
    if not final:
        return ""
    faces = f"{', '.join(earlier)} or {final}" if earlier else final
    return f"A roll of {faces} scores nothing and is a bust: the turn ends, and its points are lost."


def _is_bust(rules: PushRules, dice: int, roll: Counts) -> bool:
    return not rules.special_roll(roll) and not rules.offers(dice, roll)


def _confirmation(rules: PushRules, entries: Entry) -> Iterator[str]:
    """Yield lines that say which sets must be confirmed, and how."""
    sizes = sorted(int(size) for size, by_face in entries.get("alike", {}).items() if "then" in by_face)
    patterns = entries.get("pattern", ())
    ambiguous_names = {"", *(entry.get("name") for entry in patterns if "then" not in entry)}
    names = {
        _pattern_dice(rules, entry) if entry.get("name", "") in ambiguous_names else entry["name"]
        for entry in patterns
        if "then" in entry
    }
    sets = " or ".join([*(f"{size} alike" for size in sizes), *sorted(names)])
    yield f"After {sets}, the player must roll again, however many points the turn has."
    if rules.then_over:
        yield "If that roll shows the most frequent face of the set, all its dice are rolled again."


# Turns in which all dice of one face are set aside


def describe_one_face_game(rules: OneFaceRules) -> Iterator[str]:
    """Yield lines that say what is rolled and set aside, how a turn ends, what it scores, and how the game ends."""
    yield from _dice(rules)
    points = zip(rules.faces, rules.face_points, strict=True)
    yield f"One die: {', '.join(f'{face} = {face_points:,}' for face, face_points in points if face_points)}."
    if rules.all_faces_bonus:
        yield f"If the dice set aside show every face that scores, the turn scores {rules.all_faces_bonus:,} more."
    if rules.forced_faces:
        yield f"All dice that show {rules.describe_faces(rules.forced_faces)} are set aside, whatever else is taken."
    if rules.takes_any:
        yield "After a roll at least one die is set aside, whether it scores or not."
    else:
        exception = f", except {rules.describe_faces(rules.repeatable_faces)}" if rules.repeatable_faces else ""
        yield f"After a roll all dice of one face are set aside, each face once a turn{exception}."
    if not rules.takes_any:
        yield "Once all dice are set aside the turn ends."
        # Only here a turn may get stuck: if any dice may be taken, every roll has some.
        effect = (
            "the turn ends with its points" if rules.scores_if_stuck else "the turn is lost: its points do not count"
        )
        yield f"If no face of a roll may be set aside, {effect}."
    elif rules.never_stops:
        yield "Once all dice are set aside the turn ends, not before."
    else:
        yield "Once all dice are set aside the turn ends, or before, if the dice score."
    for face in rules.needed_faces:
        yield f"A turn without a die that shows {rules.faces[face]} scores nothing."
    if rules.needed_faces and not rules.needed_score:  # "these faces" are those of the lines before
        yield "The first die of each of these faces adds no points."
    for cover, covered in rules.covers:
        yield f"A turn in which fewer dice show {rules.faces[cover]} than {rules.faces[covered]} scores nothing."
    if rules.totals:
        totals = ", ".join(f"{value:,} from {least} on" for least, value in rules.totals)
        yield f"A turn scores by its turn points: {totals}."
        # No end of the game: with totals only single turns are solved (``OneFaceRules.unsupported_objectives``).
    else:
        yield from _end_of_game(rules)


# Turns in which dice are drawn from a cup


def describe_cup_game(rules: CupRules) -> Iterator[str]:
    """Yield lines that say what is in the cup, how a turn goes, and what it brings."""
    scoring, again, bust = (rules.faces[face] for face in (rules.scoring_face, rules.again_face, rules.bust_face))
    *earlier, final = (f"{kind.count} {kind.name}" for kind in rules.cup)
    kinds = f"{', '.join(earlier)} and {final}" if earlier else final
    yield f"{rules.die_count} dice in a cup: {kinds}."
    for kind, weights in zip(rules.cup, rules.side_weights, strict=True):
        first, *other_faces = (
            f"{rules.faces[face]} on {weights[face]}"
            for face in (rules.scoring_face, rules.again_face, rules.bust_face)
        )
        yield f"{kind.name} dice: {first} of {sum(weights)} sides, {', '.join(other_faces)}."
    yield f"Before each roll, dice are drawn from the cup, unseen, until {format_count(rules.dice, 'die')} are in hand."
    points = format_count(rules.points, "point")
    yield f"Dice that show {again} stay in the hand. All others are set aside; each {scoring} brings {points}."
    yield f"{rules.bust_limit} dice that show {bust} end the turn without points."
    yield f"If the cup has too few dice for a roll, those that show {scoring} go back into it; their points stay."
    yield from _end_of_game(rules)
