"""``--help`` of a game lists the options that the game takes, and no other game's."""

import re

import pytest

from keepwise import games as registry
from keepwise import playable as make_playable


@pytest.mark.parametrize("command", ["advise", "value"])
@pytest.mark.parametrize("game", registry.FILES)
def test_every_option_that_help_lists_is_taken(run, game, command, tally):
    """A position option is never unknown, and an option for some games only is listed by these alone."""
    one = registry.game(game)
    playable = make_playable(one, objective=one.objectives[0])
    own, *position = re.split(
        r"^(?:The position|Inside a turn) \(", run(f"{command} {game} --help").out, flags=re.MULTILINE
    )
    listed = set(re.findall("^  --([a-z0-9-]+)", "".join(position), re.MULTILINE))
    assert listed == {field.name.replace("_", "-") for field in playable.fields}
    for name in listed:
        message = run(command, game, f"--{name}=zzz").err
        assert message
        assert "unknown option" not in message
    tally.add(len(playable.fields) == len(listed))
    if command == "advise":
        refused = "--draws requires odds estimated from counts; " in run(command, game, "--draws", "5").err
        assert ("--draws" in own) == (not refused) == ("odds" in one.rules)
