"""JSON Lines: one object a line."""

import json

from bot.corpus.decode import lines_of
from bot.corpus.formats.base import FileContent, Format, Record
from bot.corpus.formats.fields import record_of
from bot.errors import Fault


def read(text: str, file: str) -> FileContent:
    """Each line is a record; a line that is not one is a fault, and the next is read."""
    records: list[Record] = []
    faults: list[Fault] = []
    position = 0
    for line, content in enumerate(lines_of(text), 1):
        if not content.strip():
            continue
        position += 1
        try:
            value = json.loads(content)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(file, line, f"skipped: not JSON ({error})"))
            continue
        record = record_of(value, file, position, line)
        if isinstance(record, str):
            faults.append(Fault(file, line, f"skipped: {record}"))
        else:
            records.append(record)
    return FileContent(tuple(records), tuple(faults))


FORMAT = Format("json lines", (".jsonl", ".ndjson"), read)
