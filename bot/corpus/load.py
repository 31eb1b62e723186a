"""Loading a corpus: parsed records to papers, duplicates merged, identities kept from load to load, handles given."""

import gc
import hashlib
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bot.corpus.cache import paper_from_json, paper_to_json, write_parts
from bot.corpus.formats.base import public_keys
from bot.corpus.identity import Fingerprint, group, match
from bot.corpus.labels import Label, assign, derive
from bot.corpus.markup.repair import join_broken, vocabulary_of
from bot.corpus.parsing import (
    PARSING_VERSION,
    CorpusFile,
    Parsed,
    ParsedFile,
    digest_of,
    find_files,
    parse_files,
    shown,
)
from bot.corpus.topics import derive_topics
from bot.errors import CorpusError, Fault
from bot.papers import Corpus, Paper, Source, id_of_words, normalised
from bot.richtext import Text, plain

logger = logging.getLogger(__name__)


@contextmanager
def no_collection() -> Iterator[None]:
    """No cycle collection inside, if there was any before: it would look through all values again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def leave_out_of_collections() -> None:
    """Everything that exists now is looked at by no collection any more; what is dropped is freed as ever.

    For a process that lives long, right after its corpus was loaded.
    """
    gc.freeze()


ASSEMBLY_VERSION = 3

_CODE_HOSTS = (
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "huggingface.co",
    "anonymous.4open.science",
    "zenodo.org",
    "osf.io",
    "sourceforge.net",
    "kaggle.com",
)


def assemble(files: Sequence[ParsedFile], previous: Corpus | None) -> Corpus:
    """The corpus of these files. Papers that `previous` knew (also retired ones) keep their id and handle."""
    parsed = [paper for file in files for paper in file.papers]
    prints = [_fingerprint(entry) for entry in parsed]
    drafts = [_draft([parsed[index] for index in members], prints[members[0]]) for members in group(prints)]
    known = (*previous.papers, *previous.retired) if previous else ()
    papers = _identified(drafts, known)
    vocabulary = vocabulary_of(paper.text for paper in papers)
    papers = [replace(paper, abstract=join_broken(paper.abstract, vocabulary)) for paper in papers]
    papers = _with_topics(papers)
    present = {paper.id for paper in papers}
    body = json.dumps([paper_to_json(paper) for paper in papers], ensure_ascii=False)
    return Corpus(
        papers=tuple(papers),
        fingerprint=hashlib.sha256(f"{ASSEMBLY_VERSION}{body}".encode()).hexdigest(),
        faults=tuple(fault for file in files for fault in file.faults),
        notices=tuple(notice for file in files for notice in file.notices),
        retired=tuple(paper for paper in known if paper.id not in present),
    )


def assembled(files: Sequence[ParsedFile], previous: Corpus | None) -> Corpus:
    """The same, where some record may be such as to make it fail: then that record is a fault, and the rest loads.

    Raises CorpusError where no single record is the reason.
    """
    try:
        return assemble(files, previous)
    except Exception as error:
        logger.exception("corpus: could not be put together; the records are tried one by one")
        try:
            return assemble([_without_culprits(file) for file in files], previous)
        except Exception:  # noqa: BLE001 - the first one says what is wrong
            raise CorpusError(f"the corpus cannot be put together ({type(error).__name__}: {error})") from error


def _without_culprits(file: ParsedFile) -> ParsedFile:
    """The file without the records that not even by themselves make a corpus."""
    kept: list[Parsed] = []
    faults: list[Fault] = []
    for paper in file.papers:
        try:
            assemble([ParsedFile((paper,), (), ())], None)
            kept.append(paper)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this record's
            reason = f"skipped: it cannot be put with the others ({type(error).__name__}: {str(error)[:200]})"
            faults.append(Fault(paper.record.file, paper.record.line, reason))
    return replace(file, papers=tuple(kept), faults=(*file.faults, *faults))


def _fingerprint(entry: Parsed) -> Fingerprint:
    record = entry.record
    words = normalised(plain(entry.abstract))
    return Fingerprint(
        id=id_of_words(words),
        keys=public_keys(record),
        records=frozenset({f"{record.file}#{record.record_id}"} if record.record_id else ()),
        title=normalised(plain(entry.title)),
        text=words,
    )


_Draft = tuple[Paper, Fingerprint, Label]


def _draft(entries: Sequence[Parsed], print_: Fingerprint) -> _Draft:
    """One paper from its records: of each field the first that has it, of lists everything."""
    first = entries[0]
    records = [entry.record for entry in entries]
    titled = next((entry for entry in entries if entry.title), first)
    links = tuple(dict.fromkeys(link for entry in entries for link in entry.links))
    label = first.label if titled is first else derive(first.abstract, title=titled.title, links=links)
    url = next((record.url for record in records if record.url), None)
    declared = [link for record in records for link in record.code]
    code = tuple(dict.fromkeys([*declared, *(link for link in links if _is_code(link))]))
    paper = Paper(
        id=print_.id,
        handle="",
        name=label.name,
        aliases=label.aliases,
        title=titled.title or (Text(label.title),),
        title_source=titled.record.title_source if titled.title else "derived",
        abstract=first.abstract,
        sources=tuple(Source(r.file, r.position, r.line, r.record_id) for r in records),
        authors=next((record.authors for record in records if record.authors), ()),
        links=tuple(dict.fromkeys([*links, *([url] if url else [])])),
        code=code,
        url=url or (links[0] if links and not code else None),
        venue=next((record.venue for record in records if record.venue), None),
        year=next((record.year for record in records if record.year), None),
        session=next((record.session for record in records if record.session), None),
        topics=tuple(dict.fromkeys(topic for record in records for topic in record.topics)),
        keys=frozenset(key for record in records for key in public_keys(record)),
        extra={name: value for record in reversed(records) for name, value in record.extra.items()},
    )
    record_ids = frozenset(f"{r.file}#{r.record_id}" for r in records if r.record_id)
    return paper, replace(print_, keys=paper.keys, records=record_ids), label


def _is_code(link: str) -> bool:
    host = link.partition("://")[2].partition("/")[0].lower()
    return any(host == known or host.endswith("." + known) for known in _CODE_HOSTS)


def _identified(drafts: Sequence[_Draft], known: Sequence[Paper]) -> list[Paper]:
    """Ids and handles: of the known paper where there is one, else new and never one that was ever given."""
    matched = match([print_ for _, print_, _ in drafts], known)
    taken = {paper.handle: paper.id for paper in known}
    new = [index for index in range(len(drafts)) if index not in matched]
    handles = dict(zip(new, assign([drafts[index][2] for index in new], taken), strict=True))
    papers: list[Paper] = []
    for index, (paper, print_, _) in enumerate(drafts):
        before = matched.get(index)
        if before is None:
            papers.append(replace(paper, handle=handles[index]))
            continue
        former = dict.fromkeys([*before.former_ids, *([print_.id] if print_.id != before.id else [])])
        papers.append(replace(paper, id=before.id, handle=before.handle, former_ids=tuple(former)))
    return papers


def _with_topics(papers: Sequence[Paper]) -> list[Paper]:
    """Papers without declared topics get the corpus' own: its frequent noun phrases."""
    bare = [index for index, paper in enumerate(papers) if not paper.topics]
    found = derive_topics([papers[index].text for index in bare])
    result = list(papers)
    for index, topics in zip(bare, found.by_text, strict=True):
        result[index] = replace(papers[index], topics=topics)
    return result


_SNAPSHOT = "corpus.json"


def load_corpus(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    state: str | os.PathLike[str] | None = None,
    previous: Corpus | None = None,
    workers: int = 1,
) -> Corpus:
    """Read the corpus files at `paths` (files, or folders that are searched through).

    `state` is a folder where parsed papers and the identities of all papers ever seen are kept: with it, a second
    load is quick, and ids and handles survive corrections across restarts. Without it, `previous` may give the
    corpus of an earlier load in this process. `workers` processes share the parsing of large files; above 1 the
    calling script needs the `if __name__ == "__main__"` guard that multiprocessing asks for.

    Nothing is raised for bad records or files: see `Corpus.faults` and `Corpus.notices`. Raises CorpusError where
    all of it cannot be put together.
    """
    with no_collection():
        corpus = _loaded(paths, Path(state) if state is not None else None, previous, workers)
    for fault in corpus.faults:
        logger.warning("corpus: %s", fault)
    for notice in corpus.notices:
        logger.info("corpus: %s", notice)
    return corpus


def _loaded(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    state: Path | None,
    previous: Corpus | None,
    workers: int,
) -> Corpus:
    faults: list[Fault] = []
    notices: list[Fault] = []
    files = _found(paths, faults, notices)
    key = _key(files)
    stored = _read_snapshot(state / _SNAPSHOT) if state else None
    if stored and stored.key == key:
        corpus = stored.corpus
    else:
        parsing = parse_files(files, state / "parsed" if state else None, workers, stored.good if stored else {})
        corpus = assembled(parsing.files, previous if previous is not None else (stored.corpus if stored else None))
        if state:
            snapshot = _Snapshot(key, corpus, parsing.used)
            write_parts(state / _SNAPSHOT, _lines(snapshot))
    return replace(corpus, faults=(*faults, *corpus.faults), notices=(*notices, *corpus.notices))


def _found(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], faults: list[Fault], notices: list[Fault]
) -> list[tuple[CorpusFile, str]]:
    """The files with the digests of what is in them; what is wrong is added to the lists."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files: list[tuple[CorpusFile, str]] = []
    for file in find_files([Path(path) for path in given], faults, notices):
        try:
            files.append((file, digest_of(file)))
        except CorpusError as error:
            faults.append(Fault(shown(file.path), 0, str(error)))
    return files


def is_kept(paths: Sequence[Path], state: Path) -> bool:
    """Whether `state` has these files' papers as the files are now: then loading them is quick."""
    start = json.dumps({"key": _key(_found(paths, [], []))})[:-1]
    try:
        with (state / _SNAPSHOT).open(encoding="utf-8") as file:
            return file.read(len(start)) == start
    except (OSError, UnicodeDecodeError):
        return False


def _key(files: Sequence[tuple[CorpusFile, str]]) -> str:
    digest = hashlib.sha256(f"{PARSING_VERSION}/{ASSEMBLY_VERSION}".encode())
    for file, content in files:
        digest.update(f"\0{shown(file.path)}\0{content}".encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The last load: what it was made of, what came out, and the digest that each file's papers are from."""

    key: str
    corpus: Corpus
    good: Mapping[str, str]


def _lines(snapshot: _Snapshot) -> Iterator[str]:
    """A line that tells what follows, then a line a paper: so that neither side ever holds the whole text."""
    corpus = snapshot.corpus
    head = {
        "key": snapshot.key,
        "good": dict(snapshot.good),
        "fingerprint": corpus.fingerprint,
        "papers": len(corpus.papers),
        "retired": len(corpus.retired),
        "faults": [[fault.file, fault.line, fault.message] for fault in corpus.faults],
        "notices": [[fault.file, fault.line, fault.message] for fault in corpus.notices],
    }
    for value in (head, *map(paper_to_json, corpus.papers), *map(paper_to_json, corpus.retired)):
        yield json.dumps(value, ensure_ascii=False) + "\n"


def _papers(lines: Iterable[str], count: int) -> tuple[Paper, ...]:
    """So many papers, one a line. Raises ValueError where it is another number."""
    papers = tuple([paper_from_json(json.loads(line)) for line in lines])
    if len(papers) != count:
        raise ValueError(f"{len(papers)} papers instead of {count}")
    return papers


def _read_snapshot(path: Path) -> _Snapshot | None:
    """The last load, or None where there is none or it is of another version."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            head = json.loads(next(file, ""))
            count = int(head["papers"])
            papers = _papers(file, count + int(head["retired"]))
        corpus = Corpus(
            papers=papers[:count],
            fingerprint=head["fingerprint"],
            faults=tuple(Fault(*fault) for fault in head["faults"]),
            notices=tuple(Fault(*fault) for fault in head["notices"]),
            retired=papers[count:],
        )
        return _Snapshot(str(head["key"]), corpus, {str(label): str(one) for label, one in head["good"].items()})
    except FileNotFoundError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever stands there now
        logger.warning("corpus: %s is not readable (%s): papers get their ids and handles anew", path, error)
        return None
