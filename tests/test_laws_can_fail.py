"""Test the laws: a law must fail if the function that it is about refuses everything (``refusing.py``).

``MUTANTS`` names such functions for each law. A new law must be entered here, or in ``STATIC`` with the reason.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parent.parent
LAWS = Path(__file__).parent / "laws"

SOLVE = "keepwise.api:solve_problem"
PLAY = "keepwise.play:playable"
LOAD = "keepwise.games.rulefile.loader:load_rules"
READ = "keepwise.play.playable_game:PlayableGame.position"
ADVISE, VALUE = "keepwise.api:Solution.advise", "keepwise.api:Solution.position_value"
COST = "keepwise.solvers.problem:Problem.estimate_cost"
KIND_OF = "keepwise.storage.files:file_kind"
IN_WORDS = "keepwise.games.rulefile.description:describe_game"
IN_LINES = "keepwise.cli.rules:rule_lines"
AT_LEVEL = "keepwise.policies.levels:at_level"
SIMULATED = ("keepwise.simulation:plan_simulation", "keepwise.simulation.games:LockstepGames.play", SOLVE)

# By file and law: the functions each of which must not refuse unnoticed.
MUTANTS: dict[str, dict[str, tuple[str, ...]]] = {
    "test_asked_before.py": {"test_answers_do_not_depend_on_earlier_questions": (ADVISE, VALUE, SOLVE)},
    "test_best.py": {
        "test_the_best_choice_is_the_same_for_all": (
            "keepwise.answers.positions:advise",
            "keepwise.answers.trace:trace",
            SOLVE,
        )
    },
    "test_certified.py": {
        "test_values_are_as_close_to_the_true_ones_as_is_stated": ("keepwise.certify:certify", SOLVE, COST)
    },
    "test_choice_kinds.py": {
        "test_every_choice_of_a_registered_game_has_a_kind_and_data": (PLAY,),
        "test_no_typed_line_is_a_roll_where_none_is_waited_for": (
            PLAY,
            "keepwise.play.input_parser:split_roll_and_choice",
        ),
        "test_other_words_change_no_game_and_no_line_of_its_file": (PLAY, "keepwise.play.input_parser:parse_choice"),
        "test_other_words_change_no_value_and_no_reason": ("keepwise.answers.positions:advise", SOLVE),
    },
    "test_commands.py": {
        "test_every_option_value_is_answered_or_refused_in_a_line": (SOLVE,),
        "test_commands_answer_alike_from_a_table": ("keepwise.solving.table_store:load_table",),
        "test_a_refusal_for_its_size_names_options_of_the_command": (
            SOLVE,
            "keepwise.solvers.solve_costs:check_cost",
        ),
    },
    "test_contradictions.py": {
        "test_mixed_fields_are_read_back_or_refused": (READ,),
        "test_card_totals_must_fit_their_boxes": (READ,),
    },
    "test_entries.py": {
        "test_accepted_entries_keep_the_dice_they_name": ("keepwise.play.input_parser:parse_choice", PLAY),
    },
    "test_exact_points.py": {"test_points_in_fractions": (VALUE, SOLVE)},
    "test_families.py": {"test_family_records_name_existing_modules": ("keepwise.games.families:load_module",)},
    "test_found_levels.py": {
        "test_level_policies_reach_their_stated_values": (AT_LEVEL, "keepwise.api:Solution.evaluate", SOLVE)
    },
    "test_game_files.py": {
        "test_a_game_written_is_read_back": ("keepwise.play.game_file:parse",),
        "test_fix_replays_all_lines_that_still_fit": ("keepwise.play.game_file:GameFile.fix",),
        "test_printed_rolls_and_choices_parse_back": (
            "keepwise.play.input_parser:parse_roll",
            "keepwise.play.input_parser:parse_choice",
            "keepwise.play.input_parser:format_roll",
        ),
    },
    "test_ids.py": {
        "test_every_game": (PLAY, READ, "keepwise.play.playable_game:PlayableGame.from_id"),
        "test_names": (LOAD, PLAY, READ),
        "test_more_names": (LOAD,),
        "test_rule_files_refuse_impossible_names_with_the_line": (LOAD,),
        "test_rolls_of_named_faces": (PLAY, READ),
        "test_category_names_with_underscores_round_trip": ("keepwise.games.rulefile.card_file:card_game", READ),
        "test_ids_of_other_rules_are_refused_with_the_reason": (
            PLAY,
            "keepwise.play.playable_game:PlayableGame.from_id",
        ),
    },
    "test_help.py": {"test_every_option_that_help_lists_is_taken": (PLAY,)},
    "test_kinds.py": {
        "test_file_kind_follows_the_content": (KIND_OF,),
        "test_a_game_file_is_known_however_it_may_be_written": (KIND_OF,),
        "test_commands_name_the_kind_of_a_wrong_file": (KIND_OF,),
        "test_commands_overwrite_no_file_of_another_kind": (SOLVE, KIND_OF),
        "test_a_table_has_no_name_of_something_else": ("keepwise.storage.files:check_file_name",),
        "test_only_a_game_file_is_offered_to_be_resumed": (KIND_OF,),
    },
    "test_lines.py": {
        "test_narrow_terminals": (SOLVE,),
        "test_rules": (IN_LINES,),
        "test_a_game_in_which_odd_words_are_typed": (PLAY, "keepwise.play.game_file:GameFile.play_line"),
        "test_help_shows_dice_that_can_come_up": ("keepwise.play.input_parser:parse_roll",),
    },
    "test_moves.py": {
        "test_turns_with_the_same_key_offer_the_same": ("keepwise.play.playable_game:PlayableGame.move_to_turn",)
    },
    "test_names.py": {
        "test_every_command_and_format": (SOLVE, "keepwise.output.exports.rows:write_rows"),
        "test_a_cell_gives_the_text_back": ("keepwise.util.escaping:escape_csv",),
        "test_markdown_shows_the_text": ("keepwise.util.escaping:escape_markdown",),
        "test_latex_has_no_commands_but_those_of_the_escape": ("keepwise.util.escaping:escape_latex",),
        "test_identifiers": ("keepwise.util.escaping:model_identifier",),
    },
    "test_plans.py": {
        "test_a_plan_refuses_the_solution_of_another_problem": (
            "keepwise.solving.solved_problem:SolvedProblem.check_solves",
            "keepwise.simulation:plan_simulation",
        ),
    },
    "test_played.py": {
        "test_played_positions_are_well_formed": (
            READ,
            "keepwise.play.playable_game:PlayableGame.id",
            "keepwise.quiz.questions:describe_position",
        )
    },
    "test_positions_taken.py": {
        "test_every_position_with_advice_is_exported_and_drawn": (
            "keepwise.api:Solution.policy",
            ADVISE,
            SOLVE,
        ),
        "test_points_of_a_turn_are_exported_from_every_score": ("keepwise.api:Solution.policy",),
        "test_a_position_that_cannot_be_is_refused_as_elsewhere": ("keepwise.api:Solution.policy",),
    },
    "test_prompt.py": {
        "test_entries_that_refusals_propose_are_accepted": (
            "keepwise.play.input_parser:parse_choice",
            "keepwise.play.game_file:GameFile.play_line",
            PLAY,
        ),
        "test_redo_gives_back_what_undo_took": (
            "keepwise.play.game_file:GameFile.undo",
            "keepwise.play.game_file:GameFile.play_line",
            PLAY,
        ),
        "test_the_best_choice_is_accepted_as_it_is_printed": ("keepwise.play.input_parser:parse_choice", PLAY),
    },
    "test_python.py": {
        "test_public_functions_answer_or_refuse_any_argument": (
            "keepwise.simulation:simulate",
            PLAY,
            READ,
            ADVISE,
        ),
        "test_numbers_are_read_as_numpy_and_people_write_them": ("keepwise.api:solve",),
        "test_wrong_arguments_raise_input_error": ("keepwise.api:solve",),
        "test_returned_objects_can_be_pickled_and_copied": ("keepwise.api:Solution.trace",),
        "test_a_pickled_solution_answers_the_same": ("keepwise.api:Solution.value",),
    },
    "test_read_back.py": {
        "test_a_table_is_read_back": (
            "keepwise.api:load",
            "keepwise.solving.solved_problem:SolvedProblem.save",
            SOLVE,
        )
    },
    "test_readings.py": {
        "test_both_readings_agree": ("keepwise.solvers.problem:Problem.seat_values", SOLVE),
        "test_every_allowed_score_is_solved": (READ,),
    },
    "test_refusals.py": {
        "test_refusals_of_choices_list_choices_that_parse": ("keepwise.play.input_parser:parse_choice", PLAY),
        "test_refusals_of_rolls_state_possible_dice": ("keepwise.play.input_parser:parse_roll", PLAY),
        "test_whole_turns_parse_as_the_prompt_offers": (
            "keepwise.play.playable_game:PlayableGame.play_whole_turn",
            PLAY,
        ),
    },
    "test_rounding.py": {
        "test_rounding_of_a_turn_is_bounded": ("keepwise.solvers.rounding_bounds:turn_rounding_bound",)
    },
    "test_rule_text.py": {
        "test_mutated_files": (LOAD, IN_LINES),
        "test_more_mutated_files": (LOAD,),
        "test_every_option_of_every_game": ("keepwise.games:Game.with_rules",),
        "test_toys": (IN_LINES,),
        "test_odds": (IN_LINES,),
        "test_every_game_is_described_in_sentences": (IN_WORDS,),
        "test_no_default_is_among_its_alternatives": (IN_LINES,),
        "test_every_file_has_a_line_of_the_list": ("keepwise.games:shipped_rule_files",),
        "test_every_source_is_printed_with_its_year": (IN_LINES,),
        "test_rule_text_names_rolls_that_lose_the_turn": (IN_WORDS,),
        "test_twins": (IN_LINES,),
        "test_equal_rules_written_differently_print_alike": (IN_LINES,),
    },
    "test_shared_walks.py": {
        "test_values_of_shared_walks_are_those_of_advice": (
            "keepwise.answers.decisions:walk_turn",
            "keepwise.answers.positions:advise",
            SOLVE,
        )
    },
    "test_sheets_played.py": {
        "test_sheets_reach_the_values_they_state": ("keepwise.output.sheets:make_sheet", AT_LEVEL, SOLVE)
    },
    "test_simulated.py": {
        "test_the_mean_is_the_solved_value": SIMULATED,
        "test_luck_averages_zero_for_all_players": SIMULATED,
    },
    "test_stages.py": {
        "test_values_and_advice": (SOLVE, ADVISE),
        "test_games": SIMULATED,
        "test_game_files": ("keepwise.play.game_file:parse",),
        "test_quizzes": ("keepwise.quiz.questions:make_quiz", SOLVE),
    },
    "test_subjects.py": {
        "test_law_questions_have_small_games": ("keepwise.solvers:make_problem",),
        "test_an_objective_of_other_games_is_refused_with_the_reason": ("keepwise.games:Game.check_objective",),
    },
    "test_told.py": {
        "test_level_searches_report_progress": (AT_LEVEL,),
        "test_enumerations_report_progress": ("keepwise.solvers.enumerated:EnumeratedProblem.solve",),
    },
    "test_values.py": {
        "test_roll_values_are_means_over_their_results": (
            SOLVE,
            COST,
            "keepwise.solvers.problem:Problem.estimate_cost_from",
        ),
        "test_a_choice_has_the_value_of_its_successor": (SOLVE, COST, ADVISE),
        "test_the_start_is_among_the_positions_that_are_listed": ("keepwise.solvers.problem:Problem.list_positions",),
        "test_the_values_of_all_seats_add_up": (SOLVE, COST, VALUE),
    },
}
# Laws that no refusal of a function can hollow out, and why.
STATIC = {
    "test_general_modules_import_no_family": "reads the source files",
    "test_help": "asks the command line, which must answer with status 0",
    "test_invisible_characters_are_refused": "states a refusal",
    "test_too_long_names_are_refused": "states a refusal",
    "test_every_stage_follows_every_other": "walks graphs of its own",
    "test_every_family_and_every_match_has_a_question": "compares registries",
    "test_every_command_is_known": "compares registries",
    "test_every_function_that_returns_a_plan_is_tried": "compares registries",
    "test_toys_are_known_only_while_a_law_runs": "compares registries",
}


def laws_in(file: Path) -> list[str]:
    """Return the names of the laws that a file states."""
    return [node.name for node in ast.parse(file.read_text()).body if getattr(node, "name", "").startswith("test_")]


def test_every_law_has_a_mutant():
    stated = {(file.name, law) for file in LAWS.glob("test_*.py") for law in laws_in(file)}
    entered = {(file, law) for file, laws in MUTANTS.items() for law in laws}
    assert entered <= stated
    assert {law for _, law in stated - entered} == STATIC.keys()


@pytest.mark.cases(fast=0, slow=3)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
@pytest.mark.parametrize("file", MUTANTS)
def test_a_law_fails_if_its_function_refuses_everything(file):
    mutants = [(law, target) for law, targets in MUTANTS[file].items() for target in targets]
    ran = subprocess.run(
        [sys.executable, "tests/helpers/refusing.py", f"tests/laws/{file}", *map("=".join, mutants)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    print(ran.stdout)
    failed = [f"{law} {target} {int(pytest.ExitCode.TESTS_FAILED)}" for law, target in mutants]
    assert ran.stdout.splitlines()[-len(mutants) :] == failed
    assert "is not defined" not in ran.stdout


# --- the plugin that counts


SAMPLE = """
import pytest
from tallies import Reason, skip

def law(*counts):
    def test(count, tally):
        if count is None:
            skip(Reason.LONG, "an hour")
        tally.add(count)
    return pytest.mark.checks(least=2, share=0.5)(pytest.mark.parametrize("count", counts)(test))

test_half = law(2, 0, 3, 1)
test_half_skipped = law(2, None, 5, None)
test_too_few = law(1, 1, 1, 9)
test_all_skipped = law(None, None)

def test_one(tally):
    tally.add()

def test_none(tally):
    tally.add(0)

def test_unlisted(tally):
    tally.add()
    pytest.skip("no time")
"""
CONFTEST = """
import tallies

tally = tallies.tally

def pytest_configure(config):
    config.pluginmanager.register(tallies.Minima(config))
    for mark in ("slow", "patient", "checks"):
        config.addinivalue_line("markers", mark)
"""


@pytest.fixture
def sample(pytester):
    """Run the sample laws in a folder of their own, with the plugin that counts."""
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(SAMPLE)
    return lambda *words: pytester.runpytest_inprocess("-p", "no:cacheprovider", *words)


@pytest.mark.parametrize(
    "words", [("-n", "0"), pytest.param(("-n", "2"), marks=pytest.mark.slow)], ids=["one process", "two workers"]
)
def test_a_law_that_checks_too_little_fails(sample, words):
    ran = sample(*words)
    assert ran.ret == pytest.ExitCode.TESTS_FAILED
    ran.assert_outcomes(passed=11, skipped=4, failed=2)
    told = [line.partition("::")[2] for line in ran.outlines if "cases checked at least" in line]
    assert told == [
        "test_all_skipped (fast cases): 0 of 2 cases checked at least 2, but 1 must",
        "test_none (fast cases): 0 of 1 cases checked at least 1, but 1 must",
        "test_too_few (fast cases): 1 of 4 cases checked at least 2, but 2 must",
        "test_unlisted (fast cases): 0 of 1 cases checked at least 1, but 1 must",
    ]
    assert "checked 0, but must check at least 1" in ran.outlines
    assert "skipped for an unlisted reason: Skipped: no time" in ran.outlines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("selected", "status"), [("half and not skipped", 0), ("too_few", 1), ("too_few and not 9", 0), ("skipped", 1)]
)
def test_a_minimum_is_judged_if_all_cases_ran(sample, selected, status):
    assert sample("-n", "0", "-k", selected).ret == status
