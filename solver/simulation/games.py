"""Many games at once: every game throws once a step, then everybody decides until the next throw, if anybody must.

Game g's throw number k is decided by number g of the random block (seed, k), whatever else is played: the same seed
gives the same games on every machine, and the same dice to other players, for as many games as are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..solvers import Problem, ValueTable
from ..util.errors import InputError, SolveError, TooMuchError
from .choice_losses import Offer
from .seats import Seat
from .turns import CHOOSE, END, Floats, Ints, Turns

GENERATOR = "NumPy Philox"  # as outputs name it
BATCH = 1 << 15  # games that share their random blocks
FIRST_PART = 1 << 6  # of them are played first, then twice as many: how far it is can be told
MOST_LIVE = 1 << 24  # numbers held for the positions of games that go on
MOST_KNOWN = 1 << 26  # numbers held in all
MOST_CELLS = 1 << 16  # of a table of decisions by choices: it stays in the cache
MOST_THROWS = 10_000  # of a game
DICE, MISTAKES, MIXED = 0, 1, 2  # what random blocks are for


@dataclass
class Games:
    """What became of some games; ``luck``, ``errors``, ``others``, ``outcome``: (games, seats), the rest alike."""

    outcome: Floats
    luck: Floats
    errors: Floats
    others: Floats
    decisions: Ints
    turns: Ints

    @classmethod
    def none(cls, games: int, seats: int) -> Games:
        """Games of which nothing has been played."""
        outcome, luck, errors, others = np.zeros((4, games, seats))
        decisions, turns = np.zeros((2, games, seats), dtype=np.int64)
        return cls(outcome, luck, errors, others, decisions, turns)


def block(seed: int, what: int, batch: int, step: int, turn: int) -> Floats:
    """Random numbers from 0 to below 1, of 53 bits each, for all games of a batch."""
    generator = np.random.Philox(
        key=np.array([seed, what], np.uint64), counter=np.array([0, batch, step, turn], np.uint64)
    )
    raw: NDArray[np.uint64] = generator.random_raw(BATCH)
    return np.asarray((raw >> np.uint64(11)) * 2.0**-53)


def check_whole(match: Problem[Any], solved: ValueTable | None = None) -> None:
    """Raise InputError where whole games need more than was ``solved``, or than can be."""
    if not match.solves_on_demand:
        return
    whole = match.array_specs().keys()
    if not whole:
        asked = f"{match.game.id} with the objective {match.objective}"
        raise InputError(f"{asked} is solved from one position at a time: whole games of it are not played")
    if solved is not None and not whole <= solved.arrays.keys():
        what = f"a whole game of {match.game.title} needs its whole table"
        raise TooMuchError(what, needs_whole_table=True, can_override=match.estimate_cost(1).is_too_much)


class Play:
    """Games of a solved question between these seats."""

    def __init__(self, match: Problem[Any], solved: ValueTable, seats: Sequence[Seat], seed: int) -> None:
        check_whole(match, solved)
        self.match, self.solved, self.players, self.seed = match, solved, seats, seed
        self.counts_turns = match.objective == "turns"
        self.turns = Turns(match, solved)

    def play(self, count: int, progress: Callable[[float], None] = lambda done: None, begin: int = 0) -> Games:
        """Play so many games to their ends, from number ``begin`` on."""
        games, first = Games.none(count, self.turns.seats), 0
        size = FIRST_PART
        while first < count:
            last = min(count, first + size, first + BATCH - (begin + first) % BATCH)
            self._part(games, first, last, begin)
            first = last
            size = max(1, min(2 * size, BATCH, MOST_LIVE // (self.turns.room * self.turns.seats)))
            progress(first / count)
        return games

    def _part(self, games: Games, first: int, last: int, begin: int) -> None:
        """Play games of one batch, from the first to before the last, whose numbers count from ``begin``."""
        self.games = Games(*(getattr(games, field.name)[first:last] for field in fields(Games)))
        (self.batch, self.offset), size = divmod(begin + first, BATCH), last - first
        begin = self.turns.start(self.match.playable.start())
        live, self.step, self.turn = np.arange(size), 0, 0
        self.start = self._drawn(live, np.full(size, begin), 0)
        self.node = np.full(size, self.turns.root.all[begin])
        self.over = np.zeros(size, dtype=bool)
        deciding = live[self.turns.kind.all[self.node] == CHOOSE]
        while len(deciding):
            deciding = self._decide(deciding, None)
            self.turn += 1
        live = live[~self.over]
        while len(live):
            live = self._throw(live)
            if self.step > MOST_THROWS and len(live):
                raise SolveError(f"a game is not over after {MOST_THROWS:,} throws: with these players it may never be")
            if self.turns.known > MOST_KNOWN:
                self._forget(live)

    def _forget(self, live: Ints) -> None:
        """Keep of what is known only the positions of games that go on."""
        before, self.turns = self.turns, Turns(self.match, self.solved)
        keys, places = np.unique(np.stack([self.start[live], self.node[live]]), axis=1, return_inverse=True)
        entered = np.array(
            [
                self.turns.enter(
                    before.starts[start],
                    before.table.moved(before.positions[node], before.starts[start]),
                    int(before.second.all[start]),
                )
                for start, node in keys.T.tolist()
            ],
            dtype=np.int64,
        ).reshape(-1, 2)
        self.start[live], self.node[live] = entered[places.ravel()].T

    def _draws(self, what: int, turn: int) -> Floats:
        return block(self.seed, what, self.batch, self.step, turn)[self.offset : self.offset + len(self.games.turns)]

    def _drawn(self, games: Ints, starts: Ints, turn: int) -> Ints:
        """The starts of these games once it is drawn which turn is made, where two are mixed."""
        shares = self.turns.share.all[starts]
        return starts + (self._draws(MIXED, turn)[games] < shares) if shares.any() else starts

    def _throw(self, live: Ints) -> Ints:
        """Everybody throws, and decides until the next throw; return whose games go on."""
        turns = self.turns
        before = self._worth(live)
        self.node[live] = turns.fall(self.node[live], self._draws(DICE, 0)[live])
        self.step, self.turn = self.step + 1, 0
        decides = turns.kind.all[self.node[live]] == CHOOSE
        deciding = np.empty(0, dtype=np.int64)
        if decides.any():
            deciding = self._decide(live[decides], before[decides])
        if not decides.all():
            deciding = np.union1d(deciding, self._fallen(live[~decides], before[~decides]))
        while len(deciding):
            self.turn += 1
            deciding = self._decide(deciding, None)
        return live[~self.over[live]]

    def _worth(self, games: Ints) -> Floats:
        """What the nodes are worth in which these games stand."""
        turns, starts = self.turns, self.start[games]
        cells = turns.offset.all[starts] + turns.place.all[self.node[games]]
        turns.fill(starts, cells)
        worth: Floats = turns.worth.all[cells]
        return worth

    def _fallen(self, games: Ints, before: Floats) -> Ints:
        """Throws after which nobody decides, ``before``: worth before them; return who must decide at once in the turn
        that follows.
        """
        turns = self.turns
        self.games.luck[games] += turns.sign * (self._worth(games) - before)
        ended = games[turns.kind.all[self.node[games]] == END]
        starts = self.start[ended]
        self.games.turns[ended, turns.mover.all[starts]] += 1
        self._end_turns(ended, starts, turns.offset.all[starts] + turns.place.all[self.node[ended]])
        going = ended[~self.over[ended]]
        again: Ints = going[turns.kind.all[self.node[going]] == CHOOSE]
        return again

    def _decide(self, games: Ints, before: Floats | None) -> Ints:
        """One decision of each of these games, ``before``: worth before the throw; return who must decide again."""
        turns = self.turns
        turns.open_choices(self.node[games])
        counts = turns.count.all[self.node[games]]
        order = np.argsort(counts.astype(np.int16), kind="stable")  # as many choices together
        mistakes = None
        if any(seat.draws for seat in self.players):
            mistakes = self._draws(MISTAKES, self.turn)
        again, first = [], 0
        while first < len(games):
            few = np.searchsorted(counts[order], 2 * counts[order[first]], side="right")  # no more than twice as many
            part = order[first : min(few, first + max(1, MOST_CELLS // (2 * int(counts[order[first]]))))]
            again.append(self._decide_part(games[part], None if before is None else before[part], mistakes))
            first += len(part)
        return np.sort(np.concatenate(again))

    def _decide_part(self, games: Ints, before: Floats | None, mistakes: Floats | None) -> Ints:
        turns, played = self.turns, self.games
        offer = Offer(turns, self.start[games], self.node[games])
        rows = np.arange(len(games))
        best = turns.worth.all.take(offer.cells[rows, offer.best], axis=0)
        if before is not None:
            played.luck[games] += turns.sign * (best - before)
        chosen = offer.best.copy()
        for number, seat in enumerate(self.players):
            here = np.flatnonzero((offer.mover == number) & (offer.count > 1))
            if len(here) and not seat.plays_best:
                chosen[here] = seat.choose(offer, here, None if mistakes is None else mistakes[games[here]])
        cells = offer.cells[rows, chosen]
        wrong = np.flatnonzero(chosen != offer.best)
        if len(wrong):
            change = turns.sign * (turns.worth.all[cells[wrong]] - best[wrong])
            change[np.arange(len(wrong)), offer.mover[wrong]] = 0.0
            played.others[games[wrong]] += change
            played.errors[games[wrong], offer.mover[wrong]] += offer.loss[wrong, chosen[wrong]]
        played.decisions[games, offer.mover] += offer.count > 1
        goes = turns.goes.all[turns.begin.all[offer.nodes] + chosen]
        stays = goes >= 0
        self.node[games[stays]] = goes[stays]
        ends = np.flatnonzero(~stays)
        if len(ends):
            played.turns[games[ends], offer.mover[ends]] += 1
            self._end_turns(games[ends], offer.starts[ends], cells[ends])
        going = games[~self.over[games]]
        again: Ints = going[turns.kind.all[self.node[going]] == CHOOSE]
        return again

    def _end_turns(self, games: Ints, starts: Ints, cells: Ints) -> None:
        turns = self.turns
        after = self._drawn(games, turns.land(starts, cells), self.turn + 1)
        self.start[games] = after
        over = turns.over.all[after]
        done = games[over]
        self.over[done] = True
        self.games.outcome[done] = self.games.turns[done] if self.counts_turns else turns.outcome.all[after[over]]
        going = games[~over]
        self.node[going] = turns.root.all[after[~over]]
