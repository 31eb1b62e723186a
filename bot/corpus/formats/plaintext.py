"""Plain text: a heading line, then one abstract per paragraph."""

import re
from collections.abc import Iterator

from bot.corpus.formats.base import FileContent, Format, Record, RecordReading
from bot.corpus.formats.fields import LONGEST_ABSTRACT
from bot.errors import Fault

HEADING_LENGTH = 120
FEWEST_WORDS = 8

_VENUE = re.compile(r"\b([A-Z][\w&/-]{1,20}(?: [A-Z][\w&/-]{1,20}){0,2}) ((?:19|20)\d\d)\b")
_BLANK = re.compile(r"\n[ \t\u00a0]*\n\s*")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Each paragraph with the line it starts on, from 1."""
    line, last = 1, 0
    for gap in _BLANK.finditer(text):
        yield from _paragraph(text[last : gap.start()], line)
        line += text.count("\n", last, gap.end())
        last = gap.end()
    yield from _paragraph(text[last:], line)


def _paragraph(part: str, line: int) -> Iterator[tuple[int, str]]:
    body = part.strip()
    if body:
        yield line + part[: part.index(body[0])].count("\n"), body


def venue_and_year(heading: str) -> tuple[str | None, int | None]:
    """`ICML 2026 Papers` gives ICML and 2026; a heading without them gives None twice."""
    found = _VENUE.search(heading[:HEADING_LENGTH])
    return (found[1], int(found[2])) if found else (None, None)


def read(text: str, file: str) -> FileContent:
    """Every paragraph but the heading is an abstract; too short a one is a fault."""
    reading = RecordReading(file)
    venue: str | None = None
    year: int | None = None
    for number, (line, body) in enumerate(paragraphs(text)):
        if number == 0 and "\n" not in body and len(body) <= HEADING_LENGTH and not body.endswith("."):
            venue, year = venue_and_year(body)
            continue
        if number == 0:
            reading.notices.append(Fault(file, line, "has no heading line: the first paragraph is read as an abstract"))
        if reading.full(line):
            break
        if len(body) > LONGEST_ABSTRACT:
            reading.fault(line, f"skipped: longer than {LONGEST_ABSTRACT:,} characters is no abstract")
        elif len(body.split()) < FEWEST_WORDS:
            said = f"a paragraph of under {FEWEST_WORDS} words is no abstract ({body[:40]!r})"
            reading.fault(line, f"skipped: {said}")
        else:
            position = len(reading.records) + reading.skipped + 1
            reading.records.append(Record(file, position, line, body, venue=venue, year=year))
    if not reading.records and not reading.skipped:
        reading.fault(0, "holds no abstract: write a heading line, then one abstract per paragraph")
    return reading.content()


FORMAT = Format("text", (".txt",), read, version=2)
