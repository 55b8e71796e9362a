"""Escaping of untrusted text: one function for each place where it is shown.

Everything that came from a trace (names, paths, annotations) is somebody else's text. In every place a
character that cannot be seen (control, bidirectional mark, lone surrogate) is written as an escape first, so that
no text can hide a part of itself; then what has a meaning in that place loses it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import msgspec
from markupsafe import Markup
from markupsafe import escape as _markup

# Cc control, Cf format (bidirectional marks, zero width), Cs lone surrogates, Zl and Zp line and paragraph separators,
# Co private use, Cn unassigned, Zs blanks other than the plain one: none of them shows what it is.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn", "Zs"})
# What starts code, emphasis, a link, a cell, struck text, mathematics or an element in GitHub's Markdown. An underscore
# inside a word starts nothing.
_MARKDOWN = re.compile(r"[\\`*\[\]|~$<>&]|(?<![^\W_])_|_(?![^\W_])")
# GitHub makes links and pictures of these in the rendered text, where no escape is left: people, issues, addresses,
# emoji. A space of no width behind the first character keeps them apart, as other tools do.
_LINKED = re.compile(r"[@#]|:(?=\S)|(?<=\bwww)\.", re.IGNORECASE)
# What makes a list, a rule or a heading at the start of a line.
_LINE_START = re.compile(r"^(?:[-+=]|\d+(?=[.)](?:\s|$)))")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_APART = "&#8203;"


def terminal(text: str) -> str:
    r"""Make text harmless for a terminal: what cannot be seen is written as an escape.

    >>> terminal("gemm\x1b[31m"), terminal("a\nb"), terminal("x\u202ey")
    ('gemm\\x1b[31m', 'a\\nb', 'x\\u202ey')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(char) for char in text)


def html_text(text: str) -> Markup:
    r"""Make text harmless between the tags of a page.

    >>> html_text("</script>\u202e")
    Markup('&lt;/script&gt;\\u202e')
    """
    return _markup(terminal(text))


def html_attribute(text: str) -> Markup:
    """Make text harmless inside a quoted attribute of a page.

    >>> html_attribute('" onclick="x')
    Markup('&#34; onclick=&#34;x')
    """
    return Markup(str(_markup(terminal(text))).replace("`", "&#96;"))  # noqa: S704 - escaped just above


def json_in_page(value: object) -> Markup:
    r"""Write a value as JSON for a ``script`` element: nothing in it can end the element or open a comment.

    Texts must have gone through ``terminal`` before: JSON keeps what a script reads.

    >>> json_in_page(["</script><!--"])
    Markup('["\\u003c/script\\u003e\\u003c!--"]')
    """
    text = msgspec.json.encode(value).decode("utf-8")
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - the only characters with a meaning there are escapes now


def markdown_cell(text: str) -> str:
    r"""Make text harmless in GitHub's Markdown, in the cell of a table too: it shows as it is, and links nothing.

    Blanks around it are left out: they would start code, or a new line.

    >>> markdown_cell("a|b *c* snake_case"), markdown_cell("<!-- x"), markdown_cell("@user")
    ('a\\|b \\*c\\* snake_case', '&lt;!-- x', '@&#8203;user')
    """
    shown = _MARKDOWN.sub(_plain, terminal(text).strip(" "))
    # Before the start of the line, whose escape holds a # itself.
    shown = _LINKED.sub(lambda found: found[0] + _APART, shown)
    return _LINE_START.sub(lambda found: f"\\{found[0]}" if not found[0].isdigit() else f"{found[0]}{_APART}", shown)


def markdown_code(text: str) -> str:
    """Show text as code in GitHub's Markdown, in the cell of a table too.

    Text with a backtick or a ``|`` stands in an element instead: backticks would end the code, a ``|`` the cell.

    >>> markdown_code("aten::mm"), markdown_code("a|b`c")
    ('`aten::mm`', '<code>a&#124;b&#96;c</code>')
    """
    shown = terminal(text)
    if shown.strip() and "`" not in shown and "|" not in shown:
        return f"`{shown}`"
    return (
        "<code>" + "".join(char if char.isalnum() or char in " ,/" else f"&#{ord(char)};" for char in shown) + "</code>"
    )


def github_data(text: str) -> str:
    r"""Write text as the message of a workflow command of GitHub; line ends that are wanted are kept as such.

    Source: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts (escapeData).

    >>> github_data("100 %\nnext"), github_data("a\x1b[31m")
    ('100 %25%0Anext', 'a\\x1b[31m')
    """
    lines = [terminal(line).replace("%", "%25") for line in text.split("\n")]
    return "%0A".join(lines)


def github_property(text: str) -> str:
    """Write text as the value of a property (``title=...``) of a workflow command of GitHub.

    Source: as for ``github_data`` (escapeProperty).

    >>> github_property("KD104: a,b")
    'KD104%3A a%2Cb'
    """
    return github_data(text).replace(":", "%3A").replace(",", "%2C")


def xml_text(text: str) -> str:
    r"""Make text fit for XML 1.0, which has no way to write most control characters; markup is the writer's task.

    >>> xml_text("gemm\x1b[31m\x00\nnext")
    'gemm\\x1b[31m\\x00\nnext'
    """
    return "\n".join(terminal(line) for line in text.split("\n"))


def _plain(found: re.Match[str]) -> str:
    char = found[0]
    return _ENTITIES.get(char, f"\\{char}")


@lru_cache(maxsize=1024)
def _seen(char: str) -> str:
    if char == " " or unicodedata.category(char) not in _HIDDEN:
        return char
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
