"""Turns whose points only grow until the turn ends, as arrays for the race kernel and the multiplayer kernel.

In a *monotone turn* every choice keeps the turn points and adds some, and every mode has one roll or none. A special
ending (bust, wipe or win) is the only choice of its roll class there. All push-your-luck games described by rule data
(``games.push_rules``) have such turns, unless a set of dice takes points off or scores none.

A row of the kernel's table holds the values for one number of turn points. In a monotone turn it depends on higher rows
only, and a choice always leads the same distance ahead. If the player chooses the number of dice before the first
roll, the turn begins in the best of the modes that roll so many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.race import LANES, MOST_MODES
from .push_turn import BUST, Mode, PushTurn, RollClass, TurnChoice

if TYPE_CHECKING:  # only some solves need it, and answers from tables are quicker without it
    from .shared_maxima import DiceCounts, SharedMaxima


def is_monotone(turn: PushTurn) -> bool:
    """Return whether a turn is monotone, with no more modes than the kernels allow."""
    modes, _ = _modes_and_starts(turn)
    if len(modes) > MOST_MODES:
        return False
    return all(_has_plain_stop(mode) and _has_monotone_choices(mode) for mode in modes)


def _has_plain_stop(mode: Mode) -> bool:
    """Return whether a mode has at most one roll, and either no stop or the stop that the kernels support.

    The kernels have one list of bank payoffs for all modes: stopping with t turn points leads to the bank ending t. It
    is offered from 1 point on.
    """
    has_supported_bank = mode.bank_ending in (None, 0)  # the ending of a stop with 0 points
    return len(mode.rolls) <= 1 and has_supported_bank and mode.min_bank <= 1


def _has_monotone_choices(mode: Mode) -> bool:
    """Return whether every choice after a roll of a mode adds points, or is the only one and ends the turn."""
    for roll in mode.rolls:
        for choices, _ in roll.classes:
            for choice in choices:
                is_only_ending = choice.next_mode < 0 and len(choices) == 1
                adds_points = choice.keeps_points and choice.added_points >= 1
                if not (is_only_ending or adds_points):
                    return False
    return True


def _modes_and_starts(turn: PushTurn) -> tuple[tuple[Mode, ...], int]:
    """Return the modes that the kernels solve, and the bit set of those in which a turn begins.

    If the player chooses the first roll, the turn has a start mode that offers these rolls. The kernels know no such
    mode. Instead the turn begins in the best of the modes that make one of these rolls.

    Args:
        turn: the turn. A start mode with several rolls is its last mode, so the others keep their indices without it.
    """
    start_mode = turn.modes[turn.start]
    if len(start_mode.rolls) == 1:  # nothing to choose
        return turn.modes, 1 << turn.start
    other_modes = turn.modes[: turn.start]
    # Rolls are compared by identity: the start mode offers the very objects that the other modes have.
    ids_of_first_rolls = {id(roll) for roll in start_mode.rolls}
    makes_first_roll = [any(id(roll) in ids_of_first_rolls for roll in mode.rolls) for mode in other_modes]
    return other_modes, _as_bits(makes_first_roll)


def _as_bits(flags: Sequence[bool]) -> int:
    """Return a number in which bit i is set if flag i is."""
    return sum(1 << index for index, flag in enumerate(flags) if flag)


def _undominated_choices(choices: Sequence[TurnChoice], stopping_count: int) -> tuple[TurnChoice, ...]:
    """Return the choices that can be best for a player who stops in each of the first ``stopping_count`` modes.

    More points are worth more, both to bank and to go on with in the same mode. So only the choice that adds the most
    points can be best among those that lead to a mode in which the player stops, and among those that lead to the same
    mode; of several, the first.

    Args:
        choices: the choices of a roll class, all of which go on with the turn.
        stopping_count: the player stops in the modes 0, ..., ``stopping_count`` - 1.
    """
    best_by_mode: dict[int, TurnChoice] = {}  # all modes in which the player stops count as the last of them
    for choice in choices:
        mode = max(choice.next_mode, stopping_count - 1)
        if mode not in best_by_mode or choice.added_points > best_by_mode[mode].added_points:
            best_by_mode[mode] = choice
    best_choices = list(best_by_mode.values())
    return tuple(choice for choice in choices if any(choice is best for best in best_choices))


class MonotoneTurn:
    """A turn whose points only grow, as the numbers and arrays that the race kernel and the multiplayer kernel read.

    A set of modes is a bit set. An array ``.._start`` holds where the entries of each mode or class begin, and at last
    their number. The attributes have the names of ``kw_monotone_turn`` in ``csrc/monotone_turn.h``, which says how the
    kernels use each.

    Attributes:
        modes: the number of modes.
        start_modes: the set of modes of which the turn begins in the best.
        bank_modes: the set of modes that offer a stop.
        forbid_above_cap: whether a choice that passes the cap is not allowed.
        forced_passes: passes of value iteration over modes without a stop, from the cap on.
        total_weight, bust_weight, win_weight, wipe_weight: (modes,) the weight of all results of the mode's roll, and
            of those that end the turn in each way.
        class_start, weight, choice_start, choice_offset: the roll classes that go on with the turn, their weights, and
            where their choices lead in the kernel's table (see ``_set_classes``).
        shared_maxima: how maxima over choices are computed from each other; None if they are not.
        edge_start, edge_points, edge_modes: by mode and number of added points, the set of modes that choices lead to
            (see ``_set_edges``).
    """

    def __init__(
        self,
        turn: PushTurn,
        win: TurnChoice,
        wipe: TurnChoice,
        lists_undominated_choices: bool = False,
        dice_left: Sequence[DiceCounts] | None = None,
    ) -> None:
        """Build the arrays.

        Args:
            turn: the turn, for which ``is_monotone`` holds.
            win: the choice that wins the game at once.
            wipe: the choice that loses the whole score.
            lists_undominated_choices: also list, for each n from 0 to the number of modes, the choices that can be best
                for a player who stops in the first n modes, if more points are worth more. The kernels can then skip
                the others.
            dice_left: by mode, how many dice of each kind are rolled in it. With it, the maxima over choices are
                computed from each other, where the kernels can do so.

        Raises:
            ValueError: a roll ends the turn in another way than a bust, ``win`` and ``wipe``.
        """
        modes, self.start_modes = _modes_and_starts(turn)
        _validate_endings(modes, (BUST, win, wipe))
        self.modes = len(modes)
        self.forbid_above_cap = turn.forbids_overshoot
        self.forced_passes = turn.forced_passes
        self.bank_modes = _as_bits([mode.bank_ending is not None for mode in modes])
        self.total_weight = np.array([_weight_or_one(mode) for mode in modes])
        self.bust_weight = _ending_weights(modes, BUST)
        self.win_weight = _ending_weights(modes, win)
        self.wipe_weight = _ending_weights(modes, wipe)
        self._set_classes(modes, lists_undominated_choices)
        self._set_edges(modes)
        self.shared_maxima = self._share_maxima(modes, dice_left)

    def _share_maxima(self, modes: Sequence[Mode], dice_left: Sequence[DiceCounts] | None) -> SharedMaxima | None:
        """Return how maxima over choices are computed from each other; None if the kernels cannot do so.

        They can if all modes may bank, choices may pass the cap, and the kernel's table of channel 1 has a cell for
        each place of a mode (see ``SharedMaxima``). That table is free, because maxima are computed from each other
        only while channel 0 is solved alone.

        Args:
            modes: the modes of the kernel.
            dice_left: by mode, how many dice of each kind are rolled in it; None if this is not known. It has another
                length than ``modes`` if modes differ in more than the dice.
        """
        if dice_left is None or len(dice_left) != len(modes):
            return None
        all_modes_bank = self.bank_modes == (1 << len(modes)) - 1
        if not all_modes_bank or self.forbid_above_cap:
            return None
        from .shared_maxima import SharedMaxima

        classes_of_modes = [list(_continuing_classes(mode)) for mode in modes]
        maxima = SharedMaxima(classes_of_modes, dice_left, partial(_table_offset, mode_count=len(modes)))
        # The table has a cell for each mode in every row, and a row for each number of turn points, at least up to the
        # most points that a choice adds.
        fewest_rows = int(self.edge_points.max())
        fewest_cells = len(modes) * fewest_rows
        return maxima if maxima.max_count <= fewest_cells else None

    def _set_classes(self, modes: Sequence[Mode], lists_undominated_choices: bool) -> None:
        """Set the arrays of roll classes that go on with the turn, and of their choices.

        List 0 has the classes of all modes with all choices. List 1 + k, if there is one, leaves out the choices that
        cannot be best for a player who stops in each of the first k modes. A choice is stored as an offset in the
        kernel's table of values, from the row of the current turn points to the value after the choice. The table has
        the axes (turn points, modes, lanes).

        Args:
            modes: the modes of the kernel.
            lists_undominated_choices: whether there are lists for k = 0, 1, ..., the number of modes.
        """
        # By list: where the classes of mode 0, 1, ... begin among all classes, and where those of the last mode end.
        class_start = list[int]()
        choice_counts = list[int]()  # by class
        weights = list[float]()  # by class
        choice_offsets = list[int]()  # by choice
        stopping_counts = range(len(modes) + 1) if lists_undominated_choices else range(0)
        for stopping_count in (None, *stopping_counts):
            for mode in modes:
                class_start.append(len(choice_counts))
                for choices, weight in _pruned_classes(mode, stopping_count):
                    choice_counts.append(len(choices))
                    weights.append(float(weight))
                    for choice in choices:
                        choice_offsets.append(_table_offset(choice, len(modes)))
            class_start.append(len(choice_counts))
        self.class_start = np.array(class_start, dtype=np.int32)
        self.weight = np.array(weights)
        self.choice_start = np.array(list(accumulate(choice_counts, initial=0)), dtype=np.int32)
        self.choice_offset = np.array(choice_offsets, dtype=np.int32)

    def _set_edges(self, modes: Sequence[Mode]) -> None:
        """Set the arrays of edges, from which the kernels find the modes and turn points that a turn can reach.

        An edge of a mode is a number of points that some choices after its roll add, with the bit set of the modes that
        these choices lead to. The edges of mode m are ``edge_start[m]`` to ``edge_start[m + 1]`` - 1, ascending by
        points.

        Args:
            modes: the modes of the kernel.
        """
        edge_points = list[int]()
        edge_modes = list[int]()
        edge_start = [0]
        for mode in modes:
            mode_set_by_points: dict[int, int] = {}
            for choices, _ in _continuing_classes(mode):
                for choice in choices:
                    mode_set = mode_set_by_points.get(choice.added_points, 0)
                    mode_set_by_points[choice.added_points] = mode_set | 1 << choice.next_mode
            for added_points, mode_set in sorted(mode_set_by_points.items()):
                edge_points.append(added_points)
                edge_modes.append(mode_set)
            edge_start.append(len(edge_points))
        self.edge_start = np.array(edge_start, dtype=np.int32)
        self.edge_points = np.array(edge_points, dtype=np.int32)
        self.edge_modes = np.array(edge_modes, dtype=np.uint64)

    @property
    def mode_set_dtype(self) -> type[np.uint16] | type[np.uint64]:
        """The integer type of a bit set of modes in large arrays: the smaller one that has enough bits."""
        return np.uint16 if self.modes <= 16 else np.uint64


def _table_offset(choice: TurnChoice, mode_count: int) -> int:
    """Return where a choice leads in the kernel's table, in numbers from the row of the turn points before it."""
    cells_ahead = choice.added_points * mode_count + choice.next_mode  # a row has a cell for each mode
    return cells_ahead * LANES


def _continuing_classes(mode: Mode) -> Iterator[RollClass]:
    """Yield the roll classes of a mode that do not end the turn.

    In a monotone turn an ending is the only choice of its roll class, so the first choice of a class decides.
    """
    for roll in mode.rolls:
        for choices, weight in roll.classes:
            if choices[0].next_mode >= 0:
                yield choices, weight


def _pruned_classes(mode: Mode, stopping_count: int | None) -> list[RollClass]:
    """Return the roll classes of a mode that do not end the turn, each with the choices that can be best.

    Classes are sorted by their number of choices: the processor then predicts the length of the kernel's loop over
    choices.

    Args:
        mode: the mode.
        stopping_count: the player stops in each of the modes 0, ..., ``stopping_count`` - 1; None for all choices.
    """
    classes = list(_continuing_classes(mode))
    if stopping_count is not None:
        classes = [(_undominated_choices(choices, stopping_count), weight) for choices, weight in classes]
    return sorted(classes, key=lambda roll_class: len(roll_class[0]))


def _weight_or_one(mode: Mode) -> float:
    """Return the total weight of the results of a mode's roll; 1 without a roll.

    The kernels divide by it. Without a roll the value of going on is then 0 / 1 = 0.
    """
    if not mode.rolls:
        return 1.0
    return float(sum(weight for roll in mode.rolls for _, weight in roll.classes))


def _validate_endings(modes: Sequence[Mode], endings: Sequence[TurnChoice]) -> None:
    """Raise ValueError if a roll ends the turn in a special ending that is not one of ``endings``."""
    for mode in modes:
        for roll in mode.rolls:
            for choices, _ in roll.classes:
                if choices[0].next_mode < 0 and choices[0] not in endings:
                    raise ValueError(f"{mode.name}: the kernels do not support the special ending {choices[0]}")


def _ending_weights(modes: Sequence[Mode], ending: TurnChoice) -> NDArray[np.float64]:
    """Return, by mode (modes,), the weight of the results of its roll that end the turn in a special ending.

    Args:
        modes: the modes of a monotone turn, in which an ending is the only choice of its roll class.
        ending: the choice that leads to the ending.
    """
    weights = np.zeros(len(modes))
    for index, mode in enumerate(modes):
        for roll in mode.rolls:
            for choices, weight in roll.classes:
                if choices[0] == ending:
                    weights[index] += weight
    return weights
