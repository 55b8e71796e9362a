"""``kerneldiff explain``: what a rule looks for, why, and what to do."""

from __future__ import annotations

import click


@click.command(name="explain")
@click.argument("rules", nargs=-1, metavar="[CODE ...]")
def command(rules: tuple[str, ...]) -> None:
    """Explain rules by code (KD104) or name (lost-fusion); without one, list them all."""
    from kerneldiff.checks.keys import unknown  # noqa: PLC0415 - start-up of --help
    from kerneldiff.checks.pages import as_text, page_of  # noqa: PLC0415
    from kerneldiff.checks.rules import CODES, RULES  # noqa: PLC0415

    if not rules:
        for rule in RULES:
            click.echo(f"{rule.code}  {rule.name:20}  {page_of(rule).summary}")
        return
    by_code = {rule.code: rule for rule in RULES}
    known = {word.upper(): code for word, code in CODES.items()}
    for word in rules:
        if word.upper() not in known:
            raise unknown(word, tuple(CODES), where="explain", what="rule")
    click.echo("\n".join(as_text(page_of(by_code[known[word.upper()]])) for word in rules), nl=False)
