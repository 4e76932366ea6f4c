"""Bellman equations of push-your-luck games, for every objective that has a target.

A player's state is a score and the number of busts in a row (``states``). A position between turns is the mover's
state, the states of the opponents, and the points and dice that the mover may take over. Rules change only the states
to which the endings of a turn lead. The value V of a state is the mover's:

    win, two players    an ending pays 1 - V(state of the opponent to move)
    win, more players   every seat has a value; the mover's decides (``multiplayer_sweep``)
    turns               an ending pays -1 + V(next state), so V is minus the expected number of turns
    reach               an ending pays 1 at the goal, otherwise V(next state with one turn less)

With ``finish=last_round`` a total past the target leads to the last turns of the others (``last_round``).

*Take-over.* A player who banks t points and leaves d dice offers them. The next player starts a new turn, or rolls
those d dice with t turn points. Let C(m, t) be the value of rolling in mode m with t turn points, for a against b:

    V(a, b, no offer) = C(all dice, 0)
    V(a, b, (t, d))   = max(C(all dice, 0), C(d, t))

All of these values are read from one table of the turn. The turn model gets one more mode for each number of dice, in
which the player cannot stop. Its endings are a block of banks for each number of dice left, and one block for none.

Totals rise unless points are lost. So states are solved in layers of equal total, the highest first; within a total,
states with more busts in a row come first.

Start reading at ``PushModel.transitions``; then ``SoloModel`` and ``RaceModel``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import SPECIAL_ENDING_COUNT, PushRules
from ...turns.push_turn import Caps, Doubles, PushTurn, TurnValue
from ...turns.single_choice_turn import SingleChoiceTurn
from ...util.progress_reporting import ProgressCallback
from ..model import Ints, TakeoverOffers, TransitionModel, Transitions
from ..rounding_bounds import UNIT_ROUNDOFF, turn_rounding_bound
from ..turn_lanes import TurnLanes
from .last_round import TRUNCATION, LastTurns, MultiplayerLastTurns
from .states import FORBIDDEN, WON, States, lowest_bits

UNLIMITED_POINTS = 1 << 30  # more points than any turn brings
FIRST_GUESS_GAP = 1000.0  # expected turns; no state of a real game is this far below the next score


class PushModel(TransitionModel):
    """Transitions of push-your-luck games in terms of one player's states: where every ending of a turn leads.

    The endings of a turn are SPECIAL_ENDING_COUNT special ones (bust, immediate win, wipe), then banks of 0, 1, ...
    points. If dice can be taken over, banks that leave 1, 2, ... dice follow. All points are in units of the grain.

    Attributes:
        states: the states of one player.
        dice: the largest number of dice that can be taken over; 0 if nothing can be.
        turn: the turn model for the caps of the solve.
        max_cap: the largest of these caps.
        last_round: the last turns of two players; None if reaching the target wins.
        max_takeover_points: by own state, the most turn points that a player may take over.
    """

    def __init__(self, states: States, has_takeover: bool = True) -> None:
        """Set the states, and from the rules the largest number of dice that can be taken over.

        Args:
            states: the states of one player.
            has_takeover: if False, nothing can be taken over, whatever the rules say.
        """
        self.states = states
        rules = states.rules
        self.dice = rules.dice if has_takeover and rules.take_over != "none" else 0

    def turn_for_cap(self, max_cap: int) -> PushTurn:
        """Return the turn model for tables with caps of at most ``max_cap``.

        If dice can be taken over, it has banks by the number of dice left, and modes that roll dice taken over.
        """
        if not self.dice:  # nothing can be taken over
            return self.states.turn
        bank_count = max_cap + 1  # banks of 0, 1, ..., max_cap points for each number of dice left
        return make_takeover_turn(self.states.rules, bank_count)

    @cached_property
    def turn(self) -> PushTurn:
        """The turn model for the caps of the solve."""
        return self.turn_for_cap(self.max_cap)

    @cached_property
    def last_round(self) -> LastTurns | None:
        """The last round, or None if the rules have none."""
        return LastTurns(self.states) if self.states.rules.finish == "last_round" else None

    @property
    def has_cyclic_components(self) -> bool:
        """True if a score can fall, so that layers depend on each other."""
        return self.states.has_losses

    @property
    def max_cap(self) -> int:
        """The largest of all caps."""
        return int(self.states.caps.max())

    @property
    def turn_states(self) -> int:
        """Number of states without a takeover offer; they are numbered first."""
        return self.state_count

    @abstractmethod
    def mover(self, states: Ints) -> Ints:
        """Return by state the own state (score and busts in a row) of the player to move."""

    def opponent_score(self, states: Ints) -> Ints:
        """Return the opponent's score, or 0 unless there is exactly one opponent."""
        return np.zeros_like(states)

    @abstractmethod
    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return the transitions of turns, given what they do to the mover's own state.

        Args:
            states: (lanes,), the states in which the turns begin.
            after: (endings, lanes), the mover's own state after each ending, FORBIDDEN, or WON - k for a total of the
                goal + k. Special endings come first, then banks of 0, 1, ... points.
        """

    def caps(self, states: Ints) -> Caps:
        """Return by state the turn points, in units, at which the table of the mover's turn ends."""
        return self.states.caps[self.mover(states)]

    @cached_property
    def max_takeover_points(self) -> Ints:
        """Largest number of turn points, in units, that a player may take over, by the player's own state."""
        states = self.states  # of one player
        # Unless take-over is free, a player needs a score above 0 for it.
        may_take_over = (states.rules.take_over == "free") | (states.score > 0)
        points_to_target = states.target - states.score  # more may not be held if the target must be met exactly
        max_points = points_to_target if states.is_exact else np.full(len(states), UNLIMITED_POINTS)
        return np.where(may_take_over, max_points, 0)

    def with_takeover_banks(
        self, transitions: Transitions, can_offer: NDArray[np.bool_], offered_states: Callable[[int], Ints]
    ) -> Transitions:
        """Append banks that leave 1, 2, ... dice, which the next player may take over, to those that leave none.

        Args:
            transitions: transitions of turns that leave no dice, (endings, lanes): SPECIAL_ENDING_COUNT special
                endings, then banks of 0, 1, ... points.
            can_offer: (points, lanes), whether the next player may take over a bank of so many points.
            offered_states: maps a number of dice to the states in which the next player is offered that many dice:
                (points, lanes).

        Returns:
            The transitions, followed by banks of 0, 1, ... points that leave one die, then those that leave two, and so
            on. A bank that cannot be taken over leads to the same state as the bank that leaves no dice.
        """
        states_without_offer = transitions.state[SPECIAL_ENDING_COUNT:]  # (points, lanes)
        constants_without_offer = transitions.constant[SPECIAL_ENDING_COUNT:]
        states = [transitions.state]
        constants = [transitions.constant]
        max_points = len(can_offer) - 1
        for dice, is_bankable in enumerate(bankable_points(self.states.rules, max_points), 1):
            is_offered = can_offer & is_bankable[:, None]  # ``is_bankable`` is by points
            states.append(np.where(is_offered, offered_states(dice), states_without_offer))
            constants.append(np.where(is_offered, 0.0, constants_without_offer))
        return Transitions(np.concatenate(constants), np.concatenate(states))

    def make_takeover_offers(self, states: Ints, lane: Ints, offered: Ints, points: Ints, dice: Ints) -> TakeoverOffers:
        """Return by offer the mode and turn points at which play begins if the mover takes it.

        An offer that the mover may not take begins a new turn: in the start mode with 0 points. Beyond the cap of the
        turn all points are worth as much as at the cap.

        Args:
            states: (lanes,), the states without the offers; their turns include the modes that roll dice taken over.
            lane: (offers,), the lane of each offer.
            offered: (offers,), the state with the offer.
            points: (offers,), the turn points that are offered, in units.
            dice: (offers,), the dice that are offered.
        """
        mine = self.mover(states[lane])  # by offer, the own state of the player who gets it
        is_allowed = points <= self.max_takeover_points[mine]
        first_takeover_mode = len(self.turn.modes) - self.dice  # it rolls one die; the next modes roll 2, 3, ... dice
        mode = np.where(is_allowed, first_takeover_mode + dice - 1, self.turn.start)
        cap = self.caps(states)[lane]
        start_points = np.where(is_allowed, np.minimum(points, cap), 0)
        return TakeoverOffers(offered, lane, mode, start_points)

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """Return where the endings of the turns of some states lead: transitions (endings, lanes).

        Args:
            states: (lanes,), the states in which the turns begin.
            cap: banks of 0, 1, ..., cap points have endings; if a state has a larger cap, banks up to the largest cap.
        """
        mine = self.mover(states)  # (lanes,), the movers' own states
        largest_bank = max(cap, int(self.caps(states).max()))
        # What each ending makes of the mover's own state, or WON: bust, win and wipe, then banks of 0, 1, ... points.
        after_win = np.full(len(mine), WON)
        after_special_endings = np.stack([self.states.after_bust[mine], after_win, self.states.after_wipe[mine]])
        after_banks = self.states.after_banks(mine, size=largest_bank + 1)
        own_state_after = np.concatenate([after_special_endings, after_banks])  # (endings, lanes)
        return self.transitions_to(states, own_state_after)  # which adds the banks that leave dice


def group_by_descending_keys(*keys: Ints) -> list[Ints]:
    """Group indices by equal keys, the greatest keys first; the first key is the most significant.

    For example, the keys [1, 2, 1] and [5, 0, 5] give the groups [1] and [0, 2].
    """
    # lexsort sorts ascending, and takes the most significant key last.
    negated_keys = [-key for key in reversed(keys)]
    order = np.lexsort(negated_keys)
    differs_from_next = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    starts_after_first = np.flatnonzero(differs_from_next) + 1  # where every group but the first begins in ``order``
    return np.split(order, starts_after_first)


class SoloModel(PushModel):
    """Equations of a single player: expected turns to the goal, or the chance to reach it in time.

    Without ``turns`` a value is minus the expected number of turns. With ``turns`` it is the chance to reach the goal
    within that many turns. The state with k turns left and the player's own state i is then k * n + i, where n is the
    number of own states. States with no turns left are worth 0.

    Attributes:
        states: the own states of the player.
        turns: the number of turns in which the goal has to be reached; 0 for the expected number of turns.
        state_count: the number of states, those with no turns left included.
    """

    seats = 1

    def __init__(self, states: States, turns: int = 0) -> None:
        """Set the number of states; a single player takes nothing over.

        Args:
            states: the states of the player.
            turns: the number of turns in which the goal has to be reached; 0 for the expected number of turns.
        """
        super().__init__(states, has_takeover=False)
        self.turns = turns
        self.state_count = len(states) * (turns + 1)

    @property
    def has_cyclic_components(self) -> bool:
        """True if a score can fall and turns are not counted."""
        return self.states.has_losses and not self.turns

    @property
    def value_range(self) -> tuple[float, float]:
        """The least and greatest possible value: of a probability, or of minus an expected number of turns >= 1."""
        return (0.0, 1.0) if self.turns else (-np.inf, -1.0)

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield the components in the order of solving, each as a list of blocks of states.

        If turns are counted, a component is all states with one number of turns left, the fewest first. Otherwise it is
        all states of one score and one number of busts in a row, the highest first. If scores can fall and turns are
        not counted, all states are one component, whose blocks are these.
        """
        count = len(self.states)  # of the player's own states
        if self.turns:
            for turns_left in range(1, self.turns + 1):
                first_state = turns_left * count
                yield [first_state + np.arange(count)]
            return
        blocks = group_by_descending_keys(self.states.score, self.states.busts)
        if self.has_cyclic_components:
            yield blocks
        else:
            for block in blocks:
                yield [block]

    def mover(self, states: Ints) -> Ints:
        """Return by state the player's own state (score and busts in a row), without the turns left."""
        return states % len(self.states)

    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return the transitions of turns, each of which uses up one turn left, or costs one expected turn.

        Args:
            states: (lanes,), the states in which the turns begin.
            after: (endings, lanes), the player's own state after each ending. Negative numbers are no states: FORBIDDEN
                is an ending that is not allowed, and WON or any number below it is a total at the goal.

        Returns:
            Transitions (endings, lanes). At the goal, and after an ending that is not allowed, the state is -1.
        """
        if not self.turns:
            # A value is minus the expected number of turns, so every ending pays -1. State -1 stands for no state.
            cost_of_turn = np.where(after == FORBIDDEN, -np.inf, -1.0)
            return Transitions(cost_of_turn, np.where(after >= 0, after, -1))
        chance_at_goal = np.where(after <= WON, 1.0, 0.0)
        constant = np.where(after == FORBIDDEN, -np.inf, chance_at_goal)
        turns_left_after = states // len(self.states) - 1
        first_state = turns_left_after * len(self.states)  # the first one with so many turns left
        return Transitions(constant, np.where(after >= 0, first_state + after, -1))

    def first_guess(self, values: Doubles, states: Ints) -> Doubles:
        """Return guesses below the values of states, from which Newton's method climbs: (states,).

        A guess is FIRST_GUESS_GAP turns below the value of the next higher score. No state of a real game is so far
        below it. If the entry of ``values`` for the state itself is less, the guess is as far below that entry.

        Args:
            values: by state of the whole table, minus the expected number of turns; higher scores are solved.
            states: the states to be solved.
        """
        # One score higher is as many states higher as there are numbers of busts in a row. Above the highest score, the
        # last state stands in.
        next_score_states = np.minimum(states + self.states.bust_count_limit, self.state_count - 1)
        lower_values = np.minimum(values[next_score_states], values[states])
        return np.asarray(lower_values - FIRST_GUESS_GAP)

    def lossless(self) -> tuple[SoloModel, Ints]:
        """Return the equations of the game in which no score can fall, and by state the matching state there.

        A state matches the one of the same score: busts in a row do not count there. The values of that game are first
        guesses for this game. That game counts no turns, so this is for games without a number of turns only.
        """
        states = self.states
        goal_points = states.goal * states.rules.grain
        lossless = SoloModel(States(states.rules, goal_points, has_losses=False))
        own_state = self.mover(np.arange(self.state_count))
        return lossless, own_state // states.bust_count_limit  # by score


class RaceModel(PushModel):
    """Equations of a race of two or more players to the target.

    A state is a *line*: the players' own states from the mover on, as digits of one number. The last digit has
    ``width`` values, every other digit ``count``. States with an offer to take over follow the lines. For two players:

        line                 mine * width + theirs
        line with an offer   lines + (mine * offers + offer) * dice + dice left - 1

    For two players V is the mover's chance to win, and the opponent's is 1 - V. With a last round the last digit also
    counts totals past the target, which only a finished opponent can hold. An offer in a last turn is not a state: its
    value is a constant from ``last_takeover_chances``.

    With three and more players every seat has a value (``seat_payoffs``), and these equations alone do not determine
    the choices (``multiplayer_reference``). What follows past the target in a last round is a table
    (``last_round_table``).

    Attributes:
        states: the states of one player.
        seats: the number of players.
        dice: the largest number of dice that can be taken over; 0 if nothing can be.
        turn, last_round, max_takeover_points: see ``PushModel``.
        state_count: all states, with and without an offer.
        count: states of one player.
        lines: states without an offer; they are numbered first.
        rows: lines of one mover, that is, combinations of the opponents' states. line = mine * rows + row.
        past_totals: totals past the target that a finished opponent can hold; 0 unless two play with a last round.
        constant_error: an error bound of the constants of the equations, which are chances of last turns.
        width: values of the last digit: ``count`` own states, then ``past_totals`` totals of the target + 0, 1, ...
        span: scores from the lowest one up to the target, in units.
        offers: numbers of points that can be offered, by the mover's state (two players) or by line.
        max_cap: the largest cap, the turn points at which the table of a turn ends.
        end_total: the total at which the tables of all turns end at the latest.
        end_totals: by own state of the last seat, the total up to which tables of turns go on at least.
        caps_by_score: by score minus the lowest one, the cap of a turn of three and more players.
        last_turn_min_banks: by own state, the fewest points of a bank that counts in a last turn of two players.
        last_takeover_chances: chances to win last turns of two players that take over an offer.
        max_points_taken_over: the most points, in units, for which these chances are tabled; more change nothing.
        lines_read_early: for three and more players, the lines that are read before they are solved.
        sort_keys: by own state; their sums over all seats sort lines by total, then by busts in a row.
    """

    def __init__(self, states: States, seats: int, has_takeover: bool = True) -> None:
        """Derive the numbering of the states.

        A line is a number with one digit for each seat, which is that player's own state. With two players and a last
        round, the last digit also has values for the totals from the target on that a finished opponent can hold.

        Args:
            states: the states of one player.
            seats: the number of players.
            has_takeover: if False, nothing can be taken over, whatever the rules say.
        """
        super().__init__(states, has_takeover)
        self.seats = seats
        self.count = len(states)
        self.span = states.target - states.lowest_score
        # Both stay 0 except for two players with a last round.
        self.past_totals = 0  # totals from the target on that a finished opponent can hold
        self.constant_error = 0.0
        if seats == 2 and self.last_round:
            self.past_totals = int(self.last_round.end_totals.max()) - states.target + 1
            # Chances of last turns are constants of the equations. They are rounded. Besides, the tables of these turns
            # end somewhere, which costs at most 2 TRUNCATION (see ``last_round_error``). To be safe, it counts twice.
            truncation_error = 2 * (2 * TRUNCATION)
            self.constant_error = truncation_error + self.last_round.rounding
        self.width = self.count + self.past_totals
        self.rows: int = self.count ** (seats - 2) * self.width
        self.lines: int = self.count * self.rows
        self.offers = self._count_offers()
        # The other states combine a line with an offer (points) and dice. If two play, an offer's number stands for
        # the opponent's score as well (``_count_offers``), so of the line only the mover's own state is needed.
        lines_to_combine = self.count if seats == 2 else self.lines
        self.state_count = self.lines + lines_to_combine * self.offers * self.dice

    def _count_offers(self) -> int:
        """Return how many offers are told apart, not counting their dice; 0 if nothing can be taken over.

        An offer is the points that the last player has banked. Nobody can have banked more than the score is now above
        the lowest one, so an opponent h above the lowest score can offer 1, ..., h points. For two players these are
        0 + 1 + ... + (span - 1) offers over all scores of the opponent: the number for one own state of the mover. For
        more players it is the number for one line: 1, ..., span points, possible or not.
        """
        if not self.dice:
            return 0
        if self.seats == 2:
            return self.span * (self.span - 1) // 2
        return self.span

    @property
    def turn_states(self) -> int:
        """Number of lines."""
        return self.lines

    # --- States

    def number(self, *line: Ints | int) -> Ints:
        """Return the number of a line, given the players' own states from the mover on.

        Args:
            line: the own state of each player, one argument for each; arrays for several lines at once. A last one of
                ``count`` + k is a total of the target + k that an opponent holds in a last round.
        """
        first_digit, *other_digits, last_digit = line
        number: Ints = np.asarray(first_digit, dtype=np.int64)
        for digit in other_digits:
            number = number * self.count + digit
        return np.asarray(number * self.width + last_digit)  # the last digit has ``width`` values

    def line_number(self, line: Sequence[int]) -> int:
        """Return the number of one line, given the players' own states from the mover on, as an ``int``."""
        return int(self.number(*(int(digit) for digit in line)))

    def lines_of(self, cycles: NDArray[np.int32]) -> Ints:
        """Return the lines of cycles, by mover: (seats, cycles).

        The states of a cycle, from the mover on, are the digits of the mover's line. In the cycle (4, 0, 7), the line
        of mover 1 has the digits 0, 7 and 4.

        Args:
            cycles: (cycles, seats) the players' states.
        """
        lines = np.zeros(cycles.T.shape, dtype=np.int64)  # (seats, cycles)
        for mover, lines_of_mover in enumerate(lines):
            states_from_mover_on = np.roll(cycles, -mover, axis=1)  # (cycles, seats)
            for digit in states_from_mover_on.T:  # of all cycles, the most significant digit first
                lines_of_mover *= self.count
                lines_of_mover += digit
        return lines

    def mover(self, states: Ints) -> Ints:
        """Return by state the own state of the player to move: the first digit of the line."""
        return np.asarray(states % self.lines // self.rows)

    def after_zero_turn(self, states: Ints) -> Ints:
        """Return the lines after a zero turn: no own state changes, and the mover's, the first digit, becomes the last.

        Args:
            states: the numbers of lines. For three and more players they may have offers, which the turn uses up.
        """
        opponent_digits = states % self.rows
        return np.asarray(opponent_digits * self.width + self.mover(states))

    def opponent_score(self, states: Ints) -> Ints:
        """Return the score of the only opponent, which may be past the target; 0 unless there is exactly one.

        Args:
            states: (lanes,), states without an offer.
        """
        if self.seats > 2:
            return np.zeros_like(states)  # no single score stands for several opponents
        # The last digit: the opponent's own state, or from ``count`` on the target plus 0, 1, ... points.
        theirs = states % self.width
        score_below_target = self.states.score[np.minimum(theirs, self.count - 1)]
        score_past_target = self.states.target + theirs - self.count
        return np.where(theirs < self.count, score_below_target, score_past_target)

    def higher_scores(self, lines: Ints) -> tuple[Ints, Ints]:
        """Return how many higher scores each seat has, and by how much the next one raises the number of the line.

        Args:
            lines: (lines,), for three and more players.

        Returns:
            (lines, seats) each, the last seat first.
        """
        # A line is a number whose digits are the seats' states; that of the last seat has the weight 1.
        digit_weights = self.count ** np.arange(self.seats)
        states = lines[:, None] // digit_weights % self.count  # (lines, seats)
        # States ascend by score, and each score has as many of them as there are numbers of busts in a row.
        states_per_score = self.states.bust_count_limit
        states_above = self.count - 1 - states
        score_steps = np.broadcast_to(digit_weights * states_per_score, states.shape)
        return states_above // states_per_score, score_steps

    @cached_property
    def sort_keys(self) -> Ints:
        """Sort key by own state; the sums of all seats' keys order lines by total, then by busts in a row."""
        max_busts_of_all_seats = self.seats * (self.states.bust_count_limit - 1)
        height = self.states.score - self.states.lowest_score
        # The factor is so large that the busts of all seats together never outweigh one unit of score.
        return height * (max_busts_of_all_seats + 1) + self.states.busts

    @cached_property
    def lines_read_early(self) -> Ints:
        """Early lines, which are read before they are solved: those in which the last seat may just have lost points.

        The last digit of such a line is the own state of that seat after a loss; the other digits are any own states.
        """
        # Payoffs are looked up for every ending, so also for a bank of 0 points. If it is allowed, it ends a row of
        # busts, and so it leads to a lower state.
        after_no_points = self.states.after_banks(np.arange(self.count), size=1)  # (1 bank, states)
        last_digits = self.states.states_after_losses(after_no_points)  # (states after some loss,)
        digits_before_last = np.arange(self.lines // self.width)  # of all seats but the last, as one number
        lines_with_last_digit_0 = digits_before_last * self.width
        return np.asarray(np.add.outer(lines_with_last_digit_0, last_digits).ravel())

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield the components in the order of solving, each as a list of blocks of states.

        Last turns of two players come first, one block for each total of the finished opponent, unless a table has
        them. Then come blocks of lines of equal total, the highest total first, and the most busts in a row first
        within a total. Each block is a component; if scores can fall, these blocks together are one component.
        """
        # By combination of the own states of all seats, in the order of a number with one digit for each.
        key_sums = np.zeros(1, dtype=np.int64)
        for _ in range(self.seats):
            key_sums = np.add.outer(key_sums, self.sort_keys).ravel()
        # Every digit of that number has ``count`` values, but the last digit of a line has ``width`` values.
        first_digits, last_digit = np.divmod(np.arange(len(key_sums)), self.count)
        lines = first_digits * self.width + last_digit
        blocks = [lines[combinations] for combinations in group_by_descending_keys(key_sums)]
        if not self.has_tabled_last_turns:
            for block in self.last_turn_blocks():
                yield [block]
        if self.has_cyclic_components:
            yield blocks
        else:
            for block in blocks:
                yield [block]

    @property
    def has_tabled_last_turns(self) -> bool:
        """True if last turns are read from the table of the last round; with thousands of modes each would be slow."""
        return self.past_totals > 0 and isinstance(self.states.turn, SingleChoiceTurn)

    def tabled_values(self) -> Doubles:
        """Return first guesses of V by state: the values of last turns from the table of the last round, 1/2 elsewhere.

        The values of last turns are final; the others are still to be solved.
        """
        assert self.last_round
        values = np.full(self.state_count, 0.5)
        for past_points, states in enumerate(self.last_turn_blocks()):
            opponent_totals = np.array(self.states.target + past_points)
            values[states] = self.last_round.win_chance(self.states.score[self.mover(states)], opponent_totals)
        return values

    def last_turn_blocks(self) -> Iterator[Ints]:
        """Yield, for totals of the target + 0, 1, ..., the states in which the only opponent has finished with that.

        Each block has one state for each own state of the mover.
        """
        mine = np.arange(self.count)
        return (self.number(mine, self.count + past_points) for past_points in range(self.past_totals))

    # --- Caps

    @cached_property
    def max_cap(self) -> int:
        """The largest of all caps."""
        if self.seats > 2:
            return int(self.caps_by_score.max())
        return int(self.caps(np.arange(self.lines)).max())

    @cached_property
    def end_total(self) -> int:
        """Total at which the tables of all turns end at the latest.

        Without a last round it is the target, or with an exact finish one more, which a player may not hold. With a
        last round it is so high that a turn hardly ever gets there from a total at which stopping could lose.
        """
        if self.last_round:
            return int(self.last_round.end_totals.max())
        return self.states.target + self.states.is_exact

    @cached_property
    def end_totals(self) -> Ints:
        """The total up to which tables of turns go on at least, because of a last round: by own state of the last seat.

        The last seat is the only opponent if two play. With more players any of them may be the one to beat, so all
        tables go on to the largest total that matters. Without a last round no table has to go on for it. Then the
        total is the lowest score, which every table reaches.
        """
        states = self.states  # of one player
        if not self.last_round:
            return np.full(self.count, states.lowest_score)
        if self.seats > 2:
            return np.full(self.count, self.end_total)
        end_totals_by_score = self.last_round.end_totals  # from the lowest score on
        return end_totals_by_score[states.score - states.lowest_score].astype(np.int64)

    @cached_property
    def caps_by_score(self) -> NDArray[np.int32]:
        """Cap, the turn points at which the table of a turn ends, by the mover's score; for three and more players.

        Entry i is for the score ``lowest_score + i``, in units. A table goes on to the target, or in a game with a last
        round to ``end_total``.
        """
        caps = self.states.caps_by_score
        if self.last_round:
            scores = np.arange(self.states.lowest_score, self.states.target)
            caps = np.maximum(caps, self.end_total - scores)
        return self.with_room_for_offers(caps, largest_offer=self.span).astype(np.int32)

    def with_room_for_offers(self, caps: Ints, largest_offer: int) -> Ints:
        """Return caps that are raised to the largest offer if a turn that takes it over can come below its cap.

        Dice that are taken over must be rolled, and a choice may take points off. So a turn that begins with more
        points than the cap can come below it. Then its table includes all points that can be taken over.

        Args:
            caps: (any number,), the turn points at which tables of turns end, in units; the result has this shape.
            largest_offer: a bound of the points that can be taken over, in units.
        """
        can_fall_below_cap = self.dice > 0 and not self.states.turn.is_nondecreasing
        return np.maximum(caps, largest_offer) if can_fall_below_cap else caps

    def caps(self, states: Ints) -> Caps:
        """Return by state the turn points, in units, at which the table of the mover's turn ends.

        Args:
            states: (lanes,), states without an offer.
        """
        if self.seats > 2:
            mover_scores = self.states.score[self.mover(states)]
            return self.caps_by_score[mover_scores - self.states.lowest_score]
        mine, theirs = np.divmod(states, self.width)  # the two digits of a line
        is_last_turn = theirs >= self.count  # the opponent has finished
        # Before a last turn: the table goes on to the goal. In a game with a last round it goes on to the end total,
        # from which more points hardly help. Own state 0 stands in for opponents who have finished.
        end_totals = self.end_totals[np.where(is_last_turn, 0, theirs)]
        caps: Ints = np.maximum(self.states.caps[mine], end_totals - self.states.score[mine])
        # In a last turn, the table goes on to the points that win.
        if self.last_round:
            opponent_totals = self.states.target + theirs - self.count
            caps = np.where(is_last_turn, self.last_turn_caps(mine, opponent_totals), caps)
        # A turn may begin with points that were taken over: at most those from the lowest score to the highest total.
        return self.with_room_for_offers(caps, largest_offer=self.span + self.past_totals).astype(np.int32)

    def last_turn_caps(self, mine: Ints, totals: Ints) -> Ints:
        """Return the turn points, in units, at which the tables of last turns of two players end: enough to win.

        With these points a bank counts and brings the mover one unit above the opponent.

        Args:
            mine: (lanes,), the movers' own states.
            totals: (lanes,), the final score of the mover's only opponent, in units.
        """
        points_to_win = totals - self.states.score[mine] + 1
        return np.asarray(np.maximum(points_to_win, self.last_turn_min_banks[mine]))

    @cached_property
    def last_turn_min_banks(self) -> Ints:
        """Fewest points of a bank that counts in a last turn, by the mover's own state."""
        assert self.last_round
        return np.array([self.last_round.min_bank(score) for score in self.states.score.tolist()])

    # --- Transitions

    def transitions(self, states: Ints, cap: int = 0) -> Transitions:
        """Return where the endings of the turns of some states lead: transitions (endings, lanes).

        Args:
            states: (lanes,), the lines in which the turns begin: last turns only, or no last turns. For three and more
                players they may have offers, which are added as multiples of ``lines`` and so change no digit.
            cap: banks of 0, 1, ..., cap points have endings; if a state has a larger cap, banks up to the largest cap.
        """
        largest_bank = self.largest_bank(cap)  # with take-over at least that of the solve
        last_digit = states % self.width
        # Only for two players can the last digit be ``count`` or more: then the opponent has finished.
        points_past_target = last_digit - self.count
        are_last_turns = points_past_target[0] >= 0  # of the first lane, so of all
        if not are_last_turns:
            return super().transitions(states, largest_bank)
        opponent_totals = self.states.target + points_past_target
        largest_bank = max(largest_bank, int(self.caps(states).max()))
        return self.last_turn_transitions(self.mover(states), opponent_totals, largest_bank)

    def largest_bank(self, cap: int) -> int:
        """Return the most points of a bank that the payoffs have an entry for, in turns with caps of at most ``cap``.

        It is ``cap``. If dice can be taken over, banks are listed once for each number of dice left. These lists are at
        least as long as in the solve, so that one turn model fits all turns of the solve.
        """
        return max(cap, self.max_cap) if self.dice else cap

    def make_lanes(self, payoff: Doubles, caps: Caps) -> TurnLanes:
        """Return turns side by side, ready to be solved.

        Args:
            payoff: (channels, endings, lanes), with banks of 0, 1, ..., ``largest_bank(largest cap)`` points.
            caps: (lanes,), the turn points at which the table of each turn ends.
        """
        largest_bank = self.largest_bank(int(caps.max()))
        bank_count = largest_bank + 1
        return TurnLanes(self.turn_for_cap(largest_bank), payoff, caps, bank_count)

    def last_turn_transitions(self, mine: Ints, totals: Ints, cap: int) -> Transitions:
        """Return the transitions of last turns of two players: constants, because the game is over after the turn.

        The constants are the mover's chances to win: 1, 1/2 for a tie, or 0. A wipe loses as a bust does.

        Args:
            mine: (lanes,), the movers' own states.
            totals: (lanes,), the final score of the mover's only opponent, in units.
            cap: the most points for which banks have endings.
        """
        assert self.last_round
        points = np.arange(cap + 1)[:, None]
        deficits = totals - self.states.score[mine]  # by lane
        bank_payoffs = self.last_round.bank_payoffs(points, deficits, self.last_turn_min_banks[mine])  # (points, lanes)
        bust_win_wipe = np.repeat([[0.0], [1.0], [0.0]], len(mine), axis=1)
        # Banks that leave 0, 1, ..., self.dice dice are alike, because no turn follows that could take them over.
        repeated_banks = [bank_payoffs] * (self.dice + 1)
        constant = np.concatenate([bust_win_wipe, *repeated_banks])  # (endings, lanes)
        no_state = np.full(constant.shape, -1)
        return Transitions(constant, no_state)

    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return the transitions to lines in which the next player moves and the mover is last.

        The own states of the players are the digits of a line, from the mover on. So the first digit is taken off, and
        the mover's new own state is appended as the last digit.

        Args:
            states: (lanes,), the states in which the turns begin.
            after: (endings, lanes), the mover's own state after each ending, or a negative number: FORBIDDEN (-1) if it
                is not allowed, and WON - k (-2 - k) for a total of the target + k.
        """
        opponent_digits = states % self.rows
        line = np.where(after >= 0, opponent_digits * self.width + after, -1)
        has_won = after <= WON
        if self.past_totals:
            has_won[SPECIAL_ENDING_COUNT:] = False  # after a bank the opponent has a last turn, see below
        chance_if_allowed = np.where(has_won, 1.0, 0.0)
        constant = np.where(after == FORBIDDEN, -np.inf, chance_if_allowed)
        transitions = Transitions(constant, line)
        after_banks = after[SPECIAL_ENDING_COUNT:]
        if self.past_totals:
            self._lead_to_last_turns(transitions, states, after_banks)
        if self.dice:
            transitions = self._with_offers(transitions, states, after_banks)
        return transitions

    def _next_mover(self, lines: Ints) -> Ints:
        """Return by line the own state of the next player to move: the second digit."""
        other_digits = lines % self.rows
        return np.asarray(other_digits * self.width // self.rows)

    def _with_offers(self, transitions: Transitions, states: Ints, after_banks: Ints) -> Transitions:
        """Return transitions with further banks, which leave 1, 2, ... dice that the next player may take over.

        A bank is offered if it counts, and if the next player may take over as many points.

        Args:
            transitions: the transitions of banks that leave no dice, (endings, lanes).
            states: (lanes,), the lines in which the turns begin.
            after_banks: (points, lanes), the mover's own state after banks of 0, 1, ... points; WON or less if the bank
                reaches the target.
        """
        mine = self.mover(states)  # (lanes,), the movers' own states
        next_mover = self._next_mover(states)  # (lanes,)
        points = np.arange(len(after_banks))[:, None]
        is_counted = points >= self.states.min_banks[mine]
        can_offer = is_counted & (points <= self.max_takeover_points[next_mover])  # (points, lanes)
        lines_without_offer = transitions.state[SPECIAL_ENDING_COUNT:]  # that banks lead to
        transitions = self.with_takeover_banks(
            transitions,
            can_offer & (after_banks >= 0),
            lambda dice: self.offer_states(lines_without_offer, points, dice),
        )
        if self.past_totals:  # a bank that reaches the target leads to a last turn, which may take it over, too
            totals = self.states.score[mine] + points
            self._pay_last_offers(transitions, can_offer & (after_banks <= WON), next_mover, totals)
        return transitions

    def _lead_to_last_turns(self, transitions: Transitions, states: Ints, after_banks: Ints) -> None:
        """Let banks that reach the target lead to the opponent's last turn, in a race of two.

        Totals of the target plus 0, ..., ``past_totals`` - 1 points have states. Banks that bring more pay a constant,
        the mover's chance to win.

        Args:
            transitions: the transitions, (endings, lanes), changed in place.
            states: (lanes,), the lines in which the turns begin.
            after_banks: (points, lanes), the mover's own state after banks of 0, 1, ... points, 0 or more. Negative
                numbers are no states: FORBIDDEN (-1) if the bank is not allowed, and WON - k (-2 - k) for a total of
                the target + k.
        """
        assert self.last_round
        theirs = self._next_mover(states)
        # Entries by bank (rows) and lane (columns); ``theirs`` is by lane.
        reaches_target = after_banks <= WON
        points_past_target = WON - after_banks  # the k of WON - k; without a meaning for other banks
        has_state = reaches_target & (points_past_target < self.past_totals)
        last_turn = self.number(theirs, self.count + points_past_target)  # the opponent moves, and the mover is last
        np.copyto(transitions.state[SPECIAL_ENDING_COUNT:], last_turn, where=has_state)
        is_beyond_states = reaches_target & ~has_state
        if is_beyond_states.any():
            # Banks that do not reach the target are looked up as if they met it; their chances are not copied.
            totals = self.states.target + np.maximum(points_past_target, 0)
            opponent_chances = self.last_round.win_chance(self.states.score[theirs], totals)
            np.copyto(transitions.constant[SPECIAL_ENDING_COUNT:], 1 - opponent_chances, where=is_beyond_states)

    def _pay_last_offers(
        self, transitions: Transitions, can_offer: NDArray[np.bool_], theirs: Ints, totals: Ints
    ) -> None:
        """Let banks that reach the target and leave dice pay the mover's chance to win after the opponent's last turn.

        Args:
            transitions: the transitions, (endings, lanes), changed in place. After SPECIAL_ENDING_COUNT special endings
                they have banks of 0, 1, ... points that leave no dice, then those that leave one die, and so on.
            can_offer: (points, lanes), whether a bank reaches the target and may be taken over.
            theirs: (lanes,), the opponent's own state.
            totals: (points, lanes), the mover's total after each bank, in units.
        """
        bank_count = len(can_offer)  # for each number of dice left
        max_points = bank_count - 1
        for dice, is_bankable in enumerate(bankable_points(self.states.rules, max_points), 1):
            # One entry for each bank that can occur; ``is_bankable`` is by points.
            points, lane = np.nonzero(can_offer & is_bankable[:, None])
            ending = SPECIAL_ENDING_COUNT + dice * bank_count + points
            opponent_chances = self.last_offer_values(theirs[lane], totals[points, lane], points, dice)
            transitions.constant[ending, lane] = 1 - opponent_chances
            transitions.state[ending, lane] = -1  # no state follows

    # --- Offers to take over

    def offer_states(self, lines: Ints, points: Ints, dice: Ints | int) -> Ints:
        """Return the states in which the mover may take over points and dice of the last seat.

        For two players an offer is numbered by the opponent's height h above the lowest score, and then by its points.
        The offers of height h are 1, ..., h points, so h (h - 1) / 2 offers belong to smaller heights.

        Args:
            lines: the lines without the offers.
            points: the turn points that are offered, in units, from 1 on.
            dice: the dice that are offered.
        """
        if self.seats > 2:
            # Offers are numbered from 1 on, by points and then by dice. All lines without an offer come first, then all
            # lines with offer 1, and so on.
            offer_number = (points - 1) * self.dice + dice
            return np.asarray(lines + self.lines * offer_number)
        mine, theirs = np.divmod(lines, self.width)  # own states of the mover and the opponent
        # Lines of an opponent who has finished may be among them. Their results are not used, so any own state will do.
        opponent_state = np.minimum(theirs, self.count - 1)
        height = self.states.score[opponent_state] - self.states.lowest_score
        first_offer = height * (height - 1) // 2
        offer = first_offer + points - 1
        # States with an offer go by the mover's state, then by the offer, then by its dice.
        return np.asarray(self.lines + (mine * self.offers + offer) * self.dice + dice - 1)

    def decode_offers(self, numbers: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return what states with an offer stand for, for two players: the inverse of ``offer_states``.

        Args:
            numbers: the states. They go by the mover's own state, then by the offer, then by its dice. Offers go by the
                opponent's height h above the lowest score, and then by their points, 1 to h.

        Returns:
            The mover's own state, the opponent's score in units, and the points and dice that are offered.
        """
        mine_and_offer, dice_less_1 = np.divmod(numbers - self.lines, self.dice)
        mine, offer = np.divmod(mine_and_offer, self.offers)
        heights = np.arange(self.span)
        first_offers = heights * (heights - 1) // 2  # 0 + 1 + ... + (h - 1) offers belong to smaller heights
        # The largest height whose first offer is at or before this one.
        height: Ints = np.asarray(np.searchsorted(first_offers, offer, side="right") - 1)
        points = offer - first_offers[height] + 1
        return mine, height + self.states.lowest_score, points, dice_less_1 + 1

    def all_offer_states(self, lines: Ints) -> Ints:
        """Return the states of ``lines`` with each offer, possible or not, for three and more players.

        The result is flat: all lines with offer 1, then all lines with offer 2, and so on (see ``offer_states``).
        """
        offer_numbers = np.arange(1, 1 + self.offers * self.dice)
        return np.asarray(np.add.outer(self.lines * offer_numbers, lines).ravel())

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return all takeover offers to the movers of states; None if nothing can be taken over.

        Args:
            states: (lanes,), states without an offer.
        """
        if not self.dice:
            return None
        lane, points, dice = self._offers_by_pair(states) if self.seats == 2 else self._offers_by_line(states)
        offered = self.offer_states(states[lane], points, dice)
        return self.make_takeover_offers(states, lane, offered, points, dice)

    def _offers_by_line(self, lines: Ints) -> tuple[Ints, Ints, Ints]:
        """List the offers of three or more players, possible or not: by points, then by dice, then by lane.

        Args:
            lines: (lanes,), the lines without the offers.

        Returns:
            By offer: its lane, its points in units, and its dice.
        """
        points_less_1, dice_less_1, lane = np.indices((self.offers, self.dice, len(lines))).reshape(3, -1)
        return lane, points_less_1 + 1, dice_less_1 + 1

    def _offers_by_pair(self, states: Ints) -> tuple[Ints, Ints, Ints]:
        """List the offers of two players: those that an opponent who has just banked can make.

        An opponent h above the lowest score can offer 1, ..., h points, and each with 1, ..., ``dice`` dice. For the
        heights 2, 0 and 1 of three lanes and one die, for example, the lanes are 0, 0, 2 and the points 1, 2, 1.

        Args:
            states: (lanes,), the states without the offers.

        Returns:
            By offer: its lane, its points in units, and its dice.
        """
        theirs = states % self.width  # the opponent's own state, or from ``count`` on a total of one who has finished
        is_unfinished = theirs < self.count
        busts_in_a_row = self.states.busts[np.minimum(theirs, self.count - 1)]
        may_have_banked = is_unfinished & (busts_in_a_row == 0)
        height = np.where(may_have_banked, self.opponent_score(states) - self.states.lowest_score, 0)  # (lanes,)
        # Pairs of a lane and a number of points: a lane has as many as its height, and its points count from 1.
        lane = np.repeat(np.arange(len(states)), height)
        pairs_before_lane = np.cumsum(height) - height  # (lanes,)
        points = 1 + np.arange(len(lane)) - pairs_before_lane[lane]
        # An offer is such a pair with a number of dice.
        dice = np.tile(np.arange(1, self.dice + 1), len(lane))
        return np.repeat(lane, self.dice), np.repeat(points, self.dice), dice

    @property
    def max_points_taken_over(self) -> int:
        """Points taken over in a last turn, in units, from which on more of them change no chance to win."""
        return self.span + self.past_totals - 1

    @cached_property
    def last_takeover_chances(self) -> Doubles:
        """Chances to win last turns that take over an offer: (has a score, lead, points, dice).

        The axes are those of ``LastTurns.takeover_chances``: index 0 or 1 for a mover without or with a score above 0;
        leads of the opponent before the offer, from 1 - span to span - 1; points from 0 on; dice from 1 on.
        """
        assert self.last_round
        assert self.dice
        return self.last_round.takeover_chances(self.turn_for_cap, self.dice, self.max_points_taken_over)

    def last_offer_values(self, mine: Ints, total: Ints, points: Ints, dice: Ints | int) -> Doubles:
        """Return the mover's chance in a last turn with an offer: the better of taking it over and a new turn.

        Args:
            mine: (offers,), the mover's own state.
            total: (offers,), the total of the opponent, who has finished, in units.
            points: (offers,), the turn points that are offered, in units.
            dice: the dice that are offered.
        """
        assert self.last_round
        score = self.states.score[mine]
        lead = total - points - score  # of the opponent, before the bank that made the offer
        max_lead = self.span - 1
        tabled_lead = np.clip(lead, -max_lead, max_lead)  # no offer that can occur has a larger one
        tabled_points = np.minimum(points, self.max_points_taken_over)  # more change nothing
        has_score = (score > 0).astype(np.int64)
        chance_with_offer = self.last_takeover_chances[has_score, tabled_lead + max_lead, tabled_points, dice - 1]
        chance_of_new_turn = self.last_round.win_chance(score, total)
        best_chance = np.maximum(chance_of_new_turn, chance_with_offer)
        is_allowed = points <= self.max_takeover_points[mine]
        return np.asarray(np.where(is_allowed, best_chance, chance_of_new_turn))

    # --- Two players

    def lossless(self) -> tuple[RaceModel, Ints]:
        """Return the race of two in which no score can fall and nothing is offered, and by state the matching state.

        A state matches the one of the same scores, which both races number in the same order. Busts in a row do not
        count there, so each score is one own state. Last turns are the same in both races, and so are the totals that a
        finished opponent can hold. The values of that race are first guesses for those of this race.
        """
        lossless = RaceModel(self.states.without_losses(), 2, has_takeover=False)
        states_per_score = self.states.bust_count_limit  # consecutive own states, which differ in busts in a row
        first_digit, last_digit = np.divmod(np.arange(self.lines), self.width)  # of every line
        points_past_target = last_digit - self.count  # of an opponent who has finished; negative for an own state
        matching_last_digit = np.where(
            points_past_target < 0, last_digit // states_per_score, lossless.count + points_past_target
        )
        matching_lines = lossless.number(first_digit // states_per_score, matching_last_digit)
        # States with an offer are read off the turns of lines, so their first guess does not matter.
        matching_offers = np.zeros(self.state_count - self.lines, dtype=np.int64)
        return lossless, np.append(matching_lines, matching_offers)

    # --- Three and more players

    def last_round_error(self, end: int) -> float:
        """Return an error bound of the seats' chances to win in last turns; 0 if the rules have no last round.

        There are up to ``seats`` - 1 last turns one after the other. Each of them rounds. Turns stop at the total
        ``end``, and a total past it counts as ``end``. That matters only if two players get there, whatever they do:

        1. One of them gets there first, from below the target. Let A(s) be the greatest chance that a turn ever adds s
           points. Then the first player's chance is at most A1 = A(end - target + 1).
        2. Another one follows, with a score b, who is end - b points behind. Let L(d) be the chance to win a last turn
           from d points behind. A tie counts 1/2 in it. So the second player's chance is at most 2 L(end - b).

        A pair of players costs at most the product of both chances, A1 * 2 L(end - b). That is at most 2 TRUNCATION for
        every ``end`` that is used:

        - ``end`` is ``end_total``, the largest of ``LastTurns.end_totals``. They are the totals from which on
          A1 * L(end - b) <= TRUNCATION.
        - ``end`` is larger (for a turn from a total past the target), or turns can be taken over. Then ``end`` is so
          large that A1 <= TRUNCATION already.

        There are seats (seats - 1) / 2 pairs, which together cost at most seats (seats - 1) TRUNCATION. To be safe,
        four times that is counted.

        Args:
            end: the largest total for which last turns are solved, in units.
        """
        if not self.last_round:
            return 0.0
        last_turns = self.seats - 1
        rounding_of_sums = 2 * self.seats * UNIT_ROUNDOFF  # what is left to the holders is 1 minus a sum, and shared
        max_turn_points = end - self.states.lowest_score
        rounding_of_turn = turn_rounding_bound(self.states.rules.turn, max_turn_points) + rounding_of_sums
        truncation_of_all_pairs = self.seats * (self.seats - 1) * TRUNCATION
        safety_factor = 4
        return last_turns * rounding_of_turn + safety_factor * truncation_of_all_pairs

    def last_round_table(
        self, zeros: Callable[[int], Doubles], progress: ProgressCallback = lambda share: None
    ) -> Doubles | None:
        """Return the opponents' chances to win once a player has reached the target; None without a last round.

        Args:
            zeros: makes an array of this number of zeros, which may be in a file.
            progress: called with the share that is done of the last step, which takes most of the time.

        Returns:
            (rows, totals, seats - 1) chances. A row is the opponents' states, from the next player on, as one number.
            The total, from the target on, is that of the player who reached the target.
        """
        if not self.last_round:
            return None
        # From the last turn backwards: each step adds the player who moves before the others. The shares are a list by
        # the number of holders of the highest total, with one entry fewer after each step.
        last_turns = MultiplayerLastTurns(self.last_round, self.seats, self.end_total)
        shares_by_holders = last_turns.shares_without_turns()
        for _ in range(self.seats - 2):
            shares_by_holders = last_turns.with_earlier_mover(self.states.score, shares_by_holders, zeros)
        shares_by_holders = last_turns.with_earlier_mover(self.states.score, shares_by_holders, zeros, progress)
        (shares_of_one_holder,) = shares_by_holders  # the only holder is the player who reached the target
        return shares_of_one_holder

    def seat_payoffs(
        self,
        values_of: Callable[[Ints], Doubles],
        states: Ints,
        transitions: Transitions,
        past: Doubles | None,
        row: Ints,
    ) -> Doubles:
        """Return what the endings pay every seat from the mover on: (seats, endings, lanes).

        Args:
            values_of: maps states (..) to their values for all seats, the player to move first: (.., seats).
            states: (lanes,), the states in which the turns begin.
            transitions: their transitions, (endings, lanes).
            past: what the opponents get in their last turns once the mover has banked a total from the target on:
                (rows, totals, seats - 1). None without a last round.
            row: (lanes,), the row of each lane, as an index in ``past``: the opponents' states that the mover faces.
        """
        has_state = transitions.state >= 0
        any_state = np.maximum(transitions.state, 0)  # state 0 stands in where there is none
        values = values_of(any_state)  # (endings, lanes, seats), from the next player on
        # With three seats these are the seats 1, 2, 0 of this turn. So seat 0, the mover, is at index -1.
        shares_by_seat = [np.where(has_state, values[..., seat - 1], 0.0) for seat in range(self.seats)]
        shares = np.stack(shares_by_seat)  # (seats, endings, lanes)
        shares[0] += transitions.constant
        if past is not None:
            # The transitions of three and more players know no last turns: a bank that reaches the target pays 1.
            bank_constants = transitions.constant[SPECIAL_ENDING_COUNT:]
            reaches_target = ~has_state[SPECIAL_ENDING_COUNT:] & (bank_constants > 0)
            scores = self.states.score[self.mover(states)]
            self._pay_past_target(shares, reaches_target, scores, past, row)
        return shares

    def _pay_past_target(
        self, shares: Doubles, reaches_target: NDArray[np.bool_], scores: Ints, past: Doubles, row: Ints
    ) -> None:
        """Replace what banks that reach the target pay by the seats' chances in the last turns of the opponents.

        Args:
            shares: (seats, endings, lanes), changed in place; endings are special ones, then banks of 0, 1, ... points.
            reaches_target: (points, lanes), whether a bank counts and reaches the target.
            scores: (lanes,), the movers' scores before the turns, in units.
            past: (rows, totals, seats - 1), the opponents' chances, for totals from the target on.
            row: (lanes,), the row of each lane.
        """
        points, lane = np.nonzero(reaches_target)  # (entries,) each: the points and the lane of each such bank
        ending = SPECIAL_ENDING_COUNT + points
        points_past_target = scores[lane] + points - self.states.target
        total_index = np.minimum(points_past_target, past.shape[1] - 1)  # larger totals count as the last one
        opponent_shares = past[row[lane], total_index].T  # (seats - 1, entries)
        shares[1:, ending, lane] = opponent_shares
        shares[0, ending, lane] = (1 - opponent_shares.sum(axis=0)).clip(0.0)  # rounding could make it negative

    def prepare_turns(self, states: Ints, table: Doubles, evaluated: Doubles, past: Doubles | None) -> RaceTurns:
        """Return the turns of lines, with payoffs from two value tables.

        Channel 0 decides the choices, channel 1 gives the probability of a zero turn, and the others what the seats get
        by all other endings, from the mover on.

        Args:
            states: (lanes,), the lines.
            table: (states, seats) the values that decide the choices: what each seat gets, from the player to move on.
            evaluated: (states, seats) the values that are evaluated along these choices, by seat in the same order.
            past: what the opponents get in their last turns (``last_round_table``); None without a last round.
        """
        transitions = self.transitions(states)
        is_zero_turn = transitions.state == self.after_zero_turn(states)  # (endings, lanes)
        rows = states % self.rows  # (lanes,)
        # What the endings pay the seats by either table: (seats, endings, lanes).
        evaluated_shares = self.seat_payoffs(partial(np.take, evaluated, axis=0), states, transitions, past, rows)
        deciding_shares = evaluated_shares
        if table is not evaluated:
            deciding_shares = self.seat_payoffs(partial(np.take, table, axis=0), states, transitions, past, rows)
        payoff = np.empty((2 + self.seats, *is_zero_turn.shape))  # (channels, endings, lanes)
        payoff[0] = deciding_shares[0]  # the mover's
        payoff[1] = is_zero_turn
        payoff[2:] = np.where(is_zero_turn, 0.0, evaluated_shares)
        return RaceTurns(self.turn, self.caps(states), is_zero_turn, payoff)


@dataclass(frozen=True)
class RaceTurns:
    """Turns side by side, to be solved for different values of a zero turn.

    Attributes:
        turn: the turn model.
        caps: (lanes,), the turn points at which the table of each turn ends.
        is_zero_turn: (endings, lanes), whether an ending is a zero turn.
        payoff: (2 + seats, endings, lanes). Channel 0 decides, with room for the value of zero turns. Channel 1
            is 1 for a zero turn. The others are what all other endings pay the seats from the mover on.
    """

    turn: PushTurn
    caps: Caps
    is_zero_turn: NDArray[np.bool_]
    payoff: Doubles

    @property
    def without_shares(self) -> RaceTurns:
        """The turns with two channels: the mover's own share, which decides, and the probability of a zero turn."""
        mover_share, zero_probability = 2, 1  # channels; the mover is the first of the seats, in channels 2, 3, ...
        return replace(self, payoff=self.payoff[[mover_share, zero_probability]])

    def select(self, lanes: Ints) -> RaceTurns:
        """Return the turns of these lanes, which may repeat."""
        is_zero_turn = self.is_zero_turn.take(lanes, axis=1)
        payoff = self.payoff.take(lanes, axis=2)
        return RaceTurns(self.turn, self.caps[lanes], is_zero_turn, payoff)

    def solve(self, zero_values: Doubles, inner: bool = False) -> TurnValue:
        """Solve all turns, each for a value of its zero turn; this overwrites those values in ``payoff``.

        Args:
            zero_values: (lanes,), the value of a zero turn to the mover.
            inner: also return the values inside the turns.

        Returns:
            Values whose channels are the mover's value, the probability of a zero turn, and the shares of the seats in
            all other endings, from the mover on.
        """
        # Of channel 0, which decides the choices, only the payoffs of zero turns change between two calls.
        np.copyto(self.payoff[0], zero_values, where=self.is_zero_turn)
        return self.turn.solve(self.payoff, self.caps, inner=inner)


@lru_cache(maxsize=8)
def bankable_points(rules: PushRules, max_points: int) -> list[NDArray[np.uint8]]:
    """Return which points a turn can bank with dice left, for 1, 2, ..., ``rules.dice`` dice left.

    Args:
        rules: the rules of the turn.
        max_points: the most points, in units, that are of interest.

    Returns:
        By number of dice less 1, an array (max_points + 1,): 1 for points, in units, that can occur, else 0.
    """
    point_sets = rules.turn.reachable_points_by_mode(max_points)  # bit sets; mode d - 1 rolls d dice
    return [lowest_bits(points, max_points + 1) for points in point_sets[: rules.dice]]


@lru_cache(maxsize=8)
def make_takeover_turn(rules: PushRules, bank_count: int) -> PushTurn:
    """Return the turn model with separate banks for each number of dice left, and with modes that roll dice taken over.

    Mode d - 1 rolls d dice, for every number d up to ``rules.dice``. Who stops there leaves d dice. So the bank endings
    are ``bank_count`` banks that leave no dice, as many that leave one die, and so on. A copy of each of these modes
    without a stop rolls d dice that were taken over, because these must be rolled. The copies are the last modes.

    Args:
        rules: the rules of the turn.
        bank_count: the number of bank endings for each number of dice left: banks of 0, 1, ... points.
    """
    plain_turn = rules.turn  # in which all banks leave no dice
    roll_modes = plain_turn.modes[: rules.dice]  # they roll 1, 2, ... dice
    other_modes = plain_turn.modes[rules.dice :]
    modes_that_leave_dice = []
    for dice, mode in enumerate(roll_modes, 1):
        first_bank_ending = dice * bank_count
        modes_that_leave_dice.append(mode._replace(bank_ending=first_bank_ending))
    takeover_modes = [mode._replace(name=f"{mode.name} taken over", bank_ending=None) for mode in roll_modes]
    first_takeover_mode = len(plain_turn.modes)
    takeover_group = range(first_takeover_mode, first_takeover_mode + rules.dice)
    modes = [*modes_that_leave_dice, *other_modes, *takeover_modes]
    groups = [*plain_turn.groups, takeover_group]
    return PushTurn(
        modes,
        groups,
        plain_turn.start,
        special_count=SPECIAL_ENDING_COUNT,
        forbids_overshoot=plain_turn.forbids_overshoot,
    )
