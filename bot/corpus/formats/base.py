"""What a corpus format is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.corpus.references import Reference, references_in
from bot.errors import Fault
from bot.papers import TitleSource

_ID_FIELDS = {
    "doi": "doi",
    "arxiv": "arxiv",
    "arxiv_id": "arxiv",
    "openreview": "openreview",
    "openreview_id": "openreview",
    "acl_id": "acl",
    "pmlr": "pmlr",
}
"""Fields of a record that hold an id, each with its kind."""


@dataclass(frozen=True, slots=True)
class Record:
    """One abstract as its file has it: `abstract` and `title` are still source text."""

    file: str
    position: int
    line: int
    abstract: str
    title: str | None = None
    title_source: TitleSource = "derived"
    record_id: str | None = None
    authors: tuple[str, ...] = ()
    url: str | None = None
    code: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None
    session: str | None = None
    topics: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    """Names of fields that were too long to be kept."""


@dataclass(frozen=True, slots=True)
class FileContent:
    """What one file held: its records, and what is wrong (faults) or merely worth knowing (notices)."""

    records: tuple[Record, ...]
    faults: tuple[Fault, ...] = ()
    notices: tuple[Fault, ...] = ()


MOST_RECORDS = 100_000
"""Records of one file: ten whole conferences. Each takes some kilobytes of memory, whatever its own size."""
MOST_FAULTS = 200
"""Faults of one file that are told one by one."""


class RecordReading:
    """What is found in a file on the way through it: no more of it than a file may have."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.records: list[Record] = []
        self.notices: list[Fault] = []
        self.skipped = 0
        """How many faults there were."""
        self._faults: list[Fault] = []

    def fault(self, line: int, message: str) -> None:
        """Something is wrong there."""
        self.skipped += 1
        if self.skipped <= MOST_FAULTS:
            self._faults.append(Fault(self.file, line, message))

    def full(self, line: int) -> bool:
        """Whether no more can be read; then what begins on this line is a fault."""
        if len(self.records) < MOST_RECORDS:
            return False
        rest = f"more than {MOST_RECORDS:,} records: from here on the file is skipped; split it"
        self._faults.append(Fault(self.file, line, rest))
        return True

    def content(self) -> FileContent:
        """All of it."""
        faults = self._faults
        if self.skipped > MOST_FAULTS:
            faults = [*faults, Fault(self.file, 0, f"{self.skipped - MOST_FAULTS:,} more faults of the same kinds")]
        return FileContent(tuple(self.records), tuple(faults), tuple(self.notices))


def public_keys(record: Record) -> frozenset[str]:
    """The ids by which the world knows this paper, from its fields or its address, each as `kind:id`."""
    keys = {found.key for found in references_in((record.url or "")[:500])}
    for name, kind in _ID_FIELDS.items():
        value = record.extra.get(name)
        if isinstance(value, str) and (written := value.strip()[:500]):
            keys.update({found.key for found in references_in(written)} or {Reference(kind, written).key})
    return frozenset(keys)


@dataclass(frozen=True, slots=True)
class Format:
    """How one kind of corpus file is read.

    `suffixes` are the endings of its file names (without `.gz`, which every format may have behind).
    `read(text, file)` takes decoded text and the name to report, and never raises for a bad record: that
    becomes a fault with its line. `version` is raised whenever `read` gives something else for the same text.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[str, str], FileContent]
    version: int = 1
