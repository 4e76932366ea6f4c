"""``keepwise quiz``: positions worth learning, with the cost of every answer."""

from __future__ import annotations

import json
from typing import Any

import click

from keepwise.errors import InputError
from keepwise.solution import solve_match

from .answers import headline
from .options import FOLLOWING, json_option, question_options, read_question
from .positions import Naming
from .progress import Progress


@click.command(cls=Naming)
@question_options
@click.option(
    "--from", "policy", default="sheet", show_default=True, metavar="POLICY", help="Whose losses are asked about."
)
@click.option("--count", type=int, default=10, show_default=True, help="How many questions.")
@click.option("--seed", type=int, default=1, show_default=True, help="Which games: the same seed, the same questions.")
@click.option("--anki", "deck", metavar="FILE.apkg", help="Write the questions as a deck for Anki instead.")
@json_option
def quiz(policy: str, count: int, seed: int, deck: str | None, as_json: bool, **options: Any) -> None:
    """Ask about positions of real play, more often about those in which a common policy loses more; answers below.

    \b
    POLICY: sheet, hold:300, source, weak, ... (keepwise simulate --help lists
    them), or a game file, evening.kw: its people's own mistakes, without GAME

    \b
    Examples:
      keepwise quiz pig --from hold:20 --count 3
      keepwise quiz 5000 --objective points --from hold:300 --anki 5000.apkg
    """
    from keepwise.extras import need
    from keepwise.files import check_writable
    from keepwise.play.gamefile import read_game_file
    from keepwise.quiz import answer, check_count, check_quiz, in_words, quiz_of_game, write_anki
    from keepwise.quiz import quiz as ask_about
    from keepwise.simulation import check

    from .reviewing import game_question

    game = None
    whose: Any = policy
    if policy.endswith(".kw"):
        game = read_game_file(policy)
        if options["game_id"] not in (None, game.table.game.id):
            raise InputError(f"{policy} is a game of {game.table.game.id}, not of {options['game_id']}")
        for name in ("objective", "players", "goal", "turns", "rule_file", "rules"):
            if options[name]:
                option = {"rule_file": "rules", "rules": "rule"}.get(name, name)
                raise InputError(f"{policy} tells what was played: leave --{option} out")
        check_count(count)
        asked = game_question(policy, game)
        check(asked, (), seed=seed)
        options = {name: options[name] for name in ("threads", "anyway")}
    else:
        asked = read_question(options)
        whose = check_quiz(asked, policy, count, seed)
    if deck is not None:
        need("genanki", "Anki decks need genanki", "anki")
        check_writable(deck)
    with Progress(f"solving {asked.game.id}") as progress:
        solution = solve_match(asked, progress=progress, **options)
    with Progress("playing" if game is None else FOLLOWING) as progress:
        if game is not None:
            questions = quiz_of_game(solution, game, count=count, seed=seed, progress=progress)
        else:
            questions = ask_about(solution, whose, count=count, seed=seed, progress=progress)
    if deck is not None:
        write_anki(questions, deck, f"{solution.game.title}, {asked.objective}")
    if as_json:
        shape = {**solution.head, "policy": policy, "seed": seed}
        click.echo(json.dumps({**shape, "questions": [one.as_json() for one in questions]}, indent=2))
        return
    if deck is not None:
        click.echo(f"{deck}: {len(questions)} cards")
        return
    click.echo(headline(solution.head, solution.game.options, {"from": policy, "seed": str(seed)}))
    for number, one in enumerate(questions, 1):
        click.echo(f"\n{number}. {in_words(one)}")
        for letter, choice in zip("abcdefghij", one.choices, strict=False):
            click.echo(f"   {letter}  {choice.action}")
    click.echo("\nAnswers")
    for number, one in enumerate(questions, 1):
        told = [
            f"{letter} {answer(choice, one.advice)}" for letter, choice in zip("abcdefghij", one.choices, strict=False)
        ]
        others = "" if len(one.choices) == len(one.advice.choices) else "; every other costs more"
        click.echo(f"{number}. {', '.join(told)}{others}")
        click.echo(f"   {policy}: {one.usual}; id {one.id}")
