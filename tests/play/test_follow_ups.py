"""What follows a choice, by its kind and data."""

from __future__ import annotations

from keepwise.play.choice_kinds import ChoiceKind, FollowUp, FrameChoice, TileChoice, follow_up_of


def test_every_kind_of_choice_has_a_follow_up():
    own_game = {kind: follow_up_of(kind, None) for kind in ChoiceKind}
    assert {kind for kind, follow_up in own_game.items() if follow_up == "end"} == {
        ChoiceKind.KEEP, ChoiceKind.ENTER, ChoiceKind.SCORE, ChoiceKind.BUST, ChoiceKind.WIPE, ChoiceKind.OTHER,
    }  # fmt: skip
    in_frame = {follow_up_of(kind, FrameChoice()) for kind in ChoiceKind}
    assert {*own_game.values(), *in_frame} == set(FollowUp)


def test_only_the_last_tile_that_is_shut_ends_the_turn():
    assert follow_up_of(ChoiceKind.SHUT, TileChoice(tiles=("2",))) is FollowUp.ROLL
    assert follow_up_of(ChoiceKind.SHUT, TileChoice(tiles=("2",), is_last=True)) is FollowUp.END
