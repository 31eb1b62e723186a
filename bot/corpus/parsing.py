"""From files to parsed records: which files, what each holds, markup to rich text, a name found in it.

Parsing is the slow step, so it is cached.
"""

import gc
import hashlib
import json
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from multiprocessing import get_context
from pathlib import Path

from bot.corpus.cache import CODEC_VERSION, Json, inlines_from_json, inlines_to_json, write_text
from bot.corpus.decode import MAX_BYTES, decode, read_bytes
from bot.corpus.formats import all_formats, format_of
from bot.corpus.formats.base import MOST_FAULTS, MOST_RECORDS, FileContent, Format, Record
from bot.corpus.labels import LABELS_VERSION, Label, derive
from bot.corpus.markup import PARSER_VERSION, parse
from bot.corpus.sidecar import SUFFIX, apply
from bot.errors import CorpusError, Fault
from bot.richtext import Inlines, Link, walk

logger = logging.getLogger(__name__)

_SHOWN = 3
"""Files of other kinds that a notice names."""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to read: `label` is its name within the corpus, kept in every paper that came from it."""

    path: Path
    label: str

    @property
    def sidecar(self) -> Path:
        """Where its metadata would be."""
        return self.path.with_name(self.path.name + SUFFIX)


def shown(path: Path | str) -> str:
    """A path as text that can be written anywhere: bytes that are no UTF-8 as escapes."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def find_files(paths: Iterable[Path], faults: list[Fault], notices: list[Fault] | None = None) -> list[CorpusFile]:
    """The corpus files at these paths, folders searched through, in a stable order.

    What cannot be used (missing, of no known format, a link that leaves its folder) becomes a fault; a file of
    another kind in a folder, which may well belong there, is named in a notice.
    """
    found: dict[Path, CorpusFile] = {}
    for path in paths:
        try:
            if path.is_dir():
                _search(path, found, faults, notices)
            elif not path.exists():
                faults.append(Fault(shown(path), 0, "does not exist: check the path in `corpus`"))
            elif format_of(path.name) is None:
                faults.append(Fault(shown(path), 0, f"is in no known format: its name must end in one of {_endings()}"))
            else:
                found.setdefault(path.resolve(), CorpusFile(path, shown(path.name)))
        except (OSError, RuntimeError, ValueError) as error:  # no right to look, links in a ring, a NUL in a name
            faults.append(Fault(shown(path), 0, f"cannot be looked into: {error}"))
    return list(found.values())


def _search(folder: Path, found: dict[Path, CorpusFile], faults: list[Fault], notices: list[Fault] | None) -> None:
    """Adds the files of a folder."""
    root = folder.resolve()
    others: list[str] = []
    for entry in sorted(folder.rglob("*")):
        try:
            if not entry.is_file():
                continue
            label = shown(entry.relative_to(folder).as_posix())
            if format_of(entry.name) is None:
                if not _beside(entry, folder):
                    others.append(label)
            elif not entry.resolve().is_relative_to(root):
                faults.append(Fault(shown(entry), 0, "skipped: a link that leaves the corpus folder"))
            else:
                found.setdefault(entry.resolve(), CorpusFile(entry, label))
        except (OSError, RuntimeError, ValueError) as error:
            faults.append(Fault(shown(entry), 0, f"skipped: cannot be looked at: {error}"))
    if others and notices is not None:
        named = ", ".join(others[:_SHOWN]) + (f" and {len(others) - _SHOWN} more" if others[_SHOWN:] else "")
        notices.append(Fault(shown(folder), 0, f"not read, since no name ends in one of {_endings()}: {named}"))


def _without_abstract(content: FileContent, file: str) -> list[Fault]:
    """A notice of the records that stand for their papers with a title alone."""
    bare = [record for record in content.records if record.abstract == record.title]
    if not bare:
        return []
    return [
        Fault(file, bare[0].line, f"{len(bare)} record(s) from here on have no abstract, only a title to be found by")
    ]


def _endings() -> str:
    return ", ".join(suffix for entry in all_formats() for suffix in entry.suffixes)


def _beside(entry: Path, folder: Path) -> bool:
    """Whether a file of no known format needs no mention: hidden, or the sidecar of a file that is there."""
    hidden = any(part.startswith(".") for part in entry.relative_to(folder).parts)
    return hidden or (entry.name.endswith(SUFFIX) and entry.with_name(entry.name.removesuffix(SUFFIX)).is_file())


def digest_of(file: CorpusFile) -> str:
    """SHA-256 over the bytes of a file and its sidecar, and the version of the format that reads it.

    Of a file that is too large to be read, its size and time stand for its bytes. Raises CorpusError where a file
    cannot be opened.
    """
    digest = hashlib.sha256()
    try:
        for path in (file.path, file.sidecar):
            if not path.is_file():
                digest.update(b"-")
            elif (about := path.stat()).st_size > MAX_BYTES:
                digest.update(f"{about.st_size}/{about.st_mtime_ns}".encode())
            else:
                with path.open("rb") as opened:
                    while piece := opened.read(_PIECE):
                        digest.update(piece)
            digest.update(b"\0")
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror or error}") from error
    reader = format_of(file.path.name)
    digest.update(f"{file.label}\0{reader.name if reader else ''}\0{reader.version if reader else 0}".encode())
    return digest.hexdigest()


_PIECE = 1_048_576


def read_file(file: CorpusFile) -> FileContent:
    """The records of one file with its sidecar applied; a file that cannot be read gives one fault.

    Never raises. Of a damaged file what came before the damage is read, and a sidecar that cannot be read costs only
    itself.
    """
    name = shown(file.path)
    reader = format_of(file.path.name)
    if reader is None:
        return FileContent((), (Fault(name, 0, "is in no known format"),))
    try:
        content = _content(file.path, reader)
    except Exception as error:  # noqa: BLE001 - whatever a reader does, it costs this file alone
        return FileContent((), (_unread(name, error),))
    try:
        if file.sidecar.is_file():
            beside = shown(file.sidecar)
            text = decode(read_bytes(file.sidecar).data, beside).text
            content = apply(content, text, beside)
    except Exception as error:  # noqa: BLE001 - the same for a sidecar
        content = replace(content, faults=(*content.faults, _unread(shown(file.sidecar), error)))
    return replace(content, records=tuple(replace(record, file=file.label) for record in content.records))


def _content(path: Path, reader: Format) -> FileContent:
    name = shown(path)
    raw = read_bytes(path)
    decoded = decode(raw.data, name)
    content = reader.read(decoded.text, name)
    faults = [*content.faults, *_left_out(content, name)]
    if raw.damage:
        faults.append(Fault(name, 0, f"is damaged ({raw.damage}): only what comes before that is read"))
    return FileContent(
        content.records[:MOST_RECORDS],
        tuple(faults),
        (*decoded.notices, *content.notices, *_without_abstract(content, name)),
    )


def _left_out(content: FileContent, name: str) -> list[Fault]:
    """One fault for each field that was left out of records, at the first of them."""
    count: Counter[str] = Counter(field for record in content.records for field in record.left_out)
    first: dict[str, int] = {}
    for record in content.records if count else ():
        for field in record.left_out:
            first.setdefault(field, record.line)
    return [
        Fault(name, first[field], f"`{field}` is too long and left out, in {number} record(s) from here on")
        for field, number in count.most_common(_MOST_FIELDS)
    ]


_MOST_FIELDS = 20


def _unread(name: str, error: Exception) -> Fault:
    if isinstance(error, CorpusError):
        return Fault(name, 0, str(error))
    logger.debug("corpus: %s", name, exc_info=error)
    return Fault(name, 0, f"cannot be read ({_said(error)})")


def _said(error: Exception) -> str:
    """An unexpected error in few words."""
    return f"{type(error).__name__}: {str(error)[:200]}".rstrip(": ")


PARSING_VERSION = f"{PARSER_VERSION}.{LABELS_VERSION}.{CODEC_VERSION}.2"
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


def parse_record(record: Record) -> Parsed | str:
    """The record parsed and named, or in a few words why it cannot be. Never raises."""
    try:
        abstract = parse(record.abstract)
        title = parse(record.title) if record.title else ()
        links = tuple(dict.fromkeys((*links_in(abstract), *record.code)))[:_MOST_LINKS]
        return Parsed(record, abstract, title, derive(abstract, title=title or None, links=links), links)
    except Exception as error:  # noqa: BLE001 - one record costs itself
        return _said(error)


_MOST_LINKS = 100
"""Of one paper."""


def links_in(nodes: Inlines) -> list[str]:
    """The addresses that rich text links to, in order."""
    return [node.url for _, _, node in walk(nodes) if isinstance(node, Link)]


@dataclass(frozen=True, slots=True)
class Parsing:
    """Files parsed, and for each label the digest of what was used: the file's own, or its last good one."""

    files: tuple[ParsedFile, ...]
    used: Mapping[str, str]


def parse_files(
    files: Sequence[tuple[CorpusFile, str]], cache: Path | None, workers: int, good: Mapping[str, str]
) -> Parsing:
    """Each file parsed, from the cache where its digest is known there; `workers` processes share large ones.

    `good` has the digest that each label last gave papers with: a file that gives none any more, and faults
    instead, keeps that content (where the cache still has it) until it is mended or removed.
    """
    results: list[ParsedFile] = []
    used: dict[str, str] = {}
    for file, digest in files:
        parsed = _parsed(cache, digest)
        if parsed is None:
            parsed = _parsed_anew(file, digest, cache, workers)
        earlier = good.get(file.label)
        if not parsed.papers and parsed.faults and earlier and (before := _parsed(cache, earlier)):
            kept = Fault(
                shown(file.path), 0, "cannot be used now: its earlier content stays until it is mended or removed"
            )
            results.append(ParsedFile(before.papers, (*parsed.faults, kept), parsed.notices))
            used[file.label] = earlier
            continue
        results.append(parsed)
        used[file.label] = digest
    if cache and cache.is_dir():
        _forget_others(cache, {_entry(cache, digest).name for digest in [*used.values(), *(d for _, d in files)]})
    return Parsing(tuple(results), used)


def _parsed_anew(file: CorpusFile, digest: str, cache: Path | None, workers: int) -> ParsedFile:
    """One file read and parsed, and kept. What ended a process or its memory is not tried again until it changes."""
    name = shown(file.path)
    if cache is None:
        return _read_and_parsed(file, workers)
    fatal = _entry(cache, digest).with_suffix(_FATAL)
    if fatal.exists():
        reason = (
            f"ended the process that read it, and is not read again: split it, or delete {shown(fatal)} to try again"
        )
        return ParsedFile((), (Fault(name, 0, reason),), ())
    try:
        with _trying(cache, digest):
            parsed = _read_and_parsed(file, workers)
    except (BrokenExecutor, MemoryError) as error:
        fatal.touch()
        return ParsedFile((), (Fault(name, 0, f"is too much for this machine: split it ({_said(error)})"),), ())
    write_text(_entry(cache, digest), json.dumps(_to_json(parsed), ensure_ascii=False))
    return parsed


_TRYING, _FATAL = ".trying", ".fatal"


@contextmanager
def _trying(cache: Path, digest: str) -> Iterator[None]:
    """While a file is parsed, a note of this process says so, for whoever survives it."""
    note = _entry(cache, digest).with_suffix(_TRYING)
    write_text(note, str(os.getpid()))
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def condemn(cache: Path, process: int) -> bool:
    """Remember the file that a process was at when it was killed, not to be parsed again; whether there was one."""
    found = False
    for note in cache.glob(f"*{_TRYING}"):
        if note.read_text(encoding="utf-8") == str(process):
            note.replace(note.with_suffix(_FATAL))
            found = True
    return found


def _entry(cache: Path, digest: str) -> Path:
    return cache / f"{digest}-{PARSING_VERSION}.json"


def _parsed(cache: Path | None, digest: str) -> ParsedFile | None:
    return _read_cache(_entry(cache, digest)) if cache else None


def _read_and_parsed(file: CorpusFile, workers: int) -> ParsedFile:
    content = read_file(file)
    records = content.records
    if workers > 1 and len(records) >= _WORTH_A_POOL:
        # spawn: a forked copy of a process that runs threads may hang
        with ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent, (os.getpid(),)) as pool:
            found = list(pool.map(parse_record, records, chunksize=_CHUNK))
    else:
        found = [parse_record(record) for record in records]
    faults = [
        Fault(shown(file.path), record.line, f"skipped: it cannot be read ({one})")
        for record, one in zip(records, found, strict=True)
        if isinstance(one, str)
    ]
    papers = tuple(one for one in found if isinstance(one, Parsed))
    return ParsedFile(papers, (*content.faults, *faults[:MOST_FAULTS]), content.notices)


def end_with_parent(parent: int) -> None:
    """A worker whose parent was killed would wait for work for ever, and hold its output open."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    gc.disable()  # a worker lives for one file, and parsing leaves no cycles behind


def _forget_others(cache: Path, wanted: set[str]) -> None:
    for path in cache.iterdir():
        if path.suffix in (".json", _FATAL) and path.with_suffix(".json").name not in wanted:
            path.unlink(missing_ok=True)


def _read_cache(path: Path) -> ParsedFile | None:
    try:
        return _from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except Exception:  # noqa: BLE001 - whatever stands there now
        path.unlink(missing_ok=True)  # damaged: parsed again from the corpus file, which is the truth
        return None


_RECORD = tuple(entry.name for entry in fields(Record))
_LABEL = tuple(entry.name for entry in fields(Label))


def _to_json(parsed: ParsedFile) -> Json:
    return {
        "papers": [
            {
                "record": {name: getattr(paper.record, name) for name in _RECORD},
                "abstract": inlines_to_json(paper.abstract),
                "title": inlines_to_json(paper.title),
                "label": {name: getattr(paper.label, name) for name in _LABEL},
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
