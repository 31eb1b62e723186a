"""Which files a corpus is made of, and what each one holds once decoded and read."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.corpus.decode import decode, read_bytes
from bot.corpus.formats import all_formats, format_of
from bot.corpus.records import FileContent
from bot.corpus.sidecar import SUFFIX, apply
from bot.errors import CorpusError, Fault

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


def find_files(paths: Iterable[Path], faults: list[Fault], notices: list[Fault] | None = None) -> list[CorpusFile]:
    """The corpus files at these paths, folders searched through, in a stable order.

    What cannot be used (missing, of no known format, a link that leaves its folder) becomes a fault; a file of
    another kind in a folder, which may well belong there, is named in a notice.
    """
    found: dict[Path, CorpusFile] = {}
    for path in paths:
        if path.is_dir():
            root = path.resolve()
            others: list[str] = []
            for entry in sorted(path.rglob("*")):
                if not entry.is_file():
                    continue
                if format_of(entry.name) is None:
                    if not _beside(entry, path):
                        others.append(entry.relative_to(path).as_posix())
                    continue
                if not entry.resolve().is_relative_to(root):
                    faults.append(Fault(str(entry), 0, "skipped: a link that leaves the corpus folder"))
                    continue
                found.setdefault(entry.resolve(), CorpusFile(entry, entry.relative_to(path).as_posix()))
            if others and notices is not None:
                shown = ", ".join(others[:_SHOWN]) + (f" and {len(others) - _SHOWN} more" if others[_SHOWN:] else "")
                notices.append(Fault(str(path), 0, f"not read, since no name ends in one of {_endings()}: {shown}"))
        elif not path.exists():
            faults.append(Fault(str(path), 0, "does not exist: check the path in `corpus`"))
        elif format_of(path.name) is None:
            faults.append(Fault(str(path), 0, f"is in no known format: its name must end in one of {_endings()}"))
        else:
            found.setdefault(path.resolve(), CorpusFile(path, path.name))
    return list(found.values())


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

    Raises CorpusError where a file cannot be opened.
    """
    digest = hashlib.sha256()
    try:
        for path in (file.path, file.sidecar):
            digest.update(path.read_bytes() if path.exists() else b"-")
            digest.update(b"\0")
    except OSError as error:
        raise CorpusError(f"cannot be read: {error}") from error
    reader = format_of(file.path.name)
    digest.update(f"{file.label}\0{reader.name if reader else ''}\0{reader.version if reader else 0}".encode())
    return digest.hexdigest()


def read_file(file: CorpusFile) -> FileContent:
    """The records of one file with its sidecar applied; a file that cannot be read gives one fault."""
    shown = str(file.path)
    reader = format_of(file.path.name)
    if reader is None:
        return FileContent((), (Fault(shown, 0, "is in no known format"),))
    try:
        decoded = decode(read_bytes(file.path), shown)
        content = reader.read(decoded.text, shown)
        content = replace(content, notices=(*decoded.notices, *content.notices, *_without_abstract(content, shown)))
        if file.sidecar.exists():
            text = decode(read_bytes(file.sidecar), str(file.sidecar)).text
            content = apply(content, text, str(file.sidecar))
    except CorpusError as error:
        return FileContent((), (Fault(shown, 0, str(error)),))
    return replace(content, records=tuple(replace(record, file=file.label) for record in content.records))
