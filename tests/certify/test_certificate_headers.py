"""Headers of certificates: each field has a type, a range and its objectives, and the format page says which.

Headers are built from docs/certificate-format.md alone. Those that the checker accepts are forged into certificates,
whose bounds have to enclose a value that shares no code with the checker.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from itertools import combinations_with_replacement
from math import inf
from pathlib import Path

import certificate_forger
import certificate_reference
import pytest
from certificate_forger import parse_type
from patience import PATIENCE

import keepwise_check as kc

PAGE = (Path(__file__).parents[2] / "docs" / "certificate-format.md").read_text()
ROW = re.compile(r"^\| ([a-z ]+) \| `(\w+)` \| (.+?) \| ([a-z, ]+) \| (.*?) ?\|$", re.M)
FIELDS: dict[str, dict[str, tuple[str, str, str]]] = {}
for part, key, type_, objectives, otherwise in ROW.findall(PAGE):
    FIELDS.setdefault(part, {})[key] = type_, objectives, otherwise
FAST_COUNT, SLOW_COUNT = 6, 120  # headers of a case
FAST_COUNTS = {"race of two": 16, "seats": 16, "rounds": 5}  # races of two are often endless
MAX_SLACK = 0.02  # of an independent value
MAX_ROLLS = {
    "turn": (12, 20),
    "race": (6, 9),
    "seats": (6, 9),
    "frames": (6, 9),
}  # of turns without end, which are broken off
TIE = "1000"  # 2 ** -28: choices that three players take for equal
WRONG = [None, True, 1.5, -(10**7), 10**9, "5", "0x1_0", [], {}, ["1/3"], ["1e99999999"], [1, 1], {"more": 1}]


def test_the_page_lists_every_field_as_the_checker_reads_it():
    tables = {"header": kc.HEADER}
    for part, by_kind in (("turn", kc.TURNS), ("match", kc.MATCHES), ("parameters", kc.PARAMETERS), ("cut", kc.CUTS)):
        tables |= {f"{part} of {kind}": fields for kind, fields in by_kind.items() if fields}
    assert {part: [*fields] for part, fields in FIELDS.items()} == {part: [*fields] for part, fields in tables.items()}
    for part, fields in tables.items():
        for key, field in fields.items():
            type_, objectives, otherwise = FIELDS[part][key]
            assert type_ == field.type.text
            assert objectives == ("all" if field.objectives == kc.OBJECTIVES else ", ".join(field.objectives))
            assert ("may be left out" in otherwise) == field.optional


def part_of(name, objective, rng):
    """Return one part of a header, each key drawn from its type."""
    part = {}
    for key, (type_, objectives, otherwise) in FIELDS.get(name, {}).items():
        if objectives != "all" and objective not in objectives.split(", "):
            if "left out" not in otherwise:
                part[key] = json.loads(re.search("`(.*)`", otherwise)[1])
        elif "may be left out" not in otherwise:
            part[key] = parse_type(type_)(rng)
    return part


def begin_header(rng, match, objective, turn, players=1):
    """Return a header whose parts are drawn from the types of the page; their lengths do not fit each other yet."""
    return {
        **part_of("header", objective, rng),
        "objective": objective,
        "players": players,
        "bits": 40,
        "tie": TIE if players > 2 else "0",
        "turn": {"kind": turn, **part_of(f"turn of {turn}", objective, rng)},
        "match": {"kind": match, **part_of(f"match of {match}", objective, rng)},
        "parameters": part_of(f"parameters of {match}", objective, rng),
        "cut": {},
        "begins": [0],
    }


def happens(rng, chance):
    """Return true with this chance."""
    return rng.random() < chance


def draw_weights(rng, faces):
    """Draw the weights of a die."""
    return [*(rng.randint(0, 2) for _ in range(faces - 1)), 1]


def draw_table(rng, boxes, rolls):
    """Draw points by box and roll."""
    return [[rng.choice([0, 1, 2, 4]) for _ in range(rolls)] for _ in range(boxes)]


def draw_steps(rng):
    """Draw the step of an upper total."""
    return [[rng.randint(0, 3), rng.randint(0, 3)]]


def draw_sets(rng, rules, has_end=False):
    """Draw a turn of sets with few dice; with ``has_end`` it can bring a bounded number of points only."""
    faces = rng.randint(2, 3)
    rules["dice"] = [[rng.randint(1, 2), draw_weights(rng, faces)]]
    if happens(rng, 0.3):
        rules["dice"] = [[1, draw_weights(rng, faces)], [1, draw_weights(rng, faces)]]
    singles = [[int(face == face_shown) for face_shown in range(faces)] for face in range(faces)]
    several = [[2, *[0] * (faces - 1)], [1, 1, *[0] * (faces - 2)]]
    scoring = rng.randint(1, faces if has_end else faces - 1)
    groups = rng.sample(singles, scoring) + rng.sample(several, rng.randint(0, 2))
    rules["groups"] = [[counts, rng.choice([0, 1, 1, 2, 3])] for counts in groups]
    if happens(rng, 0.8) and singles[-1] not in groups:  # a face that falls, so that somebody can win
        rules["groups"][0] = [singles[-1], rng.randint(1, 2)]
    for group in rules["groups"]:
        if rules["whole"] and happens(rng, 0.2):
            group.append(rng.sample(range(faces), rng.randint(0, 1)))
    rules["leave"] = rng.sample(range(faces), rng.randint(0, 2)) if happens(rng, 0.4) else []
    rules["specials"] = draw_specials(rng, faces) if happens(rng, 0.5) else []
    rules["doubled"] = draw_specials(rng, faces) if happens(rng, 0.2) else []
    rules["most"] = rng.randint(1, 2)
    rules["above"] = rng.randint(2, 5) if happens(rng, 0.2) or (has_end and happens(rng, 0.5)) else 0
    rules["opening"], rules["minimum"] = rng.choice([0, 0, 1, 2]), rng.choice([0, 0, 1, 2])
    if rules["stop"] == "all" or (has_end and not rules["above"]):
        rules["hot"] = "none"
    if "costs" in rules:
        rules["costs"] = [rng.randint(0, 2) for _ in range(rng.randint(0, 2))]
        rules["floor"] = rng.randint(-1, 1)


def draw_specials(rng, faces):
    """Draw special rolls."""
    effects = "bust", "win", "wipe", "wipe", "void", "score", "again", "same", "roll", "end", "drop"
    specials = []
    for _ in range(rng.randint(1, 2)):
        minimum = [0] * faces
        minimum[rng.randrange(faces)] = rng.randint(1, 2)
        maximum = [rng.randint(low, 2) for low in minimum]
        times = rng.choice([0, 1, 1, True, False, 2])
        specials.append([minimum, maximum, rng.choice(effects), rng.choice([0, 0, 1, 2, -1]), times])
    return specials


def draw_crew(rng, rules):
    """Draw a turn of Battleship with few dice."""
    rules.update(faces=rng.randint(2, 4), casts=rng.randint(1, 2))
    rules["order"] = rng.sample(range(1, rules["faces"] + 1), rng.randint(1, 2))


def draw_turn(rng):
    """Draw one turn for points, of sets or of Battleship."""
    turn = rng.choice(["sets", "sets", "crew"])
    header = begin_header(rng, "turn", "points", turn)
    if turn == "crew":
        draw_crew(rng, header["turn"])
        return header
    draw_sets(rng, header["turn"], has_end=True)
    header["begins"] = [rng.randint(0, 1)] + [0] * bool(header["turn"]["costs"])
    return header


def draw_cut_turn(rng):
    """Draw one turn of sets for points without bound, which is cut at a level."""
    header = begin_header(rng, "turn", "points", "sets")
    draw_sets(rng, header["turn"])
    header["turn"].update(above=0, doubled=[], hot=rng.choice(["free", "must"]), stop="free", lowest=False, once=False)
    header["begins"] = [0] * (1 + bool(header["turn"]["costs"]))
    header["cut"] = {"level": rng.choice([0, 1, 2, 4, 12]), "past": rng.randint(0, 3)}
    header = certificate_forger.with_gammas(header)
    if happens(rng, 0.4):  # numbers that are smaller hold as well, or are refused
        for ratio in header["cut"].get(rng.choice(["gamma", "worth"]), {}).values():
            ratio[0] = int(ratio[0] * rng.random())
    return header


def draw_race(rng, objective, players, finishes):
    """Draw a race of sets, or of Battleship."""
    turn = "crew" if happens(rng, 0.1) else "sets"
    header = begin_header(rng, "race", objective, turn, players)
    match, rules = header["match"], header["turn"]
    match.update(target=rng.randint(2, 5), finish=rng.choice(finishes))
    offers = 0
    if turn == "crew":
        draw_crew(rng, rules)
        rules["faces"] = max(2, *rules["order"])
        match.update(target=rng.randint(2, 5), takes="none")
        match["finish"] = match["finish"].replace("exact", "at_least")
    else:
        draw_sets(rng, rules, has_end=match["finish"] == "last_round")
        rules["lowest"] = False
        if match["finish"] == "exact":
            rules["above"] = 0
        if match["finish"] == "last_round":
            match.update(takes="none", target=rng.randint(1, 2))
        if match["takes"] != "none":  # a stop has to leave dice
            rules["dice"][0][0], rules["stop"], rules["most"] = 2, "free", 1
        offers = (1 + len(rules["dice"])) * (match["takes"] != "none")
        if match["finish"] != "exact" and happens(rng, 0.3):
            header["cut"] = {"past": rng.randint(0, 3)}
            rules["above"] = 0
            if match["finish"] == "last_round":
                header["cut"]["level"] = match["target"] + rng.randint(0, 4)
            if match["finish"] == "last_round" or rules["stop"] == "free":
                rules.update(stop="free", hot=rng.choice(["free", "must"]))
    rows = players * bool(rules.get("costs"))
    header["begins"] = [0] * (players + rows + offers)
    if objective == "reach":
        header["parameters"] = {"goal": rng.randint(1, 4), "turns": rng.randint(1, 3)}
        header["begins"].append(header["parameters"]["turns"])
    return header


def draw_race_alone(rng):
    """Draw a race of one player, for turns to the target or the chance to reach a goal."""
    return draw_race(rng, rng.choice(["reach", "reach", "turns"]), 1, ["at_least", "exact"])


def draw_race_of_two(rng):
    """Draw a race of two players."""
    return draw_race(rng, "win", 2, ["at_least", "exact"])


def draw_last_round(rng):
    """Draw a race of two players with a last round."""
    return draw_race(rng, "win", 2, ["last_round"])


def draw_seats(rng):
    """Draw a race of two or three players with rules of their own."""
    players = rng.choice([2, 2, 3])
    header = begin_header(rng, "seats", "win", "seats", players)
    match = header["match"]
    match["finish"] = rng.choice(["at_least", "at_least", "exact"])
    races = []
    while len(races) < players:
        race = draw_race(rng, "win", players, [match["finish"]])
        if race["turn"]["kind"] == "sets" and race["match"]["takes"] == "none":
            race["turn"]["costs"] = []
            races.append(race)
    header["turn"]["seats"] = [race["turn"] for race in races]
    match["targets"] = [race["match"]["target"] for race in races]
    match["head_starts"] = [rng.choice([0, 0, rng.randrange(target)]) for target in match["targets"]]
    header["cut"] = next((race["cut"] for race in races if race["cut"]), {})
    header["begins"] = [*match["head_starts"], 0]
    return header


def draw_rounds(rng):
    """Draw rounds of two or three players."""
    objective, players = rng.choice(["win", "margin"]), rng.choice([2, 2, 3])
    turn = rng.choice(["sets", "sets", "crew"])
    header = begin_header(rng, "rounds", objective, turn, players)
    match, rules = header["match"], header["turn"]
    match.update(rounds=rng.randint(1, 2) if players == 2 else 1, target=0, share=happens(rng, 0.5))
    if happens(rng, 0.2) and players == 2:
        match.update(rounds=0, target=rng.randint(1, 3))
    if turn == "crew":
        draw_crew(rng, rules)
        rules.update(faces=2, order=[rng.randint(1, 2)], casts=min(rules["casts"], 4 - players))
    else:
        draw_sets(rng, rules, has_end=True)
        rules["opening"] = rng.choice([rules["opening"], 0])
        if "costs" in rules:
            rules["costs"] = []
    header["begins"] = [int(match["target"] == 0), 0, 0] + [0] * players
    return header


def draw_frames(rng):
    """Draw frames of two players."""
    header = begin_header(rng, "frames", "win", "sets", 2)
    draw_sets(rng, header["turn"], has_end=True)
    header["turn"].update(opening=0, costs=[], lowest=False)
    if happens(rng, 0.3):
        header["cut"] = {"level": rng.randint(1, 4)}
        header["turn"].update(above=0, hot="free", stop="free", dice=header["turn"]["dice"][:1])
    header["match"]["frames"] = 1 if header["cut"] else rng.randint(1, 2)
    header["begins"] = [1, 0, 0]
    return header


def draw_card(rng):
    """Draw a scorecard, alone or of two players."""
    objective = rng.choice(["points", "points", "reach", "win"])
    players = 2 if objective == "win" else 1
    header = begin_header(rng, "card", objective, "boxes", players)
    rules = header["turn"]
    faces, dice, boxes = rng.randint(2, 3), 2, rng.randint(1, 3)
    rules["boxes"] = rng.choice([1, 1, 1, 2])
    if rules["boxes"] == 2:
        boxes = 2
        rules.update(zeros=True)
    size = dice // rules["boxes"]
    rolls = len([*combinations_with_replacement(range(faces), size)])
    rules.update(dice=dice, weights=draw_weights(rng, faces), throws=rng.randint(1, 3))
    rules.update(
        scores=draw_table(rng, boxes, rolls),
        first=draw_table(rng, boxes, rolls) if happens(rng, 0.4) and rules["boxes"] == 1 else [],
    )
    rules["before"] = [-1, *rng.choices([-1, 0], k=boxes - 1)] if happens(rng, 0.3) and rules["boxes"] == 1 else []
    rules["own"] = [rng.randint(-1, boxes - 1) for _ in range(faces)]
    rules["full"] = [[rng.randint(0, 3) for _ in range(faces)] for _ in range(boxes)]
    rules.update(wins=[], upper=[], steps=[], again=-1, joker="none", bonus=rng.randint(0, 3), ranges=[], saved=0)
    if objective == "win":
        rules["wins"] = rng.sample(range(boxes), 1) if rules["first"] and happens(rng, 0.5) else []
    else:
        rules["saved"] = rng.choice([0, 0, 1])
    if objective != "win" and rules["boxes"] == 1:
        if happens(rng, 0.6):
            rules["again"] = rng.randrange(boxes)
            rules["joker"] = rng.choice(["free", "forced", "none"])
        rules["upper"], rules["steps"] = rng.sample(range(boxes), rng.randint(0, boxes)), [*draw_steps(rng), [4, 5]]
        if happens(rng, 0.3):
            order = rng.sample(range(boxes), boxes)
            rules["upper"], rules["steps"] = [order[:1], order[1:]], [draw_steps(rng), draw_steps(rng)]
    if objective == "points" and happens(rng, 0.4):
        rules["ranges"] = [[0, 0], [2, 1], [4, rng.randint(1, 3)]]
    if objective == "reach":
        header["parameters"] = {"goal": rng.randint(0, 8)}
    columns = len(rules["upper"]) if rules["upper"] and isinstance(rules["upper"][0], list) else 1
    alone = [0] * (2 + columns + bool(rules["ranges"] or objective == "reach") + bool(rules["saved"]))
    header["begins"] = [0, 0, 0] if players == 2 else alone
    return header


def draw_box(rng):
    """Draw Shut the Box, alone or of several players."""
    objective = rng.choice(["points", "reach", "win"])
    players = rng.randint(2, 3) if objective == "win" else 1
    header = begin_header(rng, "box", objective, "tiles", players)
    turn = header["turn"]
    turn["tiles"] = rng.randint(1, 5 if players == 1 else 4)
    turn["by_sum"] = turn["one"] and happens(rng, 0.5)
    turn["most"] = rng.randint(0, 3)
    turn["digits"] = happens(rng, 0.5)
    header["match"]["goal"] = header["parameters"].get("goal", 0)
    header["begins"] = [0] * players
    return header


def draw_board(rng):
    """Draw a touch board, alone or of several players."""
    objective = rng.choice(["reach", "win", "margin"])
    players = 1 if objective == "reach" else rng.randint(2, 3)
    header = begin_header(rng, "board", objective, "touch", players)
    rules, match = header["turn"], header["match"]
    shares = [[[1, 1]], [[1, 2], [1, 2]], [[1, 3], [2, 3]], [[0, 1], [1, 1]]]
    rules["chances"] = [rng.choice(shares) for _ in range(3)]
    rules["trips"] = [[[rng.randint(0, 2), rng.randint(2, 4)] for _ in chances] for chances in rules["chances"]]
    match["board"] = [1, 1, 1] if players == 3 else [rng.randint(0, 2) for _ in range(3)]
    match.update(
        last=rng.randint(0, max(0, min(1, sum(match["board"]) - 1))),
        passes=rng.randint(0, 1 + (players < 3)),
        allowed=rng.randint(0, 2),
    )
    match.update(points=[rng.randint(-1, 3) for _ in range(3)], penalty=rng.randint(0, 3))
    header["begins"] = match["board"] + [0] * max(2, players)
    return header


DRAWS = {
    draw.__name__.removeprefix("draw_").replace("_", " "): draw
    for draw in (
        draw_turn,
        draw_cut_turn,
        draw_race_alone,
        draw_race_of_two,
        draw_last_round,
        draw_seats,
        draw_rounds,
        draw_frames,
        draw_card,
        draw_box,
        draw_board,
    )
}


def bent(header, rng):
    """Put a value of another type in the place of one field; return its key."""
    part = rng.choice([header, header["turn"], header["match"], header["parameters"], header["cut"]])
    keys = [key for key in part if key not in ("game", "id", "engine", "fingerprint", "rules")]
    key = rng.choice([*keys, "more"])
    part[key] = rng.choice([value for value in WRONG if json.dumps(value) != json.dumps(part.get(key))])
    return key


def bounds_in(text, header):
    """Return the bounds in a certificate by state: (lower, upper) of the mover, or of every seat."""
    unit, seats = 2.0 ** -header["bits"], certificate_forger.seats_of(header)
    bounds = {}
    for line in text.split("\n")[3:-2]:
        name, *words = line.split()
        numbers = [unit * int(word, 16) for word in words[: 2 * seats]]
        bounds[tuple(map(int, name.split(",")))] = list(zip(numbers[::2], numbers[1::2], strict=True))
    return bounds


def independent_values(header):
    """Return independent values by state, and a bound of their error.

    Turns that are cut have no end, and are broken off; then the value at the start is the only one.
    """
    if not header["cut"]:
        return certificate_reference.values(header), 1e-9
    start = tuple(header["begins"])
    try:
        early, late = (
            certificate_reference.values(header, max_rolls)[start] for max_rolls in MAX_ROLLS[header["match"]["kind"]]
        )
    except certificate_reference.EndlessError:
        return {}, inf
    return {start: late}, 3 * abs(late[0] - early[0]) + 1e-6


def compare(header, text, checked):
    """Check a forged certificate; return how many of its states were compared with independent values."""
    status, report = checked(text, *["--max-regret", "1e9"] * (header["players"] > 2))
    assert status == 0, report + text
    if header["players"] > 2 and float(re.search(r"gains more than (\S+) by", report)[1]) > 1e-6:
        return 0  # equal choices of the mover differ for others, so there are several plays
    independent, slack = independent_values(header)
    if slack > MAX_SLACK:
        return 0
    bounds = bounds_in(text, header)
    names = bounds.keys() & independent.keys()
    assert tuple(header["begins"]) in names
    for name in names:
        for (low, high), value in zip(bounds[name], independent[name], strict=False):  # of two players the mover's
            assert low - slack <= value <= high + slack, (name, low, high, value, header)
    return len(names)


SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 1 + PATIENCE))]


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("seed", SEEDS)
def test_headers_built_from_the_page(kind, seed, checked, tally):
    """Bounds that are accepted enclose the value of an independent reading; a field of another type is refused."""
    rng, outcomes = random.Random(f"{kind} {seed}"), Counter()
    count = SLOW_COUNT if seed else FAST_COUNTS.get(kind, FAST_COUNT)
    for _ in range(count):
        header = DRAWS[kind](rng)
        try:
            text = certificate_forger.forge(header)
        except (kc.CannotJudgeError, kc.DoesNotHoldError, RecursionError):
            outcomes["refused"] += 1
        except certificate_forger.GaveUpError:
            outcomes["gave up"] += 1
        else:
            states = compare(header, text, checked)
            outcomes["compared" if states else "not comparable"] += 1
            outcomes["states"] += states
        key = bent(header, rng)
        status, _ = checked(f"keepwise certificate 1\n{json.dumps(header)}\nblock\n0 0 1\nend 1\n")
        assert status in (1, 2), (key, header)
        outcomes["bent"] += status == 2
    print(kind, dict(outcomes))
    assert outcomes["compared"] >= count // 4
    assert outcomes["bent"] > count / 2
    tally.add(outcomes["compared"])


def test_those_who_tie_share_a_margin():
    """Each of two winners who tie gets half of what the third player is behind."""
    rng = random.Random(0)
    header = begin_header(rng, "rounds", "margin", "crew", 3)
    header["match"].update(rounds=1, target=0, share=True)
    (leaf,) = kc.RoundsMatch(header).endings((1, 0, 2, 4, 0, 0), "bank", 4)
    assert leaf == ([2, 2, -4], None, 0)
