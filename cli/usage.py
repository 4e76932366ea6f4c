"""Messages about command lines that click refuses: what is wrong, named as it is typed, and how to fix it."""

from __future__ import annotations

import click

from keepwise.util.errors import closest_name

OTHER_NAMES_OF_OPTIONS = {  # as people type them: the options that they may mean
    "--against": ("--opponents-play",),
    "--opponent": ("--opponents-play",),
    "--dice": ("--own", "--hand"),
    "--have": ("--own", "--hand"),
}


def usage_message(error: click.ClickException) -> str:
    """Return the message of an error in a command line; options and arguments are named as they are typed."""
    if isinstance(error, click.BadOptionUsage) and error.ctx is None:  # before any command: only flags
        return f"{error.option_name} takes no value; write {error.option_name} alone"
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return error.message
    path = error.ctx.command_path
    if isinstance(error, click.NoSuchOption):
        return unknown_option(error, f"{path} --help lists the options")
    if isinstance(error, click.BadOptionUsage):
        params = {name: param for param in error.ctx.command.get_params(error.ctx) for name in _names(param)}
        if getattr(params[error.option_name], "is_flag", False):
            return f"{error.option_name} takes no value; write {error.option_name} alone"
        return f"{error.option_name} requires a value; for its meaning and examples, see {path} --help"
    if isinstance(error, click.BadParameter) and error.param is not None:
        param = error.param
        is_argument = isinstance(param, click.Argument)
        name = param.human_readable_name.strip(".") if is_argument else param.opts[0]
        if not isinstance(error, click.MissingParameter):
            return f"{name} {error.message}"
        value = "" if is_argument else f" {param.metavar}"
        return f"missing {name}{value}; for its meaning and examples, see {path} --help"
    return error.message


def names_of_options(error: click.NoSuchOption) -> set[str]:
    """Return the names of all options of the command that refused an option; none if there is no command."""
    return {name for param in error.ctx.command.params for name in param.opts} if error.ctx else set()


def unknown_option(error: click.NoSuchOption, hint: str) -> str:
    """Return the message about an unknown option.

    Args:
        error: what click refused.
        hint: how to fix it if no known option has a similar name.
    """
    message = f"unknown option {error.option_name}"
    known_names = names_of_options(error)
    for instead in OTHER_NAMES_OF_OPTIONS.get(error.option_name, ()):
        if instead in known_names:
            return f"{message}; did you mean {instead}?"
    closest = closest_name(error.option_name.lstrip("-"), (name.lstrip("-") for name in error.possibilities or ()))
    if closest:
        return f"{message}; did you mean --{closest}?"
    return f"{message}; {hint}"


def _names(param: click.Parameter) -> list[str]:
    """Return the names of an option: those that set it, and those that set its opposite."""
    return [*param.opts, *param.secondary_opts]
