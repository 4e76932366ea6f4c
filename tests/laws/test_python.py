"""Whatever a public function is given, it answers or says in one line what is wrong; what it returns goes anywhere.

Public is what ``keepwise.__all__`` names and what games, tables and solutions offer. A function or a parameter that is
added has these laws by its signature.
"""

from __future__ import annotations

import copy
import inspect
import json
import pickle

import numpy as np
import pytest

import keepwise as kw
from keepwise.games.rulefile.loader import load_dice

HUGE = 10**5000
JUNK = (
    np.int64(2), "2", 2.0, 2.5, True, None, [], {}, b"x", object(), HUGE, [HUGE], -1, float("nan"), "a\nb", "x\0",
    ("a",), range(3), np.zeros(3), "é" * 500, {1}, 3 + 1j, ..., kw, lambda told: told,
)  # fmt: skip
# What a parameter is given that must be given, by its name.
SMALL = kw.game("pig", target=6)
USUAL = {
    "game_or_id": "pig", "game_id": "pig", "id": "pig", "game": SMALL, "playable": kw.playable(SMALL),
    "rules": {},
    "name": "ours", "path": "x.npz", "kind": "keeps", "policy": "hold:4", "positions": [], "score": lambda dice: 0,
    "own": [], "text": "pig", "position": None,
}  # fmt: skip
FEWER = {"games": 2}  # than nothing said, which takes long


class CoinToss(kw.OwnGame):
    """A game without choices, which asks nothing at the prompt."""

    def start(self):
        return -1

    def actions(self, position):
        return []

    def rolls(self, position):
        return [(1, 0), (1, 1)]

    def payoffs(self, position):
        return () if position == -1 else (position,)


# Calls that are answered, of functions that refuse all junk.
ANSWERED = {
    "best_dice": lambda: kw.best_dice(kw.load_rules("kingdom-come"), load_dice("dice.toml", "123456")),
    "card_game": lambda: kw.card_game("ours", lambda dice: {"sum": sum(dice)}, dice=1, throws=1),
    "game": lambda: kw.game("pig"),
    "solve_playable": lambda: kw.solve_playable(kw.playable(kw.game("shut-the-box", tiles=3), objective="points")),
    "load": lambda: kw.load("table.npz"),
    "load_rules": lambda: kw.load_rules("ours.toml"),
    "push_game": lambda: kw.push_game("ours", lambda dice: dice.count("1") or None, dice=1),
    "Game.with_rules": lambda: SMALL.with_rules(target=5),
    "Solution.play": lambda: [kw.solve_playable(CoinToss()).play()],  # None, after the game
    "PlayableGame.from_id": lambda: kw.playable(SMALL).from_id(kw.playable(SMALL).id(kw.playable(SMALL).start())),
    "Solution.against": lambda: small().against("hold:4"),
    "Solution.chart": lambda: small().chart("frontier"),
    "Solution.check_solves": lambda: [small().check_solves(small().problem)],  # None: it is not refused
    "Solution.distribution": lambda: kw.solve("boston", "points").distribution(),
    "Solution.with_all_tables_kept": lambda: small().with_all_tables_kept(),
    "Solution.model": lambda: small().model("model.drn", policy="optimal"),
}


def small() -> kw.Solution:
    return kw.solve(SMALL, fresh=True)


def public() -> dict:
    """Every public function and method, by name."""
    functions = {name: getattr(kw, name) for name in kw.__all__}
    found = {name: one for name, one in functions.items() if inspect.isfunction(one) or one is kw.Game}
    methods = {(kw.Game, "with_rules"), (kw.PlayableGame, "from_id"), (kw.PlayableGame, "position")}
    methods |= {
        (kw.Solution, name) for name, _ in inspect.getmembers(kw.Solution, inspect.isfunction) if name[0] != "_"
    }
    return found | {f"{owner.__name__}.{name}": getattr(owner, name) for owner, name in sorted(methods, key=repr)}


def call(function, owner: object, asked: inspect.Parameter, value: object) -> None:
    """Call a function with this value of one parameter, and with usual values of those that are required."""
    args, options = [] if owner is None else [owner], {}
    for one in list(inspect.signature(function).parameters.values())[len(args) :]:
        needed = one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        if one.name != asked.name and not needed:
            options |= {one.name: FEWER[one.name]} if one.name in FEWER else {}
            continue
        given = value if one.name == asked.name else USUAL[one.name]
        if one.kind in (one.POSITIONAL_ONLY, one.VAR_POSITIONAL):
            args.append(given)
        else:
            options["score" if one.kind is one.VAR_KEYWORD else one.name] = given
    function(*args, **options)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Enter a folder with a table, a rule file and dice to load."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.toml").write_text('game = "pig"\ntarget = 6\n')
    (tmp_path / "dice.toml").write_text('[[die]]\nname = "p1"\nweights = [1, 1, 1, 1, 1, 1]\ncount = 6\n')
    small().save("table.npz")


@pytest.mark.cases(fast=18)
@pytest.mark.parametrize("name", public())
def test_public_functions_answer_or_refuse_any_argument(name, folder, tally):
    function = public()[name]
    owners = {"Game": SMALL, "PlayableGame": kw.playable(SMALL), "Solution": small()}
    owner = owners[name.partition(".")[0]] if "." in name else None
    if name in ANSWERED:
        assert ANSWERED[name]() is not None
        tally.add()
    for asked in list(inspect.signature(function).parameters.values())[owner is not None :]:
        for value in JUNK:
            if callable(value) and any(
                kind in str(asked.annotation) for kind in ("Callable", "PolicyLike", "ProgressOption")
            ):
                continue  # what somebody's function does is theirs
            said = "an answer"
            try:
                call(function, owner, asked, value)
                tally.add()
            except kw.KeepwiseError as error:
                said = str(error)
            assert len(said.splitlines()) == 1, asked
            assert len(said) < 1000, asked


def test_numbers_are_read_as_numpy_and_people_write_them(tally):
    two, game = np.int64(2), kw.game("pig", target=np.int64(6))
    solution = kw.solve(game, "reach", turns=two, fresh=True)
    assert solution.head == kw.solve(game, "reach", turns=2, fresh=True).head
    json.dumps(solution.head)
    assert kw.playable(game, two).id(kw.playable(game, two).start()) == kw.playable(game, 2).id(
        kw.playable(game, 2).start()
    )
    assert kw.simulate(game, games="5", players="2").games == 5
    assert kw.solve(game, players=two, fresh=True).value(score=two) == small().value(score=2)
    tally.add()


@pytest.mark.parametrize("wrong", [None, 5, HUGE, np.float64(2)], ids=["None", "5", "huge", "2.0"])
def test_wrong_arguments_raise_input_error(wrong, tally):
    for function in (kw.solve, kw.playable, kw.simulate, small().value, small().advise):
        if wrong is None and inspect.ismethod(function):
            continue  # the start
        with pytest.raises(kw.InputError):
            function(wrong)
        tally.add()
    with pytest.raises(kw.InputError):
        small().evaluate(wrong)
    with pytest.raises(kw.InputError):
        kw.load(wrong)


def test_returned_objects_can_be_pickled_and_copied(tally):
    solution = small()
    inside = solution.playable.position(turn=3, dice=1)
    returned = (
        solution, solution.game, solution.game.rules, solution.playable, solution.problem, solution.value_table, inside,
        solution.advise(inside), solution.advise(inside).best, solution.position_value(), solution.trace(),
        solution.why(inside), solution.policy(), solution.simulate(games=3), solution.evaluate("hold:4"),
        solution.against("hold:4"), solution.sheet(), kw.referee(solution.playable), *solution.playable.fields,
        *solution.game.options, kw.InputError("x"),
        kw.TooMuchError("x"), kw.solve("boston", "points").distribution(),
    )  # fmt: skip
    for one in returned:
        for other in (one, pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
            assert type(other) is type(one)
            assert isinstance(hash(other), int)
            assert repr(other)
            assert (other == one) in (True, False)
            tally.add()


def test_a_pickled_solution_answers_the_same(tally):
    solution = small()
    again = pickle.loads(pickle.dumps(solution))
    assert again.head == solution.head
    assert again.value(score=3) == solution.value(score=3)
    playable = copy.deepcopy(solution.playable)
    assert playable.problem_key == solution.playable.problem_key
    assert again.value(playable.position(score=3)) == solution.value(score=3)
    tally.add()
