"""Dice drawn from a cup, by plain enumeration that shares no code with the package: every die, every side, every draw.

A cup is a dict of sides by colour, with the number of dice: ``{"g": ("BBBFFS", 6)}``. B scores, F is rolled again, S is
a shot. A state is what lies on the table: three sorted strings of colours, scored, hand and shots.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product

ZOMBIE_CUP = {"g": ("BBBFFS", 6), "y": ("BBFFSS", 4), "r": ("BFFSSS", 3)}
START = ("", "", "")


class Cup:
    """A cup with the size of a hand and the shots that end a turn."""

    def __init__(self, dice, hand, limit):
        self.dice, self.hand, self.limit = dice, hand, limit
        self.rolls_of_hand = cache(self._rolls_of_hand)
        self.results = cache(self._results)

    def _rolls_of_hand(self, hand):
        """Return how often dice of these colours lie as (scored, hand, shots)."""
        counts = Counter()
        for sides in product(*(self.dice[colour][0] for colour in hand)):
            shown = zip(hand, sides, strict=True)
            lying = {"B": "", "F": "", "S": ""}
            for colour, side in shown:
                lying[side] += colour
            counts[lying["B"], lying["F"], lying["S"]] += 1
        return counts

    def _results(self, state):
        """Return the results of a roll: (state or None for a bust, dice that scored), with probabilities."""
        scored, hand, shots = state
        table = scored + hand + shots
        in_cup = "".join(colour * (count - table.count(colour)) for colour, (_, count) in self.dice.items())
        if len(in_cup) < self.hand - len(hand):
            in_cup, scored = in_cup + scored, ""
        draws = [*combinations(in_cup, self.hand - len(hand))]
        chances = Counter()
        for drawn, times in Counter("".join(sorted(draw)) for draw in map("".join, draws)).items():
            rolls = self.rolls_of_hand("".join(sorted(hand + drawn)))
            for (new_scored, new_hand, new_shots), ways in rolls.items():
                after_shots = "".join(sorted(shots + new_shots))
                after = "".join(sorted(scored + new_scored)), "".join(sorted(new_hand)), after_shots
                key = (None, 0) if len(after_shots) >= self.limit else (after, len(new_scored))
                chances[key] += Fraction(times * ways, len(draws) * sum(rolls.values()))
        return dict(chances)

    def states(self):
        """Return all states that can follow the start."""
        found, queue = {START}, [START]
        while queue:
            new = {after for after, _ in self.results(queue.pop()) if after is not None} - found
            found |= new
            queue += new
        return found

    def best_turn(self, payoff, bust, cap, number=float):
        """Return the best mean payoff of a turn.

        Args:
            payoff: by points, what a bank pays. Nobody rolls on from ``cap`` points.
            bust: what a bust pays; a turn may not stop without points.
            cap: a number of points.
            number: Fraction or float.
        """
        states = self.states()
        chances = {
            state: [(after, points, number(chance)) for (after, points), chance in self.results(state).items()]
            for state in states
        }
        value = {(state, points): number(payoff(points)) for state in states for points in range(cap, cap + self.hand)}
        for points in range(cap - 1, -1, -1):
            stop = number(payoff(points)) if points else None
            # Fewer shots follow more shots only by points, and a full hand is reached from one that is not full.
            for state in sorted(states, key=lambda state: (-len(state[2]), -len(state[1]))):
                rest, same = number(0), number(0)
                for after, added, chance in chances[state]:
                    if (after, added) == (state, 0):
                        same += chance
                    else:
                        rest += chance * (number(bust) if after is None else value[after, points + added])
                roll = rest / (1 - same)
                value[state, points] = roll if stop is None else max(stop, roll)
        return value[START, 0]

    def hold_turn(self, level, generator):
        """Return the points of one turn that is played by rolling until ``level`` points are held."""
        scored, hand, shots, points = [], [], [], 0
        while points < level:
            in_cup = [colour for colour, (_, count) in self.dice.items() for _ in range(count)]
            for colour in scored + hand + shots:
                in_cup.remove(colour)
            if len(in_cup) < self.hand - len(hand):
                in_cup, scored = in_cup + scored, []
            generator.shuffle(in_cup)
            rolled, hand = hand + in_cup[: self.hand - len(hand)], []
            for colour in rolled:
                side = generator.choice(self.dice[colour][0])
                {"B": scored, "F": hand, "S": shots}[side].append(colour)
                points += side == "B"
            if len(shots) >= self.limit:
                return 0
        return points


def race(cup, target, cap):
    """Return the chance of the first player of two, by value iteration; a last turn follows, and ties are shared."""
    last = {
        (mine, total): cup.best_turn(lambda points: _share(mine + points, total), 0.0, cap)  # noqa: B023 (used at once)
        for mine in range(target)
        for total in range(target, target + cap + cup.hand)
    }
    values = {}
    for total in range(2 * target - 2, -1, -1):
        pairs = [(mine, total - mine) for mine in range(total // 2 + 1) if total - mine < target]
        for mine, theirs in pairs:
            first = second = 0.5
            for _ in range(36):
                first = _turn_of_race(cup, target, cap, values, last, (mine, theirs), 1 - second)
                second = _turn_of_race(cup, target, cap, values, last, (theirs, mine), 1 - first)
            values[mine, theirs], values[theirs, mine] = first, second
    return values[0, 0]


def _share(mine, theirs):
    return 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0


def _turn_of_race(cup, target, cap, values, last, scores, after_bust):
    mine, theirs = scores

    def payoff(points):
        if not points:
            return after_bust
        total = mine + points
        return 1 - (values[theirs, total] if total < target else last[theirs, total])

    return cup.best_turn(payoff, after_bust, cap)
