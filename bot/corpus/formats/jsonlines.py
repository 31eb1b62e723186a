"""JSON Lines: one object a line."""

import json

from bot.corpus.decode import lines_of
from bot.corpus.formats.base import FileContent, Format, RecordReading
from bot.corpus.formats.fields import record_of

LONGEST_LINE = 1_000_000
"""Characters; ten times the longest abstract, and what it becomes in memory is forty times as large."""


def read(text: str, file: str) -> FileContent:
    """Each line is a record; a line that is not one is a fault, and the next is read."""
    reading = RecordReading(file)
    position = 0
    for line, content in enumerate(lines_of(text), 1):
        if not content or content.isspace():
            continue
        if reading.full(line):
            break
        position += 1
        if len(content) > LONGEST_LINE:
            reading.fault(line, f"skipped: longer than {LONGEST_LINE:,} characters")
            continue
        try:
            record = record_of(json.loads(content), file, position, line)
        except (ValueError, RecursionError) as error:
            reading.fault(line, f"skipped: not JSON ({error})")
            continue
        if isinstance(record, str):
            reading.fault(line, f"skipped: {record}")
        else:
            reading.records.append(record)
    return reading.content()


FORMAT = Format("json lines", (".jsonl", ".ndjson"), read, version=2)
