"""How to play, in the languages of the page."""

import re

import pytest

import keepwise as kw
from keepwise.games import FILES, shipped_rule_files
from keepwise.games.rulefile.description import describe_game
from keepwise.output.adviser_page.how_to_play import catalogue, translate_lines

WITHOUT_PAGE = {"1-4-24", "martian-dice", "pickomino-turn", "toss-up", "twenty-one", "zombie-dice"}
POINTS = re.compile(r"\d[\d,]*\d")  # a number of one digit may become a word


@pytest.mark.parametrize("name", [name for name in (*FILES, *shipped_rule_files()) if name not in WITHOUT_PAGE])
def test_every_line_of_a_page_is_translated_and_keeps_its_points(name):
    lines = translate_lines(describe_game(kw.game(name)))
    assert lines
    for line in lines:
        assert len(line) == 3, line
        english, *translations = line
        for translation in translations:
            assert sorted(POINTS.findall(translation)) == sorted(POINTS.findall(english)), translation


def test_entries_of_the_catalogue_have_the_same_placeholders():
    for entries in catalogue().values():
        for entry in entries:
            german, french = ({*re.findall(r"\{\w+\}", entry[language])} for language in ("de", "fr"))
            assert german == french, entry


def test_a_sentence_of_no_shipped_game_stays_english():
    assert translate_lines(["  The dragon wakes. "]) == [["The dragon wakes."]]
