"""Sidecars: real titles and links for a corpus file that has none, in `<file name>.meta.yaml` beside it."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.config import YamlDocument, read_yaml
from bot.corpus.formats.base import FileContent, Record
from bot.corpus.formats.fields import Addresses, MaybeSource, MaybeText, Names, Year, as_json, bounded, web
from bot.errors import Fault, YamlError
from bot.papers import normalised
from bot.text import one_line

SUFFIX = ".meta.yaml"
_READ = 400
"""Characters of an abstract that an entry may start with."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    starts: str
    """The first words of the abstract: what ties an entry to its paper, wherever that moves in the file."""
    title: MaybeSource = None
    url: MaybeText = None
    authors: Names = []
    topics: Names = []
    code: Addresses = []
    session: MaybeText = None


class _About(BaseModel):
    """What holds for every paper of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    venue: MaybeText = None
    year: Year = None


@dataclass(frozen=True, slots=True)
class _Reader:
    """A sidecar and the faults found in it so far."""

    file: str
    document: YamlDocument
    faults: list[Fault]

    def fault(self, path: tuple[str | int, ...], message: str) -> None:
        self.faults.append(Fault(self.file, self.document.line(path), message))

    def invalid(self, path: tuple[str | int, ...], error: ValidationError) -> None:
        for fault in error.errors():
            place = (*path, *fault["loc"])
            self.fault(place, f"{one_line(str(place[-1] if place else 'it'))}: {fault['msg']}")

    def short(self, path: tuple[str | int, ...], fields: Mapping[str, object]) -> Mapping[str, object]:
        """The fields without those that are too long, which are faults."""
        kept = bounded(fields)
        for name in fields.keys() - kept.keys():
            self.fault((*path, name), f"{name} is left out: too long")
        return kept


class _Openings:
    """The beginnings of the abstracts, in order, so that those that start with given words stand side by side."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._sorted = sorted((normalised(record.abstract[:_READ]), index) for index, record in enumerate(records))

    def starting(self, words: str) -> list[int]:
        """The records whose abstract starts so, two at most."""
        at = bisect_left(self._sorted, (words, -1))
        return [index for text, index in self._sorted[at : at + 2] if words and text.startswith(words)]


def apply(content: FileContent, sidecar_text: str, sidecar_file: str) -> FileContent:
    """The records with what the sidecar knows of them; an entry that is wrong, or fits none or two, is a fault."""
    try:
        reader = _Reader(sidecar_file, read_yaml(sidecar_text, sidecar_file), [])
    except YamlError as error:
        return replace(content, faults=(*content.faults, error.fault))
    value = as_json(reader.document.value if reader.document.value is not None else {})
    if not isinstance(value, dict):
        reader.fault((), "is no sidecar: it has no `papers` with a list below")
        return replace(content, faults=(*content.faults, *reader.faults))
    entries = value.pop("papers", None)
    if entries is not None and not isinstance(entries, list):
        reader.fault(("papers",), "papers: is a list, each entry on a line of its own after a `-`")
    about = _about(reader, value)
    records = [replace(r, venue=about.venue or r.venue, year=about.year or r.year) for r in content.records]
    openings = _Openings(records)
    for number, given in enumerate(entries if isinstance(entries, list) else ()):
        path = ("papers", number)
        try:
            entry = _Entry.model_validate(given)
            entry = _Entry.model_validate(reader.short(path, dict(entry)))
        except ValidationError as error:
            reader.invalid(path, error)
            continue
        fitting = openings.starting(normalised(entry.starts[:_READ]))
        if len(fitting) == 1:
            records[fitting[0]] = _enriched(records[fitting[0]], entry)
        else:
            problem = "no abstract starts" if not fitting else "two or more abstracts start"
            reader.fault(path, f"{problem} with {entry.starts[:80]!r}")
    return FileContent(tuple(records), (*content.faults, *reader.faults), content.notices)


def _about(reader: _Reader, value: Mapping[str, object]) -> _About:
    try:
        about = _About.model_validate(value)
    except ValidationError as error:
        reader.invalid((), error)
        bad = {str(fault["loc"][0]) for fault in error.errors() if fault["loc"]}
        about = _About.model_validate({name: value[name] for name in _About.model_fields if name in value.keys() - bad})
    return _About.model_validate(reader.short((), dict(about)))


def _enriched(record: Record, entry: _Entry) -> Record:
    return replace(
        record,
        title=entry.title or record.title,
        title_source="sidecar" if entry.title else record.title_source,
        url=web(entry.url) or record.url,
        authors=tuple(entry.authors) or record.authors,
        topics=tuple(entry.topics) or record.topics,
        code=tuple(link for link in entry.code if web(link)) or record.code,
        session=entry.session or record.session,
    )
