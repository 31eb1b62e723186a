"""Sidecars: real titles and links for a corpus file that has none, in `<file name>.meta.yaml` beside it."""

from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.config import YamlDocument, read_yaml
from bot.corpus.formats.base import FileContent, Record
from bot.corpus.formats.fields import Addresses, MaybeText, Names
from bot.errors import Fault, YamlError
from bot.papers import normalised

SUFFIX = ".meta.yaml"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    starts: str
    """The first words of the abstract: what ties an entry to its paper, wherever that moves in the file."""
    title: MaybeText = None
    url: MaybeText = None
    authors: Names = []
    topics: Names = []
    code: Addresses = []
    session: MaybeText = None


class _Sidecar(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    venue: MaybeText = None
    year: int | None = None
    papers: list[_Entry] = []


@dataclass(frozen=True, slots=True)
class _Reader:
    file: str
    document: YamlDocument

    def fault(self, path: tuple[str | int, ...], message: str) -> Fault:
        return Fault(self.file, self.document.line(path), message)


def apply(content: FileContent, sidecar_text: str, sidecar_file: str) -> FileContent:
    """The records with what the sidecar knows of them; entries that fit none, or two, become faults."""
    try:
        reader = _Reader(sidecar_file, read_yaml(sidecar_text, sidecar_file))
        sidecar = _Sidecar.model_validate(reader.document.value or {})
    except YamlError as error:
        return replace(content, faults=(*content.faults, error.fault))
    except ValidationError as error:
        faults = tuple(reader.fault(fault["loc"], f"{fault['loc'][-1]}: {fault['msg']}") for fault in error.errors())
        return replace(content, faults=(*content.faults, *faults))
    records = list(content.records)
    opening = [normalised(record.abstract[:400]) for record in records]
    faults_found: list[Fault] = []
    for number, entry in enumerate(sidecar.papers):
        words = normalised(entry.starts)
        fitting = [index for index, text in enumerate(opening) if words and text.startswith(words)]
        if len(fitting) == 1:
            records[fitting[0]] = _enriched(records[fitting[0]], entry)
        else:
            problem = "no abstract starts" if not fitting else f"{len(fitting)} abstracts start"
            faults_found.append(reader.fault(("papers", number), f"{problem} with {entry.starts!r}"))
    known = [replace(r, venue=sidecar.venue or r.venue, year=sidecar.year or r.year) for r in records]
    return FileContent(tuple(known), (*content.faults, *faults_found), content.notices)


def _enriched(record: Record, entry: _Entry) -> Record:
    return replace(
        record,
        title=entry.title or record.title,
        title_source="sidecar" if entry.title else record.title_source,
        url=entry.url or record.url,
        authors=tuple(entry.authors) or record.authors,
        topics=tuple(entry.topics) or record.topics,
        code=tuple(entry.code) or record.code,
        session=entry.session or record.session,
    )
