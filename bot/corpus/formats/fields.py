"""The fields that a record may have in JSON Lines or front matter: checked once, for both."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bot.corpus.decode import clean
from bot.corpus.formats.base import Record


def _some(value: object) -> object:
    """A list stays a list; text is split at commas or semicolons; nothing is an empty list."""
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in clean(value).replace(";", ",").split(",") if part.strip()]
    if isinstance(value, list):
        names = [entry.get("name", "") if isinstance(entry, dict) else entry for entry in value]
        return [clean(name) if isinstance(name, str) else name for name in names]
    return value


def _addresses(value: object) -> object:
    if value is None:
        return []
    return [clean(value)] if isinstance(value, str) else value


def _text(value: object) -> object:
    """Ids and sessions are text even where a file writes them as numbers; empty text is no value."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return str(value)
    return (clean(value).strip() or None) if isinstance(value, str) else value


MaybeText = Annotated[str | None, BeforeValidator(_text)]
Names = Annotated[list[str], BeforeValidator(_some)]
Addresses = Annotated[list[str], BeforeValidator(_addresses)]


class RecordFields(BaseModel):
    """The known fields; whatever else a record has is kept as it is."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: MaybeText = None
    title: MaybeText = None
    abstract: MaybeText = None
    abstract_html: MaybeText = None
    authors: Names = []
    url: MaybeText = None
    venue: MaybeText = None
    session: MaybeText = None
    year: Annotated[int | None, Field(ge=1800, le=2200)] = None
    topics: Names = []
    code: Addresses = []


LONGEST_ABSTRACT = 100_000
"""Characters: thirty times the longest real abstract; more is a whole paper, or an attack on memory."""
DEEPEST = 20
"""Levels that a field of a record may nest: what is kept must be written and read back."""


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


def record_of(value: object, file: str, position: int, line: int) -> Record | str:
    """A record from parsed JSON or YAML, or the reason why it is none, in words for whoever keeps the file."""
    if not isinstance(value, dict):
        return "is not an object with fields"
    for name, entry in value.items():
        if too_deep(entry):
            return f"`{str(name)[:40]}` nests deeper than {DEEPEST} levels"
    try:
        fields = RecordFields.model_validate(value)
    except ValidationError as error:
        return "; ".join(
            f"`{'.'.join(str(part) for part in fault['loc'][:1])}` {fault['msg'].lower()}" for fault in error.errors()
        )
    abstract = fields.abstract or fields.abstract_html
    if not abstract and ("abstract" in value or "abstract_html" in value):
        abstract = fields.title  # a venue that lists a paper before its abstract: it can be found by its title
    if not abstract:
        return "has no `abstract` (or `abstract_html`)"
    if len(abstract) > LONGEST_ABSTRACT:
        return f"its abstract is longer than {LONGEST_ABSTRACT:,} characters"
    url = fields.url if fields.url and fields.url.startswith(("https://", "http://")) else None
    return Record(
        file=file,
        position=position,
        line=line,
        abstract=abstract,
        title=fields.title,
        title_source="file" if fields.title else "derived",
        record_id=fields.id,
        authors=tuple(fields.authors),
        url=url,
        code=tuple(link for link in fields.code if link.startswith(("https://", "http://"))),
        venue=fields.venue,
        year=fields.year,
        session=fields.session,
        topics=tuple(fields.topics),
        extra=dict(fields.model_extra or {}),
    )
