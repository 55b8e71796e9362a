"""The command line: one file a subcommand, each imported when it runs."""

from kerneldiff.cli.main import main

__all__ = ["main"]
