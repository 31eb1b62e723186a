"""Markdown with front matter: one paper a file; the body is its abstract."""

import re

from bot.config import read_yaml
from bot.corpus.formats.base import FileContent, Format
from bot.corpus.formats.fields import LONGEST_ABSTRACT, record_of
from bot.errors import Fault, YamlError

_HEADING = re.compile(r"^#{1,6}[ \t]+(.*?)[ \t]*#*$")
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)


def read(text: str, file: str) -> FileContent:
    """Front matter between two `---` lines gives the fields; a leading `# heading` gives a missing title."""
    opening = _FENCE.match(text.lstrip("\n")[:10])
    lead = len(text) - len(text.lstrip("\n"))
    closing = _FENCE.search(text, lead + 4) if opening else None
    if closing is None:
        return FileContent((), (Fault(file, 1, "skipped: no front matter (fields between two `---` lines)"),))
    try:
        document = read_yaml(text[lead + 4 : closing.start()], file, first_line=lead + 2)
    except YamlError as error:
        return FileContent((), (error.fault,))
    value = document.value if document.value is not None else {}
    if not isinstance(value, dict):
        return FileContent((), (Fault(file, lead + 2, "skipped: the front matter is not `field: value` lines"),))
    body = text[closing.end() :]
    start = text.count("\n", 0, closing.end()) + 1 + len(body) - len(body.lstrip("\n"))
    body = body.strip()
    if found := _HEADING.match(body.split("\n", 1)[0][:1000]):
        value.setdefault("title", found[1])
        body = body.partition("\n")[2].strip()
    if len(body) > LONGEST_ABSTRACT:
        reason = f"skipped: longer than {LONGEST_ABSTRACT:,} characters is no abstract"
        return FileContent((), (Fault(file, start, reason),))
    if body:
        value["abstract"] = " ".join(body.split())
    record = record_of(value, file, 1, start)
    if isinstance(record, str):
        return FileContent((), (Fault(file, start, f"skipped: {record}"),))
    return FileContent((record,))


FORMAT = Format("markdown", (".md", ".markdown"), read, version=2)
