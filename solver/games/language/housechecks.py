"""Which rules of a push-your-luck file make a game that can be solved; the others are refused with the reason."""

from __future__ import annotations

import math

from ...ground.errors import HouseRuleError
from ...turns.push import PushTurn
from ..pushluck import Next, PushRules

MOST_WEIGHED = 2_300_000  # sets weighed when a turn is compiled: some seconds
MOST_WALKED = (
    5_000_000  # choices of a game of one turn each, for all points in hand: it is walked through before it is solved
)
MOST_CONFIRMING, MOST_CONFIRMED = 200, 200_000  # kinds of throw that confirm, and all that can fall in them


def check_size(dice: int, faces: int, useful: int, combinations: int) -> None:
    """Refuse rules that would take long to compile: every part of every throw, of faces that any set holds, is weighed,
    by every combination.
    """
    sets = sum(math.comb(count + faces + useful - 1, count) for count in range(1, dice + 1))
    throws = sum(math.comb(count + faces - 1, count) for count in range(1, dice + 1))
    weighed = sets + throws * combinations
    if weighed > MOST_WEIGHED:
        message = f"{dice} dice of {faces} faces make {weighed:,} sets to weigh"
        raise HouseRuleError(f"{message}, more than {MOST_WEIGHED:,}: play with fewer dice or faces", "dice")


def check_whole(data: PushRules) -> None:
    """Refuse rules that make no game."""
    if max(data.worths) <= 0:
        raise HouseRuleError("nothing scores: give [singles], [alike.N] or [[pattern]]", "singles")
    if min(data.worths) < 0:
        _check_below_zero(data)
    for key, told in (("opening", "opening"), ("minimum", "at_least")):
        if (points := getattr(data, key)) % data.grain:
            message = f"stop.{told}={points} must be a multiple of {data.grain}, as all points are"
            raise HouseRuleError(message, "stop", told)
    if data.finish == "exact" and data.target % data.grain:
        raise HouseRuleError(
            f"target={data.target} can never be hit exactly: all points come in {data.grain}s", "target"
        )
    least = max(data.opening, data.minimum)
    if least > data.target:
        raise HouseRuleError(f"a bank of at least {least} is above the target", "stop", "opening")
    ends = data.hot_dice == "none" or data.does("end")
    if data.below == "throw" and least and (data.finish == "exact" or ends):
        waived, early = "finish=exact waives the minimum", "a turn can end below the minimum, all dice being set aside"
        message = f'{waived if data.finish == "exact" else early}: write below = "end"'
        raise HouseRuleError(message, "stop", "below")
    if data.choose and not data.once:
        raise HouseRuleError('dice = "chosen" goes with set = "end": a turn of one throw', "then", "dice")
    if data.stop == "all" and data.hot_dice != "none":
        raise HouseRuleError('set = "must" goes with all = "end", or nobody could ever stop', "then", "set")
    if data.best == "lowest":
        _check_lowest(data)
    if data.once and data.hot_dice != "free":
        raise HouseRuleError("a turn of one throw ends with it: leave all out", "then", "all")
    if data.once and data.does("again", "same", "roll"):
        raise HouseRuleError("a turn of one throw has no throw after it: then=must or roll cannot be", "then", "set")
    if any(effect == "same" and points <= 0 for _, effect, points in data.specials):
        raise HouseRuleError("a throw that leaves the same dice must score, or could follow itself for ever", "special")
    if (data.once or data.stop == "all") and data.below == "throw":
        raise HouseRuleError("nobody chooses whether to throw on: leave below out", "stop", "below")
    if data.does("void"):
        for dice in range(1, data.dice + 1):
            if not any(True for _ in data.throws_of(Next(dice))):
                message = f"every throw of {data.hand_in_words(dice)} counts for nothing and would be made for ever"
                raise HouseRuleError(message, "special")
    if data.costs:
        _check_costs(data)
    if data.above:
        _check_above(data)
    if data.confirms:
        _check_confirm(data)
    if data.take_over != "none":
        _check_take_over(data)
    if data.finish == "one_turn":
        _check_one_turn(data)
    turn = _turn_of(data)
    if data.finish == "one_turn" and (walked := turn.choices * turn.max_add) > MOST_WALKED:
        message = f"a turn of {data.dice} dice offers {walked:,} choices, more than {MOST_WALKED:,}"
        raise HouseRuleError(f"{message} for finish=one_turn: play with fewer dice", "dice")
    if data.costs and not data.rises:
        message = (
            "busts that cost points do not go with sets of 0 points or less: a turn could end with nothing, unbusted"
        )
        raise HouseRuleError(message, "bust")
    if (endless := turn.endless) and not data.above:
        name = turn.modes[endless[0]].name
        message = f"{name} can be thrown for ever, since every throw there scores, so a turn would never have to end"
        raise HouseRuleError(message, "singles")


def _turn_of(data: PushRules) -> PushTurn:
    """The turn that the rules describe."""
    try:
        return data.turn
    except ValueError as error:
        raise HouseRuleError(str(error), "then", "all") from None


def _check_below_zero(data: PushRules) -> None:
    """Refuse sets that take points off where a turn could go round in circles, or lose a target it holds."""
    if data.hot_dice != "none" and not data.once:
        message = "sets below 0 go with then.all=end or then.set=end: else points could go up and down for ever"
        raise HouseRuleError(message, "then", "all")
    if data.stop == "all":
        raise HouseRuleError("sets below 0 do not go with then.set=must", "then", "set")
    for key, plain in (("best", "highest"), ("finish", "at_least")):
        if getattr(data, key) != plain and getattr(data, key) != "one_turn":
            raise HouseRuleError(f"sets below 0 go with {key}={plain} only", key)


def _check_lowest(data: PushRules) -> None:
    """Refuse rules under which the lowest points make no game."""
    if data.stop != "all":
        raise HouseRuleError("best=lowest goes with then.set=must, or nobody would throw on", "best")
    if data.specials or data.costs or data.confirms or max(data.opening, data.minimum):
        message = "best=lowest goes with plain sets only: no special throws, busts, minimum or sets to be confirmed"
        raise HouseRuleError(message, "best")
    if not data.useful or not set(range(data.dice)) <= _turn_of(data).safe:
        raise HouseRuleError(
            "best=lowest needs every throw to score, or a bust would be best: give every face", "singles"
        )


def _check_one_turn(data: PushRules) -> None:
    """Refuse one turn for each player where points have no bound, or what is not told by a turn's points."""
    if (data.hot_dice != "none" and not data.once and not data.above) or data.choose:
        raise HouseRuleError(
            "finish=one_turn goes with then.all=end, then.set=end or [bust] above: a turn's points must be bounded",
            "finish",
        )
    if data.costs or data.does("win", "wipe", "roll", "again", "same"):
        message = "finish=one_turn knows bounded points of a turn only: no throws that win, wipe or go on, and no costs"
        raise HouseRuleError(message, "finish")


def _check_above(data: PushRules) -> None:
    """Refuse points above which the hand is lost where a turn is not all there is, or another rule hangs on them."""
    if data.finish != "one_turn":
        raise HouseRuleError("[bust] above goes with finish=one_turn: each player has one turn", "bust", "above")
    if data.tied != "share":
        message = 'who loses the hand on purpose could tie for ever: write finish = "one_turn_shared"'
        raise HouseRuleError(message, "bust", "above")
    if data.confirms or min(data.worths) < 0 or data.best == "lowest" or data.stop == "all":
        said = "[bust] above does not go with sets below 0 or that must be thrown on, best=lowest and then.set=must"
        raise HouseRuleError(said, "bust", "above")
    if max(data.minimum, data.opening) > data.above:
        raise HouseRuleError("no bank can count: the minimum is above what may be held", "bust", "above")


def _check_take_over(data: PushRules) -> None:
    """Refuse taking over where a turn leaves no dice over."""
    if data.once or data.stop == "all":
        raise HouseRuleError("nothing can be taken over where every turn ends with no throw left to make", "take_over")
    if data.finish == "one_turn":
        raise HouseRuleError("taking over goes with races only: leave finish=one_turn out", "take_over")


def _check_confirm(data: PushRules) -> None:
    """Refuse sets to be confirmed where that makes no game, or too many kinds of throw."""
    if data.once or data.hot_dice == "none":
        message = "sets that must be thrown on need a throw after them: then.all=roll or must, and not then.set=end"
        raise HouseRuleError(message, "then", "all" if data.hot_dice == "none" else "set")
    over = data.confirming if data.over else ()
    if len(over) > MOST_CONFIRMING:
        message = f"sets are confirmed by {len(over)} kinds of throw, more than {MOST_CONFIRMING}: leave over out"
        raise HouseRuleError(message, "then", "over")
    weighed = 0
    for throw in over:
        stands = sum(1 for _ in data.throws_of(throw))
        if not stands:
            faces = data.faces_in_words(throw.over)
            raise HouseRuleError(f"a throw with {faces} thrown over would be thrown for ever", "then", "over")
        weighed += stands
    if weighed > MOST_CONFIRMED:
        message = f"the throws that confirm sets fall in {weighed:,} ways, more than {MOST_CONFIRMED:,}"
        raise HouseRuleError(f"{message}: leave over out", "then", "over")


def _check_costs(data: PushRules) -> None:
    """Refuse busts that cost points where that makes no game, or one that is not solved."""
    if max(data.opening, data.minimum) and not data.minimum_on_win:
        raise HouseRuleError("busts that cost points go with stop.on_win=true only", "stop", "on_win")
    if max(data.opening, data.minimum) and data.below != "throw":
        message = (
            'who may stop below the minimum would rather do that than risk a bust that costs: write below = "must"'
        )
        raise HouseRuleError(message, "stop", "at_least" if data.minimum else "opening")
