"""Places between two events at which the text may be cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Kineto, json.dump and other writers begin a record with one of these keys; the objects of a nested list rarely do.
KNOWN: Final = re.compile(rb'\}\s*,\s*(?=\{\s*"(?:ph|name|cat|pid|tid|ts|dur|id|s|args)"\s*:)')
ANY: Final = re.compile(rb"\}\s*,\s*(?=\{)")
FIRST_WINDOW: Final = 1 << 12
# Each refused cut costs one decoding of the buffer; when so many fail the buffer is doubled instead, which bounds the work.
MAX_TRIES: Final = 6


def cuts(buffer: bytes) -> Iterator[tuple[int, int]]:
    """Yield the last few likely cuts from the last one back: the end of one event, the start of the next."""
    found = False
    for pattern in (KNOWN, ANY):
        for count, match in enumerate(backwards(pattern, buffer)):
            if count == MAX_TRIES:
                break
            found = True
            yield match.start() + 1, match.end()
        if found:
            return


def backwards(pattern: re.Pattern[bytes], buffer: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the matches of a pattern from the last one back."""
    end, window = len(buffer), FIRST_WINDOW
    while end > 0:
        start = max(0, end - window)
        # A match may reach beyond the window, so it is told by where it starts.
        matches = [match for match in pattern.finditer(buffer, start) if match.start() < end]
        yield from reversed(matches)
        end, window = start, window * 4
