"""Lines of a game as it is played: every turn walked throw by throw, choice by choice, and worked out in whole numbers.

For games whose turns come to few positions, whatever their family, and for any number of players. No kernel and no
compiled turn has a part in it. Turns that begin at different scores are walked once where they offer the same choices
(``Table.turn_key``): what ends such a turn is known by its words and points, and where it leads is asked of the game
for every score. States are taken in levels, each after those it leads to. Where nothing leads back a line is its turn
of the lines above, rounded outward: what a state leads to stands in earlier blocks (H7). States that lead to each other
have strict lines, which begin at the solved values and move outward until they hold.

Of three and more there are a lower number of what the stored play brings every seat and an upper one of its best reply,
and the stored number of the mover decides: of choices that are closer by it than ``TIE`` either may be made (H10).
Who mixes two turns decides each by a number of its own in place of what a zero turn leads to; their shares are weights.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from operator import gt, lt, mul
from typing import Any

import networkx
import numpy as np

from ..answers.positions import sign_of, worth_of
from ..play.table import Choice, changed
from ..play.walk import open_choices
from ..solvers import Problem, ValueTable
from ..solvers.cards.total_problems import ByTotal
from ..util.errors import InputError, SolveError
from .game_descriptions import FAMILIES, State, naming, to_come
from .prover import MOST_BITS, MOST_GAP, NO_LINES, Lines
from .whole_turn import Ints

MOST_NODES = 1_000_000  # choices and falls that are walked, parts of turns that are worked out: a minute
# So many times as many would be looked at if all turns were as long as the first: too many, and seen at once. Scores
# that can occur may crowd near the target, where turns are short: up to eight times shorter in what has been tried.
FAR_MORE = 32
MOST_SWEEPS, AT_ONCE = 5000, 20  # the margin grows after so many
MARGIN = 1 << 8  # units that lines of states that lead to each other are strict by, at first
TIE = 2.0**-36  # more than kernels are rounded by
MIXED = "players mix turns where turns are taken over: which of them takes what is offered is not told by a certificate"
TIED = "what is the same to who chooses is not to the others: no lines worth stating can be proved"
ALIKE = 3  # turns that are walked once more, to see that they are as the shared walk says

# Lower and upper number of the mover; of three and more what the mover decides by, then those of all seats.
Row = tuple[int, ...]
End = tuple[Any, int, Choice[Any]]  # a decision, which of its choices, and the choice


def closest(players: int, bits: int) -> int:
    """``TIE`` in units, of which there may be more in a file than in any certificate; none where no play is stored."""
    return int(np.ldexp(TIE, min(max(bits, 0), MOST_BITS))) if players > 2 else 0


@dataclass(frozen=True)
class _Node:
    """Part of a turn. ``ways``: (ways, node) of a throw; ``parts``: the nodes to choose from; neither: an end, which
    stands at ``end`` in a list of them.
    """

    ways: tuple[tuple[int, int], ...] = ()
    parts: tuple[int, ...] = ()
    end: int = -1


@dataclass(frozen=True)
class _Turn:
    """A turn: its nodes, each after those it needs, and how it ends."""

    nodes: tuple[_Node, ...]
    ends: tuple[End, ...]


@dataclass(frozen=True)
class _Leaf:
    """What an end pays the seats from the mover on, the state that follows, -1 if none, and seats on to its mover."""

    pays: tuple[Fraction, ...]
    state: int
    shift: int


class Played:
    """The lines of a game as it is played."""

    def __init__(
        self,
        match: Problem[Any],
        cut: int | None = None,
        progress: Callable[[float], None] = lambda done: None,
    ) -> None:
        self.match, self.table, self.n, self.progress = match, match.playable, match.players, progress
        self.named, self.cut, self.shared = naming(match.playable), cut, False
        self.listed = match.game.family == "touch" and match.objective == "win"  # choices stand in the checker's order
        self.numbers: dict[State, int] = {}
        self.positions: list[Any] = []
        self.turns: list[_Turn] = []
        self.leaves: list[list[_Leaf]] = []
        self._walks: dict[Hashable, _Turn] = {}
        self._units: dict[tuple[Fraction, ...], Row] = {}
        self._left = MOST_NODES

    def check_size(self, count: int) -> None:
        """Raise InputError where there are lines of scores for far more turns than are looked at."""
        self._left = min(MOST_NODES, FAR_MORE * MOST_NODES // count)
        self._walked(self.table.start())
        self._left = MOST_NODES

    def _walk(self, solved: ValueTable) -> None:
        """Walk the whole game, and read what was solved."""
        start = self.table.start()
        self.shared = self.match.game.family in FAMILIES and self.match.stopping_points(solved, start) is None
        self._number(start)
        for number, position in enumerate(self.positions):  # it grows on the way
            self.turns.append(self._turn(position))
            self.leaves.append([self._leaf(position, after) for after in self._landings(number)])
            self._spend(len(self.turns[number].nodes))
        self._agree()
        self.stored = self._stored(solved)
        ends = [pay for leaves in self.leaves for leaf in leaves if leaf.state < 0 for pay in leaf.pays]
        most = max(1, *map(abs, ends), ceil(np.abs(self.stored).max()))
        self.bits = MOST_BITS - int(most + 1).bit_length()
        self.stake = self._stake() << self.bits if self.n == 2 else 0
        self.tie = closest(self.n, self.bits)
        self.mixes = self._mixes(solved)

    # --- the game, walked

    def _number(self, position: Any) -> int:
        """The number of the state that a position between turns is."""
        state = self.named(position)
        if state not in self.numbers:
            self.numbers[state] = len(self.positions)
            self.positions.append(position)
        return self.numbers[state]

    def _spend(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise InputError(
                f"{self.match.game.id}: more can happen under these rules than can be proved state by state:"
                " fewer players, a nearer target or fewer rounds may do"
            )

    def _choices(self, position: Any) -> Sequence[Choice[Any]]:
        """What may be done: all of it where the walk is shared, else less what need not be looked at."""
        return self.table.choices(position) if self.shared else open_choices(self.table, position, self.cut)

    def _turn(self, start: Any) -> _Turn:
        """The turn that begins there, or one that offers the same."""
        if not self.shared:
            return self._walked(start)
        key = self.table.turn_key(start)
        if key not in self._walks:
            self._walks[key] = self._walked(start)
        return self._walks[key]

    def _walked(self, start: Any) -> _Turn:
        """A turn walked from its beginning."""
        places: dict[Any, int] = {}
        nodes: dict[_Node, int] = {}
        ends: dict[Hashable, tuple[int, End]] = {}
        follow: dict[Any, list[tuple[int, Any]]] = {}
        todo = [start]
        while todo:
            position = todo[-1]
            if position in places:
                todo.pop()
                continue
            chooses = self.table.stage(position) == "choose"
            if position not in follow:
                choices = self._choices(position) if chooses else ()
                falls = [(number, one.after) for number, one in enumerate(choices)] or self.table.throws(position)
                follow[position] = list(falls)
                self._spend(len(follow[position]))
                inside = [after for _, after in follow[position] if not self._ends(after) and after not in places]
                if any(one in follow for one in inside):
                    raise InputError(f"{self.match.game.id}: a turn can go round in circles under these rules")
                todo += inside
                continue
            todo.pop()
            leads = [places.get(after, -1) for _, after in follow[position]]
            for place, (number, after) in enumerate(follow[position]):
                if self._ends(after):
                    if not chooses and self.shared:
                        raise InputError(f"{self.match.game.id}: a throw that ends a turn cannot be certified yet")
                    choice = self._choices(position)[number] if chooses else Choice("", (), 0, 0, "end", after)
                    key = after, choice.action, choice.points, choice.then
                    end, _ = ends.setdefault(key, (len(ends), (position, number, choice)))
                    leads[place] = nodes.setdefault(_Node(end=end), len(nodes))
            parts = tuple(dict.fromkeys(leads))
            ways = dict.fromkeys(parts, 0)
            for (weight, _), lead in zip(follow[position], leads, strict=True):
                ways[lead] += weight
            node = _Node(parts=parts) if chooses else _Node(ways=tuple((ways[lead], lead) for lead in parts))
            places[position] = parts[0] if len(parts) == 1 else nodes.setdefault(node, len(nodes))
        if places[start] != len(nodes) - 1:  # the turn as a whole stands last
            nodes[_Node(parts=(places[start],))] = len(nodes)
        return _Turn(tuple(nodes), tuple(end for _, end in ends.values()))

    def _ends(self, after: Any) -> bool:
        return self.table.stage(after) == "over" or self.table.turn_begins(after)

    def _landings(self, number: int) -> list[Any]:
        """Where the ends of a state's turn lead."""
        start, ends = self.positions[number], self.turns[number].ends
        if not self.shared:
            return [choice.after for _, _, choice in ends]
        return [self.table.landing(*end, start) for end in ends]

    def _leaf(self, start: Any, after: Any) -> _Leaf:
        """What an end pays, and the state that follows."""
        table, seat = self.table, self.table.mover(start)
        around, over = table.seats_from(seat), table.stage(after) == "over"
        gets = table.outcome(after) if over else (Fraction(0),) * self.n
        pays = (Fraction(-1),) if table.objective == "turns" else tuple(gets[one] for one in around)
        if over:
            return _Leaf(pays, -1, 0)
        if to_come(table):  # states have nothing yet
            pays = (Fraction(after.own.score),)
            after = changed(after, cards=(after.own._replace(score=0),))
        return _Leaf(pays, self._number(after), (table.mover(after) - seat) % self.n)

    def _agree(self) -> None:
        """Walk some turns that share a walk for themselves: they must be the same."""
        last = len(self.positions) - 1
        for number in sorted({last * part // ALIKE for part in range(ALIKE + 1)}) if self.shared else ():
            start = self.positions[number]
            both = self._walked(start), self.turns[number]
            ends = [[self._leaf(start, self.table.landing(*end, start)) for end in turn.ends] for turn in both]
            if _spelled(both[0], ends[0]) != _spelled(both[1], ends[1]):
                raise SolveError(f"turns that are walked as one differ: {self.table.id(start)}")

    def _stored(self, solved: ValueTable) -> Any:
        """What was solved, by state: what the mover gets, or of three and more every seat from the mover on."""
        if isinstance(self.match, ByTotal):  # what can follow each is solved for itself
            found = [(self.match.solve_from(one, 1, lambda done: None), [one]) for one in self.positions]
        else:
            found = [(solved, self.positions)]
        parts = [worth_of(self.match, *one).values for one in found]
        worth = sign_of(self.match) * np.concatenate(parts)
        seats = [self.table.seats_from(self.table.mover(one)) for one in self.positions]
        told = np.take_along_axis(worth, np.array(seats), axis=1)
        return told if self.n > 2 else told[:, :1]

    def _mixes(self, solved: ValueTable) -> dict[int, tuple[int, ...]]:
        """By state in which two turns are mixed: the state that a zero turn leads to; how often the second is made, and
        what decides each in place of the number of that state, in units.
        """
        found, names = dict[int, tuple[int, ...]](), [*self.numbers]
        for number, position in enumerate(self.positions):
            if mix := self.match.mixed_action(solved, position):
                if position.offered:
                    raise SolveError(MIXED)
                by_seat = (names[number][first : first + self.n] for first in range(0, len(names[number]), self.n))
                zero = self.numbers[tuple(one for told in by_seat for one in (*told[1:], told[0]))]
                found[number] = zero, *(round(np.ldexp(one, self.bits)) for one in mix)
        return found

    def _stake(self) -> int:
        """What two players get together."""
        stakes = {sum(leaf.pays) for leaves in self.leaves for leaf in leaves if leaf.state < 0}
        if len(stakes) > 1:
            raise InputError(f"{self.match.game.id}: what two players get must always add up to the same")
        return int(stakes.pop())

    # --- whole numbers

    def row(self, number: int, lines: Sequence[Row]) -> Row:
        """What the turn of a state is worth by these lines, rounded outward."""
        if number not in self.mixes:
            return self._row(number, lines, {})
        zero, share, *told = self.mixes[number]
        both = zip(*(self._row(number, lines, {zero: one}) for one in told), strict=True)
        sums = enumerate((first << self.bits) + share * (second - first) for first, second in both)
        return tuple(-(-one >> self.bits) if place % 2 else one >> self.bits for place, one in sums)

    def _row(self, number: int, lines: Sequence[Row], told: Mapping[int, int]) -> Row:
        """The same of one turn; ``told``: what decides in place of the number of a state."""
        ends = [self._paid(leaf, lines, told) for leaf in self.leaves[number]]
        rows: list[Row] = []
        for node in self.turns[number].nodes:
            if node.ways:
                weights = [weight for weight, _ in node.ways]
                total, columns = sum(weights), zip(*(rows[one] for _, one in node.ways), strict=True)
                sums = enumerate(sum(map(mul, weights, column)) for column in columns)
                rows.append(tuple(-(-one // total) if place % 2 else one // total for place, one in sums))
            else:
                rows.append(self._best([rows[one] for one in node.parts]) if node.parts else ends[node.end])
        return rows[-1]

    def _paid(self, leaf: _Leaf, lines: Sequence[Row], told: Mapping[int, int]) -> Row:
        """What an end is worth."""
        paid = self._whole(leaf.pays)
        if self.n < 3:
            low, high = lines[leaf.state] if leaf.state >= 0 else (0, 0)
            if leaf.shift:
                low, high = self.stake - high, self.stake - low
            return paid[0] + low, paid[1] + high
        if leaf.state < 0:
            return (*paid[:2], *paid)
        line = lines[leaf.state]
        around = [line[2 * ((seat - leaf.shift) % self.n) + side] for seat in range(self.n) for side in (0, 1)]
        by = told.get(leaf.state, line[2 * self.n + -leaf.shift % self.n])
        return (by, by, *around)

    def _whole(self, pays: tuple[Fraction, ...]) -> Row:
        """What is paid, in units: rounded down, and up."""
        if pays not in self._units:
            units = [pay * (1 << self.bits) for pay in pays]
            self._units[pays] = tuple(rounded(one) for one in units for rounded in (floor, ceil))
        return self._units[pays]

    def _best(self, rows: list[Row]) -> Row:
        """The best choice; of three and more whatever the play may choose, and for the mover the best reply."""
        top, most = max(row[0] for row in rows), max(row[1] for row in rows)
        if self.n < 3:
            return top, most
        made = [row for row in rows if row[1] + self.tie >= top]
        if self.listed and {(*row[:2], row[3]) for row in rows} == {(0, 0, 0)}:  # nothing can be had, exactly
            made = made[:1]
        near = zip(*made, strict=True)
        ends = [max(column) if place % 2 else min(column) for place, column in enumerate(near)]
        return top, most, ends[2], max(row[3] for row in rows), *ends[4:]

    # --- lines

    def prove(self, solved: ValueTable) -> tuple[Ints, Lines, Any]:
        """What names the states, their lines, by level, and the values that were solved, in the same order.

        Raises:
            InputError: more can happen than is looked at.
            SolveError: no lines were found.
        """
        self._walk(solved)
        stored = np.rint(np.ldexp(self.stored, self.bits)).astype(np.int64).tolist()
        seats = self.n if self.n > 2 else 1
        lines: list[Row] = [
            (*(one for value in told[:seats] for one in (value, value)), *(told if self.n > 2 else ()))
            for told in stored
        ]
        blocks = self._levels()
        done = 0
        for groups in blocks:
            for group in groups:
                (self._once if group[1] else self._sweep)(group[0], lines)
                done += len(group[0])
                self.progress(done / len(lines))
        found = tuple(np.array([one for group, _ in groups for one in group]) for groups in blocks)
        ends = np.array([line[: 2 * seats + seats * (self.n > 2)] for line in lines]).T
        if self.n > 2 and (ends[1 : 2 * seats : 2] - ends[: 2 * seats : 2]).max() > np.ldexp(MOST_GAP, self.bits):
            raise SolveError(TIED)
        mixes = {number: told for number, (_, *told) in self.mixes.items()}
        return np.array([*self.numbers]), Lines(ends, self.bits, found, mixes), self.stored.T

    def _levels(self) -> list[list[tuple[list[int], bool]]]:
        """Groups of states that lead to each other, and whether it is one that does not lead to itself; by levels, each
        after all that it leads to.
        """
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(len(self.positions)))
        leads = [[leaf.state for leaf in leaves if leaf.state >= 0] for leaves in self.leaves]
        graph.add_edges_from((number, one) for number, some in enumerate(leads) for one in some)
        level: dict[int, int] = {}
        levels: list[list[tuple[list[int], bool]]] = []
        for members in networkx.strongly_connected_components(graph):  # each after those it leads to
            group = sorted(members)
            place = max((level[one] + 1 for member in group for one in leads[member] if one not in members), default=0)
            level.update(dict.fromkeys(group, place))
            levels += [[] for _ in range(place + 1 - len(levels))]
            levels[place].append((group, len(group) == 1 and group[0] not in leads[group[0]]))
        return levels

    def _once(self, group: list[int], lines: list[Row]) -> None:
        (number,) = group
        row = self.row(number, lines)
        lines[number] = row if self.n < 3 else (*row[2:], *lines[number][2 * self.n :])

    def _sweep(self, group: list[int], lines: list[Row]) -> None:
        """Move the lines of states that lead to each other outward until all are strict."""
        margin, seats, most = MARGIN, len(lines[0]) // 3 if self.n > 2 else 1, np.ldexp(MOST_GAP, self.bits)
        lows, highs = slice(0, 2 * seats, 2), slice(1, 2 * seats, 2)
        for sweep in range(1, MOST_SWEEPS):
            made, strict = {}, True
            for number in group:
                row, line = self.row(number, lines)[2 * (self.n > 2) :], lines[number]
                strict &= all(map(lt, line[lows], row[lows])) and all(map(gt, line[highs], row[highs]))
                low, high = (
                    (min(one, least - margin) for one, least in zip(line[lows], row[lows], strict=True)),
                    (max(one, greatest + margin) for one, greatest in zip(line[highs], row[highs], strict=True)),
                )
                made[number] = (*(one for pair in zip(low, high, strict=True) for one in pair), *line[2 * seats :])
            if strict:
                return
            for number, line in made.items():
                lines[number] = line
            if max(line[1] - line[0] for line in made.values()) > most:
                break
            margin *= 1 + (sweep % AT_ONCE == 0)
        raise SolveError(NO_LINES)


def _spelled(turn: _Turn, leaves: Sequence[_Leaf]) -> Any:
    """A turn told by what can happen in it, however its nodes are numbered."""
    told: list[Any] = []
    for node in turn.nodes:
        if node.end >= 0:
            told.append(("end", leaves[node.end]))
        elif node.ways:
            ways: dict[Any, int] = {}
            for weight, one in node.ways:
                ways[told[one]] = ways.get(told[one], 0) + weight
            told.append(("throw", frozenset(ways.items())))
        else:
            parts = frozenset(told[one] for one in node.parts)
            told.append(next(iter(parts)) if len(parts) == 1 else ("best", parts))
    return told[-1]
