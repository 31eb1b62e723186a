"""The fields that a record may have in JSON Lines or front matter: made clean, bounded and checked once, for both."""

import json
import math
from collections.abc import Iterable, Mapping
from datetime import date, time
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bot.corpus.decode import clean
from bot.corpus.formats.base import Record
from bot.text import one_line


def _some(value: object) -> object:
    """A list stays a list; text is split at commas or semicolons; nothing is an empty list."""
    if value is None:
        return []
    if isinstance(value, str):
        return [line for part in value.replace(";", ",").split(",") if (line := _line(part))]
    if isinstance(value, list):
        names = [entry.get("name", "") if isinstance(entry, dict) else entry for entry in value]
        return [_line(name) if isinstance(name, str) else name for name in names]
    return value


def _addresses(value: object) -> object:
    if value is None:
        return []
    return [
        _line(entry) if isinstance(entry, str) else entry for entry in (value if isinstance(value, list) else [value])
    ]


def _text(value: object) -> object:
    """Ids and sessions are text even where a file writes them as numbers; empty text is no value."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return str(value)
    return (_line(value) or None) if isinstance(value, str) else value


def _source(value: object) -> object:
    """The same for text with markup, in which a tab or a line break may mean something."""
    return (clean(value).strip() or None) if isinstance(value, str) else _text(value)


def _line(text: str) -> str:
    return " ".join(one_line(clean(text)).split())


MaybeText = Annotated[str | None, BeforeValidator(_text)]
MaybeSource = Annotated[str | None, BeforeValidator(_source)]
Names = Annotated[list[str], BeforeValidator(_some)]
Addresses = Annotated[list[str], BeforeValidator(_addresses)]
Year = Annotated[int | None, Field(ge=1800, le=2200)]


class RecordFields(BaseModel):
    """The known fields; whatever else a record has is kept as it is."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: MaybeText = None
    title: MaybeSource = None
    abstract: MaybeSource = None
    abstract_html: MaybeSource = None
    authors: Names = []
    url: MaybeText = None
    venue: MaybeText = None
    session: MaybeText = None
    year: Year = None
    topics: Names = []
    code: Addresses = []


LONGEST_ABSTRACT = 100_000
"""Characters: thirty times the longest real abstract; more is a whole paper, or an attack on memory."""
DEEPEST = 20
"""Levels that a field of a record may nest: what is kept must be written and read back."""
LONGEST = {"id": 300, "title": 2_000, "url": 2_000, "venue": 300, "session": 1_000}
"""Characters of a field; several times what any real one has."""
MOST = {"authors": (5_000, 500), "topics": (100, 200), "code": (50, 2_000)}
"""Entries of a list, and characters of an entry. The longest lists of authors, in physics, have 3,000."""
LONGEST_EXTRA = 20_000
"""Characters of a field that we do not know, as JSON."""
LONGEST_EXTRAS = 100_000
"""The same of all of them in a record."""
_WEB = ("https://", "http://")


def too_deep(value: object) -> bool:
    """Whether lists and objects nest deeper than DEEPEST, found without recursion."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            child
            for entry in level
            if isinstance(entry, dict | list)
            for child in (entry.values() if isinstance(entry, dict) else entry)
        ]
        if not level:
            return False
    return True


def as_json(value: object) -> object:
    """What YAML or JSON gave, as JSON can write it: dates, bytes, sets and numbers beyond it become text.

    Control characters and lone surrogates go. Recurs as deep as the value nests.
    """
    match value:
        case None | bool():
            return value
        case int():
            return value if value.bit_length() <= 64 else hex(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return clean(value)
        case Mapping():
            return {clean(str(name)): as_json(entry) for name, entry in value.items()}
        case list() | tuple():
            return [as_json(entry) for entry in value]
        case set() | frozenset():
            return sorted(clean(str(entry)) for entry in value)
        case bytes():
            return clean(value.decode("utf-8", "replace"))
        case date() | time():
            return value.isoformat()
        case _:
            return clean(str(value))


def web(address: str | None) -> str | None:
    """The address, if it is one of the web, and on one line without spaces."""
    return address if address and address.startswith(_WEB) and " " not in address else None


def bounded(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields that are no longer than such a field may be."""
    return {name: value for name, value in fields.items() if _fits(name, value)}


def _fits(name: str, value: object) -> bool:
    if isinstance(value, str) and name in LONGEST:
        return len(value) <= LONGEST[name]
    if isinstance(value, list) and name in MOST:
        most, longest = MOST[name]
        return len(value) <= most and all(not isinstance(entry, str) or len(entry) <= longest for entry in value)
    return True


def _extras(fields: Mapping[str, object]) -> dict[str, object]:
    """The unknown fields as far as there is room for them."""
    kept: dict[str, object] = {}
    room = LONGEST_EXTRAS
    for name, value in fields.items():
        size = len(name) + len(json.dumps(value, ensure_ascii=False))
        if size <= min(room, LONGEST_EXTRA):
            kept[name] = value
            room -= size
    return kept


def record_of(value: object, file: str, position: int, line: int) -> Record | str:
    """A record from parsed JSON or YAML, or the reason why it is none, in words for whoever keeps the file.

    A field that is longer than its kind may be is left out; the record names it.
    """
    if not isinstance(value, dict):
        return "is not an object with fields"
    for name, entry in value.items():
        if too_deep(entry):
            return f"`{str(name)[:40]}` nests deeper than {DEEPEST} levels"
    try:
        fields = RecordFields.model_validate(as_json(value))
    except ValidationError as error:
        return "; ".join(
            f"`{one_line('.'.join(str(part) for part in fault['loc'][:1]))[:40]}` {fault['msg'].lower()}"
            for fault in error.errors()
        )
    abstract = fields.abstract or fields.abstract_html
    if not abstract and ("abstract" in value or "abstract_html" in value):
        abstract = fields.title  # a venue that lists a paper before its abstract: it can be found by its title
    if not abstract:
        return "has no `abstract` (or `abstract_html`)"
    if len(abstract) > LONGEST_ABSTRACT:
        return f"its abstract is longer than {LONGEST_ABSTRACT:,} characters"
    extra = fields.model_extra or {}
    kept, extras = bounded(dict(fields)), _extras(extra)
    ours = RecordFields.model_fields.keys()
    mine = {name: kept[name] for name in ours if name in kept}
    known = fields if mine.keys() == ours else RecordFields.model_validate(mine)
    return Record(
        file=file,
        position=position,
        line=line,
        abstract=abstract,
        title=known.title,
        title_source="file" if known.title else "derived",
        record_id=known.id,
        authors=_all(known.authors),
        url=web(known.url),
        code=tuple(link for link in known.code if web(link)),
        venue=known.venue,
        year=known.year,
        session=known.session,
        topics=_all(known.topics),
        extra=extras,
        left_out=tuple(one_line(name)[:40] for name in sorted({*ours, *extra} - {*mine, *extras})),
    )


def _all(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name)
