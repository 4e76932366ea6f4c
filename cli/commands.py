"""The table of commands, and how a command line runs: errors become one line and an exit status."""

from __future__ import annotations

import inspect
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from keepwise.util.errors import InputError, KeepwiseError, TableError, TooMuchError, option_name, suggest_name
from keepwise.util.text import escape_invisible

from .progress import Watch, watch
from .terminal import fitted

# A shell sets this variable to ask for completions: eval "$(_KEEPWISE_COMPLETE=zsh_source keepwise)"
COMPLETION_VARIABLE = "_KEEPWISE_COMPLETE"

# command -> the module that holds it, in the order of --help
COMMANDS = {
    "games": "rules",
    "rules": "rules",
    "advise": "advise",
    "value": "advise",
    "solve": "solve",
    "evaluate": "evaluate",
    "simulate": "simulate",
    "quiz": "quiz",
    "odds": "odds",
    "best-dice": "best_dice",
    "fair": "fair",
    "export": "export",
    "chart": "chart",
    "page": "page",
    "play": "play",
    "coach": "play",
    "review": "review",
    "certify": "certify",
    "verify": "certify",
    "selftest": "selftest",
}


class Commands(click.Group):
    """The group of all commands; imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in reading order."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List every command with its whole summary, which click would cut."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, _summary(command)) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f".{COMMANDS[cmd_name]}", __package__), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments call; suggest the closest name for an unknown one."""
        if args and args[0] == "help":
            ctx.fail(f"unknown command help; use keepwise {args[1] if args[1:] else 'COMMAND'} --help")
        if args and args[0] not in COMMANDS:
            ctx.fail(f"unknown command {args[0]}{suggest_name(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)


def _summary(command: click.Command) -> str:
    """Return the first paragraph of a command's help."""
    return " ".join(inspect.cleandoc(command.help or "").partition("\n\n")[0].split())


@click.command(
    cls=Commands,
    no_args_is_help=False,  # see _run
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="keepwise", message="keepwise %(version)s")
def cli() -> None:
    """Exact answers to "what should I keep?" in dice games.

    \b
    Try:
      keepwise games
      keepwise advise 5000 --score 2000 --opponents 3500 --turn 300 --roll 11532
      keepwise coach 5000

    keepwise COMMAND --help explains a command; for advise, value, export and
    chart, keepwise COMMAND GAME --help also lists what describes a position.
    """


def run(args: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape characters that the terminal cannot encode
            stream.reconfigure(errors="backslashreplace")
    if instruction := os.environ.get(COMPLETION_VARIABLE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "keepwise", COMPLETION_VARIABLE, instruction)
    with Watch(args[0] if args else "keepwise"):
        status = _run(args)
    _discard_unwritable_output()
    return status


def _run(args: Sequence[str]) -> int:
    try:
        # Not cli.main, which treats a closed pipe as a failure.
        with cli.make_context("keepwise", list(args)) as context:
            if not args:
                click.echo(context.get_help())
                return 2
            cli.invoke(context)
        return 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        from .usage import usage_message

        return complain(usage_message(error), 2)
    except TooMuchError as error:  # the command has no --anyway, so that no option is named
        return complain(error.requirement, 2)
    except (InputError, TableError) as error:
        return complain(error.format(option_name), 2)
    except KeepwiseError as error:
        return complain(error.format(option_name), 1)
    except MemoryError:
        return complain("there is not enough memory for this command", 1)
    except BrokenPipeError:  # the reader, such as head, has closed the pipe
        return 0
    except OSError as error:
        return complain(f"cannot write the answer: {error.strerror or error}", 1)


def _discard_unwritable_output() -> None:
    """Send buffered output that cannot be written to the null device.

    Without this the interpreter tries again at exit, prints a second error and changes the exit status.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str, status: int) -> int:
    """Write one line to stderr, pending notes first, and return the exit status."""
    message = "; ".join([*watch[-1].take_notes(), text])
    click.echo(fitted(f"keepwise: {escape_invisible(' '.join(message.split()))}", sys.stderr), err=True)
    return status
