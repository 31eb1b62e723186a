"""Index folders: found again when nothing changed, rebuilt beside the old one, swapped in one step.

A folder holds `current`, one line with the name of the folder that is in use, and that folder. A build goes
to a folder of its own name and `current` is replaced when it is complete, so a reader never meets half an
index and a build that dies leaves the old one in use. Builders wait for one another on `lock`.
"""

import contextlib
import hashlib
import json
import logging
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import tantivy
from tantivy.tantivy import __version__ as engine

from bot.papers import Corpus
from bot.search.acronyms import gathered
from bot.search.documents import Knowledge
from bot.search.vocabulary import Vocabulary

if sys.platform != "win32":
    import fcntl

FORMAT = 2
"""Raised whenever fields, words or what is stored beside them change their meaning."""

_WAIT = 60.0
"""Seconds that a build waits for another one; then it goes on beside it, which is safe but does the work twice."""

_log = logging.getLogger(__name__)


def stamp(corpus: Corpus) -> str:
    """What an index must have been built by and from to be used again."""
    fingerprint = corpus.fingerprint or hashlib.sha256("\n".join(paper.id for paper in corpus).encode()).hexdigest()
    return f"{FORMAT} {engine} {len(corpus)} {fingerprint}"


def opened(directory: Path, wanted: str, build: Callable[[Path], Knowledge]) -> tuple[tantivy.Index, Knowledge]:
    """The stored index of this stamp, built first where there is none."""
    directory.mkdir(parents=True, exist_ok=True)
    found = _current(directory, wanted)
    if found is None:
        with _one_builder(directory) as alone:
            found = _current(directory, wanted)  # another process may have built it meanwhile
            if found is None:
                found = _rebuilt(directory, wanted, build)
                if alone:
                    _swept(directory)
    return found


def _current(directory: Path, wanted: str) -> tuple[tantivy.Index, Knowledge] | None:
    for _ in range(3):  # a swap between reading the name and opening the folder means to look again
        try:
            name = (directory / "current").read_text("utf-8").strip()
            place = directory / Path(name).name
            stored = json.loads((place / "knowledge.json").read_text("utf-8"))
            if stored["stamp"] != wanted:
                return None
            return tantivy.Index.open(str(place)), _knowledge(stored)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError) as problem:
            _log.warning("The index in %s cannot be read and is built anew: %s", directory, problem)
            return None
    return None


def _rebuilt(directory: Path, wanted: str, build: Callable[[Path], Knowledge]) -> tuple[tantivy.Index, Knowledge]:
    place = directory / f"index-{uuid.uuid4().hex}"
    place.mkdir()
    try:
        knowledge = build(place)
        (place / "knowledge.json").write_text(json.dumps(_stored(knowledge, wanted)), "utf-8")
        found = tantivy.Index.open(str(place)), knowledge
        pointer = directory / f"{place.name}.current"
        pointer.write_text(place.name, "utf-8")
        pointer.replace(directory / "current")
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return found


def _swept(directory: Path) -> None:
    """Removes what earlier builds left; a process that still reads one keeps its open files."""
    name = (directory / "current").read_text("utf-8").strip()
    for old in directory.glob("index-*"):
        if old.name == name:
            continue
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)


@contextlib.contextmanager
def _one_builder(directory: Path) -> Iterator[bool]:
    """Holds the builders' lock; False when it could not be had."""
    if sys.platform == "win32":
        yield False
        return
    with (directory / "lock").open("a") as lock:
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    _log.warning("Another process has held %s for %d s; building beside it", lock.name, _WAIT)
                    yield False
                    return
                time.sleep(0.05)
            else:
                break
        yield True


def _stored(knowledge: Knowledge, wanted: str) -> dict[str, object]:
    return {
        "stamp": wanted,
        "papers": knowledge.papers,
        "vocabulary": knowledge.vocabulary.frequency,
        "acronyms": {
            short: [" ".join(long) for long in longs] for short, longs in knowledge.acronyms.expansions.items()
        },
        "splits": dict(knowledge.splits),
        "topics": knowledge.topics,
        "venues": knowledge.venues,
        "years": knowledge.years,
    }


def _knowledge(stored: dict[str, dict[str, list[str]]]) -> Knowledge:
    raw: dict[str, dict[str, str]] = stored  # type: ignore[assignment]
    lists: dict[str, list[str]] = stored  # type: ignore[assignment]
    return Knowledge(
        papers=tuple(lists["papers"]),
        vocabulary=Vocabulary({word: int(count) for word, count in raw["vocabulary"].items()}),
        acronyms=gathered(
            {short: tuple(tuple(long.split(" ")) for long in longs) for short, longs in stored["acronyms"].items()}
        ),
        splits=raw["splits"],
        topics=tuple(lists["topics"]),
        venues=tuple(lists["venues"]),
        years=tuple(map(int, lists["years"])),
    )
