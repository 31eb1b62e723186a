"""Papers and the corpus that holds them: values only; reading, naming and finding them happens elsewhere."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from bot.errors import Fault
from bot.richtext import Inlines, plain

TitleSource = Literal["sidecar", "file", "derived"]

_NOT_WORD = re.compile(r"[^\w]+")


def normalised(words: str) -> str:
    """Text reduced to its words, for comparing: compatibility forms folded, case and punctuation dropped."""
    return _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", words).casefold()).strip()


def address_key(address: str) -> str:
    """An address as it is compared: without scheme, `www.`, what follows a `#`, a last slash, and in small letters."""
    bare = address.partition("#")[0].casefold()
    return bare.removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")


def paper_id(abstract: str) -> str:
    """The id a new paper starts with: 12 hex digits of the SHA-256 of its normalised abstract.

    It does not change when the paper moves within a file, the file is renamed, or the parser styles it anew.
    """
    return id_of_words(normalised(abstract))


def id_of_words(words: str) -> str:
    """`paper_id` of an abstract whose words are `normalised` already."""
    return hashlib.sha256(words.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a paper was read: `position` counts abstracts in the file from 1, `line` is where it starts."""

    file: str
    position: int
    line: int
    record_id: str | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper of the corpus. State is keyed by `id`; `handle` is the short name people type."""

    id: str
    handle: str
    name: str
    aliases: tuple[str, ...]
    title: Inlines
    title_source: TitleSource
    abstract: Inlines
    sources: tuple[Source, ...]
    authors: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    url: str | None = None
    venue: str | None = None
    year: int | None = None
    session: str | None = None
    topics: tuple[str, ...] = ()
    former_ids: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()
    """DOI, arXiv and OpenReview ids, each as `kind:id`."""
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def record_id(self) -> str | None:
        """The id in the source record, of the first source that has one."""
        return next((source.record_id for source in self.sources if source.record_id), None)

    @property
    def text(self) -> str:
        """The abstract as plain text."""
        return plain(self.abstract)

    @property
    def title_text(self) -> str:
        """The title as plain text."""
        return plain(self.title)


@dataclass(frozen=True)
class Corpus:
    """Every paper, in reading order, found by id, former id or handle. A new corpus is a new value."""

    papers: tuple[Paper, ...]
    fingerprint: str = ""
    """Changes whenever a paper does; an index built for the same fingerprint can be used again."""
    faults: tuple[Fault, ...] = ()
    """What was skipped while loading, with file, line and reason."""
    notices: tuple[Fault, ...] = ()
    """What is worth knowing but cost no paper (a detected encoding, a dropped control character)."""
    retired: tuple[Paper, ...] = ()
    """Papers that an earlier load had: their ids and handles are theirs for ever."""

    @cached_property
    def _by_key(self) -> Mapping[str, Paper]:
        keys: dict[str, Paper] = {}
        for paper in self.papers:
            for key in paper.keys:
                keys.setdefault(key, paper)
                keys.setdefault(key.partition(":")[2], paper)
            for link in (paper.url, *paper.links):
                if link:
                    keys.setdefault(link, paper)
                    keys.setdefault(address_key(link), paper)
        for paper in self.papers:
            for former in paper.former_ids:
                keys[former] = paper
        for paper in self.papers:
            keys[paper.handle] = paper
        for paper in self.papers:
            keys[paper.id] = paper
        return keys

    def get(self, key: str) -> Paper | None:
        """The paper with this id, former id, handle, link, or DOI, arXiv or OpenReview id; or None."""
        return self._by_key.get(key)

    def __iter__(self) -> Iterator[Paper]:
        return iter(self.papers)

    def __len__(self) -> int:
        return len(self.papers)


def first_of(keys: Iterable[str], corpus: Corpus) -> list[Paper]:
    """The papers of these ids that the corpus still holds, in order."""
    return [paper for key in keys if (paper := corpus.get(key)) is not None]
