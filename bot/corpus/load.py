"""Loading a corpus: files to records, records to papers, papers that keep their identity from load to load."""

import hashlib
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.atomic import write_parts
from bot.corpus.assemble import ASSEMBLY_VERSION, assemble
from bot.corpus.codec import paper_from_json, paper_to_json
from bot.corpus.files import CorpusFile, digest_of, find_files
from bot.corpus.parsing import PARSING_VERSION, parse_files
from bot.errors import CorpusError, Fault
from bot.papers import Corpus, Paper
from bot.pauses import no_collection

logger = logging.getLogger(__name__)

_SNAPSHOT = "corpus.json"


def load_corpus(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    state: Path | None = None,
    previous: Corpus | None = None,
    workers: int = 1,
) -> Corpus:
    """Read the corpus files at `paths` (files, or folders that are searched through).

    `state` is a folder where parsed papers and the identities of all papers ever seen are kept: with it, a second
    load is quick, and ids and handles survive corrections across restarts. Without it, `previous` may give the
    corpus of an earlier load in this process. `workers` processes share the parsing of large files; above 1 the
    calling script needs the `if __name__ == "__main__"` guard that multiprocessing asks for.

    Nothing is raised for bad records or files: see `Corpus.faults` and `Corpus.notices`.
    """
    with no_collection():
        corpus = _loaded(paths, state, previous, workers)
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
        corpus = assemble(parsing.files, previous if previous is not None else (stored.corpus if stored else None))
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
            faults.append(Fault(str(file.path), 0, str(error)))
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
        digest.update(f"\0{file.path}\0{content}".encode())
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
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        logger.warning("corpus: %s is not readable (%s): papers get their ids and handles anew", path, error)
        return None
