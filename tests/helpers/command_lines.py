"""Random command lines for the fuzz tests: most of them sensible, many of them bent.

A line is built from a question that is answered fast (a table that ships, a small target, a small board), a position
that often can be, and the command's own options; then, half of the time, it is mutated: words dropped, doubled,
swapped, replaced by junk, options of other games put in.
"""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from pathlib import Path

Words = list[str]

PUSH = ("5000", "beartrap", "farkle", "pig")
SMALL_BOARD = "--rule large=2 --rule medium=2 --rule small=2"

# Questions that are answered in a fraction of a second.
QUESTIONS = {
    "5000": (
        "", "", "--objective points", "--objective turns", "--objective reach --turns 2 --goal 1000",
        "--rule target=1000", "--rule target=600 --rule finish=exact", "--objective points --rule straight=1500",
        "--objective turns --rule target=900 --rule set_aside=all", "--objective points --rule kinds=doubling",
        "--rule target=600 --rule finish=last_round", "--objective reach --rule target=1000 --turns 3",
    ),
    "beartrap": (
        "", "--objective points", "--objective turns", "--objective reach --turns 2 --goal 1500",
        "--rule target=1000", "--rule target=900 --rule finish=at_least", "--objective points --rule five_ones=points",
    ),
    "farkle": (
        "", "--objective points", "--objective turns", "--objective points --rule set_aside=all",
        "--rule target=500", "--objective reach --rule target=1000 --turns 2",
    ),
    "pig": (
        "", "--objective points", "--objective turns", "--rule target=20", "--rule target=30 --rule faces=8",
        "--objective reach --turns 3", "--objective points --rule faces=20", "--rule target=25 --rule points=one",
    ),
    "scarney": ("", "--objective points", "--objective points --rule double=off"),
    "battleship": (
        "", "--objective points", "--objective margin", "--objective turns", "--objective reach --turns 3 --goal 20",
        "--rule rounds=2 --players 3", "--rule rounds=1 --rule crew=both", "--objective points --rule crew=hybrid",
        "--rule match=first_to --rule target=8", "--objective turns --rule target=20",
    ),
    "boston": ("", "--objective points", "--players 3", "--rule keep=any", "--rule pot=5 --players 4"),
    "multiplication": ("", "--objective points", "--players 3", "--objective points --rule keep=any"),
    "hearts-due": (
        "", "--objective points", "--objective turns", "--players 3", "--objective reach --turns 4 --goal 50",
        "--rule target=40 --rule full=50", "--objective turns --rule wipe=exactly_3",
    ),
    "double-cameroon": ("--objective points", "--objective points", "--objective points", ""),
    "yahtzee": ("--rules card.toml", "--rules card.toml --objective reach --goal 60"),
    "booby-trap": (
        f"{SMALL_BOARD}", f"{SMALL_BOARD} --objective margin",
        "--objective reach --rule variant=solitaire --rule large=2 --rule medium=2 --rule small=3",
        f"{SMALL_BOARD} --rule variant=in_order", "--rule large=1 --rule medium=0 --rule small=4",
        f"--rules odds.toml {SMALL_BOARD}", f"{SMALL_BOARD} --rule variant=no_pass",
    ),
}  # fmt: skip
ROW_QUESTIONS = (
    "pig --rule target=12", "pig --rule target=15", "pig --objective points", "hearts-due --objective turns",
    "boston --objective points", f"booby-trap {SMALL_BOARD} --objective margin", "battleship --objective points",
    "5000 --objective points --score 0", "5000 --rule target=600 --score 0 --opponents 500",
    "scarney --objective points",
)  # fmt: skip
MODEL_QUESTIONS = (
    "pig --rule target=12", "pig --objective points", "pig --objective turns --rule target=20",
    "pig --objective reach --turns 2 --rule target=15", "battleship --objective points", "scarney --objective points",
    "boston --objective points",
)  # fmt: skip
RULE_FILES = ("farkle-common --objective points", "ours.toml", "ours.toml", "card.toml", "pig")

JUNK = (
    "", " ", "0", "-1", "1", "7", "50", "1e5", "1.5", "nan", "inf", "-0", "+3", "5,000", "5_000", "1,2,3", "banana",
    "true", "false", "NULL", "a\0b", "\udcff", "x" * 300, "9" * 30, "9" * 5000, "-", "--", "=", "a=b", "==", ",", "65",
    "\n", "a\nb", "\x1b[31m", "🎲", "11111", "66666", "123456", "d", "dddd", "win", "points", "pig", "5000", "٣",
    "optimal", "hold:300", "hold:", "hold:0", "hold:9=1", "hold:1=5,1=6", "source", "%s", "{}", "[[[", '"', "'", "None",
)  # fmt: skip
OPTIONS = (
    "--score", "--opponents", "--turn", "--roll", "--dice", "--frame", "--seat", "--live", "--pot", "--throw", "--used",
    "--opponent-used", "--upper", "--left", "--passes", "--touched", "--feel", "--trips", "--round", "--cast", "--kept",
    "--beat", "--tied", "--objective", "--players", "--goal", "--turns", "--rule", "--rules", "--threads", "--draws",
    "--policy", "--detail", "--vary", "--format", "-f", "-o", "--show",
)  # fmt: skip
SWITCHES = ("--json", "--all", "--distribution", "--double", "--opposite", "--help", "--version", "-h")
ROWS = ("csv", "jsonl", "json", "npz", "parquet", "arrow")
SHEETS = ("text", "markdown", "html", "latex", "pdf")
MODELS = ("drn", "prism", "prism-explicit", "umb", "graphml", "dot")
CHARTS = ("regions", "surface", "thresholds", "distribution", "keeps", "sensitivity")

OURS = """name = "ours"
title = "Our Farkle"
dice = 3
faces = 6
target = 600
stop.opening = 100
then.all = "must"
finish = "at_least"
[singles]
1 = 100
5 = 50
[alike.3]
1 = 1000
2 = 200
[[pattern]]
name = "run"
dice = "234"
points = 250
[[special]]
throw = "666"
then = "win"
"""
CARD = """name = "ours"
title = "Our Card"
dice = 4
faces = 4
throws = 2
[[category]]
name = "ones"
face = 1
[[category]]
name = "twos"
face = 2
[[category]]
name = "full"
groups = [2, 2]
points = "sum"
[[category]]
name = "four"
groups = [4]
points = 50
[[category]]
name = "run"
straight = 4
points = 30
[[category]]
name = "chance"
chance = true
[upper]
categories = ["ones", "twos"]
at = 6
bonus = 15
[again]
category = "four"
bonus = 20
joker = "forced"
"""
ODDS = (
    "large:free=20/18/1 large:tight=15/3/2 medium:free=21/20/1 medium:tight=10/4/2 small:free=25/25/1 small:tight=8/2/1"
)


class Lines:
    """A seeded source of command lines that may be run in ``folder``."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self.folder = folder
        self.tables = {path.name: path.read_bytes() for path in sorted(folder.glob("*.npz"))}
        self.rule_files = {path.name: path.read_text() for path in sorted(folder.glob("*.toml"))}

    def line(self) -> Words:
        """One command line; files that it names may be mutated beside it."""
        command = self.random.choices(
            ("advise", "value", "export", "evaluate", "simulate", "quiz", "chart", "rules", "solve", "odds", "games"),
            weights=(30, 25, 14, 10, 4, 1, 10, 5, 3, 2, 1),
        )[0]
        words = [command, *getattr(self, f"_{command}")()]
        if self.random.random() < 0.25 and command not in ("chart", "odds"):
            words.append("--json")
        for _ in range(self.random.choice((0, 0, 0, 0, 1, 1, 2, 3))):
            words = self._mutated(words)
        return words

    def _maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    # --- commands

    def _advise(self) -> Words:
        game, words = self._question()
        extra = ["--all"] if self._maybe(0.3) else []
        if self._maybe(0.2):
            extra += [
                "--why",
                *self.random.choice(([], [], ["--against", self.random.choice(("1", "bank", "roll", "x"))])),
            ]
        if "odds.toml" in words or self._maybe(0.02):
            extra += ["--draws", str(self.random.choice((1, 3, 0)))]
        return [*words, *self._position(game, words), *extra]

    def _value(self) -> Words:
        game, words = self._question()
        whole = ["--distribution"] if "points" in words or self._maybe(0.03) else []
        exact = ["--exact"] if self._maybe(0.03) else []
        return [*words, *self._position(game, words), *whole, *exact]

    def _evaluate(self) -> Words:
        game = self.random.choices((*PUSH, "battleship", "boston"), weights=(3, 2, 2, 4, 4, 0.5))[0]
        game, words = self._question((game,))
        if game in ("beartrap", "farkle") and "points" not in words:
            words += ["--rule", "target=1000"]  # 10,000 takes seconds
        dice, limit = self.random.randint(1, 5), self.random.choice((0, 5, 20, 25, 300, 350, 800, 5000))
        policies = ("source", "above-seven") if game == "battleship" else (f"hold:{limit}", f"hold:{dice}={limit}")
        return [*words, "--policy", self.random.choices((*policies, "optimal"), weights=(8, 4, 1))[0]]

    def _simulate(self) -> Words:
        words = self._question(("pig", "5000", "battleship", "boston", "hearts-due", "booby-trap"))[1]
        limit = self.random.choice((0, 5, 20, 300, 5000))
        policies = ("best", "best:points", "sheet", "source", "loses:0", f"hold:{limit}", "average", "loses:0.02")
        seats = self.random.choices(policies, weights=(4, 2, 2, 2, 2, 6, 0.1, 0.1), k=self.random.randrange(4))
        words += [word for policy in seats for word in ("--policy", policy)]
        words += ["--games", str(self.random.choice((1, 1, 2, 5, 0)))]
        more = (("--seed", self.random.choice((0, 7, -1))), ("-o", self._output("csv")))
        return [*words, *self._some(*more, chance=0.2)]

    def _quiz(self) -> Words:
        words = self._question(("pig", "5000", "battleship", "boston"))[1]
        policy = self.random.choice(("hold:20", "hold:300", "source", "best", "loses:0", "nonsense"))
        count = self.random.choice(("0", "1", "3"))
        deck = ["--anki", self._output("apkg")] if self._maybe(0.2) else []
        return [*words, "--from", policy, "--count", count, *deck]

    def _rules(self) -> Words:
        if self._maybe(0.1):
            return self.random.choice((["--list"], ["--new", "card"], ["--schema", "card"]))
        if self._maybe(0.7):
            return [self.random.choice(tuple(QUESTIONS))]
        return ["--rules", self._rule_file(self.random.choice(tuple(self.rule_files)))]

    def _games(self) -> Words:
        return []

    def _solve(self) -> Words:
        return [*self._question(("pig", "pig", "battleship", "boston", "5000"))[1], "-o", self._output("npz")]

    def spread(self) -> Words:
        """A solve on a cluster, mostly of what one solves: small races of three and more."""
        questions = ("pig --rule target=7 --players 3", "pig --rule target=4 --players 4", "pig", "scarney")
        words = ["solve", *self.random.choices(questions, weights=(6, 3, 1, 1))[0].split()]
        places = ("local:2", "local:1", "local:0", "local:", "tcp://127.0.0.1:9", "tcp://", "here", "")
        where = self.random.choices((*places, self.random.choice(JUNK)), weights=(12, 3, 1, 1, 1, 1, 1, 1, 1))[0]
        words += ["--cluster", where, "-o", self._output("npz")]
        if self._maybe(0.1):
            words += ["--memory", self.random.choice(("1GiB", "1MiB", "0", "x"))]
        words += ["--json"] if self._maybe(0.2) else []
        for _ in range(self.random.choice((0, 0, 0, 0, 1, 2))):
            words = self._mutated(words)
        return words

    def _odds(self) -> Words:
        words = ODDS.split()
        if self._maybe(0.3):
            words[self.random.randrange(len(words))] = self.random.choice(("large:free=1/2/3", "a:b=1/1/1", "large=3"))
        return [*words, *self.random.choice(([], ["--name", "our box"], ["-o", self._output("toml")]))]

    def _export(self) -> Words:
        form = self.random.choice((*ROWS, *SHEETS, *MODELS))
        if self._maybe(0.15):
            game, words = "pig", [self._table()]
        else:
            if form in SHEETS:
                game, words = self._question()
                words += [] if {"points", "margin"} & set(words) else ["--objective", "points"]
            else:
                words = self.random.choice(MODEL_QUESTIONS if form in MODELS else ROW_QUESTIONS).split()
                game = words[0]
        words += ["-f", form]
        if form not in SHEETS or form == "pdf" or self._maybe(0.3):
            words += ["-o", self._output(form)]
        if form in ROWS and self._maybe(0.5):
            words += ["--detail", self.random.choices(("values", "throws", "rolls", "all"), weights=(6, 6, 1, 1))[0]]
            words += self._position(game, words)[:2] if self._maybe(0.3) else []
        if self._maybe(0.1):
            words += ["--policy", self.random.choice(("optimal", "hold:20", "hold:300", "nonsense"))]
        return words

    def _chart(self) -> Words:
        kind = self.random.choice(CHARTS)
        games = {"keeps": tuple(QUESTIONS), "distribution": ("battleship", "boston", "multiplication", "hearts-due")}
        game, words = self._question(games.get(kind, ("pig", *PUSH)))
        if self._maybe(0.1):
            game, words = "pig", [self._table()]
        if kind == "keeps":
            words += self._position(game, words)
        elif kind in ("distribution", "sensitivity") and "--objective" not in words:
            words += ["--objective", "points"]
        if kind == "regions" and self._maybe(0.3):
            words += ["--dice", str(self.random.randint(0, 6))]
        if kind == "sensitivity":
            words += ["--vary", self.random.choice(("faces", "minimum", "points", "set_aside", "little"))]
        ending = self.random.choice(("svg", "pdf", "png"))
        where = ["--show", "terminal"] if self._maybe(0.93) else ["-o", self._output(ending)]
        return [*words[:1], kind, *words[1:], *where]

    # --- what they are asked about

    def _question(self, games: Sequence[str] = tuple(QUESTIONS)) -> tuple[str, Words]:
        if self._maybe(0.1):
            game, words = "farkle", ["--rules", *self.random.choice(RULE_FILES).split()]
        else:
            game = self.random.choice(games)
            words = self.random.choice(QUESTIONS[game]).split()
            words = words if "card.toml" in words else [game, *words]
        for name in {"ours.toml", "card.toml"} & set(words):
            self._rule_file(name)
        return game, words

    def _rule_file(self, name: str) -> str:
        """Write a rule file, often mutated."""
        lines = self.rule_files[name].splitlines()
        for _ in range(self.random.choice((0, 0, 1, 2))):
            lines = self._bent(lines)
        (self.folder / name).write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
        return name

    def _bent(self, lines: Words) -> Words:
        place, junk = self.random.randrange(len(lines)), self.random.choice(JUNK)
        line = lines[place]
        key, equals, value = line.partition("=")
        odd = self.random.choice(("true", "1979-05-27", "[]", "{}", "-1", "0", "3", "[1, 2]", "1e400", '""', "0xffff"))
        changed = self.random.choice(
            (
                "",
                f"{line}\n{line}",
                f"{key}={junk}" if equals else junk,
                f'{key}="{junk}"' if equals else f"[{junk}]",
                f"{key}{equals}{value[:-1]}",
                f"{key}= {odd}",
                f"{line}{self.random.choice(string.printable)}",
            )
        )
        return [*lines[:place], changed, *lines[place + 1 :]]

    def _table(self) -> str:
        """Write a value table, often with a few bytes changed; its name."""
        name = self.random.choice(tuple(self.tables))
        data = bytearray(self.tables[name])
        if self._maybe(0.4):
            for _ in range(self.random.randint(1, 3)):
                data[self.random.randrange(len(data))] = self.random.randrange(256)
            if self._maybe(0.3):
                data = data[: self.random.randrange(len(data))]
        (self.folder / name).write_bytes(data)
        return name

    def _output(self, ending: str) -> str:
        places = (f"new.{ending}", f"old.{ending}", f"nowhere/x.{ending}", f"folder.{ending}", ".")
        return self.random.choices(places, weights=(12, 4, 1, 1, 1))[0]

    # --- positions

    def _position(self, game: str, question: Words) -> Words:
        """A position of a game; mostly with those options only that the question's objective knows."""
        if self._maybe(0.15):
            return []
        words = self._push(game) if game in PUSH else getattr(self, f"_{game.replace('-', '_')}_position")()
        objective = next((one for one in ("points", "turns", "reach") if one in question), "win")
        unknown = {"--opponents", "--seat", "--beat", "--tied", "--frame", "--round", "--opponent-used"}
        if objective == "win" or self._maybe(0.05):
            return words
        if objective == "points" and game not in PUSH:
            unknown.add("--score")
        return [word for place, word in enumerate(words) if not {word, words[place - 1]} & unknown]

    def _some(self, *pairs: tuple[str, object], chance: float = 0.6) -> Words:
        return [word for key, value in pairs if self._maybe(chance) for word in (key, str(value))]

    def _dice(self, faces: str, count: int) -> str:
        return self.random.choice(("", "", ",", " ")).join(self.random.choices(faces, k=count))

    def _push(self, game: str) -> Words:
        grain, most = (1, 1) if game == "pig" else (50, 6 if game == "farkle" else 5)
        dice = self.random.choice((most, self.random.randint(1, most)))
        faces = "123456" if game == "pig" else "1111555234566"
        score, other = (grain * self.random.choice((0, 0, self.random.randrange(10, 30))) for _ in range(2))
        held = 0 if dice == most and self._maybe(0.5) else grain * self.random.randrange(2, 20)
        roll = ("--roll", self._dice(faces, dice)) if self._maybe(0.6) else ("--dice", str(dice))
        return [*self._some(("--score", score), ("--opponents", other)), "--turn", str(held), *roll]

    def _scarney_position(self) -> Words:
        number, live = self.random.randrange, self.random.randint(1, 5)
        match = self._some(
            *(("--frame", number(2, 8)), ("--seat", number(2)), ("--score", number(200)), ("--opponents", number(200))),
            chance=0.5 if self._maybe(0.5) else 0.0,
        )
        roll = self._some(("--roll", self._dice("1346d", live)))
        switches = self.random.choice(([], [], [], [], ["--double"], ["--opposite"]))
        return [
            *match,
            *self._some(("--turn", self.random.choice((0, 14, 20, 45)))),
            "--live",
            str(live),
            *roll,
            *switches,
        ]

    def _battleship_position(self) -> Words:
        number = self.random.randint
        match = self._some(
            *(("--round", number(2, 10)), ("--seat", number(0, 1)), ("--score", number(0, 12))),
            ("--opponents", number(0, 12)),
            chance=0.7 if self._maybe(0.5) else 0.0,
        )
        cast, kept = number(1, 3), self.random.choice(("654", "65", "6", ""))
        roll = kept + "".join(self.random.choices("123456", k=5 - len(kept)))
        inside = ["--cast", str(cast), "--roll", roll] if self._maybe(0.7) else []
        return [*match, *inside, *(["--kept", kept] if kept and inside and cast > 1 else [])]

    def _boston_position(self) -> Words:
        throw = self.random.randint(1, 3)
        match = ["--beat", str(self.random.randint(3, 18)), *self._some(("--seat", 1), ("--tied", 1))]
        inside = ["--throw", str(throw), *(["--kept", self._dice("123456", throw - 1)] if throw > 1 else [])]
        inside += ["--roll", self._dice("123456", 4 - throw)]
        return [*(match if self._maybe(0.5) else []), *(inside if self._maybe(0.8) else [])]

    _multiplication_position = _boston_position

    def _hearts_due_position(self) -> Words:
        some = 5 * self.random.randint(0, 10)
        return self._some(("--score", some), ("--opponents", self.random.choice((some, "0", "5,10", "25"))))

    def _double_cameroon_position(self) -> Words:
        names = ("sixes", "fives", "fours", "threes", "twos", "aces", "full house", "five of a kind", "large cameroon")
        used = ",".join(self.random.sample(names, self.random.choice((6, 8))))
        words = ["--used", used, "--opponent-used", used, "--score", "30", "--opponents", "35"]
        if self._maybe(0.7):
            words += ["--roll", self._dice("123456", 10), *self._some(("--throw", self.random.randint(1, 3)))]
        return words

    def _yahtzee_position(self) -> Words:
        used = ",".join(self.random.sample(("ones", "twos", "full", "four", "run", "chance"), 2))
        return self._some(("--used", used), ("--roll", self._dice("1234", 4)), chance=0.5)

    def _booby_trap_position(self) -> Words:
        left = ",".join(str(self.random.randint(0, 2)) for _ in range(3))
        touched = ["--touched", self.random.choice(("large", "medium", "small"))]
        feel = ["--feel", self.random.choice(("loose", "springy", "tight", "free"))]
        return [
            *self._some(("--left", left), ("--passes", self.random.randint(0, 4)), ("--score", 2), ("--opponents", -1)),
            *self.random.choice(([], [*touched, *feel])),
        ]

    # --- bending them

    def _mutated(self, words: Words) -> Words:
        choose, words = self.random.choice, list(words)
        place, other = self.random.randrange(len(words)), self.random.randrange(len(words))
        kind = self.random.randrange(9)
        if kind == 0:
            del words[place]
        elif kind == 1:
            words.insert(place, words[place])
        elif kind == 2:
            words[place], words[other] = words[other], words[place]
        elif kind in (3, 4):
            words[place] = choose(JUNK)
        elif kind == 5:
            words += [choose(OPTIONS), choose((choose(JUNK), str(self.random.randint(0, 60))))]
        elif kind == 6:
            words.append(choose(SWITCHES))
        elif kind == 7 and words[place]:
            letter = self.random.randrange(len(words[place]))
            words[place] = words[place][:letter] + choose(string.printable) + words[place][letter + 1 :]
        else:
            words.insert(place, choose((choose(JUNK), choose(tuple(QUESTIONS)))))
        return words or ["games"]
