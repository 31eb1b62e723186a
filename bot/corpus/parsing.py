"""From a raw record to a parsed one: markup to rich text, and a name found in it. The slow step, so it is cached."""

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from bot.atomic import write_text
from bot.corpus.codec import CODEC_VERSION, Json, inlines_from_json, inlines_to_json
from bot.corpus.files import CorpusFile, read_file
from bot.corpus.labels import LABELS_VERSION, Label, derive
from bot.corpus.markup import PARSER_VERSION, parse
from bot.corpus.records import FileContent, Record
from bot.errors import Fault
from bot.richtext import Emphasis, Inline, Inlines, Link, Mark, Strong

PARSING_VERSION = f"{PARSER_VERSION}.{LABELS_VERSION}.{CODEC_VERSION}.1"
"""Part of every cache key: whatever is parsed anew must not be read from an old cache."""

_CHUNK = 200
_WORTH_A_POOL = 1_000
"""Starting two worker processes costs about a second, the time of this many records."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A record with its abstract and title as rich text, its label, and the addresses it links to."""

    record: Record
    abstract: Inlines
    title: Inlines
    label: Label
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What one corpus file gave."""

    papers: tuple[Parsed, ...]
    faults: tuple[Fault, ...]
    notices: tuple[Fault, ...]


def parse_record(record: Record) -> Parsed:
    """Never raises: the parser keeps as source what it cannot read."""
    abstract = parse(record.abstract)
    title = parse(record.title) if record.title else ()
    links = tuple(dict.fromkeys((*links_in(abstract), *record.code)))
    return Parsed(record, abstract, title, derive(abstract, title=title or None, links=links), links)


def links_in(nodes: Sequence[Inline]) -> list[str]:
    """The addresses that rich text links to, in order."""
    found: list[str] = []
    for node in nodes:
        match node:
            case Link(url, children):
                found.append(url)
                found.extend(links_in(children))
            case Strong(children) | Emphasis(children) | Mark(children):
                found.extend(links_in(children))
            case _:
                pass
    return found


def parse_files(files: Sequence[tuple[CorpusFile, str]], cache: Path | None, workers: int) -> list[ParsedFile]:
    """Each file parsed, from the cache where its digest is known there; `workers` processes share large ones."""
    results: list[ParsedFile] = []
    for file, digest in files:
        entry = cache / f"{digest}-{PARSING_VERSION}.json" if cache else None
        parsed = _read_cache(entry) if entry else None
        if parsed is None:
            parsed = _parse_content(read_file(file), workers)
            if entry:
                write_text(entry, json.dumps(_to_json(parsed), ensure_ascii=False))
        results.append(parsed)
    if cache:
        _forget_others(cache, {f"{digest}-{PARSING_VERSION}.json" for _, digest in files})
    return results


def _parse_content(content: FileContent, workers: int) -> ParsedFile:
    records = content.records
    if workers > 1 and len(records) >= _WORTH_A_POOL:
        # spawn: a forked copy of a process that runs threads may hang
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            papers = tuple(pool.map(parse_record, records, chunksize=_CHUNK))
    else:
        papers = tuple(parse_record(record) for record in records)
    return ParsedFile(papers, content.faults, content.notices)


def _forget_others(cache: Path, wanted: set[str]) -> None:
    for path in cache.glob("*.json"):
        if path.name not in wanted:
            path.unlink(missing_ok=True)


def _read_cache(path: Path) -> ParsedFile | None:
    try:
        return _from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        path.unlink(missing_ok=True)  # damaged: parsed again from the corpus file, which is the truth
        return None


def _to_json(parsed: ParsedFile) -> Json:
    return {
        "papers": [
            {
                "record": asdict(paper.record),
                "abstract": inlines_to_json(paper.abstract),
                "title": inlines_to_json(paper.title),
                "label": asdict(paper.label),
                "links": paper.links,
            }
            for paper in parsed.papers
        ],
        "faults": [asdict(fault) for fault in parsed.faults],
        "notices": [asdict(fault) for fault in parsed.notices],
    }


def _from_json(value: Json) -> ParsedFile:
    return ParsedFile(
        papers=tuple(
            Parsed(
                record=Record(**_tuples(paper["record"])),
                abstract=inlines_from_json(paper["abstract"]),
                title=inlines_from_json(paper["title"]),
                label=Label(**_tuples(paper["label"])),
                links=tuple(paper["links"]),
            )
            for paper in value["papers"]
        ),
        faults=tuple(Fault(**fault) for fault in value["faults"]),
        notices=tuple(Fault(**fault) for fault in value["notices"]),
    )


def _tuples(fields: dict[str, Json]) -> dict[str, Json]:
    """JSON has lists where our dataclasses have tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
