"""Many hands of dice solved at once, against plain enumeration and against each hand solved by itself."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest

import keepwise as kw
from keepwise import dice_inventory
from keepwise.dice_inventory import count_hands, list_hands, merge_equal_kinds
from keepwise.games import own_game
from keepwise.games.dice_catalogue import load_catalogue
from keepwise.games.push_rules import DieKind
from keepwise.solvers.push import hand_values
from keepwise.solvers.push.hand_values import HandSolver

RULES = {
    "name": "three",
    "dice": 3,
    "target": 1000,
    "singles": {"1": 100, "5": 50},
    "alike": {"3": {"2": 200, "1": 1000}},
}
KINDS = {"fair": (1, 1, 1, 1, 1, 1), "lucky": (6, 1, 2, 3, 4, 6), "even": (1, 9, 1, 9, 1, 9)}


def plain_points(hand: tuple[tuple[int, ...], ...], goal: float, opening: int = 0) -> float:
    """Return the points of a turn by all ordered rolls and all sets: shares no code with the package."""
    top = 6000  # turn points from which everybody stops: far above every level of these dice

    def score(faces: tuple[int, ...]) -> int:
        if faces in ((1, 1, 1), (2, 2, 2)):
            return 1000 if faces[0] == 1 else 200
        return sum({1: 100, 5: 50}[face] for face in faces) if set(faces) <= {1, 5} else 0

    def bank(points: int) -> float:
        return min(points, goal) if points >= opening else 0.0

    @cache
    def before_roll(dice: tuple[int, ...], points: int) -> float:
        total = 0.0
        for faces in itertools.product(range(1, 7), repeat=len(dice)):
            chance = math.prod(hand[die][face - 1] / sum(hand[die]) for die, face in zip(dice, faces, strict=True))
            best = 0.0
            for size in range(1, len(dice) + 1):
                for taken in itertools.combinations(range(len(dice)), size):
                    gain = score(tuple(sorted(faces[place] for place in taken)))
                    if gain:
                        left = tuple(die for place, die in enumerate(dice) if place not in taken)
                        best = max(best, value(left or tuple(range(len(hand))), points + gain))
            total += chance * best
        return total

    def value(dice: tuple[int, ...], points: int) -> float:
        if points >= min(top, max(goal, opening)):
            return bank(points)
        return max(bank(points), before_roll(dice, points))

    return before_roll(tuple(range(len(hand))), 0)


def solver(names: list[str], **rules: object) -> HandSolver:
    own = own_game({**RULES, **rules})
    return HandSolver(own.data, [KINDS[name] for name in names], 3)


@pytest.mark.parametrize(("goal", "opening"), [(300, 0), (325, 0), (300, 200)])
def test_hands_of_three_dice_agree_with_enumeration(goal, opening):
    found = solver([*KINDS], **{"stop.opening": opening})
    hands = list_hands([3, 3, 3], 3)
    assert len(hands) == 10
    values = found.solve(hands, max(1, opening // 50), float(goal))
    for hand, points, bound in zip(hands.tolist(), *values, strict=True):
        dice = tuple([*KINDS.values()][kind] for kind in hand)
        assert points == pytest.approx(plain_points(dice, goal, opening), abs=1e-9 + bound)


@pytest.mark.slow
def test_hands_of_three_dice_without_goal_agree_with_enumeration():
    hands = list_hands([1, 3, 1], 3)
    values = solver([*KINDS]).solve(hands, 1)
    for hand, points, bound in zip(hands.tolist(), *values, strict=True):
        dice = tuple([*KINDS.values()][kind] for kind in hand)
        assert points == pytest.approx(plain_points(dice, math.inf), abs=1e-9 + bound)


@pytest.mark.parametrize("changes", [{}, {"set_aside": "all"}, {"stop.opening": 250}, {"wild": "6"}])
def test_every_hand_has_the_points_of_its_own_solve(changes):
    """The kernel for many hands against the solver of a single game, which shares only the tables of rolls."""
    kinds = [DieKind(name, 2, weights) for name, weights in KINDS.items()]
    found = kw.best_dice(own_game({**RULES, **changes}), kinds)
    assert len(found) == count_hands(kinds, 3).hands == 7
    for hand in found:
        dice = [{"name": name, "count": count, "weights": KINDS[name]} for name, count in hand.dice.items()]
        rules = {key: value for key, value in {**RULES, **changes}.items() if key != "dice"}
        alone = kw.solve(own_game({**rules, "die": dice}), "points", fresh=True)
        assert hand.points == pytest.approx(alone.value(), abs=hand.error_bound + alone.error_bound)
        assert 0 < hand.error_bound < 1e-8


def test_published_points_of_six_dice():
    """A plain program in C, all ordered rolls and all sets, found these points (see ``test_hand_shapes``)."""
    weights = {
        "ordinary": (1, 1, 1, 1, 1, 1),
        "weighted": (10, 1, 1, 1, 1, 1),
        "odd": (4, 1, 4, 1, 4, 1),
        "lucky": (6, 1, 2, 3, 4, 6),
        "even": (1, 4, 1, 4, 1, 4),
        "pie": (6, 1, 3, 3, 0, 0),
    }
    found = HandSolver(kw.load_rules("kingdom-come").data, [*weights.values()], 6)
    points = found.solve(np.array([[0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 4, 5]]), 1).points
    assert points[0] == pytest.approx(564.4376204, abs=1e-7)
    assert points[1] == pytest.approx(974.4522580722, abs=3e-8)


def test_hands_of_one_block_do_not_change_each_other():
    found = solver([*KINDS])
    hands = list_hands([3, 3, 3], 3)
    together = found.solve(hands, 1).points
    alone = [found.solve(hand[None], 1).points[0] for hand in hands]
    assert together.tolist() == pytest.approx(alone, abs=1e-9)


@pytest.mark.parametrize("changes", [{}, {"set_aside": "all"}, {"stop.opening": 100}, {"stop.opening": 250}])
def test_bounds_are_above_the_points_of_every_hand(changes):
    found = solver([*KINDS], **changes)
    hands = list_hands([3, 3, 3], 3)
    min_bank = max(1, changes.get("stop.opening", 0) // 50)
    solved = found.solve(hands, min_bank)
    slack = found.bound(hands, min_bank) - solved.points
    assert (slack >= solved.error_bounds).all()
    assert (slack < 0.2 * solved.points).all()
    assert slack.max() > 0.1  # fewer turn points are tabulated


def test_a_bound_of_all_turn_points_has_the_bits_of_the_solve(monkeypatch):
    found = solver([*KINDS])
    hands = list_hands([3, 3, 3], 3)
    monkeypatch.setattr(hand_values, "_list_rows", lambda min_bank: np.arange(5000, dtype=np.int32))
    monkeypatch.setattr(found, "_error_bounds", lambda points, bust_chances, rows: 0 * points)
    assert found.bound(hands, 1).tolist() == found.solve(hands, 1).points.tolist()


def test_a_hand_that_never_busts_has_no_bound():
    sure = HandSolver(own_game(RULES).data, [(1, 0, 0, 0, 1, 0)], 3)
    assert sure.bound(np.zeros((1, 3), dtype=np.uint8), 1).tolist() == [math.inf]


@pytest.mark.parametrize("changes", [{}, {"set_aside": "all"}, {"stop.opening": 250}, {"wild": "6"}])
@pytest.mark.parametrize("goal", [300.0, 2000.0, math.inf])
def test_what_a_lap_bounds_is_above_the_points_of_every_hand(changes, goal):
    """Numbers below the cutoff are upper bounds, whatever the cutoff; and those of good cutoffs are close."""
    kinds = [*KINDS.values(), (6, 1, 3, 3, 0, 0), (10, 1, 1, 1, 1, 1)]
    found = HandSolver(own_game({**RULES, **changes}).data, kinds, 3)
    hands = list_hands([3] * 5, 3)
    min_bank = max(1, changes.get("stop.opening", 0) // 50)
    solved = found.solve(hands, min_bank, goal)
    for cutoff in [*np.quantile(solved.points, [0.1, 0.5, 0.9]).tolist(), 10000.0]:
        bounds = found.bound_by_lap(hands, min_bank, goal, cutoff)
        is_bound = bounds < cutoff
        assert (bounds - solved.points >= solved.error_bounds)[is_bound].all()
        assert (solved.points < cutoff)[is_bound].all()
    assert is_bound.all()
    if not changes:
        best = np.quantile(solved.points, 0.9)
        assert (found.bound_by_lap(hands, min_bank, goal, best) < best).mean() > 0.4


@pytest.mark.parametrize(("goal", "opening"), [(300, 0), (325, 0), (300, 200)])
def test_what_a_lap_bounds_agrees_with_enumeration(goal, opening):
    found = solver([*KINDS], **{"stop.opening": opening})
    hands = list_hands([3, 3, 3], 3)
    points = [plain_points(tuple([*KINDS.values()][kind] for kind in hand), goal, opening) for hand in hands.tolist()]
    for cutoff in sorted(points):
        bounds = found.bound_by_lap(hands, max(1, opening // 50), goal, cutoff)
        assert all(bound >= exact for bound, exact in zip(bounds, points, strict=True) if bound < cutoff)
    assert sum(bounds < cutoff) > 2  # some hands are excluded by the best one


def test_the_best_hands_for_a_goal_agree_with_enumeration(monkeypatch):
    monkeypatch.setattr(dice_inventory, "CHUNK", 4)  # so that few hands are solved before the others are bounded
    kinds = [DieKind(f"d{number}", 3, (number, 2, 1, 1, 6 - number, 1)) for number in range(1, 6)]
    weights = {kind.name: kind.weights for kind in kinds}
    hands = itertools.combinations_with_replacement(weights, 3)
    points = {hand: plain_points(tuple(weights[name] for name in hand), 300) for hand in hands}
    expected = sorted(points, key=lambda hand: -points[hand])[:3]
    best = kw.best_dice(own_game(RULES), kinds, goal=300, max_hands=3)
    assert [tuple(name for name, count in hand.dice.items() for _ in range(count)) for hand in best] == expected
    for hand, dice in zip(best, expected, strict=True):
        assert hand.points == pytest.approx(points[dice], abs=1e-9 + hand.error_bound)


@pytest.mark.parametrize("goal", [None, 300, 1500])
@pytest.mark.parametrize("changes", [{}, {"set_aside": "all"}, {"stop.opening": 250}])
@pytest.mark.parametrize("max_hands", [1, 11])
def test_the_best_hands_are_those_of_all_hands_to_the_bit(goal, changes, max_hands, monkeypatch):
    kinds = [DieKind(f"d{number}", 3, (number % 5 + 1, 1, number // 5 + 1, 1, 2, 3)) for number in range(15)]
    game = own_game({**RULES, **changes})
    every = kw.best_dice(game, kinds, goal=goal)
    assert len(every) == 680
    solved = list[int]()
    solve = HandSolver.solve
    monkeypatch.setattr(
        HandSolver, "solve", lambda self, hands, *args: solved.append(len(hands)) or solve(self, hands, *args)
    )
    assert kw.best_dice(game, kinds, max_hands=max_hands, goal=goal) == every[:max_hands]
    assert sum(solved) < 300  # 15 of them to order the hands


def test_best_hands_resume_from_a_checkpoint_of_all_hands(tmp_path):
    kinds = [DieKind(f"d{number}", 3, (number, 1, 1, 1, 1, 1)) for number in range(1, 16)]
    game = own_game(RULES)
    best = kw.best_dice(game, kinds, max_hands=5, checkpoint=tmp_path / "ours")
    assert kw.best_dice(game, kinds, max_hands=5, checkpoint=tmp_path / "ours") == best
    every = kw.best_dice(game, kinds, checkpoint=tmp_path / "ours")
    assert (len(every), every[:5]) == (680, best)
    assert every == kw.best_dice(game, kinds)


def test_a_die_that_never_busts_requires_a_goal():
    kinds = [DieKind("sure", 1, (1, 0, 0, 0, 1, 0)), DieKind("fair", 2, (1,) * 6)]
    (hand,) = kw.best_dice(own_game(RULES), kinds, goal=500)
    sure_first = ((1, 0, 0, 0, 1, 0), (1,) * 6, (1,) * 6)
    assert hand.points == pytest.approx(plain_points(sure_first, 500), abs=1e-9)
    with pytest.raises(kw.InputError, match="a turn hardly ever ends"):
        kw.best_dice(own_game(RULES), kinds)


def test_an_interrupted_ranking_resumes_from_its_checkpoint(tmp_path):
    kinds = [DieKind(f"d{number}", 3, (number, 1, 1, 1, 1, 1)) for number in range(1, 16)]
    game = own_game(RULES)
    assert count_hands(kinds, 3).hands == 680  # more than a chunk
    file = tmp_path / "ours"

    def interrupt(done: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kw.best_dice(game, kinds, checkpoint=file, threads=1, progress=interrupt)
    shares = list[float]()
    resumed = kw.best_dice(game, kinds, checkpoint=file, threads=1, progress=shares.append)
    assert len(shares) < 6  # chunks of 128 hands: one at least was finished before
    assert resumed == kw.best_dice(game, kinds, threads=2)
    again = list[float]()
    assert kw.best_dice(game, kinds, checkpoint=file, max_hands=5, progress=again.append) == resumed[:5]
    assert not again
    with pytest.raises(kw.TableError, match="another problem"):
        kw.best_dice(game, kinds, goal=500, checkpoint=file)


def test_a_resumed_ranking_compares_no_hand_again(tmp_path, monkeypatch):
    """Hands that a bound excludes are kept too; a longer list compares them again."""
    kinds = [DieKind(f"d{number}", 3, (number, 1, 1, 1, 1, 1)) for number in range(1, 16)]
    game = own_game(RULES)
    file = tmp_path / "ours"
    best = kw.best_dice(game, kinds, max_hands=5, checkpoint=file)
    compared = list[int]()
    bound_by_lap = HandSolver.bound_by_lap
    monkeypatch.setattr(
        HandSolver,
        "bound_by_lap",
        lambda self, hands, *args: compared.append(len(hands)) or bound_by_lap(self, hands, *args),
    )
    assert kw.best_dice(game, kinds, max_hands=5, checkpoint=file) == best
    assert sum(compared) < 100
    longer = kw.best_dice(game, kinds, max_hands=9, checkpoint=file)
    assert longer[:5] == best
    assert longer == kw.best_dice(game, kinds)[:9]
    assert sum(compared) > 300


@pytest.mark.parametrize("objective", ["turns", "win"])
def test_an_interrupted_ranking_of_games_resumes(objective, tmp_path):
    kinds = [DieKind(f"d{number}", 3, (number, 1, 1, 1, 1, 1)) for number in range(1, 4)]
    game = own_game({**RULES, "target": 300})
    file = tmp_path / "ours"
    shares = list[float]()

    def interrupt(done: float) -> None:
        shares.append(done)
        if len(shares) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kw.best_dice(game, kinds, objective=objective, checkpoint=file, progress=interrupt)
    again = list[float]()
    resumed = kw.best_dice(game, kinds, objective=objective, checkpoint=file, progress=again.append)
    assert resumed == kw.best_dice(game, kinds, objective=objective)
    assert len(again) == len(resumed) - 4 + 1  # the last report says that all is done
    with pytest.raises(kw.TableError, match="another problem"):
        kw.best_dice(own_game({**RULES, "target": 200}), kinds, objective=objective, checkpoint=file)


def test_merge_equal_kinds_joins_equal_weights():
    kinds = [DieKind("a", 1, (1, 1, 1)), DieKind("b", 2, (2, 1, 1)), DieKind("c", 3, (2, 2, 2))]
    assert merge_equal_kinds(kinds) == (DieKind("a/c", 4, (1, 1, 1)), kinds[1])


def test_a_goal_requires_plain_turns():
    game = own_game({**RULES, "then.all": "end"})
    with pytest.raises(kw.InputError, match="goal requires plain rules, in which sets add points"):
        kw.best_dice(game, [DieKind("plain", 3, (1,) * 6)], goal=300)


TURNS_RULES = {**RULES, "target": 600}
OWN = [DieKind(name, 2, weights) for name, weights in KINDS.items()]


def hand_game(hand: dict[str, int]) -> kw.Game:
    dice = [{"name": name, "count": count, "weights": list(KINDS[name])} for name, count in hand.items()]
    return own_game({**{key: value for key, value in TURNS_RULES.items() if key != "dice"}, "die": dice})


def test_hands_for_turns_that_are_not_solved_are_worse(monkeypatch):
    every = kw.best_dice(own_game(TURNS_RULES), OWN, objective="turns")
    assert len(every) == 7
    for hand in every:
        assert hand.value == pytest.approx(kw.solve(hand_game(hand.dice), "turns", fresh=True).value(), abs=1e-9)
    games = list[dict[str, int]]()
    make_problem = dice_inventory.make_hand_problem
    monkeypatch.setattr(
        dice_inventory, "make_hand_problem", lambda hand, *args: games.append(hand.dice) or make_problem(hand, *args)
    )
    assert kw.best_dice(own_game(TURNS_RULES), OWN, objective="turns", max_hands=1) == every[:1]
    assert len(games) < 7  # one of them to estimate the time


@pytest.mark.parametrize("max_hands", [0, -1])
def test_best_dice_refuses_to_return_no_hands(max_hands):
    with pytest.raises(kw.InputError, match=f"^max_hands must be at least 1, not {max_hands}; leave it out"):
        kw.best_dice(own_game(TURNS_RULES), OWN, max_hands=max_hands)


def test_hands_for_the_win_are_solved_against_the_opponents_dice():
    opponent = [DieKind("fair", 3, KINDS["fair"])]
    game = dice_inventory.dice_of_opponent(own_game(TURNS_RULES), opponent)
    found = kw.best_dice(game, OWN, objective="win")
    assert found == kw.best_dice(own_game(TURNS_RULES), OWN, objective="win")  # the dice of the game are fair
    assert len(found) == 7
    assert [hand.value for hand in found] == sorted((hand.value for hand in found), reverse=True)
    dice = [{"name": "fair", "count": 3, "weights": list(KINDS["fair"])}]
    race = hand_game(found[0].dice).with_rules(seat={"2": {"die": dice}})
    assert found[0].value == pytest.approx(kw.solve(race, "win", fresh=True).value(), abs=1e-9)


@pytest.mark.slow
def test_the_time_of_all_games_is_estimated_from_a_few_hands(monkeypatch):
    monkeypatch.setattr(dice_inventory, "COMPILE_SECONDS", 0.0)
    names = {"ordinary": 4, "lucky": 2, "odd": 2, "pie": 1}
    weights = load_catalogue("kingdom-come-2").weights
    own = [DieKind(name, count, weights[name]) for name, count in names.items()]
    game, own = dice_inventory.fit_wild_faces(kw.game("kingdom-come-2", target=1500), own)
    counts = list(dice_inventory.enumerate_hands([kind.count for kind in own], 6))
    hand_games = [dice_inventory.make_hand_game(game, own, hand) for hand in counts]
    each = [dice_inventory.make_hand_problem(hand, "win", game).estimate_cost(1).seconds for hand in hand_games]
    assert max(each) > 2 * min(each)
    estimate = dice_inventory.estimate_games(game, own, counts, "win", 1).seconds
    assert sum(each) / 1.3 < estimate < 1.3 * sum(each)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "rate"}, "unknown objective 'rate'; known: points, turns, win"),
        ({"objective": "turns", "goal": 300}, "goal requires the objective points"),
    ],
)
def test_options_that_contradict_the_objective_are_refused(options, message):
    with pytest.raises(kw.InputError, match=message):
        kw.best_dice(own_game(TURNS_RULES), OWN, **options)


def test_dice_need_a_weight_for_each_face():
    with pytest.raises(kw.InputError, match="the die odd has 8 weights, but dice of this game have 6 faces"):
        kw.best_dice(own_game(RULES), [DieKind("odd", 3, (1,) * 8)])


def test_an_opponent_needs_a_whole_hand():
    with pytest.raises(kw.InputError, match="against must list 3 dice"):
        dice_inventory.dice_of_opponent(own_game(TURNS_RULES), OWN)
