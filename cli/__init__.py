"""The command line. It talks to the public API only; one file per group of commands, loaded when one is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import click

# command -> the file that holds it, in the order of --help
COMMANDS = {
    "games": "rules",
    "rules": "rules",
    "advise": "answers",
    "value": "answers",
    "solve": "solving",
    "evaluate": "evaluating",
    "odds": "odds",
    "export": "exporting",
    "chart": "charting",
}


class Commands(click.Group):
    """Imports a command's file when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in reading order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f".{COMMANDS[cmd_name]}", __name__), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments call; name the nearest for an unknown one."""
        if args and args[0] not in COMMANDS:
            from keepwise.errors import nearest

            ctx.fail(f"there is no command {args[0]}{nearest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="keepwise", message="keepwise %(version)s")
def cli() -> None:
    """Exact answers to "what should I keep?" for dice games that people really play.

    \b
    Example:
      keepwise advise 5000 --score 2000 --opponents 3500 --turn 300 --roll 11532
    """


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0, 2 for bad input (one line says how to mend it), 1 for a failure."""
    from keepwise.errors import InputError, KeepwiseError, TableError

    try:
        cli.main(args=None if args is None else list(args), prog_name="keepwise", standalone_mode=False)
        status = 0
    except click.exceptions.Exit as exit_:
        status = exit_.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        status = 2
    except click.ClickException as error:
        complain(error.format_message())
        status = 2
    except (InputError, TableError) as error:
        complain(str(error))
        status = 2
    except KeepwiseError as error:
        complain(str(error))
        status = 1
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        status = 1
    except MemoryError:
        complain("there is not enough memory for this")
        status = 1
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
        status = 0
    except OSError as error:
        complain(f"the answer cannot be written: {error.strerror or error}")
        status = 1
    sys.exit(status)


def complain(text: str) -> None:
    """Write one line to stderr."""
    click.echo(f"keepwise: {' '.join(text.split())}", err=True)
