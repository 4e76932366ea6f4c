"""People who play by a printed sheet of a push-your-luck game, and know nothing else.

A reader takes the sheet and the target, if there is one, and returns what it does at a position among its choices.
"""

from __future__ import annotations

import re
from fractions import Fraction


def table_of(sheet, beginning):
    return next((playable for playable in sheet.tables if playable.heading.startswith(beginning)), None)


def of_band(names, score):
    """The place of the band that a score lies in: ``0 to 9``."""
    begins = [int(name.split(" to ")[0].replace(",", "")) for name in names]
    return sum(score >= begin for begin in begins) - 1


def hog(sheet, _):
    """How many dice are rolled."""
    said, bands = " ".join(sheet.lines), table_of(sheet, "Dice to roll")
    if one := re.search(r"Roll (\d+) (?:die|dice)\.", said):
        return lambda at, choices: f"roll {one[1]} {'die' if one[1] == '1' else 'dice'}"
    rows = [row[0] for row in bands.rows]

    def read(at, choices):
        row = bands.rows[of_band(rows, at["score"])]
        number = row[1] if len(row) == 2 else row[1 + of_band(bands.columns[1:], max(at["opponents"]))]
        return f"roll {number} {'die' if number == '1' else 'dice'}"

    return read


def setting_aside(sheet, _):
    """Which dice are set aside if nobody may stop: by what they score, or by what the dice left are worth too."""
    said, numbers, instead, worths = (
        " ".join(sheet.lines),
        table_of(sheet, "What to set aside"),
        table_of(sheet, "Set aside instead"),
        table_of(sheet, "What the dice left are worth"),
    )
    worth = {row[0]: Fraction(row[1].replace(",", "")) for row in worths.rows} if worths else {}
    one = re.search(r"scores at (?:most|least) (\d+)|Take (\d+) off", said)
    limits = dict(numbers.rows) if numbers else None
    told = {row[:2]: row[2] for row in instead.rows} if instead else {}
    assert (instead is None) == ("If a roll is listed below" not in said)

    def read(at, choices):
        number = int(one[1] or one[2]) if one else int(limits[at["hand"]]) if limits else 0
        shown = told.get((at["hand"], " ".join(at["roll"])))
        if shown is not None:
            return next(choice.action for choice in choices if list(choice.keep) == shown.split())
        gains = {choice.keep: choice.points - at["turn"] for choice in choices}
        alone = {keep[0]: gain for keep, gain in gains.items() if len(keep) == 1}
        if worths:
            sign = -1 if "the smallest sum" in said else 1
            assert "the smallest sum" in said or "the greatest sum" in said
            sums = {
                keep: gain + worth.get(str(len(at["roll"]) - len(keep)), Fraction(0)) for keep, gain in gains.items()
            }
            kept = max(sums, key=lambda keep: (sign * sums[keep], len(keep)))
        elif " off for each die" in said:
            kept = max(gains, key=lambda keep: (gains[keep] - number * len(keep), len(keep)))
        else:
            low = "at most" in said
            some = [
                die for die in at["roll"] if (die in alone and (alone[die] <= number) == low) or alone[die] == number
            ]
            least = min if low else max
            kept = tuple(some) or (least(alone, key=lambda die: alone[die]),)
        return next(choice.action for choice in choices if sorted(choice.keep) == sorted(kept))

    return read


def scoring(sheet, target):
    """All that scores, or less; and a limit for each hand, or for so many dice, by scores on the last page."""
    said, bank, less = " ".join(sheet.lines), table_of(sheet, "Bank"), table_of(sheet, "Exceptions: keep these")
    whole = table_of(sheet, "Exceptions: keep all")
    one = re.search(r"Bank with ([\d,]+) turn points or more", said)
    told = {} if less is None else {(row[0], *sorted(row[1].split())): sorted(row[2].split()) for row in less.rows}
    assert (less is None and whole is None) == ("except as shown below" not in said)
    fewest = "with the fewest dice" in said
    told |= {(row[0], *sorted(row[1].split())): sorted(row[1].split()) for row in (whole.rows if whole else ())}
    assert target is None or re.search("or with enough to (win|reach the target)", said)

    def limit(at, hand):
        if one:
            return int(one[1].replace(",", ""))
        rows, places = [row for row in bank.rows if row[0] in (hand, hand.split()[0])], [1]
        if bank.columns[0] == "you":
            mine = of_band([row[0] for row in bank.rows], at["score"])
            rows = [row for row in bank.rows if row[0] == bank.rows[mine][0] and row[1] in (hand, hand.split()[0])]
            places = [2 + of_band(bank.columns[2:], max(at["opponents"]))]
        cell = next((row[places[0]] for row in rows), "never")
        return 10**6 if cell in ("to win", "to the target", "never") else int(cell.replace(",", ""))

    def read(at, choices):
        usual = max(choices, key=lambda choice: (choice.points, -len(choice.keep) if fewest else 0))
        keep = sorted(usual.keep)
        alone = {choice.keep[0] for choice in choices if len(choice.keep) == 1}
        for choice in choices:
            shown = sorted(
                (*usual.keep, *(die for die in choice.keep if choice.keep.count(die) > usual.keep.count(die)))
            )
            every = all(shown.count(die) >= at["roll"].count(die) for die in alone)  # all that scores, kept or not
            if every and told.get((at["hand"], *shown)) == sorted(choice.keep):
                keep = sorted(choice.keep)
        stop, throw = (
            next((c for c in choices if sorted(c.keep) == keep and (c.follow_up == "roll") == on), None)
            for on in (False, True)
        )
        if throw is None or stop is None:
            return (stop or throw).action
        if stop.follow_up != "bank":  # which counts nothing
            return throw.action
        enough = target is not None and at["score"] + throw.points >= target
        hand = throw.action[throw.action.index("roll ") :].removeprefix("roll ").replace(" fresh", "")
        return stop.action if enough or throw.points >= limit(at, hand) else throw.action

    return read


def nothing_to_choose(sheet, _):
    """A sheet that says so: there is never more than one choice."""
    assert "There is nothing to choose" in " ".join(sheet.lines)

    def read(at, choices):
        raise AssertionError(f"there is a choice: {at}")

    return read


def reader_of(sheet, target=None):
    """The reader that a sheet is written for, by its words."""
    said = " ".join(sheet.lines)
    if "nothing to choose" in said:
        return nothing_to_choose(sheet, target)
    if said.startswith("Roll"):
        return hog(sheet, target)
    if "scores at most" in said or "scores at least" in said or "off for each die" in said:
        return setting_aside(sheet, target)
    return scoring(sheet, target)


def hand_in_words(playable, position):
    if position.roll is None:
        return ""
    return playable.rules.describe_hand(position.dice) if playable.rules.kinds else str(sum(position.roll))
