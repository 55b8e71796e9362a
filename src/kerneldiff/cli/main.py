"""The entry point: finds the subcommand, and turns errors into one line and exit status 2."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

import click

from kerneldiff import __version__
from kerneldiff.errors import KerneldiffError

# Name of the subcommand, its module, and what the list of commands says. The order is that of the help.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("kerneldiff.cli.demo", "Compare bundled real traces; no GPU, no torch."),
    "compare": ("kerneldiff.cli.compare", "Compare runs kernel by kernel, with a verdict."),
    "show": ("kerneldiff.cli.show", "Show what one run did."),
    "open": ("kerneldiff.cli.open", "Show a trace in the Perfetto UI; nothing is uploaded."),
    "decode": ("kerneldiff.cli.decode", "Explain kernel names."),
    "record": ("kerneldiff.cli.record", "Record variants of a program in alternation, and compare them."),
    "jobs": ("kerneldiff.cli.jobs", "List, show, fetch, cancel recordings on Hugging Face Jobs."),
    "lock": ("kerneldiff.cli.lock", "Write the GPU work of a step as a reviewable text."),
    "check": ("kerneldiff.cli.check", "Check runs against lock files, expectations, a policy."),
    "expect": ("kerneldiff.cli.expect", "Write a first file of expectations from a trace."),
    "explain": ("kerneldiff.cli.explain", "Explain the rules of check."),
}

EXIT_ERROR: Final = 2


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for, so that ``--help`` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List the commands in their order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)  # noqa: S101 - a mistake of ours, not of a user
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands from the table, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 done, 2 could not be done (one line on stderr says why). "
    "Commands that gate say more in their own help.",
)
@click.version_option(__version__, prog_name="kerneldiff")
def group() -> None:
    """Did the work on the GPU change, or only how the CPU asked for it?

    kerneldiff compares PyTorch profiler traces kernel by kernel and gives a verdict with its evidence.
    """


def main() -> None:
    """Run the command line."""
    try:
        status = group.main(prog_name="kerneldiff", standalone_mode=False)
        # Without its stand-alone mode, click hands the status of Exit back instead of raising it.
        if isinstance(status, int):
            sys.exit(status)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_ERROR)
    except click.Abort:
        click.echo("kerneldiff: interrupted", err=True)
        sys.exit(130)
    except KerneldiffError as error:
        click.echo(f"kerneldiff: {one_line(str(error))}", err=True)
        sys.exit(EXIT_ERROR)
    except BrokenPipeError:
        # The reader of a pipe went away (head, less): nothing is wrong, and nothing more can be said.
        sys.stderr.close()
        sys.exit(0)


def one_line(text: str) -> str:
    """Show a message in one line, without control characters that a file's name could carry."""
    return "".join(char if char.isprintable() else " " for char in text)
